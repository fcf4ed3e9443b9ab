"""Copies and casts of the host backend, bit for bit against astype: all pairs of dtypes, layouts, edges of the ranges."""
import itertools
import warnings

import numpy as np
import pytest

import direct

COPY, FILL, IOTA = (direct.ops[name].id for name in ('copy', 'fill', 'iota'))
PAIRS = list(itertools.product(direct.DTYPES, direct.DTYPES))


def astype(a, dtype):
    with warnings.catch_warnings(), np.errstate(all='ignore'):
        warnings.simplefilter('ignore')
        return a.astype(dtype)


def edge_values(dtype, n=0):
    """Values around every bound that a cast may meet, as an array of dtype; at least n."""
    bounds = [s * (2.0 ** k) + d for k in (0, 7, 8, 15, 16, 31, 32, 63) for s in (1, -1) for d in (-1, -0.5, 0, 0.5, 1)]
    if dtype.kind == 'b':
        a = np.array([False, True])
    elif dtype.kind in 'iu':
        info = np.iinfo(dtype)
        a = np.array([v for v in (info.min, info.min + 1, -1, 0, 1, 2, 127, 128, 255, 256, 2049, 65519, 65520, 65521, 16777217, info.max)
                      if info.min <= v <= info.max], dtype)
    else:
        special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-8, 3e-8, 6e-8, 6.1e-5, 65504, 65519.99, 65520, 1e-45, 1e-310, 1e300, 0.1,
                   2049, 2051]
        real = astype(np.array(special + bounds), 'f4' if dtype == 'F' else 'f8')
        with np.errstate(all='ignore'):
            a = astype(real if dtype.kind == 'f' else np.concatenate([real + 1j * real[::-1], real + 0j, 0 * real + 1j]), dtype)
    return np.resize(a, max(n, a.size))


def copied(src, out):
    direct.run(COPY, [src], [out])
    return out


def alike(src, want, got):
    """Equal bits. Floats that do not fit an uint32 are left out: NumPy itself answers differently for contiguous and strided ones."""
    if src.dtype.kind in 'fc' and want.dtype == 'I':
        with np.errstate(all='ignore'):
            fits = (src.real > -2.0 ** 31) & (src.real < 2.0 ** 32)
        want, got = want[fits], got[fits]
    return want.tobytes() == got.tobytes()


@pytest.mark.parametrize('src,dst', PAIRS)
def test_all_pairs(src, dst):
    for n in (0, 1, 3, 1000, 70001):
        a = edge_values(src, n)[:n]
        want, got = astype(a, dst), copied(a, np.empty(n, dst))
        assert alike(a, want, got), [(x, w, g) for x, w, g in zip(a, want, got) if w.tobytes() != g.tobytes()][:8]


@pytest.mark.parametrize('src,dst', PAIRS)
def test_layouts(src, dst):
    a = edge_values(src, 5040)[:5040].reshape(7, 8, 9, 10)
    raw = np.zeros(a.nbytes + 1, 'u1')
    unaligned = raw[1:].view(src).reshape(a.shape)
    unaligned[...] = a
    views = {'strided': a[:, ::2, 1:, ::3], 'reversed': a[::-1, :, ::-1, ::-1], 'permuted': a.transpose(2, 0, 3, 1), 'T': a.T,
             'broadcast': np.broadcast_to(a[:, :1, :, :1], a.shape), 'unaligned': unaligned, 'unaligned T': unaligned.T,
             '0-d': a[1, 2, 3, 4:5].reshape(()), 'narrow': a[..., :2]}
    for name, v in views.items():
        want = astype(v, dst)
        big = np.zeros((2,) + v.shape[::-1] + (2,), dst)
        outs = {'C': np.empty(v.shape, dst), 'F': np.empty(v.shape, dst, order='F'), 'inner': big[1, ..., 1].T,
                'reversed': np.empty(v.shape, dst)[(..., *[slice(None, None, -1)] * v.ndim)]}
        for order, out in outs.items():
            copied(v, out)
            assert alike(v, want, out), (name, order)


