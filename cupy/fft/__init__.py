"""Discrete Fourier transforms: NumPy's functions, with arrays of ours."""
from cupy._host_call import fill as _fill
from cupy.fft import _device, config  # noqa: F401
from cupy.fft._helper import fftfreq, fftshift, ifftshift, rfftfreq  # noqa: F401

_fill(globals(), 'fft')
for _name, _function in _device.FUNCTIONS.items():
    globals()[_name].device = _function
__all__ = [n for n in dir() if not n.startswith('_') and n != 'config']
