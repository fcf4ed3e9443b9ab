"""Memory of devices: owners, pointers, pools, allocators and hooks. All of it stands on the storages of the C runtime."""
import ctypes
import threading

from cpython.ref cimport Py_DECREF, Py_INCREF
from cupy._core._launch cimport api, check
from cupy._core.core cimport ALIGNED, C_CONTIGUOUS, F_CONTIGUOUS, WRITEABLE, ndarray
from cupy.xpu._device cimport backend, check_call, current_device, current_stream, handle_of, host_memory, manage, report_ignored
from cupy_backends.backend.xpu cimport (XPU_CAP_HOST_MEMORY, XPU_CODE_MASK, XPU_DEVICE_TO_DEVICE, XPU_DEVICE_TO_HOST, XPU_HOST_TO_DEVICE,
                                        XPU_INTERNAL_ERROR, XPU_NOT_SUPPORTED, XPU_OK, XPU_OUT_OF_MEMORY, XPU_UINT8, int32_t, int64_t,
                                        xpu_status, xpu_storage, xpu_stream)
from cupy_backends.backend.xpu_manage cimport xpu_backend, xpu_hooks, xpu_pool, xpu_pool_source, xpu_pool_stats
from libc.stdlib cimport free, malloc

from cupy._core._launch import OutOfMemoryError  # noqa: F401
from cupy.xpu._device import Device, _device_of  # noqa: F401

cdef extern from "Python.h":
    void PyErr_SetObject(object kind, object value)


# --- owners of memory ---

ctypedef struct _Raw:      # memory straight from the device
    void* ptr
    size_t nbytes
    int32_t device


cdef void _free_raw(void* arg) noexcept nogil:
    cdef _Raw* r = <_Raw*>arg
    cdef const xpu_backend* b
    with gil:
        b = backend()
    manage.wait_device(r.device)   # work may still use it
    b.runtime.free(b.ctx, r.device, r.ptr, r.nbytes)
    free(r)


cdef void _drop_object(void* arg) noexcept with gil:
    Py_DECREF(<object>arg)


cdef class BaseMemory:
    """An owner of memory on a device: `ptr`, `size` in bytes, `device_id`, `device`."""

    def __dealloc__(self):
        if self.storage != NULL:
            api.release(self.storage)

    cdef int _take(self, xpu_storage* s) except -1:
        self.storage = s
        return 0

    @property
    def ptr(self):
        return <size_t>self.storage.base if self.storage != NULL else 0

    @property
    def size(self):
        return self.storage.nbytes if self.storage != NULL else 0

    @property
    def device_id(self):
        return self.storage.device if self.storage != NULL else -1

    @property
    def device(self):
        return Device(self.device_id)

    def __int__(self):
        return self.ptr


cdef class Memory(BaseMemory):
    """Memory taken from the device without a pool.

    Memory(size)

    Args:
        size: bytes.

    Raises:
        OutOfMemoryError: the device has not that much left.
    """

    def __init__(self, size):
        cdef const xpu_backend* b = backend()
        cdef size_t n = size
        cdef _Raw* r = <_Raw*>malloc(sizeof(_Raw))
        cdef xpu_status status
        cdef xpu_storage* s
        if r == NULL:
            raise MemoryError()
        r.nbytes, r.device = n, current_device()
        with nogil:
            status = b.runtime.malloc(b.ctx, r.device, n, &r.ptr)
        if status != XPU_OK:
            free(r)
            if (status & XPU_CODE_MASK) == XPU_OUT_OF_MEMORY:
                raise OutOfMemoryError(f'Out of memory allocating {n} bytes from the device, without a pool')
            check_call(status, 'allocating device memory')
        check(api.wrap(r.ptr, n, r.device, _free_raw, r, &s))
        self._take(s)


class ManagedMemory(Memory):
    """Memory that host and device share where the hardware has that; elsewhere the device's."""

    def prefetch(self, stream, *, device_id=None):
        """Accepted; the memory is where it is."""

    def advise(self, advise, dev):
        """Accepted; the memory is where it is."""


class SystemMemory(ManagedMemory):
    """Memory of the system's allocator, as far as the device can use that."""


