"""The old class of one-dimensional polynomials, highest power first."""
import numpy

import cupy
from cupy._host_call import proxy


class poly1d(proxy(numpy.poly1d, 'cupy')):
    """A polynomial of one variable, coefficients from the highest power down.

    Args:
        c_or_r: coefficients, or roots if `r` is true.
        r: whether c_or_r are roots.
        variable: the name of the variable in print, 'x' by default.
    """
    __slots__ = ()

    def get(self, stream=None):
        """The polynomial as a numpy.poly1d."""
        return self._numpy

    def set(self, polyin, stream=None):
        """Takes the coefficients of a numpy.poly1d."""
        self._numpy = numpy.poly1d(polyin.coeffs, variable=polyin.variable)

    def __array__(self, dtype=None, copy=None):
        return cupy.asarray(self.coeffs).__array__(dtype, copy=copy)


poly1d.__module__ = 'cupy'
cupy._core._host_call.register_proxy(numpy.poly1d, poly1d._wrap)
