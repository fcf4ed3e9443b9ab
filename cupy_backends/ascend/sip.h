/* NNAL's libasdsip: what aclnn lacks, for complex64 and float32. Opened with dlopen at first use; absent means not supported. */
#ifndef ASCEND_SIP_H
#define ASCEND_SIP_H

#include "call.h"

namespace ascend {

bool sip_available(); /* the functions for complex64 products are there */

/* (batch..., m, k) times (batch..., k, n) into a contiguous (batch..., m, n), complex64; repeated batch axes have stride 0. */
xpu_status complex_matmul(const Context &ctx, const xpu_tensor *a, const xpu_tensor *b, const xpu_tensor *c, int batch);

enum class Fft { C2C = 16, C2R = 17, R2C = 18 };

/* Transforms of length n along the last axis, multiplied by `scale`. n is the real length for R2C and C2R.
 * XPU_NOT_SUPPORTED where the library does not do the length or is not there. */
xpu_status fft1d(const Context &ctx, Fft type, bool forward, int64_t n, double scale, const xpu_tensor *from, const xpu_tensor *to);

struct PlanStats {
    uint64_t hits, misses, evictions, entries;
};
PlanStats plan_stats();
void clear_plans();

} // namespace ascend
#endif
