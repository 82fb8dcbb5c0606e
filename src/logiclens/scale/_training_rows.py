"""Rows of a table in an engine to learn from: columns, targets, weights, and what they add up to.

The columns of queries have names of their own (``v``, ``t0``, ``n``, ...), never those of
the table: those are data.

A table in an engine has no order, and rows that are equal must not all go to one side when some are held
out. But the rows of a file have numbers: a row is drawn by a hash of its number and of the name of its
file, with that of its partition (``day=1/part.parquet``), by arithmetic that all engines do alike. So
DuckDB and Spark draw the same rows of the same Parquet files, wherever these are, if their names are plain:
Spark writes a blank as ``%20``.
"""

from __future__ import annotations

import glob
import operator
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from logiclens.concepts.table import Kind
from logiclens.errors import InputError, listing, shown
from logiclens.estimators.inputs_and_targets import Problem, Targets, read_targets
from logiclens.logic.arrays import FloatArray, IndexArray
from logiclens.logic.data import THRESHOLD
from logiclens.scale._engine import (
    Expression,
    OpenedTable,
    Table,
    check_columns,
    check_table,
    copy_to,
    duckdb_files,
    engine_errors,
    fetch,
    ibis_module,
    open_files,
    spark_frame,
    temporary_folder,
)
from logiclens.scale._expressions import (
    Fault,
    as_label,
    as_number,
    float_literal,
    is_infinite,
    is_missing,
    join_balanced,
    kind_of,
    refuse_gaps,
)

MOST_LABELS = 1 << 16
"""Distinct values of a target that are classes."""
MOST_WEIGHT = 1e150
"""Sums of weights whose squares engines can add up."""
_EXACT = 2.0**53  # whole numbers up to here are exact in double precision
_MANY = 2**31  # products of two numbers below it are whole numbers of 64 bits
_LETTERS = 7  # of a checksum of a file's name
_FILE = r"(?:[^/\\=]+=[^/\\]*[/\\])*[^/\\]+$"  # the end of a path, with folders such as day=1
_ROW_OF_DUCKDB = "file_row_number"  # DuckDB's name for it


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """Rows to learn from.

    Attributes
    ----------
    table : ibis.Table
    columns : tuple of str
        What concepts are made of.
    targets : tuple of str
        The column of labels, or one for each output; none where there is nothing to learn.
    in_list : bool
        Whether the target was given as a list: then a table of outputs, as far as that makes a difference.
    weights : str or None
        The column of weights.
    """

    table: Table
    columns: tuple[str, ...]
    targets: tuple[str, ...] = ()
    in_list: bool = False
    weights: str | None = None

    @cached_property
    def weighted(self) -> Table:
        """The rows that weigh something."""
        if self.weights is None:
            return self.table
        return self.table.filter(as_number(self.table[self.weights]) > float_literal(0))

    def select_keys(self, table: Table, **expressions: Expression) -> Table:
        """Some expressions on rows of the table, with the targets (``t0``, ...) and the weight (``w``)."""
        targets = {f"t{at}": as_label(table[name]) for at, name in enumerate(self.targets)}
        weight = {} if self.weights is None else {"w": as_number(table[self.weights])}
        return table.select(**expressions, **targets, **weight)

    def count_by(self, keyed: Table, keys: Sequence[str], *, by_targets: bool, **others: Expression) -> Table:
        """Counts of rows (``n``) and sums of weights (``s``) by keys and targets, or by keys alone.

        In the latter case with the weight of yes of each target (``y0``, ...).
        """
        places = [f"t{at}" for at in range(len(self.targets))]
        weight = keyed.count() if self.weights is None else keyed["w"].sum()
        sums = {"n": keyed.count(), "s": weight, **others}
        if by_targets:
            return keyed.group_by([*keys, *places]).aggregate(**sums)
        one: Any = 1 if self.weights is None else keyed["w"]
        for place in places:
            yes = (
                keyed[place] if keyed[place].type().is_boolean() else keyed[place] > float_literal(THRESHOLD)
            )
            sums[f"y{place[1:]}"] = yes.ifelse(one, 0).sum()
        return keyed.group_by(list(keys)).aggregate(**sums)

    def answers(self, found: Any) -> Any:
        """The targets of what was found, a pyarrow table, as a classifier reads them."""
        if not self.in_list:
            return found.column("t0")
        places = [f"t{at}" for at in range(len(self.targets))]
        return found.select(places).rename_columns(list(self.targets))


