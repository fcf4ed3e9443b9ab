"""New arrays after the shape of others, sequences of numbers, unit matrices."""
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.math cimport ceil
from cupy._core._convert cimport iota
from cupy._core._dtype cimport *
from cupy._core._scalar cimport integer_fits, scalar_kind
from cupy._core.core cimport *
from cupy_backends.backend.xpu cimport *

from math import isnan
from operator import index as as_index

import numpy


cdef int _check_device(object device) except -1:
    if device is not None:
        from cupy.xpu import _check_device
        _check_device(device)
    return 0


# --- like another array ---

cdef ndarray _empty_like(object prototype, object dtype, object order, object shape):
    cdef ndarray a = as_array(prototype)
    cdef int number = a.t.dtype if dtype is None else dtype_number(dtype)
    cdef char o = order_char(order, 'CFAK')
    cdef int64_t dims[XPU_MAX_NDIM]
    cdef int perm[XPU_MAX_NDIM]
    cdef int n
    if shape is None:
        return new_like(a, number, o)
    n = shape_from(shape, dims)
    steps = a.strides
    if o == c'A':
        o = c'F' if a.flags_ & F_CONTIGUOUS and not a.flags_ & C_CONTIGUOUS else c'C'
    if o == c'K' and n == a.t.ndim and not a.flags_ & C_CONTIGUOUS:
        for i, k in enumerate(sorted(range(n), key=lambda i: -abs(steps[i]))):
            perm[i] = k
        return new_permuted(number, n, dims, perm)
    return new_array(number, n, dims, o == c'F')


def empty_like(prototype, /, dtype=None, order='K', subok=True, shape=None, *, device=None):
    """A new array, its elements not set, with the shape and dtype of another.

    Args:
        prototype: array or what can be made one.
        dtype, shape: used instead of the prototype's.
        order: 'K' keeps the memory layout as far as the shape lets it, or 'C', 'F', 'A'.
        subok: ignored, there are no subclasses.
        device: None or the current device.
    """
    _check_device(device)
    return _empty_like(prototype, dtype, order, shape)


def zeros_like(a, dtype=None, order='K', subok=True, shape=None, *, device=None):
    """A new array of zeros; arguments as in `empty_like`."""
    _check_device(device)
    cdef ndarray r = _empty_like(a, dtype, order, shape)
    fill_value(r, 0)
    return r


def ones_like(a, dtype=None, order='K', subok=True, shape=None, *, device=None):
    """A new array of ones; arguments as in `empty_like`."""
    _check_device(device)
    cdef ndarray r = _empty_like(a, dtype, order, shape)
    fill_value(r, 1)
    return r


cdef int _fill(ndarray r, object value) except -1:
    if scalar_kind(value) >= 0:
        if isinstance(value, complex) and kind_of[r.t.dtype] != KIND_COMPLEX:
            value = value.real
        if scalar_kind(value) == WEAK_FLOAT and kind_of[r.t.dtype] < KIND_FLOAT:
            copy_into(r, as_array(value), True)  # cast as NumPy casts, not checked
            return 0
        return fill_value(r, value)
    return copy_into(r, as_array(value), True)


def full_like(a, fill_value, dtype=None, order='K', subok=True, shape=None, *, device=None):
    """A new array filled with a scalar, or with an array that is broadcast; other arguments as in `empty_like`."""
    _check_device(device)
    cdef ndarray r = _empty_like(a, dtype, order, shape)
    _fill(r, fill_value)
    return r


def from_buffer(buffer, int64_t count, int64_t offset, dtype):
    """A vector with a copy of `count` items of a buffer, which must have so many after `offset` bytes."""
    cdef Py_buffer view
    cdef int number = dtype_number(dtype)
    PyObject_GetBuffer(buffer, &view, PyBUF_SIMPLE)
    try:
        if offset < 0 or count < 0 or count > (view.len - offset) // itemsize_of[number]:
            raise ValueError('buffer is smaller than requested size')
        return from_host(<char*>view.buf + offset, number, 1, &count)
    finally:
        PyBuffer_Release(&view)


# --- sequences ---

