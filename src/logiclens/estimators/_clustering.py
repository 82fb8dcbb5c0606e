"""From rows to clusters and their rules: networks trained for mutual information, the best start chosen.

    rows        those that are equal once Boolean become one, with the sum of their weights
    starts      groups of rows that are alike (k-means), by several seedings, the same for every seed
    training    each start's networks learn its groups; then they go on for maximum mutual information
                (Eq. 12); all clusters of all starts as one population
    rules       of each start: the search of every fit, for the clusters' probabilities alone
    choice      the start of the largest mutual information and the most separate clusters (silhouette), less
                what its rules cost

Which cluster a row belongs to is decided between outputs, not by the formula of one of them. So a psi
network, too, is explained by a search, and not by its neurons.

Networks read truth values here, not scores. No label shows where between 0 and 1 a concept starts to count,
so a network would be free to cut anywhere; of truth values its clusters are what a formula can state, and
merging rows is exact.

Mutual information is as large for any clusters of equal size, whether the rows of a cluster are alike or not.
From random weights, networks find a few of the groups that the rows form, and split others. So each start
begins with rows that are alike, and between starts it counts how separate their clusters are.
"""

from __future__ import annotations

from collections.abc import Callable
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
from logiclens.estimators.folds import effective_rows, systematic_sample
from logiclens.estimators.inputs_and_targets import Problem, Targets
from logiclens.estimators.networks import predict_logits, resolve_device
from logiclens.explain.front import Front
from logiclens.explain.rule_set import ExplanationSet
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray, pack
from logiclens.logic.data import THRESHOLD
from logiclens.nn._descent import PopulationRows
from logiclens.nn.criteria import SoftmaxLoss, mutual_information_loss
from logiclens.nn.population import LogicNetwork
from logiclens.nn.training import Plan, train

LEARNED = 1 << 12
"""Distinct rows that networks learn from, at most."""
MOST_CLUSTERS = 10
"""Clusters that are tried where their number is to be chosen, at most."""
_COMPARED = 1 << 10  # distinct rows whose distances are compared, at most
_SEEDINGS = 3  # of k-means, for each start
_ROUNDING = 1e-9  # values that differ by less are equal


class DistinctRows(NamedTuple):
    """Distinct Boolean rows.

    ``bits`` has shape (n, n_concepts), ``weight`` (n,); ``place``, of shape (n_rows,), is which of them
    each row of the data is. A row of the data weighs ``unit``, in the mean where weights are no counts.
    """

    bits: BoolArray
    weight: FloatArray
    place: IndexArray
    unit: float = 1.0

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
        unit = float(weight.sum()) / effective_rows(weight) if weight.any() else 1.0
        return cls(bits[first], total, place, unit)

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
        return DistinctRows(self.bits[kept], weight, np.arange(len(kept)), self.unit)


def alike_groups(rows: DistinctRows, n_groups: int, seed: int = 0) -> IndexArray:
    """Groups of rows that are alike, (n,), by k-means: rows are as far apart as concepts differ.

    There are fewer groups where there are fewer distinct rows.

    Examples
    --------
    >>> bits = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]], dtype=bool)
    >>> group = alike_groups(DistinctRows(bits, np.ones(4), np.arange(4)), 2)
    >>> bool(group[0] == group[1] != group[2] == group[3])
    True
    """
    from sklearn.cluster import KMeans

    n_distinct = int(np.count_nonzero(rows.weight > 0))
    model = KMeans(min(n_groups, n_distinct), n_init=_SEEDINGS, random_state=seed)
    x = rows.bits.astype(np.float64)
    return np.asarray(model.fit(x, sample_weight=rows.weight).predict(x), dtype=np.int64)


