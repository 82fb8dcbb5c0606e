"""What a model of your own is made of, and what is refused."""

from __future__ import annotations

import pytest
from torch import nn

from logiclens.errors import InputError
from logiclens.nn.attention import EntropyLinear
from logiclens.nn.pruning import prune_fan_in
from logiclens.nn.sequential import first_linear, linear_layers, parts, psi_layers, relu_layers
from logiclens.nn.steps import StepSigmoid


class Wrapped(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inside = nn.Sequential(nn.Linear(3, 2), nn.Tanh())
        self.last = nn.Linear(2, 1)


def test_linear_layers_of_any_model_in_order():
    model = Wrapped()

    assert linear_layers(model) == [model.inside[0], model.last]
    assert first_linear(model) is model.inside[0]
    assert first_linear(nn.Sequential(EntropyLinear(3, 2), nn.Linear(2, 1))).in_features == 3


def test_nested_sequentials_are_flat():
    a, b, c = nn.Linear(1, 1), nn.Sigmoid(), nn.Linear(1, 1)

    assert list(parts(nn.Sequential(nn.Sequential(a, b), c))) == [a, b, c]
    assert psi_layers(nn.Sequential(nn.Sequential(a, b), nn.Sequential(c))) == [a, c]


@pytest.mark.parametrize("end", [[], [nn.Sigmoid()]])
def test_layers_with_their_own_activation_are_read(end):
    a, b, c = nn.Linear(3, 2), nn.Linear(2, 2), nn.Linear(2, 1)

    assert psi_layers(nn.Sequential(a, nn.Sigmoid(), b, StepSigmoid(), c, *end)) == [a, b, c]
    assert relu_layers(nn.Sequential(a, nn.ReLU(), b, nn.ReLU(), c, *end)) == [a, b, c]
    assert psi_layers(nn.Sequential(a, *end)) == [a]


def test_pruned_layers_are_linear_layers():
    model = nn.Sequential(nn.Linear(3, 2), nn.Sigmoid(), nn.Linear(2, 1))
    prune_fan_in(model, 1)

    assert len(psi_layers(model)) == 2


def refused(kind: str, activation: str, got: str, number: int) -> str:
    return (
        f"A {kind} network has Linear layers with {activation} between them and at most a Sigmoid at the "
        f"end. Got {got} as part {number}; leave it out, or explain the model by its answers alone with "
        "explain_network."
    )


@pytest.mark.parametrize(
    ("read", "layers", "message"),
    [
        (psi_layers, [nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 1)], refused("psi", "Sigmoid", "Tanh", 1)),
        (psi_layers, [nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1)], refused("psi", "Sigmoid", "ReLU", 1)),
        (
            relu_layers,
            [nn.Linear(2, 2), nn.Sigmoid(), nn.Linear(2, 1)],
            refused("ReLU", "ReLU", "Sigmoid", 1),
        ),
        (
            relu_layers,
            [nn.Linear(2, 2), nn.LeakyReLU(), nn.Linear(2, 1)],
            refused("ReLU", "ReLU", "LeakyReLU", 1),
        ),
        (psi_layers, [nn.Linear(2, 2), nn.Linear(2, 1)], refused("psi", "Sigmoid", "Linear", 1)),
        (psi_layers, [nn.Sigmoid(), nn.Linear(2, 1)], refused("psi", "Sigmoid", "Sigmoid", 0)),
        (relu_layers, [nn.Dropout(), nn.Linear(2, 1)], refused("ReLU", "ReLU", "Dropout", 0)),
        (relu_layers, [nn.Linear(2, 2), nn.ReLU()], refused("ReLU", "ReLU", "ReLU", 1)),
        (relu_layers, [nn.Linear(2, 2), nn.Softmax(dim=1)], refused("ReLU", "ReLU", "Softmax", 1)),
        (
            psi_layers,
            [nn.Linear(2, 2), nn.Sigmoid(), nn.Dropout(), nn.Linear(2, 1)],
            refused("psi", "Sigmoid", "Dropout", 2),
        ),
        (psi_layers, [], "A psi network has at least one Linear layer. Got an empty Sequential."),
    ],
)
def test_anything_else_is_refused_in_one_line(read, layers, message):
    with pytest.raises(InputError) as info:
        read(nn.Sequential(*layers))

    assert str(info.value) == message


def test_attention_is_not_a_plain_linear_layer():
    """Its weights alone do not say what it computes."""
    with pytest.raises(InputError) as info:
        relu_layers(nn.Sequential(EntropyLinear(2, 2), nn.ReLU(), nn.Linear(2, 1)))

    assert str(info.value) == refused("ReLU", "ReLU", "EntropyLinear", 0)


def test_only_a_sequential_can_be_read():
    with pytest.raises(InputError) as info:
        psi_layers(Wrapped())

    assert str(info.value) == "A psi network must be a torch.nn.Sequential. Got Wrapped."
