/* libasdsip: Fourier transforms of one axis (C functions) and products of COMPLEX64 matrices (C++ functions, by their mangled names).
 * Plans belong to handles; there are no executors, workspace and stream are set on the handle. */
#include <atomic>
#include <map>
#include <mutex>

#include "kernels.h"

using namespace emu;

namespace {

constexpr int32_t kSuccess = 0, kInvalid = 100000, kUnsupported = 200001, kInternal = 500000;

struct Handle {
    bool fft = true, planned = false, batched = false;
    int32_t type = 0, direction = 0;     /* FFT */
    int64_t size = 0, batch = 0;
    int32_t transa = 0, transb = 0;      /* Cgemm */
    int64_t m = 0, n = 0, k = 0, lda = 0, ldb = 0, ldc = 0;
    size_t workspace_size = 0;
    void *workspace = nullptr, *stream = nullptr;
    std::shared_ptr<std::atomic<int>> running = std::make_shared<std::atomic<int>>(0);
};

std::mutex lock;
std::map<void *, std::unique_ptr<Handle>> &handles()
{
    static auto *made = new std::map<void *, std::unique_ptr<Handle>>;
    return *made;
}

Handle *find(const char *name, void *handle, bool fft)
{
    std::lock_guard<std::mutex> hold(lock);
    auto found = handles().find(handle);
    if (found != handles().end() && found->second->fft == fft) return found->second.get();
    violation("asdsip: %s: no live handle", name);
    return nullptr;
}

int32_t create(const char *name, void **handle, bool fft)
{
    if (int code = enter(name)) return code;
    if (!handle) return kInvalid;
    auto made = std::make_unique<Handle>();
    made->fft = fft;
    std::lock_guard<std::mutex> hold(lock);
    *handle = made.get();
    handles()[*handle] = std::move(made);
    return kSuccess;
}

int32_t destroy(const char *name, void *handle, bool fft)
{
    if (int code = enter(name)) return code;
    Handle *h = find(name, handle, fft);
    if (!h) return kInvalid;
    if (*h->running) violation("asdsip: %s: its work has not finished", name);
    if (!fft && h->workspace) violation("asdsip: %s: the workspace is still set, some versions free it", name);
    std::lock_guard<std::mutex> hold(lock);
    handles().erase(handle);
    return kSuccess;
}

int32_t refuse(const char *name, int32_t code, const char *why)
{
    set_error("%s: %s", name, why);
    return code;
}

/* Queues work on the handle's stream: input ranges, then the output, then the workspace. */
int32_t submit(const char *name, Handle &h, std::vector<Range> ranges, std::function<void(Work &)> body)
{
    if (!h.stream) return refuse(name, h.fft ? kInvalid : kInternal, "no stream is set");
    if (h.workspace_size && !h.workspace) return refuse(name, h.fft ? kInvalid : kInternal, "no workspace is set");
    if (h.workspace_size) ranges.push_back({h.workspace, h.workspace_size, true});
    auto running = h.running;
    size_t last = ranges.size() - 1, scratch = h.workspace_size;
    ++*running;
    aclError code = launch(name, h.stream, ranges, [=](Work &w) {
        if (scratch) memset(w.at(int(last)), 0xA7, scratch);
        body(w);
        --*running;
    });
    if (code) --*running;
    return code ? kInternal : kSuccess;
}

/* Only the storage's base is used, read as dense data. */
bool dense(const char *name, const aclTensor *t)
{
    if (!t || !check_object(t, name)) return false;
    if (t->layout.contiguous() && t->layout.offset == 0) return true;
    violation("asdsip: %s: a tensor that is not dense from its base", name);
    return false;
}

/* --- Fourier transforms --- */
enum Transform { kC2C = 16, kC2R = 17, kR2C = 18 };
constexpr int32_t kForward = 16, kInverse = 17, kHorizontal = 16;

int64_t smallest_factor(int64_t n)
{
    for (int64_t p = 2; p * p <= n; ++p)
        if (n % p == 0) return p;
    return n;
}

/* out[k] = sum of in[i * step] w^(i k), w the n-th root for `sign`. */
void transform(const Complex128 *in, int64_t step, Complex128 *out, int64_t n, int sign)
{
    if (n == 1) {
        *out = *in;
        return;
    }
    int64_t p = smallest_factor(n), m = n / p;
    std::vector<Complex128> parts(static_cast<size_t>(n));
    for (int64_t r = 0; r < p; ++r) transform(in + r * step, step * p, parts.data() + r * m, m, sign);
    const double turn = sign * 2 * M_PI / double(n);
    for (int64_t k = 0; k < n; ++k) {
        Complex128 total = 0;
        for (int64_t r = 0; r < p; ++r) total += parts[size_t(r * m + k % m)] * std::polar(1.0, turn * double(r * k % n));
        out[k] = total;
    }
}

struct Lines { int64_t n, in, out; };    /* length of the transform; elements of a line */

Lines lines_of(const Handle &h)
{
    int64_t half = h.size / 2 + 1;
    return {h.size, h.type == kC2R ? half : h.size, h.type == kR2C ? half : h.size};
}

/* A line of input as n complex numbers: the half that C2R leaves out is conjugate. */
void read_line(const Handle &h, const char *data, int64_t line, std::vector<Complex128> &x)
{
    Lines l = lines_of(h);
    if (h.type == kR2C) {
        const float *row = reinterpret_cast<const float *>(data) + line * l.in;
        for (int64_t i = 0; i < l.n; ++i) x[size_t(i)] = row[i];
        return;
    }
    const Complex64 *row = reinterpret_cast<const Complex64 *>(data) + line * l.in;
    for (int64_t i = 0; i < l.in; ++i) x[size_t(i)] = Complex128(row[i]);
    if (h.type != kC2R) return;
    x[0] = x[0].real();
    if (l.n % 2 == 0) x[size_t(l.n / 2)] = x[size_t(l.n / 2)].real();
    for (int64_t i = l.in; i < l.n; ++i) x[size_t(i)] = std::conj(x[size_t(l.n - i)]);
}

void transform_lines(const Handle &h, Work &w)
{
    Lines l = lines_of(h);
    std::vector<Complex128> x(static_cast<size_t>(l.n)), y(static_cast<size_t>(l.n));
    for (int64_t line = 0; line < h.batch; ++line) {
        read_line(h, w.at(0), line, x);
        transform(x.data(), 1, y.data(), l.n, h.direction == kForward ? -1 : 1);
        for (int64_t i = 0; i < l.out; ++i) {
            if (h.type == kC2R) reinterpret_cast<float *>(w.at(1))[line * l.out + i] = float(y[size_t(i)].real());
            else reinterpret_cast<Complex64 *>(w.at(1))[line * l.out + i] = Complex64(y[size_t(i)]);
        }
    }
}

bool clobbers(const Handle &h) { return h.type == kC2C && h.size >= 32768 && (h.size & (h.size - 1)) == 0; }

int32_t execute(const char *name, void *handle, int32_t type, const aclTensor *input, const aclTensor *output)
{
    if (int code = enter(name)) return code;
    Handle *h = find(name, handle, true);
    if (!h || !h->planned || h->type != type) return refuse(name, kInvalid, "no plan of this type");
    if (!dense(name, input) || !dense(name, output)) return kInvalid;
    Lines l = lines_of(*h);
    const Layout &in = input->layout, &out = output->layout;
    aclDataType from = type == kR2C ? ACL_FLOAT : ACL_COMPLEX64, to = type == kC2R ? ACL_FLOAT : ACL_COMPLEX64;
    if (in.dtype != from || out.dtype != to) return refuse(name, kInvalid, "a tensor of the wrong dtype");
    if (in.dims.empty() || out.dims.empty() || in.dims.back() != l.in || out.dims.back() != l.out)
        return refuse(name, kInvalid, "a tensor of the wrong length");
    size_t read = size_t(h->batch * l.in) * item_size(from), written = size_t(h->batch * l.out) * item_size(to);
    const char *a = static_cast<const char *>(input->base), *b = static_cast<const char *>(output->base);
    if (a < b + written && b < a + read) {
        violation("asdsip: %s: input and output share memory", name);
        return kInvalid;
    }
    Handle plan = *h;
    return submit(name, *h, {{a, read, clobbers(plan)}, {b, written, true}}, [=](Work &w) {
        transform_lines(plan, w);
        if (clobbers(plan)) memset(w.at(0), 0xA7, read);
    });
}

} // namespace

