"""The one training loop: a population, full-batch or in mini-batches, pruned half-way, best weights kept.

    first half    every concept, with the network's penalty
    pruning       the network's own strategy (Sec. 4.3), after half of the epochs (Sec. 5.2)
    second half   fine-tuning on what is left; each member keeps the weights of least validation loss, and
                  members that no longer improve leave the population

Equal rows of zeros and ones are merged before training and, member by member, once more after pruning
(:mod:`logiclens.nn.rows`). Nothing global is changed: no seed, no file; the number of threads is what it was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeVar

import torch
from torch import Tensor, nn

from logiclens.nn.criteria import Criterion
from logiclens.nn.population import LogicNetwork
from logiclens.nn.rows import Rows
from logiclens.nn.threads import threads_for

_EVERY = 5  # epochs between two looks at the validation loss
_TOLERANCE = 1e-4  # share by which a loss must fall to count as better

_LOW = 0.1  # share of its first value at which a loss is low, whether it still falls or not
_LEVEL = 0.02  # share of its first value that a loss may still fall by over the last tenth of the epochs

N = TypeVar("N", bound=LogicNetwork)

Progress = Callable[[int], None]
"""Called with the number of epochs done."""


@dataclass(frozen=True)
class Plan:
    """How to train.

    Attributes
    ----------
    criterion : Criterion
        See :mod:`logiclens.nn.criteria`.
    exploration : Criterion, optional
        Criterion of the first half; the same when missing. Hinges with a small counterweight start from a
        constant too easily, so they explore with balanced ones.
    epsilon : float
        Of Adam: gradients much smaller than this do not move weights. Where most rows are learnt already, it
        must be larger than rounding errors.
    epochs : int
        In all; pruning comes after half of them.
    learning_rate : float
        Of Adam; it falls linearly to 0 over the second half of each half.
    batch_size : int, optional
        Rows in a mini-batch; all of them when missing.
    patience : int
        Epochs without a better validation loss after which a member is done.
    prune : bool
        Whether to prune half-way; otherwise all epochs are fine-tuning.
    together : int
        Members that the criterion compares row by row, such as the clusters of one start: each so many, one
        after the other. They must get the same loss, so that they stop together; their rows are not merged
        once more after pruning, when each reads other concepts.
    """

    criterion: Criterion
    epochs: int = 300
    learning_rate: float = 0.02
    batch_size: int | None = None
    patience: int = 60
    prune: bool = True
    exploration: Criterion | None = None
    epsilon: float = 1e-8
    together: int = 1

    @property
    def explored(self) -> int:
        """Epochs of the first half; none where nothing is pruned and the criterion stays the same."""
        return self.epochs // 2 if self.prune or self.exploration else 0


@dataclass
class History:
    """What happened while training.

    Attributes
    ----------
    losses : list of Tensor, each of shape (members,)
        Training loss of each epoch, the penalty included; a member that is done keeps its last one.
    n_iter : Tensor of shape (members,)
        Epochs each member was trained.
    converged : Tensor of shape (members,)
        Whether the validation loss stopped getting better before the epochs ran out.
    check_loss : Tensor of shape (members,)
        Least validation loss.
    right_before, right_after : Tensor of shape (members,)
        Share of the validation rows that each member was right about before it was pruned, and in the end.
    """

    losses: list[Tensor] = field(default_factory=list)
    n_iter: Tensor = field(default_factory=lambda: torch.zeros(0))
    converged: Tensor = field(default_factory=lambda: torch.zeros(0))
    check_loss: Tensor = field(default_factory=lambda: torch.zeros(0))
    right_before: Tensor = field(default_factory=lambda: torch.zeros(0))
    right_after: Tensor = field(default_factory=lambda: torch.zeros(0))

    def curve(self) -> Tensor:
        """All losses, shape (epochs, members)."""
        return torch.stack(self.losses)


def train(
    network: N,
    rows: Rows,
    plan: Plan,
    generator: torch.Generator | None = None,
    progress: Progress | None = None,
) -> tuple[N, History]:
    """Train a population.

    Parameters
    ----------
    network : LogicNetwork
        The members; it is changed.
    rows : Rows
        What to learn from.
    plan : Plan
        How.
    generator : torch.Generator, optional
        Source of the order of mini-batches; one with a fixed seed when missing.
    progress : callable, optional
        Told the number of epochs done.

    Returns
    -------
    network : LogicNetwork
        The trained population, pruned, each member with its best weights.
    history : History
    """
    history = History()
    rows = rows.merged()
    first = plan.explored
    report = progress or (lambda _: None)
    generator = torch.Generator().manual_seed(0) if generator is None else generator
    network.train()
    explored = replace(rows, x=network.gather(rows.x)) if first else rows
    optimizer = _Adam(network)
    exploring = replace(plan, criterion=plan.exploration or plan.criterion)
    with threads_for(_activations(network, explored, plan)):
        for epoch in range(first):
            rate = plan.learning_rate * min(1.0, 2.0 * (1.0 - epoch / first))
            history.losses.append(_epoch(network, optimizer, explored, exploring, rate, generator))
            report(epoch + 1)
    if plan.prune:
        history.right_before = _share_right(network, replace(rows, x=network.gather(rows.x)))
        network.prune()
    left = rows.gathered(network, merge=plan.together == 1)
    with threads_for(_activations(network, left, plan)):
        tuned = _FineTuning(network, left, plan, history)
        tuned.run(plan.epochs - first, generator, lambda done: report(first + done))
    network.eval()
    history.right_after = _share_right(network, left)
    return network, history


@torch.no_grad()
def _share_right(network: LogicNetwork, rows: Rows) -> Tensor:
    """Share of the weight held out that each member is right about; of all weight where none is held out."""
    rows = _with_checks(rows, (rows.check_yes + rows.check_no).sum(dim=1) > 0)
    yes, no = rows.check_yes, rows.check_no
    right = torch.where(network.logits(rows.x) > 0, yes, no).sum(dim=1)
    return right / (yes + no).sum(dim=1).clamp(min=torch.finfo(right.dtype).tiny)


def _activations(network: LogicNetwork, rows: Rows, plan: Plan) -> int:
    """Numbers in the largest tensor of a step."""
    n_rows = min(rows.yes.shape[1], plan.batch_size or rows.yes.shape[1])
    return network.members * n_rows * max(layer.weight.shape[1] for layer in network.linears)


def _epoch(
    network: LogicNetwork,
    optimizer: _Adam,
    rows: Rows,
    plan: Plan,
    rate: float,
    generator: torch.Generator,
) -> Tensor:
    """One pass over the rows; the training loss of each member."""
    n_rows = rows.x.shape[-1]
    if plan.batch_size is None or plan.batch_size >= n_rows:
        return _step(network, optimizer, rows, plan, rate)
    order = torch.randperm(n_rows, generator=generator).to(rows.x.device)
    losses = []
    for index in torch.split(order, plan.batch_size):
        # The weights of a batch are scaled to those of all rows, so that the penalty keeps its strength.
        part = rows.batch(index, scale=n_rows / len(index))
        losses.append(_step(network, optimizer, part, plan, rate))
    return torch.stack(losses).mean(dim=0)


def _step(network: LogicNetwork, optimizer: _Adam, rows: Rows, plan: Plan, rate: float) -> Tensor:
    losses = plan.criterion(network.logits(rows.x), rows.yes, rows.no) + network.penalty()
    gradients = torch.autograd.grad(losses.sum(), optimizer.parameters)
    optimizer.step(gradients, rate, plan.epsilon)
    return losses.detach()


class _FineTuning:
    """The second half: members leave when they are done, and keep their best weights."""

    def __init__(self, network: LogicNetwork, rows: Rows, plan: Plan, history: History) -> None:
        self.network = network
        self.checked = (rows.check_yes + rows.check_no).sum(dim=1) > 0
        self.rows = _with_checks(rows, self.checked)
        self.plan = plan
        self.history = history
        members = network.members
        self.active = torch.arange(members, device=rows.yes.device)
        self.best = [p.detach().clone() for p in network.parameters()]
        self.least = rows.yes.new_full((members,), torch.inf)
        self.since = torch.zeros(members, dtype=torch.long, device=rows.yes.device)
        self.last = rows.yes.new_zeros(members)
        self.done_at = torch.full((members,), plan.epochs, device=rows.yes.device)

    def run(self, epochs: int, generator: torch.Generator, report: Progress) -> None:
        """Train; in the end the whole population has its best weights."""
        whole, member, optimizer = self.network, self.network, _Adam(self.network)
        settled = 0.5 if getattr(whole, "hard", None) is not None else 0.0  # a psi network counts once hard
        for epoch in range(epochs):
            member.anneal(epoch / epochs)
            if epoch % _EVERY == 0 and epoch >= settled * epochs:
                self._look(member, epoch)
                stays = self.since[self.active] < self.plan.patience
                if not stays.any():
                    break
                if 2 * int(stays.sum()) <= len(stays):
                    index = torch.nonzero(stays).squeeze(1)
                    member, optimizer = member.select(index), optimizer.select(index)
                    optimizer.adopt(member)
                    self.rows, self.active = self.rows.select(index), self.active[index]
            rate = self.plan.learning_rate * min(1.0, 2.0 * (1.0 - epoch / epochs))
            loss = _epoch(member, optimizer, self.rows, self.plan, rate, generator)
            self.last[self.active] = loss
            self.history.losses.append(self.last.clone())
            report(epoch + 1)
        member.anneal(1.0)
        self._look(member, epochs)
        whole.anneal(1.0)
        with torch.no_grad():
            for parameter, best in zip(whole.parameters(), self.best, strict=True):
                parameter.copy_(best)
        self.history.n_iter = self.done_at
        self.history.converged = (self.since >= self.plan.patience) | _levelled(self.history)
        self.history.check_loss = self.least

    @torch.no_grad()
    def _look(self, member: LogicNetwork, epoch: int) -> None:
        """Compare the validation losses with the best so far; without validation rows the last is best."""
        rows, active = self.rows, self.active
        loss = self.plan.criterion(member.logits(rows.x), rows.check_yes, rows.check_no)
        least = self.least[active]
        margin = torch.where(least.isinf(), 0.0, _TOLERANCE * least.abs())  # losses may be negative
        better = (loss < least - margin) | ~self.checked[active]
        going = self.since[active] < self.plan.patience
        better &= going
        winners = active[better]
        self.least[winners] = loss[better]
        for best, parameter in zip(self.best, member.parameters(), strict=True):
            best[winners] = parameter.detach()[better]
        waited = torch.where(better, 0, self.since[active] + _EVERY)
        finished = going & (waited >= self.plan.patience)
        self.done_at[active[finished]] = self.plan.explored + epoch
        self.since[active] = torch.where(going, waited, self.since[active])


class _Adam:
    """Adam on stacked parameters, in place; members can leave."""

    def __init__(self, network: LogicNetwork) -> None:
        self.adopt(network)
        self.first = [torch.zeros_like(p) for p in self.parameters]
        self.second = [torch.zeros_like(p) for p in self.parameters]
        self.steps = 0

    def adopt(self, network: LogicNetwork) -> None:
        """Train the parameters of this network from now on."""
        self.parameters: list[nn.Parameter] = list(network.parameters())

    def select(self, index: Tensor) -> _Adam:
        """The state of some members."""
        twin = object.__new__(_Adam)
        twin.first = [moment[index] for moment in self.first]
        twin.second = [moment[index] for moment in self.second]
        twin.steps = self.steps
        return twin

    @torch.no_grad()
    def step(self, gradients: tuple[Tensor, ...], rate: float, epsilon: float) -> None:
        """One step of size ``rate``."""
        decay = (0.9, 0.999)
        self.steps += 1
        correction = (1.0 - decay[1] ** self.steps) ** 0.5
        size = rate / (1.0 - decay[0] ** self.steps)
        torch._foreach_lerp_(self.first, gradients, 1.0 - decay[0])
        torch._foreach_mul_(self.second, decay[1])
        torch._foreach_addcmul_(self.second, gradients, gradients, 1.0 - decay[1])
        root = torch._foreach_sqrt(self.second)
        torch._foreach_div_(root, correction)
        torch._foreach_add_(root, epsilon)
        torch._foreach_addcdiv_(list[Tensor](self.parameters), self.first, root, -size)


def _levelled(history: History) -> Tensor:
    """Members whose training loss hardly fell over the last tenth of the epochs."""
    if not history.losses:  # of no epochs at all
        return torch.zeros_like(history.n_iter, dtype=torch.bool)
    n_epochs = len(history.losses)
    before = history.losses[n_epochs - 1 - min(n_epochs - 1, max(1, n_epochs // 10))]
    last, first = history.losses[-1], history.losses[0].abs()
    return (before - last <= _LEVEL * first) | (last <= _LOW * first)


def _with_checks(rows: Rows, checked: Tensor) -> Rows:
    """Rows on which members without validation rows are looked at with those they learn from."""
    if checked.all():
        return rows
    own = checked[:, None]
    return replace(
        rows,
        check_yes=torch.where(own, rows.check_yes, rows.yes),
        check_no=torch.where(own, rows.check_no, rows.no),
    )
