"""Functions that read, set or make indices."""
import math

from cupy._core import _creation, _manipulation
from cupy._core._convert import array, asarray, empty, ones, zeros
from cupy._core._dtype import number, promote_numbers, DTYPES
from cupy._core._flat import flatiter
from cupy._core._indexing_functions import choose, compress, diagonal, nonzero, put, take, where
from cupy._core._manipulation import operand
from cupy._core.core import ndarray

__all__ = ['argwhere', 'choose', 'compress', 'diag', 'diag_indices', 'diag_indices_from', 'diagflat', 'diagonal', 'extract',
           'fill_diagonal', 'flatiter', 'flatnonzero', 'indices', 'ix_', 'mask_indices', 'nonzero', 'place', 'put', 'put_along_axis',
           'putmask',
           'ravel_multi_index', 'select', 'take', 'take_along_axis', 'tri', 'tril', 'tril_indices', 'tril_indices_from', 'triu',
           'triu_indices', 'triu_indices_from', 'unravel_index', 'where']

_LARGEST = 2 ** 63 - 1  # the longest array
_WEAK = {int: 16, float: 17, complex: 18}


def _result_dtype(operands):
    """The common dtype of arrays and scalars; Python scalars are weak."""
    found = None
    for x in operands:
        n = _WEAK.get(type(x))
        n = number(x.dtype if hasattr(x, 'dtype') else type(x)) if n is None else n
        found = n if found is None else promote_numbers(found, n)
    return DTYPES[found] if found < 16 else DTYPES[{16: 7, 17: 11, 18: 13}[found]]


def _ndarray(a, text):
    if not isinstance(a, ndarray):
        raise TypeError(text)
    return a


# --- reading and setting ---

def flatnonzero(a):
    """Indices of the non-zero elements of the flattened array: an int64 array."""
    return nonzero(operand(a).ravel())[0]


def argwhere(a):
    """Coordinates of the non-zero elements: int64 of shape (number of elements, a.ndim)."""
    a = operand(a)
    if a.ndim == 0:
        return argwhere(a.reshape(1))[:, :0]
    return _manipulation.stack(nonzero(a)).T


def extract(condition, arr):
    """The elements of the flattened array where the flattened condition is true."""
    return take(operand(arr).ravel(), flatnonzero(condition))


def place(arr, mask, vals):
    """Sets the elements where the mask is true to the values in turn, repeated when they are fewer.

    Raises: ValueError: mask and array are of different size, or there are no values for a true mask.
    """
    _ndarray(arr, f'place() argument 1 must be numpy.ndarray, not {type(arr).__name__}')
    mask = operand(mask)
    if mask.size != arr.size:
        raise ValueError('place: mask and data must be the same size')
    places = flatnonzero(mask)
    vals = array(vals, dtype=arr.dtype).ravel()
    if places.size and not vals.size:
        raise ValueError('Cannot insert from an empty array!')
    put(arr, places, vals)


def putmask(a, /, mask, values):
    """a.flat[i] = values.flat[i % values.size] for each i where the mask is true. ValueError when mask and array differ in size."""
    _ndarray(a, 'putmask: first argument must be an array')
    mask = operand(mask)
    if mask.size != a.size:
        raise ValueError('putmask: mask and data must be the same size')
    values = (values if isinstance(values, ndarray) else array(values, dtype=a.dtype)).ravel()
    places = flatnonzero(mask)
    if places.size and values.size:
        put(a, places, take(values, places, mode='wrap'))


def _along_axis(arr, indices, axis):
    """The key of take_along_axis and put_along_axis."""
    if indices.dtype.kind not in 'iu':
        raise IndexError('`indices` must be an integer array')
    if arr.ndim != indices.ndim:
        raise ValueError('`indices` and `arr` must have the same number of dimensions')
    key = []
    for d, n in enumerate(arr.shape):
        if d == axis:
            key.append(indices)
        else:
            key.append(_creation.arange(n).reshape((1,) * d + (-1,) + (1,) * (arr.ndim - d - 1)))
    return tuple(key)


def _flat_axis(arr, indices, axis):
    if axis is not None:
        return arr, _manipulation.normalize_axis_index(axis, arr.ndim)
    if indices.ndim != 1:
        raise ValueError('when axis=None, `indices` must have a single dimension.')
    return arr.reshape(-1), 0


def take_along_axis(arr, indices, axis=-1):
    """Elements of 1-D slices along an axis, at the indices of the matching slices.

    Args: arr: array. indices: integers, with as many axes, broadcast against arr. axis: int, or None for the flattened array.
    """
    arr, indices = operand(arr), operand(indices)
    arr, axis = _flat_axis(arr, indices, axis)
    return arr[_along_axis(arr, indices, axis)]


