"""Input that is wrong: NumPy's type of exception, a message that helps, operands untouched, and never a crash."""
import io
import pickle
import struct

import numpy
import pytest

import cupy
import oracle

BIG = 2 ** 62
CASES = '''
xp.zeros(BIG)
xp.zeros((BIG, 4))
xp.empty((2**31, 2**31, 2**31))
xp.ones((2**40, 2**40), 'u1')
xp.full((2**62, 2**62), 1)
xp.zeros(2**63)
xp.zeros(2**64)
xp.zeros(-1)
xp.zeros((3, -2))
xp.zeros((0, -1))
xp.zeros('3')
xp.zeros((1.5,))
xp.zeros(None)
xp.zeros((1,) * 65)
xp.zeros([[1, 2]])
xp.zeros(3, 'nonsense')
xp.zeros(3, order='Q')
xp.zeros((0, BIG))
xp.zeros((0, BIG, BIG))
xp.eye(-1)
xp.eye(2, -3)
xp.arange(BIG)
xp.arange()
xp.arange(1, 2, 0)
xp.arange('a')
xp.arange(0, xp.inf)
xp.arange(0, xp.nan)
xp.linspace(0, 1, -5)
xp.linspace(0, 1, 2.5)
xp.arange(6).reshape(BIG, 4)
xp.arange(6).reshape(-2, -3)
xp.arange(6).reshape(4)
xp.arange(6).reshape('a')
xp.arange(6).reshape((2, 3), order='Z')
xp.arange(6).reshape(2, 3).transpose(0)
xp.arange(6).reshape(2, 3).transpose(0, 5)
xp.arange(6).reshape(2, 3).swapaxes(0, 9)
xp.broadcast_to(xp.arange(3), (BIG, BIG, 3))
xp.broadcast_to(xp.arange(3), (-1, 3))
xp.broadcast_to(xp.zeros((2, 3)), 3)
xp.repeat(xp.arange(3), BIG)
xp.tile(xp.arange(3), -1)
xp.ones((BIG, 0)).sum(axis=1)
xp.concatenate([xp.zeros((0, 3)), xp.zeros((0, 4))])
xp.concatenate(3)
xp.concatenate([xp.zeros(2)], axis=1)
xp.stack([xp.zeros(2), xp.zeros(3)])
xp.split(xp.arange(5), 0)
xp.array([[1, 2], [3]])
xp.array([[1, [2]], 3])
xp.array([[1, 2], 3])
xp.array([xp.zeros(2), xp.zeros(3)])
xp.array(['a', 'b'], dtype=int)
xp.array('x', dtype='f4')
xp.array([1, 'x'], dtype=float)
xp.array([{}], dtype=int)
xp.array([1, 2], dtype='i99')
xp.array([10**30], dtype='i8')
xp.array([-1], dtype='u8')
xp.array([1j], dtype='f8')
xp.array([1], order='Y')
xp.array([1], foo=1)
xp.arange(3) + object()
xp.arange(3) + [1, 2]
xp.arange(3) < 'a'
xp.arange(3) @ 2
xp.sum(xp.arange(3), axis=1)
xp.sum(xp.arange(3), axis=-2)
xp.sum(xp.arange(3), axis=(0, 0))
xp.sum(xp.arange(3), axis='x')
xp.sum(xp.arange(3), axis=BIG)
xp.sum(xp.arange(3), axis=2**70)
xp.sum(xp.arange(3), dtype='x')
xp.sum(xp.arange(3), out=xp.zeros(2))
xp.sum(xp.arange(3), out=3)
xp.sum(xp.arange(3), where=xp.array([True, False]))
xp.max(xp.zeros((0, 2)))
xp.argmax(xp.zeros((2, 0)), axis=1)
xp.argmax(xp.arange(3), axis=5)
xp.mean(xp.arange(3), axis=3)
xp.cumsum(xp.arange(3), axis=-5)
xp.sort(xp.arange(3), axis=4)
xp.sort(xp.arange(3), kind='xx')
xp.partition(xp.arange(3), 5)
xp.partition(xp.arange(3), -9)
xp.searchsorted(xp.zeros((2, 2)), 1)
xp.searchsorted(xp.arange(3), 1, side='middle')
xp.add(1, 2, out=3)
xp.add(xp.arange(3), 1, out=xp.arange(2))
xp.add(xp.arange(3), 1, out=(xp.arange(3), xp.arange(3)))
xp.add(xp.arange(3), 1, out=[xp.arange(3)])
xp.add(xp.arange(3), 1, where=xp.array([1.5, 0, 1]))
xp.add(xp.arange(3), 1, casting='weird')
xp.add(xp.arange(3), 1, order='W')
xp.add(xp.arange(3), 1, dtype='U3')
xp.add(xp.arange(3), 1, signature='foo')
xp.add(xp.arange(3), 1, unknown=1)
xp.add.reduce(3, axis=1)
xp.add.reduce(xp.arange(3), axis=1)
xp.add.reduceat(xp.arange(3), [3])
xp.add.reduceat(xp.arange(3), [-1])
xp.add.accumulate(xp.arange(3), axis=2)
xp.add.at(xp.arange(3), [5], 1)
xp.add.at(xp.arange(3), [0.5], 1)
xp.add.at([1, 2], [0], 1)
xp.sin.reduce(xp.arange(3))
xp.arange(3)[3]
xp.arange(3)[-4]
xp.arange(3)[BIG]
xp.arange(3)[2**70]
xp.arange(3)[0, 0]
xp.arange(3)['x']
xp.arange(3)[1.0]
xp.arange(3)[1j]
xp.arange(3)[object()]
xp.arange(3)[[0, 5]]
xp.arange(3)[[-9]]
xp.arange(3)[xp.array([2**40])]
xp.arange(3)[xp.array([1.0])]
xp.arange(3)[xp.array([True])]
xp.arange(3)[[[0, 1], [2]]]
xp.arange(3)[..., ...]
xp.arange(3)[::0]
xp.arange(3)['a':]
xp.zeros((2, 2))[xp.zeros((3, 2), bool)]
xp.zeros((2, 2))[[0, 1], [0, 1, 2]]
xp.zeros((2, 2))[(0,) * 70]
xp.zeros((2, 2))[(None,) * 70]
xp.take(xp.arange(3), [7])
xp.take(xp.arange(3), [0], axis=4)
xp.take(xp.arange(3), [0.5])
xp.take(xp.arange(3), [0], mode='jump')
xp.take(xp.zeros(0), [0])
xp.put(xp.arange(3), [4], 1)
xp.choose([3], [1, 2])
xp.where(xp.arange(3), 1)
xp.nonzero(xp.array(1))
xp.compress([True] * 5, xp.arange(3))
xp.matmul(xp.arange(3), xp.arange(4))
xp.matmul(xp.zeros((2, 3)), xp.zeros((2, 3)))
xp.matmul(xp.zeros((2, 2, 3)), xp.zeros((3, 3, 2)))
xp.matmul(1, 2)
xp.dot(xp.zeros((2, 3)), xp.zeros((2, 3)))
xp.vecdot(xp.zeros(2), xp.zeros(3))
xp.tensordot(xp.zeros((2, 3)), xp.zeros((2, 3)), 1)
xp.einsum('ij,jk', xp.zeros((2, 3)), xp.zeros((2, 3)))
xp.einsum('i->j', xp.zeros(2))
xp.linalg.inv(xp.zeros((2, 2)))
xp.linalg.inv(xp.zeros(3))
xp.linalg.solve(xp.zeros((2, 2)), xp.zeros(2))
xp.linalg.cholesky(-xp.eye(2))
xp.fft.fft(xp.zeros(0))
xp.fft.fft(xp.arange(3), n=-1)
xp.fft.fft(xp.arange(3), norm='none')
xp.arange(3).astype('no')
xp.arange(3).astype('f4', casting='no')
xp.arange(3).astype('f4', order='X')
xp.arange(3).view('i3')
xp.arange(3, dtype='i1').view('i2')
xp.arange(3).item(5)
xp.arange(3).item(0, 0)
int(xp.arange(3))
float(xp.array([1j])[0])
bool(xp.arange(3))
bool(xp.zeros(0))
len(xp.array(3))
iter(xp.array(3))
hash(xp.arange(3))
xp.array(1.5).__index__()
xp.array([1, 2]).__index__()
range(xp.arange(3))
xp.arange(3).squeeze(0)
xp.expand_dims(xp.arange(3), 9)
xp.moveaxis(xp.zeros((2, 3)), 0, 7)
xp.flip(xp.arange(3), 2)
xp.roll(xp.arange(3), 1, axis=2)
xp.rot90(xp.arange(3))
xp.pad(xp.arange(3), -1)
xp.pad(xp.arange(3), 1, mode='nonsense')
xp.clip(xp.arange(3), 'a', 2)
xp.round(xp.arange(3.), 'a')
xp.diff(xp.arange(3), n=-1)
xp.histogram(xp.arange(3), bins=0)
xp.histogram(xp.arange(3), bins=[3, 1])
xp.bincount(xp.array([-1]))
xp.percentile(xp.arange(3), 150)
xp.interp(1, xp.arange(3), xp.arange(2))
xp.frombuffer(b'abc', 'f4')
xp.frombuffer(b'', 'f4')
xp.frombuffer(3, 'f4')
xp.frombuffer(b'abcd', 'f4', offset=9)
xp.frombuffer(b'abcd', 'u1', count=9)
xp.fromiter(3, int)
xp.fromstring('1 x', sep=' ')
xp.load('no/such/file')
xp.load(io.BytesIO(b''))
xp.load(io.BytesIO(b'not an array'))
xp.load(io.BytesIO(b'\\x93NUMPY'))
xp.load(io.BytesIO(b'\\x93NUMPY\\x09\\x00abcdef'))
xp.loadtxt(io.StringIO('1 2\\n3'))
xp.save(None, xp.arange(3))
xp.unravel_index(9, (2, 2))
xp.ravel_multi_index((5, 5), (2, 2))
xp.random.default_rng(0).integers(5, 1)
xp.random.rand(-1)
xp.random.choice(xp.arange(3), 5, replace=False)
xp.shares_memory(1, 'a')
xp.result_type()
xp.promote_types('i4', 'zz')
xp.dtype('bad')
xp.finfo('i4')
xp.iinfo('f4')
xp.einsum('...')
xp.apply_along_axis(len, 5, xp.arange(3))
xp.copyto(xp.arange(3), xp.arange(4))
xp.copyto(xp.arange(3), 1.5)
xp.copyto([1], 2)
xp.fill_diagonal(xp.arange(3), 1)
xp.place(xp.arange(3), xp.array([True, False, True]), [])
xp.ix_([[1]])
xp.meshgrid(xp.arange(2), indexing='aa')
xp.broadcast_arrays(xp.zeros(2), xp.zeros(3))
xp.unique(xp.arange(3), axis=4)
xp.trapezoid(xp.arange(3), xp.arange(2))
xp.gradient(xp.arange(1))
xp.cross(xp.arange(4), xp.arange(4))
xp.vander(xp.zeros((2, 2)))
xp.polyfit(xp.arange(3), xp.arange(2), 1)
xp.kron(xp.arange(2), 'a')
xp.trace(xp.arange(3))
xp.diagonal(xp.arange(3))
xp.diag(xp.zeros((2, 2, 2)))
xp.tri('a')
xp.delete(xp.arange(3), 7)
xp.insert(xp.arange(3), 9, 1)
xp.array_split(xp.arange(3), 0)
'''.strip().splitlines()


