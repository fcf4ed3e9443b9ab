"""How results are shown: lines of a table, means, files."""
import csv
import json
import math
import os
import sys

from benchmarks import cases
from benchmarks.measure import WAYS

OWN = ('', 'native')

COLUMNS = ('operation', 'dtype', 'shape', 'NumPy', 'cupy', 'speedup', 'rate', '')
WIDTHS = (17, 10, 16, 10, 10, 8, 14)  # what comes last has the rest of the line
FIELDS = ('op', 'family', 'dtype', 'size', 'shape', 'status', 'message', 'numpy_seconds', 'cupy_seconds', 'ratio', 'rate', 'unit', 'how')


def seconds(value):
    """A time with three digits and the fitting unit."""
    for unit, scale in (('s ', 1), ('ms', 1e-3), ('us', 1e-6)):
        if value >= scale:
            return f'{digits(value / scale)} {unit}'
    return f'{digits(value * 1e9)} ns'


def digits(value):
    """Three significant digits, no exponent."""
    if not math.isfinite(value):
        return '-'
    if value >= 100:
        return f'{value:.0f}'
    if value >= 10:
        return f'{value:.1f}'
    return f'{value:.2f}' if value >= 0.1 or value == 0 else f'{value:.2g}'


def shape(value):
    return ' x '.join(f'{n:,}' for n in value) if value else '()'


def rate(result):
    """Operations or bytes per second, where one call moves enough for that to mean something."""
    if result.family == 'call' or result.work < 1000:
        return ''
    return f'{digits(result.rate)} {result.unit}'


def line(cells):
    """Cells aligned in columns: names to the left, figures to the right."""
    text = ''.join(f'{c:<{w}}' if i < 2 else f'{c:>{w}}' for i, (c, w) in enumerate(zip(cells, WIDTHS)))
    return (text + '  ' + cells[-1]).rstrip()


class Style:
    """Colours, on a terminal that wants them."""

    def __init__(self, stream):
        self.on = stream.isatty() and 'NO_COLOR' not in os.environ and os.environ.get('TERM') != 'dumb'

    def __call__(self, text, code):
        return f'\033[{code}m{text}\033[0m' if self.on else text


def result_line(result, style):
    """The line of a result."""
    if result.status != 'ok':
        return style(line((result.op, result.dtype, shape(result.shape), result.status, '', '', '', result.message)), '31;1')
    ratio = f'{digits(result.ratio)}x'
    cells = [result.op, result.dtype, shape(result.shape), seconds(result.numpy_seconds), seconds(result.cupy_seconds), ratio, rate(result),
             WAYS.get(result.how, '')]
    text = line(cells)
    return style(text, '33') if result.ratio < 0.95 else text


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def means(results):
    """{family or 'all': {size or 'all': (geometric mean of ratios, number of cases)}}."""
    good = [r for r in results if r.status == 'ok']
    table = {}
    for family in [*cases.FAMILIES, 'all']:
        mine = [r for r in good if family in (r.family, 'all')]
        if not mine:
            continue
        table[family] = {}
        for size in sorted({r.size for r in mine}) + ['all']:
            ratios = [r.ratio for r in mine if size in (r.size, 'all')]
            table[family][size] = (geometric_mean(ratios), len(ratios))
    return table


def means_lines(results):
    """The table of geometric means: a line per family, a column per size."""
    table = means(results)
    if not table:
        return []
    sizes = list(table['all'])
    lines = ['How many times as fast as NumPy (geometric means):', '']
    lines.append(f'{"":12}' + ''.join(f'{(f"n={s:,}" if s != "all" else "all sizes"):>14}' for s in sizes) + f'{"cases":>8}')
    for family, row in table.items():
        cells = [f'{digits(row[s][0])}x' if s in row else '' for s in sizes]
        lines.append(f'{family:12}' + ''.join(f'{c:>14}' for c in cells) + f'{row["all"][1]:>8}')
    return lines


