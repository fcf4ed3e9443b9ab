/* The one place of CANN's two-phase call, with the cache of repeatable executors.
 *
 *     run(ctx, Op::Add, {in(a), in(b), scalar(one), out(c)});
 *
 * Arguments are values that describe tensors and attributes. CANN's objects (aclTensor, aclScalar, aclIntArray, aclTensorList) are made
 * from them on a miss and live as long as the executor; on a hit only addresses are set and phase two runs.
 */
#ifndef ASCEND_CALL_H
#define ASCEND_CALL_H

#include <initializer_list>

#include "library.h"
#include "xpu_backend.h"

namespace ascend {

struct Context {
    int32_t device;
    xpu_stream stream;
};

struct Arg {
    enum Kind : uint8_t { In, Out, Scalar, Ints, Tensors, Int, Bool, Int8, Dtype, Null } kind;
    int32_t count; /* of Ints, Tensors */
    union {
        const xpu_tensor *tensor;      /* In, Out */
        const xpu_tensor *const *list; /* Tensors */
        const int64_t *ints;           /* Ints */
        int64_t value;                 /* Int, Bool, Int8, Dtype */
    };
    xpu_scalar scalar; /* Scalar */
};

inline Arg in(const xpu_tensor *t) {
    Arg a{};
    a.kind = Arg::In;
    a.tensor = t;
    return a;
}
inline Arg out(const xpu_tensor *t) {
    Arg a{};
    a.kind = Arg::Out;
    a.tensor = t;
    return a;
} /* also a tensor changed in place */
inline Arg scalar(const xpu_scalar &s) {
    Arg a{};
    a.kind = Arg::Scalar;
    a.scalar = s;
    return a;
}
inline Arg ints(const int64_t *values, int n) {
    Arg a{};
    a.kind = Arg::Ints;
    a.ints = values;
    a.count = n;
    return a;
}
inline Arg tensors(const xpu_tensor *const *list, int n) {
    Arg a{};
    a.kind = Arg::Tensors;
    a.list = list;
    a.count = n;
    return a;
}
inline Arg integer(int64_t v) {
    Arg a{};
    a.kind = Arg::Int;
    a.value = v;
    return a;
}
inline Arg flag(bool v) {
    Arg a{};
    a.kind = Arg::Bool;
    a.value = v;
    return a;
}
inline Arg int8(int8_t v) {
    Arg a{};
    a.kind = Arg::Int8;
    a.value = v;
    return a;
}
inline Arg dtype(int32_t xpu_dtype_number) {
    Arg a{};
    a.kind = Arg::Dtype;
    a.value = xpu_dtype_number;
    return a;
}
inline Arg null() {
    Arg a{};
    a.kind = Arg::Null;
    return a;
}

xpu_scalar scalar_of(int32_t dtype, double value); /* a constant in a dtype */
xpu_scalar scalar_of_int(int32_t dtype, int64_t value);
aclDataType acl_dtype(int32_t dtype);

constexpr int kMaxArgs = 16;

/* Queues an operator. XPU_NOT_SUPPORTED when the CANN at hand has no such operator. */
xpu_status run(const Context &ctx, Op op, std::initializer_list<Arg> args);

/* An operator whose output length is known only afterwards: runs it, waits for the stream and gives the view shape of its output. */
xpu_status run_dynamic(const Context &ctx, Op op, std::initializer_list<Arg> args, int out_index, int64_t *shape, int *ndim);

struct CacheStats {
    uint64_t hits, misses, evictions, not_repeatable;
    uint64_t entries;
    uint64_t rejected; /* calls that phase one did not take, though they were thought right */
};
CacheStats cache_stats();      /* over all threads */
void clear_cache();            /* of the calling thread */
void set_determinism(bool on); /* part of the key */

/* --- device temporaries, stream-ordered, from the runtime's pool --- */
class Temp {
  public:
    Temp(const Context &ctx, int32_t dtype, int ndim, const int64_t *shape); /* contiguous; ok() tells whether there was memory */
    Temp(const Context &ctx, int32_t dtype, const xpu_tensor *like) : Temp(ctx, dtype, like->ndim, like->shape) {}
    ~Temp();
    Temp(const Temp &) = delete;
    Temp &operator=(const Temp &) = delete;
    bool ok() const { return tensor.base != nullptr || tensor.size == 0; }
    operator const xpu_tensor *() const { return &tensor; }
    xpu_tensor tensor;

  private:
    Context ctx_;
    int64_t shape_[XPU_MAX_NDIM], strides_[XPU_MAX_NDIM];
};

extern const xpu_services *services; /* the runtime's, set at entry */
int item_size(int32_t dtype);

} // namespace ascend
#endif
