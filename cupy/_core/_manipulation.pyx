"""Functions that rearrange arrays: shapes, broadcasting, repeating, splitting, rolling. Views are free, copies are launches of `copy`."""
from libc.string cimport memcpy
from cupy._core._dtype cimport *
from cupy._core._joining cimport copy_tensor
from cupy._core._launch cimport run
from cupy._core._scalar cimport scalar_kind
from cupy._core.core cimport *
from cupy_backends.backend.xpu cimport *

from operator import index as as_index

from cupy._core._joining import atleast_1d, atleast_2d, atleast_3d, column_stack, concatenate, dstack, hstack, stack, vstack  # noqa: F401

try:
    from numpy.exceptions import AxisError
except ImportError:  # NumPy < 2 has it at the top as well
    from numpy import AxisError


def operand(x):
    """x as an array for a computation: arrays as they are, scalars and nested lists converted. TypeError for a numpy.ndarray."""
    return as_array(x)


# --- shapes ---

def reshape(a, /, shape, order='C', *, copy=None):
    """The elements of `a` in another shape; a view where possible.

    Args:
        shape: int or ints, one of them may be -1.
        order: 'C', 'F' or 'A': in which order elements are read and placed.
        copy: True always copies, False never: ValueError if a copy is needed.
    """
    cdef int64_t dims[XPU_MAX_NDIM]
    cdef int n
    cdef ndarray array = as_array(a)
    if order == 'C' and copy is None:
        n = resolve_shape(array, (shape,), dims)
        return reshape_to(array, n, dims)
    return array.reshape(shape, order=order, copy=copy)


def ravel(a, order='C'):
    """The elements along one axis; a view where possible. order: 'C', 'F', 'A' or 'K'."""
    return as_array(a).ravel(order)


def transpose(a, axes=None):
    """A view with permuted axes, reversed by default."""
    return transpose_view(as_array(a), axes)


permute_dims = transpose


def swapaxes(a, axis1, axis2):
    """A view with two axes interchanged."""
    cdef ndarray array = as_array(a)
    cdef int i = _named_axis(axis1, array.t.ndim, 'axis1'), j = _named_axis(axis2, array.t.ndim, 'axis2')
    cdef list order = list(range(array.t.ndim))
    order[i], order[j] = j, i
    return transpose_view(array, order)


cdef int _named_axis(object axis, int ndim, str name) except -2:
    i = as_index(axis)
    if not -ndim <= i < ndim:
        raise AxisError(i, ndim, name)
    return i + ndim if i < 0 else i


cdef list _axes_list(object axis, int ndim, str name):
    """Distinct axes as non-negative ints, in the order given."""
    cdef list found
    if isinstance(axis, (tuple, list)):
        found = [_named_axis(x, ndim, name) for x in axis]
    else:
        try:
            found = [_named_axis(axis, ndim, name)]
        except TypeError:
            found = [_named_axis(x, ndim, name) for x in axis]
    if len(set(found)) != len(found):
        raise ValueError(f'repeated axis in `{name}` argument' if name else 'repeated axis')
    return found


def normalize_axis_tuple(axis, ndim, argname=None, allow_duplicate=False):
    """An int or ints as a tuple of axes in [0, ndim). AxisError out of range, ValueError for repeated axes."""
    if allow_duplicate:
        return tuple([_named_axis(x, ndim, argname) for x in (axis if isinstance(axis, (tuple, list)) else (axis,))])
    return tuple(_axes_list(axis, ndim, argname))


def normalize_axis_index(axis, ndim, msg_prefix=None):
    """An axis as an int in [0, ndim). AxisError out of range."""
    return _named_axis(axis, ndim, msg_prefix)


def moveaxis(a, source, destination):
    """A view in which the axes `source` stand at the places `destination`; the others keep their order."""
    cdef ndarray array = as_array(a)
    cdef int ndim = array.t.ndim
    cdef list src = _axes_list(source, ndim, 'source'), dst = _axes_list(destination, ndim, 'destination'), order
    if len(src) != len(dst):
        raise ValueError('`source` and `destination` arguments must have the same number of elements')
    order = [i for i in range(ndim) if i not in src]
    for d, s in sorted(zip(dst, src)):
        order.insert(d, s)
    return transpose_view(array, order)


