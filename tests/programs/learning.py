"""Learning: regression, networks, clusters, statistics."""


def linear_regression(np):
    rng = np.random.RandomState(0)
    x = rng.rand(40, 2)
    y = 3 + x @ np.array([2.0, -1.0]) + 0.01 * rng.randn(40)
    xb = np.c_[np.ones(40), x]
    theta = np.zeros(3)
    losses = []
    for _ in range(300):
        error = xb @ theta - y
        theta -= 0.3 * xb.T @ error / len(y)
        losses.append((error ** 2).mean())
    exact = np.linalg.inv(xb.T @ xb) @ xb.T @ y
    r2 = 1 - ((y - xb @ theta) ** 2).sum() / ((y - y.mean()) ** 2).sum()
    return theta, exact, losses[::50], f'R2 = {r2:.4f}', losses[0] > losses[-1]


def logistic_regression(np):
    rng = np.random.default_rng(5)
    x = np.concatenate([rng.normal(-1, 1, (30, 2)), rng.normal(1, 1, (30, 2))])
    y = np.repeat([0, 1], 30)
    w, b = np.zeros(2), 0.0
    for _ in range(100):
        p = 1 / (1 + np.exp(-(x @ w + b)))
        w -= 0.1 * x.T @ (p - y) / 60
        b -= 0.1 * np.mean(p - y)
    predicted = (x @ w + b > 0).astype(int)
    return w, b, (predicted == y).mean(), -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))


def two_layer_network(np):
    np.random.seed(1)
    x = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.float64)
    y = np.array([[0.], [1], [1], [0]])
    w1, b1 = np.random.randn(2, 8) * 0.5, np.zeros((1, 8))
    w2, b2 = np.random.randn(8, 1) * 0.5, np.zeros((1, 1))
    for epoch in range(300):
        h = np.tanh(x @ w1 + b1)
        out = 1 / (1 + np.exp(-(h @ w2 + b2)))
        d2 = (out - y) * out * (1 - out)
        d1 = (d2 @ w2.T) * (1 - h ** 2)
        w2 -= 0.5 * h.T @ d2
        b2 -= 0.5 * d2.sum(axis=0, keepdims=True)
        w1 -= 0.5 * x.T.dot(d1)
        b1 -= 0.5 * d1.sum(0)
    return out, np.mean((out - y) ** 2), w1, b2


def classifier_with_batches(np):
    rng = np.random.RandomState(8)
    x = rng.randn(64, 5).astype(np.float32)
    labels = (x[:, 0] > 0).astype(int) + 2 * (x[:, 1] > 0)
    w = (0.1 * rng.randn(5, 4)).astype(np.float32)
    for epoch in range(5):
        order = rng.permutation(64)
        for start in range(0, 64, 16):
            batch = order[start:start + 16]
            z = x[batch] @ w
            z -= z.max(axis=1, keepdims=True)
            p = np.exp(z)
            p /= p.sum(axis=1, keepdims=True)
            p[np.arange(16), labels[batch]] -= 1
            w -= np.float32(0.5) * (x[batch].T @ p) / 16
    accuracy = (np.argmax(x @ w, axis=1) == labels).mean()
    confusion = np.zeros((4, 4), int)
    np.add.at(confusion, (labels, np.argmax(x @ w, axis=1)), 1)
    return w.dtype, np.round(w, 4), accuracy, confusion, np.eye(4)[labels[:3]]


def attention(np):
    rng = np.random.RandomState(3)
    batch, heads, length, width = 2, 2, 5, 4
    x = rng.randn(batch, length, heads * width)
    wq, wk, wv = (rng.randn(8, 8) * 0.3 for _ in range(3))

    def split(t):
        return t.reshape(batch, length, heads, width).transpose(0, 2, 1, 3)

    q, k, v = split(x @ wq), split(x @ wk), split(x @ wv)
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(width)
    mask = np.triu(np.ones((length, length), dtype=bool), k=1)
    scores = np.where(mask, -np.inf, scores)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    out = (weights @ v).transpose(0, 2, 1, 3).reshape(batch, length, -1)
    mean, var = out.mean(-1, keepdims=True), out.var(-1, keepdims=True)
    same = np.einsum('bhqd,bhkd->bhqk', q, k)
    return out, (out - mean) / np.sqrt(var + 1e-5), np.allclose(same / 2, q @ np.moveaxis(k, -1, -2) / 2), weights[0, 0, 0]


def convolution_layer(np):
    rng = np.random.RandomState(6)
    x, w, b = rng.randn(2, 3, 8, 8), rng.randn(4, 3, 3, 3), rng.randn(4)
    p = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    out = np.zeros((2, 4, 8, 8))
    for i in range(3):
        for j in range(3):
            out += np.tensordot(p[:, :, i:i + 8, j:j + 8], w[:, :, i, j], axes=([1], [1])).transpose(0, 3, 1, 2)
    out += b[None, :, None, None]
    relu = np.maximum(out, 0)
    pooled = relu.reshape(2, 4, 4, 2, 4, 2).max(axis=(3, 5))
    mu = pooled.mean(axis=(0, 2, 3), keepdims=True)
    sigma = pooled.std(axis=(0, 2, 3), keepdims=True)
    return out, pooled, (pooled - mu) / (sigma + 1e-5), relu.sum()


