/* Sorting: lines of a tensor, and the order of elements. */
#ifndef HOST_SORT_H
#define HOST_SORT_H

#include <complex>

#include "reduce.h"

namespace host {

struct Half {
    uint16_t bits;
};
inline int half_order(Half h) { return h.bits & 0x8000 ? -(h.bits & 0x7fff) : h.bits; } /* -0 equals 0 */

/* NumPy's order: NaN last, complex by real part, then by imaginary part */
template <class T> inline bool is_nan(T) { return false; }
inline bool is_nan(float v) { return v != v; }
inline bool is_nan(double v) { return v != v; }
inline bool is_nan(Half h) { return (h.bits & 0x7fff) > 0x7c00; }
template <class T> inline bool is_nan(std::complex<T> v) { return v.real() != v.real() || v.imag() != v.imag(); }
template <class T> inline bool less(T a, T b) { return a < b; }
inline bool less(float a, float b) { return (a < b) | ((b != b) & (a == a)); } /* no branches: merges run on it */
inline bool less(double a, double b) { return (a < b) | ((b != b) & (a == a)); }
inline bool less(Half a, Half b) { return is_nan(b) ? !is_nan(a) : !is_nan(a) && half_order(a) < half_order(b); }
template <class T> inline bool less(std::complex<T> a, std::complex<T> b) {
    const T ar = a.real(), ai = a.imag(), br = b.real(), bi = b.imag();
    if (ar < br) return ai == ai || bi != bi;
    if (ar > br) return bi != bi && ai == ai;
    if (ar == br || (ar != ar && br != br)) return ai < bi || (bi != bi && ai == ai);
    return br != br;
}

/* Sorts n contiguous elements of src (which may be dst) into dst, on all threads when that pays. */
xpu_status sort_line(int dtype, bool stable, const char *src, char *dst, int64_t n);
/* Copies n elements and puts each kth (non-negative, ascending) where sorting puts it, smaller ones before, larger ones after. */
xpu_status partition_line(int dtype, const char *src, char *dst, int64_t n, const int64_t *kth, int nkth);
/* order[i]: index of the i-th smallest; equal elements keep their order */
xpu_status argsort_line(int dtype, const char *data, int64_t n, int64_t *order);

/* The lines of a tensor along an axis, and of a second one of equal outer shape. */
struct LinePlan {
    int64_t n, in_stride, out_stride, count;
    int nother;
    ReduceAxis other[XPU_MAX_NDIM];
};
LinePlan plan_sort_lines(const xpu_tensor *in, const xpu_tensor *out, int axis);

} // namespace host
#endif
