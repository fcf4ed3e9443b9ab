"""ufuncs: the loop for the operands' dtypes, broadcasting, outputs; then one launch."""
from cupy._core._dtype cimport *
from cupy._core._launch cimport api, launch
from cupy._core._loops cimport NO_LOOP, Resolved, find_loop, input_fits, lookup, match_loop, operand_dtype, strong
from cupy._core._scalar cimport integer_fits, scalar_kind, scalar_tensor
from cupy._core.core cimport (
    ALIGNED, C_CONTIGUOUS, F_CONTIGUOUS, SCALAR, WRITEABLE, as_array, broadcast_shape, broadcast_strides, copy_into, copy_of, fill_value,
    may_overlap, ndarray, new_array, new_like, new_permuted, order_char, reshape_to, same_view, shape_text)
from cupy_backends.backend.xpu cimport *

import numpy

try:
    from numpy._core import _exceptions as _errors
except ImportError:  # NumPy 1.26
    from numpy.core import _exceptions as _errors

# What one call needs of each operand: the tensor as broadcast, with its strides beside it.
ctypedef struct Frame:
    xpu_tensor t[8]            # XPU_MAX_ARGS
    const xpu_tensor* p[8]
    int64_t strides[8][64]     # XPU_MAX_NDIM
    int64_t shape[64]
    int ndim
    int64_t size


cdef bint _is_comparison(int op) noexcept:
    return XPU_OP_equal <= op <= XPU_OP_greater_equal


# --- one launch ---

cdef int _launch(int op, const Resolved* r, int nin, int nout, const xpu_tensor** ins, const xpu_tensor** outs, unsigned flags,
                 int64_t work) except -1:
    cdef xpu_call call
    call.op = op
    call.method = XPU_CALL
    call.loop = r.loop - 1
    call.nin = nin
    call.nout = nout
    call.flags = flags
    call.in_ = ins
    call.out = outs
    call.params = NULL
    return launch(&call, work)


cdef inline bint _plain(ndarray a, int dtype) noexcept:
    return a.t.dtype == dtype and (a.flags_ & (C_CONTIGUOUS | ALIGNED)) == (C_CONTIGUOUS | ALIGNED)


cdef inline bint _same_shape(ndarray a, ndarray b) noexcept:
    cdef int i
    if a.t.ndim != b.t.ndim:
        return False
    for i in range(a.t.ndim):
        if a.t.shape[i] != b.t.shape[i]:
            return False
    return True


cdef _compare_out_of_range(int op, ndarray a, object value, bint reflected):
    """A Python integer beyond an integer dtype is larger or smaller than all its values."""
    cdef bint above = value > 0
    if op == XPU_OP_equal or op == XPU_OP_not_equal:
        result = op == XPU_OP_not_equal
    elif op == XPU_OP_less or op == XPU_OP_less_equal:
        result = above != reflected
    else:
        result = above == reflected
    cdef ndarray out = new_like(a, XPU_BOOL, c'K')
    fill_value(out, result)
    if out.t.ndim == 0:
        out.flags_ |= SCALAR
    return out


cdef object _other_operand(int op, ndarray a, object b, bint reflected):
    """Operands that are no arrays or scalars: sequences are converted, None and strings only compare unequal."""
    if op == XPU_OP_multiply and a.flags_ & SCALAR and isinstance(b, (list, tuple)):
        return NotImplemented  # NumPy's scalars repeat sequences
    if isinstance(b, (list, tuple, range)) or isinstance(b, numpy.ndarray):
        return call_ufunc(op, (b, a) if reflected else (a, b))
    if (op == XPU_OP_equal or op == XPU_OP_not_equal) and (b is None or isinstance(b, (str, bytes))):
        out = new_like(a, XPU_BOOL, c'K')
        fill_value(out, op == XPU_OP_not_equal)
        return out
    return NotImplemented