def check_rows(
    table: Any,
    target: str | Sequence[str] | None,
    columns: Sequence[str] | None = None,
    weights: str | None = None,
) -> TrainingRows:
    """Return the rows to learn from, once it is sure that the table has all of their columns.

    Parameters
    ----------
    table : ibis.Table
    target : str, or sequence of str, or None
    columns : sequence of str, optional
        All but the targets and the weights when missing.
    weights : str, optional
    """
    check_table(table)
    targets = () if target is None else _names(target, "target")
    apart = targets if weights is None else (*targets, weights_name(weights))
    if len(set(apart)) < len(apart):
        raise InputError(f"target and weights name a column twice: {listing(apart)}. Name each column once.")
    check_columns(table, apart)
    for name in targets:
        _check_target(table[name], alone=len(targets) == 1)
    rest = tuple(name for name in table.columns if name not in apart)
    if isinstance(columns, str):
        raise InputError(f"columns must be a list of names. Got {shown(columns)}; write [{shown(columns)}].")
    chosen = rest if columns is None else _names(columns, "columns")
    both = [name for name in chosen if name in apart]
    if both:
        raise InputError(
            f"{both[0]!r} is among the columns to learn from, and the target or the weights. "
            "Leave it out of columns."
        )
    if not chosen:
        raise InputError("The table has no columns to learn from but the target and the weights. Add some.")
    check_columns(table, chosen)
    return TrainingRows(table, chosen, targets, not isinstance(target, str), weights)


def weights_name(weights: Any) -> str:
    """The column of weights, once it is sure that it is the name of one."""
    if not isinstance(weights, str) or not weights:
        raise InputError(f"weights must be the name of a column. Got {shown(weights)}.")
    return weights


def _check_target(column: Expression, *, alone: bool) -> None:
    """Refuse what holds no labels and, among several outputs, what holds no numbers."""
    as_label(column)
    if not alone and kind_of(column) is Kind.TEXT:
        raise InputError(
            "A table of outputs must hold Booleans or numbers in [0, 1]. "
            f"Column {column.get_name()!r} holds text; name one column of labels as target."
        )


def _names(given: Any, what: str) -> tuple[str, ...]:
    names = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, Iterable) else ()
    if not names or not all(isinstance(name, str) and name for name in names):
        raise InputError(f"{what} must be the name of a column, or several in a list. Got {shown(given)}.")
    if len(set(names)) < len(names):
        raise InputError(f"{what} names a column twice. Name each column once.")
    return names


@dataclass(frozen=True, eq=False)
class Totals:
    """Sums over all rows.

    Attributes
    ----------
    all_rows : int
    rows : int
        Those that weigh something.
    weight : float
    effective : float
        How many rows the weights stand for: their sum where they are counts, else Kish's effective number.
    are_counts : bool
        Whether all weights are whole numbers.
    targets : Targets or None
        The distinct labels; None where there are several outputs, or none.
    """

    all_rows: int
    rows: int
    weight: float
    effective: float
    are_counts: bool
    targets: Targets | None = None

    @property
    def by_targets(self) -> bool:
        """True where there are classes to count by."""
        return self.targets is not None and self.targets.problem is not Problem.MULTI_LABEL

    def expand(self, rows: TrainingRows, found: Any) -> tuple[IndexArray, FloatArray, IndexArray | None]:
        """Counts as weighted rows, each of one class of each output.

        Returns
        -------
        places : ndarray of int, shape (n,)
            Which line of what was found each comes from.
        weights : ndarray of shape (n,)
            They add up to the rows that they stand for.
        codes : ndarray of int, shape (n, n_outputs), or None
        """
        sums = numbers_of(found, "s")
        scale = self.effective / self.weight
        if self.targets is None and not rows.targets:
            return np.arange(len(sums)), sums * scale, None
        if self.targets is not None and self.by_targets:
            codes = read_targets(rows.answers(found), len(sums), self.targets.labels).codes()
            used = np.flatnonzero(sums > 0)
            return used, sums[used] * scale, codes[used, None]
        yes = np.column_stack([numbers_of(found, f"y{at}") for at in range(len(rows.targets))])
        # Parts of each line, such that every output is true of as much of it as was counted.
        edges = np.sort(np.column_stack([np.zeros(len(sums)), yes, sums]), axis=1)
        line, part = np.nonzero(np.diff(edges, axis=1) > 0)
        widths = edges[line, part + 1] - edges[line, part]
        return line, widths * scale, (yes[line] >= edges[line, part + 1][:, None]).astype(np.intp)


