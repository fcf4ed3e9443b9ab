/* Views rearranged for operators on some axes. */
#include "layout.h"

namespace ascend {

View permuted(const xpu_tensor *t, const int *order, int n) {
    View v(t);
    for (int i = 0; i < n; ++i) {
        v.shape[i] = t->shape[order[i]];
        v.strides[i] = t->strides[order[i]];
    }
    v.t.ndim = n;
    return v;
}

void insert_axis(View *v, int at) {
    for (int i = v->t.ndim; i > at; --i) {
        v->shape[i] = v->shape[i - 1];
        v->strides[i] = v->strides[i - 1];
    }
    v->shape[at] = 1;
    v->strides[at] = item_size(v->t.dtype);
    ++v->t.ndim;
}

void merge_axes(View *views, int n, int *group) {
    int m = 0;
    for (int i = 0; i < views[0].t.ndim; ++i) {
        if (views[0].shape[i] == 1 && group[i] != kKept) continue;
        bool merges = m && group[i] != kKept && group[m - 1] == group[i];
        for (int k = 0; k < n && merges; ++k) merges = views[k].strides[m - 1] == views[k].shape[i] * views[k].strides[i];
        int at = merges ? m - 1 : m;
        for (int k = 0; k < n; ++k) {
            views[k].shape[at] = merges ? views[k].shape[at] * views[k].shape[i] : views[k].shape[i];
            views[k].strides[at] = views[k].strides[i];
        }
        group[at] = group[i];
        m = at + 1;
    }
    for (int k = 0; k < n; ++k) views[k].t.ndim = m;
}

View reshaped(const xpu_tensor *contiguous, int ndim, const int64_t *shape) {
    View v(contiguous);
    int64_t step = item_size(contiguous->dtype);
    v.t.ndim = ndim;
    for (int i = ndim - 1; i >= 0; --i) {
        v.shape[i] = shape[i];
        v.strides[i] = step;
        step *= shape[i];
    }
    v.update();
    return v;
}

View flat(const xpu_tensor *contiguous) { return reshaped(contiguous, 1, &contiguous->size); }

xpu_status Packed::prepare(const Context &ctx, const xpu_tensor *source) {
    view_ = *source;
    if (is_contiguous(source)) return XPU_OK;
    temp_.reset(new Temp(ctx, source->dtype, source));
    if (!temp_->ok()) return fail(XPU_OUT_OF_MEMORY, "no device memory for a contiguous copy");
    view_ = temp_->tensor;
    return copy_view(ctx, view_, source);
}

xpu_status Target::prepare(const Context &ctx, const xpu_tensor *to, bool contiguous, bool keep) {
    view_ = *to;
    if (contiguous ? is_contiguous(to) : !has_negative_strides(to)) return XPU_OK;
    temp_.reset(new Temp(ctx, to->dtype, to));
    if (!temp_->ok()) return fail(XPU_OUT_OF_MEMORY, "no device memory for a temporary of the result's size");
    return keep ? copy_view(ctx, *temp_, view_) : XPU_OK;
}

xpu_status read_back(const Context &ctx, void *to, const xpu_tensor *from) {
    size_t bytes = static_cast<size_t>(from->size) * item_size(from->dtype);
    const char *device = static_cast<const char *>(from->base) + from->offset;
    /* into pageable memory: it returns when the bytes are there */
    int code = acl.aclrtMemcpyAsync(to, bytes, device, bytes, ACL_MEMCPY_DEVICE_TO_HOST, ctx.stream);
    return code == 0 ? XPU_OK : acl_failed(code, "aclrtMemcpyAsync", ctx.device);
}

} // namespace ascend
