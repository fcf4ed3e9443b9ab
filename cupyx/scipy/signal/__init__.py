"""scipy.signal for arrays of ours."""
from cupyx.scipy._serve import serve as _serve
from cupyx.scipy.signal import windows  # noqa: F401

__getattr__, __dir__ = _serve(__name__)
