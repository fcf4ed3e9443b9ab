"""Dtype numbers, promotion (NEP 50) and casting rules. numpy.dtype objects are the dtypes; the numbers are xpu_dtype's."""
import os
import threading

import numpy

from cupy_backends.backend.xpu cimport XPU_COMPLEX64, XPU_COMPLEX128, XPU_FLOAT32, XPU_FLOAT64, XPU_INT64

_CHARS = '?bBhHiIlLefdFD'

cdef enum:
    NDTYPES = 14
cdef list _keep = [numpy.dtype(c) for c in _CHARS]
cdef dict _numbers = {}
cdef signed char _char_numbers[128]
cdef signed char _promote[19][19]
cdef signed char _safe[16][16]

DTYPES = tuple(_keep)
"""The supported dtypes, in the order of their numbers."""


cdef _unsupported(dtype):
    return TypeError(f'dtype {dtype} is not supported: arrays hold bool, int8 to int64, uint8 to uint64, float16 to float64, '
                     'complex64 and complex128')


cdef object dtype_object(int number):
    return _keep[number]


cdef int dtype_number(object dtype) except -1:
    cdef object found = None if isinstance(dtype, (list, dict)) else _numbers.get(dtype)
    if found is not None:
        return created(found)
    if dtype is None:
        return created(XPU_FLOAT64)
    dt = numpy.dtype(dtype)
    if dt.char not in _CHARS + 'qQ' or dt.names is not None or dt.subdtype is not None:
        raise _unsupported(dt)
    return created(_char_numbers[<int>ord(dt.char)])


cdef int number_of_char(int c) noexcept:
    return _char_numbers[c]


cdef int promote(int a, int b) noexcept:
    return _promote[a][b]


cdef bint can_cast_safely(int src, int dst) noexcept:
    return _safe[src][dst]


cdef bint can_cast(int src, int dst, str casting) except -1:
    if casting == 'unsafe' or src == dst:
        return True
    if casting == 'no' or casting == 'equiv':
        return False
    if casting == 'safe':
        return _safe[src][dst]
    if casting == 'same_kind':
        if _safe[src][dst]:
            return True
        return kind_of[src] <= kind_of[dst] and not (kind_of[src] == KIND_SIGNED and kind_of[dst] == KIND_UNSIGNED)
    if casting == 'same_value':
        return False
    raise ValueError(f"casting must be one of 'no', 'equiv', 'safe', 'same_kind', or 'unsafe' (got '{casting}')")


cdef int _result_kind(int a, int b) noexcept:
    """The result type of two dtypes: NumPy's promotion table, computed from kinds and sizes."""
    cdef int ka = kind_of[a], kb = kind_of[b], size, c
    if a == b:
        return a
    if ka > kb:
        return _result_kind(b, a)
    # from here on ka <= kb
    if ka == KIND_BOOL:
        return b
    if ka == kb:
        return a if itemsize_of[a] > itemsize_of[b] else b
    if kb == KIND_SIGNED:  # unsigned with signed: a signed type that holds both
        if itemsize_of[b] > itemsize_of[a]:
            return b
        return XPU_FLOAT64 if itemsize_of[a] == 8 else a + 1  # u1 -> i2 and so on: numbers alternate signed, unsigned
    if kb == KIND_FLOAT:  # integers need a float with enough precision: 8 bits float16, 16 bits float32, else float64
        size = 2 * itemsize_of[a] if itemsize_of[a] < 8 else 8
        c = 9 if size <= 2 else (10 if size <= 4 else 11)
        return c if itemsize_of[c] > itemsize_of[b] else b
    # complex with real
    if b == XPU_COMPLEX128:
        return b
    if ka == KIND_FLOAT:
        return XPU_COMPLEX128 if a == XPU_FLOAT64 else XPU_COMPLEX64
    return XPU_COMPLEX64 if itemsize_of[a] <= 2 else XPU_COMPLEX128


