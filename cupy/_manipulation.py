"""Functions that change the shape of arrays, join, split and edit them. The frequent ones are in cupy/_core/_manipulation.pyx."""
import math
import operator

import cupy
from cupy._core._joining import (
    atleast_1d, atleast_2d, atleast_3d, column_stack, concat, concatenate, dstack, hstack, stack, vstack)
from cupy._core._manipulation import (
    array_split, as_strided, broadcast_arrays, broadcast_shapes, broadcast_to, copyto, dsplit, expand_dims, flip, hsplit, moveaxis,
    normalize_axis_index, normalize_axis_tuple, operand, permute_dims, ravel, repeat, reshape, roll, rollaxis, split, squeeze, swapaxes,
    tile, transpose, vsplit)

__all__ = [
    'append', 'array_split', 'atleast_1d', 'atleast_2d', 'atleast_3d', 'block', 'broadcast', 'broadcast_arrays', 'broadcast_shapes',
    'broadcast_to', 'column_stack', 'concat', 'concatenate', 'copyto', 'delete', 'dsplit', 'dstack', 'expand_dims', 'flip', 'fliplr',
    'flipud', 'hsplit', 'hstack', 'insert', 'matrix_transpose', 'moveaxis', 'ndim', 'permute_dims', 'ravel', 'repeat', 'reshape', 'resize',
    'roll', 'rollaxis', 'rot90', 'shape', 'size', 'split', 'squeeze', 'stack', 'swapaxes', 'tile', 'transpose', 'trim_zeros', 'unstack',
    'vsplit', 'vstack',
]


# --- shapes ---

def shape(a):
    """The shape of an array or array-like, as a tuple of ints."""
    return a.shape if hasattr(a, 'shape') else operand(a).shape


def ndim(a):
    """The number of axes of an array or array-like."""
    return a.ndim if hasattr(a, 'ndim') else operand(a).ndim


def size(a, axis=None):
    """The number of elements, or of those along an axis or axes."""
    lengths = shape(a)
    if axis is None:
        return math.prod(lengths)
    return math.prod(lengths[k] for k in normalize_axis_tuple(axis, len(lengths)))


def matrix_transpose(x, /):
    """A view with the last two axes interchanged. ValueError for fewer than two."""
    x = operand(x)
    if x.ndim < 2:
        raise ValueError(f'Input array must be at least 2-dimensional, but it is {x.ndim}')
    return swapaxes(x, -1, -2)


def unstack(x, /, *, axis=0):
    """The views of an array at each place of an axis, as a tuple."""
    x = operand(x)
    if x.ndim == 0:
        raise ValueError('Input array must be at least 1-d.')
    return tuple(moveaxis(x, axis, 0))


def fliplr(m):
    """A view with the columns in reverse order."""
    m = operand(m)
    if m.ndim < 2:
        raise ValueError('Input must be >= 2-d.')
    return flip(m, 1)


def flipud(m):
    """A view with the rows in reverse order."""
    m = operand(m)
    if m.ndim < 1:
        raise ValueError('Input must be >= 1-d.')
    return flip(m, 0)


def rot90(m, k=1, axes=(0, 1)):
    """A view turned by k times 90 degrees in the plane of two axes, from the first towards the second."""
    axes = tuple(axes)
    if len(axes) != 2:
        raise ValueError('len(axes) must be 2.')
    m = operand(m)
    if axes[0] == axes[1] or abs(axes[0] - axes[1]) == m.ndim:
        raise ValueError('Axes must be different.')
    if not all(-m.ndim <= axis < m.ndim for axis in axes):
        raise ValueError(f'Axes={axes} out of range for array of ndim={m.ndim}.')
    k %= 4
    if k == 0:
        return m[:]
    if k == 2:
        return flip(m, axes)
    if k == 1:
        return swapaxes(flip(m, axes[1]), *axes)
    return flip(swapaxes(m, *axes), axes[1])


