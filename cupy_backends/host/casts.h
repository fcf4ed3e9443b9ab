/* Kernels that exist for several instruction sets, and transpositions. */
#ifndef HOST_CASTS_H
#define HOST_CASTS_H

#include "host.h"
#include "xpu_ops.h"

namespace host {
namespace base { /* kernels_base.cpp */
void fill_casts(CastFn (*table)[XPU_BFLOAT16]);
LoopFn where_of(int size);
LoopFn half_choice_of(int op);
}
namespace avx2 { /* kernels_avx2.cpp, on x86-64 only */
void fill_casts(CastFn (*table)[XPU_BFLOAT16]);
LoopFn where_of(int size);
LoopFn half_choice_of(int op);
}
inline bool has_avx2() {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c");
#else
    return false;
#endif
}

/* dst[j][i] = src[i][j] for i < n, j < rows; rows are contiguous, `*_row` bytes apart. nullptr for other sizes than 1, 2, 4, 8. */
typedef void (*TransposeFn)(const char *src, int64_t src_row, char *dst, int64_t dst_row, int64_t n, int64_t rows);
TransposeFn transpose_fn(int size); /* transpose.cpp */
/* The same for any dtypes and steps along a row of the destination, which is contiguous, as are its rows (cast.cpp). */
void copy_tile(int from, int to, const char *src, int64_t src_step, int64_t src_row, char *dst, int64_t n, int64_t rows);

} // namespace host
#endif
