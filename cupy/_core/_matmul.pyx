"""Products of matrices and vectors: the gufuncs matmul, vecdot, matvec, vecmat, and what is composed of them."""
from cupy._core._dtype cimport *
from cupy._core._launch cimport api, run
from cupy._core._scalar cimport scalar_kind
from cupy._core._loops cimport Resolved, find_loop
from cupy._core._ufunc cimport call_ufunc
from cupy._core.core cimport (
    ALIGNED, C_CONTIGUOUS, as_array, as_typed, copy_into, copy_of, fill_value, mark_scalar, may_overlap, ndarray, new_array, new_view,
    normalize_axis, order_char, require_writeable, reshape_to, shape_text, shape_tuple, transpose_view)
from cupy_backends.backend.xpu cimport *

import numpy

# Core axes of the two operands and the result; '?': an operand of matmul may lack one.
ctypedef struct Core:
    int a
    int b
    int out
    const char* signature

cdef Core _core(int op) noexcept:
    cdef Core c
    if op == XPU_OP_matmul:
        c.a, c.b, c.out, c.signature = 2, 2, 2, b'(n?,k),(k,m?)->(n?,m?)'
    elif op == XPU_OP_vecdot:
        c.a, c.b, c.out, c.signature = 1, 1, 0, b'(n),(n)->()'
    elif op == XPU_OP_matvec:
        c.a, c.b, c.out, c.signature = 2, 1, 1, b'(m,n),(n)->(m)'
    else:
        c.a, c.b, c.out, c.signature = 1, 2, 1, b'(n),(n,m)->(m)'
    return c


cdef str _name(int op):
    return api.ops[op].name.decode()


# An operand with the axes that the C interface wants.
ctypedef struct Operand:
    xpu_tensor t
    int64_t shape[66]     # XPU_MAX_NDIM and the axes put in
    int64_t strides[66]


cdef int _check_ndim(int op, const Core* c, ndarray x, int which, int need) except -1:
    cdef int least = 1 if op == XPU_OP_matmul else need
    if x.t.ndim < least:
        raise ValueError(f'{_name(op)}: Input operand {which} does not have enough dimensions (has {x.t.ndim}, gufunc core with signature '
                         f'{c.signature.decode()} requires {least})')
    return 0


cdef int _set_operand(Operand* o, ndarray x, int nbatch, const int64_t* batch, int core, bint row) except -1:
    """x as (batch..., core axes); a vector where two core axes are asked for becomes a row or a column."""
    cdef int have = core if x.t.ndim >= core else x.t.ndim, own = x.t.ndim - have, i
    o.t = x.t
    o.t.shape = o.shape
    o.t.strides = o.strides
    for i in range(nbatch):
        o.shape[i] = batch[i]
        o.strides[i] = 0
        if i >= nbatch - own and x.t.shape[i - nbatch + own] != 1:
            o.strides[i] = x.t.strides[i - nbatch + own]
    for i in range(have):
        o.shape[nbatch + i] = x.t.shape[own + i]
        o.strides[nbatch + i] = x.t.strides[own + i]
    if have < core:
        i = nbatch if row else nbatch + 1
        o.shape[2 * nbatch + 1 - i], o.strides[2 * nbatch + 1 - i] = x.t.shape[own], x.t.strides[own]
        o.shape[i], o.strides[i] = 1, 0
    o.t.ndim = nbatch + core
    o.t.size = 1
    for i in range(o.t.ndim):
        o.t.size *= o.shape[i]
    return 0


cdef int _batch_shape(int op, ndarray a, int na, ndarray b, int nb, int64_t* batch) except -1:
    """The broadcast shape of the axes before the core; na, nb: core axes that are there."""
    cdef int i, da = a.t.ndim - na, db = b.t.ndim - nb, n = da if da > db else db
    cdef int64_t x, y
    for i in range(n):
        x = a.t.shape[i - n + da] if i >= n - da else 1
        y = b.t.shape[i - n + db] if i >= n - db else 1
        if x != y and x != 1 and y != 1:
            raise ValueError(f'operands could not be broadcast together with remapped shapes [original->remapped]: '
                             f'{shape_text(&a.t)} and {shape_text(&b.t)}, core signature {_core(op).signature.decode()}')
        batch[i] = y if x == 1 else x
    return n


