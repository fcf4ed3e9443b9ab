"""The emulator's operators, called by CANN's names: against NumPy, or against the loss that the documents state."""
import ctypes
import os
import sys
import warnings

import numpy as np
import pytest

sys.path.insert(0, os.path.dirname(__file__))
import cann  # noqa: E402
import emulator  # noqa: E402
from cann import Ints, Refused, Scalar, Tensors, call, dtype_code, out  # noqa: E402

pytestmark = pytest.mark.skipif(not emulator.available(), reason='needs the emulator')
f2, f4, f8, c8, c16 = np.float16, np.float32, np.float64, np.complex64, np.complex128
RTOL = {'e': 2e-3, 'f': 3e-6, 'd': 1e-13, 'F': 3e-6, 'D': 1e-13}


@pytest.fixture(autouse=True)
def device():
    cann.start()
    emulator.seed(0)
    emulator.clear_violations()
    yield
    emulator.seed(0)
    assert emulator.violations() == []


def data(dtype, shape=(3, 5), low=-4, high=4, seed=1):
    """Values of every kind of a dtype, from a fixed seed."""
    rng, dtype = np.random.default_rng(seed), np.dtype(dtype)
    if dtype.kind == 'b':
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in 'iu':
        return rng.integers(0 if dtype.kind == 'u' else low, high + 1, shape).astype(dtype)
    made = rng.uniform(low, high, shape)
    return (made + 1j * rng.uniform(low, high, shape)).astype(dtype) if dtype.kind == 'c' else made.astype(dtype)


def same(found, expected):
    expected = np.asarray(expected)
    assert found.dtype == expected.dtype and found.shape == expected.shape
    if found.dtype.char in RTOL:
        np.testing.assert_allclose(found, expected, rtol=RTOL[found.dtype.char], atol=RTOL[found.dtype.char])
    else:
        np.testing.assert_array_equal(found, expected)


def layouts(a):
    """The same values as several views."""
    wide = np.zeros((a.shape[0] * 2, a.shape[1] * 3), a.dtype)
    wide[1::2, 2::3] = a
    yield a
    yield wide[1::2, 2::3]
    yield a.T.copy().T


# --- one operand ---

# name: (NumPy's function, its domain, dtypes)
UNARY = {
    'Exp': (np.exp, -4, 4, 'efdFDl?'), 'Exp2': (np.exp2, -4, 4, 'efdbBhil?'), 'Expm1': (np.expm1, -2, 2, 'efl?'),
    'Log': (np.log, .5, 9, 'efdFDbBhil'), 'Log2': (np.log2, .5, 9, 'efdbBhil'), 'Log10': (np.log10, .5, 9, 'efbBhil'),
    'Log1p': (np.log1p, 0, 9, 'efdbBhil'), 'Sqrt': (np.sqrt, 0, 9, 'efdFDbBhil'), 'Sin': (np.sin, -4, 4, 'efdFDbBhil?'),
    'Cos': (np.cos, -4, 4, 'efdFDbBhil?'), 'Tan': (np.tan, -1, 1, 'efdFDbBhil?'), 'Asin': (np.arcsin, -1, 1, 'efdbBhil'),
    'Acos': (np.arccos, -1, 1, 'efdbBhil'), 'Atan': (np.arctan, -4, 4, 'efdbBhil'), 'Sinh': (np.sinh, -2, 2, 'efdFDbBhil'),
    'Cosh': (np.cosh, -2, 2, 'efd'), 'Tanh': (np.tanh, -2, 2, 'efbBhil'), 'Asinh': (np.arcsinh, -2, 2, 'efdbBhil'),
    'Acosh': (np.arccosh, 1, 4, 'efd'), 'Atanh': (np.arctanh, -.9, .9, 'efd'), 'Reciprocal': (np.reciprocal, .5, 4, 'efdFDbBhil'),
    'Rsqrt': (lambda x: 1 / np.sqrt(x), .5, 4, 'efdFDbBhil'), 'Abs': (np.abs, -4, 4, 'efdFbBhil?'), 'Neg': (np.negative, -4, 4, 'efdFDbil'),
    'Sign': (np.sign, -4, 4, 'efdFDil'), 'Floor': (np.floor, -4, 4, 'efd'), 'Ceil': (np.ceil, -4, 4, 'efd'),
    'Trunc': (np.trunc, -4, 4, 'ef'), 'Round': (np.rint, -4, 4, 'efd'), 'BitwiseNot': (np.invert, -4, 4, 'bBhil?'),
    'LogicalNot': (np.logical_not, -1, 1, 'efdbBhil?'), 'IsFinite': (np.isfinite, -4, 4, 'efd'), 'IsInf': (np.isinf, -4, 4, 'efdbil'),
    'Signbit': (np.signbit, -4, 4, 'efd'),
}
WIDENED = set('Exp Exp2 Expm1 Log Log2 Log10 Log1p Sin Cos Tan Asin Acos Atan Sinh Tanh Asinh Reciprocal Rsqrt'.split())


@pytest.mark.parametrize('name', UNARY)
def test_unary(name):
    f, low, high, dtypes = UNARY[name]
    for char in dtypes:
        x = data(char, low=int(np.floor(low)) if char in 'bBhil' else low, high=int(high) if char in 'bBhil' else high)
        if char in 'bBhil' and name in ('Log', 'Log2', 'Log10', 'Reciprocal', 'Rsqrt'):
            x = np.maximum(x, 1)
        if name in WIDENED and np.dtype(char).kind in 'biu':  # integers and BOOL compute in FLOAT
            expected = f(x.astype(f4))
        elif name == 'Sqrt' and char in 'bBhi':
            expected = np.sqrt(x.astype(f4))
        else:
            expected = f(x)
        for view in layouts(x):
            if name == 'Abs' and char == 'F' and not view.flags.c_contiguous:
                continue
            same(call(name, view, out(x.shape, expected.dtype)), expected)