def test_all_halves():
    every = np.arange(65536, dtype='u2').view('e')
    for dst in direct.DTYPES:
        assert copied(every, np.empty(65536, dst)).tobytes() == astype(every, dst).tobytes(), dst
    bits = np.arange(0, 2 ** 32, 4001, dtype='u8').astype('u4')
    near = (np.arange(65536, dtype='u4') << 13)
    steps = (0xfff, 0x1000, 0x1001, 0x37ffffff, 0x38000000, 0x38000001)
    near = np.concatenate([(near + d).astype('u4') for d in steps] + [bits]).view('f4')
    assert copied(near, np.empty(near.size, 'e')).tobytes() == astype(near, 'e').tobytes()
    wide = np.concatenate([near.astype('f8'), np.nextafter(near.astype('f8'), np.inf), np.nextafter(near.astype('f8'), -np.inf)])
    assert copied(wide, np.empty(wide.size, 'e')).tobytes() == astype(wide, 'e').tobytes()


@pytest.mark.parametrize('shape,axes', [
    ((130, 67), (1, 0)), ((3, 70, 65), (2, 1, 0)), ((5, 6, 7, 8), (3, 1, 0, 2)), ((1, 300, 2), (2, 1, 0)), ((400, 3), (1, 0)),
    ((4, 400), (1, 0)), ((2, 3, 4, 5, 6, 7), (5, 0, 4, 1, 3, 2)), ((1000, 1000), (1, 0))])
def test_transposed(shape, axes):
    for src, dst in (('u1', 'u1'), ('u2', 'u2'), ('f4', 'f4'), ('f8', 'f8'), ('D', 'D'), ('f4', 'f8'), ('i8', 'e')):
        a = np.arange(np.prod(shape)).astype(src).reshape(shape)
        v = a.transpose(axes)
        assert copied(v, np.empty(v.shape, dst)).tobytes() == v.astype(dst).tobytes()
        assert copied(v[::-1, 1:], np.empty(v[::-1, 1:].shape, dst)).tobytes() == v[::-1, 1:].astype(dst).tobytes()


def test_masked_copy():
    rng = np.random.default_rng(0)
    for shape in ((10,), (13, 40000), (50, 3)):
        a, mask = rng.standard_normal(shape), rng.random(shape) < 0.3
        got, want = np.zeros(shape, 'i4'), np.zeros(shape, 'i4')
        direct.run(COPY, [a, mask], [got], flags=direct.MASKED)
        np.copyto(want, a, 'unsafe', mask)
        assert (want == got).all()


def test_fill():
    for dtype in direct.DTYPES:
        for value in edge_values(dtype):
            a = np.zeros((6, 50, 4), dtype)
            for view in (a, a[::2, ::-3, 1:], a.T, a[:0], a[1, 2, 3:].reshape(())):
                direct.run(FILL, [value], [view])
                want = np.full(view.shape, value)
                assert view.tobytes() == want.tobytes()
    big = np.zeros(100001, 'D')
    direct.run(FILL, [np.float32(2.5)], [big])
    assert (big == 2.5).all()


@pytest.mark.parametrize('dtype', [d for d in direct.DTYPES if d.kind != 'b'])
def test_iota(dtype):
    starts = [(0, 1), (3, 2), (1, 100)] + ([(5, -3)] if dtype.kind != 'u' else [])
    starts += [(0.1, 0.1), (1e-3, 1 / 3)] if dtype.kind in 'fc' else []
    for start, step in starts:
        for n in (0, 1, 2, 3, 1000, 100003):
            if dtype.kind in 'iu' and start + n * step > np.iinfo(dtype).max or dtype == 'e' and start + n * step > 60000:
                continue
            want = np.arange(start, start + (n - 0.5) * step, step, dtype) if n else np.empty(0, dtype)
            assert want.size == n
            for scalar in (np.float64, np.complex128) if dtype.kind in 'fc' else (np.int64,):
                got = np.empty(n, dtype)
                direct.run(IOTA, [scalar(start), scalar(step)], [got])
                assert got.tobytes() == want.tobytes(), (start, step, n)
                strided = np.zeros(2 * n + 1, dtype)[1::2]
                direct.run(IOTA, [scalar(start), scalar(step)], [strided])
                assert strided.tobytes() == want.tobytes()


def test_iota_complex():
    got = np.empty(1000, 'D')
    direct.run(IOTA, [np.complex128(1 + 2j), np.complex128(0.5 + 0.25j)], [got])
    first = np.array([1 + 2j, 1.5 + 2.25j])
    assert (got == first[0] + np.arange(1000) * (first[1] - first[0])).all()
