"""Names that NumPy 2 removed and scripts still use. They are looked up when asked for."""
import numpy

from cupy import exceptions

# Old name -> the name of today.
RENAMED = {
    'alltrue': 'all', 'sometrue': 'any', 'product': 'prod', 'cumproduct': 'cumprod', 'round_': 'round', 'float_': 'float64',
    'cfloat': 'complex128', 'complex_': 'complex128', 'singlecomplex': 'complex64', 'Inf': 'inf', 'Infinity': 'inf', 'infty': 'inf',
    'PINF': 'inf', 'NaN': 'nan', 'NAN': 'nan', 'trapz': 'trapezoid', 'row_stack': 'vstack', 'in1d': '_in1d', 'fromDlpack': 'from_dlpack',
}
CONSTANTS = {'NINF': -numpy.inf, 'PZERO': 0.0, 'NZERO': -0.0}


def issubclass_(arg1, arg2):
    """issubclass() that is False for what is no class."""
    return isinstance(arg1, type) and issubclass(arg1, arg2)


def issctype(rep):
    """Whether rep is a scalar type or a dtype of one."""
    try:
        return isinstance(rep, (type, numpy.dtype)) and numpy.dtype(rep) != numpy.dtype(object)
    except TypeError:
        return False


def issubsctype(arg1, arg2):
    """Whether the scalar type of the first dtype is a subclass of the second's."""
    return issubclass(obj2sctype(arg1), obj2sctype(arg2))


def obj2sctype(rep, default=None):
    """The scalar type of a dtype, a type or an array."""
    if isinstance(rep, type) and issubclass(rep, numpy.generic):
        return rep
    try:
        return (rep.dtype if hasattr(rep, 'dtype') else numpy.dtype(rep)).type
    except TypeError:
        return default


def sctype2char(sctype):
    """The type character of a scalar type."""
    return numpy.dtype(obj2sctype(sctype)).char


def asfarray(a, dtype=numpy.float64):
    """a as an array of floats; dtypes that are not inexact become float64."""
    import cupy
    if not numpy.issubdtype(dtype, numpy.inexact):
        dtype = numpy.float64
    return cupy.asarray(a, dtype=dtype)


def msort(a):
    """A copy sorted along the first axis."""
    import cupy
    return cupy.sort(a, axis=0)


def disp(mesg, device=None, linefeed=True):
    """Writes a message to a file, sys.stdout by default."""
    import sys
    device = device or sys.stdout
    device.write(f'{mesg}\n' if linefeed else f'{mesg}')
    device.flush()


def find_common_type(array_types, scalar_types):
    """The common dtype of two lists of dtypes, scalars counting only when of a higher kind."""
    arrays, scalars = ([numpy.dtype(t) for t in ts] for ts in (array_types, scalar_types))
    if not arrays:
        return numpy.result_type(*scalars)
    best = numpy.result_type(*arrays)
    if scalars:
        other = numpy.result_type(*scalars)
        if 'buifc'.index(other.kind) > 'buifc'.index(best.kind):
            return other
    return best


def _in1d(ar1, ar2, assume_unique=False, invert=False):
    import cupy
    return cupy.isin(cupy.asarray(ar1).ravel(), ar2, assume_unique=assume_unique, invert=invert)


def find(name):
    """The object behind an old name. LookupError for other names."""
    import cupy
    if name in CONSTANTS:
        return CONSTANTS[name]
    if name in exceptions.__all__:
        return getattr(exceptions, name)
    if name == 'byte_bounds':
        from cupy.lib.array_utils import byte_bounds
        return byte_bounds
    if name == 'DataSource':
        from cupy.lib.npyio import DataSource
        return DataSource
    target = RENAMED.get(name, name)
    if target in _FUNCTIONS:
        return _FUNCTIONS[target]
    if name in RENAMED:
        return getattr(cupy, target)
    raise LookupError(name)


_FUNCTIONS = {f.__name__: f for f in (issubclass_, issctype, issubsctype, obj2sctype, sctype2char, asfarray, msort, disp,
                                      find_common_type, _in1d)}
GONE = 'safe_eval who set_string_function get_array_wrap format_parser'
