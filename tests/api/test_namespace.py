"""Every name of NumPy's API exists here, takes NumPy's parameters, or says why not and what to use instead."""
import csv
import inspect
import os

import numpy
import pytest

import cupy
from cupy import _host_call
from cupy._host_call import table

with open(os.path.join(os.path.dirname(__file__), '..', 'data', 'numpy_api.tsv'), encoding='utf-8') as _f:
    ROWS = list(csv.DictReader(_f, delimiter='\t'))


def resolve(path, root=cupy):
    found = root
    for part in path.split('.'):
        found = getattr(found, part)
    return found


def in_numpy(path):
    """Whether the installed NumPy has the name; the table is of a newer one, perhaps."""
    try:
        resolve(path, numpy)
    except AttributeError:
        return False
    return True


def test_every_name_exists():
    missing = []
    for row in ROWS:
        if row['group'] == 'host-only' or not in_numpy(row['name']):
            continue
        try:
            resolve(row['name'])
        except AttributeError as error:
            missing.append(f"{row['group']}: {row['name']}: {error}")
    assert not missing, f'{len(missing)} missing\n' + '\n'.join(missing)


def test_host_only_names_say_what_to_do():
    silent = []
    for row in ROWS:
        name = row['name']
        if row['group'] != 'host-only' or '.' in name or hasattr(cupy, name):
            continue
        with pytest.raises(AttributeError) as caught:
            getattr(cupy, name)
        if 'numpy' not in str(caught.value):
            silent.append(f'{name}: {caught.value}')
    assert not silent, '\n'.join(silent)


def parameters(function):
    return [p for p in inspect.signature(function).parameters if p not in ('self', 'like')]


# Parameters of CuPy's or the array API's that come after NumPy's.
ADDED = {'blocking', 'device', 'stream', 'memptr', 'strides_check'}
# Differences that are meant, and why.
MEANT = {
    'arange': "NumPy's first parameter is positional: its name does not matter",
    'random.ranf': 'NumPy shows *args, **kwargs', 'random.sample': 'NumPy shows *args, **kwargs',
    'ufunc.reduce': 'NumPy shows **kwargs', 'einsum': 'NumPy shows **kwargs', 'ufunc.outer': 'NumPy shows A, B, positional',
    'show_config': 'shows this package',
    'array': 'ndmax, new in NumPy 2.4, is not taken yet',
    'lib.stride_tricks.as_strided': 'check_bounds, new in NumPy 2.4, is not taken yet',
    'typing.NDArray': 'a generic alias',
}


def test_parameters_have_numpys_names():
    wrong, seen = [], 0
    for row in ROWS:
        if row['group'] == 'host-only' or row['kind'] not in ('function', 'method') or row['name'] in MEANT or not in_numpy(row['name']):
            continue
        try:
            found = resolve(row['name'])
        except AttributeError:  # another test's
            continue
        try:
            want = parameters(resolve(row['name'], numpy))
        except (TypeError, ValueError):
            want = [p for p in row['params'].split(',') if p not in ('', '/', '*', 'self', 'like')]
            want = [p.lstrip('*') for p in want]
        try:
            got = parameters(found)
        except (TypeError, ValueError) as error:
            wrong.append(f"{row['name']}: {error}")
            continue
        seen += 1
        if [p for p in got if p not in ADDED or p in want] != want:
            wrong.append(f"{row['name']}: {want}, here {got}")
    assert seen > 500
    assert not wrong, f'{len(wrong)} differ\n' + '\n'.join(wrong)


def test_every_row_of_the_table_serves():
    """What is built from ops has left the table."""
    stale = []
    for module in {owner for owner, _, _ in table.ROWS}:
        place = resolve(f'{module}' if module else 'ndarray') if module else cupy
        for name, _, reason in _host_call.rows(module):
            found = getattr(place, name, None)
            if found is not None and not hasattr(found, 'reason'):
                stale.append(f'{module}.{name}')
            assert reason
    assert not stale, f'built from ops, but still in the table: {sorted(stale)}'


def test_functions_describe_themselves():
    for name in ('histogram', 'linalg.solve', 'fft.rfft', 'random.normal', 'polynomial.Polynomial.fit'):
        function = resolve(name)
        assert function.__name__ == name.rpartition('.')[2]
        assert function.__doc__
        assert function.__module__.startswith('cupy')
        assert inspect.signature(function)
