"""Every ufunc of the op table against NumPy, bit for bit: dtypes, promotion, layouts, arguments.

The loops run inside the tests: there are some 10^5 comparisons. test_ufunc_methods.py has reduce and its kin.
"""
import itertools

import numpy
import pytest
from cupy_backends.backend import _runtime

import oracle
from operands import DTYPES, apart, layouts, values

TABLE = [row for row in _runtime.ops() if row['kind'] == 'ELEMENTWISE' and isinstance(getattr(numpy, row['name'], None), numpy.ufunc)]
NAMES = [row['name'] for row in TABLE]
ROWS = {row['name']: row for row in TABLE}
# a large second operand makes NumPy itself slow (power of integers) or raises (negative powers)
LIMITS = {'power': 5, 'float_power': 5}


def loops(name):
    """The input dtypes of each loop of the row."""
    return [loop.split('->')[0] for loop in ROWS[name]['loops'].split()]


def call(xp, name, *args, **kwargs):
    return getattr(xp, name)(*args, **kwargs)


def test_table_names_every_ufunc():
    import cupy
    for name in NAMES:
        f, theirs = getattr(cupy, name), getattr(numpy, name)
        assert (f.nin, f.nout, f.nargs) == (theirs.nin, theirs.nout, theirs.nargs), name
        assert f.identity == theirs.identity or (f.identity != f.identity), name
        assert f.__name__ == theirs.__name__, name
        assert f.__doc__, name
    assert len(NAMES) > 80


@pytest.mark.parametrize('name', NAMES)
def test_promotion(name):
    """All dtypes, or pairs of them: the loop that is chosen, its result or the refusal."""
    bad = oracle.Failures()
    nin, limit = ROWS[name]['nin'], LIMITS.get(name)
    for dtypes in itertools.product(DTYPES, repeat=nin):
        args = [values(d, 17, seed=i, limit=limit if i else None) for i, d in enumerate(dtypes)]
        bad(oracle.compare(lambda xp: call(xp, name, *map(xp.array, args))), name, *dtypes)
    bad.report()


HUGE = 2 ** 70
SCALARS = [True, 3, -3, 300, 2 ** 40, HUGE, 2.5, float('inf'), 1.5j, numpy.int8(3), numpy.uint8(200), numpy.float32(2.5),
           numpy.float64(1e300), numpy.complex64(1j), numpy.bool_(True), numpy.array(2.0, 'f4')]


@pytest.mark.parametrize('name', [n for n in NAMES if ROWS[n]['nin'] == 2])
def test_scalar_operands(name):
    """Python scalars are weak, NumPy's have their dtype, on either side."""
    bad = oracle.Failures()
    for dtype, scalar in itertools.product(DTYPES, SCALARS):
        if scalar is HUGE and name.startswith('logical'):
            continue  # whether a number is zero needs no 64 bits: NumPy's OverflowError is not wanted
        a = values(dtype, 9, limit=LIMITS.get(name))
        bad(oracle.compare(lambda xp: call(xp, name, xp.array(a), scalar)), name, dtype, repr(scalar))
        bad(oracle.compare(lambda xp: call(xp, name, scalar, xp.array(a))), name, repr(scalar), dtype)
    for x, y in itertools.product([True, 3, 2.5, 1j], repeat=2):
        bad(oracle.compare(lambda xp: call(xp, name, x, y)), name, x, y)
    bad.report()


@pytest.mark.parametrize('name', NAMES)
def test_layouts(name):
    """Each loop, with its operands in all layouts: alone, beside a contiguous one, and two equal."""
    bad = oracle.Failures()
    limit = LIMITS.get(name)
    for dtypes in loops(name):
        if len(dtypes) == 1:
            for label, make in layouts(dtypes):
                # on one element NumPy takes vector or scalar code by how far input and output are apart: 1 ulp
                bad(oracle.compare(lambda xp: call(xp, name, make(xp)), ulp=1 if label == 'scalar' else 0), name, dtypes, label)
            continue
        first, second = layouts(dtypes[0], 1), layouts(dtypes[1], 2, limit)
        plain_first, plain_second = first[0][1], second[0][1]
        for (label, a), (_, b) in zip(first, second):
            bad(oracle.compare(lambda xp: call(xp, name, a(xp), plain_second(xp))), name, dtypes, label, 'contiguous')
            bad(oracle.compare(lambda xp: call(xp, name, plain_first(xp), b(xp))), name, dtypes, 'contiguous', label)
            bad(oracle.compare(lambda xp: call(xp, name, a(xp), b(xp))), name, dtypes, label, label)
    bad.report()


