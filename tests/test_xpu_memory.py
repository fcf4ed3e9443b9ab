"""Memory of devices: pools, pointers, allocators, hooks, limits."""
import ctypes
import gc
import io
import os
import subprocess
import sys
import threading

import numpy
import pytest

import cupy
from cupy import cuda, xpu


def run(code, **environment):
    """Output of a program in a process of its own."""
    done = subprocess.run([sys.executable, '-W', 'ignore', '-c', code], capture_output=True, text=True, timeout=120,
                          env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def host_memory():
    """For tests that hand memory of this process to the device."""
    if cupy.empty(1).device != 'cpu':
        pytest.skip('device memory is not the memory of this process')


def test_used_bytes_follow_the_arrays():
    pool = cupy.get_default_memory_pool()
    before = pool.used_bytes()
    a = cupy.empty(1000, 'f8')
    assert before + 8000 <= pool.used_bytes() <= before + 9000
    assert pool.free_bytes() + pool.used_bytes() == pool.total_bytes()
    del a
    assert pool.used_bytes() == before


def test_free_all_blocks():
    pool = cupy.get_default_memory_pool()
    a = cupy.empty(10_000_000, 'f4')
    del a
    assert pool.n_free_blocks() > 0
    pool.free_all_blocks()
    assert pool.free_bytes() < 4 << 20


def test_a_freed_large_result_is_used_again():
    a = cupy.ones(10_000_000, 'f4')
    b = a + a
    p = b.data.ptr
    del b
    c = a + a
    assert c.data.ptr == p


def test_small_operations_leave_no_growth():
    pool = cupy.get_default_memory_pool()
    a = cupy.ones(10, 'f4')
    for _ in range(1000):
        a + a
    total = pool.total_bytes()
    for _ in range(200_000):
        a + a
    assert pool.total_bytes() == total


def test_limit_and_out_of_memory():
    pool = cupy.get_default_memory_pool()
    pool.free_all_blocks()
    try:
        pool.set_limit(pool.total_bytes() + (8 << 20))
        assert pool.get_limit() == pool.total_bytes() + (8 << 20)
        a = cupy.empty(5 << 20, 'u1')
        with pytest.raises(cuda.memory.OutOfMemoryError) as e:
            cupy.empty(50 << 20, 'u1')
        assert isinstance(e.value, MemoryError)
        for figure in ('52428800', 'allocated so far', 'limit set to'):
            assert figure in str(e.value)
        del a
        cupy.empty(7 << 20, 'u1')     # what was cached goes for it
    finally:
        pool.set_limit(0)
    pool.set_limit(fraction=0.5)
    assert 0 < pool.get_limit() <= xpu.Device().mem_info[1]
    pool.set_limit(size=0)
    for wrong in ({}, {'size': 1, 'fraction': 0.5}, {'size': -1}, {'fraction': 2}):
        with pytest.raises(ValueError):
            pool.set_limit(**wrong)


@pytest.mark.parametrize('name', ['CUPY_XPU_MEMORY_LIMIT', 'CUPY_GPU_MEMORY_LIMIT'])
def test_limit_from_the_environment(name):
    code = 'import cupy; p = cupy.get_default_memory_pool(); print(p.get_limit())'
    assert run(code, **{name: '12345678'}) == '12345678\n'
    assert 0 < int(run(code, **{name: '50%'})) < 1 << 50
    code = 'import cupy\ntry: cupy.ones(3)\nexcept ValueError as e: print(e)'
    assert 'percentage' in run(code, **{name: 'much'})


def test_no_memory_for_huge_arrays():
    with pytest.raises((MemoryError, ValueError)):
        cupy.empty(1 << 60, 'f8')


def test_pool_of_ones_own():
    pool = cuda.MemoryPool()
    p = pool.malloc(1000)
    assert pool.used_bytes() >= 1000 and p.mem.size >= 1000 and p.device_id == 0
    at = p.ptr
    del p
    assert pool.used_bytes() == 0 and pool.n_free_blocks() > 0
    q = pool.malloc(1000)
    assert q.ptr == at
    pool2, r = pool, q
    del pool, q, pool2
    r.memset(1, 1000)               # the memory outlives the pool object


def test_pool_with_an_allocator():
    sizes = []

    def source(n):
        sizes.append(n)
        return cuda.memory._malloc(n)
    pool = cuda.MemoryPool(source)
    with cuda.using_allocator(pool.malloc):
        a = cupy.arange(10)
        b = a + a
    assert len(sizes) == 1 and pool.used_bytes() > 0
    assert b.get().tolist() == list(range(0, 20, 2))
    del a, b
    assert pool.used_bytes() == 0
    pool.free_all_blocks()
    assert pool.total_bytes() == 0

    def broken(n):
        raise MemoryError
    with pytest.raises(MemoryError):
        cuda.MemoryPool(broken).malloc(10)

    def wrong(n):
        raise KeyError('mine')
    with pytest.raises(KeyError, match='mine'):
        cuda.MemoryPool(wrong).malloc(10)


def test_set_allocator():
    assert cuda.get_allocator()(10).mem.pool is cupy.get_default_memory_pool()
    pool = cuda.MemoryPool()
    cuda.set_allocator(pool.malloc)
    try:
        a = cupy.ones(1000)
        assert pool.used_bytes() >= 8000
        with cuda.using_allocator(cuda.malloc_managed):
            with pytest.raises(ValueError):
                cuda.set_allocator(None)
            b = cupy.ones(100_000)
        assert pool.used_bytes() < 20_000
        cuda.set_allocator(None)
        c = cupy.ones(100)
    finally:
        cuda.set_allocator(cupy.get_default_memory_pool().malloc)
    assert (a.sum() + b.sum() + c.sum()).item() == 101_100
    del a
    assert pool.used_bytes() == 0


def test_using_allocator_as_a_decorator_and_per_thread():
    pool = cuda.MemoryPool()

    @cuda.using_allocator(pool.malloc)
    def make():
        seen = []
        t = threading.Thread(target=lambda: seen.append(cuda.get_allocator().__self__))
        t.start()
        t.join()
        assert seen[0] is cupy.get_default_memory_pool()
        return cupy.ones(10)
    a = make()
    assert pool.used_bytes() > 0
    assert cuda.get_allocator().__self__ is cupy.get_default_memory_pool()
    del a


def test_errors_of_allocators_come_out():
    def wrong(n):
        raise KeyError('mine')
    with cuda.using_allocator(wrong):
        with pytest.raises(KeyError, match='mine'):
            cupy.ones(10)
    with cuda.using_allocator(lambda n: 7):
        with pytest.raises(TypeError, match='MemoryPointer'):
            cupy.ones(10)
    with cuda.using_allocator(lambda n: cupy.get_default_memory_pool().malloc(1)):
        with pytest.raises(ValueError):
            cupy.ones(1000)
    assert cupy.ones(2).tolist() == [1, 1]


def test_python_function_allocator(host_memory):
    live = {}

    def take(n, device):
        buffer = ctypes.create_string_buffer(max(n, 1))
        live[ctypes.addressof(buffer)] = buffer
        return ctypes.addressof(buffer)

    def give(p, device):
        del live[p]
    with cuda.using_allocator(cuda.PythonFunctionAllocator(take, give).malloc):
        a = cupy.arange(100)
        b = a * 2
    assert b.get().tolist() == list(range(0, 200, 2))
    assert a.data.ptr in live
    del a, b
    gc.collect()
    assert not live


def test_c_function_allocator(host_memory):
    class Counter:
        taken = given = 0
    libc = ctypes.CDLL(None)
    libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, (ctypes.c_size_t,)
    libc.free.restype, libc.free.argtypes = None, (ctypes.c_void_p,)

    def take(param, n, device):
        Counter.taken += 1
        return libc.malloc(max(n, 1))

    def give(param, p, device):
        Counter.given += 1
        libc.free(p)
    c_take = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)(take)
    c_give = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)(give)
    allocator = cuda.CFunctionAllocator(0, ctypes.cast(c_take, ctypes.c_void_p).value, ctypes.cast(c_give, ctypes.c_void_p).value,
                                        (c_take, c_give))
    with cuda.using_allocator(allocator.malloc):
        a = cupy.ones(50)
    assert a.sum().item() == 50 and Counter.taken > 0
    del a
    gc.collect()
    assert Counter.given == Counter.taken


