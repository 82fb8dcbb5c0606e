"""Training of the network ``g`` that finds concepts in raw inputs (Sec. 3.1), and of a concept bottleneck.

The loop here is that of any deep network: mini-batches, AdamW, a learning rate that rises and falls once
(a tenth of the steps up, then down along a cosine), the weights of least validation loss kept. What is
minimized is a function of the concept logits, so that the same loop learns concepts from labels
and, in joint training, moves them for the sake of the classes.

Nothing global is changed: random numbers are drawn from torch's generators, which are put back afterwards.

How a concept bottleneck is fitted: concepts first, then the classes, then, if that is set, both in turns.

Joint training lowers one loss by turns,

    L(g, f) = CE(f(g(x)), y) + concept_weight * CE(g(x), c),

first over the weights of ``g``, by gradients through the fixed ``f``, then over ``f``, which is fitted anew.
A pair (g, f) is given up only for one of lower ``L`` on the rows held out. Where there are no labels ``c``,
because ``g`` came trained, its first scores stand for them. A psi network sees only whether a concept is
above one half; gradients pass through that step as if it were not there.

With concept embeddings (:mod:`logiclens.nn.embedding`) there is one network ``f`` for both, trained at once,

    L(f) = CE(f(x), y) + concept_weight * CE(s(x), c),

and while it is trained a score is replaced by its truth with a probability of :data:`INTERVENED`, row by row
and concept by concept, so that outputs heed concepts that are set by hand (RandInt).
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from typing import Any

import narwhals as nw
import numpy as np
import torch
from scipy.special import expit
from sklearn.base import clone
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from logiclens.errors import InputError, count, shown
from logiclens.estimators._parameters import progress_line, seed_of
from logiclens.estimators.base import LENClassifier
from logiclens.estimators.inputs_and_targets import Problem, Targets, read_concepts, read_targets
from logiclens.estimators.networks import logit_scales, resolve_device
from logiclens.explain.rule import RuleKind
from logiclens.logic.arrays import FloatArray
from logiclens.logic.data import (
    THRESHOLD,
    as_array,
    as_float,
    as_floats,
    check_count,
    check_names,
    check_one_name_each,
)
from logiclens.nn.embedding import EmbeddingNetwork
from logiclens.nn.population import LogicNetwork, threads_for
from logiclens.nn.psi import PsiNetwork

Augment = Callable[[Tensor], Tensor]
"""Changes a mini-batch of raw inputs at random, and only while training; shapes of rows may change."""
Loss = Callable[[Tensor, Tensor], Tensor]
"""From concept logits (b, n_concepts) and the numbers of the rows (b,) to the loss of each row, (b,)."""

INTERVENED = 0.25
"""Probability that the truth takes the place of a concept's score while embeddings are trained."""
_WARM = 0.1  # share of the steps over which the learning rate rises
_ON_DEVICE = 16 << 30  # bytes of raw inputs that are kept on a GPU
_TOLERANCE = 1e-4  # share by which a loss must fall to count as better


@dataclass(frozen=True)
class ConceptPlan:
    """Settings of the training.

    Attributes
    ----------
    epochs : int
        Passes over the rows.
    batch_size : int
        Rows in a mini-batch; batches differ by at most one row.
    learning_rate : float
        Of AdamW, at its highest.
    weight_decay : float
        Of AdamW; of matrices and filters only.
    patience : int
        Epochs without a better validation loss after which training ends.
    augment : callable, optional
        See :data:`Augment`.
    mixed_precision : bool
        Whether a GPU computes in bfloat16 where that does no harm.
    """

    epochs: int = 30
    batch_size: int = 64
    learning_rate: float = 1e-3
    weight_decay: float = 1e-2
    patience: int = 10
    augment: Augment | None = None
    mixed_precision: bool = True


@dataclass(frozen=True, eq=False)
class ConceptHistory:
    """Losses while training."""

    train: FloatArray
    """Mean loss over the mini-batches of each epoch."""
    check: FloatArray
    """Loss on the rows held out, after each epoch; NaN when there are none."""
    best: int
    """The epoch, counted from 0, whose weights were kept; -1 for those before the first."""


