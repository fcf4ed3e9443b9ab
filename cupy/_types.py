"""Dtypes and their rules: NumPy's objects, and functions that also take arrays of ours."""
import numpy

from cupy import _numpy1
from cupy._core import _dtype
from cupy._core.core import ndarray

_WEAK = {int: 16, float: 17, complex: 18}

# NumPy's own objects. Those that the installed NumPy lacks are left out.
SHARED = (
    'bool_ byte cdouble complex128 complex64 complexfloating csingle double dtype float16 float32 float64 floating generic half inexact '
    'int16 int32 int64 int8 int_ intc integer intp issubdtype long longlong mintypecode number promote_types sctypeDict short '
    'signedinteger single typecodes ubyte uint uint16 uint32 uint64 uint8 uintc uintp ulong ulonglong unsignedinteger ushort isdtype '
    'ScalarType dtypes False_ True_ e euler_gamma inf little_endian nan newaxis pi index_exp s_ '
    'iterable get_include get_printoptions set_printoptions printoptions broadcast_shapes')


def shared():
    """{name: object} of what is NumPy's own."""
    missing = _numpy1.TOP if int(numpy.__version__.partition('.')[0]) < 2 else {}
    found = {name: getattr(numpy, name) for name in SHARED.split() if name not in missing and hasattr(numpy, name)}
    found.update(missing)
    found['bool'] = numpy.bool_
    return found


def _plain(x):
    return x.dtype if isinstance(x, ndarray) else x


def _scalar_dtype(x):
    return x.dtype if isinstance(x, ndarray) and x._scalar else x


class finfo(numpy.finfo):
    """Limits of a floating-point dtype, given as a dtype or by a scalar."""

    def __new__(cls, dtype):
        return numpy.finfo(_scalar_dtype(dtype))


class iinfo(numpy.iinfo):
    """Limits of an integer dtype, given as a dtype or by a scalar."""

    def __new__(cls, type):
        return numpy.iinfo(_scalar_dtype(type))


def result_type(*arrays_and_dtypes):
    """The dtype that operands of these dtypes promote to. Python numbers are weak.

    Args:
        arrays_and_dtypes: arrays, scalars, dtypes.

    Raises:
        TypeError: a dtype that arrays cannot have.
        ValueError: no argument.
    """
    if not arrays_and_dtypes:
        raise ValueError('at least one array or dtype is required')
    weak = max([_WEAK[type(x)] for x in arrays_and_dtypes if type(x) in _WEAK], default=None)
    strong = [_of(x) for x in arrays_and_dtypes if type(x) not in _WEAK]
    if not strong:
        return _dtype.DTYPES[_dtype.promote_numbers(weak, weak)]
    number = _dtype.number(numpy.result_type(*strong))
    return _dtype.DTYPES[number if weak is None else _dtype.promote_numbers(number, weak)]


def _of(x):
    if isinstance(x, (ndarray, numpy.ndarray, numpy.generic)):
        return x.dtype
    return numpy.dtype(bool if isinstance(x, bool) else x)


def can_cast(from_, to, casting='safe'):
    """Whether a dtype, or an array's, can be cast to another by a rule: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'."""
    if isinstance(from_, (bool, int, float, complex)):
        raise TypeError('can_cast() does not support Python ints, floats, and complex because the result used to depend on the value.')
    return numpy.can_cast(_plain(from_), to, casting)


def common_type(*arrays):
    """The inexact scalar type that holds the elements of all arrays; integers count as float64.

    Raises:
        TypeError: an array of bool.
    """
    dtypes = []
    for a in arrays:
        if a.dtype.kind == 'b':
            raise TypeError("can't get common type for non-numeric array")
        dtypes.append(numpy.dtype(numpy.float64) if a.dtype.kind in 'iu' else a.dtype)
    return numpy.result_type(numpy.float16, *dtypes).type
