"""Comparisons of arrays, sets, and what the namespace says about itself."""
import numpy as np
import pytest

import cupy
import oracle


def test_whole_array_comparisons_give_bools():
    a = cupy.arange(3.)
    for result in (cupy.allclose(a, a), cupy.array_equal(a, a), cupy.array_equiv(a, a), cupy.iscomplexobj(a), cupy.isrealobj(a),
                   cupy.isscalar(1)):
        assert type(result) is bool


def test_scalars_are_told_from_arrays():
    a = cupy.arange(3.)
    assert cupy.isscalar(a[0]) and cupy.isscalar(a.sum()) and not cupy.isscalar(cupy.array(3)) and not cupy.isscalar(a)


def test_sets_of_every_dtype():
    rng = np.random.default_rng(3)
    failures = oracle.Failures()
    for dtype in '?bBhHiIlLefdFD':
        x, y = (rng.integers(0, 12, 30).astype(dtype) for _ in range(2))
        if dtype in 'efdFD':
            x[3] = x[7] = np.nan
        for name in ('union1d', 'intersect1d', 'setdiff1d', 'setxor1d', 'isin'):
            failures(oracle.compare(lambda xp: getattr(xp, name)(xp.asarray(x), xp.asarray(y))), name, dtype)
        for flags in ((True, True, True), (False, True, False), (False, False, True), (True, False, False)):
            failures(oracle.compare(lambda xp: xp.unique(xp.asarray(x), *flags)), 'unique', dtype, flags)
            rows = (y % 3 if dtype in 'bBhHiIlL' else y).reshape(10, 3)
            failures(oracle.compare(lambda xp: xp.unique(xp.asarray(rows), *flags, axis=0)), 'unique rows', dtype, flags)
    failures.report()


def test_namespace_info():
    info = cupy.__array_namespace_info__()
    assert info.capabilities()['boolean indexing'] and info.default_device() in info.devices()
    assert info.default_dtypes() == {'real floating': np.dtype('f8'), 'complex floating': np.dtype('c16'), 'integral': np.dtype('i8'),
                                     'indexing': np.dtype('i8')}
    assert info.dtypes(kind='signed integer') == {f'int{n}': np.dtype(f'int{n}') for n in (8, 16, 32, 64)}
    assert set(info.dtypes(kind=('bool', 'real floating'))) == {'bool', 'float32', 'float64'}
    assert info.dtypes() == np.__array_namespace_info__().dtypes() if hasattr(np, '__array_namespace_info__') else True
    with pytest.raises(ValueError):
        info.dtypes(kind='text')
    with pytest.raises(ValueError):
        info.dtypes(device='elsewhere')
