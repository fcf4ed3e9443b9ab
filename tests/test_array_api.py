"""The Array API standard, 2024.12: names, keywords, dtypes and values of all its functions, methods and attributes.

Each line of CALLS uses the keywords that the standard gives the function. The right answer is NumPy's, which conforms.
"""
import itertools

import numpy
import pytest

import cupy
import oracle
from cupy import testing

NAMES = '''
e inf nan newaxis pi __array_api_version__ __array_namespace_info__ bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32
float64 complex64 complex128 arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones ones_like tril triu
zeros zeros_like astype can_cast finfo iinfo isdtype result_type abs acos acosh add asin asinh atan atan2 atanh bitwise_and
bitwise_left_shift bitwise_invert bitwise_or bitwise_right_shift bitwise_xor ceil clip conj copysign cos cosh divide equal exp expm1
floor floor_divide greater greater_equal hypot imag isfinite isinf isnan less less_equal log log1p log2 log10 logaddexp logical_and
logical_not logical_or logical_xor maximum minimum multiply negative nextafter not_equal positive pow real reciprocal remainder round
sign signbit sin sinh sqrt square subtract tan tanh trunc take take_along_axis matmul matrix_transpose tensordot vecdot
broadcast_arrays broadcast_to concat expand_dims flip moveaxis permute_dims repeat reshape roll squeeze stack tile unstack argmax
argmin count_nonzero nonzero searchsorted where unique_all unique_counts unique_inverse unique_values argsort sort cumulative_prod
cumulative_sum max mean min prod std sum var all any diff linalg fft linalg.cholesky linalg.cross linalg.det linalg.diagonal
linalg.eigh linalg.eigvalsh linalg.inv linalg.matmul linalg.matrix_norm linalg.matrix_power linalg.matrix_rank linalg.matrix_transpose
linalg.outer linalg.pinv linalg.qr linalg.slogdet linalg.solve linalg.svd linalg.svdvals linalg.tensordot linalg.trace linalg.vecdot
linalg.vector_norm fft.fft fft.ifft fft.fftn fft.ifftn fft.rfft fft.irfft fft.rfftn fft.irfftn fft.hfft fft.ihfft fft.fftfreq
fft.rfftfreq fft.fftshift fft.ifftshift
'''.split()

MEMBERS = '''
T device dtype mT ndim shape size to_device __abs__ __add__ __and__ __array_namespace__ __bool__ __complex__ __dlpack__
__dlpack_device__ __eq__ __float__ __floordiv__ __ge__ __getitem__ __gt__ __index__ __int__ __invert__ __le__ __lshift__ __lt__
__matmul__ __mod__ __mul__ __ne__ __neg__ __or__ __pos__ __pow__ __rshift__ __setitem__ __sub__ __truediv__ __xor__ __radd__ __rsub__
__rmul__ __rtruediv__ __rfloordiv__ __rmod__ __rpow__ __rmatmul__ __rand__ __ror__ __rxor__ __rlshift__ __rrshift__ __iadd__ __isub__
__imul__ __itruediv__ __ifloordiv__ __imod__ __ipow__ __imatmul__ __iand__ __ior__ __ixor__ __ilshift__ __irshift__
'''.split()

KINDS = {
    'all': '?bhilBHILfdFD', 'numeric': 'bhilBHILfdFD', 'real': 'bhilBHILfd', 'integer': 'bhilBHIL', 'bits': '?bhilBHIL', 'floating': 'fdFD',
    'real floating': 'fd', 'bool': '?', 'complex': 'FD', 'signed': 'bhilfdFD',
}