def test_round_loses_the_sign_of_zero():
    found = call('Round', np.array([-0.5, -0.0, -0.2, 0.5, 1.5, 2.5], f4), out(6, f4))
    np.testing.assert_array_equal(found, np.array([0, 0, 0, 0, 2, 2], f4))
    assert not np.signbit(found).any()


def test_special_values():
    x = np.array([np.nan, np.inf, -np.inf, 0, -0.0, 1], f4)
    same(call('IsFinite', x, out(6, bool)), np.isfinite(x))
    same(call('IsInf', x, out(6, bool)), np.isinf(x))
    same(call('Sign', x, out(6, f4)), np.sign(x))
    same(call('Signbit', x, out(6, bool)), np.signbit(x))
    for name, f in (('Maximum', np.maximum), ('Minimum', np.minimum)):
        same(call(name, x, x[::-1].copy(), out(6, f4)), f(x, x[::-1]))


# --- two operands ---

BINARY = {
    'Mul': (np.multiply, 'efdFDbBhil'), 'Maximum': (np.maximum, 'efdbBhil'), 'Minimum': (np.minimum, 'efdbBhil'),
    'EqTensor': (np.equal, 'efdFDbBhil?'), 'NeTensor': (np.not_equal, 'efdFDbBhil?'), 'LtTensor': (np.less, 'efdbBhil?'),
    'LeTensor': (np.less_equal, 'efdbBhil?'), 'GtTensor': (np.greater, 'efdbBhil?'), 'GeTensor': (np.greater_equal, 'efdbBhil?'),
    'LogicalAnd': (np.logical_and, 'efdFDbBhil?'), 'LogicalOr': (np.logical_or, 'efdFDbBhil?'), 'LogicalXor': (np.logical_xor, 'bil?'),
    'BitwiseAndTensor': (np.bitwise_and, 'bBhil?'), 'BitwiseOrTensor': (np.bitwise_or, 'bBhil?'),
    'BitwiseXorTensor': (np.bitwise_xor, 'bBhil?'), 'Gcd': (np.gcd, 'bBhil'), 'Atan2': (np.arctan2, 'efd'),
    'LogAddExp': (np.logaddexp, 'ef'), 'LogAddExp2': (np.logaddexp2, 'ef'), 'Heaviside': (np.heaviside, 'ef'),
}
DIVISIONS = {'Div': (np.divide, 'efdFD'), 'FloorDivide': (np.floor_divide, 'bBhil'), 'RemainderTensorTensor': (np.remainder, 'ilfd'),
             'FmodTensor': (np.fmod, 'bBilfd')}


def test_binary():
    for name, (f, dtypes) in BINARY.items():
        for char in dtypes:
            x, y = data(char), data(char, seed=2)
            expected = f(x, y)
            same(call(name, x, y, out(x.shape, expected.dtype)), expected)
            for view in layouts(x):
                same(call(name, view, y[:1], out(x.shape, expected.dtype)), f(x, y[:1]))


def test_divisions():
    for name, (f, dtypes) in DIVISIONS.items():
        for char in dtypes:
            x, y = data(char, high=60), data(char, seed=2, low=-7, high=7)
            y = np.where(y == 0, np.array(3, char), y)
            expected = f(x, y)
            same(call(name, x, y, out(x.shape, expected.dtype)), expected)


@pytest.mark.parametrize('name,f', [('Add', np.add), ('Sub', np.subtract)])
def test_alpha(name, f):
    for char in 'efdFDbBhil':
        x, y = data(char), data(char, seed=2)
        same(call(name, x, y, Scalar(1, char), out(x.shape, char)), f(x, y))
        same(call(name, x, y, Scalar(3, 'i'), out(x.shape, char)), f(x, y * np.array(3, char)))
    with pytest.raises(Refused, match='complex alpha'):
        call(name, data('f'), data('f'), Scalar(1j, 'F'), out((3, 5), 'f'))


def test_wrapping():
    x = np.array([120, -128, 100], 'b')
    same(call('Add', x, x, Scalar(1, 'b'), out(3, 'b')), x + x)
    same(call('Mul', x, x, out(3, 'b')), x * x)


def test_power():
    for char in 'efdbBhil':
        x, y = np.abs(data(char)), np.abs(data(char, seed=2, high=3))
        same(call('PowTensorTensor', x, y, out(x.shape, char)), np.power(x, y))
        same(call('PowTensorScalar', x, Scalar(3, 'i'), out(x.shape, char)), np.power(x, np.array(3, char)))
    for bad in (Scalar(-1, 'i'), Scalar(300, 'i')):
        with pytest.raises(Refused):
            call('PowTensorScalar', np.ones(3, 'b'), bad, out(3, 'b'))
    with pytest.raises(Refused):
        call('PowTensorTensor', np.ones(3, bool), np.ones(3, bool), out(3, bool))


