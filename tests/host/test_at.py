"""ufunc.at of the host backend against NumPy's."""
import numpy as np
import pytest

import direct
from direct import AT, ops
from test_elementwise import same, unaligned, values

OPS = [op for op in ops.values() if op.kind == 'ELEMENTWISE' and op.nin <= 2 and op.nout == 1
       and isinstance(getattr(np, op.name, None), np.ufunc)]


def run_at(op, loop, target, index, value=None, axes=None):
    """target is indexed along `axes` (the first ones) by the tuple of arrays `index`."""
    axes = list(range(len(index))) if axes is None else axes
    shape = np.broadcast_shapes(*(i.shape for i in index))
    index = [np.broadcast_to(i, shape) for i in index]
    full = shape + tuple(n for d, n in enumerate(target.shape) if d not in axes)
    ins = [] if value is None else [value if isinstance(value, np.generic) else np.broadcast_to(value, full)]
    return direct.launch(op.id, ins + index, [target], loop=loop, method=AT, axes=axes)


def check(op, loop, make, index, value):
    """Complex products of slices may differ in the last bit, which then grows: NumPy takes their elements one by one, we their rows."""
    want, got = make(), make()
    with np.errstate(all='ignore'):
        getattr(np, op.name).at(want, index, *(() if value is None else (value,)))
    status, _ = run_at(op, loop, got, index, value)
    close = want.dtype.kind == 'c' and np.allclose(want, got, 1e-4 if want.dtype == 'F' else 1e-12, equal_nan=True)
    assert status == direct.OK and (close or same(want, got)), (op.name, op.loops[loop], want, got)


@pytest.mark.parametrize('name', [op.name for op in OPS])
def test_all_ops(name):
    op = ops[name]
    for loop, (types, out_types) in enumerate(op.loops):
        if not np.can_cast(out_types[0], types[0], 'same_kind') or len(set(types)) == 2 and types[0].kind in 'iu':
            continue
        rng = np.random.default_rng(loop)
        make = lambda: values(types[0], (7, 5), 1, name)
        with np.errstate(all='ignore'):
            scalar = values(types[-1], 3, 5, name)[0] if op.nin == 2 else None
            value = lambda shape: values(types[-1], shape, 2, name) if op.nin == 2 else None
            rows, columns = rng.integers(-7, 7, 200), rng.integers(-5, 5, 200)
            check(op, loop, make, (rows, columns), value(200))
            check(op, loop, make, (rows[:9],), value((9, 5)))
            check(op, loop, make, (rows[:9],), value(5))
            check(op, loop, make, (rows.reshape(20, 10), columns[:10]), value((20, 10)))
            check(op, loop, make, (rows, columns), scalar)
            check(op, loop, lambda: make().T[::-1], (columns[:9],), value((9, 7)))
            check(op, loop, lambda: unaligned(make()), (rows[:9],), value((9, 5)))


def test_casts():
    index = (np.array([0, 1, 0, -1, 2]),)
    for target, value, loop in (('f', 'd', 'd'), ('h', 'b', 'h'), ('e', 'f', 'f'), ('D', 'f', 'D'), ('i', 'd', 'd'), ('F', 'd', 'D')):
        got = np.arange(4).astype(target)
        direct_loop = direct.loop_index('add', loop, loop, loop)
        with np.errstate(all='ignore'):
            want = np.arange(4).astype(target)
            for i, v in zip(index[0], np.array([0.5, 1.5, 2.25, 3, 4]).astype(value)):
                want[i] = (want[i].astype(loop) + v.astype(loop)).astype(target)
        status, _ = run_at(ops['add'], direct_loop, got, index, np.array([0.5, 1.5, 2.25, 3, 4]).astype(value))
        assert status == direct.OK and (want == got).all(), (target, value, want, got)


def test_axes_and_large():
    rng = np.random.default_rng(0)
    target = rng.random((6, 40, 300))
    index, value = rng.integers(-40, 40, 500), rng.random((500, 6, 300))
    want, got = target.copy(), target.copy()
    np.add.at(want.transpose(1, 0, 2), index, value)
    status, _ = run_at(ops['add'], direct.loop_index('add', 'd', 'd', 'd'), got, (index,), value, axes=[1])
    assert status == direct.OK and (want == got).all()
    many, weight = rng.integers(0, 1000, 200000), rng.random(200000)
    want, got = np.zeros(1000), np.zeros(1000)
    np.add.at(want, many, weight)
    run_at(ops['add'], direct.loop_index('add', 'd', 'd', 'd'), got, (many,), weight)
    assert (want == got).all()


def test_errors_change_nothing():
    target = np.zeros((3, 4), 'l')
    loop = direct.loop_index('add', 'l', 'l', 'l')
    for index, result in (((np.array([0, 3, -9]),), (3, 0, 3)), ((np.array([0, 1]), np.array([-5, 0])), (-5, 1, 4))):
        status, call = run_at(ops['add'], loop, target, index, np.int64(1))
        assert status == direct.INDEX_ERROR and tuple(call.result[:3]) == result and not target.any()
    big = np.zeros(200000, 'l')
    big[150000:] = 7
    status, call = run_at(ops['add'], loop, np.zeros(5, 'l'), (big,), np.int64(1))
    assert status == direct.INDEX_ERROR and call.result[0] == 7
    power = direct.loop_index('power', 'l', 'l', 'l')
    status, _ = run_at(ops['power'], power, target, (np.array([0, 1]),), np.int64(-1))
    assert status == direct.NEGATIVE_POWER
    status, _ = run_at(ops['add'], loop, target, (np.zeros(0, 'l'),), np.int64(1))
    assert status == direct.OK
    status, _ = run_at(ops['add'], loop, np.zeros((0, 3), 'l'), (np.array([0]),), np.int64(1))
    assert status == direct.INDEX_ERROR
