"""Settling: networks move to their rules where they hardly care, and stay put where they would lose."""

from __future__ import annotations

import numpy as np
import torch

from logiclens.estimators.asking import ask
from logiclens.estimators.settling import settle
from logiclens.nn.criteria import iff_loss
from logiclens.nn.mu import MuNetwork
from logiclens.nn.training import Plan
from tests.estimators.toys import booleans

X, Y = booleans()
PLAN = Plan(criterion=iff_loss, epochs=200, learning_rate=0.05)
ONES = np.ones(len(X))
UNCHECKED = np.zeros((len(X), 1, 2))


def network(seed: int = 0, members: int = 1) -> MuNetwork:
    streams = [np.random.default_rng([seed, member]) for member in range(members)]
    return MuNetwork(streams, 4, (10,), [0.01] * members)


def weights(made: MuNetwork) -> list[torch.Tensor]:
    return [parameter.detach().clone() for parameter in made.parameters()]


def test_a_network_takes_over_what_its_rule_says():
    """It differs from the rule on one tuple of sixteen, and gives way."""
    made = network()
    rule = ask(made, X) > 0
    rule[(X == X[5]).all(axis=1)] ^= True
    (settled,) = settle([made], X, [rule], [ONES], [UNCHECKED], PLAN)

    assert ((ask(settled, X) > 0) == rule).all()


def test_a_network_that_agrees_is_left_as_it_is():
    """Its gradients would be rounding errors, which Adam would follow at full speed."""
    made = network()
    before = weights(made)
    (settled,) = settle([made], X, [ask(made, X) > 0], [ONES], [UNCHECKED], PLAN)

    assert all(torch.equal(a, b) for a, b in zip(before, weights(settled), strict=True))


def test_rows_of_weight_zero_do_not_count():
    made = network()
    before = weights(made)
    rule = ask(made, X) > 0
    rule[:16] ^= True
    (settled,) = settle([made], X, [rule], [np.r_[np.zeros(16), np.ones(64)]], [UNCHECKED], PLAN)

    assert all(torch.equal(a, b) for a, b in zip(before, weights(settled), strict=True))


def test_a_network_that_would_lose_accuracy_keeps_its_weights():
    """The rows held out say that the network was right and its rule is not."""
    made = network()
    said = ask(made, X) > 0
    before = weights(made)
    check = np.stack([~said, said], axis=2).astype(float)
    (settled,) = settle([made], X, [~said], [ONES], [check], PLAN)

    assert all(torch.equal(a, b) for a, b in zip(before, weights(settled), strict=True))


def test_folds_settle_each_for_itself():
    first, second = network(1), network(2, members=2)
    rules = [ask(first, X) > 0, ask(second, X) > 0]
    rules[1][(X == X[5]).all(axis=1), 0] ^= True
    settled = settle([first, second], X, rules, [ONES, ONES], [UNCHECKED, np.zeros((len(X), 2, 2))], PLAN)

    assert [found.members for found in settled] == [1, 2]
    for found, rule in zip(settled, rules, strict=True):
        assert ((ask(found, X) > 0) == rule).all()
        assert found.l1.tolist() == [np.float32(0.01)] * found.members
