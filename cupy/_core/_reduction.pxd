from cupy._core.core cimport ndarray

cdef object NoValue                   # "not given": numpy._NoValue

# ufunc.reduce on an array, for sum, prod, max, min, any, all too. axis None: all axes; keepdims, initial, where: NoValue or a value.
cdef ndarray reduce(int op, ndarray a, object axis, object dtype, object out, object keepdims, object initial, object where)
# cumsum and cumprod: axis None flattens
cdef ndarray accumulate(int op, ndarray a, object axis, object dtype, object out)
cdef ndarray argreduce(int op, ndarray a, object axis, object out, object keepdims)       # XPU_OP_argmax, XPU_OP_argmin
cdef ndarray mean_of(ndarray a, object axis, object dtype, object out, object keepdims, object where)
# root: std, else var
cdef ndarray var_of(ndarray a, object axis, object dtype, object out, object ddof, object keepdims, object where, object mean, bint root)
cdef ndarray count_nonzero_of(ndarray a, object axis, object keepdims)

# ufunc.reduce, accumulate, reduceat
cpdef object reduce_ufunc(int op, object array, object axis, object dtype, object out, bint keepdims, object initial, object where)
cpdef object accumulate_ufunc(int op, object array, object axis, object dtype, object out)
cpdef object reduceat_ufunc(int op, object array, object indices, object axis, object dtype, object out)
