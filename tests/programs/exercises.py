"""Short exercises as a course on arrays has them. Each function gives what its task asks for."""


def creation(np):
    z = np.zeros(10)
    z[4] = 1
    border = np.ones((5, 5))
    border[1:-1, 1:-1] = 0
    padded = np.pad(np.ones((3, 3)), pad_width=1, mode='constant', constant_values=0)
    checker = np.zeros((8, 8), dtype=int)
    checker[1::2, ::2] = 1
    checker[::2, 1::2] = 1
    tiled = np.tile(np.array([[0, 1], [1, 0]]), (4, 4))
    return z, np.arange(10, 50), np.arange(50)[::-1], np.arange(9).reshape(3, 3), np.eye(3), border, padded, checker, tiled, \
        np.diag(1 + np.arange(4), k=-1), np.linspace(0, 1, 11, endpoint=False)[1:], np.full((2, 3), np.pi), np.identity(4, dtype=np.int8)


def surprises_of_numbers(np):
    return [0 * np.nan, np.nan == np.nan, np.inf > np.nan, np.nan - np.nan, 0.3 == 3 * 0.1, np.nan in set([np.nan]),
            np.array(0) // np.array(1), np.array([np.nan]).astype(int).shape, np.sqrt(-1 + 0j), np.emath.sqrt(-1), np.isnan(np.nan)]


def properties(np):
    z = np.zeros((10, 10))
    a = np.arange(24).reshape(2, 3, 4)
    return (z.size * z.itemsize, z.nbytes, a.ndim, a.shape, a.size, a.dtype.name, a.dtype.itemsize, a.strides, a.T.shape,
            a.flags['C_CONTIGUOUS'],
            a.T.flags.f_contiguous, len(a), a[0].base is not None, np.unravel_index(99, (6, 7, 8)),
            np.ravel_multi_index((1, 2, 3), (2, 3, 4)))


def statistics_of_random_arrays(np):
    rng = np.random.default_rng(3)
    z = rng.random((10, 10))
    m = rng.normal(5, 2, size=200)
    scaled = (z - np.mean(z)) / np.std(z)
    return z.min(), z.max(), z.mean(), scaled.mean().round(12), m.mean(), np.median(m), np.percentile(m, [5, 95]), m.std(ddof=1), \
        np.ptp(m), \
        (z > 0.5).sum(), np.average(m[:3], weights=[1, 2, 3]), rng.integers(0, 10, 5), rng.permutation(6), rng.choice([1, 2, 3], 4)


def old_random_functions(np):
    np.random.seed(7)
    return (np.random.rand(3), np.random.randn(2, 2), np.random.randint(0, 10, (2, 3)), np.random.random(2), np.random.uniform(1, 2, 3),
            np.random.normal(0, 1, 2),
            np.random.choice(5, 3, replace=False), np.random.permutation(4), np.random.binomial(10, .5, 3), np.random.poisson(3, 3),
            np.random.exponential(1, 2))


def selecting(np):
    z = np.arange(11)
    z[(3 < z) & (z < 8)] *= -1
    a = np.array([3, 7, 1, 9, 4])
    a[a.argmax()] = 0
    nearest = np.array([0.1, 0.9, 2.2, 3.7])
    i = np.abs(nearest - 2.0).argmin()
    m = np.arange(25).reshape(5, 5)
    m[[0, 1]] = m[[1, 0]]
    b = np.arange(16).reshape(4, 4)
    return z, a, nearest[i], m, b[b % 2 == 0], b[:, ::2], b[[0, 2], [1, 3]], b[np.ix_([0, 2], [1, 3])], np.where(b > 7, b, -1), \
        np.nonzero([1, 2, 0, 0, 4, 0]), \
        b[::-1, ::-1], np.argwhere(b == 6), b[-1, -2:], np.take(b, [0, 5, 15]), b[b > b.mean()].sum(), np.flatnonzero(b % 5 == 0)


def parts_of_numbers(np):
    z = np.array([1.2, 2.7, -3.5, 4.0])
    return z - z % 1, z // 1, np.floor(z), np.ceil(z) - 1, z.astype(int), np.trunc(z), np.copysign(np.ceil(np.abs(z)), z), np.modf(z), \
        np.rint(z), np.round(z, 0)


def rows_and_columns(np):
    a = np.arange(12.0).reshape(3, 4)
    return (a - a.mean(axis=1, keepdims=True), a[a[:, 1].argsort()[::-1]], (a / a.sum(axis=0)), a.sum(axis=(0, 1)),
            np.sort(a, axis=1)[:, ::-1], a.max(axis=1),
            np.apply_along_axis(np.sum, 0, a), a[:, [1, 0, 3, 2]], np.delete(a, 1, axis=0), np.insert(a, 1, 9, axis=1),
            np.concatenate([a, a[:1]]),
            np.hstack([a, np.ones((3, 1))]), np.vstack([a, np.zeros(4)]), a.cumsum(axis=1), np.diff(a, axis=0), (~a.any(axis=0)).any(),
            a.argmin(axis=0))


def matrix_of_products(np):
    a, b = np.ones((5, 3)), np.ones((3, 2))
    x, y = np.arange(8), np.arange(8) + 0.5
    c = 1.0 / np.subtract.outer(x, y)
    return np.dot(a, b), a @ b, np.linalg.det(c[:3, :3]), np.einsum('ij,jk->ik', a, b), np.diag(a @ a.T), np.sum(a * a, axis=1), \
        np.trace(b @ b.T), \
        np.linalg.matrix_rank(np.outer(x, x)), np.inner(x, x), np.outer(x[:3], x[:2]), np.kron(np.eye(2), [[1, 2]])


def coordinates(np):
    z = np.stack([np.array([1., 0, -1, 2]), np.array([0., 1, 1, -2])], axis=1)
    x, y = z[:, 0], z[:, 1]
    r, t = np.sqrt(x ** 2 + y ** 2), np.arctan2(y, x)
    xx, yy = np.atleast_2d(x, y)
    d = np.sqrt((xx - xx.T) ** 2 + (yy - yy.T) ** 2)
    grid = np.meshgrid(np.linspace(0, 1, 3), np.linspace(0, 1, 2))
    gx, gy = np.meshgrid(np.linspace(-1, 1, 10), np.linspace(-1, 1, 10))
    return r, t, np.degrees(t), d, grid, np.exp(-((np.sqrt(gx * gx + gy * gy)) ** 2 / 2.0))


def counting(np):
    z = np.array([1, 2, 3, 2, 1, 2])
    votes = np.bincount(z, minlength=6)
    x, i = np.array([1., 2, 3, 4, 5, 6]), np.array([1, 3, 9, 3, 4, 1])
    values, counts = np.unique(z, return_counts=True)
    a = np.zeros(4)
    np.add.at(a, [0, 1, 1, 3], 1)
    colors = np.array([[1, 2], [1, 2], [3, 4]])
    return votes, votes.argmax(), np.bincount(i, x), values, counts, a, np.unique(colors, axis=0), len(np.unique(z)), \
        np.histogram(z, bins=3), np.digitize(x, [2, 4]), \
        np.cumsum(counts), (z == 2).sum(), np.isin(z, [1, 3]), np.intersect1d(z, [2, 3, 9]), np.setdiff1d([5, 1], z), np.union1d(z, [7])


def windows_and_blocks(np):
    z = np.arange(1, 15, dtype=np.uint32)
    rolled = np.lib.stride_tricks.sliding_window_view(z, 4)
    big = np.ones((16, 16))
    sums = np.add.reduceat(np.add.reduceat(big, np.arange(0, 16, 4), axis=0), np.arange(0, 16, 4), axis=1)
    blocks = np.arange(16).reshape(2, 2, 2, 2).swapaxes(1, 2).reshape(4, 4)
    diagonal = np.lib.stride_tricks.sliding_window_view(np.arange(25).reshape(5, 5), (3, 3))
    gaps = np.zeros(5 + 4 * 3)
    gaps[::4] = np.arange(1, 6)
    average = np.convolve(np.arange(10), np.ones(3) / 3, mode='valid')
    cumulative = np.cumsum(np.arange(20.0))
    cumulative[3:] = cumulative[3:] - cumulative[:-3]
    return rolled, sums, blocks, diagonal[1, 1], diagonal.shape, gaps, average, cumulative[2:] / 3


def text_and_bits(np):
    i = np.array([0, 1, 2, 3, 15, 16, 32, 64, 128], dtype=np.uint8)
    bits = ((i.reshape(-1, 1) & (2 ** np.arange(8))) != 0).astype(int)[:, ::-1]
    return bits, np.unpackbits(i[:, np.newaxis], axis=1), np.packbits(bits, axis=1), np.binary_repr(5, width=8), np.bitwise_xor.reduce(i), \
        i << 1, i >> 1, ~i[:3]


def iteration(np):
    a = np.arange(6).reshape(2, 3)
    pairs = [(index, int(value)) for index, value in np.ndenumerate(a)]
    places = list(np.ndindex(2, 2))
    total = 0
    for row in a:
        for value in row:
            total += value
    flat = [int(v) for v in a.flat]
    table = {int(k): int(v) for k, v in zip(a[0], a[1])}
    generated = np.fromiter((x * x for x in range(5)), dtype=float)
    return pairs, places, total, flat, table, generated, [r.sum() for r in a], enumerate(a).__next__()[1], sum(a), max(a[1]), \
        list(map(int, a[0])), \
        [x for x in reversed(a[0])], sorted(a[1], reverse=True)


def equalities_and_views(np):
    a = np.array([1, 2, 3])
    b = np.array([1, 2, 3])
    z = np.arange(6)
    view = z.reshape(2, 3)
    view[0, 0] = 9
    frozen = np.zeros(3)
    frozen.flags.writeable = False
    try:
        frozen[0] = 1
        refused = False
    except ValueError:
        refused = True
    return np.allclose(a, b), np.array_equal(a, b), (a == b).all(), z, np.shares_memory(z, view), refused, np.may_share_memory(a, b), \
        a is b, a.tolist() == [1, 2, 3]


def in_place_operations(np):
    a, b = np.ones(3) * 1, np.ones(3) * 2
    np.add(a, b, out=b)
    np.divide(a, 2, out=a)
    np.negative(a, out=a)
    np.multiply(a, b, out=a)
    z = np.array([0.5, 1.5], dtype=np.float32)
    z_int = z.astype(np.int32)
    as_bits = z.view(np.int32)
    y = np.arange(10)
    y[y % 2 == 1] = -1
    np.clip(y, 0, 6, out=y)
    np.put(y, [0, 1], [44, 55])
    a2 = np.array([3, 1, 2])
    a2.sort()
    return a, b, z_int, as_bits, y, a2, a2.searchsorted(2)


def broadcasting_of_three(np):
    a = np.arange(8)[:, None, None]
    b = np.arange(3)[None, :, None]
    c = np.arange(2)
    p, n = 4, 3
    m, v = np.ones((p, n, n)), np.ones((p, n, 1))
    cube = np.arange(27).reshape(3, 3, 3) * np.array([1, 10, 100])
    normalised = cube / cube.sum(axis=-1, keepdims=True).clip(1)
    return (a + b + c).shape, (a * b).sum(axis=0)[:, 0], np.tensordot(m, v, axes=[[0, 2], [0, 1]]), cube[1], normalised, \
        np.broadcast_shapes((5, 1), (1, 4)), np.expand_dims(c, 1) == c, np.triu_indices(3), np.tril_indices(3, -1)[0], \
        np.fromfunction(lambda i, j: i * 2 + j, (2, 3))


def formats(np):
    return [str(np.zeros((2, 2))), repr(np.arange(3)), str(np.array([1.5, np.nan])), f'{np.arange(3).sum()}', '%s' % np.array([1, 2]),
            np.array2string(np.arange(4), separator=','),
            str(np.array([[True, False]])), np.array_str(np.arange(2)), f'{np.float32(1.5)}', str(np.pi)[:6], f'{np.mean([1, 2, 4]):.3f}',
            '{:5.1f}|'.format(np.max([1.25, 3])),
            str(np.arange(1000)[:5]), str(np.arange(1200)), np.format_float_positional(0.00012), str(np.array([1e-5, 1]))]


def polynomials_and_roots(np):
    p = np.poly1d([1, -3, 2])
    x = np.linspace(0, 1, 6)
    fit = np.polyfit(x, 2 * x + 1, 1)
    q = np.polynomial.Polynomial([1, 2, 3])
    return p(3), np.sort(p.roots), np.round(fit, 8), np.polyval([1, 0, -1], 2), q(2.0), np.convolve([1, 1], [1, -1]), \
        np.polyder(np.array([1, 2, 3])), np.polyint(np.array([2, 2])), np.roots([1, 0, -1])


def bisection_and_newton(np):
    def f(x):
        return x ** 3 - 2

    low, high = np.float64(0), np.float64(2)
    while high - low > 1e-12:
        middle = (low + high) / 2
        if f(middle) > 0:
            high = middle
        else:
            low = middle
    x = np.array([1.0, 2.0, 5.0])
    for _ in range(40):
        x = x - (x ** 2 - np.array([2, 3, 5])) / (2 * x)
    return low, x, np.isclose(low ** 3, 2), np.sum(1 / np.arange(1, 101) ** 2), np.prod(np.arange(1, 11)), \
        np.cumprod(np.array([1.5] * 4)), np.dot([1, 2], [3, 4])
