"""Gradient descent on a population: one step of Adam for all members at once.

The gradient of mu and ReLU networks with one hidden layer is written out: two matrix products, and between
them four passes over the hidden layer, in place. Their weights lie in one buffer. All other networks, and
subclasses that compute something in a way of their own, are differentiated by autograd.

Rows to learn from are merged: equal rows of zeros and ones become one row of their added weights. Where the
criterion is linear in the weights of yes and no, the loss is the same to rounding. Once pruning has left a
member few concepts, its rows are merged once more, over those: the ones that it learns from, and apart from
these the others, such as those that it is checked with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import leaky_relu_

from logiclens.nn.criteria import Criterion, information_loss, loss_and_slope
from logiclens.nn.mu import MuNetwork
from logiclens.nn.population import LogicNetwork, PopulationLinear
from logiclens.nn.relu import ReluNetwork

_CODED = 40  # bits up to which tuples are numbered by them
_WORTH_MERGING = 0.75  # share of the rows that some member learns from up to which tuples take their place


@dataclass(frozen=True)
class PopulationRows:
    """Rows to learn from, for a whole population; weights are (members, n)."""

    x: Tensor
    """Concept values in [0, 1], (n, n_concepts); (n_concepts, n) or (members, m, n) once gathered."""
    yes: Tensor
    """Weight of each row as an example of yes, and ``no`` of no."""
    no: Tensor
    check_yes: Tensor
    """The same for validation, with ``check_no``."""
    check_no: Tensor
    unlabeled: Tensor | None = field(default=None, kw_only=True)
    """Weight of each row without a label in the mutual information that the network is to have about it."""
    by_batch: bool = field(default=False, kw_only=True)
    """Whether ``x`` of shape (n_concepts, n) is gathered by each mini-batch, when it is due."""

    @property
    def n_rows(self) -> int:
        """Number of rows; where each member has its own, of the one that has most."""
        return self.yes.shape[1]

    def map_weights(self, change: Callable[[Tensor], Tensor], x: Tensor | None = None) -> PopulationRows:
        """Rows whose weights went through ``change``."""
        weights = map(change, (self.yes, self.no, self.check_yes, self.check_no))
        unlabeled = None if self.unlabeled is None else change(self.unlabeled)
        return PopulationRows(
            self.x if x is None else x, *weights, unlabeled=unlabeled, by_batch=self.by_batch
        )

    @property
    def learned(self) -> Tensor:
        """Whether each member learns from each row, (members, n)."""
        weight = self.yes + self.no
        return weight > 0 if self.unlabeled is None else weight + self.unlabeled > 0

    def merged(self) -> PopulationRows:
        """Equal rows of zeros and ones as one; as they are with other values."""
        distinct, place = merge_rows(self.x)
        if distinct is self.x:
            return self

        def add_up(weight: Tensor) -> Tensor:
            total = weight.new_zeros(len(weight), len(distinct))
            return total.index_add_(1, place, weight)

        return self.map_weights(add_up, distinct)

    def gathered(self, network: LogicNetwork) -> PopulationRows:
        """Inputs of the network, (members, m, n), with equal tuples of each member merged."""
        inputs = network.inputs(self.x)
        if inputs.dim() == 2:
            return replace(self, x=inputs)
        members, columns, _ = inputs.shape
        if columns > _CODED or not _are_bits(inputs):
            return replace(self, x=inputs)
        learned = self.learned
        code = sum(inputs[:, at].long() << at for at in range(columns))
        code += (
            ~learned
        ).long() << columns  # what is learned from comes first, much the same for all members
        code += torch.arange(members, device=inputs.device)[:, None] << columns + 1
        tuples, place = torch.unique(code, return_inverse=True)
        owner, is_learned = tuples >> columns + 1, (tuples >> columns) & 1 == 0
        n_tuples = int(torch.bincount(owner[is_learned], minlength=members).max())
        if n_tuples > _WORTH_MERGING * int(learned.any(dim=0).sum()):
            return replace(self, x=inputs)
        sizes = torch.bincount(owner, minlength=members)
        longest = int(sizes.max())
        starts = torch.cumsum(sizes, dim=0) - sizes
        position = torch.arange(len(tuples), device=inputs.device) - starts[owner] + owner * longest
        table = inputs.new_zeros(members * longest, columns)
        shifts = torch.arange(columns, device=inputs.device)
        table[position] = ((tuples[:, None] >> shifts) & 1).to(inputs.dtype)
        flat = position[place].reshape(-1)

        def add_up(weight: Tensor) -> Tensor:
            total = weight.new_zeros(members * longest)
            return total.index_add_(0, flat, weight.reshape(-1)).view(members, longest)

        return self.map_weights(add_up, table.view(members, longest, columns).transpose(1, 2).contiguous())

    def select(self, index: Tensor) -> PopulationRows:
        """The rows of some members."""
        return self.map_weights(lambda weight: weight[index], self.x[index] if self.x.dim() == 3 else self.x)

    def where(self, used: Tensor) -> PopulationRows:
        """The rows, gathered, at which ``used``, Boolean (n,), is true."""
        if bool(used.all()):
            return self
        index = torch.nonzero(used).squeeze(1)
        return self.map_weights(lambda weight: weight[:, index], self.x[..., index])


def merge_rows(x: Tensor) -> tuple[Tensor, Tensor]:
    """Distinct rows, and which of them each row is; the rows as they are where merging does not halve them.

    Only rows of zeros and ones are merged: other scores hardly ever coincide.
    """
    if x.numel() and _are_bits(x):
        # NumPy sorts rows that are packed into bytes many times faster than torch sorts rows of numbers.
        packed = np.ascontiguousarray(np.packbits(x.cpu().numpy() > 0, axis=1))
        whole = packed.view(np.dtype((np.void, packed.shape[1])))[:, 0]
        _, first, place = np.unique(whole, return_index=True, return_inverse=True)
        if 2 * len(first) <= len(x):
            return x[torch.as_tensor(first, device=x.device)], torch.as_tensor(place, device=x.device)
    return x, torch.arange(len(x), device=x.device)


def _are_bits(x: Tensor) -> bool:
    """True if all values are zeros and ones."""
    return bool(((x == 0) | (x == 1)).all())


_EVEN = 8  # inputs of a layer that matrix products are quickest with: a multiple of this
_DECAY = (0.9, 0.999)  # of the two moments of Adam
_EPSILON = 1e-8  # of Adam: gradients much smaller than this do not move weights
_DERIVED_FROM = (
    *("leak", "activation", "forward", "gather", "inputs", "logits", "outputs", "penalty", "strengths"),
    "linears",
)
"""What the gradient that is written out was derived from."""
_MEAN_DERIVED_FROM = ("activation", "forward", "gather", "leak", "linears", "logits", "prune", "relevance")
"""What the mean of several networks was derived from."""


@dataclass(frozen=True)
class Examples:
    """Rows as a descent reads them."""

    x: Tensor  # (n_in, n), or (members, n_in, n)
    yes: Tensor  # (members, n), as no
    no: Tensor
    unlabeled: Tensor | None
    hidden: Tensor
    """Room for what is computed on the way."""


def descent_of(network: LogicNetwork) -> AutogradDescent | RectifierDescent:
    """Adam for a network, from the start.

    The gradient that is written out is that of a network's very methods, not of its like. A subclass may
    override how logits or the penalty are computed; then autograd differentiates that.
    """
    overridden = any(name in vars(network) for name in _DERIVED_FROM)
    if len(network.linears) == 2 and not overridden and _is_known(network, _DERIVED_FROM):
        return RectifierDescent(network)
    return AutogradDescent(network)


def has_mean(network: LogicNetwork) -> bool:
    """True if the mean of members is a network of the same kind: of mu and ReLU networks, not overridden.

    See :func:`~logiclens.nn.population.mean_network`. Members may be pruned by their mean relevance, too.
    """
    return _is_known(network, _MEAN_DERIVED_FROM)


def _is_known(network: LogicNetwork, names: Sequence[str]) -> bool:
    """True if a network's kind has these methods from a mu or ReLU network."""
    kind = type(network)
    return all(type(layer) is PopulationLinear for layer in network.linears) and any(
        all(getattr(kind, name) is getattr(known, name) for name in names)
        for known in (MuNetwork, ReluNetwork)
    )


