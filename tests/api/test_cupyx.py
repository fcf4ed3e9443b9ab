"""cupyx: scatter functions, profiling, and SciPy's functions on arrays of ours."""
import inspect

import numpy
import pytest

import cupy
import cupyx
from oracle import Failures, compare, difference

scipy = pytest.importorskip('scipy')

# module: expressions of f (the module) and xp.
CASES = {
    'special': "f.erf(x)|f.gamma(x)|f.j0(x)|f.expit(x)|f.logsumexp(x)|f.softmax(x)|f.xlogy(x, x)|f.ellipj(x, .5)|f.zeta(x + 1)",
    'fft': "f.fft(x)|f.rfft(x)|f.dct(x)|f.idst(x)|f.fftn(m)|f.next_fast_len(13)|f.fftshift(x)",
    'linalg': "f.expm(m)|f.lu(m)|f.lu_factor(m)|f.lu_solve(f.lu_factor(m), x[:2])|f.solve_triangular(m, x[:2], lower=True)|f.toeplitz(x)"
              "|f.block_diag(m, m)|f.hilbert(3)",
    'ndimage': "f.gaussian_filter(x, 1)|f.convolve(x, x[:3])|f.label(x > 1)|f.center_of_mass(m)|f.rotate(m, 45)|f.zoom(x, 2)"
               "|f.generic_filter(x, lambda w: w.max(), 3)|f.find_objects(xp.asarray([0, 1, 1, 2]))|f.sobel(m)",
    'signal': "f.convolve(x, x)|f.butter(3, .2)|f.lfilter([1.], [1., .5], x)|f.find_peaks(x)[0]|f.welch(x, nperseg=4)|f.hilbert(x)"
              "|f.windows.hann(5)|f.get_window('hamming', 4)|f.savgol_filter(x, 3, 1)|f.TransferFunction([1.], [1., 2.]).poles",
    'interpolate': "f.CubicSpline(x, x * x)(1.5)|f.interp1d(x, x * 2)(xp.asarray([1.5, 2.5]))|f.make_interp_spline(x, x)(2.)"
                   "|f.PchipInterpolator(x, x).derivative()(1.5)|f.CubicSpline(x, x).c",
    'stats': "f.zscore(x)|f.entropy(x)|f.trim_mean(x, .1)",
    'spatial': "f.distance.cdist(m, m)|f.distance_matrix(m, m)|f.KDTree(m).query(m[0])|f.distance.euclidean(x, x + 1)",
    'sparse': "f.csr_matrix(m).toarray()|(f.csr_matrix(m) @ x[:2])|(f.csr_matrix(m) + f.eye(2)).toarray()|f.csr_matrix(m).T.toarray()"
              "|f.csr_matrix(m).data|f.coo_matrix(m).tocsr().indices|f.csr_matrix(m).nnz|f.csr_matrix(m).sum(axis=0).shape"
              "|f.linalg.spsolve(f.csc_matrix(m), x[:2])|f.csgraph.connected_components(f.csr_matrix(m))|f.csr_matrix(m)[0, 1]"
              "|f.csr_matrix(m).dot(x[:2])|f.linalg.cg(f.csr_matrix(m.T @ m), x[:2])[1]|(2 * f.csr_matrix(m)).toarray()",
}


def run(xp, module, case):
    import importlib
    f = importlib.import_module(f'scipy.{module}' if xp is numpy else f'cupyx.scipy.{module}')
    for sub in ('linalg', 'csgraph') if module == 'sparse' else ('windows',) if module == 'signal' else ():
        importlib.import_module(f'{f.__name__}.{sub}')
    names = {'xp': xp, 'f': f, 'x': xp.asarray([1., 2., 3., 5., 7., 4.5][:5]), 'm': xp.asarray([[2., 1.], [0.5, 3.]])}
    return eval(case, names)


@pytest.mark.parametrize('module', CASES)
def test_scipy(module):
    failures = Failures()
    for case in CASES[module].split('|'):
        failures(compare(run, module, case), case)
    failures.report()


def test_scipy_names_describe_themselves():
    from cupyx.scipy.special import erf
    assert erf.__name__ == 'erf' and erf.__module__ == 'cupyx.scipy.special'
    from cupyx.scipy.linalg import expm
    assert list(inspect.signature(expm).parameters) == ['A']
    import cupyx.scipy.sparse as sparse
    m = sparse.csr_matrix(cupy.eye(2))
    assert isinstance(m, sparse.csr_matrix) and isinstance(m.tocoo(), sparse.coo_matrix)
    assert cupyx.scipy.get_array_module(m) is cupy and cupyx.scipy.get_array_module(numpy.zeros(1)) is numpy
    with pytest.raises(AttributeError, match='nothing'):
        cupyx.scipy.special.nothing
    with pytest.raises(TypeError, match='cupy.asarray'):
        erf(numpy.zeros(3))


def test_scipy_missing(monkeypatch):
    import sys
    monkeypatch.setitem(sys.modules, 'scipy.stats', None)
    monkeypatch.delitem(sys.modules, 'cupyx.scipy.stats', raising=False)
    import importlib
    stats = importlib.import_module('cupyx.scipy.stats')
    with pytest.raises(ImportError, match='pip install scipy'):
        stats.zscore


