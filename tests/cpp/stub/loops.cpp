/* Stands for cupy_backends/host/loops.cpp: loops by hand where NumPy's would be needed, for a few ops and dtypes. */
#include "loops.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace host {

QuickLoop g_quick[XPU_OP_LIMIT][kMaxLoops];

namespace {

#define XPU_OP(id, name, kind, nin, nout, loops, identity, params, domain, ulp) \
    {id, XPU_KIND_##kind, #name, nin, nout, loops, identity, params, domain, ulp, 0, nullptr},
const xpu_op_info rows[] = {
#include "xpu_ops.def"
};
#undef XPU_OP

xpu_op_info infos[XPU_OP_LIMIT];
xpu_loop types[XPU_OP_LIMIT][kMaxLoops];
Loop loops[XPU_OP_LIMIT][kMaxLoops];

template <class T, class R, R (*F)(T, T)> void binary(char **args, const intptr_t *n, const intptr_t *steps, void *) {
    char *a = args[0], *b = args[1], *o = args[2];
    for (intptr_t i = 0; i < n[0]; ++i, a += steps[0], b += steps[1], o += steps[2]) {
        T x, y;
        std::memcpy(&x, a, sizeof x);
        std::memcpy(&y, b, sizeof y);
        R r = F(x, y);
        std::memcpy(o, &r, sizeof r);
    }
}
template <class T, T (*F)(T)> void unary(char **args, const intptr_t *n, const intptr_t *steps, void *) {
    char *a = args[0], *o = args[1];
    for (intptr_t i = 0; i < n[0]; ++i, a += steps[0], o += steps[1]) {
        T x;
        std::memcpy(&x, a, sizeof x);
        x = F(x);
        std::memcpy(o, &x, sizeof x);
    }
}

template <class T> T add(T a, T b) { return a + b; }
template <class T> T subtract(T a, T b) { return a - b; }
template <class T> T multiply(T a, T b) { return a * b; }
template <class T> T divide(T a, T b) { return a / b; }
template <class T> T maximum(T a, T b) { return a > b ? a : b; }
template <class T> T minimum(T a, T b) { return a < b ? a : b; }
template <class T> bool less(T a, T b) { return a < b; }
template <class T> bool equal(T a, T b) { return a == b; }
template <class T> bool not_equal(T a, T b) { return a != b; }
template <class T> T negative(T a) { return -a; }

void put(int op, const char *text, LoopFn fn) {
    for (int i = 0; i < infos[op].nloops; ++i) {
        int n = 0;
        while (text[n] && infos[op].loops[i].types[n] == text[n] - 'a') ++n;
        if (!text[n]) loops[op][i] = {fn, nullptr};
    }
}

template <class T> void put_all(int dtype) {
    const char d = static_cast<char>('a' + dtype), b = 'a' + XPU_BOOL;
    const char three[] = {d, d, d, 0}, compare[] = {d, d, b, 0}, two[] = {d, d, 0};
    put(XPU_OP_add, three, binary<T, T, add<T>>);
    put(XPU_OP_subtract, three, binary<T, T, subtract<T>>);
    put(XPU_OP_multiply, three, binary<T, T, multiply<T>>);
    put(XPU_OP_divide, three, binary<T, T, divide<T>>);
    put(XPU_OP_maximum, three, binary<T, T, maximum<T>>);
    put(XPU_OP_minimum, three, binary<T, T, minimum<T>>);
    put(XPU_OP_less, compare, binary<T, bool, less<T>>);
    put(XPU_OP_equal, compare, binary<T, bool, equal<T>>);
    put(XPU_OP_not_equal, compare, binary<T, bool, not_equal<T>>);
    put(XPU_OP_negative, two, unary<T, negative<T>>);
}

template <class T> int sort(void *start, intptr_t n, void *) {
    std::stable_sort(static_cast<T *>(start), static_cast<T *>(start) + n);
    return 0;
}
template <class T> int argsort(void *start, intptr_t *index, intptr_t n, void *) {
    T *v = static_cast<T *>(start);
    std::stable_sort(index, index + n, [v](intptr_t a, intptr_t b) { return v[a] < v[b]; });
    return 0;
}
template <class T> int argmax(void *start, intptr_t n, intptr_t *result, void *) {
    T *v = static_cast<T *>(start);
    *result = std::max_element(v, v + n) - v;
    return 0;
}
template <class T> int argmin(void *start, intptr_t n, intptr_t *result, void *) {
    T *v = static_cast<T *>(start);
    *result = std::min_element(v, v + n) - v;
    return 0;
}

int dtype_of(char c) {
    static const char chars[] = "?bBhHiIlLefdFD";
    return static_cast<int>(std::strchr(chars, c) - chars);
}

} // namespace

bool load_loops() {
    for (const xpu_op_info &row : rows) {
        xpu_op_info &op = infos[row.id] = row;
        op.loops = types[row.id];
        for (auto &t : types[row.id]) std::memset(t.types, -1, sizeof t.types);
        int k = 0;
        for (const char *p = row.loops_text; *p; ++p) {
            if (*p == ' ') ++op.nloops, k = 0;
            else if (*p != '-' && *p != '>') types[row.id][op.nloops].types[k++] = static_cast<int8_t>(dtype_of(*p));
        }
        ++op.nloops;
        for (int i = 0; i < op.nloops; ++i) loops[row.id][i] = own_loop(row.id, types[row.id][i].types, false);
    }
    put_all<int32_t>(XPU_INT32);
    put_all<int64_t>(XPU_INT64);
    put_all<float>(XPU_FLOAT32);
    put_all<double>(XPU_FLOAT64);
    return true;
}

Loop wide_loop(int) { return {}; }
Loop numpy_loop(int op, int loop) { return loops[op][loop]; }
const xpu_op_info &op_info(int op) { return infos[op]; }

#define BY_TYPE(fn, dtype) \
    (dtype == XPU_INT32     ? fn<int32_t> \
     : dtype == XPU_UINT32  ? fn<uint32_t> \
     : dtype == XPU_INT64   ? fn<int64_t> \
     : dtype == XPU_UINT64  ? fn<uint64_t> \
     : dtype == XPU_FLOAT32 ? fn<float> \
     : dtype == XPU_FLOAT64 ? fn<double> \
                            : nullptr)
SortFn numpy_sort(int dtype, bool) { return BY_TYPE(sort, dtype); }
ArgSortFn numpy_argsort(int dtype, bool) { return BY_TYPE(argsort, dtype); }
ArgFn numpy_argmax(int dtype) { return BY_TYPE(argmax, dtype); }
ArgFn numpy_argmin(int dtype) { return BY_TYPE(argmin, dtype); }
void *numpy_dummy_array(int) { return nullptr; }

} // namespace host
