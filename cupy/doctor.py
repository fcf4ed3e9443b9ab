"""`python -m cupy.doctor`: looks at this machine and this environment and says what to do.

Each check gives rows of a state (ok, note, problem), what was found, and the way out. The exit code is 1 when there is a problem.
"""
import ctypes
import glob
import grp
import importlib
import os
import platform
import sys

OK, NOTE, PROBLEM = 'ok', 'note', 'problem'
_MARKS = {OK: '[ ok ]', NOTE: '[note]', PROBLEM: '[FAIL]'}
_OLDEST_CANN = '8.2'
_OLDEST_GLIBCXX = 'GLIBCXX_3.4.25'  # GCC 8, what manylinux_2_28 promises


def check_environment():
    """Python, NumPy, and other packages that provide `cupy`."""
    import numpy
    yield OK, f'Python {platform.python_version()}, NumPy {numpy.__version__}, {platform.system()} {platform.machine()}', ''
    others = _other_providers()
    if others:
        yield PROBLEM, f'another package provides cupy as well: {", ".join(others)}', \
            f'pip uninstall {" ".join(others)}, then install again'


def _other_providers():
    """Distributions other than this one that install a top-level package named cupy."""
    from importlib import metadata
    found = set()
    for distribution in metadata.distributions():
        name = distribution.metadata['Name'] or ''
        if name.lower() == 'cupy' or name.lower().startswith('cupy-'):
            found.add(name)
    return sorted(found)


def check_build():
    """The compiled modules."""
    for name in ('cupy_backends.backend._runtime', 'cupy_backends.host._host', 'cupy._core.core', 'cupy_backends.ascend._ascend'):
        try:
            importlib.import_module(name)
        except ImportError as e:
            yield PROBLEM, f'{name} cannot be loaded: {e}', 'build again: pip install -e . (or install the wheel for this Python)'
            return
    yield OK, 'all compiled modules load', ''


def check_host():
    """The host backend."""
    from cupy_backends.backend import probe
    answer = probe('host')
    if answer['devices'] < 1:
        yield PROBLEM, f'the host backend does not open: {answer["message"]}', 'see the message; the host backend needs nothing but NumPy'
        return
    yield OK, f'host backend with {len(os.sched_getaffinity(0))} CPU core(s) for this process', ''


def check_libstdcxx():
    """libstdc++ must be new enough for CANN's libraries and ours; conda environments often bring an older one."""
    try:
        library = ctypes.CDLL('libstdc++.so.6')
    except OSError as e:
        yield PROBLEM, f'libstdc++.so.6 is missing: {e}', 'install the C++ runtime of your distribution (libstdc++6)'
        return
    path = _path_of(library)
    try:
        with open(path, 'rb') as f:
            versions = {v for v in f.read().split(b'\0') if v.startswith(b'GLIBCXX_3.')}
    except OSError:
        return
    if _OLDEST_GLIBCXX.encode() not in versions:
        yield PROBLEM, f'{path} is too old: it has no {_OLDEST_GLIBCXX}', 'in conda: conda install -c conda-forge libstdcxx-ng'
    else:
        yield OK, f'libstdc++ at {path}', ''


def _path_of(library):
    with open('/proc/self/maps') as f:
        for line in f:
            if 'libstdc++.so' in line:
                return line.split()[-1]
    return library._name


def check_toolkit():
    """set_env.sh and the toolkit's folder."""
    home = os.environ.get('ASCEND_TOOLKIT_HOME') or os.environ.get('ASCEND_HOME_PATH')
    if _emulated():
        yield NOTE, 'CUPY_ASCEND_EMULATOR is set: the emulator stands for CANN; its speed and numerics say nothing about hardware', ''
        return
    scripts = glob.glob('/usr/local/Ascend/*/set_env.sh') + glob.glob(os.path.expanduser('~/Ascend/*/set_env.sh'))
    if home and not os.path.isdir(home):
        yield PROBLEM, f'ASCEND_TOOLKIT_HOME names a folder that does not exist: {home}', \
            'source set_env.sh of the toolkit that is installed'
    elif home:
        yield OK, f'CANN toolkit at {home}', ''
    elif scripts:
        yield PROBLEM, 'CANN is installed but its set_env.sh was not sourced', f'source {scripts[0]}'
    else:
        yield NOTE, 'no CANN toolkit was found: arrays live on the host', \
            f'on an Ascend server install CANN {_OLDEST_CANN} or newer and source its set_env.sh; to try without an NPU: ' \
            'CUPY_ASCEND_EMULATOR=1'
    if home and not os.environ.get('ASCEND_OPP_PATH'):
        yield PROBLEM, 'ASCEND_OPP_PATH is not set: operators will fail with status 561107', 'source set_env.sh of the toolkit'


