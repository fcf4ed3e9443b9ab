"""SciPy's functions for arrays of ours. SciPy itself computes them, on host memory."""
import importlib as _importlib

from cupy import get_array_module as _get_array_module

_SUBMODULES = ('fft', 'fftpack', 'interpolate', 'linalg', 'ndimage', 'signal', 'sparse', 'spatial', 'special', 'stats')


def get_array_module(*args):
    """cupy if any argument is an array of it or one of its sparse matrices, else numpy."""
    import cupy
    from cupy._host_call import Proxy
    return cupy if any(isinstance(a, Proxy) for a in args) else _get_array_module(*args)


def __getattr__(name):
    if name in _SUBMODULES:
        return _importlib.import_module(f'cupyx.scipy.{name}')
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
