"""Elementwise functions, differences and statistics, against NumPy."""
import itertools

import numpy as np

import lines
import oracle

DTYPES = 'bBhHiIlLefd'


def test_lines():
    lines.check('math', ulp=2)


def test_einsum():
    lines.check('einsum', ulp=2)


def test_histograms_and_interpolation():
    lines.check('histogram', ulp=2)


def test_statistics():
    lines.check('statistics', ulp=4)


def values(dtype, n=40):
    x = np.random.default_rng(5).standard_normal(n) * 50
    return abs(x).astype(dtype) if dtype in 'BHIL' else x.astype(dtype)  # in range: casts out of range are not NumPy's promise


def test_rounding_of_every_dtype():
    failures = oracle.Failures()
    for dtype, decimals in itertools.product(DTYPES + 'FD', (-2, -1, 0, 1, 3)):
        failures(oracle.compare(lambda xp: xp.round(xp.asarray(values(dtype)), decimals)), dtype, decimals)
    failures.report()


def test_clip_of_every_dtype_and_kind_of_limits():
    failures = oracle.Failures()
    for dtype in DTYPES:
        for low, high in ((-3, 7), (None, 5), (2, None), (-1.5, 20.25), (5, 3), (-1000, 1000), (0, 300)):
            failures(oracle.compare(lambda xp: xp.clip(xp.asarray(values(dtype)), low, high)), dtype, low, high)
        failures(oracle.compare(lambda xp: xp.clip(xp.asarray(values(dtype)), xp.asarray(values('b')), xp.asarray(values('f')))), dtype)
    failures.report()


def test_differences_of_every_dtype():
    failures = oracle.Failures()
    for dtype in DTYPES + '?FD':
        for call in (lambda xp, a: xp.diff(a), lambda xp, a: xp.diff(a, 2), lambda xp, a: xp.diff(a.reshape(5, 8), axis=0),
                     lambda xp, a: xp.ediff1d(a), lambda xp, a: xp.isclose(a, a[::-1], rtol=0.5), lambda xp, a: xp.nan_to_num(a),
                     lambda xp, a: xp.real(a), lambda xp, a: xp.imag(a)):
            failures(oracle.compare(lambda xp: call(xp, xp.asarray(values(dtype)))), dtype)
    failures.report()


def test_order_statistics_of_every_dtype():
    failures = oracle.Failures()
    for dtype in DTYPES:
        for call in (lambda xp, a: xp.median(a), lambda xp, a: xp.median(a.reshape(5, 8), axis=0),
                     lambda xp, a: xp.median(a.reshape(5, 8), axis=1, keepdims=True),
                     lambda xp, a: xp.percentile(a, [5, 50, 92.5]), lambda xp, a: xp.average(a),
                     lambda xp, a: xp.quantile(a.reshape(5, 8), 0.3, axis=1), lambda xp, a: xp.unique(a, return_inverse=True),
                     lambda xp, a: xp.digitize(a, xp.arange(-90, 90, 30))):
            failures(oracle.compare(lambda xp: call(xp, xp.asarray(values(dtype))), ulp=2), dtype)
    failures.report()