def put_along_axis(arr, indices, values, axis):
    """Sets elements of 1-D slices along an axis, at the indices of the matching slices; values are broadcast."""
    indices = operand(indices)
    if axis is None and not arr.flags.c_contiguous:
        place = unravel_index(indices % arr.size if arr.size else indices, arr.shape)
        arr[place] = values
        return
    arr, axis = _flat_axis(arr, indices, axis)
    arr[_along_axis(arr, indices, axis)] = values


def select(condlist, choicelist, default=0):
    """Elements of the first choice whose condition is true, else the default.

    Args: condlist: list of bool arrays. choicelist: list of arrays, as many. default: scalar or array.
    """
    if len(condlist) != len(choicelist):
        raise ValueError('list of cases must be same length as list of conditions')
    if len(condlist) == 0:
        raise ValueError('select with an empty condition list is not possible')
    choices = [c if type(c) in _WEAK else operand(c) for c in choicelist]
    default = default if type(default) in _WEAK else operand(default)
    dtype = _result_dtype(choices + [default])
    conditions = [operand(c) for c in condlist]
    for i, c in enumerate(conditions):
        if c.dtype != bool:
            raise TypeError(f'invalid entry {i} in condlist: should be boolean ndarray')
    result = asarray(default, dtype=dtype)
    for condition, choice in zip(conditions[::-1], choices[::-1]):
        result = where(condition, asarray(choice, dtype=dtype), result)
    return result


# --- diagonals and triangles ---

def diag(v, k=0):
    """A 2-D array with v on its k-th diagonal, or the k-th diagonal of a 2-D array as a read-only view."""
    v = operand(v)
    if v.ndim == 2:
        return diagonal(v, k)
    if v.ndim != 1:
        raise ValueError('Input must be 1- or 2-d.')
    n = v.size + abs(k)
    result = zeros((n, n), v.dtype)
    start = k if k >= 0 else -k * n
    result.reshape(-1)[start:start + v.size * (n + 1):n + 1] = v
    return result


def diagflat(v, k=0):
    """A 2-D array with the flattened v on its k-th diagonal."""
    return diag(operand(v).ravel(), k)


def fill_diagonal(a, val, wrap=False):
    """Sets the main diagonal in place. wrap: go on below the first square of a tall matrix.

    Raises: ValueError: fewer than two axes, or more than two of unequal length.
    """
    if a.ndim < 2:
        raise ValueError('array must be at least 2-d')
    end = None
    if a.ndim == 2:
        step = a.shape[1] + 1
        if not wrap:
            end = a.shape[1] * a.shape[1]
    else:
        if len(set(a.shape)) > 1:
            raise ValueError('All dimensions of input must be of equal length')
        step = sum(a.shape[0] ** i for i in range(a.ndim))
    a.flat[:end:step] = val


def tri(N, M=None, k=0, dtype=float, *, like=None):
    """An array of shape (N, M) with ones on and below the k-th diagonal."""
    M = N if M is None else M
    return (_creation.arange(N).reshape(-1, 1) >= _creation.arange(-k, M - k)).astype(dtype, copy=False)


def tril(m, k=0):
    """A copy with zeros above the k-th diagonal of the last two axes."""
    m = operand(m)
    return where(tri(*m.shape[-2:], k=k, dtype=bool), m, zeros((), m.dtype))


def triu(m, k=0):
    """A copy with zeros below the k-th diagonal of the last two axes."""
    m = operand(m)
    return where(tri(*m.shape[-2:], k=k - 1, dtype=bool), zeros((), m.dtype), m)


# --- making indices ---

def indices(dimensions, dtype=int, sparse=False):
    """Coordinates of a grid: an array of shape (len(dimensions), *dimensions), or a tuple of broadcastable arrays if sparse."""
    dimensions = tuple(dimensions)
    n = len(dimensions)
    result = None if sparse else empty((n,) + dimensions, dtype)
    lines = [_creation.arange(d, dtype=dtype).reshape((1,) * i + (d,) + (1,) * (n - i - 1)) for i, d in enumerate(dimensions)]
    if sparse:
        return tuple(lines)
    for i, line in enumerate(lines):
        result[i] = line
    return result


def ix_(*args):
    """Index arrays for the open grid of 1-D sequences: a[ix_(rows, columns)]. Boolean sequences stand for their true places."""
    found = []
    for i, x in enumerate(args):
        if not isinstance(x, ndarray):
            x = asarray(x)
            if x.size == 0:
                x = x.astype(int)
        if x.ndim != 1:
            raise ValueError('Cross index must be 1 dimensional')
        if x.dtype == bool:
            x, = nonzero(x)
        found.append(x.reshape((1,) * i + (x.size,) + (1,) * (len(args) - i - 1)))
    return tuple(found)


