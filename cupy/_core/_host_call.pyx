"""The border to NumPy: arrays both ways, and calls of NumPy's public functions on host memory (host_call).

On backends whose memory the CPU can read, NumPy works on our memory and we keep its results' memory: nothing is copied.
On others the arguments are staged, results are uploaded, and what was written in place is copied back.
"""
cimport cython
cimport numpy as cnp
from cpython.object cimport PyObject, PyObject_Call, PyTypeObject
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdlib cimport malloc
from libc.string cimport memcpy
from cupy._core.core cimport (ALIGNED, C_CONTIGUOUS, F_CONTIGUOUS, INLINE_NDIM, OWNDATA, SCALAR, WRITEABLE, as_contiguous, copy_into,
                              ndarray, new_array, new_like, new_scalar, new_view)
from cupy._core._dtype cimport dtype_object, itemsize_of, number_of_char
from cupy._core._launch cimport api, check
from cupy_backends.backend.xpu cimport XPU_CAP_HOST_MEMORY, XPU_MAX_NDIM, int32_t, int64_t, xpu_status, xpu_stream

import contextvars
import inspect
import threading
import warnings

import numpy

cnp.import_array()

cdef extern from "Python.h":
    bint Py_IsInitialized() nogil

cdef extern from "numpy/arrayobject.h":
    PyTypeObject PyArray_Type
    PyObject* PyArray_NewFromDescr(PyTypeObject*, void* descr, int nd, int64_t* dims, int64_t* strides, void* data,
                                   int flags, PyObject* obj) except NULL
    int PyArray_SetBaseObject(cnp.ndarray, PyObject*) except -1
    PyObject* PyArray_BASE(cnp.ndarray)
    PyObject* PyArray_Scalar(void* data, void* descr, PyObject* base) except NULL
    bint PyArray_CheckExact(object)

# What a function is marked with in the table.
cdef enum:
    QUIET = 1        # cannot set floating-point errors: no need to silence them
    INPLACE = 2      # writes into its array arguments
    CALLBACK = 4     # takes functions of the user: they get and return arrays of ours
    HOST_ARRAYS = 8  # numpy.ndarray arguments are welcome (input and output)
    RAW = 16         # its results are passed on as they are
    DESIGN = 32      # belongs on the host (random numbers, files, text): no fallback

FLAGS = {'quiet': QUIET, 'inplace': INPLACE, 'callback': CALLBACK, 'hostarrays': HOST_ARRAYS, 'raw': RAW, 'design': DESIGN}

cdef enum:
    SMALL = 1024     # bytes

cdef PyObject* _descr[16]
cdef list _dtypes = [dtype_object(_i) for _i in range(14)]
for _i in range(14):
    _descr[_i] = <PyObject*>_dtypes[_i]

cdef type _generic = numpy.generic
cdef type _flatiter = numpy.flatiter
cdef dict _proxies = {}        # NumPy class -> function that makes our proxy
cdef dict _families = {}       # package -> function from a class of it to such a function
counts = {}                    # calls on device memory, by name


def register_family(str package, make):
    """Instances of a package's classes, in results, become make(class)(instance)."""
    _families[package] = make


cdef object _family_wrap(type t):
    """How results of a class without a proxy are wrapped; None: not at all."""
    cdef str package = (t.__module__ or '').partition('.')[0]
    make = _families.get(package)
    wrap = None if make is None else make(t)
    if wrap is not None:
        _proxies[t] = wrap
    return wrap


def register_proxy(numpy_class, wrap):
    """Instances of a NumPy class become `wrap(instance)` when they are results."""
    _proxies[numpy_class] = wrap


# --- our array -> NumPy ---

