"""Norms, powers and chains of matrices, frequencies, and functions with complex results, against NumPy."""
import itertools

import numpy
import pytest

import cupy
from oracle import Failures, check, compare

rng = numpy.random.default_rng(2)
ARRAYS = {'v4': rng.normal(size=7).astype('f4'), 'v': rng.normal(size=9), 'm': rng.normal(size=(4, 3)),
          'f': rng.normal(size=(4, 3)).astype('f4').T,
          'c': rng.normal(size=(3, 3)) + 1j * rng.normal(size=(3, 3)), 't': rng.normal(size=(2, 3, 4)), 'i': rng.integers(-9, 9, (3, 4)),
          's': rng.normal(size=(6, 8))[::2, ::-2], 'zero': numpy.zeros((0, 3)), 'scalar': numpy.array(-3.), 'b': numpy.array([True, False]),
          'v16': rng.normal(size=5).astype('f2'), 'vc': (rng.normal(size=5) + 1j).astype('F')}
ORDERS = (None, 0, 1, -1, 2, -2, 3, .5, numpy.inf, -numpy.inf, 'fro', 'nuc', 'f', 'other')
AXES = (None, 0, -1, 1, (0, 1), (1, 0), (-2, -1), (0, 0), (0, 1, 2), 5, 'x')


def get(xp, name):
    return ARRAYS[name] if xp is numpy else cupy.asarray(ARRAYS[name])


def test_norm():
    failures = Failures()
    for name, order, axis, keep in itertools.product(ARRAYS, ORDERS, AXES, (False, True)):
        failures(compare(lambda xp: xp.linalg.norm(get(xp, name), order, axis, keep), ulp=4), name, order, axis, keep)
    failures.report()


def test_vector_and_matrix_norm():
    failures = Failures()
    for name, order, axis, keep in itertools.product(ARRAYS, (1, 2, numpy.inf, 3), (None, 0, -1, (0, 1), (0, 2)), (False, True)):
        failures(compare(lambda xp: xp.linalg.vector_norm(get(xp, name), axis=axis, keepdims=keep, ord=order), ulp=4), name, order, axis)
        failures(compare(lambda xp: xp.linalg.matrix_norm(get(xp, name), keepdims=keep, ord=order), ulp=4), name, order)
    failures.report()


def test_matrix_power():
    failures = Failures()
    for n in (*range(-3, 8), 15, 2.5, 'x'):
        for name in ('c', 'm', 'v', 'i'):
            failures(compare(lambda xp: xp.linalg.matrix_power(get(xp, name), n), ulp=4), name, n)
    failures(compare(lambda xp: xp.linalg.matrix_power(xp.asarray([[1, 1], [1, 0]]), 30)))
    failures.report()


@pytest.mark.parametrize('shapes', [((3, 4), (4, 5)), ((10, 3), (3, 20), (20, 2)), ((4,), (4, 5), (5,)), ((4, 2), (2, 6), (6, 3), (3, 5)),
                                    ((4,), (4, 5), (5, 6), (6, 2)), ((3, 4), (4, 5), (5,)), ((2, 3),), ((2, 2, 2), (2, 2), (2, 2))])
def test_multi_dot(shapes):
    arrays = [rng.normal(size=s) for s in shapes]
    check(lambda xp: xp.linalg.multi_dot([xp.asarray(a) for a in arrays]), ulp=8)

    def with_out(xp):
        out = xp.zeros((shapes[0][0], shapes[-1][-1]))
        return xp.linalg.multi_dot([xp.asarray(a) for a in arrays], out=out) is out, out

    if all(len(s) == 2 for s in shapes) and len(shapes) > 1:
        check(with_out, ulp=8)


def test_products():
    for name in ('outer', 'vecdot', 'tensordot', 'cross'):
        options = {'axes': 1} if name == 'tensordot' else {}
        check(lambda xp: getattr(xp.linalg, name)(xp.asarray([1., 2, 3]), xp.asarray([3., 2, 1]), **options))
    check(lambda xp: xp.linalg.outer(xp.ones((2, 2)), xp.ones(2)))
    check(lambda xp: xp.linalg.cross(xp.ones(2), xp.ones(2)))
    check(lambda xp: xp.linalg.trace(xp.arange(24).reshape(2, 3, 4), offset=1))
    check(lambda xp: xp.linalg.diagonal(xp.arange(24).reshape(2, 3, 4), offset=-1))
    check(lambda xp: xp.linalg.matrix_transpose(xp.arange(24).reshape(2, 3, 4)))
    check(lambda xp: xp.linalg.matmul(xp.eye(2), xp.ones((2, 3))))


