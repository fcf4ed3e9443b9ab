#!/usr/bin/env python
"""Counts what the Ascend backend calls of CANN for one operation in a steady loop, as docs/trace.md lists. Runs on the emulator.

    python install/trace_counts.py            the table
    python install/trace_counts.py --json     the same as JSON
"""
import ctypes
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)

WARM, TIMES = 8, 12
# Columns: heading, names of functions that it counts (a `*` at an end: all that begin or end so).
COLUMNS = (('aclrtMalloc', ('aclrtMalloc*',)), ('aclrtFree', ('aclrtFree',)),
           ('waits', ('aclrtSynchronize*', 'aclrtMemcpy', 'aclrtMemset', 'aclrtMemcpy2d')), ('GetWorkspaceSize', ('*GetWorkspaceSize',)),
           ('host copies', ('host_copy',)), ('copies', ('aclrtMemcpy*',)), ('operators', ()), ('other', ()))
# What is no work: asking for the device of the thread, giving an executor its addresses.
FREE = ('aclrtGetDevice', 'aclSetInputTensorAddr', 'aclSetOutputTensorAddr', 'aclSetDynamicInputTensorAddr', 'asdBlasSetStream',
        'asdBlasSetWorkspace', 'asdFftSetStream', 'asdFftSetWorkspace')
F4 = 'float32'


# ---- what is counted ----------------------------------------------------------------------------------------------------------------

def _vectors(np, *lengths):
    return [np.ones(n, F4) for n in lengths]


def same_operands(np):
    a, b = _vectors(np, 4096, 4096)
    return lambda i: a + b


def fresh_outputs(np):
    a, b = _vectors(np, 4096, 4096)
    kept = []

    def step(i):
        kept.append(a + b)
        if len(kept) > 3:
            kept.pop(0)
    return step


def changing_addresses(np):
    pairs = [_vectors(np, 4096, 4096) for _ in range(5)]
    return lambda i: pairs[i % 5][0] + pairs[(i + 1) % 5][1]


def three_shapes(np):
    pairs = [(np.ones(shape, F4), np.ones(shape, F4)) for shape in ((100,), (64, 64), (3, 5, 7))]

    def step(i):
        a, b = pairs[i % 3]
        return a + b
    return step


def two_streams(np):
    a, b = _vectors(np, 4096, 4096)
    np.cuda.get_current_stream().synchronize()
    streams = [np.cuda.Stream(non_blocking=True) for _ in range(2)]

    def step(i):
        with streams[i % 2]:
            return a + b
    return step


def view_operand(np):
    a, = _vectors(np, 4096)
    b = np.ones((64, 128), F4)
    a = a.reshape(64, 64)
    return lambda i: a + b[:, ::2]


def broadcast_operand(np):
    a, b = np.ones((64, 64), F4), np.ones(64, F4)
    return lambda i: a + b


def scalar_operand(np):
    a, = _vectors(np, 4096)
    return lambda i: a * 2.0


def in_place(np):
    a, b = _vectors(np, 4096, 4096)

    def step(i):
        nonlocal a
        a += b
    return step


# The loops that must cost nothing but their operator.
STEADY = {'`c = a + b`': same_operands, 'fresh outputs': fresh_outputs, 'changing addresses': changing_addresses,
          'three interleaved shapes': three_shapes, 'two streams': two_streams, 'a view as operand': view_operand,
          'a broadcast operand': broadcast_operand, '`a * 2.0`': scalar_operand}


def _of(call, *shapes, dtype=F4):
    """A loop of a call on arrays of ones."""
    def make(np):
        arrays = [np.ones(shape, dtype) for shape in shapes]
        return lambda i: call(np, *arrays)
    return make


def _assign(np, a, b):
    a[::2] = b[::2]


def _mask_of(np):
    a = np.arange(4096, dtype=F4)
    mask = a > 100
    return lambda i: a[mask]


def _take_of(np):
    a, index = np.ones(4096, F4), np.arange(0, 4096, 3)
    return lambda i: np.take(a, index)


def _take_along_of(np):
    a = np.ones((64, 64), F4)
    index = np.argsort(a, axis=1)
    return lambda i: np.take_along_axis(a, index, 1)


