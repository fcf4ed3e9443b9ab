/* The host backend: a scheduler around NumPy's own compiled loops. Calls complete before they return.
 *
 *   backend.cpp      the table, [op][method] -> function; device.cpp: properties, memory, streams and events
 *   loops.cpp        fetches NumPy's loops and sort functions at import (needs Python; nothing else here does); own_loops.cpp
 *   threads.cpp      the thread pool; memory.cpp: temporary memory
 *   plan.cpp         axes merged and ordered; walk.h: rows of a plan
 *   elementwise.cpp  CALL of ELEMENTWISE ops, masks, casting blocks; slabs.cpp: transposed inputs; at.cpp: AT
 *   cast.cpp         casts and strided copies, fill, iota; transpose.cpp
 *   kernels_*.cpp    casts and selections for an instruction set
 *   reduce.cpp scan.cpp argreduce.cpp sort.cpp matmul.cpp
 *   gather.cpp mask.cpp   gather, scatter, mask_get, mask_set, nonzero
 */
#ifndef HOST_H
#define HOST_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "xpu_runtime.h"

namespace host {

/* --- NumPy's functions (loops.cpp) --- */
typedef void (*LoopFn)(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data); /* PyUFuncGenericFunction */
struct Loop {
    LoopFn fn = nullptr; /* nullptr: this NumPy has none; the op needs code of its own or is not supported */
    void *data = nullptr;
};
Loop numpy_loop(int op, int loop);
typedef int (*SortFn)(void *start, intptr_t n, void *array); /* PyArray_SortFunc; array may be a dummy kept by loops.cpp */
typedef int (*ArgSortFn)(void *start, intptr_t *index, intptr_t n, void *array);
typedef int (*ArgFn)(void *start, intptr_t n, intptr_t *result, void *array);
SortFn numpy_sort(int dtype, bool stable);
ArgSortFn numpy_argsort(int dtype, bool stable);
ArgFn numpy_argmax(int dtype);
ArgFn numpy_argmin(int dtype);
void *numpy_dummy_array(int dtype);                                              /* a PyArrayObject* of that dtype for the above */

/* --- op rows --- */
const xpu_op_info &op_info(int op);
inline int item_size(int dtype) {
    static const signed char sizes[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8, 8, 16, 2};
    return sizes[dtype];
}

/* --- operands --- */
inline char *data_of(const xpu_tensor *t) {
    return t->base ? static_cast<char *>(t->base) + t->offset : reinterpret_cast<char *>(const_cast<xpu_value *>(&t->value));
}

/* NumPy's rule on x86-64: items lie at multiples of their own size, complex ones of their parts'. */
inline int64_t item_alignment(int dtype) {
    return dtype == XPU_COMPLEX64 ? 4 : dtype == XPU_COMPLEX128 ? 8 : item_size(dtype);
}
bool is_aligned(const xpu_tensor *t); /* plan.cpp */
bool is_flat(const xpu_tensor *t);    /* aligned and C-contiguous */

/* --- threads (threads.cpp) ---
 * Runs body(ctx, begin, end, worker) over [0, n) in pieces of at least `grain`; inline when that is one, when called from a worker, when
 * another thread holds the pool, or when workers got no core lately. worker < thread_count(). */
int thread_count();
int usable_threads(); /* how many a job has got now: of use where more pieces make more work, and the answer stays the same */
void parallel_run(int64_t n, int64_t grain, void (*body)(void *ctx, int64_t begin, int64_t end, int worker), void *ctx);
template <class F> void parallel(int64_t n, int64_t grain, F &&f) { /* f(begin, end, worker) */
    using Body = typename std::remove_reference<F>::type;
    parallel_run(n, grain, [](void *c, int64_t b, int64_t e, int w) { (*static_cast<Body *>(c))(b, e, w); }, &f);
}
constexpr int64_t kParallelElements = 1 << 15; /* below this no worker wakes */
constexpr int kMaxThreads = 256;

/* Functions compiled for several instruction sets, the best one is taken at run time. */
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDE
#endif

/* --- casts (cast.cpp) --- n elements, byte strides, any alignment; NumPy's unsafe astype */
typedef void (*CastFn)(const char *src, int64_t src_stride, char *dst, int64_t dst_stride, int64_t n);
CastFn cast_fn(int from, int to);
CastFn copy_fn(int size); /* of items of that size */
/* dst and src of one shape, any strides and dtypes, not overlapping; multi-threaded */
xpu_status copy_cast(const xpu_tensor *dst, const xpu_tensor *src);

/* --- temporary memory, from the runtime's pool --- */
void *temp_alloc(size_t nbytes);
void temp_free(void *ptr);
struct Temp {
    void *ptr;
    explicit Temp(size_t n) : ptr(temp_alloc(n)) {}
    ~Temp() { if (ptr) temp_free(ptr); }
    Temp(const Temp &) = delete;
    Temp &operator=(const Temp &) = delete;
    template <class T> T *as() { return static_cast<T *>(ptr); }
};

/* --- iteration over up to 64 axes (plan.cpp) ---
 * Axes of equal-shape operands collapsed and ordered so that the last one is the innermost loop. */
constexpr int kMaxOperands = XPU_MAX_ARGS + 1;
struct Plan {
    int ndim;
    int nop;
    int64_t size;
    int64_t shape[XPU_MAX_NDIM];
    int64_t strides[kMaxOperands][XPU_MAX_NDIM];
    char *data[kMaxOperands];
};
enum Order {
    ORDER_ALL,   /* NumPy's: an axis moves inwards where no operand is against it, so that loops see the rows that NumPy's do */
    ORDER_KEEP,  /* only merge adjacent axes, do not permute (for reductions along named axes, scans) */
    ORDER_FIRST  /* the first operand's order decides */
};
void make_plan(Plan *plan, int nop, const xpu_tensor *const *operands, int order = ORDER_ALL);

xpu_status fail(xpu_status status, const char *format, ...) __attribute__((format(printf, 2, 3))); /* sets last_error of the thread */

/* --- the families; each is entered in backend.cpp's table --- */
xpu_status run_elementwise(xpu_call *call); /* elementwise.cpp */
xpu_status run_at(xpu_call *call);          /* at.cpp */
xpu_status run_copy(xpu_call *call);        /* cast.cpp */
xpu_status run_fill(xpu_call *call);
xpu_status run_iota(xpu_call *call);
xpu_status run_reduce(xpu_call *call);      /* reduce.cpp; also count_nonzero */
xpu_status run_accumulate(xpu_call *call);  /* scan.cpp */
xpu_status run_reduceat(xpu_call *call);
xpu_status run_argreduce(xpu_call *call);   /* argreduce.cpp */
xpu_status run_sort(xpu_call *call);        /* sort.cpp */
xpu_status run_argsort(xpu_call *call);
xpu_status run_partition(xpu_call *call);   /* partition and argpartition */
xpu_status run_searchsorted(xpu_call *call);
xpu_status run_gufunc(xpu_call *call);      /* matmul.cpp */
xpu_status run_gather(xpu_call *call);      /* gather.cpp */
xpu_status run_scatter(xpu_call *call);
xpu_status run_mask_get(xpu_call *call);    /* mask.cpp */
xpu_status run_mask_set(xpu_call *call);
xpu_status run_nonzero(xpu_call *call);

} // namespace host
#endif
