"""ResNet10: shapes, sizes, first weights, refusals."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from logiclens.errors import InputError
from logiclens.nn.resnet import STEMS, ResNet10, resnet10


@pytest.mark.parametrize("stem", STEMS)
@pytest.mark.parametrize("size", [8, 33])
def test_one_logit_for_each_concept(stem, size):
    network = resnet10(7, 1, width=4, stem=stem).eval()

    assert network(torch.zeros(2, 1, size, size)).shape == (2, 7)


@pytest.mark.parametrize(("stem", "side"), [("small", 32), ("medium", 16), ("large", 8)])
def test_the_stem_shrinks_large_pictures(stem, side):
    network = resnet10(2, 3, width=4, stem=stem).eval()

    assert network.stem(torch.zeros(1, 3, 32, 32)).shape == (1, 4, side, side)


def test_four_stages_of_one_block_each():
    """The paper's network: ten layers with weights, shortcuts aside."""
    network = resnet10(10)
    layers = [layer for layer in network.modules() if isinstance(layer, nn.Conv2d | nn.Linear)]
    on_the_way = [
        layer for layer in layers if not (isinstance(layer, nn.Conv2d) and layer.kernel_size == (1, 1))
    ]

    assert len(on_the_way) == 10
    assert [stage.second.out_channels for stage in network.stages] == [64, 128, 256, 512]
    assert isinstance(network.stages[0].shortcut, nn.Identity)


def test_first_weights_depend_on_the_seed_alone():
    torch.manual_seed(5)
    before = torch.get_rng_state()
    one, same, other = (resnet10(2, width=4, random_state=seed) for seed in (0, 0, 1))

    assert torch.equal(before, torch.get_rng_state())
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), same.parameters(), strict=True))
    assert not torch.equal(one.last.weight, other.last.weight)


def test_it_learns():
    pictures = torch.zeros(32, 1, 8, 8)
    pictures[:16, :, :, :4] = 1.0
    target = (torch.arange(32) < 16).float()[:, None]
    network = resnet10(1, 1, width=4)
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    for _ in range(20):
        loss = nn.functional.binary_cross_entropy_with_logits(network(pictures), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    assert loss.item() < 0.1


def test_dropout_acts_while_training_only():
    network = resnet10(3, 1, width=4, dropout=0.5)
    pictures = torch.rand(4, 1, 8, 8)
    network.eval()

    assert torch.equal(network(pictures), network(pictures))
    network.dropout.train()
    assert not torch.equal(network(pictures), network(pictures))


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"n_concepts": 0}, "n_concepts must be a whole number of at least 1."),
        ({"channels": 1.5}, "channels must be a whole number of at least 1."),
        ({"width": True}, "width must be a whole number of at least 1."),
        ({"stem": "tiny"}, "stem must be one of 'small', 'medium', 'large'."),
        ({"dropout": 1}, "dropout must be a number in"),
    ],
)
def test_sizes_that_make_no_sense(settings, text):
    with pytest.raises(InputError, match=text):
        ResNet10(**{"n_concepts": 2} | settings)


def test_a_seed_that_makes_no_sense():
    with pytest.raises(InputError, match="random_state must be a whole number of at least 0"):
        resnet10(2, random_state=-1)
