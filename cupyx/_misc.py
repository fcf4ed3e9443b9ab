"""Functions of cupyx's top level."""
import contextlib
import platform

import numpy

import cupy


def rsqrt(x, out=None):
    """1 / sqrt(x), elementwise.

    Args:
        x: an array; integers become floats as in sqrt.
        out: an array to write to.
    """
    return cupy.reciprocal(cupy.sqrt(x), out=out)


def scatter_add(a, slices, value):
    """Adds to the elements at an index, once for each time that an element is named: cupy.add.at."""
    cupy.add.at(a, slices, value)


def scatter_max(a, slices, value):
    """Raises the elements at an index to at least a value: cupy.maximum.at."""
    cupy.maximum.at(a, slices, value)


def scatter_min(a, slices, value):
    """Lowers the elements at an index to at most a value: cupy.minimum.at."""
    cupy.minimum.at(a, slices, value)


def empty_pinned(shape, dtype=float, order='C'):
    """A numpy.ndarray in memory that devices copy from and to quickly; its elements are not set."""
    count = numpy.prod(shape, dtype=numpy.intp)
    memory = cupy.cuda.alloc_pinned_memory(int(count) * numpy.dtype(dtype).itemsize)
    return numpy.frombuffer(memory, dtype, int(count)).reshape(shape, order=order)


def zeros_pinned(shape, dtype=float, order='C'):
    """As empty_pinned, filled with zeros."""
    made = empty_pinned(shape, dtype, order)
    made[...] = 0
    return made


def empty_like_pinned(a, dtype=None, order='K', subok=None, shape=None):
    """As empty_pinned, with the shape, dtype and order of an array where they are not given."""
    if order in ('K', 'A', None):
        order = 'F' if a.flags.f_contiguous and not a.flags.c_contiguous else 'C'
    return empty_pinned(a.shape if shape is None else shape, a.dtype if dtype is None else dtype, order)


def zeros_like_pinned(a, dtype=None, order='K', subok=None, shape=None):
    """As empty_like_pinned, filled with zeros."""
    made = empty_like_pinned(a, dtype, order, subok, shape)
    made[...] = 0
    return made


_linalg = 'raise'


def geterr():
    """The error settings: NumPy's kinds, and linalg."""
    return {**cupy.geterr(), 'linalg': _linalg}


def seterr(*, divide=None, over=None, under=None, invalid=None, linalg=None):
    """Keeps error settings and returns the old ones.

    Args:
        divide, over, under, invalid: as for cupy.seterr.
        linalg: 'raise' or None; linear algebra always raises LinAlgError.

    Raises:
        NotImplementedError: linalg='ignore', or a setting that cupy.seterr refuses.
    """
    if linalg not in (None, 'raise'):
        raise NotImplementedError(f"linalg={linalg!r}: linear algebra always raises LinAlgError; use 'raise'")
    return {**cupy.seterr(divide=divide, over=over, under=under, invalid=invalid), 'linalg': _linalg}


class errstate(cupy.errstate):
    """Settings of `seterr` within a with statement."""

    def __init__(self, *, divide=None, over=None, under=None, invalid=None, linalg=None):
        if linalg not in (None, 'raise'):
            raise NotImplementedError(f"linalg={linalg!r}: linear algebra always raises LinAlgError; use 'raise'")
        super().__init__(divide=divide, over=over, under=under, invalid=invalid)


class DeviceSynchronized(RuntimeError):
    """Raised where a device would be waited for and allow_synchronize(False) is in force."""

    def __init__(self, message=None):
        super().__init__(message or 'Device was synchronized')


@contextlib.contextmanager
def allow_synchronize(allow):
    """Within it, waiting for the device is allowed. NotImplementedError for allow=False: no backend watches that."""
    if not allow:
        raise NotImplementedError('allow_synchronize(False): waiting is not watched here; cupy.xpu counts synchronisations')
    yield


class GeneralizedUFunc:
    """A generalized ufunc from a Python function. NotImplementedError: use cupy.vectorize with `signature`."""

    def __init__(self, func, signature, **kwargs):
        raise NotImplementedError('GeneralizedUFunc: use cupy.vectorize(func, signature=...)')


class _RuntimeInfo:
    """Versions, as text by str()."""

    def __init__(self, full):
        self.full = full

    def __str__(self):
        rows = [('OS', platform.platform()), ('Python', platform.python_version()), ('cupy', cupy.__version__),
                ('NumPy', numpy.__version__)]
        if self.full:
            rows.append(('CPU', platform.machine()))
        return '\n'.join(f'{k:10s}: {v}' for k, v in rows)


def get_runtime_info(*, full=True):
    """Versions of what is in use; print() it."""
    return _RuntimeInfo(full)
