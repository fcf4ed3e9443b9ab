"""Devices, streams and events of the backend in use."""
import sys
import threading
import time
import types

from cpython.exc cimport PyErr_CheckSignals
from cpython.pycapsule cimport PyCapsule_Import
from cpython.ref cimport Py_DECREF, Py_INCREF
from cupy._core._launch cimport api, check
from cupy_backends.backend.xpu cimport (XPU_CAP_HOST_MEMORY, XPU_CAP_PEER, XPU_CODE_MASK, XPU_EVENT_BLOCKING, XPU_EVENT_TIMING,
                                        XPU_NOT_READY, XPU_OK,
                                        XPU_STREAM_NON_BLOCKING, int64_t, xpu_core_api, xpu_event)
from cupy_backends.backend.xpu_manage cimport xpu_device_props, xpu_full_api

from cupy._core._launch import XPUError

cdef const xpu_manage_api* manage = <const xpu_manage_api*>PyCapsule_Import('cupy_backends.backend._runtime._MANAGE_API', 0)


# --- below the classes ---

cdef const xpu_backend* backend() except NULL:
    check(api.open())
    return (<const xpu_full_api*>api).backend()


cdef bint host_memory() noexcept:
    return api.caps() & XPU_CAP_HOST_MEMORY


cdef int check_call(xpu_status status, str what) except -1:
    cdef int code = status & XPU_CODE_MASK
    if code == XPU_OK:
        return 0
    cdef const xpu_backend* b = backend()
    text = (<bytes>b.runtime.last_error(b.ctx)).decode('utf-8', 'replace')
    error = XPUError(f'{what}: {text}' if text else f'{what}: {(<bytes>manage.error_text(status)).decode()}')
    error.status = code
    raise error


cdef int32_t current_device() except -1:
    cdef int32_t device
    cdef xpu_stream stream
    api.current(&device, &stream)
    return device


cdef xpu_stream current_stream() except? <xpu_stream>1:
    cdef int32_t device
    cdef xpu_stream stream
    api.current(&device, &stream)
    return stream


class _Current(threading.local):
    """Stream objects of this thread by device: they live at least as long as they are current."""

    def __init__(self):
        self.streams = {}


_current = _Current()


cdef int use_device(int32_t device) except -1:
    if device == current_device():
        return 0
    check(api.set_device(device))
    stream = _current.streams.get(device)
    if stream is not None:
        api.set_stream(device, (<_BaseStream>stream).handle)
    return 0


# Waits are cut into pieces, so that Ctrl-C works.
cdef int wait_stream(int32_t device, xpu_stream stream) except -1:
    cdef const xpu_backend* b = backend()
    cdef xpu_status status = b.runtime.stream_query(b.ctx, device, stream)
    pause = 20e-6
    while status == XPU_NOT_READY:
        PyErr_CheckSignals()
        time.sleep(pause)
        pause = min(2 * pause, 1e-3)
        status = b.runtime.stream_query(b.ctx, device, stream)
    with nogil:
        status = b.runtime.stream_synchronize(b.ctx, device, stream)
    return check_call(status, 'synchronizing a stream')


# --- devices ---

def device_count():
    """Number of devices of the backend in use."""
    backend()
    return manage.device_count()