# kind of dtypes: expressions of x (2, 3), y (2, 3), v (3,), m (3, 3) invertible, i indices, n = (0-d) x[0, 0]
CALLS = {
    'all': '''
        xp.empty_like(x, dtype=x.dtype, device=None).shape; xp.zeros_like(x, dtype=xp.float32); xp.ones_like(x); xp.full_like(x, True)
        xp.asarray(x, dtype=None, device=None, copy=None); xp.asarray(x, copy=True); xp.astype(x, x.dtype, copy=False)
        xp.astype(x, xp.bool); xp.tril(x, k=1); xp.triu(x, k=-1); xp.meshgrid(v, v, indexing='ij'); xp.meshgrid(v, v[:2], indexing='xy')
        xp.meshgrid(v); xp.equal(x, y); xp.not_equal(x, y); x == y; x != y; xp.logical_and(x, y) if x.dtype == xp.bool else 0
        xp.where(b, x, y); xp.where(b, x, n); xp.broadcast_arrays(v, x); xp.broadcast_to(v, (4, 3)); xp.concat([x, y], axis=1)
        xp.concat((x, y), axis=None); xp.expand_dims(x, axis=-1); xp.flip(x, axis=None); xp.flip(x, axis=(0, 1)); xp.moveaxis(x, 0, 1)
        xp.permute_dims(x, axes=(1, 0)); xp.repeat(x, 2, axis=1); xp.repeat(v, xp.asarray([1, 0, 2])); xp.reshape(x, (3, 2), copy=None)
        xp.reshape(x, (-1,), copy=True); xp.roll(x, 1, axis=None); xp.roll(x, (1, 2), axis=(0, 1)); xp.squeeze(x[None], axis=0)
        xp.squeeze(x[None, :, None], axis=(0, 2)); xp.stack([x, y], axis=1); xp.tile(x, (2, 1)); xp.unstack(x, axis=1)
        xp.take(x, i, axis=1); xp.take_along_axis(x, k, axis=1); xp.matrix_transpose(x); x.T; x.mT; xp.nonzero(x)
        xp.count_nonzero(x, axis=0, keepdims=True); xp.count_nonzero(x, axis=None); xp.all(x, axis=0, keepdims=True)
        xp.any(x, axis=(0, 1), keepdims=False); xp.sort(xp.unique_values(x)); xp.unique_counts(x); xp.unique_inverse(x)
        xp.unique_all(x); x[0]; x[0, 1]; x[:, 1:]; x[..., 0]; x[b]; x[::-1, ::2]; x[None]; x[i[1], ...]; x[xp.asarray(1)]; x[i % 2, i]
        x[()]; x[b[:, 0]]; n[()]; x.ndim; x.shape; x.size; x.dtype; len(x.shape); xp.linalg.diagonal(x, offset=1)
        xp.linalg.matrix_transpose(x); xp.result_type(x, y); xp.diff(x, axis=0, n=1) if x.dtype != xp.bool else 0; xp.from_dlpack(x)
        xp.isdtype(x.dtype, 'numeric'); xp.isdtype(x.dtype, ('bool', 'integral')); xp.can_cast(x.dtype, xp.complex128)
        xp.can_cast(x, xp.float32); bool(n); x.to_device(x.device)''',
    'numeric': '''
        xp.abs(x); xp.add(x, y); xp.subtract(x, y); xp.multiply(x, y); xp.positive(x); xp.square(x); xp.round(x); xp.isfinite(x)
        xp.isinf(x); xp.isnan(x); +x; abs(x); x + y; x - y; x * y; x + 1; 1 + x; x - 1; 2 - x; x * 2; 2 * x; xp.add(x, 1)
        xp.multiply(2, x); xp.sum(x, axis=None); xp.sum(x, axis=0, dtype=None, keepdims=True); xp.sum(x, axis=(0, 1))
        xp.sum(x, dtype=xp.float64) if not c else xp.sum(x, dtype=xp.complex128); xp.prod(x, axis=1, dtype=None, keepdims=False)
        xp.cumulative_sum(x, axis=1, dtype=None, include_initial=True); xp.cumulative_sum(v)
        xp.cumulative_prod(x, axis=0, include_initial=False); xp.matmul(x, m); x @ m; xp.linalg.matmul(m, m); xp.tensordot(x, m, axes=1)
        xp.tensordot(x, y, axes=((0,), (0,))); xp.vecdot(x, y, axis=0); xp.vecdot(x, v, axis=-1); xp.linalg.vecdot(x, y)
        xp.linalg.outer(v, v); xp.linalg.trace(m, offset=1, dtype=None); xp.linalg.tensordot(m, m, axes=2)
        xp.linalg.cross(x, y, axis=1); xp.matmul(v, v); xp.conj(x); xp.maximum(x, y) if not c else 0; xp.sign(x)
        xp.linalg.matrix_power(m, 2); xp.arange(3, dtype=x.dtype); xp.linalg.trace(x); xp.full((2, 3), 3, dtype=x.dtype)
        xp.eye(2, 3, k=1, dtype=x.dtype); xp.ones((2,), dtype=x.dtype, device=None); xp.zeros(3, dtype=x.dtype); xp.real(x) if c else 0
        xp.imag(x) if c else 0; int(xp.abs(n)) if not c else complex(n); xp.pow(x, 2); x ** 2; xp.where(b, x, 0)''',
    'signed': '''
        xp.negative(x); -x; xp.sign(x)''',
    'real': '''
        xp.less(x, y); xp.less_equal(x, y); xp.greater(x, y); xp.greater_equal(x, y); x < y; x <= y; x > 1; x >= 1; xp.maximum(x, y)
        xp.minimum(x, 1); xp.floor_divide(x, y + 1); xp.remainder(x, y + 1); x // (y + 1); x % (y + 1); x % 3; 7 // (y + 1)
        xp.clip(x, min=1, max=3); xp.clip(x, y, None); xp.clip(x, max=2); xp.ceil(x); xp.floor(x); xp.trunc(x)
        xp.max(x, axis=0, keepdims=True); xp.min(x, axis=(0, 1)); xp.max(x, axis=None); xp.argmax(x, axis=1, keepdims=True)
        xp.argmin(x, axis=None, keepdims=False); xp.argsort(x, axis=1, stable=True); xp.sort(x, axis=0, stable=True)
        xp.sort(x, axis=-1, stable=False); xp.searchsorted(xp.sort(v), x, side='right', sorter=None)
        xp.searchsorted(v, n, sorter=xp.argsort(v)); xp.diff(x, axis=1, n=1, prepend=x[:, :1]); float(n); divmod(x, y + 1)''',
    'bits': '''
        xp.bitwise_and(x, y); xp.bitwise_or(x, y); xp.bitwise_xor(x, y); xp.bitwise_invert(x); ~x; x & y; x | y; x ^ y; x & True; x | x''',
    'integer': '''
        xp.bitwise_left_shift(x, y); xp.bitwise_right_shift(x, y); x << 2; x >> y; n.__index__(); range(5)[n]; x & 3
        xp.asarray(x, dtype=xp.int64); xp.iinfo(x.dtype).max; xp.iinfo(x.dtype).min''',
    'bool': '''
        xp.logical_and(x, y); xp.logical_or(x, y); xp.logical_xor(x, y); xp.logical_not(x); xp.sum(x, dtype=xp.int64); int(n); xp.any(x)
        xp.all(x, axis=1)''',
    'floating': '''
        xp.divide(x, y + 1); x / (y + 1); 1 / (x + 1); xp.sqrt(x); xp.exp(x); xp.expm1(x); xp.log(x + 1); xp.log1p(x); xp.log2(x + 1)
        xp.log10(x + 1); xp.sin(x); xp.cos(x); xp.tan(x); xp.sinh(x); xp.cosh(x); xp.tanh(x); xp.asin(x / 9); xp.acos(x / 9); xp.atan(x)
        xp.asinh(x); xp.acosh(x + 1); xp.atanh(x / 9); xp.reciprocal(x + 1); xp.mean(x, axis=0, keepdims=True); xp.linalg.det(m)
        xp.linalg.inv(m); xp.linalg.solve(m, v); xp.linalg.solve(m, x.T); xp.linalg.qr(m, mode='reduced').R
        xp.linalg.svd(m, full_matrices=False).S; xp.linalg.svdvals(m); xp.linalg.slogdet(m); xp.linalg.cholesky(s, upper=False)
        xp.linalg.cholesky(s, upper=True); xp.linalg.eigvalsh(s); xp.linalg.eigh(s).eigenvalues; xp.linalg.pinv(x, rtol=None)
        xp.linalg.matrix_rank(m, rtol=None); xp.linalg.matrix_norm(m, keepdims=True, ord='fro'); xp.linalg.matrix_norm(m, ord=2)
        xp.linalg.vector_norm(x, axis=None, keepdims=False, ord=2); xp.linalg.vector_norm(x, axis=1, ord=1)
        xp.linalg.vector_norm(v, ord=xp.inf); xp.finfo(x.dtype).eps; xp.finfo(x.dtype).bits; complex(n); x + 1.5; 2.5 * x
        xp.asarray(1.5, dtype=x.dtype); xp.linspace(0, 1, num=5, dtype=x.dtype, device=None, endpoint=False)
        xp.full(2, 1.5, dtype=x.dtype); xp.pow(x, .5); xp.maximum(x, 1.5) if not c else 0; xp.fft.fftshift(x, axes=(0, 1))
        xp.fft.ifftshift(x, axes=0)''',
    'real floating': '''
        xp.atan2(x, y); xp.copysign(x, -y); xp.hypot(x, y); xp.logaddexp(x, y); xp.nextafter(x, y); xp.signbit(x)
        xp.var(x, axis=0, correction=1.0, keepdims=True); xp.std(x, axis=None, correction=0.0); xp.var(x)
        xp.fft.rfft(x, n=4, axis=-1, norm='forward'); xp.fft.rfftn(x, s=(2, 3), axes=(0, 1), norm='ortho')
        xp.fft.ihfft(v, n=3, norm='backward'); xp.clip(x, min=.5); xp.asarray([x[0, 0], x[0, 1]]); x + (-xp.inf); xp.maximum(x, xp.nan)''',
    'complex': '''
        xp.fft.fft(x, n=4, axis=0, norm='ortho'); xp.fft.ifft(x); xp.fft.fftn(x, s=None, axes=None, norm='backward')
        xp.fft.ifftn(x, axes=(0, 1), s=(2, 2)); xp.fft.irfft(x, n=4, axis=-1); xp.fft.irfftn(x, axes=(0, 1))
        xp.fft.hfft(v, n=4, norm='forward'); x + 1j; x * 2j; xp.conj(x); xp.imag(x); xp.real(x); xp.asarray(1j, dtype=x.dtype)''',
}


