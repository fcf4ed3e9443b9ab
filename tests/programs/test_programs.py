"""Small scientific programs, run with np = numpy and np = cupy: the same text, the same answers."""
import inspect

import pytest

import discrete
import exercises
import learning
import linear
import oracle
import physics
import signals

MODULES = (physics, linear, signals, learning, discrete, exercises)
PROGRAMS = {f'{module.__name__}-{name}': f for module in MODULES for name, f in inspect.getmembers(module, inspect.isfunction)
            if not name.startswith('_')}


@pytest.mark.parametrize('name', PROGRAMS)
def test_program(name):
    want, error = oracle.outcome(PROGRAMS[name], oracle.numpy)
    assert error is None, error
    # programs that iterate carry a rounding difference on: 1e-9 is far below what they print, far above rounding
    oracle.check(PROGRAMS[name], ulp=4, atol=2e-4 if oracle.DEVICE else 1e-9)  # products in float32 add up in another order on a device
