/* where(condition, x, y) by item size, without branches. Included as cast_kernels.h is. */

/* All bits of T set where the condition is true. */
template <class T> inline T bits_of(uint8_t condition) { return static_cast<T>(condition ? -1 : 0); }

template <class T> inline T choose(uint8_t condition, T x, T y) { return (x & bits_of<T>(condition)) | (y & static_cast<T>(~bits_of<T>(condition))); }
inline Item16 choose(uint8_t condition, Item16 x, Item16 y) {
    return {{choose<uint64_t>(condition, x.word[0], y.word[0]), choose<uint64_t>(condition, x.word[1], y.word[1])}};
}

/* X, Y: is it an array, or one value? */
template <class T, bool X, bool Y> void where_rows(const uint8_t *condition, const T *x, const T *y, T *out, int64_t n) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i)
        out[i] = choose(condition[i], x[X ? i : 0], y[Y ? i : 0]);
}

template <class T> void where_loop(char **args, const intptr_t *dimensions, const intptr_t *steps, void *) {
    constexpr intptr_t size = sizeof(T);
    const intptr_t n = dimensions[0];
    const T *x = reinterpret_cast<const T *>(args[1]), *y = reinterpret_cast<const T *>(args[2]);
    T *out = reinterpret_cast<T *>(args[3]);
    if (steps[0] == 1 && steps[3] == size && (steps[1] == size || !steps[1]) && (steps[2] == size || !steps[2])) {
        const uint8_t *condition = reinterpret_cast<const uint8_t *>(args[0]);
        if (steps[1] && steps[2])
            where_rows<T, true, true>(condition, x, y, out, n);
        else if (steps[1])
            where_rows<T, true, false>(condition, x, y, out, n);
        else if (steps[2])
            where_rows<T, false, true>(condition, x, y, out, n);
        else
            where_rows<T, false, false>(condition, x, y, out, n);
        return;
    }
    for (intptr_t i = 0; i < n; ++i) {
        const uint8_t condition = static_cast<uint8_t>(args[0][i * steps[0]]);
        *reinterpret_cast<T *>(args[3] + i * steps[3]) = choose(condition, *reinterpret_cast<const T *>(args[1] + i * steps[1]),
                                                                 *reinterpret_cast<const T *>(args[2] + i * steps[2]));
    }
}

LoopFn where_of(int size) {
    switch (size) {
    case 1: return where_loop<uint8_t>;
    case 2: return where_loop<uint16_t>;
    case 4: return where_loop<uint32_t>;
    case 8: return where_loop<uint64_t>;
    default: return where_loop<Item16>;
    }
}
