"""r_, c_, s_, index_exp, mgrid, ogrid, ndindex, ndenumerate."""
import itertools
import math

from cupy._core import _creation, _manipulation
from cupy._core._convert import array
from cupy._core.core import ndarray
from cupy._indexing import _result_dtype, indices

__all__ = ['c_', 'index_exp', 'mgrid', 'ndenumerate', 'ndindex', 'ogrid', 'r_', 's_']


def _points(s):
    """The 1-D grid of a slice; an imaginary step is the number of points, ends included."""
    start, stop, step = s.start if s.start is not None else 0, s.stop, s.step if s.step is not None else 1
    if not isinstance(step, complex):
        return _creation.arange(start, stop, step)
    n = int(abs(step))
    dtype = _result_dtype([start, stop, abs(step)])
    line = _creation.arange(n, dtype=dtype)
    return line * ((stop - start) / (n - 1)) + start if n != 1 else line + start


class _Grid:
    """Grids by slices: mgrid[0:3, 0:1:5j]. An imaginary step is the number of points, ends included."""

    def __init__(self, sparse):
        self.sparse = sparse

    def __getitem__(self, key):
        if isinstance(key, slice):
            return _points(key)
        sizes, numbers, bounds = [], [0], []
        for s in key:
            start, step = s.start if s.start is not None else 0, s.step if s.step is not None else 1
            points = isinstance(step, complex)
            step = abs(step) if points else step
            sizes.append(int(step) if points else max(int(math.ceil((s.stop - start) / step)), 0))
            numbers += [start, s.stop, step]
            if points:
                step = (s.stop - start) / (int(step) - 1) if int(step) != 1 else 1
            bounds.append((start, step))
        grid = indices(sizes, _result_dtype(numbers), sparse=self.sparse)
        if self.sparse:
            return tuple(line * step + start for line, (start, step) in zip(grid, bounds))
        for line, (start, step) in zip(grid, bounds):
            line *= step
            line += start
        return grid


class _Concatenator:
    """Arrays, slices and scalars side by side: r_[1:4, 0, a]. A leading string 'axis,ndim,place' says how, as in NumPy."""

    def __init__(self, axis, ndmin, place):
        self._default = axis, ndmin, place

    def __len__(self):
        return 0

    def _directive(self, text):
        if text in ('r', 'c'):
            raise NotImplementedError("the directives 'r' and 'c' make a numpy.matrix, which is not supported: use r_[...] and reshape")
        axis, ndmin, place = self._default
        try:
            parts = [int(x) for x in text.split(',')]
        except ValueError:
            raise ValueError(f'unknown special directive {text!r}') from None
        if len(parts) == 1:
            return parts[0], ndmin, place
        return parts[0], parts[1], parts[2] if len(parts) > 2 else place

    @staticmethod
    def _placed(item, ndmin, place):
        """item with axes of length 1 added: its own ones start at `place`."""
        n = item.ndim
        item = array(item, copy=None, ndmin=ndmin)
        if place == -1 or n >= ndmin:
            return item
        added = ndmin - n
        at = place + added + 1 if place < 0 else place
        axes = list(range(ndmin))
        return item.transpose(axes[:at] + axes[added:] + axes[at:added])

    def __getitem__(self, key):
        key = key if isinstance(key, tuple) else (key,)
        axis, ndmin, place = self._default
        parts, kinds = [], []
        for i, item in enumerate(key):
            if isinstance(item, str):
                if i:
                    raise ValueError('special directives must be the first entry.')
                axis, ndmin, place = self._directive(item)
                continue
            if isinstance(item, slice):
                item = _points(item)
                kinds.append(item)
                item = array(item, copy=None, ndmin=ndmin)
                parts.append(item.swapaxes(-1, place) if ndmin > 1 and place != -1 else item)
            elif isinstance(item, (int, float, complex)):
                kinds.append(item)
                parts.append(array(item, ndmin=ndmin))
            else:
                item = item if isinstance(item, ndarray) else array(item)
                kinds.append(item)
                parts.append(self._placed(item, ndmin, place))
        if not parts:
            raise ValueError('need at least one array to concatenate')
        dtype = _result_dtype(kinds)
        return _manipulation.concatenate([x.astype(dtype, copy=False) for x in parts], axis=axis)


class _IndexExpression:
    """Gives back what stands between its brackets: s_[2::2]; index_exp always a tuple."""

    def __init__(self, maketuple):
        self.maketuple = maketuple

    def __getitem__(self, item):
        return (item,) if self.maketuple and not isinstance(item, tuple) else item


class ndindex:
    """Iterates over the coordinates of a shape, the last axis fastest. Args: shape: ints, or one tuple."""

    def __init__(self, *shape):
        if len(shape) == 1 and isinstance(shape[0], tuple):
            shape = shape[0]
        if min(shape, default=0) < 0:
            raise ValueError('negative dimensions are not allowed')
        self._places = itertools.product(*[range(n) for n in shape])

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._places)


class ndenumerate:
    """Iterates over (coordinates, element) of an array, the last axis fastest."""

    def __init__(self, arr):
        self.iter = _manipulation.operand(arr).flat
        self._places = ndindex(*self.iter.base.shape)

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._places), next(self.iter)


mgrid = _Grid(sparse=False)
ogrid = _Grid(sparse=True)
r_ = _Concatenator(0, 1, -1)
c_ = _Concatenator(-1, 2, 0)
s_ = _IndexExpression(maketuple=False)
index_exp = _IndexExpression(maketuple=True)