@pytest.mark.parametrize('case', CASES)
def test_errors_are_numpys(case):
    oracle.check(lambda xp: eval(case, {'xp': xp, 'BIG': BIG, 'io': io}))


MESSAGES = [  # what the text of an error must name
    ('xp.arange(3) + xp.arange(4)', ['(3,)', '(4,)']),
    ('xp.arange(3)[7]', ['7', 'axis 0', 'size 3']),
    ('xp.zeros((2, 3))[1, xp.array([5])]', ['5', 'axis 1', 'size 3']),
    ('xp.sum(xp.zeros((2, 2)), axis=4)', ['axis 4', 'dimension 2']),
    ('xp.arange(6).reshape(4)', ['size 6', '(4,)']),
    ('xp.matmul(xp.zeros((2, 3)), xp.zeros((4, 5)))', ['4', '3']),
    ('xp.array([1], "u1") + 300', ['300', 'uint8']),
    ('xp.arange(3).__iadd__(1.5)', ['add', 'float64', 'int64', 'same_kind']),
    ('xp.array(["a"])', ['str']),
    ('xp.array([object()])', ['object']),
    ('xp.zeros(3, "M8[s]")', ['datetime64']),
    ('xp.zeros(3, "O")', ['object']),
    ('xp.zeros(3, [("a", "i4")])', ['dtype']),
    ('xp.array([1, 2], "i4") ** -1', ['negative', 'power']),
    ('xp.concatenate([xp.zeros((2, 1)), xp.zeros((3, 2))], axis=1)', ['dimension', '0']),
]


