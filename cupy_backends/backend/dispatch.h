/* Ways to carry out a launch that the backend has no kernel for. */
#ifndef XPU_DISPATCH_H
#define XPU_DISPATCH_H

#include <atomic>

#include "pool.h"
#include "runtime.h"

namespace xpu {

constexpr int kMaxLoops = 20;

/* Launches by kind (XPU_COUNT_*), op, method and loop. */
extern std::atomic<uint64_t> counters[XPU_COUNTERS][XPU_OP_LIMIT][XPU_METHOD_COUNT][kMaxLoops];
extern std::atomic<int32_t> fallback_policy;

inline const int8_t *loop_types(const xpu_call *call) {
    const xpu_op_info *info = op_info(call->op);
    return info && call->loop >= 0 && call->loop < info->nloops ? info->loops[call->loop].types : nullptr;
}
inline void count(int kind, const xpu_call *call) {
    if (loop_types(call) && call->method >= 0 && call->method < XPU_METHOD_COUNT)
        counters[kind][call->op][call->method][call->loop].fetch_add(1, std::memory_order_relaxed);
}
int32_t find_loop(int32_t op, const int8_t *types, int n); /* index of the op's loop with these types, or -1 */
const char *dtype_name(int32_t dtype);
void describe(const xpu_call *call, char *text, size_t size); /* add.reduce(float32) */
int item_size(int32_t dtype);
bool needs_casts(const xpu_call *call);                         /* an operand has not the loop's dtype */
xpu_status launch_native(const xpu_backend *b, xpu_call *call); /* notes streams and counts */

/* A dense temporary array on the call's device and stream, in the memory order of `like`; where that has stride 0, it has too. */
class TempTensor {
  public:
    xpu_tensor t = {};
    void plan(const xpu_tensor *like, int32_t dtype);
    xpu_status allocate(const xpu_call *call);
    xpu_tensor core(int64_t *shape); /* with length 1 on those axes: what has to be filled */
    ~TempTensor();

  private:
    int64_t strides_[XPU_MAX_NDIM];
    xpu_storage *storage_ = nullptr;
};

/* Each: XPU_NOT_SUPPORTED if it does not apply. */
xpu_status run_with_casts(const xpu_backend *b, xpu_call *call); /* plan.cpp */
xpu_status run_composed(const xpu_backend *b, xpu_call *call);
xpu_status run_on_host(const xpu_backend *b, xpu_call *call);    /* fallback.cpp */

} // namespace xpu
#endif
