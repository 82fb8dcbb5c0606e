"""Rules of a model that you wrote and trained yourself, with a loop of your own.

    explain_torch     any model: what it says, example by example, for sets of them and for classes
    explain_psi       Linear layers and sigmoids, pruned to a small fan-in: neuron by neuron        (Sec. 5.1)

:func:`explain_torch` asks the model about your rows and looks for rules in its answers. What matters at a row
comes from the affine map that the model is there, where it is piecewise linear
(:mod:`~logiclens.nn.piecewise_linear`, Sec. 5.3, Theorem 4.1). Of any other model it is found by
perturbation: each concept of the row is flipped in turn, and the model is asked again. Both say the same kind
of thing: how far the model's score for a target would fall if the concept were the other way round.

The model is used as it is, on its device and in its precision, in evaluation mode; nothing about it is
changed. A model of one output has two targets, of which the output is the second. A model of several outputs
has one target each: the largest output decides or, with ``multi_label=True``, each output for itself. In a
psi network each output always decides for itself.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor, nn

from logiclens.errors import InputError, count, shown
from logiclens.estimators._parameters import is_auto, most_literals
from logiclens.estimators.fit import EXACT, FrontSearch, SearchSettings, explain_answers
from logiclens.estimators.inputs_and_targets import (
    Problem,
    Targets,
    decided_targets,
    explained_rows,
    explained_target,
    read_rows,
)
from logiclens.explain import Explanation, explain_example, explain_set
from logiclens.explain.compose import compose
from logiclens.explain.front import Front
from logiclens.explain.rule import Label, RuleKind, check_labels, label_array, member, plain_label
from logiclens.explain.rule_set import ExplanationSet
from logiclens.logic import Formula, Not, TruthTable, simplify
from logiclens.logic.arrays import BoolArray, FloatArray
from logiclens.logic.data import THRESHOLD, ConceptData, as_float, as_floats, check_count
from logiclens.nn.model_outputs import as_input, evaluation_mode, predict_rows
from logiclens.nn.own_models import StepSigmoid, bias_of, parts, psi_layers
from logiclens.nn.piecewise_linear import TracedModel, affine_map_of, as_table, trace_model

MAX_CONCEPTS = 12
"""Most concepts of each target in rules that are searched for; the most relevant are taken."""
COMPOSED = "composed of the network's neurons, each taken as a step"
GIVEN = "rows given"
OUTPUTS: Final = ("auto", "logits", "probabilities")

_ANY_LENGTH = 1 << 20  # literals of the longest rules where there is no limit
_MOST_NUMBERS = 1 << 22  # of rows times concepts that the model reads at once
_MOST_FLIPS = 1 << 20  # rows times concepts whose relevance decides which concepts rules are about
_SATURATED = 1e-12  # what probabilities keep from 0 and 1


class Route(StrEnum):
    """How it was found what matters at a row."""

    AFFINE = "affine maps"
    """By the affine map that a piecewise linear model is there (Theorem 4.1)."""
    PERTURBATION = "perturbation"
    """By flipping each concept in turn and asking the model again."""


def explain_torch(  # noqa: PLR0913 - what a user may have to say about a model
    model: nn.Module,
    X: Any,
    names: Sequence[str] | None = None,
    *,
    targets: Sequence[Label] | None = None,
    outputs: str = "auto",
    threshold: float | None = None,
    multi_label: bool = False,
    kind: RuleKind | str = RuleKind.IFF,
    max_literals: int | str | None = "auto",
) -> ExplainedModel:
    """Explain a model of your own: example by example, for sets of examples, and for classes.

    Parameters
    ----------
    model : torch.nn.Module
        Maps (n_rows, n_concepts) to (n_rows, n_outputs), (n_rows, n_outputs, 1) or (n_rows,), each row for
        itself.
    X : mapping, data frame, array or Tensor of shape (n_rows, n_concepts)
        Concept values in [0, 1]: the rows on which the model is asked, and on which what is sufficient is
        sufficient.
    names : sequence of str, optional
        The concepts of an array or tensor; ``x0``, ``x1``, ... when missing.
    targets : sequence of labels, optional
        One for each output, or two for a single output; numbers from 0 when missing.
    outputs : {"auto", "logits", "probabilities"}, default "auto"
        What the outputs are. "auto": probabilities where the last step is a sigmoid or softmax, logits where
        it is a linear layer.
    threshold : float, optional
        An output greater than this is a yes, where the largest does not decide; 0 for logits and 0.5 for
        probabilities when missing.
    multi_label : bool, default False
        Whether several targets may be true of a row.
    kind : RuleKind, default "iff"
        What the model was trained for: the kind of the rules of classes.
    max_literals : int, "auto" or None, default "auto"
        Literals of the longest rules of classes, all together; "auto": 60 for two classes, 20 per target for
        more; None: no limit.

    Returns
    -------
    ExplainedModel
        Its ``explain_sample``, ``explain_set`` and ``explain`` are those of the classifiers. It prints which
        route was taken, affine maps or perturbation, and why.

    Examples
    --------
    >>> class Larger(nn.Module):
    ...     def forward(self, x):
    ...         return x[:, 0] - x[:, 1]
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> explained = explain_torch(Larger(), X, ["a", "b"], outputs="logits")
    >>> print(explained)
    Larger, explained by affine maps: 2 concepts, 2 targets, 4 rows
    if b(x) | ~a(x) then 0
    otherwise 1
    >>> print(explained.explain_sample([1, 0]))
    forall x: (a(x) & ~b(x)) -> 1(x)
    >>> print(explained.explain_set([[0, 1], [1, 1]], 0))
    forall x: b(x) -> 0(x)
    """
    if not isinstance(model, nn.Module):
        raise InputError(f"A model must be a torch.nn.Module. Got {shown(model)}.")
    if not isinstance(multi_label, bool | np.bool_):
        raise InputError(f"multi_label must be True or False. Got {shown(multi_label)}.")
    kind = member(RuleKind, kind, "kind of rule")
    data = ConceptData(_plain_rows(X), names)
    x, traced = data.scores(), trace_model(model)
    _check_width(next(parts(model), model), len(data.names))
    found = _outputs(model, x)
    _check_row_by_row(model, x, found)
    largest_decides = found.shape[1] > 1 and not multi_label
    scale = _read_scale(model, traced, outputs, threshold, needed=not largest_decides)
    predicted = _decide(found - scale.threshold, targets, multi_label=multi_label)
    explained = ExplainedModel(model, data.names, predicted.targets, x, predicted.answers, scale, traced)
    return replace(explained, front_=explained.search(kind, max_literals))


@dataclass(frozen=True)
class _Scale:
    """What outputs are, and above which value one is a yes."""

    probabilities: bool
    threshold: float


def _read_scale(
    model: nn.Module, traced: TracedModel, outputs: str, threshold: float | None, *, needed: bool
) -> _Scale:
    """Read the settings; where the largest output decides, the scale is not needed."""
    if outputs not in OUTPUTS:
        raise InputError(f"outputs must be 'auto', 'logits' or 'probabilities'. Got {shown(outputs)}.")
    if threshold is not None and not np.isfinite(as_float(threshold)):
        raise InputError(f"threshold must be a finite number. Got {shown(threshold)}.")
    if outputs == "logits" and traced.ends == "probabilities":
        raise InputError(
            "The model ends in a sigmoid or softmax, so its outputs are probabilities. Leave out "
            'outputs="logits".'
        )
    known = traced.ends if outputs == "auto" else outputs
    if needed and threshold is None and known not in OUTPUTS:
        raise InputError(
            f"Where the outputs of {type(model).__name__} begin to be a yes is not known. "
            'Pass outputs="logits" or outputs="probabilities".'
        )
    probabilities = known == "probabilities"
    if threshold is None:
        return _Scale(probabilities, THRESHOLD if probabilities else 0.0)
    return _Scale(probabilities, as_float(threshold))


@dataclass(frozen=True, eq=False, repr=False)
class ExplainedModel:
    """A model of your own and what can be said about it; made by :func:`explain_torch`.

    Attributes
    ----------
    model : torch.nn.Module
        As it was given.
    concept_names : tuple of str
    targets : Targets
        What the model decides on the rows.
    x : ndarray of shape (n, n_concepts)
        The rows.
    answers : ndarray of bool, shape (n, n_targets)
        Yes or no to each target, on the rows.
    front_ : Front
        Rules of every length.
    """

    model: nn.Module
    concept_names: tuple[str, ...]
    targets: Targets
    x: FloatArray
    answers: BoolArray
    _scale: _Scale
    _traced: TracedModel
    front_: Front = field(default=None)  # type: ignore[assignment]  # there once it is made

    @property
    def labels(self) -> tuple[Label, ...]:
        """The targets."""
        return self.targets.labels

    @property
    def route(self) -> Route:
        """How it was found what matters at a row."""
        return Route.PERTURBATION if self.obstacle else Route.AFFINE

    @property
    def obstacle(self) -> str:
        """Why the model is not known to be piecewise linear; empty where it is."""
        return self._traced.obstacle

    def predict(self, X: Any) -> Any:
        """The model's labels of rows, (n,), or a table of 0 and 1, (n, n_targets), for several labels."""
        answers = self._answers(self._rows(X))
        if self.targets.problem is Problem.MULTI_LABEL:
            return answers.astype(np.int64)
        return label_array(self.labels)[answers.argmax(axis=1)]

    def explain(self, *, literals: int | str = "auto") -> ExplanationSet:
        """The rules of all targets (Eq. 2): those that agree best with the model's answers.

        They are over the most relevant concepts, at most :data:`MAX_CONCEPTS` of each target.

        Parameters
        ----------
        literals : int or "auto", default "auto"
            Most literals of the rules, all together; "auto": those of the best agreement, less the price of
            their literals.
        """
        return _about_rows_given(self.front_, literals)

    def explain_sample(self, X: Any, target: Label | None = None) -> Explanation:
        """Example-level explanation (Eq. 1): why the model says what it does about one row.

        The row's literals, cut down to those that are enough on the rows given: the literals on which the
        model's answer leans most are kept.

        Parameters
        ----------
        X : mapping, data frame, array or Tensor, one row
        target : label, optional
            The target to explain; the predicted one when missing. It must be one the model predicts.

        Returns
        -------
        Explanation
            Its status says by which route, its scores on how many of the rows given it holds, and for which
            share of those the model says the same.
        """
        x = self._rows(X)
        if len(x) != 1:
            raise InputError(
                f"explain_sample explains one row. Got {count(len(x), 'row')}; pass one, as X[:1]."
            )
        several = self.targets.problem is Problem.MULTI_LABEL
        answers = self._answers(x)[0]
        label = explained_target(answers, self.labels, target, several=several)
        label = self.labels[int(answers.argmax())] if label is None else label
        relevance = self._relevance(x)[self.labels.index(label), 0]
        found = explain_example(x[0], self._table(label), label, relevance=relevance)
        return self._said_how(found)

    def explain_set(self, X: Any, target: Label) -> Explanation:
        """Set-level explanation (Eq. 2): what rows have in common that the model takes for the target.

        Parameters
        ----------
        X : mapping, data frame, array or Tensor
            The rows; those for which the model does not predict the target are left out.
        target : label
        """
        x = self._rows(X)
        label, rows = explained_rows(self._answers(x), self.labels, target)
        x, at = x[rows], self.labels.index(label)
        order = np.abs(self._relevance(_evenly(x, _MOST_FLIPS // x.shape[1]))[at]).mean(axis=0)
        return self._said_how(explain_set(x, self._table(label), label, order=order))

    def _said_how(self, found: Explanation) -> Explanation:
        return replace(found, status=f"{found.status}; what matters by {self.route}")

    def relevance(self, X: Any) -> FloatArray:
        """How far the score of each target falls at each row if a concept is flipped.

        What supports the target is positive, what speaks against it negative. By affine maps it is the
        concept's weight in the map at the row, with the sign of the row's literal; by perturbation, what the
        model says when asked. The score is the logit, less the largest of the other targets' where only the
        largest counts.

        Parameters
        ----------
        X : mapping, data frame, array or Tensor of shape (n, n_concepts)

        Returns
        -------
        ndarray of shape (n_targets, n, n_concepts)
        """
        return self._relevance(self._rows(X))

    def _relevance(self, x: FloatArray) -> FloatArray:
        by = self._by_affine_map if self.route is Route.AFFINE else self._by_flipping
        size = max(1, _MOST_NUMBERS // max(x.shape[1], 1))
        blocks = [by(x[start : start + size]) for start in range(0, len(x), size)]
        return np.concatenate(blocks, axis=1)

    def _by_affine_map(self, x: FloatArray) -> FloatArray:
        assert self._traced.logits is not None  # or there is an obstacle
        with evaluation_mode(self.model):
            weight = affine_map_of(self._scores, as_input(self.model, x)).weight
        return weight.double().cpu().numpy() * np.where(x > THRESHOLD, 1.0, -1.0)

    @torch.no_grad()
    def _by_flipping(self, x: FloatArray) -> FloatArray:
        n_rows, n_concepts = x.shape
        fallen = np.zeros((len(self.labels), n_rows * n_concepts))
        size = max(1, _MOST_NUMBERS // n_concepts)
        with evaluation_mode(self.model):
            before = self._scores(as_input(self.model, x)).double().cpu().numpy()
            for start in range(0, n_rows * n_concepts, size):
                pairs = np.arange(start, min(start + size, n_rows * n_concepts))
                rows, concepts = np.divmod(pairs, n_concepts)
                flipped = x[rows]
                flipped[np.arange(len(pairs)), concepts] = 1.0 - flipped[np.arange(len(pairs)), concepts]
                after = self._scores(as_input(self.model, flipped)).double().cpu().numpy()
                fallen[:, pairs] = (before[rows] - after).T
        return fallen.reshape(len(self.labels), n_rows, n_concepts)

    def _scores(self, x: Tensor) -> Tensor:
        """The score of each target, (n, n_targets), up to a constant."""
        traced = self._traced
        outputs = as_table(self.model(x) if traced.logits is None else traced.logits(x))
        cut = traced.ends.endswith("probabilities")  # the step that made probabilities of logits
        if self._scale.probabilities and not cut and self.route is Route.PERTURBATION:
            outputs = torch.logit(outputs.double(), eps=_SATURATED)
        if self.targets.problem is Problem.SINGLE_LABEL:
            return outputs - _largest_other(outputs)
        return torch.cat([-outputs, outputs], dim=1) if self.targets.problem is Problem.BINARY else outputs

    def search(self, kind: RuleKind, max_literals: int | str | None) -> Front:
        """Rules of every length that agree with the model's answers."""
        n_concepts = len(self.concept_names)
        rows = _evenly(np.arange(len(self.x)), _MOST_FLIPS // max(n_concepts, 1))
        size = np.abs(self._relevance(self.x[rows]))  # (n_targets, n, n_concepts)
        size = size / np.maximum(size.max(axis=2, keepdims=True, initial=0.0), np.finfo(float).tiny)
        kept = np.zeros(n_concepts, dtype=np.bool_)
        for of_target, predicted in zip(size, self.answers[rows].T, strict=True):
            sides = [of_target[side].mean(axis=0) for side in (predicted, ~predicted) if side.any()]
            scores = np.mean(sides, axis=0)
            ranked = np.argsort(-scores, kind="stable")[:MAX_CONCEPTS]
            kept[ranked[scores[ranked] > 0]] = True
        most: Any = _ANY_LENGTH if max_literals is None else max_literals
        most = most_literals(most, self.targets) if is_auto(most) else check_count(most, "max_literals")
        search = SearchSettings(kind, self.concept_names, distillation=1.0, max_literals=most)
        predicted, weight = self.answers.astype(np.float64), np.ones(len(self.x))
        return explain_answers(predicted, self.answers, self.x, self.targets, weight, search, kept)

    def _rows(self, X: Any) -> FloatArray:
        """Rows over the concepts of the model, (n, n_concepts)."""
        return read_rows(_plain_rows(X), self.concept_names)

    def _answers(self, x: FloatArray) -> BoolArray:
        if not len(x):
            raise InputError("There are no rows to explain. Pass at least one.")
        outputs = _outputs(self.model, x) - self._scale.threshold
        several = self.targets.problem is Problem.MULTI_LABEL
        return _decide(outputs, self.labels, multi_label=several).answers

    def _table(self, label: Label) -> TruthTable:
        """The model's yes and no about a target on the rows given."""
        answers = self.answers[:, self.labels.index(label)]
        return TruthTable.from_data(self.x, answers, names=self.concept_names)

    def __str__(self) -> str:
        because = f" ({self.obstacle})" if self.obstacle else ""
        facts = ", ".join(
            [
                count(len(self.concept_names), "concept"),
                count(len(self.labels), "target"),
                count(len(self.x), "row"),
            ]
        )
        name = type(self.model).__name__
        return f"{name}, explained by {self.route}{because}: {facts}\n{self.explain()}"

    __repr__ = __str__


def _largest_other(outputs: Tensor) -> Tensor:
    """The largest of the other outputs, for each output, (n, n_outputs)."""
    best = outputs.topk(2, dim=1)
    at = torch.arange(outputs.shape[1], device=outputs.device)
    return torch.where(best.indices[:, :1] == at, best.values[:, 1:], best.values[:, :1])


def _evenly(rows: Any, most: int) -> Any:
    """At most so many of the rows, evenly spaced."""
    if len(rows) <= most:
        return rows
    return rows[np.linspace(0, len(rows) - 1, max(most, 1)).astype(np.intp)]


def explain_relu(model: nn.Module, X: Any, **settings: Any) -> ExplanationSet:
    """Deprecated: :func:`explain_torch` explains ReLU networks, by affine maps, and others."""
    warnings.warn("explain_relu becomes explain_torch(...).explain().", FutureWarning, stacklevel=2)
    return explain_torch(model, X, **settings).explain()


def explain_network(model: nn.Module, X: Any, **settings: Any) -> ExplanationSet:
    """Deprecated: :func:`explain_torch` explains any model."""
    warnings.warn("explain_network becomes explain_torch(...).explain().", FutureWarning, stacklevel=2)
    return explain_torch(model, X, **settings).explain()


@dataclass(frozen=True, eq=False)
class _Decisions:
    """What a model decides about rows."""

    targets: Targets
    """The decisions: the largest output, where targets exclude one another."""
    answers: BoolArray
    """Yes or no to each target, (n, n_targets)."""


def _decide(
    outputs: FloatArray, targets: Sequence[Label] | None, *, multi_label: bool, each_alone: bool = False
) -> _Decisions:
    """Decisions by outputs, a yes where one is greater than 0; ``each_alone`` when none minds the others."""
    single = outputs.shape[1] == 1 and not multi_label
    labels = _labels(targets, 2 if single else outputs.shape[1], single)
    largest = np.zeros(outputs.shape, dtype=np.bool_)
    largest[np.arange(len(outputs)), outputs.argmax(axis=1)] = True
    answers = outputs > 0 if single or multi_label or each_alone else largest
    if single:
        answers = np.hstack([~answers, answers])
        return _Decisions(decided_targets(answers, labels, Problem.BINARY), answers)
    if multi_label:
        return _Decisions(decided_targets(answers, labels, Problem.MULTI_LABEL), answers)
    problem = Problem.OUTPUT_BY_OUTPUT if each_alone else Problem.SINGLE_LABEL
    return _Decisions(decided_targets(largest, labels, problem), answers)


def _about_rows_given(front: Front, literals: int | str = "auto") -> ExplanationSet:
    """The rules, with scores for rows whose truth is not known."""
    rules = front.rules() if is_auto(literals) else front.rules(literals)
    explanations = [
        each if each.scores is None else replace(each, scores=replace(each.scores, part=GIVEN, accuracy=None))
        for each in rules.values()
    ]
    return replace(rules, explanations=tuple(explanations))


def _plain_rows(X: Any) -> Any:
    """Rows wherever they are, without tensors; one row may stand by itself."""
    X = X.detach().cpu().double().numpy() if isinstance(X, Tensor) else X
    alone = isinstance(X, list | tuple | np.ndarray) and len(X) and np.ndim(X[0]) == 0
    return np.asarray(X)[None] if alone else X


def _check_width(first: nn.Module, width: int) -> None:
    if isinstance(first, nn.Linear) and first.in_features != width:
        raise InputError(
            f"The model reads {count(first.in_features, 'concept')}. Got {count(width, 'column')}; "
            "pass the concepts that it was trained on."
        )


def _outputs(model: nn.Module, x: FloatArray) -> FloatArray:
    """Outputs on all rows, shape (n, n_outputs)."""
    if not len(x):
        raise InputError("There are no rows to predict. Pass at least one.")
    outputs = as_table(predict_rows(model, x))
    if outputs.dim() != 2 or not outputs.shape[1]:
        raise InputError(
            "A model must give one row of outputs for each row of concepts. "
            f"Got shape {tuple(outputs.shape)}; of stacked networks explain one member."
        )
    found = outputs.numpy()
    if not np.isfinite(found).all():
        raise InputError("The model has outputs that are not finite. Check the training for NaN.")
    return found


def _check_row_by_row(model: nn.Module, x: FloatArray, outputs: FloatArray) -> None:
    """Refuse a model that answers rows otherwise when it is asked again, with fewer rows beside them."""
    some = min(16, (len(x) + 1) // 2)
    if not np.allclose(_outputs(model, x[:some]), outputs[:some], rtol=1e-2, atol=1e-2):
        raise InputError(
            f"The model {type(model).__name__} answers the same row differently when it is asked again. "
            "Let no layer draw at random, or look at other rows as BatchNorm without running statistics does."
        )


def explain_psi(
    model: nn.Module,
    X: Any,
    *,
    names: Sequence[str] | None = None,
    targets: Sequence[Label] | None = None,
    kind: RuleKind | str = RuleKind.IFF,
    multi_label: bool = False,
) -> ExplanationSet:
    """Explain a psi network of your own, neuron by neuron.

    Inputs and hidden neurons count as true above one half. With
    :class:`~logiclens.nn.own_models.StepSigmoid` between the layers, once it is hard, that is what the
    network computes from Boolean concepts, and the formulas are exact on every tuple. With
    :class:`torch.nn.Sigmoid` they are as good as its sigmoids are steep: look at the fidelity.

    Parameters
    ----------
    model : torch.nn.Sequential
        Linear layers with Sigmoid or StepSigmoid between them, and perhaps one of these at the end; no neuron
        with more than 16 weights (see :func:`~logiclens.nn.own_models.prune_fan_in`).
    X : mapping, data frame, array or Tensor of shape (n_rows, n_concepts)
        Concept values in [0, 1], on which support and fidelity are measured.
    names : sequence of str, optional
        The concepts of an array or tensor; ``x0``, ``x1``, ... when missing.
    targets : sequence of labels, optional
        One for each output, or two for a single output; numbers from 0 when missing.
    kind : RuleKind, default "iff"
        What the model was trained for.
    multi_label : bool, default False
        Whether several targets may be true of a row.

    Returns
    -------
    ExplanationSet

    Examples
    --------
    >>> model = nn.Sequential(nn.Linear(2, 2), nn.Sigmoid(), nn.Linear(2, 1), nn.Sigmoid())
    >>> weights = [[[9.0, 9.0], [9.0, 9.0]], [-5.0, -14.0], [[9.0, -9.0]], [-5.0]]
    >>> with torch.no_grad():
    ...     for parameter, values in zip(model.parameters(), weights, strict=True):
    ...         _ = parameter.copy_(torch.tensor(values))
    >>> X = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> print(explain_psi(model, X, names=["a", "b"], targets=["same", "different"]))
    if (~a(x) & b(x)) | (a(x) & ~b(x)) then different
    otherwise same
    """
    layers = psi_layers(model)
    data = ConceptData(_plain_rows(X), names)
    _check_width(layers[0], len(data.names))
    ends = isinstance([*parts(model)][-1], nn.Linear)
    x, threshold = data.scores(), 0.0 if ends else THRESHOLD
    outputs = _outputs(model, x)
    found = _decide(outputs - threshold, targets, multi_label=multi_label, each_alone=True)
    arrays = [(_array(layer.weight), _array(bias_of(layer))) for layer in layers]
    formulas: list[Formula] = list(compose(arrays, data.names).outputs)
    single = found.targets.problem is Problem.BINARY
    if single:
        formulas = [simplify(Not(formulas[0])), formulas[0]]
    steps = [part for part in parts(model) if isinstance(part, (nn.Sigmoid, StepSigmoid))]
    hidden = steps[: len(layers) - 1]
    status = EXACT if all(isinstance(part, StepSigmoid) and part.hard for part in hidden) else COMPOSED
    search = SearchSettings(member(RuleKind, kind, "kind of rule"), data.names, distillation=1.0)
    rules = FrontSearch(search, x > THRESHOLD, found.targets, [np.ones(len(x))])
    point = rules.of_formulas(formulas, status, exclusive=single and search.kind is RuleKind.IFF)
    every = np.ones(len(data.names), dtype=np.bool_)
    return _about_rows_given(rules.front([point], 0, rules.seen(every, found.answers)))


def _labels(targets: Sequence[Label] | None, number: int, single: bool) -> tuple[Label, ...]:
    if targets is None:
        return tuple(range(number))
    if isinstance(targets, str) or not isinstance(targets, Sequence | np.ndarray):
        raise InputError(f"targets must be a sequence of labels. Got {shown(targets)}; write ['no', 'yes'].")
    labels = tuple(map(plain_label, targets))
    check_labels(labels)
    if len(labels) != number:
        remedy = "name both classes, that of the output last" if single else "name each output"
        raise InputError(f"The model has {number} targets. Got {count(len(labels), 'label')}; {remedy}.")
    return labels


def _array(values: Tensor) -> FloatArray:
    return as_floats(values.detach().cpu().double().numpy(), "values")
