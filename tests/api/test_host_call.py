"""The functions that NumPy computes on host memory: the same answers, for each row of the table at least one call."""
import numpy
import pytest

import cupy
from cupy import _host_call
from cupy._core import _host_call as _border
from cupy._host_call import table
from oracle import Failures, compare

# What the cases are made of.
SETUP = """
a = xp.asarray([[4., -2., .5], [1., 3., -7.5]])
v = xp.asarray([3., 1., 2., 5., 4.])
w = xp.asarray([.5, 1.5, -1., 2., .25], dtype='f4')
i = xp.asarray([3, 1, 2, 1, 0])
b = xp.asarray([True, False, True, True, False])
z = xp.asarray([1+2j, -3j, .5, 2])
n = xp.asarray([1., xp.nan, 3., -2.])
m = xp.asarray([[4., 1., 0.], [1., 3., 1.], [0., 1., 2.]])
mm = xp.asarray([[[4., 1., 0.], [1., 3., 1.], [0., 1., 2.]], [[5., 1., 0.], [1., 4., 1.], [0., 1., 3.]]])
nn = xp.asarray([[1., xp.nan, 3., -2.], [2., 0., xp.nan, 1.]])
t = xp.arange(24.).reshape(2, 3, 4)
"""

CASES = """
einsum('ij,ik->jk', a, a)|einsum('ii', m)|einsum('...ij,...jk', mm, mm)|einsum('i,i', v, w)|einsum(a, [0, 1], [1, 0])
einsum_path('ij,jk,kl->il', m, m, m)[0]
percentile(v, 30)|percentile(a, [25, 75], axis=1)|percentile(a, 50, keepdims=True)|percentile(w, xp.asarray([10, 90]))
quantile(v, .3)|quantile(a, .5, axis=0, method='lower')
median(v)|median(a, axis=0)|median(i)|median(a, axis=(0, 1), keepdims=True)
nanpercentile(n, 40)
nanquantile(n, .4)
nanmedian(n)|nanmedian(nn, axis=1)
histogram(v)|histogram(v, bins=3, range=(0, 5))|histogram(i, bins=xp.asarray([0, 1, 3]), weights=v)|histogram(v, density=True)
histogram2d(v, w, bins=2)
histogramdd(xp.asarray([[1., 2], [3, 4], [2, 2]]), bins=2)
histogram_bin_edges(v, 'auto')
digitize(v, xp.asarray([1., 3, 4]))|digitize(v, [1., 3, 4], right=True)
bincount(i)|bincount(i, weights=v)|bincount(i, minlength=7)
cov(a)|cov(v, w, ddof=0)
corrcoef(a)|corrcoef(v, w)
convolve(v, w)|convolve(v, [1, 2], 'same')
correlate(v, w)|correlate(z, z, 'full')
unique(i)|unique(i, return_inverse=True, return_counts=True, return_index=True)|unique(n)|unique(xp.asarray([[1, 2], [1, 2]]), axis=0)
unique_all(i)
unique_counts(i)
unique_inverse(i)
sort(xp.unique_values(i))
union1d(i, [7, 1])
intersect1d(i, xp.asarray([1, 3, 9]))|intersect1d(i, [1, 3], return_indices=True)
setdiff1d(i, [1])
setxor1d(i, [1, 8])
isin(i, [1, 3])|isin(v, xp.asarray([1., 2.]), invert=True)
interp([1.5, 2.5], xp.asarray([1., 2., 3.]), xp.asarray([3., 2., 0.]))|interp(1.5, [1, 2], [3, 4])
i0(v)
bartlett(5)
blackman(5)
hamming(5)
hanning(5)
kaiser(5, 14.)
poly(v)|poly(m)
polyadd(v, w)
polyder(v)|polyder(v, 2)
polydiv(v, xp.asarray([1., 1.]))
polyfit(v, w, 2)|polyfit(v, w, 1, full=True)|polyfit(v, w, 1, cov=True)
polyint(v)
polymul(v, w)
polysub(v, w)
polyval(v, 2)|polyval(v, w)
roots(v)
apply_along_axis(xp.sum, 1, a)|apply_along_axis(lambda r: r * 2, 0, a)|apply_along_axis(lambda r: r.max() - r.min(), 0, a)
apply_over_axes(xp.sum, t, [0, 2])
piecewise(v, [v < 2, v >= 2], [lambda x: -x, 7])
fromfunction(lambda x, y: x + y, (2, 3))|fromfunction(lambda x, y: x == y, (2, 2), dtype=int)
pad(a, 1)|pad(v, (1, 2), 'edge')|pad(a, 1, 'constant', constant_values=4)|pad(v, 2, 'reflect')
gradient(v)|gradient(a)|gradient(v, 2.)|gradient(v, xp.asarray([0., 1, 3, 4, 8]))
unwrap(v * 4)
ediff1d(v)|ediff1d(v, to_end=[9.])
trapezoid(v)|trapezoid(a, dx=2., axis=0)|trapezoid(v, w)
packbits(b)|packbits(b, bitorder='little')
unpackbits(xp.asarray([7, 200], dtype='u1'))
ravel_multi_index((xp.asarray([1, 0]), xp.asarray([2, 1])), (2, 3))
unravel_index(xp.asarray([3, 5]), (2, 3))|unravel_index(4, (2, 3))
mask_indices(3, xp.triu)
tril_indices(3)
tril_indices_from(m)
triu_indices(3, 1)
triu_indices_from(m, 1)
diag_indices_from(m)
diag_indices(3)
ix_([0, 2], xp.asarray([1, 0]))|ix_([True, False], [1])
indices((2, 3))|indices((2, 2), sparse=True)
choose(xp.asarray([0, 1, 0]), [xp.asarray([1, 2, 3]), xp.asarray([4, 5, 6])])
select([v > 3, v > 1], [v, -v], 9)
extract(v > 2, v)
kron(a, xp.eye(2))
cross(xp.asarray([1., 2, 3]), xp.asarray([3., 2, 0]))
tensordot(a, a, axes=([1], [1]))|tensordot(t, t, axes=([0, 1], [0, 1]))|tensordot(a, m, 1)
inner(v, w)|inner(a, m)
outer(v, w)
vdot(z, z)
vander(v)|vander(v, 3, increasing=True)
lexsort((v, i))
sort_complex(z)
nanargmax(n)
nanargmin(n)
nanmax(n)
nanmin(n)
nansum(n)|nansum(nn, axis=0)
nanprod(n)
nancumsum(n)
nancumprod(n)
nanmean(n)
nanstd(n)
nanvar(n)
trim_zeros(xp.asarray([0, 0, 1, 2, 0]))
real_if_close(z.real + 0j)
nan_to_num(n)|nan_to_num(n, nan=5.)
logspace(0, 2, 5)
geomspace(1, 16, 5)
block([[m, m], [m, m]])
insert(v, 1, 9.)|insert(a, [0, 1], 5., axis=1)
delete(v, 1)|delete(a, [0], axis=1)
append(v, w)|append(a, a, axis=0)
resize(v, (2, 4))
array2string(v)|array2string(a, precision=1, separator=', ')|array2string(xp.asarray([1, 2]), formatter={'int': lambda x: f'<{x}>'})
array_repr(v)|array_repr(w)
array_str(a)
base_repr(11, 3)
binary_repr(-5, 8)
format_float_positional(1.25)|format_float_positional(v[0])
format_float_scientific(1e10)
fromstring('1 2 3', sep=' ')|fromstring('1,2', dtype=int, sep=',')
min_scalar_type(300)|min_scalar_type(xp.asarray([1, 2]))
linalg.cholesky(m)|linalg.cholesky(-m)|linalg.cholesky(mm, upper=True)
linalg.cond(m)|linalg.cond(m, 1)
linalg.det(m)|linalg.det(mm)
linalg.eig(m)|linalg.eig(mm)[0]
linalg.eigh(m)
linalg.eigvals(m)
linalg.eigvalsh(m)
linalg.inv(m)|linalg.inv(xp.zeros((2, 2)))|linalg.inv(a)|linalg.inv(m.astype('f4'))
linalg.lstsq(a.T, xp.asarray([1., 2, 3]))
linalg.matrix_power(m, 3)|linalg.matrix_power(m, -1)
linalg.matrix_rank(a)
linalg.multi_dot([a, m, a.T])
linalg.pinv(a)
linalg.qr(m)|linalg.qr(m, mode='r')
linalg.slogdet(m)
linalg.solve(m, m)|linalg.solve(m, xp.asarray([1., 2, 3]))|linalg.solve(m.T[::-1], m)|linalg.solve(a, a)
linalg.svd(a)|linalg.svd(a, full_matrices=False)|linalg.svd(a, compute_uv=False)
linalg.svdvals(a)
linalg.tensorinv(xp.eye(4).reshape(2, 2, 2, 2))
linalg.tensorsolve(xp.eye(4).reshape(2, 2, 2, 2), m[:2, :2])
linalg.norm(v)|linalg.norm(a, axis=1)|linalg.norm(a, 'nuc')|linalg.norm(v, 1)|linalg.norm(a, 2)|linalg.norm(a, axis=0, keepdims=True)
linalg.vector_norm(a, axis=1, ord=1)
linalg.matrix_norm(mm)
linalg.cross(xp.asarray([1., 2, 3]), xp.asarray([3., 2, 0]))
fft.fft(v)|fft.fft(w)|fft.fft(v, 8)|fft.fft(a, axis=0)|fft.fft(v, norm='ortho')
fft.fft2(a)
fft.fftn(t)|fft.fftn(t, axes=(0, 2))
fft.hfft(z)
fft.ifft(z)|fft.ifft(v[::-1])
fft.ifft2(a)
fft.ifftn(t)
fft.ihfft(v)
fft.irfft(z)|fft.irfft(z, 5)
fft.irfft2(a + 0j)
fft.irfftn(t + 0j)
fft.rfft(v)|fft.rfft(w)
fft.rfft2(a)
fft.rfftn(t)
fft.fftfreq(5)|fft.fftfreq(4, .1)
fft.rfftfreq(5)
fft.fftshift(v)|fft.fftshift(a, axes=1)
fft.ifftshift(v)
emath.sqrt(v)|emath.sqrt(-v)|emath.sqrt(-1)
emath.log(-v)
emath.log2(-v)
emath.logn(2, v)
emath.log10(-v)
emath.power(-v, .5)
emath.arccos(v)
emath.arcsin(v)
emath.arctanh(v)
average(a)|average(v, weights=w)|average(a, axis=1, weights=[1., 2, 3], returned=True)
"""

