/* One line: NumPy's sort on pieces, merged in parallel; argsort through keys packed with their indices. */
#include "sort.h"

#include <algorithm>

namespace host {
namespace {

constexpr int64_t kPiece = 1 << 17; /* a smaller piece is not worth a thread */

/* How many of the first k elements of the merged line come from a. Equal elements of a go first. */
template <class T> int64_t merged_from_a(const T *a, int64_t na, const T *b, int64_t nb, int64_t k) {
    int64_t low = std::max<int64_t>(0, k - nb), high = std::min(k, na);
    while (low < high) {
        int64_t i = (low + high) / 2;
        if (less(b[k - i - 1], a[i])) high = i;
        else low = i + 1;
    }
    return low;
}

template <class T, bool Nan> inline bool before(T a, T b) { return less(a, b); }
template <> inline bool before<float, false>(float a, float b) { return a < b; }
template <> inline bool before<double, false>(double a, double b) { return a < b; }

/* One step of a merge, without a branch on the data: half of them would be missed. */
#define MERGE_STEP(a, b, out)                                                                              \
    {                                                                                                      \
        const intptr_t second = before<T, Nan>(*b, *a);                                                             \
        *out++ = *reinterpret_cast<const T *>(reinterpret_cast<intptr_t>(a) +                              \
                                              ((reinterpret_cast<intptr_t>(b) - reinterpret_cast<intptr_t>(a)) & -second)); \
        b += second;                                                                                       \
        a += 1 - second;                                                                                   \
    }

template <class T, bool Nan> void merge_rest(const T *a, const T *a_end, const T *b, const T *b_end, T *out) {
    while ((a != a_end) & (b != b_end)) MERGE_STEP(a, b, out)
    out = std::copy(a, a_end, out);
    std::copy(b, b_end, out);
}

/* Three merges side by side hide each other's latency. */
template <class T, bool Nan> void merge_part(const T *a, int64_t na, const T *b, int64_t nb, T *out) {
    const int64_t n = na + nb, k1 = n / 3, k2 = n * 2 / 3;
    const int64_t i1 = merged_from_a(a, na, b, nb, k1), i2 = merged_from_a(a, na, b, nb, k2);
    const T *a0 = a, *const a0_end = a + i1, *a1 = a + i1, *const a1_end = a + i2, *a2 = a + i2, *const a2_end = a + na;
    const T *b0 = b, *const b0_end = b + k1 - i1, *b1 = b0_end, *const b1_end = b + k2 - i2, *b2 = b1_end, *const b2_end = b + nb;
    T *out0 = out, *out1 = out + k1, *out2 = out + k2;
    while ((a0 != a0_end) & (b0 != b0_end) & (a1 != a1_end) & (b1 != b1_end) & (a2 != a2_end) & (b2 != b2_end)) {
        MERGE_STEP(a0, b0, out0)
        MERGE_STEP(a1, b1, out1)
        MERGE_STEP(a2, b2, out2)
    }
    merge_rest<T, Nan>(a0, a0_end, b0, b0_end, out0);
    merge_rest<T, Nan>(a1, a1_end, b1, b1_end, out1);
    merge_rest<T, Nan>(a2, a2_end, b2, b2_end, out2);
}

/* Merges sorted pieces pairwise, from one buffer to the other, until one is left; `pieces` is a power of two. */
template <class T> void merge_pieces(char *first, char *second, int64_t n, int pieces) {
    T *from = reinterpret_cast<T *>(first), *to = reinterpret_cast<T *>(second);
    const int parts = 2 * thread_count();
    for (int left = pieces; left > 1; left /= 2) {
        const int pairs = left / 2, each = std::max(1, parts / pairs);
        parallel(pairs * each, 1, [&](int64_t begin, int64_t end, int) {
            for (; begin < end; begin++) {
                int64_t pair = begin / each, part = begin % each;
                int64_t start = n * (2 * pair) / left, middle = n * (2 * pair + 1) / left, stop = n * (2 * pair + 2) / left;
                int64_t na = middle - start, nb = stop - middle, k0 = (na + nb) * part / each, k1 = (na + nb) * (part + 1) / each;
                const T *a = from + start, *b = from + middle;
                int64_t i0 = merged_from_a(a, na, b, nb, k0), i1 = merged_from_a(a, na, b, nb, k1);
                const bool nan = (na && is_nan(a[na - 1])) || (nb && is_nan(b[nb - 1])); /* they are last */
                (nan ? merge_part<T, true> : merge_part<T, false>)(a + i0, i1 - i0, b + k0 - i0, (k1 - i1) - (k0 - i0), to + start + k0);
            }
        });
        std::swap(from, to);
    }
}

typedef void (*MergeFn)(char *, char *, int64_t, int);
MergeFn merge_fn(int dtype) {
    static const MergeFn table[] = {merge_pieces<uint8_t>, merge_pieces<int8_t>, merge_pieces<uint8_t>, merge_pieces<int16_t>,
                                    merge_pieces<uint16_t>, merge_pieces<int32_t>, merge_pieces<uint32_t>, merge_pieces<int64_t>,
                                    merge_pieces<uint64_t>, merge_pieces<Half>, merge_pieces<float>, merge_pieces<double>,
                                    merge_pieces<std::complex<float>>, merge_pieces<std::complex<double>>};
    return table[dtype];
}

/* Unsigned numbers in the order of the values; equal values, and all NaNs, get equal numbers. */
inline uint64_t key_of(uint64_t v) { return v; }
inline uint64_t key_of(uint32_t v) { return v; }
inline uint64_t key_of(uint16_t v) { return v; }
inline uint64_t key_of(uint8_t v) { return v; }
inline uint64_t key_of(int64_t v) { return static_cast<uint64_t>(v) ^ (uint64_t(1) << 63); }
inline uint64_t key_of(int32_t v) { return key_of(static_cast<int64_t>(v)); }
inline uint64_t key_of(int16_t v) { return key_of(static_cast<int64_t>(v)); }
inline uint64_t key_of(int8_t v) { return key_of(static_cast<int64_t>(v)); }
inline uint64_t key_of(Half h) { return is_nan(h) ? 1 << 17 : half_order(h) + (1 << 16); }
inline uint64_t key_of(float v) {
    if (v != v) return uint64_t(1) << 32;
    v += 0.0f; /* -0 becomes 0 */
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits ^ (bits >> 31 ? 0xffffffffu : 0x80000000u);
}
inline uint64_t key_of(double v) {
    if (v != v) return ~uint64_t(0);
    v += 0.0;
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits ^ (bits >> 63 ? ~uint64_t(0) : uint64_t(1) << 63);
}

inline int bit_length(uint64_t v) { return v ? 64 - __builtin_clzll(v) : 0; }

/* Equal packed keys may differ in the bits that were cut off: sort such runs by the whole key. */
template <class T> void sort_runs(const T *data, const uint64_t *packed, int index_bits, int64_t n, int64_t *order) {
    for (int64_t i = 0; i < n;) {
        int64_t start = i++;
        while (i < n && packed[i] >> index_bits == packed[start] >> index_bits) i++;
        if (i - start > 1)
            std::stable_sort(order + start, order + i, [data](int64_t a, int64_t b) { return key_of(data[a]) < key_of(data[b]); });
    }
}

template <class T> xpu_status argsort_keys(const char *bytes, int64_t n, int64_t *order) {
    const T *data = reinterpret_cast<const T *>(bytes);
    if (n <= 16) {
        for (int64_t i = 0; i < n; i++) {
            uint64_t key = key_of(data[i]);
            int64_t j = i;
            for (; j > 0 && key_of(data[order[j - 1]]) > key; j--) order[j] = order[j - 1];
            order[j] = i;
        }
        return XPU_OK;
    }
    constexpr int kPieces = 64;
    uint64_t lows[kPieces], highs[kPieces];
    const int pieces = static_cast<int>(std::min<int64_t>(kPieces, n / kParallelElements + 1));
    parallel(pieces, 1, [&](int64_t b, int64_t e, int) {
        for (; b < e; b++) {
            uint64_t low = ~uint64_t(0), high = 0;
            for (int64_t i = n * b / pieces; i < n * (b + 1) / pieces; i++) {
                uint64_t key = key_of(data[i]);
                low = std::min(low, key);
                high = std::max(high, key);
            }
            lows[b] = low;
            highs[b] = high;
        }
    });
    const uint64_t low = *std::min_element(lows, lows + pieces), high = *std::max_element(highs, highs + pieces);
    const int index_bits = bit_length(n - 1), cut = std::max(0, bit_length(high - low) + index_bits - 64);
    const uint64_t mask = (uint64_t(1) << index_bits) - 1;
    Temp memory(n * 8);
    if (!memory.ptr) return fail(XPU_OUT_OF_MEMORY, "no memory for the keys of argsort");
    uint64_t *packed = memory.as<uint64_t>();
    parallel(n, kParallelElements, [&](int64_t i, int64_t e, int) {
        for (; i < e; i++) packed[i] = (key_of(data[i]) - low) >> cut << index_bits | static_cast<uint64_t>(i);
    });
    if (xpu_status s = sort_line(XPU_UINT64, false, memory.as<char>(), memory.as<char>(), n)) return s;
    parallel(n, kParallelElements, [&](int64_t i, int64_t e, int) {
        for (; i < e; i++) order[i] = static_cast<int64_t>(packed[i] & mask);
    });
    if (cut) sort_runs(data, packed, index_bits, n, order);
    return XPU_OK;
}

template <class T> xpu_status argsort_complex(const char *bytes, int64_t n, int64_t *order) {
    const std::complex<T> *data = reinterpret_cast<const std::complex<T> *>(bytes);
    for (int64_t i = 0; i < n; i++) order[i] = i;
    std::stable_sort(order, order + n, [data](int64_t a, int64_t b) { return less(data[a], data[b]); });
    return XPU_OK;
}

} // namespace

xpu_status sort_line(int dtype, bool stable, const char *src, char *dst, int64_t n) {
    const SortFn sort = numpy_sort(dtype, stable);
    void *array = numpy_dummy_array(dtype);
    const int size = item_size(dtype);
    int rounds = 0;
    while (2 << rounds <= usable_threads() && n >> (rounds + 1) >= kPiece) rounds++;
    if (rounds == 0) {
        if (src != dst) memcpy(dst, src, n * size);
        if (n > 1) sort(dst, n, array);
        return XPU_OK;
    }
    Temp spare(n * size);
    if (!spare.ptr) return fail(XPU_OUT_OF_MEMORY, "no memory for a merge");
    const int pieces = 1 << rounds;
    char *start = rounds % 2 ? spare.as<char>() : dst, *other = rounds % 2 ? dst : spare.as<char>(); /* so that it ends in dst */
    parallel(pieces, 1, [&](int64_t b, int64_t e, int) {
        for (; b < e; b++) {
            int64_t from = n * b / pieces, count = n * (b + 1) / pieces - from;
            if (src != start) memcpy(start + from * size, src + from * size, count * size);
            sort(start + from * size, count, array);
        }
    });
    merge_fn(dtype)(start, other, n, pieces);
    return XPU_OK;
}

xpu_status argsort_line(int dtype, const char *data, int64_t n, int64_t *order) {
    typedef xpu_status (*Fn)(const char *, int64_t, int64_t *);
    static const Fn table[] = {argsort_keys<uint8_t>, argsort_keys<int8_t>, argsort_keys<uint8_t>, argsort_keys<int16_t>,
                               argsort_keys<uint16_t>, argsort_keys<int32_t>, argsort_keys<uint32_t>, argsort_keys<int64_t>,
                               argsort_keys<uint64_t>, argsort_keys<Half>, argsort_keys<float>, argsort_keys<double>,
                               argsort_complex<float>, argsort_complex<double>};
    return table[dtype](data, n, order);
}

} // namespace host
