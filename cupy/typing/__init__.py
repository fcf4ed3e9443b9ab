"""Types for annotations: ArrayLike, DTypeLike, NDArray."""
import types
from typing import Any, TypeVar, Union

import numpy
from numpy.typing import DTypeLike

from cupy._core.core import ndarray

_Scalar = TypeVar('_Scalar', bound=numpy.generic)

ArrayLike = Union[ndarray, numpy.generic, bool, int, float, complex, list, tuple]
NDArray = types.GenericAlias(ndarray, (Any, types.GenericAlias(numpy.dtype, (_Scalar,))))

__all__ = ['ArrayLike', 'DTypeLike', 'NDArray']
