/* The table of xpu_manage.h. */
#include "dispatch.h"

namespace xpu {
namespace {

int32_t device_count() { return active.backend.load() ? active.devices.load() : 0; }

void pool_set_limit(xpu_pool *pool, int64_t nbytes) { pool->limit.store(nbytes); }

int32_t get_policy() { return fallback_policy.load(); }
void set_policy(int32_t policy) { fallback_policy.store(policy); }

uint64_t get_count(int32_t kind, int32_t op, int32_t method, int32_t loop) {
    if (kind < 0 || kind >= XPU_COUNTERS || op < 0 || op >= XPU_OP_LIMIT || method < 0 || method >= XPU_METHOD_COUNT || loop < 0
        || loop >= kMaxLoops)
        return 0;
    return counters[kind][op][method][loop].load(std::memory_order_relaxed);
}

void reset_counts() {
    for (auto &of_kind : counters)
        for (auto &of_op : of_kind)
            for (auto &of_method : of_op)
                for (auto &n : of_method) n.store(0, std::memory_order_relaxed);
}

int32_t set_deferred(int32_t on) {
    bool before = thread().deferred;
    thread().deferred = on;
    return before;
}

const char *error_text(xpu_status status) {
    static const char *const names[] = {"ok",            "not supported",  "out of memory",          "invalid argument", "invalid device",
                                        "not ready",     "index error",    "negative integer power", "device error",     "device lost",
                                        "used after fork", "not found",    "internal error"};
    int code = status & XPU_CODE_MASK;
    return code >= 0 && code < static_cast<int>(sizeof names / sizeof *names) ? names[code] : "unknown status";
}

} // namespace

const xpu_manage_api manage_api = {
    XPU_ABI_VERSION, sizeof(xpu_manage_api), device_count, device_props, default_pool, make_pool,  drop_pool,     pool_alloc,
    pool_stats,      pool_set_limit,         pool_trim,    block_size,   set_hooks,    note_stream, stream_closed, get_policy,
    set_policy,      get_count,              reset_counts, set_deferred, error_text, wait_device,
};

} // namespace xpu
