from cupy._core.core cimport ndarray
from cupy_backends.backend.xpu cimport int64_t

cdef class flatiter:
    cdef readonly ndarray base
    cdef int64_t _index

# a[key] and a[key] = value, all of NumPy's indexing
cdef object getitem(ndarray a, object key)
cdef int setitem(ndarray a, object key, object value) except -1
cdef flatiter flat_of(ndarray a)

cpdef take(a, indices, axis=*, out=*, mode=*)
cpdef put(a, ind, v, mode=*)
cpdef choose(a, choices, out=*, mode=*)
cpdef compress(condition, a, axis=*, out=*)
cpdef diagonal(a, offset=*, axis1=*, axis2=*)
cpdef nonzero(a)
cpdef where(condition, x=*, y=*)