def rollaxis(a, axis, start=0):
    """A view with one axis moved before the place `start`."""
    cdef ndarray array = as_array(a)
    cdef int n = array.t.ndim, k = normalize_axis(axis, n), to
    cdef list order = list(range(n))
    to = start + n if start < 0 else start
    if not 0 <= to <= n:
        raise AxisError(f"'start' arg requires {-n} <= start < {n + 1}, but {start} was passed in")
    order.remove(k)
    order.insert(to - 1 if k < to else to, k)
    return transpose_view(array, order)


def expand_dims(a, axis):
    """A view with new axes of length 1 at the places `axis` (int or ints) of the result."""
    cdef ndarray array = as_array(a)
    cdef int64_t shape[2 * XPU_MAX_NDIM]
    cdef list places
    cdef int n, i, k = 0
    if not isinstance(axis, (tuple, list)):
        axis = (axis,)
    n = array.t.ndim + len(axis)
    if n > XPU_MAX_NDIM:
        raise ValueError(f'maximum supported dimension for an ndarray is currently {XPU_MAX_NDIM}, found {n}')
    places = _axes_list(axis, n, None)
    for i in range(n):
        if i in places:
            shape[i] = 1
        else:
            shape[i] = array.t.shape[k]
            k += 1
    return reshape_to(array, n, shape)


def squeeze(a, axis=None):
    """A view without axes of length 1: all of them, or those named by `axis`. ValueError when a named axis is longer."""
    return as_array(a).squeeze(axis)


# --- broadcasting ---

cdef ndarray _broadcast(ndarray a, int ndim, const int64_t* shape):
    """A view of a in a larger shape, or None if it does not fit."""
    cdef int64_t strides[XPU_MAX_NDIM]
    if broadcast_strides(&a.t, ndim, shape, strides) < 0:
        return None
    return new_view(a, ndim, shape, strides, a.t.offset)


def broadcast_to(array, shape, subok=False):
    """A read-only view of an array in a larger shape. ValueError if the shapes do not fit."""
    cdef ndarray a = as_array(array), r
    cdef int64_t dims[XPU_MAX_NDIM]
    cdef int n
    sizes = tuple([as_index(x) for x in shape]) if hasattr(shape, '__iter__') else (as_index(shape),)
    if not sizes and a.t.ndim:
        raise ValueError('cannot broadcast a non-scalar to a scalar array')
    if any([x < 0 for x in sizes]):
        raise ValueError('all elements of broadcast shape must be non-negative')
    n = shape_from(sizes, dims)
    if a.t.ndim > n:
        raise ValueError('input operand has more dimensions than allowed by the axis remapping')
    r = _broadcast(a, n, dims)
    if r is None:
        raise ValueError('operands could not be broadcast together with remapped shapes [original->remapped]: '
                         f'{shape_text(&a.t)}  and requested shape {str(sizes).replace(" ", "")}')
    r.flags_ &= ~WRITEABLE
    return r


cdef tuple _broadcast_shapes(list shapes):
    cdef list result = [1] * max([len(s) for s in shapes], default=0), owner = [0] * len(result)
    cdef int i, k, d
    for i, shape in enumerate(shapes):
        d = len(result) - len(shape)
        for k, n in enumerate(shape, d):
            if n != 1 and result[k] == 1:
                result[k], owner[k] = n, i
            elif n != 1 and n != result[k]:
                raise ValueError('shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is between arg '
                                 f'{owner[k]} with shape {shapes[owner[k]]} and arg {i} with shape {shape}.')
    return tuple(result)


def broadcast_shapes(*args):
    """The shape that arrays of these shapes (ints or tuples) have together. ValueError if they do not fit."""
    cdef list shapes = []
    for shape in args:
        shape = tuple([as_index(n) for n in shape]) if isinstance(shape, (tuple, list)) else (as_index(shape),)
        if any([n < 0 for n in shape]):
            raise ValueError('negative dimensions are not allowed')
        shapes.append(shape)
    return _broadcast_shapes(shapes)


def broadcast_arrays(*args, subok=False):
    """The arrays as a tuple of views in their common shape. ValueError if the shapes do not fit."""
    cdef list arrays = [as_array(x) for x in args]
    cdef int64_t dims[XPU_MAX_NDIM]
    cdef tuple shape = _broadcast_shapes([shape_tuple(&(<ndarray>a).t) for a in arrays])
    cdef int n = shape_from(shape, dims)
    return tuple([a if shape_tuple(&(<ndarray>a).t) == shape else _broadcast(<ndarray>a, n, dims) for a in arrays])


