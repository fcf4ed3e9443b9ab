"""Files and text."""
import io
import pickle

import numpy
import pytest

import cupy
from oracle import check


def both(a):
    return cupy.asarray(a), a


ARRAYS = [numpy.arange(6.).reshape(2, 3), numpy.arange(6, dtype='i2').reshape(2, 3).T, numpy.array(3.5), numpy.zeros((0, 3), '?'),
          numpy.arange(20.)[::3], numpy.array([1 + 2j], 'F'), numpy.asfortranarray(numpy.arange(6.).reshape(2, 3))]


@pytest.mark.parametrize('n', range(len(ARRAYS)))
def test_save_and_load(tmp_path, n):
    ours, theirs = both(ARRAYS[n])
    cupy.save(tmp_path / 'a.npy', ours)
    numpy.save(tmp_path / 'b.npy', theirs)
    if not theirs.flags.f_contiguous or theirs.flags.c_contiguous:
        assert (tmp_path / 'a.npy').read_bytes() == (tmp_path / 'b.npy').read_bytes()
    got = cupy.load(tmp_path / 'a.npy')
    assert isinstance(got, cupy.ndarray) and got.dtype == theirs.dtype
    numpy.testing.assert_array_equal(got.get(), theirs)


@pytest.mark.parametrize('save', ['savez', 'savez_compressed'])
def test_archives(tmp_path, save):
    path = tmp_path / 'x.npz'
    getattr(cupy, save)(path, cupy.arange(3), b=cupy.ones((2, 2)), c=5)
    with cupy.load(path) as archive:
        assert sorted(archive) == sorted(archive.files) == ['arr_0', 'b', 'c'] and 'b' in archive and len(archive) == 3
        assert isinstance(archive['arr_0'], cupy.ndarray) and archive['arr_0'].get().tolist() == [0, 1, 2]
        assert archive.f.b.shape == (2, 2)
        assert {k: v.shape for k, v in archive.items()} == {'arr_0': (3,), 'b': (2, 2), 'c': ()}
        assert isinstance(archive, cupy.lib.npyio.NpzFile)
        with pytest.raises(KeyError):
            archive['none']
    numpy.testing.assert_array_equal(numpy.load(path)['b'], numpy.ones((2, 2)))


def test_malformed_files(tmp_path):
    (tmp_path / 'bad.npy').write_bytes(b'\x93NUMPY\x01\x00junk')
    (tmp_path / 'empty.npy').write_bytes(b'')
    numpy.save(tmp_path / 'o.npy', numpy.array([{}], object), allow_pickle=True)
    numpy.save(tmp_path / 's.npy', numpy.array(['text']))
    for name in ('bad.npy', 'empty.npy', 'missing.npy', 'o.npy'):
        check(lambda xp: xp.load(tmp_path / name))
    with pytest.raises(TypeError, match='U4'):
        cupy.load(tmp_path / 's.npy')
    with pytest.raises(NotImplementedError, match='mmap_mode'):
        cupy.load(tmp_path / 's.npy', mmap_mode='r')


def test_text_files(tmp_path):
    path = tmp_path / 'a.txt'
    cupy.savetxt(path, cupy.asarray([[1., 2.5], [3., -4.]]), fmt='%.2f', delimiter=',', header='x,y')
    assert path.read_text() == '# x,y\n1.00,2.50\n3.00,-4.00\n'
    check(lambda xp: xp.loadtxt(path, delimiter=','))
    check(lambda xp: xp.loadtxt(path, delimiter=',', usecols=1, dtype='f4'))
    check(lambda xp: xp.loadtxt(path, delimiter=',', unpack=True, converters={0: lambda s: float(s) + 1}))
    check(lambda xp: xp.genfromtxt(path, delimiter=','))
    check(lambda xp: xp.genfromtxt(io.StringIO('1,,3\n4,5,6'), delimiter=',', filling_values=-1))
    with pytest.raises(TypeError, match='dtype'):
        cupy.fromregex(io.StringIO('a 1'), r'(\w) (\d)', [('k', 'S1'), ('v', 'i8')])


def test_binary_files(tmp_path):
    path = tmp_path / 'raw'
    cupy.arange(5, dtype='i4').tofile(path)
    check(lambda xp: xp.fromfile(path, dtype='i4'))
    check(lambda xp: xp.fromfile(path, dtype='i4', count=2, offset=4))
    got = cupy.fromfile(path, dtype='>i4')
    assert got.dtype.isnative and (got.get() == numpy.fromfile(path, dtype='>i4')).all()


def test_printing():
    a = cupy.asarray([[1.5, 2.25]])
    with cupy.printoptions(precision=1):
        assert cupy.array_str(a) == '[[1.5 2.2]]'
        assert cupy.get_printoptions()['precision'] == 1
    assert cupy.array_repr(cupy.asarray([1, 2])) == 'array([1, 2])'
    assert cupy.array2string(numpy.arange(2)) == '[0 1]'


def test_pickle():
    for a in ARRAYS:
        got = pickle.loads(pickle.dumps(cupy.asarray(a)))
        assert isinstance(got, cupy.ndarray) and got.dtype == a.dtype
        numpy.testing.assert_array_equal(got.get(), a)
    assert pickle.loads(pickle.dumps(cupy.histogram)) is cupy.histogram
    assert pickle.loads(pickle.dumps(cupy.linalg.solve)) is cupy.linalg.solve


def test_memory_questions():
    a = cupy.arange(10)
    assert cupy.shares_memory(a, a[3:]) and not cupy.shares_memory(a[::2], a[1::2])
    assert cupy.may_share_memory(a[::2], a[1::2]) and not cupy.may_share_memory(a, a.copy())
    low, high = cupy.lib.array_utils.byte_bounds(a[::-2])
    assert high - low == 9 * 8 and cupy.lib.array_utils.byte_bounds(a) == (a._pointer, a._pointer + 80)


def test_dtype_rules():
    check(lambda xp: xp.result_type(xp.asarray([1], 'i1'), 3.0))
    check(lambda xp: xp.result_type(xp.asarray([1], 'f4'), 3.0, 'i2'))
    check(lambda xp: xp.result_type(1, 2.0))
    check(lambda xp: xp.result_type('i1', 'u1', 'f2'))
    check(lambda xp: xp.result_type())
    check(lambda xp: xp.result_type(xp.float32(3), xp.asarray(1, 'i8')))
    check(lambda xp: xp.result_type(True, 'i1'))
    check(lambda xp: xp.can_cast(xp.asarray([1.]).dtype, 'f4'))
    check(lambda xp: xp.can_cast('f8', 'f4', 'same_kind'))
    check(lambda xp: xp.can_cast(1, 'f4'))
    check(lambda xp: str(xp.common_type(xp.zeros(1, 'f4'), xp.zeros(1, 'i4'))))
    check(lambda xp: str(xp.common_type(xp.zeros(1, 'f4'), xp.zeros(1, 'F'))))
    check(lambda xp: xp.common_type(xp.zeros(1, '?')))
    check(lambda xp: (float(xp.finfo(xp.zeros(1, 'f4')[0]).eps), xp.iinfo('i2').max, xp.iinfo(xp.int8).min))
    check(lambda xp: xp.promote_types('i4', 'f4'))
    check(lambda xp: xp.issubdtype(xp.asarray([1]).dtype, xp.integer))
    with pytest.raises(TypeError, match='longdouble|float128'):
        cupy.result_type('g', 'f4')
    assert cupy.finfo('f4').eps == numpy.finfo('f4').eps and isinstance(cupy.iinfo('i4'), numpy.iinfo)
