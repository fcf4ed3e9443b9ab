"""Functions that make arrays: from others, as sequences of numbers, from functions, text and bytes; window functions."""
import itertools
import math
import operator

import numpy

import cupy
from cupy._core._convert import array, asanyarray, asarray, ascontiguousarray, asfortranarray, empty, full, ones, zeros
from cupy._core._creation import arange, empty_like, eye, from_buffer, full_like, identity, line, ones_like, zeros_like
from cupy._core._manipulation import operand

__all__ = [
    'arange', 'array', 'asanyarray', 'asarray', 'asarray_chkfinite', 'ascontiguousarray', 'asfortranarray', 'astype', 'bartlett',
    'blackman', 'copy', 'empty', 'empty_like', 'eye', 'frombuffer', 'fromfunction', 'fromiter', 'fromstring', 'full', 'full_like',
    'geomspace', 'hamming', 'hanning', 'identity', 'kaiser', 'linspace', 'logspace', 'meshgrid', 'ones', 'ones_like', 'require', 'vander',
    'zeros', 'zeros_like',
]

_SCALARS = (int, float, complex, numpy.number, numpy.bool_)


# --- from other arrays ---

def copy(a, order='K', subok=False):
    """A copy of an array or array-like. order: 'K', 'C', 'F' or 'A'."""
    return array(a, order=order, copy=True)


def astype(x, dtype, /, *, copy=True, device=None):
    """The elements of an array cast to a dtype; copy=False returns the array itself if it has that dtype already."""
    if not isinstance(x, (cupy.ndarray, numpy.generic)):
        raise TypeError(f'Input should be a cupy array or a scalar. It is a {type(x)} instead.')
    return asarray(x, device=device).astype(dtype, copy=copy)


def asarray_chkfinite(a, dtype=None, order=None):
    """asarray() that raises ValueError for infinities and NaNs."""
    a = asarray(a, dtype=dtype, order=order)
    if a.dtype.kind in 'fc' and not cupy.isfinite(a).all():
        raise ValueError('array must not contain infs or NaNs')
    return a


_REQUIREMENTS = {'C': 'C', 'C_CONTIGUOUS': 'C', 'CONTIGUOUS': 'C', 'F': 'F', 'F_CONTIGUOUS': 'F', 'FORTRAN': 'F',
                 'A': 'A', 'ALIGNED': 'A', 'W': 'W', 'WRITEABLE': 'W', 'O': 'O', 'OWNDATA': 'O', 'E': 'E', 'ENSUREARRAY': 'E'}


def require(a, dtype=None, requirements=None, *, like=None):
    """An array with the given dtype and properties, copied if need be.

    requirements: names such as 'C', 'F', 'A' (aligned), 'W' (writeable), 'O' (owns its memory). ValueError for 'C' with 'F'.
    """
    wanted = {_REQUIREMENTS[name.upper()] for name in requirements or ()} - {'E'}
    if {'C', 'F'} <= wanted:
        raise ValueError('Cannot specify both "C" and "F" order')
    order = 'F' if 'F' in wanted else 'C' if 'C' in wanted else 'A'
    result = array(a, dtype=dtype, order=order, copy=None)
    if not all(result.flags[name] for name in wanted - {'C', 'F'}):
        result = result.copy(order)
    return result


def meshgrid(*xi, copy=True, sparse=False, indexing='xy'):
    """Coordinate arrays of a grid from vectors of coordinates, as a tuple.

    Args:
        copy: False returns views.
        sparse: keep axes of length 1 instead of filling the grid.
        indexing: 'xy': the first vector runs along the second axis; 'ij': along the first.
    """
    if indexing not in ('xy', 'ij'):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    n = len(xi)
    places = list(range(n))
    if indexing == 'xy' and n > 1:
        places[:2] = 1, 0
    grid = tuple(operand(x).reshape((1,) * k + (-1,) + (1,) * (n - k - 1)) for x, k in zip(xi, places))
    if not sparse:
        grid = cupy.broadcast_arrays(*grid)
    return tuple(x.copy() for x in grid) if copy else grid


