"""The host backend's thread pool: by itself in C++, under Python threads, in forked children, and for any number of threads."""
import os
import pathlib
import shutil
import subprocess
import sys
import threading

import numpy as np
import pytest

import direct

ROOT = pathlib.Path(__file__).parents[2]
CXX = shutil.which(os.environ.get('CXX', 'g++'))


@pytest.mark.skipif(not CXX, reason='no C++ compiler')
@pytest.mark.parametrize('sanitize', [False, True])
def test_pool(tmp_path, sanitize):
    program = tmp_path / 'threads'
    host = ROOT / 'cupy_backends/host'
    command = [CXX, '-std=c++17', '-O1', '-g', '-pthread', f'-I{host}', f'-I{ROOT}/cupy_backends/backend', f'{host}/threads.cpp',
               str(pathlib.Path(__file__).with_name('threads_test.cpp')), '-o', str(program)]
    built = subprocess.run(command + ['-fsanitize=thread'] * sanitize, capture_output=True, text=True)
    if sanitize and built.returncode:
        pytest.skip('no thread sanitizer')
    assert built.returncode == 0, built.stderr
    for threads in ('4',) if sanitize else ('1', '2', '5'):
        ran = subprocess.run([str(program)] + ['fork'] * (not sanitize), capture_output=True, text=True, timeout=300,
                             env=dict(os.environ, CUPY_HOST_THREADS=threads))
        if sanitize and 'unexpected memory mapping' in ran.stderr:
            pytest.skip('the thread sanitizer does not run on this kernel')
        assert ran.returncode == 0, ran.stderr
        assert 'good' in ran.stdout


def add_large(n=300000):
    a, out = np.arange(n, dtype='f4'), np.empty(n, 'f4')
    direct.run(direct.ops['add'].id, [a, a], [out], loop=direct.loop_index('add', 'f', 'f', 'f'), flags=direct.CONTIGUOUS)
    assert (out == 2 * a).all()


def test_python_threads():
    errors = []

    def work():
        try:
            for _ in range(30):
                add_large()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors


def test_forked_child():
    add_large()
    child = os.fork()
    if child == 0:
        try:
            add_large()
            os._exit(0)
        except BaseException:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    add_large()


@pytest.mark.parametrize('threads', ['1', '3', 'many', ''])
def test_environment(threads):
    """Answers do not depend on the number of threads; what is no number counts as not given."""
    code = f'import {pathlib.Path(__file__).stem} as t; t.add_large(); print(t.thread_count())'
    ran = subprocess.run([sys.executable, '-c', code], cwd=pathlib.Path(__file__).parent, capture_output=True, text=True, timeout=120,
                         env=dict(os.environ, CUPY_HOST_THREADS=threads, PYTHONPATH=f'{ROOT}:{ROOT}/tests/host'))
    assert ran.returncode == 0, ran.stderr
    assert int(ran.stdout) == (int(threads) if threads.isdigit() else len(os.sched_getaffinity(0)))


class Props(direct.ct.Structure):
    _fields_ = [('struct_size', direct.ct.c_uint32), ('caps', direct.ct.c_uint32), ('name', direct.ct.c_char * 128),
                ('arch', direct.ct.c_char * 64), ('total_memory', direct.ct.c_int64), ('alignment', direct.ct.c_int64),
                ('padding', direct.ct.c_int64), ('max_ndim', direct.ct.c_int32), ('compute_units', direct.ct.c_int32),
                ('dtypes', direct.ct.c_uint32), ('reserved', direct.ct.c_int32)]


def properties():
    ct, props = direct.ct, Props()
    props.struct_size = ct.sizeof(props)
    assert direct.runtime('device_props', ct.c_int32, ct.POINTER(Props))(0, ct.byref(props)) == direct.OK
    return props


def thread_count():
    return properties().compute_units


