from cupy_backends.backend.xpu cimport xpu_storage

cdef class BaseMemory:
    cdef xpu_storage* storage
    cdef object __weakref__
    cdef int _take(self, xpu_storage* s) except -1    # takes over a reference

cdef class MemoryPointer:
    cdef readonly BaseMemory mem
    cdef readonly size_t ptr
    cdef int _room(self, object size) except -1
    cdef int _copy(self, size_t dst, size_t src, size_t n, int kind, object stream, bint wait) except -1
