"""gather, scatter, masks and nonzero on the ascend backend."""
import os
import sys

import numpy
import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from native import cupy, dtypes, layouts, moved, no_rule_broken, on_device, same, values  # noqa: E402, F401


@pytest.mark.parametrize('dtype', dtypes('gather'))
def test_take_of_every_layout(dtype, rng):
    x = values(rng, (4, 3, 5), dtype)
    for name, view in layouts(x):
        device = moved(view)
        for axis in range(3):
            index = rng.integers(-x.shape[axis], x.shape[axis], (2, 3))
            same(on_device(cupy.take, device, cupy.asarray(index), axis=axis), numpy.take(x, index, axis=axis))


@pytest.mark.parametrize('mode', ['wrap', 'clip'])
def test_take_modes(mode, rng):
    x = values(rng, (4, 7), 'f')
    index = numpy.concatenate([rng.integers(-50, 50, 30), [-2**63, 2**63 - 1, 2**53 + 1, -2**53 - 1]])
    for axis in range(2):
        near = index % x.shape[axis] if mode == 'wrap' else index  # numpy.take wraps huge indices by very many subtractions
        same(on_device(cupy.take, cupy.asarray(x), cupy.asarray(index), axis=axis, mode=mode), numpy.take(x, near, axis=axis, mode=mode))


@pytest.mark.parametrize('dtype', dtypes('gather'))
def test_several_index_arrays(dtype, rng):
    x = values(rng, (4, 3, 5), dtype)
    i, j = rng.integers(-3, 3, (2, 6)), rng.integers(-3, 3, 6)
    for name, view in layouts(x):
        device, di, dj = moved(view), cupy.asarray(i), cupy.asarray(j)
        same(on_device(lambda: device[di, dj]), x[i, j])
        same(on_device(lambda: device[di[:, :, None], dj]), x[i[:, :, None], j])
        same(on_device(lambda: device[:, di, dj]), x[:, i, j])
        same(on_device(lambda: device[di, :, dj]), x[i, :, j])
        same(on_device(lambda: device[di, dj, dj]), x[i, j, j])
        same(on_device(lambda: device.T[di, dj]), x.T[i, j])


def test_layouts_of_indices(rng):
    x = values(rng, (6, 4), 'f')
    index = rng.integers(-6, 6, (3, 4))
    device = cupy.asarray(x)
    for view in (index, index[::-1], index.T, index[:, ::2], numpy.broadcast_to(index[0], (5, 4)), index[:1, :1], index[0, 0:0]):
        same(on_device(lambda: device[moved(view)] if view.size else device[cupy.asarray(view)]), x[view])
    same(on_device(cupy.take, device, cupy.asarray(2), axis=0), numpy.take(x, 2, axis=0))
    same(on_device(lambda: device[cupy.asarray(index.astype('i'))]), x[index])


@pytest.mark.parametrize('key', [(5,), (-6,), (0, 5, 9), (2**40,)])
def test_out_of_bounds_is_found_at_the_call(key):
    x = numpy.arange(15.0).reshape(5, 3)
    device, index = cupy.asarray(x), cupy.asarray(list(key))
    for use in (lambda a, i: a[i], lambda a, i: a[:, i], lambda a, i: a[i * 0, i], lambda a, i: a.__setitem__(i, 1),
                lambda a, i: a.take(i, axis=1)):
        with pytest.raises(IndexError) as wanted:
            use(x, numpy.array(key))
        with pytest.raises(IndexError) as found:
            on_device(use, device, index)
        assert str(found.value) == str(wanted.value)
    same(device, x)


@pytest.mark.parametrize('dtype', dtypes('scatter'))
def test_scatter_into_every_layout(dtype, rng):
    x = values(rng, (4, 3, 5), dtype)
    i, j = rng.integers(-3, 3, 7), rng.integers(-3, 3, 7)
    uses = [((i,), (7, 3, 5)), ((slice(None), i), (4, 7, 5)), ((i, j), (7, 5)), ((i, slice(None), j), (7, 3)), ((i, j, j), (7,)),
            ((i, j), (5,)), ((i, j), (7, 1)), ((i[:1], j[:1]), (1, 5)), ((i,), ())]
    for name, view in layouts(x):
        for key, shape in uses:
            new = values(rng, shape, dtype)
            expected, device = view.copy(), moved(view)
            expected[key] = new
            keys = tuple(cupy.asarray(k) if isinstance(k, numpy.ndarray) else k for k in key)
            on_device(device.__setitem__, keys, cupy.asarray(new))
            same(device, expected)