def inputs(xp, dtype):
    kind = numpy.dtype(dtype).kind
    host = numpy.array([[3, 1, 2], [0, 5, 4]]).astype(dtype)
    x = xp.asarray(host.tolist(), dtype=dtype)
    y = xp.asarray(host[::-1].tolist(), dtype=dtype)
    m = xp.asarray(numpy.array([[4, 1, 0], [1, 3, 1], [0, 1, 2]]).astype(dtype).tolist(), dtype=dtype)
    if kind == 'c':
        x = x + xp.asarray((host[::-1] * 0.5j).tolist(), dtype=dtype)
    return {'xp': xp, 'x': x, 'y': y, 'v': x[0], 'm': m, 's': m, 'n': x[0, 1], 'c': kind == 'c', 'i': xp.asarray([2, 0]),
            'b': xp.asarray([[True, False, True]] * 2),
            'k': xp.asarray([[2, 0], [1, 1]])}


def calls(text):
    """The expressions of a text, which end at a semicolon or a line's end."""
    return [c.strip() for line in text.splitlines() for c in line.split(';') if c.strip()]


CASES = [(kind, call) for kind, text in CALLS.items() for call in calls(text)]


@pytest.mark.parametrize('kind', KINDS)
def test_calls(kind):
    bad = oracle.Failures()
    for call, dtype in itertools.product([c for k, c in CASES if k == kind], KINDS[kind]):
        bad(oracle.compare(lambda xp: eval(call, inputs(xp, dtype)), ulp=16, atol=1e-5 if dtype in 'fF' else 1e-13), call, dtype)
    bad.report()


