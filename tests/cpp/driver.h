/* A small test harness, and arrays for the C interface. */
#ifndef DRIVER_H
#define DRIVER_H

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "../../cupy_backends/backend/dispatch.h"

struct Case {
    const char *target, *name;
    int backends; /* 1: host, 2: counting */
    void (*run)();
    Case *next;
    static Case *first;
    Case(const char *target, const char *name, int backends,
         void (*run)()) : target(target), name(name), backends(backends), run(run), next(first) {
        first = this;
    }
};
extern int g_failures;
extern long g_checks;
extern bool g_counting; /* the backend in use is `counting`, not the host */

#define CASE(target, name, backends) \
    static void name(); \
    static Case case_##name(#target, #name, backends, name); \
    static void name()
#define CHECK(condition) \
    do { \
        __atomic_add_fetch(&g_checks, 1, __ATOMIC_RELAXED); \
        if (!(condition)) { \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            __atomic_add_fetch(&g_failures, 1, __ATOMIC_RELAXED); \
        } \
    } while (0)
enum { HOST = 1, COUNTING = 2, BOTH = 3 };

extern "C" {
int64_t counting_get(const char *name);
void counting_hold(int on);
void counting_capacity(int64_t nbytes);
void *counting_twin(void *p);
}

/* The address at which the CPU may touch memory of the backend. */
inline void *touchable(void *p) { return g_counting ? counting_twin(p) : p; }

template <class T> struct DtypeOf;
template <> struct DtypeOf<bool> { enum { value = XPU_BOOL }; };
template <> struct DtypeOf<int8_t> { enum { value = XPU_INT8 }; };
template <> struct DtypeOf<uint8_t> { enum { value = XPU_UINT8 }; };
template <> struct DtypeOf<int16_t> { enum { value = XPU_INT16 }; };
template <> struct DtypeOf<uint16_t> { enum { value = XPU_UINT16 }; };
template <> struct DtypeOf<int32_t> { enum { value = XPU_INT32 }; };
template <> struct DtypeOf<uint32_t> { enum { value = XPU_UINT32 }; };
template <> struct DtypeOf<int64_t> { enum { value = XPU_INT64 }; };
template <> struct DtypeOf<uint64_t> { enum { value = XPU_UINT64 }; };
template <> struct DtypeOf<float> { enum { value = XPU_FLOAT32 }; };
template <> struct DtypeOf<double> { enum { value = XPU_FLOAT64 }; };

/* A C-contiguous array on the current device. */
template <class T> struct Array {
    std::vector<int64_t> shape, strides;
    xpu_storage *storage = nullptr;
    xpu_tensor t = {};

    explicit Array(std::vector<int64_t> s) : shape(std::move(s)), strides(shape.size()) {
        t.size = 1;
        for (size_t i = shape.size(); i-- > 0;) {
            strides[i] = t.size * static_cast<int64_t>(sizeof(T));
            t.size *= shape[i];
        }
        t.nbytes = t.size * static_cast<int64_t>(sizeof(T));
        if (xpu::core_api.alloc(t.nbytes, &storage) != XPU_OK) std::printf("no memory: %s\n", xpu::core_api.last_error()), std::abort();
        t.base = storage->base;
        t.storage = storage;
        t.dtype = DtypeOf<T>::value;
        t.ndim = static_cast<int32_t>(shape.size());
        t.shape = shape.data();
        t.strides = strides.data();
    }
    Array(std::vector<int64_t> s, const std::vector<T> &values) : Array(std::move(s)) { set(values); }
    ~Array() { xpu::core_api.release(storage); }
    Array(const Array &) = delete;
    template <class F> Array &fill(F &&f) {
        std::vector<T> v(t.size);
        for (int64_t i = 0; i < t.size; ++i) v[i] = f(i);
        set(v);
        return *this;
    }
    void set(const std::vector<T> &v) { /* by way of a plain array, as std::vector<bool> is none */
        std::unique_ptr<T[]> p(new T[v.size() + 1]);
        std::copy(v.begin(), v.end(), p.get());
        xpu::core_api.write(storage, 0, p.get(), v.size() * sizeof(T));
    }
    std::vector<T> get() const {
        std::unique_ptr<T[]> p(new T[t.size + 1]);
        xpu::core_api.read(p.get(), storage, 0, t.size * sizeof(T));
        return std::vector<T>(p.get(), p.get() + t.size);
    }
};

/* A launch on the current device and stream. */
struct Launch {
    xpu_call c = {};
    xpu_params p = {};
    std::vector<const xpu_tensor *> in, out;
    Launch(int op, std::vector<int8_t> types, std::vector<const xpu_tensor *> in_, std::vector<const xpu_tensor *> out_)
        : in(std::move(in_)), out(std::move(out_)) {
        c.struct_size = sizeof c;
        c.op = op;
        c.loop = xpu::find_loop(op, types.data(), static_cast<int>(types.size()));
        c.nin = static_cast<int32_t>(in.size());
        c.nout = static_cast<int32_t>(out.size());
        c.in = in.data();
        c.out = out.data();
        c.params = &p;
        xpu::core_api.current(&c.device, &c.stream);
    }
    xpu_status run() { return xpu::core_api.launch(&c); }
};

#endif
