"""Learning criteria: what ties a network to its targets (Sec. 4.2).

    IFF       y <-> phi   cross-entropy (Eq. 6, with the minus sign the paper leaves out)
    IF        y  -> phi   hinge max(0, y - f) (Eq. 4): the network must say yes to all of the class
    ONLY IF   phi -> y    hinge max(0, f - y) (Eq. 5): it must say no to everything else
    classes               cross-entropy of a softmax over the outputs, one of which is true (Eq. 6)
    clusters              minus the mutual information of inputs and outputs (Eq. 12)

Eq. 4 and 5 alone are solved by a constant: the paper asks for further conditions on ``f``. Ours is a
counterweight: the opposite hinge at a small share of the price. The network then says yes only where that
pays, in the IF case, and no only where that pays, in the ONLY IF case, so that it also has an answer where
the main hinge is silent.

Targets may be soft: a target of 0.7 counts as seven tenths of a yes and three tenths of a no. Rows with
equal inputs can be merged and their weights added: no criterion changes by that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid, softplus

COUNTERWEIGHT = 0.1
"""Price of the opposite hinge in the IF and ONLY IF criteria."""

Criterion = Callable[[Tensor, Tensor, Tensor], Tensor]
"""(logits, weight of yes, weight of no), each (..., n), to the loss, shape (...)."""


def iff_loss(logits: Tensor, yes: Tensor, no: Tensor) -> Tensor:
    """Cross-entropy, Eq. 6: ``-sum yes log f + no log(1 - f)``.

    Parameters
    ----------
    logits : Tensor of shape (..., n)
        ``f`` before the sigmoid; so nothing overflows and ``0 log 0`` never arises.
    yes, no : Tensor of shape (..., n)
        Weight of each row as a member of the class and as none: ``w * y`` and ``w * (1 - y)``.

    Returns
    -------
    Tensor of shape (...)
        Sum over the rows.

    Examples
    --------
    >>> import torch
    >>> y = torch.tensor([1.0, 0.0])
    >>> round(float(iff_loss(torch.zeros(2), y, 1 - y)), 4)  # 2 log 2
    1.3863
    """
    return -(yes * logsigmoid(logits) + no * logsigmoid(-logits)).sum(dim=-1)


def loss_and_slope(criterion: Criterion, logits: Tensor, yes: Tensor, no: Tensor) -> tuple[Tensor, Tensor]:
    """The loss, shape (...), and its derivative by the logits, shape (..., n).

    That of cross-entropy is ``(yes + no) f - yes``, with a softmax ``K (w p - w y)``; of other criteria
    autograd finds it.

    Examples
    --------
    >>> import torch
    >>> y = torch.tensor([1.0, 0.0])
    >>> loss_and_slope(iff_loss, torch.zeros(2), y, 1 - y)[1]
    tensor([-0.5000,  0.5000])
    """
    if criterion is iff_loss:
        total = yes + no
        loss = (total * softplus(logits)).sub_(yes * logits).sum(dim=-1)  # log f = z - log(1 + exp z)
        return loss, torch.sigmoid(logits).mul_(total).sub_(yes)
    if isinstance(criterion, SoftmaxLoss):
        return criterion.with_slope(logits, yes)
    with torch.enable_grad():
        logits = logits.detach().requires_grad_()
        loss = criterion(logits, yes, no)
        (slope,) = torch.autograd.grad(loss.sum(), logits)
    return loss.detach(), slope


@dataclass(frozen=True)
class SoftmaxLoss:
    """Cross-entropy of a softmax over the outputs of one network: ``-sum_i w_i sum_k y_ik log p_ik``.

    Attributes
    ----------
    n_classes : int
        Members of a population that are one network's outputs: each this many, one after the other.

    Examples
    --------
    >>> import torch
    >>> yes = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    >>> SoftmaxLoss(2)(torch.zeros(2, 2), yes, 1 - yes).round(decimals=4)  # 2 log 2, for both outputs
    tensor([1.3863, 1.3863])
    """

    n_classes: int

    def __call__(self, logits: Tensor, yes: Tensor, no: Tensor) -> Tensor:  # noqa: ARG002 - yes is enough
        """The loss of each network, the same for all of its outputs, (networks * n_classes,).

        ``no`` is not looked at: a row of another class is a yes there.
        """
        log_p = torch.log_softmax(self._by_network(logits), dim=1)
        loss = -(self._by_network(yes) * log_p).sum(dim=(1, 2))
        return loss.repeat_interleave(self.n_classes)

    def with_slope(self, logits: Tensor, yes: Tensor) -> tuple[Tensor, Tensor]:
        """The loss, and the derivative of the sum over all outputs by the logits, ``K (w p - w y)``."""
        log_p = torch.log_softmax(self._by_network(logits), dim=1)
        truth = self._by_network(yes)
        loss = -(truth * log_p).sum(dim=(1, 2))
        slope = log_p.exp_().mul_(truth.sum(dim=1, keepdim=True)).sub_(truth).mul_(self.n_classes)
        return loss.repeat_interleave(self.n_classes), slope.view_as(logits)

    def _by_network(self, values: Tensor) -> Tensor:
        return values.view(-1, self.n_classes, values.shape[-1])


def if_loss(logits: Tensor, yes: Tensor, no: Tensor, counterweight: float = COUNTERWEIGHT) -> Tensor:
    """Hinge of IF rules, Eq. 4, with a counterweight: ``sum yes (1 - f) + counterweight no f``.

    Parameters and result are those of :func:`iff_loss`.
    """
    f = torch.sigmoid(logits)
    return (yes * (1.0 - f) + counterweight * no * f).sum(dim=-1)


def only_if_loss(logits: Tensor, yes: Tensor, no: Tensor, counterweight: float = COUNTERWEIGHT) -> Tensor:
    """Hinge of ONLY IF rules, Eq. 5, with a counterweight: ``sum no f + counterweight yes (1 - f)``.

    Parameters and result are those of :func:`iff_loss`.
    """
    f = torch.sigmoid(logits)
    return (no * f + counterweight * yes * (1.0 - f)).sum(dim=-1)


def mutual_information_loss(logits: Tensor, weight: Tensor | None = None) -> Tensor:
    """Minus the mutual information between inputs and clusters, Eq. 12: ``-H(E) + H(E | C)``.

    Parameters
    ----------
    logits : Tensor of shape (..., clusters, n)
        A softmax over the clusters makes them probabilities.
    weight : Tensor of shape (..., n), optional
        Weight of each row; equal when missing.

    Returns
    -------
    Tensor of shape (...)
        In nats, from ``-log(clusters)`` (each row surely in one of equally large clusters) to 0.

    Examples
    --------
    >>> import torch
    >>> two = torch.tensor([[9.0, 9.0, -9.0, -9.0], [-9.0, -9.0, 9.0, 9.0]])
    >>> round(float(mutual_information_loss(two)), 3)  # -log 2
    -0.693
    """
    log_p = torch.log_softmax(logits, dim=-2)
    p = log_p.exp()
    if weight is None:
        weight = torch.ones_like(logits[..., 0, :])
    total = weight.sum(dim=-1, keepdim=True).clamp(min=torch.finfo(weight.dtype).tiny)
    share = (weight / total)[..., None, :]
    conditional = -(share * p * log_p).sum(dim=(-2, -1))
    return conditional - entropy((share * p).sum(dim=-1))


def entropy(p: Tensor) -> Tensor:
    """``-sum p log p`` over the last axis, in nats, with ``0 log 0 = 0``; its gradient is finite at 0, too.

    From probabilities (..., k) to shape (...).

    Examples
    --------
    >>> import torch
    >>> round(float(entropy(torch.tensor([0.5, 0.5, 0.0]))), 4)
    0.6931
    """
    # xlogy(p, p) and entr(p) are right at 0, but their gradients there are NaN and infinite.
    return -(p * p.clamp(min=torch.finfo(p.dtype).tiny).log()).sum(dim=-1)
