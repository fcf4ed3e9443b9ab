"""Calls the host backend's table from Python, below all of cupy: operands are NumPy arrays, whose memory the calls use as it is."""
import ctypes as ct
import re

import numpy as np

DTYPES = [np.dtype(c) for c in '?bBhHiIlLefdFD']  # in the order of xpu_dtype
CODES = {d: i for i, d in enumerate(DTYPES)}
CALL, REDUCE, ACCUMULATE, REDUCEAT, AT = range(5)
CONTIGUOUS, MASKED, INITIAL = 1, 2, 4
OK, NOT_SUPPORTED, OUT_OF_MEMORY, INVALID_ARGUMENT, INVALID_DEVICE, NOT_READY, INDEX_ERROR, NEGATIVE_POWER = range(8)


class Value(ct.Union):
    _fields_ = [('i', ct.c_int64), ('u', ct.c_uint64), ('f', ct.c_float), ('d', ct.c_double), ('cd', ct.c_double * 2)]


class Tensor(ct.Structure):
    _fields_ = [('base', ct.c_void_p), ('offset', ct.c_int64), ('nbytes', ct.c_int64), ('size', ct.c_int64),
                ('shape', ct.POINTER(ct.c_int64)), ('strides', ct.POINTER(ct.c_int64)), ('ndim', ct.c_int32), ('dtype', ct.c_int32),
                ('storage', ct.c_void_p), ('value', Value)]


class Params(ct.Structure):
    _fields_ = [('i', ct.c_int64 * 4), ('f', ct.c_double * 2), ('axes', ct.POINTER(ct.c_int64)), ('list', ct.POINTER(ct.c_int64)),
                ('naxes', ct.c_int32), ('nlist', ct.c_int32)]


class Call(ct.Structure):
    _fields_ = [('struct_size', ct.c_uint32), ('op', ct.c_int32), ('method', ct.c_int32), ('loop', ct.c_int32), ('nin', ct.c_int32),
                ('nout', ct.c_int32), ('flags', ct.c_uint32), ('device', ct.c_int32), ('in_', ct.POINTER(ct.POINTER(Tensor))),
                ('out', ct.POINTER(ct.POINTER(Tensor))), ('params', ct.POINTER(Params)), ('stream', ct.c_void_p),
                ('result', ct.c_int64 * 4)]


RUNTIME_SLOTS = ('device_count device_props set_device mem_info malloc free malloc_pinned free_pinned memcpy_async memcpy_2d '
                 'memcpy_peer memset_async stream_create stream_destroy stream_query stream_synchronize stream_wait_event '
                 'stream_host_func event_create event_destroy event_record event_query event_synchronize event_elapsed '
                 'device_synchronize last_error').split()


class Backend(ct.Structure):
    _fields_ = ([('abi_version', ct.c_uint32), ('struct_size', ct.c_uint32), ('name', ct.c_char_p), ('version', ct.c_char_p),
                 ('ctx', ct.c_void_p), ('call_size', ct.c_uint32), ('tensor_size', ct.c_uint32)] +
                [(s, ct.c_void_p) for s in RUNTIME_SLOTS] + [('supports', ct.c_void_p), ('launch', ct.c_void_p)])


class Services(ct.Structure):
    _fields_ = [('abi_version', ct.c_uint32), ('struct_size', ct.c_uint32), ('alloc', ct.c_void_p), ('free', ct.c_void_p),
                ('host', ct.c_void_p)]


def _open():
    from cupy_backends.host import _host
    pointer = ct.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ct.c_void_p, [ct.py_object, ct.c_char_p]
    entry = ct.CFUNCTYPE(ct.c_int32, ct.POINTER(Services), ct.POINTER(ct.POINTER(Backend)), ct.POINTER(ct.c_char_p))(
        pointer(_host._entry, b'xpu_backend_entry'))
    backend, message = ct.POINTER(Backend)(), ct.c_char_p()
    status = entry(ct.byref(Services(1, ct.sizeof(Services))), ct.byref(backend), ct.byref(message))
    assert status == OK, message.value
    return backend.contents


backend = _open()
assert backend.call_size == ct.sizeof(Call) and backend.tensor_size == ct.sizeof(Tensor) and backend.struct_size == ct.sizeof(Backend)
_launch = ct.CFUNCTYPE(ct.c_int32, ct.c_void_p, ct.POINTER(Call))(backend.launch)
_supports = ct.CFUNCTYPE(ct.c_int32, ct.c_void_p, ct.POINTER(Call))(backend.supports)
_last_error = ct.CFUNCTYPE(ct.c_char_p, ct.c_void_p)(backend.last_error)


def runtime(slot, *types):
    """The runtime table's function of that name; types: of its arguments after the context."""
    return lambda *args: ct.CFUNCTYPE(ct.c_int32, ct.c_void_p, *types)(getattr(backend, slot))(None, *args)


def tensor(a):
    """A tensor of an array's memory; of a NumPy scalar: one passed by value."""
    t = Tensor()
    t.dtype, t.size, t.ndim = CODES[a.dtype], a.size, a.ndim
    if isinstance(a, np.generic):
        ct.memmove(ct.addressof(t.value), a.tobytes(), a.itemsize)
        return t
    t.base = a.ctypes.data
    t.shape, t.strides = (ct.c_int64 * max(a.ndim, 1))(*a.shape), (ct.c_int64 * max(a.ndim, 1))(*a.strides)
    t.keep = a
    return t


def make(op, ins, outs, loop=0, method=CALL, flags=0, axes=None, i=()):
    tensors = [tensor(a) for a in ins], [tensor(a) for a in outs]
    c = Call(ct.sizeof(Call), op, method, loop, len(ins), len(outs), flags)
    c.in_, c.out = ((ct.POINTER(Tensor) * max(len(ts), 1))(*map(ct.pointer, ts)) for ts in tensors)
    p = Params()
    for k, v in enumerate(i):
        p.i[k] = v
    if axes is not None:
        p.axes, p.naxes = (ct.c_int64 * max(len(axes), 1))(*axes), len(axes)
    c.params = ct.pointer(p)
    c.keep = tensors, p
    return c


def launch(op, ins, outs, loop=0, method=CALL, flags=0, axes=None, i=()):
    """Runs one call; returns (status, call)."""
    c = make(op, ins, outs, loop, method, flags, axes, i)
    return _launch(None, ct.byref(c)), c


def run(*args, **kwargs):
    status, call = launch(*args, **kwargs)
    assert status == OK, (status, _last_error(None))
    return call


def supports(op, loop=0, method=CALL):
    return _supports(None, ct.byref(make(op, (), (), loop, method)))


class Op:
    """A row of the op table. loops: [(input dtypes, output dtypes)]."""

    def __init__(self, row):
        self.id, self.name, self.kind, self.nin, self.nout = row['id'], row['name'], row['kind'], row['nin'], row['nout']
        self.loops = [tuple([np.dtype(c) for c in part] for part in re.split('->', t)) for t in row['loops'].split()]


def _ops():
    from cupy_backends.backend import _runtime
    return {row['name']: Op(row) for row in _runtime.ops()}


ops = _ops()


def loop_index(name, *dtypes):
    return [ins + outs for ins, outs in ops[name].loops].index([np.dtype(d) for d in dtypes])