def test_scalar_forms():
    x = data('f')
    for name, f in {'Adds': np.add, 'Subs': np.subtract, 'Rsubs': lambda a, b: b - a}.items():
        same(call(name, x, Scalar(2.5, 'd'), Scalar(1, 'i'), out(x.shape, f4)), f(x, f4(2.5)))
    by_scalar = {'Muls': np.multiply, 'Divs': np.divide, 'EqScalar': np.equal, 'LtScalar': np.less, 'GeScalar': np.greater_equal}
    for name, f in by_scalar.items():
        expected = f(x, f4(2.5))
        same(call(name, x, Scalar(2.5, 'd'), out(x.shape, expected.dtype)), expected)
    same(call('Clamp', x, Scalar(-1, 'f'), Scalar(2, 'f'), out(x.shape, f4)), np.clip(x, -1, 2))
    same(call('Clamp', x, None, Scalar(2, 'f'), out(x.shape, f4)), np.minimum(x, f4(2)))
    low, high = data('f', seed=2) - 4, data('f', seed=3) + 4
    same(call('ClampTensor', x, low, high, out(x.shape, f4)), np.clip(x, low, high))
    same(call('Complex', x, x + 1, out(x.shape, c8)), x + 1j * (x + 1))
    same(call('Real', (x + 1j * x).astype(c8), out(x.shape, f4)), x)


# --- promotion, and losses that the documents state ---

def test_promotion_is_not_numpys():
    for a, b, expected in ['?bb', 'Bbh', 'Bll', 'lff', 'lee', 'eff', 'fdd', 'FdD', 'fFF']:
        x, y = data(a), data(b, seed=2)
        same(call('Mul', x, y, out(x.shape, expected)), np.multiply(x, y, dtype=expected, casting='unsafe'))


def test_losses():
    big = 2 ** 24 + 1
    one = np.array([1], 'i')
    same(call('Div', np.array([7], 'l'), np.array([2], 'l'), out(1, f4)), np.array([3.5], f4))
    same(call('Muls', np.array([big], 'l'), Scalar(1, 'l'), out(1, 'l')), np.array([big - 1]))
    same(call('Adds', np.array([0], 'l'), Scalar(big, 'l'), Scalar(1, 'l'), out(1, 'l')), np.array([big - 1]))
    same(call('DivMod', np.array([big], 'l'), np.array([1], 'l'), ctypes.c_int(1), out(1, 'l')), np.array([big - 1]))
    same(call('FloorDivide', np.array([big], 'l'), np.array([1], 'l'), out(1, 'l')), np.array([big]))
    assert call('RemainderTensorTensor', np.array([big], 'i'), one * (big + 1), out(1, 'i'))[0] != big
    same(call('RemainderTensorTensor', np.array([5], 'i'), one * 0, out(1, 'i')), np.array([5], 'i'))
    x = np.array([1e9 + 7], f4)
    assert abs(call('Sin', x, out(1, f4))[0] - np.sin(x.astype(f8))[0]) > 1e-3


def test_open_behaviour_varies_with_the_seed():
    def one(*values):
        found = set()
        for seed in range(24):
            emulator.seed(seed)
            found.add(tuple(np.asarray(values[0]()).reshape(-1).tolist()))
        return found

    zero = np.array([0], 'i')
    assert len(one(lambda: call('FloorDivide', zero + 5, zero, out(1, 'i')))) > 1
    assert len(one(lambda: call('Cast', np.array([1e30], f4), dtype_code('i'), out(1, 'i')))) > 1
    assert len(one(lambda: call('LeftShift', zero + 1, zero + 40, out(1, 'i')))) > 1
    assert len(one(lambda: call('ArgMax', np.array([1, 7, 7], f4), 0, False, out((), 'l')))) > 1
    assert len(one(lambda: np.isnan(call('Sort', np.array([1, np.nan, 0], f4), True, 0, False, out(3, f4), out(3, 'l'))[0]))) > 1
    assert len(one(lambda: call('InplacePut', out(np.zeros(2, f4)), np.array([1, 1]), np.array([1, 2], f4), False))) > 1


# --- copies, casts, fills ---

def test_cast():
    chars = 'efdFDbBhHiIlL?'
    for a in chars:
        for b in chars:
            x = np.abs(data(a)).astype(a)
            with warnings.catch_warnings():
                warnings.simplefilter('ignore')  # imaginary parts are dropped
                expected = x.astype(b)
            same(call('Cast', x, dtype_code(b), out(x.shape, b)), expected)
            same(call('InplaceCopy', out(np.zeros(x.shape, b)[:, ::2]), x[:, ::2]), expected[:, ::2])


def test_cast_rules():
    assert call('Cast', np.array([np.nan], f4), dtype_code('i'), out(1, 'i'))[0] == 0
    assert call('Cast', np.array([300], 'i'), dtype_code('b'), out(1, 'b'))[0] == 44
    assert call('Cast', np.array([3000], 'i'), dtype_code('b'), out(1, 'b'))[0] == 127
    for char in '?FD':
        with pytest.raises(Refused, match='contiguous'):
            call('Cast', data(char)[:, ::2], dtype_code('f'), out((3, 3), 'f'))


