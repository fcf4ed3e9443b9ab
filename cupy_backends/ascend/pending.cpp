/* Forms whose files are being written: not supported until then. */
#include "compute.h"

namespace ascend {
#define PENDING(name) __attribute__((weak)) ASCEND_FORM(name) { (void)ctx; (void)row; (void)call; return XPU_NOT_SUPPORTED; }
PENDING(gather) PENDING(scatter) PENDING(mask_get) PENDING(mask_set) PENDING(nonzero) PENDING(sort) PENDING(argsort) PENDING(matmul)
} // namespace ascend
