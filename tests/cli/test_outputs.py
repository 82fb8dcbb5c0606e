"""Files that a command writes."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from logiclens.cli.outputs import STDOUT, Outputs, output, write_table, write_text
from logiclens.errors import FileError, InputError
from logiclens.files import read_table
from tests.cli.running import Terminal


def test_a_trial_keeps_what_is_there(tmp_path: Path):
    (tmp_path / "a.html").write_text("old", encoding="utf-8")
    Outputs(*(tmp_path / name for name in ("a.html", "b.json", "c.lens", "d.csv"))).check("data.csv")

    assert (tmp_path / "a.html").read_text(encoding="utf-8") == "old"
    assert os.listdir(tmp_path) == ["a.html"]


@pytest.mark.skipif(not Path("/proc/version").exists(), reason="there is no folder that is read-only for all")
def test_a_read_only_folder_is_refused():
    with pytest.raises(FileError, match=r"^'/proc/a\.html' cannot be written: "):
        Outputs(Path("/proc/a.html")).check("data.csv")


def test_each_file_has_a_name_of_its_own():
    with pytest.raises(InputError) as info:
        Outputs(Path("a.x"), save=Path("./a.x")).check("data.csv")

    assert str(info.value) == "'a.x' is written, too. Give each file a name of its own."


def test_standard_output_is_no_file(capsys):
    outputs = Outputs(json=STDOUT)
    outputs.check("-")
    write_text(STDOUT, "{}\n")

    assert outputs.to_stdout
    assert list(outputs.listed()) == []
    assert capsys.readouterr().out == "{}\n"


def test_files_are_told_with_what_they_hold():
    outputs = Outputs(Path("r.html"), Path("r.json"), Path("m.lens"), Path("t.csv"))

    assert list(outputs.listed()) == [
        ("r.html", "report"),
        ("r.json", "rules and scores as JSON"),
        ("m.lens", "model"),
        ("t.csv", "table"),
    ]
    assert list(Outputs(save=Path("m.JSON")).listed()) == [("m.JSON", "rules")]


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.tsv", "t.parquet", "t.PQ"])
def test_a_table_gets_one_more_column(name: str, tmp_path: Path):
    table = pa.table({"cluster": ["a", 'b "c"'], "n": [1, None]})

    assert write_table(tmp_path / name, table, "cluster", np.array([1, 0])) == "cluster_2"
    assert read_table(tmp_path / name).table.to_pydict() == {
        "cluster": ["a", 'b "c"'],
        "n": [1, None],
        "cluster_2": [1, 0],
    }


@pytest.mark.parametrize(
    "outputs",
    [Outputs(html=STDOUT), Outputs(save=STDOUT), Outputs(json=STDOUT, out=STDOUT)],
    ids=["report", "model", "two"],
)
def test_standard_output_takes_one_text(outputs: Outputs):
    with pytest.raises(InputError) as info:
        outputs.check("data.csv")

    assert str(info.value) == ("Either JSON or a table can go to standard output. Name files for the others.")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_is_not_tried(tmp_path: Path):
    """Who reads from it would take the trial for the end."""
    os.mkfifo(tmp_path / "pipe")
    Outputs(tmp_path / "pipe").check("data.csv")

    assert os.listdir(tmp_path) == ["pipe"]


def test_a_terminal_gets_no_sign_that_it_would_obey(monkeypatch: pytest.MonkeyPatch, capsys):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    with output(STDOUT) as stream:
        stream.write("größe,a\tb\n".encode())

    assert (terminal.getvalue(), capsys.readouterr().err) == ("größe,a\tb\n", "")
    with output(STDOUT) as stream:
        stream.write(b"\x1b[31mred\xff\n")

    assert terminal.getvalue() == "größe,a\tb\n\\u001b[31mred\\xff\n"
    assert capsys.readouterr().err == (
        "logiclens: what cannot be seen is shown by its number; --out FILE writes it as it is.\n"
    )
