"""Reductions, scans and what is composed of them. Semantics of axis, dtype, out, keepdims, initial and where are NumPy's."""
from libc.string cimport memset
from cupy._core._dtype cimport *
from cupy._core._launch cimport api, launch, run
from cupy._core._loops cimport Resolved, find_loop
from cupy._core._ufunc cimport binary, call_ufunc, inplace, unary
from cupy._core.core cimport (
    ALIGNED, C_CONTIGUOUS, F_CONTIGUOUS, SCALAR, as_array, as_typed, broadcast_strides, copy_into, copy_of, fill_value, mark_scalar,
    may_overlap, ndarray, new_array, new_like, new_permuted, new_scalar, new_view, normalize_axes, normalize_axis, require_writeable,
    reshape_to, shape_text, shape_tuple, view_dtype)
from cupy_backends.backend.xpu cimport *

import warnings

import numpy

cdef object NoValue = numpy._NoValue

# The loop of a reduction by op and input dtype: 1 + its index (0: not looked for yet), and its dtype.
ctypedef struct Choice:
    int loop
    int dtype

cdef Choice _choices[160][16]       # XPU_OP_LIMIT ops
cdef int64_t _all_axes[64]          # XPU_MAX_NDIM
cdef int64_t _ones[64]
cdef int64_t _zeros[64]
cdef int _i
for _i in range(XPU_MAX_NDIM):
    _all_axes[_i] = _i
    _ones[_i] = 1


# --- which loop ---

cdef str _name(int op):
    return api.ops[op].name.decode()


cdef bint _has_identity(int op) noexcept:
    return op == XPU_OP_count_nonzero or api.ops[op].identity[0] != c'N'


cdef bint _reorderable(int op) noexcept:
    return _has_identity(op) or op in (XPU_OP_maximum, XPU_OP_minimum, XPU_OP_fmax, XPU_OP_fmin)


cdef int _closed_loop(int op, int dtype) except -1:
    """The loop of an op that takes and gives one dtype."""
    cdef const xpu_op_info* info = &api.ops[op]
    cdef int i
    for i in range(info.nloops):
        if info.loops[i].types[0] == dtype and info.loops[i].types[1] == dtype and info.loops[i].types[2] == dtype:
            return i
    raise TypeError(f"the resolved dtypes are not compatible with {_name(op)}: it has no reduction of dtype {dtype_object(dtype)}")


cdef int _promoted(int op, int a, int b) except -1:
    """The dtype in which values of dtype b go into a result of dtype a."""
    cdef int dtypes[2]
    if XPU_OP_logical_and <= op <= XPU_OP_logical_xor:
        return XPU_BOOL
    dtypes[0], dtypes[1] = a, b
    cdef const Resolved* r = find_loop(op, 2, dtypes)
    if r.types[0] != r.types[1] or r.types[0] != r.types[2]:
        raise TypeError(f'the resolved dtypes are not compatible with {_name(op)}.reduce. '
                        f'Resolved ({dtype_object(r.types[0])}, {dtype_object(r.types[1])}, {dtype_object(r.types[2])})')
    return r.types[0]


cdef const Choice* _choose(int op, int dtype) except NULL:
    """Without dtype and out: sums and products of small integers are 64 bits wide."""
    cdef Choice* c = &_choices[op][dtype]
    if c.loop:
        return c
    cdef int wide = dtype
    if (op == XPU_OP_add or op == XPU_OP_multiply) and kind_of[dtype] <= KIND_SIGNED:
        wide = XPU_UINT64 if kind_of[dtype] == KIND_UNSIGNED else XPU_INT64
    wide = _promoted(op, wide, wide)
    c.dtype = wide
    c.loop = _closed_loop(op, wide) + 1
    return c


cdef int _set_choice(int op, ndarray a, object dtype, ndarray out, Choice* c) except -1:
    if dtype is None and out is None:
        c[0] = _choose(op, a.t.dtype)[0]
        return 0
    if api.ops[op].nin != 2 or api.ops[op].nout != 1:
        raise ValueError(f'{_name(op)}: only binary ufuncs with one output reduce and accumulate')
    c.dtype = dtype_number(dtype) if dtype is not None else _promoted(op, out.t.dtype, a.t.dtype)
    c.loop = _closed_loop(op, c.dtype) + 1
    return 0   # out takes whatever comes, cast as astype does: NumPy asks for no rule here