def silhouette(clusters: IndexArray, rows: DistinctRows) -> float:
    """How separate clusters are, from -1 to 1: the mean over the rows of ``(b - a) / max(a, b)``.

    ``a`` is the mean number of concepts in which a row differs from the others of its cluster, ``b`` from
    those of the next cluster. A row that is alone in its cluster counts 0, and so do all rows where there is
    one cluster. Of many rows a sample is compared.

    Examples
    --------
    >>> bits = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]], dtype=bool)
    >>> rows = DistinctRows(bits, np.ones(4), np.arange(4))
    >>> silhouette(np.array([0, 0, 1, 1]), rows), silhouette(np.array([0, 1, 0, 1]), rows)
    (0.6, 0.0)

    References
    ----------
    P. Rousseeuw, *Silhouettes: a graphical aid to the interpretation and validation of cluster analysis*,
    1987.
    """
    place = np.arange(len(rows.weight))
    if len(place) > _COMPARED:
        place = np.random.default_rng(0).permutation(len(place))[:_COMPARED]
    bits, weight = rows.bits[place].astype(np.float32), rows.weight[place]
    names, own = np.unique(clusters[place], return_inverse=True)
    if len(names) < 2:
        return 0.0
    members = (own[:, None] == np.arange(len(names))) * weight[:, None]
    size = members.sum(axis=0)
    differ = bits @ (1.0 - bits).T
    total = (differ + differ.T) @ members  # (n, clusters)
    at = np.arange(len(own))
    others = size[own] - np.minimum(weight, rows.unit)  # of the cluster, without the row itself
    a = total[at, own] / np.maximum(others, _ROUNDING)
    mean = total / np.maximum(size, _ROUNDING)
    mean[:, size <= 0] = np.inf
    mean[at, own] = np.inf
    b = mean.min(axis=1)
    values = np.where(others > _ROUNDING * size[own], (b - a) / np.maximum(np.maximum(a, b), _ROUNDING), 0.0)
    return float(weight @ values / weight.sum())


def number_of_clusters(rows: DistinctRows, search: Callable[[int], SearchSettings]) -> int:
    """The number of clusters, from 2 to :data:`MOST_CLUSTERS`, whose starting groups have the highest value.

    That is the value by which starts are compared, before any network is trained: mutual information and
    silhouette of the groups, less the price of their rules. It is 1 where all rows are equal. ``search`` says
    how rules of so many clusters are searched for.
    """
    rows = rows.sample(LEARNED)

    def value(k: int) -> float:
        groups, settings = alike_groups(rows, k), search(k)
        every = np.ones(rows.bits.shape[1], dtype=bool)
        rules = _explain(np.eye(k)[groups], rows, settings, every).rules()
        return round(worth(groups, k, rows) - _price(rules, groups, rows, settings), 9)

    n_distinct = int(np.count_nonzero(rows.weight > 0))
    return max(range(2, min(MOST_CLUSTERS, n_distinct) + 1), key=value, default=1)


def worth(clusters: IndexArray, n_clusters: int, rows: DistinctRows) -> float:
    """Mutual information of clusters as a share of the largest there can be, and their silhouette."""
    return information(clusters, rows) / float(np.log(max(n_clusters, 2))) + silhouette(clusters, rows)


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
    """Starts for each penalty."""
    seed: int
    device: str = "auto"