cdef class UnownedMemory(BaseMemory):
    """Memory that somebody else owns.

    UnownedMemory(ptr, size, owner, device_id=-1)

    Args:
        ptr: address on the device, an int.
        size: bytes.
        owner: object kept alive as long as the memory is used.
        device_id: number of the device; -1: the current one.
    """
    cdef readonly object _owner

    def __init__(self, ptr, size, owner, device_id=-1):
        cdef xpu_storage* s
        check(api.open())
        device = current_device() if device_id < 0 else device_id
        check(api.wrap(<void*><size_t>ptr, size, device, _drop_object, <void*>owner, &s))
        Py_INCREF(owner)
        self._owner = owner
        self._take(s)


cdef class PooledMemory(BaseMemory):
    """Memory of a pool. It goes back when the last user is gone."""
    cdef readonly object pool

    @property
    def identity(self):
        return self.ptr

    def free(self):
        """Gives the memory back now, as far as nobody else uses it."""
        if self.storage != NULL:
            api.release(self.storage)
            self.storage = NULL


class MemoryAsync(PooledMemory):
    """Memory ordered on a stream.

    MemoryAsync(size, stream)
    """

    def __init__(self, size, stream):
        cdef xpu_storage* s
        check(api.open())
        check(manage.pool_alloc(manage.default_pool(current_device()), size, handle_of(stream), &s))
        (<BaseMemory>self)._take(s)
        self.stream_ref = stream


cdef BaseMemory memory_over(xpu_storage* s):
    """One more owner of a storage."""
    cdef PooledMemory m = PooledMemory.__new__(PooledMemory)
    api.retain(s)
    m.storage = s
    return m


# --- pointers ---

cdef size_t _address(object x) except? 1:
    if isinstance(x, ctypes.c_void_p):
        return x.value or 0
    return x.ptr if hasattr(x, 'ptr') else <size_t>int(x)


cdef class MemoryPointer:
    """A place in memory.

    MemoryPointer(mem, offset)

    Args:
        mem: the owner, a BaseMemory.
        offset: bytes.
    """

    def __init__(self, BaseMemory mem not None, offset):
        self.mem = mem
        self.ptr = <size_t>(mem.ptr + offset)

    def __int__(self):
        return self.ptr

    def __add__(self, offset):
        return MemoryPointer(self.mem, self.ptr - self.mem.ptr + int(offset))

    def __radd__(self, offset):
        return self + offset

    def __sub__(self, offset):
        return self + -int(offset)

    def __repr__(self):
        return f'<MemoryPointer 0x{self.ptr:x} (device {self.device_id})>'

    @property
    def device_id(self):
        return self.mem.device_id

    @property
    def device(self):
        return self.mem.device

    def _as_bytes(self):
        """The memory from here on as a uint8 array that shares it."""
        return bytes_of(self.mem, self.ptr - self.mem.ptr)

    cdef int _room(self, object size) except -1:
        if not 0 <= size <= self.mem.ptr + self.mem.size - self.ptr:
            raise ValueError(f'{size} bytes from here are outside of the memory')
        return 0

    cdef int _copy(self, size_t dst, size_t src, size_t n, int kind, object stream, bint wait) except -1:
        cdef const xpu_backend* b = backend()
        cdef xpu_stream s = handle_of(stream)
        cdef int32_t device = self.mem.storage.device
        cdef xpu_status status
        manage.note_stream(self.mem.storage, s)
        with nogil:
            status = b.runtime.memcpy_async(b.ctx, <void*>dst, <const void*>src, n, kind, device, s)
            if wait and status == XPU_OK:
                status = b.runtime.stream_synchronize(b.ctx, device, s)
        return check_call(status, 'copying memory')

    def copy_from_device(self, MemoryPointer src not None, size):
        """Copies `size` bytes from device memory and waits."""
        self.copy_from_device_async(src, size)
        check(api.synchronize())

    def copy_from_device_async(self, MemoryPointer src not None, size, stream=None):
        """Queues a copy of `size` bytes from device memory."""
        cdef const xpu_backend* b
        self._room(size)
        src._room(size)
        if src.mem.storage.device != self.mem.storage.device:
            b = backend()
            if b.runtime.memcpy_peer == NULL:
                raise NotImplementedError('this backend cannot copy between devices; copy through the host')
            check_call(b.runtime.memcpy_peer(b.ctx, <void*>self.ptr, self.mem.storage.device, <void*>src.ptr, src.mem.storage.device, size,
                                             handle_of(stream)), 'copying between devices')
            return
        manage.note_stream(src.mem.storage, handle_of(stream))
        self._copy(self.ptr, src.ptr, size, XPU_DEVICE_TO_DEVICE, stream, False)

    def copy_from_host(self, mem, size):
        """Copies `size` bytes from host memory (an address or ctypes.c_void_p) and waits."""
        self._room(size)
        self._copy(self.ptr, _address(mem), size, XPU_HOST_TO_DEVICE, None, True)

    def copy_from_host_async(self, mem, size, stream=None):
        """Queues a copy from host memory, which must stay as it is until the copy is done."""
        self._room(size)
        self._copy(self.ptr, _address(mem), size, XPU_HOST_TO_DEVICE, stream, False)

    def copy_from(self, mem, size):
        """Copies from a MemoryPointer or from host memory."""
        (self.copy_from_device if isinstance(mem, MemoryPointer) else self.copy_from_host)(mem, size)

    def copy_from_async(self, mem, size, stream=None):
        """Queues a copy from a MemoryPointer or from host memory."""
        (self.copy_from_device_async if isinstance(mem, MemoryPointer) else self.copy_from_host_async)(mem, size, stream)

    def copy_to_host(self, mem, size):
        """Copies `size` bytes to host memory (an address or ctypes.c_void_p) and waits."""
        self._room(size)
        self._copy(_address(mem), self.ptr, size, XPU_DEVICE_TO_HOST, None, True)

    def copy_to_host_async(self, mem, size, stream=None):
        """Queues a copy to host memory."""
        self._room(size)
        self._copy(_address(mem), self.ptr, size, XPU_DEVICE_TO_HOST, stream, False)

    def memset(self, value, size):
        """Sets `size` bytes and waits."""
        self.memset_async(value, size)
        check(api.synchronize())

    def memset_async(self, value, size, stream=None):
        """Queues the setting of `size` bytes."""
        cdef const xpu_backend* b = backend()
        cdef xpu_stream s = handle_of(stream)
        self._room(size)
        manage.note_stream(self.mem.storage, s)
        check_call(b.runtime.memset_async(b.ctx, <void*>self.ptr, value & 0xff, size, self.mem.storage.device, s), 'setting memory')


