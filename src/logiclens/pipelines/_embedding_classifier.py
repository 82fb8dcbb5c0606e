"""What stands on top of concept embeddings: it predicts from the vectors, and is explained by the scores.

Rules are searched for as in every fit (:mod:`logiclens.estimators.fit`), for labels and network together.
Their fidelity is that to the network, vectors and all: on rows that neither trained nor searched.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from torch import Tensor

from logiclens.errors import InputError
from logiclens.estimators.base import LENClassifier
from logiclens.estimators.fit import explain_logits
from logiclens.estimators.folds import FEW_ROWS, number_of_rows
from logiclens.estimators.inputs_and_targets import Inputs, Targets
from logiclens.explain import Explanation, ExplanationSet
from logiclens.explain.rule import Label, label_array
from logiclens.logic.arrays import BoolArray, FloatArray
from logiclens.nn.embedding import EmbeddingNetwork
from logiclens.pipelines._concept_training import embedded_logits, mean_effects, read_raw

SCORES_ALONE = "the network also reads embeddings of the concepts, which rules cannot see"
"""Part of the status of rules over the scores of concepts that have embeddings."""


@dataclass(kw_only=True, eq=False, repr=False)
class EmbeddingClassifier(LENClassifier):
    """The classifier on top of concept embeddings. Its rows are raw inputs, its concepts their scores.

    It is fitted by a :class:`~logiclens.pipelines.ConceptBottleneckClassifier`; of its settings those of the
    search for rules count. The relevance of a concept is how far its score moves the logit of an output.
    """

    @classmethod
    def like(cls, estimator: LENClassifier) -> Self:
        """One with the settings of another classifier, as far as it has them."""
        own = {each.name for each in fields(LENClassifier)}
        settings = estimator.get_params(deep=False)
        return cls(**{name: value for name, value in settings.items() if name in own})

    def adopt_network(
        self,
        network: EmbeddingNetwork,
        raw: Tensor,
        names: tuple[str, ...],
        targets: Targets,
        weight: FloatArray,
        check: NDArray[np.intp],
        batch_size: int,
    ) -> Self:
        """Take over a network that was trained without the rows to check with, and search for its rules."""
        self.network_: Any = network
        self.batch_size_, self.row_shape_ = batch_size, tuple(raw.shape[1:])
        self.classes_, self.problem_ = label_array(targets.labels), targets.problem
        scores, logits = embedded_logits(network, raw, batch_size)
        inputs = Inputs(expit(scores), names, True, names)
        inputs.note_on(self)
        effects = mean_effects(network, raw, weight, batch_size)
        self.relevance_ = effects / np.maximum(effects.max(axis=1, keepdims=True), np.finfo(float).tiny)
        weights = [weight]
        if len(check) and number_of_rows(weight) >= FEW_ROWS:
            weights.append(weight.copy())
            weights[1][check] = 0.0
        kept = np.repeat(self._kept()[None], len(weights), axis=0)
        how = self.recipe(inputs, targets)
        self.front_ = explain_logits(
            how, inputs.values, targets, weights, [logits] * len(weights), kept, network
        )
        self.seen_ = self.front_.seen
        self.explanations_ = self.front_.rules()
        return self

    def predict_at(self, X: Any, scores: FloatArray) -> NDArray[Any]:
        """Labels of raw inputs with these scores, (n, n_concepts), in the place of the network's own."""
        raw = read_raw(X, self.row_shape_)
        return self._named(embedded_logits(self.network_, raw, self.batch_size_, scores)[1])

    def explain(self, X: Any = None, y: Any = None, *, literals: int | str = "auto") -> ExplanationSet:
        """The rules of the whole problem, over scores; their status says that the network reads more."""
        found = super().explain(X, y, literals=literals)
        return replace(found, explanations=tuple(map(_noted, found.values())))

    def explain_answer(self, X: Any, label: Label, answer: bool = True) -> Explanation:
        """Why the network says yes, or no, for one row, as far as scores tell; its status says so."""
        return _noted(super().explain_answer(X, label, answer))

    def explain_set(self, X: Any, target: Label) -> Explanation:
        """What rows have in common, as far as scores tell; its status says so."""
        return _noted(super().explain_set(X, target))

    def save(self, path: Any) -> None:  # noqa: ARG002 - of any model
        """Refuse: rules and weights are saved one by one."""
        raise InputError(
            "A network with concept embeddings has no file of its own. Save its rules with "
            "explain().save(path), its weights with torch.save(model.concept_model_.state_dict(), path)."
        )

    def stability(self, *_: Any, **__: Any) -> Any:
        """Refuse: this would train networks over the raw inputs."""
        raise InputError("A network with concept embeddings is not fitted to resamples. Try other seeds.")

    @property
    def concept_relevance_(self) -> FloatArray:
        """How far each concept moves each output, (n_outputs, n_concepts), the most relevant 1."""
        return np.asarray(self.relevance_)

    def _read(self, X: Any) -> tuple[FloatArray, FloatArray]:
        scores, logits = embedded_logits(self.network_, read_raw(X, self.row_shape_), self.batch_size_)
        return np.asarray(expit(scores)), logits

    def _rows(self, X: Any) -> FloatArray:
        return self._read(X)[0]

    def _kept(self) -> BoolArray:
        return np.ones(len(self.concept_names_), dtype=np.bool_)

    def _row_relevance(self, x: FloatArray, label: Label) -> FloatArray:  # noqa: ARG002 - the mean over rows
        at = 0 if len(self.relevance_) == 1 else self._labels().index(label)
        return np.asarray(self.relevance_[at])


def _noted(found: Explanation) -> Explanation:
    return replace(found, status=f"{found.status}; {SCORES_ALONE}" if found.status else SCORES_ALONE)
