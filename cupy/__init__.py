"""NumPy's and CuPy's API over a neutral accelerator layer: `import cupy as np` runs NumPy scripts.

Functions built from ops come from the modules named below; what they leave open is served by host_call.
"""
import importlib as _importlib

from cupy import _core, _host_call, _legacy, _types
from cupy._array_api import __array_namespace_info__  # noqa: F401
from cupy._core._dlpack import from_dlpack  # noqa: F401
from cupy._core._matmul import dot, inner, kron, outer, tensordot, vdot  # noqa: F401
from cupy._core._reduction import (  # noqa: F401
    all, any, argmax, argmin, count_nonzero, cumprod, cumsum, cumulative_prod, cumulative_sum, max, mean, min, prod, ptp, std, sum, var)
from cupy._core._sorting import argpartition, argsort, lexsort, partition, searchsorted, sort, sort_complex  # noqa: F401
from cupy._core._ufunc import ufunc  # noqa: F401
from cupy._core.core import ndarray  # noqa: F401
from cupy._creation import *  # noqa: F401,F403
from cupy._einsum import *  # noqa: F401,F403
from cupy._errstate import errstate, geterr, seterr  # noqa: F401
from cupy._functional import asnumpy, get_array_module, load, may_share_memory, shares_memory, show_runtime, vectorize  # noqa: F401
from cupy._index_tricks import *  # noqa: F401,F403
from cupy._indexing import *  # noqa: F401,F403
from cupy._kernels import (  # noqa: F401
    ElementwiseKernel, RawKernel, RawModule, ReductionKernel, clear_memo, disable_experimental_feature_warning, fuse, is_available,
    make_aligned_dtype, memoize)
from cupy._logic import *  # noqa: F401,F403
from cupy._manipulation import *  # noqa: F401,F403
from cupy._math import *  # noqa: F401,F403
from cupy._nanfunctions import *  # noqa: F401,F403
from cupy._padding import *  # noqa: F401,F403
from cupy._sets import *  # noqa: F401,F403
from cupy._statistics import *  # noqa: F401,F403
from cupy._types import can_cast, common_type, finfo, iinfo, result_type  # noqa: F401

__version__ = '15.0.0a1'
__array_api_version__ = '2024.12'

amax, amin = max, min  # noqa: F405
globals().update(_types.shared())
globals().update(_core._ufunc.ufuncs)
_host_call.fill(globals(), '')

# Loaded when first asked for: names of submodules, and functions by their module.
_SUBMODULES = ('cuda', 'exceptions', 'fft', 'lib', 'linalg', 'polynomial', 'random', 'testing', 'typing', 'xpu')
_LAZY = {'emath': 'cupy.lib.scimath', 'poly1d': 'cupy.polynomial._poly1d', 'get_default_memory_pool': 'cupy.xpu',
         'get_default_pinned_memory_pool': 'cupy.xpu', 'show_config': 'cupy.xpu'}


def _missing(name):
    message = _host_call.host_only_message(name)
    if message is None and name in _legacy.GONE.split():
        message = f'cupy has no {name!r}: NumPy 2 removed it'
    return AttributeError(message or f'module {__name__!r} has no attribute {name!r}')


def __getattr__(name):
    if name in _SUBMODULES:
        found = _importlib.import_module(f'cupy.{name}')
    elif name in _LAZY:
        module = _importlib.import_module(_LAZY[name])
        found = module if name == 'emath' else getattr(module, name)
    else:
        try:
            found = _legacy.find(name)
        except LookupError:
            raise _missing(name) from None
    globals()[name] = found
    return found


def __dir__():
    return sorted({n for n in globals() if not n.startswith('_')} | {*_SUBMODULES, *_LAZY, '__version__', '__array_api_version__'})
