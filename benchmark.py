#!/usr/bin/env python
"""Compares cupy with NumPy, side by side in one process: `python benchmark.py`.

Each answer is checked against NumPy's before it is timed; a wrong one is shown as WRONG, and the exit code is 1.
Exit codes: 0 all right, 1 a wrong answer or an error, 2 no such backend, device, operation or dtype, 130 interrupted.
"""
import argparse
import difflib
import os
import sys
import time

import numpy

from benchmarks import cases, inputs, libraries, measure, report

DEFAULT_SECONDS, QUICK_SECONDS = 80, 9


class Usage(Exception):
    """A choice that names nothing; the text is for the user."""


def arguments(argv):
    parser = argparse.ArgumentParser(description='Compares cupy with NumPy, operation by operation.', epilog=(
        'examples:  %(prog)s --quick     %(prog)s --ops add,cos,matmul --dtypes float16,float32 --sizes 1e3,1e6'
        '     %(prog)s --ops linalg,fft --json out.json'))
    parser.add_argument('--backend', metavar='NAME', help='auto, host, or another backend (default: $CUPY_XPU_BACKEND, or auto)')
    parser.add_argument('--device', type=int, default=0, metavar='N', help='number of the device (default: 0)')
    parser.add_argument('--ops', metavar='LIST', help="names, families or patterns such as 'log*', with commas; see --list")
    parser.add_argument('--dtypes', metavar='LIST', help='such as float16,float32,int8; or all')
    parser.add_argument('--sizes', metavar='LIST', help='numbers of elements, such as 1,1000,1e6')
    parser.add_argument('--quick', action='store_true', help='a choice of operations, in about 15 seconds')
    parser.add_argument('--seconds', type=float, metavar='T',
                        help=f'time to measure for (default: {DEFAULT_SECONDS}, with --quick {QUICK_SECONDS})')
    parser.add_argument('--csv', metavar='FILE', help='write a row per case')
    parser.add_argument('--json', metavar='FILE', help='write all figures, and what they were measured on')
    parser.add_argument('--plot', metavar='FILE.png', help='draw the speedups (needs matplotlib)')
    parser.add_argument('--list', action='store_true', help='list operations, families and dtypes')
    return parser.parse_args(argv)


def parse_sizes(text):
    """Sizes of a list such as '1,1000,1e6'."""
    try:
        sizes = [float(word) for word in text.split(',') if word.strip()]
    except ValueError:
        sizes = []
    if not sizes or any(not 1 <= s <= 2 ** 31 or s != int(s) for s in sizes):
        raise Usage(f"--sizes '{text}': give whole numbers from 1 to 2^31, such as 1,1000,1e6")
    return [int(s) for s in sizes]


def parse_dtypes(text):
    """Names of dtypes of a list; NumPy's short names are understood."""
    if text == 'all':
        return list(inputs.ALL)
    names = []
    for word in filter(None, (w.strip() for w in text.split(','))):
        try:
            name = numpy.dtype(word).name
        except TypeError:
            name = ''
        if name not in inputs.ALL:
            raise Usage(f"--dtypes: '{word}' is none of {', '.join(inputs.ALL)}")
        names.append(name)
    return names


def choose_ops(ops, text):
    patterns = [p.strip() for p in text.split(',') if p.strip()]
    try:
        return cases.choose(ops, patterns), patterns
    except LookupError as error:
        pattern = error.args[0]
        close = difflib.get_close_matches(pattern, [op.name for op in ops] + list(cases.FAMILIES))
        hint = f"did you mean {' or '.join(close)}?" if close else 'see --list'
        raise Usage(f"--ops: '{pattern}' names no operation or family; {hint}") from None


def op_rows():
    """The rows of the op table."""
    try:
        from cupy_backends.backend import _runtime
    except ImportError as error:
        raise libraries.NoDevice(f'cupy is not built here ({error}).\nBuild it first: pip install -e .') from error
    return _runtime.ops()


def list_ops(ops):
    print('Families (as --ops), with the operations of each:\n')
    for family, text in cases.FAMILIES.items():
        print(f'{family}  ({text})')
        for op in ops:
            if op.family == family:
                print(f'    {op.name:18}{" ".join(op.dtypes)}')
    print('\nDtypes: ' + ' '.join(inputs.ALL))


