"""Rules of clusters: what all rows of a cluster have in common (Eq. 13).

A network puts every row into one cluster. For each cluster the yes and no on the distinct rows are a truth
table over the concepts that the networks of the clusters keep, and the rule is a point of its front: the one
of least errors, as a share of all rows, plus ``literal_cost`` for each literal. A formula of a cluster that
has rows, but not all of them, is never a constant.

All networks are read in this way, a psi network too: which cluster a row belongs to is decided between
outputs, and no single output's formula says it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import torch

from logiclens.concepts.vocabulary import Vocabulary
from logiclens.estimators.extraction import rule_set
from logiclens.estimators.targets import Problem
from logiclens.explain.classwise import ALWAYS, RESTARTS, rates_on
from logiclens.explain.explanation import Explanation
from logiclens.explain.front import FrontPoint
from logiclens.explain.rule import Rule, RuleKind
from logiclens.explain.rule_set import ExplanationSet
from logiclens.logic import FALSE, TRUE, TruthTable
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray, pack
from logiclens.logic.formula import Formula
from logiclens.logic.minimize import Minimized, minimize_path
from logiclens.logic.values import THRESHOLD
from logiclens.nn.population import LogicNetwork

NO_ROWS = "no rows in this cluster"
"""Status of the rule of an empty cluster."""
NO_FORMULA = "no formula over the concepts of the table finds this cluster"
"""Status where no formula is right about more rows than ``FALSE``."""


class Tuples(NamedTuple):
    """Distinct Boolean rows.

    ``bits`` has shape (n, n_concepts), ``weight`` (n,); ``place``, of shape (n_rows,), says which of them
    each row of the data is.
    """

    bits: BoolArray
    weight: FloatArray
    place: IndexArray

    @classmethod
    def of(cls, values: FloatArray, weight: FloatArray) -> Tuples:
        """Merge the rows that are equal once Boolean.

        Parameters
        ----------
        values : ndarray of shape (n_rows, n_concepts)
        weight : ndarray of shape (n_rows,)

        Examples
        --------
        >>> Tuples.of(np.array([[0.9], [0.2], [0.7]]), np.ones(3)).weight
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


@dataclass(frozen=True)
class Reading:
    """How rules are made.

    Attributes
    ----------
    names : tuple of str
        The concepts.
    max_concepts : int
        Concepts of a table when the network itself keeps more.
    max_literals : int
        Longest formula to consider.
    literal_cost : float
        Price of a literal, as a share of the rows.
    vocabulary : Vocabulary, optional
        What the concepts mean in the columns of a raw table.
    """

    names: tuple[str, ...]
    max_concepts: int
    max_literals: int
    literal_cost: float
    vocabulary: Vocabulary | None = None


def explain_clusters(
    network: LogicNetwork, tuples: Tuples, clusters: IndexArray, reading: Reading
) -> ExplanationSet:
    """Explain every cluster of a network.

    Parameters
    ----------
    network : LogicNetwork
        One member for each cluster.
    tuples : Tuples
    clusters : ndarray of int, shape (n_tuples,)
        The cluster of each tuple.
    reading : Reading

    Returns
    -------
    ExplanationSet
        By the number of the cluster; the rule of one without rows is ``FALSE``, with the status
        :data:`NO_ROWS`.

    References
    ----------
    Sec. 4.2, Eq. (13) of Ciravegna et al., *Logic Explained Networks*.
    """
    columns = read_columns(network, tuples, reading.max_concepts)
    bits, names = tuples.bits[:, columns], [reading.names[j] for j in columns]
    rows = tuples.weight > 0
    said = clusters[:, None] == np.arange(network.members)
    n_rows = int(rows[tuples.place].sum())
    found = []
    for at in range(network.members):
        yes = np.where(said[:, at], tuples.weight, 0.0)
        table = TruthTable.from_counts(bits[rows], yes[rows], (tuples.weight - yes)[rows], names)
        found.append(_explanation(table, at, n_rows, reading))
    truth = said.astype(float)
    return rule_set(
        found,
        tuples.bits.astype(float),
        truth,
        tuples.weight,
        reading.names,
        Problem.SINGLE_LABEL,
        reading.vocabulary,
    )


def read_columns(network: LogicNetwork, tuples: Tuples, most: int) -> IndexArray:
    """Concepts of the tables: those that some cluster's network keeps.

    Of a network that keeps all, the ones that matter most over the rows.
    """
    kept = np.flatnonzero(network.kept().any(dim=0).numpy())
    if network.columns is not None or len(kept) <= most:
        return kept
    x = torch.as_tensor(tuples.bits, dtype=network.l1.dtype)
    weight = torch.as_tensor(tuples.weight, dtype=network.l1.dtype)
    scores = network.relevance(x)  # (clusters, n, n_concepts)
    mean = torch.einsum("pnj,n->j", scores, weight).numpy()
    return np.sort(np.argsort(-mean, kind="stable")[:most])


def _explanation(table: TruthTable, cluster: int, n_rows: int, reading: Reading) -> Explanation:
    """The explanation of one cluster from its table."""
    yes, total = float(table.yes.sum()), table.total
    formula: Formula
    front: tuple[FrontPoint, ...] = ()
    if yes == 0 or yes == total:
        formula, status = (FALSE, NO_ROWS) if yes == 0 else (TRUE, ALWAYS)
    else:
        path = minimize_path(table, max_literals=reading.max_literals, exact=False, restarts=RESTARTS)
        points = [point for point in path if point.literals > 0]
        front = tuple(FrontPoint(point.formula, point.literals, point.errors) for point in points)
        formula, status = _chosen(points, total, reading) if points else (FALSE, NO_FORMULA)
    scores = rates_on(formula, table, table, "training", n_rows)
    return Explanation(
        Rule(cluster, formula, RuleKind.CLUSTER),
        status=status,
        support=yes,
        scores=replace(scores, accuracy=None),  # there is no truth to agree with
        front=front,
    )


def _chosen(points: list[Minimized], total: float, reading: Reading) -> tuple[Formula, str]:
    """The point of least errors plus cost of its literals, of equals the shortest; and how it was found."""
    best = min(points, key=lambda point: point.errors / total + reading.literal_cost * point.literals)
    at_limit = best is points[-1] and best.errors > 0
    within = f" within max_literals={reading.max_literals}" if at_limit else ""
    return best.formula, f"{best.status}{within}"
