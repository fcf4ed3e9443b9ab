"""Classes that stand for NumPy's: an instance holds NumPy's object, methods run there, arrays come back as ours."""
import inspect

from cupy._core._host_call import FLAGS, call, host, ours, register_proxy

_BINARY = ('add', 'sub', 'mul', 'matmul', 'truediv', 'floordiv', 'mod', 'divmod', 'pow')
_OTHER = ('neg', 'pos', 'call', 'len', 'iter', 'eq', 'ne', 'getitem', 'setitem', 'contains', 'format', 'str', 'repr')
_OPERATORS = [f'__{r}{n}__' for n in _BINARY for r in ('', 'r')] + [f'__{n}__' for n in _OTHER]


class Proxy:
    """Base of the classes that stand for NumPy's."""
    __slots__ = ('_numpy', '__weakref__')
    __array_ufunc__ = None
    _numpy_class = None
    _flags = 0

    def __init__(self, *args, **kwargs):
        self._numpy = type(self)._numpy_class(*host(args), **host(kwargs))

    @classmethod
    def _wrap(cls, instance):
        made = cls.__new__(cls)
        made._numpy = instance
        return made

    def __getattr__(self, name):
        if name.startswith('_'):
            raise AttributeError(f'{type(self).__name__!r} object has no attribute {name!r}')
        value = getattr(self._numpy, name)  # instances may have more than their class shows
        if callable(value):
            return lambda *args, **kwargs: call(value, args, kwargs, type(self)._flags, name)
        return ours(value)

    def __reduce__(self):
        return type(self)._wrap, (self._numpy,)


def _signature(function):
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def _describe(method, source, owner, module):
    """Name, signature and a short text."""
    signature = _signature(source)
    if signature is not None:
        method.__signature__ = signature
    method.__name__ = source.__name__
    method.__qualname__ = f'{owner}.{source.__name__}'
    method.__module__ = module
    method.__doc__ = f"As {owner}.{source.__name__} of NumPy, with arrays of ours."
    return method


def _method(name, source, owner, module, flags):
    def method(self, *args, **kwargs):
        return call(getattr(self._numpy, name), args, kwargs, flags, name)
    return _describe(method, source, owner, module)


def _class_method(name, source, owner, module, flags):
    def method(cls, *args, **kwargs):
        return call(getattr(cls._numpy_class, name), args, kwargs, flags, name)
    _describe(method, source, owner, module)
    signature = getattr(method, '__signature__', None)
    if signature is not None:  # inspection takes the first parameter, the class, off again
        first = inspect.Parameter('cls', inspect.Parameter.POSITIONAL_OR_KEYWORD if not any(
            p.kind is p.POSITIONAL_ONLY for p in signature.parameters.values()) else inspect.Parameter.POSITIONAL_ONLY)
        method.__signature__ = signature.replace(parameters=[first, *signature.parameters.values()])
    return classmethod(method)


def _iterate(self):
    return iter([ours(x) for x in self._numpy])


def _operator(name, flags):
    if name == '__iter__':
        return _iterate

    def method(self, *args):
        return call(getattr(self._numpy, name), args, {}, flags, name)
    method.__name__ = name
    return method


class _Attribute:
    """An attribute of the NumPy object, or of its class."""

    def __init__(self, name, doc):
        self.name = name
        self.__doc__ = doc

    def __get__(self, instance, cls):
        return ours(getattr(cls._numpy_class if instance is None else instance._numpy, self.name))

    def __set__(self, instance, value):
        setattr(instance._numpy, self.name, host(value))

    def __delete__(self, instance):
        raise AttributeError(f'attribute {self.name!r} cannot be deleted')


def proxy(numpy_class, module, flags=0, bases=(Proxy,), inplace=()):
    """A class with NumPy's methods and attributes.

    Args:
        numpy_class: the class it stands for.
        module: the module it is found in.
        flags: as of cupy._core._host_call.call.
        bases: the proxies of NumPy's base classes.
        inplace: methods that write into their arguments.
    """
    owner = numpy_class.__name__
    body = {'__slots__': (), '_numpy_class': numpy_class, '_flags': flags, '__module__': module,
            '__doc__': f'Stands for numpy.{owner}: the same parameters, methods and attributes, with arrays of ours.'}
    signature = _signature(numpy_class)
    if signature is not None:
        body['__signature__'] = signature
    for name in dir(numpy_class):
        if name.startswith('_'):
            continue
        static = inspect.getattr_static(numpy_class, name)
        value = getattr(numpy_class, name)
        if isinstance(static, classmethod):
            body[name] = _class_method(name, value, owner, module, flags)
        elif callable(value):
            body[name] = _method(name, value, owner, module, flags | FLAGS['inplace'] if name in inplace else flags)
        else:
            body[name] = _Attribute(name, f'As numpy.{owner}.{name}.')
    for name in _OPERATORS:
        source = getattr(numpy_class, name, None)
        if source is not None and source is not getattr(object, name, None):
            body[name] = _operator(name, flags)
    if '__eq__' in body:
        body['__hash__'] = None
    made = type(owner, bases, body)
    register_proxy(numpy_class, made._wrap)
    return made
