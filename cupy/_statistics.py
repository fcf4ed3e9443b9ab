"""Averages with weights, order statistics, covariances. Means and variances are reductions of the core."""
import math

import numpy

import cupy
from cupy._core import _host_call
from cupy._core._manipulation import normalize_axis_tuple, operand

__all__ = ['average', 'corrcoef', 'cov', 'digitize', 'median', 'nanmedian', 'nanpercentile', 'nanquantile', 'percentile', 'quantile']

_missing = numpy._NoValue


# --- averages ---

def _fitted_weights(a, weights, axis):
    """The weights in a shape that broadcasts against a."""
    weights = operand(weights)
    if a.shape == weights.shape:
        return weights
    if axis is None:
        raise TypeError('Axis must be specified when shapes of a and weights differ.')
    axes = normalize_axis_tuple(axis, a.ndim, argname='axis')
    if weights.shape != tuple(a.shape[k] for k in axes):
        raise ValueError('Shape of weights must be consistent with shape of a along specified axis.')
    weights = weights.transpose(sorted(range(len(axes)), key=axes.__getitem__))
    return weights.reshape(tuple(n if k in axes else 1 for k, n in enumerate(a.shape)))


def average(a, axis=None, weights=None, returned=False, *, keepdims=_missing):
    """The weighted average along axes.

    Args:
        axis: int or ints; all axes by default.
        weights: of a's shape, or of its shape along the axes; all 1 by default.
        returned: return (average, sum of the weights).
        keepdims: keep the axes with length 1.

    Raises:
        ZeroDivisionError: weights that sum to zero. TypeError, ValueError: weights of another shape.
    """
    a = operand(a)
    keep = {} if keepdims is _missing else {'keepdims': keepdims}
    if weights is None:
        result = a.mean(axis, **keep)
        total = cupy.full(result.shape, a.size / result.size, result.dtype)[()] if returned else None
    else:
        weights = _fitted_weights(a, weights, axis)
        dtype = cupy.result_type(a.dtype, weights.dtype, *(('f8',) if a.dtype.kind in 'biu' else ()))
        total = weights.sum(axis=axis, dtype=dtype, **keep)
        if bool((total == 0).any()):
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        result = cupy.multiply(a, weights, dtype=dtype).sum(axis, **keep) / total
    if not returned:
        return result
    return result, total if total.shape == result.shape else cupy.broadcast_to(total, result.shape).copy()


# --- order statistics ---

def _lanes(a, axis):
    """The array with the reduced axes as its last one, and its shape with those axes of length 1."""
    if axis is None:
        return a.ravel(), (1,) * a.ndim
    axes = normalize_axis_tuple(axis, a.ndim)
    kept = tuple(k for k in range(a.ndim) if k not in axes)
    lanes = a.transpose(kept + axes)
    if len(axes) != 1:
        lanes = lanes.reshape(tuple(a.shape[k] for k in kept) + (math.prod(a.shape[k] for k in axes),))
    return lanes, tuple(1 if k in axes else n for k, n in enumerate(a.shape))


def _returned(result, shape, out):
    """The result, in the shape with kept axes if there is one, or in out."""
    if shape is not None:
        result = result.reshape(shape)
    if out is None:
        return result
    cupy.copyto(out, result, casting='same_kind')
    return out


def _with_nans(result, largest):
    """NaN in the lanes whose largest element, as NumPy orders them, is NaN."""
    if largest.dtype.kind not in 'fc' or result.dtype.kind not in 'fc':
        return result if result.ndim else result[()]
    nans = cupy.isnan(largest)
    if result.ndim == 0:
        return cupy.where(nans, largest, result).astype(result.dtype, copy=False)[()]
    cupy.copyto(result, math.nan, where=nans)
    return result


