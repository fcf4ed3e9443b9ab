"""a[key] and a[key] = value.

Basic keys (integers, slices, None, Ellipsis) make views. Advanced keys are brought to one form (_key.pyx): index arrays of one
broadcast shape B for some axes of a view, done by one gather or scatter; a boolean mask of the array's own shape has ops of its own.
"""
from cpython.long cimport PyLong_Check
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE
from cupy._core._convert cimport array_from
from cupy._core._dtype cimport *
from cupy._core._host_call cimport from_numpy
from cupy._core._key cimport *
from cupy._core._launch cimport api, launch, run
from cupy._core._scalar cimport scalar_tensor, store
from cupy._core.core cimport (
    SCALAR, WRITEABLE, as_array, as_typed, broadcast_strides, copy_into, copy_of, fill_value, may_overlap, ndarray, new_array, new_scalar,
    new_view, require_writeable, shape_text)
from cupy_backends.backend.xpu cimport *

import warnings

import numpy

from numpy.exceptions import ComplexWarning

cdef extern from *:
    """
    #include <string.h>
    /* an item of known size is a load and a store, memcpy of any size is not */
    static inline void xpu_copy_item(void *to, const void *from, int size) {
        switch (size) {
        case 1: memcpy(to, from, 1); break;
        case 2: memcpy(to, from, 2); break;
        case 4: memcpy(to, from, 4); break;
        case 8: memcpy(to, from, 8); break;
        default: memcpy(to, from, 16);
        }
    }
    """
    void xpu_copy_item(void* to, const void* source, int size) noexcept

cdef object _numpy_array = numpy.ndarray
cdef object _generic = numpy.generic


# --- launches ---

cdef int _run_indexed(int op, const xpu_tensor* source, const xpu_tensor* out, Key k) except -1:
    """gather or scatter with the key's index arrays."""
    cdef xpu_tensor index[64]
    cdef const xpu_tensor* ins[65]
    cdef int64_t strides[64][64]
    cdef xpu_params params
    cdef xpu_call call
    cdef ndarray r
    cdef int i, n = <int>len(k.arrays)
    ins[0] = source
    for i in range(n):
        r = <ndarray>k.arrays[i]
        index[i] = r.t
        broadcast_strides(&r.t, k.b.ndim, k.b.shape, strides[i])
        index[i].ndim = k.b.ndim
        index[i].shape = k.b.shape
        index[i].strides = strides[i]
        index[i].size = k.b_size
        ins[i + 1] = &index[i]
    params.i[0] = XPU_MODE_RAISE
    params.axes = k.axes
    params.naxes = n
    params.nlist = 0
    call.op = op
    call.method = XPU_CALL
    call.loop = out.dtype
    call.nin = n + 1
    call.nout = 1
    call.flags = 0
    call.in_ = ins
    call.out = &out
    call.params = &params
    try:
        return launch(&call, k.b_size + (out.size if op == XPU_OP_gather else source.size))
    except IndexError:
        for i in range(n):
            if k.axes[i] == call.result[1]:
                raise IndexError(f'index {call.result[0]} is out of bounds for axis {k.array_axes[i]} with size {call.result[2]}') from None
        raise


cdef int _run_one(int op, const xpu_tensor* source, const xpu_tensor* out, ndarray index, int64_t axis, int mode) except -1:
    """gather or scatter by one index array."""
    cdef const xpu_tensor* ins[2]
    cdef xpu_params params
    cdef xpu_call call
    ins[0], ins[1] = source, &index.t
    params.i[0] = mode
    params.axes = &axis
    params.naxes = 1
    params.nlist = 0
    call.op = op
    call.method = XPU_CALL
    call.loop = out.dtype
    call.nin = 2
    call.nout = 1
    call.flags = 0
    call.in_ = ins
    call.out = &out
    call.params = &params
    return launch(&call, index.t.size + (out.size if op == XPU_OP_gather else source.size))


cdef ndarray mask_get(ndarray a, ndarray mask):
    cdef ndarray r = new_array(a.t.dtype, 1, &a.t.size)
    cdef const xpu_tensor* ins[2]
    cdef const xpu_tensor* out = &r.t
    cdef xpu_call call
    if a.t.size == 0:
        return r
    ins[0], ins[1] = &a.t, &mask.t
    call.op = XPU_OP_mask_get
    call.method = XPU_CALL
    call.loop = a.t.dtype
    call.nin = 2
    call.nout = 1
    call.flags = 0
    call.in_ = ins
    call.out = &out
    call.params = NULL
    launch(&call, a.t.size)
    return trimmed(r, call.result[0])


