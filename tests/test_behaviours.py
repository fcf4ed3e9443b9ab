"""Lines of behaviours.txt, each an expression with xp, evaluated with numpy and with cupy."""
import pathlib

import numpy as np
import pytest

import oracle

LINES = (pathlib.Path(__file__).parent / 'data' / 'behaviours.txt').read_text().splitlines()
CASES = [line for line in LINES if line.strip() and not line.startswith('#')]


def seq(xp, source):
    """Runs statements and gives the variable r."""
    scope = {'xp': xp, 'np': np}
    exec(source, scope)
    return scope['r']


@pytest.mark.parametrize('case', CASES, ids=[f'{i}-{case[:40]}' for i, case in enumerate(CASES)])
def test_behaviour(case):
    oracle.check(lambda xp: eval(case, {'xp': xp, 'np': np, 'seq': seq}), ulp=4)


def test_cases_are_distinct():
    assert len(set(CASES)) == len(CASES)
