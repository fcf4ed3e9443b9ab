/* Lossless plans: an op done by other ops that the backend has. Written once for every backend. */
#include <cstdlib>
#include <cstring>

#include "dispatch.h"

namespace xpu {

/* --- temporaries --- */

void TempTensor::plan(const xpu_tensor *like, int32_t dtype) {
    t = *like;
    t.dtype = dtype;
    t.offset = 0;
    t.strides = strides_;
    int order[XPU_MAX_NDIM]; /* the memory order of `like`, innermost first: sums then add in the same order */
    for (int i = 0; i < like->ndim; ++i) {
        int axis = like->ndim - 1 - i, k = i;
        for (; k && std::llabs(like->strides[order[k - 1]]) > std::llabs(like->strides[axis]); --k) order[k] = order[k - 1];
        order[k] = axis;
    }
    int64_t stride = item_size(dtype);
    for (int i = 0; i < like->ndim; ++i) {
        int axis = order[i];
        bool repeated = like->strides[axis] == 0 || like->shape[axis] == 1;
        strides_[axis] = repeated ? 0 : stride;
        if (!repeated) stride *= like->shape[axis];
    }
    t.nbytes = like->size ? stride : 0;
}

xpu_status TempTensor::allocate(const xpu_call *call) {
    xpu_pool *pool = default_pool(call->device);
    if (!pool) return fail(XPU_INVALID_DEVICE, "invalid device ordinal %d", call->device);
    xpu_status status = pool_alloc(pool, t.nbytes, call->stream, &storage_);
    if (status != XPU_OK) return status;
    t.base = storage_->base;
    t.storage = storage_;
    return XPU_OK;
}

xpu_tensor TempTensor::core(int64_t *shape) {
    xpu_tensor c = t;
    c.shape = shape;
    for (int i = 0; i < t.ndim; ++i) {
        shape[i] = strides_[i] == 0 ? 1 : t.shape[i];
        c.size = i ? c.size * shape[i] : shape[i];
    }
    if (!t.ndim) c.size = 1;
    return c;
}

TempTensor::~TempTensor() {
    if (storage_) release(storage_);
}

namespace {

/* --- casts of operands --- */

xpu_status launch_copy(const xpu_call *call, const xpu_tensor *src, const xpu_tensor *dst) {
    int8_t types[2] = {static_cast<int8_t>(dst->dtype), static_cast<int8_t>(dst->dtype)};
    xpu_call c = {};
    c.struct_size = sizeof c;
    c.op = XPU_OP_copy;
    c.loop = find_loop(XPU_OP_copy, types, 2);
    c.nin = c.nout = 1;
    c.device = call->device;
    c.stream = call->stream;
    c.in = &src;
    c.out = &dst;
    return launch(&c);
}

/* The scalar in another dtype, computed on the host. */
xpu_status cast_scalar(const xpu_tensor *src, int32_t dtype, xpu_tensor *dst) {
    xpu_status status = open_host();
    if (status != XPU_OK) return status;
    *dst = *src;
    dst->dtype = dtype;
    xpu_value value = {};
    xpu_tensor from = *src, to = *dst;
    from.size = to.size = 1;
    from.ndim = to.ndim = 0;
    from.shape = from.strides = to.shape = to.strides = nullptr;
    to.base = &value;
    to.nbytes = sizeof value;
    const xpu_tensor *in = &from, *out = &to;
    int8_t types[2] = {static_cast<int8_t>(dtype), static_cast<int8_t>(dtype)};
    xpu_call c = {};
    c.struct_size = sizeof c;
    c.op = XPU_OP_copy;
    c.loop = find_loop(XPU_OP_copy, types, 2);
    c.nin = c.nout = 1;
    c.in = &in;
    c.out = &out;
    const xpu_backend *host = active.host;
    status = host->compute.launch(host->ctx, &c);
    dst->value = value;
    return (status & XPU_CODE_MASK) == XPU_OK ? XPU_OK : fail_from(host, status, "casting a scalar");
}

/* An operand of a repeated axis is cast once per element that it really has. */
xpu_status cast_operand(const xpu_call *call, const xpu_tensor *src, TempTensor *temp) {
    xpu_status status = temp->allocate(call);
    if (status != XPU_OK) return status;
    int64_t shape[XPU_MAX_NDIM];
    xpu_tensor to = temp->core(shape), from = *src;
    from.shape = to.shape;
    from.size = to.size;
    return launch_copy(call, &from, &to);
}

} // namespace

xpu_status run_with_casts(const xpu_backend *b, xpu_call *call) {
    const int8_t *types = loop_types(call);
    int typed_in = call->method == XPU_CALL ? op_info(call->op)->nin : 1, first_out = op_info(call->op)->nin;
    if (call->nin > XPU_MAX_ARGS || call->nout > XPU_MAX_ARGS) return XPU_NOT_SUPPORTED;
    TempTensor temps[2 * XPU_MAX_ARGS];
    const xpu_tensor *operands[2 * XPU_MAX_ARGS];
    xpu_call c = *call;
    c.in = operands;
    c.out = operands + call->nin;
    void *some_base = call->nout ? call->out[0]->base : nullptr; /* stands for memory not yet allocated when `supports` is asked */
    for (int i = 0; i < call->nin; ++i) {
        const xpu_tensor *s = operands[i] = call->in[i];
        if (i >= typed_in || s->dtype == types[i]) continue;
        operands[i] = &temps[i].t;
        if (!s->base) {
            xpu_status status = cast_scalar(s, types[i], &temps[i].t);
            if (status != XPU_OK) return status;
        } else {
            temps[i].plan(s, types[i]);
            temps[i].t.base = some_base;
        }
    }
    for (int i = 0; i < call->nout; ++i) {
        const xpu_tensor *s = operands[call->nin + i] = call->out[i];
        if (s->dtype == types[first_out + i]) continue;
        if (call->flags & (XPU_FLAG_MASKED | XPU_FLAG_INITIAL)) return XPU_NOT_SUPPORTED; /* old values would be cast there and back */
        temps[call->nin + i].plan(s, types[first_out + i]);
        temps[call->nin + i].t.base = some_base;
        operands[call->nin + i] = &temps[call->nin + i].t;
    }
    if (b->compute.supports(b->ctx, &c) == XPU_NO) return XPU_NOT_SUPPORTED;
    xpu_status notes = 0, status = XPU_OK;
    for (int i = 0; i < call->nin + call->nout && (status & XPU_CODE_MASK) == XPU_OK; ++i) {
        if (operands[i] != &temps[i].t || (i < call->nin && !call->in[i]->base)) continue;
        status = i < call->nin ? cast_operand(call, call->in[i], &temps[i]) : temps[i].allocate(call);
        notes |= status;
    }
    if ((status & XPU_CODE_MASK) == XPU_OK) notes |= status = launch_native(b, &c);
    std::memcpy(call->result, c.result, sizeof c.result);
    for (int i = 0; i < call->nout && (status & XPU_CODE_MASK) == XPU_OK; ++i)
        if (operands[call->nin + i] != call->out[i]) notes |= status = launch_copy(call, operands[call->nin + i], call->out[i]);
    if ((status & XPU_CODE_MASK) != XPU_OK) return status;
    count(XPU_COUNT_PLAN, call);
    return notes & ~XPU_CODE_MASK;
}

/* --- ops composed of others --- */

namespace {

enum How { SAME, SWAP, TWICE, ZERO_LEFT, ONE_LEFT, ZERO_RIGHT, COPY, PART, PAIR, CHAIN, COLUMN, ROW, DOT };
enum Kinds { BOOL = 1, UNSIGNED = 2, SIGNED = 4, FLOAT = 8, COMPLEX = 16, INTS = 7, REAL = 15, ANY = 31 };

struct Composed {
    int32_t op;
    int32_t kinds; /* of the first input */
    How how;
    int32_t target;
    int32_t second; /* of PAIR and CHAIN; of PART which part */
};

const Composed table[] = {
    {XPU_OP_positive, ANY, COPY, XPU_OP_copy, 0},
    {XPU_OP_conjugate, REAL, COPY, XPU_OP_copy, 0},
    {XPU_OP_floor, INTS, COPY, XPU_OP_copy, 0},
    {XPU_OP_ceil, INTS, COPY, XPU_OP_copy, 0},
    {XPU_OP_trunc, INTS, COPY, XPU_OP_copy, 0},
    {XPU_OP_absolute, BOOL | UNSIGNED, COPY, XPU_OP_copy, 0},
    {XPU_OP_real, COMPLEX, PART, XPU_OP_copy, 0},
    {XPU_OP_imag, COMPLEX, PART, XPU_OP_copy, 1},
    {XPU_OP_fabs, FLOAT, SAME, XPU_OP_absolute, 0},
    {XPU_OP_float_power, ANY, SAME, XPU_OP_power, 0},
    {XPU_OP_degrees, FLOAT, SAME, XPU_OP_rad2deg, 0},
    {XPU_OP_rad2deg, FLOAT, SAME, XPU_OP_degrees, 0},
    {XPU_OP_radians, FLOAT, SAME, XPU_OP_deg2rad, 0},
    {XPU_OP_deg2rad, FLOAT, SAME, XPU_OP_radians, 0},
    {XPU_OP_fmax, INTS, SAME, XPU_OP_maximum, 0},
    {XPU_OP_fmin, INTS, SAME, XPU_OP_minimum, 0},
    {XPU_OP_add, BOOL, SAME, XPU_OP_logical_or, 0},
    {XPU_OP_multiply, BOOL, SAME, XPU_OP_logical_and, 0},
    {XPU_OP_maximum, BOOL, SAME, XPU_OP_logical_or, 0},
    {XPU_OP_minimum, BOOL, SAME, XPU_OP_logical_and, 0},
    {XPU_OP_bitwise_and, BOOL, SAME, XPU_OP_logical_and, 0},
    {XPU_OP_bitwise_or, BOOL, SAME, XPU_OP_logical_or, 0},
    {XPU_OP_bitwise_xor, BOOL, SAME, XPU_OP_logical_xor, 0},
    {XPU_OP_logical_xor, BOOL, SAME, XPU_OP_not_equal, 0},
    {XPU_OP_invert, BOOL, SAME, XPU_OP_logical_not, 0},
    {XPU_OP_invert, BOOL, ZERO_RIGHT, XPU_OP_equal, 0},
    {XPU_OP_greater, ANY, SWAP, XPU_OP_less, 0},
    {XPU_OP_less, ANY, SWAP, XPU_OP_greater, 0},
    {XPU_OP_greater_equal, ANY, SWAP, XPU_OP_less_equal, 0},
    {XPU_OP_less_equal, ANY, SWAP, XPU_OP_greater_equal, 0},
    {XPU_OP_square, REAL, TWICE, XPU_OP_multiply, 0},
    {XPU_OP_isnan, ANY, TWICE, XPU_OP_not_equal, 0},
    {XPU_OP_negative, UNSIGNED | SIGNED, ZERO_LEFT, XPU_OP_subtract, 0},
    {XPU_OP_reciprocal, FLOAT, ONE_LEFT, XPU_OP_divide, 0},
    {XPU_OP_logical_not, ANY, ZERO_RIGHT, XPU_OP_equal, 0},
    {XPU_OP_divmod, REAL, PAIR, XPU_OP_floor_divide, XPU_OP_remainder},
    {XPU_OP_clip, REAL, CHAIN, XPU_OP_maximum, XPU_OP_minimum},
    {XPU_OP_matvec, ANY, COLUMN, XPU_OP_matmul, 0},
    {XPU_OP_vecmat, REAL, ROW, XPU_OP_matmul, 0},
    {XPU_OP_vecdot, REAL, DOT, XPU_OP_matmul, 0},
};

int kind_bit(int32_t dtype) {
    static const int bits[] = {BOOL,     SIGNED, UNSIGNED, SIGNED, UNSIGNED, SIGNED,  UNSIGNED, SIGNED,
                               UNSIGNED, FLOAT,  FLOAT,    FLOAT,  COMPLEX,  COMPLEX, FLOAT};
    return bits[dtype];
}

/* A scalar with the value 0 or 1 (a float), shaped like the operand. */
xpu_tensor constant_like(const xpu_tensor *like, int32_t dtype, int one, const int64_t *zero_strides) {
    xpu_tensor t = *like;
    t.dtype = dtype;
    t.base = nullptr;
    t.storage = nullptr;
    t.offset = t.nbytes = 0;
    t.strides = const_cast<int64_t *>(zero_strides);
    t.value = {};
    if (one) {
        if (t.dtype == XPU_FLOAT16) t.value.h = 0x3c00;
        else if (t.dtype == XPU_FLOAT32) t.value.f = 1;
        else if (t.dtype == XPU_FLOAT64) t.value.d = 1;
    }
    return t;
}

/* One launch of a plan, with casts if need be. */
xpu_status launch_part(const xpu_backend *b, xpu_call *c) {
    if (c->loop < 0) return XPU_NOT_SUPPORTED;
    if (!(active.caps & XPU_CAP_CASTS) && needs_casts(c)) return run_with_casts(b, c);
    return b->compute.supports(b->ctx, c) == XPU_NATIVE ? launch_native(b, c) : XPU_NOT_SUPPORTED;
}

xpu_status launch_only(const xpu_backend *b, const xpu_call *call, xpu_call *c) {
    xpu_status status = launch_part(b, c);
    if ((status & XPU_CODE_MASK) == XPU_OK) count(XPU_COUNT_PLAN, call);
    return status;
}

xpu_status try_native(const xpu_backend *b, const xpu_call *call, xpu_call *c, const int8_t *types) {
    c->loop = find_loop(c->op, types, c->nin + c->nout - (c->flags & XPU_FLAG_MASKED ? 1 : 0));
    return launch_only(b, call, c);
}

xpu_status compose_simple(const xpu_backend *b, xpu_call *call, const Composed &row) {
    static const int64_t zeros[XPU_MAX_NDIM] = {};
    const int8_t *types = loop_types(call);
    xpu_call c = *call;
    c.op = row.target;
    if (row.how == SAME) {
        c.loop = find_loop(row.target, types, op_info(call->op)->nin + op_info(call->op)->nout);
        return launch_only(b, call, &c);
    }
    int8_t t[XPU_MAX_ARGS] = {types[0], types[0], types[op_info(call->op)->nin]};
    const xpu_tensor *in[3] = {call->in[0], call->in[0], nullptr};
    xpu_tensor constant = constant_like(call->in[0], types[0], row.how == ONE_LEFT, zeros);
    if (row.how == SWAP) in[0] = call->in[1], in[1] = call->in[0], t[0] = types[1], t[1] = types[0];
    if (row.how == ZERO_LEFT || row.how == ONE_LEFT) in[0] = &constant;
    if (row.how == ZERO_RIGHT) in[1] = &constant;
    c.in = in;
    c.nin = 2;
    if (call->flags & XPU_FLAG_MASKED) in[c.nin++] = call->in[call->nin - 1];
    return try_native(b, call, &c, t);
}

/* One input, copied; or the real or imaginary part of it. */
xpu_status compose_copy(const xpu_backend *b, xpu_call *call, const Composed &row) {
    if (call->flags & XPU_FLAG_MASKED) return XPU_NOT_SUPPORTED;
    xpu_tensor view = *call->in[0];
    xpu_call c = *call;
    c.op = XPU_OP_copy;
    if (row.how == PART) {
        if (!view.base) return XPU_NOT_SUPPORTED;
        view.dtype = view.dtype == XPU_COMPLEX64 ? XPU_FLOAT32 : XPU_FLOAT64;
        if (row.second) view.offset += item_size(view.dtype);
        c.flags &= ~static_cast<uint32_t>(XPU_FLAG_CONTIGUOUS);
    }
    const xpu_tensor *in = &view;
    c.in = &in;
    int8_t types[2] = {static_cast<int8_t>(call->out[0]->dtype), static_cast<int8_t>(call->out[0]->dtype)};
    return try_native(b, call, &c, types);
}

/* Two launches: the two outputs one after the other, or minimum(maximum(x, low), high). */
xpu_status compose_two(const xpu_backend *b, xpu_call *call, const Composed &row) {
    if (call->flags & XPU_FLAG_MASKED) return XPU_NOT_SUPPORTED;
    const int8_t *types = loop_types(call);
    int8_t t[XPU_MAX_ARGS] = {types[0], types[1], types[op_info(call->op)->nin]};
    TempTensor temp; /* the first result: of CHAIN what goes on, of PAIR kept apart from inputs that an output may overwrite */
    xpu_tensor like = *call->out[0];
    temp.plan(&like, t[2]);
    xpu_call first = *call, second = *call;
    const xpu_tensor *middle = &temp.t, *in[2] = {middle, call->nin > 2 ? call->in[2] : nullptr};
    first.op = row.target;
    second.op = row.second;
    first.nin = second.nin = 2;
    first.nout = second.nout = 1;
    first.out = &middle;
    if (row.how == CHAIN) second.in = in;
    else second.out = call->out + 1;
    first.loop = find_loop(first.op, t, 3);
    second.loop = find_loop(second.op, t, 3);
    if (first.loop < 0 || second.loop < 0) return XPU_NOT_SUPPORTED;
    xpu_status status = temp.allocate(call);
    if (status == XPU_OK) status = launch_part(b, &first); /* into the temporary: all can still be left to the host */
    if ((status & XPU_CODE_MASK) == XPU_OK) status = launch_part(b, &second);
    if ((status & XPU_CODE_MASK) == XPU_OK && row.how == PAIR) status = launch_copy(call, middle, call->out[0]);
    if ((status & XPU_CODE_MASK) == XPU_OK) count(XPU_COUNT_PLAN, call);
    return status;
}

struct Widened { /* a view with one more axis of length 1 */
    int64_t shape[XPU_MAX_NDIM], strides[XPU_MAX_NDIM];
    xpu_tensor t;
    bool insert(const xpu_tensor *s, int at) {
        if (s->ndim + 1 > XPU_MAX_NDIM || !s->base) return false;
        t = *s;
        for (int i = 0, k = 0; i <= s->ndim; ++i) {
            bool added = i == at;
            shape[i] = added ? 1 : s->shape[k];
            strides[i] = added ? item_size(s->dtype) : s->strides[k];
            k += !added;
        }
        t.ndim = s->ndim + 1;
        t.shape = shape;
        t.strides = strides;
        return true;
    }
};

xpu_status compose_matmul(const xpu_backend *b, xpu_call *call, const Composed &row) {
    const xpu_tensor *x = call->in[0], *y = call->in[1], *o = call->out[0];
    Widened wx, wy, wo, wo2;
    bool left = row.how != COLUMN, right = row.how != ROW; /* which operand is a vector */
    if (left && !wx.insert(x, x->ndim - 1)) return XPU_NOT_SUPPORTED;
    if (right && !wy.insert(y, y->ndim)) return XPU_NOT_SUPPORTED;
    if (!wo.insert(o, left && !right ? o->ndim - 1 : o->ndim)) return XPU_NOT_SUPPORTED;
    if (left && right && !wo2.insert(&wo.t, wo.t.ndim)) return XPU_NOT_SUPPORTED;
    const xpu_tensor *in[2] = {left ? &wx.t : x, right ? &wy.t : y}, *out = left && right ? &wo2.t : &wo.t;
    xpu_call c = *call;
    c.op = XPU_OP_matmul;
    c.in = in;
    c.out = &out;
    return try_native(b, call, &c, loop_types(call));
}

} // namespace

xpu_status run_composed(const xpu_backend *b, xpu_call *call) {
    const int8_t *types = loop_types(call);
    if (!types) return XPU_NOT_SUPPORTED;
    for (const Composed &row : table) {
        if (row.op != call->op || !(row.kinds & kind_bit(types[0])) || (call->method != XPU_CALL && row.how != SAME)) continue;
        xpu_status status = row.how == COPY || row.how == PART    ? compose_copy(b, call, row)
                            : row.how == PAIR || row.how == CHAIN ? compose_two(b, call, row)
                            : row.how >= COLUMN                   ? compose_matmul(b, call, row)
                                                                  : compose_simple(b, call, row);
        if ((status & XPU_CODE_MASK) != XPU_NOT_SUPPORTED) return status;
    }
    return XPU_NOT_SUPPORTED;
}

} // namespace xpu
