"""Gradient descent on a population: one step of Adam for all members at once.

The gradient of mu and ReLU networks with one hidden layer is written out: two matrix products, and between
them four passes over the hidden layer, in place. Their weights lie in one buffer. All other networks, and
subclasses that compute something in a way of their own, are differentiated by autograd.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor, nn
from torch.nn.functional import leaky_relu_

from logiclens.nn._examples import Rows
from logiclens.nn.criteria import Criterion, loss_and_slope
from logiclens.nn.mu import MuNetwork
from logiclens.nn.population import LogicNetwork, PopulationLinear
from logiclens.nn.relu import ReluNetwork

_EVEN = 8  # inputs of a layer that matrix products are quickest with: a multiple of this
_DECAY = (0.9, 0.999)  # of the two moments of Adam
_EPSILON = 1e-8  # of Adam: gradients much smaller than this do not move weights
_DERIVED_FROM = ("leak", "activation", "forward", "gather", "logits", "penalty", "strengths", "linears")
"""What the gradient that is written out was derived from."""
_MEAN_DERIVED_FROM = ("activation", "forward", "gather", "leak", "linears", "logits", "prune", "relevance")
"""What the mean of several networks was derived from."""


@dataclass(frozen=True)
class Examples:
    """Rows as a descent reads them."""

    x: Tensor  # (n_in, n), or (members, n_in, n)
    yes: Tensor  # (members, n), as no
    no: Tensor
    hidden: Tensor
    """Room for what is computed on the way."""


class Descent(Protocol):
    """Adam on the weights of a population; members can leave."""

    def read(self, rows: Rows) -> Examples:
        """Rows in the form in which steps take them; those of a population's own, already gathered."""
        ...

    def step(self, examples: Examples, criterion: Criterion, rate: float) -> Tensor:
        """One step of size ``rate``; the loss of each member before it, penalty included, (members,)."""
        ...

    def select(self, index: Tensor, network: LogicNetwork) -> Descent:
        """Go on with some members, which are now this network."""
        ...


def descent_of(network: LogicNetwork) -> Descent:
    """Adam for a network, from the start."""
    return RectifierDescent(network) if has_closed_form(network) else AutogradDescent(network)


def has_closed_form(network: LogicNetwork) -> bool:
    """Whether the gradient that is written out is that of a network: of its very methods, not of its like.

    A subclass may override how logits or the penalty are computed; then autograd differentiates that.
    """
    overridden = any(name in vars(network) for name in _DERIVED_FROM)
    return len(network.linears) == 2 and not overridden and _is_known(network, _DERIVED_FROM)


def has_mean(network: LogicNetwork) -> bool:
    """Whether the mean of members is a network of the same kind: of mu and ReLU networks, not overridden.

    See :func:`~logiclens.nn.population.mean_network`. Members may be pruned by their mean relevance, too.
    """
    return _is_known(network, _MEAN_DERIVED_FROM)


def _is_known(network: LogicNetwork, names: Sequence[str]) -> bool:
    """Whether a network's kind has these methods from a mu or ReLU network."""
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

    def read(self, rows: Rows) -> Examples:
        """Rows as they are."""
        return Examples(rows.x, rows.yes, rows.no, rows.x)

    def step(self, examples: Examples, criterion: Criterion, rate: float) -> Tensor:
        """One step, downhill by what autograd finds."""
        losses = criterion(self.network.outputs(examples.x), examples.yes, examples.no)
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
        """What belongs to the weights and biases of a layer side by side, zeros between them."""
        return torch.cat([nn.functional.pad(weight, (0, self.fill[at])), bias], dim=2)

    def _layers(self, flat: Tensor) -> list[Tensor]:
        """The two layers within a buffer."""
        parts = torch.split(flat, [shape.numel() for shape in self.shapes])
        return [part.view(shape) for part, shape in zip(parts, self.shapes, strict=True)]

    def read(self, rows: Rows) -> Examples:
        """Rows with a row of ones below them, for the biases."""
        x = nn.functional.pad(nn.functional.pad(rows.x, (0, 0, 0, self.fill[0])), (0, 0, 0, 1), value=1.0)
        members, n_hidden, _ = self.shapes[0]
        return Examples(x, rows.yes, rows.no, x.new_empty(members, n_hidden, x.shape[-1]))

    @torch.no_grad()
    def step(self, examples: Examples, criterion: Criterion, rate: float) -> Tensor:
        """One step, downhill by the gradient of the loss and of ``sum_j lambda_j |w_j|``."""
        losses = self._differentiate(examples, criterion)
        self.gradient.addcmul_(self.strength, self.weights.sign())
        if self.mask is not None:
            self.gradient.mul_(self.mask)
        for weight, strength in self.penalties:
            losses = losses.addcmul(strength, torch.linalg.vector_norm(weight, 1, dim=(1, 2)))
        self.moments.move([self.weights], [self.gradient], rate)
        return losses

    def _differentiate(self, examples: Examples, criterion: Criterion) -> Tensor:
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
        losses, g = loss_and_slope(criterion, logits, examples.yes, examples.no)
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