cdef object binary(int op, ndarray a, object b, bint reflected):
    cdef int kb
    cdef const Resolved* r
    cdef xpu_tensor scalar
    cdef const xpu_tensor* ins[2]
    cdef const xpu_tensor* outp
    cdef ndarray y = None, out
    cdef bint plain
    if isinstance(b, ndarray):
        y = <ndarray>b
        kb = y.t.dtype
    else:
        kb = scalar_kind(b)
        if kb < 0:
            return _other_operand(op, a, b, reflected)
    r = lookup(op, kb, a.t.dtype) if reflected else lookup(op, a.t.dtype, kb)
    if r.loop == NO_LOOP or op == XPU_OP_divmod:
        return call_ufunc(op, (b, a) if reflected else (a, b))
    plain = _plain(a, r.types[1 if reflected else 0])
    if y is not None:
        if not (plain and _plain(y, r.types[0 if reflected else 1]) and _same_shape(a, y)):
            return _general(op, r, 2, (b, a) if reflected else (a, b), None, None, c'K')
        ins[0], ins[1] = &a.t, &y.t
    else:
        if kb == WEAK_INT and _is_comparison(op) and KIND_BOOL < kind_of[a.t.dtype] <= KIND_SIGNED and not integer_fits(b, a.t.dtype):
            return _compare_out_of_range(op, a, b, reflected)
        if not plain:
            return _general(op, r, 2, (b, a) if reflected else (a, b), None, None, c'K')
        scalar_tensor(b, r.types[0 if reflected else 1], &scalar)
        ins[0], ins[1] = &a.t, &scalar
    if reflected:
        ins[0], ins[1] = ins[1], ins[0]
    out = new_array(r.types[2], a.t.ndim, a.t.shape)
    if a.t.ndim == 0:
        out.flags_ |= SCALAR
    outp = &out.t
    if a.t.size:
        _launch(op, r, 2, 1, ins, &outp, XPU_FLAG_CONTIGUOUS, a.t.size)
    return out


cdef object unary(int op, ndarray a):
    cdef const Resolved* r = lookup(op, a.t.dtype, 0)
    cdef const xpu_tensor* p = &a.t
    cdef const xpu_tensor* outp
    cdef ndarray out
    if r.loop == NO_LOOP or not _plain(a, r.types[0]) or api.ops[op].nout != 1:
        return call_ufunc(op, (a,))
    out = new_array(r.types[1], a.t.ndim, a.t.shape)
    if a.t.ndim == 0:
        out.flags_ |= SCALAR
    outp = &out.t
    if a.t.size:
        _launch(op, r, 1, 1, &p, &outp, XPU_FLAG_CONTIGUOUS, a.t.size)
    return out


cdef int _power_op(ndarray a, object b, bint reflected):
    """The cheaper op that NumPy's ** takes for a few Python exponents, or power."""
    cdef int kind = kind_of[a.t.dtype]
    if reflected or (type(b) is not int and type(b) is not float):
        return XPU_OP_power
    if kind >= KIND_FLOAT:
        if b == 2:
            return XPU_OP_square
        if b == 1:
            return XPU_OP_positive
        if b == -1:
            return XPU_OP_reciprocal
        if b == 0.5:
            return XPU_OP_sqrt
    elif type(b) is int and b == 2:
        return XPU_OP_square  # of bools: int8
    return XPU_OP_power


cdef object power_operator(ndarray a, object b, object modulo, bint reflected):
    cdef int op
    if modulo is not None:
        return NotImplemented
    op = _power_op(a, b, reflected)
    return binary(op, a, b, reflected) if op == XPU_OP_power else unary(op, a)


