/* Loops of our own: where, real, imag, maximum of float16, and what NumPy 1.26 lacks or answers differently from NumPy 2. */
#include <algorithm>
#include <cmath>
#include <limits>

#include "casts.h"
#include "loops.h"

namespace host {
namespace {

template <class T> T at(const char *p, int64_t i, int64_t step) {
    T v;
    memcpy(&v, p + i * step, sizeof v);
    return v;
}

/* Calls a function of the best instruction set that the CPU has. */
#if defined(__x86_64__)
#define BEST(call) (has_avx2() ? avx2::call : base::call)
#else
#define BEST(call) base::call
#endif

/* --- copies of items or of parts of complex ones --- */

template <class T, int SKIP> void copy_loop(char **args, const intptr_t *dimensions, const intptr_t *steps, void *) {
    for (intptr_t i = 0; i < dimensions[0]; ++i)
        memcpy(args[1] + i * steps[1], args[0] + i * steps[0] + SKIP * sizeof(T), sizeof(T));
}

LoopFn identity_of(int size) {
    return size == 1 ? copy_loop<uint8_t, 0> : size == 2 ? copy_loop<uint16_t, 0> : size == 4 ? copy_loop<uint32_t, 0>
         : copy_loop<uint64_t, 0>;
}

/* --- isnan, isinf, isfinite, signbit: NumPy's loops skip elements of an output that is not contiguous (2.4) --- */

template <class T> bool test_value(int op, T v) {
    return op == XPU_OP_isnan ? std::isnan(v) : op == XPU_OP_isinf ? std::isinf(v) : op == XPU_OP_isfinite ? std::isfinite(v)
         : std::signbit(v);
}

Loop g_tests[4][2]; /* NumPy's, by op and by dtype */

template <int OP, class T> void test_loop(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data) {
    const Loop &numpy = *static_cast<const Loop *>(data);
    if (steps[1] == 1 || dimensions[0] == 1)
        return numpy.fn(args, dimensions, steps, numpy.data);
    for (intptr_t i = 0; i < dimensions[0]; ++i)
        args[1][i * steps[1]] = test_value<T>(OP, at<T>(args[0], i, steps[0]));
}

/* --- remainder by one integer: NumPy's floor_divide multiplies by a reciprocal, its remainder divides --- */

struct Remainder {
    Loop numpy, quotient;
};
Remainder g_remainders[XPU_UINT64 + 1];

template <class T> void remainder_loop(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data) {
    typedef typename std::make_unsigned<T>::type U; /* which wraps around */
    constexpr intptr_t kBlock = 512, size = sizeof(T);
    const Remainder &r = *static_cast<const Remainder *>(data);
    const T divisor = steps[1] ? 0 : at<T>(args[1], 0, 0);
    const intptr_t n = dimensions[0];
    if (!divisor || n < 16 || steps[0] != size || steps[2] != size)
        return r.numpy.fn(args, dimensions, steps, r.numpy.data);
    T quotient[kBlock];
    for (intptr_t begin = 0; begin < n; begin += kBlock) {
        const intptr_t length = std::min(kBlock, n - begin);
        const T *in = reinterpret_cast<const T *>(args[0]) + begin;
        T *out = reinterpret_cast<T *>(args[2]) + begin;
        char *blocks[] = {args[0] + begin * size, args[1], reinterpret_cast<char *>(quotient)};
        r.quotient.fn(blocks, &length, steps, r.quotient.data);
        for (intptr_t i = 0; i < length; ++i)
            out[i] = static_cast<T>(static_cast<U>(in[i]) - static_cast<U>(static_cast<U>(quotient[i]) * static_cast<U>(divisor)));
    }
}

LoopFn remainder_of(int dtype) {
    static const LoopFn loops[] = {remainder_loop<int8_t>,  remainder_loop<uint8_t>,  remainder_loop<int16_t>, remainder_loop<uint16_t>,
                                   remainder_loop<int32_t>, remainder_loop<uint32_t>, remainder_loop<int64_t>, remainder_loop<uint64_t>};
    return dtype >= XPU_INT8 && dtype <= XPU_UINT64 ? loops[dtype - XPU_INT8] : nullptr;
}

Loop quick_remainder(int type, const Loop &numpy) {
    const xpu_op_info &division = op_info(XPU_OP_floor_divide);
    for (int i = 0; i < division.nloops; ++i)
        if (division.loops[i].types[0] == type && numpy_loop(XPU_OP_floor_divide, i).fn && numpy.fn) {
            g_remainders[type] = {numpy, numpy_loop(XPU_OP_floor_divide, i)};
            return {remainder_of(type), &g_remainders[type]};
        }
    return numpy;
}

/* --- NumPy 1.26 --- */

template <class T> void bitwise_count_loop(char **args, const intptr_t *dimensions, const intptr_t *steps, void *) {
    for (intptr_t i = 0; i < dimensions[0]; ++i) {
        const T v = at<T>(args[0], i, steps[0]);
        const typename std::make_unsigned<T>::type bits = v; /* negative numbers count as their absolute value */
        args[1][i * steps[1]] = static_cast<char>(__builtin_popcountll(v < 0 ? static_cast<decltype(bits)>(0 - bits) : bits));
    }
}

LoopFn bitwise_count_of(int dtype) {
    static const LoopFn loops[] = {bitwise_count_loop<int8_t>,  bitwise_count_loop<uint8_t>,  bitwise_count_loop<int16_t>,
                                   bitwise_count_loop<uint16_t>, bitwise_count_loop<int32_t>, bitwise_count_loop<uint32_t>,
                                   bitwise_count_loop<int64_t>, bitwise_count_loop<uint64_t>};
    return dtype >= XPU_INT8 && dtype <= XPU_UINT64 ? loops[dtype - XPU_INT8] : nullptr;
}

/* NumPy 2: z / |z|, and the limit of that for one infinite part */
template <class T> void complex_sign_loop(char **args, const intptr_t *dimensions, const intptr_t *steps, void *) {
    const T nan = std::numeric_limits<T>::quiet_NaN();
    for (intptr_t i = 0; i < dimensions[0]; ++i) {
        T z[2];
        memcpy(z, args[0] + i * steps[0], sizeof z);
        const T length = std::hypot(z[0], z[1]);
        if (std::isnan(length) || (std::isinf(z[0]) && std::isinf(z[1]))) {
            z[0] = z[1] = nan;
        } else if (std::isinf(length)) {
            const bool real = std::isinf(z[0]);
            z[0] = real ? std::copysign(T(1), z[0]) : T(0);
            z[1] = real ? T(0) : std::copysign(T(1), z[1]);
        } else if (length == 0) {
            z[0] = z[1] = 0;
        } else {
            z[0] /= length;
            z[1] /= length;
        }
        memcpy(args[1] + i * steps[1], z, sizeof z);
    }
}

Loop loop_for_old_numpy(int op, int type) {
    const bool integer = type <= XPU_UINT64;
    if (op == XPU_OP_bitwise_count)
        return {bitwise_count_of(type), nullptr};
    if ((op == XPU_OP_floor || op == XPU_OP_ceil || op == XPU_OP_trunc) && integer)
        return {identity_of(item_size(type)), nullptr};
    if (op == XPU_OP_sign && type >= XPU_COMPLEX64)
        return {type == XPU_COMPLEX64 ? complex_sign_loop<float> : complex_sign_loop<double>, nullptr};
    return {};
}

} // namespace

Loop own_loop(int op, const int8_t *types, bool old_numpy) {
    switch (op) {
    case XPU_OP_where:
        return {BEST(where_of(item_size(types[1]))), nullptr};
    case XPU_OP_real:
        return {types[0] == XPU_COMPLEX64 ? copy_loop<uint32_t, 0> : copy_loop<uint64_t, 0>, nullptr};
    case XPU_OP_imag:
        return {types[0] == XPU_COMPLEX64 ? copy_loop<uint32_t, 1> : copy_loop<uint64_t, 1>, nullptr};
    case XPU_OP_maximum: case XPU_OP_minimum: case XPU_OP_fmax: case XPU_OP_fmin: case XPU_OP_clip:
        return {types[0] == XPU_FLOAT16 ? BEST(half_choice_of(op)) : nullptr, nullptr};
    default:
        return old_numpy ? loop_for_old_numpy(op, types[0]) : Loop();
    }
}

Loop guarded_loop(int op, int type, const Loop &numpy) {
    static const struct {
        int op;
        LoopFn loops[2];
    } rows[] = {{XPU_OP_isnan, {test_loop<XPU_OP_isnan, float>, test_loop<XPU_OP_isnan, double>}},
                {XPU_OP_isinf, {test_loop<XPU_OP_isinf, float>, test_loop<XPU_OP_isinf, double>}},
                {XPU_OP_isfinite, {test_loop<XPU_OP_isfinite, float>, test_loop<XPU_OP_isfinite, double>}},
                {XPU_OP_signbit, {test_loop<XPU_OP_signbit, float>, test_loop<XPU_OP_signbit, double>}}};
    if (op == XPU_OP_remainder && remainder_of(type))
        return quick_remainder(type, numpy);
    for (int k = 0; k < 4; ++k)
        if (rows[k].op == op && (type == XPU_FLOAT32 || type == XPU_FLOAT64)) {
            Loop *kept = &g_tests[k][type == XPU_FLOAT64];
            *kept = numpy;
            return {rows[k].loops[type == XPU_FLOAT64], kept};
        }
    return numpy;
}

Loop loop_for_half(int op, const Loop &float32) {
    switch (op) {
    case XPU_OP_add: case XPU_OP_subtract: case XPU_OP_multiply: case XPU_OP_divide: case XPU_OP_sqrt: case XPU_OP_square:
    case XPU_OP_floor: case XPU_OP_ceil: case XPU_OP_trunc: case XPU_OP_rint: case XPU_OP_equal: case XPU_OP_not_equal:
    case XPU_OP_less: case XPU_OP_less_equal: case XPU_OP_greater: case XPU_OP_greater_equal:
        return float32;
    default:
        return {};
    }
}

bool is_heavy(int op, int dtype) {
    switch (op) {
    case XPU_OP_floor_divide: case XPU_OP_remainder: case XPU_OP_fmod: case XPU_OP_divmod: case XPU_OP_power: case XPU_OP_float_power:
    case XPU_OP_cbrt: case XPU_OP_exp: case XPU_OP_exp2: case XPU_OP_expm1: case XPU_OP_log: case XPU_OP_log2: case XPU_OP_log10:
    case XPU_OP_log1p: case XPU_OP_logaddexp: case XPU_OP_logaddexp2: case XPU_OP_sin: case XPU_OP_cos: case XPU_OP_tan:
    case XPU_OP_arcsin: case XPU_OP_arccos: case XPU_OP_arctan: case XPU_OP_arctan2: case XPU_OP_hypot: case XPU_OP_sinh:
    case XPU_OP_cosh: case XPU_OP_tanh: case XPU_OP_arcsinh: case XPU_OP_arccosh: case XPU_OP_arctanh: case XPU_OP_gcd: case XPU_OP_lcm:
    case XPU_OP_nextafter: case XPU_OP_spacing: case XPU_OP_ldexp: case XPU_OP_frexp: case XPU_OP_modf: case XPU_OP_heaviside:
        return true;
    default:
        return dtype == XPU_FLOAT16 || dtype == XPU_COMPLEX64 || dtype == XPU_COMPLEX128;
    }
}

int64_t elementwise_grain(int op, int dtype) { return is_heavy(op, dtype) ? kParallelElements / 2 : kParallelElements * 2; }

bool is_signed_integer(int dtype) { return dtype == XPU_INT8 || dtype == XPU_INT16 || dtype == XPU_INT32 || dtype == XPU_INT64; }

} // namespace host