class broadcast:
    """Arrays seen in their common shape; iterates over tuples of their elements.

    Attributes: shape, nd and ndim, size, numiter (number of arrays), index (of the iteration), iters (flat iterators),
    values (the arrays broadcast).
    """
    __slots__ = ('values', 'shape', 'nd', 'ndim', 'size', 'numiter', 'index', '_flat')

    def __init__(self, *arrays):
        self.values = broadcast_arrays(*arrays)
        self.shape = self.values[0].shape if arrays else ()
        self.nd = self.ndim = len(self.shape)
        self.size = math.prod(self.shape)
        self.numiter = len(arrays)
        self.reset()

    def reset(self):
        """Starts the iteration again."""
        self.index = 0
        self._flat = [a.reshape(-1) for a in self.values]

    @property
    def iters(self):
        return tuple(a.flat for a in self.values)

    def __iter__(self):
        return self

    def __next__(self):
        if self.index >= self.size or not self.values:
            raise StopIteration
        item = tuple(a[self.index] for a in self._flat)
        self.index += 1
        return item


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    """A view whose new last axes run over windows that slide along axes.

    Args:
        window_shape: int or ints, the lengths of the windows.
        axis: int or ints, the axes to slide along; all by default. An axis may be named twice.

    Raises:
        ValueError: negative or too long windows, a number of lengths that does not match the axes.
    """
    x = operand(x)
    window = tuple(window_shape) if hasattr(window_shape, '__iter__') else (window_shape,)
    if any(n < 0 for n in window):
        raise ValueError('`window_shape` cannot contain negative values')
    if axis is None:
        axes = tuple(range(x.ndim))
        if len(window) != len(axes):
            raise ValueError(f'Since axis is None, must provide window_shape for all dimensions of `x`; got {len(window)} window_shape '
                             f'elements and `x.ndim` is {x.ndim}.')
    else:
        axes = normalize_axis_tuple(axis, x.ndim, allow_duplicate=True)
        if len(window) != len(axes):
            raise ValueError(f'Must provide matching length window_shape and axis; got {len(window)} window_shape elements and '
                             f'{len(axes)} axes elements.')
    lengths = list(x.shape)
    for k, n in zip(axes, window):
        if lengths[k] < n:
            raise ValueError('window shape cannot be larger than input array shape')
        lengths[k] -= n - 1
    strides = x.strides + tuple(x.strides[k] for k in axes)
    return as_strided(x, tuple(lengths) + window, strides, writeable=writeable)


# --- joining ---

def _block_depth(arrays, place=()):
    """The depth of nested lists; ValueError where branches differ."""
    if isinstance(arrays, tuple):
        name = 'arrays' + ''.join(f'[{i}]' for i in place)
        raise TypeError(f'{name} is a tuple. Only lists can be used to arrange blocks, and np.block does not allow implicit conversion '
                        'from tuple to ndarray.')
    if not isinstance(arrays, list):
        return len(place), place
    if not arrays:
        name = 'arrays' + ''.join(f'[{i}]' for i in place)
        raise ValueError(f'List at {name} cannot be empty')
    found = [_block_depth(x, place + (i,)) for i, x in enumerate(arrays)]
    for depth, where in found[1:]:
        if depth != found[0][0]:
            name = 'arrays' + ''.join(f'[{i}]' for i in where)
            raise ValueError(f'List depths are mismatched. First element was at depth {found[0][0]}, but there is an element at depth '
                             f'{depth} ({name})')
    return found[0]


def _leaves(arrays):
    return [leaf for x in arrays for leaf in _leaves(x)] if isinstance(arrays, list) else [operand(arrays)]


def block(arrays):
    """Joins nested lists of blocks: the innermost lists along the last axis, the lists around them along the axis before, and so on."""
    depth = _block_depth(arrays)[0]
    axes = max(depth, max(x.ndim for x in _leaves(arrays)))

    def join(x, level):
        if level < depth:
            return concatenate([join(item, level + 1) for item in x], axis=level - depth)
        return cupy.array(x, copy=None, ndmin=axes)

    return join(arrays, 0) if depth else operand(arrays).copy()


def append(arr, values, axis=None):
    """A copy of an array with values at its end; axis None joins the flattened arrays."""
    arr, values = operand(arr), operand(values)
    if axis is None:
        arr, values, axis = arr.ravel(), values.ravel(), 0
    return concatenate((arr, values), axis=axis)