@pytest.mark.parametrize('case, words', MESSAGES)
def test_messages_name_what_is_wrong(case, words):
    with pytest.raises(Exception) as error:
        eval(case, {'xp': cupy})
    text = f'{type(error.value).__name__}: {error.value}'
    assert all(w in text for w in words), text


@pytest.mark.parametrize('dtype', ['O', 'U3', 'S3', 'V8', 'M8[s]', 'm8[s]', 'g', 'G', [('a', 'i4')]])
def test_dtypes_that_are_not_offered(dtype):
    """Refused with the dtype's name, whichever way they come."""
    host = numpy.zeros(3, dtype)
    for make in (lambda: cupy.zeros(3, dtype), lambda: cupy.array([0, 0], dtype), lambda: cupy.arange(3).astype(dtype),
                 lambda: cupy.asarray(host),
                 lambda: cupy.empty(3, dtype), lambda: cupy.full(3, 0, dtype), lambda: cupy.arange(3).view(dtype)):
        with pytest.raises((TypeError, ValueError)) as error:
            make()
        assert len(str(error.value)) > 15


def test_numpy_arrays_are_no_operands():
    a, n = cupy.arange(3), numpy.arange(3)
    for work in (lambda: a + n, lambda: n + a, lambda: cupy.add(a, n), lambda: cupy.sin(n), lambda: cupy.add(a, 1, out=n), lambda: a == n,
                 lambda: cupy.concatenate([a, n]), lambda: cupy.where(a > 1, n, a), lambda: cupy.sum(n), lambda: a @ n,
                 lambda: numpy.add(a, 1, out=n)):
        with pytest.raises(TypeError) as error:
            work()
        assert any(w in str(error.value) for w in ('cupy.asarray', '.get()', 'cupy.empty_like')), str(error.value)
    assert n.tolist() == [0, 1, 2] and a.tolist() == [0, 1, 2]


