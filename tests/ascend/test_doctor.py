"""python -m cupy.doctor: what it finds and what it says to do, on made-up machines."""
import io
import os
import subprocess
import sys

import pytest

from cupy import doctor


def rows(check):
    return list(check())


@pytest.fixture
def bare(monkeypatch):
    for name in ('ASCEND_TOOLKIT_HOME', 'ASCEND_HOME_PATH', 'ASCEND_OPP_PATH', 'CUPY_ASCEND_EMULATOR', 'CUPY_XPU_BACKEND'):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def test_toolkit_absent(bare):
    bare.setattr(doctor.glob, 'glob', lambda pattern: [])
    (state, text, advice), = rows(doctor.check_toolkit)
    assert state == doctor.NOTE and 'no CANN toolkit' in text and 'CUPY_ASCEND_EMULATOR=1' in advice


def test_toolkit_not_sourced(bare):
    bare.setattr(doctor.glob, 'glob', lambda pattern: ['/opt/ascend/set_env.sh'] if 'usr' in pattern else [])
    (state, text, advice), = rows(doctor.check_toolkit)
    assert state == doctor.PROBLEM and 'not sourced' in text and advice == 'source /opt/ascend/set_env.sh'


def test_toolkit_gone(bare, tmp_path):
    bare.setenv('ASCEND_TOOLKIT_HOME', str(tmp_path / 'absent'))
    found = rows(doctor.check_toolkit)
    assert found[0][0] == doctor.PROBLEM and 'does not exist' in found[0][1]
    assert any('561107' in text for _, text, _ in found)


def test_toolkit_complete(bare, tmp_path):
    bare.setenv('ASCEND_TOOLKIT_HOME', str(tmp_path))
    bare.setenv('ASCEND_OPP_PATH', str(tmp_path))
    assert [state for state, _, _ in rows(doctor.check_toolkit)] == [doctor.OK]


def test_driver_missing(bare, tmp_path):
    bare.setenv('ASCEND_TOOLKIT_HOME', str(tmp_path))
    bare.setattr(doctor.glob, 'glob', lambda pattern: [])
    (state, text, advice), = rows(doctor.check_driver)
    assert state == doctor.PROBLEM and 'davinci' in text and 'npu-smi' in advice


def test_driver_without_permission(bare, tmp_path):
    device = tmp_path / 'davinci0'
    device.write_text('')
    bare.setattr(doctor.glob, 'glob', lambda pattern: [str(device)])
    bare.setattr(doctor.os, 'access', lambda path, mode: False)
    (state, text, advice), = rows(doctor.check_driver)
    assert state == doctor.PROBLEM and str(device) in text and 'usermod' in advice


def test_libstdcxx(bare):
    assert [state for state, _, _ in rows(doctor.check_libstdcxx)] == [doctor.OK]
    bare.setattr(doctor, '_OLDEST_GLIBCXX', 'GLIBCXX_3.9.99')
    (state, text, advice), = rows(doctor.check_libstdcxx)
    assert state == doctor.PROBLEM and 'too old' in text and 'conda' in advice


def test_other_provider(bare):
    bare.setattr(doctor, '_other_providers', lambda: ['cupy-cuda12x'])
    found = [row for row in rows(doctor.check_environment) if row[0] == doctor.PROBLEM]
    assert len(found) == 1 and 'pip uninstall cupy-cuda12x' in found[0][2]


def test_report_counts_problems(bare):
    bare.setattr(doctor, 'CHECKS', (lambda: [(doctor.PROBLEM, 'broken', 'mend it')], lambda: [(doctor.OK, 'fine', '')]))
    out = io.StringIO()
    assert doctor.report(out) == 1
    assert out.getvalue().splitlines() == ['[FAIL] broken', '       -> mend it', '[ ok ] fine', '', '1 problem(s) found.']


def test_command():
    environment = {k: v for k, v in os.environ.items() if not k.startswith(('ASCEND', 'CUPY'))}
    done = subprocess.run([sys.executable, '-m', 'cupy.doctor'], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert 'host backend' in done.stdout and 'No problems found.' in done.stdout


def test_first_array_without_cann_says_what_is_missing():
    environment = {k: v for k, v in os.environ.items() if not k.startswith(('ASCEND', 'CUPY'))}
    environment['CUPY_XPU_BACKEND'] = 'ascend'
    code = 'import cupy\nprint("imported")\ntry:\n    cupy.arange(3)\nexcept Exception as e:\n    print(type(e).__name__, e)'
    done = subprocess.run([sys.executable, '-c', code], env=environment, capture_output=True, text=True, timeout=120)
    lines = done.stdout.splitlines()
    assert lines[0] == 'imported' and lines[1].startswith('XPUError') and 'set_env.sh' in lines[1], done.stdout + done.stderr
