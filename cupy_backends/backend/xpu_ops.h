/* Names of the op ids: XPU_OP_add, XPU_OP_copy, ... from the op table. */
#ifndef XPU_OPS_H
#define XPU_OPS_H

enum {
#define XPU_OP(id, name, kind, nin, nout, loops, identity, params, domain, ulp) XPU_OP_##name = id,
#include "xpu_ops.def"
#undef XPU_OP
    XPU_OP_LIMIT = 160
};
#endif
