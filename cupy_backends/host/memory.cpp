/* Temporary memory of the host's kernels. The runtime's pool serves the device in use, which is another one when the host is only the
 * fallback; so freed blocks are kept here, in classes of powers of two, up to a bound. */
#include <pthread.h>
#include <sys/mman.h>

#include <cstdlib>
#include <mutex>

#include "host.h"

namespace host {
namespace {

constexpr size_t kHeader = 64; /* keeps the block's class and its alignment */
constexpr size_t kHugePage = size_t(2) << 20;
constexpr size_t kKeptBytes = size_t(256) << 20;
constexpr int kClasses = 64;

struct Block {
    Block *next;
    int order; /* its size is 1 << order */
};

struct Cache {
    std::mutex lock;
    Block *free[kClasses] = {};
    size_t kept = 0;
};

Cache *g_cache = nullptr;

Cache *make_cache() {
    g_cache = new Cache; /* never destroyed: threads may outlive static objects */
    pthread_atfork([] { g_cache->lock.lock(); }, [] { g_cache->lock.unlock(); }, [] { g_cache->lock.unlock(); });
    return g_cache;
}

Cache &cache() {
    static Cache *made = make_cache();
    return *made;
}

} // namespace

void *temp_alloc(size_t nbytes) {
    int order = 12;
    while (order < 62 && (size_t(1) << order) < nbytes + kHeader)
        ++order;
    Cache &c = cache();
    {
        std::lock_guard<std::mutex> guard(c.lock);
        if (Block *block = c.free[order]) {
            c.free[order] = block->next;
            c.kept -= size_t(1) << order;
            return reinterpret_cast<char *>(block) + kHeader;
        }
    }
    const size_t size = size_t(1) << order;
    void *memory = nullptr;
    if (posix_memalign(&memory, size >= kHugePage ? kHugePage : kHeader, size)) {
        fail(XPU_OUT_OF_MEMORY, "cannot allocate %zu bytes of temporary memory", nbytes);
        return nullptr;
    }
    if (size >= kHugePage)
        madvise(memory, size, MADV_HUGEPAGE);
    static_cast<Block *>(memory)->order = order;
    return static_cast<char *>(memory) + kHeader;
}

void temp_free(void *ptr) {
    Block *block = reinterpret_cast<Block *>(static_cast<char *>(ptr) - kHeader);
    const size_t size = size_t(1) << block->order;
    Cache &c = cache();
    {
        std::lock_guard<std::mutex> guard(c.lock);
        if (c.kept + size <= kKeptBytes) {
            block->next = c.free[block->order];
            c.free[block->order] = block;
            c.kept += size;
            return;
        }
    }
    free(block);
}

} // namespace host
