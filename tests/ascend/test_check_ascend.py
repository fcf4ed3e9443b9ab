"""install/check_ascend.py, the self-test for people with hardware, on the emulator."""
import json
import os
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
if not os.path.isdir(os.path.join(ROOT, 'install')):
    pytest.skip('the tests are not in a source tree', allow_module_level=True)
sys.path.insert(0, HERE)
import emulator  # noqa: E402

SCRIPT = os.path.join(ROOT, 'install', 'check_ascend.py')


def run(*arguments, **settings):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(('CUPY_', 'ASCEND_'))}
    environment.update(settings)
    return subprocess.run([sys.executable, SCRIPT, *arguments], env=environment, capture_output=True, text=True, timeout=300)


@pytest.mark.skipif(not emulator.available(), reason='needs the emulator')
@pytest.mark.parametrize('kind', ['json', 'txt'])
def test_report(tmp_path, kind):
    path = tmp_path / f'report.{kind}'
    done = run('--ops', 'add,sqrt,sort,maximum', '--dtypes', 'float32,float64,int32', '--rounds', '50', '--report', str(path),
               CUPY_ASCEND_EMULATOR='1')
    assert done.returncode == 0, done.stdout + done.stderr
    assert 'EMULATED' in done.stdout and 'c = a + b' in done.stdout and '0 new executors' in done.stdout
    text = path.read_text()
    if kind == 'json':
        report = json.loads(text)
        assert report['header']['emulated'] and report['header']['soc'].startswith('Ascend910B') and len(report['rows']) > 12
        assert {row['state'] for row in report['rows']} == {'native', 'composed', 'AI CPU'}
        assert all(row['status'] == 'ok' for row in report['rows'] + report['loops'])
    else:
        assert 'soc: Ascend910B' in text and 'add float32' in text


@pytest.mark.skipif(not emulator.available(), reason='needs the emulator')
def test_failures_are_reported_and_the_others_go_on(tmp_path):
    path = tmp_path / 'report.json'
    done = run('--ops', 'add,exp,sqrt', '--dtypes', 'float32', '--rounds', '20', '--report', str(path), CUPY_ASCEND_EMULATOR='1',
               CUPY_ASCEND_EMULATOR_INJECT='aclnnExp:1:507015')
    assert done.returncode == 1
    rows = {row['name']: row for row in json.loads(path.read_text())['rows']}
    assert rows['add float32']['status'] == 'ok' and rows['exp float32']['status'] != 'ok' and '507015' in str(rows['exp float32'])
    assert rows['sqrt float32']['status'] in ('ok', 'lost')


def test_without_a_device():
    done = run('--ops', 'add', '--dtypes', 'float32', ASCEND_TOOLKIT_HOME='/nowhere')
    assert done.returncode == 2 and 'cupy.doctor' in done.stderr and 'not found' in done.stderr
