/* Elementwise calls with transposed inputs. Rows of the output would step through such an input a cache line per element; so slabs of it
 * are first transposed, and cast where needed, into temporary memory that stays in the cache. */
#include <atomic>
#include <cstdlib>

#include "casts.h"
#include "job.h"
#include "walk.h"

namespace host {
namespace {

constexpr int64_t kLine = 64, kMaxColumns = 4096, kSlabElements = 1 << 15;

struct Slabs {
    const Plan *plan;
    Job job;               /* for slabs: transposed operands need no cast any more */
    int y;                 /* the axis along which they are dense */
    int64_t rows, columns; /* of a slab, along y and the last axis */
    bool transposed[XPU_MAX_ARGS] = {};
    int types[XPU_MAX_ARGS][2]; /* dtypes of operand and loop */
    size_t bytes = 0;
};

bool is_dense(const Plan &plan, int operand, int axis) {
    const int64_t step = std::abs(plan.strides[operand][axis]), row = std::abs(plan.strides[operand][plan.ndim - 1]);
    return step && step < kLine && row >= kLine;
}

/* Chooses y; false where there is nothing to gain. */
bool prepare(Slabs *s) {
    const Plan &plan = *s->plan;
    const int last = plan.ndim - 1;
    if (last < 1 || plan.size < (1 << 12) || plan.shape[last] < 16)
        return false;
    s->y = -1;
    for (int k = s->job.nout; k < s->job.nargs; ++k)
        for (int d = 0; d < last && s->y < 0; ++d)
            if (plan.shape[d] >= 16 && is_dense(plan, k, d))
                s->y = d;
    if (s->y < 0)
        return false;
    s->columns = std::min(plan.shape[last], kMaxColumns);
    s->rows = std::min(plan.shape[s->y], std::max<int64_t>(kSlabElements / s->columns / 16 * 16, 16));
    for (int k = s->job.nout; k < s->job.nargs; ++k) {
        s->transposed[k] = is_dense(plan, k, s->y);
        if (s->transposed[k]) {
            s->job.operand[k].cast = s->job.operand[k].block = false;
            s->bytes += s->rows * s->columns * s->job.operand[k].size;
        }
    }
    return true;
}

/* The slab of `rows` and `columns` at `data`, with the transposed operands' data in `memory`. */
bool run_slab(const Slabs &s, char *const *data, int64_t rows, int64_t columns, char *memory) {
    const Plan &plan = *s.plan;
    const int last = plan.ndim - 1;
    Plan slab;
    slab.ndim = 2;
    slab.nop = plan.nop;
    slab.size = rows * columns;
    slab.shape[0] = rows;
    slab.shape[1] = columns;
    for (int k = 0; k < plan.nop; ++k) {
        slab.data[k] = data[k];
        slab.strides[k][0] = plan.strides[k][s.y];
        slab.strides[k][1] = plan.strides[k][last];
        if (k >= s.job.nargs || !s.transposed[k])
            continue;
        const int size = s.job.operand[k].size;
        copy_tile(s.types[k][0], s.types[k][1], data[k], plan.strides[k][last], plan.strides[k][s.y], memory, columns, rows);
        slab.data[k] = memory;
        slab.strides[k][0] = columns * size;
        slab.strides[k][1] = size;
        memory += rows * columns * size;
    }
    return run_serial(s.job, slab);
}

} // namespace

bool run_slabs(const Job &job, const Plan &plan, const int (*types)[2], xpu_status *status) {
    Slabs s;
    s.plan = &plan;
    s.job = job;
    memcpy(s.types, types, sizeof s.types);
    if (!prepare(&s))
        return false;
    const int last = plan.ndim - 1;
    const int64_t down = (plan.shape[s.y] + s.rows - 1) / s.rows, across = (plan.shape[last] + s.columns - 1) / s.columns;
    const int64_t others = plan.size / plan.shape[s.y] / plan.shape[last];
    std::atomic<bool> good{true};
    parallel(others * down * across, std::max<int64_t>(job.grain / (s.rows * s.columns), 1), [&](int64_t begin, int64_t end, int) {
        Temp memory(s.bytes);
        if (!memory.ptr)
            good = false;
        for (int64_t unit = begin; memory.ptr && unit < end; ++unit) {
            const int64_t column = unit % across * s.columns, row = unit / across % down * s.rows;
            char *data[kMaxOperands];
            for (int k = 0; k < plan.nop; ++k) {
                data[k] = plan.data[k] + column * plan.strides[k][last] + row * plan.strides[k][s.y];
                for (int64_t d = last - 1, rest = unit / across / down; d >= 0; --d) {
                    if (d == s.y)
                        continue;
                    data[k] += rest % plan.shape[d] * plan.strides[k][d];
                    rest /= plan.shape[d];
                }
            }
            const int64_t rows = std::min(s.rows, plan.shape[s.y] - row), columns = std::min(s.columns, plan.shape[last] - column);
            if (!run_slab(s, data, rows, columns, memory.as<char>()))
                good = false;
        }
    });
    *status = good ? XPU_OK : fail(XPU_OUT_OF_MEMORY, "no memory for transposed operands");
    return true;
}

} // namespace host
