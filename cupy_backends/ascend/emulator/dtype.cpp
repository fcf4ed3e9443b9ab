/* Dtypes: sizes, 16-bit floats, promotion; scalars and layouts. */
#include <algorithm>
#include <cmath>

#include "core.h"

namespace emu {

size_t item_size(aclDataType dtype)
{
    switch (dtype) {
    case ACL_INT8: case ACL_UINT8: case ACL_BOOL: return 1;
    case ACL_FLOAT16: case ACL_BF16: case ACL_INT16: case ACL_UINT16: return 2;
    case ACL_FLOAT: case ACL_INT32: case ACL_UINT32: case ACL_COMPLEX32: return 4;
    case ACL_DOUBLE: case ACL_INT64: case ACL_UINT64: case ACL_COMPLEX64: return 8;
    case ACL_COMPLEX128: return 16;
    default: return 0;
    }
}

const char *dtype_name(aclDataType dtype)
{
    switch (dtype) {
    case ACL_FLOAT: return "FLOAT";
    case ACL_FLOAT16: return "FLOAT16";
    case ACL_INT8: return "INT8";
    case ACL_INT32: return "INT32";
    case ACL_UINT8: return "UINT8";
    case ACL_INT16: return "INT16";
    case ACL_UINT16: return "UINT16";
    case ACL_UINT32: return "UINT32";
    case ACL_INT64: return "INT64";
    case ACL_UINT64: return "UINT64";
    case ACL_DOUBLE: return "DOUBLE";
    case ACL_BOOL: return "BOOL";
    case ACL_COMPLEX64: return "COMPLEX64";
    case ACL_COMPLEX128: return "COMPLEX128";
    case ACL_BF16: return "BF16";
    case ACL_COMPLEX32: return "COMPLEX32";
    default: return "unknown dtype";
    }
}

/* --- 16-bit floats --- */

float half_to_float(uint16_t bits)
{
    int exponent = (bits >> 10) & 31, mantissa = bits & 1023;
    float value = exponent == 31 ? (mantissa ? NAN : INFINITY)
                : exponent ? std::ldexp(float(mantissa + 1024), exponent - 25) : std::ldexp(float(mantissa), -24);
    return bits & 0x8000 ? -value : value;
}

/* A double holds every product of rounding exactly, so one function serves both. */
uint16_t double_to_half(double value)
{
    uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    double a = std::fabs(value);
    if (std::isnan(value)) return sign | 0x7e00;
    if (a >= 65520) return sign | 0x7c00;
    if (a < 6.103515625e-05) return sign | uint16_t(std::nearbyint(std::ldexp(a, 24)));
    int exponent;
    double fraction = std::frexp(a, &exponent); /* 0.5 <= fraction < 1 */
    int mantissa = int(std::nearbyint(std::ldexp(fraction, 11)));
    return sign | uint16_t(((exponent + 14) << 10) + mantissa - 1024);
}

uint16_t float_to_half(float value) { return double_to_half(value); }

float brain_to_float(uint16_t bits)
{
    uint32_t wide = uint32_t(bits) << 16;
    float value;
    memcpy(&value, &wide, 4);
    return value;
}

uint16_t float_to_brain(float value)
{
    uint32_t wide;
    memcpy(&wide, &value, 4);
    if (std::isnan(value)) return uint16_t(wide >> 16 | 0x40);
    return uint16_t((wide + 0x7fff + (wide >> 16 & 1)) >> 16);
}

/* --- promotion --- */
namespace {

enum Kind { kBool, kInt, kFloat, kComplex, kOther };

Kind kind_of(aclDataType d)
{
    switch (d) {
    case ACL_BOOL: return kBool;
    case ACL_INT8: case ACL_INT16: case ACL_INT32: case ACL_INT64: return kInt;
    case ACL_UINT8: case ACL_UINT16: case ACL_UINT32: case ACL_UINT64: return kInt;
    case ACL_FLOAT16: case ACL_BF16: case ACL_FLOAT: case ACL_DOUBLE: return kFloat;
    case ACL_COMPLEX32: case ACL_COMPLEX64: case ACL_COMPLEX128: return kComplex;
    default: return kOther;
    }
}

bool wide_unsigned(aclDataType d) { return d == ACL_UINT16 || d == ACL_UINT32 || d == ACL_UINT64; }

aclDataType promote_ints(aclDataType a, aclDataType b)
{
    if (a == ACL_UINT8 || b == ACL_UINT8) {
        aclDataType other = a == ACL_UINT8 ? b : a;
        return other == ACL_INT8 ? ACL_INT16 : other;
    }
    return item_size(a) >= item_size(b) ? a : b;
}

aclDataType promote_floats(aclDataType a, aclDataType b)
{
    if (a == ACL_DOUBLE || b == ACL_DOUBLE) return ACL_DOUBLE;
    return ACL_FLOAT; /* unequal, so FLOAT takes part or the two 16-bit ones meet */
}

/* At least one of them is complex. */
aclDataType promote_complex(aclDataType a, aclDataType b)
{
    auto wide = [](aclDataType d) { return d == ACL_DOUBLE || d == ACL_COMPLEX128; };
    auto middle = [](aclDataType d) { return d == ACL_FLOAT || d == ACL_COMPLEX64; };
    if (wide(a) || wide(b)) return ACL_COMPLEX128;
    return middle(a) || middle(b) ? ACL_COMPLEX64 : ACL_COMPLEX32;
}

} // namespace

aclDataType promote(aclDataType a, aclDataType b)
{
    if (a == b) return a;
    if (wide_unsigned(a) || wide_unsigned(b)) return ACL_DT_UNDEFINED;
    Kind ka = kind_of(a), kb = kind_of(b);
    if (ka == kOther || kb == kOther) return ACL_DT_UNDEFINED;
    if (ka == kBool) return b;
    if (kb == kBool) return a;
    if (ka == kComplex || kb == kComplex) return promote_complex(a, b);
    if (ka != kb) return ka == kFloat ? a : b;
    return ka == kInt ? promote_ints(a, b) : promote_floats(a, b);
}

aclDataType promote_scalar(aclDataType tensor, aclDataType scalar)
{
    Kind kt = kind_of(tensor), ks = kind_of(scalar);
    if (kt == kOther || ks == kOther) return ACL_DT_UNDEFINED;
    if (ks <= kt) return tensor;
    if (wide_unsigned(tensor)) return ACL_DT_UNDEFINED;
    if (ks == kComplex) return tensor == ACL_FLOAT16 ? ACL_COMPLEX32 : ACL_COMPLEX64;
    return ks == kFloat ? ACL_FLOAT : scalar; /* a bool tensor takes the integer scalar's dtype */
}

bool castable(aclDataType from, aclDataType to)
{
    Kind kf = kind_of(from), kt = kind_of(to);
    if (kf == kOther || kt == kOther) return false;
    if (kf == kt || kf == kBool) return true;
    return kt != kBool && !(kf == kComplex && kt == kInt);
}

/* --- scalars --- */

std::complex<double> Scalar::complex() const
{
    auto read = [this](auto value) {
        memcpy(&value, bytes, sizeof value);
        return value;
    };
    switch (dtype) {
    case ACL_FLOAT: return read(float());
    case ACL_DOUBLE: return read(double());
    case ACL_FLOAT16: return half_to_float(read(uint16_t()));
    case ACL_BF16: return brain_to_float(read(uint16_t()));
    case ACL_UINT64: return double(read(uint64_t()));
    case ACL_COMPLEX64: return read(std::complex<float>());
    case ACL_COMPLEX128: return read(std::complex<double>());
    case ACL_COMPLEX32: {
        uint32_t pair = read(uint32_t());
        return {half_to_float(uint16_t(pair)), half_to_float(uint16_t(pair >> 16))};
    }
    default: return double(integer());
    }
}

double Scalar::real() const { return complex().real(); }

int64_t Scalar::integer() const
{
    auto read = [this](auto value) {
        memcpy(&value, bytes, sizeof value);
        return value;
    };
    switch (dtype) {
    case ACL_BOOL: return bytes[0] != 0;
    case ACL_INT8: return read(int8_t());
    case ACL_UINT8: return read(uint8_t());
    case ACL_INT16: return read(int16_t());
    case ACL_UINT16: return read(uint16_t());
    case ACL_INT32: return read(int32_t());
    case ACL_UINT32: return read(uint32_t());
    case ACL_INT64: case ACL_UINT64: return read(int64_t());
    case ACL_DT_UNDEFINED: return 0;
    default: return int64_t(real());
    }
}

/* --- shapes --- */

int64_t count_of(const Dims &dims)
{
    int64_t n = 1;
    for (int64_t d : dims) n *= d;
    return n;
}

Dims contiguous_strides(const Dims &dims)
{
    Dims strides(dims.size());
    int64_t step = 1;
    for (size_t i = dims.size(); i-- > 0;) {
        strides[i] = step;
        step *= dims[i];
    }
    return strides;
}

int64_t Layout::count() const { return count_of(dims); }
int64_t View::count() const { return count_of(dims); }

bool Layout::contiguous() const
{
    int64_t step = 1;
    if (count() == 0) return true;
    for (size_t i = dims.size(); i-- > 0;) {
        if (dims[i] != 1 && strides[i] != step) return false;
        step *= dims[i];
    }
    return true;
}

bool broadcast(const Dims &a, const Dims &b, Dims *out)
{
    size_t rank = std::max(a.size(), b.size());
    Dims made(rank);
    for (size_t i = 0; i < rank; ++i) {
        int64_t x = i < rank - a.size() ? 1 : a[i - (rank - a.size())];
        int64_t y = i < rank - b.size() ? 1 : b[i - (rank - b.size())];
        if (x != y && x != 1 && y != 1) return false;
        made[i] = x == 1 ? y : x;
    }
    *out = made;
    return true;
}

bool broadcastable(const Dims &a, const Dims &b, const Dims &out)
{
    Dims made;
    return broadcast(a, b, &made) && made == out;
}

View broadcast_to(const View &view, const Dims &dims)
{
    View made = view;
    made.dims = dims;
    made.strides.assign(dims.size(), 0);
    size_t skip = dims.size() - view.dims.size();
    for (size_t i = skip; i < dims.size(); ++i)
        if (view.dims[i - skip] == dims[i]) made.strides[i] = view.strides[i - skip];
    return made;
}

int64_t normal_axis(int64_t axis, int64_t rank)
{
    int64_t n = std::max<int64_t>(rank, 1);
    if (axis < -n || axis >= n) return -1;
    return axis < 0 ? axis + n : axis;
}

View view_of(const Layout &layout, char *base)
{
    View v;
    v.dtype = layout.dtype;
    v.dims = layout.dims;
    v.strides = layout.strides;
    v.data = base ? base + layout.offset * int64_t(item_size(layout.dtype)) : nullptr;
    return v;
}

Range range_of(const aclTensor *tensor, bool write)
{
    return {tensor->base, size_t(count_of(tensor->layout.storage)) * item_size(tensor->layout.dtype), write};
}

} // namespace emu
