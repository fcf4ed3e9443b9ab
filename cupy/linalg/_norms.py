"""Norms of vectors and matrices, powers and chains of products, from ops."""
import operator

import numpy

import cupy
from cupy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

LinAlgError = numpy.linalg.LinAlgError


def _inexact(x):
    x = cupy.asarray(x)
    return x if x.dtype.kind in 'fc' else x.astype(float)


def _squares(x):
    return (x.conj() * x).real if x.dtype.kind == 'c' else x * x


def norm(x, ord=None, axis=None, keepdims=False):
    """A norm of vectors or matrices.

    Args:
        x: an array; without `axis` it is taken whole: flattened if `ord` is None, else it must have one or two dimensions.
        ord: for vectors any number, inf or -inf; for matrices 'fro', 'nuc', inf, -inf, 1, -1, 2, -2; None: the 2-norm or 'fro'.
        axis: an int for vectors, two ints for matrices.
        keepdims: whether the axes stay, with length 1.

    Returns:
        An array of floats without those axes.

    Raises:
        ValueError: an order that does not exist, or axes that do not fit.
    """
    x = _inexact(x)
    ndim = x.ndim
    if axis is None:
        if ord is None or (ord in ('f', 'fro') and ndim == 2) or (ord == 2 and ndim == 1):
            x = x.ravel(order='K')
            if x.dtype.kind == 'c':
                total = cupy.dot(x.real, x.real) + cupy.dot(x.imag, x.imag)
            else:
                total = cupy.dot(x, x)
            r = cupy.sqrt(total)
            return r.reshape((1,) * ndim) if keepdims else r
        axis = tuple(range(ndim))
    elif not isinstance(axis, tuple):
        try:
            axis = (int(axis),)
        except Exception as e:
            raise TypeError("'axis' must be None, an integer or a tuple of integers") from e
    if len(axis) == 1:
        return _vector(x, ord, axis, keepdims)
    if len(axis) == 2:
        return _matrix(x, ord, axis, keepdims)
    raise ValueError('Improper number of dimensions to norm.')


def _vector(x, ord, axis, keepdims):
    if ord is None or (not isinstance(ord, str) and ord == 2):
        return cupy.sqrt(_squares(x).sum(axis, keepdims=keepdims))
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    if ord == numpy.inf:
        return abs(x).max(axis, keepdims=keepdims, initial=0)
    if ord == -numpy.inf:
        return abs(x).min(axis, keepdims=keepdims)
    if ord == 0:
        return (x != 0).astype(x.real.dtype).sum(axis, keepdims=keepdims)
    if ord == 1:
        return abs(x).sum(axis, keepdims=keepdims)
    total = (abs(x) ** ord).sum(axis, keepdims=keepdims)
    return total ** numpy.reciprocal(float(ord), dtype=total.dtype)


def _matrix(x, ord, axis, keepdims):
    row, column = (normalize_axis_index(a, x.ndim) for a in axis)
    if row == column:
        raise ValueError('Duplicate axes given.')
    if isinstance(ord, str) and ord == 'nuc' or ord in (2, -2):
        s = cupy.linalg.svd(cupy.moveaxis(x, (row, column), (-2, -1)), compute_uv=False)
        r = s.sum(-1) if ord == 'nuc' else s.max(-1, initial=0) if ord == 2 else s.min(-1)
    elif ord in (1, -1, numpy.inf, -numpy.inf) and not isinstance(ord, str):
        first, second = (row, column) if abs(ord) == 1 else (column, row)
        sums = abs(x).sum(first)
        second -= second > first
        r = sums.max(second, initial=0) if ord > 0 else sums.min(second)
    elif ord in (None, 'fro', 'f'):
        r = cupy.sqrt(_squares(x).sum((row, column)))
    else:
        raise ValueError('Invalid norm order for matrices.')
    return cupy.expand_dims(r, (row, column)) if keepdims else r


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """The norm of vectors along one axis or several; of all elements without `axis`.

    Args:
        x: an array.
        axis: None, an int or a tuple of ints.
        keepdims: whether the axes stay, with length 1.
        ord: as for vectors in `norm`.
    """
    x = cupy.asanyarray(x)
    ndim = x.ndim
    if axis is None:
        axes, flat = tuple(range(ndim)), x.ravel()
    elif isinstance(axis, tuple):
        axes = normalize_axis_tuple(axis, ndim)
        rest = tuple(i for i in range(ndim) if i not in axes)
        size = 1
        for i in axes:
            size *= x.shape[i]
        flat = x.transpose(axes + rest).reshape((size, *(x.shape[i] for i in rest)))
    else:
        return norm(x, ord, axis, keepdims)
    r = norm(flat, ord, 0)
    return cupy.expand_dims(r, axes) if keepdims else r


