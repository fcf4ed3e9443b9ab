/* Complex products and Fourier transforms by libasdsip. A plan belongs to a device and a stream: it owns device buffers that work of
 * two streams must not share. */
#include "sip.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <list>
#include <mutex>

#include "layout.h"

namespace ascend {

namespace {

struct Sip {
#define ASDSIP_API(name, symbol, ...) int32_t (*name)(__VA_ARGS__);
#include "asdsip_functions.def"
#undef ASDSIP_API
};
Sip sip;

const Sip &open_sip() {
    static const bool opened = [] {
        void *library = open_library("libasdsip.so");
#define ASDSIP_API(name, symbol, ...)                                                                                                      \
    if (library) sip.name = reinterpret_cast<int32_t (*)(__VA_ARGS__)>(dlsym(library, symbol));
#include "asdsip_functions.def"
#undef ASDSIP_API
        return library != nullptr;
    }();
    (void)opened;
    return sip;
}

bool fft_available() {
    const Sip &s = open_sip();
    return s.asdFftCreate && s.asdFftDestroy && s.asdFftSetStream && s.asdFftGetWorkspaceSize && s.asdFftSetWorkspace &&
           s.asdFftMakePlan1D && s.asdFftExecC2C && s.asdFftExecC2R && s.asdFftExecR2C;
}

/* Some builds throw through their C entries. */
template <class F> int32_t guarded(F call) {
    try {
        return call();
    } catch (...) {
        return -1;
    }
}

xpu_status sip_failed(const Context &ctx, const char *what, int32_t code) {
    if (code > 0) return acl_failed(code, what, ctx.device);
    return fail(XPU_DEVICE_ERROR, "%s threw an exception", what);
}

#define SIP_TRY(what, call)                                                 \
    do {                                                                    \
        int32_t code_ = guarded([&]() -> int32_t { return call; });         \
        if (code_ != 0) return sip_failed(ctx, what, code_);                \
    } while (0)

/* --- plans --- */

enum Kind : int64_t { GEMM, GEMM_BATCHED, FFT };

struct Key {
    int64_t kind, device, stream, p[5];
    bool operator==(const Key &o) const { return std::memcmp(this, &o, sizeof *this) == 0; }
};

struct Plan {
    Key key;
    void *handle;
    size_t workspace;
};

constexpr size_t kMaxPlans = 16;
std::list<Plan> g_plans; /* most recently used first */
std::mutex g_lock;       /* also held while a plan is run: the library has one lock of its own anyway */
PlanStats g_stats;

/* Older builds free the workspace that is still set: it is unset first. The device is done with the plan's buffers before they go. */
void destroy(const Plan &plan) {
    acl.aclrtSynchronizeDevice();
    guarded([&] {
        if (plan.key.kind == FFT) return sip.asdFftDestroy(plan.handle);
        sip.asdBlasSetWorkspace(plan.handle, nullptr);
        return sip.asdBlasDestroy(plan.handle);
    });
}

/* The plan of a key; a length that the library refuses is not supported. */
template <class F> xpu_status find_plan(const Key &key, F make, Plan *found) {
    for (auto it = g_plans.begin(); it != g_plans.end(); ++it)
        if (it->key == key) {
            g_plans.splice(g_plans.begin(), g_plans, it);
            ++g_stats.hits;
            *found = *it;
            return XPU_OK;
        }
    ++g_stats.misses;
    Plan plan{key, nullptr, 0};
    bool fft = key.kind == FFT;
    int32_t code = guarded([&] { return fft ? sip.asdFftCreate(&plan.handle) : sip.asdBlasCreate(&plan.handle); });
    if (code != 0) return fail(XPU_NOT_SUPPORTED, "libasdsip made no handle (%d)", code);
    code = guarded([&] { return make(plan.handle); });
    if (code == 0)
        code = guarded([&] {
            return fft ? sip.asdFftGetWorkspaceSize(plan.handle, &plan.workspace)
                       : sip.asdBlasGetWorkspaceSize(plan.handle, &plan.workspace);
        });
    if (code != 0) {
        destroy(plan);
        return fail(XPU_NOT_SUPPORTED, "libasdsip refused a plan (%d)", code);
    }
    g_plans.push_front(plan);
    if (g_plans.size() > kMaxPlans) {
        destroy(g_plans.back());
        g_plans.pop_back();
        ++g_stats.evictions;
    }
    *found = plan;
    return XPU_OK;
}

/* --- streams: the library refuses the default one, so its work goes to a stream beside it, between two events --- */

struct Side {
    int32_t device;
    aclrtStream stream;
    aclrtEvent before, after;
};
std::list<Side> g_sides;

xpu_status side_of(const Context &ctx, Side **result) {
    for (Side &s : g_sides)
        if (s.device == ctx.device) {
            *result = &s;
            return XPU_OK;
        }
    Side s{ctx.device, nullptr, nullptr, nullptr};
    int code = acl.aclrtCreateStream(&s.stream);
    for (aclrtEvent *e : {&s.before, &s.after})
        if (code == 0) code = acl.aclrtCreateEventExWithFlag(e, ACL_EVENT_SYNC);
    if (code != 0) {
        xpu_status status = acl_failed(code, "the stream of libasdsip", ctx.device);
        for (aclrtEvent e : {s.before, s.after})
            if (e) acl.aclrtDestroyEvent(e);
        if (s.stream) acl.aclrtDestroyStream(s.stream);
        return status;
    }
    g_sides.push_back(s);
    *result = &g_sides.back();
    return XPU_OK;
}

struct Lane {
    aclrtStream stream; /* one that the library takes */
    Side *side;         /* null when it is the call's own */
};

xpu_status lane_of(const Context &ctx, Lane *lane) {
    *lane = {ctx.stream, nullptr};
    if (ctx.stream) return XPU_OK;
    if (!acl.aclrtCreateEventExWithFlag) return fail(XPU_NOT_SUPPORTED, "libasdsip on the default stream needs a newer CANN");
    XPU_TRY(side_of(ctx, &lane->side));
    lane->stream = lane->side->stream;
    return XPU_OK;
}

/* exec() between two events. Memory that it uses is taken before and given back after: the pool orders by the default stream. */
template <class F> xpu_status run_in(const Context &ctx, const Lane &lane, const char *what, F exec) {
    note_launch(ctx.stream, what);
    Side *side = lane.side;
    if (side) {
        ACL_TRY(ctx.device, acl.aclrtRecordEvent(side->before, nullptr));
        ACL_TRY(ctx.device, acl.aclrtStreamWaitEvent(side->stream, side->before));
    }
    SIP_TRY(what, exec());
    int code = side ? acl.aclrtRecordEvent(side->after, side->stream) : 0;
    if (side && code == 0) code = acl.aclrtStreamWaitEvent(nullptr, side->after);
    if (code == 0) return XPU_OK;
    xpu_status status = acl_failed(code, "ordering libasdsip's work", ctx.device);
    acl.aclrtSynchronizeStream(side->stream); /* its memory goes back to the pool now */
    return status;
}

/* --- operands: dense, from an aligned address, as the library reads storage bases --- */

constexpr int64_t kAligned = 32;

char *address(const xpu_tensor *t) { return static_cast<char *>(t->base) + t->offset; }
bool is_placed(const xpu_tensor *t) { return reinterpret_cast<uintptr_t>(address(t)) % kAligned == 0; }

struct Descriptor {
    aclTensor *t;
    Descriptor(const void *data, int32_t dtype, int ndim, const int64_t *shape)
        : t(acl.aclCreateTensor(shape, ndim, acl_dtype(dtype), nullptr, 0, ACL_FORMAT_ND, shape, ndim, const_cast<void *>(data))) {}
    ~Descriptor() {
        if (t) acl.aclDestroyTensor(t);
    }
    Descriptor(const Descriptor &) = delete;
    operator aclTensor *() const { return t; }
};

/* The whole tensor dense and aligned, or a copy. */
class Dense {
  public:
    xpu_status prepare(const Context &ctx, const xpu_tensor *source, bool always = false) {
        view_ = *source;
        if (!always && is_contiguous(source) && is_placed(source)) return XPU_OK;
        temp_.reset(new Temp(ctx, source->dtype, source));
        if (!temp_->ok()) return fail(XPU_OUT_OF_MEMORY, "no device memory for a dense copy");
        view_ = temp_->tensor;
        return copy_view(ctx, view_, source);
    }
    operator const xpu_tensor *() const { return view_; }

