/* matmul, vecdot, matvec, vecmat: one matrix product over collapsed batch axes. Transposed operands go as strided views. */
#include <cstdlib>
#include <cstring>

#include "layout.h"
#include "sip.h"

namespace ascend {

namespace {

constexpr int kMaxMatmulRank = 6;

/* 0 keeps float32; 1 lets it drop to HF32 (about 10 bits less), only when the user asked for it. */
int8_t cube_math_type() {
    static const int8_t type = [] {
        const char *value = std::getenv("CUPY_ASCEND_ALLOW_HF32");
        return static_cast<int8_t>(value && *value && std::strcmp(value, "0") != 0);
    }();
    return type;
}

/* Operands as (batch..., m, k), (batch..., k, n) and (batch..., m, n). */
struct Product {
    View a, b, c;
    int batch = 0; /* number of batch axes */

    explicit Product(const xpu_call *call) : a(call->in[0]), b(call->in[1]), c(call->out[0]) {
        bool row = call->op == XPU_OP_vecdot || call->op == XPU_OP_vecmat, column = call->op == XPU_OP_vecdot || call->op == XPU_OP_matvec;
        if (row) insert_axis(&a, a.t.ndim - 1);
        if (column) insert_axis(&b, b.t.ndim);
        if (row) insert_axis(&c, column ? c.t.ndim : c.t.ndim - 1);
        if (column) insert_axis(&c, c.t.ndim);
        batch = c.t.ndim - 2;
    }

    /* Merges batch axes; a batch of rows times one matrix is one product of more rows. */
    void merge() {
        View *all[3] = {&a, &b, &c};
        View heads[3] = {c, a, b};
        int group[XPU_MAX_NDIM] = {};
        for (View &h : heads) {
            h.t.ndim = batch;
            std::memcpy(h.shape, c.shape, batch * sizeof(int64_t));
        }
        merge_axes(heads, 3, group);
        const View *merged[3] = {&heads[1], &heads[2], &heads[0]};
        int left = heads[0].t.ndim;
        for (int i = 0; i < 3; ++i) {
            View &v = *all[i];
            const View &h = *merged[i];
            for (int k = 0; k < 2; ++k) v.shape[left + k] = v.shape[batch + k], v.strides[left + k] = v.strides[batch + k];
            for (int k = 0; k < left; ++k) v.shape[k] = h.shape[k], v.strides[k] = h.strides[k];
            v.t.ndim = left + 2;
        }
        batch = left;
        for (View *v : {&a, &c}) /* the stride of one row is free */
            if (batch == 1 && v->shape[1] == 1) v->strides[1] = v->strides[0];
        if (batch == 1 && b.strides[0] == 0 && a.strides[0] == a.shape[1] * a.strides[1] && c.strides[0] == c.shape[1] * c.strides[1]) {
            for (View *v : all) {
                if (v != &b) v->shape[1] *= v->shape[0];
                for (int k = 0; k < 2; ++k) v->shape[k] = v->shape[k + 1], v->strides[k] = v->strides[k + 1];
                v->t.ndim = 2;
            }
            batch = 0;
        }
        for (View *v : all) v->update();
    }
};

/* Repeated batch axes get length 1; those of the matrices stay, aclnn does not broadcast there. */
void shorten(View *v, int batch) {
    for (int i = 0; i < batch; ++i)
        if (v->strides[i] == 0) v->shape[i] = 1, v->strides[i] = item_size(v->t.dtype);
    v->update();
}

} // namespace

ASCEND_FORM(matmul) {
    if (is_scalar(call->in[0]) || is_scalar(call->in[1])) return XPU_NOT_SUPPORTED;
    if (call->out[0]->size == 0) return XPU_OK;
    Product p(call);
    p.merge();
    if (p.c.t.ndim > kMaxMatmulRank) return fail(XPU_NOT_SUPPORTED, "matmul over %d batch axes that do not merge", p.batch);
    Target target;
    bool overlap = overlaps(call->out[0], call->in[0]) || overlaps(call->out[0], call->in[1]);
    if (overlap) return fail(XPU_NOT_SUPPORTED, "matmul into one of its operands");
    XPU_TRY(target.prepare(ctx, p.c, true, false));
    if (call->in[0]->size == 0) { /* a sum of nothing */
        XPU_TRY(fill_contiguous(ctx, target, scalar_of_int(p.c.t.dtype, 0)));
        return target.finish(ctx);
    }
    if (p.c.t.dtype == XPU_COMPLEX64) {
        XPU_TRY(complex_matmul(ctx, p.a, p.b, target, p.batch));
        return target.finish(ctx);
    }
    shorten(&p.a, p.batch);
    shorten(&p.b, p.batch);
    Ready a, b;
    XPU_TRY(a.prepare(ctx, p.a));
    XPU_TRY(b.prepare(ctx, p.b));
    XPU_TRY(run(ctx, row.fn, {in(a), in(b), out(target), int8(cube_math_type())}));
    return target.finish(ctx);
}

} // namespace ascend
