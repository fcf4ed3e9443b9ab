/* Plans: axes of several operands of one shape, merged and put into the order of their strides. */
#include <cstdlib>

#include "walk.h"

namespace host {
namespace {

/* Should axis b, now inside of axis a, be outside of it? Operands that have one of the two strides 0 have no say. */
bool should_swap(const Plan &plan, int a, int b, bool first_decides) {
    bool swap = false;
    for (int k = 0; k < plan.nop; ++k) {
        const int64_t outer = std::abs(plan.strides[k][a]), inner = std::abs(plan.strides[k][b]);
        if (!outer || !inner || (first_decides && outer == inner))
            continue;
        if (first_decides)
            return inner > outer;
        if (inner <= outer)
            return false;
        swap = true;
    }
    return swap;
}

void swap_axes(Plan *plan, int a, int b) {
    std::swap(plan->shape[a], plan->shape[b]);
    for (int k = 0; k < plan->nop; ++k)
        std::swap(plan->strides[k][a], plan->strides[k][b]);
}

void sort_axes(Plan *plan, bool first_decides) {
    for (int i = 1; i < plan->ndim; ++i)
        for (int j = i; j > 0 && should_swap(*plan, j - 1, j, first_decides); --j)
            swap_axes(plan, j - 1, j);
}

/* Axes that all operands walk backwards are walked forwards. */
void flip_axes(Plan *plan) {
    for (int d = 0; d < plan->ndim; ++d) {
        bool negative = false, positive = false;
        for (int k = 0; k < plan->nop; ++k) {
            negative |= plan->strides[k][d] < 0;
            positive |= plan->strides[k][d] > 0;
        }
        if (!negative || positive)
            continue;
        for (int k = 0; k < plan->nop; ++k) {
            plan->data[k] += (plan->shape[d] - 1) * plan->strides[k][d];
            plan->strides[k][d] = -plan->strides[k][d];
        }
    }
}

void merge_axes(Plan *plan) {
    int to = 0;
    for (int d = 1; d < plan->ndim; ++d) {
        bool merge = true;
        for (int k = 0; merge && k < plan->nop; ++k)
            merge = plan->strides[k][to] == plan->strides[k][d] * plan->shape[d];
        if (merge)
            plan->shape[to] *= plan->shape[d];
        else
            plan->shape[++to] = plan->shape[d];
        for (int k = 0; k < plan->nop; ++k)
            plan->strides[k][to] = plan->strides[k][d];
    }
    plan->ndim = plan->ndim ? to + 1 : 0;
}

} // namespace

void make_plan(Plan *plan, int nop, const xpu_tensor *const *operands, int order) {
    const xpu_tensor *shape = operands[0];
    for (int k = 0; k < nop; ++k)
        if (operands[k]->base) {
            shape = operands[k];
            break;
        }
    plan->nop = nop;
    plan->ndim = 0;
    plan->size = shape->base ? shape->size : 1;
    for (int k = 0; k < nop; ++k)
        plan->data[k] = data_of(operands[k]);
    for (int d = 0; shape->base && d < shape->ndim; ++d) {
        if (shape->shape[d] == 1)
            continue;
        plan->shape[plan->ndim] = shape->shape[d];
        for (int k = 0; k < nop; ++k)
            plan->strides[k][plan->ndim] = operands[k]->base ? operands[k]->strides[d] : 0;
        ++plan->ndim;
    }
    if (plan->size == 0)
        return;
    if (order != ORDER_KEEP) {
        flip_axes(plan);
        sort_axes(plan, order == ORDER_FIRST);
    }
    merge_axes(plan);
}

bool is_aligned(const xpu_tensor *t) {
    const int64_t mask = item_alignment(t->dtype) - 1;
    int64_t bits = reinterpret_cast<intptr_t>(data_of(t));
    for (int d = 0; t->base && d < t->ndim; ++d)
        bits |= t->shape[d] > 1 ? t->strides[d] : 0;
    return !(bits & mask);
}

bool is_flat(const xpu_tensor *t) {
    int64_t step = item_size(t->dtype);
    for (int d = t->ndim - 1; d >= 0; --d) {
        if (t->shape[d] != 1 && t->strides[d] != step)
            return false;
        step *= t->shape[d];
    }
    return !(reinterpret_cast<intptr_t>(data_of(t)) & (item_alignment(t->dtype) - 1));
}

namespace {

struct Tiling {
    int x, y;      /* axes: rows run along x in blocks, y is directly outside of them */
    int64_t block;
};

/* Rows along a short last axis are too many calls: blocks of the longest axis serve better. */
bool find_long_rows(const Plan &plan, Tiling *t) {
    const int last = plan.ndim - 1;
    int longest = last;
    for (int d = 0; d < last; ++d)
        if (plan.shape[d] > plan.shape[longest])
            longest = d;
    *t = {longest, last, 1024};
    return longest != last && plan.shape[last] < 16 && plan.shape[longest] >= 2 * plan.shape[last];
}

/* An operand that is dense along another axis, as a transposed one, would load a cache line per element: short blocks use it up. */
bool find_dense_axis(const Plan &plan, Tiling *t) {
    constexpr int64_t kBlock = 128, kLine = 64;
    const int last = plan.ndim - 1;
    if (last < 1 || plan.size < (1 << 14) || plan.shape[last] < 2 * kBlock)
        return false;
    for (int k = 0; k < plan.nop; ++k)
        for (int d = 0; d < last && std::abs(plan.strides[k][last]) >= kLine; ++d)
            if (plan.strides[k][d] && std::abs(plan.strides[k][d]) < kLine && plan.shape[d] >= 8) {
                *t = {last, d, kBlock};
                return true;
            }
    return false;
}

/* Axes of `cut`: the others, blocks of x, y, x within a block. */
void cut_axes(const Plan &plan, const Tiling &t, int64_t blocks, int64_t block, Plan *cut) {
    int to = 0;
    const auto put = [&](int axis, int64_t length, int64_t times) {
        cut->shape[to] = length;
        for (int k = 0; k < plan.nop; ++k)
            cut->strides[k][to] = plan.strides[k][axis] * times;
        ++to;
    };
    cut->nop = plan.nop;
    cut->size = plan.size / plan.shape[t.x] * blocks * block;
    for (int d = 0; d < plan.ndim; ++d)
        if (d != t.x && d != t.y)
            put(d, plan.shape[d], 1);
    if (blocks > 1)
        put(t.x, blocks, block);
    put(t.y, plan.shape[t.y], 1);
    put(t.x, block, 1);
    cut->ndim = to;
}

} // namespace

void with_good_rows(const Plan &plan, void (*f)(void *ctx, const Plan &plan), void *ctx) {
    Tiling t;
    if (plan.ndim == XPU_MAX_NDIM || (!find_long_rows(plan, &t) && !find_dense_axis(plan, &t)))
        return f(ctx, plan);
    const int64_t length = plan.shape[t.x], blocks = length / t.block, rest = length % t.block;
    Plan cut;
    std::copy(plan.data, plan.data + plan.nop, cut.data);
    if (blocks) {
        cut_axes(plan, t, blocks, t.block, &cut);
        f(ctx, cut);
    }
    if (rest) {
        cut_axes(plan, t, 1, rest, &cut);
        for (int k = 0; k < plan.nop; ++k)
            cut.data[k] += plan.strides[k][t.x] * blocks * t.block;
        f(ctx, cut);
    }
}

} // namespace host
