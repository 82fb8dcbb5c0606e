"""Tables and the figure of rule learners over the whole front: accuracy, leads, and lengths, by limit."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Final

import numpy as np

from logiclens.bench.fronts import LIMITS, LITERALS, PRINTED, Fronts, lead
from logiclens.bench.measures import NOTHING
from logiclens.bench.peers import OURS, PEERS
from logiclens.bench.scoring import Row
from logiclens.bench.table_layout import Cell, Table
from logiclens.errors import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_HEADS: Final = tuple(f"up to {limit}" for limit in LIMITS)
_AXES: Final = {LITERALS: "literals of each class's formula", PRINTED: "size as printed"}
_CURVE: Final = (1, 2, 3, 4, 5, 7, 10, 14, 20, 28, 40, 57, 80)
"""Limits that a line of the figure goes through."""
_LOOKS: Final = {
    OURS: ("#0072B2", "o"),
    "cart": ("#333333", "X"),
    "streed": ("#009E73", "^"),
    "figs": ("#D55E00", "s"),
    "ripper": ("#CC79A7", "v"),
    "rug": ("#B07A00", "D"),
}
_DASHES: Final = ("--", ":", "-.")


def front_tables(rows: Iterable[Row]) -> list[Table]:
    """All tables: accuracy by limit, leads of ours, lengths, size as printed, and the default points.

    Parameters
    ----------
    rows : iterable of rows
        Of one fold seed; see :mod:`logiclens.bench.fronts`.
    """
    fronts = Fronts(rows)
    tables = [_defaults(fronts)]
    for axis in _AXES:
        tables += [_accuracy(fronts, axis), _leads(fronts, axis), _lengths(fronts, axis)]
    return [table for table in tables if table.lines]


def _accuracy(fronts: Fronts, axis: str) -> Table:
    lines = []
    for method in fronts.methods:
        cells = [_rate(fronts, method, limit, axis) for limit in LIMITS]
        lines.append((Cell(front_title(method)), *cells))
    note = (
        "Mean over tables of the accuracy on test rows. Each method chooses its size on validation rows, "
        "within the limit. In brackets: tables, where some lack."
    )
    title = _title(fronts, f"Accuracy (%) by {_AXES[axis]}")
    return Table(title, ("", *_HEADS), tuple(lines), _told(note, fronts) if axis == LITERALS else note)


def _rate(fronts: Fronts, method: str, limit: float, axis: str) -> Cell:
    found = fronts.means(method, limit, axis=axis)
    if not found:
        return Cell(NOTHING)
    of = "" if len(found) == len(fronts.tables) else f"{len(found)} tables"
    return Cell(f"{100 * np.mean([*found.values()]):.2f}", beside=of)


def _leads(fronts: Fronts, axis: str) -> Table:
    """How far ours is ahead of each other method."""
    lines = []
    others = [method for method in fronts.methods if method != OURS] if OURS in fronts.methods else []
    for method in others:
        cells = []
        for limit in LIMITS:
            mine, theirs = (fronts.means(each, limit, axis=axis) for each in (OURS, method))
            cells.append(_lead_cell(*lead(mine, theirs)))
        lines.append((Cell(front_title(method)), *cells))
    note = (
        f"{front_title(OURS)} minus the other, on the tables that both have; mean over tables, with its 95 % "
        "interval (Student's t). In brackets: the tables."
    )
    title = _title(fronts, f"Lead in accuracy (points) by {_AXES[axis]}")
    return Table(title, ("", *_HEADS), tuple(lines), note if lines else "")


def _lead_cell(mean: float, spread: float, n_tables: int) -> Cell:
    if not n_tables:
        return Cell(NOTHING)
    text = f"{100 * mean:+.2f}" if math.isnan(spread) else f"{100 * mean:+.2f}±{100 * spread:.2f}"
    return Cell(text, beside=str(n_tables))


def _lengths(fronts: Fronts, axis: str) -> Table:
    notes = {
        LITERALS: "Mean over classes, folds and tables.",
        PRINTED: "Splits of trees, all literals of lists and sets of rules. Mean over folds and tables.",
    }
    lines = []
    for method in fronts.methods:
        if fronts.has_rules(method):
            found = [fronts.means(method, limit, axis, axis) for limit in LIMITS]
            texts = [f"{np.mean([*each.values()]):.1f}" if each else NOTHING for each in found]
            lines.append((Cell(front_title(method)), *map(Cell, texts)))
    title = _title(fronts, f"{_AXES[axis].capitalize()}, at the sizes that were chosen")
    return Table(title, ("", *_HEADS), tuple(lines), notes[axis])


def _defaults(fronts: Fronts) -> Table:
    """The points that methods choose by themselves, without a limit."""
    lines = []
    mine = fronts.means(OURS, None)
    for method in fronts.methods:
        found = fronts.means(method, None)
        if not found:
            continue
        lengths = [[*fronts.means(method, None, column).values()] for column in ("literals", "printed")]
        ahead = _lead_cell(*lead(mine, found)) if method != OURS else Cell(NOTHING)
        cells = [Cell(f"{100 * np.mean([*found.values()]):.2f}")]
        cells += [Cell(f"{np.median(each):.1f}" if each else NOTHING) for each in lengths]
        lines.append((Cell(front_title(method)), *cells, ahead))
    heads = (
        "",
        "accuracy (%)",
        "literals a class",
        "size as printed",
        f"lead of {front_title(OURS)} (points)",
    )
    note = (
        "The size that a method itself starts with; that of CART by five-fold cross-validation within. "
        "Lengths are medians over tables: of a list, some formulas of classes are too long to be written."
    )
    return Table(_title(fronts, "Sizes by default"), heads, tuple(lines), note)


def _title(fronts: Fronts, what: str) -> str:
    return f"{what}, {count(len(fronts.tables), 'table')}"


def _told(note: str, fronts: Fronts) -> str:
    """The note, and who took too long where."""
    return " ".join([note, *left_out_lines(fronts)])


def left_out_lines(fronts: Fronts) -> list[str]:
    """A sentence for each method that took too long somewhere."""
    found = []
    for method, tables in fronts.left_out().items():
        places = [f"{table} (from {limit:g} literals on)" for table, limit in tables.items()]
        found.append(f"{front_title(method)} took too long, and is left out, of {', '.join(places)}.")
    return found


def front_title(method: str) -> str:
    """A method as these tables call it.

    Examples
    --------
    >>> front_title("cart"), front_title("my own")
    ('CART', 'my own')
    """
    return PEERS[method].title if method in PEERS else method


def front_figure(rows: Iterable[Row]) -> Figure:
    """Accuracy against length on both axes, one line a method; dashed, models without rules.

    Every point is the mean over the tables that all methods have at every limit.

    Parameters
    ----------
    rows : iterable of rows
        Of one fold seed.
    """
    from matplotlib.figure import Figure

    fronts = Fronts(rows)
    drawn = Figure(figsize=(9.6, 4.2), layout="constrained")
    for at, (ax, axis) in enumerate(zip(drawn.subplots(1, 2, sharey=True), _AXES, strict=True)):
        shared = _shared(fronts, axis)
        _draw(ax, fronts, axis, shared)
        ax.set_xlabel(f"{_AXES[axis]}, at most")
        ax.set_title(f"Mean over {count(len(shared), 'table')} that every method has", fontsize="medium")
        if at == 0:
            ax.set_ylabel("accuracy, %")
        elif ax.get_legend_handles_labels()[1]:
            ax.legend(frameon=False, fontsize="small")
    return drawn


def _draw(ax: Axes, fronts: Fronts, axis: str, shared: Sequence[str]) -> None:
    """The lines of all methods on one axis."""
    spare, dashes = cycle((("#555555", "h"), ("#8C510A", "p"), ("#01665E", "8"))), cycle(_DASHES)
    for method in fronts.methods:
        means = [fronts.means(method, limit, axis=axis) for limit in _CURVE]
        heights = [100 * np.mean([each[table] for table in shared]) for each in means] if shared else []
        if not fronts.has_rules(method):
            if heights:
                height, dash = float(heights[-1]), next(dashes)
                ax.axhline(height, color="#777777", linestyle=dash, label=front_title(method))
            continue
        color, marker = _LOOKS.get(method) or next(spare)
        where = _CURVE[: len(heights)]
        ax.plot(where, heights, color=color, marker=marker, markersize=4, label=front_title(method))
    ax.set_xscale("log")
    ax.set_xticks(_CURVE[::2], [str(limit) for limit in _CURVE[::2]])
    ax.minorticks_off()
    ax.spines[["top", "right"]].set_visible(False)


def _shared(fronts: Fronts, axis: str) -> Sequence[str]:
    """Tables that every method has at every limit."""
    found = set(fronts.tables)
    for method in fronts.methods:
        for limit in _CURVE:
            found &= fronts.means(method, limit, axis=axis).keys()
    return [table for table in fronts.tables if table in found]
