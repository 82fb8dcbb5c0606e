"""Formulas as SQL expressions, in the dialect of each database.

On rows without NULL an expression says the same as :meth:`~logiclens.logic.formula.Formula.evaluate`, which
refuses missing values; here NULL counts as false. Names only ever appear inside the dialect's own quotes,
with its own escapes, and a name that it cannot carry is refused, never changed. Numbers are written so that
they are read back exactly. A new dialect is an entry in ``_DIALECTS``, and a name for the command in
``cli/saved_rules.py``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from string import ascii_lowercase, ascii_uppercase

from logiclens.errors import InputError, did_you_mean, listing, shown
from logiclens.logic.data import check_count, check_threshold
from logiclens.logic.formula import And, Formula, Not, Notation, Or, check_writable, escape

# The parser of SQLite before 3.46 has room for 100 symbols, of which a level takes three.
_DEEPEST = 80
_DEEPEST_SQLITE = 25
# SQLite counts each AND of a chain as one of at most 1000 levels: 25 levels of 32 parts stay below.
_WIDEST = 32


def _apostrophes(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _escape_backslashes(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


@dataclass(frozen=True, slots=True)
class Dialect:
    """The way one database writes names, texts and truth.

    Attributes
    ----------
    name : str
    quote : callable
        A column's name in quotes.
    text : callable
        A text as a literal.
    fold : callable
        What the dialect takes to be one name.
    true, false : str
    deepest : int
        Most levels of nesting.
    refusal : callable
        Why a name cannot be a column's; None where it can.
    reads : callable
        Whether a decimal number is sure to be read as the double nearest to it.
    nan : str
        NaN as an expression, where it can be stored and is greater than any number.
    text_type : str
    date, day : str
        The date of an expression, and a day as a literal.
    year, month, weekday : str
        Parts of a date; the weekday is a number, Monday being 1.
    """

    name: str
    quote: Callable[[str], str]
    text: Callable[[str], str] = _apostrophes
    fold: Callable[[str], str] = str
    true: str = "TRUE"
    false: str = "FALSE"
    deepest: int = _DEEPEST
    refusal: Callable[[str], str | None] = lambda _: None
    reads: Callable[[str], bool] = lambda _: True
    nan: str = ""
    text_type: str = "VARCHAR(100)"
    date: str = "CAST({} AS DATE)"
    day: str = "DATE '{}'"
    year: str = "EXTRACT(YEAR FROM {})"
    month: str = "EXTRACT(MONTH FROM {})"
    weekday: str = "EXTRACT(ISODOW FROM {})"


def _in_double_quotes(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _in_backticks(name: str) -> str:
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


def _sqlite_reads(number: str) -> bool:
    """Whether SQLite is sure to read a decimal number as the double nearest to it.

    It takes the digits as one whole number, which a power of ten multiplies or divides: in doubles, in pairs
    of them, or in 80 bits that are rounded once more, as compiler and release have it. All are right where
    both numbers are exact in a double, and the quotient is not as good as halfway between two doubles.
    """
    decimal = abs(Decimal(number)).normalize()
    _, digits, exponent = decimal.as_tuple()
    assert isinstance(exponent, int)  # the number is finite
    if exponent >= 0:
        return decimal < 10**18  # all of it is that whole number
    whole = int("".join(map(str, digits)))
    if exponent < -22 or whole > 2**53:
        return False
    written, read = Fraction(decimal), float(decimal)
    halfway = ((Fraction(read) + Fraction(math.nextafter(read, to))) / 2 for to in (0.0, math.inf))
    return all(abs(written - each) > written / 2**62 for each in halfway)


_DIALECTS = {
    dialect.name: dialect
    for dialect in (
        # The standard has no weekday; most databases know DOW, to which Sunday is 0 or 7.
        Dialect("ansi", _in_double_quotes, weekday="(MOD(EXTRACT(DOW FROM {}) + 6, 7) + 1)"),
        Dialect("duckdb", _in_double_quotes, fold=_ascii_lower, nan="CAST('NaN' AS DOUBLE)"),
        # SQLite reads "a" as a string and TRUE as a column where it pleases; `a` and 1 leave no choice.
        Dialect(
            "sqlite",
            _in_backticks,
            fold=_ascii_lower,
            true="1",
            false="0",
            deepest=_DEEPEST_SQLITE,
            reads=_sqlite_reads,
            text_type="TEXT",
            date="date(substr({}, 1, 10))",  # of all the text it would turn a time zone into UTC
            day="'{}'",
            year="CAST(strftime('%Y', {}) AS INTEGER)",
            month="CAST(strftime('%m', {}) AS INTEGER)",
            weekday="((CAST(strftime('%w', {}) AS INTEGER) + 6) % 7 + 1)",
        ),
        Dialect(
            "postgresql",
            _in_double_quotes,
            refusal=_postgresql_refusal,
            nan="CAST('NaN' AS DOUBLE PRECISION)",
        ),
        Dialect(
            "mysql",
            _in_backticks,
            _escape_backslashes,
            str.lower,
            refusal=_mysql_refusal,
            text_type="CHAR",
            weekday="(WEEKDAY({}) + 1)",
        ),
        Dialect(
            "spark",
            _in_backticks,
            _escape_backslashes,
            str.lower,
            refusal=lambda name: "Spark would substitute ${...}" if "${" in name else None,
            nan="CAST('NaN' AS DOUBLE)",
            text_type="STRING",
            weekday="EXTRACT(DAYOFWEEK_ISO FROM {})",
        ),
        Dialect(
            "bigquery",
            lambda name: f"`{escape(name, '`')}`",
            lambda text: f"'{escape(text, chr(39))}'",
            str.lower,
            refusal=lambda name: "it has more than 300 characters" if len(name) > 300 else None,
            text_type="STRING",
            date="CAST(SUBSTR(CAST({} AS STRING), 1, 10) AS DATE)",
            weekday="(MOD(EXTRACT(DAYOFWEEK FROM {}) + 5, 7) + 1)",
        ),
    )
}


def dialect_named(name: str) -> Dialect:
    """The dialect of that name; an unknown one is refused with the nearest."""
    if isinstance(name, str) and name in _DIALECTS:
        return _DIALECTS[name]
    nearest = did_you_mean(name, _DIALECTS) if isinstance(name, str) else ""
    raise InputError(f"Unknown SQL dialect {shown(name)}. {nearest}The dialects are {listing(_DIALECTS)}.")


def to_sql(
    formula: Formula, dialect: str = "ansi", threshold: float | None = None, *, indent: int | None = None
) -> str:
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
    indent : int, optional
        Each term of an OR stands on a line of its own, after so many blanks; on one line when missing.

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
    >>> print(to_sql(f, indent=0))
    ("red" IS TRUE AND "bill colour" IS NOT TRUE)
    OR "small" IS TRUE
    """
    rules = dialect_named(dialect)
    beyond = "" if threshold is None else f" > {sql_number(check_threshold(threshold), rules)}"

    def literal(name: str, positive: bool) -> str:
        value = f"({rules.quote(name)}{beyond})" if beyond else rules.quote(name)
        return f"{value} IS {rules.true}" if positive else f"{value} IS NOT {rules.true}"

    check_writable(formula, rules.deepest)
    return write_sql(formula, rules, literal, formula.concepts, indent=indent)


