"""Hiding from a test runner those parameters of a test that a decorator fills."""
import functools
import inspect


def takes(function, name):
    """True if function has a parameter of that name, or **kwargs."""
    parameters = inspect.signature(function).parameters
    return name in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def fills(function, names):
    """Decorates a wrapper of function whose visible signature lacks `names`: pytest would take them for fixtures."""
    def decorate(wrapper):
        functools.update_wrapper(wrapper, function)
        signature = inspect.signature(function)
        wrapper.__signature__ = signature.replace(parameters=[p for n, p in signature.parameters.items() if n not in names])
        return wrapper
    return decorate
