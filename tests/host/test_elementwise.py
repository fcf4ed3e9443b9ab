"""Elementwise calls of the host backend against NumPy: every op and loop, layouts, casts, masks, scalars."""
import numpy as np
import pytest

import direct
from direct import CONTIGUOUS, MASKED, ops, run

OPS = [op for op in ops.values() if op.kind == 'ELEMENTWISE']
WRONG_WHEN_STRIDED = ('isfinite', 'isinf', 'isnan', 'signbit')  # into a strided out NumPy 2.4.6 writes some elements only
ROWS = [(op.name, i) for op in OPS for i in range(len(op.loops))]


def values(dtype, shape, seed=0, op=''):
    """Random values with special ones among them."""
    rng = np.random.default_rng(seed)
    n = int(np.prod(shape))
    if dtype.kind == 'b':
        a = rng.random(n) < 0.5
    elif dtype.kind in 'iu':
        low = -5 if dtype.kind == 'i' and not op.endswith(('shift', 'power')) else 0
        a = rng.integers(low, 8 if op.endswith(('shift', 'power')) else 100, n)
    else:
        a = rng.standard_normal(n) * 3 + (1j * rng.standard_normal(n) if dtype.kind == 'c' else 0)
        special = np.array([0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 0.5])
        where = rng.integers(0, max(n, 1), n // 8)
        if n:
            a[where] = rng.choice(special, where.size)
    with np.errstate(all='ignore'):
        return a.astype(dtype).reshape(shape)


def expected(op, loop, ins, out=None):
    """What NumPy answers for inputs that have the loop's dtypes. Its last bit may depend on the layout: out has that of ours."""
    types = op.loops[loop]
    with np.errstate(all='ignore'):
        if op.name == 'where':
            return (np.where(*ins),)
        if op.name in ('real', 'imag'):
            return (getattr(ins[0], op.name).copy(),)
        if op.name == 'clip':
            return (np.clip(*ins),)
        signature = tuple(t for part in types for t in part)
        if len({t for t in types[0]}) == 2 and types[0][0].kind in 'iu':  # no signature finds these loops
            got = getattr(np, op.name)(*ins)
        elif out and all(o.flags.aligned for o in out) and op.name not in WRONG_WHEN_STRIDED:
            got = getattr(np, op.name)(*ins, out=tuple(out), signature=signature)
        else:
            got = getattr(np, op.name)(*ins, signature=signature)
    return got if isinstance(got, tuple) else (got,)


def same(want, got):
    """Equal bits, all NaNs being alike."""
    return want.dtype == got.dtype and np.asarray(want).shape == got.shape and (
        want.tobytes() == got.tobytes() or want.dtype.kind in 'fc' and np.array_equal(want, got, equal_nan=True) and
        (np.signbit(want.real) == np.signbit(got.real))[~np.isnan(want)].all())


def check(name, loop, ins, make=None, flags=0, want=None):
    """make(shape, dtype) -> an output"""
    op = ops[name]
    make = make or np.zeros
    shape = np.broadcast_shapes(*(a.shape for a in ins))
    full = [a if isinstance(a, np.generic) else np.broadcast_to(a, shape) for a in ins]
    want = want or expected(op, loop, ins, [make(shape, t) for t in op.loops[loop][1]])
    outs = [make(shape, t) for t in op.loops[loop][1]]
    run(op.id, full, outs, loop=loop, flags=flags)
    for w, o in zip(want, outs):
        if make is not np.zeros and o.dtype.kind in 'fc':  # NumPy's last bit depends on which outputs it happens to buffer
            assert np.allclose(w, o, 8 * np.finfo(o.dtype).eps, 0, equal_nan=True)
            continue
        assert same(np.asarray(w, o.dtype), o), (name, op.loops[loop], [a.strides for a in ins], o.strides, w, o)


def unaligned(a):
    view = unaligned_zeros(a.shape, a.dtype)
    view[...] = a
    return view


def unaligned_zeros(shape, dtype):
    return np.zeros(int(np.prod(shape)) * dtype.itemsize + 1, 'u1')[1:].view(dtype).reshape(shape)


def inner_zeros(shape, dtype):
    return np.zeros((3,) + shape[::-1] + (2,), dtype)[1, ..., 1].T


@pytest.mark.parametrize('name,loop', ROWS)
def test_contiguous(name, loop):
    op = ops[name]
    for n in (0, 1, 2, 5, 17, 1000, 140001 if loop % 5 == 0 else 33):
        check(name, loop, [values(t, n, k, name) for k, t in enumerate(op.loops[loop][0])], flags=CONTIGUOUS)
    assert direct.supports(op.id, loop) == 2


@pytest.mark.parametrize('name,loop', ROWS)
def test_layouts(name, loop):
    types, out_types = ops[name].loops[loop]
    big = [values(t, (6, 8, 10), k, name) for k, t in enumerate(types)]
    layouts = [lambda a: a[::2, 1:, ::3], lambda a: a[::-1, ::-1, ::-1], lambda a: a.T, lambda a: a.transpose(1, 0, 2)[:, ::-2],
               lambda a: a[:1, :, 3:4], lambda a: a[1, 2, 3:4].reshape(()), unaligned, lambda a: unaligned(a)[:, ::2, ::-1]]
    for view in layouts:
        ins = [view(a) for a in big]
        check(name, loop, ins)
        check(name, loop, ins, inner_zeros)
        check(name, loop, ins, unaligned_zeros)
    if len(types) > 1:
        ins = [big[0][:, :1]] + [a[:, :, :1] for a in big[1:-1]] + [big[-1][:1]]
        check(name, loop, [np.ascontiguousarray(a) for a in ins])
        check(name, loop, [big[0]] + [a[0, 0, 0] for a in big[1:]])
        check(name, loop, [big[0][0, 0, 0]] + [a.T for a in big[1:]])
        check(name, loop, [big[0].ravel()[:40]] + [a[0, 0, 0] for a in big[1:]], flags=CONTIGUOUS)


@pytest.mark.parametrize('name,loop', ROWS)
def test_masked(name, loop):
    op = ops[name]
    types, out_types = op.loops[loop]
    for shape, density in (((70,), 0.5), ((40, 50), 0.1), ((3000,), 0.99), ((30, 3), 0.5), ((5,), 0)):
        ins = [values(t, shape, k, name) for k, t in enumerate(types)]
        mask = np.random.default_rng(9).random(shape) < density
        want = expected(op, loop, ins)
        for order in 'CF':
            outs = [np.asarray(values(t, shape, 7), order=order) for t in out_types]
            wanted = [np.where(mask, w, o) for w, o in zip(want, outs)]
            run(op.id, ins + [mask], outs, loop=loop, flags=MASKED)
            assert all(same(w, o) for w, o in zip(wanted, outs)), (shape, density)


@pytest.mark.parametrize('name', ['add', 'subtract', 'exp', 'divmod', 'greater', 'where', 'hypot', 'clip', 'modf', 'power'])
def test_casts(name):
    """Operands of other dtypes than the loop's, also with masks."""
    op = ops[name]
    for loop in range(len(op.loops)):
        types, out_types = op.loops[loop]
        for other in ('?bHlefD' if loop % 3 == 0 else 'lf'):
            for shape in ((5,), (2500,), (70, 3), (3, 4, 5)):
                ins = [values(np.dtype(other), shape, k) for k in range(len(types))]
                ins = [np.abs(a) if name == 'power' else a for a in ins]
                ins = [np.nan_to_num(a).clip(0 if t.kind == 'u' else -9, 9) if t.kind in 'iub' and a.dtype.kind in 'fc' else a
                       for a, t in zip(ins, types)]
                with np.errstate(all='ignore'):
                    cast = [a.astype(t) for a, t in zip(ins, types)]
                    want = expected(op, loop, cast)
                for out_type in (None, 'd'):
                    outs = [np.zeros(shape, out_type or t, order='F') for t in out_types]
                    run(op.id, ins, outs, loop=loop)
                    assert all(same(w.astype(o.dtype), o) for w, o in zip(want, outs)), (op.loops[loop], other, shape)
                scalars = [ins[0]] + [a.ravel()[0] for a in ins[1:]]
                with np.errstate(all='ignore'):
                    want = expected(op, loop, [a.astype(t) for a, t in zip(scalars, types)])
                outs = [np.zeros(shape, t) for t in out_types]
                run(op.id, scalars, outs, loop=loop)
                assert all(same(w, o) for w, o in zip(want, outs))
                mask = values(np.dtype('?'), shape, 11)
                full = expected(op, loop, cast)
                outs = [np.full(shape, 3, 'd') for _ in out_types]
                run(op.id, ins + [mask], outs, loop=loop, flags=MASKED)
                assert all(same(np.where(mask, w.astype('d'), 3.0), o) for w, o in zip(full, outs))


def test_long_and_short_rows():
    """Axes that cannot be merged: short last axes, remainders of blocks, many axes."""
    rng = np.random.default_rng(1)
    loop = direct.loop_index('subtract', 'd', 'd', 'd')
    for shape in ((5000, 3), (3, 5000), (1024, 2), (1025, 2), (2049, 3, 2), (2, 3000, 3), (2,) * 15, (100001, 2)):
        a, row, column = rng.random(shape), rng.random(shape[-1]), rng.random(shape[:-1] + (1,))
        check('subtract', loop, [a, row])
        check('subtract', loop, [a, column])
        check('subtract', loop, [np.asfortranarray(a), row.astype('f4')], want=((a - row.astype('f4')),))
        wide = rng.random(shape[:-1] + (shape[-1] + 1,))
        check('subtract', loop, [wide[..., :-1], wide[..., 1:]])
    deep, out = rng.random((1,) * 30 + (2, 3) + (1,) * 30 + (4, 5)), np.zeros((1,) * 30 + (2, 3) + (1,) * 30 + (4, 5))
    run(ops['subtract'].id, [deep, deep[..., ::-1]], [out], loop=loop)
    assert (out == deep - deep[..., ::-1]).all()


def test_large_strided():
    loop = direct.loop_index('add', 'f', 'f', 'f')
    a = np.random.default_rng(2).random((700, 701)).astype('f4')
    check('add', loop, [a, a[::-1]])
    check('add', loop, [a[:, ::2], a[::-1, 1::2][:, :351] if a.shape[1] % 2 == 0 else a[::-1, ::2]])
    check('add', loop, [a.T, a[:1].T])
    check('add', loop, [a, a.astype('f8')], want=((a + a.astype('f8').astype('f4')),))
    u = unaligned(a)
    check('add', loop, [u, u.copy()])


@pytest.mark.parametrize('name', ['add', 'exp', 'divmod', 'less', 'where', 'ldexp'])
def test_transposed_inputs(name):
    op = ops[name]
    for loop in range(0, len(op.loops), 3):
        types = op.loops[loop][0]
        for shape in ((150, 333), (64, 64), (3, 100, 40), (40, 3, 100), (17, 5000), (5, 17, 16, 20)):
            flat = [values(t, shape, k, name) for k, t in enumerate(types)]
            turned = [np.asarray(a, order='F') for a in flat]
            swapped = [a.swapaxes(-1, 0).copy().swapaxes(-1, 0) for a in flat]
            mixed = [x if k % 2 else y for k, (x, y) in enumerate(zip(flat, turned))]
            for ins in (turned, swapped, mixed, mixed[::-1] if len(set(types)) == 1 else mixed, [unaligned(a.T).T for a in flat]):
                check(name, loop, ins)
                want, mask = expected(op, loop, ins), values(np.dtype('?'), shape, 5)
                outs = [np.ones(shape, w.dtype) for w in want]
                run(op.id, ins + [mask], outs, loop=loop, flags=MASKED)
                assert all(same(np.where(mask, w, np.ones(1, w.dtype)), o) for w, o in zip(want, outs))
            if types[0] == 'd':
                check(name, loop, [a.astype('f4') for a in turned], want=expected(op, loop, [a.astype('f4').astype('d') for a in turned]))


def test_in_place():
    loop = direct.loop_index('add', 'd', 'd', 'd')
    for shape in ((10,), (300, 301)):
        a = np.random.default_rng(3).random(shape)
        want = a + a
        run(ops['add'].id, [a, a], [a], loop=loop)
        assert (a == want).all()
        want = a.T + 1.5
        run(ops['add'].id, [a.T, np.float64(1.5)], [a.T], loop=loop)
        assert (a.T == want).all()


@pytest.mark.parametrize('dtype', 'bhil')
def test_negative_powers(dtype):
    loop = direct.loop_index('power', dtype, dtype, dtype)
    out = np.zeros(3000, dtype)
    base = np.full(3000, 2, dtype)
    for at in (0, 255, 256, 2999):
        exponent = np.ones(3000, dtype)
        exponent[at] = -1
        for e in (exponent, exponent[::-1], exponent.astype('l'), exponent.astype('f'), exponent[at]):
            status, _ = direct.launch(ops['power'].id, [base, e], [out], loop=loop)
            assert status == direct.NEGATIVE_POWER and not out.any()
        mask = exponent > 0
        run(ops['power'].id, [base, exponent, mask], [out], loop=loop, flags=MASKED)
        assert out.sum() == 2 * 2999
        out[:] = 0
    status, _ = direct.launch(ops['power'].id, [base, np.dtype(dtype).type(-2)], [out], loop=loop, flags=CONTIGUOUS)
    assert status == direct.NEGATIVE_POWER
    run(ops['power'].id, [base, np.dtype(dtype).type(3)], [out], loop=loop, flags=CONTIGUOUS)
    assert (out == 8).all()


def test_where_keeps_bits():
    nan = np.array([0x7ff0000000000001, 0x7ff8000000000123], 'u8').view('d')
    out = np.zeros(2)
    run(ops['where'].id, [np.array([True, False]), nan, nan[::-1].copy()], [out], loop=direct.loop_index('where', '?', 'd', 'd', 'd'))
    assert out.tobytes() == nan[[0, 0]].tobytes()
    odd = np.array([2, 0, 255, 1], 'u1').view('?')  # any byte but 0 is true
    out = np.zeros(4, 'i4')
    run(ops['where'].id, [odd, np.int32(5), np.int32(6)], [out], loop=direct.loop_index('where', '?', 'i', 'i', 'i'), flags=CONTIGUOUS)
    assert out.tolist() == [5, 6, 5, 5]


def test_refusals():
    a = np.zeros(3)
    add, exp = ops['add'].id, ops['exp'].id
    for op, loop, method in ((add, 99, 0), (99, 0, 0), (150, 0, 0), (-1, 0, 0), (5000, 0, 0), (add, -1, 0), (exp, 1, 1)):
        status, _ = direct.launch(op, [a, a], [a], loop=loop, method=method)
        assert status == direct.NOT_SUPPORTED and direct.supports(op, loop, method) == 0
