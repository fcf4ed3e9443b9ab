"""The functions on indices and the texts of errors, against NumPy: a table of cases, then random arguments."""
import pathlib

import numpy
import pytest
from hypothesis import given, settings, strategies as st

import cupy
from oracle import Failures, check, compare

CASES = pathlib.Path(__file__).parent.parent / 'data' / 'indexing.txt'
# What users read most: the whole text is NumPy's.
TEXTS = '''
np.zeros(3)[5]
np.zeros((3,4))[0,7]
np.zeros((3,4))[[0],7]
np.zeros((3,4))[[5]]
np.zeros((3,4))[:,[5]]
np.zeros((3,4))[None,[3]]
np.zeros(3)[1,2]
np.zeros(3)['a']
np.zeros(3)[1.0]
np.zeros(3)[np.array(1.5)]
np.zeros(3)[1,...,...]
np.zeros((3,4))[[0,1],[0,1,2]]
np.zeros((3,4))[np.zeros(4,bool)]
np.zeros((3,4))[:,np.zeros(3,bool)]
np.zeros(3)[(None,)*64]
np.zeros(()).take([5])
np.take(np.arange(6).reshape(2,3),[[5]],axis=1)
np.take(np.zeros(0),[0])
np.arange(5).put([22],[1])
a=np.zeros(3);a[:2]=[1,2,3]
a=np.zeros(3);a[[0,1]]=[1,2,3]
a=np.zeros(3);a[a==0]=[1,2]
a=np.zeros((3,2));a[np.array([True,False,True])]=[1,2,3]
a=np.zeros(3,'u1');a[0]=300
a=np.zeros(3,'u1');a[:]=-1
a=np.zeros(3);a[0]=1j
a=np.zeros(3);a[0]=[1,2]
a=np.zeros(3);a.flags.writeable=False;a[0]=1
np.unravel_index(42,(7,6))
np.choose([4],[[0],[1]])
np.compress([0,1,1,1],np.arange(3))
'''


def run(xp, line):
    scope = {'np': xp}
    if ';' in line or line.startswith('a='):
        exec(line, scope)
        return scope.get('r')
    return eval(line, scope)


def test_cases():
    failures = Failures()
    for line in CASES.read_text().splitlines():
        if line and not line.startswith('#'):
            failures(compare(run, line), line)
    failures.report()


@pytest.mark.parametrize('line', TEXTS.strip().splitlines())
def test_error_texts(line):
    texts = []
    for xp in (numpy, cupy):
        with pytest.raises(Exception) as error:
            run(xp, line)
        texts.append((error.type, str(error.value)))
    assert texts[0] == texts[1]


def test_complex_values_warn():
    def run(xp):
        a = xp.zeros(3)
        with pytest.warns(numpy.exceptions.ComplexWarning):
            a[:] = xp.array([1j, 2, 3])
        return a
    check(run)


def test_no_numpy_arrays_on_the_way(monkeypatch):
    """Indexing makes no numpy.ndarray and calls no function of NumPy."""
    a, i, m = cupy.arange(12.).reshape(3, 4), cupy.array([0, 2]), cupy.array([True, False, True])

    def forbidden(*args, **kwargs):
        raise AssertionError('NumPy was called')
    for name in ('array', 'asarray', 'empty', 'zeros', 'arange', 'result_type', 'where', 'nonzero', 'broadcast_to', 'take'):
        monkeypatch.setattr(numpy, name, forbidden)
    for key in (1, (1, 2), slice(1, None), i, m, (slice(None), i), (m, 1), (i, i), a > 3, [0, 1], (None, Ellipsis, 0), True):
        r = a[key]
        a[key] = 1
        a[key] = r
    cupy.where(a > 1, a, 0)
    a.take(i, axis=0)
    a.put(i, [1, 2])
    a.nonzero()
    a.diagonal()
    a.flat[2:5] = [1, 2]


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_where(data):
    dtypes = st.sampled_from('?bBhHiIlLefdFD')
    shapes = st.sampled_from([(), (1,), (3,), (2, 3), (2, 1), (0, 3), (4, 2, 3)])

    def operand():
        kind = data.draw(st.sampled_from(['array', 'array', 'int', 'float', 'complex', 'bool']))
        if kind != 'array':
            return {'int': 3, 'float': 2.5, 'complex': 1j, 'bool': True}[kind]
        shape = data.draw(shapes)
        return (numpy.arange(int(numpy.prod(shape))) % 5).reshape(shape).astype(data.draw(dtypes))

    condition, x, y = operand(), operand(), operand()

    def run(xp):
        return xp.where(*[xp.asarray(v) if isinstance(v, numpy.ndarray) else v for v in (condition, x, y)])
    check(run)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_take_put_choose(data):
    shape = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3).map(tuple))
    a = numpy.arange(int(numpy.prod(shape))).reshape(shape).astype(data.draw(st.sampled_from('?bhifdD')))
    mode = data.draw(st.sampled_from(['raise', 'wrap', 'clip']))
    axis = data.draw(st.sampled_from([None] + list(range(-len(shape), len(shape)))))
    n = a.size if axis is None else shape[axis]
    reach = n if mode == 'raise' else 3 * n
    index = data.draw(st.lists(st.integers(-reach, reach - 1), max_size=5))
    out = data.draw(st.booleans())

    def take(xp):
        x, i = xp.array(a), xp.array(index, dtype=int)
        r = xp.take(x, i, axis=axis, mode=mode)
        if out:
            o = xp.zeros_like(r)
            assert xp.take(x, i, axis=axis, mode=mode, out=o) is o
            return r, o
        return r
    check(take)
    flat = [i % a.size if mode == 'raise' else i for i in index]

    def put(xp):
        x = xp.array(a)[..., ::-1]
        x.put(xp.array(flat, dtype=int), [1, 0, 1], mode=mode)
        return x
    check(put)
    check(lambda xp: xp.choose(xp.array(a % 3).astype(int) if a.dtype.kind not in 'cb' else 0, [xp.array(a), 5, xp.ones(shape)], mode=mode))


def test_where_of_large_arrays():
    rng = numpy.random.default_rng(3)
    for dtype in '?bhifdD':
        x, y = (rng.random(100003) * 100).astype(dtype), (rng.random(100003) * 100).astype(dtype)
        c = rng.random(100003) < 0.5
        check(lambda xp: xp.where(xp.array(c), xp.array(x), xp.array(y)))
        check(lambda xp: xp.where(xp.array(c)[::-1], xp.array(x), 1))


@pytest.mark.parametrize('shape', [(5,), (3, 4), (2, 3, 4), (0, 3), (1, 1)])
def test_nonzero_and_flat(shape):
    rng = numpy.random.default_rng(4)
    a = (rng.random(shape) < 0.5) * rng.random(shape)
    for dtype in '?bifdD':
        b = a.astype(dtype)
        for f in (lambda x: x, lambda x: x.T, lambda x: x[::-1]):
            check(lambda xp: f(xp.array(b)).nonzero())
            check(lambda xp: xp.argwhere(f(xp.array(b))))
            check(lambda xp: xp.flatnonzero(f(xp.array(b))))
            check(lambda xp: list(f(xp.array(b)).flat))
            check(lambda xp: f(xp.array(b)).flat[1:-1:2])


def test_iterators():
    check(lambda xp: list(xp.ndindex(2, 3)))
    check(lambda xp: [(i, v.item()) for i, v in xp.ndenumerate(xp.arange(6.).reshape(2, 3))])

    def run(xp):
        it = xp.arange(6).reshape(2, 3).T.flat
        found = [next(it), it.index, it.coords, len(it), it.copy()]
        return found
    check(run)
