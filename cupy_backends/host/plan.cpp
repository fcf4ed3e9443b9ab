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

bool items_aligned(const xpu_tensor *t) {
    const int64_t mask = item_alignment(t->dtype) - 1;
    int64_t bits = reinterpret_cast<intptr_t>(data_of(t));
    for (int d = 0; t->base && d < t->ndim; ++d)
        bits |= t->shape[d] > 1 ? t->strides[d] : 0;
    return !(bits & mask);
}

void with_long_rows(const Plan &plan, void (*f)(void *ctx, const Plan &plan), void *ctx) {
    constexpr int64_t kShort = 16, kBlock = 1024;
    const int last = plan.ndim - 1;
    int longest = last;
    for (int d = 0; d < last; ++d)
        if (plan.shape[d] > plan.shape[longest])
            longest = d;
    if (longest == last || plan.shape[last] >= kShort || plan.shape[longest] < 2 * plan.shape[last] || plan.ndim == XPU_MAX_NDIM)
        return f(ctx, plan);
    const int64_t length = plan.shape[longest], blocks = length / kBlock, rest = length % kBlock;
    Plan cut = plan;
    if (blocks) { /* [..., blocks, ..., short, kBlock] */
        cut.ndim = plan.ndim + 1;
        cut.size = plan.size / length * blocks * kBlock;
        cut.shape[longest] = blocks;
        cut.shape[last + 1] = kBlock;
        for (int k = 0; k < plan.nop; ++k) {
            cut.strides[k][last + 1] = plan.strides[k][longest];
            cut.strides[k][longest] = plan.strides[k][longest] * kBlock;
        }
        f(ctx, cut);
    }
    if (rest) {
        cut = plan;
        cut.size = plan.size / length * rest;
        cut.shape[longest] = rest;
        for (int k = 0; k < plan.nop; ++k)
            cut.data[k] += plan.strides[k][longest] * blocks * kBlock;
        for (int d = longest; d < last; ++d)
            swap_axes(&cut, d, d + 1);
        f(ctx, cut);
    }
}

} // namespace host
