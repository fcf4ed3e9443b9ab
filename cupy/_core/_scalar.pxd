from cupy_backends.backend.xpu cimport xpu_tensor

# The dtype number of a scalar operand: WEAK_* for Python int, float, complex; the own dtype of bool, NumPy scalars and 0-d numpy
# arrays; -1 if x is no scalar.
cdef int scalar_kind(object x) except -2
# Stores a scalar in a dtype's layout. OverflowError when a Python integer does not fit; ComplexWarning-free: complex into a
# real dtype is TypeError.
cdef int store(object x, int dtype, void* dst) except -1
cdef object load(const void* src, int dtype)          # as a Python scalar
cdef int scalar_tensor(object x, int dtype, xpu_tensor* t) except -1    # a scalar operand passed by value
cdef bint integer_fits(object x, int dtype) except -1
