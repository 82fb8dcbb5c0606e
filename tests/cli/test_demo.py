"""The command, as a person types it."""

from __future__ import annotations

import functools
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import logiclens
from logiclens.cli import app
from logiclens.cli.choices import Network
from logiclens.cli.demo import DemoData, _load
from logiclens.concepts import ConceptEncoder
from logiclens.errors import InputError

runner = CliRunner()
COMMAND = [sys.executable, "-m", "logiclens", "demo", "--data", "iris"]
NETWORKS = {
    "mu": "MuClassifier",
    "psi": "PsiClassifier",
    "relu": "ReluClassifier",
    "entropy": "EntropyClassifier",
}


def run(*arguments: str):
    return runner.invoke(app, list(arguments))


@pytest.fixture
def trained_once(monkeypatch):
    """Train each network once for all tests that look at what is printed."""
    monkeypatch.setattr(
        "logiclens.cli.demo._trained", lambda split, network: trained(next(iter(split.columns)), network)
    )


@functools.cache
def trained(first_column: str, network: Network):
    split = next(split for split in map(_load, DemoData) if next(iter(split.columns)) == first_column)
    return cli_trained(split, network)


cli_trained = sys.modules["logiclens.cli.demo"]._trained


@pytest.mark.usefixtures("trained_once")
@pytest.mark.parametrize("data", ["wine", "iris", "breast_cancer"])
def test_demo_prints_rules_scores_front_and_example(data):
    result = run("demo", "--data", data)

    assert result.exit_code == 0, result.output
    assert result.output.count("<->") == (2 if data == "breast_cancer" else 3)
    assert result.output.count(" -> ") == 1  # the explanation of one row
    for part in (
        "MuClassifier trained on",
        "Each rule on the rows held out:",
        "The network is right about",
        "Training rows on which a rule of that length and the network differ",
        "Why the network gives the first row held out its class:",
        "The least that would turn the rule of that class:\n  The rule of ",
    ):
        assert part in result.output


@pytest.mark.usefixtures("trained_once")
@pytest.mark.parametrize("network", NETWORKS)
def test_demo_trains_any_network(network):
    result = run("demo", "--data", "iris", "--network", network)

    assert result.exit_code == 0, result.output
    assert f"{NETWORKS[network]} trained on" in result.output
    assert set(NETWORKS) == set(Network)


def test_demo_is_the_same_every_time():
    assert run("demo", "--data", "iris").output == run("demo", "--data", "iris").output


@pytest.mark.usefixtures("trained_once")
def test_rules_of_iris():
    output = run("demo", "--data", "iris").output

    assert 'forall x: setosa(x) <-> "petal length (cm)"(x) <= 2\n' in output
    assert "setosa if and only if “petal length (cm)” at most 2 (a necessary and sufficient" in output


@pytest.mark.usefixtures("trained_once")
def test_the_scores_are_those_of_the_rules():
    output = run("demo", "--data", "iris").output
    split = _load(DemoData.IRIS)
    concepts, classes = split.rows(split.held_out)
    rules = trained(next(iter(split.columns)), Network.MU).explain()
    fired, truth = rules["virginica"].evaluate(concepts), classes == "virginica"
    (line,) = re.findall(r"^ ?virginica .*%.*$", output, re.MULTILINE)

    assert line.split()[:4] == [
        "virginica",
        str(rules["virginica"].complexity),
        f"{truth[fired].mean():.1%}",
        f"{fired[truth].mean():.1%}",
    ]
    assert f"its rules alone about {rules.score(concepts, classes):.1%}" in output


@pytest.mark.usefixtures("trained_once")
def test_a_network_without_a_front_prints_none():
    output = run("demo", "--data", "iris", "--network", "psi").output

    assert "of that length" not in output


def test_an_error_of_ours_is_one_line(monkeypatch):
    def refuse(*_):
        raise InputError("There are no rows. Pass some.")

    monkeypatch.setattr("logiclens.cli.demo._trained", refuse)
    result = run("demo")

    assert result.exit_code == 1
    assert result.output == "logiclens: There are no rows. Pass some.\n"


@pytest.mark.usefixtures("trained_once")
def test_a_pipe_gets_plain_text():
    assert "\x1b" not in run("demo", "--data", "iris").output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["demo", "--literal-cost", "0.1"], "No such option: --literal-cost"),
        (
            ["demo", "--network", "tree"],
            "Invalid value for '--network': 'tree' is not one of 'mu', 'psi', 'relu', 'entropy'.\n",
        ),
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


@pytest.mark.usefixtures("trained_once")
@pytest.mark.parametrize("columns", ["40", "50", "200"])
def test_a_narrow_terminal_loses_no_number(columns):
    output = runner.invoke(app, ["demo", "--data", "iris"], env={"COLUMNS": columns}).output
    wide = runner.invoke(app, ["demo", "--data", "iris"], env={"COLUMNS": "120"}).output

    assert "…" not in output
    assert re.findall(r"[\d.]+%| \d+ ", output) == re.findall(r"[\d.]+%| \d+ ", wide)


@pytest.mark.usefixtures("trained_once")
def test_cut_points_come_from_the_training_rows():
    split = _load(DemoData.IRIS)
    columns, classes = split.rows(~split.held_out)
    encoder = ConceptEncoder().fit(columns, classes)

    assert trained(next(iter(split.columns)), Network.MU).vocabulary_ == encoder.vocabulary_


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
    assert "Neural networks over named concepts that say what they do" in run("--help").output
    assert "about 70 % of the rows" in run("demo", "--help").output
    assert "logiclens demo --data breast_cancer" in run("demo", "--help").output


def test_signs_a_terminal_lacks_are_escaped():
    """A terminal that knows ASCII only gets escapes, not a traceback."""
    result = subprocess.run(COMMAND, capture_output=True, env={"PYTHONIOENCODING": "ascii"}, check=True)

    assert b"\\u201cpetal length (cm)\\u201d at most 2" in result.stdout
