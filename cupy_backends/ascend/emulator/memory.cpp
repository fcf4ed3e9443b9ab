/* Device memory: a memfd mapped twice. The address handed out cannot be read or written by the host. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

#include "internal.h"

namespace emu {

size_t round_up(size_t value, size_t to) { return (value + to - 1) / to * to; }
size_t Allocation::usable() const { return round_up(bytes, 32) + 32; }

namespace {

constexpr size_t kMegabyte = size_t(1) << 20, kHuge = 2 * kMegabyte, kGrain = 512;

bool map_device(Device &d)
{
    if (d.address) return true;
    int fd = memfd_create("ascend-emulator", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, off_t(d.span)) != 0) return false;
    void *hidden = mmap(nullptr, d.span, PROT_NONE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    void *open = mmap(nullptr, d.span, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (hidden == MAP_FAILED || open == MAP_FAILED) return false;
    d.memfd = fd;
    d.address = static_cast<char *>(hidden);
    d.readable = static_cast<char *>(open);
    d.holes[0] = d.span;
    return true;
}

/* The first hole at or after the last allocation, so that a freed address is not used again soon. */
bool take_hole(Device &d, size_t need, size_t *start)
{
    for (size_t from : {d.next, size_t(0)}) {
        auto it = d.holes.upper_bound(from);
        if (it != d.holes.begin()) --it;
        for (; it != d.holes.end(); ++it) {
            size_t first = std::max(it->first, from), end = it->first + it->second;
            if (first >= end || end - first < need) continue;
            size_t hole = it->first;
            d.holes.erase(it);
            if (first > hole) d.holes[hole] = first - hole;
            if (first + need < end) d.holes[first + need] = end - first - need;
            d.next = first + need;
            *start = first;
            return true;
        }
    }
    return false;
}

void return_hole(Device &d, size_t start, size_t length)
{
    auto next = d.holes.lower_bound(start);
    if (next != d.holes.end() && next->first == start + length) {
        length += next->second;
        next = d.holes.erase(next);
    }
    if (next != d.holes.begin()) {
        auto before = std::prev(next);
        if (before->first + before->second == start) {
            before->second += length;
            return;
        }
    }
    d.holes[start] = length;
}

void poison(char *memory, size_t bytes)
{
    static const uint64_t patterns[] = {0x7FFF7FFF7FFF7FFFu, 0xFFFFFFFFFFFFFFFFu, 0xCDCDCDCDCDCDCDCDu, 0x4141414141414141u};
    uint64_t pattern = patterns[choice("poison", 4)];
    for (size_t i = 0; i < bytes; i += 8) memcpy(memory + i, &pattern, std::min<size_t>(8, bytes - i));
}

AllocationPtr allocate(Device &d, size_t bytes, bool huge, bool huge_only)
{
    if (bytes > d.capacity || !map_device(d)) return nullptr;
    auto a = std::make_shared<Allocation>();
    a->device = d.id;
    a->bytes = bytes;
    a->occupied = round_up(a->usable(), huge && bytes > kMegabyte ? kHuge : kGrain);
    if (d.used + a->occupied > d.capacity && !huge_only) a->occupied = round_up(a->usable(), kGrain);
    size_t shift = 64 * choice("alignment", 8); /* 64 bytes are promised, no more */
    if (d.used + a->occupied > d.capacity || !take_hole(d, a->occupied + (shift ? kGrain : 0), &a->start)) return nullptr;
    a->hole = a->start;
    a->start += shift;
    a->address = d.address + a->start;
    a->readable = d.readable + a->start;
    d.used += a->occupied;
    d.peak = std::max(d.peak, d.used);
    d.live[a->start] = a;
    return a;
}

AllocationPtr in_map(std::map<char *, AllocationPtr> &map, char *p)
{
    auto it = map.upper_bound(p);
    if (it == map.begin()) return nullptr;
    AllocationPtr a = (--it)->second;
    return p < a->address + a->usable() ? a : nullptr;
}

