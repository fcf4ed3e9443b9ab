"""Several threads at once, on own and shared arrays, streams and pools; and forked children."""
import os
import random
import sys
import threading
import time

import numpy
import pytest

import cupy
import oracle

THREADS = 8


def run_threads(work, count=THREADS):
    """Runs work(i) in threads that start together; the first exception of any is raised here."""
    errors, barrier = [], threading.Barrier(count)

    def target(i):
        barrier.wait()
        try:
            work(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=target, args=(i,)) for i in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if errors:
        raise errors[0]


def mixed(xp, seed, a=None):
    """Operations of every kind on arrays of sizes below and above what wakes the workers."""
    draw = random.Random(seed)
    results = []
    for _ in range(12):
        n = draw.choice([1, 10, 1000, 70000])
        x = xp.arange(n, dtype=draw.choice(['f4', 'f8', 'i4', 'i8'])) % 97 if a is None else a[:n]
        kind = draw.randrange(9)
        if kind == 0:
            r = (x + x * 2 - 1) / 3
        elif kind == 1:
            r = xp.stack([x.sum(), x.max(), x.min(), x.mean().astype(x.dtype)])
        elif kind == 2:
            r = xp.sort(x[::-1])
        elif kind == 3:
            r = x[x > 10]
        elif kind == 4:
            r = xp.cumsum(x)
        elif kind == 5:
            r = x[:100].reshape(-1, 1) @ x[:100].reshape(1, -1)
        elif kind == 6:
            r = x.copy()
            r[::2] += 1
            r *= 2
        elif kind == 7:
            r = xp.concatenate([x, x.astype('c16').real.astype(x.dtype)])
        else:
            r = xp.sin(x)[xp.argsort(x, kind='stable')[:50]]
        results.append(r)
    return results


def test_own_arrays():
    def work(i):
        for round_ in range(4):
            seed = 100 * i + round_
            text = oracle.difference(mixed(numpy, seed), mixed(cupy, seed), ulp=4)
            assert not text, text
    run_threads(work)


def test_shared_array():
    host = numpy.arange(70000, dtype='f8') % 89
    shared = cupy.array(host)

    def work(i):
        for round_ in range(4):
            text = oracle.difference(mixed(numpy, i + round_, host), mixed(cupy, i + round_, shared), ulp=4)
            assert not text, text
    run_threads(work)
    assert (cupy.asnumpy(shared) == host).all()


def test_writing_own_rows_of_one_array():
    shared = cupy.zeros((THREADS, 50000))

    def work(i):
        for _ in range(20):
            shared[i] += i
            shared[i, 1:] -= i
            shared[i, 1:] += i
    run_threads(work)
    assert (cupy.asnumpy(shared) == 20.0 * numpy.arange(THREADS)[:, None]).all()


def test_streams_and_pools():
    def work(i):
        stream = cupy.xpu.Stream()
        pool = cupy.xpu.MemoryPool()
        with stream, cupy.xpu.using_allocator(pool.malloc):
            assert cupy.xpu.get_current_stream() == stream
            kept = []
            for k in range(60):
                a = cupy.full(1000 * (k % 7 + 1), i)
                kept.append(a + k)
                if len(kept) > 5:
                    kept.pop(0)
                event = stream.record()
                event.synchronize()
                assert int(a.sum()) == i * a.size
            stream.synchronize()
            assert all(int((b != i + 60 - len(kept) + j).sum()) == 0 for j, b in enumerate(kept))
            assert pool.used_bytes() > 0
        assert cupy.xpu.get_current_stream() == cupy.xpu.Stream.null
        del kept, a
        assert pool.used_bytes() == 0
        pool.free_all_blocks()
        assert pool.total_bytes() == 0
    run_threads(work)