cdef class Device:
    """A device: a context in which arrays are made and work is done.

    Device(device=None)

    Args:
        device: its number, another Device, or None for the current one.

    Raises:
        XPUError: no such device (when it is first used).
    """
    cdef readonly int id
    cdef list _before

    def __init__(self, device=None):
        if device is None:
            check(api.open())
            self.id = current_device()
        else:
            self.id = int(device)

    def __int__(self):
        return self.id

    def __index__(self):
        return self.id

    def __enter__(self):
        if self._before is None:
            self._before = []
        before = current_device()
        use_device(self._known().id)
        self._before.append(before)
        return self

    def __exit__(self, *args):
        use_device(self._before.pop())

    def __repr__(self):
        return f'<Device {self.id}>'

    def __eq__(self, other):
        if isinstance(other, str):
            return host_memory() and other == 'cpu'
        return (<Device>other).id == self.id if isinstance(other, Device) else NotImplemented

    def __lt__(self, other):
        return self.id < (<Device>other).id if isinstance(other, Device) else NotImplemented

    def __hash__(self):
        return hash('cpu') if host_memory() else self.id

    cdef Device _known(self):
        """Raises if there is no such device."""
        check(api.open())
        if not 0 <= self.id < manage.device_count():
            check(api.set_device(self.id))
        return self

    cdef const xpu_device_props* _props(self) except NULL:
        self._known()
        return manage.device_props(self.id)

    def use(self):
        """Makes this the current device of the thread."""
        use_device(self._known().id)
        return self

    def synchronize(self):
        """Waits until all work of the device is done. Errors of deferred checks are raised here."""
        cdef const xpu_backend* b
        cdef xpu_status status
        if host_memory():
            check(api.synchronize())
            return
        self._known()
        check(api.synchronize())
        b = backend()
        with nogil:
            status = b.runtime.device_synchronize(b.ctx, self.id)
        check_call(status, 'synchronizing the device')

    @property
    def name(self):
        """The product's name."""
        return (<bytes>self._props().name).decode('utf-8', 'replace')

    @property
    def architecture(self):
        """SoC or CPU architecture."""
        return (<bytes>self._props().arch).decode('utf-8', 'replace')

    @property
    def mem_info(self):
        """(free, total) bytes of the device's memory."""
        cdef int64_t free_bytes, total_bytes
        cdef const xpu_backend* b = backend()
        self._known()
        check_call(b.runtime.mem_info(b.ctx, self.id, &free_bytes, &total_bytes), 'asking for the memory of the device')
        return free_bytes, total_bytes

    @property
    def attributes(self):
        """Properties of the device by name; all are ints."""
        cdef const xpu_device_props* p = self._props()
        return {'MultiProcessorCount': p.compute_units, 'TotalGlobalMem': p.total_memory, 'TextureAlignment': p.alignment,
                'Padding': p.padding,
                'MaxDimensions': p.max_ndim, 'NativeDtypes': p.dtypes, 'Capabilities': p.caps, 'WarpSize': 1,
                'HostMemory': int(bool(p.caps & XPU_CAP_HOST_MEMORY)), 'CanAccessPeer': int(bool(p.caps & XPU_CAP_PEER))}

    @property
    def compute_capability(self):
        """'0': these devices have no CUDA compute capability; see `architecture`."""
        self._known()
        return '0'

    @property
    def pci_bus_id(self):
        raise NotImplementedError('the PCI bus id of a device is not known here; name devices by number')

    @staticmethod
    def from_pci_bus_id(pci_bus_id):
        raise NotImplementedError('devices are named by number: Device(0)')

    def __getattr__(self, name):
        if name.endswith('_handle'):
            raise NotImplementedError(f'Device.{name}: there is no such library here; cupy.linalg, cupy.fft and the operators do its work')
        raise AttributeError(f"'Device' object has no attribute '{name}'")


class _HostDevice(str):
    """The device of arrays in host memory: 'cpu', as NumPy says, with the members of Device."""

    def __getattr__(self, name):
        return getattr(Device(0), name)

    def __enter__(self):
        return Device(0).__enter__()

    def __exit__(self, *args):
        return None

    def __int__(self):
        return 0

    def __reduce__(self):
        return _HostDevice, (str(self),)


cdef object _cpu = _HostDevice('cpu')


def _device_of(number):
    return _cpu if host_memory() else Device(number)


def _check_device(device):
    """The number of a device that an argument `device=` names. Raises ValueError if arrays cannot be made there."""
    if device is None:
        return current_device()
    if isinstance(device, str):
        if device == 'cpu' and (check(api.open()) or host_memory()):
            return 0
        raise ValueError(f'Device not understood. Only "cpu" on the host backend, or a Device, is allowed, but received: {device}')
    if not isinstance(device, (Device, int)):
        raise TypeError(f'device must be a cupy.cuda.Device, an int or "cpu", not {type(device).__name__}')
    number = int(device)
    check(api.open())
    if not 0 <= number < manage.device_count():
        raise ValueError(f'there is no device {number}')
    if number != current_device():
        raise ValueError(f'arrays are made on the current device: use `with cupy.cuda.Device({number}):`')
    return number


def get_device_id():
    """Number of the current device."""
    check(api.open())
    return current_device()


def get_compute_capability():
    """Of the current device."""
    return Device().compute_capability


# --- events ---

