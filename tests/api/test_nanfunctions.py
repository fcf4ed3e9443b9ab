"""Reductions that skip NaN, against NumPy."""
import itertools

import numpy

import cupy
import oracle
from oracle import Failures, compare

rng = numpy.random.default_rng(8)


def with_nan(shape, dtype):
    a = numpy.asarray(rng.normal(size=shape) * 8).astype(dtype)
    if a.dtype.kind in 'fc':
        a[rng.random(shape) < .3] = numpy.nan
    return a


ARRAYS = [with_nan(s, d) for s in ((7,), (3, 4), (2, 3, 4), ()) for d in ('f4', 'f8', 'i4', 'F', 'D', 'u1')]
ARRAYS += [numpy.array([[numpy.nan, numpy.nan], [1., numpy.nan]]), numpy.array([True, False]), with_nan((4, 6), 'f8')[:, ::-2].T]
# single precision, where a device adds in another order
ATOL = 1e-5 if oracle.DEVICE else 0
REDUCTIONS = ('nansum', 'nanprod', 'nanmin', 'nanmax', 'nanmean', 'nanvar', 'nanstd')


def test_reductions():
    failures = Failures()
    for n, a in enumerate(ARRAYS):
        for name, axis, keep in itertools.product(REDUCTIONS, (None, 0, -1, (0, 1)), (False, True)):
            if name in ('nanmin', 'nanmax') and a.dtype.kind == 'c':
                continue
            failures(compare(lambda xp: getattr(xp, name)(xp.asarray(a), axis=axis, keepdims=keep), ulp=8, atol=ATOL), name, n, axis, keep)
        for name, axis in itertools.product(('nanargmin', 'nanargmax', 'nancumsum', 'nancumprod'), (None, 0, -1)):
            failures(compare(lambda xp: getattr(xp, name)(xp.asarray(a), axis=axis), ulp=8), name, n, axis)
    failures.report()


def test_options():
    a, mask = ARRAYS[7], rng.random((3, 4)) < .6
    failures = Failures()
    for name in REDUCTIONS:
        for options in ({'where': True}, {'dtype': 'f4'}, {'dtype': 'i4'}, {'initial': 2.}, {'ddof': 1}, {'ddof': 4}, {'correction': 1}):
            if name in ('nanmin', 'nanmax') and 'dtype' in options:
                continue
            failures(compare(lambda xp: getattr(xp, name)(xp.asarray(a), axis=1, **options), ulp=8), name, options)
        if name not in ('nanmin', 'nanmax'):
            failures(compare(lambda xp: getattr(xp, name)(xp.asarray(a), axis=0, where=xp.asarray(mask)), ulp=8), name, 'where')

        def with_out(xp):
            out = xp.zeros(3)
            return getattr(xp, name)(xp.asarray(a), axis=1, out=out) is out, out

        failures(compare(with_out, ulp=8), name, 'out')
    failures(compare(lambda xp: xp.nanvar(xp.asarray(a), axis=0, mean=xp.nanmean(xp.asarray(a), axis=0, keepdims=True)), ulp=8), 'mean')
    failures(compare(lambda xp: xp.nanmin(xp.zeros((0, 2)))), 'empty')
    failures.report()
    assert cupy.nansum(cupy.asarray([cupy.nan, 1]))._scalar and cupy.nanvar(cupy.asarray([cupy.nan, 1]))._scalar
