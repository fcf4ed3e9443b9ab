"""Dynamic programming, graphs, automata, sorting, numbers: loops over elements."""


def game_of_life(np):
    grid = np.zeros((12, 12), dtype=np.uint8)
    grid[1:4, 1:4] = [[0, 1, 0], [0, 0, 1], [1, 1, 1]]
    for _ in range(20):
        n = sum(np.roll(np.roll(grid, dy, 0), dx, 1) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if (dy, dx) != (0, 0))
        grid = ((n == 3) | ((grid == 1) & (n == 2))).astype(np.uint8)
    return grid, grid.sum(), grid.dtype


def game_of_life_with_slices(np):
    z = np.random.RandomState(0).randint(0, 2, (14, 14))
    for _ in range(6):
        n = (z[0:-2, 0:-2] + z[0:-2, 1:-1] + z[0:-2, 2:] + z[1:-1, 0:-2] + z[1:-1, 2:] + z[2:, 0:-2] + z[2:, 1:-1] + z[2:, 2:])
        birth = (n == 3) & (z[1:-1, 1:-1] == 0)
        survive = ((n == 2) | (n == 3)) & (z[1:-1, 1:-1] == 1)
        z[...] = 0
        z[1:-1, 1:-1][birth | survive] = 1
    return z, int(z.sum())


def rule_110(np):
    width = 40
    row = np.zeros(width, dtype=int)
    row[-1] = 1
    rule = np.array([(110 >> i) & 1 for i in range(8)])
    rows = []
    for _ in range(15):
        rows.append(''.join('#' if c else ' ' for c in row))
        row = rule[4 * np.roll(row, 1) + 2 * row + np.roll(row, -1)]
    return rows, row


def edit_distance(np):
    a, b = 'kitten sitting', 'sitting kitten'
    d = np.zeros((len(a) + 1, len(b) + 1), dtype=int)
    d[:, 0] = np.arange(len(a) + 1)
    d[0, :] = range(len(b) + 1)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return d, int(d[-1, -1]), f'{d[len(a)][len(b)]}'


def knapsack(np):
    weights, values, capacity = [2, 3, 4, 5, 9], [3, 4, 8, 8, 10], 20
    best = np.zeros((len(weights) + 1, capacity + 1), dtype=np.int64)
    for i in range(1, len(weights) + 1):
        w, v = weights[i - 1], values[i - 1]
        best[i] = best[i - 1]
        best[i, w:] = np.maximum(best[i - 1, w:], best[i - 1, :-w] + v)
    taken, c = [], capacity
    for i in range(len(weights), 0, -1):
        if best[i, c] != best[i - 1, c]:
            taken.append(i - 1)
            c -= weights[i - 1]
    one = np.zeros(capacity + 1, dtype=int)
    for w, v in zip(weights, values):
        for c in range(capacity, w - 1, -1):
            one[c] = max(one[c], one[c - w] + v)
    return best, taken, one


def longest_common_subsequence(np):
    x, y = 'AGGTABXYQ', 'GXTXAYBQ'
    t = np.zeros((len(x) + 1, len(y) + 1), int)
    for i, a in enumerate(x):
        for j, b in enumerate(y):
            t[i + 1, j + 1] = t[i, j] + 1 if a == b else max(t[i + 1, j], t[i, j + 1])
    i, j, out = len(x), len(y), ''
    while i > 0 and j > 0:
        if x[i - 1] == y[j - 1]:
            out = x[i - 1] + out
            i, j = i - 1, j - 1
        elif t[i - 1, j] >= t[i, j - 1]:
            i -= 1
        else:
            j -= 1
    return t[-1, -1], out


