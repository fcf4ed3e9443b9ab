"""Comparisons with tolerance, comparisons of whole arrays, tests of type and value."""
import numpy

import cupy
from cupy._core._manipulation import operand

__all__ = ['allclose', 'array_equal', 'array_equiv', 'iscomplex', 'iscomplexobj', 'isclose', 'isfortran', 'isneginf', 'isposinf', 'isreal',
           'isrealobj', 'isscalar']


def _plain(x):
    """Python numbers as they are (weak in promotion), all else as arrays."""
    return x if isinstance(x, (int, float, complex)) and not isinstance(x, numpy.generic) else operand(x)


def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Where |a - b| <= atol + rtol * |b|; infinities must be equal.

    Args:
        a, b: arrays or scalars that broadcast.
        rtol, atol: relative and absolute tolerance, scalars or arrays.
        equal_nan: whether NaNs are close to each other.
    """
    x, y, atol, rtol = _plain(a), _plain(b), _plain(atol), _plain(rtol)
    if isinstance(y, int):
        y = float(y)
    elif isinstance(y, cupy.ndarray) and y.dtype.kind not in 'fc':
        y = y.astype(float)
    close = cupy.less_equal(abs(x - y), atol + rtol * abs(y))
    close = close & cupy.isfinite(y) | cupy.equal(x, y)
    if equal_nan:
        close = close | (cupy.isnan(x) & cupy.isnan(y))
    return close


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether all elements are close, as a bool. See `isclose`."""
    return bool(isclose(a, b, rtol, atol, equal_nan).all())


def _comparable(*values):
    """The values as arrays, or None if one cannot be an array. A numpy.ndarray is an error as anywhere."""
    arrays = []
    for x in values:
        try:
            arrays.append(operand(x))
        except (TypeError, ValueError):
            if isinstance(x, numpy.ndarray):
                raise
            return None
    return arrays


def array_equal(a1, a2, equal_nan=False):
    """Whether two arrays have the same shape and elements, as a bool. equal_nan: NaNs equal each other."""
    arrays = _comparable(a1, a2)
    if arrays is None or arrays[0].shape != arrays[1].shape:
        return False
    x, y = arrays
    same = x == y
    if equal_nan and x.dtype.kind in 'fc' and y.dtype.kind in 'fc':
        same = same | (cupy.isnan(x) & cupy.isnan(y))
    return bool(same.all())


def array_equiv(a1, a2):
    """Whether two arrays have the same elements after broadcasting, as a bool."""
    arrays = _comparable(a1, a2)
    if arrays is None:
        return False
    try:
        x, y = cupy.broadcast_arrays(*arrays)
    except ValueError:
        return False
    return bool((x == y).all())


def iscomplex(x):
    """Where the imaginary part is not zero."""
    x = operand(x)
    if x.dtype.kind == 'c':
        return x.imag != 0
    return cupy.zeros(x.shape, bool)[()]


def isreal(x):
    """Where the imaginary part is zero."""
    return cupy.imag(x) == 0


def _kind(x):
    return (x if hasattr(x, 'dtype') else operand(x)).dtype.kind


def iscomplexobj(x):
    """Whether an array or scalar has a complex dtype, as a bool."""
    return _kind(x) == 'c'


def isrealobj(x):
    """Whether an array or scalar has no complex dtype, as a bool."""
    return not iscomplexobj(x)


def isscalar(element):
    """Whether an object is a scalar: a Python or NumPy one, or a 0-d result that stands for one."""
    if isinstance(element, cupy.ndarray):
        return element._scalar
    return numpy.isscalar(element)


def isfortran(a):
    """Whether an array is Fortran- but not C-contiguous."""
    return a.flags.fnc


def _infinite(x, out, sign):
    x = operand(x)
    if x.dtype.kind == 'c':
        raise TypeError(f'This operation is not supported for {x.dtype} values because it would be ambiguous.')
    return cupy.logical_and(cupy.isinf(x), sign(cupy.signbit(x)), out)


def isposinf(x, out=None):
    """Where elements are positive infinity. TypeError for complex arrays."""
    return _infinite(x, out, cupy.logical_not)


def isneginf(x, out=None):
    """Where elements are negative infinity. TypeError for complex arrays."""
    return _infinite(x, out, lambda negative: negative)