cdef int _result_weak(int a, int weak) noexcept:
    """A dtype with a Python int, float or complex: the dtype unless the scalar's kind is higher."""
    cdef int k = kind_of[a]
    if weak == WEAK_INT:
        return XPU_INT64 if k == KIND_BOOL else a
    if weak == WEAK_FLOAT:
        return XPU_FLOAT64 if k < KIND_FLOAT else a
    if k == KIND_COMPLEX:
        return a
    if k == KIND_FLOAT:
        return XPU_COMPLEX128 if a == XPU_FLOAT64 else XPU_COMPLEX64
    return XPU_COMPLEX128


def _fill_tables():
    cdef int a, b, r
    for a in range(128):
        _char_numbers[a] = -1
    for a, c in enumerate(_CHARS):
        _char_numbers[<int>ord(c)] = a
        dt = _keep[a]
        for name in (dt, dt.type, c, dt.name, dt.str, dt.str[1:]):
            _numbers[name] = a
    for c, a in (('q', 7), ('Q', 8)):
        _char_numbers[<int>ord(c)] = a
        _numbers[numpy.dtype(c).type] = _numbers[c] = a
    for name in ('int', 'float', 'complex'):
        _numbers[name] = _numbers[numpy.dtype(name)]
    _numbers[bool] = 0
    _numbers[int] = XPU_INT64
    _numbers[float] = XPU_FLOAT64
    _numbers[complex] = XPU_COMPLEX128
    for a in range(NDTYPES):
        for b in range(NDTYPES):
            _promote[a][b] = _result_kind(a, b)
            _safe[a][b] = _result_kind(a, b) == b
        for b in range(WEAK_INT, WEAK_COMPLEX + 1):
            _promote[a][b] = _promote[b][a] = _result_weak(a, b)
    for a in range(WEAK_INT, WEAK_COMPLEX + 1):
        for b in range(WEAK_INT, WEAK_COMPLEX + 1):
            r = a if a > b else b
            _promote[a][b] = XPU_INT64 if r == WEAK_INT else (XPU_FLOAT64 if r == WEAK_FLOAT else XPU_COMPLEX128)


_fill_tables()


# --- float64_mode ---

cdef int _users = 0               # how many switches may be on: none, and nothing is looked up
cdef object _mode = threading.local()
cdef bint _single_default = False


def _mode_of(text):
    if text not in ('exact', 'float32'):
        raise ValueError(f"the float64 mode is 'exact' or 'float32', not {text!r}")
    return text == 'float32'


def set_float64_mode(text):
    """Sets this thread's mode ('exact', 'float32') and returns the old one."""
    global _users
    wanted = _mode_of(text)
    old = getattr(_mode, 'single', _single_default)
    _users += 1  # never counted down: a thread in the mode must always be seen
    _mode.single = wanted
    return 'float32' if old else 'exact'


cdef bint single_precision() except -1:
    return _users != 0 and getattr(_mode, 'single', _single_default)


cdef int created(int dtype) except -1:
    if _users and (dtype == XPU_FLOAT64 or dtype == XPU_COMPLEX128) and single_precision():
        return XPU_FLOAT32 if dtype == XPU_FLOAT64 else XPU_COMPLEX64
    return dtype


if os.environ.get('CUPY_XPU_FLOAT64'):
    _single_default = _mode_of(os.environ['CUPY_XPU_FLOAT64'])
    _users = _single_default


def number(dtype):
    """The xpu_dtype number of a dtype; TypeError for a dtype that arrays cannot have."""
    return dtype_number(dtype)


def promote_numbers(int a, int b):
    """The number of the result type of two dtype numbers; 16, 17, 18 stand for a Python int, float, complex."""
    if not (0 <= a < DTYPE_SLOTS and 0 <= b < DTYPE_SLOTS):
        raise ValueError('not a dtype number')
    return promote(a, b)
