"""Fourier transforms, images, fractals, random numbers."""


def fft_by_hand(np):
    def fft(x):
        n = x.shape[0]
        if n == 1:
            return x
        even, odd = fft(x[::2]), fft(x[1::2])
        w = np.exp(-2j * np.pi * np.arange(n) / n)
        return np.concatenate([even + w[:n // 2] * odd, even + w[n // 2:] * odd])

    x = np.random.RandomState(0).rand(64)
    mine = fft(x.astype(complex))
    return mine, np.allclose(mine, np.fft.fft(x)), mine.dtype


def dft_matrix(np):
    n = 16
    j, k = np.meshgrid(np.arange(n), np.arange(n))
    m = np.power(np.exp(-2j * np.pi / n), j * k)
    x = np.sin(2 * np.pi * 3 * np.arange(n) / n)
    spectrum = m @ x
    return np.round(np.abs(spectrum), 8), np.argmax(np.abs(spectrum)[:n // 2]), np.round(np.angle(spectrum[3]), 8)


def low_pass_filter(np):
    t = np.linspace(0, 1, 128, endpoint=False)
    signal = np.sin(2 * np.pi * 5 * t) + 0.5 * np.sin(2 * np.pi * 40 * t)
    f = np.fft.fftfreq(128, d=t[1] - t[0])
    s = np.fft.fft(signal)
    s[np.abs(f) > 20] = 0
    clean = np.fft.ifft(s).real
    return np.round(clean, 10), np.abs(clean - np.sin(2 * np.pi * 5 * t)).max() < 1e-10, np.fft.rfft(signal).shape


def convolution_by_fft(np):
    a, b = np.arange(10.0), np.array([1.0, 2, 1]) / 4
    n = len(a) + len(b) - 1
    c = np.fft.irfft(np.fft.rfft(a, n) * np.fft.rfft(b, n), n)
    return np.round(c, 10), np.allclose(c, np.convolve(a, b)), np.convolve(a, b, mode='same'), np.correlate(a, b, 'valid')


def _image(np):
    y, x = np.mgrid[0:24, 0:32]
    return ((x * 7 + y * 11) % 256).astype(np.uint8)


def image_filters(np):
    image = _image(np)
    padded = np.pad(image.astype(float), 1, mode='edge')
    kernel = np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]]) / 16
    blurred = np.zeros(image.shape)
    for dy in range(3):
        for dx in range(3):
            blurred += kernel[dy, dx] * padded[dy:dy + 24, dx:dx + 32]
    gx = padded[1:-1, 2:] - padded[1:-1, :-2]
    gy = padded[2:, 1:-1] - padded[:-2, 1:-1]
    edges = np.hypot(gx, gy)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3))
    median = np.median(windows, axis=(-2, -1))
    return blurred, edges, median, np.clip(blurred, 0, 255).astype(np.uint8), (edges > edges.mean()).sum()


def histogram_equalisation(np):
    image = _image(np) // 2 + 40
    counts, edges = np.histogram(image.ravel(), bins=256, range=(0, 256))
    cdf = counts.cumsum()
    low = cdf[cdf > 0].min()
    table = np.clip(np.round((cdf - low) / (image.size - low) * 255), 0, 255).astype(np.uint8)
    return table[image], np.bincount(image.ravel(), minlength=256)[40:60], edges[:3]


def otsu_threshold(np):
    image = _image(np)
    histogram = np.bincount(image.ravel(), minlength=256) / image.size
    best, threshold = -1.0, 0
    levels = np.arange(256)
    for t in range(1, 256):
        w0, w1 = histogram[:t].sum(), histogram[t:].sum()
        if w0 == 0 or w1 == 0:
            continue
        m0 = (levels[:t] * histogram[:t]).sum() / w0
        m1 = (levels[t:] * histogram[t:]).sum() / w1
        between = w0 * w1 * (m0 - m1) ** 2
        if between > best:
            best, threshold = between, t
    binary = image > threshold
    return threshold, binary, best