def as_strided(x, shape=None, strides=None, subok=False, writeable=True, *, check_bounds=None):
    """A view with any shape and byte strides. ValueError if it would reach outside the array's memory."""
    cdef ndarray a = as_array(x), r
    cdef int64_t dims[XPU_MAX_NDIM]
    cdef int64_t steps[XPU_MAX_NDIM]
    cdef int n, i
    sizes = shape_tuple(&a.t) if shape is None else tuple(shape)
    n = shape_from(sizes, dims)
    sizes = [dims[i] for i in range(n)]
    jumps = a.strides if strides is None else tuple([as_index(s) for s in strides])
    if len(jumps) != n:
        raise ValueError('mismatch in length of strides and shape')
    low = a.t.offset + sum([(s - 1) * j for s, j in zip(sizes, jumps) if j < 0])
    high = a.t.offset + sum([(s - 1) * j for s, j in zip(sizes, jumps) if j > 0]) + itemsize_of[a.t.dtype]
    if 0 not in sizes and (low < 0 or high > a.t.nbytes):
        raise ValueError('the view would reach outside the memory of the array')
    for i in range(n):
        steps[i] = jumps[i]
    r = new_view(a, n, dims, steps, a.t.offset)
    if not writeable:
        r.flags_ &= ~WRITEABLE
    return r


# --- copying to others ---

cdef int _check_copy(int kind, object source, int dtype, str casting) except -1:
    """Whether copyto may cast; a Python scalar counts by its kind."""
    cdef bint ok
    cdef int number
    if kind >= WEAK_INT:
        number = promote(kind, kind)
        ok = casting == 'unsafe' or (kind_of[dtype] >= (KIND_UNSIGNED if kind == WEAK_INT else KIND_FLOAT if kind == WEAK_FLOAT
                                                        else KIND_COMPLEX) and casting in ('same_kind', 'safe'))
        ok = ok or can_cast(number, dtype, casting)
    else:
        number = (<ndarray>source).t.dtype
        ok = can_cast(number, dtype, casting)
    if not ok:
        what = 'array data' if kind < 0 else 'scalar'
        raise TypeError(f'Cannot cast {what} from {dtype_object(number)!r} to {dtype_object(dtype)!r} according to the rule {casting!r}')
    return 0


cdef int _copy_where(ndarray dst, ndarray src, ndarray mask) except -1:
    """dst takes src's elements where mask holds; one launch of `where`."""
    cdef xpu_tensor t[3]
    cdef const xpu_tensor* ins[3]
    cdef int64_t strides[3 * XPU_MAX_NDIM]
    cdef ndarray a
    cdef int i
    src = as_typed(src, dst.t.dtype)
    arrays = [mask, src, dst]
    for i in range(3):
        a = arrays[i]
        if i < 2 and may_overlap(dst, a) and not same_view(dst, a):
            a = copy_of(a, c'K')
            arrays[i] = a
        t[i] = a.t
        if broadcast_strides(&a.t, dst.t.ndim, dst.t.shape, strides + i * XPU_MAX_NDIM) < 0:
            raise ValueError(f'could not broadcast {"where mask" if i == 0 else "input array"} from shape {shape_text(&a.t)} into shape '
                             f'{shape_text(&dst.t)}')
        t[i].ndim, t[i].shape, t[i].size, t[i].strides = dst.t.ndim, dst.t.shape, dst.t.size, strides + i * XPU_MAX_NDIM
        ins[i] = &t[i]
    if dst.t.size == 0:
        return 0
    return run(XPU_OP_where, XPU_CALL, dst.t.dtype, ins, 3, &dst.t, NULL, dst.t.size)


def copyto(dst, src, casting='same_kind', where=True):
    """Copies values into an array, broadcasting them.

    Args:
        dst: array that is written.
        src: array or scalar.
        casting: the casts that are allowed.
        where: boolean array; where it is False, dst keeps its elements.

    Raises:
        TypeError: a forbidden cast. ValueError: shapes that do not fit, a read-only array.
    """
    cdef ndarray target, source, mask
    cdef int kind = scalar_kind(src)
    if not isinstance(dst, ndarray):
        raise TypeError(f'copyto() argument 1 must be cupy.ndarray, not {type(dst).__name__}')
    target = <ndarray>dst
    source = None if kind >= WEAK_INT else as_array(src)
    _check_copy(kind, source, target.t.dtype, casting)
    require_writeable(target)
    if kind >= WEAK_INT:  # stored as the target's dtype, which also checks that it fits
        if kind == WEAK_COMPLEX and kind_of[target.t.dtype] != KIND_COMPLEX:
            src = src.real
        if kind != WEAK_INT and kind_of[target.t.dtype] < KIND_FLOAT:
            src = as_array(src)
            return copyto(dst, src, 'unsafe', where)
        source = new_scalar(target.t.dtype)
        fill_value(source, src)
    if where is True:
        copy_into(target, source, True)
        return
    mask = as_array(where)
    if mask.t.dtype != XPU_BOOL:
        if isinstance(where, ndarray):
            raise TypeError(f"Cannot cast array data from {mask.dtype!r} to dtype('bool') according to the rule 'safe'")
        mask = as_typed(mask, XPU_BOOL)
    _copy_where(target, source, mask)