  private:
    View view_;
    std::unique_ptr<Temp> temp_;
};

/* Scratch memory of a plan, and its stream; both are set before each run. */
#define WORKSPACE(plan, lane, prefix)                                                                               \
    int64_t workspace_size = (plan).workspace;                                                                      \
    TEMP(workspace, XPU_INT8, 1, &workspace_size);                                                                  \
    SIP_TRY(#prefix "SetWorkspace", sip.prefix##SetWorkspace((plan).handle, workspace.tensor.base));                \
    SIP_TRY(#prefix "SetStream", sip.prefix##SetStream((plan).handle, (lane).stream))

/* --- products --- */

constexpr int64_t kMaxSide = 8192, kSmallSide = 32, kMaxSmallBatch = 26208;
const float kOne[2] = {1, 0}, kZero[2] = {0, 0};
enum { OP_N = 0, OP_T = 1 };

/* C = A B of row-major matrices is C' = B' A' of the same memory read by columns. */
xpu_status gemm(const Context &ctx, const xpu_tensor *a, bool a_turned, const xpu_tensor *b, bool b_turned, const xpu_tensor *c) {
    int64_t m = c->shape[0], n = c->shape[1], k = a->shape[1];
    int32_t first = b_turned ? OP_T : OP_N, second = a_turned ? OP_T : OP_N;
    int64_t ld1 = b_turned ? k : n, ld2 = a_turned ? m : k;
    size_t bytes = static_cast<size_t>(m * n) * 8;
    ACL_TRY(ctx.device, acl.aclrtMemsetAsync(address(c), bytes, 0, bytes, ctx.stream)); /* it is not stated that C is not read */
    Lane lane;
    Plan plan;
    XPU_TRY(lane_of(ctx, &lane));
    Key key{GEMM, ctx.device, reinterpret_cast<int64_t>(lane.stream), {first, second, n, m, k}};
    XPU_TRY(find_plan(key, [&](void *h) { return sip.asdBlasMakeCgemmPlan(h, first, second, n, m, k, ld1, ld2, n); }, &plan));
    WORKSPACE(plan, lane, asdBlas);
    int64_t shape_a[2] = {a_turned ? k : m, a_turned ? m : k}, shape_b[2] = {b_turned ? n : k, b_turned ? k : n};
    Descriptor da(address(a), XPU_COMPLEX64, 2, shape_a), db(address(b), XPU_COMPLEX64, 2, shape_b);
    Descriptor dc(address(c), XPU_COMPLEX64, 2, c->shape);
    return run_in(ctx, lane, "asdBlasCgemm",
                  [&] { return sip.asdBlasCgemm(plan.handle, first, second, n, m, k, kOne, db, ld1, da, ld2, kZero, dc, n); });
}

/* Up to 32 by 32 by 32, row-major, dense. */
xpu_status gemm_batched(const Context &ctx, const xpu_tensor *a, const xpu_tensor *b, const xpu_tensor *c) {
    int64_t count = c->shape[0], m = c->shape[1], n = c->shape[2], k = a->shape[2];
    Lane lane;
    Plan plan;
    XPU_TRY(lane_of(ctx, &lane));
    Key key{GEMM_BATCHED, ctx.device, reinterpret_cast<int64_t>(lane.stream), {}};
    XPU_TRY(find_plan(key, [&](void *h) { return sip.asdBlasMakeCgemmBatchedPlan(h); }, &plan));
    WORKSPACE(plan, lane, asdBlas);
    Descriptor da(address(a), XPU_COMPLEX64, 3, a->shape), db(address(b), XPU_COMPLEX64, 3, b->shape);
    Descriptor dc(address(c), XPU_COMPLEX64, 3, c->shape);
    return run_in(ctx, lane, "asdBlasCgemmBatched",
                  [&] { return sip.asdBlasCgemmBatched(plan.handle, OP_N, OP_N, m, n, k, kOne, da, k, db, n, kZero, dc, n, count); });
}

View slice(const xpu_tensor *t, int64_t start, int64_t count) { /* along the first axis */
    View v(t);
    v.t.offset += start * v.strides[0];
    v.shape[0] = count;
    v.update();
    return v;
}

View matrix_at(const xpu_tensor *t, int batch, const int64_t *at) {
    View v(t);
    for (int i = 0; i < batch; ++i) v.t.offset += at[i] * t->strides[i];
    for (int i = 0; i < 2; ++i) v.shape[i] = t->shape[batch + i], v.strides[i] = t->strides[batch + i];
    v.t.ndim = 2;
    v.update();
    return v;
}

/* A matrix as it lies, also when it lies transposed; else a dense copy. */
xpu_status prepare_matrix(const Context &ctx, const View &x, Dense *dense, bool *turned) {
    View other(x);
    std::swap(other.shape[0], other.shape[1]);
    std::swap(other.strides[0], other.strides[1]);
    *turned = !is_contiguous(x) && is_contiguous(other) && is_placed(x);
    if (!*turned) return dense->prepare(ctx, x);
    return dense->prepare(ctx, other);
}

xpu_status one_product(const Context &ctx, const View &a, const View &b, const View &c) {
    Dense da, db;
    bool a_turned, b_turned;
    XPU_TRY(prepare_matrix(ctx, a, &da, &a_turned));
    XPU_TRY(prepare_matrix(ctx, b, &db, &b_turned));
    View left(a);
    left.t.base = static_cast<const xpu_tensor *>(da)->base;
    left.t.offset = static_cast<const xpu_tensor *>(da)->offset;
    if (is_placed(c)) return gemm(ctx, left, a_turned, db, b_turned, c);
    TEMP(result, XPU_COMPLEX64, &c.t);
    XPU_TRY(gemm(ctx, left, a_turned, db, b_turned, result));
    return copy_view(ctx, c, result);
}

bool blas_available() {
    const Sip &s = open_sip();
    return s.asdBlasCreate && s.asdBlasDestroy && s.asdBlasSetStream && s.asdBlasGetWorkspaceSize && s.asdBlasSetWorkspace &&
           s.asdBlasMakeCgemmPlan && s.asdBlasCgemm;
}

} // namespace

xpu_status complex_matmul(const Context &ctx, const xpu_tensor *a, const xpu_tensor *b, const xpu_tensor *c, int batch) {
    int64_t m = c->shape[batch], n = c->shape[batch + 1], k = a->shape[batch + 1], count = 1, at[XPU_MAX_NDIM] = {};
    if (std::max({m, n, k}) > kMaxSide) return fail(XPU_NOT_SUPPORTED, "complex64 matrices over %lld", static_cast<long long>(kMaxSide));
    for (int i = 0; i < batch; ++i) count *= c->shape[i];
    std::lock_guard<std::mutex> guard(g_lock);
    if (count > 1 && std::max({m, n, k}) <= kSmallSide && sip.asdBlasMakeCgemmBatchedPlan && sip.asdBlasCgemmBatched) {
        Dense da, db;
        XPU_TRY(da.prepare(ctx, a));
        XPU_TRY(db.prepare(ctx, b));
        int64_t sa[3] = {count, m, k}, sb[3] = {count, k, n}, sc[3] = {count, m, n};
        View va = reshaped(da, 3, sa), vb = reshaped(db, 3, sb), vc = reshaped(c, 3, sc);
        std::unique_ptr<Temp> aligned;
        if (!is_placed(c)) {
            aligned.reset(new Temp(ctx, XPU_COMPLEX64, 3, sc));
            if (!aligned->ok()) return fail(XPU_OUT_OF_MEMORY, "no device memory for an aligned result");
            vc = aligned->tensor;
        }
        for (int64_t i = 0; i < count; i += kMaxSmallBatch) { /* the length of a piece keeps addresses aligned */
            int64_t piece = std::min(kMaxSmallBatch, count - i), zero = 0;
            View pa = slice(va, i, piece), pb = slice(vb, i, piece), pc = slice(vc, i, piece);
            if (piece > 1) XPU_TRY(gemm_batched(ctx, pa, pb, pc));
            else XPU_TRY(one_product(ctx, matrix_at(pa, 1, &zero), matrix_at(pb, 1, &zero), matrix_at(pc, 1, &zero)));
        }
        return aligned ? copy_view(ctx, c, reshaped(vc, c->ndim, c->shape)) : XPU_OK;
    }
    for (int64_t i = 0; i < count; ++i) {
        XPU_TRY(one_product(ctx, matrix_at(a, batch, at), matrix_at(b, batch, at), matrix_at(c, batch, at)));
        for (int axis = batch - 1; axis >= 0 && ++at[axis] == c->shape[axis]; --axis) at[axis] = 0;
    }
    return XPU_OK;
}

/* --- Fourier transforms --- */

namespace {

enum Fft : int32_t { C2C = 16, C2R = 17, R2C = 18 };

Fft fft_type(const xpu_call *call) { return call->op == XPU_OP_fft ? C2C : call->op == XPU_OP_rfft ? R2C : C2R; }

bool fft_takes(const xpu_call *call) {
    const xpu_tensor *from = call->in[0], *to = call->out[0];
    Fft type = fft_type(call);
    int64_t n = call->params->i[0], length_in = type == C2R ? n / 2 + 1 : n, length_out = type == R2C ? n / 2 + 1 : n;
    if (!fft_available() || !from->ndim || from->ndim != to->ndim || from->shape[from->ndim - 1] != length_in ||
        to->shape[to->ndim - 1] != length_out)
        return false;
    if (from->dtype != (type == R2C ? XPU_FLOAT32 : XPU_COMPLEX64)) return false;
    if (to->dtype != (type == C2R ? XPU_FLOAT32 : XPU_COMPLEX64)) return false;
    if (n < 1 || n > (INT64_C(1) << 27) || from->size > (INT64_C(1) << 30)) return false;
    if (type == C2R && (n == 169 || n == 2401 || n == 32768)) return false; /* the library's own tests leave these out */
    for (int64_t p = 2; p < 200 && n > 1; ++p)
        while (n % p == 0) n /= p;
    return n == 1; /* documented: no prime factor above 199 */
}

xpu_status run_plan(const Context &ctx, Fft type, bool forward, int64_t n, const xpu_tensor *from, const xpu_tensor *to) {
    constexpr int32_t kForward = 16, kInverse = 17, kHorizontal = 16;
    int32_t direction = forward ? kForward : kInverse;
    int64_t batch = from->size / from->shape[from->ndim - 1];
    int64_t shape_in[2] = {batch, from->size / batch}, shape_out[2] = {batch, to->size / batch};
    Lane lane;
    Plan plan;
    XPU_TRY(lane_of(ctx, &lane));
    Key key{FFT, ctx.device, reinterpret_cast<int64_t>(lane.stream), {type, direction, n, batch}};
    XPU_TRY(find_plan(key, [&](void *h) { return sip.asdFftMakePlan1D(h, n, type, direction, batch, kHorizontal); }, &plan));
    WORKSPACE(plan, lane, asdFft);
    Descriptor x(address(from), from->dtype, 2, shape_in), y(address(to), to->dtype, 2, shape_out);
    auto exec = type == C2C ? sip.asdFftExecC2C : type == C2R ? sip.asdFftExecC2R : sip.asdFftExecR2C;
    return run_in(ctx, lane, "asdFftExec", [&] { return exec(plan.handle, x, y); });
}

/* The imaginary parts of the frequency 0 and of the highest of an even length, as a real signal has them. */
xpu_status clear_imaginary(const Context &ctx, const xpu_tensor *dense, int64_t n) {
    View part(dense);
    int last = part.t.ndim - 1;
    part.t.dtype = XPU_FLOAT32;
    part.shape[last] = 1;
    part.update();
    for (int64_t k : {INT64_C(0), n / 2}) {
        if (k && n % 2) continue;
        View one(part);
        one.t.offset += k * 8 + 4;
        collapse(&one, 1);
        XPU_TRY(fill_contiguous(ctx, one, scalar_of(XPU_FLOAT32, 0)));
        if (n == 1) break;
    }
    return XPU_OK;
}

} // namespace

ASCEND_FORM(fft) {
    const xpu_tensor *from = call->in[0], *to = call->out[0];
    Fft type = fft_type(call);
    int64_t n = call->params->i[0];
    bool forward = call->params->i[1] != 0;
    double scale = call->params->f[0];
    if (from->size == 0 || to->size == 0) return XPU_OK;
    std::lock_guard<std::mutex> guard(g_lock);
    bool clobbers = type == C2C && n >= 32768 && (n & (n - 1)) == 0; /* such lengths overwrite their input */
    Dense x;
    XPU_TRY(x.prepare(ctx, from, clobbers || type == C2R));
    if (type == C2R) XPU_TRY(clear_imaginary(ctx, x, n));
    if (scale == 1 && is_contiguous(to) && is_placed(to) && !overlaps(to, from)) return run_plan(ctx, type, forward, n, x, to);
    TEMP(raw, to->dtype, to);
    XPU_TRY(run_plan(ctx, type, forward, n, x, raw));
    if (scale == 1) return copy_view(ctx, to, raw);
    /* real and imaginary parts are scaled as floats */
    int64_t floats = to->size * (to->dtype == XPU_COMPLEX64 ? 2 : 1);
    Target target;
    XPU_TRY(target.prepare(ctx, to, true, false));
    View parts(&raw.tensor), result(target);
    parts.t.dtype = result.t.dtype = XPU_FLOAT32;
    parts = reshaped(parts, 1, &floats);
    result = reshaped(result, 1, &floats);
    XPU_TRY(run(ctx, row.fn, {in(parts), scalar(scalar_of(XPU_FLOAT32, scale)), out(result)}));
    return target.finish(ctx);
}

bool needs_sip(const xpu_call *call) {
    bool product = call->op >= XPU_OP_matmul && call->op <= XPU_OP_vecmat;
    return (product && call->in[0]->dtype == XPU_COMPLEX64) || (call->op >= XPU_OP_fft && call->op <= XPU_OP_irfft);
}

bool sip_takes(const xpu_call *call) { return call->op >= XPU_OP_fft ? fft_takes(call) : blas_available(); }

PlanStats plan_stats() {
    std::lock_guard<std::mutex> guard(g_lock);
    PlanStats s = g_stats;
    s.entries = g_plans.size();
    return s;
}

} // namespace ascend