cdef ndarray bytes_of(BaseMemory mem, int64_t offset):
    cdef ndarray a = ndarray.__new__(ndarray)
    if mem.storage == NULL:
        raise ValueError('the memory was given back')
    api.retain(mem.storage)
    a.t.storage, a.t.base, a.t.offset, a.t.nbytes = mem.storage, mem.storage.base, offset, mem.storage.nbytes
    a.t.size, a.t.ndim, a.t.dtype = max(<int64_t>mem.storage.nbytes - offset, 0), 1, XPU_UINT8
    a.t.shape[0], a.t.strides[0] = a.t.size, 1
    a.flags_ = C_CONTIGUOUS | F_CONTIGUOUS | WRITEABLE | ALIGNED
    return a


def _pointer_of(ndarray a not None):
    return MemoryPointer(memory_over(a.t.storage), a.t.offset)


# --- pools ---

cdef xpu_status _source_malloc(void* ctx, int32_t device, size_t nbytes, void** ptr, void** cookie) noexcept with gil:
    try:
        memory = (<object>ctx)(nbytes)
        ptr[0] = <void*><size_t>memory.ptr
        Py_INCREF(memory)
        cookie[0] = <void*>memory
        return XPU_OK
    except MemoryError:
        return XPU_OUT_OF_MEMORY
    except BaseException as e:
        error = e
    PyErr_SetObject(type(error), error)
    return XPU_INTERNAL_ERROR


cdef void _source_free(void* ctx, int32_t device, void* ptr, size_t nbytes, void* cookie) noexcept with gil:
    Py_DECREF(<object>cookie)


