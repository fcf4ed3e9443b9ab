"""Functions that give complex results where real ones do not exist, such as sqrt(-1)."""
from cupy._host_call import fill as _fill

_fill(globals(), 'emath')
__all__ = [n for n in dir() if not n.startswith('_')]
