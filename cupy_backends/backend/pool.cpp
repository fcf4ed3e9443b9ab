/* Segments and blocks of a memory pool: best fit, split and merge. See pool.h. */
#include "pool.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using xpu::Arena;
using xpu::Block;
using xpu::Pending;
using xpu::Segment;

namespace {

constexpr size_t kSmallRequest = size_t(1) << 20;   /* up to here blocks come from shared small segments */
constexpr size_t kSmallSegment = size_t(2) << 20;
constexpr size_t kHugePage = size_t(2) << 20;
constexpr size_t kLargeRest = size_t(1) << 20;      /* a smaller rest of a large block is not cut off */
constexpr int64_t kHostCacheLeast = int64_t(256) << 20, kHostCacheMost = int64_t(4) << 30;
constexpr int kScan = 16;                           /* blocks looked at in one bin */

size_t round_up(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }

size_t segment_size(size_t size) {
    if (size <= kSmallRequest) return kSmallSegment;
    return round_up(size, size < 4 * kHugePage ? kHugePage / 8 : kHugePage);
}

void call_hook(int32_t device, size_t nbytes, void *ptr, int phase) {
    const xpu_hooks *h = xpu::hooks.load(std::memory_order_acquire);
    if (h && h->segment) h->segment(device, nbytes, ptr, phase);
}

std::atomic<uint64_t> next_arena_id{1};

} // namespace

/* --- bins --- */

int xpu::Bins::index(size_t size) {
    int top = 63 - __builtin_clzll(size | 8); /* sizes from 8 on; below 16 all is one bin */
    int i = (top - 3) * 8 + static_cast<int>((size >> (top - 3)) & 7);
    return i < kCount ? i : kCount - 1;
}

void xpu::Bins::insert(Block *b) {
    int i = index(b->size);
    b->free_prev = nullptr;
    b->free_next = heads[i];
    if (heads[i]) heads[i]->free_prev = b;
    heads[i] = b;
    bits[i / 64] |= uint64_t(1) << (i % 64);
}

void xpu::Bins::remove(Block *b) {
    int i = index(b->size);
    if (b->free_prev) b->free_prev->free_next = b->free_next;
    else heads[i] = b->free_next;
    if (b->free_next) b->free_next->free_prev = b->free_prev;
    if (!heads[i]) bits[i / 64] &= ~(uint64_t(1) << (i % 64));
}

/* The smallest block found of at least `size` and at most `max_size`; lists are looked at up to a fixed depth. */
Block *xpu::Bins::best_fit(size_t size, size_t max_size) {
    int i = index(size);
    for (int word = i / 64; word < kCount / 64; ++word) {
        uint64_t w = bits[word];
        if (word == i / 64) w &= ~uint64_t(0) << (i % 64);
        for (; w; w &= w - 1) {
            Block *best = nullptr;
            int depth = 0;
            for (Block *b = heads[word * 64 + __builtin_ctzll(w)]; b && depth < kScan; b = b->free_next, ++depth) {
                if (b->size < size || (best && b->size >= best->size)) continue;
                best = b;
                if (b->size == size) break;
            }
            if (best) return best->size <= max_size ? best : nullptr;
        }
    }
    return nullptr;
}

/* --- blocks (lock held) --- */

xpu_pool::xpu_pool(int32_t device_, const xpu_pool_source *source_) : device(device_) {
    const xpu_device_props *p = xpu::device_props(device);
    host_memory = p->caps & XPU_CAP_HOST_MEMORY;
    unit = std::max<size_t>(64, p->alignment);
    padding = p->padding > 0 ? p->padding : 0;
    if (source_) source = *source_;
}

xpu_pool::~xpu_pool() {
    trim(true);
    const xpu_backend *b = xpu::active.backend;
    for (xpu_event e : events) b->runtime.event_destroy(b->ctx, device, e);
    for (Arena *a : arenas) delete a;
    while (Block *b2 = spare_blocks) {
        spare_blocks = b2->next;
        delete b2;
    }
    if (source.drop) source.drop(source.ctx);
}