def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The middle value along axes, the mean of the two middle ones for an even number. NaN where there is one.

    Args:
        axis: int or ints; all axes by default.
        out: array that receives the result.
        overwrite_input: ignored: the input is kept.
        keepdims: keep the axes with length 1.
    """
    lanes, shape = _lanes(operand(a), axis)
    n = lanes.shape[-1]
    if n:
        largest = cupy.max(lanes, axis=-1) if lanes.dtype.kind in 'fc' else lanes[..., -1]
        lanes = cupy.partition(lanes, sorted({(n - 1) // 2, n // 2}), axis=-1)
        result = _with_nans(cupy.mean(lanes[..., (n - 1) // 2:n // 2 + 1], axis=-1), largest)
    else:
        result = cupy.mean(lanes, axis=-1)
    return _returned(result, shape if keepdims else None, out)


def _continuous(alpha, beta):
    """A family of estimates: the position of a quantile among n sorted values."""
    return lambda n, q: _around(n * q + (alpha + q * (1 - alpha - beta)) - 1, n)


def _around(position, n):
    """Indices of the neighbours of a position, within the values, and the weight of the upper one."""
    lower = cupy.floor(position)
    return _index(lower, n), _index(lower + 1, n), position - lower


def _index(position, n):
    return cupy.clip(position, 0, cupy.maximum(n - 1, 0)).astype(int)


def _discrete(position, n, take_lower):
    """One value, without a weight: the lower neighbour where the condition holds, else the upper one."""
    lower = cupy.floor(position)
    index = _index(cupy.where(take_lower(position - lower, lower), lower, lower + 1), n)
    return index, index, None


def _averaged(n, q):
    lower, upper, gamma = _around(n * q - 1, n)
    return lower, upper, cupy.where(gamma == 0, 0.5, 1.0)


def _midpoint(n, q):
    lower, upper, gamma = _around((n - 1) * q, n)
    return lower, upper, cupy.where(gamma == 0, 0.0, 0.5)


# method: n values, quantiles -> (lower index, upper index, weight of the upper value)
_METHODS = {
    'inverted_cdf': lambda n, q: _discrete(n * q - 1, n, lambda gamma, lower: gamma == 0),
    'averaged_inverted_cdf': _averaged,
    'closest_observation': lambda n, q: _discrete(n * q - 1.5, n, lambda gamma, lower: (gamma == 0) & (lower % 2 == 1)),
    'interpolated_inverted_cdf': _continuous(0, 1),
    'hazen': _continuous(0.5, 0.5),
    'weibull': _continuous(0, 0),
    'linear': lambda n, q: _around((n - 1) * q, n),
    'median_unbiased': _continuous(1 / 3, 1 / 3),
    'normal_unbiased': _continuous(3 / 8, 3 / 8),
    'lower': lambda n, q: _discrete((n - 1) * q, n, lambda gamma, lower: gamma < 1),
    'higher': lambda n, q: _discrete((n - 1) * q, n, lambda gamma, lower: gamma == 0),
    'midpoint': _midpoint,
    'nearest': lambda n, q: _discrete((n - 1) * q, n, lambda gamma, lower: (gamma < 0.5) | ((gamma == 0.5) & (lower % 2 == 0))),
}


def _lerp(a, b, t):
    """Between a and b, computed from the nearer end."""
    step = b - a
    return cupy.where(t >= 0.5, b - step * (1 - t), a + step * t)


def _checked(a, q, method, text):
    """The quantiles as an array, after the checks that all quantile functions make."""
    if a.dtype.kind == 'c':
        raise TypeError('a must be an array of real numbers')
    if method not in _METHODS:
        raise ValueError(f'{method!r} is not a valid method. Use one of: {_METHODS.keys()}')
    if not bool(((q >= 0) & (q <= 1)).all()):
        raise ValueError(text)
    return q


def _quantiles(a, q, axis, out, method, keepdims):
    lanes, shape = _lanes(a, axis)
    n = lanes.shape[-1]
    if n == 0:
        raise IndexError('index -1 is out of bounds for axis 0 with size 0')
    lower, upper, gamma = _METHODS[method](n, q)
    largest = cupy.max(lanes, axis=-1) if lanes.dtype.kind == 'f' else None
    kth = sorted({k for x in (lower, upper) for k in x.ravel().tolist()})
    lanes = cupy.moveaxis(cupy.partition(lanes, kth, axis=-1) if kth else lanes, -1, 0)
    result = cupy.take(lanes, lower, axis=0)
    if gamma is not None:
        gamma = gamma.astype(q.dtype, copy=False).reshape(q.shape + (1,) * (lanes.ndim - 1))
        result = _lerp(result, cupy.take(lanes, upper, axis=0), gamma)
    return _returned(_with_nans(result, lanes[-1] if largest is None else largest), q.shape + shape if keepdims else None, out)


def _percent(a, q):
    """Percentiles as quantiles; a Python number takes the array's dtype."""
    if isinstance(q, (int, float)) and not isinstance(q, numpy.generic) and a.dtype.kind == 'f':
        return cupy.divide(cupy.asarray(q, a.dtype), cupy.asarray(100, a.dtype))
    return cupy.divide(operand(q), cupy.asarray(100, a.dtype) if a.dtype.kind == 'f' else 100)


def _fraction(a, q):
    if isinstance(q, (int, float)) and not isinstance(q, numpy.generic) and a.dtype.kind == 'f':
        return cupy.asarray(q, a.dtype)
    return operand(q)


