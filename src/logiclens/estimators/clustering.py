"""From rows to clusters and their rules: networks trained for mutual information, the best start chosen.

    tuples      rows that are equal once Boolean become one, with the sum of their weights
    starts      several at random, which read all concepts, and some that read few
    training    all clusters of all starts as one population, for maximum mutual information (Eq. 12)
    rules       of each start, from what its network says on the tuples
    choice      the start of the largest mutual information, less what its rules cost

Networks read truth values here, not scores. No label says where between 0 and 1 a concept starts to count, so
a network would be free to cut anywhere; of truth values its clusters are what a formula can say, and merging
rows is exact.

Starts at random read all concepts; those that read few are found in
:mod:`~logiclens.estimators.cluster_starts`. Both are trained and judged alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from logiclens.estimators.asking import ask
from logiclens.estimators.cluster_rules import Reading, Tuples, explain_clusters
from logiclens.estimators.cluster_starts import Reads, entropy, few_concepts, group_weights
from logiclens.estimators.fitting import members_at_once, resolve_device
from logiclens.explain.rule_set import ExplanationSet
from logiclens.logic.arrays import IndexArray
from logiclens.nn.criteria import mutual_information_loss
from logiclens.nn.plan import Plan
from logiclens.nn.population import LogicNetwork, Streams, join
from logiclens.nn.rows import Rows
from logiclens.nn.training import train

Maker = Callable[[Streams, int, Sequence[float]], LogicNetwork]
"""Makes a population: random streams, number of concepts, penalty of each member."""

_ROUNDING = 1e-9  # values that differ by less are equal


@dataclass(frozen=True)
class Starts:
    """The networks to train.

    Attributes
    ----------
    make : Maker
    n_clusters : int
    penalties : tuple of float
    restarts : int
        Starts at random, which read all concepts, for each penalty.
    narrow : int
        Most starts that read few concepts, for each penalty.
    seed : int
    device : str
    """

    make: Maker
    n_clusters: int
    penalties: tuple[float, ...]
    restarts: int
    narrow: int
    seed: int
    device: str = "auto"

    def streams(self, start: int) -> list[np.random.Generator]:
        """A stream for each cluster's network: a function of the seed, the start and the cluster alone."""
        return [
            np.random.default_rng(np.random.SeedSequence([self.seed, start, cluster]))
            for cluster in range(self.n_clusters)
        ]


@dataclass(frozen=True, eq=False)
class Clustering:
    """The clusters of one start.

    Attributes
    ----------
    network : LogicNetwork
        One member for each cluster, in double precision on the CPU.
    rules : ExplanationSet
    clusters : ndarray of int, shape (n_tuples,)
    value : float
        Mutual information as a share of the largest there can be, less the share of the rows that rules are
        wrong about, less the price of the literals.
    n_iter : int
        Epochs of training.
    penalty : float
    """

    network: LogicNetwork
    rules: ExplanationSet
    clusters: IndexArray
    value: float
    n_iter: int
    penalty: float


def cluster_loss(
    logits: Tensor,
    yes: Tensor,
    no: Tensor,  # noqa: ARG001 - there are no labels
    n_clusters: int,
) -> Tensor:
    """Minus the mutual information (Eq. 12) as a share of the largest there can be, ``log n_clusters``.

    Parameters
    ----------
    logits : Tensor of shape (starts * n_clusters, n)
    yes : Tensor, shaped as the logits
        Weights of the rows, the same for all members.
    no : Tensor
        Not looked at: there are no labels.
    n_clusters : int

    Returns
    -------
    Tensor of shape (starts * n_clusters,)
        The same for all clusters of a start, from -1 to 0.

    Examples
    --------
    >>> logits = torch.tensor([[9.0, 9.0, -9.0, -9.0], [-9.0, -9.0, 9.0, 9.0]])
    >>> cluster_loss(logits, torch.ones(2, 4), torch.zeros(2, 4), 2).round(decimals=3)
    tensor([-1., -1.])
    """
    shape = (-1, n_clusters, logits.shape[-1])
    loss = mutual_information_loss(logits.view(shape), yes.view(shape)[:, 0])
    return (loss / float(np.log(max(n_clusters, 2)))).repeat_interleave(n_clusters)