def concept_loss(targets: Tensor, weight: Tensor | None = None) -> Loss:
    """Binary cross-entropy of concept logits with labels in [0, 1], (n, n_concepts), mean over concepts."""

    def loss(logits: Tensor, rows: Tensor) -> Tensor:
        wanted = targets[rows].to(logits.dtype)
        values = binary_cross_entropy_with_logits(logits, wanted, reduction="none").mean(dim=1)
        return values if weight is None else values * weight[rows]

    return loss


def train_concepts(
    model: nn.Module,
    inputs: Tensor,
    loss: Loss,
    parts: tuple[Tensor, Tensor],
    plan: ConceptPlan,
    *,
    seed: int,
    progress: Callable[[float], None] | None = None,
    keep_first: bool = False,
) -> ConceptHistory:
    """Train a network in place, on the device where it is; it is left in evaluation mode.

    The parts are numbers of the rows to learn from and of those held out, which may be none. The seed decides
    the order of rows, and what the network and the augmentation draw. With ``keep_first`` the first weights
    stay when no epoch has a lower validation loss than they.
    """
    device = device_of(model)
    rows, check = parts
    inputs = _place(inputs, device)
    n_batches = math.ceil(len(rows) / plan.batch_size)
    optimizer = torch.optim.AdamW(_groups(model, plan.weight_decay), lr=plan.learning_rate)
    steps = plan.epochs * n_batches
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _rate(step, steps))
    train_curve: list[float] = []
    check_curve: list[float] = []
    best, least = -1, math.inf
    kept: dict[str, Tensor] | None = None
    with seeded(seed, device):
        if keep_first and len(check):
            kept, least = copy.deepcopy(model.state_dict()), mean_loss(model, inputs, loss, check, plan)
        for epoch in range(plan.epochs):
            model.train()
            total = torch.zeros((), device=device)
            order = rows[torch.randperm(len(rows))]
            for batch in order.tensor_split(n_batches):
                optimizer.zero_grad(set_to_none=True)
                logits = _forward(model, _batch(inputs, batch, device, plan.augment), plan)
                value = loss(logits, batch.to(device)).mean()
                value.backward()  # type: ignore[no-untyped-call]
                optimizer.step()
                schedule.step()
                total += value.detach() * len(batch)
            train_curve.append(float(total) / len(rows))
            if not math.isfinite(train_curve[-1]):
                raise InputError(
                    f"The loss of the concept model is no longer finite after {count(epoch + 1, 'epoch')}. "
                    "Lower learning_rate, or scale the inputs."
                )
            check_curve.append(mean_loss(model, inputs, loss, check, plan) if len(check) else math.nan)
            if check_curve[-1] < least * (1.0 - _TOLERANCE):
                best, least, kept = epoch, check_curve[-1], copy.deepcopy(model.state_dict())
            if progress is not None:
                progress((epoch + 1) / plan.epochs)
            if len(check) and epoch - best >= plan.patience:
                break
    if kept is None:
        best = len(train_curve) - 1
    else:
        model.load_state_dict(kept)
    model.eval()
    return ConceptHistory(np.array(train_curve), np.array(check_curve), best)


@torch.no_grad()
def mean_loss(model: nn.Module, inputs: Tensor, loss: Loss, rows: Tensor, plan: ConceptPlan) -> float:
    """Mean loss of a network over some rows, in evaluation mode."""
    model.eval()
    device = device_of(model)
    total = torch.zeros((), device=device)
    for batch in torch.split(rows, plan.batch_size):
        total += loss(_forward(model, _batch(inputs, batch, device), plan), batch.to(device)).sum()
    return float(total) / len(rows)


