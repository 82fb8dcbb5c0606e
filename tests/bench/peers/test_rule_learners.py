"""RIPPER and RUG as peers."""

from __future__ import annotations

import numpy as np
import pytest

from logiclens.bench.peers.part import Part
from logiclens.bench.peers.rule_learners import Ripper, Rug
from logiclens.bench.peers.sweep import Peer
from tests.bench.peers.rows import one_fold


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("peer", [Ripper(), Rug()], ids=lambda peer: peer.name)
def test_conditions_determine_answers(peer: Peer, classes: int):
    pytest.importorskip(peer.package)
    part = Part.training(one_fold(classes))
    begun = peer.begin(part, 0)
    for knob in peer.ladders(part)[-1][:4]:
        learned = peer.learn(begun, part, knob, 0)
        assert learned.asks is not None
        asked, said = learned.asks(part.columns), learned.predict(part.columns)
        answers: dict[bytes, set[int]] = {}
        for row, answer in zip(asked, said, strict=True):
            answers.setdefault(row.tobytes(), set()).add(int(answer))
        assert all(len(each) == 1 for each in answers.values())
        assert set(said) <= set(range(classes))
    assert (said == part.y).mean() > 0.75


@pytest.mark.parametrize("peer", [Ripper(), Rug()], ids=lambda peer: peer.name)
def test_a_class_without_rows(peer: Peer):
    pytest.importorskip(peer.package)
    part = Part.training(one_fold())
    wider = Part(part.columns, part.y * 2, 3)
    learned = peer.learn(peer.begin(wider, 0), wider, peer.ladders(wider)[-1][1], 0)

    assert set(learned.predict(part.columns)) <= {0, 2}


def test_no_rule_is_worth_its_price():
    pytest.importorskip("ruleopt")
    part, peer = Part.training(one_fold()), Rug()
    learned = peer.learn(peer.begin(part, 0), part, {"max_depth": 1, "penalty": 1e9}, 0)

    assert learned.printed == 0
    assert learned.asks is not None
    assert learned.asks(part.columns).shape == (len(part.y), 0)
    assert set(learned.predict(part.columns)) == {np.bincount(part.y).argmax()}
