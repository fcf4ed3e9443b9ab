/* All casts between two dtypes, as loops. Included once for each instruction set, inside a namespace and under a target pragma, so that
 * one binary uses what the CPU has; nothing here names an instruction. No multiplication is near an addition: no FMA can change bits.
 *
 * Floats to integers answer as C compiled for x86-64 does, also out of range: small integers are the low bits of a 32-bit conversion,
 * uint32 those of a 64-bit one, whose result is the most negative number for what does not fit, NaN included. */

struct Bool { uint8_t v; };
struct Half { uint16_t v; };
template <class T> struct Complex { T re, im; };

/* --- float to integer --- */

template <class F> inline int32_t to_int32(F v) {
#if defined(__x86_64__)
    return static_cast<int32_t>(v);
#else
    return v > F(-2147483649.0) && v < F(2147483648.0) ? static_cast<int32_t>(v) : INT32_MIN;
#endif
}
template <class F> inline int64_t to_int64(F v) {
#if defined(__x86_64__)
    return static_cast<int64_t>(v);
#else
    return v >= F(-9223372036854775808.0) && v < F(9223372036854775808.0) ? static_cast<int64_t>(v) : INT64_MIN;
#endif
}
template <class F> inline uint64_t to_uint64(F v) {
    const F half = F(9223372036854775808.0);
    return v >= half ? static_cast<uint64_t>(to_int64(v - half)) ^ (uint64_t(1) << 63) : static_cast<uint64_t>(to_int64(v));
}

/* --- float16 --- */

/* F with bits U, MANTISSA bits of fraction and an exponent biased by BIAS. */
template <class F, class U, int MANTISSA, int BIAS> inline F half_to(uint16_t h) {
    constexpr int shift = MANTISSA - 10, width = sizeof(U) * 8;
    constexpr U top = U(31) << MANTISSA, rebias = U(BIAS - 15) << MANTISSA, unit = U(1) << MANTISSA;
    const U sign = U(h & 0x8000u) << (width - 16), bits = U(h & 0x7fffu) << shift, exponent = bits & top;
    const U small_bits = bits + rebias + unit, magic_bits = rebias + unit; /* subnormal: the bits count units of 2^-24 */
    F small, magic;
    memcpy(&small, &small_bits, sizeof small);
    memcpy(&magic, &magic_bits, sizeof magic);
    small -= magic;
    U result;
    memcpy(&result, &small, sizeof small);
    result = exponent ? bits + rebias : result;
    result = exponent == top ? bits + 2 * rebias : result; /* infinities and NaN keep their bits */
    result |= sign;
    F value;
    memcpy(&value, &result, sizeof value);
    return value;
}
inline float half_to_float(uint16_t h) { return half_to<float, uint32_t, 23, 127>(h); }
inline double half_to_double(uint16_t h) { return half_to<double, uint64_t, 52, 1023>(h); }

inline uint16_t float_to_half(float f) {
    uint32_t bits;
    memcpy(&bits, &f, 4);
    const uint32_t sign = (bits >> 16) & 0x8000u;
    bits &= 0x7fffffffu;
    const uint32_t nan = 0x7c00u | ((bits >> 13) & 0x3ffu), kept = (nan & 0x3ffu) ? nan : 0x7c01u;
    const uint32_t normal = (bits - (112u << 23) + 0xfffu + ((bits >> 13) & 1)) >> 13; /* half to even; may carry up to infinity */
    float small, magic = 0.5f;
    memcpy(&small, &bits, 4);
    small += magic; /* the addition rounds subnormals */
    uint32_t small_bits;
    memcpy(&small_bits, &small, 4);
    small_bits -= 0x3f000000u;
    uint32_t result = bits < (113u << 23) ? small_bits : normal;
    result = bits >= (143u << 23) ? 0x7c00u : result;
    result = bits > 0x7f800000u ? kept : result;
    return static_cast<uint16_t>(result | sign);
}

