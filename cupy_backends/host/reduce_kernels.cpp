/* Inner loops of reductions: NumPy's pairwise sum with whole vectors, widening integer sums, counts, sums of rows. */
#include "reduce.h"

namespace host {
namespace {

#define INLINE inline __attribute__((always_inline))

template <class T> T load(const char *p) {
    T v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* Eight accumulators, as NumPy has; T is what is added, S what lies in memory. */
template <class S, class T> struct Lanes {
    typedef T Vec __attribute__((vector_size(8 * sizeof(T)), aligned(8), may_alias));
    typedef S Src __attribute__((vector_size(8 * sizeof(S)), aligned(1), may_alias));
    static INLINE void read(Vec &v, const char *p) { v = __builtin_convertvector(*reinterpret_cast<const Src *>(p), Vec); }
};

/* NumPy's pairwise sum of n contiguous elements: blocks of up to 128 in eight accumulators, halves above that. */
template <class S, class T> INLINE T pairwise_block(const char *p, int64_t n) {
    if (n < 8) {
        T sum = T(-0.0);
        for (int64_t i = 0; i < n; i++) sum += static_cast<T>(load<S>(p + i * sizeof(S)));
        return sum;
    }
    typename Lanes<S, T>::Vec r, more;
    Lanes<S, T>::read(r, p);
    int64_t i = 8;
    for (; i < n - n % 8; i += 8) {
        Lanes<S, T>::read(more, p + i * sizeof(S));
        r += more;
    }
    T sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    for (; i < n; i++) sum += static_cast<T>(load<S>(p + i * sizeof(S)));
    return sum;
}

template <class S, class T> INLINE T pairwise_strided_block(const char *p, int64_t stride, int64_t n) {
    T r[8], sum;
    int64_t i = 8;
    if (n < 8) {
        sum = T(-0.0);
        for (i = 0; i < n; i++) sum += static_cast<T>(load<S>(p + i * stride));
        return sum;
    }
    for (int k = 0; k < 8; k++) r[k] = static_cast<T>(load<S>(p + k * stride));
    for (; i < n - n % 8; i += 8)
        for (int k = 0; k < 8; k++) r[k] += static_cast<T>(load<S>(p + (i + k) * stride));
    sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    for (; i < n; i++) sum += static_cast<T>(load<S>(p + i * stride));
    return sum;
}

/* Walks the tree of halves without recursion into a vectorized function: `block` sums a leaf. */
template <class T, class Block> T pairwise_tree(const char *p, int64_t stride, int64_t n, Block block) {
    if (n <= 128) return block(p, stride, n);
    int64_t half = n / 2;
    half -= half % 8;
    T left = pairwise_tree<T>(p, stride, half, block);
    return left + pairwise_tree<T>(p + half * stride, stride, n - half, block);
}

#define PAIRWISE(name, S, T)                                                                                              \
    WIDE T block_##name(const char *p, int64_t n) { return pairwise_block<S, T>(p, n); }                                  \
    T leaf_##name(const char *p, int64_t stride, int64_t n) {                                                             \
        return stride == sizeof(S) ? block_##name(p, n) : pairwise_strided_block<S, T>(p, stride, n);                     \
    }                                                                                                                     \
    void fold_##name(char *acc, const char *in, int64_t stride, int64_t n) {                                              \
        if (n > 0) *reinterpret_cast<T *>(acc) += pairwise_tree<T>(in, stride, n, leaf_##name);                           \
    }

PAIRWISE(f4, float, float)
PAIRWISE(f8, double, double)
PAIRWISE(i1_f8, int8_t, double)
PAIRWISE(u1_f8, uint8_t, double)
PAIRWISE(i2_f8, int16_t, double)
PAIRWISE(u2_f8, uint16_t, double)
PAIRWISE(i4_f8, int32_t, double)
PAIRWISE(u4_f8, uint32_t, double)
PAIRWISE(i8_f8, int64_t, double)
PAIRWISE(u8_f8, uint64_t, double)
PAIRWISE(f4_f8, float, double)

/* Complex: n counts real numbers, four elements run side by side. */
template <class T> struct Pair {
    T re, im;
    Pair operator+(const Pair &o) const { return {re + o.re, im + o.im}; }
};

template <class T> INLINE Pair<T> pairwise_complex_block(const char *p, int64_t stride, int64_t n) {
    if (n < 4) {
        Pair<T> sum{T(-0.0), T(-0.0)};
        for (int64_t i = 0; i < n; i++) sum = sum + load<Pair<T>>(p + i * stride);
        return sum;
    }
    Pair<T> r[4];
    for (int k = 0; k < 4; k++) r[k] = load<Pair<T>>(p + k * stride);
    int64_t i = 4;
    for (; i < n - n % 4; i += 4)
        for (int k = 0; k < 4; k++) r[k] = r[k] + load<Pair<T>>(p + (i + k) * stride);
    Pair<T> sum = (r[0] + r[1]) + (r[2] + r[3]);
    for (; i < n; i++) sum = sum + load<Pair<T>>(p + i * stride);
    return sum;
}

template <class T> Pair<T> pairwise_complex(const char *p, int64_t stride, int64_t n) {
    if (n <= 64) return pairwise_complex_block<T>(p, stride, n);
    int64_t half = n; /* in real numbers: 2n / 2 */
    half -= half % 8;
    return pairwise_complex<T>(p, stride, half / 2) + pairwise_complex<T>(p + half / 2 * stride, stride, n - half / 2);
}

template <class T> void fold_complex(char *acc, const char *in, int64_t stride, int64_t n) {
    if (n <= 0) return;
    Pair<T> *a = reinterpret_cast<Pair<T> *>(acc);
    *a = *a + pairwise_complex<T>(in, stride, n);
}

template <class T> void one_by_one(char *acc, const char *in, int64_t stride, int64_t n) {
    T *a = reinterpret_cast<T *>(acc);
    for (int64_t i = 0; i < n; i++) *a = *a + load<T>(in + i * stride);
}

/* Exact sums in 64 bits, whatever the order. */
template <class S> INLINE int64_t integer_sum(const char *in, int64_t stride, int64_t n) {
    uint64_t sum = 0;
    if (stride == sizeof(S)) {
        const S *p = reinterpret_cast<const S *>(in);
        for (int64_t i = 0; i < n; i++) sum += static_cast<uint64_t>(static_cast<int64_t>(p[i]));
    } else {
        for (int64_t i = 0; i < n; i++) sum += static_cast<uint64_t>(static_cast<int64_t>(load<S>(in + i * stride)));
    }
    return static_cast<int64_t>(sum);
}

/* Values, or 1 for each that is not zero, in 32 bits first: that vectorizes far better. Float drops the sign: -0.0 is zero. */
template <class S, bool Count, bool Float> INLINE int64_t narrow_sum(const char *in, int64_t stride, int64_t n) {
    int64_t sum = 0;
    for (int64_t i = 0; i < n; i += 1 << 16) {
        const int64_t m = n - i < 1 << 16 ? n - i : 1 << 16;
        int32_t part = 0;
        if (stride == sizeof(S)) {
            const S *p = reinterpret_cast<const S *>(in) + i;
            for (int64_t k = 0; k < m; k++) part += !Count ? p[k] : Float ? static_cast<S>(p[k] << 1) != 0 : p[k] != 0;
        } else {
            for (int64_t k = 0; k < m; k++) {
                const S v = load<S>(in + (i + k) * stride);
                part += !Count ? v : Float ? static_cast<S>(v << 1) != 0 : v != 0;
            }
        }
        sum += part;
    }
    return sum;
}

#define INTEGER_FOLD(name, call)                                                                \
    WIDE void name(char *acc, const char *in, int64_t stride, int64_t n) {                      \
        uint64_t *a = reinterpret_cast<uint64_t *>(acc);                                        \
        *a += static_cast<uint64_t>(call(in, stride, n));                                       \
    }
#define COMMA ,
INTEGER_FOLD(widen_b, narrow_sum<uint8_t COMMA true COMMA false>)
INTEGER_FOLD(widen_i1, narrow_sum<int8_t COMMA false COMMA false>)
INTEGER_FOLD(widen_u1, narrow_sum<uint8_t COMMA false COMMA false>)
INTEGER_FOLD(widen_i2, integer_sum<int16_t>)
INTEGER_FOLD(widen_u2, integer_sum<uint16_t>)
INTEGER_FOLD(widen_i4, integer_sum<int32_t>)
INTEGER_FOLD(widen_u4, integer_sum<uint32_t>)
INTEGER_FOLD(widen_i8, integer_sum<int64_t>)
INTEGER_FOLD(count_1, narrow_sum<uint8_t COMMA true COMMA false>)
INTEGER_FOLD(count_2, narrow_sum<uint16_t COMMA true COMMA false>)
INTEGER_FOLD(count_4, narrow_sum<uint32_t COMMA true COMMA false>)
INTEGER_FOLD(count_8, narrow_sum<uint64_t COMMA true COMMA false>)
INTEGER_FOLD(count_f2, narrow_sum<uint16_t COMMA true COMMA true>)
INTEGER_FOLD(count_f4, narrow_sum<uint32_t COMMA true COMMA true>)
INTEGER_FOLD(count_f8, narrow_sum<uint64_t COMMA true COMMA true>)

template <class T> void count_complex(char *acc, const char *in, int64_t stride, int64_t n) {
    int64_t sum = 0;
    for (int64_t i = 0; i < n; i++) {
        const Pair<T> v = load<Pair<T>>(in + i * stride);
        sum += (v.re != 0) | (v.im != 0);
    }
    *reinterpret_cast<int64_t *>(acc) += sum;
}

/* any and all: in blocks, so that the answer ends the search */
template <bool Any, FoldFn Count> void truth(char *acc, const char *in, int64_t stride, int64_t n) {
    for (int64_t i = 0; i < n && (*acc != 0) != Any; i += 1024) {
        int64_t m = n - i < 1024 ? n - i : 1024, found = 0;
        Count(reinterpret_cast<char *>(&found), in + i * stride, stride, m);
        *acc = Any ? found != 0 : found == m;
    }
}

/* Rows added into one: four at a time spares loads and stores of the sum, in the order of the rows. */
template <class S, class T> INLINE void add_rows(char *out, const char *in, int64_t row_stride, int64_t rows, int64_t n) {
    T *__restrict o = reinterpret_cast<T *>(out);
    for (; rows >= 4; rows -= 4, in += 4 * row_stride) {
        const S *a = reinterpret_cast<const S *>(in), *b = reinterpret_cast<const S *>(in + row_stride);
        const S *c = reinterpret_cast<const S *>(in + 2 * row_stride), *d = reinterpret_cast<const S *>(in + 3 * row_stride);
        for (int64_t j = 0; j < n; j++)
            o[j] = (((o[j] + static_cast<T>(a[j])) + static_cast<T>(b[j])) + static_cast<T>(c[j])) + static_cast<T>(d[j]);
    }
    for (; rows > 0; rows--, in += row_stride) {
        const S *a = reinterpret_cast<const S *>(in);
        for (int64_t j = 0; j < n; j++) o[j] += static_cast<T>(a[j]);
    }
}

/* Few columns: their sums stay in registers. */
template <class S, class T, int N> INLINE void add_columns(char *out, const char *in, int64_t row_stride, int64_t rows) {
    T sum[N];
    memcpy(sum, out, sizeof sum);
    for (; rows > 0; rows--, in += row_stride)
        for (int j = 0; j < N; j++) sum[j] += static_cast<T>(reinterpret_cast<const S *>(in)[j]);
    memcpy(out, sum, sizeof sum);
}

template <class S, class T> INLINE void add_any_rows(char *out, const char *in, int64_t row_stride, int64_t rows, int64_t n) {
    switch (n) {
    case 1: return add_columns<S, T, 1>(out, in, row_stride, rows);
    case 2: return add_columns<S, T, 2>(out, in, row_stride, rows);
    case 3: return add_columns<S, T, 3>(out, in, row_stride, rows);
    case 4: return add_columns<S, T, 4>(out, in, row_stride, rows);
    case 5: return add_columns<S, T, 5>(out, in, row_stride, rows);
    case 6: return add_columns<S, T, 6>(out, in, row_stride, rows);
    case 8: return add_columns<S, T, 8>(out, in, row_stride, rows);
    default: return add_rows<S, T>(out, in, row_stride, rows, n);
    }
}

#define ROWS(name, S, T)                                                                               \
    WIDE void rows_##name(char *out, const char *in, int64_t row_stride, int64_t rows, int64_t n) {    \
        add_any_rows<S, T>(out, in, row_stride, rows, n);                                              \
    }
ROWS(f4, float, float)
ROWS(f8, double, double)
ROWS(b, uint8_t, uint64_t)
ROWS(i1, int8_t, uint64_t)
ROWS(u1, uint8_t, uint64_t)
ROWS(i2, int16_t, uint64_t)
ROWS(u2, uint16_t, uint64_t)
ROWS(i4, int32_t, uint64_t)
ROWS(u4, uint32_t, uint64_t)
ROWS(i8, uint64_t, uint64_t)
ROWS(f4_f8, float, double)
ROWS(i4_f8, int32_t, double)
ROWS(i8_f8, int64_t, double)

const FoldFn kWiden[] = {widen_b, widen_i1, widen_u1, widen_i2, widen_u2, widen_i4, widen_u4, widen_i8, widen_i8};
const RowsFn kWidenRows[] = {rows_b, rows_i1, rows_u1, rows_i2, rows_u2, rows_i4, rows_u4, rows_i8, rows_i8};
const FoldFn kDouble[] = {nullptr, fold_i1_f8, fold_u1_f8, fold_i2_f8, fold_u2_f8, fold_i4_f8, fold_u4_f8, fold_i8_f8, fold_u8_f8,
                          nullptr, fold_f4_f8, fold_f8};

template <bool Any> FoldFn truth_fold(int dtype) {
    static const FoldFn table[] = {truth<Any, count_1>, truth<Any, count_1>, truth<Any, count_1>, truth<Any, count_2>, truth<Any, count_2>,
                                   truth<Any, count_4>, truth<Any, count_4>, truth<Any, count_8>, truth<Any, count_8>,
                                   truth<Any, count_f2>, truth<Any, count_f4>, truth<Any, count_f8>,
                                   truth<Any, count_complex<float>>, truth<Any, count_complex<double>>};
    return dtype < XPU_BFLOAT16 ? table[dtype] : nullptr;
}

FoldFn count_fold(int dtype) {
    static const FoldFn table[] = {count_1, count_1, count_1, count_2, count_2, count_4, count_4, count_8, count_8, count_f2,
                                   count_f4, count_f8, count_complex<float>, count_complex<double>};
    return dtype < XPU_BFLOAT16 ? table[dtype] : nullptr;
}

} // namespace

