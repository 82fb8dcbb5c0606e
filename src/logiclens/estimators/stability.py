"""How far rules depend on which rows they were learned from: fits to resamples of the rows.

Each resample draws as many rows as there are, at most 10 000, with replacement (a bootstrap), or whole groups
where rows come in groups, trains a network with the penalty and the number of concepts that were chosen, and
searches rules up to the length that is shown. The encoder stays, so that conditions can be compared. All
resamples are trained, and then searched, side by side.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from logiclens.concepts.vocabulary import Vocabulary
from logiclens.estimators.fit import FrontSearch, Lists, Recipe
from logiclens.estimators.folds import RowSplit
from logiclens.estimators.inputs_and_targets import (
    Inputs,
    Targets,
    decisions,
    read_groups,
    read_known_targets,
)
from logiclens.estimators.networks import as_probabilities, predict_logits
from logiclens.explain.front import Point
from logiclens.explain.resolution import resolve
from logiclens.logic.arrays import BoolArray, FloatArray
from logiclens.logic.data import THRESHOLD, check_count
from logiclens.logic.formula import Formula
from logiclens.logic.normal_form import conjuncts, disjuncts

MOST_ROWS: Final = 10_000
"""Rows of a resample; larger tables give fewer than they have."""
_NEAR: Final = 0.2  # of the rows on the smaller side of a condition, how many may change sides


@dataclass(frozen=True)
class Stability:
    """What fits to resamples of the rows have in common with the rules that are shown.

    A condition *returns* in a resample whose rules split the same column in nearly the same way, whatever the
    sign and the class of the rule: ``age > 58`` returns as ``age > 60`` or ``age <= 58``. Nearly is measured
    by the smaller side of the condition, the rows that are true or those that are false: another one may
    differ on a fifth as many rows. So a rare category never returns as another rare category.

    Attributes
    ----------
    n_resamples : int
    returns : mapping of Formula to float
        Share of the resamples in which each condition of the rules returns.
    agreement : float
        Share of the rows on which the rules of a resample decide as those that are shown, on average.
    """

    n_resamples: int
    returns: Mapping[Formula, float]
    agreement: float


def resample_rules(
    model: Any,
    X: Any,
    y: Any,
    *,
    groups: ArrayLike | None = None,
    n_resamples: int = 10,
    random_state: int = 0,
) -> Stability:
    """Fit to resamples of some rows, and compare with the rules that a classifier shows.

    Parameters
    ----------
    model : LENClassifier
        Fitted.
    X : data frame, array or mapping
        The rows that it learned from.
    y : array of shape (n,) or (n, n_targets), or Targets
        Their labels.
    groups : array of shape (n,), optional
        Rows with the same value, such as those of one patient, are drawn together.
    n_resamples : int, default 10
    random_state : int, default 0

    Examples
    --------
    >>> from logiclens import MuClassifier
    >>> y = np.array([0, 1] * 50)
    >>> model = MuClassifier(random_state=0).fit({"wings": y, "fur": np.arange(100) % 3 > 0}, y)
    >>> resample_rules(model, {"wings": y, "fur": np.arange(100) % 3 > 0}, y, n_resamples=3)
    Stability(n_resamples=3, returns={Var('wings'): 1.0}, agreement=1.0)
    """
    check_count(n_resamples, "n_resamples", least=1)
    check_count(random_state, "random_state")
    x = model._rows(X)
    targets = read_known_targets(y, len(x), model._labels(), model.problem_)
    if groups is not None:
        targets = replace(targets, groups=read_groups(groups, len(x)))
    recipe = _recipe(model, Inputs(x, model.concept_names_, True, (), model.vocabulary_), targets)
    folds = [*_draw(x, targets, n_resamples, model.validation_fraction, random_state)]
    networks = [each.network for each in recipe.train(recipe.population, recipe.plan, x, targets, folds)]
    search = FrontSearch(
        recipe, np.asfortranarray(x > THRESHOLD), targets, [fold.train + fold.check for fold in folds]
    )
    logits = [predict_logits(network, x) for network in networks]
    soft = [
        search.soften(as_probabilities(each, targets.problem), decisions(each, targets.problem))
        for each in logits
    ]
    allowed = np.array([network.kept().any(dim=0).cpu().numpy() for network in networks])
    found = [front[-1] for front in search.search(soft, allowed)]

    point = model.front_[model.front_.chosen]
    shown = _rule_decisions(search, point)
    agreement = np.mean([search.fidelity(search.decide(lists), shown).mean() for lists in found])
    near = _near(search.bits, model.vocabulary_, recipe.names)
    used = np.array([_concepts_of(lists, x.shape[1]) for lists in found])
    returns = {
        literal: float(used[:, near[at]].any(axis=1).mean())
        for literal, at in _conditions(point, recipe.names)
    }
    return Stability(n_resamples, returns, float(agreement))


def _recipe(model: Any, inputs: Inputs, targets: Targets) -> Recipe:
    """That of the model, for one network of the size and penalty that were chosen, and rules as long."""
    recipe: Recipe = model.recipe(inputs, targets).settled(model.front_.goal)
    kept = int(model.network_.kept().any(dim=0).sum())
    population = replace(
        recipe.population,
        restarts=1,
        penalties=(float(np.median(model.l1_)),),
        widths=(kept,) if recipe.population.widths else (),
    )
    longest = max(model.front_[model.front_.chosen].literals, 1)
    return replace(recipe, max_literals=longest, population=population)


def _draw(x: FloatArray, targets: Targets, number: int, share: float, seed: int) -> Iterator[RowSplit]:
    """Resamples of the rows, or of their groups, each with a share of it to check with."""
    random, groups = np.random.default_rng(seed), targets.groups
    units = np.arange(len(x)) if groups is None else np.unique(groups, return_inverse=True)[1]
    n_units = int(units.max()) + 1
    size = max(round(n_units * min(1.0, MOST_ROWS / len(x))), 1)
    for _ in range(number):
        drawn = np.bincount(random.integers(n_units, size=size), minlength=n_units).astype(np.float64)
        yield targets.hold_out(x, drawn[units], share, seed)


def _rule_decisions(search: FrontSearch, point: Point) -> BoolArray:
    """The decision of the rules that are shown on each target, (n, n_targets)."""
    formulas = [step.formula for step in point.steps]
    true = [
        each.evaluate(search.bits, search.recipe.names)
        for each in (formulas if search.is_list else point.formulas or formulas)
    ]
    fired = np.array(true, dtype=np.bool_).reshape(-1, len(search.bits)).T
    if not search.is_list:
        return fired
    labels = [*(step.label for step in point.steps), point.default]
    codes = np.array([search.targets.labels.index(label) for label in labels])
    return np.asarray(codes[resolve(fired)][:, None] == np.arange(len(search.targets.labels)))


def _near(bits: BoolArray, words: Vocabulary | None, names: Sequence[str]) -> BoolArray:
    """Whether concepts, (n_concepts, 1), return as others, (1, n_concepts): see :class:`Stability`."""
    columns = np.array(names if words is None else [words[name].column for name in names], dtype=object)
    x = bits.astype(np.float32)
    true, both = x.sum(axis=0), x.T @ x
    same = true[:, None] + true - 2.0 * both  # rows on which they differ
    differ = np.minimum(same, len(x) - same)  # a condition and its negation split alike
    smaller = np.minimum(true, len(x) - true)
    return np.asarray((columns[:, None] == columns) & (differ <= _NEAR * smaller[:, None]))


def _concepts_of(lists: Lists, n_concepts: int) -> BoolArray:
    """The concepts that occur in rules, negated or not, (n_concepts,)."""
    found = np.zeros(n_concepts, dtype=np.bool_)
    for each in lists:
        for _, terms in each.steps:
            found |= terms.any(axis=0)
    return found


def _conditions(point: Point, names: Sequence[str]) -> Iterator[tuple[Formula, int]]:
    """The literals of rules, each with the place of its concept."""
    found = dict.fromkeys(
        literal
        for step in point.steps
        for term in disjuncts(step.formula)
        for literal in conjuncts(term)
        if literal.concepts
    )
    for literal in found:
        yield literal, names.index(literal.concepts[0])