def recurrent_cell(np):
    rng = np.random.RandomState(2)
    wx, wh, b = rng.randn(3, 16) * 0.3, rng.randn(4, 16) * 0.3, np.zeros(16)
    h, c = np.zeros((2, 4)), np.zeros((2, 4))
    outputs = []

    def sigmoid(z):
        return np.where(z >= 0, 1 / (1 + np.exp(-np.abs(z))), np.exp(-np.abs(z)) / (1 + np.exp(-np.abs(z))))

    for x in rng.randn(6, 2, 3):
        i, f, g, o = np.split(x @ wx + h @ wh + b, 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        outputs.append(h)
    return np.stack(outputs, axis=1), c


def adam(np):
    def loss(p):
        return (1 - p[0]) ** 2 + 100 * (p[1] - p[0] ** 2) ** 2

    p = np.array([-1.0, 1.5])
    m, v = np.zeros(2), np.zeros(2)
    for t in range(1, 200):
        g = np.array([-2 * (1 - p[0]) - 400 * p[0] * (p[1] - p[0] ** 2), 200 * (p[1] - p[0] ** 2)])
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g ** 2
        p -= 0.05 * (m / (1 - 0.9 ** t)) / (np.sqrt(v / (1 - 0.999 ** t)) + 1e-8)
    return p, loss(p)


def k_means(np):
    rng = np.random.RandomState(12)
    centres = np.array([[0, 0], [5, 5], [0, 6]])
    x = np.vstack([rng.randn(20, 2) + c for c in centres])
    means = x[rng.choice(len(x), 3, replace=False)]
    for iteration in range(20):
        d = np.linalg.norm(x[:, None] - means[None], axis=2)
        label = d.argmin(axis=1)
        new = np.array([x[label == k].mean(axis=0) for k in range(3)])
        if np.allclose(new, means):
            break
        means = new
    inertia = sum(((x[label == k] - means[k]) ** 2).sum() for k in range(3))
    return means, label, np.bincount(label), inertia, iteration


def nearest_neighbours(np):
    rng = np.random.RandomState(4)
    train, test = rng.rand(30, 3), rng.rand(6, 3)
    labels = rng.randint(0, 3, 30)
    d = np.sqrt(((test[:, None, :] - train) ** 2).sum(-1))
    nearest = np.argsort(d, axis=1)[:, :5]
    votes = np.apply_along_axis(lambda row: np.bincount(row, minlength=3), 1, labels[nearest])
    part = np.argpartition(d, 5, axis=1)[:, :5]
    return nearest, votes.argmax(axis=1), np.sort(part, axis=1), np.take_along_axis(d, nearest, axis=1)


def naive_bayes(np):
    rng = np.random.RandomState(9)
    x = np.r_[rng.normal(0, 1, (25, 3)), rng.normal(1.5, 2, (25, 3))]
    y = np.r_[np.zeros(25, int), np.ones(25, int)]
    classes, counts = np.unique(y, return_counts=True)
    scores = []
    for c in classes:
        part = x[y == c]
        mu, var = part.mean(axis=0), part.var(axis=0)
        scores.append(-0.5 * np.sum(np.log(2 * np.pi * var) + (x - mu) ** 2 / var, axis=1))
    scores = np.stack(scores, 1) + np.log(counts / len(y))
    log_sum = np.logaddexp.reduce(scores, axis=1)
    return scores.argmax(1), log_sum, np.exp(scores - log_sum[:, None])


def bootstrap(np):
    rng = np.random.default_rng(21)
    data = rng.exponential(2.0, size=40)
    index = rng.integers(0, 40, size=(200, 40))
    means = data[index].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    z = (data - data.mean()) / data.std()
    return low, high, np.median(data), np.quantile(data, [0.25, 0.75]), (z ** 3).mean(), np.corrcoef(data, data ** 2)[0, 1]


def summary_table(np):
    data = np.array([[23., 1.7, 65], [31, 1.8, 80], [45, 1.65, np.nan], [27, 1.9, 90]])
    filled = np.where(np.isnan(data), np.nanmean(data, axis=0), data)
    scaled = (filled - filled.min(0)) / np.ptp(filled, axis=0)
    lines = [f'{name:>8}: {mean:8.3f} +- {std:.3f}' for name, mean, std in zip(['age', 'height', 'mass'], filled.mean(0), filled.std(0))]
    best = np.unravel_index(np.argmax(scaled), scaled.shape)
    return filled, scaled, lines, [int(i) for i in best], str(np.round(scaled, 2))
