"""Which type loop of an op serves operands of given dtypes, as NumPy 2 chooses (NEP 50)."""
from libc.stdlib cimport calloc
from cupy._core._dtype cimport *
from cupy._core._launch cimport api
from cupy_backends.backend.xpu cimport *

ctypedef struct Cache:
    Resolved pairs[19][19]     # DTYPE_SLOTS; one operand: [dtype][0]

cdef enum:
    UNKNOWN = 0

cdef Cache* _caches[2][160]    # XPU_OP_LIMIT; the second of single precision


# --- choosing a loop ---

cdef int strong(int dtype) noexcept:
    if dtype == WEAK_INT:
        return XPU_INT64
    if dtype == WEAK_FLOAT:
        return XPU_FLOAT64
    return XPU_COMPLEX128 if dtype == WEAK_COMPLEX else dtype


cdef int _first_safe(const xpu_op_info* info, int nin, const int* dtypes) noexcept:
    cdef int i, k
    for i in range(info.nloops):
        for k in range(nin):
            if not can_cast_safely(dtypes[k], info.loops[i].types[k]):
                break
        else:
            return i
    return -1


cdef int _choose(int op, int nin, const int* dtypes) noexcept:
    """NumPy's rule: the first loop to which all inputs cast safely. Python scalars take the other operands' dtype where that has a loop."""
    cdef const xpu_op_info* info = &api.ops[op]
    cdef int types[8]
    cdef int i, loop, common = -1
    cdef bint weak = False
    if op == XPU_OP_subtract and dtypes[0] == XPU_BOOL and dtypes[1] == XPU_BOOL:
        return -1
    if (op == XPU_OP_negative or op == XPU_OP_positive or op == XPU_OP_sign) and dtypes[0] == XPU_BOOL:
        return -1
    if (op == XPU_OP_gcd or op == XPU_OP_lcm) and dtypes[0] == XPU_BOOL and dtypes[1] == XPU_BOOL:
        return -1
    if XPU_OP_logical_and <= op <= XPU_OP_logical_xor and dtypes[0] != dtypes[1]:
        types[0] = types[1] = XPU_BOOL  # mixed operands are compared with zero one by one
        return _first_safe(info, nin, types)
    for i in range(nin):
        if dtypes[i] < WEAK_INT:
            common = dtypes[i] if common < 0 else promote(common, dtypes[i])
        else:
            weak = True
    for i in range(nin):
        types[i] = dtypes[i]
        if dtypes[i] >= WEAK_INT:
            types[i] = strong(dtypes[i]) if common < 0 else promote(common, dtypes[i])
            if op == XPU_OP_ldexp and dtypes[i] == WEAK_INT and common > XPU_BOOL:
                types[i] = XPU_INT8  # its operands have no common type: the smallest loop will do
    if op == XPU_OP_divide and kind_of[types[0]] <= KIND_SIGNED and kind_of[types[1]] <= KIND_SIGNED:
        types[0] = types[1] = XPU_FLOAT64  # integers divide as float64, also the small ones
    loop = _first_safe(info, nin, types)
    if loop < 0 and weak:
        for i in range(nin):
            types[i] = strong(dtypes[i])
        loop = _first_safe(info, nin, types)
    return loop


cdef int _single(int op, int nin, const int* dtypes, int loop) except -2:
    """In float64_mode('float32'): the same loop in single precision, unless an operand is of double precision itself."""
    cdef const xpu_op_info* info = &api.ops[op]
    cdef int i, k, n = nin + info.nout, t
    cdef bint fits
    for k in range(nin):
        if dtypes[k] == XPU_FLOAT64 or dtypes[k] == XPU_COMPLEX128:
            return loop
    for i in range(info.nloops):
        fits = True
        for k in range(n):
            t = info.loops[loop].types[k]
            t = XPU_FLOAT32 if t == XPU_FLOAT64 else (XPU_COMPLEX64 if t == XPU_COMPLEX128 else t)
            fits = fits and info.loops[i].types[k] == t
        if fits:
            return i
    return loop


cdef const Resolved* _fill(Resolved* r, int op, int nin, const int* dtypes) except NULL:
    cdef int loop = _choose(op, nin, dtypes)
    if loop >= 0 and single_precision():
        loop = _single(op, nin, dtypes, loop)
    if loop < 0:
        r.loop = NO_LOOP
    else:
        _take_loop(&api.ops[op], loop, r)
    return r


cdef const Resolved* lookup(int op, int a, int b) except NULL:
    cdef Resolved* r
    cdef int dtypes[2]
    cdef int single = single_precision()
    if _caches[single][op] == NULL:
        _caches[single][op] = <Cache*>calloc(1, sizeof(Cache))
    r = &_caches[single][op].pairs[a][b]
    if r.loop == UNKNOWN:
        dtypes[0], dtypes[1] = a, b
        return _fill(r, op, api.ops[op].nin, dtypes)
    return r


