"""Reductions against NumPy, bit for bit: dtypes x layouts x axes, threads, masks, initial values, errors."""
import itertools
import warnings

import numpy
import pytest

import cupy
import oracle
from oracle import check

DTYPES = '?bBhHiIlLefdFD'
OPS = ('add', 'multiply', 'maximum', 'minimum', 'fmax', 'fmin', 'logical_and', 'logical_or', 'logical_xor', 'bitwise_and', 'bitwise_or',
       'bitwise_xor')


def values(rng, shape, dtype):
    dt = numpy.dtype(dtype)
    if dt.kind == 'b':
        return rng.random(shape) < 0.6
    if dt.kind in 'iu':
        info = numpy.iinfo(dt)
        return rng.integers(info.min, info.max, shape, dt, endpoint=True)
    r = (rng.standard_normal(shape) * 10.0 ** rng.integers(-2, 3, shape))
    if dt.kind == 'c':
        r = r + 1j * rng.standard_normal(shape)
    return r.astype(dt)


def layouts(rng, shape, dtype):
    """(name, NumPy array, the same cupy array with the same strides) in several memory layouts."""
    n = len(shape)
    perm = rng.permutation(n)
    recipes = {
        'C': (shape, lambda x: x),
        'F': (shape[::-1], lambda x: x.transpose()),
        'part': ([d + 1 for d in shape], lambda x: x[tuple(slice(0, d) for d in shape)]),
        'step': ([2 * d for d in shape], lambda x: x[tuple(slice(0, 2 * d, 2) for d in shape)]),
        'reversed': (shape, lambda x: x[(slice(None, None, -1),) * n]),
        'permuted': ([shape[i] for i in perm], lambda x: x.transpose([int(i) for i in numpy.argsort(perm)])),
    }
    for name, (whole, recipe) in recipes.items():
        base = values(rng, whole, dtype)
        yield name, recipe(base), recipe(cupy.asarray(base))
    base = values(rng, shape[1:], dtype)
    yield 'broadcast', numpy.broadcast_to(base, shape), cupy.broadcast_to(cupy.asarray(base), shape)
    base = values(rng, shape, dtype)
    raw = numpy.concatenate([numpy.zeros(1, 'u1'), base.reshape(-1).view('u1')])
    yield 'unaligned', raw[1:].view(dtype).reshape(shape), cupy.asarray(raw)[1:].view(dtype).reshape(shape)


def bits(a):
    a = numpy.asarray(a)
    if a.dtype.kind in 'fc':
        a = numpy.where(numpy.isnan(a), numpy.nan, a).astype(a.dtype)
    return a.shape, a.dtype, numpy.ascontiguousarray(a).tobytes()


def same(got, want, note, magnitude=0):
    """The bits; on another device within the rounding of sums, eps times `magnitude`."""
    assert isinstance(got, cupy.ndarray), note
    if oracle.DEVICE:
        text = oracle.sum_difference(numpy.asarray(want), got.get(), magnitude)
        assert not text, (note, text)
    else:
        assert bits(got.get()) == bits(want), (note, got.get(), want)


def of_sum(a, axis=None, initial=0):
    """The magnitude for a sum in any order, NumPy's own rounding among them: n / 2 sum |a|. None is needed on the host."""
    if not oracle.DEVICE:
        return 0
    total = numpy.asarray(numpy.sum(numpy.abs(a), axis, 'd')) + initial
    n = a.size // max(total.size, 1)
    return (8 + n / 2) * total


def of_prod(a, axis=None):
    """The magnitude for a product in any order: n |product|, and infinite where it could overflow or underflow on the way."""
    if not oracle.DEVICE:
        return 0
    dtype = a.dtype if a.dtype.kind in 'fc' else numpy.dtype('d')
    with numpy.errstate(all='ignore'):
        size = numpy.log2(numpy.abs(a.astype('D')))
        n = a.size // max(numpy.sum(size, axis).size, 1)
        steady = numpy.sum(numpy.abs(size), axis) < -numpy.log2(numpy.finfo(dtype).tiny)
        return numpy.where(steady, 8 * n * numpy.exp2(numpy.sum(size, axis)), numpy.inf)


def axes_of(n):
    yield None
    for r in range(0, n + 1):
        yield from itertools.combinations(range(n), r)


