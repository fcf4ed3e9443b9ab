/* sort and argsort. aclnn leaves open where NaN goes and whether -0 is before +0: NaN is sorted as infinity and put right afterwards. */
#include <cmath>

#include "layout.h"

namespace ascend {

namespace {

/* The operands with the axes before and behind the sorted one merged. */
struct Lines {
    View x, y;
    Ready ready;
    int64_t axis = 0, length = 0;

    xpu_status prepare(const Context &ctx, const xpu_call *call) {
        View views[2] = {View(call->in[0]), View(call->out[0])};
        int group[XPU_MAX_NDIM], sorted = call->params && call->params->naxes ? static_cast<int>(call->params->axes[0]) : 0;
        for (int i = 0; i < views[0].t.ndim; ++i) group[i] = i < sorted ? 0 : i == sorted ? kKept : 1;
        merge_axes(views, 2, group);
        if (views[0].t.ndim > kMaxRank) return fail(XPU_NOT_SUPPORTED, "sorting over %d axes that do not merge", views[0].t.ndim);
        while (group[axis] != kKept) ++axis;
        x = views[0];
        y = views[1];
        length = x.shape[axis];
        return ready.prepare(ctx, x);
    }
    /* Whether an operator may write the output itself. */
    bool direct(const xpu_call *call) const { return !has_negative_strides(y) && !overlaps(call->in[0], call->out[0]); }
};

/* body(into) straight into the output, or through a temporary. */
template <class F> xpu_status into_output(const Context &ctx, const xpu_call *call, const Lines &lines, F body) {
    if (lines.direct(call)) return body(static_cast<const xpu_tensor *>(lines.y));
    TEMP(result, lines.y.t.dtype, &lines.y.t);
    XPU_TRY(body(static_cast<const xpu_tensor *>(result)));
    return copy_view(ctx, lines.y, result);
}

xpu_status run_sort(const Context &ctx, const xpu_tensor *keys, bool stable, int64_t axis, const xpu_tensor *values,
                    const xpu_tensor *order) {
    return run(ctx, Op::Sort, {in(keys), flag(stable), integer(axis), flag(false), out(values), out(order)});
}

/* Infinity in the place of NaN. */
xpu_status without_nan(const Context &ctx, const xpu_tensor *x, const xpu_tensor *nan, const xpu_tensor *keys) {
    CONSTANT(infinity, x->dtype, INFINITY);
    XPU_TRY(run(ctx, Op::NeTensor, {in(x), in(x), out(nan)}));
    return run(ctx, Op::SWhere, {in(nan), in(infinity), in(x), out(keys)});
}

xpu_status sort_floats(const Context &ctx, const Lines &lines, const xpu_tensor *into) {
    const xpu_tensor *x = lines.ready;
    View line(x);
    line.shape[lines.axis] = 1;
    line.update();
    TEMP(nan, XPU_BOOL, x);
    TEMP(keys, x->dtype, x);
    TEMP(values, x->dtype, x);
    TEMP(order, XPU_INT64, x);
    XPU_TRY(without_nan(ctx, x, nan, keys));
    XPU_TRY(run_sort(ctx, keys, false, lines.axis, values, order));
    /* from position length - count(NaN) on, the line is NaN */
    TEMP(count, XPU_INT64, &line.t);
    TEMP(first, XPU_INT64, &line.t);
    TEMP(place, XPU_INT64, 1, &lines.length);
    TEMP(number, XPU_BOOL, x);
    NUMBER(length, lines.length);
    CONSTANT(not_a_number, x->dtype, NAN);
    TEMP(marks, XPU_INT32, x); /* sums of bool are the AI CPU's */
    XPU_TRY(cast(ctx, marks, nan));
    XPU_TRY(run(ctx, Op::ReduceSum, {in(marks), ints(&lines.axis, 1), flag(true), dtype(XPU_INT64), out(count)}));
    XPU_TRY(run(ctx, Op::Sub, {in(length), in(count), scalar(scalar_of_int(XPU_INT64, 1)), out(first)}));
    XPU_TRY(arange(ctx, place));
    int64_t shape[kMaxRank];
    for (int i = 0; i < x->ndim; ++i) shape[i] = i == lines.axis ? lines.length : 1;
    View along = reshaped(place, x->ndim, shape);
    XPU_TRY(run(ctx, Op::LtTensor, {in(along), in(first), out(number)}));
    return run(ctx, Op::SWhere, {in(number), in(values), in(not_a_number), out(into)});
}

/* A stable order by (is NaN, value): by value first, then stably by the flags gathered in that order. */
xpu_status argsort_floats(const Context &ctx, const Lines &lines, const xpu_tensor *into) {
    const xpu_tensor *x = lines.ready;
    TEMP(nan, XPU_BOOL, x);
    TEMP(raw, x->dtype, x);
    TEMP(keys, x->dtype, x);
    TEMP(values, x->dtype, x);
    TEMP(order, XPU_INT64, x);
    CONSTANT(zero, x->dtype, 0);
    XPU_TRY(without_nan(ctx, x, nan, raw));
    XPU_TRY(run(ctx, Op::Add, {in(raw), in(zero), scalar(scalar_of_int(x->dtype, 1)), out(keys)})); /* -0 + 0 is +0 */
    XPU_TRY(run_sort(ctx, keys, true, lines.axis, values, order));
    TEMP(flags, XPU_FLOAT16, x); /* a dtype that AI Core sorts */
    TEMP(gathered, XPU_FLOAT16, x);
    TEMP(sorted, XPU_FLOAT16, x);
    TEMP(second, XPU_INT64, x);
    XPU_TRY(cast(ctx, flags, nan) & XPU_CODE_MASK);
    XPU_TRY(run(ctx, Op::Gather, {in(flags), integer(lines.axis), in(order), out(gathered)}));
    XPU_TRY(run_sort(ctx, gathered, true, lines.axis, sorted, second));
    return run(ctx, Op::Gather, {in(order), integer(lines.axis), in(second), out(into)});
}

} // namespace

ASCEND_FORM(sort) {
    (void)row;
    const xpu_tensor *x = call->in[0];
    if (is_scalar(x) || x->dtype != call->out[0]->dtype) return XPU_NOT_SUPPORTED;
    if (x->size == 0) return XPU_OK;
    if (x->ndim == 0 || x->shape[call->params->axes[0]] == 1) /* aclnn sends lines of one element to its AI CPU */
        return same_layout(x, call->out[0]) ? XPU_OK : copy_view(ctx, call->out[0], x);
    Lines lines;
    XPU_TRY(lines.prepare(ctx, call));
    bool stable = call->params->i[0] == XPU_SORT_STABLE;
    return into_output(ctx, call, lines, [&](const xpu_tensor *into) -> xpu_status {
        TEMP(order, XPU_INT64, into);
        if (x->dtype < XPU_FLOAT16) return run_sort(ctx, lines.ready, stable, lines.axis, into, order);
        if (!stable) return sort_floats(ctx, lines, into);
        XPU_TRY(argsort_floats(ctx, lines, order)); /* keeps the signs of zeros where they are */
        return run(ctx, Op::Gather, {in(lines.ready), integer(lines.axis), in(order), out(into)});
    });
}

ASCEND_FORM(argsort) {
    (void)row;
    const xpu_tensor *x = call->in[0];
    if (is_scalar(x) || call->out[0]->dtype != XPU_INT64) return XPU_NOT_SUPPORTED;
    if (x->size == 0) return XPU_OK;
    if (x->ndim == 0 || x->shape[call->params->axes[0]] == 1) {
        View zeros(call->out[0]);
        collapse(&zeros, 1);
        if (has_negative_strides(zeros) || zeros.t.ndim > kMaxRank) return XPU_NOT_SUPPORTED;
        return fill_contiguous(ctx, zeros, scalar_of_int(XPU_INT64, 0));
    }
    Lines lines;
    XPU_TRY(lines.prepare(ctx, call));
    return into_output(ctx, call, lines, [&](const xpu_tensor *into) -> xpu_status {
        if (x->dtype >= XPU_FLOAT16) return argsort_floats(ctx, lines, into);
        TEMP(values, x->dtype, into);
        return run_sort(ctx, lines.ready, true, lines.axis, values, into);
    });
}

} // namespace ascend
