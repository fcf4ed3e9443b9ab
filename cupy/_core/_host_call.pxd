from cupy._core.core cimport ndarray

# Between our arrays and NumPy's. Host memory is shared where it can be; device memory is copied.
cdef object to_numpy(ndarray a)          # a new numpy.ndarray, C or Fortran order kept
cdef object numpy_view(ndarray a)        # shares host memory (same strides, writeable flag); a copy of device memory
cdef ndarray adopt(object a)             # a numpy.ndarray becomes an array of ours without a copy where memory is the host's
cdef ndarray scalar_array(object x)      # a numpy scalar becomes a 0-d array with the SCALAR flag
cpdef ndarray from_numpy(object x)       # a copy of a numpy.ndarray (order 'K', native byte order); TypeError for other dtypes
cdef object adopt_any(object r)          # the same for results: arrays, scalars, tuples, lists, dicts; other objects as they are
# A context of this thread with floating-point warnings off, in which an invalid operation raises LinAlgError(failure) unless that is ''.
cdef object take_context(str failure)
cdef int give_context(str failure, object context) except -1
