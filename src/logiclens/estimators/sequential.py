"""Rules of a model that you wrote and trained yourself, with a loop of your own.

    explain_psi       Linear layers and sigmoids, pruned to a small fan-in: neuron by neuron        (Sec. 5.1)
    explain_relu      Linear layers and ReLU: by what matters in the affine map at each row         (Sec. 5.3)
    explain_network   any model: by its answers, over the concepts that its first layer still reads (Sec. 5.2)

The last two search for rules as every fit does (:mod:`logiclens.estimators.fit`), in the model's predictions
alone. They use a copy of the model on the CPU, in evaluation mode; the model is not changed. Each explanation
has the fidelity of its formula to the model on the rows given.

A model of one output has two targets, of which the output is the second. A model of several outputs has one
target each: the largest output decides or, with ``multi_label=True``, each output for itself. In a psi
network each output always decides for itself.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from logiclens.errors import InputError, count, shown
from logiclens.estimators._parameters import is_auto, most_literals
from logiclens.estimators.fit import EXACT, FrontSearch, SearchSettings, explain_answers
from logiclens.estimators.inputs_and_targets import Problem, Targets
from logiclens.explain.compose import compose
from logiclens.explain.front import Front
from logiclens.explain.rule import Label, RuleKind, check_labels, member, plain_label
from logiclens.explain.rule_set import ExplanationSet
from logiclens.logic import Formula, Not, simplify
from logiclens.logic.arrays import BoolArray, FloatArray
from logiclens.logic.data import THRESHOLD, ConceptData, as_float, as_floats, check_count
from logiclens.nn.own_models import StepSigmoid, affine_map, bias_of, input_relevance, layers_of, parts

MAX_CONCEPTS = 12
"""Most concepts of each target in rules that are searched for; the most relevant are taken."""
COMPOSED = "composed of the network's neurons, each taken as a step"
GIVEN = "rows given"

_BLOCK = 1 << 15  # rows at once
_ANY_LENGTH = 1 << 20  # literals of the longest rules where there is no limit


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
    layers = layers_of("psi", model)
    found = _predict(model, X, names, targets, threshold=None, multi_label=multi_label, each_alone=True)
    arrays = [(_array(layer.weight), _array(bias_of(layer))) for layer in layers]
    formulas: list[Formula] = list(compose(arrays, found.names).outputs)
    single = found.targets.problem is Problem.BINARY
    if single:
        formulas = [simplify(Not(formulas[0])), formulas[0]]
    steps = [part for part in parts(model) if isinstance(part, (nn.Sigmoid, StepSigmoid))]
    hidden = steps[: len(layers) - 1]
    status = EXACT if all(isinstance(part, StepSigmoid) and part.hard for part in hidden) else COMPOSED
    search = SearchSettings(member(RuleKind, kind, "kind of rule"), found.names, distillation=1.0)
    rules = FrontSearch(search, found.x > THRESHOLD, found.targets, [np.ones(len(found.x))])
    point = rules.of_formulas(formulas, status, exclusive=single and search.kind is RuleKind.IFF)
    every = np.ones(len(found.names), dtype=np.bool_)
    return _about_rows_given(rules.front([point], 0, rules.seen(every, found.answers)))


def explain_relu(
    model: nn.Module,
    X: Any,
    *,
    names: Sequence[str] | None = None,
    targets: Sequence[Label] | None = None,
    kind: RuleKind | str = RuleKind.IFF,
    multi_label: bool = False,
    max_literals: int | str | None = "auto",
) -> ExplanationSet:
    """Explain a ReLU network of your own by what matters at each row (example-level pruning).

    At each row the network is an affine map (:func:`~logiclens.nn.own_models.affine_map`). For each target
    the weights in it are averaged over the rows that the network gives the target and over the others, half
    and half. Over the most relevant concepts, at most :data:`MAX_CONCEPTS` of each target, the rules are
    found that agree best with the network's answers.

    Parameters
    ----------
    model : torch.nn.Sequential
        Linear layers with ReLU between them, and perhaps a Sigmoid at the end.
    X, names, targets, kind, multi_label
        As for :func:`explain_psi`.
    max_literals : int, "auto" or None, default "auto"
        Literals of the longest rules, all together; "auto": 60 for two classes, 20 per target for more; None:
        no limit.

    Returns
    -------
    ExplanationSet

    Examples
    --------
    >>> model = nn.Sequential(nn.Linear(3, 2), nn.ReLU(), nn.Linear(2, 1))
    >>> weights = [[[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0]], [0.0, 0.0], [[1.0, 1.0]], [-0.5]]
    >>> with torch.no_grad():
    ...     for parameter, values in zip(model.parameters(), weights, strict=True):
    ...         _ = parameter.copy_(torch.tensor(values))
    >>> X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 0, 1]]
    >>> print(explain_relu(model, X, names=["a", "b", "c"])[1])
    forall x: 1(x) <-> (a(x) & ~b(x)) | (~a(x) & b(x))
    """
    layers_of("ReLU", model)
    found = _predict(model, X, names, targets, threshold=None, multi_label=multi_label)
    twin = copy.deepcopy(model).cpu().double()
    size = affine_map(twin, torch.from_numpy(found.x)).weight.abs()  # (n_outputs, n, n_concepts)
    size = size / size.amax(dim=2, keepdim=True).clamp(min=torch.finfo(size.dtype).tiny)
    relevance = []
    for at, predicted in enumerate(found.answers.T):
        of_output = size[0 if found.targets.problem is Problem.BINARY else at].numpy()
        sides = [of_output[rows].mean(axis=0) for rows in (predicted, ~predicted) if rows.any()]
        relevance.append(np.mean(sides, axis=0))
    return found.search(np.array(relevance), kind, max_literals)


def explain_network(
    model: nn.Module,
    X: Any,
    *,
    names: Sequence[str] | None = None,
    targets: Sequence[Label] | None = None,
    kind: RuleKind | str = RuleKind.IFF,
    multi_label: bool = False,
    threshold: float | None = None,
    max_literals: int | str | None = "auto",
) -> ExplanationSet:
    """Explain any model of your own by its answers: what a mu or entropy network needs.

    The rules are about the concepts that the model's first linear layer reads, at most
    :data:`MAX_CONCEPTS` of them, the most relevant (:func:`~logiclens.nn.own_models.input_relevance`). So
    prune the model before (:func:`~logiclens.nn.own_models.prune_inputs`). Of a model without a linear layer
    the first concepts are taken.

    Parameters
    ----------
    model : torch.nn.Module
        Maps (n_rows, n_concepts) to (n_rows, n_outputs), (n_rows, n_outputs, 1) or (n_rows,).
    X, names, targets, kind, multi_label
        As for :func:`explain_psi`.
    threshold : float, optional
        An output greater than this is a yes, where the largest does not decide: 0 for logits, 0.5 for
        probabilities. Found from the last layer when that is a Linear, a Sigmoid or a Softmax.
    max_literals : int, "auto" or None, default "auto"
        Literals of the longest rules, all together; "auto": 60 for two classes, 20 per target for more; None:
        no limit.

    Returns
    -------
    ExplanationSet

    Examples
    --------
    >>> class Larger(nn.Module):
    ...     def forward(self, x):
    ...         return x[:, 0] - x[:, 1]
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> print(explain_network(Larger(), X, names=["a", "b"], threshold=0.0)[1])
    forall x: 1(x) <-> a(x) & ~b(x)
    """
    found = _predict(model, X, names, targets, threshold=threshold, multi_label=multi_label)
    scores = np.ones((1, len(found.names)))
    if any(isinstance(layer, nn.Linear) for layer in model.modules()):
        scores = np.atleast_2d(_array(input_relevance(model)))
        if scores.shape[1] != len(found.names):
            raise InputError(
                f"The first linear layer that the model lists reads {count(scores.shape[1], 'input')}, not "
                f"the {count(len(found.names), 'concept')}. List the layer that reads the concepts first."
            )
    return found.search(scores, kind, max_literals)


@dataclass(frozen=True, eq=False)
class _PredictedRows:
    """The predictions of a model for rows."""

    names: tuple[str, ...]
    """The concepts."""
    x: FloatArray  # (n, n_concepts)
    targets: Targets
    """The decisions: the largest output, where targets exclude one another."""
    answers: BoolArray
    """Yes or no to each target, (n, n_targets)."""

    def search(
        self, relevance: FloatArray, kind: RuleKind | str, max_literals: int | str | None
    ) -> ExplanationSet:
        """Rules that agree with the predictions; relevance of concepts is (n_classes, n_concepts).

        The most relevant concepts of every class may be used in all rules.
        """
        kept = np.zeros(len(self.names), dtype=np.bool_)
        for scores in relevance:
            ranked = np.argsort(-scores, kind="stable")[:MAX_CONCEPTS]
            kept[ranked[scores[ranked] > 0]] = True
        most: Any = _ANY_LENGTH if max_literals is None else max_literals
        most = most_literals(most, self.targets) if is_auto(most) else check_count(most, "max_literals")
        search = SearchSettings(
            member(RuleKind, kind, "kind of rule"), self.names, distillation=1.0, max_literals=most
        )
        predicted, weight = self.answers.astype(np.float64), np.ones(len(self.x))
        return _about_rows_given(
            explain_answers(predicted, self.answers, self.x, self.targets, weight, search, kept)
        )


def _about_rows_given(front: Front) -> ExplanationSet:
    """The rules, with scores for rows whose truth is not known."""
    rules = front.rules()
    explanations = [
        each if each.scores is None else replace(each, scores=replace(each.scores, part=GIVEN, accuracy=None))
        for each in rules.values()
    ]
    return replace(rules, explanations=tuple(explanations))


def _predict(
    model: nn.Module,
    X: Any,
    names: Sequence[str] | None,
    targets: Sequence[Label] | None,
    *,
    threshold: float | None,
    multi_label: bool,
    each_alone: bool = False,
) -> _PredictedRows:
    """Read the rows and predict them; ``each_alone`` when outputs do not depend on each other."""
    if not isinstance(model, nn.Module):
        raise InputError(f"A model must be a torch.nn.Module. Got {shown(model)}.")
    X = X.detach().cpu().double().numpy() if isinstance(X, Tensor) else X  # wherever it was
    data = ConceptData(X, names)
    x = data.scores()
    if not len(x):
        raise InputError("There are no rows to predict. Pass at least one.")
    _check_width(model, len(data.names))
    outputs = _outputs(model, x)
    single = outputs.shape[1] == 1 and not multi_label
    labels = _labels(targets, 2 if single else outputs.shape[1], single)
    largest = np.zeros(outputs.shape, dtype=np.bool_)
    largest[np.arange(len(x)), outputs.argmax(axis=1)] = True
    if single or multi_label or each_alone:
        answers = outputs > _threshold(model, threshold)
        answers = np.hstack([~answers, answers]) if single else answers
    else:
        answers = largest
    if single:
        predicted = Targets(labels, Problem.BINARY, answers[:, 1:].astype(np.float64))
    elif multi_label:
        predicted = Targets(labels, Problem.MULTI_LABEL, answers.astype(np.float64))
    else:
        problem = Problem.OUTPUT_BY_OUTPUT if each_alone else Problem.SINGLE_LABEL
        predicted = Targets(labels, problem, largest.astype(np.float64))
    return _PredictedRows(data.names, x, predicted, answers)


def _check_width(model: nn.Module, width: int) -> None:
    if not isinstance(model, nn.Sequential):
        return
    first = next(parts(model), None)
    if isinstance(first, nn.Linear) and first.in_features != width:
        raise InputError(
            f"The model reads {count(first.in_features, 'concept')}. Got {count(width, 'column')}; "
            "pass the concepts that it was trained on."
        )


@torch.no_grad()
def _outputs(model: nn.Module, x: FloatArray) -> FloatArray:
    """Outputs on all rows, shape (n, n_outputs), from a copy on the CPU in double precision."""
    twin = copy.deepcopy(model).cpu().double().eval()
    found = [twin(torch.from_numpy(x[start : start + _BLOCK])) for start in range(0, len(x), _BLOCK)]
    if isinstance(found[0], Tensor) and found[0].dim() == 3 and found[0].shape[::2] == (len(x[:_BLOCK]), 1):
        found = [part.squeeze(2) for part in found]  # an entropy layer with classes: one output for each
    if not all(isinstance(part, Tensor) and part.dim() in (1, 2) for part in found):
        got = f"shape {tuple(found[0].shape)}" if isinstance(found[0], Tensor) else shown(found[0])
        raise InputError(
            f"A model must give one row of outputs for each row of concepts. Got {got}; "
            "of stacked networks explain one member."
        )
    outputs = _array(torch.cat(found))
    outputs = outputs[:, None] if outputs.ndim == 1 else outputs
    if not np.isfinite(outputs).all():
        raise InputError("The model has outputs that are not finite. Check the training for NaN.")
    return outputs


def _threshold(model: nn.Module, threshold: float | None) -> float:
    """The output above which the model decides for a target."""
    if threshold is not None:
        value = as_float(threshold)
        if not np.isfinite(value):
            raise InputError(f"threshold must be a finite number. Got {shown(threshold)}.")
        return value
    *_, last = parts(model)
    if isinstance(last, nn.Linear):
        return 0.0
    if isinstance(last, (nn.Sigmoid, StepSigmoid, nn.Softmax)):
        return THRESHOLD
    raise InputError(
        f"Where the outputs of {type(last).__name__} begin to be a yes is not known. "
        "Pass threshold=0 for logits, threshold=0.5 for probabilities."
    )


def _labels(targets: Sequence[Label] | None, number: int, single: bool) -> tuple[Label, ...]:
    if targets is None:
        return tuple(range(number))
    if isinstance(targets, str):
        raise InputError(f"targets must be a sequence of labels. Got {shown(targets)}; write ['no', 'yes'].")
    labels = tuple(map(plain_label, targets))
    check_labels(labels)
    if len(labels) != number:
        remedy = "name both classes, that of the output last" if single else "name each output"
        raise InputError(f"The model has {number} targets. Got {count(len(labels), 'label')}; {remedy}.")
    return labels


def _array(values: Tensor) -> FloatArray:
    return as_floats(values.detach().cpu().double().numpy(), "values")
