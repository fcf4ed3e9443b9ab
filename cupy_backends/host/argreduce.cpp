/* argmax and argmin: the first extreme element, NaN before all. Lines use NumPy's functions; neighbouring lines go side by side. */
#include "sort.h"

#include <algorithm>

namespace host {
namespace {

constexpr int64_t kColumns = 512; /* neighbouring lines in a piece */

template <class T> bool greater(T a, T b) { return a > b; }
bool greater(Half a, Half b) { return half_order(a) > half_order(b); }
template <class T> bool greater(std::complex<T> a, std::complex<T> b) {
    return a.real() > b.real() || (a.real() == b.real() && a.imag() > b.imag());
}

/* Does `v` take the place of the best so far? */
template <class T, bool Max> inline bool beats(T v, T best) {
    return (Max ? greater(v, best) : greater(best, v)) | is_nan(v) ? !is_nan(best) : false;
}

/* n neighbouring lines of `rows` elements. best: scratch of n values */
template <class T, bool Max>
void columns(const char *in, int64_t stride, int64_t row_stride, int64_t rows, int64_t n, char *scratch, int64_t *out) {
    T *best = reinterpret_cast<T *>(scratch);
    for (int64_t j = 0; j < n; j++) {
        memcpy(&best[j], in + j * stride, sizeof(T));
        out[j] = 0;
    }
    for (int64_t i = 1; i < rows; i++) {
        in += row_stride;
        for (int64_t j = 0; j < n; j++) {
            T v;
            memcpy(&v, in + j * stride, sizeof(T));
            bool wins = beats<T, Max>(v, best[j]);
            best[j] = wins ? v : best[j];
            out[j] = wins ? i : out[j];
        }
    }
}

/* The same for contiguous rows, with indices as wide as the values, which vectorizes. */
template <class T, class I, bool Max>
inline __attribute__((always_inline)) void typed_columns(const char *in, int64_t row_stride, int64_t rows, int64_t n, char *scratch,
                                                         int64_t *out) {
    T *__restrict best = reinterpret_cast<T *>(scratch);
    alignas(64) I at[kColumns] = {};
    memcpy(best, in, n * sizeof(T));
    for (int64_t i = 1; i < rows; i++) {
        const T *row = reinterpret_cast<const T *>(in + i * row_stride);
        for (int64_t j = 0; j < n; j++) {
            const T v = row[j], b = best[j];
            const bool wins = (Max ? v > b : v < b) | ((v != v) & (b == b));
            best[j] = wins ? v : b;
            at[j] = wins ? static_cast<I>(i) : at[j];
        }
    }
    for (int64_t j = 0; j < n; j++) out[j] = at[j];
}

#define TYPED(name, T, I)                                                                                                     \
    template <bool Max> struct Typed_##name {                                                                                 \
        static void run(const char *in, int64_t stride, int64_t row_stride, int64_t rows, int64_t n, char *scratch, int64_t *out) { \
            if (stride != sizeof(T) || rows > INT32_MAX) return columns<T, Max>(in, stride, row_stride, rows, n, scratch, out); \
            (Max ? typed_max_##name : typed_min_##name)(in, row_stride, rows, n, scratch, out);                               \
        }                                                                                                                     \
    };
#define TYPED_LOOPS(name, T, I)                                                                                               \
    WIDE void typed_max_##name(const char *in, int64_t row_stride, int64_t rows, int64_t n, char *scratch, int64_t *out) {    \
        typed_columns<T, I, true>(in, row_stride, rows, n, scratch, out);                                                     \
    }                                                                                                                         \
    WIDE void typed_min_##name(const char *in, int64_t row_stride, int64_t rows, int64_t n, char *scratch, int64_t *out) {    \
        typed_columns<T, I, false>(in, row_stride, rows, n, scratch, out);                                                    \
    }                                                                                                                         \
    TYPED(name, T, I)
TYPED_LOOPS(f4, float, int32_t)
TYPED_LOOPS(f8, double, int64_t)
TYPED_LOOPS(i4, int32_t, int32_t)
TYPED_LOOPS(i8, int64_t, int64_t)

template <class T, bool Max> bool beats_at(const char *v, const char *best) {
    T a, b;
    memcpy(&a, v, sizeof a);
    memcpy(&b, best, sizeof b);
    return beats<T, Max>(a, b);
}

struct Kernels {
    void (*columns)(const char *, int64_t, int64_t, int64_t, int64_t, char *, int64_t *);
    bool (*beats)(const char *, const char *);
};

template <bool Max> Kernels kernels(int dtype) {
#define ROW(T) {columns<T, Max>, beats_at<T, Max>}
#define TYPED_ROW(name, T) {Typed_##name<Max>::run, beats_at<T, Max>}
    static const Kernels table[] = {ROW(uint8_t), ROW(int8_t), ROW(uint8_t), ROW(int16_t), ROW(uint16_t), TYPED_ROW(i4, int32_t),
                                    ROW(uint32_t), TYPED_ROW(i8, int64_t), ROW(uint64_t), ROW(Half), TYPED_ROW(f4, float),
                                    TYPED_ROW(f8, double),
                                    ROW(std::complex<float>),
                                    ROW(std::complex<double>)};
#undef ROW
    return table[dtype];
}

struct ArgReduce {
    Kernels k;
    ArgFn fn;
    void *array;
    int size, dtype;
};

constexpr int64_t kLong = 1 << 18; /* elements of one line that are worth waking threads */

