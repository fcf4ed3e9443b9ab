/* Elementwise operators of two tensors, or of a tensor and a scalar. */
#include "kernels.h"

#include <numeric>

using namespace emu;

namespace {

/* T, T -> T (or R) over a list of types; `inputs` are the dtypes a promotion may end in. */
template <class List, class F> aclnnStatus binary_as(Plan &plan, const Operands &ins, int out, aclDataType compute, List list, F f)
{
    EMU_REQUIRE(compute != ACL_DT_UNDEFINED, "the dtypes do not promote");
    if (!(bits_of(list) & bit(compute))) return not_supported(plan, "the promoted dtype", compute);
    return elementwise(plan, ins, out, compute, compute, [=](Arrays &in, Array &made) {
        with(list, compute, [&](auto tag) {
            using T = typename decltype(tag)::type;
            map2<T, T>(in[0], in[1], made, f);
        });
    });
}

template <class List, class F> aclnnStatus binary_test(Plan &plan, const Operands &ins, int out, aclDataType compute, List list, F f)
{
    EMU_REQUIRE(compute != ACL_DT_UNDEFINED, "the dtypes do not promote");
    if (!(bits_of(list) & bit(compute))) return not_supported(plan, "the promoted dtype", compute);
    return elementwise(plan, ins, out, compute, ACL_BOOL, [=](Arrays &in, Array &made) {
        with(list, compute, [&](auto tag) { map2<typename decltype(tag)::type, Bool>(in[0], in[1], made, f); });
    });
}

/* The promoted dtype must be one that the operator takes itself. */
aclDataType accepted(const Plan &plan, const char *op)
{
    aclDataType dtype = promoted(plan, 0, 1);
    const ParamRule *rule = find_rule(op, 0);
    return dtype != ACL_DT_UNDEFINED && (!rule || (rule->dtypes & bit(dtype))) ? dtype : ACL_DT_UNDEFINED;
}

template <class V> V as_value(const Scalar &s)
{
    Array made(s.dtype, {});
    memcpy(made.bytes.data(), s.bytes, made.bytes.size());
    if constexpr (std::is_same_v<V, float>) return load(made.view(), ACL_FLOAT).get<float>(0);
    else if constexpr (std::is_same_v<V, bool>) return load(made.view(), ACL_BOOL).get<Bool>(0);
    else return load(made.view(), dtype_of<V>).template get<V>(0);
}

/* Integers by an aclScalar may pass through FLOAT: exact up to 2^24 only. */
template <class V> V lossy(V v)
{
    if constexpr (std::is_integral_v<V> && sizeof(V) >= 4) return V(float(v) >= std::ldexp(1.0f, int(sizeof(V)) * 8 - 1) ? v : V(float(v)));
    else return v;
}

enum Sum { kAdd, kSub, kReverse };

aclnnStatus add_scaled(Plan &plan, const Operands &ins, int out, aclDataType dtype, const Scalar &alpha, Sum form, bool by_scalar)
{
    EMU_REQUIRE(dtype != ACL_DT_UNDEFINED, "the dtypes do not promote");
    EMU_REQUIRE(!(alpha.is_complex() && !is_complex_dtype(dtype)), "a complex alpha with %s", dtype_name(dtype));
    EMU_REQUIRE(!(alpha.is_float() && dtype == ACL_BOOL), "a float alpha with BOOL operands");
    return elementwise(plan, ins, out, dtype, dtype, [=](Arrays &in, Array &made) {
        with(All(), dtype, [&](auto tag) {
            using T = typename decltype(tag)::type;
            using V = ValueOf<T>;
            V a = as_value<V>(alpha);
            bool plain = alpha.complex() == 1.0; /* nothing is multiplied then: complex infinities stay */
            auto scaled = [=](V v) { return plain ? v : times(a, v); };
            map2<T, T>(in[0], in[1], made, [=](V x, V y) {
                if (by_scalar) y = lossy(y);
                if (form == kReverse) return minus(y, scaled(x));
                return form == kAdd ? plus(x, scaled(y)) : minus(x, scaled(y));
            });
        });
    });
}

#define PAIR (const aclTensor *self, const aclTensor *other, aclTensor *out)
#define WITH_SCALAR (const aclTensor *self, const aclScalar *other, aclTensor *out)
#define SCALED (const aclTensor *self, const aclScalar *other, const aclScalar *alpha, aclTensor *out)

aclDataType scalar_promoted(const Plan &plan, const aclScalar *other) { return promote_scalar(plan.arg(0).dtype, other->dtype); }

} // namespace