cdef ndarray _product(int op, ndarray a, ndarray b, const Resolved* r, ndarray out, char order):
    """The product in loop r. out: of the right shape, or None."""
    cdef Core c = _core(op)
    cdef Operand oa
    cdef Operand ob
    cdef Operand oo
    cdef const xpu_tensor* ins[2]
    cdef int64_t batch[64]
    cdef int64_t shape[66]
    cdef int nbatch, n, na, nb
    cdef int64_t k
    cdef ndarray result = out
    _check_ndim(op, &c, a, 0, c.a)
    _check_ndim(op, &c, b, 1, c.b)
    na = c.a if a.t.ndim >= c.a else a.t.ndim
    nb = c.b if b.t.ndim >= c.b else b.t.ndim
    k = a.t.shape[a.t.ndim - 1]
    if k != b.t.shape[b.t.ndim - nb]:
        raise ValueError(f'{_name(op)}: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature '
                         f'{c.signature.decode()} (size {b.t.shape[b.t.ndim - nb]} is different from {k})')
    nbatch = n = _batch_shape(op, a, na, b, nb, batch)
    for i in range(n):
        shape[i] = batch[i]
    if na == 2:
        shape[n] = a.t.shape[a.t.ndim - 2]
        n += 1
    if nb == 2:
        shape[n] = b.t.shape[b.t.ndim - 1]
        n += 1
    a, b = as_typed(a, r.types[0]), as_typed(b, r.types[1])
    if out is None:
        result = new_array(r.types[2], n, shape, order == c'F')
    else:
        _check_out(op, out, n, shape)
        if may_overlap(out, a) or may_overlap(out, b):
            result = new_array(r.types[2], n, shape)
    _set_operand(&oa, a, nbatch, batch, c.a, True)
    _set_operand(&ob, b, nbatch, batch, c.b, False)
    _set_result(&oo, result, nbatch, c.out, na, nb)
    ins[0], ins[1] = &oa.t, &ob.t
    if result.t.size:
        run(op, XPU_CALL, r.loop - 1, ins, 2, &oo.t, NULL, result.t.size * (k if k > 0 else 1))
    if result is not out and out is not None:
        copy_into(out, result)
        return out
    return result if out is not None else mark_scalar(result)


cdef int _check_out(int op, ndarray out, int ndim, const int64_t* shape) except -1:
    cdef int i
    if out.t.ndim != ndim:
        raise ValueError(f'{_name(op)}: Output operand 0 does not have the right number of dimensions: it has {out.t.ndim}, '
                         f'the result {ndim}')
    for i in range(ndim):
        if out.t.shape[i] != shape[i]:
            raise ValueError(f'{_name(op)}: Output operand 0 has a mismatch in its dimension {i} '
                             f'(size {out.t.shape[i]} is different from {shape[i]})')
    return 0


cdef int _set_result(Operand* o, ndarray r, int nbatch, int core, int na, int nb) except -1:
    """The result with axes of length one where an operand of matmul was a vector."""
    cdef int i, k = nbatch
    o.t = r.t
    o.t.shape = o.shape
    o.t.strides = o.strides
    for i in range(nbatch):
        o.shape[i], o.strides[i] = r.t.shape[i], r.t.strides[i]
    for i in range(core):
        if core == 2 and ((i == 0 and na == 1) or (i == 1 and nb == 1)):
            o.shape[nbatch + i], o.strides[nbatch + i] = 1, 0
        else:
            o.shape[nbatch + i], o.strides[nbatch + i] = r.t.shape[k], r.t.strides[k]
            k += 1
    o.t.ndim = nbatch + core
    return 0


