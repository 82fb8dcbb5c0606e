"""The mu network: a light network for each target, few inputs (Sec. 5.2).

A strong L1 penalty on the first layer, then network-level pruning half-way through training: only the
concepts whose connections have the largest norm stay, and the network is fine-tuned on them. Hidden layers
are free: leaky rectifiers here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from torch import Tensor
from torch.nn.functional import leaky_relu

from logiclens.nn.population import LogicNetwork, Streams
from logiclens.nn.pruning import most_relevant, relative

FINE_TUNING_SHARE = 0.1
"""Share of the L1 penalty that stays, on all layers, after pruning."""


class MuNetwork(LogicNetwork):
    """A population of mu networks.

    Parameters
    ----------
    streams, n_concepts, hidden, l1
        As for :class:`~logiclens.nn.population.LogicNetwork`.
    max_concepts : int, default 8
        Concepts kept by pruning, the paper's zeta.
    tau : float, default 0
        Least relevance, relative to the most relevant concept, of a concept that is kept.
    """

    leak: ClassVar[float] = 0.01

    def __init__(
        self,
        streams: Streams,
        n_concepts: int,
        hidden: Sequence[int],
        l1: Sequence[float],
        *,
        max_concepts: int = 8,
        tau: float = 0.0,
    ) -> None:
        super().__init__(streams, n_concepts, hidden, l1)
        self.max_concepts = max_concepts
        self.tau = float(tau)

    def activation(self, inputs: Tensor) -> Tensor:
        return leaky_relu(inputs, self.leak)

    def strengths(self) -> list[Tensor]:
        """All on the first layer while every concept is read; after pruning a share of it on every layer."""
        if self.columns is None:
            return [self.l1, *(0.0 * self.l1 for _ in self.linears[1:])]
        return [FINE_TUNING_SHARE * self.l1 for _ in self.linears]

    def prune(self) -> None:
        """Network-level pruning: the inputs of largest L2 norm stay. Where all do, nothing is pruned."""
        norms = self.linears[0].kept_weight().detach().norm(dim=1)
        keep = most_relevant(self.spread(norms), self.max_concepts, self.tau)
        if not bool(keep.all()):
            self.narrow(keep)

    def relevance(self, x: Tensor) -> Tensor:  # noqa: ARG002 - the same for every row
        """L2 norm of the connections that leave each concept, largest 1, shape (members, n_concepts)."""
        return relative(self.spread(self.linears[0].kept_weight().detach().norm(dim=1)))
