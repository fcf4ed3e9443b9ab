"""DLPack: arrays in and out without a copy. Layout by the DLPack specification, version 1.0 (dmlc.github.io/dlpack)."""
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_IsValid, PyCapsule_New, PyCapsule_SetName
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdint cimport uint8_t, uint16_t
from libc.stdlib cimport free, malloc
from cupy._core._dtype cimport *
from cupy._core._launch cimport api, check
from cupy._core.core cimport *
from cupy_backends.backend.xpu cimport *

cdef extern from *:
    """
    typedef struct { int32_t device_type; int32_t device_id; } DLDevice;
    typedef struct { uint8_t code; uint8_t bits; uint16_t lanes; } DLDataType;
    typedef struct { void *data; DLDevice device; int32_t ndim; DLDataType dtype; int64_t *shape; int64_t *strides;
                     uint64_t byte_offset; } DLTensor;
    typedef struct DLManagedTensor { DLTensor dl_tensor; void *manager_ctx; void (*deleter)(struct DLManagedTensor *); } DLManagedTensor;
    typedef struct { uint32_t major; uint32_t minor; } DLVersion;
    typedef struct DLManagedTensorVersioned { DLVersion version; void *manager_ctx; void (*deleter)(struct DLManagedTensorVersioned *);
                     uint64_t flags; DLTensor dl_tensor; } DLManagedTensorVersioned;
    """
    ctypedef struct DLDevice:
        int32_t device_type
        int32_t device_id
    ctypedef struct DLDataType:
        uint8_t code
        uint8_t bits
        uint16_t lanes
    ctypedef struct DLTensor:
        void* data
        DLDevice device
        int32_t ndim
        DLDataType dtype
        int64_t* shape
        int64_t* strides
        uint64_t byte_offset
    ctypedef struct DLManagedTensor:
        DLTensor dl_tensor
        void* manager_ctx
        void (*deleter)(DLManagedTensor*) noexcept with gil
    ctypedef struct DLVersion:
        uint32_t major
        uint32_t minor
    ctypedef struct DLManagedTensorVersioned:
        DLVersion version
        void* manager_ctx
        void (*deleter)(DLManagedTensorVersioned*) noexcept with gil
        uint64_t flags
        DLTensor dl_tensor

cdef enum:
    DL_CPU = 1
    DL_EXT_DEV = 12
    FLAG_READ_ONLY = 1
    FLAG_COPIED = 2
    ALIGNMENT = 64

# DLDataTypeCode of each dtype: int 0, uint 1, float 2, complex 5, bool 6
cdef uint8_t* _codes = [6, 0, 1, 0, 1, 0, 1, 0, 1, 2, 2, 2, 5, 5]


def device_of(ndarray a):
    """(device type, device id): kDLCPU for host memory, kDLExtDev for an accelerator's."""
    if api.caps() & XPU_CAP_HOST_MEMORY:
        return DL_CPU, 0
    return DL_EXT_DEV, a.t.storage.device


cdef int _fill(DLTensor* d, ndarray a, int64_t* shape) except -1:
    cdef int i, n = a.t.ndim, item = itemsize_of[a.t.dtype]
    for i in range(n):
        if a.t.strides[i] % item and a.t.shape[i] > 1:
            raise BufferError('DLPack needs strides that are multiples of the item size: make a copy first')
        shape[i] = a.t.shape[i]
        shape[n + i] = a.t.strides[i] // item
    d.data = <char*>a.t.base + a.t.offset if api.caps() & XPU_CAP_HOST_MEMORY else a.t.base
    d.byte_offset = 0 if api.caps() & XPU_CAP_HOST_MEMORY else a.t.offset
    d.device.device_type, d.device.device_id = device_of(a)
    d.ndim = n
    d.dtype.code, d.dtype.bits, d.dtype.lanes = _codes[a.t.dtype], item * 8, 1
    d.shape, d.strides = shape, shape + n
    return 0


cdef void _delete(DLManagedTensor* m) noexcept with gil:
    if m.manager_ctx != NULL:
        Py_DECREF(<object>m.manager_ctx)
        free(m)


cdef void _delete_versioned(DLManagedTensorVersioned* m) noexcept with gil:
    if m.manager_ctx != NULL:
        Py_DECREF(<object>m.manager_ctx)
        free(m)


