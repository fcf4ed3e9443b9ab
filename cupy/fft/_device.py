"""Transforms of one axis in single precision on a device that has them. All others are NotImplemented here: NumPy computes them."""
import math
import operator

import numpy

import cupy
from cupy._core._fft import transform

_SINGLE = {'e': 'f', 'f': 'f', 'F': 'F'}


def _scale(n, norm, forward):
    """The factor of the sums, or None for a norm that NumPy refuses."""
    if norm == 'ortho':
        return 1 / math.sqrt(n)
    if norm in (None, 'backward'):
        return 1.0 if forward else 1.0 / n
    if norm == 'forward':
        return 1.0 / n if forward else 1.0
    return None


def _fit(a, length):
    """The last axis cut or filled up with zeros."""
    if a.shape[-1] >= length:
        return a[..., :length]
    r = cupy.zeros((*a.shape[:-1], length), a.dtype)
    r[..., :a.shape[-1]] = a
    return r


def _maker(forward, real_in=False, real_out=False):
    def run(a, n=None, axis=-1, norm=None, out=None):
        dtype = _SINGLE.get(a.dtype.char) if isinstance(a, cupy.ndarray) else None
        if dtype is None or out is not None or not a.size or not -a.ndim <= axis < a.ndim or (real_in and dtype == 'F'):
            return NotImplemented
        length = a.shape[axis] if n is None else operator.index(n)
        if real_out and n is None:
            length = 2 * (length - 1)
        scale = _scale(length, norm, forward) if length > 0 else None
        if scale is None:
            return NotImplemented  # NumPy says what is wrong
        if a.dtype.char == 'e':
            scale = float(numpy.float16(scale))  # NumPy has the factor in the dtype of the array
        a = a.astype('f' if real_in else 'F', copy=False)
        last = cupy.moveaxis(a, axis, -1)
        r = transform(_fit(last, length // 2 + 1 if real_out else length), length, forward, scale, real_in, real_out)
        return r if r is NotImplemented else cupy.moveaxis(r, -1, axis)
    return run


FUNCTIONS = {'fft': _maker(True), 'ifft': _maker(False), 'rfft': _maker(True, real_in=True), 'irfft': _maker(False, real_out=True)}