@pytest.mark.parametrize('name', NAMES)
def test_shapes_and_strides(name):
    """Empty, many-dimensional and long operands; the memory order of results."""
    bad = oracle.Failures()
    limit = LIMITS.get(name)
    for dtypes in loops(name):
        for label, shape in apart():
            n = int(numpy.prod(shape))
            args = [values(d, n, i, limit if i else None).reshape(shape) for i, d in enumerate(dtypes)]
            bad(oracle.compare(lambda xp: call(xp, name, *map(xp.array, args))), name, dtypes, label)
            bad(oracle.compare(lambda xp: call(xp, name, *[xp.array(a).T for a in args])), name, dtypes, label, 'T')
        long = [values(d, 40011, i, limit if i else None) for i, d in enumerate(dtypes)]  # longer than what wakes a second thread
        bad(oracle.compare(lambda xp: call(xp, name, *map(xp.array, long))), name, dtypes, 'long')
    dtypes = loops(name)[-1]
    for label, make in layouts(dtypes[0]):
        others = [values(d, 60, 3, limit).reshape(4, 3, 5) for d in dtypes[1:]]

        def strides(xp):
            out = call(xp, name, make(xp), *map(xp.array, others))
            return [o.strides for o in (out if isinstance(out, tuple) else (out,))]
        bad(oracle.compare(strides), name, dtypes, label, 'strides')
    bad.report()


def first_loop(name, kinds='lidfe?'):
    """A loop that most ufuncs have, as the inputs' dtypes."""
    found = loops(name)
    return next((t for k in kinds for t in found if t[0] == k), found[0])


def plain(name, n=12):
    return [values(d, n, i, LIMITS.get(name, 20) if i else None) for i, d in enumerate(first_loop(name))]


@pytest.mark.parametrize('name', NAMES)
def test_out_and_casting(name):
    """out of each dtype, with each casting rule; what is refused leaves out as it was."""
    bad = oracle.Failures()
    nout = ROWS[name]['nout']
    for types in dict.fromkeys([first_loop(name), first_loop(name, 'dfl'), first_loop(name, 'Df')]):
        args = [values(d, 12, i, LIMITS.get(name, 20) if i else None) for i, d in enumerate(types)]
        for dtype, casting in itertools.product(DTYPES, [None, 'no', 'equiv', 'safe', 'same_kind', 'unsafe']):
            def run(xp):
                out = tuple(xp.full(12, 1, dtype) for _ in range(nout))
                error = None
                try:
                    result = call(xp, name, *map(xp.array, args), out=out, **({'casting': casting} if casting else {}))
                    assert all(r is o for r, o in zip(result if nout > 1 else (result,), out))
                except (TypeError, ValueError) as e:
                    error = e
                return isinstance(error, TypeError), isinstance(error, ValueError), list(out)
            if casting == 'unsafe' and numpy.dtype(dtype).kind in 'iu' and any(t in 'efdFD' for t in types):
                continue  # floats out of the integers' range: undefined in C; test_casting.py has the defined ones
            if oracle.DEVICE and 'D' in types and dtype not in 'FD':
                continue  # one part of a complex number that may not be finite
            wider = oracle.DEVICE and types[0] in 'ef' and dtype in 'dD'  # rounded in float32, seen in float64
            bad(oracle.compare(run, ulp=2 ** 33 if wider else 0), name, types, 'out', dtype, casting)
    bad.report()