EMU_OP(Add, (const aclTensor *self, const aclTensor *other, const aclScalar *alpha, aclTensor *out), (self, other, alpha, out))
{
    return add_scaled(plan, {0, 1}, 3, accepted(plan, "Add"), *alpha, kAdd, false);
}
EMU_OP(Sub, (const aclTensor *self, const aclTensor *other, const aclScalar *alpha, aclTensor *out), (self, other, alpha, out))
{
    return add_scaled(plan, {0, 1}, 3, accepted(plan, "Sub"), *alpha, kSub, false);
}
EMU_OP(Adds, SCALED, (self, other, alpha, out))
{
    return add_scaled(plan, {0, Scalar(*other)}, 3, scalar_promoted(plan, other), *alpha, kAdd, true);
}
EMU_OP(Subs, SCALED, (self, other, alpha, out))
{
    return add_scaled(plan, {0, Scalar(*other)}, 3, scalar_promoted(plan, other), *alpha, kSub, true);
}
EMU_OP(Rsubs, SCALED, (self, other, alpha, out))
{
    return add_scaled(plan, {0, Scalar(*other)}, 3, scalar_promoted(plan, other), *alpha, kReverse, true);
}

EMU_OP(Mul, PAIR, (self, other, out))
{
    return binary_as(plan, {0, 1}, 2, accepted(plan, "Mul"), All(), [](auto x, auto y) { return times(x, y); });
}

EMU_OP(Muls, WITH_SCALAR, (self, other, out))
{
    return binary_as(plan, {0, Scalar(*other)}, 2, scalar_promoted(plan, other), All(), [](auto x, auto y) {
        using V = decltype(x);
        if constexpr (std::is_integral_v<V> && sizeof(V) >= 4) return times(lossy(x), lossy(y));
        else return times(x, y);
    });
}

/* --- division --- */
namespace {

struct Divide {
    template <class V> V operator()(V x, V y) const { return x / y; }
};

template <class V> V int_by_zero(V x) { return choice("integer division by zero", 2) ? x : V(-1); }

struct FloorDiv {
    template <class V> V operator()(V x, V y) const
    {
        if constexpr (is_floating<V>) return std::floor(x / y);
        else if (y == V(0)) return int_by_zero(x);
        else if (std::is_signed_v<V> && y == V(-1)) return minus(V(0), x);
        else return V(x / y - (x % y != 0 && (x < V(0)) != (y < V(0))));
    }
};

struct TruncDiv {
    template <class V> V operator()(V x, V y) const
    {
        if constexpr (is_floating<V>) return std::trunc(x / y);
        else return y == V(0) ? int_by_zero(x) : std::is_signed_v<V> && y == V(-1) ? minus(V(0), x) : V(x / y);
    }
};

struct Remainder {
    template <class V> V operator()(V x, V y) const
    {
        if constexpr (is_floating<V>) {
            V r = std::fmod(x, y);
            return r != 0 && (r < 0) != (y < 0) ? r + y : r;
        } else {
            if (y == V(0)) return x;
            if (std::is_signed_v<V> && y == V(-1)) return 0;
            if constexpr (std::is_same_v<V, int32_t>) { /* assured within 2^24 only */
                if (std::fabs(double(x)) > 16777216 || std::fabs(double(y)) > 16777216)
                    return V(Remainder()(double(float(x)), double(float(y))));
            }
            V r = x % y;
            return r != 0 && (r < V(0)) != (y < V(0)) ? V(r + y) : r;
        }
    }
};

struct Fmod {
    template <class V> V operator()(V x, V y) const
    {
        if constexpr (is_floating<V>) return std::fmod(x, y);
        else return y == V(0) ? int_by_zero(x) : std::is_signed_v<V> && y == V(-1) ? V(0) : V(x % y);
    }
};

} // namespace

