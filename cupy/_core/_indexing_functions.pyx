"""take, put, choose, compress, diagonal, nonzero, where."""
from cpython.number cimport PyNumber_Index
from cupy._core._dtype cimport *
from cupy._core._indexing cimport assign, clip_mode, gather, index_array, is_python_scalar, same_shape, scatter, value_array
from cupy._core._key cimport Layout, append_axis, nonzero_of
from cupy._core._launch cimport launch, run
from cupy._core._scalar cimport integer_fits, scalar_kind, scalar_tensor
from cupy._core._ufunc cimport call_ufunc
from cupy._core.core cimport (
    ALIGNED, C_CONTIGUOUS, SCALAR, WRITEABLE, as_array, as_typed, copy_into, copy_of, fill_value, may_overlap, ndarray, new_array, new_view,
    normalize_axis, require_writeable, reshape_to, shape_text)
from cupy_backends.backend.xpu cimport *


cdef ndarray _flat(ndarray a):
    """One axis: a view of contiguous arrays, else a copy."""
    return a if a.t.ndim == 1 else reshape_to(a, 1, &a.t.size)


cdef ndarray _arange(int64_t n):
    cdef ndarray r = new_array(XPU_INT64, 1, &n)
    cdef xpu_tensor start, step
    cdef const xpu_tensor* ins[2]
    scalar_tensor(0, XPU_INT64, &start)
    scalar_tensor(1, XPU_INT64, &step)
    ins[0], ins[1] = &start, &step
    if n:
        run(XPU_OP_iota, XPU_CALL, XPU_INT64, ins, 2, &r.t, NULL, n)
    return r


cdef ndarray _array_argument(object a, str message):
    if not isinstance(a, ndarray):
        raise TypeError(message + f', not {type(a)}' if message.endswith('numpy.ndarray') else message)
    require_writeable(<ndarray>a)
    return <ndarray>a


cpdef take(a, indices, axis=None, out=None, mode='raise'):
    """Elements at indices, along an axis.

    Args:
        a: array.
        indices: integers of any shape.
        axis: int, or None for the flattened array.
        out: array for the result, of its shape.
        mode: 'raise', 'wrap' or 'clip': what happens to indices out of bounds.

    Returns:
        An array of a's dtype; the indices' shape takes the place of the axis.

    Raises:
        IndexError: an index is out of bounds.
    """
    cdef ndarray x = as_array(a), index = index_array(indices), r
    cdef int clip = clip_mode(mode), ax = 0, i, n = 0
    cdef int64_t outer = 1
    cdef int64_t shape[128]
    if axis is None or x.t.ndim == 0:
        x = _flat(x)
    if axis is not None:
        ax = normalize_axis(axis, x.t.ndim)
    for i in range(x.t.ndim):
        if i == ax:
            for j in range(index.t.ndim):
                shape[n] = index.t.shape[j]
                n += 1
        else:
            shape[n] = x.t.shape[i]
            n += 1
    r = new_array(x.t.dtype, n, shape)
    if r.t.size and x.t.shape[ax] == 0:
        raise IndexError('cannot do a non-empty take from an empty axes.')
    for i in range(ax):
        outer *= x.t.shape[i]
    if r.t.size or (clip == XPU_MODE_RAISE and outer and index.t.size):  # indices are checked for an empty result as well
        gather(x, index, ax, clip, r)
    if out is None:
        if n == 0:
            r.flags_ |= SCALAR
        return r
    _array_argument(out, 'return arrays must be of ArrayType')
    if (<ndarray>out).shape != r.shape:
        raise ValueError('output array does not match result of ndarray.take')
    if not can_cast_safely((<ndarray>out).t.dtype, x.t.dtype):
        raise TypeError(f"Cannot cast array data from {out.dtype!r} to {x.dtype!r} according to the rule 'safe'")
    copy_into(out, r)
    return out


