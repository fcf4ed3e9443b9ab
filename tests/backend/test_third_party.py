"""A backend from outside: found by its entry point, with its own memory, fewer dtypes and ops."""
import os
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))


def test_it_is_found_and_used(counting):
    out, _ = counting.run('''
print('counting' in cupy.xpu.backends(), cupy.xpu.backend_name(), cupy.xpu.device_count())
a = cupy.arange(10, dtype='f4')
print(a.device, (a + a).get().tolist(), a.sum().item())
print(cupy.xpu.Device(0).name)
''')
    assert out.splitlines() == ['True counting 2', '<Device 0> [0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0, 16.0, 18.0] 45.0',
                                'Counting device (pretended)']


@pytest.mark.parametrize('devices, used', [(2, 'counting'), (0, 'host')])
def test_auto_takes_an_accelerator_that_has_a_device(counting, devices, used):
    out, _ = counting.run('print(cupy.xpu.backend_name())', CUPY_XPU_BACKEND='auto', COUNTING_DEVICES=str(devices))
    assert out == used + '\n'


def test_the_host_can_be_chosen(counting):
    out, _ = counting.run('print(cupy.ones(2).device, get("mallocs"))', CUPY_XPU_BACKEND='host')
    assert out == 'cpu 0\n'


def test_a_backend_without_a_device_says_so(counting):
    _, error = counting.run('cupy.ones(2)', fails=True, COUNTING_DEVICES='0')
    assert "XPUError: backend 'counting' has no device" in error


def test_native_ops_copy_nothing(counting):
    out, _ = counting.run('''
a = cupy.arange(1000, dtype='f4').reshape(10, 100)
b = cupy.ones((100,), 'f4')
before = [get(n) for n in ('uploads', 'downloads', 'syncs')]
launches = get('launches')
c = a + b
d = (c * a)[::2, ::-3]
e = cupy.sqrt(d.T).sum(axis=0)
f = cupy.maximum(e, 2)
a += 1
g = cupy.where(a > 3, a, b)
print([get(n) for n in ('uploads', 'downloads', 'syncs')] == before, get('launches') > launches, cupy.xpu.fallbacks())
n = numpy.arange(1000, dtype='f4').reshape(10, 100)
print(numpy.allclose(f.get(), numpy.maximum(numpy.sqrt(((n + 1) * n)[::2, ::-3].T).sum(axis=0), 2)))
''')
    assert out == 'True True {}\nTrue\n'


def test_plans(counting):
    out, _ = counting.run('''
from collections import Counter
x = numpy.asarray([-2, -1, 0, 1.5, 2, numpy.nan], 'f4')
i = numpy.asarray([-7, -1, 0, 3, 5, 6], 'i4')
a, k = cupy.asarray(x), cupy.asarray(i)
m, v = numpy.arange(12, dtype='f4').reshape(3, 4), numpy.arange(4, dtype='f4')
M, V = cupy.asarray(m), cupy.asarray(v)
rows = [(cupy.square(a), numpy.square(x)), (a > 1, x > 1), (a >= 1, x >= 1), (+a, +x), (cupy.isnan(a), numpy.isnan(x)),
        (cupy.logical_not(a), numpy.logical_not(x)), (cupy.reciprocal(a), numpy.reciprocal(x)), (cupy.clip(a, -1, 1), numpy.clip(x, -1, 1)),
        (cupy.fabs(a), numpy.fabs(x)), (cupy.rad2deg(a), numpy.rad2deg(x)), (cupy.floor(k), numpy.floor(i)), (~(k > 0), ~(i > 0)),
        (cupy.divmod(k, 4)[0], numpy.divmod(i, 4)[0]), (cupy.divmod(k, 4)[1], numpy.divmod(i, 4)[1]), (cupy.matvec(M, V),
                                                                                                       numpy.asarray(m @ v)),
        (cupy.vecdot(M, V), m @ v), (a * cupy.asarray(i, dtype='i2'), x * i.astype('i2'))]
for n, (ours, theirs) in enumerate(rows):
    ours = ours.get()
    assert ours.dtype == theirs.dtype and numpy.array_equal(ours, theirs, equal_nan=True), (n, ours, theirs)
print(cupy.xpu.fallbacks(), len(cupy.xpu.launches('plan')))
''')
    assert out.startswith('{} ') and int(out.split()[1]) >= 14, out


def test_fallback_warns_once_and_counts(counting):
    out, _ = counting.run('''
a = cupy.asarray([1.5, 2.5])
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter('always')
    for _ in range(3):
        b = a - a
    c = a[::-1] * a
print([(w.category.__name__, 'float64' in str(w.message)) for w in seen], cupy.xpu.fallbacks()['subtract', 'dd->d'], c.get().tolist())
cupy.xpu.reset_counters()
print(cupy.xpu.fallbacks())
''')
    assert out == "[('FallbackWarning', True), ('FallbackWarning', True)] 3 [3.75, 3.75]\n{}\n"


