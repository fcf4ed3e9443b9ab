/* SORT ops over the lines of a tensor. A sorted line is partitioned at every kth, so argpartition is argsort. */
#include "sort.h"

#include <algorithm>
#include <atomic>

namespace host {

LinePlan plan_sort_lines(const xpu_tensor *in, const xpu_tensor *out, int axis) {
    LinePlan l{in->shape[axis], in->strides[axis], out->strides[axis], 1, 0, {}};
    for (int i = in->ndim - 1; i >= 0; i--) {
        if (i == axis || in->shape[i] == 1) continue;
        l.count *= in->shape[i];
        ReduceAxis *a = l.nother ? &l.other[l.nother - 1] : nullptr;
        if (a && a->in * a->n == in->strides[i] && a->out * a->n == out->strides[i]) a->n *= in->shape[i];
        else l.other[l.nother++] = {in->shape[i], in->strides[i], 0, out->strides[i], false};
    }
    for (int i = 1; i < l.nother; i++)
        if (std::abs(l.other[i].in) < std::abs(l.other[0].in)) std::swap(l.other[i], l.other[0]);
    return l;
}

namespace {

constexpr int64_t kTogether = 16; /* neighbouring lines that are copied in and out together: a cache line holds them */

/* k neighbouring lines of n elements between an array and a buffer of lines. */
template <class T, bool In> void move_lines(char *array, int64_t stride, int64_t between, char *lines, int64_t n, int64_t k) {
    T *line = reinterpret_cast<T *>(lines);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < k; j++) {
            char *p = array + i * stride + j * between;
            if (In) memcpy(&line[j * n + i], p, sizeof(T));
            else memcpy(p, &line[j * n + i], sizeof(T));
        }
}

template <bool In> void move_lines(int size, char *array, int64_t stride, int64_t between, char *lines, int64_t n, int64_t k) {
    switch (size) {
    case 1: return move_lines<uint8_t, In>(array, stride, between, lines, n, k);
    case 2: return move_lines<uint16_t, In>(array, stride, between, lines, n, k);
    case 4: return move_lines<uint32_t, In>(array, stride, between, lines, n, k);
    case 8: return move_lines<uint64_t, In>(array, stride, between, lines, n, k);
    default: return move_lines<std::complex<double>, In>(array, stride, between, lines, n, k);
    }
}

/* f(src, dst, n) for each line, made contiguous where it is not; src may be dst. */
template <class F> xpu_status each_line(const xpu_call *call, F f) {
    const xpu_tensor *in = call->in[0], *out = call->out[0];
    const LinePlan l = plan_sort_lines(in, out, static_cast<int>(call->params->axes[0]));
    const int size = item_size(in->dtype), out_size = item_size(out->dtype);
    const bool copies = l.in_stride != size || !is_aligned(in), out_copies = l.out_stride != out_size || !is_aligned(out);
    const int64_t together = l.nother && (copies || out_copies) ? kTogether : 1, row = l.nother ? l.other[0].n : 1;
    std::atomic<xpu_status> status{XPU_OK};
    auto body = [&](int64_t b, int64_t e, int) {
        Temp lines(copies ? together * l.n * size : 0), results(out_copies ? together * l.n * out_size : 0);
        if ((copies && !lines.ptr) || (out_copies && !results.ptr)) {
            status = fail(XPU_OUT_OF_MEMORY, "no memory for copies of lines");
            return;
        }
        while (b < e) {
            int64_t a = 0, m = 0, o = 0, k = std::min({together, e - b, row - b % row});
            offsets(l.other, l.nother, b, &a, &m, &o);
            const int64_t in_next = l.nother ? l.other[0].in : 0, out_next = l.nother ? l.other[0].out : 0;
            char *p = data_of(in) + a, *q = data_of(out) + o;
            if (copies) move_lines<true>(size, p, l.in_stride, in_next, lines.as<char>(), l.n, k);
            for (int64_t i = 0; i < k; i++) {
                char *from = copies ? lines.as<char>() + i * l.n * size : p + i * in_next;
                char *to = out_copies ? results.as<char>() + i * l.n * out_size : q + i * out_next;
                if (xpu_status s = f(from, to, l.n)) status = s;
            }
            if (out_copies) move_lines<false>(out_size, q, l.out_stride, out_next, results.as<char>(), l.n, k);
            b += k;
        }
    };
    /* log2(n) steps per element: a sort is worth a thread much earlier than an addition */
    const int64_t grain = std::max<int64_t>(together, (kParallelElements >> 3) / std::max<int64_t>(l.n, 1));
    if (l.count == 1) body(0, 1, 0); /* the line itself goes on all threads */
    else parallel(l.count, grain, body);
    return status;
}

/* --- searchsorted --- */

/* Does an element lie before the place of a key? Plain: the key is no NaN, behind which NaNs lie. */
template <class T, bool Right, bool Plain> inline bool lies_before(T element, T key) {
    if constexpr (Plain && std::is_floating_point<T>::value) return Right ? element <= key : element < key;
    else return Right ? !less(key, element) : less(element, key);
}

/* The places of several keys at once, whose loads hide each other's latency; no branch on the data: half of them would be missed. */
template <class T, bool Right, bool Plain, int Keys> inline void search_group(const T *s, int64_t n, const T *keys, int64_t *out) {
    const T *low[Keys];
    for (int k = 0; k < Keys; k++) low[k] = s;
    while (n > 1) {
        const int64_t half = n / 2;
        for (int k = 0; k < Keys; k++) {
            const bool up = lies_before<T, Right, Plain>(low[k][half - 1], keys[k]);
            low[k] += half & -static_cast<int64_t>(up);
        }
        n -= half;
    }
    for (int k = 0; k < Keys; k++) out[k] = low[k] - s + (n && lies_before<T, Right, Plain>(*low[k], keys[k]));
}

template <class T> inline bool all_same(const T *v, int n) { /* bit for bit */
    return !memcmp(v, v + 1, (n - 1) * sizeof(T));
}

template <class T> inline bool any_nan(const T *v, int n) {
    bool found = false;
    for (int i = 0; i < n; i++) found |= is_nan(v[i]);
    return found;
}

template <class T, bool Right> void search(const char *sorted, int64_t n, const char *values, int64_t *out, int64_t from, int64_t to) {
    constexpr int kKeys = 8;
    const T *s = reinterpret_cast<const T *>(sorted), *v = reinterpret_cast<const T *>(values);
    for (int64_t start = from; from + kKeys <= to; from += kKeys) {
        if (from > start && all_same(v + from - 1, kKeys + 1)) std::fill(out + from, out + from + kKeys, out[from - 1]);
        else if (any_nan(v + from, kKeys)) search_group<T, Right, false, kKeys>(s, n, v + from, out + from);
        else search_group<T, Right, true, kKeys>(s, n, v + from, out + from);
    }
    for (; from < to; from++) search_group<T, Right, false, 1>(s, n, v + from, out + from);
}

typedef void (*SearchFn)(const char *, int64_t, const char *, int64_t *, int64_t, int64_t);
template <bool Right> SearchFn search_fn(int dtype) {
    static const SearchFn table[] = {search<uint8_t, Right>, search<int8_t, Right>, search<uint8_t, Right>, search<int16_t, Right>,
                                     search<uint16_t, Right>, search<int32_t, Right>, search<uint32_t, Right>, search<int64_t, Right>,
                                     search<uint64_t, Right>, search<Half, Right>, search<float, Right>, search<double, Right>,
                                     search<std::complex<float>, Right>, search<std::complex<double>, Right>};
    return table[dtype];
}

bool is_flat(const xpu_tensor *t, int dtype) { return t->dtype == dtype && host::is_flat(t); }

/* The elements of t in C order as `dtype`: where they are, or in temp. nullptr: no memory */
const char *flat_data(const xpu_tensor *t, int dtype, TempTensor *temp) {
    if (is_flat(t, dtype)) return data_of(t);
    if (!temp->memory.ptr || copy_cast(&temp->t, t) != XPU_OK) return nullptr;
    return temp->memory.as<char>();
}

} // namespace

