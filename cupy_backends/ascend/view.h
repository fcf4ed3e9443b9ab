/* Operands as aclnn takes them: few axes, no negative strides, constants as 0-d tensors on the device. */
#ifndef ASCEND_VIEW_H
#define ASCEND_VIEW_H

#include <memory>

#include "call.h"
#include "xpu_runtime.h"

namespace ascend {

#define XPU_TRY(expression)                                                                                                                \
    do {                                                                                                                                   \
        xpu_status status_ = (expression);                                                                                                 \
        if ((status_ & XPU_CODE_MASK) != XPU_OK) return status_;                                                                           \
    } while (0)

constexpr int kMaxRank = 8; /* of aclnn operators */

/* A tensor with its shape and strides beside it. */
struct View {
    xpu_tensor t{};
    int64_t shape[XPU_MAX_NDIM], strides[XPU_MAX_NDIM];

    View() = default;
    explicit View(const xpu_tensor *source) { *this = *source; }
    View(const View &other) { *this = other.t; }
    View &operator=(const View &other) { return *this = other.t; }
    View &operator=(const xpu_tensor &source);
    operator const xpu_tensor *() const { return &t; }
    void update(); /* size from shape */
};

bool is_scalar(const xpu_tensor *t); /* passed by value */
bool has_negative_strides(const xpu_tensor *t);
bool is_contiguous(const xpu_tensor *t);
bool is_aligned(const xpu_tensor *t); /* offset and strides are multiples of the item size: aclnn counts in elements */
bool overlaps(const xpu_tensor *a, const xpu_tensor *b);
bool same_layout(const xpu_tensor *a, const xpu_tensor *b);

/* The same bytes as a dtype that aclnn moves on AI Core: by item size. Complex128 has none (-1). */
int32_t moved_as(int32_t dtype);

/* Merges adjacent axes that all operands step through alike and drops those of length 1. Operands have one shape. */
void collapse(View *views, int n);
/* Axes with stride 0 get length 1: aclnn broadcasts them itself. */
void unbroadcast(View *view);

/* An operand that aclnn accepts: the view itself, or a copy made on the device when strides are negative. */
class Ready {
  public:
    xpu_status prepare(const Context &ctx, const xpu_tensor *source);
    operator const xpu_tensor *() const { return temp_ ? &temp_->tensor : &view_.t; }

  private:
    View view_;
    std::unique_ptr<Temp> temp_;
};

/* A 0-d tensor with a value, filled once per stream and kept (bounded, least recently used first out): the stream's order is all the
 * waiting that it needs. */
xpu_status constant(const Context &ctx, const xpu_scalar &value, View *result);
void forget_constants(int32_t device, xpu_stream stream); /* before the stream is destroyed */

/* Contiguous bytes on the stream. */
xpu_status runtime_copy(const Context &ctx, void *dst, const void *src, int64_t nbytes);

/* out <- in of equal dtype and shape, any strides on both sides. */
xpu_status copy_view(const Context &ctx, const xpu_tensor *out, const xpu_tensor *in);

} // namespace ascend
#endif
