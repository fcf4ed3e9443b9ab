"""Floating-point error settings. They are accepted and kept; no backend reports such errors, so only silent ones can be had."""
import contextvars
from contextlib import ContextDecorator

_KINDS = ('divide', 'over', 'under', 'invalid')
_settings = contextvars.ContextVar('cupy_errstate', default={'divide': 'warn', 'over': 'warn', 'under': 'ignore', 'invalid': 'warn'})


def _checked(all, given):
    changes = {}
    for kind in _KINDS:
        value = given[kind] if given[kind] is not None else all
        if value is None:
            continue
        if value in ('raise', 'call', 'print', 'log'):
            raise NotImplementedError(f'{kind}={value!r}: floating-point errors are not detected on any backend here; '
                                      "use 'ignore' or 'warn', and test results with cupy.isfinite")
        if value not in ('ignore', 'warn'):
            raise ValueError(f'invalid error handling {value!r} for {kind}')
        changes[kind] = value
    return changes


def geterr():
    """The settings: a dict with keys divide, over, under and invalid."""
    return dict(_settings.get())


def seterr(all=None, divide=None, over=None, under=None, invalid=None):
    """Keeps settings for floating-point errors and returns the old ones. Nothing is reported, whatever they are.

    Args:
        all, divide, over, under, invalid: 'ignore' or 'warn', or None to keep the setting.

    Raises:
        NotImplementedError: 'raise', 'call', 'print' or 'log'.
    """
    old = geterr()
    _settings.set({**old, **_checked(all, {'divide': divide, 'over': over, 'under': under, 'invalid': invalid})})
    return old


class errstate(ContextDecorator):
    """Settings of `seterr` within a with statement or a decorated function.

    Raises:
        NotImplementedError: 'raise', 'call', 'print' or 'log'.
    """

    def __init__(self, *, call=None, all=None, divide=None, over=None, under=None, invalid=None):
        if call is not None:
            raise NotImplementedError('call: floating-point errors are not detected on any backend here')
        self._changes = _checked(all, {'divide': divide, 'over': over, 'under': under, 'invalid': invalid})

    def __enter__(self):
        self._token = _settings.set({**_settings.get(), **self._changes})

    def __exit__(self, *exception):
        _settings.reset(self._token)
