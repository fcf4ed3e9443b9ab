"""pad(): arrays made larger at their edges."""
import itertools

import cupy
from cupy._core._manipulation import operand

__all__ = ['pad']

# The keyword arguments of each mode.
_KEYWORDS = {
    'constant': ('constant_values',), 'linear_ramp': ('end_values',), 'edge': (), 'wrap': (), 'empty': (),
    'maximum': ('stat_length',), 'mean': ('stat_length',), 'median': ('stat_length',), 'minimum': ('stat_length',),
    'reflect': ('reflect_type',), 'symmetric': ('reflect_type',)}


def _nested(x):
    return x.tolist() if hasattr(x, 'tolist') else list(x) if isinstance(x, (list, tuple)) else x


def _row(x, shape):
    if len(x) not in (1, 2):
        raise ValueError(f'operands could not be broadcast together with remapped shapes [original->remapped]: {shape}  and requested '
                         'shape (1,2)')
    return (x[0], x[-1])


def _pairs(x, ndim):
    """(before, after) for each axis, from a scalar, a pair, or pairs."""
    x = _nested(x)
    if not isinstance(x, list):
        return [(x, x)] * ndim
    rows = [_nested(r) for r in x]
    if not any(isinstance(r, list) for r in rows):
        return [_row(rows, f'({len(rows)},)')] * ndim
    if len(rows) not in (1, ndim):
        raise ValueError('operands could not be broadcast together with remapped shapes [original->remapped]: '
                         f'({len(rows)},{len(rows[0])}) and requested shape ({ndim},2)')
    rows = [_row(r, f'({len(rows)},{len(r)})') for r in rows]
    return rows * ndim if len(rows) == 1 else rows


def _widths(pad_width, ndim):
    if isinstance(pad_width, dict):
        widths = [(0, 0)] * ndim
        for axis, width in pad_width.items():
            widths[axis] = _pairs(width, 1)[0]
    else:
        widths = _pairs(pad_width, ndim)
    for x in itertools.chain(*widths):
        if isinstance(x, bool) or not hasattr(x, '__index__'):
            raise TypeError('`pad_width` must be of integral type.')
        if x < 0:
            raise ValueError("index can't contain negative values")
    return [(before.__index__(), after.__index__()) for before, after in widths]


def _padded(array, widths):
    """The larger array with the original in place, and the slices of that place."""
    shape = tuple(before + n + after for n, (before, after) in zip(array.shape, widths))
    result = cupy.empty(shape, array.dtype, 'F' if array.flags.fnc else 'C')
    place = tuple(slice(before, before + n) for n, (before, _) in zip(array.shape, widths))
    result[place] = array
    return result, place


def _margins(result, place, axis, width):
    """Views of what lies before and after the original along an axis; full along the axes before it."""
    ahead = (slice(None),) * axis
    n = result.shape[axis]
    return (result[ahead + (slice(0, width[0]),) + place[axis + 1:]],
            result[ahead + (slice(n - width[1], n),) + place[axis + 1:]])


def _core(result, place, axis, start=None, stop=None):
    """A view of the original's extent along an axis, or of a part of it."""
    ahead = (slice(None),) * axis
    first = place[axis].start
    return result[ahead + (slice(first + (start or 0), place[axis].stop if stop is None else first + stop),) + place[axis + 1:]]


def _source_index(mode, n, before, after):
    """For each place along an axis the index of the element that belongs there."""
    i = cupy.arange(-before, n + after)
    if mode == 'edge' or n == 1:
        return cupy.clip(i, 0, n - 1)
    if mode == 'wrap':
        return i % n
    period, top = (2 * n, 2 * n - 1) if mode == 'symmetric' else (2 * n - 2, 2 * n - 2)
    i = i % period
    return cupy.where(i < n, i, top - i)


def _reflect_odd(array, widths, include_edge):
    """Continues as 2 * edge - mirrored, in steps of the original's length."""
    result, place = _padded(array, widths)
    for axis, (before, after) in enumerate(widths):
        n = array.shape[axis]
        view = cupy.moveaxis(result[(slice(None),) * (axis + 1) + place[axis + 1:]], axis, 0)
        shift = 0 if include_edge else 1
        if n == 1:
            view[:before], view[before + 1:] = view[before], view[before]
            continue
        low, high = before, before + n
        while low > 0:
            c = min(low, n - shift)
            view[low - c:low] = 2 * view[low] - cupy.flip(view[low + shift:low + shift + c], 0)
            low -= c
        while high < len(view):
            c = min(len(view) - high, n - shift)
            view[high:high + c] = 2 * view[high - 1] - cupy.flip(view[high - shift - c:high - shift], 0)
            high += c
    return result


