"""What is measured: operations from the op table, and samples of the API above it.

An operation that the op table gains is measured without a change here: its family and operands follow from its row.
"""
import fnmatch
import math
from dataclasses import dataclass
from typing import Callable, Optional

import numpy

from benchmarks import inputs
from benchmarks.inputs import ALL, COMPLEX, FLOATS, INTEGERS, NUMBERS, REALS

FAMILIES = {
    'arithmetic': 'add, multiply, power ...', 'math': 'exp, sin, tanh ...', 'comparison': 'less, isnan, logical_and ...',
    'bitwise': 'and, shift, gcd ...', 'reduction': 'sum, mean, argmax ...', 'scan': 'cumsum, diff', 'copy': 'copies, casts, joining',
    'creation': 'zeros, arange, random', 'index': 'take, mask, where ...', 'sort': 'sort, argsort, searchsorted',
    'linalg': 'matmul, solve, svd ...',
    'fft': 'fft, rfft, fft2', 'program': 'lines as programs have them', 'call': 'cost of one small call',
}
LEADING = ('add', 'cos', 'matmul')
LEADING_DTYPES = ('float32', 'float64', 'int32', 'complex64')
DTYPES_BY_CHAR = {numpy.dtype(d).char: d for d in ALL}


@dataclass(frozen=True)
class Op:
    """An operation: `make(rng, dtype, n)` gives operands, `call(xp, *operands)` does it with a library.

    flops: number of operations for operands, else the rate is bytes per second. tolerance: in eps of the result, times n ** grows.
    limit: the largest size, unless the op is asked for by name. quick: part of --quick. api: the function's name, if it is not the op's.
    """
    name: str
    family: str
    dtypes: tuple
    make: Callable
    call: Callable
    flops: Optional[Callable] = None
    tolerance: float = 8
    grows: float = 0
    check: Optional[Callable] = None
    limit: int = 10 ** 8
    quick: bool = False
    api: str = ''


@dataclass(frozen=True)
class Case:
    op: Op
    dtype: str
    size: int


# ---- the op table -------------------------------------------------------------------------------------------------------------------

def _loops(row):
    """(input characters, output characters) of each type loop of a row."""
    return [tuple(text.split('->')) for text in row['loops'].split()]


def _family(loops):
    outputs = {out for _, out in loops}
    kinds = {numpy.dtype(i[-1]).kind for i, _ in loops}
    if outputs == {'?'}:
        return 'comparison'
    if not kinds & set('iub'):
        return 'arithmetic' if 'c' in kinds and len(loops[0][0]) == 2 else 'math'
    return 'arithmetic' if kinds & set('fc') else 'bitwise'


def _elementwise(row):
    loops = _loops(row)
    by_dtype = {}
    for chars, _ in loops:
        first = chars[1] if len(chars) == 3 and chars[0] == '?' else chars[0]
        by_dtype.setdefault(DTYPES_BY_CHAR[first], chars)

    def make(rng, dtype, n):
        return [inputs.values(rng, c, n, row['domain'], i) for i, c in enumerate(by_dtype[dtype])]

    name = row['name']
    return Op(name, _family(loops), tuple(d for d in ALL if d in by_dtype), make, lambda xp, *a: getattr(xp, name)(*a),
              quick=name in ('add', 'cos', 'exp', 'tanh', 'divide', 'greater', 'bitwise_and'))


def table_ops(rows):
    """Ops of the elementwise rows of the op table, as far as NumPy has them under the same name."""
    views = ('real', 'imag')  # no work is done in them
    ours = {'where', 'clip'}  # among the samples
    return [_elementwise(r) for r in rows if r['kind'] == 'ELEMENTWISE' and hasattr(numpy, r['name']) and r['name'] not in views
            and r['name'] not in ours]


# ---- samples of the API -------------------------------------------------------------------------------------------------------------

def _matmul_flops(a, b):
    return 2 * (4 if a.dtype.kind == 'c' else 1) * math.prod(a.shape) * b.shape[-1]


def _cube(factor):
    return lambda a, *_: factor * (4 if a.dtype.kind == 'c' else 1) * a.shape[-1] ** 3


