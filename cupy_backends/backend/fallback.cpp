/* The fallback: a launch on the host backend, through staging copies of what its operands touch. */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "dispatch.h"

namespace xpu {

std::atomic<int32_t> fallback_policy{-1};

namespace {

std::atomic<bool> warned[XPU_OP_LIMIT][XPU_METHOD_COUNT][kMaxLoops];

xpu_status read_policy(int32_t *policy) {
    *policy = fallback_policy.load(std::memory_order_relaxed);
    if (*policy >= 0) return XPU_OK;
    const char *text = std::getenv("CUPY_XPU_FALLBACK");
    if (!text || !*text || !std::strcmp(text, "warn")) *policy = XPU_FALLBACK_WARN;
    else if (!std::strcmp(text, "error")) *policy = XPU_FALLBACK_ERROR;
    else if (!std::strcmp(text, "allow")) *policy = XPU_FALLBACK_ALLOW;
    else return fail(XPU_INVALID_ARGUMENT, "CUPY_XPU_FALLBACK='%s' is none of warn, error, allow", text);
    fallback_policy.store(*policy);
    return XPU_OK;
}

/* Host memory with the bytes from the first to the last that a tensor touches. */
struct Stage {
    const xpu_tensor *source = nullptr;
    char *memory = nullptr;
    int64_t first = 0, length = 0;
    bool shared = false; /* another operand's copy */
    xpu_tensor t;

    void measure(const xpu_tensor *s) {
        source = s;
        t = *s;
        int64_t low = s->offset, high = s->offset;
        for (int i = 0; i < s->ndim; ++i) {
            int64_t reach = (s->shape[i] - 1) * s->strides[i];
            (reach < 0 ? low : high) += reach;
        }
        first = low;
        length = s->size ? high - low + item_size(s->dtype) : 0;
    }
    bool same(const Stage &o) const { return memory && source->base == o.source->base && first == o.first && length == o.length; }
    bool dense() const { return length == source->size * item_size(source->dtype); }
    void attach(char *p) {
        memory = p;
        t.base = p;
        t.offset = source->offset - first;
        t.nbytes = length;
        t.storage = nullptr;
    }
    ~Stage() {
        if (!shared) std::free(memory);
    }
};

constexpr int kMaxStages = 2 * XPU_MAX_NDIM + 2; /* nonzero has an output per axis, gather an index per axis */

xpu_status copy_stage(const xpu_backend *b, xpu_call *call, const Stage &s, int32_t kind) {
    if (!s.length) return XPU_OK;
    note_stream(s.source->storage, call->stream);
    char *device = static_cast<char *>(s.source->base) + s.first;
    void *dst = kind == XPU_HOST_TO_DEVICE ? device : s.memory;
    const void *src = kind == XPU_HOST_TO_DEVICE ? s.memory : device;
    xpu_status status = b->runtime.memcpy_async(b->ctx, dst, src, s.length, kind, call->device, call->stream);
    return status == XPU_OK ? status : fail_from(b, status, "copying an operand of the fallback");
}

/* Makes the host's copies of all operands; outputs are read too where the op keeps part of them. */
xpu_status stage_all(const xpu_backend *b, xpu_call *call, Stage *stages) {
    bool keeps = (call->flags & (XPU_FLAG_MASKED | XPU_FLAG_INITIAL)) || call->method == XPU_AT || call->op == XPU_OP_scatter ||
                 call->op == XPU_OP_mask_set;
    for (int i = 0; i < call->nin + call->nout; ++i) {
        Stage &s = stages[i];
        bool output = i >= call->nin;
        s.measure(output ? call->out[i - call->nin] : call->in[i]);
        if (!s.source->base) continue; /* a scalar */
        for (int j = 0; j < i && !s.shared; ++j) {
            if (!stages[j].same(s)) continue;
            s.shared = true;
            s.attach(stages[j].memory);
        }
        if (s.shared) continue;
        void *p = nullptr;
        if (posix_memalign(&p, 64, s.length ? s.length : 1)) return fail(XPU_OUT_OF_MEMORY, "no host memory for the fallback's copies");
        s.attach(static_cast<char *>(p));
        if (output && !keeps && s.dense()) continue;
        xpu_status status = copy_stage(b, call, s, XPU_DEVICE_TO_HOST);
        if (status != XPU_OK) return status;
    }
    return XPU_OK;
}

xpu_status refuse(const xpu_backend *b, const char *what) {
    return fail(XPU_NOT_SUPPORTED,
                "%s has no native kernel on the %s backend, and running it on the host is switched off (CUPY_XPU_FALLBACK=error): "
                "use a dtype the device computes natively, or allow it with cupy.xpu.fallback_policy('allow')",
                what, b->name);
}

} // namespace

xpu_status run_on_host(const xpu_backend *b, xpu_call *call) {
    char what[256];
    describe(call, what, sizeof what);
    thread().last_op = call->op;
    int32_t policy;
    xpu_status status = read_policy(&policy);
    if (status != XPU_OK) return status;
    if (policy == XPU_FALLBACK_ERROR) return refuse(b, what);
    if ((status = open_host()) != XPU_OK) return status;
    const xpu_backend *host = active.host;
    int n = call->nin + call->nout;
    if (n > kMaxStages) return fail(XPU_INVALID_ARGUMENT, "%s has too many operands", what);
    Unlocked unlocked;
    Stage stages[kMaxStages];
    if ((status = stage_all(b, call, stages)) != XPU_OK) return status;
    const xpu_tensor *operands[kMaxStages];
    for (int i = 0; i < n; ++i) operands[i] = &stages[i].t;
    xpu_call on_host = *call;
    on_host.in = operands;
    on_host.out = operands + call->nin;
    on_host.stream = nullptr;
    on_host.device = 0;
    status = host->compute.launch(host->ctx, &on_host);
    std::memcpy(call->result, on_host.result, sizeof call->result);
    if ((status & XPU_CODE_MASK) != XPU_OK) return fail_from(host, status, what);
    for (int i = call->nin; i < n; ++i)
        if ((status = copy_stage(b, call, stages[i], XPU_HOST_TO_DEVICE)) != XPU_OK) return status;
    count(XPU_COUNT_FALLBACK, call);
    if (policy == XPU_FALLBACK_ALLOW || !loop_types(call) || warned[call->op][call->method][call->loop].exchange(true)) return XPU_OK;
    return fail(XPU_NOTE_FALLBACK,
                "%s runs on the host, through copies: the %s backend has no native kernel for it (shown once; see cupy.xpu.fallbacks())",
                what, b->name);
}

} // namespace xpu