# --- results ---

cdef ndarray _given_out(object out, str name):
    """The out argument: an array, or a tuple of one."""
    if isinstance(out, tuple) and len(out) == 1:
        out = out[0]
    if out is None:
        return None
    if not isinstance(out, ndarray):
        raise TypeError(f'{name}: out must be a cupy.ndarray, not {type(out).__name__}')
    require_writeable(out)
    return <ndarray>out


cdef ndarray _new_result(ndarray a, int dtype, const bint* reduced, bint keepdims):
    """The axes that are kept, in the memory order of a, as NumPy lays out results."""
    cdef int64_t shape[64]
    cdef int64_t strides[64]
    cdef int perm[64]
    cdef int i, k, place, n = 0
    cdef int64_t s, p
    for i in range(a.t.ndim):
        if reduced[i] and not keepdims:
            continue
        shape[n] = 1 if reduced[i] else a.t.shape[i]
        s = a.t.strides[i] if shape[n] != 1 else 0
        strides[n] = s if s >= 0 else -s
        n += 1
    if n < 2 or a.flags_ & C_CONTIGUOUS:
        return new_array(dtype, n, shape)
    for i in range(n):  # an insertion sort that leaves axes of unknown order (stride 0) where they are
        place = i
        k = i - 1
        s = strides[i]
        while k >= 0:
            p = strides[perm[k]]
            if s != 0 and p != 0:
                if p >= s:
                    break
                place = k
            k -= 1
        for k in range(i, place, -1):
            perm[k] = perm[k - 1]
        perm[place] = i
    return new_permuted(dtype, n, shape, perm)


cdef int _view_result(ndarray r, ndarray a, const bint* reduced, bint keepdims, int op, xpu_tensor* t, int64_t* strides,
                      int64_t* shape) except -1:
    """Fills t: the result with the reduced axes, of length 1, put in. Checks a given out."""
    cdef int i, k = 0, kept = a.t.ndim
    if not keepdims:
        for i in range(a.t.ndim):
            kept -= reduced[i]
    if r.t.ndim != kept:
        raise ValueError(f'output parameter for reduction operation {_name(op)} has the wrong number of dimensions: '
                         f'Found {r.t.ndim} but expected {kept}' + (' (must match the operand\'s when keepdims=True)' if keepdims else ''))
    for i in range(a.t.ndim):
        if reduced[i] and not keepdims:
            shape[i] = 1
            strides[i] = 0
            continue
        shape[i] = 1 if reduced[i] else a.t.shape[i]
        strides[i] = r.t.strides[k]
        if r.t.shape[k] != shape[i]:
            raise ValueError(f'output parameter for reduction operation {_name(op)} has the wrong shape {shape_text(&r.t)}: '
                             f'axis {k} must have length {shape[i]}')
        k += 1
    t[0] = r.t
    t.ndim = a.t.ndim
    t.shape = shape
    t.strides = strides
    return 0


# --- reduce ---

cdef inline int _launch_reduce(int op, int loop, const xpu_tensor* a, const xpu_tensor* mask, const xpu_tensor* out, const int64_t* axes,
                               int naxes, unsigned flags, int64_t work) except -1:
    cdef xpu_call call
    cdef xpu_params params
    cdef const xpu_tensor* ins[2]
    params.i[0] = 0
    params.axes = axes
    params.naxes = naxes
    params.list = NULL
    params.nlist = 0
    ins[0], ins[1] = a, mask
    call.op = op
    call.method = XPU_REDUCE
    call.loop = loop
    call.nin = 1
    if mask != NULL:
        call.nin = 2
        flags |= XPU_FLAG_MASKED
    call.nout = 1
    call.flags = flags
    call.in_ = ins
    call.out = &out
    call.params = &params
    return launch(&call, work)


cdef _no_identity(int op):
    return ValueError(f'zero-size array to reduction operation {_name(op)} which has no identity')


