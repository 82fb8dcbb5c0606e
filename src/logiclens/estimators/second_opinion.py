"""Second opinions: where more concepts than a rule can hold speak clearly against it, a network hears them.

A network that has settled on a rule of a few literals is wrong wherever the rule is. Concepts that each say
little may know better together, and no short formula can say what they say. So a few more concepts than the
network's own are weighed, as in a logistic regression: the size of their sum is how sure they are. Where it
is larger than a margin, and of another mind than the network, it decides (:mod:`logiclens.nn.opinion`);
everywhere else the network answers as before.

How sure is sure enough is decided by what the regression would say about each row had it not seen that row.
The margin that gains most is taken, of those that leave the network in agreement with its rules; none is
where the gain may be chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from logiclens.estimators.asking import ask
from logiclens.estimators.balancing import Balance
from logiclens.estimators.counting import Fold, as_counts
from logiclens.estimators.targets import Problem, Targets
from logiclens.explain.classwise import LITERAL_WORTH
from logiclens.explain.rule_set import ExplanationSet
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray, quiet_products
from logiclens.nn.opinion import Opinion
from logiclens.nn.population import LogicNetwork

LEAST_FIDELITY: Final = 0.98
"""Least macro-F1 between a network that hears a second opinion and its rules."""
SURE: Final = float(np.log(1.5))
"""Least margin: odds of 3 to 2."""
STANDARD_ERRORS: Final = 0.5
"""Where network and second opinion differ, this one must be right more often, by more standard errors."""
RIDGES: Final = (1.0, 3.0, 10.0, 30.0)
"""Penalties on squared weights to choose from; the third serves to find the concepts that weigh most."""
MOST_ROWS: Final = 1 << 14
"""Rows up to which all are looked at; of more, about as many are drawn."""
MOST_CONCEPTS: Final = 1 << 8
"""Concepts up to which all are weighed; of more, those that go most with the target."""
_STEPS, _CLOSE = 20, 1e-4  # of Newton's method
_LEAST_SLOPE = 1e-6


def second_opinions(
    network: LogicNetwork,
    rules: ExplanationSet,
    x: FloatArray,
    targets: Targets,
    fold: Fold,
    balance: Balance,
    widest: int,
) -> list[Opinion | None]:
    """A second opinion for each output, or None where there is nothing to gain.

    Outputs of several classes, of which the largest decides, have none: what is gained by one is no gain of
    all.

    Parameters
    ----------
    network : LogicNetwork
        One member for each output.
    rules : ExplanationSet
        What it says, as formulas.
    x : ndarray of shape (n, n_concepts)
    targets : Targets
    fold : Fold
    balance : Balance
        How the rows of each output are weighed.
    widest : int
        Concepts that a network and its second opinion read together, unless the network itself reads more.
    """
    if targets.problem is Problem.SINGLE_LABEL:
        return [None] * network.members
    counts = _drawn(as_counts(fold.train + fold.check))
    used = counts > 0
    x, counts, outputs = x[used], counts[used], targets.outputs[used]
    said, kept = ask(network, x) > 0, network.kept().cpu().numpy()
    fired = np.stack([each.evaluate(x, names=rules.concept_names) for each in rules.formulas.values()])
    # Two classes share an output, and each has a rule.
    by_output = np.stack([~fired[0], fired[1]])[None] if targets.problem is Problem.BINARY else fired[:, None]
    found: list[Opinion | None] = []
    for output, formulas in enumerate(by_output):
        truth = outputs[:, output]
        weight = counts * balance.of_rows(truth, counts)
        wrong = weight @ np.abs(formulas - truth).mean(axis=0) / weight.sum()
        columns = np.flatnonzero(kept[output])
        nothing = wrong <= LITERAL_WORTH or not len(columns)
        found.append(
            None if nothing else second_opinion(x, truth, weight, columns, said[:, output], formulas, widest)
        )
    return found


@quiet_products
def second_opinion(
    x: FloatArray,
    truth: FloatArray,
    weight: FloatArray,
    kept: IndexArray,
    said: BoolArray,
    rules: BoolArray,
    widest: int,
) -> Opinion | None:
    """What more concepts say about one output, or None where the network does as well without.

    Parameters
    ----------
    x : ndarray of shape (n, n_concepts)
    truth : ndarray of shape (n,)
        How far each row belongs to the target.
    weight : ndarray of shape (n,)
        How many rows each counts for; positive.
    kept : ndarray of int, shape (m,)
        The concepts that the network reads.
    said : ndarray of bool, shape (n,)
        What the network says.
    rules : ndarray of bool, shape (n_rules, n)
        What its rules say.
    widest : int
        As for :func:`second_opinions`.
    """
    columns = _weighed_most(x, truth, weight, kept, widest)
    tried = [Regression.of(x[:, columns], truth, weight, ridge) for ridge in RIDGES]
    best = min(tried, key=lambda each: each.loss)
    margin = best_margin(best.unseen, truth, weight, said, rules)
    if margin is None:
        return None
    whole = np.zeros(x.shape[1])
    whole[columns] = best.weight[:-1]
    return Opinion(whole, float(best.weight[-1]), margin)


def _drawn(counts: FloatArray) -> FloatArray:
    """Weights of about :data:`MOST_ROWS` rows that stand for all: rows are in an order of their own."""
    if (counts > 0).sum() <= MOST_ROWS:
        return counts
    way = np.cumsum(counts) / counts.sum()
    drawn = np.diff(np.floor(way * MOST_ROWS), prepend=0.0)
    return np.asarray(drawn * (counts.sum() / MOST_ROWS))


def _weighed_most(
    x: FloatArray, truth: FloatArray, weight: FloatArray, kept: IndexArray, widest: int
) -> IndexArray:
    """The concepts of a network, and those that weigh most when all are weighed, in ascending order."""
    share = weight / weight.sum()
    mean, answer = share @ x, share @ truth
    spread = np.sqrt(np.maximum(share @ np.square(x) - np.square(mean), 0.0))
    columns = np.arange(x.shape[1])
    if len(columns) > MOST_CONCEPTS:
        along = np.abs((share * (truth - answer)) @ x) / np.maximum(spread, 1e-12)
        columns = _largest(along, kept, MOST_CONCEPTS)
    weighed = Regression.of(x[:, columns], truth, weight, RIDGES[2]).weight[:-1]
    size = np.zeros(x.shape[1])
    size[columns] = np.abs(weighed) * spread[columns]
    return _largest(size, kept, widest)


def _largest(size: FloatArray, kept: IndexArray, n: int) -> IndexArray:
    """Positions of the ``n`` largest, ascending, the kept ones always among them."""
    size = size.copy()
    size[kept] = np.inf
    return np.sort(np.argsort(-size, kind="stable")[: max(n, len(kept))])


@dataclass(frozen=True, eq=False)
class Regression:
    """A logistic regression with a penalty on the squares of its weights, by Newton's method.

    Attributes
    ----------
    weight : ndarray of shape (m + 1,)
        The last is the bias, which has no penalty.
    unseen : ndarray of shape (n,)
        Its logit on each row, had it been fitted without that row: one Newton step away from what it is.
    loss : float
        Mean cross-entropy of these.
    """

    weight: FloatArray
    unseen: FloatArray
    loss: float

    @classmethod
    def of(cls, x: FloatArray, truth: FloatArray, weight: FloatArray, ridge: float) -> Regression:
        """Fit it.

        Parameters
        ----------
        x : ndarray of shape (n, m)
        truth, weight : ndarray of shape (n,)
        ridge : float
            Half of it times the sum of squares is the penalty.
        """
        design = np.column_stack([x, np.ones(len(x))])
        penalty = np.append(np.full(x.shape[1], ridge), _LEAST_SLOPE)
        found = np.zeros(design.shape[1])
        for _ in range(_STEPS):
            share, _, curvature = _state(design, found, weight, penalty)
            step = np.linalg.solve(curvature, (weight * (share - truth)) @ design + penalty * found)
            found = found - step
            if np.abs(step).max() < _CLOSE:
                break
        share, slope, curvature = _state(design, found, weight, penalty)
        reach = np.einsum("ij,ij->i", design @ np.linalg.inv(curvature), design)
        own = np.minimum(reach * slope, 0.99)  # how far one row alone decides about itself
        unseen = design @ found - reach * (truth - share) / (1.0 - own)
        loss = np.logaddexp(0.0, unseen) - truth * unseen
        return cls(found, unseen, float(weight @ loss / weight.sum()))


def _state(
    design: FloatArray, found: FloatArray, weight: FloatArray, penalty: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """What a regression says, how fast that changes with its logit, and the curvature of its loss."""
    share = 1.0 / (1.0 + np.exp(-np.clip(design @ found, -30.0, 30.0)))
    slope = np.maximum(share * (1.0 - share), _LEAST_SLOPE)
    return share, slope, (design * (weight * slope)[:, None]).T @ design + np.diag(penalty)


def best_margin(
    logit: FloatArray, truth: FloatArray, weight: FloatArray, said: BoolArray, rules: BoolArray
) -> float | None:
    """How sure a second opinion must be to be heard, or None where it should not be.

    Parameters
    ----------
    logit : ndarray of shape (n,)
        The second opinion about each row.
    truth, weight, said, rules
        As for :func:`second_opinion`.

    Examples
    --------
    Of 100 rows a rule and its network are wrong about two. A second opinion is sure about one of these, and
    also about a row that they are right about, though less so.

    >>> truth = np.repeat([1.0, 0.0], [50, 50])
    >>> said, logit = truth > 0.5, np.where(truth > 0.5, 3.0, -3.0)
    >>> said[:2], logit[1], logit[2] = False, 0.1, -1.0
    >>> best_margin(logit, truth, np.ones(100), said, said[None])
    2.0
    """
    against = np.flatnonzero(((logit > 0) != said) & (np.abs(logit) > SURE))
    if not len(against):
        return None
    order = against[np.argsort(-np.abs(logit[against]), kind="stable")]  # the surest first
    size, counted = np.abs(logit[order]), weight[order]
    right = np.where(logit[order] > 0, truth[order], 1.0 - truth[order])
    gain = np.cumsum(counted * (2.0 * right - 1.0))
    clear = gain > STANDARD_ERRORS * np.sqrt(np.cumsum(counted))
    fidelity = np.mean([_fidelity(rule, said, order, weight) for rule in rules], axis=0)
    apart = np.append(size[1:] < size[:-1], True)  # rows about which it is equally sure go together
    good = apart & clear & (fidelity >= LEAST_FIDELITY)
    if not good.any():
        return None
    last = int(np.where(good, gain, -np.inf).argmax())
    following = size[last + 1] if last + 1 < len(size) else SURE
    return float((size[last] + following) / 2.0)


def _fidelity(rule: BoolArray, said: BoolArray, order: IndexArray, weight: FloatArray) -> FloatArray:
    """Macro-F1 of a rule against the network once it answers otherwise about the first rows in ``order``."""

    def after(yes: bool) -> FloatArray:
        now, of_rule = said == yes, rule == yes
        moved = np.where(now[order], -1.0, 1.0) * weight[order]
        both = weight @ (now & of_rule) + np.cumsum(moved * of_rule[order])
        each = weight @ now + weight @ of_rule + np.cumsum(moved)
        return np.asarray(2.0 * both / np.maximum(each, 1e-12))

    return (after(True) + after(False)) / 2.0