def test_the_last_of_equal_indices_wins(rng):
    x = numpy.zeros(50, 'f')
    device = cupy.asarray(x)
    for n in (2, 100, 3000):
        index, new = rng.integers(-50, 50, n), rng.random(n).astype('f')
        x[index] = new
        on_device(device.__setitem__, cupy.asarray(index), cupy.asarray(new))
        same(device, x)


def test_scatter_of_python_scalars_and_other_dtypes(rng):
    index = rng.integers(-6, 6, 9)
    for dtype in 'bilefdF?':
        x = values(rng, (6, 4), dtype)
        device = cupy.asarray(x)
        x[index] = 3
        on_device(device.__setitem__, cupy.asarray(index), 3)
        same(device, x)
    x = values(rng, (6, 4), 'f')
    device, new = cupy.asarray(x), rng.integers(0, 9, (9, 4)).astype('i')
    x[index] = new
    on_device(device.__setitem__, cupy.asarray(index), cupy.asarray(new))
    same(device, x)


@pytest.mark.parametrize('dtype', dtypes('mask_get'))
def test_masks(dtype, rng):
    x, mask = values(rng, (4, 3, 5), dtype), rng.random((4, 3, 5)) < 0.4
    n = int(mask.sum())
    for name, view in layouts(x):
        for kind, m in layouts(mask):
            device, dm = moved(view), moved(m)
            same(on_device(lambda: device[dm]), x[mask])
            new = values(rng, n, dtype)
            expected = view.copy()
            expected[mask] = new
            on_device(device.__setitem__, dm, cupy.asarray(new))
            same(device, expected)
            expected[mask] = new[0]
            on_device(device.__setitem__, dm, cupy.asarray(new[0]))
            same(device, expected)
            expected[mask] = 1
            on_device(device.__setitem__, dm, 1)
            same(device, expected)


def test_masks_of_one_kind_and_wrong_counts(rng):
    x = values(rng, (4, 5), 'f')
    device = cupy.asarray(x)
    for m in (numpy.zeros((4, 5), bool), numpy.ones((4, 5), bool)):
        same(on_device(lambda: device[cupy.asarray(m)]), x[m])
    mask = rng.random((4, 5)) < 0.5
    for n in (int(mask.sum()) - 1, int(mask.sum()) + 1):
        new = numpy.ones(n, 'f')
        with pytest.raises(ValueError) as wanted:
            x.copy()[mask] = new
        with pytest.raises(ValueError) as found:
            on_device(device.__setitem__, cupy.asarray(mask), cupy.asarray(new))
        assert str(found.value) == str(wanted.value)
        same(device, x)


@pytest.mark.parametrize('dtype', dtypes('nonzero'))
def test_nonzero(dtype, rng):
    for shape in ((7,), (4, 3, 5), (1, 1), (2, 1, 3)):
        x = numpy.where(rng.random(shape) < 0.5, values(rng, shape, dtype), numpy.zeros((), dtype))
        for name, view in layouts(x):
            device = moved(view)
            for a, b in zip(on_device(cupy.nonzero, device), numpy.nonzero(x)):
                same(a, b)


def test_many_axes_are_answered_too(rng):
    x = values(rng, (2,) * 10, 'f')
    device, order = cupy.asarray(x), (9, 0, 5, 3, 1, 8, 2, 7, 4, 6)
    same(device.transpose(order)[cupy.asarray([1, 0, -1])], x.transpose(order)[[1, 0, -1]])
    mask = rng.random(x.shape) < 0.5
    same(device.transpose(order)[cupy.asarray(mask)], x.transpose(order)[mask])
    for a, b in zip(cupy.nonzero(device), numpy.nonzero(x)):
        same(a, b)


def test_complex128_is_answered_by_the_host(rng):
    x = values(rng, (4, 5), 'D')
    device = cupy.asarray(x)
    same(device[cupy.asarray([1, -1])], x[[1, -1]])
    x[[1, 1]] = 2j
    device[cupy.asarray([1, 1])] = 2j
    same(device, x)
