"""Reductions and scans that skip NaN: NaN is replaced by what does not change the result, then counted out."""
import numpy

import cupy

__all__ = ['nanargmax', 'nanargmin', 'nancumprod', 'nancumsum', 'nanmax', 'nanmean', 'nanmin', 'nanprod', 'nanstd', 'nansum', 'nanvar']

_missing = numpy._NoValue


def _given(**kwargs):
    return {k: v for k, v in kwargs.items() if v is not _missing}


def _without_nan(a, value):
    """(a with NaN replaced by value, where the NaN are or None for dtypes that have none)."""
    a = cupy.asanyarray(a)
    if a.dtype.kind not in 'fc':
        return a, None
    nan = cupy.isnan(a)
    return cupy.where(nan, a.dtype.type(value), a), nan


def nansum(a, axis=None, dtype=None, out=None, keepdims=_missing, initial=_missing, where=_missing):
    """The sum, NaN counting as 0. Parameters as of `sum`."""
    return cupy.sum(_without_nan(a, 0)[0], axis, dtype, out, **_given(keepdims=keepdims, initial=initial, where=where))


def nanprod(a, axis=None, dtype=None, out=None, keepdims=_missing, initial=_missing, where=_missing):
    """The product, NaN counting as 1. Parameters as of `prod`."""
    return cupy.prod(_without_nan(a, 1)[0], axis, dtype, out, **_given(keepdims=keepdims, initial=initial, where=where))


def nancumsum(a, axis=None, dtype=None, out=None):
    """The running sum, NaN counting as 0. Parameters as of `cumsum`."""
    return cupy.cumsum(_without_nan(a, 0)[0], axis, dtype, out)


def nancumprod(a, axis=None, dtype=None, out=None):
    """The running product, NaN counting as 1. Parameters as of `cumprod`."""
    return cupy.cumprod(_without_nan(a, 1)[0], axis, dtype, out)


def nanmin(a, axis=None, out=None, keepdims=_missing, initial=_missing, where=_missing):
    """The minimum without NaN; NaN where there is nothing else. Parameters as of `min`.

    Raises:
        ValueError: nothing to reduce and no initial value.
    """
    return cupy.fmin.reduce(cupy.asanyarray(a), axis, out=out, **_given(keepdims=keepdims, initial=initial, where=where))


def nanmax(a, axis=None, out=None, keepdims=_missing, initial=_missing, where=_missing):
    """The maximum without NaN; NaN where there is nothing else. Parameters as of `max`.

    Raises:
        ValueError: nothing to reduce and no initial value.
    """
    return cupy.fmax.reduce(cupy.asanyarray(a), axis, out=out, **_given(keepdims=keepdims, initial=initial, where=where))


def _position(function, a, value, axis, out, keepdims):
    a, nan = _without_nan(a, value)
    if nan is not None and nan.all(axis).any():
        raise ValueError('All-NaN slice encountered')
    return function(a, axis, out, **_given(keepdims=keepdims))


def nanargmin(a, axis=None, out=None, *, keepdims=_missing):
    """The index of the minimum without NaN. Parameters as of `argmin`.

    Raises:
        ValueError: only NaN in a slice.
    """
    return _position(cupy.argmin, a, numpy.inf, axis, out, keepdims)


def nanargmax(a, axis=None, out=None, *, keepdims=_missing):
    """The index of the maximum without NaN. Parameters as of `argmax`.

    Raises:
        ValueError: only NaN in a slice.
    """
    return _position(cupy.argmax, a, -numpy.inf, axis, out, keepdims)


def _check_inexact(dtype, out):
    if dtype is not None and not numpy.issubdtype(dtype, numpy.inexact):
        raise TypeError('If a is inexact, then dtype must be inexact')
    if out is not None and out.dtype.kind not in 'fc':
        raise TypeError('If a is inexact, then out must be inexact')


def _over(total, count, out):
    """total / count in total's dtype."""
    if out is not None:
        return cupy.divide(total, count, out=out, casting='unsafe')
    quotient = total / count
    return quotient if quotient.dtype == total.dtype else quotient.astype(total.dtype)


def nanmean(a, axis=None, dtype=None, out=None, keepdims=_missing, *, where=_missing):
    """The mean without NaN; NaN where there is nothing else. Parameters as of `mean`.

    Raises:
        TypeError: a dtype or out of integers for an array of floats.
    """
    a, nan = _without_nan(a, 0)
    options = _given(keepdims=keepdims, where=where)
    if nan is None:
        return cupy.mean(a, axis, dtype, out, **options)
    _check_inexact(dtype, out)
    count = cupy.sum(~nan, axis, numpy.intp, **options)
    return _over(cupy.sum(a, axis, dtype, out, **options), count, out)


def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=_missing, *, where=_missing, mean=_missing, correction=_missing):
    """The variance without NaN; NaN where ddof leaves nothing to divide by. Parameters as of `var`.

    Raises:
        TypeError: a dtype or out of integers for an array of floats.
        ValueError: both ddof and correction.
    """
    a, nan = _without_nan(a, 0)
    if correction is not _missing:
        if ddof != 0:
            raise ValueError("ddof and correction can't be provided simultaneously.")
        ddof = correction
    if nan is None:
        return cupy.var(a, axis, dtype, out, ddof, **_given(keepdims=keepdims, where=where, mean=mean))
    _check_inexact(dtype, out)
    part = _given(where=where)
    count = cupy.sum(~nan, axis, numpy.intp, keepdims=True, **part)
    if mean is _missing:
        mean = _over(cupy.sum(a, axis, dtype, keepdims=True, **part), count, None)
    distance = cupy.subtract(a, mean, dtype=dtype, casting='unsafe') if dtype is not None else cupy.subtract(a, mean, dtype=a.dtype)
    distance = cupy.where(nan, distance.dtype.type(0), distance)
    squares = cupy.multiply(distance, distance.conj()).real if a.dtype.kind == 'c' else distance * distance
    total = cupy.sum(squares, axis, dtype, out, **_given(keepdims=keepdims, where=where))
    freedom = (count if total.ndim == count.ndim else count.reshape(total.shape)) - ddof
    r = _over(total, freedom, out)
    few = freedom <= 0
    if out is not None:
        cupy.copyto(out, numpy.nan, where=few)
        return out
    return cupy.where(few, r.dtype.type(numpy.nan), r)._as_scalar() if r.ndim == 0 else cupy.where(few, r.dtype.type(numpy.nan), r)


def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=_missing, *, where=_missing, mean=_missing, correction=_missing):
    """The standard deviation without NaN: the root of `nanvar`, with the same parameters."""
    r = nanvar(a, axis, dtype, out, ddof, keepdims, where=where, mean=mean, correction=correction)
    return cupy.sqrt(r, out=out)