def count_rows(rows: TrainingRows) -> Totals:
    """Add up rows and weights, and find the classes.

    Parameters
    ----------
    rows : TrainingRows

    Raises
    ------
    InputError
        There are no rows, no weights, missing targets, or too many of them for classes.
    """
    table = rows.table
    labelled = len(rows.targets) == 1
    keyed = rows.select_keys(table, one=ibis_module().literal(1))
    aggregates: dict[str, Expression] = {"n": keyed.count()}
    if rows.weights is not None:
        keyed = rows.select_keys(table, bad=weight_fault(table[rows.weights]).where)
        weight = keyed["w"]
        aggregates = {
            "n": keyed.count(),
            "bad": keyed["bad"].sum(),
            "used": (weight > float_literal(0)).sum(),
            "s": weight.sum(),
            "squares": (weight * weight).sum(),
            "broken": (
                (weight < float_literal(_EXACT)) & (weight % float_literal(1) != float_literal(0))
            ).sum(),
        }
    if not labelled:
        aggregates |= {f"gaps{at}": is_missing(keyed[f"t{at}"]).sum() for at in range(len(rows.targets))}
    query = keyed.group_by(["t0"]) if labelled else keyed
    found = fetch(query.aggregate(**aggregates).limit(MOST_LABELS + 1), "Counting rows")
    if labelled:
        found = found.sort_by("t0")
    n_rows = int(numbers_of(found, "n").sum())
    if n_rows == 0:
        raise InputError("There are no rows to learn from. Pass at least one.")
    if rows.weights is not None:
        _check_weights(found, table[rows.weights])
    for at, name in enumerate(rows.targets):
        gaps = numbers_of(found, "n" if labelled else f"gaps{at}")
        if labelled:
            gaps = gaps[found.column("t0").is_null(nan_is_null=True).to_numpy()]
        refuse_gaps(name, int(gaps.sum()))
    return _totals(found, n_rows, _classes(rows, found) if labelled else None)


def _totals(found: Any, n_rows: int, targets: Targets | None) -> Totals:
    if "s" not in found.column_names:  # no weights
        return Totals(n_rows, n_rows, float(n_rows), float(n_rows), True, targets)
    weight, squares, used, broken = (
        float(numbers_of(found, name).sum()) for name in ("s", "squares", "used", "broken")
    )
    are_counts = not broken and weight < _EXACT
    effective = weight if are_counts else weight**2 / squares if squares else used
    return Totals(n_rows, int(used), weight, effective, are_counts, targets)


def _check_weights(found: Any, column: Expression) -> None:
    if number := int(numbers_of(found, "bad").sum()):
        raise weight_fault(column).error(number)
    name, total = column.get_name(), numbers_of(found, "s").sum()
    if total > MOST_WEIGHT:
        raise InputError(f"Column {name!r} adds up to more than {MOST_WEIGHT:g}. Scale the weights down.")
    if not total:
        raise InputError(f"All weights in column {name!r} are zero. Give some row a positive weight.")


def weight_fault(column: Expression) -> Fault:
    """Weights that are missing, infinite or negative, and what to say of them."""
    below = (as_number(column) < float_literal(0)).fill_null(False)
    wrong = is_missing(column) | is_infinite(column) | below
    advice = "Weights must be finite and not negative."
    return Fault(column.get_name(), wrong, "missing, infinite or negative weight", advice)


def _classes(rows: TrainingRows, found: Any) -> Targets:
    name = rows.targets[0]
    if len(found) > MOST_LABELS:
        raise InputError(
            f"Column {name!r} has more than {MOST_LABELS} different values, too many for classes. "
            "Name a column of labels as target."
        )
    return read_targets(rows.answers(found), len(found))


def numbers_of(found: Any, name: str) -> FloatArray:
    """A column of a pyarrow table as floats, 0 where it has none."""
    values = found.column(name).cast("float64") if len(found) else found.column(name)
    return np.nan_to_num(np.asarray(values.to_numpy(), dtype=np.float64), nan=0.0)


@dataclass(frozen=True, eq=False)
class NumberedRows:
    """A table whose rows have places.

    Attributes
    ----------
    table : ibis.Table
        All columns of the files, and others that the places are made of.
    columns : tuple of str
        The columns of the files.
    place : Ibis expression
        Whole numbers from 0 to 2**31 - 1, nearly all of them different.
    notes : tuple of str
        What a person should know of how the files were read, a line for each.
    """

    table: Table
    columns: tuple[str, ...]
    place: Expression
    notes: tuple[str, ...] = ()

    def is_drawn(self, share: float, seed: int = 0, *, stream: int = 0) -> Expression:
        """Draw rows: a Boolean expression that is never NULL.

        Parameters
        ----------
        share : float
            About how many of the rows, in [0, 1].
        seed : int, default 0
        stream : int, default 0
            Another number draws other rows of the same seed.
        """
        return self.order(seed, stream=stream) < _int64(round(share * _MANY))

    def by_content(self, columns: Sequence[str]) -> NumberedRows:
        """The same rows, with places by what they hold in some columns: equal rows are drawn together.

        Engines may draw other rows than one another then, as they write numbers in their own ways.
        """
        return replace(self, place=_low_bits(_number_of(digest(self.table, columns))))

    def order(self, seed: int = 0, *, stream: int = 0) -> Expression:
        """Whole numbers from 0 to 2**31 - 1 that put rows into an order drawn at random."""
        a, b, c = np.random.default_rng([seed, stream]).integers(1, _MANY, 3).tolist()
        inner = _low_bits(self.place * _int64(a | 1) + _int64(b | 1))
        return _low_bits(self.place * inner + _int64(c))


