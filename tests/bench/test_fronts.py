"""Fronts: runs, and the size that is chosen for each limit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from logiclens.bench import fronts
from logiclens.bench.fronts import LIMITS, Fronts, available, by_size, chosen, lead, run_fronts
from logiclens.bench.results import Results, read_rows
from logiclens.errors import InputError, MissingDependencyError
from tests.bench.peers.rows import people


def size(literals: float | None, validation: float | None, **more: Any) -> dict[str, Any]:
    row = {"experiment": "a", "method": "cart", "fold": 0, "part": str(literals), "status": "done"}
    row |= {"cut": False, "literals": literals, "printed": literals, "validation_accuracy": validation}
    return row | {"test_accuracy": validation} | more


def test_the_best_on_validation_rows_is_chosen_within_the_limit():
    rows = [size(0.0, 0.5), size(4.0, 0.8), size(5.0, 0.8), size(8.0, 0.7), size(12.0, 0.9), size(3.0, None)]
    picked = [chosen(rows, limit) for limit in LIMITS]

    assert [row and row["literals"] for row in picked] == [4.0, 4.0, 12.0, 12.0, 12.0]


def test_what_took_too_long_is_left_out_beyond_its_reach():
    cut = [size(0.0, 0.5, cut=True), size(12.0, 0.9, cut=True)]
    stopped = size(None, None, status="not finished in 1 s", method="figs")
    found = Fronts([*cut, stopped])

    assert [chosen(cut, limit) is None for limit in LIMITS] == [False, False, True, True, True]
    assert found.left_out() == {"cart": {"a": 20}, "figs": {"a": 5}}
    assert found.means("figs", 5) == {}


def test_means_are_over_all_folds_or_none():
    rows = [size(2.0, 0.8, fold=0), size(2.0, 0.9, fold=1), size(2.0, 0.9, fold=0, method="figs")]
    found = Fronts(rows)

    assert found.mean("a", "cart", 5) == pytest.approx(0.85)
    assert found.mean("a", "figs", 5) is None
    assert found.methods == ("cart", "figs")


def test_default_points_are_by_themselves():
    found = Fronts([size(2.0, 0.8), size(9.0, None, part="default", test_accuracy=0.7)])

    assert found.means("cart", None) == {"a": 0.7}
    assert found.means("cart", 80) == {"a": 0.8}


def test_leads_have_an_interval():
    mine, theirs = {"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.1}, {"a": 0.8, "b": 0.8, "c": 0.6, "e": 0.0}
    mean, spread, n = lead(mine, theirs)

    assert (n, mean) == (3, pytest.approx(0.2 / 3))
    assert spread == pytest.approx(4.302653 * np.std([0.1, 0.0, 0.1], ddof=1) / np.sqrt(3))
    assert lead({"a": 1.0}, {})[2] == 0
    assert np.isnan(lead({"a": 1.0}, {"a": 0.5})[1])


def test_a_run_is_kept_and_not_done_again(tmp_path: Path):
    steps = []
    for _ in range(2):
        results = Results(tmp_path)
        rows = run_fronts([people()], ["cart", "logistic"], results=results, progress=steps.append)
    results.save_table(rows)

    assert [step.kept for step in steps] == [False] * 6 + [True] * 6
    assert read_rows(tmp_path / "rows.jsonl") == rows
    found = Fronts(rows)
    assert found.methods == ("cart", "logistic")
    assert found.mean("people", "cart", 10) > 0.8
    assert [found.has_rules(name) for name in found.methods] == [True, False]


def test_another_time_for_a_fit_is_another_run(tmp_path: Path):
    steps = []
    for seconds in (60.0, 30.0):
        run_fronts(
            [people()], ["logistic"], results=Results(tmp_path), fit_seconds=seconds, progress=steps.append
        )

    assert not any(step.kept for step in steps)


def test_which_methods_there_are(monkeypatch: pytest.MonkeyPatch):
    told: list[str] = []
    monkeypatch.setattr(fronts, "is_installed", lambda package: package != "imodels")

    assert "figs" not in available([], told.append)
    assert told == ["figs is left out: it needs imodels. Run: pip install 'logiclens[bench]'"]
    assert available(["cart"], told.append) == ("cart",)
    with pytest.raises(InputError, match="Did you mean 'cart'"):
        available(["cat"], told.append)
    with pytest.raises(InputError, match="Unknown method 'tree'"):
        run_fronts([], ["tree"], results=Results("nowhere"))


def test_a_named_method_needs_its_package(monkeypatch: pytest.MonkeyPatch):
    peer = fronts.PEERS["figs"]
    monkeypatch.setattr(fronts, "PEERS", {"figs": type(peer)(package="no_such_package")})

    with pytest.raises(MissingDependencyError, match="FIGS needs the package no_such_package"):
        available(["figs"], print)


def test_small_files_come_first(tmp_path: Path):
    for name, text in (("a", "long text"), ("c", "1"), ("b", "2")):
        (tmp_path / name).write_text(text)

    assert [file.name for file in by_size(tmp_path.iterdir())] == ["b", "c", "a"]
