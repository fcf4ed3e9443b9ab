"""Serves SciPy's public names, made when first asked for: functions run on host memory, classes are proxies."""
import importlib
import sys
import types

from cupy._core._host_call import FLAGS, HostFunction, register_family
from cupy._host_call import proxy

_FLAGS = FLAGS['callback']
_REASON = 'SciPy computes it'


def _source(module):
    name = module[len('cupyx.'):]
    try:
        return importlib.import_module(name)
    except ImportError as e:
        raise ImportError(f'{module} is served by SciPy, which cannot be imported here ({e}): install it with `pip install scipy`') from e


_classes = {}


def _proxy_of(cls, module=None):
    """The class that stands for one of SciPy's, made once."""
    if cls not in _classes:
        _classes[cls] = proxy(cls, module or f'cupyx.{cls.__module__}', _FLAGS)
    return _classes[cls]


def _plain(cls):
    return issubclass(cls, (BaseException, dict, tuple)) or not cls.__module__.startswith('scipy')


def _wrapped(value, name, module):
    if isinstance(value, type):
        return value if _plain(value) else _proxy_of(value, module)
    if callable(value):
        return HostFunction(value, name, module, _REASON, _FLAGS)
    return value


register_family('scipy', lambda cls: None if _plain(cls) else _proxy_of(cls)._wrap)


def serve(module, replace=None):
    """The __getattr__ and __dir__ of a module that mirrors SciPy's of the same name.

    Args:
        module: its name, 'cupyx.scipy. ...'.
        replace: {name: object} of what is defined here.
    """
    def __getattr__(name):
        if name.startswith('__'):
            raise AttributeError(f'module {module!r} has no attribute {name!r}')
        source = _source(module)
        if replace and name in replace:
            return replace[name]
        value = getattr(source, name, None)
        if value is None or name.startswith('_') or isinstance(value, types.ModuleType):
            raise AttributeError(f'{module} has no {name!r}: the installed SciPy has no such name')
        made = _wrapped(value, name, module)
        setattr(sys.modules[module], name, made)
        return made

    def __dir__():
        return sorted({*getattr(_source(module), '__all__', ()), *(replace or ())})

    return __getattr__, __dir__


def no_plan(*args, **kwargs):
    """Plans of transforms. NotImplementedError: transforms on the host need none."""
    raise NotImplementedError('get_fft_plan: transforms on the host have no plans; call them without one')
