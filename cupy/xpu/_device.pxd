from cupy_backends.backend.xpu cimport int32_t, xpu_status, xpu_stream
from cupy_backends.backend.xpu_manage cimport xpu_backend, xpu_manage_api

cdef const xpu_manage_api* manage

cdef const xpu_backend* backend() except NULL                        # opened if need be
cdef int check_call(xpu_status status, str what) except -1           # of a function of the runtime table
cdef int32_t current_device() except -1
cdef xpu_stream current_stream() except? <xpu_stream>1               # of the current device
cdef int use_device(int32_t device) except -1                        # and its current stream of this thread
cdef bint host_memory() noexcept
cdef int report_ignored(object error, object where) except -1
cdef xpu_stream handle_of(object stream) except? <xpu_stream>1     # a stream, a handle, or None for the current one
