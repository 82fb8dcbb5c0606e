"""Many small networks trained side by side: layers with a leading population axis.

A *member* is one network: one target of one fold with one penalty and one restart. All members of a
population share their inputs and run as one batch of tensors, so a thousand light networks cost what one
wide network costs. Inside, tensors are laid out as (member, feature, sample): the first layer is then a
single matrix product over all members, and every activation lies contiguous in memory.

Each member draws its first weights from a stream of its own, so a member does not depend on how many others
there are. So it does not matter which of them are trained side by side. On a CPU a step on few members, whose
numbers stay in the cache, is quicker for each of them than one on many; and parts on threads of their own
never wait for each other, as the threads of one operation do. Small work gets one thread, since waiting for a
second costs more than it brings; so does work that is one of several done side by side.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from itertools import pairwise
from threading import Lock
from typing import ClassVar, Self, TypeVar, cast

import numpy as np
import torch
from threadpoolctl import threadpool_limits
from torch import Tensor, nn

from logiclens.errors import InputError

T = TypeVar("T")

_MOST_THREADS = 8  # more would wait for Python's lock
SMALL = 1 << 20
"""Numbers in the largest tensor of a step up to which one thread is quicker, much so on a busy machine."""


@contextmanager
def _threads(number: int) -> Iterator[None]:
    """Use this many threads of torch's; as many as before afterwards."""
    before = torch.get_num_threads()
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def threads_for(size: int) -> AbstractContextManager[None]:
    """Use one thread of torch's for tensors of at most :data:`SMALL` numbers; its own number afterwards."""
    return nullcontext() if size > SMALL or torch.get_num_threads() == 1 else _threads(1)


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Use one thread for whatever is computed; as many as before once nobody is within any more.

    Several threads may be within at a time. The number of torch belongs to each of them; that of other
    libraries is shared: the first to come sets it, the last to leave restores it.
    """
    _alone.enter()
    try:
        with _threads(1):
            yield
    finally:
        _alone.leave()


class _Alone:
    """Counts those within :func:`one_thread_each`."""

    def __init__(self) -> None:
        self._lock, self._within, self._undo = Lock(), 0, ExitStack()

    def enter(self) -> None:
        with self._lock:
            self._within += 1
            if self._within == 1:
                self._undo.enter_context(threadpool_limits(1))

    def leave(self) -> None:
        with self._lock:
            self._within -= 1
            if self._within == 0:
                self._undo.close()


_alone = _Alone()


def for_each(parts: Sequence[Tensor], work: Callable[[Tensor], T], size: int) -> list[T]:
    """Results of ``work`` for each part; several at a time where torch may use several threads.

    It must not change what another part reads. ``size`` is that of the largest tensor of one part.
    """
    n_threads = min(torch.get_num_threads(), len(parts), _MOST_THREADS)
    if n_threads == 1:
        with threads_for(size):
            return [work(part) for part in parts]
    with threads_for(0):  # each of ours is one of torch's
        pool = ThreadPoolExecutor(n_threads)
        try:
            return list(pool.map(work, parts))
        finally:
            pool.shutdown(cancel_futures=True)


class EpochCount:
    """Reports how many epochs all members have done on average, whichever part is ahead."""

    def __init__(self, report: Callable[[int], None], members: int, done: int = 0) -> None:
        self._report, self._members, self._done = report, members, done * members
        self._lock = Lock()

    def add(self, n_members: int) -> None:
        """So many members have done one more epoch."""
        with self._lock:
            self._done += n_members
            self._report(self._done // self._members)


N = TypeVar("N", bound="LogicNetwork")
M = TypeVar("M", bound=nn.Module)

Streams = Sequence[np.random.Generator]
"""One random generator for each member."""


class PopulationLinear(nn.Module):
    """One affine map for each member: ``y_p = W_p x_p + b_p``.

    Parameters
    ----------
    streams : sequence of numpy.random.Generator
        The source of each member's first weights, drawn uniformly from +-1/sqrt(n_in) as
        :class:`torch.nn.Linear` does.
    n_in, n_out : int
        Features that go in and out.

    Attributes
    ----------
    weight : Parameter, shape (members, n_out, n_in)
    bias : Parameter, shape (members, n_out, 1)
    mask : buffer, shape (members, n_out, n_in)
        0 where a connection is pruned, 1 elsewhere. Pruned weights are zero whatever the optimizer does.
    """

    weight: nn.Parameter
    bias: nn.Parameter
    mask: Tensor

    def __init__(self, streams: Streams, n_in: int, n_out: int) -> None:
        super().__init__()
        bound = 1.0 / np.sqrt(max(n_in, 1))
        draws = [rng.uniform(-bound, bound, size=(n_out, n_in + 1)) for rng in streams]
        values = torch.from_numpy(np.stack(draws)).to(torch.get_default_dtype())
        self.weight = nn.Parameter(values[:, :, :n_in].contiguous())
        self.bias = nn.Parameter(values[:, :, n_in:].contiguous())
        self.register_buffer("mask", torch.ones_like(self.weight))

    def forward(self, x: Tensor) -> Tensor:
        """Map (n_in, n) shared by all members, or (members, n_in, n), to (members, n_out, n)."""
        members, n_out, n_in = self.weight.shape
        weight = self.kept_weight()
        if x.dim() == 2:
            shared = torch.addmm(self.bias.reshape(-1, 1), weight.reshape(members * n_out, n_in), x)
            return shared.view(members, n_out, -1)
        return torch.baddbmm(self.bias, weight, x)

    def kept_weight(self) -> Tensor:
        """The weights with pruned ones as zeros, shape (members, n_out, n_in)."""
        return self.weight * self.mask

    def prune(self, keep: Tensor) -> None:
        """Keep only the connections where ``keep`` (broadcast to the weights) is true."""
        with torch.no_grad():
            self.mask.mul_(keep)
            self.weight.mul_(self.mask)


class LogicNetwork(nn.Module):
    """Base of the Logic Explained Networks: concepts in [0, 1] to one logit for each member (Sec. 3).

    A subclass defines how inputs are read, its parsimony penalty, which concepts it keeps when pruned
    half-way through training, and how relevant each concept is to each member.

    Parameters
    ----------
    streams : sequence of numpy.random.Generator
        One for each member.
    n_concepts : int
        Concepts that go in.
    hidden : sequence of int
        Sizes of the hidden layers.
    l1 : sequence of float
        Strength of the L1 penalty, one for each member.

    Attributes
    ----------
    columns : Tensor of shape (members, m), or None
        After pruning: the positions of the concepts each member still reads. None before: all of them.
    leak : float, or None
        Slope below 0 of the rectifiers that its hidden units are; None where they are something else.
    """

    leak: ClassVar[float | None] = None
    columns: Tensor | None
    l1: Tensor

    def __init__(self, streams: Streams, n_concepts: int, hidden: Sequence[int], l1: Sequence[float]) -> None:
        super().__init__()
        sizes = [n_concepts, *hidden, 1]
        self.layers = nn.ModuleList(PopulationLinear(streams, n_in, n_out) for n_in, n_out in pairwise(sizes))
        self.n_concepts = n_concepts
        self.register_buffer("columns", None)
        self.register_buffer("l1", torch.as_tensor(l1, dtype=torch.get_default_dtype()))

    @property
    def members(self) -> int:
        """Number of networks in the population."""
        return len(self.l1)

    @property
    def linears(self) -> list[PopulationLinear]:
        """The layers, first to last."""
        return [layer for layer in self.layers if isinstance(layer, PopulationLinear)]

    def forward(self, x: Tensor) -> Tensor:
        """Logits of every member on every row.

        Parameters
        ----------
        x : Tensor of shape (n, n_concepts)
            Concept values in [0, 1], shared by all members.

        Returns
        -------
        Tensor of shape (members, n)
            ``sigmoid`` of it is ``f_i``; the network says yes where it is greater than 0.
        """
        with threads_for(self.activations(len(x))):
            return self.logits(self.gather(x))

    def activations(self, n_rows: int) -> int:
        """Numbers in the largest layer, of all members together, on this many rows."""
        return self.members * n_rows * max(layer.weight.shape[1] for layer in self.linears)

    def gather(self, x: Tensor) -> Tensor:
        """Inputs of the first layer: (n_concepts, n), or (members, m, n) once concepts are pruned."""
        if self.columns is None:
            return x.T
        return x.T[self.columns]

    def logits(self, inputs: Tensor) -> Tensor:
        """Logits from gathered inputs, shape (members, n)."""
        *hidden, last = self.linears
        for layer in hidden:
            inputs = self.activation(layer(inputs))
        logits: Tensor = last(inputs)
        return logits.squeeze(1)

    def activation(self, inputs: Tensor) -> Tensor:
        """Outputs of hidden units from their weighted sums, of the same shape."""
        raise NotImplementedError

    @property
    def _answers_by_logits(self) -> bool:
        """True if a call does nothing beside gathering inputs and making logits of them."""
        return type(self).forward is LogicNetwork.forward and "forward" not in vars(self)

    def inputs(self, x: Tensor) -> Tensor:
        """What :meth:`outputs` takes, from rows (n, n_concepts): the same in every step of training."""
        return self.gather(x) if self._answers_by_logits else x.T

    def outputs(self, inputs: Tensor) -> Tensor:
        """What a call gives, (members, n), from inputs: a subclass that overrides ``forward`` trains that."""
        return self.logits(inputs) if self._answers_by_logits else torch.as_tensor(self(inputs.T))

    def strengths(self) -> list[Tensor]:
        """Strength of the L1 penalty on the weights of each layer, first to last, each (members,)."""
        raise NotImplementedError

    def penalty(self) -> Tensor:
        """The parsimony term of each member's loss, ``sum_l lambda_l ||W_l||_1``, (members,) (Sec. 4.3)."""
        norms = [layer.weight.abs().sum(dim=(1, 2)) for layer in self.linears]
        terms = [strength * norm for strength, norm in zip(self.strengths(), norms, strict=True)]
        return torch.stack(terms).sum(dim=0)

    def prune(self) -> None:
        """Drop what matters least (Sec. 4.3)."""
        raise NotImplementedError

    def anneal(self, progress: float) -> None:
        """Tell the network how much of the fine-tuning is done, from 0 to 1."""

    def relevance(self, x: Tensor) -> Tensor:
        """How much each concept matters: (members, n_concepts), or (members, n, n_concepts) by row."""
        raise NotImplementedError

    def kept(self) -> Tensor:
        """Concepts that the layers of each member read, Boolean (members, n_concepts)."""
        used = (self.linears[0].mask != 0).any(dim=1)
        return self.spread(used)

    def spread(self, values: Tensor) -> Tensor:
        """Values by column, (members, m), as values by concept, (members, n_concepts), 0 where pruned."""
        if self.columns is None:
            return values
        whole = torch.zeros(self.members, self.n_concepts, dtype=values.dtype, device=values.device)
        return whole.scatter(1, self.columns, values)

    def narrow(self, keep: Tensor) -> None:
        """Read only the concepts where ``keep``, Boolean (members, n_concepts), is true.

        The first layer loses the columns of all others, so that they cost nothing. Members that keep fewer
        than the largest have the rest masked.
        """
        first = self.linears[0]
        wanted = first.weight.shape[::2]
        if keep.dtype != torch.bool or keep.shape != wanted:
            raise InputError(
                f"narrow takes what is kept, Boolean of shape {tuple(wanted)}: members and concepts that "
                f"they read. Got {keep.dtype} of shape {tuple(keep.shape)}."
            )
        widest = max(int(keep.sum(dim=1).max()), 1)
        chosen = torch.argsort(~keep, dim=1, stable=True)[:, :widest].sort(dim=1).values
        present = keep.gather(1, chosen)
        index = chosen[:, None, :].expand(-1, first.weight.shape[1], -1)
        with torch.no_grad():
            weight, mask = first.weight.gather(2, index), first.mask.gather(2, index)
            first.mask = mask * present[:, None, :]
            first.weight = nn.Parameter(weight * first.mask)
        self.columns = chosen if self.columns is None else self.columns.gather(1, chosen)

    def widen(self, chosen: Tensor, n_concepts: int) -> None:
        """Read rows of more concepts than so far: what it read is ``chosen``, their ascending positions.

        A network that was never narrowed has masked weights for the others from now on.
        """
        if self.columns is not None:
            self.columns = chosen[self.columns]
        elif len(chosen) < n_concepts:
            first = self.linears[0]
            members, n_out, _ = first.weight.shape
            with torch.no_grad():
                for name in ("weight", "mask"):
                    whole = first.weight.new_zeros(members, n_out, n_concepts)
                    whole[:, :, chosen] = getattr(first, name)
                    setattr(first, name, nn.Parameter(whole) if name == "weight" else whole)
        self.n_concepts = n_concepts

    def select(self, index: Tensor) -> Self:
        """Return a population of some of the members, copied."""
        return _changed(self, lambda values: values[index])

    @torch.no_grad()
    def put(self, index: Tensor, members: LogicNetwork) -> None:
        """Give the members at ``index`` the weights of others, which read the same concepts."""
        for parameter, other in zip(self.parameters(), members.parameters(), strict=True):
            parameter[index] = other


