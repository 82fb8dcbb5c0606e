"""From rows to clusters and their rules: networks trained for mutual information, the best start chosen.

    rows        those that are equal once Boolean become one, with the sum of their weights
    starts      several at random, which read all concepts, and some that read few
    training    all clusters of all starts as one population, for maximum mutual information (Eq. 12)
    rules       of each start: the search of every fit, for the clusters' probabilities alone
    choice      the start of the largest mutual information, less what its rules cost

Which cluster a row belongs to is decided between outputs, not by the formula of one of them. So a psi
network, too, is explained by a search, and not by its neurons.

Networks read truth values here, not scores. No label shows where between 0 and 1 a concept starts to count,
so a network would be free to cut anywhere; of truth values its clusters are what a formula can state, and
merging rows is exact.

Networks that start at random read all concepts. They seldom end in a cluster that is one concept, and which
clusters they find differs from seed to seed. So other starts read one concept from the beginning or, for more
than two clusters, a few that separate that many groups. Which ones is found by counting, so it is the same
for every seed. All starts are trained and compared alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import softmax
from torch import Tensor

from logiclens.estimators._parameters import ProgressLine
from logiclens.estimators.fit import SearchSettings, explain_answers
from logiclens.estimators.folds import systematic_sample
from logiclens.estimators.inputs_and_targets import Problem, Targets
from logiclens.estimators.networks import predict_logits, resolve_device
from logiclens.explain.front import Front
from logiclens.explain.rule_set import ExplanationSet
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray, pack
from logiclens.logic.data import THRESHOLD
from logiclens.nn._descent import PopulationRows
from logiclens.nn.criteria import mutual_information_loss
from logiclens.nn.population import LogicNetwork
from logiclens.nn.training import Plan, train

Reads = tuple[tuple[int, ...], ...]
"""The columns that the network of each cluster may read."""

LEARNED = 1 << 12
"""Distinct rows that networks learn from, at most."""
_ROUNDING = 1e-9  # values that differ by less are equal


class DistinctRows(NamedTuple):
    """Distinct Boolean rows.

    ``bits`` has shape (n, n_concepts), ``weight`` (n,); ``place``, of shape (n_rows,), is which of them
    each row of the data is.
    """

    bits: BoolArray
    weight: FloatArray
    place: IndexArray

    @classmethod
    def of(cls, values: FloatArray, weight: FloatArray) -> DistinctRows:
        """Merge the rows, (n_rows, n_concepts), that are equal once Boolean.

        Examples
        --------
        >>> DistinctRows.of(np.array([[0.9], [0.2], [0.7]]), np.ones(3)).weight
        array([1., 2.])
        """
        bits = values > THRESHOLD
        _, first, place = np.unique(pack(bits), axis=0, return_index=True, return_inverse=True)
        place = place.reshape(-1)
        total = np.bincount(place, weights=weight, minlength=len(first)).astype(np.float64)
        return cls(bits[first], total, place)

    @property
    def total(self) -> float:
        """Weight of all rows."""
        return float(self.weight.sum())

    def sample(self, n: int) -> DistinctRows:
        """At most so many of the rows, drawn by weight, the same ones every time; all where they are few."""
        if len(self.weight) <= n:
            return self
        order = np.random.default_rng(0).permutation(len(self.weight))
        drawn = systematic_sample(self.weight, order, n, start=0.5)
        kept = np.flatnonzero(drawn)
        weight = drawn[kept] * (self.total / float(drawn.sum()))
        return DistinctRows(self.bits[kept], weight, np.arange(len(kept)))


def few_concepts(rows: DistinctRows, n_clusters: int, literal_cost: float, limit: int) -> list[Reads]:
    """Concepts for the starts that read few: for each cluster's network some, the best starts first.

    A start is grown from each concept on, by the concept that makes the groups' entropy largest for the
    literals that it takes. In one kind of start the groups are all combinations of a few concepts, and every
    network reads them all. In the other each network reads one concept, and its group is what those before it
    left. For two clusters there is the first kind alone, of one concept each.

    The literal cost is a share of the largest entropy, the limit the most starts.

    Examples
    --------
    >>> bits = np.array([[0, 1, 0], [1, 1, 0], [0, 1, 1], [1, 1, 1]], dtype=bool)
    >>> few_concepts(DistinctRows(bits, np.array([3.0, 1.0, 2.0, 2.0]), np.arange(4)), 2, 0.01, 8)
    [((2,), (2,)), ((0,), (0,))]
    """
    if n_clusters < 2:
        return []
    usable = _distinct_columns(rows)
    found: dict[Reads, float] = {}
    for first in usable:
        columns, value = _combine_columns(rows, first, usable, n_clusters, literal_cost)
        found.setdefault((tuple(sorted(columns)),) * n_clusters, value)
        if n_clusters == 2:
            continue
        columns, value = _list_columns(rows, first, usable, n_clusters, literal_cost)
        padded = (*columns, *columns[-1:] * n_clusters)[:n_clusters]
        found.setdefault(tuple((j,) for j in sorted(padded)), value)
    return sorted(found, key=lambda reads: (-round(found[reads], 9), reads))[:limit]


def _distinct_columns(rows: DistinctRows) -> list[int]:
    """Columns that are not constant, and neither equal nor opposite to one before, most even first."""
    bits = rows.bits[rows.weight > 0]
    words = pack(np.ascontiguousarray((bits ^ bits[:1]).T))  # opposite columns are equal now
    _, first = np.unique(words, axis=0, return_index=True)
    share = rows.weight @ rows.bits / rows.weight.sum()
    unevenness = np.abs(share - 0.5).round(9)
    varied = [int(j) for j in first if words[j].any()]
    return sorted(varied, key=lambda j: (unevenness[j], j))


def _combine_columns(
    rows: DistinctRows, first: int, usable: Sequence[int], n_clusters: int, literal_cost: float
) -> tuple[list[int], float]:
    """Columns from ``first`` on whose combinations are the groups, and what they are worth."""
    columns, group, largest = [first], rows.bits[:, first].astype(np.int64), float(np.log(n_clusters))
    reached = entropy(np.bincount(group, rows.weight))
    for _ in range((n_clusters - 1).bit_length() - 1):
        best = -1
        for j in usable:
            gained = entropy(np.bincount(2 * group + rows.bits[:, j], rows.weight))
            if j not in columns and gained > reached + _ROUNDING:
                best, reached = j, gained
        if best < 0:
            break
        columns.append(best)
        group = np.unique(2 * group + rows.bits[:, best], return_inverse=True)[1].reshape(-1)
    return columns, min(reached / largest, 1.0) - literal_cost * n_clusters * len(columns)


def _list_columns(
    rows: DistinctRows, first: int, usable: Sequence[int], n_clusters: int, literal_cost: float
) -> tuple[list[int], float]:
    """Columns from ``first`` on, the group of each what those before it left, and what they are worth.

    The last column is the one nearest to what all others left.
    """
    columns, largest = [first], float(np.log(n_clusters))
    taken = rows.bits[:, first]
    sizes = [float(rows.weight @ taken)]
    literals = 1
    while len(columns) < n_clusters - 1:
        best: tuple[float, int, int] | None = None
        for j in usable:
            size = float(rows.weight @ (rows.bits[:, j] & ~taken))
            if j in columns or size <= 0:
                continue
            # A concept that never goes with one before it needs no literal to shut that one out.
            shut_out = [i for i in columns if rows.weight @ (rows.bits[:, j] & rows.bits[:, i]) > 0]
            cost = literals + 1 + len(shut_out)
            left = rows.total - sum(sizes) - size
            value = entropy(np.array([*sizes, size, left])) / largest - literal_cost * cost
            if best is None or value > best[0] + _ROUNDING:
                best = (value, j, cost)
        if best is None:
            break
        _, j, literals = best
        sizes.append(float(rows.weight @ (rows.bits[:, j] & ~taken)))
        taken = taken | rows.bits[:, j]
        columns.append(j)
    wrong = rows.weight @ (rows.bits == taken[:, None])
    nearest = min(usable, key=lambda j: (round(float(wrong[j]), 9), j))
    left = max(rows.total - sum(sizes), 0.0)
    value = entropy(np.array([*sizes, left])) / largest - literal_cost * (literals + 1)
    return [*columns, nearest], value


def entropy(weight: NDArray[Any]) -> float:
    """Entropy of the distribution with those weights, in nats.

    Examples
    --------
    >>> round(entropy(np.array([3.0, 3.0, 0.0])), 4)  # log 2
    0.6931
    """
    p = weight[weight > 0] / weight.sum()
    return float(max(-(p @ np.log(p)), 0.0))


@dataclass(frozen=True)
class Starts:
    """The networks to train."""

    make: Callable[..., LogicNetwork]
    """Makes a population: random streams, number of concepts, penalty of each member as ``l1``."""
    n_clusters: int
    penalties: tuple[float, ...]
    restarts: int
    """Starts at random, which read all concepts, for each penalty."""
    narrow: int
    """Most starts that read few concepts, for each penalty."""
    seed: int
    device: str = "auto"


@dataclass(frozen=True, eq=False)
class Clustering:
    """The clusters of one start."""

    network: LogicNetwork
    """One member for each cluster, in double precision on the CPU."""
    front: Front
    """Rules of every length."""
    rules: ExplanationSet
    """Those of the length that was chosen."""
    clusters: IndexArray
    """That of each distinct row."""
    value: float
    """Mutual information as a share of the largest, less the share of rows that the rules decide otherwise
    than the network, less the price of the literals."""
    n_iter: int
    """Epochs of training."""
    penalty: float


def cluster_loss(
    logits: Tensor,
    yes: Tensor,
    no: Tensor,  # noqa: ARG001 - there are no labels
    n_clusters: int,
) -> Tensor:
    """Minus the mutual information (Eq. 12) as a share of the largest there can be, ``log n_clusters``.

    From logits and weights of the rows, (starts * n_clusters, n), to a loss from -1 to 0 for each member, the
    same for all clusters of a start.

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
    rows: DistinctRows,
    search: SearchSettings,
    most_concepts: int,
    progress: Callable[[float], None] | None = None,
) -> Clustering:
    """Train all starts and take the best; criterion and ``together`` of the plan are set here.

    Rules of a network that itself keeps all concepts have at most ``most_concepts``. Of many rows a sample
    is learned from, and starts are compared on it; clusters and rules of the best are those of all rows.
    """
    everything, rows = rows, rows.sample(LEARNED)
    k = starts.n_clusters
    plan = replace(plan, criterion=partial(cluster_loss, n_clusters=k), together=k)
    network, n_iter, penalties = _train_starts(starts, plan, rows, search.literal_cost, progress)
    if isinstance(progress, ProgressLine):
        progress.go_on("searching for rules")
    by_start = clusters_of(network, rows, k)  # (starts, n)
    shares = np.array([information(each, rows) for each in by_start]) / np.log(max(k, 2))
    limits = np.array(
        [_most(share, each, rows, search) for share, each in zip(shares, by_start, strict=True)]
    )
    best: Clustering | None = None
    for start in np.argsort(-limits, kind="stable"):  # what cannot be better any more need not be explained
        if best is not None and limits[start] < best.value - _ROUNDING:
            break
        own = network.select(torch.arange(start * k, (start + 1) * k))
        own, front, clusters = _number_clusters(own, rows, by_start[start], search, most_concepts)
        rules = front.rules()
        value = float(shares[start]) - _price(rules, clusters, rows, search)
        if best is None or _is_better(value, rules, best):
            best = Clustering(own, front, rules, clusters, value, int(n_iter[start]), penalties[start])
    assert best is not None  # there is a start at least
    if everything is rows:
        return best
    clusters = clusters_of(best.network, everything, k)[0]
    network, front, clusters = _number_clusters(best.network, everything, clusters, search, most_concepts)
    return replace(best, network=network, front=front, rules=front.rules(), clusters=clusters)


