"""Elementwise functions and differences that are built from ufuncs."""
import math
import operator

import numpy

import cupy
from cupy._core._manipulation import normalize_axis_index, normalize_axis_tuple, operand
from cupy._core._ufunc import operations

__all__ = ['angle', 'around', 'clip', 'cross', 'diff', 'ediff1d', 'fix', 'gradient', 'imag', 'nan_to_num', 'real', 'real_if_close', 'round',
           'sinc', 'trace', 'trapezoid', 'unwrap']

_clip = operations['clip']
_missing = numpy._NoValue


def _scalar(a):
    """A 0-d array as the scalar that NumPy would return; others as they are."""
    return a._as_scalar() if a.ndim == 0 else a


# --- rounding and limits ---

def round(a, decimals=0, out=None):
    """The elements rounded to a number of decimals (negative: to tens, hundreds, ...), halves to the even neighbour."""
    a = operand(a)
    decimals = operator.index(decimals)
    if out is not None and not isinstance(out, cupy.ndarray):
        raise TypeError('return arrays must be of ArrayType')
    if out is not None and out.size != a.size:
        raise ValueError('invalid output shape')
    kind = a.dtype.kind
    if kind in 'iu' and decimals >= 0:
        if out is None:
            return _scalar(a.copy())
        cupy.copyto(out, a)
        return out
    if decimals == 0:
        return cupy.rint(a, out=out)
    if kind == 'c':
        return _round_complex(a, decimals, out)
    scale, unscale = (cupy.multiply, cupy.divide) if decimals > 0 else (cupy.divide, cupy.multiply)
    factor = 10.0 ** abs(decimals) if abs(decimals) < 309 else cupy.inf
    if kind == 'b' and out is None:
        out = cupy.empty_like(a)  # NumPy's result has a's dtype, which the scaled values do not go into: an error
    if out is not None and kind not in 'iu':
        scaled = scale(a, factor, out=out)
        cupy.rint(scaled, out=scaled)
        return unscale(scaled, factor, out=scaled)
    result = unscale(cupy.rint(scale(a, factor)), factor)
    if kind in 'iu':
        result = result.astype(a.dtype)
    if out is None:
        return result
    cupy.copyto(out, result)
    return out


def _round_complex(a, decimals, out):
    result = cupy.empty_like(a) if out is None else out
    result.real = round(a.real, decimals)
    result.imag = round(a.imag, decimals)
    return _scalar(result)


def around(a, decimals=0, out=None):
    """The same as `round`."""
    return round(a, decimals, out)


def fix(x, out=None):
    """The elements rounded towards zero."""
    return cupy.trunc(x if out is None else operand(x), out=out)


def _beyond(limit, dtype, end):
    """Whether a Python integer lies outside an integer dtype, so that it limits nothing."""
    if type(limit) is not int or dtype.kind not in 'iu':
        return False
    info = numpy.iinfo(dtype)
    return limit <= info.min if end == 'min' else limit >= info.max


