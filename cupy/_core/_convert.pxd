from cupy._core.core cimport ndarray

cdef ndarray array_from(object x, int dtype)   # a new array from scalars, sequences, numpy arrays, buffers; dtype -1: found from x
