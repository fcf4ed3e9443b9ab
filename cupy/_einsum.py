"""Einstein summation: labels are parsed once per expression; pairs of operands become products of matrices, the smallest result first."""
import functools
import math
import string

import numpy

import cupy
from cupy._core._manipulation import as_strided, operand

__all__ = ['einsum']

_PLAIN = (None, None)  # the layout of an operand that needs no change
_LETTERS = string.ascii_uppercase + string.ascii_lowercase


# --- parsing ---

def _axis_labels(term, ndim, number):
    """The labels of an operand's axes: letters, and negative numbers for the axes of an ellipsis, counted from its right end."""
    before, dots, after = term.partition('...')
    for c in before + after:
        if c not in _LETTERS:
            raise ValueError(f"invalid subscript '{c}' in einstein sum subscripts string, subscripts must be letters")
    extra = ndim - len(before) - len(after)
    if extra < 0:
        raise ValueError(f'einstein sum subscripts string contains too many subscripts for operand {number}')
    if extra and not dots:
        raise ValueError("operand has more dimensions than subscripts given in einstein sum, but no '...' ellipsis provided to broadcast "
                         'the extra dimensions.')
    return list(before) + list(range(-extra, 0)) + list(after)


def _output_labels(text, inputs):
    """The labels of the result's axes; without '->' the ellipsis and all letters that occur once, sorted."""
    found = [label for labels in inputs for label in labels]
    width = -min([x for x in found if isinstance(x, int)], default=0)
    if text is None:
        return list(range(-width, 0)) + sorted(x for x in set(found) if isinstance(x, str) and found.count(x) == 1)
    before, dots, after = text.partition('...')
    for c in before + after:
        if c not in _LETTERS:
            raise ValueError(f"invalid subscript '{c}' in einstein sum subscripts string, subscripts must be letters")
        if c not in found:
            raise ValueError(f"einstein sum subscripts string included output subscript '{c}' which never appeared in an input")
        if (before + after).count(c) > 1:
            raise ValueError(f"einstein sum subscripts string includes output subscript '{c}' multiple times")
    if width and not dots:
        raise ValueError('output had too few broadcast dimensions')
    return list(before) + list(range(-width, 0)) + list(after)


@functools.lru_cache(512)
def _parse(subscripts, ndims):
    """Labels of each operand and of the result."""
    text = subscripts.replace(' ', '')
    left, arrow, right = text.partition('->')
    terms = left.split(',')
    if len(terms) != len(ndims):
        raise ValueError(f'{"more" if len(ndims) > len(terms) else "fewer"} operands provided to einstein sum function than specified in '
                         'the subscripts string')
    inputs = [_axis_labels(term, ndim, i) for i, (term, ndim) in enumerate(zip(terms, ndims))]
    return inputs, _output_labels(right if arrow else None, inputs)


def _from_lists(operands):
    """The form einsum(a, [0, 1], b, [1, 2], [0, 2]) as a subscripts string and arrays."""
    def term(labels):
        letters = []
        for x in labels:
            if x is not Ellipsis and not (hasattr(x, '__index__') and 0 <= x.__index__() < 52):
                raise ValueError('subscript is not within the valid range [0, 52)')
            letters.append('...' if x is Ellipsis else _LETTERS[x.__index__()])
        return ''.join(letters)

    pairs = len(operands) // 2
    text = ','.join(term(labels) for labels in operands[1:2 * pairs:2])
    if len(operands) % 2:
        text += '->' + term(operands[-1])
    return text, operands[:2 * pairs:2]


# --- planning: from labels and shapes alone, so that plans are kept ---

def _kept(shape, labels, number):
    """Labels without repetitions and their lengths."""
    lengths = {}
    for label, n in zip(labels, shape):
        if lengths.setdefault(label, n) != n:
            raise ValueError(f"dimensions in operand {number} for collapsing index '{label}' don't match ({lengths[label]} != {n})")
    return list(lengths), lengths


def _sizes(shapes, found):
    """The length of each label; length 1 is stretched to any other."""
    sizes = {}
    for lengths in found:
        for label, n in lengths.items():
            known = sizes.setdefault(label, n)
            if known == 1:
                sizes[label] = n
            elif n not in (1, known):
                text = ' '.join(str(shape).replace(' ', '') for shape in shapes)
                raise ValueError(f'operands could not be broadcast together with shapes {text} : label {label!r} has lengths {known} '
                                 f'and {n}')
    return sizes