# --- pointers ---

def test_pointers_copy_and_set():
    a, b = cupy.arange(10, dtype='i4'), cupy.zeros(10, 'i4')
    b.data.copy_from(a.data, 20)
    assert b.get().tolist() == [0, 1, 2, 3, 4, 0, 0, 0, 0, 0]
    b.data.memset(255, 8)
    assert b.get().tolist()[:3] == [-1, -1, 2]
    host = numpy.arange(5, dtype='i4') * 10
    (b.data + 20).copy_from_host(host.ctypes.data, 20)
    assert b.get().tolist()[5:] == [0, 10, 20, 30, 40]
    b.data.copy_from(ctypes.c_void_p(host.ctypes.data), 4)
    out = numpy.zeros(10, 'i4')
    b.data.copy_to_host(ctypes.c_void_p(out.ctypes.data), 40)
    assert out.tolist() == b.get().tolist()
    stream = cuda.Stream()
    b.data.memset_async(0, 40, stream)
    b.data.copy_from_async(a.data, 8, stream)
    b.data.copy_to_host_async(out.ctypes.data, 40, stream)
    stream.synchronize()
    assert out.tolist() == [0, 1] + [0] * 8
    for bad in (lambda: b.data.memset(0, 1 << 40), lambda: b.data.copy_from(a.data, -1), lambda: (a.data + 30).copy_from(b.data, 1 << 30)):
        with pytest.raises(ValueError):
            bad()