cdef ndarray _into(int op, int nin, tuple args, object out):
    """A call with an output where all is contiguous, of one shape and of the loop's dtypes; None for other calls."""
    cdef int kinds[2]
    cdef int i, scalars = 0
    cdef const Resolved* r
    cdef xpu_tensor scalar
    cdef const xpu_tensor* ins[2]
    cdef const xpu_tensor* outp
    cdef ndarray a, o
    if type(out) is tuple and len(<tuple>out) == 1:
        out = (<tuple>out)[0]
    if not isinstance(out, ndarray):
        return None
    o = <ndarray>out
    kinds[1] = 0
    for i in range(nin):
        x = args[i]
        if isinstance(x, ndarray):
            kinds[i] = (<ndarray>x).t.dtype
        else:
            kinds[i] = scalar_kind(x)
            scalars += 1
            if kinds[i] < 0 or scalars == nin:
                return None
    r = lookup(op, kinds[0], kinds[1])
    if r.loop == NO_LOOP or not (o.flags_ & WRITEABLE) or not _plain(o, r.types[nin]):
        return None
    for i in range(nin):
        x = args[i]
        if isinstance(x, ndarray):
            a = <ndarray>x
            if not _plain(a, r.types[i]) or not _same_shape(a, o) or (a is not o and may_overlap(a, o) and not same_view(a, o)):
                return None
            ins[i] = &a.t
        else:
            if r.types[i] == XPU_BOOL or (kinds[i] == WEAK_INT and kind_of[r.types[i]] <= KIND_SIGNED and not integer_fits(x, r.types[i])):
                return None  # the general case knows more
            scalar_tensor(x, r.types[i], &scalar)
            ins[i] = &scalar
    outp = &o.t
    if o.t.size:
        _launch(op, r, nin, 1, ins, &outp, XPU_FLAG_CONTIGUOUS, o.t.size)
    return o


cdef object inplace(int op, ndarray a, object b):
    cdef int short_op
    if a.flags_ & SCALAR:
        return power_operator(a, b, None, False) if op == XPU_OP_power else binary(op, a, b, False)
    if op == XPU_OP_power:
        short_op = _power_op(a, b, False)
        if short_op != op:
            return call_ufunc(short_op, (a,), (a,))
    if not isinstance(b, (ndarray, list, tuple, range, numpy.ndarray)) and scalar_kind(b) < 0:
        return NotImplemented
    operands = (a, b)
    r = _into(op, 2, operands, a)
    return call_ufunc(op, operands, (a,)) if r is None else r


# --- the general case ---

cdef bint _stretch(Frame* f, ndarray a) noexcept:
    """Widens the common shape by that of one more array; False if they do not fit."""
    cdef int k, d = a.t.ndim - f.ndim
    cdef int64_t n
    if d > 0:
        for k in range(a.t.ndim - 1, -1, -1):
            f.shape[k] = f.shape[k - d] if k >= d else 1
        f.ndim = a.t.ndim
        d = 0
    for k in range(a.t.ndim):
        n = a.t.shape[k]
        if n != 1:
            if f.shape[k - d] == 1:
                f.shape[k - d] = n
            elif f.shape[k - d] != n:
                return False
    return True


cdef int _broadcast(Frame* f, tuple operands, list outs, ndarray mask) except -1:
    """The common shape of inputs, mask and given outputs; an output itself is never stretched."""
    cdef int k
    cdef bint fits = True
    cdef ndarray a
    f.ndim = 0
    for x in operands:
        if isinstance(x, ndarray):
            fits = _stretch(f, <ndarray>x) and fits
    if mask is not None:
        fits = _stretch(f, mask) and fits
    if outs is not None:
        for x in outs:
            if x is not None:
                fits = _stretch(f, <ndarray>x) and fits
    if not fits:  # raises
        broadcast_shape([x for x in list(operands) + [mask] + (outs or []) if isinstance(x, ndarray)], f.shape, &f.ndim)
    f.size = 1
    for k in range(f.ndim):
        f.size *= f.shape[k]
    if outs is None:
        return 0
    for x in outs:
        if x is None:
            continue
        a = <ndarray>x
        fits = a.t.ndim == f.ndim
        for k in range(f.ndim if fits else 0):
            fits = fits and a.t.shape[k] == f.shape[k]
        if not fits:
            full = str(tuple([f.shape[k] for k in range(f.ndim)])).replace(' ', '')
            raise ValueError(f"non-broadcastable output operand with shape {shape_text(&a.t)} doesn't match the broadcast shape {full}")
    return 0


