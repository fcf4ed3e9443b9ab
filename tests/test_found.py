"""Faults that users met, each as the kind of fault it is. NumPy is the oracle."""
from collections import UserList  # noqa: F401  used by the cases
from decimal import Decimal  # noqa: F401  used by the cases
from fractions import Fraction  # noqa: F401  used by the cases

import numpy
import pytest

import cupy
import oracle


class Number:
    """Answers to every conversion, and is no number."""

    def __float__(self):
        return 4.5

    def __int__(self):
        return 4

    def __complex__(self):
        return 1 + 2j


class Indexed:
    """A sequence with no more than the old protocol."""

    def __len__(self):
        return 3

    def __getitem__(self, i):
        if i > 2:
            raise IndexError
        return 2 * i


class ShortList(list):
    def __len__(self):
        return 1


class ShortTuple(tuple):
    def __len__(self):
        return 1


class Liar:
    """Says it has two items and gives many."""

    def __len__(self):
        return 2

    def __getitem__(self, i):
        return 0

    def __iter__(self):
        return iter(range(100_000))


class Growing:
    """An integer that makes the list it is in longer each time it is asked."""

    def __init__(self, owner):
        self.owner = owner

    def __index__(self):
        if len(self.owner) < 10_000:
            self.owner.append(self)
        return 1


CASES = '''
xp.array([Fraction(1, 2), 3], dtype=float)
xp.array([Decimal('1.5')], dtype='f4')
xp.array([[Decimal(1)], [Decimal(2)]], dtype=int)
xp.array(Fraction(1, 4), dtype='f8')
xp.array([Number(), 1], dtype=float)
xp.array([Number(), 1], dtype=int)
xp.array([Number(), 1], dtype=complex)
xp.array([None, 1.5], dtype=float)
xp.array([None, 1], dtype=int)
xp.array([object(), None], dtype=bool)
xp.array([{}], dtype=float)
xp.array({1, 2}, dtype=float)
xp.array((i for i in range(3)), dtype=float)
xp.full(2, Fraction(1, 2), dtype=float)
xp.full((2, 2), [1.7, 2.2], dtype=int)
xp.array(UserList([1, 2.5]))
xp.array(Indexed())
xp.array([Indexed(), [5, 6, 7]])
xp.array(bytearray(b'ab'))
xp.array([bytearray(b'ab'), bytearray(b'cd')])
xp.array([memoryview(b'ab'), memoryview(b'cd')])
xp.array([numpy.arange(2), numpy.arange(2)])
xp.array([1, 2, range(3)])
xp.array(ShortList([1]))
xp.multiply(xp.arange(3, dtype='u1'), 2, casting='safe')
xp.multiply(xp.arange(3, dtype='u8'), 2, casting='no')
xp.multiply(xp.arange(3, dtype='u1'), 2, casting='equiv')
xp.multiply(xp.arange(3, dtype='u1'), 2.5, casting='safe')
xp.multiply(xp.array([True]), 2, casting='safe')
xp.less(xp.arange(3, dtype='u1'), -1, out=xp.ones(3, bool))
xp.less(-1, xp.arange(3, dtype='u1'), out=xp.ones(3, 'f4'))
xp.equal(xp.arange(3, dtype='i2'), 10**20, dtype=bool)
xp.not_equal(xp.arange(3, dtype='i2'), 10**20, casting='no')
xp.partition(xp.zeros(0), 7)
xp.partition(xp.zeros((3, 0)), [1, 5])
xp.argpartition(xp.zeros((0, 3)), 9)
xp.partition(xp.zeros(0), 'a')
xp.partition([3, 2, 1], [])
xp.argpartition([3, 2, 1], ())
xp.trace(xp.eye(2), [1])
xp.eye(2).diagonal([1])
xp.eye(2).diagonal(1.0)
xp.diag(xp.eye(2), (1,))
xp.union1d(xp.zeros(2, 'f4'), 3)
xp.ndarray((3,), 'f8', bytearray(24), strides=(2**62,))
xp.ndarray((3,), 'f8', bytearray(24), strides=(-2**62,))
xp.ndarray((3,), 'f8', bytearray(24), strides=(-8,), offset=16)
xp.concatenate([xp.broadcast_to(xp.zeros(1), 2**61)] * 8)
xp.concatenate([xp.broadcast_to(xp.zeros(1), (2**31, 2**31))] * 16, axis=None)
xp.hstack([xp.broadcast_to(xp.zeros(1), 2**62)] * 3)
xp.tile(xp.arange(4), 2**62)
xp.unravel_index(5, (2**40, 2**40))
xp.ravel_multi_index(([1], [1]), (2**40, 2**40))
xp.round(xp.arange(3.0), 400)
xp.power.reduce(xp.array([[2, -1], [1, 2]]), axis=-1)
xp.power.reduce(xp.array([[2, -1], [1, 2]]), axis=0)
xp.power.reduce(xp.array([[-2, -1], [1, 2]]), axis=0)
xp.power.reduce(xp.array([-2, 2]), initial=3)
xp.power.reduce(xp.array([-2, 2]), initial=3, where=xp.array([False, True]))
xp.power.reduce(xp.array([2, -2], 'i1'), dtype=float)
xp.power.accumulate(xp.array([2, -2], 'i1'))
xp.power.accumulate(xp.array([-2, 2], 'i1'))
xp.power.reduceat(xp.array([2, -2, 3, -1]), [0, 2])
xp.power.reduceat(xp.array([-2, 2, -3, 1]), [0, 2])
xp.round(xp.arange(3), -400)
xp.arange(3.0).round(1, xp.zeros((3, 3)))
xp.arange(3.0).round(0, xp.zeros((1, 3)))
xp.arange(3).round(0, xp.zeros((2, 3), int))
xp.ndarray((2, 0, 3), 'f8', bytearray(24), strides=(8, 8, 8))
'''