cdef class MemoryPool:
    """A pool of device memory with its own statistics and limit, for each device.

    Freed memory is kept for later arrays. On the host a sixteenth of the machine's memory is kept at most (not less than 256 MiB, not more
    than 4 GiB), or as much as is in use; the rest goes back to the system at once. On devices all is kept until free_all_blocks(), or until
    the device has no more. The limit counts what was taken from the device; CUPY_XPU_MEMORY_LIMIT or CUPY_GPU_MEMORY_LIMIT (bytes, or a
    percentage such as 80%) sets it at the start for the default pool.

    MemoryPool(allocator=None)

    Args:
        allocator: function of a size in bytes that returns a MemoryPointer: where the pool takes its memory from. None: the device.
    """
    cdef dict _pools
    cdef object _allocator
    cdef bint _is_default

    def __init__(self, allocator=None):
        self._pools = {}
        self._allocator = None if allocator in (None, malloc_managed, malloc_system, _malloc) else allocator

    def __dealloc__(self):
        if self._pools is not None and not self._is_default:
            for p in self._pools.values():
                manage.pool_destroy(<xpu_pool*><size_t>p)

    cdef xpu_pool* pool(self) except NULL:
        cdef xpu_pool_source source
        cdef xpu_pool* p
        check(api.open())
        device = current_device()
        if self._is_default:
            return manage.default_pool(device)
        if device not in self._pools:
            if self._allocator is None:
                p = manage.pool_create(device, NULL)
            else:
                Py_INCREF(self._allocator)
                source.malloc, source.free, source.drop, source.ctx = _source_malloc, _source_free, _drop_object, <void*>self._allocator
                p = manage.pool_create(device, &source)
            self._pools[device] = <size_t>p
        return <xpu_pool*><size_t>self._pools[device]

    def malloc(self, size):
        """A MemoryPointer to `size` bytes on the current device, ordered on the current stream.

        Raises:
            OutOfMemoryError: neither the pool nor the device has that much.
        """
        cdef PooledMemory m = PooledMemory.__new__(PooledMemory)
        cdef xpu_storage* s
        cdef xpu_status status
        cdef xpu_pool* p = self.pool()
        cdef size_t n = size
        cdef xpu_stream stream = current_stream()
        hooks = list(_local.hooks.values())
        device, rounded = current_device(), (size + 511) // 512 * 512 if hooks else 0
        for h in hooks:
            h.malloc_preprocess(device_id=device, size=size, mem_size=rounded)
        s = NULL
        try:
            with nogil:
                status = manage.pool_alloc(p, n, stream, &s)
            check(status)
            m.storage, m.pool = s, self
        finally:
            for h in hooks:
                h.malloc_postprocess(device_id=device, size=size, mem_size=rounded if s == NULL else manage.block_size(s),
                                     mem_ptr=0 if s == NULL else <size_t>s.base, pmem_id=0 if s == NULL else <size_t>s.base)
        return MemoryPointer(m, 0)

    cdef xpu_pool_stats _stats(self) except *:
        cdef xpu_pool_stats stats
        manage.pool_stats(self.pool(), &stats)
        return stats

    def free_all_blocks(self, stream=None):
        """Gives memory that no array uses back to the device. `stream` is accepted: the memory of all streams is looked at."""
        cdef xpu_pool* p = self.pool()
        with nogil:
            manage.pool_trim(p)

    def free_all_free(self):
        """As free_all_blocks."""
        self.free_all_blocks()

    def n_free_blocks(self):
        """Number of free blocks."""
        return self._stats().free_blocks

    def used_bytes(self):
        """Bytes in use."""
        return self._stats().used_bytes

    def free_bytes(self):
        """Bytes taken from the device and not in use."""
        cdef xpu_pool_stats stats = self._stats()
        return stats.total_bytes - stats.used_bytes

    def total_bytes(self):
        """Bytes taken from the device."""
        return self._stats().total_bytes

    def set_limit(self, size=None, fraction=None):
        """Sets the most that the pool takes from the current device.

        Args:
            size: bytes; 0: no limit.
            fraction: of the device's memory, 0 to 1, instead of size.
        """
        if (size is None) == (fraction is None):
            raise ValueError('give either size or fraction')
        if fraction is not None:
            if not 0 <= fraction <= 1:
                raise ValueError(f'memory limit fraction out of range: {fraction}')
            size = int(fraction * Device().mem_info[1])
        if size < 0:
            raise ValueError(f'memory limit size out of range: {size}')
        manage.pool_set_limit(self.pool(), size)

    def get_limit(self):
        """The limit in bytes; 0: none."""
        return self._stats().limit


