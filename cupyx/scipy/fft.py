"""scipy.fft for arrays of ours."""
from cupyx.scipy._serve import no_plan as _no_plan, serve as _serve

__getattr__, __dir__ = _serve(__name__, {'get_fft_plan': _no_plan})