def _arranged(labels, sizes, *groups):
    """(permutation, shape) that bring axes in the order of groups and merge each group; None for what changes nothing."""
    order = [labels.index(x) for group in groups for x in group]
    shape = tuple(math.prod(sizes[x] for x in group) for group in groups)
    same = shape == tuple(sizes[labels[i]] for i in order)
    return None if order == sorted(order) else order, None if same else shape


def _sum_step(labels, keep):
    """The axes to sum over because nobody else needs them, or None, and the labels left."""
    gone = tuple(i for i, x in enumerate(labels) if x not in keep)
    return gone or None, [x for x in labels if x in keep]


def _pair_step(la, lb, keep, sizes):
    """How to multiply two operands and sum over the labels that only they have. Returns the step and the labels of the result."""
    sum_a, la = _sum_step(la, keep | set(lb))
    sum_b, lb = _sum_step(lb, keep | set(la))
    inner = [x for x in la if x in lb and x not in keep]
    if not inner:  # an elementwise product, b's axes in the order of the result
        labels = la + [x for x in lb if x not in la]
        order = [x for x in labels if x in lb]
        a = None, tuple(sizes[x] for x in la) + (1,) * (len(labels) - len(la)) if len(labels) > len(la) else None
        perm, _ = _arranged(lb, sizes, *([x] for x in order))
        b = perm, tuple(sizes[x] if x in lb else 1 for x in labels)
        return ('multiply', sum_a, sum_b, a, b, None), labels
    batch = [x for x in la if x in lb and x in keep]
    left, right = [x for x in la if x not in lb], [x for x in lb if x not in la]
    kind = 'vecdot' if batch and not left and not right else 'matmul'
    before = [batch] if batch else []
    a = _arranged(la, sizes, *before, *([left] if left or kind == 'matmul' and batch else []), inner)
    b = _arranged(lb, sizes, *before, inner, *([right] if right or kind == 'matmul' and batch else [])) if kind == 'matmul' else (
        _arranged(lb, sizes, batch, inner))
    labels = batch + left + right
    plain = len(batch) <= 1 and (len(left) == len(right) == 1 or not batch and len(left) <= 1 and len(right) <= 1 or kind == 'vecdot')
    return (kind, sum_a, sum_b, a, b, None if plain else tuple(sizes[x] for x in labels)), labels


def _next_pair(inputs, sizes, output):
    """The pair whose product grows least over its factors."""
    def growth(pair):
        i, j = pair
        others = set(output).union(*(labels for k, labels in enumerate(inputs) if k not in pair))
        size = [math.prod(sizes[x] for x in labels) for labels in ((set(inputs[i]) | set(inputs[j])) & others, inputs[i], inputs[j])]
        return size[0] - size[1] - size[2]

    n = len(inputs)
    return min(((i, j) for i in range(n) for j in range(i + 1, n)), key=growth)


@functools.lru_cache(512)
def _plan(subscripts, shapes, path):
    """(views to take of each operand or None, pairs to multiply, axes to sum at the end, permutation at the end).

    A view: labels whose diagonals are taken, or None, and an index that drops stretched axes, or None.
    """
    inputs, output = _parse(subscripts, tuple(map(len, shapes)))
    diagonals = [labels if len(set(labels)) < len(labels) else None for labels in inputs]
    found = [_kept(shape, labels, i) for i, (shape, labels) in enumerate(zip(shapes, inputs))]
    inputs = [labels for labels, _ in found]
    sizes = _sizes(shapes, [lengths for _, lengths in found])
    narrow = []
    for i, (labels, lengths) in enumerate(found):
        thin = [x for x in labels if lengths[x] == 1 and sizes[x] != 1]
        narrow.append(tuple(0 if x in thin else slice(None) for x in labels) if thin else None)
        inputs[i] = [x for x in labels if x not in thin]
    steps, path = [], list(path)
    while len(inputs) > 1:
        group = tuple(sorted(path.pop(0))) if path else _next_pair(inputs, sizes, output)
        if len(group) < 2 or not 0 <= group[0] < group[1] or group[-1] >= len(inputs):
            raise ValueError(f'the contraction path names operands {group} where there are {len(inputs)}')
        if len(group) > 2:  # one pair after the other
            path.insert(0, tuple(i - 2 for i in group[2:]) + (len(inputs) - 2,))
            group = group[:2]
        i, j = group
        keep = set(output).union(*(labels for k, labels in enumerate(inputs) if k not in group))
        step, labels = _pair_step(inputs[i], inputs[j], keep, sizes)
        steps.append((i, j, step))
        inputs = [x for k, x in enumerate(inputs) if k not in group] + [labels]
    gone, labels = _sum_step(inputs[0], set(output))
    perm = [labels.index(x) for x in output]
    views = list(zip(diagonals, narrow)) if any(diagonals) or any(narrow) else None
    return views, steps, gone, None if perm == sorted(perm) else perm


