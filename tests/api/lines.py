"""Tests in tables: files of expressions in xp, one a line, whose answer must be NumPy's."""
import pathlib

import numpy as np

import oracle

DATA = pathlib.Path(__file__).parent.parent / 'data'


def seq(xp, source):
    """Runs statements and gives the variable r."""
    scope = {'xp': xp, 'np': np}
    exec(source, scope)
    return scope['r']


def check(name, ulp=0):
    """Compares all lines of a file."""
    failures = oracle.Failures()
    for line in (DATA / f'{name}.txt').read_text().splitlines():
        if line.strip() and not line.startswith('#'):
            failures(oracle.compare(lambda xp: eval(line, {'xp': xp, 'np': np, 'seq': seq}), ulp=ulp), line)
    failures.report()