@pytest.mark.parametrize('name', NAMES)
def test_out_layouts_and_where(name):
    bad = oracle.Failures()
    nout = ROWS[name]['nout']
    args = [a.reshape(3, 4) for a in plain(name)]
    mask = values('?', 12, 5).reshape(3, 4)
    outs = {
        'plain': lambda xp, d: xp.zeros((3, 4), d),
        'fortran': lambda xp, d: xp.zeros((3, 4), d, order='F'),
        'strided': lambda xp, d: xp.zeros((6, 8), d)[::2, ::2],
        'reversed': lambda xp, d: xp.zeros((3, 4), d)[::-1],
        'broad': lambda xp, d: xp.zeros((2, 3, 4), d),
        'unaligned': lambda xp, d: xp.zeros(12 * d.itemsize + 1, 'u1')[1:].view(d).reshape(3, 4),
    }
    with numpy.errstate(all='ignore'):
        results = call(numpy, name, *args)
    dtypes = [r.dtype for r in (results if nout > 1 else (results,))]
    for (label, make), masked in itertools.product(outs.items(), ['', 'array', 'row', 'False']):
        def run(xp):
            out = tuple(make(xp, d) for d in dtypes)
            where = {'': {}, 'array': {'where': xp.array(mask)}, 'row': {'where': xp.array(mask[0])}, 'False': {'where': False}}[masked]
            call(xp, name, *map(xp.array, args), out=out, **where)
            return list(out), [o.strides for o in out]
        bad(oracle.compare(run), name, label, masked)
    for wrong in [(4,), (2, 4), (3, 1), (3, 4, 1), ()]:
        bad(oracle.compare(lambda xp: call(xp, name, *map(xp.array, args), out=tuple(xp.zeros(wrong, d) for d in dtypes))), name, wrong)
    bad(oracle.compare(lambda xp: call(xp, name, *map(xp.array, args), where=xp.array([1, 0, 1, 1]), out=tuple(
        xp.zeros((3, 4), d) for d in dtypes))), name, 'integer mask')
    bad.report()


@pytest.mark.parametrize('name', NAMES)
def test_dtype_signature_order(name):
    bad = oracle.Failures()
    args = [a.reshape(3, 4) for a in plain(name)]
    for dtype in DTYPES if name != 'ldexp' else 'dFi':  # which loop a dtype names is ambiguous for ldexp below float64
        bad(oracle.compare(lambda xp: call(xp, name, *map(xp.array, args), dtype=dtype)), name, 'dtype', dtype)
        bad(oracle.compare(lambda xp: call(xp, name, *map(xp.array, args), dtype=dtype, casting='unsafe').dtype)
            if ROWS[name]['nout'] == 1 else '', name, 'dtype unsafe', dtype)
    for loop in ROWS[name]['loops'].split()[:6] + ['dd->f', 'q->q', 'ddd->d', 'x']:
        bad(oracle.compare(lambda xp: call(xp, name, *map(xp.array, args), signature=loop)), name, 'signature', loop)
    bad(oracle.compare(lambda xp: call(xp, name, *map(xp.array, args), dtype='d', signature='d->d')), name, 'both')

    for order, label in itertools.product('CFAK', ['C', 'F', 'T']):
        def strides(xp):
            a = [xp.array(v, order='F' if label == 'F' else 'C') for v in args]
            out = call(xp, name, *[v.T if label == 'T' else v for v in a], order=order)
            return [o.strides for o in (out if isinstance(out, tuple) else (out,))]
        bad(oracle.compare(strides), name, 'order', order, label)
    bad.report()


