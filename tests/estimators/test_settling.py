"""Settling: networks move to their rules where they hardly care, and stay put where they would lose."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from logiclens.estimators import settling
from logiclens.estimators.asking import ask
from logiclens.estimators.settling import settle
from logiclens.nn.criteria import iff_loss
from logiclens.nn.mu import MuNetwork
from logiclens.nn.plan import Plan
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
    (settled,) = settle([made], X, [rule], [ONES], [UNCHECKED], PLAN, [False])

    assert ((ask(settled, X) > 0) == rule).all()


def test_a_network_that_agrees_is_left_as_it_is():
    """Its gradients would be rounding errors, which Adam would follow at full speed."""
    made = network()
    before = weights(made)
    (settled,) = settle([made], X, [ask(made, X) > 0], [ONES], [UNCHECKED], PLAN, [False])

    assert all(torch.equal(a, b) for a, b in zip(before, weights(settled), strict=True))


@pytest.fixture
def taught(monkeypatch: pytest.MonkeyPatch) -> list[tuple]:
    """What is trained, each time that something is."""
    calls, train = [], settling.train
    monkeypatch.setattr(settling, "train", lambda *args: calls.append(args) or train(*args))
    return calls


def parity() -> tuple[MuNetwork, np.ndarray]:
    """A network, and a rule that it differs from on half of the tuples."""
    return network(), ((X[:, :3].sum(axis=1) % 2) > 0.5)[:, None]


def test_what_a_round_leaves_undone_the_next_ones_do():
    short = replace(PLAN, epochs=40)

    def off(rounds: int) -> int:
        made, rule = parity()
        (settled,) = settle([made], X, [rule], [ONES], [UNCHECKED], short, [False], rounds)
        return int(((ask(settled, X) > 0) != rule).sum())

    assert off(1) > 0
    assert off(20) == 0


def test_rounds_end_where_there_is_nothing_left_to_learn(taught):
    made = network()
    rule = ask(made, X) > 0
    rule[(X == X[5]).all(axis=1)] ^= True
    settle([made], X, [rule], [ONES], [UNCHECKED], PLAN, [False], 50)

    assert 1 <= len(taught) < 5


def test_a_network_that_refused_a_rule_is_not_asked_again(taught):
    made = network()
    said = ask(made, X) > 0
    check = np.stack([~said, said], axis=2).astype(float)
    settle([made], X, [~said], [ONES], [check], PLAN, [False], 5)

    assert len(taught) == 1


def test_a_tuple_of_few_rows_is_learned_sooner_because_it_counts_more(monkeypatch):
    """It weighs two fifths of any other, and epochs are few: counted once, no network learns it."""
    rare = (X == X[5]).all(axis=1)

    def learned(seed: int) -> bool:
        made = network(seed)
        rule = (ask(made, X) > 0) ^ rare[:, None]
        weight = np.where(rare, 0.4, 1.0)
        (settled,) = settle([made], X, [rule], [weight], [UNCHECKED], replace(PLAN, epochs=60), [False])
        return bool(((ask(settled, X) > 0) == rule)[rare].all())

    assert sum(map(learned, range(5))) >= 4
    monkeypatch.setattr(settling, "EMPHASIS", 1.0)
    assert sum(map(learned, range(5))) == 0


def test_answers_end_well_on_the_side_of_the_rule():
    made, rule = parity()
    long = replace(PLAN, epochs=2000)
    (settled,) = settle([made], X, [rule], [ONES], [UNCHECKED], long, [False], 5)
    chance = 1.0 / (1.0 + np.exp(-ask(settled, X)))

    assert np.where(rule, chance, 1.0 - chance).min() > 0.6


def test_rows_of_weight_zero_do_not_count():
    made = network()
    before = weights(made)
    rule = ask(made, X) > 0
    rule[:16] ^= True
    (settled,) = settle([made], X, [rule], [np.r_[np.zeros(16), np.ones(64)]], [UNCHECKED], PLAN, [False])

    assert all(torch.equal(a, b) for a, b in zip(before, weights(settled), strict=True))


def test_a_network_that_would_lose_accuracy_keeps_its_weights():
    """The rows held out say that the network was right and its rule is not."""
    made = network()
    said = ask(made, X) > 0
    before = weights(made)
    check = np.stack([~said, said], axis=2).astype(float)
    (settled,) = settle([made], X, [~said], [ONES], [check], PLAN, [False])

    assert all(torch.equal(a, b) for a, b in zip(before, weights(settled), strict=True))


def test_folds_settle_each_for_itself():
    first, second = network(1), network(2, members=2)
    rules = [ask(first, X) > 0, ask(second, X) > 0]
    rules[1][(X == X[5]).all(axis=1), 0] ^= True
    settled = settle(
        [first, second], X, rules, [ONES, ONES], [UNCHECKED, np.zeros((len(X), 2, 2))], PLAN, [False, False]
    )

    assert [found.members for found in settled] == [1, 2]
    for found, rule in zip(settled, rules, strict=True):
        assert ((ask(found, X) > 0) == rule).all()
        assert found.l1.tolist() == [np.float32(0.01)] * found.members


def test_on_rounded_scores_a_network_settles_for_all_rows_that_round_to_the_same():
    """It is taught sixteen rows in place of eighty, and answers as its rule on the scores themselves."""
    scores = np.abs(X - 0.02 * np.random.default_rng(0).random(X.shape))
    made = network()
    rule = ask(made, scores) > 0
    rule[(X == X[5]).all(axis=1)] ^= True
    twin = network()
    (settled,) = settle([made], scores, [rule], [ONES], [UNCHECKED], PLAN, [True])
    (apart,) = settle([twin], scores, [rule], [ONES], [UNCHECKED], PLAN, [False])

    assert ((ask(settled, scores) > 0) == rule).all()
    assert ((ask(apart, scores) > 0) == rule).all()
    assert not np.array_equal(ask(settled, scores), ask(apart, scores))


def test_folds_that_are_rounded_and_folds_that_are_not_settle_side_by_side():
    first, second = network(seed=1), network(seed=2)
    rules = [~(ask(first, X) > 0), ~(ask(second, X) > 0)]
    (alone,) = settle([network(seed=2)], X, [rules[1]], [ONES], [UNCHECKED], PLAN, [False])
    _, beside = settle([first, second], X, rules, [ONES, ONES], [UNCHECKED, UNCHECKED], PLAN, [True, False])

    np.testing.assert_allclose(ask(beside, X), ask(alone, X), atol=1e-3)
