"""From rows to clusters and their rules: networks trained for mutual information, the best start chosen.

    tuples      rows that are equal once Boolean become one, with the sum of their weights
    starts      several at random, which read all concepts, and some that read few
    training    all clusters of all starts as one population, for maximum mutual information (Eq. 12)
    rules       of each start: the search of every fit, for the clusters' probabilities alone
    choice      the start of the largest mutual information, less what its rules cost

Which cluster a row belongs to is decided between outputs, and no single output's formula says it. So a psi
network, too, is explained by a search, and not by its neurons.

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
from scipy.special import softmax
from torch import Tensor

from logiclens.estimators.asking import ask
from logiclens.estimators.cluster_starts import Reads, Tuples, entropy, few_concepts, group_weights
from logiclens.estimators.fit import RuleSearch, explain_answers
from logiclens.estimators.networks import resolve_device
from logiclens.estimators.targets import Problem, Targets
from logiclens.explain.front import Front
from logiclens.explain.rule_set import ExplanationSet
from logiclens.logic.arrays import BoolArray, IndexArray
from logiclens.nn.criteria import mutual_information_loss
from logiclens.nn.population import LogicNetwork, Streams
from logiclens.nn.rows import Rows
from logiclens.nn.training import Plan, train

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
    front : Front
        Rules of every length.
    rules : ExplanationSet
        Those of the length that was chosen.
    clusters : ndarray of int, shape (n_tuples,)
    value : float
        Mutual information as a share of the largest there can be, less the share of the rows that the rules
        decide otherwise than the network, less the price of the literals.
    n_iter : int
        Epochs of training.
    penalty : float
    """

    network: LogicNetwork
    front: Front
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
    search: RuleSearch,
    most_concepts: int,
    progress: Callable[[float], None] | None = None,
) -> Clustering:
    """Train all starts and take the best.

    Parameters
    ----------
    starts : Starts
    plan : Plan
        Its criterion and ``together`` are set here.
    tuples : Tuples
    search : RuleSearch
        How rules are searched for.
    most_concepts : int
        Concepts of the rules of a network that itself keeps all.
    progress : callable, optional
        Told the share of the training that is done.
    """
    k = starts.n_clusters
    plan = replace(plan, criterion=partial(cluster_loss, n_clusters=k), together=k)
    trained = _trained(starts, plan, tuples, search.literal_cost, progress)
    said = clusters_of(trained.network, tuples, k)  # (starts, n)
    shares = np.array([information(each, tuples) for each in said]) / np.log(max(k, 2))
    limits = np.array([_most(share, each, tuples, search) for share, each in zip(shares, said, strict=True)])
    best: Clustering | None = None
    for start in np.argsort(-limits, kind="stable"):  # what cannot be better any more need not be explained
        if best is not None and limits[start] < best.value - _ROUNDING:
            break
        network = trained.network.select(torch.arange(start * k, (start + 1) * k))
        network, front, clusters = _numbered(network, tuples, said[start], search, most_concepts)
        rules = front.rules()
        value = float(shares[start]) - _price(rules, clusters, tuples, search)
        if best is None or _is_better(value, rules, best):
            n_iter, penalty = int(trained.n_iter[start]), trained.penalties[start]
            best = Clustering(network, front, rules, clusters, value, n_iter, penalty)
    if best is None:  # never: there is a start at least
        raise AssertionError
    return best


def explain_clusters(network: LogicNetwork, tuples: Tuples, search: RuleSearch, most_concepts: int) -> Front:
    """Rules of every length for the clusters of a network (Eq. 13): a list about their probabilities.

    Parameters
    ----------
    network : LogicNetwork
        One member for each cluster.
    tuples : Tuples
    search : RuleSearch
    most_concepts : int
        As for :func:`cluster`.

    References
    ----------
    Sec. 4.2, Eq. (13) of Ciravegna et al., *Logic Explained Networks*.
    """
    x = tuples.bits.astype(float)
    logits = ask(network, x)
    posterior = np.asarray(softmax(logits, axis=1))
    targets = Targets(tuple(range(network.members)), Problem.SINGLE_LABEL, posterior)
    largest = logits.argmax(axis=1)[:, None] == np.arange(network.members)
    kept = read_concepts(network, tuples, most_concepts)
    front = explain_answers(posterior, largest, x, targets, tuples.weight, search, kept)
    n_rows = int((tuples.weight > 0)[tuples.place].sum())
    return front if front.seen is None else replace(front, seen=replace(front.seen, n_rows=n_rows))