@pytest.mark.parametrize('op', OPS)
def test_table(op):
    rng = numpy.random.default_rng(1)
    f, g = getattr(cupy, op).reduce, getattr(numpy, op).reduce
    for dtype in DTYPES:
        if op.startswith('bitwise') and dtype in 'efdFD':
            continue
        for shape in ((5, 20, 30), (300, 7)):
            for name, a, b in layouts(rng, shape, dtype):
                for axis in axes_of(len(shape)):
                    with numpy.errstate(all='ignore'):
                        bound = of_sum(a, axis) if op == 'add' else of_prod(a, axis) if op == 'multiply' else 0
                        same(f(b, axis=axis), g(a, axis=axis), (op, dtype, shape, name, axis), bound)


@pytest.mark.parametrize('shape', [(7, 300), (40, 30), (9, 1, 50), (20, 5, 40), (6, 7, 8, 9), (3, 200, 2), (50, 3), (1, 40, 1, 30),
                                   (9, 3, 4000), (3, 9000), (9000, 3), (3, 70, 60), (8192, 2), (2, 8193), (2, 3, 2, 2000), (100003,),
                                   (300, 500), (70000, 2)])
def test_sum_order(shape):
    """Float sums go through memory, buffers and pairwise blocks as NumPy's do."""
    rng = numpy.random.default_rng(2)
    for dtype, to in (('f', None), ('d', None), ('F', None), ('D', None), ('e', None), ('l', 'd'), ('i', 'd'), ('e', 'f'), ('f', 'd'),
                      ('h', 'f'), ('d', 'F'), ('?', 'd')):
        for name, a, b in layouts(rng, shape, dtype):
            for axis in axes_of(len(shape)):
                with numpy.errstate(all='ignore'), warnings.catch_warnings():
                    warnings.simplefilter('ignore')
                    same(cupy.sum(b, axis=axis, dtype=to), numpy.sum(a, axis=axis, dtype=to), (dtype, to, shape, name, axis),
                         of_sum(a, axis))


@pytest.mark.parametrize('dtype', ['?', 'i', 'l', 'e', 'f', 'd', 'F'])
@pytest.mark.parametrize('shape', [(200003,), (3, 70001), (70001, 3), (400, 500), (20, 30, 400)])
def test_large(shape, dtype):
    """Shapes that are split over threads."""
    rng = numpy.random.default_rng(3)
    for name, a, b in itertools.islice(layouts(rng, shape, dtype), 6):
        for axis in axes_of(len(shape)):
            for f in ('sum', 'max', 'min', 'any', 'all', 'prod', 'count_nonzero'):
                with numpy.errstate(all='ignore'):
                    want = getattr(numpy, f)(a, axis=axis)
                    bound = of_sum(a, axis) if f == 'sum' else of_prod(a, axis) if f == 'prod' else 0
                    same(getattr(cupy, f)(b, axis=axis), want, (f, dtype, name, axis), bound)


@pytest.mark.parametrize('op', ['subtract', 'divide', 'power', 'floor_divide', 'hypot', 'logaddexp', 'gcd', 'lcm', 'arctan2', 'remainder',
                                'copysign'])
def test_other_ops(op):
    rng = numpy.random.default_rng(4)
    dtype = 'l' if op in ('gcd', 'lcm') else 'd'
    for shape in ((1,), (5,), (20, 6), (4, 1, 5), (40, 70)):
        a = rng.integers(1, 9, shape).astype(dtype)
        for axis in range(len(shape)):
            with numpy.errstate(all='ignore'):
                same(getattr(cupy, op).reduce(cupy.asarray(a), axis=axis), getattr(numpy, op).reduce(a, axis=axis), (op, shape, axis))


@pytest.mark.parametrize('dtype', ['b', 'l', 'e', 'f', 'D'])
def test_where_initial(dtype):
    rng = numpy.random.default_rng(5)
    for shape in ((30,), (40, 300), (300, 40), (6, 20, 30), (2, 70000)):
        for name, a, b in layouts(rng, shape, dtype):
            for mask in (rng.random(shape) < 0.7, rng.random(shape[-1:]) < 0.5, numpy.array(True), numpy.zeros(shape[-1:], bool)):
                for axis in axes_of(len(shape)):
                    with numpy.errstate(all='ignore'):
                        note = (dtype, shape, name, mask.shape, axis)
                        m = cupy.asarray(mask)
                        same(cupy.sum(b, axis=axis, where=m), numpy.sum(a, axis=axis, where=mask), note, of_sum(a, axis))
                        same(cupy.max(b, axis=axis, where=m, initial=1), numpy.max(a, axis=axis, where=mask, initial=1), note)
                        same(cupy.sum(b, axis=axis, initial=3), numpy.sum(a, axis=axis, initial=3), note, of_sum(a, axis, 3))
                        same(cupy.prod(b, axis=axis, initial=3, where=m), numpy.prod(a, axis=axis, initial=3, where=mask), note,
                             3 * of_prod(numpy.where(mask, a, 1), axis))


