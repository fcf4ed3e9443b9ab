"""The project's own tools: clean_cpp_so_files.sh, install/check.py, install/docs.py."""
import os
import shutil
import subprocess
import sys

import numpy
import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if not os.path.isdir(os.path.join(ROOT, 'install')):
    pytest.skip('the tests are not in a source tree', allow_module_level=True)
sys.path.insert(0, os.path.join(ROOT, 'install'))
import check  # noqa: E402
import docs  # noqa: E402


def tracked():
    """Files of the project, generated ones excluded."""
    return [f for f in check.files('') if not f.startswith('.git/')]


@pytest.fixture
def tree(tmp_path):
    """A copy of the project's files, with files as builds and tests leave them."""
    for path in tracked():
        os.makedirs(tmp_path / os.path.dirname(path), exist_ok=True)
        shutil.copy(os.path.join(ROOT, path), tmp_path / path)
    return tmp_path


GENERATED = ('build/temp/a.o', 'dist/x.whl', 'cupy/_core/core.c', 'cupy/_core/core.html', 'cupy/_core/_ufunc.cpp', 'cupy/xpu/_device.c',
             'cupy/_core/core.cpython-311-x86_64-linux-gnu.so', 'cupy_backends/host/_host.abi3.so', 'cupy/__pycache__/x.pyc',
             'tests/api/__pycache__/x.pyc', 'numpy_ascend.egg-info/PKG-INFO', '.pytest_cache/x', '.hypothesis/x', 'a b/__pycache__/x y.pyc')


def test_clean_removes_what_is_generated_and_nothing_else(tree):
    kept = sorted(tracked()) + ['env/pyvenv.cfg', 'env/lib/x.so', 'env/lib/__pycache__/y.pyc', '.git/objects/z.so', 'data/values.c']
    for path in (*GENERATED, *kept[-5:]):
        os.makedirs(tree / os.path.dirname(path), exist_ok=True)
        (tree / path).write_text('x')
    subprocess.run(['bash', str(tree / 'clean_cpp_so_files.sh')], check=True, cwd='/')
    left = {os.path.relpath(os.path.join(d, f), tree) for d, _, names in os.walk(tree) for f in names}
    assert left == set(kept)
    subprocess.run(['bash', str(tree / 'clean_cpp_so_files.sh')], check=True)  # a clean tree stays as it is
    assert all((tree / path).exists() for path in kept)


def test_what_git_ignores_is_what_clean_removes():
    patterns = open(os.path.join(ROOT, '.gitignore')).read()
    for word in ('build/', 'dist/', '*.egg-info/', '*.so', '__pycache__/', '.pytest_cache/', '.hypothesis/'):
        assert word in patterns


@pytest.mark.skipif(numpy.__version__ < '2', reason='the tables follow NumPy 2')
def test_generated_files_are_up_to_date():
    assert docs.stale() == [], 'run: python install/docs.py'


def test_markers():
    text = 'a\n<!-- generated: x -->\nold\n<!-- end: x -->\nb\n'
    assert docs.between(text, 'x', 'new\n') == 'a\n<!-- generated: x -->\nnew\n<!-- end: x -->\nb\n'
    assert docs.between(docs.between(text, 'x', 'new'), 'x', 'new') == docs.between(text, 'x', 'new')
    with pytest.raises(ValueError):
        docs.between(text, 'y', 'new')


def test_figures_for_the_readmes(tmp_path):
    path = str(tmp_path / 'out.json')
    subprocess.run([sys.executable, os.path.join(ROOT, 'benchmark.py'), '--ops', 'add', '--dtypes', 'float32', '--sizes', '10,100',
                    '--seconds', '0.1', '--json', path], check=True, capture_output=True, timeout=100)
    lines = docs.benchmark_lines(path, {'op': 'operation', 'size': 'n =', 'mean': 'mean of {count} cases'})
    assert lines[2] == '| operation | n = 10 | n = 100 |' and lines[4].startswith('| add float32 | ') and 'mean of 2 cases' in lines[-1]


def test_readmes_say_the_same():
    """The same sections, commands and variables in both languages."""
    english, chinese = docs.read('README.md'), docs.read('README.zh-CN.md')
    for start in ('#', '    ', '| `'):
        def shape(text):
            lines = [line for line in text.splitlines() if line.startswith(start)]
            return [line.split('|')[1] if start == '| `' else len(line.split()[0]) if start == '#' else line for line in lines]
        assert shape(english) == shape(chinese), start


def test_variables_of_the_readme_exist_and_are_complete():
    import re
    named = set(re.findall(r'`(CUPY_[A-Z0-9_]+)`', docs.read('README.md')))
    used = set()
    for path in check.files('.py', '.pyx', '.cpp', '.h'):
        if path.startswith(('cupy/', 'cupy_backends/backend/', 'cupy_backends/host/', 'cupyx/')) or path == 'setup.py':
            used |= set(re.findall(r'[\'"](CUPY_(?:XPU|HOST|INSTALL|ASCEND)_[A-Z0-9_]+)[\'"]', check.read(path)))
    assert used <= named, f'not in the README: {used - named}'
    every = ''.join(check.read(p) for p in check.files('.py', '.pyx', '.cpp', '.h') if not p.startswith('tests/test_install'))
    assert [n for n in named if n not in every] == []


@pytest.mark.parametrize('text, word', [('x = 1', 'no newline'), ('x = 1 \n', 'blanks'), ('\tx = 1\n', 'tab'),
                                        ('x = ' + '1' * 150 + '\n', 'characters'), ('x = 1\n' * 801, 'lines'), ('x = 1\n', None)])
def test_lint_sees(text, word, tmp_path, monkeypatch):
    (tmp_path / 'a.py').write_text(text)
    monkeypatch.setattr(check, 'ROOT', str(tmp_path))
    found = check.complaints_of('a.py')
    assert any(word in c for c in found) if word else found == []


def test_lengths_of_functions():
    python = 'def f():\n    a\n    b\n\n\nclass C:\n    def g(self):\n        return 1\n'
    assert sorted((n, k) for _, n, k in check.function_lengths('a.py', python)) == [('f', 3), ('g', 2)]
    cython = ('cdef int f(int a) except -1:\n    a\n\n    return b\n\ncdef extern from *:\n    int g(int)\n\n'
              'def h(a,\n      b):\n    return a\n')
    assert [(n, k) for _, n, k in check.function_lengths('a.pyx', cython)] == [('f', 4), ('h', 3)]


def test_check_knows_the_macros_of_setup():
    assert any(m.startswith('-DNPY_TARGET_VERSION=') for m in check.setup_macros())


def test_check_fails_when_a_step_fails(monkeypatch, capsys):
    monkeypatch.setitem(check.STEPS, 'lint', lambda extra: ['a complaint'])
    assert check.main(['--lint']) == 1 and 'a complaint' in capsys.readouterr().out
    monkeypatch.setitem(check.STEPS, 'lint', lambda extra: [])
    assert check.main(['--lint']) == 0
