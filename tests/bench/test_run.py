"""Runs: every piece once, stored as it is done, the same whether killed, parallel or neither."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from joblib._parallel_backends import SequentialBackend, ThreadingBackend

from logiclens.bench._run import PieceReport, plan_pieces, run, training_seed
from logiclens.bench.experiments import Fold
from logiclens.bench.fold_scores import RATES, Row
from logiclens.bench.method import Outcome
from logiclens.bench.store import FinishedPiece, Results
from tests.bench.toy_runs import (
    KILLED_EXPERIMENTS,
    KILLED_METHODS,
    MOMENTS,
    MOST,
    Dying,
    Failing,
    FirstConcept,
    Toy,
    without_seconds,
)
from tests.errors import error_of

ROOT = Path(__file__).parents[2]
EXPERIMENTS_HERE = (Toy(), Toy('"; DROP TABLE x', 2, seed=1))
METHODS_HERE = (
    FirstConcept(),
    FirstConcept("population", together=True),
    FirstConcept("bare", has_rules=False),
)


def figures(rows: Sequence[Row]) -> list[Row]:
    return [without_seconds(row) for row in rows]


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    """Rows of an undisturbed run, one piece after the other, without seconds."""
    folder = tmp_path_factory.mktemp("undisturbed")
    return figures(run(EXPERIMENTS_HERE, METHODS_HERE, results=Results(folder)))


def test_one_row_for_each_fold_and_part_in_order(expected: list[Row]):
    place = [tuple(row[name] for name in ("experiment", "method", "fold", "part")) for row in expected]

    assert len(place) == len(set(place)) == (3 + 2) * 3 * 2
    assert place == sorted(place)
    assert {row["status"] for row in expected} == {"done"}
    assert {row["fold_seed"] for row in expected if row["experiment"] != "toy"} == {1}


def test_everything_is_stored_and_nothing_is_done_twice(tmp_path: Path, expected: list[Row]):
    methods = [replace(each, calls=[]) for each in METHODS_HERE]
    results = Results(tmp_path)
    first = run(EXPERIMENTS_HERE, methods, results=results)
    calls = [list(method.calls) for method in methods]
    steps: list[PieceReport] = []
    second = run(EXPERIMENTS_HERE, methods, results=results, progress=steps.append)

    assert calls == [[(0,), (1,), (2,), (0,), (1,)], [(0, 1, 2), (0, 1)], [(0,), (1,), (2,), (0,), (1,)]]
    assert [method.calls for method in methods] == calls
    assert first == second == results.rows()
    assert figures(first) == expected
    assert all(step.kept for step in steps)
    assert [step.done for step in steps] == list(range(1, 13))
    assert {step.total for step in steps} == {12}


def test_only_what_is_asked_for_comes_back(tmp_path: Path):
    results = Results(tmp_path)
    run(EXPERIMENTS_HERE, METHODS_HERE, results=results)
    rows = run([Toy()], [FirstConcept()], results=results)

    assert {(row["experiment"], row["method"]) for row in rows} == {("toy", "first")}


def test_other_folds_and_other_settings_are_other_work(tmp_path: Path):
    results, method, changed = Results(tmp_path), FirstConcept(together=True), FirstConcept(sleep=1e-6)
    for experiment in (Toy(), Toy(seed=4), Toy(n_folds=2)):
        run([experiment], [method], results=results)
    run([Toy()], [FirstConcept()], results=results)
    run([Toy()], [changed], results=results)

    assert method.calls == [(0, 1, 2), (0, 1, 2), (0, 1)]
    assert len(changed.calls) == 3


def test_progress_says_what_was_done(tmp_path: Path):
    steps: list[PieceReport] = []
    run([Toy(n_folds=1)], METHODS_HERE[:2], results=Results(tmp_path), progress=steps.append)

    assert steps == [
        PieceReport("toy", "first", (0,), "done", False, False, 1, 2),
        PieceReport("toy", "population", (0,), "done", False, False, 2, 2),
    ]


# --- killed and resumed


def test_an_interrupted_run_goes_on_where_it_was(tmp_path: Path):
    """The number of the fold that stops it is no setting: the piece is the same when it is let through."""
    results, steps = Results(tmp_path), list[PieceReport]()
    with pytest.raises(KeyboardInterrupt):
        run([Toy(n_folds=5)], [Failing(at=3, error=KeyboardInterrupt)], results=results)
    assert [row["fold"] for row in results.rows() if not row["part"]] == [0, 1, 2]
    rows = run([Toy(n_folds=5)], [Failing(at=9)], results=results, progress=steps.append)

    assert [(step.folds, step.kept) for step in steps] == [
        *(((fold,), True) for fold in (0, 1, 2)),
        *(((fold,), False) for fold in (3, 4)),
    ]
    assert figures(rows) == figures(
        run([Toy(n_folds=5)], [Failing(at=9)], results=Results(tmp_path / "undisturbed"))
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the run is forked, to be quick")
def test_a_run_killed_at_ten_random_moments_gives_the_same_results(tmp_path: Path):
    """By SIGKILL, which no code can catch: files are whole, and what is there is not done again."""
    undisturbed = run(KILLED_EXPERIMENTS, KILLED_METHODS, results=Results(tmp_path / "whole"))
    program = "import sys; from tests.bench.toy_runs import killed; print(*killed(sys.argv[1], 1))"
    command = [sys.executable, "-c", program, str(tmp_path / "killed")]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}"}
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    results = Results(tmp_path / "killed")
    before = len(results.rows())  # readable, every one
    steps: list[PieceReport] = []
    resumed = run(KILLED_EXPERIMENTS, KILLED_METHODS, results=results, progress=steps.append)

    assert ended.stdout.split() == ["9"] * MOMENTS
    assert MOMENTS // 2 <= sum(step.kept for step in steps) <= MOMENTS * MOST < len(steps)
    assert before == 2 * sum(len(step.folds) for step in steps if step.kept)
    assert figures(resumed) == figures(undisturbed)
    assert figures(results.rows()) == figures(undisturbed)
    assert all(row["seconds"] > 0 for row in resumed)


# --- side by side


@pytest.mark.parametrize("timings", [True, False])
def test_side_by_side_the_figures_are_the_same(timings: bool, tmp_path: Path, expected: list[Row]):
    methods = [replace(each, calls=[]) for each in METHODS_HERE]
    results = Results(tmp_path)
    with joblib.parallel_config(backend="threading"):
        rows = run(EXPERIMENTS_HERE, methods, results=results, n_jobs=2, timings=timings)

    assert figures(rows) == expected
    assert figures(results.rows()) == expected
    assert sum(len(method.calls) for method in methods) == 12 * (2 if timings else 1)


def test_side_by_side_in_processes(tmp_path: Path, expected: list[Row]):
    method = METHODS_HERE[-1]  # without rules: the processes need not import networks
    rows = run(EXPERIMENTS_HERE, [method], results=Results(tmp_path), n_jobs=2, timings=False)

    assert figures(rows) == [row for row in expected if row["method"] == method.name]


class AtOnce(SequentialBackend):
    """A backend that hands over all results at the end."""

    supports_return_generator = False


class Counted(ThreadingBackend):
    """A backend of somebody else."""

    used = 0

    def submit(self, func: Any, callback: Any = None) -> Any:
        type(self).used += 1
        return super().submit(func, callback)


@pytest.mark.parametrize("backend", [AtOnce, Counted])
def test_any_backend_of_joblib(backend: type[Any], tmp_path: Path, expected: list[Row]):
    joblib.register_parallel_backend("toy", backend)
    with joblib.parallel_config(backend="toy", n_jobs=2):
        rows = run(EXPERIMENTS_HERE, METHODS_HERE, results=Results(tmp_path), n_jobs=None, timings=False)

    assert figures(rows) == expected
    assert Counted.used or backend is AtOnce


def test_seconds_are_taken_alone_and_once(tmp_path: Path):
    method, results = FirstConcept(), Results(tmp_path)
    with joblib.parallel_config(backend="threading"):
        scored = run([Toy()], [method], results=results, n_jobs=2, timings=False)
        steps: list[PieceReport] = []
        timed = run([Toy()], [method], results=results, n_jobs=2, progress=steps.append)
        again = run([Toy()], [method], results=results, n_jobs=2)

    assert len(method.calls) == 6
    assert [(step.kept, step.timing) for step in steps] == [(True, False)] * 3 + [(False, True)] * 3
    assert steps[-1].done == steps[-1].total == 6
    assert timed == again
    assert figures(scored) == figures(timed)
    assert [row["seconds"] for row in scored] != [row["seconds"] for row in timed]


@dataclass(frozen=True)
class Tiring(FirstConcept):
    """Can be fitted once only."""

    name: str = "tiring"

    def fit(self, folds: Sequence[Fold], seed: int) -> list[Outcome]:
        if self.calls:
            raise ValueError("not again")
        return super().fit(folds, seed)


def test_a_fit_for_seconds_that_fails_leaves_the_figures(tmp_path: Path):
    with joblib.parallel_config(backend="threading"):
        rows = run([Toy(n_folds=1)], [Tiring()], results=Results(tmp_path), n_jobs=2)

    assert {row["status"] for row in rows} == {"done"}


# --- errors, and methods that take too long


def test_an_error_is_a_status_and_the_others_go_on(tmp_path: Path):
    results = Results(tmp_path)
    rows = run([Toy()], [Failing(), FirstConcept()], results=results)
    failed = [row for row in rows if row["status"] != "done"]

    assert len(rows) == 12
    assert [(row["fold"], row["part"]) for row in failed] == [(1, ""), (1, "last rows")]
    assert {row["status"] for row in failed} == {"failed: ValueError: no such luck"}
    assert {row[name] for row in failed for name in RATES} == {None}
    assert len(results.rows()) == 10  # to be tried again


@dataclass(frozen=True)
class Odd(FirstConcept):
    """Answers for too few folds, or for too few rows."""

    first: int = 0

    def fit(self, folds: Sequence[Fold], seed: int) -> list[Outcome]:
        few = np.zeros(1, dtype=np.intp)
        return [replace(each, answers=few) for each in super().fit(folds, seed)[self.first :]]


@pytest.mark.parametrize(
    ("first", "status"),
    [(1, "A method must give 3 outcomes. Got 2."), (0, "An outcome must have answers of shape (10,)")],
)
def test_an_outcome_that_does_not_fit_is_an_error_of_its_own(first: int, status: str, tmp_path: Path):
    rows = run([Toy()], [Odd(together=True, first=first)], results=Results(tmp_path))

    assert all(row["status"].startswith(f"failed: InputError: {status}") for row in rows)


def test_slow_methods_are_stopped_at_the_limit(tmp_path: Path):
    results = Results(tmp_path)
    slow = FirstConcept("slow", slow=True, sleep=60.0)
    rows = run([Toy(n_folds=1)], [slow], results=results, time_limit=0.05)
    steps: list[PieceReport] = []
    run([Toy(n_folds=1)], [slow], results=results, time_limit=0.05, progress=steps.append)

    assert {row["status"] for row in rows} == {"not finished in 0.05 s"}
    assert {row[name] for row in rows for name in RATES} == {None}
    assert rows[0]["seconds"] == 0.05
    assert [step.kept for step in steps] == [True]


def test_more_time_is_another_chance(tmp_path: Path):
    results, slow = Results(tmp_path), FirstConcept("slow", slow=True)
    (task,) = plan_pieces([Toy(n_folds=1)], [slow])
    row = run([Toy(n_folds=1)], [FirstConcept()], results=results)[0]
    given_up = row | {"method": "slow", "status": "not finished in 2 h"}
    results.store(FinishedPiece(task.key, (given_up,), timed=True, limit=7200.0))

    assert run([Toy(n_folds=1)], [slow], results=results, time_limit=60)[0]["status"] == "not finished in 2 h"
    assert run([Toy(n_folds=1)], [slow], results=results)[0]["status"] == "done"
    assert run([Toy(n_folds=1)], [slow], results=results, time_limit=60)[0]["status"] == "done"


def test_slow_methods_within_the_limit(tmp_path: Path):
    """In a process of its own the figures are the same, and an error or an early end is told."""
    experiment = [Toy(n_folds=1)]
    plain = run(experiment, [FirstConcept()], results=Results(tmp_path / "plain"))
    slow = run(
        experiment,
        [FirstConcept(slow=True), Failing(slow=True, at=0), Dying()],
        results=Results(tmp_path / "slow"),
        time_limit=300,
    )

    assert figures(slow[-2:]) == figures(plain)
    status = {row["method"]: row["status"] for row in slow[:-2]}
    assert status == {
        "dying": "failed: the process ended with exit code 3",
        "failing": "failed: ValueError: no such luck",
    }


def test_slow_methods_are_fitted_once_also_side_by_side(tmp_path: Path):
    slow = FirstConcept(slow=True)
    with joblib.parallel_config(backend="threading"):
        run([Toy()], [slow], results=Results(tmp_path), n_jobs=2)

    assert len(slow.calls) == 3


# --- what is asked for


def test_seeds_of_methods():
    assert training_seed(Toy(seed=5)) == 0
    assert training_seed(Toy(seed=5, n_folds=10, supervised=False)) == 50


def test_methods_by_name_where_they_apply():
    with_labels, without = Toy(), Toy("clusters", supervised=False)
    tasks = plan_pieces([with_labels, without], ["mu", "tree"])

    assert sorted({(task.experiment.name, task.method.name) for task in tasks}) == [
        ("clusters", "mu"),
        ("toy", "mu"),
        ("toy", "tree"),
    ]
    assert {type(task.method).__name__ for task in tasks if task.experiment is without} == {"Clusterer"}


@pytest.mark.parametrize(
    ("experiments", "methods", "text"),
    [
        ([Toy()], ["tres"], "Unknown method 'tres' for toy"),
        ([Toy(), Toy()], [FirstConcept()], "'first' on 'toy' is asked for twice"),
        ([Toy()], [FirstConcept(), FirstConcept(sleep=1.0)], "'first' on 'toy' is asked for twice"),
    ],
)
def test_each_is_known_and_asked_for_once(experiments: list[Toy], methods: list[Any], text: str):
    assert text in error_of(plan_pieces, experiments, methods)


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"n_jobs": 0}, "n_jobs must be a whole number other than 0, or None. Got 0."),
        ({"n_jobs": "2"}, "n_jobs must be a whole number other than 0, or None. Got '2'."),
        ({"time_limit": 0}, "time_limit must be a positive number of seconds. Got 0."),
        ({"time_limit": float("nan")}, "time_limit must be a positive number of seconds. Got nan."),
        ({"time_limit": float("inf")}, "time_limit must be finite. Leave it out for no limit."),
        ({"results": "folder"}, "results must be a Results. Got 'folder'; write Results('results')."),
    ],
)
def test_settings_that_cannot_be_used(settings: dict[str, Any], text: str, tmp_path: Path):
    given = {"results": Results(tmp_path)} | settings

    assert error_of(run, [Toy()], [FirstConcept()], **given) == text
