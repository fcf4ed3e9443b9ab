/* The host's kernels against plain loops; sizes below and above the point where several threads work. */
#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>

#include "driver.h"
#include "host.h"

static const int64_t kSizes[] = {1, 7, 1000, 300000};
#define DT(T) static_cast<int8_t>(DtypeOf<T>::value)
#define OK(launch) CHECK(((launch).run() & XPU_CODE_MASK) == XPU_OK)

/* --- casts --- */

template <class A, class B> static void cast_pair() {
    for (int64_t n : {1, 5, 1000, 70000}) {
        Array<A> a({n});
        Array<B> b({n});
        a.fill([](int64_t i) { return static_cast<A>(i % 100); });
        OK(Launch(XPU_OP_copy, {DT(B), DT(B)}, {&a.t}, {&b.t}));
        auto x = a.get();
        auto y = b.get();
        bool good = true;
        for (int64_t i = 0; i < n; ++i) good &= y[i] == static_cast<B>(x[i]);
        CHECK(good);
    }
}
template <class A> static void cast_from() {
    cast_pair<A, bool>();
    cast_pair<A, int8_t>();
    cast_pair<A, uint8_t>();
    cast_pair<A, int16_t>();
    cast_pair<A, uint16_t>();
    cast_pair<A, int32_t>();
    cast_pair<A, uint32_t>();
    cast_pair<A, int64_t>();
    cast_pair<A, uint64_t>();
    cast_pair<A, float>();
    cast_pair<A, double>();
}
CASE(kernels, casts_from_bool, HOST) { cast_from<bool>(); }
CASE(kernels, casts_from_8_bits, HOST) { cast_from<int8_t>(), cast_from<uint8_t>(); }
CASE(kernels, casts_from_16_bits, HOST) { cast_from<int16_t>(), cast_from<uint16_t>(); }
CASE(kernels, casts_from_32_bits, HOST) { cast_from<int32_t>(), cast_from<uint32_t>(); }
CASE(kernels, casts_from_64_bits, HOST) { cast_from<int64_t>(), cast_from<uint64_t>(); }
CASE(kernels, casts_from_floats, HOST) { cast_from<float>(), cast_from<double>(); }

CASE(kernels, strided_copies, HOST) {
    Array<float> a({200, 300}), b({300, 200});
    a.fill([](int64_t i) { return static_cast<float>(i); });
    xpu_tensor transposed = a.t;
    int64_t shape[] = {300, 200}, strides[] = {4, 1200};
    transposed.shape = shape;
    transposed.strides = strides;
    OK(Launch(XPU_OP_copy, {DT(float), DT(float)}, {&transposed}, {&b.t}));
    auto y = b.get();
    bool good = true;
    for (int i = 0; i < 300; ++i)
        for (int j = 0; j < 200; ++j) good &= y[i * 200 + j] == static_cast<float>(j * 300 + i);
    CHECK(good);
    int64_t reversed[] = {-800, -4}; /* from the last element backwards */
    xpu_tensor back = b.t;
    back.offset = 4 * 59999;
    back.strides = reversed;
    Array<double> c({300, 200});
    OK(Launch(XPU_OP_copy, {DT(double), DT(double)}, {&back}, {&c.t}));
    auto z = c.get();
    CHECK(z[0] == y[59999] && z[59999] == y[0] && z[1234] == y[59999 - 1234]);
}

CASE(kernels, unaligned_copies, HOST) {
    Array<uint8_t> bytes({8 * 5000 + 1});
    bytes.fill([](int64_t i) { return static_cast<uint8_t>(i * 31); });
    xpu_tensor t = bytes.t;
    int64_t shape[] = {5000}, strides[] = {8};
    t.dtype = XPU_INT64;
    t.offset = 1;
    t.size = 5000;
    t.shape = shape;
    t.strides = strides;
    Array<int64_t> out({5000});
    OK(Launch(XPU_OP_copy, {DT(int64_t), DT(int64_t)}, {&t}, {&out.t}));
    auto b = bytes.get();
    auto o = out.get();
    CHECK(std::memcmp(b.data() + 1, o.data(), 40000) == 0);
    Array<int32_t> narrow({5000});
    OK(Launch(XPU_OP_copy, {DT(int32_t), DT(int32_t)}, {&t}, {&narrow.t}));
    CHECK(narrow.get()[77] == static_cast<int32_t>(o[77]));
}

