"""Frequencies, and shifts of the zero frequency."""
import operator

import cupy


def _count(n):
    try:
        return operator.index(n)
    except TypeError:
        raise ValueError('n should be an integer') from None


def fftfreq(n, d=1.0, device=None):
    """The frequencies of a transform, negative ones last.

    Args:
        n: length of the window.
        d: distance of samples.
        device: None or the current device.

    Returns:
        n floats in cycles per unit of d.

    Raises:
        ValueError: n is no integer.
    """
    n = _count(n)
    r = cupy.arange(n, device=device)
    r[(n - 1) // 2 + 1:] -= n
    return r * (1.0 / (n * d))


def rfftfreq(n, d=1.0, device=None):
    """The frequencies of a transform of real numbers: the first n // 2 + 1 of fftfreq, all positive.

    Args:
        n: length of the window.
        d: distance of samples.
        device: None or the current device.

    Raises:
        ValueError: n is no integer.
    """
    n = _count(n)
    return cupy.arange(n // 2 + 1, device=device) * (1.0 / (n * d))


def _shift(x, axes, sign):
    x = cupy.asarray(x)
    if axes is None:
        axes = tuple(range(x.ndim))
    elif isinstance(axes, int):
        return cupy.roll(x, sign * (x.shape[axes] // 2), axes)
    return cupy.roll(x, [sign * (x.shape[a] // 2) for a in axes], tuple(axes))


def fftshift(x, axes=None):
    """Moves the zero frequency to the middle.

    Args:
        x: an array.
        axes: the axes to shift; all by default.
    """
    return _shift(x, axes, 1)


def ifftshift(x, axes=None):
    """Undoes fftshift.

    Args:
        x: an array.
        axes: the axes to shift; all by default.
    """
    return _shift(x, axes, -1)
