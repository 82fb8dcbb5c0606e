"""Formulas for other programs and people: Python source, SymPy, JSON, a plain sentence.

On rows where every value is known, each export says the same as
:meth:`~logiclens.logic.formula.Formula.evaluate`. Names are data here,
too: they only ever appear inside the target's own quotes, with its own escapes, and a name that the
target cannot carry is refused, never changed. SQL has a module of its own, :mod:`logiclens.logic.sql`.
"""

from __future__ import annotations

import json
import keyword
from collections.abc import Callable
from typing import Any

from logiclens.errors import InputError, LimitError, MissingDependencyError, listing, shown
from logiclens.logic.data import THRESHOLD, check_threshold
from logiclens.logic.formula import (
    FALSE,
    MAX_DEPTH,
    TRUE,
    And,
    Const,
    Formula,
    Not,
    Notation,
    Or,
    Var,
    check_writable,
    misread_with,
    plain_name,
)

MAX_JSON_LENGTH = 10_000_000
"""Most characters of a formula's JSON text."""

_DEEPEST = 80  # Python's parser and SymPy's printers recurse many times a level


def to_python(formula: Formula, name: str = "rule", *, threshold: float = THRESHOLD) -> str:
    """Source of a Python function that needs nothing but Python.

    The function takes a mapping from concept names to single values, Booleans or numbers in [0, 1],
    and returns a bool. Names appear as string literals only. The values must be known: a concept that
    the function needs and the mapping lacks raises ``KeyError``, None raises ``TypeError``, and NaN is
    neither true nor false, so no literal holds on it, negated or not.

    Parameters
    ----------
    formula : Formula
    name : str, default "rule"
        Name of the function.
    threshold : float, default 0.5
        A value counts as true when it is greater, as in
        :meth:`~logiclens.logic.formula.Formula.evaluate`.

    Returns
    -------
    str

    Raises
    ------
    InputError
        The name is not one that a function can have, or the threshold is not in [0, 1).
    LimitError
        The formula is nested too deep, or too long.

    Examples
    --------
    >>> source = to_python((Var("red") & ~Var("bill colour")) | Var("small"))
    >>> print(source, end="")
    def rule(row):
        return True if (
            (row['red'] > 0.5 and row['bill colour'] <= 0.5)
            or row['small'] > 0.5
        ) else False
    >>> scope = {}
    >>> exec(source, scope)
    >>> scope["rule"]({"red": 1, "bill colour": 0.2, "small": False})
    True
    """
    check_function_name(name)
    check_writable(formula, _DEEPEST)
    return write_python(formula, name, threshold_literal(check_threshold(threshold)))


def threshold_literal(cut: float) -> Callable[[str, bool], str]:
    """Write a literal in Python: a value of ``row`` compared with a threshold."""

    def literal(name: str, positive: bool) -> str:
        return f"row[{name!r}] {'>' if positive else '<='} {cut!r}"

    return literal


def check_function_name(name: str) -> None:
    """Refuse what cannot be the name of a function."""
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name) or name == "__debug__":
        raise InputError(f"A function cannot be called {shown(name)}. Give name= a Python identifier.")


def write_python(formula: Formula, name: str, literal: Callable[[str, bool], str]) -> str:
    """Source of a function of ``row`` for a formula, each literal as the caller writes it."""
    # No call of bool(): the function itself may have been given that name.
    test = python_condition(formula, literal)
    answer = (
        test if isinstance(_negations_at_concepts(formula, True), Const) else f"True if {test} else False"
    )
    return f"def {name}(row):\n    return {answer}\n"


def python_condition(formula: Formula, literal: Callable[[str, bool], str]) -> str:
    """A formula as an expression for the body of a function; true or false where its literals are."""
    check_writable(formula, _DEEPEST)
    positive = _negations_at_concepts(formula, True)
    notation = Notation(literal, "True", "False", "not ", " and ", " or ")
    if isinstance(positive, Const):
        return notation.write(positive)
    sign = "and" if isinstance(positive, And) else "or"
    parts = (
        map(notation.part, positive.args) if isinstance(positive, And | Or) else [notation.write(positive)]
    )
    body = f"\n        {sign} ".join(parts)
    return f"(\n        {body}\n    )"


