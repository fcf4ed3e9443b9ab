/* The neutral accelerator interface.
 *
 * A backend is a shared object with one entry function, `xpu_backend_entry`, that
 * fills an `xpu_backend` table. Nothing here assumes that memory can be read by the
 * CPU: tensors are an aligned base plus a byte offset, work is queued on streams.
 * Functions return an `xpu_status`; they never throw, abort or touch Python.
 */
#ifndef XPU_BACKEND_H
#define XPU_BACKEND_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define XPU_ABI_VERSION 1
#define XPU_MAX_NDIM 64
#define XPU_MAX_ARGS 8 /* operands of an elementwise op, mask included */

typedef enum {
    XPU_BOOL, XPU_INT8, XPU_UINT8, XPU_INT16, XPU_UINT16, XPU_INT32, XPU_UINT32, XPU_INT64, XPU_UINT64,
    XPU_FLOAT16, XPU_FLOAT32, XPU_FLOAT64, XPU_COMPLEX64, XPU_COMPLEX128,
    XPU_BFLOAT16, /* has its number, no arrays yet */
    XPU_DTYPE_COUNT
} xpu_dtype;

/* The low 16 bits are the code, the bits above are notes on a call that succeeded. */
typedef int32_t xpu_status;
enum {
    XPU_OK = 0,
    XPU_NOT_SUPPORTED = 1,    /* a normal answer: the caller falls back */
    XPU_OUT_OF_MEMORY = 2,
    XPU_INVALID_ARGUMENT = 3,
    XPU_INVALID_DEVICE = 4,
    XPU_NOT_READY = 5,        /* stream or event still busy */
    XPU_INDEX_ERROR = 6,      /* call->result: {bad index, axis, axis length} */
    XPU_NEGATIVE_POWER = 7,   /* integers to negative integer powers */
    XPU_DEVICE_ERROR = 8,
    XPU_DEVICE_LOST = 9,
    XPU_FORKED = 10,          /* the runtime was opened before fork() */
    XPU_NOT_FOUND = 11,       /* driver, library or device missing */
    XPU_INTERNAL_ERROR = 12,
    XPU_CODE_MASK = 0xffff,
    XPU_NOTE_FALLBACK = 1 << 16, /* ran on the host through staging copies */
    XPU_NOTE_SLOW = 1 << 17      /* ran on a slow engine of the device */
};

typedef union {
    int64_t i;     /* bool and signed integers */
    uint64_t u;
    uint16_t h;    /* float16 bits */
    float f;
    double d;
    float cf[2];
    double cd[2];
} xpu_value;       /* at its address lies the value in its dtype's layout */

typedef struct {
    xpu_value value;
    int32_t dtype;
} xpu_scalar;

struct xpu_storage; /* owned by the runtime, opaque to backends */

/* An operand. base == NULL with size != 0 means a scalar passed by value (all strides 0). */
typedef struct {
    void *base;             /* allocation base, never moved */
    int64_t offset;         /* bytes from base to the first element */
    int64_t nbytes;         /* length of the allocation */
    int64_t size;           /* number of elements */
    int64_t *shape;
    int64_t *strides;       /* bytes, may be negative, zero or no multiple of the item size */
    int32_t ndim;
    int32_t dtype;
    struct xpu_storage *storage;
    xpu_value value;        /* of a scalar */
} xpu_tensor;

typedef void *xpu_stream; /* NULL is the device's default stream */
typedef void *xpu_event;

/* How an op is applied. CALL is the op itself, the others are ufunc methods. */
typedef enum { XPU_CALL, XPU_REDUCE, XPU_ACCUMULATE, XPU_REDUCEAT, XPU_AT, XPU_METHOD_COUNT } xpu_method;

enum {
    /* all tensors have one shape, are C-contiguous and aligned and have the loop's dtypes; scalars too */
    XPU_FLAG_CONTIGUOUS = 1,
    /* the last input is a boolean mask: elements where it is false keep their old value */
    XPU_FLAG_MASKED = 2,
    /* REDUCE: start from what `out` holds instead of the first elements */
    XPU_FLAG_INITIAL = 4
};

enum { XPU_MODE_RAISE, XPU_MODE_WRAP, XPU_MODE_CLIP };       /* i[0] of index ops */
enum { XPU_SORT_ANY, XPU_SORT_STABLE };                      /* i[0] of SORT, ARGSORT */

typedef struct {
    int64_t i[4];
    double f[2];
    const int64_t *axes;    /* non-negative */
    const int64_t *list;    /* kth of partition */
    int32_t naxes;
    int32_t nlist;
} xpu_params;

/* One launch. Shapes are already broadcast: for an elementwise CALL each operand has the outputs' shape. See docs of each op
 * in xpu_ops.def. `loop` indexes the op's type loops; operands of other dtypes are cast by the backend (or by dispatch). */
typedef struct {
    uint32_t struct_size;
    int32_t op;
    int32_t method;
    int32_t loop;
    int32_t nin;
    int32_t nout;
    uint32_t flags;
    int32_t device;
    const xpu_tensor *const *in;
    const xpu_tensor *const *out;
    const xpu_params *params; /* NULL when the op has none */
    xpu_stream stream;
    int64_t result[4];        /* DYNAMIC: real length; error details */
} xpu_call;

typedef enum { XPU_NO, XPU_SLOW, XPU_NATIVE } xpu_support;
typedef enum { XPU_HOST_TO_HOST, XPU_HOST_TO_DEVICE, XPU_DEVICE_TO_HOST, XPU_DEVICE_TO_DEVICE } xpu_copy_kind;

