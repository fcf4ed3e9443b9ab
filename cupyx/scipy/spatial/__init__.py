"""scipy.spatial for arrays of ours."""
from cupyx.scipy._serve import serve as _serve
from cupyx.scipy.spatial import distance  # noqa: F401

__getattr__, __dir__ = _serve(__name__)
