"""Keys taken apart: what a[key] means, as a view and index arrays."""
from cpython.long cimport PyLong_AsLongLong
from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE
from cupy._core._convert cimport array_from
from cupy._core._dtype cimport *
from cupy._core._host_call cimport from_numpy
from cupy._core._launch cimport api, launch
from cupy._core.core cimport SCALAR, as_typed, copy_into, from_host, item_of, ndarray, new_array
from cupy_backends.backend.xpu cimport *

import numpy

cdef enum:
    MAX_ITEMS = 2 * 64       # of a key, as in NumPy
    SHRINK_BYTES = 4096      # smaller results are not copied to save memory

cdef str _ONLY = ('only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid indices')
cdef object _numpy_array = numpy.ndarray
cdef object _numpy_bool = numpy.bool_
cdef object _generic = numpy.generic


cdef class Key:
    pass


# --- taking keys apart ---

cdef ndarray mask_or_indices(object x):
    """An index array of a sequence, a numpy.ndarray or the like; IndexError for other dtypes."""
    cdef ndarray r
    if isinstance(x, ndarray):
        r = <ndarray>x
    elif isinstance(x, _numpy_array):
        r = from_numpy(x)
    else:
        r = _small_list(x) if type(x) is list else None
        if r is not None:
            return r
        try:
            r = array_from(x, -1)
        except (TypeError, OverflowError):
            raise IndexError(_ONLY) from None
        if r.t.size == 0 and not hasattr(x, 'dtype'):
            return as_typed(r, XPU_INT64)
        if kind_of[r.t.dtype] > KIND_SIGNED:
            raise IndexError(_ONLY)
    if kind_of[r.t.dtype] > KIND_SIGNED:
        raise IndexError('arrays used as indices must be of integer (or boolean) type')
    return r


cdef ndarray _small_list(list x):
    """A flat list of Python ints; None for other lists."""
    cdef int64_t values[32]
    cdef int64_t n = PyList_GET_SIZE(x)
    cdef int i
    if n > 32:
        return None
    for i in range(n):
        v = <object>PyList_GET_ITEM(x, i)
        if type(v) is not int:
            return None
        try:
            values[i] = PyLong_AsLongLong(v)
        except OverflowError:
            raise IndexError(_ONLY) from None
    return from_host(values, XPU_INT64, 1, &n)




cdef int _classify(Key k, int i, object x) except -1:
    """The kind of an item that is not an exact int or slice. Returns the number of axes it takes."""
    cdef ndarray r
    if x is None:
        k.kinds[i] = NEWAXIS
        return 0
    if x is Ellipsis:
        k.kinds[i] = ELLIPSIS
        return 0
    if x is True or x is False or isinstance(x, _numpy_bool):
        k.kinds[i], k.numbers[i], k.advanced = FLAG, 1 if x else 0, True
        return 0
    if not isinstance(x, (ndarray, list, tuple, _numpy_array)) and hasattr(x, '__index__'):
        try:
            x = x.__index__()
        except TypeError:
            pass
        else:
            k.kinds[i], k.numbers[i] = INTEGER, to_integer(x)
            return 1
    if isinstance(x, (str, bytes, dict, set)) or isinstance(x, _generic):
        raise IndexError(_ONLY)
    r = mask_or_indices(x)
    if r.t.ndim == 0:
        value = item_of(r)
        if r.t.dtype == XPU_BOOL:
            k.kinds[i], k.numbers[i], k.advanced = FLAG, 1 if value else 0, True
            return 0
        k.kinds[i], k.numbers[i] = INTEGER, to_integer(value)
        if not r.flags_ & SCALAR:
            k.copies = True
        return 1
    k.advanced = True
    if k.items is None:
        k.items = [None] * k.n
    if r.t.dtype == XPU_BOOL:
        k.kinds[i] = MASK
        k.items[i] = r
        return r.t.ndim
    k.kinds[i] = INDICES
    k.items[i] = as_typed(r, XPU_INT64)
    return 1


cdef object _too_many_axes(int n):
    return IndexError(f'number of dimensions must be within [0, {XPU_MAX_NDIM}], indexing result would have {n}')


