/* ACCUMULATE and REDUCEAT. Sums and products have own loops. Long lines of floats go in blocks of a fixed size whose totals are known
 * first: results do not depend on the number of threads, and stay monotonic where the sequential ones are. */
#include "reduce.h"

#include <algorithm>

namespace host {
namespace {

constexpr int64_t kScanBlock = 1024;
constexpr int64_t kScanLong = 1 << 15; /* shorter lines are added one by one, as NumPy does */
constexpr int kSideBySide = 8;         /* lines or blocks that hide each other's latency */

struct Add {
    template <class T> static T apply(T a, T b) { return a + b; }
};
struct Multiply {
    template <class T> static T apply(T a, T b) { return a * b; }
};

/* K lines of n elements, each started with its first element. */
template <class Op, class S, class T, int K>
void scan_lines(const char *const *in, int64_t in_stride, char *const *out, int64_t out_stride, int64_t n) {
    T sum[K];
    for (int k = 0; k < K; k++) *reinterpret_cast<T *>(out[k]) = sum[k] = static_cast<T>(*reinterpret_cast<const S *>(in[k]));
    for (int64_t i = 1; i < n; i++)
        for (int k = 0; k < K; k++) {
            sum[k] = Op::apply(sum[k], static_cast<T>(*reinterpret_cast<const S *>(in[k] + i * in_stride)));
            *reinterpret_cast<T *>(out[k] + i * out_stride) = sum[k];
        }
}

template <class Op, class S, class T> void block_totals(const char *in, int64_t stride, int64_t blocks, T *totals) {
    int64_t b = 0;
    for (; b + kSideBySide <= blocks; b += kSideBySide) {
        T sum[kSideBySide];
        const char *p = in + b * kScanBlock * stride;
        for (int k = 0; k < kSideBySide; k++) sum[k] = static_cast<T>(*reinterpret_cast<const S *>(p + k * kScanBlock * stride));
        for (int64_t i = 1; i < kScanBlock; i++)
            for (int k = 0; k < kSideBySide; k++)
                sum[k] = Op::apply(sum[k], static_cast<T>(*reinterpret_cast<const S *>(p + (k * kScanBlock + i) * stride)));
        memcpy(totals + b, sum, sizeof sum);
    }
    for (; b < blocks; b++) {
        const char *p = in + b * kScanBlock * stride;
        T sum = static_cast<T>(*reinterpret_cast<const S *>(p));
        for (int64_t i = 1; i < kScanBlock; i++) sum = Op::apply(sum, static_cast<T>(*reinterpret_cast<const S *>(p + i * stride)));
        totals[b] = sum;
    }
}

/* Scans block b on its own and puts the total of what precedes in front of each element. */
template <class Op, class S, class T, int K>
void scan_blocks(const char *in, int64_t in_stride, char *out, int64_t out_stride, const T *before, int64_t n, bool first) {
    T sum[K];
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < K; k++) {
            int64_t at = k * kScanBlock + i;
            T v = static_cast<T>(*reinterpret_cast<const S *>(in + at * in_stride));
            sum[k] = i ? Op::apply(sum[k], v) : v;
            *reinterpret_cast<T *>(out + at * out_stride) = first && k == 0 ? sum[k] : Op::apply(before[k], sum[k]);
        }
}

template <class Op, class S, class T> xpu_status scan_long(const char *in, int64_t in_stride, char *out, int64_t out_stride, int64_t n) {
    const int64_t whole = n / kScanBlock, blocks = (n + kScanBlock - 1) / kScanBlock;
    Temp memory((blocks + 1) * sizeof(T));
    if (!memory.ptr) return fail(XPU_OUT_OF_MEMORY, "no memory for the totals of a scan");
    T *before = memory.as<T>(); /* first the totals, one place later */
    const int64_t grain = kParallelElements / kScanBlock;
    parallel(whole, grain, [&](int64_t b, int64_t e, int) {
        block_totals<Op, S, T>(in + b * kScanBlock * in_stride, in_stride, e - b, before + 1 + b);
    });
    before[0] = T(0);
    for (int64_t b = 2; b < blocks; b++) before[b] = Op::apply(before[b - 1], before[b]);
    parallel(blocks, grain, [&](int64_t b, int64_t e, int) {
        while (b < e) {
            int64_t at = b * kScanBlock;
            const char *from = in + at * in_stride;
            char *to = out + at * out_stride;
            if (b + kSideBySide <= std::min(e, whole)) {
                scan_blocks<Op, S, T, kSideBySide>(from, in_stride, to, out_stride, before + b, kScanBlock, b == 0);
                b += kSideBySide;
            } else {
                scan_blocks<Op, S, T, 1>(from, in_stride, to, out_stride, before + b, std::min(kScanBlock, n - at), b == 0);
                b++;
            }
        }
    });
    return XPU_OK;
}

/* An own scan: whole lines of a typed sum or product. */
struct OwnScan {
    void (*one)(const char *const *, int64_t, char *const *, int64_t, int64_t) = nullptr;
    void (*many)(const char *const *, int64_t, char *const *, int64_t, int64_t) = nullptr;
    xpu_status (*long_line)(const char *, int64_t, char *, int64_t, int64_t) = nullptr;
};

template <class Op, class S, class T> OwnScan make_scan() {
    return {scan_lines<Op, S, T, 1>, scan_lines<Op, S, T, kSideBySide>, scan_long<Op, S, T>};
}

template <class Op> OwnScan own_scan(int in, int acc) {
    if (in == XPU_FLOAT32 && acc == in) return make_scan<Op, float, float>();
    if (in == XPU_FLOAT64 && acc == in) return make_scan<Op, double, double>();
    if (acc != XPU_INT64 && acc != XPU_UINT64) return {};
    switch (in) {
    case XPU_BOOL: return make_scan<Op, uint8_t, uint64_t>(); /* modulo 2^64: signs need care only when widened */
    case XPU_INT32: return make_scan<Op, int32_t, uint64_t>();
    case XPU_UINT32: return make_scan<Op, uint32_t, uint64_t>();
    case XPU_INT64: case XPU_UINT64: return make_scan<Op, uint64_t, uint64_t>();
    default: return {};
    }
}

/* The axes of a scan: the scanned one and the others, innermost first. */
struct Scan {
    Loop loop;
    int64_t n, in, out;
    int nother;
    ReduceAxis other[XPU_MAX_NDIM];
    int64_t lines;
    const char *src;
    char *dst;
};

void plan_scan(Scan *s, const xpu_tensor *in, const xpu_tensor *out, int axis) {
    s->n = in->shape[axis];
    s->in = in->strides[axis];
    s->out = out->strides[axis];
    s->src = data_of(in);
    s->dst = data_of(out);
    s->nother = 0;
    s->lines = 1;
    for (int i = in->ndim - 1; i >= 0; i--) {
        if (i == axis || in->shape[i] == 1) continue;
        s->lines *= in->shape[i];
        ReduceAxis *a = s->nother ? &s->other[s->nother - 1] : nullptr;
        if (a && a->in * a->n == in->strides[i] && a->out * a->n == out->strides[i]) a->n *= in->shape[i];
        else s->other[s->nother++] = {in->shape[i], in->strides[i], 0, out->strides[i], false};
    }
    for (int i = 1; i < s->nother; i++) /* the closest neighbours inside */
        if (std::abs(s->other[i].out) < std::abs(s->other[0].out)) std::swap(s->other[i], s->other[0]);
}

inline void line_at(const Scan &s, int64_t i, const char **in, char **out) {
    int64_t a = 0, m = 0, o = 0;
    offsets(s.other, s.nother, i, &a, &m, &o);
    *in = s.src + a;
    *out = s.dst + o;
}

void run_lines(const Scan &s, const OwnScan &own) {
    parallel(s.lines, std::max<int64_t>(1, kParallelElements / s.n), [&](int64_t b, int64_t e, int) {
        const char *in[kSideBySide];
        char *out[kSideBySide];
        while (b < e) {
            int k = own.many && e - b >= kSideBySide ? kSideBySide : 1;
            for (int i = 0; i < k; i++) line_at(s, b + i, &in[i], &out[i]);
            b += k;
            if (own.one) {
                (k == 1 ? own.one : own.many)(in, s.in, out, s.out, s.n);
                continue;
            }
            /* dst already holds the input in the loop's type */
            char *args[3] = {out[0], out[0] + s.out, out[0] + s.out};
            const intptr_t count = s.n - 1, step = s.out, steps[3] = {step, step, step};
            if (count > 0) s.loop.fn(args, &count, steps, s.loop.data);
        }
    });
}

/* Neighbouring lines side by side: row i is row i - 1 op row i. dst holds the input. */
void run_rows(const Scan &s) {
    const ReduceAxis &v = s.other[0];
    int64_t chunk = std::min<int64_t>(v.n, 2048), outer = s.lines / v.n;
    if (outer == 1 && v.n < 2048 * thread_count() && s.lines * s.n > kParallelElements)
        chunk = std::max<int64_t>(64, (v.n / thread_count() + 16) / 16 * 16);
    int64_t chunks = (v.n + chunk - 1) / chunk;
    parallel(outer * chunks, std::max<int64_t>(1, kParallelElements / (std::min(chunk, v.n) * s.n)), [&](int64_t b, int64_t e, int) {
        for (; b < e; b++) {
            int64_t a = 0, m = 0, o = 0, from = b % chunks * chunk;
            offsets(s.other + 1, s.nother - 1, b / chunks, &a, &m, &o);
            char *row = s.dst + o + from * v.out;
            const intptr_t count = std::min(chunk, v.n - from), step = v.out, steps[3] = {step, step, step};
            for (int64_t i = 1; i < s.n; i++, row += s.out) {
                char *args[3] = {row, row + s.out, row + s.out};
                s.loop.fn(args, &count, steps, s.loop.data);
            }
        }
    });
}

bool same_memory(const xpu_tensor *a, const xpu_tensor *b) {
    if (a->dtype != b->dtype || data_of(a) != data_of(b)) return false;
    for (int i = 0; i < a->ndim; i++)
        if (a->shape[i] > 1 && a->strides[i] != b->strides[i]) return false;
    return true;
}

xpu_status accumulate(const xpu_call *call, const Loop &loop, const xpu_tensor *in, const xpu_tensor *out) {
    Scan s;
    s.loop = loop;
    plan_scan(&s, in, out, static_cast<int>(call->params->axes[0]));
    OwnScan own;
    if (is_aligned(in)) {
        if (call->op == XPU_OP_add) own = own_scan<Add>(in->dtype, out->dtype);
        if (call->op == XPU_OP_multiply) own = own_scan<Multiply>(in->dtype, out->dtype);
    }
    /* complex products round otherwise in NumPy's vectorized loop, which works on lines */
    const bool lines_only = call->op != XPU_OP_add && call->op != XPU_OP_subtract && out->dtype >= XPU_COMPLEX64;
    bool by_rows = !lines_only && s.nother && s.other[0].n >= 8 && std::abs(s.other[0].out) < std::abs(s.out);
    if (own.one && s.n >= kScanLong && s.lines < kSideBySide) {
        for (int64_t i = 0; i < s.lines; i++) {
            const char *from;
            char *to;
            line_at(s, i, &from, &to);
            if (xpu_status status = own.long_line(from, s.in, to, s.out, s.n)) return status;
        }
        return XPU_OK;
    }
    if (own.one && !by_rows) {
        run_lines(s, own);
        return XPU_OK;
    }
    if (!same_memory(in, out))
        if (xpu_status status = copy_cast(out, in)) return status;
    if (by_rows) run_rows(s);
    else run_lines(s, OwnScan());
    return XPU_OK;
}

xpu_status binary_loop(const xpu_call *call, Loop *loop, int *dtype) {
    const xpu_op_info &info = op_info(call->op);
    const int8_t *types = info.loops[call->loop].types;
    if (info.nin != 2 || info.nout != 1 || types[0] != types[1] || types[0] != types[2])
        return fail(XPU_NOT_SUPPORTED, "%s: this type loop cannot be accumulated", info.name);
    *loop = numpy_loop(call->op, call->loop);
    *dtype = types[2];
    return loop->fn ? static_cast<xpu_status>(XPU_OK) : fail(XPU_NOT_SUPPORTED, "%s: NumPy has no loop of this type", info.name);
}

/* out[i] = in[b] op ... op in[e - 1] for each line */
void reduce_slices(const Scan &s, int dtype, const int64_t *index, int64_t count) {
    const int size = item_size(dtype);
    parallel(s.lines, std::max<int64_t>(1, kParallelElements / std::max<int64_t>(s.n, 1)), [&](int64_t b, int64_t e, int) {
        for (; b < e; b++) {
            const char *in;
            char *out;
            line_at(s, b, &in, &out);
            for (int64_t i = 0; i < count; i++, out += s.out) {
                int64_t from = index[i], to = i + 1 < count ? index[i + 1] : s.n;
                memcpy(out, in + from * s.in, size);
                const intptr_t n = to - from - 1, steps[3] = {0, static_cast<intptr_t>(s.in), 0};
                char *args[3] = {out, const_cast<char *>(in) + (from + 1) * s.in, out};
                if (n > 0) s.loop.fn(args, &n, steps, s.loop.data);
            }
        }
    });
}

} // namespace

