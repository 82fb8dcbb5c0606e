"""From Parquet to rules: right on all rows, the same in two processes, the same when killed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import torch
from sklearn.linear_model import LogisticRegression

from logiclens.concepts import ConceptEncoder
from logiclens.errors import FileError, InputError, UnknownColumnError
from logiclens.estimators import EntropyClassifier, MuClassifier, PsiClassifier, ReluClassifier
from logiclens.loading import load
from logiclens.logic import equivalent, parse_formula
from logiclens.scale import _fit_streaming, fit_streaming
from logiclens.scale._checkpoint import Checkpoint
from logiclens.scale._fit_streaming import check_same, last_change, run_of
from logiclens.scale._parquet_source import ParquetSource
from tests.scale.streaming.making import NAMES, scores, whole, write

ROOT = Path(__file__).parents[3]
PLANTED = parse_formula('(red & "a & b") | ~sweet')
FILES = ["network.safetensors", "sample.safetensors", "training.safetensors"]
QUICK: dict[str, Any] = {"random_state": 0, "epochs": 60, "restarts": 1}
LONG: dict[str, Any] = QUICK | {"epochs": 300}


@pytest.mark.parametrize("classifier", [MuClassifier, EntropyClassifier, PsiClassifier, ReluClassifier])
def test_the_planted_rule_is_found(folder: Path, classifier: Any):
    model = classifier(**LONG)

    returned = fit_streaming(model, folder, "y", batch_rows=100, sample=500)

    table = whole(folder)
    x = {name: table[name].to_numpy() for name in NAMES}
    y = table["y"].to_numpy()
    point = model.front_[model.front_.chosen]
    assert returned is model
    assert equivalent(model.explanations_["yes"].formula, PLANTED)
    assert 300 < model.explanations_["yes"].scores.n_rows <= 500
    assert (model.explanations_.predict(x) == y).mean() > 0.97
    assert classifier is PsiClassifier or point.accuracy == pytest.approx(0.98, abs=0.03)
    assert (model.predict(x) == y).mean() > 0.8
    assert model.feature_names_in_.tolist() == list(NAMES)


def test_of_few_rows_the_exploration_is_that_of_an_ordinary_fit(folder: Path):
    table = whole(folder)
    x = {name: table[name].to_numpy() for name in NAMES}
    ordinary = MuClassifier(**QUICK, encoder=None).fit(x, table["y"].to_numpy())

    model = fit_streaming(MuClassifier(**QUICK), folder, "y")

    n = len(ordinary.loss_curve_)
    np.testing.assert_allclose(model.loss_curve_[:n], ordinary.loss_curve_, rtol=1e-4)
    assert len(model.loss_curve_) == n + 1  # one batch
    assert equivalent(model.explanations_["yes"].formula, ordinary.explanations_["yes"].formula)
    assert model.seen_.n_rows == ordinary.seen_.n_rows == 1200


def test_rules_are_rated_on_rows_that_are_neither_trained_on_nor_searched(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    seen: list[Any] = []
    search, streamed = _fit_streaming.search_front, _fit_streaming.fine_tune
    monkeypatch.setattr(_fit_streaming, "search_front", lambda *args: seen.append(args[3]) or search(*args))
    monkeypatch.setattr(
        _fit_streaming, "fine_tune", lambda *args, **more: seen.append(args[1]) or streamed(*args, **more)
    )

    model = fit_streaming(MuClassifier(**QUICK), folder, "y", batch_rows=100)

    stream, (fold, searched) = seen
    left = np.flatnonzero((fold.train + fold.check > 0) & (searched.train + searched.check == 0))
    assert len(left) == 300
    np.testing.assert_array_equal(stream.held_out, left)
    table = whole(folder).take(pa.array(left))
    said = model.explain(literals=3).predict({name: table[name].to_numpy() for name in NAMES})
    point = model.front_[model.front_.at(3)]
    assert point.accuracy == pytest.approx((said == table["y"].to_numpy()).mean())


@pytest.mark.parametrize(("rule", "least"), [("if", "recall"), ("only_if", "precision")])
def test_implications(folder: Path, rule: str, least: str):
    model = fit_streaming(MuClassifier(**QUICK, rule=rule, distillation=0.0), folder, "y", batch_rows=200)

    assert getattr(model.explanations_["yes"].scores, least) > 0.9


def test_several_classes_with_weights(tmp_path: Path):
    columns = scores(900)
    columns["y"] = np.select(
        [columns["red"] > 0.5, columns["sweet"] > 0.5], ["red", "sweet"], default="neither"
    )
    path = write(tmp_path / "a.parquet", columns, 300)

    model = fit_streaming(
        MuClassifier(**QUICK | {"epochs": 200}, class_weight={"neither": 2.0}), path, "y", batch_rows=200
    )

    assert model.classes_.tolist() == ["neither", "red", "sweet"]
    assert equivalent(model.explanations_["sweet"].formula, parse_formula("sweet & ~red"))
    assert (
        model.explanations_.predict({name: columns[name] for name in NAMES}).tolist() == columns["y"].tolist()
    )


def test_several_outputs(tmp_path: Path):
    columns = scores(900)
    both = (columns["red"] > 0.5) & (columns["a & b"] > 0.5)
    columns |= {"y": both, "high": (columns["sweet"] > 0.5) * 0.9}
    path = write(tmp_path / "a.parquet", columns, 300)

    model = fit_streaming(MuClassifier(**QUICK), path, ["y", "high"], batch_rows=200)

    assert model.classes_.tolist() == ["y", "high"]
    assert equivalent(model.explanations_["y"].formula, parse_formula('red & "a & b"'))
    assert equivalent(model.explanations_["high"].formula, parse_formula("sweet"))


def test_only_the_columns_named_are_looked_at(tmp_path: Path):
    columns = scores(600) | {"name": ["x"] * 600, "age": np.arange(600)}
    path = write(tmp_path / "a.parquet", columns)

    model = fit_streaming(MuClassifier(**QUICK), path, "y", columns=["sweet", "red", "a & b"])

    assert model.concept_names_ == ("sweet", "red", "a & b")
    assert equivalent(model.explanations_["yes"].formula, PLANTED)


def test_a_model_is_saved_and_explains_rows(folder: Path, tmp_path: Path):
    model = fit_streaming(MuClassifier(**LONG), folder, "y")
    rows = {name: np.array([0.9]) for name in NAMES}
    model.save(tmp_path / "model.lens")

    again = load(tmp_path / "model.lens")

    assert again.predict(rows).tolist() == model.predict(rows).tolist() == ["yes"]
    assert again.explanations_ == model.explanations_
    assert model.explain_sample(rows).target == "yes"
    assert model.explain_global() is not None


def test_without_rows_held_out_or_a_terminal(folder: Path, capfd: pytest.CaptureFixture[str]):
    model = fit_streaming(MuClassifier(**LONG, validation_fraction=0.0, verbose=True), folder, "y")

    assert capfd.readouterr() == ("", "")
    assert equivalent(model.explanations_["yes"].formula, PLANTED)


def test_a_network_that_got_worse_keeps_its_weights(folder: Path, monkeypatch: pytest.MonkeyPatch):
    def spoiled(network: Any, *_: Any, **__: Any) -> Any:
        with torch.no_grad():
            network.linears[-1].weight.mul_(-1.0)
        return np.zeros((1, network.members))

    tuned = fit_streaming(MuClassifier(**QUICK), folder, "y", batch_rows=100, epochs=5)
    monkeypatch.setattr(_fit_streaming, "fine_tune", spoiled)
    kept = fit_streaming(MuClassifier(**QUICK), folder, "y", batch_rows=100, epochs=5)
    table = whole(folder)
    x = {name: table[name].to_numpy() for name in NAMES}
    ordinary = MuClassifier(**QUICK, encoder=None).fit(x, table["y"].to_numpy())

    np.testing.assert_allclose(kept.decision_function(x), ordinary.decision_function(x), atol=1e-3)
    assert not np.allclose(tuned.decision_function(x), kept.decision_function(x), atol=1e-3)


# Checkpoints


def test_a_checkpoint_is_gone_on_with(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    first = fit_streaming(MuClassifier(epochs=40, restarts=1), folder, "y", checkpoint=tmp_path / "run")

    def never(*_: Any) -> Any:
        raise AssertionError

    monkeypatch.setattr(_fit_streaming, "train_networks", never)
    monkeypatch.setattr(_fit_streaming, "draw", never)
    second = fit_streaming(MuClassifier(epochs=40, restarts=1), folder, "y", checkpoint=tmp_path / "run")

    assert sorted(os.listdir(tmp_path / "run")) == FILES
    assert first.explanations_ == second.explanations_
    np.testing.assert_array_equal(first.loss_curve_, second.loss_curve_)


@pytest.fixture(scope="module")
def kept(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("kept") / "run"
    fit_streaming(MuClassifier(**QUICK), folder, "y", checkpoint=path)
    return path


@pytest.fixture
def checkpoint(kept: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkpoint of a fit that ended."""
    return Path(shutil.copytree(kept, tmp_path_factory.mktemp("copy") / "run"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"batch_rows": 300}, "batch_rows was 65536 and is 300"),
        ({"columns": ["red", "sweet"]}, "columns was '5 columns, "),
        ({"l1": 0.1}, "l1 was '(0.001, 0.006)' and is '0.1'"),
        ({"random_state": 1}, "random_state was '0' and is '1'"),
    ],
)
def test_a_checkpoint_of_another_run(folder: Path, checkpoint: Path, change: dict[str, Any], message: str):
    before = {path: path.read_bytes() for path in checkpoint.iterdir()}
    settings = {key: change[key] for key in ("l1", "random_state") if key in change}
    others = {key: value for key, value in change.items() if key not in settings}

    with pytest.raises(InputError) as error:
        fit_streaming(MuClassifier(**QUICK | settings), folder, "y", checkpoint=checkpoint, **others)

    assert str(error.value).startswith(f"The checkpoint {str(checkpoint)!r} is of another run: {message}")
    assert str(error.value).endswith(". Name another folder, or remove this one.")
    assert {path: path.read_bytes() for path in checkpoint.iterdir()} == before


