/* Casts and strided copies, fill, iota. */
#include <cstdlib>

#include "casts.h"
#include "walk.h"

namespace host {
namespace {

constexpr int64_t kCopyBytes = 1 << 17; /* least bytes that are worth a piece of their own */

struct CastTable {
    CastFn fn[XPU_BFLOAT16][XPU_BFLOAT16];
    CastTable() {
#if defined(__x86_64__)
        if (has_avx2()) {
            avx2::fill_casts(fn);
            return;
        }
#endif
        base::fill_casts(fn);
    }
};
const CastTable g_casts;

inline int64_t grain_of(int item) { return std::max<int64_t>(kCopyBytes / item, 1); }

/* --- copies whose source is dense along another axis than the destination: in tiles that stay in the cache --- */

/* The axis along which the source is denser than along the last one, -1 if there is none. */
int source_axis(const Plan &plan) {
    const int last = plan.ndim - 1;
    int found = last;
    for (int d = 0; d < last; ++d) {
        const int64_t step = std::abs(plan.strides[1][d]);
        if (step && step < std::abs(plan.strides[1][found]) && plan.shape[d] >= 4)
            found = d;
    }
    return found == last || plan.shape[last] < 4 ? -1 : found;
}

struct Stripes { /* along the destination's last axis, `height` of them in one piece */
    CastFn cast;
    TransposeFn transpose; /* of the source's items, or nullptr */
    int src_item;          /* bytes */
    bool direct;           /* the transposed items need no cast */
    int64_t n, rows, height;
    int64_t src_step, dst_step, src_row, dst_row;
};

void copy_stripe(const Stripes &s, const char *src, char *dst, int64_t rows) {
    constexpr int64_t kTile = 64;
    if (s.transpose && s.direct)
        return s.transpose(src, s.src_step, dst, s.dst_row, s.n, rows);
    alignas(64) char tile[kTile * 128]; /* 16 rows of 8-byte items, more of smaller ones */
    for (int64_t i = 0; i < s.n; i += kTile) {
        const int64_t length = std::min(kTile, s.n - i);
        const char *from = src + i * s.src_step;
        int64_t step = s.src_step, row = s.src_row;
        if (s.transpose) {
            row = kTile * s.src_item;
            s.transpose(from, step, tile, row, length, rows);
            from = tile;
            step = s.src_item;
        }
        for (int64_t j = 0; j < rows; ++j)
            s.cast(from + j * row, step, dst + j * s.dst_row + i * s.dst_step, s.dst_step, length);
    }
}

void choose_tiles(Stripes *s, int from, int to) {
    s->src_item = item_size(from);
    s->direct = from == to && s->dst_step == s->src_item;
    s->transpose = s->src_row == s->src_item ? transpose_fn(s->src_item) : nullptr;
    s->height = std::max<int64_t>(64 / s->src_item, s->transpose ? 16 : 8);
}

void copy_transposed(const Plan &plan, int axis, int from, int to) {
    const int last = plan.ndim - 1;
    const int item = std::max(item_size(from), item_size(to));
    Stripes s = {cast_fn(from, to), nullptr, 0, false, plan.shape[last], plan.shape[axis], 0,
                 plan.strides[1][last], plan.strides[0][last], plan.strides[1][axis], plan.strides[0][axis]};
    choose_tiles(&s, from, to);
    const int64_t stripes = (s.rows + s.height - 1) / s.height, blocks = plan.size / (s.n * s.rows);
    parallel(blocks * stripes, std::max<int64_t>(grain_of(item) / (s.height * s.n), 1), [&](int64_t begin, int64_t end, int) {
        for (int64_t unit = begin; unit < end; ++unit) {
            const int64_t row = unit % stripes * s.height;
            char *dst = plan.data[0] + row * s.dst_row;
            const char *src = plan.data[1] + row * s.src_row;
            for (int64_t d = last - 1, rest = unit / stripes; d >= 0; --d) {
                if (d == axis)
                    continue;
                dst += rest % plan.shape[d] * plan.strides[0][d];
                src += rest % plan.shape[d] * plan.strides[1][d];
                rest /= plan.shape[d];
            }
            copy_stripe(s, src, dst, std::min(s.height, s.rows - row));
        }
    });
}

struct Copy {
    CastFn cast;
    int item; /* the larger one */
    bool masked;
};

void copy_rows(const Copy &c, const Plan &plan) {
    const int64_t dst_step = inner_step(plan, 0), src_step = inner_step(plan, 1), mask_step = c.masked ? inner_step(plan, 2) : 0;
    parallel(plan.size, grain_of(c.item), [&](int64_t begin, int64_t end, int) {
        walk(plan, begin, end, [&](char **row, int64_t n) {
            if (c.masked)
                for_runs(row[2], mask_step, n, [&](int64_t at, int64_t length) {
                    c.cast(row[1] + at * src_step, src_step, row[0] + at * dst_step, dst_step, length);
                });
            else
                c.cast(row[1], src_step, row[0], dst_step, n);
        });
    });
}

xpu_status copy_operands(const xpu_tensor *const *operands, bool masked) {
    const xpu_tensor *dst = operands[0], *src = operands[1];
    if (dst->size == 0)
        return XPU_OK;
    Copy copy = {cast_fn(src->dtype, dst->dtype), std::max(item_size(src->dtype), item_size(dst->dtype)), masked};
    if (!copy.cast)
        return fail(XPU_NOT_SUPPORTED, "no cast between dtypes %d and %d", src->dtype, dst->dtype);
    Plan plan;
    make_plan(&plan, masked ? 3 : 2, operands, ORDER_FIRST);
    const int axis = masked ? -1 : source_axis(plan);
    if (axis >= 0)
        copy_transposed(plan, axis, src->dtype, dst->dtype);
    else
        with_good_rows(plan, [](void *ctx, const Plan &part) { copy_rows(*static_cast<Copy *>(ctx), part); }, &copy);
    return XPU_OK;
}

/* --- iota: start + i * delta, where delta is the difference of the first two elements in the output's dtype, as NumPy's arange --- */

#if defined(__GNUC__) && !defined(__clang__)
#define NO_CONTRACTION __attribute__((optimize("fp-contract=off")))
#else
#define NO_CONTRACTION
#endif

/* I: of 32 bits where that will do, since those become floats in vectors */
template <class T, class I> NO_CONTRACTION void iota_range(char *out, int64_t stride, T start, T delta, I begin, I end) {
    if (stride == sizeof(T))
        for (I i = begin; i < end; ++i) {
            const T v = start + static_cast<T>(i) * delta;
            memcpy(out + static_cast<int64_t>(i) * static_cast<int64_t>(sizeof(T)), &v, sizeof v);
        }
    else
        for (I i = begin; i < end; ++i) {
            const T v = start + static_cast<T>(i) * delta;
            memcpy(out + static_cast<int64_t>(i) * stride, &v, sizeof v);
        }
}

template <class T> void iota_floats(char *out, int64_t stride, T start, T delta, int64_t begin, int64_t end) {
    if (end <= INT32_MAX)
        iota_range<T, int32_t>(out, stride, start, delta, static_cast<int32_t>(begin), static_cast<int32_t>(end));
    else
        iota_range<T, int64_t>(out, stride, start, delta, begin, end);
}

template <class T> void iota_integers(char *out, int64_t stride, uint64_t start, uint64_t delta, int64_t begin, int64_t end) {
    T v = static_cast<T>(start + static_cast<uint64_t>(begin) * delta);
    const T step = static_cast<T>(delta);
    if (stride == sizeof(T))
        for (int64_t i = begin; i < end; ++i, v = static_cast<T>(v + step))
            memcpy(out + i * static_cast<int64_t>(sizeof(T)), &v, sizeof v);
    else
        for (int64_t i = begin; i < end; ++i, v = static_cast<T>(v + step))
            memcpy(out + i * stride, &v, sizeof v);
}

/* out's elements number [begin, end), counted in C order */
template <class F> void for_rows(const Plan &plan, F &&f) { /* f(data, stride, begin, end) */
    const int64_t stride = inner_step(plan, 0);
    parallel(plan.size, kParallelElements, [&](int64_t begin, int64_t end, int) {
        walk(plan, begin, end, [&](char **row, int64_t n) {
            f(row[0] - begin * stride, stride, begin, begin + n);
            begin += n;
        });
    });
}

void add_values(int dtype, const xpu_value &a, const xpu_value &b, xpu_value *sum) {
    if (dtype == XPU_INT64) {
        sum->u = a.u + b.u;
    } else {
        sum->cd[0] = a.cd[0] + b.cd[0];
        sum->cd[1] = a.cd[1] + b.cd[1];
    }
}

template <class T> void iota_float_parts(const Plan &plan, const xpu_value &first, const xpu_value &second, int parts) {
    T start[2], next[2];
    memcpy(start, &first, sizeof start);
    memcpy(next, &second, sizeof next);
    for_rows(plan, [&](char *out, int64_t stride, int64_t begin, int64_t end) {
        for (int p = 0; p < parts; ++p)
            iota_floats<T>(out + p * sizeof(T), stride, start[p], next[p] - start[p], begin, end);
    });
}

/* float16 computes in float32 */
void iota_half(const Plan &plan, const xpu_value &first, const xpu_value &second) {
    float start, next;
    const CastFn widen = cast_fn(XPU_FLOAT16, XPU_FLOAT32), narrow = cast_fn(XPU_FLOAT32, XPU_FLOAT16);
    widen(reinterpret_cast<const char *>(&first), 0, reinterpret_cast<char *>(&start), 4, 1);
    widen(reinterpret_cast<const char *>(&second), 0, reinterpret_cast<char *>(&next), 4, 1);
    for_rows(plan, [&](char *out, int64_t stride, int64_t begin, int64_t end) {
        constexpr int64_t kBlock = 256;
        float block[kBlock];
        for (; begin < end; begin += kBlock) {
            const int64_t stop = std::min(begin + kBlock, end);
            iota_floats<float>(reinterpret_cast<char *>(block) - begin * 4, 4, start, next - start, begin, stop);
            narrow(reinterpret_cast<const char *>(block), 4, out + begin * stride, stride, stop - begin);
        }
    });
}

void iota_integer(const Plan &plan, int item, uint64_t start, uint64_t delta) {
    const auto fn = item == 1 ? iota_integers<uint8_t> : item == 2 ? iota_integers<uint16_t> : item == 4 ? iota_integers<uint32_t>
                  : iota_integers<uint64_t>;
    for_rows(plan, [&](char *out, int64_t stride, int64_t begin, int64_t end) { fn(out, stride, start, delta, begin, end); });
}

/* --- fill --- */

bool all_bytes_equal(const char *value, int size) {
    for (int i = 1; i < size; ++i)
        if (value[i] != value[0])
            return false;
    return true;
}

xpu_status fill_bytes(char *data, int64_t items, int item, char value) {
    parallel(items, grain_of(item), [&](int64_t b, int64_t e, int) { memset(data + b * item, value, (e - b) * item); });
    return XPU_OK;
}

} // namespace

CastFn cast_fn(int from, int to) {
    return from >= 0 && from < XPU_BFLOAT16 && to >= 0 && to < XPU_BFLOAT16 ? g_casts.fn[from][to] : nullptr;
}

void copy_tile(int from, int to, const char *src, int64_t src_step, int64_t src_row, char *dst, int64_t n, int64_t rows) {
    const int size = item_size(to);
    Stripes s = {cast_fn(from, to), nullptr, 0, false, n, rows, 0, src_step, size, src_row, n * size};
    choose_tiles(&s, from, to);
    for (int64_t row = 0; row < rows; row += s.height)
        copy_stripe(s, src + row * src_row, dst + row * s.dst_row, std::min(s.height, rows - row));
}

CastFn copy_fn(int size) {
    const int dtype = size == 1 ? XPU_UINT8 : size == 2 ? XPU_UINT16 : size == 4 ? XPU_UINT32 : size == 8 ? XPU_UINT64 : XPU_COMPLEX128;
    return cast_fn(dtype, dtype);
}

xpu_status copy_cast(const xpu_tensor *dst, const xpu_tensor *src) {
    const xpu_tensor *operands[] = {dst, src};
    return copy_operands(operands, false);
}

xpu_status run_copy(xpu_call *call) {
    const bool masked = call->flags & XPU_FLAG_MASKED;
    const xpu_tensor *dst = call->out[0], *src = call->in[0];
    const int64_t nbytes = dst->size * item_size(dst->dtype);
    if ((call->flags & XPU_FLAG_CONTIGUOUS) && !masked && src->base && src->dtype == dst->dtype && nbytes < kCopyBytes) {
        memcpy(data_of(dst), data_of(src), nbytes);
        return XPU_OK;
    }
    const xpu_tensor *operands[] = {dst, src, masked ? call->in[1] : nullptr};
    return copy_operands(operands, masked);
}

xpu_status run_fill(xpu_call *call) {
    const xpu_tensor *out = call->out[0], *value = call->in[0];
    const bool masked = call->flags & XPU_FLAG_MASKED;
    const int item = item_size(out->dtype);
    if (out->size == 0)
        return XPU_OK;
    xpu_tensor scalar;
    scalar.base = nullptr;
    scalar.dtype = out->dtype;
    char *bytes = reinterpret_cast<char *>(&scalar.value);
    cast_fn(value->dtype, out->dtype)(data_of(value), 0, bytes, item, 1);
    const bool equal = !masked && all_bytes_equal(bytes, item);
    if (equal && is_flat(out))
        return fill_bytes(data_of(out), out->size, item, bytes[0]);
    Plan plan;
    make_plan(&plan, 1, &out);
    if (equal && plan.ndim == 1 && inner_step(plan, 0) == item)
        return fill_bytes(plan.data[0], plan.size, item, bytes[0]);
    const xpu_tensor *operands[] = {out, &scalar, masked ? call->in[1] : nullptr};
    return copy_operands(operands, masked);
}

xpu_status run_iota(xpu_call *call) {
    const xpu_tensor *out = call->out[0], *start = call->in[0], *step = call->in[1];
    const int dtype = out->dtype, exact = start->dtype < XPU_FLOAT16 && step->dtype < XPU_FLOAT16 ? XPU_INT64 : XPU_COMPLEX128;
    if (out->size == 0)
        return XPU_OK;
    xpu_value a{}, b{}, sum{}, first{}, second{};
    cast_fn(start->dtype, exact)(data_of(start), 0, reinterpret_cast<char *>(&a), 16, 1);
    cast_fn(step->dtype, exact)(data_of(step), 0, reinterpret_cast<char *>(&b), 16, 1);
    add_values(exact, a, b, &sum);
    cast_fn(exact, dtype)(reinterpret_cast<const char *>(&a), 0, reinterpret_cast<char *>(&first), 16, 1);
    cast_fn(exact, dtype)(reinterpret_cast<const char *>(&sum), 0, reinterpret_cast<char *>(&second), 16, 1);
    Plan plan;
    make_plan(&plan, 1, &out, ORDER_KEEP);
    if (dtype == XPU_FLOAT16)
        iota_half(plan, first, second);
    else if (dtype == XPU_FLOAT32 || dtype == XPU_COMPLEX64)
        iota_float_parts<float>(plan, first, second, dtype == XPU_FLOAT32 ? 1 : 2);
    else if (dtype == XPU_FLOAT64 || dtype == XPU_COMPLEX128)
        iota_float_parts<double>(plan, first, second, dtype == XPU_FLOAT64 ? 1 : 2);
    else
        iota_integer(plan, item_size(dtype), first.u, second.u - first.u);
    return XPU_OK;
}

} // namespace host
