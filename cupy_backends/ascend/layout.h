/* Views rearranged for operators on some axes: permuted, merged within groups of axes, packed, and places to write to. */
#ifndef ASCEND_LAYOUT_H
#define ASCEND_LAYOUT_H

#include "compute.h"
#include "error.h"

namespace ascend {

#define TEMP(name, ...)                                                                          \
    Temp name(ctx, __VA_ARGS__);                                                                 \
    if (!name.ok()) return fail(XPU_OUT_OF_MEMORY, "no device memory for a temporary")

#define CONSTANT(name, dtype, value)                                                             \
    View name;                                                                                   \
    XPU_TRY(scalar_tensor(ctx, dtype, value, &name))

#define NUMBER(name, value)                                                                      \
    View name;                                                                                   \
    XPU_TRY(constant(ctx, scalar_of_int(XPU_INT64, value), &name))

/* The first n axes of the result are those of `order`. */
View permuted(const xpu_tensor *t, const int *order, int n);
void insert_axis(View *v, int at); /* of length 1 */

/* Merges neighbours of one group that all views step through alike and drops axes of length 1; axes of group kKept stay as they are. */
constexpr int kKept = -1;
void merge_axes(View *views, int n, int *group);

/* The same memory, which is contiguous, in another shape of as many elements. */
View reshaped(const xpu_tensor *contiguous, int ndim, const int64_t *shape);
View flat(const xpu_tensor *contiguous);

/* A contiguous operand: the view itself or a copy. */
class Packed {
  public:
    xpu_status prepare(const Context &ctx, const xpu_tensor *source);
    const View &view() const { return view_; }
    operator const xpu_tensor *() const { return view_; }

  private:
    View view_;
    std::unique_ptr<Temp> temp_;
};

/* Where an operator may write: the view itself, or a temporary (with the view's elements in it when `keep`) that finish() copies. */
class Target {
  public:
    xpu_status prepare(const Context &ctx, const xpu_tensor *to, bool contiguous, bool keep);
    operator const xpu_tensor *() const { return temp_ ? &temp_->tensor : &view_.t; }
    xpu_status finish(const Context &ctx) { return temp_ ? copy_view(ctx, view_, *temp_) : XPU_OK; }

  private:
    View view_;
    std::unique_ptr<Temp> temp_;
};

/* Brings the contiguous elements of a tensor to the host: waits for the stream. */
xpu_status read_back(const Context &ctx, void *to, const xpu_tensor *from);

} // namespace ascend
#endif
