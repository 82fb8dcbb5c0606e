"""Second opinions: where more concepts than a rule can hold speak clearly against it, a network hears them.

A network that has settled on a rule of a few literals is wrong wherever the rule is. Concepts that each say
little may know better together, and no short formula can say what they say. So a few more concepts than the
network's own are weighed, as in a logistic regression: the size of their sum is how sure they are. Where it
is larger than a margin, and of another mind than the network, it decides (:mod:`logiclens.nn.opinion`);
everywhere else the network answers as before. The network's own answer is weighed along with the concepts, so
that their weights are about what it does not know yet.

How sure is sure enough is decided by what such a regression says about rows that it has not seen: rows are
divided into a few parts, and for each of them concepts are chosen and weighed on the others. The margin that
gains most is taken, of those that leave the network in agreement with its rules; none is where the gain may
be chance. Where labels come with how probable they are, as those of a black box may, a second opinion learns
that instead of the labels: then odds are odds, and a label that might as well be another counts little.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from logiclens.estimators.asking import Grouped, ask
from logiclens.estimators.balancing import Balance
from logiclens.estimators.counting import Fold, as_counts, number_of_rows
from logiclens.estimators.regression import Regression
from logiclens.estimators.targets import Problem, Targets, decisions
from logiclens.explain.choosing import LITERAL_WORTH
from logiclens.explain.classwise import point_on, rates_on
from logiclens.explain.rule_set import ExplanationSet
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray, quiet_products
from logiclens.logic.threads import one_thread
from logiclens.nn.opinion import Opinion
from logiclens.nn.population import LogicNetwork

if TYPE_CHECKING:
    from logiclens.estimators.extraction import Extraction

LEAST_FIDELITY: Final = 0.97
"""Least macro-F1 between a network that hears a second opinion and its rules."""
SURE: Final = float(np.log(9 / 4))
"""Least margin: odds of 9 to 4, by themselves, to what the network says."""
STANDARD_ERRORS: Final = 1.0
"""Where the two differ, a second opinion must be right more often, by more standard errors than this."""
RIDGES: Final = (1.0, 3.0, 10.0)
"""Penalties on squared weights to choose from; the last serves to find the concepts that weigh most."""
PARTS: Final = 4
"""Parts of the rows that are looked at without having been seen, one after the other."""
MOST_ROWS: Final = 1 << 14
"""Rows up to which all are looked at; of more, about as many are drawn."""
MOST_CONCEPTS: Final = 1 << 8
"""Concepts up to which all are weighed; of more, those that go most with the target."""


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
    all. They hear one opinion in common (:mod:`~logiclens.estimators.common_opinion`). Of a handful of rows
    nothing can be told.

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
    counts = drawn(as_counts(fold.train + fold.check))
    used = counts > 0
    if used.sum() < 2 * PARTS:
        return [None] * network.members
    degrees = fold.degrees(targets.outputs)[used]
    x, counts, outputs = x if used.all() else x[used], counts[used], targets.outputs[used]
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
        if wrong <= LITERAL_WORTH or not len(columns):
            found.append(None)
            continue
        answers = said[:, output]
        found.append(second_opinion(x, degrees[:, output], weight, columns, answers, formulas, widest))
    return found


@quiet_products
@one_thread()
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
    parts = np.random.default_rng(0).integers(PARTS, size=len(x))
    x = np.column_stack([x, np.where(said, 1.0, -1.0)])  # the network is the last of the concepts
    kept, widest = np.append(kept, x.shape[1] - 1), widest + 1
    unseen, alone = np.zeros((2, len(RIDGES), len(x)))
    whole = _Weighed.of(x, truth, weight, kept, widest)
    for part in range(PARTS):
        seen, others = parts != part, parts == part
        found = _Weighed.of(x[seen], truth[seen], weight[seen], kept, widest, whole)
        unseen[:, others] = [each.logits(x[others]) for each in found.on_few]
        alone[:, others] = [each.logits(x[others]) - each.weight[-1] * x[others, -1] for each in found.on_few]
    losses = (np.logaddexp(0.0, unseen) - truth * unseen) @ weight
    best = int(losses.argmin())
    weights, bias = whole.on_few[best].weight[:-1], whole.on_few[best].bias
    least = faithful_margin(x[:, :-1] @ weights + bias, weight, said, rules)
    margin = None if least is None else best_margin(alone[best], truth, weight, said, rules, least)
    return None if margin is None else Opinion(weights, bias, margin)


def drawn(counts: FloatArray) -> FloatArray:
    """How often each row is drawn, so that about :data:`MOST_ROWS` stand for all; fewer are all taken."""
    if (counts > 0).sum() <= MOST_ROWS:
        return counts
    order = np.random.default_rng(0).permutation(len(counts))  # rows that are alike stand side by side
    drawn = np.zeros(len(counts))
    drawn[order] = np.diff(np.floor(np.cumsum(counts[order]) * (MOST_ROWS / counts.sum())), prepend=0.0)
    return drawn


@dataclass(frozen=True, eq=False)
class _Weighed:
    """A regression on all concepts, which says those that weigh most; and on these one for each penalty."""

    on_all: Regression
    on_few: list[Regression]

    @classmethod
    def of(
        cls,
        x: FloatArray,
        truth: FloatArray,
        weight: FloatArray,
        kept: IndexArray,
        widest: int,
        start: _Weighed | None = None,
    ) -> _Weighed:
        """Weigh concepts, those of the network among them; ``start`` is what much the same rows gave."""
        share = weight / weight.sum()
        mean, answer = share @ x, share @ truth
        spread = np.sqrt(np.maximum(np.einsum("i,ij,ij->j", share, x, x) - np.square(mean), 0.0))
        columns = np.arange(x.shape[1])
        if len(columns) > MOST_CONCEPTS:
            along = np.abs((share * (truth - answer)) @ x) / np.maximum(spread, 1e-12)
            columns = _largest(along, kept, MOST_CONCEPTS)
        on_all = Regression.of(x, truth, weight, RIDGES[-1], columns, start.on_all if start else None)
        columns = _largest(np.abs(on_all.weight) * spread, kept, widest)
        starts = start.on_few if start else [None] * len(RIDGES)
        return cls(
            on_all,
            [
                Regression.of(x, truth, weight, ridge, columns, each)
                for ridge, each in zip(RIDGES, starts, strict=True)
            ],
        )


def _largest(size: FloatArray, kept: IndexArray, n: int) -> IndexArray:
    """Positions of the ``n`` largest that are not 0, ascending, the kept ones always among them."""
    size = size.copy()
    size[kept] = np.inf
    first = np.argsort(-size, kind="stable")[: max(n, len(kept))]
    return np.sort(first[size[first] > 1e-9])


def best_margin(
    logit: FloatArray,
    truth: FloatArray,
    weight: FloatArray,
    said: BoolArray,
    rules: BoolArray,
    least: float = SURE,
) -> float | None:
    """How sure a second opinion must be to be heard, or None where it should not be.

    Parameters
    ----------
    logit : ndarray of shape (n,)
        The second opinion about each row, without what the network itself says.
    truth, weight, said, rules
        As for :func:`second_opinion`.
    least : float, default :data:`SURE`
        The smallest margin there may be.

    Examples
    --------
    Of 200 rows a rule and its network are wrong about four. A second opinion is sure about three of these,
    and also about a row that they are right about, though less so.

    >>> truth = np.repeat([1.0, 0.0], [100, 100])
    >>> said, logit = truth > 0.5, np.where(truth > 0.5, 3.0, -3.0)
    >>> said[:4], logit[3], logit[4] = False, 0.1, -1.0
    >>> best_margin(logit, truth, np.ones(200), said, said[None])
    2.0
    """
    against = _against(logit, said, least)
    size, (gain, clear) = np.abs(logit[against]), _gain(logit, truth, weight, against)
    good = clear & _faithful(size, weight, said, rules, against)
    if not good.any():
        return None
    return _between(size, int(np.where(good, gain, -np.inf).argmax()), least)


def faithful_margin(
    logit: FloatArray, weight: FloatArray, said: BoolArray, rules: BoolArray, least: float = SURE
) -> float | None:
    """The smallest margin from ``least`` on with which a network keeps to its rules, or None.

    A margin is chosen by what second opinions from some of the rows say about the others. That from all of
    them is surer of itself, and would be heard more often.

    Parameters
    ----------
    logit, weight, said, rules
        As for :func:`best_margin`.
    least : float, default :data:`SURE`

    Examples
    --------
    Of 200 rows a second opinion may overrule five.

    >>> said, logit = np.repeat([True, False], 100), np.repeat([3.0, -3.0], 100)
    >>> logit[:8] = [-11.0, -10.0, -9.0, -8.0, -7.0, -6.0, -5.0, -4.0]
    >>> faithful_margin(logit, np.ones(200), said, said[None], 4.5)
    6.5
    """
    against = _against(logit, said, least)
    size = np.abs(logit[against])
    good = _faithful(size, weight, said, rules, against)
    if not len(good) or good[-1]:
        return least
    return _between(size, int(np.flatnonzero(good)[-1]), least) if good.any() else None


def _against(logit: FloatArray, said: BoolArray, margin: float) -> IndexArray:
    """Rows about which a second opinion says otherwise, and is sure; the surest first."""
    against = np.flatnonzero(((logit > 0) != said) & (np.abs(logit) > margin))
    return against[np.argsort(-np.abs(logit[against]), kind="stable")]


def _gain(
    logit: FloatArray, truth: FloatArray, weight: FloatArray, order: IndexArray
) -> tuple[FloatArray, BoolArray]:
    """What is gained by overruling the rows up to each in ``order``, and whether it is more than chance."""
    counted = weight[order]
    right = np.where(logit[order] > 0, truth[order], 1.0 - truth[order])
    gain = np.cumsum(counted * (2.0 * right - 1.0))
    return gain, np.asarray(gain > STANDARD_ERRORS * np.sqrt(np.cumsum(counted)))


def _faithful(
    size: FloatArray, weight: FloatArray, said: BoolArray, rules: BoolArray, order: IndexArray
) -> BoolArray:
    """Whether a network keeps to its rules if it is overruled about the rows up to each in ``order``.

    Rows about which a second opinion is equally sure go together.
    """
    apart = np.append(size[1:] < size[:-1], np.ones(min(len(size), 1), dtype=np.bool_))
    fidelity = np.mean([_fidelity(rule, said, order, weight) for rule in rules], axis=0)
    return np.asarray(apart & (fidelity >= LEAST_FIDELITY))


def _between(size: FloatArray, last: int, least: float) -> float:
    """The margin that lets those up to ``last`` be heard, and none of the following."""
    following = size[last + 1] if last + 1 < len(size) else least
    return float((size[last] + following) / 2.0)


def retold(
    rules: ExplanationSet,
    network: LogicNetwork,
    x: FloatArray,
    targets: Targets,
    fold: Fold,
    how: Extraction,
) -> ExplanationSet:
    """The same rules, judged by what a network that hears second opinions says."""
    weight = how.observed(fold.train + fold.check)
    answers, truth = decisions(ask(network, x), targets.problem), targets.truth()
    explanations = []
    for at, explanation in enumerate(rules.values()):
        spoken_of = {name for point in explanation.front for name in point.formula.concepts}
        names = sorted(spoken_of | {*explanation.formula.concepts})
        rows = Grouped(x[:, [how.names.index(name) for name in names]], names)
        table = rows.answers(answers[:, at], weight)
        rates = rates_on(
            explanation.formula, table, rows.truth(truth[:, at], weight), "training", number_of_rows(weight)
        )
        front = tuple(
            replace(point, errors=point_on(point.formula, table).errors) for point in explanation.front
        )
        explanations.append(replace(explanation, scores=rates, support=float(table.yes.sum()), front=front))
    return replace(rules, explanations=tuple(explanations))


def deciding_literals(opinion: Opinion, row: BoolArray, yes: bool) -> list[int] | None:
    """Positions of the fewest concepts of a row that make a second opinion sure, whatever the others are.

    Parameters
    ----------
    opinion : Opinion
    row : ndarray of bool, shape (n_concepts,)
    yes : bool
        What it says about the row.

    Returns
    -------
    list of int or None
        The most important first; None where it is not sure of that when concepts are true or false.

    Examples
    --------
    >>> opinion = Opinion(np.array([3.0, 2.0, -1.0]), -2.0, 0.5)
    >>> deciding_literals(opinion, np.array([True, True, False]), yes=True)
    [0, 1]
    """
    side = 1.0 if yes else -1.0
    least = np.minimum(side * opinion.weight, 0.0)  # what each concept says at worst
    more = side * opinion.weight * row - least
    order = np.argsort(-more, kind="stable")
    sure = side * opinion.bias + least.sum() + np.cumsum(more[order]) > opinion.margin
    return order[: int(sure.argmax()) + 1].tolist() if sure.any() else None


def _fidelity(rule: BoolArray, said: BoolArray, order: IndexArray, weight: FloatArray) -> FloatArray:
    """Macro-F1 of a rule against the network once it answers otherwise about the first rows in ``order``."""

    def after(yes: bool) -> FloatArray:
        now, of_rule = said == yes, rule == yes
        moved = np.where(now[order], -1.0, 1.0) * weight[order]
        both = weight @ (now & of_rule) + np.cumsum(moved * of_rule[order])
        each = weight @ now + weight @ of_rule + np.cumsum(moved)
        return np.asarray(2.0 * both / np.maximum(each, 1e-12))

    return (after(True) + after(False)) / 2.0
