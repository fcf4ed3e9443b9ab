"""What the design forbids host_call for makes no numpy.ndarray and calls no function of NumPy."""
import io
import pickle

import numpy
import pytest

import cupy
from numpy_calls import counted


def arrays():
    a = cupy.arange(12.).reshape(3, 4)
    i = cupy.array([[3, 1, 2], [5, 9, 4]])
    return {'cupy': cupy, 'a': a, 'i': i, 'b': a > 4, 'z': a + 1j, 'f': a.astype('f4'), 'h': a.astype('f2'), 'v': a[::2, ::-1],
            's': a[1, 2], 'k': cupy.array([2, 0]), 'out': cupy.empty((3, 4)), 'empty': cupy.zeros((0, 3))}


CASES = {
    'ufunc': '''
        a + a; a + 1; 2.5 * a; a + i[0, 0]; a == a; a ** 2; a / i[0, 1]; -a; abs(z); cupy.sin(f); cupy.exp(h); a + f; v * a[::2]; a // 2
        a % 3; divmod(a, 2); i & 3; i << 1; ~b; b | b; cupy.add(a, 1, out=out); cupy.add(a, 1, where=b, out=out)
        cupy.add(a, a, dtype='f4'); cupy.maximum(a, 3); cupy.hypot(a, f); cupy.modf(a); cupy.frexp(a); cupy.clip(a, 1, 5)
        cupy.where(b, a, 0); cupy.add.outer(k, k); cupy.logical_and(a, b); cupy.isnan(a); cupy.conj(z); z.real; z.imag; empty + 1; s + 1''',
    'in-place': '''
        a += 1; a *= f; a[1:] += a[:-1]; i //= 2; a **= 2; cupy.add.at(a, ([0, 0], [1, 1]), 1); cupy.negative(a, out=a)''',
    'reduction': '''
        a.sum(); a.sum(0); a.sum((0, 1), keepdims=True); a.prod(1); a.max(); a.min(axis=1); a.mean(); a.mean(1); a.var(); a.std(0)
        a.any(); b.all(1); a.argmax(); a.argmin(1); cupy.sum(f, dtype='f8'); cupy.count_nonzero(a); cupy.ptp(a, axis=0); f.sum()
        h.sum(0); cupy.add.reduce(a); cupy.maximum.reduce(a, axis=1); cupy.sum(a, where=b); cupy.add.reduceat(a, [0, 2]); cupy.any(z)
        empty.sum(0); i.sum(); b.sum(); cupy.min(a, initial=3.0); cupy.amax(i); cupy.all(a)''',
    'scan': '''
        cupy.cumsum(a); a.cumsum(1); cupy.cumprod(a, axis=0); cupy.add.accumulate(a); cupy.maximum.accumulate(f, axis=1)''',
    'index': '''
        a[0]; a[1, 2]; a[:, 1:3]; a[..., None]; a[::-1]; a[k]; a[k, k]; a[:, [0, 1]]; a[b]; a[b[:, 0]]; a[cupy.ix_(k, k)]; a[-1, -1]
        a[0] = 1; a[:, 1] = a[:, 2]; a[k] = 5; a[b] = 0; a[1, 1] = s; a[[0, 1], [1, 2]] = 7; a[...] = 2.0; i[i > 3] += 1; a.take(k)
        a.put(k, 1); cupy.take(a, k, axis=1); cupy.nonzero(a); cupy.where(b); cupy.flatnonzero(b); list(a[0]); a[0].item(1); float(s)
        bool(s); cupy.take_along_axis(i, cupy.argsort(i, axis=1), axis=1); cupy.compress(b[:, 0], a, axis=0); cupy.diagonal(a)
        cupy.putmask(a, b, 1)''',
    'copy': '''
        a.copy(); v.copy('F'); a.T.copy(); cupy.copy(a); cupy.ascontiguousarray(v); cupy.copyto(out, a); a.flatten(); v.ravel()
        a.T.reshape(-1); cupy.concatenate([a, a]); cupy.stack([a, a]); cupy.vstack([a, a]); cupy.hstack([a, a])
        cupy.repeat(a, 2, axis=0); cupy.tile(a, 2); cupy.roll(a, 1); cupy.flip(a); cupy.split(a, 3)
        cupy.broadcast_to(a[0], (3, 4)).copy(); a.transpose(); a.swapaxes(0, 1); cupy.moveaxis(a, 0, 1); cupy.expand_dims(a, 0)
        a[None].squeeze(); cupy.triu(a); cupy.tril(a); cupy.diag(k)''',
    'cast': '''
        a.astype(int); a.astype("f4"); i.astype(float); b.astype(int); a.astype(complex); h.astype("i2"); v.astype("u1", order="F")
        f.view("u4")''',
    'sort': '''
        cupy.sort(i); cupy.sort(i, axis=0); cupy.argsort(i); cupy.sort(a.ravel()); cupy.argsort(f, axis=0, kind='stable'); i.sort()
        cupy.partition(i, 1); cupy.argpartition(i, 1); cupy.searchsorted(a.ravel(), k); cupy.sort(z, axis=None)''',
    'matmul': '''
        a @ a.T; a.T @ a; a @ a[0]; a[0] @ a[0]; cupy.dot(a, a.T); cupy.matmul(i, i.T); cupy.vecdot(a, a); cupy.inner(k, k); f @ f.T
        z @ z.T; h @ h.T; cupy.dot(a[0], a[0]); cupy.outer(k, k); cupy.vdot(a, a); cupy.tensordot(a, a.T, 1)
        cupy.matmul(a, a.T, out=cupy.empty((3, 3)))''',
    'creation': '''
        cupy.zeros((2, 3)); cupy.ones(3, int); cupy.empty(4); cupy.full((2, 2), 7); cupy.arange(5); cupy.arange(0, 1, .1)
        cupy.linspace(0, 1, 5); cupy.eye(3); cupy.identity(2); cupy.array([1, 2, 3]); cupy.array([[1., 2], [3, 4]]); cupy.array(5)
        cupy.asarray([True, False]); cupy.zeros_like(a); cupy.ones_like(a); cupy.empty_like(v); cupy.full_like(i, 3); cupy.asarray(a)
        cupy.array(a); cupy.frombuffer(b'abcd', 'u1'); cupy.array([a, a]); cupy.array(range(4)); cupy.meshgrid(k, k); cupy.tri(3)
        cupy.asarray(a, dtype='f4'); cupy.array([[a[0, 0], 1]])''',
}


