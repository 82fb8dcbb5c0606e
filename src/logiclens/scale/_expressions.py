"""Concepts and formulas as expressions of an engine, true of the same rows as in NumPy.

Concepts are true or false of every row, never NULL: NULL and NaN are missing values, as in
:mod:`logiclens.concepts.table`, and the concept itself says what is true of them. Numbers are compared as
floats of double precision. Constants are written so that every engine reads back the value that was meant, to
the last bit. Nothing here is executed.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from logiclens.concepts.concept import Concept, Relation
from logiclens.concepts.dates import WEEKDAYS, DatePart, day_of
from logiclens.concepts.table import Kind
from logiclens.concepts.vocabulary import Vocabulary
from logiclens.errors import InputError, LimitError, count, shown
from logiclens.explain.rule import Label
from logiclens.logic.data import ROUNDING, THRESHOLD, as_float, check_names, check_threshold
from logiclens.logic.formula import And, Const, Formula, Not, Var, check_writable
from logiclens.scale._engine import Expression, Table, check_columns, check_table, ibis_module

_DEEPEST = 80  # levels of nesting that engines and Ibis take


# Concepts


def concept_expression(
    table: Table, concept: Concept, column: str | None = None, part: DatePart | None = None
) -> Expression:
    """Truth of a concept on each row of a raw table; never NULL.

    Parameters
    ----------
    table : ibis.Table
    concept : Concept
    column : str, optional
        The table's name of the column that the concept is about; as the concept calls it when missing.
    part : DatePart, optional
        The part of the dates of that column that the concept is about.

    Raises
    ------
    UnknownColumnError
        The table lacks the column.
    InputError
        Text is compared with numbers, or numbers with text.

    Examples
    --------
    >>> import ibis, pyarrow as pa
    >>> from logiclens.concepts import Above
    >>> table = ibis.memtable(pa.table({"age": [70, 40, None]}))
    >>> concept_expression(table, Above("age", 62.0)).to_list()
    [True, False, False]
    """
    place = concept.column if column is None else column
    check_columns(table, [place])
    condition = concept.condition()
    cells = without(table[place], condition.gaps) if part is None else part_expression(table[place], part)
    ibis = ibis_module()
    if condition.relation is Relation.MISSING:
        return is_missing(cells)
    if cells.type().is_null():
        return ibis.literal(condition.or_missing)
    return _with_missing(_test(cells, concept), cells, condition.or_missing)


def part_expression(cells: Expression, part: DatePart) -> Expression:
    """A part of the dates of a column, as :meth:`DatePart.of <logiclens.concepts.dates.DatePart.of>` has it.

    Examples
    --------
    >>> import ibis, pyarrow as pa
    >>> table = ibis.memtable(pa.table({"on": ["2024-02-29 10:30", None]}))
    >>> part_expression(table["on"], DatePart("on", "weekday")).to_list()
    ['Thursday', None]
    """
    ibis, dtype = ibis_module(), cells.type()
    if dtype.is_string():
        cells = without(cells, part.gaps).strip().substr(0, 10)
    elif not (dtype.is_date() or dtype.is_timestamp() or dtype.is_null()):
        raise InputError(
            f"Column {cells.get_name()!r} must hold dates. Got {kind_of(cells)}, of type {dtype}."
        )
    elif dtype.is_timestamp() and dtype.timezone is not None:
        raise InputError(
            f"Column {cells.get_name()!r} has a time zone, which decides what its days are. "
            "Convert it to dates."
        )
    day = cells.cast("date")
    if gaps := [ibis.literal(gap).cast("date") for gap in part.gaps if day_of(gap) == gap]:
        day = day.isin(gaps).ifelse(ibis.null("date"), day)
    match part.part:
        case "day":
            found = day.isnull().ifelse(ibis.null("int64"), ibis.literal(1, type="int64"))
        case "year":
            found = day.year().cast("int64")
        case "month":
            found = day.month().cast("int64")
        case "weekday":
            number = day.day_of_week.index()
            cases = [(number == at, ibis.literal(name)) for at, name in enumerate(WEEKDAYS)]
            found = ibis.cases(*cases, else_=ibis.null("string"))
        case _:
            found = day.delta(ibis.literal(part.since).cast("date"), unit="day").cast("int64")
    return found.name(part.name)


def with_parts(table: Table, parts: Sequence[DatePart]) -> Table:
    """A table where the parts of dates are columns; the day takes the place of the date."""
    found = {part.name: part_expression(table[part.column], part) for part in parts}
    return table.mutate(**found) if found else table


def without(cells: Expression, gaps: Sequence[str | int | float]) -> Expression:
    """A column where some values count as missing; those of another kind occur nowhere.

    Examples
    --------
    >>> import ibis, pyarrow as pa
    >>> table = ibis.memtable(pa.table({"age": [62, -999]}))
    >>> without(table["age"], [-999, "?"]).to_list()
    [62, None]
    """
    kind = kind_of(cells)
    fitting = [gap for gap in gaps if isinstance(gap, str) == (kind is Kind.TEXT)]
    if not fitting or kind not in (Kind.NUMBER, Kind.TEXT) or cells.type().is_null():
        return cells
    found = is_one_of(cells, fitting).ifelse(ibis_module().null(cells.type()), cells)
    return found.name(cells.get_name())


def without_gaps(table: Table, gaps: Mapping[str, Sequence[str | int | float]]) -> Table:
    """A table where some values of some columns count as missing."""
    changed = {name: without(table[name], some) for name, some in gaps.items() if some}
    return table.mutate(**changed) if changed else table


def _with_missing(test: Expression, cells: Expression, or_missing: bool) -> Expression:
    """A test of values that are there, with its truth where one is missing; NaN passes any test or none."""
    if cells.type().is_floating():
        test = test | is_missing(cells) if or_missing else test & ~is_missing(cells)
    return test.fill_null(or_missing)


def _test(cells: Expression, concept: Concept) -> Expression:
    """A condition on values that are there."""
    condition = concept.condition()
    if condition.relation is Relation.IS:
        return is_one_of(cells, condition.values)
    if condition.relation is Relation.HOLDS:
        return cells if cells.type().is_boolean() else as_number(cells) > float_literal(THRESHOLD)
    numbers = as_number(cells)
    ends = [float_literal(value) for value in condition.values if not isinstance(value, str)]
    match condition.relation:
        case Relation.ABOVE:
            return numbers > ends[0]
        case Relation.AT_MOST:
            return numbers <= ends[0]
        case Relation.BETWEEN:
            return (numbers > ends[0]) & (numbers <= ends[1])
    raise InputError(f"A concept that says {condition.relation!r} has no expression. Got {concept!r}.")


def is_one_of(cells: Expression, values: Sequence[str | int | float]) -> Expression:
    """Compare values with some; whole numbers are compared as such, however large."""
    kind, dtype = kind_of(cells), cells.type()
    fitting = [value for value in values if isinstance(value, str) == (kind is Kind.TEXT)]
    if kind in (Kind.DATE, Kind.OTHER) or not fitting:
        remedy = "text" if isinstance(values[0], str) else "numbers"
        raise InputError(
            f"Column {cells.get_name()!r} holds {kind}, of type {dtype}; it is compared with "
            f"{shown(values[0])}. Convert the column to {remedy}, as it was before."
        )
    if kind is Kind.TEXT:
        found = [text_literal(value) for value in fitting if isinstance(value, str) and is_unicode(value)]
    elif kind is Kind.BOOLEAN or dtype.is_integer():
        cells = cells.cast("int8") if kind is Kind.BOOLEAN else cells
        found = whole_literals(fitting, dtype)
    else:
        cells = as_number(cells)
        found = [float_literal(value) for value in fitting if as_float(value) == value]
    if not found:  # false where there is a value, unknown where there is none
        return cells != cells
    return cells == found[0] if len(found) == 1 else cells.isin(found)


def truth_expression(table: Table, name: str, threshold: float = THRESHOLD) -> Expression:
    """Truth of a column that is a concept itself: a Boolean, or a number greater than the threshold.

    A missing value counts as false, so that the expression is never NULL; whoever must not pass over such
    values asks for :func:`faults`.
    """
    check_columns(table, [name])
    cells = table[name]
    if cells.type().is_null():
        return ibis_module().literal(False)
    if cells.type().is_boolean():
        return cells.fill_null(False)
    if kind_of(cells) is not Kind.NUMBER:
        raise InputError(
            f"Column {name!r} has values of type {cells.type()}; concepts are Booleans or numbers in [0, 1]. "
            "Encode the column first."
        )
    return _with_missing(as_number(cells) > float_literal(threshold), cells, False)


def concept_columns(
    table: Table,
    vocabulary: Vocabulary | None,
    names: Sequence[str],
    threshold: float = THRESHOLD,
    *,
    columns: Sequence[str] | None = None,
) -> dict[str, Expression]:
    """Truth of concepts on each row of a table, by name; none is ever NULL.

    Parameters
    ----------
    table : ibis.Table
    vocabulary : Vocabulary or None
        What the concepts mean in the columns. A table that has the concepts themselves as its columns, and
        not those of the vocabulary, is read as it is.
    names : sequence of str
        The concepts.
    threshold : float, default 0.5
        A column of scores that is a concept itself is true when greater. With a vocabulary it has no part.
    columns : sequence of str, optional
        The table's columns without those of targets and weights, which count where columns are found by
        place; all of them when missing.

    Examples
    --------
    >>> import ibis, pyarrow as pa
    >>> table = ibis.memtable(pa.table({"wings": [True, None], "size": [0.5, 0.7]}))
    >>> found = concept_columns(table, None, ["wings", "size"])
    >>> found["wings"].to_list(), found["size"].to_list()
    ([True, False], [False, True])
    """
    check_table(table)
    chosen = check_names(names)
    limit = check_threshold(threshold)
    places = raw_places(table, vocabulary, chosen, columns)
    if vocabulary is None or places is None:
        check_columns(table, chosen)
        return {name: truth_expression(table, name, limit) for name in chosen}
    concepts = {name: vocabulary[name] for name in chosen}
    return {
        name: concept_expression(
            table,
            concept,
            places[vocabulary.source(concept.column)],
            vocabulary.parts.get(concept.column),
        )
        for name, concept in concepts.items()
    }


def raw_places(
    table: Table,
    vocabulary: Vocabulary | None,
    names: Sequence[str],
    columns: Sequence[str] | None = None,
) -> dict[str, str] | None:
    """The columns of a table that concepts are about; None where the table has the concepts themselves.

    As :meth:`Vocabulary.read <logiclens.concepts.Vocabulary.read>` has it: by name or, for concepts that
    were made of an array, by place.

    Parameters
    ----------
    table : ibis.Table
    vocabulary : Vocabulary or None
    names : sequence of str
        The concepts.
    columns : sequence of str, optional
        As for :func:`concept_columns`.

    Returns
    -------
    dict of str to str, or None
        From each column of the vocabulary to that of the table.
    """
    if vocabulary is None:
        return None
    known = tuple(table.columns)
    used = vocabulary.used_columns(names)
    lacking = [column for column in used if column not in known]
    if lacking and all(name in known for name in names):
        return None
    present = known if columns is None else tuple(columns)
    places = vocabulary.places(known if set(vocabulary.columns) <= set(known) else present)
    if places is None:
        raise InputError(
            f"The table has {count(len(present), 'column')}; {len(vocabulary.columns)} were there when the "
            "concepts were made. Pass the same columns in the same order, or under the same names."
        )
    found = {column: places[column] for column in used}
    check_columns(table, found.values())
    return found


# Faults


@dataclass(frozen=True, eq=False)
class Fault:
    """Values that NumPy refuses, and what to say when there are some.

    Attributes
    ----------
    column : str
    where : Boolean expression
        The rows that have such a value; never NULL.
    what : str
        Such a value, for counting: ``"missing value"``.
    advice : str
    """

    column: str
    where: Expression
    what: str
    advice: str

    def error(self, number: int) -> InputError:
        """The error for that many."""
        outside = " outside [0, 1]" if self.what == "value" else ""
        return InputError(f"Column {self.column!r} has {count(number, self.what)}{outside}. {self.advice}")


def faults(
    table: Table,
    vocabulary: Vocabulary | None,
    names: Sequence[str],
    *,
    columns: Sequence[str] | None = None,
) -> list[Fault]:
    """Faults to look for in the columns that concepts are read from, counted along with other things.

    Infinite numbers in raw columns; missing values, and numbers outside [0, 1], in columns that are concepts
    themselves.

    Parameters
    ----------
    table : ibis.Table
    vocabulary : Vocabulary or None
    names : sequence of str
        The concepts.
    columns : sequence of str, optional
        As for :func:`concept_columns`.
    """
    places = raw_places(table, vocabulary, names, columns)
    if places is not None:
        raw = [table[place] for place in places.values()]
        return [
            Fault(
                column.get_name(),
                is_infinite(column),
                "infinite value",
                "Replace it by a number, or by NaN if it is missing.",
            )
            for column in raw
            if column.type().is_floating()
        ]
    found = []
    for name in names:
        column = table[name]
        found.append(Fault(name, is_missing(column), "missing value", "Impute or drop those rows first."))
        if not column.type().is_boolean() and not column.type().is_null():
            advice = "Turn it into concepts first, for instance by comparing it with a cut point."
            found.append(Fault(name, is_outside(column), "value", advice))
    return found


def refuse_gaps(name: str, number: int) -> None:
    """Refuse a column that has some missing values where there may be none."""
    if number:
        raise InputError(
            f"Column {name!r} has {count(number, 'missing value')}. Impute or drop those rows first."
        )


# Formulas


def formula_expression(formula: Formula, concepts: Mapping[str, Expression]) -> Expression:
    """Truth of a formula on each row.

    Long conjunctions and disjunctions become balanced trees, so that formulas of thousands of terms do not
    nest deeply.

    Parameters
    ----------
    formula : Formula
    concepts : mapping of str to Boolean expression
        Truth of its concepts, never NULL; see :func:`concept_columns`.

    Raises
    ------
    LimitError
        The formula is nested too deep, or too long when written out.

    Examples
    --------
    >>> import ibis, pyarrow as pa
    >>> from logiclens.logic import Var
    >>> table = ibis.memtable(pa.table({"a": [True, True, False], "b": [True, False, False]}))
    >>> formula_expression(Var("a") & ~Var("b"), {"a": table["a"], "b": table["b"]}).to_list()
    [False, True, False]
    """
    check_writable(formula)
    ibis = ibis_module()
    done: dict[int, tuple[Expression, int]] = {}  # parts may be shared

    def built(node: Formula) -> tuple[Expression, int]:
        if id(node) not in done:
            done[id(node)] = compound(node)
        return done[id(node)]

    def compound(node: Formula) -> tuple[Expression, int]:
        match node:
            case Const(value):
                return ibis.literal(value), 0
            case Var(name):
                return concepts[name], 0
            case Not(arg):
                inner, depth = built(arg)
                return ~inner, depth + 1
        combine = operator.and_ if isinstance(node, And) else operator.or_
        return join_balanced([built(part) for part in node.args], combine)

    expression, depth = built(formula)
    if depth > _DEEPEST:
        raise LimitError(
            f"The formula is nested {depth} levels deep in an engine, which takes {_DEEPEST} at most. "
            "Bring it into a normal form first."
        )
    return expression


def join_balanced(
    parts: Sequence[tuple[Expression, int]], combine: Callable[[Any, Any], Any]
) -> tuple[Expression, int]:
    """Expressions, each with its depth, joined two by two, and the depth of the whole."""
    while len(parts) > 1:
        pairs = [parts[at : at + 2] for at in range(0, len(parts), 2)]
        parts = [
            (combine(pair[0][0], pair[1][0]), 1 + max(pair[0][1], pair[1][1])) if len(pair) > 1 else pair[0]
            for pair in pairs
        ]
    return parts[0]


# Values of a column, and constants


_EXACT_DIGITS = 15  # decimals up to this precision are divided exactly when they become floats
_LEAST, _MOST = -(2**63), 2**63 - 1  # what the integers of engines hold


def kind_of(column: Expression) -> Kind:
    """Kind of the values of a column, as :class:`~logiclens.concepts.Column` has it."""
    dtype = column.type()
    if dtype.is_boolean():
        return Kind.BOOLEAN
    if dtype.is_numeric() or dtype.is_null():
        return Kind.NUMBER
    if dtype.is_string() and not dtype.is_json():
        return Kind.TEXT
    return Kind.DATE if dtype.is_temporal() or dtype.is_interval() else Kind.OTHER


def is_missing(column: Expression) -> Expression:
    """True where there is no value, NULL or, of floats, NaN; never NULL itself.

    Examples
    --------
    >>> import ibis, pyarrow as pa
    >>> table = ibis.memtable(pa.table({"age": [62.0, None]}))
    >>> is_missing(table["age"]).to_list()
    [False, True]
    """
    if column.type().is_null():
        return ibis_module().literal(True)
    missing = column.isnull()
    if not column.type().is_floating():
        return missing
    # Parquet files keep no account of NaN, and DuckDB takes isnan of a column there for never true.
    return missing.ifelse(float_literal(np.nan), column).isnan()


def as_number(column: Expression) -> Expression:
    """A column of numbers or Booleans as floats of double precision; others are refused.

    Decimals of many digits go by their text, which every engine rounds once.
    """
    dtype = column.type()
    if kind_of(column) not in (Kind.BOOLEAN, Kind.NUMBER):
        raise InputError(
            f"Column {column.get_name()!r} must hold numbers. Got {kind_of(column)}, of type {dtype}."
        )
    if dtype.is_float64():
        return column
    if dtype.is_decimal() and (dtype.precision is None or dtype.precision > _EXACT_DIGITS):
        column = column.cast("string")
    return column.cast("float64")


def is_infinite(column: Expression) -> Expression:
    """True where a number is infinite; never NULL."""
    if not column.type().is_floating():
        return ibis_module().literal(False)
    # Ibis writes isinf for Spark in a way that is never true.
    either = (column == float_literal(np.inf)) | (column == float_literal(-np.inf))
    return either.fill_null(False)


def is_outside(column: Expression) -> Expression:
    """True where a number lies outside [0, 1], and not by rounding; never NULL."""
    numbers = as_number(column)
    either = (numbers < float_literal(-ROUNDING)) | (numbers > float_literal(1 + ROUNDING))
    return either.fill_null(False) & ~is_missing(column)


def as_label(column: Expression) -> Expression:
    """A column of labels in a type that labels can have: decimals as floats, and -0.0 as 0.0.

    Examples
    --------
    >>> import ibis, pyarrow as pa
    >>> as_label(ibis.memtable(pa.table({"y": [-0.0, 1.0]}))["y"]).to_list()
    [0.0, 1.0]
    """
    dtype = column.type()
    if kind_of(column) in (Kind.DATE, Kind.OTHER):
        raise InputError(
            f"Labels must be text, numbers or Booleans. Column {column.get_name()!r} holds "
            f"{kind_of(column)}, of type {dtype}."
        )
    if not dtype.is_floating() and not dtype.is_decimal():
        return column
    numbers = as_number(column)
    return (numbers == float_literal(0)).ifelse(float_literal(0), numbers)  # one zero for all engines


def float_literal(value: float) -> Expression:
    """A float, exactly: engines would take its digits for a decimal, and round that once more."""
    return ibis_module().literal(repr(float(value))).cast("float64")


def text_literal(text: str) -> Expression:
    """A text; ``${`` is cut in two, which Spark would take for a variable."""
    ibis = ibis_module()
    if "\0" in text or not is_unicode(text):
        raise InputError(
            f"{text!r} cannot be a text in an engine: it holds a NUL character or half a character. "
            "Replace the value."
        )
    first, *rest = text.split("${")
    found = ibis.literal(first + "$" if rest else first)
    for place, part in enumerate(rest, start=1):
        found = found + ibis.literal("{" + part + ("$" if place < len(rest) else ""))
    return found


def label_literal(label: Label) -> Expression:
    """A label as a value of its own type: text, Boolean, 64-bit integer or float."""
    if isinstance(label, str):
        return text_literal(label)
    if isinstance(label, bool):
        return ibis_module().literal(label)
    if isinstance(label, float):
        return float_literal(label)
    if not _LEAST <= label <= _MOST:
        raise InputError(
            f"The label {label} cannot be a whole number in an engine: it takes more than 64 bits. "
            "Rename the class."
        )
    return ibis_module().literal(label, type="int64")


def whole_literals(values: Iterable[str | int | float], dtype: Any) -> list[Expression]:
    """Literals of the numbers that a column of whole numbers, or of Booleans, can hold."""
    unsigned = dtype.is_unsigned_integer()
    least, most = (0, 2**64 - 1) if unsigned else (_LEAST, _MOST)
    whole = [int(value) for value in values if not isinstance(value, str) and value == int(value)]
    kind = "uint64" if unsigned else "int64"
    return [ibis_module().literal(value, type=kind) for value in whole if least <= value <= most]


def is_unicode(text: str) -> bool:
    """True of texts that an engine can hold; none holds half a character (a lone surrogate)."""
    return not any("\ud800" <= char <= "\udfff" for char in text)
