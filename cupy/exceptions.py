"""NumPy's exception and warning classes, wherever the installed NumPy has them."""
import numpy as _numpy

_NAMES = ('AxisError', 'ComplexWarning', 'DTypePromotionError', 'ModuleDeprecationWarning', 'RankWarning', 'TooHardError',
          'VisibleDeprecationWarning')
_source = getattr(_numpy, 'exceptions', _numpy)

for _name in _NAMES:
    globals()[_name] = getattr(_source, _name, None) or getattr(_numpy, _name)

__all__ = list(_NAMES)