def statements(source):
    return [s.strip() for line in source.splitlines() for s in line.split('; ') if s.strip()]


@pytest.mark.parametrize('group', CASES)
def test_group(group):
    wrong = []
    scope = arrays()
    for statement in statements(CASES[group]):
        code = compile(statement, statement, 'exec')
        exec(code, scope)  # once before: caches fill
        with counted() as count:
            exec(code, scope)
        if count.arrays or count.functions:
            wrong.append(f'{statement}: {count.arrays} arrays, calls {count.functions}')
    assert not wrong, '\n'.join(wrong)


def test_large_operands():
    """Threads and blocks take their own ways."""
    a, b = cupy.ones(200000), cupy.ones(200000, 'f4')[::-1]
    for work in (lambda: a + b, lambda: a.sum(), lambda: cupy.cumsum(b), lambda: cupy.sort(a), lambda: a[a > 0], lambda: b.astype('i4'),
                 lambda: a.reshape(400, 500) @ a.reshape(500, 400)):
        work()
        with counted() as count:
            work()
        assert not count.arrays and not count.functions, count.functions


def test_counter_counts():
    with counted() as count:
        numpy.zeros(3)
        numpy.ones((2, 2)) + 1
        numpy.stack([numpy.arange(2)])
    assert count.arrays >= 5 and {'zeros', 'ones', 'stack'} <= set(count.functions)
    with counted() as count:
        cupy.asnumpy(cupy.arange(3))
    assert count.arrays >= 1
    with counted() as count:
        io.BytesIO(b'abc').read()
        pickle.dumps(3)
    assert count.arrays == 0 and not count.functions
