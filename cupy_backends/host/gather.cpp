/* gather and scatter: items or slices at the places that index tensors name.
 *
 * One operand is indexed (gather's source, scatter's destination), the other is plain (of shape B + the unindexed axes). Positions
 * of B are taken in blocks: their byte offsets in the indexed operand are computed first, then items or slices move. */
#include "index.h"

namespace host {
namespace {

constexpr int kBlock = 4096;     /* positions whose offsets are kept */
constexpr int kMove = 512;       /* items moved at a time */
constexpr int kTile = 16;        /* slices taken together when the plain operand's positions lie far apart: they share cache lines */

struct Job {
    Axes positions;               /* B: the plain operand, then the index tensors */
    AxesOf<2> slices{2};          /* unindexed axes: plain, indexed */
    int nindex;
    int mode;
    bool scatter;
    const char *index[XPU_MAX_NDIM];
    int64_t length[XPU_MAX_NDIM]; /* of the indexed axes */
    int64_t step[XPU_MAX_NDIM];
    char *plain, *indexed;
    int item;                     /* bytes, of the indexed operand */
    CastFn cast;                  /* plain from indexed or back; nullptr when the dtypes are equal */
    Job(int n, bool scatter) : positions(n + 1), nindex(n), scatter(scatter) {}
};

/* --- indices --- */

/* Sets (first index) or adds the offsets of n indices; false if one is out of bounds. */
template <int MODE>
bool add_offsets(const char *index, int64_t stride, int64_t n, int64_t length, int64_t step, bool first, int64_t *offset) {
    bool bad = false;
    for (int64_t i = 0; i < n; ++i) {
        int64_t v = load<int64_t>(index + i * stride);
        if (MODE == XPU_MODE_RAISE) {
            v += v < 0 ? length : 0;
            bad |= static_cast<uint64_t>(v) >= static_cast<uint64_t>(length);
        } else if (MODE == XPU_MODE_CLIP) {
            v = v < 0 ? 0 : (v >= length ? length - 1 : v);
        } else if (static_cast<uint64_t>(v) >= static_cast<uint64_t>(length)) {
            v %= length;
            v += v < 0 ? length : 0;
        }
        offset[i] = first ? v * step : offset[i] + v * step;
    }
    return !bad;
}

bool block_offsets(const Job &job, const int64_t *start, int64_t skip, int64_t n, int64_t *offset) {
    const auto add = job.mode == XPU_MODE_RAISE ? add_offsets<XPU_MODE_RAISE>
                   : job.mode == XPU_MODE_CLIP ? add_offsets<XPU_MODE_CLIP> : add_offsets<XPU_MODE_WRAP>;
    bool good = true;
    for (int k = 0; k < job.nindex; ++k) {
        const int64_t stride = inner_stride(job.positions, k + 1);
        good &= add(job.index[k] + start[k + 1] + skip * stride, stride, n, job.length[k], job.step[k], k == 0, offset);
    }
    return good;
}

/* -length <= v < length for all, in one comparison each. */
bool all_inside(const char *index, int64_t stride, int64_t n, int64_t length) {
    const uint64_t shift = static_cast<uint64_t>(length);
    bool over = false;
    for (int64_t i = 0; i < n; ++i) {
        read_ahead(index + i * stride);
        over |= static_cast<uint64_t>(load<int64_t>(index + i * stride)) + shift >= 2 * shift;
    }
    return !over;
}

/* Finds the first index out of bounds, in C order, of the first index tensor that has one. */
xpu_status check_indices(xpu_call *call, const xpu_tensor *indexed) {
    for (int k = 1; k < call->nin; ++k) {
        const xpu_tensor *t = call->in[k];
        const int64_t axis = call->params->axes[k - 1], length = indexed->shape[axis];
        AxesOf<1> axes(1);
        for (int d = 0; d < t->ndim; ++d)
            if (t->strides[d] != 0 || t->shape[d] == 0)
                axes.append(t->shape[d], &t->strides[d]);
        const char *data = data_of(t);
        const int64_t stride = inner_stride(axes, 0);
        std::atomic<int> bad{0};
        parallel(axes.size, kParallelElements, [&](int64_t begin, int64_t end, int) {
            bool good = true;
            walk_rows(axes, begin, end, [&](const int64_t *offset, int64_t n) { good &= all_inside(data + *offset, stride, n, length); });
            if (!good)
                bad.store(1, std::memory_order_relaxed);
        });
        if (!bad.load(std::memory_order_relaxed))
            continue;
        bool found = false;
        walk_rows(axes, 0, axes.size, [&](const int64_t *offset, int64_t n) {
            for (int64_t i = 0; !found && i < n; ++i) {
                const int64_t v = load<int64_t>(data + *offset + i * stride);
                if (v < -length || v >= length) {
                    found = true;
                    call->result[0] = v;
                    call->result[1] = axis;
                    call->result[2] = length;
                }
            }
        });
        return fail(XPU_INDEX_ERROR, "index out of bounds");
    }
    return XPU_OK;
}

/* --- moving --- */

/* n items at base + offset[i] from or to a strided operand. */
template <class T> void move_items(bool scatter, char *base, const int64_t *offset, char *plain, int64_t stride, int64_t n) {
    if (scatter && stride == 0) {
        const T v = load<T>(plain);
        for (int64_t i = 0; i < n; ++i)
            store(base + offset[i], v);
    } else if (scatter) {
        for (int64_t i = 0; i < n; ++i)
            store(base + offset[i], load<T>(plain + i * stride));
    } else if (stride == sizeof(T)) {
        for (int64_t i = 0; i < n; ++i)
            store(plain + i * sizeof(T), load<T>(base + offset[i]));
    } else {
        for (int64_t i = 0; i < n; ++i)
            store(plain + i * stride, load<T>(base + offset[i]));
    }
}

/* At most kMove items. */
void move_block(const Job &job, char *base, const int64_t *offset, char *plain, int64_t stride, int64_t n) {
    alignas(16) char buffer[kMove * sizeof(Item16)];
    char *from = plain;
    int64_t from_stride = stride;
    if (job.cast) {
        from = buffer;
        from_stride = job.item;
        if (job.scatter)
            job.cast(plain, stride, buffer, job.item, n);
    }
    with_item(job.item, [&](auto v) { move_items<decltype(v)>(job.scatter, base, offset, from, from_stride, n); });
    if (job.cast && !job.scatter)
        job.cast(buffer, job.item, plain, stride, n);
}

inline void copy_bytes(char *to, const char *from, int64_t n) { /* short slices without a call */
    if (n > 64 || n < 8) {
        memcpy(to, from, n);
        return;
    }
    for (int64_t i = 0; i + 8 < n; i += 8)
        store(to + i, load<uint64_t>(from + i));
    store(to + n - 8, load<uint64_t>(from + n - 8));
}

template <class T> void copy_strided(char *to, int64_t to_stride, const char *from, int64_t from_stride, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
        store(to + i * to_stride, load<T>(from + i * from_stride));
}

/* One row of a slice. */
void move_row(const Job &job, char *indexed, int64_t indexed_stride, char *plain, int64_t plain_stride, int64_t n) {
    char *to = job.scatter ? indexed : plain, *from = job.scatter ? plain : indexed;
    const int64_t to_stride = job.scatter ? indexed_stride : plain_stride, from_stride = job.scatter ? plain_stride : indexed_stride;
    if (job.cast)
        job.cast(from, from_stride, to, to_stride, n);
    else if (to_stride == job.item && from_stride == job.item)
        copy_bytes(to, from, n * job.item);
    else
        with_item(job.item, [&](auto v) { copy_strided<decltype(v)>(to, to_stride, from, from_stride, n); });
}

/* One item of each slice after the other. */
void move_items_of_slices(const Job &job, const AxesOf<2> &slices, char *plain, int64_t stride, char *indexed, const int64_t *offset,
                          int64_t n) {
    const int64_t plain_stride = inner_stride(slices, 0), indexed_stride = inner_stride(slices, 1);
    const bool far = stride > 64 || stride < -64;
    const int64_t part = far ? 64 : kMove, tile = far ? kTile : 1;
    walk_rows(slices, 0, slices.size, [&](const int64_t *at, int64_t length) {
        for (int64_t t = 0; t < length; t += tile)
            for (int64_t p = 0; p < n; p += part)
                for (int64_t i = t; i < std::min(length, t + tile); ++i)
                    move_block(job, indexed + at[1] + i * indexed_stride, offset + p, plain + at[0] + i * plain_stride + p * stride, stride,
                               std::min(part, n - p));
    });
}

/* Slices whose rows are moved whole: contiguous ones, or few long ones. */
bool by_rows(const Job &job) {
    if (job.slices.ndim == 0)
        return false;
    const int64_t row = job.slices.shape[job.slices.ndim - 1];
    const bool contiguous = inner_stride(job.slices, 0) == job.item && inner_stride(job.slices, 1) == job.item && !job.cast;
    return (contiguous && row * job.item >= 8) || job.positions.size < 16;
}

/* The positions [begin, end) with the given part of the slices. False if an index is out of bounds. */
bool move_positions(const Job &job, const AxesOf<2> &slices, char *plain, char *indexed, int64_t begin, int64_t end) {
    const int64_t stride = inner_stride(job.positions, 0);
    const int64_t plain_stride = inner_stride(slices, 0), indexed_stride = inner_stride(slices, 1);
    const bool rows = by_rows(job);
    int64_t offset[kBlock];
    bool good = true;
    walk_rows(job.positions, begin, end, [&](const int64_t *start, int64_t n) {
        for (int64_t skip = 0; good && skip < n; skip += kBlock) {
            const int64_t m = std::min<int64_t>(kBlock, n - skip);
            char *to = plain + start[0] + skip * stride;
            good = block_offsets(job, start, skip, m, offset);
            if (!good)
                return;
            if (!rows)
                move_items_of_slices(job, slices, to, stride, indexed, offset, m);
            else if (slices.ndim == 1)
                for (int64_t i = 0; i < m; ++i)
                    move_row(job, indexed + offset[i], indexed_stride, to + i * stride, plain_stride, slices.size);
            else
                for (int64_t i = 0; i < m; ++i)
                    walk_rows(slices, 0, slices.size, [&](const int64_t *at, int64_t length) {
                        move_row(job, indexed + offset[i] + at[1], indexed_stride, to + i * stride + at[0], plain_stride, length);
                    });
        }
    });
    return good;
}

/* The indices as places, negative ones counted from the end; false if one is out of bounds. `place` is read, not `index` again:
 * another thread may change that. */
WIDE bool find_places(const int64_t *__restrict index, int64_t n, int64_t length, int64_t *__restrict place) {
    uint64_t bad = 0;
    for (int64_t i = 0; i < n; ++i) {
        const int64_t v = index[i] + ((index[i] >> 63) & length);
        bad |= static_cast<uint64_t>(v) >= static_cast<uint64_t>(length);
        place[i] = v;
    }
    return !bad;
}

/* Single items by one contiguous index. */
template <class T> bool gather_direct(const Job &job, int64_t begin, int64_t end) {
    const int64_t *index = reinterpret_cast<const int64_t *>(job.index[0]);
    const char *source = job.indexed;
    const int64_t step = job.step[0];
    int64_t place[kMove];
    for (int64_t n; begin < end; begin += n) {
        n = std::min<int64_t>(kMove, end - begin);
        for (int64_t i = 0; i < n; i += 8)
            read_ahead(index + begin + i);
        if (!find_places(index + begin, n, job.length[0], place))
            return false;
        T *out = reinterpret_cast<T *>(job.plain) + begin;
        if (step == sizeof(T))
            for (int64_t i = 0; i < n; ++i)
                store(reinterpret_cast<char *>(out + i), load<T>(source + place[i] * static_cast<int64_t>(sizeof(T))));
        else
            for (int64_t i = 0; i < n; ++i)
                store(reinterpret_cast<char *>(out + i), load<T>(source + place[i] * step));
    }
    return true;
}

/* The same for scatter, after the check. Only places in [low, high) of the axis are written: with the axis cut up between threads
 * the order of writes to a place is kept. The other stores go to a dummy, without a branch. */
template <class T> void scatter_direct(const Job &job, int64_t low, int64_t high) {
    const int64_t *index = reinterpret_cast<const int64_t *>(job.index[0]);
    const int64_t length = job.length[0], step = job.step[0], n = job.positions.size, stride = inner_stride(job.positions, 0);
    const bool whole = low == 0 && high == length;
    char *base = job.indexed;
    const char *values = job.plain;
    T dummy;
    for (int64_t i = 0; i < n; ++i) {
        read_ahead(index + i);
        int64_t v = index[i];
        v += v < 0 ? length : 0;
        v = static_cast<uint64_t>(v) < static_cast<uint64_t>(length) ? v : 0; /* changed by another thread since the check */
        char *to = base + v * step;
        if (!whole) {
            const bool own = v >= low && v < high;
            to = reinterpret_cast<char *>(choose(own, reinterpret_cast<uintptr_t>(to), reinterpret_cast<uintptr_t>(&dummy)));
        }
        store(to, load<T>(values + i * stride));
    }
}

/* One value to all places: the order does not matter. Threads may write a place at once, so the stores are atomic. */
template <class T> void scatter_value(const Job &job, int64_t begin, int64_t end) {
    const int64_t *index = reinterpret_cast<const int64_t *>(job.index[0]);
    const int64_t length = job.length[0], step = job.step[0];
    char *base = job.indexed;
    const T value = load<T>(job.plain);
    for (int64_t i = begin; i < end; ++i) {
        read_ahead(index + i);
        int64_t v = index[i];
        v += v < 0 ? length : 0;
        v = static_cast<uint64_t>(v) < static_cast<uint64_t>(length) ? v : 0;
        __atomic_store_n(reinterpret_cast<T *>(base + v * step), value, __ATOMIC_RELAXED);
    }
}
template <> void scatter_value<Item16>(const Job &, int64_t, int64_t) {}

bool is_direct(const Job &job) {
    return job.nindex == 1 && !job.cast && job.slices.ndim == 0 && job.mode == XPU_MODE_RAISE && job.positions.ndim == 1 &&
           inner_stride(job.positions, 1) == 8 && reinterpret_cast<uintptr_t>(job.index[0]) % 8 == 0 &&
           (job.scatter || inner_stride(job.positions, 0) == job.item);
}

/* Whether writes are likely to miss the cache: a sample of the indices lies far apart. */
bool is_spread(const Job &job) {
    constexpr int64_t kSamples = 64, kCache = 2 << 20;
    const int64_t n = job.positions.size, length = job.length[0];
    int64_t low = length, high = 0;
    for (int64_t k = 0; k < kSamples; ++k) {
        int64_t v = load<int64_t>(job.index[0] + n / kSamples * k * 8);
        v += v < 0 ? length : 0;
        low = std::min(low, v);
        high = std::max(high, v);
    }
    return (high - low) * job.item > kCache;
}

/* Every thread reads all indices, which pays when the writes miss the cache. */
void scatter_all(const Job &job) {
    const int64_t length = job.length[0];
    const bool aligned = (reinterpret_cast<uintptr_t>(job.indexed) | static_cast<uintptr_t>(job.step[0])) % job.item == 0;
    if (inner_stride(job.positions, 0) == 0 && aligned && job.item <= 8) {
        parallel(job.positions.size, kParallelElements, [&](int64_t b, int64_t e, int) {
            with_item(job.item, [&](auto v) { scatter_value<decltype(v)>(job, b, e); });
        });
        return;
    }
    const bool cut = job.positions.size >= (1 << 19) && is_spread(job);
    const int64_t parts = cut ? std::min(4, usable_threads()) : 1;
    parallel(parts, 1, [&](int64_t b, int64_t e, int) {
        for (int64_t k = b; k < e; ++k)
            with_item(job.item, [&](auto v) { scatter_direct<decltype(v)>(job, length * k / parts, length * (k + 1) / parts); });
    });
}

bool move_all(const Job &job) {
    const int64_t npos = job.positions.size, nslice = job.slices.size;
    std::atomic<int> bad{0};
    int split = 0; /* the longest axis of the slices */
    for (int d = 1; d < job.slices.ndim; ++d)
        if (job.slices.shape[d] > job.slices.shape[split])
            split = d;
    if (is_direct(job) && job.scatter) {
        scatter_all(job);
    } else if (is_direct(job)) {
        parallel(npos, kParallelElements, [&](int64_t b, int64_t e, int) {
            with_item(job.item, [&](auto v) {
                if (!gather_direct<decltype(v)>(job, b, e))
                    bad.store(1, std::memory_order_relaxed);
            });
        });
    } else if (!job.scatter && (job.slices.ndim == 0 || (npos >= 64 && by_rows(job)) || job.slices.shape[split] < 16)) {
        parallel(npos, std::max<int64_t>(1, kParallelElements / nslice), [&](int64_t b, int64_t e, int) {
            if (!move_positions(job, job.slices, job.plain, job.indexed, b, e))
                bad.store(1, std::memory_order_relaxed);
        });
    } else if (job.slices.ndim) { /* each thread takes a part of all slices: scatter keeps the order of positions */
        const int64_t length = job.slices.shape[split], others = std::max<int64_t>(1, npos * (nslice / length));
        parallel(length, std::max<int64_t>(1, kParallelElements / others), [&](int64_t b, int64_t e, int) {
            AxesOf<2> part = job.slices;
            part.shape[split] = e - b;
            part.size = nslice / length * (e - b);
            if (!move_positions(job, part, job.plain + b * part.strides[0][split], job.indexed + b * part.strides[1][split], 0, npos))
                bad.store(1, std::memory_order_relaxed);
        });
    } else {
        return move_positions(job, job.slices, job.plain, job.indexed, 0, npos);
    }
    return !bad.load(std::memory_order_relaxed);
}

xpu_status run_indexed(xpu_call *call, bool scatter) {
    const xpu_tensor *indexed = scatter ? call->out[0] : call->in[0], *plain = scatter ? call->in[0] : call->out[0];
    const int nindex = call->nin - 1, nb = nindex > 0 ? call->in[1]->ndim : 0;
    if (nindex < 1 || nindex > indexed->ndim || !call->params || call->params->naxes != nindex ||
        plain->ndim != nb + indexed->ndim - nindex)
        return fail(XPU_INVALID_ARGUMENT, "gather, scatter: operands and axes do not fit");
    Job job(nindex, scatter);
    bool is_indexed[XPU_MAX_NDIM] = {};
    int64_t step[kMaxIndexed];
    bool empty = false;
    for (int k = 0; k < nindex; ++k) {
        const int64_t axis = call->params->axes[k];
        is_indexed[axis] = true;
        job.index[k] = data_of(call->in[k + 1]);
        job.length[k] = indexed->shape[axis];
        job.step[k] = indexed->strides[axis];
        empty |= job.length[k] == 0;
    }
    for (int d = 0; d < nb; ++d) {
        step[0] = plain->strides[d];
        for (int k = 0; k < nindex; ++k)
            step[k + 1] = call->in[k + 1]->strides[d];
        job.positions.append(call->in[1]->shape[d], step);
    }
    for (int d = 0, p = nb; d < indexed->ndim; ++d)
        if (!is_indexed[d]) {
            step[0] = plain->strides[p++];
            step[1] = indexed->strides[d];
            job.slices.append(indexed->shape[d], step);
        }
    job.mode = static_cast<int>(call->params->i[0]);
    job.plain = data_of(plain);
    job.indexed = data_of(indexed);
    job.item = item_size(indexed->dtype);
    job.cast = plain->dtype == indexed->dtype ? nullptr
             : scatter ? cast_fn(plain->dtype, indexed->dtype) : cast_fn(indexed->dtype, plain->dtype);
    if (job.positions.size == 0)
        return XPU_OK;
    const bool nothing = job.slices.size == 0;
    if (job.mode == XPU_MODE_RAISE && (scatter || empty || nothing)) {
        const xpu_status status = check_indices(call, indexed);
        if (status != XPU_OK)
            return status;
    }
    if (nothing)
        return XPU_OK;
    if (empty)
        return fail(XPU_INVALID_ARGUMENT, "cannot index an empty axis");
    return move_all(job) ? XPU_OK : check_indices(call, indexed);
}

} // namespace

xpu_status run_gather(xpu_call *call) { return run_indexed(call, false); }
xpu_status run_scatter(xpu_call *call) { return run_indexed(call, true); }

} // namespace host
