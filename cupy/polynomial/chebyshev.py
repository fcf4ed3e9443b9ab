"""numpy.polynomial.chebyshev, with arrays of ours."""
from cupy._host_call import fill as _fill, lazy_constants as _lazy_constants

_fill(globals(), 'polynomial.chebyshev')
__getattr__ = _lazy_constants(__name__)