def vander(x, N=None, increasing=False):
    """The Vandermonde matrix: columns are powers of a vector, the highest first unless `increasing`.

    N: number of columns, the vector's length by default.
    """
    x = operand(x)
    if x.ndim != 1:
        raise ValueError('x must be a one-dimensional array or sequence.')
    count = len(x) if N is None else N
    result = empty((len(x), count), dtype=cupy.promote_types(x.dtype, int))
    columns = result if increasing else result[:, ::-1]
    if count > 0:
        columns[:, 0] = 1
    if count > 1:
        columns[:, 1:] = x[:, None]
        cupy.multiply.accumulate(columns[:, 1:], out=columns[:, 1:], axis=1)
    return result


# --- sequences of numbers ---

def _ends(start, stop):
    """Two end points, as Python or NumPy scalars where both are, else as arrays, and the inexact dtype to compute in."""
    scalars = isinstance(start, _SCALARS) and isinstance(stop, _SCALARS)
    if not scalars:
        start, stop = (x if isinstance(x, _SCALARS) else operand(x) for x in (start, stop))
    dtype = cupy.result_type(start, stop)
    if dtype.kind not in 'fc':
        dtype = numpy.dtype(float)
    if scalars:
        kind = {'d': float, 'D': complex}.get(dtype.char, dtype.type)
        return kind(start), kind(stop), dtype
    return operand(start).astype(dtype, copy=False), operand(stop).astype(dtype, copy=False), dtype


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    """`num` evenly spaced numbers from `start` to `stop`.

    Args:
        start, stop: scalars or arrays that broadcast; for arrays the result has a new axis.
        endpoint: whether `stop` is the last number.
        retstep: return (numbers, step).
        dtype: dtype of the result; integers are rounded down.
        axis: place of the new axis.

    Raises:
        ValueError: a negative number. TypeError: a number that is no integer.
    """
    num = operator.index(num)
    if num < 0:
        raise ValueError(f'Number of samples, {num}, must be non-negative.')
    if type(start) in (int, float) and type(stop) in (int, float) and dtype is None and axis == 0:
        found = line(num, start, stop, endpoint)
        if found is not None:
            return (found[0], asarray(found[1])._as_scalar()) if retstep else found[0]
    div = num - 1 if endpoint else num
    start, stop, work = _ends(start, stop)
    delta = stop - start
    y = arange(0, num, dtype=work, device=device)
    scalars = not isinstance(delta, cupy.ndarray)
    if not scalars:
        y = y.reshape((-1,) + (1,) * delta.ndim)
    if div > 0:
        step = delta / div
        if step == 0 if scalars else bool((step == 0).any()):
            y = y / div * delta  # the step is too small to be stored
        else:
            y = y * step
    else:
        step = math.nan
        y = y * delta
    y += start
    if endpoint and num > 1:
        y[-1, ...] = stop
    if axis != 0:
        y = cupy.moveaxis(y, 0, axis)
    target = work if dtype is None else numpy.dtype(dtype)
    if target.kind in 'iu':
        cupy.floor(y, out=y)
    y = y.astype(target, copy=False)
    if not retstep:
        return y
    return y, step if div <= 0 else asarray(step)._as_scalar() if scalars else step


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """`num` powers of `base` with evenly spaced exponents from `start` to `stop`; base may be an array. See `linspace`."""
    if not isinstance(base, _SCALARS):
        base = operand(base)
        if base.ndim:
            start, stop = operand(start), operand(stop)
            ndim = max(start.ndim, stop.ndim, base.ndim)
            start, stop, base = (array(x, copy=None, ndmin=ndim) for x in (start, stop, base))
            base = cupy.expand_dims(base, axis)
    y = linspace(start, stop, num=num, endpoint=endpoint, axis=axis)
    y = cupy.power(base, y)
    return y if dtype is None else y.astype(dtype, copy=False)


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """`num` numbers from `start` to `stop`, each a constant multiple of the one before. ValueError if an end is 0. See `linspace`."""
    start, stop = operand(start), operand(stop)
    if (start == 0).any() or (stop == 0).any():
        raise ValueError('Geometric sequence cannot include zero')
    target = numpy.dtype(float if dtype is None else dtype)
    work = cupy.result_type(start, stop, 1.0, target)
    start, stop = cupy.broadcast_arrays(start.astype(work), stop.astype(work))
    sign = cupy.sign(start)  # the sequence of positive numbers (complex: those from the positive real axis) is turned by it
    first, last = start / sign, stop / sign
    result = logspace(cupy.log10(first), cupy.log10(last), num=num, endpoint=endpoint, base=10.0, dtype=work)
    if num > 0:
        result[0] = first
        if num > 1 and endpoint:
            result[-1] = last
    result *= sign
    if axis != 0:
        result = cupy.moveaxis(result, 0, axis)
    return result.astype(work if dtype is None else target, copy=False)


