"""Errors and checks of CuPy's compiler of CUDA kernels; nothing is compiled here."""
import re


class CompileException(Exception):
    """A kernel that did not compile.

    CompileException(msg, source, name, options, backend='nvrtc')
    """

    def __init__(self, msg, source, name, options, backend='nvrtc'):
        super().__init__(msg)
        self._msg, self.source, self.name, self.options, self.backend = msg, source, name, options, backend

    def __reduce__(self):
        return type(self), (self._msg, self.source, self.name, self.options, self.backend)

    def get_message(self):
        """The compiler's text."""
        return self._msg

    def dump(self, f):
        """Writes the source with line numbers and the options to a file object."""
        for number, line in enumerate(self.source.split('\n'), 1):
            f.write(f'{number:4} {line}\n')
        f.write(f'options: {self.options}\n')
        f.flush()


class NVCCException(Exception):
    """nvcc failed."""


class HIPCCException(Exception):
    """hipcc failed."""


class JitifyException(Exception):
    """jitify failed."""


def is_valid_kernel_name(name):
    """Whether a string can name a kernel: an identifier of C."""
    return re.fullmatch(r'[a-zA-Z_][a-zA-Z_0-9]*', name) is not None
