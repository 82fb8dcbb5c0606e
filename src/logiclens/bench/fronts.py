"""Rule learners over the whole front of accuracy against length: runs, and the size chosen for each limit.

Each method of :data:`logiclens.bench.peers.PEERS` is fitted at every size, on the same folds of each table. A
row is one size of one method on one fold:

    experiment, fold, fold_seed  the table, number of the fold, seed of the split
    method, part                 the method, and its size: "majority", "default", "max_leaf_nodes=8"
    n_train, n_test, n_classes   rows and classes
    literals                     of each class's formula as a DNF, mean over classes: the paper's complexity
    printed                      size as printed: splits of trees, literals of rules
    validation_accuracy          fitted to three quarters of the training rows, on the fourth
    test_accuracy                fitted to all training rows
    cut                          whether the sweep ended because a fit took too long
    seconds                      of the fit to all training rows, preparation included
    status                       done, or why there are no figures

**Literals** are measured alike for everybody (:mod:`logiclens.bench._formula_length`): a method's decisions
on the training rows are the truth table of each class over the conditions that the method asks about, and the
DNF that agrees with it, tuples that were not seen being don't-cares, is counted. Our rules give these
formulas themselves.

**The choice for a limit** is made from rows alone (:func:`choose_size`), for each fold by itself: of the
sizes whose formulas, fitted to all training rows, have at most this many literals per class, the one that
validated best; of equally good ones the shortest. A model that always says the most frequent class has no
literals, so there is a choice for every limit. Test rows have no part in it.

**A method that takes too long** is left out where that matters: of a fold that was stopped there are no
figures; of a sweep that was cut short, those limits have none that are beyond the longest formula it came to.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import cycle
from typing import TYPE_CHECKING, Final

import numpy as np

from logiclens.bench._run import OnPiece, run
from logiclens.bench._sweep import DEFAULT
from logiclens.bench.experiments import HasFolds
from logiclens.bench.fold_scores import Row
from logiclens.bench.method import DONE, named_method
from logiclens.bench.peers import OURS, PEERS
from logiclens.bench.result_tables import NOTHING
from logiclens.bench.store import Results
from logiclens.bench.table_layout import Cell, ResultTable
from logiclens.errors import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


LITERALS, PRINTED = "literals", "printed"
"""The two axes of length: literals of each class's formula, and size as printed."""
LIMITS: Final = (5, 10, 20, 40, 80)
"""Lengths up to which methods choose their sizes, on either axis."""
FIT_SECONDS: Final = 60.0
"""Seconds that a fit may take by default."""
_FITS: Final = 30
"""A whole fold may take so many times that, before it is stopped."""


def run_fronts(
    experiments: Iterable[HasFolds],
    methods: Sequence[str],
    *,
    results: Results,
    fit_seconds: float = FIT_SECONDS,
    n_jobs: int | None = 1,
    progress: OnPiece | None = None,
) -> list[Row]:
    """Sweep methods over tables, one table after the other; finished work is not repeated.

    Parameters
    ----------
    experiments : iterable of TableExperiment
        Each is let go once it is done, so that an iterator need not hold all tables at once.
    methods : sequence of str
        Names of :data:`~logiclens.bench.peers.PEERS`.
    results : Results
    fit_seconds : float, default 60
        What a fit may take: after one that took longer no larger size is tried, and a fold of a method of
        another package is stopped after thirty times that.
    n_jobs : int or None, default 1
        How many pieces are worked on at a time.
    progress : callable, optional
        Called with a :class:`~logiclens.bench._run.PieceReport` after each piece.

    Raises
    ------
    InputError
        There is no method of that name.
    """
    peers = [replace(named_method(PEERS, name), fit_seconds=fit_seconds) for name in methods]
    rows: list[Row] = []
    for experiment in experiments:
        rows += run(
            [experiment],
            peers,
            results=results,
            n_jobs=n_jobs,
            time_limit=_FITS * fit_seconds,
            timings=False,
            progress=progress,
        )
    return rows


def choose_size(rows: Iterable[Row], limit: float, axis: str = LITERALS) -> Row | None:
    """Choose the size of a method on one fold for a limit of length; None if the method is left out.

    Parameters
    ----------
    rows : iterable of rows
        All sizes of one method on one fold.
    limit : float
        Length, at most. Models without rules have none, and are chosen for every limit.
    axis : {"literals", "printed"}, default "literals"
        What length means: literals of each class's formula, or size as printed.

    Examples
    --------
    >>> sizes = [(0.0, 0.5), (3.0, 0.8), (6.0, 0.9), (9.0, 0.9)]
    >>> rows = [
    ...     {"part": "", "status": "done", "cut": False, "literals": size, "validation_accuracy": rate}
    ...     for size, rate in sizes
    ... ]
    >>> [choose_size(rows, limit)["literals"] for limit in (2, 5, 10)]
    [0.0, 3.0, 6.0]
    """
    done = [row for row in rows if row["status"] == DONE]
    if done and all(row[axis] is None for row in done):  # a model without rules
        return done[-1]
    sizes = [row for row in done if row["validation_accuracy"] is not None]
    lengths = [row[axis] for row in sizes if row[axis] is not None]
    if not sizes or (any(row["cut"] for row in sizes) and max(lengths, default=math.inf) < limit):
        return None
    within = [row for row in sizes if row[axis] is not None and row[axis] <= limit + 1e-9]
    return max(within, key=lambda row: (row["validation_accuracy"], -row[axis]), default=None)


