"""scipy.sparse for arrays of ours: matrices stand for SciPy's, their data come out as arrays of ours."""
from cupyx.scipy._serve import serve as _serve
from cupyx.scipy.sparse import csgraph, linalg  # noqa: F401

__getattr__, __dir__ = _serve(__name__)