def cluster(
    starts: Starts,
    plan: Plan,
    tuples: Tuples,
    reading: Reading,
    progress: Callable[[float], None] | None = None,
) -> Clustering:
    """Train all starts and take the best.

    Parameters
    ----------
    starts : Starts
    plan : Plan
        Its criterion and ``together`` are set here.
    tuples : Tuples
    reading : Reading
    progress : callable, optional
        Told the share of the training that is done.
    """
    k = starts.n_clusters
    plan = replace(plan, criterion=partial(cluster_loss, n_clusters=k), together=k)
    trained = _trained(starts, plan, tuples, reading.literal_cost, progress)
    said = clusters_of(trained.network, tuples, k)  # (starts, n)
    shares = np.array([information(each, tuples) for each in said]) / np.log(max(k, 2))
    best: Clustering | None = None
    # Few concepts first: their rules are found quickly, and most other starts need not be explained then.
    for start in np.argsort(_concepts_read(trained.network, k), kind="stable"):
        if best is not None and _most(shares[start], said[start], tuples, reading) < best.value - _ROUNDING:
            continue
        network = trained.network.select(torch.arange(start * k, (start + 1) * k))
        found = _numbered(network, tuples, said[start], reading)
        value = float(shares[start]) - _price(found[1], reading)
        if best is None or _is_better(value, found[1], best):
            best = Clustering(*found, value, int(trained.n_iter[start]), trained.penalties[start])
    if best is None:  # never: there is a start at least
        raise AssertionError
    return best


def clusters_of(network: LogicNetwork, tuples: Tuples, n_clusters: int) -> IndexArray:
    """The cluster that each start's networks put each tuple into, shape (starts, n): the largest output."""
    logits = ask(network, tuples.bits.astype(float)).reshape(len(tuples.bits), -1, n_clusters)
    return np.asarray(logits.argmax(axis=2).T)


def information(clusters: IndexArray, tuples: Tuples) -> float:
    """Mutual information of tuples and clusters in nats; each tuple is in one cluster, so it is ``H(E)``.

    Examples
    --------
    >>> bits = np.array([[False], [True]])
    >>> round(information(np.array([0, 1]), Tuples(bits, np.ones(2), np.arange(2))), 4)  # log 2
    0.6931
    """
    return entropy(group_weights(clusters, tuples.weight))


class _Trained(NamedTuple):
    """Networks of all starts, double precision on the CPU, with epochs and penalty of each start."""

    network: LogicNetwork
    n_iter: list[int]
    penalties: list[float]


