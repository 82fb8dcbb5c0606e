"""Interpretable clustering: groups of rows that nobody named, and what the rows of each have in common.

The work is done in :mod:`~logiclens.estimators._clustering`, which trains networks for maximum mutual
information (Eq. 12), explains their clusters (Eq. 13) and chooses the best. This module puts it behind the
methods that users of scikit-learn's clusterers know.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from logiclens.concepts.encoder import log_remarks
from logiclens.concepts.table import Table
from logiclens.concepts.vocabulary import Vocabulary
from logiclens.errors import InputError, did_you_mean, listing, shown
from logiclens.estimators._parameters import (
    as_number,
    check_settings,
    check_whole,
    is_auto,
    penalties,
    progress_line,
    seed_of,
)
from logiclens.estimators.inputs_and_targets import (
    Inputs,
    check_extent,
    input_tags,
    learn_inputs,
    read_rows,
    read_weights,
)
from logiclens.explain import ExplanationSet, RuleKind
from logiclens.logic.arrays import FloatArray, IndexArray
from logiclens.logic.data import THRESHOLD

if TYPE_CHECKING:
    from logiclens.estimators.fit import SearchSettings
    from logiclens.nn.population import LogicNetwork

PENALTIES: Mapping[str, tuple[float, ...]] = MappingProxyType(
    {"mu": (0.0003, 0.003), "psi": (0.00002, 0.0001), "relu": (0.00002, 0.0001), "entropy": (0.0002, 0.001)}
)
"""Penalties to choose from where ``l1`` is None, by network."""

_LONGEST = 10  # literals of the longest rules, for each cluster


@dataclass(eq=False, repr=False)
class LENClusterer(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Clusters of maximum mutual information, with a rule for each (Sec. 3.2 and 4.2).

    For each cluster there is a network over the concepts; a softmax over their outputs says how surely a row
    belongs to each. Each start begins with groups of rows that are alike (k-means on the concepts), which the
    networks learn. Then they are trained without any label, so that rows are put into clusters surely and
    clusters are of equal size: that is the mutual information of rows and clusters (Eq. 12). The starts are
    trained as one population. That of the highest value is taken:

        H(E) / log(n_clusters) + silhouette - (rows that the rules decide otherwise) / (rows)
        - literal_cost * literals

    where ``H(E)`` is the mutual information of the clusters that the network makes, and the silhouette says
    how separate they are: from -1 to 1, by the number of concepts in which rows differ. So between
    clusterings of equal information, alike rows and short rules win. The rules are a decision list, searched
    for in the probabilities of the clusters; the rule of a cluster states what the list decides.

    Clusters are numbered from the largest to the smallest; equally large ones by the order of their formulas.
    Where there are fewer different groups than clusters, the last ones are empty.

    Parameters
    ----------
    n_clusters : int or "auto", default 2
        Most clusters to make. "auto": from 2 to 10, the number for which the groups of alike rows that starts
        begin with have the highest value, below.
    network : {"mu", "psi", "relu", "entropy"}, default "mu"
        Which network to train; see the classifiers of that name.
    max_concepts : int, default 7
        Most concepts that each cluster's network keeps; of a ReLU network, which keeps all, most that rules
        may speak of. A psi network is pruned by ``fan_in`` instead.
    fan_in : int, default 3
        Most connections into a neuron of a psi network after pruning.
    max_literals : int or "auto", default "auto"
        Literals of the longest rules, all together; "auto": 10 for each cluster.
    literal_cost : float, default 0.01
        Price of a literal, as a share of the largest mutual information there can be, and of the rows: a
        literal more must make clusters so much more even, or the rules wrong on so much fewer rows.
    hidden : sequence of int, default (10,)
        Sizes of the hidden layers.
    l1 : float or sequence of float, optional
        Strength of the parsimony penalty, as a share of the largest mutual information; of several, each is
        tried. When missing, values that suit the network, :data:`PENALTIES`.
    restarts : int, default 5
        Starts for each penalty.
    epochs : int, default 200
        Passes over the rows; where the network is pruned, that happens half-way.
    learning_rate : float, default 0.03
    batch_size : int, optional
        Distinct rows in a mini-batch; all at once when missing.
    patience : int, default 40
        Epochs without a larger mutual information after which a start is done.
    encoder : {"auto", None} or ConceptEncoder, default "auto"
        What turns the columns of a raw table into concepts. None: inputs are concepts in [0, 1]. "auto": they
        are where every value lies in [0, 1] and every column that varies has values on both sides of one
        half; otherwise Boolean and 0 / 1 columns stay as they are and the others are encoded, numbers by cut
        points of equal distance.
    device : str, default "auto"
        "cpu", "cuda", ...; "auto" is CUDA where there is one.
    random_state : int, RandomState or None
        The same number gives the same clusters.
    verbose : bool, default False
        Whether a line on a terminal, or in a notebook, says what is being done and for how long.

    Attributes
    ----------
    labels_ : ndarray of int, shape (n,)
        The cluster of each row, from 0.
    explanations_ : ExplanationSet
        What :meth:`explain` returns.
    front_ : Front
        Rules of every length.
    n_learned_ : int
        Distinct rows that the networks learned from: of many rows a sample is drawn, and clusters and rules
        are made for all of them.
    n_clusters_ : int
        Clusters that were looked for: ``n_clusters``, or the number that "auto" chose.
    empty_clusters_ : tuple of int
        Clusters without rows.
    mutual_information_ : float
        Of rows and clusters, in nats: from 0 to ``log(n_clusters)``.
    network_ : LogicNetwork
        One member for each cluster. It was trained on truth values: pass it 0 and 1.
    concept_names_ : tuple of str
    vocabulary_ : Vocabulary or None
        What the concepts mean in the columns of the raw table, where it was encoded.
    encoder_ : ConceptEncoder or None
        The fitted encoder; None where the inputs are concepts.
    n_features_in_ : int
        Columns of the data.
    feature_names_in_ : ndarray of str
        Only where the data carried names.
    n_iter_ : int
        Epochs that the chosen start was trained.
    l1_ : float
        Its penalty.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).random((200, 3)) < [0.9, 0.5, 0.2]
    >>> clusterer = LENClusterer(2, random_state=0).fit(X)
    >>> print(clusterer.explain())
    forall x in O_0: ~x1(x)
    forall x in O_1: x1(x)

    References
    ----------
    Sec. 3.2 and Sec. 4.2, Eq. (12) and (13) of Ciravegna et al., *Logic Explained Networks*.
    """

    n_clusters: int | str = 2
    _: KW_ONLY
    network: str = "mu"
    max_concepts: int = 7
    fan_in: int = 3
    max_literals: int | str = "auto"
    literal_cost: float = 0.01
    hidden: Sequence[int] = (10,)
    l1: float | Sequence[float] | None = None
    restarts: int = 5
    epochs: int = 200
    learning_rate: float = 0.03
    batch_size: int | None = None
    patience: int = 40
    encoder: Any = "auto"
    device: str = "auto"
    random_state: Any = None
    verbose: bool = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = replace(input_tags(tags.input_tags, self.encoder), sparse=False)
        return tags

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:  # noqa: ARG002
        """Make clusters, and explain them.

        Parameters
        ----------
        X : data frame, array or mapping, n rows
            A raw table, or concepts in [0, 1], true where greater than one half; the names of a frame's
            columns are used in the rules.
        y : object
            Never looked at.
        sample_weight : array of shape (n,), optional
            Non-negative weights: a row of weight 2 counts as two rows, one of weight 0 as none.

        Returns
        -------
        self
        """
        from logiclens.estimators._clustering import (
            LEARNED,
            DistinctRows,
            Starts,
            certainty,
            cluster,
            clusters_of,
            information,
            number_of_clusters,
        )
        from logiclens.nn.criteria import iff_loss
        from logiclens.nn.training import Plan

        self._check_settings()
        inputs, weight = self._read(X, sample_weight)
        log_remarks(inputs.encoder)
        rows = weight > 0
        distinct = DistinctRows.of(inputs.values[rows], weight[rows])
        plan = Plan(
            criterion=iff_loss,  # in place of that of clusters, which takes their number
            epochs=self.epochs,
            learning_rate=self.learning_rate,
            batch_size=self.batch_size,
            patience=self.patience,
            prune=self.network != "relu",
        )
        report = progress_line(type(self).__name__, "training", more=True) if self.verbose else None
        searches = partial(self._search, inputs.names, inputs.vocabulary)
        if report is not None and is_auto(self.n_clusters):
            report.go_on("choosing the number of clusters")
        self.n_clusters_ = (
            number_of_clusters(distinct, searches) if is_auto(self.n_clusters) else int(self.n_clusters)
        )
        search = searches(self.n_clusters_)
        starts = Starts(
            make=self._maker(),
            n_clusters=self.n_clusters_,
            penalties=self._penalties(),
            restarts=int(self.restarts),
            seed=seed_of(self.random_state),
            device=self.device,
        )
        found = cluster(starts, plan, distinct, search, int(self.max_concepts), report)
        if report is not None:
            report.end("made clusters, with rules")
        inputs.note_on(self)
        self.n_learned_ = min(len(distinct.weight), LEARNED)
        self.network_ = found.network
        self.explanations_ = found.rules
        self.front_ = found.front
        whole = DistinctRows.of(inputs.values, weight)  # rows without weight get a cluster, too
        self.labels_ = clusters_of(found.network, whole, found.network.members)[0][whole.place]
        self.mutual_information_ = information(found.clusters, distinct)
        self.empty_clusters_ = tuple(int(e.target) for e in found.rules.values() if e.support == 0)
        self.n_iter_ = found.n_iter
        self.l1_ = found.penalty
        if certainty(found, distinct) < _SURE:
            warnings.warn(
                f"{type(self).__name__} was still undecided between clusters after {self.epochs} epochs. "
                "Raise epochs, or learning_rate.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def predict(self, X: Any) -> IndexArray:
        """The cluster of each row, (n,): that of the largest output."""
        return np.asarray(self._logits(X).argmax(axis=1), dtype=np.int64)

    def predict_proba(self, X: Any) -> FloatArray:
        """How surely each row belongs to each cluster, (n, n_clusters): the softmax of the outputs."""
        return np.asarray(softmax(self._logits(X), axis=1))

    def explain(self, X: Any = None, *, literals: int | str = "auto") -> ExplanationSet:
        """Rules of the clusters: what all rows of each have in common (Eq. 13).

        Parameters
        ----------
        X : data frame, array or mapping, optional
            Rows to explain the network's clusters on; without them, the rules made when fitting are returned.
        literals : int or "auto", default "auto"
            Most literals of the rules, all together; "auto": those whose errors and literals cost least.
            Nothing is trained.

        Returns
        -------
        ExplanationSet
            By the number of the cluster. The rule of a cluster without rows is ``FALSE``.
        """
        check_is_fitted(self)
        if X is None:
            return self.explanations_ if is_auto(literals) else self.front_.rules(literals)
        from logiclens.estimators._clustering import DistinctRows, explain_clusters, with_empty

        values = self._rows(X)
        if not len(values):
            raise InputError("There are no rows to explain. Pass at least one.")
        distinct = DistinctRows.of(values, np.ones(len(values)))
        search = self._search(self.concept_names_, self.vocabulary_, self.n_clusters_)
        front = explain_clusters(self.network_, distinct, search, int(self.max_concepts))
        return with_empty(front, self.n_clusters_).rules(literals)

    def _logits(self, X: Any) -> FloatArray:
        """Outputs of the clusters' networks, (n, n_clusters)."""
        from logiclens.estimators.networks import predict_logits

        check_is_fitted(self)
        logits = predict_logits(self.network_, (self._rows(X) > THRESHOLD).astype(float))
        n_empty = self.n_clusters_ - logits.shape[1]
        return np.pad(logits, ((0, 0), (0, n_empty)), constant_values=-np.inf)

    def _rows(self, X: Any) -> FloatArray:
        """The concepts of rows, (n, n_concepts)."""
        return read_rows(X, self.concept_names_, self.vocabulary_, type(self).__name__)

    def _read(self, X: Any, sample_weight: ArrayLike | None) -> tuple[Inputs, FloatArray]:
        if hasattr(X, "nnz"):
            raise InputError("Sparse matrices are not read here. Convert with X.toarray().")
        table = Table(X)
        check_extent(table)
        weight = read_weights(sample_weight, table.n_rows)
        return learn_inputs(X, self.encoder, weight=weight), weight

    def _check_settings(self) -> None:
        if not isinstance(self.network, str) or self.network not in PENALTIES:
            nearest = did_you_mean(self.network, PENALTIES) if isinstance(self.network, str) else ""
            raise InputError(
                f"Unknown network {shown(self.network)}. {nearest}There are {listing(PENALTIES)}."
            )
        check_whole(self.max_concepts, "max_concepts")
        if not 0.0 <= as_number(self.literal_cost) < np.inf:
            raise InputError(f"literal_cost must be a number of at least 0. Got {shown(self.literal_cost)}.")
        check_settings({**self.get_params(deep=False), "l1": self._penalties()})

    def _penalties(self) -> tuple[float, ...]:
        return PENALTIES[self.network] if self.l1 is None else penalties(self.l1)

    def _search(
        self, names: tuple[str, ...], vocabulary: Vocabulary | None, n_clusters: int
    ) -> SearchSettings:
        """How rules are searched for: in the predictions of the network alone."""
        from logiclens.estimators.fit import SearchSettings

        auto = self.max_literals == "auto"
        return SearchSettings(
            RuleKind.CLUSTER,
            names,
            vocabulary,
            distillation=1.0,
            literal_cost=float(self.literal_cost),
            max_literals=_LONGEST * n_clusters if auto else int(self.max_literals),
        )

    def _maker(self) -> Callable[..., LogicNetwork]:
        """A function that makes the networks."""
        from logiclens.nn.entropy import EntropyNetwork
        from logiclens.nn.mu import MuNetwork
        from logiclens.nn.psi import PsiNetwork
        from logiclens.nn.relu import ReluNetwork

        hidden = tuple(self.hidden)
        makers: dict[str, Callable[..., LogicNetwork]] = {
            "mu": partial(MuNetwork, hidden=hidden, max_concepts=self.max_concepts),
            "psi": partial(PsiNetwork, hidden=hidden, fan_in=self.fan_in),
            "relu": partial(ReluNetwork, hidden=hidden),
            "entropy": partial(EntropyNetwork, hidden=hidden, max_concepts=self.max_concepts, tau=0.1),
        }
        return makers[self.network]


_SURE = 0.9  # share of the clusters' mutual information that the network's probabilities must have