def unchanged(work, *arrays):
    """Runs work, which must fail, and checks that the arrays hold what they held."""
    before = [cupy.asnumpy(a).copy() for a in arrays]
    with pytest.raises(Exception):
        work()
    for a, b in zip(arrays, before):
        assert cupy.asnumpy(a).tobytes() == b.tobytes()


def test_operands_are_untouched():
    a, f, out = cupy.arange(6), cupy.arange(6.), cupy.full(6, 9)
    unchanged(lambda: cupy.add(a, f, out=out), a, f, out)
    unchanged(lambda: cupy.add(a, cupy.arange(5), out=out), a, out)
    unchanged(lambda: cupy.power(a, -1, out=out), a, out)
    unchanged(lambda: a.__ipow__(-1), a)
    unchanged(lambda: a.__itruediv__(2), a)
    unchanged(lambda: a.__iadd__(cupy.zeros((2, 6), int)), a)
    unchanged(lambda: a.__setitem__([0, 9], 5), a)
    unchanged(lambda: a.__setitem__(slice(0, 3), [1, 2]), a)
    unchanged(lambda: a.__setitem__(0, 'x'), a)
    unchanged(lambda: a.__setitem__(slice(None), 1j), a)
    unchanged(lambda: a.__setitem__(cupy.array([True, False]), 1), a)
    unchanged(lambda: a.put([0, 99], 7), a)
    unchanged(lambda: cupy.add.at(a, [0, 99], 1), a)
    unchanged(lambda: cupy.copyto(a, f), a)
    unchanged(lambda: a.sort(axis=3), a)
    unchanged(lambda: a.fill('x'), a)
    unchanged(lambda: a.partition(99), a)
    unchanged(lambda: cupy.cumsum(f, out=out[:3]), f, out)
    unchanged(lambda: cupy.matmul(f.reshape(2, 3), f.reshape(2, 3), out=f), f)
    unchanged(lambda: cupy.take(a, [99], out=out[:1]), a, out)
    unchanged(lambda: cupy.sort(a, kind='no'), a)
    unchanged(lambda: setattr(a, 'shape', (4,)), a)