cdef inline ndarray _reduce_all(int op, ndarray a):
    """Over all axes, no other argument given."""
    cdef const Choice* c = _choose(op, a.t.dtype)
    cdef ndarray r
    cdef xpu_tensor t
    if a.t.size == 0 and not _has_identity(op):
        raise _no_identity(op)
    if a.t.ndim > 1 and not _reorderable(op):
        raise ValueError(f"reduction operation '{_name(op)}' is not reorderable, so at most one axis may be specified")
    r = new_scalar(c.dtype)
    t = r.t
    t.ndim = a.t.ndim
    t.shape = _ones
    t.strides = _zeros
    _launch_reduce(op, c.loop - 1, &a.t, NULL, &t, _all_axes, a.t.ndim, 0, a.t.size)
    return r


cdef ndarray _mask_of(object where):
    cdef ndarray m = as_array(where)
    if m.t.dtype != XPU_BOOL:
        raise TypeError(f"Cannot cast array data from {dtype_object(m.t.dtype)!r} to dtype('bool') according to the rule 'safe'")
    return m


cdef ndarray reduce(int op, ndarray a, object axis, object dtype, object out, object keepdims, object initial, object where):
    if where is True:
        where = NoValue
    if (axis is None and dtype is None and out is None and initial is NoValue and where is NoValue and
            (keepdims is NoValue or keepdims is False)):
        return _reduce_all(op, a)
    return _reduce_axes(op, a, axis, dtype, out, keepdims is not NoValue and keepdims, initial, where)


cdef int _check_exponents(int op, int dtype, ndarray a, int axis, int64_t start, int64_t stop, object where=True) except -1:
    """Refuses negative integers among the elements of a range that a reduction by power takes as exponents."""
    if op == XPU_OP_power and kind_of[dtype] == KIND_SIGNED and kind_of[a.t.dtype] == KIND_SIGNED and a.t.ndim:
        part = a[(slice(None),) * axis + (slice(start, stop),)]
        if part.min(initial=0, where=where) < 0:
            raise ValueError('Integers to negative integer powers are not allowed.')
    return 0


cdef ndarray _reduce_axes(int op, ndarray a, object axis, object dtype, object out_arg, bint keepdims, object initial, object where):
    cdef int64_t axes[64]
    cdef int64_t shape[64]
    cdef int64_t strides[64]
    cdef int64_t mask_strides[64]
    cdef bint reduced[64]
    cdef xpu_tensor t
    cdef xpu_tensor mt
    cdef Choice c
    cdef int i, naxes
    cdef int64_t length = 1
    cdef unsigned flags = 0
    cdef ndarray out = _given_out(out_arg, _name(op)), r, mask = None
    if isinstance(axis, list):
        raise TypeError("'list' object cannot be interpreted as an integer")
    naxes = normalize_axes(axis, a.t.ndim, axes)
    _set_choice(op, a, dtype, out, &c)
    for i in range(a.t.ndim):
        reduced[i] = False
    for i in range(naxes):
        reduced[axes[i]] = True
        length *= a.t.shape[axes[i]]
    if naxes > 1 and not _reorderable(op):
        raise ValueError(f"reduction operation '{_name(op)}' is not reorderable, so at most one axis may be specified")
    r = _new_result(a, c.dtype, reduced, keepdims) if out is None else out
    _view_result(r, a, reduced, keepdims, op, &t, strides, shape)
    if length == 0 and (initial is None or (initial is NoValue and not _has_identity(op))):
        raise _no_identity(op)
    if where is not NoValue:
        if initial is None or (initial is NoValue and not _has_identity(op)):
            raise ValueError(f"reduction operation '{_name(op)}' does not have an identity, so to use a where mask one has to specify "
                             "'initial'")
        mask = _mask_of(where)
        if broadcast_strides(&mask.t, a.t.ndim, a.t.shape, mask_strides) < 0:
            raise ValueError(f"non-broadcastable operand with shape {shape_text(&mask.t)} doesn't match the broadcast shape "
                             f'{shape_text(&a.t)}')
    if initial is not NoValue and initial is not None:
        flags = XPU_FLAG_INITIAL
        fill_value(r, initial) if not isinstance(initial, ndarray) else copy_into(r, initial, True)
    if out is not None and may_overlap(out, a):
        a = copy_of(a, c'K')
    if mask is not None:
        if out is not None and may_overlap(out, mask):
            mask = copy_of(mask, c'K')
            broadcast_strides(&mask.t, a.t.ndim, a.t.shape, mask_strides)
        mt = mask.t
        mt.ndim = a.t.ndim
        mt.shape = a.t.shape
        mt.strides = mask_strides
        mt.size = a.t.size
    if t.size:
        if naxes == 1:
            _check_exponents(op, c.dtype, a, axes[0], 0 if flags & XPU_FLAG_INITIAL else 1, a.t.shape[axes[0]],
                             True if mask is None else mask)
        _launch_reduce(op, c.loop - 1, &a.t, &mt if mask is not None else NULL, &t, axes, naxes, flags, a.t.size)
    return r if out is not None else mark_scalar(r)