enum { XPU_EVENT_TIMING = 1, XPU_EVENT_BLOCKING = 2 };
enum { XPU_STREAM_NON_BLOCKING = 1 };

enum { /* capability bits */
    XPU_CAP_HOST_MEMORY = 1,   /* device memory can be read by the CPU; calls complete before they return */
    XPU_CAP_PEER = 2,
    XPU_CAP_CASTS = 4,         /* launch casts operands to the loop's dtypes itself */
    XPU_CAP_FORK = 8           /* usable in a forked child */
};

typedef struct {
    uint32_t struct_size;
    uint32_t caps;
    char name[128];
    char arch[64];            /* SoC or CPU architecture */
    int64_t total_memory;
    int64_t alignment;        /* of block starts, bytes, a power of two */
    int64_t padding;          /* bytes kernels may read past a block's end */
    int32_t max_ndim;
    int32_t compute_units;
    uint32_t dtypes;          /* bit i: dtype i can be stored and computed natively */
    int32_t reserved;
} xpu_device_props;

/* Slots marked (optional) may be NULL. `ctx` is xpu_backend.ctx. All may be called from several threads. */
typedef struct {
    xpu_status (*device_count)(void *ctx, int32_t *count);
    xpu_status (*device_props)(void *ctx, int32_t device, xpu_device_props *props);
    xpu_status (*set_device)(void *ctx, int32_t device);              /* of the calling thread */
    xpu_status (*mem_info)(void *ctx, int32_t device, int64_t *free_bytes, int64_t *total_bytes);
    xpu_status (*malloc)(void *ctx, int32_t device, size_t nbytes, void **ptr);
    xpu_status (*free)(void *ctx, int32_t device, void *ptr, size_t nbytes);
    xpu_status (*malloc_pinned)(void *ctx, size_t nbytes, void **ptr); /* (optional) */
    xpu_status (*free_pinned)(void *ctx, void *ptr, size_t nbytes);    /* (optional) */
    /* Ordered on the stream. With pageable host memory it returns after the host side was read or written. */
    xpu_status (*memcpy_async)(void *ctx, void *dst, const void *src, size_t nbytes, int32_t kind, int32_t device, xpu_stream stream);
    xpu_status (*memcpy_2d)(void *ctx, void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                            int32_t kind, int32_t device, xpu_stream stream); /* (optional) */
    xpu_status (*memcpy_peer)(void *ctx, void *dst, int32_t dst_device, const void *src, int32_t src_device, size_t nbytes,
                              xpu_stream stream);                       /* (optional) */
    xpu_status (*memset_async)(void *ctx, void *dst, int32_t byte, size_t nbytes, int32_t device, xpu_stream stream);
    xpu_status (*stream_create)(void *ctx, int32_t device, uint32_t flags, int32_t priority, xpu_stream *stream);
    xpu_status (*stream_destroy)(void *ctx, int32_t device, xpu_stream stream);
    xpu_status (*stream_query)(void *ctx, int32_t device, xpu_stream stream); /* XPU_OK or XPU_NOT_READY */
    xpu_status (*stream_synchronize)(void *ctx, int32_t device, xpu_stream stream);
    xpu_status (*stream_wait_event)(void *ctx, int32_t device, xpu_stream stream, xpu_event event);
    xpu_status (*stream_host_func)(void *ctx, int32_t device, xpu_stream stream, void (*fn)(void *), void *arg); /* (optional) */
    xpu_status (*event_create)(void *ctx, int32_t device, uint32_t flags, xpu_event *event);
    xpu_status (*event_destroy)(void *ctx, int32_t device, xpu_event event);
    xpu_status (*event_record)(void *ctx, int32_t device, xpu_event event, xpu_stream stream);
    xpu_status (*event_query)(void *ctx, int32_t device, xpu_event event);
    xpu_status (*event_synchronize)(void *ctx, int32_t device, xpu_event event);
    xpu_status (*event_elapsed)(void *ctx, xpu_event start, xpu_event stop, float *milliseconds);
    xpu_status (*device_synchronize)(void *ctx, int32_t device);
    const char *(*last_error)(void *ctx);                            /* of the calling thread, "" if none */
} xpu_runtime_table;

typedef struct {
    xpu_support (*supports)(void *ctx, const xpu_call *call);
    xpu_status (*launch)(void *ctx, xpu_call *call);
} xpu_compute_table;

typedef struct {
    uint32_t abi_version;  /* XPU_ABI_VERSION */
    uint32_t struct_size;  /* sizeof(xpu_backend) */
    const char *name;
    const char *version;
    void *ctx;
    uint32_t call_size;    /* sizeof(xpu_call), tensor_size: sizeof(xpu_tensor): both sides agree on layout */
    uint32_t tensor_size;
    xpu_runtime_table runtime;
    xpu_compute_table compute;
} xpu_backend;

/* What the runtime offers a backend: pooled, stream-ordered device memory for workspaces, and the host's compute table. */
typedef struct {
    uint32_t abi_version;
    uint32_t struct_size;
    void *(*workspace_alloc)(int32_t device, xpu_stream stream, size_t nbytes);
    void (*workspace_free)(int32_t device, xpu_stream stream, void *ptr);
    const xpu_backend *(*host)(void);
} xpu_services;

/* The one symbol a backend exports. Returns XPU_OK, or XPU_NOT_FOUND with a text for the user in *message. It is called by one thread
 * at a time, and not again after it succeeded. */
typedef xpu_status (*xpu_backend_entry_fn)(const xpu_services *services, const xpu_backend **backend, const char **message);

#ifdef __cplusplus
}
#endif
#endif
