#!/usr/bin/env python
"""The one command of a developer: `python install/check.py` builds, lints, tests and looks at what is generated.

Each step is a flag; without any, the usual ones run: build, lint, generated, tests. --all runs everything.
The exit code is 1 if a step failed.
"""
import argparse
import ast
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LINE, FUNCTION = 140, 60
FILE_CAPS = {'cupy/_core/core.pyx': 1500}
FILE_CAP = 800
SOURCES = ('.py', '.pyx', '.pxd', '.pxi', '.h', '.cpp', '.c', '.sh')
CROSS = 'aarch64-linux-gnu-g++'


def files(*endings):
    """Files of the project with these endings, from git where there is one; nothing generated."""
    listed = subprocess.run(['git', 'ls-files', '-co', '--exclude-standard'], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode == 0:
        found = listed.stdout.splitlines()
    else:
        found = [os.path.relpath(os.path.join(d, f), ROOT) for d, _, names in os.walk(ROOT) for f in names
                 if not re.search(r'/(build|dist|\.git|__pycache__|[^/]*\.egg-info)(/|$)', d)]
    pyx = {f[:-4] for f in found if f.endswith('.pyx')}
    return sorted(f for f in found if f.endswith(endings) and not (f.endswith(('.c', '.cpp')) and os.path.splitext(f)[0] in pyx)
                  and os.path.exists(os.path.join(ROOT, f)))


def read(path):
    with open(os.path.join(ROOT, path), encoding='utf-8') as f:
        return f.read()


def run(*command, **options):
    """Runs a command in the project's folder with its output shown. Returns whether it succeeded."""
    print('$ ' + ' '.join(command), flush=True)
    return subprocess.run(command, cwd=options.pop('cwd', ROOT), **options).returncode == 0


# ---- steps: each returns a list of complaints ---------------------------------------------------------------------------------------

def build(_):
    """Build the extension modules in place."""
    return [] if run(sys.executable, 'setup.py', '-q', 'build_ext', '--inplace') else ['the build failed']


def _belongs(line, indent):
    """Whether a line belongs to a function whose first line has that indent."""
    text = line.lstrip()
    return not text or len(line) - len(text) > indent or text[0] in ')#'


def function_lengths(path, text):
    """(line number, name, number of lines) of the functions of a Python or Cython file."""
    if path.endswith('.py'):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield node.lineno, node.name, node.end_lineno - node.lineno + 1
        return
    lines = text.splitlines()
    start = re.compile(r'^(\s*)(?:cpdef|cdef|def)\b[^=]*?(\w+)\s*\(.*$')
    for i, line in enumerate(lines):
        match = start.match(line)
        if not match or line.rstrip().endswith(')') and not line.rstrip().endswith(':'):
            continue
        indent, end = len(match.group(1)), i + 1
        while end < len(lines) and _belongs(lines[end], indent):
            end += 1
        while end > i + 1 and not lines[end - 1].strip():
            end -= 1
        yield i + 1, match.group(2), end - i


def complaints_of(path):
    """What is wrong with the looks of a source file."""
    text = read(path)
    found = []
    lines = text.splitlines()
    cap = FILE_CAPS.get(path, FILE_CAP)
    if len(lines) > cap:
        found.append(f'{path}: {len(lines)} lines, the cap is {cap}')
    if text and not text.endswith('\n'):
        found.append(f'{path}: no newline at its end')
    for i, line in enumerate(lines, 1):
        if len(line) > LINE:
            found.append(f'{path}:{i}: {len(line)} characters, the cap is {LINE}')
        if line != line.rstrip():
            found.append(f'{path}:{i}: blanks at the end of the line')
        if '\t' in line:
            found.append(f'{path}:{i}: a tab')
    return found


def lint(_):
    """Look at line lengths, file sizes, blanks and syntax; ruff, where it is installed."""
    found = [text for path in files(*SOURCES) for text in complaints_of(path)]
    for path in files('.py'):
        try:
            compile(read(path), path, 'exec')
        except SyntaxError as error:
            found.append(f'{path}:{error.lineno}: {error.msg}')
    if subprocess.run([sys.executable, '-m', 'ruff', '--version'], capture_output=True).returncode == 0:
        ruff = [sys.executable, '-m', 'ruff']
    elif shutil.which('ruff'):
        ruff = ['ruff']
    else:
        print('ruff is not installed (pip install ruff): only the built-in checks ran')
        return found
    if not run(*ruff, 'check', '--quiet', '--output-format', 'concise', '--select', 'E,F,W', '--ignore', 'E501,E731,E741', '.'):
        found.append('ruff has complaints')
    return found


def long_functions(_):
    """List functions of more than about 60 lines (no failure)."""
    for path in files('.py', '.pyx'):
        if not path.startswith('tests/'):
            for line, name, length in function_lengths(path, read(path)):
                if length > FUNCTION:
                    print(f'{path}:{line}: {name} has {length} lines')
    return []


def tests(extra):
    """Run the tests."""
    return [] if run(sys.executable, '-m', 'pytest', *extra) else ['tests failed']


def generated(_):
    """See whether what is generated from the tables is up to date."""
    good = run(sys.executable, os.path.join('install', 'docs.py'), '--check')
    return [] if good else ['generated files are stale: python install/docs.py']


def host_calls(_):
    """List the functions that NumPy computes, with reasons (no failure)."""
    code = 'from cupy import _host_call\nfor n, r in _host_call.remaining().items(): print(f"{n:40}{r}")'
    return [] if run(sys.executable, '-c', code) else ['the table of host_call cannot be read']


def setup_macros():
    """The macros that setup.py gives the compiler."""
    for node in ast.parse(read('setup.py')).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == 'MACROS':
            return [f'-D{name}={value}' for name, value in ast.literal_eval(node.value)]
    return []


def cross(_):
    """Compile every C++ file for AArch64, where that compiler is installed."""
    if not shutil.which(CROSS):
        print(f'{CROSS} is not installed (package g++-aarch64-linux-gnu): skipped')
        return []
    import numpy
    include = [f'-I{d}' for d in ('cupy_backends/backend', numpy.get_include(), sysconfig.get_paths()['include'])]

    def one(path):
        command = [CROSS, '-std=c++17', '-O1', '-fPIC', '-Wall', '-Wno-unused-function', '-Wno-trigraphs', *setup_macros(), *include,
                   '-c', path, '-o', os.devnull]
        return path, subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    found = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, answer in pool.map(one, [f for f in files('.cpp') if f.startswith('cupy_backends/')]):
            print(f'{"ok    " if answer.returncode == 0 else "FAILED"} {path}')
            if answer.returncode:
                found.append(f'{path} does not compile for AArch64:\n{answer.stderr[:2000]}')
    return found


def wheel(_):
    """Build a wheel, install it in a fresh environment and use it there."""
    with tempfile.TemporaryDirectory() as folder:
        if not run(sys.executable, '-m', 'pip', 'wheel', '-q', '--no-deps', '-w', folder, '.'):
            return ['the wheel cannot be built']
        (made,) = [os.path.join(folder, f) for f in os.listdir(folder)]
        python = os.path.join(folder, 'env', 'bin', 'python')
        code = 'import cupy; a = cupy.arange(5); print(cupy.__version__, a + a)'
        good = (run(sys.executable, '-m', 'venv', os.path.join(folder, 'env')) and run(python, '-m', 'pip', 'install', '-q', made)
                and run(python, '-c', code, cwd=folder))
    return [] if good else ['the wheel does not work in another environment']


STEPS = {'build': build, 'lint': lint, 'long-functions': long_functions, 'tests': tests, 'generated': generated, 'host-calls': host_calls,
         'cross': cross, 'wheel': wheel}
QUICK = ('build', 'lint', 'generated', 'tests')


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog='Arguments after -- go to pytest.')
    for name, step in STEPS.items():
        parser.add_argument(f'--{name}', action='store_true', help=step.__doc__)
    parser.add_argument('--all', action='store_true', help='all of these')
    argv = sys.argv[1:] if argv is None else argv
    split = argv.index('--') if '--' in argv else len(argv)
    options = parser.parse_args(argv[:split])
    chosen = [n for n in STEPS if options.all or getattr(options, n.replace('-', '_'))] or list(QUICK)
    found = []
    for name in chosen:
        print(f'== {name}', flush=True)
        start = time.perf_counter()
        complaints = STEPS[name](argv[split + 1:])
        for text in complaints:
            print(text)
        print(f'-- {name}: {"FAILED" if complaints else "ok"}, {time.perf_counter() - start:.0f} s', flush=True)
        found += complaints
    print(f'\n{len(found)} complaints' if found else '\nall is well')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
