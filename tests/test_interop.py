"""Ways in and out: DLPack, pickling, files, NumPy's protocols, the Array API's, implicit conversions."""
import copy
import ctypes
import io
import os
import pickle
import subprocess
import sys

import numpy
import pytest

import cupy
import oracle
from cupy import testing

DTYPES = '?bBhHiIlLefdFD'


# --- to and from NumPy ---

def test_asnumpy_get_set():
    for dtype in DTYPES:
        host = testing.shaped_random((3, 4), numpy, dtype)
        a = cupy.asarray(host)
        for back in (cupy.asnumpy(a), a.get(), cupy.asnumpy(a.T).T, a[:, ::-1].get()[:, ::-1]):
            assert type(back) is numpy.ndarray and back.dtype == host.dtype
            assert (back == host).all()
        b = cupy.empty_like(a)
        b.set(host)
        assert bool((a == b).all())
        out = numpy.empty((3, 4), dtype)
        assert a.get(out=out) is out and (out == host).all()
    assert cupy.asnumpy([1, 2]).tolist() == [1, 2] and cupy.asnumpy(3) == 3
    assert cupy.asnumpy(cupy.zeros((2, 3)), order='F').flags.f_contiguous
    a = cupy.zeros(3)
    for bad in (numpy.zeros(4), numpy.zeros((3, 1)), 'x'):
        with pytest.raises((ValueError, TypeError)):
            a.set(bad)


def test_host_layouts_come_in():
    host = numpy.arange(24.).reshape(2, 3, 4)
    for view in (host, host.T, host[::-1, :, ::2], host[1], host.astype('>f8'), host.astype('>c8'), numpy.asfortranarray(host),
                 host[:, None],
                 numpy.broadcast_to(host[0], (5, 3, 4)), host[:0]):
        a = cupy.array(view)
        assert (cupy.asnumpy(a) == view).all() and a.shape == view.shape and a.dtype.isnative
    read_only = host.copy()
    read_only.flags.writeable = False
    assert cupy.array(read_only).flags.writeable
    assert cupy.asarray(host).dtype == host.dtype
    host[0] = -1
    assert float(cupy.asarray(host)[0, 0, 0]) == -1


def test_implicit_conversion_names_get():
    a = cupy.arange(3)
    for work in (lambda: numpy.asarray(a), lambda: numpy.array(a), lambda: numpy.array([a, a]), lambda: numpy.zeros(3) + a):
        with pytest.raises(TypeError) as error:
            work()
        assert '.get()' in str(error.value) or 'cupy.asarray' in str(error.value), str(error.value)
    with pytest.raises(TypeError) as error:
        numpy.asarray(a)
    assert '.get()' in str(error.value)
    with pytest.raises((TypeError, BufferError)):
        memoryview(a)


@pytest.mark.parametrize('policy, ok', [('error', False), ('warn', True), ('allow', True)])
def test_policy_of_implicit_conversion(policy, ok):
    program = '''
import warnings, numpy, cupy
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter('always')
    try:
        r = numpy.asarray(cupy.arange(3)).tolist()
    except TypeError:
        r = 'error'
print(r, any('.get()' in str(w.message) for w in seen))
'''
    env = {**os.environ, 'CUPY_XPU_TO_NUMPY': policy, 'PYTHONPATH': os.pathsep.join(p for p in sys.path if p)}
    out = subprocess.run([sys.executable, '-c', program], env=env, capture_output=True, text=True)
    assert out.returncode == 0, out.stderr
    want = {'error': 'error False', 'warn': '[0, 1, 2] True', 'allow': '[0, 1, 2] False'}[policy]
    assert out.stdout.strip() == want
    assert ok == ('[0' in want)


def test_scalars_of_numpy_are_operands():
    for scalar in (numpy.float32(2), numpy.int8(3), numpy.bool_(True), numpy.complex64(1j), numpy.array(2.5), numpy.array(3, 'i2')):
        oracle.check(lambda xp: xp.arange(3, dtype='f4') * scalar)
        oracle.check(lambda xp: scalar + xp.arange(3, dtype='i2'))
        oracle.check(lambda xp: scalar == xp.arange(3))
        oracle.check(lambda xp: xp.add(scalar, xp.ones(2)))
        oracle.check(lambda xp: xp.full(2, scalar).dtype)
    oracle.check(lambda xp: xp.arange(5)[numpy.int64(2)])
    oracle.check(lambda xp: xp.zeros(numpy.int32(3)).shape)
    oracle.check(lambda xp: xp.arange(6).reshape(numpy.int64(2), -1).sum(axis=numpy.int8(1)))