def test_fills():
    for char in 'efdFDbBhHiIlL?':
        x = np.zeros((3, 4), char)
        same(call('InplaceFillScalar', out(x[:, ::2]), Scalar(1, 'b')), np.ones((3, 2), char))
        if char not in 'IL':
            same(call('InplaceZero', out(np.ones(3, char))), np.zeros(3, char))
    same(call('InplaceFillScalar', out(np.zeros(2, 'l')), Scalar(2 ** 53 + 1, 'l')), np.full(2, 2 ** 53 + 1))
    same(call('InplaceFillTensor', out(np.zeros(2, 'f')), np.array(2.5, f4)), np.full(2, 2.5, f4))
    mask = np.array([True, False, True])
    same(call('InplaceMaskedFillScalar', out(np.zeros((2, 3), 'f')), mask, Scalar(2, 'f')), np.array([[2, 0, 2]] * 2, f4))
    same(call('InplaceMaskedFillTensor', out(np.zeros(3, 'l')), mask, np.array(2)), np.array([2, 0, 2]))


def test_where():
    condition = data('?')
    for char in 'efdFDbBhHiIlL?':
        x, y = data(char), data(char, seed=2)
        same(call('SWhere', condition, x, y, out(x.shape, char)), np.where(condition, x, y))
        same(call('SWhere', condition, x[:1], y, out(x.shape, char)), np.where(condition, x[:1], y))


# --- reductions ---

def test_sums():
    x = data('f', (2, 3, 4))
    for axes in [(0,), (1, 2), (-1,), ()]:
        for keep in (False, True):
            expected = x.sum(axis=axes or None, keepdims=keep)
            same(call('ReduceSum', x, Ints(*axes), keep, dtype_code('f'), out(expected.shape, f4)), expected)
    for char in 'efdFDil':
        y = data(char)
        same(call('ReduceSum', y, Ints(0), False, dtype_code(char), out(5, char)), y.sum(axis=0, dtype=char))
    same(call('ReduceSum', data('?'), Ints(0), False, dtype_code('l'), out(5, 'l')), data('?').sum(axis=0))
    nans = np.where(x > 0, x, np.nan).astype(f4)
    same(call('ReduceNansum', nans, Ints(1), False, dtype_code('f'), out((2, 4), f4)), np.nansum(nans, axis=1))
    same(call('ReduceSum', np.zeros((0, 3), 'f'), Ints(0), False, dtype_code('f'), out(3, f4)), np.zeros(3, f4))
    same(call('Mean', x, Ints(0, 2), False, dtype_code('f'), out(3, f4)), x.mean(axis=(0, 2)))
    same(call('Var', x, Ints(1), True, False, out((2, 4), f4)), x.var(axis=1, ddof=1))
    same(call('Std', x, None, 0, False, out((), f4)), x.std())
    with pytest.raises(Refused):
        call('ReduceSum', x, Ints(0, 0), False, dtype_code('f'), out((3, 4), f4))


def test_extremes():
    for char in 'efdbBhil?':
        x = data(char, (2, 3, 4))
        same(call('Amax', x, Ints(0, 2), False, out(3, char)), x.max(axis=(0, 2)))
        same(call('Amin', x[:, ::2], Ints(-1), True, out((2, 2, 1), char)), x[:, ::2].min(axis=-1, keepdims=True))
        same(call('All', x, Ints(1), False, out((2, 4), bool)), x.all(axis=1))
        same(call('Any', x, Ints(), False, out((), bool)), x.any())
        if char != '?':
            same(call('ArgMax', x, 1, False, out((2, 4), 'l')), x.argmax(axis=1))
            same(call('ArgMin', x, 1, True, out((2, 1, 4), 'l')), x.argmin(axis=1, keepdims=True))
    nan = np.array([1, np.nan, 3], f4)
    assert np.isnan(call('Amax', nan, Ints(0), False, out((), f4)))
    assert np.isnan(call('Min', nan, out((), f4)))
    with pytest.raises(Refused, match='empty'):
        call('Amax', np.zeros((0, 3), f4), Ints(0), False, out(3, f4))


def test_products_and_scans():
    for char in 'efdFDil':
        x = data(char, low=1, high=3)
        same(call('ProdDim', x, 1, False, dtype_code(char), out(3, char)), x.prod(axis=1, dtype=char))
        same(call('Prod', x[:1], dtype_code(char), out((), char)), x[:1].prod(dtype=char))
        same(call('Cumsum', x, 0, dtype_code(char), out(x.shape, char)), x.cumsum(axis=0, dtype=char))
        if char not in 'FD':
            same(call('Cumprod', x, Scalar(1, 'i'), dtype_code(char), out(x.shape, char)), x.cumprod(axis=1, dtype=char))
    x = data('f')
    expected = (x.sum(axis=1, keepdims=True) - x.cumsum(axis=1)).astype(f4)
    same(call('CumsumV2', x, 1, True, True, out(x.shape, f4)), expected)


# --- movement ---

def test_movement():
    for char in 'efdFD?bBhil':
        x = data(char)
        same(call('Flip', x, Ints(0, 1), out(x.shape, char)), x[::-1, ::-1])
        same(call('Permute', x[:, ::2], Ints(1, 0), out((3, 3), char)), x[:, ::2].T)
        same(call('Repeat', x, Ints(2, 1, 3), out((2, 3, 15), char)), np.tile(x, (2, 1, 3)))
        same(call('Stack', Tensors(x, x), 1, out((3, 2, 5), char)), np.stack([x, x], 1))
        if char not in 'dFD':
            same(call('Roll', x, Ints(2, -1), Ints(1, 0), out(x.shape, char)), np.roll(x, (2, -1), (1, 0)))
        if char != 'D':
            same(call('Cat', Tensors(x, x[:, :2]), 1, out((3, 7), char)), np.concatenate([x, x[:, :2]], 1))
            same(call('Tril', x, 1, out(x.shape, char)), np.tril(x, 1))
            same(call('Triu', x, -1, out(x.shape, char)), np.triu(x, -1))
            same(call('Diag', x, 1, out(3, char)), np.diag(x, 1))
            same(call('Diag', x[0], -1, out((6, 6), char)), np.diag(x[0], -1))
    with pytest.raises(Refused, match='tiled'):
        call('Repeat', np.zeros((1,) * 5, f4), Ints(1, 2, 2, 2, 2), out((1, 2, 2, 2, 2), f4))
    for char in 'HIL':
        with pytest.raises(Refused):
            call('Cat', Tensors(data(char)), 0, out((3, 5), char))


