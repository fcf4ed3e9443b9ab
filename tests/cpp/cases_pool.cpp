/* The memory pool. */
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>

#include "driver.h"

using xpu::core_api;
using xpu::manage_api;

static xpu_storage *take(size_t n) {
    xpu_storage *s = nullptr;
    xpu_status status = core_api.alloc(n, &s);
    CHECK(status == XPU_OK && s);
    return s;
}

static xpu_pool_stats stats() {
    core_api.open();
    xpu_pool_stats s;
    manage_api.pool_stats(manage_api.default_pool(0), &s);
    return s;
}

CASE(pool, small_blocks_are_reused, BOTH) {
    xpu_storage *a = take(100);
    void *p = a->base;
    core_api.release(a);
    xpu_storage *b = take(100);
    CHECK(b->base == p && b->nbytes == 100);
    core_api.release(b);
}

CASE(pool, blocks_start_aligned, BOTH) {
    core_api.open();
    size_t unit = manage_api.device_props(0)->alignment, padding = manage_api.device_props(0)->padding;
    for (size_t n : {0, 1, 63, 64, 65, 511, 512, 4096, 16384, 16385, 100000, 1 << 20, (1 << 20) + 1, 5000000}) {
        xpu_storage *s = take(n);
        CHECK(reinterpret_cast<size_t>(s->base) % unit == 0);
        CHECK(manage_api.block_size(s) >= n + padding);
        std::memset(touchable(s->base), 1, n + padding);
        core_api.release(s);
    }
}

CASE(pool, live_blocks_never_overlap, BOTH) {
    std::mt19937 random(1);
    std::map<char *, xpu_storage *> live;
    size_t sizes[] = {8, 64, 500, 4000, 20000, 300000, 1 << 20, 3 << 20};
    for (int i = 0; i < 20000; ++i) {
        if (live.size() > 200 || (!live.empty() && random() % 2)) {
            auto it = live.begin();
            std::advance(it, random() % live.size());
            char *memory = static_cast<char *>(touchable(it->first));
            CHECK(memory[0] == static_cast<char>(it->second->nbytes) && memory[it->second->nbytes - 1] == memory[0]);
            core_api.release(it->second);
            live.erase(it);
            continue;
        }
        xpu_storage *s = take(1 + random() % sizes[random() % 8]);
        char *p = static_cast<char *>(s->base), *memory = static_cast<char *>(touchable(p));
        auto next = live.lower_bound(p);
        CHECK(next == live.end() || p + s->nbytes <= next->first);
        if (next != live.begin()) {
            auto before = std::prev(next);
            CHECK(before->first + before->second->nbytes <= p);
        }
        memory[0] = memory[s->nbytes - 1] = static_cast<char>(s->nbytes);
        if (s->nbytes > 1) memory[s->nbytes - 1] = memory[0];
        live[p] = s;
    }
    for (auto &e : live) core_api.release(e.second);
    CHECK(stats().used_bytes == 0);
}

CASE(pool, all_goes_back_to_the_device, BOTH) {
    std::vector<xpu_storage *> list;
    for (int i = 0; i < 3000; ++i) list.push_back(take(i % 7 == 0 ? 100000 + i : i + 1));
    CHECK(stats().used_bytes > 0);
    std::shuffle(list.begin(), list.end(), std::mt19937(2));
    for (xpu_storage *s : list) core_api.release(s);
    manage_api.pool_trim(manage_api.default_pool(0));
    CHECK(stats().used_bytes == 0);
    CHECK(stats().total_bytes == 0);
    CHECK(stats().free_blocks == 0);
}

CASE(pool, large_blocks_are_reused, BOTH) {
    xpu_storage *a = take(40000000);
    void *p = a->base;
    int64_t requests = stats().requests;
    core_api.release(a);
    for (int i = 0; i < 100; ++i) {
        xpu_storage *b = take(40000000);
        CHECK(b->base == p);
        core_api.release(b);
    }
    CHECK(stats().requests == requests);
    manage_api.pool_trim(manage_api.default_pool(0));
}

