"""One opinion about all classes, heard where their networks leave open which it is.

Of several classes each has a network of its own. Where exactly one of them says yes, that is the answer.
About other rows, which none takes for its own or more than one does, the largest output says little: each
network has learned to tell its class from the rest, not which class is nearest. A linear discriminant says
that: the class whose mean is nearest, by a distance that all classes share. It reads the concepts that some
network reads, and decides among the classes that say yes, or among all where none does. No network changes
its mind (:func:`logiclens.nn.opinion.told_apart`).

It is heard if, without having seen the rows that networks are checked with, it is right about more of those
that they leave open. No more is asked of it: the largest output has no better claim to these rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from logiclens.estimators.asking import ask
from logiclens.estimators.balancing import Balance
from logiclens.estimators.counting import Fold, as_counts
from logiclens.estimators.second_opinion import MOST_CONCEPTS, drawn
from logiclens.estimators.targets import Problem, Targets
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray, quiet_products
from logiclens.logic.threads import one_thread
from logiclens.nn.opinion import CommonOpinion
from logiclens.nn.population import LogicNetwork

SHRUNK: Final = 0.2
"""Share of the scatter within classes that is taken to be the same in all directions."""


@quiet_products
@one_thread()
def common_opinion(
    network: LogicNetwork, x: FloatArray, targets: Targets, fold: Fold, balance: Balance
) -> CommonOpinion | None:
    """What decides between classes where the networks do not, or None where nothing is gained.

    Parameters
    ----------
    network : LogicNetwork
        One member for each class.
    x : ndarray of shape (n, n_concepts)
    targets : Targets
    fold : Fold
    balance : Balance
        How the rows of each class are weighed.
    """
    if targets.problem is not Problem.SINGLE_LABEL:
        return None
    counts = drawn(as_counts(fold.train + fold.check))
    used = counts > 0
    x, counts, truth = x if used.all() else x[used], counts[used], targets.outputs[used]
    size = counts @ truth
    counts = counts * (truth @ balance.factor(size, size.sum() - size))
    checked = counts * (fold.check / np.maximum(fold.train + fold.check, np.finfo(float).tiny))[used]
    logits = ask(network, x)
    judged = ((logits > 0).sum(axis=1) != 1) & (checked > 0)
    if not judged.any():
        return None
    columns = _columns(network, x, truth, counts)
    if not len(columns):
        return None
    read, rows = x[:, columns], np.arange(int(judged.sum()))
    seen = _Sums.of(read, truth, counts - checked)
    own = logits[judged].argmax(axis=1)
    other = _among(seen.discriminant().logits(read[judged]), logits[judged] > 0)
    lead = truth[judged][rows, other] - truth[judged][rows, own]
    if checked[judged] @ lead <= 0.0:
        return None
    found = (seen + _Sums.of(read, truth, checked)).discriminant()
    weight = np.zeros((len(found.bias), x.shape[1]))
    weight[:, columns] = found.weight
    return CommonOpinion(weight, found.bias)


def _among(second: FloatArray, said_yes: BoolArray) -> IndexArray:
    """The class that an opinion is for: of those that say yes, of all where none does."""
    allowed = said_yes | ~said_yes.any(axis=1, keepdims=True)
    return np.asarray(np.where(allowed, second, -np.inf).argmax(axis=1))


def _columns(network: LogicNetwork, x: FloatArray, truth: FloatArray, counts: FloatArray) -> IndexArray:
    """The concepts that some network reads; of very many, those whose means differ most between classes."""
    columns = np.flatnonzero(network.kept().cpu().numpy().any(axis=0))
    if len(columns) <= MOST_CONCEPTS:
        return columns
    values = x[:, columns]
    weight = counts[:, None] * truth
    size = np.maximum(weight.sum(axis=0), np.finfo(float).tiny)
    centre = counts @ values / counts.sum()
    between = size @ np.square(weight.T @ values / size[:, None] - centre)
    spread = counts @ np.square(values - centre)
    first = np.argsort(-between / np.maximum(spread, 1e-12), kind="stable")[:MOST_CONCEPTS]
    return np.sort(columns[first])


@dataclass(frozen=True, eq=False)
class _Sums:
    """What a discriminant needs to know of rows: weight (k,), sums (k, m) and products (m, m)."""

    size: FloatArray
    total: FloatArray
    square: FloatArray

    @classmethod
    def of(cls, x: FloatArray, truth: FloatArray, counts: FloatArray) -> _Sums:
        weight = counts[:, None] * truth
        return cls(weight.sum(axis=0), weight.T @ x, (weight.sum(axis=1)[:, None] * x).T @ x)

    def __add__(self, other: _Sums) -> _Sums:
        return _Sums(self.size + other.size, self.total + other.total, self.square + other.square)

    def discriminant(self) -> CommonOpinion:
        """Weights (k, m) and biases (k,), whose means over the classes are 0."""
        n_rows, size = max(float(self.size.sum()), 0.5), np.maximum(self.size, 0.5)  # a class may be missing
        centre = self.total.sum(axis=0) / n_rows
        mean = np.where(self.size[:, None] > 0.25, self.total / size[:, None] - centre, 0.0)
        within = self.square / n_rows - np.outer(centre, centre) - (mean * size[:, None]).T @ mean / n_rows
        same = max(float(np.trace(within)) / len(within), 1e-6)
        within = (1.0 - SHRUNK) * within + SHRUNK * same * np.eye(len(within))
        weight = np.linalg.solve(within, mean.T).T
        bias = np.log(size / n_rows) - (weight * mean).sum(axis=1) / 2.0 - weight @ centre
        return CommonOpinion(weight - weight.mean(axis=0), bias - bias.mean())
