/* The host backend's table and the module `cupy_backends.host._host` with its entry function. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstdarg>
#include <cstdio>

#include "host.h"
#include "loops.h"
#include "device.h"
#include "xpu_ops.h"

namespace host {
namespace {

typedef xpu_status (*RunFn)(xpu_call *);
struct Row {
    RunFn run = nullptr;
    bool needs_loop = false;
};
Row g_rows[XPU_METHOD_COUNT][XPU_OP_LIMIT];

thread_local char t_error[512], t_taken[512];

void fill_rows() {
    for (int op = 0; op < XPU_OP_LIMIT; ++op) {
        const xpu_op_info &info = op_info(op);
        if (info.name && info.kind == XPU_KIND_ELEMENTWISE) {
            g_rows[XPU_CALL][op] = {run_elementwise, true};
            if (info.nin <= 2 && info.nout == 1)
                g_rows[XPU_AT][op] = {run_at, true};
            if (info.nin == 2 && info.nout == 1) {
                g_rows[XPU_REDUCE][op] = {run_reduce, true};
                g_rows[XPU_ACCUMULATE][op] = {run_accumulate, true};
                g_rows[XPU_REDUCEAT][op] = {run_reduceat, true};
            }
        } else if (info.name && info.kind == XPU_KIND_GUFUNC) {
            g_rows[XPU_CALL][op] = {run_gufunc, false};
        }
    }
    static const struct {
        int op;
        RunFn run;
    } moves[] = {
        {XPU_OP_copy, run_copy}, {XPU_OP_fill, run_fill}, {XPU_OP_iota, run_iota}, {XPU_OP_gather, run_gather},
        {XPU_OP_scatter, run_scatter}, {XPU_OP_mask_get, run_mask_get}, {XPU_OP_mask_set, run_mask_set}, {XPU_OP_nonzero, run_nonzero},
        {XPU_OP_count_nonzero, run_reduce}, {XPU_OP_sort, run_sort}, {XPU_OP_argsort, run_argsort}, {XPU_OP_partition, run_partition},
        {XPU_OP_argpartition, run_partition}, {XPU_OP_searchsorted, run_searchsorted}, {XPU_OP_argmax, run_argreduce},
        {XPU_OP_argmin, run_argreduce},
    };
    for (const auto &m : moves)
        g_rows[XPU_CALL][m.op] = {m.run, false};
    g_rows[XPU_REDUCE][XPU_OP_count_nonzero] = {run_reduce, false};
    g_rows[XPU_REDUCE][XPU_OP_argmax] = g_rows[XPU_REDUCE][XPU_OP_argmin] = {run_argreduce, false};
}

const Row *find_row(const xpu_call *call) {
    if (static_cast<uint32_t>(call->op) >= XPU_OP_LIMIT || static_cast<uint32_t>(call->method) >= XPU_METHOD_COUNT)
        return nullptr;
    const Row *row = &g_rows[call->method][call->op];
    if (!row->run || call->loop < 0 || call->loop >= op_info(call->op).nloops)
        return nullptr;
    return row->needs_loop && !numpy_loop(call->op, call->loop).fn ? nullptr : row;
}

xpu_support supports(void *, const xpu_call *call) { return find_row(call) ? XPU_NATIVE : XPU_NO; }

xpu_status launch(void *, xpu_call *call) {
    if (call->method == XPU_CALL && static_cast<uint32_t>(call->op) < XPU_OP_LIMIT && quick_elementwise(call))
        return XPU_OK;
    const Row *row = find_row(call);
    if (!row)
        return fail(XPU_NOT_SUPPORTED, "the host backend has no row for op %d, method %d, loop %d", call->op, call->method, call->loop);
    return row->run(call);
}

const char *last_error(void *) { /* told once: a later failure without a text must not show an old one */
    memcpy(t_taken, t_error, sizeof t_taken);
    t_error[0] = 0;
    return t_taken;
}

const xpu_backend g_backend = {
    XPU_ABI_VERSION,
    sizeof(xpu_backend),
    "host",
    "1",
    nullptr,
    sizeof(xpu_call),
    sizeof(xpu_tensor),
    {device_count,       device_props,       set_device,        mem_info,         device_malloc,        device_free,
     device_malloc_pinned, device_free_pinned, memcpy_async,    memcpy_2d,        memcpy_peer,          memset_async,
     stream_create,      stream_destroy,     stream_query,      stream_synchronize, stream_wait_event,  stream_host_func,
     event_create,       event_destroy,      event_record,      event_query,      event_synchronize,    event_elapsed,
     device_synchronize, last_error},
    {supports, launch},
};

xpu_status entry(const xpu_services *services, const xpu_backend **backend, const char **message) {
    if (!services || services->abi_version != XPU_ABI_VERSION) {
        *message = "the host backend was built for another version of xpu_backend.h";
        return XPU_INTERNAL_ERROR;
    }
    *backend = &g_backend;
    return XPU_OK;
}

} // namespace

xpu_status fail(xpu_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(t_error, sizeof t_error, format, args);
    va_end(args);
    return status;
}

} // namespace host

PyMODINIT_FUNC PyInit__host() {
    static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_host", "The host (CPU) backend.", -1, nullptr, nullptr, nullptr, nullptr,
                                     nullptr};
    PyObject *module = PyModule_Create(&definition);
    if (!module || !host::load_loops()) {
        Py_XDECREF(module);
        return nullptr;
    }
    host::fill_rows();
    PyObject *capsule = PyCapsule_New(reinterpret_cast<void *>(host::entry), "xpu_backend_entry", nullptr);
    if (!capsule || PyModule_AddObject(module, "_entry", capsule)) {
        Py_XDECREF(capsule);
        Py_DECREF(module);
        return nullptr;
    }
    return module;
}
