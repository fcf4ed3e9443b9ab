"""The inspection API of the array API standard: cupy.__array_namespace_info__()."""
import numpy

_KINDS = {
    'bool': ('bool',),
    'signed integer': ('int8', 'int16', 'int32', 'int64'),
    'unsigned integer': ('uint8', 'uint16', 'uint32', 'uint64'),
    'real floating': ('float32', 'float64'),
    'complex floating': ('complex64', 'complex128'),
}
_KINDS['integral'] = _KINDS['signed integer'] + _KINDS['unsigned integer']
_KINDS['numeric'] = _KINDS['integral'] + _KINDS['real floating'] + _KINDS['complex floating']


class __array_namespace_info__:
    """What this namespace can do, by the array API standard."""

    def capabilities(self):
        """A dict: boolean indexing and data-dependent shapes are there, arrays have up to 64 dimensions."""
        return {'boolean indexing': True, 'data-dependent shapes': True, 'max dimensions': 64}

    def default_device(self):
        """The device that new arrays are made on."""
        import cupy
        return cupy.empty(0).device

    def devices(self):
        """A list of all devices."""
        default = self.default_device()
        if isinstance(default, str):
            return [default]
        import cupy
        return [cupy.cuda.Device(i) for i in range(cupy.cuda.runtime.getDeviceCount())]

    def default_dtypes(self, *, device=None):
        """A dict of the dtypes that functions choose by themselves.

        Args:
            device: they are the same on all.
        """
        self._check(device)
        return {'real floating': numpy.dtype(numpy.float64), 'complex floating': numpy.dtype(numpy.complex128),
                'integral': numpy.dtype(numpy.intp), 'indexing': numpy.dtype(numpy.intp)}

    def dtypes(self, *, device=None, kind=None):
        """A dict from names to dtypes.

        Args:
            device: they are the same on all.
            kind: None for all, a kind of the standard such as 'real floating', or a tuple of kinds.

        Raises:
            ValueError: an unknown kind or device.
        """
        self._check(device)
        if kind is None:
            kind = ('bool', 'numeric')
        names = []
        for k in kind if isinstance(kind, tuple) else (kind,):
            if k not in _KINDS:
                raise ValueError(f'unsupported kind: {k!r}')
            names += _KINDS[k]
        return {n: numpy.dtype(n) for n in names}

    def _check(self, device):
        if device is not None and device not in self.devices():
            raise ValueError(f'Device not understood: {device!r}')