/* One side of a copy. */
struct End {
    Device *device = nullptr;
    bool pinned = false;
    Touch touch;
    char *raw = nullptr; /* pageable host memory */
    char *readable() const { return raw ? raw : touch.readable(); }
};

bool locate(const void *address, size_t bytes, bool write, const char *what, End *end)
{
    end->device = device_of(address);
    AllocationPtr a = end->device ? nullptr : find_allocation(address);
    end->pinned = a != nullptr;
    if (!end->device && !a) {
        end->raw = static_cast<char *>(const_cast<void *>(address));
        return true;
    }
    return resolve(address, bytes, write, what, &end->touch);
}

aclError invalid(const char *what, const char *why)
{
    set_error("%s: %s", what, why);
    return ACL_ERROR_RT_PARAM_INVALID;
}

/* What acts at once must come after work that the host has waited for. */
void report_unordered(const End &end, const char *what)
{
    if (end.raw) return;
    if (const Access *a = not_seen(end.touch)) violation("unordered: %s of memory of %s, which nobody waited for", what, a->what.c_str());
}

struct Copy {
    void *dst;
    const void *src;
    size_t dpitch, spitch, width, height; /* one row when height is 1 */
    aclrtMemcpyKind kind;
    size_t dst_bytes() const { return (height - 1) * dpitch + width; }
    size_t src_bytes() const { return (height - 1) * spitch + width; }
};

void do_copy(const Copy &c, char *dst, const char *src)
{
    for (size_t i = 0; i < c.height; ++i) memmove(dst + i * c.dpitch, src + i * c.spitch, c.width);
}

bool kind_fits(aclrtMemcpyKind kind, bool from_device, bool to_device)
{
    switch (kind) {
    case ACL_MEMCPY_HOST_TO_HOST: return !from_device && !to_device;
    case ACL_MEMCPY_HOST_TO_DEVICE: case ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE: return !from_device && to_device;
    case ACL_MEMCPY_DEVICE_TO_HOST: return from_device && !to_device;
    case ACL_MEMCPY_DEVICE_TO_DEVICE: case ACL_MEMCPY_INNER_DEVICE_TO_DEVICE: case ACL_MEMCPY_INTER_DEVICE_TO_DEVICE:
        return from_device && to_device;
    default: return kind == ACL_MEMCPY_DEFAULT;
    }
}

