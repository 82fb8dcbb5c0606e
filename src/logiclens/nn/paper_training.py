"""The training of the paper's experiments, step by step, to reproduce its figures (Sec. 5 and 6).

    loss          mean cross-entropy of one softmax over the networks of all targets, all rows at once
    first half    Adam with weight decay, and an L1 penalty on the first layer, its biases included
    pruning       the network's own strategy, after half of the epochs
    second half   AdamW, and no penalty
    in the end    the weights, from pruning on, that were right about most validation rows; of equals the last

A network that is not pruned has Adam, its own penalty and dropout for all epochs, and each of them counts for
the best weights. :mod:`logiclens.nn.training` is quicker and finds better networks; this module is for
comparison.

The paper tells when networks are pruned (Sec. 5.1 and 5.2) and which weights are penalized (Sec. 5.1 to 5.3).
All else is read off the code published with it, github.com/pietrobarbiero/logic_explained_networks, as facts:
``lens/models/base.py`` (optimizers, decay, the choice of weights), ``lens/models/mu_nn.py`` and
``lens/models/relu_nn.py`` (penalties, dropout), ``experiments/mimic.ipynb`` (sizes and rates).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from logiclens.nn.population import LogicNetwork
from logiclens.nn.threads import threads_for

DECAY = 1e-4
"""Weight decay of Adam, part of the gradient."""
DECAY_AFTER_PRUNING = 1e-2
"""Weight decay of AdamW, apart from the gradient."""


@dataclass(frozen=True)
class Examples:
    """Rows with what is true of them.

    Attributes
    ----------
    x : Tensor of shape (n, n_concepts)
    y : Tensor of shape (n, n_outputs)
        How far each row belongs to each target.
    weight : Tensor of shape (n,)
    exclusive : bool
        Whether one target is true of each row.
    """

    x: Tensor
    y: Tensor
    weight: Tensor
    exclusive: bool

    def loss(self, logits: Tensor) -> Tensor:
        """Mean cross-entropy of logits, (n_outputs, n); a scalar."""
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


@dataclass(frozen=True)
class PaperPlan:
    """How to train as in the paper.

    Attributes
    ----------
    epochs : int
    learning_rate : float
        The same in every epoch.
    prune : bool
        Whether to prune half-way.
    dropout : float
        Share of the hidden units that are silent in a training step, drawn anew for each row.
    """

    epochs: int = 1000
    learning_rate: float = 1e-4
    prune: bool = True
    dropout: float = 0.0


def train_as_in_paper(
    network: LogicNetwork,
    examples: Examples,
    held_out: Examples,
    plan: PaperPlan,
    generator: torch.Generator,
    report: Callable[[int], None] = lambda _: None,
) -> Tensor:
    """Train the networks of all targets of one problem together, in place.

    Parameters
    ----------
    network : LogicNetwork
        One member for each output, or one member of several outputs (:func:`with_outputs`). Its first weights
        are drawn anew, its ``l1`` is taken as it is: a price on mean cross-entropy.
    examples, held_out : Examples
        To learn from, and to choose weights by. Without the latter the last weights stay.
    plan : PaperPlan
    generator : torch.Generator
        On the CPU: the source of first weights and of dropout.
    report : callable, optional
        Called with the number of epochs done.

    Returns
    -------
    Tensor of shape (epochs,)
        The training loss, penalties included.
    """
    draw_as_torch(network, generator)
    pruned_at = plan.epochs // 2 if plan.prune else 0
    inputs, checks = network.gather(examples.x), network.gather(held_out.x)
    adam: torch.optim.Optimizer = torch.optim.Adam(
        network.parameters(), lr=plan.learning_rate, weight_decay=DECAY
    )
    best: list[Tensor] = []
    most_right = -1.0
    losses = []
    widest = max(layer.weight.shape[1] for layer in network.linears)
    with threads_for(network.members * len(examples.x) * widest):
        for epoch in range(plan.epochs):
            if plan.prune and epoch == pruned_at:
                network.prune()
                inputs, checks = network.gather(examples.x), network.gather(held_out.x)
                adam = torch.optim.AdamW(
                    network.parameters(), lr=plan.learning_rate, weight_decay=DECAY_AFTER_PRUNING
                )
            logits = _dropped(network, inputs, plan.dropout, generator)
            loss = examples.loss(_by_output(logits)) + _penalty(network, plan.prune, epoch >= pruned_at)
            adam.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            adam.step()
            losses.append(loss.detach())
            if epoch >= pruned_at:
                with torch.no_grad():
                    right = held_out.share_right(_by_output(network.logits(checks)))
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

    Member by member, layer by layer, weights before biases, all from one generator. The last output comes
    first: of the paper's two classes of MIMIC-II the dead are the second.

    Parameters
    ----------
    network : LogicNetwork
        It is changed.
    generator : torch.Generator
        On the CPU.
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
    """Return a network of one member with so many outputs on the same hidden layers; its weights are zero."""
    shared = network.select(torch.zeros(1, dtype=torch.long, device=network.l1.device))
    n_in = shared.linears[-1].weight.shape[2]
    _replace_last(shared, shared.l1.new_zeros(1, n_outputs, n_in), shared.l1.new_zeros(1, n_outputs, 1))
    return shared


@torch.no_grad()
def one_by_one(network: LogicNetwork, n_outputs: int) -> LogicNetwork:
    """Return a network of one member with several outputs as members of one output, hidden layers copied.

    Parameters
    ----------
    network : LogicNetwork
    n_outputs : int
        As many as it has, or 1 where it has two: their difference then, which is positive where the second is
        the larger.
    """
    weight, bias = network.linears[-1].weight[0], network.linears[-1].bias[0]
    if n_outputs == 1:
        weight, bias = weight[1:] - weight[:1], bias[1:] - bias[:1]
    members = network.select(torch.zeros(n_outputs, dtype=torch.long, device=network.l1.device))
    _replace_last(members, weight[:, None, :], bias[:, None, :])
    return members


def _replace_last(network: LogicNetwork, weight: Tensor, bias: Tensor) -> None:
    """Give the last layer these weights, none of them pruned."""
    last = network.linears[-1]
    last.weight, last.bias = nn.Parameter(weight.clone()), nn.Parameter(bias.clone())
    last.mask = torch.ones_like(weight)


def _by_output(logits: Tensor) -> Tensor:
    """Logits of members, (n_outputs, n), or of the outputs of one member, (1, n_outputs, n), by output."""
    return logits if logits.dim() == 2 else logits.squeeze(0)


def _penalty(network: LogicNetwork, prunes: bool, pruned: bool) -> Tensor | float:
    """What parsimony costs; nothing once a network is pruned."""
    if not prunes:
        return network.penalty().sum()
    if pruned:
        return 0.0
    first = network.linears[0]
    size = first.weight.abs().sum(dim=(1, 2)) + first.bias.abs().sum(dim=(1, 2))
    return (network.l1 * size).sum()


def _dropped(network: LogicNetwork, inputs: Tensor, rate: float, generator: torch.Generator) -> Tensor:
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
