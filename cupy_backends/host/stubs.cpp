/* Families whose files are not written yet. */
#include "host.h"

namespace host {
#define MISSING(name) __attribute__((weak)) xpu_status name(xpu_call *) { return fail(XPU_NOT_SUPPORTED, #name " is not built"); }
MISSING(run_reduce)
MISSING(run_accumulate)
MISSING(run_reduceat)
MISSING(run_argreduce)
MISSING(run_sort)
MISSING(run_argsort)
MISSING(run_partition)
MISSING(run_searchsorted)
MISSING(run_gufunc)
MISSING(run_gather)
MISSING(run_scatter)
MISSING(run_mask_get)
MISSING(run_mask_set)
MISSING(run_nonzero)
} // namespace host
