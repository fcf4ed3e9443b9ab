/* Launches: the native kernel, then a plan, then the host. */
#include <cstring>

#include "runtime.h"

namespace xpu {

xpu_status launch(xpu_call *call) {
    xpu_status status = ensure_open();
    if (status != XPU_OK) return status;
    const xpu_backend *b = active.backend.load(std::memory_order_relaxed);
    status = b->compute.launch(b->ctx, call);
    if (XPU_LIKELY(status == XPU_OK)) return status;
    const xpu_op_info *info = op_info(call->op);
    thread().last_op = call->op;
    return fail_from(b, status, info ? info->name : "launch");
}

xpu_support supports(const xpu_call *call) {
    if (ensure_open() != XPU_OK) return XPU_NO;
    const xpu_backend *b = active.backend;
    return b->compute.supports(b->ctx, call);
}

static xpu_status copy(void *dst, const void *src, size_t nbytes, int32_t kind, int32_t device) {
    if (active.caps & XPU_CAP_HOST_MEMORY) {
        std::memcpy(dst, src, nbytes);
        return XPU_OK;
    }
    const xpu_backend *b = active.backend;
    xpu_status status = b->runtime.memcpy_async(b->ctx, dst, src, nbytes, kind, device, thread().stream);
    return status == XPU_OK ? status : fail_from(b, status, "copying memory");
}

xpu_status read(void *dst, const xpu_storage *src, int64_t offset, size_t nbytes) {
    return copy(dst, static_cast<const char *>(src->base) + offset, nbytes, XPU_DEVICE_TO_HOST, src->device);
}

xpu_status write(xpu_storage *dst, int64_t offset, const void *src, size_t nbytes) {
    return copy(static_cast<char *>(dst->base) + offset, src, nbytes, XPU_HOST_TO_DEVICE, dst->device);
}

xpu_status synchronize() {
    const xpu_backend *b = active.backend;
    if (!b || (active.caps & XPU_CAP_HOST_MEMORY)) return XPU_OK;
    Thread &t = thread();
    xpu_status status = b->runtime.stream_synchronize(b->ctx, t.device, t.stream);
    return status == XPU_OK ? status : fail_from(b, status, "synchronizing");
}

} // namespace xpu
