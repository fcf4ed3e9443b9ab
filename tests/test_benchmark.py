"""benchmark.py: what people run first. Its answers, its exit codes, its files, and that it is quiet where it should be."""
import csv
import json
import os
import subprocess
import sys

import numpy
import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, ROOT)
benchmark = pytest.importorskip('benchmark', reason='benchmark.py is not beside the tests')
from benchmarks import cases, inputs, libraries, measure, report  # noqa: E402

OPS = cases.all_ops(benchmark.op_rows())


def run(*arguments, **environment):
    """Runs benchmark.py as a user does, with pipes for stdout and stderr."""
    return subprocess.run([sys.executable, os.path.join(ROOT, 'benchmark.py'), *arguments], capture_output=True, text=True, timeout=300,
                          env={**os.environ, **environment})


def named(name):
    return next(op for op in OPS if op.name == name)


def test_small_run(tmp_path):
    out = run('--ops', 'add,cos,matmul', '--dtypes', 'float32', '--sizes', '100,1e4', '--seconds', '0.5',
              '--csv', str(tmp_path / 'out.csv'), '--json', str(tmp_path / 'out.json'))
    assert out.returncode == 0, out.stdout + out.stderr
    assert out.stderr == ''  # no progress bar in a pipe, no warnings
    lines = out.stdout.splitlines()
    assert sum(line.startswith(('add ', 'cos ', 'matmul ')) for line in lines) == 6
    assert numpy.__version__ in out.stdout and 'backend' in out.stdout
    assert any('host to device' in line for line in lines)
    rows = list(csv.DictReader(open(tmp_path / 'out.csv')))
    assert len([r for r in rows if r['family'] != 'transfer']) == 6 and all(float(r['ratio']) > 0 for r in rows)
    document = json.load(open(tmp_path / 'out.json'))
    assert [c['op'] for c in document['cases']] == ['add', 'add', 'cos', 'cos', 'matmul', 'matmul']
    assert document['geometric_means']['all']['all']['cases'] == 6
    assert dict(document['header'])['numpy'].startswith(numpy.__version__)


def test_list_needs_no_device():
    out = run('--list', CUPY_XPU_BACKEND='nonsense')
    assert out.returncode == 0 and 'matmul' in out.stdout and 'linalg' in out.stdout and out.stderr == ''


@pytest.mark.parametrize('arguments, word', [
    (['--backend', 'nonsense'], "no backend 'nonsense'"), (['--device', '99'], 'no device 99'), (['--ops', 'nonsense'], 'nonsense'),
    (['--ops', 'matmull'], 'did you mean matmul'), (['--dtypes', 'float31'], 'float31'), (['--dtypes', 'S3'], 'S3'),
    (['--sizes', '1.5'], '--sizes'), (['--sizes', '0'], '--sizes'), (['--sizes', 'x'], '--sizes'), (['--sizes', '1e400'], '--sizes'),
    (['--ops', 'invert', '--dtypes', 'float32'], 'nothing to measure'), (['--csv', '/nowhere/at/all.csv'], 'cannot be written')])
def test_what_is_not_there(arguments, word):
    out = run(*arguments)
    assert out.returncode == 2 and word in out.stderr and 'Traceback' not in out.stderr and out.stdout == ''


def test_plot(tmp_path):
    pytest.importorskip('matplotlib')
    path = tmp_path / 'out.png'
    out = run('--ops', 'add,sum', '--sizes', '10,100', '--seconds', '0.1', '--plot', str(path))
    assert out.returncode == 0, out.stderr
    assert path.read_bytes()[:4] == b'\x89PNG'


def test_without_optional_packages():
    hide = """import sys
for name in ('tqdm', 'matplotlib', 'scipy'):
    sys.modules[name] = None
import benchmark
sys.exit(benchmark.main({!r}))"""
    code = hide.format(['--ops', 'add', '--sizes', '10', '--seconds', '0.1'])
    out = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, timeout=100, cwd=ROOT)
    assert out.returncode == 0, out.stderr
    code = hide.format(['--ops', 'add', '--sizes', '10', '--plot', 'x.png'])
    out = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, timeout=100, cwd=ROOT)
    assert out.returncode == 2 and 'pip install matplotlib' in out.stderr
    assert not os.path.exists(os.path.join(ROOT, 'x.png'))


