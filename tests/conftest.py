"""Settings of all tests. Being here, it also puts this folder on sys.path, so that tests in subfolders find `oracle`."""
import pytest


def pytest_configure(config):
    config.addinivalue_line('markers', 'slow: takes long; deselect with -m "not slow"')
    config.addinivalue_line('markers', 'multi_gpu: needs several devices')


@pytest.fixture(autouse=True)
def quiet():
    """No test may change NumPy's own state for the others."""
    import numpy
    with numpy.errstate(all='ignore'):
        yield