class Fronts:
    """Rows of sweeps, looked up by table, method and limit.

    Parameters
    ----------
    rows : iterable of rows
        Of one fold seed.

    Attributes
    ----------
    tables, methods : tuple of str
        Names, tables as they come, methods in the order of :data:`~logiclens.bench.peers.PEERS`.
    """

    def __init__(self, rows: Iterable[Row]) -> None:
        self._sweeps: dict[tuple[str, str], dict[int, list[Row]]] = {}
        for row in rows:
            folds = self._sweeps.setdefault((row["experiment"], row["method"]), {})
            folds.setdefault(row["fold"], []).append(row)
        self.tables = tuple(dict.fromkeys(table for table, _ in self._sweeps))
        found = dict.fromkeys(method for _, method in self._sweeps)
        self.methods = tuple(sorted(found, key=lambda name: [*PEERS, *found].index(name)))

    def has_rules(self, method: str) -> bool:
        """True if the method has rules, and so a length."""
        sweeps = (folds for (_, name), folds in self._sweeps.items() if name == method)
        return any(row["literals"] is not None for folds in sweeps for rows in folds.values() for row in rows)

    def mean(
        self, table: str, method: str, limit: float, column: str = "test_accuracy", axis: str = LITERALS
    ) -> float | None:
        """Mean over folds of a column at the chosen sizes; None where the method is left out.

        Parameters
        ----------
        table, method : str
        limit : float
        column : str, default "test_accuracy"
        axis : {"literals", "printed"}, default "literals"
            What is limited.
        """
        return self._mean(table, method, column, lambda sizes: choose_size(sizes, limit, axis))

    def default(self, table: str, method: str, column: str = "test_accuracy") -> float | None:
        """Mean over folds of a column at the method's default size."""

        def choose(sizes: list[Row]) -> Row | None:
            return next((row for row in sizes if row["part"] == DEFAULT), None)

        return self._mean(table, method, column, choose)

    def means(
        self, method: str, limit: float | None, column: str = "test_accuracy", axis: str = LITERALS
    ) -> dict[str, float]:
        """The mean for every table that has one; without a limit, at the default size."""
        found = {
            table: self.default(table, method, column)
            if limit is None
            else self.mean(table, method, limit, column, axis)
            for table in self.tables
        }
        return {table: value for table, value in found.items() if value is not None}

    def left_out(self) -> dict[str, dict[str, float]]:
        """Methods that took too long: for each the tables, with the least limit that they lack there."""
        found: dict[str, dict[str, float]] = {}
        for table, method in self._sweeps:
            lacking = [limit for limit in LIMITS if self.mean(table, method, limit) is None]
            if lacking:
                found.setdefault(method, {})[table] = lacking[0]
        return {method: found[method] for method in self.methods if method in found}

    def _mean(
        self, table: str, method: str, column: str, choose: Callable[[list[Row]], Row | None]
    ) -> float | None:
        """Mean over folds of a column, each at the size that is chosen; None where some fold has none."""
        picked = [choose(sizes) for sizes in self._sweeps.get((table, method), {}).values()]
        values = [row[column] for row in picked if row is not None and row[column] is not None]
        n_folds = max(len(folds) for (name, _), folds in self._sweeps.items() if name == table)
        return float(np.mean(values)) if values and len(values) == n_folds else None


def lead(mine: Mapping[str, float], theirs: Mapping[str, float]) -> tuple[float, float, int]:
    """Mean lead over the tables that both have, half of its 95 % interval (Student's t), and their number.

    Examples
    --------
    >>> mean, spread, n_tables = lead({"a": 0.9, "b": 0.8, "c": 0.7}, {"a": 0.8, "b": 0.8})
    >>> round(mean, 3), round(spread, 3), n_tables
    (0.05, 0.635, 2)
    """
    from scipy.stats import t

    leads = np.array([mine[table] - theirs[table] for table in mine if table in theirs])
    if len(leads) < 2:
        return (float(leads.mean()) if len(leads) else math.nan, math.nan, len(leads))
    spread = float(leads.std(ddof=1) / np.sqrt(len(leads)) * t.ppf(0.975, len(leads) - 1))
    return float(leads.mean()), spread, len(leads)