def test_a_checkpoint_of_other_files(folder: Path, checkpoint: Path):
    with pytest.raises(
        InputError, match=r"is of another run: files was '3 files of 1200 rows, \w{12}' and is '1 file of 40"
    ):
        fit_streaming(MuClassifier(**QUICK), folder / "part-0.parquet", "y", checkpoint=checkpoint)


def test_a_checkpoint_of_files_that_were_written_anew(folder: Path, checkpoint: Path, tmp_path: Path):
    """Statistics need not tell of other values."""
    for path in folder.iterdir():
        shutil.copy2(path, tmp_path / path.name)
    os.utime(tmp_path / "part-1.parquet", (2_000_000_000, 2_000_000_000))

    with pytest.raises(
        InputError,
        match=r"run: last change of the files was '20.*' and is '2033-05-18T03:33:20 UTC, \w{12}'\.",
    ):
        fit_streaming(MuClassifier(**QUICK), tmp_path, "y", checkpoint=checkpoint)


def test_a_checkpoint_in_use(folder: Path, checkpoint: Path):
    other = checkpoint / ".0123456789abcdef.tmp"
    with Checkpoint(str(checkpoint), {}).lock():
        other.write_bytes(b"half")
        with pytest.raises(FileError, match=rf"is in use by process {os.getpid()} on '.*'\. Wait until"):
            fit_streaming(MuClassifier(**QUICK), folder, "y", checkpoint=checkpoint)
        assert other.exists()
    fit_streaming(MuClassifier(**QUICK), folder, "y", checkpoint=checkpoint)
    assert sorted(os.listdir(checkpoint)) == FILES


