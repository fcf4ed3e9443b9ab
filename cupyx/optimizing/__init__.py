"""Tuning of kernel launches. No kernel here has parameters to tune, so it only accepts."""
import contextlib

__all__ = ['optimize']


@contextlib.contextmanager
def optimize(*, key=None, path=None, readonly=False, **config_dict):
    """Within it CuPy tunes its reduction kernels. Here the code runs as it is."""
    yield