# Tables and the figure


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


def front_tables(rows: Iterable[Row]) -> list[ResultTable]:
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


def _by_limit(methods: Iterable[str], cell: Callable[[str, int], Cell]) -> tuple[tuple[Cell, ...], ...]:
    """A line for each method, a cell for each limit."""
    return tuple((Cell(peer_title(each)), *(cell(each, limit) for limit in LIMITS)) for each in methods)


def _accuracy(fronts: Fronts, axis: str) -> ResultTable:
    def cell(method: str, limit: int) -> Cell:
        found = fronts.means(method, limit, axis=axis)
        if not found:
            return Cell(NOTHING)
        of = "" if len(found) == len(fronts.tables) else f"{len(found)} tables"
        return Cell(f"{100 * np.mean([*found.values()]):.2f}", beside=of)

    note = (
        "Mean over tables of the accuracy on test rows. Each method chooses its size on validation rows, "
        "within the limit. In brackets: tables, where some lack."
    )
    title = _title(fronts, f"Accuracy (%) by {_AXES[axis]}")
    if axis == LITERALS:
        note = " ".join([note, *_left_out_sentences(fronts)])
    return ResultTable(title, ("", *_HEADS), _by_limit(fronts.methods, cell), note)


def _leads(fronts: Fronts, axis: str) -> ResultTable:
    """The lead of our rules over each other method."""

    def cell(method: str, limit: int) -> Cell:
        return _lead_cell(*lead(*(fronts.means(each, limit, axis=axis) for each in (OURS, method))))

    others = [method for method in fronts.methods if method != OURS] if OURS in fronts.methods else []
    note = (
        f"{peer_title(OURS)} minus the other, on the tables that both have; mean over tables, with its 95 % "
        "interval (Student's t). In brackets: the tables."
    )
    title = _title(fronts, f"Lead in accuracy (points) by {_AXES[axis]}")
    return ResultTable(title, ("", *_HEADS), _by_limit(others, cell), note)


def _lead_cell(mean: float, spread: float, n_tables: int) -> Cell:
    if not n_tables:
        return Cell(NOTHING)
    text = f"{100 * mean:+.2f}" if math.isnan(spread) else f"{100 * mean:+.2f}±{100 * spread:.2f}"
    return Cell(text, beside=str(n_tables))


def _lengths(fronts: Fronts, axis: str) -> ResultTable:
    notes = {
        LITERALS: "Mean over classes, folds and tables.",
        PRINTED: "Splits of trees, all literals of lists and sets of rules. Mean over folds and tables.",
    }

    def cell(method: str, limit: int) -> Cell:
        found = fronts.means(method, limit, axis, axis)
        return Cell(f"{np.mean([*found.values()]):.1f}" if found else NOTHING)

    lines = _by_limit(filter(fronts.has_rules, fronts.methods), cell)
    title = _title(fronts, f"{_AXES[axis].capitalize()}, at the sizes that were chosen")
    return ResultTable(title, ("", *_HEADS), lines, notes[axis])


def _defaults(fronts: Fronts) -> ResultTable:
    """The sizes that methods choose by themselves, without a limit."""
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
        lines.append((Cell(peer_title(method)), *cells, ahead))
    ahead_of = f"lead of {peer_title(OURS)} (points)"
    heads = ("", "accuracy (%)", "literals per class", "size as printed", ahead_of)
    note = (
        "The size each method chooses by default; CART chooses by five-fold inner cross-validation. Lengths "
        "are medians over tables, since some formulas of the classes of a list are too long to be written."
    )
    return ResultTable(_title(fronts, "Sizes by default"), heads, tuple(lines), note)


def _title(fronts: Fronts, what: str) -> str:
    return f"{what}, {count(len(fronts.tables), 'table')}"


def _left_out_sentences(fronts: Fronts) -> list[str]:
    """A sentence for each method that took too long somewhere."""
    found = []
    for method, tables in fronts.left_out().items():
        places = [f"{table} (from {limit:g} literals)" for table, limit in tables.items()]
        found.append(f"{peer_title(method)} took too long and is left out on {', '.join(places)}.")
    return found


def peer_title(method: str) -> str:
    """A method as these tables call it.

    Examples
    --------
    >>> peer_title("cart"), peer_title("my own")
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
        ax.set_title(
            f"Mean over the {count(len(shared), 'table')} that all methods finished", fontsize="medium"
        )
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
                ax.axhline(height, color="#777777", linestyle=dash, label=peer_title(method))
            continue
        color, marker = _LOOKS.get(method) or next(spare)
        where = _CURVE[: len(heights)]
        ax.plot(where, heights, color=color, marker=marker, markersize=4, label=peer_title(method))
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