cdef int _order_axes(Frame* f, int n, int* perm) noexcept:
    """Axes from slowest to fastest as the inputs lie in memory: NumPy's order 'K' over several operands."""
    cdef int i, j, k, o, ndim = f.ndim
    cdef int64_t s, p
    cdef int decision   # 1: the moved axis is slower, -1: faster, 0: no operand tells
    for i in range(ndim):
        j = i
        k = i
        while j > 0:
            decision = 0
            for o in range(n):
                s, p = f.strides[o][k], f.strides[o][perm[j - 1]]
                s, p = (s if s >= 0 else -s), (p if p >= 0 else -p)
                if s and p:
                    if s <= p:
                        decision = -1
                        break
                    if decision == 0:
                        decision = 1
            if decision != 1:
                break
            perm[j] = perm[j - 1]
            j -= 1
        perm[j] = k
    return 0


cdef ndarray _new_output(Frame* f, int n, int dtype, char order, tuple operands):
    cdef int perm[XPU_MAX_NDIM]
    cdef ndarray a
    cdef bint all_c = True, all_f = True
    for x in operands:
        if isinstance(x, ndarray):
            a = <ndarray>x
            if a.t.ndim:
                all_c = all_c and a.t.ndim == f.ndim and a.flags_ & C_CONTIGUOUS != 0
                all_f = all_f and a.flags_ & F_CONTIGUOUS != 0
    if order == c'A':
        order = c'F' if all_f and not all_c else c'C'
    if order == c'C' or f.ndim < 2 or (order == c'K' and all_c):
        return new_array(dtype, f.ndim, f.shape)
    if order == c'F':
        return new_array(dtype, f.ndim, f.shape, True)
    _order_axes(f, n, perm)
    return new_permuted(dtype, f.ndim, f.shape, perm)


cdef int _put_operand(Frame* f, int i, ndarray a) except -1:
    f.t[i] = a.t
    f.p[i] = &f.t[i]
    broadcast_strides(&a.t, f.ndim, f.shape, f.strides[i])
    f.t[i].ndim = f.ndim
    f.t[i].shape = f.shape
    f.t[i].strides = f.strides[i]
    f.t[i].size = f.size
    return 0


cdef int _put_scalar(Frame* f, int i, object x, int dtype) except -1:
    cdef int k
    if dtype == XPU_BOOL and type(x) is int and not integer_fits(x, XPU_INT64):
        raise OverflowError('Python int too large to convert to C long')
    scalar_tensor(x, dtype, &f.t[i])
    f.p[i] = &f.t[i]
    for k in range(f.ndim):
        f.strides[i][k] = 0
    f.t[i].ndim, f.t[i].shape, f.t[i].strides = f.ndim, f.shape, f.strides[i]
    f.t[i].size = f.size
    return 0


