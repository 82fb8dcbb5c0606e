"""From a network's answers about one target to the explanation of the target (class level, Eq. 2).

The paper joins the example-level explanations of a target's rows. Here the whole empirical truth table is
minimized instead, with the tuples that were never seen as don't-cares: that gives a front of formulas, from
short and rough to long and exact. Which of them to take is decided on rows whose truth is known: every
literal must earn its reading, the more the longer the formula is. Of what is then best, the shortest formula
is taken that is not clearly worse, judged on rows where they differ, as by the one-standard-error rule.

What is asked of a formula depends on the kind of rule (Sec. 4.2):

    IFF, CLUSTER   to be right about as much weight as possible
    IF             to hold on nearly all of the target (necessary), then to be precise
    ONLY IF        to hold on nearly nothing but the target (sufficient), then to find much of it
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from logiclens.explain.choosing import Measured, choose_point, literal_worth
from logiclens.explain.equivalence import Equivalents
from logiclens.explain.explanation import Explanation, Scope
from logiclens.explain.front import FrontPoint, Scores
from logiclens.explain.label import Label, plain_label
from logiclens.explain.rule import Rule, RuleKind, member
from logiclens.explain.unseen import check_table
from logiclens.logic.arrays import BoolArray
from logiclens.logic.formula import FALSE, TRUE, Formula
from logiclens.logic.minimize import Exact, Minimized, Status, minimize_path, prove
from logiclens.logic.truth_table import TruthTable

IMPLICATION_WEIGHT: Final = 50.0
"""How much more an error counts that breaks an implication than one that does not."""
NECESSARY_RECALL: Final = 0.995
"""Share of a target on which a necessary condition must hold."""
SUFFICIENT_PRECISION: Final = 0.95
"""Share of the target among the rows on which a sufficient condition holds."""
_IMPLICATIONS: Final = (RuleKind.IF, RuleKind.ONLY_IF)
RESTARTS: Final = 1
"""Restarts of the search for the front: enough for tables over few concepts, and many times quicker."""

Chosen: TypeAlias = tuple[Formula, str, tuple[FrontPoint, ...]]
"""A formula, its status, and the front that it was chosen from."""

NEVER, ALWAYS = "never predicted on the data", "always predicted on the data"
NOT_NECESSARY = f"no formula holds on {NECESSARY_RECALL:.1%} of the target"
NOT_SUFFICIENT = f"no formula has a precision of {SUFFICIENT_PRECISION:.0%}"


def explain_class(
    table: TruthTable,
    target: Label,
    *,
    kind: RuleKind | str = RuleKind.IFF,
    truth: TruthTable | None = None,
    order: Sequence[str] | ArrayLike | None = None,
    max_literals: int | None = 20,
    exact: Exact = "auto",
) -> Explanation:
    """Explain one target from what a network said about it.

    Parameters
    ----------
    table : TruthTable
        The network's yes and no about the target, over the concepts that it kept.
    target : str, int, float or bool
        Label of the target.
    kind : RuleKind, default "iff"
        How the formula is tied to the target.
    truth : TruthTable, optional
        Validation rows: the weight of those that are the target (yes) and that are not (no), over the same
        concepts or more. It decides how long the formula is. Without it, or when all of its rows are on one
        side, the formula of the front that agrees most with the network is taken.
    order : sequence of str, or array of shape (n_concepts,) or (n_rows, n_concepts), optional
        Which concepts matter, as for :func:`logiclens.logic.minimize`.
    max_literals : int or None, default 20
        Length of the longest formula to consider; None for no limit.
    exact : {"auto", True, False}, default "auto"
        Whether the formula is proved to be the best of its length. Of an equivalence the formula that is
        taken is, as by :func:`logiclens.logic.prove`; of an implication all of the front are, as by
        :func:`logiclens.logic.minimize_path`, since what comes out of a proof must hold as well.

    Returns
    -------
    Explanation
        Scores are those on ``truth``, but for fidelity, the agreement with ``table``. The score of a point of
        the front is its accuracy, precision (IF) or recall (ONLY IF); that of an implication holds only
        formulas good enough for it.

    Examples
    --------
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> table = TruthTable.from_data(X, [0, 1, 1, 0], names=["x1", "x2"])
    >>> print(explain_class(table, "xor"))
    forall x: xor(x) <-> (~x1(x) & x2(x)) | (x1(x) & ~x2(x))
    >>> print(explain_class(table, "xor", kind="only_if", max_literals=2))
    forall x: (x1(x) & ~x2(x)) -> xor(x)

    References
    ----------
    Sec. 4.1, Eq. (2), and Sec. 4.2 of Ciravegna et al., *Logic Explained Networks*.
    """
    check_table(table, "table")
    target, kind = plain_label(target), member(RuleKind, kind, "kind of rule")
    held_out = None if truth is None else check_table(truth, "truth").select(table.names)
    if not (table.yes.any() and table.no.any()):
        chosen: Chosen = (TRUE, ALWAYS, ()) if table.yes.any() else (FALSE, NEVER, ())
    else:
        usable = held_out is not None and held_out.yes.any() and held_out.no.any()
        search = partial(minimize_path, max_literals=max_literals, order=order, restarts=RESTARTS)
        chosen = _chosen(
            table,
            kind,
            held_out if usable else None,
            partial(search, exact=exact if kind in _IMPLICATIONS else False),
            partial(prove, order=order, exact=exact),
        )
    return as_explanation(chosen, target, kind, table, held_out, max_literals)


def as_explanation(
    chosen: Chosen,
    target: Label,
    kind: RuleKind,
    table: TruthTable,
    truth: TruthTable | None,
    max_literals: int | None,
) -> Explanation:
    """The explanation of a target by a formula that was chosen for it, with scores."""
    formula, status, front = chosen
    ends = bool(front) and formula == front[-1].formula and formula.complexity > 0
    if ends and front[-1].errors > 0 and max_literals is not None:
        status = f"{status} within max_literals={max_literals}"
    return Explanation(
        Rule(target, formula, kind),
        scope=Scope.CLASS,
        status=status,
        support=float(table.yes.sum()),
        scores=None if truth is None else rates_on(formula, table, truth, "validation"),
        front=front,
    )


def rates_on(
    formula: Formula, table: TruthTable, truth: TruthTable, part: str, n_rows: int | None = None
) -> Scores:
    """How good a formula is on some rows, and how well it agrees with the network.

    Parameters
    ----------
    formula : Formula
    table, truth : TruthTable
        As for :func:`explain_class`, over the same concepts.
    part : str
        What the rows of ``truth`` are: "validation", "training".
    n_rows : int, optional
        Their number; their weight, rounded, when missing.
    """
    fired = fired_rows(formula, truth)
    right, covered = float(truth.yes @ fired), float((truth.yes + truth.no) @ fired)
    total, members = truth.total, float(truth.yes.sum())
    agreed = np.where(fired_rows(formula, table), table.yes, table.no).sum()
    return Scores(
        part=part,
        n_rows=round(total) if n_rows is None else n_rows,
        precision=_share(right, covered) if covered else None,
        recall=_share(right, members) if members else None,
        coverage=_share(covered, total),
        accuracy=_share(float(np.where(fired, truth.yes, truth.no).sum()), total),
        fidelity=_share(float(agreed), table.total),
    )


def fired_rows(formula: Formula, table: TruthTable) -> BoolArray:
    """Truth of a formula on each tuple of a table, shape (n_rows,)."""
    return formula.evaluate(table.to_array(), table.names)


def _share(part: float, whole: float) -> float:
    return min(part / whole, 1.0)  # sums in another order may differ in the last digit


def _chosen(
    table: TruthTable,
    kind: RuleKind,
    truth: TruthTable | None,
    front_of: Callable[[TruthTable], tuple[Minimized, ...]],
    proof_of: Callable[[TruthTable, Minimized], Minimized],
) -> Chosen:
    """Formula, status and front of a target about which the network said yes and no."""
    if kind not in _IMPLICATIONS:
        forms = Equivalents.of(table, truth, front_of(table))
        return forms.taken(proof_of(table, forms.found[forms.best()]))
    reference = table if truth is None else truth
    found = _candidates(table, kind, front_of)
    fired = np.array([each.cover.contains(reference.rows) for each in found])
    good = _good_enough(kind, fired, reference)
    formulas = [each.formula for each, kept in zip(found, good, strict=True) if kept]
    statuses = {each.formula: str(each.status) for each in found}
    fired = fired[good]
    if kind is RuleKind.ONLY_IF and not formulas:
        return FALSE, NOT_SUFFICIENT, ()
    if kind is RuleKind.IF and TRUE not in formulas:
        formulas.insert(0, TRUE)
        fired = np.insert(fired, 0, True, axis=0)
    if kind is RuleKind.IF and len(formulas) == 1:
        statuses[TRUE] = NOT_NECESSARY
    front = [point_on(formula, table) for formula in formulas]
    if truth is None:
        weighted = _weighted(table, kind)
        errors = [point_on(formula, weighted).errors for formula in formulas]
        at = int(np.argmin(errors))  # the first of equals is the shortest
    else:
        measured = Measured.of(fired, truth, "precision" if kind is RuleKind.IF else "recall")
        front = [replace(point, score=score) for point, score in zip(front, measured.scores, strict=True)]
        worth = literal_worth(float(truth.yes.sum()), float(truth.no.sum()))
        at = choose_point(front, measured.influence, measured.weight, worth=worth)
    return formulas[at], statuses.get(formulas[at], str(Status.SEARCHED)), tuple(front)


def _candidates(
    table: TruthTable, kind: RuleKind, front_of: Callable[[TruthTable], tuple[Minimized, ...]]
) -> list[Minimized]:
    """Formulas to choose from for an implication, by length; those of an equivalence are among them.

    With noise in the table, what is nearly an implication is often the equivalence cut off early.
    """
    found = (*front_of(table), *front_of(_weighted(table, kind)))
    distinct = {each.formula: each for each in found}
    return sorted(distinct.values(), key=lambda each: each.literals)


def _good_enough(kind: RuleKind, fired: BoolArray, reference: TruthTable) -> BoolArray:
    """Which formulas may stand in an implication of that kind, given their truth on the tuples."""
    if kind is RuleKind.IF:
        return np.asarray(Measured.of(fired, reference, "recall").scores >= NECESSARY_RECALL)
    return np.asarray(Measured.of(fired, reference, "precision").scores >= SUFFICIENT_PRECISION)


def _weighted(table: TruthTable, kind: RuleKind) -> TruthTable:
    """The table, with the errors that break an implication made dear."""
    yes = IMPLICATION_WEIGHT if kind is RuleKind.IF else 1.0
    no = IMPLICATION_WEIGHT if kind is RuleKind.ONLY_IF else 1.0
    return TruthTable(table.names, table.rows, table.yes * yes, table.no * no)


def point_on(formula: Formula, table: TruthTable) -> FrontPoint:
    """A formula with its errors on a table."""
    errors = np.where(fired_rows(formula, table), table.no, table.yes).sum()
    return FrontPoint(formula, formula.complexity, float(errors))
