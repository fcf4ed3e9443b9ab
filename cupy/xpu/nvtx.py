"""Named ranges and marks, per thread. No tool takes them here; they nest and are checked as such."""
import itertools
import threading

available = False
num_colors = 6

_local = threading.local()
_numbers = itertools.count(1)
_open = set()


def Mark(message, id_color=-1):
    """A point in time."""


def MarkC(message, color=0):
    """A point in time, with a color 0xAARRGGBB."""


def RangePush(message, id_color=-1):
    """Begins a range of this thread; returns its depth, from 0."""
    _local.depth = getattr(_local, 'depth', 0) + 1
    return _local.depth - 1


def RangePushC(message, color=0):
    """As RangePush, with a color 0xAARRGGBB."""
    return RangePush(message)


def RangePop():
    """Ends the innermost range of this thread; returns its depth, or a negative number if there is none."""
    depth = getattr(_local, 'depth', 0)
    if depth == 0:
        return -1
    _local.depth = depth - 1
    return depth - 1


def RangeStart(message, color=0):
    """Begins a range that may end in another thread; returns its number."""
    number = next(_numbers)
    _open.add(number)
    return number


def RangeEnd(range_id):
    """Ends a range of RangeStart."""
    if range_id not in _open:
        raise ValueError(f'there is no open range {range_id}')
    _open.discard(range_id)
