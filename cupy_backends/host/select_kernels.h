/* where(condition, x, y) by item size, without branches, and maximum of float16. Included as cast_kernels.h is. */

/* All bits of T set where the condition is true. */
template <class T> inline T bits_of(uint8_t condition) { return static_cast<T>(condition ? -1 : 0); }

template <class T> inline T choose(uint8_t condition, T x, T y) {
    return (x & bits_of<T>(condition)) | (y & static_cast<T>(~bits_of<T>(condition)));
}
inline Item16 choose(uint8_t condition, Item16 x, Item16 y) {
    return {{choose<uint64_t>(condition, x.word[0], y.word[0]), choose<uint64_t>(condition, x.word[1], y.word[1])}};
}

template <class T> inline T item_at(const char *p) { /* complex64 moves as uint64_t, for which it need not be aligned */
    T v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* X, Y: is it an array, or one value? */
template <class T, bool X, bool Y> void where_rows(const char *condition, const char *x, const char *y, char *out, int64_t n) {
    constexpr int64_t size = sizeof(T);
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) {
        const T v = choose(static_cast<uint8_t>(condition[i]), item_at<T>(x + (X ? i * size : 0)), item_at<T>(y + (Y ? i * size : 0)));
        memcpy(out + i * size, &v, sizeof v);
    }
}

template <class T> void where_loop(char **args, const intptr_t *dimensions, const intptr_t *steps, void *) {
    constexpr intptr_t size = sizeof(T);
    const intptr_t n = dimensions[0];
    const char *condition = args[0], *x = args[1], *y = args[2];
    char *out = args[3];
    if (steps[0] == 1 && steps[3] == size && (steps[1] == size || !steps[1]) && (steps[2] == size || !steps[2])) {
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
        const uint8_t c = static_cast<uint8_t>(condition[i * steps[0]]);
        const T v = choose(c, item_at<T>(x + i * steps[1]), item_at<T>(y + i * steps[2]));
        memcpy(out + i * steps[3], &v, sizeof v);
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

/* --- maximum and the like of float16, on the bits --- */

inline uint16_t mask_of(bool b) { return static_cast<uint16_t>(-static_cast<int>(b)); }
inline uint16_t half_nan(uint16_t v) { return mask_of(static_cast<uint16_t>(v & 0x7fff) > 0x7c00); }
inline int16_t half_key(uint16_t v) { /* in the order of the numbers; both zeros are 0 */
    const uint16_t sign = static_cast<uint16_t>(static_cast<int16_t>(v) >> 15);
    return static_cast<int16_t>(((v & 0x7fff) ^ sign) - sign);
}
inline uint16_t half_ge(uint16_t a, uint16_t b) { return mask_of(half_key(a) >= half_key(b)) & ~half_nan(a) & ~half_nan(b); }

/* All bits set where the first one is taken. */
struct Maximum { static uint16_t first(uint16_t a, uint16_t b) { return half_ge(a, b) | half_nan(a); } };
struct Minimum { static uint16_t first(uint16_t a, uint16_t b) { return half_ge(b, a) | half_nan(a); } };
struct Fmax { static uint16_t first(uint16_t a, uint16_t b) { return half_ge(a, b) | half_nan(b); } };
struct Fmin { static uint16_t first(uint16_t a, uint16_t b) { return half_ge(b, a) | half_nan(b); } };
template <class OP> uint16_t half_choice(uint16_t a, uint16_t b) {
    const uint16_t first = OP::first(a, b);
    return static_cast<uint16_t>((a & first) | (b & ~first));
}

inline uint16_t half_at(const char *p) { return *reinterpret_cast<const uint16_t *>(p); }

template <class OP> void half_choice_loop(char **args, const intptr_t *dimensions, const intptr_t *steps, void *) {
    const intptr_t n = dimensions[0];
    const char *a = args[0], *b = args[1];
    uint16_t *out = reinterpret_cast<uint16_t *>(args[2]);
    /* in a scan each output is the next one's input: one after the other then */
    const bool contiguous = steps[0] == 2 && steps[2] == 2 && (args[2] <= a || args[2] >= a + 2 * n);
    if (contiguous && steps[1] == 2) {
#pragma GCC ivdep
        for (intptr_t i = 0; i < n; ++i)
            out[i] = half_choice<OP>(half_at(a + 2 * i), half_at(b + 2 * i));
    } else if (contiguous && steps[1] == 0) {
        const uint16_t value = half_at(b);
#pragma GCC ivdep
        for (intptr_t i = 0; i < n; ++i)
            out[i] = half_choice<OP>(half_at(a + 2 * i), value);
    } else {
        for (intptr_t i = 0; i < n; ++i)
            *reinterpret_cast<uint16_t *>(args[2] + i * steps[2]) = half_choice<OP>(half_at(a + i * steps[0]), half_at(b + i * steps[1]));
    }
}

inline uint16_t half_clip(uint16_t v, uint16_t low, uint16_t high) { return half_choice<Minimum>(half_choice<Maximum>(v, low), high); }

void half_clip_loop(char **args, const intptr_t *dimensions, const intptr_t *steps, void *) {
    const intptr_t n = dimensions[0];
    const char *v = args[0], *low = args[1], *high = args[2];
    uint16_t *out = reinterpret_cast<uint16_t *>(args[3]);
    if (steps[0] == 2 && steps[3] == 2 && !steps[1] && !steps[2]) {
        const uint16_t least = half_at(low), most = half_at(high);
#pragma GCC ivdep
        for (intptr_t i = 0; i < n; ++i)
            out[i] = half_clip(half_at(v + 2 * i), least, most);
        return;
    }
    for (intptr_t i = 0; i < n; ++i)
        *reinterpret_cast<uint16_t *>(args[3] + i * steps[3]) =
            half_clip(half_at(v + i * steps[0]), half_at(low + i * steps[1]), half_at(high + i * steps[2]));
}

LoopFn half_choice_of(int op) {
    switch (op) {
    case XPU_OP_maximum: return half_choice_loop<Maximum>;
    case XPU_OP_minimum: return half_choice_loop<Minimum>;
    case XPU_OP_fmax: return half_choice_loop<Fmax>;
    case XPU_OP_fmin: return half_choice_loop<Fmin>;
    case XPU_OP_clip: return half_clip_loop;
    default: return nullptr;
    }
}
