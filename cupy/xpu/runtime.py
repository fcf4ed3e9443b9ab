"""The runtime as functions of plain ints, with CuPy's names: addresses, handles of streams and events, numbers of devices."""
from cupy._core._launch import XPUError
from cupy.xpu import _calls
from cupy.xpu._device import Device, device_count, get_device_id

CUDARuntimeError = XPUError

is_hip = False

memcpyHostToHost, memcpyHostToDevice, memcpyDeviceToHost, memcpyDeviceToDevice, memcpyDefault = range(5)
memoryTypeHost, memoryTypeDevice = 1, 2
streamDefault, streamNonBlocking = 0, 1
eventDefault, eventBlockingSync, eventDisableTiming, eventInterprocess = 0, 1, 2, 4
hostAllocDefault, hostAllocPortable, hostAllocMapped, hostAllocWriteCombined = 0, 1, 2, 4
memAttachGlobal, memAttachHost, memAttachSingle = 1, 2, 4
deviceAttributeComputeCapabilityMajor, deviceAttributeComputeCapabilityMinor = 75, 76
deviceAttributeMultiProcessorCount = 16
errorInvalidValue, errorMemoryAllocation, errorPeerAccessAlreadyEnabled = 1, 2, 704
errorContextIsDestroyed, errorInvalidResourceHandle = 709, 400

_TIMING, _BLOCKING = 1, 2      # XPU_EVENT_*
_pinned = {}                   # address -> PinnedMemory of hostAlloc


# --- devices ---

def getDeviceCount():
    """Number of devices."""
    return device_count()


def getDevice():
    """Number of the current device."""
    return get_device_id()


def setDevice(device):
    """Makes a device current."""
    Device(device).use()


def deviceSynchronize():
    """Waits for the current device."""
    Device().synchronize()


def getDeviceProperties(device):
    """Properties of a device: a dict with CuPy's keys, as far as they mean something here."""
    d = Device(device)
    a = d.attributes
    return {'name': d.name.encode(), 'totalGlobalMem': a['TotalGlobalMem'], 'multiProcessorCount': a['MultiProcessorCount'],
            'major': 0, 'minor': 0, 'warpSize': 1, 'textureAlignment': a['TextureAlignment'], 'architecture': d.architecture,
            'canMapHostMemory': a['HostMemory'], 'unifiedAddressing': a['HostMemory'], 'integrated': a['HostMemory']}


def deviceGetAttribute(attrib, device):
    """An attribute by its number in CUDA; those without a meaning here raise NotImplementedError."""
    known = {deviceAttributeComputeCapabilityMajor: 0, deviceAttributeComputeCapabilityMinor: 0, 10: 1,
             deviceAttributeMultiProcessorCount: Device(device).attributes['MultiProcessorCount']}
    if attrib not in known:
        raise NotImplementedError(f'device attribute {attrib} has no meaning here; see Device.attributes')
    return known[attrib]


def deviceCanAccessPeer(device, peerDevice):
    """1 if the devices can copy to each other directly."""
    return int(device != peerDevice and bool(Device(device).attributes['CanAccessPeer'] and Device(peerDevice).attributes['CanAccessPeer']))


def deviceEnablePeerAccess(peerDevice):
    """Accepted: copies between devices need no enabling. Raises XPUError if there is no such device."""
    Device(peerDevice).attributes


def deviceDisablePeerAccess(peerDevice):
    """Accepted."""
    Device(peerDevice).attributes


def runtimeGetVersion():
    """Version of this runtime's interface."""
    return 1


def driverGetVersion():
    """Version of this runtime's interface."""
    return 1


def check_status(status):
    """Raises XPUError unless a status is 0."""
    if status:
        error = XPUError(f'status {status}')
        error.status = status
        raise error


# --- memory ---

malloc = _calls.malloc
free = _calls.free


def mallocManaged(size, flags=memAttachGlobal):
    """As malloc."""
    return malloc(size)


def mallocAsync(size, stream):
    """As malloc; it does not wait for the stream."""
    return malloc(size)


def freeAsync(ptr, stream):
    """Frees when the stream's work is done."""
    streamSynchronize(stream)
    free(ptr)


def hostAlloc(size, flags=hostAllocDefault):
    """Address of pinned host memory."""
    from cupy.xpu._pinned import PinnedMemory
    memory = PinnedMemory(size, flags)
    _pinned[memory.ptr] = memory
    return memory.ptr


