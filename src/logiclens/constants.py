"""The defaults that decide what a fit finds: cut points, mu and ReLU networks, and the search for rules.

``docs/explanation/ablations.md`` measures what the more important ones are worth. Limits of the search for
lists stand with it, in :mod:`logiclens.logic.decision_list`. Defaults of psi and entropy networks stand in
:mod:`logiclens.estimators.classifiers`, those of clusters in :mod:`logiclens.estimators.clusterer`.
"""

from __future__ import annotations

from typing import Final

MAX_CUTS: Final = 16
"""Cut points of a numeric column."""

WIDTHS: Final = (10, 20, 40)
"""Numbers of concepts that a mu or an entropy network may keep, beside all of them."""
HIDDEN: Final = (20,)
"""Units of the hidden layers."""
MU_L1: Final = (0.001, 0.006)
"""Penalties that a mu network chooses from."""
RELU_L1: Final = (0.0003, 0.003)
"""Penalties that a ReLU network chooses from."""
RESTARTS: Final = 5
"""Networks whose mean is the network. Each leaves out a part of the rows, which scores are computed on."""
EPOCHS: Final = 100
"""Passes over the rows of a small table."""

INFORMATION: Final = (0.0, 0.3)
"""What mutual information about rows without a label counts in the loss; held-out labels choose."""

DISTILLATION: Final = 0.5
"""Share of the network, beside the labels, in what rules are searched for."""
LITERAL_COST: Final = 0.001
"""Held-out accuracy that a literal must be worth to be shown; divided by the number of more than two
classes."""
IF_MISS, ONLY_IF_FALSE_YES = 199.0, 19.0
"""What a miss of an IF rule costs, and a false yes of an ONLY IF rule, where the other error costs 1."""
MAX_LITERALS: Final = (60, 20)
"""Where a front ends: literals for two classes, and literals per class for more."""