def percentile(a, q, axis=None, out=None, overwrite_input=False, method='linear', keepdims=False, *, weights=None):
    """The q-th percentiles along axes: as `quantile` of q / 100."""
    if weights is not None:
        return _host_call.call(numpy.percentile, (a, q), dict(axis=axis, out=out, method=method, keepdims=keepdims, weights=weights))
    a = operand(a)
    q = _checked(a, _percent(a, q), method, 'Percentiles must be in the range [0, 100]')
    return _quantiles(a, q, axis, out, method, keepdims)


def quantile(a, q, axis=None, out=None, overwrite_input=False, method='linear', keepdims=False, *, weights=None):
    """The q-th quantiles along axes. NaN where there is one.

    Args:
        q: number or array of numbers in [0, 1]; its axes come first in the result.
        axis: int or ints; all axes by default.
        out: array that receives the result.
        overwrite_input: ignored: the input is kept.
        method: how to estimate between two values, one of NumPy's names.
        keepdims: keep the axes with length 1.
        weights: weights of the values; for method 'inverted_cdf'.

    Raises:
        ValueError: q out of range, an unknown method. TypeError: a complex array.
    """
    if weights is not None:
        return _host_call.call(numpy.quantile, (a, q), dict(axis=axis, out=out, method=method, keepdims=keepdims, weights=weights))
    a = operand(a)
    q = _checked(a, _fraction(a, q), method, 'Quantiles must be in the range [0, 1]')
    return _quantiles(a, q, axis, out, method, keepdims)


# --- order statistics that skip NaNs ---

def _valid_lanes(a, axis):
    """Sorted lanes, NaNs last, as the first axis, the number of other values in each, and the shape with kept axes."""
    lanes, shape = _lanes(a, axis)
    lanes = cupy.moveaxis(cupy.sort(lanes, axis=-1), -1, 0)
    return lanes, cupy.asarray((~cupy.isnan(lanes)).sum(axis=0)), shape