EMU_OP(Div, PAIR, (self, other, out)) { return binary_as(plan, {0, 1}, 2, float_for(accepted(plan, "Div")), Inexacts(), Divide()); }

EMU_OP(Divs, WITH_SCALAR, (self, other, out))
{
    return binary_as(plan, {0, Scalar(*other)}, 2, float_for(scalar_promoted(plan, other)), Inexacts(), Divide());
}

EMU_OP(FloorDivide, PAIR, (self, other, out))
{
    aclDataType dtype = accepted(plan, "FloorDivide");
    return binary_as(plan, {0, 1}, 2, dtype == ACL_BOOL ? ACL_FLOAT : dtype, Reals(), FloorDiv());
}

EMU_OP(DivMod, (const aclTensor *self, const aclTensor *other, int mode, aclTensor *out), (self, other, mode, out))
{
    aclDataType dtype = accepted(plan, "DivMod");
    EMU_REQUIRE(mode >= 0 && mode <= 2, "mode %d", mode);
    EMU_REQUIRE(dtype != ACL_DT_UNDEFINED && !(mode && is_complex_dtype(dtype)), "the dtypes do not fit the mode");
    if (mode == 2) return binary_as(plan, {0, 1}, 3, dtype == ACL_BOOL ? ACL_FLOAT : dtype, Reals(), FloorDiv());
    bool int32 = dtype == ACL_INT32 && plan.arg(0).dtype == ACL_INT32 && plan.arg(1).dtype == ACL_INT32;
    aclDataType compute = mode == 1 && int32 ? ACL_INT32 : dtype == ACL_DOUBLE ? ACL_FLOAT : float_for(dtype);
    if (mode == 0) return binary_as(plan, {0, 1}, 3, compute, Inexacts(), Divide());
    return elementwise(plan, {0, 1}, 3, compute, dtype, [=](Arrays &in, Array &made) {
        Array quotient(compute, made.dims);
        with(Reals(), compute, [&](auto tag) {
            using T = typename decltype(tag)::type;
            map2<T, T>(in[0], in[1], quotient, TruncDiv());
        });
        convert(quotient.view(), made.view());
    });
}

EMU_OP(RemainderTensorTensor, PAIR, (self, other, out))
{
    return binary_as(plan, {0, 1}, 2, accepted(plan, "RemainderTensorTensor"), Reals(), Remainder());
}

EMU_OP(FmodTensor, PAIR, (self, other, out)) { return binary_as(plan, {0, 1}, 2, accepted(plan, "FmodTensor"), Reals(), Fmod()); }

