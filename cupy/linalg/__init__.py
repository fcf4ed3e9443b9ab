"""Linear algebra: NumPy's functions, with arrays of ours."""
import cupy as _cupy
from cupy._host_call import fill as _fill
from cupy.linalg._norms import LinAlgError, matrix_norm, matrix_power, multi_dot, norm, vector_norm  # noqa: F401

matrix_transpose = _cupy.matrix_transpose


def matmul(x1, x2, /):
    """The matrix product, as cupy.matmul."""
    return _cupy.matmul(x1, x2)


def vecdot(x1, x2, /, *, axis=-1):
    """Scalar products of vectors along an axis, the first conjugated, as cupy.vecdot."""
    return _cupy.vecdot(x1, x2, axis=axis)


def tensordot(x1, x2, /, *, axes=2):
    """The sum of products over pairs of axes, as cupy.tensordot."""
    return _cupy.tensordot(x1, x2, axes=axes)


def outer(x1, x2, /):
    """The outer product of two vectors.

    Args:
        x1, x2: one-dimensional arrays of n and m elements.

    Returns:
        An (n, m) array.

    Raises:
        ValueError: an argument is not one-dimensional.
    """
    x1, x2 = _cupy.asanyarray(x1), _cupy.asanyarray(x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f'Input arrays must be one-dimensional, but they are {x1.ndim=} and {x2.ndim=}.')
    return x1[:, None] * x2


def diagonal(x, /, *, offset=0):
    """Diagonals of matrices, the last two axes of x; a view."""
    return _cupy.diagonal(x, offset, axis1=-2, axis2=-1)


def trace(x, /, *, offset=0, dtype=None):
    """Sums of the diagonals of matrices, the last two axes of x."""
    return _cupy.trace(x, offset, axis1=-2, axis2=-1, dtype=dtype)


def cross(x1, x2, /, *, axis=-1):
    """The cross product of vectors of three elements along an axis.

    Raises:
        ValueError: the axis has another length.
    """
    x1, x2 = _cupy.asanyarray(x1), _cupy.asanyarray(x2)
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError('Both input arrays must be (arrays of) 3-dimensional vectors, but they are '
                         f'{x1.shape[axis]} and {x2.shape[axis]} dimensional instead.')
    return _cupy.cross(x1, x2, axis=axis)


_fill(globals(), 'linalg')
if 'svdvals' not in globals():
    from cupy._numpy1 import svdvals  # noqa: F401
__all__ = [n for n in dir() if not n.startswith('_')]