def resize(a, new_shape):
    """A new array filled with repeated copies of the elements in C order. ValueError for negative lengths."""
    a = operand(a).ravel()
    new_shape = (new_shape,) if hasattr(new_shape, '__index__') else tuple(new_shape)
    if any(n < 0 for n in new_shape):
        raise ValueError('all elements of `new_shape` must be non-negative')
    n = math.prod(new_shape)
    if a.size == 0:
        return cupy.zeros(new_shape, a.dtype)
    return tile(a, -(-n // a.size))[:n].reshape(new_shape)


# --- editing ---

def _axis_to_edit(arr, axis):
    """The array, flattened if axis is None, and the axis."""
    arr = operand(arr)
    if axis is None:
        return arr.ravel(), 0
    return arr, normalize_axis_index(axis, arr.ndim)


def _along(axis, item):
    return (slice(None),) * axis + (item,)


def _bounded(index, axis, n, limit):
    """An index as an int in [0, limit)."""
    index = operator.index(index)
    if not -n <= index < limit:
        raise IndexError(f'index {index} is out of bounds for axis {axis} with size {n}')
    return index + n if index < 0 else index


def delete(arr, obj, axis=None):
    """A copy without some elements along an axis.

    Args:
        obj: int, slice, ints or booleans: what is left out.
        axis: int; None works on the flattened array.

    Raises:
        IndexError: an index out of bounds or no integer. ValueError: booleans whose number does not match.
    """
    arr, axis = _axis_to_edit(arr, axis)
    n = arr.shape[axis]
    if not isinstance(obj, (slice, int)) or isinstance(obj, bool):
        chosen = operand(obj)
        if chosen.size == 0 and not isinstance(obj, cupy.ndarray):
            chosen = chosen.astype(int)
        if chosen.dtype.kind not in 'biu':
            raise IndexError('arrays used as indices must be of integer (or boolean) type')
        if chosen.dtype.kind == 'b':
            if chosen.shape != (n,):
                raise ValueError(f'boolean array argument obj to delete must be one dimensional and match the axis length of {n}')
            return cupy.compress(~chosen, arr, axis)
        obj = int(chosen.item()) if chosen.size == 1 else chosen
    if isinstance(obj, int):
        k = _bounded(obj, axis, n, n)
        obj = slice(k, k + 1)
    if isinstance(obj, slice):
        start, stop, step = obj.indices(n)
        if step == 1:
            return concatenate((arr[_along(axis, slice(0, start))], arr[_along(axis, slice(max(start, stop), None))]), axis)
    keep = cupy.ones(n, bool)
    keep[obj] = False
    return cupy.compress(keep, arr, axis)


def insert(arr, obj, values, axis=None):
    """A copy with values put in along an axis.

    Args:
        obj: int, slice, ints or booleans: the places, in the given array, before which the values go.
        values: scalar or array, cast to the array's dtype and broadcast.
        axis: int; None works on the flattened array.

    Raises:
        IndexError: a place out of bounds. ValueError: values that do not fit.
    """
    arr, axis = _axis_to_edit(arr, axis)
    n = arr.shape[axis]
    if isinstance(obj, slice):
        places = cupy.arange(*obj.indices(n))
    else:
        places = operand(obj)
        if places.dtype.kind == 'b':
            if places.ndim != 1:
                raise ValueError('boolean array argument obj to insert must be one dimensional')
            places = cupy.flatnonzero(places)
        elif places.size == 0 and not isinstance(obj, cupy.ndarray):
            places = places.astype(int)
        elif places.dtype.kind not in 'iu':
            raise TypeError('slice indices must be integers or None or have an __index__ method' if places.size == 1 else
                            'arrays used as indices must be of integer (or boolean) type')
        if places.ndim > 1:
            raise ValueError('index array argument obj to insert must be one dimensional or scalar')
    if places.size == 1:
        return _insert_one(arr, places, values, axis, n)
    if places.size and (bool((places < -n).any()) or bool((places > n).any())):
        bad = places[(places < -n) | (places > n)][0]
        raise IndexError(f'index {bad} is out of bounds for axis {axis} with size {n}')
    places = cupy.where(places < 0, places + n, places).astype(int)
    order = places.argsort(stable=True)
    places[order] += cupy.arange(len(places))
    total = n + len(places)
    result = cupy.empty(arr.shape[:axis] + (total,) + arr.shape[axis + 1:], arr.dtype, 'F' if arr.flags.fnc else 'C')
    old = cupy.ones(total, bool)
    old[places] = False
    result[_along(axis, places)] = cupy.array(values, dtype=arr.dtype, copy=None, ndmin=arr.ndim)
    result[_along(axis, old)] = arr
    return result


def _insert_one(arr, places, values, axis, n):
    k = _bounded(places.item(), axis, n, n + 1)
    values = cupy.array(values, dtype=arr.dtype, copy=None, ndmin=arr.ndim)
    if places.ndim == 0:  # a scalar place takes the values as one slice, [place] as a list of slices
        values = moveaxis(values, 0, axis)
    new = values.shape[axis]
    result = cupy.empty(arr.shape[:axis] + (n + new,) + arr.shape[axis + 1:], arr.dtype, 'F' if arr.flags.fnc else 'C')
    result[_along(axis, slice(0, k))] = arr[_along(axis, slice(0, k))]
    result[_along(axis, slice(k, k + new))] = values
    result[_along(axis, slice(k + new, None))] = arr[_along(axis, slice(k, None))]
    return result


def trim_zeros(filt, trim='fb', axis=None):
    """The array or sequence without the zeros at its ends.

    Args:
        trim: 'f' from the front, 'b' from the back, 'fb' both.
        axis: int or ints; all axes by default. A slice is cut off only if it is zero throughout.
    """
    sides = trim.lower()
    if sides not in ('f', 'b', 'fb', 'bf'):
        raise ValueError(f'unexpected character(s) in `trim`: {trim!r}')
    a = operand(filt)
    axes = range(a.ndim) if axis is None else normalize_axis_tuple(axis, a.ndim, argname='axis')
    places = cupy.argwhere(a)
    if len(places):
        start, stop = places.min(axis=0).tolist(), (places.max(axis=0) + 1).tolist()
    else:
        start, stop = list(a.shape) if sides == 'f' else [0] * a.ndim, [0] * a.ndim
    parts = tuple(slice(start[k] if 'f' in sides else None, stop[k] if 'b' in sides else None) if k in axes else slice(None)
                  for k in range(a.ndim))
    return filt[parts[0]] if len(parts) == 1 else a[parts]