cdef void _drop_capsule(object capsule) noexcept:
    """A capsule that nobody consumed frees what it holds."""
    cdef DLManagedTensor* m
    cdef DLManagedTensorVersioned* v
    if PyCapsule_IsValid(capsule, 'dltensor'):
        m = <DLManagedTensor*>PyCapsule_GetPointer(capsule, 'dltensor')
        m.deleter(m)
    elif PyCapsule_IsValid(capsule, 'dltensor_versioned'):
        v = <DLManagedTensorVersioned*>PyCapsule_GetPointer(capsule, 'dltensor_versioned')
        v.deleter(v)


def to_capsule(ndarray a, stream, max_version, dl_device, copy):
    """The array as a DLPack capsule, versioned when the consumer knows version 1."""
    cdef DLManagedTensor* m
    cdef DLManagedTensorVersioned* v
    if dl_device is not None and tuple(dl_device) != device_of(a):
        if tuple(dl_device) == (DL_CPU, 0) and (copy is None or copy):
            return a.get().__dlpack__(max_version=max_version)
        raise BufferError(f'the array is on device {device_of(a)}, not on {tuple(dl_device)}: copy it with .get()')
    if stream is not None and api.caps() & XPU_CAP_HOST_MEMORY:
        raise ValueError('host memory knows no streams: stream must be None')
    if copy:
        a = copy_of(a, c'K')
    check(api.synchronize())
    if max_version is not None and max_version[0] >= 1:
        v = <DLManagedTensorVersioned*>malloc(sizeof(DLManagedTensorVersioned) + 2 * XPU_MAX_NDIM * sizeof(int64_t))
        if v == NULL:
            raise MemoryError()
        v.version.major, v.version.minor = 1, 0
        v.flags = (0 if a.flags_ & WRITEABLE else FLAG_READ_ONLY) | (FLAG_COPIED if copy else 0)
        v.deleter = _delete_versioned
        try:
            _fill(&v.dl_tensor, a, <int64_t*>(v + 1))
        except BaseException:
            free(v)
            raise
        v.manager_ctx = <void*>a
        Py_INCREF(a)
        return PyCapsule_New(v, 'dltensor_versioned', _drop_capsule)
    if not a.flags_ & WRITEABLE:
        raise BufferError('a read-only array cannot be exported by DLPack before version 1: make a copy')
    m = <DLManagedTensor*>malloc(sizeof(DLManagedTensor) + 2 * XPU_MAX_NDIM * sizeof(int64_t))
    if m == NULL:
        raise MemoryError()
    m.deleter = _delete
    try:
        _fill(&m.dl_tensor, a, <int64_t*>(m + 1))
    except BaseException:
        free(m)
        raise
    m.manager_ctx = <void*>a
    Py_INCREF(a)
    return PyCapsule_New(m, 'dltensor', _drop_capsule)


cdef void _release(void* m) noexcept with gil:
    if (<DLManagedTensor*>m).deleter != NULL:
        (<DLManagedTensor*>m).deleter(<DLManagedTensor*>m)


cdef void _release_versioned(void* m) noexcept with gil:
    if (<DLManagedTensorVersioned*>m).deleter != NULL:
        (<DLManagedTensorVersioned*>m).deleter(<DLManagedTensorVersioned*>m)


cdef int _number(DLDataType t) except -1:
    if t.lanes == 1:
        for i in range(14):
            if _codes[i] == t.code and itemsize_of[i] * 8 == t.bits:
                return i
    raise BufferError(f'DLPack type code {t.code} with {t.bits} bits and {t.lanes} lanes is not supported')


