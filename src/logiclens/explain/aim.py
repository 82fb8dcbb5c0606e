"""Which formula a network should give way to.

It is chosen from a front as the formula of an explanation is (:mod:`logiclens.explain.classwise`), with two
differences. Literals are dearer. And the network of two classes is read twice, once for each: what it says
of the second class is denied of the first. ``(a & b) | (c & d)`` has four literals, its complement eight. So
both forms are counted, and a formula is taken that is short either way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from logiclens.errors import LimitError
from logiclens.explain.choosing import Measured, choose_point, literal_worth
from logiclens.explain.classwise import RESTARTS
from logiclens.explain.two_classes import flipped
from logiclens.logic.arrays import BoolArray, quiet_products
from logiclens.logic.formula import FALSE, TRUE, Formula, Not
from logiclens.logic.minimize import Minimized, minimize_path
from logiclens.logic.truth_table import TruthTable

DEARER: Final = 1.25
"""How much more a literal must bring in a formula that a network settles on: after that it is all the network
says, and what was gained by chance does not come back on other rows."""
CLEARLY_WORSE: Final = 3.0
"""A formula that is short for either class is not taken where it is right less often than one that is short
for one of them, by more standard errors than this; where rows of a rare class count more than others, these
are too small."""
MOST_TERMS: Final = 32
"""Terms of the longest complement that is looked at."""


def formula_to_settle_on(
    table: TruthTable,
    truth: TruthTable,
    *,
    order: Sequence[str] | ArrayLike | None = None,
    max_literals: int | None = None,
) -> Formula:
    """The formula that a network should give way to.

    It is chosen as by :func:`~logiclens.explain.explain_class`, with literals that are :data:`DEARER`, and
    found sooner: nothing is made of the rest of the front, which ends where a literal brings less than half
    of its worth. Where the truth is all on one side, it is the last of that front.

    Parameters
    ----------
    table, truth, order, max_literals
        As for :func:`~logiclens.explain.explain_class`; both tables are about the same tuples.

    Examples
    --------
    Of 1000 rows ``a`` is right about all but one or ten, ``a | b`` about all.

    >>> X = [[0, 0], [0, 1], [1, 0]]
    >>> for n in (1, 10):
    ...     truth = TruthTable.from_counts(X, [0, n, 500 - n], [500, 0, 0], ["a", "b"])
    ...     print(formula_to_settle_on(truth, truth))
    a
    a | b
    """
    if (constant := _constant(table)) is not None:
        return constant
    found = _front(table, truth, order, max_literals)
    if _one_sided(truth):
        return found[-1].formula
    measured = Measured.of(np.array([each.cover.contains(truth.rows) for each in found]), truth, "accuracy")
    return found[_choice([(each.literals,) for each in found], measured, truth)].formula


def formula_of_two_classes(
    table: TruthTable,
    truth: TruthTable,
    *,
    order: Sequence[str] | ArrayLike | None = None,
    max_literals: int | None = None,
) -> Formula:
    """The formula that the network of two classes should give way to, short for either class.

    Formulas of both fronts compete, those for the second class and the complements of those for the first,
    as far as they are not clearly worse than the one that is best if only its own literals count. What
    reading them costs is the mean of both forms; neither has more than ``max_literals``, unless one of them
    has in all of these formulas. The other form is the one that was found for the other class, where one says
    the same about all tuples that occur, or else the complement.

    Parameters
    ----------
    table, truth, order, max_literals
        As for :func:`formula_to_settle_on`, about the second class.

    Returns
    -------
    Formula
        For the second class; the negation of a DNF where a formula for the first was taken.

    Examples
    --------
    ``(a & b) | (c & d)`` is right about all rows. ``d`` matters for 6 of 1,208: too few for a literal, as it
    takes three more to say the opposite.

    >>> X = [[a, b, c, d] for a in (0, 1) for b in (0, 1) for c in (0, 1) for d in (0, 1)]
    >>> yes = [2 * (c > d) or 100 if (a and b) or (c and d) else 0 for a, b, c, d in X]
    >>> no = [2 * (c > d) or 100 if not ((a and b) or (c and d)) else 0 for a, b, c, d in X]
    >>> truth = TruthTable.from_counts(X, yes, no, ["a", "b", "c", "d"])
    >>> print(formula_to_settle_on(truth, truth))
    (c & d) | (a & b)
    >>> print(formula_of_two_classes(truth, truth))
    c | (a & b)
    """
    if (constant := _constant(table)) is not None:
        return constant
    if _one_sided(truth):
        return formula_to_settle_on(table, truth, order=order, max_literals=max_literals)
    of_first = _front(flipped(table), flipped(truth), order, max_literals)
    of_second = _front(table, truth, order, max_literals)
    forms = [*(_Form(each, True) for each in of_second), *(_Form(each, False) for each in of_first)]
    fired = np.array([form.found.cover.contains(truth.rows) == form.is_second for form in forms])
    measured = Measured.of(fired, truth, "accuracy")
    alone = _choice([(form.found.literals,) for form in forms], measured, truth)
    shortest = _shortest(forms, fired)
    both = {}
    for at in _not_clearly_worse(measured, alone):
        opposite = shortest.get((fired[at].tobytes(), not forms[at].is_second), np.inf)
        opposite = min(opposite, _literals_of_complement(forms[at].found))
        if opposite < np.inf and (max_literals is None or opposite <= max_literals):
            both[at] = forms[at].found.literals, int(opposite)
    best = list(both)[_choice(list(both.values()), measured.select(list(both)), truth)] if both else alone
    formula, is_second = forms[best].found.formula, forms[best].is_second
    return formula if is_second else Not(formula)


class _Form(NamedTuple):
    """A formula for the second class, or for the first."""

    found: Minimized
    is_second: bool


class _Rated(NamedTuple):
    """A formula that need not be made unless it is taken."""

    literals: tuple[int, ...]
    score: float


def _constant(table: TruthTable) -> Formula | None:
    """What a network says that gives one answer only."""
    if table.yes.any() and table.no.any():
        return None
    return TRUE if table.yes.any() else FALSE


def _one_sided(truth: TruthTable) -> bool:
    return not (truth.yes.any() and truth.no.any())


def _front(
    table: TruthTable, truth: TruthTable, order: Sequence[str] | ArrayLike | None, max_literals: int | None
) -> tuple[Minimized, ...]:
    """Formulas from short to long, up to where a literal brings less than half of its worth."""
    said = np.array([table.yes.sum(), table.no.sum()])
    true = np.array([truth.yes.sum(), truth.no.sum()])
    if _one_sided(truth):
        price = literal_worth(*said.tolist())
    else:
        # Rows of the rarer side may count more in the truth than in the table: there the price is less.
        shares = (said / said.sum()) / (true / true.sum())
        price = DEARER * literal_worth(*true.tolist()) * min(1.0, float(shares.min()))
    return minimize_path(
        table,
        max_literals=max_literals,
        order=order,
        exact=False,
        restarts=RESTARTS,
        literal_cost=price / 2.0,
    )


def _choice(literals: Sequence[tuple[int, ...]], measured: Measured, truth: TruthTable) -> int:
    """Position of the formula to take, by the literals of its forms."""
    rated = [_Rated(*each) for each in zip(literals, measured.scores.tolist(), strict=True)]
    worth = DEARER * literal_worth(float(truth.yes.sum()), float(truth.no.sum()))
    return choose_point(rated, measured.influence, measured.weight, worth=worth)


@quiet_products
def _not_clearly_worse(measured: Measured, than: int) -> list[int]:
    """Positions of the formulas that are not right less often than one of them by more than chance."""
    error = np.sqrt(np.square(measured.influence - measured.influence[than]) @ measured.weight)
    least = measured.scores[than] - CLEARLY_WORSE * error - 1e-12  # equals but for rounding
    return np.flatnonzero(measured.scores >= least).tolist()


def _shortest(forms: Sequence[_Form], fired: BoolArray) -> dict[tuple[bytes, bool], float]:
    """Literals of the shortest form for each class that says the same about all tuples that occur."""
    found: dict[tuple[bytes, bool], float] = {}
    for form, said in zip(forms, fired, strict=True):
        key = said.tobytes(), form.is_second
        found[key] = min(form.found.literals, found.get(key, np.inf))
    return found


def _literals_of_complement(found: Minimized) -> float:
    """Literals of a DNF of the complement, not always the shortest; infinity where it has too many terms."""
    try:
        return found.cover.complement(MOST_TERMS).n_literals
    except LimitError:
        return np.inf