def clip(a, a_min=_missing, a_max=_missing, out=None, *, min=_missing, max=_missing, **kwargs):
    """The elements limited to an interval.

    Args:
        a_min, a_max (or min, max): ends of the interval, scalars or arrays; None: no limit.
        out: array that receives the result.
        kwargs: further arguments of ufuncs.

    Raises:
        TypeError: only one of a_min and a_max. ValueError: both pairs are given.
    """
    if a_min is _missing and a_max is _missing:
        a_min, a_max = None if min is _missing else min, None if max is _missing else max
    elif a_min is _missing or a_max is _missing:
        raise TypeError(f"clip() missing 1 required positional argument: '{'a_min' if a_min is _missing else 'a_max'}'")
    elif min is not _missing or max is not _missing:
        raise ValueError('Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is forbidden.')
    if not isinstance(a, cupy.ndarray):
        a = operand(a)
    if type(a_min) is int and _beyond(a_min, a.dtype, 'min'):
        a_min = None
    if type(a_max) is int and _beyond(a_max, a.dtype, 'max'):
        a_max = None
    if out is not None:
        kwargs['out'] = out
    if a_min is None:
        return cupy.positive(a, **kwargs) if a_max is None else cupy.minimum(a, a_max, **kwargs)
    return cupy.maximum(a, a_min, **kwargs) if a_max is None else _clip(a, a_min, a_max, **kwargs)


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """NaNs and infinities replaced by numbers.

    Args:
        copy: False replaces in the array itself.
        nan, posinf, neginf: the replacements; infinities become the largest and smallest finite numbers by default.
    """
    x = cupy.array(x, copy=True if copy else None)
    if x.dtype.kind in 'fc':
        for part in (x.real, x.imag) if x.dtype.kind == 'c' else (x,):
            limits = numpy.finfo(part.dtype)
            nans, up, down = cupy.isnan(part), part == math.inf, part == -math.inf
            cupy.copyto(part, nan, where=nans)
            cupy.copyto(part, limits.max.item() if posinf is None else posinf, where=up)
            cupy.copyto(part, limits.min.item() if neginf is None else neginf, where=down)
    return x[()] if x.ndim == 0 else x


# --- complex numbers and angles ---

def real(val):
    """The real part; a view of an array."""
    return val.real if hasattr(val, 'real') else operand(val).real


def imag(val):
    """The imaginary part; a view of a complex array."""
    return val.imag if hasattr(val, 'imag') else operand(val).imag


def real_if_close(a, tol=100):
    """The real part if all imaginary parts are nearly zero, else the array. tol: in machine epsilons if above 1, else absolute."""
    a = operand(a)
    if a.dtype.kind != 'c':
        return a
    if tol > 1:
        tol = float(numpy.finfo(a.dtype).eps) * tol
    return a.real if bool((cupy.absolute(a.imag) < tol).all()) else a


def angle(z, deg=False):
    """The angle of complex numbers, in radians or degrees."""
    z = operand(z)
    result = cupy.arctan2(z.imag, z.real) if z.dtype.kind == 'c' else cupy.arctan2(0, z)
    return result * (180 / math.pi) if deg else result


def unwrap(p, discont=None, axis=-1, *, period=2 * math.pi):
    """Jumps larger than half a period taken out by adding multiples of the period.

    discont: the smallest jump to take out, half the period by default.
    """
    p = operand(p)
    step = cupy.diff(p, axis=axis)
    dtype = cupy.result_type(step, period)
    if dtype.kind in 'iu':
        high, odd = divmod(period, 2)
    else:
        high, odd = period / 2, False
    wrapped = cupy.mod(step + high, period) - high
    if not odd:  # a jump of exactly half a period keeps its sign
        cupy.copyto(wrapped, high, where=(wrapped == -high) & (step > 0))
    correction = wrapped - step
    cupy.copyto(correction, 0, where=cupy.absolute(step) < (period / 2 if discont is None else discont))
    result = cupy.array(p, dtype=dtype)
    later = [slice(None)] * p.ndim
    later[axis] = slice(1, None)
    later = tuple(later)
    result[later] = p[later] + correction.cumsum(axis)
    return result


def sinc(x):
    """sin(pi x) / (pi x), 1 at 0."""
    x = math.pi * operand(x)
    small = float(numpy.finfo(x.dtype).eps) if x.dtype.kind == 'f' else 1e-20
    y = cupy.where(x == 0, cupy.asarray(small, x.dtype), x)
    return cupy.sin(y) / y


# --- differences and sums ---