CASE(kernels, fill_and_iota, HOST) {
    for (int64_t n : kSizes) {
        Array<int32_t> a({n});
        int64_t shape[] = {n}, zero[] = {0};
        xpu_tensor value = {};
        value.size = n;
        value.ndim = 1;
        value.shape = shape;
        value.strides = zero;
        value.dtype = XPU_INT32;
        value.value.i = 7;
        OK(Launch(XPU_OP_fill, {DT(int32_t), DT(int32_t)}, {&value}, {&a.t}));
        auto x = a.get();
        CHECK(std::count(x.begin(), x.end(), 7) == n);
        xpu_tensor start = value, step = value;
        start.value.i = 5;
        step.value.i = 3;
        OK(Launch(XPU_OP_iota, {DT(int32_t), DT(int32_t), DT(int32_t)}, {&start, &step}, {&a.t}));
        x = a.get();
        CHECK(x[0] == 5 && x[n - 1] == 5 + 3 * (n - 1));
    }
}

/* --- elementwise --- */

CASE(kernels, elementwise, HOST) {
    for (int64_t n : kSizes) {
        Array<float> a({n}), b({n}), c({n});
        a.fill([](int64_t i) { return i * 0.5f; });
        b.fill([](int64_t i) { return 3.0f - i; });
        OK(Launch(XPU_OP_add, {DT(float), DT(float), DT(float)}, {&a.t, &b.t}, {&c.t}));
        auto x = a.get(), y = b.get(), z = c.get();
        bool good = true;
        for (int64_t i = 0; i < n; ++i) good &= z[i] == x[i] + y[i];
        CHECK(good);
    }
}

CASE(kernels, elementwise_with_casts_and_broadcasting, HOST) {
    const int64_t rows = 300, columns = 400;
    Array<int32_t> a({rows, columns});
    Array<float> b({columns});
    Array<double> c({rows, columns});
    a.fill([](int64_t i) { return static_cast<int32_t>(i); });
    b.fill([](int64_t i) { return i * 0.25f; });
    xpu_tensor wide = b.t;
    int64_t strides[] = {0, 4};
    wide.ndim = 2;
    wide.size = rows * columns;
    wide.shape = a.t.shape;
    wide.strides = strides;
    OK(Launch(XPU_OP_multiply, {DT(double), DT(double), DT(double)}, {&a.t, &wide}, {&c.t}));
    auto z = c.get();
    bool good = true;
    for (int64_t i = 0; i < rows * columns; ++i) good &= z[i] == static_cast<double>(i) * (i % columns * 0.25);
    CHECK(good);
}

CASE(kernels, elementwise_under_a_mask, HOST) {
    for (int64_t n : kSizes) {
        Array<double> a({n}), c({n});
        Array<bool> m({n});
        a.fill([](int64_t i) { return i; });
        c.fill([](int64_t) { return -1; });
        m.fill([](int64_t i) { return i % 3 == 0; });
        Launch l(XPU_OP_negative, {DT(double), DT(double)}, {&a.t, &m.t}, {&c.t});
        l.c.flags = XPU_FLAG_MASKED;
        OK(l);
        auto z = c.get();
        bool good = true;
        for (int64_t i = 0; i < n; ++i) good &= z[i] == (i % 3 == 0 ? -static_cast<double>(i) : -1);
        CHECK(good);
    }
}

/* --- reductions and scans --- */

CASE(kernels, reductions, HOST) {
    const int64_t shapes[][3] = {{2, 3, 4}, {50, 60, 70}, {1, 1, 200000}, {3000, 10, 7}};
    for (auto &s : shapes)
        for (int axis = 0; axis < 3; ++axis) {
            Array<int64_t> a({s[0], s[1], s[2]});
            a.fill([](int64_t i) { return i * 7919 % 1000; });
            std::vector<int64_t> out_shape(s, s + 3), axes = {axis};
            out_shape[axis] = 1;
            Array<int64_t> sum(out_shape), top(out_shape), where(out_shape);
            for (int op : {XPU_OP_add, XPU_OP_maximum, XPU_OP_argmax}) {
                Array<int64_t> &o = op == XPU_OP_add ? sum : op == XPU_OP_maximum ? top : where;
                std::vector<int8_t> types = op == XPU_OP_argmax ? std::vector<int8_t>{DT(int64_t), DT(int64_t)}
                                                                : std::vector<int8_t>{DT(int64_t), DT(int64_t), DT(int64_t)};
                Launch l(op, types, {&a.t}, {&o.t});
                l.c.method = XPU_REDUCE;
                l.p.axes = axes.data();
                l.p.naxes = 1;
                OK(l);
            }
            auto x = a.get(), y = sum.get(), z = top.get(), w = where.get();
            int64_t inner = axis == 2 ? 1 : axis == 1 ? s[2] : s[1] * s[2], length = s[axis];
            bool good = true;
            for (size_t i = 0; i < y.size(); ++i) {
                int64_t j = static_cast<int64_t>(i), base = j / inner * inner * length + j % inner, total = 0, most = -1, at = 0;
                for (int64_t k = 0; k < length; ++k) {
                    int64_t v = x[base + k * inner];
                    total += v;
                    if (v > most) most = v, at = k;
                }
                good &= y[i] == total && z[i] == most && w[i] == at;
            }
            CHECK(good);
        }
}

