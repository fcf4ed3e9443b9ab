"""Test classes and functions repeated over sets of parameters."""
import inspect
import itertools
import sys

from cupy.testing._signature import fills


def parameterize(*params, **kwargs):
    """Decorates a test class, or a test function, to run once for each dict of params.

    A class gets its values as attributes: subclasses named `<Class>_<n>` are put beside it and the class itself is not collected.
    A function gets them as keyword arguments. Keywords other than `_ids` (accepted, unused) are refused.

    Parameters:
        params (dicts): usually `*product({...})`.
    """
    unknown = set(kwargs) - {'_ids'}
    if unknown:
        raise TypeError(f'parameterize() got an unexpected keyword argument {unknown.pop()!r}')

    def decorator(target):
        return _classes(target, params) if inspect.isclass(target) else _function(target, params)
    return decorator


def _classes(cls, params):
    module = sys.modules[cls.__module__].__dict__
    for i, values in enumerate(params):
        name = f'{cls.__name__}_{i}'
        # a copy per class: a test may change what it is given
        body = {'__test__': True, '__module__': cls.__module__, '__doc__': f'{cls.__name__} with {values!r}', '__qualname__': name}
        module[name] = type(cls)(name, (cls,), {**values, **body})
    cls.__test__ = False
    return cls


def _function(function, params):
    @fills(function, {k for values in params for k in values})
    def test(*args, **kwargs):
        for values in params:
            function(*args, **kwargs, **values)
    return test


def product(parameter):
    """All combinations of values.

    Parameters:
        parameter (dict of sequences, or sequence of sequences of dicts): for the latter the dicts are merged.
    Returns:
        list of dicts
    """
    if isinstance(parameter, dict):
        keys = sorted(parameter)
        return [dict(zip(keys, values)) for values in itertools.product(*(parameter[k] for k in keys))]
    return product_dict(*parameter)


def product_dict(*parameters):
    """All combinations of one dict out of each sequence, merged.

    Returns:
        list of dicts
    """
    return [{k: v for d in dicts for k, v in d.items()} for dicts in itertools.product(*parameters)]
