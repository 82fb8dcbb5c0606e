"""Parts of fitted models that are drawn: the rule of a target, its network, and the table of its answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from logiclens.concepts.vocabulary import Vocabulary
from logiclens.errors import InputError, UnknownConceptError, count, listing, shown
from logiclens.explain.explanation import Explanation
from logiclens.explain.rule import Label, plain_label
from logiclens.explain.rule_set import ExplanationSet
from logiclens.logic.arrays import BoolArray, FloatArray
from logiclens.logic.truth_table import TruthTable

if TYPE_CHECKING:
    from logiclens.nn.population import LogicNetwork


def check_rule(explanation: Any, names: tuple[str, ...]) -> Explanation | None:
    """Return a rule, or None for none, once it is sure that it speaks of some concepts only."""
    if explanation is None:
        return None
    if not isinstance(explanation, Explanation):
        raise InputError(f"explanation must be an Explanation or None. Got {shown(explanation)}.")
    for name in explanation.concepts:
        if name not in names:
            raise UnknownConceptError(name, names, "The rule speaks of it.")
    return explanation


def check_words(
    vocabulary: Any, explanation: Explanation | None, names: tuple[str, ...]
) -> Vocabulary | None:
    """Return a vocabulary that has some concepts, that of the rule when missing, or None for none."""
    words = explanation.vocabulary if vocabulary is None and explanation is not None else vocabulary
    if words is None:
        return None
    if not isinstance(words, Vocabulary):
        raise InputError(f"vocabulary must be a Vocabulary or None. Got {shown(words)}.")
    for name in names:
        words[name]  # an unknown one raises
    return words


def rule_of(model: Any, target: Label | None = None) -> Explanation:
    """The explanation of a target, as a fitted model made it.

    Parameters
    ----------
    model : fitted classifier, clusterer or pipeline
    target : label, optional
        Without it, the only target, or the second of two.
    """
    rules = rules_of(model)
    if target is not None:
        return rules[plain_label(target)]
    if len(rules) > 2:
        raise InputError(
            f"There are {count(len(rules), 'target')}, {listing(rules.labels)}. Pass target=, one of them."
        )
    return rules[rules.labels[-1]]


def rules_of(model: Any) -> ExplanationSet:
    """The rules that a fitted model shows."""
    from sklearn.utils.validation import check_is_fitted

    if isinstance(model, type) or not (hasattr(model, "explain") and hasattr(model, "fit")):
        advice = "; use from_explanation" if isinstance(model, Explanation) else ""
        raise InputError(
            f"model must be a fitted classifier, clusterer or pipeline. Got {shown(model)}{advice}."
        )
    check_is_fitted(model)
    rules = model.explain()
    if not isinstance(rules, ExplanationSet):
        raise InputError(f"model must make rules by explain(). Got {shown(model)}, which does not.")
    return rules


@dataclass(frozen=True)
class Member:
    """The network of one target, inside a fitted model.

    Attributes
    ----------
    estimator : LENClassifier or LENClusterer
        What holds the network: the model itself, or the one inside a pipeline.
    explanation : Explanation
    at : int
        Place of the target's network in the population.
    opposite : bool
        Whether that network says yes where the target is not: of two classes, the first has no network of its
        own.
    """

    estimator: Any
    explanation: Explanation
    at: int
    opposite: bool = False

    @classmethod
    def of(cls, model: Any, target: Label | None = None) -> Member:
        """Find the network of a target."""
        from logiclens.estimators.inputs_and_targets import Problem

        explanation = rule_of(model, target)
        estimator = getattr(model, "estimator_", model)
        if not hasattr(estimator, "network_"):
            several = "; pass one of its estimators_" if hasattr(model, "estimators_") else ""
            raise InputError(f"model must hold one network. Got {shown(type(model).__name__)}{several}.")
        at = list(estimator.explain()).index(explanation.target)
        if getattr(estimator, "problem_", None) is Problem.BINARY:
            return cls(estimator, explanation, 0, opposite=at == 0)
        return cls(estimator, explanation, at)

    @property
    def network(self) -> LogicNetwork:
        """The population."""
        network: LogicNetwork = self.estimator.network_
        return network

    @property
    def names(self) -> tuple[str, ...]:
        """All concepts."""
        return tuple(self.estimator.concept_names_)

    def kept(self) -> BoolArray:
        """True for concepts that the layers of the network read, shape (n_concepts,)."""
        return np.asarray(self.network.kept()[self.at].cpu().numpy(), dtype=np.bool_)

    def relevance(self) -> FloatArray:
        """Relevance of each concept, shape (n_concepts,), the most relevant 1.

        That of a ReLU network differs from row to row; here it is that at a row of all one halves.
        """
        import torch

        like = self.network.l1
        probe = torch.full((1, len(self.names)), 0.5, dtype=like.dtype, device=like.device)
        scores = self.network.relevance(probe)[self.at].reshape(-1)
        return np.asarray(scores.cpu().numpy(), dtype=np.float64)

    def weights(self) -> tuple[FloatArray, ...]:
        """Weights, layer by layer, each of shape (n_out, n_in); 0 where a connection is pruned.

        The first layer reads all concepts. Where the network says yes to the opposite, the last one is turned
        round, which makes it the network of the target.
        """
        found = []
        for depth, layer in enumerate(self.network.linears):
            weight = layer.kept_weight().detach()
            if depth == 0:
                attention = getattr(self.network, "attention", None)
                if attention is not None:  # what the network sees of each concept
                    alpha = attention().detach()
                    weight = weight * (alpha / alpha.amax(dim=1, keepdim=True))[:, None, :]
                rows = [self.network.spread(weight[:, unit]) for unit in range(weight.shape[1])]
                found.append(np.stack([row[self.at].cpu().numpy() for row in rows]))
            else:
                found.append(weight[self.at].cpu().numpy())
        if self.opposite:
            found[-1] = -found[-1]
        return tuple(np.asarray(weight, dtype=np.float64) for weight in found)

    def biases(self) -> tuple[FloatArray, ...]:
        """Biases, layer by layer, each of shape (n_out,)."""
        found = [layer.bias.detach()[self.at, :, 0].double().cpu().numpy() for layer in self.network.linears]
        if self.opposite:
            found[-1] = -found[-1]
        return tuple(found)

    def table(self, X: Any = None) -> TruthTable:
        """The network's answers about the target, over the concepts of its rule.

        Where the rule has none, over all that its network keeps.

        Parameters
        ----------
        X : data frame, array or mapping, optional
            Rows, as the estimator reads them; those of the fit when missing, which a loaded model and a
            clusterer do not hold.
        """
        labels = list(self.estimator.explain())
        label = self.explanation.target
        used = self.explanation.concepts or tuple(np.array(self.names)[self.kept()].tolist())
        if X is None:
            seen = getattr(self.estimator, "seen_", None)
            if seen is None:
                whose = "A loaded model" if hasattr(self.estimator, "seen_") else "A clusterer"
                raise InputError(
                    f"{whose} holds no rows to count. Pass X, the rows to ask the network about."
                )
            predictions: TruthTable = seen.predictions(labels.index(label))
            return predictions.select(used)
        from logiclens.estimators.inputs_and_targets import read_rows

        values = read_rows(X, self.names, self.estimator.vocabulary_, type(self.estimator).__name__)
        if not len(values):
            raise InputError("There are no rows to count. Pass at least one.")
        if hasattr(self.estimator, "decide"):
            said = self.estimator.decide(X)[:, labels.index(label)]
        else:
            said = self.estimator.predict(X) == label
        at = [self.names.index(name) for name in used]
        return TruthTable.from_data(values[:, at], said, names=used)