# --- repeating ---

cdef int _copy_spread(ndarray r, ndarray a, int ndim, const int64_t* shape, const int64_t* strides) except -1:
    """Fills r, C-contiguous and seen in another shape, with a seen with the given strides (0 where it repeats)."""
    cdef int64_t steps[2 * XPU_MAX_NDIM]
    cdef int64_t step = itemsize_of[r.t.dtype]
    cdef int i
    cdef xpu_tensor source = a.t, target = r.t
    if ndim > XPU_MAX_NDIM:
        raise ValueError(f'maximum supported dimension for an ndarray is currently {XPU_MAX_NDIM}, found {ndim}')
    for i in range(ndim - 1, -1, -1):
        steps[i] = step
        step *= shape[i]
    source.ndim, source.shape, source.strides, source.size = ndim, <int64_t*>shape, <int64_t*>strides, r.t.size
    target.ndim, target.shape, target.strides = ndim, <int64_t*>shape, steps
    return copy_tensor(&source, &target)


cdef ndarray _repeat_evenly(ndarray a, int64_t n, int axis, bint flat):
    """Each element along an axis n times; flat: the axis is the last and the result has one axis."""
    cdef int64_t shape[XPU_MAX_NDIM + 1]
    cdef int64_t strides[XPU_MAX_NDIM + 1]
    cdef int64_t dims[XPU_MAX_NDIM]
    cdef int i, k = 0
    cdef ndarray r
    if n < 0:
        raise ValueError('negative dimensions are not allowed')
    if flat:
        dims[0] = times(a.t.size, n)
    else:
        memcpy(dims, a.t.shape, a.t.ndim * sizeof(int64_t))
        dims[axis] = times(dims[axis], n)
    r = new_array(a.t.dtype, 1 if flat else a.t.ndim, dims)
    for i in range(a.t.ndim):
        shape[k], strides[k] = a.t.shape[i], a.t.strides[i]
        k += 1
        if i == axis:
            shape[k], strides[k] = n, 0
            k += 1
    if a.t.ndim == 0:
        shape[0], strides[0] = n, 0
        k = 1
    _copy_spread(r, a, k, shape, strides)
    return r


cdef ndarray _counts(object repeats):
    """The argument `repeats` as an int64 array with at most one axis."""
    cdef ndarray a = as_array(repeats)
    if a.t.ndim > 1:
        raise ValueError('object too deep for desired array')
    if isinstance(repeats, ndarray) and not can_cast_safely(a.t.dtype, XPU_INT64):
        raise TypeError(f"Cannot cast array data from {a.dtype!r} to dtype('int64') according to the rule 'safe'")
    return as_typed(a, XPU_INT64)


cdef object _repeated_index(object repeats, ndarray counts):
    """The indices 0, 1, ... each as often as counts says; on the host if the counts came from there and are few."""
    import cupy
    if isinstance(repeats, (list, tuple)) and all([type(x) is int for x in repeats]) and sum(repeats) <= 4096:
        return cupy.array([i for i, x in enumerate(repeats) for _ in range(x)], dtype=int)
    if counts.sum(dtype=float) >= 2.0 ** 63:
        raise ValueError('repeats ask for more elements than an array can have')
    ends = counts.cumsum()
    total = item_of(ends[counts.t.size - 1]) if counts.t.size else 0
    return ends.searchsorted(cupy.arange(total), side='right')