cdef class Event:
    """A point in a stream's work.

    Event(block=False, disable_timing=False, interprocess=False)

    Args:
        block: synchronize() sleeps instead of spinning.
        disable_timing: the event is not for get_elapsed_time.
        interprocess: not supported.
    """
    cdef xpu_event handle
    cdef int device
    cdef readonly bint _timing

    def __init__(self, block=False, disable_timing=False, interprocess=False):
        if interprocess:
            raise NotImplementedError('events are not shared between processes here')
        cdef const xpu_backend* b = backend()
        self.device = current_device()
        self._timing = not disable_timing
        flags = (XPU_EVENT_BLOCKING if block else 0) | (0 if disable_timing else XPU_EVENT_TIMING)
        check_call(b.runtime.event_create(b.ctx, self.device, flags, &self.handle), 'creating an event')

    def __dealloc__(self):
        cdef const xpu_backend* b = (<const xpu_full_api*>api).backend()
        if self.handle != NULL and b != NULL:
            b.runtime.event_destroy(b.ctx, self.device, self.handle)

    @property
    def ptr(self):
        return <size_t>self.handle

    @property
    def done(self):
        """Whether the work before the event is done."""
        cdef const xpu_backend* b = backend()
        cdef xpu_status status = b.runtime.event_query(b.ctx, self.device, self.handle)
        if status == XPU_NOT_READY:
            return False
        check_call(status, 'asking for an event')
        return True

    def record(self, stream=None):
        """Puts the event into a stream (default: the current one), after the work that is there."""
        cdef const xpu_backend* b = backend()
        cdef _BaseStream s = _stream_of(stream)
        check_call(b.runtime.event_record(b.ctx, s.device_id, self.handle, s.handle), 'recording an event')

    def synchronize(self):
        """Waits until the work before the event is done."""
        cdef const xpu_backend* b = backend()
        cdef xpu_status status
        pause = 20e-6
        while b.runtime.event_query(b.ctx, self.device, self.handle) == XPU_NOT_READY:
            PyErr_CheckSignals()
            time.sleep(pause)
            pause = min(2 * pause, 1e-3)
        with nogil:
            status = b.runtime.event_synchronize(b.ctx, self.device, self.handle)
        check_call(status, 'waiting for an event')


def get_elapsed_time(start_event, end_event):
    """Milliseconds between two recorded events, a float."""
    cdef Event start = start_event, end = end_event
    cdef float milliseconds
    if not (start._timing and end._timing):
        raise ValueError('an event made with disable_timing=True has no time')
    cdef const xpu_backend* b = backend()
    check_call(b.runtime.event_elapsed(b.ctx, start.handle, end.handle, &milliseconds), 'reading the time between events')
    return milliseconds


# --- streams ---

cdef int report_ignored(object error, object where) except -1:
    """For errors in callbacks, where no caller can take them."""
    sys.unraisablehook(types.SimpleNamespace(exc_type=type(error), exc_value=error, exc_traceback=error.__traceback__, object=where,
                                             err_msg='Exception ignored in'))
    return 0


cdef void _run_callback(void* arg) noexcept with gil:
    function = <object>arg
    Py_DECREF(function)
    try:
        function()
    except BaseException as e:
        report_ignored(e, function)


cdef class _BaseStream:
    """What Stream and ExternalStream share: an ordered queue of work on a device."""
    cdef xpu_stream handle
    cdef bint owned
    cdef readonly int device_id
    cdef int flags
    cdef int level
    cdef list _before

    cdef int _create(self, bint non_blocking, int priority) except -1:
        cdef const xpu_backend* b = backend()
        self.device_id = current_device()
        self.flags = XPU_STREAM_NON_BLOCKING if non_blocking else 0
        self.level = priority
        check_call(b.runtime.stream_create(b.ctx, self.device_id, self.flags, priority, &self.handle), 'creating a stream')
        self.owned = True
        return 0

    def __dealloc__(self):
        cdef const xpu_backend* b = (<const xpu_full_api*>api).backend()
        cdef int device = self.device_id
        cdef xpu_stream stream = self.handle
        if not self.owned or b == NULL:
            return
        with nogil:
            b.runtime.stream_synchronize(b.ctx, device, stream)
            manage.stream_closed(device, stream)
            b.runtime.stream_destroy(b.ctx, device, stream)

    @property
    def ptr(self):
        """The handle as an int; 0 for the default stream."""
        return <size_t>self.handle

    def __eq__(self, other):
        if not isinstance(other, _BaseStream):
            return NotImplemented
        return (<_BaseStream>other).handle == self.handle and (self.handle == NULL or (<_BaseStream>other).device_id == self.device_id)

    def __hash__(self):
        return hash(<size_t>self.handle)

    def __repr__(self):
        return f'<{type(self).__name__} {<size_t>self.handle} (device {self.device_id})>'

    cdef int _make_current(self, object keep) except -1:
        if self.handle != NULL and self.device_id != current_device():
            raise RuntimeError(f'a stream of device {self.device_id} cannot be used while device {current_device()} is current')
        device = current_device()
        if keep is None:
            _current.streams.pop(device, None)
        else:
            _current.streams[device] = keep
        api.set_stream(device, self.handle)
        return 0

    def __enter__(self):
        check(api.open())
        before = get_current_stream()
        self._make_current(self)
        if self._before is None:
            self._before = []
        self._before.append(before)
        return self

    def __exit__(self, *args):
        before = self._before.pop()
        (<_BaseStream>before)._make_current(before)

    def use(self):
        """Makes this the current stream of the thread."""
        check(api.open())
        self._make_current(self)
        return self

    @property
    def done(self):
        """Whether all work of the stream is done."""
        cdef const xpu_backend* b = backend()
        cdef xpu_status status = b.runtime.stream_query(b.ctx, self._device(), self.handle)
        if status == XPU_NOT_READY:
            return False
        check_call(status, 'asking for a stream')
        return True

    cdef int _device(self) except -1:
        return current_device() if self.handle == NULL else self.device_id

    def synchronize(self):
        """Waits until all work of the stream is done. Errors of deferred checks are raised here."""
        check(api.open())
        if not host_memory():
            wait_stream(self._device(), self.handle)
        check(api.synchronize())

    def record(self, event=None):
        """Records an event (default: a new one) and returns it."""
        if event is None:
            event = Event(disable_timing=True)
        event.record(self)
        return event

    def wait_event(self, event):
        """Later work of the stream starts when the event has passed."""
        cdef const xpu_backend* b = backend()
        check_call(b.runtime.stream_wait_event(b.ctx, self._device(), self.handle, (<Event?>event).handle), 'waiting for an event')

    def launch_host_func(self, callback, arg):
        """Calls callback(arg) on the host when the work before it is done. The callback must not use the device."""
        self._call_later(lambda: callback(arg))

    def add_callback(self, callback, arg):
        """Calls callback(stream, status, arg) on the host when the work before it is done; status is 0."""
        self._call_later(lambda: callback(self, 0, arg))

    cdef int _call_later(self, object function) except -1:
        cdef const xpu_backend* b = backend()
        cdef xpu_status status
        cdef void* arg = <void*>function
        cdef int device = self._device()
        if b.runtime.stream_host_func == NULL:
            self.synchronize()
            function()
            return 0
        Py_INCREF(function)
        with nogil:
            status = b.runtime.stream_host_func(b.ctx, device, self.handle, _run_callback, arg)
        if (status & XPU_CODE_MASK) != XPU_OK:
            Py_DECREF(function)
        return check_call(status, 'adding a host function')

    @property
    def is_non_blocking(self):
        return bool(self.flags & XPU_STREAM_NON_BLOCKING)

    @property
    def priority(self):
        return self.level

    def begin_capture(self, mode=None):
        raise NotImplementedError('graphs of captured work do not exist here; work is queued without waiting as it is')

    def end_capture(self):
        self.begin_capture()

    def is_capturing(self):
        """False: nothing is ever captured."""
        return False


