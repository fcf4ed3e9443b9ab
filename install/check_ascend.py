#!/usr/bin/env python
"""Self-test of the Ascend backend, for people with an NPU: every row of its table in every dtype against NumPy, and the steady loop's time.

    python install/check_ascend.py                          all rows
    python install/check_ascend.py --report report.json     and a file to send (.json, or text)
    CUPY_ASCEND_EMULATOR=1 python install/check_ascend.py   without an NPU: tests the code, tells nothing about hardware

Operations run in a process of their own, so that one which ends it, hangs or loses the device costs only itself.
Exit codes: 0 all as NumPy, 1 a wrong answer or an error, 2 no device.
"""
import argparse
import json
import os
import select
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
for _path in (ROOT, os.path.join(ROOT, 'install')):
    if _path not in sys.path:
        sys.path.insert(0, _path)

import numpy  # noqa: E402

import ascend_table  # noqa: E402
from benchmarks import inputs, libraries  # noqa: E402
from benchmarks.measure import difference  # noqa: E402

# In eps of the dtype, for operators that round; what moves, compares or counts must be equal.
TOLERANCE = {'e': 2, 'f': 16, 'd': 16, 'F': 32, 'D': 32}
ROUNDS = frozenset('add subtract multiply divide remainder fmod floor_divide power float_power reciprocal square sqrt exp exp2 expm1 log '
                   'log2 log10 log1p logaddexp logaddexp2 sin cos tan arcsin arccos arctan arctan2 sinh cosh tanh arcsinh arccosh arctanh '
                   'fft rfft irfft matmul vecdot matvec vecmat absolute cbrt hypot deg2rad rad2deg degrees radians sign'.split())
CORNERS = (0.0, -0.0, 1.0, -1.0, numpy.inf, -numpy.inf, numpy.nan, 0.5, -2.5, 3.0)
SIZE = 960
SECONDS_PER_CASE = 120
BROKEN = ('lost', 'crash', 'timeout')


# ---- cases --------------------------------------------------------------------------------------------------------------------------

def spread(xp, a):
    """The values as every second element of a longer array."""
    wide = numpy.zeros((2 * a.shape[0], *a.shape[1:]), a.dtype)
    wide[::2] = a
    return xp.asarray(wide)[::2]


def _set(xp, a, key, value):
    a = xp.asarray(a).copy()
    a[key] = value
    return a


def _index(a):
    return inputs.generator('index').integers(0, a.shape[0], 40)


def _mask(xp, a):
    return xp.asarray(inputs.generator('mask').random(a.shape) < 0.5)


def _square_of(xp, a):
    return a[:900].reshape(30, 30)


