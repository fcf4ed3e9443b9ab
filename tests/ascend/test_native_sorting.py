"""sort and argsort on the ascend backend: NumPy's order, whatever the device does with NaN and zeros."""
import os
import sys

import numpy
import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from native import cupy, dtypes, layouts, moved, no_rule_broken, on_device, same, values  # noqa: E402, F401


def equal(result, expected):
    """Equal as sort sees it: any NaN, any zero."""
    result = cupy.asnumpy(result)
    assert result.dtype == expected.dtype and result.shape == expected.shape
    numpy.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize('dtype', dtypes('sort'))
def test_sort(dtype, rng):
    for shape in ((40,), (6, 3, 7), (2, 1)):
        x = values(rng, shape, dtype)
        for name, view in layouts(x):
            device = moved(view)
            for axis in range(len(shape)):
                equal(on_device(cupy.sort, device, axis=axis), numpy.sort(x, axis=axis))
                same(on_device(cupy.sort, device, axis=axis, kind='stable'), numpy.sort(x, axis=axis, kind='stable'))
            copy = view.copy()
            copy.sort(axis=0)
            on_device(device.sort, axis=0)
            equal(device, copy)


@pytest.mark.parametrize('dtype', dtypes('argsort'))
def test_argsort_is_stable(dtype, rng):
    for shape in ((40,), (6, 3, 7), (2, 1)):
        x = values(rng, shape, dtype)
        for name, view in layouts(x):
            for axis in range(len(shape)):
                same(on_device(cupy.argsort, moved(view), axis=axis), numpy.argsort(x, axis=axis, kind='stable'))


@pytest.mark.parametrize('dtype', ['e', 'f'])
def test_only_nan_and_only_infinity(dtype):
    for line in ([numpy.nan] * 5, [numpy.inf] * 5, [numpy.nan, numpy.inf, numpy.nan, numpy.inf, -numpy.inf], [0.0, -0.0, 0.0, -0.0]):
        x = numpy.array(line, dtype)
        equal(on_device(cupy.sort, cupy.asarray(x)), numpy.sort(x))
        same(on_device(cupy.argsort, cupy.asarray(x)), numpy.argsort(x, kind='stable'))


@pytest.mark.parametrize('dtype', ['H', 'I', 'L', 'd', 'F', 'D'])
def test_dtypes_of_the_host(dtype, rng):
    x = values(rng, (5, 6), dtype)
    equal(cupy.sort(cupy.asarray(x)), numpy.sort(x))
    same(cupy.argsort(cupy.asarray(x)), numpy.argsort(x, kind='stable'))


def test_many_axes(rng):
    x = values(rng, (2,) * 10, 'f')
    equal(on_device(cupy.sort, cupy.asarray(x), axis=4), numpy.sort(x, axis=4))
    order = (9, 0, 5, 3, 1, 8, 2, 7, 4, 6)
    equal(cupy.sort(cupy.asarray(x).transpose(order), axis=4), numpy.sort(x.transpose(order), axis=4))