class Stream(_BaseStream):
    """A stream of work on the current device. Stream.null is the default stream of whichever device is current.

    Stream(null=False, non_blocking=False, ptds=False, priority=None)

    Args:
        null: the default stream instead of a new one.
        non_blocking: no implicit order with the default stream.
        ptds: the default stream; there is no other one per thread here.
        priority: int, lower is more urgent; None: the default.
    """

    def __init__(self, null=False, non_blocking=False, ptds=False, priority=None):
        if null and ptds:
            raise ValueError('null and ptds exclude each other')
        if null or ptds:
            (<_BaseStream>self).device_id = -1
        else:
            (<_BaseStream>self)._create(non_blocking, priority or 0)

    @staticmethod
    def from_external(obj):
        """A stream that another library made: an int handle, or an object with __cuda_stream__() -> (version, handle)."""
        if hasattr(obj, '__cuda_stream__'):
            obj = obj.__cuda_stream__()[1]
        return ExternalStream(int(obj))


class ExternalStream(_BaseStream):
    """A stream that somebody else made and destroys.

    ExternalStream(ptr, device_id=-1)

    Args:
        ptr: its handle, an int.
        device_id: its device; -1: the current one.
    """

    def __init__(self, ptr, device_id=-1):
        check(api.open())
        (<_BaseStream>self).handle = <xpu_stream><size_t>ptr
        (<_BaseStream>self).device_id = current_device() if device_id < 0 else device_id


Stream.null = Stream(null=True)
Stream.ptds = Stream(ptds=True)
_null = Stream.null


def get_current_stream(device_id=None):
    """The thread's current stream of a device (default: the current device)."""
    if device_id is None:
        device_id = current_device()
    return _current.streams.get(device_id, _null)


def _stream_of(stream):
    """A stream argument: a stream, a handle, or None for the current one. A default stream counts as the current device's."""
    cdef _BaseStream s
    if stream is None:
        stream = get_current_stream()
    if not isinstance(stream, _BaseStream):
        stream = ExternalStream(getattr(stream, 'ptr', stream))
    s = stream
    if s.handle == NULL:
        s = ExternalStream(0, current_device())
    return s


cdef xpu_stream handle_of(object stream) except? <xpu_stream>1:
    if stream is None:
        return current_stream()
    return <xpu_stream><size_t>(stream.ptr if hasattr(stream, 'ptr') else int(stream))
