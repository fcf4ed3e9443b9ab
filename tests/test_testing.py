"""cupy.testing: the helpers that test-suites written for CuPy use."""
import unittest

import numpy
import pytest

import cupy
from cupy import testing


class TestDual:
    @testing.for_all_dtypes()
    @testing.numpy_cupy_allclose()
    def test_allclose(self, xp, dtype):
        return testing.shaped_arange((2, 3), xp, dtype) * 2

    @testing.for_dtypes([numpy.float32, 'f8'])
    @testing.for_orders('CF')
    @testing.numpy_cupy_array_equal(strides_check=True)
    def test_array_equal(self, xp, dtype, order):
        return testing.shaped_random((3, 4), xp, dtype, order=order)

    @testing.numpy_cupy_allclose(rtol={numpy.float16: 1e-3, 'default': 1e-6}, name='np')
    def test_name_and_tolerances(self, np):
        return np.arange(3, dtype='e'), np.arange(4.)

    @testing.numpy_cupy_array_almost_equal(decimal=5)
    def test_almost_equal(self, xp):
        return xp.ones(3) / 3

    @testing.numpy_cupy_array_almost_equal_nulp(nulp=2)
    def test_nulp(self, xp):
        return xp.ones(3) / 3

    @testing.numpy_cupy_array_max_ulp(maxulp=2)
    def test_ulp(self, xp):
        return xp.ones(3) / 3

    @testing.numpy_cupy_array_list_equal()
    def test_list(self, xp):
        return [xp.arange(3), xp.zeros((2, 2))]

    @testing.numpy_cupy_array_less()
    def test_less(self, xp):
        return xp.zeros(3) if xp is cupy else xp.ones(3)

    @testing.numpy_cupy_equal()
    def test_equal(self, xp):
        return xp.ones((3, 4)).T.shape

    @testing.numpy_cupy_raises(accept_error=ValueError)
    def test_raises(self, xp):
        xp.zeros(3).reshape(2)

    @testing.numpy_cupy_array_equal(accept_error=ValueError)
    def test_accept_error(self, xp):
        return xp.zeros(3).reshape(2)

    @pytest.mark.parametrize('n', [1, 2])
    @testing.numpy_cupy_array_equal()
    def test_with_pytest(self, xp, n):
        return xp.arange(n)


def _wrong_value(xp):
    return xp.ones(2) if xp is cupy else xp.zeros(2)


def _wrong_dtype(xp):
    return xp.ones(2, 'f4') if xp is cupy else xp.ones(2)


def _wrong_shape(xp):
    return xp.ones(2) if xp is cupy else xp.ones((2, 1))


def _only_cupy_fails(xp):
    if xp is cupy:
        raise ValueError('no')
    return xp.ones(2)


def _both_fail(xp):
    raise ValueError('no')


def _other_error(xp):
    raise ValueError('no') if xp is cupy else TypeError('no')


@pytest.mark.parametrize('function', [_wrong_value, _wrong_dtype, _wrong_shape, _only_cupy_fails, _both_fail, _other_error])
@pytest.mark.parametrize('decorator', [testing.numpy_cupy_allclose(), testing.numpy_cupy_array_equal(),
                                       testing.numpy_cupy_array_almost_equal()])
def test_differences_are_found(function, decorator):
    with pytest.raises(AssertionError):
        decorator(function)()


def test_equal_finds_differences():
    with pytest.raises(AssertionError):
        testing.numpy_cupy_equal()(lambda xp: xp is cupy)()
    with pytest.raises(AssertionError):
        testing.numpy_cupy_raises()(lambda xp: 1)()


def test_dtype_loops():
    def seen(decorator, *names):
        calls = []
        decorator(lambda **kw: calls.append(tuple(kw[n] for n in names)))()
        return calls

    assert len(seen(testing.for_all_dtypes(), 'dtype')) == 14
    assert len(seen(testing.for_all_dtypes(no_bool=True, no_complex=True, no_float16=True), 'dtype')) == 10
    assert len(seen(testing.for_float_dtypes(), 'dtype')) == 3
    assert len(seen(testing.for_int_dtypes(no_bool=True), 'dtype')) == 8
    assert len(seen(testing.for_signed_dtypes(), 'dtype')) == 4
    assert len(seen(testing.for_unsigned_dtypes(), 'dtype')) == 4
    assert len(seen(testing.for_complex_dtypes(name='d'), 'd')) == 2
    assert len(seen(testing.for_all_dtypes_combination(('a', 'b'), full=True), 'a', 'b')) == 196
    some = seen(testing.for_all_dtypes_combination(('a', 'b')), 'a', 'b')
    assert {a for a, _ in some} == {b for _, b in some} and len({a for a, _ in some}) == 14
    assert len(seen(testing.for_int_dtypes_combination(('a', 'b'), full=True), 'a', 'b')) == 81
    assert seen(testing.for_signed_dtypes_combination(('a',), full=True), 'a') == seen(testing.for_signed_dtypes('a'), 'a')
    assert seen(testing.for_unsigned_dtypes_combination(('a',), full=True), 'a') == seen(testing.for_unsigned_dtypes('a'), 'a')
    assert set(seen(testing.for_CF_orders(), 'order')) >= {('C',), ('F',)}


