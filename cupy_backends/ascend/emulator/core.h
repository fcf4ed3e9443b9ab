/* The frame of the emulator, for the files that implement operators (kernels_*.cpp, sip.cpp).
 *
 * An operator is defined once, with its exact C prototype; the macro makes both phases:
 *
 *     EMU_OP(Add, (const aclTensor *self, const aclTensor *other, const aclScalar *alpha, aclTensor *out), (self, other, alpha, out))
 *     {
 *         EMU_REQUIRE(emu::broadcastable(plan.arg(0).dims, plan.arg(1).dims, plan.arg(3).dims), "shapes do not broadcast");
 *         emu::Scalar a = *alpha;                              // host values are copied: they may be freed after phase one
 *         plan.run([a](emu::Frame &f) { add(f.arg(0), f.arg(1), a, f.arg(3)); });
 *         return ACLNN_SUCCESS;
 *     }
 *
 * Before the body runs the frame has checked each argument by itself against its row in op_rules.def: null pointers, live objects, dtype,
 * rank, strides, alignment, storage, device; an output that overlaps an input; an output that overlaps itself. The body checks what
 * concerns several arguments. Arguments are named by their position in the prototype, scalars counted too. The kernel runs later, on
 * the stream's thread, and sees memory only through the Frame; addresses may have been changed since phase one.
 */
#ifndef EMU_CORE_H
#define EMU_CORE_H

#include <complex>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cann.h"

#define EMU_EXPORT __attribute__((visibility("default")))
#define EMU_API extern "C" EMU_EXPORT

namespace emu {

using Dims = std::vector<int64_t>;

/* --- dtypes --- */
size_t item_size(aclDataType dtype); /* 0 when unknown */
const char *dtype_name(aclDataType dtype);
constexpr uint64_t bit(aclDataType dtype) { return uint64_t(1) << int(dtype); }

struct Half { uint16_t bits; };  /* FLOAT16 */
struct Brain { uint16_t bits; }; /* BFLOAT16 */
float half_to_float(uint16_t bits);
uint16_t float_to_half(float value);  /* nearest, ties to even */
uint16_t double_to_half(double value);
float brain_to_float(uint16_t bits);
uint16_t float_to_brain(float value);

/* CANN's promotion (tables A and B of the facts); ACL_DT_UNDEFINED where it refuses. */
aclDataType promote(aclDataType a, aclDataType b);
aclDataType promote_scalar(aclDataType tensor, aclDataType scalar);
bool castable(aclDataType from, aclDataType to); /* what an out tensor may be */

/* --- host values --- */
struct Scalar {
    aclDataType dtype = ACL_DT_UNDEFINED;
    alignas(16) unsigned char bytes[16] = {};
    double real() const;                 /* integers beyond 2^53 lose digits: use integer() */
    int64_t integer() const;             /* UINT64 keeps its bits; floats are truncated */
    std::complex<double> complex() const;
    bool is_complex() const { return dtype == ACL_COMPLEX64 || dtype == ACL_COMPLEX128 || dtype == ACL_COMPLEX32; }
    bool is_float() const { return dtype == ACL_FLOAT || dtype == ACL_DOUBLE || dtype == ACL_FLOAT16 || dtype == ACL_BF16; }
};

/* --- tensors --- */
struct Layout {
    aclDataType dtype = ACL_DT_UNDEFINED;
    Dims dims, strides;                  /* the view; strides in elements */
    int64_t offset = 0;                  /* in elements */
    aclFormat format = ACL_FORMAT_ND;
    Dims storage;                        /* what the allocation holds, in elements */
    int rank() const { return int(dims.size()); }
    int64_t count() const;
    bool contiguous() const;
};

/* A tensor as a kernel sees it, in readable memory. `data` is the first element; null when the tensor has none or was not given. */
struct View {
    aclDataType dtype = ACL_DT_UNDEFINED;
    Dims dims, strides;                  /* strides in elements, never negative, 0 where broadcast */
    char *data = nullptr;
    int rank() const { return int(dims.size()); }
    int64_t count() const;
    template <class T> T *as() const { return reinterpret_cast<T *>(data); }
};

int64_t count_of(const Dims &dims);
Dims contiguous_strides(const Dims &dims);
bool broadcast(const Dims &a, const Dims &b, Dims *out);                    /* false when they do not fit */
bool broadcastable(const Dims &a, const Dims &b, const Dims &out);          /* together they give exactly `out` */
View broadcast_to(const View &view, const Dims &dims);                      /* strides 0 where it is repeated */
int64_t normal_axis(int64_t axis, int64_t rank);                            /* -1 when out of range; rank 0 takes axis 0 and -1 */

/* Calls body(element offsets...) for each index of dims in row-major order: the plain loop under most kernels. */
template <size_t N, class Body> void for_each(const Dims &dims, const Dims *const (&strides)[N], Body body)
{
    int64_t n = count_of(dims);
    int rank = int(dims.size());
    int64_t at[N] = {};
    Dims index(dims.size(), 0);
    for (int64_t i = 0; i < n; ++i) {
        body(at);
        for (int d = rank - 1; d >= 0; --d) {
            if (++index[d] < dims[d]) {
                for (size_t k = 0; k < N; ++k) at[k] += (*strides[k])[d];
                break;
            }
            for (size_t k = 0; k < N; ++k) at[k] -= (*strides[k])[d] * (dims[d] - 1);
            index[d] = 0;
        }
    }
}

} // namespace emu

