"""Linear algebra by hand, and with np.linalg."""


def _matrix(np, n=6, seed=0):
    return np.random.RandomState(seed).rand(n, n) + n * np.eye(n)


def lu_with_pivots(np):
    a = _matrix(np)
    a[0, 0] = 0
    n = a.shape[0]
    u, lower, p = a.copy(), np.zeros_like(a), np.eye(n)
    for k in range(n):
        pivot = np.argmax(np.abs(u[k:, k])) + k
        if pivot != k:
            u[[k, pivot]] = u[[pivot, k]]
            p[[k, pivot]] = p[[pivot, k]]
            lower[[k, pivot], :k] = lower[[pivot, k], :k]
        for i in range(k + 1, n):
            lower[i, k] = u[i, k] / u[k, k]
            u[i, k:] -= lower[i, k] * u[k, k:]
    lower += np.identity(n)
    return p, lower, u, np.allclose(p @ a, lower @ u)


def gauss_elimination(np):
    a = np.array([[2.0, 1, -1], [-3, -1, 2], [-2, 1, 2]])
    b = np.array([8.0, -11, -3])
    m = np.hstack([a, b.reshape(-1, 1)])
    n = len(b)
    for i in range(n):
        best = i + np.abs(m[i:, i]).argmax()
        if best != i:
            tmp = m[i].copy()
            m[i], m[best] = m[best], tmp
        m[i] /= m[i, i]
        for j in range(n):
            if j != i:
                m[j] -= m[j, i] * m[i]
    return m[:, -1], m


def cholesky_by_hand(np):
    b = _matrix(np, 5, 1)
    a = b @ b.T
    lower = np.zeros_like(a)
    for i in range(5):
        for j in range(i + 1):
            s = a[i, j] - np.sum(lower[i, :j] * lower[j, :j])
            lower[i, j] = np.sqrt(s) if i == j else s / lower[j, j]
    return lower, np.abs(lower - np.linalg.cholesky(a)).max() < 1e-10


def gram_schmidt(np):
    a = np.random.RandomState(5).randn(6, 4)
    q = np.zeros_like(a)
    r = np.zeros((4, 4))
    for j in range(a.shape[1]):
        v = a[:, j].copy()
        for i in range(j):
            r[i, j] = np.dot(q[:, i], a[:, j])
            v -= r[i, j] * q[:, i]
        r[j, j] = np.sqrt(v @ v)
        q[:, j] = v / r[j, j]
    return q, r, np.allclose(q.T @ q, np.eye(4)), np.allclose(q @ r, a)


def householder(np):
    a = np.random.RandomState(2).randn(5, 3)
    r, q = a.copy(), np.eye(5)
    for k in range(3):
        x = r[k:, k]
        e = np.zeros_like(x)
        e[0] = np.copysign(np.linalg.norm(x), x[0])
        v = x + e
        v /= np.linalg.norm(v)
        r[k:, k:] -= 2 * np.outer(v, v @ r[k:, k:])
        q[:, k:] -= 2 * np.outer(q[:, k:] @ v, v)
    return np.triu(r), q


def power_iteration(np):
    a = np.array([[4.0, 1, 0], [1, 3, 1], [0, 1, 2]])
    v = np.ones(3)
    old = 0.0
    for i in range(200):
        w = a @ v
        value = np.abs(w).max()
        v = w / value
        if abs(value - old) < 1e-13:
            break
        old = value
    return v, value, np.linalg.eigvalsh(a)[-1]


def qr_algorithm(np):
    a = _matrix(np, 4, 9)
    a = (a + a.T) / 2
    for _ in range(60):
        q, r = np.linalg.qr(a)
        a = r @ q
    return np.sort(np.diag(a)), np.tril(a, -1).max() < 1e-3


def conjugate_gradient(np):
    n = 20
    a = 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    b = np.arange(n, dtype=float)
    x = np.zeros(n)
    r = b - a.dot(x)
    p = r.copy()
    rs = r.dot(r)
    for k in range(n):
        ap = a.dot(p)
        alpha = rs / p.dot(ap)
        x += alpha * p
        r -= alpha * ap
        new = r.dot(r)
        if np.sqrt(new) < 1e-10:
            break
        p = r + (new / rs) * p
        rs = new
    return np.round(x, 6), np.linalg.norm(b - a @ x) < 1e-6


def least_squares_polynomial(np):
    x = np.linspace(-1, 1, 25)
    y = 1 - 2 * x + 3 * x ** 3
    v = np.vander(x, 4)
    coefficients = np.linalg.lstsq(v, y, rcond=None)[0]
    normal = np.linalg.solve(v.T @ v, v.T @ y)
    return np.round(coefficients, 8), np.round(normal, 8), np.polyval(np.round(coefficients, 8), 0.5)


