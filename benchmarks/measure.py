"""Checks the answer of a case, then measures both libraries."""
import gc
import math
import statistics
import time
from dataclasses import dataclass, field

import numpy

from benchmarks import inputs

TURNS = 2
MIN_ROUNDS, MAX_ROUNDS = 3, 200  # per turn
ROUND_SECONDS = 5e-4  # calls are repeated in a round until it lasts that long


WAYS = {'numpy': 'by NumPy on the host', 'fallback': 'fallback: on the host, through copies', 'slow': 'AI CPU: a slow engine of the device',
        'plan': 'composed of other operations', 'native': 'native'}


@dataclass
class Result:
    """What was found out about a case. status: ok, WRONG or ERROR; times in seconds per call."""
    op: str
    family: str
    dtype: str
    size: int
    shape: tuple
    status: str = 'ok'
    message: str = ''
    numpy_seconds: float = math.nan
    cupy_seconds: float = math.nan
    work: float = 0.0           # operations or bytes of one call
    unit: str = 'GB/s'
    how: str = ''               # a word of WAYS, on a device; '' on the host backend
    quartiles: dict = field(default_factory=dict)

    @property
    def ratio(self):
        return self.numpy_seconds / self.cupy_seconds

    @property
    def rate(self):
        return self.work / self.cupy_seconds / 1e9


def _round(call, synchronize, event, inner):
    """Seconds of a round of calls: by events of the device, where it has some, else by the host's clock."""
    if event is None:
        start = time.perf_counter()
        for _ in range(inner):
            call()
        synchronize()
        return time.perf_counter() - start
    first, last = event(), event()
    first.record()
    for _ in range(inner):
        call()
    last.record()
    last.synchronize()
    return event.seconds(first, last)


def _samples(call, synchronize, budget, event=None):
    """Times of one call, from rounds at both ends of which the device is idle."""
    call()
    synchronize()
    start = time.perf_counter()
    call()
    synchronize()
    once = max(time.perf_counter() - start, 1e-8)
    inner = max(1, math.ceil(ROUND_SECONDS / once))
    rounds = min(MAX_ROUNDS, max(MIN_ROUNDS if once < 0.05 else 1, int(budget / (inner * once))))
    samples = [once] if once > ROUND_SECONDS else []
    samples += [_round(call, synchronize, event, inner) / inner for _ in range(rounds)]
    return samples


def seconds_per_call(timed, budget):
    """(median, lower quartile, upper quartile) of the time of one call, for each of `timed`.

    Args:
        timed: tuples of a function, what waits for the device and, optional, what makes its events. They take turns, so that a change
            of the machine's speed concerns all.
        budget: seconds to spend on all.
    """
    samples = [[] for _ in timed]
    collecting = gc.isenabled()
    gc.disable()
    try:
        for _ in range(TURNS):
            for found, (call, *device) in zip(samples, timed):
                found += _samples(call, device[0], budget / len(timed) / TURNS, *device[1:])
    finally:
        if collecting:
            gc.enable()
    quartiles = [statistics.quantiles(found, n=4) for found in samples]
    return [(statistics.median(found), q[0], q[2]) for found, q in zip(samples, quartiles)]


def _parts(result, download):
    """A result as a list of numpy arrays."""
    several = result if isinstance(result, (tuple, list)) else (result,)
    return [numpy.asarray(download(r) if not isinstance(r, (bool, int, float, complex, numpy.generic)) else r) for r in several]


def difference(want, got, tolerance, whole=False):
    """Text saying how an answer differs from the right one, '' if it does not.

    The tolerance is in eps of the result's dtype, relative to each element, or to the largest of the whole answer.
    """
    if want.dtype != got.dtype:
        return f'dtype {got.dtype} instead of {want.dtype}'
    if want.shape != got.shape:
        return f'shape {got.shape} instead of {want.shape}'
    if want.dtype.kind not in 'fc':
        wrong = int(numpy.count_nonzero(want != got))
        return f'{wrong} of {want.size} elements differ' if wrong else ''
    if numpy.array_equal(want, got, equal_nan=True):
        return ''
    wide = numpy.result_type(want.dtype, numpy.float64)
    with numpy.errstate(all='ignore'):
        w, g = want.astype(wide), got.astype(wide)
        same = (w == g) | (numpy.isnan(w) & numpy.isnan(g))
        error = numpy.where(same, 0, abs(w - g))
        largest = numpy.max(abs(w), initial=0, where=numpy.isfinite(w))
        allowed = tolerance * float(numpy.finfo(want.dtype).eps) * (abs(w) + (float(largest) if whole else min(1.0, float(largest))))
        wrong = ~same & ~((error <= allowed) & numpy.isfinite(w))  # NaN is wrong too
    if not wrong.any():
        return ''
    worst = int(numpy.argmax(numpy.where(wrong, numpy.nan_to_num(error, nan=numpy.inf), 0)))
    return f'{int(wrong.sum())} of {want.size} elements differ, as {got.flat[worst]} instead of {want.flat[worst]}'


