"""Pinned host memory: buffers from which a device copies without waiting."""
import threading

from cupy_backends.backend.xpu cimport XPU_CODE_MASK, XPU_OK, XPU_OUT_OF_MEMORY, xpu_status
from cupy_backends.backend.xpu_manage cimport xpu_backend
from cupy.xpu._device cimport backend, check_call
from cpython.buffer cimport PyBuffer_FillInfo
from libc.stdlib cimport free, malloc

from cupy._core._launch import OutOfMemoryError


cdef class PinnedMemory:
    """Pinned memory of the host.

    PinnedMemory(size, flags=0)

    Args:
        size: bytes.
        flags: accepted for compatibility.
    """
    cdef readonly size_t ptr
    cdef readonly size_t size
    cdef bint _plain      # of the C library: the backend pins nothing
    cdef object __weakref__

    def __init__(self, size, flags=0):
        cdef const xpu_backend* b = backend()
        cdef void* p = NULL
        cdef size_t n = size
        cdef xpu_status status = XPU_OK
        self._plain = b.runtime.malloc_pinned == NULL or b.runtime.free_pinned == NULL
        if n:
            with nogil:
                if self._plain:
                    p = malloc(n)
                else:
                    status = b.runtime.malloc_pinned(b.ctx, n, &p)
            if p == NULL or (status & XPU_CODE_MASK) == XPU_OUT_OF_MEMORY:
                raise OutOfMemoryError(f'Out of memory allocating {n} bytes of pinned memory')
            check_call(status, 'allocating pinned memory')
        self.ptr, self.size = <size_t>p, n

    def __dealloc__(self):
        cdef const xpu_backend* b
        if self.ptr == 0:
            return
        if self._plain:
            free(<void*>self.ptr)
        else:
            b = backend()
            b.runtime.free_pinned(b.ctx, <void*>self.ptr, self.size)

    def __int__(self):
        return self.ptr


cdef class PinnedMemoryPointer:
    """A place in pinned memory. It has the buffer protocol: numpy.frombuffer(pointer, dtype, count).

    PinnedMemoryPointer(mem, offset)
    """
    cdef readonly object mem
    cdef readonly size_t ptr
    cdef size_t _size
    cdef object __weakref__

    def __init__(self, mem, offset):
        self.mem = mem
        self.ptr = mem.ptr + offset
        self._size = mem.size - offset

    def size(self):
        """Bytes from here on."""
        return self._size

    def __int__(self):
        return self.ptr

    def __add__(self, offset):
        return PinnedMemoryPointer(self.mem, self.ptr - self.mem.ptr + int(offset))

    def __sub__(self, offset):
        return self + -int(offset)

    def __getbuffer__(self, Py_buffer* view, int flags):
        PyBuffer_FillInfo(view, self, <void*>self.ptr, self._size, 0, flags)


class PooledPinnedMemory:
    """Pinned memory that goes back to its pool when the last pointer is gone."""

    def __init__(self, mem, pool):
        self._mem, self._pool = mem, pool
        self.ptr, self.size = mem.ptr, mem.size

    def __int__(self):
        return self.ptr

    def free(self):
        """Gives the memory back now."""
        mem, self._mem = self._mem, None
        if mem is not None:
            self._pool._give(mem)

    def __del__(self):
        if getattr(self, '_mem', None) is not None:
            self.free()


def _alloc(size):
    return PinnedMemoryPointer(PinnedMemory(size), 0)


class PinnedMemoryPool:
    """Keeps freed pinned memory for later, in sizes of powers of two from 512 bytes.

    PinnedMemoryPool(allocator=None)

    Args:
        allocator: function of a size that returns a PinnedMemoryPointer; None: pinned memory of the backend.
    """

    def __init__(self, allocator=None):
        self._allocator = allocator or _alloc
        self._free = {}
        self._lock = threading.RLock()     # freeing may happen in a garbage collection inside malloc

    def malloc(self, size):
        """A PinnedMemoryPointer to at least `size` bytes."""
        rounded = max(512, 1 << max(int(size) - 1, 0).bit_length())
        with self._lock:
            kept = self._free.get(rounded)
            memory = kept.pop() if kept else None
        if memory is None:
            try:
                memory = self._allocator(rounded).mem
            except MemoryError:
                self.free_all_blocks()
                memory = self._allocator(rounded).mem
        return PinnedMemoryPointer(PooledPinnedMemory(memory, self), 0)

    def _give(self, memory):
        with self._lock:
            self._free.setdefault(memory.size, []).append(memory)

    def free_all_blocks(self):
        """Gives all memory that is not in use back to the system."""
        with self._lock:
            self._free = {}

    def n_free_blocks(self):
        """Number of free blocks."""
        with self._lock:
            return sum(map(len, self._free.values()))


_default_pool = PinnedMemoryPool()
_allocator = _default_pool.malloc


def get_default_pinned_memory_pool():
    """The pool that alloc_pinned_memory uses."""
    return _default_pool


def set_pinned_memory_allocator(allocator=None):
    """Sets the function behind alloc_pinned_memory; None: without a pool."""
    global _allocator
    _allocator = allocator or _alloc


def alloc_pinned_memory(size):
    """A PinnedMemoryPointer to at least `size` bytes, from the allocator in use."""
    return _allocator(size)


def is_memory_pinned(data):
    """Whether an address, or a pointer of this module, lies in memory that was pinned here."""
    return isinstance(data, (PinnedMemory, PinnedMemoryPointer, PooledPinnedMemory))
