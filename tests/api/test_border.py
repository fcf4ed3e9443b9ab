"""Arrays that cross the border to NumPy and back: layouts, byte orders, owners, lifetimes."""
import gc

import numpy
import pytest

import cupy
from cupy._core import _host_call as border


def layouts():
    a = numpy.arange(24.).reshape(2, 3, 4)
    raw = numpy.frombuffer(bytearray(range(65)), 'u1')
    yield from (a, a.T, a[::-1, :, ::-2], a[:, :0], a[0, 0, 0:1], numpy.array(2.5), numpy.zeros((0,)), numpy.zeros((3, 0, 2)),
                numpy.broadcast_to(numpy.arange(3), (4, 3)), a.astype('>f8'), raw[1:].view('f8'), numpy.asfortranarray(a), a.swapaxes(0, 1),
                numpy.arange(3)[::-1], numpy.arange(12, dtype='i2')[::5], numpy.zeros((1,) * 32), numpy.array([True, False])[::-1],
                numpy.array([1 + 2j, 3])[::-1], numpy.arange(100, dtype='F').reshape(10, 10)[2:7, 3:4], numpy.zeros(1000)[:1])


@pytest.mark.parametrize('staged', [False, True])
def test_layouts(staged):
    old = border.stage_always(staged)
    try:
        for n, a in enumerate(layouts()):
            for make in (border.ours, border.from_numpy):
                got = make(a)
                assert type(got) is cupy.ndarray and got.shape == a.shape and got.dtype == a.dtype.newbyteorder('='), n
                numpy.testing.assert_array_equal(got.get(), a)
                numpy.testing.assert_array_equal((got + 0 if a.dtype != bool else got | False).get(), a)
                numpy.testing.assert_array_equal(border.host(got), a)
                flags = border.host(got).flags
                assert flags.c_contiguous == got.flags.c_contiguous and flags.f_contiguous == got.flags.f_contiguous, n
                assert border.host(got).strides == got.strides or a.size == 0 or staged
    finally:
        border.stage_always(old)


def test_from_numpy_copies_and_keeps_order():
    a = numpy.asfortranarray(numpy.arange(6.).reshape(2, 3))
    got = border.from_numpy(a)
    a[0, 0] = 99
    assert got[0, 0] == 0 and got.flags.f_contiguous and got.flags.writeable and got.flags.owndata
    assert not border.from_numpy(a).base


@pytest.mark.host_only('a device has memory of its own')
def test_ours_shares_host_memory():
    a = numpy.arange(1000.)
    got = border.ours(a)
    a[0] = 7
    assert got[0] == 7
    a.flags.writeable = False
    assert not border.ours(a).flags.writeable
    with pytest.raises(ValueError):
        border.ours(a)[0] = 1


@pytest.mark.host_only('a device has memory of its own')
def test_views_come_home():
    a = cupy.arange(12.).reshape(3, 4)
    view = border.host(a)
    assert view.base is a and border.ours(view) is a
    part = border.ours(view[1:, ::2])
    part[...] = -1
    assert a.get().tolist()[1:] == [[-1, 5, -1, 7], [-1, 9, -1, 11]]
    assert cupy.shares_memory(part, a) and part.shape == (2, 2)
    a.flags.writeable = False
    assert not border.host(a).flags.writeable


def test_owners_live_as_long_as_needed():
    view = border.host(cupy.full(1000, 3.))
    got = border.ours(numpy.full(5000, 4.))
    parts = [got[i::7] for i in range(7)]
    del got
    gc.collect()
    junk = [cupy.zeros(5000) for _ in range(10)] + [numpy.zeros(5000) for _ in range(10)]
    assert (view == 3).all() and all((p == 4).all() for p in parts)
    del junk


def test_scalars():
    for value in (numpy.float32(1.5), numpy.bool_(True), numpy.int8(-3), numpy.uint64(2**64 - 1), numpy.complex64(1 - 2j),
                  numpy.float16(.1)):
        got = border.ours(value)
        assert got._scalar and got.dtype == value.dtype and got.item() == value.item()
        assert type(border.host(got)) is type(value) and border.host(got) == value
    assert border.ours((1, 2.5, 'x', None)) == (1, 2.5, 'x', None)


@pytest.mark.parametrize('value', [numpy.array(['a']), numpy.array([None]), numpy.zeros(1, 'M8[s]'), numpy.zeros(1, [('a', 'f4')]),
                                   numpy.zeros(1, 'g'), numpy.longdouble(1), numpy.datetime64('2020')])
def test_unsupported_dtypes(value):
    with pytest.raises(TypeError, match='dtype'):
        border.ours(value)
    if isinstance(value, numpy.ndarray):
        with pytest.raises(TypeError, match='dtype'):
            border.from_numpy(value)


def test_containers():
    a = cupy.arange(3)
    got = border.ours({'x': [numpy.arange(2), (numpy.float64(1), 'y')]})
    assert isinstance(got['x'][0], cupy.ndarray) and isinstance(got['x'][1][0], cupy.ndarray) and got['x'][1][1] == 'y'
    back = border.host({'k': [a, (a, 1)], 'm': 2})
    assert isinstance(back['k'][0], numpy.ndarray) and isinstance(back['k'][1][0], numpy.ndarray) and back['m'] == 2
    same = [1, 2.5, [3]]
    assert border.host(same) is same


def test_masked_and_other_subclasses_become_plain():
    assert type(border.ours(numpy.matrix([[1., 2.]]))) is cupy.ndarray


def test_odd_arguments_raise():
    for function in (cupy.fft.fft, cupy.linalg.svd, cupy.linalg.solve, cupy.linalg.det, cupy.histogram, cupy.polyfit, cupy.interp):
        for args in ((), (None,), ('x',), (object(),), (cupy.zeros(()),), ([],), (cupy.zeros((2, 2)),) * 5, (1j, {}), ([[1], [2, 3]],)):
            try:
                function(*args)
            except Exception as error:
                assert not isinstance(error, SystemError), (function, args)
