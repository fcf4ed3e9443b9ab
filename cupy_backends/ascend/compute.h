/* What the Ascend backend computes: `supports` and `launch` from the one table rows.def. */
#ifndef ASCEND_COMPUTE_H
#define ASCEND_COMPUTE_H

#include "view.h"
#include "xpu_ops.h"

namespace ascend {

xpu_support supports(void *ctx, const xpu_call *call);
xpu_status launch(void *ctx, xpu_call *call);

struct Row {
    int16_t op, method;
    xpu_status (*form)(const Context &ctx, const Row &row, xpu_call *call);
    Op fn;
    const char *core, *cpu;
    const char *form_name;
};
extern const Row rows[];
extern const int row_count;
const Row *find_row(int op, int method);
xpu_support supported_dtype(const Row &row, int32_t dtype);

#define ASCEND_FORM(name) xpu_status run_##name(const Context &ctx, const Row &row, xpu_call *call)
/* elementwise.cpp: operands as they are, and compositions */
ASCEND_FORM(unary);
ASCEND_FORM(binary);
ASCEND_FORM(power);
ASCEND_FORM(alpha);
ASCEND_FORM(identity);
ASCEND_FORM(square);
ASCEND_FORM(isnan);
ASCEND_FORM(sign);
ASCEND_FORM(floor_divide);
ASCEND_FORM(remainder);
ASCEND_FORM(fmod);
ASCEND_FORM(fmax);
ASCEND_FORM(logarithm);
ASCEND_FORM(clip);
ASCEND_FORM(where);
/* move.cpp */
ASCEND_FORM(copy);
ASCEND_FORM(fill);
ASCEND_FORM(iota);
ASCEND_FORM(part);
/* reduce.cpp */
ASCEND_FORM(sum);
ASCEND_FORM(prod);
ASCEND_FORM(extreme);
ASCEND_FORM(truth);
ASCEND_FORM(count_nonzero);
ASCEND_FORM(argextreme);
ASCEND_FORM(cumsum);
ASCEND_FORM(cumprod);
/* index.cpp */
ASCEND_FORM(gather);
ASCEND_FORM(scatter);
ASCEND_FORM(mask_get);
ASCEND_FORM(mask_set);
ASCEND_FORM(nonzero);
/* sort.cpp, matmul.cpp */
ASCEND_FORM(sort);
ASCEND_FORM(argsort);
ASCEND_FORM(matmul);
/* sip.cpp */
ASCEND_FORM(fft);

/* Operands of an elementwise call as aclnn takes them: collapsed, broadcast axes shortened, constants on the device. */
class Operands {
  public:
    xpu_status prepare(const Context &ctx, xpu_call *call);
    const xpu_tensor *in(int i) const { return inputs_[i]; }
    /* where to compute: the output, or a temporary when it aliases an input or runs backwards */
    const xpu_tensor *result(int32_t dtype, bool contiguous = false);
    xpu_status finish();                     /* brings a temporary to the output */
    bool inplace() const { return inplace_; }

  private:
    Context ctx_{};
    View views_[XPU_MAX_ARGS + 1];
    Ready ready_[XPU_MAX_ARGS];
    View constants_[XPU_MAX_ARGS];
    const xpu_tensor *inputs_[XPU_MAX_ARGS];
    std::unique_ptr<Temp> temp_;
    bool inplace_ = false;
};

/* --- pieces that compositions share --- */
int32_t run_as(int32_t dtype); /* uint32 and uint64 as int32 and int64 */
xpu_status cast(const Context &ctx, const xpu_tensor *out, const xpu_tensor *in);
xpu_status scalar_tensor(const Context &ctx, int32_t dtype, double value, View *result);
xpu_status fill_contiguous(const Context &ctx, const xpu_tensor *out, const xpu_scalar &value);
xpu_status arange(const Context &ctx, const xpu_tensor *out); /* 0, 1, 2, ... into a 1-D int64 tensor */

} // namespace ascend
#endif