# --- reading ---

cdef ndarray _element(ndarray a, int64_t offset):
    """A 0-d array of its own with the element at a byte offset."""
    cdef ndarray r = new_scalar(a.t.dtype)
    cdef xpu_tensor t
    cdef const xpu_tensor* p = &t
    if r.t.storage.device != a.t.storage.device:  # it lives where its array does
        from cupy.xpu import Device
        with Device(a.t.storage.device):
            return _element(a, offset)
    if api.caps() & XPU_CAP_HOST_MEMORY:
        xpu_copy_item(r.t.base, <char*>a.t.base + offset, itemsize_of[a.t.dtype])
        return r
    t = r.t
    t.base, t.offset, t.nbytes, t.storage = a.t.base, offset, a.t.nbytes, a.t.storage
    run(XPU_OP_copy, XPU_CALL, a.t.dtype, &p, 1, &r.t, NULL, 1)
    return r


cdef ndarray item_at(ndarray a, int64_t i):
    cdef int64_t offset = a.t.offset + i * a.t.strides[0]
    if a.t.ndim == 1:
        return _element(a, offset)
    return new_view(a, a.t.ndim - 1, a.t.shape + 1, a.t.strides + 1, offset)


cdef int64_t _element_offset(ndarray a, tuple key) except -2:
    """Byte offset of the element that a tuple of Python ints names; -1 for other keys."""
    cdef int i, n = a.t.ndim
    cdef int64_t offset = a.t.offset
    if PyTuple_GET_SIZE(key) != n or n == 0:
        return -1
    for i in range(n):
        if type(<object>PyTuple_GET_ITEM(key, i)) is not int:
            return -1
    for i in range(n):
        offset += wrapped(to_integer(<object>PyTuple_GET_ITEM(key, i)), a.t.shape[i], i) * a.t.strides[i]
    return offset


cdef bint _is_scalar(Key k, int ndim):
    """Only integers, one for each axis: the answer is an element, not a view."""
    cdef int i
    for i in range(k.n):
        if k.kinds[i] != INTEGER:
            return False
    return k.n == ndim


cdef object _too_many(ndarray a):
    if a.flags_ & SCALAR:
        return IndexError('invalid index to scalar variable.')
    return IndexError(f'too many indices for array: array is {a.t.ndim}-dimensional, but 1 were indexed')


cdef inline int _slice_layout(ndarray a, object key, Layout* v) except -1:
    cdef int i
    v.ndim = 0
    v.offset = a.t.offset
    slice_axis(v, key, a.t.shape[0], a.t.strides[0])
    for i in range(1, a.t.ndim):
        append_axis(v, a.t.shape[i], a.t.strides[i])
    return 0


cdef inline ndarray _first_axis_index(ndarray a, object key):
    """A key that is one integer array or list, as an int64 array; None for other keys."""
    cdef ndarray r
    if a.t.ndim == 0:
        return None
    if isinstance(key, ndarray):
        r = <ndarray>key
    elif type(key) is list:
        r = mask_or_indices(key)
    else:
        return None
    if r.t.ndim == 0 or r.t.dtype == XPU_BOOL or kind_of[r.t.dtype] > KIND_SIGNED or r.t.ndim + a.t.ndim > XPU_MAX_NDIM:
        return None
    return as_typed(r, XPU_INT64)


cdef object getitem(ndarray a, object key):
    cdef int64_t offset
    cdef Layout v
    cdef Key k
    cdef ndarray index
    if type(key) is int:
        if a.t.ndim == 0:
            raise _too_many(a)
        return item_at(a, wrapped(to_integer(key), a.t.shape[0], 0))
    if type(key) is slice and a.t.ndim:
        _slice_layout(a, key, &v)
        return new_view(a, v.ndim, v.shape, v.strides, v.offset)
    if type(key) is tuple:
        offset = _element_offset(a, <tuple>key)
        if offset >= 0:
            return _element(a, offset)
    elif key is None or key is Ellipsis:
        key = (key,)
    else:
        if isinstance(key, ndarray) and (<ndarray>key).t.dtype == XPU_BOOL and same_shape(a, <ndarray>key):
            return mask_get(a, <ndarray>key)
        index = _first_axis_index(a, key)
        if index is not None:
            return _take_first(a, index)
        key = (key,)
    if a.t.ndim and basic_layout(a, <tuple>key, &v):
        return new_view(a, v.ndim, v.shape, v.strides, v.offset)
    if a.flags_ & SCALAR and key:
        a = copy_of(a, c'C')
    k = parse_key(a, <tuple>key)
    if k.advanced:
        return _take_key(a, k)
    if _is_scalar(k, a.t.ndim):
        return a if a.flags_ & SCALAR else _element(a, k.view.offset)
    r = _key_view(a, k)
    return copy_of(<ndarray>r, c'K') if k.copies else r


