/* The Ascend backend's table and the module `cupy_backends.ascend._ascend`. Importing it opens nothing. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstdio>

#include "call.h"
#include "compute.h"
#include "error.h"
#include "runtime.h"
#include "sip.h"

namespace ascend {
namespace {

const xpu_backend *backend() {
    static const xpu_backend table = {
        XPU_ABI_VERSION,    sizeof(xpu_backend), "ascend",           "1", nullptr, sizeof(xpu_call),
        sizeof(xpu_tensor), runtime_table,       {supports, launch},
    };
    return &table;
}

xpu_status entry(const xpu_services *offered, const xpu_backend **result, const char **message) {
    if (!offered || offered->abi_version != XPU_ABI_VERSION) {
        *message = "the Ascend backend was built for another version of xpu_backend.h";
        return XPU_INTERNAL_ERROR;
    }
    services = offered;
    xpu_status status = initialize(message);
    if (status == XPU_OK) *result = backend();
    return status;
}

/* What doctor and show_config print: paths, the problem if there is one, missing operators. Opens CANN. */
PyObject *information(PyObject *, PyObject *) {
    load();
    const Found &f = found();
    PyObject *missing = PyList_New(0);
    for (int i = 0; missing && f.ok && i < static_cast<int>(Op::Count); ++i)
        if (!available(static_cast<Op>(i))) {
            PyObject *name = PyUnicode_FromFormat("aclnn%s", operators[i].name);
            if (name) PyList_Append(missing, name);
            Py_XDECREF(name);
        }
    int32_t major = 0, minor = 0, patch = 0;
    if (f.ok && acl.aclrtGetVersion) acl.aclrtGetVersion(&major, &minor, &patch);
    return Py_BuildValue("{s:O,s:O,s:s,s:s,s:s,s:s,s:s,s:(iii),s:N}", "ok", f.ok ? Py_True : Py_False, "emulated",
                         f.emulated ? Py_True : Py_False, "runtime", f.runtime, "base", f.base, "math", f.operators_math, "nn",
                         f.operators_nn, "problem", f.problem, "acl_version", major, minor, patch, "missing", missing);
}

PyObject *statistics(PyObject *, PyObject *) {
    CacheStats s = cache_stats();
    return Py_BuildValue("{s:K,s:K,s:K,s:K,s:K,s:K}", "hits", s.hits, "misses", s.misses, "evictions", s.evictions, "not_repeatable",
                         s.not_repeatable, "entries", s.entries, "rejected", s.rejected);
}

PyObject *plan_statistics(PyObject *, PyObject *) {
    PlanStats s = plan_stats();
    return Py_BuildValue("{s:K,s:K,s:K,s:K}", "hits", s.hits, "misses", s.misses, "evictions", s.evictions, "entries", s.entries);
}

PyMethodDef g_methods[] = {
    {"information", information, METH_NOARGS,
     "information() -> dict\n\nPaths and versions of the CANN found, what is missing and what to do."},
    {"cache_statistics", statistics, METH_NOARGS, "cache_statistics() -> dict\n\nCounts of the executor cache over all threads."},
    {"plan_statistics", plan_statistics, METH_NOARGS,
     "plan_statistics() -> dict\n\nCounts of the plans of libasdsip: complex products and Fourier transforms."},
    {nullptr, nullptr, 0, nullptr},
};

} // namespace
} // namespace ascend

PyMODINIT_FUNC PyInit__ascend() {
    static PyModuleDef definition = {
        PyModuleDef_HEAD_INIT, "_ascend", "The Ascend (CANN) backend.", -1, ascend::g_methods, nullptr, nullptr, nullptr, nullptr};
    PyObject *module = PyModule_Create(&definition);
    if (!module) return nullptr;
    PyObject *capsule = PyCapsule_New(reinterpret_cast<void *>(ascend::entry), "xpu_backend_entry", nullptr);
    if (!capsule || PyModule_AddObject(module, "_entry", capsule)) {
        Py_XDECREF(capsule);
        Py_DECREF(module);
        return nullptr;
    }
    return module;
}