xpu_status run_accumulate(xpu_call *call) {
    Loop loop;
    int dtype;
    if (xpu_status s = binary_loop(call, &loop, &dtype)) return s;
    const xpu_tensor *in = call->in[0], *out = call->out[0];
    if (out->size == 0) return XPU_OK;
    if (out->dtype == dtype && is_aligned(out)) return accumulate(call, loop, in, out);
    TempTensor temp(out, dtype);
    if (!temp.memory.ptr) return fail(XPU_OUT_OF_MEMORY, "no memory for a scan's result");
    if (xpu_status s = accumulate(call, loop, in, &temp.t)) return s;
    return copy_cast(out, &temp.t);
}

xpu_status run_reduceat(xpu_call *call) {
    Scan s;
    int dtype;
    if (xpu_status status = binary_loop(call, &s.loop, &dtype)) return status;
    const xpu_tensor *in = call->in[0], *out = call->out[0];
    const int axis = static_cast<int>(call->params->axes[0]);
    const int64_t count = call->in[1]->size;
    TempTensor index(call->in[1], XPU_INT64), source(in, dtype), result(out, dtype);
    if (!index.memory.ptr || !source.memory.ptr || !result.memory.ptr) return fail(XPU_OUT_OF_MEMORY, "no memory for reduceat");
    if (xpu_status status = copy_cast(&index.t, call->in[1])) return status;
    const int64_t *at = index.memory.as<int64_t>();
    for (int64_t i = 0; i < count; i++)
        if (at[i] < 0 || at[i] >= in->shape[axis]) {
            call->result[0] = at[i];
            call->result[1] = axis;
            call->result[2] = in->shape[axis];
            return XPU_INDEX_ERROR;
        }
    if (out->size == 0) return XPU_OK;
    const bool in_place = in->dtype == dtype && is_aligned(in), out_place = out->dtype == dtype && is_aligned(out);
    if (!in_place)
        if (xpu_status status = copy_cast(&source.t, in)) return status;
    const xpu_tensor *from = in_place ? in : &source.t, *to = out_place ? out : &result.t;
    plan_scan(&s, from, to, axis);
    reduce_slices(s, dtype, at, count);
    return out_place ? static_cast<xpu_status>(XPU_OK) : copy_cast(out, to);
}

} // namespace host
