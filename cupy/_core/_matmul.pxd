from cupy._core.core cimport ndarray

# a call of matmul, vecdot, matvec or vecmat with NumPy's ufunc keywords
cpdef object gufunc_call(int op, tuple args, dict kwargs)
cdef ndarray matmul_of(ndarray a, ndarray b)          # a @ b
cdef ndarray dot_of(ndarray a, ndarray b, object out)
