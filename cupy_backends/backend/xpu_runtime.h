/* What the Cython layers call: op table, storages from the pool, launch with fallback. One table, fetched from the
 * capsule `cupy_backends.backend._runtime._C_API`. Nothing here needs the GIL. */
#ifndef XPU_RUNTIME_H
#define XPU_RUNTIME_H

#include "xpu_backend.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    XPU_KIND_ELEMENTWISE, XPU_KIND_GUFUNC, XPU_KIND_MOVE, XPU_KIND_INDEX, XPU_KIND_SORT, XPU_KIND_ARGREDUCE, XPU_KIND_DYNAMIC,
    XPU_KIND_FFT
};

typedef struct {
    int8_t types[XPU_MAX_ARGS]; /* xpu_dtype of inputs, then outputs; -1 ends */
} xpu_loop;

typedef struct {
    int32_t id;
    int32_t kind;
    const char *name;
    int32_t nin;
    int32_t nout;
    const char *loops_text;  /* as in xpu_ops.def */
    const char *identity;
    const char *params;
    const char *domain;
    double ulp;
    int32_t nloops;
    const xpu_loop *loops;
} xpu_op_info;

/* Device memory with its owner count. `free_fn` is set for memory that somebody else owns. */
typedef struct xpu_storage {
    void *base;
    size_t nbytes;      /* as asked for */
    int32_t device;
    int32_t refs;       /* atomic */
    xpu_stream stream;  /* the one it was allocated on */
    void (*free_fn)(void *arg);
    void *free_arg;
    void *block;        /* the pool's */
    void *uses;         /* events or streams that used it besides its own */
    uint64_t pool_id;
} xpu_storage;

typedef struct {
    uint32_t abi_version;
    uint32_t struct_size;
    const xpu_op_info *ops;  /* indexed by op id; name NULL where an id is unused */
    int32_t nops;

    /* the backend in use; opened by the first call that needs it */
    xpu_status (*open)(void);
    const xpu_backend *(*backend)(void);      /* NULL before open */
    const xpu_backend *(*host)(void);
    uint32_t (*caps)(void);                   /* XPU_CAP_* of the backend in use, 0 before open */

    /* current device and stream of the calling thread */
    void (*current)(int32_t *device, xpu_stream *stream);
    xpu_status (*set_device)(int32_t device);
    void (*set_stream)(int32_t device, xpu_stream stream);

    /* storage: at least nbytes (0 allowed) on the current device and stream */
    xpu_status (*alloc)(size_t nbytes, xpu_storage **out);
    xpu_status (*wrap)(void *ptr, size_t nbytes, int32_t device, void (*free_fn)(void *), void *arg, xpu_storage **out);
    void (*retain)(xpu_storage *s);
    void (*release)(xpu_storage *s);
    void (*shrink)(xpu_storage *s, size_t nbytes); /* give the tail back where that is free of cost */

    xpu_status (*launch)(xpu_call *call);     /* native, plan or fallback by policy; notes storages' streams */
    xpu_support (*supports)(const xpu_call *call);
    /* blocking copies between host memory and a storage, ordered after the stream's work */
    xpu_status (*read)(void *dst, const xpu_storage *src, int64_t offset, size_t nbytes);
    xpu_status (*write)(xpu_storage *dst, int64_t offset, const void *src, size_t nbytes);
    xpu_status (*synchronize)(void);          /* the current stream */
    const char *(*last_error)(void);          /* of the calling thread */
    int32_t (*last_op)(void);                 /* op id of the calling thread's last noted launch */
} xpu_core_api;

#ifdef __cplusplus
}
#endif
#endif