/* A contiguous line, in pieces on all threads when it is long. */
int64_t long_line(const ArgReduce &r, const char *in, int64_t n) {
    constexpr int kPieces = 64;
    intptr_t found[kPieces];
    const int pieces = n < kLong ? 1 : std::min(2 * thread_count(), kPieces);
    parallel(pieces, 1, [&](int64_t b, int64_t e, int) {
        for (; b < e; b++) {
            int64_t from = n * b / pieces, to = n * (b + 1) / pieces;
            r.fn(const_cast<char *>(in) + from * r.size, to - from, &found[b], r.array);
            found[b] += from;
        }
    });
    int64_t best = found[0];
    for (int i = 1; i < pieces; i++)
        if (r.k.beats(in + found[i] * r.size, in + best * r.size)) best = found[i];
    return best;
}

xpu_status whole_array(const ArgReduce &r, const xpu_tensor *in, int64_t *result) {
    if (is_flat(in)) {
        *result = long_line(r, data_of(in), in->size);
        return XPU_OK;
    }
    TempTensor copy(in, in->dtype);
    if (!copy.memory.ptr) return fail(XPU_OUT_OF_MEMORY, "no memory for a contiguous copy");
    if (xpu_status s = copy_cast(&copy.t, in)) return s;
    *result = long_line(r, data_of(&copy.t), in->size);
    return XPU_OK;
}

void by_lines(const ArgReduce &r, const LinePlan &l, const char *in, char *out, bool aligned) {
    const bool copies = l.in_stride != r.size || !aligned;
    const CastFn copy = cast_fn(r.dtype, r.dtype);
    parallel(l.count, std::max<int64_t>(1, 2 * kParallelElements / l.n), [&](int64_t b, int64_t e, int) {
        Temp line(copies ? l.n * r.size : 16);
        for (; b < e; b++) {
            int64_t a = 0, m = 0, o = 0;
            if (l.nother == 1) a = b * l.other[0].in, o = b * l.other[0].out; /* without a division for each line */
            else offsets(l.other, l.nother, b, &a, &m, &o);
            char *p = const_cast<char *>(in) + a;
            if (copies) {
                copy(p, l.in_stride, line.as<char>(), r.size, l.n);
                p = line.as<char>();
            }
            intptr_t found;
            r.fn(p, l.n, &found, r.array);
            int64_t value = found;
            memcpy(out + o, &value, sizeof value);
        }
    });
}

void by_columns(const ArgReduce &r, const LinePlan &l, const char *in, char *out) {
    const ReduceAxis &v = l.other[0];
    int64_t chunk = kColumns;
    if (l.count < kColumns * thread_count() && l.count * l.n > kParallelElements)
        chunk = std::min(kColumns, std::max<int64_t>(32, (v.n / thread_count() + 16) / 16 * 16));
    const int64_t chunks = (v.n + chunk - 1) / chunk, outer = l.count / v.n;
    parallel(outer * chunks, std::max<int64_t>(1, kParallelElements / (std::min(chunk, v.n) * l.n)), [&](int64_t b, int64_t e, int) {
        alignas(16) char best[kColumns * 16];
        int64_t found[kColumns];
        for (; b < e; b++) {
            int64_t a = 0, m = 0, o = 0, from = b % chunks * chunk, n = std::min(chunk, v.n - from);
            offsets(l.other + 1, l.nother - 1, b / chunks, &a, &m, &o);
            r.k.columns(in + a + from * v.in, v.in, l.in_stride, l.n, n, best, found);
            for (int64_t j = 0; j < n; j++) memcpy(out + o + (from + j) * v.out, &found[j], 8);
        }
    });
}

} // namespace

xpu_status run_argreduce(xpu_call *call) {
    const xpu_tensor *in = call->in[0], *out = call->out[0];
    const bool max = call->op == XPU_OP_argmax;
    ArgReduce r;
    r.dtype = in->dtype;
    r.size = item_size(in->dtype);
    r.k = max ? kernels<true>(in->dtype) : kernels<false>(in->dtype);
    r.fn = max ? numpy_argmax(in->dtype) : numpy_argmin(in->dtype);
    r.array = numpy_dummy_array(in->dtype);
    if (out->dtype != XPU_INT64) return fail(XPU_INVALID_ARGUMENT, "%s gives int64", op_info(call->op).name);
    if (!r.fn) return fail(XPU_NOT_SUPPORTED, "%s: NumPy has no function for this dtype", op_info(call->op).name);
    if (out->size == 0) return XPU_OK;
    if (in->size == 0) return fail(XPU_INVALID_ARGUMENT, "%s of an empty sequence", op_info(call->op).name);
    if (call->params->naxes != 1 || in->ndim == 1) {
        if (out->size != 1) return fail(XPU_INVALID_ARGUMENT, "%s goes over one axis or all", op_info(call->op).name);
        int64_t result;
        if (xpu_status s = whole_array(r, in, &result)) return s;
        memcpy(data_of(out), &result, sizeof result);
        return XPU_OK;
    }
    LinePlan l = plan_sort_lines(in, out, static_cast<int>(call->params->axes[0]));
    const bool aligned = is_aligned(in);
    const bool neighbours = l.nother && l.other[0].n >= 8 && std::abs(l.other[0].in) < std::abs(l.in_stride);
    if (aligned && neighbours) by_columns(r, l, data_of(in), data_of(out));
    else by_lines(r, l, data_of(in), data_of(out), aligned);
    return XPU_OK;
}

} // namespace host
