"""Helpers for tests that run the same code with numpy and with cupy.

`numpy_cupy_*` decorators call a test once per library and compare what it returns; `for_*` decorators repeat it over dtypes and
orders; `assert_*` are NumPy's with cupy arrays allowed. pytest is needed only by what skips or parameterizes tests.
"""
import numpy.testing as _numpy_testing

from cupy.testing._array import (  # noqa: F401
    assert_allclose, assert_almost_equal, assert_approx_equal, assert_array_almost_equal, assert_array_almost_equal_nulp,
    assert_array_compare, assert_array_equal, assert_array_less, assert_array_list_equal, assert_array_max_ulp, assert_equal,
    print_assert_equal)
from cupy.testing._dtypes import (  # noqa: F401
    for_all_dtypes, for_all_dtypes_combination, for_CF_orders, for_complex_dtypes, for_contiguous_axes, for_dtypes,
    for_dtypes_combination, for_float_dtypes, for_int_dtypes, for_int_dtypes_combination, for_orders, for_signed_dtypes,
    for_signed_dtypes_combination, for_unsigned_dtypes, for_unsigned_dtypes_combination)
from cupy.testing._dual import (  # noqa: F401
    numpy_cupy_allclose, numpy_cupy_array_almost_equal, numpy_cupy_array_almost_equal_nulp, numpy_cupy_array_equal,
    numpy_cupy_array_less, numpy_cupy_array_list_equal, numpy_cupy_array_max_ulp, numpy_cupy_equal, numpy_cupy_raises)
from cupy.testing._helper import (  # noqa: F401
    AssertFunctionIsCalled, NumpyAliasBasicTestBase, NumpyAliasValuesTestBase, fix_random, generate_seed, installed, multi_gpu,
    numpy_satisfies, slow, with_requires)
from cupy.testing._inputs import (  # noqa: F401
    generate_matrix, shaped_arange, shaped_linspace, shaped_random, shaped_reverse_arange, shaped_sparse_random)
from cupy.testing._parameterized import parameterize, product, product_dict  # noqa: F401


def __getattr__(name):
    # NumPy's helpers that take no arrays (assert_raises, tempdir, ...) are the same objects.
    if name.startswith('_') or not hasattr(_numpy_testing, name):
        raise AttributeError(f"module 'cupy.testing' has no attribute {name!r}")
    return getattr(_numpy_testing, name)


def __dir__():
    return sorted(set(globals()) | {n for n in dir(_numpy_testing) if not n.startswith('_')})
