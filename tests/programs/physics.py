"""Stencils, particles and differential equations."""


def heat_equation(np):
    u = np.zeros((30, 30))
    u[0, :] = 100.0
    u[:, 0] = np.linspace(100, 0, 30)
    for _ in range(60):
        u[1:-1, 1:-1] += 0.2 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
    return u, float(u.mean()), u[15, 15]


def heat_rod_in_place(np):
    n, alpha = 50, 0.4
    t = np.zeros(n)
    t[n // 2] = 1000
    history = [t.copy()]
    for step in range(40):
        new = t.copy()
        for i in range(1, n - 1):
            new[i] = t[i] + alpha * (t[i + 1] - 2 * t[i] + t[i - 1])
        t = new
        if step % 10 == 9:
            history.append(t.copy())
    return np.array(history), t.sum(), t.argmax()


def wave_equation(np):
    x = np.linspace(0, 1, 101)
    u0 = np.exp(-200 * (x - 0.3) ** 2)
    u1 = u0.copy()
    c2 = 0.5
    for _ in range(80):
        u2 = np.empty_like(u1)
        u2[1:-1] = 2 * u1[1:-1] - u0[1:-1] + c2 * (u1[2:] - 2 * u1[1:-1] + u1[:-2])
        u2[0] = u2[-1] = 0
        u0, u1 = u1, u2
    return u1, np.abs(u1).max(), (u1 ** 2).sum()


def jacobi_and_gauss_seidel(np):
    a = np.array([[10., -1, 2, 0], [-1, 11, -1, 3], [2, -1, 10, -1], [0, 3, -1, 8]])
    b = np.array([6., 25, -11, 15])
    x = np.zeros_like(b)
    d = np.diag(a)
    r = a - np.diagflat(d)
    steps = 0
    while True:
        new = (b - np.dot(r, x)) / d
        steps += 1
        if np.linalg.norm(new - x) < 1e-10:
            break
        x = new
    y = np.zeros(4)
    for _ in range(25):
        for i in range(4):
            y[i] = (b[i] - a[i, :i] @ y[:i] - a[i, i + 1:] @ y[i + 1:]) / a[i, i]
    return x, y, steps, np.allclose(x, y)


def n_body(np):
    rng = np.random.RandomState(7)
    n, dt = 12, 0.01
    pos, vel, mass = rng.randn(n, 3), rng.randn(n, 3) * 0.1, rng.rand(n) + 0.5
    vel -= (mass[:, None] * vel).sum(axis=0) / mass.sum()
    energies = []
    for _ in range(20):
        d = pos[None, :, :] - pos[:, None, :]
        r2 = (d ** 2).sum(axis=-1) + 0.01
        inv = r2 ** -1.5
        np.fill_diagonal(inv, 0)
        acc = (d * (mass[None, :, None] * inv[:, :, None])).sum(axis=1)
        vel += acc * dt
        pos += vel * dt
        kinetic = 0.5 * (mass * (vel ** 2).sum(1)).sum()
        energies.append(float(kinetic))
    return pos, vel, energies


def lorenz_runge_kutta(np):
    def f(s, sigma=10.0, rho=28.0, beta=8 / 3):
        x, y, z = s
        return np.array([sigma * (y - x), x * (rho - z) - y, x * y - beta * z])

    s = np.array([1.0, 1.0, 1.0])
    path = np.empty((200, 3))
    h = 0.01
    for i in range(200):
        k1 = f(s)
        k2 = f(s + h / 2 * k1)
        k3 = f(s + h / 2 * k2)
        k4 = f(s + h * k3)
        s = s + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        path[i] = s
    return path, path.min(axis=0), path.max(0)


def pendulum_euler(np):
    n = 200
    theta, omega = np.zeros(n), np.zeros(n)
    theta[0] = np.pi / 4
    for i in range(n - 1):
        omega[i + 1] = omega[i] - 9.81 * np.sin(theta[i]) * 0.01
        theta[i + 1] = theta[i] + omega[i + 1] * 0.01
    return theta, omega, np.where(np.diff(np.sign(theta)))[0]


def lotka_volterra(np):
    z = np.array([10.0, 5.0])
    m = np.array([[1.1, -0.4], [0.1, -0.4]])
    out = np.zeros((2, 101))
    out[:, 0] = z
    for k in range(100):
        prey, hunter = out[:, k]
        out[0, k + 1] = prey + 0.02 * (m[0, 0] * prey + m[0, 1] * prey * hunter)
        out[1, k + 1] = hunter + 0.02 * (m[1, 0] * prey * hunter + m[1, 1] * hunter)
    return out


def ising(np):
    rng = np.random.RandomState(3)
    s = np.where(rng.rand(16, 16) < 0.5, -1, 1)
    checker = np.indices((16, 16)).sum(axis=0) % 2
    trace = []
    for _ in range(20):
        for colour in (0, 1):
            near = np.roll(s, 1, 0) + np.roll(s, -1, 0) + np.roll(s, 1, 1) + np.roll(s, -1, 1)
            flip = (rng.rand(16, 16) < np.exp(-2 * s * near / 2.2)) & (checker == colour)
            s[flip] *= -1
        trace.append(int(s.sum()))
    return s, trace


def advection_upwind(np):
    u = np.where((np.arange(60) > 10) & (np.arange(60) < 20), 1.0, 0.0).astype(np.float32)
    for _ in range(30):
        u[1:] -= np.float32(0.5) * (u[1:] - u[:-1])
    return u, u.dtype, u.sum()


def poisson_sor(np):
    n, w = 14, 1.5
    p, f = np.zeros((n, n)), np.ones((n, n)) * 0.1
    for _ in range(12):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                p[i, j] = (1 - w) * p[i, j] + w * 0.25 * (p[i - 1, j] + p[i + 1, j] + p[i, j - 1] + p[i, j + 1] - f[i, j])
    return p


def lattice_boltzmann(np):
    c = np.array([(x, y) for x in (0, -1, 1) for y in (0, -1, 1)])
    t = 1. / 36. * np.ones(9)
    t[np.abs(c).sum(1) == 1] = 1. / 9.
    t[0] = 4. / 9.
    nx, ny = 16, 8
    rho = np.ones((nx, ny))
    u = np.fromfunction(lambda d, x, y: (1 - d) * 0.04 * (1 + 1e-2 * np.sin(y / (ny - 1) * 2 * np.pi)), (2, nx, ny))

    def equilibrium(rho, u):
        cu = 3.0 * np.dot(c, u.transpose(1, 0, 2))
        usqr = 3. / 2. * (u[0] ** 2 + u[1] ** 2)
        feq = np.zeros((9, nx, ny))
        for i in range(9):
            feq[i] = rho * t[i] * (1. + cu[i] + 0.5 * cu[i] ** 2 - usqr)
        return feq

    f = equilibrium(rho, u)
    for _ in range(5):
        rho = np.sum(f, axis=0)
        u = np.dot(c.transpose(), f.transpose((1, 0, 2))) / rho
        f -= 1.2 * (f - equilibrium(rho, u))
        for i in range(9):
            f[i] = np.roll(np.roll(f[i], int(c[i, 0]), axis=0), int(c[i, 1]), axis=1)
    return rho, u, f.sum()


def projectile(np):
    angles = np.deg2rad(np.arange(15, 80, 5))
    t = np.linspace(0, 5, 200)[:, np.newaxis]
    x, y = 30 * np.cos(angles) * t, 30 * np.sin(angles) * t - 0.5 * 9.81 * t ** 2
    landed = np.argmax((y < 0) & (t > 0), axis=0)
    ranges = x[landed, np.arange(len(angles))]
    best = ranges.argmax()
    return ranges, f'{np.rad2deg(angles[best]):.1f} degrees, {ranges[best]:.3f} m', np.round(y.max(axis=0), 4)