def write_sql(
    formula: Formula,
    dialect: Dialect,
    literal: Callable[[str, bool], str],
    columns: Sequence[str],
    *,
    indent: int | None = None,
) -> str:
    """A formula as an SQL expression, each literal as the caller writes it.

    Parameters
    ----------
    formula : Formula
    dialect : Dialect
    literal : callable
        From a concept and whether it is asserted to an expression that is never NULL.
    columns : sequence of str
        The columns that literals name; those the dialect cannot carry or tell apart are refused.
    indent : int, optional
        As for :func:`to_sql`.
    """
    if indent is not None:
        check_count(indent, "indent")
    check_writable(formula, dialect.deepest)
    check_columns(columns, dialect)
    grouped = _group(formula)
    check_writable(grouped, dialect.deepest)
    notation = Notation(literal, dialect.true, dialect.false, "NOT ", " AND ", " OR ")
    return notation.write(grouped) if indent is None else _in_lines(notation, grouped, " " * indent)


def _in_lines(notation: Notation, formula: Formula, blanks: str) -> str:
    """Text of a formula with each term of its outer ORs on a line of its own."""
    if not isinstance(formula, Or):
        return notation.write(formula)
    parts = [
        f"({_in_lines(notation, part, blanks)})" if isinstance(part, Or) else notation.part(part)
        for part in formula.args
    ]
    return f"\n{blanks}OR ".join(parts)


