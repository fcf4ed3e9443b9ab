/* The thread pool. One job at a time; whoever finds the pool taken runs its job inline.
 *
 * `gate` holds the job's number (its lowest bit of that part: open or closed) and how many workers are in it. Workers join while it is
 * open, take pieces from `next`, and leave. The caller takes pieces too, closes the gate, and waits only for the workers that are in:
 * one that has not woken up yet holds nobody up.
 *
 * A worker that is in, but has lost its core to another process, does. So a job that had to wait long for its workers or for a core, or one
 * of several in a row that got no help, makes the next ones run inline for a multiple of the time that was lost. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/futex.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <ctime>

#include "host.h"

namespace host {
namespace {

constexpr uint32_t kOpen = 1u << 16;       /* odd numbers of jobs are open */
constexpr uint32_t kInside = kOpen - 1;    /* workers in the job */
constexpr int kPiecesPerThread = 4;
constexpr int64_t kSpinNanoseconds = 20000;
constexpr int64_t kRestPerWait = 32, kRestPerJob = 8, kMostRest = 1000000000, kShortWait = 50000; /* nanoseconds */
constexpr int64_t kLongJob = 100000;       /* after one of these the next one asks for its processor time too, which is a system call */
constexpr int kMisses = 4;                 /* jobs without help; a single one only came before the workers had woken up */

struct Pool {
    std::atomic<bool> taken{false};
    std::atomic<uint32_t> gate{0};
    std::atomic<uint32_t> sleepers{0};
    std::atomic<uint32_t> left{0};          /* counts workers leaving a closed job; the caller sleeps on it */
    std::atomic<int64_t> rest_until{0};     /* jobs run inline until this time */
    int started = 0, misses = 0;            /* workers, jobs in a row without their help; guarded by `taken`, as is */
    int64_t last = 0;                       /* the time that the last job took */
    /* the job; written before the gate opens */
    void (*body)(void *, int64_t, int64_t, int) = nullptr;
    void *ctx = nullptr;
    int64_t n = 0, piece = 1;
    alignas(64) std::atomic<int64_t> next{0};
};
Pool g_pool;
thread_local bool t_inside = false; /* this thread is in a job: nested ones run inline */

int count_threads() {
    const char *text = getenv("CUPY_HOST_THREADS");
    if (text && *text) {
        const long wanted = strtol(text, nullptr, 10);
        if (wanted > 0)
            return static_cast<int>(std::min<long>(wanted, kMaxThreads));
    }
    cpu_set_t set;
    const int found = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    return std::max(1, std::min(found, kMaxThreads));
}