def test_frequencies_and_shifts():
    failures = Failures()
    for n in (1, 2, 5, 8, 0, 2.5):
        failures(compare(lambda xp: xp.fft.fftfreq(n, .3)), n)
        failures(compare(lambda xp: xp.fft.rfftfreq(n, 3)), n)
        failures(compare(lambda xp: xp.fft.fftshift(xp.arange(int(n)))), n)
    for axes in (None, 0, 1, (0, 1), [1], (0, 0), 2):
        failures(compare(lambda xp: xp.fft.fftshift(xp.arange(15).reshape(3, 5), axes)), axes)
        failures(compare(lambda xp: xp.fft.ifftshift(xp.arange(15).reshape(3, 5), axes)), axes)
    failures.report()


EMATH = [[1., 4.], [-1., 4.], [2, 3], [-2, 3], [.5, -.5], [1 + 2j, -3], -4, .25, [], [True, False]]


def test_emath():
    failures = Failures()
    for x, dtype in itertools.product(EMATH, (None, 'f4', 'i1', 'u2', 'f2', 'F')):
        if dtype in ('f4', 'i1', 'u2', 'f2') and any(isinstance(e, complex) or (dtype == 'u2' and e < 0) for e in numpy.ravel(x).tolist()):
            continue
        for name in ('sqrt', 'log', 'log2', 'log10', 'arccos', 'arcsin', 'arctanh'):
            failures(compare(lambda xp: getattr(xp.emath, name)(xp.asarray(x, dtype)), ulp=2), name, x, dtype)
        failures(compare(lambda xp: xp.emath.logn(2, xp.asarray(x, dtype)), ulp=2), 'logn', x, dtype)
        failures(compare(lambda xp: xp.emath.power(xp.asarray(x, dtype), 2), ulp=2), 'power', x, dtype)
        failures(compare(lambda xp: xp.emath.power(xp.asarray(x, dtype), -2), ulp=2), 'power -2', x, dtype)
    failures(compare(lambda xp: xp.emath.sqrt(-1)))
    failures.report()


def test_plain_arguments():
    """The short ways to NumPy's gufuncs answer bit for bit as NumPy's functions, and fail as they do."""
    failures = Failures()
    special = {'singular': numpy.ones((2, 2)), 'nan': numpy.array([[numpy.nan, 1], [1, 2.]]), 'big': numpy.full((2, 2), 1e300)}
    for dtype in 'fdFDei':
        stack = rng.normal(size=(3, 4, 4)) + 4 * numpy.eye(4)
        stack = (stack + stack.swapaxes(1, 2)).astype(dtype)
        if dtype in 'FD':
            stack = stack + 1j * numpy.eye(4).astype(dtype) * 0
        cases = {'stack': stack, 'one': stack[0], 'view': stack[1, ::-1, ::-1].T, 'flat': stack[0, 0], 'wide': stack[0, :2],
                 'none': stack[:0], 'tiny': stack[0, :1, :1], 'empty': stack[0, :0, :0],
                 **{k: v.astype(dtype) for k, v in special.items() if dtype in 'd'}}
        for name, a in cases.items():
            for function in ('inv', 'cholesky', 'eigh', 'svd', 'det', 'eigvalsh'):
                failures(compare(lambda xp: getattr(xp.linalg, function)(xp.asarray(a))), function, dtype, name)
            failures(compare(lambda xp: xp.linalg.svd(xp.asarray(a), False)), 'svd reduced', dtype, name)
            for b in (stack[0], stack[0, 0], stack, stack[0, :, :1], stack[0, :3], stack[0].real.astype('f4')):
                failures(compare(lambda xp: xp.linalg.solve(xp.asarray(a), xp.asarray(b))), 'solve', dtype, name, b.shape)
        for a in (stack, stack[0, 0], stack[0, 0, :1], stack[..., :3], stack[:, :, :0], stack[0, 0, 0], stack.astype('d')[0] * 1e308):
            failures(compare(lambda xp: xp.fft.fft(xp.asarray(a))), 'fft', dtype, a.shape)
    failures.report()


def test_no_warnings():
    import warnings
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        big = cupy.full((3, 3), 1e308)
        for function in (cupy.fft.fft, cupy.fft.ifft, cupy.fft.rfft2, cupy.fft.irfft, cupy.linalg.det, cupy.linalg.norm, cupy.linalg.qr):
            function(big)


def test_a_failure_leaves_the_settings():
    with numpy.errstate(invalid='raise'):
        with pytest.raises(numpy.linalg.LinAlgError):
            cupy.linalg.inv(cupy.zeros((2, 2)))
        assert numpy.geterr()['invalid'] == 'raise'
    assert (cupy.linalg.inv(cupy.eye(2)) == cupy.eye(2)).all()