/* Whether this context may reach both sides. */
aclError check_devices(Context *context, const End &dst, const End &src, const char *what)
{
    Device *own = context->device, *a = dst.device, *b = src.device;
    if (a && b && a != b) {
        Device *peer = a == own ? b : a;
        if ((a != own && b != own) || !own->peers.count(peer->id)) {
            violation("peer: %s between devices %d and %d without aclrtDeviceEnablePeerAccess on device %d", what, b->id, a->id, own->id);
            return ACL_ERROR_RT_PARAM_INVALID;
        }
    } else if ((a && a != own) || (b && b != own)) {
        violation("device: %s of memory of device %d while device %d is current", what, (a ? a : b)->id, own->id);
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    return 0;
}

aclError prepare(const Copy &c, Context *context, const char *what, End *dst, End *src)
{
    if (!c.dst || !c.src || c.width == 0 || c.height == 0) return invalid(what, "null pointer or nothing to copy");
    if (c.kind < 0 || c.kind > ACL_MEMCPY_INTER_DEVICE_TO_DEVICE) return invalid(what, "unknown kind");
    if (!locate(c.dst, c.dst_bytes(), true, what, dst)) return ACL_ERROR_RT_PARAM_INVALID;
    if (!locate(c.src, c.src_bytes(), false, what, src)) return ACL_ERROR_RT_PARAM_INVALID;
    if (!kind_fits(c.kind, src->device, dst->device)) violation("kind: %s: the kind does not fit the addresses", what);
    if (!src->device || !dst->device) count_host_copy();
    return check_devices(context, *dst, *src, what);
}

/* Copies without a stream do not wait for queued work. */
aclError copy_now(const char *what, const Copy &c)
{
    Entered e(what);
    if (e.code) return e.code;
    End dst, src;
    if (aclError code = prepare(c, e.context, what, &dst, &src)) return code;
    for (const End *end : {&dst, &src}) report_unordered(*end, what);
    e.lock.unlock();
    do_copy(c, dst.readable(), src.readable());
    return ACL_SUCCESS;
}

aclError copy_later(const char *what, const Copy &c, aclrtStream stream)
{
    Entered e(what);
    if (e.code) return e.code;
    aclError code = 0;
    Stream *s = find_stream(stream, e.context, &code);
    if (!s) return code;
    if (c.kind == ACL_MEMCPY_HOST_TO_HOST) {
        set_error("%s: host to host is not supported", what);
        return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    }
    End dst, src;
    if ((code = prepare(c, e.context, what, &dst, &src))) return code;
    if (!dst.device && !src.device) {
        set_error("%s: host to host is not supported", what);
        return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    }
    auto task = std::make_shared<Task>();
    task->what = what;
    for (const End *end : {&dst, &src})
        if (!end->raw) task->touches.push_back(end->touch);
    char *to = dst.readable(), *from = src.readable();
    task->body = [c, to, from](Task &) { do_copy(c, to, from); };
    push(e.lock, s, task);
    if (dst.raw || src.raw) return drain(e.lock, s, -1, 0); /* pageable memory: returns after the copy */
    return ACL_SUCCESS;
}

aclError check_2d(const char *what, const Copy &c)
{
    if (c.kind != ACL_MEMCPY_HOST_TO_DEVICE && c.kind != ACL_MEMCPY_DEVICE_TO_HOST) return invalid(what, "only between host and device");
    if (c.width > c.dpitch || c.width > c.spitch) return invalid(what, "the width is larger than a pitch");
    if (c.width > 5000000 || c.height > 5242880) return invalid(what, "width or height beyond the limit");
    return 0;
}

aclError set_bytes(const char *what, void *address, size_t limit, int32_t value, size_t count, bool queued, aclrtStream stream)
{
    Entered e(what);
    if (e.code) return e.code;
    aclError code = 0;
    Stream *s = queued ? find_stream(stream, e.context, &code) : nullptr;
    if (code) return code;
    if (!address || count == 0 || count > limit) return invalid(what, "null pointer, nothing to set or beyond the limit");
    End end;
    if (!locate(address, count, true, what, &end)) return ACL_ERROR_RT_PARAM_INVALID;
    if (end.raw) return invalid(what, "memory that acl did not allocate");
    if (end.device && end.device != e.context->device) return check_devices(e.context, end, End(), what);
    char *to = end.readable();
    if (queued) {
        auto task = std::make_shared<Task>();
        task->what = what;
        task->touches.push_back(end.touch);
        task->body = [to, value, count](Task &) { memset(to, value, count); };
        push(e.lock, s, task);
        return ACL_SUCCESS;
    }
    report_unordered(end, what);
    e.lock.unlock();
    memset(to, value, count);
    return ACL_SUCCESS;
}

/* Freeing does not wait: whoever frees memory of queued work has broken a rule; the work will not touch it. Work that has ended counts
 * as well when nobody waited for it. */
void report_pending(const AllocationPtr &a, const char *what)
{
    if (const Access *use = not_seen({a, 0, a->bytes, true}))
        violation("use-after-free: %s of memory of %s, which nobody waited for", what, use->what.c_str());
}

} // namespace

AllocationPtr find_allocation(const void *address)
{
    char *p = static_cast<char *>(const_cast<void *>(address));
    Device *d = device_of(address);
    if (!d) return in_map(g.host, p);
    size_t offset = size_t(p - d->address);
    auto it = d->live.upper_bound(offset);
    if (it == d->live.begin()) return nullptr;
    AllocationPtr a = (--it)->second;
    return offset < a->start + a->usable() ? a : nullptr;
}

