"""What all methods share: outcomes, one-hot tables, stopwatches, folds one by one."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from logiclens.bench.experiments import Fold
from logiclens.bench.methods.method import DONE, FoldByFold, Outcome, Stopwatch, one_hot
from tests.bench.methods.toys import two_classes


@dataclass(frozen=True)
class Majority(FoldByFold):
    """Says the most frequent class."""

    name: str = "majority"
    title: str = "majority"

    def fit_fold(self, fold: Fold, seed: int) -> Outcome:
        answers = np.full(len(fold.y_test), np.bincount(fold.y_train).argmax() + seed)
        return Outcome(answers, one_hot(answers, 3), None, 0.0, 0.0)


def test_folds_are_fitted_one_by_one_in_their_order():
    first, second = two_classes()
    flipped = Fold(5, *(getattr(second, name) for name in ("concept_names", "class_names", "x_train")),
                   np.ones_like(second.y_train), second.x_test, second.y_test)  # fmt: skip
    method = Majority()
    found = method.fit([first, flipped, first], seed=1)

    assert [outcome.answers[0] for outcome in found] == [1, 2, 1]
    assert not method.together
    assert found[0].status == DONE == "done"
    assert found[0].list_literals is None


def test_one_hot():
    table = one_hot(np.array([2, 0]), 3)

    assert table.dtype == np.bool_
    assert table.tolist() == [[False, False, True], [True, False, False]]
    assert one_hot([], 2).shape == (0, 2)


def test_packages_are_loaded_before_time_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "slow_to_load.py").write_text("import time\nLOADED = time.perf_counter()\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    watch = Stopwatch("slow_to_load")
    loaded = sys.modules.pop("slow_to_load").LOADED

    assert watch._since >= loaded


def test_a_stopwatch_starts_again_with_every_lap(monkeypatch):
    now = iter([1.0, 3.0, 3.5])
    monkeypatch.setattr(time, "perf_counter", lambda: next(now))
    watch = Stopwatch()

    assert [watch.lap(), watch.lap()] == [2.0, 0.5]
