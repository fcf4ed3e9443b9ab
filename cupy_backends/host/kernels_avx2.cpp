/* Casts and where for x86-64 with AVX2. */
#include "casts.h"

#if defined(__x86_64__)
#pragma GCC target("avx2")
namespace host {
namespace avx2 {
#include "cast_kernels.h"
#include "where_kernels.h"
}
} // namespace host
#endif
