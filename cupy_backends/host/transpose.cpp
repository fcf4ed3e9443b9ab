/* Transposition of items of 1, 2, 4 and 8 bytes by vectors of 16 bytes. */
#include "casts.h"

#include <algorithm>
#include <utility>

namespace host {
namespace {

/* N rows of N items, read along src's rows and written along dst's: log2(N) rounds, each interleaves row k with row k + N/2. */
template <class T> struct Block {
    static constexpr int N = 16 / sizeof(T);
    typedef T Vector __attribute__((vector_size(16)));

#if defined(__clang__)
    template <int... I> static Vector interleave_at(Vector a, Vector b, std::integer_sequence<int, I...>, int) {
        return __builtin_shufflevector(a, b, (I / 2 + I % 2 * N)...);
    }
    template <int... I> static Vector interleave_at(Vector a, Vector b, std::integer_sequence<int, I...>, long) {
        return __builtin_shufflevector(a, b, (I / 2 + I % 2 * N + N / 2)...);
    }
    static Vector low(Vector a, Vector b) { return interleave_at(a, b, std::make_integer_sequence<int, N>(), 0); }
    static Vector high(Vector a, Vector b) { return interleave_at(a, b, std::make_integer_sequence<int, N>(), 0L); }
#else
    static Vector interleave(Vector a, Vector b, int first) {
        Vector mask;
        for (int i = 0; i < N; ++i)
            mask[i] = static_cast<T>(i / 2 + i % 2 * N + first);
        return __builtin_shuffle(a, b, mask);
    }
    static Vector low(Vector a, Vector b) { return interleave(a, b, 0); }
    static Vector high(Vector a, Vector b) { return interleave(a, b, N / 2); }
#endif

    static void transpose(const char *src, int64_t src_row, char *dst, int64_t dst_row) {
        Vector rows[N], next[N];
        for (int k = 0; k < N; ++k)
            memcpy(&rows[k], src + k * src_row, 16);
        for (int round = 1; round < N; round *= 2) {
            for (int k = 0; k < N / 2; ++k) {
                next[2 * k] = low(rows[k], rows[k + N / 2]);
                next[2 * k + 1] = high(rows[k], rows[k + N / 2]);
            }
            for (int k = 0; k < N; ++k)
                rows[k] = next[k];
        }
        for (int k = 0; k < N; ++k)
            memcpy(dst + k * dst_row, &rows[k], 16);
    }
};

/* Tiles of whole cache lines on both sides. */
template <class T> void transpose_items(const char *src, int64_t src_row, char *dst, int64_t dst_row, int64_t n, int64_t rows) {
    constexpr int64_t size = sizeof(T), N = Block<T>::N, tile = std::max<int64_t>(64 / size, 16);
    for (int64_t first = 0; first < n; first += tile) {
        const int64_t end = std::min(first + tile, n);
        int64_t j = 0;
        for (; j + N <= rows; j += N) {
            int64_t i = first;
            for (; i + N <= end; i += N)
                Block<T>::transpose(src + i * src_row + j * size, src_row, dst + j * dst_row + i * size, dst_row);
            for (; i < end; ++i)
                for (int64_t k = j; k < j + N; ++k)
                    memcpy(dst + k * dst_row + i * size, src + i * src_row + k * size, size);
        }
        for (; j < rows; ++j)
            for (int64_t i = first; i < end; ++i)
                memcpy(dst + j * dst_row + i * size, src + i * src_row + j * size, size);
    }
}

} // namespace

TransposeFn transpose_fn(int size) {
    switch (size) {
    case 1: return transpose_items<uint8_t>;
    case 2: return transpose_items<uint16_t>;
    case 4: return transpose_items<uint32_t>;
    case 8: return transpose_items<uint64_t>;
    default: return nullptr;
    }
}

} // namespace host