N, M = 4096, (64, 64)
OPERATIONS = {
    '`a += b`': in_place,
    '`a - b`': _of(lambda np, a, b: a - b, N, N), '`a / b`': _of(lambda np, a, b: a / b, N, N),
    '`a ** 2`': _of(lambda np, a: a ** 2, N), '`-a`': _of(lambda np, a: -a, N),
    '`a // b` (int32)': _of(lambda np, a, b: a // b, N, N, dtype='int32'),
    '`a % b` (int32)': _of(lambda np, a, b: a % b, N, N, dtype='int32'),
    '`exp(a)`': _of(lambda np, a: np.exp(a), N), '`sqrt(a)`': _of(lambda np, a: np.sqrt(a), N),
    '`tanh(a)`': _of(lambda np, a: np.tanh(a), N), '`isnan(a)`': _of(lambda np, a: np.isnan(a), N),
    '`a > b`': _of(lambda np, a, b: a > b, N, N), '`a > 0`': _of(lambda np, a: a > 0, N),
    '`maximum(a, b)`': _of(lambda np, a, b: np.maximum(a, b), N, N), '`clip(a, 0, 1)`': _of(lambda np, a: np.clip(a, 0, 1), N),
    '`where(a > b, a, b)`': _of(lambda np, a, b: np.where(a > b, a, b), N, N),
    '`logical_and(a, b)`': _of(lambda np, a, b: np.logical_and(a, b), N, N, dtype='bool'),
    '`a.astype(float16)`': _of(lambda np, a: a.astype('float16'), N), '`a.astype(int32)`': _of(lambda np, a: a.astype('int32'), N),
    '`a.copy()`': _of(lambda np, a: a.copy(), N), '`a.T.copy()`': _of(lambda np, a: np.ascontiguousarray(a.T), M),
    '`a[::-1] + b`': _of(lambda np, a, b: a[::-1] + b, N, N), '`a[::2] = b[::2]`': _of(_assign, N, N),
    '`zeros(n)`': _of(lambda np, a: np.zeros(N, F4), 1), '`full(n, 3)`': _of(lambda np, a: np.full(N, 3, F4), 1),
    '`arange(n)`': _of(lambda np, a: np.arange(N), 1),
    '`concatenate((a, b))`': _of(lambda np, a, b: np.concatenate((a, b)), N, N),
    '`a.sum()`': _of(lambda np, a: a.sum(), N), '`a.sum(axis=0)`': _of(lambda np, a: a.sum(axis=0), M),
    '`a.mean(axis=1)`': _of(lambda np, a: a.mean(axis=1), M), '`a.max()`': _of(lambda np, a: a.max(), N),
    '`a.argmax(axis=1)`': _of(lambda np, a: a.argmax(axis=1), M), '`(a > 0).any()`': _of(lambda np, a: (a > 0).any(), N),
    '`cumsum(a)`': _of(lambda np, a: np.cumsum(a), N), '`a @ b`': _of(lambda np, a, b: a @ b, M, M),
    '`a @ b.T`': _of(lambda np, a, b: a @ b.T, M, M), '`a @ b` (batched)': _of(lambda np, a, b: a @ b, (3, 16, 16), (3, 16, 16)),
    '`sort(a)`': _of(lambda np, a: np.sort(a), N), '`argsort(a)`': _of(lambda np, a: np.argsort(a), N),
    '`take(a, i)`': _take_of, '`take_along_axis(a, i, 1)`': _take_along_of, '`a[mask]`': _mask_of,
}
# Why an operation waits, where it must.
WAITS = {'`a[mask]`': 'the length of the result is not known before', '`take(a, i)`': 'indices on the device are checked',
         '`take_along_axis(a, i, 1)`': 'indices on the device are checked'}


# ---- counting -----------------------------------------------------------------------------------------------------------------------

class Counters:
    """The emulator's counters of calls by name."""

    def __init__(self):
        import cupy_backends
        folder = os.path.dirname(cupy_backends.__file__)
        self.library = ctypes.CDLL(os.path.join(folder, 'ascend', 'emulator', 'lib', 'libemu_core.so'))

    def reset(self):
        self.library.emu_reset_counts()

    def counts(self):
        """{name: calls since the reset}."""
        buffer = ctypes.create_string_buffer(1 << 16)
        self.library.emu_counts(buffer, len(buffer))
        return {name: int(n) for name, n in (line.split() for line in buffer.value.decode().splitlines())}

    def violations(self):
        buffer = ctypes.create_string_buffer(1 << 16)
        self.library.emu_violations(buffer, len(buffer))
        return buffer.value.decode().splitlines()


def matches(name, pattern):
    if pattern.startswith('*'):
        return name.endswith(pattern[1:])
    return name.startswith(pattern[:-1]) if pattern.endswith('*') else name == pattern


def columns(counts):
    """{heading: calls} of the counts by name."""
    found = dict.fromkeys((heading for heading, _ in COLUMNS), 0)
    for name, n in counts.items():
        headings = [h for h, patterns in COLUMNS if any(matches(name, p) for p in patterns)]
        operator = name.startswith(('aclnn', 'asd')) and not headings
        free = name in FREE or name.startswith('aicpu')  # which says where an operator ran
        for heading in headings or ['operators' if operator else 'other'] * (not free):
            found[heading] += n
    return found


def count(counters, np, make):
    """What a loop calls per step: {'columns': {heading: calls}, 'names': {function: calls}, 'fallbacks': n}."""
    step = make(np)
    result = [step(i) for i in range(WARM)]
    del result
    for i in range(WARM, 2 * WARM):
        step(i)
    np.cuda.get_current_stream().synchronize()
    before = sum(np.xpu.launches('fallback').values())
    counters.reset()
    for i in range(2 * WARM, 2 * WARM + TIMES):
        step(i)
    counts = counters.counts()
    fallbacks = sum(np.xpu.launches('fallback').values()) - before
    return {'columns': {h: n / TIMES for h, n in columns(counts).items()}, 'names': {k: n / TIMES for k, n in counts.items()},
            'fallbacks': fallbacks / TIMES}


def measure():
    """Counts of all loops; this process must use the emulator."""
    import cupy as np
    counters = Counters()
    found = {}
    for kind, loops in (('steady', STEADY), ('operations', OPERATIONS)):
        found[kind] = {name: count(counters, np, make) for name, make in loops.items()}
    found['violations'] = counters.violations()
    return found


def run():
    """`measure` in a process of its own, with the emulator. Returns its dict. Raises RuntimeError if it fails."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith('CUPY_ASCEND_')}
    environment.update(CUPY_XPU_BACKEND='ascend', CUPY_ASCEND_EMULATOR='1', CUPY_XPU_FALLBACK='allow')
    done = subprocess.run([sys.executable, '-W', 'ignore', os.path.abspath(__file__), '--measure'], env=environment, cwd=ROOT,
                          capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise RuntimeError(f'counting failed: {done.stderr.strip()[-800:]}')
    return json.loads(done.stdout)


# ---- docs/trace.md ------------------------------------------------------------------------------------------------------------------

TEXT = """# What an operation calls of CANN

<!-- Generated by install/docs.py from counts on the emulator. Do not edit. -->

Calls per operation in a steady loop, float32 unless it says otherwise. *Waits* are synchronisations of streams, events and devices;
*copies* are those of the runtime, *host copies* those of them from or to host memory; *operators* are second phases of aclnn and asdsip
calls; *other* is what else is called, such as events between streams and `aclrtMemsetAsync`. Counted on the emulator, never on hardware.
"""


def number(n):
    return f'{n:g}' if n == int(n) else f'{n:.1f}'


def table(loops):
    headings = [heading for heading, _ in COLUMNS]
    lines = ['| | ' + ' | '.join(headings) + ' | |', '|---|' + '---|' * (len(headings) + 1)]
    for name, row in loops.items():
        waits = row['columns']['waits'] or row['columns']['host copies']
        note = 'fallback' if row['fallbacks'] else WAITS.get(name, '') if waits else ''
        lines.append(f'| {name} | ' + ' | '.join(number(row['columns'][h]) for h in headings) + f' | {note} |')
    return lines


def document(found=None):
    """The text of docs/trace.md."""
    found = found or run()
    return '\n'.join([TEXT, '## The steady loop', '', *table(found['steady']), '',
                      '## Further operations', '', *table(found['operations'])]) + '\n'


if __name__ == '__main__':
    if '--measure' in sys.argv:
        print(json.dumps(measure()))
    elif '--json' in sys.argv:
        print(json.dumps(run(), indent=1))
    else:
        print(document())