xpu_status run_sort(xpu_call *call) {
    const int dtype = call->out[0]->dtype;
    if (call->out[0]->size == 0) return XPU_OK;
    const bool stable = call->params->i[0] == XPU_SORT_STABLE;
    if (call->in[0]->dtype != dtype || !numpy_sort(dtype, stable))
        return fail(XPU_NOT_SUPPORTED, "sort: NumPy has no function for these dtypes");
    return each_line(call, [&](const char *p, char *q, int64_t n) { return sort_line(dtype, stable, p, q, n); });
}

xpu_status run_argsort(xpu_call *call) {
    if (call->out[0]->size == 0) return XPU_OK;
    const int dtype = call->in[0]->dtype;
    if (call->out[0]->dtype != XPU_INT64) return fail(XPU_INVALID_ARGUMENT, "argsort gives int64");
    return each_line(call, [dtype](const char *p, char *q, int64_t n) {
        return argsort_line(dtype, p, n, reinterpret_cast<int64_t *>(q));
    });
}

xpu_status run_partition(xpu_call *call) {
    if (call->op == XPU_OP_argpartition) return run_argsort(call);
    const int dtype = call->out[0]->dtype;
    if (call->out[0]->size == 0) return XPU_OK;
    if (call->in[0]->dtype != dtype || !numpy_sort(dtype, false))
        return fail(XPU_NOT_SUPPORTED, "partition: NumPy has no function for these dtypes");
    const xpu_params *params = call->params;
    return each_line(call, [&](const char *p, char *q, int64_t n) {
        return partition_line(dtype, p, q, n, params->list, params->nlist);
    });
}

xpu_status run_searchsorted(xpu_call *call) {
    const xpu_tensor *sorted = call->in[0], *values = call->in[1], *out = call->out[0];
    if (out->size == 0) return XPU_OK;
    const int dtype = op_info(call->op).loops[call->loop].types[0];
    const bool right = call->params && call->params->i[0];
    TempTensor keys(sorted, is_flat(sorted, dtype) ? -1 : dtype), wanted(values, is_flat(values, dtype) ? -1 : dtype);
    TempTensor result(out, is_flat(out, XPU_INT64) ? -1 : XPU_INT64);
    const char *s = flat_data(sorted, dtype, &keys), *v = flat_data(values, dtype, &wanted);
    if (!s || !v) return fail(XPU_OUT_OF_MEMORY, "no memory for contiguous copies");
    const bool direct = is_flat(out, XPU_INT64);
    int64_t *to = direct ? reinterpret_cast<int64_t *>(data_of(out)) : result.memory.as<int64_t>();
    const SearchFn search = right ? search_fn<true>(dtype) : search_fn<false>(dtype);
    const int64_t n = sorted->size;
    parallel(out->size, kParallelElements >> 3, [&](int64_t b, int64_t e, int) { search(s, n, v, to, b, e); });
    return direct ? static_cast<xpu_status>(XPU_OK) : copy_cast(out, &result.t);
}

} // namespace host
