"""How a concept bottleneck is fitted: concepts first, then the classes, then, if told so, both in turns.

The estimator of :mod:`logiclens.pipelines.bottleneck` says what there is to do as a :class:`Job`; here it is
done. Joint training lowers one loss by turns,

    L(g, f) = CE(f(g(x)), y) + concept_weight * CE(g(x), c),

first over the weights of ``g``, by gradients through the fixed ``f``, then over ``f``, which is fitted anew.
A pair (g, f) is given up only for one of lower ``L`` on the rows held out. Where there are no labels ``c``,
because ``g`` came trained, its first scores stand for them. A psi network sees only whether a concept is
above one half; gradients pass through that step as if it were not there.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from scipy.special import expit
from sklearn.base import clone
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from logiclens.errors import InputError, count, shown
from logiclens.estimators.base import LENClassifier
from logiclens.estimators.inputs_and_targets import Problem, read_concepts, read_targets
from logiclens.estimators.networks import resolve_device
from logiclens.logic.arrays import FloatArray
from logiclens.logic.data import as_float, check_names, check_one_name_each
from logiclens.logic.values import THRESHOLD
from logiclens.nn._parallel import threads_for
from logiclens.nn.population import LogicNetwork
from logiclens.nn.psi import PsiNetwork
from logiclens.pipelines.concept_training import (
    ConceptHistory,
    ConceptPlan,
    Loss,
    concept_logits,
    concept_loss,
    device_of,
    mean_loss,
    seeded,
    train_concepts,
)

JOINT_RATE = 0.1
"""Share of the learning rate in joint training: the concepts are to be moved, not learnt again."""


@dataclass(frozen=True, eq=False)
class Job:
    """What there is to fit.

    Attributes
    ----------
    model : torch.nn.Module
        The concept model; it is copied.
    inputs : Tensor of shape (n, ...)
    y : array
        Targets, as the caller passed them.
    labels : ndarray of shape (n, n_concepts), or None
        The true concepts.
    names : tuple of str, or None
        Names of the concepts.
    weight : ndarray of shape (n,), or None
        What each row counts.
    plan : ConceptPlan
    train : bool
        Whether the concept model is to be trained.
    rounds : int
        Turns of joint training.
    concept_weight : float
    validation_fraction : float
    seed : int
    device : str
    report : callable, optional
        Told the share of the training of the concepts that is done.
    """

    model: nn.Module
    inputs: Tensor
    y: Any
    labels: FloatArray | None
    names: tuple[str, ...] | None
    weight: FloatArray | None
    plan: ConceptPlan
    train: bool
    rounds: int
    concept_weight: float
    validation_fraction: float
    seed: int
    device: str
    report: Callable[[float], None] | None = None


@dataclass(frozen=True, eq=False)
class FittedBottleneck:
    """What was fitted: concept model, LEN, and how training went."""

    model: nn.Module
    estimator: LENClassifier
    history: ConceptHistory | None
    joint_loss: FloatArray = field(default_factory=lambda: np.zeros(0))


def check_settings(settings: Mapping[str, Any]) -> None:
    """Refuse settings of a concept bottleneck that make no sense, in one line each."""
    for name in ("epochs", "batch_size", "patience", "rounds"):
        value = settings[name]
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
            raise InputError(f"{name} must be a whole number of at least 1. Got {shown(value)}.")
    if not 0.0 < as_float(settings["learning_rate"]) < np.inf:
        raise InputError(f"learning_rate must be a positive number. Got {shown(settings['learning_rate'])}.")
    for name in ("weight_decay", "concept_weight"):
        if not 0.0 <= as_float(settings[name]) < np.inf:
            raise InputError(f"{name} must be a number of at least 0. Got {shown(settings[name])}.")
    if not 0.0 <= as_float(settings["validation_fraction"]) < 1.0:
        raise InputError(
            "validation_fraction must be a number of at least 0 and less than 1. "
            f"Got {shown(settings['validation_fraction'])}."
        )
    if settings["augment"] is not None and not callable(settings["augment"]):
        raise InputError(f"augment must be a function of a mini-batch. Got {shown(settings['augment'])}.")
    estimator, model = settings["estimator"], settings["concept_model"]
    if estimator is not None and not isinstance(estimator, LENClassifier):
        raise InputError(
            f"estimator must be a classifier of this package. Got {shown(estimator)}; write MuClassifier()."
        )
    if model is not None and not isinstance(model, nn.Module):
        raise InputError(
            f"concept_model must be a torch.nn.Module. Got {shown(model)}; write a function as a module."
        )


def read_labels(
    concepts: Any, names: Sequence[str] | None, n_rows: int, *, needed: bool
) -> tuple[FloatArray | None, tuple[str, ...] | None]:
    """Concept labels, (n, n_concepts), and names of the concepts, where there are any.

    Parameters
    ----------
    concepts : array, frame or mapping, or None
    names : sequence of str, or None
        Names, where the labels carry none.
    n_rows : int
        Raw inputs that the labels must match.
    needed : bool
        Whether a concept model is to be trained.
    """
    if concepts is None:
        if needed:
            raise InputError(
                "Concept labels are needed to train concept_model. "
                "Pass concepts=, or set train_concepts=False if it is trained already."
            )
        return None, None if names is None else check_names(names)
    labels = read_concepts(concepts, names)
    if len(labels.values) != n_rows:
        raise InputError(
            f"concepts must have one row for each of the {count(n_rows, 'row')} of X. "
            f"Got {count(len(labels.values), 'row')}."
        )
    return labels.values, labels.names


def fit_bottleneck(job: Job, estimator: LENClassifier) -> FittedBottleneck:
    """Fit a concept model and a LEN on top of it; the estimator passed is fitted, the concept model is not.

    Parameters
    ----------
    job : Job
    estimator : LENClassifier
        Not fitted.

    Returns
    -------
    FittedBottleneck
    """
    read_targets(job.y, len(job.inputs))  # so that nothing is trained in vain
    device = resolve_device(job.device)
    model = copy.deepcopy(job.model).to(device)
    if device.type == "cuda" and job.inputs.dim() == 4:
        model = model.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    if (job.train or job.rounds) and not any(p.requires_grad for p in model.parameters()):
        raise InputError(
            "concept_model has no weights that can be trained. "
            "Set train_concepts=False and joint=False to use it as it is."
        )
    size = job.inputs[0].numel() * min(job.plan.batch_size, len(job.inputs))
    with threads_for(16 * size):  # a layer's activations are several times as many as its inputs
        with seeded(job.seed, device):  # lazy layers draw their weights when they see the first rows
            first = concept_logits(model, job.inputs[:2], 2)
        names = _names(job, first.shape[1])
        parts = split_rows(len(job.inputs), job.weight, job.validation_fraction, job.seed)
        history = None
        if job.train and job.labels is not None:
            loss = concept_loss(_on(job.labels, device), _row_weight(job, device))
            history = train_concepts(
                model, job.inputs, loss, parts, job.plan, seed=job.seed, progress=job.report
            )
        scores = _scores(model, job)
        fit_on_scores(estimator, scores, names, job)
        fitted = FittedBottleneck(model.eval(), estimator, history)
        return _jointly(fitted, job, names, parts, scores) if job.rounds else fitted


def fit_on_scores(
    estimator: LENClassifier, scores: FloatArray, names: tuple[str, ...], job: Job
) -> LENClassifier:
    """Fit a LEN on concept scores under their names."""
    columns = dict(zip(names, scores.T, strict=True))
    fitted: LENClassifier = estimator.fit(columns, job.y, sample_weight=job.weight)
    return fitted


def split_rows(n_rows: int, weight: FloatArray | None, fraction: float, seed: int) -> tuple[Tensor, Tensor]:
    """Numbers of the rows to learn from and of those held out; rows of weight 0 are in neither."""
    rows = np.arange(n_rows) if weight is None else np.flatnonzero(weight > 0)
    if not rows.size:
        raise InputError("All weights in sample_weight are 0. Give some row a positive weight.")
    order = np.random.default_rng(seed).permutation(rows)
    n_check = min(round(len(rows) * fraction), len(rows) - 1)
    return torch.from_numpy(np.sort(order[n_check:])), torch.from_numpy(np.sort(order[:n_check]))


def joint_loss(
    network: LogicNetwork,
    outputs: Tensor,
    concepts: Loss,
    concept_weight: float,
    weight: Tensor | None,
    *,
    exclusive: bool = False,
) -> Loss:
    """Loss of classes and concepts as a function of concept logits, with the LEN held fixed.

    Parameters
    ----------
    network : LogicNetwork
        One member for each output.
    outputs : Tensor of shape (n, n_outputs)
        What the outputs should be.
    concepts : callable
        The loss of the concepts.
    concept_weight : float
        What it counts.
    weight : Tensor of shape (n,), or None
        What each row counts.
    exclusive : bool, default False
        Whether the outputs are classes of which one is true, so that they share a softmax.
    """

    def loss(logits: Tensor, rows: Tensor) -> Tensor:
        found = _through(network, torch.sigmoid(logits).to(network.l1.dtype)).T  # (b, n_outputs)
        wanted = outputs[rows].to(found.dtype)
        if exclusive:
            task = cross_entropy(found, wanted, reduction="none")
        else:
            task = binary_cross_entropy_with_logits(found, wanted, reduction="none").mean(dim=1)
        task = task if weight is None else task * weight[rows]
        return task + concept_weight * concepts(logits, rows) if concept_weight else task

    return loss


def _through(network: LogicNetwork, scores: Tensor) -> Tensor:
    """Logits of a LEN, (n_outputs, b), through which gradients reach the concept scores."""
    if not isinstance(network, PsiNetwork):
        found: Tensor = network(scores)
        return found
    # The value is the step, the gradient that of the score.
    steps = scores + ((scores > THRESHOLD).to(scores.dtype) - scores).detach()
    return network.logits(LogicNetwork.gather(network, steps))


def _jointly(
    fitted: FittedBottleneck,
    job: Job,
    names: tuple[str, ...],
    parts: tuple[Tensor, Tensor],
    first: FloatArray,
) -> FittedBottleneck:
    """Take turns with the concept model and the LEN, as long as the loss of the two falls."""
    device = device_of(fitted.model)
    weight = _row_weight(job, device)
    concepts = concept_loss(_on(first if job.labels is None else job.labels, device), weight)
    targets = read_targets(job.y, len(job.inputs))
    if fitted.estimator.problem_ is Problem.OUTPUT_BY_OUTPUT:
        targets = targets.output_by_output()
    outputs, exclusive = _on(targets.outputs, device), targets.problem is Problem.SINGLE_LABEL
    judged = parts[1] if len(parts[1]) else parts[0]

    def total(estimator: LENClassifier) -> Loss:
        network = copy.deepcopy(estimator.network_).to(device).requires_grad_(False)
        return joint_loss(network, outputs, concepts, job.concept_weight, weight, exclusive=exclusive)

    plan = replace_rate(job.plan)
    best, losses = fitted, [mean_loss(fitted.model, job.inputs, total(fitted.estimator), judged, plan)]
    for turn in range(job.rounds):
        model = copy.deepcopy(best.model)
        train_concepts(
            model,
            job.inputs,
            total(best.estimator),
            parts,
            plan,
            seed=job.seed + turn + 1,
            progress=job.report,
            keep_first=True,
        )
        estimator = fit_on_scores(clone(best.estimator), _scores(model, job), names, job)
        found = mean_loss(model, job.inputs, total(estimator), judged, plan)
        if found >= losses[-1]:
            break
        losses.append(found)
        best = FittedBottleneck(model, estimator, fitted.history)
    return FittedBottleneck(best.model, best.estimator, fitted.history, np.array(losses))


def replace_rate(plan: ConceptPlan) -> ConceptPlan:
    """The plan of joint training: the same with a lower learning rate."""
    return replace(plan, learning_rate=JOINT_RATE * plan.learning_rate)


def _names(job: Job, width: int) -> tuple[str, ...]:
    """Names of the concepts, once it is sure that the concept model has an output for each."""
    if job.labels is not None and job.labels.shape[1] != width:
        raise InputError(
            f"concept_model gives {count(width, 'concept')}. Got labels of "
            f"{count(job.labels.shape[1], 'concept')}; give it one output for each."
        )
    names = job.names if job.names is not None else tuple(f"x{j}" for j in range(width))
    check_one_name_each(names, width)
    return names


def _scores(model: nn.Module, job: Job) -> FloatArray:
    return np.asarray(expit(concept_logits(model, job.inputs, job.plan.batch_size)))


def _on(values: FloatArray, device: torch.device) -> Tensor:
    return torch.as_tensor(values, dtype=torch.float32, device=device)


def _row_weight(job: Job, device: torch.device) -> Tensor | None:
    """What each row counts, 1 on average."""
    return None if job.weight is None else _on(job.weight / job.weight.mean(), device)
