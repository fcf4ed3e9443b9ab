"""Skips, seeds, and checks of aliases."""
import functools
import importlib.metadata
import inspect
import random
import unittest.mock

import numpy

import cupy
from cupy.testing._signature import fills


def installed(*specifiers):
    """True if all packages are installed in the wanted versions.

    Parameters:
        specifiers (str): as in pip: 'scipy', 'numpy>=1.26'.
    """
    from packaging.requirements import Requirement
    for text in specifiers:
        wanted = Requirement(text)
        try:
            version = importlib.metadata.version(wanted.name)
        except importlib.metadata.PackageNotFoundError:
            return False
        if not wanted.specifier.contains(version, prereleases=True):
            return False
    return True


def numpy_satisfies(version_range):
    """True if the installed NumPy is in the range, such as '>=2.0,<3'."""
    from packaging.specifiers import SpecifierSet
    return SpecifierSet(version_range).contains(numpy.__version__, prereleases=True)


def with_requires(*requirements):
    """Decorates a test to be skipped unless `installed(*requirements)`."""
    import pytest
    return pytest.mark.skipif(not installed(*requirements), reason=f'needs {", ".join(requirements)}')


def multi_gpu(gpu_num):
    """Decorates a test to be skipped where there are fewer than gpu_num devices. The count is taken when the test runs, as no
    device is opened before."""
    def decorator(target):
        if inspect.isclass(target):
            for name, value in list(vars(target).items()):
                if name.startswith('test') and callable(value):
                    setattr(target, name, decorator(value))
            return target

        @fills(target, ())
        def test(*args, **kwargs):
            import pytest
            count = cupy.xpu.runtime.getDeviceCount()
            if count < gpu_num:
                pytest.skip(f'needs {gpu_num} devices, there are {count}')
            return target(*args, **kwargs)
        test.pytestmark = [*getattr(target, 'pytestmark', []), pytest_mark('multi_gpu')]
        return test
    return decorator


def slow(*args, **kwargs):
    """Marks a test as slow: pytest's mark `slow`, to be deselected with -m 'not slow'."""
    return pytest_mark('slow')(*args, **kwargs) if args or kwargs else pytest_mark('slow')


def pytest_mark(name):
    import pytest
    return getattr(pytest.mark, name)


def generate_seed():
    """A seed for a test that wants a new one each time; within fix_random() it is determined."""
    return numpy.random.randint(0x7fffffff)


def fix_random():
    """Decorates a test function or class: random numbers of `random`, numpy and cupy start from fixed seeds in it and go on
    afterwards as if it had not run."""
    def decorator(target):
        if inspect.isclass(target):
            for name, value in list(vars(target).items()):
                if name.startswith('test') and callable(value):
                    setattr(target, name, decorator(value))
            return target

        @functools.wraps(target)
        def test(*args, **kwargs):
            python_state, numpy_state = random.getstate(), numpy.random.get_state()
            random.seed(0)
            numpy.random.seed(100)
            cupy.random.seed(101)
            try:
                return target(*args, **kwargs)
            finally:
                random.setstate(python_state)
                numpy.random.set_state(numpy_state)
                cupy.random.seed(None)
        return test
    return decorator


class AssertFunctionIsCalled:
    """A context in which a function, named as for unittest.mock.patch, must be called `times_called` times.

    It still runs unless `new` or `return_value` and the like are among the keyword arguments, which go to patch.
    """

    def __init__(self, *args, times_called=1, **kwargs):
        self.times_called = times_called
        if len(args) == 1 and not kwargs:
            kwargs['wraps'] = _find(args[0])
        self.patch = unittest.mock.patch(*args, **kwargs)

    def __enter__(self):
        self.handle = self.patch.__enter__()
        return self.handle

    def __exit__(self, kind, error, trace):
        result = self.patch.__exit__(kind, error, trace)
        if kind is None and self.handle.call_count != self.times_called:
            raise AssertionError(f'called {self.handle.call_count} times, expected {self.times_called}')
        return result


def _find(path):
    module, name = path.rsplit('.', 1)
    return getattr(importlib.import_module(module), name)


class NumpyAliasBasicTestBase:
    """Base of test classes for functions that numpy has under the same name: `func` is that name."""

    func = None

    @property
    def cupy_func(self):
        return getattr(cupy, self.func)

    @property
    def numpy_func(self):
        return getattr(numpy, self.func)

    def test_argspec(self):
        got, wanted = (list(inspect.signature(f).parameters) for f in (self.cupy_func, self.numpy_func))
        assert got == wanted, f'parameters differ: {got}, {wanted}'

    def test_docstring(self):
        assert self.cupy_func.__doc__


class NumpyAliasValuesTestBase(NumpyAliasBasicTestBase):
    """Also compares the values of both functions on `args`."""

    args = ()

    def test_values(self):
        assert self.cupy_func(*self.args) == self.numpy_func(*self.args)