@pytest.mark.parametrize('dtype', DTYPES)
def test_statistics(dtype):
    rng = numpy.random.default_rng(6)
    for shape in ((1,), (30,), (20, 30), (5, 6, 70), (50000,), (300, 200)):
        for name, a, b in itertools.islice(layouts(rng, shape, dtype), 7):
            for axis in axes_of(len(shape)):
                with numpy.errstate(all='ignore'), warnings.catch_warnings():
                    warnings.simplefilter('ignore')
                    for keepdims in (False, True):
                        note, largest = (dtype, shape, name, axis, keepdims), numpy.abs(a.astype('D')).max() * (8 + a.size)
                        same(cupy.mean(b, axis=axis, keepdims=keepdims), numpy.mean(a, axis=axis, keepdims=keepdims), note, largest)
                        same(cupy.var(b, axis=axis, keepdims=keepdims), numpy.var(a, axis=axis, keepdims=keepdims), note,
                             largest ** 2 / a.size)
                        same(cupy.std(b, axis=axis, ddof=1, keepdims=keepdims), numpy.std(a, axis=axis, ddof=1, keepdims=keepdims), note,
                             largest)
                    if dtype != '?':
                        same(cupy.ptp(b, axis=axis), numpy.ptp(a, axis=axis), note)


def test_statistics_arguments():
    rng = numpy.random.default_rng(7)
    a = rng.standard_normal((6, 7))
    mask = rng.random((6, 7)) < 0.6
    b, m = cupy.asarray(a), cupy.asarray(mask)
    for axis in (None, 0, 1, (0, 1)):
        same(cupy.mean(b, axis, where=m), numpy.mean(a, axis, where=mask), axis, 64)
        same(cupy.var(b, axis, where=m), numpy.var(a, axis, where=mask), axis, 64)
        same(cupy.std(b, axis, where=m, ddof=0.5), numpy.std(a, axis, where=mask, ddof=0.5), axis, 64)
        same(cupy.std(b, axis, dtype='f4'), numpy.std(a, axis, dtype='f4'), axis, 64)
        same(cupy.mean(b.astype('f4'), axis, dtype='f8'), numpy.mean(a.astype('f4'), axis, dtype='f8'), axis, 64)
        same(cupy.var(b, axis, correction=1), numpy.var(a, axis, ddof=1), axis, 64)
        mean = a.mean(axis, keepdims=True)
        same(cupy.var(b, axis, mean=cupy.asarray(mean)), numpy.var(a, axis), axis, 64)
    out = cupy.empty(7)
    assert cupy.mean(b, 0, out=out) is out
    same(out, a.mean(0), 'out', 64)
    assert cupy.std(b, 0, out=out) is out
    same(out, a.std(0), 'out', 64)
    with pytest.warns(RuntimeWarning), numpy.errstate(all='ignore'):
        same(cupy.mean(cupy.zeros((0, 2)), 0), numpy.mean(numpy.zeros((1, 2)), 0) * numpy.nan, 'empty')


def test_results():
    """Layout, scalars, out, dtype."""
    a = numpy.arange(24.).reshape(2, 3, 4)
    for f in (lambda a: a, lambda a: a.transpose(), lambda a: a.transpose(1, 2, 0), lambda a: a[:, ::-1]):
        x, y = f(a), f(cupy.asarray(a))
        for axis in (0, 1, 2, (0, 1), (1, 2)):
            for keepdims in (False, True):
                want = numpy.sum(x, axis=axis, keepdims=keepdims)
                got = cupy.sum(y, axis=axis, keepdims=keepdims)
                same(got, want, axis)
                if not keepdims:
                    assert got.strides == want.strides
    b = cupy.asarray(a)
    s = cupy.sum(b)
    t = s
    t += 1
    assert s == 276 and t == 277
    out = cupy.zeros((3, 4), 'f4')
    same(cupy.sum(b, 0, out=cupy.zeros((3, 4), 'i4')), numpy.sum(a, 0, out=numpy.zeros((3, 4), 'i4')), 'out casts unsafely')
    assert cupy.sum(b, 0, out=out) is out
    same(out, numpy.sum(a, 0, out=numpy.zeros((3, 4), 'f4')), 'out')
    c = cupy.arange(12).reshape(3, 4)
    cupy.sum(c, axis=0, out=c[1])
    same(c, [[0, 1, 2, 3], [12, 15, 18, 21], [8, 9, 10, 11]], 'overlap')
    for dtype in DTYPES:
        assert cupy.sum(cupy.ones(3, dtype)).dtype == numpy.sum(numpy.ones(3, dtype)).dtype
        assert cupy.prod(cupy.ones(3, dtype)).dtype == numpy.prod(numpy.ones(3, dtype)).dtype
    same(cupy.sum([[1, 2], [3, 4]], 0), [4, 6], 'list')
    same(cupy.sum(5), numpy.sum(5), 'scalar')
    same(cupy.add.reduce(cupy.ones((2, 3))), numpy.add.reduce(numpy.ones((2, 3))), 'axis 0')


