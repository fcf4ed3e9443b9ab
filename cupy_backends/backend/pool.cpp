/* First, plain pool: blocks are kept by exact rounded size. */
#include "pool.h"

#include <mutex>
#include <unordered_map>
#include <vector>

namespace xpu {
namespace {

std::mutex lock;
std::unordered_map<size_t, std::vector<void *>> cached[kMaxDevices];
std::unordered_map<void *, xpu_storage *> workspaces;

size_t rounded(int32_t device, size_t nbytes) {
    const xpu_device_props *p = device_props(device);
    size_t unit = p->alignment > 0 ? p->alignment : 64, n = nbytes + p->padding;
    return n ? (n + unit - 1) / unit * unit : unit;
}

} // namespace

xpu_status alloc(size_t nbytes, xpu_storage **out) {
    xpu_status status = ensure_open();
    if (status != XPU_OK) return status;
    Thread &t = thread();
    if (nbytes > SIZE_MAX / 4) return fail(XPU_OUT_OF_MEMORY, "an array of %zu bytes is too large", nbytes);
    size_t n = rounded(t.device, nbytes);
    void *p = nullptr;
    {
        std::lock_guard<std::mutex> g(lock);
        auto &list = cached[t.device][n];
        if (!list.empty()) p = list.back(), list.pop_back();
    }
    const xpu_backend *b = active.backend;
    if (!p && (status = b->runtime.malloc(b->ctx, t.device, n, &p)) != XPU_OK)
        return fail(status, "out of memory allocating %zu bytes", nbytes);
    *out = new xpu_storage{p, nbytes, t.device, 1, t.stream, nullptr, nullptr, reinterpret_cast<void *>(n), nullptr, 0};
    return XPU_OK;
}

xpu_status wrap(void *ptr, size_t nbytes, int32_t device, void (*free_fn)(void *), void *arg, xpu_storage **out) {
    xpu_status status = ensure_open();
    if (status != XPU_OK) return status;
    *out = new xpu_storage{ptr, nbytes, device, 1, thread().stream, free_fn, arg, nullptr, nullptr, 0};
    return XPU_OK;
}

void retain(xpu_storage *s) { __atomic_add_fetch(&s->refs, 1, __ATOMIC_RELAXED); }

void release(xpu_storage *s) {
    if (__atomic_sub_fetch(&s->refs, 1, __ATOMIC_ACQ_REL)) return;
    if (s->block) {
        std::lock_guard<std::mutex> g(lock);
        cached[s->device][reinterpret_cast<size_t>(s->block)].push_back(s->base);
    } else if (s->free_fn) {
        s->free_fn(s->free_arg);
    }
    delete s;
}

void shrink(xpu_storage *, size_t) {}

void *workspace_alloc(int32_t, xpu_stream, size_t nbytes) {
    xpu_storage *s = nullptr;
    if (alloc(nbytes, &s) != XPU_OK) return nullptr;
    std::lock_guard<std::mutex> g(lock);
    workspaces[s->base] = s;
    return s->base;
}

void workspace_free(int32_t, xpu_stream, void *ptr) {
    xpu_storage *s;
    {
        std::lock_guard<std::mutex> g(lock);
        s = workspaces[ptr];
        workspaces.erase(ptr);
    }
    release(s);
}

void drop_magazine(Thread *) {}
void pools_before_fork() { lock.lock(); }
void pools_after_fork(bool) { lock.unlock(); }

} // namespace xpu
