"""What ``logiclens bench paper`` and ``logiclens bench tables`` share."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import typer

from logiclens.bench import PieceReport, _run, run
from logiclens.bench.experiments import TableExperiment
from logiclens.bench.methods import METHODS
from logiclens.bench.table_layout import Cell, ResultTable
from logiclens.cli import bench_command as runs
from logiclens.errors import FileError, InputError, MissingDependencyError
from tests.cli.running import Terminal

FLOWERS = TableExperiment("tiny", {"x": [1, 2, 3, 4] * 3}, ["a", "a", "b", "b"] * 3, n_folds=2)
WORK = partial(run, [FLOWERS], ["tree", "logistic"])


def test_names_are_told_apart_by_commas_and_counted_once():
    assert runs.choose_names(["tree, mu", "", "mu"], METHODS, "method") == ("tree", "mu")
    assert runs.choose_names([], METHODS, "method") == ()
    with pytest.raises(InputError) as caught:
        runs.choose_names([" ,"], ["mu", "tree"], "method")
    assert str(caught.value) == "No method is named. Name some of mu, tree, or leave the option out."


def test_without_a_name_all_methods_run_that_are_not_slow():
    slow = {name for name, method in METHODS.items() if method.slow}

    assert {"brl", "ripper"} <= slow
    assert set(runs.choose_methods(None, METHODS)) == set(METHODS) - slow
    assert set(runs.choose_methods(None, METHODS, slow=True)) >= set(METHODS) - slow


def test_methods_that_lack_their_packages(capsys: pytest.CaptureFixture[str]):
    """Named they are refused, of all they are left out."""
    known = {"tree": METHODS["tree"], "brl": replace(METHODS["brl"], package="no_such_package")}
    line = "needs the package no_such_package, which is not installed. Run: pip install 'logiclens[bench]'"
    with pytest.raises(MissingDependencyError) as caught:
        runs.choose_methods(["tree, brl"], known)

    assert str(caught.value) == f"BRL {line}"
    assert runs.choose_methods(["all"], known) == ("tree",)
    assert capsys.readouterr().err == (
        "logiclens: brl is left out: it needs no_such_package. Run: pip install 'logiclens[bench]'\n"
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
    with pytest.raises(typer.Exit) as caught:
        runs.run_all(WORK, tmp_path, 1)

    assert caught.value.exit_code == 130
    assert capsys.readouterr().err == (
        f"logiclens: stopped; what is finished is kept in {str(tmp_path)!r}. "
        "The same command goes on from there.\n"
    )
    rows = runs.run_all(WORK, tmp_path, 1)
    assert [row["fold"] for row in rows] == [0, 1, 0, 1]
    assert len(started) == 5
    assert len(set(started)) == 4


def test_progress_is_for_terminals(monkeypatch: pytest.MonkeyPatch):
    step = PieceReport("<b>", "tree", (0,), "done", False, True, 1, 2)
    with runs.progress_bar() as report:
        assert report is None
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with runs.progress_bar() as report:
        assert report is not None
        report(step)

    assert "1/2" in terminal.getvalue()
    assert "<b>, tree, fold 0, timed" in terminal.getvalue()


def test_a_method_that_fails_is_told_and_the_others_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def broken(*_: Any) -> Any:
        raise ValueError("no\nluck")

    monkeypatch.setattr(type(METHODS["logistic"]), "fit_fold", broken)
    rows = runs.run_all(WORK, tmp_path, 1)
    table = ResultTable("Figures", ("", "model"), ((Cell("logistic"), Cell("failed: ValueError: no luck")),))
    capsys.readouterr()
    with pytest.raises(typer.Exit) as caught:
        runs.show(rows, [table], {}, tmp_path)
    printed = capsys.readouterr()

    assert caught.value.exit_code == 1
    assert printed.err == "logiclens: tiny, logistic: failed: ValueError: no luck\n"
    assert "| logistic | failed |" in printed.out
    assert "failed: ValueError: no luck" in (tmp_path / "tables.html").read_text(encoding="utf-8")


def test_the_workers_of_a_scheduler_do_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """All of them; without one as many pieces are worked on here as was asked for."""
    asked_of: list[str] = []
    given: list[int] = []

    @contextmanager
    def cluster(address: str) -> Iterator[None]:
        asked_of.append(address)
        yield

    def work(n_jobs: int, **_: Any) -> list[Any]:
        given.append(n_jobs)
        return []

    monkeypatch.setattr("logiclens.bench.on_cluster", cluster)
    runs.run_all(work, tmp_path, 3, "tcp://host:8786")
    runs.run_all(work, tmp_path, 3)

    assert asked_of == ["tcp://host:8786"]
    assert given == [-1, 3]