CASE(pool, a_million_small_allocations_do_not_grow, BOTH) {
    xpu_storage *keep = take(1000);
    xpu_storage *warm[64];
    for (auto &w : warm) w = take(500);
    for (auto &w : warm) core_api.release(w);
    int64_t total = stats().total_bytes;
    xpu_storage *window[16] = {};
    for (int i = 0; i < 1000000; ++i) {
        xpu_storage *&slot = window[i % 16];
        if (slot) core_api.release(slot);
        core_api.alloc(1 + i % 1000, &slot);
    }
    for (xpu_storage *s : window) core_api.release(s);
    core_api.release(keep);
    CHECK(stats().total_bytes <= total + (2 << 20));
    CHECK(stats().used_bytes == 0);
}

CASE(pool, the_limit_holds, BOTH) {
    core_api.open();
    xpu_pool *pool = manage_api.default_pool(0);
    manage_api.pool_trim(pool);
    manage_api.pool_set_limit(pool, 8 << 20);
    xpu_storage *a = take(5 << 20), *b = nullptr;
    CHECK(core_api.alloc(5 << 20, &b) == XPU_OUT_OF_MEMORY);
    std::string text = core_api.last_error();
    CHECK(text.find("limit set to: 8388608") != std::string::npos && text.find("5242880") != std::string::npos);
    core_api.release(a);
    xpu_storage *c = take(6 << 20); /* the cached 5 MiB must go for it */
    CHECK(stats().total_bytes <= 8 << 20);
    core_api.release(c);
    manage_api.pool_set_limit(pool, 0);
    CHECK(core_api.alloc(SIZE_MAX / 2, &b) == XPU_OUT_OF_MEMORY);
    CHECK(core_api.alloc(SIZE_MAX, &b) == XPU_OUT_OF_MEMORY);
}

CASE(pool, a_full_device_frees_what_is_cached, COUNTING) {
    core_api.open();
    manage_api.pool_trim(manage_api.default_pool(0));
    counting_capacity(64 << 20);
    xpu_storage *a = take(40 << 20);
    core_api.release(a);
    xpu_storage *b = take(50 << 20), *c = nullptr;
    CHECK(core_api.alloc(20 << 20, &c) == XPU_OUT_OF_MEMORY);
    core_api.release(b);
    counting_capacity(int64_t(1) << 30);
    manage_api.pool_trim(manage_api.default_pool(0));
}

CASE(pool, shrinking_gives_the_tail_back, BOTH) {
    xpu_storage *a = take(30 << 20);
    int64_t before = stats().used_bytes;
    core_api.shrink(a, 2 << 20);
    CHECK(stats().used_bytes <= before - (27 << 20));
    xpu_storage *b = take(20 << 20);
    CHECK(b->base > a->base && static_cast<char *>(b->base) < static_cast<char *>(a->base) + (30 << 20));
    core_api.release(a);
    core_api.release(b);
    CHECK(stats().used_bytes == 0);
}

static void count_free(void *arg) { ++*static_cast<int *>(arg); }

CASE(pool, wrapped_memory_is_freed_once, BOTH) {
    int freed = 0;
    char memory[64];
    xpu_storage *s = nullptr;
    CHECK(core_api.wrap(memory, 64, 0, count_free, &freed, &s) == XPU_OK);
    core_api.retain(s);
    core_api.release(s);
    CHECK(freed == 0);
    core_api.release(s);
    CHECK(freed == 1);
    CHECK(core_api.wrap(memory, 64, 99, count_free, &freed, &s) == XPU_INVALID_DEVICE);
}

