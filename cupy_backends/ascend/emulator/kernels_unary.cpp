/* Elementwise operators of one tensor. */
#include "kernels.h"

using namespace emu;

namespace {

aclnnStatus unary(Plan &plan, aclDataType compute, aclDataType result, ArrayKernel kernel)
{
    EMU_REQUIRE(same_dims(plan, 0, 1), "the shapes differ");
    return elementwise(plan, {0}, 1, compute, result, std::move(kernel));
}

/* T -> T over a list of types; the dtype is the argument's own, or FLOAT for integers where `widen` is set. */
template <class List, class F> aclnnStatus unary_same(Plan &plan, List list, bool widen, F f)
{
    aclDataType dtype = widen ? float_for(plan.arg(0).dtype) : plan.arg(0).dtype;
    if (!(bits_of(list) & bit(dtype))) return not_supported(plan, "self", dtype);
    return unary(plan, dtype, dtype, [=](Arrays &in, Array &out) {
        with(list, dtype, [&](auto tag) {
            using T = typename decltype(tag)::type;
            map1<T, T>(in[0], out, f);
        });
    });
}

/* T -> BOOL */
template <class List, class F> aclnnStatus unary_test(Plan &plan, List list, F f)
{
    aclDataType dtype = plan.arg(0).dtype;
    if (!(bits_of(list) & bit(dtype))) return not_supported(plan, "self", dtype);
    return unary(plan, dtype, ACL_BOOL, [=](Arrays &in, Array &out) {
        with(list, dtype, [&](auto tag) { map1<typename decltype(tag)::type, Bool>(in[0], out, f); });
    });
}

/* Beyond 1e7 single precision is not assured: the argument is reduced with a short 2 pi. */
float reduced(float x) { return std::fabs(x) <= 1e7f || std::isinf(x) ? x : x - std::nearbyint(x / 6.2831855f) * 6.2831855f; }
template <class T> T reduced(T x) { return x; }

template <class T> T log_base(T x, double base)
{
    if constexpr (is_complex<T>) return std::log(x) / T(typename T::value_type(std::log(base)));
    else return base == 2 ? std::log2(x) : std::log10(x);
}

aclDataType real_part(aclDataType dtype)
{
    if (dtype == ACL_COMPLEX32) return ACL_FLOAT16;
    return dtype == ACL_COMPLEX64 ? ACL_FLOAT : dtype == ACL_COMPLEX128 ? ACL_DOUBLE : dtype;
}

template <class T> T sign_of(T v)
{
    if constexpr (is_complex<T>) return v == T(0) ? T(0) : v / std::abs(v);
    else if constexpr (std::is_same_v<T, bool>) return v;
    else return is_nan(v) ? v : T((v > T(0)) - (v < T(0)));
}

} // namespace

#define UNARY_OP(NAME, TYPES, WIDEN, EXPRESSION)                                                          \
    EMU_OP(NAME, (const aclTensor *self, aclTensor *out), (self, out))                                    \
    {                                                                                                     \
        return unary_same(plan, TYPES(), WIDEN, [](auto x) { return decltype(x)(EXPRESSION); });          \
    }

