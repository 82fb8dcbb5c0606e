"""What every way of writing formulas shares: the shape of the text, its limits, the escapes of names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from logiclens.errors import InputError, LimitError, as_code, shown
from logiclens.logic.formula import MAX_DEPTH, And, Const, Formula, Not, Or, Var

MAX_SIZE = 200_000
"""Most literals, constants and connectives of a formula that is written out."""
RESERVED = {"and": "&", "or": "|", "not": "~", "true": "TRUE", "false": "FALSE"}
"""Words that are no concepts unless they are quoted, and what to write for them."""

_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


@dataclass(frozen=True, slots=True)
class Notation:
    """How one way of writing formulas spells its parts.

    Connectives inside connectives always stand in parentheses: nobody has to know what binds tighter. So do
    literals that are phrases, such as ``age <= 62``, after a sign of negation.
    """

    literal: Callable[[str, bool], str]
    true: str
    false: str
    negation: str
    conjunction: str
    disjunction: str
    phrases: bool = False

    def write(self, formula: Formula) -> str:
        """Text of a formula, outermost parentheses left out."""
        match formula:
            case Const(value):
                return self.true if value else self.false
            case Var(name):
                return self.literal(name, True)
            case Not(Var(name)):
                return self.literal(name, False)
            case Not(Not(Var(name))) if self.phrases and not self.literal(name, False).startswith("("):
                return f"{self.negation}({self.literal(name, False)})"
            case Not(arg):
                return self.negation + self.part(arg)
        sign = self.conjunction if isinstance(formula, And) else self.disjunction
        return sign.join(map(self.part, formula.args))

    def part(self, formula: Formula) -> str:
        """Text of a formula that stands inside another."""
        text = self.write(formula)
        return f"({text})" if isinstance(formula, And | Or) else text


def check_writable(formula: Any, deepest: int = MAX_DEPTH) -> None:
    """Refuse what is no formula, and formulas that are too large or too deep to be written out."""
    if not isinstance(formula, Formula):
        hint = f"; write {code}" if (code := as_code(formula)) else ""
        raise InputError(f"Only a formula can be written out. Got {shown(formula)}{hint}.")
    if formula.depth > deepest:
        raise LimitError(
            f"The formula is nested {formula.depth} levels deep; this form takes {deepest} at most. "
            "Bring it into a normal form first."
        )
    if formula.size > MAX_SIZE:
        raise LimitError(
            f"The formula has more than {MAX_SIZE} literals and connectives when written out. "
            "Simplify it first, or write its parts one by one."
        )


def is_plain(name: str) -> bool:
    """Whether a concept's name can stand in a text as it is, without quotes."""
    return name.isidentifier() and name.isprintable() and name.lower() not in RESERVED


def escape(text: str, special: str = "") -> str:
    """Text on one line: backslashes, ``special`` and what cannot be seen become escapes."""
    return "".join(_escaped(char, special) for char in text)


def _escaped(char: str, special: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char in special:
        return f"\\{char}" if char.isascii() else f"\\u{ord(char):04x}"
    if char.isprintable():
        return char
    return f"\\u{ord(char):04x}" if ord(char) <= 0xFFFF else f"\\U{ord(char):08x}"
