"""docs/support.md against what happens: native is one operator, composed several, and none of them copies to the host."""
import os
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
if not os.path.isdir(os.path.join(ROOT, 'install')):
    pytest.skip('the tests are not in a source tree', allow_module_level=True)
for path in (HERE, os.path.join(ROOT, 'install'), ROOT):
    sys.path.insert(0, path)
import native  # noqa: E402
import ascend_table  # noqa: E402
import check_ascend  # noqa: E402
import cupy  # noqa: E402
import emulator  # noqa: E402
import trace_counts  # noqa: E402

pytestmark = pytest.mark.skipif(not native.EMULATED, reason='counts calls on the emulator')
CASES = check_ascend.all_cases()


class Uploads:
    """cupy, counting how often host memory is uploaded by a case itself."""

    def __init__(self):
        self.count = 0

    def __getattr__(self, name):
        return getattr(cupy, name)

    def asarray(self, a):
        self.count += not isinstance(a, cupy.ndarray)
        return cupy.asarray(a)


def counted(case):
    """Calls of the case's first layout, once everything is in caches; uploads taken off."""
    _, call = next(iter(case.calls()))
    with cupy.xpu.fallback_policy('error'):
        for _ in range(2):
            call(cupy)
        cupy.cuda.Device().synchronize()
        emulator.reset_counts()
        xp = Uploads()
        call(xp)
    counts = emulator.counts()
    found = trace_counts.columns(counts)
    found['host copies'] -= xp.count
    found['names'] = counts
    return found


def right_engine(case, names):
    """Whether the AI CPU worked where the table says so. CANN does not document of these what they cast within themselves."""
    slow = case.state == ascend_table.SLOW
    return bool(names.get('aicpu')) == slow or (slow and case.op in ('logical_and', 'logical_or', 'logical_not', 'signbit'))


# Checks of indices that are on the device read one number back.
CHECKED = ('gather', 'scatter')


@pytest.mark.parametrize('state', ascend_table.STATES[:3])
def test_table_and_trace_agree(state):
    wrong = []
    for case in CASES:
        if case.state != state:
            continue
        found = counted(case)
        work = found['operators'] or found['copies'] or found['other']
        many = state == ascend_table.NATIVE and found['operators'] > 1
        if found['host copies'] > (case.op in CHECKED) or not work or many or not right_engine(case, found['names']):
            wrong.append((case.name, found['host copies'], found['operators'], found['copies'], found['names']))
    assert wrong == []


def test_figures_of_the_table():
    """How many rows are checked here: all that the table calls native, composed or slow."""
    assert len(CASES) > 600 and {c.state for c in CASES} == set(ascend_table.STATES[:3])
