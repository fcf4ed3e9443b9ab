/* Elementwise calls: operands handed to one operator, and compositions where aclnn's answer is not NumPy's. */
#include <cmath>

#include "compute.h"
#include "error.h"
#include "layout.h"

namespace ascend {

int32_t run_as(int32_t dtype) {
    return dtype == XPU_UINT32   ? static_cast<int32_t>(XPU_INT32)
           : dtype == XPU_UINT64 ? static_cast<int32_t>(XPU_INT64)
           : dtype == XPU_UINT16 ? static_cast<int32_t>(XPU_INT16)
                                 : dtype;
}

xpu_status Operands::prepare(const Context &ctx, xpu_call *call) {
    ctx_ = ctx;
    int tensors[XPU_MAX_ARGS], n = 0;
    View all[XPU_MAX_ARGS + 1];
    all[0] = *call->out[0];
    for (int i = 0; i < call->nin; ++i)
        if (!is_scalar(call->in[i])) {
            tensors[n++] = i;
            all[n] = *call->in[i];
            all[n].t.dtype = run_as(all[n].t.dtype);
        }
    collapse(all, n + 1);
    if (all[0].t.ndim > kMaxRank) return fail(XPU_NOT_SUPPORTED, "%d axes that do not collapse", all[0].t.ndim);
    if (n == 0 && all[0].t.size > 1) return fail(XPU_NOT_SUPPORTED, "scalars spread over an array");
    views_[0] = all[0];
    views_[0].t.dtype = run_as(views_[0].t.dtype);
    for (int k = 0; k < n; ++k) {
        inplace_ = inplace_ || overlaps(&all[k + 1].t, views_[0]);
        unbroadcast(&all[k + 1]);
    }
    /* aclnn wants the common shape of the inputs to be the output's: the first one is spread where all are short */
    for (int i = 0; i < all[0].t.ndim; ++i) {
        bool reached = n == 0 || all[0].shape[i] == 1;
        for (int k = 0; k < n; ++k) reached = reached || all[k + 1].shape[i] == all[0].shape[i];
        if (!reached) all[1].shape[i] = all[0].shape[i], all[1].strides[i] = 0, all[1].update();
    }
    for (int k = 0; k < n; ++k) {
        View &v = all[k + 1];
        XPU_TRY(ready_[tensors[k]].prepare(ctx, v));
        inputs_[tensors[k]] = ready_[tensors[k]];
    }
    for (int i = 0; i < call->nin; ++i)
        if (is_scalar(call->in[i])) {
            xpu_scalar s{};
            s.dtype = run_as(call->in[i]->dtype);
            s.value = call->in[i]->value;
            XPU_TRY(constant(ctx, s, &constants_[i]));
            inputs_[i] = constants_[i];
        }
    return XPU_OK;
}

const xpu_tensor *Operands::result(int32_t dtype, bool contiguous) {
    bool fits = contiguous ? is_contiguous(views_[0]) : !has_negative_strides(views_[0]);
    if (!inplace_ && fits && views_[0].t.dtype == dtype) return views_[0];
    temp_.reset(new Temp(ctx_, dtype, &views_[0].t));
    return temp_->ok() ? &temp_->tensor : nullptr;
}

xpu_status Operands::finish() {
    if (!temp_) return XPU_OK;
    if (temp_->tensor.dtype != views_[0].t.dtype) return cast(ctx_, views_[0], &temp_->tensor);
    return copy_view(ctx_, views_[0], &temp_->tensor);
}

#define PREPARE(...)                                                                                                                 \
    Operands operands;                                                                                                                     \
    XPU_TRY(operands.prepare(ctx, call));                                                                                                  \
    const xpu_tensor *result = operands.result(__VA_ARGS__);                                                                               \
    if (!result) return fail(XPU_OUT_OF_MEMORY, "no device memory for a temporary of the result's size")

xpu_status scalar_tensor(const Context &ctx, int32_t dtype, double value, View *result) {
    xpu_scalar s = scalar_of(dtype, value);
    if (dtype == XPU_FLOAT16) { /* small whole numbers and infinities only: exact in float16 */
        s.dtype = dtype;
        s.value = xpu_value{};
        int e = 0;
        double m = std::frexp(std::fabs(value), &e);
        uint16_t bits = value != value      ? 0x7e00
                        : std::isinf(value) ? 0x7c00
                        : value == 0        ? 0
                                            : static_cast<uint16_t>(((e + 14) << 10) + (m * 2 - 1) * 1024);
        s.value.h = static_cast<uint16_t>(bits | (std::signbit(value) ? 0x8000 : 0));
    }
    return constant(ctx, s, result);
}

/* The shape of the inputs broadcast together is the result's. */
ASCEND_FORM(unary) {
    PREPARE(run_as(call->out[0]->dtype), row.fn == Op::IsInf); /* which writes contiguous results only */
    Op fn = row.fn == Op::BitwiseNot && call->in[0]->dtype == XPU_BOOL ? Op::LogicalNot : row.fn;
    XPU_TRY(run(ctx, fn, {in(operands.in(0)), out(result)}));
    return operands.finish();
}

namespace {

Op boolean_form(Op fn, const xpu_call *call) {
    if (call->in[0]->dtype != XPU_BOOL) return fn;
    switch (fn) {
    case Op::BitwiseAndTensor: return Op::LogicalAnd;
    case Op::BitwiseOrTensor: return Op::LogicalOr;
    case Op::BitwiseXorTensor: return Op::LogicalXor;
    default: return fn;
    }
}

} // namespace

ASCEND_FORM(binary) {
    PREPARE(run_as(call->out[0]->dtype));
    XPU_TRY(run(ctx, boolean_form(row.fn, call), {in(operands.in(0)), in(operands.in(1)), out(result)}));
    return operands.finish();
}

/* One exponent 0.5 for all elements means the square root, as in NumPy: NaN for -inf. Not so for float16. */
ASCEND_FORM(power) {
    int32_t dtype = call->out[0]->dtype;
    if (dtype == XPU_FLOAT16) return run_binary(ctx, row, call);
    PREPARE(dtype);
    const xpu_tensor *x = operands.in(0), *exponent = operands.in(1);
    CONSTANT(half, dtype, 0.5);
    if (is_scalar(call->in[1]) && half.t.base == exponent->base) {
        XPU_TRY(run(ctx, Op::Sqrt, {in(x), out(result)}));
        return operands.finish();
    }
    if (is_scalar(call->in[1]) || exponent->size != 1) {
        XPU_TRY(run(ctx, row.fn, {in(x), in(exponent), out(result)}));
        return operands.finish();
    }
    TEMP(halves, XPU_BOOL, exponent);
    TEMP(root, dtype, x);
    TEMP(raw, dtype, result);
    XPU_TRY(run(ctx, Op::EqTensor, {in(exponent), in(half), out(halves)}));
    XPU_TRY(run(ctx, Op::Sqrt, {in(x), out(root)}));
    XPU_TRY(run(ctx, row.fn, {in(x), in(exponent), out(raw)}));
    XPU_TRY(run(ctx, Op::SWhere, {in(halves), in(root), in(raw), out(result)}));
    return operands.finish();
}

ASCEND_FORM(alpha) {
    int32_t dtype = run_as(call->out[0]->dtype);
    PREPARE(dtype);
    XPU_TRY(run(ctx, row.fn, {in(operands.in(0)), in(operands.in(1)), scalar(scalar_of_int(dtype, 1)), out(result)}));
    return operands.finish();
}

ASCEND_FORM(identity) {
    if (is_scalar(call->in[0])) return XPU_NOT_SUPPORTED;
    return copy_view(ctx, call->out[0], call->in[0]);
}

ASCEND_FORM(square) {
    PREPARE(run_as(call->out[0]->dtype));
    XPU_TRY(run(ctx, Op::Mul, {in(operands.in(0)), in(operands.in(0)), out(result)}));
    return operands.finish();
}

/* There is no aclnnIsNan: a NaN is what differs from itself. */
ASCEND_FORM(isnan) {
    PREPARE(XPU_BOOL);
    XPU_TRY(run(ctx, Op::NeTensor, {in(operands.in(0)), in(operands.in(0)), out(result)}));
    return operands.finish();
}

/* The sign of NaN is NaN; aclnnSign gives 0. */
ASCEND_FORM(sign) {
    int32_t dtype = call->out[0]->dtype;
    PREPARE(dtype);
    if (dtype < XPU_FLOAT16) {
        XPU_TRY(run(ctx, Op::Sign, {in(operands.in(0)), out(result)}));
        return operands.finish();
    }
    TEMP(sign, dtype, result);
    TEMP(nan, XPU_BOOL, result);
    XPU_TRY(run(ctx, Op::Sign, {in(operands.in(0)), out(sign)}));
    XPU_TRY(run(ctx, Op::NeTensor, {in(operands.in(0)), in(operands.in(0)), out(nan)}));
    XPU_TRY(run(ctx, Op::SWhere, {in(nan), in(operands.in(0)), in(sign), out(result)}));
    return operands.finish();
}

namespace {

/* floor(a / b), and 0 where b is 0, as NumPy's integers: what the hardware does there is not defined. `zero` gets b == 0, in b's
 * shape: it may broadcast. */
xpu_status divide_integers(const Context &ctx, const xpu_tensor *a, const xpu_tensor *b, const xpu_tensor *quotient,
                           const xpu_tensor *zero) {
    int32_t dtype = quotient->dtype;
    CONSTANT(nothing, dtype, 0);
    CONSTANT(one, dtype, 1);
    TEMP(divisor, dtype, b);
    TEMP(raw, dtype, quotient);
    XPU_TRY(run(ctx, Op::EqTensor, {in(b), in(nothing), out(zero)}));
    XPU_TRY(run(ctx, Op::SWhere, {in(zero), in(one), in(b), out(divisor)}));
    XPU_TRY(run(ctx, Op::FloorDivide, {in(a), in(divisor), out(raw)}));
    return run(ctx, Op::SWhere, {in(zero), in(nothing), in(raw), out(quotient)});
}

} // namespace

ASCEND_FORM(floor_divide) {
    PREPARE(call->out[0]->dtype);
    TEMP(zero, XPU_BOOL, operands.in(1));
    XPU_TRY(divide_integers(ctx, operands.in(0), operands.in(1), result, zero));
    return operands.finish();
}

/* a - floor(a / b) * b, exact in wrapping arithmetic; aclnnRemainder is assured only within 2**24. */
ASCEND_FORM(remainder) {
    int32_t dtype = call->out[0]->dtype;
    PREPARE(dtype);
    TEMP(zero, XPU_BOOL, operands.in(1));
    TEMP(quotient, dtype, result);
    TEMP(product, dtype, result);
    TEMP(rest, dtype, result);
    CONSTANT(nothing, dtype, 0);
    XPU_TRY(divide_integers(ctx, operands.in(0), operands.in(1), quotient, zero));
    XPU_TRY(run(ctx, Op::Mul, {in(quotient), in(operands.in(1)), out(product)}));
    XPU_TRY(run(ctx, Op::Sub, {in(operands.in(0)), in(product), scalar(scalar_of_int(dtype, 1)), out(rest)}));
    XPU_TRY(run(ctx, Op::SWhere, {in(zero), in(nothing), in(rest), out(result)}));
    return operands.finish();
}

/* Integers by 0 give 0; floats follow IEEE. */
ASCEND_FORM(fmod) {
    int32_t dtype = call->out[0]->dtype;
    PREPARE(dtype);
    if (dtype >= XPU_FLOAT16) {
        XPU_TRY(run(ctx, Op::FmodTensor, {in(operands.in(0)), in(operands.in(1)), out(result)}));
        return operands.finish();
    }
    TEMP(zero, XPU_BOOL, operands.in(1));
    TEMP(divisor, dtype, operands.in(1));
    TEMP(rest, dtype, result);
    CONSTANT(nothing, dtype, 0);
    CONSTANT(one, dtype, 1);
    XPU_TRY(run(ctx, Op::EqTensor, {in(operands.in(1)), in(nothing), out(zero)}));
    XPU_TRY(run(ctx, Op::SWhere, {in(zero), in(one), in(operands.in(1)), out(divisor)}));
    XPU_TRY(run(ctx, Op::FmodTensor, {in(operands.in(0)), in(divisor), out(rest)}));
    XPU_TRY(run(ctx, Op::SWhere, {in(zero), in(nothing), in(rest), out(result)}));
    return operands.finish();
}

/* fmax, fmin: where one operand is NaN, the other. */
ASCEND_FORM(fmax) {
    int32_t dtype = call->out[0]->dtype;
    PREPARE(dtype);
    if (dtype < XPU_FLOAT16) {
        XPU_TRY(run(ctx, row.fn, {in(operands.in(0)), in(operands.in(1)), out(result)}));
        return operands.finish();
    }
    TEMP(nan, XPU_BOOL, result);
    TEMP(best, dtype, result);
    TEMP(first, dtype, result);
    XPU_TRY(run(ctx, row.fn, {in(operands.in(0)), in(operands.in(1)), out(best)}));
    Temp nan0(ctx, XPU_BOOL, operands.in(0)), nan1(ctx, XPU_BOOL, operands.in(1));
    if (!nan0.ok() || !nan1.ok()) return fail(XPU_OUT_OF_MEMORY, "no device memory for a temporary");
    XPU_TRY(run(ctx, Op::NeTensor, {in(operands.in(1)), in(operands.in(1)), out(nan1)}));
    XPU_TRY(run(ctx, Op::SWhere, {in(nan1), in(operands.in(0)), in(best), out(first)}));
    XPU_TRY(run(ctx, Op::NeTensor, {in(operands.in(0)), in(operands.in(0)), out(nan0)}));
    XPU_TRY(run(ctx, Op::SWhere, {in(nan0), in(operands.in(1)), in(first), out(result)}));
    return operands.finish();
}

/* log2 and log10 of complex numbers scale both parts of the natural logarithm, as NumPy does: a quotient would spoil infinities. */
ASCEND_FORM(logarithm) {
    int32_t dtype = call->out[0]->dtype, real = dtype == XPU_COMPLEX64 ? XPU_FLOAT32 : XPU_FLOAT64;
    if (dtype < XPU_COMPLEX64) return run_unary(ctx, row, call);
    PREPARE(dtype, true);
    TEMP(natural, dtype, result);
    CONSTANT(scale, real, row.fn == Op::Log2 ? 1.4426950408889634074 : 0.43429448190325182765);
    int64_t parts[1] = {2 * result->size};
    View from = reshaped(natural, 1, parts), to = reshaped(result, 1, parts);
    from.t.dtype = to.t.dtype = real;
    from.strides[0] = to.strides[0] = item_size(real);
    XPU_TRY(run(ctx, Op::Log, {in(operands.in(0)), out(natural)}));
    XPU_TRY(run(ctx, Op::Mul, {in(from), in(scale), out(to)}));
    return operands.finish();
}

ASCEND_FORM(clip) {
    int32_t dtype = call->out[0]->dtype;
    PREPARE(dtype);
    View both(operands.in(0)->ndim ? operands.in(0) : operands.in(1)); /* the shape of the first two broadcast together */
    for (int i = 0; i < operands.in(1)->ndim; ++i)
        if (both.shape[i] == 1) both.shape[i] = operands.in(1)->shape[i];
    both.update();
    TEMP(raised, dtype, &both.t);
    XPU_TRY(run(ctx, Op::Maximum, {in(operands.in(0)), in(operands.in(1)), out(raised)}));
    XPU_TRY(run(ctx, Op::Minimum, {in(raised), in(operands.in(2)), out(result)}));
    return operands.finish();
}

ASCEND_FORM(where) {
    PREPARE(run_as(call->out[0]->dtype));
    XPU_TRY(run(ctx, Op::SWhere, {in(operands.in(0)), in(operands.in(1)), in(operands.in(2)), out(result)}));
    return operands.finish();
}

} // namespace ascend