def read_concepts(network: LogicNetwork, tuples: Tuples, most: int) -> BoolArray:
    """Concepts that rules may use: those that some cluster's network keeps.

    Of a network that keeps all, the ones that matter most over the rows.
    """
    kept: BoolArray = network.kept().any(dim=0).numpy()
    if network.columns is not None or kept.sum() <= most:
        return kept
    x = torch.as_tensor(tuples.bits, dtype=network.l1.dtype)
    weight = torch.as_tensor(tuples.weight, dtype=network.l1.dtype)
    scores = network.relevance(x)  # (clusters, n, n_concepts)
    mean = torch.einsum("pnj,n->j", scores, weight).numpy()
    most_relevant = np.zeros_like(kept)
    most_relevant[np.argsort(-mean, kind="stable")[:most]] = True
    return most_relevant


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
    """Train all starts, side by side."""
    device = resolve_device(starts.device)
    k, n_concepts = starts.n_clusters, tuples.bits.shape[1]
    x = torch.as_tensor(tuples.bits, dtype=torch.float32, device=device)
    weight = torch.as_tensor(tuples.weight / tuples.total, dtype=torch.float32, device=device)
    narrow = few_concepts(tuples, k, literal_cost, starts.narrow)
    reads: list[Reads | None] = [*(None for _ in range(starts.restarts)), *narrow] * len(starts.penalties)
    penalties = [l1 for l1 in starts.penalties for _ in range(starts.restarts + len(narrow))]
    streams = [stream for start in range(len(reads)) for stream in starts.streams(start)]
    network = starts.make(streams, n_concepts, [l1 for l1 in penalties for _ in range(k)])
    network.linears[0].prune(_kept_from_the_start(reads, k, n_concepts))
    network = network.to(device)
    weights = weight.expand(len(streams), -1)
    rows = Rows(x, weights, torch.zeros_like(weights), weights, torch.zeros_like(weights))
    report = progress or (lambda _: None)

    def told(epoch: int) -> None:
        report(epoch / plan.epochs)

    generator = torch.Generator().manual_seed(starts.seed % 2**63)
    network, history = train(network, rows, plan, generator, told)
    return _Trained(network.double().cpu(), history.n_iter[::k].tolist(), penalties)


def _kept_from_the_start(reads: Sequence[Reads | None], k: int, n_concepts: int) -> Tensor:
    """Which concepts each member may read, Boolean (members, 1, n_concepts)."""
    keep = torch.ones(len(reads), k, n_concepts, dtype=torch.bool)
    for at, start in enumerate(reads):
        for cluster, columns in enumerate(start or ()):
            keep[at, cluster] = False
            keep[at, cluster, list(columns)] = True
    return keep.view(-1, 1, n_concepts)


def _numbered(
    network: LogicNetwork, tuples: Tuples, clusters: IndexArray, search: RuleSearch, most_concepts: int
) -> tuple[LogicNetwork, Front, IndexArray]:
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
    front = explain_clusters(network, tuples, search, most_concepts)
    formulas = list(front.rules().formulas.values())
    again = sorted(range(len(formulas)), key=lambda at: (-weight[at], formulas[at]))
    if [formulas[at] for at in again] == formulas:
        return network, front, clusters
    network, clusters = network.select(torch.tensor(again)), np.argsort(again)[clusters]
    return network, explain_clusters(network, tuples, search, most_concepts), clusters


def _most(share: float, clusters: IndexArray, tuples: Tuples, search: RuleSearch) -> float:
    """A value that rules of clusters cannot exceed.

    A list of m literals has m steps at most, and decides for m + 1 clusters. One of a single literal is as
    wrong as the best concept.
    """
    sizes = np.sort(group_weights(clusters, tuples.weight))[::-1] / tuples.total
    sizes = sizes[sizes > 0]
    if len(sizes) < 2:
        return share
    belongs = clusters[:, None] == np.unique(clusters[tuples.weight > 0])
    weighted = tuples.weight[:, None] * belongs / tuples.total
    of_true = tuples.bits.T.astype(float) @ weighted  # (n_concepts, n_used)
    right = of_true.max(axis=1) + (weighted.sum(axis=0) - of_true).max(axis=1)
    wrong = 1.0 - np.cumsum(sizes)  # of lists of 0, 1, 2, ... literals, at least
    wrong[1] = 1.0 - float(right.max())
    return share - float((wrong + search.literal_cost * np.arange(len(wrong))).min())


def _price(rules: ExplanationSet, clusters: IndexArray, tuples: Tuples, search: RuleSearch) -> float:
    """What rules cost: the share of the rows that they decide otherwise, and their literals."""
    wrong = rules.predict(tuples.bits, search.names) != clusters
    return float(tuples.weight @ wrong) / tuples.total + search.literal_cost * rules.literals


def _is_better(value: float, rules: ExplanationSet, best: Clustering) -> bool:
    """Whether rules have a higher value; of equals, which say less of all clusters, or come first."""
    if abs(value - best.value) > _ROUNDING:
        return value > best.value
    key, other = ((each.complexity, list(each.formulas.values())) for each in (rules, best.rules))
    return key < other


def certainty(found: Clustering, tuples: Tuples) -> float:
    """Mutual information of what the network holds likely, as a share of that of its clusters; at most 1."""
    whole = information(found.clusters, tuples)
    if whole < _ROUNDING:
        return 1.0
    logits = torch.as_tensor(ask(found.network, tuples.bits.astype(float)).T)
    return min(-float(mutual_information_loss(logits, torch.as_tensor(tuples.weight))) / whole, 1.0)
