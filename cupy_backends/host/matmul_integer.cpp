/* Integer matrix products, exact modulo 2^bits, so signedness does not matter. */
#include "matmul.h"

namespace host {
namespace {

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define BEST __attribute__((target_clones("arch=skylake-avx512", "avx2", "default")))
#else
#define BEST
#endif

#define INLINE inline __attribute__((always_inline))

constexpr int64_t kRows = 4;

/* R rows of out, a strip of up to N columns: sums stay in the first cache or in registers, rows of b go by. */
template <class T, int R, int N>
INLINE void strip(const char *a, const int64_t *sa, const char *b, int64_t sb, char *out, int64_t so, int64_t k, int64_t n) {
    T sum[R][N] = {};
    for (int64_t p = 0; p < k; p++) {
        const T *row = reinterpret_cast<const T *>(b + p * sb);
        for (int r = 0; r < R; r++) {
            const T factor = *reinterpret_cast<const T *>(a + r * sa[0] + p * sa[1]);
            for (int64_t j = 0; j < n; j++) sum[r][j] = static_cast<T>(sum[r][j] + factor * row[j]);
        }
    }
    for (int r = 0; r < R; r++) memcpy(out + r * so, sum[r], n * sizeof(T));
}

template <class T>
INLINE void product(const char *a, const int64_t *sa, const char *b, int64_t sb, char *out, int64_t so, int64_t m, int64_t k, int64_t n) {
    constexpr int64_t kStrip = 64 / sizeof(T) * 4; /* four cache lines */
    for (int64_t j = 0; j < n; j += kStrip) {
        const int64_t width = n - j < kStrip ? n - j : kStrip;
        const char *bj = b + j * sizeof(T);
        char *oj = out + j * sizeof(T);
        int64_t i = 0;
        for (; i + kRows <= m; i += kRows) {
            if (width == kStrip) strip<T, kRows, kStrip>(a + i * sa[0], sa, bj, sb, oj + i * so, so, k, kStrip);
            else strip<T, kRows, kStrip>(a + i * sa[0], sa, bj, sb, oj + i * so, so, k, width);
        }
        for (; i < m; i++) strip<T, 1, kStrip>(a + i * sa[0], sa, bj, sb, oj + i * so, so, k, width);
    }
}

#define PRODUCT(name, T)                                                                                                          \
    BEST void name(const char *a, const int64_t *sa, const char *b, int64_t sb, char *out, int64_t so, int64_t m, int64_t k, int64_t n) { \
        product<T>(a, sa, b, sb, out, so, m, k, n);                                                                               \
    }
PRODUCT(product_1, uint8_t)
PRODUCT(product_2, uint16_t)
PRODUCT(product_4, uint32_t)
PRODUCT(product_8, uint64_t)

} // namespace

IntegerProduct integer_product(int dtype) {
    if (dtype == XPU_BOOL || dtype > XPU_UINT64) return nullptr;
    switch (item_size(dtype)) {
    case 1: return product_1;
    case 2: return product_2;
    case 4: return product_4;
    default: return product_8;
    }
}

} // namespace host
