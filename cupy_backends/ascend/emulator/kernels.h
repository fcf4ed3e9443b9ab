/* What the operators' kernels share: arrays in the compute dtype, dispatch over dtypes, and the plans of common shapes.
 * A kernel loads its operands (cast, broadcast, contiguous), loops plainly, and stores the result in the view of the output. */
#ifndef EMU_KERNELS_H
#define EMU_KERNELS_H

#include <cmath>
#include <limits>
#include <type_traits>

#include "core.h"

namespace emu {

struct Bool { uint8_t byte; };
struct HalfPair { uint16_t real, imag; }; /* COMPLEX32 */
using Complex64 = std::complex<float>;
using Complex128 = std::complex<double>;

/* How an element in memory is read and written; Value is the type one computes with. */
template <class T> struct Element {
    using Value = T;
    static T get(T v) { return v; }
    static T put(T v) { return v; }
};
template <> struct Element<Bool> {
    using Value = bool;
    static bool get(Bool v) { return v.byte != 0; }
    static Bool put(bool v) { return {uint8_t(v)}; }
};
template <> struct Element<Half> {
    using Value = float;
    static float get(Half v) { return half_to_float(v.bits); }
    static Half put(float v) { return {float_to_half(v)}; }
};
template <> struct Element<Brain> {
    using Value = float;
    static float get(Brain v) { return brain_to_float(v.bits); }
    static Brain put(float v) { return {float_to_brain(v)}; }
};
template <> struct Element<HalfPair> {
    using Value = Complex64;
    static Complex64 get(HalfPair v) { return {half_to_float(v.real), half_to_float(v.imag)}; }
    static HalfPair put(Complex64 v) { return {float_to_half(v.real()), float_to_half(v.imag())}; }
};
template <class T> using ValueOf = typename Element<T>::Value;

template <class T> constexpr bool is_complex = false;
template <class T> constexpr bool is_complex<std::complex<T>> = true;
template <class T> constexpr bool is_floating = std::is_floating_point_v<T>;
template <class T> struct RealOf { using type = T; };
template <class T> struct RealOf<std::complex<T>> { using type = T; };

/* --- dispatch --- */
template <class... T> struct Types {};
template <class T> struct Tag { using type = T; };
template <class... A, class... B> Types<A..., B...> join(Types<A...>, Types<B...>);
using Ints = Types<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t>;
using Floats = Types<Half, Brain, float, double>;
using Complexes = Types<HalfPair, Complex64, Complex128>;
using Inexacts = decltype(join(Floats(), Complexes()));
using Reals = decltype(join(Ints(), Floats()));
using Numbers = decltype(join(Reals(), Complexes()));
using Comparables = decltype(join(Types<Bool>(), Reals()));
using Bits = decltype(join(Types<Bool>(), Ints()));
using All = decltype(join(Types<Bool>(), Numbers()));

template <class T> constexpr aclDataType dtype_of = ACL_DT_UNDEFINED;
template <> inline constexpr aclDataType dtype_of<Bool> = ACL_BOOL;
template <> inline constexpr aclDataType dtype_of<int8_t> = ACL_INT8;
template <> inline constexpr aclDataType dtype_of<uint8_t> = ACL_UINT8;
template <> inline constexpr aclDataType dtype_of<int16_t> = ACL_INT16;
template <> inline constexpr aclDataType dtype_of<uint16_t> = ACL_UINT16;
template <> inline constexpr aclDataType dtype_of<int32_t> = ACL_INT32;
template <> inline constexpr aclDataType dtype_of<uint32_t> = ACL_UINT32;
template <> inline constexpr aclDataType dtype_of<int64_t> = ACL_INT64;
template <> inline constexpr aclDataType dtype_of<uint64_t> = ACL_UINT64;
template <> inline constexpr aclDataType dtype_of<Half> = ACL_FLOAT16;
template <> inline constexpr aclDataType dtype_of<Brain> = ACL_BF16;
template <> inline constexpr aclDataType dtype_of<float> = ACL_FLOAT;
template <> inline constexpr aclDataType dtype_of<double> = ACL_DOUBLE;
template <> inline constexpr aclDataType dtype_of<HalfPair> = ACL_COMPLEX32;
template <> inline constexpr aclDataType dtype_of<Complex64> = ACL_COMPLEX64;
template <> inline constexpr aclDataType dtype_of<Complex128> = ACL_COMPLEX128;

/* Calls body(Tag<T>) for the type of `dtype`; false when it is not in the list. */
template <class... T, class Body> bool with(Types<T...>, aclDataType dtype, Body body)
{
    return ((dtype == dtype_of<T> && (body(Tag<T>()), true)) || ...);
}
template <class... T> constexpr uint64_t bits_of(Types<T...>) { return (bit(dtype_of<T>) | ...); }

constexpr bool is_int(aclDataType d) { return bits_of(Ints()) & bit(d); }
constexpr bool is_float(aclDataType d) { return bits_of(Floats()) & bit(d); }
constexpr bool is_complex_dtype(aclDataType d) { return bits_of(Complexes()) & bit(d); }

/* --- arrays --- */
struct Array {                           /* contiguous */
    aclDataType dtype = ACL_DT_UNDEFINED;
    Dims dims;
    std::vector<char> bytes;
    Array() = default;
    Array(aclDataType type, const Dims &shape) : dtype(type), dims(shape), bytes(size_t(count_of(shape)) * item_size(type)) {}
    int64_t count() const { return count_of(dims); }
    View view() { return {dtype, dims, contiguous_strides(dims), bytes.data()}; }
    template <class T> T *as() { return reinterpret_cast<T *>(bytes.data()); }
    template <class T> const T *as() const { return reinterpret_cast<const T *>(bytes.data()); }
    template <class T> ValueOf<T> get(int64_t i) const { return Element<T>::get(as<T>()[i]); }
    template <class T> void put(int64_t i, ValueOf<T> v) { as<T>()[i] = Element<T>::put(v); }
};

void convert(const View &from, const View &to);              /* equal shapes; CANN's casts */
Array load(const View &view, aclDataType dtype);
Array load(const View &view, aclDataType dtype, const Dims &dims); /* broadcast */
void store(Array &from, const View &to);                     /* same count: keepdim forms may differ in shape */
View scalar_view(const Scalar &scalar);                      /* 0-d; the scalar must outlive it */
View permuted(const View &view, const Dims &axes);
View part(const View &view, int64_t axis, int64_t start, int64_t length);
View fixed(const View &view, int64_t axis, int64_t index);   /* without the axis */
std::vector<int64_t> load_indices(const View &view);

/* Signed arithmetic that wraps. */
template <class T> T plus(T a, T b)
{
    if constexpr (std::is_same_v<T, bool>) return a || b;
    else if constexpr (std::is_integral_v<T>) return T(uint64_t(a) + uint64_t(b));
    else return a + b;
}
template <class T> T minus(T a, T b)
{
    if constexpr (std::is_same_v<T, bool>) return a != b;
    else if constexpr (std::is_integral_v<T>) return T(uint64_t(a) - uint64_t(b));
    else return a - b;
}
template <class T> T negative(T a)
{
    if constexpr (std::is_integral_v<T>) return minus(T(0), a);
    else return -a; /* 0 becomes -0 */
}
template <class T> T times(T a, T b)
{
    if constexpr (std::is_same_v<T, bool>) return a && b;
    else if constexpr (std::is_integral_v<T>) return T(uint64_t(a) * uint64_t(b));
    else return a * b;
}
template <class T> bool is_nan(T v)
{
    if constexpr (is_complex<T>) return std::isnan(v.real()) || std::isnan(v.imag());
    else if constexpr (is_floating<T>) return std::isnan(v);
    else return false;
}

/* --- plans --- */
struct Operand {                         /* a tensor argument, or a scalar */
    int position = -1;
    Scalar scalar;
    Operand(int argument) : position(argument) {}
    Operand(const Scalar &value) : scalar(value) {}
};
using Operands = std::vector<Operand>;
using Arrays = std::vector<Array>;
using ArrayKernel = std::function<void(Arrays &ins, Array &out)>;

/* The operands are broadcast and cast to `compute`; the kernel's result has the dtype `result` and is cast to the output's. */
aclnnStatus elementwise(Plan &plan, const Operands &ins, int out, aclDataType compute, aclDataType result, ArrayKernel kernel);
aclnnStatus not_supported(Plan &plan, const char *what, aclDataType dtype);
bool rank_fits_broadcast(aclDataType dtype, const std::vector<const Dims *> &shapes, const Dims &out);
aclDataType promoted(const Plan &plan, int a, int b);
aclDataType float_for(aclDataType dtype); /* integers and BOOL compute in FLOAT */
bool same_dims(const Plan &plan, int a, int b);

template <class T, class R, class F> void map1(const Array &a, Array &r, F f)
{
    for (int64_t i = 0, n = r.count(); i < n; ++i) r.put<R>(i, f(a.get<T>(i)));
}
template <class T, class R, class F> void map2(const Array &a, const Array &b, Array &r, F f)
{
    for (int64_t i = 0, n = r.count(); i < n; ++i) r.put<R>(i, f(a.get<T>(i), b.get<T>(i)));
}

} // namespace emu
#endif