def matrix_chain(np):
    dims = np.array([30, 35, 15, 5, 10, 20, 25])
    n = len(dims) - 1
    cost = np.full((n, n), np.inf)
    split = np.zeros((n, n), dtype=np.int32)
    for i in range(n):
        cost[i, i] = 0
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            for k in range(i, j):
                q = cost[i, k] + cost[k + 1, j] + dims[i] * dims[k + 1] * dims[j + 1]
                if q < cost[i, j]:
                    cost[i, j] = q
                    split[i, j] = k

    def brackets(i, j):
        return f'A{i}' if i == j else f'({brackets(i, int(split[i, j]))}{brackets(int(split[i, j]) + 1, j)})'

    return cost[0, -1], split, brackets(0, n - 1)


def viterbi(np):
    start = np.array([0.6, 0.4])
    move = np.array([[0.7, 0.3], [0.4, 0.6]])
    emit = np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]])
    seen = [0, 1, 2, 2, 1, 0]
    delta = np.log(start) + np.log(emit[:, seen[0]])
    back = []
    for o in seen[1:]:
        scores = delta[:, None] + np.log(move)
        back.append(scores.argmax(axis=0))
        delta = scores.max(axis=0) + np.log(emit[:, o])
    path = [int(delta.argmax())]
    for b in reversed(back):
        path.append(int(b[path[-1]]))
    alpha = start * emit[:, seen[0]]
    for o in seen[1:]:
        alpha = (alpha @ move) * emit[:, o]
    return path[::-1], delta.max(), alpha.sum()


def floyd_warshall(np):
    inf = np.inf
    d = np.array([[0, 3, inf, 7], [8, 0, 2, inf], [5, inf, 0, 1], [2, inf, inf, 0]])
    step = d.copy()
    for k in range(4):
        d = np.minimum(d, d[:, k, None] + d[None, k, :])
    for k in range(4):
        for i in range(4):
            for j in range(4):
                if step[i, j] > step[i, k] + step[k, j]:
                    step[i, j] = step[i, k] + step[k, j]
    return d, np.array_equal(d, step)


def dijkstra(np):
    graph = np.array([[0, 4, 0, 0, 8], [4, 0, 8, 0, 11], [0, 8, 0, 7, 0], [0, 0, 7, 0, 9], [8, 11, 0, 9, 0]])
    n = len(graph)
    dist = np.full(n, np.iinfo(np.int64).max)
    done = np.zeros(n, dtype=bool)
    dist[0] = 0
    for _ in range(n):
        u = int(np.argmin(np.where(done, np.iinfo(np.int64).max, dist)))
        done[u] = True
        for v in range(n):
            if graph[u, v] > 0 and not done[v] and dist[u] + graph[u, v] < dist[v]:
                dist[v] = dist[u] + graph[u, v]
    return dist, done.all()


def breadth_first(np):
    maze = np.array([list(map(int, row)) for row in ['0010', '1000', '0011', '0000']])
    dist = -np.ones_like(maze)
    dist[0, 0] = 0
    front = np.zeros(maze.shape, bool)
    front[0, 0] = True
    step = 0
    while front.any():
        step += 1
        grown = np.zeros_like(front)
        grown[1:] |= front[:-1]
        grown[:-1] |= front[1:]
        grown[:, 1:] |= front[:, :-1]
        grown[:, :-1] |= front[:, 1:]
        front = grown & (maze == 0) & (dist < 0)
        dist[front] = step
    degree = (maze == 0).sum(axis=0)
    return dist, step, degree, np.argwhere(dist == dist.max())


def sieve(np):
    n = 200
    prime = np.ones(n + 1, dtype=bool)
    prime[:2] = False
    for i in range(2, int(n ** 0.5) + 1):
        if prime[i]:
            prime[i * i::i] = False
    p = np.nonzero(prime)[0]
    twins = p[:-1][np.diff(p) == 2]
    gaps, counts = np.unique(np.diff(p), return_counts=True)
    return p, len(p), twins, gaps, counts, list(p[:5]) == [2, 3, 5, 7, 11]