cpdef put(a, ind, v, mode='raise'):
    """Sets elements of the flattened array: a.flat[ind] = v, with v repeated when it is shorter.

    Args: a: array. ind: integers. v: values. mode: 'raise', 'wrap' or 'clip'.
    Raises: IndexError: an index is out of bounds; then nothing is set.
    """
    cdef ndarray x = _array_argument(a, 'argument 1 must be numpy.ndarray'), index = _flat(index_array(ind)), values, flat
    cdef int clip = clip_mode(mode)
    cdef int64_t n = index.t.size, step = 0
    if is_python_scalar(v):
        values = new_array(x.t.dtype, 0, NULL)
        fill_value(values, v)
    else:
        values = _flat(as_typed(value_array(v, x.t.dtype), x.t.dtype))
    if n == 0 or values.t.size == 0:
        return
    if x.t.size == 0:
        raise IndexError('cannot replace elements of an empty array')
    if values.t.size == 1:
        values = new_view(values, 1, &n, &step, values.t.offset)
    elif values.t.size < n:
        values = take(values, _arange(n), None, None, 'wrap')
    elif values.t.size > n:
        values = new_view(values, 1, &n, values.t.strides, values.t.offset)
    if may_overlap(x, values):
        values = copy_of(values, c'C')
    if may_overlap(x, index):
        index = copy_of(index, c'C')
    flat = _flat(x)
    scatter(flat, index, clip, values)
    if flat.t.storage != x.t.storage:
        copy_into(x, reshape_to(flat, x.t.ndim, x.t.shape))


cdef int _choice_dtype(list choices) except -1:
    cdef int kind, dtype = -1
    for i, c in enumerate(choices):
        kind = (<ndarray>c).t.dtype if isinstance(c, ndarray) else scalar_kind(c)
        if kind < 0:
            choices[i] = as_array(c)
            kind = (<ndarray>choices[i]).t.dtype
        dtype = kind if dtype < 0 else promote(dtype, kind)
    if dtype >= WEAK_INT:
        dtype = XPU_INT64 if dtype == WEAK_INT else (XPU_FLOAT64 if dtype == WEAK_FLOAT else XPU_COMPLEX128)
    return dtype


cdef ndarray _choice_index(object a, int64_t n, int mode):
    """Indices of choices brought into [0, n)."""
    cdef ndarray index = index_array(as_array(a)), r
    if mode != XPU_MODE_RAISE:
        r = new_array(XPU_INT64, index.t.ndim, index.t.shape)
        if index.t.size:
            gather(_arange(n), index, 0, mode, r)
        return r
    if index.t.size and (index.min() < 0 or index.max() >= n):
        raise ValueError('invalid entry in choice array')
    return index


cpdef choose(a, choices, out=None, mode='raise'):
    """An array whose element i is choices[a[i]][i], all broadcast together.

    Args: a: integers. choices: sequence of arrays, or an array whose first axis is taken apart. out: array. mode: 'raise', 'wrap', 'clip'.
    Raises: ValueError: an index that names no choice.
    """
    cdef list parts
    cdef ndarray index, r, same, part
    cdef int64_t shape[64]
    cdef int dtype, ndim, k, clip = clip_mode(mode)
    parts = list(choices)
    if not parts:
        raise ValueError('0-length sequence.')
    index = _choice_index(a, len(parts), clip)
    dtype = _choice_dtype(parts)
    arrays = [index]
    for x in parts:
        if isinstance(x, ndarray):
            part = as_typed(<ndarray>x, dtype)
        else:
            part = new_array(dtype, 0, NULL)
            assign(part, x)
        arrays.append(part)
    ndim = _broadcast_all(arrays, shape)
    r = new_array(dtype, ndim, shape)
    copy_into(r, <ndarray>arrays[1], True)
    for k in range(1, len(parts)):
        same = call_ufunc(XPU_OP_equal, (index, k))
        call_ufunc(XPU_OP_where, (same, arrays[k + 1], r), (r,))
    if out is None:
        if ndim == 0:
            r.flags_ |= SCALAR
        return r
    _array_argument(out, 'return arrays must be of ArrayType')
    if (<ndarray>out).shape != r.shape:
        raise TypeError('choose: invalid shape for output array.')
    copy_into(out, r)
    return out


cdef int _broadcast_all(list arrays, int64_t* shape) except -1:
    cdef int i, d, n, ndim = max([(<ndarray>a).t.ndim for a in arrays])
    cdef ndarray a
    for i in range(ndim):
        shape[i] = 1
    for a in arrays:
        n = ndim - a.t.ndim
        for d in range(a.t.ndim):
            if a.t.shape[d] != 1:
                if shape[n + d] != 1 and shape[n + d] != a.t.shape[d]:
                    raise ValueError('shape mismatch: objects cannot be broadcast to a single shape: ' +
                                     ' '.join([shape_text(&(<ndarray>x).t) for x in arrays]))
                shape[n + d] = a.t.shape[d]
    return ndim


