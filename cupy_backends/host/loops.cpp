/* NumPy's compiled loops and sort functions, fetched once at import. The only file here that needs Python while it works. */
#include <initializer_list>
#include <Python.h>
#include <numpy/arrayobject.h>
#include <numpy/ufuncobject.h>

#include "host.h"
#include "loops.h"

namespace host {
namespace {

const char kTypeChars[] = "?bBhHiIlLefdFD"; /* in the order of xpu_dtype */

#define XPU_OP(id, name, kind, nin, nout, loops, identity, params, domain, ulp) \
    {id, XPU_KIND_##kind, #name, nin, nout, loops, identity, params, domain, ulp, 0, nullptr},
const xpu_op_info kRows[] = {
#include "xpu_ops.def"
};
#undef XPU_OP

xpu_op_info g_ops[XPU_OP_LIMIT];
xpu_loop g_types[XPU_OP_LIMIT][kMaxLoops];
Loop g_loops[XPU_OP_LIMIT][kMaxLoops];

struct ArrayFunctions {
    PyArrayObject *dummy;
    SortFn sort[2];
    ArgSortFn argsort[2];
    ArgFn argmax, argmin;
};
Loop g_wide[XPU_OP_LIMIT];
ArrayFunctions g_array[XPU_BFLOAT16];

int numpy_type(int dtype, bool long_long) {
    static const int types[] = {NPY_BOOL, NPY_BYTE, NPY_UBYTE, NPY_SHORT, NPY_USHORT, NPY_INT, NPY_UINT, NPY_LONG, NPY_ULONG, NPY_HALF,
                                NPY_FLOAT, NPY_DOUBLE, NPY_CFLOAT, NPY_CDOUBLE};
    if (long_long && dtype == XPU_INT64)
        return NPY_LONGLONG;
    if (long_long && dtype == XPU_UINT64)
        return NPY_ULONGLONG;
    return types[dtype];
}

/* "ff->f dd->d" to rows of dtypes */
void parse_loops(xpu_op_info *op, xpu_loop *loops) {
    int nloops = 0, arg = 0;
    for (const char *p = op->loops_text; *p && nloops < kMaxLoops; ++p) {
        const char *type = strchr(kTypeChars, *p);
        if (type && arg < XPU_MAX_ARGS)
            loops[nloops].types[arg++] = static_cast<int8_t>(type - kTypeChars);
        if (p[1] == ' ' || p[1] == 0) {
            for (; arg < XPU_MAX_ARGS; ++arg)
                loops[nloops].types[arg] = -1;
            ++nloops;
            arg = 0;
        }
    }
    op->nloops = nloops;
    op->loops = loops;
}

/* The first of the ufunc's loops that has these types is the one NumPy itself would take. */
Loop find_loop(const PyUFuncObject *ufunc, const xpu_loop &wanted) {
    for (bool long_long : {false, true}) {
        for (int i = 0; i < ufunc->ntypes; ++i) {
            const char *types = ufunc->types + i * ufunc->nargs;
            int arg = 0;
            while (arg < ufunc->nargs && wanted.types[arg] >= 0 && types[arg] == numpy_type(wanted.types[arg], long_long))
                ++arg;
            if (arg == ufunc->nargs && ufunc->functions[i])
                return {reinterpret_cast<LoopFn>(ufunc->functions[i]), ufunc->data ? const_cast<void *>(ufunc->data[i]) : nullptr};
        }
    }
    return {};
}

/* A new reference to numpy's ufunc of that name, NULL without an exception if there is none. */
PyObject *find_ufunc(PyObject *numpy, PyObject *umath, PyObject *ufunc_type, const char *name) {
    for (PyObject *module : {numpy, umath}) {
        PyObject *found = PyObject_GetAttrString(module, name);
        if (found && PyObject_TypeCheck(found, reinterpret_cast<PyTypeObject *>(ufunc_type)))
            return found;
        Py_XDECREF(found);
        PyErr_Clear();
    }
    return nullptr;
}

/* In each row of the op table the loop after that of float16 is that of float32. */
void fill_wide(const xpu_op_info &op) {
    for (int i = 0; op.kind == XPU_KIND_ELEMENTWISE && i + 1 < op.nloops; ++i) {
        if (op.loops[i].types[op.nin - 1] != XPU_FLOAT16)
            continue;
        g_wide[op.id] = loop_for_half(op.id, g_loops[op.id][i + 1]);
        if (g_wide[op.id].fn)
            g_quick[op.id][i].limit = kWideElements;
    }
}

void fill_quick(const xpu_op_info &op, int i) {
    const int8_t *types = op.loops[i].types;
    const Loop &loop = g_loops[op.id][i];
    if (op.kind == XPU_KIND_ELEMENTWISE && loop.fn && !(op.id == XPU_OP_power && is_signed_integer(types[1])))
        g_quick[op.id][i] = {loop.fn, loop.data, static_cast<uint64_t>(2 * elementwise_grain(op.id, types[0]) - 1)};
}

bool load_ufuncs() {
    PyObject *numpy = PyImport_ImportModule("numpy");
    PyObject *umath = PyImport_ImportModule("numpy._core.umath");
    if (!umath) { /* NumPy 1.26 */
        PyErr_Clear();
        umath = PyImport_ImportModule("numpy.core.umath");
    }
    PyObject *ufunc_type = numpy && umath ? PyObject_GetAttrString(numpy, "ufunc") : nullptr;
    for (const xpu_op_info &row : kRows) {
        if (!ufunc_type)
            break;
        xpu_op_info &op = g_ops[row.id];
        op = row;
        parse_loops(&op, g_types[op.id]);
        PyObject *ufunc = find_ufunc(numpy, umath, ufunc_type, op.name);
        for (int i = 0; i < op.nloops; ++i) {
            Loop &loop = g_loops[op.id][i];
            const xpu_loop &row = g_types[op.id][i];
            loop = own_loop(op.id, row.types, PyArray_RUNTIME_VERSION < NPY_2_0_API_VERSION);
            if (!loop.fn && ufunc)
                loop = guarded_loop(op.id, row.types[0], find_loop(reinterpret_cast<PyUFuncObject *>(ufunc), row));
            fill_quick(op, i);
        }
        Py_XDECREF(ufunc);
        fill_wide(op);
    }
    const bool good = ufunc_type != nullptr;
    Py_XDECREF(ufunc_type);
    Py_XDECREF(umath);
    Py_XDECREF(numpy);
    return good;
}

bool load_array_functions() {
    for (int dtype = 0; dtype < XPU_BFLOAT16; ++dtype) {
        npy_intp length = 1;
        PyObject *dummy = PyArray_SimpleNew(1, &length, numpy_type(dtype, false));
        if (!dummy)
            return false;
        ArrayFunctions &a = g_array[dtype];
        a.dummy = reinterpret_cast<PyArrayObject *>(dummy);
        PyArray_ArrFuncs *f = PyDataType_GetArrFuncs(PyArray_DESCR(a.dummy));
        a.argmax = reinterpret_cast<ArgFn>(f->argmax);
        a.argmin = reinterpret_cast<ArgFn>(f->argmin);
        for (bool stable : {false, true}) {
            const int kind = stable ? NPY_STABLESORT : NPY_QUICKSORT;
            a.sort[stable] = reinterpret_cast<SortFn>(f->sort[kind]);
            a.argsort[stable] = reinterpret_cast<ArgSortFn>(f->argsort[kind]);
        }
    }
    return true;
}

} // namespace

QuickLoop g_quick[XPU_OP_LIMIT][kMaxLoops];

bool load_loops() {
    return PyArray_ImportNumPyAPI() >= 0 && load_ufuncs() && load_array_functions();
}

Loop wide_loop(int op) { return g_wide[op]; }
Loop numpy_loop(int op, int loop) { return g_loops[op][loop]; }
const xpu_op_info &op_info(int op) { return g_ops[op]; }
SortFn numpy_sort(int dtype, bool stable) { return g_array[dtype].sort[stable]; }
ArgSortFn numpy_argsort(int dtype, bool stable) { return g_array[dtype].argsort[stable]; }
ArgFn numpy_argmax(int dtype) { return g_array[dtype].argmax; }
ArgFn numpy_argmin(int dtype) { return g_array[dtype].argmin; }
void *numpy_dummy_array(int dtype) { return g_array[dtype].dummy; }

} // namespace host
