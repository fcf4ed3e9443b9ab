/* CALL of elementwise ops: NumPy's loops over rows of a plan, with casting blocks, masks and threads. */
#include <atomic>

#include "device.h"
#include "job.h"
#include "loops.h"
#include "walk.h"

namespace host {
namespace {

constexpr int64_t kBlock = 1024; /* elements of a casting block */

inline int argument(const Job &job, int operand) { return operand < job.nout ? job.nin + operand : operand - job.nout; }

void call_masked(const Job &job, char **args, const intptr_t *steps, intptr_t n, const char *mask, int64_t mask_stride) {
    for_runs(mask, mask_stride, n, [&](int64_t begin, intptr_t length) {
        char *at[XPU_MAX_ARGS];
        for (int k = 0; k < job.nargs; ++k)
            at[k] = args[k] + begin * steps[k];
        job.loop.fn(at, &length, steps, job.loop.data);
    });
}

/* --- rows without buffers --- */

void run_direct(const Job &job, const Plan &plan, int64_t begin, int64_t end) {
    intptr_t steps[XPU_MAX_ARGS];
    for (int k = 0; k < job.nargs; ++k)
        steps[argument(job, k)] = inner_step(plan, k);
    const int nin = job.nin, nout = job.nout;
    const Loop loop = job.loop;
    const int64_t mask_stride = job.masked ? inner_step(plan, job.nargs) : 0;
    walk(plan, begin, end, [&](char **row, intptr_t n) {
        char *args[XPU_MAX_ARGS];
        for (int k = 0; k < nin; ++k)
            args[k] = row[nout + k];
        for (int k = 0; k < nout; ++k)
            args[nin + k] = row[k];
        if (job.masked)
            call_masked(job, args, steps, n, row[job.nargs], mask_stride);
        else
            loop.fn(args, &n, steps, loop.data);
    });
}

/* --- rows with blocks: casts, and masks of short runs --- */

int64_t count_changes(const char *mask, int64_t stride, int64_t n) {
    int changes = 0;
    if (stride == 1)
        for (int i = 1; i < n; ++i) /* the same, vectorised */
            changes += !mask[i] != !mask[i - 1];
    else
        for (int64_t i = 1; i < n; ++i)
            changes += !mask[i * stride] != !mask[(i - 1) * stride];
    return changes;
}

void store_output(const Job &job, int k, char **row, const int64_t *strides, intptr_t n, char *block, bool blend) {
    const Operand &o = job.operand[k];
    char *mask = row[job.nargs];
    const int64_t mask_stride = strides[job.nargs];
    if (o.cast && job.masked) {
        for_runs(mask, mask_stride, n, [&](int64_t begin, int64_t length) {
            o.out(block + begin * o.size, o.size, row[k] + begin * strides[k], strides[k], length);
        });
    } else if (o.cast) {
        o.out(block, o.size, row[k], strides[k], n);
    } else if (blend) {
        char *args[] = {mask, block, row[k], row[k]};
        const intptr_t steps[] = {mask_stride, o.size, strides[k], strides[k]};
        o.select(args, &n, steps, nullptr);
    }
}

void run_block(const Job &job, char **row, const int64_t *strides, intptr_t n, char *const *blocks) {
    char *args[XPU_MAX_ARGS];
    intptr_t steps[XPU_MAX_ARGS];
    const char *mask = row[job.nargs];
    const int64_t mask_stride = strides[job.nargs];
    const bool blend = job.blend && count_changes(mask, mask_stride, n) > n / 16;
    for (int k = 0; k < job.nargs; ++k) {
        const Operand &o = job.operand[k];
        const int a = argument(job, k);
        const bool output = k < job.nout;
        args[a] = row[k];
        steps[a] = strides[k];
        if (!o.cast && !(output && blend))
            continue;
        args[a] = blocks[k];
        steps[a] = strides[k] || output ? o.size : 0;
        if (!output)
            o.in(row[k], strides[k], blocks[k], o.size, steps[a] ? n : 1);
    }
    if (job.masked && !blend)
        call_masked(job, args, steps, n, mask, mask_stride);
    else
        job.loop.fn(args, &n, steps, job.loop.data);
    for (int k = 0; k < job.nout; ++k)
        store_output(job, k, row, strides, n, blocks[k], blend);
}

bool run_blocks(const Job &job, const Plan &plan, int64_t begin, int64_t end) {
    int64_t strides[kMaxOperands] = {};
    size_t bytes = 0;
    for (int k = 0; k < plan.nop; ++k)
        strides[k] = inner_step(plan, k);
    for (int k = 0; k < job.nargs; ++k)
        bytes += job.operand[k].block ? kBlock * job.operand[k].size : 0;
    Temp temp(bytes);
    if (!temp.ptr)
        return false;
    char *blocks[XPU_MAX_ARGS], *free_space = temp.as<char>();
    for (int k = 0; k < job.nargs; ++k) {
        blocks[k] = free_space;
        free_space += job.operand[k].block ? kBlock * job.operand[k].size : 0;
    }
    walk(plan, begin, end, [&](char **row, int64_t n) {
        row[plan.nop] = nullptr; /* of a mask, if there is none */
        for (int64_t at = 0; at < n; at += kBlock) {
            run_block(job, row, strides, std::min(kBlock, n - at), blocks);
            for (int k = 0; k < plan.nop; ++k)
                row[k] += kBlock * strides[k];
        }
    });
    return true;
}

/* Operands of several rows whose items are apart go through blocks where loops compute much: those are faster, and may be of other bits,
 * for contiguous items, and NumPy too has buffers there. */
bool add_blocks(const Plan &plan, Job *job) {
    bool added = false;
    for (int k = 0; k < job->nargs; ++k) {
        Operand &o = job->operand[k];
        const int64_t step = inner_step(plan, k);
        if (o.cast || step == o.size || step == 0)
            continue;
        o.cast = o.block = job->blocks = added = true;
        o.in = o.out = copy_fn(o.size);
    }
    return added;
}

bool run_range(const Job &job, const Plan &plan, int64_t begin, int64_t end) {
    Job packed;
    const Job *used = &job;
    if (job.heavy && plan.ndim > 1) {
        packed = job;
        if (add_blocks(plan, &packed))
            used = &packed;
    }
    if (used->blocks)
        return run_blocks(*used, plan, begin, end);
    run_direct(*used, plan, begin, end);
    return true;
}

xpu_status run_plan(const Job &job, const Plan &plan) {
    std::atomic<bool> good{true};
    parallel(plan.size, job.grain, [&](int64_t begin, int64_t end, int) {
        if (!run_range(job, plan, begin, end))
            good = false;
    });
    return good ? XPU_OK : fail(XPU_OUT_OF_MEMORY, "no memory for casting blocks");
}

/* Which operands need a block; inputs that are one value are cast here, once. */
void prepare_operand(Job *job, int k, const xpu_tensor *t, int type, xpu_tensor *scalar, const xpu_tensor **operand) {
    Operand &o = job->operand[k];
    o.size = item_size(type);
    *operand = t;
    if (job->blend && k < job->nout) {
        const int8_t select_types[] = {XPU_BOOL, static_cast<int8_t>(type)};
        o.select = own_loop(XPU_OP_where, select_types, false).fn;
        o.block = job->blocks = true;
    }
    if (t->dtype == type && is_aligned(t))
        return;
    bool one_value = k >= job->nout;
    for (int d = 0; one_value && t->base && d < t->ndim; ++d)
        one_value = t->strides[d] == 0 || t->shape[d] == 1;
    if (one_value) {
        cast_fn(t->dtype, type)(data_of(t), 0, reinterpret_cast<char *>(&scalar->value), o.size, 1);
        scalar->base = nullptr;
        scalar->ndim = 0;
        scalar->dtype = type;
        *operand = scalar;
        return;
    }
    o.cast = o.block = job->blocks = true;
    o.in = cast_fn(t->dtype, type);
    o.out = cast_fn(type, t->dtype);
}

/* One element: NumPy's steps are 0 for 0-d inputs and item sizes for all others, and some loops answer differently in the last bit. */
void plan_one(const Job &job, const xpu_tensor *const *operands, Plan *plan) {
    plan->ndim = 1;
    plan->shape[0] = 1;
    for (int k = 0; k < plan->nop; ++k)
        plan->strides[k][0] = k < job.nout || operands[k]->ndim ? item_size(operands[k]->dtype) : 0;
}

/* --- integer powers: NumPy's loop would raise a Python error for a negative exponent --- */

template <class T> bool any_negative(const char *values, const char *mask, int64_t mask_stride, int64_t n) {
    bool negative = false;
    for (int64_t i = 0; i < n; ++i) {
        T v;
        memcpy(&v, values + i * sizeof(T), sizeof(T));
        negative |= v < 0 && (!mask || mask[i * mask_stride]);
    }
    return negative;
}

} // namespace

bool has_negative_exponent(const xpu_tensor *exponent, const xpu_tensor *mask, int type) {
    const bool masked = mask != nullptr;
    const xpu_tensor *operands[] = {exponent, mask};
    Plan plan;
    make_plan(&plan, masked ? 2 : 1, operands);
    const CastFn cast = cast_fn(exponent->dtype, type);
    const auto check = item_size(type) == 1 ? any_negative<int8_t> : item_size(type) == 2 ? any_negative<int16_t>
                     : item_size(type) == 4 ? any_negative<int32_t> : any_negative<int64_t>;
    const int64_t stride = inner_step(plan, 0), mask_stride = masked ? inner_step(plan, 1) : 0;
    std::atomic<bool> found{false};
    parallel(plan.size, kParallelElements, [&](int64_t begin, int64_t end, int) {
        constexpr int64_t kValues = 256;
        int64_t values[kValues];
        char *const block = reinterpret_cast<char *>(values);
        walk(plan, begin, end, [&](char **row, int64_t n) {
            for (int64_t at = 0; at < n && !found.load(std::memory_order_relaxed); at += kValues) {
                const int64_t length = std::min(kValues, n - at);
                cast(row[0] + at * stride, stride, block, item_size(type), length);
                if (check(block, masked ? row[1] + at * mask_stride : nullptr, mask_stride, length))
                    found = true;
            }
        });
    });
    return found;
}

namespace {

/* --- all operands contiguous --- */

void run_contiguous(const xpu_call *call, const Loop &loop, int64_t n, int64_t grain) {
    char *data[XPU_MAX_ARGS];
    intptr_t steps[XPU_MAX_ARGS];
    const int nin = call->nin, nargs = nin + call->nout;
    for (int k = 0; k < nargs; ++k) {
        const xpu_tensor *t = k < nin ? call->in[k] : call->out[k - nin];
        data[k] = data_of(t);
        steps[k] = t->base ? item_size(t->dtype) : 0;
    }
    parallel(n, grain, [&](int64_t begin, int64_t end, int) {
        char *args[XPU_MAX_ARGS];
        const intptr_t length = end - begin;
        for (int k = 0; k < nargs; ++k)
            args[k] = data[k] + begin * steps[k];
        loop.fn(args, &length, steps, loop.data);
    });
}

/* Is this a call of float16 that is faster in float32? Only where no operand needs a cast to the loop's own dtypes first. */
bool choose_wide(const xpu_call *call, const int8_t *types, Loop *loop, int8_t *wide_types) {
    const int nin = op_info(call->op).nin, nargs = nin + call->nout;
    if (types[nin - 1] != XPU_FLOAT16 || call->out[0]->size < kWideElements || !wide_loop(call->op).fn)
        return false;
    for (int k = 0; k < nargs; ++k) {
        if ((k < nin ? call->in[k] : call->out[k - nin])->dtype != types[k])
            return false;
        wide_types[k] = types[k] == XPU_FLOAT16 ? static_cast<int8_t>(XPU_FLOAT32) : types[k];
    }
    *loop = wide_loop(call->op);
    return true;
}

} // namespace

bool quick_elementwise(xpu_call *call) {
    if (call->flags != XPU_FLAG_CONTIGUOUS || static_cast<uint32_t>(call->loop) >= kMaxLoops)
        return false;
    const QuickLoop &quick = g_quick[call->op][call->loop];
    intptr_t n = call->out[0]->size;
    if (static_cast<uint64_t>(n - 1) >= quick.limit)
        return false;
    char *args[XPU_MAX_ARGS];
    intptr_t steps[XPU_MAX_ARGS];
    const int nin = call->nin, nout = call->nout;
    for (int k = 0; k < nin; ++k) {
        const xpu_tensor *t = call->in[k];
        args[k] = data_of(t);
        steps[k] = t->base && t->ndim ? item_size(t->dtype) : 0;
    }
    for (int k = 0; k < nout; ++k) {
        const xpu_tensor *t = call->out[k];
        args[nin + k] = data_of(t);
        steps[nin + k] = item_size(t->dtype);
    }
    quick.fn(args, &n, steps, quick.data);
    return true;
}

bool run_serial(const Job &job, const Plan &plan) { return run_range(job, plan, 0, plan.size); }

xpu_status run_elementwise(xpu_call *call) {
    int8_t wide_types[XPU_MAX_ARGS];
    const int8_t *types = op_info(call->op).loops[call->loop].types;
    Job job;
    job.loop = numpy_loop(call->op, call->loop);
    const bool wide = choose_wide(call, types, &job.loop, wide_types);
    if (wide)
        types = wide_types;
    job.masked = call->flags & XPU_FLAG_MASKED;
    job.nin = call->nin - job.masked;
    job.nout = call->nout;
    job.nargs = job.nin + job.nout;
    const bool integer_power = call->op == XPU_OP_power && is_signed_integer(types[1]);
    job.blend = job.masked && !integer_power; /* bad exponents may hide behind a mask */
    job.heavy = is_heavy(call->op, types[0]);
    job.grain = elementwise_grain(call->op, types[0]);
    if (call->out[0]->size == 0)
        return XPU_OK;
    if (job.nargs + job.masked > XPU_MAX_ARGS)
        return fail(XPU_INVALID_ARGUMENT, "too many operands: %d", job.nargs);
    if (integer_power && has_negative_exponent(call->in[1], job.masked ? call->in[2] : nullptr, types[1]))
        return fail(XPU_NEGATIVE_POWER, "integers to negative integer powers are not allowed");
    if ((call->flags & XPU_FLAG_CONTIGUOUS) && !job.masked && !wide) {
        run_contiguous(call, job.loop, call->out[0]->size, job.grain);
        return XPU_OK;
    }
    const xpu_tensor *operands[kMaxOperands];
    xpu_tensor scalars[XPU_MAX_ARGS];
    int dtypes[XPU_MAX_ARGS][2];
    for (int k = 0; k < job.nargs; ++k) {
        const xpu_tensor *t = k < job.nout ? call->out[k] : call->in[k - job.nout];
        prepare_operand(&job, k, t, types[argument(job, k)], &scalars[k], &operands[k]);
        dtypes[k][0] = operands[k]->dtype;
        dtypes[k][1] = types[argument(job, k)];
    }
    if (job.masked)
        operands[job.nargs] = call->in[job.nin];
    Plan plan;
    make_plan(&plan, job.nargs + job.masked, operands);
    if (plan.ndim == 0)
        plan_one(job, operands, &plan);
    struct Context {
        const Job &job;
        xpu_status status;
    } context{job, XPU_OK};
    if (run_slabs(job, plan, dtypes, &context.status))
        return context.status;
    if (call->op == XPU_OP_power || call->op == XPU_OP_float_power) /* NumPy's loop has short cuts where the exponent's step is 0 */
        return run_plan(job, plan);
    with_good_rows(plan, [](void *ctx, const Plan &part) {
        Context &c = *static_cast<Context *>(ctx);
        if (c.status == XPU_OK)
            c.status = run_plan(c.job, part);
    }, &context);
    return context.status;
}

} // namespace host