void futex_wait(std::atomic<uint32_t> *word, uint32_t value) {
    syscall(SYS_futex, reinterpret_cast<uint32_t *>(word), FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}
void futex_wake(std::atomic<uint32_t> *word, int count) {
    syscall(SYS_futex, reinterpret_cast<uint32_t *>(word), FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

inline void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield" ::: "memory");
#endif
}

int64_t now() {
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}

int64_t processor_time() {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000 + t.tv_nsec;
}

bool resting() {
    const int64_t until = g_pool.rest_until.load(std::memory_order_relaxed);
    return until && now() < until;
}

/* Spins until ready() or the time is over; true if ready. */
template <class F> bool spin(F &&ready) {
    const int64_t end = now() + kSpinNanoseconds;
    do {
        for (int i = 0; i < 64; ++i) {
            if (ready())
                return true;
            relax();
        }
    } while (now() < end);
    return false;
}

/* Returns how many elements were done here. */
int64_t take_pieces(int worker) {
    Pool &p = g_pool;
    for (int64_t done = 0;;) {
        const int64_t begin = p.next.fetch_add(p.piece, std::memory_order_relaxed);
        if (begin >= p.n)
            return done;
        const int64_t end = std::min(begin + p.piece, p.n);
        p.body(p.ctx, begin, end, worker);
        done += end - begin;
    }
}

/* Joins the open job after number `seen`, if it is still open. */
bool join(uint32_t *seen) {
    uint32_t gate = g_pool.gate.load(std::memory_order_acquire);
    while ((gate & kOpen) && gate / kOpen != *seen)
        if (g_pool.gate.compare_exchange_weak(gate, gate + 1, std::memory_order_acq_rel)) {
            *seen = gate / kOpen;
            return true;
        }
    return false;
}

void leave() {
    const uint32_t gate = g_pool.gate.fetch_sub(1, std::memory_order_acq_rel) - 1;
    if (!(gate & kOpen) && !(gate & kInside)) { /* the last one out of a closed job */
        g_pool.left.fetch_add(1, std::memory_order_release);
        futex_wake(&g_pool.left, 1);
    }
}

void *work(void *arg) {
    const int worker = static_cast<int>(reinterpret_cast<intptr_t>(arg));
    Pool &p = g_pool;
    uint32_t seen = 0;
    t_inside = true;
    for (;;) {
        const bool found = spin([&] {
            const uint32_t gate = p.gate.load(std::memory_order_relaxed);
            return (gate & kOpen) && gate / kOpen != seen;
        });
        if (found) {
            if (join(&seen)) {
                take_pieces(worker);
                leave();
            }
            continue;
        }
        p.sleepers.fetch_add(1); /* sequentially consistent with run_job's opening: one of the two sees the other */
        const uint32_t gate = p.gate.load();
        if (!(gate & kOpen) || gate / kOpen == seen)
            futex_wait(&p.gate, gate);
        p.sleepers.fetch_sub(1);
    }
    return nullptr;
}

void start_workers(int wanted) {
    sigset_t all, old;
    sigfillset(&all); /* signals stay with the threads of Python */
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    Pool &p = g_pool;
    while (p.started < wanted && pthread_create(&thread, &attributes, work, reinterpret_cast<void *>(intptr_t(p.started + 1))) == 0)
        ++p.started;
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
}

/* The workers are gone in a child; it starts its own at its first job. */
void forget_workers() {
    Pool &p = g_pool;
    p.started = p.misses = 0;
    p.last = 0;
    p.taken = false;
    p.gate = 0;
    p.sleepers = 0;
    p.rest_until = 0;
    t_inside = false;
}

void run_job(int64_t n, int64_t piece, void (*body)(void *, int64_t, int64_t, int), void *ctx, int workers) {
    Pool &p = g_pool;
    if (p.started < workers)
        start_workers(workers);
    p.body = body;
    p.ctx = ctx;
    p.n = n;
    p.piece = piece;
    p.next.store(0, std::memory_order_relaxed);
    const bool is_long = p.last > kLongJob;
    const int64_t start = now(), used = is_long ? processor_time() : 0;
    p.gate.fetch_add(kOpen);
    if (p.sleepers.load() > 0)
        futex_wake(&p.gate, static_cast<int>(std::min<int64_t>(workers, (n - 1) / piece)));
    t_inside = true;
    const int64_t done = take_pieces(0);
    t_inside = false;
    const int64_t worked = now() - start;
    const uint32_t before = p.left.load(std::memory_order_acquire);
    const uint32_t gate = p.gate.fetch_add(kOpen, std::memory_order_acq_rel);
    if (gate & kInside) {
        const auto empty = [&] { return !(p.gate.load(std::memory_order_acquire) & kInside); };
        if (!spin(empty))
            while (!empty())
                futex_wait(&p.left, before);
    }
    const int64_t end = now(), busy = is_long ? processor_time() - used : worked, waited = end - start - busy;
    p.last = end - start;
    p.misses = done == n ? p.misses + 1 : 0;
    const int64_t rest = p.misses >= kMisses ? kRestPerJob * busy : waited > std::max(busy / 4, kShortWait) ? kRestPerWait * waited : 0;
    p.rest_until.store(rest ? end + std::min(rest, kMostRest) : 0, std::memory_order_relaxed);
}

} // namespace

int thread_count() {
    static const int count = [] {
        pthread_atfork(nullptr, nullptr, forget_workers);
        return count_threads();
    }();
    return count;
}

int usable_threads() { return t_inside || thread_count() == 1 || resting() ? 1 : thread_count(); }

void parallel_run(int64_t n, int64_t grain, void (*body)(void *ctx, int64_t begin, int64_t end, int worker), void *ctx) {
    if (n <= 0)
        return;
    grain = std::max<int64_t>(grain, 1);
    const int threads = n >= 2 * grain ? usable_threads() : 1;
    if (threads == 1 || g_pool.taken.exchange(true, std::memory_order_acquire)) {
        body(ctx, 0, n, 0);
        return;
    }
    const int64_t pieces = std::min<int64_t>(n / grain, int64_t(threads) * kPiecesPerThread);
    int64_t piece = (n + pieces - 1) / std::max<int64_t>(pieces, 1);
    if (piece >= 4096)
        piece = (piece + 63) / 64 * 64; /* whole cache lines to each thread */
    run_job(n, piece, body, ctx, threads - 1);
    g_pool.taken.store(false, std::memory_order_release);
}

} // namespace host