@pytest.mark.parametrize('call', [
    "xp.max(xp.zeros((0, 3)))", "xp.max(xp.zeros((0, 3)), 0)", "xp.max(xp.zeros((0, 3)), 1)", "xp.sum(xp.zeros((0, 3)), 0)",
    "xp.sum(xp.zeros((2, 3)), 2)", "xp.sum(xp.zeros((2, 3)), (0, 0))", "xp.sum(xp.zeros((2, 3)), (0, 5))", "xp.sum(xp.zeros((2, 3)), 0.5)",
    "xp.max(xp.ones(3), where=xp.array([True, False, True]))", "xp.sum(xp.ones(3), where=xp.array([1, 0, 1]))",
    "xp.sum(xp.ones(3), where=xp.array([True, False]))", "xp.sum(xp.ones((2, 3)), 0, out=xp.zeros(2))",
    "xp.sum(xp.ones((2, 3)), out=xp.zeros(1))",
    "xp.subtract.reduce(xp.ones((2, 3)), axis=(0, 1))", "xp.subtract.reduce(xp.ones((2, 3)), axis=None)",
    "xp.add.reduce(xp.ones(3), axis=())",
    "xp.argmax(xp.zeros(0))", "xp.argmax(xp.zeros((0, 3)), 0)", "xp.argmax(xp.zeros((0, 3)), 1)", "xp.argmax(xp.zeros((2, 3)), 2)",
    "xp.argmax(xp.ones(3), out=xp.zeros((), 'f8'))", "xp.argmax(xp.ones((2, 3)), 0, keepdims=True)",
    "xp.argmax(xp.ones((2, 3)), keepdims=True)",
    "xp.sin.reduce(xp.ones(3))", "xp.divmod.reduce(xp.ones(3))", "xp.add.accumulate(xp.array(1))", "xp.add.accumulate(xp.ones(3), 1)",
    "xp.cumsum(xp.array(3))", "xp.cumulative_sum(xp.ones((2, 2)))", "xp.cumulative_sum(xp.ones(3), include_initial=True)",
    "xp.cumulative_prod(xp.ones((2, 3)), axis=1, include_initial=True)", "xp.add.reduceat(xp.arange(8), [0, 4, 1, 5])",
    "xp.add.reduceat(xp.arange(8), [0, 8])", "xp.add.reduceat(xp.arange(8), [])", "xp.count_nonzero(xp.array([[0, 1], [2, 3]]), axis=0)",
    "xp.all(xp.zeros(0))", "xp.any(xp.zeros((0, 2)), 0)", "xp.any(xp.array([1j]))", "xp.all(xp.array([xp.nan]))", "xp.prod(xp.zeros(0))",
    "xp.sum(xp.ones(3, 'f4'), dtype='i4')", "xp.sum(xp.array([1, 2]), initial=5.5)", "xp.max(xp.array([1, 2]), initial=5)",
    "xp.max(xp.zeros(0), initial=-1.0)", "xp.sum(xp.ones(3, 'i1'), dtype='i1')", "xp.logical_and.reduce(xp.array([1, 2, 0]))",
    "xp.equal.reduce(xp.array([True, False]))", "xp.add.reduce([1, 2, 3])", "xp.sum(xp.array(5), axis=0)", "xp.sum(xp.array(5), axis=1)",
    "xp.max(xp.array([1, xp.nan, 3]))", "xp.min(xp.array([1 + 1j, complex('nan'), 3]))", "xp.fmax.reduce(xp.array([1, xp.nan, 3]))"])
