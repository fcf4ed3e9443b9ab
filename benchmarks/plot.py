"""The picture of a run: speedup of every case, family by family."""
from benchmarks import cases, report

TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000)

def write_plot(path, header, results):
    """Draws results to a PNG (or any format matplotlib knows). Raises ImportError without matplotlib."""
    import matplotlib
    matplotlib.use('Agg')
    from matplotlib import pyplot

    good = [r for r in results if r.status == 'ok']
    families = [f for f in cases.FAMILIES if any(r.family == f for r in good)]
    sizes = sorted({r.size for r in good})
    colours = {size: pyplot.get_cmap('viridis')(0.9 * i / max(len(sizes) - 1, 1)) for i, size in enumerate(sizes)}
    labels = {f: list(dict.fromkeys((r.op, r.dtype) for r in good if r.family == f)) for f in families}
    columns = _columns(families, labels)
    height = max(sum(len(labels[f]) + 2.5 for f in column) for column in columns)
    figure = pyplot.figure(figsize=(5.2 * len(columns), 1.8 + 0.19 * height), layout='constrained')
    grids = figure.add_gridspec(1, len(columns))
    low = min([r.ratio for r in good] + [0.8]) / 1.3
    high = max([r.ratio for r in good] + [1.25]) * 1.3
    for column, grid in zip(columns, grids):
        counts = [len(labels[f]) for f in column]
        spare = height - sum(counts) - 2.5 * len(counts)
        cells = grid.subgridspec(len(column) + 1, 1, height_ratios=[c + 1.5 for c in counts] + [max(spare, 0.01)])
        for i, family in enumerate(column):
            axes = figure.add_subplot(cells[i])
            _draw(axes, family, labels[family], [r for r in good if r.family == family], colours)
            axes.set_xscale('log')
            axes.set_xlim(low, high)
            axes.set_xticks([t for t in TICKS if low <= t <= high], [f'{t:g}x' for t in TICKS if low <= t <= high])
            axes.set_xticks([], minor=True)
    handles = [pyplot.Line2D([], [], marker='o', linestyle='', color=colours[s], label=f'n = {s:,}') for s in sizes]
    figure.legend(handles=handles, loc='outside lower center', ncols=max(len(sizes), 1), frameon=False)
    overall = report.geometric_mean(r.ratio for r in good)
    figure.suptitle('\n'.join([f'Times as fast as NumPy: {report.digits(overall)}x in the geometric mean of {len(good)} cases']
                              + [text for word, text in header if word in ('machine', 'cupy')]), fontsize=10)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def _columns(families, labels):
    """Families in up to three columns of about equal height."""
    total = sum(len(labels[f]) + 2.5 for f in families)
    count = min(3, max(1, round(total / 25)), max(len(families), 1))
    columns, used = [[]], 0
    for family in families:
        size = len(labels[family]) + 2.5
        if columns[-1] and used + size / 2 > total / count and len(columns) < count:
            columns.append([])
            used = 0
        columns[-1].append(family)
        used += size
    return columns


def _draw(axes, family, rows, results, colours):
    place = {row: i for i, row in enumerate(rows)}
    several = len({dtype for _, dtype in rows}) > 1
    axes.axvline(1, color='black', linewidth=0.8)
    for r in results:
        axes.plot(r.ratio, place[r.op, r.dtype], 'o', color=colours[r.size], markersize=5, markeredgecolor='white', markeredgewidth=0.4)
    axes.set_yticks(range(len(rows)), [f'{op} {dtype}' if several else op for op, dtype in rows], fontsize=8)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_title(family if several or not rows else f'{family} ({rows[0][1]})', fontsize=9, loc='left')
    axes.tick_params(axis='x', labelsize=8)
    axes.grid(axis='x', color='0.9')
    axes.set_axisbelow(True)
