"""Sweeps: what is common to all peers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from logiclens.bench.methods.method import DONE, Outcome
from logiclens.bench.peers.part import Part
from logiclens.bench.peers.sweep import LONGEST, Columns, Knob, Learned, Peer
from logiclens.bench.scoring import unfinished
from tests.bench.peers.rows import one_fold, people


@dataclass(frozen=True)
class Ages(Peer):
    """Says yes above an age; the larger the later."""

    name: str = "ages"
    title: str = "ages"
    sleep: float = 0.0

    def ladders(self, part: Part) -> Sequence[Sequence[Knob]]:
        assert set(part.columns) == {"age", "size", "color"}
        return [[{"age": 30}, {"age": 50}, {"age": 70}], [{"age": 40}]]

    def learn(self, begun: Any, part: Part, knob: Knob, seed: int) -> Learned:
        assert (begun is part, seed) == (True, 0)
        time.sleep(self.sleep)

        def asks(columns: Columns) -> np.ndarray:
            return (np.asarray(columns["age"], dtype=float) <= knob["age"])[:, None]

        def predict(columns: Columns) -> np.ndarray:
            return asks(columns)[:, 0].astype(int)

        return Learned(predict, asks, 1.0)


@dataclass(frozen=True)
class Sizes(Ages):
    """Says yes and no in turn, from size to size: no formula of it is short."""

    def learn(self, begun: Any, part: Part, knob: Knob, seed: int) -> Learned:
        del begun, knob, seed
        limits = np.unique(part.columns["size"])

        def asks(columns: Columns) -> np.ndarray:
            return np.asarray(columns["size"])[:, None] <= limits

        return Learned(lambda columns: asks(columns).sum(axis=1) % 2, asks, 1.0)


def test_every_size_is_rated_measured_and_tested():
    fold = one_fold()
    (outcome,) = Ages().fit([fold], 0)
    sizes = ["majority", "age=30", "age=50", "age=70", "age=40"]

    assert [point.knob for point in outcome.points] == sizes
    assert [point.literals for point in outcome.points] == [0.0, 1.0, 1.0, 1.0, 1.0]
    assert not outcome.cut
    said = (np.asarray(fold.columns_test["age"], dtype=float) <= 50).astype(int)
    assert outcome.points[2].test == (said == fold.y_test).mean()
    best = max(outcome.points, key=lambda point: point.validation)
    assert (outcome.answers == fold.y_test).mean() == best.test


def test_a_ladder_ends_where_formulas_are_long_or_a_fit_takes_long():
    fold = one_fold()
    (long,) = Sizes().fit([fold], 0)
    (slow,) = Ages(sleep=0.02, fit_seconds=0.01).fit([fold], 0)

    assert [point.knob for point in long.points] == ["majority", "age=30", "age=40"]
    assert long.points[1].literals > LONGEST
    assert not long.cut
    assert [point.knob for point in slow.points] == ["majority", "age=30", "age=40"]
    assert slow.cut


def test_rows():
    experiment, fold, peer = people(), one_fold(), Ages()
    (outcome,) = peer.fit([fold], 0)
    rows = peer.score(experiment, peer, fold, outcome)

    assert [row["part"] for row in rows] == [point.knob for point in outcome.points]
    assert {row["status"] for row in rows} == {DONE}
    assert rows[1]["test_accuracy"] == outcome.points[1].test
    stopped: Outcome = unfinished(fold, "not finished in 90 s", 90.0)
    (row,) = peer.score(experiment, peer, fold, stopped)
    assert (row["status"], row["test_accuracy"], row["part"]) == ("not finished in 90 s", None, "")
    assert row.keys() == rows[0].keys()
