"""reduce, accumulate, reduceat, outer and at of every binary ufunc of the op table, against NumPy."""
import itertools

import numpy
import pytest

import oracle
from operands import DTYPES, layouts, values
from test_ufunc_table import LIMITS, ROWS, TABLE, loops

# the operands of ldexp have different dtypes: what NumPy makes of its reductions follows no rule
NAMES = [row['name'] for row in TABLE if row['nin'] == 2 and row['nout'] == 1 and row['name'] != 'ldexp']
UNARY = [row['name'] for row in TABLE if row['nin'] == 1]


def method(xp, name, which):
    return getattr(getattr(xp, name), which)


def matrix(name, dtype, seed=0):
    return values(dtype, 30, seed, LIMITS.get(name) and 2).reshape(5, 6)


# a scan may add in another order than NumPy: 4 ulp of the largest partial sum
SCAN_ULP = 4


@pytest.mark.parametrize('name', NAMES)
def test_reduce(name):
    bad = oracle.Failures()
    for dtype in DTYPES:
        a = matrix(name, dtype)
        for keywords in [{}, {'axis': 1}, {'axis': -1, 'keepdims': True}, {'axis': None}, {'axis': (0, 1)}, {'axis': ()}, {'axis': 2}]:
            bad(oracle.compare(lambda xp: method(xp, name, 'reduce')(xp.array(a), **keywords)), name, dtype, keywords)
        bad(oracle.compare(lambda xp: method(xp, name, 'reduce')(xp.array(a)[:0])), name, dtype, 'empty')
        bad(oracle.compare(lambda xp: method(xp, name, 'reduce')(xp.array(a)[:0], axis=1)), name, dtype, 'no rows')
        bad(oracle.compare(lambda xp: method(xp, name, 'reduce')(xp.array(a)[0, 0])), name, dtype, '0-d')
        for label, make in layouts(dtype, limit=LIMITS.get(name) and 2)[:8]:
            for axis in (0, 1, 2):
                # rows read backwards: NumPy's vector code or its scalar code, which differ by up to 2 ulp
                bad(oracle.compare(lambda xp: method(xp, name, 'reduce')(make(xp), axis=axis), ulp=2 if label == 'reversed' else 0), name,
                    dtype, label, axis)
    bad.report()


@pytest.mark.parametrize('name', NAMES)
def test_reduce_arguments(name):
    bad = oracle.Failures()
    dtypes = ['?', 'b', 'l', 'f', 'D']
    mask = values('?', 30, 9).reshape(5, 6)
    for dtype in dtypes:
        a = matrix(name, dtype)
        for other in ['?', 'h', 'l', 'f', 'd', 'D']:
            if numpy.dtype(dtype).kind in 'fc' and numpy.dtype(other).kind in 'il':
                continue
            bad(oracle.compare(lambda xp: method(xp, name, 'reduce')(xp.array(a), dtype=other)), name, dtype, 'dtype', other)
        for initial in [0, 1, 2.5, None]:
            bad(oracle.compare(lambda xp: method(xp, name, 'reduce')(xp.array(a), initial=initial)), name, dtype, 'initial', initial)
            bad(oracle.compare(lambda xp: method(xp, name, 'reduce')(xp.array(a), initial=initial, where=xp.array(mask))), name, dtype,
                'initial', initial, 'where')
        bad(oracle.compare(lambda xp: method(xp, name, 'reduce')(xp.array(a), axis=1, where=xp.array(mask))), name, dtype, 'where')
        for out in [(6,), (5,), (1, 6), ()]:
            def run(xp):
                o = xp.zeros(out, dtype)
                r = method(xp, name, 'reduce')(xp.array(a), out=o, keepdims=len(out) == 2)
                assert r is o
                return o
            bad(oracle.compare(run), name, dtype, 'out', out)
    bad.report()


@pytest.mark.parametrize('name', NAMES)
def test_accumulate_and_reduceat(name):
    bad = oracle.Failures()
    for dtype in DTYPES:
        a = matrix(name, dtype)
        for keywords in [{}, {'axis': 1}, {'axis': -1, 'dtype': 'd'}, {'axis': 3}]:
            bad(oracle.compare(lambda xp: method(xp, name, 'accumulate')(xp.array(a), **keywords), ulp=SCAN_ULP), name, dtype, keywords)
        refused = oracle.outcome(lambda: method(numpy, name, 'reduceat')(a, [0]))[1] is not None
        for indices in [[0, 2, 4], [3, 1, 2], [0, 0, 4, 4], [5], [-1], []]:
            if refused and indices in ([5], [-1]):
                continue  # two things are wrong: which one is told is nobody's contract
            bad(oracle.compare(lambda xp: method(xp, name, 'reduceat')(xp.array(a), indices)), name, dtype, indices)
        bad(oracle.compare(lambda xp: method(xp, name, 'reduceat')(xp.array(a), xp.array([0, 3, 2]), axis=1)), name, dtype, 'axis 1')
        bad(oracle.compare(lambda xp: method(xp, name, 'accumulate')(xp.array(a)[::-1, ::2], axis=1), ulp=SCAN_ULP), name, dtype, 'strided')
        bad(oracle.compare(lambda xp: method(xp, name, 'accumulate')(xp.array(a), out=xp.zeros((5, 6), dtype)), ulp=SCAN_ULP), name,
            dtype, 'out')
    bad.report()