def _pad_constant(array, widths, constant_values=0):
    result, place = _padded(array, widths)
    for axis, (width, values) in enumerate(zip(widths, _pairs(constant_values, array.ndim))):
        for margin, value in zip(_margins(result, place, axis, width), values):
            margin[...] = value
    return result


def _pad_ramp(array, widths, end_values=0):
    result, place = _padded(array, widths)
    for axis, (width, ends) in enumerate(zip(widths, _pairs(end_values, array.ndim))):
        n = array.shape[axis]
        before, after = _margins(result, place, axis, width)
        for margin, end, edge, count in ((before, ends[0], _core(result, place, axis, 0, 1), width[0]),
                                         (after, ends[1], _core(result, place, axis, n - 1, n), width[1])):
            ramp = cupy.linspace(end, edge.squeeze(axis), count, endpoint=False, dtype=array.dtype, axis=axis)
            margin[...] = ramp if margin is before else cupy.flip(ramp, axis)
    return result


def _pad_statistic(array, widths, mode, stat_length=None):
    function = {'maximum': cupy.max, 'minimum': cupy.min, 'mean': cupy.mean, 'median': cupy.median}[mode]
    result, place = _padded(array, widths)
    lengths = [(None, None)] * array.ndim if stat_length is None else _pairs(stat_length, array.ndim)
    for axis, (width, length) in enumerate(zip(widths, lengths)):
        n = array.shape[axis]
        count = [n if x is None else min(x, n) for x in length]
        if 0 in count and mode in ('maximum', 'minimum'):
            raise ValueError('stat_length of 0 yields no value for padding')
        parts = _core(result, place, axis, 0, count[0]), _core(result, place, axis, n - count[1], n)
        values = [function(part, axis=axis, keepdims=True) for part in parts]
        for margin, value in zip(_margins(result, place, axis, width), values):
            margin[...] = cupy.rint(value) if array.dtype.kind in 'iu' and mode in ('mean', 'median') else value
    return result


def _pad_function(array, widths, function, kwargs):
    result, place = _padded(array, widths)
    for axis, width in enumerate(widths):
        for margin in _margins(result, (slice(None),) * array.ndim, axis, width):
            margin[...] = 0
    for axis, width in enumerate(widths):
        lines = cupy.moveaxis(result, axis, -1)
        for index in itertools.product(*map(range, lines.shape[:-1])):
            function(lines[index], width, axis, kwargs)
    return result


def pad(array, pad_width, mode='constant', **kwargs):
    """A copy of an array with elements put around it.

    Args:
        pad_width: how many before and after: an int, a pair, pairs for each axis, or a dict from axes to pairs.
        mode: what the new elements are: 'constant', 'edge', 'linear_ramp', 'maximum', 'mean', 'median', 'minimum', 'reflect',
            'symmetric', 'wrap', 'empty', or a function(vector, (before, after), axis, kwargs) that changes each line in place.
        constant_values, end_values: value or (pairs of) values of 'constant' and of 'linear_ramp'.
        stat_length: how many elements at each edge the statistics take; all by default.
        reflect_type: 'even', or 'odd' for 2 * edge - mirrored.

    Raises:
        ValueError: negative widths, an unknown mode or argument, an empty axis. TypeError: widths that are no integers.
    """
    array = operand(array)
    widths = _widths(pad_width, array.ndim)
    if callable(mode):
        return _pad_function(array, widths, mode, kwargs)
    if mode not in _KEYWORDS:
        raise ValueError(f"mode '{mode}' is not supported")
    unknown = set(kwargs) - set(_KEYWORDS[mode])
    if unknown:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unknown}")
    if mode == 'constant':
        return _pad_constant(array, widths, **kwargs)
    if mode == 'empty':
        return _padded(array, widths)[0]
    for axis, width in enumerate(widths):
        if array.shape[axis] == 0 and any(width):
            raise ValueError(f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'")
    if array.size == 0:
        return _padded(array, widths)[0]
    if mode == 'linear_ramp':
        return _pad_ramp(array, widths, **kwargs)
    if 'stat_length' in _KEYWORDS[mode]:
        return _pad_statistic(array, widths, mode, **kwargs)
    kind = kwargs.get('reflect_type', 'even')
    if kind not in ('even', 'odd'):
        raise ValueError("reflect_type must be 'even' or 'odd'")
    if kind == 'odd':
        return _reflect_odd(array, widths, mode == 'symmetric')
    result = array
    for axis, (before, after) in enumerate(widths):
        if before or after:
            result = cupy.take(result, _source_index(mode, array.shape[axis], before, after), axis)
    return result.copy() if result is array else result