class Broken:
    """A module that answers as numpy does, except for what is given."""

    def __init__(self, **functions):
        self.__dict__.update(functions)

    def __getattr__(self, name):
        return getattr(numpy, name)


@pytest.mark.parametrize('add', [lambda a, b: a + b + numpy.float32(1e-3), lambda a, b: (a + b).astype('f8'), lambda a, b: (a + b)[:-1],
                                 lambda a, b: numpy.full_like(a, numpy.nan)])
def test_wrong_answers_are_shown(add):
    case = cases.Case(named('add'), 'float32', 100)
    result = measure.measure(case, libraries.numpy_library(), libraries.Library('broken', Broken(add=add)), 0.01)
    assert result.status == 'WRONG' and result.message
    assert 'WRONG' in report.result_line(result, report.Style(sys.stdout))


def test_errors_are_shown_and_counted(monkeypatch, capsys):
    def add(a, b):
        raise RuntimeError('no kernel\nfor it')
    library = libraries.Library('broken', Broken(add=add))
    monkeypatch.setattr(libraries, 'cupy_library', lambda backend, device: library)
    assert benchmark.main(['--ops', 'add,cos', '--dtypes', 'float32', '--sizes', '10', '--seconds', '0.1']) == 1
    out = capsys.readouterr().out
    assert 'ERROR' in out and 'no kernel' in out and '1 of ' in out


def test_interrupt_keeps_what_was_measured(monkeypatch, capsys, tmp_path):
    calls = []

    def interrupted(*arguments):
        calls.append(1)
        if len(calls) > 1:
            raise KeyboardInterrupt
        return original(*arguments)
    original = measure.measure
    monkeypatch.setattr(measure, 'measure', interrupted)
    path = tmp_path / 'out.csv'
    assert benchmark.main(['--ops', 'add', '--dtypes', 'float32', '--sizes', '10,20,30', '--seconds', '0.1', '--csv', str(path)]) == 130
    out = capsys.readouterr().out
    assert 'interrupted after 1 of 3' in out and 'geometric means' in out and len(path.read_text().splitlines()) == 2


def test_sizes_beyond_memory_are_refused(monkeypatch):
    monkeypatch.setattr(measure, 'available_memory', lambda: 1000)
    library = libraries.numpy_library()
    result = measure.measure(cases.Case(named('add'), 'float32', 10 ** 9), library, library, 0.01)
    assert result.status == 'ERROR' and 'GiB' in result.message


def test_every_op_runs_at_every_dtype_with_numpy():
    reference = libraries.numpy_library()
    for op in OPS:
        for dtype in op.dtypes:
            for size in (1, 37):
                if hasattr(numpy, op.name) or op.family not in ('arithmetic', 'math', 'comparison', 'bitwise'):
                    arrays = op.make(inputs.generator(op.name, dtype, size), dtype, size)
                    found = [a.dtype for a in arrays if isinstance(a, numpy.ndarray)]
                    assert dtype in found or op.family == 'creation'
                    with numpy.errstate(all='ignore'):
                        op.call(reference.module, *arrays)


def test_new_ops_of_the_table_are_measured():
    names = {op.name for op in OPS}
    table = {r['name'] for r in benchmark.op_rows() if r['kind'] == 'ELEMENTWISE' and hasattr(numpy, r['name'])}
    assert table - names == {'real', 'imag'}
    assert [op.name for op in OPS[:3]] == ['add', 'cos', 'matmul']
    assert {op.family for op in OPS} == set(cases.FAMILIES)


