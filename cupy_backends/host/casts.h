/* What cast.cpp is made of: tables of casts, filled once for the CPU at hand, and transpositions. */
#ifndef HOST_CASTS_H
#define HOST_CASTS_H

#include "host.h"

namespace host {
namespace base {
void fill_casts(CastFn (*table)[XPU_BFLOAT16]); /* cast_base.cpp */
}
namespace avx2 {
void fill_casts(CastFn (*table)[XPU_BFLOAT16]); /* cast_avx2.cpp, on x86-64 only */
}

/* dst[j][i] = src[i][j] for i < n, j < rows; rows are contiguous, `*_row` bytes apart. nullptr for other sizes than 1, 2, 4, 8. */
typedef void (*TransposeFn)(const char *src, int64_t src_row, char *dst, int64_t dst_row, int64_t n, int64_t rows);
TransposeFn transpose_fn(int size); /* transpose.cpp */

} // namespace host
#endif
