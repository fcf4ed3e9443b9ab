/* Operands brought to what aclnn takes. */
#include "view.h"

#include <cstring>
#include <list>
#include <mutex>

#include "error.h"

namespace ascend {

View &View::operator=(const xpu_tensor &source) {
    t = source;
    if (source.ndim) {
        std::memmove(shape, source.shape, source.ndim * sizeof(int64_t));
        std::memmove(strides, source.strides, source.ndim * sizeof(int64_t));
    }
    t.shape = shape;
    t.strides = strides;
    for (int i = 0; i < source.ndim; ++i) /* of no meaning there, but aclnn refuses them */
        if (strides[i] < 0 && shape[i] <= 1) strides[i] = item_size(source.dtype);
    return *this;
}

void View::update() {
    t.size = 1;
    for (int i = 0; i < t.ndim; ++i) t.size *= shape[i];
}

bool is_scalar(const xpu_tensor *t) { return t->base == nullptr && t->size != 0; }

bool has_negative_strides(const xpu_tensor *t) {
    for (int i = 0; i < t->ndim; ++i)
        if (t->strides[i] < 0 && t->shape[i] > 1) return true;
    return false;
}

bool is_contiguous(const xpu_tensor *t) {
    int64_t step = item_size(t->dtype);
    for (int i = t->ndim - 1; i >= 0; --i) {
        if (t->shape[i] != 1 && t->strides[i] != step) return false;
        step *= t->shape[i];
    }
    return true;
}

bool is_aligned(const xpu_tensor *t) {
    int64_t item = item_size(t->dtype), misfit = t->offset % item;
    for (int i = 0; i < t->ndim; ++i)
        if (t->shape[i] > 1) misfit |= t->strides[i] % item;
    return misfit == 0;
}

bool overlaps(const xpu_tensor *a, const xpu_tensor *b) {
    if (a->base != b->base || !a->base || !a->size || !b->size) return false;
    const xpu_tensor *ts[2] = {a, b};
    int64_t low[2], high[2];
    for (int k = 0; k < 2; ++k) {
        low[k] = high[k] = ts[k]->offset;
        for (int i = 0; i < ts[k]->ndim; ++i) (ts[k]->strides[i] < 0 ? low : high)[k] += (ts[k]->shape[i] - 1) * ts[k]->strides[i];
        high[k] += item_size(ts[k]->dtype);
    }
    return low[0] < high[1] && low[1] < high[0];
}

bool same_layout(const xpu_tensor *a, const xpu_tensor *b) {
    if (a->base != b->base || a->offset != b->offset || a->dtype != b->dtype || a->ndim != b->ndim) return false;
    for (int i = 0; i < a->ndim; ++i)
        if (a->shape[i] != b->shape[i] || (a->strides[i] != b->strides[i] && a->shape[i] > 1)) return false;
    return true;
}

int32_t moved_as(int32_t dtype) {
    switch (dtype) {
    case XPU_UINT16: return XPU_INT16;
    case XPU_UINT32: return XPU_INT32;
    case XPU_UINT64:
    case XPU_FLOAT64:
    case XPU_COMPLEX64: return XPU_INT64;
    case XPU_COMPLEX128: return -1;
    default: return dtype;
    }
}

void collapse(View *views, int n) {
    int ndim = views[0].t.ndim, m = 0;
    for (int i = 0; i < ndim; ++i) { /* axes of length 1 go */
        if (views[0].shape[i] == 1) continue;
        for (int k = 0; k < n; ++k) views[k].shape[m] = views[k].shape[i], views[k].strides[m] = views[k].strides[i];
        ++m;
    }
    int last = m ? 0 : -1;
    for (int i = 1; i < m; ++i) { /* does axis i continue axis `last` in all operands? */
        bool merges = true;
        for (int k = 0; k < n && merges; ++k) merges = views[k].strides[last] == views[k].shape[i] * views[k].strides[i];
        if (!merges) ++last;
        for (int k = 0; k < n; ++k) {
            views[k].shape[last] = merges ? views[k].shape[last] * views[k].shape[i] : views[k].shape[i];
            views[k].strides[last] = views[k].strides[i];
        }
    }
    for (int k = 0; k < n; ++k) views[k].t.ndim = last + 1;
}

void unbroadcast(View *view) {
    for (int i = 0; i < view->t.ndim; ++i)
        if (view->strides[i] == 0) view->shape[i] = 1;
    int64_t step = item_size(view->t.dtype);
    for (int i = view->t.ndim - 1; i >= 0; --i) { /* the stride of an axis of length 1 is free: the contiguous one keeps views simple */
        if (view->shape[i] == 1) view->strides[i] = step;
        step = view->strides[i] * view->shape[i];
    }
    view->update();
}

namespace {

/* Moves the offset to the lowest element so that all strides are positive; gives the axes that run backwards. */
int make_positive(View *view, int64_t *flipped) {
    int n = 0;
    for (int i = 0; i < view->t.ndim; ++i)
        if (view->strides[i] < 0 && view->shape[i] > 1) {
            view->t.offset += (view->shape[i] - 1) * view->strides[i];
            view->strides[i] = -view->strides[i];
            flipped[n++] = i;
        }
    return n;
}

struct Constant {
    int32_t device, dtype;
    xpu_stream stream;
    xpu_value value;
    void *memory;
};
std::list<Constant> g_constants;
std::mutex g_lock;
constexpr size_t kMaxConstants = 256;
constexpr size_t kConstantBytes = 512;

} // namespace

xpu_status Ready::prepare(const Context &ctx, const xpu_tensor *source) {
    view_ = *source;
    int64_t flipped[XPU_MAX_NDIM];
    int n = make_positive(&view_, flipped);
    if (n == 0) return XPU_OK;
    int32_t moved = moved_as(source->dtype);
    if (moved < 0) moved = source->dtype; /* complex128: the AI CPU turns it */
    temp_.reset(new Temp(ctx, source->dtype, source));
    if (!temp_->ok()) return fail(XPU_OUT_OF_MEMORY, "no device memory for the copy of a reversed operand");
    View to(&temp_->tensor);
    view_.t.dtype = to.t.dtype = moved;
    return run(ctx, Op::Flip, {in(view_), ints(flipped, n), out(to)});
}

xpu_status constant(const Context &ctx, const xpu_scalar &scalar_value, View *result) {
    int item = item_size(scalar_value.dtype);
    result->t = xpu_tensor{};
    result->t.dtype = scalar_value.dtype;
    result->t.size = 1;
    result->t.nbytes = item;
    result->t.shape = result->shape;
    result->t.strides = result->strides;
    std::unique_lock<std::mutex> guard(g_lock);
    for (auto it = g_constants.begin(); it != g_constants.end(); ++it)
        if (it->stream == ctx.stream && it->device == ctx.device && it->dtype == scalar_value.dtype &&
            std::memcmp(&it->value, &scalar_value.value, item) == 0) {
            g_constants.splice(g_constants.begin(), g_constants, it);
            result->t.base = it->memory;
            return XPU_OK;
        }
    guard.unlock(); /* the pool may call hooks of Python, whose lock another thread here may hold */
    Constant c{ctx.device, scalar_value.dtype, ctx.stream, scalar_value.value,
               services->workspace_alloc(ctx.device, ctx.stream, kConstantBytes)};
    if (!c.memory) return fail(XPU_OUT_OF_MEMORY, "no device memory for a constant");
    result->t.base = c.memory;
    xpu_status status = run(ctx, Op::InplaceFillScalar, {out(*result), scalar(scalar_value)});
    if (status != XPU_OK) {
        services->workspace_free(ctx.device, ctx.stream, c.memory);
        return status;
    }
    std::list<Constant> old;
    guard.lock();
    g_constants.push_front(c);
    if (g_constants.size() > kMaxConstants) old.splice(old.begin(), g_constants, std::prev(g_constants.end()));
    guard.unlock();
    for (const Constant &o : old) services->workspace_free(o.device, o.stream, o.memory);
    return XPU_OK;
}

void forget_constants(int32_t device, xpu_stream stream) {
    std::list<Constant> old;
    {
        std::lock_guard<std::mutex> guard(g_lock);
        for (auto it = g_constants.begin(); it != g_constants.end();) {
            auto next = std::next(it);
            if (it->device == device && it->stream == stream) old.splice(old.begin(), g_constants, it);
            it = next;
        }
    }
    for (const Constant &o : old) services->workspace_free(o.device, o.stream, o.memory);
}

xpu_status runtime_copy(const Context &ctx, void *dst, const void *src, int64_t nbytes) {
    if (nbytes == 0) return XPU_OK; /* which ACL refuses */
    int code = acl.aclrtMemcpyAsync(dst, nbytes, src, nbytes, ACL_MEMCPY_DEVICE_TO_DEVICE, ctx.stream);
    return code == 0 ? XPU_OK : acl_failed(code, "aclrtMemcpyAsync", ctx.device);
}

xpu_status copy_view(const Context &ctx, const xpu_tensor *to, const xpu_tensor *from) {
    View views[2] = {View(to), View(from)};
    collapse(views, 2);
    if (views[0].t.ndim > kMaxRank) return fail(XPU_NOT_SUPPORTED, "a copy over %d axes that do not collapse", views[0].t.ndim);
    int32_t moved = moved_as(to->dtype);
    int64_t bytes = to->size * item_size(to->dtype);
    if (is_contiguous(views[0]) && is_contiguous(views[1]))
        return runtime_copy(ctx, static_cast<char *>(to->base) + to->offset, static_cast<const char *>(from->base) + from->offset, bytes);
    if (moved >= 0) views[0].t.dtype = views[1].t.dtype = moved;
    /* the same axes backwards on both sides: run both forwards */
    for (int i = 0; i < views[0].t.ndim; ++i)
        if (views[0].strides[i] < 0)
            for (View &v : views) v.t.offset += (v.shape[i] - 1) * v.strides[i], v.strides[i] = -v.strides[i];
    unbroadcast(&views[1]);
    Ready source;
    XPU_TRY(source.prepare(ctx, views[1]));
    return run(ctx, Op::InplaceCopy, {out(views[0]), in(source)});
}

} // namespace ascend
