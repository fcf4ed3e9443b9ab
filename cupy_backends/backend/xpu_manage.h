/* What cupy.xpu needs beyond xpu_runtime.h: pools, hooks, streams' ends, counters. One table, in the capsule
 * `cupy_backends.backend._runtime._MANAGE_API`. Nothing here needs the GIL, except that hooks may take it. */
#ifndef XPU_MANAGE_H
#define XPU_MANAGE_H

#include "xpu_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct xpu_pool xpu_pool;

typedef struct {
    int64_t used_bytes;    /* in blocks that storages hold */
    int64_t total_bytes;   /* taken from the device */
    int64_t free_blocks;
    int64_t limit;         /* 0: none */
    int64_t segments;      /* pieces taken from the device */
    int64_t requests;      /* how often the device was asked for memory since the start */
} xpu_pool_stats;

/* Where a pool takes its memory from; NULL functions: the backend. */
typedef struct {
    xpu_status (*malloc)(void *ctx, int32_t device, size_t nbytes, void **ptr, void **cookie);
    void (*free)(void *ctx, int32_t device, void *ptr, size_t nbytes, void *cookie);
    void (*drop)(void *ctx); /* the pool is gone */
    void *ctx;
} xpu_pool_source;

/* Called for every array allocation while set; one branch when not. */
typedef struct {
    /* XPU_NOT_SUPPORTED: allocate as usual */
    xpu_status (*alloc)(size_t nbytes, xpu_storage **out);
    /* phase 0 before, 1 after the memory went back to its pool */
    void (*release)(int32_t device, size_t nbytes, void *ptr, int phase);
    /* the pool takes memory from the device: phase 0 before (ptr NULL), 1 after (NULL: failed) */
    void (*segment)(int32_t device, size_t nbytes, void *ptr, int phase);
} xpu_hooks;

enum { XPU_FALLBACK_WARN, XPU_FALLBACK_ERROR, XPU_FALLBACK_ALLOW };
enum { XPU_COUNT_NATIVE, XPU_COUNT_SLOW, XPU_COUNT_PLAN, XPU_COUNT_FALLBACK, XPU_COUNTERS };

typedef struct {
    uint32_t abi_version;
    uint32_t struct_size;
    int32_t (*device_count)(void);                        /* 0 before open */
    const xpu_device_props *(*device_props)(int32_t device);

    xpu_pool *(*default_pool)(int32_t device);            /* NULL: no such device */
    xpu_pool *(*pool_create)(int32_t device, const xpu_pool_source *source);
    void (*pool_destroy)(xpu_pool *pool);                 /* lives on until its last storage is gone */
    xpu_status (*pool_alloc)(xpu_pool *pool, size_t nbytes, xpu_stream stream, xpu_storage **out);
    void (*pool_stats)(xpu_pool *pool, xpu_pool_stats *stats);
    void (*pool_set_limit)(xpu_pool *pool, int64_t nbytes);
    void (*pool_trim)(xpu_pool *pool);                    /* gives back all that is wholly free */
    size_t (*block_size)(const xpu_storage *s);           /* of a pooled storage, rounded; else nbytes */

    void (*set_hooks)(const xpu_hooks *hooks);            /* NULL: none */
    void (*note_stream)(xpu_storage *s, xpu_stream stream);
    /* before a stream is destroyed: its cached memory goes to the default stream */
    xpu_status (*stream_closed)(int32_t device, xpu_stream stream);

    int32_t (*get_policy)(void);                          /* XPU_FALLBACK_* */
    void (*set_policy)(int32_t policy);
    uint64_t (*count)(int32_t kind, int32_t op, int32_t method, int32_t loop);
    void (*reset_counts)(void);
    int32_t (*set_deferred)(int32_t on);                  /* of the calling thread; returns what it was */
    const char *(*error_text)(xpu_status status);         /* name of a status code */
    xpu_status (*wait_device)(int32_t device);            /* with Python's lock given up, if it is held */
} xpu_manage_api;

#ifdef __cplusplus
}
#endif
#endif
