"""numpy.lib: helpers on arrays, strides and files."""
from numpy import lib as _source
from numpy.lib import NumpyVersion, format, mixins

from cupy.lib import array_utils, npyio, scimath, stride_tricks

__all__ = ['NumpyVersion', 'array_utils', 'format', 'mixins', 'npyio', 'scimath', 'stride_tricks']

if hasattr(_source, 'introspect'):  # NumPy >= 2
    from numpy.lib import introspect  # noqa: F401
    __all__.append('introspect')