cdef ndarray _take_first(ndarray a, ndarray index):
    """a[index] with integers for the first axis."""
    cdef int64_t shape[64]
    cdef int i, nb = index.t.ndim
    cdef ndarray r
    for i in range(nb):
        shape[i] = index.t.shape[i]
    for i in range(1, a.t.ndim):
        shape[nb + i - 1] = a.t.shape[i]
    r = new_array(a.t.dtype, nb + a.t.ndim - 1, shape)
    if index.t.size:
        _run_one(XPU_OP_gather, &a.t, &r.t, index, 0, XPU_MODE_RAISE)
    return r


cdef bint same_shape(ndarray a, ndarray mask) noexcept:
    cdef int i
    if a.t.ndim != mask.t.ndim or a.t.ndim == 0:
        return False
    for i in range(a.t.ndim):
        if a.t.shape[i] != mask.t.shape[i]:
            return False
    return True


cdef ndarray _key_view(ndarray a, Key k):
    return new_view(a, k.view.ndim, k.view.shape, k.view.strides, k.view.offset)


cdef bint _is_full_mask(ndarray a, Key k):
    return k.n == 1 and k.kinds[0] == MASK and same_shape(a, <ndarray>k.items[0])


cdef int _others(Key k, Layout* result) except -1:
    """B, then the view's axes without index arrays: the order in which gather and scatter see the result. Returns its ndim."""
    cdef int i, j = 0, n = <int>len(k.arrays) if k.arrays is not None else 0
    result.ndim = 0
    for i in range(k.b.ndim):
        append_axis(result, k.b.shape[i], 0)
    for i in range(k.view.ndim):
        if j < n and k.axes[j] == i:
            j += 1
        else:
            append_axis(result, k.view.shape[i], k.view.strides[i])
    return result.ndim


cdef ndarray _flag_view(ndarray a, Key k):
    """A key whose only advanced items are 0-d booleans: an axis of length 1 or 0 more, if no arrays come in."""
    cdef Layout r
    cdef int i
    r.ndim = 0
    for i in range(k.view.ndim + 1):
        if i == k.place:
            append_axis(&r, k.b_size, 0)
        if i < k.view.ndim:
            append_axis(&r, k.view.shape[i], k.view.strides[i])
    return new_view(a, r.ndim, r.shape, r.strides, k.view.offset)


cdef ndarray _take_key(ndarray a, Key k):
    cdef Layout shape
    cdef ndarray r, source
    if k.arrays is None:
        return copy_of(_flag_view(a, k), c'C')
    if _is_full_mask(a, k):
        return mask_get(a, <ndarray>k.items[0])
    _others(k, &shape)
    r = new_array(a.t.dtype, shape.ndim, shape.shape)
    if k.b_size:
        source = _key_view(a, k)
        _run_indexed(XPU_OP_gather, &source.t, &r.t, k)
    return r if k.place == 0 else _place_b(r, k.b.ndim, k.place)


cdef ndarray _place_b(ndarray r, int nb, int place):
    """Moves the first nb axes behind the next `place` ones."""
    cdef Layout v
    cdef int i
    v.ndim = 0
    for i in range(nb, nb + place):
        append_axis(&v, r.t.shape[i], r.t.strides[i])
    for i in range(nb):
        append_axis(&v, r.t.shape[i], r.t.strides[i])
    for i in range(nb + place, r.t.ndim):
        append_axis(&v, r.t.shape[i], r.t.strides[i])
    return new_view(r, v.ndim, v.shape, v.strides, r.t.offset)


# --- writing ---