cdef const Resolved* _loop_of(int op, ndarray a, ndarray b) except NULL:
    cdef int dtypes[2]
    dtypes[0], dtypes[1] = a.t.dtype, b.t.dtype
    return find_loop(op, 2, dtypes)


cdef ndarray matmul_of(ndarray a, ndarray b):
    return _product(XPU_OP_matmul, a, b, _loop_of(XPU_OP_matmul, a, b), None, c'K')


# --- the call with all its keywords ---

cdef ndarray _moved(ndarray x, object core_axes, int need, str name):
    """x with the named axes last."""
    cdef list front, last
    core_axes = (core_axes,) if not isinstance(core_axes, (tuple, list)) else tuple(core_axes)
    if len(core_axes) != need:
        raise ValueError(f'{name}: operand has {need} core dimensions, but {len(core_axes)} axes are given')
    last = [normalize_axis(i, x.t.ndim) for i in core_axes]
    if len(set(last)) != len(last):
        raise ValueError("repeated axis in 'axes'")
    front = [i for i in range(x.t.ndim) if i not in last]
    return transpose_view(x, front + last)


cdef list _axes_entries(int op, object axes, object axis, bint keepdims, const Core* c):
    name = _name(op)
    if axis is not None:
        if axes is not None:
            raise TypeError("cannot specify both 'axis' and 'axes'")
        if op != XPU_OP_vecdot:
            raise TypeError(f'{name}: axis can only be used with a single shared core dimension, not with the '
                            f'{3 if op == XPU_OP_matmul else 2} distinct ones implied by signature {c.signature.decode()}.')
        return [(axis,), (axis,), (axis,) if keepdims else ()]
    if not isinstance(axes, list):
        raise TypeError('axes should be a list.')
    entries = list(axes)
    if len(entries) == 2 and c.out == 0:
        entries.append(())
    if len(entries) != 3:
        raise ValueError('axes should be a list with an entry for all 3 inputs and outputs; entries for outputs can only be omitted if '
                         'none of them has core axes.')
    return entries


cdef _options(int op, tuple args, dict kwargs):
    """out, axes, axis, keepdims, order, dtype, casting of a call; TypeError for others."""
    known = ('out', 'axes', 'axis', 'keepdims', 'order', 'dtype', 'casting', 'subok', 'signature', 'sig')
    for key in kwargs:
        if key not in known:
            raise TypeError(f"{_name(op)}() got an unexpected keyword argument '{key}'")
    out = kwargs.get('out')
    if len(args) == 3:
        if out is not None:
            raise TypeError("cannot specify 'out' as both a positional and keyword argument")
        out = args[2]
    if isinstance(out, tuple):
        if len(out) != 1:
            raise ValueError("The 'out' tuple must have exactly one entry per ufunc output")
        out = out[0]
    if out is not None and not isinstance(out, ndarray):
        raise TypeError('return arrays must be of ArrayType')
    return out


cdef int _resolve(int op, ndarray a, ndarray b, dict kwargs, Resolved* r) except -1:
    """The loop by operands, or by dtype and signature; the casts must be allowed."""
    cdef int dtypes[2]
    cdef int i, wanted = -1
    cdef const Resolved* found
    cdef str casting = kwargs.get('casting', 'same_kind')
    signature = kwargs.get('signature', kwargs.get('sig'))
    dtype = kwargs.get('dtype')
    if signature is not None:
        parts = list(signature.replace('->', '')) if isinstance(signature, str) else list(signature)
        parts = [p for p in parts if p is not None]
        dtype = parts[len(parts) - 1] if parts else None
    if dtype is not None:
        wanted = dtype_number(dtype)
    dtypes[0] = a.t.dtype if wanted < 0 else wanted
    dtypes[1] = b.t.dtype if wanted < 0 else wanted
    found = find_loop(op, 2, dtypes)
    r[0] = found[0]
    for i in range(2):
        if not can_cast(b.t.dtype if i else a.t.dtype, r.types[i], casting):
            raise TypeError(f"Cannot cast ufunc '{_name(op)}' input {i} from {dtype_object(b.t.dtype if i else a.t.dtype)!r} to "
                            f"{dtype_object(r.types[i])!r} with casting rule {casting!r}")
    return 0


