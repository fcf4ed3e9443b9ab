"""numpy.testing's comparisons, with cupy arrays among the arguments."""
import functools

import numpy.testing

import cupy


def to_host(x):
    """cupy arrays in x, also inside tuples, lists and dicts, as numpy arrays."""
    if isinstance(x, cupy.ndarray):
        return cupy.asnumpy(x)
    if isinstance(x, tuple) and hasattr(x, '_fields'):
        return type(x)(*map(to_host, x))
    if isinstance(x, (tuple, list)):
        return type(x)(map(to_host, x))
    if isinstance(x, dict):
        return {k: to_host(v) for k, v in x.items()}
    if hasattr(x, 'toarray') and hasattr(x, 'get'):  # a sparse matrix on the device
        return x.get()
    return x


def _on_host(name):
    compare = getattr(numpy.testing, name)

    @functools.wraps(compare)
    def wrapped(*args, **kwargs):
        return compare(*map(to_host, args), **{k: to_host(v) for k, v in kwargs.items()})

    wrapped.__module__ = 'cupy.testing'
    return wrapped


assert_allclose = _on_host('assert_allclose')
assert_almost_equal = _on_host('assert_almost_equal')
assert_approx_equal = _on_host('assert_approx_equal')
assert_array_almost_equal = _on_host('assert_array_almost_equal')
assert_array_almost_equal_nulp = _on_host('assert_array_almost_equal_nulp')
assert_array_compare = _on_host('assert_array_compare')
assert_array_less = _on_host('assert_array_less')
assert_array_max_ulp = _on_host('assert_array_max_ulp')
assert_equal = _on_host('assert_equal')
print_assert_equal = _on_host('print_assert_equal')


def assert_array_equal(actual, desired, err_msg='', verbose=True, *, strict=False, strides_check=False):
    """Raises AssertionError unless both arrays have the same shape and elements.

    Parameters:
        actual, desired (array_like): of cupy or numpy.
        err_msg (str), verbose (bool), strict (bool): as numpy.testing.assert_array_equal.
        strides_check (bool): the strides must be equal, too.
    """
    numpy.testing.assert_array_equal(to_host(actual), to_host(desired), err_msg=err_msg, verbose=verbose, strict=strict)
    if strides_check and actual.strides != desired.strides:
        raise AssertionError(f'strides differ{": " + err_msg if err_msg else ""}\n actual: {actual.strides}\n desired: {desired.strides}')


def assert_array_list_equal(xlist, ylist, err_msg='', verbose=True):
    """Raises AssertionError unless both sequences have one length and their arrays are equal pairwise.

    Parameters:
        xlist, ylist (sequence of array_like): of cupy or numpy.
        err_msg (str), verbose (bool): as numpy.testing.assert_array_equal.
    """
    if len(xlist) != len(ylist):
        raise AssertionError(f'lists of {len(xlist)} and {len(ylist)} arrays {err_msg}')
    for x, y in zip(xlist, ylist):
        assert_array_equal(x, y, err_msg=err_msg, verbose=verbose)
