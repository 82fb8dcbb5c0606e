"""What can be said of formulas without data: how long they are, and how far their concepts return."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from logiclens.errors import InputError, count, shown
from logiclens.logic import Formula
from logiclens.logic.data import check_count
from logiclens.logic.normal_form import dnf_literals
from logiclens.metrics.agreement import ReadOnly, Rules, formulas_of


def complexity(rules: Rules | Formula) -> float:
    """Number of literals of the disjunctive normal form, mean over the targets.

    A formula that is in this form as written is counted as written; any other is brought to it first.

    Parameters
    ----------
    rules : mapping of label to Formula, or to an object with a Formula as ``.formula``; or a Formula

    Raises
    ------
    LimitError
        The normal form of a formula is too large; see :func:`logiclens.logic.to_dnf`.

    References
    ----------
    *Complexity of an explanation* in Sec. 6.2 of Ciravegna et al., *Logic Explained Networks*.

    Examples
    --------
    >>> from logiclens.logic import Var
    >>> complexity((Var("a") | Var("b")) & Var("c")), complexity({"x": Var("a"), "y": Var("a") & Var("b")})
    (4.0, 1.5)
    """
    formulas = [rules] if isinstance(rules, Formula) else [*formulas_of(rules).values()]
    return sum(map(dnf_literals, formulas)) / len(formulas)


class Recurrence(NamedTuple):
    """Consistency of the concepts of one target."""

    plain: float
    adjusted: float


@dataclass(frozen=True)
class Consistency(ReadOnly):
    """Consistency of concepts over folds or seeds.

    Attributes
    ----------
    plain : float
        The paper's score, mean over the targets: of the concepts that occur in any run, the mean share of
        runs in which each occurs. At least ``1 / n_runs``, also for rules that have nothing in common.
    adjusted : float
        The same question corrected for chance, mean over the targets: 1 when the concepts are the same in all
        runs, 0 on average when as many are drawn at random, never below ``-1 / (n_runs - 1)``. NaN unless
        there are two runs and the number of all concepts is given.
    by_target : mapping of label to Recurrence, read-only
        Both for each target.
    """

    plain: float
    adjusted: float
    by_target: Mapping[Any, Recurrence] = field(hash=False)

    def __str__(self) -> str:
        adjusted = "" if np.isnan(self.adjusted) else f", adjusted for chance {self.adjusted:.3f}"
        return f"consistency {self.plain:.3f}{adjusted}, {count(len(self.by_target), 'target')}"


def consistency(runs: Iterable[Rules], *, n_concepts: int | None = None) -> Consistency:
    """Consistency: how far the rules of several folds or seeds use the same concepts.

    A concept counts by its name, whether negated or not. A target is judged by the runs that have it. Where
    no run uses any concept, ``TRUE`` and ``FALSE`` are what may return: the score is 1 when all runs agree.

    Parameters
    ----------
    runs : iterable of mappings of label to Formula, or to an object with a Formula as ``.formula``
        The rules of each run.
    n_concepts : int, optional
        Number of all concepts that could have been used; needed for the correction for chance.

    Raises
    ------
    InputError
        There are no runs, or more concepts than ``n_concepts``.

    Notes
    -----
    With ``p_j`` the share of the ``M`` runs that use concept ``j``, and ``q`` the mean of the ``p_j`` over
    all concepts, the adjusted score is the stability of [2]_,
    ``1 - mean_j(M / (M - 1) * p_j * (1 - p_j)) / (q * (1 - q))``. It is 0 / 0 when every run uses all
    concepts or none; then it is 1 when the runs agree, 0 when some say ``TRUE`` and others ``FALSE``.

    References
    ----------
    .. [1] *Consistency of an explanation* in Sec. 6.2 of Ciravegna et al., *Logic Explained Networks*.
    .. [2] S. Nogueira, K. Sechidis, G. Brown: "On the Stability of Feature Selection Algorithms", Journal of
       Machine Learning Research 18 (2018).

    Examples
    --------
    >>> from logiclens.logic import Var
    >>> a, b, c = Var("a"), Var("b"), Var("c")
    >>> print(consistency([{"x": a & b}, {"x": a | ~c}], n_concepts=10))
    consistency 0.667, adjusted for chance 0.375, 1 target
    """
    formulas = _formulas_of_runs(runs)
    used = {name for run in formulas for formula in run.values() for name in formula.concepts}
    if n_concepts is not None and len(used) > check_count(n_concepts, "n_concepts"):
        raise InputError(
            f"n_concepts is {n_concepts}, but the rules use {count(len(used), 'concept')}. "
            "Pass the number of all concepts of the data."
        )
    labels = dict.fromkeys(label for run in formulas for label in run)
    by_target = {
        label: _recurrence([run[label] for run in formulas if label in run], n_concepts) for label in labels
    }
    adjusted = [each.adjusted for each in by_target.values() if not np.isnan(each.adjusted)]
    return Consistency(
        float(np.mean([each.plain for each in by_target.values()])),
        float(np.mean(adjusted)) if adjusted else np.nan,
        by_target,
    )


def _formulas_of_runs(runs: Iterable[Rules]) -> list[dict[Hashable, Formula]]:
    if isinstance(runs, (Mapping, str)) or not isinstance(runs, Iterable):
        raise InputError(
            f"runs must be a sequence of rules, one mapping for each fold or seed. Got {shown(runs)}; "
            "write [rules, other_rules]."
        )
    formulas = list(map(formulas_of, runs))
    if not formulas:
        raise InputError("runs must hold the rules of at least one fold or seed. Got none.")
    return formulas


def _recurrence(formulas: Sequence[Formula], n_concepts: int | None) -> Recurrence:
    """Both scores for the formulas of one target, one a run."""
    n_runs = len(formulas)
    times = Counter(name for formula in formulas for name in formula.concepts)
    if times:
        plain = times.total() / (n_runs * len(times))
    else:
        # Without concepts a formula is a constant; each of those that occur has its share of the runs.
        plain = 1.0 / len({int(formula.evaluate_words({}, 1)[0]) for formula in formulas})
    if n_concepts is None or n_runs < 2:
        return Recurrence(plain, np.nan)
    if times.total() in (0, n_runs * n_concepts):
        return Recurrence(plain, float(plain == 1.0))
    share = np.array([*times.values()]) / n_runs  # of the runs, for each concept that occurs
    variance = (share * (1 - share)).sum() * n_runs / (n_runs - 1) / n_concepts
    chosen = share.sum() / n_concepts
    return Recurrence(plain, float(1 - variance / (chosen * (1 - chosen))))
