/* NNAL's libasdsip: what aclnn lacks, for complex64 and float32. Opened with dlopen at first use; absent means not supported. */
#ifndef ASCEND_SIP_H
#define ASCEND_SIP_H

#include "call.h"

namespace ascend {

bool needs_sip(const xpu_call *call); /* aclnn has no operator for it: complex products, Fourier transforms */
bool sip_takes(const xpu_call *call); /* the library is there and does it */

/* (batch..., m, k) times (batch..., k, n) into a contiguous (batch..., m, n), complex64; repeated batch axes have stride 0. */
xpu_status complex_matmul(const Context &ctx, const xpu_tensor *a, const xpu_tensor *b, const xpu_tensor *c, int batch);

struct PlanStats {
    uint64_t hits, misses, evictions, entries;
};
PlanStats plan_stats();

} // namespace ascend
#endif