CASE(pool, other_streams_delay_reuse, COUNTING) {
    core_api.open();
    const xpu_backend *b = core_api.backend();
    xpu_stream other;
    b->runtime.stream_create(b->ctx, 0, 0, 0, &other);
    for (size_t n : {1000, 3000000}) {
        xpu_storage *a = take(n);
        void *p = a->base;
        manage_api.note_stream(a, other);
        counting_hold(1);
        core_api.release(a);
        xpu_storage *c = take(n);
        CHECK(c->base != p); /* `other` may still be using it */
        counting_hold(0);
        core_api.release(c);
        std::vector<xpu_storage *> list;
        bool found = false;
        for (int i = 0; i < 64 && !found; ++i) {
            list.push_back(take(n));
            found = list.back()->base == p;
        }
        CHECK(found || n == 1000); /* small ones come from the magazine first */
        for (xpu_storage *s : list) core_api.release(s);
    }
    manage_api.stream_closed(0, other);
    b->runtime.stream_destroy(b->ctx, 0, other);
    manage_api.pool_trim(manage_api.default_pool(0));
    CHECK(stats().used_bytes == 0 && stats().total_bytes == 0);
}

CASE(pool, memory_of_a_closed_stream_is_not_lost, COUNTING) {
    core_api.open();
    const xpu_backend *b = core_api.backend();
    xpu_stream stream;
    b->runtime.stream_create(b->ctx, 0, 0, 0, &stream);
    core_api.set_stream(0, stream);
    xpu_storage *a = take(3000000), *small = take(100);
    core_api.set_stream(0, nullptr);
    xpu_storage *c = take(3000000);
    CHECK(c->base != a->base);
    manage_api.stream_closed(0, stream);
    b->runtime.stream_destroy(b->ctx, 0, stream);
    core_api.release(a);
    core_api.release(small);
    core_api.release(c);
    manage_api.pool_trim(manage_api.default_pool(0));
    CHECK(stats().used_bytes == 0 && stats().total_bytes == 0);
}

CASE(pool, many_streams_leave_nothing_behind, COUNTING) {
    core_api.open();
    std::thread([] {
        const xpu_backend *b = core_api.backend();
        for (int i = 0; i < 300; ++i) {
            xpu_stream stream;
            b->runtime.stream_create(b->ctx, 0, 0, 0, &stream);
            core_api.set_stream(0, stream);
            xpu_storage *s = take(100 + i);
            core_api.set_stream(0, nullptr);
            if (i % 2) core_api.release(s);
            std::thread([=] { manage_api.stream_closed(0, stream); }).join();
            b->runtime.stream_destroy(b->ctx, 0, stream);
            if (i % 2 == 0) core_api.release(s);
        }
        CHECK(manage_api.default_pool(0)->magazines.size() < 8);
        CHECK(manage_api.default_pool(0)->arenas.size() < 4);
    }).join();
    CHECK(stats().used_bytes == 0);
}

CASE(pool, streams_have_memory_of_their_own, COUNTING) {
    core_api.open();
    xpu_storage *a = take(5000000);
    void *p = a->base;
    core_api.release(a);
    core_api.set_stream(0, reinterpret_cast<xpu_stream>(8));
    xpu_storage *b = take(5000000);
    CHECK(b->base != p);
    core_api.release(b);
    core_api.set_stream(0, nullptr);
    xpu_storage *c = take(5000000);
    CHECK(c->base == p);
    core_api.release(c);
    manage_api.stream_closed(0, reinterpret_cast<xpu_stream>(8));
}

CASE(pool, workspaces, BOTH) {
    core_api.open();
    for (size_t n : {1, 1000, 100000, 4000000}) {
        void *p = xpu::services()->workspace_alloc(0, nullptr, n);
        CHECK(p != nullptr && reinterpret_cast<size_t>(p) % 64 == 0);
        std::memset(touchable(p), 7, n);
        xpu::services()->workspace_free(0, nullptr, p);
    }
    CHECK(xpu::services()->workspace_alloc(0, nullptr, SIZE_MAX / 2) == nullptr);
    xpu::services()->workspace_free(0, nullptr, nullptr);
    CHECK(stats().used_bytes == 0);
}

static int g_source_calls = 0, g_source_dropped = 0;
static xpu_status source_malloc(void *, int32_t, size_t n, void **ptr, void **cookie) {
    *cookie = *ptr = std::malloc(n + 4096);
    *ptr = reinterpret_cast<void *>((reinterpret_cast<size_t>(*ptr) + 4095) & ~size_t(4095));
    ++g_source_calls;
    return XPU_OK;
}
static void source_free(void *, int32_t, void *, size_t, void *cookie) { std::free(cookie); }
static void source_drop(void *) { ++g_source_dropped; }

