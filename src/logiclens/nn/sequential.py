"""What a model of your own is made of: its linear layers, in order, and whether they can be read exactly.

L1 penalties and pruning take any model that has :class:`torch.nn.Linear` layers. Reading a network neuron by
neuron (psi) or as an affine map at each row (ReLU) takes more: a :class:`torch.nn.Sequential` of linear
layers with the network's own activation between them. Anything else is refused here, in one line.
"""

from __future__ import annotations

from collections.abc import Iterator

from torch import nn

from logiclens.errors import InputError, shown
from logiclens.nn.attention import EntropyLinear
from logiclens.nn.steps import StepSigmoid

_ACTIVATIONS: dict[str, tuple[type[nn.Module], ...]] = {
    "psi": (nn.Sigmoid, StepSigmoid),
    "ReLU": (nn.ReLU,),
}


def linear_layers(model: nn.Module) -> list[nn.Linear]:
    """The linear layers of any model, in the order in which it lists them.

    Examples
    --------
    >>> len(linear_layers(nn.Sequential(nn.Linear(3, 2), nn.Tanh(), nn.Linear(2, 1))))
    2
    """
    if not isinstance(model, nn.Module):
        raise InputError(f"A model must be a torch.nn.Module. Got {shown(model)}.")
    found = [layer for layer in model.modules() if isinstance(layer, nn.Linear)]
    if not found:
        raise InputError(f"The model {type(model).__name__} has no torch.nn.Linear layer. Use at least one.")
    return found


def first_linear(model: nn.Module) -> nn.Linear:
    """The linear layer that reads the concepts: the first one that the model lists."""
    return linear_layers(model)[0]


def psi_layers(model: nn.Module) -> list[nn.Linear]:
    """The linear layers of a psi network of your own, first to last.

    Parameters
    ----------
    model : torch.nn.Sequential
        Linear layers with Sigmoid or :class:`~logiclens.nn.steps.StepSigmoid` between them, and perhaps one
        of these at the end.
    """
    return _layers(model, "psi")


def relu_layers(model: nn.Module) -> list[nn.Linear]:
    """The linear layers of a ReLU network of your own, first to last.

    Parameters
    ----------
    model : torch.nn.Sequential
        Linear layers with ReLU between them, and perhaps a Sigmoid at the end.
    """
    return _layers(model, "ReLU")


def parts(model: nn.Module) -> Iterator[nn.Module]:
    """The parts of a model one after the other, those of a Sequential inside a Sequential in its place."""
    if isinstance(model, nn.Sequential):
        for part in model:
            yield from parts(part)
    else:
        yield model


def _layers(model: nn.Module, kind: str) -> list[nn.Linear]:
    if not isinstance(model, nn.Sequential):
        raise InputError(f"A {kind} network must be a torch.nn.Sequential. Got {_named(model)}.")
    allowed = _ACTIVATIONS[kind]
    found: list[nn.Linear] = []
    chain = list(parts(model))
    if len(chain) > 1 and len(chain) % 2 == 0 and isinstance(chain[-1], (nn.Sigmoid, StepSigmoid)):
        chain.pop()
    for number, part in enumerate(chain):
        if number % 2 == 0 and isinstance(part, nn.Linear) and not isinstance(part, EntropyLinear):
            found.append(part)
        elif number % 2 == 0 or not isinstance(part, allowed) or number == len(chain) - 1:
            raise InputError(
                f"A {kind} network has Linear layers with {allowed[0].__name__} between them and at most a "
                f"Sigmoid at the end. Got {_named(part)} as part {number}; leave it out, or explain the "
                "model by its answers alone with explain_network."
            )
    if not found:
        raise InputError(f"A {kind} network has at least one Linear layer. Got an empty Sequential.")
    return found


def _named(part: object) -> str:
    return f"{type(part).__name__}" if isinstance(part, nn.Module) else shown(part)
