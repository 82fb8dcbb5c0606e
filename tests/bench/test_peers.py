"""Rule learners at every size: their conditions determine what they predict."""

from __future__ import annotations

import numpy as np
import pytest

from logiclens.bench._sweep import DEFAULT, Peer, RawRows
from logiclens.bench.peers import PEERS, CartPeer, FigsPeer, RipperPeer, RugPeer, RulesPeer, StreedPeer
from tests.bench.people import one_fold

SIZED = [CartPeer(), FigsPeer(), StreedPeer(concepts=8), RipperPeer(), RugPeer()]
TREES, RULES = SIZED[:3], SIZED[3:]


def package_of(peer: Peer) -> None:
    if peer.package:
        pytest.importorskip(peer.package)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("peer", SIZED, ids=lambda peer: peer.name)
def test_conditions_determine_answers(peer: Peer, classes: int):
    package_of(peer)
    part = RawRows.training(one_fold(classes))
    x = peer.reader(part)(part.columns)
    for size in peer.ladders(classes)[-1][: 6 if peer in TREES else 4]:
        learned = peer.fit_size(x, part, size, 0)
        assert learned.conditions is not None
        asked, said = learned.conditions(x), learned.predict(x)
        answers: dict[bytes, set[int]] = {}
        for row, answer in zip(asked, said, strict=True):
            answers.setdefault(row.tobytes(), set()).add(int(answer))
        assert all(len(each) == 1 for each in answers.values())
        assert set(said) <= set(range(classes))
        assert learned.printed is not None
        assert peer in RULES or learned.printed >= asked.shape[1]
    assert (said == part.y).mean() > 0.75


@pytest.mark.parametrize("peer", TREES, ids=lambda peer: peer.name)
def test_a_whole_sweep(peer: Peer):
    package_of(peer)
    (outcome,) = peer.fit([one_fold(3)], 0)
    validated = [
        point.validation_accuracy for point in outcome.points if point.validation_accuracy is not None
    ]

    assert max(validated) > 0.8
    assert outcome.points[0].literals == 0
    assert outcome.points[-1].literals > 3


def test_ways_of_cart_are_what_it_says():
    part = RawRows.training(one_fold(3))
    peer = CartPeer()
    x = peer.reader(part)(part.columns)
    learned = peer.fit_size(x, part, {"max_leaf_nodes": 9}, 0)
    assert learned.conditions is not None
    assert learned.ways is not None
    asked, said = learned.conditions(x), learned.predict(x)
    for label, ways in learned.ways.items():
        held = ((ways[:, None] == 0) | (ways[:, None] == np.where(asked, 1, -1))).all(axis=2).any(axis=0)
        assert (held == (said == label)).all()


def test_cart_is_sized_by_cross_validation_by_default():
    (outcome,) = CartPeer().fit([one_fold()], 0)
    point = outcome.points[-1]

    assert (point.part, point.validation_accuracy) == (DEFAULT, None)
    assert point.test_accuracy > 0.8


@pytest.mark.parametrize("peer", RULES, ids=lambda peer: peer.name)
def test_a_class_without_rows(peer: Peer):
    package_of(peer)
    part = RawRows.training(one_fold())
    wider = RawRows(part.columns, part.y * 2, 3)
    x = peer.reader(wider)(part.columns)
    learned = peer.fit_size(x, wider, peer.ladders(3)[-1][1], 0)

    assert set(learned.predict(x)) <= {0, 2}


def test_no_rule_is_worth_its_price():
    pytest.importorskip("ruleopt")
    part, peer = RawRows.training(one_fold()), RugPeer()
    x = peer.reader(part)(part.columns)
    learned = peer.fit_size(x, part, {"max_depth": 1, "penalty": 1e9}, 0)

    assert learned.printed == 0
    assert learned.conditions is not None
    assert learned.conditions(x).shape == (len(part.y), 0)
    assert set(learned.predict(x)) == {np.bincount(part.y).argmax()}


def test_one_front_gives_every_length_and_ends_with_the_default():
    (outcome,) = RulesPeer().fit([one_fold()], 0)
    printed = [point.printed for point in outcome.points[:-1]]

    assert [point.part for point in outcome.points[:3]] == ["majority", "literals=1", "literals=2"]
    assert outcome.points[-1].part == DEFAULT
    assert printed == sorted(printed)
    assert all((point.literals == 0) == (point.printed == 0) for point in outcome.points)


def test_lengths_grow_with_the_classes():
    ladder = RulesPeer().ladders(6)[0]

    assert [size["literals"] for size in ladder[:3]] == [3, 6, 9]


@pytest.mark.parametrize("name", ["boosting", "mlp", "logistic"])
def test_a_ceiling_has_one_point_without_a_length(name: str):
    (outcome,) = PEERS[name].fit([one_fold(3)], 0)
    (point,) = outcome.points

    assert (point.literals, point.printed, point.validation_accuracy) == (None, None, None)
    assert point.test_accuracy > 0.75