cpdef compress(condition, a, axis=None, out=None):
    """The slices along an axis where a 1-D condition is true; IndexError when it is true beyond the axis."""
    cdef ndarray c = as_array(condition)
    if c.t.ndim != 1:
        raise ValueError('condition must be a 1-d array')
    return take(a, nonzero_of(c)[0], axis, out, 'raise')


cpdef diagonal(a, offset=0, axis1=0, axis2=1):
    """A read-only view of the diagonals of two axes; they become the last axis.

    Raises: ValueError: fewer than two axes, or axis1 and axis2 are the same.
    """
    cdef ndarray x = as_array(a), r
    cdef Layout v
    cdef int64_t k = PyNumber_Index(offset), n
    cdef int i, p, q
    if x.t.ndim < 2:
        raise ValueError('diag requires an array of at least two dimensions')
    p, q = normalize_axis(axis1, x.t.ndim), normalize_axis(axis2, x.t.ndim)
    if p == q:
        raise ValueError('axis1 and axis2 cannot be the same')
    v.ndim = 0
    v.offset = x.t.offset
    for i in range(x.t.ndim):
        if i != p and i != q:
            append_axis(&v, x.t.shape[i], x.t.strides[i])
    n = min(x.t.shape[p], x.t.shape[q] - k) if k >= 0 else min(x.t.shape[p] + k, x.t.shape[q])
    if n > 0:
        v.offset += k * x.t.strides[q] if k >= 0 else -k * x.t.strides[p]
    append_axis(&v, max(n, 0), x.t.strides[p] + x.t.strides[q])
    r = new_view(x, v.ndim, v.shape, v.strides, v.offset)
    r.flags_ &= ~WRITEABLE
    return r


cpdef nonzero(a):
    """Indices of the elements that are not zero: a tuple with an int64 array per axis. ValueError for 0-d arrays."""
    cdef ndarray x = as_array(a)
    if x.t.ndim == 0:
        raise ValueError('Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead.')
    return nonzero_of(x)


cdef object _wrapped_integer(object x, object other):
    """where() alone wraps a Python integer that does not fit the other operand's dtype."""
    cdef int dtype
    if type(x) is int and isinstance(other, ndarray):
        dtype = (<ndarray>other).t.dtype
        if XPU_BOOL < dtype <= XPU_UINT64 and not integer_fits(x, dtype):
            return as_typed(as_array(x), dtype)
    return x


cdef inline bint _plain_like(ndarray a, ndarray b) noexcept:
    return a.flags_ & (C_CONTIGUOUS | ALIGNED) == C_CONTIGUOUS | ALIGNED and same_shape(a, b)


cpdef where(condition, x=None, y=None):
    """Elements of x where the condition is true, of y elsewhere; nonzero(condition) when x and y are not given.

    Args: condition, x, y: arrays or scalars, broadcast together.
    Returns: an array of the common dtype of x and y; Python scalars are weak.
    """
    cdef ndarray c, r
    cdef const xpu_tensor* ins[3]
    if x is None and y is None:
        return nonzero(condition)
    if x is None or y is None:
        raise ValueError('either both or neither of x and y should be given')
    c = as_typed(as_array(condition), XPU_BOOL)
    if isinstance(x, ndarray) and isinstance(y, ndarray) and (<ndarray>x).t.dtype == (<ndarray>y).t.dtype:
        if _plain_like(c, x) and _plain_like(x, y) and _plain_like(y, c) and c.t.size:
            r = new_array((<ndarray>x).t.dtype, c.t.ndim, c.t.shape)
            ins[0], ins[1], ins[2] = &c.t, &(<ndarray>x).t, &(<ndarray>y).t
            _run_contiguous(XPU_OP_where, ins, 3, &r.t)
            return r
    x, y = _wrapped_integer(x, y), _wrapped_integer(y, x)
    r = call_ufunc(XPU_OP_where, (c, x, y))
    r.flags_ &= ~SCALAR
    return r


cdef int _run_contiguous(int op, const xpu_tensor** ins, int nin, const xpu_tensor* out) except -1:
    cdef xpu_call call
    call.op = op
    call.method = XPU_CALL
    call.loop = out.dtype
    call.nin = nin
    call.nout = 1
    call.flags = XPU_FLAG_CONTIGUOUS
    call.in_ = ins
    call.out = &out
    call.params = NULL
    return launch(&call, out.size)


def flat_of(a):
    """a.flat"""
    from cupy._core._flat import flatiter
    return flatiter(a)