def image_geometry(np):
    image = np.stack([_image(np), _image(np)[::-1], 255 - _image(np)], axis=-1)
    gray = np.dot(image[..., :3], [0.2989, 0.5870, 0.1140])
    small = gray.reshape(12, 2, 16, 2).mean(axis=(1, 3))
    large = np.kron(small[:4, :4], np.ones((2, 2)))
    repeated = image[::4, ::4, 0].repeat(2, axis=0).repeat(2, axis=1)
    turned = np.rot90(image, k=-1)
    negative = image.copy()
    negative[5:10, 5:10] = 255 - negative[5:10, 5:10]
    return gray, small, large, repeated, turned.shape, turned[0, 0], negative, np.flipud(gray)[0], image.max(axis=(0, 1))


def mandelbrot(np):
    y, x = np.ogrid[-1.2:1.2:24j, -2:0.6:36j]
    c = x + 1j * y
    z = np.zeros_like(c)
    steps = np.zeros(c.shape, dtype=int)
    for i in range(30):
        inside = np.abs(z) < 2
        z[inside] = z[inside] ** 2 + c[inside]
        steps[inside] = i
    rows = [''.join('#' if n == 29 else '.' for n in row) for row in steps[::4]]
    return steps, rows


def julia(np):
    z = np.linspace(-1.5, 1.5, 20) + 1j * np.linspace(-1, 1, 20)[:, None]
    count = np.full(z.shape, 20)
    for i in range(20):
        z = z * z + (-0.4 + 0.6j)
        escaped = (np.abs(z) > 10) & (count == 20)
        count[escaped] = i
        z[np.abs(z) > 10] = np.nan
    return count, np.isnan(z).sum()


def monte_carlo_pi(np):
    np.random.seed(42)
    p = np.random.rand(5000, 2)
    inside = (p ** 2).sum(axis=1) <= 1
    rng = np.random.default_rng(42)
    x, y = rng.random(5000), rng.uniform(size=5000)
    return 4 * inside.mean(), 4 * np.count_nonzero(x * x + y * y < 1) / 5000, f'{4 * np.mean(inside):.4f}'


def random_walk(np):
    rng = np.random.default_rng(0)
    steps = rng.choice([-1, 1], size=(30, 100))
    walks = np.cumsum(steps, axis=1)
    crossed = (np.abs(walks) >= 10).any(axis=1)
    times = (np.abs(walks[crossed]) >= 10).argmax(axis=1)
    np.random.seed(1)
    plane = np.random.randint(-1, 2, size=(50, 2)).cumsum(0)
    return walks[:, -1], crossed, times, times.mean(), np.sqrt((plane ** 2).sum(axis=1)), walks.std(axis=0)[-1]


def moving_statistics(np):
    prices = 100 + np.cumsum(np.random.RandomState(4).randn(80))
    window = 5
    c = np.cumsum(np.insert(prices, 0, 0))
    average = (c[window:] - c[:-window]) / window
    view = np.lib.stride_tricks.sliding_window_view(prices, window)
    returns = np.diff(prices) / prices[:-1]
    peak = np.maximum.accumulate(prices)
    drawdown = (prices - peak) / peak
    ema = np.empty_like(prices)
    ema[0] = prices[0]
    for i in range(1, len(prices)):
        ema[i] = 0.2 * prices[i] + 0.8 * ema[i - 1]
    return np.allclose(average, view.mean(axis=-1)), view.max(axis=1), returns.std(ddof=1), drawdown.min(), ema[-1]


def interpolation_and_integration(np):
    x = np.linspace(0, np.pi, 21)
    y = np.sin(x)
    h = x[1] - x[0]
    simpson = h / 3 * (y[0] + y[-1] + 4 * y[1:-1:2].sum() + 2 * y[2:-2:2].sum())
    fine = np.interp(np.linspace(0, np.pi, 50), x, y)
    slopes = np.gradient(y, x)
    return simpson, np.trapezoid(y, x) if hasattr(np, 'trapezoid') else np.trapz(y, x), fine, slopes, np.searchsorted(x, 1.0)
