#!/usr/bin/env python
"""Writes what is generated: docs/support.md, docs/trace.md, the list of gaps in TODO.md, and the figures in the READMEs.

    python install/docs.py                         write docs/support.md, docs/trace.md and TODO.md again
    python install/docs.py --check                 exit code 1 if they are stale
    python install/docs.py --benchmark out.json    put the figures of `python benchmark.py --json out.json` into the READMEs
"""
import argparse
import json
import os
import sys
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
for path in (ROOT, os.path.join(ROOT, 'install')):
    if path not in sys.path:
        sys.path.insert(0, path)

import ascend_table  # noqa: E402
import trace_counts  # noqa: E402

# As columns: type character, heading.
COLUMNS = (('?', 'bool'), ('b', 'i1'), ('h', 'i2'), ('i', 'i4'), ('l', 'i8'), ('B', 'u1'), ('H', 'u2'), ('I', 'u4'), ('L', 'u8'),
           ('e', 'f2'), ('f', 'f4'), ('d', 'f8'), ('F', 'c8'), ('D', 'c16'))
METHODS = ('reduce', 'accumulate', 'reduceat', 'at', 'outer')
README_KEYS = ('add', 'multiply', 'exp', 'cos', 'sum', 'std', 'cumsum', 'copy_transposed', 'take', 'mask', 'where', 'sort', 'argsort',
               'matmul', 'solve', 'fft', 'chain', 'stencil')


def read(path):
    with open(os.path.join(ROOT, path), encoding='utf-8') as f:
        return f.read()


def between(text, word, content):
    """A text with what stands between the markers of a word replaced. Raises ValueError without the markers."""
    start, end = f'<!-- generated: {word} -->', f'<!-- end: {word} -->'
    if start not in text or end not in text:
        raise ValueError(f'no markers {start} ... {end}')
    head, rest = text.split(start, 1)
    return f'{head}{start}\n{content.strip()}\n{end}{rest.split(end, 1)[1]}'


# ---- docs/support.md ----------------------------------------------------------------------------------------------------------------

def inputs_of(row):
    return [text.split('->')[0] for text in row['loops'].split()]


def cell(row, char):
    """How an op takes a dtype: with a loop of that dtype, cast to the loop of another, or not at all."""
    import numpy
    loops = inputs_of(row)
    position = -1 if row['name'] in ('where',) else 0
    if any(chars[position] == char for chars in loops):
        return '✓'
    casts = any(numpy.can_cast(char, chars[position], 'safe') for chars in loops)
    return '→' if casts and row['kind'] in ('ELEMENTWISE', 'GUFUNC') else '-'


def methods_of(row):
    """The ufunc methods of an op."""
    if row['kind'] != 'ELEMENTWISE' or row['name'] in ('where', 'clip', 'real', 'imag'):
        return 'function'
    if row['nin'] != 2:
        return 'call, at' if row['nout'] == 1 else 'call'
    if row['nout'] != 1:
        return 'call, outer'
    return 'call, ' + ', '.join(METHODS)


def op_table(rows):
    lines = ['| op | methods | ' + ' | '.join(title for _, title in COLUMNS) + ' |', '|---|---|' + '---|' * len(COLUMNS)]
    for row in rows:
        cells = [cell(row, char) for char, _ in COLUMNS]
        lines.append(f'| {row["name"]} | {methods_of(row)} | ' + ' | '.join(cells) + ' |')
    return lines


def wrapped(names):
    return textwrap.wrap(' '.join(sorted(names)), 138, break_long_words=False, break_on_hyphens=False)


def host_call_lines():
    """The functions that NumPy computes, by module and reason."""
    from cupy import _host_call
    groups = {}
    for name, reason in _host_call.remaining().items():
        module, _, short = name.rpartition('.')
        groups.setdefault((module, reason), []).append(short)
    lines = []
    for (module, reason), names in sorted(groups.items()):
        lines += ['', f'**cupy{"." + module if module else ""}**: {reason}', '', '```', *wrapped(names), '```']
    return lines


def composed_lines():
    """The functions of cupy that are written in terms of ops."""
    import numpy
    import cupy
    from cupy import _host_call
    host = set(_host_call.remaining())
    names = [n for n in dir(cupy) if not n.startswith('_') and n not in host and hasattr(numpy, n) and callable(getattr(cupy, n))
             and not isinstance(getattr(cupy, n), (type, cupy.ufunc))]
    return ['```', *wrapped(names), '```']


MARKS = {ascend_table.NATIVE: 'N', ascend_table.COMPOSED: 'C', ascend_table.SLOW: 'S', ascend_table.FALLBACK: 'F'}
KINDS_OF_TABLES = (('CALL', 'Operations'), ('REDUCE', 'ufunc.reduce'), ('ACCUMULATE', 'ufunc.accumulate'))


