/* The runtime table's functions (device.cpp) and the way in for small elementwise calls. */
#ifndef HOST_DEVICE_H
#define HOST_DEVICE_H

#include "host.h"

namespace host {

/* elementwise.cpp: does a small contiguous CALL at once; false (nothing done) for all others */
bool quick_elementwise(xpu_call *call);

xpu_status device_count(void *ctx, int32_t *count);
xpu_status device_props(void *ctx, int32_t device, xpu_device_props *props);
xpu_status set_device(void *ctx, int32_t device);
xpu_status mem_info(void *ctx, int32_t device, int64_t *free_bytes, int64_t *total_bytes);
xpu_status device_malloc(void *ctx, int32_t device, size_t nbytes, void **ptr);
xpu_status device_free(void *ctx, int32_t device, void *ptr, size_t nbytes);
xpu_status device_malloc_pinned(void *ctx, size_t nbytes, void **ptr);
xpu_status device_free_pinned(void *ctx, void *ptr, size_t nbytes);
xpu_status memcpy_async(void *ctx, void *dst, const void *src, size_t nbytes, int32_t kind, int32_t device, xpu_stream stream);
xpu_status memcpy_2d(void *ctx, void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, int32_t kind,
                     int32_t device, xpu_stream stream);
xpu_status memcpy_peer(void *ctx, void *dst, int32_t dst_device, const void *src, int32_t src_device, size_t nbytes, xpu_stream stream);
xpu_status memset_async(void *ctx, void *dst, int32_t byte, size_t nbytes, int32_t device, xpu_stream stream);
xpu_status stream_create(void *ctx, int32_t device, uint32_t flags, int32_t priority, xpu_stream *stream);
xpu_status stream_destroy(void *ctx, int32_t device, xpu_stream stream);
xpu_status stream_query(void *ctx, int32_t device, xpu_stream stream);
xpu_status stream_synchronize(void *ctx, int32_t device, xpu_stream stream);
xpu_status stream_wait_event(void *ctx, int32_t device, xpu_stream stream, xpu_event event);
xpu_status stream_host_func(void *ctx, int32_t device, xpu_stream stream, void (*fn)(void *), void *arg);
xpu_status event_create(void *ctx, int32_t device, uint32_t flags, xpu_event *event);
xpu_status event_destroy(void *ctx, int32_t device, xpu_event event);
xpu_status event_record(void *ctx, int32_t device, xpu_event event, xpu_stream stream);
xpu_status event_query(void *ctx, int32_t device, xpu_event event);
xpu_status event_synchronize(void *ctx, int32_t device, xpu_event event);
xpu_status event_elapsed(void *ctx, xpu_event start, xpu_event stop, float *milliseconds);
xpu_status device_synchronize(void *ctx, int32_t device);

} // namespace host
#endif
