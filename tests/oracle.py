"""NumPy is the oracle: the same code runs with numpy and with cupy, and the answers are compared.

Equal means: value, dtype, shape or the type of the exception. Where numpy gives one of its scalars, cupy gives a 0-d array.
"""
import numpy

import cupy
import cupy.xpu

# On the host the bits are NumPy's. Another device rounds by itself: IEEE 754 fixes the results of + - * / and sqrt alone, not those of
# exp or sin, nor the order in which a sum is added, and CANN documents neither, nor the sign of a zero or a NaN. So on a device floats
# are compared within a few units in the last place, or the errors of sums relative to their summands; all else stays exact.
# Of complex numbers that are not finite C99 (annex G) fixes only that they are infinite: NumPy itself has NaN where C has infinity or 0.
DEVICE = cupy.xpu.backend_name() != 'host'
DEVICE_ULP = 8


def host(x):
    """cupy arrays in x as numpy arrays."""
    return cupy.asnumpy(x) if isinstance(x, cupy.ndarray) else x


def outcome(function, *args):
    """(result, None) or (None, exception)."""
    try:
        with numpy.errstate(all='ignore'):
            return function(*args), None
    except (SyntaxError, NameError):
        raise  # the case itself is wrong
    except Exception as error:
        return None, error


def _error_of(want, got):
    if (want is None) != (got is None):
        return f'numpy: {want!r}, cupy: {got!r}'
    # NumPy raises private subclasses (of ufunc type errors, say): a base of it that users can name will do
    if want is not None and not (isinstance(got, type(want)) or (isinstance(want, type(got)) and type(got) is not Exception)):
        return f'numpy raises {type(want).__name__}: {want}; cupy {type(got).__name__}: {got}'
    return ''


def _units(want, got):
    """The largest distance in units in the last place, NaN equal to NaN, infinities only to themselves."""
    real = numpy.dtype(want.dtype.char.lower()) if want.dtype.kind == 'c' else want.dtype
    with numpy.errstate(all='ignore'):
        same = (want == got) | ((want != want) & (got != got))
        if want.dtype.kind == 'c':  # parts may be NaN or infinite on their own
            parts = [(getattr(want, p), getattr(got, p)) for p in ('real', 'imag')]
            same |= numpy.logical_and.reduce([(a == b) | ((a != a) & (b != b)) for a, b in parts])
            if DEVICE:
                same |= numpy.isnan(want) | ~(numpy.isfinite(want) | numpy.isfinite(got))
        want, got = want[~same], got[~same]
        if want.size == 0:
            return 0.0
        wide = numpy.complex128 if want.dtype.kind == 'c' else numpy.float64
        size = numpy.maximum(abs(want), abs(got)).astype(real)
        distance = abs(want.astype(wide) - got.astype(wide)) / numpy.spacing(size).astype('f8')
    return float('inf') if (distance != distance).any() else float(distance.max())


def array_difference(want, got, ulp=0, atol=0):
    """Text saying how two numpy arrays differ, '' if they are equal. With ulp 0 the bits are compared, NaNs being alike."""
    if want.dtype != got.dtype:
        return f'dtype {want.dtype}, cupy {got.dtype}'
    if want.shape != got.shape:
        return f'shape {want.shape}, cupy {got.shape}'
    if want.tobytes() == got.tobytes():
        return ''
    if want.dtype.kind in 'fc':
        units = _units(want, got)
        ulp = max(ulp, DEVICE_ULP) if DEVICE else ulp
        with numpy.errstate(all='ignore'):
            near = numpy.any(atol) and numpy.allclose(want, got, 0, atol, equal_nan=True)
        if (ulp and units <= ulp) or near:
            return ''
        if units == 0:
            if ulp:
                return ''
            signs = [numpy.signbit(part) for a in (want, got) for part in ((a.real, a.imag) if a.dtype.kind == 'c' else (a,))]
            nan = want != want
            half = len(signs) // 2
            if all((s == o)[~nan].all() for s, o in zip(signs[:half], signs[half:])):
                return ''
            return 'signs of zeros differ: ' + _first(want, got, numpy.signbit(want.real) != numpy.signbit(got.real))
        return f'{units:.4g} ulp: ' + _first(want, got)
    return _first(want, got)