cdef ndarray _adopt(DLTensor* d, void (*deleter)(void*) noexcept with gil, void* owner, bint readonly):
    """An array over foreign memory; the deleter runs when the last view of it is gone."""
    cdef int64_t shape[XPU_MAX_NDIM]
    cdef int64_t strides[XPU_MAX_NDIM]
    cdef int n = d.ndim, i, number = _number(d.dtype), item = itemsize_of[number]
    cdef int64_t low = 0, high = item, step = item, offset = d.byte_offset
    cdef char* base = <char*>d.data
    cdef ndarray a
    cdef xpu_storage* storage
    if n > XPU_MAX_NDIM or n < 0:
        raise BufferError(f'DLPack tensor with {n} dimensions')
    if d.device.device_type != (DL_CPU if api.caps() & XPU_CAP_HOST_MEMORY else DL_EXT_DEV):
        raise BufferError(f'memory of DLPack device type {d.device.device_type} cannot be read by this backend')
    for i in range(n - 1, -1, -1):
        shape[i] = d.shape[i]
        strides[i] = d.strides[i] * item if d.strides != NULL else step
        step *= shape[i]
        if strides[i] > 0:
            high += (shape[i] - 1) * strides[i]
        else:
            low += (shape[i] - 1) * strides[i]
    if step == 0:
        low = high = 0
    if d.device.device_type == DL_CPU:
        base, offset = base + offset + low, -low
    else:  # operators of a device want aligned bases: what precedes the elements is offset
        base, offset = <char*>(<size_t>base // ALIGNMENT * ALIGNMENT), offset + <int64_t>(<size_t>base % ALIGNMENT)
        low, high = 0, offset + high
    check(api.wrap(base, high - low, d.device.device_id if d.device.device_type != DL_CPU else 0,
                   <void (*)(void*) noexcept nogil>deleter, owner, &storage))
    a = ndarray.__new__(ndarray)
    a.t.storage, a.t.base, a.t.nbytes, a.t.size, a.t.dtype = storage, storage.base, high - low, 0, number
    a.flags_ = 0 if readonly else WRITEABLE
    return new_view(a, n, shape, strides, offset)


def _of_host(x):
    import numpy
    from cupy import asarray
    return asarray(numpy.from_dlpack(x))


def from_dlpack(x, /, *, device=None, copy=None):
    """An array that shares memory with `x`, an object with __dlpack__ and __dlpack_device__, or a DLPack capsule.

    On an accelerator, objects in host memory are copied to it, unless copy is False.

    Raises:
        BufferError: memory, a dtype or a device that cannot be shared. ValueError: a capsule that was used before.
    """
    cdef DLManagedTensor* m
    cdef DLManagedTensorVersioned* v
    cdef ndarray a
    check(api.open())
    capsule = x
    if hasattr(x, '__dlpack__'):
        kind = x.__dlpack_device__()[0]
        if kind == DL_CPU and not api.caps() & XPU_CAP_HOST_MEMORY:
            if copy is not None and not copy:
                raise BufferError('host memory cannot be shared with this device: copy must not be False')
            return _of_host(x)
        if kind != (DL_CPU if api.caps() & XPU_CAP_HOST_MEMORY else DL_EXT_DEV):
            raise BufferError(f'memory of DLPack device type {int(kind)} cannot be read by this backend: copy it to host memory first')
        try:
            capsule = x.__dlpack__(max_version=(1, 0), **({} if copy is None else {'copy': copy}))
        except TypeError:
            capsule = x.__dlpack__()
    if PyCapsule_IsValid(capsule, 'dltensor_versioned'):
        v = <DLManagedTensorVersioned*>PyCapsule_GetPointer(capsule, 'dltensor_versioned')
        if v.version.major != 1:
            raise BufferError(f'DLPack version {v.version.major} is not supported')
        a = _adopt(&v.dl_tensor, <void (*)(void*) noexcept with gil>_release_versioned, v, v.flags & FLAG_READ_ONLY)
        PyCapsule_SetName(capsule, 'used_dltensor_versioned')
    elif PyCapsule_IsValid(capsule, 'dltensor'):
        m = <DLManagedTensor*>PyCapsule_GetPointer(capsule, 'dltensor')
        a = _adopt(&m.dl_tensor, <void (*)(void*) noexcept with gil>_release, m, False)
        PyCapsule_SetName(capsule, 'used_dltensor')
    elif PyCapsule_IsValid(capsule, 'used_dltensor') or PyCapsule_IsValid(capsule, 'used_dltensor_versioned'):
        raise ValueError('this DLPack capsule was used before: a capsule can be taken once')
    else:
        raise TypeError(f'from_dlpack takes an object with __dlpack__ or a DLPack capsule, not {type(x).__name__}')
    return copy_of(a, c'K') if copy else a


def fromDlpack(dltensor):
    """from_dlpack() of a capsule."""
    return from_dlpack(dltensor)
