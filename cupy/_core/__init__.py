"""The array core: ndarray, ufuncs, reductions, indexing, over the neutral C interface."""
import importlib

from cupy._core import core, _convert, _indexing, _ufunc  # noqa: F401

# TRANSITION: these are being written; replaced by plain imports when all exist
_m = {}
for _n in ('_reduction', '_sorting', '_matmul', '_indexing_functions'):
    try:
        _m[_n] = importlib.import_module('cupy._core.' + _n)
    except ImportError as e:
        import warnings
        warnings.warn(str(e))
        _m[_n] = None


def _package():
    import cupy
    return cupy


core.bind(_m['_reduction'], _m['_sorting'], _m['_matmul'], _m['_indexing_functions'] or _indexing, _package)
_ufunc.bind(_m['_reduction'], _m['_matmul'])
