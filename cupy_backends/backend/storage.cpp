/* Storages: counted owners of memory. Small ones are taken from and put into the thread's magazine without a lock. */
#include <algorithm>
#include <cstdlib>
#include <unordered_map>
#include <unordered_set>

#include "pool.h"

namespace xpu {

std::atomic<const xpu_hooks *> hooks{nullptr};

namespace {

constexpr int64_t kMagazineBytes = int64_t(1) << 20; /* more than this at hand in one thread goes back to the pool */
constexpr size_t kBatchBytes = size_t(16) << 10;
constexpr int kMaxRecords = 1024;
const xpu_hooks no_hooks = {nullptr, nullptr, nullptr};

xpu_pool *default_pools[kMaxDevices]; /* live as long as the process */
std::mutex pools_lock;                /* guards the list below */
std::vector<xpu_pool *> &all_pools = *new std::vector<xpu_pool *>(); /* outlives static objects, as threads may */

std::mutex uses_lock;
struct Uses {
    std::vector<xpu_stream> streams;
};
/* Streams that were closed: no event is recorded in them. One made later at the same address leaves the set when it is noted. */
std::unordered_set<xpu_stream> &closed_streams = *new std::unordered_set<xpu_stream>();

/* The streams noted on a storage that are still there. */
std::vector<xpu_stream> take_uses(xpu_storage *s) {
    std::lock_guard<std::mutex> guard(uses_lock);
    auto *uses = static_cast<Uses *>(s->uses);
    s->uses = nullptr;
    std::vector<xpu_stream> live;
    for (xpu_stream stream : uses->streams)
        if (!closed_streams.count(stream)) live.push_back(stream);
    delete uses;
    return live;
}

xpu_storage *new_record(Thread &t) {
    xpu_storage *s = t.records;
    if (!s) return new xpu_storage();
    t.records = static_cast<xpu_storage *>(s->free_arg);
    --t.nrecords;
    return s;
}

void drop_record(Thread &t, xpu_storage *s) {
    if (t.nrecords >= kMaxRecords) {
        delete s;
        return;
    }
    s->free_arg = t.records;
    t.records = s;
    ++t.nrecords;
}

void fill_record(xpu_storage *s, Block *b, size_t nbytes, int32_t device, xpu_stream stream, uint64_t id) {
    *s = {b->ptr, nbytes, device, 1, stream, nullptr, nullptr, b, nullptr, id};
}

inline void add_to(std::atomic<int64_t> &counter, int64_t n) { /* one writer: no locked instruction needed */
    counter.store(counter.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
}

inline int64_t class_bytes(const Magazine *m, size_t k) { return static_cast<int64_t>(k ? k : 1) << m->shift; }

void flush(Thread &t, Magazine *m) {
    Block *batch[256];
    int n = 0;
    for (xpu_storage *&head : m->heads) {
        while (xpu_storage *s = head) {
            head = static_cast<xpu_storage *>(s->free_arg);
            batch[n++] = static_cast<Block *>(s->block);
            drop_record(t, s);
            if (n == 256) m->pool->give(batch, n), n = 0;
        }
    }
    m->bytes.store(0, std::memory_order_relaxed);
    m->blocks.store(0, std::memory_order_relaxed);
    if (n) m->pool->give(batch, n);
}

/* Drops the magazines of closed streams; all of them when the thread ends. */
void drop_magazines(Thread &t, bool all) {
    for (Magazine **at = &t.magazines; *at;) {
        Magazine *m = *at;
        if (!all && !m->arena->closed) {
            at = &m->next;
            continue;
        }
        flush(t, m);
        *at = m->next;
        if (t.magazine == m) t.magazine = nullptr;
        m->pool->drop_magazine(m);
    }
}

Magazine *select_magazine(Thread &t) {
    drop_magazines(t, false);
    xpu_pool *pool = default_pools[t.device];
    std::lock_guard<std::mutex> guard(pool->lock);
    Arena *arena = pool->arena_of(t.stream);
    for (Magazine *m = t.magazines; m; m = m->next)
        if (m->arena_id == arena->id) return t.magazine = m;
    auto *m = new Magazine();
    m->arena_id = arena->id;
    m->arena = arena;
    ++arena->magazines;
    m->pool = pool;
    m->shift = __builtin_ctzll(pool->unit);
    m->slack = pool->padding + pool->unit - 1;
    m->max_bytes = (std::min<size_t>(Magazine::kClasses - 1, (size_t(64) << 10) >> m->shift) << m->shift) - pool->padding;
    m->epoch = pool->epoch.load();
    m->next = t.magazines;
    pool->magazines.push_back(m);
    t.magazines = t.magazine = m;
    return m;
}

inline void push(Magazine *m, size_t k, xpu_storage *s) {
    s->free_arg = m->heads[k];
    m->heads[k] = s;
    add_to(m->bytes, class_bytes(m, k));
    add_to(m->blocks, 1);
}

inline xpu_storage *pop(Magazine *m, size_t k, size_t nbytes) {
    xpu_storage *s = m->heads[k];
    if (XPU_UNLIKELY(!s)) return nullptr;
    m->heads[k] = static_cast<xpu_storage *>(s->free_arg);
    add_to(m->bytes, -class_bytes(m, k));
    add_to(m->blocks, -1);
    s->nbytes = nbytes;
    __atomic_store_n(&s->refs, 1, __ATOMIC_RELAXED);
    return s;
}

/* Takes a few blocks of one class into the magazine. */
xpu_status refill(Thread &t, Magazine *m, size_t k) {
    uint64_t epoch = m->pool->epoch.load(std::memory_order_relaxed);
    if (m->epoch != epoch) {
        flush(t, m);
        m->epoch = epoch;
    }
    Block *batch[16];
    size_t size = class_bytes(m, k);
    int n = m->pool->take_small(m->arena, size, static_cast<int>(std::max<size_t>(1, std::min<size_t>(16, kBatchBytes / size))), batch);
    if (!n) {
        xpu_status status = m->pool->take(size - m->pool->padding, t.stream, batch);
        if (status != XPU_OK) return status;
        n = 1;
    }
    while (n--) {
        xpu_storage *s = new_record(t);
        fill_record(s, batch[n], 0, t.device, t.stream, (m->arena_id << 16) | k);
        push(m, k, s);
    }
    return XPU_OK;
}

xpu_status allocate(size_t nbytes, xpu_storage **out) {
    Thread &t = thread();
    Magazine *m = t.magazine ? t.magazine : select_magazine(t);
    if (nbytes <= m->max_bytes) {
        size_t k = (nbytes + m->slack) >> m->shift;
        if (!m->heads[k]) {
            xpu_status status = refill(t, m, k);
            if (status != XPU_OK) return status;
        }
        *out = pop(m, k, nbytes);
        return XPU_OK;
    }
    Block *b = nullptr;
    xpu_status status = m->pool->take(nbytes, t.stream, &b);
    if (status != XPU_OK) return status;
    fill_record(*out = new_record(t), b, nbytes, t.device, t.stream, 0);
    return XPU_OK;
}

__attribute__((noinline)) xpu_status alloc_slow(size_t nbytes, xpu_storage **out) {
    const xpu_hooks *h = hooks.load(std::memory_order_acquire);
    if (XPU_UNLIKELY(active.forked)) return fail_forked();
    xpu_status status = ensure_open();
    if (status != XPU_OK) return status;
    if (h && h->alloc && (status = h->alloc(nbytes, out)) != XPU_NOT_SUPPORTED) return status;
    return allocate(nbytes, out);
}

void give_block(Thread &t, xpu_storage *s) {
    auto *b = static_cast<Block *>(s->block);
    xpu_pool *pool = b->segment->pool;
    std::vector<xpu_stream> streams;
    if (s->uses) streams = take_uses(s);
    if (streams.empty()) pool->give(&b, 1);
    else pool->give_after(b, streams.data(), streams.size());
    drop_record(t, s);
    if (!pool->is_default) drop_pool(pool);
}

/* The last owner is gone. */
__attribute__((noinline)) void release_slow(xpu_storage *s) {
    Thread &t = thread();
    if (!s->block) {
        if (s->free_fn) s->free_fn(s->free_arg);
        delete static_cast<Uses *>(s->uses);
        drop_record(t, s);
        return;
    }
    const xpu_hooks *h = hooks.load(std::memory_order_acquire);
    int32_t device = s->device;
    void *ptr = s->base;
    size_t nbytes = static_cast<Block *>(s->block)->size;
    if (h && h->release) h->release(device, nbytes, ptr, 0);
    Magazine *m = t.magazine;
    if (!s->uses && m && s->pool_id >> 16 == m->arena_id) {
        push(m, s->pool_id & 0xffff, s);
        if (m->bytes.load(std::memory_order_relaxed) > kMagazineBytes) flush(t, m);
    } else {
        give_block(t, s);
    }
    if (h && h->release) h->release(device, nbytes, ptr, 1);
}

/* CUPY_XPU_MEMORY_LIMIT, or CuPy's CUPY_GPU_MEMORY_LIMIT: bytes, or a percentage of the device's memory. */
xpu_status read_limit(int64_t total, int64_t *limit) {
    const char *name = "CUPY_XPU_MEMORY_LIMIT";
    const char *text = std::getenv(name);
    if (!text || !*text) text = std::getenv(name = "CUPY_GPU_MEMORY_LIMIT");
    *limit = 0;
    if (!text || !*text) return XPU_OK;
    char *end = nullptr;
    double value = std::strtod(text, &end);
    bool percent = *end == '%';
    if (end == text || end[percent] != '\0' || !(value >= 0) || (percent && value > 100) || value > 9e18)
        return fail(XPU_INVALID_ARGUMENT, "%s='%s' is neither a number of bytes nor a percentage such as 80%%", name, text);
    *limit = static_cast<int64_t>(percent ? value / 100 * static_cast<double>(total) : value);
    return XPU_OK;
}

} // namespace

/* --- what the tables offer --- */

xpu_status alloc(size_t nbytes, xpu_storage **out) {
    Thread *t = this_thread;
    if (XPU_LIKELY(t && t->magazine && !hooks.load(std::memory_order_relaxed))) {
        Magazine *m = t->magazine;
        if (XPU_LIKELY(nbytes <= m->max_bytes)) {
            if (xpu_storage *s = pop(m, (nbytes + m->slack) >> m->shift, nbytes)) {
                *out = s;
                return XPU_OK;
            }
        }
    }
    return alloc_slow(nbytes, out);
}

void retain(xpu_storage *s) { __atomic_add_fetch(&s->refs, 1, __ATOMIC_RELAXED); }

void release(xpu_storage *s) {
    /* the only owner needs no locked instruction */
    if (__atomic_load_n(&s->refs, __ATOMIC_ACQUIRE) != 1 && __atomic_sub_fetch(&s->refs, 1, __ATOMIC_ACQ_REL) != 0) return;
    Thread *t = this_thread;
    if (XPU_LIKELY(t && t->magazine && !hooks.load(std::memory_order_relaxed) && !s->uses)) {
        Magazine *m = t->magazine;
        if (XPU_LIKELY(s->pool_id >> 16 == m->arena_id && m->bytes.load(std::memory_order_relaxed) < kMagazineBytes)) {
            push(m, s->pool_id & 0xffff, s);
            return;
        }
    }
    release_slow(s);
}

xpu_status wrap(void *ptr, size_t nbytes, int32_t device, void (*free_fn)(void *), void *arg, xpu_storage **out) {
    xpu_status status = ensure_open();
    if (status != XPU_OK) return status;
    if (device < 0 || device >= active.devices) return fail(XPU_INVALID_DEVICE, "invalid device ordinal %d", device);
    Thread &t = thread();
    xpu_storage *s = new_record(t);
    *s = {ptr, nbytes, device, 1, t.stream, free_fn, arg, nullptr, nullptr, 0};
    *out = s;
    return XPU_OK;
}

void shrink(xpu_storage *s, size_t nbytes) {
    if (nbytes >= s->nbytes) return;
    auto *b = static_cast<Block *>(s->block);
    if (b && !s->pool_id && !s->uses) b->segment->pool->shrink(b, nbytes);
    s->nbytes = nbytes;
}

xpu_status pool_alloc(xpu_pool *pool, size_t nbytes, xpu_stream stream, xpu_storage **out) {
    if (XPU_UNLIKELY(active.forked)) return fail_forked();
    Block *b = nullptr;
    xpu_status status = pool->take(nbytes, stream, &b);
    if (status != XPU_OK) return status;
    if (!pool->is_default) pool->refs.fetch_add(1);
    fill_record(*out = new_record(thread()), b, nbytes, pool->device, stream, 0);
    return XPU_OK;
}

size_t block_size(const xpu_storage *s) { return s->block ? static_cast<const Block *>(s->block)->size : s->nbytes; }

void note_stream(xpu_storage *s, xpu_stream stream) {
    if (!s || s->stream == stream || (active.caps & XPU_CAP_HOST_MEMORY)) return;
    std::lock_guard<std::mutex> guard(uses_lock);
    closed_streams.erase(stream);
    if (!s->uses) s->uses = new Uses();
    auto &list = static_cast<Uses *>(s->uses)->streams;
    if (std::find(list.begin(), list.end(), stream) == list.end()) list.push_back(stream);
}

/* --- workspaces: a storage behind a plain pointer --- */

namespace {

struct Workspaces {
    std::mutex lock;
    std::unordered_map<void *, xpu_storage *> map;
};
Workspaces &workspaces() {
    static auto *w = new Workspaces();
    return *w;
}

size_t header_size() { return std::max<size_t>(64, device_props(0)->alignment); }

} // namespace

void *workspace_alloc(int32_t device, xpu_stream stream, size_t nbytes) {
    if (ensure_open() != XPU_OK) return nullptr;
    Thread &t = thread();
    xpu_storage *s = nullptr;
    bool host = active.caps & XPU_CAP_HOST_MEMORY;
    size_t head = host ? header_size() : 0;
    if (nbytes > SIZE_MAX / 4) return nullptr;
    bool current = t.device == device && (host || t.stream == stream);
    xpu_pool *pool = default_pool(device);
    if (!pool || (current ? allocate(nbytes + head, &s) : pool_alloc(pool, nbytes + head, stream, &s)) != XPU_OK) return nullptr;
    if (host) {
        *static_cast<xpu_storage **>(s->base) = s;
        return static_cast<char *>(s->base) + head;
    }
    Workspaces &w = workspaces();
    std::lock_guard<std::mutex> guard(w.lock);
    w.map[s->base] = s;
    return s->base;
}

void workspace_free(int32_t, xpu_stream, void *ptr) {
    if (!ptr) return;
    xpu_storage *s = nullptr;
    if (active.caps & XPU_CAP_HOST_MEMORY) {
        s = *reinterpret_cast<xpu_storage **>(static_cast<char *>(ptr) - header_size());
    } else {
        Workspaces &w = workspaces();
        std::lock_guard<std::mutex> guard(w.lock);
        auto found = w.map.find(ptr);
        if (found == w.map.end()) return;
        s = found->second;
        w.map.erase(found);
    }
    release(s);
}

/* --- pools --- */

xpu_status open_pools() {
    for (int i = 0; i < active.devices; ++i) {
        int64_t limit = 0;
        xpu_status status = read_limit(device_props(i)->total_memory, &limit);
        if (status != XPU_OK) return status;
        if (!default_pools[i]) default_pools[i] = make_pool(i, nullptr);
        default_pools[i]->is_default = true;
        default_pools[i]->limit = limit;
    }
    return XPU_OK;
}

xpu_pool *default_pool(int32_t device) { return device >= 0 && device < active.devices ? default_pools[device] : nullptr; }

xpu_pool *make_pool(int32_t device, const xpu_pool_source *source) {
    auto *pool = new xpu_pool(device, source);
    std::lock_guard<std::mutex> guard(pools_lock);
    all_pools.push_back(pool);
    return pool;
}

void drop_pool(xpu_pool *pool) {
    if (pool->refs.fetch_sub(1) != 1) return;
    {
        std::lock_guard<std::mutex> guard(pools_lock);
        all_pools.erase(std::find(all_pools.begin(), all_pools.end(), pool));
    }
    delete pool;
}

void pool_stats(xpu_pool *pool, xpu_pool_stats *stats) { pool->stats(stats); }

void pool_trim(xpu_pool *pool) {
    pool->epoch.fetch_add(1);
    if (this_thread) flush_magazines(this_thread);
    pool->trim(false);
}

xpu_status stream_closed(int32_t device, xpu_stream stream) {
    if (!active.backend.load() || (active.caps & XPU_CAP_HOST_MEMORY)) return XPU_OK;
    if (this_thread) flush_magazines(this_thread);
    if (stream) {
        std::lock_guard<std::mutex> guard(uses_lock);
        closed_streams.insert(stream);
    }
    std::vector<xpu_pool *> pools;
    {
        std::lock_guard<std::mutex> guard(pools_lock);
        pools = all_pools;
    }
    for (xpu_pool *p : pools)
        if (p->device == device) p->stream_closed(stream);
    if (this_thread) drop_magazines(*this_thread, false);
    return XPU_OK;
}

void set_hooks(const xpu_hooks *h) { hooks.store(h ? h : active.forked ? &no_hooks : nullptr, std::memory_order_release); }

/* --- threads and processes --- */

void flush_magazines(Thread *t) {
    for (Magazine *m = t->magazines; m; m = m->next) flush(*t, m);
}

void drop_thread_memory(Thread *t) {
    drop_magazines(*t, true);
    while (xpu_storage *s = t->records) {
        t->records = static_cast<xpu_storage *>(s->free_arg);
        delete s;
    }
    t->magazine = nullptr;
}

/* fork() waits for the locks, so that the child finds lists in order. */
void pools_before_fork() {
    pools_lock.lock();
    uses_lock.lock();
    workspaces().lock.lock();
    for (xpu_pool *p : all_pools) p->lock.lock();
}

void pools_after_fork() {
    for (xpu_pool *p : all_pools) p->lock.unlock();
    workspaces().lock.unlock();
    uses_lock.unlock();
    pools_lock.unlock();
}

} // namespace xpu