cdef object _host_view(ndarray a):
    cdef PyObject* descr = _descr[a.t.dtype]
    Py_INCREF(<object>descr)
    cdef PyObject* p = PyArray_NewFromDescr(&PyArray_Type, <void*>descr, a.t.ndim, a.t.shape, a.t.strides, <char*>a.t.base + a.t.offset,
                                            cnp.NPY_ARRAY_WRITEABLE if a.flags_ & WRITEABLE else 0, NULL)
    r = <object>p
    Py_DECREF(r)
    Py_INCREF(a)
    PyArray_SetBaseObject(r, <PyObject*>a)
    return r


cdef object _download(ndarray a):
    """A copy of device memory, in Fortran order where the array has that."""
    cdef bint fortran = (a.flags_ & F_CONTIGUOUS) and not (a.flags_ & C_CONTIGUOUS)
    cdef ndarray source = a if fortran else as_contiguous(a)
    r = numpy.empty(tuple([a.t.shape[i] for i in range(a.t.ndim)]), dtype_object(a.t.dtype), 'F' if fortran else 'C')
    if a.t.size:
        check(api.read(cnp.PyArray_DATA(r), source.t.storage, source.t.offset, a.t.size * itemsize_of[a.t.dtype]))
    return r


cdef bint _staging = False


def stage_always(bint on):
    """For tests: treats host memory as a device's, so that arguments and results are copied. Returns the old setting."""
    global _staging
    old, _staging = _staging, on
    return old


cdef bint _host_memory() noexcept:
    return (api.caps() & XPU_CAP_HOST_MEMORY) != 0 and not _staging


cdef object to_numpy(ndarray a):
    if _host_memory():
        return cnp.PyArray_NewCopy(_host_view(a), cnp.NPY_KEEPORDER)
    return _download(a)


cdef object numpy_view(ndarray a):
    return _host_view(a) if _host_memory() else _download(a)


# --- NumPy -> our array ---

cdef void _drop(void* owner) noexcept nogil:
    if Py_IsInitialized():
        with gil:
            Py_DECREF(<object>owner)


cdef int _number(cnp.ndarray n) except -1:
    cdef object dt = n.dtype
    cdef int c = ord(dt.char)
    cdef int number = number_of_char(c) if c < 128 else -1
    if number < 0:
        raise TypeError(f'dtype {dt} has no array here: use numpy on the host, with .get()')
    return number


cdef int _set_layout(ndarray a, int number, cnp.ndarray n) except -1:
    cdef int i, ndim = cnp.PyArray_NDIM(n), flags = cnp.PyArray_FLAGS(n)
    cdef int64_t size = 1
    if ndim > INLINE_NDIM:
        a.t.shape = <int64_t*>malloc(2 * ndim * sizeof(int64_t))
        if a.t.shape == NULL:
            a.t.shape = a.dims
            raise MemoryError()
        a.t.strides = a.t.shape + ndim
    a.t.ndim = ndim
    a.t.dtype = number
    for i in range(ndim):
        a.t.shape[i] = cnp.PyArray_DIMS(n)[i]
        a.t.strides[i] = cnp.PyArray_STRIDES(n)[i]
        size *= a.t.shape[i]
    a.t.size = size
    a.flags_ = ALIGNED
    if flags & cnp.NPY_ARRAY_C_CONTIGUOUS:
        a.flags_ |= C_CONTIGUOUS
    if flags & cnp.NPY_ARRAY_F_CONTIGUOUS:
        a.flags_ |= F_CONTIGUOUS
    if flags & cnp.NPY_ARRAY_WRITEABLE:
        a.flags_ |= WRITEABLE
    if flags & cnp.NPY_ARRAY_OWNDATA:
        a.flags_ |= OWNDATA
    return 0


cdef ndarray _view_of_ours(ndarray owner, int number, cnp.ndarray n):
    """n views memory of owner's: so does the result."""
    cdef ndarray v = new_view(owner, 0, NULL, NULL, <char*>cnp.PyArray_DATA(n) - <char*>owner.t.base)
    _set_layout(v, number, n)
    return v