cpdef object gufunc_call(int op, tuple args, dict kwargs):
    cdef Core c = _core(op)
    cdef Resolved r
    cdef ndarray a, b, result, out
    cdef bint keepdims
    if not 2 <= len(args) <= 3:
        raise TypeError(f'{_name(op)}() takes from 2 to 3 positional arguments but {len(args)} were given')
    a, b = as_array(args[0]), as_array(args[1])
    if len(args) == 2 and not kwargs:
        return _product(op, a, b, _loop_of(op, a, b), None, c'K')
    out = _options(op, args, kwargs)
    _resolve(op, a, b, kwargs, &r)
    order = order_char(kwargs.get('order', 'K'), 'CFAK')
    axes, axis, keepdims = kwargs.get('axes'), kwargs.get('axis'), bool(kwargs.get('keepdims', False))
    if keepdims and op != XPU_OP_vecdot:
        raise TypeError(f'{_name(op)} does not support keepdims: its signature {c.signature.decode()} has outputs with core dimensions')
    if out is not None:
        require_writeable(out)
        if not can_cast(r.types[2], out.t.dtype, kwargs.get('casting', 'same_kind')):
            raise TypeError(f"Cannot cast ufunc '{_name(op)}' output from {dtype_object(r.types[2])!r} to {dtype_object(out.t.dtype)!r} "
                            f"with casting rule {kwargs.get('casting', 'same_kind')!r}")
    if axes is None and axis is None and not keepdims:
        return _into(op, a, b, &r, out, order)
    return _with_axes(op, a, b, &r, out, axes, axis, keepdims, order)


cdef ndarray _into(int op, ndarray a, ndarray b, const Resolved* r, ndarray out, char order):
    cdef ndarray result
    if out is None or out.t.dtype == r.types[2]:
        return _product(op, a, b, r, out, order)
    result = _product(op, a, b, r, None, order)
    _check_out(op, out, result.t.ndim, result.t.shape)
    copy_into(out, result)
    return out


cdef ndarray _with_axes(int op, ndarray a, ndarray b, const Resolved* r, ndarray out, object axes, object axis, bint keepdims, char order):
    cdef Core c = _core(op)
    cdef ndarray result
    entries = _axes_entries(op, axes if axes is not None or axis is not None else [(-1,), (-1,), (-1,)], axis, keepdims, &c)
    need = [c.a if a.t.ndim >= c.a else a.t.ndim, c.b if b.t.ndim >= c.b else b.t.ndim]
    a, b = _moved(a, entries[0], need[0], _name(op)), _moved(b, entries[1], need[1], _name(op))
    result = _product(op, a, b, r, None, order)
    place = entries[2] if isinstance(entries[2], (tuple, list)) else (entries[2],)
    if keepdims:
        import cupy
        result = cupy.expand_dims(result, place[0] if place else -1)
    elif c.out:
        core = c.out if op != XPU_OP_matmul else need[0] + need[1] - 2
        result = _moved_back(result, place, core, _name(op))
    if out is None:
        return result
    _check_out(op, out, result.t.ndim, result.t.shape)
    copy_into(out, result)
    return out


cdef ndarray _moved_back(ndarray x, object places, int core, str name):
    """The last axes of x go to the named places."""
    if len(places) != core:
        raise ValueError(f'{name}: the result has {core} core dimensions, but {len(places)} axes are given')
    targets = [normalize_axis(i, x.t.ndim) for i in places]
    if len(set(targets)) != len(targets):
        raise ValueError("repeated axis in 'axes'")
    order = list(range(x.t.ndim - core))
    for target, source in sorted(zip(targets, range(x.t.ndim - core, x.t.ndim))):
        order.insert(target, source)
    return transpose_view(x, order)


