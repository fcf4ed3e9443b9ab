"""What CuPy offers beyond NumPy: scatter functions, pinned memory, profiling, and SciPy's functions in cupyx.scipy."""
import importlib as _importlib

from cupyx._misc import (DeviceSynchronized, GeneralizedUFunc, allow_synchronize, empty_like_pinned, empty_pinned, errstate,
                         get_runtime_info, geterr, rsqrt, scatter_add, scatter_max, scatter_min, seterr, zeros_like_pinned,
                         zeros_pinned)

__all__ = ['DeviceSynchronized', 'GeneralizedUFunc', 'allow_synchronize', 'empty_like_pinned', 'empty_pinned', 'errstate',
           'get_runtime_info', 'geterr', 'rsqrt', 'scatter_add', 'scatter_max', 'scatter_min', 'seterr', 'zeros_like_pinned',
           'zeros_pinned']
_SUBMODULES = ('jit', 'linalg', 'optimizing', 'profiler', 'scipy', 'signal', 'time')


def __getattr__(name):
    if name in _SUBMODULES:
        return _importlib.import_module(f'cupyx.{name}')
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
