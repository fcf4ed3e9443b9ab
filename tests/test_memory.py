"""What operations leave behind in memory, and how much they take at their peak."""
import gc
import weakref

import numpy
import pytest

import cupy


@pytest.fixture
def pool():
    """A pool of its own for the arrays of a test."""
    pool = cupy.xpu.MemoryPool()
    with cupy.xpu.using_allocator(pool.malloc):
        yield pool


MB = 1 << 20
# what pools take beyond what is asked for: those of a device take pages of 2 MB
SLACK = 64 * 1024 if cupy.xpu.backend_name() == 'host' else 2 * MB + 64 * 1024


def peak(pool, work):
    """Bytes that the pool took from the system for work(), beyond what was in use; work's result is kept till the count."""
    pool.free_all_blocks()
    before = pool.total_bytes()
    result = work()
    taken = pool.total_bytes() - before
    del result
    return taken


OPERATIONS = {
    'a + b': 8, 'a * 2': 8, 'a + f': 8, 'cupy.sin(a)': 8, 'a > b': 1, 'a.astype("f4")': 4, 'a.sum()': 0, 'a.max()': 0, 'a.mean()': 0,
    'a[::2] + 1': 4,
    'a.copy()': 8, 'a[::-1].copy()': 8, 'cupy.zeros(n)': 8, 'cupy.add(a, b, out=b)': 0, 'cupy.add(a, f, out=a)': 0, 'cupy.cumsum(a)': 8,
    '-a': 8,
    'cupy.add(a, 1, out=a)': 0, 'f + 1.5': 4, 'cupy.where(m, a, b)': 8, 'cupy.sort(a)': 8, 'a.reshape(-1, 4).sum(axis=1)': 2,
}


@pytest.mark.parametrize('expression', OPERATIONS)
def test_peak_is_the_result_alone(pool, expression):
    n = MB
    scope = {'cupy': cupy, 'n': n, 'a': cupy.ones(n), 'b': cupy.ones(n), 'f': cupy.ones(n, 'f4'), 'm': cupy.ones(n, '?')}
    scope['a'] + scope['b']  # what is made once
    taken = peak(pool, lambda: eval(expression, scope))
    assert taken <= OPERATIONS[expression] * n + SLACK, f'{taken / n:.2f} bytes an element'


@pytest.mark.parametrize('statement', ['a += b', 'a += 1', 'a *= f', 'a[1:] = 5', 'a[::2] += 1', 'a[:] = b', 'a.fill(3)',
                                       'a[:n // 2] = a[n // 2:]'])
def test_in_place_takes_nothing(pool, statement):
    n = MB
    scope = {'n': n, 'a': cupy.ones(n), 'b': cupy.ones(n), 'f': cupy.ones(n, 'f4')}
    code = compile(statement, statement, 'exec')
    assert peak(pool, lambda: exec(code, scope)) <= 64 * 1024


def test_overlap_takes_one_copy_at_most(pool):
    a = cupy.ones(MB)

    def work():
        a[1:] += a[:-1]
    assert peak(pool, work) <= 8 * MB + SLACK


def resident():
    with open('/proc/self/statm') as f:
        return int(f.read().split()[1]) * 4096


def small_operations(count):
    a, b = cupy.arange(4.), cupy.arange(4.) + 1
    m = cupy.ones((2, 2))
    for _ in range(count):
        c = a + b
        c *= 2
        c[0] = 1
        d = c[1:3]
        e = c[c > 1]
        s = c.sum()
        f = c[1] + 1
        float(s)
        m = (m @ m) / 2
        c.reshape(2, 2).T.copy()
        cupy.sin(c)
        c.astype('f4')
    return d, e, f


def test_small_operations_leave_no_growth():
    """A million operations."""
    small_operations(2000)
    gc.collect()
    before, blocks = resident(), cupy.get_default_memory_pool().used_bytes()
    small_operations(80000)  # thirteen operations each
    gc.collect()
    assert resident() - before < 2 * MB
    assert cupy.get_default_memory_pool().used_bytes() <= blocks + 4096