def _negations_at_concepts(formula: Formula, positive: bool) -> Formula:
    """Return the formula or its negation, every literal kept: ``not (nan > 0.5)`` would be true."""
    match formula:
        case Const(value):
            return TRUE if value == positive else FALSE
        case Var():
            return formula if positive else Not(formula)
        case Not(arg):
            return _negations_at_concepts(arg, not positive)
    kind = And if isinstance(formula, And) == positive else Or
    return kind(*(_negations_at_concepts(part, positive) for part in formula.args))


def to_sympy(formula: Formula) -> Any:
    """Equivalent SymPy expression; SymPy simplifies a little on the way.

    Concepts become symbols of exactly that name, without assumptions. To compute with them, pass
    ``dummify=True`` to ``sympy.lambdify``, which otherwise pastes names into source.

    Parameters
    ----------
    formula : Formula

    Returns
    -------
    sympy.logic.boolalg.Boolean

    Raises
    ------
    MissingDependencyError
        SymPy is not installed.
    LimitError
        The formula is nested too deep, or too long.

    Examples
    --------
    >>> import sympy
    >>> expression = to_sympy(Var("red") & ~Var("bill colour"))
    >>> symbols = [sympy.Symbol("red"), sympy.Symbol("bill colour")]
    >>> sympy.lambdify(symbols, expression, modules="math", dummify=True)(True, False)
    True
    """
    try:
        import sympy
    except ImportError:
        raise MissingDependencyError(
            "to_sympy needs SymPy. Install it with: pip install 'logiclens[sympy]'"
        ) from None
    check_writable(formula, _DEEPEST)

    def build(node: Formula) -> Any:
        match node:
            case Const(value):
                return sympy.true if value else sympy.false
            case Var(name):
                return sympy.Symbol(name)
            case Not(arg):
                return sympy.Not(build(arg))
        connective = sympy.And if isinstance(node, And) else sympy.Or
        return connective(*map(build, node.args))

    return build(formula)


def to_json(formula: Formula) -> str:
    """JSON text that :func:`from_json` reads back exactly.

    Under ``"formula"`` a string is a concept, ``true`` and ``false`` are constants, and ``{"not": f}``,
    ``{"and": [f, g, ...]}`` and ``{"or": [f, g, ...]}`` are the rest.

    Parameters
    ----------
    formula : Formula

    Returns
    -------
    str
        One line of ASCII.

    Raises
    ------
    InputError
        A name holds two surrogates in a row: JSON would make one character of them.
    LimitError
        The formula is too long.

    Examples
    --------
    >>> print(to_json(Var("red") & ~Var("bill colour")))
    {"format": "logiclens.formula", "version": 1, "formula": {"and": ["red", {"not": "bill colour"}]}}
    """
    check_writable(formula)
    for name in formula.concepts:
        if json.loads(json.dumps(name)) != name:
            raise InputError(
                f"JSON cannot carry the concept {name!r}: it holds a split surrogate pair. Rename it."
            )
    text = json.dumps({"format": _FORMAT, "version": _VERSION, "formula": _encode(formula)})
    if len(text) > MAX_JSON_LENGTH:
        raise LimitError(f"The formula takes {len(text)} characters of JSON; {MAX_JSON_LENGTH} is the limit.")
    return text


_FORMAT = "logiclens.formula"
_VERSION = 1
_ENTRIES = {"format", "version", "formula"}


def _encode(formula: Formula) -> Any:
    match formula:
        case Const(value):
            return value
        case Var(name):
            return name
        case Not(arg):
            return {"not": _encode(arg)}
    return {"and" if isinstance(formula, And) else "or": list(map(_encode, formula.args))}


