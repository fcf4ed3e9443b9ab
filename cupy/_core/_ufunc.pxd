from cupy._core.core cimport ndarray
from cupy_backends.backend.xpu cimport int8_t, int32_t, xpu_op_info

# A loop chosen for operand dtypes: 1 + its index in the op's row (0: not looked for yet, -1: none), and its types.
ctypedef struct Resolved:
    int32_t loop
    int8_t types[8]

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

# The loop for operand dtypes (WEAK_* allowed); raises TypeError as NumPy when there is none.
cdef const Resolved* find_loop(int op, int nin, const int* dtypes) except NULL
# An elementwise op on arrays and scalars with NumPy's ufunc arguments: out is None or a tuple, where a mask array or None.
cdef object call_ufunc(int op, tuple operands, object out=*, object where=*, object dtype=*, object casting=*, object order=*, object signature=*)