cpdef object reduce_ufunc(int op, object array, object axis, object dtype, object out, bint keepdims, object initial, object where):
    if api.ops[op].nin != 2:
        raise ValueError('reduce only supported for binary functions')
    if api.ops[op].nout != 1:
        raise ValueError('reduce only supported for functions returning a single value')
    return reduce(op, as_array(array), axis, dtype, out, keepdims, initial, where)


# --- accumulate, reduceat ---

cdef int _launch_axis(int op, int method, int loop, const xpu_tensor** ins, int nin, const xpu_tensor* out, int64_t axis,
                      int64_t work) except -1:
    cdef xpu_params params
    memset(&params, 0, sizeof(params))
    params.axes = &axis
    params.naxes = 1
    return run(op, method, loop, ins, nin, out, &params, work)


cdef ndarray accumulate(int op, ndarray a, object axis, object dtype, object out_arg):
    cdef Choice c
    cdef int i, k
    cdef ndarray out = _given_out(out_arg, _name(op)), r
    cdef const xpu_tensor* p
    cdef int64_t n
    if axis is None:
        n = a.t.size
        a = reshape_to(a, 1, &n)
        axis = 0
    if a.t.ndim == 0:
        normalize_axis(axis, 1)
        n = 1
        a = reshape_to(a, 1, &n)
    k = normalize_axis(axis, a.t.ndim)
    _set_choice(op, a, dtype, out, &c)
    r = new_like(a, c.dtype, c'K') if out is None else out
    if out is not None:
        if out.t.ndim != a.t.ndim:
            raise ValueError('provided out is the wrong size for the accumulation.')
        for i in range(a.t.ndim):
            if out.t.shape[i] != a.t.shape[i]:
                raise ValueError('provided out is the wrong size for the accumulation.')
        if may_overlap(out, a):
            a = copy_of(a, c'K')
    p = &a.t
    if a.t.size:
        _check_exponents(op, c.dtype, a, k, 1, a.t.shape[k])
        _launch_axis(op, XPU_ACCUMULATE, c.loop - 1, &p, 1, &r.t, k, a.t.size)
    return r


cpdef object accumulate_ufunc(int op, object array, object axis, object dtype, object out):
    cdef ndarray a = as_array(array)
    if api.ops[op].nin != 2:
        raise ValueError('accumulate only supported for binary functions')
    if api.ops[op].nout != 1:
        raise ValueError('accumulate only supported for functions returning a single value')
    if a.t.ndim == 0:
        raise TypeError('cannot accumulate on a scalar')
    if axis is None:
        if a.t.ndim != 1:
            raise ValueError('accumulate does not allow multiple axes')
        axis = 0
    if isinstance(axis, tuple):
        if len(axis) != 1:
            raise ValueError('accumulate does not allow multiple axes')
        axis = axis[0]
    return accumulate(op, a, axis, dtype, out)


