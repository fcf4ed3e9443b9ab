"""sort, argsort, partition, argpartition, searchsorted, lexsort. NaN is last, as in NumPy; argsort is always stable."""
from libc.string cimport memset
from cupy._core._dtype cimport *
from cupy._core._indexing cimport getitem
from cupy._core._launch cimport run
from cupy._core.core cimport (
    C_CONTIGUOUS, as_array, as_typed, copy_of, mark_scalar, ndarray, new_array, new_like, normalize_axis, require_writeable, reshape_to)
from cupy_backends.backend.xpu cimport *

import numpy


cdef bint _is_stable(object kind, object order, object stable) except -1:
    """Checks the arguments that say how to sort."""
    if order is not None:
        raise ValueError('Cannot specify order when the array has no fields.')
    if kind is not None and stable is not None:
        raise ValueError("`kind` and `stable` parameters can't be provided at the same time. Use only one of them.")
    if kind is None:
        return stable is not None and bool(stable)
    if not isinstance(kind, str):
        raise TypeError(f'sort kind must be str, not {type(kind).__name__}')
    if kind[:1].lower() not in ('q', 'h', 'm', 's'):
        raise ValueError(f"sort kind must be one of 'quick', 'heap', or 'stable' (got {kind!r})")
    return kind[:1].lower() in ('m', 's')


cdef ndarray _flat(ndarray a):
    cdef int64_t n = a.t.size
    return reshape_to(a, 1, &n)


cdef int _launch_sort(int op, ndarray a, ndarray out, int axis, bint stable, const int64_t* kth, int nkth) except -1:
    cdef xpu_params params
    cdef const xpu_tensor* p = &a.t
    cdef int64_t k = axis
    if a.t.size == 0:
        return 0
    memset(&params, 0, sizeof(params))
    params.i[0] = XPU_SORT_STABLE if stable else XPU_SORT_ANY
    params.axes = &k
    params.naxes = 1
    params.list = kth
    params.nlist = nkth
    return run(op, XPU_CALL, a.t.dtype, &p, 1, &out.t, &params, a.t.size)


cdef ndarray sort_of(ndarray a, object axis, object kind, object order, object stable):
    cdef bint keep = _is_stable(kind, order, stable)
    if axis is None:
        a = _flat(a)
        axis = 0
    cdef int k = normalize_axis(axis, a.t.ndim)
    cdef ndarray out = new_like(a, a.t.dtype, c'K')
    _launch_sort(XPU_OP_sort, a, out, k, keep, NULL, 0)
    return out


cdef int _sort_inplace(ndarray a, object axis, object kind, object order, object stable) except -1:
    cdef bint keep = _is_stable(kind, order, stable)
    cdef int k = normalize_axis(axis, a.t.ndim)
    require_writeable(a)
    return _launch_sort(XPU_OP_sort, a, a, k, keep, NULL, 0)


cpdef sort_inplace(ndarray a, object axis, object kind, object order, object stable):
    """Sorts an array in place along an axis, as numpy.ndarray.sort."""
    _sort_inplace(a, axis, kind, order, stable)


cdef ndarray argsort_of(ndarray a, object axis, object kind, object order, object stable):
    _is_stable(kind, order, stable)
    if axis is None or a.t.ndim == 0:
        if axis is not None:
            normalize_axis(axis, 1)
        a = _flat(a)
        axis = 0
    cdef int k = normalize_axis(axis, a.t.ndim)
    cdef ndarray out = new_like(a, XPU_INT64, c'K')
    _launch_sort(XPU_OP_argsort, a, out, k, True, NULL, 0)
    return out


cdef int _kth_list(object kth, int64_t n, bint empty, int64_t* out) except -1:
    """Non-negative positions; at most 64 of them are told to the backend, which takes more to mean all."""
    cdef int i = 0
    cdef bint is_array = isinstance(kth, ndarray)
    if is_array:
        kth = kth.tolist()
    if not isinstance(kth, (list, tuple, range)):
        kth = (kth.tolist() if isinstance(kth, numpy.ndarray) else kth,)
        if isinstance(kth[0], list):
            kth = kth[0]
    elif not kth and not is_array:
        raise TypeError('Partition index must be integer')
    for k in kth:
        if isinstance(k, bool) or not hasattr(k, '__index__'):
            raise TypeError('Partition index must be integer')
        k = k.__index__()
        if not empty and not -n <= k < n:
            raise ValueError(f'kth(={k}) out of bounds ({n})')
        if i < 64 and not empty:
            out[i] = k + n if k < 0 else k
        i += 1
    return i if i <= 64 else 0


cdef int _check_introselect(object kind, object order) except -1:
    if order is not None:
        raise ValueError('Cannot specify order when the array has no fields.')
    if kind != 'introselect':
        raise ValueError(f"select kind must be 'introselect' (got {kind!r})")
    return 0


cdef int _partition(int op, ndarray a, ndarray out, object kth, int k) except -1:
    cdef int64_t positions[64]
    cdef int n = _kth_list(kth, a.t.shape[k], a.t.size == 0, positions)
    return _launch_sort(op, a, out, k, False, positions, n)