def sorting_over_elements(np):
    def bubble(a):
        a = a.copy()
        for i in range(len(a)):
            for j in range(len(a) - 1 - i):
                if a[j] > a[j + 1]:
                    a[j], a[j + 1] = a[j + 1], a[j]
        return a

    def insertion(a):
        a = a.copy()
        for i in range(1, len(a)):
            key = a[i]
            j = i - 1
            while j >= 0 and a[j] > key:
                a[j + 1] = a[j]
                j -= 1
            a[j + 1] = key
        return a

    def selection(a):
        a = a.copy()
        for i in range(len(a)):
            m = i + np.argmin(a[i:])
            a[[i, m]] = a[[m, i]]
        return a

    def quick(a):
        if len(a) < 2:
            return a
        pivot = a[len(a) // 2]
        return np.concatenate((quick(a[a < pivot]), a[a == pivot], quick(a[a > pivot])))

    def merge(a):
        if len(a) <= 1:
            return a
        left, right = merge(a[:len(a) // 2]), merge(a[len(a) // 2:])
        out = np.empty_like(a)
        i = j = 0
        for k in range(len(a)):
            if j >= len(right) or (i < len(left) and left[i] <= right[j]):
                out[k] = left[i]
                i += 1
            else:
                out[k] = right[j]
                j += 1
        return out

    def counting(a):
        return np.repeat(np.arange(a.max() + 1), np.bincount(a))

    a = np.random.RandomState(5).randint(0, 50, 24)
    return [f(a) for f in (bubble, insertion, selection, quick, merge, counting)], np.sort(a), a


def scalars_and_swaps(np):
    a = np.array([5, 3, 9, 1])
    a[0], a[1] = a[1], a[0]
    best = a[0]
    s = a[0]
    s += 1
    total = 0
    largest, where = a[0], 0
    for i, x in enumerate(a):
        total += x
        if x > largest:
            largest, where = x, i
    best = s
    s += 1
    x, y = a[:2]
    x, y = y, x
    row = np.zeros(3)
    t = row[1]
    t -= 4
    row[2] += 2.5
    row[0] = t
    return a, best, s, total, largest, where, x, y, row, t, max(a), min(a), sum(a), sorted(a), a[1] == 5 and not a[2] < 3


def formatting(np):
    a = np.array([1.5, -2.25, 1e10, np.nan])
    i, m = np.array([3, -14]), np.arange(6).reshape(2, 3)
    x = np.float64(2.5)
    return [f'{a[0]:.3f}|{i[1]:5d}|{i[0]:>4}|{a[1]:+.1e}|{x:8.2f}', '%d %.2f %s' % (i[0], a[1], i[1]), '{:.4g}'.format(a[2]),
            str(a), str(m), str(i[0]), str(a[0]), f'{a}', repr(m), repr(a.tolist()), str(m.T), str(m > 2), str(np.zeros((2, 0))),
            f'{m.sum()} of {m.size}', f'{m.mean():.2%}', str(a.dtype), str(m.shape), ' '.join(str(v) for v in m[0]),
            ', '.join(f'{v:.1f}' for v in a), str(m[1, 2] + 1j), f'{m[0, 1]:03d}', f'{bool(m[0, 0])}', str(m.tolist()), str(list(i.shape))]


def broadcasting_tricks(np):
    n = np.arange(1, 10)
    table = n[:, None] * n
    parity = (n[:, np.newaxis] + n) % 2
    board = np.zeros((8, 8), int)
    board[1::2, ::2] = 1
    board[::2, 1::2] = 1
    onehot = (np.arange(4) == np.array([2, 0, 3])[:, None]).astype(np.float32)
    distance = np.abs(np.subtract.outer(n, n))
    i, j = np.ix_([0, 2], [1, 3])
    table[i, j] = -1
    lower = np.tril(np.ones((4, 4)), -1)
    return table, parity, board, onehot, distance, lower, np.add.outer(n[:3], n[:2]), table[table % 7 == 0], \
        np.tile([[0, 1], [1, 0]], (2, 2))


def pascal_and_numbers(np):
    rows = np.zeros((10, 10), dtype=np.int64)
    rows[:, 0] = 1
    for i in range(1, 10):
        rows[i, 1:] = rows[i - 1, 1:] + rows[i - 1, :-1]
    fib = np.ones(30, dtype=np.int64)
    for i in range(2, 30):
        fib[i] = fib[i - 1] + fib[i - 2]
    n = np.arange(1, 31)
    perfect = [int(k) for k in n if np.sum(n[:k - 1][k % n[:k - 1] == 0]) == k]
    collatz = []
    c = np.int64(27)
    while c != 1 and len(collatz) < 200:
        c = c // 2 if c % 2 == 0 else 3 * c + 1
        collatz.append(int(c))
    q = np.array([[1, 1], [1, 0]])
    return rows, fib[-1], perfect, collatz, np.linalg.matrix_power(q, 20), np.gcd.reduce(np.array([12, 18, 30])), np.cumprod(n[:10])


def n_queens_and_sudoku(np):
    board = np.zeros((6, 6), dtype=bool)
    solutions = []

    def place(row):
        if row == 6:
            solutions.append(np.argmax(board, axis=1).tolist())
            return
        for col in range(6):
            flipped = np.fliplr(board)
            if not board[:, col].any() and not np.diag(board, col - row).any() and not np.diag(flipped, 5 - col - row).any():
                board[row, col] = True
                place(row + 1)
                board[row, col] = False

    place(0)
    magic = np.array([[2, 7, 6], [9, 5, 1], [4, 3, 8]])
    sums = {int(s) for s in np.r_[magic.sum(0), magic.sum(1), np.trace(magic), np.trace(magic[::-1])]}
    return solutions, sums


def tic_tac_toe(np):
    board = np.zeros((3, 3), dtype=int)
    rng = np.random.RandomState(7)
    player, winner, moves = 1, 0, []
    while winner == 0 and (board == 0).any():
        free = np.argwhere(board == 0)
        r, c = free[rng.randint(len(free))]
        board[r, c] = player
        moves.append((int(r), int(c)))
        lines = np.concatenate([board.sum(0), board.sum(1), [np.trace(board)], [np.trace(np.fliplr(board))]])
        if (lines == 3 * player).any():
            winner = player
        player = -player
    picture = '\n'.join(' '.join({1: 'X', -1: 'O', 0: '.'}[int(v)] for v in row) for row in board)
    return board, winner, moves, picture


def text_and_sets(np):
    letters = np.array([ord(c) - ord('a') for c in 'thequickbrownfoxjumpsoverthelazydog'])
    counts = np.bincount(letters, minlength=26)
    shifted = (letters + 13) % 26
    text = ''.join(chr(int(c) + ord('a')) for c in shifted)
    a, b = np.array([1, 2, 3, 4, 2]), np.array([3, 4, 5, 3])
    inverse = np.unique(a, return_inverse=True)[1]
    runs = np.split(a, np.where(np.diff(a) < 0)[0] + 1)
    entropy = -np.sum(counts[counts > 0] / counts.sum() * np.log2(counts[counts > 0] / counts.sum()))
    return (counts, text, np.union1d(a, b), np.intersect1d(a, b), np.setdiff1d(a, b), np.isin(a, b), inverse, [r.tolist() for r in runs],
            entropy, np.packbits(a > 2), np.base_repr(29, 3))


def views_and_aliases(np):
    a = np.arange(12)
    b = a.reshape(3, 4)
    b[1] = -1
    c = a[::2]
    c += 100
    d = b.T
    d[0, 0] = 7
    e = b.ravel()
    e[1] = 50
    f = b.flatten()
    f[:] = 0
    a[2:7] = a[0:5]
    row = b[2]
    row *= 2
    b[:, 1], b[:, 2] = b[:, 2].copy(), b[:, 1].copy()
    g = a.copy()
    g[g > 100] = 0
    np.negative(a, out=a, where=a % 2 == 0)
    for r in b:
        r -= r[0]
    return a, b, c, d, e, f, g, row, np.shares_memory(a, b), a.base is None, c.base is not None