# Several processes, and one that is killed


@pytest.mark.skipif(not hasattr(os, "fork"), reason="copies of a process")
def test_two_processes_are_one_and_one_that_is_killed_is_undisturbed(folder: Path, tmp_path: Path):
    program = ["-m", "tests.scale.streaming.forked", str(folder), str(tmp_path), "1"]
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, *program], env=environment, cwd=ROOT, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "found.json").read_text())

    assert found["first"] == found["second"]
    assert found["first"]["refused"] == "This is wrong. Do that."
    for classifier in (MuClassifier, PsiClassifier):
        one = classifier(random_state=0, epochs=30, restarts=1, device="cpu")
        fit_streaming(one, folder, "y", batch_rows=90, epochs=2, sample=600)
        two = found["first"][classifier.__name__]
        np.testing.assert_allclose(two["curve"], one.loss_curve_, rtol=1e-5)
        assert type(one.explanations_).from_json(two["rules"]).formulas == one.explanations_.formulas
        assert found["files"][classifier.__name__] == FILES
    assert found["killed"] == {"times": 3, "unfinished": True, "same": True, "files": FILES}


# What is refused


def test_nothing_is_left_of_a_fit_that_failed(tmp_path: Path):
    columns = scores(300)
    columns["red"][250] = np.nan
    path = write(tmp_path / "a.parquet", columns, 100)
    model = MuClassifier(**QUICK)

    with pytest.raises(InputError, match=r"has a missing value in row 250 \(counted from 0\)"):
        fit_streaming(model, path, "y", checkpoint=tmp_path / "run")

    assert not hasattr(model, "explanations_")
    assert list((tmp_path / "run").iterdir()) == []