@pytest.mark.parametrize('kind', KINDS)
def test_results_are_arrays(kind):
    """Nothing of the standard gives a numpy.ndarray or a NumPy scalar."""
    wrong = []
    for call in [c for k, c in CASES if k == kind]:
        result, error = oracle.outcome(lambda: eval(call, inputs(cupy, KINDS[kind][-1])))
        for r in result if isinstance(result, (tuple, list)) else (result,):
            if isinstance(r, numpy.ndarray) or (isinstance(r, numpy.generic) and 'info' not in call):
                wrong.append(f'{call}: {type(r).__name__}')
    assert not wrong, '\n'.join(wrong)


def test_names():
    missing = []
    for name in NAMES:
        owner = cupy
        for part in name.split('.'):
            owner = getattr(owner, part, missing)
        if owner is missing:
            missing.append(name)
    assert not missing
    assert not [m for m in MEMBERS if not hasattr(cupy.ndarray, m)]
    assert cupy.__array_api_version__ == '2024.12'


def test_promotion_table():
    bad = oracle.Failures()
    for a, b in itertools.product(KINDS['all'], repeat=2):
        for name in ('add', 'equal', 'where', 'concat', 'result_type', 'multiply', 'matmul'):
            def run(xp):
                x, y = xp.ones((2, 2), dtype=a), xp.ones((2, 2), dtype=b)
                f = getattr(xp, name)
                return f(xp.asarray([True, False]), x, y) if name == 'where' else f([x, y]) if name == 'concat' else f(x, y)
            bad(oracle.compare(run), name, a, b)
        for scalar in (True, 1, 1.5, 1j):
            bad(oracle.compare(lambda xp: xp.result_type(xp.ones(1, dtype=a), scalar)), a, scalar)
            bad(oracle.compare(lambda xp: xp.result_type(numpy.dtype(a), numpy.dtype(b), scalar)), a, b, scalar)
        bad(oracle.compare(lambda xp: xp.can_cast(numpy.dtype(a), numpy.dtype(b))), a, b)
    bad.report()


