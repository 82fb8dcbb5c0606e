"""Methods, classifiers and metrics of one's own, in runs and in the command."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from sklearn.exceptions import ConvergenceWarning

from logiclens.bench import Results, TableExperiment, methods, read_rows, run
from logiclens.bench.method import object_at
from logiclens.bench.methods import METHODS, Tree, as_method, every_method
from logiclens.estimators import MuClassifier
from logiclens.metrics import HeldOut
from tests.bench.toy_runs import FirstConcept, Toy
from tests.cli.running import refused
from tests.cli.running import run as command
from tests.errors import error_of

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")

LETTERS = TableExperiment("letters", {"x": list("abcd") * 9}, list("yyn") * 12, n_folds=2)


class QuickClassifier(MuClassifier):
    """A classifier of one's own."""


QUICK = QuickClassifier(epochs=4, restarts=1, l1=0.01, device="cpu", random_state=3)


def n_rows(fold: HeldOut) -> float:
    return len(fold.x)


def half(fold: HeldOut) -> float:
    return len(fold.x) / 2


def no_number(fold: HeldOut) -> Any:
    return fold.names


def test_a_classifier_of_ones_own_is_a_method(tmp_path: Path):
    rows = run([LETTERS], [QUICK, "tree"], results=Results(tmp_path), scoring={"n": n_rows}, timings=False)

    assert {row["method"] for row in rows} == {"QuickClassifier", "tree"}
    assert {row["status"] for row in rows} == {"done"}
    assert [row["n"] for row in rows] == [row["n_test"] for row in rows]
    assert all(set(row["formulas"]) == {"n", "y"} for row in rows)
    assert QUICK.get_params()["random_state"] == 3


def test_a_class_is_taken_with_its_defaults():
    assert as_method(QuickClassifier).classifier.get_params() == QuickClassifier().get_params()
    assert as_method(Tree) == Tree()
    assert as_method(method := FirstConcept()) is method


@pytest.mark.parametrize("value", [3, "mu", dict, len, lambda: None])
def test_what_is_no_method_is_refused(value: Any):
    assert "A method is a logiclens.bench.FoldByFold, a classifier" in error_of(as_method, value)


def test_a_class_that_needs_arguments_is_refused():
    class Needy(FirstConcept):
        def __init__(self, what: Any) -> None: ...

    assert "Needy cannot be made without arguments" in error_of(as_method, Needy)


def test_classifiers_are_left_out_where_there_are_no_labels(tmp_path: Path):
    rows = run([Toy(supervised=False)], [QUICK, FirstConcept()], results=Results(tmp_path))

    assert {row["method"] for row in rows} == {"first"}


def test_other_metrics_are_other_work(tmp_path: Path):
    first, method = Results(tmp_path), FirstConcept()
    for scoring in (None, {"n": n_rows}, {"n": n_rows}, {"n": half}):
        rows = run([Toy(n_folds=1)], [method], results=first, scoring=scoring)

    assert len(method.calls) == 3
    assert [row["n"] for row in rows] == [5.0, 2.5]


@pytest.mark.parametrize(("scoring", "said"), [
    ({"fidelity": n_rows}, "needs a name of its own"),
    ([n_rows], "must be a mapping from a name to a function"),
    ({"n": 3}, "must be a mapping from a name to a function"),
])  # fmt: skip
def test_what_is_no_metric_is_refused(scoring: Any, said: str, tmp_path: Path):
    assert said in error_of(run, [Toy()], [FirstConcept()], results=Results(tmp_path), scoring=scoring)


def test_a_metric_that_is_no_number_is_a_failure(tmp_path: Path):
    rows = run([Toy(n_folds=1)], [FirstConcept()], results=Results(tmp_path), scoring={"n": no_number})

    assert {row["status"] for row in rows} == {
        "failed: InputError: The metric 'n' must be a number. Got ('red', 'red_wing', 'a & b')."
    }


def test_packages_offer_methods(monkeypatch: pytest.MonkeyPatch):
    """By entry points; a name of ours cannot be taken, and one that is broken is told of."""
    offered = [
        EntryPoint(name, value, methods.ENTRY_POINTS)
        for name, value in (
            ("first", "tests.bench.toy_runs:FirstConcept"),
            ("quick", f"{__name__}:QUICK"),
            ("mu", "tests.bench.toy_runs:FirstConcept"),
            ("broken", "no_such_module:Method"),
        )
    ]
    monkeypatch.setattr(
        methods, "entry_points", lambda group: offered if group == methods.ENTRY_POINTS else []
    )
    told: list[str] = []
    found = every_method(told.append)

    assert [*found] == [*METHODS, "first", "quick"]
    assert found["mu"] is METHODS["mu"]
    assert told == [
        "broken is left out: The module 'no_such_module' cannot be imported: "
        "ModuleNotFoundError: No module named 'no_such_module'"
    ]


@pytest.mark.parametrize(("place", "said"), [
    ("math", "Write module:name"),
    (":pi", "Write module:name"),
    ("math:tau.no", "has no 'tau.no'"),
])  # fmt: skip
def test_a_place_that_holds_nothing_is_refused(place: str, said: str):
    assert said in error_of(object_at, place)


def test_the_command_takes_methods_and_metrics_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    Path("tables").mkdir()
    Path("tables/a.csv").write_text("size,target\n" + "1,a\n2,b\n" * 12, encoding="utf-8")
    Path("own_len.py").write_text("def rows(fold):\n    return len(fold.x)\n", encoding="utf-8")
    words = ["bench", "tables", "tables", "--folds", "2", "--method", "tree"]
    result = command(*words, "--method", f"{__name__}:QUICK", "--scoring", "own_len:rows")

    assert result.exit_code == 0, result.output
    rows = read_rows("results/rows.jsonl")
    assert {row["method"] for row in rows} == {"tree", "QuickClassifier"}
    assert {row["rows"] for row in rows} == {12.0}
    assert "has no 'Other'" in refused(*words, "--method", "own_len:Other")
    assert "leave" in refused(*words, "--front", "--scoring", "own_len:rows").lower()