def pca(np):
    rng = np.random.RandomState(11)
    x = rng.randn(60, 3) @ np.array([[3, 1, 0], [0, 1, 0.5], [0, 0, 0.1]])
    x = x - x.mean(axis=0, keepdims=True)
    c = np.cov(x, rowvar=False)
    w, v = np.linalg.eigh(c)
    order = np.argsort(w)[::-1]
    w, v = w[order], v[:, order]
    v = v * np.sign(v[np.abs(v).argmax(axis=0), np.arange(3)])
    scores = x @ v[:, :2]
    u, s, vt = np.linalg.svd(x, full_matrices=False)
    return w, v, scores, np.allclose(s ** 2 / 59, w), np.cumsum(w) / w.sum()


def page_rank(np):
    links = {0: [1, 2], 1: [2], 2: [0], 3: [0, 2], 4: []}
    n = 5
    m = np.zeros((n, n))
    for source, targets in links.items():
        if targets:
            m[targets, source] = 1 / len(targets)
        else:
            m[:, source] = 1.0 / n
    r = np.full(n, 1 / n)
    for i in range(100):
        new = 0.85 * m @ r + 0.15 / n
        if np.abs(new - r).sum() < 1e-12:
            break
        r = new
    return r, np.argsort(-r), i, f'{r.sum():.6f}'


def strassen(np):
    def multiply(a, b):
        n = a.shape[0]
        if n <= 2:
            return a @ b
        h = n // 2
        a11, a12, a21, a22 = a[:h, :h], a[:h, h:], a[h:, :h], a[h:, h:]
        b11, b12, b21, b22 = b[:h, :h], b[:h, h:], b[h:, :h], b[h:, h:]
        m1, m2, m3 = multiply(a11 + a22, b11 + b22), multiply(a21 + a22, b11), multiply(a11, b12 - b22)
        m4, m5 = multiply(a22, b21 - b11), multiply(a11 + a12, b22)
        m6, m7 = multiply(a21 - a11, b11 + b12), multiply(a12 - a22, b21 + b22)
        return np.vstack((np.hstack((m1 + m4 - m5 + m7, m3 + m5)), np.hstack((m2 + m4, m1 - m2 + m3 + m6))))

    a = np.arange(64).reshape(8, 8)
    b = (a.T * 3) % 7
    c = multiply(a, b)
    return c, np.array_equal(c, a @ b), c.dtype


def markov_chain(np):
    p = np.array([[0.9, 0.075, 0.025], [0.15, 0.8, 0.05], [0.25, 0.25, 0.5]])
    state = np.array([1.0, 0, 0])
    for _ in range(50):
        state = state @ p
    w, v = np.linalg.eig(p.T)
    i = np.argmin(np.abs(w - 1))
    stationary = np.real(v[:, i] / v[:, i].sum())
    return np.round(state, 8), np.round(stationary, 8), np.linalg.matrix_power(p, 50)


def rotations(np):
    theta = np.radians(30)
    c, s = np.cos(theta), np.sin(theta)
    r = np.array(((c, -s), (s, c)))
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=np.float64)
    turned = square @ r.T
    homogeneous = np.hstack([turned, np.ones((4, 1))])
    shift = np.eye(3)
    shift[:2, 2] = [2, -1]
    moved = (shift @ homogeneous.T).T[:, :2]
    area = 0.5 * np.abs(np.dot(moved[:, 0], np.roll(moved[:, 1], 1)) - np.dot(moved[:, 1], np.roll(moved[:, 0], 1)))
    return moved, area, np.linalg.det(r), np.cross(np.array([1, 0, 0]), np.array([0, 1, 0]))


def tridiagonal_thomas(np):
    n = 10
    a, b, c, d = -np.ones(n - 1), 2.5 * np.ones(n), -np.ones(n - 1), np.arange(1., n + 1)
    cp, dp = np.zeros(n - 1), np.zeros(n)
    cp[0], dp[0] = c[0] / b[0], d[0] / b[0]
    for i in range(1, n):
        m = b[i] - a[i - 1] * cp[i - 1]
        if i < n - 1:
            cp[i] = c[i] / m
        dp[i] = (d[i] - a[i - 1] * dp[i - 1]) / m
    x = np.zeros(n)
    x[-1] = dp[-1]
    for i in range(n - 2, -1, -1):
        x[i] = dp[i] - cp[i] * x[i + 1]
    full = np.diag(b) + np.diag(a, -1) + np.diag(c, 1)
    return x, np.allclose(full @ x, d)
