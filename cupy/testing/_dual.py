"""Decorators that call a test with numpy and with cupy and compare the two results."""
import importlib

import numpy

import cupy
from cupy.testing import _array
from cupy.testing._signature import fills


def _modules(name, sp_name, scipy_name):
    """The keyword arguments of the two calls. cupyx.scipy and scipy are imported only where a test names them."""
    host, device = {name: numpy}, {name: cupy}
    for key, suffix in ((sp_name, '.sparse'), (scipy_name, '')):
        if key:
            host[key] = importlib.import_module('scipy' + suffix)
            device[key] = importlib.import_module('cupyx.scipy' + suffix)
    return host, device


def _attempt(function, args, kwargs):
    """(result, None) or (None, the exception). A skipped test is no result."""
    try:
        return function(*args, **kwargs), None
    except Exception as error:
        if type(error).__name__ in ('Skipped', 'SkipTest'):
            raise
        return None, error


def _check_errors(cupy_error, numpy_error, accept_error):
    """Both calls or neither must fail; with an exception of the same kind, and one that the test expects."""
    accepted = (Exception if accept_error is True else accept_error) or ()
    for mine, other, library in ((cupy_error, numpy_error, 'cupy'), (numpy_error, cupy_error, 'numpy')):
        if mine is not None and other is None:
            raise AssertionError(f'only {library} raises: {type(mine).__name__}: {mine}') from mine
    if not (isinstance(cupy_error, type(numpy_error)) or isinstance(numpy_error, type(cupy_error))):
        raise AssertionError(f'different errors\n cupy: {cupy_error!r}\n numpy: {numpy_error!r}') from cupy_error
    if not isinstance(cupy_error, accepted):
        raise AssertionError(f'both libraries raise an error that the test does not accept: {cupy_error!r}') from cupy_error