def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=_missing):
    """The middle value along axes without NaNs; NaN where there is nothing else. Arguments as of `median`."""
    a = operand(a)
    if a.dtype.kind not in 'fc' or a.size == 0:
        return median(a, axis, out, overwrite_input, False if keepdims is _missing else keepdims)
    lanes, n, shape = _valid_lanes(a, axis)
    lower, upper = (cupy.take_along_axis(lanes, _index(k, n)[None], axis=0)[0] for k in ((n - 1) // 2, n // 2))
    middle = cupy.mean(cupy.stack([lower, upper]), axis=0)
    result = cupy.where(n % 2 == 1, lower, middle)
    return _returned(result if result.ndim else result[()], shape if keepdims and keepdims is not _missing else None, out)


def _nan_quantiles(a, q, axis, out, method, keepdims):
    lanes, n, shape = _valid_lanes(a, axis)
    found = []
    for x in q.ravel():
        lower, upper, gamma = _METHODS[method](n, x)
        value = cupy.take_along_axis(lanes, lower[None], axis=0)[0]
        if gamma is not None:
            value = _lerp(value, cupy.take_along_axis(lanes, upper[None], axis=0)[0], gamma.astype(q.dtype, copy=False))
        found.append(value)
    result = cupy.stack(found) if found else cupy.empty((0,) + n.shape, a.dtype)
    result = result.reshape(q.shape + n.shape)
    return _returned(result if result.ndim else result[()], q.shape + shape if keepdims and keepdims is not _missing else None, out)


def nanpercentile(a, q, axis=None, out=None, overwrite_input=False, method='linear', keepdims=_missing, *, weights=None):
    """The q-th percentiles along axes without NaNs: as `nanquantile` of q / 100."""
    a = operand(a)
    if weights is not None or a.dtype.kind != 'f' or a.size == 0:
        return _host_call.call(numpy.nanpercentile, (a, q), dict(axis=axis, out=out, method=method, keepdims=keepdims, weights=weights))
    q = _checked(a, _percent(a, q), method, 'Percentiles must be in the range [0, 100]')
    return _nan_quantiles(a, q, axis, out, method, keepdims)


def nanquantile(a, q, axis=None, out=None, overwrite_input=False, method='linear', keepdims=_missing, *, weights=None):
    """The q-th quantiles along axes without NaNs; NaN where there is nothing else. Arguments as of `quantile`."""
    a = operand(a)
    if weights is not None or a.dtype.kind != 'f' or a.size == 0:
        return _host_call.call(numpy.nanquantile, (a, q), dict(axis=axis, out=out, method=method, keepdims=keepdims, weights=weights))
    q = _checked(a, _fraction(a, q), method, 'Quantiles must be in the range [0, 1]')
    return _nan_quantiles(a, q, axis, out, method, keepdims)


# --- covariances ---

def _cov_weights(weights, name, samples, integral):
    weights = operand(weights)
    if integral and weights.dtype.kind not in 'iu' and not bool((weights == cupy.rint(weights)).all()):
        raise TypeError(f'{name} must be integer')
    if weights.ndim > 1:
        raise RuntimeError(f'cannot handle multidimensional {name}')
    if weights.shape[0] != samples:
        raise RuntimeError(f'incompatible numbers of samples and {name}')
    if bool((weights < 0).any()):
        raise ValueError(f'{name} cannot be negative')
    return weights.astype(float, copy=False)


def _variables(m, y, rowvar, dtype):
    """A matrix with a row for each variable."""
    m = operand(m)
    if m.ndim > 2:
        raise ValueError('m has more than 2 dimensions')
    arrays = [m]
    if y is not None:
        arrays.append(operand(y))
        if arrays[1].ndim > 2:
            raise ValueError('y has more than 2 dimensions')
    if dtype is None:
        dtype = cupy.result_type(*arrays, numpy.float64)
    rows = []
    for i, x in enumerate(arrays):
        x = cupy.array(x, ndmin=2, dtype=dtype)
        rows.append(x.T if not rowvar and (i > 0 or m.ndim != 1) and x.shape[0] != 1 else x)
    return rows, dtype


def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    """The covariance matrix of variables.

    Args:
        m, y: observations; each row is a variable, or each column with rowvar=False.
        bias, ddof: divide by N - ddof; ddof is 0 with bias, else 1, if not given.
        fweights: how often each observation was made, ints.
        aweights: weights of the observations.
        dtype: dtype of the result, at least float64 if not given.

    Raises:
        ValueError: more than two axes, negative weights, a ddof that is no integer. RuntimeError: weights of another length.
    """
    if ddof is not None and ddof != int(ddof):
        raise ValueError('ddof must be integer')
    rows, dtype = _variables(m, y, rowvar, dtype)
    if rows[0].shape[0] == 0:
        return cupy.empty((0, 0), dtype)
    x = rows[0] if len(rows) == 1 else cupy.concatenate(rows)
    ddof = (0 if bias else 1) if ddof is None else ddof
    w = None
    if fweights is not None:
        w = _cov_weights(fweights, 'fweights', x.shape[1], True)
    if aweights is not None:
        a = _cov_weights(aweights, 'aweights', x.shape[1], False)
        w = a if w is None else w * a
    mean, total = average(x, axis=1, weights=w, returned=True)
    total = float(total[0].real)
    if w is None:
        factor = x.shape[1] - ddof
    elif aweights is None or ddof == 0:
        factor = total - ddof
    else:
        factor = total - ddof * float((w * a).sum()) / total
    x -= mean[:, None]
    scaled = x.T if w is None else (x * w).T
    c = cupy.dot(x, scaled.conj())
    c *= cupy.divide(1, max(factor, 0.0))
    return c.squeeze()


def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    """The matrix of correlation coefficients of variables. Arguments as of `cov`."""
    c = cov(x, y, rowvar, dtype=dtype)
    if c.ndim == 0:
        return c / c
    deviation = cupy.sqrt(cupy.diagonal(c).real)
    c /= deviation[:, None]
    c /= deviation[None, :]
    for part in (c.real, c.imag) if c.dtype.kind == 'c' else (c,):
        cupy.clip(part, -1, 1, out=part)
    return c


# --- bins ---

def digitize(x, bins, right=False):
    """The index of the bin that each element belongs to.

    Args:
        bins: 1-D, increasing or decreasing.
        right: whether the right edge belongs to a bin instead of the left one.

    Raises:
        ValueError: bins that are not monotonic. TypeError: complex elements.
    """
    x, bins = operand(x), operand(bins)
    if x.dtype.kind == 'c':
        raise TypeError('x may not be complex')
    if bins.ndim != 1:
        raise ValueError('object too deep for desired array')
    side = 'left' if right else 'right'
    if bool((bins[1:] >= bins[:-1]).all()):
        return cupy.searchsorted(bins, x, side=side)
    if bool((bins[1:] <= bins[:-1]).all()):
        return bins.size - cupy.searchsorted(bins[::-1], x, side=side)
    raise ValueError('bins must be monotonically increasing or decreasing')
