"""The classifiers of the paper's experiments, to reproduce its figures (Sec. 6).

``MuClassifier.reference()`` and ``ReluClassifier.reference()`` have the settings of the paper's MIMIC-II runs
(:data:`MU`, :data:`RELU`) and make rules of example-level explanations as it does
(:mod:`logiclens.explain.paper`). They are classifiers of their own, since they are trained as there, too
(:mod:`logiclens.nn.paper_training`):

    outputs       mu: a network for each class, also of two; ReLU: one network for all; under one softmax
    l1            a price on mean cross-entropy, not a share of the loss of a constant answer
    held out      rows at random, from all classes alike, the same whatever ``random_state`` is
    drawn         with the seed ``random_state``; the k-th further fold of a cross-validation with k more

The last is the paper's own protocol, where each fold has its number as seed: with ``random_state=0``,
:func:`~logiclens.estimators.cross_explain` repeats its runs with the first weights that they had.

``PsiClassifier.reference()`` and ``EntropyClassifier.reference()`` have the settings of their authors
(:data:`PSI`, :data:`ENTROPY`) with the training of this package, and figures of their own: a psi network here
agrees with its formula on every row, the paper's on half of them.

What the paper does not say is taken, as facts, from the code published with it: ``experiments/mimic.ipynb``
in github.com/pietrobarbiero/logic_explained_networks and ``experiments/mimic.py`` in
github.com/pietrobarbiero/entropy-lens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from logiclens.errors import InputError, shown
from logiclens.estimators.base import LENClassifier
from logiclens.estimators.classifiers import EntropyClassifier, MuClassifier, ReluClassifier
from logiclens.estimators.data import Inputs, Problem, Targets, decisions
from logiclens.estimators.folds import Fold
from logiclens.explain.paper import TOP_K, explain_class_as_in_paper
from logiclens.logic.arrays import FloatArray, IndexArray
from logiclens.logic.data import THRESHOLD
from logiclens.logic.formula import Formula

if TYPE_CHECKING:
    from logiclens.estimators.fit import Recipe
    from logiclens.estimators.networks import Population, Trained
    from logiclens.explain.front import Front
    from logiclens.nn.population import LogicNetwork
    from logiclens.nn.training import Plan

_SPLIT_SEED = 0
JOINED = "joined of example-level explanations, as in the paper"
"""Status of rules that are made as the paper makes them."""

_PAPER: dict[str, Any] = {
    "class_weight": None,
    "l1": 1e-4,
    "restarts": 1,
    "epochs": 1000,
    "patience": 1000,
    "validation_fraction": 0.3,
}

MU: dict[str, Any] = _PAPER | {"max_concepts": 5, "hidden": (100, 30, 10), "learning_rate": 1e-4}
"""Settings of the mu network: five concepts stay. ``patience`` and ``tau`` have no part in its training."""
RELU: dict[str, Any] = _PAPER | {"hidden": (100, 50, 30, 10), "learning_rate": 1e-4}
"""Settings of the ReLU network. ``patience`` has no part in its training."""
PSI: dict[str, Any] = _PAPER | {"fan_in": 3, "hidden": (10, 5), "learning_rate": 0.01}
"""Settings of the psi network."""
ENTROPY: dict[str, Any] = _PAPER | {
    "max_concepts": 1000,
    "tau": 0.5,
    "temperature": 0.7,
    "hidden": (20,),
    "l1": 1e-3,
    "epochs": 200,
    "learning_rate": 0.01,
    "patience": 200,
    "validation_fraction": 0.2,
}
"""Settings of the entropy-based network: concepts of at least half the largest attention stay."""


class _Aggregates(LENClassifier):
    """A classifier whose rules are made as the paper makes them, each class by itself."""

    row_by_row: ClassVar[bool] = True

    def recipe(self, inputs: Inputs, targets: Targets) -> Recipe:
        if self.rule != "iff":
            raise InputError(
                f"The reference settings make equivalences. Got rule={shown(self.rule)}; use 'iff'."
            )
        return replace(super().recipe(inputs, targets), front=paper_front)


class _AsInPaper(_Aggregates):
    """A classifier that is trained as in the paper's experiments, too."""

    dropout: ClassVar[float] = 0.0
    shared: ClassVar[bool] = False
    """Whether one network has the outputs of all targets."""

    def read_data(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> tuple[Targets, FloatArray]:
        targets, weight = super().read_data(X, y, sample_weight)
        if targets.problem is Problem.BINARY and not self.shared:
            targets = Targets(targets.labels, Problem.SINGLE_LABEL, targets.truth())
        return targets, weight

    def hold_out(self, x: FloatArray, targets: Targets, weight: FloatArray) -> Fold:  # noqa: ARG002
        """Set a validation part aside, at random, whatever the classes of the rows."""
        rows = np.flatnonzero(weight > 0)
        n_check = min(int(np.ceil(len(rows) * self.validation_fraction)), len(rows) - 1)
        check = np.zeros_like(weight)
        held = rows[check_random_state(_SPLIT_SEED).permutation(len(rows))[:n_check]]
        check[held] = weight[held]
        return Fold(weight - check, check)

    def recipe(self, inputs: Inputs, targets: Targets) -> Recipe:
        recipe = super().recipe(inputs, targets)
        if len(recipe.population.penalties) * recipe.population.restarts != 1 or self.batch_size is not None:
            raise InputError(
                "The reference settings train one network on all rows at once. "
                "Use one l1, restarts=1 and batch_size=None."
            )
        return replace(
            recipe, train=partial(train_folds_as_in_paper, dropout=self.dropout, shared=self.shared)
        )

    def decision_function(self, X: Any) -> FloatArray:
        logits = super().decision_function(X)
        two = self.problem_ is Problem.SINGLE_LABEL and logits.shape[1] == 2
        return np.asarray(logits[:, 1] - logits[:, 0]) if two else logits


class ReferenceMuClassifier(_AsInPaper, MuClassifier):
    """The mu network of the paper's experiments; its settings are those of :class:`MuClassifier`."""


class ReferenceReluClassifier(_AsInPaper, ReluClassifier):
    """The ReLU network of the paper's experiments; its settings are those of a :class:`ReluClassifier`."""

    dropout: ClassVar[float] = 0.3
    shared: ClassVar[bool] = True


class ReferenceEntropyClassifier(_Aggregates, EntropyClassifier):
    """The entropy-based network with its authors' settings, which are those of :class:`EntropyClassifier`."""


def paper_front(
    recipe: Recipe,
    x: FloatArray,
    targets: Targets,
    folds: Sequence[Fold],
    networks: Sequence[LogicNetwork],
) -> Front:
    """The paper's aggregation of example-level explanations (:mod:`logiclens.explain.paper`), class by class.

    Only training rows of the target that the network is right about are examples; their explanations are kept
    while the validation rows gain. Where a row's concepts are its own, as a ReLU network's are, the most
    frequent explanations are candidates, otherwise all. Parameters are those of
    :func:`~logiclens.estimators.fit.search_front`.
    """
    from logiclens.estimators.fit import Rules
    from logiclens.estimators.logits import ask

    network, fold = networks[0], folds[0]
    answers, truth = decisions(ask(network, x), targets.problem), targets.truth() > THRESHOLD
    trained, checked = fold.train > 0, fold.check > 0
    formulas: list[Formula] = []
    for at, label in enumerate(targets.labels):
        member = at if network.members > 1 else 0
        columns, scores = _concepts_of(network, member, x)
        names = [recipe.names[j] for j in columns]
        rows = trained & truth[:, at]
        by_row = scores.ndim == 2
        found = explain_class_as_in_paper(
            x[np.ix_(rows, columns)],
            answers[rows, at],
            label,
            names=names,
            validation=(x[np.ix_(checked, columns)], truth[checked, at]) if checked.any() else None,
            relevance=scores[rows] if by_row else None,
            top_k=TOP_K if by_row else None,
        )
        words = recipe.vocabulary
        formulas.append(found.formula if words is None else words.simplify(found.formula))
    rules = Rules(recipe, x > THRESHOLD, targets, [fold.train + fold.check])
    kept = np.ones(len(recipe.names), dtype=np.bool_)
    return rules.front([rules.of_formulas(formulas, JOINED)], 0, rules.seen(kept, answers))


def _concepts_of(network: LogicNetwork, member: int, x: FloatArray) -> tuple[IndexArray, FloatArray]:
    """Concepts that a member reads, and how they matter: (m,), or (n, m) where that depends on the row."""
    import torch

    one = network.select(torch.tensor([member], device=network.l1.device))
    columns = np.flatnonzero(one.kept()[0].cpu().numpy())
    scores = one.relevance(torch.as_tensor(x, dtype=one.l1.dtype, device=one.l1.device))[0].cpu().numpy()
    return columns, scores[..., columns]


def train_folds_as_in_paper(
    population: Population[Any],
    plan: Plan,
    x: FloatArray,
    targets: Targets,
    folds: Sequence[Fold],
    progress: Callable[[float], None] | None = None,
    *,
    dropout: float = 0.0,
    shared: bool = False,
) -> list[Trained[Any]]:
    """Train the networks of each fold as in the paper: fold by fold, all outputs together.

    Parameters
    ----------
    population : Population
        The networks to train, one for each output; its seed is that of fold 0, one more that of fold 1, and
        so on.
    plan : Plan
        Epochs, learning rate and whether to prune are taken from it.
    x : ndarray of shape (n, n_concepts)
        Concept values.
    targets : Targets
        What to learn.
    folds : sequence of Fold
        Row weights of each fold.
    progress : callable, optional
        Called with the share of the work that is done.
    dropout : float, default 0
        Share of the hidden units that are silent in a training step.
    shared : bool, default False
        Whether all outputs have their hidden layers in common while they are trained.

    Returns
    -------
    list of Trained
        One for each fold.
    """
    import torch

    from logiclens.estimators.networks import Trained, resolve_device
    from logiclens.nn.paper_training import (
        Examples,
        PaperPlan,
        one_by_one,
        train_as_in_paper,
        with_outputs,
    )

    device = resolve_device(population.device)
    outputs = targets.outputs
    n_outputs = outputs.shape[1]
    truth = np.hstack([1.0 - outputs, outputs]) if shared and n_outputs == 1 else outputs
    exclusive = truth.shape[1] > 1 and bool(np.isclose(truth.sum(axis=1), 1.0).all())
    how = PaperPlan(plan.epochs, plan.learning_rate, plan.prune, dropout)
    penalty = np.full(n_outputs, population.penalties[0])

    def rows_of(weight: FloatArray) -> Examples:
        used = weight > 0

        def tensor(values: FloatArray) -> torch.Tensor:
            return torch.as_tensor(values[used], dtype=torch.float32, device=device)

        return Examples(tensor(x), tensor(truth), tensor(weight), exclusive)

    found = []
    for at, fold in enumerate(folds):
        scaled = fold.scaled()
        width = population.widths[0] if population.widths else 0
        network = population.made(penalty[None], x.shape[1], width).to(device)
        if shared:
            network = with_outputs(network, truth.shape[1])

        def report(epoch: int, at: int = at) -> None:
            if progress is not None:
                progress((at + epoch / plan.epochs) / len(folds))

        losses = train_as_in_paper(
            network,
            rows_of(scaled.train),
            rows_of(scaled.check),
            how,
            torch.Generator().manual_seed((population.seed + fold.number) % 2**63),
            report,
        )
        if shared:
            network = one_by_one(network, n_outputs)
        curve = np.repeat(losses.cpu().numpy().astype(float)[:, None], n_outputs, axis=1)
        n_iter = np.full(n_outputs, plan.epochs, dtype=np.int64)
        converged, widths = np.ones(n_outputs, dtype=np.bool_), np.full(n_outputs, width, dtype=np.int64)
        network, loss = network.double().cpu(), np.full(n_outputs, np.nan)
        found.append(Trained(network, (network,), loss, curve, n_iter, converged, penalty, widths))
    return found
