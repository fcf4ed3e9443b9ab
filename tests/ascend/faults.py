"""Runs in a process with the emulator: a program of 200 operations under injected failures. Prints what went wrong, a line each.

    python faults.py PART PARTS     a share of the injections
"""
import gc
import itertools
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy  # noqa: E402

import cupy  # noqa: E402
import emulator  # noqa: E402

OUT_OF_MEMORY, INVALID, INTERNAL = 207001, 107000, 507000
# Failures of these lose what they should have given back, or have no effect that can be told.
GIVE_BACK = ('aclrtFree', 'aclrtFreeHost', 'aclDestroy', 'aclrtDestroy')


def program(np):
    """About 200 operations of many kinds; returns its results on the host."""
    host = getattr(np, 'asnumpy', numpy.asarray)
    results = []
    a = np.arange(60, dtype='float32').reshape(6, 10)
    for k in range(12):
        b = a * (k + 1) + 2.0
        c = np.sqrt(np.abs(b - a)) + a[::-1]
        d = np.where(c > 5, c, b)
        e = (a @ d.T) * np.float32(1 / 64)
        f = np.concatenate((e, e + 1))
        m = f > f.mean()
        g = f[m]
        s = np.sort(f, axis=1)
        t = np.take(f, np.arange(0, 12, 2), axis=0)
        a = a + (k % 2)
        i = np.arange(10 + k) // 3
        results += [d.sum(axis=0), s[:, 0], t.max(), g.sum() / g.size, np.cumsum(i), c.astype('int32')]
    return [host(r) for r in results]


def injections():
    """(name, nth, code): each function at its first, middle and last call, and any call at growing distances."""
    emulator.reset_counts()
    program(cupy)
    counts = emulator.counts()
    total = sum(n for name, n in counts.items() if name.startswith(('acl', 'asd')))
    found = []
    for name, n in sorted(counts.items()):
        if name.startswith(('acl', 'asd')) and not name.startswith(GIVE_BACK):
            codes = (OUT_OF_MEMORY,) if 'Malloc' in name else (INVALID, INTERNAL)
            found += [(name, nth, code) for nth in sorted({1, (n + 1) // 2, n}) for code in codes]
    found += [('aclrtMalloc', nth, OUT_OF_MEMORY) for nth in (1, 2, 3, 5)]
    found += [('*', nth, code) for nth, code in itertools.product(range(3, total, max(1, total // 40)), (INVALID, OUT_OF_MEMORY))]
    return found


def check(want, got):
    return all(w.shape == g.shape and w.dtype == g.dtype and numpy.allclose(w, g, rtol=1e-5, atol=1e-5) for w, g in zip(want, got))


def settle():
    """Waits, and gives cached memory back. Returns what is still taken from the device."""
    gc.collect()
    cupy.cuda.Device().synchronize()
    cupy.get_default_memory_pool().free_all_blocks()
    return emulator.live_bytes(0)


def attempt(name, nth, code, want, problems):
    """One run with a failure. Returns whether it raised."""
    what = f'{name} call {nth} failing with {code}'
    emulator.inject(name, nth, code)
    raised = False
    try:
        if not check(want, program(cupy)):
            problems.append(f'{what}: wrong answers and no exception')
    except (cupy.xpu.XPUError, MemoryError) as error:
        raised = True
        if len(str(error)) < 20:
            problems.append(f'{what}: an unclear message: {error!r}')
    except Exception as error:  # the report of the test
        raised = True
        problems.append(f'{what}: {type(error).__name__}: {error}')
    finally:
        emulator.clear_injections()
    return raised


def main(part, parts):
    want = program(numpy)
    problems = []
    for _ in range(2):
        if not check(want, program(cupy)):
            problems.append('wrong answers without a failure')
    start = settle()
    chosen = injections()[part::parts]
    raised = 0
    for name, nth, code in chosen:
        raised += attempt(name, nth, code, want, problems)
        try:
            again = check(want, program(cupy))
            taken = settle()
        except Exception as error:  # the report of the test
            problems.append(f'after {name} call {nth} with {code}: {type(error).__name__}: {error}')
            break
        if not again:
            problems.append(f'after {name} call {nth} with {code}: wrong answers')
        if taken > start:
            problems.append(f'after {name} call {nth} with {code}: {taken - start} bytes of device memory are not back')
            start = taken
        for line in emulator.violations():
            problems.append(f'after {name} call {nth} with {code}: {line}')
        emulator.clear_violations()
    print('\n'.join([f'{len(chosen)} failures, {raised} exceptions', *problems]))


if __name__ == '__main__':
    main(*map(int, sys.argv[1:3]))
