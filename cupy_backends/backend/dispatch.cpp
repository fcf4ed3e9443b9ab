/* Launches: the native kernel, then a lossless plan, then the host. */
#include "dispatch.h"

#include <cstdio>
#include <cstring>

namespace xpu {

std::atomic<uint64_t> counters[XPU_COUNTERS][XPU_OP_LIMIT][XPU_METHOD_COUNT][kMaxLoops];
std::atomic<const xpu_backend *> direct{nullptr};

int32_t find_loop(int32_t op, const int8_t *types, int n) {
    const xpu_op_info *info = op_info(op);
    for (int i = 0; info && i < info->nloops; ++i)
        if (std::memcmp(info->loops[i].types, types, n) == 0 && (n == XPU_MAX_ARGS || info->loops[i].types[n] < 0)) return i;
    return -1;
}

const char *dtype_name(int32_t dtype) {
    static const char *const names[] = {"bool",   "int8",   "uint8",   "int16",   "uint16",  "int32",     "uint32",    "int64",
                                        "uint64", "float16", "float32", "float64", "complex64", "complex128", "bfloat16"};
    return dtype >= 0 && dtype < XPU_DTYPE_COUNT ? names[dtype] : "?";
}

int item_size(int32_t dtype) {
    static const signed char sizes[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8, 8, 16, 2};
    return sizes[dtype];
}

void describe(const xpu_call *call, char *text, size_t size) {
    static const char *const methods[] = {"", ".reduce", ".accumulate", ".reduceat", ".at"};
    const xpu_op_info *info = op_info(call->op);
    bool known = call->method >= 0 && call->method < XPU_METHOD_COUNT;
    size_t n = std::snprintf(text, size, "%s%s(", info ? info->name : "unknown op", known ? methods[call->method] : "");
    for (int i = 0; i < call->nin && n < size; ++i)
        n += std::snprintf(text + n, size - n, "%s%s", i ? ", " : "", dtype_name(call->in[i]->dtype));
    if (n < size) std::snprintf(text + n, size - n, ")");
}

namespace {

std::atomic<bool> told_slow[XPU_OP_LIMIT][XPU_METHOD_COUNT][kMaxLoops];

/* The index error is kept for the next synchronisation; the launch is done with indices that are in bounds. */
xpu_status launch_deferred(xpu_call *call) {
    Thread &t = thread();
    const int64_t *r = call->result;
    std::snprintf(t.pending_text, sizeof t.pending_text,
                  "index %lld is out of bounds for axis %lld with size %lld (found in a deferred check)", static_cast<long long>(r[0]),
                  static_cast<long long>(r[1]), static_cast<long long>(r[2]));
    t.pending = XPU_INDEX_ERROR;
    xpu_params params = *call->params;
    params.i[0] = XPU_MODE_WRAP; /* those that were in bounds keep their meaning, negative ones too */
    xpu_call again = *call;
    again.params = &params;
    return launch(&again);
}

bool can_defer(const xpu_call *call) {
    return thread().deferred && call->params && (call->op == XPU_OP_gather || call->op == XPU_OP_scatter);
}

/* A launch that did not simply succeed: its text, or its notes. */
__attribute__((noinline)) xpu_status explain(const xpu_backend *b, xpu_call *call, xpu_status status) {
    int code = status & XPU_CODE_MASK;
    thread().last_op = call->op;
    char what[256];
    describe(call, what, sizeof what);
    if (code == XPU_OK) {
        if (!(status & XPU_NOTE_SLOW)) return status;
        count(XPU_COUNT_SLOW, call);
        bool silent = fallback_policy.load() == XPU_FALLBACK_ALLOW || !loop_types(call);
        if (silent || told_slow[call->op][call->method][call->loop].exchange(true)) return status & ~XPU_NOTE_SLOW;
        return fail(status, "%s runs on a slow engine of the %s backend (shown once; see cupy.xpu.launches('slow'))", what, b->name);
    }
    const char *text = code == XPU_NOT_SUPPORTED && b->runtime.last_error ? b->runtime.last_error(b->ctx) : "";
    if (code == XPU_NOT_SUPPORTED) return fail(status, "%s is not supported by the %s backend%s%s", what, b->name, *text ? ": " : "", text);
    return fail_from(b, status, what);
}

/* Work goes to the current device: arrays of another one are copied by whoever wants that. */
xpu_status check_devices(const xpu_call *call) {
    for (int i = 0; i < call->nin + call->nout; ++i) {
        const xpu_storage *s = (i < call->nin ? call->in[i] : call->out[i - call->nin])->storage;
        if (s && s->device != call->device)
            return fail(XPU_INVALID_ARGUMENT, "Array device must be same as the current device: array device = %d while current = %d",
                        s->device, call->device);
    }
    return XPU_OK;
}

__attribute__((noinline)) xpu_status launch_planned(xpu_call *call) {
    xpu_status status = ensure_open();
    if (status != XPU_OK) return status;
    const xpu_backend *b = active.backend.load(std::memory_order_acquire);
    if (active.forked) return fail_forked();
    if (b == direct.load()) return launch(call);
    if (!op_info(call->op)) return fail(XPU_INVALID_ARGUMENT, "there is no op %d", call->op);
    if ((status = check_devices(call)) != XPU_OK) return status;
    status = XPU_NOT_SUPPORTED;
    if (!(active.caps & XPU_CAP_CASTS) && needs_casts(call)) status = run_with_casts(b, call);
    else if (b->compute.supports(b->ctx, call) != XPU_NO) status = launch_native(b, call);
    if ((status & XPU_CODE_MASK) == XPU_NOT_SUPPORTED) status = run_composed(b, call);
    if ((status & XPU_CODE_MASK) == XPU_NOT_SUPPORTED) status = run_on_host(b, call);
    return status;
}

} // namespace

bool needs_casts(const xpu_call *call) {
    const xpu_op_info *info = op_info(call->op);
    const int8_t *types = loop_types(call);
    if (!types || info->nin < 0 || info->nout < 0 || info->kind == XPU_KIND_MOVE || call->method == XPU_AT || call->method == XPU_REDUCEAT)
        return false;
    int nin = call->method == XPU_CALL ? info->nin : 1, first_out = info->nin;
    for (int i = 0; i < nin; ++i)
        if (call->in[i]->dtype != types[i]) return true;
    for (int i = 0; i < call->nout; ++i)
        if (call->out[i]->dtype != types[first_out + i]) return true;
    return false;
}

xpu_status launch_native(const xpu_backend *b, xpu_call *call) {
    for (int i = 0; i < call->nin; ++i) note_stream(call->in[i]->storage, call->stream);
    for (int i = 0; i < call->nout; ++i) note_stream(call->out[i]->storage, call->stream);
    xpu_status status;
    int32_t kind = op_table[call->op].kind;
    if (kind == XPU_KIND_DYNAMIC || kind == XPU_KIND_INDEX) { /* waits for a length, or for the bounds of indices */
        Unlocked unlocked;
        status = b->compute.launch(b->ctx, call);
    } else {
        status = b->compute.launch(b->ctx, call);
    }
    if ((status & XPU_CODE_MASK) == XPU_NOT_SUPPORTED) return status;
    count(XPU_COUNT_NATIVE, call);
    return XPU_LIKELY(status == XPU_OK) ? status : explain(b, call, status);
}

xpu_status launch(xpu_call *call) {
    const xpu_backend *b = direct.load(std::memory_order_relaxed);
    xpu_status status;
    if (XPU_LIKELY(b != nullptr)) { /* the host serves itself: nothing to plan */
        status = b->compute.launch(b->ctx, call);
        if (XPU_LIKELY(status == XPU_OK)) return status;
        status = explain(b, call, status);
    } else {
        status = launch_planned(call);
    }
    bool index_error = (status & XPU_CODE_MASK) == XPU_INDEX_ERROR;
    return XPU_UNLIKELY(index_error && can_defer(call)) ? launch_deferred(call) : status;
}

xpu_support supports(const xpu_call *call) {
    if (ensure_open() != XPU_OK) return XPU_NO;
    const xpu_backend *b = active.backend;
    return b->compute.supports(b->ctx, call);
}

/* --- copies and waiting --- */

namespace {

xpu_status copy(void *dst, const void *src, size_t nbytes, int32_t kind, const xpu_storage *s) {
    if (active.caps & XPU_CAP_HOST_MEMORY) {
        std::memcpy(dst, src, nbytes);
        return XPU_OK;
    }
    const xpu_backend *b = active.backend;
    if (active.forked) return fail_forked();
    Thread &t = thread();
    xpu_stream stream = t.device == s->device ? t.stream : nullptr;
    note_stream(const_cast<xpu_storage *>(s), stream);
    Unlocked unlocked;
    xpu_status status = b->runtime.memcpy_async(b->ctx, dst, src, nbytes, kind, s->device, stream);
    return status == XPU_OK ? status : fail_from(b, status, "copying memory");
}

} // namespace

static xpu_status take_pending() {
    Thread *t = this_thread;
    if (XPU_LIKELY(!t || t->pending == XPU_OK)) return XPU_OK;
    xpu_status status = t->pending;
    t->pending = XPU_OK;
    return fail(status, "%s", t->pending_text);
}

xpu_status read(void *dst, const xpu_storage *src, int64_t offset, size_t nbytes) {
    xpu_status status = take_pending(); /* no result of indices that were replaced leaves the device unnoticed */
    if (status != XPU_OK) return status;
    return copy(dst, static_cast<const char *>(src->base) + offset, nbytes, XPU_DEVICE_TO_HOST, src);
}

xpu_status write(xpu_storage *dst, int64_t offset, const void *src, size_t nbytes) {
    return copy(static_cast<char *>(dst->base) + offset, src, nbytes, XPU_HOST_TO_DEVICE, dst);
}

/* Errors of deferred checks come out here. */
xpu_status synchronize() {
    xpu_status status = take_pending();
    if (status != XPU_OK) return status;
    const xpu_backend *b = active.backend.load(std::memory_order_acquire);
    if (!b || (active.caps & XPU_CAP_HOST_MEMORY)) return XPU_OK;
    if (active.forked) return fail_forked();
    Unlocked unlocked;
    status = b->runtime.stream_synchronize(b->ctx, thread().device, thread().stream);
    return status == XPU_OK ? status : fail_from(b, status, "synchronizing");
}

} // namespace xpu
