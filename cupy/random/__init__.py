"""Random numbers: NumPy's generators and distributions, with the same numbers on every backend, as arrays of ours.

They are drawn on the host; on the host backend the drawn memory becomes the array without a copy.
"""
import inspect

import numpy.random as _source

from cupy._core._host_call import FLAGS as _F, call as _call
from cupy._host_call import proxy as _proxy

_FLAGS = _F['quiet'] | _F['design']

SeedSequence = _proxy(_source.SeedSequence, __name__, _FLAGS)
BitGenerator = _proxy(_source.BitGenerator, __name__, _FLAGS)
MT19937 = _proxy(_source.MT19937, __name__, _FLAGS, (BitGenerator,))
PCG64 = _proxy(_source.PCG64, __name__, _FLAGS, (BitGenerator,))
PCG64DXSM = _proxy(_source.PCG64DXSM, __name__, _FLAGS, (BitGenerator,))
Philox = _proxy(_source.Philox, __name__, _FLAGS, (BitGenerator,))
SFC64 = _proxy(_source.SFC64, __name__, _FLAGS, (BitGenerator,))
Generator = _proxy(_source.Generator, __name__, _FLAGS, inplace=('shuffle',))
RandomState = _proxy(_source.RandomState, __name__, _FLAGS, inplace=('shuffle',))

_MODULE_FUNCTIONS = (
    'beta binomial bytes chisquare choice dirichlet exponential f gamma geometric get_state gumbel hypergeometric laplace logistic '
    'lognormal logseries multinomial multivariate_normal negative_binomial noncentral_chisquare noncentral_f normal pareto permutation '
    'poisson power rand randint randn random random_integers random_sample rayleigh seed set_state shuffle standard_cauchy '
    'standard_exponential standard_gamma standard_normal standard_t triangular uniform vonmises wald weibull zipf')
_state = None


def get_random_state():
    """The RandomState behind the functions of this module."""
    global _state
    if _state is None:
        _state = RandomState()
    return _state


def set_random_state(rs):
    """Makes a RandomState the one behind the functions of this module.

    Raises:
        TypeError: rs is no cupy.random.RandomState.
    """
    global _state
    if not isinstance(rs, RandomState):
        raise TypeError(f'Random state must be an instance of RandomState. Actual: {type(rs)}')
    _state = rs


def reset_states():
    """Forgets the random state: the next use makes a freshly seeded one."""
    global _state
    _state = None


def default_rng(seed=None):
    """A Generator on PCG64.

    Args:
        seed: None, int, array of ints, SeedSequence, BitGenerator, RandomState, or a Generator, which is returned itself.
    """
    if isinstance(seed, Generator):
        return seed
    return _call(_source.default_rng, (seed,), {}, _FLAGS)


def _function(name):
    flags = _FLAGS | _F['inplace'] if name == 'shuffle' else _FLAGS

    def function(*args, **kwargs):
        return _call(getattr((_state or get_random_state())._numpy, name), args, kwargs, flags, name)
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f'As numpy.random.{name}, with arrays of ours. It uses the module\'s RandomState.'
    function.__module__ = __name__
    try:
        function.__signature__ = inspect.signature(getattr(_source, name))
    except (AttributeError, ValueError):
        pass
    return function


for _name in _MODULE_FUNCTIONS.split():
    globals()[_name] = _function(_name)
ranf = sample = random_sample = globals()['random_sample']

__all__ = [n for n in dir() if not n.startswith('_') and n != 'inspect']


def __getattr__(name):
    if name in ('XORWOW', 'MRG32k3a', 'Philox4x3210'):
        raise AttributeError(f'cupy.random has no {name!r}: numbers are NumPy\'s on every backend; use PCG64, Philox, SFC64 or MT19937')
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