def test_get_array_module():
    assert cupy.get_array_module(cupy.zeros(1)) is cupy
    assert cupy.get_array_module(numpy.zeros(1)) is numpy
    assert cupy.get_array_module(1, numpy.zeros(1), cupy.zeros(1)) is cupy
    assert cupy.get_array_module() is numpy and cupy.get_array_module(3, 'x') is numpy


# --- NumPy's protocols ---

def test_array_ufunc():
    a, b = cupy.arange(6.).reshape(2, 3), cupy.ones((2, 3))
    for name in ('add', 'subtract', 'maximum', 'arctan2', 'less'):
        got = getattr(numpy, name)(a, b)
        assert isinstance(got, cupy.ndarray)
        testing.assert_array_equal(got, getattr(numpy, name)(a.get(), b.get()))
    assert isinstance(numpy.sin(a), cupy.ndarray) and isinstance(numpy.float64(2) * a, cupy.ndarray)
    testing.assert_array_equal(numpy.add.reduce(a, axis=1), [3, 12])
    testing.assert_array_equal(numpy.multiply.outer(a[0], a[0]), numpy.multiply.outer(a[0].get(), a[0].get()))
    testing.assert_array_equal(numpy.add.accumulate(a, axis=1), numpy.add.accumulate(a.get(), axis=1))
    out = cupy.zeros((2, 3))
    assert numpy.add(a, 1, out=out) is out and float(out[1, 2]) == 6
    assert isinstance(numpy.matmul(a, b.T), cupy.ndarray)
    quotient, rest = numpy.divmod(a, 2)
    assert isinstance(quotient, cupy.ndarray) and isinstance(rest, cupy.ndarray)
    numpy.add.at(out, (0, 0), 5)
    assert float(out[0, 0]) == 6
    a += numpy.float64(1)
    with pytest.raises(TypeError):
        numpy.add(a, numpy.ones((2, 3)))


def test_array_function():
    a = cupy.arange(6.).reshape(2, 3)
    host = a.get()
    for call in (lambda m, x: m.sum(x, axis=0), lambda m, x: m.concatenate([x, x]), lambda m, x: m.mean(x), lambda m,
                 x: m.where(x > 1, x, 0),
                 lambda m, x: m.linalg.norm(x), lambda m, x: m.fft.fft(x), lambda m, x: m.transpose(x), lambda m, x: m.stack([x, x]),
                 lambda m, x: m.sort(x), lambda m, x: m.einsum('ij->i', x), lambda m, x: m.zeros_like(x), lambda m, x: m.median(x),
                 lambda m, x: m.linalg.inv(x @ x.T), lambda m, x: m.unique(x), lambda m, x: m.histogram(x, bins=3)[0], lambda m,
                 x: m.dot(x, x.T)):
        got = call(numpy, a)
        assert isinstance(got, cupy.ndarray)
        testing.assert_allclose(got, call(numpy, host))
    assert numpy.shape(a) == (2, 3) and numpy.ndim(a) == 2 and numpy.size(a) == 6
    with pytest.raises(TypeError):
        numpy.concatenate([a, host])


def test_subclass_and_foreign_operands():
    class Foreign:
        __array_ufunc__ = None

        def __radd__(self, other):
            return 'foreign'

        def __rmul__(self, other):
            return 'product'

    class Priority:
        __array_priority__ = 1000

        def __radd__(self, other):
            return 'priority'

    a = cupy.arange(3)
    assert a + Foreign() == 'foreign' and a * Foreign() == 'product' and a + Priority() == 'priority'
    with pytest.raises(TypeError):
        a - object()


# --- the Array API's protocols ---

def test_array_namespace():
    a = cupy.arange(3)
    assert a.__array_namespace__() is cupy
    assert a.__array_namespace__(api_version='2024.12') is cupy
    with pytest.raises(ValueError):
        a.__array_namespace__(api_version='1999.01')
    info = cupy.__array_namespace_info__()
    assert set(info.capabilities()) >= {'boolean indexing', 'data-dependent shapes', 'max dimensions'}
    assert info.default_dtypes()['real floating'] == cupy.float64
    assert info.dtypes()['int8'] == cupy.int8 and set(info.dtypes(kind='bool')) == {'bool'}
    assert a.device in info.devices() and info.default_device() is not None
    assert bool((a.to_device(a.device) == a).all())
    assert bool((cupy.zeros(3, device=a.device) == 0).all())


