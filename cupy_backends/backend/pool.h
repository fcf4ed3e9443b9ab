/* The memory pool: storages over blocks, stream-ordered. */
#ifndef XPU_POOL_H
#define XPU_POOL_H

#include "runtime.h"

namespace xpu {

void drop_magazine(Thread *t);
void pools_before_fork();
void pools_after_fork(bool child);

} // namespace xpu
#endif
