/* GUFUNC ops: NumPy's loops over batches, on all threads with BLAS on one; integers by own code; float16 through float32. */
#include "matmul.h"

#include <algorithm>

namespace host {
namespace {

/* One product. Strides in bytes; a vector is a matrix with one row or column. */
struct Product {
    int op, dtype;
    Loop loop;
    int ncore;               /* core dimensions in the loop's order, and the core strides of in0, in1, out */
    intptr_t dims[4];
    int nsteps;
    intptr_t steps[9];
    int nbatch;
    ReduceAxis batch[XPU_MAX_NDIM]; /* in, mask, out: the strides of in0, in1, out */
    int64_t count;
    char *data[3];
    double work;             /* multiplications in one product */
};

/* Core axes of each operand, counted from the end. */
struct Signature {
    int a, b, out;
};
Signature signature(int op) {
    switch (op) {
    case XPU_OP_vecdot: return {1, 1, 0};
    case XPU_OP_matvec: return {2, 1, 1};
    case XPU_OP_vecmat: return {1, 2, 1};
    default: return {2, 2, 2};
    }
}

void set_core(Product *p, const xpu_tensor *const t[3]) {
    const Signature s = signature(p->op);
    const int cores[3] = {s.a, s.b, s.out};
    p->nsteps = 3;
    for (int i = 0; i < 3; i++) {
        p->data[i] = data_of(t[i]);
        for (int k = t[i]->ndim - cores[i]; k < t[i]->ndim; k++) p->steps[p->nsteps++] = t[i]->strides[k];
    }
    const int64_t *a = t[0]->shape + t[0]->ndim - s.a, *b = t[1]->shape + t[1]->ndim - s.b;
    p->ncore = 1;
    p->work = 1;
    for (int i = 0; i < s.a; i++) p->dims[p->ncore++] = a[i];
    if (s.b == 2) p->dims[p->ncore++] = b[1];
    for (int i = 1; i < p->ncore; i++) p->work *= static_cast<double>(p->dims[i]);
}

void set_batch(Product *p, const xpu_tensor *const t[3]) {
    const int nbatch = t[2]->ndim - signature(p->op).out;
    p->nbatch = 0;
    p->count = 1;
    for (int i = nbatch - 1; i >= 0; i--) {
        const int64_t n = t[2]->shape[i];
        if (n == 1) continue;
        p->count *= n;
        ReduceAxis b{n, t[0]->strides[i], t[1]->strides[i], t[2]->strides[i], false};
        ReduceAxis *a = p->nbatch ? &p->batch[p->nbatch - 1] : nullptr;
        if (a && a->in * a->n == b.in && a->mask * a->n == b.mask && a->out * a->n == b.out) a->n *= n;
        else p->batch[p->nbatch++] = b;
    }
    if (!p->nbatch) p->batch[p->nbatch++] = {1, 0, 0, 0, false};
}

/* Products [b, e) by the loop, as many at once as follow each other on the inner batch axis. */
void run_range(const Product &p, int64_t b, int64_t e) {
    intptr_t dims[4], steps[9];
    std::copy(p.dims, p.dims + p.ncore, dims);
    std::copy(p.steps, p.steps + p.nsteps, steps);
    steps[0] = p.batch[0].in;
    steps[1] = p.batch[0].mask;
    steps[2] = p.batch[0].out;
    while (b < e) {
        int64_t offset[3] = {0, 0, 0}, n = std::min(e - b, p.batch[0].n - b % p.batch[0].n);
        offsets(p.batch, p.nbatch, b, &offset[0], &offset[1], &offset[2]);
        char *args[3] = {p.data[0] + offset[0], p.data[1] + offset[1], p.data[2] + offset[2]};
        dims[0] = n;
        p.loop.fn(args, dims, steps, p.loop.data);
        b += n;
    }
}

xpu_status run_loops(const Product &p) {
    constexpr double kWorthThreads = 1 << 16, kWorthBlas = 1 << 12;
    const bool blas = p.dtype >= XPU_FLOAT32;
    /* tiny products spend their time in OpenBLAS's own locks: threads would only wait for each other */
    if (p.count < 2 || thread_count() < 2 || p.work * p.count < kWorthThreads || (blas && p.op == XPU_OP_matmul && p.work < kWorthBlas)) {
        run_range(p, 0, p.count);
        return XPU_OK;
    }
    if (!blas) {
        parallel(p.count, 1 + static_cast<int64_t>(kWorthThreads / 2 / p.work), [&](int64_t b, int64_t e, int) { run_range(p, b, e); });
        return XPU_OK;
    }
    SingleThreadedBlas single;
    if (!single.ok) run_range(p, 0, p.count);
    else parallel(p.count, 1 + static_cast<int64_t>(kWorthThreads / 2 / p.work), [&](int64_t b, int64_t e, int) { run_range(p, b, e); });
    return XPU_OK;
}

/* Integers: blocks of rows of all products; the second operand and the result have contiguous rows. */
xpu_status run_integers(const Product &p, IntegerProduct product) {
    constexpr int64_t kBlock = 32;
    const int64_t m = p.dims[1], k = p.dims[2], n = p.dims[3], blocks = (m + kBlock - 1) / kBlock;
    const int64_t sa[2] = {p.steps[3], p.steps[4]}, sb = p.steps[5], so = p.steps[7];
    const int64_t work = std::max<int64_t>(1, std::min(m, kBlock) * k * n);
    parallel(p.count * blocks, std::max<int64_t>(1, (1 << 16) / work), [&](int64_t i, int64_t e, int) {
        for (; i < e; i++) {
            int64_t a = 0, b = 0, o = 0, row = i % blocks * kBlock;
            offsets(p.batch, p.nbatch, i / blocks, &a, &b, &o);
            product(p.data[0] + a + row * sa[0], sa, p.data[1] + b, sb, p.data[2] + o + row * so, so, std::min(kBlock, m - row), k, n);
        }
    });
    return XPU_OK;
}

/* A tensor with an axis of length one put in at `axis`. */
struct WithAxis {
    xpu_tensor t;
    int64_t shape[XPU_MAX_NDIM + 1], strides[XPU_MAX_NDIM + 1];
    WithAxis(const xpu_tensor *from, int axis) : t(*from) {
        for (int i = 0, k = 0; i <= from->ndim; i++) {
            shape[i] = i == axis ? 1 : from->shape[k];
            strides[i] = i == axis ? 0 : from->strides[k];
            k += i != axis;
        }
        t.ndim = from->ndim + 1;
        t.shape = shape;
        t.strides = strides;
    }
};

bool contiguous_rows(const xpu_tensor *t) { return t->shape[t->ndim - 1] == 1 || t->strides[t->ndim - 1] == item_size(t->dtype); }

xpu_status multiply(int op, int loop, const xpu_tensor *const t[3]);

/* NumPy 1.26 lacks these: the same as a product of matrices, the first operand of vecdot and vecmat conjugated. */
xpu_status by_matrices(int op, int loop, const xpu_tensor *const t[3]) {
    const Signature s = signature(op);
    const xpu_tensor *a = t[0];
    const bool conjugate = op != XPU_OP_matvec && a->dtype >= XPU_COMPLEX64;
    TempTensor copy(a, conjugate ? a->dtype : -1);
    if (conjugate) {
        if (!copy.memory.ptr) return fail(XPU_OUT_OF_MEMORY, "no memory for a conjugate");
        if (xpu_status status = copy_cast(&copy.t, a)) return status;
        for (int64_t i = 0; i < a->size; i++) {
            if (a->dtype == XPU_COMPLEX64) copy.memory.as<float>()[2 * i + 1] *= -1;
            else copy.memory.as<double>()[2 * i + 1] *= -1;
        }
        a = &copy.t;
    }
    WithAxis a2(a, a->ndim - 1), b2(t[1], t[1]->ndim), out2(t[2], s.a == 1 && s.b == 2 ? t[2]->ndim - 1 : t[2]->ndim);
    WithAxis out3(&out2.t, out2.t.ndim); /* vecdot: two axes of length one */
    const xpu_tensor *full[3] = {s.a == 1 ? &a2.t : a, s.b == 1 ? &b2.t : t[1], s.out == 0 ? &out3.t : &out2.t};
    return multiply(XPU_OP_matmul, loop, full);
}

/* Operands have the loop's types and are aligned. */
xpu_status multiply(int op, int loop, const xpu_tensor *const t[3]) {
    Product p;
    p.op = op;
    p.dtype = t[2]->dtype;
    p.loop = numpy_loop(op, loop);
    if (!p.loop.fn && op != XPU_OP_matmul) return by_matrices(op, loop, t);
    if (!p.loop.fn) return fail(XPU_NOT_SUPPORTED, "matmul: NumPy has no loop of this type");
    set_core(&p, t);
    set_batch(&p, t);
    if (p.count == 0) return XPU_OK;
    IntegerProduct product = op == XPU_OP_matmul ? integer_product(p.dtype) : nullptr;
    if (product && p.dims[2] > 0 && contiguous_rows(t[1]) && contiguous_rows(t[2])) return run_integers(p, product);
    return run_loops(p);
}

bool worth_float32(int op, const xpu_tensor *a, const xpu_tensor *out) {
    return op == XPU_OP_matmul && out->dtype == XPU_FLOAT16 && out->size * a->shape[a->ndim - 1] > 512;
}

} // namespace

xpu_status run_gufunc(xpu_call *call) {
    const xpu_tensor *out = call->out[0];
    if (out->size == 0) return XPU_OK;
    const int dtype = op_info(call->op).loops[call->loop].types[2];
    const bool widen = dtype == XPU_FLOAT16 && worth_float32(call->op, call->in[0], out);
    const int wanted = widen ? XPU_FLOAT32 : dtype, loop = call->loop + (widen ? 1 : 0); /* ff->f follows ee->e */
    const bool integers = call->op == XPU_OP_matmul && integer_product(wanted);
    auto fits = [&](const xpu_tensor *t, bool rows) {
        return t->dtype == wanted && is_aligned(t) && (!rows || !integers || contiguous_rows(t));
    };
    const bool direct[3] = {fits(call->in[0], false), fits(call->in[1], true), fits(out, true)};
    TempTensor a(call->in[0], direct[0] ? -1 : wanted), b(call->in[1], direct[1] ? -1 : wanted), c(out, direct[2] ? -1 : wanted);
    if ((!direct[0] && !a.memory.ptr) || (!direct[1] && !b.memory.ptr) || (!direct[2] && !c.memory.ptr))
        return fail(XPU_OUT_OF_MEMORY, "no memory for the operands of a product");
    if (!direct[0])
        if (xpu_status s = copy_cast(&a.t, call->in[0])) return s;
    if (!direct[1])
        if (xpu_status s = copy_cast(&b.t, call->in[1])) return s;
    const xpu_tensor *t[3] = {direct[0] ? call->in[0] : &a.t, direct[1] ? call->in[1] : &b.t, direct[2] ? out : &c.t};
    if (xpu_status s = multiply(call->op, loop, t)) return s;
    return direct[2] ? static_cast<xpu_status>(XPU_OK) : copy_cast(out, &c.t);
}

} // namespace host