Arena *xpu_pool::arena_of(xpu_stream stream) {
    if (host_memory) stream = nullptr;
    for (Arena *a : arenas)
        if (a->stream == stream) return a;
    auto *a = new Arena();
    a->stream = stream;
    a->id = next_arena_id.fetch_add(1);
    arenas.push_back(a);
    return a;
}

Block *xpu_pool::new_block(char *ptr, size_t size, Segment *segment) {
    Block *b = spare_blocks;
    if (b) spare_blocks = b->next;
    else b = new Block();
    *b = {ptr, size, segment, nullptr, nullptr, nullptr, nullptr, false};
    return b;
}

void xpu_pool::drop_block(Block *b) {
    b->next = spare_blocks;
    spare_blocks = b;
}

void xpu_pool::insert(Block *b) {
    b->free = true;
    ++free_blocks;
    Arena *a = b->segment->arena;
    (b->segment->large ? a->large : a->small).insert(b);
}

void xpu_pool::remove(Block *b) {
    Arena *a = b->segment->arena;
    (b->segment->large ? a->large : a->small).remove(b);
    b->free = false;
    --free_blocks;
}

/* Leaves `size` bytes in b; the rest becomes a free block. */
void xpu_pool::cut(Block *b, size_t size) {
    size_t rest = b->size - size;
    if (rest < (b->segment->large ? kLargeRest : unit)) return;
    Block *r = new_block(b->ptr + size, rest, b->segment);
    r->prev = b;
    r->next = b->next;
    if (r->next) r->next->prev = r;
    b->next = r;
    b->size = size;
    insert(r);
}

Block *xpu_pool::merge(Block *b) {
    if (Block *n = b->next; n && n->free) {
        remove(n);
        b->size += n->size;
        b->next = n->next;
        if (b->next) b->next->prev = b;
        drop_block(n);
    }
    if (Block *p = b->prev; p && p->free) {
        remove(p);
        p->size += b->size;
        p->next = b->next;
        if (p->next) p->next->prev = p;
        drop_block(b);
        b = p;
    }
    return b;
}

/* A far larger block is not cut up for a small request, unless nothing else is left. */
Block *xpu_pool::find(Arena *arena, size_t size, bool any_size) {
    bool large = size > kSmallRequest;
    size_t max_size = any_size || !large ? SIZE_MAX : 2 * size + 8 * kHugePage;
    Block *b = (large ? arena->large : arena->small).best_fit(size, max_size);
    if (!b && any_size && !large) b = arena->large.best_fit(size, SIZE_MAX);
    if (!b) return nullptr;
    remove(b);
    cut(b, size);
    used += b->size;
    return b;
}

/* --- segments --- */

/* Asks the device, without the lock: hooks and sources may take the GIL. large: for the bins of requests above kSmallRequest, whatever
 * its size. */
xpu_status xpu_pool::new_segment(size_t size, bool large, Arena *arena, Segment **out) {
    int64_t most = limit.load(std::memory_order_relaxed);
    {
        std::lock_guard<std::mutex> guard(lock);
        if (most && total + static_cast<int64_t>(size) > most) return XPU_OUT_OF_MEMORY;
        total += size; /* reserved, so that several threads together keep the limit */
        ++requests;
    }
    void *ptr = nullptr, *cookie = nullptr;
    const xpu_backend *b = xpu::active.backend;
    call_hook(device, size, nullptr, 0);
    xpu_status status = source.malloc ? source.malloc(source.ctx, device, size, &ptr, &cookie) : b->runtime.malloc(b->ctx, device, size,
                                                                                                                   &ptr);
    call_hook(device, size, status == XPU_OK ? ptr : nullptr, 1);
    std::lock_guard<std::mutex> guard(lock);
    if (status != XPU_OK) {
        total -= size;
        return status;
    }
    auto *s = new Segment{static_cast<char *>(ptr), size, arena, cookie, this, nullptr, nullptr, segments, large};
    if (segments) segments->prev = s;
    segments = s;
    ++segment_count;
    s->first = new_block(s->ptr, size, s);
    *out = s;
    return XPU_OK;
}

void xpu_pool::unlink(Segment *s) {
    (s->prev ? s->prev->next : segments) = s->next;
    if (s->next) s->next->prev = s->prev;
    total -= s->size;
    --segment_count;
}