def diff(a, n=1, axis=-1, prepend=_missing, append=_missing):
    """The n-th difference along an axis.

    Args:
        prepend, append: values put before and after the array along the axis first; scalars are broadcast.

    Raises:
        ValueError: a negative n or a 0-d array.
    """
    if n == 0:
        return a
    if n < 0:
        raise ValueError(f'order must be non-negative but got {n!r}')
    a = operand(a)
    if a.ndim == 0:
        raise ValueError('diff requires input that is at least one dimensional')
    axis = normalize_axis_index(axis, a.ndim)
    parts = [a]
    for x, place in ((prepend, 0), (append, 2)):
        if x is not _missing:
            x = operand(x)
            parts.insert(place, x if x.ndim else cupy.broadcast_to(x, a.shape[:axis] + (1,) + a.shape[axis + 1:]))
    if len(parts) > 1:
        a = cupy.concatenate(parts, axis)
    step = cupy.not_equal if a.dtype.kind == 'b' else cupy.subtract
    before = (slice(None),) * axis
    for _ in range(min(n, a.shape[axis])):  # then it is empty
        a = step(a[before + (slice(1, None),)], a[before + (slice(None, -1),)])
    return a


def ediff1d(ary, to_end=None, to_begin=None):
    """The differences of neighbours in the flattened array, with values put before and after. TypeError if those do not fit the dtype."""
    ary = operand(ary).ravel()
    parts = [ary[1:] - ary[:-1]]
    for name, x in (('to_begin', to_begin), ('to_end', to_end)):
        if x is None:
            continue
        x = operand(x)
        if not cupy.can_cast(x.dtype, ary.dtype, 'same_kind'):
            raise TypeError(f'dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule.')
        x = x.ravel().astype(ary.dtype, copy=False)
        parts = [x] + parts if name == 'to_begin' else parts + [x]
    return cupy.concatenate(parts) if len(parts) > 1 else parts[0]


