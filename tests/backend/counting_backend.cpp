/* A backend as a third party would write it: `counting`. It counts calls, has no float64 or complex128, and forwards to the host's kernels.
 *
 * Its memory is pretended device memory: one range mapped twice. Addresses given out lie in the mapping that cannot be touched, kernels
 * and copies use the other one; so whoever reads device memory from the CPU crashes. Streams run at once; `counting_hold(1)` makes events
 * recorded from then on stay pending until `counting_hold(0)`; with `counting_async(1)` host functions run on other threads. Casts are
 * not done by launch (no XPU_CAP_CASTS). */
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "xpu_backend.h"
#include "xpu_ops.h"

namespace {

constexpr size_t kSpace = size_t(1) << 32; /* of addresses */
constexpr size_t kAlignment = 512;
constexpr int64_t kPadding = 32;
constexpr int kDevices = 2;

const xpu_services *g_services;
thread_local char g_error[256];
std::atomic<int64_t> g_mallocs, g_frees, g_launches, g_uploads, g_downloads, g_syncs, g_held, g_live_bytes, g_capacity{int64_t(1) << 30};
std::atomic<bool> g_hold;
std::mutex g_lock;
char *g_device, *g_twin; /* the same pages, untouchable and usable */
std::map<size_t, size_t> g_free;

struct Event {
    std::atomic<int64_t> time{0};
    std::atomic<bool> held{false};
};
struct Stream {
    int32_t device;
};

xpu_status fail(xpu_status status, const char *text) {
    std::snprintf(g_error, sizeof g_error, "%s", text);
    return status;
}

/* Host functions may run on threads of their own; then all that waits for a stream joins them. */
std::atomic<bool> g_async;
std::vector<std::thread> g_callbacks;

void join_callbacks() {
    std::vector<std::thread> list;
    {
        std::lock_guard<std::mutex> guard(g_lock);
        list.swap(g_callbacks);
    }
    for (std::thread &t : list) t.join();
}

bool map_memory() {
    int file = memfd_create("counting", 0);
    if (file < 0 || ftruncate(file, kSpace)) return false;
    void *a = mmap(nullptr, kSpace, PROT_NONE, MAP_SHARED | MAP_NORESERVE, file, 0);
    void *b = mmap(nullptr, kSpace, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    close(file);
    if (a == MAP_FAILED || b == MAP_FAILED) return false;
    g_device = static_cast<char *>(a);
    g_twin = static_cast<char *>(b);
    g_free[0] = kSpace;
    return true;
}

/* The usable address of a device address. */
char *twin(const void *p) { return g_twin + (static_cast<const char *>(p) - g_device); }

/* --- runtime --- */

xpu_status device_count(void *, int32_t *count) {
    const char *text = std::getenv("COUNTING_DEVICES");
    *count = text ? std::atoi(text) : kDevices;
    return XPU_OK;
}

xpu_status device_props(void *, int32_t device, xpu_device_props *p) {
    if (device < 0 || device >= kDevices) return fail(XPU_INVALID_DEVICE, "no such device");
    p->caps = XPU_CAP_PEER;
    std::snprintf(p->name, sizeof p->name, "Counting device (pretended)");
    std::snprintf(p->arch, sizeof p->arch, "none");
    p->total_memory = g_capacity;
    p->alignment = kAlignment;
    p->padding = kPadding;
    p->max_ndim = 8;
    p->compute_units = 1;
    p->dtypes = ((1u << XPU_BFLOAT16) - 1) & ~(1u << XPU_FLOAT64) & ~(1u << XPU_COMPLEX128);
    return XPU_OK;
}

xpu_status set_device(void *, int32_t device) { return device >= 0 && device < kDevices ? XPU_OK : fail(XPU_INVALID_DEVICE,
                                                                                                        "no such device"); }

xpu_status mem_info(void *, int32_t, int64_t *free_bytes, int64_t *total) {
    *total = g_capacity;
    *free_bytes = g_capacity - g_live_bytes;
    return XPU_OK;
}

xpu_status device_malloc(void *, int32_t, size_t nbytes, void **ptr) {
    std::lock_guard<std::mutex> guard(g_lock);
    size_t n = (nbytes + 4095) & ~size_t(4095);
    if (g_live_bytes + static_cast<int64_t>(n) > g_capacity) return fail(XPU_OUT_OF_MEMORY, "the pretended device is full");
    for (auto it = g_free.begin(); it != g_free.end(); ++it) {
        if (it->second < n) continue;
        size_t at = it->first, rest = it->second - n;
        g_free.erase(it);
        if (rest) g_free[at + n] = rest;
        std::memset(g_twin + at, 0xA5, n < 65536 ? n : 65536); /* fresh memory is poisoned */
        *ptr = g_device + at;
        g_live_bytes += n;
        ++g_mallocs;
        return XPU_OK;
    }
    return fail(XPU_OUT_OF_MEMORY, "no room in the pretended device");
}

xpu_status device_free(void *, int32_t, void *ptr, size_t nbytes) {
    std::lock_guard<std::mutex> guard(g_lock);
    size_t n = (nbytes + 4095) & ~size_t(4095), at = static_cast<char *>(ptr) - g_device;
    auto next = g_free.lower_bound(at);
    if (next != g_free.end() && next->first == at + n) n += next->second, next = g_free.erase(next);
    g_live_bytes -= (nbytes + 4095) & ~size_t(4095);
    ++g_frees;
    if (next != g_free.begin()) {
        auto before = std::prev(next);
        if (before->first + before->second == at) {
            before->second += n;
            return XPU_OK;
        }
    }
    g_free[at] = n;
    return XPU_OK;
}

xpu_status memcpy_async(void *, void *dst, const void *src, size_t nbytes, int32_t kind, int32_t, xpu_stream) {
    if (kind == XPU_HOST_TO_DEVICE) ++g_uploads;
    if (kind == XPU_DEVICE_TO_HOST) ++g_downloads, join_callbacks();
    void *to = kind == XPU_HOST_TO_DEVICE || kind == XPU_DEVICE_TO_DEVICE ? twin(dst) : dst;
    const void *from = kind == XPU_DEVICE_TO_HOST || kind == XPU_DEVICE_TO_DEVICE ? twin(src) : src;
    std::memmove(to, from, nbytes);
    return XPU_OK;
}

xpu_status memcpy_peer(void *, void *dst, int32_t, const void *src, int32_t, size_t nbytes, xpu_stream) {
    std::memmove(twin(dst), twin(src), nbytes);
    return XPU_OK;
}

xpu_status memset_async(void *, void *dst, int32_t byte, size_t nbytes, int32_t, xpu_stream) {
    std::memset(twin(dst), byte, nbytes);
    return XPU_OK;
}

xpu_status stream_create(void *, int32_t device, uint32_t, int32_t, xpu_stream *stream) {
    *stream = new Stream{device};
    return XPU_OK;
}
xpu_status stream_destroy(void *, int32_t, xpu_stream stream) {
    delete static_cast<Stream *>(stream);
    return XPU_OK;
}
xpu_status stream_query(void *, int32_t, xpu_stream) { return XPU_OK; }
xpu_status stream_synchronize(void *, int32_t, xpu_stream) {
    ++g_syncs;
    join_callbacks();
    return XPU_OK;
}
xpu_status stream_wait_event(void *, int32_t, xpu_stream, xpu_event) { return XPU_OK; }
xpu_status stream_host_func(void *, int32_t, xpu_stream, void (*fn)(void *), void *arg) {
    if (g_async) {
        std::lock_guard<std::mutex> guard(g_lock);
        g_callbacks.emplace_back(fn, arg);
    } else {
        fn(arg);
    }
    return XPU_OK;
}
xpu_status event_create(void *, int32_t, uint32_t, xpu_event *event) {
    *event = new Event();
    return XPU_OK;
}
xpu_status event_destroy(void *, int32_t, xpu_event event) {
    delete static_cast<Event *>(event);
    return XPU_OK;
}
xpu_status event_record(void *, int32_t device, xpu_event event, xpu_stream stream) {
    if (stream && static_cast<Stream *>(stream)->device != device) return fail(XPU_INVALID_ARGUMENT, "a stream of another device");
    auto *e = static_cast<Event *>(event);
    auto now = std::chrono::steady_clock::now().time_since_epoch();
    e->time = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
    e->held = g_hold.load();
    if (g_hold) ++g_held;
    return XPU_OK;
}
xpu_status event_query(void *, int32_t, xpu_event event) { return g_hold && static_cast<Event *>(event)->held ? XPU_NOT_READY : XPU_OK; }
xpu_status event_synchronize(void *, int32_t, xpu_event event) {
    static_cast<Event *>(event)->held = false;
    return XPU_OK;
}
xpu_status event_elapsed(void *, xpu_event start, xpu_event stop, float *ms) {
    int64_t from = static_cast<Event *>(start)->time, to = static_cast<Event *>(stop)->time;
    if (!from || !to) return fail(XPU_INVALID_ARGUMENT, "an event is not recorded");
    *ms = static_cast<float>(to - from) * 1e-6f;
    return XPU_OK;
}
xpu_status device_synchronize(void *, int32_t) {
    ++g_syncs;
    join_callbacks();
    return XPU_OK;
}
const char *last_error(void *) { return g_error; }

/* --- compute --- */

bool native_dtype(int32_t dtype) { return dtype != XPU_FLOAT64 && dtype != XPU_COMPLEX128 && dtype < XPU_BFLOAT16; }

/* What dispatch has plans for is left out, so that the plans are used. */
bool left_out(int32_t op) {
    static const int32_t ops[] = {XPU_OP_positive, XPU_OP_square, XPU_OP_reciprocal, XPU_OP_greater, XPU_OP_greater_equal, XPU_OP_isnan,
                                  XPU_OP_logical_not, XPU_OP_divmod, XPU_OP_clip, XPU_OP_matvec, XPU_OP_vecmat, XPU_OP_vecdot, XPU_OP_fabs,
                                  XPU_OP_real, XPU_OP_imag, XPU_OP_rad2deg, XPU_OP_deg2rad, XPU_OP_invert, XPU_OP_floor};
    for (int32_t o : ops)
        if (o == op) return true;
    return false;
}

struct Row {
    int32_t id;
    bool moves; /* casts itself, or has index operands */
    int nin;
    const char *loops;
};
enum { ELEMENTWISE, GUFUNC, MOVE, INDEX, SORT, ARGREDUCE, DYNAMIC, FFT };
const Row rows[] = {
#define XPU_OP(id, name, kind, nin, nout, loops, identity, params, domain, ulp) \
    {id, kind == MOVE || kind == INDEX || kind == DYNAMIC, nin, loops},
#include "xpu_ops.def"
#undef XPU_OP
};

/* Do the operands have the loop's dtypes? */
bool fits_loop(const xpu_call *call) {
    static const char chars[] = "?bBhHiIlLefdFD";
    for (const Row &r : rows) {
        if (r.id != call->op || r.moves || call->method == XPU_AT || call->method == XPU_REDUCEAT) continue;
        const char *p = r.loops;
        for (int i = 0; i < call->loop; ++i) p = std::strchr(p, ' ') + 1;
        int nin = call->method == XPU_CALL ? r.nin : 1;
        for (int i = 0; i < nin; ++i)
            if (chars[call->in[i]->dtype] != p[i]) return false;
        for (int i = 0; i < call->nout; ++i)
            if (chars[call->out[i]->dtype] != p[r.nin + 2 + i]) return false;
    }
    return true;
}

xpu_support supports(void *, const xpu_call *call) {
    if (left_out(call->op)) return XPU_NO;
    const xpu_backend *host = g_services->host();
    for (int i = 0; i < call->nin; ++i)
        if (!native_dtype(call->in[i]->dtype) || call->in[i]->ndim > 8) return XPU_NO;
    for (int i = 0; i < call->nout; ++i)
        if (!native_dtype(call->out[i]->dtype) || call->out[i]->ndim > 8) return XPU_NO;
    if (!fits_loop(call)) return XPU_NO;
    if (!host || host->compute.supports(host->ctx, call) == XPU_NO) return XPU_NO;
    return call->op == XPU_OP_argsort ? XPU_SLOW : XPU_NATIVE;
}

xpu_status launch(void *ctx, xpu_call *call) {
    constexpr int kMost = 2 * XPU_MAX_NDIM + 2;
    if (supports(ctx, call) == XPU_NO) return XPU_NOT_SUPPORTED;
    const xpu_backend *host = g_services->host();
    xpu_tensor tensors[kMost];
    const xpu_tensor *operands[kMost];
    int n = call->nin + call->nout;
    if (n > kMost) return fail(XPU_INVALID_ARGUMENT, "too many operands");
    for (int i = 0; i < n; ++i) {
        tensors[i] = *(i < call->nin ? call->in[i] : call->out[i - call->nin]);
        if (tensors[i].base) tensors[i].base = twin(tensors[i].base);
        operands[i] = &tensors[i];
    }
    xpu_call forwarded = *call;
    forwarded.in = operands;
    forwarded.out = operands + call->nin;
    forwarded.stream = nullptr;
    forwarded.device = 0;
    ++g_launches;
    xpu_status status = host->compute.launch(host->ctx, &forwarded);
    std::memcpy(call->result, forwarded.result, sizeof call->result);
    if (status != XPU_OK) return fail(status, host->runtime.last_error(host->ctx));
    return call->op == XPU_OP_argsort ? XPU_OK | XPU_NOTE_SLOW : XPU_OK;
}

const xpu_backend g_backend = {
    XPU_ABI_VERSION, sizeof(xpu_backend), "counting", "0.1", nullptr, sizeof(xpu_call), sizeof(xpu_tensor),
    {device_count, device_props, set_device, mem_info, device_malloc, device_free, nullptr, nullptr, memcpy_async, nullptr, memcpy_peer,
     memset_async, stream_create, stream_destroy, stream_query, stream_synchronize, stream_wait_event, stream_host_func, event_create,
     event_destroy, event_record, event_query, event_synchronize, event_elapsed, device_synchronize, last_error},
    {supports, launch},
};

} // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT xpu_status xpu_backend_entry(const xpu_services *services, const xpu_backend **backend, const char **message) {
    g_services = services;
    std::lock_guard<std::mutex> guard(g_lock);
    if (!g_device && !map_memory()) {
        *message = "the pretended device memory cannot be mapped";
        return XPU_NOT_FOUND;
    }
    *backend = &g_backend;
    return XPU_OK;
}

EXPORT int64_t counting_get(const char *name) {
    struct {
        const char *name;
        std::atomic<int64_t> *value;
    } rows[] = {{"mallocs", &g_mallocs}, {"frees", &g_frees}, {"launches", &g_launches}, {"uploads", &g_uploads}, {"downloads",
                                                                                                                   &g_downloads},
                {"syncs", &g_syncs}, {"held", &g_held}, {"live_bytes", &g_live_bytes}};
    for (auto &r : rows)
        if (!std::strcmp(r.name, name)) return *r.value;
    return -1;
}
EXPORT void counting_async(int on) { g_async = on; }
EXPORT void counting_hold(int on) { g_hold = on; }
EXPORT void counting_capacity(int64_t nbytes) { g_capacity = nbytes; }
EXPORT void *counting_twin(void *p) { return twin(p); }