/* CANN's opaque objects. Their pointers are the client's. */
struct EmuObject {
    virtual ~EmuObject() = default;
    const char *kind = "";
    int holders = 0;                     /* executors that have not run yet */
    int keepers = 0;                     /* repeatable executors */
};
struct aclTensor : EmuObject {
    emu::Layout layout;
    void *base = nullptr;                /* as the client gave it: not readable */
};
struct aclScalar : EmuObject, emu::Scalar {};
struct aclIntArray : EmuObject { std::vector<int64_t> values; };
struct aclBoolArray : EmuObject { std::vector<char> values; };
struct aclFloatArray : EmuObject { std::vector<float> values; };
struct aclTensorList : EmuObject { std::vector<const aclTensor *> values; };
struct aclScalarList : EmuObject { std::vector<const aclScalar *> values; };

namespace emu {

/* --- the rule table: one row per tensor argument and scalar, in op_rules.def (generated from the facts) --- */
enum Direction : uint8_t { IN, OUT, INOUT };
struct ParamRule {
    const char *op;                      /* without "aclnn" */
    int position;
    Direction direction;
    uint64_t dtypes;                     /* bits of aclDataType; 0: any */
    int max_rank;
    bool strided;                        /* views that are not contiguous are accepted */
    bool optional;                       /* may be null */
};
const ParamRule *find_rule(const char *op, int position);

/* --- phase one --- */
struct Argument {
    enum Kind : uint8_t { TENSOR, TENSOR_LIST, SCALAR, SCALAR_LIST, INTS, BOOLS, FLOATS, VALUE } kind;
    const void *object;
    bool constant;
};
inline Argument wrap(const aclTensor *p) { return {Argument::TENSOR, p, true}; }
inline Argument wrap(aclTensor *p) { return {Argument::TENSOR, p, false}; }
inline Argument wrap(const aclTensorList *p) { return {Argument::TENSOR_LIST, p, true}; }
inline Argument wrap(const aclScalar *p) { return {Argument::SCALAR, p, true}; }
inline Argument wrap(const aclScalarList *p) { return {Argument::SCALAR_LIST, p, true}; }
inline Argument wrap(const aclIntArray *p) { return {Argument::INTS, p, true}; }
inline Argument wrap(const aclBoolArray *p) { return {Argument::BOOLS, p, true}; }
inline Argument wrap(const aclFloatArray *p) { return {Argument::FLOATS, p, true}; }
template <class T> std::enable_if_t<!std::is_pointer_v<T>, Argument> wrap(T) { return {Argument::VALUE, nullptr, true}; }
inline Argument wrap(const char *) { return {Argument::VALUE, nullptr, true}; }
template <class... T> std::vector<Argument> wrap_all(T... args) { return {wrap(args)...}; }

class Frame;
using Kernel = std::function<void(Frame &)>;

class Plan {
  public:
    bool given(int position) const;              /* the tensor or list is not null */
    const Layout &arg(int position) const;       /* of a tensor argument that is given */
    int length(int position) const;              /* of a tensor list */
    const Layout &item(int position, int k) const;

    void run(Kernel kernel) { kernel_ = std::move(kernel); }
    void workspace(uint64_t bytes) { workspace_ += bytes; } /* on top of what copies of views need */
    void not_repeatable() { repeatable_ = false; }
    void output_follows_device(int position) { dynamic_.push_back(position); } /* its view shape is set by the kernel */
    bool deterministic() const { return deterministic_; } /* ACL_OPT_DETERMINISTIC at phase one */
    aclnnStatus refuse(aclnnStatus code, const char *format, ...) __attribute__((format(printf, 3, 4)));

