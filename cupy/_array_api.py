"""What the Array API standard asks a namespace about itself."""
import numpy

import cupy

_KINDS = {
    'bool': 'b', 'signed integer': 'i', 'unsigned integer': 'u', 'integral': 'iu', 'real floating': 'f', 'complex floating': 'c',
    'numeric': 'iufc'}
_NAMES = ('bool', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'float32', 'float64', 'complex64', 'complex128')


class __array_namespace_info__:
    """Inspection of the namespace, as the Array API standard defines it."""

    __module__ = 'cupy'

    def capabilities(self):
        """A dict of what the namespace can do."""
        return {'boolean indexing': True, 'data-dependent shapes': True, 'max dimensions': 64}

    def default_device(self):
        """The device on which new arrays are made."""
        return cupy.empty(0).device

    def devices(self):
        """All devices."""
        from cupy.xpu._device import _device_of, device_count
        return [_device_of(number) for number in range(device_count())]

    def default_dtypes(self, *, device=None):
        """A dict from kinds of dtypes to those of arrays made without a dtype."""
        self._check(device)
        return {'real floating': numpy.dtype('f8'), 'complex floating': numpy.dtype('c16'), 'integral': numpy.dtype('i8'),
                'indexing': numpy.dtype('i8')}

    def dtypes(self, *, device=None, kind=None):
        """A dict from names to dtypes.

        kind: None, one of 'bool', 'signed integer', 'unsigned integer', 'integral', 'real floating', 'complex floating', 'numeric', or
            a tuple of them.

        Raises:
            ValueError: an unknown kind or device.
        """
        self._check(device)
        kinds = tuple(_KINDS) if kind is None else kind if isinstance(kind, tuple) else (kind,)
        for k in kinds:
            if k not in _KINDS:
                raise ValueError(f'unsupported kind: {k!r}')
        letters = ''.join(_KINDS[k] for k in kinds)
        return {name: numpy.dtype(name) for name in _NAMES if numpy.dtype(name).kind in letters}

    def _check(self, device):
        if device is not None and device not in self.devices():
            raise ValueError(f'Device not understood: {device!r} is not one of {self.devices()}')