def test_read_only_arrays():
    a = cupy.arange(6)
    a.flags.writeable = False
    for work in (lambda: a.__setitem__(0, 1), lambda: a.__iadd__(1), lambda: a.fill(1), lambda: a.sort(), lambda: cupy.add(a, 1, out=a),
                 lambda: a[1:].__setitem__(0, 1), lambda: a.reshape(2, 3).__setitem__(0, 1), lambda: a.T.__iadd__(1), lambda: a.put([0], 1),
                 lambda: cupy.add.at(a, [0], 1), lambda: cupy.copyto(a, 1), lambda: a.__setitem__([0, 1], 1), lambda: a.partition(1),
                 lambda: a.__setitem__(a > 1, 0), lambda: cupy.cumsum(a, out=a), lambda: cupy.place(a, a > 1, [0]),
                 lambda: cupy.putmask(a, a > 1, 0),
                 lambda: a.itemset(0, 1) if hasattr(a, 'itemset') else a.__setitem__(0, 1), lambda: a.view('u1').fill(1),
                 lambda: a.flat.__setitem__(0, 1)):
        with pytest.raises(ValueError) as error:
            work()
        assert 'read-only' in str(error.value), str(error.value)
    assert a.tolist() == [0, 1, 2, 3, 4, 5]
    with pytest.raises(ValueError):
        a[1:].flags.writeable = True
    a.flags.writeable = True
    a[0] = 7
    assert int(a[0]) == 7


def test_buffers_of_others():
    a = cupy.frombuffer(bytearray(b'abcdefgh'), 'u2')
    assert a.dtype == 'u2' and a.shape == (4,)
    for bad in (memoryview(b'abcd')[::2], 'text', 5, None, [1, 2]):
        with pytest.raises((TypeError, ValueError, BufferError)):
            cupy.frombuffer(bad, 'u1')
    released = memoryview(b'abcd')
    released.release()
    with pytest.raises(ValueError):
        cupy.frombuffer(released, 'u1')


def npy(descr="'<i8'", shape='(3,)', order='False', data=b'\0' * 24, version=(1, 0), extra=''):
    header = f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, {extra}}}".encode()
    return b'\x93NUMPY' + bytes(version) + struct.pack('<H', len(header)) + header + data


