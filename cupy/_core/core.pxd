from cupy_backends.backend.xpu cimport int32_t, int64_t, xpu_storage, xpu_tensor

cdef enum:
    C_CONTIGUOUS = 1
    F_CONTIGUOUS = 2
    WRITEABLE = 4
    ALIGNED = 8       # offset and strides are multiples of the item size
    OWNDATA = 16
    SCALAR = 32       # 0-d result standing for a NumPy scalar: immutable, in-place operators make a new array
    INLINE_NDIM = 4

cdef class ndarray:
    cdef xpu_tensor t                  # what the C interface sees; shape and strides point into dims or to the heap
    cdef int64_t dims[8]
    cdef int32_t flags_
    cdef readonly object base          # the array whose memory this one views
    cdef object __weakref__

# --- making arrays (memory is not filled) ---
cdef int64_t times(int64_t a, int64_t b) except? -1               # lengths: ValueError where no array can be so long
cdef int64_t plus(int64_t a, int64_t b) except? -1
cdef ndarray new_array(int dtype, int ndim, const int64_t* shape, bint fortran=*)
cdef ndarray new_like(ndarray a, int dtype, char order)            # shape of a; order 'K', 'C', 'F', 'A'
cdef ndarray new_scalar(int dtype)                                 # 0-d with the SCALAR flag
cdef ndarray new_view(ndarray a, int ndim, const int64_t* shape, const int64_t* strides, int64_t offset)  # offset: absolute, bytes
cdef ndarray view_dtype(ndarray a, int dtype, int64_t offset)      # same shape and strides, other dtype (real, imag)

# --- conversions ---
cdef ndarray as_array(object x)                       # ndarray as it is; scalars and lists become arrays; numpy.ndarray: TypeError
cdef ndarray as_typed(ndarray a, int dtype)           # a itself or a cast copy (unsafe cast)
cdef ndarray as_contiguous(ndarray a)                 # a itself or a C-ordered copy
cdef ndarray copy_of(ndarray a, char order)
cdef int copy_into(ndarray dst, ndarray src, bint broadcast=*) except -1   # cast unsafely; src is broadcast; overlap is handled
cdef int fill_value(ndarray a, object value) except -1
cdef ndarray from_host(const void* data, int dtype, int ndim, const int64_t* shape)     # copies
cdef int read_value(ndarray a, void* dst) except -1   # the single element of a size-1 array to host memory (waits for the stream)
cdef object item_of(ndarray a)                        # as a Python scalar

# --- shapes ---
cdef int broadcast_shape(list arrays, int64_t* shape, int* ndim) except -1   # of ndarrays; ValueError as NumPy's
cdef int broadcast_strides(const xpu_tensor* t, int ndim, const int64_t* shape, int64_t* strides) except -2   # -1: does not fit
cdef int normalize_axis(object axis, int ndim) except -2         # AxisError
cdef int normalize_axes(object axis, int ndim, int64_t* axes) except -1    # None, int or tuple -> count; sorted, unique
cdef int shape_from(object shape, int64_t* out) except -1        # int or sequence -> ndim; ValueError if negative or too large
cdef bint may_overlap(ndarray a, ndarray b) noexcept
cdef bint same_view(ndarray a, ndarray b) noexcept
cdef ndarray reshape_to(ndarray a, int ndim, const int64_t* shape)   # view where possible, else copy
cdef int require_writeable(ndarray a) except -1
cdef ndarray transpose_view(ndarray a, object axes)              # axes: None or a sequence
cdef ndarray new_permuted(int dtype, int ndim, const int64_t* shape, const int* perm)    # perm: axes from slowest to fastest in memory
cdef ndarray mark_scalar(ndarray a)                              # a 0-d result stands for a NumPy scalar
cdef int update_flags(ndarray a) noexcept
cdef int resolve_shape(ndarray a, object shape, int64_t* dims) except -1
cdef char order_char(object order, str allowed) except 0         # 'C', 'F', 'A', 'K' checked
cdef str shape_text(const xpu_tensor* t)                         # (2,3), as in NumPy's messages
cdef object shape_tuple(const xpu_tensor* t)
