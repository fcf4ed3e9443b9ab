"""Devices, streams, events, settings; and cupy.cuda, the same under CuPy's names."""
import io
import os
import subprocess
import sys
import threading

import numpy
import pytest

import cupy
from cupy import cuda, xpu


def test_devices():
    assert cuda.is_available() and xpu.is_available() and cupy.is_available()
    assert cuda.runtime.getDeviceCount() >= 1
    d = cuda.Device(0)
    assert d.id == 0 and int(d) == 0 and d == cuda.Device(0) and d != cuda.Device(1) and d < cuda.Device(1)
    assert repr(d) == '<Device 0>' and len({d, cuda.Device(0)}) == 1
    assert cuda.Device().id == cuda.runtime.getDevice() == cuda.get_device_id()
    free, total = d.mem_info
    assert 0 < free <= total
    assert d.name and d.architecture and d.compute_capability == '0'
    assert all(isinstance(v, int) for v in d.attributes.values())
    d.synchronize()
    with d:
        assert cuda.Device().id == 0
    d.use()
    for bad in (lambda: cuda.Device(99).use(), lambda: cuda.Device(99).mem_info, lambda: cuda.Device(-1).__enter__()):
        with pytest.raises(xpu.XPUError):
            bad()
    with pytest.raises(NotImplementedError):
        d.cublas_handle
    with pytest.raises(AttributeError):
        d.nothing


def test_device_of_arrays():
    a = cupy.ones(3)
    assert a.device == cuda.Device(0) and a.device.id == 0
    assert a.to_device(a.device) is a
    if a.device == 'cpu':
        assert cupy.ones(3, device='cpu').device == numpy.ones(3).device
    with pytest.raises(ValueError):
        cupy.ones(3, device='gpu')
    with pytest.raises(ValueError):
        cupy.ones(3, device=cuda.Device(50))
    with pytest.raises((TypeError, ValueError)):
        a.to_device(3.5)


def test_streams():
    s = cuda.Stream()
    assert cuda.get_current_stream() == cuda.Stream.null and cuda.Stream.null.ptr == 0
    with s:
        assert cuda.get_current_stream() is s
        a = cupy.arange(10)
        with cuda.Stream(non_blocking=True) as t:
            assert t.is_non_blocking and cuda.get_current_stream() is t
        assert cuda.get_current_stream() is s
        b = a + a
    assert cuda.get_current_stream() == cuda.Stream.null
    s.synchronize()
    assert s.done and b[3].item() == 6
    assert s != cuda.Stream.null and s == s and cuda.Stream(null=True) == cuda.Stream.null
    s.use()
    assert cuda.get_current_stream() is s
    cuda.Stream.null.use()
    assert cuda.get_current_stream() == cuda.Stream.null
    assert cuda.Stream(priority=-1).priority == -1 and not s.is_capturing()
    e = cuda.ExternalStream(s.ptr)
    with e:
        assert cuda.get_current_stream().ptr == s.ptr
    with pytest.raises(NotImplementedError):
        s.begin_capture()
    with pytest.raises(ValueError):
        cuda.Stream(null=True, ptds=True)


def test_the_current_stream_is_of_the_thread():
    seen = []
    with cuda.Stream():
        t = threading.Thread(target=lambda: seen.append(cuda.get_current_stream()))
        t.start()
        t.join()
    assert seen == [cuda.Stream.null]


def test_events():
    start, stop = cuda.Event(), cuda.Event()
    start.record()
    a = cupy.ones(1_000_000)
    a + a
    stop.record()
    stop.synchronize()
    assert start.done and stop.done and cuda.get_elapsed_time(start, stop) > 0
    s = cuda.Stream()
    e = s.record()
    cuda.Stream.null.wait_event(e)
    assert s.record(start) is start
    with pytest.raises(ValueError):
        cuda.get_elapsed_time(start, cuda.Event(disable_timing=True))
    with pytest.raises(NotImplementedError):
        cuda.Event(interprocess=True)
    with pytest.raises(xpu.XPUError):
        cuda.get_elapsed_time(cuda.Event(), cuda.Event())
    with pytest.raises(TypeError):
        s.wait_event('event')


def test_host_functions():
    s, calls = cuda.Stream(), []
    s.launch_host_func(calls.append, 1)
    s.add_callback(lambda stream, status, arg: calls.append((stream is s, status, arg)), 'x')
    s.synchronize()
    cuda.Stream.null.launch_host_func(calls.append, 3)
    cuda.Stream.null.synchronize()
    assert calls == [1, (True, 0, 'x'), 3]


def test_errors_in_host_functions_are_reported(monkeypatch):
    seen = []
    monkeypatch.setattr(sys, 'unraisablehook', lambda e: seen.append(e.exc_value))
    s = cuda.Stream()
    s.launch_host_func(lambda _: 1 / 0, None)
    s.synchronize()
    assert isinstance(seen[0], ZeroDivisionError)


def test_deferred_checks():
    a = cupy.arange(10)
    bad = cupy.asarray([1, 20, 3])
    with pytest.raises(IndexError):
        a[bad]
    with xpu.checks('deferred'):
        b = a[bad]
        with pytest.raises(IndexError, match='20'):
            cuda.Device().synchronize()
        cuda.Device().synchronize()
        assert b[0].item() == 1 and b[2].item() == 3
    with pytest.raises(IndexError):
        a[bad]
    with pytest.raises(ValueError):
        with xpu.checks('never'):
            pass