/* Without the lock. */
void xpu_pool::release_segment(Segment *s) {
    const xpu_backend *b = xpu::active.backend;
    if (source.free) source.free(source.ctx, device, s->ptr, s->size, s->cookie);
    else if (!source.malloc) b->runtime.free(b->ctx, device, s->ptr, s->size);
    delete s;
}

void xpu_pool::collect_free(std::vector<Segment *> *out) {
    for (Segment *s = segments, *next; s; s = next) {
        next = s->next;
        if (!s->first->free || s->first->size != s->size) continue;
        remove(s->first);
        drop_block(s->first);
        unlink(s);
        out->push_back(s);
    }
}

/* --- taking and giving --- */

int xpu_pool::take_small(Arena *arena, size_t size, int n, Block **out) {
    std::lock_guard<std::mutex> guard(lock);
    int k = 0;
    while (k < n && (out[k] = find(arena, size, false))) ++k;
    return k;
}

xpu_status xpu_pool::take(size_t nbytes, xpu_stream stream, Block **out) {
    if (nbytes > SIZE_MAX / 4) return xpu::fail(XPU_OUT_OF_MEMORY, "out of memory allocating %zu bytes", nbytes);
    size_t size = rounded(nbytes);
    Arena *arena;
    {
        std::lock_guard<std::mutex> guard(lock);
        arena = arena_of(stream);
        if (XPU_UNLIKELY(!pending.empty())) poll();
        if ((*out = find(arena, size, false))) return XPU_OK;
    }
    xpu_status status = XPU_OUT_OF_MEMORY;
    for (int attempt = 0; attempt < 2; ++attempt) {
        if (attempt) {
            if (xpu::this_thread) xpu::flush_magazines(xpu::this_thread);
            trim(true);
            std::lock_guard<std::mutex> guard(lock);
            if ((*out = find(arena, size, true))) return XPU_OK;
        }
        Segment *s = nullptr;
        size_t want = segment_size(size);
        if (attempt) want = round_up(size, unit); /* what is needed and no more */
        status = new_segment(want, size > kSmallRequest, arena, &s);
        if (status == XPU_OK) {
            std::lock_guard<std::mutex> guard(lock);
            Block *b = s->first;
            cut(b, size);
            used += b->size;
            *out = b;
            return XPU_OK;
        }
        if (status != XPU_OUT_OF_MEMORY) return xpu::fail_from(xpu::active.backend, status, "allocating device memory");
    }
    return out_of_memory(nbytes);
}

xpu_status xpu_pool::out_of_memory(size_t nbytes) {
    xpu_pool_stats s;
    stats(&s);
    char most[64] = "none";
    if (s.limit) std::snprintf(most, sizeof most, "%lld bytes", static_cast<long long>(s.limit));
    return xpu::fail(XPU_OUT_OF_MEMORY,
                     "Out of memory allocating %zu bytes (allocated so far: %lld bytes, cached: %lld bytes, limit set to: %s, device %d)",
                     nbytes, static_cast<long long>(s.used_bytes), static_cast<long long>(s.total_bytes - s.used_bytes), most, device);
}

/* Free memory of the host that is kept: a sixteenth of the machine's, within kHostCache; or as much as is in use, but at most a quarter
 * of the machine's. */
int64_t xpu_pool::cached_bound() const {
    const int64_t machine = xpu::device_props(device)->total_memory;
    return std::max(std::clamp(machine / 16, kHostCacheLeast, kHostCacheMost), std::min(used, machine / 4));
}

void xpu_pool::give_locked(Block *b, std::vector<Segment *> *excess) {
    used -= b->size;
    b = merge(b);
    Segment *s = b->segment;
    if (host_memory && b->size == s->size && total - used > cached_bound()) {
        drop_block(b);
        unlink(s);
        excess->push_back(s);
        return;
    }
    insert(b);
}

void xpu_pool::give(Block **blocks, int n) {
    std::vector<Segment *> excess; /* does not allocate while empty */
    {
        std::lock_guard<std::mutex> guard(lock);
        for (int i = 0; i < n; ++i) give_locked(blocks[i], &excess);
    }
    for (Segment *s : excess) release_segment(s);
}

