/* Casts and selections for x86-64 with AVX2 and F16C. */
#include "casts.h"

#if defined(__x86_64__)
#include <immintrin.h>

#pragma GCC target("avx2,f16c")
#define HOST_F16C 1
namespace host {
namespace avx2 {
#include "cast_kernels.h"
#include "select_kernels.h"
}
} // namespace host
#endif
