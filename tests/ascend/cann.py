"""A small client of CANN by ctypes, for tests: it uses only CANN's names, over the emulator's libraries."""
import ctypes
import functools

import numpy as np

import emulator

DTYPES = {'float32': 0, 'float16': 1, 'int8': 2, 'int32': 3, 'uint8': 4, 'int16': 6, 'uint16': 7, 'uint32': 8, 'int64': 9, 'uint64': 10,
          'float64': 11, 'bool': 12, 'complex64': 16, 'complex128': 17}
ND, HUGE_FIRST, TO_DEVICE, TO_HOST, SUCCESS = 2, 0, 1, 2, 0
PARAM_INVALID = 161002
LIBRARIES = ['acl_rt', 'nnopbase', 'opapi_math', 'opapi_nn', 'asdsip']


class Refused(Exception):
    """An operator's phase one returned a status."""
    def __init__(self, name, status):
        super().__init__(f'{name}: {status}: {message()}')
        self.status = status


@functools.lru_cache(maxsize=None)
def libraries():
    return [ctypes.CDLL(str(emulator.LIB / f'lib{name}.so')) for name in LIBRARIES]


@functools.lru_cache(maxsize=None)
def function(name, result=ctypes.c_int32):
    for library in libraries():
        if hasattr(library, name):
            found = getattr(library, name)
            found.restype = result
            return found
    raise AttributeError(name)


def message():
    text = function('aclGetRecentErrMsg', ctypes.c_char_p)()
    return text.decode() if text else ''


def check(status):
    if status != SUCCESS:
        raise RuntimeError(f'{status}: {message()}')


def start():
    assert function('aclInit')(None) in (SUCCESS, 100002)
    check(function('aclrtSetDevice')(0))


def synchronize():
    check(function('aclrtSynchronizeDevice')())


def malloc(nbytes):
    pointer = ctypes.c_void_p()
    check(function('aclrtMalloc')(ctypes.byref(pointer), ctypes.c_size_t(max(nbytes, 1)), HUGE_FIRST))
    return pointer


def _numbers(values):
    return (ctypes.c_int64 * len(values))(*values)


class Tensor:
    """An aclTensor on its own copy of an array's base: the view's offset and strides are kept."""
    def __init__(self, array):
        array = np.asarray(array)
        base = array if array.base is None or not isinstance(array.base, np.ndarray) else array.base
        self.storage = np.ascontiguousarray(base).reshape(-1).copy()
        self.dtype, self.shape, item = array.dtype, array.shape, array.itemsize
        self.offset = (array.__array_interface__['data'][0] - base.__array_interface__['data'][0]) // item if array.size else 0
        self.strides = [s // item for s in array.strides]
        self.memory = malloc(self.storage.nbytes)
        self._copy(self.memory, self.storage.ctypes.data, TO_DEVICE)
        create = function('aclCreateTensor', ctypes.c_void_p)
        self.handle = ctypes.c_void_p(create(
            _numbers(self.shape), ctypes.c_uint64(len(self.shape)), DTYPES[self.dtype.name], _numbers(self.strides),
            ctypes.c_int64(self.offset), ND, _numbers([self.storage.size]), ctypes.c_uint64(1), self.memory))
        assert self.handle, message()

    def _copy(self, to, source, kind):
        if self.storage.nbytes:
            size = ctypes.c_size_t(self.storage.nbytes)
            check(function('aclrtMemcpy')(to, size, ctypes.c_void_p(source) if isinstance(source, int) else source, size, kind))

    def get(self):
        synchronize()
        self._copy(ctypes.c_void_p(self.storage.ctypes.data), self.memory, TO_HOST)
        strides = [s * self.dtype.itemsize for s in self.strides]
        return np.lib.stride_tricks.as_strided(self.storage[self.offset:], self.shape, strides).copy()

    def view_shape(self):
        dims, n = ctypes.POINTER(ctypes.c_int64)(), ctypes.c_uint64()
        check(function('aclGetViewShape')(self.handle, ctypes.byref(dims), ctypes.byref(n)))
        return tuple(dims[:n.value])

    def close(self):
        check(function('aclDestroyTensor')(self.handle))
        check(function('aclrtFree')(self.memory))


class Scalar:
    def __init__(self, value, dtype):
        self.value = np.array(value, dtype)
        self.handle = ctypes.c_void_p(function('aclCreateScalar', ctypes.c_void_p)(
            ctypes.c_void_p(self.value.ctypes.data), DTYPES[self.value.dtype.name]))

    def close(self):
        check(function('aclDestroyScalar')(self.handle))


class Ints:
    def __init__(self, *values):
        self.handle = ctypes.c_void_p(function('aclCreateIntArray', ctypes.c_void_p)(_numbers(values), ctypes.c_uint64(len(values))))

    def close(self):
        check(function('aclDestroyIntArray')(self.handle))


class Tensors:
    """A list; destroying it destroys its tensors."""
    def __init__(self, *arrays):
        self.tensors = [Tensor(a) for a in arrays]
        handles = (ctypes.c_void_p * len(arrays))(*[t.handle for t in self.tensors])
        self.handle = ctypes.c_void_p(function('aclCreateTensorList', ctypes.c_void_p)(handles, ctypes.c_uint64(len(arrays))))

    def close(self):
        check(function('aclDestroyTensorList')(self.handle))
        for t in self.tensors:
            check(function('aclrtFree')(t.memory))


def dtype_code(name):
    return ctypes.c_int32(DTYPES[np.dtype(name).name])


def _argument(value):
    if hasattr(value, 'handle'):
        return value.handle
    if value is None:
        return ctypes.c_void_p()
    if isinstance(value, bool):
        return ctypes.c_bool(value)
    return ctypes.c_int64(value) if isinstance(value, int) else value


def launch(name, *args):
    """Both phases on the default stream."""
    size, executor = ctypes.c_uint64(), ctypes.c_void_p()
    status = function(f'aclnn{name}GetWorkspaceSize')(*map(_argument, args), ctypes.byref(size), ctypes.byref(executor))
    if status:
        raise Refused(name, status)
    workspace = malloc(size.value) if size.value else ctypes.c_void_p()
    check(function(f'aclnn{name}')(workspace, size, executor, ctypes.c_void_p()))
    synchronize()
    if size.value:
        check(function('aclrtFree')(workspace))


def call(name, *args, trim=False):
    """Runs an operator. NumPy arrays are inputs; `out(...)`s are outputs, returned as arrays (one alone, or a tuple).

    `trim`: their shapes are read back first.
    """
    own = [Tensor(a) if isinstance(a, np.ndarray) else Tensor(a.array) if isinstance(a, out) else a for a in args]
    try:
        launch(name, *own)
        found = []
        for a, t in zip(args, own):
            if isinstance(a, out):
                result = t.get()
                if trim:
                    shape = t.view_shape()
                    result = result.reshape(-1)[:int(np.prod(shape))].reshape(shape)
                found.append(result)
        return found[0] if len(found) == 1 else tuple(found)
    finally:
        for t in own:
            if hasattr(t, 'close'):
                t.close()


class out:
    """An output: an array whose present values are overwritten (or changed, in place)."""
    def __init__(self, shape_or_array, dtype=None):
        if dtype is None:
            self.array = shape_or_array
        else:
            nbytes = int(np.prod(shape_or_array)) * np.dtype(dtype).itemsize
            self.array = np.frombuffer(b'\xa7' * nbytes, dtype).reshape(shape_or_array).copy()
