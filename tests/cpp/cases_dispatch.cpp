/* Launches on a backend that lacks dtypes, casts and ops: native kernel, plan, host. */
#include <cmath>
#include <string>
#include <thread>

#include "driver.h"

using xpu::core_api;
using xpu::manage_api;

#define DT(T) static_cast<int8_t>(DtypeOf<T>::value)
#define STATUS(launch) ((launch).run() & XPU_CODE_MASK)

static uint64_t counted(int kind, const Launch &l) { return manage_api.count(kind, l.c.op, l.c.method, l.c.loop); }

CASE(dispatch, native, COUNTING) {
    Array<float> a({100}), b({100});
    a.fill([](int64_t i) { return i; });
    int64_t downloads = counting_get("downloads");
    Launch l(XPU_OP_add, {DT(float), DT(float), DT(float)}, {&a.t, &a.t}, {&b.t});
    uint64_t before = counted(XPU_COUNT_NATIVE, l);
    CHECK(l.run() == XPU_OK);
    CHECK(counted(XPU_COUNT_NATIVE, l) == before + 1 && counting_get("downloads") == downloads);
    CHECK(b.get()[99] == 198);
}

CASE(dispatch, operands_are_cast_on_the_device, COUNTING) {
    Array<int32_t> a({20, 30});
    Array<float> b({30});
    Array<float> o({20, 30});
    a.fill([](int64_t i) { return static_cast<int32_t>(i); });
    b.fill([](int64_t i) { return 0.5f * i; });
    xpu_tensor wide = b.t;
    int64_t strides[] = {0, 4};
    wide.ndim = 2;
    wide.size = 600;
    wide.shape = o.t.shape;
    wide.strides = strides;
    int64_t downloads = counting_get("downloads");
    Launch l(XPU_OP_multiply, {DT(float), DT(float), DT(float)}, {&a.t, &wide}, {&o.t});
    uint64_t before = counted(XPU_COUNT_PLAN, l);
    CHECK(l.run() == XPU_OK);
    CHECK(counted(XPU_COUNT_PLAN, l) == before + 1 && counting_get("downloads") == downloads);
    auto y = o.get();
    bool good = true;
    for (int i = 0; i < 600; ++i) good &= y[i] == i * (0.5f * (i % 30));
    CHECK(good);
    Array<int32_t> narrow({30}); /* the output is cast too */
    Launch m(XPU_OP_add, {DT(float), DT(float), DT(float)}, {&b.t, &b.t}, {&narrow.t});
    CHECK(m.run() == XPU_OK && narrow.get()[29] == 29);
}

CASE(dispatch, scalars_are_cast_on_the_host, COUNTING) {
    Array<float> a({10}), o({10});
    a.fill([](int64_t i) { return i; });
    int64_t zero[] = {0};
    xpu_tensor two = {};
    two.size = 10;
    two.ndim = 1;
    two.shape = a.t.shape;
    two.strides = zero;
    two.dtype = XPU_INT64;
    two.value.i = 2;
    Launch l(XPU_OP_multiply, {DT(float), DT(float), DT(float)}, {&a.t, &two}, {&o.t});
    CHECK(l.run() == XPU_OK && o.get()[9] == 18);
}

