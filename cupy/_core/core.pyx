"""ndarray: shape, strides and memory; views; operators. Element work goes to ufuncs, reductions and indexing beside this file."""
cimport cython
from cpython.exc cimport PyErr_CheckSignals
from cpython.long cimport PyLong_AsLongLongAndOverflow
from cpython.number cimport PyNumber_Index
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy
from cupy._core._convert cimport array_from
from cupy._core._dtype cimport *
from cupy._core._host_call cimport numpy_view, to_numpy
from cupy._core._indexing cimport getitem, setitem
from cupy._core._launch cimport api, check, launch, run
from cupy._core._scalar cimport load, scalar_kind, scalar_tensor, store
from cupy._core._ufunc cimport binary, inplace, power_operator, unary
from cupy_backends.backend.xpu cimport *

import warnings

import numpy
from numpy.exceptions import AxisError, ComplexWarning

cdef extern from *:
    """
    #define xpu_mul_overflow(a, b, r) __builtin_mul_overflow(a, b, r)
    #define xpu_add_overflow(a, b, r) __builtin_add_overflow(a, b, r)
    """
    bint xpu_mul_overflow(int64_t a, int64_t b, int64_t* r) nogil
    bint xpu_add_overflow(int64_t a, int64_t b, int64_t* r) nogil

_TOO_BIG = 'array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size.'


cdef int64_t times(int64_t a, int64_t b) except? -1:
    if xpu_mul_overflow(a, b, &a):
        raise ValueError(_TOO_BIG)
    return a


cdef int64_t plus(int64_t a, int64_t b) except? -1:
    if xpu_add_overflow(a, b, &a):
        raise ValueError(_TOO_BIG)
    return a


# --- making arrays ---

cdef int _set_ndim(ndarray a, int ndim) except -1:
    a.t.ndim = ndim
    if ndim > INLINE_NDIM:
        if ndim > XPU_MAX_NDIM:
            raise ValueError(f'maximum supported dimension for an ndarray is currently {XPU_MAX_NDIM}, found {ndim}')
        a.t.shape = <int64_t*>malloc(2 * ndim * sizeof(int64_t))
        if a.t.shape == NULL:
            a.t.shape = a.dims
            raise MemoryError()
        a.t.strides = a.t.shape + ndim
    return 0


cdef int64_t _set_contiguous(ndarray a, int dtype, const int64_t* shape, bint fortran) except -1:
    """Fills shape and strides; returns the number of bytes."""
    cdef int ndim = a.t.ndim, i, k, long_axes = 0
    cdef int64_t step = itemsize_of[dtype], size = 1, full = step
    a.t.dtype = dtype
    for i in range(ndim):
        k = i if fortran else ndim - 1 - i
        a.t.shape[k] = shape[k]
        if shape[k] < 0:
            raise ValueError('negative dimensions are not allowed')
        size *= shape[k]
        a.t.strides[k] = full
        if shape[k] > 1:
            long_axes += 1
            if xpu_mul_overflow(full, shape[k], &full):
                raise ValueError(_TOO_BIG)
    a.t.size = size
    a.flags_ = C_CONTIGUOUS | F_CONTIGUOUS | WRITEABLE | ALIGNED | OWNDATA
    if long_axes > 1 and size > 1:
        a.flags_ ^= C_CONTIGUOUS if fortran else F_CONTIGUOUS
    return full if size else 0


cdef ndarray new_array(int dtype, int ndim, const int64_t* shape, bint fortran=False):
    cdef ndarray a = ndarray.__new__(ndarray)
    if ndim > INLINE_NDIM:
        _set_ndim(a, ndim)
    else:
        a.t.ndim = ndim
    cdef int64_t nbytes = _set_contiguous(a, dtype, shape, fortran)
    cdef xpu_status status = api.alloc(nbytes, &a.t.storage)
    if status != XPU_OK:
        check(status)
    a.t.base = a.t.storage.base
    a.t.nbytes = nbytes
    return a


cdef ndarray new_scalar(int dtype):
    cdef ndarray a = new_array(dtype, 0, NULL)
    a.flags_ |= SCALAR
    return a


cdef int _memory_order(ndarray a, int* perm) noexcept:
    """Axes by decreasing stride, as NumPy's order 'K' has them."""
    cdef int i, j, k, ndim = a.t.ndim
    cdef int64_t s, p
    for i in range(ndim):
        k = i
        s = a.t.strides[i] if a.t.strides[i] >= 0 else -a.t.strides[i]
        j = i
        while j > 0:
            p = a.t.strides[perm[j - 1]]
            p = p if p >= 0 else -p
            if p >= s:
                break
            perm[j] = perm[j - 1]
            j -= 1
        perm[j] = k
    return 0


cdef ndarray new_permuted(int dtype, int ndim, const int64_t* shape, const int* perm):
    """A new array whose axes lie in memory in the order of perm, the slowest first."""
    cdef int64_t dims[XPU_MAX_NDIM]
    cdef int64_t strides[XPU_MAX_NDIM]
    cdef int i
    for i in range(ndim):
        dims[i] = shape[perm[i]]
    cdef ndarray a = new_array(dtype, ndim, dims)
    for i in range(ndim):
        strides[perm[i]] = a.t.strides[i]
    for i in range(ndim):
        a.t.shape[i] = shape[i]
        a.t.strides[i] = strides[i]
    update_flags(a)
    return a


cdef ndarray new_like(ndarray a, int dtype, char order):
    cdef int perm[XPU_MAX_NDIM]
    if order == c'A':
        order = c'F' if (a.flags_ & F_CONTIGUOUS) and not (a.flags_ & C_CONTIGUOUS) else c'C'
    if order == c'C' or (order == c'K' and a.flags_ & C_CONTIGUOUS):
        return new_array(dtype, a.t.ndim, a.t.shape)
    if order == c'F' or (order == c'K' and a.flags_ & F_CONTIGUOUS):
        return new_array(dtype, a.t.ndim, a.t.shape, True)
    _memory_order(a, perm)
    return new_permuted(dtype, a.t.ndim, a.t.shape, perm)


cdef int update_flags(ndarray a) noexcept:
    """Contiguity and alignment from shape and strides."""
    cdef int i, ndim = a.t.ndim, item = itemsize_of[a.t.dtype], align = item if item < 16 else 8
    cdef int64_t c = item, f = item
    cdef int32_t flags = C_CONTIGUOUS | F_CONTIGUOUS
    cdef int64_t misfit = a.t.offset | <int64_t>a.t.base
    if a.t.dtype == XPU_COMPLEX64:
        align = 4
    if a.t.size > 0:
        for i in range(ndim):
            if a.t.shape[i] != 1:
                if a.t.strides[i] != f:
                    flags &= ~F_CONTIGUOUS
                f *= a.t.shape[i]
                misfit |= a.t.strides[i]
        for i in range(ndim - 1, -1, -1):
            if a.t.shape[i] != 1:
                if a.t.strides[i] != c:
                    flags &= ~C_CONTIGUOUS
                c *= a.t.shape[i]
    if misfit & (align - 1) == 0:
        flags |= ALIGNED
    a.flags_ = (a.flags_ & ~(C_CONTIGUOUS | F_CONTIGUOUS | ALIGNED)) | flags
    return 0


