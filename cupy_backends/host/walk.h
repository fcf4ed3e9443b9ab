/* A walk over the elements of a plan, row by row. */
#ifndef HOST_WALK_H
#define HOST_WALK_H

#include <algorithm>

#include "host.h"

namespace host {

/* Calls f(pointers, n) for each piece of a row in the flat range [begin, end): n elements, apart by the strides of the last axis.
 * f may change its pointers. */
template <class F> inline void walk(const Plan &plan, int64_t begin, int64_t end, F &&f) {
    const int last = plan.ndim - 1, nop = plan.nop;
    char *row[kMaxOperands], *at[kMaxOperands];
    if (begin >= end)
        return;
    std::copy(plan.data, plan.data + nop, row);
    if (last < 0) {
        f(row, int64_t(1));
        return;
    }
    int64_t index[XPU_MAX_NDIM], rest = begin;
    for (int d = last; d >= 0; --d) {
        index[d] = rest % plan.shape[d];
        rest /= plan.shape[d];
        for (int k = 0; k < nop && d < last; ++k)
            row[k] += index[d] * plan.strides[k][d];
    }
    for (;;) {
        const int64_t first = index[last], n = std::min(plan.shape[last] - first, end - begin);
        for (int k = 0; k < nop; ++k)
            at[k] = row[k] + first * plan.strides[k][last];
        f(at, n);
        begin += n;
        if (begin >= end)
            return;
        index[last] = 0;
        for (int d = last - 1;; --d) {
            if (++index[d] < plan.shape[d]) {
                for (int k = 0; k < nop; ++k)
                    row[k] += plan.strides[k][d];
                break;
            }
            index[d] = 0;
            for (int k = 0; k < nop; ++k)
                row[k] -= (plan.shape[d] - 1) * plan.strides[k][d];
        }
    }
}

inline int64_t inner_step(const Plan &plan, int operand) { return plan.ndim ? plan.strides[operand][plan.ndim - 1] : 0; }

/* The first place from `i` on where the mask is `value`, n if there is none; whole words at once where the mask is contiguous. */
inline int64_t find_in_mask(const char *mask, int64_t stride, int64_t i, int64_t n, bool value) {
    const uint64_t skipped = value ? 0 : 0x0101010101010101u;
    for (;;) {
        uint64_t word;
        if (stride == 1)
            while (i + 8 <= n && (memcpy(&word, mask + i, 8), word == skipped))
                i += 8;
        for (const int64_t end = std::min(n, i + 8); i < end; ++i)
            if ((mask[i * stride] != 0) == value)
                return i;
        if (i >= n)
            return n;
    }
}

/* Calls f(begin, n) for each run of true. */
template <class F> void for_runs(const char *mask, int64_t stride, int64_t n, F &&f) {
    for (int64_t i = 0; i < n;) {
        const int64_t begin = find_in_mask(mask, stride, i, n, true);
        if (begin == n)
            return;
        i = find_in_mask(mask, stride, begin, n, false);
        f(begin, i - begin);
    }
}

/* Cuts and orders axes so that rows are neither short nor far apart in an operand's memory.
 * Calls f(plan) for one plan or, where a remainder is left, two. */
void with_good_rows(const Plan &plan, void (*f)(void *ctx, const Plan &plan), void *ctx);

} // namespace host
#endif