# --- from functions, iterators, text and bytes ---

def fromfunction(function, shape, *, dtype=float, like=None, **kwargs):
    """What `function` returns for the index arrays of a shape; keyword arguments are passed on."""
    return function(*cupy.indices(shape, dtype=dtype), **kwargs)


def fromiter(iter, dtype, count=-1, *, like=None):
    """A 1-D array of an iterable's items; count: how many are taken, all if negative. ValueError if there are fewer."""
    items = list(iter if count < 0 else itertools.islice(iter, count))
    if len(items) < count:
        raise ValueError(f'iterator too short: Expected {count} but iterator had only {len(items)} items.')
    result = array(items, dtype=dtype)
    if result.ndim != 1:
        raise ValueError('setting an array element with a sequence.')
    return result


def frombuffer(buffer, dtype=float, count=-1, offset=0, *, like=None):
    """A 1-D array with a copy of a buffer's bytes; read-only if the buffer is.

    Args:
        buffer: object with the buffer protocol.
        count: number of items, all if negative.
        offset: where to start, in bytes.

    Raises:
        ValueError: an offset or a count that the buffer cannot give.
    """
    dtype = numpy.dtype(dtype)
    data = memoryview(buffer).cast('B')
    if not 0 <= offset <= data.nbytes:
        raise ValueError(f'offset must be non-negative and no greater than buffer length ({data.nbytes})')
    length = data.nbytes - offset
    if count < 0:
        if length % dtype.itemsize:
            raise ValueError('buffer size must be a multiple of element size')
        count = length // dtype.itemsize
    elif count * dtype.itemsize > length:
        raise ValueError('buffer is smaller than requested size')
    result = from_buffer(data, count, offset, dtype.newbyteorder('='))
    if not dtype.isnative:
        result = result.byteswap()
    if data.readonly:
        result.setflags(write=False)
    return result


def fromstring(string, dtype=float, count=-1, *, sep='', like=None):
    """A 1-D array of the numbers in a text, separated by `sep` (and blanks). ValueError for text that is no number."""
    if not sep:
        raise ValueError('The binary mode of fromstring is removed, use frombuffer instead')
    if isinstance(string, bytes):
        string = string.decode('latin-1')
    words = string.split(sep.strip() or None)
    if words and not words[-1].strip():
        words.pop()
    if count >= 0:
        if len(words) < count:
            raise ValueError(f'string is smaller than requested size: {len(words)} numbers, {count} asked for')
        words = words[:count]
    read = {'c': complex, 'f': float}.get(numpy.dtype(dtype).kind, int)
    return array([read(word) for word in words], dtype=dtype)


# --- windows ---

def _window_points(M):
    """M as a float, and the points 1 - M, 3 - M, ..., M - 1; or M and the whole window where it is trivial."""
    size = float(M)
    if size < 1:
        return size, empty(0), True
    if size == 1:
        return size, ones(1), True
    return size, arange(1 - size, size, 2), False


def bartlett(M):
    """The triangular window with M points, zero at its ends."""
    size, n, done = _window_points(M)
    return n if done else cupy.where(n <= 0, 1 + n / (size - 1), 1 - n / (size - 1))


def hanning(M):
    """The Hann window with M points: a raised cosine, zero at its ends."""
    size, n, done = _window_points(M)
    return n if done else 0.5 + 0.5 * cupy.cos(math.pi * n / (size - 1))


def hamming(M):
    """The Hamming window with M points: a raised cosine, 0.08 at its ends."""
    size, n, done = _window_points(M)
    return n if done else 0.54 + 0.46 * cupy.cos(math.pi * n / (size - 1))


def blackman(M):
    """The Blackman window with M points: a sum of three cosine terms."""
    size, n, done = _window_points(M)
    if done:
        return n
    return 0.42 + 0.5 * cupy.cos(math.pi * n / (size - 1)) + 0.08 * cupy.cos(2.0 * math.pi * n / (size - 1))


def kaiser(M, beta):
    """The Kaiser window with M points and shape parameter beta."""
    size = float(M)
    if size == 1:
        return ones(1)
    beta = float(beta)
    n, half = arange(0, size), (size - 1) / 2.0
    return cupy.i0(beta * cupy.sqrt(1 - ((n - half) / half) ** 2.0)) / cupy.i0(beta)