def ascend_figures(table):
    """How many loops of which method run where."""
    lines = ['| | ' + ' | '.join(ascend_table.STATES) + ' |', '|---|' + '---|' * len(ascend_table.STATES)]
    for method, title in KINDS_OF_TABLES:
        counts = table.counts(method)
        lines.append(f'| {title} | ' + ' | '.join(str(counts[state]) for state in ascend_table.STATES) + ' |')
    return lines


def ascend_op_table(table, method):
    """Op x dtype; ops of which every loop falls back are named below it."""
    lines = ['| op | ' + ' | '.join(title for _, title in COLUMNS) + ' |', '|---|' + '---|' * len(COLUMNS)]
    without = []
    for op in table.ops:
        if not table.has(op, method):
            continue
        if all(table.state(op, method, char) == ascend_table.FALLBACK for char in table.loops(op)):
            without.append(op)
            continue
        cells = [table.cell(op, method, char) for char, _ in COLUMNS]
        lines.append(f'| {op} | ' + ' | '.join('-' if c is None else '→' * c[1] + MARKS[c[0]] for c in cells) + ' |')
    return lines + ['', f'Fallback in all dtypes: {", ".join(without)}.'] if without else lines


ASCEND_TEXT = """## On Ascend 910B

Generated from `cupy_backends/ascend/rows.def`, from which the backend answers too. In the column of a dtype:

- **N** native: one operator of CANN on AI Core. **C** composed: several operators on AI Core, where one alone would not answer as NumPy
  does, or has no such dtype.
- **S** slow: exact, on the AI CPU. **F** fallback: computed on the host through copies, counted in `cupy.xpu.fallbacks()`.
- **→** the operands are cast first, as NumPy does; the letter is that of the dtype it computes in. **-** NumPy refuses the dtype.

The vector and matrix units have no float64: `f8` and `c16` are exact and slow, or fall back. The methods `reduceat` and `at` fall back.
The tables were checked on the emulator, never on hardware.
"""


def ascend_lines(table):
    """The part of docs/support.md about the 910B."""
    lines = ASCEND_TEXT.splitlines() + ['']
    for method, title in KINDS_OF_TABLES:
        lines += [f'### {title}', '', *ascend_op_table(table, method), '']
    return lines


def support():
    """The text of docs/support.md."""
    from cupy_backends.backend import _runtime
    rows = _runtime.ops()
    table = ascend_table.Table(rows)
    kinds = {'ELEMENTWISE': 'Elementwise', 'GUFUNC': 'Products', 'MOVE': 'Copies and filling', 'INDEX': 'Indexing',
             'DYNAMIC': 'Results whose size depends on values', 'SORT': 'Sorting', 'FFT': 'Fourier transforms',
             'ARGREDUCE': 'Positions and counts'}
    lines = ['# What runs where', '', '<!-- Generated by install/docs.py from the tables. Do not edit. -->', '',
             'On Ascend 910B, loops (an op in a dtype) by where they run; the tables are below:', '', *ascend_figures(table), '',
             'Every function of the package is of one of three kinds:', '',
             '- **native**: an op of the table below, for which the backend has a kernel. In a dtype\'s column, ✓ means a loop of just',
             '  that dtype, → that operands are cast to the next dtype that holds them, as NumPy does, - that NumPy refuses the dtype too.',
             '- **composed**: written as several ops, on whatever backend.',
             '- **host_call**: NumPy computes it on the host. On the host backend this costs about what NumPy costs; on a device',
             '  the arrays are copied to the host and back, which is counted in `cupy.xpu.fallbacks()`.', '',
             'The host backend has all native loops, listed first.', '']
    for kind, title in kinds.items():
        lines += [f'## {title}', '', *op_table([r for r in rows if r['kind'] == kind]), '']
    lines += ascend_lines(table)
    lines += ['## Composed functions', '', *composed_lines(), '', '## Functions by host_call', *host_call_lines()]
    return '\n'.join(lines) + '\n'


# ---- TODO.md ------------------------------------------------------------------------------------------------------------------------

def known_gaps():
    """Lines of tests/known_gaps.txt, without comments."""
    path = os.path.join(ROOT, 'tests', 'known_gaps.txt')
    if not os.path.exists(path):
        return []
    return [line.strip() for line in open(path, encoding='utf-8') if line.strip() and not line.startswith('#')]


