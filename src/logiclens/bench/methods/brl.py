"""Bayesian rule lists (Letham et al., 2015; a baseline of Sec. 6.2), by the package imodels.

A list is sampled for one class against the rest; of two classes, for the second. Rules speak of concepts that
are true. imodels asks for a least support among all rows, the authors of the method among the rows of a
class: the share of the rarer side is counted in, so that nothing frequent within it is passed over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from logiclens.bench.methods.decision_list import condition, list_formula
from logiclens.bench.methods.method import FoldByFold, Outcome, Stopwatch
from logiclens.bench.methods.packages import package_for, secluded
from logiclens.logic.arrays import BoolArray, FloatArray
from logiclens.logic.data import THRESHOLD
from logiclens.logic.formula import Formula

if TYPE_CHECKING:
    from logiclens.bench.experiments import Fold

_SUPPORT = 0.1  # least share of the rarer side's rows that a rule is about


@dataclass(frozen=True)
class BayesianRuleList(FoldByFold):
    """Lists of rules with a probability each, sampled from their posterior.

    Parameters
    ----------
    iterations : int, default 50000
        Steps of each of the three chains.
    """

    name: str = "brl"
    title: str = "BRL"
    slow: bool = True
    package: str = "imodels"
    iterations: int = 50_000

    def fit_fold(self, fold: Fold, seed: int) -> Outcome:
        imodels = package_for(self.title, self.package)
        watch = Stopwatch()
        x, n_classes = fold.x_train > THRESHOLD, len(fold.class_names)
        learned = (1,) if n_classes == 2 else range(n_classes)
        lists = [self._learn(imodels, x, fold.y_train == at, seed) for at in learned]
        seconds = watch.lap()
        if n_classes == 2:
            formulas = [lists[0].formula(fold.concept_names, yes) for yes in (False, True)]
        else:
            formulas = [each.formula(fold.concept_names) for each in lists]
        extracting = watch.lap()
        chances = np.column_stack([each.chances(fold.x_test > THRESHOLD) for each in lists])
        said = chances >= 0.5
        if n_classes == 2:
            said = np.hstack([~said, said])
            answers = said[:, 1].astype(np.intp)
        else:
            answers = chances.argmax(axis=1)
        return Outcome(
            answers,
            said,
            dict(zip(fold.class_names, formulas, strict=True)),
            seconds,
            extracting,
            list_literals=float(np.mean([each.n_literals for each in lists])),
        )

    def _learn(self, imodels: Any, x: BoolArray, y: BoolArray, seed: int) -> ProbabilityList:
        share = float(y.mean())
        if share in (0.0, 1.0):
            return ProbabilityList((), (share,))
        support = _SUPPORT * min(share, 1.0 - share)
        with secluded(seed):
            model = imodels.BayesianRuleListClassifier(
                max_iter=self.iterations, minsupport=support, random_state=seed
            )
            try:
                model.fit(x.astype(np.float64), y.astype(np.int64))
            except (ValueError, ZeroDivisionError):  # no concept is frequent enough, or no list has a rule
                return ProbabilityList((), (share,))
        return read_list(model)


@dataclass(frozen=True)
class ProbabilityList:
    """A list of rules, each with the probability of yes where it is the first that fires.

    Parameters
    ----------
    rules : tuple of tuple of int
        Positions of the concepts that must be true for each rule to fire.
    yes : tuple of float
        The probability of each rule, and of the rows that none fires on.

    Examples
    --------
    >>> found = ProbabilityList(((0, 1), (2,)), (0.2, 0.9, 0.1))
    >>> str(found.formula(("a", "b", "c")))
    '(~a & c) | (~b & c)'
    """

    rules: tuple[tuple[int, ...], ...]
    yes: tuple[float, ...]

    @property
    def n_literals(self) -> int:
        """Literals of the list as it is read."""
        return sum(map(len, self.rules))

    def formula(self, names: Sequence[str], value: bool = True) -> Formula:
        """Where the list says yes, or where it says no: yes is a probability of at least one half."""
        says = [(chance >= 0.5) == value for chance in self.yes]
        conditions = [condition({names[at]: True for at in rule}) for rule in self.rules]
        return list_formula(conditions, says[:-1], says[-1])

    def chances(self, x: BoolArray) -> FloatArray:
        """The probability of yes for each row, (n,)."""
        found = np.full(len(x), self.yes[-1])
        for rule, chance in zip(reversed(self.rules), reversed(self.yes[:-1]), strict=True):
            found[x[:, list(rule)].all(axis=1)] = chance
        return found


def read_list(model: Any) -> ProbabilityList:
    """The list that a fitted model of imodels has chosen.

    Parameters
    ----------
    model : BayesianRuleListClassifier
        Fitted without names of features.
    """
    place: Mapping[str, int] = {name: at for at, name in enumerate(model.feature_placeholders)}
    chosen = [model.itemsets[at] for at in model.d_star[:-1]]
    return ProbabilityList(
        tuple(tuple(sorted(place[name] for name in items)) for items in chosen),
        tuple(float(chance) for chance in model.theta),
    )
