"""The inspection API of the array API standard, and types for annotations, as NumPy's."""
import typing

import numpy
import pytest

import cupy

KINDS = ('bool', 'signed integer', 'unsigned integer', 'integral', 'real floating', 'complex floating', 'numeric', None,
         ('bool', 'real floating'), ())


@pytest.mark.skipif(not hasattr(numpy, '__array_namespace_info__'), reason='NumPy < 2.1')
def test_info():
    ours, theirs = cupy.__array_namespace_info__(), numpy.__array_namespace_info__()
    assert ours.capabilities() == theirs.capabilities()
    assert ours.default_dtypes() == theirs.default_dtypes()
    for kind in KINDS:
        assert ours.dtypes(kind=kind) == theirs.dtypes(kind=kind)
    for wrong in ('float', ('bool', 'text')):
        with pytest.raises(ValueError):
            ours.dtypes(kind=wrong)
    assert ours.default_device() in ours.devices()
    assert cupy.zeros(1).device == ours.default_device()
    with pytest.raises(ValueError):
        ours.dtypes(device='nowhere')


def test_types():
    assert typing.get_args(cupy.typing.NDArray[cupy.float32])[1] == numpy.dtype[numpy.float32]
    assert cupy.typing.DTypeLike is numpy.typing.DTypeLike
    assert cupy.ndarray in typing.get_args(cupy.typing.ArrayLike)


def test_isdtype_of_old_numpy():
    from cupy._numpy1 import isdtype
    for dtype in ('?', 'i1', 'u8', 'f2', 'f4', 'D'):
        for kind in (*[k for k in KINDS if isinstance(k, str)], numpy.float32, ('bool', 'numeric')):
            assert isdtype(dtype, kind) == numpy.isdtype(numpy.dtype(dtype), kind), (dtype, kind)
    with pytest.raises(ValueError):
        isdtype('f4', 'text')