def ascend_gaps():
    """Lines: the loops that fall back on a 910B."""
    from cupy_backends.backend import _runtime
    table = ascend_table.Table(_runtime.ops())
    names = dict(COLUMNS)
    lines = []
    for method, title in KINDS_OF_TABLES:
        counts, found, whole = table.counts(method), {}, []
        for op, char, state in table.entries(method):
            if state == ascend_table.FALLBACK:
                found.setdefault(op, []).append(names[char])
        lines += [f'Ascend 910B, {title}: {counts[ascend_table.FALLBACK]} loops computed on the host (and {counts[ascend_table.SLOW]} '
                  'on the slow AI CPU)', '']
        for op, chars in found.items():
            if len(chars) == len(table.loops(op)):
                whole.append(op)
            else:
                lines.append(f'- {op}: {" ".join(chars)}')
        lines += textwrap.wrap('- all dtypes of: ' + ' '.join(sorted(whole)), 138, subsequent_indent='  ') + ['']
    return lines


def todo():
    """The text of TODO.md, its list of gaps made anew."""
    from cupy import _host_call
    gaps = known_gaps()
    counts = {}
    for name in _host_call.remaining():
        module = name.rpartition('.')[0]
        counts[module] = counts.get(module, 0) + 1
    lines = [f'Known differences from NumPy (tests/known_gaps.txt): {len(gaps)}', '']
    lines += [f'- {gap}' for gap in gaps] + ([''] if gaps else [])
    lines += [f'Functions that NumPy still computes (host_call, listed in docs/support.md): {sum(counts.values())}', '']
    lines += [f'- cupy{"." + module if module else ""}: {n}' for module, n in sorted(counts.items())]
    lines += ['', *ascend_gaps()]
    return between(read('TODO.md'), 'gaps', '\n'.join(lines))


# ---- the figures of the READMEs -----------------------------------------------------------------------------------------------------

def benchmark_lines(path, words):
    """Lines of a table from the JSON of a run; words: headings of operation, elements and 'all cases'."""
    from benchmarks import report
    with open(path) as f:
        run = json.load(f)
    header = dict(run['header'])
    sizes = [s for s in run['geometric_means']['all'] if s != 'all']
    title = words['size']
    lines = [f'{header["machine"]}; NumPy {header["numpy"]}', '',
             f'| {words["op"]} | ' + ' | '.join(f'{title} {int(s):,}' for s in sizes) + ' |', '|---|' + '---|' * len(sizes)]
    found = {}
    for case in run['cases']:
        if case['status'] == 'ok' and case['op'] in README_KEYS:
            found.setdefault((README_KEYS.index(case['op']), case['op'], case['dtype']), {})[str(case['size'])] = case['ratio']
    for (_, op, dtype), ratios in sorted(found.items()):
        lines.append(f'| {op} {dtype} | ' + ' | '.join(f'{report.digits(ratios[s])}x' if s in ratios else '' for s in sizes) + ' |')
    mean = run['geometric_means']['all']
    count = mean['all']['cases']
    lines.append(f'| **{words["mean"].format(count=count)}** | '
                 + ' | '.join(f'**{report.digits(mean[s]["speedup"])}x**' for s in sizes) + ' |')
    return lines


def write_benchmark(path):
    languages = {'README.md': {'op': 'operation', 'size': 'n =', 'mean': 'geometric mean of all {count} cases'},
                 'README.zh-CN.md': {'op': '运算', 'size': 'n =', 'mean': '全部 {count} 项的几何平均'}}
    for name, words in languages.items():
        write(name, between(read(name), 'benchmark', '\n'.join(benchmark_lines(path, words))))


def write(path, text):
    with open(os.path.join(ROOT, path), 'w', encoding='utf-8') as f:
        f.write(text)


def generated():
    """{path: text as it should be} of all that the tables generate."""
    return {os.path.join('docs', 'support.md'): support(), os.path.join('docs', 'trace.md'): trace_counts.document(), 'TODO.md': todo()}


def stale():
    """Paths whose text is not what the tables generate."""
    return [path for path, text in generated().items() if not os.path.exists(os.path.join(ROOT, path)) or read(path) != text]


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--check', action='store_true', help='only say whether the files are stale')
    parser.add_argument('--benchmark', metavar='JSON', help='a file of benchmark.py --json, for the READMEs')
    options = parser.parse_args(argv)
    if options.benchmark:
        write_benchmark(options.benchmark)
        return 0
    if options.check:
        old = stale()
        print('stale: ' + ', '.join(old) + ' (python install/docs.py)' if old else 'generated files are up to date')
        return 1 if old else 0
    for path, text in generated().items():
        write(path, text)
        print(f'wrote {path}')
    return 0


if __name__ == '__main__':
    sys.exit(main())
