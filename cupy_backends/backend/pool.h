/* The memory pool of one device.
 *
 * Memory is taken from the device in segments, cut into blocks. Free blocks are kept by the stream on which they were allocated:
 * work of one stream runs in order, so a block may be used again at once there. Use by other streams is noted on the storage; then
 * an event of each such stream must have passed before the block is free again. Where calls complete before they return
 * (XPU_CAP_HOST_MEMORY) all streams share one arena.
 *
 * Small blocks come from segments of their own and go through magazines, one per thread and arena, without a lock (storage.cpp).
 */
#ifndef XPU_POOL_H
#define XPU_POOL_H

#include <mutex>
#include <vector>

#include "runtime.h"
#include "xpu_manage.h"

namespace xpu {

struct Arena;
struct Segment;

struct Block {
    char *ptr;
    size_t size;
    Segment *segment;
    Block *prev, *next;           /* neighbours by address */
    Block *free_prev, *free_next; /* in the list of its bin */
    bool free;
};

struct Segment {
    char *ptr;
    size_t size;
    Arena *arena;
    void *cookie;
    xpu_pool *pool;
    Block *first;
    Segment *prev, *next;
    bool large;
};

/* Free blocks by size: eight bins per power of two, a bit per bin that is not empty. */
struct Bins {
    static constexpr int kCount = 8 * 48;
    Block *heads[kCount] = {};
    uint64_t bits[kCount / 64] = {};
    static int index(size_t size);
    void insert(Block *b);
    void remove(Block *b);
    Block *best_fit(size_t size, size_t max_size);
};

struct Arena {
    xpu_stream stream = nullptr;
    uint64_t id = 0;
    int magazines = 0;               /* that name it */
    std::atomic<bool> closed{false}; /* its stream is gone; lives until its last magazine is */
    Bins small, large;
};

struct Pending { /* a freed block that other streams may still be using */
    Block *block;
    std::vector<xpu_event> events;
};

/* Small storages at hand for one thread. Only its thread touches the bins; the counters are read by others. */
struct Magazine {
    static constexpr int kClasses = 257;
    uint64_t arena_id = 0;
    size_t slack = 0;     /* padding + unit - 1 */
    size_t max_bytes = 0; /* largest small request */
    int shift = 6;        /* log2 of the unit */
    xpu_storage *heads[kClasses] = {};
    std::atomic<int64_t> bytes{0};
    std::atomic<int64_t> blocks{0};
    uint64_t epoch = 0;
    Arena *arena = nullptr;
    xpu_pool *pool = nullptr;
    Magazine *next = nullptr; /* of the same thread */
};

} // namespace xpu

struct xpu_pool {
    int32_t device = 0;
    xpu_pool_source source = {};
    std::mutex lock;
    std::atomic<int64_t> refs{1};      /* the owner and each storage of a pool made by the user */
    std::atomic<int64_t> limit{0};
    std::atomic<uint64_t> epoch{0};    /* grows with each trim: magazines of other threads follow at their next miss */
    bool is_default = false;
    bool host_memory = false;
    size_t unit = 64, padding = 0;
    int64_t used = 0, total = 0, free_blocks = 0, segment_count = 0, requests = 0;
    std::vector<xpu::Arena *> arenas;
    std::vector<xpu::Magazine *> magazines;
    std::vector<xpu::Pending> pending;
    std::vector<xpu_event> events;     /* idle ones */
    xpu::Segment *segments = nullptr;
    xpu::Block *spare_blocks = nullptr;

    xpu_pool(int32_t device, const xpu_pool_source *source);
    ~xpu_pool();
    xpu_pool(const xpu_pool &) = delete;

    xpu::Arena *arena_of(xpu_stream stream);                        /* lock held */
    xpu_status take(size_t nbytes, xpu_stream stream, xpu::Block **out);
    int take_small(xpu::Arena *arena, size_t size, int n, xpu::Block **out); /* as many as fit what is there; may be 0 */
    void give(xpu::Block **blocks, int n);
    void give_after(xpu::Block *b, const xpu_stream *streams, size_t n);
    void shrink(xpu::Block *b, size_t nbytes);
    void trim(bool wait);
    void stats(xpu_pool_stats *out);
    xpu_status stream_closed(xpu_stream stream);
    void drop_magazine(xpu::Magazine *m); /* empty */
    size_t rounded(size_t nbytes) const { return nbytes + padding < unit ? unit : (nbytes + padding + unit - 1) & ~(unit - 1); }

  private:
    xpu::Block *new_block(char *ptr, size_t size, xpu::Segment *segment);
    void drop_block(xpu::Block *b);
    xpu::Block *find(xpu::Arena *arena, size_t size, bool any_size);
    void cut(xpu::Block *b, size_t size);
    void insert(xpu::Block *b);
    void remove(xpu::Block *b);
    xpu::Block *merge(xpu::Block *b);
    void give_locked(xpu::Block *b, std::vector<xpu::Segment *> *excess);
    void poll();
    xpu_status new_segment(size_t size, bool large, xpu::Arena *arena, xpu::Segment **out);
    void release_segment(xpu::Segment *s);
    void unlink(xpu::Segment *s);
    void collect_free(std::vector<xpu::Segment *> *out);
    int64_t cached_bound() const;
    xpu_status out_of_memory(size_t nbytes);
};

namespace xpu {

extern std::atomic<const xpu_hooks *> hooks; /* an empty one forces the slow path, as after a fork */
xpu_status open_pools();                      /* the default ones; reads the limit from the environment */
xpu_pool *default_pool(int32_t device);      /* nullptr if there is no such device, or it is not open */
xpu_pool *make_pool(int32_t device, const xpu_pool_source *source);
void drop_pool(xpu_pool *pool);
xpu_status pool_alloc(xpu_pool *pool, size_t nbytes, xpu_stream stream, xpu_storage **out);
void pool_stats(xpu_pool *pool, xpu_pool_stats *stats);
void pool_trim(xpu_pool *pool);
xpu_status stream_closed(int32_t device, xpu_stream stream);
void note_stream(xpu_storage *s, xpu_stream stream);
size_t block_size(const xpu_storage *s);
void set_hooks(const xpu_hooks *h);
void flush_magazines(Thread *t);   /* all its small blocks go back to their pools */
void drop_thread_memory(Thread *t); /* the thread ends */
void pools_before_fork();
void pools_after_fork();

} // namespace xpu
#endif