cdef ndarray _view_of(ndarray a):
    cdef ndarray v = ndarray.__new__(ndarray)
    v.t.base = a.t.base
    v.t.nbytes = a.t.nbytes
    v.t.storage = a.t.storage
    v.t.dtype = a.t.dtype
    v.flags_ = a.flags_ & WRITEABLE
    v.base = a.base if a.base is not None else a
    api.retain(a.t.storage)
    return v


cdef ndarray new_view(ndarray a, int ndim, const int64_t* shape, const int64_t* strides, int64_t offset):
    cdef ndarray v = _view_of(a)
    cdef int i
    cdef int64_t size = 1
    v.t.offset = offset
    if ndim > INLINE_NDIM:
        _set_ndim(v, ndim)
    v.t.ndim = ndim
    for i in range(ndim):
        v.t.shape[i] = shape[i]
        v.t.strides[i] = strides[i]
        if xpu_mul_overflow(size, shape[i], &size):  # only by broadcasting: no memory holds so many
            raise ValueError(_TOO_BIG)
    v.t.size = size
    update_flags(v)
    return v


cdef ndarray view_dtype(ndarray a, int dtype, int64_t offset):
    cdef ndarray v = new_view(a, a.t.ndim, a.t.shape, a.t.strides, offset)
    v.t.dtype = dtype
    update_flags(v)
    return v


cdef ndarray mark_scalar(ndarray a):
    """A 0-d result stands for the scalar that NumPy would return."""
    if a.t.ndim == 0:
        a.flags_ |= SCALAR
    return a


# --- conversions ---

cdef ndarray as_array(object x):
    if isinstance(x, ndarray):
        return <ndarray>x
    if isinstance(x, numpy.ndarray) and x.ndim:
        raise TypeError('an operand is a numpy.ndarray: convert it with cupy.asarray() first')
    if isinstance(x, int) and not -0x8000000000000000 <= x <= 0xffffffffffffffff:
        raise OverflowError('Python int too large to convert to C long')
    return array_from(x, -1)


cdef ndarray as_typed(ndarray a, int dtype):
    if a.t.dtype == dtype:
        return a
    cdef ndarray r = new_like(a, dtype, c'K')
    copy_into(r, a)
    return r


cdef ndarray as_contiguous(ndarray a):
    return a if a.flags_ & C_CONTIGUOUS else copy_of(a, c'C')


cdef ndarray copy_of(ndarray a, char order):
    cdef ndarray r = new_like(a, a.t.dtype, order)
    copy_into(r, a)
    return r


cdef int copy_into(ndarray dst, ndarray src, bint broadcast=False) except -1:
    cdef int i, start = 0
    cdef int64_t strides[XPU_MAX_NDIM]
    cdef xpu_tensor t
    cdef const xpu_tensor* p = &src.t
    if dst.t.size == 0 and not broadcast:
        return 0
    if dst.t.storage != NULL and src.t.storage != NULL and dst.t.storage.device != src.t.storage.device:
        from cupy.xpu import _to_device, Device
        src = _to_device(src, Device(dst.t.storage.device))
        p = &src.t
    if may_overlap(dst, src):
        if same_view(dst, src):
            return 0
        src = copy_of(src, c'K')
        p = &src.t
    if broadcast:
        while src.t.ndim - start > dst.t.ndim and src.t.shape[start] == 1:
            start += 1
        t = src.t
        t.ndim -= start
        t.shape = src.t.shape + start
        t.strides = src.t.strides + start
        if t.ndim > dst.t.ndim or broadcast_strides(&t, dst.t.ndim, dst.t.shape, strides) < 0:
            raise ValueError(f'could not broadcast input array from shape {shape_text(&src.t)} into shape {shape_text(&dst.t)}')
        if dst.t.size == 0:
            return 0
        t.ndim = dst.t.ndim
        t.shape = dst.t.shape
        t.strides = strides
        t.size = dst.t.size
        p = &t
    elif src.t.ndim != dst.t.ndim:
        raise ValueError(f'cannot copy an array of shape {shape_text(&src.t)} into shape {shape_text(&dst.t)}')
    return run(XPU_OP_copy, XPU_CALL, dst.t.dtype, &p, 1, &dst.t, NULL, dst.t.size)


cdef int fill_value(ndarray a, object value) except -1:
    cdef xpu_tensor t
    cdef const xpu_tensor* p = &t
    scalar_tensor(value, a.t.dtype, &t)
    if a.t.size == 0:
        return 0
    return run(XPU_OP_fill, XPU_CALL, a.t.dtype, &p, 1, &a.t, NULL, a.t.size)


cdef ndarray from_host(const void* data, int dtype, int ndim, const int64_t* shape):
    cdef ndarray a = new_array(dtype, ndim, shape)
    if a.t.size:
        check(api.write(a.t.storage, 0, data, a.t.size * itemsize_of[dtype]))
    return a


cdef int read_value(ndarray a, void* dst) except -1:
    if a.t.base == NULL:
        raise ValueError('the array has no memory')
    if api.caps() & XPU_CAP_HOST_MEMORY:
        memcpy(dst, <char*>a.t.base + a.t.offset, itemsize_of[a.t.dtype])
        return 0
    return check(api.read(dst, a.t.storage, a.t.offset, itemsize_of[a.t.dtype]))


cdef object item_of(ndarray a):
    cdef xpu_value v
    read_value(a, &v)
    return load(&v, a.t.dtype)


# --- shapes ---

cdef str shape_text(const xpu_tensor* t):
    return str(tuple([t.shape[i] for i in range(t.ndim)])).replace(' ', '')


cdef int broadcast_shape(list arrays, int64_t* shape, int* ndim) except -1:
    cdef int k, nd = 0, d
    cdef int64_t s
    cdef ndarray a
    for a in arrays:
        nd = max(nd, a.t.ndim)
    for k in range(nd):
        shape[k] = 1
    for a in arrays:
        d = nd - a.t.ndim
        for k in range(d, nd):
            s = a.t.shape[k - d]
            if s != 1:
                if shape[k] == 1:
                    shape[k] = s
                elif shape[k] != s:
                    text = ' '.join([shape_text(&(<ndarray>x).t) for x in arrays])
                    raise ValueError(f'operands could not be broadcast together with shapes {text} ')
    ndim[0] = nd
    return 0


cdef int broadcast_strides(const xpu_tensor* t, int ndim, const int64_t* shape, int64_t* strides) except -2:
    """Strides of t seen with the given shape; -1 where it does not fit."""
    cdef int k, d = ndim - t.ndim
    if d < 0:
        return -1
    for k in range(d):
        strides[k] = 0
    for k in range(d, ndim):
        if t.shape[k - d] == shape[k]:
            strides[k] = t.strides[k - d] if shape[k] != 1 else 0
        elif t.shape[k - d] == 1:
            strides[k] = 0
        else:
            return -1
    return 0


cdef int normalize_axis(object axis, int ndim) except -2:
    cdef int64_t i = axis if isinstance(axis, int) else PyNumber_Index(axis)
    if not -ndim <= i < ndim:
        raise AxisError(i, ndim)
    return i + ndim if i < 0 else i


