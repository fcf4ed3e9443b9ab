/* As much of Python as cupy_backends/host/backend.cpp names, for a driver without Python: a capsule is its pointer. */
#ifndef STUB_PYTHON_H
#define STUB_PYTHON_H

typedef struct StubObject PyObject;
typedef long Py_ssize_t;
typedef struct {
    int head;
    const char *name, *doc;
    long size;
    void *methods, *slots, *traverse, *clear, *free;
} PyModuleDef;

#define PyModuleDef_HEAD_INIT 0
#define PyMODINIT_FUNC extern "C" PyObject *
inline PyObject *PyModule_Create(PyModuleDef *def) { return reinterpret_cast<PyObject *>(def); }
inline PyObject *PyCapsule_New(void *pointer, const char *, void (*)(PyObject *)) { return static_cast<PyObject *>(pointer); }
extern PyObject *stub_entry; /* driver.cpp */
inline int PyModule_AddObject(PyObject *, const char *, PyObject *value) {
    stub_entry = value;
    return 0;
}
inline void Py_XDECREF(PyObject *) {}
inline void Py_DECREF(PyObject *) {}

#endif
