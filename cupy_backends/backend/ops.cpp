/* The op table as C data, made from xpu_ops.def when the module is loaded. */
#include <cstring>

#include "dispatch.h"

namespace xpu {
namespace {

struct Row {
    int32_t id, kind;
    const char *name;
    int32_t nin, nout;
    const char *loops, *identity, *params, *domain;
    double ulp;
};

const Row rows[] = {
#define XPU_OP(id, name, kind, nin, nout, loops, identity, params, domain, ulp) \
    {id, XPU_KIND_##kind, #name, nin, nout, loops, identity, params, domain, ulp},
#include "xpu_ops.def"
#undef XPU_OP
};

int dtype_of_char(char c) {
    static const char chars[] = "?bBhHiIlLefdFD"; /* in the order of xpu_dtype */
    const char *at = std::strchr(chars, c);
    return at ? static_cast<int>(at - chars) : -1;
}

int parse_loops(const char *text, xpu_loop *loops) {
    int n = 0, k = 0;
    for (const char *p = text;; ++p) {
        if (*p == ' ' || *p == '\0') {
            if (k) {
                if (k < XPU_MAX_ARGS) loops[n].types[k] = -1;
                ++n;
            }
            k = 0;
            if (*p == '\0' || n == kMaxLoops) return n;
        } else if (*p != '-' && *p != '>') {
            loops[n].types[k++] = static_cast<int8_t>(dtype_of_char(*p));
        }
    }
}

xpu_loop loops[XPU_OP_LIMIT][kMaxLoops];

} // namespace

xpu_op_info op_table[XPU_OP_LIMIT];

static const bool filled = [] {
    for (const Row &r : rows) {
        int n = parse_loops(r.loops, loops[r.id]);
        op_table[r.id] = {r.id, r.kind, r.name, r.nin, r.nout, r.loops, r.identity, r.params, r.domain, r.ulp, n, loops[r.id]};
    }
    return true;
}();

const xpu_op_info *op_info(int32_t op) {
    return op >= 0 && op < XPU_OP_LIMIT && op_table[op].name ? &op_table[op] : nullptr;
}

} // namespace xpu