# --- DLPack ---

@pytest.mark.parametrize('dtype', DTYPES)
def test_dlpack_with_numpy(dtype):
    if cupy.arange(1).__dlpack_device__()[0] != 1:
        pytest.skip('the device is not the CPU')
    a = testing.shaped_random((3, 4), cupy, dtype)
    for view in (a, a.T, a[::2, 1:], a[1], a[:, ::-1]):
        host = numpy.from_dlpack(view)
        assert (host == view.get()).all() and host.dtype == view.dtype and host.shape == view.shape
    host = testing.shaped_random((3, 4), numpy, dtype)
    for view in (host, host.T, host[::2, 1:], host[1]):
        b = cupy.from_dlpack(view)
        assert (b.get() == view).all() and b.strides == view.strides


def test_dlpack_shares_memory():
    if cupy.arange(1).__dlpack_device__()[0] != 1:
        pytest.skip('the device is not the CPU')
    host = numpy.arange(5.)
    a = cupy.from_dlpack(host)
    host[0] = 9
    a[1] = 8
    assert float(a[0]) == 9 and host[1] == 8
    b = cupy.arange(5)
    view = numpy.from_dlpack(b)
    b[2] = 7
    assert view[2] == 7
    del b
    assert view.tolist() == [0, 1, 7, 3, 4]
    c = cupy.from_dlpack(cupy.arange(4))
    assert c.tolist() == [0, 1, 2, 3]
    assert cupy.from_dlpack(host, copy=True)[0] == 9
    copied = cupy.from_dlpack(host, copy=True)
    host[0] = 1
    assert float(copied[0]) == 9
    read_only = numpy.arange(3)
    read_only.flags.writeable = False
    try:
        d = cupy.from_dlpack(read_only)
    except BufferError:
        pass
    else:
        assert not d.flags.writeable


def test_dlpack_forms():
    a = cupy.arange(3)
    assert isinstance(a.__dlpack_device__(), tuple) and len(a.__dlpack_device__()) == 2
    name = ctypes.pythonapi.PyCapsule_GetName
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    assert name(a.__dlpack__()) == b'dltensor'
    assert name(a.__dlpack__(max_version=(1, 0))) == b'dltensor_versioned'
    assert name(a.__dlpack__(max_version=None, stream=None, copy=None)) == b'dltensor'
    copied = a.__dlpack__(copy=True, max_version=(1, 1))
    b = cupy.from_dlpack(_Holder(copied, a.__dlpack_device__()))
    b[0] = 5
    assert int(a[0]) == 0 and int(b[0]) == 5
    unused = a.__dlpack__()
    del unused  # a capsule that nobody takes frees what it holds
    assert a.tolist() == [0, 1, 2]


class _Holder:
    def __init__(self, capsule, device):
        self.capsule, self.device = capsule, device

    def __dlpack__(self, **keywords):
        return self.capsule

    def __dlpack_device__(self):
        return self.device


def test_dlpack_of_other_kinds():
    for dtype in ('U3', 'O', '>i4', 'M8[s]'):
        with pytest.raises((BufferError, TypeError, ValueError)):
            cupy.from_dlpack(numpy.zeros(3, dtype))
    empty = cupy.from_dlpack(numpy.zeros((0, 3)))
    assert empty.shape == (0, 3)
    scalar = cupy.from_dlpack(numpy.array(5))
    assert scalar.shape == () and int(scalar) == 5


# --- pickles, copies, files ---

