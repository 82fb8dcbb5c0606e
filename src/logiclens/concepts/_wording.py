"""Conditions in the languages people and programs read: logic, English, SQL, Python.

Column names and values are data: they stand in the quotes of the language, with its escapes, wherever it
would otherwise take them for something else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from logiclens.concepts.concept import Condition, Relation, value_text
from logiclens.logic.data import THRESHOLD
from logiclens.logic.formula import And, Formula, Not, Or, Var, escape, is_plain
from logiclens.logic.sql import Dialect, sql_number, sql_text
from logiclens.logic.syntax import latex_name


@dataclass(frozen=True, slots=True)
class _Signs:
    """Spelling of conditions in one style of First-Order Logic."""

    name: Callable[[str], str]
    less: str
    at_most: str
    above: str
    equal: str
    unequal: str
    within: str
    without: str
    opening: str
    closing: str
    negation: str
    either: str
    missing: str


def _quoted(text: str) -> str:
    return text if is_plain(text) else f'"{escape(text, chr(34))}"'


_STYLES = {
    "ascii": _Signs(
        _quoted, " < ", " <= ", " > ", " = ", " != ", " in ", " not in ", "{", "}", "~", " | ", "missing"
    ),
    "unicode": _Signs(
        _quoted, " < ", " ≤ ", " > ", " = ", " ≠ ", " ∈ ", " ∉ ", "{", "}", "¬", " ∨ ", "missing"
    ),
    "latex": _Signs(
        latex_name,
        " < ",
        r" \le ",
        " > ",
        " = ",
        r" \ne ",
        r" \in ",
        r" \notin ",
        r"\{",
        r"\}",
        r"\lnot ",
        r" \lor ",
        r"\mathit{missing}",
    ),
}


def in_logic(condition: Condition, style: str = "ascii") -> str:
    r"""A condition as a literal of First-Order Logic, the column a function of x.

    Parameters
    ----------
    condition : Condition
    style : {"ascii", "unicode", "latex"}, default "ascii"

    Examples
    --------
    >>> print(in_logic(Condition("age", Relation.AT_MOST, (62.0,))))
    age(x) <= 62
    >>> print(in_logic(Condition("bill colour", Relation.IS_NOT, ("red",), or_missing=True), "unicode"))
    ("bill colour"(x) ≠ red ∨ missing("bill colour"(x)))
    """
    signs = _STYLES[style]
    column = f"{signs.name(condition.column)}(x)"
    values = [
        signs.name(value) if isinstance(value, str) else value_text(value) for value in condition.values
    ]
    missing = f"{signs.missing}({column})"
    many = f"{signs.opening}{', '.join(values)}{signs.closing}"
    single = len(values) == 1
    match condition.relation:
        case Relation.MISSING:
            return missing
        case Relation.PRESENT:
            return f"{signs.negation}{missing}"
        case Relation.HOLDS:
            text = column
        case Relation.FAILS:
            text = f"{signs.negation}{column}"
        case Relation.ABOVE:
            text = f"{column}{signs.above}{values[0]}"
        case Relation.AT_MOST:
            text = f"{column}{signs.at_most}{values[0]}"
        case Relation.BETWEEN:
            text = f"{values[0]}{signs.less}{column}{signs.at_most}{values[1]}"
        case Relation.OUTSIDE:
            text = f"{column}{signs.at_most}{values[0]}{signs.either}{column}{signs.above}{values[1]}"
            return f"({text}{signs.either}{missing})" if condition.or_missing else f"({text})"
        case Relation.IS:
            text = f"{column}{signs.equal}{values[0]}" if single else f"{column}{signs.within}{many}"
        case Relation.IS_NOT:
            text = f"{column}{signs.unequal}{values[0]}" if single else f"{column}{signs.without}{many}"
    return f"({text}{signs.either}{missing})" if condition.or_missing else text


def in_english(condition: Condition, were: bool = False) -> str:
    """A condition in plain English.

    Parameters
    ----------
    condition : Condition
    were : bool, default False
        Whether it is said of what is not so: "age were at most 62", as after "if".

    Examples
    --------
    >>> print(in_english(Condition("age", Relation.BETWEEN, (30, 62))))
    age above 30 and at most 62
    >>> print(in_english(Condition("colour", Relation.IS, ("red", "blue"), or_missing=True)))
    (colour is either red or blue or missing)
    >>> print(in_english(Condition("colour", Relation.IS_NOT, ("red", "blue"))))
    colour is neither red nor blue
    """
    column = _in_quotes(condition.column)
    values = [_in_quotes(v) if isinstance(v, str) else value_text(v) for v in condition.values]
    verb = "were" if were else "is"
    linked = "were " if were else ""
    several = len(values) > 1
    match condition.relation:
        case Relation.MISSING:
            return f"{column} {verb} missing"
        case Relation.PRESENT:
            return f"{column} {verb} known"
        case Relation.HOLDS:
            text = f"{column} {verb} true" if were else column
        case Relation.FAILS:
            text = f"{column} {verb} false" if were else f"not {column}"
        case Relation.ABOVE:
            text = f"{column} {linked}above {values[0]}"
        case Relation.AT_MOST:
            text = f"{column} {linked}at most {values[0]}"
        case Relation.BETWEEN:
            text = f"{column} {linked}above {values[0]} and at most {values[1]}"
        case Relation.OUTSIDE:
            text = f"{column} {linked}at most {values[0]} or above {values[1]}"
            return f"({text} or missing)" if condition.or_missing else f"({text})"
        case Relation.IS:
            text = f"{column} {verb} {'either ' if several else ''}{_listed(values, 'or')}"
            if several and not condition.or_missing:
                return f"({text})"  # "red or blue and large" could be read in two ways
        case Relation.IS_NOT:
            denied = f"neither {_listed(values, 'nor')}" if several else f"not {values[0]}"
            text = f"{column} {verb} {denied}"
    return f"({text} or missing)" if condition.or_missing else text


_WORDS = ("always", "never", "missing", "known", "above", "either", "neither", "nor")
"""What sentences are made of: a name or value that is one of these stands in quotes."""


def _listed(values: Sequence[str], word: str) -> str:
    return f"{', '.join(values[:-1])} {word} {values[-1]}" if len(values) > 1 else values[0]


def _in_quotes(text: str) -> str:
    """Text as it is where it is one plain word, in typographic quotes elsewhere."""
    bare = is_plain(text) and text.lower() not in _WORDS
    return text if bare else f"“{escape(text, '“”')}”"


def in_sql(condition: Condition, dialect: Dialect, numeric_flag: bool = False) -> str:
    """A condition as an SQL expression that is true or false on every row, never NULL.

    Parameters
    ----------
    condition : Condition
    dialect : Dialect
    numeric_flag : bool, default False
        Whether a column of yes and no holds numbers.

    Examples
    --------
    >>> from logiclens.logic.sql import dialect_named
    >>> print(in_sql(Condition("age", Relation.AT_MOST, (62.0,), or_missing=True), dialect_named("duckdb")))
    ("age" > 62) IS NOT TRUE
    """
    if condition.relation in _NEGATIVE:  # written as what it denies, which decides what becomes of NULL
        positive, truth = condition.negated(), False
    else:
        positive, truth = condition, True
    column = dialect.quote(positive.column)
    values = [
        sql_text(value, dialect) if isinstance(value, str) else _sql_number(value, dialect)
        for value in positive.values
    ]
    match positive.relation:
        case Relation.MISSING:
            return f"{column} IS NULL" if truth else f"{column} IS NOT NULL"
        case Relation.HOLDS:
            test = f"({column} > {sql_number(THRESHOLD, dialect)})" if numeric_flag else column
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


def in_python(condition: Condition, optional: bool) -> str:
    """A condition as an expression of Python on ``row``, a mapping from columns to plain values.

    Parameters
    ----------
    condition : Condition
    optional : bool
        Whether a value may be missing: None or NaN.

    Examples
    --------
    >>> print(in_python(Condition("age", Relation.AT_MOST, (62.0,)), optional=False))
    row['age'] <= 62
    >>> print(in_python(Condition("age", Relation.ABOVE, (62.0,)), optional=True))
    (not missing(row['age']) and row['age'] > 62)
    """
    cell = f"row[{condition.column!r}]"
    values = [repr(v) if isinstance(v, str) else value_text(v) for v in condition.values]
    several = f"({', '.join(values)})"
    match condition.relation:
        case Relation.MISSING:
            return f"missing({cell})"
        case Relation.PRESENT:
            return f"not missing({cell})"
        case Relation.HOLDS:
            text = f"{cell} > {THRESHOLD}"
        case Relation.FAILS:
            text = f"{cell} <= {THRESHOLD}"
        case Relation.ABOVE:
            text = f"{cell} > {values[0]}"
        case Relation.AT_MOST:
            text = f"{cell} <= {values[0]}"
        case Relation.BETWEEN:
            text = f"{values[0]} < {cell} <= {values[1]}"
        case Relation.OUTSIDE:
            text = f"not {values[0]} < {cell} <= {values[1]}"
        case Relation.IS:
            text = f"{cell} == {values[0]}" if len(values) == 1 else f"{cell} in {several}"
        case Relation.IS_NOT:
            text = f"{cell} != {values[0]}" if len(values) == 1 else f"{cell} not in {several}"
    if not optional:
        return text
    return f"(missing({cell}) or {text})" if condition.or_missing else f"(not missing({cell}) and {text})"


def join_conditions(conditions: Mapping[str, Condition]) -> dict[str, Condition]:
    """Conditions that hold together, without what need not be said twice.

    Where one of them takes a value for granted, none of the same column speaks of missing ones, and that the
    value is known goes without saying. A lower and an upper end make an interval.

    Examples
    --------
    >>> low = Condition("age", Relation.AT_MOST, (17,), or_missing=True)
    >>> present, above = Condition("age", Relation.PRESENT), Condition("age", Relation.ABOVE, (5,))
    >>> [in_english(each) for each in join_conditions({"a": low, "b": present}).values()]
    ['age at most 17']
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
"""What a literal says, by its concept and its sign."""


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
    'age at most 17'
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
