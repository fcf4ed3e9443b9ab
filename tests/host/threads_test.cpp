/* Exercises the host backend's thread pool by itself; built and run by test_threads.py, with and without the thread sanitizer. */
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "host.h"

using host::parallel;

#define CHECK(x)                                                   \
    if (!(x)) {                                                    \
        fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x);    \
        exit(1);                                                   \
    }

/* Each element is visited once, by workers whose number is in range. */
void visit_once(int64_t n, int64_t grain) {
    std::vector<int> seen(n);
    parallel(n, grain, [&](int64_t begin, int64_t end, int worker) {
        CHECK(0 <= begin && begin < end && end <= n && worker >= 0 && worker < host::thread_count());
        CHECK(end - begin >= grain || end == n);
        for (int64_t i = begin; i < end; ++i)
            ++seen[i];
    });
    for (int64_t i = 0; i < n; ++i)
        CHECK(seen[i] == 1);
}

void nested() {
    std::atomic<int64_t> sum{0};
    parallel(100, 1, [&](int64_t begin, int64_t end, int) {
        for (int64_t i = begin; i < end; ++i)
            parallel(1000, 10, [&](int64_t b, int64_t e, int) { sum += e - b; });
    });
    CHECK(sum == 100000);
}

void from_several_threads() {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([] {
            for (int k = 0; k < 300; ++k)
                visit_once(1000 + k, 10);
        });
    for (auto &t : threads)
        t.join();
}

void many_jobs() {
    for (int k = 0; k < 70000; ++k) { /* more than job numbers have bits for */
        int64_t sum[host::kMaxThreads] = {};
        parallel(64, 1, [&](int64_t b, int64_t e, int worker) { sum[worker] += e - b; });
        int64_t total = 0;
        for (int64_t s : sum)
            total += s;
        CHECK(total == 64);
        if (k % 1000 == 0)
            usleep(200); /* workers fall asleep */
    }
}

void in_child() {
    for (int k = 0; k < 3; ++k) {
        const pid_t child = fork();
        if (child == 0) {
            visit_once(100000, 100);
            nested();
            _exit(0);
        }
        int status = -1;
        CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
        visit_once(100000, 100);
    }
}

int main(int argc, char **) {
    for (int64_t n : {0, 1, 2, 7, 100, 5000, 100003})
        for (int64_t grain : {1, 3, 1000, 200000})
            visit_once(n, grain);
    nested();
    from_several_threads();
    many_jobs();
    if (argc > 1) /* not under the sanitizer, which does not follow forks of a process with threads */
        in_child();
    puts("threads: good");
    return 0;
}