def _fft_flops(a, *_):
    return 5 * a.size * math.log2(max(a.size, 2))


def _same_order(want, got, a):
    """argsort and argpartition may order equal elements in any way."""
    return bool(numpy.array_equal(a[want], a[got]))


def _same_kth(want, got, a):
    k = a.size // 2
    return bool(want[k] == got[k] and numpy.array_equal(numpy.sort(want), numpy.sort(got)))


def _stencil(xp, a):
    out = xp.zeros_like(a)
    out[1:-1, 1:-1] = (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:]) * 0.25
    return out


def _softmax(xp, a):
    e = xp.exp(a - xp.max(a, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True)


def _assign(xp, a, i, v):
    a[i] = v
    return a


def _fill(xp, a, v):
    a[:] = v[0]
    return a


# Rows: name, family, dtypes, maker of operands, call, further fields of Op.

vec, mat = inputs.vectors, inputs.matrices
_COMMON = ('bool', 'int32', 'int64', 'float32', 'float64', 'complex64', 'complex128')
_ORDERED = ('int32', 'int64') + REALS
_SCIENTIFIC = REALS + COMPLEX
_FAST, _WIDE = {'quick': True}, {'tolerance': 64}


def _reductions():
    yield 'sum', 'reduction', NUMBERS, vec(1, 'unit'), lambda xp, a: xp.sum(a), {**_WIDE, **_FAST}
    yield 'sum_axis0', 'reduction', NUMBERS, mat(1, 'unit'), lambda xp, a: xp.sum(a, 0), {'grows': 0.25}
    yield 'sum_axis1', 'reduction', NUMBERS, mat(1, 'unit'), lambda xp, a: xp.sum(a, 1), _WIDE
    yield 'prod', 'reduction', FLOATS, lambda r, d, n: [(1 + (r.random(n) - 0.5) / max(n, 2)).astype(d)], lambda xp, a: xp.prod(a), _WIDE
    yield 'max', 'reduction', _COMMON, vec(), lambda xp, a: xp.max(a), _FAST
    yield 'min', 'reduction', _COMMON, vec(), lambda xp, a: xp.min(a), {}
    yield 'max_axis0', 'reduction', _COMMON, mat(), lambda xp, a: xp.max(a, 0), {}
    yield 'mean', 'reduction', NUMBERS, vec(), lambda xp, a: xp.mean(a), _WIDE
    yield 'mean_axis0', 'reduction', NUMBERS, mat(), lambda xp, a: xp.mean(a, 0), {'grows': 0.25}
    yield 'var', 'reduction', _SCIENTIFIC, vec(), lambda xp, a: xp.var(a), _WIDE
    yield 'std', 'reduction', _SCIENTIFIC, vec(), lambda xp, a: xp.std(a), {**_WIDE, **_FAST}
    yield 'any', 'reduction', _COMMON, lambda r, d, n: [numpy.zeros(n, d)], lambda xp, a: xp.any(a), {}
    yield 'all', 'reduction', _COMMON, lambda r, d, n: [numpy.ones(n, d)], lambda xp, a: xp.all(a), {}
    yield 'argmax', 'reduction', _COMMON, vec(), lambda xp, a: xp.argmax(a), _FAST
    yield 'argmin_axis1', 'reduction', _COMMON, mat(), lambda xp, a: xp.argmin(a, 1), {}
    yield 'count_nonzero', 'reduction', _COMMON, vec(), lambda xp, a: xp.count_nonzero(a), {}
    yield 'median', 'reduction', _ORDERED, vec(), lambda xp, a: xp.median(a), {}
    yield 'nansum', 'reduction', FLOATS, vec(1, 'unit'), lambda xp, a: xp.nansum(a), _WIDE


def _scans():
    yield 'cumsum', 'scan', _ORDERED, vec(1, 'unit'), lambda xp, a: xp.cumsum(a), {'tolerance': 2, 'grows': 0.5, **_FAST}
    yield 'cumsum_axis0', 'scan', _ORDERED, mat(1, 'unit'), lambda xp, a: xp.cumsum(a, 0), {'grows': 0.25}
    yield 'diff', 'scan', _ORDERED, vec(), lambda xp, a: xp.diff(a), {}


def _copies():
    yield 'copy', 'copy', ALL, vec(), lambda xp, a: a.copy(), _FAST
    yield 'copy_transposed', 'copy', ALL, mat(), lambda xp, a: a.T.copy(), _FAST
    yield 'copy_reversed', 'copy', ALL, vec(), lambda xp, a: a[::-1].copy(), {}
    yield 'astype_float64', 'copy', INTEGERS + FLOATS, vec(), lambda xp, a: a.astype('float64'), {}
    yield 'astype_int32', 'copy', INTEGERS + FLOATS, vec(), lambda xp, a: a.astype('int32'), {}
    yield 'concatenate', 'copy', ALL, vec(2), lambda xp, a, b: xp.concatenate((a, b)), _FAST
    yield 'stack', 'copy', ALL, vec(2), lambda xp, a, b: xp.stack((a, b), -1), {}
    yield 'repeat', 'copy', ALL, vec(), lambda xp, a: xp.repeat(a, 2), {}
    yield 'tile', 'copy', ALL, vec(), lambda xp, a: xp.tile(a, 2), {}
    yield 'roll', 'copy', ALL, vec(), lambda xp, a: xp.roll(a, 3), {}


def _creations():
    yield 'zeros', 'creation', ALL, inputs.length, lambda xp, n, dtype: xp.zeros(n, dtype), {}
    yield 'full', 'creation', ALL, inputs.length, lambda xp, n, dtype: xp.full(n, 1, dtype), {}
    yield 'arange', 'creation', _ORDERED, inputs.length, lambda xp, n, dtype: xp.arange(n, dtype=dtype), {}
    yield 'linspace', 'creation', REALS, inputs.length, lambda xp, n, dtype: xp.linspace(0, 1, n, dtype=dtype), {}
    yield 'random', 'creation', REALS, inputs.length, lambda xp, n, dtype: xp.random.default_rng(1).random(n, dtype), {
        'api': 'random.default_rng'}
    yield 'normal', 'creation', REALS, inputs.length, lambda xp, n, dtype: xp.random.default_rng(1).standard_normal(n, dtype), {
        'api': 'random.default_rng'}


def _indexing():
    yield 'take', 'index', ALL, inputs.indexed, lambda xp, a, i: a[i], _FAST
    yield 'take_rows', 'index', ALL, inputs.row_indexed, lambda xp, a, i: xp.take(a, i, 0), {}
    yield 'put', 'index', ALL, inputs.permuted, _assign, {}
    yield 'mask', 'index', ALL, inputs.masked, lambda xp, a, m: a[m], _FAST
    yield 'mask_set', 'index', ALL, inputs.masked, lambda xp, a, m: _assign(xp, a, m, 1), {}
    yield 'where', 'index', ALL, inputs.chosen, lambda xp, c, a, b: xp.where(c, a, b), _FAST
    yield 'clip', 'index', _ORDERED, vec(), lambda xp, a: xp.clip(a, -3, 3), {}
    yield 'nonzero', 'index', _COMMON, inputs.vectors(1), lambda xp, a: xp.nonzero(a)[0], {}
    yield 'fill', 'index', ALL, vec(2), _fill, {}


def _sorting():
    yield 'sort', 'sort', _ORDERED, vec(), lambda xp, a: xp.sort(a), _FAST
    yield 'sort_axis0', 'sort', _ORDERED, mat(), lambda xp, a: xp.sort(a, 0), {}
    yield 'argsort', 'sort', _ORDERED, vec(), lambda xp, a: xp.argsort(a), {'check': _same_order, **_FAST}
    yield 'partition', 'sort', _ORDERED, vec(), lambda xp, a: xp.partition(a, a.size // 2), {'check': _same_kth}
    yield 'searchsorted', 'sort', _ORDERED, inputs.sorted_and_queries, lambda xp, a, v: xp.searchsorted(a, v), {}
    yield 'unique', 'sort', _ORDERED, vec(), lambda xp, a: xp.unique(a), {}


def _algebra():
    algebra = {'grows': 0.25, 'limit': 10 ** 6}
    small = {**algebra, 'limit': 10 ** 5}
    yield 'matmul', 'linalg', ALL, mat(2, 'unit'), lambda xp, a, b: a @ b, {**algebra, 'flops': _matmul_flops, **_FAST}
    yield 'matmul_batch', 'linalg', REALS + COMPLEX, inputs.batches, lambda xp, a, b: xp.matmul(a, b), {
        **algebra, 'flops': _matmul_flops, 'limit': 10 ** 8}
    yield 'matvec', 'linalg', _SCIENTIFIC, inputs.matrix_and_vector, lambda xp, a, v: a @ v, {**algebra, 'limit': 10 ** 8}
    yield 'dot', 'linalg', _SCIENTIFIC, vec(2, 'unit'), lambda xp, a, b: xp.dot(a, b), {'grows': 0.5}
    yield 'einsum', 'linalg', _SCIENTIFIC, mat(2, 'unit'), lambda xp, a, b: xp.einsum('ij,ij->i', a, b), {'grows': 0.25}
    yield 'norm', 'linalg', REALS, vec(), lambda xp, a: xp.linalg.norm(a), {'tolerance': 64, 'api': 'linalg.norm'}
    yield 'solve', 'linalg', _SCIENTIFIC, inputs.regular, lambda xp, a, b: xp.linalg.solve(a, b), {
        **algebra, 'flops': lambda a, b: _cube(2 / 3)(a), 'api': 'linalg.solve', **_FAST}
    yield 'inv', 'linalg', _SCIENTIFIC, lambda *a: inputs.regular(*a)[:1], lambda xp, a: xp.linalg.inv(a), {
        **algebra, 'flops': _cube(2), 'api': 'linalg.inv'}
    yield 'cholesky', 'linalg', _SCIENTIFIC, inputs.positive_definite, lambda xp, a: xp.linalg.cholesky(a), {
        **algebra, 'flops': _cube(1 / 3), 'api': 'linalg.cholesky'}
    yield 'qr', 'linalg', _SCIENTIFIC, mat(1, 'unit'), lambda xp, a: abs(xp.linalg.qr(a)[1]), {
        **small, 'tolerance': 500, 'flops': _cube(4 / 3), 'api': 'linalg.qr'}
    yield 'svd', 'linalg', _SCIENTIFIC, mat(1, 'unit'), lambda xp, a: xp.linalg.svd(a)[1], {
        **small, 'tolerance': 500, 'flops': _cube(22), 'api': 'linalg.svd'}
    yield 'eigh', 'linalg', _SCIENTIFIC, inputs.positive_definite, lambda xp, a: xp.linalg.eigh(a)[0], {
        **small, 'tolerance': 64, 'flops': _cube(9), 'api': 'linalg.eigh'}


def _transforms():
    for name in ('fft', 'ifft', 'rfft'):
        yield (name, 'fft', REALS if name == 'rfft' else _SCIENTIFIC, vec(), lambda xp, a, name=name: getattr(xp.fft, name)(a),
               {**_WIDE, 'flops': _fft_flops, 'api': f'fft.{name}', 'quick': name == 'fft'})
    yield 'fft2', 'fft', _SCIENTIFIC, mat(), lambda xp, a: xp.fft.fft2(a), {**_WIDE, 'flops': _fft_flops, 'api': 'fft.fft2'}


def _programs():
    yield 'add_broadcast', 'program', NUMBERS, mat(), lambda xp, a: a + a[0], {**_FAST}
    yield 'add_strided', 'program', NUMBERS, vec(2), lambda xp, a, b: a[::2] + b[::2], {}
    yield 'add_out', 'program', NUMBERS, vec(3), lambda xp, a, b, c: xp.add(a, b, out=c), {}
    yield 'axpy', 'program', _SCIENTIFIC, vec(2), lambda xp, a, b: 2.5 * a + b, {}
    yield 'chain', 'program', REALS, vec(2), lambda xp, a, b: xp.sqrt(xp.sin(a) ** 2 + xp.cos(b) ** 2) * 2.0 + 1.0, {**_FAST}
    yield 'stencil', 'program', REALS, mat(), _stencil, {**_FAST}
    yield 'softmax', 'program', REALS, mat(), _softmax, {**_WIDE}
    yield 'normalize', 'program', REALS, mat(), lambda xp, a: (a - a.mean(0)) / (a.std(0) + 1), {'tolerance': 64, 'grows': 0.25}
    yield 'distances', 'program', REALS, lambda r, d, n: [inputs.values(r, d, (inputs.side(n), 3))], (
        lambda xp, p: xp.sqrt(((p[:, None] - p[None]) ** 2).sum(-1))), {**_WIDE}
    yield 'histogram', 'program', REALS, vec(), lambda xp, a: xp.histogram(a, 16)[0], {}


def _calls():
    once = {'limit': 1000}
    yield 'element', 'call', _ORDERED, vec(), lambda xp, a: a[0], {**once, **_FAST}
    yield 'element_to_float', 'call', _ORDERED, vec(), lambda xp, a: float(a[0]), {**once}
    yield 'set_element', 'call', _ORDERED, vec(), lambda xp, a: _assign(xp, a, 0, 2), {**once}
    yield 'slice', 'call', _ORDERED, vec(), lambda xp, a: a[1:-1], {**once}
    yield 'reshape', 'call', _ORDERED, vec(), lambda xp, a: a.reshape(-1, 1), {**once}
    yield 'add_scalar', 'call', _ORDERED, vec(), lambda xp, a: a + 1, {**once}
    yield 'add_in_place', 'call', _ORDERED, vec(), lambda xp, a: a.__iadd__(0), {**once}


_SAMPLES = (_reductions, _scans, _copies, _creations, _indexing, _sorting, _algebra, _transforms, _programs, _calls)


def sample_ops():
    return [Op(name, family, tuple(dtypes), make, call, **more)
            for rows in _SAMPLES for name, family, dtypes, make, call, more in rows()]


# ---- choosing -----------------------------------------------------------------------------------------------------------------------

def all_ops(rows):
    """Every op: the leading ones, then family by family."""
    found = {op.name: op for op in sample_ops() + table_ops(rows)}
    order = {family: i for i, family in enumerate(FAMILIES)}
    return sorted(found.values(), key=lambda op: (LEADING.index(op.name) if op.name in LEADING else len(LEADING), order[op.family]))


def choose(ops, patterns):
    """Ops named by names, families or shell patterns, in the order of `ops`. Raises LookupError with the pattern that names none."""
    chosen = []
    for pattern in patterns:
        found = [op for op in ops if op.family == pattern or fnmatch.fnmatchcase(op.name, pattern)]
        if not found:
            raise LookupError(pattern)
        chosen += found
    return [op for op in ops if op in chosen]


def natural_dtype(op, wanted):
    """The first wanted dtype that the op has, or else the one most like it."""
    for dtype in tuple(wanted) + ('float32', 'int32', 'complex64'):
        if dtype in op.dtypes:
            return dtype
    return op.dtypes[0]


def limit(op, dtype):
    """The largest size that is measured without being asked for by the op's name."""
    slow = op.name == 'matmul' and numpy.dtype(dtype).kind in 'biu'  # NumPy has no BLAS for them
    return min(op.limit, 10 ** 5) if slow else op.limit


def plan(ops, dtypes, sizes, quick=False, named=()):
    """The cases to measure.

    Args:
        ops: ops, in order.
        dtypes, sizes: what the user asked for, or None for the default of each op.
        quick: few sizes.
        named: names of ops asked for by name; no size is too big for them.
    """
    cases = []
    for op in ops:
        leading = op.name in LEADING
        if dtypes:
            mine = [d for d in dtypes if d in op.dtypes]
        elif leading and not quick:
            mine = [d for d in LEADING_DTYPES if d in op.dtypes]
        else:
            mine = [natural_dtype(op, ())]
        usual = (1000, 1000000) if quick or not leading else (1, 1000, 100000, 1000000, 10000000)
        for dtype in mine:
            most = limit(op, dtype)
            wanted = [n for n in sizes if op.name in named or n <= most] if sizes else [min(n, most) for n in usual]
            cases += [Case(op, dtype, n) for n in dict.fromkeys(wanted)]
    return cases
