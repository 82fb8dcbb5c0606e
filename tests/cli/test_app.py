"""What ``logiclens`` says without a command, and which there are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import logiclens
from tests.cli.in_files import in_file
from tests.cli.running import FULL, check_golden, run
from tests.cli.saved import PATIENTS, TABLE, model_file, saved
from tests.test_architecture import loaded_by

COMMANDS = ("explain", "blackbox", "cluster", "demo", "export", "check", "explain-row", "predict")


def test_version():
    assert run("--version").output == f"logiclens {logiclens.__version__}\n"


def test_help_says_what_there_is():
    output = run("--help").output

    assert "Neural networks over named concepts that say what they do" in output
    for command in COMMANDS:
        assert f"\n  {command} " in output


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_has_examples_on_lines_of_their_own(command: str):
    lines = run(command, "--help").output.splitlines()

    assert "  Examples:" in lines
    assert any(line.startswith(f"    logiclens {command}") for line in lines)


@pytest.mark.parametrize("command", ["explain", "blackbox", "cluster", "bench paper", "bench tables"])
def test_help_teaches_by_example(command: str):
    check_golden(f"{command.replace(' ', '_')}_help.txt", run(*command.split(), "--help").output)


@pytest.mark.parametrize(
    ("words", "light"),
    [
        ("check model.lens", ("torch", "sklearn", "pyarrow")),
        ("export model.lens --to python", ("torch", "sklearn", "pyarrow", "sympy")),
        ("predict model.lens rows.csv", ("torch", "sklearn")),
        ("explain-row rules.json rows.csv --row 1", ("torch", "sklearn")),
        ("predict model.lens rows.parquet --engine duckdb --out out.parquet", ("torch",)),
    ],
)
def test_rules_are_used_without_torch(words: str, light: tuple[str, ...], tmp_path: Path):
    model_file(tmp_path)
    saved(PATIENTS, tmp_path)
    (tmp_path / "rows.csv").write_text(TABLE)
    in_file({"age": [70], "ward": ["ICU"]}, str(tmp_path / "rows.parquet"))
    statement = f"from logiclens.cli import app; app({words.split()!r}, standalone_mode=False)"

    assert loaded_by(statement, light, tmp_path) == []


def test_no_command_is_a_call_for_help():
    assert "Usage: logiclens" in run().output


def test_an_unknown_command_is_refused():
    result = run("explode")

    assert result.exit_code == 2
    assert "No such command 'explode'" in result.output


def in_a_shell(command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        f"{sys.executable} -m logiclens {command}", shell=True, capture_output=True, text=True, timeout=600
    )


@pytest.mark.skipif(os.name == "nt", reason="there is no such shell")
def test_streams_that_are_closed_lead_nowhere():
    assert in_a_shell("--version >&-").returncode == 0
    assert in_a_shell("--version 2>&-").returncode == 0
    done = in_a_shell("explain - --target x <&-")

    assert done.returncode == 1
    assert done.stderr == "logiclens: standard input is empty. Pass a table with a header and rows.\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize(
    "command",
    [
        "--help",
        "explain --help",
        "demo --data iris",
        "predict rules.json rows.csv",
        "export rules.json --to sql",
    ],
)
def test_a_full_disk(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    saved(PATIENTS, tmp_path)
    Path("rows.csv").write_text(TABLE)
    done = in_a_shell(f"{command} > /dev/full")

    assert done.returncode == 1
    assert done.stderr == FULL
