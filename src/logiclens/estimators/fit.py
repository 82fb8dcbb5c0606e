"""The fit, on one page: from rows and folds to networks, rules of every length, and the length that is shown.

    encode     raw columns -> concepts in [0, 1]                       concepts/encoder.py
    train      f: calibrated, never changed by rules                  estimators/networks.py
    soften     p_i = (1 - a) y_i + a f(x_i)                            a is `distillation`; f(x_i) for a row
               without a label
    search     lists of every length with the least regret under p     logic/decision_list.py
    score      accuracy and fidelity of every length: each restart left out a part of the rows; lists searched
               without that part are scored on it, so every row is held out once
    choose     the length with the smallest J about those rows' truth; none if it does not beat a constant
    resolve    the list with its default is the decision; phi_c is what it says of a class
                                                                       explain/front.py

One objective decides about rules, the regret of the decision plus the price of reading:

    J = sum_i w_i (max_k p_ik - p_i,d(x_i)) / W + literal_cost * literals

If there are class weights, that of class k multiplies ``p_ik``. ``fit`` (one fold), ``cross_explain`` (many),
pipelines, and tables in engines and streams all call this module.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from logiclens.concepts.vocabulary import Vocabulary
from logiclens.constants import DISTILLATION, MAX_LITERALS
from logiclens.errors import InputError, LimitError, UnknownTargetError
from logiclens.estimators._parameters import ProgressLine
from logiclens.estimators.folds import (
    FEW_ROWS,
    Distinct,
    RowSplit,
    are_counts,
    effective_rows,
    leave_out,
    number_of_rows,
    systematic_sample,
)
from logiclens.estimators.inputs_and_targets import (
    Problem,
    Targets,
    class_weights,
    decisions,
    predicted_index,
)
from logiclens.estimators.networks import (
    ONE_SIDED,
    Population,
    Trained,
    as_probabilities,
    predict_logits,
    train_networks,
)
from logiclens.explain.compose import compose
from logiclens.explain.front import LISTED, Front, Point, Seen
from logiclens.explain.resolution import Step, ranked_steps
from logiclens.explain.rule import RuleKind
from logiclens.explain.rule_set import ExplanationSet
from logiclens.explain.scopes import PRICES
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray, Terms, pack
from logiclens.logic.data import THRESHOLD
from logiclens.logic.decision_list import DecisionList, search_lists
from logiclens.logic.formula import TRUE, And, Formula, Not, Or, Var
from logiclens.logic.normal_form import simplify
from logiclens.metrics.agreement import wilson
from logiclens.metrics.design_effect import design_effect
from logiclens.metrics.goal import FEW, Goal, GoalResult
from logiclens.metrics.paired import Lead
from logiclens.nn.population import LogicNetwork
from logiclens.nn.psi import PsiNetwork
from logiclens.nn.training import Plan

EXACT: Final = "exact: composed of the network's neurons"
_DEGREES: Final = 1024  # p is rounded to a multiple of 1/1024: rounding errors of a network change no rule
_SEARCHED: Final = 1 << 14  # distinct rows on which lists are searched

GOAL_WEIGHTS: Final = (1.0, *(2.0**power for at in range(1, 7) for power in (at, -at)))
"""Weights of a class that are tried for a goal; of equally good ones, the first."""

Lists = tuple[DecisionList, ...]
"""One list about all targets; or, where each has a formula of its own, one list of one step for each."""
Gains = NDArray[np.float32]
"""Gains of the rules of each length on each row, (n_points, n); in single precision, as there are many."""


class PartScores(NamedTuple):
    """How good each length is on the rows that one part leaves out.

    ``sums``, (6, n_points): the gain; the weight of the rows that only the rules decide rightly (wins), and
    that only the shortest of them, a constant, does (losses); of each group, added up, the square of their
    difference, that of the weight that is right, and that weight times the group's own.
    ``positives``, (3, n_points): the weight of the rows that are decided to be of the class of a goal, of
    those that are, and of those that are both. There are ``n_groups`` groups, whose squared weights add up to
    ``sizes_squared``.
    """

    sums: FloatArray
    n_rows: float
    positives: FloatArray
    n_groups: int
    sizes_squared: float


class FrontScores(NamedTuple):
    """How good each length is on all rows that parts leave out.

    ``accuracy`` and ``fidelity`` are shares, (n_points,). The accuracy is as sure as on ``n_rows``
    independent rows, (n_points,). ``gain`` is by row, 0 where no part leaves it out.
    """

    accuracy: FloatArray
    fidelity: FloatArray
    n_rows: FloatArray
    gain: Gains
    parts: list[PartScores]


@dataclass(frozen=True)
class SearchSettings:
    """How rules are searched for, whatever it is that predicts.

    Attributes
    ----------
    kind : RuleKind
    names : tuple of str
        The concepts.
    vocabulary : Vocabulary, optional
        What the concepts mean in the columns of a raw table.
    distillation : float
        What rules are searched for: 0 the labels alone, 1 the network alone.
    literal_cost : float
        Price of a literal, in accuracy.
    max_literals : int
        Where the front ends.
    literals : int or "auto"
        Where on the front the rules are that are shown.
    class_weight : "balanced", None or mapping of label to weight
        What a row of each target counts.
    goal : Goal, optional
        A recall or precision that rules have to reach; it chooses a class weight.
    """

    kind: RuleKind
    names: tuple[str, ...]
    vocabulary: Vocabulary | None = None
    distillation: float = DISTILLATION
    literal_cost: float = 0.0
    max_literals: int = MAX_LITERALS[0]
    literals: int | str = "auto"
    class_weight: Any = None
    goal: Goal | None = None

    def settled(self, result: GoalResult | None) -> Self:
        """The same with the class weight that the goal of a fit has led to."""
        if result is None:
            return replace(self, goal=None)
        return replace(self, goal=None, class_weight={result.goal.label: result.weight})


@dataclass(frozen=True, kw_only=True)
class Recipe(SearchSettings):
    """How to fit: what to train, and how rules are searched for then.

    Attributes
    ----------
    population : Population
        The networks to train.
    plan : Plan
        How to train them.
    train : callable
        The function that trains: :func:`~logiclens.estimators.networks.train_networks`, or a replacement.
    front : callable, optional
        The function that makes rules; :func:`search_front` if None.
    """

    population: Population[Any]
    plan: Plan
    train: Callable[..., list[Trained[Any]]] = train_networks
    front: Callable[..., Front] | None = None


@dataclass(frozen=True, eq=False)
class Fitted:
    """The result of a fit.

    Attributes
    ----------
    trained : Trained
        How training went.
    front : Front
        Rules of every length.
    """

    trained: Trained[Any]
    front: Front

    @cached_property
    def rules(self) -> ExplanationSet:
        """Those at the length that was chosen: the list with its default is the decision."""
        return self.front.rules()

    @property
    def network(self) -> LogicNetwork:
        """One member for each output, in double precision on the CPU."""
        network: LogicNetwork = self.trained.network
        return network


def fit_folds(
    recipe: Recipe,
    x: FloatArray,
    targets: Targets,
    folds: Sequence[RowSplit],
    progress: Callable[[float], None] | None = None,
) -> list[Fitted]:
    """Fit all folds; one result for each.

    Parameters
    ----------
    recipe : Recipe
    x : ndarray of shape (n, n_concepts)
        Concept values.
    targets : Targets
        What is true of each row; may be soft.
    folds : sequence of RowSplit
        Weights of the rows to train on and to check with.
    progress : callable, optional
        Called with the share of the work that is done.
    """
    if recipe.goal is not None:
        _check_goal(recipe, targets)
    for fold in folds:  # refuse weights of classes before anything is trained
        class_weights(recipe.class_weight, targets, targets.observed(fold.train + fold.check))
    x, targets, folds = _merge_rows(x, targets, folds, recipe)
    folds = [_split_into_parts(recipe, x, targets, fold) for fold in folds]
    trained = recipe.train(recipe.population, recipe.plan, x, targets, folds, progress)
    if isinstance(progress, ProgressLine):
        progress.go_on("searching for rules")
    fitted = []
    for fold, each in zip(folds, trained, strict=True):
        whole = fold.train + fold.check
        left = fold.parts or ((fold.check,) if fold.check.any() else ())
        parts = [fold, *(replace(fold, train=whole - part, check=np.zeros_like(whole)) for part in left)]
        networks = [each.network, *each.restarts[: len(left)]]
        front = (recipe.front or search_front)(recipe, x, targets, parts, networks)
        fitted.append(Fitted(each, front))
    return fitted


def search_front(
    recipe: Recipe,
    x: FloatArray,
    targets: Targets,
    folds: Sequence[RowSplit],
    networks: Sequence[LogicNetwork],
) -> Front:
    """Rules of every length for networks that are trained, their scores, and the length that is shown.

    Parameters
    ----------
    recipe : Recipe
    x : ndarray of shape (n, n_concepts)
    targets : Targets
    folds : sequence of RowSplit
        The first is the one to explain; each of the others leaves out rows, which its lists are scored on.
    networks : sequence of LogicNetwork
        One for each of them, trained without the rows that it leaves out.
    """
    logits = [predict_logits(network, x) for network in networks]
    kept = np.array([network.kept().any(dim=0).cpu().numpy() for network in networks])
    weights = [fold.train + fold.check for fold in folds]
    return explain_logits(recipe, x, targets, weights, logits, kept, networks[0])


def explain_logits(
    recipe: SearchSettings,
    x: FloatArray,
    targets: Targets,
    weights: Sequence[FloatArray],
    logits: Sequence[FloatArray],
    kept: BoolArray,
    network: Any,
) -> Front:
    """Rules of every length for the outputs of networks, whatever these read.

    Parameters
    ----------
    recipe : SearchSettings
    x : ndarray of shape (n, n_concepts)
    targets : Targets
    weights : sequence of ndarray of shape (n,)
        Of the rows: all of them first; each of the others leaves out some, which its lists are scored on.
    logits : sequence of ndarray of shape (n, n_outputs)
        For each of these, outputs of a network that did not learn from the rows left out.
    kept : ndarray of bool, shape (len(weights), n_concepts)
        The concepts that rules may use.
    network : torch.nn.Module
        The first of them. The formulas of a psi network are composed, and shown.
    """
    rules, problem = FrontSearch(recipe, np.asfortranarray(x > THRESHOLD), targets, weights), targets.problem
    soft = [rules.soften(as_probabilities(each, problem), decisions(each, problem)) for each in logits]
    predicted = [rules.network_decisions(each) for each in logits]
    result = None
    if recipe.goal is None:
        lists = rules.search(soft, kept)
        scores = rules.score(lists, predicted)
        chosen = rules.choose(lists[0], scores.gain, rules.held_out)
    else:
        rules, lists, scores, chosen, result = rules.reach(recipe.goal, soft, kept, predicted)
    points, chosen = rules.resolve(lists[0], chosen, scores)

    exact = rules.psi_point(network) if isinstance(network, PsiNetwork) else None
    if exact is not None:
        points = [*points, exact]
        chosen = len(points) - 1 if result is None else chosen
    front = rules.front(points, chosen, rules.seen(kept[0], decisions(logits[0], problem)))
    shown = result is None and exact is None  # whether the lists scored are shown
    lead = rules.lead(lists[0], scores.parts) if shown else None
    return replace(front, lead=lead, goal=result)


@dataclass(frozen=True, eq=False)
class FrontSearch:
    """The steps from a network's predictions to the front.

    Attributes
    ----------
    recipe : SearchSettings
    bits : ndarray of bool, shape (n, n_concepts)
    targets : Targets
    weights : sequence of ndarray of shape (n,)
        Of the rows in each part; the first has all of them.
    """

    recipe: SearchSettings
    bits: BoolArray
    targets: Targets
    weights: Sequence[FloatArray]

    @property
    def is_list(self) -> bool:
        """True where rules are one list: targets exclude one another; rules say when, and only when."""
        return self.targets.problem is not Problem.MULTI_LABEL and self.recipe.kind in LISTED

    @cached_property
    def class_weight(self) -> FloatArray:
        """``c_k``: the list is about ``c_k p_ik`` in place of ``p_ik``."""
        return class_weights(self.recipe.class_weight, self.targets, self.targets.observed(self.weights[0]))

    def soften(self, probability: FloatArray, answers: BoolArray) -> FloatArray:
        """``p_i = (1 - a) y_i + a f(x_i)``, (n, n_targets).

        IF and ONLY IF rules are about the truth or, with ``a = 1``, about the network's decisions. At their
        prices no rule but a constant would satisfy both on the few rows where they differ.
        """
        a = self.recipe.distillation
        if PRICES.get(self.recipe.kind, (1.0, 1.0)) != (1.0, 1.0):
            known = self.targets.known() > 0
            return np.where(known & (a < 1.0), self.targets.truth(), answers).astype(np.float64)
        truth = self.targets.truth()
        if self.targets.unlabeled is not None:  # the network alone says what they are
            truth = np.where(self.targets.unlabeled[:, None], probability, truth)
        p = (1.0 - a) * truth + a * probability
        return np.asarray(np.round(_DEGREES * p) / _DEGREES)

    def search(self, soft: Sequence[FloatArray], allowed: BoolArray) -> list[list[Lists]]:
        """The lists of every length, for each part: about its ``p``, of the concepts allowed there."""
        distinct = Distinct.of(np.packbits(self.bits[:, allowed.any(axis=0)], axis=1))
        share = _sample(distinct.add_up(np.sum(self.weights, axis=0)))
        drawn = np.flatnonzero(share)
        row_weights = np.array([w.sum() / min(effective_rows(w), _SEARCHED) for w in self.weights])

        def add_up(values: Sequence[FloatArray]) -> FloatArray:
            """Values of the rows in each part, (n, k), as sums over those drawn, (n_parts, n_drawn, k)."""
            sums = [distinct.add_up(w[:, None] * v)[drawn] for w, v in zip(self.weights, values, strict=True)]
            return share[drawn, None] * np.stack(sums)

        def lists(
            values: Sequence[FloatArray], defaults: Sequence[int], also: Sequence[FloatArray] = ()
        ) -> list[list[DecisionList]]:
            return search_lists(
                self.bits[distinct.first[drawn]],
                add_up(values),
                also=add_up(also) if also else None,
                max_literals=self.recipe.max_literals,
                allowed=allowed,
                defaults=defaults,
                row_weights=row_weights,
            )

        if self.is_list:
            found = lists([p * self.class_weight for p in soft], (0, 1))
            return [[(each,) for each in part] for part in found]
        false_yes, miss = PRICES[self.recipe.kind]
        prices, fair = self.row_price * np.array([false_yes, miss]), self.row_price
        by_target = []
        for k in range(len(self.targets.labels)):
            wrong = [np.column_stack([1.0 - p[:, k], p[:, k]]) for p in soft]  # a false yes, and a miss
            also = [] if false_yes == miss else [fair * each for each in wrong]
            by_target.append(lists([prices * each for each in wrong], (0,), also))
        return [_side_by_side(fronts, self.recipe.max_literals) for fronts in zip(*by_target, strict=True)]

    def decide(self, lists: Lists, rows: IndexArray | slice = slice(None)) -> BoolArray:
        """The rules' decision on each target, on some rows, (n, n_targets)."""
        bits = self.bits[rows]
        if self.is_list:
            return np.asarray(lists[0].decide(bits)[:, None] == np.arange(len(self.targets.labels)))
        return np.column_stack([each.decide(bits) == 1 for each in lists])

    def network_decisions(self, logits: FloatArray) -> BoolArray:
        """The network's decision on each target: one of them where the rules are a list, (n, n_targets)."""
        if self.is_list:
            best = predicted_index(logits, self.targets.problem)
            return np.asarray(best[:, None] == np.arange(len(self.targets.labels)))
        return decisions(logits, self.targets.problem)

    @cached_property
    def row_price(self) -> FloatArray:
        """Price of each row by its class, where targets are apart, (n, 1)."""
        if self.targets.problem is Problem.MULTI_LABEL:
            return np.ones((len(self.bits), 1))
        price = np.asarray(self.targets.truth() @ self.class_weight)[:, None]
        return np.where(self.targets.known() > 0, price, 1.0)

    def score(self, lists: Sequence[list[Lists]], answers: Sequence[BoolArray]) -> FrontScores:
        """How good each length is: a row that a part leaves out is rated under its lists and network."""
        lengths = [_length(each) for each in lists[0]]
        accuracy, fidelity = np.zeros((2, len(lengths)))
        gain = np.zeros((len(lengths), len(self.bits)), dtype=np.float32)
        parts = []
        rated = self.held_out / max(float(self.held_out.sum()), np.finfo(float).tiny)
        truth, out = self.targets.truth(), np.where(self._left_out > 0, self._left_out, 1.0)
        whole = self.targets.observed(self.weights[0])
        row_size = effective_rows(whole) / whole.sum()  # weights that are no counts say how much rows matter
        for front, weight, predicted in zip(lists[1:], self.weights[1:], answers[1:], strict=True):
            share = (self.weights[0] - weight) / out  # of each row, which may stand for several
            rows = np.flatnonzero(share)
            share, true, network = share[rows], truth[rows], predicted[rows]
            longest = np.searchsorted([_length(each) for each in front], lengths, side="right") - 1
            observed = row_size * self.targets.observed(self.weights[0] - weight)[rows]
            totals, positives = np.zeros((6, len(lengths))), np.zeros((3, len(lengths)))
            groups = None if self.targets.groups is None else self.targets.groups[rows]
            sizes = observed if groups is None else np.bincount(groups, observed)
            usual = int((self.targets.observed(weight) @ truth).argmax())
            constant = self.accuracy(np.arange(truth.shape[1])[None] == np.full((len(rows), 1), usual), true)
            for at in np.unique(longest):  # lengths without a list of their own have the next shorter one
                decided, alike = self.decide(front[at], rows), np.flatnonzero(longest == at)
                right, gained = self.accuracy(decided, true), self.gain(decided, true, rows)
                accuracy[alike] += (rated[rows] * share) @ right
                fidelity[alike] += (rated[rows] * share) @ self.fidelity(decided, network)
                gain[alike[:, None], rows] += share * gained
                wins, losses = observed * (right > constant), observed * (right < constant)
                sums = [observed @ gained, wins.sum(), losses.sum(), 0.0, 0.0, 0.0]
                if groups is not None:
                    ahead, rights = np.bincount(groups, wins - losses), np.bincount(groups, observed * right)
                    sums[3:] = ahead @ ahead, rights @ rights, rights @ sizes
                totals[:, alike] = np.array(sums)[:, None]
                if self.recipe.goal is not None:
                    positives[:, alike] = self.positives(decided, true, observed)[:, None]
            n_groups, squared = int((sizes > 0).sum()), float(np.square(sizes).sum())
            parts.append(PartScores(totals, float(observed.sum()), positives, n_groups, squared))
        return FrontScores(accuracy, fidelity, self._n_independent(accuracy, parts), gain, parts)

    def _n_independent(self, accuracy: FloatArray, parts: Sequence[PartScores]) -> FloatArray:
        """How many independent rows the accuracy of each length is as sure as, (n_points,)."""
        n = np.full(len(accuracy), self.n_rows(self.held_out))
        if self.targets.groups is None or not parts:
            return n
        sums = np.sum([part.sums for part in parts], axis=0)
        rows, n_groups, squared = (
            sum(getattr(part, name) for part in parts) for name in ("n_rows", "n_groups", "sizes_squared")
        )
        squares = sums[4] - 2.0 * accuracy * sums[5] + np.square(accuracy) * squared
        variance = rows * accuracy * (1.0 - accuracy)
        effects = [
            design_effect(*each, squared, rows, n_groups) for each in zip(squares, variance, strict=True)
        ]
        return np.asarray(n / np.array(effects))

    def positives(self, decided: BoolArray, truth: FloatArray, weight: FloatArray) -> FloatArray:
        """Weight of rows decided to be of the goal's class, of rows that are, and of those that are both."""
        assert self.recipe.goal is not None
        k = self.targets.labels.index(self.recipe.goal.label)
        return np.array([decided[:, k], truth[:, k], decided[:, k] * truth[:, k]]) @ weight

    def reach(
        self, goal: Goal, soft: Sequence[FloatArray], allowed: BoolArray, predicted: Sequence[BoolArray]
    ) -> tuple[FrontSearch, list[list[Lists]], FrontScores, int, GoalResult]:
        """The most accurate rules that reach a goal on held-out rows: of several class weights, and lengths.

        Those that come nearest, where none reaches it. Nothing is trained for it.
        """
        if len(self.weights) < 2:
            raise InputError(f"goal needs at least {FEW_ROWS} rows, to see whether rules reach it.")
        observed = self.targets.observed(self.weights[0])
        label = self.targets.labels[int((observed @ self.targets.truth()).argmin())]
        goal = goal if goal.label is not None else replace(goal, label=label)
        best: Any = None
        for weight in GOAL_WEIGHTS:
            recipe = replace(self.recipe, class_weight={goal.label: weight}, goal=goal)
            rules = replace(self, recipe=recipe)
            lists = rules.search(soft, allowed)
            scores = rules.score(lists, predicted)
            positives = np.sum([part.positives for part in scores.parts], axis=0)
            cost = self.recipe.literal_cost * np.array([_length(each) for each in lists[0]]) - scores.accuracy
            for at in rules.lasting(lists[0]):
                # rules may differ a lot from those of the parts, so they have to reach it themselves, too
                own = rules.positives(rules.decide(lists[0][at]), self.targets.truth(), observed)
                rate, n = min(goal.rate(*positives[:, at]), goal.rate(*own))
                found = GoalResult(goal, rate, n, weight)
                near = 0.0 if found.is_reached else -rate * (n >= FEW)
                rank = (not found.is_reached, near, np.round(cost[at], 9))
                if best is None or rank < best[0]:
                    best = rank, (rules, lists, scores, at, found)
        return best[1]  # type: ignore[no-any-return]

    def lasting(self, lists: Sequence[Lists]) -> list[int]:
        """The lists that may be shown: those that :meth:`resolve` keeps; a constant if there is no other.

        Where a length is asked for, the longest one up to it.
        """
        lengths = [self.point(each, 0.0, 0.0, 0.0).literals for each in lists]
        kept = [at for at, length in enumerate(lengths) if all(length < each for each in lengths[at + 1 :])]
        if not isinstance(self.recipe.literals, str):
            return [at for at in kept if lengths[at] <= self.recipe.literals][-1:] or kept[:1]
        return [at for at in kept if lengths[at]] or kept

    def gain(self, decided: BoolArray, p: FloatArray, rows: IndexArray | slice = slice(None)) -> FloatArray:
        """Gain of decisions on some rows, at the prices that rules are searched at, (n,)."""
        if self.is_list:
            return np.asarray((self.class_weight * p * decided).sum(axis=1))
        false_yes, miss = PRICES[self.recipe.kind]
        right = np.where(decided, miss * p, false_yes * (1.0 - p))
        return np.asarray(self.row_price[rows, 0] * right.mean(axis=1))

    def accuracy(self, decided: BoolArray, truth: FloatArray) -> FloatArray:
        """Accuracy of the decision on each row, (n,); the mean over targets where they are apart.

        Of soft labels, right is what they hold most probable.
        """
        if self.is_list:
            return np.asarray((truth * decided).sum(axis=1) >= truth.max(axis=1), dtype=np.float64)
        return np.asarray((np.where(decided, truth, 1.0 - truth) >= THRESHOLD).mean(axis=1))

    def fidelity(self, decided: BoolArray, predicted: BoolArray) -> FloatArray:
        """Agreement of rules and network on each row, (n,); the mean over targets where they are apart."""
        same = decided == predicted
        return np.asarray(same.all(axis=1) if self.is_list else same.mean(axis=1), dtype=np.float64)

    @cached_property
    def _left_out(self) -> FloatArray:
        """How much of each row the parts leave out, (n,)."""
        out = np.sum([self.weights[0] - weight for weight in self.weights[1:]], axis=0)
        return np.broadcast_to(out, self.weights[0].shape)

    @cached_property
    def held_out(self) -> FloatArray:
        """Weights of the rows by which lengths are rated: those that were held out once, and are data."""
        return self.targets.observed(self._left_out)

    def n_rows(self, held_out: FloatArray) -> float:
        """How many rows lengths are rated by, from their weights."""
        weight = self.targets.observed(self.weights[0])
        return effective_rows(weight) * float(np.round(held_out.sum() / weight.sum(), 9))

    def choose(self, lists: Sequence[Lists], gain: Gains, weight: FloatArray) -> int:
        """The length with the smallest J about the truth of held-out rows, if it beats a constant prediction.

        Where no row is held out, the smallest J about ``p`` on the rows that were searched, untested.
        """
        price = self.recipe.literal_cost * np.array([_length(each) for each in lists])
        if not weight.any():
            regret = np.array([sum(each.regret for each in several) for several in lists])
            return int((regret / (self.weights[0].sum() * max(len(lists[0]), 1)) + price).argmin())
        share = weight / weight.sum()
        j = price - np.array([share @ each for each in gain])  # up to a constant
        best = int(np.round(j, 9).argmin())
        lead = (gain[best] - gain[0]).astype(np.float64)
        apart = lead - share @ lead
        n_rows, groups = self.n_rows(weight), self.targets.groups
        if groups is not None:  # rows of a group may say the same thing again
            by_group, sizes = np.bincount(groups, weight * apart), np.bincount(groups, weight)
            summed = float(weight @ np.square(apart)), float(sizes @ sizes), float(weight.sum())
            n_rows /= design_effect(float(by_group @ by_group), *summed, int((sizes > 0).sum()))
        variance = share @ np.square(apart) / n_rows
        return best if share @ lead > ONE_SIDED * np.sqrt(variance) else 0

    def lead(self, lists: Sequence[Lists], parts: Sequence[PartScores]) -> Lead | None:
        """How far rules are ahead of a constant, on rows that had no say in them, nor in their length.

        For each part the length is chosen by the rows of the others. None where targets have a formula each,
        and where there is one part only.
        """
        if not self.is_list or len(parts) < 2:
            return None
        lengths = np.array([_length(each) for each in lists])
        sums, n_rows = np.zeros(6), sum(part.n_rows for part in parts)
        for part in parts:
            if isinstance(self.recipe.literals, int):
                at = int(np.searchsorted(lengths, self.recipe.literals, side="right")) - 1
            else:
                others = sum(each.sums[0] for each in parts if each is not part) / (n_rows - part.n_rows)
                at = int(np.round(self.recipe.literal_cost * lengths - others, 9).argmin())
            sums += part.sums[:, at]
        _, wins, losses, squares, *_ = sums.tolist()
        lead = Lead(n_rows, wins, losses)
        if self.targets.groups is None:
            return lead
        sizes_squared, n_groups = (
            sum(part.sizes_squared for part in parts),
            sum(part.n_groups for part in parts),
        )
        return lead.thinned(squares, sizes_squared, n_groups)

    def resolve(
        self,
        lists: Sequence[Lists],
        chosen: int,
        scores: FrontScores | None = None,
    ) -> tuple[list[Point], int]:
        """Each list with its default as a decision in the words of concepts, and the place of the chosen one.

        In words of columns, a later, better list may be no longer than those before it: these go.
        """
        none = np.zeros(len(lists))
        rates = (none, none, none) if scores is None else (scores.accuracy, scores.fidelity, scores.n_rows)
        points = [self.point(*each) for each in zip(lists, *rates, strict=True)]
        kept: list[int] = []
        for at in reversed(range(len(points))):
            if not kept or points[at].literals < points[kept[-1]].literals:
                kept.append(at)
        kept.reverse()
        return [points[at] for at in kept], int(np.searchsorted(kept, chosen))

    def point(self, lists: Lists, right: float, same: float, n_rows: float) -> Point:
        """A length with its rules in the words of concepts, and how good it is."""
        labels = self.targets.labels
        own: tuple[Formula, ...] = ()
        if self.is_list:
            steps = tuple(Step(labels[k], self.formula(terms)) for k, terms in lists[0].steps)
            default = labels[lists[0].default]
        else:
            formulas = tuple(Or.of(self.formula(terms) for _, terms in each.steps) for each in lists)
            steps = tuple(map(Step, labels, formulas))
            default = None
            if self.targets.problem is not Problem.MULTI_LABEL:
                own, (steps, default) = formulas, self.rank(steps, every=True)
        if not n_rows:
            return Point(steps, default, formulas=own)
        accuracy, fidelity = (float(np.clip(np.round(v, 12), 0.0, 1.0)) for v in (right, same))
        interval = wilson(accuracy, n_rows)
        return Point(steps, default, accuracy, fidelity, interval, formulas=own)

    def rank(self, steps: Sequence[Step], *, every: bool = False) -> tuple[tuple[Step, ...], Any]:
        """Formulas that may overlap as a list, the most precise first; then what is most frequent."""
        names, truth = self.recipe.names, self.targets.truth()
        weight = self.targets.observed(self.weights[0])
        fired = np.column_stack([step.formula.evaluate(self.bits, names) for step in steps])
        covered, right = weight @ fired, (weight[:, None] * truth * fired).sum(axis=0)
        open_ = weight * ~fired.any(axis=1)
        frequency = open_ @ truth if open_.any() else weight @ truth
        default = steps[int(frequency.argmax())].label
        ranks = (right / np.where(covered > 0, covered, 1.0)).tolist()
        return ranked_steps(ranks, steps, None if every else default), default

    def formula(self, terms: Terms) -> Formula:
        """Terms as a formula, without literals that follow from others of their term in a raw table."""
        alone = {term.tobytes() for term in terms if np.abs(term).sum() == 1}
        if any((-term).tobytes() in alone for term in terms):  # a concept, or its negation
            return TRUE
        return Or.of(map(self.term, terms))

    def term(self, signs: Terms) -> Formula:
        """One term, (n_concepts,), 1 for a concept and -1 for its negation."""
        names, words = self.recipe.names, self.recipe.vocabulary
        found = And.of(
            Var(names[j]) if signs[j] > 0 else Not(Var(names[j])) for j in np.flatnonzero(signs).tolist()
        )
        columns = [] if words is None else [words[name].column for name in found.concepts]
        shared = len(set(columns)) < len(columns)
        return words.simplify(found) if words is not None and shared else found

    def psi_point(self, network: PsiNetwork) -> Point | None:
        """The formulas of a psi network, each exact for its output; none where one is too long to be read."""
        if self.recipe.kind is not RuleKind.IFF:
            return None
        names = self.recipe.names
        try:
            formulas = [compose(network.neurons(i), names).outputs[0] for i in range(network.members)]
        except LimitError as error:
            warnings.warn(
                f"{error.problem} So the rules only approximate it. {error.remedy}",
                UserWarning,
                stacklevel=2,
            )
            return None
        if self.targets.problem is Problem.BINARY:
            formulas = [simplify(Not(formulas[0])), formulas[0]]
        if self.recipe.vocabulary is not None:
            formulas = [self.recipe.vocabulary.simplify(formula) for formula in formulas]
        return self.of_formulas(formulas, EXACT, exclusive=self.targets.problem is Problem.BINARY)

    def of_formulas(self, formulas: Sequence[Formula], status: str = "", *, exclusive: bool = False) -> Point:
        """A point of formulas that each speak of their target alone; exclusive: one of two is always true."""
        steps = tuple(map(Step, self.targets.labels, formulas))
        if exclusive:
            first = 1 if steps[1].literals <= steps[0].literals else 0
            other = self.targets.labels[1 - first]
            return Point(steps[first : first + 1], other, status=status, formulas=tuple(formulas))
        if self.targets.problem is Problem.MULTI_LABEL:
            return Point(steps, status=status, formulas=tuple(formulas))
        return Point(*self.rank(steps), status=status, formulas=tuple(formulas))

    def front(self, points: Sequence[Point], chosen: int, seen: Seen) -> Front:
        """The front of these points; what is shown is the chosen one, unless the recipe says otherwise."""
        front = Front(
            tuple(points),
            self.targets.labels,
            self.recipe.names,
            self.recipe.kind,
            self.targets.problem is Problem.MULTI_LABEL,
            chosen,
            self.recipe.vocabulary,
            seen,
        )
        literals = self.recipe.literals
        return front if literals == "auto" else replace(front, chosen=front.at(literals))

    def seen(self, kept: BoolArray, answers: BoolArray) -> Seen:
        """The distinct tuples of the rows, over the concepts that are kept."""
        weight = self.targets.observed(self.weights[0])
        rows = np.flatnonzero(weight > 0)
        bits = np.ascontiguousarray(self.bits[rows][:, kept])
        merged = Distinct.of(np.packbits(bits, axis=1))

        names = tuple(name for name, each in zip(self.recipe.names, kept, strict=True) if each)
        counts = weight[rows]
        return Seen(
            names,
            pack(bits[merged.first]),
            merged.add_up(counts[:, None] * self.targets.truth()[rows]),
            merged.add_up(counts[:, None] * answers[rows].astype(np.float64)),
            merged.add_up(counts),
            number_of_rows(weight),
        )