EMU_API int32_t asdFftCreate(void **handle) { return create("asdFftCreate", handle, true); }
EMU_API int32_t asdFftDestroy(void *handle) { return destroy("asdFftDestroy", handle, true); }

EMU_API int32_t asdFftMakePlan1D(void *handle, int64_t fftSize, int32_t fftType, int32_t direction, int64_t batchSize, int32_t dimType)
{
    const char *name = "asdFftMakePlan1D";
    if (int code = enter(name)) return code;
    Handle *h = find(name, handle, true);
    if (!h) return kInvalid;
    if (h->planned) return refuse(name, kInvalid, "the handle has a plan");
    if (fftSize < 1 || fftSize > int64_t(1) << 27 || batchSize < 1 || batchSize > INT32_MAX || fftSize * batchSize > int64_t(1) << 30)
        return refuse(name, kInvalid, "a size out of range");
    if ((fftType != kC2C && fftType != kC2R && fftType != kR2C) || (direction != kForward && direction != kInverse))
        return refuse(name, kInvalid, "type or direction");
    if (dimType != kHorizontal) return refuse(name, kUnsupported, "only the last axis");
    int64_t rest = fftSize;
    for (int64_t p; rest > 1; rest /= p) {
        p = smallest_factor(rest);
        if (p > 199) return refuse(name, kInvalid, "a prime factor above 199");
    }
    h->planned = true;
    h->type = fftType, h->direction = direction, h->size = fftSize, h->batch = batchSize;
    h->workspace_size = fftSize <= 256 ? 0 : size_t(fftSize * batchSize) * 8;
    return kSuccess;
}

