"""CuPy's own signal functions. None is built yet; SciPy's are in cupyx.scipy.signal."""


def __getattr__(name):
    if name.startswith('_'):
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    raise AttributeError(f'cupyx.signal has no {name!r} yet; look in cupyx.scipy.signal')