INPLACE = """
x = v.copy(); xp.place(x, v > 2, [10., 20.]); r = x
x = v.copy(); xp.putmask(x, v > 2, 0); r = x
x = a.copy(); xp.put_along_axis(x, xp.asarray([[0], [2]]), 9., 1); r = x
x = v[::2]; xp.putmask(x, x > 2, -1); r = v
x = xp.zeros(5); y = xp.fft.fft(v, out=x + 0j); r = y
x = xp.zeros(2); y = xp.median(a, axis=1, out=x); r = x, y is x
x = xp.zeros((3, 3)); y = xp.einsum('ij,ik->jk', a, a, out=x); r = x, y is x
x = xp.zeros(2); y = xp.median(a, 1, x); r = x, y is x
m.flags.writeable = False; r = xp.linalg.inv(m)
"""


def run(xp, source, expression):
    names = {'xp': xp}
    exec(SETUP, names)
    if expression is None:
        exec(source, names)
        return names['r']
    return eval('xp.' + source, names)


def cases():
    for line in CASES.strip().splitlines():
        yield from line.split('|')


def function_of(case):
    return case.partition('(')[0]


@pytest.fixture(params=[False, True], ids=['shared', 'staged'])
def memory(request):
    """Arguments and results share host memory, or are copied as those of a device are."""
    old = _border.stage_always(request.param)
    with cupy.xpu.fallback_policy('allow'):
        yield request.param
    _border.stage_always(old)