def test_fallback_as_an_error(counting):
    out, _ = counting.run('''
a = cupy.ones(3, 'f4')
with cupy.xpu.fallback_policy('allow'):
    d = cupy.asarray([1.0, 2.0])
for policy in ('error', 'allow'):
    with cupy.xpu.fallback_policy(policy):
        try:
            print((a + a).get().tolist(), (d + d).get().tolist())
        except NotImplementedError as e:
            print(e)
''', CUPY_XPU_FALLBACK='error')
    first, second = out.splitlines()
    assert first.startswith('add(float64, float64) has no native kernel on the counting backend') and 'CUPY_XPU_FALLBACK' in first
    assert second == '[2.0, 2.0, 2.0] [2.0, 4.0]'


def test_a_wrong_policy_is_refused(counting):
    _, error = counting.run('d = cupy.asarray([1.0]); d + d', fails=True, CUPY_XPU_FALLBACK='perhaps')
    assert "CUPY_XPU_FALLBACK='perhaps' is none of warn, error, allow" in error


def test_fallback_of_all_kinds_of_calls(counting):
    out, _ = counting.run('''
x = numpy.arange(24.0).reshape(2, 3, 4) % 7
a = cupy.asarray(x)
k = numpy.asarray([1, 0, 1])
pairs = [(a.sum(axis=1), x.sum(axis=1)), (cupy.cumsum(a, axis=2), numpy.cumsum(x, axis=2)), (cupy.sort(a[:, ::-1]), numpy.sort(x[:, ::-1])),
         (a[1, cupy.asarray(k)], x[1, k]), (a[a > 3], x[x > 3]), (a @ a.transpose(0, 2, 1), x @ x.transpose(0, 2, 1)),
         (cupy.argmax(a, axis=0), numpy.argmax(x, axis=0)), (cupy.add(a, a, where=a > 2, out=a.copy()), numpy.add(x, x, where=x > 2,
                                                                                                                  out=x.copy())),
         (a.astype('f4'), x.astype('f4')), (a.astype('c16') * 1j, x.astype('c16') * 1j)]
for n, (ours, theirs) in enumerate(pairs):
    assert ours.dtype == theirs.dtype and numpy.array_equal(ours.get(), theirs), n
b, y = a.copy(), x.copy()
b[:, ::2, 1] += 5
y[:, ::2, 1] += 5
b[cupy.asarray([0, 0]), 1] = 9
y[[0, 0], 1] = 9
b[b == 3] = -1
y[y == 3] = -1
cupy.add.at(b, 1, 2)
numpy.add.at(y, 1, 2)
print(numpy.array_equal(b.get(), y))
''', CUPY_XPU_FALLBACK='allow')
    assert out == 'True\n'


def test_more_axes_than_the_device_has(counting):
    out, _ = counting.run('''
x = numpy.arange(2 ** 10, dtype='f4').reshape((2,) * 10).transpose(9, 0, 8, 1, 7, 2, 6, 3, 5, 4)
a = cupy.asarray(numpy.arange(2 ** 10, dtype='f4')).reshape((2,) * 10).transpose(9, 0, 8, 1, 7, 2, 6, 3, 5, 4)
print(numpy.array_equal((a + a[::-1]).get(), x + x[::-1]))
''', CUPY_XPU_FALLBACK='allow')
    assert out == 'True\n'


def test_several_devices(counting):
    out, _ = counting.run('''
a = cupy.arange(5, dtype='f4')
with cupy.cuda.Device(1):
    b = cupy.ones(5, 'f4')
    print(b.device, cupy.cuda.Device().id, (b + b).sum().item())
    with cupy.cuda.Stream() as s:
        with cupy.cuda.Device(0):
            print(cupy.cuda.get_current_stream() == cupy.cuda.Stream.null)
        print(cupy.cuda.get_current_stream() is s)
print(a.device, cupy.cuda.Device().id, a.to_device(1).device, a.to_device(cupy.cuda.Device(1)).get().tolist())
with cupy.cuda.Device(1):
    try:
        with s0: pass
    except NameError: pass
s1 = s
try:
    with s1: pass
except RuntimeError as e:
    print(e)
print(cupy.cuda.runtime.deviceCanAccessPeer(0, 1))
''')
    assert out.splitlines() == ['<Device 1> 1 10.0', 'True', 'True', '<Device 0> 0 <Device 1> [0.0, 1.0, 2.0, 3.0, 4.0]',
                                'a stream of device 1 cannot be used while device 0 is current', '1']