def test_settings():
    assert xpu.get_fallback_policy() in ('warn', 'error', 'allow')
    before = xpu.get_fallback_policy()
    with xpu.fallback_policy('error'):
        assert xpu.get_fallback_policy() == 'error'
    assert xpu.get_fallback_policy() == before
    with pytest.raises(ValueError):
        xpu.fallback_policy('maybe')
    found = xpu.backends()
    assert found['host']['devices'] == 1 and sum(b['in_use'] for b in found.values()) == 1
    text = io.StringIO()
    cupy.show_config(file=text)
    assert numpy.__version__ in text.getvalue() and 'Backend host' in text.getvalue()
    assert isinstance(xpu.fallbacks(), dict) and isinstance(xpu.launches('plan'), dict)
    with pytest.raises(ValueError):
        xpu.launches('wrong')


def test_an_unknown_backend_is_an_error():
    code = 'import cupy\ntry: cupy.ones(3)\nexcept cupy.xpu.XPUError as e: print(e)\nprint(cupy.xpu.is_available())'
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, env={**os.environ, 'CUPY_XPU_BACKEND': 'nonsense'})
    assert "there is no backend 'nonsense'" in done.stdout and 'host' in done.stdout and 'False' in done.stdout, done.stderr


# --- cupy.cuda ---

def test_runtime_functions():
    r = cuda.runtime
    p = r.malloc(100)
    r.memset(p, 7, 100)
    out = numpy.zeros(100, 'u1')
    r.memcpy(out.ctypes.data, p, 100, r.memcpyDeviceToHost)
    assert (out == 7).all()
    r.memcpy2D(p, 10, out.ctypes.data, 10, 10, 10, r.memcpyHostToDevice)
    r.free(p)
    with pytest.raises(ValueError):
        r.free(p)
    s = r.streamCreate()
    e = r.eventCreate()
    r.eventRecord(e, s)
    r.streamWaitEvent(s, e)
    r.streamSynchronize(s)
    assert r.streamQuery(s) == 0 and r.eventQuery(e) == 0
    r.eventDestroy(e)
    r.streamDestroy(s)
    h = r.hostAlloc(64)
    r.freeHost(h)
    assert len(r.memGetInfo()) == 2 and r.getDeviceProperties(0)['name'] and r.runtimeGetVersion() >= 1
    r.deviceSynchronize()
    assert r.deviceCanAccessPeer(0, 0) == 0 and not r.is_hip
    with pytest.raises(xpu.XPUError):
        r.check_status(3)
    with pytest.raises(r.CUDARuntimeError):
        r.setDevice(77)


def test_profiler_and_ranges():
    with cuda.profile():
        with cuda.profiler.profile() if hasattr(cuda.profiler, 'profile') else cuda.profile():
            pass
    n = cuda.nvtx
    assert n.RangePush('a') == 0 and n.RangePush('b') == 1 and n.RangePop() == 1 and n.RangePop() == 0 and n.RangePop() < 0
    n.Mark('here')
    n.RangeEnd(n.RangeStart('x'))
    with pytest.raises(ValueError):
        n.RangeEnd(10 ** 9)


def test_what_makes_no_sense_says_so():
    for call in (lambda: cuda.nccl.NcclCommunicator(1, 2, 3), lambda: cuda.texture.TextureObject(1, 2), lambda: cuda.Module(),
                 lambda: cuda.runtime.ipcGetMemHandle(0), lambda: cuda.compiler.compile_using_nvrtc('x'), lambda: cuda.get_cublas_handle()):
        with pytest.raises(NotImplementedError, match='is not available: .*;'):
            call()
    assert not cuda.nccl.available and not hasattr(cuda.cublas, 'sgemm')
    with pytest.raises(NotImplementedError, match='cupy.linalg'):
        cuda.cublas.sgemm
    assert cuda.compiler.is_valid_kernel_name('f_1') and not cuda.compiler.is_valid_kernel_name('1f')


def test_submodules_can_be_imported():
    code = ('import cupy.cuda.memory, cupy.cuda.stream, cupy.cuda.nccl, cupy.cuda.runtime as r, cupy.cuda.memory_hooks\n'
            'from cupy.cuda.memory import MemoryPool\nfrom cupy.cuda import cublas, nvtx\nprint(r.getDeviceCount() > 0)')
    done = subprocess.run([sys.executable, '-W', 'ignore', '-c', code], capture_output=True, text=True, env=dict(os.environ))
    assert done.stdout == 'True\n', done.stderr


def test_every_name_of_cupy_cuda_exists_or_says_why_not():
    with open(os.path.join(os.path.dirname(__file__), 'data', 'cuda_names.txt')) as f:
        names = [line.strip() for line in f if not line.startswith('#')]
    missing = []
    for name in names:
        found = cupy
        try:
            for part in name.split('.')[1:]:
                found = getattr(found, part)
        except NotImplementedError as e:
            assert 'not available' in str(e), name
        except AttributeError:
            missing.append(name)
    assert len(names) > 300 and not missing