CASE(kernels, sums_of_floats, HOST) {
    for (int64_t n : {1, 9, 1000, 1000000}) {
        Array<float> a({n}), o({1});
        a.fill([](int64_t i) { return 1.0f / (1 + i % 10); });
        int64_t axes[] = {0};
        Launch l(XPU_OP_add, {DT(float), DT(float), DT(float)}, {&a.t}, {&o.t});
        l.c.method = XPU_REDUCE;
        l.p.axes = axes;
        l.p.naxes = 1;
        OK(l);
        auto x = a.get();
        double exact = std::accumulate(x.begin(), x.end(), 0.0);
        CHECK(std::fabs(o.get()[0] - exact) <= exact * 1e-5);
    }
}

CASE(kernels, scans, HOST) {
    for (int64_t n : {1, 100, 500000}) {
        Array<int64_t> a({n}), o({n});
        a.fill([](int64_t i) { return i % 11; });
        int64_t axes[] = {0};
        Launch l(XPU_OP_add, {DT(int64_t), DT(int64_t), DT(int64_t)}, {&a.t}, {&o.t});
        l.c.method = XPU_ACCUMULATE;
        l.p.axes = axes;
        l.p.naxes = 1;
        OK(l);
        auto x = a.get(), y = o.get();
        std::partial_sum(x.begin(), x.end(), x.begin());
        CHECK(x == y);
    }
}

/* --- indexing --- */

CASE(kernels, gather_and_scatter, HOST) {
    for (int64_t n : {5, 1000, 200000}) {
        Array<double> a({n}), o({n});
        Array<int64_t> index({n});
        a.fill([](int64_t i) { return i * 2.0; });
        index.fill([n](int64_t i) { return (i * 7919 + 13) % n - (i % 2 ? n : 0); }); /* negatives too */
        int64_t axes[] = {0};
        Launch g(XPU_OP_gather, {DT(double), DT(double)}, {&a.t, &index.t}, {&o.t});
        g.p.axes = axes;
        g.p.naxes = 1;
        OK(g);
        auto x = a.get(), y = o.get();
        auto k = index.get();
        bool good = true;
        for (int64_t i = 0; i < n; ++i) good &= y[i] == x[(k[i] + n) % n];
        CHECK(good);
        Launch s(XPU_OP_scatter, {DT(double), DT(double)}, {&a.t, &index.t}, {&o.t});
        s.p.axes = axes;
        s.p.naxes = 1;
        OK(s);
        std::vector<double> expected = y;
        for (int64_t i = 0; i < n; ++i) expected[(k[i] + n) % n] = x[i];
        CHECK(o.get() == expected);
    }
}

CASE(kernels, index_errors_change_nothing, HOST) {
    Array<double> a({10}), o({3});
    Array<int64_t> index({3}, {1, 12, 2});
    o.fill([](int64_t) { return 5; });
    a.fill([](int64_t i) { return i; });
    int64_t axes[] = {0};
    for (int op : {XPU_OP_gather, XPU_OP_scatter}) {
        bool gather = op == XPU_OP_gather;
        Launch l(op, {DT(double), DT(double)}, {gather ? &a.t : &o.t, &index.t}, {gather ? &o.t : &a.t});
        l.p.axes = axes;
        l.p.naxes = 1;
        CHECK(l.run() == XPU_INDEX_ERROR);
        CHECK(l.c.result[0] == 12 && l.c.result[1] == 0 && l.c.result[2] == 10);
    }
    auto x = a.get();
    CHECK(x[1] == 1 && x[2] == 2);
}

