"""Devices, streams, memory and settings of the accelerator in use. `cupy.cuda` has the same under CuPy's names."""
from cupy._core._launch import FallbackWarning, OutOfMemoryError, XPUError
from cupy.xpu import memory_hook, memory_hooks, nvtx, profiler, runtime
from cupy.xpu._config import (backend_name, backends, checks, fallback_policy, fallbacks, float64_mode, get_fallback_policy, launches,
                              reset_counters, show_config)
from cupy.xpu._device import (  # noqa: F401
    Device, Event, ExternalStream, Stream, _check_device, _device_of, device_count, get_compute_capability, get_current_stream,
    get_device_id, get_elapsed_time)
from cupy.xpu._memory import (  # noqa: F401
    BaseMemory, CFunctionAllocator, ManagedMemory, Memory, MemoryAsync, MemoryAsyncPool, MemoryPointer, MemoryPool, PooledMemory,
    PythonFunctionAllocator, SingleDeviceMemoryPool, SystemMemory, UnownedMemory, _pointer_of, alloc, get_allocator,
    get_default_memory_pool, get_memory_hooks, malloc_async, malloc_managed, malloc_system, set_allocator, using_allocator)
from cupy.xpu._pinned import (PinnedMemory, PinnedMemoryPointer, PinnedMemoryPool, alloc_pinned_memory, get_default_pinned_memory_pool,
                              is_memory_pinned, set_pinned_memory_allocator)
from cupy.xpu.memory_hook import MemoryHook
from cupy.xpu.memory_hooks import DebugPrintHook, LineProfileHook

__all__ = ['BaseMemory', 'CFunctionAllocator', 'DebugPrintHook', 'Device', 'Event', 'ExternalStream', 'FallbackWarning', 'LineProfileHook',
           'ManagedMemory', 'Memory', 'MemoryAsync', 'MemoryAsyncPool', 'MemoryHook', 'MemoryPointer', 'MemoryPool', 'OutOfMemoryError',
           'PinnedMemory', 'PinnedMemoryPointer', 'PinnedMemoryPool', 'PooledMemory', 'PythonFunctionAllocator', 'SingleDeviceMemoryPool',
           'Stream', 'SystemMemory', 'UnownedMemory', 'XPUError', 'alloc', 'alloc_pinned_memory', 'backend_name', 'backends', 'checks',
           'device_count', 'fallback_policy', 'fallbacks', 'float64_mode', 'get_allocator', 'get_compute_capability', 'get_current_stream',
           'get_default_memory_pool', 'get_default_pinned_memory_pool', 'get_device_id', 'get_elapsed_time', 'get_fallback_policy',
           'get_memory_hooks', 'is_available', 'is_memory_pinned', 'launches', 'malloc_async', 'malloc_managed',
           'malloc_system', 'memory_hook', 'memory_hooks', 'nvtx', 'profiler', 'reset_counters', 'runtime', 'set_allocator',
           'set_pinned_memory_allocator', 'show_config', 'synchronize', 'using_allocator']


def is_available():
    """Whether a device can be used: True, as the host backend is always there; an accelerator that was asked for by name counts itself.

    Returns:
        bool
    """
    try:
        return device_count() > 0
    except XPUError:
        return False


def synchronize():
    """Waits for the current device."""
    Device().synchronize()


def _to_device(array, device, stream=None):
    """ndarray.to_device: the array itself, or a copy on another device."""
    import cupy
    if stream is not None and not hasattr(stream, 'ptr'):
        raise TypeError(f'stream must be a cupy.cuda.Stream, not {type(stream).__name__}')
    number = array.data.device_id
    if isinstance(device, str):
        if device == 'cpu' and _device_of(number) == 'cpu':
            return array
        raise ValueError(f'Device not understood. Only "cpu" on the host backend, or a Device, is allowed, but received: {device}')
    if not isinstance(device, (Device, int)):
        raise TypeError(f'device must be a cupy.cuda.Device, an int or "cpu", not {type(device).__name__}')
    target = Device(device)
    if target.id == number:
        return array
    with Device(number):
        source = cupy.ascontiguousarray(array)
    with target:
        target.attributes                      # raises if there is no such device
        made = cupy.empty_like(source, order='C')
        made.data.copy_from_device_async(source.data, source.nbytes, stream)
    return made