cdef object _general(int op, const Resolved* r, int nin, tuple operands, list outs, ndarray mask, char order):
    """Broadcasts, makes outputs, resolves overlap and launches. outs: arrays or None."""
    cdef Frame f
    cdef int nout = api.ops[op].nout, i, n = nin
    cdef ndarray a, o
    cdef const xpu_tensor* outp[8]
    cdef unsigned flags = 0
    cdef Resolved loop = r[0]  # r may be the shared scratch
    cdef list results, targets
    _broadcast(&f, operands, outs, mask)
    for i in range(nin):
        x = operands[i]
        if not isinstance(x, ndarray):
            _put_scalar(&f, i, x, loop.types[i])
            continue
        a = <ndarray>x
        if outs is not None:
            for o in outs:
                if o is not None and may_overlap(o, a) and not same_view(o, a):
                    a = copy_of(a, c'K')
                    operands = operands[:i] + (a,) + operands[i + 1:]
                    break
        _put_operand(&f, i, a)
    if outs is None and mask is None and nout == 1:
        o = _new_output(&f, nin, loop.types[nin], order, operands)
        outp[0] = &o.t
        if f.size:
            _launch(op, &loop, nin, 1, f.p, outp, 0, f.size)
        if f.ndim == 0:
            o.flags_ |= SCALAR
        return o
    results = [None] * nout if outs is None else list(outs)
    if mask is not None:
        for o in results:
            if o is not None and may_overlap(o, mask):
                mask = copy_of(mask, c'K')
                break
        _put_operand(&f, nin, mask)
        n = nin + 1
        flags |= XPU_FLAG_MASKED
    targets = []
    for i in range(nout):
        o = results[i]
        if o is None:
            o = results[i] = _new_output(&f, n, loop.types[nin + i], order, operands)
        elif i and results[0] is not None and may_overlap(o, <ndarray>results[0]):
            o = copy_of(o, c'K')
        targets.append(o)
        outp[i] = &o.t
    if f.size:
        _launch(op, &loop, n, nout, f.p, outp, flags, f.size)
    for i in range(nout):
        if targets[i] is not results[i]:
            copy_into(<ndarray>results[i], <ndarray>targets[i])
    for i in range(nout):
        if f.ndim == 0 and (outs is None or outs[i] is None):
            (<ndarray>results[i]).flags_ |= SCALAR
    return results[0] if nout == 1 else tuple(results)


cdef list _check_outs(int op, object out):
    cdef int nout = api.ops[op].nout
    cdef bint given = False
    if not isinstance(out, tuple):
        if nout != 1:
            raise TypeError("'out' must be a tuple of arrays")
        out = (out,)
    if len(out) != nout:
        raise ValueError("The 'out' tuple must have exactly one entry per ufunc output")
    for o in out:
        if o is None:
            continue
        if not isinstance(o, ndarray):
            raise TypeError('return arrays must be of ArrayType' + (' (a numpy.ndarray cannot hold the result of cupy: use cupy.empty_like)'
                                                                     if isinstance(o, numpy.ndarray) else ''))
        if not (<ndarray>o).flags_ & WRITEABLE:
            raise ValueError('output array is read-only')
        given = True
    return list(out) if given else None


cdef object _mask_of(object where):
    cdef ndarray mask
    if where is None or where is True or where is numpy.True_:
        return None
    mask = as_array(where)
    if mask.t.dtype != XPU_BOOL:
        raise TypeError(f"Cannot cast array data from {mask.dtype!r} to dtype('bool') according to the rule 'safe'")
    return mask


cdef object call_ufunc(int op, tuple operands, object out=None, object where=None, object dtype=None, object casting='same_kind',
                       object order='K', object signature=None):
    cdef int nin = len(operands), nout = api.ops[op].nout, i, kind
    cdef int dtypes[8]
    cdef list outs = None if out is None else _check_outs(op, out)
    cdef const Resolved* r
    cdef Resolved wanted
    cdef ndarray o
    for i in range(nin):
        x = operands[i]
        if not isinstance(x, ndarray):
            kind = scalar_kind(x)
            if kind < 0 or nin == 1:
                x = as_array(x)
                operands = operands[:i] + (x,) + operands[i + 1:]
        dtypes[i] = (<ndarray>x).t.dtype if isinstance(x, ndarray) else kind
    if nin == 2 and _is_comparison(op):
        for i in range(2):
            if dtypes[i] == WEAK_INT and dtypes[1 - i] < WEAK_INT and kind_of[dtypes[1 - i]] in (KIND_SIGNED, KIND_UNSIGNED) and not (
                    integer_fits(operands[i], dtypes[1 - i])):
                o = _compare_out_of_range(op, as_array(operands[1 - i]), operands[i], i == 0)
                return o if outs is None and where is None else call_ufunc(XPU_OP_bitwise_or, (o, o), out, where, None, casting, order)
    if casting != 'same_kind':
        can_cast(XPU_INT8, XPU_BOOL, casting)  # an unknown rule is an error, also where no cast is made
    if dtype is not None or signature is not None:
        match_loop(op, nin, dtypes, dtype, signature, casting, &wanted)
        r = &wanted
    else:
        r = find_loop(op, nin, dtypes)
    for i in range(nin if casting != 'same_kind' or r == &wanted else 0):
        if not input_fits(dtypes[i], r.types[i], casting) and not (
                XPU_OP_logical_and <= op <= XPU_OP_logical_xor and r.types[i] == XPU_BOOL):
            raise _errors._UFuncInputCastingError(_Named(op), casting, operand_dtype(dtypes[i]), dtype_object(r.types[i]), i)
    if outs is not None:
        for i in range(nout):
            o = outs[i]
            if o is not None and o.t.dtype != r.types[nin + i] and not can_cast(r.types[nin + i], o.t.dtype, casting):
                raise _errors._UFuncOutputCastingError(_Named(op), casting, dtype_object(r.types[nin + i]), o.dtype, i)
    return _general(op, r, nin, operands, outs, _mask_of(where), order_char(order, 'CFAK'))