def test_pointer_arithmetic():
    a = cupy.arange(10)
    p = a[3:].data
    assert p.ptr == a.data.ptr + 24 and (p - 24).ptr == a.data.ptr and int(p) == p.ptr
    assert (8 + p).ptr == p.ptr + 8 and p.device == cuda.Device(0) and p.mem.device_id == 0


def test_array_over_a_pointer():
    a = cupy.arange(10, dtype='f4')
    b = cupy.ndarray((2, 2), 'f4', memptr=a.data + 8)
    assert b.get().tolist() == [[2, 3], [4, 5]]
    b[0, 0] = 50
    assert a[2].item() == 50
    del a
    assert b.get().tolist() == [[50, 3], [4, 5]]
    with pytest.raises((ValueError, TypeError)):
        cupy.ndarray((1 << 30,), 'f4', memptr=b.data)


def test_unowned_memory(host_memory):
    class Owner:
        buffer = ctypes.create_string_buffer(80)

    import weakref
    owner = Owner()
    alive = weakref.ref(owner)
    memory = cuda.UnownedMemory(ctypes.addressof(owner.buffer), 80, owner)
    a = cupy.ndarray((10,), 'i8', memptr=cuda.MemoryPointer(memory, 0))
    a[:] = cupy.arange(10)
    assert numpy.frombuffer(owner.buffer, 'i8').tolist() == list(range(10))
    del memory, owner
    gc.collect()
    assert alive() is not None
    del a
    gc.collect()
    assert alive() is None


def test_memory_without_a_pool():
    m = cuda.Memory(1000)
    assert m.size == 1000 and m.ptr and m.device == cuda.Device(0)
    assert cuda.malloc_managed(100).mem.size == 100 and cuda.malloc_async(100).mem.size >= 100
    m = cuda.ManagedMemory(64)
    m.prefetch(cuda.Stream.null)
    with pytest.raises(MemoryError):
        cuda.Memory(1 << 60)
    assert cuda.alloc(100).mem.size >= 100


# --- hooks ---

class Recorder(cuda.MemoryHook):
    name = 'Recorder'

    def __init__(self):
        self.calls = []


def _record(name):
    def method(self, **kwargs):
        self.calls.append((name, kwargs))
    return method


for _name in ('alloc', 'malloc', 'free'):
    for _when in ('preprocess', 'postprocess'):
        setattr(Recorder, f'{_name}_{_when}', _record(f'{_name}_{_when}'))


def test_hooks_see_arrays_come_and_go():
    with Recorder() as hook:
        assert cuda.memory_hook.get_memory_hooks() == {'Recorder': hook}
        a = cupy.empty(100, 'f4')
        p = a.data.ptr
        del a
    cupy.empty(10)
    names = [n for n, _ in hook.calls if not n.startswith('alloc')]
    assert names == ['malloc_preprocess', 'malloc_postprocess', 'free_preprocess', 'free_postprocess']
    values = dict(hook.calls)
    assert values['malloc_preprocess']['size'] == 400 and values['malloc_postprocess']['mem_ptr'] == p
    assert values['free_preprocess']['mem_ptr'] == p and values['free_preprocess']['mem_size'] >= 400


