/* REDUCE: plans, splits over threads and folds. Results never depend on the number of threads: outputs are split first; within one
 * output, sums are split where NumPy's pairwise sum or its buffer would split, and only exact operations elsewhere. */
#include "reduce.h"

#include <algorithm>
#include <new>

namespace host {
namespace {

constexpr int64_t kOneOutput = 1 << 18; /* elements of a single output that are worth waking threads */
constexpr int64_t kVector = 4096; /* outputs in a piece of columns: they stay in the first cache while the rows go by */

inline bool is_complex(int dtype) { return dtype == XPU_COMPLEX64 || dtype == XPU_COMPLEX128; }

/* Through buffers, or a conversion per element. */
inline bool slow(const Reduction &r) { return (r.casts && !r.fold) || r.acc_dtype == XPU_FLOAT16; }
inline int64_t piece_elements(const Reduction &r) { return slow(r) ? kParallelElements : 2 * kParallelElements; }

/* --- one run of elements --- */

inline void loop_fold(const Reduction &r, char *acc, const char *in, int64_t stride, int64_t n) {
    char *args[3] = {acc, const_cast<char *>(in), acc};
    const intptr_t count = n, steps[3] = {0, static_cast<intptr_t>(stride), 0};
    r.loop.fn(args, &count, steps, r.loop.data);
}

/* n <= kBuffer elements already in r.buffer_dtype */
inline void fold_buffer(const Reduction &r, char *acc, const char *buffer, int64_t n) {
    if (r.buffer_fold) r.buffer_fold(acc, buffer, r.buffer_size, n);
    else loop_fold(r, acc, buffer, r.buffer_size, n);
}

void fold_run(const Reduction &r, char *acc, const char *in, int64_t stride, int64_t n, char *buffer) {
    if (r.fold && !(r.casts && r.pairwise)) return r.fold(acc, in, stride, n);
    if (!r.casts) return loop_fold(r, acc, in, stride, n);
    for (int64_t i = 0; i < n; i += kBuffer) {
        int64_t m = std::min(n - i, kBuffer);
        if (r.fold) {
            r.fold(acc, in + i * stride, stride, m);
        } else {
            r.cast(in + i * stride, stride, buffer, r.buffer_size, m);
            fold_buffer(r, acc, buffer, m);
        }
    }
}

/* Calls f(start, length) for each run of true mask elements. */
template <class F> void mask_runs(const char *mask, int64_t stride, int64_t n, F f) {
    for (int64_t i = 0; i < n;) {
        while (i < n && !mask[i * stride]) i++;
        int64_t start = i;
        while (i < n && mask[i * stride]) i++;
        if (i > start) f(start, i - start);
    }
}

void fold_masked(const Reduction &r, char *acc, const char *in, int64_t stride, const char *mask, int64_t mask_stride, int64_t n,
                 char *buffer) {
    int64_t block = r.casts ? kBuffer : n; /* runs end where NumPy's buffer does */
    for (int64_t i = 0; i < n; i += block)
        mask_runs(mask + i * mask_stride, mask_stride, std::min(block, n - i),
                  [&](int64_t b, int64_t m) { fold_run(r, acc, in + (i + b) * stride, stride, m, buffer); });
}

/* --- one output: its reduced axes --- */

/* How the leading reduced axes are taken: `merged` axes gathered into a buffer of `core` elements, times up to `units` steps of the
 * next axis; merged == 0: axis 0 is folded where it is. */
struct Walk {
    int merged;
    int64_t core, units;
    int nlead;                       /* reduced axes outside of these, innermost first */
    ReduceAxis lead[XPU_MAX_NDIM];
    int64_t runs;                    /* product of lead */
};

Walk plan_walk(const Reduction &r) {
    Walk w{0, 1, 1, 0, {}, 1};
    int k = 0, taken = 1;
    while (k < r.ndim && r.axes[k].reduced) k++;
    if (r.pairwise && k > 1) {
        while (w.merged < k && w.core * r.axes[w.merged].n <= kBuffer) w.core *= r.axes[w.merged++].n;
        if (w.merged == 0) w.core = 1;
        else taken = w.merged < k ? w.merged + 1 : k;
        if (w.merged) w.units = kBuffer / std::max<int64_t>(w.core, 1);
    }
    for (int i = taken; i < r.ndim; i++)
        if (r.axes[i].reduced) {
            w.lead[w.nlead++] = r.axes[i];
            w.runs *= r.axes[i].n;
        }
    return w;
}

inline int64_t run_units(const Reduction &r, const Walk &w) { /* along the axis after the merged ones */
    return w.merged < r.ndim && r.axes[w.merged].reduced ? r.axes[w.merged].n : 1;
}

/* Number of blocks in which one run is summed by itself. */
inline int64_t run_blocks(const Reduction &r, const Walk &w) {
    int64_t n = run_units(r, w), block = w.merged ? w.units : r.casts ? kBuffer : n;
    return n == 0 ? 0 : (n + block - 1) / block;
}

char *gather_axes(const Reduction &r, int axis, const char *in, char *to) {
    if (axis == 0) {
        r.cast(in, r.axes[0].in, to, r.buffer_size, r.axes[0].n);
        return to + r.axes[0].n * r.buffer_size;
    }
    for (int64_t i = 0; i < r.axes[axis].n; i++) to = gather_axes(r, axis - 1, in + i * r.axes[axis].in, to);
    return to;
}

char *gather_mask(const Reduction &r, int axis, const char *mask, char *to) {
    const ReduceAxis &a = r.axes[axis];
    for (int64_t i = 0; i < a.n; i++) {
        if (axis) to = gather_mask(r, axis - 1, mask + i * a.mask, to);
        else *to++ = mask[i * a.mask];
    }
    return to;
}

/* Folds block `b` of the run at `in`. */
void fold_block(const Reduction &r, const Walk &w, char *acc, const char *in, const char *mask, int64_t b, char *buffer) {
    if (w.merged == 0) {
        int64_t block = r.casts && r.pairwise ? kBuffer : r.axes[0].n;
        int64_t n = std::min(r.axes[0].n - b * block, block);
        in += b * block * r.axes[0].in;
        if (mask) return fold_masked(r, acc, in, r.axes[0].in, mask + b * block * r.axes[0].mask, r.axes[0].mask, n, buffer);
        return fold_run(r, acc, in, r.axes[0].in, n, buffer);
    }
    const int64_t all = run_units(r, w), from = b * w.units, to = std::min(from + w.units, all);
    const int64_t step = all > 1 ? r.axes[w.merged].in : 0, mask_step = all > 1 ? r.axes[w.merged].mask : 0;
    char *end = buffer, *bits = buffer + kBuffer * 16, *bits_end = bits;
    for (int64_t i = from; i < to; i++) {
        end = gather_axes(r, w.merged - 1, in + i * step, end);
        if (mask) bits_end = gather_mask(r, w.merged - 1, mask + i * mask_step, bits_end);
    }
    int64_t n = (end - buffer) / r.buffer_size;
    if (!mask) return fold_buffer(r, acc, buffer, n);
    mask_runs(bits, 1, n, [&](int64_t start, int64_t m) { fold_buffer(r, acc, buffer + start * r.buffer_size, m); });
}

void start_value(const Reduction &r, char *acc, const char *in, const char *out) {
    if (r.start == START_IDENTITY) memcpy(acc, r.identity, 16);
    else if (r.start == START_KEPT) memcpy(acc, out, r.acc_size);
    else r.cast(in - r.skip, 0, acc, r.acc_size, 1);
}

void reduce_output(const Reduction &r, const Walk &w, const char *in, const char *mask, char *out, char *buffer) {
    alignas(16) char acc[16];
    start_value(r, acc, in, out);
    int64_t blocks = run_blocks(r, w);
    if (!r.pairwise) blocks = r.axes[0].n ? 1 : 0;
    for (int64_t i = 0; i < w.runs; i++) {
        int64_t a = 0, m = 0, o = 0;
        offsets(w.lead, w.nlead, i, &a, &m, &o);
        for (int64_t b = 0; b < blocks; b++) fold_block(r, w, acc, in + a, mask ? mask + m : nullptr, b, buffer);
    }
    memcpy(out, acc, r.acc_size);
}

/* --- one output on all threads --- */

constexpr size_t kScratch = kBuffer * 17; /* values and mask of a gathered block */

/* The nodes of NumPy's pairwise tree at a fixed depth, summed in parallel and added up as the tree does. */
struct TreeSum {
    const Reduction &r;
    const char *in;
    int64_t stride;
    int depth;
    struct Node { int64_t start, n; alignas(16) char sum[16]; } *nodes;
    int count;

