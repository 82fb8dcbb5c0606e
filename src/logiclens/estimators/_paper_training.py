"""Training and rules as in the paper's experiments, to reproduce its figures (Sec. 5 and 6).

``MuClassifier.reference()`` and ``ReluClassifier.reference()`` make rules of example-level explanations
(:mod:`logiclens.explain.paper`), and are trained as there:

    outputs       mu: a network for each class, also of two; ReLU: one network for all; under one softmax
    held out      rows at random, from all classes alike, the same whatever ``random_state`` is
    seed          ``random_state``; the k-th further fold of a cross-validation has k more, as in the paper
    loss          mean cross-entropy on all rows at once, or another criterion; ``l1`` is a price on it
    first half    Adam with weight decay, and an L1 penalty on the first layer, its biases included
    pruning       the network's own strategy, after half of the epochs
    second half   AdamW, and no penalty
    in the end    the weights, from pruning on, that were right about most validation rows; of equals the last

The ReLU network is not pruned: it has Adam, its own penalty and dropout for all epochs.

What the paper does not say is taken, as facts, from the code published with it:
github.com/pietrobarbiero/logic_explained_networks (``lens/models/base.py``, ``mu_nn.py``, ``relu_nn.py`` and
``experiments/mimic.ipynb``) and ``experiments/mimic.py`` in github.com/pietrobarbiero/entropy-lens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from logiclens.estimators.fit import FrontSearch, Recipe
from logiclens.estimators.folds import RowSplit
from logiclens.estimators.inputs_and_targets import Targets, decisions
from logiclens.estimators.networks import Population, Trained, predict_logits, resolve_device
from logiclens.explain.front import Front
from logiclens.explain.paper import TOP_K, explain_class_as_in_paper
from logiclens.logic.arrays import FloatArray, IndexArray
from logiclens.logic.data import THRESHOLD
from logiclens.nn.criteria import Criterion, iff_loss
from logiclens.nn.population import LogicNetwork, threads_for
from logiclens.nn.training import Plan

_DECAY = 1e-4  # weight decay of Adam, part of the gradient
_DECAY_AFTER_PRUNING = 1e-2  # of AdamW, apart from the gradient
JOINED = "joined of example-level explanations, as in the paper"
"""Status of rules that are made as the paper makes them."""

# Rules


def paper_front(
    recipe: Recipe,
    x: FloatArray,
    targets: Targets,
    folds: Sequence[RowSplit],
    networks: Sequence[LogicNetwork],
) -> Front:
    """The paper's aggregation of example-level explanations, class by class, in place of ``search_front``.

    Only training rows of the target that the network is right about are examples; their explanations are kept
    while the validation rows gain. Where a row's concepts are its own, as a ReLU network's are, the most
    frequent explanations are candidates, otherwise all.
    """
    network, fold = networks[0], folds[0]
    answers, truth = decisions(predict_logits(network, x), targets.problem), targets.truth() > THRESHOLD
    trained, checked = fold.train > 0, fold.check > 0
    formulas = []
    for at, label in enumerate(targets.labels):
        columns, scores = _concepts_of(network, at if network.members > 1 else 0, x)
        rows = trained & truth[:, at]
        by_row = scores.ndim == 2
        found = explain_class_as_in_paper(
            x[np.ix_(rows, columns)],
            answers[rows, at],
            label,
            names=[recipe.names[j] for j in columns],
            validation=(x[np.ix_(checked, columns)], truth[checked, at]) if checked.any() else None,
            relevance=scores[rows] if by_row else None,
            top_k=TOP_K if by_row else None,
        )
        words = recipe.vocabulary
        formulas.append(found.formula if words is None else words.simplify(found.formula))
    rules = FrontSearch(recipe, x > THRESHOLD, targets, [fold.train + fold.check])
    kept = np.ones(len(recipe.names), dtype=np.bool_)
    return rules.front([rules.of_formulas(formulas, JOINED)], 0, rules.seen(kept, answers))


def _concepts_of(network: LogicNetwork, member: int, x: FloatArray) -> tuple[IndexArray, FloatArray]:
    """Concepts that a member reads, and how they matter: (m,), or (n, m) where that depends on the row."""
    one = network.select(torch.tensor([member], device=network.l1.device))
    columns = np.flatnonzero(one.kept()[0].cpu().numpy())
    scores = one.relevance(torch.as_tensor(x, dtype=one.l1.dtype, device=one.l1.device))[0].cpu().numpy()
    return columns, scores[..., columns]


# Training


@dataclass(frozen=True)
class PaperRows:
    """Rows ``x``, (n, n_concepts), how far each belongs to each target, (n, n_outputs), and their weights."""

    x: Tensor
    y: Tensor
    weight: Tensor
    exclusive: bool
    """Whether one target is true of each row."""

    def loss(self, logits: Tensor, criterion: Criterion = iff_loss) -> Tensor:
        """Mean of the criterion over rows and outputs, of logits (n_outputs, n); a scalar.

        The cross-entropy of exclusive targets is that of a softmax, and no mean over them.
        """
        if criterion is not iff_loss:
            yes, no = self.weight * self.y.T, self.weight * (1.0 - self.y.T)
            return criterion(logits, yes, no).mean() / self.weight.sum()
        if self.exclusive:
            by_row = -(self.y.T * torch.log_softmax(logits, dim=0)).sum(dim=0)
        else:
            by_row = binary_cross_entropy_with_logits(logits, self.y.T, reduction="none").mean(dim=0)
        return (self.weight * by_row).sum() / self.weight.sum()

    def share_right(self, logits: Tensor) -> float:
        """Share of the answers that are right, by weight; 0 without rows."""
        if not len(self.x):
            return 0.0
        if self.exclusive:
            right = (logits.argmax(dim=0) == self.y.argmax(dim=1)).to(self.weight.dtype)
        else:
            right = ((logits > 0) == (self.y.T > 0.5)).to(self.weight.dtype).mean(dim=0)
        return float((self.weight * right).sum() / self.weight.sum())


def train_folds_as_in_paper(
    population: Population[Any],
    plan: Plan,
    x: FloatArray,
    targets: Targets,
    folds: Sequence[RowSplit],
    progress: Callable[[float], None] | None = None,
    *,
    dropout: float = 0.0,
    shared: bool = False,
) -> list[Trained[Any]]:
    """Train each fold, all outputs together, in place of ``train_networks``.

    The population's seed is that of fold 0, one more that of fold 1, and so on. ``dropout`` is the share of
    the hidden units that are silent in a training step; ``shared`` says whether all outputs have their hidden
    layers in common while they are trained.
    """
    device = resolve_device(population.device)
    outputs = targets.outputs
    n_outputs = outputs.shape[1]
    truth = np.hstack([1.0 - outputs, outputs]) if shared and n_outputs == 1 else outputs
    exclusive = truth.shape[1] > 1 and bool(np.isclose(truth.sum(axis=1), 1.0).all())
    penalty = np.full(n_outputs, population.penalties[0])
    width = population.widths[0] if population.widths else 0

    def rows_of(weight: FloatArray) -> PaperRows:
        used = weight > 0

        def tensor(values: FloatArray) -> torch.Tensor:
            return torch.as_tensor(values[used], dtype=torch.float32, device=device)

        return PaperRows(tensor(x), tensor(truth), tensor(weight), exclusive)

    found = []
    for at, fold in enumerate(folds):
        network = population.new_networks(penalty[None], x.shape[1], width).to(device)
        if shared:
            network = with_outputs(network, truth.shape[1])

        def report(epoch: int, at: int = at) -> None:
            if progress is not None:
                progress((at + epoch / plan.epochs) / len(folds))

        scaled = fold.scaled()
        generator = torch.Generator().manual_seed((population.seed + fold.number) % 2**63)
        losses = train_as_in_paper(
            network, rows_of(scaled.train), rows_of(scaled.check), plan, generator, dropout, report
        )
        if shared:
            network = one_by_one(network, n_outputs)
        network = network.double().cpu()
        found.append(
            Trained(
                network,
                restarts=(network,),
                loss_curve=np.repeat(losses.cpu().numpy().astype(float)[:, None], n_outputs, axis=1),
                n_iter=np.full(n_outputs, plan.epochs, dtype=np.int64),
                converged=np.ones(n_outputs, dtype=np.bool_),
                penalty=penalty,
            )
        )
    return found


def train_as_in_paper(
    network: LogicNetwork,
    rows: PaperRows,
    held_out: PaperRows,
    plan: Plan,
    generator: torch.Generator,
    dropout: float = 0.0,
    report: Callable[[int], None] = lambda _: None,
) -> Tensor:
    """Train the networks of all targets together, in place; the loss of each epoch, penalties included.

    The network has one member for each output, or one member of several outputs (:func:`with_outputs`). The
    generator draws first weights and dropout. Of the plan count ``criterion``, ``epochs``, ``learning_rate``
    and ``prune``. Without rows held out the last weights stay.
    """
    draw_as_torch(network, generator)
    pruned_at = plan.epochs // 2 if plan.prune else 0
    inputs, checks = network.gather(rows.x), network.gather(held_out.x)
    adam: torch.optim.Optimizer = torch.optim.Adam(
        network.parameters(), lr=plan.learning_rate, weight_decay=_DECAY
    )
    best: list[Tensor] = []
    most_right = -1.0
    losses = []
    widest = max(layer.weight.shape[1] for layer in network.linears)
    with threads_for(network.members * len(rows.x) * widest):
        for epoch in range(plan.epochs):
            if plan.prune and epoch == pruned_at:
                network.prune()
                inputs, checks = network.gather(rows.x), network.gather(held_out.x)
                adam = torch.optim.AdamW(
                    network.parameters(), lr=plan.learning_rate, weight_decay=_DECAY_AFTER_PRUNING
                )
            logits = _drop_out(network, inputs, dropout, generator)
            loss = rows.loss(logits.flatten(0, -2), plan.criterion) + _penalty(
                network, plan.prune, epoch >= pruned_at
            )
            adam.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            adam.step()
            losses.append(loss.detach())
            if epoch >= pruned_at:
                with torch.no_grad():
                    right = held_out.share_right(network.logits(checks).flatten(0, -2))
                if right >= most_right:
                    most_right, best = right, [p.detach().clone() for p in network.parameters()]
            report(epoch + 1)
    with torch.no_grad():
        for parameter, value in zip(network.parameters(), best, strict=True):
            parameter.copy_(value)
    return torch.stack(losses)


@torch.no_grad()
def draw_as_torch(network: LogicNetwork, generator: torch.Generator) -> None:
    """Draw first weights anew as :class:`torch.nn.Linear` draws them, so that equal seeds make them equal.

    Member by member, layer by layer, weights before biases. The last output comes first: of the paper's two
    classes of MIMIC-II the dead are the second.
    """
    for member in reversed(range(network.members)):
        for layer in network.linears:
            bound = layer.weight.shape[2] ** -0.5
            for parameter in (layer.weight, layer.bias):
                drawn = torch.empty(parameter.shape[1:], dtype=parameter.dtype)
                parameter[member] = drawn.uniform_(-bound, bound, generator=generator).to(parameter.device)
    for parameter in (network.linears[-1].weight, network.linears[-1].bias):
        parameter.copy_(parameter.flip(1))


def with_outputs(network: LogicNetwork, n_outputs: int) -> LogicNetwork:
    """A network of one member with this many outputs on the same hidden layers; its weights are zero."""
    shared = network.select(torch.zeros(1, dtype=torch.long, device=network.l1.device))
    n_in = shared.linears[-1].weight.shape[2]
    _replace_last(shared, shared.l1.new_zeros(1, n_outputs, n_in), shared.l1.new_zeros(1, n_outputs, 1))
    return shared


@torch.no_grad()
def one_by_one(network: LogicNetwork, n_outputs: int) -> LogicNetwork:
    """A network of one member with several outputs as members of one output each, hidden layers copied.

    One output in place of two is their difference, positive where the second is the larger.
    """
    weight, bias = network.linears[-1].weight[0], network.linears[-1].bias[0]
    if n_outputs == 1:
        weight, bias = weight[1:] - weight[:1], bias[1:] - bias[:1]
    members = network.select(torch.zeros(n_outputs, dtype=torch.long, device=network.l1.device))
    _replace_last(members, weight[:, None, :], bias[:, None, :])
    return members


def _replace_last(network: LogicNetwork, weight: Tensor, bias: Tensor) -> None:
    last = network.linears[-1]
    last.weight, last.bias = nn.Parameter(weight.clone()), nn.Parameter(bias.clone())
    last.mask = torch.ones_like(weight)


def _penalty(network: LogicNetwork, prunes: bool, pruned: bool) -> Tensor | float:
    if not prunes:
        return network.penalty().sum()
    if pruned:
        return 0.0
    first = network.linears[0]
    size = first.weight.abs().sum(dim=(1, 2)) + first.bias.abs().sum(dim=(1, 2))
    return (network.l1 * size).sum()


def _drop_out(network: LogicNetwork, inputs: Tensor, rate: float, generator: torch.Generator) -> Tensor:
    """Logits of a training step, (members, n): of a ReLU network where units drop out."""
    if not rate:
        return network.logits(inputs)
    *hidden, last = network.linears
    for layer in hidden:
        inputs = torch.relu(layer(inputs))
        members, n_units, n_rows = inputs.shape
        kept = torch.empty(members, n_rows, n_units).bernoulli_(1.0 - rate, generator=generator)
        inputs = inputs * kept.transpose(1, 2).to(inputs) / (1.0 - rate)
    logits: Tensor = last(inputs)
    return logits.squeeze(1)