def sum_difference(want, got, magnitude):
    """array_difference for sums and products, whose rounding is within eps of `magnitude`, a number or one per element.

    Elements with an infinite magnitude are not compared.
    """
    if not DEVICE or want.dtype.kind not in 'fc' or want.shape != got.shape:
        return array_difference(want, got)
    fixed = numpy.isfinite(magnitude)
    with numpy.errstate(all='ignore'):
        want, got = (numpy.where(fixed, a, 0).astype(a.dtype) for a in (want, got))
        return array_difference(want, got, atol=float(numpy.finfo(want.dtype).eps) * numpy.where(fixed, magnitude, 0))


def _first(want, got, different=None):
    """Both arrays if they are small, else their first elements that differ."""
    if want.size <= 8:
        return f'{want.tolist()}, cupy {got.tolist()}'
    if different is None:
        different = (want != got) & ((want == want) | (got == got))
    at = numpy.unravel_index(different.argmax(), want.shape)
    return f'{different.sum()} elements, first at {tuple(map(int, at))}: {want[at]!r}, cupy {got[at]!r}'


def difference(want, got, ulp=0, atol=0):
    """Text saying how a result of numpy and one of cupy differ, '' if they do not."""
    if isinstance(want, (numpy.ndarray, numpy.generic)) and not isinstance(want, (numpy.dtype, numpy.void)):
        if isinstance(got, numpy.ndarray) and cupy.ndarray is not numpy.ndarray:
            return 'cupy returned a numpy.ndarray'
        if not hasattr(got, 'dtype'):
            return f'{want!r}, cupy {type(got).__name__} {got!r}'
        return array_difference(numpy.asarray(want), numpy.asarray(host(got)), ulp, atol)
    if isinstance(want, (tuple, list)):
        if not isinstance(got, (tuple, list)) or isinstance(want, tuple) != isinstance(got, tuple):
            return f'{type(want).__name__}, cupy {type(got).__name__}'
        if len(want) != len(got):
            return f'{len(want)} items, cupy {len(got)}'
        found = (difference(w, g, ulp, atol) for w, g in zip(want, got))
        return next((f'item {i}: {text}' for i, text in enumerate(found) if text), '')
    if isinstance(want, dict):
        return difference(sorted(want.items()), sorted(got.items()), ulp, atol)
    if isinstance(want, type):
        return '' if want is got else f'{want!r}, cupy {got!r}'
    if type(want) is not type(got) and not (type(want).__module__.startswith('numpy')):
        return f'{type(want).__name__} {want!r}, cupy {type(got).__name__} {got!r}'
    if isinstance(want, (float, complex)):
        return array_difference(numpy.asarray(want), numpy.asarray(got), ulp, atol)
    if isinstance(want, (bool, int, str, bytes, type(None), numpy.dtype)):
        return '' if want == got else f'{want!r}, cupy {got!r}'
    if callable(getattr(want, '__array__', None)):
        return difference(numpy.asarray(want), numpy.asarray(host(got)), ulp, atol)
    return ''  # other objects are compared by what a case does with them


def compare(function, *args, ulp=0, atol=0):
    """Runs function(numpy, ...) and function(cupy, ...); text saying how they differ, '' if they do not."""
    want, want_error = outcome(function, numpy, *args)
    got, got_error = outcome(function, cupy, *args)
    return _error_of(want_error, got_error) or difference(want, got, ulp, atol)


def check(function, *args, ulp=0, atol=0):
    """Asserts that function gives the same with numpy and with cupy."""
    text = compare(function, *args, ulp=ulp, atol=atol)
    assert not text, text


class Failures:
    """Collects what went wrong in a long loop within one test, so that all of it is seen."""

    def __init__(self):
        self.lines, self.count = [], 0

    def __call__(self, text, *what):
        self.count += 1
        if text:
            self.lines.append(' '.join(map(str, what)) + ': ' + text)

    def report(self, shown=40):
        assert self.count, 'nothing was compared'
        assert not self.lines, f'{len(self.lines)} of {self.count} differ\n' + '\n'.join(self.lines[:shown])