CREATION = '''
    xp.arange(5); xp.arange(1, 5); xp.arange(5, 1, -2); xp.arange(0.0, 1.0, 0.25); xp.arange(3, dtype=xp.float32, device=None)
    xp.arange(2, stop=6, step=2); xp.asarray(True); xp.asarray(3); xp.asarray(2.5); xp.asarray(1j); xp.asarray([1, 2.5])
    xp.asarray([[1, 2], [3, 4]], dtype=xp.uint8); xp.asarray([]); xp.asarray((True, False)); xp.asarray([True, 2])
    xp.asarray(5, dtype=xp.complex64); xp.asarray(2**40); xp.asarray([[], []]).shape; xp.asarray([1j, 2])
    xp.empty((2, 3), dtype=xp.int16, device=None).dtype; xp.empty(3).shape; xp.zeros(()); xp.zeros((0, 2))
    xp.ones((2, 2), dtype=xp.bool); xp.full((), 7); xp.full((2,), True); xp.full((2,), 1.5); xp.full((2, 2), 1j)
    xp.full(3, 5, dtype=xp.uint8); xp.eye(3); xp.eye(2, 4, k=-1); xp.eye(3, None, k=1); xp.linspace(0, 1, 5)
    xp.linspace(0, 1, num=4, endpoint=False); xp.linspace(1, 0, 3, dtype=xp.float32); xp.linspace(0, 1j, 3); xp.linspace(2, 2, 1)
    xp.fft.fftfreq(5, d=0.5); xp.fft.rfftfreq(6, d=2.0, device=None); xp.fft.fftfreq(4); xp.isdtype(xp.int8, 'signed integer')
    xp.isdtype(xp.uint8, xp.int8); xp.isdtype(xp.float32, ('real floating', 'complex floating')); xp.isdtype(xp.bool, 'bool')
    xp.isdtype(xp.complex64, 'bad'); xp.finfo(xp.float32).max; xp.finfo(xp.float64).smallest_normal; xp.finfo(xp.complex64).eps
    xp.finfo(xp.float32).dtype; xp.iinfo(xp.int8).min; xp.iinfo(xp.uint64).max; xp.iinfo(xp.int16).bits; xp.can_cast(xp.int8, xp.int16)
    xp.can_cast(xp.int64, xp.uint8); xp.result_type(xp.int8, xp.uint8, xp.float32); xp.broadcast_to(xp.asarray(1), (2, 0)).shape
    xp.asarray(xp.arange(3), copy=False); xp.asarray([1, 2], copy=False); xp.reshape(xp.arange(6).reshape(2, 3).T, (6,), copy=False)
    xp.nan; xp.e; xp.newaxis
'''


@pytest.mark.parametrize('call', calls(CREATION))
def test_creation(call):
    oracle.check(lambda xp: eval(call, {'xp': xp}))