def _trained(
    starts: Starts,
    plan: Plan,
    tuples: Tuples,
    literal_cost: float,
    progress: Callable[[float], None] | None,
) -> _Trained:
    """Train all starts, as many at once as fit the budget of bytes."""
    device = resolve_device(starts.device)
    k, n_concepts = starts.n_clusters, tuples.bits.shape[1]
    x = torch.as_tensor(tuples.bits, dtype=torch.float32, device=device)
    weight = torch.as_tensor(tuples.weight / tuples.total, dtype=torch.float32, device=device)
    narrow = few_concepts(tuples, k, literal_cost, starts.narrow)
    reads: list[Reads | None] = [*(None for _ in range(starts.restarts)), *narrow] * len(starts.penalties)
    penalties = [l1 for l1 in starts.penalties for _ in range(starts.restarts + len(narrow))]
    probe = starts.make(starts.streams(0), n_concepts, [0.0] * k).to(device)
    size = max(1, members_at_once(probe, min(len(x), plan.batch_size or len(x))) // k)
    report = progress or (lambda _: None)
    parts, n_iter = [], []
    for first in range(0, len(penalties), size):
        chunk = range(first, min(first + size, len(penalties)))
        streams = [stream for start in chunk for stream in starts.streams(start)]
        network = starts.make(streams, n_concepts, [penalties[start] for start in chunk for _ in range(k)])
        network.linears[0].prune(_kept_from_the_start([reads[start] for start in chunk], k, n_concepts))
        network = network.to(device)
        weights = weight.expand(len(streams), -1)
        rows = Rows(x, weights, torch.zeros_like(weights), weights, torch.zeros_like(weights))

        def told(epoch: int, chunk: range = chunk) -> None:
            report((chunk.start + len(chunk) * epoch / plan.epochs) / len(penalties))

        generator = torch.Generator().manual_seed(starts.seed % 2**63)
        network, history = train(network, rows, plan, generator, told)
        parts.append(network)
        n_iter += history.n_iter[::k].tolist()
    return _Trained(join(parts).double().cpu(), n_iter, penalties)


def _kept_from_the_start(reads: Sequence[Reads | None], k: int, n_concepts: int) -> Tensor:
    """Which concepts each member may read, Boolean (members, 1, n_concepts)."""
    keep = torch.ones(len(reads), k, n_concepts, dtype=torch.bool)
    for at, start in enumerate(reads):
        for cluster, columns in enumerate(start or ()):
            keep[at, cluster] = False
            keep[at, cluster, list(columns)] = True
    return keep.view(-1, 1, n_concepts)


def _numbered(
    network: LogicNetwork, tuples: Tuples, clusters: IndexArray, reading: Reading
) -> tuple[LogicNetwork, ExplanationSet, IndexArray]:
    """Network, rules and clusters, numbered by decreasing weight, of equals by the order of their formulas.

    So the numbers do not depend on which output of the network happened to take which rows.
    """
    weight = group_weights(clusters, tuples.weight, network.members).round(9)
    order = np.argsort(-weight, kind="stable")
    network, clusters, weight = (
        network.select(torch.as_tensor(order)),
        np.argsort(order)[clusters],
        weight[order],
    )
    rules = explain_clusters(network, tuples, clusters, reading)
    formulas = [e.formula for e in rules.values()]
    again = sorted(range(len(formulas)), key=lambda at: (-weight[at], formulas[at]))
    if [formulas[at] for at in again] == formulas:
        return network, rules, clusters
    network, clusters = network.select(torch.tensor(again)), np.argsort(again)[clusters]
    return network, explain_clusters(network, tuples, clusters, reading), clusters


def _concepts_read(network: LogicNetwork, k: int) -> IndexArray:
    """How many concepts the networks of each start read, shape (starts,)."""
    kept = network.kept().view(-1, k, network.n_concepts)
    return kept.any(dim=1).sum(dim=1).cpu().numpy()


def _most(share: float, clusters: IndexArray, tuples: Tuples, reading: Reading) -> float:
    """A value that the rules of clusters cannot exceed.

    A rule is one literal, and as wrong as the best of them, or takes two literals at least, or there is none,
    which is wrong about the whole cluster.
    """
    n_used = len(np.unique(clusters[tuples.weight > 0]))
    if n_used < 2:
        return share
    price = 0.0
    for cluster in np.unique(clusters[tuples.weight > 0]):
        belongs = clusters == cluster
        wrong = tuples.weight @ (tuples.bits != belongs[:, None]) / tuples.total  # of each concept
        least = float(np.minimum(wrong, 1.0 - wrong).min()) + reading.literal_cost
        price += min(least, 2.0 * reading.literal_cost, float(tuples.weight @ belongs) / tuples.total)
    return share - price


def _price(rules: ExplanationSet, reading: Reading) -> float:
    """What rules cost: the share of the rows that each is wrong about, and their literals."""
    agreed = [e.scores.fidelity for e in rules.values() if e.scores and e.scores.fidelity is not None]
    literals = sum(e.complexity for e in rules.values())
    return len(agreed) - sum(agreed) + reading.literal_cost * literals


def _is_better(value: float, rules: ExplanationSet, best: Clustering) -> bool:
    """Whether rules have a higher value; of equals, which come first, whatever start they are from."""
    if abs(value - best.value) > _ROUNDING:
        return value > best.value
    return [e.formula for e in rules.values()] < [e.formula for e in best.rules.values()]


def certainty(found: Clustering, tuples: Tuples) -> float:
    """Mutual information of what the network holds likely, as a share of that of its clusters; at most 1."""
    whole = information(found.clusters, tuples)
    if whole < _ROUNDING:
        return 1.0
    logits = torch.as_tensor(ask(found.network, tuples.bits.astype(float)).T)
    return min(-float(mutual_information_loss(logits, torch.as_tensor(tuples.weight))) / whole, 1.0)
