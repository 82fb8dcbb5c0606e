"""Settling: a network gives way to its own rule where it hardly cares.

A rule that is short enough to read differs from the network on some tuples. Most of these are tuples about
which the network was nearly undecided. In a few further epochs each network is taught its own answers
again, but for those rows, whose target is moved just across one half, to the side of the rule. What the
rule says is then what the network does. A network that agrees with its rule already, or whose validation
accuracy would fall by more than a standard error, keeps its weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
import torch

from logiclens.logic.arrays import BoolArray, FloatArray
from logiclens.nn.criteria import iff_loss
from logiclens.nn.population import LogicNetwork, join
from logiclens.nn.training import Plan, Rows, train

MARGIN = 0.15
"""How far beyond one half the target of a row lies on which network and rule differ."""

N = TypeVar("N", bound=LogicNetwork)


def settle(
    networks: Sequence[N],
    x: FloatArray,
    rules: Sequence[BoolArray],
    weights: Sequence[FloatArray],
    checks: Sequence[FloatArray],
    plan: Plan,
) -> list[N]:
    """Move networks towards their rules.

    Parameters
    ----------
    networks : sequence of LogicNetwork
        One for each fold, with a member for each output.
    x : ndarray of shape (n, n_concepts)
    rules : sequence of ndarray of bool, each (n, n_outputs)
        What the rules say.
    weights : sequence of ndarray, each (n,)
        Weight of the rows in each fold.
    checks : sequence of ndarray, each (n, n_outputs, 2)
        Weight of validation rows as no and as yes, by output.
    plan : Plan
        How the networks were trained.

    Returns
    -------
    list of LogicNetwork
    """
    whole = join(list(networks))
    device, dtype = whole.l1.device, whole.l1.dtype
    data = torch.as_tensor(x, dtype=dtype, device=device)
    said = torch.as_tensor(np.concatenate([r.T for r in rules]), device=device)  # (members, n)
    weight = torch.as_tensor(
        np.repeat(np.stack(weights), [n.members for n in networks], axis=0), dtype=dtype, device=device
    )
    check = torch.as_tensor(
        np.concatenate([c.transpose(1, 0, 2) for c in checks]), dtype=dtype, device=device
    )
    before = whole.select(torch.arange(whole.members, device=device))
    with torch.no_grad():
        logits = whole(data)
        p = torch.sigmoid(logits)
    side = 0.5 + MARGIN * torch.where(said, 1.0, -1.0)
    target = torch.where((logits > 0) == said, p, side)
    weight = weight / weight.sum(dim=1, keepdim=True).clamp(min=1e-12)
    rows = Rows(data, weight * target, weight * (1 - target), weight * 0, weight * 0)
    whole.l1 = whole.l1 * 0
    short = replace(
        plan, criterion=iff_loss, epochs=max(plan.epochs // 2, 1), prune=False, patience=plan.epochs
    )
    whole, _ = train(whole, rows, short)
    whole.l1 = before.l1
    # A network that agrees with its rule has nothing to learn; its gradients would be rounding errors.
    agrees = (((logits > 0) == said) | (weight == 0)).all(dim=1)
    with torch.no_grad():
        keep = agrees | _clearly_worse(whole(data) > 0, logits > 0, check)
    _restore(whole, before, keep)
    sizes = [network.members for network in networks]
    index = torch.split(torch.arange(whole.members, device=device), sizes)
    return [whole.select(part) for part in index]


def _clearly_worse(now: torch.Tensor, before: torch.Tensor, check: torch.Tensor) -> torch.Tensor:
    """Members whose validation accuracy fell by more than a standard error."""
    right_now = torch.where(now, check[:, :, 1], check[:, :, 0])
    right_before = torch.where(before, check[:, :, 1], check[:, :, 0])
    total = check.sum(dim=(1, 2)).clamp(min=1e-12)
    accuracy = right_before.sum(dim=1) / total
    error = (accuracy * (1 - accuracy) / total.clamp(min=1.0)).sqrt()
    return right_now.sum(dim=1) / total < accuracy - error


def _restore(network: LogicNetwork, before: LogicNetwork, which: torch.Tensor) -> None:
    with torch.no_grad():
        for parameter, old in zip(network.parameters(), before.parameters(), strict=True):
            parameter[which] = old[which]
