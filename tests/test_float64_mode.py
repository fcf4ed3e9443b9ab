"""cupy.xpu.float64_mode: new arrays are visibly float32, what is float64 already stays exact."""
import os
import subprocess
import sys
import threading

import numpy
import pytest

import cupy

MADE = [
    lambda: cupy.array([1.5, 2]), lambda: cupy.array(2.5), lambda: cupy.zeros(3), lambda: cupy.ones((2, 2)), lambda: cupy.full(2, 0.5),
    lambda: cupy.empty(2, 'f8'), lambda: cupy.asarray(numpy.arange(3.)), lambda: cupy.array([[1.0], [2]]), lambda: cupy.array([]),
    lambda: cupy.arange(3) / 2, lambda: cupy.sqrt(cupy.arange(3)), lambda: cupy.arange(3) * 2.5, lambda: cupy.eye(2),
    lambda: cupy.arange(0, 1, .5),
    lambda: cupy.arange(4, dtype='f4') + cupy.arange(4),
]


@pytest.mark.parametrize('make', MADE)
def test_new_arrays(make):
    assert make().dtype == numpy.float64
    with cupy.xpu.float64_mode('float32'):
        made = make()
        assert made.dtype == numpy.float32
        with cupy.xpu.float64_mode('exact'):
            assert make().dtype == numpy.float64
    assert make().dtype == numpy.float64


def test_complex():
    with cupy.xpu.float64_mode('float32'):
        assert cupy.array([1j]).dtype == numpy.complex64
        assert (cupy.arange(2) * 1j).dtype == numpy.complex64


def test_existing_arrays_stay_exact():
    a, i = cupy.array([0.1, 0.2]), cupy.arange(2)
    exact = (a * 3 + i).get()
    with cupy.xpu.float64_mode('float32'):
        result = a * 3 + i
        assert result.dtype == numpy.float64
        numpy.testing.assert_array_equal(result.get(), exact)
        assert a.copy().dtype == numpy.float64 and a[:1].dtype == numpy.float64
        assert i.dtype == numpy.int64 and (i + 1).dtype == numpy.int64


def test_other_threads_are_not_concerned():
    found = []
    with cupy.xpu.float64_mode('float32'):
        thread = threading.Thread(target=lambda: found.append(cupy.zeros(1).dtype))
        thread.start()
        thread.join()
    assert found == [numpy.float64]


def test_unknown_mode():
    with pytest.raises(ValueError, match="'exact' or 'float32'"):
        with cupy.xpu.float64_mode('half'):
            pass
    assert cupy.zeros(1).dtype == numpy.float64


def test_environment():
    code = 'import cupy; print(cupy.zeros(1).dtype, (cupy.arange(2) / 2).dtype)'
    environment = dict(os.environ, CUPY_XPU_FLOAT64='float32')
    done = subprocess.run([sys.executable, '-c', code], env=environment, capture_output=True, text=True, timeout=120)
    assert done.stdout.split() == ['float32', 'float32'], done.stderr