cdef ndarray partition_of(ndarray a, object kth, object axis, object kind, object order):
    _check_introselect(kind, order)
    if axis is None:
        a = _flat(a)
        axis = 0
    cdef int k = normalize_axis(axis, a.t.ndim)
    cdef ndarray out = new_like(a, a.t.dtype, c'K')
    _partition(XPU_OP_partition, a, out, kth, k)
    return out


cpdef partition_inplace(ndarray a, object kth, object axis, object kind, object order):
    """Partitions an array in place along an axis, as numpy.ndarray.partition."""
    _check_introselect(kind, order)
    cdef int k = normalize_axis(axis, a.t.ndim)
    require_writeable(a)
    _partition(XPU_OP_partition, a, a, kth, k)


cdef ndarray argpartition_of(ndarray a, object kth, object axis, object kind, object order):
    _check_introselect(kind, order)
    if axis is None or a.t.ndim == 0:
        a = _flat(a)
        axis = 0
    cdef int k = normalize_axis(axis, a.t.ndim)
    cdef ndarray out = new_like(a, XPU_INT64, c'K')
    _partition(XPU_OP_argpartition, a, out, kth, k)
    return out


cdef ndarray searchsorted_of(ndarray a, object v, object side, object sorter):
    cdef ndarray values = as_array(v), out, order
    cdef int dtype
    cdef xpu_params params
    cdef const xpu_tensor* ins[2]
    if not isinstance(side, str) or side[:1].lower() not in ('l', 'r'):
        raise ValueError(f"search side must be 'left' or 'right' (got {side!r})")
    if a.t.ndim != 1:
        raise ValueError('object of too small depth for desired array' if a.t.ndim == 0 else 'object too deep for desired array')
    if sorter is not None:
        order = as_array(sorter)
        if kind_of[order.t.dtype] not in (KIND_SIGNED, KIND_UNSIGNED):
            raise TypeError('sorter must only contain integers')
        if order.t.ndim != 1 or order.t.size != a.t.size:
            raise ValueError('sorter.size must equal a.size' if order.t.ndim == 1 else 'object too deep for desired array')
        a = getitem(a, order)
    dtype = promote(a.t.dtype, values.t.dtype)
    a, values = as_typed(a, dtype), as_typed(values, dtype)
    out = new_array(XPU_INT64, values.t.ndim, values.t.shape)
    memset(&params, 0, sizeof(params))
    params.i[0] = side[:1].lower() == 'r'
    ins[0], ins[1] = &a.t, &values.t
    if out.t.size:
        run(XPU_OP_searchsorted, XPU_CALL, dtype, ins, 2, &out.t, &params, values.t.size)
    return mark_scalar(out)


# --- the public functions ---

def sort(a, axis=-1, kind=None, order=None, *, stable=None):
    """A sorted copy along an axis, of the flattened array for None. kind: 'quicksort', 'heapsort', 'mergesort' or 'stable'."""
    return sort_of(as_array(a), axis, kind, order, stable)


def argsort(a, axis=-1, kind=None, order=None, *, stable=None):
    """Indices (int64) that sort along an axis. Equal elements keep their order, whatever the kind."""
    return argsort_of(as_array(a), axis, kind, order, stable)


def partition(a, kth, axis=-1, kind='introselect', order=None):
    """A copy in which the elements at kth (int or sequence) are where sorting puts them, smaller ones before, larger ones after."""
    return partition_of(as_array(a), kth, axis, kind, order)


def argpartition(a, kth, axis=-1, kind='introselect', order=None):
    """Indices (int64) that partition along an axis."""
    return argpartition_of(as_array(a), kth, axis, kind, order)


def searchsorted(a, v, side='left', sorter=None):
    """Where to insert v in the sorted one-dimensional a: before equal elements (left) or after them (right). int64 of v's shape.

    sorter: integer indices that sort a.
    """
    return searchsorted_of(as_array(a), v, side, sorter)


def sort_complex(a):
    """A sorted complex copy of a along its last axis: small integers give complex64, other dtypes complex128."""
    cdef ndarray b = as_array(a)
    if kind_of[b.t.dtype] != KIND_COMPLEX:
        small = b.t.dtype in (XPU_INT8, XPU_UINT8, XPU_INT16, XPU_UINT16, XPU_FLOAT32)
        b = as_typed(b, XPU_COMPLEX64 if small else XPU_COMPLEX128)
    return sort_of(b, -1, None, None, None)


def lexsort(keys, axis=-1):
    """Indices (int64) that sort by several keys, the last one first. keys: sequence of arrays of one shape, or an array of them.

    Raises TypeError without keys, ValueError where shapes differ.
    """
    cdef ndarray order, key
    import cupy
    columns = list(keys) if not isinstance(keys, ndarray) or (<ndarray>keys).t.ndim else []
    if not columns:
        raise TypeError('need sequence of keys with len > 0 in lexsort')
    columns = [as_array(k) for k in columns]
    for k in columns:
        if (<ndarray>k).shape != (<ndarray>columns[0]).shape:
            raise ValueError('all keys need to be the same shape')
    if (<ndarray>columns[0]).t.ndim == 0:
        return mark_scalar(cupy.zeros((), numpy.int64))
    order = argsort_of(columns[0], axis, None, None, None)
    for key in columns[1:]:
        moved = argsort_of(cupy.take_along_axis(key, order, axis), axis, None, None, None)
        order = cupy.take_along_axis(order, moved, axis)
    return order
