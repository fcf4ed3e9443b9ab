"""A little of everything, in seconds: what an installed package must do, on any NumPy from 1.26 on.

Where NumPy 1.26 and 2.x differ (promotion of Python scalars, dtype of some results) the dtypes are given.
"""
import io
import os
import pickle
import subprocess
import sys

import numpy
import pytest

import cupy
import cupy.xpu
from cupy_backends.backend import _runtime

ROWS = [r for r in _runtime.ops() if r['kind'] == 'ELEMENTWISE' and isinstance(getattr(numpy, r['name'], None), numpy.ufunc)]

HOST = cupy.xpu.backend_name() == 'host'


def values(char, domain, position):
    """Seven values of a type, in the domain of an op."""
    if char == '?':
        return numpy.array([1, 0, 1, 1, 0, 0, 1], '?')
    lists = {'power': [1, 2, 3, 2, 1, 0, 2], 'shift': [1, 2, 3, 0, 1, 2, 3], 'unit': [0, 1, 1, 0, 0, 1, 0]}
    small = lists.get(domain, [1, 3, 2, 7, 5, 4, 6])
    made = numpy.array(small[::-1] if position else small, char)
    return made / made.dtype.type(2) if made.dtype.kind in 'fc' and domain not in ('above_one', 'power') else made


@pytest.mark.parametrize('row', ROWS, ids=[r['name'] for r in ROWS])
def test_every_loop(row):
    function, ours = getattr(numpy, row['name']), getattr(cupy, row['name'])
    for loop in row['loops'].split():
        chars = loop.split('->')[0]
        if chars in ('lL', 'Ll') and numpy.lib.NumpyVersion(numpy.__version__) < '2.0.0':
            continue
        operands = [values(c, row['domain'], i) for i, c in enumerate(chars)]
        try:
            with numpy.errstate(all='ignore'):
                want = function(*operands)
        except TypeError:  # a loop that this NumPy lacks
            continue
        got = ours(*map(cupy.asarray, operands))
        for w, g in zip(want if isinstance(want, tuple) else (want,), got if isinstance(got, tuple) else (got,)):
            assert isinstance(g, cupy.ndarray) and g.shape == w.shape
            if g.dtype == w.dtype and g.dtype.kind in 'fc' and not HOST:  # a device rounds by itself
                eps = numpy.finfo(w.dtype).eps
                numpy.testing.assert_allclose(g.get(), w, 8 * eps, eps, err_msg=f'{row["name"]} {loop}')
            elif g.dtype == w.dtype:
                numpy.testing.assert_array_equal(g.get(), w, err_msg=f'{row["name"]} {loop}')
            else:  # NumPy 2's rule on NumPy 1.26
                assert numpy.__version__ < '2', f'{row["name"]} {loop}: {g.dtype}, numpy {w.dtype}'


def equal(function):
    """The same answer from numpy and cupy."""
    want, got = function(numpy), function(cupy)
    assert isinstance(got, cupy.ndarray)
    numpy.testing.assert_allclose(got.get(), want, rtol=1e-12)
    assert got.dtype == want.dtype and got.shape == want.shape


def matrix(xp, dtype='f8'):
    return xp.arange(24, dtype=dtype).reshape(4, 6)


@pytest.mark.parametrize('name', ['sum', 'prod', 'max', 'min', 'mean', 'std', 'var', 'any', 'all', 'argmax', 'argmin', 'ptp',
                                  'count_nonzero', 'cumsum', 'cumprod', 'sort', 'argsort', 'median', 'nansum', 'diff'])
def test_along_axes(name):
    for axis in (0, 1, -1):
        equal(lambda xp: getattr(xp, name)(matrix(xp), axis=axis))


