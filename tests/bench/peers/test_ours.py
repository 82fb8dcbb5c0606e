"""Our rules as a peer: one fit, every length."""

from __future__ import annotations

from logiclens.bench.peers.ours import Ours
from logiclens.bench.peers.sweep import DEFAULT
from tests.bench.peers.rows import one_fold


def test_one_front_gives_every_length_and_ends_with_the_default():
    (outcome,) = Ours().fit([one_fold()], 0)
    printed = [point.printed for point in outcome.points[:-1]]

    assert [point.knob for point in outcome.points[:3]] == ["majority", "literals=1", "literals=2"]
    assert outcome.points[-1].knob == DEFAULT
    assert printed == sorted(printed)
    assert all((point.literals == 0) == (point.printed == 0) for point in outcome.points)


def test_lengths_grow_with_the_classes():
    ladder = Ours().ladders(type("Part", (), {"n_classes": 6})())[0]

    assert [knob["literals"] for knob in ladder[:3]] == [3, 6, 9]