cpdef object reduceat_ufunc(int op, object array, object indices, object axis, object dtype, object out_arg):
    cdef ndarray a = as_array(array), index = as_array(indices), r, out = _given_out(out_arg, _name(op))
    cdef Choice c
    cdef int64_t shape[64]
    cdef const xpu_tensor* ins[2]
    cdef int i, k
    if api.ops[op].nin != 2:
        raise ValueError('reduceat only supported for binary functions')
    if api.ops[op].nout != 1:
        raise ValueError('reduceat only supported for functions returning a single value')
    if a.t.ndim == 0:
        raise TypeError('cannot reduceat on a scalar')
    if index.t.size == 0 and index.t.dtype == XPU_FLOAT64:
        index = as_typed(index, XPU_INT64)  # of an empty list
    if kind_of[index.t.dtype] > KIND_SIGNED or index.t.ndim > 1:
        raise TypeError('the indices of reduceat must be integers, one-dimensional')
    k = normalize_axis(axis, a.t.ndim)
    _set_choice(op, a, dtype, out, &c)
    for i in range(a.t.ndim):
        shape[i] = index.t.size if i == k else a.t.shape[i]
    r = new_array(c.dtype, a.t.ndim, shape) if out is None else out
    for i in range(a.t.ndim):
        if r.t.ndim != a.t.ndim or r.t.shape[i] != shape[i]:
            raise ValueError('provided out is the wrong size for the reduction')
    if out is not None and may_overlap(out, a):
        a = copy_of(a, c'K')
    if r.t.size == 0:
        return r
    ins[0], ins[1] = &a.t, &index.t
    if op == XPU_OP_power:
        starts = index.tolist()
        for first, last in zip(starts, starts[1:] + [a.t.shape[k]]):
            _check_exponents(op, c.dtype, a, k, first + 1, last)
    try:
        _launch_axis(op, XPU_REDUCEAT, c.loop - 1, ins, 2, &r.t, k, a.t.size)
    except IndexError as e:
        raise IndexError(f'{e} in {_name(op)}.reduceat') from None
    return r


# --- argmax, argmin, count_nonzero ---

cdef ndarray _index_out(object out, int op):
    cdef ndarray r = _given_out(out, _name(op))
    if r is not None and r.t.dtype != XPU_INT64:
        raise TypeError(f"Cannot cast array data from {dtype_object(r.t.dtype)!r} to dtype('int64') according to the rule 'safe'")
    return r


cdef ndarray argreduce(int op, ndarray a, object axis, object out_arg, object keepdims):
    cdef int64_t axes[64]
    cdef int64_t shape[64]
    cdef int64_t strides[64]
    cdef bint reduced[64]
    cdef bint keep = keepdims is not NoValue and keepdims
    cdef xpu_tensor t
    cdef ndarray r, out
    cdef int i, naxes = a.t.ndim
    if axis is not None and isinstance(axis, (tuple, list)):
        raise TypeError("'tuple' object cannot be interpreted as an integer")
    naxes = normalize_axes(axis, a.t.ndim, axes)
    for i in range(a.t.ndim):
        reduced[i] = axis is None
    if axis is not None and naxes:
        reduced[axes[0]] = True
    if (a.t.size == 0 if axis is None else naxes and a.t.shape[axes[0]] == 0):
        raise ValueError(f'attempt to get {_name(op)} of an empty sequence')
    out = _index_out(out_arg, op)
    if out is not None:
        r = out
    elif axis is None and not keep:
        r = new_array(XPU_INT64, 0, NULL)
    else:
        r = _new_result_c(a, XPU_INT64, reduced, keep)
    _view_result(r, a, reduced, keep, op, &t, strides, shape)
    if out is not None and may_overlap(out, a):
        a = copy_of(a, c'K')
    if t.size:
        _launch_arg(op, a, &t, axes, naxes)
    return r if out is not None else mark_scalar(r)


cdef ndarray _new_result_c(ndarray a, int dtype, const bint* reduced, bint keepdims):
    cdef int64_t shape[64]
    cdef int i, n = 0
    for i in range(a.t.ndim):
        if not reduced[i] or keepdims:
            shape[n] = 1 if reduced[i] else a.t.shape[i]
            n += 1
    return new_array(dtype, n, shape)


cdef int _launch_arg(int op, ndarray a, const xpu_tensor* t, const int64_t* axes, int naxes) except -1:
    cdef xpu_params params
    cdef const xpu_tensor* p = &a.t
    memset(&params, 0, sizeof(params))
    params.axes = axes
    params.naxes = naxes
    return run(op, XPU_REDUCE if op == XPU_OP_count_nonzero else XPU_CALL, a.t.dtype, &p, 1, t, &params, a.t.size)