def test_answers_are_numpys(memory):
    failures = Failures()
    for case in cases():
        if hasattr(numpy, function_of(case).split('.')[0]):
            failures(compare(run, case, True), case)
    failures.report()


def test_fallback_policy(memory):
    a, median = cupy.asarray([3., 1., 2.]), _border.HostFunction(numpy.median, 'median', 'cupy', 'for a test')
    cupy.xpu.reset_counters()
    with cupy.xpu.fallback_policy('error'):
        if not memory and cupy.xpu.backend_name() == 'host':
            assert median(a) == 2 and not cupy.xpu.fallbacks()
            return
        with pytest.raises(NotImplementedError, match='median'):
            median(a)
        cupy.random.rand(3)  # belongs on the host
    with cupy.xpu.fallback_policy('warn'):
        with pytest.warns(RuntimeWarning, match='median runs on the host'):
            median(a)
        median(a)
    assert cupy.xpu.fallbacks()['median', ''] == 2
    cupy.xpu.reset_counters()


def test_writing_into_arguments(memory):
    failures = Failures()
    for case in INPLACE.strip().splitlines():
        failures(compare(run, case, None), case)
    failures.report()


def test_every_row_has_a_case():
    tested = {function_of(case) for case in cases()} | {'place', 'putmask', 'put_along_axis'}
    tested |= {'save', 'savez', 'savez_compressed', 'savetxt', 'loadtxt', 'genfromtxt', 'fromregex', 'fromfile'}  # test_io
    for module in {owner for owner, _, _ in table.ROWS if not owner.startswith('polynomial')}:
        for name, _, _ in _host_call.rows(module):
            assert (f'{module}.{name}' if module else name) in tested


