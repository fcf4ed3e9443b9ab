"""New arrays from Python objects, and other dtypes over the same memory."""
from cpython.sequence cimport PySequence_Check
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy
from cupy._core._dtype cimport *
from cupy._core._host_call cimport from_numpy, to_numpy
from cupy._core._launch cimport api, check, run
from cupy._core._scalar cimport integer_fits, scalar_kind, scalar_tensor, store
from cupy._core.core cimport *
from cupy_backends.backend.xpu cimport *

import math

import numpy

cdef enum:
    MAX_DEPTH = 64

cdef object _numpy_array = numpy.ndarray


cdef _inhomogeneous(int depth, list shape):
    known = tuple(shape[:depth])
    return ValueError(f'setting an array element with a sequence. The requested array has an inhomogeneous shape after {depth} '
                      f'dimensions. The detected shape was {known} + inhomogeneous part.')


cdef bint _is_sequence(object x) except -1:
    cdef object t = type(x)
    if t is list or t is tuple:
        return True
    if t is float or t is int or t is bool or t is complex:
        return False
    return PySequence_Check(x) and not isinstance(x, (str, bytes, numpy.generic)) and hasattr(x, '__len__')


cdef object _items(object x):
    """The items of a sequence, as iteration tells: a subclass may say another length than it gives items."""
    return x if type(x) is list or type(x) is tuple else list(x)


cdef bint _is_arraylike(object x) except -1:
    return isinstance(x, numpy.ndarray) or hasattr(x, '__array__') or hasattr(x, '__array_interface__') or (
        not isinstance(x, bytes) and _has_buffer(x))


cdef object _element(object x):
    """An item of a sequence; arrays of other packages and buffers as numpy arrays."""
    cdef object t = type(x)
    if t is float or t is int or t is list or t is tuple or t is ndarray or t is _numpy_array:
        return x
    if isinstance(x, (numpy.generic, range, type)):
        return x
    return numpy.asarray(x) if _is_arraylike(x) else x


cdef bint _has_buffer(object x) except -1:
    try:
        memoryview(x)
    except TypeError:
        return False
    return True


cdef int _leaf_dtype(object x) except -1:
    """The dtype number that a scalar brings into a new array."""
    cdef int kind = scalar_kind(x)
    if kind < 0:
        raise TypeError(f'cannot make an array of {type(x).__name__} objects: elements must be numbers or bools')
    if kind == WEAK_INT:
        if integer_fits(x, XPU_INT64):
            return XPU_INT64
        if integer_fits(x, XPU_UINT64):
            return XPU_UINT64
        raise TypeError(f'Python integer {x} needs an object array: elements must fit int64 or uint64, or give a float dtype')
    return created(XPU_FLOAT64 if kind == WEAK_FLOAT else (XPU_COMPLEX128 if kind == WEAK_COMPLEX else kind))


cdef class _Nested:
    """The shape, the dtype and the leaves of nested sequences."""
    cdef list shape, leaves
    cdef int dtype
    cdef bint find_dtype, has_arrays

    def __init__(self, x, int dtype):
        self.shape, self.leaves = [], []
        self.dtype = dtype
        self.find_dtype = dtype < 0
        self.measure(x)
        self.collect(x, 0)
        if self.find_dtype:
            self.dtype = created(XPU_FLOAT64 if self.dtype < 0 else self.dtype)  # no leaves at all: float64

    cdef measure(self, object x):
        while True:
            x = _element(x)
            if isinstance(x, ndarray) or _is_plain_array(x):
                self.shape.extend(x.shape)
                return
            if not _is_sequence(x):
                return
            if len(self.shape) == MAX_DEPTH:
                raise ValueError(f'sequences nested deeper than {MAX_DEPTH} levels')
            x = _items(x)
            self.shape.append(len(x))
            if not x:
                return
            x = x[0]

    cdef note(self, int dtype):
        if self.find_dtype:
            self.dtype = dtype if self.dtype < 0 else promote(self.dtype, dtype)

    cdef collect(self, object x, int depth):
        x = _element(x)
        if isinstance(x, ndarray) or _is_plain_array(x):
            if list(x.shape) != self.shape[depth:]:
                raise _inhomogeneous(min(depth, len(self.shape)), self.shape)
            self.note(dtype_number(x.dtype))
            if x.ndim:
                self.has_arrays = True
                self.leaves.append(x)
            else:
                self.leaves.append(x.item())
            return
        if not _is_sequence(x):
            if depth != len(self.shape):
                raise _inhomogeneous(min(depth, len(self.shape)), self.shape)
            if self.find_dtype:
                if type(x) is float:
                    self.note(created(XPU_FLOAT64))
                else:
                    self.note(_leaf_dtype(x))
            self.leaves.append(x)
            return
        x = _items(x)
        if depth >= len(self.shape) or len(x) != self.shape[depth]:
            raise _inhomogeneous(min(depth, len(self.shape)), self.shape)
        for item in x:
            self.collect(item, depth + 1)


