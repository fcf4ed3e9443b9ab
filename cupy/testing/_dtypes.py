"""Decorators that repeat a test over dtypes, orders and axes."""
import itertools
import os

import numpy

from cupy.testing._signature import fills

_signed = (numpy.int8, numpy.int16, numpy.int32, numpy.int64)
_unsigned = (numpy.uint8, numpy.uint16, numpy.uint32, numpy.uint64)
_ints = _signed + _unsigned
_floats = (numpy.float16, numpy.float32, numpy.float64)
_complexes = (numpy.complex64, numpy.complex128)


def _select_floats(no_float16):
    return _floats[1:] if no_float16 else _floats


def _select_ints(no_bool):
    return _ints if no_bool else _ints + (numpy.bool_,)


def _select_all(no_float16, no_bool, no_complex):
    return _select_floats(no_float16) + _select_ints(no_bool) + (() if no_complex else _complexes)


def _for_cases(names, cases):
    """Calls the test once per case, a tuple of values of the parameters `names`; a failure says which case it was."""
    def decorator(function):
        @fills(function, names)
        def test(*args, **kwargs):
            skipped = None
            for case in cases:
                values = dict(zip(names, case))
                try:
                    function(*args, **kwargs, **values)
                except Exception as error:
                    if type(error).__name__ in ('Skipped', 'SkipTest'):
                        skipped = error  # the other cases still run
                        continue
                    if hasattr(error, 'add_note'):
                        error.add_note('with ' + ', '.join(f'{k}={_show(v)}' for k, v in values.items()))
                    raise
            if skipped is not None and len(cases) == 1:
                raise skipped
        return test
    return decorator


def _show(value):
    return value.__name__ if isinstance(value, type) else repr(value)


def for_dtypes(dtypes, name='dtype'):
    """Decorates a test to run once for each of `dtypes`, given as the parameter `name`."""
    return _for_cases([name], [(numpy.dtype(d).type,) for d in dtypes])


def for_all_dtypes(name='dtype', no_float16=False, no_bool=False, no_complex=False):
    """As for_dtypes, over all dtypes but those excluded."""
    return for_dtypes(_select_all(no_float16, no_bool, no_complex), name)


def for_float_dtypes(name='dtype', no_float16=False):
    """As for_dtypes, over the real floating-point dtypes."""
    return for_dtypes(_select_floats(no_float16), name)


def for_signed_dtypes(name='dtype'):
    """As for_dtypes, over the signed integers."""
    return for_dtypes(_signed, name)


def for_unsigned_dtypes(name='dtype'):
    """As for_dtypes, over the unsigned integers."""
    return for_dtypes(_unsigned, name)


def for_int_dtypes(name='dtype', no_bool=False):
    """As for_dtypes, over all integers, and bool unless excluded."""
    return for_dtypes(_select_ints(no_bool), name)


def for_complex_dtypes(name='dtype'):
    """As for_dtypes, over the complex dtypes."""
    return for_dtypes(_complexes, name)


def for_dtypes_combination(types, names=('dtype',), full=None):
    """Decorates a test with several dtype parameters.

    Parameters:
        types (sequence of dtypes)
        names (sequence of str): the parameters.
        full (bool or None): all combinations; otherwise as many as make each dtype meet each other one in neighbouring
            parameters by turns. None: all if the environment has CUPY_TEST_FULL_COMBINATION=1.
    """
    types, names = [numpy.dtype(t).type for t in types], list(names)
    if full is None:
        full = os.environ.get('CUPY_TEST_FULL_COMBINATION', '0') != '0'
    if full:
        cases = list(itertools.product(types, repeat=len(names)))
    else:  # a shift of the list per parameter: each dtype appears in each place, with different partners
        n = len(types)
        cases = [tuple(types[(i + shift * k) % n] for k in range(len(names))) for shift in range(min(n, 3)) for i in range(n)]
        cases = list(dict.fromkeys(cases))
    return _for_cases(names, cases)


def for_all_dtypes_combination(names=('dtype',), no_float16=False, no_bool=False, full=None, no_complex=False):
    """As for_dtypes_combination, over all dtypes but those excluded."""
    return for_dtypes_combination(_select_all(no_float16, no_bool, no_complex), names, full)


def for_signed_dtypes_combination(names=('dtype',), full=None):
    """As for_dtypes_combination, over the signed integers."""
    return for_dtypes_combination(_signed, names, full)


def for_unsigned_dtypes_combination(names=('dtype',), full=None):
    """As for_dtypes_combination, over the unsigned integers."""
    return for_dtypes_combination(_unsigned, names, full)


def for_int_dtypes_combination(names=('dtype',), no_bool=False, full=None):
    """As for_dtypes_combination, over all integers, and bool unless excluded."""
    return for_dtypes_combination(_select_ints(no_bool), names, full)


def for_orders(orders, name='order'):
    """Decorates a test to run once for each of `orders`, given as the parameter `name`."""
    return _for_cases([name], [(o,) for o in orders])


def for_CF_orders(name='order'):
    """As for_orders, over 'C' and 'F'."""
    return for_orders([None, 'C', 'F', 'c', 'f'], name)


def for_contiguous_axes(name='axis'):
    """Decorates a method of a class with `shape` and `order` ('C' or 'F'): runs once for each run of axes that is contiguous in
    memory, as a tuple in the parameter `name`."""
    def decorator(function):
        @fills(function, [name])
        def test(self, *args, **kwargs):
            ndim = len(self.shape)
            fortran = str(getattr(self, 'order', 'C')).upper() == 'F'
            for n in range(1, ndim + 1):
                axes = tuple(range(n)) if fortran else tuple(range(ndim - n, ndim))
                function(self, *args, **kwargs, **{name: axes})
        return test
    return decorator
