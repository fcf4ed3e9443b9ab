"""Joining arrays: concatenate and the stack family. Each input is copied to its part of the result by one launch of `copy`."""
from libc.string cimport memcpy
from cupy._core._dtype cimport *
from cupy._core._launch cimport run
from cupy._core._scalar cimport scalar_kind
from cupy._core.core cimport *
from cupy_backends.backend.xpu cimport *


cdef int copy_tensor(const xpu_tensor* source, const xpu_tensor* target) except -1:
    """Copies between two tensors of one shape that share no memory."""
    if target.size == 0:
        return 0
    return run(XPU_OP_copy, XPU_CALL, target.dtype, &source, 1, target, NULL, target.size)


cdef int _common_dtype(list arrays) noexcept:
    """Result dtype of many arrays: from the highest kind on, so that the answer does not depend on the order."""
    cdef int number, top = (<ndarray>arrays[0]).t.dtype
    cdef bint mixed = False
    for x in arrays:
        number = (<ndarray>x).t.dtype
        if number != top:
            mixed = True
            if kind_of[number] > kind_of[top] or (kind_of[number] == kind_of[top] and itemsize_of[number] > itemsize_of[top]):
                top = number
    if mixed:
        for x in arrays:
            top = promote(top, (<ndarray>x).t.dtype)
    return top


cdef bint _swap_needed(list arrays, int slow, int fast) noexcept:
    """Whether axis `slow` should lie inside axis `fast`: all arrays that can tell say so."""
    cdef bint swap = False
    cdef int64_t s, f
    cdef ndarray a
    for x in arrays:
        a = <ndarray>x
        if a.t.shape[slow] != 1 and a.t.shape[fast] != 1:
            s, f = a.t.strides[slow], a.t.strides[fast]
            if (s if s >= 0 else -s) >= (f if f >= 0 else -f):
                return False
            swap = True
    return swap


cdef ndarray _new_joined(list arrays, int dtype, int ndim, const int64_t* shape):
    """The result of a join; its axes lie in memory as the inputs have them."""
    cdef int perm[XPU_MAX_NDIM]
    cdef int i, j
    cdef bint plain = True
    for x in arrays:
        if not (<ndarray>x).flags_ & C_CONTIGUOUS:
            plain = False
            break
    if plain or ndim < 2:
        return new_array(dtype, ndim, shape)
    for i in range(ndim):
        j = i
        while j > 0 and _swap_needed(arrays, perm[j - 1], i):
            perm[j] = perm[j - 1]
            j -= 1
        perm[j] = i
    return new_permuted(dtype, ndim, shape, perm)


cdef int _joined_shape(list arrays, int axis, int64_t* shape) except -1:
    """Checks that the arrays fit and fills the shape of their join."""
    cdef Py_ssize_t i
    cdef int k
    cdef ndarray a, first = <ndarray>arrays[0]
    cdef int ndim = first.t.ndim
    memcpy(shape, first.t.shape, ndim * sizeof(int64_t))
    for i in range(1, len(arrays)):
        a = <ndarray>arrays[i]
        if a.t.ndim != ndim:
            raise ValueError('all the input arrays must have same number of dimensions, but the array at index 0 has '
                             f'{ndim} dimension(s) and the array at index {i} has {a.t.ndim} dimension(s)')
        for k in range(ndim):
            if k == axis:
                shape[k] = plus(shape[k], a.t.shape[k])
            elif a.t.shape[k] != shape[k]:
                raise ValueError('all the input array dimensions except for the concatenation axis must match exactly, but along '
                                 f'dimension {k}, the array at index 0 has size {shape[k]} and the array at index {i} has size '
                                 f'{a.t.shape[k]}')
    return 0


cdef int _check_casts(list arrays, int dtype, object casting) except -1:
    cdef int number
    cdef str rule = casting
    can_cast(XPU_BOOL, XPU_INT8, rule)  # checks the name
    for x in arrays:
        number = (<ndarray>x).t.dtype
        if not can_cast(number, dtype, rule):
            raise TypeError(f'Cannot cast array data from {dtype_object(number)!r} to {dtype_object(dtype)!r} according to the rule '
                            f'{rule!r}')
    return 0


