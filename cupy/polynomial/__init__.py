"""Polynomials in six bases: NumPy's classes and functions, with arrays of ours."""
import numpy.polynomial as _source

from cupy._host_call import proxy as _proxy
from cupy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial, polyutils

_CLASSES = (('Polynomial', polynomial), ('Chebyshev', chebyshev), ('Hermite', hermite), ('HermiteE', hermite_e),
            ('Laguerre', laguerre), ('Legendre', legendre))

for _name, _module in _CLASSES:
    globals()[_name] = _module.__dict__[_name] = _proxy(getattr(_source, _name), __name__)
set_default_printstyle = _source.set_default_printstyle

__all__ = ['set_default_printstyle', 'polynomial', 'chebyshev', 'hermite', 'hermite_e', 'laguerre', 'legendre', 'polyutils',
           *(n for n, _ in _CLASSES)]
