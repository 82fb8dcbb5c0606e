"""Trees as peers: their conditions determine what they say."""

from __future__ import annotations

import numpy as np
import pytest

from logiclens.bench.peers.part import Part
from logiclens.bench.peers.sweep import DEFAULT, Peer
from logiclens.bench.peers.trees import Cart, Figs, Streed
from tests.bench.peers.rows import one_fold

PEERS = [Cart(), Figs(), Streed(concepts=8)]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)
def test_conditions_determine_answers(peer: Peer, classes: int):
    if peer.package:
        pytest.importorskip(peer.package)
    part = Part.training(one_fold(classes))
    begun = peer.begin(part, 0)
    for knob in peer.ladders(part)[0][:6]:
        learned = peer.learn(begun, part, knob, 0)
        assert learned.asks is not None
        asked, said = learned.asks(part.columns), learned.predict(part.columns)
        answers: dict[bytes, set[int]] = {}
        for row, answer in zip(asked, said, strict=True):
            answers.setdefault(row.tobytes(), set()).add(int(answer))
        assert all(len(each) == 1 for each in answers.values())
        assert learned.printed is not None
        assert learned.printed >= asked.shape[1]
    assert (said == part.y).mean() > 0.75


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)
def test_a_whole_sweep(peer: Peer):
    if peer.package:
        pytest.importorskip(peer.package)
    (outcome,) = peer.fit([one_fold(3)], 0)
    validated = [point.validation for point in outcome.points if point.validation is not None]

    assert max(validated) > 0.8
    assert outcome.points[0].literals == 0
    assert outcome.points[-1].literals > 3


def test_ways_of_cart_are_what_it_says():
    part = Part.training(one_fold(3))
    peer = Cart()
    learned = peer.learn(peer.begin(part, 0), part, {"max_leaf_nodes": 9}, 0)
    assert learned.asks is not None
    assert learned.ways is not None
    asked, said = learned.asks(part.columns), learned.predict(part.columns)
    for label, ways in learned.ways.items():
        held = ((ways[:, None] == 0) | (ways[:, None] == np.where(asked, 1, -1))).all(axis=2).any(axis=0)
        assert (held == (said == label)).all()


def test_cart_is_sized_by_cross_validation_by_default():
    (outcome,) = Cart().fit([one_fold()], 0)
    point = outcome.points[-1]

    assert (point.knob, point.validation) == (DEFAULT, None)
    assert point.test > 0.8
