"""Each line of calls.txt with an array a of every dtype, of no, one, two and three dimensions, and empty."""
import pathlib

import numpy
import pytest

import oracle

LINES = (pathlib.Path(__file__).parent / 'data' / 'calls.txt').read_text().splitlines()
CALLS = [line for line in LINES if line and not line.startswith('#')]
SHAPES = [(), (3,), (2, 2), (3, 3), (2, 1, 3), (0,), (2, 0)]


def array(dtype, shape):
    """Small whole numbers in no order, for complex dtypes in both parts."""
    n = int(numpy.prod(shape))
    v = (numpy.arange(n) * 7 % 5).reshape(shape)
    v = v % 2 == 0 if dtype == '?' else v + 1j * (4 - v) if dtype in 'FD' else v
    return numpy.asarray(v).astype(dtype)


@pytest.mark.parametrize('call', CALLS)
def test_call(call):
    bad = oracle.Failures()
    for dtype in '?bBlLefdFD':
        for shape in SHAPES:
            v = array(dtype, shape)
            # what is composed or factorised differs by rounding; the exact cases are in the table tests
            bad(oracle.compare(lambda xp: eval(call, {'xp': xp, 'a': xp.array(v)}), ulp=8, atol=1e-4 if dtype in 'efF' else 1e-10), dtype,
                shape)
    bad.report()