class SingleDeviceMemoryPool(MemoryPool):
    """A pool; each holds what was made on its device anyway."""


class MemoryAsyncPool(MemoryPool):
    """A pool ordered on streams. All pools here are; this is one of its own.

    MemoryAsyncPool(pool_handles='current')
    """
    memoryAsyncHasStat = True

    def __init__(self, pool_handles='current'):
        super().__init__()


cdef MemoryPool _default_pool = MemoryPool()
_default_pool._is_default = True


def get_default_memory_pool():
    """The pool that arrays come from."""
    return _default_pool


# --- allocators ---

class _Local(threading.local):
    def __init__(self):
        self.hooks = {}           # name -> hook, in the order of entry
        self.allocators = []      # of using_allocator, the innermost last


_local = _Local()
cdef object _allocator = None     # of set_allocator; None: the default pool
cdef int _active = 0              # how many hooks and allocators there are in all threads; guarded by the GIL


cdef object _innermost():
    chosen = _local.allocators
    return chosen[len(chosen) - 1] if chosen else _allocator


cdef xpu_status _alloc_hook(size_t nbytes, xpu_storage** out) noexcept with gil:
    cdef BaseMemory m
    error = None
    try:
        allocator = _innermost()
        if allocator is None:
            if not _local.hooks:
                return XPU_NOT_SUPPORTED
            allocator = _default_pool.malloc
        pointer = allocator(nbytes)
        if not isinstance(pointer, MemoryPointer):
            raise TypeError(f'an allocator must return a MemoryPointer, not {type(pointer).__name__}')
        m = (<MemoryPointer>pointer).mem
        if m.storage != NULL and (<MemoryPointer>pointer).ptr == <size_t>m.storage.base and m.storage.nbytes >= nbytes:
            api.retain(m.storage)
            out[0] = m.storage
            if type(m) is PooledMemory:
                return XPU_OK
            # the object itself may free the memory when it goes: it is kept
            api.release(m.storage)
        (<MemoryPointer>pointer)._room(nbytes)
        check(api.wrap(<void*>(<MemoryPointer>pointer).ptr, nbytes, m.storage.device, _drop_object, <void*>pointer, out))
        Py_INCREF(pointer)
        return XPU_OK
    except BaseException as e:
        error = e
    PyErr_SetObject(type(error), error)
    return XPU_INTERNAL_ERROR


cdef void _release_hook(int32_t device, size_t nbytes, void* ptr, int phase) noexcept with gil:
    for h in list(_local.hooks.values()):
        try:
            (h.free_postprocess if phase else h.free_preprocess)(device_id=device, mem_size=nbytes, mem_ptr=<size_t>ptr,
                                                                 pmem_id=<size_t>ptr)
        except BaseException as e:
            report_ignored(e, h)


cdef void _segment_hook(int32_t device, size_t nbytes, void* ptr, int phase) noexcept with gil:
    for h in list(_local.hooks.values()):
        try:
            if phase:
                h.alloc_postprocess(device_id=device, mem_size=nbytes, mem_ptr=<size_t>ptr)
            else:
                h.alloc_preprocess(device_id=device, mem_size=nbytes)
        except BaseException as e:
            report_ignored(e, h)


cdef xpu_hooks _hooks
_hooks.alloc, _hooks.release, _hooks.segment = _alloc_hook, _release_hook, _segment_hook


cdef int _count_active(int change) except -1:
    """Hooks cost nothing while nobody has any: the runtime then sees none."""
    global _active
    _active += change
    manage.set_hooks(&_hooks if _active else NULL)
    return 0


def _malloc(size):
    """A MemoryPointer to memory straight from the device."""
    return MemoryPointer(Memory(size), 0)


def malloc_managed(size):
    """A MemoryPointer to ManagedMemory."""
    return MemoryPointer(ManagedMemory(size), 0)


def malloc_system(size):
    """A MemoryPointer to SystemMemory."""
    return MemoryPointer(SystemMemory(size), 0)


def malloc_async(size):
    """A MemoryPointer to MemoryAsync on the current stream."""
    from cupy.xpu._device import get_current_stream
    return MemoryPointer(MemoryAsync(size, get_current_stream()), 0)


