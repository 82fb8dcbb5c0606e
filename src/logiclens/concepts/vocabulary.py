"""A vocabulary: what the concepts of a problem mean in the columns of the raw table they were made from.

With it rules speak of the columns (``age(x) <= 62``), run on the raw table, also as SQL and Python, and know
which concepts cannot be true together. It is a value without data in it, and needs no scikit-learn, so that
rules with a vocabulary can be used anywhere.

The conditions are written in the languages people and programs read: logic, English, SQL, Python. Column
names and values are data: they stand in the quotes of the language, with its escapes, wherever it would
otherwise take them for something else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from itertools import count as numbers_from
from math import prod
from typing import Any

import numpy as np

from logiclens.concepts.concept import (
    KINDS,
    Concept,
    ConceptGroup,
    Condition,
    Flag,
    Missing,
    OneOf,
    Relation,
    Value,
    as_term,
    every_combination,
    representative_values,
    value_text,
    without_implied,
)
from logiclens.concepts.dates import PYTHON as DAY_OF_PYTHON
from logiclens.concepts.dates import DatePart, days_of, representative_days
from logiclens.concepts.table import Column, Kind, Table, ValueType
from logiclens.errors import InputError, UnknownColumnError, UnknownConceptError, count, listing, shown
from logiclens.logic.arrays import BoolArray
from logiclens.logic.data import THRESHOLD, ConceptData, check_name, check_names
from logiclens.logic.export import SAID, check_function_name, write_python, write_sentence
from logiclens.logic.formula import (
    CLOSING,
    FALSE,
    OPENING,
    And,
    Formula,
    Not,
    Or,
    Var,
    check_formula,
    check_writable,
    escape,
    is_plain,
    plain_name,
)
from logiclens.logic.minimize import minimize
from logiclens.logic.normal_form import to_dnf
from logiclens.logic.sql import Dialect, dialect_named, sql_number, sql_text, write_sql
from logiclens.logic.syntax import latex_name, notation_named
from logiclens.logic.truth_table import TruthTable

_MOST_TUPLES = 1 << 12  # combinations up to which a formula is minimized on all of them


@dataclass(frozen=True)
class Vocabulary:
    """Meaning of concepts in the columns of a raw table.

    Attributes
    ----------
    columns : tuple of str
        All columns of the raw table, in order; concepts may be about some of them only.
    concepts : tuple of Concept
    named : bool, default True
        Whether the table carried the names of its columns; if not, rows are read by place.
    optional : frozenset of str
        Columns of which it is known that values may be missing. Those whose concepts say so are always among
        them; any others may be given.
    dates : tuple of DatePart, default ()
        Parts of dates that concepts are about, as if they were columns.
    values : tuple of (str, tuple of values), default ()
        The categories that columns had when the concepts were made, of columns with few; they have no part in
        comparing vocabularies.
    names : tuple of str
        Names of the concepts. Where two would be the same, the later one gets a number.

    Examples
    --------
    >>> from logiclens.concepts import Above, OneOf
    >>> from logiclens.logic import Var
    >>> words = Vocabulary(("age", "sex"), (Above("age", 30), Above("age", 62), OneOf("sex", ("male",))))
    >>> words.names
    ('age > 30', 'age > 62', 'sex = male')
    >>> rule = ~Var("age > 62") & Var("sex = male")
    >>> print(words.format(rule), "--", words.to_sentence(rule))
    age(x) <= 62 & sex(x) = male -- age is at most 62 and sex is male
    >>> print(words.to_sql(rule))
    ("age" > 62) IS NOT TRUE AND ("sex" = 'male') IS TRUE
    >>> words.read({"age": [70, 40], "sex": ["male", "male"]}).column("age > 62")
    array([ True, False])
    """

    columns: tuple[str, ...]
    concepts: tuple[Concept, ...]
    named: bool = True
    optional: frozenset[str] = frozenset()
    dates: tuple[DatePart, ...] = ()
    values: tuple[tuple[str, tuple[Value, ...]], ...] = field(default=(), compare=False)
    names: tuple[str, ...] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", check_names(self.columns))
        if not isinstance(self.named, bool | np.bool_):
            raise InputError(f"named must be True or False. Got {shown(self.named)}.")
        object.__setattr__(self, "named", bool(self.named))
        if not isinstance(self.dates, Iterable) or not all(isinstance(each, DatePart) for each in self.dates):
            raise InputError(f"dates must be a sequence of DateParts. Got {shown(self.dates)}.")
        object.__setattr__(self, "dates", tuple(self.dates))
        if not isinstance(self.values, Iterable):
            raise InputError(f"values must be pairs of a column and its values. Got {shown(self.values)}.")
        for name in (*(part.column for part in self.dates), *(name for name, _ in self.values)):
            if name not in self.columns:
                raise UnknownColumnError(name, self.columns)
        known = ((name, OneOf(name, tuple(some)).values) for name, some in self.values)
        ordered = (
            (name, sorted(some, key=lambda value: (isinstance(value, str), value))) for name, some in known
        )
        object.__setattr__(self, "values", tuple((name, tuple(some)) for name, some in ordered))
        concepts = tuple(self.concepts) if isinstance(self.concepts, Iterable) else (self.concepts,)
        for concept in concepts:
            if not isinstance(concept, Concept):
                raise InputError(f"A vocabulary is made of concepts such as Above. Got {shown(concept)}.")
            if concept.column not in self.inputs:
                raise UnknownColumnError(concept.column, self.inputs)
        object.__setattr__(self, "concepts", concepts)
        object.__setattr__(self, "names", _distinct([concept.name for concept in concepts]))
        object.__setattr__(self, "optional", self._with_gaps() | _columns_among(self.optional, self.inputs))

    @cached_property
    def parts(self) -> Mapping[str, DatePart]:
        """Parts of dates by their names."""
        return {part.name: part for part in self.dates}

    @property
    def inputs(self) -> tuple[str, ...]:
        """What concepts may be about: the columns, and parts of dates."""
        return tuple(dict.fromkeys((*self.columns, *self.parts)))

    @cached_property
    def _by_name(self) -> dict[str, Concept]:
        return dict(zip(self.names, self.concepts, strict=True))

    def _with_gaps(self) -> frozenset[str]:
        """Columns with a concept that is true of missing values."""
        return frozenset(
            concept.column
            for concept in self.concepts
            if isinstance(concept, Missing) or concept.condition().or_missing
        )

    @cached_property
    def types(self) -> Mapping[str, ValueType]:
        """Type of each column, so that its concepts can compare the values.

        A column of codes is text to them even where a file holds none but numbers.
        """
        found = {column: self._type(column) for column in self.columns}
        return {column: kind for column, kind in found.items() if kind is not None}

    def _type(self, column: str) -> ValueType | None:
        if any(part.column == column for part in self.dates):
            return ValueType.TEXT
        mine = [concept for concept in self.concepts if concept.column == column]
        if any(isinstance(concept, Flag) for concept in mine):
            return ValueType.FLAG
        kinds = {isinstance(value, str) for concept in mine for value in concept.condition().values}
        if len(kinds) == 2:
            return ValueType.MIXED
        return (ValueType.TEXT if kinds == {True} else ValueType.NUMBER) if kinds else None

    @cached_property
    def gaps(self) -> Mapping[str, tuple[Value, ...]]:
        """Values that mean that there is none, by column; columns without such values are not in it."""
        found = {concept.column: concept.gaps for concept in self.concepts if concept.gaps}
        return found | {part.column: part.gaps for part in self.dates if part.gaps}

    def __getitem__(self, name: str) -> Concept:
        try:
            return self._by_name[name]
        except (KeyError, TypeError):
            raise UnknownConceptError(check_name(name), self.names) from None

    def used_columns(self, names: Iterable[str]) -> tuple[str, ...]:
        """Columns that some concepts are read from, in the order of the table."""
        used = {self.source(self[name].column) for name in _listed(names)}
        return tuple(column for column in self.columns if column in used)

    def used_inputs(self, names: Iterable[str]) -> tuple[str, ...]:
        """Columns, and parts of dates, that some concepts are about."""
        used = {self[name].column for name in _listed(names)}
        return tuple(name for name in self.inputs if name in used)

    def source(self, name: str) -> str:
        """The column that something concepts are about is read from."""
        return self.parts[name].column if name in self.parts else name

    def cells(self, name: str, read: Callable[[str], Column]) -> Column:
        """The values of what concepts are about, by a function that reads columns."""
        column = read(self.source(name))
        return self.parts[name].of(column) if name in self.parts else column

    # Reading

    def encode(self, table: Any, names: Sequence[str] | None = None) -> dict[str, BoolArray]:
        """Truth of concepts on each row of a raw table, by name.

        Parameters
        ----------
        table : Table, or data of which one can be made
            Columns are found by name where it carries names, else by place.
        names : sequence of str, optional
            The concepts; all of them when missing.
        """
        chosen = self.names if names is None else tuple(_listed(names))
        read = Table(table)
        places = self.places(read.names, named=read.named, labelled=read.labelled)
        if places is None:
            raise InputError(
                f"The table has {count(len(read.names), 'column')}; "
                f"{len(self.columns)} were there when the concepts were made. "
                "Pass the same columns in the same order, or a data frame with names."
            )
        read.check_has(places[column] for column in self.used_columns(chosen))
        cells = {
            name: self.cells(name, lambda column: read.column(places[column]))
            for name in self.used_inputs(chosen)
        }
        return {name: self[name].truth(cells[self[name].column]) for name in chosen}

    def places(
        self, names: Sequence[str], *, named: bool = True, labelled: bool = True
    ) -> dict[str, str] | None:
        """The name of each column in a table: found by name or else by place; None where neither can be.

        Parameters
        ----------
        names : sequence of str
            Columns of the table.
        named, labelled : bool, default True
            As :class:`Table` has them.
        """
        if (named and self.named) or (labelled and set(self.columns) <= set(names)):
            return {column: column for column in self.columns}
        return dict(zip(self.columns, names, strict=True)) if len(names) == len(self.columns) else None

    def unseen(self, name: str, column: Column) -> list[Value]:
        """The values of a column that it did not have when the concepts were made, where that is known.

        Examples
        --------
        >>> from logiclens.concepts import OneOf
        >>> words = Vocabulary(("sex",), (OneOf("sex", ("male",)),), values=(("sex", ("female", "male")),))
        >>> words.unseen("sex", Table({"sex": ["male", "unknown", None]}).column("sex"))
        ['unknown']
        """
        known = dict(self.values).get(name)
        if known is None:
            return []
        known_or_gap = {*known, *self.gaps.get(name, ())}
        return [value for value in column.levels if value not in known_or_gap]

    def with_parts(self, data: Any) -> Any:
        """The data with the parts of dates in place of the dates, for those who read numbers and text."""
        if not self.dates:
            return data
        table = Table(data)
        parts: dict[str, list[Column]] = {}
        places = self.places(table.names, named=table.named, labelled=table.labelled) or {}
        for part in self.dates:
            column = table.column(places.get(part.column, part.column))
            parts.setdefault(column.name, []).append(part.of(column))
        return table.replaced(parts)

    def finds_by_name(self, table: Table) -> bool:
        """True where columns are found by name in a table, not by place."""
        return (table.named and self.named) or (
            table.labelled and all(column in table for column in self.columns)
        )

    def read(self, data: Any, names: Sequence[str] | None = None) -> ConceptData:
        """Rows of the raw table as concepts.

        Parameters
        ----------
        data : data frame, mapping or array, n rows
            The raw columns. A frame or mapping that has the concepts themselves as its columns is read as it
            is.
        names : sequence of str, optional
            The concepts that are needed; all of them when missing. Columns of no other are looked at.
        """
        table = Table(data)
        wanted = self.names if names is None else tuple(_listed(names))
        raw = all(column in table for column in self.used_columns(wanted))
        if table.named and not raw and all(name in table for name in wanted):
            return ConceptData(data)
        encoded = self.encode(table, wanted)
        return ConceptData(encoded) if encoded else ConceptData(np.zeros((table.n_rows, 0)))

    def missing_columns(self, data: Any, names: Iterable[str]) -> frozenset[str]:
        """What some concepts are about, columns and parts of dates, where some of the rows have no value.

        Examples
        --------
        >>> from logiclens.concepts import Above
        >>> words = Vocabulary(("age",), (Above("age", 62),))
        >>> sorted(words.missing_columns({"age": [None]}, words.names))
        ['age']
        """
        found = self.raw_columns(data, names)
        return frozenset(
            name
            for name in self.used_inputs(names)
            if self.source(name) in found and found[self.source(name)].missing.any()
        )

    def raw_columns(self, data: Any, names: Iterable[str]) -> dict[str, Column]:
        """The columns of some concepts that the data have, dates as days; gaps are missing."""
        table = Table(data)
        places = self.places(table.names, named=table.named, labelled=table.labelled) or {}
        found = {}
        for name in self.used_columns(names):
            if places.get(name) in table:
                column = table.column(places[name]).without(self.gaps.get(name, ()))
                part = next((part for part in self.dates if part.column == name), None)
                dates = (
                    column
                    if part is None
                    else Column(name, Kind.DATE, part.of(column).missing, days_of(column))
                )
                found[name] = dates
        return found

    def expecting_gaps(self, columns: Iterable[str]) -> Vocabulary:
        """The same, where values of some more columns, or parts of dates, may be missing.

        What is true of a gap then says so.
        """
        return replace(self, optional=self.optional | frozenset(columns))

    # What excludes what

    def groups(self, names: Iterable[str]) -> tuple[ConceptGroup, ...]:
        """Some concepts by column, with the combinations of their truth that can be.

        Concepts about parts of the same date are of one column.

        Examples
        --------
        >>> from logiclens.concepts import Above
        >>> words = Vocabulary(("age",), (Above("age", 30), Above("age", 62)))
        >>> words.groups(words.names)[0].states.astype(int).tolist()
        [[0, 0], [1, 0], [1, 1]]
        """
        wanted = {name for name in _listed(names) if self[name]}  # an unknown one raises
        chosen = [name for name in self.names if name in wanted]
        return tuple(self._group(column, chosen) for column in self.used_columns(chosen))

    def _group(self, column: str, chosen: Sequence[str]) -> ConceptGroup:
        names = tuple(name for name in chosen if self.source(self[name].column) == column)
        probe, rows = self.probe(column, names)
        states, place = np.unique(rows, axis=0, return_inverse=True)
        by_value = np.isin(np.arange(len(states)), place.reshape(-1)[~probe.missing])
        return ConceptGroup(column, names, states, by_value)

    def probe(
        self, column: str, names: Sequence[str], more: Mapping[str, Sequence[Value]] | None = None
    ) -> tuple[Column, BoolArray]:
        """Values of a column that give every combination of truth of some of its concepts, and that truth.

        Parameters
        ----------
        column : str
            A column of the raw table.
        names : sequence of str, length k
            Concepts that are read from it.
        more : mapping of str to sequence of values, optional
            Values that are to be among them, or whose neighborhood is; a date has a sequence for the days, as
            YYYY-MM-DD, and for each of its parts.

        Returns
        -------
        Column, of n values
            No value is among them where it is known that some are missing.
        ndarray of bool, shape (n, k)
        """
        concepts, more = [self[name] for name in names], more or {}
        absent = any(name in self.optional for name in {column, *(concept.column for concept in concepts)})
        if any(part.column == column for part in self.dates):
            compared = [(self.parts[each.column], each.condition().values) for each in concepts]
            compared += [(self.parts[name], tuple(told)) for name, told in more.items() if name != column]
            days = representative_days(compared, map(str, more.get(column, ())))
            raw = np.concatenate([np.full(int(absent), np.datetime64("NaT", "D")), days])
            probe = Column(column, Kind.DATE, np.isnat(raw), raw)
        else:
            values = representative_values(concepts, more.get(column, ()))
            probe = Table({column: [*([None] * absent), *values]}).column(column)
        cells = {name: self.cells(name, lambda _: probe) for name in self.used_inputs(names)}
        return probe, np.column_stack([each.truth(cells[each.column]) for each in concepts])

    def given(self, names: Iterable[str]) -> tuple[Formula, ...]:
        """Constraints among some concepts: for each column, one of its states holds.

        To be passed as ``given`` to :func:`logiclens.logic.equivalent` and the others.
        """
        found = []
        for group in self.groups(names):
            if len(group.states) < 1 << len(group.names):
                states = (as_term(group.names, state) for state in group.states)
                found.append(Or.of(states))
        return tuple(found)

    def possible(self, tuples: BoolArray, names: Sequence[str]) -> BoolArray:
        """Mark the tuples of concepts, (n, k), that some row of a raw table can have, shape (n,)."""
        found = np.ones(len(tuples), dtype=np.bool_)
        for group in self.groups(names):
            powers = 1 << np.arange(len(group.names), dtype=object if len(group.names) > 62 else np.int64)
            mine = tuples[:, [list(names).index(name) for name in group.names]] @ powers
            found &= np.isin(mine, group.states @ powers)
        return found

    def simplify(self, formula: Formula) -> Formula:
        """The shortest formula that says the same of every row a raw table can have.

        Tuples of concepts that no row has are don't-cares. Where the concepts have very many combinations,
        literals that follow from the rest of their term are dropped, and no more.

        Examples
        --------
        >>> from logiclens.concepts import Above
        >>> from logiclens.logic import Var
        >>> words = Vocabulary(("age",), (Above("age", 30), Above("age", 62)))
        >>> words.simplify(Var("age > 30") & Var("age > 62"))
        Var('age > 62')
        """
        check_formula(formula, "simplify")
        groups = self.groups(formula.concepts)
        if not groups:
            return formula
        if prod(len(group.states) for group in groups) <= _MOST_TUPLES:
            tuples, names = every_combination(groups)
            table = TruthTable.from_data(tuples, formula.evaluate(tuples, names), names=names)
            short = minimize(table).formula
            return short if short.literals < formula.literals else formula
        terms = to_dnf(formula)
        kept = [without_implied(term, groups) for term in (terms.args if isinstance(terms, Or) else (terms,))]
        short = Or.of([term for term in dict.fromkeys(kept) if term != FALSE])
        return short if short.literals < formula.literals else formula

    # Writing

    def condition(self, name: str, positive: bool) -> Condition:
        """The condition that a literal is; of missing values only where some are known to be missing."""
        condition = self._exact(name, positive)
        if self[name].column in self.optional or not condition.or_missing:
            return condition
        return replace(condition, or_missing=False)

    def _exact(self, name: str, positive: bool) -> Condition:
        condition = self[name].condition()
        return condition if positive else condition.negated()

    def conditions(self, term: Mapping[str, bool]) -> tuple[Condition, ...]:
        """The conditions of literals that hold together, without what need not be said twice."""
        return tuple(
            join_conditions({name: self.condition(name, value) for name, value in term.items()}).values()
        )

    def written(self, formula: Formula, style: str) -> tuple[Formula, Callable[[str, bool], str]]:
        """A formula as it is written in a style, and how its literals are."""
        notation_named(style)  # an unknown one raises
        short, says = merge_conditions(formula, self.condition)
        if style == "plain":
            return short, lambda name, positive: self._in_plain(says(name, positive))
        return short, lambda name, positive: in_logic(says(name, positive), style)

    def _in_plain(self, condition: Condition) -> str:
        return _in_plain(condition, self._mixed(condition))

    def _mixed(self, condition: Condition) -> bool:
        return self.types.get(condition.column) is ValueType.MIXED

    def in_english(self, condition: Condition, were: bool = False) -> str:
        """A condition on a column in plain English; see :func:`in_english`."""
        return in_english(condition, were, self._mixed(condition))

    def gap_in_english(self, literals: Mapping[str, bool]) -> str:
        """Literals about one column that are true of a missing value, said of one in plain English.

        Examples
        --------
        >>> from logiclens.concepts import Above
        >>> words = Vocabulary(("age",), (Above("age", 30), Above("age", 62)))
        >>> print(words.gap_in_english({"age > 62": False}))
        age is not above 62 (missing)
        >>> print(words.gap_in_english({"age > 30": False, "age > 62": False}))
        age is missing
        """
        first, *others = (self._exact(name, positive) for name, positive in literals.items())
        if others or first.relation not in _ENGLISH_OF_A_GAP:
            return self.in_english(Condition(first.column, Relation.MISSING))
        return in_english(replace(first, or_missing=False), mixed=self._mixed(first), gap=True)

    def format(self, formula: Formula, style: str = "ascii") -> str:
        """A formula with conditions on the columns for concepts, on one line."""
        check_writable(formula)
        short, literal = self.written(formula, style)
        return replace(notation_named(style), literal=literal, phrases=True).write(short)

    def to_sentence(self, formula: Formula) -> str:
        """A formula in plain English; see :func:`logiclens.logic.to_sentence`."""
        check_writable(formula)
        short, says = merge_conditions(formula, self.condition)
        return write_sentence(
            short, lambda name, positive: self.in_english(says(name, positive)), phrases=True
        )

    def to_sql(self, formula: Formula, dialect: str = "ansi", *, indent: int | None = None) -> str:
        """A formula as a Boolean SQL expression over the raw columns; see :func:`logiclens.logic.to_sql`.

        NULL is a missing value; in DuckDB, PostgreSQL and Spark so is NaN in columns of numbers. The
        expression is true exactly of the rows on which the formula is true.
        """
        rules = dialect_named(dialect)
        check_writable(formula, rules.deepest)

        def literal(name: str, positive: bool) -> str:
            column = self[name].column
            return in_sql(self._exact(name, positive), rules, column in self._numeric, self.parts.get(column))

        return write_sql(formula, rules, literal, self.used_columns(formula.concepts), indent=indent)

    @cached_property
    def _numeric(self) -> frozenset[str]:
        """Columns that hold numbers, those of yes and no among them."""
        flags = {each.column for each in self.concepts if isinstance(each, Flag) and each.numeric}
        return frozenset(flags | {name for name, kind in self.types.items() if kind is ValueType.NUMBER})

    def to_python(self, formula: Formula, name: str = "rule") -> str:
        """Source of a Python function of a row of the raw table; see :func:`logiclens.logic.to_python`.

        Any value may be missing, None or NaN: the function is true of the rows of which the formula is.
        """
        check_function_name(name)
        source = write_python(formula, name, self.python_literal)
        return self.with_gaps(source, formula.concepts)

    def python_literal(self, name: str, positive: bool) -> str:
        """A literal as an expression of Python, after the lines that :meth:`with_gaps` adds."""
        return in_python(self._exact(name, positive))

    def with_gaps(self, source: str, names: Iterable[str]) -> str:
        """Source of a function of ``row``, with lines first that make every missing value NaN.

        Parameters
        ----------
        source : str
            A function whose literals :meth:`python_literal` wrote.
        names : iterable of str
            The concepts that it is about.
        """
        head, _, body = source.partition("\n")
        inputs = self.used_inputs(names)
        if not inputs:
            return source
        lines = []
        for name in inputs:
            part, gaps = self.parts.get(name), self.gaps.get(name, ())
            cell = _or_nan(name, gaps) if part is None else part.in_python()
            lines.append(f"        {name!r}: {cell},\n")
        if {*inputs} & {*self.parts}:
            if head.startswith(("def day(", "def date(", "def WEEKDAYS(")):
                raise InputError(
                    "A function cannot be called day, date or WEEKDAYS: it reads dates by these."
                )
            head = f"{DAY_OF_PYTHON}{head}"
        nan = "    nan = 1e999 - 1e999  # a missing value: no comparison is true of it\n"
        return f"{head}\n{nan}    row = {{\n{''.join(lines)}    }}\n{body}"

    # Keeping

    def to_saved(self) -> dict[str, Any]:
        """Return the vocabulary as an object of JSON."""
        saved = {
            "columns": list(self.columns),
            "named": self.named,
            "concepts": [_to_saved(concept) for concept in self.concepts],
            "optional": [name for name in self.inputs if name in self.optional],
        }
        if self.dates:
            saved["dates"] = [part.to_saved() for part in self.dates]
        if self.values:
            saved["values"] = [[name, [*some]] for name, some in self.values]
        carried: dict[str, Any] = json.loads(json.dumps(saved))
        if Vocabulary.from_saved(carried) != self:
            raise InputError(
                "JSON cannot carry this vocabulary: a text in it holds a split surrogate pair. Replace it."
            )
        return carried

    @classmethod
    def from_saved(cls, saved: Any) -> Vocabulary:
        """Inverse of :meth:`to_saved`; no code is run."""
        if not isinstance(saved, dict) or set(saved) - {"optional", "dates", "values"} != {
            "columns",
            "named",
            "concepts",
        }:
            raise InputError(
                f'A vocabulary must have the entries "columns", "named" and "concepts". Got {shown(saved)}.'
            )
        saved = {"optional": [], "dates": [], "values": [], **saved}  # texts of earlier versions lack these
        for entry in ("columns", "concepts", "optional", "dates", "values"):
            if not isinstance(saved[entry], list):
                raise InputError(f'"{entry}" must be a list. Got {shown(saved[entry])}.')
        if type(saved["named"]) is not bool:
            raise InputError(f'"named" must be true or false. Got {shown(saved["named"])}.')
        concepts = tuple(map(_concept_from_saved, saved["concepts"]))
        dates = tuple(map(DatePart.from_saved, saved["dates"]))
        for pair in saved["values"]:
            if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[1], list):
                raise InputError(f'"values" must be pairs of a column and its values. Got {shown(pair)}.')
        values = tuple((name, tuple(some)) for name, some in saved["values"])
        return cls(tuple(saved["columns"]), concepts, saved["named"], saved["optional"], dates, values)


def _or_nan(column: str, gaps: Sequence[Value]) -> str:
    """An expression of Python for the value of a column in ``row``; NaN where it is missing."""
    cell = f"row[{column!r}]"
    among = ", ".join(["None", *(repr(gap) if isinstance(gap, str) else value_text(gap) for gap in gaps)])
    return f"nan if {cell} {f'in ({among})' if gaps else 'is None'} else {cell}"


def _columns_among(names: Any, columns: tuple[str, ...]) -> frozenset[str]:
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InputError(f"optional must be a sequence of columns. Got {shown(names)}; write ['age'].")
    chosen = [*names]
    for name in chosen:
        if check_name(name) not in columns:
            raise UnknownColumnError(name, columns)
    return frozenset(chosen)


def _to_saved(concept: Concept) -> dict[str, Any]:
    saved = {"kind": concept.kind, **asdict(concept)}
    return saved if concept.gaps else {name: value for name, value in saved.items() if name != "gaps"}


def _concept_from_saved(saved: Any) -> Concept:
    if not isinstance(saved, Mapping) or str(saved.get("kind")) not in KINDS:
        raise InputError(f"A concept must be an object with a known kind. Got {shown(saved)}.")
    kind = KINDS[saved["kind"]]
    expected = {entry.name for entry in fields(kind)} - ({"gaps"} - {*saved})  # mostly there are none
    if set(saved) != expected | {"kind"}:
        raise InputError(
            f"A concept of the kind {kind.kind!r} must have the entries {listing(sorted(expected))}. "
            f"Got {shown(saved)}."
        )
    return kind(**{entry: saved[entry] for entry in expected})


def _listed(names: Iterable[str]) -> Iterable[str]:
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InputError(f"names must be a sequence of concepts. Got {shown(names)}; write ['age > 62'].")
    return names


def _distinct(names: list[str]) -> tuple[str, ...]:
    """Names of which those that occurred before get a number that makes them new."""
    taken = set(names)
    found: dict[str, None] = {}
    for name in names:
        numbered = (f"{name} ({number})" for number in numbers_from(2))
        new = next(each for each in numbered if each not in taken) if name in found else name
        taken.add(new)
        found[new] = None
    return tuple(found)


def _in_words(
    condition: Condition,
    forms: Mapping[Relation, str],
    of_several: Mapping[Relation, str],
    column: str,
    values: Sequence[str],
    **words: str,
) -> str:
    """A condition in the form of its relation, or in that for several values.

    In a form, ``{x}`` is the column, ``{0}`` and ``{1}`` are values, and ``{all}`` is a list of them.
    """
    form = forms[condition.relation]
    if len(values) > 1:
        form = of_several.get(condition.relation, form)
    return form.format(*values, x=column, all=", ".join(values), **words)


_ABOUT_GAPS = (Relation.MISSING, Relation.PRESENT)

_LOGIC = {
    Relation.MISSING: "{missing}({x})",
    Relation.PRESENT: "{negation}{missing}({x})",
    Relation.HOLDS: "{x}",
    Relation.FAILS: "{negation}{x}",
    Relation.ABOVE: "{x} > {0}",
    Relation.AT_MOST: "{x} {at_most} {0}",
    Relation.BETWEEN: "{0} < {x} {at_most} {1}",
    Relation.OUTSIDE: "{x} {at_most} {0} {either} {x} > {1}",
    Relation.IS: "{x} = {0}",
    Relation.IS_NOT: "{x} {unequal} {0}",
}
_LOGIC_OF_SEVERAL = {
    Relation.IS: "{x} {within} {opening}{all}{closing}",
    Relation.IS_NOT: "{x} {without} {opening}{all}{closing}",
}
_ASCII = {"at_most": "<=", "unequal": "!=", "within": "in", "without": "not in", "negation": "~"}
_ASCII |= {"either": "|", "opening": "{", "closing": "}", "missing": "missing"}
_UNICODE = {"at_most": "≤", "unequal": "≠", "within": "∈", "without": "∉", "negation": "¬", "either": "∨"}
_LATEX = {"at_most": r"\le", "unequal": r"\ne", "within": r"\in", "without": r"\notin"}
_PLAIN = _ASCII | {"negation": "not ", "either": "or"}
_LATEX |= {"negation": r"\lnot ", "either": r"\lor", "opening": r"\{", "closing": r"\}"}
_SPELLINGS = {
    "ascii": _ASCII,
    "unicode": _ASCII | _UNICODE,
    "latex": _LATEX | {"missing": r"\mathit{missing}"},
    "plain": _PLAIN,
}
"""Signs in each style of First-Order Logic, and in plain words."""
_IN_PLAIN = _LOGIC | {Relation.MISSING: "{x} is missing", Relation.PRESENT: "{x} is known"}


def _quoted(text: str) -> str:
    return text if is_plain(text) else f'"{escape(text, chr(34))}"'


def in_logic(condition: Condition, style: str = "ascii") -> str:
    r"""A condition as a literal of First-Order Logic, the column a function of x; or in the style "plain".

    Parameters
    ----------
    condition : Condition
    style : {"ascii", "unicode", "latex", "plain"}, default "ascii"

    Examples
    --------
    >>> print(in_logic(Condition("age", Relation.AT_MOST, (62.0,))))
    age(x) <= 62
    >>> print(in_logic(Condition("bill colour", Relation.IS_NOT, ("red",), or_missing=True), "unicode"))
    ("bill colour"(x) ≠ red ∨ missing("bill colour"(x)))
    >>> print(in_logic(Condition("bill colour", Relation.IS_NOT, ("red",), or_missing=True), "plain"))
    (bill colour != red or missing)
    """
    if style == "plain":
        return _in_plain(condition)
    signs, name = _SPELLINGS[style], latex_name if style == "latex" else _quoted
    column = f"{name(condition.column)}(x)"
    values = [name(value) if isinstance(value, str) else value_text(value) for value in condition.values]
    text = _in_words(condition, _LOGIC, _LOGIC_OF_SEVERAL, column, values, **signs)
    if condition.relation in _ABOUT_GAPS:
        return text
    if condition.or_missing:
        return f"({text} {signs['either']} {signs['missing']}({column}))"
    return f"({text})" if condition.relation is Relation.OUTSIDE else text


def _in_plain(condition: Condition, mixed: bool = False) -> str:
    """A condition as people write it; text that looks like a number is marked in a mixed column."""
    column = plain_name(condition.column)
    values = [_value_in_words(value, mixed) for value in condition.values]
    text = _in_words(condition, _IN_PLAIN, _LOGIC_OF_SEVERAL, column, values, **_PLAIN)
    if condition.relation in _ABOUT_GAPS:
        return text
    if condition.or_missing:
        return f"({text} or missing)"
    return f"({text})" if condition.relation is Relation.OUTSIDE else text


_LIKE_A_NUMBER = re.compile(r"\s*[-+]?[\d.]")


def _value_in_words(value: Value, mixed: bool, misread: re.Pattern[str] | None = None) -> str:
    if not isinstance(value, str):
        return value_text(value)
    bare = plain_name(value) if misread is None else plain_name(value, misread)
    marked = mixed and bare == value and _LIKE_A_NUMBER.match(value)
    return f"{OPENING}{escape(value)}{CLOSING}" if marked else bare


_ENGLISH = {
    Relation.MISSING: "{x} {verb} missing",
    Relation.PRESENT: "{x} {verb} known",
    Relation.HOLDS: "{x}",
    Relation.FAILS: "not {x}",
    Relation.ABOVE: "{x} {verb} above {0}",
    Relation.AT_MOST: "{x} {verb} at most {0}",
    Relation.BETWEEN: "{x} {verb} above {0} and at most {1}",
    Relation.OUTSIDE: "{x} {verb} at most {0} or above {1}",
    Relation.IS: "{x} {verb} {0}",
    Relation.IS_NOT: "{x} {verb} not {0}",
}
_ENGLISH_OF_SEVERAL = {
    Relation.IS: "{x} {verb} either {all_but_last} or {last}",
    Relation.IS_NOT: "{x} {verb} neither {all_but_last} nor {last}",
}
_ENGLISH_OF_A_GAP = {
    Relation.FAILS: "not {x}",
    Relation.ABOVE: "{x} {verb} not at most {0}",
    Relation.AT_MOST: "{x} {verb} not above {0}",
    Relation.IS_NOT: "{x} {verb} not {0}",
}
"""What holds of a value that is missing since its opposite does not."""
_IF_IT_WERE = _ENGLISH | {Relation.HOLDS: "{x} were true", Relation.FAILS: "{x} were false"}


def in_english(condition: Condition, were: bool = False, mixed: bool = False, gap: bool = False) -> str:
    """A condition in plain English.

    Parameters
    ----------
    condition : Condition
    were : bool, default False
        Whether it is said of what is not so: "age were at most 62", as after "if".
    mixed : bool, default False
        Whether the column holds numbers and text, so that text like a number is marked.
    gap : bool, default False
        Whether it is said of a value that is missing: "age is not above 62 (missing)".

    Examples
    --------
    >>> print(in_english(Condition("age", Relation.BETWEEN, (30, 62))))
    age is above 30 and at most 62
    >>> print(in_english(Condition("colour", Relation.IS, ("red", "blue"), or_missing=True)))
    (colour is either red or blue or missing)
    >>> print(in_english(Condition("colour", Relation.IS_NOT, ("red", "blue"))))
    colour is neither red nor blue
    """
    column = plain_name(condition.column, SAID)
    values = [_value_in_words(value, mixed, SAID) for value in condition.values]
    forms, verb = (_IF_IT_WERE, "were") if were else (_ENGLISH, "is")
    if gap:
        forms = forms | _ENGLISH_OF_A_GAP
    ends = {"all_but_last": ", ".join(values[:-1]), "last": "".join(values[-1:])}
    text = _in_words(condition, forms, _ENGLISH_OF_SEVERAL, column, values, verb=verb, **ends)
    if condition.relation in _ABOUT_GAPS:
        return text
    if gap:
        return f"{text} (missing)"
    if condition.or_missing:
        return f"({text} or missing)"
    several = condition.relation is Relation.IS and len(values) > 1
    # "red or blue and large" could be read in two ways
    return f"({text})" if several or condition.relation is Relation.OUTSIDE else text


def in_sql(
    condition: Condition, dialect: Dialect, numeric: bool = False, part: DatePart | None = None
) -> str:
    """A condition as an SQL expression that is true or false on every row, never NULL.

    Parameters
    ----------
    condition : Condition
    dialect : Dialect
    numeric : bool, default False
        Whether the column holds numbers, also one of yes and no. Then NaN counts as missing where a database
        takes it for greater than any number.
    part : DatePart, optional
        The part of a date that the condition is about.

    Examples
    --------
    >>> from logiclens.logic.sql import dialect_named
    >>> print(in_sql(Condition("age", Relation.AT_MOST, (62.0,), or_missing=True), dialect_named("duckdb")))
    ("age" > 62) IS NOT TRUE
    >>> print(in_sql(Condition("age", Relation.ABOVE, (62.0,), gaps=(999,)), dialect_named("duckdb")))
    (NULLIF("age", 999) > 62) IS TRUE
    >>> print(in_sql(Condition("age", Relation.ABOVE, (62.0,)), dialect_named("duckdb"), numeric=True))
    (NULLIF("age", CAST('NaN' AS DOUBLE)) > 62) IS TRUE
    """
    if condition.relation in _NEGATIVE:  # written as what it denies, which decides what becomes of NULL
        positive, truth = condition.negated(), False
    else:
        positive, truth = condition, True
    if part is None:
        values, gaps = (
            [sql_text(v, dialect) if isinstance(v, str) else _sql_number(v, dialect) for v in some]
            for some in (positive.values, positive.decisive_gaps)
        )
        if numeric and dialect.nan and positive.is_decisive(np.inf):
            gaps.append(dialect.nan)
        column = dialect.quote(positive.column)
        for gap in gaps:
            column = f"NULLIF({column}, {gap})"
    else:
        column, values = part.in_sql(dialect, positive.values)
    match positive.relation:
        case Relation.MISSING:
            return f"{column} IS NULL" if truth else f"{column} IS NOT NULL"
        case Relation.HOLDS:
            test = f"({column} > {sql_number(THRESHOLD, dialect)})" if numeric else column
        case Relation.ABOVE:
            test = f"({column} > {values[0]})"
        case Relation.BETWEEN:
            test = f"({column} > {values[0]} AND {column} <= {values[1]})"
        case _:
            test = f"({column} = {values[0]})" if len(values) == 1 else f"({column} IN ({', '.join(values)}))"
    if positive.or_missing:
        return f"{test} IS NOT {dialect.false}" if truth else f"{test} IS {dialect.false}"
    return f"{test} IS {dialect.true}" if truth else f"{test} IS NOT {dialect.true}"


def _sql_number(value: float, dialect: Dialect) -> str:
    """Number as a literal; an exponent keeps DuckDB from rounding it to a column of single precision."""
    if isinstance(value, int):
        return value_text(value)
    if abs(value) >= _HUGE or float(np.float32(value)) == value:
        return sql_number(value, dialect, value_text(value) if value.is_integer() else "")
    text = value_text(value)
    return sql_number(value, dialect, text if "e" in text else f"{text}e0")


_HUGE = float(np.finfo(np.float32).max)
_NEGATIVE = (Relation.FAILS, Relation.AT_MOST, Relation.OUTSIDE, Relation.IS_NOT, Relation.PRESENT)


_PYTHON = {
    Relation.MISSING: "{x} != {x}",
    Relation.PRESENT: "{x} == {x}",
    Relation.HOLDS: f"{{x}} > {THRESHOLD}",
    Relation.FAILS: f"{{x}} <= {THRESHOLD}",
    Relation.ABOVE: "{x} > {0}",
    Relation.AT_MOST: "{x} <= {0}",
    Relation.BETWEEN: "{0} < {x} <= {1}",
    Relation.OUTSIDE: "({x} <= {0} or {x} > {1})",
    Relation.IS: "{x} == {0}",
    Relation.IS_NOT: "{x} != {0}",
}
_PYTHON_OF_SEVERAL = {Relation.IS: "{x} in ({all})", Relation.IS_NOT: "{x} not in ({all})"}


def in_python(condition: Condition) -> str:
    """A condition as an expression of Python on ``row``, a mapping from columns to plain values.

    A missing value is NaN there, of which no comparison is true, and its denial is.

    Examples
    --------
    >>> print(in_python(Condition("age", Relation.ABOVE, (62.0,))))
    row['age'] > 62
    >>> print(in_python(Condition("age", Relation.AT_MOST, (62.0,), or_missing=True)))
    not row['age'] > 62
    >>> print(in_python(Condition("ward", Relation.IS_NOT, ("ICU",), or_missing=True)))
    row['ward'] != 'ICU'
    """
    cell = f"row[{condition.column!r}]"
    values = [repr(v) if isinstance(v, str) else value_text(v) for v in condition.values]

    def said(relation: Relation) -> str:
        return _in_words(replace(condition, relation=relation), _PYTHON, _PYTHON_OF_SEVERAL, cell, values)

    relation, text = condition.relation, said(condition.relation)
    if relation in _ABOUT_GAPS or condition.or_missing is (relation is Relation.IS_NOT):
        return text
    if relation is Relation.IS:
        return f"({cell} != {cell} or {text})"
    if relation is Relation.IS_NOT:
        return f"({cell} == {cell} and {text})"
    return f"not {said(relation.opposite)}" if condition.or_missing else text


def join_conditions(conditions: Mapping[str, Condition]) -> dict[str, Condition]:
    """Conditions that hold together, without what need not be said twice.

    Where one of them takes a value for granted, none of the same column speaks of missing ones, and that the
    value is known goes without saying. A lower and an upper end make an interval.

    Examples
    --------
    >>> low = Condition("age", Relation.AT_MOST, (17,), or_missing=True)
    >>> present, above = Condition("age", Relation.PRESENT), Condition("age", Relation.ABOVE, (5,))
    >>> [in_english(each) for each in join_conditions({"a": low, "b": present}).values()]
    ['age is at most 17']
    >>> [in_logic(each) for each in join_conditions({"a": low, "b": above}).values()]
    ['5 < age(x) <= 17']
    """
    known = {condition.column for condition in conditions.values() if not condition.or_missing}
    others = (Relation.PRESENT, Relation.MISSING)
    compared = {condition.column for condition in conditions.values() if condition.relation not in others}
    short = {
        name: replace(condition, or_missing=False)
        if condition.column in known and condition.relation is not Relation.MISSING
        else condition
        for name, condition in conditions.items()
        if condition.relation is not Relation.PRESENT or condition.column not in compared
    }
    for column in compared:
        _join_ends(short, column)
    return short


def _join_ends(conditions: dict[str, Condition], column: str) -> None:
    """Put an interval in place of a lower and an upper end of a column, where there is one of each."""
    mine = [(name, each) for name, each in conditions.items() if each.column == column]
    lows = [(name, each) for name, each in mine if each.relation is Relation.ABOVE]
    highs = [(name, each) for name, each in mine if each.relation is Relation.AT_MOST]
    if len(lows) != 1 or len(highs) != 1:
        return
    (low_name, low), (high_name, high) = lows[0], highs[0]
    if low.or_missing != high.or_missing or not low.values < high.values:
        return
    first, second = (each for each in conditions if each in (low_name, high_name))
    conditions[first] = replace(low, relation=Relation.BETWEEN, values=low.values + high.values)
    del conditions[second]


Literal = Callable[[str, bool], Condition]
"""The condition of a literal, by its concept and its sign."""


def merge_conditions(formula: Formula, condition: Literal) -> tuple[Formula, Literal]:
    """A formula as it is written out, and what its literals say: in each conjunction nothing twice.

    It is true of the same rows. Literals that say less than by themselves have names of their own in it.

    Examples
    --------
    >>> means = {"old": Condition("age", Relation.ABOVE, (17,)), "gap": Condition("age", Relation.MISSING)}
    >>> means["gap"] = replace(means["gap"], or_missing=True)
    >>> short, says = merge_conditions(
    ...     ~Var("old") & ~Var("gap"), lambda name, yes: means[name] if yes else means[name].negated()
    ... )
    >>> in_english(says(short.concepts[0], True))
    'age is at most 17'
    """
    named: dict[str, Condition] = {}
    taken = set(formula.concepts)

    def short(node: Formula) -> Formula:
        if isinstance(node, Or):
            return Or.of(map(short, node.args))
        if isinstance(node, Not):
            return node if isinstance(node.arg, Var) else Not(short(node.arg))
        return conjunction(node) if isinstance(node, And) else node

    def conjunction(node: Formula) -> Formula:
        mine = {
            f"{at}": condition(part.concepts[0], isinstance(part, Var))
            for at, part in enumerate(node.args)
            if isinstance(part, Var) or (isinstance(part, Not) and isinstance(part.arg, Var))
        }
        left = join_conditions(mine)
        parts = []
        for at, part in enumerate(node.args):
            if (place := f"{at}") not in mine:
                parts.append(short(part))
            elif place in left:
                parts.append(part if left[place] == mine[place] else other_name(left[place]))
        return And.of(parts)

    def other_name(said: Condition) -> Formula:
        name = f"{len(named)}"
        while name in taken:
            name += "'"
        taken.add(name)
        named[name] = said
        return Var(name)

    def says(name: str, positive: bool) -> Condition:
        if name not in named:
            return condition(name, positive)
        return named[name] if positive else named[name].negated()

    return short(formula), says
