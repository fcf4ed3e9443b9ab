"""Random numbers are NumPy's, whatever the backend, and come as arrays of ours."""
import copy
import pickle

import numpy
import pytest

import cupy
from oracle import Failures, check, compare

GENERATOR = """
beta(2, 3, 4)|beta(xp.asarray([1., 2.]), 3)
binomial(10, .3, 5)
bytes(7)
chisquare(3, 4)
choice(5)|choice(5, 3)|choice(xp.asarray([1., 5., 9.]), 4)|choice(xp.arange(12).reshape(4, 3), 2, axis=1)|choice([1, 2], 2, p=[.1, .9])
dirichlet([1., 2., 3.], 2)|dirichlet(xp.asarray([1., 2.]))
exponential(2., 3)
f(2, 3, 4)
gamma(2., 3., 4)
geometric(.3, 4)
gumbel(0, 1, 3)
hypergeometric(5, 6, 7, 4)
integers(10)|integers(0, 10, 5)|integers(3, size=(2, 2), dtype='i4')|integers(0, xp.asarray([3, 10]))|integers(0, 1, 4, endpoint=True)
laplace(size=3)
logistic(size=3)
lognormal(size=3)
logseries(.5, 4)
multinomial(10, [.2, .8])|multinomial(10, xp.asarray([.2, .8]), 3)
multivariate_hypergeometric([4, 5, 6], 7)
multivariate_normal([0., 1.], xp.asarray([[2., 0], [0, 1.]]), 3)
negative_binomial(5, .4, 3)
noncentral_chisquare(3, 2., 4)
noncentral_f(3, 4, 2., 3)
normal()|normal(1, 2, (2, 3))|normal(xp.asarray([0., 100.]), 1.)
pareto(3., 4)
permutation(6)|permutation(xp.asarray([5, 6, 7]))
permuted(xp.arange(6).reshape(2, 3), axis=1)
poisson(4., 5)
power(3., 4)
random()|random(4)|random((2, 2), dtype='f4')
rayleigh(2., 3)
standard_cauchy(3)
standard_exponential(3)|standard_exponential(3, dtype='f4', method='inv')
standard_gamma(2., 3)
standard_normal(4)|standard_normal(4, dtype=xp.float32)
standard_t(4, 3)
triangular(0, 1, 3, 4)
uniform(-1, 1, 5)
vonmises(0, 2, 3)
wald(1, 2, 3)
weibull(2., 3)
zipf(2., 4)
"""

LEGACY = GENERATOR.replace('integers(10)|integers(0, 10, 5)|integers(3, size=(2, 2), dtype=\'i4\')|integers(0, xp.asarray([3, 10]))|'
                           'integers(0, 1, 4, endpoint=True)', 'randint(10)|randint(0, 10, 5)|randint(3, size=(2, 2), dtype=\'i4\')')
LEGACY = '\n'.join(line for line in LEGACY.splitlines() if not line.startswith(('permuted', 'multivariate_hyper')))
LEGACY = (LEGACY.replace("|standard_exponential(3, dtype='f4', method='inv')", '').replace('|standard_normal(4, dtype=xp.float32)', '')
          .replace("|random((2, 2), dtype='f4')", '').replace('|choice(xp.arange(12).reshape(4, 3), 2, axis=1)', '')
          + '\nrand()|rand(2, 3)\nrandn()|randn(2, 3)\nrandom_sample(3)\nranf()\nsample((2,))\n')


def drawn(xp, make, case):
    return eval(f'{make}.{case}', {'xp': xp})


def cases(text):
    for line in text.strip().splitlines():
        yield from line.split('|')


def test_generator():
    failures = Failures()
    for case in cases(GENERATOR):
        failures(compare(drawn, 'xp.random.default_rng(5)', case), case)
    failures.report()


def test_random_state():
    failures = Failures()
    for case in cases(LEGACY):
        if case.partition('(')[0] not in ('ranf', 'sample'):
            failures(compare(drawn, 'xp.random.RandomState(5)', case), case)
    failures.report()


def after_seed(xp, case):
    xp.random.seed(3)
    return eval(f'xp.random.{case}', {'xp': xp})


def test_module_functions():
    failures = Failures()
    for case in cases(LEGACY):
        failures(compare(after_seed, case), case)
    failures.report()


@pytest.mark.parametrize('name', ['MT19937', 'PCG64', 'PCG64DXSM', 'Philox', 'SFC64'])
def test_bit_generators(name):
    def run(xp):
        bits = getattr(xp.random, name)(7)
        rng = xp.random.Generator(bits)
        first = rng.random(3)
        state = bits.state
        second = rng.random(3)
        bits.state = state
        return first, second, rng.random(3), bits.random_raw(4), bits.spawn(2)[1].random_raw()

    check(run)
    bits = getattr(cupy.random, name)(7)
    assert isinstance(bits, cupy.random.BitGenerator)
    assert isinstance(cupy.random.Generator(bits).bit_generator, getattr(cupy.random, name))
    assert isinstance(bits.seed_seq, cupy.random.SeedSequence)