class AutogradDescent:
    """Adam for any network."""

    def __init__(self, network: LogicNetwork) -> None:
        self.network = network
        self.parameters: list[Tensor] = list(network.parameters())
        self.moments = _Moments(self.parameters)

    def read(self, rows: PopulationRows) -> Examples:
        """Rows as they are."""
        return Examples(rows.x, rows.yes, rows.no, rows.unlabeled, rows.x)

    def step(self, examples: Examples, criterion: Criterion, rate: float, together: int = 1) -> Tensor:
        """One step, downhill by what autograd finds."""
        logits = self.network.outputs(examples.x)
        losses = criterion(logits, examples.yes, examples.no)
        if examples.unlabeled is not None:
            losses = losses + information_loss(logits, examples.unlabeled, together)
        losses = losses + self.network.penalty()
        gradients = list(torch.autograd.grad(losses.sum(), self.parameters))
        self.moments.move(self.parameters, gradients, rate)
        return losses.detach()

    def select(self, index: Tensor, network: LogicNetwork) -> AutogradDescent:
        """Go on with some members."""
        twin = AutogradDescent(network)
        twin.moments = self.moments.map(lambda moment: moment[index])
        return twin


class RectifierDescent:
    """Adam for networks with one hidden layer of rectifiers, their gradient written out.

    Weights and biases of a layer stand side by side, ``(members, n_out, n_in + 1)``, for inputs that end in a
    row of ones, and both layers lie in one buffer. The network's parameters are views of it. The first layer
    is filled up with zeros to a width that processors like.
    """

    def __init__(self, network: LogicNetwork) -> None:
        layers = network.linears
        self.leak = float(network.leak or 0.0)
        self.fill = [-(layers[0].weight.shape[2] + 1) % _EVEN, 0]
        wholes = [
            self._whole(at, layer.kept_weight().detach(), layer.bias.detach())
            for at, layer in enumerate(layers)
        ]
        self.shapes = [whole.shape for whole in wholes]
        self.weights = _flat(wholes)
        self.gradient = torch.zeros_like(self.weights)
        self.layers = self._layers(self.weights)
        self.slopes = self._layers(self.gradient)
        self.moments = _Moments([self.weights])
        masks = [self._whole(at, layer.mask, torch.ones_like(layer.bias)) for at, layer in enumerate(layers)]
        self.mask = _flat(masks) if any((layer.mask == 0).any() for layer in layers) else None
        strengths = list(zip(layers, network.strengths(), strict=True))
        self.strength = _flat(  # of the penalty on each weight
            [
                self._whole(at, strength[:, None, None].expand_as(layer.weight), torch.zeros_like(layer.bias))
                for at, (layer, strength) in enumerate(strengths)
            ]
        )
        self.penalties = [
            (whole[..., :-1], strength)
            for whole, (_, strength) in zip(self.layers, strengths, strict=True)
            if strength.any()
        ]
        for layer, whole in zip(layers, self.layers, strict=True):
            layer.weight = nn.Parameter(whole[..., : layer.weight.shape[2]])
            layer.bias = nn.Parameter(whole[..., -1:])

    def _whole(self, at: int, weight: Tensor, bias: Tensor) -> Tensor:
        """Values for the weights and biases of a layer side by side, zeros between them."""
        return torch.cat([nn.functional.pad(weight, (0, self.fill[at])), bias], dim=2)

    def _layers(self, flat: Tensor) -> list[Tensor]:
        """The two layers within a buffer."""
        parts = torch.split(flat, [shape.numel() for shape in self.shapes])
        return [part.view(shape) for part, shape in zip(parts, self.shapes, strict=True)]

    def read(self, rows: PopulationRows) -> Examples:
        """Rows with a row of ones below them, for the biases."""
        x = nn.functional.pad(nn.functional.pad(rows.x, (0, 0, 0, self.fill[0])), (0, 0, 0, 1), value=1.0)
        members, n_hidden, _ = self.shapes[0]
        room = x.new_empty(members, n_hidden, x.shape[-1])
        return Examples(x, rows.yes, rows.no, rows.unlabeled, room)

    @torch.no_grad()
    def step(self, examples: Examples, criterion: Criterion, rate: float, together: int = 1) -> Tensor:
        """One step, downhill by the gradient of the loss and of ``sum_j lambda_j |w_j|``."""
        losses = self._differentiate(examples, criterion, together)
        self.gradient.addcmul_(self.strength, self.weights.sign())
        if self.mask is not None:
            self.gradient.mul_(self.mask)
        for weight, strength in self.penalties:
            losses = losses.addcmul(strength, torch.linalg.vector_norm(weight, 1, dim=(1, 2)))
        self.moments.move([self.weights], [self.gradient], rate)
        return losses

    def _differentiate(self, examples: Examples, criterion: Criterion, together: int) -> Tensor:
        """The loss of each member; its gradient goes into the buffer.

        ``A = W x`` and ``z = v r(A) + b``, where ``r(a) = s(a) a`` and ``s`` is 1 or, below 0, the leak. With
        ``g = dL / dz`` and ``G = (s(A) g) x'`` it is ``dL / dW = v G``, ``dL / dv = r(A) g = W G`` and
        ``dL / db = sum g``.
        """
        x, hidden = examples.x, examples.hidden
        (w, last), (dw, dlast) = self.layers, self.slopes
        v, b = last[..., :-1], last[..., -1:]
        leaky_relu_(_product(w, x, out=hidden), self.leak)
        logits = torch.baddbmm(b, v, hidden).squeeze(1)
        losses, g = loss_and_slope(criterion, logits, examples.yes, examples.no, examples.unlabeled, together)
        torch.ops.aten.leaky_relu_backward.grad_input(g[:, None], hidden, self.leak, True, grad_input=hidden)
        inner = _product(hidden, x.transpose(-1, -2), out=dw)
        dlast[:, 0, :-1] = (w * inner).sum(dim=2)
        dlast[:, 0, -1] = g.sum(dim=1)
        inner.mul_(v.transpose(1, 2))
        return losses

    def select(self, index: Tensor, network: LogicNetwork) -> RectifierDescent:
        """Go on with some members."""
        twin = RectifierDescent(network)
        twin.moments = self.moments.map(
            lambda moment: _flat([layer[index] for layer in self._layers(moment)])
        )
        return twin


