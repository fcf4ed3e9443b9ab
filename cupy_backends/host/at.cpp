/* AT: applies an op in place at indexed elements, once for each occurrence of an index, in C order of the indices.
 *
 * First all indices become byte offsets in the destination, so a bad one is found before anything changes. Then each position is done in
 * turn: a whole slice of the destination by NumPy's loop, or one element, for the common ops by a loop of our own. */
#include <atomic>
#include <cmath>

#include "index.h"
#include "loops.h"
#include "walk.h"

namespace host {
namespace {

constexpr int64_t kBlock = 256;

/* destination[offset[i]] = op(destination[offset[i]], value i) for n positions */
typedef void (*AtFn)(char *destination, const int64_t *offset, const char *value, int64_t stride, int64_t n);

struct Job {
    Loop loop;
    int nvalues;
    int type, value_type;        /* of the loop */
    int out_type;                /* of the loop's output */
    int dtype, value_dtype;      /* of the operands */
    bool direct, value_direct;   /* used where they are, without a cast */
    char *destination;
    const char *value;
    const int64_t *offset;
    int64_t npositions;
    Axes positions{1};           /* of the value */
    Axes slices{2};              /* destination, value */
};

/* --- offsets --- */

/* Sets (first index) or adds n offsets; true if an index is out of bounds. */
template <bool FIRST> bool add_row(const char *index, int64_t stride, int64_t n, int64_t length, int64_t step, int64_t *offset) {
    bool bad = false;
    for (int64_t i = 0; i < n; ++i) {
        int64_t v = load<int64_t>(index + i * stride);
        v += v < 0 ? length : 0;
        bad |= static_cast<uint64_t>(v) >= static_cast<uint64_t>(length);
        offset[i] = FIRST ? v * step : offset[i] + v * step;
    }
    return bad;
}

/* Adds the offsets of one index tensor; the place of the first one out of bounds, -1 if there is none. */
int64_t add_offsets(const xpu_tensor *index, int64_t length, int64_t step, bool first, int64_t *offset) {
    Plan plan;
    make_plan(&plan, 1, &index, ORDER_KEEP);
    const int64_t stride = inner_step(plan, 0);
    std::atomic<bool> bad{false};
    parallel(plan.size, kParallelElements, [&](int64_t begin, int64_t end, int) {
        walk(plan, begin, end, [&](char **row, int64_t n) {
            if ((first ? add_row<true> : add_row<false>)(row[0], stride, n, length, step, offset + begin))
                bad = true;
            begin += n;
        });
    });
    int64_t place = -1, at = 0;
    if (bad)
        walk(plan, 0, plan.size, [&](char **row, int64_t n) {
            for (int64_t i = 0; i < n; ++i, ++at) {
                const int64_t v = load<int64_t>(row[0] + i * stride);
                if (place < 0 && (v < -length || v >= length))
                    place = at;
            }
        });
    return place;
}

int64_t value_at(const xpu_tensor *t, int64_t position) {
    int64_t offset = 0;
    for (int d = t->ndim - 1; d >= 0; --d) {
        offset += position % t->shape[d] * t->strides[d];
        position /= t->shape[d];
    }
    return load<int64_t>(data_of(t) + offset);
}

xpu_status find_offsets(xpu_call *call, int nvalues, int64_t *offset) {
    const xpu_tensor *out = call->out[0];
    for (int k = 0; k < call->params->naxes; ++k) {
        const xpu_tensor *index = call->in[nvalues + k];
        const int64_t axis = call->params->axes[k], length = out->shape[axis];
        const int64_t bad = add_offsets(index, length, out->strides[axis], k == 0, offset);
        if (bad < 0)
            continue;
        call->result[0] = value_at(index, bad);
        call->result[1] = axis;
        call->result[2] = length;
        return fail(XPU_INDEX_ERROR, "index out of bounds");
    }
    return XPU_OK;
}

/* --- loops of our own for single elements --- */

struct Add { template <class T> static T apply(T a, T b) { return a + b; } };
struct Subtract { template <class T> static T apply(T a, T b) { return a - b; } };
struct Multiply { template <class T> static T apply(T a, T b) { return a * b; } };
struct Maximum { template <class T> static T apply(T a, T b) { return a >= b || a != a ? a : b; } };
struct Minimum { template <class T> static T apply(T a, T b) { return a <= b || a != a ? a : b; } };

template <class OP, class T> void at_loop(char *destination, const int64_t *offset, const char *value, int64_t stride, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
        char *p = destination + offset[i];
        store(p, static_cast<T>(OP::template apply<T>(load<T>(p), load<T>(value + i * stride))));
    }
}

/* Integers wrap around whatever their sign, so unsigned loops serve both; order matters for the sign. */
template <class OP> AtFn wrapping(int type) {
    switch (type) {
    case XPU_INT8: case XPU_UINT8: return at_loop<OP, uint8_t>;
    case XPU_INT16: case XPU_UINT16: return at_loop<OP, uint16_t>;
    case XPU_INT32: case XPU_UINT32: return at_loop<OP, uint32_t>;
    case XPU_INT64: case XPU_UINT64: return at_loop<OP, uint64_t>;
    case XPU_FLOAT32: return at_loop<OP, float>;
    case XPU_FLOAT64: return at_loop<OP, double>;
    default: return nullptr;
    }
}
template <class OP> AtFn ordering(int type) {
    switch (type) {
    case XPU_INT8: return at_loop<OP, int8_t>;
    case XPU_INT16: return at_loop<OP, int16_t>;
    case XPU_INT32: return at_loop<OP, int32_t>;
    case XPU_INT64: return at_loop<OP, int64_t>;
    default: return wrapping<OP>(type);
    }
}

AtFn own_at(int op, int type) {
    switch (op) {
    case XPU_OP_add: return wrapping<Add>(type);
    case XPU_OP_subtract: return wrapping<Subtract>(type);
    case XPU_OP_multiply: return wrapping<Multiply>(type);
    case XPU_OP_maximum: return ordering<Maximum>(type);
    case XPU_OP_minimum: return ordering<Minimum>(type);
    default: return nullptr;
    }
}

/* --- applying --- */

/* One row: n elements of the destination and of the value, in blocks where one of them is cast. */
void apply_row(const Job &job, char *destination, int64_t stride, const char *value, int64_t value_stride, int64_t n) {
    alignas(16) char in[kBlock * 16], out[kBlock * 16], other[kBlock * 16];
    const int64_t block = job.direct && job.value_direct ? n : kBlock;
    const int out_slot = job.nvalues + 1;
    for (int64_t at = 0; at < n; at += block) {
        const intptr_t length = std::min(block, n - at);
        char *args[3] = {destination + at * stride, const_cast<char *>(value) + at * value_stride, nullptr};
        intptr_t steps[3] = {stride, value_stride, 0};
        if (job.nvalues && !job.value_direct) {
            cast_fn(job.value_dtype, job.value_type)(args[1], value_stride, other, item_size(job.value_type), length);
            args[1] = other;
            steps[1] = item_size(job.value_type);
        }
        args[out_slot] = args[0];
        steps[out_slot] = steps[0];
        if (!job.direct) {
            cast_fn(job.dtype, job.type)(args[0], stride, in, item_size(job.type), length);
            args[0] = in;
            steps[0] = item_size(job.type);
            args[out_slot] = out;
            steps[out_slot] = item_size(job.out_type);
        }
        job.loop.fn(args, &length, steps, job.loop.data);
        if (!job.direct)
            cast_fn(job.out_type, job.dtype)(out, steps[out_slot], destination + at * stride, stride, length);
    }
}

/* Calls f(value, stride, first, n) for the positions' values, row by row. */
template <class F> void for_values(const Job &job, F &&f) {
    const int64_t stride = inner_stride(job.positions, 0);
    int64_t first = 0;
    walk_rows(job.positions, 0, job.positions.size, [&](const int64_t *start, int64_t n) {
        f(job.value + start[0], stride, first, n);
        first += n;
    });
}

void apply_elements(const Job &job, AtFn own) {
    for_values(job, [&](const char *value, int64_t stride, int64_t first, int64_t n) {
        if (own && job.direct && job.value_direct)
            return own(job.destination, job.offset + first, value, stride, n);
        for (int64_t i = 0; i < n; ++i) /* steps of 0, as NumPy: some loops' last bit depends on them */
            apply_row(job, job.destination + job.offset[first + i], 0, value + i * stride, 0, 1);
    });
}

/* The part [begin, end) of one axis of all slices; threads share the slices, so each element sees its values in order. */
void apply_slices(const Job &job, int split, int64_t begin, int64_t end) {
    Axes part = job.slices;
    part.size = part.size / part.shape[split] * (end - begin);
    part.shape[split] = end - begin;
    const int64_t stride = inner_stride(part, 0), value_stride = inner_stride(part, 1);
    char *destination = job.destination + begin * part.strides[0][split];
    for_values(job, [&](const char *value, int64_t step, int64_t first, int64_t n) {
        value += begin * part.strides[1][split];
        for (int64_t i = 0; i < n; ++i)
            walk_rows(part, 0, part.size, [&](const int64_t *at, int64_t length) {
                char *to = destination + job.offset[first + i] + at[0];
                const char *from = value + i * step + at[1];
                if (job.type < XPU_COMPLEX64)
                    return apply_row(job, to, stride, from, value_stride, length);
                for (int64_t e = 0; e < length; ++e) /* as NumPy: the last bit of complex products depends on it */
                    apply_row(job, to + e * stride, 0, from + e * value_stride, 0, 1);
            });
    });
}

void apply(const Job &job, int op) {
    if (job.slices.ndim == 0)
        return apply_elements(job, own_at(op, job.type));
    int split = 0; /* the longest axis */
    for (int d = 1; d < job.slices.ndim; ++d)
        if (job.slices.shape[d] > job.slices.shape[split])
            split = d;
    const int64_t length = job.slices.shape[split], others = job.npositions * (job.slices.size / length);
    parallel(length, std::max<int64_t>(kParallelElements / others, 16), [&](int64_t b, int64_t e, int) { apply_slices(job, split, b, e); });
}

void fill_axes(const xpu_call *call, Job *job) {
    const xpu_tensor *out = call->out[0], *value = job->nvalues ? call->in[0] : nullptr, *index = call->in[job->nvalues];
    bool indexed[XPU_MAX_NDIM] = {};
    for (int k = 0; k < call->params->naxes; ++k)
        indexed[call->params->axes[k]] = true;
    for (int d = 0; d < index->ndim; ++d) {
        const int64_t step = value && value->base ? value->strides[d] : 0;
        job->positions.append(index->shape[d], &step);
    }
    for (int d = 0, v = index->ndim; d < out->ndim; ++d) {
        if (indexed[d])
            continue;
        const int64_t steps[] = {out->strides[d], value && value->base ? value->strides[v] : 0};
        job->slices.append(out->shape[d], steps);
        ++v;
    }
    job->npositions = job->positions.size;
}

} // namespace