def test_jumped_and_advance():
    check(lambda xp: xp.random.PCG64(1).jumped().random_raw(3))
    check(lambda xp: xp.random.PCG64(1).advance(10).random_raw(3))


def test_seed_sequence():
    def run(xp):
        s = xp.random.SeedSequence(12345)
        return s.generate_state(4), s.entropy, [c.generate_state(1) for c in s.spawn(2)], s.n_children_spawned, s.pool

    check(run)
    check(lambda xp: xp.random.default_rng(xp.random.SeedSequence(9)).integers(0, 100, 5))
    check(lambda xp: xp.random.default_rng([1, 2]).random(2))
    check(lambda xp: xp.random.default_rng(xp.asarray([1, 2])).random(2))


def test_default_rng_passes_generators_through():
    rng = cupy.random.default_rng(0)
    assert cupy.random.default_rng(rng) is rng
    assert repr(rng).startswith('Generator(PCG64)')


def test_spawn():
    check(lambda xp: [g.random(2) for g in xp.random.default_rng(3).spawn(2)])


def test_out():
    def run(xp):
        rng = xp.random.default_rng(1)
        x, y, z = xp.zeros(3), xp.zeros(3, 'f4'), xp.zeros(3)
        a = rng.random(out=x)
        rng.standard_normal(dtype='f4', out=y)
        rng.permuted(xp.arange(3.), out=z)
        return x, y, z, a is x

    check(run)
    old = cupy._core._host_call.stage_always(True)
    try:
        check(run)
    finally:
        cupy._core._host_call.stage_always(old)


@pytest.mark.parametrize('staged', [False, True])
def test_shuffle_in_place(staged):
    def run(xp):
        rng = xp.random.default_rng(1)
        x, y, z = xp.arange(6), xp.arange(12).reshape(4, 3), list(range(5))
        rng.shuffle(x)
        rng.shuffle(y, axis=1)
        rng.shuffle(z)
        xp.random.seed(1)
        u = xp.arange(10)[::2]
        xp.random.shuffle(u)
        return x, y, z, u

    old = cupy._core._host_call.stage_always(staged)
    try:
        check(run)
    finally:
        cupy._core._host_call.stage_always(old)


def test_shuffle_of_a_list_of_arrays():
    items = [cupy.zeros(1), cupy.ones(1), cupy.ones(2)]
    before = list(items)
    cupy.random.default_rng(0).shuffle(items)
    assert {id(x) for x in items} == {id(x) for x in before}


def test_state():
    cupy.random.seed(4)
    state = cupy.random.get_state()
    a = cupy.random.rand(3)
    cupy.random.set_state(state)
    assert (a == cupy.random.rand(3)).all()
    assert isinstance(state[1], cupy.ndarray)
    check(lambda xp: xp.random.RandomState(3).get_state()[1])


def test_random_state_of_the_module():
    cupy.random.seed(1)
    old = cupy.random.get_random_state()
    cupy.random.set_random_state(cupy.random.RandomState(2))
    got = cupy.random.rand(2)
    cupy.random.set_random_state(old)
    numpy.testing.assert_array_equal(got.get(), numpy.random.RandomState(2).rand(2))
    with pytest.raises(TypeError):
        cupy.random.set_random_state(3)


def test_numpys_state_is_left_alone():
    numpy.random.seed(0)
    want = numpy.random.rand(2)
    numpy.random.seed(0)
    cupy.random.seed(9)
    cupy.random.rand(5)
    assert (numpy.random.rand(2) == want).all()


def test_pickle_and_copy():
    rng = cupy.random.default_rng(11)
    rng.random(3)
    other, third = pickle.loads(pickle.dumps(rng)), copy.deepcopy(rng)
    a, b, c = (g.random(4).get().tolist() for g in (rng, other, third))
    assert a == b == c
    assert isinstance(other, cupy.random.Generator)


def test_scalars_and_errors():
    r = cupy.random.default_rng(0).random()
    assert isinstance(r, float)  # as NumPy: a Python float
    check(lambda xp: xp.random.default_rng(0).normal(scale=-1))
    check(lambda xp: xp.random.randint(5, 2))
    with pytest.raises(AttributeError, match='PCG64'):
        cupy.random.XORWOW
    with pytest.raises(AttributeError):
        cupy.random.nothing