@pytest.mark.parametrize('name', NAMES)
def test_outer(name):
    bad = oracle.Failures()
    limit = LIMITS.get(name)
    for types in loops(name):
        a, b = values(types[0], 6, 1).reshape(2, 3), values(types[1], 4, 2, limit)
        bad(oracle.compare(lambda xp: method(xp, name, 'outer')(xp.array(a), xp.array(b))), name, types)
        bad(oracle.compare(lambda xp: method(xp, name, 'outer')(xp.array(b), 3)), name, types, 'scalar')
    bad(oracle.compare(lambda xp: method(xp, name, 'outer')(xp.array([1, 2]), xp.array([1., 2]), dtype='d')), name, 'dtype')
    bad(oracle.compare(lambda xp: method(xp, name, 'outer')(xp.array([1, 2]))), name, 'one operand')
    bad.report()


@pytest.mark.parametrize('name', NAMES + UNARY)
def test_at(name):
    bad = oracle.Failures()
    unary = name in UNARY
    if ROWS[name]['nout'] != 1:
        with pytest.raises(ValueError):
            oracle.cupy.__dict__[name].at(oracle.cupy.arange(3.), [0])
        return
    for dtype in '?bBilefdFD':
        a = values(dtype, 7, 1, LIMITS.get(name))
        for second, indices in itertools.product(['same', 'scalar', 'd'], [[0, 0, 3], [-1], [], [9], [True] * 3 + [False] * 4]):
            if unary and second != 'same':
                continue

            def run(xp):
                x = xp.array(a)
                n = len(indices) if indices != [True] * 3 + [False] * 4 else 3
                b = {'same': xp.array(a[:n]), 'scalar': 2, 'd': xp.ones(n)}[second]
                method(xp, name, 'at')(x, indices, *(() if unary else (b,)))
                return x
            if indices == [9] and oracle.outcome(lambda: method(numpy, name, 'at')(a.copy(), [0], *(() if unary else ({
                    'same': a[:1], 'scalar': 2, 'd': 1.0}[second],))))[1] is not None:
                continue
            bad(oracle.compare(run), name, dtype, second, indices)

        def rows(xp):
            x = xp.array(values(dtype, 12, 2, LIMITS.get(name))).reshape(4, 3)
            method(xp, name, 'at')(x, (slice(None), [0, 2, 2]), *(() if unary else (xp.array(a[:3]),)))
            method(xp, name, 'at')(x.T, [1, 1], *(() if unary else (xp.array(a[:4]),)))
            return x
        bad(oracle.compare(rows), name, dtype, 'rows')
    bad.report()


@pytest.mark.parametrize('name', UNARY)
@pytest.mark.parametrize('which', ['reduce', 'accumulate', 'outer'])
def test_unary_has_no_reductions(name, which):
    oracle.check(lambda xp: method(xp, name, which)(xp.arange(3.)))


def test_reductions_of_empty_arrays():
    """Which of them have a result: all axes, alone and together, of shapes with one and more empty axes."""
    bad = oracle.Failures()
    for shape in [(0,), (0, 0), (0, 3), (3, 0), (2, 0, 0), (0, 2, 0), (2, 3, 0), (0, 0, 0)]:
        axes = [None] + [t for n in range(len(shape) + 1) for t in itertools.combinations(range(len(shape)), n)]
        for axis in axes:
            for name in ['max', 'min', 'sum', 'prod', 'any', 'all', 'mean', 'var', 'count_nonzero']:
                bad(oracle.compare(lambda xp: getattr(xp, name)(xp.ones(shape), axis=axis)), name, shape, axis)
            for name in ['add', 'maximum', 'subtract', 'logical_or']:
                bad(oracle.compare(lambda xp: method(xp, name, 'reduce')(xp.ones(shape), axis=axis)), name, shape, axis)
                bad(oracle.compare(lambda xp: method(xp, name, 'accumulate')(xp.ones(shape), axis=axis)), name, shape, axis)
            if axis is None or len(axis) == 1:
                for name in ['argmax', 'argmin', 'cumsum', 'sort', 'median']:
                    bad(oracle.compare(lambda xp: getattr(xp, name)(xp.ones(shape), axis=axis and axis[0])), name, shape, axis)
    bad.report()
