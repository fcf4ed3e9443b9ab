"""CuPy's kernel classes. Kernels in CUDA C need a CUDA compiler, which no backend here has: they say so when they are made."""
import functools


def _no_kernels(name, instead):
    raise NotImplementedError(f'cupy.{name} compiles CUDA C, and no backend here has a compiler for it: {instead}')


class ElementwiseKernel:
    """An elementwise kernel in CUDA C. NotImplementedError: write the expression with array functions, or cupy.vectorize."""

    def __init__(self, in_params, out_params, operation, name='kernel', reduce_dims=True, preamble='', no_return=False,
                 return_tuple=False, **kwargs):
        _no_kernels('ElementwiseKernel', 'write the expression with array functions')


class ReductionKernel:
    """A reduction in CUDA C. NotImplementedError: write it with array functions and reductions."""

    def __init__(self, in_params, out_params, map_expr, reduce_expr, post_map_expr, identity, name='reduce_kernel', reduce_type=None,
                 reduce_dims=True, preamble='', options=()):
        _no_kernels('ReductionKernel', 'write it with array functions and reductions such as cupy.sum')


class RawKernel:
    """A kernel in CUDA C. NotImplementedError: write it with array functions."""

    def __init__(self, code, name, options=(), backend='nvrtc', *, translate_cucomplex=False, enable_cooperative_groups=False,
                 jitify=False):
        _no_kernels('RawKernel', 'write it with array functions')


class RawModule:
    """A module of CUDA C. NotImplementedError: write it with array functions."""

    def __init__(self, *, code=None, path=None, options=(), backend='nvrtc', translate_cucomplex=False, enable_cooperative_groups=False,
                 name_expressions=None, jitify=False):
        _no_kernels('RawModule', 'write it with array functions')


def fuse(*args, **kwargs):
    """A decorator for functions of arrays. The function runs as it is, operation by operation: nothing is fused.

    Args:
        kernel_name: the function's new `__name__`.
    """
    def decorate(function, kernel_name=None):
        @functools.wraps(function)
        def fused(*args, **kwargs):
            return function(*args, **kwargs)
        if kernel_name is not None:
            fused.__name__ = kernel_name
        return fused

    if len(args) == 1 and callable(args[0]) and not kwargs:
        return decorate(args[0])
    return lambda function: decorate(function, *args, **kwargs)


_memos = []


def memoize(for_each_device=False):
    """A decorator that keeps a function's results by its arguments, until clear_memo().

    Args:
        for_each_device: whether results are kept for each device apart.
    """
    def decorate(function):
        memo = {}
        _memos.append(memo)

        @functools.wraps(function)
        def remembered(*args, **kwargs):
            device = None
            if for_each_device:
                from cupy.xpu import Device
                device = Device().id
            key = (device, args, frozenset(kwargs.items()))
            if key not in memo:
                memo[key] = function(*args, **kwargs)
            return memo[key]
        return remembered
    return decorate


def clear_memo():
    """Forgets the results of all memoized functions."""
    for memo in _memos:
        memo.clear()


def make_aligned_dtype(dtype, *, alignment=None, recurse=True):
    """Structured dtypes as CUDA aligns them. NotImplementedError: arrays hold plain numbers."""
    raise NotImplementedError('arrays hold numbers and bool: structured dtypes live on the host, in numpy')


def disable_experimental_feature_warning():
    """Accepted; nothing here is experimental in that sense."""


def is_available():
    """Whether a device can be used. The host backend is always there."""
    return True
