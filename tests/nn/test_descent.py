"""Steps downhill: the gradient that is written out is that of autograd, and Adam is torch's."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from logiclens.nn._descent import AutogradDescent, PopulationRows, RectifierDescent, descent_of
from logiclens.nn.criteria import if_loss, iff_loss, only_if_loss
from logiclens.nn.mu import MuNetwork
from logiclens.nn.relu import ReluNetwork
from tests.nn.populations import KINDS, make, some_rows

CLOSE = {"rtol": 1e-9, "atol": 1e-12}


def gathered(network, rows: PopulationRows) -> PopulationRows:
    return PopulationRows(network.gather(rows.x), rows.yes, rows.no, rows.check_yes, rows.check_no)


def pruned(kind: str, n_concepts: int):
    """Some members keep fewer concepts than others, so that some weights are masked."""
    network = make(kind, n_concepts=n_concepts)
    keep = torch.ones(3, n_concepts, dtype=torch.bool)
    keep[0, 1:], keep[1, 0] = False, False
    network.narrow(keep)
    return network


@pytest.mark.parametrize("kind", ["mu", "relu"])
@pytest.mark.parametrize("criterion", [iff_loss, if_loss, only_if_loss])
@pytest.mark.parametrize("made", [make, pruned])
def test_the_gradient_written_out_is_that_of_autograd(kind, criterion, made):
    """Over steps, since moments and weights would part if one gradient were another."""
    rows = some_rows()
    mine, other = (made(kind, n_concepts=5) for _ in range(2))
    by_hand, by_autograd = RectifierDescent(mine), AutogradDescent(other)
    read, also_read = by_hand.read(gathered(mine, rows)), by_autograd.read(gathered(other, rows))

    for _ in range(5):
        losses = by_hand.step(read, criterion, 0.05)
        expected = by_autograd.step(also_read, criterion, 0.05)
        assert torch.allclose(losses, expected, **CLOSE)

    for a, b in zip(mine.parameters(), other.parameters(), strict=True):
        assert torch.allclose(a, b, **CLOSE)
    assert (mine.linears[0].weight[mine.linears[0].mask == 0] == 0).all()


@pytest.mark.parametrize(("kind", "hidden", "expected"), [
    ("mu", (4,), RectifierDescent),
    ("relu", (4,), RectifierDescent),
    ("mu", (4, 3), AutogradDescent),
    ("mu", (), AutogradDescent),
    ("psi", (4,), AutogradDescent),
    ("entropy", (4,), AutogradDescent),
])  # fmt: skip
def test_one_hidden_layer_of_rectifiers_is_differentiated_by_hand(kind, hidden, expected):
    assert type(descent_of(make(kind, hidden=hidden))) is expected


@pytest.mark.parametrize("name", [
    *("activation", "forward", "gather", "inputs", "logits", "outputs", "penalty", "strengths"),
])  # fmt: skip
@pytest.mark.parametrize("known", [MuNetwork, ReluNetwork])
def test_any_override_goes_through_autograd(known, name):
    """A gradient that is written out is that of one network, and of nothing like it."""
    own = type("Own", (known,), {name: lambda self, *rows: getattr(known, name)(self, *rows)})
    streams = [np.random.default_rng(seed) for seed in range(2)]

    for kind, expected in ((own, AutogradDescent), (known, RectifierDescent)):
        assert type(descent_of(kind(streams, 5, (4,), [0.0, 0.0]))) is expected


@pytest.mark.parametrize("kind", KINDS)
def test_members_that_stay_go_on_as_before(kind):
    rows, index = some_rows(), torch.tensor([2, 0])
    whole = make(kind)
    descent = descent_of(whole)
    some = None
    for step in range(6):
        if step == 3:  # from here on, two of the three also go on by themselves
            some = whole.select(index)
            apart = descent.select(index, some)
        descent.step(descent.read(gathered(whole, rows)), iff_loss, 0.05)
        if some is not None:
            apart.step(apart.read(gathered(some, rows.select(index))), iff_loss, 0.05)

    assert some is not None
    assert torch.allclose(some(rows.x), whole(rows.x)[index], **CLOSE)


def test_the_network_reads_the_weights_that_change():
    network, rows = make("mu"), some_rows()
    descent = descent_of(network)
    before = network(rows.x)

    descent.step(descent.read(gathered(network, rows)), iff_loss, 0.05)

    assert not torch.allclose(network(rows.x), before)
    assert [tuple(p.shape) for p in network.parameters()] == [tuple(p.shape) for p in make("mu").parameters()]