inline uint16_t double_to_half(double d) {
    uint64_t bits;
    memcpy(&bits, &d, 8);
    const uint64_t sign = (bits >> 48) & 0x8000u;
    bits &= ~(uint64_t(1) << 63);
    const uint64_t nan = 0x7c00u | ((bits >> 42) & 0x3ffu), kept = (nan & 0x3ffu) ? nan : 0x7c01u;
    const uint64_t normal = (bits - (uint64_t(1008) << 52) + ((uint64_t(1) << 41) - 1) + ((bits >> 42) & 1)) >> 42;
    double small, magic = 268435456.0; /* 2^28: its last bit counts units of 2^-24 */
    memcpy(&small, &bits, 8);
    small += magic;
    uint64_t small_bits;
    memcpy(&small_bits, &small, 8);
    small_bits -= uint64_t(1051) << 52;
    uint64_t result = bits < (uint64_t(1009) << 52) ? small_bits : normal;
    result = bits >= (uint64_t(1039) << 52) ? 0x7c00u : result;
    result = bits > (uint64_t(2047) << 52) ? kept : result;
    return static_cast<uint16_t>(result | sign);
}

/* --- one value --- */

template <class T> struct is_complex : std::false_type {};
template <class T> struct is_complex<Complex<T>> : std::true_type {};

template <class T, class F> inline T convert_number(F v) { /* both are C numbers */
    if constexpr (std::is_floating_point<F>::value && std::is_integral<T>::value) {
        if constexpr (sizeof(T) < 4 || std::is_same<T, int32_t>::value)
            return static_cast<T>(to_int32(v));
        else if constexpr (std::is_same<T, uint64_t>::value)
            return to_uint64(v);
        else
            return static_cast<T>(to_int64(v));
    } else {
        return static_cast<T>(v);
    }
}

template <class T, class F> inline T convert(F v) {
    if constexpr (std::is_same<F, Bool>::value) {
        return convert<T>(static_cast<uint8_t>(static_cast<uint8_t>(v.v | -v.v) >> 7)); /* v != 0, in a form that gets vectorised */
    } else if constexpr (is_complex<F>::value) {
        if constexpr (is_complex<T>::value)
            return {static_cast<decltype(T::re)>(v.re), static_cast<decltype(T::re)>(v.im)};
        else if constexpr (std::is_same<T, Bool>::value)
            return {static_cast<uint8_t>((v.re != 0) | (v.im != 0))};
        else
            return convert<T>(v.re);
    } else if constexpr (is_complex<T>::value) {
        return {convert<decltype(T::re)>(v), 0};
    } else if constexpr (std::is_same<F, Half>::value) {
        if constexpr (std::is_same<T, Bool>::value)
            return {static_cast<uint8_t>((v.v & 0x7fff) != 0)};
        else if constexpr (std::is_same<T, double>::value)
            return half_to_double(v.v);
        else
            return convert<T>(half_to_float(v.v));
    } else if constexpr (std::is_same<T, Bool>::value) {
        return {static_cast<uint8_t>(v != 0)};
    } else if constexpr (std::is_same<T, Half>::value) {
        if constexpr (std::is_same<F, double>::value)
            return {double_to_half(v)};
        else
            return {float_to_half(static_cast<float>(v))};
    } else {
        return convert_number<T>(v);
    }
}

/* --- loops --- */

template <class F, class T> inline void cast_one(const char *src, char *dst) {
    F from;
    memcpy(&from, src, sizeof from);
    const T to = convert<T>(from);
    memcpy(dst, &to, sizeof to);
}

template <class F, class T> inline void cast_contiguous(const char *src, char *dst, int64_t n) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i)
        cast_one<F, T>(src + i * sizeof(F), dst + i * sizeof(T));
}

