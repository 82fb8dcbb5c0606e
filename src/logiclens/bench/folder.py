"""Experiments of one's own: any table with a target, and a folder of them.

A :class:`TableExperiment` is to the methods what an experiment of the paper is: it has folds. Its rows are
drawn into folds class by class, and everything that is learned of a table, cut points included, is learned
from the training rows of each fold.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from logiclens.bench.data import Folder
from logiclens.bench.experiments import Fold, Split, split_rows
from logiclens.bench.measures import MEASURES, NOTHING, Measure, may_be_bold, remark_on, three_digits
from logiclens.bench.scoreboard import Scoreboard, experiment_title, method_title
from logiclens.bench.table_layout import Cell, Table
from logiclens.concepts import table as raw
from logiclens.errors import FileError, InputError, MissingFileError, count, did_you_mean, listing, shown
from logiclens.logic.arrays import IndexArray

KINDS = (".csv", ".tsv", ".parquet", ".pq")
"""How files of tables are called at the end."""
PACKED = (".gz", ".bz2", ".zst")
"""What may follow, where a file is compressed."""


@dataclass(frozen=True, eq=False, repr=False)
class TableExperiment:
    """An experiment on a raw table: folds of its rows, each encoded by its own training rows.

    Parameters
    ----------
    name : str
        What rows of results call it.
    table : data frame, mapping or array, n rows
        Whatever :class:`~logiclens.concepts.Table` reads; columns of numbers, text or Booleans.
    labels : array of shape (n,)
        The class of each row. A class of one row is learned in every fold and scored in none.
    n_folds : int, default 10
    seed : int, default 0
        Draws the folds.
    tree_depth : int, default 5
        Most questions in a row that a decision tree may ask.

    Raises
    ------
    InputError
        Fewer than two classes, another number of labels than rows, or too few rows for the folds.

    Examples
    --------
    >>> people = {"age": [25, 38, 47, 63, 70, 51, 33, 66], "smoker": [True, False] * 4}
    >>> seniors = TableExperiment("seniors", people, ["no", "no", "no", "yes"] * 2, n_folds=2)
    >>> fold = seniors.folds()[0]
    >>> fold.class_names, fold.x_train.shape[0], fold.x_test.shape[0]
    (('no', 'yes'), 4, 4)
    """

    name: str
    table: Any
    labels: ArrayLike
    n_folds: int = 10
    seed: int = 0
    tree_depth: int = 5

    def __post_init__(self) -> None:
        labels = np.asarray(self.labels, dtype=object)
        n_rows = raw.Table(self.table).n_rows
        if labels.shape != (n_rows,):
            raise InputError(
                f"labels must have shape ({n_rows},), one for each row. Got shape {labels.shape}."
            )
        object.__setattr__(self, "labels", labels)
        _, sizes = self._classes()
        if len(sizes) < 2:
            raise InputError(f"There must be two classes or more. Got {len(sizes)}: pass other labels.")
        if isinstance(self.n_folds, bool) or not isinstance(self.n_folds, int) or self.n_folds < 2:
            raise InputError(f"n_folds must be a whole number from 2 on. Got {shown(self.n_folds)}.")
        if sizes.max() < self.n_folds:
            raise InputError(
                f"The largest class has {count(int(sizes.max()), 'row')}, too few for {self.n_folds} folds. "
                "Ask for fewer folds."
            )

    def __repr__(self) -> str:
        sizes = f"{count(len(np.asarray(self.labels)), 'row')}, {self.n_folds} folds"
        return f"TableExperiment({self.name!r}: {sizes})"

    @property
    def title(self) -> str:
        """What people call it: its name."""
        return self.name

    @property
    def supervised(self) -> bool:
        """There are labels to learn from."""
        return True

    def folds(self, data_dir: Folder = None, which: Sequence[int] | None = None) -> list[Fold]:
        """Folds of the rows.

        Parameters
        ----------
        data_dir : optional
            Of no use here: the table is there.
        which : sequence of int, optional
            Numbers of the folds that are wanted, counted from 0; all when missing.

        Returns
        -------
        list of Fold
            Concepts differ from fold to fold, as cut points do.

        Raises
        ------
        InputError
            A column about which a person has to decide, such as dates, or a fold of whose training rows no
            concept can be made.
        """
        del data_dir
        table = raw.Table(self.table)
        names, _ = self._classes()
        wanted = range(self.n_folds) if which is None else which
        y = np.searchsorted(np.array(names), _texts(self.labels)).astype(np.intp)
        parts = self._parts(y)
        return [_fold(number, table, names, y, *parts[number]) for number in wanted]

    def _classes(self) -> tuple[tuple[str, ...], NDArray[np.intp]]:
        """Names of the classes in the order of the alphabet, and how many rows each has."""
        found, sizes = np.unique(_texts(self.labels), return_counts=True)
        return tuple(found.tolist()), sizes

    def _parts(self, y: IndexArray) -> list[Split]:
        """Training and test rows of all folds; the only row of a class is always one to learn from."""
        alone = np.bincount(y)[y] == 1
        shared = np.flatnonzero(~alone)
        with warnings.catch_warnings():  # that rare classes are not in every fold
            warnings.simplefilter("ignore", UserWarning)
            found = split_rows(y[shared], self.n_folds, self.seed)
        return [
            (np.union1d(shared[train], np.flatnonzero(alone)).astype(np.intp), shared[test])
            for train, test in found
        ]


def _fold(
    number: int,
    table: raw.Table,
    class_names: tuple[str, ...],
    y: IndexArray,
    train: IndexArray,
    test: IndexArray,
) -> Fold:
    from logiclens.concepts.encoder import ConceptEncoder

    learned, asked = table.take(train), table.take(test)
    encoder = ConceptEncoder().fit(learned, y[train])
    return Fold(
        number=number,
        concept_names=tuple(encoder.get_feature_names_out().tolist()),
        class_names=class_names,
        x_train=encoder.transform(learned).astype(np.float64),
        y_train=y[train],
        x_test=encoder.transform(asked).astype(np.float64),
        y_test=y[test],
        columns_train=_columns(learned),
        columns_test=_columns(asked),
    )


def _columns(table: raw.Table) -> dict[str, NDArray[Any]]:
    """Every column as an array that is read back as the same column; another process can have it."""
    found = {}
    for name in table.names:
        column = table.column(name)
        whole = column.is_numeric and not column.missing.any()
        found[name] = column.raw if whole else column.values()
    return found


def _texts(labels: ArrayLike) -> NDArray[Any]:
    """Labels as text, by which rules are called."""
    return np.array([str(label) for label in np.asarray(labels, dtype=object).tolist()])


def table_files(folder: str | os.PathLike[str]) -> list[Path]:
    """Tables of a folder, in the order of the alphabet.

    Parameters
    ----------
    folder : str or path
        Files in it that are called ``.csv``, ``.tsv``, ``.parquet`` or ``.pq``, or so and compressed; folders
        in it are not looked into.

    Raises
    ------
    InputError
        There is no such folder, or no table in it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("zoo.csv.gz", "birds.parquet", "notes.txt"):
    ...         _ = Path(folder, name).write_text("")
    ...     [file.name for file in table_files(folder)]
    ['birds.parquet', 'zoo.csv.gz']
    """
    if not isinstance(folder, str | os.PathLike):
        raise InputError(f"The folder must be a path. Got {shown(folder)}; write 'tables'.")
    place, named = Path(folder), os.fspath(folder)
    if place.is_file():
        raise InputError(f"{named!r} is a file. Name the folder that it is in.")
    if not place.is_dir():
        raise MissingFileError(f"There is no folder {named!r}. Check its name.", named)
    try:
        files = sorted(path for path in place.iterdir() if path.is_file() and _is_table(path.name))
    except OSError as error:
        raise FileError(f"The folder {named!r} cannot be read: {error.strerror}.", named) from None
    if not files:
        raise InputError(
            f"The folder {named!r} has no tables. Put files into it that end in {', '.join(KINDS)}; "
            "they may be compressed."
        )
    return files


def _is_table(name: str) -> bool:
    stem, end = os.path.splitext(name.lower())
    if end in PACKED:
        stem, end = os.path.splitext(stem)
    return end in KINDS and not stem.startswith(".")


def ranked_table(board: Scoreboard, column: str) -> Table:
    """A table of one metric: a line for each table and, where there are several, each method's mean rank.

    Parameters
    ----------
    board : Scoreboard
        Of rows of results.
    column : str
        One of :data:`logiclens.bench.measures.MEASURES`.

    Examples
    --------
    >>> row = {"fold": 0, "fold_seed": 0}
    >>> scores = [("a.csv", "mu", 2.0), ("a.csv", "tree", 5.0), ("b.csv", "mu", 3.0), ("b.csv", "tree", 3.0)]
    >>> rows = [row | {"experiment": e, "method": m, "complexity": score} for e, m, score in scores]
    >>> print(ranked_table(Scoreboard(rows), "complexity").to_markdown())
    **Complexity of explanations (literals)**
    <BLANKLINE>
    |  | decision tree | mu |
    |---|---|---|
    | a.csv | 5.0 | **2.0** |
    | b.csv | **3.0** | **3.0** |
    | Mean rank | 1.75 | 1.25 |
    """
    if column not in MEASURES:
        raise InputError(
            f"There is no table of {column!r}. {did_you_mean(column, MEASURES)}There are {listing(MEASURES)}."
        )
    measure, lines = MEASURES[column], []
    means = {name: _means(board, name, measure) for name in board.experiments}
    methods = [
        name
        for name in board.methods
        if any(name in found or board.statuses(table, name) for table, found in means.items())
    ]
    for experiment, found in means.items():
        best = _best(board, experiment, found, measure) if len(methods) > 1 else set()
        lines.append(
            (
                Cell(experiment_title(experiment)),
                *(_cell(board, experiment, name, measure, found, name in best) for name in methods),
            )
        )
    if len(lines) > 1 and methods:
        ranks = mean_ranks({name: dict.fromkeys(methods, -np.inf) | found for name, found in means.items()})
        lines.append((Cell("Mean rank"), *(Cell(f"{ranks[name]:.2f}") for name in methods)))
    heads = ("", *map(method_title, methods))
    return Table(measure.title, heads, tuple(lines), remark_on(column, methods))


def _means(board: Scoreboard, experiment: str, measure: Measure) -> dict[str, float]:
    """Mean of each method over all folds, as it is printed, more is better; of those that finished."""
    found = {name: board.mean(experiment, name, measure.column) for name in board.methods}
    sign = -1 if measure.low else 1
    return {
        name: sign * float(_printed(mean.value, measure))
        for name, mean in found.items()
        if mean is not None and mean.n == mean.of and not board.statuses(experiment, name)
    }


def _best(board: Scoreboard, experiment: str, found: Mapping[str, float], measure: Measure) -> set[str]:
    """Methods in bold: the best of those that compete."""
    compared = [name for name in found if may_be_bold(board, experiment, name, measure)]
    best = max((found[name] for name in compared), default=0.0)
    return {name for name in compared if found[name] == best}


def _cell(
    board: Scoreboard, experiment: str, method: str, measure: Measure, found: Mapping[str, float], best: bool
) -> Cell:
    if method in found:
        return Cell(_printed(abs(found[method]), measure, scaled=True), best)
    return Cell("; ".join(board.statuses(experiment, method)) or NOTHING)


def _printed(value: float, measure: Measure, *, scaled: bool = False) -> str:
    """A figure of few digits; a rate in percent."""
    if measure.column == "seconds":
        return three_digits(value)
    return f"{100 * value if measure.rate and not scaled else value:.1f}"


def mean_ranks(scores: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Mean rank of each method over tables, 1 is best; methods that do equally well share a rank.

    Parameters
    ----------
    scores : mapping from table to a mapping from method to score
        More is better. A method without a score comes last.

    Returns
    -------
    dict of str to float

    Examples
    --------
    >>> mean_ranks({"birds": {"mu": 0.9, "tree": 0.8}, "zoo": {"mu": 0.7, "tree": 0.7}})
    {'mu': 1.25, 'tree': 1.75}
    """
    methods = list(dict.fromkeys(method for row in scores.values() for method in row))
    ranks = np.zeros((len(scores), len(methods)))
    for at, row in enumerate(scores.values()):
        values = np.array([row.get(method, -np.inf) for method in methods])
        better = (values[:, None] < values).sum(axis=1)
        ranks[at] = better + ((values[:, None] == values).sum(axis=1) + 1) / 2
    return dict(zip(methods, ranks.mean(axis=0).tolist(), strict=True))