cdef ndarray count_nonzero_of(ndarray a, object axis, object keepdims):
    cdef int64_t axes[64]
    cdef int64_t shape[64]
    cdef int64_t strides[64]
    cdef bint reduced[64]
    cdef xpu_tensor t
    cdef ndarray r
    cdef int i, naxes = normalize_axes(axis, a.t.ndim, axes)
    for i in range(a.t.ndim):
        reduced[i] = False
    for i in range(naxes):
        reduced[axes[i]] = True
    r = _new_result(a, XPU_INT64, reduced, keepdims)
    _view_result(r, a, reduced, keepdims, XPU_OP_count_nonzero, &t, strides, shape)
    if t.size:
        _launch_arg(XPU_OP_count_nonzero, a, &t, axes, naxes)
    return mark_scalar(r)


# --- mean, var, std ---

cdef object _count(ndarray a, object axis, object where, bint keepdims):
    """Elements per output: an int, or an array where a mask counts."""
    cdef int64_t axes[64]
    cdef int64_t strides[64]
    cdef int i, naxes
    cdef int64_t n = 1
    cdef ndarray m
    naxes = normalize_axes(axis, a.t.ndim, axes)
    if where is NoValue or where is True:
        for i in range(naxes):
            n *= a.t.shape[axes[i]]
        return n
    m = _mask_of(where)
    if broadcast_strides(&m.t, a.t.ndim, a.t.shape, strides) < 0:
        raise ValueError(f'non-broadcastable operand with shape {shape_text(&m.t)} doesn\'t match the broadcast shape {shape_text(&a.t)}')
    return reduce(XPU_OP_add, new_view(m, a.t.ndim, a.t.shape, strides, m.t.offset), axis, int, None, keepdims, NoValue, NoValue)


cdef ndarray _divide(ndarray r, object count):
    """r / count in r's dtype; NumPy's count is an int64, so the quotient is that of float64, rounded once."""
    cdef int kind = kind_of[r.t.dtype]
    if kind == KIND_FLOAT and isinstance(count, (int, float)) and (
            r.t.dtype == XPU_FLOAT64 or count <= (1 << 24 if r.t.dtype == XPU_FLOAT32 else 2048) and isinstance(count, int)):
        return inplace(XPU_OP_divide, r, count)
    cdef ndarray q, n
    if isinstance(count, int):
        n = new_array(XPU_INT64, 0, NULL)
        fill_value(n, count)
        count = n
    q = call_ufunc(XPU_OP_divide, (r, count))
    if r.flags_ & SCALAR:
        return mark_scalar(as_typed(q, r.t.dtype))
    copy_into(r, q)
    return r


cdef bint _is_zero(object count):
    return isinstance(count, int) and count == 0


cdef ndarray mean_of(ndarray a, object axis, object dtype, object out, object keepdims, object where):
    cdef object count = _count(a, axis, where, keepdims is not NoValue and keepdims)
    cdef bint half = False
    cdef ndarray r
    if _is_zero(count):
        warnings.warn('Mean of empty slice.', RuntimeWarning, stacklevel=2)
    if dtype is None:
        if kind_of[a.t.dtype] <= KIND_SIGNED:
            dtype = dtype_object(XPU_FLOAT64)
        elif a.t.dtype == XPU_FLOAT16:
            dtype = dtype_object(XPU_FLOAT32)
            half = True
    r = _divide(reduce(XPU_OP_add, a, axis, dtype, out, keepdims, NoValue, where), count)
    if half and out is None:
        return mark_scalar(as_typed(r, XPU_FLOAT16)) if r.flags_ & SCALAR else as_typed(r, XPU_FLOAT16)
    return r


cdef ndarray _squared_distance(ndarray a, ndarray mean):
    """|a - mean| ** 2 as NumPy computes it."""
    cdef ndarray x = binary(XPU_OP_subtract, a, mean, False), re, im
    cdef int part
    if kind_of[x.t.dtype] != KIND_COMPLEX:
        if x.flags_ & SCALAR:
            return binary(XPU_OP_multiply, x, x, False)
        return inplace(XPU_OP_multiply, x, x)
    part = XPU_FLOAT32 if x.t.dtype == XPU_COMPLEX64 else XPU_FLOAT64
    re = view_dtype(x, part, x.t.offset)
    im = view_dtype(x, part, x.t.offset + itemsize_of[part])
    inplace(XPU_OP_multiply, re, re)
    inplace(XPU_OP_multiply, im, im)
    return inplace(XPU_OP_add, re, im)


