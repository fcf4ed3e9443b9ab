/* The rows, and the way from a call to its row. */
#include "compute.h"

#include <cstring>

#include "error.h"
#include "runtime.h"
#include "sip.h"

namespace ascend {

const Row rows[] = {
#define ASCEND_ROW(op, method, form, fn, core, cpu) {XPU_OP_##op, XPU_##method, run_##form, Op::fn, core, cpu, #form},
#include "rows.def"
#undef ASCEND_ROW
};
const int row_count = sizeof rows / sizeof *rows;

namespace {

struct Index {
    int16_t at[XPU_METHOD_COUNT][XPU_OP_LIMIT];
    Index() {
        std::memset(at, -1, sizeof at);
        for (int i = 0; i < row_count; ++i) at[rows[i].method][rows[i].op] = static_cast<int16_t>(i);
        for (int op : {XPU_OP_count_nonzero, XPU_OP_argmax, XPU_OP_argmin}) at[XPU_CALL][op] = at[XPU_REDUCE][op];
    }
};
const Index g_index;

const char kChars[] = "?bBhHiIlLefdFD";

/* The dtype that decides: of the first input that carries data. */
int32_t data_dtype(const xpu_call *call) {
    switch (call->op) {
    case XPU_OP_where: return call->in[1]->dtype;
    case XPU_OP_scatter:
    case XPU_OP_mask_set:
    case XPU_OP_fill:
    case XPU_OP_iota: return call->out[0]->dtype;
    default: return call->in[0]->dtype;
    }
}

bool tensors_ok(const xpu_call *call) {
    for (int i = 0; i < call->nin; ++i)
        if (call->in[i]->base && !is_aligned(call->in[i])) return false;
    for (int i = 0; i < call->nout; ++i)
        if (!is_aligned(call->out[i])) return false;
    return true;
}

const Row *row_of(const xpu_call *call) {
    if (static_cast<uint32_t>(call->op) >= XPU_OP_LIMIT || static_cast<uint32_t>(call->method) >= XPU_METHOD_COUNT) return nullptr;
    return find_row(call->op, call->method);
}

} // namespace

const Row *find_row(int op, int method) {
    int16_t at = g_index.at[method][op];
    return at < 0 ? nullptr : &rows[at];
}

xpu_support supported_dtype(const Row &row, int32_t dtype) {
    if (dtype < 0 || dtype >= XPU_BFLOAT16 || !available(row.fn)) return XPU_NO;
    if (std::strchr(row.core, kChars[dtype])) return XPU_NATIVE;
    return std::strchr(row.cpu, kChars[dtype]) ? XPU_SLOW : XPU_NO;
}

xpu_support supports(void *, const xpu_call *call) {
    const Row *row = row_of(call);
    if (!row || !tensors_ok(call) || (call->flags & XPU_FLAG_MASKED)) return XPU_NO;
    bool comparison = call->op >= XPU_OP_equal && call->op <= XPU_OP_greater_equal;
    if (comparison && call->in[0]->dtype != call->in[1]->dtype) return XPU_NO; /* int64 with uint64: no type of the device holds both */
    if (needs_sip(call) && !sip_takes(call)) return XPU_NO;
    return supported_dtype(*row, data_dtype(call));
}

namespace {

bool all_empty(const xpu_call *call) {
    for (int i = 0; i < call->nout; ++i)
        if (call->out[i]->size != 0) return false;
    return call->nout > 0;
}

/* A reduction of nothing that has an identity: aclnn refuses some of them. */
bool reduces_nothing(const xpu_call *call, int *identity) {
    if (call->method != XPU_REDUCE || call->in[0]->size != 0 || (call->flags & XPU_FLAG_INITIAL)) return false;
    *identity = call->op == XPU_OP_multiply || call->op == XPU_OP_logical_and;
    return *identity || call->op == XPU_OP_add || call->op == XPU_OP_logical_or || call->op == XPU_OP_count_nonzero;
}

} // namespace

xpu_status launch(void *, xpu_call *call) {
    xpu_support support = supports(nullptr, call);
    if (support == XPU_NO) return XPU_NOT_SUPPORTED;
    ON_DEVICE(call->device);
    Context ctx{call->device, call->stream};
    const Row &row = *row_of(call);
    int identity = 0;
    if (all_empty(call) && !call->params) return XPU_OK;
    if (reduces_nothing(call, &identity)) return fill_contiguous(ctx, call->out[0], scalar_of_int(call->out[0]->dtype, identity));
    xpu_status status = row.form(ctx, row, call);
    return status == XPU_OK && support == XPU_SLOW ? XPU_OK | XPU_NOTE_SLOW : status;
}

} // namespace ascend
