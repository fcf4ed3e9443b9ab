/* Errors of CANN: code, meaning, CANN's own text, lost devices. */
#include "error.h"

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "library.h"

namespace ascend {

namespace {

struct Status {
    int code;
    const char *name;
    const char *meaning;
};
const Status g_statuses[] = {
#define ACL_STATUS(code, name, meaning) {code, #name, meaning},
#include "acl_errors.def"
#undef ACL_STATUS
};

thread_local char t_error[2048], t_taken[2048];

constexpr int kMaxDevices = 64;
std::atomic<bool> g_lost[kMaxDevices];
char g_reason[kMaxDevices][512];
std::mutex g_lock;

constexpr int kHistory = 8;
struct History {
    xpu_stream stream;
    const char *names[kHistory];
    unsigned next;
};
constexpr int kStreams = 64; /* streams hashed into this many histories */
History g_history[kStreams];

History &history_of(xpu_stream stream) { return g_history[(reinterpret_cast<uintptr_t>(stream) >> 4) % kStreams]; }

const Status *find(int code) {
    for (const Status &s : g_statuses)
        if (s.code == code) return &s;
    return nullptr;
}

xpu_status kind_of(int code) {
    switch (code) {
    case 107001:
    case 200002: return XPU_INVALID_DEVICE;
    case 200000:
    case 207001:
    case 207018: return XPU_OUT_OF_MEMORY;
    case 207004: return XPU_NOT_FOUND;
    case 100000:
    case 161001:
    case 161002: return XPU_INVALID_ARGUMENT;
    default: return is_fatal(code) ? XPU_DEVICE_LOST : XPU_DEVICE_ERROR;
    }
}

size_t recent_ops(char *text, size_t size) {
    size_t n = 0;
    std::lock_guard<std::mutex> guard(g_lock);
    for (const History &h : g_history)
        for (unsigned i = h.next > kHistory ? h.next - kHistory : 0; i < h.next && n < size; ++i)
            n += std::snprintf(text + n, size - n, "%s%s", n ? ", " : "", h.names[i % kHistory]);
    return n;
}

} // namespace

const char *status_name(int code) {
    const Status *s = find(code);
    return s ? s->name : "unknown status";
}

const char *status_meaning(int code) {
    const Status *s = find(code);
    return s ? s->meaning : "";
}

/* AI Core and AI CPU faults, lost heartbeats and memory errors poison the context. */
bool is_fatal(int code) {
    return code == 507010 || (code >= 507014 && code <= 507018) || code == 507035 || code == 507042 || code == 507043 || code == 507053 ||
           code == 107022 || code == 507054 || code == 507057;
}

xpu_status fail(xpu_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    std::vsnprintf(t_error, sizeof t_error, format, args);
    va_end(args);
    return status;
}

/* An operator says only that a call of the runtime failed (361001); the runtime knows whether the device is lost. */
static int cause_of(int code, int32_t device) {
    if (code != 361001 || device < 0) return code;
    int cause = acl.aclrtSynchronizeDevice();
    return is_fatal(cause) ? cause : code;
}

xpu_status acl_failed(int code, const char *what, int32_t device) {
    const char *text = acl.aclGetRecentErrMsg ? acl.aclGetRecentErrMsg() : nullptr;
    char name[64];
    size_t n = std::strcspn(what, "(");
    std::snprintf(name, sizeof name, "%.*s", static_cast<int>(n < sizeof name ? n : sizeof name - 1),
                  std::strncmp(what, "acl.", 4) ? what : what + 4);
    if (char *end = std::strchr(name, '(')) *end = 0;
    const char *meaning = status_meaning(code);
    size_t at = std::snprintf(t_error, sizeof t_error, "%s failed with status %d (%s%s%s)", name, code, status_name(code),
                              *meaning ? ": " : "", meaning);
    if (text && *text && at < sizeof t_error) at += std::snprintf(t_error + at, sizeof t_error - at, ": %s", text);
    int cause = cause_of(code, device);
    if (cause != code && at < sizeof t_error)
        at += std::snprintf(t_error + at, sizeof t_error - at, ": the device reports %d (%s)", cause, status_name(cause));
    if (is_fatal(cause)) {
        char ops[512] = "";
        recent_ops(ops, sizeof ops);
        if (*ops && at < sizeof t_error) std::snprintf(t_error + at, sizeof t_error - at, "; last operators: %s", ops);
        mark_lost(device, t_error);
    }
    return kind_of(cause);
}

const char *last_error(void *) {
    std::memcpy(t_taken, t_error, sizeof t_taken);
    t_error[0] = 0;
    return t_taken;
}

void mark_lost(int32_t device, const char *why) {
    if (device < 0 || device >= kMaxDevices) return;
    std::lock_guard<std::mutex> guard(g_lock);
    if (!g_lost[device]) std::snprintf(g_reason[device], sizeof g_reason[device], "%.511s", why);
    g_lost[device] = true;
}

xpu_status check_lost(int32_t device) {
    if (device < 0 || device >= kMaxDevices || !g_lost[device].load(std::memory_order_relaxed)) return XPU_OK;
    return fail(XPU_DEVICE_LOST, "device %d is lost and computes no more in this process: %s", device, g_reason[device]);
}

void note_launch(xpu_stream stream, const char *op) {
    History &h = history_of(stream);
    std::lock_guard<std::mutex> guard(g_lock);
    if (h.stream != stream) h.stream = stream, h.next = 0;
    h.names[h.next++ % kHistory] = op;
}

} // namespace ascend