cdef int normalize_axes(object axis, int ndim, int64_t* axes) except -1:
    cdef int i, k
    if axis is None:
        for i in range(ndim):
            axes[i] = i
        return ndim
    if not isinstance(axis, (tuple, list)):
        if ndim == 0 and axis in (0, -1):
            return 0
        axes[0] = normalize_axis(axis, ndim)
        return 1
    found = sorted([normalize_axis(x, ndim) for x in axis])
    for i in range(len(found)):
        if i and found[i] == found[i - 1]:
            raise ValueError("duplicate value in 'axis'")
        axes[i] = found[i]
    return len(found)


cdef int shape_from(object shape, int64_t* out) except -1:
    cdef int i = 0, overflow = 0
    if isinstance(shape, int):
        shape = (shape,)
    elif not isinstance(shape, (tuple, list)):
        try:
            shape = (shape.__index__(),)
        except (AttributeError, TypeError):
            try:
                shape = tuple(shape)
            except TypeError:
                raise TypeError(f'expected a sequence of integers or a single integer, got {shape!r}') from None
    shape = tuple(shape)  # a list, or a subclass, could change while its items are asked for integers
    if len(shape) > XPU_MAX_NDIM:
        raise ValueError(f'maximum supported dimension for an ndarray is currently {XPU_MAX_NDIM}, found {len(shape)}')
    for x in shape:
        if type(x) is not int:
            try:
                x = x.__index__()
            except AttributeError:
                raise TypeError(f"'{type(x).__name__}' object cannot be interpreted as an integer") from None
        out[i] = PyLong_AsLongLongAndOverflow(x, &overflow)
        if overflow > 0:
            raise ValueError('Maximum allowed dimension exceeded')
        if out[i] < 0:
            raise ValueError('negative dimensions are not allowed')
        i += 1
    return i


cdef int _extent(ndarray a, int64_t* low, int64_t* high) noexcept:
    cdef int i
    cdef int64_t lo = <int64_t>a.t.base + a.t.offset, hi
    hi = lo + itemsize_of[a.t.dtype]
    for i in range(a.t.ndim):
        if a.t.strides[i] > 0:
            hi += (a.t.shape[i] - 1) * a.t.strides[i]
        else:
            lo += (a.t.shape[i] - 1) * a.t.strides[i]
    low[0] = lo
    high[0] = hi
    return 0


cdef int64_t _gcd(int64_t a, int64_t b) noexcept:
    cdef int64_t t
    a = a if a >= 0 else -a
    b = b if b >= 0 else -b
    while b:
        t = a % b
        a = b
        b = t
    return a


cdef bint may_overlap(ndarray a, ndarray b) noexcept:
    """Whether two arrays can share a byte. Interleaved views (even and odd elements, columns) are told apart by the gcd of strides."""
    cdef int64_t la, ha, lb, hb, g = 0, d, ia = itemsize_of[a.t.dtype], ib = itemsize_of[b.t.dtype]
    cdef int i
    if a.t.storage != b.t.storage and a.t.base != b.t.base:
        if a.t.base == NULL or b.t.base == NULL:
            return False
    if a.t.size == 0 or b.t.size == 0:
        return False
    _extent(a, &la, &ha)
    _extent(b, &lb, &hb)
    if ha <= lb or hb <= la:
        return False
    for i in range(a.t.ndim):
        if a.t.shape[i] > 1:
            g = _gcd(g, a.t.strides[i])
    for i in range(b.t.ndim):
        if b.t.shape[i] > 1:
            g = _gcd(g, b.t.strides[i])
    if g == 0:
        return True
    d = (lb - la) % g
    if d < 0:
        d += g
    return not (d >= ia and d + ib <= g)


cdef bint same_view(ndarray a, ndarray b) noexcept:
    cdef int i
    if <char*>a.t.base + a.t.offset != <char*>b.t.base + b.t.offset or a.t.ndim != b.t.ndim or a.t.dtype != b.t.dtype:
        return False
    for i in range(a.t.ndim):
        if a.t.shape[i] != b.t.shape[i] or (a.t.strides[i] != b.t.strides[i] and a.t.shape[i] != 1):
            return False
    return True


cdef bint view_strides(ndarray a, int ndim, const int64_t* shape, int64_t* strides) noexcept:
    """Strides with which a's elements, in C order, can be seen in another shape; False if a copy is needed."""
    cdef int i = 0, j = 0, k, i0, j0, n = 0
    cdef int64_t old_shape[XPU_MAX_NDIM]
    cdef int64_t old_strides[XPU_MAX_NDIM]
    cdef int64_t have, want
    for k in range(a.t.ndim):
        if a.t.shape[k] != 1:
            old_shape[n] = a.t.shape[k]
            old_strides[n] = a.t.strides[k]
            n += 1
    while i < n and j < ndim:
        i0, j0 = i, j
        have, want = old_shape[i], shape[j]
        while have != want:  # grow both groups until they hold the same number of elements
            if have < want:
                i += 1
                have *= old_shape[i]
            else:
                j += 1
                want *= shape[j]
        for k in range(i0, i):
            if old_strides[k] != old_shape[k + 1] * old_strides[k + 1]:
                return False
        strides[j] = old_strides[i]
        for k in range(j, j0, -1):
            strides[k - 1] = strides[k] * shape[k]
        i += 1
        j += 1
    have = strides[j - 1] if j > 0 else itemsize_of[a.t.dtype]
    for k in range(j, ndim):  # only axes of length 1 are left
        strides[k] = have
    return True


cdef ndarray reshape_to(ndarray a, int ndim, const int64_t* shape):
    cdef int64_t strides[XPU_MAX_NDIM]
    cdef ndarray v
    if a.flags_ & C_CONTIGUOUS or a.t.size == 0:
        v = _view_of(a)
        v.t.offset = a.t.offset
        _set_ndim(v, ndim)
        _set_contiguous(v, a.t.dtype, shape, False)
        v.flags_ = (v.flags_ & (C_CONTIGUOUS | F_CONTIGUOUS)) | (a.flags_ & (WRITEABLE | ALIGNED))
        return v
    if not view_strides(a, ndim, shape, strides):
        return reshape_to(copy_of(a, c'C'), ndim, shape)
    return new_view(a, ndim, shape, strides, a.t.offset)


cdef int require_writeable(ndarray a) except -1:
    if not a.flags_ & WRITEABLE:
        raise ValueError('assignment destination is read-only')
    return 0


cdef object shape_tuple(const xpu_tensor* t):
    if t.ndim == 1:
        return (t.shape[0],)
    if t.ndim == 2:
        return (t.shape[0], t.shape[1])
    return tuple([t.shape[i] for i in range(t.ndim)])