def test_copies_are_the_same_files_of_whatever_age(folder: Path, tmp_path: Path):
    shutil.copytree(folder, tmp_path / "copy")
    source, copy = ParquetSource.of(folder), ParquetSource.of(tmp_path / "copy")
    assert last_change(copy) == last_change(source)
    os.utime(tmp_path / "copy" / "part-1.parquet", (2_000_000_000, 2_000_000_000))
    copy = ParquetSource.of(tmp_path / "copy")

    same = MuClassifier(random_state=1), MuClassifier(random_state=np.int64(1), verbose=True)
    assert run_of(same[0], copy, ("y",), NAMES) == run_of(same[1], source, ("y",), NAMES)
    assert last_change(copy) != last_change(source)
    assert last_change(copy).startswith("2033-05-18T03:33:20 UTC, ")


def test_processes_that_disagree():
    with pytest.raises(InputError, match="The processes disagree on files: 2 files in one, 1 file in"):
        check_same([{"files": "2 files"}, {"files": "1 file"}])


MU = MuClassifier()
REFUSED: list[tuple[Any, Any, dict[str, Any], type[Exception], str]] = [
    (MU, "y", {"epochs": 0}, InputError, "epochs must be at least 1. Got 0."),
    (MU, "y", {"batch_rows": 0}, InputError, "batch_rows must be at least 1. Got 0."),
    (MU, "y", {"sample": 0}, InputError, "sample must be at least 1. Got 0."),
    (MU, "y", {"every": 0}, InputError, "every must be at least 1. Got 0."),
    (MuClassifier.reference(), "y", {}, InputError, "ReferenceMuClassifier looks at all rows at once"),
    (MuClassifier(class_weight={"yess": 2.0}), "y", {}, InputError, "Unknown class 'yess'."),
    (MuClassifier(encoder=ConceptEncoder()), "y", {}, InputError, "fit_streaming reads scores in [0, 1] as"),
    (MuClassifier(epochs=0), "y", {}, InputError, "epochs must be a whole number of at least 1. Got 0."),
    (LogisticRegression(), "y", {}, InputError, "fit_streaming fits MuClassifier, EntropyClassifier, Psi"),
    (MU, "y", {"columns": "red"}, InputError, "columns must be a list of names. Got 'red'."),
    (MU, "y", {"columns": [3]}, InputError, "columns must be a list of names. Got [3]."),
    (MU, "y", {"columns": ["red", "red"]}, InputError, "columns names 'red' twice, or the target. Name"),
    (MU, "y", {"columns": ["red", "y"]}, InputError, "columns names 'y' twice, or the target. Name each"),
    (MU, "y", {"columns": []}, InputError, "There is no column besides the targets. Pass files that have"),
    (MU, "y", {"columns": ["rod"]}, UnknownColumnError, "The data lack the column 'rod'. Did you mean"),
    (MU, 3, {}, InputError, "target must be the name of a column, or several. Got 3."),
    (MU, [], {}, InputError, "target must be the name of a column, or several. Got []."),
    (MU, ["y", "y"], {}, InputError, "target names a column twice. Got ['y', 'y']."),
    (MU, "y", {"checkpoint": 3}, InputError, "checkpoint must be the path of a folder. Got 3."),
    (MU, "y", {"checkpoint": __file__}, FileError, f"checkpoint must be a folder, and {__file__!r} is"),
    (MU, "y", {"checkpoint": f"{__file__}/in"}, FileError, f"The folder '{__file__}/in' cannot be made:"),
]  # fmt: skip
"""Classifiers, targets and settings, and how what is said of them begins."""


@pytest.mark.parametrize(("model", "target", "settings", "error", "message"), REFUSED)
def test_what_is_refused(
    folder: Path, model: Any, target: Any, settings: dict[str, Any], error: type[Exception], message: str
):
    with pytest.raises(error) as caught:
        fit_streaming(model, folder, target, **settings)

    assert str(caught.value).startswith(message)
