"""NumPy's protocols: what happens when a NumPy function meets an array of ours."""
import os
import warnings

import numpy

_HINT = ('Implicit conversion to a NumPy array is not allowed: use `.get()` (or cupy.asnumpy) to copy the array to the host, or set '
         'CUPY_XPU_TO_NUMPY=allow')


def _policy():
    value = os.environ.get('CUPY_XPU_TO_NUMPY', 'error')
    if value not in ('error', 'warn', 'allow'):
        raise ValueError(f"CUPY_XPU_TO_NUMPY must be 'error', 'warn' or 'allow', not {value!r}")
    return value


def implicit_array(a, dtype=None, copy=None):
    """What numpy.asarray(a) gets: an error unless CUPY_XPU_TO_NUMPY allows the copy."""
    policy = 'allow' if a._scalar else _policy()  # a scalar converts as it does by float(): numpy.float32(x) is a cast in a script
    if policy == 'error':
        raise TypeError(_HINT)
    if policy == 'warn':
        warnings.warn('a cupy array was implicitly copied to a NumPy array: `.get()` does that visibly', RuntimeWarning, stacklevel=3)
    if copy is False:
        raise ValueError('a copy to the host cannot be avoided')
    result = a.get()
    return result if dtype is None else result.astype(dtype)


def array_ufunc(function, method, inputs, kwargs):
    """A NumPy ufunc called with an array of ours runs as the ufunc of the same name here."""
    from cupy._core._ufunc import ufuncs
    ours = ufuncs.get(function.__name__)
    if ours is None:
        return NotImplemented
    out = kwargs.get('out')
    if isinstance(out, tuple) and len(out) == 1:
        kwargs['out'] = out[0]
    if method == '__call__':
        return ours(*inputs, **kwargs)
    return getattr(ours, method)(*inputs, **kwargs)


def array_function(function, types, args, kwargs):
    """A NumPy function called with an array of ours runs as the function of the same name here."""
    from cupy import _host_call
    return _host_call.array_function(function, types, args, kwargs)


def is_numpy(x):
    """Whether x is a numpy.ndarray with axes, which is no operand here."""
    return isinstance(x, numpy.ndarray) and x.ndim > 0