cdef ndarray _target(list arrays, int ndim, const int64_t* shape, object out, object dtype, object casting):
    """The array to join into: `out`, checked, or a new one."""
    cdef int number, k
    cdef ndarray r
    if out is None:
        number = _common_dtype(arrays) if dtype is None else dtype_number(dtype)
        if dtype is not None or casting != 'same_kind':  # promotion is always of the same kind
            _check_casts(arrays, number, casting)
        return _new_joined(arrays, number, ndim, shape)
    if dtype is not None:
        raise TypeError('concatenate() only takes `out` or `dtype` as an argument, but both were provided.')
    if not isinstance(out, ndarray):
        raise TypeError(f"'out' must be a cupy.ndarray, not {type(out).__name__}")
    r = <ndarray>out
    if r.t.ndim != ndim:
        raise ValueError('Output array has wrong dimensionality')
    for k in range(ndim):
        if r.t.shape[k] != shape[k]:
            raise ValueError('Output array is the wrong shape')
    require_writeable(r)
    _check_casts(arrays, r.t.dtype, casting)
    return r


cdef ndarray join(list arrays, int axis, object out, object dtype, object casting):
    """Concatenates arrays of one ndim >= 1 along an axis."""
    cdef int64_t shape[XPU_MAX_NDIM]
    cdef ndarray a, r
    cdef xpu_tensor part
    cdef int64_t step
    _joined_shape(arrays, axis, shape)
    r = _target(arrays, (<ndarray>arrays[0]).t.ndim, shape, out, dtype, casting)
    if out is not None:
        arrays = [copy_of(<ndarray>x, c'K') if may_overlap(r, <ndarray>x) else x for x in arrays]
    part = r.t
    step = r.t.strides[axis]
    for x in arrays:
        a = <ndarray>x
        part.shape = a.t.shape
        part.size = a.t.size
        copy_tensor(&a.t, &part)
        part.offset += a.t.shape[axis] * step
    return r


cdef ndarray join_flat(list arrays, object out, object dtype, object casting):
    """Concatenates the elements of all arrays, each in C order, to one axis."""
    cdef int64_t n = 0
    cdef int64_t strides[XPU_MAX_NDIM]
    cdef int64_t step
    cdef int k
    cdef ndarray a, r
    cdef xpu_tensor part
    for x in arrays:
        n = plus(n, (<ndarray>x).t.size)
    if isinstance(out, ndarray):
        if (<ndarray>out).t.ndim != 1:
            raise ValueError('Output array must be 1D')
        if (<ndarray>out).t.size != n:
            raise ValueError('Output array is the wrong size')
    r = _target(arrays, 1, &n, out, dtype, casting)
    part = r.t
    part.strides = strides
    for x in arrays:
        a = <ndarray>x
        if out is not None and may_overlap(r, a):
            a = copy_of(a, c'K')
        part.ndim, part.shape, part.size = a.t.ndim, a.t.shape, a.t.size
        step = r.t.strides[0]
        for k in range(a.t.ndim - 1, -1, -1):
            strides[k] = step
            step *= a.t.shape[k]
        copy_tensor(&a.t, &part)
        part.offset += a.t.size * r.t.strides[0]
    return r


cdef list _weak_array_list(list items):
    """Items of a flat join: Python scalars take the dtype of the arrays beside them."""
    cdef list arrays = [as_array(x) for x in items]
    cdef list strong = [a for a, x in zip(arrays, items) if scalar_kind(x) < WEAK_INT]
    cdef int number, i
    if not strong or len(strong) == len(arrays):
        return arrays
    number = _common_dtype(strong)
    for x in items:
        i = scalar_kind(x)
        if i >= WEAK_INT:
            number = promote(number, i)
    return [a if scalar_kind(x) < WEAK_INT else as_typed(<ndarray>a, number) for a, x in zip(arrays, items)]


def concatenate(arrays, /, axis=0, out=None, *, dtype=None, casting='same_kind'):
    """Joins arrays along an existing axis.

    Args:
        arrays: sequence of arrays with equal shapes, `axis` apart.
        axis: int; None joins the elements of all arrays to one axis.
        out: array that receives the result.
        dtype: dtype of the result; not together with `out`.
        casting: rule for casts to dtype or out's dtype, 'same_kind' by default.

    Raises:
        ValueError: no arrays, 0-d arrays, shapes that do not fit. TypeError: a forbidden cast. AxisError: a bad axis.
    """
    cdef list items
    cdef Py_ssize_t i
    cdef int k, ndim
    if isinstance(arrays, (list, tuple)) or hasattr(arrays, '__getitem__'):
        items = list(arrays)
    else:
        raise TypeError('The first input argument needs to be a sequence')
    if not items:
        raise ValueError('need at least one array to concatenate')
    if axis is None:
        return join_flat(_weak_array_list(items), out, dtype, casting)
    for i in range(len(items)):
        if not isinstance(items[i], ndarray):
            items[i] = as_array(items[i])
    ndim = (<ndarray>items[0]).t.ndim
    if ndim == 0:
        raise ValueError('zero-dimensional arrays cannot be concatenated')
    k = normalize_axis(axis, ndim)
    return join(items, k, out, dtype, casting)


