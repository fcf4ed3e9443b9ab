/* mask_get, mask_set, nonzero: positions chosen by a mask, in C order.
 *
 * Large operands are cut into pieces: the true elements of each are counted in parallel, the running sum tells where a piece
 * writes, then the pieces are done in parallel. Inner loops have no branch on the mask: they store always and advance by 0 or 1;
 * a store may only go where a later element of the same piece will, so the last few elements take a plain loop. */
#include "index.h"

namespace host {
namespace {

constexpr int64_t kPiece = 1 << 15;
constexpr int64_t kGroup = 8;

struct Pieces { /* the running count before each piece; its end is the whole count */
    int64_t n, size;
    int64_t *before; /* nullptr when out of memory */
    Temp memory;
    explicit Pieces(int64_t size) : n((size + kPiece - 1) / kPiece), size(size), memory((n + 1) * sizeof(int64_t)) {
        before = memory.as<int64_t>();
    }
    /* count(begin, end) of each piece */
    template <class F> void count(F &&f) {
        parallel(n, 1, [&](int64_t b, int64_t e, int) {
            for (int64_t i = b; i < e; ++i)
                before[i + 1] = f(i * kPiece, std::min(size, (i + 1) * kPiece));
        });
        before[0] = 0;
        for (int64_t i = 0; i < n; ++i)
            before[i + 1] += before[i];
    }
    int64_t total() const { return before[n]; }
    /* f(begin, end, first, last): the piece and its places among the true elements */
    template <class F> void run(F &&f) {
        parallel(n, 1, [&](int64_t b, int64_t e, int) {
            for (int64_t i = b; i < e; ++i)
                if (before[i + 1] != before[i])
                    f(i * kPiece, std::min(size, (i + 1) * kPiece), before[i], before[i + 1]);
        });
    }
};

int64_t count_row(const char *mask, int64_t stride, int64_t n) {
    int64_t total = 0;
    if (stride != 1) {
        for (int64_t i = 0; i < n; ++i)
            total += mask[i * stride] != 0;
        return total;
    }
    while (n > 0) { /* byte sums of up to 255 rounds of 32 lanes: the compiler makes vectors of it */
        const int64_t part = std::min<int64_t>(n, 255 * 32), whole = part & ~int64_t(31);
        uint8_t lanes[32] = {};
        for (int64_t i = 0; i < whole; i += 32)
            for (int k = 0; k < 32; ++k)
                lanes[k] += mask[i + k] != 0;
        for (int k = 0; k < 32; ++k)
            total += lanes[k];
        for (int64_t i = whole; i < part; ++i)
            total += mask[i] != 0;
        mask += part;
        n -= part;
    }
    return total;
}

int64_t count_range(const AxesOf<2> &axes, const char *mask, int operand, int64_t begin, int64_t end) {
    int64_t total = 0;
    const int64_t stride = inner_stride(axes, operand);
    walk_rows(axes, begin, end, [&](const int64_t *at, int64_t n) { total += count_row(mask + at[operand], stride, n); });
    return total;
}

/* Groups of eight mask bytes, strided or not. */
inline uint64_t group_word(const char *mask, int64_t stride) {
    if (stride == 1)
        return load<uint64_t>(mask);
    uint64_t word = 0;
    for (int k = 0; k < kGroup; ++k)
        word |= static_cast<uint64_t>(mask[k * stride] != 0) << (8 * k);
    return word;
}

/* Appends the items of a row at true places to out[j...]; returns the new j. `last`: no store goes there or beyond. */
template <class T>
int64_t compress_row(const char *from, int64_t from_stride, const char *mask, int64_t mask_stride, int64_t n, char *out, int64_t out_stride,
                     int64_t j, int64_t last) {
    int64_t i = 0;
    for (; i + kGroup <= n && j + kGroup <= last; i += kGroup) {
        read_ahead(from + i * from_stride);
        if (group_word(mask + i * mask_stride, mask_stride) == 0)
            continue;
        for (int k = 0; k < kGroup; ++k) {
            store(out + j * out_stride, load<T>(from + (i + k) * from_stride));
            j += mask[(i + k) * mask_stride] != 0;
        }
    }
    for (; i < n && j < last; ++i)
        if (mask[i * mask_stride])
            store(out + j++ * out_stride, load<T>(from + i * from_stride));
    return j;
}

template <class T>
int64_t compress_range(const AxesOf<2> &axes, const char *from, const char *mask, int64_t begin, int64_t end, char *out, int64_t out_stride,
                       int64_t j, int64_t last) {
    const int64_t from_stride = inner_stride(axes, 0), mask_stride = inner_stride(axes, 1);
    walk_rows(axes, begin, end, [&](const int64_t *at, int64_t n) {
        const char *f = from + at[0], *m = mask + at[1];
        if (from_stride == sizeof(T) && mask_stride == 1 && out_stride == sizeof(T))
            j = compress_row<T>(f, sizeof(T), m, 1, n, out, sizeof(T), j, last);
        else
            j = compress_row<T>(f, from_stride, m, mask_stride, n, out, out_stride, j, last);
    });
    return j;
}

/* The next values go to the true places of a row; returns the new j. */
template <class T>
int64_t expand_row(char *to, int64_t to_stride, const char *mask, int64_t mask_stride, int64_t n, const char *values, int64_t value_stride,
                   int64_t j, int64_t last) {
    int64_t i = 0;
    if (to_stride != 0) /* else all places are one: the last value stays */
        for (; i + kGroup <= n && j + kGroup <= last; i += kGroup) {
            read_ahead(to + i * to_stride);
            if (group_word(mask + i * mask_stride, mask_stride) == 0)
                continue;
            for (int k = 0; k < kGroup; ++k) {
                const bool chosen = mask[(i + k) * mask_stride] != 0;
                char *p = to + (i + k) * to_stride;
                store(p, choose(chosen, load<T>(values + j * value_stride), load<T>(p)));
                j += chosen;
            }
        }
    for (; i < n && j < last; ++i)
        if (mask[i * mask_stride])
            store(to + i * to_stride, load<T>(values + j++ * value_stride));
    return j;
}

template <class T> void fill_row(char *to, int64_t to_stride, const char *mask, int64_t mask_stride, int64_t n, T value) {
    int64_t i = 0;
    for (; i + kGroup <= n; i += kGroup) {
        read_ahead(to + i * to_stride);
        if (group_word(mask + i * mask_stride, mask_stride) == 0)
            continue;
        for (int k = 0; k < kGroup; ++k) {
            char *p = to + (i + k) * to_stride;
            store(p, choose(mask[(i + k) * mask_stride] != 0, value, load<T>(p)));
        }
    }
    for (; i < n; ++i)
        if (mask[i * mask_stride])
            store(to + i * to_stride, value);
}

template <class T>
void fill_range(const AxesOf<2> &axes, char *to, const char *mask, int64_t begin, int64_t end, T value) {
    const int64_t to_stride = inner_stride(axes, 0), mask_stride = inner_stride(axes, 1);
    walk_rows(axes, begin, end, [&](const int64_t *at, int64_t n) {
        if (to_stride == sizeof(T) && mask_stride == 1)
            fill_row<T>(to + at[0], sizeof(T), mask + at[1], 1, n, value);
        else
            fill_row<T>(to + at[0], to_stride, mask + at[1], mask_stride, n, value);
    });
}

AxesOf<2> axes_of(const xpu_tensor *a, const xpu_tensor *mask) {
    AxesOf<2> axes(2);
    for (int d = 0; d < a->ndim; ++d) {
        const int64_t step[2] = {a->strides[d], mask->strides[d]};
        axes.append(a->shape[d], step);
    }
    return axes;
}

bool same_shape(const xpu_tensor *a, const xpu_tensor *b) {
    return a->ndim == b->ndim && (a->ndim == 0 || memcmp(a->shape, b->shape, a->ndim * sizeof(int64_t)) == 0);
}

/* --- nonzero --- */

/* Truth of n items as bytes; bools are given back as they are. */
const char *truth(CastFn cast, const char *from, int64_t stride, int64_t n, char *buffer, int64_t *mask_stride) {
    if (!cast) {
        *mask_stride = stride;
        return from;
    }
    cast(from, stride, buffer, 1, n);
    *mask_stride = 1;
    return buffer;
}

constexpr int64_t kTruth = 2048;

struct Nonzero {
    AxesOf<1> axes{1};           /* not merged: coordinates are needed */
    const char *data;
    CastFn cast;
    int nout;
    int64_t *out[XPU_MAX_NDIM];

