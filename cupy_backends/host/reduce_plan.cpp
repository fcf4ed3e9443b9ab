/* The order in which a reduction goes through memory: that of NumPy's iterator, since float sums show it. */
#include "reduce.h"

namespace host {
namespace {

inline int64_t magnitude(int64_t v) { return v < 0 ? -v : v; }

/* Does axis `outer` belong inside `inner`? 1 yes, 0 no, -1: their strides do not tell. C order wins a conflict between operands. */
int belongs_inside(const ReduceAxis &outer, const ReduceAxis &inner) {
    const int64_t pairs[2][2] = {{outer.in, inner.in}, {outer.mask, inner.mask}};
    int swap = -1;
    for (const auto &p : pairs) {
        if (p[0] == 0 || p[1] == 0) continue;
        if (magnitude(p[1]) <= magnitude(p[0])) swap = 0;
        else if (swap == -1) swap = 1;
    }
    return swap;
}

void sort_axes(ReduceAxis *axes, int n) {
    for (int i = 1; i < n; i++) {
        ReduceAxis moved = axes[i];
        int place = i;
        for (int k = i - 1; k >= 0; k--) {
            int swap = belongs_inside(moved, axes[k]);
            if (swap == 0) break;
            if (swap == 1) place = k;
        }
        for (int k = i; k > place; k--) axes[k] = axes[k - 1];
        axes[place] = moved;
    }
}

} // namespace

void plan_axes(Reduction *r, const xpu_tensor *in, const xpu_tensor *mask, const xpu_tensor *out) {
    int n = 0;
    for (int i = in->ndim - 1; i >= 0; i--) {
        if (in->shape[i] == 1) continue;
        bool reduced = out->shape[i] == 1;
        r->axes[n++] = {in->shape[i], in->strides[i], mask ? mask->strides[i] : 0, reduced ? 0 : out->strides[i], reduced};
    }
    sort_axes(r->axes, n);
    int m = 0;
    for (int i = 0; i < n; i++) {
        ReduceAxis *a = m ? &r->axes[m - 1] : nullptr;
        const ReduceAxis &b = r->axes[i];
        if (a && a->reduced == b.reduced && a->in * a->n == b.in && a->mask * a->n == b.mask && a->out * a->n == b.out)
            a->n *= b.n;
        else
            r->axes[m++] = b;
    }
    r->ndim = m;
    r->in = data_of(in);
    r->mask = mask ? data_of(mask) : nullptr;
    r->out = data_of(out);
}

} // namespace host
