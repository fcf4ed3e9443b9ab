"""The runtime table as plain functions of ints, for cupy.xpu.runtime."""
from cupy_backends.backend.xpu cimport XPU_CODE_MASK, XPU_NOT_READY, XPU_OUT_OF_MEMORY, xpu_event, xpu_status, xpu_stream
from cupy_backends.backend.xpu_manage cimport xpu_backend
from cupy.xpu._device cimport backend, check_call, current_device, handle_of, manage
from cupy._core._launch cimport api, check

from cupy._core._launch import OutOfMemoryError

cdef dict _sizes = {}      # of what malloc gave: address -> (bytes, device)


def malloc(size_t size):
    cdef const xpu_backend* b = backend()
    cdef void* p = NULL
    cdef int device = current_device()
    cdef xpu_status status
    with nogil:
        status = b.runtime.malloc(b.ctx, device, size, &p)
    if (status & XPU_CODE_MASK) == XPU_OUT_OF_MEMORY:
        raise OutOfMemoryError(f'Out of memory allocating {size} bytes from the device')
    check_call(status, 'allocating device memory')
    _sizes[<size_t>p] = size, device
    return <size_t>p


def free(size_t ptr):
    cdef const xpu_backend* b = backend()
    if ptr == 0:
        return
    size, device = _sizes.pop(ptr, (None, None))
    if size is None:
        raise ValueError(f'0x{ptr:x} was not given by malloc')
    check(manage.wait_device(device))
    check_call(b.runtime.free(b.ctx, device, <void*>ptr, size), 'freeing device memory')


def memcpy_async(size_t dst, size_t src, size_t size, int kind, stream):
    cdef const xpu_backend* b = backend()
    cdef xpu_stream s = handle_of(stream)
    cdef int device = current_device()
    cdef xpu_status status
    with nogil:
        status = b.runtime.memcpy_async(b.ctx, <void*>dst, <void*>src, size, kind, device, s)
    check_call(status, 'copying memory')


def memcpy_2d(size_t dst, size_t dpitch, size_t src, size_t spitch, size_t width, size_t height, int kind, stream):
    cdef const xpu_backend* b = backend()
    cdef xpu_stream s = handle_of(stream)
    cdef size_t i
    if b.runtime.memcpy_2d == NULL:
        for i in range(height):
            memcpy_async(dst + i * dpitch, src + i * spitch, width, kind, stream)
        return
    check_call(b.runtime.memcpy_2d(b.ctx, <void*>dst, dpitch, <void*>src, spitch, width, height, kind, current_device(), s),
               'copying memory')


def memcpy_peer(size_t dst, int dst_device, size_t src, int src_device, size_t size, stream):
    cdef const xpu_backend* b = backend()
    if b.runtime.memcpy_peer == NULL:
        raise NotImplementedError('this backend cannot copy between devices; copy through the host')
    check_call(b.runtime.memcpy_peer(b.ctx, <void*>dst, dst_device, <void*>src, src_device, size, handle_of(stream)),
               'copying between devices')


def memset_async(size_t ptr, int value, size_t size, stream):
    cdef const xpu_backend* b = backend()
    cdef xpu_stream s = handle_of(stream)
    cdef int device = current_device()
    cdef xpu_status status
    with nogil:
        status = b.runtime.memset_async(b.ctx, <void*>ptr, value & 0xff, size, device, s)
    check_call(status, 'setting memory')


def synchronize():
    check(api.synchronize())


def stream_create(unsigned int flags, int priority):
    cdef const xpu_backend* b = backend()
    cdef xpu_stream s
    check_call(b.runtime.stream_create(b.ctx, current_device(), flags, priority, &s), 'creating a stream')
    return <size_t>s


def stream_destroy(size_t stream):
    cdef const xpu_backend* b = backend()
    cdef int device = current_device()
    with nogil:
        b.runtime.stream_synchronize(b.ctx, device, <xpu_stream>stream)
        manage.stream_closed(device, <xpu_stream>stream)
    check_call(b.runtime.stream_destroy(b.ctx, device, <xpu_stream>stream), 'destroying a stream')


def event_create(unsigned int flags):
    cdef const xpu_backend* b = backend()
    cdef xpu_event e
    check_call(b.runtime.event_create(b.ctx, current_device(), flags, &e), 'creating an event')
    return <size_t>e


def event_destroy(size_t event):
    cdef const xpu_backend* b = backend()
    check_call(b.runtime.event_destroy(b.ctx, current_device(), <xpu_event>event), 'destroying an event')


def event_record(size_t event, stream):
    cdef const xpu_backend* b = backend()
    check_call(b.runtime.event_record(b.ctx, current_device(), <xpu_event>event, handle_of(stream)), 'recording an event')


def stream_wait_event(stream, size_t event):
    cdef const xpu_backend* b = backend()
    check_call(b.runtime.stream_wait_event(b.ctx, current_device(), handle_of(stream), <xpu_event>event), 'waiting for an event')


def event_query(size_t event):
    cdef const xpu_backend* b = backend()
    cdef xpu_status status = b.runtime.event_query(b.ctx, current_device(), <xpu_event>event)
    if status == XPU_NOT_READY:
        return False
    check_call(status, 'asking for an event')
    return True


def event_synchronize(size_t event):
    cdef const xpu_backend* b = backend()
    cdef xpu_status status
    cdef int device = current_device()
    with nogil:
        status = b.runtime.event_synchronize(b.ctx, device, <xpu_event>event)
    check_call(status, 'waiting for an event')


def event_elapsed(size_t start, size_t end):
    cdef const xpu_backend* b = backend()
    cdef float ms
    check_call(b.runtime.event_elapsed(b.ctx, <xpu_event>start, <xpu_event>end, &ms), 'reading the time between events')
    return ms


def backend_info():
    """Name and version of the backend in use."""
    cdef const xpu_backend* b = backend()
    return (<bytes>b.name).decode(), (<bytes>b.version).decode() if b.version != NULL else ''


# --- counters and policies ---

def count(int kind, int op, int method, int loop):
    return manage.count(kind, op, method, loop)


def reset_counts():
    manage.reset_counts()


def get_policy():
    return manage.get_policy()


def set_policy(int policy):
    manage.set_policy(policy)


def set_deferred(bint on):
    return bool(manage.set_deferred(on))
