"""Rows in an engine: columns and classes of files that stay there, rows to learn from and rows to score on.

The same is chosen as of rows in memory (:mod:`logiclens.cli.selection`), in the same words. The engine
counts; what comes out are classes, a few rows to look at, and counts of the values of columns that those rows
say nothing of. Rules are scored on distinct tuples of concepts, each with the number of its rows; where there
are too many, in the engine, and the network is left out.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import narwhals as nw
import numpy as np

from logiclens.cli.column_types import SaidColumns, gaps_of, said_columns
from logiclens.cli.options import Engine, EngineName, Selection
from logiclens.cli.row_split import HeldOutFile
from logiclens.cli.selection import (
    Fit,
    SelectedRows,
    check_size,
    choose_columns,
    class_labels,
    class_ranges,
    column_use,
    equal_rows_note,
    held_out_notes,
    learned_too_note,
    refuse_kind,
    refuse_limit,
    remarks,
    type_notes,
    use_of,
)
from logiclens.concepts._columns import look_at, spelling_remark
from logiclens.concepts.concept import Value, value_text
from logiclens.concepts.dates import is_date
from logiclens.concepts.ranges import Ranges
from logiclens.concepts.table import Column, Kind, infinite_value, read_array, read_series
from logiclens.concepts.table import Table as Cells
from logiclens.errors import (
    ColumnError,
    InputError,
    LimitError,
    UnknownColumnError,
    count,
    did_you_mean,
    listing,
)
from logiclens.evaluation._evaluate import (
    NETWORK,
    TRUTH,
    LabeledRows,
    RowLabels,
    labels_by_network,
    leaking_columns,
    used_columns,
)
from logiclens.explain.rule import Label
from logiclens.files import TableFile, read_batches
from logiclens.files._open import find_files
from logiclens.files._reading import notes_on_missing, without_values
from logiclens.logic.arrays import IndexArray, pack, unpack
from logiclens.scale._collapse import CollapsedRows, collapse
from logiclens.scale._engine import Expression, Table, check_columns, fetch, find_source, ibis_module, read
from logiclens.scale._expressions import (
    as_number,
    concept_columns,
    float_literal,
    is_missing,
    kind_of,
    label_literal,
    without_gaps,
)
from logiclens.scale._histograms import histogram, summarize_columns
from logiclens.scale._rule_queries import score
from logiclens.scale._training_rows import (
    NumberedRows,
    Totals,
    TrainingRows,
    check_rows,
    count_rows,
    digest,
    read_numbered_rows,
)

if TYPE_CHECKING:
    from logiclens.cli.terminal import Progress
    from logiclens.estimators.base import LENClassifier
    from logiclens.evaluation._evaluate import Leak

FIRST_ROWS = 10_000
"""Rows that are looked at first: they can show that a column is of use; that it is of none, all must show."""
_MOST_VALUES = 1 << 16  # of a target that are counted
_MARGIN = 1.2  # times as many rows as are wanted are looked at, so that there are enough
_LABEL, _HELD = "logiclens class", "logiclens held out"  # columns that are added


@dataclass(frozen=True, eq=False, kw_only=True)
class EngineRows(SelectedRows):
    """Columns and classes to learn from, in an engine.

    Attributes
    ----------
    table : ibis.Table
        The rows that have a class.
    label : str
        The column of the classes.
    held_out : Ibis expression
        Whether a row is held out.
    copies : bool
        Whether equal rows are copies, which are held out together.
    test_table : ibis.Table, optional
        The rows held out, if they come from files of their own; of the others, none is.
    """

    table: Table
    label: str
    held_out: Expression
    copies: bool = False
    test_table: Table | None = None

    @property
    def training_rows(self) -> Table:
        """The rows trained on."""
        apart = self.n_held and self.test_table is None
        return self.table.filter(~self.held_out) if apart else self.table

    @property
    def scored(self) -> Table:
        """The rows that scores are about: those held out or, where none are, all."""
        if self.test_table is not None:
            return self.test_table
        return self.table.filter(self.held_out) if self.n_held else self.table

    def fit(self, model: LENClassifier) -> LENClassifier:
        """Fit a classifier on the rows that are not held out."""
        from logiclens.scale._engine_fit import fit  # imports torch, which predictions do without

        try:
            return fit(model, self.training_rows, self.label, columns=self.columns, copies=self.copies)
        except LimitError as error:  # its advice is for Python
            raise LimitError(
                error.problem,
                "Use fewer columns (--use, --ignore), or draw rows to read into memory (--max-rows 100000).",
            ) from None

    def evaluate(self, model: LENClassifier) -> Fit:
        """Score a fitted classifier on the rows held out or, where none are, on all."""
        labeled = self._labeled(model)
        if labeled is None:
            return Fit(self, model, score(model.explain(), self.scored, self.label))
        return self.fitted(model, labeled, self._leaks(labeled))

    def _labeled(self, model: LENClassifier) -> LabeledRows | None:
        """The rows scored, collapsed; None where they do not collapse enough."""
        from logiclens.reporting._subject import subject_of

        rules, network = model.explain(), subject_of(model).network
        assert rules.vocabulary is not None
        assert network is not None
        rows = check_rows(self.scored, self.label, self.columns)
        try:
            concepts = concept_columns(rows.table, rules.vocabulary, rules.vocabulary.names)
            found, groups = self._collapse(rows, [*concepts.values()])
        except LimitError:
            return None
        labels = np.array(rows.answers(found.found).to_pylist(), dtype=object)
        predicted, codes = network.answer(found.bits.astype(np.float64))
        return LabeledRows(
            rules,
            {name: pack(truth) for name, truth in zip(rules.vocabulary.names, found.bits.T, strict=True)},
            len(labels),
            truth=RowLabels.of(TRUTH, labels, rules.labels),
            network=labels_by_network(NETWORK, predicted, codes, rules),
            counts=found.counts,
            groups=groups,
        )

    def _collapse(
        self, rows: TrainingRows, bits: Sequence[Expression]
    ) -> tuple[CollapsedRows, IndexArray | None]:
        """Distinct tuples, and which are copies, (n,); of too many rows, which are alike in all concepts."""
        if not self.copies:
            return collapse(rows, bits), None
        try:
            found = collapse(rows, bits, key=digest(rows.table, self.columns))
        except LimitError:
            found = collapse(rows, bits)
            return found, found.tuples()
        return found, np.unique(found.found.column("key").to_numpy(), return_inverse=True)[1]

    def _leaks(self, labeled: LabeledRows) -> tuple[Leak, ...]:
        """Columns of the rules that alone give nearly all answers."""
        truth, counts = labeled.truth, labeled.counts
        if len(self.columns) < 2 or truth is None or truth.codes is None or counts is None:
            return ()
        columns = used_columns(labeled.rules)
        concepts = {
            name: unpack(labeled.concepts[name], labeled.n_distinct)
            for names in columns.values()
            for name in names
        }
        return leaking_columns(columns, concepts, truth.codes, counts)


def select_engine_rows(
    rows: NumberedRows,
    name: str,
    engine: Engine,
    selection: Selection,
    test: NamedRows | None = None,
) -> EngineRows:
    """Choose columns and rows of a table in an engine, and split the rows.

    Parameters
    ----------
    rows : NumberedRows
    name : str
        What was read.
    engine : Engine
        Where it is.
    selection : Selection
        Without columns that are kept apart, and without a limit of rows.
    test : NamedRows, optional
        The rows to hold out.

    Raises
    ------
    InputError
        What was selected is not there, or there is nothing to learn.
    """
    named = selection.target or ""
    if named not in rows.columns:
        raise UnknownColumnError(named, rows.columns, "Name one of them.")
    check_columns(rows.table, rows.columns)
    said = said_columns(selection.said, rows.columns, lambda name: _first_values(rows.table, name))
    rows = replace(rows, table=without_gaps(rows.table, said.gaps))
    n_rows = int(fetch(rows.table.count(), "Counting rows").as_py())
    check_size(n_rows)
    label, on_classes, ranges = _classes(rows.table, selection)
    columns, dropped, on_columns = choose_columns(
        rows.columns, selection, lambda columns: _check_columns(rows.table, columns, said)
    )
    copies, on_copies = _copies(rows.table, columns, named)
    drawn = rows.by_content(columns) if copies else rows
    held = drawn.is_drawn(selection.holdout, selection.seed)
    classes = label(rows.table[named]).name(_LABEL)
    table = rows.table.mutate(classes, held.name(_HELD)).filter(~is_missing(rows.table[named]))
    sizes, lost = _sizes(table)
    if ranges is not None and len(sizes) < len(ranges.labels):
        _refuse_limits(rows.table, named, selection)
    notes = [*rows.notes]
    if n_missing := n_rows - sum(map(sum, sizes.values())):
        notes.append(f"{count(n_missing, 'row')} without a value of {named!r} left out.")
    held_out = table[_HELD]
    if lost:
        held_out &= ~table[_LABEL].isin([label_literal(label) for label in lost])
    if selection.holdout:
        notes += _class_notes(sizes)
    notes += filter(None, on_classes)
    held_rows, of_test = None, None
    if test is not None:
        used = [name for name in rows.columns if name in {*columns, named}]
        held_rows, held_sizes = _held_out_rows(test, rows.table, used, said, named, label)
        n_held = sum(held_sizes.values())
        of_test = HeldOutFile(test.name, None, int(fetch(test.rows.table.count(), "Counting rows").as_py()))
        only = [each for each in held_sizes if each not in sizes]
        sizes = {each: (sizes.get(each, (0, 0))[0], held_sizes.get(each, 0)) for each in (*sizes, *only)}
        notes += [*test.rows.notes, *held_out_notes(n_held, of_test.n_rows - n_held, test.name, named)]
        if n_equal := _learned_too(table, held_rows, columns):
            notes.append(learned_too_note(n_equal, selection))
        if only:
            notes.append(
                f"Held out, but never learned: {listing(only)}. No rule can be right about such rows."
            )
    if few := _few_rows(rows.table, columns):
        on_columns += type_notes([few.column(name) for name in columns if name in few], said)
    return EngineRows(
        name=name,
        engine=engine,
        target=named,
        table=table,
        label=_LABEL,
        held_out=held_out,
        columns=tuple(columns),
        n_read=n_rows,
        class_sizes=sizes,
        dropped=dropped,
        notes=(*notes, *on_columns, *(on_copies if test is None else ())),
        said=said.among(columns),
        copies=copies,
        test_table=held_rows,
        test=of_test,
    )


class NamedRows(NamedTuple):
    """Rows in an engine, and what they are called."""

    rows: NumberedRows
    name: str


Labeler: TypeAlias = Callable[[Expression], Expression]
"""The class of each value of a column, as an expression."""


def _held_out_rows(
    test: NamedRows, table: Table, columns: Sequence[str], said: SaidColumns, named: str, label: Labeler
) -> tuple[Table, dict[Label, int]]:
    """The rows of files to hold out that have a class, and how many each class has."""
    own = test.rows.table
    if lacking := [name for name in columns if name not in test.rows.columns]:
        raise InputError(
            f"{test.name} lacks {listing(lacking)}. {did_you_mean(lacking[0], test.rows.columns)}"
            "Name columns alike in both, or leave them out: --ignore."
        )
    own = without_gaps(own, {name: some for name, some in said.gaps.items() if name in test.rows.columns})
    for name in columns:
        mine, its = kind_of(table[name]), kind_of(own[name])
        if mine is not its and not own[name].type().is_null():
            raise InputError(
                f"Column {name!r} holds {its} in {test.name}, and {mine} where it is learned from. "
                "Write it in the same way in both, or leave it out with --ignore."
            )
    held = own.mutate(label(own[named]).name(_LABEL))
    held = held.filter(held[_LABEL].notnull() & ~is_missing(held[named]))
    found = fetch(held.group_by(_LABEL).aggregate(n=held.count()), "Counting classes").sort_by(_LABEL)
    sizes = {row[_LABEL]: int(row["n"]) for row in found.to_pylist()}
    if not sizes:
        raise InputError(f"{test.name} has no row with a class of {named!r} to score on.")
    return held, sizes


def _copies(table: Table, columns: Sequence[str], target: str) -> tuple[bool, list[str]]:
    """Whether equal rows are copies, as in memory, and a note."""
    from logiclens.estimators.groups import are_copies

    n, n_distinct, pairs = _alike(table, digest(table, columns))
    if not are_copies(n, n_distinct, pairs, [0.0]):  # even if chance explained nothing
        return False, []
    if not are_copies(n, n_distinct, pairs, [_alike(table, table[name])[2] for name in columns]):
        return False, []
    return True, [equal_rows_note(n - n_distinct, target)]


def _alike(table: Table, key: Expression) -> tuple[int, int, float]:
    """Rows, distinct keys, and the share of the pairs of rows whose keys are equal."""
    keyed = table.select(key=key)
    sizes = keyed.group_by("key").aggregate(n=keyed.count())
    pairs = (sizes["n"] * (sizes["n"] - 1)).cast("float64").sum()
    found = fetch(sizes.aggregate(n=sizes["n"].sum(), k=sizes.count(), p=pairs), "Looking for copies")
    n, distinct, equal = (found.column(name)[0].as_py() for name in ("n", "k", "p"))
    return int(n), int(distinct), float(equal) / (n * (n - 1.0))


def _learned_too(table: Table, held: Table, columns: Sequence[str]) -> int:
    """How many rows held out equal some learned from; 0 where chance explains it."""
    from logiclens.estimators.groups import are_copies

    other = [name for name in columns if table[name].type() != held[name].type()]
    numbers = [name for name in other if kind_of(table[name]) is Kind.NUMBER]  # 1 may be 1.0 in the other
    table, held = (each.mutate(**{name: as_number(each[name]) for name in numbers}) for each in (table, held))
    keyed = held.select(key=digest(held, columns))
    own = fetch(keyed.group_by("key").aggregate(m=keyed.count()), "Looking for copies")
    keyed = table.select(key=digest(table, columns))
    both = keyed.group_by("key").aggregate(n=keyed.count()).inner_join(ibis_module().memtable(own), "key")
    sums = {"k": both.count(), "m": both["m"].sum(), "p": (both["n"] * both["m"]).cast("float64").sum()}
    (found,) = fetch(both.aggregate(**sums), "Looking for copies").to_pylist()
    if not found["k"]:
        return 0
    n_train, n_distinct, pairs = _alike(table, digest(table, columns))
    sizes = own.column("m").to_numpy().astype(np.float64)
    n = n_train + int(sizes.sum())
    equal = pairs * n_train * (n_train - 1.0) + float(sizes @ (sizes - 1.0)) + 2.0 * float(found["p"])
    alike = [_alike(table, table[name])[2] for name in columns]
    copies = are_copies(n, n_distinct + len(sizes) - int(found["k"]), equal / (n * (n - 1.0)), alike)
    return int(found["m"]) if copies else 0


def _classes(table: Table, selection: Selection) -> tuple[Labeler, Iterable[str], Ranges | None]:
    """What gives each row its class, remarks on classes, and ranges of numbers, where asked for."""
    name = selection.target or ""
    column, ranges = table[name], None
    if selection.limits:
        refuse_limit(name, kind_of(column), selection)
        ranges = Ranges(name, selection.limits)
        return partial(label_of_range, ranges=ranges), (), ranges
    refuse_kind(name, kind_of(column))
    values, rows, complete = values_of(table, name)
    if not complete:
        _refuse_many(table, values)
    if selection.bins is not None:
        ranges, note = class_ranges(values, selection, rows)
        assert ranges is not None
        return partial(label_of_range, ranges=ranges), filter(None, [note]), ranges
    labels = class_labels(values, counts=rows)
    return partial(_label, values=values, labels=labels), [spelling_remark(values)], None


def label_of_range(column: Expression, ranges: Ranges) -> Expression:
    """The label of the range of each number, as an expression."""
    *labels, last = map(label_literal, ranges.labels)
    cases = [
        (as_number(column) <= float_literal(cut), label)
        for cut, label in zip(ranges.cuts, labels, strict=True)
    ]
    return ibis_module().cases(*cases, else_=last)


def _refuse_limits(table: Table, name: str, selection: Selection) -> None:
    """Refuse limits between which there are no values of a column."""
    values, numbers, there = values_of(table, name)[0], as_number(table[name]), ~is_missing(table[name])
    ends = table.aggregate(low=numbers.min(where=there), high=numbers.max(where=there))
    found = fetch(ends, f"Looking at {name!r}").to_pylist()[0].values()
    both = [*values.numbers()[~values.missing], *(end for end in found if end is not None)]
    class_ranges(read_array(np.array(both or [np.nan], dtype=np.float64), name), selection)


def values_of(table: Table, name: str) -> tuple[Column, Any, bool]:
    """Distinct values of a column, the number of rows that have each, and whether these are all of them."""
    column = table[name]
    plain = as_number(column) if column.type().is_decimal() else column
    keyed = table.select(v=plain)
    query = keyed.group_by("v").aggregate(n=keyed.count()).limit(_MOST_VALUES + 1)
    found = fetch(query, f"Counting the values of {name!r}")
    found = found.sort_by("v")
    values = read_series(nw.from_native(found.column("v"), series_only=True), name)
    return values, found.column("n").to_numpy().astype(np.intp), len(found) <= _MOST_VALUES


def _refuse_many(table: Table, values: Column) -> None:
    if values.kind is Kind.NUMBER:
        numbers = table.filter(~is_missing(table[values.name])).select(v=as_number(table[values.name]))
        middle = fetch(numbers.aggregate(m=numbers["v"].approx_median()), f"Looking at {values.name!r}")
        limit = value_text(float(f"{middle.column('m')[0].as_py():.3g}"))
        raise InputError(
            f"Column {values.name!r} has more than {_MOST_VALUES} different numbers, too many to be classes. "
            f"Ask what makes it large: --above {limit} (about half of its values are)."
        )
    raise InputError(
        f"Column {values.name!r} has more than {_MOST_VALUES} different texts, too many to be classes. "
        "Name a column with fewer values as the target."
    )


def _label(column: Expression, values: Column, labels: Any) -> Expression:
    """The classes of a column, as an expression."""
    if values.kind is not Kind.NUMBER:
        return column
    if labels.dtype.kind == "i":
        # No engine turns NaN into a whole number.
        return is_missing(column).ifelse(ibis_module().null("float64"), as_number(column)).cast("int64")
    return label_of(column, values, labels.tolist())


def label_of(column: Expression, values: Column, labels: Sequence[Label]) -> Expression:
    """The label of each number of a column, as an expression.

    Parameters
    ----------
    column : Ibis expression
    values : Column, n values
    labels : sequence of label
        One for each value.
    """
    ibis = ibis_module()
    numbers = as_number(column)
    pairs = {float(level): label for level, label in zip(values.raw, labels, strict=True)}
    cases = [
        (numbers == float_literal(level), label_literal(label))
        for level, label in pairs.items()
        if level == level
    ]
    return ibis.cases(*cases, else_=ibis.null("string"))


def _sizes(table: Table) -> tuple[dict[Label, tuple[int, int]], list[Label]]:
    """Rows of each class trained on and held out, and classes of which all rows would be held out."""
    query = table.group_by([_LABEL, _HELD]).aggregate(n=table.count())
    found = fetch(query, "Counting classes").to_pylist()
    sizes: dict[Label, list[int]] = {}
    for row in sorted(found, key=lambda row: row[_LABEL]):
        sizes.setdefault(row[_LABEL], [0, 0])[bool(row[_HELD])] += int(row["n"])
    lost = [label for label, (train, _) in sizes.items() if not train]
    whole = {label: (train or held, held if train else 0) for label, (train, held) in sizes.items()}
    return whole, lost


def _class_notes(sizes: dict[Label, tuple[int, int]]) -> Iterable[str]:
    """Notes on classes without rows to score on."""
    if not any(held for _, held in sizes.values()):
        yield "Too few rows to hold any out: scores are those of the rows trained on."
        return
    none = [label for label, (_, held) in sizes.items() if not held]
    if len(none) == 1:
        n = sizes[none[0]][0]
        rows = "a single row" if n == 1 else f"{n} rows, none of them held out"
        yield f"The class {none[0]!r} has {rows}: it is learned, and not scored."
    elif none:
        yield f"{len(none)} classes have no row held out, and are not scored: {listing(none)}."


def _check_columns(
    table: Table, columns: Sequence[str], said: SaidColumns
) -> Iterator[tuple[str, Sequence[str]]]:
    """The reason why each column cannot be used, or notes on one that can.

    All rows are counted only if the first ones do not show that a column can be used.
    """
    infinite = _infinite(table, columns)
    few = _few_rows(table, columns)
    totals: Totals | None = None
    for name in columns:
        if name in infinite:
            yield str(infinite_value(infinite[name])), ()
            continue
        if is_date(said.types.get(name)) and kind_of(table[name]) is Kind.DATE:
            yield "", ()
            continue
        if few is not None and name in few:
            use = column_use(few, name, said.types.get(name))
            if not use.why:
                advice = "they count as text" if use.numbers_as_text else ""
                yield "", remarks(few.column(name), advice)
                continue
            if few.n_rows < FIRST_ROWS:  # these are all
                yield use.why, ()
                continue
        rows = check_rows(table, None, [name])
        totals = totals or count_rows(rows)
        why = _why_not(rows, totals, said.types.get(name))
        yield why, [] if why or few is None or name not in few else remarks(few.column(name), "")


def _first_values(table: Table, name: str) -> Sequence[object]:
    """Distinct values of a column in the first rows."""
    few = _few_rows(table, [name])
    return () if few is None else few.column(name).levels


def _few_rows(table: Table, columns: Sequence[str]) -> Cells | None:
    """The first rows of the columns that may be of use."""
    plain = [name for name in columns if kind_of(table[name]) not in (Kind.DATE, Kind.OTHER)]
    if not plain:
        return None
    query = table.select(**{f"c{at}": table[name] for at, name in enumerate(plain)})
    found = fetch(query.limit(FIRST_ROWS), "Looking at the columns")
    return Cells(found.rename_columns(plain))


def _why_not(rows: TrainingRows, totals: Totals, kind: str | tuple[Value, ...] | None) -> str:
    """The reason why a column cannot be used, from counts of all its values; empty where it can."""
    try:
        found = histogram(rows, totals, summarize_columns(rows)[0])
    except ColumnError as error:
        return str(error.reason)
    return use_of(look_at(found.column, found.evidence, kind), found.column, found.evidence).why


def _infinite(table: Table, columns: Sequence[str]) -> dict[str, float]:
    """Columns with infinite values, each with one of them."""
    floats = [name for name in columns if table[name].type().is_floating()]
    if not floats:
        return {}
    figures = {}
    for at, name in enumerate(floats):
        numbers = as_number(table[name])
        figures[f"high{at}"] = (numbers == float_literal(np.inf)).sum()
        figures[f"low{at}"] = (numbers == float_literal(-np.inf)).sum()
    found = fetch(table.aggregate(**figures), "Looking at the columns").to_pylist()[0]
    ends = {"high": np.inf, "low": -np.inf}
    return {name: ends[end] for end in ends for at, name in enumerate(floats) if found[f"{end}{at}"]}


# Files


def input_files(data: str) -> tuple[str, ...]:
    """The files of a path, folder or pattern, if they are on this machine."""
    return find_files(data).paths


def open_rows(data: str, engine: Engine, progress: Progress) -> NumberedRows:
    """Open files in an engine, with a number for each row."""
    quieten(engine)
    with progress.show(f"opening {data} in {engine.title}"):
        return read_numbered_rows(data, engine.name, memory=engine.memory)


def draw_rows(data: str, engine: Engine, selection: Selection, progress: Progress) -> TableFile:
    """Draw rows in an engine, to be read as a table in memory.

    Parameters
    ----------
    data : str
        What is read.
    engine : Engine
    selection : Selection
        How many to draw at most, and what was said of columns.
    progress : Progress
    """
    rows = open_rows(data, engine, progress)
    max_rows, seed = selection.max_rows or 0, selection.seed
    table, columns = rows.table, list(rows.columns)
    with progress.show(f"drawing rows in {engine.title}"):
        n_rows = int(fetch(table.count(), "Counting rows").as_py())
        notes = [*rows.notes]
        if max_rows < n_rows:
            share = min(1.0, _MARGIN * (max_rows + 1000) / n_rows)
            part = table.filter(rows.is_drawn(share, seed, stream=1))
            table = part.order_by(rows.order(seed, stream=1)).limit(max_rows)
            notes.append(f"{max_rows} of {count(n_rows, 'row')} taken, drawn at random by {engine.title}.")
        found = fetch(
            table.select(**{f"c{at}": table[name] for at, name in enumerate(columns)}), "Drawing rows"
        )
    gaps = gaps_of(selection.said, columns)
    drawn, absent = without_values(found.rename_columns(columns), gaps)
    return TableFile(drawn, name_of(data), notes=(*notes, *notes_on_missing(gaps, absent)))


def quieten(engine: Engine) -> None:
    """Keep Spark from printing progress bars and log lines, if it has not started yet."""
    if engine.name is EngineName.SPARK:
        settings = "--conf spark.ui.showConsoleProgress=false --conf spark.log.level=ERROR pyspark-shell"
        os.environ.setdefault("PYSPARK_SUBMIT_ARGS", settings)


def name_of(data: str) -> str:
    """A short name for what is read: of the file or folder, or the pattern.

    Examples
    --------
    >>> name_of("data/*.parquet")
    'data/*.parquet'
    """
    return Path(data).name or data if os.path.exists(data) else data


def columns_of(data: str, engine: Engine) -> tuple[str, ...]:
    """The columns of the files."""
    found, is_csv = find_source(data)
    if is_csv and "://" not in data:
        with read_batches(found.paths[0]) as batches:
            return (*batches.names, *(key for key in found.keys() if key not in batches.names))
    quieten(engine)
    return tuple(read(data, engine.name, memory=engine.memory).columns)


def check_apart(path: Path, data: str) -> None:
    """Refuse to write a file that the same command would read as data next time.

    Parameters
    ----------
    path : Path
        What is to be written.
    data : str
        What is read.
    """
    real, source = os.path.realpath(path), os.path.realpath(data)
    if os.path.isdir(data):
        fits = Path(real).is_relative_to(source)
    else:
        fits = not os.path.exists(data) and _fits(real, source)
    if fits:
        raise InputError(
            f"{os.fspath(path)!r} would be read with {data!r} the next time. Name a file in another folder."
        )


def _fits(path: str, pattern: str) -> bool:
    """True of a path, which may not exist yet, that fits a pattern."""
    if "**" in pattern:
        return fnmatchcase(path, pattern.replace("**", "*"))
    parts, wanted = Path(path).parts, Path(pattern).parts
    return len(parts) == len(wanted) and all(map(fnmatchcase, parts, wanted))