Device *device_of(const void *address)
{
    const char *p = static_cast<const char *>(address);
    for (auto &d : g.devices)
        if (d->address && p >= d->address && p < d->address + d->span) return d.get();
    return nullptr;
}

bool resolve(const void *address, size_t bytes, bool write, const char *what, Touch *out)
{
    AllocationPtr a = find_allocation(address);
    if (!a) {
        violation("address: %s names %p, which is no live memory of acl", what, address);
        return false;
    }
    size_t offset = size_t(static_cast<const char *>(address) - a->address);
    if (offset + bytes > a->bytes) {
        violation("address: %s names %zu bytes at offset %zu of an allocation of %zu", what, bytes, offset, a->bytes);
        return false;
    }
    *out = {a, offset, bytes, write, true};
    return true;
}

void release_if_idle(const AllocationPtr &a)
{
    if (a->live || a->pending > 0) return;
    if (a->device < 0) {
        free(a->readable);
        return;
    }
    Device &d = *g.devices[a->device];
    size_t page = 4096, first = round_up(a->start, page), end = (a->start + a->occupied) / page * page;
    if (end > first && end - first >= 64 * page)
        fallocate(d.memfd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, off_t(first), off_t(end - first));
    return_hole(d, a->hole, a->occupied + (a->start > a->hole ? kGrain : 0));
}

void report_leftovers(Device &d)
{
    if (!d.live.empty()) trace_detail("device " + std::to_string(d.id) + ": " + std::to_string(d.live.size()) + " blocks were not freed");
}

} // namespace emu

using namespace emu;

