"""Launches of Fourier transforms, for backends that have them."""
from libc.string cimport memset
from cupy._core._launch cimport api, run
from cupy._core.core cimport ndarray, new_array
from cupy_backends.backend.xpu cimport *


def transform(ndarray a, int64_t n, bint forward, double scale, bint real_in, bint real_out):
    """Transforms along the last axis, in single precision.

    Args:
        a: complex64, or float32 for real_in, with n elements on the last axis, or n // 2 + 1 for real_out.
        n: the length of the transform.
        forward: the sign of the exponent is negative.
        scale: the factor of the sums.
        real_in, real_out: one of them, or neither.

    Returns:
        A new array; NotImplemented where the backend does not do it.
    """
    cdef int64_t shape[64]
    cdef xpu_params params
    cdef const xpu_tensor* source = &a.t
    cdef const xpu_tensor* target
    cdef xpu_call call
    cdef int i, op = XPU_OP_rfft if real_in else XPU_OP_irfft if real_out else XPU_OP_fft
    for i in range(a.t.ndim):
        shape[i] = a.t.shape[i]
    shape[a.t.ndim - 1] = n // 2 + 1 if real_in else n
    cdef ndarray out = new_array(XPU_FLOAT32 if real_out else XPU_COMPLEX64, a.t.ndim, shape)
    target = &out.t
    memset(&params, 0, sizeof(params))
    params.i[0] = n
    params.i[1] = forward
    params.f[0] = scale
    memset(&call, 0, sizeof(call))
    call.struct_size = sizeof(call)
    call.op = op
    call.method = XPU_CALL
    call.nin = call.nout = 1
    call.in_ = &source
    call.out = &target
    call.params = &params
    if api.supports(&call) == XPU_NO:
        return NotImplemented
    try:
        run(op, XPU_CALL, 0, &source, 1, &out.t, &params, a.t.size)
    except NotImplementedError:  # found only by making the plan
        return NotImplemented
    return out