cdef Key parse_key(ndarray a, tuple key):
    cdef Key k = Key.__new__(Key)
    cdef int i, used = 0, ellipses = 0, none = 0, integers = 0
    cdef object x
    if PyTuple_GET_SIZE(key) > MAX_ITEMS:
        raise IndexError('too many indices for array')
    k.n = <int>PyTuple_GET_SIZE(key)
    for i in range(k.n):
        x = <object>PyTuple_GET_ITEM(key, i)
        if type(x) is int:
            k.kinds[i], k.numbers[i] = INTEGER, to_integer(x)
            used += 1
        elif type(x) is slice:
            k.kinds[i] = SLICE
            used += 1
        else:
            used += _classify(k, i, x)
            ellipses += k.kinds[i] == ELLIPSIS
            none += k.kinds[i] == NEWAXIS
        integers += k.kinds[i] == INTEGER
    if ellipses > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    if used > a.t.ndim:
        raise IndexError(f'too many indices for array: array is {a.t.ndim}-dimensional, but {used} were indexed')
    if a.t.ndim - integers + none > XPU_MAX_NDIM and not k.advanced:
        raise _too_many_axes(a.t.ndim - integers + none)
    _layout(a, key, k, a.t.ndim - used)
    return k








cdef int basic_layout(ndarray a, tuple key, Layout* v) except -1:
    cdef int i, j, n = <int>PyTuple_GET_SIZE(key), used = 0, axis = 0, ndim = a.t.ndim
    cdef bint ellipsis = False
    cdef object x
    for i in range(n):
        x = <object>PyTuple_GET_ITEM(key, i)
        if type(x) is slice:
            used += 1
        elif type(x) is int:
            used += 1
            ndim -= 1
        elif x is None:
            ndim += 1
        elif x is Ellipsis and not ellipsis:
            ellipsis = True
        else:
            return 0
    if used > a.t.ndim or ndim > XPU_MAX_NDIM:
        return 0  # the general way raises
    v.ndim = 0
    v.offset = a.t.offset
    for i in range(n):
        x = <object>PyTuple_GET_ITEM(key, i)
        if type(x) is slice:
            slice_axis(v, x, a.t.shape[axis], a.t.strides[axis])
            axis += 1
        elif type(x) is int:
            v.offset += wrapped(to_integer(x), a.t.shape[axis], axis) * a.t.strides[axis]
            axis += 1
        elif x is None:
            append_axis(v, 1, 0)
        else:
            for j in range(a.t.ndim - used):
                append_axis(v, a.t.shape[axis], a.t.strides[axis])
                axis += 1
    for axis in range(axis, a.t.ndim):
        append_axis(v, a.t.shape[axis], a.t.strides[axis])
    return 1


cdef int _layout(ndarray a, tuple key, Key k, int rest) except -1:
    """The view of the basic items; axes of index arrays stay whole in it."""
    cdef int i, j, axis = 0, kind
    cdef Layout* v = &k.view
    cdef bint ended = False, started = False, apart = False    # advanced items: seen, interrupted, in several places
    cdef ndarray r
    v.ndim = 0
    v.offset = a.t.offset
    for i in range(k.n):
        kind = k.kinds[i]
        if k.advanced and (kind == INTEGER or kind >= FLAG):
            if not started:
                k.place = v.ndim
                started = True
            apart = apart or ended
        elif started:
            ended = True
        if kind == INTEGER:
            v.offset += wrapped(k.numbers[i], a.t.shape[axis], axis) * a.t.strides[axis]
            axis += 1
        elif kind == SLICE:
            slice_axis(v, <object>PyTuple_GET_ITEM(key, i), a.t.shape[axis], a.t.strides[axis])
            axis += 1
        elif kind == NEWAXIS:
            append_axis(v, 1, 0)
        elif kind == ELLIPSIS:
            for j in range(rest):
                append_axis(v, a.t.shape[axis], a.t.strides[axis])
                axis += 1
            rest = 0
        elif kind == INDICES:
            _add_array(a, k, <ndarray>k.items[i], axis)
            axis += 1
        elif kind == MASK:
            r = <ndarray>k.items[i]
            for j in range(r.t.ndim):
                if r.t.shape[j] != a.t.shape[axis + j] and r.t.shape[j] > 0:  # NumPy lets empty masks pass
                    raise IndexError(f'boolean index did not match indexed array along axis {axis + j}; size of axis is '
                                     f'{a.t.shape[axis + j]} but size of corresponding boolean axis is {r.t.shape[j]}')
            for array in nonzero_of(r):
                _add_array(a, k, <ndarray>array, axis)
                axis += 1
    for j in range(rest):
        append_axis(v, a.t.shape[axis], a.t.strides[axis])
        axis += 1
    if k.advanced:
        _broadcast(k)
        if apart:
            k.place = 0
        i = v.ndim + k.b.ndim - (<int>len(k.arrays) if k.arrays is not None else 0)
        if i > XPU_MAX_NDIM:
            raise _too_many_axes(i)
    return 0