cdef object _complex_warning():
    warnings.warn('Casting complex values to real discards the imaginary part', ComplexWarning, stacklevel=2)


cdef bint is_python_scalar(object value) except -1:
    """Scalars that are stored by value: Python's, and those that NumPy's rules convert like them."""
    cdef object t = type(value)
    if t is float or t is int or t is bool or t is complex:
        return True
    return PyLong_Check(value) or isinstance(value, (float, complex)) and not isinstance(value, _generic)


cdef ndarray value_array(object value, int dtype):
    """What is assigned, as an array. Sequences take the destination's dtype, other objects are converted as NumPy scalars are."""
    cdef ndarray r
    if isinstance(value, ndarray):
        r = <ndarray>value
    elif isinstance(value, (list, tuple, range)):
        return array_from(value, dtype)
    elif isinstance(value, (_generic, _numpy_array)):
        r = as_array(value)
    elif value is None or isinstance(value, (str, bytes)) or not hasattr(value, '__array__') and not hasattr(value, '__len__'):
        r = as_array(dtype_object(dtype).type(value))
    else:
        r = array_from(value, dtype)
    if kind_of[r.t.dtype] == KIND_COMPLEX and kind_of[dtype] != KIND_COMPLEX and dtype != XPU_BOOL:
        _complex_warning()
    return r


cdef ndarray _source(object value, int dtype, int ndim):
    """What is assigned to a view of ndim axes; NumPy takes no deeper nested lists."""
    cdef ndarray r = value_array(value, dtype)
    if r.t.ndim > ndim and isinstance(value, (list, tuple)):
        raise ValueError('setting an array element with a sequence. The requested array would exceed the maximum number of dimension of '
                         f'{ndim}.')
    return r


cdef int assign(ndarray dst, object value) except -1:
    if is_python_scalar(value):
        return fill_value(dst, value)
    return copy_into(dst, _source(value, dst.t.dtype, dst.t.ndim), True)


cdef int _set_element(ndarray a, int64_t offset, object value) except -1:
    cdef xpu_value v
    cdef ndarray r
    if a.t.dtype == XPU_BOOL and not is_python_scalar(value):
        value = bool(value)  # NumPy asks for the truth of any object here
    if is_python_scalar(value):
        if api.caps() & XPU_CAP_HOST_MEMORY:
            store(value, a.t.dtype, &v)
            xpu_copy_item(<char*>a.t.base + offset, &v, itemsize_of[a.t.dtype])
            return 0
        return fill_value(new_view(a, 0, NULL, NULL, offset), value)
    if isinstance(value, (list, tuple)) or (isinstance(value, ndarray) and (<ndarray>value).t.ndim):
        if kind_of[a.t.dtype] == KIND_COMPLEX:
            raise TypeError('only 0-dimensional arrays can be converted to Python scalars')
        raise ValueError('setting an array element with a sequence.')
    r = value_array(value, a.t.dtype)
    if r.t.ndim:
        raise ValueError('setting an array element with a sequence.')
    if r.t.dtype == a.t.dtype and api.caps() & XPU_CAP_HOST_MEMORY:
        xpu_copy_item(<char*>a.t.base + offset, <char*>r.t.base + r.t.offset, itemsize_of[a.t.dtype])
        return 0
    return copy_into(new_view(a, 0, NULL, NULL, offset), r)


cdef int _fill_layout(ndarray a, Layout* v, object value) except -1:
    """A Python scalar to all elements of a view, without making it."""
    cdef xpu_tensor scalar, t = a.t
    cdef const xpu_tensor* p = &scalar
    cdef int i
    scalar_tensor(value, a.t.dtype, &scalar)
    t.offset = v.offset
    t.ndim = v.ndim
    t.shape = v.shape
    t.strides = v.strides
    t.size = 1
    for i in range(v.ndim):
        t.size *= v.shape[i]
    if t.size == 0:
        return 0
    return run(XPU_OP_fill, XPU_CALL, a.t.dtype, &p, 1, &t, NULL, t.size)


cdef int _set_layout(ndarray a, Layout* v, object value) except -1:
    if is_python_scalar(value):
        return _fill_layout(a, v, value)
    return copy_into(new_view(a, v.ndim, v.shape, v.strides, v.offset), _source(value, a.t.dtype, v.ndim), True)


