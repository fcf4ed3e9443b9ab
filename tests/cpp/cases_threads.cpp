/* The host backend's thread pool. */
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>

#include "driver.h"
#include "host.h"

/* Each index exactly once, whatever the pieces. */
static void cover(int64_t n, int64_t grain) {
    std::unique_ptr<std::atomic<int>[]> seen(new std::atomic<int>[n + 1]());
    std::atomic<bool> good{true};
    host::parallel(n, grain, [&](int64_t begin, int64_t end, int worker) {
        if (begin < 0 || end > n || begin > end || worker < 0 || worker >= host::thread_count()) good = false;
        for (int64_t i = begin; i < end; ++i) seen[i].fetch_add(1, std::memory_order_relaxed);
    });
    CHECK(good);
    int64_t once = 0;
    for (int64_t i = 0; i < n; ++i) once += seen[i] == 1;
    CHECK(once == n);
}

CASE(threads, every_index_once, HOST) {
    for (int64_t n : {0, 1, 2, 3, 63, 64, 65, 1000, 4096, 99999})
        for (int64_t grain : {0, 1, 2, 64, 1000, 100000}) cover(n, grain);
}

CASE(threads, many_jobs_one_after_the_other, HOST) {
    std::atomic<int64_t> sum{0};
    for (int i = 0; i < 3000; ++i)
        host::parallel(100, 10, [&](int64_t b, int64_t e, int) { sum.fetch_add(e - b, std::memory_order_relaxed); });
    CHECK(sum == 300000);
}

CASE(threads, nested_jobs_run_inline, HOST) {
    std::atomic<int64_t> sum{0};
    host::parallel(64, 1, [&](int64_t b, int64_t e, int) {
        for (int64_t i = b; i < e; ++i) host::parallel(100, 1, [&](int64_t x, int64_t y, int) { sum.fetch_add(y - x,
            std::memory_order_relaxed); });
    });
    CHECK(sum == 6400);
}

CASE(threads, several_callers_at_once, HOST) {
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k)
        threads.emplace_back([] {
            for (int i = 0; i < 300; ++i) cover(1000 + i, 50);
        });
    for (auto &t : threads) t.join();
}

CASE(threads, results_of_workers_are_seen_by_the_caller, HOST) {
    std::vector<int64_t> data(200000);
    for (int round = 1; round < 50; ++round) {
        host::parallel(static_cast<int64_t>(data.size()), 1000, [&](int64_t b, int64_t e, int) {
            for (int64_t i = b; i < e; ++i) data[i] += i;
        });
    }
    bool good = true;
    for (size_t i = 0; i < data.size(); ++i) good &= data[i] == static_cast<int64_t>(49 * i);
    CHECK(good);
}

CASE(threads, a_forked_child_has_workers_of_its_own, HOST) {
    cover(10000, 10);
    pid_t child = fork();
    if (child == 0) {
        cover(10000, 10);
        _exit(g_failures ? 1 : 0);
    }
    int state = 0;
    waitpid(child, &state, 0);
    CHECK(WIFEXITED(state) && WEXITSTATUS(state) == 0);
}

CASE(threads, temporary_memory, HOST) {
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k)
        threads.emplace_back([k] {
            for (int i = 0; i < 500; ++i) {
                host::Temp a(1 + i * 37 % 5000), b(i % 50 == 0 ? 3000000 : 100);
                CHECK(a.ptr && b.ptr);
                std::memset(a.ptr, k, 1 + i * 37 % 5000);
                std::memset(b.ptr, k, 100);
                CHECK(*a.as<char>() == k);
            }
        });
    for (auto &t : threads) t.join();
}
