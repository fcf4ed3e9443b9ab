"""The test_native_* modules on the emulator, each in a process of its own, unless the ascend backend is what is tested anyway."""
import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))
import emulator  # noqa: E402

pytestmark = [pytest.mark.skipif(not emulator.available(), reason='needs the emulator'),
              pytest.mark.skipif(os.environ.get('CUPY_XPU_BACKEND') == 'ascend', reason='they run by themselves')]


@pytest.mark.parametrize('module', sorted(p.name for p in HERE.glob('test_native_*.py')))
def test_on_the_emulator(module):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(('CUPY_', 'ASCEND_', 'PYTEST_'))}
    environment.update(CUPY_XPU_BACKEND='ascend', CUPY_ASCEND_EMULATOR='1', CUPY_XPU_FALLBACK='allow')
    command = [sys.executable, '-m', 'pytest', '-q', '-x', '-p', 'no:cacheprovider', str(HERE / module)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, cwd=HERE.parent.parent)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