def test_behaviour(call):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        check(lambda xp: eval(call, {'xp': xp}))


@pytest.mark.parametrize('dtype', DTYPES)
def test_argreduce(dtype):
    rng = numpy.random.default_rng(8)
    for shape in ((1,), (37,), (20, 30), (5, 6, 70), (100003,), (400, 300), (3, 40000)):
        for name, a, b in layouts(rng, shape, dtype):
            if a.dtype.kind in 'fc' and a.size > 40 and name in ('F', 'step'):
                a[tuple(d // 2 for d in shape)] = b[tuple(d // 2 for d in shape)] = numpy.nan
            for axis in (None, *range(-1, len(shape))):
                for f in ('argmax', 'argmin'):
                    same(getattr(cupy, f)(b, axis), getattr(numpy, f)(a, axis), (f, dtype, shape, name, axis))
    for ties in ([3, 1, 3, 1], [0, 0, 0]):
        same(cupy.argmax(cupy.array(ties, dtype)), numpy.argmax(numpy.array(ties, dtype)), ties)


@pytest.mark.parametrize('dtype', DTYPES)
def test_scan(dtype):
    rng = numpy.random.default_rng(9)
    for op in ('add', 'multiply', 'maximum', 'logical_or', 'bitwise_xor', 'subtract'):
        if (op == 'bitwise_xor' and dtype in 'efdFD') or (op == 'subtract' and dtype == '?'):
            continue
        for shape in ((1,), (40,), (20, 30), (5, 6, 70), (9000,), (3, 9000), (300, 300)):
            for name, a, b in layouts(rng, shape, dtype):
                for axis in range(len(shape)):
                    with numpy.errstate(all='ignore'):
                        same(getattr(cupy, op).accumulate(b, axis), getattr(numpy, op).accumulate(a, axis), (op, dtype, shape, name, axis))
                        if len(shape) < 3 and shape[axis] > 10:
                            index = numpy.array([0, 5, 2, 2, shape[axis] - 1])
                            same(getattr(cupy, op).reduceat(b, cupy.asarray(index), axis), getattr(numpy, op).reduceat(a, index, axis),
                                 ('reduceat', op, dtype, shape, name, axis))
    same(cupy.cumsum(cupy.asarray(a)), numpy.cumsum(a), 'flat') if numpy.dtype(dtype).kind not in 'fc' else None


def test_long_scan():
    """Long float scans are added in blocks: close to NumPy's, monotonic for positive numbers, the same for any number of threads."""
    rng = numpy.random.default_rng(10)
    for n in (32768, 33000, 100000, 1 << 20):
        for dtype, rtol in (('f', 1e-5), ('d', 1e-13)):
            a = rng.random(n).astype(dtype)
            got = cupy.cumsum(cupy.asarray(a)).get()
            exact = numpy.cumsum(a.astype('g'))
            assert numpy.allclose(got, exact.astype('d'), rtol=n * numpy.finfo(dtype).eps if oracle.DEVICE else rtol, atol=0)
            assert (numpy.diff(got) >= 0).all()
        a = rng.integers(-100, 100, n)
        same(cupy.cumsum(cupy.asarray(a)), numpy.cumsum(a), n)
        same(cupy.cumprod(cupy.asarray(a | 1)), numpy.cumprod(a | 1), n)
    x = cupy.asarray(rng.random(100000))
    want = cupy.cumsum(x)
    cupy.cumsum(x, out=x)
    assert (x == want).all()


def test_nan_and_zero():
    a = numpy.array([[1, numpy.nan, 3], [-0.0, 0.0, -0.0]])
    b = cupy.asarray(a)
    for f in ('sum', 'max', 'min', 'prod', 'any', 'all', 'argmax', 'argmin', 'count_nonzero'):
        for axis in (None, 0, 1):
            same(getattr(cupy, f)(b, axis), getattr(numpy, f)(a, axis), (f, axis))
    same(cupy.sum(cupy.full(5, -0.0)), numpy.sum(numpy.full(5, -0.0)), '-0')
    same(cupy.sum(cupy.full((5, 3), -0.0), 0), numpy.sum(numpy.full((5, 3), -0.0), 0), '-0')
    for n in (1000, 100000):
        big = numpy.ones(n, 'f4')
        big[n // 2] = numpy.nan
        same(cupy.max(cupy.asarray(big)), big.max(), n)
        same(cupy.argmin(cupy.asarray(big)), big.argmin(), n)
