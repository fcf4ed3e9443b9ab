# Op ids by name (OP_add, ...), from the op table.
cdef extern from *:
    """
    #ifndef CUPY_OP_IDS
    #define CUPY_OP_IDS
    enum {
    #define XPU_OP(id, name, kind, nin, nout, loops, identity, params, domain, ulp) OP_##name = id,
    #include "xpu_ops.def"
    #undef XPU_OP
    };
    #endif
    """
    enum: OP_add, OP_subtract, OP_multiply, OP_divide, OP_sqrt, OP_square, OP_absolute, OP_conjugate, OP_power, OP_negative
    enum: OP_logical_and, OP_logical_or, OP_logical_xor, OP_logical_not, OP_maximum, OP_minimum, OP_fmax, OP_fmin
    enum: OP_bitwise_and, OP_bitwise_or, OP_bitwise_xor, OP_isnan, OP_equal, OP_not_equal, OP_less, OP_greater
    enum: OP_matmul, OP_vecdot, OP_matvec, OP_vecmat, OP_copy, OP_fill, OP_iota, OP_where
    enum: OP_count_nonzero, OP_sort, OP_argsort, OP_partition, OP_argpartition, OP_searchsorted, OP_argmax, OP_argmin
