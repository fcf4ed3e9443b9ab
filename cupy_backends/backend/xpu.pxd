# Cython's view of xpu_backend.h and xpu_runtime.h.
from libc.stdint cimport int8_t, int32_t, int64_t, uint16_t, uint32_t, uint64_t

cdef extern from "xpu_runtime.h" nogil:
    enum: XPU_BOOL, XPU_INT8, XPU_UINT8, XPU_INT16, XPU_UINT16, XPU_INT32, XPU_UINT32, XPU_INT64, XPU_UINT64
    enum: XPU_FLOAT16, XPU_FLOAT32, XPU_FLOAT64, XPU_COMPLEX64, XPU_COMPLEX128, XPU_DTYPE_COUNT
    enum: XPU_ABI_VERSION, XPU_MAX_NDIM, XPU_MAX_ARGS
    enum: XPU_OK, XPU_NOT_SUPPORTED, XPU_OUT_OF_MEMORY, XPU_INVALID_ARGUMENT, XPU_INVALID_DEVICE, XPU_NOT_READY, XPU_INDEX_ERROR
    enum: XPU_NEGATIVE_POWER, XPU_DEVICE_ERROR, XPU_DEVICE_LOST, XPU_FORKED, XPU_NOT_FOUND, XPU_INTERNAL_ERROR, XPU_CODE_MASK
    enum: XPU_NOTE_FALLBACK, XPU_NOTE_SLOW
    enum: XPU_CALL, XPU_REDUCE, XPU_ACCUMULATE, XPU_REDUCEAT, XPU_AT
    enum: XPU_FLAG_CONTIGUOUS, XPU_FLAG_MASKED, XPU_FLAG_INITIAL
    enum: XPU_MODE_RAISE, XPU_MODE_WRAP, XPU_MODE_CLIP, XPU_SORT_ANY, XPU_SORT_STABLE
    enum: XPU_CAP_HOST_MEMORY, XPU_CAP_PEER, XPU_CAP_CASTS, XPU_CAP_FORK
    enum: XPU_KIND_ELEMENTWISE, XPU_KIND_GUFUNC, XPU_KIND_MOVE, XPU_KIND_INDEX, XPU_KIND_SORT, XPU_KIND_ARGREDUCE, XPU_KIND_DYNAMIC
    enum: XPU_HOST_TO_HOST, XPU_HOST_TO_DEVICE, XPU_DEVICE_TO_HOST, XPU_DEVICE_TO_DEVICE
    enum: XPU_EVENT_TIMING, XPU_EVENT_BLOCKING, XPU_STREAM_NON_BLOCKING
    enum: XPU_NO, XPU_SLOW, XPU_NATIVE

    ctypedef int32_t xpu_status
    ctypedef int xpu_support
    ctypedef void* xpu_stream
    ctypedef void* xpu_event

    ctypedef union xpu_value:
        int64_t i
        uint64_t u
        uint16_t h
        float f
        double d
        float cf[2]
        double cd[2]

    ctypedef struct xpu_scalar:
        xpu_value value
        int32_t dtype

    ctypedef struct xpu_storage:
        void* base
        size_t nbytes
        int32_t device
        int32_t refs
        xpu_stream stream

    ctypedef struct xpu_tensor:
        void* base
        int64_t offset
        int64_t nbytes
        int64_t size
        int64_t* shape
        int64_t* strides
        int32_t ndim
        int32_t dtype
        xpu_storage* storage
        xpu_value value

    ctypedef struct xpu_params:
        int64_t i[4]
        double f[2]
        const int64_t* axes
        const int64_t* list
        int32_t naxes
        int32_t nlist

    ctypedef struct xpu_call:
        uint32_t struct_size
        int32_t op
        int32_t method
        int32_t loop
        int32_t nin
        int32_t nout
        uint32_t flags
        int32_t device
        const xpu_tensor** in_ "in"
        const xpu_tensor** out
        const xpu_params* params
        xpu_stream stream
        int64_t result[4]

    ctypedef struct xpu_loop:
        int8_t types[8]

    ctypedef struct xpu_op_info:
        int32_t id
        int32_t kind
        const char* name
        int32_t nin
        int32_t nout
        const char* loops_text
        const char* identity
        const char* params
        const char* domain
        double ulp
        int32_t nloops
        const xpu_loop* loops

    ctypedef struct xpu_core_api:
        uint32_t abi_version
        uint32_t struct_size
        const xpu_op_info* ops
        int32_t nops
        xpu_status (*open)() noexcept nogil
        uint32_t (*caps)() noexcept nogil
        void (*current)(int32_t* device, xpu_stream* stream) noexcept nogil
        xpu_status (*set_device)(int32_t device) noexcept nogil
        void (*set_stream)(int32_t device, xpu_stream stream) noexcept nogil
        xpu_status (*alloc)(size_t nbytes, xpu_storage** out) noexcept nogil
        xpu_status (*wrap)(void* ptr, size_t nbytes, int32_t device, void (*free_fn)(void*) noexcept nogil, void* arg,
                           xpu_storage** out) noexcept nogil
        void (*retain)(xpu_storage* s) noexcept nogil
        void (*release)(xpu_storage* s) noexcept nogil
        void (*shrink)(xpu_storage* s, size_t nbytes) noexcept nogil
        xpu_status (*launch)(xpu_call* call) noexcept nogil
        xpu_support (*supports)(const xpu_call* call) noexcept nogil
        xpu_status (*read)(void* dst, const xpu_storage* src, int64_t offset, size_t nbytes) noexcept nogil
        xpu_status (*write)(xpu_storage* dst, int64_t offset, const void* src, size_t nbytes) noexcept nogil
        xpu_status (*synchronize)() noexcept nogil
        const char* (*last_error)() noexcept nogil
        int32_t (*last_op)() noexcept nogil

