/* partition: a sample tells between which values the kth ones lie, one pass sets these apart, what is left of them is sorted. */
#include "sort.h"

#include <algorithm>

namespace host {
namespace {

constexpr int64_t kSmall = 2048; /* shorter lines are sorted */
constexpr int64_t kSample = 1024;

/* Comparisons with a bound that is not NaN: NaN is above. */
template <class T> inline bool is_below(T v, T low) { return less(v, low); }
template <class T> inline bool is_above(T v, T high) { return less(high, v); }
inline bool is_below(float v, float low) { return v < low; }
inline bool is_above(float v, float high) { return !(v <= high); }
inline bool is_below(double v, double low) { return v < low; }
inline bool is_above(double v, double high) { return !(v <= high); }

/* Elements below low, within [low, high], above high, in this order; scratch holds n. Returns the sizes of the first two. */
template <class T>
void three_way(T *data, int64_t n, T low, T high, bool any_below, bool any_above, T *scratch, int64_t *below, int64_t *within) {
    int64_t lows = 0, mids = 0, highs = 0;
    for (int64_t i = 0; i < n; i++) { /* no branches; lows never overtake i */
        const T v = data[i];
        const bool is_low = any_below & is_below(v, low), is_high = any_above & is_above(v, high);
        scratch[mids] = v;
        scratch[n - 1 - highs] = v;
        data[lows] = v;
        lows += is_low;
        highs += is_high;
        mids += !(is_low | is_high);
    }
    std::copy(scratch, scratch + mids, data + lows);
    std::copy(scratch + n - highs, scratch + n, data + lows + mids);
    *below = lows;
    *within = mids;
}

/* Places the elements from first to last. */
template <class T> xpu_status select(int dtype, T *data, int64_t n, int64_t first, int64_t last, T *scratch) {
    while (n > kSmall && last - first < n / 8) {
        T sample[kSample];
        for (int64_t i = 0; i < kSample; i++) sample[i] = data[(2 * i + 1) * n / (2 * kSample)];
        numpy_sort(dtype, false)(sample, kSample, numpy_dummy_array(dtype));
        const int64_t margin = 56; /* 3.5 standard deviations of a rank in the sample */
        const int64_t low = first * kSample / n - margin, high = last * kSample / n + 1 + margin;
        const bool any_below = low > 0, any_above = high < kSample - 1;
        const T bottom = sample[std::max<int64_t>(low, 0)], top = sample[std::min(high, kSample - 1)];
        if (is_nan(bottom) || is_nan(top)) break; /* mostly NaN */
        int64_t below, within;
        three_way(data, n, bottom, top, any_below, any_above, scratch, &below, &within);
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
    return sort_line(dtype, false, reinterpret_cast<char *>(data), reinterpret_cast<char *>(data), n);
}

template <class T> xpu_status partition(int dtype, char *data, int64_t n, const int64_t *kth, int nkth) {
    const int64_t first = *std::min_element(kth, kth + nkth), last = *std::max_element(kth, kth + nkth);
    Temp scratch(n * sizeof(T));
    if (!scratch.ptr) return fail(XPU_OUT_OF_MEMORY, "no memory for a partition");
    return select(dtype, reinterpret_cast<T *>(data), n, first, last, scratch.as<T>());
}

} // namespace

xpu_status partition_line(int dtype, char *data, int64_t n, const int64_t *kth, int nkth) {
    typedef xpu_status (*Fn)(int, char *, int64_t, const int64_t *, int);
    static const Fn table[] = {partition<uint8_t>, partition<int8_t>, partition<uint8_t>, partition<int16_t>, partition<uint16_t>,
                               partition<int32_t>, partition<uint32_t>, partition<int64_t>, partition<uint64_t>, partition<Half>,
                               partition<float>, partition<double>, partition<std::complex<float>>, partition<std::complex<double>>};
    if (n <= kSmall || nkth == 0) return sort_line(dtype, false, data, data, n);
    return table[dtype](dtype, data, n, kth, nkth);
}

} // namespace host