def test_hooks_see_the_device_being_asked():
    pool = cuda.MemoryPool()
    with Recorder() as hook:
        p = pool.malloc(5 << 20)
    kinds = [n for n, _ in hook.calls]
    assert kinds == ['malloc_preprocess', 'alloc_preprocess', 'alloc_postprocess', 'malloc_postprocess']
    del p


def test_hooks_of_one_name():
    with Recorder():
        with pytest.raises(KeyError):
            Recorder().__enter__()


def test_errors_in_hooks_come_out():
    class Bad(cuda.MemoryHook):
        name = 'Bad'

        def malloc_preprocess(self, **kwargs):
            raise RuntimeError('from the hook')
    with Bad():
        with pytest.raises(RuntimeError, match='from the hook'):
            cupy.empty(3)
    cupy.empty(3)


def test_debug_print_hook():
    import json
    text = io.StringIO()
    with cuda.memory_hooks.DebugPrintHook(file=text):
        a = cupy.empty(10, 'f8')
        del a
    rows = [json.loads(line) for line in text.getvalue().splitlines()]
    assert [r['hook'] for r in rows if r['hook'] != 'alloc'] == ['malloc', 'free']


def test_line_profile_hook():
    text = io.StringIO()
    hook = cuda.memory_hooks.LineProfileHook()
    with hook:
        a = cupy.empty(1000, 'f8')
    hook.print_report(file=text)
    assert 'test_line_profile_hook' in text.getvalue() and '_root (8.00KB' in text.getvalue()
    del a


# --- pinned memory ---

def test_pinned_memory():
    m = cuda.alloc_pinned_memory(100)
    assert m.size() >= 100
    view = numpy.frombuffer(m, 'f8', 10)
    view[:] = range(10)
    assert numpy.frombuffer(m, 'f8', 10).tolist() == list(range(10))
    assert (m + 8).ptr == m.ptr + 8 and (m + 8).size() == m.size() - 8
    a = cupy.zeros(10)
    a.data.copy_from_host_async(m.ptr, 80)
    assert a.get().tolist() == list(range(10))
    assert cuda.pinned_memory.is_memory_pinned(m) and not cuda.pinned_memory.is_memory_pinned(view.ctypes.data)


def test_pinned_memory_pool():
    pool = cuda.PinnedMemoryPool()
    m = pool.malloc(1000)
    at = m.ptr
    assert pool.n_free_blocks() == 0
    del m
    assert pool.n_free_blocks() == 1
    assert pool.malloc(600).ptr == at
    pool.free_all_blocks()
    assert pool.n_free_blocks() == 0
    cuda.set_pinned_memory_allocator(pool.malloc)
    try:
        held = cuda.alloc_pinned_memory(10)
        del held
        assert pool.n_free_blocks() == 1
    finally:
        cuda.set_pinned_memory_allocator(cupy.get_default_pinned_memory_pool().malloc)


# --- threads and processes ---

def test_threads_allocate_at_once():
    errors = []

    def work(k):
        try:
            for i in range(300):
                a = cupy.full(1 + i * 37 % 5000, k, 'i4')
                b = a + a
                if b[0].item() != 2 * k or b[-1].item() != 2 * k:
                    errors.append((k, i))
        except Exception as e:
            errors.append(e)
    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors


@pytest.mark.skipif('CUPY_XPU_BACKEND' in os.environ and os.environ['CUPY_XPU_BACKEND'] not in ('host', 'auto'),
                    reason='the host survives fork')
def test_a_forked_child_goes_on():
    code = '''
import os, cupy
a = cupy.ones(1_000_000)
b = a + a
child = os.fork()
if child == 0:
    c = (a + b).sum().item()
    os._exit(0 if c == 3_000_000 else 1)
print(os.waitpid(child, 0)[1], (a + b).sum().item())
'''
    assert run(code) == '0 3000000.0\n'


def test_nothing_is_opened_at_import():
    code = '''
import sys, cupy, cupy.xpu
print('cupy_backends.host._host' in sys.modules)
cupy.ones(1)
print('cupy_backends.host._host' in sys.modules)
'''
    assert run(code, CUPY_XPU_BACKEND='host') == 'False\nTrue\n'