def read_numbered_rows(
    source: str | os.PathLike[str], engine: str = "duckdb", *, memory: str | None = None
) -> NumberedRows:
    """Open files as :func:`~logiclens.scale.read` does, with places of the rows.

    Notes
    -----
    CSV from an address is copied into a Parquet file by DuckDB, since it is read many times; in Spark the
    places of its rows depend on how it divides the files.

    Examples
    --------
    >>> import pyarrow as pa, pyarrow.parquet as pq, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> pq.write_table(pa.table({"age": list(range(1000))}), f"{folder}/patients.parquet")
    >>> rows = read_numbered_rows(f"{folder}/*.parquet")
    >>> rows.columns, rows.table.filter(rows.is_drawn(0.3)).count().to_pyarrow().as_py()
    (('age',), 307)
    """
    opened = open_files(source, engine, memory=memory)
    with engine_errors(f"Opening {os.fsdecode(source)!r}"):
        return (_in_duckdb if engine == "duckdb" else _in_spark)(opened)


def _in_duckdb(opened: OpenedTable) -> NumberedRows:
    plain, columns = opened.table, tuple(opened.table.columns)
    connection = plain.get_backend()
    names, options = duckdb_files(opened.found)
    if opened.is_csv:
        copy = os.path.join(temporary_folder(connection), "rows.parquet")
        copy_to(plain, copy, "Copying the files")
        names, options = [glob.escape(copy)], {}
        plain = connection.read_parquet(names)
    taken = {column.lower() for column in columns}
    if _ROW_OF_DUCKDB in taken:  # rows are counted one by one, which takes longer
        name = _free_name("row", taken)
        table = plain.mutate(ibis_module().row_number().name(name))
        return NumberedRows(table, columns, _low_bits(table[name].cast("int64")), opened.notes)
    name = _free_name("file", taken)
    table = connection.read_parquet(names, filename=name, file_row_number=True, **options)
    return NumberedRows(table, columns, _place(table[_ROW_OF_DUCKDB], table[name]), opened.notes)


def _in_spark(opened: OpenedTable) -> NumberedRows:
    from pyspark.sql import functions

    plain, is_csv, columns = opened.table, opened.is_csv, tuple(opened.table.columns)
    connection = plain.get_backend()
    session = connection._session
    taken = {column.lower() for column in columns}
    row, file = _free_name("row", taken), _free_name("file", taken)
    if is_csv:
        number = functions.monotonically_increasing_id()
        frame = session.table(plain.get_name()).withColumn(row, number)
    else:
        frame = spark_frame(session, opened.found, False)
        known: Any = frame.metadataColumn("_metadata")
        frame = frame.select("*", known["row_index"].alias(row), known["file_path"].alias(file))
    view = ibis_module().util.gen_name("numbered")
    frame.createOrReplaceTempView(view)
    table = connection.table(view)
    if is_csv:
        return NumberedRows(table, columns, _low_bits(table[row]), opened.notes)
    return NumberedRows(table, columns, _place(table[row], table[file]), opened.notes)


def _place(row: Expression, file: Expression) -> Expression:
    """The place of a row: its number, moved by a checksum of the name of its file and its partition."""
    return _low_bits(row.cast("int64") + _number_of(file.re_extract(_FILE, 0).hexdigest("md5")))


def _number_of(checksum: Expression) -> Expression:
    """A whole number from the first letters of a checksum."""
    number = _int64(0)
    for at in range(_LETTERS):
        number = number * _int64(128) + checksum.substr(at, 1).ascii_str().cast("int64")
    return number


def digest(table: Table, columns: Sequence[str]) -> Expression:
    """A checksum of what rows hold in some columns; a missing value equals another one."""
    texts = [is_missing(table[name]).ifelse("", "=" + table[name].cast("string")) for name in columns]
    ends = [(text.fill_null("") + "\x1f", 0) for text in texts]
    return join_balanced(ends, operator.add)[0].hexdigest("md5")


def _low_bits(number: Expression) -> Expression:
    """The last 31 bits of a whole number."""
    return number & _int64(_MANY - 1)


def _int64(number: int) -> Expression:
    return ibis_module().literal(number, type="int64")


def _free_name(name: str, taken: Iterable[str]) -> str:
    """A name that no column has, whatever its case."""
    found = f"logiclens {name}"
    while found in taken:
        found += "_"
    return found
