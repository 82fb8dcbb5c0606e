"""Concepts: conditions on one column of a raw table.

    Flag      a column of yes and no, as it is              smoker
    Above     a number is greater than a cut point          age > 62
    AtMost    a number is not greater                       age <= 30
    Between   a number lies in an interval                  30 < age <= 62
    OneOf     a value is one of some                        colour = red
    Missing   there is no value                             age is missing

A concept is true or false of every row, of rows without a value, too: there it is what ``if_missing`` says.
A *literal*, a concept or its negation, is again a condition on the column (:class:`Condition`), so it can be
written without a sign of negation: ``age <= 62``, not ``~(age > 62)``.

The concepts of one column exclude or imply one another; :class:`ConceptGroup` says which can be true at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import count, pairwise
from math import floor
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from logiclens.errors import InputError, shown
from logiclens.logic.arrays import BoolArray
from logiclens.logic.data import THRESHOLD, as_float, check_name
from logiclens.logic.formula import FALSE, And, Formula, Not, Var

if TYPE_CHECKING:
    from logiclens.concepts.table import Column


Value: TypeAlias = str | int | float
"""A plain value of a column."""


class Relation(StrEnum):
    """Relation between a column's value and the values of a condition; each has its opposite."""

    HOLDS = "holds"
    FAILS = "fails"
    ABOVE = "above"
    AT_MOST = "at most"
    BETWEEN = "between"
    OUTSIDE = "outside"
    IS = "is"
    IS_NOT = "is not"
    MISSING = "missing"
    PRESENT = "present"

    @property
    def opposite(self) -> Relation:
        """The relation that holds where this one does not, of values that are there."""
        return _OPPOSITES[self]


_PAIRS = [
    (Relation.HOLDS, Relation.FAILS),
    (Relation.ABOVE, Relation.AT_MOST),
    (Relation.BETWEEN, Relation.OUTSIDE),
    (Relation.IS, Relation.IS_NOT),
    (Relation.MISSING, Relation.PRESENT),
]
_OPPOSITES = dict(_PAIRS) | {second: first for first, second in _PAIRS}


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on one column, in a form that every language has words for.

    Attributes
    ----------
    column : str
    relation : Relation
    values : tuple
        What the column is compared with: a cut point, two ends, values; none for ``HOLDS`` and ``MISSING``.
    or_missing : bool
        Whether the condition is true of rows without a value.
    gaps : tuple
        Values of the column that mean that there is none.
    """

    column: str
    relation: Relation
    values: tuple[Value, ...] = ()
    or_missing: bool = False
    gaps: tuple[Value, ...] = ()

    def negated(self) -> Condition:
        """The condition that is true exactly where this one is not."""
        return replace(self, relation=self.relation.opposite, or_missing=not self.or_missing)

    @property
    def decisive_gaps(self) -> tuple[Value, ...]:
        """The values that mean a gap for which the comparison alone would say the opposite.

        Examples
        --------
        >>> Condition("age", Relation.ABOVE, (62,), gaps=(-999, 999)).decisive_gaps
        (999,)
        """
        return tuple(filter(self.is_decisive, self.gaps))

    def is_decisive(self, gap: Value) -> bool:
        """Whether the comparison alone would say the opposite of a value that means a gap."""
        return self._says_of(gap) is not self.or_missing

    def _says_of(self, gap: Value) -> bool | None:
        """What the comparison says of a value; None where it must not be made."""
        if self.relation in (Relation.IS, Relation.IS_NOT):
            return (gap in self.values) is (self.relation is Relation.IS)
        if isinstance(gap, str) or self.relation in (Relation.MISSING, Relation.PRESENT):
            return None
        ends = [THRESHOLD, *(float(value) for value in self.values)]
        match self.relation:
            case Relation.HOLDS | Relation.FAILS:
                return (gap > ends[0]) is (self.relation is Relation.HOLDS)
            case Relation.ABOVE | Relation.AT_MOST:
                return (gap > ends[1]) is (self.relation is Relation.ABOVE)
        return (ends[1] < gap <= ends[2]) is (self.relation is Relation.BETWEEN)


@dataclass(frozen=True)
class Concept(ABC):
    """A condition on one column of a raw table; see the module's description for the kinds there are.

    Attributes
    ----------
    column : str
        Name of the column.
    gaps : tuple of str, int or float, default ()
        Values of the column that mean that there is none, such as -999.

    Examples
    --------
    >>> from logiclens.concepts import Table
    >>> age = Table({"age": [70, 999]}).column("age")
    >>> Above("age", 62, gaps=(999,)).truth(age).tolist()
    [True, False]
    """

    kind: ClassVar[str]
    column: str
    gaps: tuple[Value, ...] = field(default=(), kw_only=True, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "column", check_name(self.column))
        object.__setattr__(self, "gaps", _distinct_values(self.gaps, "gaps") if self.gaps else ())
        for entry in ("numeric", "if_missing"):
            if hasattr(self, entry):
                object.__setattr__(self, entry, _yes_or_no(getattr(self, entry), entry))
        for entry in ("cut", "low", "high"):
            if hasattr(self, entry):
                object.__setattr__(self, entry, _finite(getattr(self, entry), entry))

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of the concept."""

    @abstractmethod
    def condition(self) -> Condition:
        """The condition that the concept is."""

    def truth(self, column: Column) -> BoolArray:
        """Truth on each row of the column, shape (n_rows,)."""
        condition = self.condition()
        column = column.without(self.gaps)
        return np.where(column.missing, condition.or_missing, _truth(condition, column))