@pytest.mark.parametrize('protocol', range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickle(protocol):
    for dtype in DTYPES:
        a = testing.shaped_random((2, 3, 4), cupy, dtype)
        for view in (a, a.transpose(2, 0, 1), a[::-1, 1], a[0, 0, 0], a[:0], cupy.asfortranarray(a)):
            b = pickle.loads(pickle.dumps(view, protocol))
            assert type(b) is cupy.ndarray and b.dtype == view.dtype and b.shape == view.shape
            testing.assert_array_equal(b, view)
    f = pickle.loads(pickle.dumps(cupy.asfortranarray(cupy.ones((2, 3))), protocol))
    assert f.flags.f_contiguous
    assert pickle.loads(pickle.dumps({'a': cupy.arange(3), 'f': cupy.add}, protocol))['f'] is cupy.add


def test_copies():
    a = cupy.arange(6).reshape(2, 3)
    for b in (copy.copy(a), copy.deepcopy(a), a.copy()):
        b[0, 0] = 9
        assert int(a[0, 0]) == 0
    nested = copy.deepcopy([a, {'x': a}])
    assert nested[0] is nested[1]['x']


def test_save_and_load(tmp_path):
    for dtype in DTYPES:
        a = testing.shaped_random((2, 3), cupy, dtype)
        for i, view in enumerate((a, a.T, a[:, ::2], a[0, 0])):
            path = tmp_path / f'{ord(dtype)}-{i}.npy'
            cupy.save(path, view)
            testing.assert_array_equal(numpy.load(path), view.get())
            b = cupy.load(path)
            assert isinstance(b, cupy.ndarray) and b.dtype == view.dtype
            testing.assert_array_equal(b, view)
    cupy.savez(tmp_path / 'many.npz', cupy.arange(3), named=cupy.ones(2))
    with cupy.load(tmp_path / 'many.npz') as found:
        assert sorted(found.files) == ['arr_0', 'named']
        assert isinstance(found['named'], cupy.ndarray) and found['arr_0'].tolist() == [0, 1, 2]
    cupy.savez_compressed(tmp_path / 'small.npz', a=cupy.zeros(1000))
    assert cupy.load(tmp_path / 'small.npz')['a'].shape == (1000,)
    stream = io.BytesIO()
    cupy.save(stream, cupy.arange(4))
    stream.seek(0)
    assert cupy.load(stream).tolist() == [0, 1, 2, 3]
    numpy.save(tmp_path / 'theirs.npy', numpy.arange(5, dtype='>i4'))
    assert cupy.load(tmp_path / 'theirs.npy').tolist() == [0, 1, 2, 3, 4]
    cupy.savetxt(tmp_path / 't.txt', cupy.arange(4.).reshape(2, 2))
    assert cupy.loadtxt(tmp_path / 't.txt').tolist() == [[0, 1], [2, 3]]
    cupy.arange(3.).tofile(str(tmp_path / 'raw'))
    assert cupy.fromfile(str(tmp_path / 'raw')).tolist() == [0, 1, 2]
    assert cupy.genfromtxt(io.StringIO('1,2\n3,4'), delimiter=',').tolist() == [[1, 2], [3, 4]]


def test_bytes_and_lists():
    a = cupy.arange(6, dtype='i2').reshape(2, 3)
    assert a.tobytes() == a.get().tobytes() and a.T.tobytes() == a.get().T.tobytes() and a.tobytes('F') == a.get().tobytes('F')
    assert a.tolist() == a.get().tolist() and a[1, 1].tolist() == 4
    assert cupy.frombuffer(a.tobytes(), 'i2').tolist() == [0, 1, 2, 3, 4, 5]
    assert [type(v) for v in cupy.array([1.5]).tolist()] == [float]


# --- text ---

def test_text_is_numpys():
    for source in ('xp.arange(3)', 'xp.arange(2000)', 'xp.ones((3, 4)) * 1.5', 'xp.array([xp.nan, xp.inf, -0.0])', 'xp.zeros((2, 0))',
                   'xp.array(5)',
                   'xp.array([1 + 2j])', 'xp.array([True, False])', 'xp.arange(3, dtype="u1")', 'xp.array([1e-10, 1e10])',
                   'xp.arange(4.).reshape(2, 2).T',
                   'xp.array([[[1]]], "f2")', 'xp.arange(3.)[1]', 'xp.float32(2) * xp.arange(3)', 'xp.array([1.123456789])'):
        for show in (str, format):
            oracle.check(lambda xp: show(eval(source, {'xp': xp})))
        if '[1]' not in source[-3:]:
            oracle.check(lambda xp: repr(eval(source, {'xp': xp})))
    with numpy.printoptions(precision=2, suppress=True):
        oracle.check(lambda xp: str(xp.array([1.2345, 1e-9])))
    oracle.check(lambda xp: xp.array2string(xp.arange(3.), separator=', ', formatter={'float_kind': lambda v: f'{v:.1f}'}))