EMU_API aclError aclrtMalloc(void **address, size_t bytes, aclrtMemMallocPolicy policy)
{
    Entered e("aclrtMalloc");
    if (e.code) return e.code;
    if (!address || bytes == 0) return invalid("aclrtMalloc", "null pointer or size 0");
    int pages = policy & 0xff;
    if (pages > ACL_MEM_MALLOC_NORMAL_ONLY) {
        set_error("aclrtMalloc: policy %d is not supported", int(policy));
        return ACL_ERROR_RT_INVALID_MALLOC_TYPE;
    }
    Device &d = *e.context->device;
    AllocationPtr a = allocate(d, bytes, pages != ACL_MEM_MALLOC_NORMAL_ONLY, pages == ACL_MEM_MALLOC_HUGE_ONLY);
    if (!a) {
        set_error("aclrtMalloc: %zu bytes; device %d has %zu of %zu in use", bytes, d.id, d.used, d.capacity);
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    *address = a->address;
    e.lock.unlock();
    poison(a->readable, a->usable());
    return ACL_SUCCESS;
}

/* An injected failure of a call that releases something is reported, but the thing is released. */
EMU_API aclError aclrtFree(void *address)
{
    int injected = enter("aclrtFree");
    if (t.refused) return injected;
    Lock lock(g.lock);
    if (!address) return invalid("aclrtFree", "null pointer");
    Device *d = device_of(address);
    AllocationPtr a = d ? find_allocation(address) : nullptr;
    if (!a || a->address != address) {
        violation("free: aclrtFree of %p, which is not the start of live device memory", address);
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    report_pending(a, "aclrtFree");
    a->live = false;
    d->used -= a->occupied;
    d->live.erase(a->start);
    release_if_idle(a);
    if (injected) return injected;
    aclError code = 0;
    current_context(&code);
    return code;
}

EMU_API aclError aclrtMallocHost(void **address, size_t bytes)
{
    Entered e("aclrtMallocHost");
    if (e.code) return e.code;
    if (!address || bytes == 0) return invalid("aclrtMallocHost", "null pointer or size 0");
    auto a = std::make_shared<Allocation>();
    a->device = -1;
    a->bytes = bytes;
    a->readable = a->address = static_cast<char *>(aligned_alloc(64, round_up(a->usable(), 64)));
    if (!a->address) {
        set_error("aclrtMallocHost: no memory for %zu bytes", bytes);
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    g.host[a->address] = a;
    poison(a->readable, bytes);
    *address = a->address;
    return ACL_SUCCESS;
}

EMU_API aclError aclrtFreeHost(void *address)
{
    int injected = enter("aclrtFreeHost");
    if (t.refused) return injected;
    Lock lock(g.lock);
    auto found = g.host.find(static_cast<char *>(address));
    if (found == g.host.end()) {
        violation("free: aclrtFreeHost of %p, which aclrtMallocHost did not give", address);
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    AllocationPtr a = found->second;
    report_pending(a, "aclrtFreeHost");
    a->live = false;
    g.host.erase(found);
    release_if_idle(a);
    return injected;
}

EMU_API aclError aclrtMemcpy(void *dst, size_t limit, const void *src, size_t count, aclrtMemcpyKind kind)
{
    if (count > limit) return enter("aclrtMemcpy") ? ACL_ERROR_RT_PARAM_INVALID : invalid("aclrtMemcpy", "destMax is smaller than count");
    return copy_now("aclrtMemcpy", {dst, src, count, count, count, 1, kind});
}

EMU_API aclError aclrtMemcpyAsync(void *dst, size_t limit, const void *src, size_t count, aclrtMemcpyKind kind, aclrtStream stream)
{
    if (count > limit)
        return enter("aclrtMemcpyAsync") ? ACL_ERROR_RT_PARAM_INVALID : invalid("aclrtMemcpyAsync", "destMax is smaller than count");
    return copy_later("aclrtMemcpyAsync", {dst, src, count, count, count, 1, kind}, stream);
}

EMU_API aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, aclrtMemcpyKind kind)
{
    Copy c = {dst, src, dpitch, spitch, width, height, kind};
    if (aclError code = check_2d("aclrtMemcpy2d", c)) return enter("aclrtMemcpy2d") ? code : code;
    return copy_now("aclrtMemcpy2d", c);
}

EMU_API aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                                    aclrtMemcpyKind kind, aclrtStream stream)
{
    Copy c = {dst, src, dpitch, spitch, width, height, kind};
    if (aclError code = check_2d("aclrtMemcpy2dAsync", c)) return enter("aclrtMemcpy2dAsync") ? code : code;
    return copy_later("aclrtMemcpy2dAsync", c, stream);
}

EMU_API aclError aclrtMemset(void *address, size_t limit, int32_t value, size_t count)
{
    return set_bytes("aclrtMemset", address, limit, value, count, false, nullptr);
}

EMU_API aclError aclrtMemsetAsync(void *address, size_t limit, int32_t value, size_t count, aclrtStream stream)
{
    return set_bytes("aclrtMemsetAsync", address, limit, value, count, true, stream);
}

EMU_API aclError aclrtGetMemInfo(aclrtMemAttr attribute, size_t *free, size_t *total)
{
    Entered e("aclrtGetMemInfo");
    if (e.code) return e.code;
    if (!free || !total || attribute < 0) return invalid("aclrtGetMemInfo", "bad argument");
    *total = e.context->device->capacity;
    *free = *total - e.context->device->used;
    return ACL_SUCCESS;
}

EMU_API aclError aclrtPointerGetAttributes(const void *address, aclrtPtrAttributes *attributes)
{
    Entered e("aclrtPointerGetAttributes");
    if (e.code) return e.code;
    if (!address || !attributes) return invalid("aclrtPointerGetAttributes", "null pointer");
    memset(attributes, 0, sizeof *attributes);
    AllocationPtr a = find_allocation(address);
    attributes->location.type = !a ? ACL_MEM_LOCATION_TYPE_UNREGISTERED
                              : a->device < 0 ? ACL_MEM_LOCATION_TYPE_HOST : ACL_MEM_LOCATION_TYPE_DEVICE;
    if (a && a->device >= 0) attributes->location.id = uint32_t(a->device);
    attributes->pageSize = a && a->occupied >= kHuge ? kHuge : 4096;
    return ACL_SUCCESS;
}