EMU_API int32_t asdFftExecC2C(void *handle, const aclTensor *input, const aclTensor *output)
{
    return execute("asdFftExecC2C", handle, kC2C, input, output);
}
EMU_API int32_t asdFftExecC2R(void *handle, const aclTensor *input, const aclTensor *output)
{
    return execute("asdFftExecC2R", handle, kC2R, input, output);
}
EMU_API int32_t asdFftExecR2C(void *handle, const aclTensor *input, const aclTensor *output)
{
    return execute("asdFftExecR2C", handle, kR2C, input, output);
}

/* --- what both kinds of handles have --- */
namespace {

int32_t get_workspace_size(const char *name, void *handle, size_t *size, bool fft)
{
    if (int code = enter(name)) return code;
    Handle *h = find(name, handle, fft);
    if (!h || !size) return kInvalid;
    if (!h->planned) return refuse(name, fft ? kInvalid : kInternal, "the handle has no plan");
    *size = h->workspace_size;
    return kSuccess;
}

int32_t set_workspace(const char *name, void *handle, void *workspace, bool fft)
{
    if (int code = enter(name)) return code;
    Handle *h = find(name, handle, fft);
    if (!h) return kInvalid;
    if (!h->planned) return refuse(name, fft ? kInvalid : kInternal, "the handle has no plan");
    h->workspace = workspace;
    return kSuccess;
}

int32_t set_stream(const char *name, void *handle, void *stream, bool fft)
{
    if (int code = enter(name)) return code;
    Handle *h = find(name, handle, fft);
    if (!h) return kInvalid;
    if (!stream || (!fft && !h->planned)) return refuse(name, fft ? kInvalid : kInternal, "a null stream, or no plan");
    h->stream = stream;
    return kSuccess;
}

} // namespace

