"""Scalars in and out of a dtype's memory layout."""
import numpy

from cpython.bool cimport PyBool_Check
from cpython.complex cimport PyComplex_Check, PyComplex_FromDoubles, PyComplex_ImagAsDouble, PyComplex_RealAsDouble
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_AsDouble, PyFloat_Check, PyFloat_FromDouble
from cpython.long cimport PyLong_AsDouble, PyLong_AsLongLong, PyLong_Check
from libc.math cimport NAN
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from cupy._core._dtype cimport *
from cupy_backends.backend.xpu cimport *

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>
    #include <math.h>
    /* float16 by IEEE 754: rounds the double once, half to even. */
    static uint16_t xpu_half_of(double x) {
        uint64_t b; memcpy(&b, &x, 8);
        uint16_t sign = (uint16_t)((b >> 48) & 0x8000);
        double a = fabs(x);
        if (x != x) return (uint16_t)(sign | 0x7e00);
        if (a >= 65520.0) return (uint16_t)(sign | 0x7c00);
        int e; frexp(a, &e);                              /* a = m * 2^e with m in [0.5, 1) */
        int unit = (e - 11 < -24) ? -24 : e - 11;         /* exponent of the last place */
        double q = nearbyint(ldexp(a, -unit));            /* the default rounding mode is to even */
        if (a == 0.0 || q == 0.0) return sign;
        if (unit == -24 && q < 1024.0) return (uint16_t)(sign | (uint16_t)q);
        if (q == 2048.0) { q = 1024.0; unit++; }
        return (uint16_t)(sign | (uint16_t)(((unit + 25) << 10) + ((int)q - 1024)));
    }
    static double xpu_half_value(uint16_t h) {
        int e = (h >> 10) & 31, m = h & 1023;
        double v = e == 31 ? (m ? NAN : INFINITY) : (e ? ldexp(1024 + m, e - 25) : ldexp(m, -24));
        return (h & 0x8000) ? -v : v;
    }
    """
    uint16_t xpu_half_of(double x)
    double xpu_half_value(uint16_t h)

cdef object _generic = numpy.generic
cdef object _numpy_array = numpy.ndarray
cdef list _limits = [(0, 1), (-2**7, 2**7 - 1), (0, 2**8 - 1), (-2**15, 2**15 - 1), (0, 2**16 - 1), (-2**31, 2**31 - 1), (0, 2**32 - 1),
                     (-2**63, 2**63 - 1), (0, 2**64 - 1)]


cdef int scalar_kind(object x) except -2:
    cdef object t = type(x)
    if t is float:
        return WEAK_FLOAT
    if t is int:
        return WEAK_INT
    if t is bool:
        return XPU_BOOL
    if t is complex:
        return WEAK_COMPLEX
    if isinstance(x, _generic) or (isinstance(x, _numpy_array) and x.ndim == 0):
        return dtype_number(x.dtype)
    if PyBool_Check(x):
        return XPU_BOOL
    if PyLong_Check(x):
        return WEAK_INT
    if PyFloat_Check(x):
        return WEAK_FLOAT
    if PyComplex_Check(x):
        return WEAK_COMPLEX
    return -1


cdef bint integer_fits(object x, int dtype) except -1:
    low, high = _limits[dtype]
    return low <= x <= high


cdef int _store_integer(object x, int dtype, void* dst) except -1:
    cdef int64_t v
    cdef uint64_t u
    if not PyLong_Check(x):
        if PyFloat_Check(x) or isinstance(x, (numpy.floating, numpy.complexfloating)):
            x = int(x.real)
        else:
            x = int(x)
    if not integer_fits(x, dtype):
        raise OverflowError(f'Python integer {x} out of bounds for {dtype_object(dtype)}')
    if dtype == XPU_UINT64:
        u = x
        (<uint64_t*>dst)[0] = u
        return 0
    v = x
    if dtype == XPU_INT8 or dtype == XPU_UINT8:
        (<uint8_t*>dst)[0] = <uint8_t>v
    elif dtype == XPU_INT16 or dtype == XPU_UINT16:
        (<uint16_t*>dst)[0] = <uint16_t>v
    elif dtype == XPU_INT32 or dtype == XPU_UINT32:
        (<uint32_t*>dst)[0] = <uint32_t>v
    else:
        (<int64_t*>dst)[0] = v
    return 0


cdef int _store_real(double v, int dtype, void* dst) except -1:
    if dtype == XPU_FLOAT64:
        (<double*>dst)[0] = v
    elif dtype == XPU_FLOAT32:
        (<float*>dst)[0] = <float>v
    else:
        (<uint16_t*>dst)[0] = xpu_half_of(v)
    return 0


cdef int store(object x, int dtype, void* dst) except -1:
    cdef int kind = kind_of[dtype]
    cdef object t = type(x)
    cdef double re, im
    if kind == KIND_FLOAT:
        if t is float:
            return _store_real(PyFloat_AS_DOUBLE(x), dtype, dst)
        if t is int:
            return _store_real(PyLong_AsDouble(x), dtype, dst)
    if dtype == XPU_INT64 and t is int:
        try:
            (<int64_t*>dst)[0] = PyLong_AsLongLong(x)
        except OverflowError:
            raise OverflowError(f'Python integer {x} out of bounds for int64') from None
        return 0
    if isinstance(x, _numpy_array):
        x = x[()]
    if isinstance(x, _generic):
        x = x.item()
    if isinstance(x, (str, bytes)):
        x = (complex if kind == KIND_COMPLEX else float if kind == KIND_FLOAT else int)(x.decode() if isinstance(x, bytes) else x)
    if dtype == XPU_BOOL:
        (<uint8_t*>dst)[0] = 1 if x else 0
        return 0
    if x is None and kind >= KIND_FLOAT:
        x = NAN
    if kind <= KIND_SIGNED:
        return _store_integer(x, dtype, dst)
    if kind == KIND_FLOAT:
        if PyComplex_Check(x):
            raise TypeError(f"float() argument must be a string or a real number, not 'complex'")
        return _store_real(PyFloat_AsDouble(x), dtype, dst)
    if PyComplex_Check(x):
        re, im = PyComplex_RealAsDouble(x), PyComplex_ImagAsDouble(x)
    elif PyFloat_Check(x) or PyLong_Check(x):
        re, im = PyFloat_AsDouble(x), 0.0
    else:
        x = complex(x)
        re, im = PyComplex_RealAsDouble(x), PyComplex_ImagAsDouble(x)
    if dtype == XPU_COMPLEX64:
        (<float*>dst)[0] = <float>re
        (<float*>dst)[1] = <float>im
    else:
        (<double*>dst)[0] = re
        (<double*>dst)[1] = im
    return 0


cdef object load(const void* src, int dtype):
    if dtype == XPU_FLOAT64:
        return PyFloat_FromDouble((<const double*>src)[0])
    if dtype == XPU_FLOAT32:
        return PyFloat_FromDouble((<const float*>src)[0])
    if dtype == XPU_INT64:
        return (<const int64_t*>src)[0]
    if dtype == XPU_BOOL:
        return (<const uint8_t*>src)[0] != 0
    if dtype == XPU_INT32:
        return (<const int32_t*>src)[0]
    if dtype == XPU_UINT8:
        return (<const uint8_t*>src)[0]
    if dtype == XPU_INT8:
        return (<const int8_t*>src)[0]
    if dtype == XPU_INT16:
        return (<const int16_t*>src)[0]
    if dtype == XPU_UINT16:
        return (<const uint16_t*>src)[0]
    if dtype == XPU_UINT32:
        return (<const uint32_t*>src)[0]
    if dtype == XPU_UINT64:
        return (<const uint64_t*>src)[0]
    if dtype == XPU_FLOAT16:
        return xpu_half_value((<const uint16_t*>src)[0])
    if dtype == XPU_COMPLEX64:
        return PyComplex_FromDoubles((<const float*>src)[0], (<const float*>src)[1])
    return PyComplex_FromDoubles((<const double*>src)[0], (<const double*>src)[1])


cdef int scalar_tensor(object x, int dtype, xpu_tensor* t) except -1:
    t.base = NULL
    t.offset = 0
    t.nbytes = itemsize_of[dtype]
    t.size = 1
    t.shape = NULL
    t.strides = NULL
    t.ndim = 0
    t.dtype = dtype
    t.storage = NULL
    return store(x, dtype, &t.value)