cdef int setitem(ndarray a, object key, object value) except -1:
    cdef int64_t offset
    cdef Layout v
    cdef Key k
    cdef ndarray index
    if a.flags_ & SCALAR:
        raise TypeError(f"'{a.dtype.type.__module__}.{a.dtype.type.__name__}' object does not support item assignment")
    if not a.flags_ & WRITEABLE:
        require_writeable(a)
    if type(key) is int:
        if a.t.ndim == 0:
            raise _too_many(a)
        offset = a.t.offset + wrapped(to_integer(key), a.t.shape[0], 0) * a.t.strides[0]
        if a.t.ndim == 1:
            return _set_element(a, offset, value)
        return assign(new_view(a, a.t.ndim - 1, a.t.shape + 1, a.t.strides + 1, offset), value)
    if type(key) is slice and a.t.ndim:
        _slice_layout(a, key, &v)
        return _set_layout(a, &v, value)
    if type(key) is tuple:
        offset = _element_offset(a, <tuple>key)
        if offset >= 0:
            return _set_element(a, offset, value)
    elif key is None or key is Ellipsis:
        key = (key,)
    else:
        if isinstance(key, ndarray) and (<ndarray>key).t.dtype == XPU_BOOL and same_shape(a, <ndarray>key):
            return _mask_set(a, <ndarray>key, value)
        index = _first_axis_index(a, key)
        if index is not None:
            return _put_first(a, index, value)
        key = (key,)
    if a.t.ndim and basic_layout(a, <tuple>key, &v):
        return _set_layout(a, &v, value)
    k = parse_key(a, <tuple>key)
    if k.advanced:
        return _put_key(a, k, value)
    if _is_scalar(k, a.t.ndim):
        return _set_element(a, k.view.offset, value)
    return _set_layout(a, &k.view, value)


cdef ndarray _scatter_values(ndarray a, object value, const Layout* result, xpu_tensor* values, int64_t* strides):
    """The value as a tensor broadcast to the result's shape, with its strides; returns the array that holds its memory, if any."""
    cdef ndarray r = None
    cdef xpu_tensor t
    cdef int i
    values[0].size = 1
    if is_python_scalar(value):
        scalar_tensor(value, a.t.dtype, values)
        for i in range(result.ndim):
            strides[i] = 0
    else:
        r = value_array(value, a.t.dtype)
        if may_overlap(a, r):
            r = copy_of(r, c'K')
        values[0] = r.t
        t = r.t
        while t.ndim > result.ndim and t.shape[0] == 1:
            t.ndim -= 1
            t.shape += 1
            t.strides += 1
        if t.ndim > result.ndim or broadcast_strides(&t, result.ndim, result.shape, strides) < 0:
            t.ndim = result.ndim
            t.shape = <int64_t*>result.shape
            raise ValueError(f'shape mismatch: value array of shape {shape_text(&r.t)} could not be broadcast to indexing result of shape '
                             f'{shape_text(&t)}')
    values.ndim = result.ndim
    values.shape = <int64_t*>result.shape
    values.strides = strides
    values.size = 1
    for i in range(result.ndim):
        values.size *= result.shape[i]
    return r


cdef int _put_first(ndarray a, ndarray index, object value) except -1:
    """a[index] = value with integers for the first axis."""
    cdef Layout result
    cdef int64_t strides[64]
    cdef xpu_tensor values
    cdef ndarray keep
    cdef int i
    result.ndim = 0
    for i in range(index.t.ndim):
        append_axis(&result, index.t.shape[i], 0)
    for i in range(1, a.t.ndim):
        append_axis(&result, a.t.shape[i], 0)
    keep = _scatter_values(a, value, &result, &values, strides)
    if index.t.size == 0:
        return 0
    if may_overlap(a, index):
        index = copy_of(index, c'C')
    return _run_one(XPU_OP_scatter, &values, &a.t, index, 0, XPU_MODE_RAISE)