UNARY_OP(Exp, Inexacts, true, std::exp(x))
UNARY_OP(Log, Inexacts, true, std::log(x))
UNARY_OP(Log10, Inexacts, true, log_base(x, 10))
UNARY_OP(Sin, Inexacts, true, std::sin(reduced(x)))
UNARY_OP(Cos, Inexacts, true, std::cos(reduced(x)))
UNARY_OP(Tan, Inexacts, true, std::tan(x))
UNARY_OP(Sinh, Inexacts, true, std::sinh(x))
UNARY_OP(Cosh, Floats, true, std::cosh(x))
UNARY_OP(Tanh, Floats, true, std::tanh(x))
UNARY_OP(Asin, Floats, true, std::asin(x))
UNARY_OP(Acos, Floats, true, std::acos(x))
UNARY_OP(Atan, Floats, true, std::atan(x))
UNARY_OP(Asinh, Floats, true, std::asinh(x))
UNARY_OP(Acosh, Floats, true, std::acosh(x))
UNARY_OP(Atanh, Floats, true, std::atanh(x))
UNARY_OP(Exp2, Floats, true, std::exp2(x))
UNARY_OP(Expm1, Floats, true, std::expm1(x))
UNARY_OP(Log1p, Floats, true, std::log1p(x))
UNARY_OP(Reciprocal, Inexacts, true, decltype(x)(1) / x)
UNARY_OP(Rsqrt, Inexacts, true, decltype(x)(1) / std::sqrt(x))
UNARY_OP(Trunc, Floats, false, std::trunc(x))
UNARY_OP(Ceil, Floats, false, std::ceil(x))
UNARY_OP(Floor, Reals, false, std::is_integral_v<decltype(x)> ? x : decltype(x)(std::floor(x)))
UNARY_OP(Round, Reals, false, std::is_integral_v<decltype(x)> ? x : decltype(x)(std::nearbyint(x) + 0))
UNARY_OP(Sign, All, false, sign_of(x))
UNARY_OP(Neg, Numbers, false, negative(x))
UNARY_OP(BitwiseNot, Bits, false, (std::is_same_v<decltype(x), bool> ? uint64_t(!x) : ~uint64_t(x)))

/* INT64 goes through DOUBLE. */
EMU_OP(Sqrt, (const aclTensor *self, aclTensor *out), (self, out))
{
    if (plan.arg(0).dtype != ACL_INT64) return unary_same(plan, Inexacts(), true, [](auto x) { return std::sqrt(x); });
    return unary(plan, ACL_DOUBLE, ACL_DOUBLE, [](Arrays &in, Array &out) {
        map1<double, double>(in[0], out, [](double x) { return std::sqrt(x); });
    });
}

EMU_OP(Log2, (const aclTensor *self, const aclTensor *out), (self, out))
{
    return unary_same(plan, Inexacts(), true, [](auto x) { return log_base(x, 2); });
}

EMU_OP(Abs, (const aclTensor *self, aclTensor *out), (self, out))
{
    aclDataType dtype = plan.arg(0).dtype;
    aclDataType result = real_part(dtype);
    return unary(plan, dtype, result, [=](Arrays &in, Array &out) {
        with(All(), dtype, [&](auto tag) {
            using T = typename decltype(tag)::type;
            using V = ValueOf<T>;
            if constexpr (std::is_same_v<T, HalfPair>) map1<T, Half>(in[0], out, [](V x) { return std::abs(x); });
            else if constexpr (is_complex<V>) map1<T, typename V::value_type>(in[0], out, [](V x) { return std::abs(x); });
            else if constexpr (is_floating<V>) map1<T, T>(in[0], out, [](V x) { return std::fabs(x); });
            else map1<T, T>(in[0], out, [](V x) { return x < V(0) ? minus(V(0), x) : x; });
        });
    });
}

EMU_OP(LogicalNot, (const aclTensor *self, aclTensor *out), (self, out))
{
    return unary(plan, ACL_BOOL, ACL_BOOL, [](Arrays &in, Array &out) { map1<Bool, Bool>(in[0], out, [](bool v) { return !v; }); });
}

EMU_OP(IsFinite, (const aclTensor *self, aclTensor *out), (self, out))
{
    return unary_test(plan, Floats(), [](auto x) { return bool(std::isfinite(x)); });
}

EMU_OP(IsInf, (const aclTensor *x, const aclTensor *out), (x, out))
{
    return unary_test(plan, Comparables(), [](auto v) {
        if constexpr (is_floating<decltype(v)>) return bool(std::isinf(v));
        else return false;
    });
}

EMU_OP(Signbit, (const aclTensor *self, aclTensor *out), (self, out))
{
    return unary_test(plan, Comparables(), [](auto v) {
        if constexpr (is_floating<decltype(v)>) return bool(std::signbit(v));
        else return v < decltype(v)(0);
    });
}

EMU_OP(Real, (const aclTensor *self, aclTensor *out), (self, out))
{
    aclDataType dtype = plan.arg(0).dtype;
    aclDataType result = real_part(dtype);
    EMU_REQUIRE(plan.arg(1).dtype == result, "the output is not %s", dtype_name(result));
    return unary(plan, dtype, result, [](Arrays &in, Array &out) { convert(in[0].view(), out.view()); });
}
