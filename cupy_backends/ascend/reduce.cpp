/* Reductions over any axes, arg-reductions and scans. */
#include <cmath>
#include <cstring>

#include "compute.h"
#include "error.h"

namespace ascend {

#define TEMP(name, ...)                                                                                                                    \
    Temp name(ctx, __VA_ARGS__);                                                                                                           \
    if (!name.ok()) return fail(XPU_OUT_OF_MEMORY, "no device memory for a temporary")

namespace {

/* The input with at most 8 axes: axes that are all kept or all reduced are merged where strides allow. */
struct Reduction {
    View source; /* as collapsed */
    Ready ready; /* what aclnn reads */
    View target; /* the output with length 1 on reduced axes */
    int64_t axes[XPU_MAX_NDIM];
    int naxes = 0;

    xpu_status prepare(const Context &ctx, const xpu_call *call);
};

xpu_status Reduction::prepare(const Context &ctx, const xpu_call *call) {
    const xpu_tensor *x = call->in[0], *y = call->out[0];
    const xpu_params *p = call->params;
    bool reduced[XPU_MAX_NDIM] = {}, kind[XPU_MAX_NDIM];
    for (int i = 0; p && i < p->naxes; ++i) reduced[p->axes[i]] = true;
    source = *x;
    target = *y;
    int m = 0;
    for (int i = 0; i < x->ndim; ++i) {
        if (x->shape[i] == 1) continue;
        bool merges = m && kind[m - 1] == reduced[i] && source.strides[m - 1] == x->shape[i] * x->strides[i] &&
                      (reduced[i] || target.strides[m - 1] == y->shape[i] * y->strides[i]);
        if (merges) {
            source.shape[m - 1] *= x->shape[i];
            source.strides[m - 1] = x->strides[i];
            if (!reduced[i]) target.shape[m - 1] *= y->shape[i], target.strides[m - 1] = y->strides[i];
            continue;
        }
        source.shape[m] = x->shape[i];
        source.strides[m] = x->strides[i];
        target.shape[m] = reduced[i] ? 1 : y->shape[i];
        target.strides[m] = y->strides[i];
        kind[m++] = reduced[i];
    }
    source.t.ndim = target.t.ndim = m;
    source.t.dtype = run_as(source.t.dtype);
    target.t.dtype = run_as(target.t.dtype);
    if (m > kMaxRank) return fail(XPU_NOT_SUPPORTED, "a reduction over %d axes that do not merge", m);
    int64_t step = item_size(target.t.dtype);
    for (int i = m - 1; i >= 0; --i) {
        if (target.shape[i] == 1) target.strides[i] = step;
        if (kind[i]) axes[naxes++] = i;
        step = std::abs(target.strides[i]) * target.shape[i];
    }
    for (int i = 0; i < naxes / 2; ++i) std::swap(axes[i], axes[naxes - 1 - i]);
    if (has_negative_strides(target)) return XPU_NOT_SUPPORTED;
    return ready.prepare(ctx, source);
}

/* Runs body(into) straight into the output, or into a temporary that is then combined with what the output holds. */
template <class F> xpu_status with_initial(const Context &ctx, const xpu_call *call, const Reduction &r, Op combine, bool alpha, F body) {
    if (!(call->flags & XPU_FLAG_INITIAL)) return body(static_cast<const xpu_tensor *>(r.target));
    if (call->in[0]->size == 0) return XPU_OK; /* the output holds the answer */
    TEMP(part, r.target.t.dtype, &r.target.t);
    TEMP(total, r.target.t.dtype, &r.target.t);
    XPU_TRY(body(static_cast<const xpu_tensor *>(part)));
    if (alpha) XPU_TRY(run(ctx, combine, {in(r.target), in(part), scalar(scalar_of_int(r.target.t.dtype, 1)), out(total)}));
    else XPU_TRY(run(ctx, combine, {in(r.target), in(part), out(total)}));
    return copy_view(ctx, r.target, total);
}

/* Nothing to reduce over: a copy. */
xpu_status plain(const Context &ctx, const Reduction &r, const xpu_tensor *into, const xpu_tensor *source) {
    if (source->dtype == into->dtype) return copy_view(ctx, into, source);
    return cast(ctx, into, source) & XPU_CODE_MASK;
}

} // namespace

/* float16 sums are formed in float32 and rounded once. */
ASCEND_FORM(sum) {
    Reduction r;
    XPU_TRY(r.prepare(ctx, call));
    if (call->in[0]->size == 0 && call->out[0]->dtype >= XPU_COMPLEX64) { /* which aclnnReduceSum refuses */
        if (call->flags & XPU_FLAG_INITIAL) return XPU_OK;
        xpu_scalar zero{};
        zero.dtype = r.target.t.dtype;
        return fill_contiguous(ctx, r.target, zero);
    }
    return with_initial(ctx, call, r, Op::Add, true, [&](const xpu_tensor *into) -> xpu_status {
        if (r.naxes == 0) return plain(ctx, r, into, r.ready);
        if (into->dtype != XPU_FLOAT16)
            return run(ctx, row.fn, {in(r.ready), ints(r.axes, r.naxes), flag(true), dtype(into->dtype), out(into)});
        TEMP(wide, XPU_FLOAT32, into);
        XPU_TRY(run(ctx, row.fn, {in(r.ready), ints(r.axes, r.naxes), flag(true), dtype(XPU_FLOAT32), out(wide)}));
        return cast(ctx, into, wide);
    });
}

/* aclnn has no product over several axes: one after the other. */
ASCEND_FORM(prod) {
    Reduction r;
    XPU_TRY(r.prepare(ctx, call));
    return with_initial(ctx, call, r, Op::Mul, false, [&](const xpu_tensor *into) -> xpu_status {
        if (r.naxes == 0) return plain(ctx, r, into, r.ready);
        std::unique_ptr<Temp> before;
        const xpu_tensor *x = r.ready;
        for (int i = 0; i < r.naxes; ++i) {
            if (i == r.naxes - 1) return run(ctx, row.fn, {in(x), integer(r.axes[i]), flag(true), dtype(into->dtype), out(into)});
            View shape(x);
            shape.shape[r.axes[i]] = 1;
            shape.update();
            std::unique_ptr<Temp> next(new Temp(ctx, into->dtype, &shape.t));
            if (!next->ok()) return fail(XPU_OUT_OF_MEMORY, "no device memory for a temporary");
            XPU_TRY(run(ctx, row.fn, {in(x), integer(r.axes[i]), flag(true), dtype(into->dtype), out(&next->tensor)}));
            before = std::move(next);
            x = *before;
        }
        return XPU_OK;
    });
}

ASCEND_FORM(extreme) {
    Reduction r;
    XPU_TRY(r.prepare(ctx, call));
    return with_initial(ctx, call, r, row.fn == Op::Amax ? Op::Maximum : Op::Minimum, false, [&](const xpu_tensor *into) -> xpu_status {
        if (r.naxes == 0) return plain(ctx, r, into, r.ready);
        return run(ctx, row.fn, {in(r.ready), ints(r.axes, r.naxes), flag(true), out(into)});
    });
}

ASCEND_FORM(truth) {
    Reduction r;
    XPU_TRY(r.prepare(ctx, call));
    return with_initial(ctx, call, r, row.fn == Op::Any ? Op::LogicalOr : Op::LogicalAnd, false, [&](const xpu_tensor *into) -> xpu_status {
        if (r.naxes == 0) return plain(ctx, r, into, r.ready);
        return run(ctx, row.fn, {in(r.ready), ints(r.axes, r.naxes), flag(true), out(into)});
    });
}

ASCEND_FORM(count_nonzero) {
    Reduction r;
    XPU_TRY(r.prepare(ctx, call));
    const xpu_tensor *x = r.ready;
    View zero;
    TEMP(nonzero, XPU_BOOL, x);
    XPU_TRY(scalar_tensor(ctx, x->dtype, 0, &zero));
    XPU_TRY(run(ctx, Op::NeTensor, {in(x), in(zero), out(nonzero)}));
    if (r.naxes == 0) return cast(ctx, r.target, nonzero);
    TEMP(number, XPU_INT64, x);
    XPU_TRY(cast(ctx, number, nonzero) & XPU_CODE_MASK);
    return run(ctx, row.fn, {in(number), ints(r.axes, r.naxes), flag(true), dtype(XPU_INT64), out(r.target)});
}

/* The first place of the extreme; NaN counts as one. aclnnArgMax promises neither. */
ASCEND_FORM(argextreme) {
    const xpu_tensor *x = call->in[0];
    bool all = !call->params || call->params->naxes != 1 || x->ndim == 1;
    View line(x);
    std::unique_ptr<Temp> packed;
    int axis = all ? 0 : static_cast<int>(call->params->axes[0]);
    if (x->ndim > kMaxRank && !all) return XPU_NOT_SUPPORTED;
    if (all && (x->ndim != 1 || has_negative_strides(x))) { /* one axis, in C order */
        packed.reset(new Temp(ctx, x->dtype, x));
        if (!packed->ok()) return fail(XPU_OUT_OF_MEMORY, "no device memory for a contiguous copy");
        XPU_TRY(copy_view(ctx, *packed, x));
        line = packed->tensor;
        line.t.ndim = 1;
        line.shape[0] = x->size;
        line.strides[0] = item_size(x->dtype);
    }
    Ready ready;
    XPU_TRY(ready.prepare(ctx, line));
    int64_t n = line.shape[axis], where_axis = axis;
    View small(line), result(call->out[0]), places, nowhere;
    small.shape[axis] = 1;
    small.update();
    if (all) result.t.ndim = 1, result.shape[0] = 1, result.strides[0] = 8;
    TEMP(best, x->dtype, &small.t);
    TEMP(equal, XPU_BOOL, &line.t);
    XPU_TRY(run(ctx, row.fn, {in(ready), ints(&where_axis, 1), flag(true), out(best)}));
    XPU_TRY(run(ctx, Op::EqTensor, {in(ready), in(best), out(equal)}));
    const xpu_tensor *hit = equal;
    TEMP(nan, XPU_BOOL, &line.t);
    TEMP(either, XPU_BOOL, &line.t);
    if (x->dtype >= XPU_FLOAT16) {
        XPU_TRY(run(ctx, Op::NeTensor, {in(ready), in(ready), out(nan)}));
        XPU_TRY(run(ctx, Op::LogicalOr, {in(equal), in(nan), out(either)}));
        hit = either;
    }
    int64_t length[1] = {n};
    TEMP(index, XPU_INT64, 1, length);
    XPU_TRY(arange(ctx, index));
    places = index.tensor;
    places.t.ndim = line.t.ndim;
    for (int i = 0; i < line.t.ndim; ++i) places.shape[i] = i == axis ? n : 1, places.strides[i] = i < axis ? 8 * n : 8;
    XPU_TRY(constant(ctx, scalar_of_int(XPU_INT64, n), &nowhere));
    TEMP(candidates, XPU_INT64, &line.t);
    XPU_TRY(run(ctx, Op::SWhere, {in(hit), in(places), in(nowhere), out(candidates)}));
    TEMP(found, XPU_INT64, &small.t);
    XPU_TRY(run(ctx, Op::Amin, {in(candidates), ints(&where_axis, 1), flag(true), out(found)}));
    return copy_view(ctx, result, all ? View(&found.tensor) : View(&found.tensor));
}

ASCEND_FORM(cumsum) {
    const xpu_tensor *x = call->in[0], *y = call->out[0];
    if (x->ndim > kMaxRank || has_negative_strides(y)) return XPU_NOT_SUPPORTED;
    View source(x), target(y);
    source.t.dtype = run_as(x->dtype);
    target.t.dtype = run_as(y->dtype);
    Ready ready;
    XPU_TRY(ready.prepare(ctx, source));
    if (!overlaps(x, y)) return run(ctx, row.fn, {in(ready), integer(call->params->axes[0]), dtype(target.t.dtype), out(target)});
    TEMP(result, target.t.dtype, &target.t);
    XPU_TRY(run(ctx, row.fn, {in(ready), integer(call->params->axes[0]), dtype(target.t.dtype), out(result)}));
    return copy_view(ctx, target, result);
}

ASCEND_FORM(cumprod) {
    const xpu_tensor *x = call->in[0], *y = call->out[0];
    if (x->ndim > kMaxRank || has_negative_strides(y)) return XPU_NOT_SUPPORTED;
    Ready ready;
    XPU_TRY(ready.prepare(ctx, x));
    xpu_scalar axis = scalar_of_int(XPU_INT32, call->params->axes[0]);
    TEMP(result, y->dtype, y);
    XPU_TRY(run(ctx, row.fn, {in(ready), scalar(axis), dtype(y->dtype), out(result)}));
    return copy_view(ctx, y, result);
}

} // namespace ascend
