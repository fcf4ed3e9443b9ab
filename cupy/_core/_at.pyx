"""ufunc.at: unbuffered in-place application at indexed elements."""
from cupy._core._convert cimport array_from
from cupy._core._dtype cimport *
from cupy._core._launch cimport launch
from cupy._core._loops cimport Resolved, find_loop
from cupy._core._ufunc cimport ufunc
from cupy._core.core cimport *
from cupy_backends.backend.xpu cimport *

from cupy._core._convert import iota


cdef bint _only_integers(tuple key) except -1:
    for x in key:
        if isinstance(x, ndarray):
            if kind_of[(<ndarray>x).t.dtype] > KIND_SIGNED or (<ndarray>x).t.dtype == XPU_BOOL:
                return False
        else:
            return False
    return True


cdef object _index_arrays(object key):
    """The key's parts; sequences and NumPy arrays become arrays."""
    parts = key if isinstance(key, tuple) else (key,)
    return tuple([array_from(x, XPU_INT64 if isinstance(x, list) and not x else -1)
                  if not isinstance(x, (ndarray, slice)) and x is not None and x is not Ellipsis else x for x in parts])


def at(ufunc u, a, indices, tuple values):
    """Applies u at a[indices] in place, with each of the values (broadcast to the indexed shape), once per occurrence of an index."""
    cdef ndarray target, work, positions
    if not isinstance(a, ndarray):
        raise TypeError('first operand must be array')
    target = <ndarray>a
    require_writeable(target)
    key = _index_arrays(indices)
    values = tuple([as_array(x) for x in values])  # Python scalars are arrays of their own dtype here, as in NumPy
    if len(key) <= target.t.ndim and _only_integers(key):
        _launch_at(u, target, key, values)
        return
    # any other key: the flat positions that it selects
    positions = iota(target.t.size, 0, 1, 'l').reshape(target.shape)[indices]
    work = target if target.flags_ & C_CONTIGUOUS else copy_of(target, c'C')
    _launch_at(u, work.reshape(-1), (positions,), values)
    if work is not target:
        copy_into(target, work)


cdef _launch_at(ufunc u, ndarray a, tuple key, tuple values):
    cdef int64_t shape[XPU_MAX_NDIM]
    cdef int64_t axes[XPU_MAX_NDIM]
    cdef int n = len(key), nd = 0, i, k, nvalues = u.nin - 1
    cdef int dtypes[8]
    cdef const xpu_tensor* ins[XPU_MAX_NDIM + 8]
    cdef const xpu_tensor* outp = &a.t
    cdef ndarray x
    cdef list keep = []
    cdef xpu_call call
    cdef xpu_params params
    cdef Resolved loop
    cdef list index = [as_typed(<ndarray>x, XPU_INT64) for x in key]
    for i in range(n):
        axes[i] = i
    broadcast_shape(index, shape, &nd)
    if nd + a.t.ndim - n > XPU_MAX_NDIM:
        raise ValueError(f'maximum supported dimension for an ndarray is currently {XPU_MAX_NDIM}')
    for i in range(n, a.t.ndim):
        shape[nd + i - n] = a.t.shape[i]
    dtypes[0] = a.t.dtype
    for i in range(nvalues):
        dtypes[1 + i] = (<ndarray>values[i]).t.dtype
    loop = find_loop(u.op, u.nin, dtypes)[0]
    for i in range(nvalues):
        x = <ndarray>values[i]
        if may_overlap(a, x):
            x = copy_of(x, c'K')
        x = _broadcast_to(x, nd + a.t.ndim - n, shape)
        keep.append(x)
        ins[i] = &x.t
    for i in range(n):
        x = index[i]
        if may_overlap(a, x):
            x = copy_of(x, c'K')
        x = _broadcast_to(x, nd, shape)
        keep.append(x)
        ins[nvalues + i] = &x.t
    params.axes = axes
    params.naxes = n
    params.nlist = 0
    params.i[0] = XPU_MODE_RAISE
    call.op, call.method, call.loop = u.op, XPU_AT, loop.loop - 1
    call.nin, call.nout, call.flags = nvalues + n, 1, 0
    call.in_, call.out, call.params = ins, &outp, &params
    launch(&call, a.t.size)


cdef ndarray _broadcast_to(ndarray x, int ndim, const int64_t* shape):
    cdef int64_t strides[XPU_MAX_NDIM]
    if broadcast_strides(&x.t, ndim, shape, strides) < 0:
        wanted = str(tuple([shape[i] for i in range(ndim)])).replace(' ', '')
        raise ValueError(f'array is not broadcastable to correct shape: operand has shape {shape_text(&x.t)}, the indexed elements '
                         f'{wanted}')
    return new_view(x, ndim, shape, strides, x.t.offset)