def freeHost(ptr):
    """Frees what hostAlloc gave."""
    if ptr and _pinned.pop(ptr, None) is None:
        raise ValueError(f'0x{ptr:x} was not given by hostAlloc')


def memGetInfo():
    """(free, total) bytes of the current device."""
    return Device().mem_info


def memcpyAsync(dst, src, size, kind, stream):
    """Queues a copy; kind: memcpyHostToDevice and so on."""
    _calls.memcpy_async(dst, src, size, memcpyDeviceToDevice if kind == memcpyDefault else kind, stream)


def memcpy(dst, src, size, kind):
    """Copies and waits."""
    memcpyAsync(dst, src, size, kind, None)
    _calls.synchronize()


def memcpy2DAsync(dst, dpitch, src, spitch, width, height, kind, stream):
    """Queues a copy of `height` rows of `width` bytes."""
    _calls.memcpy_2d(dst, dpitch, src, spitch, width, height, memcpyDeviceToDevice if kind == memcpyDefault else kind, stream)


def memcpy2D(dst, dpitch, src, spitch, width, height, kind):
    """Copies rows and waits."""
    memcpy2DAsync(dst, dpitch, src, spitch, width, height, kind, None)
    _calls.synchronize()


def memcpyPeerAsync(dst, dstDevice, src, srcDevice, size, stream):
    """Queues a copy between devices."""
    _calls.memcpy_peer(dst, dstDevice, src, srcDevice, size, stream)


def memcpyPeer(dst, dstDevice, src, srcDevice, size):
    """Copies between devices and waits."""
    memcpyPeerAsync(dst, dstDevice, src, srcDevice, size, None)
    _calls.synchronize()


def memsetAsync(ptr, value, size, stream):
    """Queues the setting of bytes."""
    _calls.memset_async(ptr, value, size, stream)


def memset(ptr, value, size):
    """Sets bytes and waits."""
    memsetAsync(ptr, value, size, None)
    _calls.synchronize()


def memPrefetchAsync(devPtr, count, dstDevice, stream):
    """Accepted: memory is where it is."""


def memAdvise(devPtr, count, advice, device):
    """Accepted: memory is where it is."""


# --- streams and events ---

def streamCreate():
    """Handle of a new stream."""
    return _calls.stream_create(streamDefault, 0)


def streamCreateWithFlags(flags):
    """Handle of a new stream; flags: streamNonBlocking."""
    return _calls.stream_create(flags, 0)


def streamCreateWithPriority(flags, priority):
    """Handle of a new stream with a priority."""
    return _calls.stream_create(flags, priority)


streamDestroy = _calls.stream_destroy


def _stream(handle):
    from cupy.xpu._device import ExternalStream
    return ExternalStream(handle)


def streamSynchronize(stream):
    """Waits for a stream."""
    _stream(stream).synchronize()


def streamQuery(stream):
    """0 if the stream's work is done, else 600 (not ready)."""
    return 0 if _stream(stream).done else 600


def streamWaitEvent(stream, event, flags=0):
    """Later work of the stream starts after the event."""
    _calls.stream_wait_event(stream, event)


def streamAddCallback(stream, callback, arg, flags=0):
    """Calls callback(stream, status, arg) after the stream's work."""
    _stream(stream).add_callback(lambda s, status, a: callback(stream, status, a), arg)


def launchHostFunc(stream, callback, arg):
    """Calls callback(arg) after the stream's work."""
    _stream(stream).launch_host_func(callback, arg)


def streamIsCapturing(stream):
    """False: work is never captured."""
    return False


def eventCreate():
    """Handle of a new event."""
    return _calls.event_create(_TIMING)


def eventCreateWithFlags(flags):
    """Handle of a new event; flags: eventBlockingSync, eventDisableTiming."""
    return _calls.event_create((0 if flags & eventDisableTiming else _TIMING) | (_BLOCKING if flags & eventBlockingSync else 0))


eventDestroy = _calls.event_destroy
eventSynchronize = _calls.event_synchronize
eventElapsedTime = _calls.event_elapsed


def eventRecord(event, stream):
    """Puts an event into a stream."""
    _calls.event_record(event, stream)


def eventQuery(event):
    """0 if the work before the event is done, else 600 (not ready)."""
    return 0 if _calls.event_query(event) else 600


def profilerStart():
    """Accepted: profilers of the system see this process as it is."""


def profilerStop():
    """Accepted: profilers of the system see this process as it is."""