@pytest.mark.parametrize('use', [
    lambda xp, a: a[1:3, ::-2], lambda xp, a: a[:, 2], lambda xp, a: a[xp.asarray([3, 0, -1])], lambda xp, a: a[a > 7],
    lambda xp, a: a[xp.asarray([0, 1]), xp.asarray([5, 2])], lambda xp, a: a[None, ..., 1], lambda xp, a: xp.where(a > 5, a, -a),
    lambda xp, a: xp.take(a, xp.asarray([1, 1]), 1), lambda xp, a: xp.concatenate((a, a[:1])), lambda xp, a: xp.stack((a, a), 1),
    lambda xp, a: xp.clip(a, 3, 9), lambda xp, a: a.T.copy(), lambda xp, a: xp.roll(a, 2, 1), lambda xp, a: xp.repeat(a, 2, 0),
    lambda xp, a: xp.tile(a, (2, 1)), lambda xp, a: xp.flip(a, 0), lambda xp, a: xp.split(a, 2)[1], lambda xp, a: xp.nonzero(a % 2)[0],
    lambda xp, a: a.astype('i4') // 3, lambda xp, a: a.astype('f4'), lambda xp, a: a.astype('?'), lambda xp, a: a.astype('c16') * 1j,
    lambda xp, a: a @ a.T, lambda xp, a: xp.dot(a, a[0]), lambda xp, a: xp.einsum('ij,kj->ik', a, a), lambda xp, a: a + a[0],
    lambda xp, a: xp.add.reduce(a, 1), lambda xp, a: xp.multiply.outer(a[0], a[1]), lambda xp, a: xp.maximum.accumulate(a, 0),
    lambda xp, a: xp.linalg.inv(a[:3, :3] + 10 * xp.eye(3)), lambda xp, a: xp.fft.fft(a), lambda xp, a: xp.fft.irfft(a),
    lambda xp, a: xp.linspace(0, 1, 7), lambda xp, a: xp.full((2, 3), 7.0), lambda xp, a: xp.eye(3), lambda xp, a: xp.zeros_like(a),
    lambda xp, a: xp.random.default_rng(3).normal(size=5), lambda xp, a: xp.unique(a % 3), lambda xp, a: xp.searchsorted(a[0], a[0] + 0.5)])
def test_samples(use):
    equal(lambda xp: use(xp, matrix(xp)))


def test_in_place():
    def program(xp):
        a = matrix(xp)
        a[1:] += a[:-1]
        a *= 2
        a[:, 0] = -1
        a[a > 40] = 0
        a[xp.asarray([0, 2]), xp.asarray([1, 1])] = 99
        xp.add.at(a, xp.asarray([0, 0]), 1)
        return a
    equal(program)


def test_errors():
    a = cupy.ones((2, 3))
    with pytest.raises(ValueError):
        a + cupy.ones(4)
    with pytest.raises(IndexError):
        a[5]
    with pytest.raises(TypeError, match='get'):
        numpy.asarray(a)
    with pytest.raises(numpy.linalg.LinAlgError):
        cupy.linalg.inv(cupy.zeros((2, 2)))


def test_out_and_back():
    a = matrix(cupy)
    assert (pickle.loads(pickle.dumps(a)) == a).all()
    file = io.BytesIO()
    cupy.save(file, a)
    file.seek(0)
    assert (cupy.load(file) == a).all()
    assert str(a[0]) == str(a[0].get()) and repr(a).startswith('array(')
    assert not HOST or numpy.array_equal(numpy.from_dlpack(a), a.get())
    assert float(a[1, 1]) == 7.0 and a.tolist() == a.get().tolist()


def test_devices_and_streams():
    assert 'host' in cupy.xpu.backends()
    with cupy.cuda.Device(0), cupy.cuda.Stream():
        assert int(cupy.arange(10).sum()) == 45
    cupy.get_default_memory_pool().free_all_blocks()


def test_import_prints_and_opens_nothing():
    code = 'import cupy, sys; sys.exit(1 if "scipy" in sys.modules else 0)'
    out = subprocess.run([sys.executable, '-W', 'error', '-c', code], capture_output=True, text=True,
                         env={**os.environ, 'CUPY_XPU_BACKEND': ''})
    assert (out.returncode, out.stdout, out.stderr) == (0, '', '')