def repeat(a, repeats, axis=None):
    """Each element repeated.

    Args:
        repeats: how often; an int, or one count per element along the axis.
        axis: int; None repeats the elements of the flattened array.

    Raises:
        ValueError: negative counts or a wrong number of them. TypeError: counts that are no integers. AxisError: a bad axis.
    """
    import cupy
    cdef ndarray array = as_array(a), counts
    cdef bint flat = axis is None
    cdef int64_t n
    if array.t.ndim == 0:
        array = array.reshape(1)
    cdef int k = array.t.ndim - 1 if flat else normalize_axis(axis, array.t.ndim)
    if isinstance(repeats, int):
        return _repeat_evenly(array, repeats, k, flat)
    counts = _counts(repeats)
    if counts.t.size == 1:
        return _repeat_evenly(array, item_of(counts), k, flat)
    n = array.t.size if flat else array.t.shape[k]
    if counts.t.size != n:
        raise ValueError(f'operands could not be broadcast together with shape ({n},) {shape_text(&counts.t)}')
    if n and (counts < 0).any():
        raise ValueError('repeats may not contain negative values.')
    return cupy.take(array.ravel() if flat else array, _repeated_index(repeats, counts), axis=0 if flat else k)


def tile(A, reps):
    """The array set side by side as often as `reps` (int or ints, one per axis, the last axes first to match) says."""
    cdef ndarray a = as_array(A), r
    cdef tuple counts = tuple(reps) if hasattr(reps, '__iter__') else (reps,)
    cdef int64_t dims[XPU_MAX_NDIM]
    cdef int64_t shape[2 * XPU_MAX_NDIM]
    cdef int64_t strides[2 * XPU_MAX_NDIM]
    cdef int n = max(len(counts), a.t.ndim), d = n - a.t.ndim, i, k = 0
    cdef int64_t count
    if n > XPU_MAX_NDIM:
        raise ValueError(f'maximum supported dimension for an ndarray is currently {XPU_MAX_NDIM}, found {n}')
    counts = (1,) * (n - len(counts)) + counts
    for i in range(n):
        count = as_index(counts[i])
        dims[i] = times(count, a.t.shape[i - d] if i >= d else 1)
        if count != 1 or i < d:
            shape[k], strides[k] = count, 0
            k += 1
        if i >= d:
            shape[k], strides[k] = a.t.shape[i - d], a.t.strides[i - d]
            k += 1
    if isinstance(A, ndarray) and d == 0 and all([x == 1 for x in counts]):
        return copy_of(a, c'K')
    r = new_array(a.t.dtype, n, dims)
    _copy_spread(r, a, k, shape, strides)
    return r


# --- splitting, reversing, rolling ---

cdef ndarray _slice(ndarray a, int axis, int64_t start, int64_t stop):
    cdef int64_t shape[XPU_MAX_NDIM]
    memcpy(shape, a.t.shape, a.t.ndim * sizeof(int64_t))
    shape[axis] = stop - start if stop > start else 0
    return new_view(a, a.t.ndim, shape, a.t.strides, a.t.offset + start * a.t.strides[axis])


cdef list _split_at(ndarray a, list points, int axis):
    """Views between neighbouring points, which may be negative or too large as in slices."""
    cdef int64_t n = a.t.shape[axis]
    cdef list parts = []
    cdef Py_ssize_t i
    for i in range(len(points) - 1):
        start, stop, _ = slice(points[i], points[i + 1]).indices(n)
        parts.append(_slice(a, axis, start, stop))
    return parts


def array_split(ary, indices_or_sections, axis=0):
    """A list of views along an axis.

    Args:
        indices_or_sections: an int, the number of parts (the first ones get the elements that are left over), or the places to
            cut at.

    Raises:
        ValueError: a number of parts below 1. IndexError: a bad axis.
    """
    cdef ndarray a
    cdef int64_t n, size, extra, i, at = 0
    if not isinstance(ary, ndarray):
        len(ary)
    a = as_array(ary)
    if not -a.t.ndim <= axis < a.t.ndim:
        raise IndexError('tuple index out of range')
    k = axis + a.t.ndim if axis < 0 else axis
    if hasattr(indices_or_sections, '__len__'):
        return _split_at(a, [0] + list(indices_or_sections) + [a.t.shape[k]], k)
    n = int(indices_or_sections)
    if n <= 0:
        raise ValueError('number sections must be larger than 0.')
    size, extra = a.t.shape[k] // n, a.t.shape[k] % n
    parts = []
    for i in range(n):
        parts.append(_slice(a, k, at, at + size + (i < extra)))
        at += size + (i < extra)
    return parts