xpu_status run_at(xpu_call *call) {
    const int8_t *types = op_info(call->op).loops[call->loop].types;
    const xpu_tensor *out = call->out[0];
    const int nvalues = op_info(call->op).nin - 1, nindex = call->nin - nvalues;
    const xpu_tensor *value = nvalues ? call->in[0] : nullptr;
    if (!call->params || nindex < 1 || nindex > out->ndim || call->params->naxes != nindex ||
        (value && value->base && value->ndim != call->in[nvalues]->ndim + out->ndim - nindex))
        return fail(XPU_INVALID_ARGUMENT, "at: operands and axes do not fit");
    Job job;
    job.loop = numpy_loop(call->op, call->loop);
    job.nvalues = nvalues;
    job.type = types[0];
    job.value_type = nvalues ? types[1] : types[0];
    job.out_type = types[nvalues + 1];
    job.dtype = out->dtype;
    job.value_dtype = value ? value->dtype : job.value_type;
    job.direct = out->dtype == job.type && out->dtype == job.out_type && is_aligned(out);
    job.value_direct = !value || (value->dtype == job.value_type && is_aligned(value));
    job.destination = data_of(out);
    job.value = value ? data_of(value) : nullptr;
    fill_axes(call, &job);
    if (job.npositions == 0)
        return XPU_OK;
    if (call->op == XPU_OP_power && is_signed_integer(job.value_type) && has_negative_exponent(value, nullptr, job.value_type))
        return fail(XPU_NEGATIVE_POWER, "integers to negative integer powers are not allowed");
    Temp offsets(job.npositions * sizeof(int64_t));
    if (!offsets.ptr)
        return XPU_OUT_OF_MEMORY;
    job.offset = offsets.as<int64_t>();
    const xpu_status status = find_offsets(call, nvalues, offsets.as<int64_t>());
    if (status == XPU_OK && job.slices.size > 0)
        apply(job, call->op);
    return status;
}

} // namespace host
