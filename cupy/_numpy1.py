"""What NumPy 1.26 lacks of NumPy 2's names, for environments that hold the old one."""
import numpy

_KINDS = {'bool': numpy.bool_, 'signed integer': numpy.signedinteger, 'unsigned integer': numpy.unsignedinteger,
          'integral': numpy.integer, 'real floating': numpy.floating, 'complex floating': numpy.complexfloating,
          'numeric': numpy.number}


def isdtype(dtype, kind):
    """Whether a dtype is of a kind of the array API standard.

    Args:
        dtype: a dtype or scalar type.
        kind: a kind such as 'real floating', a dtype, or a tuple of those.

    Raises:
        ValueError: an unknown kind.
    """
    dtype = numpy.dtype(dtype)
    for k in kind if isinstance(kind, tuple) else (kind,):
        if isinstance(k, str):
            if k not in _KINDS:
                raise ValueError(f'kind argument is a string, but {k!r} is not a known kind name.')
            if numpy.issubdtype(dtype, _KINDS[k]):
                return True
        elif numpy.dtype(k) == dtype:
            return True
    return False


def svdvals(x, /):
    """The singular values of matrices, the last two axes of x."""
    import cupy
    return cupy.linalg.svd(x, compute_uv=False, hermitian=False)


TOP = {'isdtype': isdtype, 'long': numpy.int_, 'ulong': numpy.uint}
