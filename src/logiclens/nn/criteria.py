"""Learning criteria: what ties a network to its targets (Sec. 4.2).

    IFF       y <-> phi   cross-entropy (Eq. 6, with the minus sign the paper leaves out)
    IF        y  -> phi   hinge max(0, y - f) (Eq. 4): the network must say yes to all of the class
    ONLY IF   phi -> y    hinge max(0, f - y) (Eq. 5): it must say no to everything else
    classes               cross-entropy of a softmax over the outputs, one of which is true (Eq. 6)
    clusters              minus the mutual information of inputs and outputs (Eq. 12)

Eq. 4 and 5 alone are solved by a constant: the paper asks for further conditions on ``f``. One that can be
added is a counterweight: the opposite hinge at a small share of the price. The network then says yes only
where that pays, in the IF case, and no only where that pays, in the ONLY IF case.

A criterion of your own is a function ``criterion(logits, yes, no)``. Rows are the last axis; ``yes`` and
``no`` are the weights ``w y`` and ``w (1 - y)`` of each row, where the target ``y`` in [0, 1] may be soft. It
returns the sum over the rows. What it must keep to is checked before anything is trained
(:func:`find_criterion`):

- each network has a loss of its own: from shape (networks, n) to shape (networks,);
- a row of weight 2 counts as two rows, and one of weight 0 as none.

If it is linear in ``yes`` and ``no``, as cross-entropy is, rows with equal inputs are merged and their
weights added. Otherwise only rows with equal inputs and equal targets are. Autograd finds its gradient.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid, relu, softplus

from logiclens.errors import InputError, did_you_mean, listing, shown

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


def loss_and_slope(
    criterion: Criterion,
    logits: Tensor,
    yes: Tensor,
    no: Tensor,
    unlabeled: Tensor | None = None,
    n_classes: int = 1,
) -> tuple[Tensor, Tensor]:
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
    if unlabeled is not None:
        loss, slope = loss_and_slope(criterion, logits, yes, no)
        more, slope_of_more = _differentiate(
            partial(information_loss, n_classes=n_classes), logits, unlabeled
        )
        return loss + more, slope + slope_of_more
    if criterion is iff_loss:
        total = yes + no
        loss = (total * softplus(logits)).sub_(yes * logits).sum(dim=-1)  # log f = z - log(1 + exp z)
        return loss, torch.sigmoid(logits).mul_(total).sub_(yes)
    if isinstance(criterion, SoftmaxLoss):
        return criterion.with_slope(logits, yes)
    return _differentiate(criterion, logits, yes, no)


def _differentiate(
    criterion: Callable[..., Tensor], logits: Tensor, *weights: Tensor
) -> tuple[Tensor, Tensor]:
    with torch.enable_grad():
        logits = logits.detach().requires_grad_()
        loss = criterion(logits, *weights)
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


def if_loss(logits: Tensor, yes: Tensor, no: Tensor, counterweight: float = 0.0) -> Tensor:
    """Hinge of IF rules, Eq. 4: ``sum w max(0, y - f)``, plus ``counterweight`` times that of Eq. 5.

    Parameters and result are those of :func:`iff_loss`.

    Examples
    --------
    >>> import torch
    >>> y = torch.tensor([1.0, 0.0, 0.7])
    >>> round(float(if_loss(torch.zeros(3), y, 1 - y)), 4)  # 0.5 + 0 + 0.2
    0.7
    """
    missed = yes - (yes + no) * torch.sigmoid(logits)  # w (y - f)
    return (relu(missed) + counterweight * relu(-missed)).sum(dim=-1)


def only_if_loss(logits: Tensor, yes: Tensor, no: Tensor, counterweight: float = 0.0) -> Tensor:
    """Hinge of ONLY IF rules, Eq. 5: ``sum w max(0, f - y)``, plus ``counterweight`` times that of Eq. 4.

    Parameters and result are those of :func:`iff_loss`.
    """
    return if_loss(-logits, no, yes, counterweight)


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


def information_loss(logits: Tensor, weight: Tensor, n_classes: int = 1) -> Tensor:
    """What unlabeled rows add to a loss: minus their weight times the mutual information (Eq. 12).

    It is a share of the largest there can be. It falls as the network gets sure of rows without a label, and
    rises where it puts all of them into one class.

    Parameters
    ----------
    logits : Tensor of shape (members, n)
    weight : Tensor of shape (members, n)
        0 for rows with a label.
    n_classes : int, default 1
        Members that are the outputs of one softmax, one after the other; 1 where each is a yes or no.

    Returns
    -------
    Tensor of shape (members,)
        The same for all outputs of a softmax.

    Examples
    --------
    >>> import torch
    >>> logits = torch.tensor([[9.0, 9.0, -9.0, -9.0], [9.0, 9.0, 9.0, 9.0]])
    >>> information_loss(logits, torch.full((2, 4), 0.25)).abs().round(decimals=1)
    tensor([1., 0.])
    """
    classes = torch.stack([logits, torch.zeros_like(logits)], dim=1)
    if n_classes > 1:
        shape = (-1, n_classes, logits.shape[-1])
        classes, weight = logits.view(shape), weight.view(shape)[:, 0]
    loss = mutual_information_loss(classes, weight) * weight.sum(dim=-1) / math.log(max(n_classes, 2))
    return loss.repeat_interleave(n_classes)


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


# Criteria by name

_CRITERIA: dict[str, Criterion] = {"cross_entropy": iff_loss, "if": if_loss, "only_if": only_if_loss}
_OURS = tuple(_CRITERIA)


def register_criterion(name: str) -> Callable[[Criterion], Criterion]:
    """Give a criterion of your own a name, for ``criterion=`` of the classifiers, and for saved models.

    A model that was saved with it can be loaded where it is registered under the same name.

    Parameters
    ----------
    name : str
        The last function that was given a name has it.

    Returns
    -------
    callable
        A decorator.

    Examples
    --------
    >>> import torch
    >>> @register_criterion("squares")
    ... def squares(logits, yes, no):
    ...     f = torch.sigmoid(logits)
    ...     return (yes * (1 - f) ** 2 + no * f**2).sum(dim=-1)
    >>> find_criterion("squares") is squares
    True
    """
    if not isinstance(name, str) or not name or name in _OURS:
        raise InputError(f"A criterion needs a name other than {listing(_OURS)}. Got {shown(name)}.")

    def register(criterion: Criterion) -> Criterion:
        _CRITERIA[name] = _checked(criterion)
        return criterion

    return register


def find_criterion(criterion: Any) -> Criterion:
    """The criterion of a name, or the function itself, once it was seen to keep to what is asked of it.

    Raises
    ------
    InputError
        There is none of that name, or it is no criterion.
    """
    if not isinstance(criterion, str):
        return _checked(criterion)
    if criterion not in _CRITERIA:
        raise InputError(
            f"Unknown criterion {shown(criterion)}. {did_you_mean(criterion, _CRITERIA)}"
            f"There are {listing(_CRITERIA)}; one of your own has to be registered first, with "
            "logiclens.nn.criteria.register_criterion."
        )
    return _CRITERIA[criterion]


def name_of_criterion(criterion: Any) -> str | None:
    """The name that a criterion is registered by; None if it has none."""
    if isinstance(criterion, str):
        return criterion
    return next((name for name, known in _CRITERIA.items() if known is criterion), None)


def is_linear(criterion: Criterion) -> bool:
    """True if a row counts as its yes and its no would apart: then equal inputs can be merged.

    Examples
    --------
    >>> is_linear(iff_loss), is_linear(if_loss)
    (True, False)
    """
    if criterion is iff_loss or isinstance(criterion, SoftmaxLoss):
        return True
    logits, yes, no = _probe()
    none = torch.zeros_like(yes)
    apart = criterion(_twice(logits, logits), _twice(yes, none), _twice(none, no))
    return torch.allclose(apart, criterion(logits, yes, no))


def _checked(criterion: Any) -> Criterion:
    """A criterion that keeps to what is asked of it."""
    if any(criterion is known for known in _CRITERIA.values()):
        return criterion  # type: ignore[no-any-return]
    if not callable(criterion):
        raise InputError(
            f"criterion must be one of {listing(_CRITERIA)}, or a function of (logits, yes, no). "
            f"Got {shown(criterion)}."
        )
    logits, yes, no = _probe()
    try:
        loss = criterion(logits.requires_grad_(), yes, no)
    except Exception as error:
        raise InputError(
            "criterion must be a function of (logits, yes, no), the weights of yes and of no. "
            f"{shown(criterion)} raised {type(error).__name__}: {' '.join(str(error).split())}"
        ) from error
    if not isinstance(loss, Tensor) or loss.shape != logits.shape[:1]:
        got = f"shape {tuple(loss.shape)}" if isinstance(loss, Tensor) else shown(loss)
        raise InputError(
            f"criterion must add up the last axis: from {tuple(logits.shape)} to {tuple(logits.shape[:1])}. "
            f"Got {got}."
        )
    if not loss.requires_grad or not loss.isfinite().all():
        raise InputError(
            "criterion must give finite numbers that torch can differentiate by the logits. "
            f"Got {shown(loss.detach().tolist())}."
        )
    loss = loss.detach()
    with torch.no_grad():
        twice = criterion(_twice(logits, logits), _twice(yes, yes) / 2, _twice(no, no) / 2)
        alone = criterion(logits[1:], yes[1:], no[1:])
    if not torch.allclose(twice, loss):
        raise InputError(
            "criterion must count a row of weight 2 as two rows. Multiply by the weights yes and no, sum "
            "over the last axis, and take no mean."
        )
    if not torch.allclose(alone, loss[1:]):
        raise InputError("criterion must give each network, on the first axis, a loss of its own.")
    none = torch.zeros_like(yes)
    more, slope = _differentiate(criterion, _twice(logits, logits), _twice(yes, none), _twice(no, none))
    if not torch.allclose(more, loss) or not slope.isfinite().all():
        raise InputError(
            "criterion must leave out rows of weight 0, where yes and no are 0. Divide by "
            "(yes + no).clamp(min=1e-9), not by yes + no."
        )
    return criterion  # type: ignore[no-any-return]


def _probe() -> tuple[Tensor, Tensor, Tensor]:
    """Logits of two networks on five rows, and weights of yes and no."""
    generator = torch.Generator().manual_seed(0)
    logits, yes, no = torch.rand(3, 2, 5, generator=generator, dtype=torch.float64)
    return 4.0 * logits - 2.0, yes, no


def _twice(first: Tensor, second: Tensor) -> Tensor:
    return torch.cat([first, second], dim=-1)
