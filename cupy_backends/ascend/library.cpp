/* Finding and opening CANN. */
#include "library.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace ascend {

Api acl;
OpSymbols operators[static_cast<int>(Op::Count)] = {
#define ACLNN_OP(name, ...) {#name, nullptr, nullptr},
#include "aclnn_functions.def"
#undef ACLNN_OP
};

namespace {

Found g_found;
std::mutex g_lock;
char g_emulator[512];

bool emulated() {
    const char *value = std::getenv("CUPY_ASCEND_EMULATOR");
    return value && *value && std::strcmp(value, "0") != 0;
}

/* The emulator's folder lies beside this extension module. */
const char *emulator_folder() {
    Dl_info info;
    if (!g_emulator[0] && dladdr(reinterpret_cast<void *>(&emulator_folder), &info) && info.dli_fname) {
        std::snprintf(g_emulator, sizeof g_emulator, "%s", info.dli_fname);
        char *slash = std::strrchr(g_emulator, '/');
        size_t at = slash ? slash - g_emulator : 0;
        std::snprintf(g_emulator + at, sizeof g_emulator - at, "%semulator/lib", slash ? "/" : "");
    }
    return g_emulator;
}

void *open_in(const char *folder, const char *suffix, const char *name) {
    char path[768];
    std::snprintf(path, sizeof path, "%s%s/%s", folder, suffix, name);
    return dlopen(path, RTLD_NOW | RTLD_GLOBAL);
}

void *open_any(const char *name) {
    if (emulated()) return open_in(emulator_folder(), "", name);
    for (const char *variable : {"ASCEND_TOOLKIT_HOME", "ASCEND_HOME_PATH"}) {
        const char *home = std::getenv(variable);
        if (!home || !*home) continue;
        for (const char *suffix : {"/lib64", "/runtime/lib64", "/opp/lib64"})
            if (void *handle = open_in(home, suffix, name)) return handle;
    }
    return dlopen(name, RTLD_NOW | RTLD_GLOBAL);
}

bool complain(const char *text) {
    const char *error = dlerror();
    std::snprintf(g_found.problem, sizeof g_found.problem, "%s%s%s%s", text, error ? " (" : "", error ? error : "", error ? ")" : "");
    return false;
}

/* The functions without which nothing works; any other may be absent in an older CANN. */
bool complete() {
    struct {
        const char *name;
        void *pointer;
    } needed[] = {
#define NEED(name) {#name, reinterpret_cast<void *>(acl.name)}
        NEED(aclInit),         NEED(aclrtGetDeviceCount), NEED(aclrtSetDevice),    NEED(aclrtMalloc),
        NEED(aclrtFree),       NEED(aclrtMemcpyAsync),    NEED(aclrtCreateStream), NEED(aclrtSynchronizeStream),
        NEED(aclCreateTensor), NEED(aclDestroyTensor),    NEED(aclCreateScalar),
#undef NEED
    };
    for (const auto &n : needed)
        if (!n.pointer) {
            std::snprintf(g_found.problem, sizeof g_found.problem,
                          "the CANN found (%s) has no function %s: it is too old or incomplete; install CANN 8.2 or newer", g_found.runtime,
                          n.name);
            return false;
        }
    return true;
}

bool load_all() {
    Found &f = g_found;
    f.emulated = emulated();
    void *runtime = open_any("libacl_rt.so");
    if (!runtime) runtime = open_any("libascendcl.so");
    if (!runtime)
        return complain(
            f.emulated ? "the emulator's libraries are not built: install this package again"
                       : "CANN's runtime (libacl_rt.so or libascendcl.so) was not found. Run `source set_env.sh` of the CANN toolkit, or "
                         "set CUPY_ASCEND_EMULATOR=1 to use the emulator");
    void *base = open_any("libnnopbase.so");
    if (!base) return complain("CANN's operator base (libnnopbase.so) was not found. Run `source set_env.sh` of the CANN toolkit");
#define ACL_API(ret, name, ...)                                                                                                            \
    acl.name = reinterpret_cast<ret (*)(__VA_ARGS__)>(dlsym(runtime, #name));                                                              \
    if (!acl.name) acl.name = reinterpret_cast<ret (*)(__VA_ARGS__)>(dlsym(base, #name));
#include "acl_functions.def"
#undef ACL_API
    library_path(runtime, "aclInit", f.runtime, sizeof f.runtime);
    library_path(base, "aclCreateTensor", f.base, sizeof f.base);
    /* The split libraries and the older umbrella must never be mixed in one process. */
    void *math = open_any("libopapi_math.so");
    void *nn = math ? open_any("libopapi_nn.so") : nullptr;
    if (!math || !nn) math = nn = open_any("libopapi.so");
    if (!math)
        return complain("CANN's operators (libopapi_math.so and libopapi_nn.so, or libopapi.so) were not found. Install the ops package");
    for (OpSymbols &s : operators) {
        char name[128];
        std::snprintf(name, sizeof name, "aclnn%sGetWorkspaceSize", s.name);
        void *from = dlsym(math, name) ? math : nn;
        s.plan = dlsym(from, name);
        std::snprintf(name, sizeof name, "aclnn%s", s.name);
        s.run = reinterpret_cast<decltype(s.run)>(dlsym(from, name));
        f.missing += !s.plan || !s.run;
    }
    library_path(math, "aclnnAdd", f.operators_math, sizeof f.operators_math);
    library_path(nn, "aclnnMatmul", f.operators_nn, sizeof f.operators_nn);
    return complete();
}

} // namespace

const char *library_path(void *handle, const char *symbol, char *buffer, size_t size) {
    Dl_info info;
    void *address = dlsym(handle, symbol);
    std::snprintf(buffer, size, "%s", address && dladdr(address, &info) && info.dli_fname ? info.dli_fname : "");
    return buffer;
}

void *open_library(const char *name) { return open_any(name); }

const Found &found() { return g_found; }

bool load() {
    std::lock_guard<std::mutex> guard(g_lock);
    if (!g_found.tried) {
        g_found.ok = load_all();
        g_found.tried = true;
    }
    return g_found.ok;
}

} // namespace ascend