def test_check_allows_rounding_only():
    want = numpy.linspace(1, 2, 50, dtype='f4')
    assert measure.difference(want, numpy.nextafter(want, numpy.float32(9)), 8) == ''
    assert measure.difference(want, want * numpy.float32(1.0001), 8) != ''
    spoiled = want.copy()
    spoiled[3] = numpy.nan
    assert measure.difference(want, spoiled, 8) != '' and measure.difference(spoiled, spoiled.copy(), 8) == ''
    assert measure.difference(spoiled, want, 8) != ''
    infinite = want.copy()
    infinite[0] = numpy.inf
    assert measure.difference(infinite, infinite.copy(), 0) == '' and measure.difference(infinite, -infinite, 8) != ''
    assert measure.difference(numpy.arange(3), numpy.array([0, 1, 3]), 8) == '1 of 3 elements differ'


class Clock:
    """Time that passes only when told to."""

    def __init__(self, monkeypatch):
        self.now = 0.0
        monkeypatch.setattr(measure.time, 'perf_counter', lambda: self.now)

    def takes(self, seconds):
        def work():
            self.now += seconds
        return work


def test_times_are_per_call(monkeypatch):
    clock = Clock(monkeypatch)
    first, second = measure.seconds_per_call([(clock.takes(1e-6), lambda: None), (clock.takes(0.02), lambda: None)], 0.1)
    assert first == pytest.approx((1e-6,) * 3) and second == pytest.approx((0.02,) * 3)
    assert clock.now < 0.3  # about the budget, though each is repeated some times


def test_waiting_for_the_device_is_part_of_the_time(monkeypatch):
    clock, queue = Clock(monkeypatch), []

    def synchronize():
        clock.now += 0.001 * len(queue)
        queue.clear()
    (found,) = measure.seconds_per_call([(lambda: queue.append(1), synchronize)], 0.1)
    assert found[0] == pytest.approx(0.001)


@pytest.mark.parametrize('value, text', [(1.5, '1.50 s '), (0.0123, '12.3 ms'), (2.5e-6, '2.50 us'), (3.21e-7, '321 ns')])
def test_times_read_well(value, text):
    assert report.seconds(value) == text


def test_means():
    results = [measure.Result('add', 'arithmetic', 'float32', n, (n,), numpy_seconds=a, cupy_seconds=1.0) for n, a in ((1, 2.0), (10, 8.0))]
    table = report.means(results)
    assert table['all'][1] == (2.0, 1) and table['all']['all'][0] == pytest.approx(4) and table['arithmetic'][10][1] == 1
    assert any('4.00x' in line for line in report.means_lines(results))
    assert report.means_lines([]) == []


def test_where_it_ran_is_told():
    def result(dtype, how):
        return measure.Result('add', 'arithmetic', dtype, 1, (1,), numpy_seconds=1.0, cupy_seconds=2.0, how=how)
    assert report.where_lines([result('float64', ''), result('float64', 'numpy')]) == []
    lines = report.where_lines([result('float32', ''), result('float32', 'plan'), result('float64', 'fallback')])
    assert lines[0].endswith('1 of 3 cases') and any('through copies' in line for line in lines) and 'float64' in lines[-1]
    assert 'through copies' in report.result_line(result('float64', 'fallback'), report.Style(sys.stdout))
    counts = iter([{'fallback': 0}, {'fallback': 2}])
    library = libraries.Library('device', numpy, launches=lambda: next(counts))
    assert measure.measure(cases.Case(named('add'), 'float32', 10), libraries.numpy_library(), library, 0.01).how == 'fallback'


def test_progress_on_a_terminal_only(capsys):
    class Terminal:
        def __init__(self, tty):
            self.tty, self.text = tty, ''

        def isatty(self):
            return self.tty

        def write(self, text):
            self.text += text

        def flush(self):
            pass
    for tty in (True, False):
        stream = Terminal(tty)
        progress = report.Progress(5, stream)
        progress.starts('add')
        progress.print('a line')
        progress.advance()
        progress.close()
        assert bool(stream.text) == tty
    assert capsys.readouterr().out == 'a line\na line\n'
