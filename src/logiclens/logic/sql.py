"""Formulas as SQL expressions, in the dialect of each database.

On rows without NULL an expression says the same as :meth:`~logiclens.logic.formula.Formula.evaluate`, which
refuses missing values; here NULL counts as false. Names only ever appear inside the dialect's own quotes,
with its own escapes, and a name that it cannot carry is refused, never changed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from string import ascii_lowercase, ascii_uppercase

from logiclens.errors import InputError, did_you_mean, listing, shown
from logiclens.logic.data import check_threshold
from logiclens.logic.formula import And, Formula, Not, Or
from logiclens.logic.notation import Notation, check_writable, escape

# The parser of SQLite before 3.46 has room for 100 symbols, of which a level takes three.
_DEEPEST = 80
_DEEPEST_SQLITE = 25
# SQLite counts each AND of a chain as one of at most 1000 levels: 25 levels of 32 parts stay below.
_WIDEST = 32


@dataclass(frozen=True, slots=True)
class _Dialect:
    quote: Callable[[str], str]
    fold: Callable[[str], str] = str  # what the dialect takes to be one name
    true: str = "TRUE"
    false: str = "FALSE"
    deepest: int = _DEEPEST
    refusal: Callable[[str], str | None] = lambda _: None


def _double_quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _backticked(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _ascii_lower(name: str) -> str:
    return name.translate(str.maketrans(ascii_uppercase, ascii_lowercase))


def _postgresql_refusal(name: str) -> str | None:
    return "PostgreSQL would cut it to 63 bytes" if len(name.encode()) > 63 else None


def _mysql_refusal(name: str) -> str | None:
    if len(name) > 64:
        return "it has more than 64 characters"
    if max(name) > "\uffff":
        return f"{max(name)!r} lies outside the Basic Multilingual Plane"
    return "it ends with a blank" if name.endswith(" ") else None


_DIALECTS = {
    "ansi": _Dialect(_double_quoted),
    "duckdb": _Dialect(_double_quoted, _ascii_lower),
    # SQLite reads "a" as a string and TRUE as a column where it pleases; `a` and 1 leave no choice.
    "sqlite": _Dialect(_backticked, _ascii_lower, "1", "0", _DEEPEST_SQLITE),
    "postgresql": _Dialect(_double_quoted, refusal=_postgresql_refusal),
    "mysql": _Dialect(_backticked, str.lower, refusal=_mysql_refusal),
    "spark": _Dialect(
        _backticked,
        str.lower,
        refusal=lambda name: "Spark would substitute ${...}" if "${" in name else None,
    ),
    "bigquery": _Dialect(
        lambda name: f"`{escape(name, '`')}`",
        str.lower,
        refusal=lambda name: "it has more than 300 characters" if len(name) > 300 else None,
    ),
}


def to_sql(formula: Formula, dialect: str = "ansi", threshold: float | None = None) -> str:
    """Boolean SQL expression, for WHERE, CASE WHEN or SELECT.

    A concept that is NULL counts as false, so the expression is true or false on every row, never
    NULL, and ``NOT`` of it selects exactly the other rows. Long chains are cut into groups by
    parentheses, which databases with a limit on nesting need.

    Parameters
    ----------
    formula : Formula
    dialect : {"ansi", "duckdb", "sqlite", "postgresql", "mysql", "spark", "bigquery"}, default "ansi"
        Decides how names are quoted. SQLite gets backticks and ``IS 1``: in double quotes a misspelt
        column would silently become a string, TRUE can be read as a column, and SQLite's Booleans are
        the numbers 1 and 0.
    threshold : float, optional
        For columns of scores in [0, 1], which are true when greater. Without it the columns must be
        Boolean: on a score ``IS TRUE`` is an error in some databases and true of any but 0 in others.
        Scores that are unknown must be NULL: to most databases NaN is greater than any number.

    Returns
    -------
    str
        Names are written as they are: run the text without query parameters, or double the ``%``
        or ``:`` that your driver takes for one.

    Raises
    ------
    InputError
        Unknown dialect, or a concept that cannot be a column there.
    LimitError
        The formula is nested too deep, or too long.

    Examples
    --------
    >>> from logiclens.logic.formula import Var
    >>> f = (Var("red") & ~Var("bill colour")) | Var("small")
    >>> print(to_sql(f))
    ("red" IS TRUE AND "bill colour" IS NOT TRUE) OR "small" IS TRUE
    >>> print(to_sql(Var("red"), "mysql", threshold=0.5))
    (`red` > 0.5) IS TRUE
    """
    if not isinstance(dialect, str) or dialect not in _DIALECTS:
        nearest = did_you_mean(dialect, _DIALECTS) if isinstance(dialect, str) else ""
        raise InputError(
            f"Unknown SQL dialect {shown(dialect)}. {nearest}The dialects are {listing(_DIALECTS)}."
        )
    rules = _DIALECTS[dialect]
    check_writable(formula, rules.deepest)
    _check_columns(formula.concepts, dialect)
    beyond = "" if threshold is None else f" > {_number(check_threshold(threshold))}"

    def literal(name: str, positive: bool) -> str:
        value = f"({rules.quote(name)}{beyond})" if beyond else rules.quote(name)
        return f"{value} IS {rules.true}" if positive else f"{value} IS NOT {rules.true}"

    grouped = _grouped(formula)
    check_writable(grouped, rules.deepest)
    return Notation(literal, rules.true, rules.false, "NOT ", " AND ", " OR ").write(grouped)


def _check_columns(names: Sequence[str], dialect: str) -> None:
    rules = _DIALECTS[dialect]
    seen: dict[str, str] = {}
    for name in names:
        reason = _unencodable(name) or rules.refusal(name)
        if reason:
            raise InputError(f"{name!r} cannot be a column in {dialect}: {reason}. Rename the concept.")
        twin = seen.setdefault(rules.fold(name), name)
        if twin != name:
            raise InputError(
                f"{twin!r} and {name!r} are one column in {dialect}. Rename one of the concepts."
            )


def _unencodable(name: str) -> str | None:
    if "\0" in name:
        return "it holds a NUL character"
    return "it cannot be encoded as UTF-8" if any("\ud800" <= char <= "\udfff" for char in name) else None


def _number(value: float) -> str:
    """Float as a literal; an exponent makes it a double where decimals would be converted inexactly."""
    text = repr(value)
    return text if "e" in text or len(text) <= 17 else f"{text}e0"


def _grouped(formula: Formula) -> Formula:
    """Equivalent formula without double negations and with at most ``_WIDEST`` parts a node."""
    match formula:
        case Not(Not(arg)):
            return _grouped(arg)
        case Not(arg):
            return Not(_grouped(arg))
        case And() | Or():
            parts = list(map(_grouped, formula.args))
            while len(parts) > _WIDEST:
                starts = range(0, len(parts), _WIDEST)
                parts = [type(formula).of(parts[start : start + _WIDEST]) for start in starts]
            return type(formula)(*parts)
    return formula
