from cupy_backends.backend.xpu cimport xpu_call, xpu_core_api, xpu_status, xpu_tensor, xpu_params, int64_t

cdef const xpu_core_api* api

# Raises the exception of a status; notes (fallback, slow) warn.
cdef int check(xpu_status status) except -1
# One launch on the current device and stream. `work` is the number of elements touched: large launches release the GIL.
cdef int launch(xpu_call* call, int64_t work) except -1
# Fills the fields of a call that has one output and no mask.
cdef int run(int op, int method, int loop, const xpu_tensor** ins, int nin, const xpu_tensor* out, const xpu_params* params,
             int64_t work) except -1