cdef extern from "xpu_ops.h" nogil:
    enum: XPU_OP_LIMIT
    enum: XPU_OP_add, XPU_OP_subtract, XPU_OP_multiply, XPU_OP_divide, XPU_OP_floor_divide, XPU_OP_remainder, XPU_OP_divmod
    enum: XPU_OP_power, XPU_OP_negative, XPU_OP_positive, XPU_OP_absolute, XPU_OP_sign, XPU_OP_square, XPU_OP_sqrt, XPU_OP_reciprocal
    enum: XPU_OP_equal, XPU_OP_not_equal, XPU_OP_less, XPU_OP_less_equal, XPU_OP_greater, XPU_OP_greater_equal
    enum: XPU_OP_logical_and, XPU_OP_logical_or, XPU_OP_logical_xor, XPU_OP_logical_not
    enum: XPU_OP_maximum, XPU_OP_minimum, XPU_OP_fmax, XPU_OP_fmin
    enum: XPU_OP_bitwise_and, XPU_OP_bitwise_or, XPU_OP_bitwise_xor, XPU_OP_invert, XPU_OP_left_shift, XPU_OP_right_shift
    enum: XPU_OP_isnan, XPU_OP_conjugate, XPU_OP_gcd, XPU_OP_lcm, XPU_OP_clip, XPU_OP_where
    enum: XPU_OP_real, XPU_OP_imag, XPU_OP_rint, XPU_OP_ldexp
    enum: XPU_OP_matmul, XPU_OP_vecdot, XPU_OP_matvec, XPU_OP_vecmat
    enum: XPU_OP_copy, XPU_OP_fill, XPU_OP_iota, XPU_OP_gather, XPU_OP_scatter, XPU_OP_mask_get, XPU_OP_mask_set, XPU_OP_nonzero
    enum: XPU_OP_count_nonzero, XPU_OP_sort, XPU_OP_argsort, XPU_OP_partition, XPU_OP_argpartition, XPU_OP_searchsorted
    enum: XPU_OP_argmax, XPU_OP_argmin
    enum: XPU_OP_fft, XPU_OP_rfft, XPU_OP_irfft