# --- carrying it out ---

def _diagonal(a, labels):
    """A view in which each label occurs once."""
    shape, strides = {}, {}
    for label, n, step in zip(labels, a.shape, a.strides):
        shape[label] = n
        strides[label] = strides.get(label, 0) + step
    return as_strided(a, tuple(shape.values()), tuple(strides.values()), writeable=a.flags.writeable)


def _view(a, labels, index):
    if labels is not None:
        a = _diagonal(a, labels)
    return a if index is None else a[index]


def _prepared(a, gone, layout):
    if gone is not None:
        a = cupy.asarray(a.sum(axis=gone, dtype=a.dtype))
    perm, shape = layout
    if perm is not None:
        a = a.transpose(perm)
    return a if shape is None else a.reshape(shape)


def _product(a, b, step):
    kind, sum_a, sum_b, layout_a, layout_b, shape = step
    if sum_a is not None or layout_a != _PLAIN:
        a = _prepared(a, sum_a, layout_a)
    if sum_b is not None or layout_b != _PLAIN:
        b = _prepared(b, sum_b, layout_b)
    if kind == 'matmul':
        result = cupy.matmul(a, b)
    elif kind == 'multiply':
        result = a * b
    else:
        result = cupy.vecdot(a.conj(), b)  # which conjugates its first argument
    return result if shape is None else result.reshape(shape)


def _result_dtype(arrays, dtype, casting):
    target = cupy.result_type(*arrays) if dtype is None else numpy.dtype(dtype)
    for a in arrays:
        if not cupy.can_cast(a.dtype, target, casting):
            raise TypeError(f'Iterator operand could not be cast from {a.dtype!r} to {target!r} according to the rule {casting!r}')
    return target


def einsum(*operands, out=None, optimize=False, dtype=None, order='K', casting='safe'):
    """Sums of products of the operands' elements by labels of their axes.

    Args:
        operands: a string such as 'ij,jk->ik' and arrays, or arrays each followed by a list of labels, then perhaps the result's.
            Without '->' the result has the labels that occur once, sorted. '...' stands for further axes, which are broadcast.
        out: array that receives the result.
        optimize: an order of contraction as from `einsum_path`; otherwise the pair that grows least is taken, whatever it says.
        dtype: dtype to compute in.
        order: memory order of the result.
        casting: which casts to dtype are allowed.

    Returns:
        An array; a view where a single operand's axes are only permuted or diagonals taken.

    Raises:
        ValueError: labels that make no sense or do not fit the operands' shapes. TypeError: a forbidden cast.
    """
    if len(operands) < 2:
        raise ValueError('must specify the einstein sum subscripts string and at least one operand, or at least one operand and its '
                         'corresponding subscripts list')
    subscripts, given = (operands[0], operands[1:]) if isinstance(operands[0], str) else _from_lists(operands)
    arrays = [operand(x) for x in given]
    path = tuple(tuple(p) for p in optimize if not isinstance(p, str)) if optimize and isinstance(optimize, (list, tuple)) and (
        optimize[0] == 'einsum_path') else ()
    views, steps, gone, perm = _plan(subscripts, tuple([a.shape for a in arrays]), path)
    work = target = arrays[0].dtype
    if dtype is not None or [a for a in arrays if a.dtype is not target]:
        work = target = _result_dtype(arrays, dtype, casting)
    if target.char == 'e':
        work = numpy.dtype('f4')  # half precision is summed in single
    view = not steps and gone is None and arrays[0].dtype == target
    if views is not None:
        arrays = [_view(a, *v) for a, v in zip(arrays, views)]
    if not view:
        arrays = [a if a.dtype is work else a.astype(work, copy=False) for a in arrays]
    for i, j, step in steps:
        made = _product(arrays[i], arrays[j], step)
        del arrays[j], arrays[i]
        arrays.append(made)
    result = arrays[0]
    if gone is not None or perm is not None:
        result = _prepared(result, gone, (perm, None))
    if out is not None:
        cupy.copyto(out, result.astype(target, copy=False), casting='same_kind')
        return out
    if view:
        return result
    if order != 'K' or work is not target:
        result = result.astype(target, order=order, copy=False)
    return result._as_scalar() if result.ndim == 0 else result