cdef ndarray _wrap(int number, cnp.ndarray n):
    """An array on n's memory, which it keeps alive."""
    cdef ndarray a = ndarray.__new__(ndarray)
    cdef int64_t low = 0, high = itemsize_of[number]
    cdef int i
    cdef int32_t device
    cdef xpu_stream stream
    cdef xpu_status status
    _set_layout(a, number, n)
    for i in range(a.t.ndim):
        if a.t.strides[i] < 0:
            low += (a.t.shape[i] - 1) * a.t.strides[i]
        else:
            high += (a.t.shape[i] - 1) * a.t.strides[i]
    if a.t.size == 0:
        low, high = 0, 0
    api.current(&device, &stream)
    Py_INCREF(n)
    status = api.wrap(<char*>cnp.PyArray_DATA(n) + low, high - low, device, _drop, <void*>n, &a.t.storage)
    if status:
        Py_DECREF(n)
        check(status)
    a.t.base = a.t.storage.base
    a.t.nbytes = high - low
    a.t.offset = -low
    return a


cdef ndarray _small_copy(int number, cnp.ndarray n, int flags):
    cdef ndarray a = new_array(number, cnp.PyArray_NDIM(n), <int64_t*>cnp.PyArray_DIMS(n), not (flags & cnp.NPY_ARRAY_C_CONTIGUOUS))
    memcpy(<char*>a.t.base + a.t.offset, cnp.PyArray_DATA(n), cnp.PyArray_NBYTES(n))
    return a


cdef ndarray _upload(int number, cnp.ndarray n):
    cdef int flags = cnp.PyArray_FLAGS(n)
    cdef bint fortran = (flags & cnp.NPY_ARRAY_F_CONTIGUOUS) and not (flags & cnp.NPY_ARRAY_C_CONTIGUOUS)
    cdef int64_t shape[XPU_MAX_NDIM]
    cdef int i
    cdef ndarray a
    if not fortran:
        n = cnp.PyArray_GETCONTIGUOUS(n)
    for i in range(cnp.PyArray_NDIM(n)):
        shape[i] = cnp.PyArray_DIMS(n)[i]
    a = new_array(number, cnp.PyArray_NDIM(n), shape, fortran)
    if a.t.size:
        check(api.write(a.t.storage, 0, cnp.PyArray_DATA(n), a.t.size * itemsize_of[number]))
    return a


cdef cnp.ndarray _native(cnp.ndarray n):
    """n itself, or a copy in native byte order and aligned."""
    if cnp.PyArray_ISBEHAVED_RO(n):
        return n
    return numpy.array(n, n.dtype.newbyteorder('='), order='K', subok=False)


cdef ndarray adopt(object x):
    cdef cnp.ndarray n = x
    cdef int number = _number(n)
    cdef PyObject* base = PyArray_BASE(n)
    cdef bint host = _host_memory()
    cdef int flags = cnp.PyArray_FLAGS(n)
    if (host and base == NULL and cnp.PyArray_NBYTES(n) <= SMALL and flags & (cnp.NPY_ARRAY_C_CONTIGUOUS | cnp.NPY_ARRAY_F_CONTIGUOUS)
            and cnp.PyArray_ISBEHAVED(n)):
        return _small_copy(number, n, flags)  # pool memory is quicker than keeping hold of NumPy's
    while host and base != NULL:
        owner = <object>base
        if isinstance(owner, ndarray):
            if cnp.PyArray_ISBEHAVED_RO(n):
                return _view_of_ours(<ndarray>owner, number, n)
            break
        base = PyArray_BASE(owner) if isinstance(owner, cnp.ndarray) else NULL
    n = _native(n)
    return _wrap(number, n) if host else _upload(number, n)