def matrix_norm(x, /, *, keepdims=False, ord='fro'):
    """The norm of matrices, the last two axes of x; `ord` as for matrices in `norm`."""
    return norm(cupy.asanyarray(x), ord, (-2, -1), keepdims)


def matrix_power(a, n):
    """Square matrices to an integer power.

    Args:
        a: (..., m, m).
        n: an int; of a negative one the inverse is raised.

    Raises:
        TypeError: n is no integer.
        LinAlgError: a is not square, or has no inverse and n is negative.
    """
    a = cupy.asanyarray(a)
    if a.ndim < 2:
        raise LinAlgError(f'{a.ndim}-dimensional array given. Array must be at least two-dimensional')
    if a.shape[-1] != a.shape[-2]:
        raise LinAlgError('Last 2 dimensions of the array must be square')
    try:
        n = operator.index(n)
    except TypeError as e:
        raise TypeError('exponent must be an integer') from e
    if n == 0:
        r = cupy.empty_like(a)
        r[...] = cupy.eye(a.shape[-2], dtype=a.dtype)
        return r
    if n < 0:
        a, n = cupy.linalg.inv(a), -n
    if n == 1:
        return a
    if n == 3:
        return a @ a @ a
    power = r = None
    while n > 0:
        power = a if power is None else power @ power
        n, odd = divmod(n, 2)
        if odd:
            r = power if r is None else r @ power
    return r


def multi_dot(arrays, *, out=None):
    """The product of two or more matrices, in the order that takes the fewest multiplications.

    Args:
        arrays: two-dimensional arrays; the first and the last may be vectors.
        out: an array for the result.

    Raises:
        ValueError: fewer than two arrays.
        LinAlgError: an array with a wrong number of dimensions.
    """
    arrays = [cupy.asanyarray(a) for a in arrays]
    if len(arrays) < 2:
        raise ValueError('Expecting at least two arrays.')
    if len(arrays) == 2:
        return cupy.dot(*arrays, out=out)
    first, last = arrays[0].ndim, arrays[-1].ndim
    if first == 1:
        arrays[0] = cupy.atleast_2d(arrays[0])
    if last == 1:
        arrays[-1] = cupy.atleast_2d(arrays[-1]).T
    for a in arrays:
        if a.ndim != 2:
            raise LinAlgError(f'{a.ndim}-dimensional array given. Array must be two-dimensional')
    if out is not None and first == last == 2:
        return _chain(arrays, _splits(arrays), 0, len(arrays) - 1, out)
    r = _chain(arrays, _splits(arrays), 0, len(arrays) - 1)
    if first == last == 1:
        r = r[0, 0]
    elif first == 1 or last == 1:
        r = r.ravel()
    if out is None:
        return r
    if out.shape != r.shape or out.dtype != r.dtype or not out.flags.c_contiguous:
        raise ValueError('output array is not acceptable (must have the right datatype, number of dimensions, and be a C-Array)')
    out[...] = r
    return out


def _splits(arrays):
    """Where to cut each part of the chain: {(i, j): k}, by dynamic programming."""
    sizes = [a.shape[0] for a in arrays] + [arrays[-1].shape[1]]
    n = len(arrays)
    if n == 3:  # on a tie, the first two come first
        a, b, c, d = sizes
        return {(0, 2): 1 if a * c * (b + d) <= b * d * (a + c) else 0, (0, 1): 0, (1, 2): 1}
    cost, cut = {(i, i): 0 for i in range(n)}, {}
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            cost[i, j], cut[i, j] = min((cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j))
    return cut


def _chain(arrays, cut, i, j, out=None):
    if i == j:
        return arrays[i]
    k = cut[i, j]
    return cupy.dot(_chain(arrays, cut, i, k), _chain(arrays, cut, k + 1, j), out=out)
