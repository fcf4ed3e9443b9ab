/* Two-phase calls and the executor cache. */
#include "call.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <list>
#include <new>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "error.h"
#include "runtime.h"

namespace ascend {

const xpu_services *services = nullptr;

int item_size(int32_t dtype) {
    static const signed char sizes[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8, 8, 16, 2};
    return sizes[dtype];
}

aclDataType acl_dtype(int32_t dtype) {
    static const aclDataType map[] = {ACL_BOOL,   ACL_INT8,    ACL_UINT8, ACL_INT16,  ACL_UINT16,    ACL_INT32,      ACL_UINT32, ACL_INT64,
                                      ACL_UINT64, ACL_FLOAT16, ACL_FLOAT, ACL_DOUBLE, ACL_COMPLEX64, ACL_COMPLEX128, ACL_BF16};
    return map[dtype];
}

xpu_scalar scalar_of_int(int32_t dtype, int64_t value) {
    xpu_scalar s{};
    s.dtype = dtype;
    switch (dtype) {
    case XPU_FLOAT32: s.value.f = static_cast<float>(value); break;
    case XPU_FLOAT64: s.value.d = static_cast<double>(value); break;
    case XPU_COMPLEX64: s.value.cf[0] = static_cast<float>(value); break;
    case XPU_COMPLEX128: s.value.cd[0] = static_cast<double>(value); break;
    case XPU_FLOAT16:
        s.dtype = XPU_FLOAT32;
        s.value.f = static_cast<float>(value);
        break; /* aclScalar of FLOAT is cast by the operator */
    default: s.value.i = value;
    }
    return s;
}

xpu_scalar scalar_of(int32_t dtype, double value) {
    xpu_scalar s{};
    s.dtype = dtype == XPU_FLOAT16 ? static_cast<int32_t>(XPU_FLOAT32) : dtype;
    switch (s.dtype) {
    case XPU_FLOAT32: s.value.f = static_cast<float>(value); break;
    case XPU_FLOAT64: s.value.d = value; break;
    case XPU_COMPLEX64: s.value.cf[0] = static_cast<float>(value); break;
    case XPU_COMPLEX128: s.value.cd[0] = value; break;
    default: return scalar_of_int(dtype, static_cast<int64_t>(value));
    }
    return s;
}

namespace {

std::atomic<bool> g_deterministic{false};

/* CANN's objects for one call, in the order of its arguments. */
struct Built {
    Arg::Kind kind;
    void *object; /* aclTensor*, aclScalar*, aclIntArray*, aclTensorList* */
    int64_t value;
};

/* --- making and freeing CANN's objects --- */

aclTensor *make_tensor(const xpu_tensor *t) {
    int64_t strides[XPU_MAX_NDIM];
    int item = item_size(t->dtype);
    int64_t length = t->nbytes / item;
    for (int i = 0; i < t->ndim; ++i) strides[i] = t->strides[i] / item;
    return acl.aclCreateTensor(t->shape, t->ndim, acl_dtype(t->dtype), strides, t->offset / item, ACL_FORMAT_ND, &length, 1, t->base);
}

void *make_list(const Arg &a) {
    std::vector<const aclTensor *> members(a.count);
    for (int i = 0; i < a.count; ++i)
        if (!(members[i] = make_tensor(a.list[i]))) {
            while (i-- > 0) acl.aclDestroyTensor(members[i]);
            return nullptr;
        }
    return acl.aclCreateTensorList(members.data(), members.size());
}

void *make_object(const Arg &a) {
    xpu_value value = a.scalar.value;
    switch (a.kind) {
    case Arg::In:
    case Arg::Out: return make_tensor(a.tensor);
    case Arg::Scalar: return acl.aclCreateScalar(&value, acl_dtype(a.scalar.dtype));
    case Arg::Ints: return acl.aclCreateIntArray(a.ints, a.count);
    case Arg::Tensors: return make_list(a);
    default: return nullptr;
    }
}

void destroy(const Built &b) {
    if (!b.object) return;
    switch (b.kind) {
    case Arg::In:
    case Arg::Out: acl.aclDestroyTensor(static_cast<aclTensor *>(b.object)); break;
    case Arg::Scalar: acl.aclDestroyScalar(static_cast<aclScalar *>(b.object)); break;
    case Arg::Ints: acl.aclDestroyIntArray(static_cast<aclIntArray *>(b.object)); break;
    case Arg::Tensors: acl.aclDestroyTensorList(static_cast<aclTensorList *>(b.object)); break;
    default: break;
    }
}

/* --- phase one: each prototype takes its arguments from the built objects --- */

template <class T> T take(const Built &b) {
    if constexpr (std::is_pointer<T>::value) return static_cast<T>(b.object);
    else return static_cast<T>(b.value);
}

template <class... A, size_t... I>
aclnnStatus plan_with(void *fn, const Built *b, uint64_t *size, aclOpExecutor **executor, std::index_sequence<I...>) {
    return reinterpret_cast<aclnnStatus (*)(A..., uint64_t *, aclOpExecutor **)>(fn)(take<A>(b[I])..., size, executor);
}

template <class... A> struct Prototype {
    static constexpr int count = sizeof...(A);
    static aclnnStatus plan(void *fn, const Built *b, uint64_t *size, aclOpExecutor **executor) {
        return plan_with<A...>(fn, b, size, executor, std::index_sequence_for<A...>());
    }
};

struct PlanFn {
    aclnnStatus (*plan)(void *fn, const Built *b, uint64_t *size, aclOpExecutor **executor);
    int count;
};
const PlanFn g_plans[] = {
#define ACLNN_OP(name, ...) {Prototype<__VA_ARGS__>::plan, Prototype<__VA_ARGS__>::count},
#include "aclnn_functions.def"
#undef ACLNN_OP
};

/* --- the cache --- */

struct Entry {
    std::string key;
    Op op;
    int32_t device;
    aclOpExecutor *executor = nullptr;
    uint64_t workspace = 0;
    std::vector<Built> built;
    xpu_stream stream = nullptr; /* the one that it was run on last */
};

constexpr size_t kMaxEntries = 1024;
std::atomic<uint64_t> g_hits, g_misses, g_evictions, g_refused, g_entries, g_rejected;

struct Cache {
    std::list<Entry> entries; /* most recently used first */
    std::unordered_map<std::string, std::list<Entry>::iterator> index;
    std::unordered_map<std::string, bool> refused; /* keys whose executor is not repeatable */
    std::string key;
    ~Cache();
};

void release(Entry &e) {
    if (e.executor) acl.aclDestroyAclOpExecutor(e.executor);
    for (const Built &b : e.built) destroy(b);
    e.executor = nullptr;
    e.built.clear();
}

/* An executor may be let go only when the device is done with it. A stream that was closed has no work left. */
void evict(Cache &c) {
    Entry &e = c.entries.back();
    {
        DeviceGuard guard(e.device);
        if (guard.status == XPU_OK && stream_lives(e.stream)) acl.aclrtSynchronizeStream(e.stream);
        c.index.erase(e.key);
        release(e);
    }
    c.entries.pop_back();
    ++g_evictions;
    --g_entries;
}

Cache::~Cache() {
    while (!entries.empty()) evict(*this);
}

/* Executors belong to their thread and end with it. The main thread ends with the process, when CANN may be gone: it lets them be. */
struct Holder {
    Cache *cache = new Cache;
    ~Holder() {
        if (getpid() != static_cast<pid_t>(syscall(SYS_gettid))) delete cache;
    }
};

Cache &cache() {
    static thread_local Holder holder;
    return *holder.cache;
}

void put(std::string &key, const void *p, size_t n) { key.append(static_cast<const char *>(p), n); }
template <class T> void put(std::string &key, T v) { put(key, &v, sizeof v); }

void put_tensor(std::string &key, const xpu_tensor *t) {
    put(key, t->dtype);
    put(key, t->ndim);
    put(key, t->shape, t->ndim * sizeof(int64_t));
    put(key, t->strides, t->ndim * sizeof(int64_t));
    put(key, t->offset);
    put(key, t->nbytes);
}

void make_key(std::string &key, const Context &ctx, Op op, const Arg *args, int n) {
    const void *bases[kMaxArgs];
    int nbases = 0;
    key.clear();
    put(key, static_cast<int16_t>(op));
    put(key, static_cast<int16_t>(ctx.device));
    put(key, g_deterministic.load(std::memory_order_relaxed));
    for (int i = 0; i < n; ++i) {
        const Arg &a = args[i];
        put(key, static_cast<uint8_t>(a.kind));
        switch (a.kind) {
        case Arg::In:
        case Arg::Out: {
            put_tensor(key, a.tensor);
            int same = 0; /* the aliasing pattern: the first argument with the same memory */
            while (same < nbases && bases[same] != a.tensor->base) ++same;
            put(key, static_cast<uint8_t>(same));
            if (same == nbases) bases[nbases++] = a.tensor->base;
            break;
        }
        case Arg::Scalar: put(key, a.scalar.dtype), put(key, &a.scalar.value, item_size(a.scalar.dtype)); break;
        case Arg::Ints: put(key, a.count), put(key, a.ints, a.count * sizeof(int64_t)); break;
        case Arg::Tensors:
            put(key, a.count);
            for (int k = 0; k < a.count; ++k) put_tensor(key, a.list[k]);
            break;
        case Arg::Null: break;
        default: put(key, a.value);
        }
    }
}

aclnnStatus set_addresses(Entry &e, const Arg *args, int n) {
    size_t inputs = 0, outputs = 0;
    for (int i = 0; i < n; ++i) {
        aclTensor *t = static_cast<aclTensor *>(e.built[i].object);
        aclnnStatus status = 0;
        if (args[i].kind == Arg::In) {
            status = acl.aclSetInputTensorAddr(e.executor, inputs++, t, args[i].tensor->base);
        } else if (args[i].kind == Arg::Out) {
            status = acl.aclSetOutputTensorAddr(e.executor, outputs++, t, args[i].tensor->base);
        } else if (args[i].kind == Arg::Tensors) {
            aclTensorList *list = static_cast<aclTensorList *>(e.built[i].object);
            for (int k = 0; k < args[i].count && status == 0; ++k)
                status = acl.aclSetDynamicInputTensorAddr(e.executor, inputs, k, list, args[i].list[k]->base);
            ++inputs;
        }
        if (status != 0) return status;
    }
    return 0;
}

/* The workspace goes back to the pool at once: it is ordered on the stream that the operator runs on. */
xpu_status phase_two(const Context &ctx, Op op, aclOpExecutor *executor, uint64_t size, bool *called = nullptr) {
    const OpSymbols &s = operators[static_cast<int>(op)];
    void *workspace = nullptr;
    if (size) {
        workspace = services->workspace_alloc(ctx.device, ctx.stream, size);
        if (!workspace)
            return fail(XPU_OUT_OF_MEMORY, "no device memory for the %llu bytes of workspace of aclnn%s",
                        static_cast<unsigned long long>(size), s.name);
    }
    note_launch(ctx.stream, s.name);
    if (called) *called = true;
    aclnnStatus status = s.run(workspace, size, executor, ctx.stream);
    xpu_status result = status == 0 ? XPU_OK : acl_failed(status, s.name, ctx.device);
    if (workspace) services->workspace_free(ctx.device, ctx.stream, workspace);
    return result;
}

/* Phase one, then what the executor allows: kept for reuse, or single use. */
xpu_status run_new(const Context &ctx, Cache &c, Op op, const Arg *args, int n, bool keep, Entry *single) {
    const OpSymbols &s = operators[static_cast<int>(op)];
    Entry e;
    e.op = op;
    e.device = ctx.device;
    e.stream = ctx.stream;
    for (int i = 0; i < n; ++i) {
        Built b{args[i].kind, make_object(args[i]),
                args[i].kind == Arg::Dtype ? acl_dtype(static_cast<int32_t>(args[i].value)) : args[i].value};
        e.built.push_back(b);
        if (!b.object && args[i].kind <= Arg::Tensors) {
            release(e);
            return fail(XPU_DEVICE_ERROR, "aclnn%s: CANN could not make the descriptor of argument %d", s.name, i);
        }
    }
    aclnnStatus status = g_plans[static_cast<int>(op)].plan(s.plan, e.built.data(), &e.workspace, &e.executor);
    if (status != 0) {
        xpu_status result = acl_failed(status, s.name, ctx.device);
        if (status == 161002) result = XPU_NOT_SUPPORTED, ++g_rejected; /* nothing has run: the array is good, another way may take it */
        e.executor = nullptr;
        release(e);
        return result;
    }
    bool repeatable = keep && acl.aclSetAclOpExecutorRepeatable && acl.aclSetAclOpExecutorRepeatable(e.executor) == 0;
    if (keep && !repeatable) {
        if (acl.aclGetRecentErrMsg) acl.aclGetRecentErrMsg(); /* a refusal is no error of the user's */
        c.refused[c.key] = true;
        ++g_refused;
    }
    bool called = false;
    xpu_status result = phase_two(ctx, op, e.executor, e.workspace, &called);
    if (!repeatable) {
        if (called) e.executor = nullptr; /* phase two deletes it, on an error too */
        if (single && result == XPU_OK) *single = std::move(e);
        else release(e);
        return result;
    }
    if (result != XPU_OK) {
        release(e);
        return result;
    }
    e.key = c.key;
    c.entries.push_front(std::move(e));
    c.index[c.entries.front().key] = c.entries.begin();
    ++g_entries;
    if (c.entries.size() > kMaxEntries) evict(c);
    return XPU_OK;
}

xpu_status check_call(const Context &ctx, Op op, size_t n) {
    xpu_status status = check_lost(ctx.device);
    if (status != XPU_OK) return status;
    if (!available(op)) return fail(XPU_NOT_SUPPORTED, "the CANN at hand has no operator aclnn%s", operators[static_cast<int>(op)].name);
    if (static_cast<int>(n) != g_plans[static_cast<int>(op)].count)
        return fail(XPU_INTERNAL_ERROR, "aclnn%s takes %d arguments, %zu were given", operators[static_cast<int>(op)].name,
                    g_plans[static_cast<int>(op)].count, n);
    return XPU_OK;
}

} // namespace

xpu_status run(const Context &ctx, Op op, std::initializer_list<Arg> list) {
    const Arg *args = list.begin();
    int n = static_cast<int>(list.size());
    xpu_status status = check_call(ctx, op, list.size());
    if (status != XPU_OK) return status;
    Cache &c = cache();
    make_key(c.key, ctx, op, args, n);
    auto hit = c.index.find(c.key);
    if (hit == c.index.end()) {
        ++g_misses;
        return run_new(ctx, c, op, args, n, c.refused.find(c.key) == c.refused.end(), nullptr);
    }
    ++g_hits;
    Entry &e = *hit->second;
    c.entries.splice(c.entries.begin(), c.entries, hit->second);
    e.stream = ctx.stream;
    aclnnStatus code = set_addresses(e, args, n);
    if (code != 0) return acl_failed(code, "aclSetTensorAddr", ctx.device);
    return phase_two(ctx, op, e.executor, e.workspace);
}

xpu_status run_dynamic(const Context &ctx, Op op, std::initializer_list<Arg> list, int out_index, int64_t *shape, int *ndim) {
    xpu_status status = check_call(ctx, op, list.size());
    if (status != XPU_OK) return status;
    Entry e;
    status = run_new(ctx, cache(), op, list.begin(), static_cast<int>(list.size()), false, &e);
    if (status != XPU_OK) return status;
    int code = acl.aclrtSynchronizeStream(ctx.stream);
    int64_t *dims = nullptr;
    uint64_t n = 0;
    if (code != 0) return acl_failed(code, "aclrtSynchronizeStream", ctx.device); /* queued work may still use the objects: they stay */
    if ((code = acl.aclGetViewShape(static_cast<aclTensor *>(e.built[out_index].object), &dims, &n)) != 0)
        status = acl_failed(code, "aclGetViewShape", ctx.device);
    else {
        *ndim = static_cast<int>(n);
        std::memcpy(shape, dims, n * sizeof(int64_t));
        delete[] dims;
    }
    release(e);
    return status;
}

CacheStats cache_stats() { return {g_hits, g_misses, g_evictions, g_refused, g_entries, g_rejected}; }

void clear_cache() {
    Cache &c = cache();
    while (!c.entries.empty()) evict(c);
    c.refused.clear();
}

void set_determinism(bool on) { g_deterministic = on; }

Temp::Temp(const Context &ctx, int32_t dtype, int ndim, const int64_t *shape) : tensor{}, ctx_(ctx) {
    int64_t step = item_size(dtype), size = 1;
    for (int i = ndim - 1; i >= 0; --i) {
        shape_[i] = shape[i];
        strides_[i] = step;
        step *= shape[i] > 0 ? shape[i] : 1;
        size *= shape[i];
    }
    tensor.dtype = dtype;
    tensor.ndim = ndim;
    tensor.shape = shape_;
    tensor.strides = strides_;
    tensor.size = size;
    tensor.nbytes = size * item_size(dtype);
    if (size) tensor.base = services->workspace_alloc(ctx.device, ctx.stream, tensor.nbytes);
}

Temp::~Temp() {
    if (tensor.base) services->workspace_free(ctx_.device, ctx_.stream, tensor.base);
}

} // namespace ascend