FoldFn own_fold(int op, int in, int acc) {
    if (op == XPU_OP_count_nonzero) return count_fold(in);
    if (op == XPU_OP_logical_or && acc == XPU_BOOL) return truth_fold<true>(in);
    if (op == XPU_OP_logical_and && acc == XPU_BOOL) return truth_fold<false>(in);
    if (op != XPU_OP_add) return nullptr;
    if (acc == XPU_INT64 || acc == XPU_UINT64) return in <= XPU_UINT64 ? kWiden[in] : nullptr;
    if (acc == XPU_FLOAT64) return in <= XPU_FLOAT64 ? kDouble[in] : nullptr;
    if (acc == XPU_FLOAT32 && in == acc) return fold_f4;
    if (acc == XPU_COMPLEX64 && in == acc) return fold_complex<float>;
    if (acc == XPU_COMPLEX128 && in == acc) return fold_complex<double>;
    return nullptr;
}

RowsFn own_rows(int op, int in, int acc) {
    if (op != XPU_OP_add) return nullptr;
    if (acc == XPU_INT64 || acc == XPU_UINT64) return in <= XPU_UINT64 ? kWidenRows[in] : nullptr;
    if (acc == XPU_FLOAT32) return in == acc ? rows_f4 : nullptr;
    if (acc != XPU_FLOAT64) return nullptr;
    switch (in) {
    case XPU_FLOAT64: return rows_f8;
    case XPU_FLOAT32: return rows_f4_f8;
    case XPU_INT32: return rows_i4_f8;
    case XPU_INT64: return rows_i8_f8;
    default: return nullptr;
    }
}

FoldFn sequential_sum(int dtype) {
    switch (dtype) {
    case XPU_FLOAT32: return one_by_one<float>;
    case XPU_FLOAT64: return one_by_one<double>;
    case XPU_COMPLEX64: return one_by_one<Pair<float>>;
    case XPU_COMPLEX128: return one_by_one<Pair<double>>;
    default: return nullptr;
    }
}

} // namespace host
