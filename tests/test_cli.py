"""The command, as a person types it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn import datasets
from typer.testing import CliRunner

import logiclens
from logiclens.cli import DemoData, _load, app

runner = CliRunner()
COMMAND = [sys.executable, "-m", "logiclens", "demo", "--data", "iris"]


def run(*arguments: str):
    return runner.invoke(app, list(arguments))


@pytest.mark.parametrize("data", ["wine", "iris", "breast_cancer"])
def test_demo_prints_a_rule_for_each_class(data):
    result = run("demo", "--data", data)

    assert result.exit_code == 0, result.output
    assert result.output.count("forall x: ") == (2 if data == "breast_cancer" else 3)
    assert "The rules, one against the rest" in result.output
    assert "Training errors of the best rule by length" in result.output


def test_demo_is_the_same_every_time():
    assert run("demo", "--data", "iris").output == run("demo", "--data", "iris").output


def test_rules_of_iris():
    output = run("demo", "--data", "iris").output

    assert 'forall x: setosa <-> ~"petal length (cm) > 1.9"' in output
    assert "setosa if and only if not “petal length (cm) > 1.9”." in output


def test_a_dearer_literal_gives_shorter_rules():
    cheap, dear = (run("demo", "--literal-cost", cost).output for cost in ("0", "0.2"))
    length = [sum(line.count('"') for line in text.splitlines() if "<->" in line) for text in (cheap, dear)]

    assert length[1] < length[0]


def test_a_pipe_gets_plain_text():
    assert "\x1b" not in run("demo", "--data", "iris").output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["demo", "--literal-cost", "-1"], "'--literal-cost'"),
        (["demo", "--literal-cost", "nan"], "'--literal-cost'"),
        (["demo", "--literal-cost", "inf"], "literal_cost must be a number of at least 0"),
        (
            ["demo", "--data", "mnist"],
            "Invalid value for '--data': 'mnist' is not one of 'wine', 'iris', 'breast_cancer'.\n",
        ),
        (["explode"], "No such command 'explode'"),
    ],
)
def test_bad_arguments_get_a_clear_line_and_no_traceback(arguments, message):
    result = run(*arguments)

    assert result.exit_code != 0
    assert message in result.output
    assert "Traceback" not in result.output
    assert not result.output.startswith(
        "wine:"
    )  # nothing is printed before the settings are known to be good


@pytest.mark.parametrize("columns", ["40", "50", "200"])
def test_a_narrow_terminal_loses_no_number(columns):
    output = runner.invoke(app, ["demo", "--data", "iris"], env={"COLUMNS": columns}).output
    wide = runner.invoke(app, ["demo", "--data", "iris"], env={"COLUMNS": "120"}).output

    assert "…" not in output
    assert re.findall(r"[\d.]+%| \d+ ", output) == re.findall(r"[\d.]+%| \d+ ", wide)


def test_cut_points_come_from_the_training_rows():
    split = _load(DemoData.IRIS)
    values = datasets.load_iris().data[:, 2]
    cuts = np.quantile(values[~split.held_out], [1 / 3, 2 / 3])

    assert [name for name in split.names if "petal length" in name] == [
        f"petal length (cm) > {cut:.3g}" for cut in cuts
    ]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_full_disk_is_told_in_one_line():
    with Path("/dev/full").open("w") as full:
        result = subprocess.run(COMMAND, stdout=full, stderr=subprocess.PIPE, text=True, check=False)

    assert result.returncode == 1
    assert result.stderr == "logiclens: the output cannot be written: No space left on device.\n"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes close in another way")
def test_a_reader_that_goes_away_is_no_error_of_ours():
    with subprocess.Popen(COMMAND, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        message = process.stderr.read()

    assert process.returncode == 1
    assert message == ""


def test_version():
    assert run("--version").output == f"logiclens {logiclens.__version__}\n"


def test_help_says_what_there_is():
    assert "demo" in run("--help").output
    assert "Short logical rules over named concepts, from yes-or-no answers." in run("--help").output
    assert "about 70 % of the rows" in run("demo", "--help").output
    assert "logiclens demo --data breast_cancer" in run("demo", "--help").output


def test_signs_a_terminal_lacks_are_escaped():
    """A terminal that knows ASCII only gets escapes, not a traceback."""
    result = subprocess.run(COMMAND, capture_output=True, env={"PYTHONIOENCODING": "ascii"}, check=True)

    assert b"\\u201cpetal length (cm) > 1.9\\u201d" in result.stdout