def _failing(xp):
    a = xp.arange(5)
    for work in (lambda: a + xp.arange(4), lambda: a[7], lambda: a[xp.array([9])], lambda: a.reshape(3), lambda: xp.array([[1], [1, 2]]),
                 lambda: a ** -1, lambda: a + 'x', lambda: xp.add(a, 1, out=xp.zeros(3)), lambda: a.sum(axis=3), lambda: a.astype('x'),
                 lambda: xp.zeros(-1), lambda: xp.concatenate([a, a[None]]), lambda: a.__iadd__(1.5), lambda: xp.matmul(a, xp.ones(3))):
        try:
            work()
        except (TypeError, ValueError, IndexError):
            pass
        else:
            raise AssertionError('should have failed')


def test_failing_calls_leave_no_growth():
    for _ in range(50):
        _failing(cupy)
    gc.collect()
    before, used = resident(), cupy.get_default_memory_pool().used_bytes()
    for _ in range(400):
        _failing(cupy)
    gc.collect()
    assert resident() - before < 2 * MB
    assert cupy.get_default_memory_pool().used_bytes() <= used + 4096


def test_views_keep_memory_and_release_it(pool):
    a = cupy.ones(1000)
    view = a[10:20].reshape(2, 5).T
    del a
    assert pool.used_bytes() >= 8000 and float(view.sum()) == 10
    del view
    assert pool.used_bytes() == 0


def test_weak_references_and_cycles():
    a = cupy.ones(3)
    reference = weakref.ref(a)
    del a
    gc.collect()
    assert reference() is None


def test_pool_reuses_blocks(pool):
    a = cupy.ones(MB)
    del a
    total = pool.total_bytes()
    for _ in range(10):
        a = cupy.ones(MB)
        del a
    assert pool.total_bytes() == total
    pool.free_all_blocks()
    assert pool.total_bytes() == 0


def test_limit(pool):
    pool.set_limit(size=4 * MB)
    a = cupy.ones(MB // 8)
    with pytest.raises(MemoryError) as error:
        cupy.ones(MB)
    assert str(4 * MB) in str(error.value).replace(',', '').replace('_', '')
    assert float(a.sum()) == MB // 8
    pool.set_limit(size=0)
    cupy.ones(MB)


def test_huge_requests_fail_cleanly():
    for work in (lambda: cupy.empty(2 ** 50, 'u1'), lambda: cupy.zeros((2 ** 25, 2 ** 25)), lambda: cupy.ones(2 ** 45)):
        with pytest.raises(MemoryError):
            work()
    a = cupy.ones((2 ** 20, 1))
    with pytest.raises((MemoryError, ValueError)):
        a + cupy.broadcast_to(cupy.ones((1, 1)), (1, 2 ** 30))
    assert float(a.sum()) == 2 ** 20


def test_fresh_memory_is_not_zeroed_by_promise():
    """zeros are zeros also in memory that was used before."""
    for _ in range(5):
        a = cupy.full(5000, 7)
        del a
        assert not cupy.zeros(5000).any() and not cupy.zeros((50, 100), 'c16').any()


def test_result_does_not_alias_operands():
    a = cupy.arange(5)
    for b in (a + 0, a.copy(), +a, a.astype(a.dtype), cupy.array(a), a[cupy.arange(5)], a.flatten(), cupy.concatenate([a])):
        b[0] = 99
        assert int(a[0]) == 0 and not cupy.shares_memory(a, b)


def test_asnumpy_copies():
    a = cupy.arange(5)
    h = cupy.asnumpy(a)
    h[0] = 9
    assert int(a[0]) == 0
    n = numpy.arange(3)
    b = cupy.asarray(n)
    n[0] = 5
    assert int(b[0]) == 0
