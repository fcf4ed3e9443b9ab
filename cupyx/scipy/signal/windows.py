"""scipy.signal.windows for arrays of ours."""
from cupyx.scipy._serve import serve as _serve

__getattr__, __dir__ = _serve(__name__)