cpdef ndarray from_numpy(object x):
    """A copy of a numpy.ndarray, in its memory order and native byte order. TypeError for dtypes that arrays cannot have."""
    cdef cnp.ndarray n = x
    cdef int number = _number(n)
    check(api.open())
    if not _host_memory():
        return _upload(number, _native(n))
    cdef int64_t shape[XPU_MAX_NDIM]
    cdef int64_t strides[XPU_MAX_NDIM]
    cdef int i, ndim = cnp.PyArray_NDIM(n), flags = cnp.PyArray_FLAGS(n)
    cdef ndarray a
    if flags & (cnp.NPY_ARRAY_C_CONTIGUOUS | cnp.NPY_ARRAY_F_CONTIGUOUS) and cnp.PyArray_ISBEHAVED_RO(n):
        for i in range(ndim):
            shape[i] = cnp.PyArray_DIMS(n)[i]
        a = new_array(number, ndim, shape, not (flags & cnp.NPY_ARRAY_C_CONTIGUOUS))
        if a.t.size:
            check(api.write(a.t.storage, 0, cnp.PyArray_DATA(n), a.t.size * itemsize_of[number]))
        return a
    return adopt(numpy.array(n, n.dtype.newbyteorder('='), order='K', copy=True, subok=False))


cdef ndarray scalar_array(object x):
    cdef object dt = x.dtype
    cdef int c = ord(dt.char)
    cdef int number = number_of_char(c) if c < 128 else -1
    cdef double value[4]
    if number < 0:
        raise TypeError(f'a scalar of dtype {dt} has no array here: use numpy on the host, with .get()')
    cdef ndarray a = new_scalar(number)
    cnp.PyArray_ScalarAsCtype(x, value)
    if _host_memory():
        memcpy(<char*>a.t.base + a.t.offset, value, itemsize_of[number])
    else:
        check(api.write(a.t.storage, a.t.offset, value, itemsize_of[number]))
    return a


cdef object adopt_any(object r):
    cdef PyObject* base
    cdef type t = type(r)
    if t is cnp.ndarray:
        base = PyArray_BASE(r)
        if base != NULL and type(<object>base) is ndarray and _host_memory():
            return <object>base  # the very view that stood for an argument
        return adopt(r)
    if t is float or t is int or t is bool or t is str or r is None:
        return r
    if t is tuple:
        return tuple([adopt_any(x) for x in r])
    if t is list:
        return [adopt_any(x) for x in r]
    if t is dict:
        return {k: adopt_any(v) for k, v in r.items()}
    if issubclass(t, _generic):
        return scalar_array(r)
    if issubclass(t, cnp.ndarray):
        return adopt(r.view(numpy.ndarray))
    if issubclass(t, tuple) and hasattr(t, '_fields'):
        return tuple.__new__(t, [adopt_any(x) for x in r])
    wrap = _proxies.get(t)
    if wrap is None and _families:
        wrap = _family_wrap(t)
    return r if wrap is None else wrap(r)


# --- calls ---

cdef object _as_argument(ndarray a, list staged):
    cdef PyObject* descr
    if a.flags_ & SCALAR:
        if _host_memory():
            descr = _descr[a.t.dtype]
            r = <object>PyArray_Scalar(<char*>a.t.base + a.t.offset, <void*>descr, NULL)
            Py_DECREF(r)
            return r
        return _download(a)[()]
    if staged is None:  # host memory, or the result of a callback, which NumPy only reads
        return numpy_view(a)
    r = _download(a)
    staged.append((r, a))
    return r


cdef object _converted(object x, list staged, int flags):
    """An argument as NumPy takes it: arrays of ours, also in lists, tuples and dicts, become numpy.ndarray."""
    cdef type t = type(x)
    if t is ndarray:
        return _as_argument(<ndarray>x, staged)
    if t is int or t is float or t is str or x is None or t is bool:
        return x
    if t is tuple or t is list:
        return _converted_sequence(x, staged, flags)
    if t is dict:
        return {k: _converted(v, staged, flags) for k, v in x.items()}
    if isinstance(x, cnp.ndarray):
        if (<cnp.ndarray>x).ndim and not flags & HOST_ARRAYS and t is cnp.ndarray:
            raise TypeError('an argument is a numpy.ndarray: convert it with cupy.asarray() first')
        return x
    inner = getattr(x, '_numpy', None)
    if inner is not None and not isinstance(x, type):
        return inner
    if isinstance(x, ndarray):
        return _as_argument(<ndarray>x, staged)
    if flags & CALLBACK and callable(x) and not isinstance(x, type):
        return _callback(x)
    return x


