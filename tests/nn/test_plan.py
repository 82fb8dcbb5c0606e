"""How a population is trained, and how that went."""

from __future__ import annotations

import pytest
import torch

from logiclens.nn.criteria import if_loss, iff_loss
from logiclens.nn.plan import History, Plan


@pytest.mark.parametrize(
    ("settings", "explored"),
    [
        ({}, 150),
        ({"epochs": 7}, 3),
        ({"prune": False}, 0),
        ({"prune": False, "exploration": if_loss}, 150),
    ],
)
def test_half_of_the_epochs_explore_where_there_is_a_reason_to(settings, explored):
    assert Plan(iff_loss, **settings).explored == explored


def test_after_the_last_epoch_a_loss_stays_what_it_was():
    first, last = torch.tensor([3.0, 2.0]), torch.tensor([1.0, 2.0])
    history = History([first, last])

    assert torch.equal(history.loss_at(0), first)
    assert torch.equal(history.loss_at(9), last)
    assert torch.equal(history.curve(), torch.tensor([[3.0, 2.0], [1.0, 2.0]]))
