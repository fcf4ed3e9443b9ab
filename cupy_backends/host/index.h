/* What gather.cpp and mask.cpp share: a walk in C order over a range of positions of several operands, row by row. */
#ifndef HOST_INDEX_H
#define HOST_INDEX_H

#include <algorithm>
#include <atomic>

#include "host.h"

namespace host {

constexpr int kMaxIndexed = XPU_MAX_NDIM + 2; /* an index tensor per axis, and the operands they index */

template <int MOST> struct AxesOf { /* of up to MOST operands of one shape; `strides` in bytes, a row per operand */
    int ndim = 0;
    int nop;
    int64_t size = 1;
    int64_t shape[XPU_MAX_NDIM];
    int64_t strides[MOST][XPU_MAX_NDIM];
    explicit AxesOf(int operands) : nop(operands) {}

    /* Appends an axis inside the others; one that continues its neighbour in all operands is merged with it. */
    void append(int64_t length, const int64_t *step) {
        size *= length;
        if (length == 1)
            return;
        bool merge = ndim > 0;
        for (int k = 0; merge && k < nop; ++k)
            merge = strides[k][ndim - 1] == step[k] * length;
        if (!merge)
            shape[ndim++] = 1;
        shape[ndim - 1] *= length;
        for (int k = 0; k < nop; ++k)
            strides[k][ndim - 1] = step[k];
    }
};

using Axes = AxesOf<kMaxIndexed>;

/* Calls f(offsets, n) for each piece of a row in [begin, end): n positions, the operands' byte offsets of the first one.
 * Later ones are apart by the strides of the last axis. */
template <int MOST, class F> void walk_rows(const AxesOf<MOST> &axes, int64_t begin, int64_t end, F &&f) {
    int64_t at[XPU_MAX_NDIM], offset[MOST] = {};
    const int last = axes.ndim - 1, nop = axes.nop;
    if (begin >= end)
        return;
    if (last < 0) {
        f(offset, 1);
        return;
    }
    int64_t rest = begin;
    for (int d = last; d >= 0; --d) {
        at[d] = rest % axes.shape[d];
        rest /= axes.shape[d];
        for (int k = 0; k < nop; ++k)
            offset[k] += at[d] * axes.strides[k][d];
    }
    for (;;) {
        const int64_t n = std::min(axes.shape[last] - at[last], end - begin);
        f(static_cast<const int64_t *>(offset), n);
        begin += n;
        if (begin >= end)
            return;
        for (int k = 0; k < nop; ++k)
            offset[k] -= at[last] * axes.strides[k][last];
        at[last] = 0;
        for (int d = last - 1;; --d) {
            const bool carry = ++at[d] == axes.shape[d];
            for (int k = 0; k < nop; ++k)
                offset[k] += axes.strides[k][d] - (carry ? axes.shape[d] * axes.strides[k][d] : 0);
            if (!carry)
                break;
            at[d] = 0;
        }
    }
}

template <int MOST> int64_t inner_stride(const AxesOf<MOST> &axes, int operand) {
    return axes.ndim ? axes.strides[operand][axes.ndim - 1] : 0;
}

struct Item16 {
    uint64_t word[2];
};
template <class T> T load(const char *p) {
    T v;
    memcpy(&v, p, sizeof v);
    return v;
}
template <class T> void store(char *p, T v) { memcpy(p, &v, sizeof v); }

/* Asks for memory of a stream that will be read soon: where hardware prefetch is weak (virtual machines) it halves the time. */
inline void read_ahead(const void *p) { __builtin_prefetch(static_cast<const char *>(p) + 2048); }

/* a where `first`, else b; without a branch. */
template <class T> inline T choose(bool first, T a, T b) {
    const T mask = static_cast<T>(-static_cast<T>(first));
    return static_cast<T>((a & mask) | (b & static_cast<T>(~mask)));
}
inline Item16 choose(bool first, Item16 a, Item16 b) {
    return {{choose(first, a.word[0], b.word[0]), choose(first, a.word[1], b.word[1])}};
}

/* Calls f(T()) with an unsigned type of that size. */
template <class F> void with_item(int size, F &&f) {
    switch (size) {
    case 1: f(uint8_t()); break;
    case 2: f(uint16_t()); break;
    case 4: f(uint32_t()); break;
    case 8: f(uint64_t()); break;
    default: f(Item16()); break;
    }
}

} // namespace host
#endif