cdef object _normal(object allocator):
    """None for the default pool, which needs no detour."""
    if allocator is None:
        return _malloc
    if not callable(allocator):
        raise TypeError(f'an allocator is a function of a size in bytes, not {type(allocator).__name__}')
    if getattr(allocator, '__self__', None) is _default_pool:
        return None
    return allocator


def set_allocator(allocator=None):
    """Sets where arrays of all threads take their memory from.

    Args:
        allocator: function of a size in bytes that returns a MemoryPointer, such as MemoryPool().malloc; None: straight from the device.
    """
    global _allocator
    if _local.allocators:
        raise ValueError('set_allocator cannot be used inside using_allocator')
    new = _normal(allocator)
    _count_active((new is not None) - (_allocator is not None))
    _allocator = new


def get_allocator():
    """The allocator in use in this thread."""
    found = _innermost()
    return _default_pool.malloc if found is None else found


class using_allocator:
    """Sets the allocator of this thread inside a `with`, or as a decorator.

    using_allocator(allocator=None)
    """

    def __init__(self, allocator=None):
        self._chosen = _normal(allocator)

    def __enter__(self):
        _local.allocators.append(self._chosen if self._chosen is not None else _default_pool.malloc)
        _count_active(1)
        return self

    def __exit__(self, *args):
        _local.allocators.pop()
        _count_active(-1)

    def __call__(self, function):
        import functools

        @functools.wraps(function)
        def called(*args, **kwargs):
            with self:
                return function(*args, **kwargs)
        return called


def alloc(size):
    """A MemoryPointer to `size` bytes, from the allocator in use."""
    return get_allocator()(size)


class PythonFunctionAllocator:
    """An allocator made of two Python functions.

    PythonFunctionAllocator(malloc_func, free_func)

    Args:
        malloc_func: function of (size, device_id) that returns an address.
        free_func: function of (address, device_id).
    """

    def __init__(self, malloc_func, free_func):
        self._malloc_func, self._free_func = malloc_func, free_func

    def malloc(self, size):
        """A MemoryPointer to `size` bytes."""
        return MemoryPointer(PythonFunctionAllocatorMemory(size, self._malloc_func, self._free_func, Device().id), 0)


class PythonFunctionAllocatorMemory(UnownedMemory):
    """Memory of a PythonFunctionAllocator."""

    def __init__(self, size, malloc_func, free_func, device_id):
        pointer = malloc_func(size, device_id)
        self._call = (free_func, pointer, device_id)
        super().__init__(pointer, size, None, device_id)

    def __del__(self):
        if hasattr(self, '_call'):
            free_func, pointer, device_id = self._call
            free_func(pointer, device_id)


class CFunctionAllocator:
    """An allocator made of two C functions, by address.

    CFunctionAllocator(param, malloc_func, free_func, owner)

    Args:
        param: first argument of both, an address.
        malloc_func: void *(*)(void *param, size_t size, int device_id).
        free_func: void (*)(void *param, void *ptr, int device_id).
        owner: object kept alive with the allocator.
    """

    def __init__(self, param, malloc_func, free_func, owner):
        self._owner, self._arguments = owner, (param, malloc_func, free_func)

    def malloc(self, size):
        """A MemoryPointer to `size` bytes."""
        memory = CFunctionAllocatorMemory(size, *self._arguments, Device().id)
        memory._allocator = self
        return MemoryPointer(memory, 0)


class CFunctionAllocatorMemory(PythonFunctionAllocatorMemory):
    """Memory of a CFunctionAllocator."""

    def __init__(self, size, param, malloc_func, free_func, device_id):
        take = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)(malloc_func)
        give = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)(free_func)
        super().__init__(size, lambda n, device: take(param, n, device) or 0, lambda p, device: give(param, p, device), device_id)


def _enter_hook(hook):
    if hook.name in _local.hooks:
        raise KeyError(f'memory hook {hook.name} already exists')
    _local.hooks[hook.name] = hook
    _count_active(1)


def _exit_hook(hook):
    del _local.hooks[hook.name]
    _count_active(-1)


def get_memory_hooks():
    """The hooks of this thread by name."""
    return _local.hooks