cdef object _number(object x):
    """An argument of arange as a Python or NumPy scalar: device scalars are read."""
    if isinstance(x, ndarray):
        if (<ndarray>x).t.size != 1 or (<ndarray>x).t.ndim:
            raise TypeError('only 0-dimensional arrays can be converted to Python scalars')
        return dtype_object((<ndarray>x).t.dtype).type(item_of(<ndarray>x))
    if isinstance(x, (str, bytes)):
        raise TypeError(f'arange() not supported for inputs with DType {type(x).__name__}.')
    return x


cdef int _arange_dtype(object start, object stop, object step) except -1:
    """int64, or what the arguments ask for beyond it."""
    cdef int number = XPU_INT64, kind
    for x in (start, stop, step):
        kind = scalar_kind(x)
        if kind < 0:
            raise TypeError(f'arange() takes numbers, not {type(x).__name__}')
        if kind == WEAK_INT:
            kind = XPU_INT64 if integer_fits(x, XPU_INT64) else XPU_FLOAT64
        number = promote(number, promote(kind, kind) if kind >= WEAK_INT else kind)
    return number


cdef int64_t _length(object start, object stop, object step) except -1:
    """How many elements arange has: ceil((stop - start) / step)."""
    delta = stop - start
    count = delta / step
    parts = (count.real, count.imag) if isinstance(count, complex) else (count,)
    if any([isnan(x) for x in parts]):
        raise ValueError('arange: cannot compute length')
    smallest = min(parts)
    if not smallest < 2.0 ** 63:
        raise ValueError('Maximum allowed size exceeded')
    return max(0, <int64_t>ceil(smallest)) if smallest > -1 else 0


cdef object _cast(object x, int dtype):
    """A number as a scalar of a dtype, as NumPy stores it. OverflowError for a Python integer out of range."""
    cdef int kind = kind_of[dtype]
    if kind == KIND_BOOL:
        return bool(x)
    if kind <= KIND_SIGNED:
        x = int(x)
        if not integer_fits(x, dtype):
            raise OverflowError(f'Python integer {x} out of bounds for {dtype_object(dtype)}')
        return x
    return dtype_object(dtype).type(x)


cdef ndarray _arange(int64_t n, object start, object step, int dtype):
    """The elements step by the difference of the first two, both rounded to the dtype, as NumPy's do."""
    cdef int work = dtype
    cdef ndarray r
    if dtype == XPU_BOOL:
        if n > 2:
            raise TypeError('arange() is only supported for booleans when the result has at most length 2.')
        r = new_array(dtype, 1, &n)
        for i, x in enumerate((start, start + step)[:n]):
            r[i] = bool(x)
        return r
    first = _cast(start, dtype)
    if n == 1:
        return iota(1, first, 0, dtype_object(dtype))
    if kind_of[dtype] <= KIND_SIGNED:
        return iota(n, first, _wrapped(_cast(start + step, dtype) - first, dtype), dtype_object(dtype))
    second = _cast(start + step, dtype)
    if dtype == XPU_FLOAT16:  # computed in float32, rounded once
        work = XPU_FLOAT32
        first, second = numpy.float32(first), numpy.float32(second)
    return as_typed(iota(n, first, second - first, dtype_object(work)), dtype)


cdef object _wrapped(object x, int dtype):
    """An integer modulo 2**bits in the range of the dtype: steps of unsigned types may be negative."""
    cdef object size = 1 << <object>(8 * itemsize_of[dtype])
    x = x % size
    return x - size if kind_of[dtype] == KIND_SIGNED and 2 * x >= size else x


cdef bint _is_plain(object x) noexcept:
    """Whether a number is a Python float, or an int that a float holds exactly."""
    return type(x) is float or (type(x) is int and -0x1fffffffffffff < x < 0x1fffffffffffff)


cdef inline bint _fits_signed(int64_t v, int dtype) noexcept:
    cdef int64_t most = 0x7fffffffffffffff >> (64 - 8 * itemsize_of[dtype])
    return -most - 1 <= v <= most


