"""Operands for table tests: values with the corners of each dtype, in every memory layout."""
import numpy

DTYPES = '?bBhHiIlLefdFD'
_FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, numpy.inf, -numpy.inf, numpy.nan, 1e-5, -700.0, 1e4, 0.75, -0.25]


def values(dtype, n, seed=0, limit=None):
    """n numbers of a dtype as a numpy array: corners first, then random ones. With `limit`, integers lie in [0, limit]."""
    dtype = numpy.dtype(dtype)
    draw = numpy.random.RandomState(seed)
    if dtype.kind == 'b':
        return draw.randint(0, 2, n).astype(bool)
    if dtype.kind in 'iu':
        info = numpy.iinfo(dtype)
        if limit is not None:
            return draw.randint(0, limit + 1, n).astype(dtype)
        corners = [0, 1, 2, 3, info.max, info.min, info.max // 2, 7]
        head = numpy.array(corners if dtype.kind == 'u' else [*corners, -1, -7], dtype)
        rest = draw.randint(max(info.min, -100), min(info.max, 100), n).astype(dtype)
        return numpy.concatenate([draw.permutation(head), rest])[:n]
    with numpy.errstate(all='ignore'):
        parts = []
        for _ in range(2 if dtype.kind == 'c' else 1):
            part = numpy.concatenate([draw.permutation(_FLOATS), draw.randn(n) * draw.choice([0.1, 1, 30], n)])[:n]
            parts.append(part)
        if dtype.kind != 'c':
            return parts[0].astype(dtype)
        z = numpy.empty(n, dtype)
        z.real, z.imag = parts
        return z


SHAPE = (4, 3, 5)
SIZE = 60


def layouts(dtype, seed=0, limit=None):
    """Pairs of a layout's name and a function of xp that gives an operand in that layout. All but the last broadcast to SHAPE."""
    v = values(dtype, SIZE, seed, limit).reshape(SHAPE)

    def placed(view, xp):
        view[...] = xp.array(v)
        return view

    def unaligned(xp):
        size = numpy.dtype(dtype).itemsize
        return placed(xp.zeros(SIZE * size + 1, 'u1')[1:].view(dtype).reshape(SHAPE), xp)

    return [
        ('contiguous', lambda xp: xp.array(v)),
        ('strided', lambda xp: placed(xp.zeros((8, 3, 15), dtype)[::2, :, ::3], xp)),
        ('reversed', lambda xp: placed(xp.zeros(SHAPE, dtype)[::-1, :, ::-1], xp)),
        ('offset', lambda xp: placed(xp.zeros(SIZE + 3, dtype)[3:].reshape(SHAPE), xp)),
        ('fortran', lambda xp: xp.array(v, order='F')),
        ('transposed', lambda xp: placed(xp.zeros((5, 4, 3), dtype).transpose(1, 2, 0), xp)),
        ('unaligned', unaligned),
        ('broadcast', lambda xp: xp.broadcast_to(xp.array(v[:, :1]), SHAPE)),
        ('row', lambda xp: xp.array(v[0, 0])),
        ('0-d', lambda xp: xp.array(v[0, 0, 1])),
        ('scalar', lambda xp: xp.array(v)[1, 1, 1]),
    ]


def apart():
    """Shapes with their own paths: empty ones, and more dimensions than devices take."""
    return [('empty', (0, 3)), ('empty-1', (3, 0, 2)), ('one', (1,)), ('10-d', (2, 1, 2, 1, 3, 1, 2, 1, 1, 2)),
            ('33-d', (1,) * 31 + (2, 3))]
