/* Opening of backends. The one in use is opened by the first call that needs a device, never at import. */
#include <pthread.h>

#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "pool.h"
#include "runtime.h"

namespace xpu {

Active active;
Loader loader = nullptr;

namespace {

std::mutex open_lock;
xpu_device_props props[kMaxDevices];

const xpu_backend *host_for_services() { return open_host() == XPU_OK ? active.host.load() : nullptr; }

const xpu_services the_services = {XPU_ABI_VERSION, sizeof(xpu_services), workspace_alloc, workspace_free, host_for_services};

xpu_status enter(const char *name, const xpu_backend **out) {
    if (!loader) return fail(XPU_INTERNAL_ERROR, "no loader of backends");
    xpu_backend_entry_fn entry = nullptr;
    xpu_status status = loader(name, &entry);
    if (status != XPU_OK) return status;
    return call_entry(entry, out);
}

/* Device properties, asked once. */
xpu_status read_props(const xpu_backend *b) {
    int32_t n = 0;
    xpu_status status = b->runtime.device_count(b->ctx, &n);
    if (status != XPU_OK) return fail_from(b, status, "counting devices");
    if (n <= 0) return fail(XPU_NOT_FOUND, "backend '%s' has no device", b->name);
    active.devices = n < kMaxDevices ? n : kMaxDevices;
    for (int i = 0; i < active.devices; ++i) {
        props[i].struct_size = sizeof(xpu_device_props);
        status = b->runtime.device_props(b->ctx, i, &props[i]);
        if (status != XPU_OK) return fail_from(b, status, "reading device properties");
    }
    active.caps = props[0].caps;
    return XPU_OK;
}

void after_fork_in_child() {
    if (active.backend.load() && !(active.caps & XPU_CAP_FORK)) active.forked = true;
    pools_after_fork();
    if (active.forked) set_hooks(nullptr); /* allocations take the slow path, which says why they fail */
}

} // namespace

const xpu_services *services() { return &the_services; }

static xpu_status check_backend(xpu_status status, const xpu_backend *b, const char *message) {
    if (status != XPU_OK) return fail(status, "%s", message && *message ? message : "the backend cannot be opened");
    if (!b || b->abi_version != XPU_ABI_VERSION || b->struct_size < sizeof(xpu_backend) || b->call_size != sizeof(xpu_call) ||
        b->tensor_size != sizeof(xpu_tensor))
        return fail(XPU_INTERNAL_ERROR, "backend '%s' was built for another version of xpu_backend.h (needs ABI %d)",
                    b && b->name ? b->name : "?", XPU_ABI_VERSION);
    return XPU_OK;
}

void *(*unlock_python)() = nullptr;
void (*lock_python)(void *) = nullptr;

xpu_status wait_device(int32_t device) {
    const xpu_backend *b = active.backend.load(std::memory_order_acquire);
    if (!b || (active.caps & XPU_CAP_HOST_MEMORY)) return XPU_OK;
    Unlocked unlocked;
    xpu_status status = b->runtime.device_synchronize(b->ctx, device);
    return status == XPU_OK ? status : fail_from(b, status, "synchronizing the device");
}

xpu_status fail_forked() {
    return fail(XPU_FORKED,
                "the %s backend was opened before fork() and cannot be used in the child: start processes with the 'spawn' method",
                active.backend.load()->name);
}

/* Never destroyed: threads may outlive static objects. An entry function may ask for the host, which has one too. */
struct Entries {
    std::recursive_mutex lock;
    std::vector<std::pair<xpu_backend_entry_fn, const xpu_backend *>> opened;
};

xpu_status call_entry(xpu_backend_entry_fn entry, const xpu_backend **out) {
    static auto *entries = new Entries();
    {
        Unlocked unlocked; /* the one inside may be opening the host through Python */
        entries->lock.lock();
    }
    std::lock_guard<std::recursive_mutex> guard(entries->lock, std::adopt_lock);
    for (auto &e : entries->opened) {
        if (e.first != entry) continue;
        *out = e.second;
        return XPU_OK;
    }
    const char *message = nullptr;
    xpu_status status = entry(&the_services, out, &message);
    status = check_backend(status, *out, message);
    if (status == XPU_OK) entries->opened.emplace_back(entry, *out);
    return status;
}

xpu_status open_host() {
    if (active.host.load(std::memory_order_acquire)) return XPU_OK;
    const xpu_backend *b = nullptr;
    xpu_status status = enter("host", &b);
    if (status == XPU_OK) active.host.store(b, std::memory_order_release);
    return status;
}

xpu_status open_backend() {
    if (active.backend.load(std::memory_order_acquire)) return XPU_OK;
    const xpu_backend *b = nullptr;
    xpu_status status = enter(nullptr, &b); /* takes the GIL: no lock of ours may be held */
    if (status != XPU_OK) return status;
    std::lock_guard<std::mutex> guard(open_lock);
    if (active.backend.load()) return XPU_OK;
    status = read_props(b);
    if (status != XPU_OK) return status;
    static bool handlers = false;
    if (!handlers) pthread_atfork(pools_before_fork, pools_after_fork, after_fork_in_child);
    handlers = true;
    if ((status = open_pools()) != XPU_OK) return status;
    if (std::strcmp(b->name, "host") == 0) {
        active.host.store(b);
        direct.store(b);
    }
    active.backend.store(b, std::memory_order_release);
    return XPU_OK;
}

const xpu_device_props *device_props(int32_t device) {
    return device >= 0 && device < active.devices ? &props[device] : nullptr;
}

} // namespace xpu
