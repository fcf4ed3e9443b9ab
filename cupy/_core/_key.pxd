from cpython.long cimport PyLong_AsLongLong
from cupy._core.core cimport ndarray
from cupy_backends.backend.xpu cimport XPU_MAX_NDIM, int64_t

cdef extern from "Python.h":
    int PySlice_Unpack(object slice, Py_ssize_t* start, Py_ssize_t* stop, Py_ssize_t* step) except -1
    Py_ssize_t PySlice_AdjustIndices(Py_ssize_t length, Py_ssize_t* start, Py_ssize_t* stop, Py_ssize_t step) noexcept

cdef enum Kind:
    INTEGER
    SLICE
    NEWAXIS
    ELLIPSIS
    FLAG      # a 0-d boolean
    INDICES   # an integer array
    MASK

# Shape and strides of a view in the making.
ctypedef struct Layout:
    int ndim
    int64_t offset
    int64_t shape[64]
    int64_t strides[64]


cdef class Key:
    """A key taken apart: the kinds of its items, then the view that its basic part makes and the index arrays of the rest."""
    cdef int n
    cdef signed char kinds[129]
    cdef int64_t numbers[129]      # of INTEGER, and 0 or 1 of FLAG
    cdef list items                # arrays, None for the others
    cdef bint advanced
    cdef bint copies               # an array of no dimensions as integer: NumPy copies
    cdef Layout view
    # advanced keys: index arrays, their axes in the view and in the array; B and its place among the other axes
    cdef list arrays
    cdef int64_t axes[64]
    cdef int array_axes[64]
    cdef int place
    cdef Layout b                  # ndim and shape
    cdef int64_t b_size


cdef Key parse_key(ndarray a, tuple key)
cdef int basic_layout(ndarray a, tuple key, Layout* v) except -1    # Python ints, slices, None, Ellipsis; 0: another key
cdef ndarray mask_or_indices(object x)         # an index array as it is given; IndexError for other dtypes
cdef tuple nonzero_of(ndarray a)              # an int64 array per axis; a has at least one
cdef ndarray trimmed(ndarray a, int64_t n)    # the first n elements of a 1-D result of worst-case length


cdef inline int64_t to_integer(object x) except? -1:
    try:
        return PyLong_AsLongLong(x)
    except OverflowError:
        raise IndexError('cannot fit an integer of this size into an index') from None


cdef inline int append_axis(Layout* v, int64_t length, int64_t stride) except -1:
    if v.ndim >= XPU_MAX_NDIM:
        raise IndexError(f'number of dimensions must be within [0, {XPU_MAX_NDIM}], indexing result would have more')
    v.shape[v.ndim] = length
    v.strides[v.ndim] = stride
    v.ndim += 1
    return 0


cdef inline int64_t wrapped(int64_t i, int64_t length, int axis) except -1:
    cdef int64_t j = i + length if i < 0 else i
    if j < 0 or j >= length:
        raise IndexError(f'index {i} is out of bounds for axis {axis} with size {length}')
    return j


cdef inline int slice_axis(Layout* v, object s, int64_t length, int64_t stride) except -1:
    cdef Py_ssize_t start, stop, step, n
    PySlice_Unpack(s, &start, &stop, &step)
    n = PySlice_AdjustIndices(length, &start, &stop, step)
    if n > 0:
        v.offset += start * stride
    return append_axis(v, n, stride * step)
