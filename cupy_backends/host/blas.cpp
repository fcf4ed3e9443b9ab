/* OpenBLAS's number of threads: one while we run many small products ourselves. */
#include "matmul.h"

#include <dlfcn.h>

namespace host {
namespace {

struct Setters {
    void (*set)(int) = nullptr;
    int (*get)() = nullptr;
};

/* NumPy's own library: found through the module that holds its loops, which links it. */
Setters find_setters() {
    Setters s;
    Dl_info where;
    Loop loop = numpy_loop(XPU_OP_matmul, 11);
    if (!loop.fn || !dladdr(reinterpret_cast<void *>(loop.fn), &where) || !where.dli_fname) return s;
    void *library = dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (!library) return s;
    static const char *const names[][2] = {{"scipy_openblas_set_num_threads64_", "scipy_openblas_get_num_threads64_"},
                                           {"scipy_openblas_set_num_threads", "scipy_openblas_get_num_threads"},
                                           {"openblas_set_num_threads64_", "openblas_get_num_threads64_"},
                                           {"openblas_set_num_threads", "openblas_get_num_threads"}};
    for (const auto &pair : names) {
        s.set = reinterpret_cast<void (*)(int)>(dlsym(library, pair[0]));
        s.get = reinterpret_cast<int (*)()>(dlsym(library, pair[1]));
        if (s.set && s.get) return s; /* the handle stays open: the library is in use anyway */
    }
    dlclose(library);
    return Setters();
}

const Setters &setters() {
    static const Setters found = find_setters();
    return found;
}

std::mutex g_lock;

} // namespace

SingleThreadedBlas::SingleThreadedBlas() : lock_(g_lock, std::try_to_lock) {
    const Setters &s = setters();
    ok = s.set && lock_.owns_lock();
    if (!ok) return;
    before_ = s.get();
    if (before_ != 1) s.set(1);
}

SingleThreadedBlas::~SingleThreadedBlas() {
    if (ok && before_ != 1) setters().set(before_);
}

} // namespace host
