"""The border itself: the op table, the C tables, backends that do not fit, the C++ cases."""
import ctypes
import os
import re
import subprocess
import sys

import pytest

from conftest import HERE, INTERFACE, ROOT
from cupy_backends import backend
from cupy_backends.backend import _runtime


def rows():
    return _runtime.ops()


def test_ops_are_the_rows_of_the_file():
    with open(os.path.join(INTERFACE, 'xpu_ops.def')) as f:
        text = re.findall(r'^XPU_OP\((\d+), (\w+), (\w+),', f.read(), re.M)
    assert [(str(r['id']), r['name'], r['kind']) for r in rows()] == text
    assert len({r['id'] for r in rows()}) == len({r['name'] for r in rows()}) == len(rows())


def test_loops_have_as_many_types_as_operands():
    for r in rows():
        for loop in r['loops'].split():
            ins, outs = loop.split('->')
            assert set(ins + outs) <= set('?bBhHiIlLefdFD'), r
            if r['nin'] >= 0:
                assert len(ins) == r['nin'], r
            if r['nout'] >= 0:
                assert len(outs) == r['nout'], r


@pytest.mark.parametrize('name, first', [('_C_API', 1), ('_MANAGE_API', 1)])
def test_tables_carry_their_version_and_size(name, first):
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    at = get(getattr(_runtime, name), f'cupy_backends.backend._runtime.{name}'.encode())
    version, size = ctypes.cast(at, ctypes.POINTER(ctypes.c_uint32 * 2)).contents
    assert version == first and size % 8 == 0 and 100 < size < 1000


def test_names_of_pxd_files_are_those_of_the_headers():
    """Cython believes the pxd; the C compiler checks only what is used."""
    for header in ('xpu_runtime.h', 'xpu_manage.h'):
        with open(os.path.join(INTERFACE, header)) as f:
            slots = set(re.findall(r'\(\*(\w+)\)\(', f.read()))
        with open(os.path.join(INTERFACE, header.replace('.h', '.pxd').replace('_runtime', ''))) as f:
            text = f.read()
        for slot in slots - {'backend', 'host', 'free_fn'}:
            assert f'(*{slot})(' in text, (header, slot)


SMALL = '''
#include "xpu_backend.h"
static xpu_backend b;
extern "C" xpu_status xpu_backend_entry(const xpu_services *, const xpu_backend **backend, const char **message) {
    b.abi_version = XPU_ABI_VERSION;
    b.struct_size = sizeof b;
    b.call_size = sizeof(xpu_call);
    b.tensor_size = sizeof(xpu_tensor);
    b.name = "odd";
    *backend = &b;
    %s
}
'''


def open_odd(tmp_path, target):
    (tmp_path / 'odd_xpu.py').write_text(f'def entry():\n    return {target}\n')
    info = tmp_path / 'odd_xpu-0.1.dist-info'
    info.mkdir()
    (info / 'METADATA').write_text('Metadata-Version: 2.1\nName: odd-xpu\nVersion: 0.1\n')
    (info / 'entry_points.txt').write_text('[numpy_ascend.backends]\nodd = odd_xpu:entry\n')
    path = os.pathsep.join(p for p in (str(tmp_path), ROOT, os.environ.get('PYTHONPATH')) if p)
    code = 'import cupy\ntry: cupy.ones(2)\nexcept cupy.xpu.XPUError as e: print(e)'
    done = subprocess.run([sys.executable, '-W', 'ignore', '-c', code], capture_output=True, text=True,
                          env={**os.environ, 'PYTHONPATH': path, 'CUPY_XPU_BACKEND': 'odd'})
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize('body, text', [
    ('b.abi_version = 77; return XPU_OK;', 'another version of xpu_backend.h'),
    ('b.struct_size = 8; return XPU_OK;', 'another version'),
    ('b.call_size = 8; return XPU_OK;', 'another version'),
    ('*backend = nullptr; return XPU_OK;', 'another version'),
    ('*message = "no driver, install it"; return XPU_NOT_FOUND;', 'no driver, install it'),
    ('return XPU_NOT_FOUND;', 'cannot be opened'),
])
def test_backends_that_do_not_fit(tmp_path, body, text, counting):
    source, library = tmp_path / 'odd.cpp', tmp_path / 'libodd.so'
    source.write_text(SMALL % body)
    subprocess.run([os.environ.get('CXX', 'g++'), '-fPIC', '-shared', '-w', f'-I{INTERFACE}', str(source), '-o', str(library)], check=True)
    assert text in open_odd(tmp_path, repr(str(library)))


@pytest.mark.parametrize('target, text', [('"/nowhere/lib.so"', 'nowhere'), ('42', 'capsule'), ('1 / 0', 'division')])
def test_entry_points_that_do_not_fit(tmp_path, target, text):
    assert text in open_odd(tmp_path, target)


def test_probing_never_raises():
    assert backend.probe('nonsense')['message'].startswith('RuntimeError: there is no backend')
    assert backend.probe('host')['devices'] == 1
    assert 'host' in backend.registered()


@pytest.mark.slow
def test_cases_in_c_plus_plus(counting):
    """Pool, thread pool, kernels and dispatch without Python; install/sanitize.sh runs the same with sanitizers."""
    done = subprocess.run([os.path.join(ROOT, 'install', 'sanitize.sh'), 'plain'], capture_output=True, text=True, timeout=900)
    assert done.returncode == 0 and 'all clean' in done.stdout, done.stdout + done.stderr
    counts = dict(re.findall(r'^(host|counting): (\d+) cases', done.stdout, re.M))
    assert int(counts['host']) >= 40 and int(counts['counting']) >= 30


@pytest.mark.slow
def test_ufunc_table_on_a_backend_with_fewer_dtypes(counting):
    """Each op, dtype pair and layout: natively, by a plan or on the host, the answer is NumPy's."""
    done = subprocess.run([sys.executable, '-m', 'pytest', '-q', '-x', os.path.join(os.path.dirname(HERE), 'core', 'test_ufunc_table.py')],
                          capture_output=True, text=True, timeout=900, cwd=ROOT, env=counting.environment(CUPY_XPU_FALLBACK='allow'))
    assert done.returncode == 0, done.stdout[-4000:]