def from_json(text: str) -> Formula:
    """Read the formula that :func:`to_json` wrote; no code is run.

    Parameters
    ----------
    text : str

    Returns
    -------
    Formula

    Raises
    ------
    InputError
        The text is damaged, comes from elsewhere or from a later version, or is too long or too deep.

    Examples
    --------
    >>> from_json(to_json(~Var("bill colour")))
    Not(Var('bill colour'))
    """
    if not isinstance(text, str):
        raise InputError(f"A saved formula is read from a string. Got {type(text).__name__}.")
    if len(text) > MAX_JSON_LENGTH:
        raise InputError(f"A saved formula has {MAX_JSON_LENGTH} characters at most. Got {len(text)}.")
    try:
        saved = json.loads(text, object_pairs_hook=_without_repeats)
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"A saved formula is JSON; this text is not: {error}. Save it again.") from None
    except RecursionError:
        raise InputError(_TOO_DEEP) from None
    if not isinstance(saved, dict) or saved.get("format") != _FORMAT or set(saved) != _ENTRIES:
        raise InputError(
            f'A saved formula has the entries "format": "{_FORMAT}", "version" and "formula" only.'
        )
    version = saved["version"]
    if type(version) is not int or version != _VERSION:
        got = version if type(version) is int else type(version).__name__
        raise InputError(
            f"The formula was saved in version {got} of the format; this release reads version {_VERSION}. "
            "Update logiclens, or save it again."
        )
    return _decode(saved["formula"], MAX_DEPTH)


_TOO_DEEP = f"A saved formula is nested {MAX_DEPTH} levels deep at most. Flatten it before saving."


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        raise InputError(
            f"A saved formula repeats an entry: {listing(key for key, _ in pairs)}. Save it again."
        )
    return entries


def _decode(value: Any, levels: int) -> Formula:
    if levels == 0:
        raise InputError(_TOO_DEEP)
    match value:
        case bool():
            return TRUE if value else FALSE
        case str():
            return Var(value)
        case {"not": part} if len(value) == 1:
            return Not(_decode(part, levels - 1))
        case {"and": [_, _, *_] as parts} if len(value) == 1:
            return And(*(_decode(part, levels - 1) for part in parts))
        case {"or": [_, _, *_] as parts} if len(value) == 1:
            return Or(*(_decode(part, levels - 1) for part in parts))
    got = f"an object with {listing(value)}" if isinstance(value, dict) else type(value).__name__
    raise InputError(
        'A saved formula is made of names, true, false, {"not": f} and {"and": [f, g, ...]} or "or" with '
        f"two parts or more. Got {got}."
    )


def to_sentence(formula: Formula) -> str:
    """Plain English, on one line.

    A comma stands before the outermost "and" or "or" where there are others within; what is nested
    deeper stands in parentheses. A name stands as it is; one that could be taken for a part of the sentence
    stands between ``‹`` and ``›``, with the escapes of :func:`~logiclens.logic.syntax.parse_formula`.

    Parameters
    ----------
    formula : Formula

    Returns
    -------
    str

    Raises
    ------
    LimitError
        The formula is too long.

    Examples
    --------
    >>> print(to_sentence((Var("red") & ~Var("bill colour")) | Var("small")))
    red and not bill colour, or small
    >>> print(to_sentence(~(Var("red") | Var("small"))), "--", to_sentence(TRUE))
    not (red or small) -- always
    """
    return write_sentence(formula, _sentence_literal)


def write_sentence(formula: Formula, literal: Callable[[str, bool], str], phrases: bool = False) -> str:
    """A formula in plain English, each literal as the caller words it."""
    check_writable(formula)
    return Notation(literal, "always", "never", "not ", " and ", " or ", phrases, commas=True).write(formula)


SAID = misread_with("is", "were", "above", "at most", "either", "neither", "nor", "missing", "known")
"""What a name must not have in it to stand in a sentence as it is."""


def _sentence_literal(name: str, positive: bool) -> str:
    return ("" if positive else "not ") + plain_name(name, SAID)
