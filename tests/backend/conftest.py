"""The backend `counting`, as a third party would add it: compiled here, announced by an entry point of a package of its own."""
import os
import shutil
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
INTERFACE = os.path.join(ROOT, 'cupy_backends', 'backend')


class Installed:
    """A folder with the package; programs started by run() see it."""

    def __init__(self, folder, library):
        self.folder, self.library = str(folder), str(library)

    def environment(self, **variables):
        path = os.pathsep.join(p for p in (self.folder, ROOT, os.environ.get('PYTHONPATH')) if p)
        mine = {k: v for k, v in os.environ.items() if not k.startswith('CUPY_')}
        return {**mine, 'PYTHONPATH': path, 'CUPY_XPU_BACKEND': 'counting', **variables}

    def run(self, code, fails=False, **variables):
        """Runs a program; `get(name)` in it reads the backend's counters, `lib` is its library."""
        head = (f'import ctypes, warnings, numpy\nlib = ctypes.CDLL({self.library!r})\nlib.counting_get.restype = ctypes.c_int64\n'
                'def get(name): return lib.counting_get(name.encode())\nimport cupy\n')
        done = subprocess.run([sys.executable, '-c', head + code], capture_output=True, text=True, timeout=300,
                              env=self.environment(**variables))
        assert fails or done.returncode == 0, done.stdout + done.stderr
        return done.stdout, done.stderr


@pytest.fixture(scope='session')
def counting(tmp_path_factory):
    compiler = shutil.which(os.environ.get('CXX', 'g++')) or shutil.which('c++')
    if not compiler:
        pytest.skip('needs a C++ compiler')
    folder = tmp_path_factory.mktemp('counting')
    library = folder / 'libcounting.so'
    subprocess.run([compiler, '-std=c++17', '-O1', '-fPIC', '-shared', '-pthread', '-w', f'-I{INTERFACE}', f'{HERE}/counting_backend.cpp',
                    '-o',
                    str(library)], check=True)
    (folder / 'counting_xpu.py').write_text(f'def library():\n    return {str(library)!r}\n')
    info = folder / 'counting_xpu-0.1.dist-info'
    info.mkdir()
    (info / 'METADATA').write_text('Metadata-Version: 2.1\nName: counting-xpu\nVersion: 0.1\n')
    (info / 'entry_points.txt').write_text('[numpy_ascend.backends]\ncounting = counting_xpu:library\n')
    return Installed(folder, library)
