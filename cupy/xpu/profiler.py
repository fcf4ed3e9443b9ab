"""Ranges and marks for profilers. Where the backend has no profiler of its own they cost nothing and do nothing more than nest."""
import contextlib

from cupy.xpu import runtime


def start():
    """Starts collecting, where the backend has a profiler."""
    runtime.profilerStart()


def stop():
    """Stops collecting."""
    runtime.profilerStop()


@contextlib.contextmanager
def profile():
    """start() and stop() around a `with`."""
    start()
    try:
        yield
    finally:
        stop()
