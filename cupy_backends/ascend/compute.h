/* What the Ascend backend computes: `supports` and `launch` from one table of rows. */
#ifndef ASCEND_COMPUTE_H
#define ASCEND_COMPUTE_H

#include "xpu_runtime.h"

namespace ascend {

xpu_support supports(void *ctx, const xpu_call *call);
xpu_status launch(void *ctx, xpu_call *call);

} // namespace ascend
#endif