    int64_t count(int64_t begin, int64_t end) const {
        char buffer[kTruth];
        int64_t total = 0, mask_stride;
        const int64_t stride = inner_stride(axes, 0);
        walk_rows(axes, begin, end, [&](const int64_t *at, int64_t n) {
            for (int64_t i = 0; i < n; i += kTruth) {
                const int64_t m = std::min(kTruth, n - i);
                const char *mask = truth(cast, data + *at + i * stride, stride, m, buffer, &mask_stride);
                total += count_row(mask, mask_stride, m);
            }
        });
        return total;
    }

    /* Writes the coordinates of true places of [begin, end) to out[.][j, last). */
    int64_t write(int64_t begin, int64_t end, int64_t j, int64_t last) const {
        char buffer[kTruth];
        const int inner = axes.ndim - 1;
        if (inner < 0)
            return j;
        const int64_t stride = inner_stride(axes, 0), row = axes.shape[inner];
        int64_t position = begin, mask_stride;
        walk_rows(axes, begin, end, [&](const int64_t *at, int64_t n) {
            const int64_t before = j, column = position % row;
            for (int64_t i = 0; i < n; i += kTruth) {
                const int64_t m = std::min(kTruth, n - i);
                const char *mask = truth(cast, data + *at + i * stride, stride, m, buffer, &mask_stride);
                j = mask_stride == 1 ? places(mask, 1, m, column + i, out[inner], j, last)
                                     : places(mask, mask_stride, m, column + i, out[inner], j, last);
            }
            int64_t rest = position / row;
            for (int d = inner - 1; d >= 0; --d) {
                std::fill(out[d] + before, out[d] + j, rest % axes.shape[d]);
                rest /= axes.shape[d];
            }
            position += n;
        });
        return j;
    }

