"""What is not built from ops yet, or never will be: a row names a NumPy module, the reason, and its functions.

A function may carry flags, `name:flag+flag`; cupy._core._host_call explains them. '*' stands for the public functions of the module.
When a function is built from ops its name leaves this table.
"""

ROWS = (
    # module, reason, functions
    ('', 'searches orders of contractions', 'einsum_path'),
    ('', 'counts into bins', 'bincount histogram histogram2d histogramdd histogram_bin_edges'),
    ('', 'a search that follows sorted points', 'interp'),
    ('', 'sliding products', 'convolve correlate'),
    ('', 'Bessel series', 'i0'),
    ('', 'polynomial arithmetic on short coefficient lists', 'poly polyadd polyder polydiv polyfit polyint polymul polysub polyval roots'),
    ('', 'calls a Python function for each slice', 'apply_along_axis:callback apply_over_axes:callback piecewise:callback'),
    ('', 'bits of bytes', 'packbits unpackbits'),
    ('', 'prints', 'array2string:quiet+raw+hostarrays+design array_repr:quiet+raw+hostarrays+design array_str:quiet+raw+hostarrays+design '
     'base_repr:quiet+raw+design binary_repr:quiet+raw+design format_float_positional:quiet+raw+design '
     'format_float_scientific:quiet+raw+design'),
    ('', 'reads files and text', 'fromfile:quiet+design fromregex:design genfromtxt:design loadtxt:design'),
    ('', 'writes files', 'save:quiet+raw+hostarrays+design savetxt:quiet+raw+hostarrays+design savez:quiet+raw+hostarrays+design '
     'savez_compressed:quiet+raw+hostarrays+design'),
    ('', 'reads the value', 'min_scalar_type:quiet+raw'),
    ('linalg', 'LAPACK on the host',
     'cholesky:quiet cond det eig:quiet eigh:quiet eigvals:quiet eigvalsh:quiet inv:quiet lstsq:quiet matrix_rank '
     'pinv qr slogdet solve:quiet svd:quiet svdvals:quiet tensorinv tensorsolve'),
    ('fft', 'pocketfft on the host',
     'fft fft2 fftn hfft ifft ifft2 ifftn ihfft irfft irfft2 irfftn '
     'rfft rfft2 rfftn'),
    ('polynomial.polynomial', 'polynomial arithmetic on short coefficient lists', '*'),
    ('polynomial.chebyshev', 'polynomial arithmetic on short coefficient lists', '*'),
    ('polynomial.hermite', 'polynomial arithmetic on short coefficient lists', '*'),
    ('polynomial.hermite_e', 'polynomial arithmetic on short coefficient lists', '*'),
    ('polynomial.laguerre', 'polynomial arithmetic on short coefficient lists', '*'),
    ('polynomial.legendre', 'polynomial arithmetic on short coefficient lists', '*'),
    ('polynomial.polyutils', 'polynomial arithmetic on short coefficient lists', '*'),
)

# Takes functions of the user, in modules served by '*'.
CALLBACKS = {'chebinterpolate', 'chebfromfunction'}

# Names with no meaning for arrays on a device, and what to use instead.
_TEXT = 'text lives on the host: use numpy.{name} on numpy arrays (.get() gives one)'
_DATES = 'dates live on the host: use numpy.{name}'
_WIDE = 'no device has this type: use numpy.{name} on the host'
_OTHER = 'arrays hold numbers and bool: use numpy.{name} on the host, with .get()'
HOST_ONLY = {
    _TEXT: 'char strings str_ bytes_ character',
    _DATES: 'datetime64 timedelta64 datetime_as_string datetime_data busday_count busday_offset busdaycalendar is_busday isnat',
    _WIDE: 'longdouble clongdouble float128 complex256 float96 complex192',
    _OTHER: 'object_ void flexible record recarray rec ma matrix asmatrix bmat matlib memmap',
    'it steps through host memory: use numpy.{name} on .get(), or array expressions here': 'nditer nested_iters',
    'a Python function per element has no array form: use cupy.vectorize, or numpy.{name} on .get()': 'frompyfunc',
    'floating-point errors are not reported here: use numpy.{name}': 'geterrcall seterrcall getbufsize setbufsize',
    'it concerns NumPy itself: use numpy.{name}': 'ctypeslib f2py core test info',
}
