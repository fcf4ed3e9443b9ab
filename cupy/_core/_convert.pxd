from cupy._core.core cimport ndarray
from cupy_backends.backend.xpu cimport int64_t

cdef ndarray array_from(object x, int dtype)   # a new array from scalars, sequences, numpy arrays, buffers; dtype -1: found from x
cpdef ndarray iota(int64_t n, object start, object step, object dtype)
