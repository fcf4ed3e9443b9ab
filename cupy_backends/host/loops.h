/* Tables of loops, and loops of our own in the form of NumPy's. */
#ifndef HOST_LOOPS_H
#define HOST_LOOPS_H

#include "host.h"
#include "xpu_ops.h"

namespace host {

constexpr int kMaxLoops = 20;

/* What a small contiguous call needs; limit 0 where the call must be looked at first (powers of integers) or there is no loop. */
struct QuickLoop {
    LoopFn fn;
    void *data;
    uint64_t limit; /* elements up to which no worker is worth its waking */
};
extern QuickLoop g_quick[XPU_OP_LIMIT][kMaxLoops];

/* At import; false with a Python exception set. */
bool load_loops();
/* Ops that are no ufunc, slow loops, and what NumPy 1.26 lacks or answers differently; taken before NumPy's. */
Loop own_loop(int op, const int8_t *types, bool old_numpy);
/* NumPy's loop, or one of ours around it where it is wrong or slow for some layouts; loops of ops with lower ids are there already. */
Loop guarded_loop(int op, int type, const Loop &numpy);
/* Nanoseconds per element differ by a hundred between ops: does this one compute much? */
bool is_heavy(int op, int dtype);
/* Least number of elements that is worth a piece of its own. */
int64_t elementwise_grain(int op, int dtype);
/* A loop on float32 that answers, rounded, as the op's float16 loop does; without fn if there is none. NumPy's float16 loops are slow,
 * casting blocks are not. */
Loop loop_for_half(int op, const Loop &float32);
Loop wide_loop(int op);
constexpr int64_t kWideElements = 64; /* from here on blocks pay */
bool is_signed_integer(int dtype);
/* Is an exponent, cast to `type`, negative where the mask (or nullptr) is true? NumPy's loop would raise a Python error. */
bool has_negative_exponent(const xpu_tensor *exponent, const xpu_tensor *mask, int type);

} // namespace host
#endif