cdef Resolved _scratch


cdef const Resolved* find_loop(int op, int nin, const int* dtypes) except NULL:
    cdef const Resolved* r
    if nin == 2:
        r = lookup(op, dtypes[0], dtypes[1])
    elif nin == 1:
        r = lookup(op, dtypes[0], 0)
    else:
        r = _fill(&_scratch, op, nin, dtypes)
    if r.loop == NO_LOOP:
        raise no_loop(op, nin, dtypes)
    return r


cdef operand_dtype(int d):
    return dtype_object(strong(d))


cdef no_loop(int op, int nin, const int* dtypes):
    if op == XPU_OP_subtract and dtypes[0] == XPU_BOOL and dtypes[1] == XPU_BOOL:
        return TypeError('numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` operator, '
                         'or the logical_xor function instead.')
    if op == XPU_OP_negative and dtypes[0] == XPU_BOOL:
        return TypeError('The numpy boolean negative, the `-` operator, is not supported, use the `~` operator or the logical_not '
                         'function instead.')
    name = api.ops[op].name.decode()
    given = ', '.join([str(operand_dtype(dtypes[i])) for i in range(nin)])
    return TypeError(f"ufunc '{name}' not supported for the input types, and the inputs could not be safely coerced to any supported "
                     f"types according to the casting rule ''safe'' (operands: {given})")


cdef list _signature_types(const xpu_op_info* info, object dtype, object signature):
    """The types that a dtype or signature argument fixes, None for the others."""
    cdef int nin = info.nin, nout = info.nout
    if signature is None:
        return [None] * nin + [dtype] * nout
    name = info.name.decode()
    if isinstance(signature, tuple):
        if len(signature) == 1:
            return [None] * nin + list(signature) * nout
        if len(signature) != nin + nout:
            raise ValueError(f'a type-tuple must be specified of length {nin + nout} for ufunc {name!r}')
        return list(signature)
    if isinstance(signature, str) and '->' in signature:
        left, right = signature.replace(' ', '').split('->', 1)
        if len(left) != nin or len(right) != nout:
            raise ValueError(f'a type-string for {name}, {nin} typecode(s) before and {nout} after the -> sign')
        return list(left + right)
    if isinstance(signature, str) and len(signature) != 1:
        raise ValueError(f"a type-string for {name} must name all its types, such as {info.loops_text.decode().split()[0]!r}")
    return [None] * nin + [signature] * nout


cdef bint input_fits(int dtype, int loop_type, str casting) except -1:
    if dtype >= WEAK_INT and casting != 'equiv':  # a Python integer is at home in unsigned dtypes too
        if kind_of[strong(dtype)] <= kind_of[loop_type] or (dtype == WEAK_INT and kind_of[loop_type] == KIND_UNSIGNED):
            return True
    return can_cast(strong(dtype), loop_type, casting)


cdef int _take_loop(const xpu_op_info* info, int loop, Resolved* r) noexcept:
    cdef int k
    for k in range(8):
        r.types[k] = info.loops[loop].types[k]
    r.loop = loop + 1
    return 0


cdef int match_loop(int op, int nin, const int* dtypes, object dtype, object signature, str casting, Resolved* r) except -1:
    """The loop that a dtype or signature argument asks for: the first to which the inputs can be cast, else the first."""
    cdef const xpu_op_info* info = &api.ops[op]
    cdef int i, k, n = nin + info.nout, found = -1
    cdef int wanted[8]
    cdef list types = _signature_types(info, dtype, signature)
    cdef bint fits, inputs_free = True
    for k in range(n):
        wanted[k] = -1 if types[k] is None else dtype_number(types[k])
        inputs_free = inputs_free and (k >= nin or wanted[k] < 0)
    i = _choose(op, nin, dtypes) if inputs_free else -1
    if i >= 0:  # the loop of the operands' own dtypes, when its outputs are what is asked for
        fits = True
        for k in range(nin, n):
            fits = fits and (wanted[k] < 0 or wanted[k] == info.loops[i].types[k])
        if fits:
            return _take_loop(info, i, r)
    for i in range(info.nloops):
        fits = True
        for k in range(n):
            fits = fits and (wanted[k] < 0 or wanted[k] == info.loops[i].types[k])
        if not fits:
            continue
        if found < 0:
            found = i
        for k in range(nin):
            fits = fits and input_fits(dtypes[k], info.loops[i].types[k], casting)
        if fits:
            found = i
            break
    if found < 0:
        raise TypeError(f'No loop matching the specified signature and casting was found for ufunc {info.name.decode()}')
    return _take_loop(info, found, r)