cdef int _put_key(ndarray a, Key k, object value) except -1:
    cdef Layout shape, result
    cdef int64_t strides[64]
    cdef xpu_tensor values
    cdef ndarray target, keep
    cdef int i, j
    if k.arrays is None:
        return assign(_flag_view(a, k), value)
    if _is_full_mask(a, k):
        return _mask_set(a, <ndarray>k.items[0], value)
    _others(k, &shape)
    result.ndim = shape.ndim
    for i in range(shape.ndim):
        result.shape[i] = shape.shape[_scatter_axis(i, k.b.ndim, k.place)]
    keep = _scatter_values(a, value, &result, &values, strides)
    if k.b_size == 0:
        return 0
    for i in range(shape.ndim):  # from the result's order of axes to scatter's
        shape.strides[_scatter_axis(i, k.b.ndim, k.place)] = strides[i]
    values.shape = shape.shape
    values.strides = shape.strides
    for i in range(<int>len(k.arrays)):
        if may_overlap(a, <ndarray>k.arrays[i]):
            k.arrays[i] = copy_of(<ndarray>k.arrays[i], c'C')
    target = _key_view(a, k)
    return _run_indexed(XPU_OP_scatter, &values, &target.t, k)


cdef inline int _scatter_axis(int i, int nb, int place) noexcept:
    """Where axis i of the result is among B and the other axes."""
    if i < place:
        return nb + i
    return i - place if i < place + nb else i


cdef int _mask_set(ndarray a, ndarray mask, object value) except -1:
    cdef xpu_tensor values
    cdef const xpu_tensor* ins[2]
    cdef const xpu_tensor* out = &a.t
    cdef xpu_call call
    cdef ndarray r = None
    if is_python_scalar(value):
        scalar_tensor(value, a.t.dtype, &values)
    else:
        r = value_array(value, a.t.dtype)
        if r.t.ndim > 1:
            raise TypeError('NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, input has '
                            f'{r.t.ndim} dimensions')
        if may_overlap(a, r):
            r = copy_of(r, c'K')
        values = r.t
        if r.t.size == 1:
            values.ndim = 0
    if a.t.size == 0:
        if r is not None and r.t.size > 1:
            raise _mask_count(r.t.size, 0)
        return 0
    if may_overlap(a, mask):
        mask = copy_of(mask, c'K')
    ins[0], ins[1] = &values, &mask.t
    call.op = XPU_OP_mask_set
    call.method = XPU_CALL
    call.loop = a.t.dtype
    call.nin = 2
    call.nout = 1
    call.flags = 0
    call.in_ = ins
    call.out = &out
    call.params = NULL
    call.result[0] = -1
    try:
        return launch(&call, a.t.size)
    except ValueError:  # the count of true elements is known to the backend alone
        if values.ndim and call.result[0] >= 0 and call.result[0] != values.size:
            raise _mask_count(values.size, call.result[0]) from None
        raise


cdef object _mask_count(int64_t given, int64_t wanted):
    return ValueError(f'NumPy boolean array indexing assignment cannot assign {given} input values to the {wanted} output values where '
                      'the mask is true')


# --- for the functions on indices ---

cdef ndarray index_array(object indices):
    cdef ndarray r
    if isinstance(indices, ndarray):
        r = <ndarray>indices
    elif isinstance(indices, _numpy_array) and indices.ndim:
        r = from_numpy(indices)
    else:
        return array_from(indices, XPU_INT64)
    if kind_of[r.t.dtype] > KIND_SIGNED:
        raise TypeError(f"Cannot cast array data from {r.dtype!r} to dtype('int64') according to the rule 'same_kind'")
    return as_typed(r, XPU_INT64)


cdef int clip_mode(object mode) except -1:
    if mode == 'raise' or mode == 0:
        return XPU_MODE_RAISE
    if mode == 'wrap' or mode == 1:
        return XPU_MODE_WRAP
    if mode == 'clip' or mode == 2:
        return XPU_MODE_CLIP
    raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")


cdef int gather(ndarray a, ndarray indices, int axis, int mode, ndarray out) except -1:
    cdef Layout v
    cdef xpu_tensor t = out.t
    cdef int i, nb = indices.t.ndim
    v.ndim = 0
    for i in range(axis, axis + nb):
        append_axis(&v, out.t.shape[i], out.t.strides[i])
    for i in range(out.t.ndim):
        if not axis <= i < axis + nb:
            append_axis(&v, out.t.shape[i], out.t.strides[i])
    t.shape = v.shape
    t.strides = v.strides
    if indices.t.size == 0:
        return 0
    return _run_one(XPU_OP_gather, &a.t, &t, indices, axis, mode)


cdef int scatter(ndarray a, ndarray indices, int mode, ndarray values) except -1:
    if indices.t.size == 0:
        return 0
    return _run_one(XPU_OP_scatter, &values.t, &a.t, indices, 0, mode)
