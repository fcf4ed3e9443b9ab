"""Sets of elements: unique values, membership, and the operations of set algebra. All by sorting."""
from typing import NamedTuple

import cupy
from cupy._core._manipulation import normalize_axis_index, operand

__all__ = ['intersect1d', 'isin', 'setdiff1d', 'setxor1d', 'union1d', 'unique', 'unique_all', 'unique_counts', 'unique_inverse',
           'unique_values']


class UniqueAllResult(NamedTuple):
    values: cupy.ndarray
    indices: cupy.ndarray
    inverse_indices: cupy.ndarray
    counts: cupy.ndarray


class UniqueCountsResult(NamedTuple):
    values: cupy.ndarray
    counts: cupy.ndarray


class UniqueInverseResult(NamedTuple):
    values: cupy.ndarray
    inverse_indices: cupy.ndarray


def _first_of_run(ordered, equal_nan):
    """Where a sorted vector differs from its predecessor."""
    mask = cupy.ones(ordered.shape, bool)
    later, earlier = ordered[1:], ordered[:-1]
    changes = later != earlier
    if equal_nan and ordered.dtype.kind in 'fc':
        changes &= ~(cupy.isnan(later) & cupy.isnan(earlier))
    mask[1:] = changes
    return mask


def _first_of_rows(rows, order):
    ordered = rows[order]
    mask = cupy.ones(len(rows), bool)
    mask[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    return mask


def _extras(mask, order, return_index, return_inverse, return_counts):
    """What unique returns besides the values."""
    found = []
    if return_index:
        found.append(order[mask])
    if return_inverse:
        inverse = cupy.empty(mask.shape, int)
        inverse[order] = cupy.cumsum(mask) - 1
        found.append(inverse)
    if return_counts:
        found.append(cupy.diff(cupy.flatnonzero(mask), append=mask.size))
    return found


def _unique_rows(ar, axis, wanted):
    rows = cupy.moveaxis(ar, axis, 0)
    shape = rows.shape
    rows = rows.reshape(shape[0], -1) if rows.size else rows.reshape(shape[0], 0)
    order = cupy.lexsort(rows.T[::-1]) if rows.size else cupy.arange(len(rows))
    mask = _first_of_rows(rows, order)
    values = rows[order[mask]]
    return cupy.moveaxis(values.reshape((len(values),) + shape[1:]), 0, axis), _extras(mask, order, *wanted)


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True):
    """The distinct elements, sorted.

    Args:
        return_index: also the index of the first occurrence of each.
        return_inverse: also the indices that rebuild the input from the result.
        return_counts: also how often each occurs.
        axis: distinct slices along this axis instead of elements of the flattened array.
        equal_nan: whether NaNs count as one value.
        sorted: the result is sorted either way.

    Returns:
        The array, or a tuple with the other arrays asked for.
    """
    ar = operand(ar)
    return_index = bool(return_index)
    wanted = return_index, return_inverse, return_counts
    if axis is not None:
        values, extras = _unique_rows(ar, normalize_axis_index(axis, ar.ndim), wanted)
        return (values, *extras) if extras else values
    flat = ar.ravel()
    if not (return_index or return_inverse):
        order = None
        ordered = cupy.sort(flat)
    else:
        order = cupy.argsort(flat, stable=True)
        ordered = flat[order]
    mask = _first_of_run(ordered, equal_nan)
    extras = _extras(mask, order, *wanted)
    if return_inverse:
        extras[return_index] = extras[return_index].reshape(ar.shape)
    return (ordered[mask], *extras) if extras else ordered[mask]


def unique_all(x):
    """Distinct elements as (values, indices, inverse_indices, counts); NaNs are distinct."""
    return UniqueAllResult(*unique(x, True, True, True, equal_nan=False))


def unique_counts(x):
    """Distinct elements as (values, counts); NaNs are distinct."""
    return UniqueCountsResult(*unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x):
    """Distinct elements as (values, inverse_indices); NaNs are distinct."""
    return UniqueInverseResult(*unique(x, return_inverse=True, equal_nan=False))


def unique_values(x):
    """Distinct elements; NaNs are distinct."""
    return unique(x, equal_nan=False)


def _in_table(flat, tests):
    """Membership by a table of booleans over the range of integer tests; None for other dtypes, and where the table would be large."""
    if flat.dtype.kind not in 'bi' or tests.dtype.kind not in 'bi' or flat.size < 500:
        return None
    flat, tests = flat.astype(int, copy=False), tests.astype(int, copy=False)
    low, high = int(tests.min()), int(tests.max())
    if high - low > 6 * (flat.size + tests.size):
        return None
    table = cupy.zeros(high - low + 1, bool)
    table[tests - low] = True
    return table[cupy.clip(flat, low, high) - low] & (flat >= low) & (flat <= high)


def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    """Where elements occur among the test elements.

    Args:
        assume_unique: ignored; only a hint.
        invert: where they do not occur.
        kind: None, 'sort' or 'table'; the answer is the same.
    """
    if kind not in (None, 'sort', 'table'):
        raise ValueError(f"Invalid kind: '{kind}'. Please use None, 'sort' or 'table'.")
    element, tests = operand(element), operand(test_elements).ravel()
    if kind == 'table' and not (element.dtype.kind in 'biu' and tests.dtype.kind in 'biu'):
        raise ValueError("The 'table' method is only supported for boolean or integer arrays. Please select 'sort' or None for kind.")
    if tests.size == 0:
        return cupy.full(element.shape, invert, bool)
    flat = element.ravel()
    found = None if kind == 'sort' else _in_table(flat, tests)
    if found is not None:
        return (~found if invert else found).reshape(element.shape)
    tests = cupy.sort(tests)
    place = cupy.minimum(cupy.searchsorted(tests, flat), tests.size - 1)
    found = tests[place] != flat if invert else tests[place] == flat
    return found.reshape(element.shape)


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """The sorted distinct elements that occur in both arrays; return_indices: also where each first occurs in them."""
    a, b = operand(ar1).ravel(), operand(ar2).ravel()
    if not assume_unique:
        a, first = unique(a, return_index=True)
        b, second = unique(b, return_index=True)
    both = cupy.concatenate((a, b))
    order = cupy.argsort(both, stable=True)
    both = both[order]
    twice = both[1:] == both[:-1]
    common = both[:-1][twice]
    if not return_indices:
        return common
    place1, place2 = order[:-1][twice], order[1:][twice] - a.size
    return (common, place1, place2) if assume_unique else (common, first[place1], second[place2])


def setxor1d(ar1, ar2, assume_unique=False):
    """The sorted distinct elements that occur in only one of two arrays."""
    a, b = operand(ar1).ravel(), operand(ar2).ravel()
    if not assume_unique:
        a, b = unique(a), unique(b)
    both = cupy.sort(cupy.concatenate((a, b)))
    edge = cupy.ones(both.size + 1, bool)
    edge[1:-1] = both[1:] != both[:-1]
    return both[edge[1:] & edge[:-1]]


def union1d(ar1, ar2):
    """The sorted distinct elements of both arrays."""
    return unique(cupy.concatenate((ar1, ar2), axis=None))


def setdiff1d(ar1, ar2, assume_unique=False):
    """The sorted distinct elements of the first array that do not occur in the second."""
    a = operand(ar1).ravel() if assume_unique else unique(ar1)
    return a[isin(a, ar2, invert=True)]
