# The public functions, with NumPy's parameters.
cpdef take(a, indices, axis=*, out=*, mode=*)
cpdef put(a, ind, v, mode=*)
cpdef choose(a, choices, out=*, mode=*)
cpdef compress(condition, a, axis=*, out=*)
cpdef diagonal(a, offset=*, axis1=*, axis2=*)
cpdef nonzero(a)
cpdef where(condition, x=*, y=*)