def test_sequences():
    same(call('Eye', 3, 4, out((3, 4), f4)), np.eye(3, 4, dtype=f4))
    same(call('Arange', Scalar(1, 'l'), Scalar(10, 'l'), Scalar(3, 'l'), out(3, 'l')), np.arange(1, 10, 3))
    same(call('Arange', Scalar(1, 'f'), Scalar(0, 'f'), Scalar(-.25, 'f'), out(4, f4)), np.arange(1, 0, -.25, f4))
    same(call('Range', Scalar(1, 'l'), Scalar(10, 'l'), Scalar(3, 'l'), out(4, 'l')), np.arange(1, 11, 3))
    same(call('Linspace', Scalar(1, 'f'), Scalar(2, 'f'), 5, out(5, f4)), np.linspace(1, 2, 5, dtype=f4))
    for bad in ((0, 0, 1), (0, 3, -1), (0, 3, 0)):
        with pytest.raises(Refused):
            call('Arange', *(Scalar(v, 'l') for v in bad), out(0, 'l'))


# --- indices ---

def test_gathering():
    index = np.array([[2, 0], [1, 1]])
    for char in 'efdFDbBhil?':
        x = data(char)
        same(call('IndexSelect', x, 1, np.array([4, 0, 0], 'i'), out((3, 3), char)), x[:, [4, 0, 0]])
        same(call('GatherV2', x, 0, index, out((2, 2, 5), char)), x[index])
        same(call('Take', x[:, ::2], np.array([8, 0]), out(2, char)), x[:, ::2].take([8, 0]))
        if char not in 'FD':
            along = np.array([[0, -1, 2, 1, 0]])
            same(call('Gather', x, 0, along, out((1, 5), char)), np.take_along_axis(x, along, 0))
            same(call('Index', x, Tensors(np.array([2, -1]), np.array([[1], [4]])), out((2, 2), char)), x[[2, -1], [[1], [4]]])
    x = data('f', (3, 4, 5))
    full = np.zeros(0, f4)
    same(call('Index', x, Tensors(full, np.array([3, 0])), out((3, 2, 5), f4)), x[:, [3, 0]])
    same(call('Index', x, Tensors(np.array([1, 0]), full, np.array([3, 2])), out((2, 4), f4)), x[[1, 0], :, [3, 2]])
    mask = data('?', (3, 4))
    same(call('Index', x, Tensors(mask), out((int(mask.sum()), 5), f4)), x[mask])


def test_scattering():
    index, source = np.array([[0, 2, 1, 1, 0]]), np.arange(5.).reshape(1, 5)
    for char in 'efdFDbBhil':
        x, s = data(char), source.astype(char)
        expected = x.copy()
        np.put_along_axis(expected, index, s, 0)
        same(call('Scatter', x, 0, index, s, 0, out(x.shape, char)), expected)
        same(call('InplaceScatter', out(x), 0, index, s, 0), expected)
        expected = x.copy()
        np.add.at(expected, (index[0], np.arange(5)), s[0])
        same(call('ScatterAdd', x, 0, index, s, out(x.shape, char)), expected)
        expected = x.copy()
        expected.reshape(-1)[[3, 1]] = s[0, 1:3]
        same(call('InplacePut', out(x), np.array([3, 1]), s[0, 1:3].copy(), False), expected)
        if char in 'FD':
            continue
        expected = x.copy()
        np.add.at(expected, ([1, 1, 0],), s[0, :1])
        same(call('IndexPutImpl', out(x), Tensors(np.array([1, 1, 0])), s[0, :1].copy(), True, False), expected)
        expected = x.copy()
        expected[:, [1, 3]] = s[0, :2]
        same(call('IndexPutImpl', out(x), Tensors(np.zeros(0, char), np.array([1, 3])), s[0, :2].copy(), False, False), expected)
        mask = data('?')
        expected = x.copy()
        expected[mask] = np.arange(mask.sum()).astype(char)
        same(call('InplaceMaskedScatter', out(x), mask, np.arange(20).astype(char)), expected)
    x = data('f')
    expected = x.copy()
    np.add.at(expected, (slice(None), [1, 1]), 2 * x[:, :2])
    same(call('IndexAdd', x, 1, np.array([1, 1]), x[:, :2], Scalar(2, 'f'), out(x.shape, f4)), expected)


def test_data_dependent_lengths():
    for char in 'efdbBhil?':
        x = data(char, low=-1, high=1) if char not in 'efd' else np.trunc(data(char, low=-2, high=2))
        same(call('Nonzero', x, out((15, 2), 'l'), trim=True), np.argwhere(x))
        same(call('NonzeroV2', x, out((2, 15), 'l'), trim=True), np.argwhere(x).T)
        same(call('MaskedSelect', x, x != 0, out(15, char), trim=True), x[x != 0])
        values, inverse, counts = call('Unique2', x, True, True, True, out(15, char), out((3, 5), 'l'), out(15, 'l'), trim=True)
        expected = np.unique(x, return_inverse=True, return_counts=True)
        same(values, expected[0])
        same(inverse, expected[1].reshape(3, 5))
        same(counts, expected[2])


