/* The table of xpu_runtime.h. */
#include "runtime.h"

namespace xpu {
namespace {

const xpu_backend *backend() { return active.backend.load(std::memory_order_acquire); }
const xpu_backend *host() { return open_host() == XPU_OK ? active.host.load() : nullptr; }
uint32_t caps() { return active.caps; }

void current(int32_t *device, xpu_stream *stream) {
    Thread &t = thread();
    *device = t.device;
    *stream = t.stream;
}

xpu_status set_device(int32_t device) {
    xpu_status status = ensure_open();
    if (status != XPU_OK) return status;
    if (device < 0 || device >= active.devices)
        return fail(XPU_INVALID_DEVICE, "invalid device ordinal %d: the %s backend has %d device(s)", device, backend()->name,
                    active.devices.load());
    Thread &t = thread();
    if (t.device == device) return XPU_OK;
    status = backend()->runtime.set_device(backend()->ctx, device);
    if (status != XPU_OK) return fail_from(backend(), status, "selecting the device");
    t.device = device;
    t.stream = nullptr;
    t.magazine = nullptr;
    return XPU_OK;
}

void set_stream(int32_t device, xpu_stream stream) {
    Thread &t = thread();
    if (t.device != device || t.stream == stream) return;
    t.stream = stream;
    if (!(active.caps & XPU_CAP_HOST_MEMORY)) t.magazine = nullptr;
}

const char *last_error() { return thread().error; }
int32_t last_op() { return thread().last_op; }

} // namespace

const xpu_core_api core_api = {
    XPU_ABI_VERSION, sizeof(xpu_core_api), op_table, XPU_OP_LIMIT, open_backend, backend, host, caps, current, set_device,
    set_stream, alloc, wrap, retain, release, shrink, launch, supports, read, write, synchronize, last_error, last_op,
};

} // namespace xpu
