"""Ready-made memory hooks."""
import sys
import traceback

from cupy.xpu.memory_hook import MemoryHook


def _line(hook, keys):
    def write(self, **kwargs):
        fields = ','.join(f'"{k}":{kwargs[k]}' for k in keys)
        print(f'{{"hook":"{hook}",{fields}}}', file=self.file)
        if self.flush:
            self.file.flush()
    return write


class DebugPrintHook(MemoryHook):
    """Writes a line of JSON for each allocation.

    DebugPrintHook(file=sys.stdout, flush=True)

    Args:
        file: where to.
        flush: whether to flush after each line.
    """
    name = 'DebugPrintHook'

    def __init__(self, file=None, flush=True):
        self.file = sys.stdout if file is None else file
        self.flush = flush

    alloc_postprocess = _line('alloc', ('device_id', 'mem_size', 'mem_ptr'))
    malloc_postprocess = _line('malloc', ('device_id', 'size', 'mem_size', 'mem_ptr', 'pmem_id'))
    free_postprocess = _line('free', ('device_id', 'mem_size', 'mem_ptr', 'pmem_id'))


class _Frame:
    """What was allocated below a place in the program."""

    def __init__(self):
        self.used = self.acquired = 0     # from pools, from devices
        self.children = {}


def _human(n):
    for unit in ('B', 'KB', 'MB', 'GB', 'TB'):
        if n < 1024 or unit == 'TB':
            return f'{n:.2f}{unit}'
        n /= 1024


class LineProfileHook(MemoryHook):
    """Sums up allocations by the lines of the program that caused them.

    LineProfileHook(max_depth=0)

    Args:
        max_depth: how many frames of the call stack are kept, from the outermost; 0: all.
    """
    name = 'LineProfileHook'

    def __init__(self, max_depth=0):
        self._root = _Frame()
        self._max_depth = max_depth

    def malloc_preprocess(self, *, device_id=0, size=0, mem_size=0):
        self._add('used', mem_size)

    def alloc_preprocess(self, *, device_id=0, mem_size=0):
        self._add('acquired', mem_size)

    def _add(self, field, n):
        stack = [(f.filename, f.lineno, f.name) for f in traceback.extract_stack()[:-2]]
        node = self._root
        setattr(node, field, getattr(node, field) + n)
        for place in stack[:self._max_depth] if self._max_depth else stack:
            node = node.children.setdefault(place, _Frame())
            setattr(node, field, getattr(node, field) + n)

    def print_report(self, file=None):
        """Writes the report: bytes taken from pools and from devices, by line, callers before callees."""
        file = sys.stdout if file is None else file
        root = self._root
        print(f'_root ({_human(root.used)}, {_human(root.acquired)})', file=file)
        self._print(root, 1, file)

    def _print(self, node, depth, file):
        for (filename, line, name), child in node.children.items():
            print(f'{"  " * depth}{filename}:{line}:{name} ({_human(child.used)}, {_human(child.acquired)})', file=file)
            self._print(child, depth + 1, file)
