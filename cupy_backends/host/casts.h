/* The table of casts, filled once for the CPU at hand. */
#ifndef HOST_CASTS_H
#define HOST_CASTS_H

#include "host.h"

namespace host {
namespace base {
void fill_casts(CastFn (*table)[XPU_BFLOAT16]); /* cast_base.cpp */
}
namespace avx2 {
void fill_casts(CastFn (*table)[XPU_BFLOAT16]); /* cast_avx2.cpp, on x86-64 only */
}
} // namespace host
#endif