def _check_goal(recipe: Recipe, targets: Targets) -> None:
    """Refuse a goal where rules are no list of one class each."""
    assert recipe.goal is not None
    if targets.problem is Problem.MULTI_LABEL or recipe.kind is not RuleKind.IFF or recipe.front is not None:
        raise InputError("goal is for rules of one label per row, with rule='iff' and no reference settings.")
    if recipe.class_weight is not None:
        raise InputError("goal chooses a class weight itself. Leave out class_weight, or goal.")
    if recipe.goal.label is not None and recipe.goal.label not in targets.labels:
        raise UnknownTargetError(recipe.goal.label, targets.labels)


def explain_answers(
    probabilities: FloatArray,
    answers: BoolArray,
    x: FloatArray,
    targets: Targets,
    weight: FloatArray,
    recipe: SearchSettings,
    kept: BoolArray,
    *,
    by_truth: bool = False,
) -> Front:
    """Rules of every length for any predictions; none of the rows is held out.

    Parameters
    ----------
    probabilities : ndarray of shape (n, n_targets)
        Predicted probability of each target: ``f(x)`` of the objective.
    answers : ndarray of bool, shape (n, n_targets)
        Decision on each target, which fidelity is about.
    x : ndarray of shape (n, n_concepts)
    targets : Targets
        What is true of the rows.
    weight : ndarray of shape (n,)
    recipe : SearchSettings
    kept : ndarray of bool, shape (n_concepts,)
        The concepts that rules may use.
    by_truth : bool, default False
        Whether the length that is shown is that of the least J about the truth of these rows, rather than
        about the predictions.
    """
    rules = FrontSearch(recipe, np.asfortranarray(x > THRESHOLD), targets, [weight])
    (lists,) = rules.search([rules.soften(probabilities, answers)], kept[None])
    truth, none = targets.truth(), np.zeros(len(x))
    gain = np.array([rules.gain(rules.decide(each), truth) for each in lists], dtype=np.float32)
    chosen = rules.choose(lists, gain, targets.observed(weight) if by_truth else none)
    return rules.front(*rules.resolve(lists, chosen), rules.seen(kept, answers))


