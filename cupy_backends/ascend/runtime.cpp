/* Devices, memory, streams and events through ACL. */
#include "runtime.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>

#include "call.h"
#include "error.h"
#include "library.h"
#include "view.h"

namespace ascend {

namespace {

constexpr int kRepeatInitialize =
    100002; /* aclInit was done by another library of the process: fine, and then it is not ours to finalize */
std::mutex g_lock;
bool g_initialized = false;
std::set<xpu_stream> g_streams; /* made here and not destroyed */
std::mutex g_streams_lock;

xpu_status device_count(void *, int32_t *count) {
    uint32_t n = 0;
    int code = acl.aclrtGetDeviceCount(&n);
    *count = static_cast<int32_t>(n);
    return code == 0 ? XPU_OK : acl_failed(code, "aclrtGetDeviceCount");
}

int64_t device_info(int32_t device, aclrtDevAttr attribute) {
    int64_t value = 0;
    return acl.aclrtGetDeviceInfo && acl.aclrtGetDeviceInfo(device, attribute, &value) == 0 ? value : 0;
}

xpu_status mem_info(void *, int32_t device, int64_t *free_bytes, int64_t *total_bytes) {
    ON_DEVICE(device);
    size_t available = 0, total = 0;
    ACL_TRY(device, acl.aclrtGetMemInfo(ACL_HBM_MEM, &available, &total));
    *free_bytes = available;
    *total_bytes = total;
    return XPU_OK;
}

xpu_status device_props(void *, int32_t device, xpu_device_props *props) {
    ON_DEVICE(device);
    const char *soc = acl.aclrtGetSocName ? acl.aclrtGetSocName() : nullptr;
    int64_t available = 0;
    std::memset(props, 0, sizeof *props);
    props->struct_size = sizeof *props;
    props->caps = XPU_CAP_PEER;
    std::snprintf(props->name, sizeof props->name, "%s%s", soc ? soc : "Ascend", found().emulated ? " (emulated)" : "");
    std::snprintf(props->arch, sizeof props->arch, "%s", soc ? soc : "Ascend");
    mem_info(nullptr, device, &available, &props->total_memory);
    props->alignment = kAlignment;
    props->padding = kPadding;
    props->max_ndim = 8;
    props->compute_units = static_cast<int32_t>(device_info(device, ACL_DEV_ATTR_AICORE_CORE_NUM));
    props->dtypes = (1u << XPU_BFLOAT16) - 1;
    return XPU_OK;
}

xpu_status set_device(void *, int32_t device) {
    xpu_status status = check_lost(device);
    if (status != XPU_OK) return status;
    int code = acl.aclrtSetDevice(device);
    return code == 0 ? XPU_OK : acl_failed(code, "aclrtSetDevice", device);
}

xpu_status device_malloc(void *, int32_t device, size_t nbytes, void **ptr) {
    ON_DEVICE(device);
    ACL_TRY(device, acl.aclrtMalloc(ptr, nbytes, ACL_MEM_MALLOC_HUGE_FIRST));
    return XPU_OK;
}

xpu_status device_free(void *, int32_t device, void *ptr, size_t) {
    if (!ptr) return XPU_OK;
    ON_DEVICE(device);
    ACL_TRY(device, acl.aclrtFree(ptr));
    return XPU_OK;
}

xpu_status malloc_pinned(void *, size_t nbytes, void **ptr) {
    ACL_TRY(-1, acl.aclrtMallocHost(ptr, nbytes));
    return XPU_OK;
}

xpu_status free_pinned(void *, void *ptr, size_t) {
    if (!ptr) return XPU_OK;
    ACL_TRY(-1, acl.aclrtFreeHost(ptr));
    return XPU_OK;
}

aclrtMemcpyKind copy_kind(int32_t kind) {
    static const aclrtMemcpyKind kinds[] = {ACL_MEMCPY_HOST_TO_HOST, ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST,
                                            ACL_MEMCPY_DEVICE_TO_DEVICE};
    return kinds[kind];
}

xpu_status stream_synchronize(void *, int32_t device, xpu_stream stream) {
    ON_DEVICE(device);
    ACL_TRY(device, acl.aclrtSynchronizeStream(stream));
    return XPU_OK;
}

xpu_status memcpy_async(void *ctx, void *dst, const void *src, size_t nbytes, int32_t kind, int32_t device, xpu_stream stream) {
    if (nbytes == 0) return XPU_OK;
    if (kind == XPU_HOST_TO_HOST) { /* ACL refuses it */
        xpu_status status = stream_synchronize(ctx, device, stream);
        if (status == XPU_OK) std::memcpy(dst, src, nbytes);
        return status;
    }
    ON_DEVICE(device);
    ACL_TRY(device, acl.aclrtMemcpyAsync(dst, nbytes, src, nbytes, copy_kind(kind), stream));
    return XPU_OK;
}

xpu_status memcpy_2d(void *, void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, int32_t kind,
                     int32_t device, xpu_stream stream) {
    constexpr size_t kMaxWidth = 5000000, kMaxHeight = 5242880; /* documented limits */
    if (width == 0 || height == 0) return XPU_OK;
    if ((kind != XPU_HOST_TO_DEVICE && kind != XPU_DEVICE_TO_HOST) || width > kMaxWidth || height > kMaxHeight)
        return fail(XPU_NOT_SUPPORTED, "2-D copies go between host and device, at most %zu bytes by %zu rows", kMaxWidth, kMaxHeight);
    ON_DEVICE(device);
    ACL_TRY(device, acl.aclrtMemcpy2dAsync(dst, dpitch, src, spitch, width, height, copy_kind(kind), stream));
    return XPU_OK;
}

xpu_status device_synchronize(void *, int32_t device) {
    ON_DEVICE(device);
    ACL_TRY(device, acl.aclrtSynchronizeDevice());
    return XPU_OK;
}

/* No stream orders work of two devices: both are waited for, and the copy too. */
xpu_status memcpy_peer(void *ctx, void *dst, int32_t dst_device, const void *src, int32_t src_device, size_t nbytes, xpu_stream) {
    if (nbytes == 0) return XPU_OK;
    xpu_status status = device_synchronize(ctx, dst_device);
    if (status != XPU_OK) return status;
    ON_DEVICE(src_device);
    ACL_TRY(src_device, acl.aclrtSynchronizeDevice());
    if (dst_device != src_device) {
        int32_t possible = 0;
        ACL_TRY(src_device, acl.aclrtDeviceCanAccessPeer(&possible, src_device, dst_device));
        if (!possible)
            return fail(XPU_NOT_SUPPORTED, "device %d cannot reach the memory of device %d: copy through the host", src_device, dst_device);
        ACL_TRY(src_device, acl.aclrtDeviceEnablePeerAccess(dst_device, 0));
    }
    ACL_TRY(src_device, acl.aclrtMemcpy(dst, nbytes, src, nbytes, ACL_MEMCPY_DEVICE_TO_DEVICE));
    return XPU_OK;
}

xpu_status memset_async(void *, void *dst, int32_t byte, size_t nbytes, int32_t device, xpu_stream stream) {
    if (nbytes == 0) return XPU_OK;
    ON_DEVICE(device);
    ACL_TRY(device, acl.aclrtMemsetAsync(dst, nbytes, byte, nbytes, stream));
    return XPU_OK;
}

xpu_status stream_create(void *, int32_t device, uint32_t, int32_t, xpu_stream *stream) {
    ON_DEVICE(device);
    if (acl.aclrtCreateStreamWithConfig)
        ACL_TRY(device, acl.aclrtCreateStreamWithConfig(stream, 0, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC));
    else ACL_TRY(device, acl.aclrtCreateStream(stream));
    std::lock_guard<std::mutex> guard(g_streams_lock);
    g_streams.insert(*stream);
    return XPU_OK;
}

xpu_status stream_destroy(void *, int32_t device, xpu_stream stream) {
    ON_DEVICE(device);
    forget_constants(device, stream);
    {
        std::lock_guard<std::mutex> guard(g_streams_lock);
        g_streams.erase(stream);
    }
    ACL_TRY(device, acl.aclrtDestroyStream(stream));
    return XPU_OK;
}

xpu_status stream_query(void *, int32_t device, xpu_stream stream) {
    ON_DEVICE(device);
    aclrtStreamStatus state = ACL_STREAM_STATUS_NOT_READY;
    ACL_TRY(device, acl.aclrtStreamQuery(stream, &state));
    return state == ACL_STREAM_STATUS_COMPLETE ? XPU_OK : XPU_NOT_READY;
}

xpu_status stream_wait_event(void *, int32_t device, xpu_stream stream, xpu_event event) {
    ON_DEVICE(device);
    ACL_TRY(device, acl.aclrtStreamWaitEvent(stream, event));
    return XPU_OK;
}

xpu_status stream_host_func(void *, int32_t device, xpu_stream stream, void (*fn)(void *), void *arg) {
    if (!acl.aclrtLaunchHostFunc)
        return fail(XPU_NOT_SUPPORTED, "the CANN at hand has no aclrtLaunchHostFunc: host functions need a newer one");
    ON_DEVICE(device);
    ACL_TRY(device, acl.aclrtLaunchHostFunc(stream, fn, arg));
    return XPU_OK;
}

/* Ex events can be recorded again and take no hardware slot until then. */
xpu_status event_create(void *, int32_t device, uint32_t flags, xpu_event *event) {
    ON_DEVICE(device);
    uint32_t acl_flags = ACL_EVENT_SYNC | (flags & XPU_EVENT_TIMING ? ACL_EVENT_TIME_LINE : 0);
    ACL_TRY(device, acl.aclrtCreateEventExWithFlag ? acl.aclrtCreateEventExWithFlag(event, acl_flags)
                                                   : acl.aclrtCreateEventWithFlag(event, acl_flags));
    return XPU_OK;
}

xpu_status event_destroy(void *, int32_t device, xpu_event event) {
    ON_DEVICE(device);
    ACL_TRY(device, acl.aclrtDestroyEvent(event));
    return XPU_OK;
}

xpu_status event_record(void *, int32_t device, xpu_event event, xpu_stream stream) {
    ON_DEVICE(device);
    ACL_TRY(device, acl.aclrtRecordEvent(event, stream));
    return XPU_OK;
}

xpu_status event_query(void *, int32_t device, xpu_event event) {
    ON_DEVICE(device);
    aclrtEventRecordedStatus state = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    ACL_TRY(device, acl.aclrtQueryEventStatus(event, &state));
    return state == ACL_EVENT_RECORDED_STATUS_COMPLETE ? XPU_OK : XPU_NOT_READY;
}

xpu_status event_synchronize(void *, int32_t device, xpu_event event) {
    ON_DEVICE(device);
    ACL_TRY(device, acl.aclrtSynchronizeEvent(event));
    return XPU_OK;
}

xpu_status event_elapsed(void *, xpu_event start, xpu_event stop, float *milliseconds) {
    ACL_TRY(-1, acl.aclrtEventElapsedTime(milliseconds, start, stop));
    return XPU_OK;
}

} // namespace

const xpu_runtime_table runtime_table = {
    device_count, device_props,       set_device,        mem_info,           device_malloc, device_free,   malloc_pinned,
    free_pinned,  memcpy_async,       memcpy_2d,         memcpy_peer,        memset_async,  stream_create, stream_destroy,
    stream_query, stream_synchronize, stream_wait_event, stream_host_func,   event_create,  event_destroy, event_record,
    event_query,  event_synchronize,  event_elapsed,     device_synchronize, last_error,
};

DeviceGuard::DeviceGuard(int32_t device) : status(check_lost(device)), before_(-1) {
    if (status != XPU_OK) return;
    int32_t now = -1;
    if (acl.aclrtGetDevice && acl.aclrtGetDevice(&now) != 0) now = -1; /* none yet in this thread */
    if (now == device) return;
    int code = acl.aclrtSetDevice(device);
    if (code != 0) status = acl_failed(code, "aclrtSetDevice", device);
    else before_ = now;
}

DeviceGuard::~DeviceGuard() {
    if (before_ >= 0) acl.aclrtSetDevice(before_);
}

bool stream_lives(xpu_stream stream) {
    if (!stream) return true;
    std::lock_guard<std::mutex> guard(g_streams_lock);
    return g_streams.count(stream) != 0;
}

xpu_status initialize(const char **message) {
    static char text[1400];
    std::lock_guard<std::mutex> guard(g_lock);
    *message = text;
    if (!load()) {
        std::snprintf(text, sizeof text, "%s", found().problem);
        return XPU_NOT_FOUND;
    }
    if (g_initialized) return XPU_OK;
    int code = acl.aclInit(nullptr);
    if (code != 0 && code != kRepeatInitialize) {
        xpu_status status = acl_failed(code, "aclInit");
        std::snprintf(text, sizeof text, "%s", last_error(nullptr));
        return status;
    }
    uint32_t devices = 0;
    code = acl.aclrtGetDeviceCount(&devices);
    if (code != 0 || devices == 0) {
        std::snprintf(text, sizeof text,
                      "CANN was found (%s) but no NPU: %s. See `npu-smi info`, the driver, and ASCEND_RT_VISIBLE_DEVICES", found().runtime,
                      code ? status_meaning(code) : "no visible device");
        return XPU_NOT_FOUND;
    }
    if (const char *value = std::getenv("CUPY_ASCEND_DETERMINISTIC"); value && *value && std::strcmp(value, "0") != 0) {
        code = acl.aclrtSetSysParamOpt ? acl.aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1) : 0;
        if (code != 0) {
            acl_failed(code, "aclrtSetSysParamOpt");
            std::snprintf(text, sizeof text, "%s (CUPY_ASCEND_DETERMINISTIC)", last_error(nullptr));
            return XPU_DEVICE_ERROR;
        }
        set_determinism(true);
    }
    g_initialized = true;
    return XPU_OK;
}

} // namespace ascend
