"""Settling: a network gives way to its own rule.

A rule that is short enough to read differs from the network on some tuples. Most of these are tuples about
which the network was nearly undecided. In a few further epochs each network is taught its own answers
again, moved to the rule's side of one half where they are not well on it; rows on which the two differ count
more. A network that still differs then may go another round. So what the rule says is, nearly everywhere,
what the network does. A network that agrees with its rule already, or whose validation accuracy would fall by
more than two standard errors, keeps its weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor

from logiclens.estimators.asking import logits_on
from logiclens.estimators.fitting import members_at_once
from logiclens.estimators.rounding import rounded
from logiclens.logic.arrays import BoolArray, FloatArray
from logiclens.nn.criteria import iff_loss
from logiclens.nn.plan import Plan
from logiclens.nn.population import LogicNetwork, join
from logiclens.nn.rows import Rows, merge_rows
from logiclens.nn.threads import threads_for
from logiclens.nn.training import train

MARGIN = 0.25
"""How far beyond one half, on the rule's side, the target of a row lies at least."""

EMPHASIS = 4.0
"""How many times rows count on which network and rule differ; tuples of few rows would be learned late."""

STANDARD_ERRORS = 2.0
"""A network keeps its weights where its validation accuracy would fall by more standard errors."""

N = TypeVar("N", bound=LogicNetwork)


def settle(
    networks: Sequence[N],
    x: FloatArray,
    rules: Sequence[BoolArray],
    weights: Sequence[FloatArray],
    checks: Sequence[FloatArray],
    plan: Plan,
    coarse: Sequence[bool],
    rounds: int = 1,
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
        Weight of validation rows as no and as yes, by output; together the number of rows they stand for.
    plan : Plan
        How the networks were trained.
    coarse : sequence of bool
        Whether each was trained on rounded scores (:mod:`~logiclens.estimators.rounding`); so it settles.
    rounds : int, default 1
        How often a network that still differs from its rule is taught, at most.

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
        np.concatenate([c.transpose(1, 0, 2) for c in checks]), dtype=torch.float64, device=device
    )
    rough = torch.as_tensor(np.repeat(coarse, [n.members for n in networks]), device=device)
    taught: dict[bool, _Taught] = {}
    before = logits_on(whole, data) > 0
    said_yes, gives_way = before.clone(), torch.ones_like(rough)
    for _ in range(rounds):
        # A network that agrees with its rule has nothing to learn.
        differs = gives_way & ((said_yes != said) & (weight > 0)).any(dim=1)
        if not differs.any():
            break
        for coarsely in (False, True):
            waiting = torch.nonzero(differs & (rough == coarsely)).squeeze(1)
            if not len(waiting):
                continue
            if coarsely not in taught:
                taught[coarsely] = _Taught.rounded(x, data) if coarsely else _Taught.on(data)
            for index in torch.split(waiting, members_at_once(whole, len(data))):
                lesson, learns = taught[coarsely].lesson(whole.select(index), said[index], weight[index])
                gives_way[index[~learns]] = False
                index = index[learns]
                if not len(index):
                    continue
                moved = _moved(whole.select(index), lesson.select(learns), plan)
                now = logits_on(moved, data) > 0
                worse = _clearly_worse(now, before[index], check[index])
                gives_way[index[worse]] = False
                kept = torch.nonzero(~worse).squeeze(1)
                whole.put(index[kept], moved.select(kept))
                said_yes[index[kept]] = now[kept]
    sizes = [network.members for network in networks]
    parts = torch.split(torch.arange(whole.members, device=device), sizes)
    return [whole.select(part) for part in parts]


@dataclass(frozen=True, eq=False)
class _Taught:
    """Rows that networks are taught, (n, n_concepts), and which of them each row of the data is."""

    rows: Tensor
    place: Tensor

    @classmethod
    def on(cls, data: Tensor) -> _Taught:
        return cls(data, torch.arange(len(data), device=data.device))

    @classmethod
    def rounded(cls, x: FloatArray, data: Tensor) -> _Taught:
        return cls(*merge_rows(torch.as_tensor(rounded(x)).to(data)))

    @torch.no_grad()
    def lesson(self, network: LogicNetwork, said: Tensor, weight: Tensor) -> tuple[Rows, Tensor]:
        """The members' own answers, well on the rule's side; and which of them have something to learn.

        Rows that are taught as one have the same truths, so a rule says the same about them.
        """
        with threads_for(said.numel()):
            weight = weight / weight.sum(dim=1, keepdim=True).clamp(min=1e-12)
            weight = weight.new_zeros(len(weight), len(self.rows)).index_add_(1, self.place, weight)
            logits = logits_on(network, self.rows)
            rule = torch.zeros_like(logits, dtype=torch.bool)
            rule[:, self.place] = said
            differs = (logits > 0) != rule
            own = torch.sigmoid(logits)
            target = torch.where(rule, own.clamp(min=0.5 + MARGIN), own.clamp(max=0.5 - MARGIN))
            counts = torch.where(differs, EMPHASIS * weight, weight)
            rows = Rows(self.rows, counts * target, counts * (1 - target), counts * 0, counts * 0)
        return rows, (differs & (weight > 0)).any(dim=1)


def _moved(network: N, rows: Rows, plan: Plan) -> N:
    """The members after further epochs on what they are taught."""
    strength = network.l1
    network.l1 = strength * 0
    short = replace(
        plan,
        criterion=iff_loss,
        exploration=None,
        epochs=max(plan.epochs // 2, 1),
        prune=False,
        patience=plan.epochs,
        epsilon=1e-4,  # most rows already have their target: what is left of their gradients is rounding
    )
    network, _ = train(network, rows, short)
    network.l1 = strength
    return network


def _clearly_worse(now: Tensor, before: Tensor, check: Tensor) -> Tensor:
    """Members whose validation accuracy fell by more than chance explains."""
    no, yes = check.unbind(dim=2)
    total = (no + yes).sum(dim=1).clamp(min=1e-12)
    accuracy_now, accuracy = (torch.where(said, yes, no).sum(dim=1) / total for said in (now, before))
    error = (accuracy * (1 - accuracy) / total.clamp(min=1.0)).sqrt()
    return accuracy_now < accuracy - STANDARD_ERRORS * error - 1e-9  # equals but for rounding
