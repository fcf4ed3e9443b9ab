"""Matrix products on the ascend backend."""
import os
import sys

import numpy
import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from native import cupy, dtypes, layouts, moved, no_rule_broken, on_device  # noqa: E402, F401

TOLERANCE = {'e': 2e-3, 'f': 2e-6, 'F': 2e-6}  # of the sum of magnitudes: one rounding to float16; float32 sums in another order


def numbers(rng, shape, dtype):
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if dtype == 'F' else x).astype(dtype)


def check(f, x, y, dx=None, dy=None):
    """The device's answer against NumPy's in double precision."""
    result = on_device(getattr(cupy, f), cupy.asarray(x) if dx is None else dx, cupy.asarray(y) if dy is None else dy)
    wide = 'D' if x.dtype.kind == 'c' else 'd'
    expected = getattr(numpy, f)(x.astype(wide), y.astype(wide))
    scale = getattr(numpy, f)(abs(x).astype('d'), abs(y).astype('d'))
    assert result.dtype == x.dtype and result.shape == expected.shape
    assert (abs(result.get() - expected) <= TOLERANCE[x.dtype.char] * scale + 1e-30).all()


@pytest.mark.parametrize('dtype', dtypes('matmul'))
def test_shapes(dtype, rng):
    for a, b in [((3, 4), (4, 5)), ((1, 4), (4, 1)), ((4,), (4, 5)), ((3, 4), (4,)), ((4,), (4,)), ((2, 3, 4), (4, 5)), ((3, 4), (2, 4, 5)),
                 ((2, 3, 4), (2, 4, 5)), ((7, 1, 3, 4), (2, 4, 5)), ((2, 1, 2, 3, 4), (1, 3, 1, 4, 5)), ((40, 50), (50, 45)),
                 ((2, 40, 50), (2, 50, 45)), ((1, 1), (1, 1)), ((3, 0), (0, 4)), ((2, 3, 0), (2, 0, 4)), ((0, 3), (3, 4)),
                 ((2, 1, 4), (2, 4, 5))]:
        if dtype == 'F' and len(a) == len(b) == 1:
            continue
        check('matmul', numbers(rng, a, dtype), numbers(rng, b, dtype))


@pytest.mark.parametrize('dtype', dtypes('matmul'))
def test_layouts(dtype, rng):
    x, y = numbers(rng, (6, 5, 4), dtype), numbers(rng, (6, 4, 5), dtype)
    for _, vx in layouts(x):
        for _, vy in layouts(y):
            check('matmul', x, y, moved(vx), moved(vy))
            check('matmul', x[0], y[1], moved(vx)[0], moved(vy)[1])
            check('matmul', x[0].T, y[1].T, moved(vx)[0].T, moved(vy)[1].T)
            check('matmul', x.transpose(0, 2, 1), y.transpose(0, 2, 1), moved(vx).transpose(0, 2, 1), moved(vy).transpose(0, 2, 1))
            check('matmul', x[3:, 1:, 1:], y[:3, 1:, 1:], moved(vx)[3:, 1:, 1:], moved(vy)[:3, 1:, 1:])


@pytest.mark.parametrize('dtype', dtypes('matmul'))
def test_out_of_any_layout(dtype, rng):
    x, y = numbers(rng, (3, 4), dtype), numbers(rng, (4, 5), dtype)
    expected = on_device(cupy.matmul, cupy.asarray(x), cupy.asarray(y)).get()
    for out in (cupy.empty((5, 3), dtype).T, cupy.empty((3, 10), dtype)[:, ::2], cupy.empty((3, 5), dtype)[::-1]):
        on_device(cupy.matmul, cupy.asarray(x), cupy.asarray(y), out=out)
        numpy.testing.assert_array_equal(out.get(), expected)


@pytest.mark.skipif(not hasattr(numpy, 'matvec'), reason='needs NumPy 2.2')
@pytest.mark.parametrize('f, a, b', [('vecdot', (3, 4), (3, 4)), ('vecdot', (2, 1, 4), (5, 4)), ('matvec', (3, 4), (4,)),
                                     ('matvec', (2, 3, 4), (2, 4)), ('vecmat', (4,), (4, 5)), ('vecmat', (2, 4), (2, 4, 5))])
def test_vectors(f, a, b, rng):
    for dtype in dtypes(f):
        check(f, numbers(rng, a, dtype), numbers(rng, b, dtype))


@pytest.mark.parametrize('dtype', ['i', 'l', 'd', 'D', '?'])
def test_dtypes_of_the_host(dtype, rng):
    x, y = rng.integers(0, 5, (3, 4)).astype(dtype), rng.integers(0, 5, (4, 5)).astype(dtype)
    numpy.testing.assert_array_equal(cupy.matmul(cupy.asarray(x), cupy.asarray(y)).get(), x @ y)


def test_products_of_large_batches_of_small_matrices(rng):
    if 'F' in dtypes('matmul'):
        check('matmul', numbers(rng, (26209, 1, 2), 'F'), numbers(rng, (26209, 2, 1), 'F'))
