"""What the test_native_* modules share. They run on the ascend backend; test_native.py runs them on the emulator, each in a process."""
import os
import pathlib
import re

import numpy
import pytest

if os.environ.get('CUPY_XPU_BACKEND') != 'ascend':
    pytest.skip('needs the ascend backend; test_native.py runs this on the emulator', allow_module_level=True)

import cupy  # noqa: E402
import cupy.xpu  # noqa: E402
import cupy_backends  # noqa: E402

import emulator  # noqa: E402

ROWS = pathlib.Path(cupy_backends.__path__[0]) / 'ascend' / 'rows.def'
EMULATED = os.environ.get('CUPY_ASCEND_EMULATOR') not in (None, '', '0')


def dtypes(op, method='CALL'):
    """The type characters of an op's row: what needs no fallback."""
    if not ROWS.exists():
        pytest.skip('the tests are not in a source tree', allow_module_level=True)
    row = re.search(rf'^ASCEND_ROW\({op}, {method}, \w+, \w+, "(.*)", "(.*)"\)', ROWS.read_text(), re.M)
    return row[1] + row[2]


def on_device(f, *args, **kwargs):
    """f(...) with fallbacks switched off."""
    with cupy.xpu.fallback_policy('error'):
        return f(*args, **kwargs)


def values(rng, shape, dtype):
    """Any bits of the dtype, floats with NaN, infinities and both zeros among them."""
    dtype = numpy.dtype(dtype)
    n = int(numpy.prod(shape, dtype=int))
    if dtype.kind == 'b':
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in 'iu':
        return numpy.frombuffer(rng.bytes(n * dtype.itemsize), dtype).reshape(shape).copy()
    x = rng.integers(-9, 9, shape).astype(dtype)
    special = numpy.array([numpy.nan, numpy.inf, -numpy.inf, -0.0, 0.0, 1.5], dtype)
    return numpy.where(rng.random(shape) < 0.5, special[rng.integers(0, 6, shape)], x)


def layouts(x):
    """(name, host view) of the same values in memory of different kinds."""
    yield 'contiguous', x
    yield 'fortran', numpy.asfortranarray(x)
    wide = numpy.repeat(x, 2, -1)
    yield 'strided', wide[..., ::2]
    yield 'reversed', x[::-1].copy()[::-1]
    yield 'offset', numpy.concatenate([x[:1], x])[1:]


def moved(view):
    """A device array with the layout of a host view: its base is copied, then seen the same way."""
    base = view
    while isinstance(base.base, numpy.ndarray):
        base = base.base
    flat = numpy.lib.stride_tricks.as_strided(base, (base.size,), (base.itemsize,)) if base.flags.forc else base
    start = view.__array_interface__['data'][0] - flat.__array_interface__['data'][0]
    device = cupy.asarray(flat)
    from cupy.lib.stride_tricks import as_strided
    shifted = device[start // view.itemsize:] if view.size else device
    return as_strided(shifted, view.shape, view.strides)


def same(result, expected):
    """Equal bit for bit, shape and dtype too."""
    result = cupy.asnumpy(result)
    expected = numpy.asarray(expected)
    assert result.dtype == expected.dtype and result.shape == expected.shape
    if result.tobytes() != expected.tobytes():
        numpy.testing.assert_array_equal(result, expected)
        assert numpy.ascontiguousarray(result).tobytes() == numpy.ascontiguousarray(expected).tobytes(), 'the bits differ'


@pytest.fixture(autouse=True)
def no_rule_broken():
    if EMULATED:
        emulator.library().emu_clear_violations()
    yield
    if EMULATED:
        cupy.xpu.Device().synchronize()
        assert emulator.library().emu_violation_count() == 0, emulator._text(emulator.library().emu_violations)
