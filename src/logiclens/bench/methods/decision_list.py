"""Lists of rules of which the first that fires decides, as formulas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from logiclens.errors import LimitError
from logiclens.logic import to_dnf, to_nnf
from logiclens.logic.formula import And, Const, Formula, Not, Or, Var

MOST_TERMS = 20_000
"""Terms of a normal form up to which it is written out."""


def condition(literals: Mapping[str, bool]) -> Formula:
    """The conjunction of literals, from the value that each concept must have.

    Examples
    --------
    >>> str(condition({"a": True, "b": False}))
    'a & ~b'
    """
    return And.of(Var(name) if value else Not(Var(name)) for name, value in literals.items())


def list_formula(conditions: Sequence[Formula], says: Sequence[bool], otherwise: bool) -> Formula:
    """Where a list of rules says yes, in disjunctive normal form.

    Terms that contradict themselves or imply another are left out, nothing else is. A list whose normal form
    has more than :data:`MOST_TERMS` terms is left as it is read.

    Parameters
    ----------
    conditions : sequence of Formula
        When each rule fires.
    says : sequence of bool
        What it says then, if no rule before it fired.
    otherwise : bool
        What is said where none fires.

    Examples
    --------
    >>> a, b, c = Var("a"), Var("b"), Var("c")
    >>> str(list_formula([a & b, c], [False, True], False))
    '(~a & c) | (~b & c)'
    """
    formula: Formula = Const(otherwise)
    for fires, yes in zip(reversed(conditions), reversed(says), strict=True):
        formula = Or(fires, formula) if yes else And(Not(fires), formula)
    try:
        return to_dnf(formula, MOST_TERMS)
    except LimitError:
        return to_nnf(formula)