/* The block is free when the events recorded now in `streams` have passed. */
void xpu_pool::give_after(Block *b, const xpu_stream *streams, size_t n) {
    const xpu_backend *be = xpu::active.backend;
    Pending p{b, {}};
    for (size_t i = 0; i < n; ++i) {
        xpu_event e = nullptr;
        {
            std::lock_guard<std::mutex> guard(lock);
            if (!events.empty()) e = events.back(), events.pop_back();
        }
        if (!e && be->runtime.event_create(be->ctx, device, 0, &e) != XPU_OK) e = nullptr;
        if (e && be->runtime.event_record(be->ctx, device, e, streams[i]) == XPU_OK) {
            p.events.push_back(e);
            continue;
        }
        xpu::Unlocked unlocked; /* no event to be had: wait instead */
        be->runtime.stream_synchronize(be->ctx, device, streams[i]);
        if (e) be->runtime.event_destroy(be->ctx, device, e);
    }
    std::lock_guard<std::mutex> guard(lock);
    pending.push_back(std::move(p));
}

/* Frees pending blocks whose events have passed (lock held). */
void xpu_pool::poll() {
    const xpu_backend *be = xpu::active.backend;
    std::vector<Segment *> none; /* only host memory has excess, and nothing is pending there */
    size_t kept = 0;
    for (size_t i = 0; i < pending.size(); ++i) {
        Pending &p = pending[i];
        while (!p.events.empty()) {
            xpu_event e = p.events.back();
            if (be->runtime.event_query(be->ctx, device, e) == XPU_NOT_READY) break;
            events.push_back(e);
            p.events.pop_back();
        }
        if (p.events.empty()) give_locked(p.block, &none);
        else if (kept++ != i) pending[kept - 1] = std::move(p);
    }
    pending.resize(kept);
}

void xpu_pool::shrink(Block *b, size_t nbytes) {
    std::lock_guard<std::mutex> guard(lock);
    size_t before = b->size;
    cut(b, rounded(nbytes));
    if (b->size == before) return;
    used -= before - b->size;
    Block *rest = b->next;
    remove(rest);
    insert(merge(rest));
}

/* Gives wholly free segments back to the device. */
void xpu_pool::trim(bool wait) {
    if (wait) xpu::wait_device(device); /* without the lock; then the events of pending blocks have passed */
    std::vector<Segment *> found;
    {
        std::lock_guard<std::mutex> guard(lock);
        if (!pending.empty()) poll();
        collect_free(&found);
    }
    if (!found.empty() && !wait) xpu::wait_device(device); /* queued work may still use them */
    for (Segment *s : found) release_segment(s);
}

void xpu_pool::stats(xpu_pool_stats *out) {
    std::lock_guard<std::mutex> guard(lock);
    int64_t bytes = 0, blocks = 0;
    for (xpu::Magazine *m : magazines) {
        bytes += m->bytes.load(std::memory_order_relaxed);
        blocks += m->blocks.load(std::memory_order_relaxed);
    }
    *out = {used - bytes, total, free_blocks + blocks, limit.load(std::memory_order_relaxed), segment_count, requests};
}

/* Its free blocks, and those still in use, belong to the default stream from now on. */
xpu_status xpu_pool::stream_closed(xpu_stream stream) {
    if (host_memory || !stream) return XPU_OK;
    std::lock_guard<std::mutex> guard(lock);
    Arena *from = arena_of(stream), *to = arena_of(nullptr);
    for (Segment *s = segments; s; s = s->next) {
        if (s->arena != from) continue;
        for (Block *b = s->first; b; b = b->next)
            if (b->free) (s->large ? from->large : from->small).remove(b);
        s->arena = to;
        for (Block *b = s->first; b; b = b->next)
            if (b->free) (s->large ? to->large : to->small).insert(b);
    }
    arenas.erase(std::find(arenas.begin(), arenas.end(), from));
    from->closed = true;
    if (!from->magazines) delete from;
    return XPU_OK;
}

void xpu_pool::drop_magazine(xpu::Magazine *m) {
    std::lock_guard<std::mutex> guard(lock);
    magazines.erase(std::find(magazines.begin(), magazines.end(), m));
    if (--m->arena->magazines == 0 && m->arena->closed) delete m->arena;
    delete m;
}
