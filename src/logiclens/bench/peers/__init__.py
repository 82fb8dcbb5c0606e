"""Rule learners compared over the whole front of accuracy against length, each by a size of its own.

Packages that a method needs, ours included, are imported when it is fitted.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from logiclens.bench.peers.ceilings import Ceiling
from logiclens.bench.peers.ours import Network, Ours
from logiclens.bench.peers.rule_learners import Ripper, Rug
from logiclens.bench.peers.sweep import Peer
from logiclens.bench.peers.trees import Cart, Figs, Streed

__all__ = ["OURS", "PEERS", "Peer"]

OURS = "mu"
"""Name of the method that all others are compared with."""

PEERS: Mapping[str, Peer] = MappingProxyType(
    {
        peer.name: peer
        for peer in (
            Ours(),
            Cart(),
            Streed(),
            Figs(),
            Ripper(),
            Rug(),
            Network("mu_network", "network of mu"),
            Network("relu_network", "network of ReLU", kind="relu"),
            Ceiling("boosting", "gradient boosting"),
            Ceiling("mlp", "MLP"),
            Ceiling("logistic", "logistic regression"),
        )
    }
)
"""Every method by name, in the order of tables: those with rules first."""
