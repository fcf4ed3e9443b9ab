"""Hooks on the allocation of arrays."""
from cupy.xpu import _memory
from cupy.xpu._memory import get_memory_hooks  # noqa: F401


class MemoryHook:
    """Base of hooks: called around the allocations of this thread inside `with hook:`.

    Override any of: alloc_* (a pool takes memory from the device; device_id, mem_size, mem_ptr), malloc_* (memory is taken from a pool;
    device_id, size, mem_size, mem_ptr, pmem_id), free_* (memory goes back to its pool; device_id, mem_size, mem_ptr, pmem_id). All
    arguments are keywords. Several hooks may be entered if their `name` differs.
    """
    name = 'MemoryHook'

    def __enter__(self):
        _memory._enter_hook(self)
        return self

    def __exit__(self, *_):
        _memory._exit_hook(self)

    def alloc_preprocess(self, **kwargs):
        """Before memory is taken from the device."""

    def alloc_postprocess(self, **kwargs):
        """After memory was taken from the device; mem_ptr is 0 if that failed."""

    def malloc_preprocess(self, **kwargs):
        """Before memory is taken from a pool."""

    def malloc_postprocess(self, **kwargs):
        """After memory was taken from a pool."""

    def free_preprocess(self, **kwargs):
        """Before memory goes back to its pool."""

    def free_postprocess(self, **kwargs):
        """After memory went back to its pool."""
