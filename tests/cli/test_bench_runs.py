"""What ``logiclens bench paper`` and ``logiclens bench tables`` share."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import typer

from logiclens import bench
from logiclens.bench import _run, method
from logiclens.bench._run import PieceReport
from logiclens.bench.experiments import TableExperiment
from logiclens.bench.methods import METHODS
from logiclens.bench.table_layout import Cell, ResultTable
from logiclens.cli import bench_command as runs
from logiclens.errors import FileError, InputError, MissingDependencyError
from tests.cli.running import Terminal

FLOWERS = TableExperiment("tiny", {"x": [1, 2, 3, 4] * 3}, ["a", "a", "b", "b"] * 3, n_folds=2)


def test_names_are_told_apart_by_commas_and_counted_once():
    assert runs.choose_names(["tree, mu", "", "mu"], METHODS, "method") == ("tree", "mu")
    assert runs.choose_names([], METHODS, "method") == ()
    with pytest.raises(InputError) as caught:
        runs.choose_names([" ,"], ["mu", "tree"], "method")
    assert str(caught.value) == "No method is named. Name some of mu, tree, or leave the option out."


def test_an_unknown_method_is_refused():
    with pytest.raises(InputError) as caught:
        runs.choose_methods(["mu,tre"])

    assert str(caught.value) == (
        f"Unknown method 'tre'. Did you mean 'tree'? The known ones are {', '.join(METHODS)}, all."
    )


def test_without_a_name_all_methods_run_that_are_not_slow():
    slow = {name for name, method in METHODS.items() if method.slow}

    assert {"brl", "ripper"} <= slow
    assert set(runs.choose_methods(None)) == set(METHODS) - slow


@pytest.fixture
def _bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """A place where packages of others are missing."""
    for package in ("imodels", "wittgenstein"):
        monkeypatch.setitem(sys.modules, package, None)
    there = method.is_installed
    monkeypatch.setattr(method, "is_installed", lambda package: there(package) and package not in sys.modules)


@pytest.mark.usefixtures("_bare")
@pytest.mark.parametrize(
    ("name", "title", "package"), [("brl", "BRL", "imodels"), ("ripper", "RIPPER", "wittgenstein")]
)
def test_a_method_that_lacks_its_package_is_refused_when_named(name: str, title: str, package: str):
    with pytest.raises(MissingDependencyError) as caught:
        runs.choose_methods(["tree", name])

    assert str(caught.value) == (
        f"{title} needs the package {package}, which is not installed. Run: pip install 'logiclens[bench]'"
    )


@pytest.mark.usefixtures("_bare")
def test_a_method_that_lacks_its_package_is_left_out_of_all(capsys: pytest.CaptureFixture[str]):
    assert set(runs.choose_methods(["all"])) == set(METHODS) - {"brl", "ripper"}
    assert capsys.readouterr().err == (
        "logiclens: brl is left out: it needs imodels. Run: pip install 'logiclens[bench]'\n"
        "logiclens: ripper is left out: it needs wittgenstein. Run: pip install 'logiclens[bench]'\n"
    )


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path):
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(FileError) as a_file:
        runs.check_folder(file)
    with pytest.raises(FileError) as below_a_file:
        runs.check_folder(file / "results")

    assert str(a_file.value) == f"{str(file)!r} is a file. Name a folder for results with --out."
    assert str(below_a_file.value) == (
        f"The folder {str(file / 'results')!r} cannot be made: Not a directory. Name another one with --out."
    )


def test_a_folder_in_which_nothing_may_be_written_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The system says no; root, who may do anything, is told so by us."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(FileError) as caught:
        runs.check_folder(tmp_path)

    assert str(caught.value) == (
        f"The folder {str(tmp_path)!r} may not be written to. Name another one with --out."
    )


def test_a_folder_is_made_and_nothing_left_in_it(tmp_path: Path):
    runs.check_folder(tmp_path / "a" / "b")

    assert [*(tmp_path / "a" / "b").iterdir()] == []


def test_what_is_finished_is_kept_when_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any):
    """Ctrl-C in the third piece: two are kept, and the same command does the others alone."""
    work, started = _run._do_piece, []

    def interrupted(task: Any, limit: Any) -> Any:
        started.append(task.key)
        if len(started) == 3:
            raise KeyboardInterrupt
        return work(task, limit)

    monkeypatch.setattr(_run, "_do_piece", interrupted)
    asked = runs.RunRequest(("tree", "logistic"), out=tmp_path)
    with pytest.raises(typer.Exit) as caught:
        runs.run_all([FLOWERS], asked)

    assert caught.value.exit_code == 130
    assert capsys.readouterr().err == (
        f"logiclens: stopped; what is finished is kept in {str(tmp_path)!r}. "
        "The same command goes on from there.\n"
    )
    rows = runs.run_all([FLOWERS], asked)
    assert [row["fold"] for row in rows] == [0, 1, 0, 1]
    assert len(started) == 5
    assert len(set(started)) == 4


def test_progress_is_for_terminals(monkeypatch: pytest.MonkeyPatch):
    step = PieceReport("<b>", "tree", (0,), "done", False, False, 1, 2)
    with runs.progress_bar() as report:
        assert report is None
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with runs.progress_bar() as report:
        assert report is not None
        report(step)

    assert "1/2" in terminal.getvalue()
    assert "<b>, tree, fold 0" in terminal.getvalue()


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (PieceReport("cub", "mu", (0, 1), "done", False, False, 1, 2), "cub, mu"),
        (PieceReport("cub", "tree", (4,), "done", False, True, 1, 2), "cub, tree, fold 4, timed"),
        (PieceReport("cub", "tree", (4,), "done", True, False, 1, 2), "cub, tree, fold 4: was done before"),
    ],
)
def test_a_step_in_words(step: PieceReport, words: str):
    assert runs.step_words(step) == words


def test_failures_are_gathered():
    rows = [
        {"experiment": "a", "method": "brl", "fold": 0, "status": "not finished in 5 s"},
        {"experiment": "a", "method": "brl", "fold": 1, "status": "not finished in 5 s"},
        {"experiment": "b", "method": "mu", "fold": 0, "status": "failed: ValueError: no"},
        {"experiment": "b", "method": "tree", "fold": 0, "status": "done"},
    ]

    assert runs.failures(rows) == {"not finished in 5 s": ["a, brl"], "failed: ValueError: no": ["b, mu"]}


def test_a_method_that_fails_is_told_and_the_others_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def broken(*_: Any) -> Any:
        raise ValueError("no\nluck")

    monkeypatch.setattr(type(METHODS["logistic"]), "fit_fold", broken)
    asked = runs.RunRequest(("tree", "logistic"), out=tmp_path)
    rows = runs.run_all([FLOWERS], asked)
    table = ResultTable("Figures", ("", "model"), ((Cell("logistic"), Cell("failed: ValueError: no luck")),))
    capsys.readouterr()
    with pytest.raises(typer.Exit) as caught:
        runs.show([table], [table], rows, asked)
    printed = capsys.readouterr()

    assert caught.value.exit_code == 1
    assert printed.err == "logiclens: tiny, logistic: failed: ValueError: no luck\n"
    assert "| logistic | failed |" in printed.out
    assert "failed: ValueError: no luck" in (tmp_path / "tables.html").read_text(encoding="utf-8")


def test_the_workers_of_a_scheduler_do_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """All of them, and each piece once: fitting it here for its seconds would take as long as the rest."""
    asked_of: list[str] = []
    given: dict[str, Any] = {}

    @contextmanager
    def cluster(address: str) -> Iterator[None]:
        asked_of.append(address)
        yield

    def done(*_: Any, **settings: Any) -> list[Any]:
        given.update(settings)
        return []

    monkeypatch.setattr("logiclens.bench.on_cluster", cluster)
    monkeypatch.setattr(bench, "run", done)
    runs.run_all([FLOWERS], runs.RunRequest(("tree",), out=tmp_path, scheduler="tcp://host:8786"))

    assert asked_of == ["tcp://host:8786"]
    assert (given["n_jobs"], given["timings"]) == (-1, False)


def test_without_a_scheduler_work_is_done_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    given: dict[str, Any] = {}
    monkeypatch.setattr(bench, "run", lambda *_, **settings: given.update(settings) or [])
    runs.run_all([FLOWERS], runs.RunRequest(("tree",), out=tmp_path, jobs=3))

    assert (given["n_jobs"], given["timings"]) == (3, True)
