"""What the backend calls of CANN in a steady loop: nothing but the operator. Counted by the emulator, in a process of its own."""
import os
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
if not os.path.isdir(os.path.join(ROOT, 'install')):
    pytest.skip('the tests are not in a source tree', allow_module_level=True)
for path in (HERE, os.path.join(ROOT, 'install')):
    sys.path.insert(0, path)
import emulator  # noqa: E402
import trace_counts  # noqa: E402

pytestmark = pytest.mark.skipif(not emulator.available(), reason='needs the emulator')
NOTHING = ('aclrtMalloc', 'aclrtFree', 'waits', 'GetWorkspaceSize', 'host copies')


@pytest.fixture(scope='module')
def found():
    return trace_counts.run()


@pytest.mark.parametrize('name', trace_counts.STEADY)
def test_steady_loop_costs_its_operator_alone(found, name):
    row = found['steady'][name]
    assert {h: row['columns'][h] for h in (*NOTHING, 'copies')} == dict.fromkeys((*NOTHING, 'copies'), 0), row['names']
    assert row['fallbacks'] == 0 and row['columns']['operators'] == 1, row['names']


@pytest.mark.parametrize('name', trace_counts.OPERATIONS)
def test_operation_waits_and_plans_only_where_it_must(found, name):
    row = found['operations'][name]
    allowed = ('waits', 'host copies', 'GetWorkspaceSize') if name in trace_counts.WAITS else ()
    assert {h: row['columns'][h] for h in NOTHING if h not in allowed} == {h: 0 for h in NOTHING if h not in allowed}, row['names']
    assert row['fallbacks'] == 0, row['names']


def test_thirty_operations():
    assert len(trace_counts.OPERATIONS) >= 30


def test_no_rule_is_broken(found):
    assert found['violations'] == []