def test_contiguous_axes():
    class Case:
        shape, order, seen = (2, 3, 4), 'C', []

        @testing.for_contiguous_axes()
        def run(self, axis):
            self.seen.append(axis)

    Case().run()
    assert Case.seen == [(2,), (1, 2), (0, 1, 2)]


@testing.parameterize(*testing.product({'shape': [(2,), (3, 4)], 'dtype': ['i4', 'f8']}))
class TestParameterized(unittest.TestCase):
    seen = []

    def test_attributes(self):
        a = testing.shaped_arange(self.shape, cupy, self.dtype)
        assert a.shape == self.shape and a.dtype == self.dtype
        self.seen.append((self.shape, self.dtype))


def test_parameterize_made_classes():
    assert sum(n.startswith('TestParameterized_') for n in globals()) == 4
    assert testing.product_dict([{'a': 1}], [{'b': 2}, {'b': 3}]) == [{'a': 1, 'b': 2}, {'a': 1, 'b': 3}]


def test_inputs():
    assert testing.shaped_arange((2, 2), cupy, 'i4').tolist() == [[1, 2], [3, 4]]
    assert testing.shaped_arange((3,), numpy, '?').tolist() == [False, True, False]
    assert testing.shaped_reverse_arange((3,), cupy, 'F').tolist() == [3 + 3j, 2 + 2j, 1 + 1j]
    for dtype in '?bBhHiIlLefdFD':
        a, b = (testing.shaped_random((3, 5), xp, dtype, seed=3, order='F') for xp in (numpy, cupy))
        assert a.dtype == dtype and b.flags.f_contiguous
        testing.assert_array_equal(a, b, strides_check=True)
    line = testing.shaped_linspace(0, 1, (3,), cupy, 'f8')
    assert line.tolist() == [0, 0.5, 1]
    for shape in [(3, 3), (2, 4, 3), (3, 5)]:
        for dtype in 'fdFD':
            k = min(shape[-2:])
            a = testing.generate_matrix(shape, cupy, dtype, singular_values=range(1, k + 1))
            assert a.dtype == dtype and a.shape == shape
            values = numpy.linalg.svd(cupy.asnumpy(a), compute_uv=False)
            numpy.testing.assert_allclose(values, numpy.broadcast_to(range(k, 0, -1), values.shape), rtol=1e-5)
    for bad in [dict(shape=(3,)), dict(shape=(2, 2), dtype='i4'), dict(shape=(2, 2), singular_values=[-1.0, 1.0])]:
        with pytest.raises(ValueError):
            testing.generate_matrix(xp=cupy, **bad)


def test_assertions():
    a = cupy.arange(4.)
    for good in [testing.assert_array_equal, testing.assert_allclose, testing.assert_equal, testing.assert_array_almost_equal,
                 testing.assert_almost_equal, testing.assert_array_almost_equal_nulp, testing.assert_array_max_ulp]:
        good(a, numpy.arange(4.))
        with pytest.raises(AssertionError):
            good(a, a + 1)
    testing.assert_array_less(a, a + 1)
    testing.assert_array_list_equal([a, a], [a, numpy.arange(4.)])
    with pytest.raises(AssertionError):
        testing.assert_array_list_equal([a], [a, a])
    with pytest.raises(AssertionError):
        testing.assert_array_equal(cupy.zeros((2, 2)), cupy.zeros((2, 2), order='F'), strides_check=True)
    with testing.assert_raises(ValueError):
        raise ValueError
    assert set(numpy.testing.__all__) <= set(dir(testing))


def test_versions():
    assert testing.installed('numpy') and testing.installed('numpy>=1.26', 'pytest') and not testing.installed('numpy>=99')
    assert not testing.installed('no-such-package-here')
    assert testing.numpy_satisfies('>=1.26') and not testing.numpy_satisfies('<1')


@testing.with_requires('numpy>=99')
def test_skipped_by_version():
    raise AssertionError('must not run')


@testing.multi_gpu(1000)
def test_skipped_by_devices():
    raise AssertionError('must not run')


@testing.multi_gpu(1)
def test_one_device():
    assert cupy.ones(1)[0] == 1


@testing.fix_random()
def _draws():
    return numpy.random.rand(), cupy.random.rand(2).tolist(), testing.generate_seed()


def test_fix_random():
    assert _draws() == _draws()


def test_function_is_called():
    with testing.AssertFunctionIsCalled('math.sqrt'):
        import math
        assert math.sqrt(4) == 2
    with pytest.raises(AssertionError):
        with testing.AssertFunctionIsCalled('math.sqrt', times_called=2):
            math.sqrt(4)


class TestAlias(testing.NumpyAliasValuesTestBase):
    func, args = 'isscalar', (3,)