def test_views_of_arguments_stay_views():
    a = cupy.asarray([[1., 2.], [3., 4.]])
    got = cupy.apply_along_axis(lambda row: row, 0, a)
    assert not cupy.shares_memory(a, got)
    seen = []

    def keep(row):
        seen.append(row)
        return row

    cupy.apply_along_axis(keep, 1, a)
    assert all(type(row) is cupy.ndarray for row in seen)


def test_results_keep_their_memory():
    for _ in range(50):
        u, s, vh = cupy.linalg.svd(cupy.asarray([[2., 1.], [1., 3.]]))
        del u, s
        big = [cupy.zeros(100) for _ in range(20)]
        numpy.testing.assert_allclose(abs(vh.get()), abs(numpy.linalg.svd([[2., 1.], [1., 3.]])[2]))
        del big


def test_strides_of_results():
    got = cupy.linalg.svd(cupy.asarray([[2., 1.], [1., 3.]]))
    want = numpy.linalg.svd(numpy.asarray([[2., 1.], [1., 3.]]))
    for g, w in zip(got, want):
        assert g.strides == w.strides and g.flags.c_contiguous == w.flags.c_contiguous
    assert type(got) is type(want)


def test_numpy_arguments_are_refused():
    for call in (lambda: cupy.fft.fft(numpy.zeros(3)), lambda: cupy.linalg.solve(cupy.eye(2), numpy.eye(2)),
                 lambda: cupy.einsum('i,i', cupy.zeros(2), numpy.zeros(2)), lambda: cupy.block([cupy.zeros(2), numpy.zeros(2)])):
        with pytest.raises(TypeError, match='cupy.asarray'):
            call()
    assert cupy.median([1, 2, numpy.float32(4)]) == 2  # lists and scalars of NumPy's are fine


def test_unsupported_results_name_the_dtype():
    with pytest.raises(TypeError, match='<U1|str'):
        cupy.unique(['a', 'b'])
    with pytest.raises(TypeError, match='M8|datetime'):
        cupy.unique([numpy.datetime64('2020-01-01')])


def test_scalars_are_scalars():
    got = cupy.median(cupy.asarray([1., 2.]))
    other = got
    got += 1
    assert float(other) == 1.5 and float(got) == 2.5


