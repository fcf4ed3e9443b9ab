from cupy._core.core cimport ndarray
from cupy_backends.backend.xpu cimport int64_t

# a[key] and a[key] = value, all of NumPy's indexing
cdef object getitem(ndarray a, object key)
cdef int setitem(ndarray a, object key, object value) except -1
cdef ndarray item_at(ndarray a, int64_t i)            # a[i] for 0 <= i < len(a)
cdef int assign(ndarray dst, object value) except -1  # dst[...] = value

# For other functions on indices. axis: of the source; source and out are of equal dtype, out is C-ordered.
cdef ndarray index_array(object indices)                                  # int64; TypeError when not safely castable
cdef int clip_mode(object mode) except -1                                 # XPU_MODE_*; ValueError
cdef int gather(ndarray a, ndarray indices, int axis, int mode, ndarray out) except -1
cdef int scatter(ndarray a, ndarray indices, int mode, ndarray values) except -1    # along axis 0, values of the indices' shape
cdef ndarray mask_get(ndarray a, ndarray mask)                            # mask: bool, of a's shape
cdef bint same_shape(ndarray a, ndarray b) noexcept                       # and at least one axis
cdef bint is_python_scalar(object value) except -1
cdef ndarray value_array(object value, int dtype)                         # what is assigned to an array of that dtype