def diag_indices(n, ndim=2):
    """Indices of the main diagonal of an array with ndim axes of length n."""
    return (_creation.arange(n),) * ndim


def diag_indices_from(arr):
    """Indices of the main diagonal of an array whose axes have one length."""
    if arr.ndim < 2:
        raise ValueError('input array must be at least 2-d')
    if len(set(arr.shape)) > 1:
        raise ValueError('All dimensions of input must be of equal length')
    return diag_indices(arr.shape[0], arr.ndim)


def tril_indices(n, k=0, m=None):
    """Indices of the lower triangle of an (n, m) array."""
    return nonzero(tri(n, m, k=k, dtype=bool))


def triu_indices(n, k=0, m=None):
    """Indices of the upper triangle of an (n, m) array."""
    return nonzero(~tri(n, m, k=k - 1, dtype=bool))


def _shape_2d(arr):
    if arr.ndim != 2:
        raise ValueError('input array must be 2-d')
    return arr.shape


def tril_indices_from(arr, k=0):
    """Indices of the lower triangle of a 2-D array."""
    n, m = _shape_2d(arr)
    return tril_indices(n, k, m)


def triu_indices_from(arr, k=0):
    """Indices of the upper triangle of a 2-D array."""
    n, m = _shape_2d(arr)
    return triu_indices(n, k, m)


def mask_indices(n, mask_func, k=0):
    """Indices where mask_func(ones((n, n)), k) is not zero."""
    return nonzero(mask_func(ones((n, n), int), k) != 0)


def _integers(x):
    empty_sequence = isinstance(x, (list, tuple)) and len(x) == 0
    x = operand(x)
    if empty_sequence:
        raise TypeError('indices must be integral: the provided empty sequence was inferred as float. Wrap it with '
                        "'np.array(indices, dtype=np.intp)'")
    if x.dtype.kind not in 'iub':
        raise TypeError('only int indices permitted')
    return x.astype('i8', copy=False)


def _scalars(x, was_scalar):
    return x._as_scalar() if was_scalar else x


def _order(order):
    if order not in ('C', 'F'):
        raise ValueError(f"order must be one of 'C', 'F' (got {order!r})")
    return order


def unravel_index(indices, shape, order='C'):
    """Coordinates of flat indices: a tuple with an int64 array per axis.

    Raises: ValueError: an index that is negative or not less than the number of elements.
    """
    shape = tuple(shape) if hasattr(shape, '__len__') else (shape,)
    size = 1
    for n in shape:
        size *= int(n)
    if size > _LARGEST:
        raise ValueError("dimensions are too large; arrays and shapes with a total size greater than 'intp' are not supported.")
    rest = _integers(indices)
    if rest.size:
        low, high = int(rest.min()), int(rest.max())
        if low < 0 or high >= size:
            raise ValueError(f'index {low if low < 0 else high} is out of bounds for array with size {size}')
    found = []
    for n in shape[::-1] if _order(order) == 'C' else shape:
        n = max(int(n), 1)
        found.append(_scalars(rest % n, rest.ndim == 0))
        rest = rest // n
    return tuple(found[::-1] if order == 'C' else found)


def ravel_multi_index(multi_index, dims, mode='raise', order='C'):
    """Flat indices of coordinates.

    Args: multi_index: a sequence with integers per axis. dims: the shape. mode: 'raise', 'wrap', 'clip', or a tuple of them per axis.
    Raises: ValueError: a coordinate out of bounds.
    """
    dims = tuple(dims) if hasattr(dims, '__len__') else (dims,)
    modes = mode if isinstance(mode, tuple) else (mode,) * len(dims)
    if len(multi_index) != len(dims) or len(modes) != len(dims):
        raise ValueError(f'parameter multi_index must be a sequence of length {len(dims)}')
    if math.prod(dims) > _LARGEST:
        raise ValueError('invalid dims: array size defined by dims is larger than the maximum possible size.')
    step, total = 1, 0
    axes = list(zip(multi_index, dims, modes))
    for x, n, how in axes[::-1] if _order(order) == 'C' else axes:
        x = _integers(x)
        if how == 'wrap':
            x = x % n
        elif how == 'clip':
            x = x.clip(0, n - 1)
        elif how != 'raise':
            raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {how!r})")
        elif x.size and (int(x.min()) < 0 or int(x.max()) >= n):
            raise ValueError('invalid entry in coordinates array')
        total = x * step + total
        step *= n
    return _scalars(total, total.ndim == 0)
