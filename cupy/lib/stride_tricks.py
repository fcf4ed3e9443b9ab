"""Views made by strides."""
from cupy._manipulation import as_strided, broadcast_arrays, broadcast_shapes, broadcast_to, sliding_window_view

__all__ = ['as_strided', 'broadcast_arrays', 'broadcast_shapes', 'broadcast_to', 'sliding_window_view']
