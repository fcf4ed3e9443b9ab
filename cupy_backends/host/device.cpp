/* The runtime table of the CPU: one device, memory from the system, streams on which all work is done when a call returns. */
#include "device.h"

#include <sys/mman.h>
#include <sys/utsname.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace host {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kHugePage = size_t(2) << 20;

struct Stream {
    uint32_t flags;
    int32_t priority;
};
struct Event {
    std::atomic<int64_t> nanoseconds{0}; /* 0: never recorded */
};

/* The first number after `key` in a file of the system, -1 if there is none. */
int64_t read_number(const char *path, const char *key) {
    FILE *file = fopen(path, "r");
    if (!file)
        return -1;
    char line[256];
    long long value = -1;
    while (value < 0 && fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0 && sscanf(line + strlen(key), "%lld", &value) != 1)
            value = -1;
    fclose(file);
    return value;
}

void copy_text(char *to, size_t size, const char *text) {
    memcpy(to, text, std::min(strlen(text) + 1, size));
    to[size - 1] = 0;
}

void read_cpu_name(char *name, size_t size) {
    copy_text(name, size, "CPU");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file)
        return;
    char line[256];
    while (fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon) {
            line[strcspn(line, "\n")] = 0;
            copy_text(name, size, colon[1] ? colon + 2 : "CPU");
            break;
        }
    }
    fclose(file);
}

xpu_status allocate(size_t nbytes, void **ptr) {
    const bool huge = nbytes >= kHugePage;
    if (posix_memalign(ptr, huge ? kHugePage : kAlignment, nbytes ? nbytes : 1)) {
        *ptr = nullptr;
        return fail(XPU_OUT_OF_MEMORY, "cannot allocate %zu bytes of host memory", nbytes);
    }
    if (huge)
        madvise(*ptr, nbytes, MADV_HUGEPAGE); /* a hint: without it all works, with more page faults */
    return XPU_OK;
}

} // namespace

xpu_status device_count(void *, int32_t *count) {
    *count = 1;
    return XPU_OK;
}

xpu_status device_props(void *ctx, int32_t device, xpu_device_props *props) {
    if (device != 0)
        return fail(XPU_INVALID_DEVICE, "the host backend has device 0 only, not %d", device);
    int64_t free_bytes;
    utsname system;
    props->caps = XPU_CAP_HOST_MEMORY | XPU_CAP_CASTS | XPU_CAP_FORK;
    read_cpu_name(props->name, sizeof props->name);
    copy_text(props->arch, sizeof props->arch, uname(&system) == 0 ? system.machine : "cpu");
    mem_info(ctx, 0, &free_bytes, &props->total_memory);
    props->alignment = kAlignment;
    props->padding = 0;
    props->max_ndim = XPU_MAX_NDIM;
    props->compute_units = thread_count();
    props->dtypes = (1u << XPU_BFLOAT16) - 1;
    return XPU_OK;
}

xpu_status set_device(void *, int32_t device) {
    return device == 0 ? XPU_OK : fail(XPU_INVALID_DEVICE, "the host backend has device 0 only, not %d", device);
}