# --- operators of ndarray ---

cpdef object operator(ndarray a, object b, bint reflected):
    """a @ b, or b @ a."""
    cdef ndarray other
    if isinstance(b, ndarray):
        other = <ndarray>b
    elif isinstance(b, (list, tuple, numpy.ndarray)) or scalar_kind(b) >= 0:
        other = as_array(b)
    else:
        return NotImplemented
    return matmul_of(other, a) if reflected else matmul_of(a, other)


cpdef object inplace(ndarray a, object b):
    """a @= b."""
    cdef ndarray other
    if not isinstance(b, (ndarray, list, tuple, numpy.ndarray)):
        return NotImplemented
    other = as_array(b)
    if a.t.ndim < 1 or other.t.ndim < 2:
        raise ValueError('inplace matrix multiplication requires the first operand to have at least one and the second at least two '
                         'dimensions.')
    return gufunc_call(XPU_OP_matmul, (a, other), {'out': a})


# --- dot and relatives ---

cdef ndarray _reshaped(ndarray a, int64_t rows, int64_t columns):
    cdef int64_t shape[2]
    shape[0], shape[1] = rows, columns
    return reshape_to(a, 2, shape)


cdef ndarray _dot_result(ndarray a, ndarray b, str which):
    """Sum over a's last axis and b's last but one (dot) or last (inner)."""
    cdef int64_t shape[128]
    cdef int i, n = 0, axis = b.t.ndim - 1
    cdef int64_t k, columns = 1
    cdef ndarray r
    if which == 'dot' and b.t.ndim > 1:
        axis = b.t.ndim - 2
    k = a.t.shape[a.t.ndim - 1]
    if b.t.shape[axis] != k:
        raise ValueError(f'shapes {shape_text(&a.t)} and {shape_text(&b.t)} not aligned: {k} (dim {a.t.ndim - 1}) != '
                         f'{b.t.shape[axis]} (dim {axis})')
    if which == 'dot' and a.t.ndim <= 2 and b.t.ndim <= 2:
        return matmul_of(a, b)
    for i in range(a.t.ndim - 1):
        shape[n] = a.t.shape[i]
        n += 1
    for i in range(b.t.ndim):
        if i != axis:
            shape[n] = b.t.shape[i]
            columns *= b.t.shape[i]
            n += 1
    if n > XPU_MAX_NDIM:
        raise ValueError(f'maximum supported dimension for an ndarray is currently {XPU_MAX_NDIM}, found {n}')
    cdef int64_t rows = 1
    for i in range(a.t.ndim - 1):
        rows *= a.t.shape[i]
    others = [i for i in range(b.t.ndim) if i != axis]
    if axis == b.t.ndim - 1:
        r = transpose_view(_reshaped(b, columns, k), None)
    else:
        r = _reshaped(transpose_view(b, [axis] + others), k, columns)
    return mark_scalar(reshape_to(matmul_of(_reshaped(a, rows, k), r), n, shape))


cdef ndarray dot_of(ndarray a, ndarray b, object out):
    cdef ndarray result, target
    cdef int i
    if a.t.ndim == 0 or b.t.ndim == 0:
        result = call_ufunc(XPU_OP_multiply, (a, b))
    else:
        result = _dot_result(a, b, 'dot')
    if out is None:
        return result
    if not isinstance(out, ndarray):
        raise TypeError("'out' must be an array")
    target = <ndarray>out
    if target.t.dtype != result.t.dtype or shape_tuple(&target.t) != shape_tuple(&result.t) or not target.flags_ & C_CONTIGUOUS:
        raise ValueError('output array is not acceptable (must have the right datatype, number of dimensions, and be a C-Array)')
    require_writeable(target)
    copy_into(target, result)
    return target


