/* Reductions: the plan of one, and the kernels of its own beside NumPy's loops. */
#ifndef HOST_REDUCE_H
#define HOST_REDUCE_H

#include "host.h"
#include "xpu_ops.h"

namespace host {

constexpr int64_t kBuffer = 8192; /* elements in a casting block: NumPy's buffer size, which shows in the bits of float sums */

/* acc = acc op (all n elements), in the order of NumPy's loop */
typedef void (*FoldFn)(char *acc, const char *in, int64_t stride, int64_t n);
/* out[j] = out[j] op row[j] for `rows` rows in order; out and each row are contiguous */
typedef void (*RowsFn)(char *out, const char *in, int64_t row_stride, int64_t rows, int64_t n);
FoldFn own_fold(int op, int in_dtype, int acc_dtype);
RowsFn own_rows(int op, int in_dtype, int acc_dtype);
/* acc += each element, one after the other */
FoldFn sequential_sum(int dtype);

/* An axis of the iteration, in NumPy's order. */
struct ReduceAxis {
    int64_t n, in, mask, out;
    bool reduced;
};

enum ReduceStart { START_IDENTITY, START_KEPT, START_FIRST };

struct Reduction {
    int op, in_dtype, acc_dtype, acc_size, in_size;
    Loop loop;
    CastFn cast;     /* input to accumulator type */
    bool casts;      /* the input goes through a buffer (in NumPy), for its type or alignment */
    int buffer_size; /* size of an element there */
    bool pairwise;   /* the order of NumPy's pairwise sums and buffers shows; float16 is rounded once per inner loop */
    bool plain;      /* all forms of the loop round alike */
    bool exact;      /* any order gives the same bits */
    FoldFn fold;     /* on the input as it is, or nullptr: NumPy's loop */
    FoldFn buffer_fold;
    FoldFn total;    /* sum of partial sums in order */
    void (*combine)(const Reduction &, char *acc, const char *part);
    bool has_identity;
    int64_t reduced; /* elements per output */
    RowsFn rows;
    ReduceStart start;
    alignas(16) char identity[16];
    int64_t skip;    /* bytes from the first element to `in` where the first is not folded */
    int ndim;
    ReduceAxis axes[XPU_MAX_NDIM]; /* innermost first */
    const char *in, *mask;
    char *out;
};

/* Offsets of the i-th index over `axes`, the innermost fastest. */
inline void offsets(const ReduceAxis *axes, int n, int64_t i, int64_t *in, int64_t *mask, int64_t *out) {
    for (int k = 0; k < n && i; k++) {
        int64_t j = i % axes[k].n;
        i /= axes[k].n;
        *in += j * axes[k].in;
        *mask += j * axes[k].mask;
        *out += j * axes[k].out;
    }
}

void plan_axes(Reduction *r, const xpu_tensor *in, const xpu_tensor *mask, const xpu_tensor *out);

/* A contiguous tensor of a type in temporary memory; dtype -1: none is needed. */
struct TempTensor {
    xpu_tensor t;
    int64_t strides[XPU_MAX_NDIM];
    Temp memory;
    TempTensor(const xpu_tensor *like, int dtype) : t(*like), memory(dtype < 0 ? 0 : (like->size ? like->size : 1) * item_size(dtype)) {
        if (dtype < 0) return;
        t.base = memory.ptr;
        t.offset = 0;
        t.dtype = dtype;
        t.nbytes = t.size * item_size(dtype);
        t.strides = strides;
        int64_t step = item_size(dtype);
        for (int i = t.ndim - 1; i >= 0; i--) {
            strides[i] = step;
            step *= t.shape[i];
        }
    }
};

} // namespace host
#endif