cdef bint _is_plain_array(object x) except -1:
    return type(x) is not list and isinstance(x, _numpy_array)


cdef ndarray _from_leaves(_Nested found):
    cdef int64_t dims[XPU_MAX_NDIM]
    cdef int n = shape_from(tuple(found.shape), dims), item = itemsize_of[found.dtype]
    cdef ndarray a = new_array(found.dtype, n, dims)
    cdef char* buffer
    cdef char* p
    if found.has_arrays:
        return _from_blocks(found, a)
    if a.t.size == 0:
        return a
    if api.caps() & XPU_CAP_HOST_MEMORY:
        p = <char*>a.t.base
        for x in found.leaves:
            store(x, found.dtype, p)
            p += item
        return a
    buffer = p = <char*>malloc(a.t.size * item)
    if buffer == NULL:
        raise MemoryError()
    try:
        for x in found.leaves:
            store(x, found.dtype, p)
            p += item
        check(api.write(a.t.storage, 0, buffer, a.t.size * item))
    finally:
        free(buffer)
    return a


cdef ndarray _from_blocks(_Nested found, ndarray a):
    """Leaves are arrays (and scalars): each is copied to its place in C order."""
    cdef int64_t at = 0, n
    flat = a.reshape(-1)
    for x in found.leaves:
        n = x.size if isinstance(x, (ndarray, numpy.ndarray)) else 1
        flat[at:at + n] = x.reshape(-1) if isinstance(x, ndarray) else (from_numpy(x).reshape(-1) if isinstance(x, numpy.ndarray) else x)
        at += n
    return a


cdef ndarray _from_flat(object x, int dtype):
    """A list or tuple of Python floats and ints, the common case; None if it is anything else."""
    cdef int64_t n = len(x)
    cdef bint floats = False
    cdef ndarray a
    cdef char* p
    if not n or not api.caps() & XPU_CAP_HOST_MEMORY:
        return None
    for v in x:
        if type(v) is float:
            floats = True
        elif type(v) is not int or (dtype < 0 and not -0x8000000000000000 <= v <= 0x7fffffffffffffff):
            return None
    a = new_array(dtype if dtype >= 0 else (created(XPU_FLOAT64) if floats else XPU_INT64), 1, &n)
    p = <char*>a.t.base
    for v in x:
        store(v, a.t.dtype, p)
        p += itemsize_of[a.t.dtype]
    return a


cdef ndarray array_from(object x, int dtype):
    cdef int kind = scalar_kind(x)
    cdef ndarray a
    if kind >= 0 or (dtype >= 0 and isinstance(x, (str, bytes))):
        a = new_array(dtype if dtype >= 0 else _leaf_dtype(x), 0, NULL)
        fill_value(a, x)
        return a
    if isinstance(x, ndarray):
        return copy_of(<ndarray>x, c'K') if dtype < 0 else as_typed(copy_of(<ndarray>x, c'K'), dtype)
    if type(x) is list or type(x) is tuple:
        a = _from_flat(x, dtype)
        if a is not None:
            return a
    if isinstance(x, (list, tuple, range)):
        return _from_leaves(_Nested(x, dtype))
    if _is_arraylike(x):
        a = from_numpy(numpy.asarray(x))
        return as_typed(a, dtype if dtype >= 0 else created(a.t.dtype))
    if hasattr(x, '__dlpack__'):
        from cupy._core import _dlpack
        a = _dlpack.from_dlpack(x)
        return copy_of(a, c'K') if dtype < 0 else as_typed(copy_of(a, c'K'), dtype)
    if _is_sequence(x):
        return _from_leaves(_Nested(x, dtype))
    if dtype >= 0:  # what float(), int() or complex() takes
        a = new_array(dtype, 0, NULL)
        fill_value(a, x)
        return a
    raise TypeError(f'cannot make an array from {type(x).__name__}: elements must be numbers or bools')


