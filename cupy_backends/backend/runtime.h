/* Inside of the runtime: state shared by registry, pool and dispatch. No Python here; module.cpp has all of that. */
#ifndef XPU_RUNTIME_INTERNAL_H
#define XPU_RUNTIME_INTERNAL_H

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "xpu_manage.h"
#include "xpu_ops.h"
#include "xpu_runtime.h"

namespace xpu {

#define XPU_LIKELY(x) __builtin_expect(!!(x), 1)
#define XPU_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* --- op table (ops.cpp) --- */
extern xpu_op_info op_table[XPU_OP_LIMIT];
const xpu_op_info *op_info(int32_t op);   /* nullptr if there is no such op */

/* --- state of a thread (thread.cpp) --- */
struct Magazine;
struct Thread {
    Magazine *magazine = nullptr;   /* small blocks at hand, of the current device and stream */
    Magazine *magazines = nullptr;  /* all of this thread */
    xpu_storage *records = nullptr; /* storages to be used again */
    int32_t nrecords = 0;
    int32_t device = 0;
    xpu_stream stream = nullptr;
    int32_t last_op = -1;
    bool deferred = false;        /* index errors wait for the next synchronisation */
    xpu_status pending = XPU_OK;
    char pending_text[256];
    char error[1024];
};
extern __thread Thread *this_thread __attribute__((tls_model("initial-exec")));
Thread *make_thread(); /* first use in this thread */
inline Thread &thread() { return XPU_LIKELY(this_thread != nullptr) ? *this_thread : *make_thread(); }

xpu_status fail(xpu_status status, const char *format, ...) __attribute__((format(printf, 2, 3))); /* sets the thread's error text */
xpu_status fail_from(const xpu_backend *b, xpu_status status, const char *what);                   /* with the backend's own text */

/* --- registry (registry.cpp) --- */
struct Active {
    std::atomic<const xpu_backend *> backend{nullptr};
    std::atomic<const xpu_backend *> host{nullptr};
    std::atomic<bool> forked{false}; /* a child of a process whose backend does not survive fork() */
    std::atomic<uint32_t> caps{0};
    std::atomic<int32_t> devices{0};
};
extern Active active;
/* Finds the entry function of a backend: by Python in the extension, by hand in the C++ driver. `name` NULL: the one in use. */
typedef xpu_status (*Loader)(const char *name, xpu_backend_entry_fn *entry);
extern Loader loader;
const xpu_services *services();
xpu_status open_backend();
xpu_status open_host();
xpu_status fail_forked(); /* for a child of a process whose backend does not survive fork() */
/* Calls an entry function and looks whether what it gave fits. One at a time, and never again after it succeeded. */
xpu_status call_entry(xpu_backend_entry_fn entry, const xpu_backend **out);
inline xpu_status ensure_open() { return XPU_LIKELY(active.backend.load(std::memory_order_acquire) != nullptr) ? XPU_OK : open_backend(); }
const xpu_device_props *device_props(int32_t device);
constexpr int kMaxDevices = 64;

/* --- waiting ---
 * Nobody waits for a device with Python's lock held: host functions of its streams may need it. The extension sets these; in a program
 * without Python they are empty. */
extern void *(*unlock_python)();
extern void (*lock_python)(void *state);
class Unlocked {
  public:
    Unlocked() : state_(unlock_python ? unlock_python() : nullptr) {}
    ~Unlocked() {
        if (state_) lock_python(state_);
    }
    Unlocked(const Unlocked &) = delete;

  private:
    void *state_;
};
xpu_status wait_device(int32_t device);

/* --- memory (pool.cpp) --- */
xpu_status alloc(size_t nbytes, xpu_storage **out);
xpu_status wrap(void *ptr, size_t nbytes, int32_t device, void (*free_fn)(void *), void *arg, xpu_storage **out);
void retain(xpu_storage *s);
void release(xpu_storage *s);
void shrink(xpu_storage *s, size_t nbytes);
void *workspace_alloc(int32_t device, xpu_stream stream, size_t nbytes);
void workspace_free(int32_t device, xpu_stream stream, void *ptr);

/* --- dispatch (dispatch.cpp) --- */
xpu_status launch(xpu_call *call);
xpu_support supports(const xpu_call *call);
xpu_status read(void *dst, const xpu_storage *src, int64_t offset, size_t nbytes);
xpu_status write(xpu_storage *dst, int64_t offset, const void *src, size_t nbytes);
xpu_status synchronize();

extern std::atomic<const xpu_backend *> direct; /* the host backend where it is the one in use: launches go straight to it */

extern const xpu_core_api core_api;     /* api.cpp */
extern const xpu_manage_api manage_api; /* manage.cpp */

} // namespace xpu
#endif
