"""Arguments that make no sense: an exception is fine, a crash or an endless loop is not."""
import random

import pytest

import cupy
import oracle
from cupy import _creation, _einsum, _logic, _manipulation, _math, _padding, _sets, _statistics

MODULES = (_creation, _manipulation, _math, _logic, _statistics, _sets, _padding, _einsum)
ORDINARY = (TypeError, ValueError, IndexError, OverflowError, ZeroDivisionError, KeyError, AttributeError, MemoryError, NotImplementedError)


def arguments():
    return [None, -1, 0, 3, 2**70, 1.5, float('nan'), 1j, 'a', b'x', [], [1, 2], [[1, 2], [3]], (), (2, 3), {}, object(), slice(1), True,
            range(3), cupy.zeros(0), cupy.array(2), cupy.arange(6).reshape(2, 3), cupy.ones((2, 3))[::-1, ::2], cupy.ones((1,) * 20)]


@pytest.mark.filterwarnings('ignore')
@pytest.mark.parametrize('module', MODULES, ids=lambda m: m.__name__)
def test_only_ordinary_exceptions(module):
    chance = random.Random(module.__name__)
    failures = oracle.Failures()
    for name in module.__all__:
        calls = [(x,) for x in arguments()]
        for count in (2, 3):
            values = arguments()
            calls += [tuple(chance.choice(values) for _ in range(count)) for _ in range(60)]
        for call in calls:
            _, error = oracle.outcome(getattr(cupy, name), *call)
            failures('' if error is None or isinstance(error, ORDINARY) else repr(error), name, *map(repr, call))
    failures.report()
