"""cupy.xpu under the names of CuPy's cupy.cuda, so that scripts made for CUDA devices run. No CUDA is involved."""
import sys as _sys
import types as _types

from cupy import xpu as _xpu
from cupy.cuda import _missing, compiler
from cupy.xpu import (  # noqa: F401
    BaseMemory, CFunctionAllocator, Device, Event, ExternalStream, ManagedMemory, Memory, MemoryAsync, MemoryAsyncPool, MemoryHook,
    MemoryPointer, MemoryPool, PinnedMemory, PinnedMemoryPointer, PinnedMemoryPool, PythonFunctionAllocator, Stream, UnownedMemory, alloc,
    alloc_pinned_memory, get_allocator, get_current_stream, get_device_id, get_elapsed_time, is_available, malloc_async, malloc_managed,
    set_allocator, set_pinned_memory_allocator, using_allocator)

# Submodules: which names of cupy.xpu (and its parts) they hold.
_PARTS = {
    'device': (_xpu._device, 'Device get_compute_capability get_device_id'),
    'memory': (_xpu._memory,
               'BaseMemory CFunctionAllocator CFunctionAllocatorMemory ManagedMemory Memory MemoryAsync MemoryAsyncPool MemoryPointer '
               'MemoryPool OutOfMemoryError PooledMemory PythonFunctionAllocator PythonFunctionAllocatorMemory SingleDeviceMemoryPool '
               'SystemMemory UnownedMemory alloc get_allocator malloc_async malloc_managed malloc_system set_allocator using_allocator '
               '_malloc'),
    'memory_hook': (_xpu.memory_hook, 'MemoryHook get_memory_hooks'),
    'memory_hooks': (_xpu.memory_hooks, 'DebugPrintHook LineProfileHook'),
    'pinned_memory': (_xpu._pinned,
                      'PinnedMemory PinnedMemoryPointer PinnedMemoryPool PooledPinnedMemory alloc_pinned_memory is_memory_pinned '
                      'set_pinned_memory_allocator'),
    'stream': (_xpu._device, 'Event ExternalStream Stream get_current_stream get_elapsed_time'),
    'runtime': (_xpu.runtime, None),
    'nvtx': (_xpu.nvtx, None),
    'profiler': (_xpu.profiler, None),
    'nccl': (None, ''), 'texture': (None, ''), 'function': (None, ''), 'graph': (None, ''),
}


def _add(module):
    short = module.__name__.rsplit('.', 1)[1]
    _sys.modules[module.__name__] = globals()[short] = _missing.fill(module)


for _name, (_source, _names) in _PARTS.items():
    _module = _types.ModuleType(f'cupy.cuda.{_name}',
                                _source.__doc__ if _source else f'CuPy has this for CUDA alone: see {__name__}._missing.')
    for _n in (_names.split() if _names is not None else [n for n in vars(_source) if not n.startswith('_')]):
        setattr(_module, _n, getattr(_source, _n))
    _add(_module)
for _name in _missing.MODULES:
    _add(_missing.missing_module(_name))
_missing.fill(compiler)
_missing.fill(_sys.modules[__name__])
nccl.available = False  # noqa: F821


def get_cuda_path():
    """None: no CUDA is used."""


def get_nvcc_path():
    """None: no CUDA is used."""


def get_rocm_path():
    """None: no ROCm is used."""


def get_hipcc_path():
    """None: no ROCm is used."""


def get_local_runtime_version():
    """Version of the runtime in use."""
    return runtime.runtimeGetVersion()  # noqa: F821


def profile():
    """A context manager: profiler.start() and profiler.stop() around a `with`."""
    return _xpu.profiler.profile()