def _check(op, size, want, got, operands):
    if op.check is not None and want[0].shape == got[0].shape and want[0].dtype == got[0].dtype:
        return '' if op.check(want[0], got[0], *operands) else 'another order than that of the values'
    tolerance = op.tolerance * size ** op.grows
    if len(want) != len(got):
        return f'{len(got)} results instead of {len(want)}'
    return next((text for text in (difference(w, g, tolerance, op.grows > 0) for w, g in zip(want, got)) if text), '')


def _work(op, operands, answer):
    if op.flops is not None:
        return float(op.flops(*operands)), 'GFLOP/s'
    arrays = [a for a in operands if isinstance(a, numpy.ndarray)]
    return float(sum(a.nbytes for a in arrays) + sum(a.nbytes for a in answer)), 'GB/s'


def measure(case, reference, library, budget):
    """A Result: the answer of `library` is compared with that of `reference`, then both are timed for about `budget` seconds."""
    result = Result(case.op.name, case.op.family, case.dtype, case.size, (case.size,))
    try:
        with numpy.errstate(all='ignore'):
            _measure(result, case, reference, library, budget)
    except Exception as error:  # shown in the table: a benchmark of many ops goes on
        result.status, result.message = 'ERROR', f'{type(error).__name__}: {error}'.splitlines()[0]
    return result


def available_memory():
    """Bytes of host memory that can be had; infinite where the system does not say."""
    try:
        with open('/proc/meminfo') as f:
            return next(int(line.split()[1]) * 1024 for line in f if line.startswith('MemAvailable:'))
    except (OSError, StopIteration):
        return math.inf


def _way(op, library, before, after):
    """The word of WAYS for what happened between two counts of launches."""
    if (op.api or op.name) in library.host_functions:
        return 'numpy'
    found = next((w for w in after if after[w] != before[w]), 'native' if library.event else '')
    return 'plan' if found == 'operators' else found


def _measure(result, case, reference, library, budget):
    op = case.op
    needed = case.size * (8 * numpy.dtype(case.dtype).itemsize + 24)  # operands and results on both sides, and making them
    if needed > available_memory():
        raise MemoryError(f'this size needs about {needed / 2 ** 30:.0f} GiB of host memory, more than is free')
    operands = op.make(inputs.generator(op.name, case.dtype, case.size), case.dtype, case.size)
    result.shape = next((a.shape for a in operands if isinstance(a, numpy.ndarray)), (case.size,))
    ours, theirs = library.upload(operands), reference.upload(operands)
    want = _parts(op.call(reference.module, *theirs), reference.download)
    before = library.launches()
    got = _parts(op.call(library.module, *ours), library.download)
    after = library.launches()
    result.how = _way(op, library, before, after)
    result.message = _check(op, case.size, want, got, operands)
    if result.message:
        result.status = 'WRONG'
        return
    result.work, result.unit = _work(op, operands, want)
    del want, got
    times = seconds_per_call([(lambda: op.call(reference.module, *theirs), reference.synchronize),
                              (lambda: op.call(library.module, *ours), library.synchronize, library.event)], budget)
    (result.numpy_seconds, *first), (result.cupy_seconds, *second) = times
    result.quartiles = {'numpy': first, 'cupy': second}


def measure_transfers(library, sizes, budget):
    """Results of copies between host and device memory; the comparison is NumPy's copy within host memory."""
    results = []
    for size in sizes:
        host = inputs.values(inputs.generator('transfer', size), 'float32', size)
        device = library.to_device(host)
        library.synchronize()
        if not numpy.array_equal(library.to_host(device), host):
            results.append(Result('round trip', 'transfer', 'float32', size, (size,), 'WRONG', 'other values came back'))
            continue
        copy, to_device, to_host = seconds_per_call([(host.copy, lambda: None), (lambda: library.to_device(host), library.synchronize),
                                                     (lambda: library.to_host(device), library.synchronize)], budget)
        for name, times in (('host to device', to_device), ('device to host', to_host)):
            results.append(Result(name, 'transfer', 'float32', size, (size,), numpy_seconds=copy[0], cupy_seconds=times[0],
                                  work=float(host.nbytes)))
    return results