def _truth(condition: Condition, column: Column) -> BoolArray:
    """Truth of a concept's condition on each row that has a value."""
    if condition.relation is Relation.MISSING:
        return column.missing
    if condition.relation is Relation.IS:
        return column.is_in(condition.values)
    numbers, ends = column.numbers(), [float(end) for end in condition.values]
    match condition.relation:
        case Relation.HOLDS:
            return numbers > THRESHOLD
        case Relation.ABOVE:
            return numbers > ends[0]
        case Relation.AT_MOST:
            return numbers <= ends[0]
    return (numbers > ends[0]) & (numbers <= ends[1])


@dataclass(frozen=True)
class Flag(Concept):
    """A column of yes and no, called as the column is.

    Attributes
    ----------
    column : str
    numeric : bool, default False
        Whether the column holds numbers, 0 and 1, rather than Booleans.
    if_missing : bool, default False
        Truth where there is no value.

    Examples
    --------
    >>> Flag("smoker").name
    'smoker'
    """

    kind: ClassVar[str] = "flag"
    numeric: bool = False
    if_missing: bool = False

    @property
    def name(self) -> str:
        return self.column

    def condition(self) -> Condition:
        return Condition(self.column, Relation.HOLDS, (), self.if_missing, self.gaps)


@dataclass(frozen=True)
class Above(Concept):
    """A number is greater than a cut point.

    Attributes
    ----------
    column : str
    cut : float
    if_missing : bool, default False
        Truth where there is no value.

    Examples
    --------
    >>> Above("age", 62.0).name
    'age > 62'
    """

    kind: ClassVar[str] = "above"
    cut: float
    if_missing: bool = False

    @property
    def name(self) -> str:
        return f"{self.column} > {value_text(self.cut)}"

    def condition(self) -> Condition:
        return Condition(self.column, Relation.ABOVE, (self.cut,), self.if_missing, self.gaps)


@dataclass(frozen=True)
class AtMost(Concept):
    """A number is not greater than a cut point: the lowest of several intervals.

    Attributes
    ----------
    column : str
    cut : float
    if_missing : bool, default False
        Truth where there is no value.

    Examples
    --------
    >>> AtMost("age", 30.0).name
    'age <= 30'
    """

    kind: ClassVar[str] = "at most"
    cut: float
    if_missing: bool = False

    @property
    def name(self) -> str:
        return f"{self.column} <= {value_text(self.cut)}"

    def condition(self) -> Condition:
        return Condition(self.column, Relation.AT_MOST, (self.cut,), self.if_missing, self.gaps)