@pytest.mark.parametrize('name', NAMES)
def test_overlap(name):
    """out shares memory with the inputs: the same answer as with a copy."""
    bad = oracle.Failures()
    nin, nout = ROWS[name]['nin'], ROWS[name]['nout']
    if nout != 1:
        pytest.skip('several results cannot lie on one operand')
    cases = {
        'same': lambda a: (a[:30], a[30:], a[:30]),
        'second': lambda a: (a[:30], a[30:], a[30:]),
        'shifted': lambda a: (a[:-1], a[1:], a[1:]),
        'back': lambda a: (a[1:], a[:-1], a[:-1]),
        'reversed': lambda a: (a, a[::-1], a),
        'turned': lambda a: (a, a, a[::-1]),
        'matrix': lambda a: (a[:49].reshape(7, 7), a[:49].reshape(7, 7).T, a[:49].reshape(7, 7)),
        'rows': lambda a: (a[:49].reshape(7, 7)[0], a[:49].reshape(7, 7), a[:49].reshape(7, 7)),
        'interleaved': lambda a: (a[::2], a[1::2], a[:30]),
        'scalar': lambda a: (a, a[3:4], a),
        'broadcast': lambda a: (a[:1], a[:60], a[:60]),
    }
    for dtype in 'Bidf':
        if dtype * nin not in loops(name):
            continue
        v = values(dtype, 60, 4, LIMITS.get(name))
        for label, make in cases.items():
            def run(xp):
                a = xp.array(v)
                x, y, out = make(a)
                call(xp, name, *((x, y)[:nin] if nin == 2 else (y,)), out=out, casting='unsafe')
                return a
            if numpy.dtype(dtype).kind in 'iu' and call(numpy, name, *[v[:1]] * nin).dtype.kind == 'f':
                continue
            # NumPy's loops take vector or scalar code by how their operands lie to each other; the two differ by up to 2 ulp
            bad(oracle.compare(run, ulp=2), name, dtype, label)
    if bad.count:
        bad.report()


@pytest.mark.parametrize('name', ['where', 'clip'])
def test_three_operands(name):
    """where and clip: all pairs of dtypes and the layouts."""
    bad = oracle.Failures()
    mask = values('?', 60, 7).reshape(4, 3, 5)

    def run(xp, x, y):
        return xp.where(xp.array(mask), x, y) if name == 'where' else xp.clip(x, y, xp.minimum(y, y))

    for first, second in itertools.product(DTYPES, repeat=2):
        a, b = values(first, 60, 1).reshape(4, 3, 5), values(second, 60, 2).reshape(4, 3, 5)
        bad(oracle.compare(lambda xp: run(xp, xp.array(a), xp.array(b))), name, first, second)
    for dtype in DTYPES:
        for (label, a), (_, b) in zip(layouts(dtype, 1), layouts(dtype, 2)):
            bad(oracle.compare(lambda xp: run(xp, a(xp), b(xp))), name, dtype, label)
        for scalar in SCALARS[:9]:
            a = values(dtype, 60, 1).reshape(4, 3, 5)
            bad(oracle.compare(lambda xp: run(xp, xp.array(a), scalar)), name, dtype, scalar)
    bad.report()


OPERATORS = ['+', '-', '*', '/', '//', '%', '**', '&', '|', '^', '<<', '>>', '<', '<=', '==', '!=', '>', '>=', '@']


@pytest.mark.parametrize('operator', OPERATORS)
def test_operators(operator):
    """Operators of ndarray, with arrays and scalars on either side, and in place."""
    bad = oracle.Failures()
    limit = 5 if operator == '**' else None
    for first, second in itertools.product('?bBilLefdD', repeat=2):
        a, b = values(first, 8, 1, limit), values(second, 8, 2, limit)
        bad(oracle.compare(lambda xp: eval(f'a {operator} b', {'a': xp.array(a), 'b': xp.array(b)})), first, operator, second)
        if operator not in ('<', '<=', '==', '!=', '>', '>=', '@'):
            def inplace(xp):
                scope = {'a': xp.array(a), 'b': xp.array(b)}
                before = scope['a']
                exec(f'a {operator}= b', scope)
                assert scope['a'] is before
                return before
            bad(oracle.compare(inplace), first, operator + '=', second)
    for dtype, scalar in itertools.product(DTYPES, [3, 2.5] if operator == '@' else SCALARS):
        a = values(dtype, 8, 1, limit)
        bad(oracle.compare(lambda xp: eval(f'a {operator} s', {'a': xp.array(a), 's': scalar})), dtype, operator, repr(scalar))
        bad(oracle.compare(lambda xp: eval(f's {operator} a', {'a': xp.array(a), 's': scalar})), repr(scalar), operator, dtype)
    bad.report()