#if defined(HOST_F16C)
/* Eight at a time by the CPU's own conversion, which changes bits of NaN: blocks with one go the other way. */
template <class F, class T, class C> inline void cast_by_eight(const char *src, char *dst, int64_t n, C &&convert_eight) {
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        if (__builtin_expect(convert_eight(src + i * sizeof(F), dst + i * sizeof(T)), 0))
            for (int64_t k = i; k < i + 8; ++k)
                cast_one<F, T>(src + k * sizeof(F), dst + k * sizeof(T));
    for (; i < n; ++i)
        cast_one<F, T>(src + i * sizeof(F), dst + i * sizeof(T));
}
inline bool any_nan(__m256 v) { return _mm256_movemask_ps(_mm256_cmp_ps(v, v, _CMP_UNORD_Q)) != 0; }

template <> inline void cast_contiguous<Half, float>(const char *src, char *dst, int64_t n) {
    cast_by_eight<Half, float>(src, dst, n, [](const char *from, char *to) {
        const __m256 v = _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(from)));
        _mm256_storeu_ps(reinterpret_cast<float *>(to), v);
        return any_nan(v);
    });
}
template <> inline void cast_contiguous<float, Half>(const char *src, char *dst, int64_t n) {
    cast_by_eight<float, Half>(src, dst, n, [](const char *from, char *to) {
        const __m256 v = _mm256_loadu_ps(reinterpret_cast<const float *>(from));
        _mm_storeu_si128(reinterpret_cast<__m128i *>(to), _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
        return any_nan(v);
    });
}
#endif

template <class F, class T> void cast_loop(const char *src, int64_t src_stride, char *dst, int64_t dst_stride, int64_t n) {
    if (src_stride == sizeof(F) && dst_stride == sizeof(T))
        return cast_contiguous<F, T>(src, dst, n);
    for (int64_t i = 0; i < n; ++i)
        cast_one<F, T>(src + i * src_stride, dst + i * dst_stride);
}

template <class T> void copy_items(const char *src, int64_t src_stride, char *dst, int64_t dst_stride, int64_t n) {
    constexpr int64_t size = sizeof(T);
    if (dst_stride == size && src_stride == size) {
        memcpy(dst, src, n * size);
        return;
    }
    T v;
    if (dst_stride == size && src_stride == 0 && n > 0) {
        memcpy(&v, src, size);
        for (int64_t i = 0; i < n; ++i)
            memcpy(dst + i * size, &v, size);
    } else if (dst_stride == size) {
        for (int64_t i = 0; i < n; ++i) {
            memcpy(&v, src + i * src_stride, size);
            memcpy(dst + i * size, &v, size);
        }
    } else {
        for (int64_t i = 0; i < n; ++i) {
            memcpy(&v, src + i * src_stride, size);
            memcpy(dst + i * dst_stride, &v, size);
        }
    }
}

struct Item16 { uint64_t word[2]; };

#define ROW(F)                                                                                                                    \
    {cast_loop<F, Bool>, cast_loop<F, int8_t>, cast_loop<F, uint8_t>, cast_loop<F, int16_t>, cast_loop<F, uint16_t>,              \
     cast_loop<F, int32_t>, cast_loop<F, uint32_t>, cast_loop<F, int64_t>, cast_loop<F, uint64_t>,                                \
     cast_loop<F, Half>, cast_loop<F, float>, cast_loop<F, double>,                                                               \
     cast_loop<F, Complex<float>>, cast_loop<F, Complex<double>>}
void fill_casts(CastFn (*table)[XPU_BFLOAT16]) {
    static const CastFn rows[XPU_BFLOAT16][XPU_BFLOAT16] = {ROW(Bool), ROW(int8_t), ROW(uint8_t), ROW(int16_t), ROW(uint16_t), ROW(int32_t),
        ROW(uint32_t), ROW(int64_t), ROW(uint64_t), ROW(Half), ROW(float), ROW(double), ROW(Complex<float>), ROW(Complex<double>)};
    memcpy(table, rows, sizeof rows);
    for (int i = 0; i < XPU_BFLOAT16; ++i) {
        const int size = item_size(i);
        table[i][i] = size == 1 ? copy_items<uint8_t> : size == 2 ? copy_items<uint16_t> : size == 4 ? copy_items<uint32_t>
                    : size == 8 ? copy_items<uint64_t> : copy_items<Item16>;
    }
}
#undef ROW
