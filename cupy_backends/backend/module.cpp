/* The extension module `cupy_backends.backend._runtime`: the C tables in capsules, the op table as Python rows, the loader. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "runtime.h"

namespace {

const char *const kind_names[] = {"ELEMENTWISE", "GUFUNC", "MOVE", "INDEX", "SORT", "ARGREDUCE", "DYNAMIC", "FFT"};

/* The pending Python exception becomes the thread's error text. */
xpu_status fail_python(xpu_status status) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    PyObject *text = value ? PyObject_Str(value) : nullptr;
    const char *c = text ? PyUnicode_AsUTF8(text) : nullptr;
    xpu::fail(status, "%s", c ? c : "unknown error");
    PyErr_Clear();
    Py_XDECREF(text);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return status;
}

/* cupy_backends.backend.find(name) -> capsule of the entry function */
xpu_status load_by_python(const char *name, xpu_backend_entry_fn *entry) {
    PyGILState_STATE gil = PyGILState_Ensure();
    xpu_status status = XPU_OK;
    PyObject *type, *value, *trace; /* of an exception that is under way, as in a destructor */
    PyErr_Fetch(&type, &value, &trace);
    PyObject *package = PyImport_ImportModule("cupy_backends.backend");
    PyObject *capsule = package ? PyObject_CallMethod(package, "find", "z", name) : nullptr;
    void *p = capsule ? PyCapsule_GetPointer(capsule, "xpu_backend_entry") : nullptr;
    if (p)
        *entry = reinterpret_cast<xpu_backend_entry_fn>(p);
    else
        status = fail_python(XPU_NOT_FOUND);
    Py_XDECREF(capsule); /* a backend stays loaded: its module is in sys.modules, or the capsule's library is never closed */
    Py_XDECREF(package);
    PyErr_Restore(type, value, trace);
    PyGILState_Release(gil);
    return status;
}

void *unlock_python() { return Py_IsInitialized() && PyGILState_Check() ? PyEval_SaveThread() : nullptr; }
void lock_python(void *state) { PyEval_RestoreThread(static_cast<PyThreadState *>(state)); }

PyObject *ops(PyObject *, PyObject *) {
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < XPU_OP_LIMIT; ++i) {
        const xpu_op_info &o = xpu::op_table[i];
        if (!o.name) continue;
        PyObject *row = Py_BuildValue("{s:i,s:s,s:s,s:i,s:i,s:s,s:s,s:s,s:s,s:d}", "id", o.id, "name", o.name, "kind", kind_names[o.kind],
                                      "nin",
                                      o.nin, "nout", o.nout, "loops", o.loops_text, "identity", o.identity, "params", o.params, "domain",
                                      o.domain, "ulp", o.ulp);
        if (!row || PyList_Append(list, row)) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

/* What an entry function answers, without making that backend the one in use. */
PyObject *probe(PyObject *, PyObject *capsule) {
    auto entry = reinterpret_cast<xpu_backend_entry_fn>(PyCapsule_GetPointer(capsule, "xpu_backend_entry"));
    if (!entry) return nullptr;
    const xpu_backend *b = nullptr;
    int32_t count = 0;
    xpu_status status;
    Py_BEGIN_ALLOW_THREADS
    status = xpu::call_entry(entry, &b);
    if (status == XPU_OK && (status = b->runtime.device_count(b->ctx, &count)) != XPU_OK) xpu::fail_from(b, status, "counting devices");
    Py_END_ALLOW_THREADS
    bool ok = status == XPU_OK;
    return Py_BuildValue("{s:i,s:s,s:s,s:i,s:s}", "status", status, "name", ok ? b->name : "", "version", ok
                         && b->version ? b->version : "",
                         "devices", count, "message", ok ? "" : xpu::thread().error);
}

PyMethodDef methods[] = {
    {"ops", ops, METH_NOARGS, "ops()\n--\n\nThe op table as a list of dicts, one per row of xpu_ops.def."},
    {"probe", probe, METH_O, "probe(entry)\n--\n\nAsks a backend's entry capsule for its name, version and number of devices."},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_runtime", "The neutral accelerator runtime.", -1, methods, nullptr, nullptr, nullptr,
                          nullptr};

int add_table(PyObject *m, const char *attribute, const char *name, const void *table) {
    PyObject *capsule = PyCapsule_New(const_cast<void *>(table), name, nullptr);
    if (capsule && PyModule_AddObject(m, attribute, capsule) == 0) return 0;
    Py_XDECREF(capsule);
    return -1;
}

} // namespace

PyMODINIT_FUNC PyInit__runtime() {
    PyObject *m = PyModule_Create(&definition);
    if (!m) return nullptr;
    xpu::loader = load_by_python;
    xpu::unlock_python = unlock_python;
    xpu::lock_python = lock_python;
    if (add_table(m, "_C_API", "cupy_backends.backend._runtime._C_API", &xpu::core_api) ||
        add_table(m, "_MANAGE_API", "cupy_backends.backend._runtime._MANAGE_API", &xpu::manage_api)) {
        Py_DECREF(m);
        return nullptr;
    }
    return m;
}