/* --- comparisons --- */
#define COMPARE_OP(NAME, TYPES, OPERATOR)                                                                                           \
    EMU_OP(NAME##Tensor, PAIR, (self, other, out))                                                                                  \
    {                                                                                                                               \
        return binary_test(plan, {0, 1}, 2, accepted(plan, #NAME "Tensor"), TYPES(), [](auto x, auto y) { return x OPERATOR y; });  \
    }                                                                                                                               \
    EMU_OP(NAME##Scalar, WITH_SCALAR, (self, other, out))                                                                           \
    {                                                                                                                               \
        aclDataType dtype = scalar_promoted(plan, other);                                                                           \
        return binary_test(plan, {0, Scalar(*other)}, 2, dtype, TYPES(), [](auto x, auto y) { return x OPERATOR y; });              \
    }
COMPARE_OP(Eq, All, ==)
COMPARE_OP(Ne, All, !=)
COMPARE_OP(Lt, Comparables, <)
COMPARE_OP(Le, Comparables, <=)
COMPARE_OP(Gt, Comparables, >)
COMPARE_OP(Ge, Comparables, >=)

/* --- logic and bits --- */
#define LOGICAL_OP(NAME, OPERATOR)                                                                         \
    EMU_OP(NAME, PAIR, (self, other, out))                                                                 \
    {                                                                                                      \
        EMU_REQUIRE(promoted(plan, 0, 1) != ACL_DT_UNDEFINED, "the dtypes do not promote");                \
        return binary_test(plan, {0, 1}, 2, ACL_BOOL, Types<Bool>(), [](bool x, bool y) { return x OPERATOR y; }); \
    }
LOGICAL_OP(LogicalAnd, &&)
LOGICAL_OP(LogicalOr, ||)
LOGICAL_OP(LogicalXor, !=)

#define BITWISE_OP(NAME, OPERATOR)                                                                         \
    EMU_OP(NAME, PAIR, (self, other, out))                                                                 \
    {                                                                                                      \
        return binary_as(plan, {0, 1}, 2, accepted(plan, #NAME), Bits(), [](auto x, auto y) { return decltype(x)(x OPERATOR y); }); \
    }
BITWISE_OP(BitwiseAndTensor, &)
BITWISE_OP(BitwiseOrTensor, |)
BITWISE_OP(BitwiseXorTensor, ^)

namespace {
/* A count outside of the width: all bits out, or the count's low bits. */
template <class V> bool usual_count(V &n)
{
    constexpr int width = int(sizeof(V)) * 8;
    if (n >= V(0) && uint64_t(n) < uint64_t(width)) return true;
    if (choice("shift count", 2) == 0) return false;
    n = V(uint64_t(n) % uint64_t(width));
    return true;
}
} // namespace

EMU_OP(LeftShift, (const aclTensor *self, const aclTensor *shiftBits, aclTensor *out), (self, shiftBits, out))
{
    return binary_as(plan, {0, 1}, 2, accepted(plan, "LeftShift"), Ints(), [](auto x, auto n) {
        using V = decltype(x);
        return usual_count(n) ? V(uint64_t(x) << n) : V(0);
    });
}

EMU_OP(RightShift, (const aclTensor *input, const aclTensor *shiftBits, aclTensor *out), (input, shiftBits, out))
{
    return binary_as(plan, {0, 1}, 2, accepted(plan, "RightShift"), Ints(), [](auto x, auto n) {
        using V = decltype(x);
        return usual_count(n) ? V(x >> n) : V(x < V(0) ? -1 : 0);
    });
}

/* --- extremes: NaN is passed on --- */
namespace {
struct Larger {
    template <class V> V operator()(V x, V y) const { return is_nan(x) ? x : is_nan(y) ? y : x == y ? (tied() ? y : x) : x > y ? x : y; }
    static bool tied() { return choice("maximum of zeros", 2); }
};
struct Smaller {
    template <class V> V operator()(V x, V y) const { return is_nan(x) ? x : is_nan(y) ? y : x == y ? (tied() ? y : x) : x < y ? x : y; }
    static bool tied() { return choice("minimum of zeros", 2); }
};

template <class Low, class High> aclnnStatus clamp(Plan &plan, const Operands &ins, int out, aclDataType dtype, bool low, bool high)
{
    EMU_REQUIRE(low || high, "both bounds are null");
    EMU_REQUIRE(dtype != ACL_DT_UNDEFINED, "the dtypes do not promote");
    if (!(bits_of(Reals()) & bit(dtype))) return not_supported(plan, "the promoted dtype", dtype);
    return elementwise(plan, ins, out, dtype, dtype, [=](Arrays &in, Array &made) {
        with(Reals(), dtype, [&](auto tag) {
            using T = typename decltype(tag)::type;
            for (int64_t i = 0, n = made.count(); i < n; ++i) {
                auto v = in[0].template get<T>(i);
                if (low) v = Low()(v, in[1].template get<T>(i));
                if (high) v = High()(v, in[low ? 2 : 1].template get<T>(i));
                made.put<T>(i, v);
            }
        });
    });
}
} // namespace

EMU_OP(Maximum, PAIR, (self, other, out)) { return binary_as(plan, {0, 1}, 2, accepted(plan, "Maximum"), Comparables(), Larger()); }
EMU_OP(Minimum, PAIR, (self, other, out)) { return binary_as(plan, {0, 1}, 2, accepted(plan, "Minimum"), Comparables(), Smaller()); }

EMU_OP(Clamp, (const aclTensor *self, const aclScalar *clipValueMin, const aclScalar *clipValueMax, aclTensor *out),
       (self, clipValueMin, clipValueMax, out))
{
    Operands ins = {0};
    aclDataType dtype = plan.arg(0).dtype;
    for (const aclScalar *bound : {clipValueMin, clipValueMax}) {
        if (!bound) continue;
        ins.push_back(Scalar(*bound));
        dtype = promote_scalar(dtype, bound->dtype);
    }
    return clamp<Larger, Smaller>(plan, ins, 3, dtype, clipValueMin, clipValueMax);
}

EMU_OP(ClampTensor, (const aclTensor *self, const aclTensor *clipValueMin, const aclTensor *clipValueMax, aclTensor *out),
       (self, clipValueMin, clipValueMax, out))
{
    aclDataType dtype = promote(promoted(plan, 0, 1), plan.arg(2).dtype);
    return clamp<Larger, Smaller>(plan, {0, 1, 2}, 3, dtype, true, true);
}

/* --- powers and the rest --- */
namespace {

struct Power {
    template <class V> V operator()(V x, V y) const
    {
        if constexpr (is_floating<V> || is_complex<V>) return std::pow(x, y);
        else {
            if (y < V(0)) return x == V(1) ? V(1) : x == V(-1) ? V(y % 2 ? -1 : 1) : V(0);
            V made = 1;
            for (; y != V(0); y = V(y >> 1), x = times(x, x))
                if (y & 1) made = times(made, x);
            return made;
        }
    }
};

bool fits(const Scalar &s, aclDataType dtype)
{
    bool ok = true;
    with(Ints(), dtype, [&](auto tag) {
        using V = typename decltype(tag)::type;
        ok = s.real() >= double(std::numeric_limits<V>::min()) && s.real() <= double(std::numeric_limits<V>::max());
    });
    if (dtype == ACL_FLOAT16) ok = std::fabs(s.real()) <= 65504 || std::isinf(s.real()) || std::isnan(s.real());
    return ok;
}

} // namespace

EMU_OP(PowTensorTensor, (const aclTensor *self, const aclTensor *exponent, aclTensor *out), (self, exponent, out))
{
    return binary_as(plan, {0, 1}, 2, accepted(plan, "PowTensorTensor"), Numbers(), Power());
}

EMU_OP(PowTensorScalar, (const aclTensor *self, const aclScalar *exponent, const aclTensor *out), (self, exponent, out))
{
    aclDataType dtype = scalar_promoted(plan, exponent);
    EMU_REQUIRE(dtype != ACL_DT_UNDEFINED, "the dtypes do not promote");
    EMU_REQUIRE(!(is_int(dtype) && exponent->real() < 0), "a negative exponent of integers");
    EMU_REQUIRE(fits(*exponent, dtype), "the exponent is out of the range of %s", dtype_name(dtype));
    if (dtype == ACL_INT8 && exponent->integer() == 2) { /* squares as INT32, narrowed by Cast */
        return elementwise(plan, {0}, 2, ACL_INT32, ACL_INT32, [](Arrays &in, Array &made) {
            map1<int32_t, int32_t>(in[0], made, [](int32_t x) { return x * x; });
        });
    }
    return binary_as(plan, {0, Scalar(*exponent)}, 2, dtype, Numbers(), Power());
}

EMU_OP(PowScalarTensor, (const aclScalar *self, const aclTensor *exponent, const aclTensor *out), (self, exponent, out))
{
    return binary_as(plan, {Scalar(*self), 1}, 2, promote_scalar(plan.arg(1).dtype, self->dtype), Numbers(), Power());
}

EMU_OP(Atan2, PAIR, (self, other, out))
{
    return binary_as(plan, {0, 1}, 2, float_for(accepted(plan, "Atan2")), Floats(), [](auto y, auto x) { return std::atan2(y, x); });
}

EMU_OP(Gcd, PAIR, (self, other, out))
{
    return binary_as(plan, {0, 1}, 2, accepted(plan, "Gcd"), Ints(), [](auto x, auto y) {
        using V = decltype(x);
        auto size = [](V v) { return v < V(0) ? uint64_t(0) - uint64_t(v) : uint64_t(v); };
        return V(std::gcd(size(x), size(y)));
    });
}

namespace {
/* No DOUBLE kernel: it is computed in FLOAT. */
aclDataType narrow_float(aclDataType dtype) { return dtype == ACL_DOUBLE ? ACL_FLOAT : float_for(dtype); }

template <class F> aclnnStatus log_add(Plan &plan, F f)
{
    return binary_as(plan, {0, 1}, 2, narrow_float(promoted(plan, 0, 1)), Floats(), [=](auto x, auto y) {
        using V = decltype(x);
        if (is_nan(x) || is_nan(y)) return V(x + y);
        V high = x > y ? x : y, low = x > y ? y : x;
        return std::isinf(high) ? high : V(high + f(low - high));
    });
}
} // namespace

EMU_OP(LogAddExp, PAIR, (self, other, out))
{
    return log_add(plan, [](auto d) { return std::log1p(std::exp(d)); });
}

EMU_OP(LogAddExp2, PAIR, (self, other, out))
{
    return log_add(plan, [](auto d) { return std::log1p(std::exp2(d)) * decltype(d)(1.4426950408889634); });
}

EMU_OP(Heaviside, (const aclTensor *input, const aclTensor *values, aclTensor *out), (input, values, out))
{
    EMU_REQUIRE(plan.arg(0).dtype == plan.arg(1).dtype, "the dtypes differ");
    return binary_as(plan, {0, 1}, 2, plan.arg(0).dtype, Floats(), [](auto x, auto v) {
        using V = decltype(x);
        return is_nan(x) ? x : x == V(0) ? v : V(x > V(0));
    });
}

EMU_OP(Complex, (const aclTensor *real, const aclTensor *imag, aclTensor *out), (real, imag, out))
{
    aclDataType dtype = plan.arg(0).dtype;
    aclDataType result = dtype == ACL_FLOAT ? ACL_COMPLEX64 : dtype == ACL_DOUBLE ? ACL_COMPLEX128 : ACL_COMPLEX32;
    EMU_REQUIRE(dtype == plan.arg(1).dtype, "the dtypes differ");
    EMU_REQUIRE(plan.arg(2).dtype == result, "the output is not %s", dtype_name(result));
    return elementwise(plan, {0, 1}, 2, dtype, result, [=](Arrays &in, Array &made) {
        size_t size = item_size(dtype);
        for (size_t i = 0, n = size_t(made.count()); i < n; ++i) {
            memcpy(&made.bytes[i * 2 * size], &in[0].bytes[i * size], size);
            memcpy(&made.bytes[(i * 2 + 1) * size], &in[1].bytes[i * size], size);
        }
    });
}