def _emulated():
    return os.environ.get('CUPY_ASCEND_EMULATOR', '') not in ('', '0')


def check_driver():
    """The driver's device files and the right to use them."""
    if _emulated():
        return
    devices = sorted(glob.glob('/dev/davinci[0-9]*'))
    if not devices and not os.path.exists('/dev/davinci_manager'):
        if os.environ.get('ASCEND_TOOLKIT_HOME') or os.environ.get('ASCEND_HOME_PATH'):
            yield PROBLEM, 'no NPU device files (/dev/davinci*)', \
                'is the driver installed (npu-smi info)? in a container: pass the devices in'
        return
    closed = [d for d in devices + ['/dev/davinci_manager'] if not os.access(d, os.R_OK | os.W_OK)]
    if closed:
        group = _group_of(closed[0])
        user = os.environ.get('USER', 'USER')
        yield PROBLEM, f'no permission for {", ".join(closed)}', f'add the user to group {group}: sudo usermod -aG {group} {user}'
    else:
        yield OK, f'{len(devices)} NPU device file(s)', ''


def _group_of(path):
    try:
        return grp.getgrgid(os.stat(path).st_gid).gr_name
    except (OSError, KeyError):
        return 'HwHiAiUser'


def check_cann():
    """CANN's libraries, version, operators and devices."""
    from cupy_backends.ascend import _ascend
    from cupy_backends.backend import probe
    found = _ascend.information()
    wanted = os.environ.get('CUPY_XPU_BACKEND') == 'ascend' or _emulated()
    if not found['ok']:
        if wanted or os.environ.get('ASCEND_TOOLKIT_HOME') or os.environ.get('ASCEND_HOME_PATH'):
            yield PROBLEM, found['problem'], 'see above; the libraries lie in lib64 of the toolkit'
        return
    yield OK, f'ACL {".".join(map(str, found["acl_version"]))} from {found["runtime"]}', ''
    yield OK, f'operators from {found["math"]}', ''
    if found['missing']:
        yield NOTE, f'{len(found["missing"])} operators are missing and will run on the host: {", ".join(found["missing"][:8])} ...', \
            'a newer CANN may have them'
    answer = probe('ascend')
    if answer['devices'] < 1:
        yield PROBLEM, answer['message'] or 'no NPU', 'see npu-smi info and ASCEND_RT_VISIBLE_DEVICES'
        return
    yield OK, f'{answer["devices"]} NPU(s)', ''
    yield NOTE, 'float64 and complex128 are exact and slow on this hardware (AI CPU or host): use float32 where you can', \
        "cupy.xpu.float64_mode('float32') or CUPY_XPU_FLOAT64=float32 makes new arrays float32, visibly"


CHECKS = (check_environment, check_build, check_host, check_libstdcxx, check_toolkit, check_driver, check_cann)


def report(out=None):
    """Writes all checks; returns the number of problems."""
    out = out or sys.stdout
    problems = 0
    for check in CHECKS:
        for state, text, advice in check():
            problems += state == PROBLEM
            print(f'{_MARKS[state]} {text}', file=out)
            if advice:
                print(f'       -> {advice}', file=out)
    print('\nNo problems found.' if not problems else f'\n{problems} problem(s) found.', file=out)
    return problems


if __name__ == '__main__':
    sys.exit(1 if report() else 0)