cdef ndarray var_of(ndarray a, object axis, object dtype, object out, object ddof, object keepdims, object where, object mean, bint root):
    cdef object count = _count(a, axis, where, keepdims is not NoValue and keepdims), mean_count = count
    cdef ndarray center, r
    cdef bint masked = isinstance(count, ndarray)
    if masked and not (keepdims is not NoValue and keepdims):
        mean_count = _count(a, axis, where, True)
    if not masked and count - ddof <= 0:
        warnings.warn('Degrees of freedom <= 0 for slice', RuntimeWarning, stacklevel=2)
    if dtype is None and kind_of[a.t.dtype] <= KIND_SIGNED:
        dtype = dtype_object(XPU_FLOAT64)
    if mean is not NoValue and mean is not None:
        center = as_array(mean)
    else:
        center = reduce(XPU_OP_add, a, axis, dtype, None, True, NoValue, where)
        center.flags_ &= ~SCALAR
        _divide(center, mean_count)
    r = reduce(XPU_OP_add, _squared_distance(a, center), axis, dtype, out, keepdims, NoValue, where)
    if masked:
        count = call_ufunc(XPU_OP_maximum, (count - ddof, 0))
    else:
        count = count - ddof if count > ddof else 0
    r = _divide(r, count)
    if not root:
        return r
    if r.flags_ & SCALAR:
        return unary(XPU_OP_sqrt, r)
    return call_ufunc(XPU_OP_sqrt, (r,), (r,))


# --- the public functions ---

def sum(a, axis=None, dtype=None, out=None, keepdims=NoValue, initial=NoValue, where=NoValue):
    """Sum of elements over axes, all by default. Small integers are added in 64 bits. See numpy.sum.

    Args:
        a: array or nested sequence.
        axis: None, int or tuple of ints.
        dtype: of the sum.
        out: array for the result.
        keepdims: leave reduced axes in, with length 1.
        initial: starting value.
        where: boolean mask of the elements to add, broadcast to a.
    """
    return reduce(XPU_OP_add, <ndarray>a if type(a) is ndarray else as_array(a), axis, dtype, out, keepdims, initial, where)


def prod(a, axis=None, dtype=None, out=None, keepdims=NoValue, initial=NoValue, where=NoValue):
    """Product of elements over axes. Arguments as of sum."""
    return reduce(XPU_OP_multiply, as_array(a), axis, dtype, out, keepdims, initial, where)


def max(a, axis=None, out=None, keepdims=NoValue, initial=NoValue, where=NoValue):
    """Maximum over axes; NaN if there is one. ValueError for no elements without `initial`. Arguments as of sum."""
    return reduce(XPU_OP_maximum, as_array(a), axis, None, out, keepdims, initial, where)


def min(a, axis=None, out=None, keepdims=NoValue, initial=NoValue, where=NoValue):
    """Minimum over axes; NaN if there is one. ValueError for no elements without `initial`. Arguments as of sum."""
    return reduce(XPU_OP_minimum, as_array(a), axis, None, out, keepdims, initial, where)


amax = max
amin = min


def any(a, axis=None, out=None, keepdims=NoValue, *, where=NoValue):
    """Whether an element over the axes is true. Arguments as of sum; the result is bool."""
    return reduce(XPU_OP_logical_or, as_array(a), axis, None if out is None else bool, out, keepdims, NoValue, where)


def all(a, axis=None, out=None, keepdims=NoValue, *, where=NoValue):
    """Whether all elements over the axes are true. Arguments as of sum; the result is bool."""
    return reduce(XPU_OP_logical_and, as_array(a), axis, None if out is None else bool, out, keepdims, NoValue, where)


def argmax(a, axis=None, out=None, *, keepdims=NoValue):
    """Index of the first maximum, along an axis or in C order; the first NaN if there is one. ValueError for no elements."""
    return argreduce(XPU_OP_argmax, as_array(a), axis, out, keepdims)


def argmin(a, axis=None, out=None, *, keepdims=NoValue):
    """Index of the first minimum, along an axis or in C order; the first NaN if there is one. ValueError for no elements."""
    return argreduce(XPU_OP_argmin, as_array(a), axis, out, keepdims)