# Calls of ops that are no ufuncs: f(xp, a), with a vector of the op's dtype.
CALLS = {
    'copy': lambda xp, a: xp.ascontiguousarray(a.reshape(-1, 32).T),
    'fill': lambda xp, a: xp.full((7, 30), 3, a.dtype),
    'iota': lambda xp, a: xp.arange(3, 100, 2, dtype=a.dtype),
    'gather': lambda xp, a: xp.take(a, xp.asarray(_index(a))),
    'scatter': lambda xp, a: _set(xp, a, xp.asarray(numpy.arange(0, a.shape[0], 3)), a[:(a.shape[0] + 2) // 3]),
    'mask_get': lambda xp, a: a[_mask(xp, a)],
    'mask_set': lambda xp, a: _set(xp, a, _mask(xp, a), a[0]),
    'nonzero': lambda xp, a: xp.nonzero(a)[0],
    'count_nonzero': lambda xp, a: xp.count_nonzero(a.reshape(30, -1), axis=1),
    'sort': lambda xp, a: xp.sort(a.reshape(30, -1), axis=-1),
    'argsort': lambda xp, a: xp.argsort(a.reshape(30, -1), axis=-1, kind='stable'),
    'argmax': lambda xp, a: xp.argmax(a.reshape(30, -1), axis=1),
    'argmin': lambda xp, a: xp.argmin(a),
    'matmul': lambda xp, a: _square_of(xp, a) @ _square_of(xp, a).T,
    'vecdot': lambda xp, a: xp.vecdot(_square_of(xp, a), _square_of(xp, a)),
    'matvec': lambda xp, a: xp.matvec(_square_of(xp, a), a[:30]),
    'vecmat': lambda xp, a: xp.vecmat(a[:30], _square_of(xp, a)),
    'where': lambda xp, a: xp.where(_mask(xp, a), a, a[:1]),
    'fft': lambda xp, a: xp.fft.fft(a),
    'rfft': lambda xp, a: xp.fft.rfft(a.reshape(30, -1)),
    'irfft': lambda xp, a: xp.fft.irfft(a),
    'clip': lambda xp, a: xp.clip(a, a[3:4], a[5:6]),
    'real': lambda xp, a: a.real.copy(),
    'imag': lambda xp, a: a.imag.copy(),
}
SUMS = frozenset('matmul vecdot matvec vecmat'.split())
WHOLE = SUMS | {'fft', 'rfft', 'irfft'}  # rounded within the largest of the whole answer
# A method and what it is called with: results of sums are whole numbers that every dtype holds, so that they must be exact.
REDUCTIONS = (('rows', {'axis': 1}), ('columns', {'axis': 0}), ('all', {'axis': None}))


def _whole(dtype, shape, name):
    """Small whole numbers: sums and products of them are exact."""
    draw = inputs.generator(name, dtype)
    low = 0 if numpy.dtype(dtype).kind in 'bu' else -1
    return draw.integers(low, 2, shape).astype(dtype)


def _corners(dtype, count):
    """Operands that meet each corner with each other."""
    grid = numpy.meshgrid(*[numpy.array(CORNERS)] * count)
    return [g.ravel().astype(dtype) for g in grid]


class Case:
    """An op, a method and a dtype: `calls()` gives (layout, f(xp)) pairs."""

    def __init__(self, row, method, char, state):
        self.row, self.op, self.method, self.char, self.state = row, row['name'], method, char, state
        self.dtype = numpy.dtype(char)
        self.name = f'{self.op}{"" if method == "CALL" else "." + method.lower()} {self.dtype.name}'

    def tolerance(self, layout):
        return TOLERANCE.get(self.char, 0) if self.op in ROUNDS and self.method == 'CALL' and layout != 'whole' else 0

    def calls(self):
        if self.op in CALLS and self.method == 'CALL':
            return self._functions()
        return self._elementwise() if self.method == 'CALL' else self._methods()

    def _functions(self):
        call = CALLS[self.op]
        a = _whole(self.dtype, SIZE, self.op) if self.op in SUMS else inputs.values(inputs.generator(self.op), self.dtype, SIZE)
        yield 'whole' if self.op in SUMS else 'contiguous', lambda xp: call(xp, xp.asarray(a))
        yield 'strided', lambda xp: call(xp, spread(xp, a))
        if self.op in SUMS:
            b = inputs.values(inputs.generator(self.op, 1), self.dtype, SIZE, 'unit')
            yield 'rounded', lambda xp: call(xp, xp.asarray(b))
        elif self.char in 'efd':
            b = numpy.resize(numpy.array(CORNERS), SIZE).astype(self.dtype)
            yield 'corners', lambda xp: call(xp, xp.asarray(b))

    def _elementwise(self):
        call = self.op
        nin = self.row['nin']
        rng = inputs.generator(self.op, self.char)
        flat = [inputs.values(rng, self.dtype, SIZE, self.row['domain'], i) for i in range(nin)]
        yield 'contiguous', lambda xp: getattr(xp, call)(*map(xp.asarray, flat))
        yield 'strided', lambda xp: getattr(xp, call)(*(spread(xp, a) for a in flat))
        grid = [a.reshape(30, -1) for a in flat]
        yield 'transposed', lambda xp: getattr(xp, call)(*(xp.asarray(a).T for a in grid))
        yield 'reversed', lambda xp: getattr(xp, call)(*(xp.asarray(a)[::-1] for a in grid))
        if nin == 2:
            yield 'broadcast', lambda xp: getattr(xp, call)(xp.asarray(grid[0]), xp.asarray(grid[1][0]))
            scalar = flat[1][0].item()
            yield 'scalar', lambda xp: getattr(xp, call)(xp.asarray(flat[0]), scalar)
        if self.char in 'efd':
            yield 'corners', lambda xp: getattr(xp, call)(*map(xp.asarray, _corners(self.dtype, nin)))

    def _methods(self):
        method = self.method.lower()
        call, one = self.op, self.op in ('multiply', 'logical_and', 'logical_or')
        a = _whole(self.dtype, (40, 30), self.op) if self.op in ('add', 'multiply') else \
            inputs.values(inputs.generator(self.op), self.dtype, (40, 30), 'any')
        if one and self.op == 'multiply':
            a[a == 0] = 1
        for layout, options in REDUCTIONS[:2] if method == 'accumulate' else REDUCTIONS:
            fixed = dict(options, dtype=self.dtype) if self.op in ('add', 'multiply') else options
            yield layout, lambda xp, fixed=fixed: getattr(getattr(xp, call), method)(xp.asarray(a), **fixed)
        yield 'transposed', lambda xp, fixed=fixed: getattr(getattr(xp, call), method)(xp.asarray(a).T, **dict(fixed, axis=0))
        if self.char in 'efd' and self.op in ('maximum', 'minimum', 'logical_and', 'logical_or'):
            b = numpy.resize(numpy.array(CORNERS), (7, 13)).astype(self.dtype)
            yield 'corners', lambda xp: getattr(getattr(xp, call), method)(xp.asarray(b), axis=1)


def all_cases():
    """The cases of all rows in the dtypes that they name."""
    from cupy_backends.backend import _runtime
    table = ascend_table.Table(_runtime.ops())
    found = []
    for method in ascend_table.METHODS:
        for op, char, state in table.entries(method):
            if state != ascend_table.FALLBACK:
                found.append(Case(table.ops[op], method, char, state))
    return found


# ---- the worker: runs cases and writes a line of JSON for each ------------------------------------------------------------------------

def error_in_eps(want, got):
    """The largest error, in eps of the dtype relative to each element; None for what has no eps."""
    if want.dtype.kind not in 'fc' or want.shape != got.shape or want.dtype != got.dtype or not want.size:
        return None
    wide = 'c16' if want.dtype.kind == 'c' else 'f8'
    w, g = want.astype(wide), got.astype(wide)
    with numpy.errstate(all='ignore'):
        error = abs(w - g) / (numpy.maximum(abs(w), numpy.finfo(want.dtype).tiny) * numpy.finfo(want.dtype).eps)
    return float(numpy.max(error, initial=0, where=numpy.isfinite(error)))


def run_case(case, cupy):
    """The record of a case."""
    record = {'name': case.name, 'op': case.op, 'method': case.method, 'dtype': case.dtype.name, 'state': case.state, 'status': 'ok',
              'layouts': {}, 'error_eps': 0.0}
    start = time.perf_counter()
    for layout, call in case.calls():
        text = 'ok'
        try:
            with numpy.errstate(all='ignore'):
                wants = call(numpy)
            gots = call(cupy)
            pairs = zip(wants, gots) if isinstance(wants, tuple) else [(wants, gots)]
            for want, got in [(numpy.asarray(w), cupy.asnumpy(g)) for w, g in pairs]:
                if layout in ('contiguous', 'rounded'):
                    record['error_eps'] = max(record['error_eps'], error_in_eps(want, got) or 0.0)
                text = difference(want, got, case.tolerance(layout), case.op in WHOLE) or text
            record['status'] = record['status'] if text == 'ok' else 'WRONG'
        except Exception as error:  # part of the report; the other rows go on
            text = f'{type(error).__name__}: {error}'
            record['status'] = 'lost' if 'lost' in str(error) else 'ERROR'
        record['layouts'][layout] = text
        if record['status'] == 'lost':
            break
    record['seconds'] = time.perf_counter() - start
    return record


def steady_loop(cupy, size, rounds):
    """Times of `c = a + b` in float32: of the call, and between events on the device; and what the executor cache did."""
    from cupy_backends.ascend import _ascend
    a, b = cupy.ones(size, 'float32'), cupy.ones(size, 'float32')
    for _ in range(20):
        c = a + b
    cupy.cuda.get_current_stream().synchronize()
    before = _ascend.cache_statistics()
    first, last = cupy.cuda.Event(), cupy.cuda.Event()
    first.record()
    start = time.perf_counter()
    for _ in range(rounds):
        c = a + b
    host = (time.perf_counter() - start) / rounds
    last.record()
    last.synchronize()
    device = cupy.cuda.get_elapsed_time(first, last) * 1e-3 / rounds
    after = _ascend.cache_statistics()
    right = bool((c.get() == 2).all())
    return {'name': f'c = a + b, {size:,} elements', 'status': 'ok' if right else 'WRONG', 'host_us': host * 1e6, 'device_us': device * 1e6,
            'cache_misses': after['misses'] - before['misses'], 'gigabytes_per_second': 12 * size / device / 1e9 if device else None}


def header(cupy, device):
    """What a reader of the report needs to know of the machine."""
    from cupy_backends.ascend import _ascend
    found = _ascend.information()
    properties = cupy.cuda.runtime.getDeviceProperties(device)
    return {'backend': cupy.xpu.backend_name(), 'emulated': bool(found['emulated']), 'device': properties['name'].decode(),
            'soc': properties['architecture'], 'cores': properties['multiProcessorCount'], 'memory': properties['totalGlobalMem'],
            'devices': cupy.cuda.runtime.getDeviceCount(), 'acl': '.'.join(map(str, found['acl_version'])),
            'cann': libraries.cann_version(), 'missing_operators': found['missing'], 'cupy': cupy.__version__, 'numpy': numpy.__version__,
            'python': sys.version.split()[0], 'machine': os.uname().machine, 'system': f'{os.uname().sysname} {os.uname().release}'}


def worker(options):
    """Runs the cases from a number on."""
    lines = os.fdopen(os.dup(1), 'w', buffering=1)
    os.dup2(2, 1)  # libraries that print must not disturb the lines
    import cupy
    cupy.cuda.Device(options.device).use()
    lines.write(json.dumps({'header': header(cupy, options.device)}) + '\n')
    chosen = choose(options)
    for number in range(options.worker, len(chosen)):
        lines.write(json.dumps({'starts': number}) + '\n')
        record = run_case(chosen[number], cupy)
        lines.write(json.dumps({'record': record}) + '\n')
        if record['status'] == 'lost':
            return
    for size in (1000, 1_000_000):
        lines.write(json.dumps({'loop': steady_loop(cupy, size, options.rounds)}) + '\n')
    lines.write(json.dumps({'end': True}) + '\n')


# ---- the parent ---------------------------------------------------------------------------------------------------------------------

def choose(options):
    wanted = set(filter(None, (options.ops or '').split(',')))
    dtypes = {numpy.dtype(d).char for d in filter(None, (options.dtypes or '').split(','))}
    return [c for c in all_cases() if (not wanted or c.op in wanted) and (not dtypes or c.char in dtypes)]


class Run:
    """Starts workers until all cases are done, and collects what they say."""

    def __init__(self, options, cases):
        self.options, self.cases = options, cases
        self.header, self.records, self.loops, self.current, self.ended, self.problem = None, [], [], 0, False, ''

    def handle(self, message):
        if 'header' in message:
            self.header = self.header or message['header']
        elif 'starts' in message:
            self.current = message['starts']
        elif 'record' in message:
            self.records.append(message['record'])
            print_record(message['record'])
        elif 'loop' in message:
            self.loops.append(message['loop'])
        elif 'end' in message:
            self.ended = True

    def one_worker(self, start):
        """A worker's life. Returns '' if it ended well, 'timeout', or what it left on stderr."""
        environment = dict(os.environ, CUPY_XPU_BACKEND='ascend', CUPY_XPU_FALLBACK='error')
        command = [sys.executable, '-W', 'ignore', os.path.abspath(__file__), '--worker', str(start), '--device', str(self.options.device),
                   '--ops', self.options.ops or '', '--dtypes', self.options.dtypes or '', '--rounds', str(self.options.rounds)]
        import tempfile
        with tempfile.TemporaryFile() as errors:
            child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, env=environment, cwd=ROOT)
            rest = b''
            while True:
                ready, _, _ = select.select([child.stdout], [], [], self.options.timeout)
                if not ready:
                    child.kill()
                    child.wait()
                    return 'timeout'
                data = os.read(child.stdout.fileno(), 1 << 16)
                if not data:
                    break
                *lines, rest = (rest + data).split(b'\n')
                for line in lines:
                    self.handle(json.loads(line))
            code = child.wait()
            errors.seek(0)
            text = errors.read().decode(errors='replace').strip().splitlines()
            return '' if code == 0 else f'exit code {code}: ' + ' | '.join(text[-3:])

    def all(self):
        start = 0
        while not self.ended and start <= len(self.cases):
            done = len(self.records)
            left = self.one_worker(start)
            if self.header is None:
                self.problem = left or 'the worker ended without a word'
                return
            lost = len(self.records) > done and self.records[-1]['status'] == 'lost'
            if left and not lost and not self.ended and self.current < len(self.cases) and len(self.records) <= self.current:
                case = self.cases[self.current]
                self.records.append({'name': case.name, 'op': case.op, 'method': case.method, 'dtype': case.dtype.name,
                                     'state': case.state, 'status': 'timeout' if left == 'timeout' else 'crash', 'layouts': {'': left}})
                print_record(self.records[-1])
            elif left and not lost and not self.ended:
                self.loops.append({'name': 'steady loop', 'status': 'ERROR', 'text': left})
                return
            start = len(self.records)


def print_record(record):
    print(record_line(record), flush=True)


def record_line(record):
    error = record.get('error_eps')
    text = f'{record["name"]:32}{record["state"]:10}{record["status"]:8}' + (f'{error:8.1f} eps' if error else '')
    texts = {}
    for layout, what in record['layouts'].items():
        if what != 'ok':
            texts.setdefault(what, []).append(layout)
    return '\n'.join([text.rstrip(), *(f'    {", ".join(layouts)}: {what}' for what, layouts in texts.items())])


def loop_line(loop):
    if loop['status'] != 'ok':
        return f'{loop["name"]:32}{loop["status"]} {loop.get("text", "")}'
    return (f'{loop["name"]:32}{loop["host_us"]:.1f} us per call on the host, {loop["device_us"]:.1f} us on the device, '
            f'{loop["cache_misses"]} new executors')


def summary(run):
    """Lines: how many of which state are as NumPy."""
    lines = []
    for state in ascend_table.STATES[:3]:
        mine = [r for r in run.records if r['state'] == state]
        lines.append(f'{state:10}{sum(r["status"] == "ok" for r in mine)} of {len(mine)} rows x dtypes as NumPy')
    return lines


def header_lines(header):
    note = ['EMULATED: these results say nothing about hardware'] if header['emulated'] else []
    return note + [f'{word}: {value}' for word, value in header.items()]


def write_report(path, run):
    if path.endswith('.json'):
        text = json.dumps({'header': run.header, 'summary': summary(run), 'loops': run.loops, 'rows': run.records}, indent=1) + '\n'
    else:
        parts = [header_lines(run.header), summary(run), map(loop_line, run.loops), map(record_line, run.records)]
        text = '\n\n'.join('\n'.join(part) for part in parts) + '\n'
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--device', type=int, default=0)
    parser.add_argument('--ops', metavar='LIST', help='only these ops, with commas')
    parser.add_argument('--dtypes', metavar='LIST', help='only these dtypes')
    parser.add_argument('--rounds', type=int, default=1000, help='of the steady loop (default: 1000)')
    parser.add_argument('--timeout', type=float, default=SECONDS_PER_CASE, help='seconds after which an operation is given up')
    parser.add_argument('--report', metavar='FILE', help='where to write the report; .json, or text otherwise')
    parser.add_argument('--worker', type=int, help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.worker is not None:
        worker(options)
        return 0
    chosen = choose(options)
    if not chosen:
        parser.error('no row has these ops and dtypes')
    run = Run(options, chosen)
    run.all()
    if run.header is None:
        print(f'no Ascend device can be used: {run.problem.split(" | ")[-1]}\nSee: python -m cupy.doctor', file=sys.stderr)
        return 2
    print('\n'.join(['', *header_lines(run.header), '', *map(loop_line, run.loops), '', *summary(run)]))
    if options.report:
        write_report(options.report, run)
    return 0 if all(r['status'] == 'ok' for r in run.records + run.loops) else 1


if __name__ == '__main__':
    sys.exit(main())
