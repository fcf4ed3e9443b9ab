/* Copies, casts as NumPy's astype, fills and ranges. */
#include <cstring>

#include "compute.h"
#include "error.h"

namespace ascend {

#define TEMP(name, dtype, like)                                                                                                            \
    Temp name(ctx, dtype, like);                                                                                                           \
    if (!name.ok()) return fail(XPU_OUT_OF_MEMORY, "no device memory for a temporary")

namespace {

bool is_integer(int32_t d) { return d >= XPU_INT8 && d <= XPU_UINT64; }
bool is_unsigned(int32_t d) { return d == XPU_UINT8 || d == XPU_UINT16 || d == XPU_UINT32 || d == XPU_UINT64; }
bool is_float(int32_t d) { return d >= XPU_FLOAT16 && d <= XPU_FLOAT64; }
bool is_complex(int32_t d) { return d == XPU_COMPLEX64 || d == XPU_COMPLEX128; }
int32_t real_of(int32_t d) { return d == XPU_COMPLEX64 ? XPU_FLOAT32 : XPU_FLOAT64; }

/* AI Core casts of 910B that agree with NumPy as they are; all other pairs that aclnn takes run on its AI CPU. */
bool core_cast(int32_t from, int32_t to) {
    static const char *const pairs[] = {"?:eifBlb", "b:efi", "B:efil", "i:efl", "l:ef", "e:f", "f:e"};
    static const char chars[] = "?bBhHiIlLefdFD";
    for (const char *p : pairs)
        if (p[0] == chars[from]) return std::strchr(p + 2, chars[to]) != nullptr;
    return false;
}

xpu_status plain_cast(const Context &ctx, const xpu_tensor *to, const xpu_tensor *from) {
    return run(ctx, Op::Cast, {in(from), dtype(to->dtype), out(to)});
}

/* Little-endian two's complement: a narrower integer is the low bytes of the wider one, in place. */
xpu_status narrow(const Context &ctx, const xpu_tensor *to, const xpu_tensor *from) {
    View low(from);
    low.t.dtype = to->dtype;
    return copy_view(ctx, to, low);
}

/* Anything but zero is true, NaN too. */
xpu_status to_bool(const Context &ctx, const xpu_tensor *to, const xpu_tensor *from) {
    View zero, source(from);
    source.t.dtype = run_as(from->dtype);
    XPU_TRY(scalar_tensor(ctx, source.t.dtype, 0, &zero));
    return run(ctx, Op::NeTensor, {in(source), in(zero), out(to)});
}

/* x86-64's conversion: NaN and what is out of range give the least integer. aclnn gives 0 or saturates. */
xpu_status float_to_integer(const Context &ctx, const xpu_tensor *to, const xpu_tensor *from) {
    int32_t wide = to->dtype == XPU_INT64 ? XPU_INT64 : XPU_INT32;
    double limit = wide == XPU_INT64 ? 9223372036854775808.0 : 2147483648.0;
    if (from->dtype == XPU_FLOAT16) { /* its range fits; float32 holds it exactly */
        TEMP(single, XPU_FLOAT32, from);
        XPU_TRY(plain_cast(ctx, single, from));
        return float_to_integer(ctx, to, single);
    }
    View low, high, least, zero;
    XPU_TRY(scalar_tensor(ctx, from->dtype, -limit, &low));
    XPU_TRY(scalar_tensor(ctx, from->dtype, limit, &high));
    XPU_TRY(scalar_tensor(ctx, from->dtype, 0, &zero));
    TEMP(above, XPU_BOOL, from);
    TEMP(below, XPU_BOOL, from);
    TEMP(fits, XPU_BOOL, from);
    TEMP(safe, from->dtype, from);
    TEMP(whole, wide, from);
    TEMP(result, wide, from);
    XPU_TRY(run(ctx, Op::GeTensor, {in(from), in(low), out(above)}));
    XPU_TRY(run(ctx, Op::LtTensor, {in(from), in(high), out(below)}));
    XPU_TRY(run(ctx, Op::LogicalAnd, {in(above), in(below), out(fits)}));
    XPU_TRY(run(ctx, Op::SWhere, {in(fits), in(from), in(zero), out(safe)}));
    XPU_TRY(plain_cast(ctx, whole, safe));
    xpu_scalar minimum = scalar_of_int(wide, wide == XPU_INT64 ? INT64_MIN : INT32_MIN);
    XPU_TRY(constant(ctx, minimum, &least));
    XPU_TRY(run(ctx, Op::SWhere, {in(fits), in(whole), in(least), out(result)}));
    if (to->dtype == wide) return copy_view(ctx, to, result);
    return narrow(ctx, to, result);
}

} // namespace

/* Both sides as aclnn takes them: contiguous where it matters (bool and complex sources of Cast must be). */
xpu_status cast(const Context &ctx, const xpu_tensor *to, const xpu_tensor *from) {
    int32_t f = from->dtype, t = to->dtype;
    if (f == t) return copy_view(ctx, to, from);
    if (is_complex(f) && !is_complex(t) && t != XPU_BOOL) { /* the imaginary part is dropped; for bool it counts */
        View part(from);
        part.t.dtype = real_of(f);
        return cast(ctx, to, part);
    }
    if (is_integer(f) && is_integer(t) && item_size(t) <= item_size(f)) return narrow(ctx, to, from);
    if (has_negative_strides(to) || (is_integer(f) && is_unsigned(f) && f != XPU_UINT8 && !is_integer(t) && f == XPU_UINT64)) {
        TEMP(forward, t, to);
        if (f == XPU_UINT64) return XPU_NOT_SUPPORTED; /* uint64 to float: AI CPU's rounding is not known */
        XPU_TRY(cast(ctx, forward, from));
        return copy_view(ctx, to, forward);
    }
    Ready source;
    XPU_TRY(source.prepare(ctx, from));
    std::unique_ptr<Temp> packed;
    const xpu_tensor *x = source;
    if ((f == XPU_BOOL || is_complex(f)) && !is_contiguous(x)) {
        packed.reset(new Temp(ctx, f, x));
        if (!packed->ok()) return fail(XPU_OUT_OF_MEMORY, "no device memory for a contiguous copy");
        XPU_TRY(copy_view(ctx, *packed, x));
        x = *packed;
    }
    if (t == XPU_BOOL) {
        bool slow = f == XPU_INT16 || f == XPU_UINT16 || f == XPU_FLOAT64 || is_complex(f);
        xpu_status status = to_bool(ctx, to, x);
        return status == XPU_OK && slow ? XPU_OK | XPU_NOTE_SLOW : status;
    }
    if (is_float(f) && is_integer(t))
        return is_unsigned(t) && item_size(t) >= 4 ? static_cast<xpu_status>(XPU_NOT_SUPPORTED) : float_to_integer(ctx, to, x);
    xpu_status status = plain_cast(ctx, to, x);
    return status == XPU_OK && !core_cast(f, t) ? XPU_OK | XPU_NOTE_SLOW : status;
}

namespace {

xpu_status without_note(xpu_status status, bool *slow) {
    *slow = *slow || (status & XPU_NOTE_SLOW);
    return status & XPU_CODE_MASK;
}

} // namespace

ASCEND_FORM(copy) {
    (void)row;
    const xpu_tensor *to = call->out[0], *from = call->in[0];
    if (is_scalar(from)) return XPU_NOT_SUPPORTED;
    if (to->size == 0) return XPU_OK;
    if (from->dtype == to->dtype) return copy_view(ctx, to, from);
    View views[2] = {View(to), View(from)};
    if (item_size(from->dtype) == item_size(to->dtype)) collapse(views, 2);
    else { /* strides differ in bytes, the steps are alike: collapse by each one's own */ collapse(views, 2);
    }
    if (views[0].t.ndim > kMaxRank) return fail(XPU_NOT_SUPPORTED, "a cast over %d axes that do not collapse", views[0].t.ndim);
    bool slow = false;
    std::unique_ptr<Temp> dense; /* broadcast sources are laid out first: Cast needs equal shapes */
    const xpu_tensor *source = views[1];
    for (int i = 0; i < views[1].t.ndim; ++i)
        if (views[1].strides[i] == 0 && views[1].shape[i] > 1 && !dense) {
            dense.reset(new Temp(ctx, from->dtype, source));
            if (!dense->ok()) return fail(XPU_OUT_OF_MEMORY, "no device memory for a broadcast copy");
            XPU_TRY(copy_view(ctx, *dense, source));
            source = *dense;
        }
    XPU_TRY(without_note(cast(ctx, views[0], source), &slow));
    return slow ? XPU_OK | XPU_NOTE_SLOW : XPU_OK;
}

xpu_status fill_contiguous(const Context &ctx, const xpu_tensor *to, const xpu_scalar &value) {
    static const xpu_value nothing{};
    if (to->size == 0) return XPU_OK;
    int item = item_size(to->dtype);
    if (std::memcmp(&value.value, &nothing, item_size(value.dtype)) == 0 && is_contiguous(to)) {
        size_t n = static_cast<size_t>(to->size) * item;
        int code = acl.aclrtMemsetAsync(static_cast<char *>(to->base) + to->offset, n, 0, n, ctx.stream);
        return code == 0 ? XPU_OK : acl_failed(code, "aclrtMemsetAsync", ctx.device);
    }
    if (to->dtype == XPU_FLOAT16) { /* a scalar of FLOAT16 keeps its bits */
        return run(ctx, Op::InplaceFillScalar, {out(to), scalar(value)});
    }
    return run(ctx, Op::InplaceFillScalar, {out(to), scalar(value)});
}

ASCEND_FORM(fill) {
    (void)row;
    View to(call->out[0]);
    xpu_scalar value{};
    value.dtype = call->in[0]->dtype;
    value.value = call->in[0]->value;
    if (!is_scalar(call->in[0]) || value.dtype != to.t.dtype) return XPU_NOT_SUPPORTED;
    collapse(&to, 1);
    if (to.t.ndim > kMaxRank) return fail(XPU_NOT_SUPPORTED, "a fill over %d axes that do not collapse", to.t.ndim);
    for (int i = 0; i < to.t.ndim; ++i) /* the order of filling is free */
        if (to.strides[i] < 0) to.t.offset += (to.shape[i] - 1) * to.strides[i], to.strides[i] = -to.strides[i];
    return fill_contiguous(ctx, to, value);
}

xpu_status arange(const Context &ctx, const xpu_tensor *to) {
    if (to->size == 0) return XPU_OK;
    return run(
        ctx, Op::Arange,
        {scalar(scalar_of_int(XPU_INT64, 0)), scalar(scalar_of_int(XPU_INT64, to->size)), scalar(scalar_of_int(XPU_INT64, 1)), out(to)});
}

/* start + i * step, each product and sum rounded in the dtype, as NumPy's loop computes it. */
ASCEND_FORM(iota) {
    (void)row;
    const xpu_tensor *to = call->out[0];
    if (!is_scalar(call->in[0]) || !is_scalar(call->in[1]) || to->ndim != 1) return XPU_NOT_SUPPORTED;
    int32_t d = to->dtype;
    if (d == XPU_FLOAT32 && to->size > (1 << 24)) return fail(XPU_NOT_SUPPORTED, "float32 ranges beyond 2**24 elements");
    View parts[2];
    for (int i = 0; i < 2; ++i) {
        xpu_scalar s{};
        s.dtype = d;
        s.value = call->in[i]->value;
        if (call->in[i]->dtype != d) return XPU_NOT_SUPPORTED;
        XPU_TRY(constant(ctx, s, &parts[i]));
    }
    View flat(to);
    TEMP(index, XPU_INT64, to);
    TEMP(number, d, to);
    TEMP(product, d, to);
    XPU_TRY(arange(ctx, index));
    bool slow = false;
    XPU_TRY(without_note(cast(ctx, number, index), &slow));
    XPU_TRY(run(ctx, Op::Mul, {in(number), in(parts[1]), out(product)}));
    return run(ctx, Op::Add, {in(product), in(parts[0]), scalar(scalar_of_int(d, 1)), out(flat)});
}

/* The real or imaginary part: a strided view of the pairs. */
ASCEND_FORM(part) {
    View half(call->in[0]);
    if (is_scalar(call->in[0])) return XPU_NOT_SUPPORTED;
    half.t.dtype = call->out[0]->dtype;
    if (row.op == XPU_OP_imag) half.t.offset += item_size(half.t.dtype);
    return copy_view(ctx, call->out[0], half);
}

} // namespace ascend