def _length(lists: Lists) -> int:
    return sum(each.literals for each in lists)


def _sample(weight: FloatArray) -> FloatArray:
    """Weights of tuples: 1 for all of few; of many a sample, drawn by weight, and 0 for the others."""
    if len(weight) <= _SEARCHED:
        return np.ones(len(weight))
    order = np.random.default_rng(0).permutation(len(weight))
    drawn = systematic_sample(weight, order, _SEARCHED, start=0.5)
    return np.asarray(drawn / np.where(weight > 0, weight, 1.0))


def _side_by_side(fronts: Sequence[Sequence[DecisionList]], most: int) -> list[Lists]:
    """Formulas of several targets together: a literal more goes where it lowers the regret most."""
    at = [0] * len(fronts)
    found = [tuple(front[0] for front in fronts)]
    while True:
        best, step = 0.0, None
        for target, front in enumerate(fronts):
            here = front[at[target]]
            for place in range(at[target] + 1, len(front)):
                more = front[place].literals - here.literals
                rate = (here.regret - front[place].regret) / more
                if rate > best and _length(found[-1]) + more <= most:
                    best, step = rate, (target, place)
        if step is None:
            return found
        at[step[0]] = step[1]
        found.append(tuple(front[place] for front, place in zip(fronts, at, strict=True)))