@dataclass(frozen=True)
class Between(Concept):
    """A number lies in an interval, its upper end included.

    Attributes
    ----------
    column : str
    low, high : float
        The ends: ``low < value <= high``.
    if_missing : bool, default False
        Truth where there is no value.

    Examples
    --------
    >>> Between("age", 30, 62).name
    '30 < age <= 62'
    """

    kind: ClassVar[str] = "between"
    low: float
    high: float
    if_missing: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.low >= self.high:
            raise InputError(f"low must be less than high. Got {self.low} and {self.high}.")

    @property
    def name(self) -> str:
        return f"{value_text(self.low)} < {self.column} <= {value_text(self.high)}"

    def condition(self) -> Condition:
        return Condition(self.column, Relation.BETWEEN, (self.low, self.high), self.if_missing, self.gaps)


@dataclass(frozen=True)
class OneOf(Concept):
    """A value is one of some.

    Attributes
    ----------
    column : str
    values : tuple of str, int or float
        Of values that are given twice one is kept.
    if_missing : bool, default False
        Truth where there is no value.

    Examples
    --------
    >>> OneOf("colour", ("red",)).name, OneOf("colour", ("red", "blue")).name
    ('colour = red', 'colour in {red, blue}')
    """

    kind: ClassVar[str] = "one of"
    values: tuple[Value, ...]
    if_missing: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "values", _distinct_values(self.values, "values"))

    @property
    def name(self) -> str:
        if len(self.values) == 1:
            return f"{self.column} = {value_text(self.values[0])}"
        return f"{self.column} in {{{', '.join(map(value_text, self.values))}}}"

    def condition(self) -> Condition:
        return Condition(self.column, Relation.IS, self.values, self.if_missing, self.gaps)


@dataclass(frozen=True)
class Missing(Concept):
    """There is no value.

    Attributes
    ----------
    column : str

    Examples
    --------
    >>> Missing("age").name
    'age is missing'
    """

    kind: ClassVar[str] = "missing"

    @property
    def name(self) -> str:
        return f"{self.column} is missing"

    def condition(self) -> Condition:
        return Condition(self.column, Relation.MISSING, (), True, self.gaps)


KINDS: dict[str, type[Concept]] = {kind.kind: kind for kind in (Flag, Above, AtMost, Between, OneOf, Missing)}


def value_text(value: Value) -> str:
    """A value as people write it: whole numbers without a point, text as it is.

    Examples
    --------
    >>> value_text(62.0), value_text(0.5), value_text("red")
    ('62', '0.5', 'red')
    """
    if isinstance(value, str):
        return value
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _finite(value: float, name: str) -> float:
    number = as_float(value)
    if not np.isfinite(number):
        raise InputError(f"{name} must be a finite number. Got {shown(value)}.")
    return number


def _yes_or_no(value: bool, name: str) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{name} must be True or False. Got {shown(value)}.")
    return bool(value)


def _distinct_values(values: Any, name: str) -> tuple[Value, ...]:
    if not isinstance(values, list | tuple) or not values:
        raise InputError(f"{name} must be a sequence of values. Got {shown(values)}; write ('red',).")
    return tuple(dict.fromkeys(map(_plain, values)))


def _plain(value: Value) -> Value:
    match value:
        case str():
            return str.__str__(value)
        case bool() | np.bool_():
            return int(value)
        case int() | np.integer():
            return int(value)
        case float() | np.floating() if np.isfinite(value):
            return float(value)
    raise InputError(f"A value must be text or a finite number. Got {shown(value)}.")


_MANY = float(np.finfo(np.float64).max)  # stands for a number beyond all cut points


