"""Fit one classifier on one or many folds at once: train, settle, explain, hear a second opinion.

Both ``fit`` (one fold) and ``cross_explain`` (many) end here, so a fold of a cross-validation is what a fit
on that fold would have been.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from logiclens.estimators.aiming import rule_of_two_classes, rules_of_members
from logiclens.estimators.asking import ask
from logiclens.estimators.balancing import Balance
from logiclens.estimators.candidates import Trained
from logiclens.estimators.common_opinion import common_opinion
from logiclens.estimators.counting import Distinct, Fold, are_counts, as_counts
from logiclens.estimators.extraction import Extraction, explain_targets
from logiclens.estimators.fitting import Population, train_folds
from logiclens.estimators.second_opinion import retold, second_opinions
from logiclens.estimators.settling import settle
from logiclens.estimators.targets import Problem, Targets, decisions
from logiclens.explain.classwise import NECESSARY_RECALL, SUFFICIENT_PRECISION
from logiclens.explain.label import Label
from logiclens.explain.rule import RuleKind
from logiclens.explain.rule_set import ExplanationSet
from logiclens.logic import TruthTable
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray, quiet_products
from logiclens.nn.population import LogicNetwork

if TYPE_CHECKING:
    from logiclens.nn.plan import Plan


FURTHER_ROUNDS = 4
"""How often the chosen networks are taught once more, while they still differ from their rules."""

STANDARD_ERRORS = 1.5
"""A network that reads the concepts of a short formula is taken unless worse by more standard errors."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """What comes out of a fit.

    Attributes
    ----------
    trained : Trained
        How training went.
    network : LogicNetwork
        One member for each output, in double precision on the CPU.
    rules : ExplanationSet
    tables : dict of label to TruthTable
        What the network says on the rows, over the concepts of each target's table.
    """

    trained: Trained[Any]
    network: LogicNetwork
    rules: ExplanationSet
    tables: dict[Label, TruthTable]


@dataclass(frozen=True)
class Recipe:
    """How to fit: what to train, how, how to explain it, and whether networks settle on their rules.

    ``train`` does the training: :func:`~logiclens.estimators.fitting.train_folds`, or what takes its place.
    """

    population: Population[Any]
    plan: Plan
    extraction: Extraction
    settles: bool
    train: Callable[..., list[Trained[Any]]] = train_folds

    def telling(self, n_told: int) -> Recipe:
        """The same, where the last rows are what priors tell, not data."""
        searches = self.population.searches and not n_told  # rows tell less than priors do
        population = replace(self.population, searches=searches)
        return replace(self, population=population, extraction=replace(self.extraction, n_told=n_told))

    @property
    def listens(self) -> bool:
        """Whether networks may hear a second opinion: those that settle on a rule and keep few concepts.

        Not where rules must hold on tuples that do not occur.
        """
        return self.settles and self.population.searches and not self.extraction.ask


def fit_folds(
    recipe: Recipe,
    x: FloatArray,
    targets: Targets,
    folds: Sequence[Fold],
    progress: Callable[[float], None] | None = None,
) -> list[Fitted]:
    """Fit all folds as one population; one result for each."""
    x, targets, folds = _merged(x, targets, folds, recipe.extraction)
    trained = recipe.train(recipe.population, recipe.plan, x, targets.outputs, folds, progress)
    if recipe.settles and recipe.extraction.kind is RuleKind.IFF:
        trained = _settled(trained, x, targets, folds, recipe)
    else:
        trained = [run.select(_firsts(run.network, targets)) for run in trained]
    if recipe.extraction.kind is not RuleKind.IFF:
        for run, fold in zip(trained, folds, strict=True):
            _shift(run.network, x, targets, fold, recipe.extraction.kind)
    fitted = []
    for run, fold in zip(trained, folds, strict=True):
        final = run.network.double().cpu()
        rules, tables = explain_targets(final, x, targets, fold, recipe.extraction)
        if recipe.listens and _hears(final, rules, x, targets, fold, recipe.population):
            rules = retold(rules, final, x, targets, fold, recipe.extraction)
        fitted.append(Fitted(run, final, rules, tables))
    return fitted


def _hears(
    network: LogicNetwork,
    rules: ExplanationSet,
    x: FloatArray,
    targets: Targets,
    fold: Fold,
    of: Population[Any],
) -> bool:
    """Let a network hear what it should, if anything: an opinion in common, or one of each output."""
    if targets.problem is Problem.SINGLE_LABEL:
        common = common_opinion(network, x, targets, fold, of.balance)
        if common is not None:
            network.hear(common)
        return common is not None
    opinions = second_opinions(network, rules, x, targets, fold, of.balance, of.widths.heard)
    if any(opinions):
        network.hear(opinions)
    return any(opinions)


def _merged(
    x: FloatArray, targets: Targets, folds: Sequence[Fold], how: Extraction
) -> tuple[FloatArray, Targets, list[Fold]]:
    """The distinct rows, counted, in an order of their own; as they are where weights are no counts.

    What priors tell stays at the end. The paper's aggregation is about rows one by one.
    """
    n_rows = len(x) - how.n_told
    if how.as_in_paper or not all(are_counts(how.observed(fold.train + fold.check)) for fold in folds):
        return x, targets, list(folds)
    used = np.flatnonzero(np.any([fold.train[:n_rows] + fold.check[:n_rows] > 0 for fold in folds], axis=0))
    rows = Distinct.of(x[used], targets.outputs[used])
    kept = np.concatenate([used[rows.first], np.arange(n_rows, len(x))])

    def add_up(weight: FloatArray) -> FloatArray:
        return np.concatenate([rows.add_up(weight[used]), weight[n_rows:]])

    def merged(fold: Fold) -> Fold:
        counted, sure = add_up(fold.train + fold.check), fold.confidence
        if sure is not None:  # the mean of rows that are merged
            sure = add_up((fold.train + fold.check) * sure) / np.where(counted > 0, counted, 1.0)
        return replace(fold, train=add_up(fold.train), check=add_up(fold.check), confidence=sure)

    return x[kept], replace(targets, outputs=targets.outputs[kept]), [merged(fold) for fold in folds]


def _firsts(network: LogicNetwork, targets: Targets) -> NDArray[np.intp]:
    """The first candidate of each output."""
    n_outputs = targets.outputs.shape[1]
    return np.asarray(np.arange(n_outputs) * (network.members // n_outputs))


def _settled(
    trained: list[Trained[Any]], x: FloatArray, targets: Targets, folds: Sequence[Fold], recipe: Recipe
) -> list[Trained[Any]]:
    """Settle all candidates on their rules; of each output the one that is then right most often.

    What the chosen ones have still to learn, they learn after that; the one of two classes, a rule that is
    short for either.
    """
    how, is_pair = recipe.extraction, targets.problem is Problem.BINARY and not recipe.extraction.as_in_paper
    rules, weights, checks = [], [], []
    for run, fold in zip(trained, folds, strict=True):
        rules.append(rules_of_members(run.network, run.searched, x, targets, fold, how))
        scaled, check = fold.scaled(), as_counts(fold.check)
        weights.append(scaled.train + scaled.check)
        per_output = run.network.members // targets.outputs.shape[1]
        yes = check[:, None] * np.repeat(targets.outputs, per_output, axis=1)
        checks.append(np.stack([check[:, None] - yes, yes], axis=2))
    coarse = [run.coarse for run in trained]
    networks = settle([run.network for run in trained], x, rules, weights, checks, recipe.plan, coarse)
    chosen, unlike = [], []
    for at, (run, network, fold) in enumerate(zip(trained, networks, folds, strict=True)):
        said_yes = ask(network, x) > 0
        right = _right(said_yes, rules[at], targets)
        counts = as_counts(fold.train + fold.check)
        best = _most_right(right, run.searched, targets, counts, how.balance)
        chosen.append(replace(run, network=network).select(best))
        said_yes, rules[at] = said_yes[:, best], rules[at][:, best]
        if is_pair and not run.searched[best[0]]:
            truth = targets.outputs[:, 0]
            rules[at][:, 0] = rule_of_two_classes(chosen[-1].network, said_yes[:, 0], x, truth, fold, how)
        differs = ((said_yes != rules[at]) & (weights[at] > 0)[:, None]).any(axis=0)
        unlike.append(torch.as_tensor(np.flatnonzero(differs), device=network.l1.device))
        rules[at], checks[at] = rules[at][:, differs], checks[at][:, best[differs]]
    if not any(map(len, unlike)):
        return chosen
    learners = [run.network.select(index) for run, index in zip(chosen, unlike, strict=True)]
    learned = settle(learners, x, rules, weights, checks, recipe.plan, coarse, FURTHER_ROUNDS)
    for run, index, network in zip(chosen, unlike, learned, strict=True):
        run.network.put(index, network)
    return chosen


def _right(said_yes: BoolArray, rules: BoolArray, targets: Targets) -> FloatArray:
    """How far each candidate is right about each row, together with its rule, (n, members)."""
    truth = np.repeat(targets.outputs, said_yes.shape[1] // targets.outputs.shape[1], axis=1)
    return np.where(said_yes == rules, np.where(rules, truth, 1.0 - truth), 0.0)


@quiet_products
def _most_right(
    right: FloatArray, searched: BoolArray, targets: Targets, counts: FloatArray, balance: Balance
) -> IndexArray:
    """Of each output the candidate that is right about most rows; a searched one unless clearly worse."""
    per_output = right.shape[1] // targets.outputs.shape[1]
    best = []
    for output, truth in enumerate(targets.outputs.T):
        start = output * per_output
        weight = counts * balance.of_rows(truth, counts)
        total = weight @ right[:, start : start + per_output]
        at = int(total.argmax())
        if searched[start + per_output - 1]:
            lead = right[:, start + at] - right[:, start + per_output - 1]
            if weight @ lead <= STANDARD_ERRORS * np.sqrt(weight @ np.square(lead)):
                at = per_output - 1
        best.append(start + at)
    return np.array(best, dtype=np.intp)


def _shift(network: LogicNetwork, x: FloatArray, targets: Targets, fold: Fold, kind: RuleKind) -> None:
    """Fix the output bias of an implication so that it holds on the rows it was trained and checked with.

    The hinges of Eq. 4 and 5 leave the bias open, and the paper asks for a condition on it. Ours: of all
    biases for which the network says yes to next to all of the target (IF), or is right about next to all it
    says yes to (ONLY IF), the one that says most.
    """
    rows = (fold.train + fold.check) > 0
    logits = ask(network, x[rows])
    weight = (fold.train + fold.check)[rows, None]
    yes, no = weight * targets.outputs[rows], weight * (1.0 - targets.outputs[rows])
    for output in range(network.members):
        order = np.argsort(-logits[:, output], kind="stable")
        ranked, said = logits[order, output], np.cumsum(yes[order, output])
        if kind is RuleKind.IF:  # down to where enough of the target is said yes to
            last = int(np.searchsorted(said, NECESSARY_RECALL * said[-1], side="left"))
        else:  # down to where one in so many more would be wrong
            pure = (said + 1.0) / (said + np.cumsum(no[order, output]) + 2.0) >= SUFFICIENT_PRECISION
            pure[:-1] &= ranked[1:] < ranked[:-1]  # equal logits are said yes to together
            if not pure.any():
                with torch.no_grad():
                    network.linears[-1].bias[output] -= ranked[0] + 1.0  # no to all
                continue
            last = int(np.flatnonzero(pure)[-1])
        edge = ranked[min(last, len(ranked) - 1)]
        below = ranked[ranked < edge]
        with torch.no_grad():
            network.linears[-1].bias[output] -= (edge + below.max()) / 2 if len(below) else edge - 1.0


def network_answers(network: LogicNetwork, x: FloatArray, problem: Problem) -> BoolArray:
    """What a network says about each target, (n, n_targets)."""
    return decisions(ask(network, x), problem)