def count_nonzero(a, axis=None, *, keepdims=False):
    """Number of elements that are not zero, over axes."""
    return count_nonzero_of(as_array(a), axis, keepdims)


cdef ndarray _with_axes(object x, object axis):
    """The operand of mean and var, which unlike sum refuse an axis of a 0-d array."""
    cdef ndarray a = as_array(x)
    if a.t.ndim == 0 and axis is not None and axis != ():
        normalize_axis(axis[0] if isinstance(axis, tuple) else axis, 0)
    return a


def mean(a, axis=None, dtype=None, out=None, keepdims=NoValue, *, where=NoValue):
    """Mean over axes: float64 of integers, float16 added in float32. Arguments as of sum."""
    return mean_of(_with_axes(a, axis), axis, dtype, out, keepdims, where)


cdef object _ddof(object ddof, object correction):
    if correction is NoValue:
        return ddof
    if ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    return correction


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=NoValue, *, where=NoValue, mean=NoValue, correction=NoValue):
    """Variance over axes: the sum of squared distances from the mean, divided by count - ddof.

    mean: the means, if they are known, with the reduced axes left in. correction: another name of ddof. Others as of sum.
    """
    return var_of(_with_axes(a, axis), axis, dtype, out, _ddof(ddof, correction), keepdims, where, mean, False)


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=NoValue, *, where=NoValue, mean=NoValue, correction=NoValue):
    """Standard deviation over axes: the root of var, with its arguments."""
    return var_of(_with_axes(a, axis), axis, dtype, out, _ddof(ddof, correction), keepdims, where, mean, True)


def ptp(a, axis=None, out=None, keepdims=NoValue):
    """Range of the values over axes: maximum minus minimum."""
    cdef ndarray x = as_array(a)
    high = reduce(XPU_OP_maximum, x, axis, None, out, keepdims, NoValue, NoValue)
    low = reduce(XPU_OP_minimum, x, axis, None, None, keepdims, NoValue, NoValue)
    return call_ufunc(XPU_OP_subtract, (high, low), None if out is None else (out,))


def cumsum(a, axis=None, dtype=None, out=None):
    """Running sum along an axis, or of the flattened array. Small integers are added in 64 bits."""
    return accumulate(XPU_OP_add, as_array(a), axis, dtype, out)


def cumprod(a, axis=None, dtype=None, out=None):
    """Running product along an axis, or of the flattened array."""
    return accumulate(XPU_OP_multiply, as_array(a), axis, dtype, out)


cdef object _cumulative(int op, object x, object axis, object dtype, object out_arg, bint include_initial):
    cdef ndarray a = as_array(x), r, tail, out
    cdef int64_t shape[64]
    cdef int i, k
    if a.t.ndim == 0:
        a = reshape_to(a, 1, _ones)
    if axis is None:
        if a.t.ndim >= 2:
            raise ValueError('For arrays which have more than one dimension ``axis`` argument is required.')
        axis = 0
    if not include_initial:
        return accumulate(op, a, axis, dtype, out_arg)
    k = normalize_axis(axis, a.t.ndim)
    out = _given_out(out_arg, _name(op))
    for i in range(a.t.ndim):
        shape[i] = a.t.shape[i] + (i == k)
    if out is None:
        if dtype is None:
            dtype = dtype_object(_choose(op, a.t.dtype).dtype)
        r = new_array(dtype_number(dtype), a.t.ndim, shape)
    else:
        r = out
    for i in range(a.t.ndim):
        if r.t.ndim != a.t.ndim or r.t.shape[i] != shape[i]:
            raise ValueError('provided out is the wrong size for the accumulation.')
    shape[k] = 1
    fill_value(new_view(r, r.t.ndim, shape, r.t.strides, r.t.offset), 0 if op == XPU_OP_add else 1)
    tail = new_view(r, r.t.ndim, a.t.shape, r.t.strides, r.t.offset + r.t.strides[k])
    accumulate(op, a, k, dtype, tail)
    return r


def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """Running sum along an axis, which must be named for more than one; include_initial puts a zero before."""
    return _cumulative(XPU_OP_add, x, axis, dtype, out, include_initial)


def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """Running product along an axis, which must be named for more than one; include_initial puts a one before."""
    return _cumulative(XPU_OP_multiply, x, axis, dtype, out, include_initial)
