"""sort, argsort, partition, searchsorted against NumPy: dtypes x layouts x axes, NaN, ties, threads."""
import itertools
import warnings

import numpy
import pytest

import cupy
from oracle import check
from test_reduction import DTYPES, layouts, same

SHAPES = ((1,), (17,), (300,), (20, 30), (5, 6, 70), (3, 0))


def with_ties(rng, shape, dtype):
    """Few different values, NaN among them, both zeros."""
    dt = numpy.dtype(dtype)
    a = rng.integers(0, 9, shape)
    if dt.kind == 'c':
        a = numpy.array([0, 1, -1, 1 + 2j, complex(0, numpy.nan), complex(numpy.nan, 0), complex(numpy.nan, numpy.nan), 1j, -2])[a]
    elif dt.kind == 'f':
        a = numpy.array([0.0, -0.0, numpy.nan, -numpy.inf, numpy.inf, 1.5, -1.5, 7, 6])[a]
    return a.astype(dtype)


def equal(got, want, note):
    """Values equal; zeros of either sign and NaNs alike."""
    got = got.get()
    assert got.dtype == want.dtype and got.shape == want.shape, note
    assert numpy.array_equal(got, want, equal_nan=got.dtype.kind in 'fc') or _nan_parts_equal(got, want), (note, got, want)


def _nan_parts_equal(a, b):
    return a.dtype.kind == 'c' and all(numpy.array_equal(getattr(a, p), getattr(b, p), equal_nan=True) for p in ('real', 'imag'))


@pytest.mark.parametrize('dtype', DTYPES)
def test_sort(dtype):
    rng = numpy.random.default_rng(1)
    for shape in SHAPES:
        for name, a, b in layouts(rng, shape, dtype):
            for axis in (None, *range(-1, len(shape))):
                note = (dtype, shape, name, axis)
                equal(cupy.sort(b, axis), numpy.sort(a, axis), note)
                same(cupy.argsort(b, axis), numpy.argsort(a, axis, kind='stable'), note)
        a = with_ties(rng, shape, dtype)
        for axis in (None, *range(len(shape))):
            equal(cupy.sort(cupy.asarray(a), axis), numpy.sort(a, axis), (dtype, shape, axis))
            equal(cupy.sort(cupy.asarray(a), axis, stable=True), numpy.sort(a, axis, stable=True), (dtype, shape, axis))
            same(cupy.argsort(cupy.asarray(a), axis), numpy.argsort(a, axis, kind='stable'), (dtype, shape, axis))


@pytest.mark.parametrize('dtype', DTYPES)
def test_large(dtype):
    """Pieces on threads, then merged; keys of argsort that do not fit beside the index."""
    rng = numpy.random.default_rng(2)
    for n in (32767, 65536, 300001):
        for name, a, b in itertools.islice(layouts(rng, (n,), dtype), 5):
            equal(cupy.sort(b), numpy.sort(a), (dtype, n, name))
            same(cupy.argsort(b), numpy.argsort(a, kind='stable'), (dtype, n, name))
        a = with_ties(rng, n, dtype)
        equal(cupy.sort(cupy.asarray(a), kind='stable'), numpy.sort(a, kind='stable'), (dtype, n))
        same(cupy.argsort(cupy.asarray(a)), numpy.argsort(a, kind='stable'), (dtype, n))
    if dtype in 'lLd':
        a = numpy.repeat(values_close(dtype), 3000)
        rng.shuffle(a)
        same(cupy.argsort(cupy.asarray(a)), numpy.argsort(a, kind='stable'), 'close keys')


def values_close(dtype):
    """64-bit keys that differ in their last bits only, with two far away."""
    if dtype == 'd':
        return numpy.concatenate([1 + numpy.arange(50) * 2.0 ** -52, [-1e300, 1e300]])
    return numpy.concatenate([numpy.arange(50), numpy.array([2 ** 63 - 1, 2 ** 63 - 2])]).astype(dtype)


