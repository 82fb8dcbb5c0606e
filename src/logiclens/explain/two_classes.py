"""Two classes explained together: their rules are the two forms of one formula.

What a network says of the second of two classes it denies of the first. Explained one by one, each rule
leaves out what it can spare, and then both hold on some rows, or neither. Here formulas are taken in pairs,
of which one holds wherever the other does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, cast

import numpy as np
from numpy.typing import ArrayLike

from logiclens.explain.choosing import Measured, choose_point, reading_cost
from logiclens.explain.classwise import RESTARTS, as_explanation, explain_class
from logiclens.explain.equivalence import Equivalents
from logiclens.explain.explanation import Explanation
from logiclens.explain.label import Label
from logiclens.explain.rule import RuleKind
from logiclens.logic.minimize import Exact, Minimized, minimize_path, prove
from logiclens.logic.truth_table import TruthTable

OPPOSITE_WORTH: Final = 2.0
"""What it is worth that one of two rules holds wherever the other does not, in literals of both rules; of
long rules, in which a literal costs up to twice as much, in half as many."""


def explain_two_classes(
    table: TruthTable,
    targets: tuple[Label, Label],
    truth: TruthTable,
    *,
    order: Sequence[str] | ArrayLike | None = None,
    max_literals: int | None = 20,
    exact: Exact = "auto",
) -> tuple[Explanation, Explanation]:
    """Explain two classes from what a network said about the second.

    A pair of opposite formulas is taken whose literals earn their reading in both rules. Where there is none,
    or two other formulas are much better, each class is explained by itself.

    Parameters
    ----------
    table : TruthTable
        The network's yes and no about the second class, over the concepts that it kept.
    targets : tuple of two labels
    truth : TruthTable
        Rows that are of the second class (yes) and of the first (no), about the same tuples.
    order, max_literals, exact
        As for :func:`~logiclens.explain.explain_class`.
    """
    sides = [(flipped(table), flipped(truth)), (table, truth)]
    if not all(each.yes.any() and each.no.any() for each in (table, truth)):
        how = partial(explain_class, order=order, max_literals=max_literals, exact=exact)
        one, other = (
            how(said, label, truth=true) for label, (said, true) in zip(targets, sides, strict=True)
        )
        return one, other
    search = partial(minimize_path, max_literals=max_literals, order=order, restarts=RESTARTS, exact=False)
    forms = [Equivalents.of(said, true, search(said)) for said, true in sides]
    found = [each.found[at] for each, at in zip(forms, _positions(*forms), strict=True)]
    best = [prove(of.table, each, order=order, exact=exact) for of, each in zip(forms, found, strict=True)]
    if _are_opposites(found, table) and not _are_opposites(best, table):
        best = found  # as good as others of their length, and together better
    one, other = (
        as_explanation(of.taken(each), label, RuleKind.IFF, of.table, of.truth, max_literals)
        for of, each, label in zip(forms, best, targets, strict=True)
    )
    return one, other


def flipped(table: TruthTable) -> TruthTable:
    """The same about the other of two classes."""
    return replace(table, yes=table.no, no=table.yes)


@dataclass(frozen=True)
class _Pair:
    """A formula for each class, and how often they are right."""

    literals: tuple[int, int]
    score: float

    @classmethod
    def of(cls, first: Equivalents, second: Equivalents, at: Sequence[int]) -> _Pair:
        points = first.front[at[0]], second.front[at[1]]
        scores = [cast(float, point.score) for point in points]
        return cls((points[0].literals, points[1].literals), sum(scores) / 2.0)

    def value(self, worth: float) -> float:
        """How often they are right, less what reading them costs."""
        return self.score - worth * float(reading_cost(self.literals).mean())


def _positions(first: Equivalents, second: Equivalents) -> tuple[int, int]:
    """Which formula of each front is taken."""
    alone = first.best(), second.best()
    opposite = (first.fired()[:, None] != second.fired()).all(axis=2)
    if opposite[alone] or not opposite.any():
        return alone
    least = _Pair.of(first, second, alone).value(second.worth) - OPPOSITE_WORTH * second.worth
    pairs = {(i, j): _Pair.of(first, second, (i, j)) for i, j in np.argwhere(opposite).tolist()}
    good = [at for at, pair in pairs.items() if pair.value(second.worth) >= least]
    if not good:
        return alone
    measured = cast(Measured, second.measured).select([j for _, j in good])
    rated = [pairs[at] for at in good]
    return good[choose_point(rated, measured.influence, measured.weight, worth=second.worth)]


def _are_opposites(found: Sequence[Minimized], table: TruthTable) -> bool:
    """Whether one of two formulas holds wherever the other does not, of all tuples that occur."""
    one, other = (each.cover.contains(table.rows) for each in found)
    return bool((one != other).all())
