"""The registry of backends: names, where they come from, which one is used.

A backend is found by name: `host` is part of this package, others are entry points of the group `numpy_ascend.backends`. An entry point
loads to one of: a capsule named "xpu_backend_entry" with the C entry function, an object with such a capsule in `_entry`, the path of a
shared library that exports the symbol `xpu_backend_entry`, or a function that returns one of these.
"""
import ctypes
import importlib
import os
import warnings

GROUP = 'numpy_ascend.backends'
CAPSULE = b'xpu_backend_entry'
BUILTIN = {'host': 'cupy_backends.host._host', 'ascend': 'cupy_backends.ascend._ascend'}

_capsules = {}   # name -> capsule; kept alive for good


def registered():
    """Names of all backends -> where they come from (a module, or an entry point)."""
    from importlib import metadata  # slow to import, and only needed here
    found = dict(BUILTIN)
    points = metadata.entry_points()
    points = points.select(group=GROUP) if hasattr(points, 'select') else points.get(GROUP, ())
    for point in points:
        found.setdefault(point.name, point)
    return found


def _is_capsule(value):
    return type(value).__name__ == 'PyCapsule'


def _from_library(path):
    # the library is never closed: memory of its devices may outlive everything
    function = ctypes.CDLL(os.fspath(path)).xpu_backend_entry
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    return new(ctypes.cast(function, ctypes.c_void_p), CAPSULE, None)


def _capsule_of(source):
    value = importlib.import_module(source) if isinstance(source, str) else source.load()
    if not hasattr(value, '_entry') and callable(value):
        value = value()
    value = getattr(value, '_entry', value)
    if isinstance(value, (str, os.PathLike)):
        value = _from_library(value)
    if not _is_capsule(value):
        raise TypeError(f'the entry point of a backend must give a capsule or the path of a library, not {type(value).__name__}')
    return value


def entry(name, source=None):
    """The capsule of a backend's entry function. Raises RuntimeError if there is no backend of that name."""
    if name not in _capsules:
        source = source or (BUILTIN.get(name) or registered().get(name))
        if source is None:
            raise RuntimeError(f"there is no backend '{name}' (CUPY_XPU_BACKEND); known: auto, {', '.join(registered())}")
        _capsules[name] = _capsule_of(source)
    return _capsules[name]


def probe(name, source=None):
    """Status, version, number of devices and message of a backend; a broken one answers with its error."""
    from cupy_backends.backend import _runtime
    try:
        return _runtime.probe(entry(name, source))
    except Exception as e:  # a third party's backend may fail in any way; the text is shown to the user
        return {'status': -1, 'name': name, 'version': '', 'devices': 0, 'message': f'{type(e).__name__}: {e}'}


def find(name=None):
    """The entry capsule of the named backend; None: the one chosen by CUPY_XPU_BACKEND (auto, host, or a registered name)."""
    name = name or os.environ.get('CUPY_XPU_BACKEND', '').strip() or 'auto'
    if name != 'auto':
        return entry(name)
    for other, source in registered().items():
        if other == 'host':
            continue
        answer = probe(other, source)
        if answer['devices'] > 0:
            return entry(other)
        if answer['status'] < 0:
            warnings.warn(f"backend '{other}' is registered but cannot be used: {answer['message']}", RuntimeWarning, stacklevel=2)
    return entry('host')