def explain_clusters(
    network: LogicNetwork, rows: DistinctRows, search: SearchSettings, most_concepts: int
) -> Front:
    """Rules of every length for the clusters of a network (Eq. 13): a list about their probabilities.

    References
    ----------
    Sec. 4.2, Eq. (13) of Ciravegna et al., *Logic Explained Networks*.
    """
    x = rows.bits.astype(float)
    logits = predict_logits(network, x)
    posterior = np.asarray(softmax(logits, axis=1))
    targets = Targets(tuple(range(network.members)), Problem.SINGLE_LABEL, posterior)
    largest = logits.argmax(axis=1)[:, None] == np.arange(network.members)
    kept = read_concepts(network, rows, most_concepts)
    front = explain_answers(posterior, largest, x, targets, rows.weight, search, kept)
    n_rows = int((rows.weight > 0)[rows.place].sum())
    return front if front.seen is None else replace(front, seen=replace(front.seen, n_rows=n_rows))


def read_concepts(network: LogicNetwork, rows: DistinctRows, most: int) -> BoolArray:
    """Concepts that rules may use: those that some cluster's network keeps.

    Of a network that keeps all, the ones that matter most over the rows.
    """
    kept: BoolArray = network.kept().any(dim=0).numpy()
    if network.columns is not None or kept.sum() <= most:
        return kept
    x = torch.as_tensor(rows.bits, dtype=network.l1.dtype)
    weight = torch.as_tensor(rows.weight, dtype=network.l1.dtype)
    scores = network.relevance(x)  # (clusters, n, n_concepts)
    mean = torch.einsum("pnj,n->j", scores, weight).numpy()
    most_relevant = np.zeros_like(kept)
    most_relevant[np.argsort(-mean, kind="stable")[:most]] = True
    return most_relevant


