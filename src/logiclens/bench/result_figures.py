"""Figures of results, from rows: time (Fig. 9), errors and their Pareto front (Fig. 10), length and accuracy.

Methods differ in color and in shape, so that nobody depends on color alone; the colors are of the palette of
Okabe and Ito. Full signs are methods as they are here, hollow ones the networks with the paper's settings.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any, Final

from logiclens.bench.reference_figures import REFERENCE, plain_name
from logiclens.bench.scoreboard import Mean, Row, Scoreboard, experiment_title, method_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LOOKS = {
    "mu": ("#0072B2", "o"),
    "psi": ("#B07A00", "s"),
    "relu": ("#009E73", "^"),
    "entropy": ("#CC79A7", "D"),
    "tree": ("#333333", "X"),
    "brl": ("#D55E00", "P"),
    "ripper": ("#2F8FC4", "v"),
    "logistic": ("#777777", "<"),
    "mlp": ("#777777", "d"),
    "boosting": ("#777777", ">"),
}
_OTHERS = (("#555555", "h"), ("#8C510A", "p"), ("#01665E", "8"), ("#762A83", "*"))
_SIGN: Final = {"markersize": 6.5, "linestyle": "none"}
_ACROSS: Final = 3
"""Panels in a row."""
_LEAST_SPAN: Final = 0.5
"""Points that an axis of rates shows at least."""
Point = tuple[float, float]
Looks = Mapping[str, tuple[str, str]]
"""Color and marker of each method."""


def time_figure(rows: Iterable[Row], fold_seed: int | None = None) -> Figure:
    """Seconds of a fold, training and extraction, on a logarithmic axis (Fig. 9).

    Bars are 95 % intervals of the mean over folds. An arrow marks a method that was stopped: it takes at
    least that long.

    Parameters
    ----------
    rows : iterable of rows
    fold_seed : int, optional
        Which folds; needed where there are rows of several seeds.
    """
    board = Scoreboard(rows, fold_seed=fold_seed)
    methods = [
        name for name in board.methods if any(board.values(e, name, "seconds") for e in board.experiments)
    ]
    looks = _looks(board.methods)
    drawn, axes = _panels(board, height=0.9 + 0.2 * len(methods))
    for ax, experiment in zip(axes, board.main_experiments, strict=True):
        for at, name in enumerate(methods):
            mean = board.mean(experiment, name, "seconds")
            if mean is None or mean.value <= 0:
                continue
            low, high = _interval(mean)
            reach = [[mean.value - max(low, mean.value / 10)], [high - mean.value]]
            ax.errorbar([mean.value], [at], xerr=reach, **_sign(looks[name], name), capsize=2)
            if board.statuses(experiment, name):
                arrow = {"arrowstyle": "->", "color": looks[name][0]}
                ax.annotate("", (mean.value * 3, at), (mean.value, at), arrowprops=arrow)
        ax.set_ylim(len(methods) - 0.5, -0.5)
        ax.set_yticks(range(len(methods)), [_plain(method_title(name)) for name in methods])
        ax.tick_params(axis="y", labelleft=ax in axes[::_ACROSS], length=0)
        ax.set_xlabel("seconds per fold")
    drawn.supxlabel(
        "Bars: 95 % intervals of the mean. With an arrow on its right: stopped before the end.",
        fontsize="small",
    )
    means = [board.mean(e, name, "seconds") for e in board.main_experiments for name in methods]
    for ax in axes:
        _log_axis(ax, [mean.value * room for mean in means if mean is not None for room in (1, 3)])
    return drawn


def error_figure(rows: Iterable[Row], fold_seed: int | None = None) -> Figure:
    """Error of the explanations against error of the model; dotted, the Pareto front (Fig. 10).

    Errors are 100 less the accuracy; of explanations it is the macro-F1. Where methods differ by factors, an
    axis is logarithmic beyond the least error.

    Parameters
    ----------
    rows : iterable of rows
    fold_seed : int, optional
        Which folds; needed where there are rows of several seeds.
    """

    def draw(ax: Axes, points: Mapping[str, Point], looks: Looks) -> None:
        errors = {name: (100 - 100 * x, 100 - 100 * y) for name, (x, y) in points.items()}
        _scatter(ax, errors, looks)
        _stretch_small_errors(ax, errors.values())
        _show_half_a_point(ax.get_xlim, ax.set_xlim)
        ax.set_xlabel("model error, %")
        ax.set_ylabel("explanation error, %")

    return _scatter_figure(Scoreboard(rows, fold_seed=fold_seed), "model_accuracy", draw)


def length_figure(rows: Iterable[Row], fold_seed: int | None = None) -> Figure:
    """Explanation accuracy against the length of rules; dotted, the methods that no other one beats in both.

    Parameters
    ----------
    rows : iterable of rows
    fold_seed : int, optional
        Which folds; needed where there are rows of several seeds.
    """

    def draw(ax: Axes, points: Mapping[str, Point], looks: Looks) -> None:
        lengths = {name: (x, 100 * y) for name, (x, y) in points.items() if x > 0}
        _scatter(ax, lengths, looks, high=True)
        _log_axis(ax, [x for x, _ in lengths.values()])
        ax.set_xlabel("literals of a rule")
        ax.set_ylabel("macro-F1 of the rules, %")

    return _scatter_figure(Scoreboard(rows, fold_seed=fold_seed), "complexity", draw)


def _scatter_figure(
    board: Scoreboard, column: str, draw: Callable[[Axes, Mapping[str, Point], Looks], None]
) -> Figure:
    """Explanation accuracy against another column, drawn for each experiment, and the names of the signs."""
    looks = _looks(board.methods)
    drawn, axes = _panels(board, height=2.7)
    for ax, experiment in zip(axes, board.main_experiments, strict=True):
        columns = (column, "explanation_accuracy")
        means = {name: [board.mean(experiment, name, each) for each in columns] for name in board.methods}
        draw(ax, {name: (x.value, y.value) for name, (x, y) in means.items() if x and y}, looks)
        _show_half_a_point(ax.get_ylim, ax.set_ylim)
    _legend(drawn, looks, [name for name in board.methods if _has_rules(board, name)])
    return drawn


FIGURES: Final = {"time": time_figure, "errors": error_figure, "lengths": length_figure}
"""Every figure by the name of its file."""


def as_svg(figure: Figure) -> bytes:
    """The figure as SVG, without a date: the same figure gives the same bytes."""
    from matplotlib import rc_context

    drawn = io.BytesIO()
    with rc_context({"svg.hashsalt": "logiclens", "svg.fonttype": "none", "font.family": "sans-serif"}):
        figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
    return b"\n".join(line.rstrip() for line in drawn.getvalue().splitlines()) + b"\n"


def pareto(points: Iterable[Point], *, high: bool = False) -> list[Point]:
    """Points that no other one beats in both: low in the first and low, or high, in the second.

    Examples
    --------
    >>> pareto([(1, 5), (2, 6), (3, 2), (3, 4)])
    [(1, 5), (3, 2)]
    >>> pareto([(1, 5), (2, 6), (3, 2)], high=True)
    [(1, 5), (2, 6)]
    """
    sign = -1 if high else 1
    found: list[Point] = []
    for point in sorted(set(points), key=lambda each: (each[0], sign * each[1])):
        if not found or sign * point[1] < sign * found[-1][1]:
            found.append(point)
    return found


# Parts of figures


def _panels(board: Scoreboard, height: float) -> tuple[Figure, list[Axes]]:
    """A panel for each experiment."""
    from matplotlib.figure import Figure

    names = board.main_experiments
    across = min(_ACROSS, len(names))
    down = math.ceil(len(names) / across)
    drawn = Figure(figsize=(1.2 + 2.9 * across, height * down + 0.5), layout="constrained")
    grid = drawn.subplots(down, across, squeeze=False).ravel()
    for ax in grid[len(names) :]:
        ax.set_axis_off()
    for ax, name in zip(grid, names, strict=False):
        ax.set_title(_plain(experiment_title(name)), fontsize="medium")
        ax.grid(alpha=0.25)
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
    return drawn, list(grid[: len(names)])


def _looks(methods: Sequence[str]) -> Looks:
    """Color and marker of each method; unknown methods take spare ones in turn."""
    spare = cycle(_OTHERS)
    return {name: _LOOKS[plain_name(name)] if plain_name(name) in _LOOKS else next(spare) for name in methods}


def _sign(look: tuple[str, str], method: str) -> dict[str, Any]:
    color, marker = look
    inside = "white" if method.endswith(REFERENCE) else color
    return {"color": color, "marker": marker, "markerfacecolor": inside} | _SIGN


def _has_rules(board: Scoreboard, method: str) -> bool:
    return any(board.values(name, method, "explanation_accuracy") for name in board.experiments)


def _scatter(ax: Axes, points: Mapping[str, Point], looks: Looks, *, high: bool = False) -> None:
    """Points, and their front as steps: between two of it, nothing better than the first is known."""
    for name, (x, y) in points.items():
        ax.plot([x], [y], **_sign(looks[name], name), zorder=3, label=_plain(method_title(name)))
    ax.margins(0.12)
    if front := pareto(points.values(), high=high):
        ax.step(
            *zip(*front, strict=True), where="post", color="black", linestyle=":", linewidth=1.2, zorder=2
        )


def _log_axis(ax: Axes, values: Iterable[float]) -> None:
    """A logarithmic axis around the values, with numbers as people write them."""
    known = [value for value in values if value > 0]
    if not known:
        return
    low, high = min(known) / 2, max(known) * 2
    ax.set_xscale("log")
    ax.set_xlim(low, high)
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    steps = (1, 2, 5) if last - first <= 3 else (1,)
    each = 1 if last - first <= 4 else 2
    ticks = [step * 10.0**power for power in range(first, last + 1, each) for step in steps]
    ax.set_xticks([tick for tick in ticks if low <= tick <= high])
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.xaxis.minorticks_off()


def _show_half_a_point(limits: Callable[[], Point], widen: Callable[[float, float], object]) -> None:
    """Widen an axis to half a point at least, so that tiny differences do not look large."""
    low, high = limits()
    lacking = (_LEAST_SPAN - (high - low)) / 2
    if lacking > 0:
        widen(low - lacking, high + lacking)


def _stretch_small_errors(ax: Axes, points: Iterable[Point]) -> None:
    """Use a symmetric log scale if some errors are many times as large as others."""
    scales = (ax.set_xscale, ax.xaxis), (ax.set_yscale, ax.yaxis)
    for values, (scale, axis) in zip(zip(*points, strict=True), scales, strict=False):
        least = max(min(values), 0.1)
        if max(values) > 10 * least:
            scale("symlog", linthresh=least)
            axis.set_major_formatter(lambda value, _: f"{value:g}")


def _legend(drawn: Figure, looks: Looks, methods: Sequence[str]) -> None:
    from matplotlib.lines import Line2D

    if not methods:
        drawn.suptitle("No method gives rules.", fontsize="medium")
        return
    signs = [Line2D([], [], **_sign(looks[name], name)) for name in methods]
    names = [_plain(method_title(name)) for name in methods]
    line = Line2D([], [], color="black", linestyle=":", linewidth=1.2)
    place: dict[str, Any] = {"loc": "outside lower center", "ncols": 4, "frameon": False, "fontsize": "small"}
    drawn.legend([*signs, line], [*names, "Pareto front"], **place)


def _interval(mean: Mean) -> Point:
    """95 % interval of a mean, by Student's distribution; a single fold has none."""
    from scipy.stats import t

    if mean.n < 2:
        return mean.value, mean.value
    reach = float(t.ppf(0.975, mean.n - 1)) * mean.error
    return mean.value - reach, mean.value + reach


def _plain(text: str) -> str:
    """Escape text so that matplotlib does not read it as mathematics."""
    return text.replace("$", r"\$")