    static inline __attribute__((always_inline)) int64_t places(const char *mask, int64_t stride, int64_t n, int64_t first, int64_t *to,
                                                                int64_t j, int64_t last) {
        int64_t i = 0;
        for (; i + kGroup <= n && j + kGroup <= last; i += kGroup) {
            if (group_word(mask + i * stride, stride) == 0)
                continue;
            for (int k = 0; k < kGroup; ++k) {
                to[j] = first + i + k;
                j += mask[(i + k) * stride] != 0;
            }
        }
        for (; i < n && j < last; ++i)
            if (mask[i * stride])
                to[j++] = first + i;
        return j;
    }
};

} // namespace

xpu_status run_mask_get(xpu_call *call) {
    const xpu_tensor *source = call->in[0], *mask = call->in[1], *out = call->out[0];
    if (!same_shape(source, mask) || mask->dtype != XPU_BOOL || out->ndim != 1 || source->dtype != out->dtype)
        return fail(XPU_INVALID_ARGUMENT, "mask_get: operands do not fit");
    const AxesOf<2> axes = axes_of(source, mask);
    const char *from = data_of(source), *where = data_of(mask);
    const int64_t out_stride = out->strides[0], room = out->size;
    call->result[0] = 0;
    if (axes.size <= kParallelElements && room >= axes.size) { /* room for all: no need to count first */
        with_item(item_size(source->dtype), [&](auto v) {
            call->result[0] = compress_range<decltype(v)>(axes, from, where, 0, axes.size, data_of(out), out_stride, 0, room);
        });
        return XPU_OK;
    }
    Pieces pieces(axes.size);
    if (!pieces.before)
        return fail(XPU_OUT_OF_MEMORY, "mask_get: no memory");
    pieces.count([&](int64_t b, int64_t e) { return count_range(axes, where, 1, b, e); });
    call->result[0] = pieces.total();
    if (pieces.total() > room)
        return fail(XPU_INVALID_ARGUMENT, "mask_get: the output is too small");
    with_item(item_size(source->dtype), [&](auto v) {
        pieces.run([&](int64_t b, int64_t e, int64_t first, int64_t last) {
            compress_range<decltype(v)>(axes, from, where, b, e, data_of(out), out_stride, first, last);
        });
    });
    return XPU_OK;
}

/* Fills the whole count to result[0]; INVALID_ARGUMENT, and nothing is written, when the values are neither as many nor one. */
xpu_status run_mask_set(xpu_call *call) {
    const xpu_tensor *values = call->in[0], *mask = call->in[1], *out = call->out[0];
    if (!same_shape(out, mask) || mask->dtype != XPU_BOOL)
        return fail(XPU_INVALID_ARGUMENT, "mask_set: operands do not fit");
    const AxesOf<2> axes = axes_of(out, mask);
    const int size = item_size(out->dtype);
    char *to = data_of(out);
    const char *where = data_of(mask);
    if (values->ndim == 0 || !values->base) {
        alignas(16) char value[16];
        cast_fn(values->dtype, out->dtype)(data_of(values), 0, value, size, 1);
        with_item(size, [&](auto v) {
            using T = decltype(v);
            const T item = load<T>(value);
            parallel(axes.size, kParallelElements, [&](int64_t b, int64_t e, int) { fill_range<T>(axes, to, where, b, e, item); });
        });
        return XPU_OK;
    }
    Pieces pieces(axes.size);
    if (!pieces.before)
        return fail(XPU_OUT_OF_MEMORY, "mask_set: no memory");
    pieces.count([&](int64_t b, int64_t e) { return count_range(axes, where, 1, b, e); });
    call->result[0] = pieces.total();
    if (values->size != pieces.total())
        return fail(XPU_INVALID_ARGUMENT, "mask_set: as many values as true elements are needed");
    const char *from = data_of(values);
    int64_t from_stride = values->strides[0];
    const bool cast = values->dtype != out->dtype;
    Temp typed(cast ? pieces.total() * size : 0);
    if (cast && pieces.total()) {
        if (!typed.ptr)
            return fail(XPU_OUT_OF_MEMORY, "mask_set: no memory");
        const CastFn fn = cast_fn(values->dtype, out->dtype);
        parallel(pieces.total(), kParallelElements, [&](int64_t b, int64_t e, int) {
            fn(from + b * from_stride, from_stride, typed.as<char>() + b * size, size, e - b);
        });
        from = typed.as<char>();
        from_stride = size;
    }
    const int64_t to_stride = inner_stride(axes, 0), mask_stride = inner_stride(axes, 1);
    with_item(size, [&](auto v) {
        using T = decltype(v);
        pieces.run([&](int64_t b, int64_t e, int64_t first, int64_t last) {
            walk_rows(axes, b, e, [&](const int64_t *at, int64_t n) {
                if (to_stride == sizeof(T) && mask_stride == 1)
                    first = expand_row<T>(to + at[0], sizeof(T), where + at[1], 1, n, from, from_stride, first, last);
                else
                    first = expand_row<T>(to + at[0], to_stride, where + at[1], mask_stride, n, from, from_stride, first, last);
            });
        });
    });
    return XPU_OK;
}

xpu_status run_nonzero(xpu_call *call) {
    const xpu_tensor *a = call->in[0];
    if (call->nout != a->ndim || a->ndim < 1)
        return fail(XPU_INVALID_ARGUMENT, "nonzero: one output per axis is needed");
    Nonzero job;
    job.axes.ndim = a->ndim;
    job.axes.size = a->size;
    memcpy(job.axes.shape, a->shape, a->ndim * sizeof(int64_t));
    memcpy(job.axes.strides[0], a->strides, a->ndim * sizeof(int64_t));
    job.data = data_of(a);
    job.cast = a->dtype == XPU_BOOL ? nullptr : cast_fn(a->dtype, XPU_BOOL);
    int64_t room = a->size;
    for (int d = 0; d < a->ndim; ++d) {
        const xpu_tensor *out = call->out[d];
        if (out->dtype != XPU_INT64 || out->ndim != 1 || (out->size > 1 && out->strides[0] != 8))
            return fail(XPU_INVALID_ARGUMENT, "nonzero: outputs must be contiguous int64");
        job.out[d] = reinterpret_cast<int64_t *>(data_of(out));
        room = std::min(room, out->size);
    }
    call->result[0] = 0;
    if (a->size == 0)
        return XPU_OK;
    if (a->size <= kParallelElements && room >= a->size) {
        call->result[0] = job.write(0, a->size, 0, room);
        return XPU_OK;
    }
    Pieces pieces(a->size);
    if (!pieces.before)
        return fail(XPU_OUT_OF_MEMORY, "nonzero: no memory");
    pieces.count([&](int64_t b, int64_t e) { return job.count(b, e); });
    call->result[0] = pieces.total();
    if (pieces.total() > room)
        return fail(XPU_INVALID_ARGUMENT, "nonzero: the outputs are too small");
    pieces.run([&](int64_t b, int64_t e, int64_t first, int64_t last) { job.write(b, e, first, last); });
    return XPU_OK;
}

} // namespace host