def join(networks: Sequence[N]) -> N:
    """Make one population of several of the same kind, their members one after the other."""
    if len(networks) == 1:
        return networks[0]
    if any(network.columns is not None for network in networks):
        width = max(_columns(network).shape[1] for network in networks)
        networks = [_fill_columns(network, width) for network in networks]
    return _changed(networks[0], lambda *values: torch.cat(values), *networks[1:])


@torch.no_grad()
def mean_network(network: N, groups: Tensor) -> N:
    """A network with one member for each group, whose logits are the means of theirs.

    The mean of the logits of networks with elementwise activations and an affine last layer is a network of
    the same kind. Its first layer reads every concept that one of them reads, its deeper layers are
    block-diagonal, and its last layer has the weights of all of them, divided by their number.

    Parameters
    ----------
    network : LogicNetwork
        For which :func:`~logiclens.nn._descent.has_mean` holds.
    groups : Tensor of int, shape (n_groups, size)
        The members of each group.

    Examples
    --------
    >>> from logiclens.nn.relu import ReluNetwork
    >>> network = ReluNetwork([np.random.default_rng(seed) for seed in range(4)], 3, (5,), [0.0] * 4)
    >>> mean = mean_network(network, torch.tensor([[0, 1], [2, 3]]))
    >>> x = torch.tensor([[0.0, 1.0, 1.0]])
    >>> torch.allclose(mean(x), network(x).view(2, 2, 1).mean(dim=1))
    True
    """
    size = groups.shape[1]
    if size == 1:
        return network.select(groups[:, 0])
    whole = network.select(groups[:, 0])
    whole.columns = None
    last = len(network.linears) - 1
    for at, (layer, old) in enumerate(zip(whole.linears, network.linears, strict=True)):
        weight, mask, bias = old.kept_weight().detach(), old.mask, old.bias.detach()
        if at == 0:
            weight, mask = _by_concept(network, weight), _by_concept(network, mask)
        weights, masks, biases = ([values[index] for index in groups.T] for values in (weight, mask, bias))
        if at < last:
            join_units = _stack_units if at == 0 else _block_diagonal
            weight, mask, bias = join_units(weights), join_units(masks), torch.cat(biases, dim=1)
        elif last:  # units stand side by side
            weight, mask = torch.cat(weights, dim=2) / size, torch.cat(masks, dim=2)
            bias = torch.stack(biases).mean(dim=0)
        else:
            weight, mask = torch.stack(weights).mean(dim=0), torch.stack(masks).amax(dim=0)
            bias = torch.stack(biases).mean(dim=0)
        layer.weight, layer.mask, layer.bias = nn.Parameter(weight), mask, nn.Parameter(bias)
    if network.columns is not None:
        whole.narrow((whole.linears[0].mask != 0).any(dim=1))
    return whole


