"""What all methods share, and code of other packages: found or missed with one line, seeded, silent."""

from __future__ import annotations

import random
import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from logiclens.bench.experiments import Fold
from logiclens.bench.method import (
    DONE,
    FoldByFold,
    Outcome,
    Stopwatch,
    is_installed,
    isolation,
    one_hot,
    package_for,
)
from logiclens.bench.methods import METHODS
from logiclens.errors import MissingDependencyError
from tests.bench.toys import two_classes


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


def test_what_is_installed():
    assert is_installed("numpy")
    assert is_installed("")
    assert not is_installed("no_such_package")
    assert package_for("x", "json") is sys.modules["json"]


@pytest.mark.parametrize("name", ["brl", "ripper"])
def test_a_package_that_is_missing(name, monkeypatch):
    monkeypatch.setitem(sys.modules, METHODS[name].package, None)
    with pytest.raises(MissingDependencyError, match=f"needs the package {METHODS[name].package}"):
        METHODS[name].fit(two_classes(), seed=0)


def test_generators_are_seeded_and_put_back():
    random.seed(1)
    np.random.seed(1)
    expected = random.random(), np.random.random()
    random.seed(1)
    np.random.seed(1)
    drawn = []
    for _ in range(2):
        with isolation(2**40):
            drawn.append((random.random(), np.random.random()))
    with pytest.raises(KeyError), isolation(0):
        raise KeyError

    assert drawn[0] == drawn[1]
    assert (random.random(), np.random.random()) == expected


def test_nothing_is_printed_or_warned_of(capsys):
    with isolation(0):
        sys.stdout.write("printed")
        warnings.warn("warned", stacklevel=1)
        warnings.showwarning("shown", RuntimeWarning, "here", 1)
    with pytest.warns(UserWarning, match="afterwards"):
        warnings.warn("afterwards", stacklevel=1)

    assert capsys.readouterr() == ("", "")
