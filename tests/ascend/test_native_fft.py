"""Fourier transforms of one axis in single precision, and the plans of libasdsip."""
import os
import sys

import numpy
import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from native import cupy, layouts, moved, no_rule_broken, on_device  # noqa: E402, F401
from cupy_backends.ascend import _ascend  # noqa: E402

TOLERANCE = 1e-6  # of the greatest magnitude, times log2(n): float32 sums


def numbers(rng, shape, dtype):
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if dtype == 'F' else x).astype(dtype)


def check(name, x, device=None, **kwargs):
    result = on_device(getattr(cupy.fft, name), cupy.asarray(x) if device is None else device, **kwargs)
    expected = getattr(numpy.fft, name)(x.astype('D' if x.dtype.kind == 'c' else 'd'), **kwargs)
    assert result.dtype == ('f' if name == 'irfft' else 'F') and result.shape == expected.shape
    scale = max(abs(expected).max(), 1e-30) * max(numpy.log2(x.shape[kwargs.get('axis', -1)]), 1)
    assert abs(result.get() - expected).max() <= TOLERANCE * scale


@pytest.mark.parametrize('name', ['fft', 'ifft', 'rfft', 'irfft'])
def test_lengths_and_norms(name, rng):
    for n in (1, 2, 3, 8, 15, 64, 127, 199, 360, 1024):
        for norm in (None, 'ortho', 'forward'):
            x = numbers(rng, (3, n // 2 + 1 if name == 'irfft' else n), 'f' if name == 'rfft' else 'F')
            for length in (n, n + n // 2, n // 2 + 1):
                check(name, x, n=length, norm=norm)
            if name != 'irfft' or n % 2 == 0:
                check(name, x, norm=norm)


@pytest.mark.parametrize('name', ['fft', 'ifft', 'rfft', 'irfft'])
def test_axes_and_layouts(name, rng):
    x = numbers(rng, (6, 5, 8), 'f' if name == 'rfft' else 'F')
    for _, view in layouts(x):
        for axis in (0, 1, -1):
            check(name, x, moved(view), axis=axis)


def test_real_and_half_precision_input(rng):
    x = numbers(rng, 48, 'f')
    check('fft', x)
    check('ifft', x)
    half = x.astype('e')
    numpy.testing.assert_allclose(on_device(cupy.fft.rfft, cupy.asarray(half)).get(), numpy.fft.rfft(half.astype('d')),
                                  rtol=1e-4, atol=1e-4)


def test_the_input_is_kept(rng):
    x = numbers(rng, 32768, 'F')
    device = cupy.asarray(x)
    check('fft', x, device)
    numpy.testing.assert_array_equal(device.get(), x)
    y = numbers(rng, 9, 'F')
    device = cupy.asarray(y)
    check('irfft', y, device)
    numpy.testing.assert_array_equal(device.get(), y)


def test_other_lengths_and_dtypes_by_the_host(rng):
    x = numbers(rng, 211, 'F')  # a prime above 199
    numpy.testing.assert_allclose(cupy.fft.fft(cupy.asarray(x)).get(), numpy.fft.fft(x.astype('D')), rtol=1e-3, atol=1e-3)
    for dtype in ('d', 'D', 'i'):
        y = numpy.arange(12).astype(dtype)
        numpy.testing.assert_array_equal(cupy.fft.fft(cupy.asarray(y)).get(), numpy.fft.fft(y))
    with pytest.raises(ValueError):
        cupy.fft.fft(cupy.asarray(x), norm='none')
    with pytest.raises(ValueError):
        cupy.fft.fft(cupy.asarray(x), n=0)


def test_plans_are_kept(rng):
    x = cupy.asarray(numbers(rng, (4, 24), 'F'))
    cupy.fft.fft(x)
    before = _ascend.plan_statistics()
    for _ in range(5):
        cupy.fft.fft(x)
    after = _ascend.plan_statistics()
    assert after['hits'] == before['hits'] + 5 and after['misses'] == before['misses']
    for n in range(2, 60):
        cupy.fft.fft(x, n=n)
    last = _ascend.plan_statistics()
    assert last['evictions'] > after['evictions'] and last['entries'] <= 16


def test_streams(rng):
    x, a = numbers(rng, (8, 64), 'F'), numbers(rng, (40, 40), 'F')
    device, matrix = cupy.asarray(x), cupy.asarray(a)
    wanted, product = cupy.fft.fft(device).get(), (matrix @ matrix).get()
    streams = [cupy.xpu.Stream() for _ in range(3)]
    for _ in range(5):
        for stream in streams:
            with stream:
                r, p = on_device(cupy.fft.fft, device), on_device(cupy.matmul, matrix, matrix)
                stream.synchronize()
                numpy.testing.assert_array_equal(r.get(), wanted)
                numpy.testing.assert_array_equal(p.get(), product)
