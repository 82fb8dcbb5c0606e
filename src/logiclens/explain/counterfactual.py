"""What would have to be different: the fewest changes of a row that turn a rule's formula.

A formula is true where one of the terms of its DNF is, and false where one of the terms of its negation is.
So the nearest row on the other side is the nearest row that satisfies one of those terms; for each term that
is a matter of its own literals, column by column. Nothing is searched, and nothing nearer is missed.

What a change is, and what changes together, is said in :mod:`logiclens.explain.changes`. For the fewest
changes that turn what a whole set of rules predicts see :mod:`logiclens.explain.prediction_counterfactual`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from logiclens.concepts.table import Table
from logiclens.errors import InputError, shown
from logiclens.explain.changes import (
    Change,
    Term,
    Unit,
    check_groups,
    column_units,
    one_row,
    plain_units,
    target_named,
    terms_asked,
    told,
)
from logiclens.explain.html import counterfactual_html
from logiclens.explain.rule import Rule
from logiclens.logic.data import ConceptData
from logiclens.logic.formula import Not
from logiclens.logic.normal_form import to_dnf


@dataclass(frozen=True)
class Counterfactual:
    """The fewest changes of a row that turn a rule's formula.

    Attributes
    ----------
    rule : Rule
    truth : bool
        Truth of the formula on the row as it is.
    changes : tuple of Change, or None
        What to change so that the formula is true where it was false, or false where it was true. None where
        nothing would: a formula that is always true, or always false.

    Examples
    --------
    >>> from logiclens.logic import parse_formula
    >>> rule = Rule("bird", parse_formula("(wings & beak) | feathers"))
    >>> found = counterfactual(rule, {"wings": [1], "beak": [0], "feathers": [0]})
    >>> print(found)
    The rule of bird would hold if beak were true.
    >>> found.concepts
    {'beak': True}
    """

    rule: Rule
    truth: bool
    changes: tuple[Change, ...] | None

    @property
    def found(self) -> bool:
        """Whether there is a way to turn the formula."""
        return self.changes is not None

    @property
    def concepts(self) -> dict[str, bool]:
        """All concepts that turn, with their values afterwards."""
        turned: dict[str, bool] = {}
        for change in self.changes or ():
            turned |= change.concepts
        return turned

    def to_sentence(self) -> str:
        """Plain English, on one line."""
        if self.changes is None:
            return f"Nothing would change it: the formula is always {'true' if self.truth else 'false'}."
        turned = "no longer hold" if self.truth else "hold"
        changes = " and ".join(change.after for change in self.changes)
        return f"The rule of {target_named(self.rule)} would {turned} if {changes}."

    def __str__(self) -> str:
        return self.to_sentence()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return counterfactual_html(self.to_sentence(), self.changes)


def counterfactual(rule: Rule, x: Any, *, groups: Iterable[Sequence[str]] = ()) -> Counterfactual:
    """Find the fewest changes of one row that make a rule's formula true, or false where it is true.

    Parameters
    ----------
    rule : Rule
    x : data frame, mapping or array, one row
        Concepts, Booleans or numbers in [0, 1]; with a vocabulary the columns of the raw table. An array
        without a vocabulary has as its columns the rule's own concepts, and those of their groups, in sorted
        order.
    groups : iterable of sequences of str, optional
        Concepts of which exactly one is true. With a vocabulary they are known, and this must be empty.

    Returns
    -------
    Counterfactual
        Of all ways with the fewest changes, one that turns the fewest concepts; of those, the first in the
        order of the terms.

    Examples
    --------
    >>> from logiclens.logic import Var
    >>> rule = Rule("stop", ~Var("green"), "iff")
    >>> print(counterfactual(rule, {"green": [1], "red": [0]}, groups=[["green", "red"]]).changes[0].concepts)
    {'green': False, 'red': True}
    """
    if not isinstance(rule, Rule):
        raise InputError(f"A counterfactual is about a Rule. Got {shown(rule)}.")
    words = rule.vocabulary
    grouped = check_groups(groups, words)
    if words is None:
        units = plain_units(rule.concepts, grouped)
        row = _plain_row(x, [name for unit in units for name in unit.names])
    else:
        units, row = column_units(words, rule.concepts, x)
    values = np.array([[row[name] for name in rule.concepts]], dtype=np.bool_)
    truth = bool(rule.formula.evaluate(values, rule.concepts)[0])
    wanted = to_dnf(Not(rule.formula) if truth else rule.formula)
    ways = [way for term in terms_asked(wanted) if (way := _way(term, units, row)) is not None]
    if not ways:
        return Counterfactual(rule, truth, None)
    best = min(ways, key=lambda way: (len(way), sum(len(turned) for _, _, turned in way)))
    return Counterfactual(rule, truth, tuple(told(words, *step, row) for step in best))


_Step = tuple[Unit, Term, Term]  # what changes, what the term asks of it, what turns


def _way(term: Term, units: Sequence[Unit], row: Mapping[str, bool]) -> list[_Step] | None:
    """The changes that make a term true; None when no value of some column does."""
    steps: list[_Step] = []
    for unit in units:
        asked = {name: term[name] for name in unit.names if name in term}
        turned = unit.nearest(asked, row)
        if turned is None:
            return None
        if turned:
            steps.append((unit, asked, turned))
    return steps


def _plain_row(x: Any, names: Sequence[str]) -> Term:
    named = isinstance(x, Mapping) or Table(x).named
    return one_row(ConceptData(x) if named else ConceptData(x, sorted(names)), names)
