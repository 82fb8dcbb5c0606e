"""Candidates in a checkpoint: the networks that exploring a sample found, as tensors and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from logiclens.estimators.candidates import Trained
from logiclens.estimators.fitting import Population
from logiclens.nn.population import LogicNetwork
from logiclens.scale.streaming.checkpoint import Stored

_HISTORY = ("loss_curve", "n_iter", "converged", "penalty", "searched")


def to_stored(trained: Trained[Any]) -> Stored:
    """Candidates as tensors, and what these do not say: numbers such as the steepness of steps.

    Parameters
    ----------
    trained : Trained
    """
    network = trained.network
    tensors = {name: tensor.detach().cpu().numpy() for name, tensor in network.state_dict().items()}
    settings = {
        name: value
        for name, value in vars(network).items()
        if isinstance(value, bool | int | float) and not name.startswith("_")
    }
    history = {name: np.asarray(getattr(trained, name)) for name in _HISTORY}
    return Stored({"network": settings, "coarse": trained.coarse}, {**tensors, **history})


def from_stored(stored: Stored, population: Population[Any], device: torch.device) -> Trained[Any]:
    """Inverse of :func:`to_stored`, for networks of the same kind.

    Parameters
    ----------
    stored : Stored
    population : Population
        How such networks are made.
    device : torch.device
    """
    tensors = stored.tensors
    l1, width = tensors["l1"].tolist(), tensors["layers.0.weight"].shape[2]
    streams = [np.random.default_rng(0)] * len(l1)  # for weights that are replaced below
    network: LogicNetwork = population.make(streams, width, l1, population.widths.common[0])
    if "columns" in tensors:
        network.columns = torch.tensor(tensors["columns"])
    network.load_state_dict(
        {name: torch.tensor(array) for name, array in tensors.items() if name not in _HISTORY}
    )
    for name, value in stored.entries["network"].items():
        setattr(network, name, value)
    history = (tensors[name] for name in _HISTORY)
    return Trained(network.to(device), *history, coarse=bool(stored.entries.get("coarse", False)))
