"""The two sides of the comparison: NumPy, and cupy on a backend and device."""
import os
import platform
import warnings

import numpy


class NoDevice(Exception):
    """The backend or device that was asked for is not there; the text says what to do."""


class Library:
    """A module with NumPy's API, with the ways in and out of its memory."""

    def __init__(self, name, module, to_device=None, to_host=None, synchronize=None, host_functions=(), launches=None, event=None):
        self.name, self.module = name, module
        self.to_device = to_device or (lambda a: a)
        self.to_host = to_host or (lambda a: a)
        self.synchronize = synchronize or (lambda: None)
        self.host_functions = frozenset(host_functions)
        self.launches = launches or (lambda: {})
        self.event = event  # makes events, where the device has a clock of its own

    def upload(self, operands):
        """Own copies of a case's operands."""
        return [self.to_device(a.copy()) if isinstance(a, numpy.ndarray) else a for a in operands]

    def download(self, result):
        return self.to_host(result)


class Events:
    """Events of the device's streams, and the seconds between two of them."""

    def __init__(self, cupy):
        self.cuda = cupy.cuda

    def __call__(self):
        return self.cuda.Event()

    def seconds(self, first, last):
        return self.cuda.get_elapsed_time(first, last) * 1e-3


def numpy_library():
    return Library('numpy', numpy)


def _import_cupy():
    try:
        import cupy
    except ImportError as error:
        raise NoDevice(f'cupy cannot be imported ({error}).\nBuild it first: pip install -e .') from error
    if not hasattr(cupy, 'xpu'):
        raise NoDevice(f'the cupy at {cupy.__file__} is another package; uninstall it, then: pip install -e .')
    return cupy


def _backend_answer(name):
    """What the registry says of a backend that was named; raises NoDevice if it cannot be used."""
    from cupy_backends import backend
    known = ', '.join(['auto', *backend.registered()])
    if name not in ('auto', *backend.registered()):
        raise NoDevice(f"there is no backend '{name}'; known here: {known}.")
    if name != 'auto':
        answer = backend.probe(name)
        if answer['status'] != 0 or answer['devices'] < 1:
            raise NoDevice(f"backend '{name}' has no device: {answer['message'] or 'it found none'}\n"
                           f'`python -m cupy.doctor` tells what to do. Known backends: {known}.')


def host_function_names(cupy):
    """Names under which cupy hands work to NumPy on the host, such as 'linalg.svd'."""
    from cupy import _host_call
    names = set(_host_call.remaining())
    if issubclass(cupy.random.Generator, _host_call.Proxy):
        names.add('random.default_rng')
    return names


def cupy_library(backend, device):
    """The cupy side. Raises NoDevice where backend or device are missing.

    Args:
        backend: name of a backend, or None for the choice of CUPY_XPU_BACKEND.
        device: number of the device.
    """
    if backend:
        os.environ['CUPY_XPU_BACKEND'] = backend
    cupy = _import_cupy()
    _backend_answer(os.environ.get('CUPY_XPU_BACKEND', '').strip() or 'auto')
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except Exception as error:  # whatever a backend raises, its text is for the user
        raise NoDevice(f'the backend cannot be opened: {error}') from error
    if not 0 <= device < count:
        raise NoDevice(f'there is no device {device}: the backend has {count}, numbered from 0.')
    cupy.cuda.Device(device).use()
    warnings.simplefilter('ignore', cupy.xpu.FallbackWarning)  # the table says of each case where it ran
    return Library('cupy', cupy, cupy.asarray, cupy.asnumpy, lambda: cupy.cuda.get_current_stream().synchronize(),
                   host_function_names(cupy), lambda: _launches(cupy), None if cupy.xpu.backend_name() == 'host' else Events(cupy))


def _launches(cupy):
    """{way: number of launches so far} of those that a device has no kernel of its own for."""
    found = {way: sum(cupy.xpu.launches(way).values()) for way in ('fallback', 'slow', 'plan')}
    if cupy.xpu.backend_name() == 'ascend':  # a launch that calls several operators of CANN is composed, too
        from cupy_backends.ascend import _ascend
        statistics = _ascend.cache_statistics()
        found['operators'] = statistics['hits'] + statistics['misses'] - sum(cupy.xpu.launches('native').values())
    return found


# ---- the header ---------------------------------------------------------------------------------------------------------------------

def _cpu_name():
    try:
        with open('/proc/cpuinfo') as f:
            for line in f:
                if line.startswith('model name'):
                    return line.split(':', 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _blas():
    try:
        blas = numpy.show_config(mode='dicts')['Build Dependencies']['blas']
        text = f"{blas['name']} {blas['version']}"
    except (KeyError, TypeError):
        text = 'unknown'
    forced = os.environ.get('OPENBLAS_CORETYPE')
    return text + (f', OPENBLAS_CORETYPE={forced}' if forced else '')


def describe(library=None):
    """What a reader needs to judge the figures: pairs of a word and a text."""
    cores = len(os.sched_getaffinity(0))
    rows = [('machine', f'{_cpu_name()}, {cores} cores, {platform.system()} {platform.machine()}'),
            ('numpy', f'{numpy.__version__}, Python {platform.python_version()}, BLAS {_blas()}')]
    if library is not None and library.name == 'cupy':
        rows += _describe_cupy(library.module)
    load = os.getloadavg()[0]
    if load > 0.5 * cores:
        rows.append(('note', f'other programs keep this machine busy (load {load:.1f} on {cores} cores): the figures will vary'))
    return rows


def _describe_cupy(cupy):
    device = cupy.cuda.Device()
    properties = cupy.cuda.runtime.getDeviceProperties(device.id)
    name = properties['name'].decode()
    rows = [('cupy', f'{cupy.__version__}, backend {cupy.xpu.backend_name()}, device {device.id}: {name}, '
             f'{properties["multiProcessorCount"]} units')]
    if cupy.xpu.backend_name() == 'host':
        threads = os.environ.get('CUPY_HOST_THREADS') or len(os.sched_getaffinity(0))
        rows.append(('', f'threads: {threads}; the host backend computes on the same CPU as NumPy: no accelerator takes part'))
    if cupy.xpu.backend_name() == 'ascend':
        rows += _describe_ascend(properties)
    return rows


def cann_version():
    """The toolkit's version as its own files say it, or ''."""
    home = os.environ.get('ASCEND_TOOLKIT_HOME') or os.environ.get('ASCEND_HOME_PATH') or ''
    for name in ('version.cfg', 'ascend_toolkit_install.info', 'version.info'):
        for folder in (home, os.path.join(home, platform.machine() + '-linux')):
            try:
                with open(os.path.join(folder, name)) as f:
                    lines = [line.strip() for line in f if 'version' in line.lower() and '=' in line]
            except OSError:
                continue
            if lines:
                return lines[0]
    return ''


def _describe_ascend(properties):
    from cupy_backends.ascend import _ascend
    found = _ascend.information()
    version = 'the emulator of this package' if found['emulated'] else cann_version() or 'version unknown'
    rows = [('ascend', f'SoC {properties["architecture"]}, CANN: {version}, ACL {".".join(map(str, found["acl_version"]))}')]
    if found['emulated']:
        rows.append(('', 'EMULATED: these times say nothing about hardware'))
    rows.append(('', 'float64: exact, but the device has no units for it: slow (AI CPU), or computed on the host'))
    return rows