class _Named:
    """What NumPy's casting errors want to know of a ufunc."""

    def __init__(self, int op):
        self.__name__, self.nin, self.nout = api.ops[op].name.decode(), api.ops[op].nin, api.ops[op].nout


# --- the objects ---

cdef object _matmul = None, _reduction = None
cdef dict _objects = {}


def bind(reduction, matmul):
    """Names the modules that serve ufunc methods and generalized ufuncs."""
    global _reduction, _matmul
    _reduction, _matmul = reduction, matmul


def _rebuild(name):
    return ufuncs[name]


cdef class ufunc:
    """A function applied element by element, with broadcasting.

    Called as f(x1, ..., out=None, where=True, casting='same_kind', order='K', dtype=None, subok=True, signature=None).

    Args:
        x1, ...: arrays, Python or NumPy scalars, nested sequences; they are broadcast against each other.
        out: an array of the broadcast shape, or a tuple with one entry (array or None) per output.
        where: boolean array; where it is false, out keeps its value (a new output is not set there).
        casting: which casts are allowed ('no', 'equiv', 'safe', 'same_kind', 'unsafe').
        order: memory order of new outputs ('K' as the inputs, 'C', 'F', 'A').
        dtype, signature: the type loop to use instead of the one that the operands' dtypes choose.

    Returns:
        An array (a tuple of arrays for several outputs). For 0-d operands a 0-d array that stands for NumPy's scalar.

    Raises:
        TypeError: no loop for the dtypes, a forbidden cast, a numpy.ndarray operand (use cupy.asarray).
        ValueError: shapes that do not broadcast, a read-only out.
        OverflowError: a Python integer that does not fit the array's dtype.
    """

    def __init__(self, int op):
        self.info = &api.ops[op]
        if not 0 <= op < api.nops or self.info.name == NULL:
            raise ValueError(f'no such op: {op}')
        self.op = op
        self.nin = self.info.nin
        self.nout = self.info.nout
        self.__name__ = self.info.name.decode()
        arguments = ', '.join(['x'] if self.nin == 1 else [f'x{i + 1}' for i in range(self.nin)])
        self.__doc__ = f'{self.__name__}({arguments}, /, out=None, *, where=True, casting="same_kind", order="K", dtype=None, ' \
                       f'subok=True, signature=None)\n\nThe ufunc {self.__name__}, element by element, as numpy.{self.__name__}.'

    def __call__(self, *args, **kwargs):
        cdef Py_ssize_t n = len(args)
        out = args[n - 1] if n == self.nin + 1 and not kwargs else kwargs.get('out') if n == self.nin and len(kwargs) == 1 else None
        if out is not None and self.nout == 1 and self.nin <= 2 and self.info.kind == XPU_KIND_ELEMENTWISE:
            r = _into(self.op, self.nin, args, out)
            if r is not None:
                return r
        elif not kwargs and n == self.nin and self.info.kind == XPU_KIND_ELEMENTWISE:
            a = args[0]
            if n == 1:
                if isinstance(a, ndarray):
                    return unary(self.op, <ndarray>a)
            elif n == 2 and self.nout == 1:
                b = args[1]
                if isinstance(a, ndarray):
                    r = binary(self.op, <ndarray>a, b, False)
                    if r is not NotImplemented:
                        return r
                elif isinstance(b, ndarray):
                    r = binary(self.op, <ndarray>b, a, True)
                    if r is not NotImplemented:
                        return r
        if self.info.kind == XPU_KIND_GUFUNC:
            return _matmul.gufunc_call(self.op, args, kwargs)
        return self._call(args, **kwargs)

    def _call(self, tuple args, out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True, signature=None, sig=None):
        if len(args) > self.nin:
            if out is not None:
                raise TypeError("cannot specify 'out' as both a positional and keyword argument")
            if len(args) > self.nin + self.nout:
                raise TypeError(f'{self.__name__}() takes from {self.nin} to {self.nin + self.nout} positional arguments but {len(args)} '
                                'were given')
            out = args[self.nin:] + (None,) * (self.nin + self.nout - len(args))
            args = args[:self.nin]
        if len(args) < self.nin:
            raise TypeError(f'{self.__name__}() takes from {self.nin} to {self.nin + self.nout} positional arguments but {len(args)} were '
                            'given')
        if signature is not None and sig is not None or (dtype is not None and (signature is not None or sig is not None)):
            raise TypeError("cannot specify both 'signature' and 'dtype'")
        return call_ufunc(self.op, args, out, where, dtype, casting, order, signature if signature is not None else sig)

    def __repr__(self):
        return f"<ufunc '{self.__name__}'>"

    def __reduce__(self):
        return _rebuild, (self.__name__,)

    @property
    def __module__(self):
        return 'cupy'

    @property
    def __qualname__(self):
        return self.__name__

    @property
    def nargs(self):
        return self.nin + self.nout

    @property
    def types(self):
        """The type loops, as '->' strings of type characters."""
        return self.info.loops_text.decode().split()

    @property
    def ntypes(self):
        return self.info.nloops

    @property
    def identity(self):
        """The value with which a reduction of nothing ends, or None."""
        return {'0': 0, '1': 1, '-1': -1, 'True': True, 'False': False, '-inf': float('-inf')}.get(self.info.identity.decode())

    @property
    def signature(self):
        """The core dimensions of a generalized ufunc, else None."""
        return {'matmul': '(n?,k),(k,m?)->(n?,m?)', 'vecdot': '(n),(n)->()', 'matvec': '(m,n),(n)->(m)',
                'vecmat': '(n),(n,m)->(m)'}.get(self.__name__)

    def _binary_only(self, method):
        if self.info.kind == XPU_KIND_GUFUNC:
            raise RuntimeError(f'Reduction not defined on ufunc with signature' if method != 'outer' else
                               'method outer is not allowed in ufunc with non-trivial signature')
        if self.nin != 2:
            raise ValueError('outer product only supported for binary functions' if method == 'outer' else
                             f'{method} only supported for binary functions')
        if self.nout != 1 and method != 'outer':
            raise ValueError(f'{method} only supported for functions returning a single value')

    def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False, initial=numpy._NoValue, where=True):
        """Reduces along axes by applying the ufunc between elements. See numpy.ufunc.reduce for the arguments."""
        self._binary_only('reduce')
        return _reduction.reduce_ufunc(self.op, array, axis, dtype, out, keepdims, initial, where)

    def accumulate(self, array, axis=0, dtype=None, out=None):
        """The running result along an axis."""
        self._binary_only('accumulate')
        return _reduction.accumulate_ufunc(self.op, array, axis, dtype, out)

    def reduceat(self, array, indices, axis=0, dtype=None, out=None):
        """Reduces the slices array[indices[i]:indices[i+1]] of an axis."""
        self._binary_only('reduceat')
        return _reduction.reduceat_ufunc(self.op, array, indices, axis, dtype, out)

    def outer(self, *operands, **kwargs):
        """outer(A, B): the ufunc on all pairs of an element of A and one of B: shape A.shape + B.shape."""
        cdef int64_t dims[XPU_MAX_NDIM]
        cdef ndarray a, b
        cdef int i
        self._binary_only('outer')
        if len(operands) != 2:
            raise TypeError(f'outer() takes exactly 2 positional arguments ({len(operands)} given)')
        a, b = as_array(operands[0]), as_array(operands[1])
        if a.t.ndim + b.t.ndim > XPU_MAX_NDIM:
            raise ValueError(f'maximum supported dimension for an ndarray is currently {XPU_MAX_NDIM}, found {a.t.ndim + b.t.ndim}')
        for i in range(a.t.ndim):
            dims[i] = a.t.shape[i]
        for i in range(a.t.ndim, a.t.ndim + b.t.ndim):
            dims[i] = 1
        return self(reshape_to(a, a.t.ndim + b.t.ndim, dims), b, **kwargs)

    def at(self, a, indices, *b):
        """Applies the ufunc in place at the indexed elements, once for each time that an index occurs."""
        from cupy._core import _at
        if self.info.kind == XPU_KIND_GUFUNC or self.nout != 1:
            raise ValueError('Only single output ufuncs supported at this time')
        if len(b) != self.nin - 1:
            raise ValueError('second operand needed for ufunc' if self.nin == 2 else 'second operand provided when ufunc is unary')
        _at.at(self, a, indices, b)

    def resolve_dtypes(self, dtypes, *, signature=None, casting=None, reduction=False):
        """The dtypes of the loop that operands of the given dtypes take (None for outputs; int, float, complex for Python scalars)."""
        cdef int kinds[8]
        cdef int i
        cdef const Resolved* r
        weak = {int: WEAK_INT, float: WEAK_FLOAT, complex: WEAK_COMPLEX}
        for i in range(self.nin):
            kinds[i] = weak[dtypes[i]] if type(dtypes[i]) is type and dtypes[i] in weak else dtype_number(dtypes[i])
        r = find_loop(self.op, self.nin, kinds)
        return tuple([dtype_object(r.types[i]) for i in range(self.nin + self.nout)])