CASE(kernels, masks, HOST) {
    for (int64_t n : {1, 1000, 300000}) {
        Array<int32_t> a({n}), o({n});
        Array<bool> m({n});
        a.fill([](int64_t i) { return static_cast<int32_t>(i); });
        m.fill([](int64_t i) { return i * 7919 % 5 < 2; });
        Launch g(XPU_OP_mask_get, {DT(int32_t), DT(bool), DT(int32_t)}, {&a.t, &m.t}, {&o.t});
        OK(g);
        Array<int64_t> where({n});
        Launch nz(XPU_OP_nonzero, {DT(bool), DT(int64_t)}, {&m.t}, {&where.t});
        OK(nz);
        auto x = a.get(), y = o.get();
        auto mask = m.get();
        auto w = where.get();
        int64_t k = 0;
        bool good = true;
        for (int64_t i = 0; i < n; ++i)
            if (mask[i]) good &= y[k] == x[i] && w[k] == i, ++k;
        CHECK(good && g.c.result[0] == k && nz.c.result[0] == k);
        std::vector<int32_t> values(k ? k : 1, -3);
        Array<int32_t> v({k}, {values.begin(), values.begin() + k});
        OK(Launch(XPU_OP_mask_set, {DT(int32_t), DT(bool), DT(int32_t)}, {&v.t, &m.t}, {&a.t}));
        x = a.get();
        for (int64_t i = 0; i < n; ++i) good &= x[i] == (mask[i] ? -3 : i);
        CHECK(good);
    }
}

/* --- sorting --- */

CASE(kernels, sorting, HOST) {
    for (int64_t n : {1, 100, 100000}) {
        Array<double> a({3, n}), o({3, n});
        Array<int64_t> order({3, n});
        a.fill([](int64_t i) { return (i * 7919) % 1009 - 500.0; });
        int64_t axes[] = {1};
        Launch s(XPU_OP_sort, {DT(double), DT(double)}, {&a.t}, {&o.t});
        s.p.axes = axes;
        s.p.naxes = 1;
        OK(s);
        Launch g(XPU_OP_argsort, {DT(double), DT(int64_t)}, {&a.t}, {&order.t});
        g.p.axes = axes;
        g.p.naxes = 1;
        g.p.i[0] = XPU_SORT_STABLE;
        OK(g);
        auto x = a.get(), y = o.get();
        auto k = order.get();
        bool good = true;
        for (int row = 0; row < 3; ++row) {
            std::vector<double> expected(x.begin() + row * n, x.begin() + (row + 1) * n);
            std::sort(expected.begin(), expected.end());
            for (int64_t i = 0; i < n; ++i) good &= y[row * n + i] == expected[i] && x[row * n + k[row * n + i]] == expected[i];
        }
        CHECK(good);
    }
}

CASE(kernels, searching, HOST) {
    Array<int64_t> a({1000}), v({5000}), o({5000});
    a.fill([](int64_t i) { return i / 3; });
    v.fill([](int64_t i) { return i % 400 - 20; });
    for (int right : {0, 1}) {
        Launch l(XPU_OP_searchsorted, {DT(int64_t), DT(int64_t), DT(int64_t)}, {&a.t, &v.t}, {&o.t});
        l.p.i[0] = right;
        OK(l);
        auto x = a.get(), y = v.get(), z = o.get();
        bool good = true;
        for (size_t i = 0; i < y.size(); ++i)
            good &= z[i] == (right ? std::upper_bound(x.begin(), x.end(), y[i]) : std::lower_bound(x.begin(), x.end(), y[i])) - x.begin();
        CHECK(good);
    }
}

/* --- several threads at once --- */

CASE(kernels, threads_launch_on_their_own_arrays, HOST) {
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k)
        threads.emplace_back([k] {
            const int64_t n = 50000;
            Array<float> a({n}), b({n}), total({1});
            a.fill([k](int64_t) { return static_cast<float>(k); });
            int64_t axes[] = {0};
            for (int i = 0; i < 20; ++i) {
                OK(Launch(XPU_OP_add, {DT(float), DT(float), DT(float)}, {&a.t, &a.t}, {&b.t}));
                Launch l(XPU_OP_add, {DT(float), DT(float), DT(float)}, {&b.t}, {&total.t});
                l.c.method = XPU_REDUCE;
                l.p.axes = axes;
                l.p.naxes = 1;
                OK(l);
                CHECK(total.get()[0] == 2.0f * k * n);
            }
        });
    for (auto &t : threads) t.join();
}

CASE(kernels, wrong_calls_are_refused, HOST) {
    Array<float> a({4}), b({4});
    Launch unknown(XPU_OP_add, {DT(float), DT(float), DT(float)}, {&a.t, &a.t}, {&b.t});
    unknown.c.op = 99;
    CHECK((unknown.run() & XPU_CODE_MASK) == XPU_NOT_SUPPORTED);
    unknown.c.op = -1;
    CHECK((unknown.run() & XPU_CODE_MASK) == XPU_NOT_SUPPORTED);
    unknown.c.op = XPU_OP_add;
    unknown.c.loop = 77;
    CHECK((unknown.run() & XPU_CODE_MASK) == XPU_NOT_SUPPORTED);
}