# --- order ---

def test_sort():
    for char in 'efbBhil?':
        for descending in (False, True):
            x = data(char, (4, 6, 3))
            values, indices = call('Sort', x, True, 1, descending, out(x.shape, char), out(x.shape, 'l'))
            order = np.argsort(x.astype(f8) * (-1 if descending else 1), axis=1, kind='stable')
            same(values, np.take_along_axis(x, order, 1))
            same(indices, order)
    same(call('Sort', np.array(3, f4), True, 0, False, out((), f4), out((), 'l'))[1], np.array(0))


def test_search():
    for char in 'efdbBhil':
        edges, x = np.sort(data(char, 7)), data(char, seed=2)
        for right in (False, True):
            expected = np.searchsorted(edges, x, 'right' if right else 'left')
            same(call('SearchSorted', edges, x, False, right, None, out(x.shape, 'l')), expected)
            same(call('SearchSorted', edges, x, True, right, None, out(x.shape, 'i')), expected.astype('i'))
    x = np.arange(10, dtype=f4)
    same(call('Histc', x, 3, Scalar(0, 'f'), Scalar(9, 'f'), out(3, f4)), np.histogram(x, 3)[0].astype(f4))


# --- matrices ---

def test_matmul():
    keep = ctypes.c_int8(0)
    shapes = [((3, 4), (4, 5)), ((4,), (4, 5)), ((3, 4), (4,)), ((4,), (4,)), ((2, 1, 3, 4), (6, 4, 5)), ((3, 0), (0, 5))]
    for char in 'ef':
        for a, b in shapes:
            x, y = data(char, a), data(char, b, seed=2)
            expected = (x.astype(f4) @ y.astype(f4)).astype(char)
            found = call('Matmul', x, y, out(expected.shape, char), keep)
            np.testing.assert_allclose(found, expected, rtol=RTOL[char] * 4, atol=RTOL[char] * 10)
        x, y = data(char, (4, 3)).T, data(char, (5, 4), seed=2).T  # transposed operands
        np.testing.assert_allclose(call('Mm', x, y, out((3, 5), char), keep), x @ y, rtol=RTOL[char] * 4, atol=RTOL[char] * 10)
    x = data('f', (8, 8))
    assert np.abs(call('Matmul', x, x, out(x.shape, f4), ctypes.c_int8(3)) - x @ x).max() > 1e-4  # HF32
    for char in 'dilFD?':
        with pytest.raises(Refused):
            call('Matmul', data(char, (2, 2)), data(char, (2, 2)), out((2, 2), char), keep)
    same(call('Dot', np.arange(4, dtype='i'), np.arange(4, dtype='i'), out((), 'i')), np.array(14, 'i'))


def unitary(q, tolerance):
    n = q.shape[-1]
    np.testing.assert_allclose(q.conj().transpose(0, 2, 1) @ q, np.broadcast_to(np.eye(n), (len(q), n, n)), atol=tolerance)


