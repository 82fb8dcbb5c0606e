"""Class-level explanations of a truth table (Eq. 2): the formula of one target, from what a network said.

This explains one table. The rules of a whole problem come from :mod:`logiclens.estimators.fit`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from logiclens.constants import FALSE_YES, MISS
from logiclens.explain.explanation import Explanation, Scope
from logiclens.explain.front import FrontPoint, Scores
from logiclens.explain.label import Label, plain_label
from logiclens.explain.rule import Rule, RuleKind, member
from logiclens.explain.unseen import check_table
from logiclens.logic.arrays import BoolArray
from logiclens.logic.formula import FALSE, TRUE, Formula
from logiclens.logic.minimize import Exact, minimize_path
from logiclens.logic.truth_table import TruthTable

PRICES: Final = {RuleKind.IFF: (1.0, 1.0), RuleKind.IF: (1.0, MISS), RuleKind.ONLY_IF: (FALSE_YES, 1.0)}
"""Price of a false yes and of a miss: what tells IF and ONLY IF rules from equivalences (Sec. 4.2)."""

NEVER, ALWAYS = "never predicted on the data", "always predicted on the data"
USELESS = {
    RuleKind.IF: "no formula but TRUE holds on nearly all of the target",
    RuleKind.ONLY_IF: "no formula is nearly always right about the target",
}
"""Status of an implication that says nothing."""


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
        How the formula is tied to the target. For IF a miss costs 199 times what a false yes does, for ONLY
        IF a false yes 19 times what a miss does.
    truth : TruthTable, optional
        Validation rows: the weight of those that are the target (yes) and that are not (no), over the same
        concepts or more. The formula is the shortest that is right about as much of it as the best, within
        one standard error. Without it, or when all of its rows are on one side, the formula that agrees most
        with the network is taken.
    order : sequence of str, or array of shape (n_concepts,) or (n_rows, n_concepts), optional
        Which concepts matter, as for :func:`logiclens.logic.minimize`.
    max_literals : int or None, default 20
        Length of the longest formula to consider; None for no limit.
    exact : {"auto", True, False}, default "auto"
        Whether formulas are proved to be the best of their length, as by
        :func:`logiclens.logic.minimize_path`.

    Returns
    -------
    Explanation
        Scores are those on ``truth``, but for fidelity, the agreement with ``table``. The front has the best
        formula of each length; the score of a point is its accuracy on ``truth``.

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
    rated = held_out if held_out is not None and held_out.yes.any() and held_out.no.any() else None
    front: tuple[FrontPoint, ...] = ()
    formula: Formula
    if not (table.yes.any() and table.no.any()):
        formula, status = (TRUE, ALWAYS) if table.yes.any() else (FALSE, NEVER)
    else:
        false_yes, miss = PRICES.get(kind, PRICES[RuleKind.IFF])
        priced = TruthTable(table.names, table.rows, table.yes * miss, table.no * false_yes)
        path = minimize_path(priced, max_literals=max_literals, exact=exact, order=order)
        formulas, at = [each.formula for each in path], len(path) - 1
        scores: list[float | None] = [None] * len(path)
        if rated is not None:
            at = _shortest(formulas, rated, kind)
            scores = [rates_on(each, table, rated, "validation").accuracy for each in formulas]
        front = tuple(point_on(*each, table) for each in zip(formulas, scores, strict=True))
        formula, status = path[at].formula, str(path[at].status)
        if at == len(path) - 1 and path[at].errors > 0 and path[at].literals and max_literals is not None:
            status = f"{status} within max_literals={max_literals}"
        if kind in USELESS and formula in (TRUE, FALSE):
            status = USELESS[kind]
    return Explanation(
        Rule(target, formula, kind),
        scope=Scope.CLASS,
        status=status,
        support=float(table.yes.sum()),
        scores=None if held_out is None else rates_on(formula, table, held_out, "validation"),
        front=front,
    )


def _shortest(formulas: Sequence[Formula], truth: TruthTable, kind: RuleKind) -> int:
    """The first formula within one standard error of the best, at the prices of its kind of rule."""
    false_yes, miss = PRICES.get(kind, PRICES[RuleKind.IFF])
    fired = np.array([fired_rows(each, truth) for each in formulas])
    total = truth.total
    loss = (np.where(fired, 0.0, miss * truth.yes) + np.where(fired, false_yes * truth.no, 0.0)).sum(axis=1)
    best = int(loss.argmin())
    # Rows on which a formula differs from the best one lose or win a price; the rest are equal.
    differs = fired != fired[best]
    spread = (differs * (miss**2 * truth.yes + false_yes**2 * truth.no)).sum(axis=1) / total
    error = np.sqrt(np.maximum(spread - ((loss - loss[best]) / total) ** 2, 0.0) / total)
    return int(np.flatnonzero((loss - loss[best]) / total <= error)[0])


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


def point_on(formula: Formula, score: float | None, table: TruthTable) -> FrontPoint:
    """A formula with its errors on a table."""
    errors = np.where(fired_rows(formula, table), table.no, table.yes).sum()
    return FrontPoint(formula, formula.complexity, float(errors), score)