@pytest.mark.parametrize('case', CASES.strip().splitlines())
def test_call(case):
    names = dict(globals())
    outcomes = [oracle.outcome(eval, case, dict(names, xp=xp)) for xp in (numpy, cupy)]
    (want, want_error), (got, got_error) = outcomes
    assert (want_error is None) == (got_error is None), (want_error, got_error)
    if want_error is not None:
        assert isinstance(got_error, type(want_error)) or isinstance(want_error, type(got_error)), (want_error, got_error)
    else:
        assert isinstance(got, cupy.ndarray)
        assert oracle.array_difference(numpy.asarray(want), got.get()) == ''


@pytest.mark.parametrize('value', ['None', 'Fraction(7, 2)', 'xp.array(-1)', 'xp.array(300.0)', 'numpy.int64(-1)', '-1', '2.7',
                                   'xp.array([-1])[0]'])
@pytest.mark.parametrize('dtype', ['u1', 'i4', 'f4', 'c8'])
def test_fill(value, dtype):
    """fill casts arrays and NumPy's scalars; Python numbers must fit."""
    def filled(xp):
        x = xp.zeros(2, dtype)
        x.fill(eval(value, dict(globals(), xp=xp)))
        return x
    (want, want_error), (got, got_error) = [oracle.outcome(filled, xp) for xp in (numpy, cupy)]
    assert type(want_error) is type(got_error), (want_error, got_error)
    if want is not None:
        assert oracle.array_difference(want, got.get()) == ''


@pytest.mark.parametrize('sequence', ['[0]', '(1, 2)', '"ab"', 'b"ab"', '[]'])
@pytest.mark.parametrize('count', ['xp.sum(xp.array([1, 2]))', 'xp.arange(5, dtype="u1")[3]', 'xp.ones(3).sum()'])
def test_scalars_repeat_sequences(sequence, count):
    """What stands for NumPy's integer scalar repeats lists as that does."""
    for text in (f'{sequence} * {count}', f'{count} * {sequence}'):
        (want, want_error), (got, got_error) = [oracle.outcome(eval, text, {'xp': xp}) for xp in (numpy, cupy)]
        assert (type(want), type(want_error)) == (type(got), type(got_error)), text
        assert want == got


@pytest.mark.parametrize('text', ['xp.arange(6)[5].bit_count()', 'xp.arange(6.0)[5].as_integer_ratio()', 'xp.arange(6.0)[5].hex()',
                                  'xp.arange(6)[5].numerator', 'xp.arange(6)[5].denominator', 'xp.arange(6).bit_count()',
                                  'xp.arange(6)[5].hex()', 'xp.arange(6.0).numerator'])
def test_methods_of_scalars(text):
    (want, want_error), (got, got_error) = [oracle.outcome(eval, text, {'xp': xp}) for xp in (numpy, cupy)]
    assert (want, type(want_error)) == (got, type(got_error))


@pytest.mark.parametrize('make', [lambda: cupy.array(Liar()), lambda: cupy.array([Liar(), Liar()]),
                                  lambda: cupy.zeros(2) + cupy.array(Liar()),
                                  lambda: cupy.array(ShortList(range(10_000))), lambda: cupy.array([ShortList(range(10_000)), [1]]),
                                  lambda: cupy.zeros(3)[ShortList([0, 1, 2])], lambda: cupy.zeros(ShortTuple([1] * 10_000)),
                                  lambda: cupy.zeros(4).reshape(ShortTuple([1] * 10_000)),
                                  lambda: cupy.zeros(3).sum(axis=ShortTuple([0] * 500))])
def test_sequences_that_lie(make):
    """Lengths that do not hold are no reason to write beyond an array's memory: an answer or an error, never a crash."""
    try:
        make()
    except (ValueError, TypeError, IndexError):
        pass


@pytest.mark.parametrize('use', [cupy.zeros, cupy.zeros(1).reshape, lambda s: cupy.broadcast_to(cupy.zeros(1), s), cupy.ndarray])
def test_shapes_that_grow(use):
    shape = []
    shape.append(Growing(shape))
    try:
        use(shape)
    except (ValueError, TypeError):
        pass


@pytest.mark.parametrize('case', ['repeat(cupy.arange(4), 2**62)', 'repeat(cupy.arange(4), [2**62] * 4)',
                                  'repeat(cupy.zeros((4, 2)), 2**62, axis=0)', 'indices((2**31, 2**31))',
                                  "ndarray((3,), 'f8', bytearray(24), offset=2**63 - 1)"])
def test_lengths_that_overflow(case):
    """Where NumPy itself crashes or takes the machine's memory."""
    with pytest.raises((ValueError, MemoryError)):
        eval('cupy.' + case)


def test_comparison_out_of_range_with_mask():
    """NumPy crashes for this one."""
    out = cupy.ones(3, bool)
    assert cupy.greater(cupy.arange(3, dtype='u1'), 300, out=out, where=cupy.array([True, False, True])) is out
    assert out.tolist() == [False, True, False]


def test_views_as_subclass():
    """A subclass is not lost in silence."""
    class Named(cupy.ndarray):
        pass
    for call in (lambda: cupy.arange(3).view(Named), lambda: cupy.arange(3).view(type=Named)):
        with pytest.raises(TypeError, match='Named'):
            call()
    assert cupy.arange(3).view(cupy.ndarray).tolist() == [0, 1, 2]


def test_allocator_must_be_callable():
    for wrong in (3, 1j, 'malloc', []):
        with pytest.raises(TypeError, match='allocator'):
            cupy.cuda.set_allocator(wrong)
    assert cupy.zeros(3).sum() == 0