def test_one_pool_for_all():
    pool = cupy.xpu.MemoryPool()

    def work(i):
        with cupy.xpu.using_allocator(pool.malloc):
            for k in range(200):
                a = cupy.full((k * 37 + i) % 3000 + 1, i, 'i4')
                assert int(a[-1]) == i
                if k % 50 == 0:
                    pool.free_all_blocks()
    run_threads(work)
    assert pool.used_bytes() == 0


def test_arrays_pass_between_threads():
    queue, done = [], []
    condition = threading.Condition()

    def work(i):
        if i % 2:
            for k in range(50):
                a = cupy.full(500, k)
                with condition:
                    queue.append(a)
                    condition.notify()
                del a
        else:
            for _ in range(50):
                with condition:
                    assert condition.wait_for(lambda: queue, 30)
                    a = queue.pop()
                done.append(int(a.min()) == int(a.max()))
                del a
    run_threads(work, 4)
    assert len(done) == 100 and all(done)


def test_first_use_in_threads():
    """Opening the backend, ufunc caches and the worker threads at once, in a fresh interpreter."""
    program = '''
import threading, cupy
ok = []
barrier = threading.Barrier(8)
def work(i):
    barrier.wait()
    a = cupy.arange(100000.)
    ok.append(float((a + i).sum()) == 4999950000.0 + 100000 * i)
threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
[t.start() for t in threads]; [t.join() for t in threads]
assert ok == [True] * 8
'''
    assert os.spawnv(os.P_WAIT, sys.executable, [sys.executable, '-W', 'ignore', '-c', program]) == 0


def test_exceptions_in_threads():
    """A failing call in one thread leaves the others alone."""
    def work(i):
        for k in range(100):
            a = cupy.arange(5)
            if i % 2:
                with pytest.raises((IndexError, ValueError)):
                    a[cupy.array([k + 5])] if k % 2 else a + cupy.arange(k + 6)
            else:
                assert int((a + k).sum()) == 10 + 5 * k
    run_threads(work)


def _child(work):
    """Forks; the child runs work and exits. Returns its exit code, or kills it after a minute."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    for _ in range(600):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.1)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    return 'hangs'


def _use(matmul=True):
    a = cupy.arange(200000.)
    b = cupy.sin(a) + a * 2
    assert abs(float(b.sum()) - float(numpy.sum(numpy.sin(numpy.arange(200000.)) + numpy.arange(200000.) * 2))) < 1
    if matmul:
        assert float((a.reshape(400, 500) @ a.reshape(500, 400)).sum()) > 0
    assert int(cupy.sort(a[::-1])[0]) == 0


@pytest.mark.skipif(not hasattr(os, 'fork'), reason='needs fork')
@pytest.mark.host_only('CANN does not survive fork(): the child gets an error that says so, see tests/backend and tests/ascend')
class TestFork:
    def test_after_use(self):
        _use()
        before = cupy.arange(100000.)

        def work():
            _use()
            assert float(before.sum()) == 4999950000.0
            before[:] = 0
            run_threads(lambda i: _use(), 3)
        assert _child(work) == 0
        assert float(before.sum()) == 4999950000.0
        _use()

    def test_child_of_a_child(self):
        _use()

        def work():
            _use()
            assert _child(_use) == 0
        assert _child(work) == 0

    def test_while_other_threads_work(self):
        stop = threading.Event()

        def busy():  # no matmul: OpenBLAS itself hangs when a process forks in the midst of one, with NumPy alone as well
            while not stop.is_set():
                _use(matmul=False)
        threads = [threading.Thread(target=busy) for _ in range(3)]
        for t in threads:
            t.start()
        try:
            assert [_child(lambda: _use(matmul=False)) for _ in range(6)] == [0] * 6
        finally:
            stop.set()
            for t in threads:
                t.join()

    def test_multiprocessing(self):
        import multiprocessing
        with multiprocessing.get_context('fork').Pool(2) as pool:
            assert pool.map(_square_sum, [10, 1000, 100000]) == [_square_sum(n) for n in (10, 1000, 100000)]


def _square_sum(n):
    return float((cupy.arange(float(n)) ** 2).sum())