cdef ndarray _plain_arange(object start, object stop, object step, int dtype):
    """arange of Python numbers, in C; None where the dtype asks for more care. dtype: -1 if not given"""
    cdef double first = start, width = step, count
    cdef int64_t n
    cdef float narrow
    cdef bint integers = type(start) is int and type(stop) is int and type(step) is int
    if dtype < 0:
        dtype = XPU_INT64 if integers else created(XPU_FLOAT64)
    elif dtype != XPU_FLOAT64 and dtype != XPU_FLOAT32 and not (
            integers and kind_of[dtype] == KIND_SIGNED and _fits_signed(start, dtype) and _fits_signed(start + step, dtype)):
        return None
    if width == 0:
        raise ZeroDivisionError('division by zero')
    count = ceil((<double>stop - first) / width)
    if not count < 9.2e18:
        raise ValueError('Maximum allowed size exceeded' if count > 0 else 'arange: cannot compute length')
    n = <int64_t>count if count > 0 else 0
    if dtype == XPU_FLOAT64:
        return iota(n, first, (first + width) - first, dtype_object(dtype))
    if dtype == XPU_FLOAT32:
        narrow = <float>first
        return iota(n, narrow, <float>(first + width) - narrow, dtype_object(dtype))
    return iota(n, start, step, dtype_object(dtype))


def line(int64_t num, double start, double stop, bint endpoint):
    """(numbers, step) of linspace between two Python numbers; None where the step is too small to be used."""
    cdef double step
    cdef int64_t div = num - 1 if endpoint else num
    cdef ndarray r
    if div <= 0:
        return None
    step = (stop - start) / div
    if step == 0:
        return None
    r = iota(num, 0, 1, dtype_object(XPU_FLOAT64))
    r *= step
    r += start
    if endpoint:
        r[num - 1] = stop
    return r, step


def arange(start=None, stop=None, step=None, dtype=None, *, device=None, like=None):
    """Evenly spaced numbers from `start` (0) up to, but without, `stop`.

    Args:
        start, stop, step: numbers; arange(n) is arange(0, n).
        dtype: dtype of the result; found from the arguments, at least int64, if not given.
        device: None or the current device.

    Raises:
        ZeroDivisionError: step 0. ValueError: a length that is NaN or too large.
    """
    cdef int64_t n
    cdef int number = -1
    cdef ndarray r
    if device is not None:
        _check_device(device)
    if stop is None:
        if start is None:
            raise TypeError('arange() requires stop to be specified.')
        start, stop = 0, start
    elif start is None:
        start = 0
    if step is None:
        step = 1
    if dtype is not None:
        number = dtype_number(dtype)
    if _is_plain(start) and _is_plain(stop) and _is_plain(step):
        r = _plain_arange(start, stop, step, number)
        if r is not None:
            return r
    start, stop, step = _number(start), _number(stop), _number(step)
    if dtype is None:
        number = _arange_dtype(start, stop, step)
    n = _length(start, stop, step)
    return new_array(number, 1, &n) if n == 0 else _arange(n, start, step, number)


# --- unit matrices ---

def eye(N, M=None, k=0, dtype=float, order='C', *, device=None, like=None):
    """A matrix with ones on a diagonal and zeros elsewhere.

    Args:
        N, M: numbers of rows and columns (N if not given).
        k: which diagonal; positive ones lie above the main one.
        dtype, order, device: as in `zeros`.
    """
    _check_device(device)
    cdef int64_t dims[2]
    cdef int64_t rows, columns, offset = 0, length, step, d
    cdef ndarray r
    sizes = as_index(N), as_index(N if M is None else M)
    shape_from(sizes, dims)
    diagonal = as_index(k)
    r = new_array(dtype_number(dtype), 2, dims, order_char(order, 'CF') == c'F')
    fill_value(r, 0)
    rows, columns = dims
    if not -rows < diagonal < columns:
        return r
    d = diagonal
    offset = d * r.t.strides[1] if d > 0 else -d * r.t.strides[0]
    length = min(rows + min(d, 0), columns - max(d, 0))
    step = r.t.strides[0] + r.t.strides[1]
    fill_value(new_view(r, 1, &length, &step, offset), 1)
    return r


def identity(n, dtype=None, *, like=None):
    """The n by n matrix with ones on the main diagonal."""
    return eye(n, dtype=float if dtype is None else dtype)
