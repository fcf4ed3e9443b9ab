"""Products against NumPy: dtypes x layouts x shapes; exact for integers, a few ulp of the sum for floats."""
import warnings

import numpy
import pytest

import cupy
from oracle import check
from test_reduction import DTYPES, layouts

PAIRS = [((3,), (3,)), ((2, 3), (3, 4)), ((2, 3), (3,)), ((3,), (3, 4)), ((5, 2, 3, 4), (2, 4, 6)), ((4, 1, 2, 3), (5, 3, 2)),
         ((1, 1), (1, 1)),
         ((2, 0), (0, 3)), ((0, 3), (3, 2)), ((30, 40), (40, 50)), ((7, 30, 30), (7, 30, 30)), ((3,), (5, 3, 2)), ((70, 3, 3), (3,)),
         ((130, 67), (67, 129)), ((200, 8, 8), (200, 8, 8))]


def small(rng, shape, dtype):
    dt = numpy.dtype(dtype)
    if dt.kind in 'iu':
        info = numpy.iinfo(dt)
        return rng.integers(info.min, info.max, shape, dt, endpoint=True)
    if dt.kind == 'b':
        return rng.random(shape) < 0.3
    a = rng.standard_normal(shape)
    return (a + 1j * rng.standard_normal(shape) if dt.kind == 'c' else a).astype(dtype)


def close(got, want, note, terms):
    """Integers equal; floats within the rounding of a sum of that many terms of order one, summed in another order."""
    got, want = got.get(), numpy.asarray(want)
    assert got.dtype == want.dtype and got.shape == want.shape, (note, got.dtype, want.dtype, got.shape, want.shape)
    if got.dtype.kind in 'fc':
        eps = numpy.finfo(got.dtype).eps
        assert numpy.allclose(got, want, rtol=4 * eps, atol=4 * eps * (terms + 1), equal_nan=True), (note, abs(got - want).max())
    else:
        assert numpy.array_equal(got, want), note


@pytest.mark.parametrize('dtype', DTYPES)
def test_matmul(dtype):
    rng = numpy.random.default_rng(1)
    for sa, sb in PAIRS:
        a, b = small(rng, sa, dtype), small(rng, sb, dtype)
        close(cupy.asarray(a) @ cupy.asarray(b), a @ b, (dtype, sa, sb), sa[-1])
        out = cupy.empty((a @ b).shape, dtype)
        assert cupy.matmul(cupy.asarray(a), cupy.asarray(b), out=out) is out
        close(out, a @ b, (dtype, sa, sb, 'out'), sa[-1])


@pytest.mark.parametrize('dtype', ['?', 'b', 'i', 'l', 'e', 'f', 'd', 'D'])
def test_layouts(dtype):
    rng = numpy.random.default_rng(2)
    for name, a, x in layouts(rng, (30, 30), dtype):
        if a.dtype.kind in 'fc':
            a = a / 100
            x = x / cupy.asarray(100, dtype)
        for other, b, y in layouts(rng, (30, 30), dtype):
            if b.dtype.kind in 'fc':
                b, y = b / 100, y / cupy.asarray(100, dtype)
            a_, b_ = a.astype(dtype), b.astype(dtype)
            got, want = (x @ y).get(), a_ @ b_
            scale = numpy.abs(a_).astype('d') @ numpy.abs(b_).astype('d') if a.dtype.kind in 'fc' else 0
            eps = numpy.finfo(got.dtype).eps if got.dtype.kind in 'fc' else 0
            assert got.dtype == want.dtype
            if eps:
                assert (abs(got - want) <= 8 * eps * scale).all(), (dtype, name, other)
            else:
                assert (got == want).all(), (dtype, name, other)


def test_mixed_and_options():
    rng = numpy.random.default_rng(3)
    a, b = rng.random((4, 5)), rng.integers(0, 9, (5, 6))
    x, y = cupy.asarray(a), cupy.asarray(b)
    close(x @ y, a @ b, 'mixed', 5)
    close(cupy.matmul(x, y, dtype='f4'), numpy.matmul(a, b, dtype='f4'), 'dtype', 5)
    close(cupy.matmul(x.T, y, axes=[(1, 0), (0, 1), (0, 1)]), numpy.matmul(a.T, b, axes=[(1, 0), (0, 1), (0, 1)]), 'axes', 5)
    close(cupy.matmul(x, y, axes=[(0, 1), (0, 1), (1, 0)]), numpy.matmul(a, b, axes=[(0, 1), (0, 1), (1, 0)]), 'axes of the result', 5)
    c = rng.random((5, 3))
    close(cupy.vecdot(x.T, cupy.asarray(c[:, :1]), axis=0) if hasattr(numpy, 'vecdot') else x @ y,
          numpy.vecdot(a.T, c[:, :1], axis=0) if hasattr(numpy, 'vecdot') else a @ b, 'axis', 5)
    s = cupy.asarray(a[:, :4])
    s @= cupy.asarray(a[:4, :4])
    close(s, a[:, :4] @ a[:4, :4], 'in place', 4)
    out = cupy.empty((4, 6), 'f8')
    cupy.matmul(x, y, out=(out,))
    close(out, a @ b, 'tuple', 5)
    wide = cupy.zeros((8, 6))
    cupy.matmul(x, y, out=wide[::2])
    close(wide[::2], a @ b, 'strided out', 5)
    assert (x[0] @ x[0]).shape == ()
    assert x.__matmul__(object()) is NotImplemented
    close([[1, 2], [3, 4]] @ cupy.arange(4).reshape(2, 2), [[1, 2], [3, 4]] @ numpy.arange(4).reshape(2, 2), 'list', 2)


