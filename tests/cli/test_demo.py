"""``logiclens demo``: the same as ``logiclens explain``, on a table that is already here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow.csv
import pytest

from logiclens.cli import learning
from logiclens.cli.explain_command import TARGETS, DemoData, demo_table
from logiclens.cli.options import NetworkKind
from logiclens.errors import InputError
from tests.cli.running import PIPE, TERMINAL, check_golden, run

COMMAND = [sys.executable, "-m", "logiclens", "demo", "--data", "iris"]


@pytest.mark.parametrize(("where", "env"), [("pipe", PIPE), ("terminal", TERMINAL)])
def test_what_is_printed(where: str, env: dict[str, str | None]):
    result = run("demo", "--data", "iris", env=env)

    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    check_golden(f"demo.{where}.txt", result.stdout)


def test_it_is_what_explain_does(tmp_path: Path):
    """On the same table in a file, with everything printed."""
    pyarrow.csv.write_csv(demo_table(DemoData.IRIS).table, tmp_path / "iris")

    assert run("explain", tmp_path / "iris", "--target", "species", "--more").output == (
        run("demo", "--data", "iris").output
    )


@pytest.mark.parametrize("data", DemoData)
def test_data_have_a_class_in_every_row(data: DemoData):
    table = demo_table(data).table

    assert table.column_names[-1] == TARGETS[data]
    assert table[TARGETS[data]].null_count == 0


@pytest.mark.parametrize("network", NetworkKind)
def test_any_network_is_trained(network: NetworkKind):
    result = run("demo", "--data", "iris", "--network", network)

    assert result.exit_code == 0, result.output
    assert f"{network.value.capitalize()}Classifier trained on 105 rows" in result.output
    assert "Rules by their length, scored on training rows left out in turn" in result.output


def test_it_is_the_same_every_time(monkeypatch: pytest.MonkeyPatch):
    first = run("demo", "--data", "iris").output
    monkeypatch.undo()  # train again

    assert run("demo", "--data", "iris").output == first


def test_files_are_written(tmp_path: Path):
    files = [tmp_path / "r.html", tmp_path / "m.lens"]
    result = run("demo", "--data", "iris", "--html", files[0], "--save", files[1])

    assert result.exit_code == 0, result.output
    assert all(file.stat().st_size for file in files)


def test_an_error_of_ours_is_one_line(monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object) -> None:
        raise InputError("There are no rows. Pass some.")

    monkeypatch.setattr(learning, "train", refuse)
    result = run("demo")

    assert result.exit_code == 1
    assert result.output == "logiclens: There are no rows. Pass some.\n"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes close in another way")
def test_a_reader_that_goes_away_is_no_error_of_ours():
    with subprocess.Popen(COMMAND, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        message = process.stderr.read()

    assert process.returncode == 1
    assert message == ""


def test_signs_a_terminal_lacks_are_escaped():
    """A terminal that knows ASCII only gets escapes, not a traceback."""
    result = subprocess.run(COMMAND, capture_output=True, env={"PYTHONIOENCODING": "ascii"}, check=True)

    assert result.stdout.isascii()
    assert b"petal length (cm) > 5.15" in result.stdout
