"""Functions that give complex results where real ones do not exist, such as sqrt(-1)."""
import cupy

__all__ = ['arccos', 'arcsin', 'arctanh', 'log', 'log10', 'log2', 'logn', 'power', 'sqrt']


def _complex(x):
    return x.astype(cupy.complex64 if x.dtype.char in 'fbhBHF' else cupy.complex128)


def _for_negatives(x):
    """x, as complex numbers if one is negative. On a device that waits for the answer."""
    x = cupy.asarray(x)
    return _complex(x) if x.dtype.kind in 'if' and (x < 0).any() else x


def _beyond_one(x):
    x = cupy.asarray(x)
    return _complex(x) if x.dtype.kind in 'iuf' and (abs(x) > 1).any() else x


def sqrt(x):
    """The square root; complex for arrays with a negative number."""
    return cupy.sqrt(_for_negatives(x))


def log(x):
    """The natural logarithm; complex for arrays with a negative number."""
    return cupy.log(_for_negatives(x))


def log10(x):
    """The logarithm to base 10; complex for arrays with a negative number."""
    return cupy.log10(_for_negatives(x))


def log2(x):
    """The logarithm to base 2; complex for arrays with a negative number."""
    return cupy.log2(_for_negatives(x))


def logn(n, x):
    """The logarithm of x to base n; complex where one has a negative number."""
    return cupy.log(_for_negatives(x)) / cupy.log(_for_negatives(n))


def power(x, p):
    """x to the power p; complex for arrays x with a negative number, float where integers have a negative power."""
    x, p = _for_negatives(x), cupy.asarray(p)
    if p.dtype.kind == 'i' and (p < 0).any():
        p = p * 1.0
    return cupy.power(x, p)


def arccos(x):
    """The inverse cosine; complex for arrays with a number beyond -1 to 1."""
    return cupy.arccos(_beyond_one(x))


def arcsin(x):
    """The inverse sine; complex for arrays with a number beyond -1 to 1."""
    return cupy.arcsin(_beyond_one(x))


def arctanh(x):
    """The inverse hyperbolic tangent; complex for arrays with a number beyond -1 to 1."""
    return cupy.arctanh(_beyond_one(x))
