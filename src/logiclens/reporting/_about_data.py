"""The data in a report: columns at a glance, and what the page needs to evaluate rules by itself.

Formulas become trees, concepts tests, columns inputs. A concept's test is exactly that of
:mod:`logiclens.concepts.concept`. Without a vocabulary the concepts themselves are the inputs, numbers in
[0, 1] that are true above one half.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import ceil, floor, inf, log10, nextafter
from typing import Any

import numpy as np

from logiclens.concepts.concept import Above, AtMost, Between, Concept, Flag, Missing, OneOf, value_text
from logiclens.concepts.table import Column, Kind, Table
from logiclens.concepts.vocabulary import Vocabulary
from logiclens.errors import InputError, count
from logiclens.evaluation._evaluate import CLUSTERS, TRUTH, LabeledRows, RowLabels
from logiclens.explain.rule_set import ExplanationSet
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray, unpack
from logiclens.logic.data import THRESHOLD
from logiclens.logic.export import to_sentence
from logiclens.logic.formula import And, Const, Formula, Not, Var
from logiclens.reporting._facts import (
    ClassFacts,
    ColumnFacts,
    ConceptFacts,
    DataFacts,
    DroppedFacts,
    GroupedFacts,
    GroupFacts,
    InputFacts,
    Plain,
    RowFacts,
    Tree,
    plain_value,
)
from logiclens.reporting._subject import CLUSTER, Source, Subject

MOST_COLUMNS = 200
"""Columns that are listed, and columns dropped and notes that are."""

_KINDS = {"Booleans": "flag", "numbers": "number"}
_KIND_OF = {Above: "number", AtMost: "number", Between: "number", OneOf: "category", Flag: "flag"}


def data_facts(
    subject: Subject, source: Source, inputs: tuple[InputFacts, ...], rows: LabeledRows | None
) -> DataFacts:
    """The data at a glance."""
    columns, words = _columns(subject, inputs, rows), subject.rules.vocabulary
    dropped = [*(_dropped(subject) | dict(source.dropped)).items()]
    held_out = subject.task != CLUSTER if source.held_out is None else source.held_out
    n_held_out = rows.n_rows if rows is not None and held_out else None
    n_rows = None if n_held_out is None or source.n_train is None else n_held_out + source.n_train
    if not held_out:
        n_rows = source.n_train
    classes, classes_of = _classes(subject, rows)
    return DataFacts(
        name=source.name,
        n_rows=n_rows,
        n_train=source.n_train,
        n_held_out=n_held_out,
        n_columns=len({column.name if words is None else words.source(column.name) for column in columns})
        + len(dropped),
        n_concepts=len(subject.rules.concept_names),
        sha256=source.data_sha256,
        classes=classes,
        classes_of=classes_of,
        columns=tuple(columns[:MOST_COLUMNS]),
        n_columns_left_out=max(len(columns) - MOST_COLUMNS, 0),
        dropped=tuple(DroppedFacts(name, str(why)) for name, why in dropped[:MOST_COLUMNS]),
        n_dropped_left_out=max(len(dropped) - MOST_COLUMNS, 0),
        notes=source.notes[:MOST_COLUMNS],
        n_notes_left_out=max(len(source.notes) - MOST_COLUMNS, 0),
    )


def _classes(subject: Subject, rows: LabeledRows | None) -> tuple[tuple[ClassFacts, ...], str]:
    """The number of rows of each class, and which rows these are."""
    rules = subject.rules
    if rows is None or rows.reference is None:
        total = sum(explanation.support for explanation in rules.values())
        return tuple(
            ClassFacts(str(e.target), round(e.support), e.support / total if total else 0.0)
            for e in rules.values()
        ), "training rows, by the network's answers" if total else ""
    wanted = rows.reference
    n_rows = [rows.count(words) for words in wanted.words]
    if wanted.codes is not None:
        n_rows = rows.tally(wanted.codes, len(rules) + len(wanted.others)).tolist()
    whose = {TRUTH: "", CLUSTERS: ", by their cluster"}.get(wanted.by, f", by the answers of {wanted.by}")
    labels = map(str, (*rules.labels, *wanted.others))
    counts = dict(zip(labels, n_rows, strict=True))
    return tuple(
        ClassFacts(label, n, n / rows.n_rows) for label, n in counts.items()
    ), f"{subject.part}{whose}"


def _dropped(subject: Subject) -> dict[str, str]:
    """Columns without concepts, and why."""
    if subject.encoder is not None:
        return dict(subject.encoder.dropped_)
    words = subject.rules.vocabulary
    if words is None:
        return {}
    kept = {words.source(concept.column) for concept in words.concepts}
    return {column: "dropped when concepts were made" for column in words.columns if column not in kept}


def _columns(subject: Subject, inputs: tuple[InputFacts, ...], rows: LabeledRows | None) -> list[ColumnFacts]:
    """The columns that have concepts, those that rules use first."""
    rules, words = subject.rules, subject.rules.vocabulary
    kinds = {one.name: one.kind for one in inputs}
    used = {name for formula in rules.formulas.values() for name in formula.concepts}
    if words is None:
        found = [
            ColumnFacts(name, kinds.get(name, "score"), 0.0, name in used) for name in rules.concept_names
        ]
    else:
        used = set(words.used_inputs(used))
        concepts: dict[str, list[Concept]] = {}
        for concept in words.concepts:
            concepts.setdefault(concept.column, []).append(concept)
        if subject.encoder is None:  # a model that was loaded
            names = words.used_inputs(words.names)
            cells = [_cells(None if rows is None else rows.table, words, name) for name in names]
            shares = [None if column is None else float(column.missing.mean()) for column in cells]
            readings = [(name, "category", share, "") for name, share in zip(names, shares, strict=True)]
        else:
            readings = [
                (one["column"], _KINDS.get(one["values"], "category"), one["missing"], one["remark"])
                for one in subject.encoder.describe()
                if one["concepts"]
            ]
        found = [
            ColumnFacts(
                column,
                kinds.get(column) or _shown_kind(concepts[column]) or kind,
                missing,
                column in used,
                note,
            )
            for column, kind, missing, note in readings
        ]
    return sorted(found, key=lambda column: not column.used)


def _shown_kind(concepts: Iterable[Concept]) -> str | None:
    """The kind of a column that its concepts show; that a value may be missing shows nothing."""
    kinds = {_KIND_OF.get(type(concept)) for concept in concepts}
    return next((kind for kind in ("number", "category", "flag") if kind in kinds), None)


def _cells(table: Table | None, words: Vocabulary, name: str) -> Column | None:
    """A column of the rows, found by its name or its place."""
    if table is None:
        return None
    places = words.places(table.names, named=table.named, labelled=table.labelled)
    if places is None or places[words.source(name)] not in table:
        return None
    return words.cells(name, lambda column: table.column(places[column]))


_LARGEST = float(np.finfo(np.float64).max)


def tree_of(formula: Formula, places: Mapping[str, int]) -> Tree:
    """A formula as plain objects, with the places of its concepts.

    Examples
    --------
    >>> tree_of(Var("b") & ~Var("a"), {"a": 0, "b": 1})["args"][0]
    {'op': 'var', 'concept': 1}
    """
    match formula:
        case Const(value):
            return {"op": "true" if value else "false"}
        case Var(name):
            return {"op": "var", "concept": places[name]}
        case Not(arg):
            return {"op": "not", "arg": tree_of(arg, places)}
    sign = "and" if isinstance(formula, And) else "or"
    return {"op": sign, "args": [tree_of(arg, places) for arg in formula.args]}


def concepts_and_inputs(
    rules: ExplanationSet, names: Sequence[str], table: Table | None = None
) -> tuple[tuple[ConceptFacts, ...], tuple[InputFacts, ...]]:
    """Some concepts as tests of inputs, and those inputs."""
    words = rules.vocabulary
    if words is None:
        return _scores(names, rules, table)
    columns = words.used_inputs(names)
    place = {column: at for at, column in enumerate(columns)}
    concepts = tuple(
        ConceptFacts(
            name,
            words.to_sentence(Var(name)),
            words.to_sentence(~Var(name)),
            place[words[name].column],
            as_test(words[name]),
            words[name].condition().or_missing,
        )
        for name in names
    )
    inputs = tuple(
        _input(
            words,
            [words[name] for name in names if words[name].column == column],
            _cells(table, words, column),
        )
        for column in columns
    )
    return concepts, inputs


def as_test(concept: Concept) -> dict[str, Any]:
    """The test that a concept makes of a value that is there."""
    match concept:
        case Flag():
            return {"kind": "flag"}
        case Above():
            return {"kind": "above", "cut": concept.cut}
        case AtMost():
            return {"kind": "at_most", "cut": concept.cut}
        case Between():
            return {"kind": "between", "low": concept.low, "high": concept.high}
        case OneOf():
            return {"kind": "one_of", "values": list(concept.values)}
        case Missing():
            return {"kind": "missing"}
    raise InputError(f"The page knows no test for the concept {concept.name!r}.")


def _scores(
    names: Sequence[str], rules: ExplanationSet, table: Table | None
) -> tuple[tuple[ConceptFacts, ...], tuple[InputFacts, ...]]:
    """Concepts that are their own inputs."""
    concepts, inputs = [], []
    for at, name in enumerate(names):
        column = _own_cells(table, name, rules.concept_names)
        middle = 0.0 if column is None else float(np.median(column.numbers()))
        if column is not None and _is_zero_one(column):
            test: dict[str, Any] = {"kind": "flag"}
            inputs.append(InputFacts(name, "flag", start=middle > THRESHOLD))
        else:
            test = {"kind": "above", "cut": THRESHOLD}
            inputs.append(
                InputFacts(name, "score", cuts=(THRESHOLD,), low=0.0, high=1.0, start=round(middle, 2))
            )
        words, words_not = to_sentence(Var(name)), to_sentence(~Var(name))
        concepts.append(ConceptFacts(name, words, words_not, at, test, or_missing=False))
    return tuple(concepts), tuple(inputs)


def _own_cells(table: Table | None, name: str, names: Sequence[str]) -> Column | None:
    """The values of a concept, found by its name or, in a table without names, by its place."""
    if table is not None and name in table:
        return table.column(name)
    if table is None or table.named or len(table.names) != len(names):
        return None
    return table.column(table.names[names.index(name)])


def _is_zero_one(column: Column) -> bool:
    numbers = column.numbers()
    return bool(((numbers == 0) | (numbers == 1)).all())


def _input(words: Vocabulary, concepts: Sequence[Concept], column: Column | None) -> InputFacts:
    name = concepts[0].column
    optional = name in words.optional or (column is not None and bool(column.missing.any()))
    kind = _kind(concepts, column)
    levels = dict.fromkeys(v for c in concepts if isinstance(c, OneOf) for v in c.values)
    if kind == "number":
        compared = {value for concept in concepts for value in concept.condition().values}
        cuts = sorted(float(value) for value in compared if not isinstance(value, str))
        low, high, start, whole = _range(cuts, column)
        return InputFacts(name, kind, tuple(levels), tuple(cuts), low, high, whole, start, optional)
    usual = _usual(kind, tuple(levels), column)
    if usual is not None and kind == "category":
        levels.setdefault(usual)  # the reader starts from it, also where no concept names it
    return InputFacts(name, kind, tuple(levels), start=usual, optional=optional)


def _kind(concepts: Sequence[Concept], column: Column | None) -> str:
    if kind := _shown_kind(concepts):
        return kind
    if column is None:
        return "flag"
    return {Kind.NUMBER: "number", Kind.BOOLEAN: "flag"}.get(column.kind, "category")


def _usual(kind: str, levels: tuple[Plain, ...], column: Column | None) -> Plain:
    """The most common value; None where concepts name no values."""
    if kind == "flag":
        if column is None or not column.is_numeric or column.missing.all():
            return False
        return bool(np.nanmean(column.numbers() > THRESHOLD) > THRESHOLD)
    if not levels:
        return None
    if column is None or column.missing.all():
        return levels[0]
    usual = column.levels[int(np.bincount(column.codes[~column.missing]).argmax())]
    return next((level for level in levels if level == usual), plain_value(usual))


def _range(cuts: Sequence[float], column: Column | None) -> tuple[float | None, float | None, float, bool]:
    """A rounded range around cut points and values, a typical value, and whether values are whole numbers."""
    if column is None or column.missing.all() or not column.is_numeric:
        return None, None, float(np.median(cuts)) if cuts else 0.0, False
    numbers = column.numbers()[~column.missing]
    least, most = min([float(numbers.min()), *cuts]), max([float(numbers.max()), *cuts])
    digits = 1 - _magnitude(most - least) if most > least else 2 - _magnitude(abs(most) or 1.0)
    step = 10.0**-digits
    low, high = round(floor(least / step) * step, digits), round(ceil(most / step) * step, digits)
    high = high if high > most else round(high + step, digits)  # one can go beyond the last cut point
    whole = bool((numbers == np.round(numbers)).all())
    start = round(float(np.median(numbers)), 0 if whole else digits + 1)
    return (
        max(min(low, least), -_LARGEST),
        min(max(high, nextafter(most, inf)), _LARGEST),
        start,
        whole,
    )


def _magnitude(number: float) -> int:
    """The power of ten below a positive number, far enough from both ends of what floats can hold."""
    return floor(log10(min(max(number, 1e-290), 1e290)))


MOST_ROWS = 100
"""Rows that are listed."""
MOST_VALUES = 40
"""Columns of a row that are."""


def row_facts(
    rows: LabeledRows | None, inputs: Sequence[InputFacts], numbers: Sequence[int] | None = None
) -> tuple[tuple[RowFacts, ...], int]:
    """The first rows about which the rules are wrong, and how many more there are.

    Raises
    ------
    InputError
        There is nothing to compare the rules with, or there are more numbers than rows, or fewer.
    """
    if rows is None or rows.reference is None:
        raise InputError("rows=True shows rows about which the rules are wrong. Pass X and y.")
    if numbers is not None and len(numbers) != rows.n_rows:
        raise InputError(
            f"row_numbers must have a number for each of {count(rows.n_rows, 'row')}. Got {len(numbers)}; "
            "pass those of the rows of X."
        )
    predicted, wanted = rows.predicted, rows.reference
    default = np.zeros(rows.n_distinct, dtype=np.bool_)
    if rows.rules.multi_label:
        apart = (one ^ other for one, other in zip(predicted.words, wanted.words, strict=True))
        every = np.flatnonzero(unpack(np.bitwise_or.reduce([*apart]), rows.n_distinct))
    else:
        every = np.flatnonzero(predicted.codes != wanted.codes)
        default = rows.decided_by == len(rows.rules.steps)
    which = every[:MOST_ROWS]
    network = [None] * len(which) if rows.network is None else _labels_of(rows.network, rows, which)
    found = map(
        RowFacts,
        [at + 1 if numbers is None else numbers[at] for at in which.tolist()],
        _values(rows.table, which, [one.name for one in inputs]),
        _labels_of(wanted, rows, which),
        network,
        _labels_of(predicted, rows, which),
        ["default" if each else "" for each in default[which]],
    )
    return tuple(found), len(every) - len(which)


def _labels_of(given: RowLabels, rows: LabeledRows, which: IndexArray) -> list[str]:
    """Labels of some rows; several of a row stand side by side."""
    labels = [str(label) for label in (*rows.rules.labels, *given.others)]
    if given.codes is not None:
        return [labels[code] for code in given.codes[which]]
    predicted = np.column_stack([unpack(words, rows.n_distinct)[which] for words in given.words])
    return [", ".join(label for label, true in zip(labels, row, strict=True) if true) for row in predicted]


def _values(table: Table | None, which: IndexArray, first: Sequence[str]) -> list[dict[str, Plain]]:
    if table is None:
        return [{} for _ in which]
    names = [name for name in first if name in table]
    names += [name for name in table.names if name not in set(names)]
    cells = {name: table.column(name).take(which).values() for name in names[:MOST_VALUES]}
    return [{name: plain_value(cells[name][at]) for name in cells} for at in range(len(which))]


MOST_VALUES_OF_GROUPS = 20
"""Values of a column up to which its rows are grouped by them; numbers of more are cut into quartiles."""
FEWEST_OF_A_GROUP = 10
"""Rows of a group that is shown; smaller ones could tell who is in them."""


def grouped_facts(
    rows: LabeledRows | None, more: Table | None, most_numbers: int
) -> tuple[tuple[GroupedFacts, ...], int]:
    """Rows by each column of few values, or by quartiles of its numbers, and how many such columns there are.

    There may be more columns than those of the rows; they come first. Columns are listed as long as their
    figures are no more than ``most_numbers``.
    """
    if rows is None or rows.reference is None:
        return (), 0
    wanted, predicted = rows.reference.codes, rows.predicted.codes
    if wanted is None or predicted is None:  # a row may have several labels
        return (), 0
    found, n_columns, left = [], 0, most_numbers
    tables = [table for table in (more, rows.table) if table is not None]
    columns = {name: table for table in reversed(tables) for name in table.names}
    for name in dict.fromkeys(name for table in tables for name in table.names):
        places = _places(rows, columns[name], name)
        if places is None or (columns[name] is more and _is_row_number(more, name)):
            continue
        n_columns += 1
        left -= len(places[0]) * (3 * len(rows.rules) + 2)
        if left >= 0:
            found.append(_groups(rows, name, *places))
    return tuple(found), n_columns


def _groups(rows: LabeledRows, column: str, names: Sequence[str], places: IndexArray) -> GroupedFacts:
    """Figures of each group; the place of rows in none is the number of the groups."""
    wanted, predicted = rows.reference, rows.predicted.codes
    assert wanted is not None
    assert wanted.codes is not None
    assert predicted is not None
    n_labels, n_groups = len(rows.rules), len(names) + 1
    width = n_labels + len(wanted.others)

    def counts(codes: IndexArray) -> list[tuple[int, ...]]:
        table = rows.tally(places * (width + 1) + codes, n_groups * (width + 1))
        return [tuple(row) for row in table.reshape(n_groups, -1)[:, :n_labels].tolist()]

    n = rows.tally(places, n_groups).tolist()
    hits = counts(np.where(predicted == wanted.codes, predicted, width))
    alike = [_alike(rows, places == at) for at in range(len(names))]
    both = zip(names, n, map(sum, hits), counts(wanted.codes), counts(predicted), hits, alike, strict=False)
    whole = _alike(rows, places < len(names))
    return GroupedFacts(column, tuple(GroupFacts(*each) for each in both), n[-1], whole)


def _alike(rows: LabeledRows, which: BoolArray) -> float:
    """How many of some rows say the same at most, on average; 1 where each is a row of its own."""
    if rows.groups is None:
        return 1.0
    weight = which.astype(np.float64) if rows.counts is None else which * rows.counts
    sizes = np.bincount(rows.groups, weight)
    return float(sizes @ sizes / sizes.sum())


def _places(rows: LabeledRows, table: Table, name: str) -> tuple[list[str], IndexArray] | None:
    """Names of groups, and the place of each row among them; None where rows cannot be grouped so."""
    try:
        column = table.column(name)
    except InputError:
        return None
    if column.is_numeric and len(np.unique(numbers := column.numbers()[~column.missing])) > MOST_WHOLE_GROUPS:
        n_parts = min(4, len(numbers) // FEWEST_OF_A_GROUP)
        cuts = _rounded_cuts(numbers, n_parts)
        names = _range_names(cuts)
        places = np.searchsorted(cuts, column.numbers(), side="left")
    else:
        if len(column.levels) > MOST_VALUES_OF_GROUPS:
            return None
        levels = [plain_value(level) for level in column.levels]
        order = sorted(range(len(levels)), key=lambda at: (isinstance(levels[at], str), levels[at]))
        values = [levels[at] for at in order]
        names = [value_text(value) if isinstance(value, float) else str(value) for value in values]
        places = np.argsort(np.array(order, dtype=np.intp))[column.codes]
    places[column.missing] = len(names)
    names = [*names, "missing"]
    enough = rows.tally(places, len(names)) >= FEWEST_OF_A_GROUP
    if enough.sum() < 2:
        return None
    moved = np.where(enough, np.cumsum(enough) - 1, enough.sum())
    return [text for text, shown in zip(names, enough, strict=True) if shown], moved[places]


def _is_row_number(table: Table, name: str) -> bool:
    """Whether each row has a whole number of its own, of which ranges mean nothing."""
    column = table.column(name)
    if not column.is_numeric or column.missing.any():
        return False
    numbers = column.numbers()
    return bool((numbers == np.floor(numbers)).all()) and len(np.unique(numbers)) == len(numbers)


MOST_WHOLE_GROUPS = 8
"""Distinct numbers up to which rows are grouped by them."""


def _rounded_cuts(numbers: FloatArray, n_parts: int) -> FloatArray:
    """Round numbers near the quantiles, in ascending order."""
    if n_parts < 2:
        return np.zeros(0)
    cuts = np.quantile(numbers, np.arange(1, n_parts) / n_parts)
    spread = float(np.subtract(*np.quantile(numbers, [0.95, 0.05]))) or float(np.ptp(numbers))
    rounded = np.unique(np.round(cuts, min(1 - _magnitude(spread), 300)) if spread else cuts)
    inside: FloatArray = rounded[(rounded >= numbers.min()) & (rounded < numbers.max())]
    return inside


def _range_names(cuts: FloatArray) -> list[str]:
    """What each range between cut points is called."""
    if not len(cuts):
        return ["any"]
    texts = [value_text(float(cut)) for cut in cuts]
    between = [f"> {low} and ≤ {high}" for low, high in pairwise(texts)]
    return [f"≤ {texts[0]}", *between, f"> {texts[-1]}"]