def array(object, dtype=None, copy=True, order='K', subok=False, ndmin=0, *, blocking=False):
    """A new array from numbers, nested sequences, arrays (also numpy.ndarray) or buffers.

    Args:
        object: what to convert. The dtype is found as NumPy finds it unless given.
        dtype: the dtype of the result.
        copy: True copies, None or False reuse a cupy.ndarray that fits already; False raises ValueError if a copy is needed.
        order: 'K', 'C', 'F' or 'A'.
        ndmin: axes of length 1 are put in front until the array has so many.

    Raises:
        ValueError: ragged sequences. TypeError: elements that are no numbers, or an unsupported dtype.
        OverflowError: a Python integer that does not fit the dtype.
    """
    cdef int number = -1 if dtype is None else dtype_number(dtype)
    cdef char o = order_char(order, 'CFAK')
    cdef ndarray a
    cdef int64_t dims[XPU_MAX_NDIM]
    cdef int i, lead, wanted = ndmin
    if isinstance(object, ndarray):
        a = <ndarray>object
        fits = (number < 0 or number == a.t.dtype) and (o in (c'K', c'A') or a.flags_ & (C_CONTIGUOUS if o == c'C' else F_CONTIGUOUS))
        if copy or not fits:
            if copy is False:
                raise ValueError('Unable to avoid copy while creating an array as requested.')
            a = new_like(a, a.t.dtype if number < 0 else number, o)
            copy_into(a, <ndarray>object)
        elif a.flags_ & SCALAR:
            a = copy_of(a, c'K')
    else:
        if copy is False:
            raise ValueError('Unable to avoid copy while creating an array as requested.')
        a = array_from(object, number)
        if o == c'F' and not a.flags_ & F_CONTIGUOUS or o == c'C' and not a.flags_ & C_CONTIGUOUS:
            a = copy_of(a, o)
    if a.t.ndim < wanted:
        if wanted > XPU_MAX_NDIM:
            raise ValueError(f'ndmin bigger than allowable number of dimensions {XPU_MAX_NDIM}')
        lead = wanted - a.t.ndim
        for i in range(wanted):
            dims[i] = 1 if i < lead else a.t.shape[i - lead]
        a = reshape_to(a, wanted, dims)
    return a


def asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None, blocking=False):
    """The array itself, or a new array from `a`. See array() for the arguments."""
    _check_device(device)
    if isinstance(a, ndarray) and dtype is None and order is None and not copy:
        return copy_of(<ndarray>a, c'K') if (<ndarray>a).flags_ & SCALAR else a
    return array(a, dtype, copy if not (copy is False and not isinstance(a, ndarray)) else False, 'K' if order is None else order)


def asanyarray(a, dtype=None, order=None, *, device=None, copy=None, like=None, blocking=False):
    """asarray(): there are no subclasses to pass through."""
    return asarray(a, dtype, order, device=device, copy=copy)


def ascontiguousarray(a, dtype=None, *, like=None):
    """A C-contiguous array with at least one axis."""
    return array(a, dtype, None, 'C', ndmin=1)


def asfortranarray(a, dtype=None, *, like=None):
    """A Fortran-contiguous array with at least one axis."""
    return array(a, dtype, None, 'F', ndmin=1)


cdef _check_device(device):
    if device is not None:
        from cupy.xpu import _check_device
        _check_device(device)


cdef ndarray _new(object shape, object dtype, object order):
    cdef int64_t dims[XPU_MAX_NDIM]
    cdef int n
    if type(shape) is int and 0 <= shape <= 0x7fffffffffff:
        dims[0] = shape
        n = 1
    else:
        n = shape_from(shape, dims)
    return new_array(dtype_number(dtype), n, dims, order is not None and order_char(order, 'CF') == c'F')


def empty(shape, dtype=float, order='C', *, device=None, like=None):
    """A new array whose elements are not set."""
    _check_device(device)
    return _new(shape, dtype, order)


def zeros(shape, dtype=float, order='C', *, device=None, like=None):
    """A new array of zeros."""
    _check_device(device)
    cdef ndarray a = _new(shape, dtype, order)
    fill_value(a, 0)
    return a


def ones(shape, dtype=None, order='C', *, device=None, like=None):
    """A new array of ones."""
    _check_device(device)
    cdef ndarray a = _new(shape, dtype, order)
    fill_value(a, 1)
    return a


def full(shape, fill_value, dtype=None, order='C', *, device=None, like=None):
    """A new array filled with a value; the dtype is the value's unless given."""
    _check_device(device)
    cdef int kind = scalar_kind(fill_value)
    cdef ndarray a, v
    if kind >= 0 or (isinstance(fill_value, (str, bytes)) and dtype is not None):
        a = _new(shape, dtype_object(_leaf_dtype(fill_value)) if dtype is None else dtype, order)
        _fill(a, fill_value)
        return a
    v = as_array(fill_value) if dtype is None or isinstance(fill_value, ndarray) else array_from(fill_value, dtype_number(dtype))
    a = _new(shape, v.dtype if dtype is None else dtype, order)
    copy_into(a, v, True)
    return a


cdef _fill(ndarray a, value):
    fill_value(a, value)


cpdef ndarray iota(int64_t n, object start, object step, object dtype):
    """n elements start + i * step, computed in the dtype as numpy.arange does."""
    cdef int64_t size = n
    cdef int number = dtype_number(dtype)
    cdef ndarray a = new_array(number, 1, &size)
    cdef xpu_tensor t[2]
    cdef const xpu_tensor* p[2]
    scalar_tensor(start, number, &t[0])
    scalar_tensor(step, number, &t[1])
    p[0], p[1] = &t[0], &t[1]
    if n:
        run(XPU_OP_iota, XPU_CALL, number, p, 2, &a.t, NULL, n)
    return a