def dot(a, b, out=None):
    """Dot product: of vectors, of matrices; in general the sum over a's last axis and b's last but one; of a scalar the product.

    Raises ValueError where the axes differ in length.
    """
    return dot_of(as_array(a), as_array(b), out)


def vdot(a, b, /):
    """Sum of the products of two arrays' elements in C order, the first one conjugated."""
    cdef ndarray x = as_array(a), y = as_array(b)
    cdef int64_t n = x.t.size, m = y.t.size
    if n != m:
        raise ValueError(f'cannot reshape array of size {m} into shape ({n},)')
    x, y = reshape_to(x, 1, &n), reshape_to(y, 1, &m)
    return _product(XPU_OP_vecdot, x, y, _loop_of(XPU_OP_vecdot, x, y), None, c'K')


def inner(a, b, /):
    """Sum of products over the last axes of both; of a scalar the product. ValueError where they differ in length."""
    cdef ndarray x = as_array(a), y = as_array(b)
    if x.t.ndim == 0 or y.t.ndim == 0:
        return call_ufunc(XPU_OP_multiply, (x, y))
    return _dot_result(x, y, 'inner')


def outer(a, b, out=None):
    """Products of each element of a with each of b, both flattened: shape (a.size, b.size)."""
    cdef ndarray x = as_array(a), y = as_array(b)
    return call_ufunc(XPU_OP_multiply, (_reshaped(x, x.t.size, 1), _reshaped(y, 1, y.t.size)), None if out is None else (out,))


cdef list _axis_list(object axes):
    try:
        return [int(i) for i in axes]
    except TypeError:
        return [int(axes)]


def tensordot(a, b, axes=2):
    """Sum of products over several axes of both.

    Args:
        axes: a number, the last axes of a with the first of b; or two sequences of axes.

    Raises ValueError where the shapes do not match over the axes.
    """
    cdef ndarray x = as_array(a), y = as_array(b)
    cdef int64_t rows = 1, columns = 1, k = 1
    cdef int i
    try:
        first, second = axes
    except TypeError:
        first, second = list(range(-axes, 0)), list(range(axes))
    first, second = _axis_list(first), _axis_list(second)
    if len(first) != len(second):
        raise ValueError('shape-mismatch for sum')
    for i in range(len(first)):
        if not -x.t.ndim <= first[i] < x.t.ndim or not -y.t.ndim <= second[i] < y.t.ndim:
            raise IndexError('tuple index out of range')
        first[i] %= x.t.ndim
        second[i] %= y.t.ndim
        if x.t.shape[first[i]] != y.t.shape[second[i]]:
            raise ValueError('shape-mismatch for sum')
    kept_x, kept_y = [i for i in range(x.t.ndim) if i not in first], [i for i in range(y.t.ndim) if i not in second]
    for i in first:
        k *= x.t.shape[i]
    for i in kept_x:
        rows *= x.t.shape[i]
    for i in kept_y:
        columns *= y.t.shape[i]
    shape = [x.t.shape[i] for i in kept_x] + [y.t.shape[i] for i in kept_y]
    x = _reshaped(transpose_view(x, kept_x + first), rows, k)
    y = _reshaped(transpose_view(y, second + kept_y), k, columns)
    return matmul_of(x, y).reshape(shape)


def kron(a, b):
    """Kronecker product: blocks of b, each times an element of a."""
    cdef ndarray x = as_array(a), y = as_array(b)
    cdef int n = x.t.ndim if x.t.ndim > y.t.ndim else y.t.ndim
    left = [1] * (n - x.t.ndim) + list(shape_tuple(&x.t))
    right = [1] * (n - y.t.ndim) + list(shape_tuple(&y.t))
    wide = []
    for i in range(n):
        wide += [left[i], 1]
    tall = []
    for i in range(n):
        tall += [1, right[i]]
    product = call_ufunc(XPU_OP_multiply, (x.reshape(wide), y.reshape(tall)))
    return product.reshape([left[i] * right[i] for i in range(n)])