def split(ary, indices_or_sections, axis=0):
    """As `array_split`, but a number of parts must divide the axis: ValueError otherwise."""
    if not hasattr(indices_or_sections, '__len__'):
        ary = as_array(ary)
        if not -ary.ndim <= axis < ary.ndim:
            raise IndexError('tuple index out of range')
        if not indices_or_sections:
            raise ZeroDivisionError('integer modulo by zero')
        if ary.shape[axis] % indices_or_sections:
            raise ValueError('array split does not result in an equal division')
    return array_split(ary, indices_or_sections, axis)


cdef ndarray _splittable(object ary, str name, int ndim):
    cdef ndarray a = as_array(ary)
    if a.t.ndim < ndim:
        raise ValueError(f'{name} only works on arrays of {ndim} or more dimensions')
    return a


def hsplit(ary, indices_or_sections):
    """Splits along the second axis, a vector along its only one."""
    a = _splittable(ary, 'hsplit', 1)
    return split(a, indices_or_sections, 1 if a.ndim > 1 else 0)


def vsplit(ary, indices_or_sections):
    """Splits along the first axis of an array with at least two."""
    return split(_splittable(ary, 'vsplit', 2), indices_or_sections, 0)


def dsplit(ary, indices_or_sections):
    """Splits along the third axis."""
    return split(_splittable(ary, 'dsplit', 3), indices_or_sections, 2)


def flip(m, axis=None):
    """A view with the order along one, some or all axes reversed."""
    cdef ndarray a = as_array(m)
    cdef int64_t strides[XPU_MAX_NDIM]
    cdef int64_t offset = a.t.offset
    cdef int k
    if a.t.ndim == 0 and axis is None:
        return a[()]
    memcpy(strides, a.t.strides, a.t.ndim * sizeof(int64_t))
    for k in (range(a.t.ndim) if axis is None else _axes_list(axis, a.t.ndim, None)):
        if a.t.size:
            offset += (a.t.shape[k] - 1) * strides[k]
        strides[k] = -strides[k]
    return new_view(a, a.t.ndim, a.t.shape, strides, offset)


cdef int _roll_part(xpu_tensor* target, xpu_tensor* source, const int64_t* shifts, int k) except -1:
    """Copies the two parts of axis k, and within each those of the axes after it. Both tensors share their shape."""
    cdef int64_t to = target.offset, start = source.offset, n, size = target.size
    while k < target.ndim and shifts[k] == 0:
        k += 1
    if k == target.ndim:
        return copy_tensor(source, target)
    n = target.shape[k]
    target.shape[k] = n - shifts[k]
    target.size = source.size = size // n * (n - shifts[k])
    target.offset = to + shifts[k] * target.strides[k]
    _roll_part(target, source, shifts, k + 1)
    target.shape[k] = shifts[k]
    target.size = source.size = size // n * shifts[k]
    target.offset = to
    source.offset = start + (n - shifts[k]) * source.strides[k]
    _roll_part(target, source, shifts, k + 1)
    target.shape[k], target.size, source.size, source.offset = n, size, size, start
    return 0


def roll(a, shift, axis=None):
    """The elements moved along axes; those that leave at one end come in at the other.

    Args:
        shift: int, or ints for several axes.
        axis: int or ints; an axis named twice moves by both shifts. None rolls the flattened array.
    """
    cdef ndarray array = as_array(a), r
    cdef int64_t shifts[XPU_MAX_NDIM]
    cdef int64_t dims[XPU_MAX_NDIM]
    cdef xpu_tensor target, source
    cdef int k
    if axis is None:
        return roll(array.ravel(), shift, 0).reshape(array.shape)
    amounts = list(shift) if hasattr(shift, '__len__') else [shift]
    axes = [normalize_axis(x, array.t.ndim) for x in (axis if isinstance(axis, (tuple, list)) else (axis,))]
    if len(amounts) != len(axes):
        if len(amounts) != 1 and len(axes) != 1:
            _broadcast_shapes([(len(amounts),), (len(axes),)])
        amounts, axes = amounts * (len(axes) if len(amounts) == 1 else 1), axes * (len(amounts) if len(axes) == 1 else 1)
    r = new_like(array, array.t.dtype, c'K')
    if array.t.size == 0:
        return r
    totals = [0] * array.t.ndim
    for amount, k in zip(amounts, axes):
        totals[k] += int(amount)
    for k in range(array.t.ndim):
        shifts[k] = totals[k] % array.t.shape[k]
        dims[k] = array.t.shape[k]
    target, source = r.t, array.t
    target.shape = source.shape = dims
    _roll_part(&target, &source, shifts, 0)
    return r
