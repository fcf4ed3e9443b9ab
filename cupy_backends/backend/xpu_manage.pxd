# Cython's view of xpu_manage.h, and of the runtime table of xpu_backend.h.
from cupy_backends.backend.xpu cimport xpu_event, xpu_status, xpu_storage, xpu_stream
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

cdef extern from "xpu_manage.h" nogil:
    enum: XPU_FALLBACK_WARN, XPU_FALLBACK_ERROR, XPU_FALLBACK_ALLOW
    enum: XPU_COUNT_NATIVE, XPU_COUNT_SLOW, XPU_COUNT_PLAN, XPU_COUNT_FALLBACK, XPU_COUNTERS
    enum: XPU_METHOD_COUNT

    ctypedef struct xpu_device_props:
        uint32_t struct_size
        uint32_t caps
        char name[128]
        char arch[64]
        int64_t total_memory
        int64_t alignment
        int64_t padding
        int32_t max_ndim
        int32_t compute_units
        uint32_t dtypes

    ctypedef struct xpu_runtime_table:
        xpu_status (*device_count)(void* ctx, int32_t* count) noexcept nogil
        xpu_status (*mem_info)(void* ctx, int32_t device, int64_t* free_bytes, int64_t* total_bytes) noexcept nogil
        xpu_status (*malloc)(void* ctx, int32_t device, size_t nbytes, void** ptr) noexcept nogil
        xpu_status (*free)(void* ctx, int32_t device, void* ptr, size_t nbytes) noexcept nogil
        xpu_status (*malloc_pinned)(void* ctx, size_t nbytes, void** ptr) noexcept nogil
        xpu_status (*free_pinned)(void* ctx, void* ptr, size_t nbytes) noexcept nogil
        xpu_status (*memcpy_async)(void* ctx, void* dst, const void* src, size_t nbytes, int32_t kind, int32_t device,
                                   xpu_stream stream) noexcept nogil
        xpu_status (*memcpy_2d)(void* ctx, void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                                int32_t kind, int32_t device, xpu_stream stream) noexcept nogil
        xpu_status (*memcpy_peer)(void* ctx, void* dst, int32_t dst_device, const void* src, int32_t src_device, size_t nbytes,
                                  xpu_stream stream) noexcept nogil
        xpu_status (*memset_async)(void* ctx, void* dst, int32_t byte, size_t nbytes, int32_t device, xpu_stream stream) noexcept nogil
        xpu_status (*stream_create)(void* ctx, int32_t device, uint32_t flags, int32_t priority, xpu_stream* stream) noexcept nogil
        xpu_status (*stream_destroy)(void* ctx, int32_t device, xpu_stream stream) noexcept nogil
        xpu_status (*stream_query)(void* ctx, int32_t device, xpu_stream stream) noexcept nogil
        xpu_status (*stream_synchronize)(void* ctx, int32_t device, xpu_stream stream) noexcept nogil
        xpu_status (*stream_wait_event)(void* ctx, int32_t device, xpu_stream stream, xpu_event event) noexcept nogil
        xpu_status (*stream_host_func)(void* ctx, int32_t device, xpu_stream stream, void (*fn)(void*) noexcept nogil,
                                       void* arg) noexcept nogil
        xpu_status (*event_create)(void* ctx, int32_t device, uint32_t flags, xpu_event* event) noexcept nogil
        xpu_status (*event_destroy)(void* ctx, int32_t device, xpu_event event) noexcept nogil
        xpu_status (*event_record)(void* ctx, int32_t device, xpu_event event, xpu_stream stream) noexcept nogil
        xpu_status (*event_query)(void* ctx, int32_t device, xpu_event event) noexcept nogil
        xpu_status (*event_synchronize)(void* ctx, int32_t device, xpu_event event) noexcept nogil
        xpu_status (*event_elapsed)(void* ctx, xpu_event start, xpu_event stop, float* milliseconds) noexcept nogil
        xpu_status (*device_synchronize)(void* ctx, int32_t device) noexcept nogil
        const char* (*last_error)(void* ctx) noexcept nogil

    ctypedef struct xpu_backend:
        const char* name
        const char* version
        void* ctx
        xpu_runtime_table runtime

    ctypedef struct xpu_full_api "xpu_core_api":
        const xpu_backend* (*backend)() noexcept nogil

    ctypedef struct xpu_pool:
        pass

    ctypedef struct xpu_pool_stats:
        int64_t used_bytes
        int64_t total_bytes
        int64_t free_blocks
        int64_t limit
        int64_t segments
        int64_t requests

    ctypedef struct xpu_pool_source:
        xpu_status (*malloc)(void* ctx, int32_t device, size_t nbytes, void** ptr, void** cookie) noexcept nogil
        void (*free)(void* ctx, int32_t device, void* ptr, size_t nbytes, void* cookie) noexcept nogil
        void (*drop)(void* ctx) noexcept nogil
        void* ctx

    ctypedef struct xpu_hooks:
        xpu_status (*alloc)(size_t nbytes, xpu_storage** out) noexcept nogil
        void (*release)(int32_t device, size_t nbytes, void* ptr, int phase) noexcept nogil
        void (*segment)(int32_t device, size_t nbytes, void* ptr, int phase) noexcept nogil

    ctypedef struct xpu_manage_api:
        int32_t (*device_count)() noexcept nogil
        const xpu_device_props* (*device_props)(int32_t device) noexcept nogil
        xpu_pool* (*default_pool)(int32_t device) noexcept nogil
        xpu_pool* (*pool_create)(int32_t device, const xpu_pool_source* source) noexcept nogil
        void (*pool_destroy)(xpu_pool* pool) noexcept nogil
        xpu_status (*pool_alloc)(xpu_pool* pool, size_t nbytes, xpu_stream stream, xpu_storage** out) noexcept nogil
        void (*pool_stats)(xpu_pool* pool, xpu_pool_stats* stats) noexcept nogil
        void (*pool_set_limit)(xpu_pool* pool, int64_t nbytes) noexcept nogil
        void (*pool_trim)(xpu_pool* pool) noexcept nogil
        size_t (*block_size)(const xpu_storage* s) noexcept nogil
        void (*set_hooks)(const xpu_hooks* hooks) noexcept nogil
        void (*note_stream)(xpu_storage* s, xpu_stream stream) noexcept nogil
        xpu_status (*stream_closed)(int32_t device, xpu_stream stream) noexcept nogil
        int32_t (*get_policy)() noexcept nogil
        void (*set_policy)(int32_t policy) noexcept nogil
        uint64_t (*count)(int32_t kind, int32_t op, int32_t method, int32_t loop) noexcept nogil
        void (*reset_counts)() noexcept nogil
        int32_t (*set_deferred)(int32_t on) noexcept nogil
        const char* (*error_text)(xpu_status status) noexcept nogil
        xpu_status (*wait_device)(int32_t device) noexcept nogil