def test_runtime_table():
    ct = direct.ct
    props = properties()
    assert props.caps & 1 and props.name and props.arch.decode() == os.uname().machine and props.dtypes == 2 ** 14 - 1
    assert direct.runtime('device_props', ct.c_int32, ct.POINTER(Props))(1, ct.byref(props)) == direct.INVALID_DEVICE
    count, free, total = ct.c_int32(), ct.c_int64(), ct.c_int64()
    assert direct.runtime('device_count', ct.c_void_p)(ct.addressof(count)) == 0 and count.value == 1
    assert direct.runtime('mem_info', ct.c_int32, ct.c_void_p, ct.c_void_p)(0, ct.addressof(free), ct.addressof(total)) == 0
    assert 0 < free.value <= total.value
    for size in (0, 1, 100, 5 << 20):
        p = ct.c_void_p()
        assert direct.runtime('malloc', ct.c_int32, ct.c_size_t, ct.c_void_p)(0, size, ct.addressof(p)) == 0
        assert p.value % 64 == 0
        assert direct.runtime('memset_async', ct.c_void_p, ct.c_int32, ct.c_size_t, ct.c_int32, ct.c_void_p)(p, 7, size, 0, None) == 0
        assert ct.string_at(p.value, size) == b'\7' * size
        assert direct.runtime('free', ct.c_int32, ct.c_void_p, ct.c_size_t)(0, p, size) == 0
    p = ct.c_void_p()
    assert direct.runtime('malloc', ct.c_int32, ct.c_size_t, ct.c_void_p)(0, 1 << 62, ct.addressof(p)) == direct.OUT_OF_MEMORY
    a, b = np.arange(1 << 20), np.zeros(1 << 20, 'l')
    copy = direct.runtime('memcpy_async', ct.c_void_p, ct.c_void_p, ct.c_size_t, ct.c_int32, ct.c_int32, ct.c_void_p)
    assert copy(b.ctypes.data, a.ctypes.data, a.nbytes, 0, 0, None) == 0 and (a == b).all()
    assert copy(b.ctypes.data + 8, b.ctypes.data, b.nbytes - 8, 0, 0, None) == 0 and (b[1:] == a[:-1]).all()


def test_streams_and_events():
    ct = direct.ct
    stream, events, elapsed = ct.c_void_p(), (ct.c_void_p(), ct.c_void_p()), ct.c_float(-1)
    assert direct.runtime('stream_create', ct.c_int32, ct.c_uint32, ct.c_int32, ct.c_void_p)(0, 1, 0, ct.addressof(stream)) == 0
    for e in events:
        assert direct.runtime('event_create', ct.c_int32, ct.c_uint32, ct.c_void_p)(0, 1, ct.addressof(e)) == 0
    took = direct.runtime('event_elapsed', ct.c_void_p, ct.c_void_p, ct.c_void_p)
    assert took(*events, ct.addressof(elapsed)) == direct.INVALID_ARGUMENT
    for e in events:
        assert direct.runtime('event_record', ct.c_int32, ct.c_void_p, ct.c_void_p)(0, e, stream) == 0
        assert direct.runtime('event_query', ct.c_int32, ct.c_void_p)(0, e) == 0
    assert took(*events, ct.addressof(elapsed)) == 0 and 0 <= elapsed.value < 1000
    assert direct.runtime('stream_query', ct.c_int32, ct.c_void_p)(0, stream) == 0
    called = []
    callback = ct.CFUNCTYPE(None, ct.c_void_p)(lambda arg: called.append(arg))
    assert direct.runtime('stream_host_func', ct.c_int32, ct.c_void_p, ct.c_void_p, ct.c_void_p)(0, stream, callback, 5) == 0
    assert called == [5]
    for e in events:
        direct.runtime('event_destroy', ct.c_int32, ct.c_void_p)(0, e)
    direct.runtime('stream_destroy', ct.c_int32, ct.c_void_p)(0, stream)
