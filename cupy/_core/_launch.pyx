"""The way from Cython to the C interface: one place where launches are made and statuses become exceptions."""
import warnings

from cpython.exc cimport PyErr_Occurred
from cpython.pycapsule cimport PyCapsule_Import
from cupy_backends.backend.xpu cimport *

import cupy_backends.backend._runtime

cdef const xpu_core_api* api = <const xpu_core_api*>PyCapsule_Import('cupy_backends.backend._runtime._C_API', 0)
cdef enum:
    NOGIL_WORK = 1 << 14


class XPUError(RuntimeError):
    """An error of the device, its runtime or its driver.

    Attributes: status (int), the code of xpu_status.
    """
    status = 0


class OutOfMemoryError(MemoryError):
    """The device has not as much memory left as was asked for, or the pool's limit is reached."""


class FallbackWarning(RuntimeWarning):
    """An operation ran on the host, or on a slow engine, though its arrays are on a device."""


cdef str _text():
    return (<bytes>api.last_error()).decode('utf-8', 'replace')


cdef int check(xpu_status status) except -1:
    cdef int code = status & XPU_CODE_MASK
    if status == XPU_OK:
        return 0
    if code == XPU_OK:
        warnings.warn(_text(), FallbackWarning, stacklevel=1)
        return 0
    if PyErr_Occurred() != NULL:  # an allocator or a hook of the user's raised it
        return -1
    text = _text()
    if code == XPU_OUT_OF_MEMORY:
        raise OutOfMemoryError(text or 'out of memory')
    if code == XPU_INDEX_ERROR:  # of a deferred check
        raise IndexError(text)
    if code == XPU_NEGATIVE_POWER:
        raise ValueError('Integers to negative integer powers are not allowed.')
    if code == XPU_INVALID_ARGUMENT:
        raise ValueError(text)
    if code == XPU_NOT_SUPPORTED:
        raise NotImplementedError(text or 'the operation is not supported by this backend')
    error = XPUError(text or f'status {code}')
    error.status = code
    raise error


cdef _index_error(xpu_call* call):
    return IndexError(f'index {call.result[0]} is out of bounds for axis {call.result[1]} with size {call.result[2]}')


cdef int launch(xpu_call* call, int64_t work) except -1:
    cdef xpu_status status
    call.struct_size = sizeof(xpu_call)
    api.current(&call.device, &call.stream)
    if work >= NOGIL_WORK:
        with nogil:
            status = api.launch(call)
    else:
        status = api.launch(call)
    if status != XPU_OK:
        if (status & XPU_CODE_MASK) == XPU_INDEX_ERROR:
            raise _index_error(call)
        check(status)
    return 0


cdef int run(int op, int method, int loop, const xpu_tensor** ins, int nin, const xpu_tensor* out, const xpu_params* params,
             int64_t work) except -1:
    cdef xpu_call call
    call.op = op
    call.method = method
    call.loop = loop
    call.nin = nin
    call.nout = 1
    call.flags = 0
    call.in_ = ins
    call.out = &out
    call.params = params
    return launch(&call, work)