    void split(int64_t start, int64_t n, int level) {
        if (level == depth) {
            nodes[count].start = start;
            nodes[count++].n = n;
            return;
        }
        int64_t half = tree_half(n);
        split(start, half, level + 1);
        split(start + half, n - half, level + 1);
    }
    int64_t tree_half(int64_t n) const {
        bool complex = is_complex(r.acc_dtype);
        int64_t half = complex ? n : n / 2; /* of a complex array NumPy counts the real numbers */
        half -= half % 8;
        return complex ? half / 2 : half;
    }
    void add_up(int level, int *next, char *sum) {
        if (level == depth) {
            memcpy(sum, nodes[(*next)++].sum, 16);
            return;
        }
        alignas(16) char right[16];
        add_up(level + 1, next, sum);
        add_up(level + 1, next, right);
        r.fold(sum, right, r.acc_size, 1);
    }
};

void minus_zero(const Reduction &r, char *acc) { /* what added to x gives x, -0.0 included */
    if (r.acc_dtype == XPU_FLOAT32 || r.acc_dtype == XPU_COMPLEX64) std::fill_n(reinterpret_cast<float *>(acc), 4, -0.0f);
    else std::fill_n(reinterpret_cast<double *>(acc), 2, -0.0);
}

xpu_status sum_tree(const Reduction &r, char *acc, const char *in) {
    int64_t n = r.axes[0].n, stride = r.axes[0].in;
    int depth = 0;
    while (depth < 6 && n >> (depth + 1) >= kBuffer) depth++;
    Temp memory(sizeof(TreeSum::Node) << depth);
    if (!memory.ptr) return fail(XPU_OUT_OF_MEMORY, "no memory for partial sums");
    TreeSum t{r, in, stride, depth, memory.as<TreeSum::Node>(), 0};
    t.split(0, n, 0);
    parallel(t.count, std::max<int64_t>(1, kParallelElements / (n / t.count)), [&](int64_t b, int64_t e, int) {
        for (; b < e; b++) {
            minus_zero(r, t.nodes[b].sum);
            r.fold(t.nodes[b].sum, in + t.nodes[b].start * stride, stride, t.nodes[b].n);
        }
    });
    alignas(16) char sum[16];
    int next = 0;
    t.add_up(0, &next, sum);
    r.fold(acc, sum, r.acc_size, 1);
    return XPU_OK;
}

xpu_status sum_output(const Reduction &r, const Walk &w, char *out) {
    alignas(16) char acc[16];
    start_value(r, acc, r.in, out);
    int64_t blocks = run_blocks(r, w), total = blocks * w.runs;
    if (w.merged == 0 && !r.casts && total < 4 * thread_count()) {
        for (int64_t i = 0; i < w.runs; i++) {
            int64_t a = 0, m = 0, o = 0;
            offsets(w.lead, w.nlead, i, &a, &m, &o);
            if (xpu_status s = sum_tree(r, acc, r.in + a)) return s;
        }
    } else {
        Temp memory(total * 16);
        if (!memory.ptr) return fail(XPU_OUT_OF_MEMORY, "no memory for partial sums");
        char *sums = memory.as<char>();
        const int64_t size = std::max<int64_t>(1, r.reduced / std::max<int64_t>(total, 1));
        parallel(total, std::max<int64_t>(1, kParallelElements / size), [&](int64_t b, int64_t e, int) {
            Temp scratch(kScratch);
            for (; b < e; b++) {
                int64_t a = 0, m = 0, o = 0;
                offsets(w.lead, w.nlead, b / blocks, &a, &m, &o);
                minus_zero(r, sums + 16 * b);
                fold_block(r, w, sums + 16 * b, r.in + a, nullptr, b % blocks, scratch.as<char>());
            }
        });
        r.total(acc, sums, 16, total);
    }
    memcpy(out, acc, r.acc_size);
    return XPU_OK;
}

/* Exact operations: pieces of the longest reduced axis. */
xpu_status reduce_exact(const Reduction &r, char *out) {
    int axis = 0;
    for (int i = 0; i < r.ndim; i++)
        if (r.axes[i].reduced && (!r.axes[axis].reduced || r.axes[i].n > r.axes[axis].n)) axis = i;
    int64_t n = r.axes[axis].n, pieces = std::min<int64_t>(n, 4 * thread_count());
    Temp memory(pieces * 16);
    if (!memory.ptr) return fail(XPU_OUT_OF_MEMORY, "no memory for partial results");
    char *parts = memory.as<char>();
    parallel(pieces, 1, [&](int64_t b, int64_t e, int) {
        Temp scratch(kScratch);
        for (; b < e; b++) {
            Reduction part = r;
            int64_t from = n * b / pieces;
            part.axes[axis].n = n * (b + 1) / pieces - from;
            const char *in = r.in + from * r.axes[axis].in, *mask = r.mask ? r.mask + from * r.axes[axis].mask : nullptr;
            if (r.has_identity) part.start = START_IDENTITY;
            memcpy(parts + 16 * b, out, r.acc_size);
            reduce_output(part, plan_walk(part), in, mask, parts + 16 * b, scratch.as<char>());
        }
    });
    alignas(16) char acc[16];
    start_value(r, acc, r.in, out);
    for (int64_t i = 0; i < pieces; i++) r.combine(r, acc, parts + 16 * i);
    memcpy(out, acc, r.acc_size);
    return XPU_OK;
}

/* --- rows into a row of outputs --- */

/* axes[0] is kept: out[j] = out[j] op in[j] for n neighbours */
void vector_run(const Reduction &r, char *out, const char *in, int64_t stride, int64_t n, char *buffer) {
    const int64_t step = r.axes[0].out;
    if (r.casts) {
        r.cast(in, stride, buffer, r.buffer_size, n);
        in = buffer;
        stride = r.buffer_size;
    }
    if (!r.loop.fn) { /* counts */
        for (int64_t j = 0; j < n; j++) *reinterpret_cast<int64_t *>(out + j * step) += in[j * stride] != 0;
        return;
    }
    char *args[3] = {out, const_cast<char *>(in), out};
    const intptr_t count = n, steps[3] = {static_cast<intptr_t>(step), static_cast<intptr_t>(stride), static_cast<intptr_t>(step)};
    r.loop.fn(args, &count, steps, r.loop.data);
}

void start_vector(const Reduction &r, char *out, const char *in, int64_t n) {
    const ReduceAxis &a = r.axes[0];
    if (r.start == START_FIRST) r.cast(in - r.skip, a.in, out, a.out, n);
    if (r.start != START_IDENTITY) return;
    for (int64_t j = 0; j < n; j++) memcpy(out + j * a.out, r.identity, r.acc_size);
}

/* One piece of columns, all reduced axes in order. */
void reduce_columns(const Reduction &r, const Walk &w, const char *in, const char *mask, char *out, int64_t n, char *buffer) {
    const ReduceAxis &a = r.axes[0];
    start_vector(r, out, in, n);
    bool by_rows = r.rows && !mask && w.nlead && (n == 1 || (a.in == r.in_size && a.out == r.acc_size));
    int first = by_rows ? 1 : 0;
    int64_t runs = first ? w.runs / std::max<int64_t>(w.lead[0].n, 1) : w.runs;
    for (int64_t i = 0; i < runs; i++) {
        int64_t at = 0, m = 0, o = 0;
        offsets(w.lead + first, w.nlead - first, i, &at, &m, &o);
        if (by_rows) r.rows(out, in + at, w.lead[0].in, w.lead[0].n, n);
        else if (!mask) vector_run(r, out, in + at, a.in, n, buffer);
        else
            mask_runs(mask + m, a.mask, n, [&](int64_t b, int64_t k) {
                vector_run(r, out + b * a.out, in + at + b * a.in, a.in, k, buffer);
            });
    }
}

xpu_status reduce_rows(const Reduction &r, int64_t outputs) {
    Walk w{0, 1, 1, 0, {}, 1};
    ReduceAxis kept[XPU_MAX_NDIM];
    int nkept = 0;
    for (int i = 1; i < r.ndim; i++) {
        if (r.axes[i].reduced) {
            w.lead[w.nlead++] = r.axes[i];
            w.runs *= r.axes[i].n;
        } else {
            kept[nkept++] = r.axes[i];
        }
    }
    const int64_t n = r.axes[0].n, outer = outputs / n;
    int64_t chunk = std::min(n, kVector);
    if (outer * ((n + chunk - 1) / chunk) < thread_count() && outputs * r.reduced > piece_elements(r))
        chunk = std::max<int64_t>(64, (n / thread_count() + 16) / 16 * 16);
    const int64_t chunks = (n + chunk - 1) / chunk, work = std::max<int64_t>(1, std::min(chunk, n) * r.reduced);
    parallel(outer * chunks, std::max<int64_t>(1, piece_elements(r) / work), [&](int64_t b, int64_t e, int) {
        Temp scratch(r.casts ? kScratch : 16);
        for (; b < e; b++) {
            int64_t a = 0, m = 0, o = 0, from = b % chunks * chunk;
            offsets(kept, nkept, b / chunks, &a, &m, &o);
            a += from * r.axes[0].in;
            m += from * r.axes[0].mask;
            o += from * r.axes[0].out;
            reduce_columns(r, w, r.in + a, r.mask ? r.mask + m : nullptr, r.out + o, std::min(chunk, n - from), scratch.as<char>());
        }
    });
    return XPU_OK;
}

xpu_status reduce_each(const Reduction &r, const Walk &w, int64_t outputs) {
    ReduceAxis kept[XPU_MAX_NDIM];
    int nkept = 0;
    for (int i = 0; i < r.ndim; i++)
        if (!r.axes[i].reduced) kept[nkept++] = r.axes[i];
    const bool scratch_needed = r.casts || w.merged;
    parallel(outputs, std::max<int64_t>(1, piece_elements(r) / std::max<int64_t>(r.reduced, 1)), [&](int64_t b, int64_t e, int) {
        Temp scratch(scratch_needed ? kScratch : 16);
        for (; b < e; b++) {
            int64_t a = 0, m = 0, o = 0;
            offsets(kept, nkept, b, &a, &m, &o);
            reduce_output(r, w, r.in + a, r.mask ? r.mask + m : nullptr, r.out + o, scratch.as<char>());
        }
    });
    return XPU_OK;
}

/* Moves axis i to the inside. */
void bring_inside(Reduction *r, int i) {
    ReduceAxis a = r->axes[i];
    for (; i > 0; i--) r->axes[i] = r->axes[i - 1];
    r->axes[0] = a;
}

/* Where the order of operations within an output does not show, make the inner loop a long one. */
void choose_inner(Reduction *r, int64_t outputs) {
    if (r->ndim < 2 || !r->plain) return;
    int inner_reduced = -1, widest_kept = -1, reduced_axes = 0;
    for (int i = 0; i < r->ndim; i++) {
        if (r->axes[i].reduced) {
            reduced_axes++;
            if (inner_reduced < 0) inner_reduced = i;
        } else if (widest_kept < 0 || (r->axes[widest_kept].n < 16 && r->axes[i].n > r->axes[widest_kept].n)) {
            widest_kept = i;
        }
    }
    if (r->axes[0].reduced) {
        const int side_by_side = is_complex(r->acc_dtype) ? 4 : 8; /* below that a pairwise sum is a plain one */
        bool sequential = !r->pairwise || (r->axes[0].n < side_by_side && reduced_axes == 1 && r->start == START_IDENTITY &&
                                           r->acc_dtype != XPU_FLOAT16);
        if (sequential && r->axes[0].n <= 16 && widest_kept > 0 && r->axes[widest_kept].n >= 32) bring_inside(r, widest_kept);
    } else if (r->exact && outputs < 16 && inner_reduced > 0 && r->axes[inner_reduced].n > 64) {
        bring_inside(r, inner_reduced);
    } else if (r->axes[0].n < 16 && widest_kept > 0 && r->axes[widest_kept].n >= 32) {
        bring_inside(r, widest_kept);
    }
}

xpu_status execute(Reduction *r) {
    int64_t outputs = 1;
    r->reduced = 1;
    for (int i = 0; i < r->ndim; i++) (r->axes[i].reduced ? r->reduced : outputs) *= r->axes[i].n;
    if (outputs == 0) return XPU_OK;
    choose_inner(r, outputs);
    if (r->ndim == 0) r->axes[r->ndim++] = {1, 0, 0, 0, true};
    if (!r->axes[0].reduced) return reduce_rows(*r, outputs);
    Walk w = plan_walk(*r);
    if (outputs < 2 * thread_count() && r->reduced >= (slow(*r) ? kParallelElements : kOneOutput)) {
        Reduction one = *r;
        bool split_exact = r->exact && (!is_complex(r->acc_dtype) || r->ndim == 1), split_sum = r->pairwise && r->total && !r->mask;
        for (int64_t i = 0; (split_exact || split_sum) && i < outputs; i++) {
            int64_t a = 0, m = 0, o = 0;
            ReduceAxis kept[XPU_MAX_NDIM];
            int nkept = 0;
            for (int k = 0; k < r->ndim; k++)
                if (!r->axes[k].reduced) kept[nkept++] = r->axes[k];
            offsets(kept, nkept, i, &a, &m, &o);
            one.in = r->in + a;
            one.mask = r->mask ? r->mask + m : nullptr;
            if (xpu_status s = split_exact ? reduce_exact(one, r->out + o) : sum_output(one, w, r->out + o)) return s;
        }
        if (split_exact || split_sum) return XPU_OK;
    }
    return reduce_each(*r, w, outputs);
}

/* --- what the op means --- */

void combine_loop(const Reduction &r, char *acc, const char *part) { loop_fold(r, acc, part, 0, 1); }
void combine_count(const Reduction &, char *acc, const char *part) {
    *reinterpret_cast<int64_t *>(acc) += *reinterpret_cast<const int64_t *>(part);
}

bool is_exact(int op, int dtype) {
    switch (op) {
    case XPU_OP_maximum: case XPU_OP_minimum: case XPU_OP_fmax: case XPU_OP_fmin: case XPU_OP_count_nonzero:
        return true;
    case XPU_OP_add: case XPU_OP_multiply: case XPU_OP_bitwise_and: case XPU_OP_bitwise_or: case XPU_OP_bitwise_xor:
    case XPU_OP_logical_and: case XPU_OP_logical_or: case XPU_OP_logical_xor: case XPU_OP_gcd:
        return dtype <= XPU_UINT64;
    default:
        return false;
    }
}

/* Do all forms of NumPy's loop, vectorized or not, round alike? Not those of complex products and of functions. */
bool is_plain(int op, int dtype) {
    if (op == XPU_OP_multiply || op == XPU_OP_divide) return !is_complex(dtype);
    return op == XPU_OP_add || op == XPU_OP_subtract || is_exact(op, dtype);
}

bool is_idempotent(int op) {
    return op == XPU_OP_maximum || op == XPU_OP_minimum || op == XPU_OP_fmax || op == XPU_OP_fmin || op == XPU_OP_lcm;
}

template <class T> void put(char *to, T v) { memcpy(to, &v, sizeof v); }

/* The identity in the accumulator's type; false if there is none. */
bool set_identity(Reduction *r, const char *text) {
    memset(r->identity, 0, sizeof r->identity);
    if (!strcmp(text, "None")) return false;
    double v = !strcmp(text, "True") ? 1 : !strcmp(text, "False") ? 0 : strtod(text, nullptr);
    switch (r->acc_dtype) {
    case XPU_BOOL: r->identity[0] = v != 0; return true;
    case XPU_FLOAT16: put<uint16_t>(r->identity, v == 0 ? 0 : v == 1 ? 0x3c00 : 0xfc00); return true; /* 0, 1 or -inf */
    case XPU_FLOAT32: case XPU_COMPLEX64: put(r->identity, static_cast<float>(v)); return true;
    case XPU_FLOAT64: case XPU_COMPLEX128: put(r->identity, v); return true;
    default: put(r->identity, static_cast<int64_t>(v)); return true; /* two's complement: the low bytes are right for each size */
    }
}

xpu_status set_operation(Reduction *r, const xpu_call *call) {
    const xpu_op_info &info = op_info(call->op);
    const bool count = call->op == XPU_OP_count_nonzero, misaligned = !is_aligned(call->in[0]);
    r->op = call->op;
    r->in_dtype = call->in[0]->dtype;
    if (count) {
        r->loop = Loop();
        r->acc_dtype = XPU_INT64;
    } else {
        const int8_t *types = info.loops[call->loop].types;
        if (info.nin != 2 || info.nout != 1 || types[0] != types[1] || types[0] != types[2])
            return fail(XPU_NOT_SUPPORTED, "%s: this type loop cannot be reduced", info.name);
        r->loop = numpy_loop(call->op, call->loop);
        r->acc_dtype = types[2];
        if (!r->loop.fn) return fail(XPU_NOT_SUPPORTED, "%s: NumPy has no loop of this type", info.name);
    }
    r->acc_size = item_size(r->acc_dtype);
    r->in_size = item_size(r->in_dtype);
    r->exact = is_exact(call->op, r->acc_dtype);
    r->plain = is_plain(call->op, r->acc_dtype);
    r->pairwise = (call->op == XPU_OP_add && r->acc_dtype >= XPU_FLOAT16) || (r->acc_dtype == XPU_FLOAT16 && !r->exact);
    const int buffer_dtype = count ? XPU_BOOL : r->acc_dtype;
    r->buffer_size = item_size(buffer_dtype);
    r->cast = cast_fn(r->in_dtype, buffer_dtype);
    r->casts = misaligned || r->in_dtype != buffer_dtype;
    r->fold = misaligned ? nullptr : own_fold(call->op, r->in_dtype, r->acc_dtype);
    r->rows = misaligned ? nullptr : own_rows(call->op, r->in_dtype, r->acc_dtype);
    r->buffer_fold = own_fold(call->op, buffer_dtype, r->acc_dtype);
    r->total = r->pairwise && r->acc_dtype > XPU_FLOAT16 ? sequential_sum(r->acc_dtype) : nullptr;
    r->combine = count ? combine_count : combine_loop;
    r->has_identity = set_identity(r, count ? "0" : info.identity);
    r->start = call->flags & XPU_FLAG_INITIAL ? START_KEPT : r->has_identity ? START_IDENTITY : START_FIRST;
    return XPU_OK;
}

/* Operations that are not idempotent leave the first element, their start, out. They reduce one axis. */
void skip_first(Reduction *r) {
    r->skip = 0;
    if (r->start != START_FIRST) return;
    int64_t reduced = 1;
    for (int i = 0; i < r->ndim; i++)
        if (r->axes[i].reduced) reduced *= r->axes[i].n;
    if (is_idempotent(r->op) && !(r->op == XPU_OP_lcm && reduced == 1)) return;
    for (int i = 0; i < r->ndim; i++)
        if (r->axes[i].reduced) {
            r->skip = r->axes[i].in;
            r->in += r->skip;
            if (r->mask) r->mask += r->axes[i].mask;
            r->axes[i].n--;
            return;
        }
    r->axes[r->ndim++] = {0, 0, 0, 0, true}; /* only length 1 was reduced: nothing follows the first */
}

/* The whole of a contiguous array, small enough for one thread. */
bool reduce_small(Reduction *r, const xpu_call *call) {
    const xpu_tensor *in = call->in[0], *out = call->out[0];
    if (out->size != 1 || in->size == 0 || in->size > kParallelElements || (call->flags & XPU_FLAG_MASKED)) return false;
    if (r->casts && !r->fold) return false;
    int64_t stride = in->ndim ? in->strides[in->ndim - 1] : 0, n = 1;
    for (int i = in->ndim - 1; i >= 0; i--) {
        if (in->shape[i] != 1 && n != 1 && in->strides[i] != stride * n) return false;
        if (in->shape[i] != 1 && n == 1) stride = in->strides[i];
        n *= in->shape[i];
    }
    alignas(16) char acc[16];
    const char *p = data_of(in);
    int64_t first = r->start == START_FIRST && (!is_idempotent(r->op) || n == 1) ? 1 : 0;
    r->skip = 0;
    start_value(*r, acc, p, data_of(out));
    if (n > first) fold_run(*r, acc, p + first * stride, stride, n - first, nullptr);
    memcpy(data_of(out), acc, r->acc_size);
    return true;
}

} // namespace

xpu_status run_reduce(xpu_call *call) {
    Reduction r;
    if (xpu_status s = set_operation(&r, call)) return s;
    const xpu_tensor *in = call->in[0], *out = call->out[0], *mask = call->flags & XPU_FLAG_MASKED ? call->in[call->nin - 1] : nullptr;
    if (out->dtype == r.acc_dtype && is_aligned(out)) {
        if (reduce_small(&r, call)) return XPU_OK;
        plan_axes(&r, in, mask, out);
        skip_first(&r);
        return execute(&r);
    }
    Temp memory(out->size * r.acc_size);
    if (!memory.ptr) return fail(XPU_OUT_OF_MEMORY, "no memory for a reduction's result");
    int64_t strides[XPU_MAX_NDIM];
    xpu_tensor temp = *out;
    temp.base = memory.ptr;
    temp.offset = 0;
    temp.nbytes = out->size * r.acc_size;
    temp.dtype = r.acc_dtype;
    temp.strides = strides;
    int64_t step = r.acc_size;
    for (int i = out->ndim - 1; i >= 0; i--) {
        strides[i] = step;
        step *= out->shape[i];
    }
    if (r.start == START_KEPT)
        if (xpu_status s = copy_cast(&temp, out)) return s;
    plan_axes(&r, in, mask, &temp);
    skip_first(&r);
    if (xpu_status s = execute(&r)) return s;
    return copy_cast(out, &temp);
}

} // namespace host