@pytest.mark.parametrize('dtype', DTYPES)
def test_partition(dtype):
    rng = numpy.random.default_rng(3)
    for shape in ((1,), (300,), (20, 30), (5, 6, 70), (70001,)):
        for name, a, b in itertools.islice(layouts(rng, shape, dtype), 6):
            for axis in range(len(shape)):
                n = shape[axis]
                for kth in (0, n // 2, -1, [n // 3, n // 2], numpy.array([n - 1, 0])):
                    got, order = cupy.partition(b, kth, axis), cupy.argpartition(b, kth, axis)
                    want = numpy.sort(a, axis)
                    check_partition(got.get(), want, kth, axis)
                    check_partition(numpy.take_along_axis(a, order.get(), axis), want, kth, axis)
    a = with_ties(rng, 1000, dtype)
    check_partition(cupy.partition(cupy.asarray(a), 500).get(), numpy.sort(a), 500, 0)


def check_partition(got, want, kth, axis):
    got, want = numpy.moveaxis(got, axis, -1), numpy.moveaxis(want, axis, -1)
    assert numpy.array_equal(numpy.sort(got, -1), want, equal_nan=want.dtype.kind in 'fc') or _nan_parts_equal(numpy.sort(got, -1), want)
    for k in numpy.atleast_1d(kth):
        k = k % got.shape[-1]
        a, b = got[..., k], want[..., k]
        assert numpy.array_equal(a, b, equal_nan=want.dtype.kind in 'fc') or _nan_parts_equal(a, b)
        if want.dtype.kind not in 'fc':
            assert (got[..., :k] <= got[..., k:k + 1]).all() and (got[..., k:] >= got[..., k:k + 1]).all()


@pytest.mark.parametrize('dtype', DTYPES)
def test_searchsorted(dtype):
    rng = numpy.random.default_rng(4)
    for n in (0, 1, 40, 3000):
        a = numpy.sort(with_ties(rng, n, dtype))
        for shape in ((), (5,), (20, 30), (40000,)):
            v = with_ties(rng, shape, dtype)
            for side in ('left', 'right'):
                same(cupy.searchsorted(cupy.asarray(a), cupy.asarray(v), side), numpy.searchsorted(a, v, side), (dtype, n, shape, side))
    a = rng.integers(0, 50, 40).astype(dtype)
    order = numpy.argsort(a, kind='stable')
    got = cupy.searchsorted(cupy.asarray(a), cupy.asarray(a[::2]), sorter=cupy.asarray(order))
    same(got, numpy.searchsorted(a, a[::2], sorter=order), 'sorter')


def test_in_place():
    rng = numpy.random.default_rng(5)
    a = rng.random((40, 50))
    for axis in (0, 1):
        for view in (lambda x: x, lambda x: x[::2, ::-3], lambda x: x.T):
            x, y = a.copy(), cupy.asarray(a)
            view(x).sort(axis=axis)
            view(y).sort(axis=axis)
            same(y, x, axis)
    y = cupy.asarray(a)
    y.partition(7, axis=1)
    check_partition(y.get(), numpy.sort(a, 1), 7, 1)


def test_lexsort():
    rng = numpy.random.default_rng(6)
    for shape in ((50,), (7, 30)):
        keys = [rng.integers(0, 4, shape) for _ in range(3)]
        same(cupy.lexsort([cupy.asarray(k) for k in keys]), numpy.lexsort(keys), shape)
    keys = rng.integers(0, 4, (3, 40))
    same(cupy.lexsort(cupy.asarray(keys)), numpy.lexsort(keys), 'array')
    same(cupy.sort_complex(cupy.asarray(keys[0])), numpy.sort_complex(keys[0]), 'sort_complex')


@pytest.mark.parametrize('call', [
    "xp.sort(xp.array(5))", "xp.sort(xp.ones(3), axis=1)", "xp.sort(xp.ones((2, 3)), axis=None)", "xp.sort(xp.ones(3), kind='foo')",
    "xp.sort(xp.ones(3), order='x')", "xp.sort(xp.ones(3), kind='stable', stable=True)", "xp.argsort(xp.array(5))", "xp.sort([3, 1, 2])",
    "xp.partition(xp.ones(3), 3)", "xp.partition(xp.ones(3), -4)", "xp.partition(xp.ones(3), 1.5)", "xp.partition(xp.ones(3), 1, kind='x')",
    "xp.searchsorted(xp.arange(5), 2.5)", "xp.searchsorted(xp.arange(5), [[1, 9]], 'right')", "xp.searchsorted(xp.ones((2, 2)), 1)",
    "xp.searchsorted(xp.array(1), 1)", "xp.searchsorted(xp.arange(5), 1, side='x')", "xp.searchsorted(xp.arange(3), 1, sorter=[0, 1])",
    "xp.argsort(xp.array([xp.nan, 1, xp.nan, 0]))", "xp.lexsort([])", "xp.lexsort([[1, 2], [1, 2, 3]])",
    "xp.lexsort(([1, 2, 1], [2, 2, 1]))",
    "xp.sort(xp.zeros((0, 3)), 0)", "xp.argsort(xp.zeros((2, 0)))", "xp.searchsorted(xp.arange(3.), xp.nan)"])
def test_behaviour(call):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        check(lambda xp: eval(call, {'xp': xp}))
