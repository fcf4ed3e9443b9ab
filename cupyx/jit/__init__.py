"""CuPy's JIT compiler for CUDA kernels, which no backend here has."""


def __getattr__(name):
    if name.startswith('_'):
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    raise AttributeError(f'cupyx.jit has no {name!r}: it compiles CUDA kernels, and no backend here can; use array functions')
