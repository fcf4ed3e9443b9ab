from cupy_backends.backend.xpu cimport int64_t

cdef extern from *:
    """
    static const signed char xpu_itemsize[16] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8, 8, 16, 2, 0};
    /* kind order of NumPy's safe casts: bool, unsigned, signed, float, complex */
    static const signed char xpu_kind[16] = {0, 2, 1, 2, 1, 2, 1, 2, 1, 3, 3, 3, 4, 4, 3, 0};
    """
    const signed char itemsize_of "xpu_itemsize"[16]
    const signed char kind_of "xpu_kind"[16]

cdef enum:
    KIND_BOOL = 0
    KIND_UNSIGNED = 1
    KIND_SIGNED = 2
    KIND_FLOAT = 3
    KIND_COMPLEX = 4

# Pseudo dtype numbers of Python scalars, weak in promotion (NEP 50); a Python bool is an ordinary bool.
cdef enum:
    WEAK_INT = 16
    WEAK_FLOAT = 17
    WEAK_COMPLEX = 18
    DTYPE_SLOTS = 19

cdef object dtype_object(int number)              # the numpy.dtype
cdef int dtype_number(object dtype) except -1     # of anything numpy.dtype() takes; TypeError if unsupported
cdef int number_of_char(int c) noexcept
cdef int promote(int a, int b) noexcept           # NumPy's result type of two dtypes (weak numbers allowed)
cdef bint can_cast_safely(int src, int dst) noexcept
cdef bint can_cast(int src, int dst, str casting) except -1

# cupy.xpu.float64_mode: whether this thread makes new arrays of single precision; `created`: the dtype that a new array then gets.
cdef bint single_precision() except -1
cdef int created(int dtype) except -1