def sql_comment(text: str) -> str:
    r"""A line of comment, which no name in it can end.

    What is not printable is written by its number, and what databases act on within comments is broken.

    Examples
    --------
    >>> print(sql_comment("rules of a\n; DROP TABLE t */"))
    -- rules of a\n; DROP TABLE t * /
    """
    line = "".join(char if char.isprintable() else escape(char) for char in text)
    for sign in ("*/", "/*", "${"):
        line = line.replace(sign, " ".join(sign))
    return f"-- {line}"


def check_columns(names: Sequence[str], rules: Dialect) -> None:
    """Refuse columns that a dialect cannot carry, or tell apart."""
    seen: dict[str, str] = {}
    for name in names:
        reason = _unencodable(name) or rules.refusal(name)
        if reason:
            raise InputError(f"{name!r} cannot be a column in {rules.name}: {reason}. Rename the concept.")
        twin = seen.setdefault(rules.fold(name), name)
        if twin != name:
            raise InputError(
                f"{twin!r} and {name!r} are one column in {rules.name}. Rename one of the concepts."
            )


def _unencodable(name: str) -> str | None:
    if "\0" in name:
        return "it holds a NUL character"
    return "it cannot be encoded as UTF-8" if any("\ud800" <= char <= "\udfff" for char in name) else None


def sql_text(text: str, dialect: Dialect) -> str:
    """Text as a literal; one that the dialect cannot carry is refused."""
    reason = _unencodable(text)
    if dialect.name == "spark" and "${" in text:
        reason = "Spark would substitute ${...}"
    if reason:
        raise InputError(f"{text!r} cannot be a text in {dialect.name}: {reason}. Replace the value.")
    return dialect.text(text)


def sql_number(value: float, dialect: Dialect, text: str = "") -> str:
    """Float as an expression whose value is exactly that float.

    Parameters
    ----------
    value : float
    dialect : Dialect
    text : str, optional
        How to write it where the dialect reads decimal numbers right: with an exponent where decimals would
        be converted inexactly when missing, which makes it a double.

    Examples
    --------
    >>> sql_number(0.3, dialect_named("sqlite")), sql_number(0.1 + 0.2, dialect_named("duckdb"))
    ('0.3', '0.30000000000000004e0')
    >>> sql_number(0.1 + 0.2, dialect_named("sqlite"))
    '(1351079888211149 * 1.0 / 4503599627370496)'
    """
    number = repr(value)
    if not dialect.reads(number):
        return _quotient(value)
    return text or (number if "e" in number or len(number) <= 17 else f"{number}e0")


def _quotient(value: float) -> str:
    """A float as a whole number times or by powers of two, which no step rounds; all fit 64 bits."""
    whole, divisor = value.as_integer_ratio()
    sign, times = "/", divisor.bit_length() - 1
    if divisor == 1:
        sign, times = "*", (whole & -whole).bit_length() - 1
        whole >>= times
    steps = [62] * (times // 62) + [times % 62] * (times % 62 > 0)
    return f"({whole} * 1.0{''.join(f' {sign} {1 << step}' for step in steps)})"


def _group(formula: Formula) -> Formula:
    """Equivalent formula without double negations and with at most ``_WIDEST`` parts a node."""
    match formula:
        case Not(Not(arg)):
            return _group(arg)
        case Not(arg):
            return Not(_group(arg))
        case And() | Or():
            parts = list(map(_group, formula.args))
            while len(parts) > _WIDEST:
                starts = range(0, len(parts), _WIDEST)
                parts = [type(formula).of(parts[start : start + _WIDEST]) for start in starts]
            return type(formula)(*parts)
    return formula