def _as_list(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


def _check_types(cupy_list, numpy_list):
    for x, y in zip(cupy_list, numpy_list):
        got, wanted = getattr(x, 'dtype', None), getattr(y, 'dtype', None)
        if got != wanted:
            raise AssertionError(f'dtypes differ\n cupy: {got}\n numpy: {wanted}')


def _check_contiguity(cupy_list, numpy_list):
    """An array that numpy returns C- or F-contiguous must be so in cupy as well."""
    for x, y in zip(cupy_list, numpy_list):
        for flag in ('c_contiguous', 'f_contiguous'):
            if isinstance(x, cupy.ndarray) and isinstance(y, numpy.ndarray) and getattr(y.flags, flag) and not getattr(x.flags, flag):
                raise AssertionError(f'the array of cupy is not {flag}')


def _check_device(cupy_list):
    for x in cupy_list:
        if isinstance(x, numpy.ndarray):
            raise AssertionError('cupy returned a numpy.ndarray')


def _compare_with(compare, name, sp_name, scipy_name, type_check=False, accept_error=False, contiguous_check=False):
    """The decorator behind all of them: `compare(cupy_result, numpy_result)` raises AssertionError where they differ."""
    def decorator(function):
        @fills(function, [n for n in (name, sp_name, scipy_name) if n])
        def test(*args, **kwargs):
            host, device = _modules(name, sp_name, scipy_name)
            got, cupy_error = _attempt(function, args, {**kwargs, **device})
            wanted, numpy_error = _attempt(function, args, {**kwargs, **host})
            if cupy_error is not None or numpy_error is not None:
                return _check_errors(cupy_error, numpy_error, accept_error)
            cupy_list, numpy_list = _as_list(got), _as_list(wanted)
            if len(cupy_list) != len(numpy_list):
                raise AssertionError(f'cupy returns {len(cupy_list)} results, numpy {len(numpy_list)}')
            _check_device(cupy_list)
            for x, y in zip(cupy_list, numpy_list):
                x_shape, y_shape = getattr(x, 'shape', ()), getattr(y, 'shape', ())
                if x_shape != y_shape:
                    raise AssertionError(f'shapes differ\n cupy: {x_shape}\n numpy: {y_shape}')
                compare(_array.to_host(x), _array.to_host(y))
            if contiguous_check:
                _check_contiguity(cupy_list, numpy_list)
            if type_check:
                _check_types(cupy_list, numpy_list)
        return test
    return decorator


def _tolerance(value, x, y):
    """A tolerance may be a dict from dtypes to numbers, with the key 'default' for the rest; the looser dtype counts."""
    if not isinstance(value, dict):
        return value
    table = {numpy.dtype(k): v for k, v in value.items() if k != 'default'}
    found = []
    for a in (x, y):
        dtype = numpy.asarray(a).dtype
        if dtype not in table and 'default' not in value:
            raise TypeError(f'no tolerance is given for {dtype}')
        found.append(table.get(dtype, value.get('default')))
    return max(found)


def _dense(x):
    return x.toarray() if hasattr(x, 'toarray') else x


def _check_sparse(x, y):
    if getattr(x, 'format', None) != getattr(y, 'format', None):
        raise AssertionError(f'sparse formats differ: {getattr(x, "format", None)}, {getattr(y, "format", None)}')


def numpy_cupy_allclose(rtol=1e-7, atol=0, err_msg='', verbose=True, name='xp', type_check=True, accept_error=False, sp_name=None,
                        scipy_name=None, contiguous_check=True, *, _check_sparse_format=True):
    """Decorates a test: what it returns with numpy and with cupy must be close.

    Parameters:
        rtol, atol (float or dict): tolerances; a dict maps dtypes, and 'default', to them.
        err_msg (str), verbose (bool): as numpy.testing.assert_allclose.
        name (str): the test's parameter for the module, numpy or cupy.
        type_check (bool): dtypes must be equal.
        accept_error (bool, exception type or tuple of them): errors that both libraries may raise.
        sp_name, scipy_name (str or None): parameters for scipy.sparse or scipy and their cupyx twins.
        contiguous_check (bool): contiguous results must be contiguous in cupy as well.
    """
    def compare(x, y):
        if _check_sparse_format:
            _check_sparse(x, y)
        x, y = _dense(x), _dense(y)
        numpy.testing.assert_allclose(x, y, _tolerance(rtol, x, y), _tolerance(atol, x, y), err_msg=err_msg, verbose=verbose)
    return _compare_with(compare, name, sp_name, scipy_name, type_check, accept_error, contiguous_check)


def numpy_cupy_array_almost_equal(decimal=6, err_msg='', verbose=True, name='xp', type_check=True, accept_error=False, sp_name=None,
                                  scipy_name=None):
    """Decorates a test: results must agree to `decimal` places. Other parameters as in numpy_cupy_allclose."""
    def compare(x, y):
        numpy.testing.assert_array_almost_equal(_dense(x), _dense(y), decimal, err_msg=err_msg, verbose=verbose)
    return _compare_with(compare, name, sp_name, scipy_name, type_check, accept_error)


def numpy_cupy_array_almost_equal_nulp(nulp=1, name='xp', type_check=True, accept_error=False, sp_name=None, scipy_name=None):
    """Decorates a test: results must be within `nulp` units in the last place, relative to their size."""
    def compare(x, y):
        numpy.testing.assert_array_almost_equal_nulp(_dense(x), _dense(y), nulp)
    return _compare_with(compare, name, sp_name, scipy_name, type_check, accept_error)


def numpy_cupy_array_max_ulp(maxulp=1, dtype=None, name='xp', type_check=True, accept_error=False, sp_name=None, scipy_name=None):
    """Decorates a test: results must differ by at most `maxulp` representable numbers, after a cast to dtype if given."""
    def compare(x, y):
        numpy.testing.assert_array_max_ulp(_dense(x), _dense(y), maxulp, dtype)
    return _compare_with(compare, name, sp_name, scipy_name, type_check, accept_error)


def numpy_cupy_array_equal(err_msg='', verbose=True, name='xp', type_check=True, accept_error=False, sp_name=None, scipy_name=None,
                           strides_check=False):
    """Decorates a test: results must be equal, with strides_check in their strides as well."""
    def decorator(function):
        strides = []

        def noting_strides(*args, **kwargs):
            result = function(*args, **kwargs)
            strides.append([getattr(a, 'strides', None) for a in _as_list(result)])
            return result

        def compare(x, y):
            numpy.testing.assert_array_equal(_dense(x), _dense(y), err_msg=err_msg, verbose=verbose)

        # the fills() of the inner wrapper keeps the test's signature
        test = _compare_with(compare, name, sp_name, scipy_name, type_check, accept_error)(fills(function, ())(noting_strides))
        if not strides_check:
            return test

        @fills(test, ())
        def with_strides(*args, **kwargs):
            strides.clear()
            test(*args, **kwargs)
            if len(strides) == 2 and strides[0] != strides[1]:
                raise AssertionError(f'strides differ\n cupy: {strides[0]}\n numpy: {strides[1]}')
        return with_strides
    return decorator


def numpy_cupy_array_list_equal(err_msg='', verbose=True, name='xp', sp_name=None, scipy_name=None):
    """Decorates a test that returns a sequence of arrays: they must be equal pairwise."""
    def compare(x, y):
        numpy.testing.assert_array_equal(_dense(x), _dense(y), err_msg=err_msg, verbose=verbose)
    return _compare_with(compare, name, sp_name, scipy_name)


def numpy_cupy_array_less(err_msg='', verbose=True, name='xp', type_check=True, accept_error=False, sp_name=None, scipy_name=None):
    """Decorates a test: each element of cupy's result must be less than numpy's."""
    def compare(x, y):
        numpy.testing.assert_array_less(_dense(x), _dense(y), err_msg=err_msg, verbose=verbose)
    return _compare_with(compare, name, sp_name, scipy_name, type_check, accept_error)


def numpy_cupy_equal(name='xp', sp_name=None, scipy_name=None):
    """Decorates a test that returns a Python object (a shape, a flag, a text): both must be equal."""
    def decorator(function):
        @fills(function, [n for n in (name, sp_name, scipy_name) if n])
        def test(*args, **kwargs):
            host, device = _modules(name, sp_name, scipy_name)
            got = _array.to_host(function(*args, **{**kwargs, **device}))
            wanted = function(*args, **{**kwargs, **host})
            if got != wanted:
                raise AssertionError(f'results differ\n cupy: {got!r}\n numpy: {wanted!r}')
        return test
    return decorator


def numpy_cupy_raises(name='xp', sp_name=None, scipy_name=None, accept_error=Exception):
    """Decorates a test that must raise with both libraries, the same kind of error, one of accept_error."""
    def decorator(function):
        @fills(function, [n for n in (name, sp_name, scipy_name) if n])
        def test(*args, **kwargs):
            host, device = _modules(name, sp_name, scipy_name)
            cupy_error = _attempt(function, args, {**kwargs, **device})[1]
            numpy_error = _attempt(function, args, {**kwargs, **host})[1]
            if cupy_error is None and numpy_error is None:
                raise AssertionError('neither library raises an error')
            _check_errors(cupy_error, numpy_error, accept_error)
        return test
    return decorator