@dataclass(frozen=True, eq=False)
class Clustering:
    """The clusters of one start."""

    network: LogicNetwork
    """One member for each cluster, in double precision on the CPU; none where there are more than rows."""
    front: Front
    """Rules of every length."""
    rules: ExplanationSet
    """Those of the length that was chosen."""
    clusters: IndexArray
    """That of each distinct row."""
    value: float
    """What the clusters are worth (:func:`worth`), less the share of rows that the rules decide otherwise
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
    wanted = starts.n_clusters
    k = min(wanted, int(np.count_nonzero(rows.weight > 0)))  # the others are empty
    starts = replace(starts, n_clusters=k)
    plan = replace(plan, criterion=partial(cluster_loss, n_clusters=k), together=k)
    network, n_iter, penalties = _train_starts(starts, plan, rows, progress)
    if isinstance(progress, ProgressLine):
        progress.go_on("searching for rules")
    by_start = clusters_of(network, rows, k)  # (starts, n)
    shares = np.array([worth(each, k, rows) for each in by_start])
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
    network, front, clusters = best.network, best.front, best.clusters
    if everything is not rows:
        clusters = clusters_of(network, everything, k)[0]
        network, front, clusters = _number_clusters(network, everything, clusters, search, most_concepts)
    front = with_empty(front, wanted)
    return replace(best, network=network, front=front, rules=front.rules(), clusters=clusters)


def with_empty(front: Front, n_clusters: int) -> Front:
    """The front of so many clusters, of which those without a network are empty."""
    seen, labels = front.seen, tuple(range(n_clusters))
    if seen is None or len(front.labels) == n_clusters:
        return replace(front, labels=labels)
    more = np.zeros((len(seen.weight), n_clusters - len(front.labels)))
    truth, answers = (np.hstack([each, more]) for each in (seen.truth, seen.answers))
    return replace(front, labels=labels, seen=replace(seen, truth=truth, answers=answers))


def explain_clusters(
    network: LogicNetwork, rows: DistinctRows, search: SearchSettings, most_concepts: int
) -> Front:
    """Rules of every length for the clusters of a network (Eq. 13): a list about their probabilities.

    References
    ----------
    Sec. 4.2, Eq. (13) of Ciravegna et al., *Logic Explained Networks*.
    """
    posterior = np.asarray(softmax(predict_logits(network, rows.bits.astype(float)), axis=1))
    return _explain(posterior, rows, search, read_concepts(network, rows, most_concepts))


def _explain(posterior: FloatArray, rows: DistinctRows, search: SearchSettings, kept: BoolArray) -> Front:
    """Rules of every length for how surely each row belongs to each cluster, (n, n_clusters)."""
    n_clusters = posterior.shape[1]
    targets = Targets(tuple(range(n_clusters)), Problem.SINGLE_LABEL, posterior)
    largest = posterior.argmax(axis=1)[:, None] == np.arange(n_clusters)
    front = explain_answers(posterior, largest, rows.bits.astype(float), targets, rows.weight, search, kept)
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
    starts: Starts, plan: Plan, rows: DistinctRows, progress: Callable[[float], None] | None
) -> tuple[LogicNetwork, IndexArray, list[float]]:
    """Train all starts, side by side; their networks, and epochs and penalty of each start.

    For half of the epochs they learn the groups that they start from, then for all of them Eq. 12.
    """
    device = resolve_device(starts.device)
    k, n_concepts = starts.n_clusters, rows.bits.shape[1]
    x = torch.as_tensor(rows.bits, dtype=torch.float32, device=device)
    weight = torch.as_tensor(rows.weight / rows.total, dtype=torch.float32, device=device)
    penalties = [l1 for l1 in starts.penalties for _ in range(starts.restarts)]
    streams = [  # each a function of the seed, the start and the cluster alone
        np.random.default_rng(np.random.SeedSequence([starts.seed, start, cluster]))
        for start in range(len(penalties))
        for cluster in range(k)
    ]
    network = starts.make(streams, n_concepts, l1=[l1 for l1 in penalties for _ in range(k)])
    network = network.to(device)
    groups = np.array([alike_groups(rows, k, at) for at in range(starts.restarts)])
    belongs = torch.as_tensor(groups[:, None, :] == np.arange(k)[:, None], device=device)
    member = weight * belongs.repeat(len(starts.penalties), 1, 1).view(len(streams), -1)
    everything = weight.expand_as(member)
    nothing = torch.zeros_like(member)
    generator = torch.Generator().manual_seed(starts.seed % 2**63)
    report = progress or (lambda _: None)
    begin = replace(plan, criterion=SoftmaxLoss(k), prune=False, epochs=max(plan.epochs // 2, 1))
    epochs = begin.epochs + plan.epochs
    network, _ = train(
        network,
        PopulationRows(x, member, nothing, member, nothing),
        begin,
        generator,
        lambda epoch: report(epoch / epochs),
    )
    network.anneal(0.0)
    network, history = train(
        network,
        PopulationRows(x, everything, nothing, everything, nothing),
        plan,
        generator,
        lambda epoch: report((begin.epochs + epoch) / epochs),
    )
    return network.double().cpu(), history.n_iter[::k].numpy(), penalties


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