def test_memory_used_by_another_stream_is_not_given_out_early(counting):
    out, _ = counting.run('''
s = cupy.cuda.Stream()
a = cupy.ones(1_000_000, 'f4')
p = a.data.ptr
with s:
    b = a + a                      # s reads a
lib.counting_hold(1)
del a
c = cupy.empty(1_000_000, 'f4')
print(c.data.ptr == p, get('held'))
lib.counting_hold(0)
d = cupy.empty(1_000_000, 'f4')
print(d.data.ptr == p)
''')
    assert out == 'False 1\nTrue\n'


def test_out_of_memory_frees_the_cache_first(counting):
    out, _ = counting.run('''
lib.counting_capacity(ctypes.c_int64(64 << 20))
a = cupy.empty(40 << 20, 'u1')
del a
b = cupy.empty(50 << 20, 'u1')
try:
    cupy.empty(30 << 20, 'u1')
except MemoryError as e:
    print(e)
b[:] = 3
print(b[-1].item())
''')
    assert 'Out of memory allocating 31457280 bytes' in out and out.endswith('\n3\n')


def test_a_steady_loop_asks_for_no_memory(counting):
    out, _ = counting.run('''
a = cupy.ones((100, 100), 'f4')
for _ in range(3):
    b = cupy.sqrt(a * a + 1).sum(axis=0)
before = [get(n) for n in ('mallocs', 'frees', 'syncs', 'uploads', 'downloads')]
for _ in range(100):
    b = cupy.sqrt(a * a + 1).sum(axis=0)
print([get(n) for n in ('mallocs', 'frees', 'syncs', 'uploads', 'downloads')] == before)
''')
    assert out == 'True\n'


def test_a_forked_child_gets_a_clear_error(counting):
    out, _ = counting.run('''
import os
a = cupy.ones(3, 'f4')
child = os.fork()
if child == 0:
    try:
        a + a
        os._exit(1)
    except cupy.xpu.XPUError as e:
        os._exit(0 if 'fork' in str(e) else 2)
print(os.waitpid(child, 0)[1], (a + a).sum().item())
''')
    assert out == '0 6.0\n'


@pytest.mark.parametrize('wait', ['a.get()', 's.synchronize()', 'cupy.cuda.Device().synchronize()', 'a[0].item()', 'b = a[a > 0]', 'd + d',
                                  'cupy.get_default_memory_pool().free_all_blocks()',
                                  'lib.counting_capacity(ctypes.c_int64(8 << 20)); big()'])
def test_waiting_lets_host_functions_run(counting, wait):
    """Whoever waits for the device gives up Python's lock, which a host function on the device's thread needs."""
    out, _ = counting.run(f'''
import time
def big():
    try: cupy.empty(1 << 30, 'u1')
    except MemoryError: pass
lib.counting_async(1)
a = cupy.arange(10, dtype='f4')
d = cupy.asarray([1.0])
garbage = cupy.empty(5 << 20, 'u1')
del garbage
s, calls = cupy.cuda.Stream(), []
def work(x):
    time.sleep(0.3)
    calls.append(x)
s.launch_host_func(work, 1)
{wait}
time.sleep(0 if calls else 1)
s.synchronize()
print(calls)
''', CUPY_XPU_FALLBACK='allow')
    assert out == '[1]\n'


def test_functions_of_the_host_are_counted(counting):
    out, _ = counting.run('''
a = cupy.asarray([3, 1, 2], 'f4')
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter('always')
    h = cupy.histogram(a, bins=3)[0]
print(h.get().tolist(), h.device, any(issubclass(w.category, cupy.xpu.FallbackWarning) for w in seen), bool(cupy.xpu.fallbacks()))
''')
    assert out == '[1, 1, 1] <Device 0> True True\n'


def test_a_broken_backend_is_reported_and_passed_over(tmp_path):
    (tmp_path / 'broken_xpu.py').write_text('raise ImportError("no driver")\n')
    info = tmp_path / 'broken_xpu-0.1.dist-info'
    info.mkdir()
    (info / 'METADATA').write_text('Metadata-Version: 2.1\nName: broken-xpu\nVersion: 0.1\n')
    (info / 'entry_points.txt').write_text('[numpy_ascend.backends]\nbroken = broken_xpu:entry\n')
    path = os.pathsep.join(p for p in (str(tmp_path), os.path.dirname(os.path.dirname(HERE)), os.environ.get('PYTHONPATH')) if p)
    code = 'import cupy; print(cupy.ones(2).device); print(cupy.xpu.backends()["broken"]["message"])'
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True,
                          env={**os.environ, 'PYTHONPATH': path, 'CUPY_XPU_BACKEND': 'auto', 'CUPY_ASCEND_EMULATOR': ''})
    assert done.stdout == 'cpu\nImportError: no driver\n'
    assert "backend 'broken' is registered but cannot be used" in done.stderr
