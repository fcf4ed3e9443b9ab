"""Functions that make arrays, against NumPy."""
import numpy as np

import cupy
import lines
import oracle

DTYPES = '?bBhHiIlLefdFD'


def test_lines():
    lines.check('creation')


def test_arange_of_every_dtype():
    failures = oracle.Failures()
    for dtype in DTYPES[1:]:
        for args in ((7,), (2, 11), (0, 100, 7), (1, 2, 0.125), (10, 0, -3), (0.1, 3, 0.7), (5, 5), (5, 1)):
            failures(oracle.compare(lambda xp: xp.arange(*args, dtype=dtype)), dtype, args)
    failures.report()


def test_like_functions_keep_the_layout():
    failures = oracle.Failures()
    for name in ('empty_like', 'zeros_like', 'ones_like'):
        for order in 'KCFA':
            for axes in ((0, 1, 2), (2, 1, 0), (1, 2, 0), (2, 0, 1)):
                def strides(xp):
                    return getattr(xp, name)(xp.ones((2, 3, 4)).transpose(axes), order=order, dtype='f4').strides
                failures(oracle.compare(strides), name, order, axes)
    failures.report()


def test_linspace_is_exact_for_many_lengths():
    failures = oracle.Failures()
    for num in (2, 3, 10, 49, 50, 101, 1000):
        for start, stop in ((0, 1), (-1.5, 2.25), (1e-3, 7), (5, -3)):
            for endpoint in (True, False):
                failures(oracle.compare(lambda xp: xp.linspace(start, stop, num, endpoint=endpoint, retstep=True)), num, start, stop)
    failures.report()


def test_arguments_that_cupy_takes_by_intent():
    # np.arange(start=3) is an error in NumPy 2.4, and full_like(a, None) is NaN: not copied
    assert cupy.arange(start=3).tolist() == [0, 1, 2]
    assert cupy.frombuffer(np.array([1, 2], '>i4').tobytes(), '>i4').tolist() == [1, 2]


def test_arrays_of_other_libraries_are_refused():
    failures = oracle.Failures()
    for call in (lambda x: cupy.zeros_like(x), lambda x: cupy.concatenate([x, x]), lambda x: cupy.clip(x, 0, 1),
                 lambda x: cupy.array_equal(x, x)):
        _, error = oracle.outcome(call, np.ones(3))
        failures('' if isinstance(error, TypeError) and 'asarray' in str(error) else f'{error!r}')
    failures.report()