def clusters_of(network: LogicNetwork, rows: DistinctRows, n_clusters: int) -> IndexArray:
    """The cluster that each start's networks put each row into, shape (starts, n): the largest output."""
    logits = predict_logits(network, rows.bits.astype(float)).reshape(len(rows.bits), -1, n_clusters)
    return np.asarray(logits.argmax(axis=2).T)


def information(clusters: IndexArray, rows: DistinctRows) -> float:
    """Mutual information of rows and clusters in nats; each row is in one cluster, so it is ``H(E)``.

    Examples
    --------
    >>> bits = np.array([[False], [True]])
    >>> round(information(np.array([0, 1]), DistinctRows(bits, np.ones(2), np.arange(2))), 4)  # log 2
    0.6931
    """
    return entropy(np.bincount(clusters, rows.weight))


def _train_starts(
    starts: Starts,
    plan: Plan,
    rows: DistinctRows,
    literal_cost: float,
    progress: Callable[[float], None] | None,
) -> tuple[LogicNetwork, IndexArray, list[float]]:
    """Train all starts, side by side; their networks, and epochs and penalty of each start."""
    device = resolve_device(starts.device)
    k, n_concepts = starts.n_clusters, rows.bits.shape[1]
    x = torch.as_tensor(rows.bits, dtype=torch.float32, device=device)
    weight = torch.as_tensor(rows.weight / rows.total, dtype=torch.float32, device=device)
    narrow = few_concepts(rows, k, literal_cost, starts.narrow)
    reads: list[Reads | None] = [*(None for _ in range(starts.restarts)), *narrow] * len(starts.penalties)
    penalties = [l1 for l1 in starts.penalties for _ in range(starts.restarts + len(narrow))]
    streams = [  # each a function of the seed, the start and the cluster alone
        np.random.default_rng(np.random.SeedSequence([starts.seed, start, cluster]))
        for start in range(len(reads))
        for cluster in range(k)
    ]
    network = starts.make(streams, n_concepts, l1=[l1 for l1 in penalties for _ in range(k)])
    network.linears[0].prune(_kept_from_the_start(reads, k, n_concepts))
    network = network.to(device)
    yes = weight.expand(len(streams), -1)
    no = torch.zeros_like(yes)
    report = progress or (lambda _: None)
    network, history = train(
        network,
        PopulationRows(x, yes, no, yes, no),
        plan,
        torch.Generator().manual_seed(starts.seed % 2**63),
        lambda epoch: report(epoch / plan.epochs),
    )
    return network.double().cpu(), history.n_iter[::k].numpy(), penalties