def where_lines(results):
    """How many cases did not run in kernels of the device alone, float64 apart; nothing where all did, as on the host backend."""
    good = [r for r in results if r.status == 'ok']
    if not any(r.how in ('fallback', 'slow', 'plan') for r in good):
        return []
    lines = [f'Done by kernels of the device: {sum(r.how in OWN for r in good)} of {len(good)} cases']
    lines += [f'  {sum(r.how == way for r in good)} {text}' for way, text in WAYS.items()
              if way not in OWN and any(r.how == way for r in good)]
    wide = [r for r in good if r.dtype in ('float64', 'complex128')]
    if any(r.how in ('fallback', 'slow') for r in wide):
        lines.append(f'float64 and complex128: {sum(r.how in OWN for r in wide)} of {len(wide)} cases by kernels of the device. '
                     'Use float32 where its precision is enough.')
    return lines


def slow_lines(results, count=12):
    """The cases in which cupy is slower than NumPy, the worst first."""
    slow = sorted((r for r in results if r.status == 'ok' and r.ratio < 0.95), key=lambda r: r.ratio)
    if not slow:
        return []
    lines = [f'Slower than NumPy: {len(slow)} of {len(results)} cases' + (', the slowest:' if len(slow) > count else ':')]
    return lines + [f'  {r.op} {r.dtype} {shape(r.shape)}: {digits(r.ratio)}x' + (f' ({WAYS[r.how]})' if r.how else '')
                    for r in slow[:count]]


def transfer_lines(results, style):
    """The table of transfers."""
    if not results:
        return []
    lines = ['Transfers, apart from all times above (beside a copy within host memory by NumPy):', '',
             f'{"":17}{"bytes":>14}{"host copy":>12}{"time":>12}{"rate":>14}']
    for r in results:
        if r.status != 'ok':
            lines.append(style(f'{r.op:17}{r.size * 4:>14,}  {r.status} {r.message}', '31;1'))
            continue
        times = f'{seconds(r.numpy_seconds):>12}{seconds(r.cupy_seconds):>12}'
        lines.append(f'{r.op:17}{int(r.work):>14,}{times}{digits(r.rate) + " GB/s":>14}')
    return lines


def _plain(value):
    """A value that JSON and CSV can hold."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return 'x'.join(map(str, value)) if isinstance(value, tuple) else value


def record(result):
    return {name: _plain(getattr(result, name) if result.status == 'ok' or name not in ('ratio', 'rate') else None) for name in FIELDS}


def write_csv(path, results):
    with open(path, 'w', newline='') as f:
        writer = csv.DictWriter(f, FIELDS)
        writer.writeheader()
        writer.writerows(record(r) for r in results)


def write_json(path, header, results, transfers):
    """Everything of a run: what it ran on, cases, transfers, means."""
    table = {family: {str(size): {'speedup': mean, 'cases': n} for size, (mean, n) in row.items() if n}
             for family, row in means(results).items()}
    document = {'header': [[k, v] for k, v in header], 'cases': [{**record(r), 'quartiles': r.quartiles} for r in results],
                'transfers': [record(r) for r in transfers], 'geometric_means': table}
    with open(path, 'w') as f:
        json.dump(document, f, indent=1)
        f.write('\n')


class Progress:
    """A bar on a terminal (tqdm's, where that is installed); nothing elsewhere. Lines are printed through it."""

    def __init__(self, total, stream=None):
        self.stream = stream or sys.stderr
        self.total, self.done, self.bar = total, 0, None
        self.on = self.stream.isatty() and total > 1
        if self.on:
            try:
                from tqdm import tqdm
                self.bar = tqdm(total=total, file=self.stream, leave=False, bar_format='{percentage:3.0f}% |{bar:30}| {n}/{total} {desc}')
            except ImportError:
                pass

    def _own(self, text):
        self.stream.write('\r\033[K' + text)
        self.stream.flush()

    def starts(self, text):
        """Shows what is being measured."""
        if self.bar is not None:
            self.bar.set_description_str(text)
        elif self.on:
            self._own(f'{self.done}/{self.total} {text}')

    def advance(self):
        self.done += 1
        if self.bar is not None:
            self.bar.update()

    def print(self, text):
        """Prints a line to stdout without disturbing the bar."""
        if self.bar is not None:
            self.bar.clear()
        elif self.on:
            self._own('')
        print(text, flush=True)
        if self.bar is not None:
            self.bar.refresh()

    def close(self):
        if self.bar is not None:
            self.bar.close()
        elif self.on:
            self._own('')