cdef int _add_array(ndarray a, Key k, ndarray array, int axis) except -1:
    cdef int n
    if k.arrays is None:
        k.arrays = []
    n = <int>len(k.arrays)
    k.axes[n] = k.view.ndim
    k.array_axes[n] = axis
    k.arrays.append(array)
    return append_axis(&k.view, a.t.shape[axis], a.t.strides[axis])


cdef object _mismatch(Key k):
    shapes = [(<ndarray>array).shape for array in k.arrays] if k.arrays is not None else []
    flags = [(k.numbers[i],) for i in range(k.n) if k.kinds[i] == FLAG]
    text = ' '.join([str(x).replace(' ', '') for x in flags + shapes])
    return IndexError(f'shape mismatch: indexing arrays could not be broadcast together with shapes {text} ')


cdef int _join(Key k, int ndim, const int64_t* shape) except -1:
    """Broadcasts B with one more shape."""
    cdef Layout* b = &k.b
    cdef int d, grow = ndim - b.ndim
    if grow > 0:
        for d in range(b.ndim - 1, -1, -1):
            b.shape[d + grow] = b.shape[d]
        for d in range(grow):
            b.shape[d] = 1
        b.ndim = ndim
    grow = b.ndim - ndim
    for d in range(ndim):
        if shape[d] != 1:
            if b.shape[d + grow] != 1 and b.shape[d + grow] != shape[d]:
                raise _mismatch(k)
            b.shape[d + grow] = shape[d]
    return 0


cdef int _broadcast(Key k) except -1:
    """B: the shape of all index arrays together; 0-d booleans count as arrays of shape (1,) or (0,)."""
    cdef int i
    cdef ndarray r
    k.b.ndim = 0
    for i in range(k.n):
        if k.kinds[i] == FLAG:
            _join(k, 1, &k.numbers[i])
    if k.arrays is not None:
        for i in range(<int>PyList_GET_SIZE(k.arrays)):
            r = <ndarray>PyList_GET_ITEM(k.arrays, i)
            _join(k, r.t.ndim, r.t.shape)
    k.b_size = 1
    for i in range(k.b.ndim):
        k.b_size *= k.b.shape[i]
    return 0


# --- masks to indices ---

cdef int _trim(ndarray a, int64_t n) except -1:
    """Gives a 1-D result of worst-case length its real one."""
    a.t.shape[0] = n
    a.t.size = n
    a.t.nbytes = n * itemsize_of[a.t.dtype]
    api.shrink(a.t.storage, a.t.nbytes)
    return 0


cdef ndarray trimmed(ndarray a, int64_t n):
    """The first n elements of a result of worst-case length: a copy when over half of it is waste."""
    cdef int64_t room = a.t.size
    cdef ndarray r
    if 2 * n < room and room * itemsize_of[a.t.dtype] > SHRINK_BYTES:
        r = new_array(a.t.dtype, 1, &n)
        a.t.shape[0] = n
        a.t.size = n
        copy_into(r, a)
        return r
    _trim(a, n)
    return a


cdef tuple nonzero_of(ndarray a):
    cdef const xpu_tensor* outs[64]
    cdef const xpu_tensor* p = &a.t
    cdef xpu_call call
    cdef int i, n = a.t.ndim
    cdef ndarray r
    cdef list found = [new_array(XPU_INT64, 1, &a.t.size) for i in range(n)]
    if a.t.size == 0:
        return tuple(found)
    for i in range(n):
        outs[i] = &(<ndarray>found[i]).t
    call.op = XPU_OP_nonzero
    call.method = XPU_CALL
    call.loop = a.t.dtype
    call.nin = 1
    call.nout = n
    call.flags = 0
    call.in_ = &p
    call.out = outs
    call.params = NULL
    launch(&call, a.t.size)
    return tuple([trimmed(<ndarray>r, call.result[0]) for r in found])
