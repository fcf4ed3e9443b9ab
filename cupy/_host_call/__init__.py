"""host_call: the part of NumPy's API that NumPy itself computes, on host memory, for arrays of ours.

`fill` puts the functions of a table's module into a namespace, `proxy` makes classes whose methods are NumPy's.
"""
import importlib

import numpy

from cupy._core import _host_call as _border
from cupy._core._gufuncs import FAST
from cupy._host_call import table
from cupy._host_call._proxy import Proxy, proxy

__all__ = ['Proxy', 'array_function', 'fill', 'functions', 'host_only_message', 'lazy_constants', 'proxy', 'rows']


def numpy_module(name):
    """numpy or one of its submodules, by the name after 'numpy.'."""
    return importlib.import_module(f'numpy.{name}' if name else 'numpy')


def _parse(entry):
    name, _, flags = entry.partition(':')
    return name, sum(_border.FLAGS[f] for f in flags.split('+') if f)


def _public_functions(module):
    """The functions that a module of NumPy's defines."""
    names = [*getattr(module, '__all__', ()), *(n for n, v in vars(module).items() if getattr(v, '__module__', '') == module.__name__)]
    return [n for n in dict.fromkeys(names) if not n.startswith('_') and callable(getattr(module, n))
            and not isinstance(getattr(module, n), type)]


def rows(module):
    """The table's rows of one module: pairs of name, flags and reason."""
    for owner, reason, names in table.ROWS:
        if owner == module:
            for entry in _public_functions(numpy_module(module)) if names == '*' else names.split():
                name, flags = _parse(entry)
                if name in table.CALLBACKS:
                    flags |= _border.FLAGS['callback']
                yield name, flags, reason


def functions(module):
    """{name: function} of a module of the table. Names that the installed NumPy lacks are left out."""
    source = numpy_module(module)
    full = f'cupy.{module}' if module else 'cupy'
    return {name: _border.HostFunction(getattr(source, name), name, full, reason, flags, FAST.get(f'{module}.{name}'))
            for name, flags, reason in rows(module) if hasattr(source, name)}


def fill(namespace, module):
    """Adds the functions of a module of the table that the namespace does not define itself."""
    for name, function in functions(module).items():
        namespace.setdefault(name, function)


def lazy_constants(module):
    """A module's __getattr__ that makes its constant arrays at first use: nothing is opened at import."""
    source = numpy_module(module.partition('.')[2])

    def __getattr__(name):
        if not name.startswith('_') and isinstance(getattr(source, name, None), numpy.ndarray):
            return _border.from_numpy(getattr(source, name))
        raise AttributeError(f'module {module!r} has no attribute {name!r}')
    return __getattr__


def host_only_message(name):
    """Why a name of NumPy's does not exist here, and the way out; None for other names."""
    for text, names in table.HOST_ONLY.items():
        if name in names.split():
            return f'cupy has no {name!r}: ' + text.format(name=name)
    return None


def _counterpart(function):
    module = getattr(function, '__module__', None) or ''
    if not (module == 'numpy' or module.startswith('numpy.')):
        return None
    try:
        found = importlib.import_module('cupy' + module[len('numpy'):])
    except ImportError:
        return None
    return getattr(found, function.__name__, None)


def array_function(function, types, args, kwargs):
    """NumPy's functions called with arrays of ours: the function of the same name here answers.

    Raises:
        TypeError: numpy.ndarray arguments beside arrays of ours, or a function that does not exist here.
    """
    from cupy import ndarray
    if any(issubclass(t, numpy.ndarray) for t in types):
        raise TypeError(f'numpy.{function.__name__} got arrays of both NumPy and cupy: convert them with cupy.asarray() or .get()')
    if not all(issubclass(t, ndarray) for t in types):
        return NotImplemented
    ours = _counterpart(function)
    if ours is None:
        raise TypeError(f'cupy has no {function.__name__!r}: convert the arrays with .get() to use numpy\'s')
    return ours(*args, **kwargs)


def remaining():
    """{full name: reason} of the table's functions that have no implementation of their own yet, such as 'linalg.svd'."""
    found = {}
    for module in dict.fromkeys(owner for owner, _, _ in table.ROWS):
        ours = importlib.import_module('cupy.lib.scimath' if module == 'emath' else f'cupy.{module}' if module else 'cupy')
        for name, _, reason in rows(module):
            if isinstance(getattr(ours, name, None), _border.HostFunction):
                found[f'{module}.{name}'.lstrip('.')] = reason
    return found