concat = concatenate


cdef list _to_stack(object arrays):
    """The arrays given to a function of the stack family."""
    if not isinstance(arrays, (list, tuple)) and not hasattr(arrays, '__getitem__'):
        raise TypeError('arrays to stack must be passed as a "sequence" type such as list or tuple.')
    return [x if isinstance(x, ndarray) else as_array(x) for x in arrays]


cdef ndarray _with_axis(ndarray a, int axis):
    """A view with a new axis of length 1."""
    cdef int64_t shape[XPU_MAX_NDIM + 1]
    cdef int64_t strides[XPU_MAX_NDIM + 1]
    cdef int i
    for i in range(axis):
        shape[i], strides[i] = a.t.shape[i], a.t.strides[i]
    shape[axis], strides[axis] = 1, 0
    for i in range(axis, a.t.ndim):
        shape[i + 1], strides[i + 1] = a.t.shape[i], a.t.strides[i]
    return new_view(a, a.t.ndim + 1, shape, strides, a.t.offset)


def stack(arrays, axis=0, out=None, *, dtype=None, casting='same_kind'):
    """Joins arrays of one shape along a new axis.

    Args:
        arrays: sequence of arrays.
        axis: place of the new axis in the result.
        out, dtype, casting: as in `concatenate`.

    Raises:
        ValueError: no arrays or different shapes. AxisError: a bad axis.
    """
    cdef list items = _to_stack(arrays)
    cdef Py_ssize_t i
    cdef int k, axis_number
    cdef ndarray a, first
    if not items:
        raise ValueError('need at least one array to stack')
    first = <ndarray>items[0]
    for x in items:
        a = <ndarray>x
        if a.t.ndim != first.t.ndim:
            raise ValueError('all input arrays must have the same shape')
        for k in range(a.t.ndim):
            if a.t.shape[k] != first.t.shape[k]:
                raise ValueError('all input arrays must have the same shape')
    axis_number = normalize_axis(axis, first.t.ndim + 1)
    for i in range(len(items)):
        items[i] = _with_axis(<ndarray>items[i], axis_number)
    return join(items, axis_number, out, dtype, casting)


cdef ndarray _at_least(ndarray a, int n):
    """A view with at least n axes: vectors become rows in 2-D, (1, length, 1) in 3-D."""
    if a.t.ndim == 0:
        a = _with_axis(a, 0)
    if a.t.ndim == 1 and n > 1:
        a = _with_axis(a, 0)
    if a.t.ndim == 2 and n > 2:
        a = _with_axis(a, 2)
    return a


cdef object _join_all(list items, int axis, object dtype, object casting):
    if not items:
        raise ValueError('need at least one array to concatenate')
    return join(items, axis, None, dtype, casting)


def vstack(tup, *, dtype=None, casting='same_kind'):
    """Joins arrays along the first axis; 1-D arrays are rows."""
    return _join_all([_at_least(<ndarray>a, 2) for a in _to_stack(tup)], 0, dtype, casting)


def hstack(tup, *, dtype=None, casting='same_kind'):
    """Joins arrays along the second axis, 1-D arrays along the first."""
    cdef list items = [_at_least(<ndarray>a, 1) for a in _to_stack(tup)]
    return _join_all(items, 0 if not items or (<ndarray>items[0]).t.ndim == 1 else 1, dtype, casting)


def dstack(tup):
    """Joins arrays along the third axis; smaller arrays get axes of length 1 as in `atleast_3d`."""
    return _join_all([_at_least(<ndarray>a, 3) for a in _to_stack(tup)], 2, None, 'same_kind')


def column_stack(tup):
    """Joins arrays along the second axis; 1-D arrays are columns."""
    columns = [_with_axis(_at_least(<ndarray>a, 1), 1) if (<ndarray>a).t.ndim < 2 else a for a in _to_stack(tup)]
    return _join_all(columns, 1, None, 'same_kind')


cdef object _each_at_least(tuple arrays, int n):
    if len(arrays) == 1:
        return _at_least(as_array(arrays[0]), n)
    return tuple([_at_least(as_array(x), n) for x in arrays])


def atleast_1d(*arys):
    """The inputs as arrays with at least one axis: one array, or a tuple of arrays for several inputs."""
    return _each_at_least(arys, 1)


def atleast_2d(*arys):
    """The inputs as arrays with at least two axes, new ones first."""
    return _each_at_least(arys, 2)


def atleast_3d(*arys):
    """The inputs as arrays with at least three axes: a vector becomes (1, n, 1), a matrix (m, n, 1)."""
    return _each_at_least(arys, 3)