CASE(pool, a_pool_of_the_user_lives_until_its_last_block, BOTH) {
    core_api.open();
    xpu_pool_source source = {source_malloc, source_free, source_drop, nullptr};
    xpu_pool *pool = manage_api.pool_create(0, &source);
    xpu_storage *a = nullptr, *b = nullptr;
    CHECK(manage_api.pool_alloc(pool, 1000, nullptr, &a) == XPU_OK && manage_api.pool_alloc(pool, 1000, nullptr, &b) == XPU_OK);
    CHECK(g_source_calls == 1);
    manage_api.pool_destroy(pool);
    CHECK(g_source_dropped == 0);
    core_api.release(a);
    core_api.release(b);
    CHECK(g_source_dropped == 1);
}

/* --- threads --- */

CASE(pool, threads_allocate_and_free, BOTH) {
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k)
        threads.emplace_back([k] {
            std::mt19937 random(k);
            std::vector<xpu_storage *> live;
            for (int i = 0; i < 5000; ++i) {
                if (live.size() > 50 || (!live.empty() && random() % 2)) {
                    std::swap(live[random() % live.size()], live.back());
                    CHECK(*static_cast<int *>(touchable(live.back()->base)) == k);
                    core_api.release(live.back());
                    live.pop_back();
                } else {
                    live.push_back(take(4 + random() % (random() % 8 ? 2000 : 2000000)));
                    *static_cast<int *>(touchable(live.back()->base)) = k;
                }
            }
            for (xpu_storage *s : live) core_api.release(s);
        });
    for (auto &t : threads) t.join();
    CHECK(stats().used_bytes == 0);
}

CASE(pool, storages_pass_between_threads, BOTH) {
    std::mutex lock;
    std::condition_variable ready;
    std::vector<xpu_storage *> queue;
    bool done = false;
    std::thread consumer([&] {
        for (;;) {
            std::unique_lock<std::mutex> guard(lock);
            ready.wait(guard, [&] { return done || !queue.empty(); });
            if (queue.empty()) return;
            xpu_storage *s = queue.back();
            queue.pop_back();
            guard.unlock();
            CHECK(*static_cast<int64_t *>(touchable(s->base)) == 42);
            core_api.release(s);
        }
    });
    for (int i = 0; i < 5000; ++i) {
        xpu_storage *s = take(8 + i % 3000);
        *static_cast<int64_t *>(touchable(s->base)) = 42;
        core_api.retain(s);
        {
            std::lock_guard<std::mutex> guard(lock);
            queue.push_back(s);
        }
        ready.notify_one();
        core_api.release(s);
    }
    {
        std::lock_guard<std::mutex> guard(lock);
        done = true;
    }
    ready.notify_one();
    consumer.join();
    CHECK(stats().used_bytes == 0);
}

CASE(pool, trimming_while_others_work, BOTH) {
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (int k = 0; k < 3; ++k)
        threads.emplace_back([&] {
            for (int i = 0; !stop; ++i) core_api.release(take(1 + (i * 7919) % 3000000));
        });
    for (int i = 0; i < 200; ++i) {
        manage_api.pool_trim(manage_api.default_pool(0));
        CHECK(stats().total_bytes >= 0);
    }
    stop = true;
    for (auto &t : threads) t.join();
    CHECK(stats().used_bytes == 0);
}

CASE(pool, a_forked_child, BOTH) {
    xpu_storage *a = take(100);
    pid_t child = fork();
    if (child == 0) {
        xpu_storage *s = nullptr;
        xpu_status status = core_api.alloc(200, &s);
        bool good = g_counting ? status == XPU_FORKED && std::strstr(core_api.last_error(), "fork") : status == XPU_OK;
        if (s) core_api.release(s);
        core_api.release(a);
        _exit(good ? 0 : 1);
    }
    int state = 0;
    waitpid(child, &state, 0);
    CHECK(WIFEXITED(state) && WEXITSTATUS(state) == 0);
    core_api.release(a);
}
