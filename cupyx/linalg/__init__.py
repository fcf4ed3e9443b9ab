"""Linear algebra beyond NumPy's."""
import cupy
from cupy.linalg import cholesky, inv, solve

__all__ = ['cho_solve', 'invh']


def invh(a):
    """The inverse of symmetric or Hermitian positive definite matrices.

    Args:
        a: (..., n, n); the lower triangle is read.

    Raises:
        LinAlgError: a matrix is not positive definite.
    """
    half = inv(cholesky(a))
    return cupy.swapaxes(half, -1, -2).conj() @ half


def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    """Solves A x = b with the Cholesky factor of A.

    Args:
        c_and_lower: (factor, whether it is the lower triangle).
        b: right-hand side, (n,) or (n, k).
        overwrite_b: accepted; b is not overwritten.
        check_finite: whether to raise ValueError for infinities and NaN.
    """
    c, lower = c_and_lower
    if check_finite and not (cupy.isfinite(c).all() and cupy.isfinite(b).all()):
        raise ValueError('array must not contain infs or NaNs')
    low = cupy.tril(c) if lower else cupy.triu(c).T.conj()
    return solve(low.T.conj(), solve(low, b))