/* The machine's memory, or what the control group leaves of it. */
xpu_status mem_info(void *, int32_t, int64_t *free_bytes, int64_t *total_bytes) {
    *total_bytes = read_number("/proc/meminfo", "MemTotal:") * 1024;
    *free_bytes = read_number("/proc/meminfo", "MemAvailable:") * 1024;
    if (*total_bytes < 0 || *free_bytes < 0)
        return fail(XPU_NOT_FOUND, "/proc/meminfo cannot be read");
    static const char *const groups[][2] = {
        {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
        {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"}};
    for (const auto &group : groups) {
        const int64_t limit = read_number(group[0], ""), used = read_number(group[1], "");
        if (limit <= 0 || used < 0 || limit >= *total_bytes)
            continue;
        *total_bytes = limit;
        const int64_t left = limit > used ? limit - used : 0;
        *free_bytes = left < *free_bytes ? left : *free_bytes;
    }
    return XPU_OK;
}

xpu_status device_malloc(void *, int32_t, size_t nbytes, void **ptr) { return allocate(nbytes, ptr); }
xpu_status device_free(void *, int32_t, void *ptr, size_t) {
    free(ptr);
    return XPU_OK;
}
xpu_status device_malloc_pinned(void *, size_t nbytes, void **ptr) { return allocate(nbytes, ptr); }
xpu_status device_free_pinned(void *, void *ptr, size_t) {
    free(ptr);
    return XPU_OK;
}

xpu_status memcpy_async(void *, void *dst, const void *src, size_t nbytes, int32_t, int32_t, xpu_stream) {
    char *to = static_cast<char *>(dst);
    const char *from = static_cast<const char *>(src);
    if (from < to + nbytes && to < from + nbytes)
        memmove(to, from, nbytes);
    else
        parallel(static_cast<int64_t>(nbytes), 1 << 18, [&](int64_t b, int64_t e, int) { memcpy(to + b, from + b, e - b); });
    return XPU_OK;
}

xpu_status memcpy_2d(void *, void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, int32_t, int32_t,
                     xpu_stream) {
    for (size_t row = 0; row < height; ++row)
        memmove(static_cast<char *>(dst) + row * dpitch, static_cast<const char *>(src) + row * spitch, width);
    return XPU_OK;
}

xpu_status memcpy_peer(void *ctx, void *dst, int32_t, const void *src, int32_t, size_t nbytes, xpu_stream stream) {
    return memcpy_async(ctx, dst, src, nbytes, XPU_HOST_TO_HOST, 0, stream);
}

xpu_status memset_async(void *, void *dst, int32_t byte, size_t nbytes, int32_t, xpu_stream) {
    char *to = static_cast<char *>(dst);
    parallel(static_cast<int64_t>(nbytes), 1 << 18, [&](int64_t b, int64_t e, int) { memset(to + b, byte, e - b); });
    return XPU_OK;
}

xpu_status stream_create(void *, int32_t device, uint32_t flags, int32_t priority, xpu_stream *stream) {
    if (device != 0)
        return set_device(nullptr, device);
    Stream *made = new (std::nothrow) Stream{flags, priority};
    *stream = made;
    return made ? XPU_OK : fail(XPU_OUT_OF_MEMORY, "cannot allocate a stream");
}
xpu_status stream_destroy(void *, int32_t, xpu_stream stream) {
    delete static_cast<Stream *>(stream);
    return XPU_OK;
}
xpu_status stream_query(void *, int32_t, xpu_stream) { return XPU_OK; }
xpu_status stream_synchronize(void *, int32_t, xpu_stream) { return XPU_OK; }
xpu_status stream_wait_event(void *, int32_t, xpu_stream, xpu_event) { return XPU_OK; }
xpu_status stream_host_func(void *, int32_t, xpu_stream, void (*fn)(void *), void *arg) {
    fn(arg);
    return XPU_OK;
}

xpu_status event_create(void *, int32_t, uint32_t, xpu_event *event) {
    Event *made = new (std::nothrow) Event;
    *event = made;
    return made ? XPU_OK : fail(XPU_OUT_OF_MEMORY, "cannot allocate an event");
}
xpu_status event_destroy(void *, int32_t, xpu_event event) {
    delete static_cast<Event *>(event);
    return XPU_OK;
}
xpu_status event_record(void *, int32_t, xpu_event event, xpu_stream) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    static_cast<Event *>(event)->nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
    return XPU_OK;
}
xpu_status event_query(void *, int32_t, xpu_event) { return XPU_OK; }
xpu_status event_synchronize(void *, int32_t, xpu_event) { return XPU_OK; }
xpu_status event_elapsed(void *, xpu_event start, xpu_event stop, float *milliseconds) {
    const int64_t from = static_cast<Event *>(start)->nanoseconds, to = static_cast<Event *>(stop)->nanoseconds;
    if (!from || !to)
        return fail(XPU_INVALID_ARGUMENT, "both events must be recorded before the time between them is asked for");
    *milliseconds = static_cast<float>(static_cast<double>(to - from) * 1e-6);
    return XPU_OK;
}
xpu_status device_synchronize(void *, int32_t) { return XPU_OK; }

} // namespace host