EMU_API int32_t asdFftGetWorkspaceSize(void *handle, size_t *size)
{
    return get_workspace_size("asdFftGetWorkspaceSize", handle, size, true);
}
EMU_API int32_t asdFftSetWorkspace(void *handle, void *workspace) { return set_workspace("asdFftSetWorkspace", handle, workspace, true); }
EMU_API int32_t asdFftSetStream(void *handle, void *stream) { return set_stream("asdFftSetStream", handle, stream, true); }

/* --- products of COMPLEX64 matrices --- */
namespace AsdSip {

enum asdBlasOperation_t : int32_t { ASDBLAS_OP_N = 0, ASDBLAS_OP_T = 1, ASDBLAS_OP_C = 2 };

EMU_EXPORT int32_t asdBlasCreate(void *&handle) { return create("asdBlasCreate", &handle, false); }
EMU_EXPORT int32_t asdBlasDestroy(void *handle) { return destroy("asdBlasDestroy", handle, false); }
EMU_EXPORT int32_t asdBlasSetStream(void *handle, void *stream) { return set_stream("asdBlasSetStream", handle, stream, false); }
EMU_EXPORT int32_t asdBlasGetWorkspaceSize(void *handle, size_t &size)
{
    return get_workspace_size("asdBlasGetWorkspaceSize", handle, &size, false);
}
EMU_EXPORT int32_t asdBlasSetWorkspace(void *handle, void *workspace)
{
    return set_workspace("asdBlasSetWorkspace", handle, workspace, false);
}

static int32_t plan_for(const char *name, void *handle, bool batched, size_t workspace, Handle **found)
{
    if (int code = enter(name)) return code;
    Handle *h = *found = find(name, handle, false);
    if (!h) return kInvalid;
    if (h->planned) return refuse(name, kInvalid, "the handle has a plan");
    h->planned = true, h->batched = batched, h->workspace_size = workspace;
    return kSuccess;
}

EMU_EXPORT int32_t asdBlasMakeCgemmPlan(void *handle, asdBlasOperation_t transa, asdBlasOperation_t transb, int64_t m, int64_t n, int64_t k,
                                        int64_t lda, int64_t ldb, int64_t ldc)
{
    const char *name = "asdBlasMakeCgemmPlan";
    for (int64_t size : {m, n, k})
        if (size < 1 || size > 8192) return refuse(name, kInvalid, "a size out of range");
    Handle *h;
    if (int32_t code = plan_for(name, handle, false, size_t(16) << 20, &h)) return code;
    h->transa = transa, h->transb = transb, h->m = m, h->n = n, h->k = k, h->lda = lda, h->ldb = ldb, h->ldc = ldc;
    return kSuccess;
}

EMU_EXPORT int32_t asdBlasMakeCgemmBatchedPlan(void *handle)
{
    Handle *h;
    return plan_for("asdBlasMakeCgemmBatchedPlan", handle, true, 1024, &h);
}

struct Operand { const aclTensor *tensor; int64_t count; };

static int32_t check_operands(const char *name, std::initializer_list<Operand> operands, std::vector<Range> *ranges)
{
    for (const Operand &o : operands) {
        if (!dense(name, o.tensor)) return kInvalid;
        if (o.tensor->layout.dtype != ACL_COMPLEX64) return refuse(name, kInvalid, "a tensor is not COMPLEX64");
        if (count_of(o.tensor->layout.storage) != o.count) return refuse(name, kInvalid, "a storage of the wrong size");
        ranges->push_back({o.tensor->base, size_t(o.count) * 8, o.tensor == operands.end()[-1].tensor});
    }
    return kSuccess;
}

/* Column-major; element (i, k) of an operand that is stored transposed or not. */
static Complex64 element(const Complex64 *a, int64_t ld, int32_t trans, int64_t i, int64_t k)
{
    if (trans == ASDBLAS_OP_N) return a[i + k * ld];
    return trans == ASDBLAS_OP_T ? a[k + i * ld] : std::conj(a[k + i * ld]);
}

EMU_EXPORT int32_t asdBlasCgemm(void *handle, asdBlasOperation_t transa, asdBlasOperation_t transb, const int64_t m, const int64_t n,
                                const int64_t k, const std::complex<float> &alpha, aclTensor *A, const int64_t lda, aclTensor *B,
                                const int64_t ldb, const std::complex<float> &beta, aclTensor *C, const int64_t ldc)
{
    const char *name = "asdBlasCgemm";
    if (int code = enter(name)) return code;
    Handle *h = find(name, handle, false);
    if (!h || !h->planned || h->batched) return refuse(name, kInternal, "no plan of Cgemm");
    bool same = h->transa == transa && h->transb == transb && h->m == m && h->n == n && h->k == k;
    if (!same || h->lda != lda || h->ldb != ldb || h->ldc != ldc) return refuse(name, kInvalid, "not what the plan says");
    if (lda != (transa ? k : m) || ldb != (transb ? n : k) || ldc != m) return refuse(name, kInvalid, "a leading dimension");
    std::vector<Range> ranges;
    if (int32_t code = check_operands(name, {{A, m * k}, {B, k * n}, {C, m * n}}, &ranges)) return code;
    Complex64 a = alpha, b = beta;
    return submit(name, *h, ranges, [=](Work &w) {
        auto *x = reinterpret_cast<const Complex64 *>(w.at(0)), *y = reinterpret_cast<const Complex64 *>(w.at(1));
        auto *out = reinterpret_cast<Complex64 *>(w.at(2));
        bool reads = b != Complex64(0) || choice("C of Cgemm with beta 0", 2) == 0; /* not said: then NaN in C stays */
        for (int64_t i = 0; i < m; ++i)
            for (int64_t j = 0; j < n; ++j) {
                Complex64 total = 0;
                for (int64_t p = 0; p < k; ++p) total += element(x, lda, transa, i, p) * element(y, ldb, transb, p, j);
                out[i + j * ldc] = a * total + (reads ? b * out[i + j * ldc] : Complex64(0));
            }
    });
}

EMU_EXPORT int32_t asdBlasCgemmBatched(void *handle, asdBlasOperation_t transa, asdBlasOperation_t transb, const int64_t m, const int64_t n,
                                       const int64_t k, const std::complex<float> &alpha, aclTensor *A, const int64_t lda, aclTensor *B,
                                       const int64_t ldb, const std::complex<float> &beta, aclTensor *C, const int64_t ldc,
                                       const int64_t batchCount)
{
    const char *name = "asdBlasCgemmBatched";
    if (int code = enter(name)) return code;
    Handle *h = find(name, handle, false);
    if (!h || !h->planned || !h->batched) return refuse(name, kInternal, "no plan of CgemmBatched");
    if (transa || transb || alpha != 1.0f || beta != 0.0f) return refuse(name, kInternal, "only A B, alpha 1, beta 0");
    for (int64_t size : {m, n, k})
        if (size < 1 || size > 32) return refuse(name, kInvalid, "a size out of range");
    if (batchCount < 2 || batchCount > 26208) return refuse(name, kInvalid, "the batch is out of range");
    if (lda != k || ldb != n || ldc != n) return refuse(name, kInvalid, "a leading dimension");
    std::vector<Range> ranges;
    std::initializer_list<Operand> operands = {{A, batchCount * m * k}, {B, batchCount * k * n}, {C, batchCount * m * n}};
    if (int32_t code = check_operands(name, operands, &ranges)) return code;
    return submit(name, *h, ranges, [=](Work &w) {
        auto *x = reinterpret_cast<const Complex64 *>(w.at(0)), *y = reinterpret_cast<const Complex64 *>(w.at(1));
        auto *out = reinterpret_cast<Complex64 *>(w.at(2));
        for (int64_t i = 0; i < batchCount * m; ++i)
            for (int64_t j = 0; j < n; ++j) {
                Complex64 total = 0;
                for (int64_t p = 0; p < k; ++p) total += x[i * k + p] * y[(i / m * k + p) * n + j];
                out[i * n + j] = total;
            }
    });
}

} // namespace AsdSip
