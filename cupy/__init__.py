"""NumPy's and CuPy's API over a neutral accelerator layer: `import cupy as np` runs NumPy scripts."""
import importlib as _importlib

from cupy import _core, _host_call, _legacy, _types

__version__ = '15.0.0a1'
__array_api_version__ = '2024.12'

_MODULES = ('_core._convert', '_core._creation', '_core._joining', '_core._manipulation', '_core._indexing', '_core._reduction', '_core._sorting',
            '_core._matmul', '_core._indexing_functions', '_core._flat', '_creation', '_manipulation', '_math', '_logic', '_statistics', '_sets', '_padding', '_einsum', '_array_api', '_indexing', '_index_tricks', '_errstate', '_functional',
            '_kernels')
# Loaded when first asked for.
_SUBMODULES = ('cuda', 'emath', 'exceptions', 'fft', 'lib', 'linalg', 'polynomial', 'random', 'testing', 'typing', 'xpu')
_EXTRA = ('asnumpy', 'get_array_module', 'ElementwiseKernel', 'RawKernel', 'RawModule', 'ReductionKernel', 'fuse', 'memoize', 'clear_memo', 'make_aligned_dtype', 'disable_experimental_feature_warning', 'is_available', 'show_config', 'show_runtime')

ndarray = _core.core.ndarray
ufunc = _core._ufunc.ufunc
globals().update(_types.shared())
globals().update({_n: getattr(_types, _n) for _n in ('can_cast', 'common_type', 'finfo', 'iinfo', 'result_type')})
for _name in _MODULES:
    try:
        _module = _importlib.import_module(f'cupy.{_name}')
    except ModuleNotFoundError:
        continue
    for _n, _v in list(vars(_module).items()):
        if (_n in _EXTRA or hasattr(_types.numpy, _n)) and not _n.startswith('_') and _n not in ('numpy', 'warnings') and getattr(_v, '__module__', _module.__name__) == _module.__name__:
            globals()[_n] = _v
globals().update(_core._ufunc.ufuncs)
_host_call.fill(globals(), '')


def _missing(name):
    message = _host_call.host_only_message(name)
    if message:
        return AttributeError(message)
    if name in _legacy.GONE.split():
        return AttributeError(f'cupy has no {name!r}: NumPy 2 removed it')
    return AttributeError(f'module {__name__!r} has no attribute {name!r}')


def __getattr__(name):
    if name in _SUBMODULES:
        found = _importlib.import_module('cupy.lib.scimath' if name == 'emath' else f'cupy.{name}')
    elif name == 'poly1d':
        found = _host_call.proxy(_types.numpy.poly1d, 'cupy')
    else:
        try:
            found = _legacy.find(name)
        except LookupError:
            raise _missing(name) from None
    globals()[name] = found
    return found


def __dir__():
    return sorted({*globals(), *_SUBMODULES, 'poly1d'})

