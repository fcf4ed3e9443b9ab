"""Short ways to the gufuncs behind numpy.linalg and numpy.fft, for plain arguments in host memory.

On small arrays NumPy's checks in Python cost more than the work. The gufuncs' names are private: where one is missing, and for all
other arguments, NumPy's public function is called.
"""
from cupy._core._host_call cimport adopt, adopt_any, give_context, numpy_view, take_context
from cupy._core.core cimport ndarray, new_array
from cupy_backends.backend.xpu cimport XPU_COMPLEX64, XPU_COMPLEX128, XPU_FLOAT32, XPU_FLOAT64

import numpy

cdef object _solve, _solve1, _inv, _det, _cholesky, _eigh, _svd_full, _svd_reduced, _fft
cdef type _SVDResult, _EighResult


cdef object _run(str failure, object function, object x, object y=None, object z=None):
    """Calls function(x[, y[, z]]); the gufuncs' sign of failure, an invalid operation, raises LinAlgError."""
    context = take_context(failure)
    try:
        if y is None:
            return context.run(function, x)
        return context.run(function, x, y) if z is None else context.run(function, x, y, z)
    finally:
        give_context(failure, context)


cdef bint _double(ndarray a) noexcept:
    """NumPy's linear algebra computes in double precision, whatever the dtype."""
    return a.t.dtype == XPU_FLOAT64 or a.t.dtype == XPU_COMPLEX128


cdef bint _plain(object x) noexcept:
    """Double precision, at least two dimensions, not empty, square."""
    cdef ndarray a
    if type(x) is not ndarray:
        return False
    a = <ndarray>x
    return (_double(a) and a.t.ndim >= 2 and a.t.size > 0
            and a.t.shape[a.t.ndim - 1] == a.t.shape[a.t.ndim - 2])


cdef bint _inexact(ndarray a) noexcept:
    return a.t.dtype in (XPU_FLOAT32, XPU_FLOAT64, XPU_COMPLEX64, XPU_COMPLEX128)


def solve(tuple args):
    cdef ndarray b
    if len(args) != 2 or not _plain(args[0]) or type(args[1]) is not ndarray:
        return NotImplemented
    b = args[1]
    if b.t.dtype != (<ndarray>args[0]).t.dtype or b.t.size == 0 or b.t.ndim == 0:
        return NotImplemented
    return adopt_any(_run('Singular matrix', _solve1 if b.t.ndim == 1 else _solve, numpy_view(args[0]), numpy_view(b)))


def inv(tuple args):
    if len(args) != 1 or not _plain(args[0]):
        return NotImplemented
    return adopt(_run('Singular matrix', _inv, numpy_view(args[0])))


def det(tuple args):
    if len(args) != 1 or not _plain(args[0]):
        return NotImplemented
    return adopt_any(_run('', _det, numpy_view(args[0])))


def cholesky(tuple args):
    if len(args) != 1 or not _plain(args[0]):
        return NotImplemented
    return adopt(_run('Matrix is not positive definite', _cholesky, numpy_view(args[0])))


def eigh(tuple args):
    if len(args) != 1 or not _plain(args[0]):
        return NotImplemented
    w, v = _run('Eigenvalues did not converge', _eigh, numpy_view(args[0]))
    return tuple.__new__(_EighResult, (adopt(w), adopt(v)))


def svd(tuple args):
    cdef ndarray a
    if not 1 <= len(args) <= 2 or type(args[0]) is not ndarray:
        return NotImplemented
    a = args[0]
    if not _double(a) or a.t.ndim < 2 or a.t.size == 0:
        return NotImplemented
    function = _svd_full if len(args) == 1 or args[1] else _svd_reduced
    u, s, vh = _run('SVD did not converge', function, numpy_view(a))
    return tuple.__new__(_SVDResult, (adopt(u), adopt(s), adopt(vh)))


def fft(tuple args):
    """Along the last axis, of its own length."""
    cdef ndarray a, r
    if len(args) != 1 or type(args[0]) is not ndarray:
        return NotImplemented
    a = args[0]
    if not _inexact(a) or a.t.ndim == 0 or a.t.shape[a.t.ndim - 1] == 0:
        return NotImplemented
    r = new_array(XPU_COMPLEX64 if a.t.dtype in (XPU_FLOAT32, XPU_COMPLEX64) else XPU_COMPLEX128, a.t.ndim, a.t.shape)
    _run('', _fft, numpy_view(a), 1, numpy_view(r))
    return r


def _find():
    """The ways that the installed NumPy allows, by the name of the function."""
    global _solve, _solve1, _inv, _det, _cholesky, _eigh, _svd_full, _svd_reduced, _fft, _SVDResult, _EighResult
    found = {}
    if int(numpy.__version__.partition('.')[0]) < 2:  # its error settings do not follow contexts
        return found
    try:
        from numpy.linalg import _umath_linalg as u
        from numpy.linalg._linalg import EighResult, SVDResult
        _solve, _solve1, _inv, _det, _cholesky, _eigh = u.solve, u.solve1, u.inv, u.det, u.cholesky_lo, u.eigh_lo
        _svd_full, _svd_reduced, _SVDResult, _EighResult = u.svd_f, u.svd_s, SVDResult, EighResult
        found.update({'linalg.solve': solve, 'linalg.inv': inv, 'linalg.det': det, 'linalg.cholesky': cholesky, 'linalg.eigh': eigh,
                      'linalg.svd': svd})
    except (ImportError, AttributeError):
        pass
    try:
        from numpy.fft import _pocketfft_umath as p
        _fft = p.fft
        if p.fft.signature == '(n),()->(m)':
            found['fft.fft'] = fft
    except (ImportError, AttributeError):
        pass
    return found


FAST = _find()