  private:
    friend struct PlanAccess;
    std::shared_ptr<struct Program> program_; /* what phase two queues */
    Kernel kernel_;
    uint64_t workspace_ = 0;
    bool repeatable_ = true, deterministic_ = false;
    std::vector<int> dynamic_;
};

#define EMU_REQUIRE(condition, ...)                                        \
    do {                                                                   \
        if (!(condition)) return plan.refuse(ACLNN_ERR_PARAM_INVALID, __VA_ARGS__); \
    } while (0)

/* --- what a kernel sees when it runs --- */
class Frame {
  public:
    View arg(int position) const;                /* data is null when the argument was null */
    View item(int position, int k) const;        /* of a tensor list */
    int length(int position) const;
    char *workspace() const { return workspace_; }
    uint64_t workspace_size() const { return workspace_size_; }
    void set_view_shape(int position, const Dims &dims); /* of an output whose length depends on data */
    /* The device breaks: the call and all later ones of this device fail (an index out of range, ...). */
    void fault(const char *format, ...) __attribute__((format(printf, 2, 3)));

  private:
    friend struct FrameAccess;
    std::shared_ptr<struct Program> program_;
    std::vector<View> views_;
    char *workspace_ = nullptr;
    uint64_t workspace_size_ = 0;
    struct Task *task_ = nullptr;
};

aclnnStatus phase_one(const char *op, const char *symbol, const std::vector<Argument> &args, uint64_t *size, aclOpExecutor **executor,
                      const std::function<aclnnStatus(Plan &)> &body);
aclnnStatus phase_two(const char *symbol, void *workspace, uint64_t size, aclOpExecutor *executor, aclrtStream stream);

/* --- other work on streams (asdsip, which has no executors) --- */
struct Range {
    const void *address;                 /* device memory; a null address with 0 bytes is skipped */
    size_t bytes;
    bool write;
};
class Work {
  public:
    char *at(int range) const { return pointers_[range]; } /* readable */
    void fault(const char *format, ...) __attribute__((format(printf, 2, 3)));
    std::vector<char *> pointers_;
    struct Task *task_ = nullptr;
};
/* Queues `body` on the stream; it runs when the ranges lie in live memory of the stream's device, else the broken rule is reported. */
aclError launch(const char *what, aclrtStream stream, const std::vector<Range> &ranges, std::function<void(Work &)> body);
View view_of(const Layout &layout, char *base); /* base: readable */
Range range_of(const aclTensor *tensor, bool write); /* its whole storage */

/* --- every call --- */
/* Counts and traces the call; not 0: an injected status, a forked child, acl not initialised: return it at once. */
int enter(const char *name, bool needs_init = true);
void set_error(const char *format, ...) __attribute__((format(printf, 1, 2)));  /* the thread's aclGetRecentErrMsg */
void violation(const char *format, ...) __attribute__((format(printf, 1, 2)));  /* a rule broken by the client; also set_error */
bool check_object(const void *object, const char *what);                        /* live object of ours; else a violation */
uint64_t choice(const char *what, uint64_t options); /* where the facts leave behaviour open: by the seed; seed 0 gives 0 */
bool soc_is(const char *prefix);                     /* e.g. soc_is("Ascend910B") */

} // namespace emu

#define EMU_UNPACK(...) __VA_ARGS__
#define EMU_OP_NAMED(FUNCTION, NAME, PARAMS, ARGS)                                                                                   \
    static aclnnStatus FUNCTION##_plan(emu::Plan &plan, EMU_UNPACK PARAMS);                                                          \
    EMU_API aclnnStatus FUNCTION##GetWorkspaceSize(EMU_UNPACK PARAMS, uint64_t *workspaceSize, aclOpExecutor **executor)             \
    {                                                                                                                                \
        return emu::phase_one(NAME, #FUNCTION "GetWorkspaceSize", emu::wrap_all ARGS, workspaceSize, executor, \
                              [&](emu::Plan &plan) { return FUNCTION##_plan(plan, EMU_UNPACK ARGS); });                              \
    }                                                                                                                                \
    EMU_API aclnnStatus FUNCTION(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)               \
    {                                                                                                                                \
        return emu::phase_two(#FUNCTION, workspace, workspaceSize, executor, stream);                                \
    }                                                                                                                                \
    static aclnnStatus FUNCTION##_plan([[maybe_unused]] emu::Plan &plan, EMU_UNPACK PARAMS)

#define EMU_OP(NAME, PARAMS, ARGS) EMU_OP_NAMED(aclnn##NAME, #NAME, PARAMS, ARGS)

#endif