def _kept_from_the_start(reads: Sequence[Reads | None], k: int, n_concepts: int) -> Tensor:
    """The concepts that each member may read, Boolean (members, 1, n_concepts)."""
    keep = torch.ones(len(reads), k, n_concepts, dtype=torch.bool)
    for at, start in enumerate(reads):
        for cluster, columns in enumerate(start or ()):
            keep[at, cluster] = False
            keep[at, cluster, list(columns)] = True
    return keep.view(-1, 1, n_concepts)


def _number_clusters(
    network: LogicNetwork,
    rows: DistinctRows,
    clusters: IndexArray,
    search: SearchSettings,
    most_concepts: int,
) -> tuple[LogicNetwork, Front, IndexArray]:
    """Network, rules and clusters, numbered by decreasing weight, of equals by the order of their formulas.

    So the numbers do not depend on which output of the network happened to take which rows.
    """
    weight = np.bincount(clusters, rows.weight, network.members).round(9)
    order = np.argsort(-weight, kind="stable")
    network, clusters, weight = (
        network.select(torch.as_tensor(order)),
        np.argsort(order)[clusters],
        weight[order],
    )
    front = explain_clusters(network, rows, search, most_concepts)
    formulas = list(front.rules().formulas.values())
    again = sorted(range(len(formulas)), key=lambda at: (-weight[at], formulas[at]))
    if [formulas[at] for at in again] == formulas:
        return network, front, clusters
    network, clusters = network.select(torch.tensor(again)), np.argsort(again)[clusters]
    return network, explain_clusters(network, rows, search, most_concepts), clusters


