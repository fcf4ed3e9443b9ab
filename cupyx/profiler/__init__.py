"""Timing of functions, and marks for profilers."""
import contextlib
import math
import time

import numpy

import cupy

__all__ = ['benchmark', 'profile', 'time_range']


class _Times:
    """Times of a benchmark in seconds.

    Attributes:
        name: the function's.
        cpu_times: numpy.ndarray of the times until each call returned.
        gpu_times: numpy.ndarray, shape (1, n): the times until the device was done.
    """

    def __init__(self, name, cpu_times, gpu_times, devices):
        self.name = name
        self.cpu_times = cpu_times
        self.gpu_times = gpu_times
        self._devices = devices

    def to_str(self, show_gpu=False):
        """A line of mean, spread and range in microseconds."""
        text = f'{self.name:20s}:{_row("CPU", self.cpu_times)}'
        if show_gpu:
            text += ''.join(_row(f'device-{d}', t) for d, t in zip(self._devices, self.gpu_times))
        return text

    __repr__ = __str__ = lambda self: self.to_str(True)


def _row(name, times):
    t = times * 1e6
    return f'    {name}: {t.mean():9.3f} us   +/- {t.std():6.3f} (min: {t.min():9.3f} / max: {t.max():9.3f}) us'


def benchmark(func, args=(), kwargs={}, n_repeat=10000, *, name=None, n_warmup=10, max_duration=math.inf, devices=None):
    """Times a function over many calls, waiting for the device after each.

    Args:
        func: the function; args, kwargs: its arguments.
        n_repeat, n_warmup: calls that are timed, and calls before them.
        name: shown; the function's by default.
        max_duration: seconds after which no further call is made.
        devices: ids of the devices to wait for; only the current one.

    Returns:
        An object with cpu_times, gpu_times and a text form.

    Raises:
        ValueError: several devices.
    """
    if devices is not None and len(devices) != 1:
        raise ValueError('benchmark waits for one device: call it once per device')
    device = cupy.cuda.Device(*(devices or ()))
    for _ in range(n_warmup):
        func(*args, **kwargs)
    device.synchronize()
    cpu, full, start = [], [], time.perf_counter()
    for _ in range(n_repeat):
        t0 = time.perf_counter()
        func(*args, **kwargs)
        t1 = time.perf_counter()
        device.synchronize()
        t2 = time.perf_counter()
        cpu.append(t1 - t0)
        full.append(t2 - t0)
        if t2 - start > max_duration:
            break
    return _Times(name or getattr(func, '__name__', 'function'), numpy.array(cpu), numpy.array([full]), [device.id])


@contextlib.contextmanager
def profile():
    """Where a profiler should record. No backend here has one to switch on: the code runs as it is."""
    yield


class time_range(contextlib.ContextDecorator):
    """A named range for profilers' time lines; without a profiler it does nothing.

    Args:
        message: the name, the function's when it decorates one.
        color_id, argb_color: the colour.
        sync: whether to wait for the device at the end.
    """

    def __init__(self, message=None, color_id=None, argb_color=None, sync=False):
        self.message, self.sync = message, sync

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        if self.sync:
            cupy.cuda.Device().synchronize()
