/* Every call: counted by name, traced to a file, failed on demand. Reports of broken rules. The emu_* control functions, and the same
 * by the environment, read when the library is opened: CUPY_ASCEND_EMULATOR_DEVICES (number), _MEMORY (bytes of each), _SOC (name),
 * _SEED, _DELAY (microseconds), _TRACE (file), _INJECT (name:nth:status,...). */
#include <pthread.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "internal.h"

namespace emu {

State &g = *new State; /* never destroyed: streams may run until the process ends */
thread_local Thread t;

namespace {

struct Injection {
    std::string name;
    int64_t left;
    int code;
};

struct Trace {
    std::mutex lock;
    std::map<std::string, uint64_t> counts;
    std::map<std::string, int64_t> objects;
    std::vector<Injection> injections;
    std::vector<std::string> violations;
    uint64_t total = 0;
    FILE *file = nullptr;
};
Trace &trace = *new Trace;

std::atomic<bool> forked{false};
constexpr size_t kMaxViolations = 1000;

std::string format(const char *text, va_list args)
{
    char buffer[1024];
    vsnprintf(buffer, sizeof buffer, text, args);
    return buffer;
}

/* name:nth:code,... */
void read_injections(const char *text)
{
    char name[128];
    long long nth;
    int code, used;
    while (sscanf(text, "%127[^:]:%lld:%d%n", name, &nth, &code, &used) == 3) {
        trace.injections.push_back({name, nth, code});
        text += used;
        if (*text == ',') ++text;
    }
}

int injected(const char *name)
{
    int code = 0;
    for (Injection &i : trace.injections)
        if ((i.name == "*" || i.name == name) && i.left > 0 && --i.left == 0 && code == 0) code = i.code;
    return code;
}

} // namespace

void set_error(const char *text, ...)
{
    va_list args;
    va_start(args, text);
    t.error = "[emulator] " + format(text, args);
    va_end(args);
}

void violation(const char *text, ...)
{
    va_list args;
    va_start(args, text);
    std::string message = format(text, args);
    va_end(args);
    t.error = "[emulator] " + message;
    std::lock_guard<std::mutex> hold(trace.lock);
    if (trace.violations.size() < kMaxViolations) trace.violations.push_back(message);
    if (trace.file) fprintf(trace.file, "VIOLATION %s\n", message.c_str()), fflush(trace.file);
}

void trace_detail(const std::string &text)
{
    std::lock_guard<std::mutex> hold(trace.lock);
    if (trace.file) fprintf(trace.file, "    %s\n", text.c_str());
}

void count_object(const char *kind, int change)
{
    std::lock_guard<std::mutex> hold(trace.lock);
    trace.objects[kind] += change;
}

/* Among the counts as "host_copy", whatever function does it: a copy from or to host memory. */
void count_host_copy()
{
    std::lock_guard<std::mutex> hold(trace.lock);
    ++trace.counts["host_copy"];
}

/* Among the counts as "aicpu", and with the operator's name: launches that the AI CPU takes part in. */
void count_aicpu(const std::string &op)
{
    std::lock_guard<std::mutex> hold(trace.lock);
    ++trace.counts["aicpu"];
    ++trace.counts["aicpu:" + op];
}

int enter(const char *name, bool needs_init)
{
    t.refused = forked;
    if (forked) { /* no lock: another thread may have held it at the fork */
        t.error = "[emulator] acl is used in a child of fork()";
        return ACL_ERROR_RT_DRV_INTERNAL_ERROR;
    }
    int code;
    {
        std::lock_guard<std::mutex> hold(trace.lock);
        ++trace.counts[name];
        ++trace.total;
        if (trace.file) {
            fprintf(trace.file, "%lx %s\n", (unsigned long)pthread_self(), name);
            fflush(trace.file);
        }
        code = injected(name);
    }
    if (code) {
        set_error("injected failure %d of %s", code, name);
        return code;
    }
    if (t.in_callback) violation("callback: %s is called inside a host function", name);
    if (needs_init) {
        Lock hold(g.lock);
        if (!g.initialised && !g.aclnn) {
            set_error("%s before aclInit", name);
            t.refused = true;
            return ACL_ERROR_UNINITIALIZE;
        }
    }
    return 0;
}

uint64_t choice(const char *what, uint64_t options)
{
    uint64_t h = g.seed;
    if (h == 0 || options == 0) return 0;
    for (; *what; ++what) h = (h ^ uint8_t(*what)) * 0x9E3779B97F4A7C15u, h ^= h >> 29;
    return h % options;
}

bool soc_is(const char *prefix)
{
    Lock hold(g.lock);
    return g.soc.compare(0, strlen(prefix), prefix) == 0;
}

void read_environment()
{
    auto number = [](const char *name, int64_t otherwise) {
        const char *text = getenv(name);
        return text && *text ? strtoll(text, nullptr, 10) : otherwise;
    };
    g.device_count = int(number("CUPY_ASCEND_EMULATOR_DEVICES", g.device_count));
    g.memory = size_t(number("CUPY_ASCEND_EMULATOR_MEMORY", int64_t(g.memory)));
    g.seed = uint64_t(number("CUPY_ASCEND_EMULATOR_SEED", 0));
    g.delay_us = number("CUPY_ASCEND_EMULATOR_DELAY", g.delay_us);
    if (const char *soc = getenv("CUPY_ASCEND_EMULATOR_SOC"))
        if (*soc) g.soc = soc;
    if (const char *path = getenv("CUPY_ASCEND_EMULATOR_TRACE"))
        if (*path) trace.file = fopen(path, "a");
    if (const char *text = getenv("CUPY_ASCEND_EMULATOR_INJECT")) read_injections(text);
}

namespace {
struct Loaded {
    Loaded()
    {
        read_environment();
        pthread_atfork(nullptr, nullptr, [] {
            if (g.initialised || g.aclnn) forked = true;
        });
    }
} loaded;

int copy_text(const std::string &text, char *buffer, int size)
{
    if (buffer && size > 0) snprintf(buffer, size_t(size), "%s", text.c_str());
    return int(text.size()) + 1;
}
} // namespace

} // namespace emu

