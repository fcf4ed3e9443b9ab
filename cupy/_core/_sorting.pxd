from cupy._core.core cimport ndarray

# kind, order and stable as in NumPy; axis None flattens
cdef ndarray sort_of(ndarray a, object axis, object kind, object order, object stable)
cpdef sort_inplace(ndarray a, object axis, object kind, object order, object stable)
cdef ndarray argsort_of(ndarray a, object axis, object kind, object order, object stable)
cdef ndarray partition_of(ndarray a, object kth, object axis, object kind, object order)
cpdef partition_inplace(ndarray a, object kth, object axis, object kind, object order)
cdef ndarray argpartition_of(ndarray a, object kth, object axis, object kind, object order)
cdef ndarray searchsorted_of(ndarray a, object v, object side, object sorter)