def test_scatter():
    a = cupy.zeros(4)
    cupyx.scatter_add(a, cupy.asarray([1, 1, 3]), 2.)
    cupyx.scatter_max(a, cupy.asarray([0]), 5.)
    cupyx.scatter_min(a, cupy.asarray([1]), cupy.asarray([-1.]))
    assert a.get().tolist() == [5, -1, 0, 2]


def test_rsqrt():
    assert not difference(1 / numpy.sqrt(numpy.array([4., .25])), cupyx.rsqrt(cupy.asarray([4., .25])))


def test_profiler():
    result = cupyx.profiler.benchmark(lambda x: x + 1, (cupy.ones(3),), n_repeat=3, n_warmup=1)
    assert result.cpu_times.shape == (3,) and result.gpu_times.shape == (1, 3)
    assert 'CPU' in str(result)
    with cupyx.profiler.time_range('x'), cupyx.profiler.profile():
        pass


def test_pinned_memory():
    a = cupyx.zeros_pinned((2, 3), 'f4')
    assert isinstance(a, numpy.ndarray) and a.shape == (2, 3) and a.sum() == 0 and a.flags.writeable
    b = cupyx.empty_like_pinned(cupy.ones(4, 'i2'))
    b[:] = 3
    assert cupy.asarray(b).sum() == 12


def test_errstate():
    assert cupyx.geterr()['linalg'] == 'raise'
    with cupyx.errstate(divide='ignore', linalg='raise'):
        assert cupy.geterr()['divide'] == 'ignore'
    with pytest.raises(NotImplementedError):
        cupyx.errstate(linalg='ignore')
    assert 'NumPy' in str(cupyx.get_runtime_info())


def test_kernels_say_that_they_need_a_compiler():
    for make in (lambda: cupy.RawKernel('', 'f'), lambda: cupy.ElementwiseKernel('T x', 'T y', 'y = x'), lambda: cupy.RawModule(code=''),
                 lambda: cupy.ReductionKernel('T x', 'T y', 'x', 'a + b', 'y = a', '0')):
        with pytest.raises(NotImplementedError, match='CUDA C'):
            make()
    with pytest.raises(AttributeError, match='CUDA'):
        cupyx.jit.rawkernel


def test_fuse_and_memoize():
    @cupy.fuse()
    def f(x, y):
        """Adds."""
        return x + y

    assert f(1, 2) == 3 and f.__doc__ == 'Adds.'
    assert cupy.fuse(lambda x: x)(5) == 5
    assert cupy.fuse(kernel_name='g')(lambda x: x).__name__ == 'g'
    calls = []

    @cupy.memoize()
    def g(x):
        calls.append(x)
        return x

    assert [g(1), g(1), g(2)] == [1, 1, 2] and calls == [1, 2]
    cupy.clear_memo()
    g(1)
    assert calls == [1, 2, 1]


def test_old_names():
    for old in ('Inf', 'NaN', 'PINF', 'float_', 'complex_', 'product', 'cumproduct', 'sometrue', 'alltrue', 'round_', 'in1d', 'trapz',
                'asfarray', 'msort', 'AxisError', 'RankWarning', 'find_common_type', 'issubclass_', 'sctype2char', 'byte_bounds'):
        assert hasattr(cupy, old), old
    assert cupy.NINF == -numpy.inf and cupy.PZERO == 0
    with pytest.raises(AttributeError, match='NumPy 2'):
        cupy.safe_eval


def test_get_array_module_and_asnumpy():
    a = cupy.arange(3)
    assert cupy.get_array_module(a, 3) is cupy and cupy.get_array_module(numpy.zeros(1)) is numpy
    b = cupy.asnumpy(a)
    b[0] = 9
    assert a.get().tolist() == [0, 1, 2] and type(cupy.asnumpy([1])) is numpy.ndarray
    out = numpy.empty(3, 'i8')
    assert cupy.asnumpy(a, out=out) is out and out.tolist() == [0, 1, 2]


def test_every_scipy_name():
    """CuPy's names in cupyx.scipy that the installed SciPy has are there, and the others say what is the matter."""
    import importlib
    import os
    with open(os.path.join(os.path.dirname(__file__), '..', 'data', 'cupyx_scipy.txt'), encoding='utf-8') as f:
        names = f.read().split()
    served = 0
    for full in names:
        module, _, name = full.rpartition('.')
        source, ours = importlib.import_module(module[len('cupyx.'):]), importlib.import_module(module)
        if hasattr(source, name):
            assert getattr(ours, name) is not None
            served += 1
        elif name != 'get_fft_plan':
            with pytest.raises(AttributeError, match='SciPy'):
                getattr(ours, name)
    assert served > 500
    with pytest.raises(NotImplementedError):
        cupyx.scipy.fft.get_fft_plan(cupy.zeros(3))


def test_top_level_names_of_cupy():
    for name in ('ElementwiseKernel', 'RawKernel', 'RawModule', 'ReductionKernel', 'asnumpy', 'clear_memo', 'cuda', 'fromDlpack', 'fuse',
                 'disable_experimental_feature_warning', 'get_array_module', 'get_default_memory_pool', 'get_default_pinned_memory_pool',
                 'is_available', 'make_aligned_dtype', 'memoize', 'show_config', 'ufunc', 'vectorize', 'poly1d', 'broadcast'):
        assert hasattr(cupy, name), name
    assert 'linalg' in dir(cupy) and 'poly1d' in dir(cupy) and 'zeros' in dir(cupy)
