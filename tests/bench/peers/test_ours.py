"""Our rules as a peer: one fit, every length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from logiclens import estimators
from logiclens.bench.peers.ours import Ours
from logiclens.bench.peers.sweep import DEFAULT
from logiclens.logic import Formula, Var
from tests.bench.peers.rows import one_fold


@dataclass
class Rules:
    """A rule set of so many literals."""

    literals: int

    @property
    def formulas(self) -> dict[int, Formula]:
        old = Var("color = red") if self.literals > 1 else Var("age > 50")
        return {0: old, 1: ~old}

    def predict(self, columns: dict[str, Any]) -> np.ndarray:
        age = np.asarray(columns["age"], dtype=float)
        yes = columns["color"] == "red" if self.literals > 1 else age > 50
        return np.where(yes, 0, 1)


class Classifier:
    """What the adapter asks of a classifier."""

    fits = 0

    def __init__(self, random_state: int, max_literals: int | None = None) -> None:
        self.random_state, self.max_literals = random_state, max_literals

    def fit(self, X: dict[str, Any], y: np.ndarray) -> Classifier:
        assert len(X["age"]) == len(y)
        Classifier.fits += 1
        return self

    def explain(self, literals: int = 2) -> Rules:
        return Rules(literals)


def test_two_fits_give_all_lengths_and_one_the_default(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(estimators, "MuClassifier", Classifier)
    monkeypatch.setattr(Classifier, "fits", 0)
    (outcome,) = Ours().fit([one_fold()], 0)

    assert Classifier.fits == 3
    assert [point.knob for point in outcome.points[:3]] == ["majority", "literals=1", "literals=2"]
    assert outcome.points[-1].knob == DEFAULT
    assert {point.literals for point in outcome.points[1:]} == {1.0}
    assert outcome.points[4].printed == 4.0


def test_lengths_grow_with_the_classes():
    ladder = Ours().ladders(type("Part", (), {"n_classes": 6})())[0]

    assert [knob["literals"] for knob in ladder[:3]] == [3, 6, 9]
