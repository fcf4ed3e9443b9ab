"""Functions on functions, and arrays from and to the outside."""
import numpy

from cupy._core._host_call import FLAGS as _F, call as _call
from cupy._core.core import ndarray



class vectorize:
    """A Python function made to work elementwise on arrays, with NumPy's broadcasting.

    It is a loop over elements on the host: write the computation with array functions where speed matters.

    Args:
        pyfunc: the function; it gets scalars (arrays, where `signature` says so).
        otypes: dtypes of the outputs; without it one more call finds them out.
        doc: the text of the function.
        excluded: positions and names of arguments that are handed over whole.
        cache: whether to keep the first call's result.
        signature: core dimensions, such as '(n),(n)->()'.
    """

    def __init__(self, pyfunc=None, otypes=None, doc=None, excluded=None, cache=False, signature=None):
        self.otypes, self.excluded, self.cache, self.signature = otypes, excluded, cache, signature
        self._doc = doc
        self.pyfunc = None
        if pyfunc is not None:
            self._set(pyfunc)

    def _set(self, pyfunc):
        self.pyfunc = pyfunc
        self.__name__ = getattr(pyfunc, '__name__', type(self).__name__)
        self.__doc__ = self._doc if self._doc is not None else pyfunc.__doc__
        self._numpy = _call(numpy.vectorize, (pyfunc,), {'otypes': self.otypes, 'excluded': self.excluded, 'cache': self.cache,
                                                         'signature': self.signature}, _F['callback'] | _F['quiet'], 'vectorize')

    def __call__(self, *args, **kwargs):
        if self.pyfunc is None:  # used as a decorator with arguments
            self._set(args[0])
            return self
        return _call(self._numpy, args, kwargs, _F['quiet'], 'vectorize')


def asnumpy(a, stream=None, order='C', out=None, *, blocking=True):
    """A numpy.ndarray with a copy of an array's elements.

    Args:
        a: an array, or anything numpy.asarray takes.
        stream: the stream to copy on; the current one by default.
        order: 'C', 'F' or 'A', the memory layout of the result.
        out: a numpy.ndarray of the same shape and dtype to write to.
        blocking: whether to wait for the copy; the host backend always has copied.
    """
    if isinstance(a, ndarray):
        return a.get(stream=stream, order=order, out=out, blocking=blocking)
    made = numpy.asarray(a, order=order)
    if out is None:
        return made
    out[...] = made
    return out


def get_array_module(*args):
    """This package if any argument is an array of it, else numpy."""
    import cupy
    return cupy if any(isinstance(a, ndarray) for a in args) else numpy


def load(file, mmap_mode=None, allow_pickle=False, fix_imports=True, encoding='ASCII', *, max_header_size=10000):
    """The array of an .npy file, the arrays of an .npz file (cupy.lib.npyio.NpzFile), or a pickled object.

    Args:
        file: a path or an open binary file.
        mmap_mode: must be None: device memory cannot be mapped to a file.
        allow_pickle, fix_imports, encoding, max_header_size: as for numpy.load.

    Raises:
        OSError: the file does not exist or cannot be read.
        ValueError: the file is malformed, or holds objects and allow_pickle is false.
        NotImplementedError: mmap_mode is given.
    """
    if mmap_mode is not None:
        raise NotImplementedError('mmap_mode: arrays cannot be mapped to files; use numpy.load(file, mmap_mode) and cupy.asarray')
    import cupy.lib.npyio  # noqa: F401  the class of archives
    return _call(numpy.load, (file,), {'allow_pickle': allow_pickle, 'fix_imports': fix_imports, 'encoding': encoding,
                                       'max_header_size': max_header_size}, _F['quiet'] | _F['design'], 'load')


def may_share_memory(a, b, /, max_work=0):
    """Whether the address ranges of two arrays meet."""
    return _overlap(numpy.may_share_memory, a, b, max_work)


def shares_memory(a, b, /, max_work=-1):
    """Whether two arrays have an element in common.

    Args:
        a, b: arrays.
        max_work: how hard to try, as for numpy.shares_memory.
    """
    return _overlap(numpy.shares_memory, a, b, max_work)


class _Layout:
    """What NumPy needs to know of an array to compare memory: nothing is read."""

    def __init__(self, a):
        self.__array_interface__ = {'version': 3, 'shape': a.shape, 'strides': a.strides, 'typestr': a.dtype.str,
                                    'data': (a._pointer, True)}


def _overlap(function, a, b, max_work):
    a, b = (numpy.asarray(_Layout(x)) if isinstance(x, ndarray) and x.size else x for x in (a, b))
    if isinstance(a, ndarray) or isinstance(b, ndarray):  # an empty array shares nothing
        return False
    return function(a, b, max_work)


def show_runtime():
    """Prints what NumPy knows about the machine, then this package's configuration."""
    import cupy
    numpy.show_runtime()
    cupy.show_config()