using namespace emu;

/* --- control functions, for tests --- */

EMU_API void emu_reset_counts()
{
    std::lock_guard<std::mutex> hold(trace.lock);
    trace.counts.clear();
    trace.total = 0;
}

/* Calls of a function since the last reset; "*": of all. */
EMU_API uint64_t emu_count(const char *name)
{
    std::lock_guard<std::mutex> hold(trace.lock);
    if (!strcmp(name, "*")) return trace.total;
    auto found = trace.counts.find(name);
    return found == trace.counts.end() ? 0 : found->second;
}

/* Lines "name count"; returns the size that the text needs. */
EMU_API int emu_counts(char *buffer, int size)
{
    std::lock_guard<std::mutex> hold(trace.lock);
    std::string text;
    for (auto &[name, n] : trace.counts) text += name + " " + std::to_string(n) + "\n";
    return copy_text(text, buffer, size);
}

/* The nth call from now (1: the next) of a function, or of any ("*"), fails with the status. */
EMU_API void emu_inject(const char *name, int64_t nth, int code)
{
    std::lock_guard<std::mutex> hold(trace.lock);
    trace.injections.push_back({name, nth, code});
}

EMU_API void emu_clear_injections()
{
    std::lock_guard<std::mutex> hold(trace.lock);
    trace.injections.clear();
}

EMU_API int emu_violation_count()
{
    std::lock_guard<std::mutex> hold(trace.lock);
    return int(trace.violations.size());
}

/* One line for each broken rule; returns the size that the text needs. */
EMU_API int emu_violations(char *buffer, int size)
{
    std::lock_guard<std::mutex> hold(trace.lock);
    std::string text;
    for (const std::string &v : trace.violations) text += v + "\n";
    return copy_text(text, buffer, size);
}

EMU_API void emu_clear_violations()
{
    std::lock_guard<std::mutex> hold(trace.lock);
    trace.violations.clear();
}

/* Live objects of a kind: tensor, scalar, int_array, bool_array, tensor_list, executor, stream, event, ...; "*": of all. */
EMU_API int64_t emu_live_objects(const char *kind)
{
    std::lock_guard<std::mutex> hold(trace.lock);
    int64_t sum = 0;
    for (auto &[name, n] : trace.objects)
        if (!strcmp(kind, "*") || name == kind) sum += n;
    return sum;
}

EMU_API int emu_trace(const char *path)
{
    std::lock_guard<std::mutex> hold(trace.lock);
    if (trace.file) fclose(trace.file);
    trace.file = path && *path ? fopen(path, "a") : nullptr;
    return trace.file || !path || !*path ? 0 : -1;
}

EMU_API void emu_seed(uint64_t seed)
{
    Lock hold(g.lock);
    g.seed = seed;
}

EMU_API void emu_set_soc(const char *name)
{
    Lock hold(g.lock);
    g.soc = name;
}

/* Microseconds until queued work starts by itself; negative: only when somebody waits or asks for it. */
EMU_API void emu_set_delay(int64_t microseconds)
{
    Lock hold(g.lock);
    g.delay_us = microseconds;
}

/* Both only before acl is initialised. */
EMU_API int emu_set_devices(int count)
{
    Lock hold(g.lock);
    if (g.initialised || g.aclnn) return -1;
    g.device_count = count;
    return 0;
}

EMU_API int emu_set_memory(uint64_t bytes)
{
    Lock hold(g.lock);
    if (g.initialised || g.aclnn) return -1;
    g.memory = bytes;
    return 0;
}

EMU_API uint64_t emu_live_bytes(int device)
{
    Lock hold(g.lock);
    uint64_t sum = 0;
    if (device < 0) {
        for (auto &[address, a] : g.host) sum += a->bytes;
    } else if (device < int(g.devices.size())) {
        for (auto &[start, a] : g.devices[device]->live) sum += a->bytes;
    }
    return sum;
}

EMU_API uint64_t emu_live_blocks(int device)
{
    Lock hold(g.lock);
    if (device < 0) return g.host.size();
    return device < int(g.devices.size()) ? g.devices[device]->live.size() : 0;
}

EMU_API uint64_t emu_peak_bytes(int device)
{
    Lock hold(g.lock);
    return device >= 0 && device < int(g.devices.size()) ? g.devices[device]->peak : 0;
}

/* Breaks the device, as a kernel that faults does; 0 mends it. */
EMU_API int emu_fault(int device, int code)
{
    Lock hold(g.lock);
    if (device < 0 || device >= int(g.devices.size())) return -1;
    if (code) {
        mark_lost(*g.devices[device], code, "injected fault");
    } else {
        g.devices[device]->fault = 0;
    }
    g.progress.notify_all();
    return 0;
}

/* Reads device memory behind the client's back, for tests. */
EMU_API int emu_peek(const void *address, void *buffer, uint64_t bytes)
{
    Lock hold(g.lock);
    AllocationPtr a = find_allocation(address);
    if (!a) return -1;
    size_t offset = size_t(static_cast<const char *>(address) - a->address);
    if (offset + bytes > a->usable()) return -1;
    memcpy(buffer, a->readable + offset, bytes);
    return 0;
}
