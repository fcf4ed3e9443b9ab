"""flatiter: ndarray.flat."""
from cupy._core._indexing cimport getitem, setitem
from cupy._core._indexing_functions cimport put
from cupy._core._key cimport to_integer
from cupy._core._scalar cimport scalar_kind
from cupy._core.core cimport (
    C_CONTIGUOUS, as_array, copy_of, mark_scalar, ndarray, new_view, require_writeable, reshape_to)
from cupy_backends.backend.xpu cimport *


cdef class flatiter:
    """The elements of an array in C order, as ndarray.flat gives them.

    Iteration gives 0-d arrays. Items and slices are read as copies and can be assigned; values are repeated when they are fewer.

    Args: a: the array.
    """
    cdef readonly ndarray base
    cdef int64_t _next

    def __init__(self, a):
        if not isinstance(a, ndarray):
            raise TypeError('flatiter takes an ndarray')
        self.base = a
        self._next = 0

    cdef int64_t _position(self, object key) except -1:
        cdef int64_t size = self.base.t.size, i = to_integer(key.__index__())
        if not -size <= i < size:
            raise IndexError(f'index {i} is out of bounds for size {size}')
        return i + size if i < 0 else i

    cdef ndarray _element_view(self, int64_t i):
        cdef ndarray a = self.base
        cdef int d
        cdef int64_t offset = a.t.offset
        for d in range(a.t.ndim - 1, -1, -1):
            offset += i % a.t.shape[d] * a.t.strides[d]
            i //= a.t.shape[d]
        return new_view(a, 0, NULL, NULL, offset)

    cdef ndarray _line(self):
        """The elements in one axis: a view, or a copy where that cannot be."""
        return reshape_to(self.base, 1, &self.base.t.size)

    @property
    def index(self):
        """The number of elements passed."""
        return self._next

    @property
    def coords(self):
        """The coordinates of the next element."""
        cdef int64_t i = self._next
        found = []
        for n in reversed(self.base.shape):
            found.append(i % n if n else 0)
            i = i // n if n else 0
        return tuple(reversed(found))

    def copy(self):
        """The elements as a new 1-D array."""
        return copy_of(self._line(), c'C')

    def __array__(self, dtype=None, *, copy=None):
        return self._line().__array__(dtype, copy=copy)

    def __len__(self):
        return self.base.t.size

    def __iter__(self):
        return self

    def __next__(self):
        if self._next >= self.base.t.size:
            raise StopIteration
        r = mark_scalar(copy_of(self._element_view(self._next), c'C'))
        self._next += 1
        return r

    def __getitem__(self, key):
        cdef ndarray line, r
        if not isinstance(key, (bool, slice, list, tuple)) and hasattr(key, '__index__') and not (
                isinstance(key, ndarray) and ((<ndarray>key).t.ndim or (<ndarray>key).t.dtype == XPU_BOOL)):
            return mark_scalar(copy_of(self._element_view(self._position(key)), c'C'))
        if isinstance(key, tuple):
            if len(key) != 1:
                raise IndexError('unsupported iterator index')
            return self[key[0]]
        line = self._line()
        r = getitem(line, key)
        return copy_of(r, c'C') if r.t.storage == self.base.t.storage else r

    def __setitem__(self, key, value):
        cdef ndarray line
        require_writeable(self.base)
        if isinstance(key, tuple):
            if len(key) != 1:
                raise IndexError('unsupported iterator index')
            key = key[0]
        if not isinstance(key, (bool, slice, list)) and hasattr(key, '__index__') and not (
                isinstance(key, ndarray) and ((<ndarray>key).t.ndim or (<ndarray>key).t.dtype == XPU_BOOL)):
            setitem(self._element_view(self._position(key)), (), value)
            return
        line = self._line()
        if scalar_kind(value) >= 0 and line.t.storage == self.base.t.storage:
            setitem(line, key, value)
            return
        from cupy._core._creation import arange
        put(self.base, getitem(arange(self.base.t.size), key), value)

    def __eq__(self, other):
        return self._line() == other

    def __ne__(self, other):
        return self._line() != other

    def __lt__(self, other):
        return self._line() < other

    def __le__(self, other):
        return self._line() <= other

    def __gt__(self, other):
        return self._line() > other

    def __ge__(self, other):
        return self._line() >= other

    __hash__ = None