@dataclass(frozen=True, eq=False)
class ConceptGroup:
    """The concepts of one column, and which of them can be true together.

    Attributes
    ----------
    column : str
    names : tuple of str, length k
        The concepts.
    states : ndarray of bool, shape (n_states, k)
        Every combination of their truth that some value of the column gives or, where values are known to
        be missing sometimes, that no value gives.
    given : ndarray of bool, shape (n_states,)
        Which states some value gives.
    """

    column: str
    names: tuple[str, ...]
    states: BoolArray
    given: BoolArray


def representative_values(concepts: Sequence[Concept], more: Iterable[Value] = ()) -> list[Any]:
    """Values of a column that give every combination of truth there can be; ``more`` are among them.

    They are as short as can be, so that they can be shown to people.

    Examples
    --------
    >>> representative_values([Above("age", 62)], more=[40.5])
    [40, 40.5, 62.0, 41, 63]
    """
    if any(isinstance(concept, Flag) for concept in concepts):
        return [0.0, 1.0]
    avoided = {gap for concept in concepts for gap in concept.gaps}
    more = [value for value in more if value not in avoided]
    compared = [*more, *(value for concept in concepts for value in concept.condition().values)]
    numbers = sorted({value for value in compared if not isinstance(value, str)})
    texts = sorted({value for value in compared if isinstance(value, str)})
    if texts:
        other = next(text for n in count() if (text := "other" + "'" * n) not in avoided.union(texts))
        return [*texts, *numbers, other]
    if not more and all(
        concept.condition().relation in (Relation.IS, Relation.MISSING) for concept in concepts
    ):
        return [
            *numbers,
            next(n for n in count() if n not in avoided.union(numbers)),
        ]  # whole ones stay so, however large
    if not numbers:
        return [next(n for n in count() if n not in avoided)]
    below = -_short_number(-numbers[0], _MANY, {-gap for gap in avoided if not isinstance(gap, str)})
    between = [_short_number(low, high, avoided) for low, high in pairwise(numbers)]
    return [below, *numbers, *between, _short_number(numbers[-1], _MANY, avoided)]


def _short_number(low: float, high: float, avoided: Collection[Value]) -> float:
    """A number with few decimals above one and below another, near to the lower."""
    near = min(high, low + 2 * max(abs(low), 1.0))
    for digits in range(12):
        if abs(low) * 10**digits < 1e15:
            found = (floor(low * 10**digits) + 1) / 10**digits
            if low < found < near and found not in avoided:
                return int(found) if found == int(found) else found
    return low / 2 + high / 2


def every_combination(groups: Sequence[ConceptGroup]) -> tuple[BoolArray, tuple[str, ...]]:
    """Every combination of the states of some groups, (n, k), and the names of the concepts."""
    rows = np.zeros((1, 0), dtype=np.bool_)
    for group in groups:
        left = np.repeat(rows, len(group.states), axis=0)
        rows = np.hstack([left, np.tile(group.states, (len(rows), 1))])
    return rows, tuple(name for group in groups for name in group.names)


def without_implied(term: Formula, groups: Sequence[ConceptGroup]) -> Formula:
    """A term without literals that follow from its others; FALSE when no row satisfies it."""
    if term == FALSE:
        return FALSE
    parts = term.args if isinstance(term, And) else (term,)
    literals = {part.concepts[0]: part for part in parts if part.concepts}
    for group in groups:
        mine = {name: isinstance(literals[name], Var) for name in group.names if name in literals}
        for name in [*mine, None]:
            rest = {other: value for other, value in mine.items() if other != name}
            at = [group.names.index(other) for other in rest]
            left = group.states[
                (group.states[:, at] == np.array(list(rest.values()), dtype=bool)).all(axis=1)
            ]
            if not len(left):
                return FALSE
            if name is not None and rest and (left[:, group.names.index(name)] == mine[name]).all():
                mine = rest
                del literals[name]
    return And.of(literals.values())


def as_term(names: Sequence[str], state: BoolArray) -> Formula:
    """A combination of truth as a conjunction of literals."""
    return And.of(Var(name) if true else Not(Var(name)) for name, true in zip(names, state, strict=True))