MALFORMED = {
    'empty': b'', 'magic': b'\x93NUMPY', 'cut header': npy()[:30], 'cut data': npy(data=b'\0' * 10), 'version': npy(version=(9, 9)),
    'negative shape': npy(shape='(-3,)'), 'huge shape': npy(shape='(4611686018427387904,)'), 'object': npy(descr="'|O'"),
    'descr': npy(descr="'x9'"),
    'not a dict': b'\x93NUMPY\x01\x00\x03\x00abc', 'code': npy(shape='__import__("os")'), 'extra key': npy(extra="'more': 1"),
    'float shape': npy(shape='(1.5,)'),
    'text': b'hello world', 'zip': b'PK\x03\x04abc', 'order': npy(order='5'), 'string': npy(descr="'<U3'", data=b'\0' * 36),
}


@pytest.mark.parametrize('name', MALFORMED)
def test_malformed_npy(name):
    want, error = oracle.outcome(numpy.load, io.BytesIO(MALFORMED[name]))
    got, mine = oracle.outcome(cupy.load, io.BytesIO(MALFORMED[name]))
    if error is None:  # NumPy reads it; arrays of other dtypes than ours are refused
        assert isinstance(mine, TypeError) or not oracle.difference(want, got)
    else:
        assert isinstance(mine, (type(error), ValueError)), (error, mine)


def test_malformed_pickles():
    data = pickle.dumps(cupy.arange(100))
    for cut in (len(data) // 2, len(data) - 3, 10):
        with pytest.raises(Exception):
            pickle.loads(data[:cut])
    for change in range(20, len(data), 37):
        broken = bytearray(data)
        broken[change] ^= 0xff
        try:
            pickle.loads(bytes(broken))  # wrong bytes may be an array as well: only a crash would be wrong
        except Exception:
            pass


def test_used_capsule():
    a = cupy.arange(3)
    capsule = a.__dlpack__()
    b = cupy.from_dlpack(capsule)
    assert b.tolist() == [0, 1, 2]
    with pytest.raises((ValueError, BufferError, TypeError)):
        cupy.from_dlpack(capsule)
    for bad in (3, None, 'x', object(), [1, 2]):
        with pytest.raises((TypeError, AttributeError, BufferError, ValueError)):
            cupy.from_dlpack(bad)


def test_dlpack_requests_that_cannot_be_met():
    a = cupy.arange(3)
    for keywords in ({'dl_device': (2, 0)}, {'dl_device': 'x'}, {'max_version': 'x'}):
        with pytest.raises((BufferError, TypeError, ValueError)):
            a.__dlpack__(**keywords)


def test_attributes_that_cannot_be_set():
    a = cupy.arange(6)
    for name, value in [('dtype', 'x'), ('shape', 7), ('T', 1), ('ndim', 2), ('size', 2), ('base', None), ('nbytes', 1), ('no_such', 1)]:
        with pytest.raises((AttributeError, TypeError, ValueError)):
            setattr(a, name, value)
    assert a.tolist() == [0, 1, 2, 3, 4, 5]


def test_hostile_objects():
    class BadArray:
        def __array__(self, *args, **kwargs):
            raise RuntimeError('mine')

    class BadLen:
        def __len__(self):
            return 2 ** 40

        def __getitem__(self, i):
            raise RuntimeError('mine')

    class BadIndex:
        def __index__(self):
            raise RuntimeError('mine')

    class Changing(list):
        def __iter__(self):
            self.clear()
            return super().__iter__()

    for work in (lambda: cupy.array(BadArray()), lambda: cupy.zeros(BadIndex()), lambda: cupy.arange(3)[BadIndex()],
                 lambda: cupy.arange(3).sum(axis=BadIndex()), lambda: cupy.arange(3).reshape(BadIndex())):
        with pytest.raises(RuntimeError):
            work()
    for work in (lambda: cupy.array(BadLen()), lambda: cupy.array([Changing([1, 2]), [1, 2]]), lambda: cupy.arange(3) + BadArray()):
        try:
            work()
        except Exception:
            pass
    endless = []
    endless.append(endless)
    with pytest.raises((ValueError, RecursionError, TypeError)):
        cupy.array(endless)
    deep = 1
    for _ in range(100):
        deep = [deep]
    with pytest.raises((ValueError, TypeError)):
        cupy.array(deep)
