"""Addresses and axes of arrays."""
import operator

from cupy.exceptions import AxisError

__all__ = ['byte_bounds', 'normalize_axis_index', 'normalize_axis_tuple']


def normalize_axis_index(axis, ndim, msg_prefix=None):
    """An axis as a number from 0 to ndim - 1.

    Raises:
        AxisError: the axis is out of range; msg_prefix stands before its text.
    """
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise AxisError(axis, ndim, msg_prefix)
    return axis % ndim


def normalize_axis_tuple(axis, ndim, argname=None, allow_duplicate=False):
    """One axis, or several, as a tuple of numbers from 0 to ndim - 1.

    Raises:
        AxisError: an axis is out of range.
        ValueError: an axis comes twice and allow_duplicate is false; the text names argname.
    """
    axes = (axis,) if hasattr(axis, '__index__') else tuple(axis)
    axes = tuple(normalize_axis_index(a, ndim, argname) for a in axes)
    if not allow_duplicate and len(set(axes)) != len(axes):
        raise ValueError(f'repeated axis in `{argname}` argument' if argname else 'repeated axis')
    return axes


def byte_bounds(a):
    """The first address of an array's elements, and the one behind its last.

    Args:
        a: an array; strides may have any sign.

    Returns:
        (low, high): ints. On a device they are device addresses.
    """
    low = high = a._pointer
    for n, step in zip(a.shape, a.strides):
        if step < 0:
            low += (n - 1) * step
        else:
            high += (n - 1) * step
    return low, high + a.itemsize