def test_numpy_functions_on_arrays():
    a = cupy.asarray([[4., 1.], [1., 3.]])
    for function in (numpy.linalg.inv, numpy.median, numpy.fft.fft, numpy.cov, numpy.roots):
        got = function(a if function is not numpy.roots else a[0])
        assert isinstance(got, cupy.ndarray)
    with pytest.raises(TypeError):
        numpy.linalg.solve(a, numpy.eye(2))


def test_no_floating_point_warnings():
    import warnings
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        with numpy.errstate(all='raise'):
            cupy.linalg.norm(cupy.asarray([1e300, 1e300]))
            cupy.polyval(cupy.asarray([1e300, 1e300]), 1e300)
            with numpy.errstate(all='warn'):
                pass
            with pytest.raises(FloatingPointError):
                numpy.float64(1e300) * numpy.float64(1e300)


def test_callbacks_nest():
    a = cupy.asarray([[1., 2.], [3., 4.]])
    got = cupy.apply_along_axis(lambda r: cupy.linalg.norm(cupy.apply_along_axis(cupy.linalg.norm, 0, r)), 1, a)
    assert type(got) is cupy.ndarray
    numpy.testing.assert_allclose(got.get(), numpy.linalg.norm(a.get(), axis=1))


def test_threads():
    from concurrent.futures import ThreadPoolExecutor
    a = cupy.asarray(numpy.random.default_rng(0).random((6, 6)))
    want = numpy.linalg.norm(a.get(), 2)
    with ThreadPoolExecutor(8) as pool:
        for got in pool.map(lambda _: float(cupy.linalg.norm(cupy.linalg.inv(cupy.linalg.inv(a)), 2)), range(200)):
            assert abs(got - want) < 1e-6


def test_errors_are_numpys():
    with pytest.raises(numpy.linalg.LinAlgError):
        cupy.linalg.inv(cupy.zeros((2, 2)))
    with pytest.raises(ValueError):
        cupy.histogram(cupy.asarray([1.]), bins=0)


def test_vectorize():
    def larger(x, y):
        return x if x > y else y

    want = numpy.vectorize(larger)(numpy.arange(3.), 1)
    got = cupy.vectorize(larger)(cupy.arange(3.), 1)
    assert isinstance(got, cupy.ndarray) and (got.get() == want).all() and got.dtype == want.dtype
    assert cupy.vectorize(larger).__name__ == 'larger'
    got = cupy.vectorize(lambda r: r.sum(), signature='(n)->()')(cupy.ones((2, 3)))
    assert got.get().tolist() == [3, 3]
    got = cupy.vectorize(lambda x: cupy.sqrt(x), otypes=[float])(cupy.asarray([1., 4.]))
    assert got.get().tolist() == [1, 2]

    @cupy.vectorize(otypes=[int])
    def twice(x):
        """Doubles."""
        return 2 * x

    assert twice(cupy.arange(3)).get().tolist() == [0, 2, 4] and twice.__doc__ == 'Doubles.'


def test_errstate_is_accepted_and_kept():
    with cupy.errstate(divide='ignore', invalid='warn'):
        assert cupy.geterr()['divide'] == 'ignore'
    assert cupy.geterr()['divide'] == 'warn'
    old = cupy.seterr(all='ignore')
    assert cupy.seterr(**old)['over'] == 'ignore' and cupy.geterr() == old
    for mode in ('raise', 'call', 'print'):
        with pytest.raises(NotImplementedError, match=mode):
            cupy.errstate(over=mode)
    with pytest.raises(ValueError):
        cupy.seterr(all='loudly')



def test_scalar_types_cast_scalars():
    for name in ('float32', 'int64', 'uint8', 'bool_', 'complex64', 'float64'):
        a = cupy.arange(3.)
        assert getattr(cupy, name)(a[1]) == getattr(numpy, name)(1)
        assert type(getattr(cupy, name)(a.sum())) is getattr(numpy, name)
    with pytest.raises(TypeError, match='get'):
        cupy.float32(cupy.arange(3.))
