/* partition: a sample tells between which values the kth ones lie, one pass sets these apart, what is left of them is sorted. */
#include "sort.h"

#include <algorithm>
#if defined(__x86_64__)
#include <immintrin.h>
#define AVX512 __attribute__((target("avx512f")))
#endif

namespace host {
namespace {

constexpr int64_t kSmall = 256; /* shorter lines are sorted */
constexpr int64_t kMostSamples = 1024;
constexpr int64_t kVector = 64; /* bytes that may be written behind what is there */

/* Comparisons with a bound that is not NaN: NaN is above. */
template <class T> inline bool is_below(T v, T low) { return less(v, low); }
template <class T> inline bool is_above(T v, T high) { return less(high, v); }
inline bool is_below(float v, float low) { return v < low; }
inline bool is_above(float v, float high) { return !(v <= high); }
inline bool is_below(double v, double low) { return v < low; }
inline bool is_above(double v, double high) { return !(v <= high); }

/* The state of a pass that sets elements apart: those below stay in front of the data, the others go to buffers. */
template <class T> struct Pass {
    const T *from;             /* read here: the data, or what is partitioned into it */
    T *data;
    int64_t n;
    T low, high;
    bool any_below, any_above; /* may there be any? */
    T *within, *above;         /* buffers of n items and a vector */
    int64_t done = 0, nbelow = 0, nwithin = 0, nabove = 0;
};

template <class T> void set_apart(Pass<T> *p) {
    Pass<T> s = *p;
    for (; s.done < s.n; s.done++) { /* no branches; those below never overtake it */
        const T v = s.from[s.done];
        const bool is_low = s.any_below & is_below(v, s.low), is_high = s.any_above & is_above(v, s.high);
        s.within[s.nwithin] = v;
        s.above[s.nabove] = v;
        s.data[s.nbelow] = v;
        s.nbelow += is_low;
        s.nabove += is_high;
        s.nwithin += !(is_low | is_high);
    }
    *p = s;
}

#if defined(__x86_64__)
AVX512 inline int cut(__m512i v, float low, float high, int *above) {
    *above = _mm512_cmp_ps_mask(_mm512_castsi512_ps(v), _mm512_set1_ps(high), _CMP_NLE_UQ);
    return _mm512_cmp_ps_mask(_mm512_castsi512_ps(v), _mm512_set1_ps(low), _CMP_LT_OQ);
}
AVX512 inline int cut(__m512i v, double low, double high, int *above) {
    *above = _mm512_cmp_pd_mask(_mm512_castsi512_pd(v), _mm512_set1_pd(high), _CMP_NLE_UQ);
    return _mm512_cmp_pd_mask(_mm512_castsi512_pd(v), _mm512_set1_pd(low), _CMP_LT_OQ);
}
#define INTEGER_CUT(T, S, set1, compare)                                         \
    AVX512 inline int cut(__m512i v, T low, T high, int *above) {                \
        *above = compare(v, set1(static_cast<S>(high)), _MM_CMPINT_NLE);         \
        return compare(v, set1(static_cast<S>(low)), _MM_CMPINT_LT);             \
    }
INTEGER_CUT(int32_t, int, _mm512_set1_epi32, _mm512_cmp_epi32_mask)
INTEGER_CUT(uint32_t, int, _mm512_set1_epi32, _mm512_cmp_epu32_mask)
INTEGER_CUT(int64_t, long long, _mm512_set1_epi64, _mm512_cmp_epi64_mask)
INTEGER_CUT(uint64_t, long long, _mm512_set1_epi64, _mm512_cmp_epu64_mask)

/* Stores the chosen items side by side; returns how many. What follows them in memory is overwritten up to a vector's end. */
template <int Size> AVX512 inline int64_t put(void *to, __m512i v, int chosen) {
    _mm512_storeu_si512(to, Size == 4 ? _mm512_maskz_compress_epi32(static_cast<__mmask16>(chosen), v)
                                      : _mm512_maskz_compress_epi64(static_cast<__mmask8>(chosen), v));
    return __builtin_popcount(chosen);
}

template <class T> AVX512 void set_apart_wide(Pass<T> *p) {
    constexpr int kLanes = kVector / sizeof(T), kAll = (1 << kLanes) - 1;
    Pass<T> s = *p;
    const int may_below = s.any_below ? kAll : 0, may_above = s.any_above ? kAll : 0;
    for (; s.done + kLanes <= s.n; s.done += kLanes) {
        __builtin_prefetch(s.from + s.done + 2048 / sizeof(T));
        const __m512i v = _mm512_loadu_si512(s.from + s.done);
        int above, below = cut(v, s.low, s.high, &above) & may_below;
        above &= may_above;
        s.nbelow += put<sizeof(T)>(s.data + s.nbelow, v, below);
        s.nabove += put<sizeof(T)>(s.above + s.nabove, v, above);
        s.nwithin += put<sizeof(T)>(s.within + s.nwithin, v, kAll & ~(below | above));
    }
    *p = s;
}
#endif

/* Elements below low, within [low, high], above high, in this order. scratch holds 2 n items and two vectors. Returns the sizes of the
 * first two. */
template <class T>
void three_way(const T *from, T *data, int64_t n, T low, T high, bool any_below, bool any_above, T *scratch, int64_t *below,
               int64_t *within) {
    Pass<T> p{from, data, n, low, high, any_below, any_above, scratch, scratch + n + kVector / sizeof(T)};
#if defined(__x86_64__)
    if constexpr (std::is_arithmetic<T>::value && sizeof(T) >= 4)
        if (__builtin_cpu_supports("avx512f")) set_apart_wide(&p);
#endif
    set_apart(&p);
    std::copy(p.within, p.within + p.nwithin, data + p.nbelow);
    std::copy(p.above, p.above + p.nabove, data + p.nbelow + p.nwithin);
    *below = p.nbelow;
    *within = p.nwithin;
}

/* Places the elements from first to last. from: where the data is copied from in the first pass, nullptr if it is there already */
template <class T> xpu_status select(int dtype, const T *from, T *data, int64_t n, int64_t first, int64_t last, T *scratch) {
    while (n > kSmall && last - first < n / 8) {
        T sample[kMostSamples];
        const int64_t samples = n >= 16 * kMostSamples ? kMostSamples : n >= 4 * kMostSamples ? kMostSamples / 4 : kMostSamples / 16;
        for (int64_t i = 0; i < samples; i++) sample[i] = (from ? from : data)[(2 * i + 1) * n / (2 * samples)];
        numpy_sort(dtype, false)(sample, samples, numpy_dummy_array(dtype));
        const int64_t margin = samples == kMostSamples ? 56 : samples == kMostSamples / 4 ? 28 : 14; /* 3.5 deviations of a rank */
        const int64_t low = first * samples / n - margin, high = last * samples / n + 1 + margin;
        const bool any_below = low > 0, any_above = high < samples - 1;
        const T bottom = sample[std::max<int64_t>(low, 0)], top = sample[std::min(high, samples - 1)];
        if (is_nan(bottom) || is_nan(top)) break; /* mostly NaN */
        int64_t below, within;
        three_way(from ? from : data, data, n, bottom, top, any_below, any_above, scratch, &below, &within);
        from = nullptr;
        if (first >= below && last < below + within) {
            if (any_below && any_above && !less(bottom, top)) return XPU_OK; /* all within are equal */
            data += below;
            first -= below;
            last -= below;
            if (within == n) break; /* the sample told nothing */
            n = within;
        } else if (last < below) {
            n = below;
        } else if (first >= below + within) {
            data += below + within;
            first -= below + within;
            last -= below + within;
            n -= below + within;
        } else {
            break; /* they lie on both sides of a border */
        }
    }
    return sort_line(dtype, false, reinterpret_cast<const char *>(from ? from : data), reinterpret_cast<char *>(data), n);
}

template <class T> xpu_status partition(int dtype, const char *from, char *data, int64_t n, const int64_t *kth, int nkth) {
    const int64_t first = *std::min_element(kth, kth + nkth), last = *std::max_element(kth, kth + nkth);
    Temp scratch(2 * (n * sizeof(T) + kVector));
    if (!scratch.ptr) return fail(XPU_OUT_OF_MEMORY, "no memory for a partition");
    return select(dtype, reinterpret_cast<const T *>(from), reinterpret_cast<T *>(data), n, first, last, scratch.as<T>());
}

} // namespace

xpu_status partition_line(int dtype, const char *src, char *dst, int64_t n, const int64_t *kth, int nkth) {
    typedef xpu_status (*Fn)(int, const char *, char *, int64_t, const int64_t *, int);
    static const Fn table[] = {partition<uint8_t>, partition<int8_t>, partition<uint8_t>, partition<int16_t>, partition<uint16_t>,
                               partition<int32_t>, partition<uint32_t>, partition<int64_t>, partition<uint64_t>, partition<Half>,
                               partition<float>, partition<double>, partition<std::complex<float>>, partition<std::complex<double>>};
    if (n <= kSmall || nkth == 0) return sort_line(dtype, false, src, dst, n);
    return table[dtype](dtype, src, dst, n, kth, nkth);
}

} // namespace host
