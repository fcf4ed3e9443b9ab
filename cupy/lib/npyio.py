"""Reading of .npz files."""
from collections.abc import Mapping

from numpy.lib.npyio import DataSource, NpzFile as _NpzFile

from cupy._core._host_call import ours, register_proxy

__all__ = ['DataSource', 'NpzFile']


class NpzFile(Mapping):
    """The arrays of an .npz file by name, read when asked for. cupy.load gives one; use it with `with`, or call close().

    Attributes:
        files: the names of the arrays.
        f: the arrays as attributes.
    """

    class _Fields:
        def __init__(self, archive):
            self._archive = archive

        def __getattr__(self, name):
            try:
                return self._archive[name]
            except KeyError:
                raise AttributeError(name) from None

        def __dir__(self):
            return list(self._archive)

    def __init__(self, archive):
        self._numpy = archive
        self.files = archive.files
        self.f = NpzFile._Fields(self)

    fid = property(lambda self: self._numpy.fid)
    zip = property(lambda self: self._numpy.zip)

    def __getitem__(self, key):
        return ours(self._numpy[key])

    def __iter__(self):
        return iter(self.files)

    def __len__(self):
        return len(self.files)

    def __contains__(self, key):
        return key in self._numpy

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def close(self):
        """Closes the file."""
        self._numpy.close()

    def __repr__(self):
        return repr(self._numpy)


register_proxy(_NpzFile, NpzFile)
