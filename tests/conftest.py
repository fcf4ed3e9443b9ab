"""Settings of all tests. Being here, it also puts this folder on sys.path, so that tests in subfolders find `oracle`."""
import os
import pathlib
import sys

import pytest

try:
    import hypothesis
except ImportError:  # the smoke tests do without
    hypothesis = None

GAPS = pathlib.Path(__file__).parent / 'known_gaps.txt'


def pytest_configure(config):
    config.addinivalue_line('markers', 'slow: takes long; deselect with -m "not slow"')
    config.addinivalue_line('markers', 'multi_gpu: needs several devices')
    if hypothesis:  # the same examples in each run; HYPOTHESIS_PROFILE=search looks for new ones
        hypothesis.settings.register_profile('same', derandomize=True, deadline=None)
        hypothesis.settings.register_profile('search', deadline=None)
        hypothesis.settings.load_profile(os.environ.get('HYPOTHESIS_PROFILE', 'same'))
    config.addinivalue_line('markers', 'host_only(reason): about the host backend itself; skipped on others')


def pytest_collection_modifyitems(items):
    marked = [(item, mark) for item in items for mark in item.iter_markers('host_only')]
    if marked:
        import cupy
        if cupy.xpu.backend_name() != 'host':
            for item, mark in marked:
                item.add_marker(pytest.mark.skip(reason='on the host only: ' + mark.args[0]))


def known_gaps():
    """Lines of known_gaps.txt: what is known to differ from NumPy, with the reason."""
    if not GAPS.exists():
        return []
    return [line for line in GAPS.read_text(encoding='utf-8').splitlines() if line.strip() and not line.startswith('#')]


def pytest_terminal_summary(terminalreporter):
    """What the tests ran on: at the end, since -q leaves out the header. Asked without cupy, so that tests show its import errors."""
    import numpy
    backend = os.environ.get('CUPY_XPU_BACKEND') or 'auto'
    threads = os.environ.get('CUPY_HOST_THREADS') or len(os.sched_getaffinity(0))
    terminalreporter.write_line('')
    ascend = sys.modules.get('cupy_backends.ascend._ascend')
    if ascend and ascend.cache_statistics()['rejected']:
        terminalreporter.write_line(f'CANN refused {ascend.cache_statistics()["rejected"]} calls that were thought right')
    terminalreporter.write_line(f'numpy {numpy.__version__}, backend {backend}, host threads {threads}, known gaps: {len(known_gaps())}')


@pytest.fixture(autouse=True)
def quiet():
    """No test may change NumPy's own state for the others."""
    import numpy
    with numpy.errstate(all='ignore'):
        yield


@pytest.fixture
def rng(request):
    """A numpy random generator of which the seed is the test's name: other values in each test, the same in each run."""
    import zlib

    import numpy
    return numpy.random.default_rng(zlib.crc32(request.node.nodeid.encode()))
