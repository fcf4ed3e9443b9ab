"""Backends, fallbacks, checks: what is used, what runs slower than it looks, and the switches for it."""
import contextlib
import os
import sys

from cupy._core import _dtype
from cupy._core._launch import FallbackWarning, XPUError  # noqa: F401
from cupy.xpu import _calls
from cupy.xpu._device import Device, device_count

_KINDS = ('native', 'slow', 'plan', 'fallback')
_METHODS = ('', '.reduce', '.accumulate', '.reduceat', '.at')
_POLICIES = ('warn', 'error', 'allow')


def backends():
    """The backends that are registered.

    Returns:
        dict: name -> dict with `devices` (int), `version` (str), `in_use` (bool) and `message` (str, why it cannot be used). Asking opens
        those backends.
    """
    from cupy_backends import backend
    used = backend_name()
    found = {}
    for name, source in backend.registered().items():
        answer = backend.probe(name, source)
        found[name] = {'devices': answer['devices'], 'version': answer['version'], 'in_use': answer['name'] == used,
                       'message': answer['message']}
    return found


def backend_name():
    """Name of the backend in use."""
    return _calls.backend_info()[0]


def _counts(kind):
    from cupy_backends.backend import _runtime
    number, found = _KINDS.index(kind), {}
    for row in _runtime.ops():
        for loop, types in enumerate(row['loops'].split()):
            for method, suffix in enumerate(_METHODS):
                n = _calls.count(number, row['id'], method, loop)
                if n:
                    found[f'{row["name"]}{suffix}', types] = n
    return found


def fallbacks():
    """What ran on the host though its arrays are on a device.

    Returns:
        dict: (op, type characters) -> number of launches; functions that are not built from ops: (name, '') -> number of calls. Empty on
        the host backend.
    """
    from cupy._core import _host_call
    found = _counts('fallback')
    found.update({(name, ''): n for name, n in _host_call.counts.items()})
    return found


def launches(kind='native'):
    """Launches on a device by how they were carried out.

    Args:
        kind: 'native', 'slow' (a slow engine of the device), 'plan' (composed of other ops) or 'fallback' (on the host).

    Returns:
        dict: (op, type characters) -> number. The host backend counts nothing.
    """
    if kind not in _KINDS:
        raise ValueError(f'kind must be one of {", ".join(_KINDS)}, not {kind!r}')
    return _counts(kind)


def reset_counters():
    """Sets all counters of launches to 0."""
    from cupy._core import _host_call
    _calls.reset_counts()
    _host_call.counts.clear()


def get_fallback_policy():
    """'warn', 'error' or 'allow'."""
    number = _calls.get_policy()
    return _POLICIES[number] if number >= 0 else os.environ.get('CUPY_XPU_FALLBACK') or 'warn'


class fallback_policy:
    """Sets what happens when an op has no kernel on the device and would run on the host, for all threads.

    Args:
        policy: 'warn' (once per op and dtypes), 'error' or 'allow'.

    As a context manager it puts the old policy back at the end. The default is taken from CUPY_XPU_FALLBACK.
    """

    def __init__(self, policy):
        if policy not in _POLICIES:
            raise ValueError(f'policy must be one of {", ".join(_POLICIES)}, not {policy!r}')
        self._before = _calls.get_policy()
        _calls.set_policy(_POLICIES.index(policy))

    def __enter__(self):
        return self

    def __exit__(self, *args):
        _calls.set_policy(self._before)


@contextlib.contextmanager
def checks(when):
    """When errors that depend on array contents are raised in this thread.

    Args:
        when: 'immediate' (the default): at the call. 'deferred': indices out of bounds are replaced by valid ones, and IndexError is
            raised by the next synchronize() of this thread; other checks stay at the call.
    """
    if when not in ('immediate', 'deferred'):
        raise ValueError(f"when must be 'immediate' or 'deferred', not {when!r}")
    before = _calls.set_deferred(when == 'deferred')
    try:
        yield
    finally:
        _calls.set_deferred(before)


@contextlib.contextmanager
def float64_mode(mode):
    """What becomes of new arrays of this thread that would be float64 or complex128.

    Args:
        mode: 'exact' (the default; also the environment's CUPY_XPU_FLOAT64): they are. 'float32': arrays made from Python or NumPy data,
            from default dtypes, and results of operations on arrays of other dtypes are float32 or complex64, which their dtype shows.
            Operations on arrays that are float64 or complex128 already stay exact, and so do functions that NumPy computes (host_call).
    """
    before = _dtype.set_float64_mode(mode)
    try:
        yield
    finally:
        _dtype.set_float64_mode(before)


def _settings():
    names = ('CUPY_XPU_BACKEND', 'CUPY_XPU_FALLBACK', 'CUPY_XPU_MEMORY_LIMIT', 'CUPY_GPU_MEMORY_LIMIT', 'CUPY_XPU_TO_NUMPY',
             'CUPY_XPU_FLOAT64', 'CUPY_HOST_THREADS', 'CUPY_ASCEND_EMULATOR', 'CUPY_ASCEND_DETERMINISTIC', 'CUPY_ASCEND_ALLOW_HF32')
    return {name: os.environ[name] for name in names if name in os.environ}


def _versions():
    import numpy

    import cupy
    rows = [('cupy (numpy-ascend)', cupy.__version__), ('NumPy', numpy.__version__), ('Python', sys.version.split()[0])]
    if 'scipy' in sys.modules:
        rows.append(('SciPy', sys.modules['scipy'].__version__))
    return rows


def show_config(*, file=None):
    """Writes versions, backends, devices and settings.

    Args:
        file: where to; None: sys.stdout.
    """
    rows = _versions()
    for name, answer in backends().items():
        state = f'{answer["devices"]} device(s)' + (', in use' if answer['in_use'] else '')
        rows.append((f'Backend {name}', answer['message'] or state))
    for i in range(device_count()):
        d = Device(i)
        free, total = d.mem_info
        rows.append((f'Device {i}', f'{d.name} ({d.architecture}), {d.attributes["MultiProcessorCount"]} compute unit(s)'))
        rows.append((f'Device {i} memory', f'{free / 2 ** 30:.1f} of {total / 2 ** 30:.1f} GiB free'))
    rows.append(('Fallback policy', get_fallback_policy()))
    rows.extend(_settings().items())
    width = max(len(name) for name, _ in rows)
    print('\n'.join(f'{name:<{width}} : {value}' for name, value in rows), file=file or sys.stdout)
