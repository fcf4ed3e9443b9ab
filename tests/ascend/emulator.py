"""The emulator's control functions, by ctypes.

The emulator is the one that the process uses, when it uses one: its library is opened by the same path as by the backend.
"""
import contextlib
import ctypes
import functools
import pathlib

import cupy_backends

LIB = pathlib.Path(cupy_backends.__path__[0]) / 'ascend' / 'emulator' / 'lib'

SIGNATURES = {  # name: (result, arguments)
    'emu_reset_counts': (None, []),
    'emu_count': (ctypes.c_uint64, [ctypes.c_char_p]),
    'emu_counts': (ctypes.c_int, [ctypes.c_char_p, ctypes.c_int]),
    'emu_inject': (None, [ctypes.c_char_p, ctypes.c_int64, ctypes.c_int]),
    'emu_clear_injections': (None, []),
    'emu_violation_count': (ctypes.c_int, []),
    'emu_violations': (ctypes.c_int, [ctypes.c_char_p, ctypes.c_int]),
    'emu_clear_violations': (None, []),
    'emu_live_objects': (ctypes.c_int64, [ctypes.c_char_p]),
    'emu_trace': (ctypes.c_int, [ctypes.c_char_p]),
    'emu_seed': (None, [ctypes.c_uint64]),
    'emu_set_soc': (None, [ctypes.c_char_p]),
    'emu_set_delay': (None, [ctypes.c_int64]),
    'emu_set_devices': (ctypes.c_int, [ctypes.c_int]),
    'emu_set_memory': (ctypes.c_int, [ctypes.c_uint64]),
    'emu_live_bytes': (ctypes.c_uint64, [ctypes.c_int]),
    'emu_live_blocks': (ctypes.c_uint64, [ctypes.c_int]),
    'emu_peak_bytes': (ctypes.c_uint64, [ctypes.c_int]),
    'emu_fault': (ctypes.c_int, [ctypes.c_int, ctypes.c_int]),
    'emu_peek': (ctypes.c_int, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint64]),
}


@functools.lru_cache(maxsize=None)
def library():
    lib = ctypes.CDLL(str(LIB / 'libemu_core.so'))
    for name, (result, arguments) in SIGNATURES.items():
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return lib


def available():
    return (LIB / 'libemu_core.so').exists()


def _text(function):
    size = function(None, 0)
    while True:
        buffer = ctypes.create_string_buffer(size)
        needed = function(buffer, size)
        if needed <= size:
            return buffer.value.decode()
        size = needed


def reset_counts():
    library().emu_reset_counts()


def count(name='*'):
    """Calls of a function of CANN since `reset_counts`; '*': of all."""
    return library().emu_count(name.encode())


def counts():
    """{name: calls} since `reset_counts`."""
    return {name: int(n) for name, n in (line.split() for line in _text(library().emu_counts).splitlines())}


def phases():
    """What operators ran: {name: (calls of phase one, calls of phase two)}."""
    found, tail = counts(), 'GetWorkspaceSize'
    names = {name[:-len(tail)] if name.endswith(tail) else name for name in found if name.startswith('aclnn')}
    return {name[5:]: (found.get(name + tail, 0), found.get(name, 0)) for name in names if name not in ('aclnnInit', 'aclnnFinalize')}


def inject(name, nth, code):
    """The nth call from now (1: the next) of a function, or of any ('*'), fails with a status; null for what returns a pointer."""
    library().emu_inject(name.encode(), nth, code)


def clear_injections():
    library().emu_clear_injections()


def violations():
    """The rules that were broken, a line each."""
    return _text(library().emu_violations).splitlines()


def clear_violations():
    library().emu_clear_violations()


def live_objects(kind='*'):
    """Objects of the client that live: 'tensor', 'scalar', 'int_array', 'tensor_list', 'executor', 'stream', 'event', ..."""
    return library().emu_live_objects(kind.encode())


def live_bytes(device=0):
    """Device memory that was not freed; device -1: page-locked host memory."""
    return library().emu_live_bytes(device)


def live_blocks(device=0):
    return library().emu_live_blocks(device)


def peak_bytes(device=0):
    return library().emu_peak_bytes(device)


def trace(path):
    """Writes every call to a file from now on; None: no more."""
    if library().emu_trace(str(path).encode() if path else None) != 0:
        raise OSError(f'cannot write {path}')


def seed(value):
    """Chooses among the behaviours that the documents leave open; 0: the plain ones."""
    library().emu_seed(value)


def set_soc(name):
    library().emu_set_soc(name.encode())


def set_delay(microseconds):
    """How long queued work waits before it starts by itself; negative: until somebody waits for it."""
    library().emu_set_delay(microseconds)


def set_devices(count):
    """Before acl is initialised only."""
    if library().emu_set_devices(count) != 0:
        raise RuntimeError('acl is initialised')


def set_memory(nbytes):
    """Before acl is initialised only."""
    if library().emu_set_memory(nbytes) != 0:
        raise RuntimeError('acl is initialised')


def fault(device=0, code=507015):
    """Breaks a device: all its later calls fail with the code; 0 mends it."""
    if library().emu_fault(device, code) != 0:
        raise ValueError(f'no device {device}')


def peek(address, nbytes):
    """Device memory as bytes, read behind the client's back."""
    buffer = ctypes.create_string_buffer(nbytes)
    if library().emu_peek(address, buffer, nbytes) != 0:
        raise ValueError('no live device memory')
    return buffer.raw


@contextlib.contextmanager
def no_violations():
    """The block breaks no rule."""
    clear_violations()
    yield
    found = violations()
    assert not found, found