cdef object _converted_sequence(object x, list staged, int flags):
    cdef bint changed = False
    cdef list made = []
    for item in x:
        if type(item) is float or type(item) is int:
            made.append(item)
            continue
        new = _converted(item, staged, flags)
        changed |= new is not item
        made.append(new)
    if not changed:
        return x
    return made if type(x) is list else tuple(made)


def _callback(function):
    """A user's function as NumPy may call it. Arrays become ours; scalars stay NumPy's, which behave like ours."""
    def called(*args, **kwargs):
        args = [adopt_any(a) if isinstance(a, (cnp.ndarray, list, tuple)) else a for a in args]
        kwargs = {k: adopt_any(a) if isinstance(a, cnp.ndarray) else a for k, a in kwargs.items()}
        return _converted(function(*args, **kwargs), None, HOST_ARRAYS)
    called.__name__ = getattr(function, '__name__', 'function')
    called.__doc__ = getattr(function, '__doc__', None)
    return called


cdef int _note(str name) except -1:
    """Counts a call whose arrays are on a device, warns once per function, or raises, by the fallback policy."""
    from cupy.xpu import get_fallback_policy
    policy = get_fallback_policy()
    if policy == 'error':
        raise NotImplementedError(f"{name} runs on the host only, and the fallback policy 'error' forbids that (CUPY_XPU_FALLBACK)")
    seen = counts.get(name, 0)
    counts[name] = seen + 1
    if policy == 'warn' and not seen:
        from cupy._core._launch import FallbackWarning
        warnings.warn(f'{name} runs on the host: its arrays are copied to the host and back', FallbackWarning, stacklevel=4)
    return 0


cdef object _finish(object result, list staged):
    """On a device: what NumPy wrote into staged copies goes back, and a returned argument is the argument."""
    for copy, original in staged:
        if (<ndarray>original).flags_ & WRITEABLE:
            copy_into(<ndarray>original, adopt(copy))
        if result is copy:
            result = original
    return result


# From NumPy 2 on, its floating-point error settings follow contexts: entering a context kept for that costs far less than errstate.
cdef bint _settings_follow_context = int(numpy.__version__.partition('.')[0]) >= 2
cdef object _thread = threading.local()


cdef object _make_context(str failure):
    def fail(kind, flag):
        raise numpy.linalg.LinAlgError(failure)

    context = contextvars.Context()
    context.run(numpy.seterrcall, fail)
    context.run(numpy.seterr, divide='ignore', over='ignore', under='ignore', invalid='call' if failure else 'ignore')
    return context


cdef object take_context(str failure):
    cdef dict spare = getattr(_thread, 'spare', None)
    if spare is None:
        spare = _thread.spare = {}
    cdef list contexts = spare.get(failure)
    return contexts.pop() if contexts else _make_context(failure)


cdef int give_context(str failure, object context) except -1:
    cdef dict spare = _thread.spare
    cdef list contexts = spare.get(failure)
    if contexts is None:
        spare[failure] = [context]
    else:
        contexts.append(context)
    return 0


cdef object _silent_call(object function, tuple args, dict kwargs):
    """Calls with NumPy's floating-point warnings off."""
    if not _settings_follow_context:
        with numpy.errstate(all='ignore'):
            return PyObject_Call(function, args, kwargs)
    context = take_context('')
    try:
        return context.run(function, *args) if not kwargs else context.run(function, *args, **kwargs)
    finally:
        give_context('', context)


