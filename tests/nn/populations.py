"""Small populations and rows that the tests of networks share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from logiclens.nn._descent import PopulationRows
from logiclens.nn.criteria import iff_loss
from logiclens.nn.entropy import EntropyNetwork
from logiclens.nn.mu import MuNetwork
from logiclens.nn.population import LogicNetwork
from logiclens.nn.psi import PsiNetwork
from logiclens.nn.relu import ReluNetwork
from logiclens.nn.training import Plan

N_CONCEPTS = 5
KINDS: dict[str, tuple[type[Any], dict[str, Any]]] = {
    "mu": (MuNetwork, {"max_concepts": 3}),
    "psi": (PsiNetwork, {"fan_in": 2}),
    "relu": (ReluNetwork, {}),
    "entropy": (EntropyNetwork, {"max_concepts": 4, "tau": 0.3}),
}


def streams(members: int, seed: int = 0) -> list[np.random.Generator]:
    return [np.random.default_rng([seed, member]) for member in range(members)]


def make(
    kind: str,
    members: int = 3,
    hidden: Sequence[int] = (4,),
    *,
    n_concepts: int = N_CONCEPTS,
    l1: Sequence[float] | None = None,
    seed: int = 0,
    **settings: Any,
) -> LogicNetwork:
    """A population in double precision; members have penalties of their own."""
    network, defaults = KINDS[kind]
    strengths = [0.002 * (1 + member) for member in range(members)] if l1 is None else l1
    made: LogicNetwork = network(
        streams(members, seed), n_concepts, hidden, strengths, **{**defaults, **settings}
    )
    return made.double()


def random_x(n: int = 40, n_concepts: int = N_CONCEPTS, *, boolean: bool = True, seed: int = 1) -> Tensor:
    values = np.random.default_rng(seed).random((n, n_concepts))
    return torch.from_numpy((values > 0.5).astype(float) if boolean else values)


def rows_of(x: Tensor, targets: Tensor, share: float = 0.7, seed: int = 2) -> PopulationRows:
    """Rows with targets (members, n) in [0, 1]; a share is to learn from, the rest to check with."""
    training = torch.from_numpy((np.random.default_rng(seed).random(targets.shape) < share).astype(float))
    weight, check = training / targets.shape[1], (1 - training) / targets.shape[1]
    return PopulationRows(x, weight * targets, weight * (1 - targets), check * targets, check * (1 - targets))


def some_rows(members: int = 3, n: int = 40, *, boolean: bool = True, share: float = 0.7) -> PopulationRows:
    """Each member has a target of its own: and, or, and exclusive or of concepts, with some noise."""
    x = random_x(n, boolean=boolean)
    true = x > 0.5
    clean = [true[:, 0] & true[:, 1], true[:, 1] | true[:, 2], true[:, 3] ^ true[:, 4], true[:, 2]]
    noise = torch.from_numpy(np.random.default_rng(3).random((4, n)) < 0.1)
    targets = (torch.stack(clean) ^ noise)[torch.arange(members) % 4].double()
    return rows_of(x, targets, share)


def plan(**settings: Any) -> Plan:
    defaults: dict[str, Any] = {"criterion": iff_loss, "epochs": 40, "learning_rate": 0.05, "patience": 10}
    return Plan(**{**defaults, **settings})
