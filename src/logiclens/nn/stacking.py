"""Models of your own as a population: many copies of one architecture, trained side by side.

Any :class:`torch.nn.Module` will do. The parameters of all copies are stacked along a first axis and the
model runs once for all of them (:func:`torch.func.vmap`), so restarts of a small network cost little more
than one. Penalties and pruning of :mod:`logiclens.nn.pruning` take such a population, too: penalties add up
over the members, and each member is pruned for itself.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap

from logiclens.errors import InputError, count, shown


class StackedNetworks(nn.Module):
    """Models of one architecture with a leading population axis; see :func:`stack_networks`.

    Parameters
    ----------
    models : sequence of torch.nn.Module
        Alike but for the values of their parameters and buffers, all training or none.

    Attributes
    ----------
    members : int
    stacked : torch.nn.Module
        Holds the parameters and buffers, each with a leading axis of that length; not to be called itself.
    """

    def __init__(self, models: Sequence[nn.Module]) -> None:
        super().__init__()
        checked = list(models)
        if not checked or not all(isinstance(model, nn.Module) for model in checked):
            raise InputError(
                f"Networks to stack must be torch.nn.Modules, at least one. Got {shown(models)}."
            )
        shapes = [{name: value.shape for name, value in model.state_dict().items()} for model in checked]
        odd = next((at for at, shape in enumerate(shapes) if shape != shapes[0]), None)
        if odd is not None:
            raise InputError(
                f"Networks to stack must be of one architecture. Number {odd} has other layers than number 0."
            )
        parameters, buffers = stack_module_state(checked)
        self.members = len(checked)
        self.stacked = copy.deepcopy(checked[0])
        for name, value in [*parameters.items(), *buffers.items()]:
            owner, _, own_name = name.rpartition(".")
            holder = self.stacked.get_submodule(owner)
            fresh = value.detach()
            is_parameter = name in parameters
            (holder._parameters if is_parameter else holder._buffers)[own_name] = (
                nn.Parameter(fresh) if is_parameter else fresh
            )

    def forward(self, x: Tensor) -> Tensor:
        """Outputs of every member on the same rows.

        Parameters
        ----------
        x : Tensor of shape (n, ...)

        Returns
        -------
        Tensor of shape (members, n, ...)
        """

        def call(state: tuple[dict[str, Tensor], dict[str, Tensor]]) -> Tensor:
            out: Tensor = functional_call(self.stacked, state, (x,))
            return out

        parameters: dict[str, Tensor] = dict(self.stacked.named_parameters())
        state = parameters, dict(self.stacked.named_buffers())
        outputs: Tensor = vmap(call, randomness="different")(state)
        return outputs

    def member(self, index: int) -> nn.Module:
        """A copy of one member as the plain model it is, to explain it or to train it on."""
        if not isinstance(index, int) or not 0 <= index < self.members:
            raise InputError(
                f"A member is a number from 0 to {self.members - 1}. Got {shown(index)}; "
                f"the population has {count(self.members, 'member')}."
            )
        twin = copy.deepcopy(self.stacked)
        for module in twin.modules():
            for name, parameter in module._parameters.items():
                if parameter is not None:
                    module._parameters[name] = nn.Parameter(parameter.detach()[index].clone())
            for name, buffer in module._buffers.items():
                if buffer is not None:
                    module._buffers[name] = buffer[index].clone()
        return twin


def stack_networks(make: Callable[[], nn.Module], seeds: Sequence[int]) -> StackedNetworks:
    """Make a population of a model of your own, one member for each seed.

    Parameters
    ----------
    make : callable
        Returns a new model each time. Torch's random generators are seeded before each call and put back
        in the end, so that a member depends on its own seed alone and nothing global changes.
    seeds : sequence of int

    Returns
    -------
    StackedNetworks
        Called with rows of shape (n, n_concepts) it gives (members, n, n_outputs).

    Examples
    --------
    >>> def make():
    ...     return nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1))
    >>> networks = stack_networks(make, seeds=range(5))
    >>> x = torch.tensor([[0.0, 1.0], [1.0, 1.0]])
    >>> networks(x).shape
    torch.Size([5, 2, 1])
    >>> torch.allclose(networks(x)[3], networks.member(3)(x))
    True
    """
    devices = range(torch.cuda.device_count()) if torch.cuda.is_available() else []
    models = []
    with torch.random.fork_rng(devices=devices):
        for seed in seeds:
            torch.manual_seed(seed)
            models.append(make())
    return StackedNetworks(models)