def _split_into_parts(recipe: Recipe, x: FloatArray, targets: Targets, fold: RowSplit) -> RowSplit:
    """The fold with a part for each restart to leave out, class by class; with none where rows are few."""
    weight = targets.observed(fold.train + fold.check)
    if number_of_rows(weight) < FEW_ROWS:
        return RowSplit(fold.train + fold.check, np.zeros_like(weight), fold.number)
    number = recipe.population.restarts
    if number == 1:
        return fold
    seed = recipe.population.seed
    left = leave_out(x, targets.outputs, targets.strata(), weight, number, seed, targets.groups)
    return replace(fold, parts=tuple(left))


def _merge_rows(
    x: FloatArray, targets: Targets, folds: Sequence[RowSplit], recipe: Recipe
) -> tuple[FloatArray, Targets, list[RowSplit]]:
    """The distinct rows, counted, in an order of their own; as they are where weights are no counts.

    Rows from priors stay at the end. A replacement of the search may need each row by itself.
    """
    n_rows = len(x) - targets.n_prior_rows
    if recipe.front is not None or not all(
        are_counts(targets.observed(fold.train + fold.check)) for fold in folds
    ):
        return x, targets, list(folds)
    used = np.flatnonzero(np.any([fold.train[:n_rows] + fold.check[:n_rows] > 0 for fold in folds], axis=0))
    groups = np.zeros(len(x), dtype=np.intp) if targets.groups is None else targets.groups
    rows = Distinct.of(
        x[used], targets.outputs[used], targets.known()[used], groups[used, None].astype(np.float64)
    )
    kept = np.concatenate([used[rows.first], np.arange(n_rows, len(x))])

    def add_up(weight: FloatArray) -> FloatArray:
        return np.concatenate([rows.add_up(weight[used]), weight[n_rows:]])

    folds = [replace(fold, train=add_up(fold.train), check=add_up(fold.check)) for fold in folds]
    return x[kept], targets.take(kept), folds