cdef int resolve_shape(ndarray a, object shape, int64_t* dims) except -1:
    """The shape of a reshape: one -1 stands for what is left."""
    cdef int i, n = 0, unknown = -1, overflow = 0
    cdef int64_t known = 1
    if len(shape) == 1 and not isinstance(shape[0], int):
        first = shape[0]
        if isinstance(first, (tuple, list)):
            shape = first
        elif not hasattr(first, '__index__'):
            shape = tuple(first)
    shape = tuple(shape)
    if len(shape) > XPU_MAX_NDIM:
        raise ValueError(f'maximum supported dimension for an ndarray is currently {XPU_MAX_NDIM}, found {len(shape)}')
    for x in shape:
        if not isinstance(x, int):
            if not hasattr(x, '__index__'):
                raise TypeError(f"'{type(x).__name__}' object cannot be interpreted as an integer")
            x = x.__index__()
        dims[n] = PyLong_AsLongLongAndOverflow(x, &overflow)
        if overflow:
            raise ValueError('Maximum allowed dimension exceeded')
        if dims[n] < 0:
            if dims[n] != -1 or unknown >= 0:
                raise ValueError('can only specify one unknown dimension' if dims[n] == -1 else
                                 f'cannot reshape array of size {a.t.size} into shape {tuple(shape)}')
            unknown = n
        elif xpu_mul_overflow(known, dims[n], &known):
            raise ValueError(f'cannot reshape array of size {a.t.size} into shape {tuple(shape)}')
        n += 1
    if unknown >= 0 and known > 0 and a.t.size % known == 0:
        dims[unknown] = a.t.size // known
    elif unknown >= 0 or known != a.t.size:
        text = str(tuple(shape)).replace(' ', '')
        raise ValueError(f'cannot reshape array of size {a.t.size} into shape {text}')
    return n


cdef char order_char(object order, str allowed) except 0:
    cdef Py_UCS4 x
    cdef int c
    if order is None:
        return c'K' if 'K' in allowed else c'C'
    if not isinstance(order, str):
        raise TypeError(f'order must be str, not {type(order).__name__}')
    if len(<str>order) == 1:
        c = <int><Py_UCS4>(<str>order)[0]
        if c >= c'a':
            c -= 32
        for x in allowed:
            if <int>x == c:
                return <char>c
    raise ValueError(f"order must be one of {', '.join([repr(x) for x in allowed])} (got {order!r})")


class Flags:
    """Memory layout of an array, as numpy.ndarray.flags: attributes and items such as c_contiguous or ['C_CONTIGUOUS']."""
    _names = {'C': 'c_contiguous', 'F': 'f_contiguous', 'O': 'owndata', 'W': 'writeable', 'A': 'aligned',
              'CONTIGUOUS': 'c_contiguous', 'FORTRAN': 'f_contiguous', 'FNC': 'fnc', 'FORC': 'forc', 'CA': 'carray', 'B': 'behaved'}

    def __init__(self, array, int flags):
        self._array = array
        self._flags = flags

    c_contiguous = contiguous = property(lambda self: bool(self._flags & C_CONTIGUOUS))
    f_contiguous = fortran = property(lambda self: bool(self._flags & F_CONTIGUOUS))
    owndata = property(lambda self: bool(self._flags & OWNDATA))
    aligned = property(lambda self: bool(self._flags & ALIGNED))
    writebackifcopy = property(lambda self: False)
    fnc = property(lambda self: self.f_contiguous and not self.c_contiguous)
    forc = property(lambda self: self.f_contiguous or self.c_contiguous)
    behaved = property(lambda self: self.aligned and self.writeable)
    carray = property(lambda self: self.behaved and self.c_contiguous)
    farray = property(lambda self: self.behaved and self.fnc)
    num = property(lambda self: (1 * self.c_contiguous | 2 * self.f_contiguous | 4 * self.owndata | 0x100 * self.aligned |
                                 0x400 * self.writeable))

    @property
    def writeable(self):
        return bool(self._flags & WRITEABLE)

    @writeable.setter
    def writeable(self, value):
        self._array.setflags(write=value)
        self._flags = (self._flags & ~WRITEABLE) | (WRITEABLE if value else 0)

    def __getitem__(self, name):
        attribute = self._names.get(name, name.lower() if isinstance(name, str) else '')
        if attribute.startswith('_') or not isinstance(getattr(Flags, attribute, None), property):
            raise KeyError('Unknown flag')
        return getattr(self, attribute)

    def __setitem__(self, name, value):
        if self._names.get(name, str(name).lower()) != 'writeable':
            raise KeyError('Unknown flag')
        self.writeable = value

    def __eq__(self, other):
        return isinstance(other, Flags) and self.num == other.num

    __hash__ = None

    def __repr__(self):
        names = ('C_CONTIGUOUS', 'F_CONTIGUOUS', 'OWNDATA', 'WRITEABLE', 'ALIGNED', 'WRITEBACKIFCOPY')
        return ''.join([f'  {n} : {self[n]}\n' for n in names])


cdef class _Iterator:
    """Iterates over the first axis."""
    cdef ndarray a
    cdef int64_t i

    def __iter__(self):
        return self

    def __next__(self):
        if self.i >= self.a.t.shape[0]:
            raise StopIteration
        r = getitem(self.a, self.i)
        self.i += 1
        return r

    def __length_hint__(self):
        return self.a.t.shape[0] - self.i


# Modules with the methods' functions; set by cupy._core when all are loaded.
cdef object _reduction = None, _sorting = None, _matmul = None, _indexing = None, _python = None


def bind(reduction, sorting, matmul, indexing, python):
    """Names the modules that methods delegate to. python(): the cupy package itself, for functions written in Python."""
    global _reduction, _sorting, _matmul, _indexing, _python
    _reduction, _sorting, _matmul, _indexing, _python = reduction, sorting, matmul, indexing, python


