from cupy_backends.backend.xpu cimport int8_t, int32_t, xpu_op_info

# A loop chosen for operand dtypes: 1 + its index in the op's row (0: not looked for yet, NO_LOOP: there is none), and its types.
ctypedef struct Resolved:
    int32_t loop
    int8_t types[8]

cdef enum:
    NO_LOOP = -1

# Operand dtypes may be WEAK_*. lookup: ops of one (b = 0) or two operands, cached; check for NO_LOOP.
cdef const Resolved* lookup(int op, int a, int b) except NULL
cdef const Resolved* find_loop(int op, int nin, const int* dtypes) except NULL      # TypeError as NumPy when there is none
cdef int match_loop(int op, int nin, const int* dtypes, object dtype, object signature, str casting, Resolved* r) except -1
cdef bint input_fits(int dtype, int loop_type, str casting) except -1
cdef int strong(int dtype) noexcept              # the dtype of a Python scalar on its own
cdef object operand_dtype(int dtype)