def make(shape, dtype, buffer, offset, strides, order):
    """What the ndarray constructor makes."""
    cdef int64_t dims[XPU_MAX_NDIM]
    cdef int64_t steps[XPU_MAX_NDIM]
    cdef int n = shape_from(shape, dims), number = dtype_number(dtype), i
    cdef int64_t step
    cdef ndarray flat
    if buffer is None and strides is None:
        if offset:
            raise ValueError('offset needs a buffer')
        return _new(shape, dtype, order)
    step = itemsize_of[number]
    if strides is not None:
        if len(strides) != n:
            raise ValueError('strides, if given, must be the same length as shape')
        for i in range(n):
            steps[i] = strides[i]
    else:
        for i in (range(n) if order_char(order, 'CF') == c'F' else range(n - 1, -1, -1)):
            steps[i] = step
            step *= max(dims[i], 1)
    low = high = offset
    if 0 not in [dims[i] for i in range(n)]:  # with Python's integers, as strides may be of any size
        reach = [<object>steps[i] * (dims[i] - 1) for i in range(n)]
        low += sum([x for x in reach if x < 0])
        high += sum([x for x in reach if x > 0]) + itemsize_of[number]
    if high > 0x7fffffffffffffff:
        raise ValueError('strides is incompatible with shape of requested array and size of buffer')
    flat = _memory(buffer, high)
    if low < 0 or high > flat.t.nbytes - flat.t.offset:
        raise ValueError('strides is incompatible with shape of requested array and size of buffer' if strides is not None else
                         'buffer is too small for requested array')
    flat = new_view(flat, n, dims, steps, flat.t.offset + offset)
    flat.t.dtype = number
    update_flags(flat)
    return flat


cdef ndarray _memory(object buffer, int64_t nbytes):
    """Bytes: of a memory pointer, shared; of a host buffer, copied; new ones."""
    if buffer is None:
        return iota(nbytes, 0, 0, numpy.uint8)
    if hasattr(buffer, '_as_bytes'):
        return buffer._as_bytes()
    return from_numpy(numpy.frombuffer(buffer, numpy.uint8))


def reinterpret(ndarray a, int dtype):
    """View under another dtype: the last axis is stretched or shrunk when the item size changes."""
    cdef int64_t shape[XPU_MAX_NDIM]
    cdef int64_t strides[XPU_MAX_NDIM]
    cdef int old = itemsize_of[a.t.dtype], new = itemsize_of[dtype], n = a.t.ndim, i
    cdef int64_t length
    cdef ndarray v
    for i in range(n):
        shape[i], strides[i] = a.t.shape[i], a.t.strides[i]
    if old != new:
        if n == 0:
            raise ValueError('Changing the dtype of a 0d array is only supported if the itemsize is unchanged')
        if strides[n - 1] != old and shape[n - 1] > 1:
            raise ValueError('To change to a dtype of a different size, the last axis must be contiguous')
        length = shape[n - 1] * old
        if length % new:
            raise ValueError('When changing to a larger dtype, its size must be a divisor of the total size in bytes of the last axis '
                             'of the array.')
        shape[n - 1] = length // new
        strides[n - 1] = new
    v = new_view(a, n, shape, strides, a.t.offset)
    v.t.dtype = dtype
    update_flags(v)
    return v


def getfield(ndarray a, dtype, int64_t offset=0):
    """The bytes at an offset into each element, as a view of another dtype."""
    cdef int number = dtype_number(dtype)
    if offset < 0 or offset + itemsize_of[number] > itemsize_of[a.t.dtype]:
        raise ValueError('new type is larger than original type' if offset == 0 else 'new type plus offset is larger than original type')
    return view_dtype(a, number, a.t.offset + offset)


def byteswap(ndarray a, bint inplace):
    """Elements with their bytes in reverse order (each part of a complex number on its own)."""
    cdef int item = itemsize_of[a.t.dtype] // (2 if kind_of[a.t.dtype] == KIND_COMPLEX else 1)
    source = copy_of(a, c'C')
    swapped = copy_of(reinterpret(source.reshape(-1), XPU_UINT8).reshape(-1, item)[:, ::-1], c'C')
    result = reinterpret(swapped.reshape(-1), a.t.dtype).reshape(a.shape)
    if inplace:
        require_writeable(a)
        copy_into(a, result)
        return a
    return result


def resized(ndarray a, shape):
    """A new array of another shape with a's first elements in C order, then zeros."""
    cdef ndarray r = zeros(shape, a.dtype)
    n = min(r.size, a.size)
    r.reshape(-1)[:n] = a.reshape(-1)[:n]
    return r
