from cupy._core.core cimport ndarray
from cupy_backends.backend.xpu cimport xpu_op_info

cdef class ufunc:
    cdef readonly int op
    cdef readonly int nin
    cdef readonly int nout
    cdef readonly object __name__
    cdef readonly object __doc__
    cdef const xpu_op_info* info

# Operators of ndarray. NotImplemented for operands that are neither arrays, scalars nor sequences.
cdef object binary(int op, ndarray a, object b, bint reflected)
cdef object inplace(int op, ndarray a, object b)
cdef object unary(int op, ndarray a)
cdef object power_operator(ndarray a, object b, object modulo, bint reflected)

# An elementwise op on arrays and scalars with NumPy's ufunc arguments: out is None or a tuple, where a mask array or None.
cdef object call_ufunc(int op, tuple operands, object out=*, object where=*, object dtype=*, object casting=*, object order=*,
                       object signature=*)