@pytest.mark.parametrize('dtype', DTYPES)
@pytest.mark.skipif(not hasattr(numpy, 'vecmat'), reason='this NumPy has no vecdot, matvec, vecmat to compare with')
def test_vector_products(dtype):
    rng = numpy.random.default_rng(4)
    for name, pairs in (('vecdot', [((5,), (5,)), ((3, 5), (5,)), ((3, 1, 5), (4, 5)), ((30000, 3), (30000, 3))]),
                        ('matvec', [((4, 5), (5,)), ((3, 4, 5), (5,)), ((2, 1, 4, 5), (3, 5))]),
                        ('vecmat', [((5,), (5, 4)), ((3, 5), (5, 4)), ((2, 1, 5), (3, 5, 4))])):
        for sa, sb in pairs:
            a, b = small(rng, sa, dtype), small(rng, sb, dtype)
            close(getattr(cupy, name)(cupy.asarray(a), cupy.asarray(b)), getattr(numpy, name)(a, b), (name, dtype, sa, sb), 5)


@pytest.mark.parametrize('dtype', ['?', 'i', 'f', 'd', 'F', 'D'])
def test_products(dtype):
    rng = numpy.random.default_rng(5)

    def both(name, *shapes, **kw):
        arrays = [small(rng, s, dtype) for s in shapes]
        args = kw.pop('args', ())
        got, want = getattr(cupy, name)(*map(cupy.asarray, arrays), *args, **kw), getattr(numpy, name)(*arrays, *args, **kw)
        close(got, want, (name, shapes, args), 60)

    for shapes in (((), ()), ((), (3, 2)), ((4,), (4,)), ((2, 3), (3,)), ((2, 3, 4), (4,)), ((2, 3, 4), (5, 4, 6)),
                   ((4,), (5, 4, 6)), ((0,), (0,))):
        both('dot', *shapes)
    for shapes in (((4,), (4,)), ((2, 3, 4), (5, 4)), ((), (3,)), ((2, 4), (4,))):
        both('inner', *shapes)
    both('vdot', (3, 4), (2, 6))
    both('outer', (3, 2), (4,))
    both('kron', (2, 3), (4,))
    both('kron', (2,), (3, 1, 2))
    both('tensordot', (3, 4, 5), (4, 5, 2))
    both('tensordot', (3, 4, 5), (4, 3, 2), args=(([1, 0], [0, 1]),))
    both('tensordot', (3, 4), (5,), args=(0,))
    both('tensordot', (3, 4), (4, 3), args=((1, 0),))


@pytest.mark.parametrize('call', [
    "xp.matmul(xp.ones((2, 3)), xp.ones((2, 3)))", "xp.matmul(xp.ones((2, 3)), 2)", "xp.matmul(xp.ones(3), xp.ones(4))",
    "xp.matmul(xp.ones((2, 2, 3)), xp.ones((3, 3, 2)))", "xp.ones((2, 3)) @ 3",
    "xp.matmul(xp.ones((2, 3)), xp.ones((3, 2)), out=xp.ones((3, 3)))",
    "xp.matmul(xp.ones((2, 3)), xp.ones((3, 2)), out=xp.ones((2, 2), 'i4'))", "xp.matmul(xp.ones((2, 3)), xp.ones((3, 2)), dtype='i4')",
    "xp.matmul(xp.ones((2, 3)), xp.ones((3, 2)), axis=0)", "xp.matmul(xp.ones((2, 3)), xp.ones((3, 2)), where=True)",
    "xp.matmul(xp.ones(2))",
    "xp.matmul(xp.ones((2, 3)), xp.ones((3, 2)), axes=[(0, 1)])", "xp.dot(xp.ones((2, 3)), xp.ones((2, 3)))", "xp.dot(xp.ones(3), 2.5)",
    "xp.dot(xp.ones(3), xp.ones(3), out=xp.zeros((), 'f4'))", "xp.inner(xp.ones((2, 3)), xp.ones((3, 2)))",
    "xp.vdot(xp.ones(3), xp.ones(4))",
    "xp.tensordot(xp.ones((2, 3)), xp.ones((2, 3)), 1)", "xp.tensordot(xp.ones((2, 3)), xp.ones((2, 3)), 2)", "xp.outer([1, 2], [3, 4])",
    "xp.matmul(xp.ones((2, 3), '?'), xp.ones((3, 2), '?'))", "xp.matmul(xp.ones((2, 3), 'i1'), xp.ones((3, 2), 'u1'))", "xp.dot(2, 3)",
    "xp.matmul(xp.ones((0, 3)), xp.ones((3, 0)))", "xp.matmul(xp.ones((2, 0)), xp.ones((0, 2)))", "xp.kron(2, 3)"])
def test_behaviour(call):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        check(lambda xp: eval(call, {'xp': xp}))