def _most(share: float, clusters: IndexArray, rows: DistinctRows, search: SearchSettings) -> float:
    """A value that rules of clusters cannot exceed.

    A list of m literals has m steps at most, and decides for m + 1 clusters. One of a single literal is as
    wrong as the best concept.
    """
    sizes = np.sort(np.bincount(clusters, rows.weight))[::-1] / rows.total
    sizes = sizes[sizes > 0]
    if len(sizes) < 2:
        return share
    belongs = clusters[:, None] == np.unique(clusters[rows.weight > 0])
    weighted = rows.weight[:, None] * belongs / rows.total
    of_true = rows.bits.T.astype(float) @ weighted  # (n_concepts, n_used)
    right = of_true.max(axis=1) + (weighted.sum(axis=0) - of_true).max(axis=1)
    wrong = 1.0 - np.cumsum(sizes)  # of lists of 0, 1, 2, ... literals, at least
    wrong[1] = 1.0 - float(right.max())
    return share - float((wrong + search.literal_cost * np.arange(len(wrong))).min())


def _price(rules: ExplanationSet, clusters: IndexArray, rows: DistinctRows, search: SearchSettings) -> float:
    """Price of rules: the share of the rows that they decide otherwise, and their literals."""
    wrong = rules.predict(rows.bits, search.names) != clusters
    return float(rows.weight @ wrong) / rows.total + search.literal_cost * rules.literals


def _is_better(value: float, rules: ExplanationSet, best: Clustering) -> bool:
    """True if rules have a higher value; of equals, shorter ones, or those that come first."""
    if abs(value - best.value) > _ROUNDING:
        return value > best.value
    key, other = ((each.complexity, list(each.formulas.values())) for each in (rules, best.rules))
    return key < other


def certainty(found: Clustering, rows: DistinctRows) -> float:
    """Mutual information of what the network holds likely, as a share of that of its clusters; at most 1."""
    whole = information(found.clusters, rows)
    if whole < _ROUNDING:
        return 1.0
    logits = torch.as_tensor(predict_logits(found.network, rows.bits.astype(float)).T)
    return min(-float(mutual_information_loss(logits, torch.as_tensor(rows.weight))) / whole, 1.0)