def _stack_units(parts: Sequence[Tensor]) -> Tensor:
    """Units that read the same, one after the other."""
    return torch.cat(list(parts), dim=1)


def _block_diagonal(parts: Sequence[Tensor]) -> Tensor:
    """Units that each read only what belongs to their network."""
    blocks = zip(*parts, strict=True)
    return torch.stack([torch.block_diag(*each) for each in blocks])  # type: ignore[no-untyped-call]


def _changed(module: M, change: Callable[..., Tensor], *others: M) -> M:
    """A copy of a module whose every tensor is what ``change`` makes of it, and of those of others alike."""
    twin = copy.copy(module)
    twin._parameters = {
        name: None
        if p is None
        else nn.Parameter(change(p.detach(), *(cast(Tensor, o._parameters[name]).detach() for o in others)))
        for name, p in module._parameters.items()
    }
    twin._buffers = {
        name: None if b is None else change(b, *(cast(Tensor, o._buffers[name]) for o in others))
        for name, b in module._buffers.items()
    }
    twin._modules = {
        name: _changed(child, change, *(o.get_submodule(name) for o in others))
        for name, child in module.named_children()
    }
    return twin


def _columns(network: LogicNetwork) -> Tensor:
    """Positions of the concepts that each member reads; all of them before pruning."""
    if network.columns is not None:
        return network.columns
    return torch.arange(network.n_concepts, device=network.l1.device).expand(network.members, -1)


def _fill_columns(network: N, width: int) -> N:
    """A network that reads this many concepts: its own, and others that are masked."""
    columns = _columns(network)
    missing = width - columns.shape[1]
    used = torch.zeros(len(columns), network.n_concepts, dtype=torch.bool, device=columns.device)
    spare = torch.argsort(used.scatter(1, columns, True).long(), dim=1, stable=True)[:, :missing]
    twin = _changed(network, lambda values: values)
    twin.columns = torch.cat([columns, spare], dim=1)
    first = twin.linears[0]
    first.weight = nn.Parameter(nn.functional.pad(first.weight.detach(), (0, missing)))
    first.mask = nn.functional.pad(first.mask, (0, missing))
    return twin


def _by_concept(network: LogicNetwork, values: Tensor) -> Tensor:
    """Values by column, (members, n_out, m), as values by concept, 0 where a concept is not read."""
    if network.columns is None:
        return values.detach()
    whole = values.new_zeros(*values.shape[:2], network.n_concepts)
    return whole.scatter(2, network.columns[:, None].expand_as(values), values.detach())