cdef object _objects_by_op = {}
_ALIASES = {
    'abs': 'absolute', 'acos': 'arccos', 'acosh': 'arccosh', 'asin': 'arcsin', 'asinh': 'arcsinh', 'atan': 'arctan', 'atan2': 'arctan2',
    'atanh': 'arctanh', 'bitwise_invert': 'invert', 'bitwise_left_shift': 'left_shift', 'bitwise_not': 'invert',
    'bitwise_right_shift': 'right_shift', 'conj': 'conjugate', 'mod': 'remainder', 'pow': 'power', 'true_divide': 'divide'}
_INTERNAL = ('clip', 'where', 'real', 'imag')


def _make_all():
    found = {}
    for i in range(api.nops):
        if api.ops[i].name != NULL and api.ops[i].kind in (XPU_KIND_ELEMENTWISE, XPU_KIND_GUFUNC):
            name = api.ops[i].name.decode()
            found[name] = ufunc(i)
    return found


operations = _make_all()
"""All ufunc objects by op name, also those that are no ufunc of NumPy's public namespace."""
ufuncs = {name: u for name, u in operations.items() if name not in _INTERNAL}
ufuncs.update({alias: ufuncs[name] for alias, name in _ALIASES.items()})
"""The public ufuncs by name, aliases included."""


def call(str name, *operands, **kwargs):
    """Calls an op by its name in the op table, with a ufunc's arguments."""
    return operations[name]._call(operands, **kwargs)