def test_inverse_and_cholesky():
    x = data('f', (2, 4, 4)) + 6 * np.eye(4, dtype=f4)
    np.testing.assert_allclose(call('Inverse', x, out(x.shape, f4)), np.linalg.inv(x), rtol=1e-4, atol=1e-5)
    positive = x @ x.transpose(0, 2, 1)
    expected = np.linalg.cholesky(positive)
    np.testing.assert_allclose(call('LinalgCholesky', positive, False, out(x.shape, f4)), expected, rtol=1e-4, atol=1e-4)
    found = call('LinalgCholesky', positive, True, out(x.shape, f4))
    np.testing.assert_allclose(found, expected.transpose(0, 2, 1), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize('char,tolerance', [('f', 1e-4), ('d', 1e-12), ('F', 1e-4), ('D', 1e-12)])
@pytest.mark.parametrize('m,n', [(5, 3), (3, 5), (4, 4)])
def test_decompositions(char, tolerance, m, n):
    a, k = data(char, (2, m, n)), min(m, n)
    for mode, rows in ((0, k), (1, m)):
        q, r = call('LinalgQr', a, mode, out((2, m, rows), char), out((2, rows, n), char))
        np.testing.assert_allclose(q @ r, a, rtol=tolerance, atol=tolerance)
        unitary(q, tolerance)
    a[1, :, 0] = a[1, :, 1]  # one without full rank
    for full in (False, True):
        shapes = (2, k), (2, m, m if full else k), (2, n, n if full else k)
        s, u, v = call('Svd', a, full, True, *(out(shape, char) for shape in shapes))
        again = (u[..., :k] * s[:, None]) @ v[..., :k].conj().transpose(0, 2, 1)
        np.testing.assert_allclose(again, a, rtol=tolerance, atol=tolerance)
        np.testing.assert_allclose(s, np.linalg.svd(a, compute_uv=False), rtol=tolerance, atol=tolerance)
        unitary(u, tolerance)
        unitary(v, tolerance)


# --- refusals ---

def test_limits():
    nine = np.zeros((1,) * 9, f4)
    with pytest.raises(Refused, match='rank'):
        call('Exp', nine, out(nine.shape, f4))
    for a, b in (('H', 'H'), ('I', 'I'), ('L', 'L')):
        with pytest.raises(Refused):
            call('Mul', data(a), data(b), out((3, 5), a))
    x, y = np.zeros((2, 1, 2, 1, 2, 1), f8), np.zeros((1, 2, 1, 2, 1, 2), f8)
    with pytest.raises(Refused, match='six'):
        call('Mul', x, y, out((2,) * 6, f8))
    call('Mul', x.astype(f4), y.astype(f4), out((2,) * 6, f4))
    with pytest.raises(Refused, match='broadcast'):
        call('InplaceCopy', out(np.zeros((1, 3), f4)), np.zeros((2, 3), f4))
    with pytest.raises(Refused, match='cast'):
        call('Mul', data('F'), data('F'), out((3, 5), 'i'))


BREAKING = {
    'IndexSelect': lambda x: call('IndexSelect', x, 0, np.array([3]), out((1, 5), f4)),
    'GatherV2': lambda x: call('GatherV2', x, 0, np.array([-1]), out((1, 5), f4)),
    'Take': lambda x: call('Take', x, np.array([15]), out(1, f4)),
    'Gather': lambda x: call('Gather', x, 1, np.array([[5]]), out((1, 1), f4)),
    'Index': lambda x: call('Index', x, Tensors(np.array([-4])), out((1, 5), f4)),
    'IndexPutImpl': lambda x: call('IndexPutImpl', out(x), Tensors(np.array([3])), x[:1], False, False),
    'InplacePut': lambda x: call('InplacePut', out(x), np.array([15]), x[0, :1].copy(), False),
    'InplaceScatter': lambda x: call('InplaceScatter', out(x), 0, np.array([[3]]), x[:1, :1].copy(), 0),
}


@pytest.mark.parametrize('name', BREAKING)
def test_index_out_of_range_breaks_the_device(name):
    """The device is lost: the next synchronisation says 507015, and so do all later calls."""
    emulator.fault(0, 0)
    with pytest.raises(RuntimeError, match='507015'):
        BREAKING[name](data('f'))
    with pytest.raises(RuntimeError, match='507015'):
        cann.synchronize()
    emulator.fault(0, 0)
    same(call('Neg', data('f'), out((3, 5), f4)), -data('f'))


def test_what_cannot_be_repeated():
    for name, args in {'Nonzero': (data('f'), out((15, 2), 'l')), 'MaskedSelect': (data('f'), data('?'), out(15, 'f'))}.items():
        own = [cann.Tensor(a.array if isinstance(a, out) else a) for a in args]
        size, executor = ctypes.c_uint64(), ctypes.c_void_p()
        assert cann.function(f'aclnn{name}GetWorkspaceSize')(*(t.handle for t in own), ctypes.byref(size), ctypes.byref(executor)) == 0
        assert cann.function('aclSetAclOpExecutorRepeatable')(executor) != 0
        cann.check(cann.function('aclDestroyAclOpExecutor')(executor))
        for t in own:
            t.close()


def test_empty():
    for name in ('Exp', 'Sqrt', 'Neg'):
        assert call(name, np.zeros((0, 3), f4), out((0, 3), f4)).shape == (0, 3)
    assert call('Mul', np.zeros((0, 3), f4), np.zeros(3, f4), out((0, 3), f4)).shape == (0, 3)
    for name in ('Inverse',):
        with pytest.raises(Refused, match='empty'):
            call(name, np.zeros((0, 3, 3), f4), out((0, 3, 3), f4))


# --- libasdsip ---

FFT = {'C2C': 16, 'C2R': 17, 'R2C': 18}
FORWARD, INVERSE, HORIZONTAL = 16, 17, 16


class Stream:
    def __enter__(self):
        self.handle = ctypes.c_void_p()
        cann.check(cann.function('aclrtCreateStream')(ctypes.byref(self.handle)))
        return self.handle

    def __exit__(self, *error):
        cann.check(cann.function('aclrtDestroyStream')(self.handle))


def sip(name, *args):
    status = cann.function(name)(*args)
    if status:
        raise Refused(name, status)


def fft(kind, direction, x, result):
    """One plan, one execution along the last axis."""
    handle, size = ctypes.c_void_p(), ctypes.c_size_t()
    n = x.shape[-1] if kind != 'C2R' else result.array.shape[-1]
    own = [cann.Tensor(x), cann.Tensor(result.array)]
    sip('asdFftCreate', ctypes.byref(handle))
    with Stream() as stream:
        try:
            sip('asdFftMakePlan1D', handle, ctypes.c_int64(n), FFT[kind], direction, ctypes.c_int64(x.size // x.shape[-1]), HORIZONTAL)
            sip('asdFftGetWorkspaceSize', handle, ctypes.byref(size))
            workspace = cann.malloc(size.value)
            sip('asdFftSetWorkspace', handle, workspace)
            sip('asdFftSetStream', handle, stream)
            sip(f'asdFftExec{kind}', handle, own[0].handle, own[1].handle)
            cann.synchronize()
            cann.check(cann.function('aclrtFree')(workspace))
            return own[1].get(), own[0].get()
        finally:
            sip('asdFftDestroy', handle)
            for t in own:
                t.close()


@pytest.mark.parametrize('n', [1, 2, 7, 30, 256, 243, 398])
def test_fft(n):
    x = data('F', (3, n))
    close = dict(rtol=1e-4, atol=1e-3)
    np.testing.assert_allclose(fft('C2C', FORWARD, x, out(x.shape, c8))[0], np.fft.fft(x), **close)
    np.testing.assert_allclose(fft('C2C', INVERSE, x, out(x.shape, c8))[0], np.fft.ifft(x, norm='forward'), **close)
    half = (3, n // 2 + 1)
    np.testing.assert_allclose(fft('R2C', FORWARD, x.real.copy(), out(half, c8))[0], np.fft.rfft(x.real), **close)
    np.testing.assert_allclose(fft('R2C', INVERSE, x.real.copy(), out(half, c8))[0], np.fft.ihfft(x.real, norm='forward'), **close)
    y = data('F', half)
    np.testing.assert_allclose(fft('C2R', INVERSE, y, out((3, n), f4))[0], np.fft.irfft(y, n, norm='forward'), **close)
    np.testing.assert_allclose(fft('C2R', FORWARD, y, out((3, n), f4))[0], np.fft.hfft(y, n), **close)


def test_fft_limits():
    x = data('F', (1, 211))
    with pytest.raises(Refused):
        fft('C2C', FORWARD, x, out(x.shape, c8))
    x = data('F', (1, 32768))
    assert not np.array_equal(fft('C2C', FORWARD, x, out(x.shape, c8))[1], x)  # the input is overwritten


SIP = '_ZN6AsdSip'
GEMM = '12asdBlasCgemmEPvNS_18asdBlasOperation_tES1_lllRKSt7complexIfEP9aclTensorlS7_lS5_S7_l'
BATCHED = '19asdBlasCgemmBatchedEPvNS_18asdBlasOperation_tES1_lllRKSt7complexIfEP9aclTensorlS7_lS5_S7_ll'


def gemm(plan, execute, a, b, c, make, tail):
    handle, size = ctypes.c_void_p(), ctypes.c_size_t()
    one, zero = (ctypes.c_float * 2)(1, 0), (ctypes.c_float * 2)(0, 0)
    own = [cann.Tensor(x) for x in (a, b, c)]
    number = ctypes.c_int64
    (m, n, k), (lda, ldb, ldc) = make
    sip(SIP + '13asdBlasCreateERPv', ctypes.byref(handle))
    with Stream() as stream:
        sip(SIP + plan, handle, *([] if tail else [0, 0, *map(number, (m, n, k, lda, ldb, ldc))]))
        sip(SIP + '23asdBlasGetWorkspaceSizeEPvRm', handle, ctypes.byref(size))
        workspace = cann.malloc(size.value)
        sip(SIP + '19asdBlasSetWorkspaceEPvS0_', handle, workspace)
        sip(SIP + '16asdBlasSetStreamEPvS0_', handle, stream)
        sip(SIP + execute, handle, 0, 0, number(m), number(n), number(k), one, own[0].handle, number(lda), own[1].handle, number(ldb),
            zero, own[2].handle, number(ldc), *map(number, tail))
        found = own[2].get()
        sip(SIP + '19asdBlasSetWorkspaceEPvS0_', handle, ctypes.c_void_p())
        sip(SIP + '14asdBlasDestroyEPv', handle)
        cann.check(cann.function('aclrtFree')(workspace))
    for t in own:
        t.close()
    return found


def test_cgemm_is_column_major():
    a, b = data('F', (3, 4)), data('F', (4, 5), seed=2)
    plan = '20asdBlasMakeCgemmPlanEPvNS_18asdBlasOperation_tES1_llllll'
    found = gemm(plan, GEMM, b, a, np.zeros((3, 5), c8), ((5, 3, 4), (5, 4, 5)), [])  # operands swapped: row-major A B
    np.testing.assert_allclose(found, a @ b, rtol=1e-5, atol=1e-5)


def test_batched_cgemm_is_row_major():
    a, b = data('F', (6, 3, 4)), data('F', (6, 4, 5), seed=2)
    found = gemm('27asdBlasMakeCgemmBatchedPlanEPv', BATCHED, a, b, out((6, 3, 5), c8).array, ((3, 5, 4), (4, 5, 5)), [6])
    np.testing.assert_allclose(found, a @ b, rtol=1e-5, atol=1e-5)


def test_what_runs_on_the_ai_cpu_is_counted():
    x = data('f')
    rows = [
        (0, 'Exp', x, out(x.shape, f4)), (1, 'Exp', x.astype(f8), out(x.shape, f8)),
        (0, 'Mul', x, x, out(x.shape, f4)), (1, 'Mul', x.astype('h'), x.astype('h'), out(x.shape, 'h')),
        (0, 'SWhere', x > 0, x, x, out(x.shape, f4)), (1, 'SWhere', x > 0, x > 0, x > 1, out(x.shape, bool)),
        (0, 'Cast', x, dtype_code('i'), out(x.shape, 'i')), (1, 'Cast', x, dtype_code('d'), out(x.shape, 'd')),
        (0, 'InplaceCopy', out(np.zeros((2, 4), f4)[:, ::2]), np.ones(2, f4)),
        (1, 'InplaceCopy', out(np.zeros((2, 4), f8)[:, ::2]), np.ones(2)),
        (0, 'InplaceCopy', out(np.zeros((2, 4), f8)), np.ones((2, 4))),
        (0, 'ReduceSum', x > 0, Ints(0), False, dtype_code('l'), out(5, 'l')),
    ]
    for slow, name, *args in rows:
        emulator.reset_counts()
        call(name, *args)
        assert emulator.count('aicpu') == emulator.count(f'aicpu:{name}') == slow, (name, args)