class _Moments:
    """The running means that Adam keeps of gradients and of their squares."""

    def __init__(self, parameters: Sequence[Tensor]) -> None:
        self.first = [torch.zeros_like(parameter) for parameter in parameters]
        self.second = [torch.zeros_like(parameter) for parameter in parameters]
        self.steps = 0

    def map(self, change: Callable[[Tensor], Tensor]) -> _Moments:
        """Moments that went through ``change``."""
        twin = _Moments([])
        twin.first, twin.second = list(map(change, self.first)), list(map(change, self.second))
        twin.steps = self.steps
        return twin

    @torch.no_grad()
    def move(self, parameters: list[Tensor], gradients: list[Tensor], rate: float) -> None:
        """One step of size ``rate``, in place."""
        self.steps += 1
        size = rate / (1.0 - _DECAY[0] ** self.steps)
        correction = (1.0 - _DECAY[1] ** self.steps) ** 0.5
        for parameter, gradient, first, second in zip(
            parameters, gradients, self.first, self.second, strict=True
        ):
            first.lerp_(gradient, 1.0 - _DECAY[0])
            second.mul_(_DECAY[1]).addcmul_(gradient, gradient, value=1.0 - _DECAY[1])
            root = second.sqrt().add_(_EPSILON * correction)
            parameter.addcdiv_(first, root, value=-size * correction)


def _flat(layers: Sequence[Tensor]) -> Tensor:
    return torch.cat([layer.flatten() for layer in layers])


def _product(a: Tensor, b: Tensor, out: Tensor) -> Tensor:
    """``a b`` for each member, where ``b`` may be the same for all: then it is one product."""
    if b.dim() == 2:
        torch.mm(a.view(-1, a.shape[2]), b, out=out.view(-1, out.shape[2]))
        return out
    return torch.bmm(a, b, out=out)