def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The integral along an axis by the trapezoidal rule.

    x: the points, of y's shape or 1-D; evenly spaced by dx if not given.
    """
    y = operand(y)
    if x is not None:
        x = operand(x)
        if x.ndim == 1:
            shape = [1] * y.ndim
            shape[axis] = x.size - 1
            dx = diff(x).reshape(shape)
        else:
            dx = diff(x, axis=axis)
    axis = normalize_axis_index(axis, y.ndim)
    before = (slice(None),) * axis
    return (dx * (y[before + (slice(1, None),)] + y[before + (slice(None, -1),)]) / 2.0).sum(axis)


def _spacing(f, axes, given):
    """For each axis the step, or the steps between the points where they differ."""
    if not given:
        return [1.0] * len(axes)
    if len(given) == 1 and cupy.ndim(given[0]) == 0:
        return list(given) * len(axes)
    if len(given) != len(axes):
        raise TypeError('invalid number of arguments')
    steps = []
    for x, axis in zip(given, axes):
        x = operand(x) if cupy.ndim(x) else x
        if cupy.ndim(x) == 0:
            steps.append(x)
            continue
        if x.ndim != 1:
            raise ValueError('distances must be either scalars or 1d')
        if len(x) != f.shape[axis]:
            raise ValueError('when 1d, distances must match the length of the corresponding dimension')
        if x.dtype.kind in 'iu':
            x = x.astype(float)
        x = diff(x)
        steps.append(x[0] if bool((x == x[0]).all()) else x)
    return steps


def _edge(f, h, last):
    """The one-sided second-order difference at an end; f: the three outermost slices, h: the two outermost steps."""
    if last:
        a, b, c = h[1] / (h[0] * (h[0] + h[1])), -(h[1] + h[0]) / (h[0] * h[1]), (2.0 * h[1] + h[0]) / (h[1] * (h[0] + h[1]))
    else:
        a, b, c = -(2.0 * h[0] + h[1]) / (h[0] * (h[0] + h[1])), (h[0] + h[1]) / (h[0] * h[1]), -h[0] / (h[1] * (h[0] + h[1]))
    return a * f[0] + b * f[1] + c * f[2]


def _edge_even(f, h, last):
    a, b, c = (0.5 / h, -2.0 / h, 1.5 / h) if last else (-1.5 / h, 2.0 / h, -0.5 / h)
    return a * f[0] + b * f[1] + c * f[2]


def _gradient_along(f, axis, h, edge_order):
    out = cupy.empty_like(f)
    f, result = cupy.moveaxis(f, axis, 0), cupy.moveaxis(out, axis, 0)
    even = cupy.ndim(h) == 0
    if even:
        result[1:-1] = (f[2:] - f[:-2]) / (2.0 * h)
    else:
        left, right = (x.reshape((-1,) + (1,) * (f.ndim - 1)) for x in (h[:-1], h[1:]))
        result[1:-1] = (-right / (left * (left + right)) * f[:-2] + (right - left) / (left * right) * f[1:-1] +
                        left / (right * (left + right)) * f[2:])
    if edge_order == 1:
        result[0] = (f[1] - f[0]) / (h if even else h[0])
        result[-1] = (f[-1] - f[-2]) / (h if even else h[-1])
    else:
        for place, part, steps, last in ((0, f[:3], slice(0, 2), False), (-1, f[-3:], slice(-2, None), True)):
            result[place] = _edge_even(part, h, last) if even else _edge(part, h[steps], last)
    return out


def gradient(f, *varargs, axis=None, edge_order=1):
    """The derivative along axes from differences of neighbours; of second order inside.

    Args:
        varargs: nothing (step 1), one step for all axes, or for each axis a step or the coordinates of its points.
        axis: int or ints; all axes by default.
        edge_order: order of the one-sided differences at the ends, 1 or 2.

    Returns:
        An array for one axis, else a tuple of arrays.

    Raises:
        ValueError: too few points, coordinates that do not fit. TypeError: a wrong number of steps.
    """
    f = operand(f)
    axes = tuple(range(f.ndim)) if axis is None else normalize_axis_tuple(axis, f.ndim)
    steps = _spacing(f, axes, varargs)
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    if f.dtype.kind in 'iu':
        f = f.astype(float)
    if any(f.shape[k] < edge_order + 1 for k in axes):
        raise ValueError('Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements are required.')
    found = tuple(_gradient_along(f, k, h, edge_order) for k, h in zip(axes, steps))
    return found[0] if len(found) == 1 else found


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """The sum along diagonals. See ndarray.trace."""
    return operand(a).trace(offset, axis1, axis2, dtype, out)


def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """The cross product of vectors of length 3 (or 2: the third component is 0, and of two such only the third is returned).

    Args:
        axisa, axisb, axisc: the axes of the vectors in a, b and the result; axis: one for all.

    Raises:
        ValueError: vectors of another length.
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = operand(a), operand(b)
    if a.ndim < 1 or b.ndim < 1:
        raise ValueError('At least one array has zero dimension')
    a, b = (cupy.moveaxis(x, normalize_axis_index(k, x.ndim, name), -1) for x, k, name in ((a, axisa, 'axisa'), (b, axisb, 'axisb')))
    if a.shape[-1] not in (2, 3) or b.shape[-1] not in (2, 3):
        raise ValueError('incompatible dimensions for cross product\n(dimension must be 2 or 3)')
    a = [a[..., i] for i in range(a.shape[-1])]
    b = [b[..., i] for i in range(b.shape[-1])]
    third = a[0] * b[1] - a[1] * b[0]
    if len(a) == len(b) == 2:
        return cupy.asarray(third)
    axisc = normalize_axis_index(axisc, third.ndim + 1, 'axisc')
    first = a[1] * b[2] - a[2] * b[1] if len(a) == len(b) else a[1] * b[2] if len(a) == 2 else cupy.negative(a[2] * b[1])
    second = a[2] * b[0] - a[0] * b[2] if len(a) == len(b) else cupy.negative(a[0] * b[2]) if len(a) == 2 else a[2] * b[0]
    return cupy.moveaxis(cupy.stack([first, second, third], axis=-1), -1, axisc)