def _writes(function, args, kwargs):
    """Whether a call has an `out`, by keyword or by position."""
    if kwargs and kwargs.get('out') is not None:
        return True
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return False
    return 'out' in names and len(args) > names.index('out')


cdef object invoke(object function, tuple args, dict kwargs, int flags, str name):
    """Calls a function of NumPy's with our arguments; its results become ours."""
    cdef list staged = None
    if not _host_memory():
        check(api.open())
        if not _host_memory():
            if not flags & DESIGN:
                _note(name)
            staged = []
    cdef list new_args = []
    for x in args:
        new_args.append(_converted(x, staged, flags))
    if kwargs:
        kwargs = {k: _converted(v, staged, flags) for k, v in kwargs.items()}
    if flags & QUIET:
        r = PyObject_Call(function, tuple(new_args), kwargs)
    elif flags & CALLBACK:
        with numpy.errstate(all='ignore'):  # the user's function sees the context it expects
            r = PyObject_Call(function, tuple(new_args), kwargs)
    else:
        r = _silent_call(function, tuple(new_args), kwargs)
    if staged and (flags & INPLACE or _writes(function, args, kwargs)):
        r = _finish(r, staged)
    return r if flags & RAW else adopt_any(r)


def call(function, tuple args, dict kwargs, int flags=0, str name=None):
    """Calls a function or bound method of NumPy's on host memory.

    Args:
        function: any callable that takes numpy arrays.
        args, kwargs: its arguments; arrays of ours are handed over as numpy arrays.
        flags: sum of FLAGS.
        name: for warnings and counters on devices.

    Returns:
        The result, with arrays and scalars of NumPy's turned into arrays of ours.
    """
    return invoke(function, args, kwargs, flags, name or getattr(function, '__name__', 'function'))


def host(x):
    """An argument as NumPy takes it (a view of host memory, or a copy of device memory); other objects as they are."""
    return _converted(x, None if _host_memory() else [], HOST_ARRAYS)


def ours(x):
    """A result of NumPy's as ours: arrays without a copy, scalars as 0-d arrays, also in tuples, lists and dicts."""
    check(api.open())
    return adopt_any(x)


cdef class HostFunction:
    """A function of NumPy's that runs on host memory and takes and returns arrays of ours."""
    cdef readonly object __wrapped__
    cdef readonly str reason
    cdef int flags
    cdef str name
    cdef object fast      # a shorter way for plain arguments in host memory, or None
    cdef public object device  # for arrays of a device: a function that may return NotImplemented, or None
    cdef dict __dict__

    def __init__(self, function, str name, str module, str reason, int flags=0, fast=None):
        self.__wrapped__ = function
        self.name = name
        self.reason = reason
        self.flags = flags
        self.fast = fast
        self.__name__ = self.__qualname__ = name
        self.__module__ = module

    def __call__(self, *args, **kwargs):
        if self.fast is not None and not kwargs and _host_memory():
            r = self.fast(args)
            if r is not NotImplemented:
                return r
        if self.device is not None and not _host_memory():
            r = self.device(*args, **kwargs)
            if r is not NotImplemented:
                return r
        return invoke(self.__wrapped__, args, kwargs, self.flags, self.name)

    @property
    def __signature__(self):
        try:
            found = inspect.signature(self.__wrapped__)
        except ValueError as e:
            raise AttributeError(str(e)) from None
        return found.replace(parameters=[p for p in found.parameters.values() if p.name != 'like'])

    @property
    def __doc__(self):
        try:
            text = str(self.__signature__)
        except AttributeError:
            text = '(...)'
        return (f'{self.name}{text}\n\nAs numpy.{self._path()}, of arrays of ours. It runs on the host ({self.reason}); parameters, '
                'results and errors are those of NumPy.')

    def _path(self):
        return f'{self.__module__}.{self.name}'.partition('.')[2]

    def __reduce__(self):
        return self.name  # found by name in its module

    def __repr__(self):
        return f'<function {self.__module__}.{self.name}>'