CASE(dispatch, ops_composed_of_others, COUNTING) {
    Array<float> a({6}, {-2, -1, 0, 1, 2, NAN}), b({6}), low({6}), high({6}), q({6}), r({6});
    Array<bool> m({6});
    low.fill([](int64_t) { return -1; });
    high.fill([](int64_t) { return 1.5f; });
    int64_t downloads = counting_get("downloads");
    CHECK(Launch(XPU_OP_square, {DT(float), DT(float)}, {&a.t}, {&b.t}).run() == XPU_OK);
    CHECK(Launch(XPU_OP_greater, {DT(float), DT(float), DT(bool)}, {&a.t, &low.t}, {&m.t}).run() == XPU_OK);
    CHECK(Launch(XPU_OP_clip, {DT(float), DT(float), DT(float), DT(float)}, {&a.t, &low.t, &high.t}, {&q.t}).run() == XPU_OK);
    CHECK(Launch(XPU_OP_positive, {DT(float), DT(float)}, {&a.t}, {&r.t}).run() == XPU_OK);
    CHECK(counting_get("downloads") == downloads);
    CHECK(b.get()[0] == 4 && q.get()[0] == -1 && q.get()[4] == 1.5f && r.get()[1] == -1);
    auto x = m.get();
    CHECK(!x[0] && !x[1] && x[2] && x[4] && !x[5]);
    CHECK(Launch(XPU_OP_isnan, {DT(float), DT(bool)}, {&a.t}, {&m.t}).run() == XPU_OK);
    CHECK(m.get()[5] && !m.get()[4]);
    CHECK(Launch(XPU_OP_logical_not, {DT(float), DT(bool)}, {&a.t}, {&m.t}).run() == XPU_OK);
    CHECK(m.get()[2] && !m.get()[4]);
    CHECK(Launch(XPU_OP_reciprocal, {DT(float), DT(float)}, {&high.t}, {&b.t}).run() == XPU_OK);
    CHECK(b.get()[0] == 1 / 1.5f && counting_get("downloads") > downloads);
    Array<int32_t> whole({6}, {1, 2, 4, 5, 8, 10}); /* cast and composed */
    CHECK(STATUS(Launch(XPU_OP_reciprocal, {DT(float), DT(float)}, {&whole.t}, {&b.t})) == XPU_OK);
    CHECK(b.get()[2] == 0.25f);
    CHECK(STATUS(Launch(XPU_OP_clip, {DT(float), DT(float), DT(float), DT(float)}, {&whole.t, &low.t, &high.t}, {&q.t})) == XPU_OK);
    CHECK(q.get()[5] == 1.5f);
}

CASE(dispatch, fallback_through_the_host, COUNTING) {
    manage_api.set_policy(XPU_FALLBACK_WARN);
    Array<double> a({100}), o({100});
    a.fill([](int64_t i) { return i; });
    Launch l(XPU_OP_subtract, {DT(double), DT(double), DT(double)}, {&a.t, &a.t}, {&o.t});
    uint64_t before = counted(XPU_COUNT_FALLBACK, l);
    xpu_status status = l.run();
    CHECK(status == (XPU_OK | XPU_NOTE_FALLBACK)); /* the first time */
    CHECK(std::string(core_api.last_error()).find("subtract(float64, float64)") != std::string::npos);
    CHECK(l.run() == XPU_OK);
    CHECK(counted(XPU_COUNT_FALLBACK, l) == before + 2 && o.get()[5] == 0);
    CHECK(core_api.last_op() == XPU_OP_subtract);
    manage_api.set_policy(XPU_FALLBACK_ERROR);
    CHECK(l.run() == XPU_NOT_SUPPORTED);
    CHECK(std::string(core_api.last_error()).find("CUPY_XPU_FALLBACK") != std::string::npos);
    manage_api.set_policy(XPU_FALLBACK_ALLOW);
    CHECK(l.run() == XPU_OK);
}

CASE(dispatch, fallback_keeps_what_lies_between, COUNTING) {
    manage_api.set_policy(XPU_FALLBACK_ALLOW);
    Array<double> a({10}), o({20});
    a.fill([](int64_t i) { return i; });
    o.fill([](int64_t) { return -1; });
    xpu_tensor every_second = o.t;
    int64_t shape[] = {10}, strides[] = {-16}; /* backwards */
    every_second.offset = 18 * 8;
    every_second.size = 10;
    every_second.shape = shape;
    every_second.strides = strides;
    CHECK(Launch(XPU_OP_add, {DT(double), DT(double), DT(double)}, {&a.t, &a.t}, {&every_second}).run() == XPU_OK);
    auto y = o.get();
    bool good = true;
    for (int i = 0; i < 10; ++i) good &= y[18 - 2 * i] == 2 * i && y[19 - 2 * i] == -1;
    CHECK(good);
}

CASE(dispatch, fallback_under_a_mask, COUNTING) {
    manage_api.set_policy(XPU_FALLBACK_ALLOW);
    Array<double> a({10}), o({10});
    Array<bool> m({10});
    a.fill([](int64_t i) { return i; });
    o.fill([](int64_t) { return -1; });
    m.fill([](int64_t i) { return i % 2 == 0; });
    Launch l(XPU_OP_negative, {DT(double), DT(double)}, {&a.t, &m.t}, {&o.t});
    l.c.flags = XPU_FLAG_MASKED;
    CHECK(l.run() == XPU_OK);
    auto y = o.get();
    CHECK(y[4] == -4 && y[5] == -1);
}

