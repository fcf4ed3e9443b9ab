"""Arrays to test with."""
import math

import numpy

import cupy


def shaped_arange(shape, xp=cupy, dtype=numpy.float32, order='C'):
    """The numbers 1, 2, 3... in an array.

    Parameters:
        shape (int or tuple of int)
        xp (module): cupy or numpy.
        dtype: bool has True for even numbers, complex numbers have equal parts.
        order ('C', 'F'): memory order of the array.
    Returns:
        xp.ndarray of that shape and dtype
    """
    return _shaped(numpy.arange(1, _size(shape) + 1), shape, xp, dtype, order)


def shaped_reverse_arange(shape, xp=cupy, dtype=numpy.float32):
    """As shaped_arange, counting down to 1."""
    return _shaped(numpy.arange(_size(shape), 0, -1), shape, xp, dtype, 'C')


def _size(shape):
    return math.prod(shape) if isinstance(shape, (tuple, list)) else int(shape)


def _shaped(numbers, shape, xp, dtype, order):
    kind = numpy.dtype(dtype).kind
    if kind == 'b':
        numbers = numbers % 2 == 0
    elif kind == 'c':
        numbers = numbers + 1j * numbers
    return xp.array(numbers.astype(dtype).reshape(shape), order=order)


def shaped_linspace(start, stop, shape, xp=cupy, dtype=numpy.float32):
    """Numbers at equal distances along the last axis.

    Parameters:
        start, stop (numbers, or sequences of shape[:-1])
        shape (tuple of int): its last entry is the number of points.
        xp (module), dtype: of the result.
    Returns:
        xp.ndarray of that shape and dtype
    """
    count = shape[-1]
    first, last = (numpy.broadcast_to(v, shape[:-1]) for v in (start, stop))
    values = numpy.linspace(first, last, count, axis=-1)
    return xp.array(values.astype(dtype))


def shaped_random(shape, xp=cupy, dtype=numpy.float32, scale=10, seed=0, order='C'):
    """Uniform random numbers in [0, scale), the same for each call with one seed and for numpy and cupy.

    Parameters:
        shape (int or tuple of int)
        xp (module), dtype, order: of the result; bool takes both values, complex numbers have both parts random.
        scale (number), seed (int)
    Returns:
        xp.ndarray of that shape and dtype
    """
    draw = numpy.random.RandomState(seed)
    kind = numpy.dtype(dtype).kind
    size = (shape,) if isinstance(shape, int) else tuple(shape)
    if kind == 'b':
        values = draw.randint(0, 2, size=size).astype(bool)
    elif kind == 'c':
        values = ((draw.random_sample(size) + 1j * draw.random_sample(size)) * scale).astype(dtype)
    else:
        values = (draw.random_sample(size) * scale).astype(dtype)
    return xp.array(values, order=order)


def shaped_sparse_random(shape, sp=None, dtype=numpy.float32, density=0.01, format='coo', seed=0):
    """A random sparse matrix.

    Parameters:
        shape (pair of int)
        sp (module): cupyx.scipy.sparse (default) or scipy.sparse.
        dtype, density (float), format (str), seed (int)
    Returns:
        sparse matrix of sp, of that format and dtype
    """
    import scipy.sparse
    if sp is None:
        import cupyx.scipy.sparse as sp
    draw = numpy.random.RandomState(seed)
    a = scipy.sparse.random(shape[0], shape[1], density, random_state=draw, dtype=numpy.float64).tocoo()
    data = a.data * 10
    if numpy.dtype(dtype).kind == 'c':
        data = data + 1j * draw.random_sample(data.shape) * 10
    a = scipy.sparse.coo_matrix((data.astype(dtype), (a.row, a.col)), shape=shape)
    return a.asformat(format) if sp is scipy.sparse else sp.coo_matrix(a).asformat(format)


def generate_matrix(shape, xp=cupy, dtype=numpy.float32, *, singular_values=None):
    """Random matrices whose singular values are known.

    Parameters:
        shape (tuple of int): (..., m, n).
        xp (module): cupy or numpy.
        dtype: a floating-point dtype, real or complex.
        singular_values (array_like of float): broadcasts to (..., min(m, n)), not negative; default: uniform in [1, 2).
    Returns:
        xp.ndarray of that shape and dtype
    Raises:
        ValueError: for other dtypes and shapes.
    """
    dtype = numpy.dtype(dtype)
    if dtype.kind not in 'fc':
        raise ValueError(f'a floating-point dtype is needed, not {dtype}')
    if len(shape) < 2:
        raise ValueError(f'a shape of at least two axes is needed, not {shape}')
    draw = numpy.random.RandomState(0)
    m, n = shape[-2:]
    k = min(m, n)
    values = numpy.asarray(1 + draw.random_sample((k,)) if singular_values is None else singular_values)
    if values.dtype.kind not in 'fiu' or (values < 0).any():
        raise ValueError('singular values are real and not negative')
    values = numpy.broadcast_to(values, (*shape[:-2], k))

    def orthonormal(rows):
        a = draw.standard_normal((*shape[:-2], rows, k))
        if dtype.kind == 'c':
            a = a + 1j * draw.standard_normal(a.shape)
        return numpy.linalg.qr(a)[0]

    left, right = orthonormal(m), orthonormal(n)
    matrix = (left * values[..., None, :]) @ right.conj().swapaxes(-1, -2)
    return xp.array(matrix.astype(dtype))