@cython.freelist(256)
@cython.no_gc
cdef class ndarray:
    """An array on the current device.

    ndarray(shape, dtype=float, buffer=None, offset=0, strides=None, order='C')

    Args:
        shape: int or tuple of ints.
        dtype: data type, anything numpy.dtype() takes; bool, int8 to int64, uint8 to uint64, float16 to float64, complex64, complex128.
        buffer: an object with the buffer protocol whose bytes are copied, a cupy.cuda.MemoryPointer whose memory is shared, or
            None: the elements are not set.
        offset: bytes into the buffer.
        strides: bytes per step of each axis.
        order: 'C' (rows first) or 'F' (columns first).

    Raises:
        ValueError: negative or too large dimensions, a buffer that is too small.
        TypeError: an unsupported dtype.
    """

    def __cinit__(self):
        self.t.shape = self.dims
        self.t.strides = self.dims + INLINE_NDIM

    def __init__(self, shape=None, dtype=float, buffer=None, offset=0, strides=None, order='C', memptr=None):
        cdef int64_t dims[XPU_MAX_NDIM]
        if self.t.storage != NULL:
            return
        if shape is None:
            raise TypeError("ndarray() missing required argument 'shape'")
        from cupy._core import _convert
        cdef ndarray made = _convert.make(shape, dtype, memptr if buffer is None else buffer, offset, strides, order)
        _set_ndim(self, made.t.ndim)
        self.t.dtype = made.t.dtype
        _take_fields(self, made)

    def __dealloc__(self):
        if self.t.storage != NULL:
            api.release(self.t.storage)
        if self.t.shape != self.dims:
            free(self.t.shape)

    # --- attributes ---

    @property
    def shape(self):
        return shape_tuple(&self.t)

    @shape.setter
    def shape(self, shape):
        cdef int64_t dims[XPU_MAX_NDIM]
        cdef int64_t strides[XPU_MAX_NDIM]
        cdef int n = resolve_shape(self, shape if isinstance(shape, (tuple, list)) else (shape,), dims)
        if not view_strides(self, n, dims, strides):
            raise AttributeError('Incompatible shape for in-place modification. Use `.reshape()` to make a copy with the desired shape.')
        cdef ndarray v = new_view(self, n, dims, strides, self.t.offset)
        if self.t.shape != self.dims:
            free(self.t.shape)
            self.t.shape, self.t.strides = self.dims, self.dims + INLINE_NDIM
        _set_ndim(self, n)
        for i in range(n):
            self.t.shape[i] = dims[i]
            self.t.strides[i] = v.t.strides[i]
        update_flags(self)

    @property
    def strides(self):
        return tuple([self.t.strides[i] for i in range(self.t.ndim)])

    @property
    def ndim(self):
        return self.t.ndim

    @property
    def size(self):
        return self.t.size

    @property
    def dtype(self):
        return dtype_object(self.t.dtype)

    @property
    def itemsize(self):
        return itemsize_of[self.t.dtype]

    @property
    def nbytes(self):
        return self.t.size * itemsize_of[self.t.dtype]

    @property
    def flags(self):
        return Flags(self, self.flags_)

    @property
    def T(self):
        return transpose_view(self, None)

    @property
    def mT(self):
        if self.t.ndim < 2:
            raise ValueError('matrix transpose with ndim < 2 is undefined')
        axes = list(range(self.t.ndim))
        axes[self.t.ndim - 1], axes[self.t.ndim - 2] = self.t.ndim - 2, self.t.ndim - 1
        return transpose_view(self, axes)

    @property
    def real(self):
        if kind_of[self.t.dtype] != KIND_COMPLEX:
            return self
        return _part(self, 0)

    @real.setter
    def real(self, value):
        self.real[...] = value

    @property
    def imag(self):
        cdef ndarray r
        if kind_of[self.t.dtype] == KIND_COMPLEX:
            return _part(self, 1)
        r = new_like(self, self.t.dtype, c'K')
        fill_value(r, 0)
        r.flags_ = (r.flags_ & ~WRITEABLE) | (self.flags_ & SCALAR)
        return r

    @imag.setter
    def imag(self, value):
        if kind_of[self.t.dtype] != KIND_COMPLEX:
            raise TypeError('cannot set imaginary part of a non-complex array')
        self.imag[...] = value

    @property
    def flat(self):
        return _indexing.flat_of(self)

    @flat.setter
    def flat(self, value):
        _indexing.flat_of(self)[:] = value

    @property
    def device(self):
        """The device that holds the array: 'cpu' by the Array API's name on the host backend, else a cupy.cuda.Device."""
        from cupy.xpu import _device_of
        return _device_of(self.t.storage.device)

    @property
    def data(self):
        """The memory of the array as a cupy.cuda.MemoryPointer."""
        from cupy.xpu import _pointer_of
        return _pointer_of(self)

    @property
    def _pointer(self):
        return <size_t>self.t.base + self.t.offset

    @property
    def _allocation(self):
        """(base address, byte offset, length, device) of the memory."""
        return <size_t>self.t.base, self.t.offset, self.t.nbytes, self.t.storage.device

    @property
    def _scalar(self):
        """Whether this 0-d array stands for a NumPy scalar."""
        return bool(self.flags_ & SCALAR)

    def _as_scalar(self):
        """Marks a 0-d result as standing for a NumPy scalar, and returns it."""
        return mark_scalar(self)

    # --- Python protocol ---

    def __len__(self):
        if self.t.ndim == 0:
            raise TypeError('len() of unsized object')
        return self.t.shape[0]

    def __iter__(self):
        cdef _Iterator it
        if self.t.ndim == 0:
            raise TypeError(f"'numpy.{self.dtype.type.__name__}' object is not iterable" if self.flags_ & SCALAR else
                            'iteration over a 0-d array')
        it = _Iterator.__new__(_Iterator)
        it.a = self
        it.i = 0
        return it

    def __contains__(self, value):
        return bool((self == value).any())

    def __getitem__(self, key):
        return getitem(self, key)

    def __setitem__(self, key, value):
        setitem(self, key, value)

    def __delitem__(self, key):
        raise ValueError('cannot delete array elements')

    def __bool__(self):
        cdef xpu_value v
        if self.t.size == 1:
            read_value(self, &v)
            if self.t.dtype == XPU_BOOL:
                return (<const char*>&v)[0] != 0
            return True if load(&v, self.t.dtype) else False
        if self.t.size == 0:
            raise ValueError('The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an array is not empty.')
        raise ValueError('The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()')

    def __int__(self):
        value = _real_item(self)
        return value if type(value) is int else int(value)

    def __float__(self):
        value = _real_item(self)
        return value if type(value) is float else float(value)

    def __complex__(self):
        return complex(_only_item(self))

    def __index__(self):
        if self.t.ndim != 0 or kind_of[self.t.dtype] > KIND_SIGNED or self.t.dtype == XPU_BOOL:
            raise TypeError('only integer scalar arrays can be converted to a scalar index')
        return item_of(self)

    def __hash__(self):
        if self.flags_ & SCALAR:
            return hash(item_of(self))
        raise TypeError("unhashable type: 'cupy.ndarray'")

    def __format__(self, spec):
        if self.flags_ & SCALAR:
            return format(to_numpy(self)[()], spec)
        if self.t.ndim == 0 and spec:
            return format(item_of(self), spec)
        if spec:
            raise TypeError('unsupported format string passed to cupy.ndarray.__format__')
        return str(self)

    def __round__(self, ndigits=None):
        if self.flags_ & SCALAR:
            return round(item_of(self)) if ndigits is None else _python().round(self, ndigits)
        raise TypeError("type cupy.ndarray doesn't define __round__ method")

    def __trunc__(self):
        return int(_only_item(self))

    def __repr__(self):
        return repr(to_numpy(self)[()] if self.flags_ & SCALAR else to_numpy(self))

    def __str__(self):
        return str(to_numpy(self)[()] if self.flags_ & SCALAR else to_numpy(self))

    def is_integer(self):
        """Whether a scalar has an integral value, as numpy.float64.is_integer."""
        value = _only_item(self)
        return value.is_integer() if isinstance(value, float) else True

    # What only NumPy's scalars have; AttributeError for other arrays.
    def as_integer_ratio(self): return to_numpy(self)[()].as_integer_ratio()
    def bit_count(self): return to_numpy(self)[()].bit_count()
    def hex(self): return to_numpy(self)[()].hex()
    @property
    def numerator(self): return to_numpy(self)[()].numerator
    @property
    def denominator(self): return to_numpy(self)[()].denominator

    def __copy__(self):
        return mark_copy(self, copy_of(self, c'K'))

    def __deepcopy__(self, memo):
        return mark_copy(self, copy_of(self, c'K'))

    def __reduce__(self):
        return _unpickle, (to_numpy(self), bool(self.flags_ & SCALAR))

    def __sizeof__(self):
        return sizeof(xpu_tensor) + (self.t.nbytes if self.base is None else 0)

    # --- NumPy's protocols ---

    __array_priority__ = 100

    def __array__(self, dtype=None, *, copy=None):
        from cupy import _interop
        return _interop.implicit_array(self, dtype, copy)

    def __array_ufunc__(self, function, method, *inputs, **kwargs):
        from cupy import _interop
        return _interop.array_ufunc(function, method, inputs, kwargs)

    def __array_function__(self, function, types, args, kwargs):
        from cupy import _interop
        return _interop.array_function(function, types, args, kwargs)

    def __array_namespace__(self, *, api_version=None):
        if api_version is not None and api_version not in ('2021.12', '2022.12', '2023.12', '2024.12'):
            raise ValueError(f'unsupported version of the array API standard: {api_version!r}')
        return _python()

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        from cupy._core import _dlpack
        return _dlpack.to_capsule(self, stream, max_version, dl_device, copy)

    def __dlpack_device__(self):
        from cupy._core import _dlpack
        return _dlpack.device_of(self)

    def __class_getitem__(cls, item):
        import types
        return types.GenericAlias(cls, item)

    # --- operators ---

    def __add__(self, other): return binary(XPU_OP_add, self, other, False)
    def __radd__(self, other): return binary(XPU_OP_add, self, other, True)
    def __iadd__(self, other): return inplace(XPU_OP_add, self, other)
    def __sub__(self, other): return binary(XPU_OP_subtract, self, other, False)
    def __rsub__(self, other): return binary(XPU_OP_subtract, self, other, True)
    def __isub__(self, other): return inplace(XPU_OP_subtract, self, other)
    def __mul__(self, other): return binary(XPU_OP_multiply, self, other, False)
    def __rmul__(self, other): return binary(XPU_OP_multiply, self, other, True)
    def __imul__(self, other): return inplace(XPU_OP_multiply, self, other)
    def __truediv__(self, other): return binary(XPU_OP_divide, self, other, False)
    def __rtruediv__(self, other): return binary(XPU_OP_divide, self, other, True)
    def __itruediv__(self, other): return inplace(XPU_OP_divide, self, other)
    def __floordiv__(self, other): return binary(XPU_OP_floor_divide, self, other, False)
    def __rfloordiv__(self, other): return binary(XPU_OP_floor_divide, self, other, True)
    def __ifloordiv__(self, other): return inplace(XPU_OP_floor_divide, self, other)
    def __mod__(self, other): return binary(XPU_OP_remainder, self, other, False)
    def __rmod__(self, other): return binary(XPU_OP_remainder, self, other, True)
    def __imod__(self, other): return inplace(XPU_OP_remainder, self, other)
    def __divmod__(self, other): return binary(XPU_OP_divmod, self, other, False)
    def __rdivmod__(self, other): return binary(XPU_OP_divmod, self, other, True)
    def __lshift__(self, other): return binary(XPU_OP_left_shift, self, other, False)
    def __rlshift__(self, other): return binary(XPU_OP_left_shift, self, other, True)
    def __ilshift__(self, other): return inplace(XPU_OP_left_shift, self, other)
    def __rshift__(self, other): return binary(XPU_OP_right_shift, self, other, False)
    def __rrshift__(self, other): return binary(XPU_OP_right_shift, self, other, True)
    def __irshift__(self, other): return inplace(XPU_OP_right_shift, self, other)
    def __and__(self, other): return binary(XPU_OP_bitwise_and, self, other, False)
    def __rand__(self, other): return binary(XPU_OP_bitwise_and, self, other, True)
    def __iand__(self, other): return inplace(XPU_OP_bitwise_and, self, other)
    def __or__(self, other): return binary(XPU_OP_bitwise_or, self, other, False)
    def __ror__(self, other): return binary(XPU_OP_bitwise_or, self, other, True)
    def __ior__(self, other): return inplace(XPU_OP_bitwise_or, self, other)
    def __xor__(self, other): return binary(XPU_OP_bitwise_xor, self, other, False)
    def __rxor__(self, other): return binary(XPU_OP_bitwise_xor, self, other, True)
    def __ixor__(self, other): return inplace(XPU_OP_bitwise_xor, self, other)
    def __eq__(self, other): return binary(XPU_OP_equal, self, other, False)
    def __ne__(self, other): return binary(XPU_OP_not_equal, self, other, False)
    def __lt__(self, other): return binary(XPU_OP_less, self, other, False)
    def __le__(self, other): return binary(XPU_OP_less_equal, self, other, False)
    def __gt__(self, other): return binary(XPU_OP_greater, self, other, False)
    def __ge__(self, other): return binary(XPU_OP_greater_equal, self, other, False)
    def __neg__(self): return unary(XPU_OP_negative, self)
    def __pos__(self): return unary(XPU_OP_positive, self)
    def __abs__(self): return unary(XPU_OP_absolute, self)
    def __invert__(self): return unary(XPU_OP_invert, self)
    def __pow__(self, other, modulo): return power_operator(self, other, modulo, False)
    def __rpow__(self, other, modulo): return power_operator(self, other, modulo, True)
    def __ipow__(self, other): return inplace(XPU_OP_power, self, other)
    def __matmul__(self, other): return _matmul.operator(self, other, False)
    def __rmatmul__(self, other): return _matmul.operator(self, other, True)
    def __imatmul__(self, other): return _matmul.inplace(self, other)

    # --- conversion and copies ---

    def get(self, stream=None, order='C', out=None, blocking=True):
        """A numpy.ndarray with a copy of the elements. out: a numpy.ndarray of the same shape and dtype to write to."""
        if out is None:
            return to_numpy(self) if order in ('C', 'K', 'A') and self.flags_ & C_CONTIGUOUS else numpy.array(to_numpy(self), order=order)
        if not isinstance(out, numpy.ndarray) or out.shape != self.shape or out.dtype != self.dtype:
            raise ValueError(f'out must be a numpy.ndarray of shape {self.shape} and dtype {self.dtype}')
        out[...] = to_numpy(self)
        return out

    def set(self, arr, stream=None):
        """Copies a numpy.ndarray of the same shape and dtype into the array."""
        cdef ndarray source
        require_writeable(self)
        source = array_from(arr, self.t.dtype)
        if source.shape != self.shape:
            raise ValueError(f'Shape mismatch. Old shape: {self.shape}, new shape: {source.shape}')
        copy_into(self, source)

    def item(self, *args):
        """An element as a Python scalar: item() of a size-1 array, item(flat index), item(i, j, ...)."""
        if not args:
            if self.t.size != 1:
                raise ValueError('can only convert an array of size 1 to a Python scalar')
            return item_of(self)
        if len(args) == 1 and isinstance(args[0], tuple):
            args = args[0]
        if len(args) == 1 and self.t.ndim != 1:
            return item_of(_indexing.flat_of(self)[args[0]])
        if len(args) != self.t.ndim:
            raise ValueError('incorrect number of indices for array')
        return item_of(getitem(self, tuple(args)))

    def tolist(self):
        """Nested lists of Python scalars."""
        return item_of(self) if self.t.ndim == 0 else to_numpy(self).tolist()

    def tobytes(self, order='C'):
        return to_numpy(self).tobytes(order)

    def tofile(self, fid, sep='', format='%s'):
        to_numpy(self).tofile(fid, sep, format)

    def dump(self, file):
        import pickle
        if hasattr(file, 'write'):
            pickle.dump(self, file)
        else:
            with open(file, 'wb') as f:
                pickle.dump(self, f)

    def dumps(self):
        import pickle
        return pickle.dumps(self)

    def copy(self, order='C'):
        """A copy with its own memory."""
        return mark_copy(self, copy_of(self, order_char(order, 'CFAK')))

    def astype(self, dtype, order='K', casting='unsafe', subok=True, copy=True):
        """The elements cast to a dtype. TypeError when `casting` forbids it. copy=False: the array itself where nothing changes."""
        cdef int number = dtype_number(dtype)
        cdef char o = order_char(order, 'CFAK')
        cdef ndarray r
        if not can_cast(self.t.dtype, number, casting):
            raise TypeError(f'Cannot cast array data from {self.dtype!r} to {dtype_object(number)!r} according to the rule {casting!r}')
        if copy is not True and not copy and number == self.t.dtype and (
                o == c'K' or (o == c'A') or (o == c'C' and self.flags_ & C_CONTIGUOUS) or (o == c'F' and self.flags_ & F_CONTIGUOUS)):
            return self
        r = new_like(self, number, o)
        copy_into(r, self)
        return mark_copy(self, r)

    def view(self, dtype=None, type=None):
        """The same memory under another dtype. The last axis must be contiguous when the item size changes."""
        from cupy._core import _convert
        for kind in (dtype, type):
            if isinstance(kind, __builtins__.type) and issubclass(kind, ndarray) and kind is not ndarray:
                raise TypeError(f'views are of type cupy.ndarray: the subclass {kind.__name__} cannot be viewed as')
        if dtype is ndarray:
            dtype = None
        if dtype is None:
            return new_view(self, self.t.ndim, self.t.shape, self.t.strides, self.t.offset)
        return _convert.reinterpret(self, dtype_number(dtype))

    def byteswap(self, inplace=False):
        from cupy._core import _convert
        return _convert.byteswap(self, inplace)

    def fill(self, value):
        """Sets all elements to a scalar."""
        require_writeable(self)
        if isinstance(value, numpy.generic):
            value = array_from(value, -1)
        if not isinstance(value, ndarray):
            fill_value(self, value)
        elif (<ndarray>value).t.ndim:
            raise ValueError('fill takes a scalar')
        else:
            copy_into(self, <ndarray>value, True)  # cast, where a Python number must fit

    def setflags(self, write=None, align=None, uic=None):
        if write is not None:
            if write and self.base is not None and not (<ndarray>self.base).flags_ & WRITEABLE:
                raise ValueError('cannot set WRITEABLE flag to True of this array')
            self.flags_ = (self.flags_ | WRITEABLE) if write else (self.flags_ & ~WRITEABLE)

    def to_device(self, device, /, *, stream=None):
        from cupy.xpu import _to_device
        return _to_device(self, device, stream)

    def toDlpack(self):
        return self.__dlpack__()

    def reduced_view(self, dtype=None):
        return self.view(dtype)

    # --- shape ---

    def reshape(self, *shape, order='C', copy=None):
        """A view, where possible, with another shape; one dimension may be -1. ValueError if copy=False and a copy is needed."""
        cdef int64_t dims[XPU_MAX_NDIM]
        cdef int n, i
        cdef char o = order_char(order, 'CFA')
        cdef ndarray r
        n = resolve_shape(self, shape, dims)
        if o == c'A':
            o = c'F' if self.flags_ & F_CONTIGUOUS and not self.flags_ & C_CONTIGUOUS else c'C'
        if o == c'F':
            for i in range(n // 2):
                dims[i], dims[n - 1 - i] = dims[n - 1 - i], dims[i]
            r = transpose_view(reshape_to(transpose_view(self, None), n, dims), None)
        else:
            r = reshape_to(self, n, dims)
        if copy is not None:
            shared = r.t.storage == self.t.storage
            if copy and shared:
                r = copy_of(r, o)
            elif not copy and not shared:
                raise ValueError('Unable to avoid creating a copy while reshaping.')
        return r

    def ravel(self, order='C'):
        """One contiguous axis; a view where possible."""
        cdef char o = order_char(order, 'CFAK')
        cdef int perm[XPU_MAX_NDIM]
        cdef int64_t n = self.t.size
        cdef ndarray r = self
        if o == c'K':
            _memory_order(self, perm)
            r = transpose_view(self, [perm[i] for i in range(self.t.ndim)])
        elif o == c'F' or (o == c'A' and self.flags_ & F_CONTIGUOUS and not self.flags_ & C_CONTIGUOUS):
            r = transpose_view(self, None)
        return reshape_to(as_contiguous(r), 1, &n)

    def flatten(self, order='C'):
        """One axis; always a copy."""
        cdef ndarray r = self.ravel(order)
        return copy_of(r, c'C') if r.t.storage == self.t.storage else r

    def transpose(self, *axes):
        """A view with permuted axes, reversed by default."""
        if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], (tuple, list))):
            axes = axes[0]
        return transpose_view(self, axes if axes else None)

    def swapaxes(self, axis1, axis2):
        cdef int i = normalize_axis(axis1, self.t.ndim), j = normalize_axis(axis2, self.t.ndim)
        axes = list(range(self.t.ndim))
        axes[i], axes[j] = axes[j], axes[i]
        return transpose_view(self, axes)

    def squeeze(self, axis=None):
        """A view without axes of length 1. ValueError when a named axis is longer."""
        cdef int64_t axes[XPU_MAX_NDIM]
        cdef int64_t shape[XPU_MAX_NDIM]
        cdef int64_t strides[XPU_MAX_NDIM]
        cdef int n = normalize_axes(axis, self.t.ndim, axes) if axis is not None else 0, i, k = 0, j = 0
        cdef bint drop
        for i in range(self.t.ndim):
            drop = self.t.shape[i] == 1 if axis is None else (j < n and axes[j] == i)
            if drop and axis is not None:
                j += 1
                if self.t.shape[i] != 1:
                    raise ValueError('cannot select an axis to squeeze out which has size not equal to one')
            if not drop:
                shape[k] = self.t.shape[i]
                strides[k] = self.t.strides[i]
                k += 1
        return new_view(self, k, shape, strides, self.t.offset)

    def resize(self, *new_shape, refcheck=True):
        """Changes shape and size in place; new elements are zero. ValueError for views."""
        from cupy._core import _convert
        cdef ndarray made
        if self.base is not None:
            raise ValueError('cannot resize this array: it does not own its data')
        made = _convert.resized(self, new_shape[0] if len(new_shape) == 1 and new_shape[0] is not None else new_shape)
        _take_fields(self, made)

    # --- computing methods: the functions of the same names ---

    def sum(self, axis=None, dtype=None, out=None, keepdims=False, initial=numpy._NoValue, where=True):
        return _reduction.sum(self, axis, dtype, out, keepdims, initial, where)

    def prod(self, axis=None, dtype=None, out=None, keepdims=False, initial=numpy._NoValue, where=True):
        return _reduction.prod(self, axis, dtype, out, keepdims, initial, where)

    def max(self, axis=None, out=None, keepdims=False, initial=numpy._NoValue, where=True):
        return _reduction.max(self, axis, out, keepdims, initial, where)

    def min(self, axis=None, out=None, keepdims=False, initial=numpy._NoValue, where=True):
        return _reduction.min(self, axis, out, keepdims, initial, where)

    def any(self, axis=None, out=None, keepdims=False, *, where=True):
        return _reduction.any(self, axis, out, keepdims, where=where)

    def all(self, axis=None, out=None, keepdims=False, *, where=True):
        return _reduction.all(self, axis, out, keepdims, where=where)

    def argmax(self, axis=None, out=None, *, keepdims=False):
        return _reduction.argmax(self, axis, out, keepdims=keepdims)

    def argmin(self, axis=None, out=None, *, keepdims=False):
        return _reduction.argmin(self, axis, out, keepdims=keepdims)

    def mean(self, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
        return _reduction.mean(self, axis, dtype, out, keepdims, where=where)

    def var(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None):
        return _reduction.var(self, axis, dtype, out, ddof, keepdims, where=where, **({} if mean is None else {'mean': mean}))

    def std(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None):
        return _reduction.std(self, axis, dtype, out, ddof, keepdims, where=where, **({} if mean is None else {'mean': mean}))

    def ptp(self, axis=None, out=None, keepdims=False):
        return _reduction.ptp(self, axis, out, keepdims)

    def cumsum(self, axis=None, dtype=None, out=None):
        return _reduction.cumsum(self, axis, dtype, out)

    def cumprod(self, axis=None, dtype=None, out=None):
        return _reduction.cumprod(self, axis, dtype, out)

    def sort(self, axis=-1, kind=None, order=None, *, stable=None):
        """Sorts in place."""
        _sorting.sort_inplace(self, axis, kind, order, stable)

    def argsort(self, axis=-1, kind=None, order=None, *, stable=None):
        return _sorting.argsort(self, axis, kind, order, stable=stable)

    def partition(self, kth, axis=-1, kind='introselect', order=None):
        _sorting.partition_inplace(self, kth, axis, kind, order)

    def argpartition(self, kth, axis=-1, kind='introselect', order=None):
        return _sorting.argpartition(self, kth, axis, kind, order)

    def searchsorted(self, v, side='left', sorter=None):
        return _sorting.searchsorted(self, v, side, sorter)

    def dot(self, b, out=None):
        return _matmul.dot(self, b, out)

    def take(self, indices, axis=None, out=None, mode='raise'):
        return _indexing.take(self, indices, axis, out, mode)

    def put(self, indices, values, mode='raise'):
        _indexing.put(self, indices, values, mode)

    def choose(self, choices, out=None, mode='raise'):
        return _indexing.choose(self, choices, out, mode)

    def compress(self, condition, axis=None, out=None):
        return _indexing.compress(condition, self, axis, out)

    def diagonal(self, offset=0, axis1=0, axis2=1):
        return _indexing.diagonal(self, offset, axis1, axis2)

    def nonzero(self):
        return _indexing.nonzero(self)

    def trace(self, offset=0, axis1=0, axis2=1, dtype=None, out=None):
        return _reduction.sum(_indexing.diagonal(self, offset, axis1, axis2), -1, dtype, out)

    def repeat(self, repeats, axis=None):
        return _python().repeat(self, repeats, axis)

    def clip(self, min=None, max=None, out=None, **kwargs):
        return _python().clip(self, min, max, out, **kwargs)

    def round(self, decimals=0, out=None):
        return _python().round(self, decimals, out)

    def conj(self):
        return self if kind_of[self.t.dtype] != KIND_COMPLEX else unary(XPU_OP_conjugate, self)

    def conjugate(self):
        return self.conj()

    def scatter_add(self, slices, value):
        _python().add.at(self, slices, value)

    def scatter_max(self, slices, value):
        _python().maximum.at(self, slices, value)

    def scatter_min(self, slices, value):
        _python().minimum.at(self, slices, value)

    def getfield(self, dtype, offset=0):
        return _python()._core._convert.getfield(self, dtype, offset)

    def setfield(self, val, dtype, offset=0):
        _python()._core._convert.getfield(self, dtype, offset)[...] = val


cdef object _only_item(ndarray a):
    if a.t.ndim:
        raise TypeError('only 0-dimensional arrays can be converted to Python scalars')
    return item_of(a)


cdef object _real_item(ndarray a):
    """The item of a size-1 array for float() and int(). They drop the imaginary part of a scalar with a warning, and refuse an array."""
    value = _only_item(a)
    if kind_of[a.t.dtype] == KIND_COMPLEX:
        if not a.flags_ & SCALAR:
            raise TypeError("int() and float() take a real number, not 'complex'")
        warnings.warn('Casting complex values to real discards the imaginary part', ComplexWarning, stacklevel=2)
        return value.real
    return value


cdef ndarray mark_copy(ndarray a, ndarray r):
    r.flags_ |= a.flags_ & SCALAR
    return r


cdef ndarray _part(ndarray a, int which):
    cdef int dtype = XPU_FLOAT32 if a.t.dtype == XPU_COMPLEX64 else XPU_FLOAT64
    cdef ndarray r = view_dtype(a, dtype, a.t.offset + which * itemsize_of[dtype])
    if a.flags_ & SCALAR:
        r = mark_copy(a, copy_of(r, c'C'))
    return r


cdef int _take_fields(ndarray a, ndarray made) except -1:
    """Moves made's memory and layout into a, whose own memory is let go."""
    cdef int i
    if a.t.storage != NULL:
        api.release(a.t.storage)
        a.t.storage = NULL
    if a.t.shape != a.dims:
        free(a.t.shape)
        a.t.shape, a.t.strides = a.dims, a.dims + INLINE_NDIM
    _set_ndim(a, made.t.ndim)
    for i in range(made.t.ndim):
        a.t.shape[i] = made.t.shape[i]
        a.t.strides[i] = made.t.strides[i]
    a.t.base, a.t.offset, a.t.nbytes, a.t.size = made.t.base, made.t.offset, made.t.nbytes, made.t.size
    a.t.dtype, a.t.storage = made.t.dtype, made.t.storage
    a.flags_, a.base = made.flags_, made.base
    api.retain(a.t.storage)
    return 0


cdef ndarray transpose_view(ndarray a, object axes):
    cdef int64_t shape[XPU_MAX_NDIM]
    cdef int64_t strides[XPU_MAX_NDIM]
    cdef int i, k, n = a.t.ndim
    cdef uint64_t seen = 0
    if axes is None:
        for i in range(n):
            shape[i], strides[i] = a.t.shape[n - 1 - i], a.t.strides[n - 1 - i]
    else:
        if len(axes) != n:
            raise ValueError("axes don't match array")
        for i in range(n):
            k = normalize_axis(axes[i], n)
            if seen >> k & 1:
                raise ValueError('repeated axis in transpose')
            seen |= (<uint64_t>1) << k
            shape[i], strides[i] = a.t.shape[k], a.t.strides[k]
    return new_view(a, n, shape, strides, a.t.offset)


def _unpickle(array, scalar):
    cdef ndarray a = array_from(array, -1)
    return mark_scalar(a) if scalar else a
