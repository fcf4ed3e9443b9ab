"""Functions that rearrange arrays, against NumPy."""
import itertools

import numpy as np
import pytest

import cupy
import lines
import oracle

DTYPES = '?bBhHiIlLefdFD'


def test_lines():
    lines.check('manipulation')


def test_padding_and_sets():
    lines.check('sets')


def test_concatenate_of_all_dtype_pairs():
    failures = oracle.Failures()
    for x, y in itertools.product(DTYPES, DTYPES):
        failures(oracle.compare(lambda xp: xp.concatenate([xp.ones(2, x), xp.zeros(3, y)])), x, y)
    for three in itertools.combinations('bBhHiIlLefdF', 3):
        failures(oracle.compare(lambda xp: xp.concatenate([xp.ones(1, d) for d in three])), *three)
    failures.report()


LAYOUTS = {
    'C': lambda xp: xp.arange(24).reshape(2, 3, 4), 'F': lambda xp: xp.arange(24).reshape(4, 3, 2).T,
    'step': lambda xp: xp.arange(96).reshape(4, 6, 4)[::2, ::2], 'reversed': lambda xp: xp.arange(24).reshape(2, 3, 4)[::-1, :, ::-1],
    'permuted': lambda xp: xp.arange(24).reshape(3, 4, 2).transpose(2, 0, 1),
    'broadcast': lambda xp: xp.broadcast_to(xp.arange(4), (2, 3, 4)),
}
CALLS = {
    'concatenate': lambda xp, a: xp.concatenate([a, a * 2], axis=1), 'concatenate flat': lambda xp, a: xp.concatenate([a, a], axis=None),
    'stack': lambda xp, a: xp.stack([a, a], axis=2), 'roll': lambda xp, a: xp.roll(a, (1, -1), (0, 2)),
    'roll flat': lambda xp, a: xp.roll(a, 5),
    'repeat': lambda xp, a: xp.repeat(a, 3, axis=1), 'repeat flat': lambda xp, a: xp.repeat(a, 2),
    'repeat uneven': lambda xp, a: xp.repeat(a, [2, 0, 1], axis=1), 'tile': lambda xp, a: xp.tile(a, (2, 1, 3)),
    'split': lambda xp, a: xp.split(a, [1, 2], axis=2), 'flip': lambda xp, a: xp.flip(a, (0, 2)),
    'rot90': lambda xp, a: xp.rot90(a, 1, (1, 2)),
    'reshape': lambda xp, a: xp.reshape(a, (4, 6)), 'reshape F': lambda xp, a: xp.reshape(a, (6, 4), order='F'),
    'ravel F': lambda xp, a: xp.ravel(a, 'F'), 'insert': lambda xp, a: xp.insert(a, [1, 3], 7, axis=2),
    'delete': lambda xp, a: xp.delete(a, [0, 2], axis=1),
    'pad': lambda xp, a: xp.pad(a, ((1, 0), (2, 3), (0, 4)), mode='symmetric'),
    'unique': lambda xp, a: xp.unique(a % 5, return_counts=True),
}


def test_every_layout():
    failures = oracle.Failures()
    for (layout, make), (name, call) in itertools.product(LAYOUTS.items(), CALLS.items()):
        failures(oracle.compare(lambda xp: call(xp, make(xp))), name, layout)
    failures.report()


def test_strides_of_views():
    views = {
        'transpose': lambda xp, a: xp.transpose(a, (1, 2, 0)), 'moveaxis': lambda xp, a: xp.moveaxis(a, 0, 2),
        'swapaxes': lambda xp, a: xp.swapaxes(a, 0, 2),
        'rollaxis': lambda xp, a: xp.rollaxis(a, 2), 'flip': lambda xp, a: xp.flip(a, 1), 'rot90': lambda xp, a: xp.rot90(a, 3, (0, 2)),
        'split': lambda xp, a: xp.array_split(a, 2, axis=1)[1], 'broadcast_to': lambda xp, a: xp.broadcast_to(a, (5, 2, 3, 4)),
        'atleast_3d': lambda xp, a: xp.atleast_3d(a[0]), 'matrix_transpose': lambda xp, a: xp.matrix_transpose(a),
    }
    failures = oracle.Failures()
    for (layout, make), (name, view) in itertools.product(LAYOUTS.items(), views.items()):
        def strides(xp):
            array = make(xp)
            result = view(xp, array)
            return result.strides, result.shape, xp.shares_memory(array, result) if xp is np else True
        failures(oracle.compare(strides), name, layout)
    failures.report()


def test_more_axes_than_eight():
    failures = oracle.Failures()
    for call in (lambda xp, a: xp.concatenate([a, a], axis=9), lambda xp, a: xp.stack([a, a], axis=5), lambda xp, a: xp.roll(a, 1, axis=9),
                 lambda xp, a: xp.moveaxis(a, 0, -1), lambda xp, a: xp.tile(a, 2), lambda xp, a: xp.repeat(a, 2, axis=9)):
        failures(oracle.compare(lambda xp: call(xp, xp.arange(6).reshape((1,) * 9 + (3, 2)))))
    failures.report()
    with pytest.raises(ValueError):
        cupy.stack([cupy.ones((1,) * 64)] * 2)
    with pytest.raises(ValueError):
        cupy.expand_dims(cupy.ones((1,) * 64), 0)


def test_memory_outside_of_an_array_stays_out_of_reach():
    for shape, strides in (((7,), (8,)), ((2, 3), (40, 8)), ((3,), (-8,)), ((2,), (1 << 62,))):
        with pytest.raises(ValueError):
            cupy.lib.stride_tricks.as_strided(cupy.arange(6), shape, strides)


def test_joins_leave_their_inputs_alone():
    a = cupy.arange(6.)
    result = cupy.concatenate([a[3:], a[:3]], out=a)  # NumPy overwrites what it has yet to read here
    assert result is a and a.tolist() == [3, 4, 5, 0, 1, 2]
    b = cupy.arange(3)
    joined = cupy.concatenate([b])
    joined[0] = 9
    assert b.tolist() == [0, 1, 2]