def run(chosen, reference, library, budget, progress, style):
    """Measures cases one by one and prints a line for each; the time left is shared among those to come.

    Returns:
        (list of results, whether all cases were measured: Ctrl-C ends the list early)
    """
    results, group = [], None
    end = time.perf_counter() + budget
    for i, case in enumerate(chosen):
        if (case.op.name in cases.LEADING, case.op.family) != group:
            group = (case.op.name in cases.LEADING, case.op.family)
            progress.print('')
        progress.starts(f'{case.op.name} {case.dtype} {case.size:,}')
        share = max((end - time.perf_counter()) / (len(chosen) - i), 0.005)
        try:
            results.append(measure.measure(case, reference, library, share))
        except KeyboardInterrupt:
            return results, False
        progress.print(report.result_line(results[-1], style))
        progress.advance()
    return results, True


def plan(options, ops):
    """The cases that the options ask for. Raises Usage if there are none."""
    named = ()
    if options.ops:
        ops, named = choose_ops(ops, options.ops)
    elif options.quick:
        ops = [op for op in ops if op.quick]
    dtypes = parse_dtypes(options.dtypes) if options.dtypes else None
    sizes = parse_sizes(options.sizes) if options.sizes else None
    chosen = cases.plan(ops, dtypes, sizes, options.quick, named)
    if not chosen:
        raise Usage('nothing to measure: no chosen operation has these dtypes and sizes; see --list')
    return chosen


def save(options, header, results, transfers):
    """Writes the files that were asked for."""
    if options.csv:
        report.write_csv(options.csv, results + transfers)
    if options.json:
        report.write_json(options.json, header, results, transfers)
    if options.plot:
        from benchmarks import plot
        plot.write_plot(options.plot, header, results)


def check_outputs(options):
    """Finds out before the long part whether the files can be written. Raises Usage."""
    if options.plot:
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            raise Usage("--plot needs matplotlib: pip install matplotlib") from None
    for path in filter(None, (options.csv, options.json, options.plot)):
        try:
            open(path, 'a').close()
        except OSError as error:
            raise Usage(f'{path} cannot be written: {error.strerror}') from None


def compare(options, library=None):
    """Runs the comparison. Returns the exit code."""
    style = report.Style(sys.stdout)
    ops = cases.all_ops(op_rows())
    if options.list:
        list_ops(ops)
        return 0
    chosen = plan(options, ops)
    check_outputs(options)
    library = library or libraries.cupy_library(options.backend, options.device)
    header = libraries.describe(library)
    print('\n'.join(f'{word:9}{text}' for word, text in header))
    print(f'{"cases":9}{len(chosen)}; each answer is compared with NumPy\'s first, times are medians\n')
    print(report.line(report.COLUMNS))
    seconds = options.seconds or (QUICK_SECONDS if options.quick else DEFAULT_SECONDS)
    progress = report.Progress(len(chosen))
    try:
        results, complete = run(chosen, libraries.numpy_library(), library, seconds, progress, style)
        transfers = measure.measure_transfers(library, sorted({max(c.size, 1000) for c in chosen}), 0.1) if complete else []
    finally:
        progress.close()
    for lines in (report.transfer_lines(transfers, style), report.means_lines(results), report.where_lines(results),
                  report.slow_lines(results)):
        if lines:
            print('\n' + '\n'.join(lines))
    save(options, header, results, transfers)
    bad = [r for r in results + transfers if r.status != 'ok']
    if bad:
        print(style(f'\n{len(bad)} of {len(results) + len(transfers)} cases are WRONG or failed: '
                    + ', '.join(dict.fromkeys(f'{r.op} {r.dtype}' for r in bad)), '31;1'))
    if not complete:
        print(f'\ninterrupted after {len(results)} of {len(chosen)} cases')
    return 1 if bad else 0 if complete else 130


def main(argv=None):
    options = arguments(argv)
    try:
        return compare(options)
    except (Usage, libraries.NoDevice) as error:
        print(f'benchmark.py: {error}', file=sys.stderr)
        return 2
    except BrokenPipeError:  # `| head` has seen enough; nothing more may be written at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        print('\ninterrupted', file=sys.stderr)
        return 130


if __name__ == '__main__':
    sys.exit(main())