SPECIAL = [float('nan'), float('inf'), -float('inf'), 0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 1e300, -1e-300]
ELEMENTWISE = '''
abs acos acosh add asin asinh atan atan2 atanh ceil conj copysign cos cosh divide equal exp expm1 floor floor_divide greater
greater_equal hypot isfinite isinf isnan less less_equal log log1p log2 log10 logaddexp logical_and logical_not logical_or logical_xor
maximum minimum multiply negative nextafter not_equal positive pow reciprocal remainder round sign signbit sin sinh sqrt square
subtract tan tanh trunc
'''.split()


@pytest.mark.parametrize('name', ELEMENTWISE)
def test_special_values(name):
    bad = oracle.Failures()
    f = getattr(numpy, name)
    nin = getattr(f, 'nin', 1)
    for values in itertools.product(SPECIAL, repeat=nin):
        bad(oracle.compare(lambda xp: getattr(xp, name)(*[xp.asarray(v) for v in values])), name, values)
    for values in itertools.product(SPECIAL, repeat=2) if nin == 1 else []:
        bad(oracle.compare(lambda xp: getattr(xp, name)(xp.asarray(complex(*values)))), name, complex(*values))
    bad.report()


def test_special_values_of_reductions():
    for name in ('sum', 'prod', 'max', 'min', 'mean', 'var', 'std', 'all', 'any', 'argmax', 'argmin'):
        for values in ([], [float('nan'), 1], [float('inf'), -float('inf')], [-0.0], [0.0, -0.0]):
            oracle.check(lambda xp: getattr(xp, name)(xp.asarray(values)))


def test_named_tuples():
    x = cupy.asarray([[2.0, 1.0], [1.0, 3.0]])
    fields = {cupy.linalg.eigh: ('eigenvalues', 'eigenvectors'), cupy.linalg.qr: ('Q', 'R'), cupy.linalg.slogdet: ('sign', 'logabsdet'),
              cupy.linalg.svd: ('U', 'S', 'Vh'), cupy.unique_all: ('values', 'indices', 'inverse_indices', 'counts'),
              cupy.unique_counts: ('values', 'counts'), cupy.unique_inverse: ('values', 'inverse_indices')}
    for function, names in fields.items():
        result = function(x)
        assert result._fields == names
        assert all(isinstance(r, cupy.ndarray) for r in result)


def test_scalars_convert():
    assert [bool(cupy.asarray(v)) for v in (True, 0, 2.5, 0j)] == [True, False, True, False]
    assert int(cupy.asarray(3.7)) == 3 and float(cupy.asarray(2)) == 2.0 and complex(cupy.asarray(1j)) == 1j
    assert cupy.asarray(3).__index__() == 3
    for bad in (cupy.asarray(1.5), cupy.asarray([1, 2]), cupy.asarray(True)):
        want = oracle.outcome(bad.get().__index__)
        got = oracle.outcome(bad.__index__)
        assert (want[1] is None) == (got[1] is None)


def test_in_place_operators_keep_dtype_and_identity():
    for dtype in 'fd':
        for operator in ('+=', '-=', '*=', '/=', '//=', '%=', '**='):
            x = cupy.asarray([1.0, 2.0], dtype=dtype)
            scope = {'x': x}
            exec(f'x {operator} 2', scope)
            assert scope['x'] is x and x.dtype == dtype
    testing.assert_array_equal(cupy.asarray([1, 2]) ** 2, [1, 4])


def test_set_items():
    for source in ('x[0, 1] = 5', 'x[:, 1] = xp.asarray([7, 8], dtype=x.dtype)', 'x[...] = 0', 'x[x > 2] = 1', 'x[::-1] = x',
                   'x[xp.asarray(0)] = 2',
                   'x[xp.asarray(True)] = 3', 'x[0] = xp.asarray(9, dtype=x.dtype)', 'x[x > 99] = x[0, 0]'):
        for dtype in 'ild':
            def run(xp):
                scope = {'xp': xp, 'x': xp.reshape(xp.arange(6, dtype=dtype), (2, 3))}
                exec(source, scope)
                return scope['x']
            oracle.check(run)


def test_type_info_of_arrays():
    """The standard takes arrays here, NumPy does not."""
    assert cupy.finfo(cupy.ones(2, 'f4')).bits == 32 and cupy.iinfo(cupy.ones(2, 'i2')).max == 32767
