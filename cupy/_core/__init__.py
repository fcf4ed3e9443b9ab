"""The array core: ndarray, ufuncs, reductions, indexing, over the neutral C interface."""
from cupy._core import core, _convert, _ufunc  # noqa: F401
from cupy._core import _indexing_functions, _matmul, _reduction, _sorting


def _package():
    import cupy
    return cupy


core.bind(_reduction, _sorting, _matmul, _indexing_functions, _package)
_ufunc.bind(_reduction, _matmul)