CASE(dispatch, a_slow_engine_is_noted, COUNTING) {
    manage_api.set_policy(XPU_FALLBACK_WARN);
    Array<float> a({10});
    Array<int64_t> o({10});
    a.fill([](int64_t i) { return -i; });
    int64_t axes[] = {0};
    Launch l(XPU_OP_argsort, {DT(float), DT(int64_t)}, {&a.t}, {&o.t});
    l.p.axes = axes;
    l.p.naxes = 1;
    CHECK(l.run() == (XPU_OK | XPU_NOTE_SLOW));
    CHECK(l.run() == XPU_OK); /* told once */
    CHECK(o.get()[0] == 9 && counted(XPU_COUNT_SLOW, l) == 2);
}

CASE(dispatch, deferred_checks_raise_at_the_synchronization, BOTH) {
    Array<float> a({10}), o({3});
    Array<int64_t> index({3}, {1, 12, -1});
    a.fill([](int64_t i) { return i; });
    int64_t axes[] = {0};
    Launch l(XPU_OP_gather, {DT(float), DT(float)}, {&a.t, &index.t}, {&o.t});
    l.p.axes = axes;
    l.p.naxes = 1;
    CHECK(l.run() == XPU_INDEX_ERROR);
    CHECK(core_api.synchronize() == XPU_OK);
    manage_api.set_deferred(1);
    CHECK(l.run() == XPU_OK);
    CHECK(core_api.synchronize() == XPU_INDEX_ERROR);
    CHECK(core_api.synchronize() == XPU_OK);
    CHECK(o.get()[0] == 1 && o.get()[2] == 9);
    CHECK(l.run() == XPU_OK);
    float first;
    CHECK(core_api.read(&first, o.storage, 0, 4) == XPU_INDEX_ERROR && core_api.read(&first, o.storage, 0, 4) == XPU_OK);
    manage_api.set_deferred(0);
    CHECK(l.run() == XPU_INDEX_ERROR);
}

CASE(dispatch, launches_note_other_streams, COUNTING) {
    const xpu_backend *b = core_api.backend();
    Array<float> a({1000000}), o({1000000});
    xpu_stream other;
    b->runtime.stream_create(b->ctx, 0, 0, 0, &other);
    core_api.set_stream(0, other);
    CHECK(Launch(XPU_OP_add, {DT(float), DT(float), DT(float)}, {&a.t, &a.t}, {&o.t}).run() == XPU_OK);
    core_api.set_stream(0, nullptr);
    CHECK(a.storage->uses != nullptr && o.storage->uses != nullptr);
    manage_api.stream_closed(0, other);
    b->runtime.stream_destroy(b->ctx, 0, other); /* no event may be recorded in it when the arrays go */
}

CASE(dispatch, devices_and_streams_of_threads, COUNTING) {
    CHECK(core_api.set_device(7) == XPU_INVALID_DEVICE);
    CHECK(core_api.set_device(1) == XPU_OK);
    xpu_storage *s = nullptr;
    core_api.alloc(100, &s);
    CHECK(s->device == 1);
    core_api.release(s);
    std::thread([] {
        int32_t device = -1;
        xpu_stream stream;
        core_api.current(&device, &stream);
        CHECK(device == 0 && stream == nullptr);
    }).join();
    CHECK(core_api.set_device(0) == XPU_OK);
}

CASE(dispatch, threads_launch_at_once, COUNTING) {
    manage_api.set_policy(XPU_FALLBACK_ALLOW);
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k)
        threads.emplace_back([k] {
            Array<float> a({1000}), o({1000});
            Array<double> d({1000}), e({1000});
            Array<int32_t> n({1000});
            a.fill([k](int64_t i) { return k + i; });
            n.fill([](int64_t i) { return static_cast<int32_t>(i); });
            d.fill([k](int64_t i) { return k * i; });
            for (int i = 0; i < 50; ++i) {
                CHECK(STATUS(Launch(XPU_OP_add, {DT(float), DT(float), DT(float)}, {&a.t, &a.t}, {&o.t})) == XPU_OK);
                CHECK(STATUS(Launch(XPU_OP_add, {DT(float), DT(float), DT(float)}, {&a.t, &n.t}, {&o.t})) == XPU_OK);
                CHECK(STATUS(Launch(XPU_OP_add, {DT(double), DT(double), DT(double)}, {&d.t, &d.t}, {&e.t})) == XPU_OK);
            }
            CHECK(o.get()[999] == k + 1998 && e.get()[999] == 2.0 * k * 999);
        });
    for (auto &t : threads) t.join();
}
