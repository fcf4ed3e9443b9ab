"""Operands of the cases: reproducible, and inside the domain of the operation."""
import math
import zlib

import numpy

FLOATS = ('float16', 'float32', 'float64')
REALS = ('float32', 'float64')
COMPLEX = ('complex64', 'complex128')
INTEGERS = ('int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64')
NUMBERS = INTEGERS + FLOATS + COMPLEX
ALL = ('bool',) + NUMBERS

# Ranges of the op table's test domains: of float values, and of integers as (first operand, later operands).
_FLOAT_RANGES = {'any': (-10, 10), 'nonzero': (0.5, 10), 'nonnegative': (0, 10), 'positive': (0.1, 10), 'small': (-5, 5),
                 'unit': (-0.99, 0.99), 'above_one': (1.01, 10), 'power': (0.1, 3), 'shift': (0, 10), 'exponent': (-5, 5)}
_INTEGER_RANGES = {'nonzero': ((1, 100), (1, 10)), 'power': ((1, 4), (0, 3)), 'shift': ((1, 16), (0, 4)), 'exponent': ((-5, 5), (-5, 5))}


def generator(*key):
    """A random generator that depends on the words of a key alone."""
    return numpy.random.default_rng(zlib.crc32(repr(key).encode()))


def values(rng, dtype, shape, domain='any', position=0):
    """A numpy.ndarray of a domain of the op table, for the operand at a position."""
    dtype = numpy.dtype(dtype)
    if dtype.kind == 'b':
        return rng.random(shape) < 0.5
    if dtype.kind in 'iu':
        low, high = _INTEGER_RANGES.get(domain, ((-100, 100), (-100, 100)))[min(position, 1)]
        return rng.integers(max(low, 0) if dtype.kind == 'u' else low, high, shape, endpoint=True).astype(dtype)
    low, high = _FLOAT_RANGES[domain]
    made = rng.random(shape) * (high - low) + low
    if dtype.kind == 'c':
        made = made + 1j * (rng.random(shape) * (high - low) + low)
    return made.astype(dtype)


def side(n):
    """The side of a square matrix of about n elements."""
    return max(1, math.isqrt(n))


def vectors(count=1, domain='any'):
    """A maker of `count` vectors of n elements."""
    return lambda rng, dtype, n: [values(rng, dtype, n, domain, i) for i in range(count)]


def matrices(count=1, domain='any'):
    """A maker of `count` square matrices of about n elements."""
    return lambda rng, dtype, n: [values(rng, dtype, (side(n), side(n)), domain, i) for i in range(count)]


def regular(rng, dtype, n):
    """A well-conditioned matrix and a right-hand side of eight columns."""
    m = side(n)
    a = values(rng, dtype, (m, m), 'unit') + numpy.eye(m, dtype=dtype) * dtype_of(dtype)(2 * math.sqrt(m) + 2)
    return [a, values(rng, dtype, (m, min(m, 8)), 'unit')]


def positive_definite(rng, dtype, n):
    """A symmetric (Hermitian) positive definite matrix."""
    m = side(n)
    a = values(rng, dtype, (m, m), 'unit')
    return [a + a.conj().T + numpy.eye(m, dtype=dtype) * dtype_of(dtype)(8 * math.sqrt(m) + 4)]


def dtype_of(dtype):
    return numpy.dtype(dtype).type


def indexed(rng, dtype, n):
    """A vector and n random positions in it."""
    return [values(rng, dtype, n), rng.integers(0, n, n)]


def permuted(rng, dtype, n):
    """A vector, a permutation of its positions, and new values."""
    return [values(rng, dtype, n), rng.permutation(n), values(rng, dtype, n)]


def row_indexed(rng, dtype, n):
    """A matrix and as many random row numbers as it has rows."""
    m = side(n)
    return [values(rng, dtype, (m, m)), rng.integers(0, m, m)]


def masked(rng, dtype, n):
    """A vector and a mask that is true at about half of it."""
    return [values(rng, dtype, n), rng.random(n) < 0.5]


def chosen(rng, dtype, n):
    """A mask and two vectors to choose from."""
    return [rng.random(n) < 0.5, values(rng, dtype, n), values(rng, dtype, n)]


def sorted_and_queries(rng, dtype, n):
    return [numpy.sort(values(rng, dtype, n)), values(rng, dtype, n)]


def batches(rng, dtype, n):
    """Two stacks of 16 x 16 matrices, of about n elements each."""
    count = max(1, n // 256)
    return [values(rng, dtype, (count, 16, 16), 'unit'), values(rng, dtype, (count, 16, 16), 'unit')]


def matrix_and_vector(rng, dtype, n):
    m = side(n)
    return [values(rng, dtype, (m, m), 'unit'), values(rng, dtype, m, 'unit')]


def length(rng, dtype, n):
    """No array: the arguments of creation functions."""
    return [n, dtype]