@torch.no_grad()
def concept_logits(
    model: nn.Module,
    inputs: Tensor,
    batch_size: int,
    what: str = "concept logits of shape (n, n_concepts)",
) -> FloatArray:
    """Concept logits of a network, shape (n, n_concepts), batch by batch, in evaluation mode.

    Always in the network's own precision, so that a score does not depend on how it was trained. ``what`` it
    is to give is named where it does not.
    """
    model.eval()
    device = device_of(model)
    plan = ConceptPlan(mixed_precision=False)
    parts = []
    for batch in torch.split(torch.arange(len(inputs)), batch_size):
        logits = _forward(model, _batch(inputs, batch, device), plan)
        if logits.dim() != 2 or len(logits) != len(batch):
            raise InputError(
                f"concept_model must map n rows to {what}. "
                f"Got shape {tuple(logits.shape)} for {count(len(batch), 'row')}."
            )
        parts.append(logits.double().cpu())
    found = torch.cat(parts).numpy()
    if not np.isfinite(found).all():
        raise InputError("concept_model has outputs that are not finite. Check its training for NaN.")
    return np.asarray(found)


@torch.no_grad()
def embedded_logits(
    network: EmbeddingNetwork, inputs: Tensor, batch_size: int, scores: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Logits of concepts, (n, n_concepts), and of outputs, (n, n_outputs), batch by batch.

    With ``scores``, (n, n_concepts), those take the place of the network's own.
    """
    concepts, outputs = [], []
    for batch, vectors in _embedded(network, inputs, batch_size):
        logits = network.concept_logits(vectors)
        own = torch.sigmoid(logits) if scores is None else torch.from_numpy(scores[batch.numpy()])
        concepts.append(logits.double().cpu())
        outputs.append(network.outputs(vectors, own.to(vectors)).double().cpu())
    found = torch.cat(concepts).numpy(), torch.cat(outputs).numpy()
    if not all(np.isfinite(each).all() for each in found):
        raise InputError("concept_model has outputs that are not finite. Check its training for NaN.")
    return found


@torch.no_grad()
def mean_effects(
    network: EmbeddingNetwork, inputs: Tensor, weight: FloatArray, batch_size: int
) -> FloatArray:
    """How far each score moves the logit of each output, mean over rows, (n_outputs, n_concepts)."""
    total = np.zeros((network.head.out_features, network.n_concepts))
    for batch, vectors in _embedded(network, inputs, batch_size):
        moved = network.effects(vectors).abs().double().cpu().numpy()
        total += np.einsum("n,noc->oc", weight[batch.numpy()], moved)
    return np.asarray(total / weight.sum())


def _embedded(network: EmbeddingNetwork, inputs: Tensor, batch_size: int) -> Iterator[tuple[Tensor, Tensor]]:
    """Numbers of rows and the vectors of their concepts, batch by batch, in evaluation mode."""
    network.eval()
    device, plan = device_of(network), ConceptPlan(mixed_precision=False)
    for batch in torch.split(torch.arange(len(inputs)), batch_size):
        yield batch, _forward(network, _batch(inputs, batch, device), plan)


def read_raw(X: Any, row_shape: tuple[int, ...] | None = None) -> Tensor:
    """Raw inputs as a tensor of shape (n, ...): bytes as they are, anything else in single precision.

    Examples
    --------
    >>> read_raw([[1, 2], [3, 4]])
    tensor([[1., 2.],
            [3., 4.]])
    """
    tensor = X.detach() if isinstance(X, Tensor) else _as_tensor(X)
    if tensor.dtype != torch.uint8:
        tensor = tensor.to(torch.float32)
        if not torch.isfinite(tensor).all():
            raise InputError("X has values that are missing or not finite. Impute or drop those rows first.")
    if tensor.dim() < 2:
        raise InputError(
            f"X must hold one raw input a row, in shape (rows, ...). Got shape {tuple(tensor.shape)}; "
            "use reshape(-1, 1) for a single feature, reshape(1, -1) for a single row."
        )
    if row_shape is not None and tensor.shape[1:] != row_shape:
        raise InputError(
            f"The concept model was fitted on inputs of shape {row_shape}. "
            f"Got shape {tuple(tensor.shape[1:])}; pass inputs of the same shape."
        )
    return tensor


def _as_tensor(X: Any) -> Tensor:
    frame = nw.from_native(X, pass_through=True, eager_only=True)
    array = as_array(frame.to_numpy() if isinstance(frame, nw.DataFrame) else X, "X")
    if array.dtype != np.uint8:
        array = as_floats(array, "X").astype(np.float32)
    # torch shares memory, and would warn of an array that it may not write to.
    return torch.from_numpy(np.require(array, requirements=["C", "W"]))


def device_of(model: nn.Module) -> torch.device:
    """Where a network's parameters are; the CPU when it has none."""
    return next((parameter.device for parameter in model.parameters()), torch.device("cpu"))


def kind_of(model: nn.Module) -> torch.dtype:
    """The precision that a network computes in, by its first weights; single when it has none."""
    numbers = (*model.parameters(), *model.buffers())
    return next((each.dtype for each in numbers if each.is_floating_point()), torch.float32)


@contextmanager
def seeded(seed: int, device: torch.device) -> Iterator[None]:
    """Random numbers and convolutions that repeat; everything is put back afterwards."""
    cudnn = torch.backends.cudnn
    before = cudnn.deterministic, cudnn.benchmark
    cuda = device.type == "cuda"
    index = (torch.cuda.current_device() if device.index is None else device.index) if cuda else 0
    with torch.random.fork_rng(devices=[index] if cuda else []):
        torch.default_generator.manual_seed(seed)
        if cuda:
            with torch.cuda.device(index):
                torch.cuda.manual_seed(seed)
        cudnn.deterministic, cudnn.benchmark = True, False
        try:
            yield
        finally:
            cudnn.deterministic, cudnn.benchmark = before


def _groups(model: nn.Module, weight_decay: float) -> list[dict[str, object]]:
    """Parameters with weight decay, and those without: biases and scales."""
    learnt = [parameter for parameter in model.parameters() if parameter.requires_grad]
    return [
        {"params": [p for p in learnt if p.dim() > 1], "weight_decay": weight_decay},
        {"params": [p for p in learnt if p.dim() <= 1], "weight_decay": 0.0},
    ]


def _rate(step: int, steps: int) -> float:
    """Share of the highest learning rate at a step: up over the first tenth, then down along a cosine."""
    warm = max(_WARM * steps, 1.0)
    if step < warm:
        return (step + 1) / (warm + 1)
    return 0.5 * (1.0 + math.cos(math.pi * min((step - warm) / max(steps - warm, 1.0), 1.0)))


def _place(inputs: Tensor, device: torch.device) -> Tensor:
    """All inputs on the device, unless they are too many for it."""
    return inputs if inputs.nbytes > _ON_DEVICE else inputs.to(device)


def _batch(inputs: Tensor, rows: Tensor, device: torch.device, augment: Augment | None = None) -> Tensor:
    """Some rows on the device, as numbers that a network takes."""
    batch = inputs[rows.to(inputs.device)].to(device)
    batch = batch.float() / 255.0 if batch.dtype == torch.uint8 else batch
    if augment is not None:
        batch = augment(batch)
    fast = batch.dim() == 4 and device.type == "cuda"
    return batch.contiguous(memory_format=torch.channels_last) if fast else batch


def _forward(model: nn.Module, batch: Tensor, plan: ConceptPlan) -> Tensor:
    """Concept logits in single precision or more, whatever the network computes in."""
    mixed = plan.mixed_precision and batch.device.type == "cuda"
    with torch.autocast(batch.device.type, dtype=torch.bfloat16, enabled=mixed):
        logits: Tensor = model(batch.to(kind_of(model)))
    return logits.float() if logits.dtype in (torch.float16, torch.bfloat16) else logits


JOINT_RATE = 0.1
"""Share of the learning rate in joint training: the concepts are to be moved, not learnt again."""


@dataclass(frozen=True, eq=False)
class FittedBottleneck:
    """A concept model and a LEN that were fitted, and how training went."""

    model: nn.Module
    estimator: LENClassifier
    history: ConceptHistory | None
    joint_loss: FloatArray = field(default_factory=lambda: np.zeros(0))


def check_settings(settings: Mapping[str, Any]) -> None:
    """Refuse settings of a concept bottleneck that make no sense, in one line each."""
    for name in ("epochs", "batch_size", "patience", "rounds"):
        check_count(settings[name], name, least=1)
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
    if settings["embedding"] is not None:
        check_count(settings["embedding"], "embedding", least=1)
        if model is None:
            raise InputError(
                "embedding needs a network that gives features of the raw inputs. Got concept_model=None; "
                "pass a torch.nn.Module, or leave embedding out."
            )
        if settings["joint"]:
            raise InputError(
                "With embedding, concepts and classes are trained together from the start. Leave joint out."
            )


def read_labels(
    concepts: Any, names: Sequence[str] | None, n_rows: int, *, needed: bool
) -> tuple[FloatArray | None, tuple[str, ...] | None]:
    """Concept labels, (n, n_concepts), and names of the concepts, where there are any.

    They are needed where a concept model is to be trained. ``names`` count where the labels carry none.
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


class BottleneckTraining:
    """The fit of a concept bottleneck to some rows.

    Parameters
    ----------
    settings : ConceptBottleneckClassifier
        What is to be fitted, and how; it is not changed.
    inputs : Tensor, n rows
    y : array of shape (n,), or table of shape (n, n_targets)
    labels : ndarray of shape (n, n_concepts), optional
        The true concepts.
    names : tuple of str, optional
        Names of the concepts.
    weight : ndarray of shape (n,), optional
    """

    def __init__(
        self,
        settings: Any,
        inputs: Tensor,
        y: Any,
        labels: FloatArray | None,
        names: tuple[str, ...] | None,
        weight: FloatArray | None,
    ) -> None:
        self.settings = settings
        self.inputs, self.y, self.labels, self.names, self.weight = inputs, y, labels, names, weight
        self.plan = ConceptPlan(**{each.name: getattr(settings, each.name) for each in fields(ConceptPlan)})
        self.seed = seed_of(settings.random_state)
        self.progress = (
            progress_line(type(settings).__name__, "training the concepts") if settings.verbose else None
        )

    def fit(self, estimator: LENClassifier) -> FittedBottleneck:
        """Fit a copy of the concept model, and a LEN on top of it, which is fitted in place."""
        settings, inputs = self.settings, self.inputs
        targets = read_targets(self.y, len(inputs))  # so that nothing is trained in vain
        device = resolve_device(settings.device)
        model = copy.deepcopy(settings.concept_model).to(device)
        if device.type == "cuda" and inputs.dim() == 4:
            model = model.to(memory_format=torch.channels_last)
        size = inputs[0].numel() * min(self.plan.batch_size, len(inputs))
        with threads_for(16 * size):  # a layer's activations are several times as many as its inputs
            with seeded(self.seed, device):  # lazy layers draw their weights when they see the first rows
                what = {} if settings.embedding is None else {"what": "features of shape (n, n_features)"}
                first = concept_logits(model, inputs[:2], 2, **what)
            if settings.embedding is not None:
                return self._fit_embedding(model, first.shape[1], targets, estimator)
            trained = settings.train_concepts or settings.joint
            if trained and not any(p.requires_grad for p in model.parameters()):
                raise InputError(
                    "concept_model has no weights that can be trained. "
                    "Set train_concepts=False and joint=False to use it as it is."
                )
            self.names = self._check_names(first.shape[1])
            parts = split_rows(len(inputs), self.weight, float(settings.validation_fraction), self.seed)
            history = None
            if settings.train_concepts and self.labels is not None:
                loss = concept_loss(_on(self.labels, device), self._row_weight(device))
                history = train_concepts(
                    model, inputs, loss, parts, self.plan, seed=self.seed, progress=self.progress
                )
            scores = self._scores(model)
            self._fit_on_scores(estimator, scores)
            fitted = FittedBottleneck(model.eval(), estimator, history)
            return self._jointly(fitted, parts, scores) if settings.joint else fitted

    def _fit_embedding(
        self, features: nn.Module, n_features: int, targets: Targets, estimator: Any
    ) -> FittedBottleneck:
        """Train one network for concepts and classes; an ``EmbeddingClassifier`` takes it over."""
        assert self.labels is not None  # they are needed
        settings, device = self.settings, device_of(features)
        estimator.check_settings()
        if estimator.rule != RuleKind.IFF:
            targets = targets.output_by_output()
        self.names = self._check_names(self.labels.shape[1])
        with seeded(self.seed, device):
            network = EmbeddingNetwork(
                features,
                n_features,
                len(self.names),
                targets.outputs.shape[1],
                int(settings.embedding),
                train_features=bool(settings.train_concepts),
            ).to(device, kind_of(features))
        parts = split_rows(len(self.inputs), self.weight, float(settings.validation_fraction), self.seed)
        outputs, weight = _on(targets.outputs, device), self._row_weight(device)
        exclusive = targets.problem is Problem.SINGLE_LABEL
        loss = embedding_loss(
            network, outputs, _on(self.labels, device), settings.concept_weight, weight, exclusive=exclusive
        )
        history = train_concepts(
            network, self.inputs, loss, parts, self.plan, seed=self.seed, progress=self.progress
        )
        check = parts[1].numpy()
        counted = np.ones(len(self.inputs)) if self.weight is None else self.weight
        if len(check):
            logits = embedded_logits(network, self.inputs[parts[1]], self.plan.batch_size)[1]
            share = counted[check] / counted[check].sum()
            scales = logit_scales(logits, targets.outputs[check], share, exclusive)
            network.rescale(torch.from_numpy(scales))
        network.requires_grad_(False)
        estimator.adopt_network(
            network, self.inputs, self.names, targets, counted, check, self.plan.batch_size
        )
        return FittedBottleneck(network, estimator, history)

    def _jointly(
        self, fitted: FittedBottleneck, parts: tuple[Tensor, Tensor], first: FloatArray
    ) -> FittedBottleneck:
        """Take turns with the concept model and the LEN, as long as the loss of the two falls."""
        device, inputs, concept_weight = device_of(fitted.model), self.inputs, self.settings.concept_weight
        weight = self._row_weight(device)
        concepts = concept_loss(_on(first if self.labels is None else self.labels, device), weight)
        targets = read_targets(self.y, len(inputs))
        if fitted.estimator.problem_ is Problem.OUTPUT_BY_OUTPUT:
            targets = targets.output_by_output()
        outputs, exclusive = _on(targets.outputs, device), targets.problem is Problem.SINGLE_LABEL
        judged = parts[1] if len(parts[1]) else parts[0]

        def total(estimator: LENClassifier) -> Loss:
            network = copy.deepcopy(estimator.network_).to(device).requires_grad_(False)
            return joint_loss(network, outputs, concepts, concept_weight, weight, exclusive=exclusive)

        plan = replace(self.plan, learning_rate=JOINT_RATE * self.plan.learning_rate)
        best, losses = fitted, [mean_loss(fitted.model, inputs, total(fitted.estimator), judged, plan)]
        for turn in range(self.settings.rounds):
            model, seed = copy.deepcopy(best.model), self.seed + turn + 1
            train_concepts(
                model,
                inputs,
                total(best.estimator),
                parts,
                plan,
                seed=seed,
                progress=self.progress,
                keep_first=True,
            )
            estimator = self._fit_on_scores(clone(best.estimator), self._scores(model))
            found = mean_loss(model, inputs, total(estimator), judged, plan)
            if found >= losses[-1]:
                break
            losses.append(found)
            best = FittedBottleneck(model, estimator, fitted.history)
        return replace(best, joint_loss=np.array(losses))

    def _check_names(self, width: int) -> tuple[str, ...]:
        """Names of the concepts, once it is sure that the concept model has an output for each."""
        if self.labels is not None and self.labels.shape[1] != width:
            raise InputError(
                f"concept_model gives {count(width, 'concept')}. Got labels of "
                f"{count(self.labels.shape[1], 'concept')}; give it one output for each."
            )
        names = self.names if self.names is not None else tuple(f"x{j}" for j in range(width))
        check_one_name_each(names, width)
        return names

    def _fit_on_scores(self, estimator: LENClassifier, scores: FloatArray) -> LENClassifier:
        """Fit a LEN on concept scores under their names."""
        assert self.names is not None
        columns = dict(zip(self.names, scores.T, strict=True))
        fitted: LENClassifier = estimator.fit(columns, self.y, sample_weight=self.weight)
        return fitted

    def _scores(self, model: nn.Module) -> FloatArray:
        return np.asarray(expit(concept_logits(model, self.inputs, self.plan.batch_size)))

    def _row_weight(self, device: torch.device) -> Tensor | None:
        """The weight of each row, 1 on average."""
        return None if self.weight is None else _on(self.weight / self.weight.mean(), device)


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

    ``outputs`` are the targets, (n, n_outputs); exclusive classes share a softmax. ``concepts``
    is the loss of the concepts.
    """

    def loss(logits: Tensor, rows: Tensor) -> Tensor:
        found = _through(network, torch.sigmoid(logits).to(network.l1.dtype)).T  # (b, n_outputs)
        task = _class_loss(found, outputs[rows], exclusive)
        task = task if weight is None else task * weight[rows]
        return task + concept_weight * concepts(logits, rows) if concept_weight else task

    return loss


def embedding_loss(
    network: EmbeddingNetwork,
    outputs: Tensor,
    labels: Tensor,
    concept_weight: float,
    weight: Tensor | None,
    *,
    exclusive: bool = False,
) -> Loss:
    """Loss of classes and concepts as a function of the concepts' vectors, with RandInt.

    In evaluation mode nothing is drawn: all of the truth is known with that probability, or none of it.
    ``labels`` are the true concepts, (n, n_concepts); the others are those of :func:`joint_loss`.
    """
    concepts = concept_loss(labels, weight)

    def loss(vectors: Tensor, rows: Tensor) -> Tensor:
        logits = network.concept_logits(vectors)
        scores, truth, wanted = torch.sigmoid(logits), labels[rows].to(logits.dtype), outputs[rows]
        if network.training:
            known = torch.rand_like(scores) < INTERVENED
            mixed = torch.where(known, truth, scores)
            task = _class_loss(network.outputs(vectors, mixed), wanted, exclusive)
        else:  # with all of the truth, or with none of it
            own, told = (
                _class_loss(network.outputs(vectors, each), wanted, exclusive) for each in (scores, truth)
            )
            task = (1.0 - INTERVENED) * own + INTERVENED * told
        task = task if weight is None else task * weight[rows]
        return task + concept_weight * concepts(logits, rows)

    return loss


def _class_loss(logits: Tensor, wanted: Tensor, exclusive: bool) -> Tensor:
    """Cross-entropy of outputs, (b, n_outputs), on each row, (b,); exclusive ones share a softmax."""
    wanted = wanted.to(logits.dtype)
    if exclusive:
        return cross_entropy(logits, wanted, reduction="none")
    return binary_cross_entropy_with_logits(logits, wanted, reduction="none").mean(dim=1)


def _through(network: LogicNetwork, scores: Tensor) -> Tensor:
    """Logits of a LEN, (n_outputs, b), through which gradients reach the concept scores."""
    if not isinstance(network, PsiNetwork):
        found: Tensor = network(scores)
        return found
    # The value is the step, the gradient that of the score.
    steps = scores + ((scores > THRESHOLD).to(scores.dtype) - scores).detach()
    return network.logits(LogicNetwork.gather(network, steps))


def _on(values: FloatArray, device: torch.device) -> Tensor:
    return torch.as_tensor(values, dtype=torch.float32, device=device)
