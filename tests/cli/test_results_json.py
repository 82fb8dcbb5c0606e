"""Results as JSON; the form is documented and has a version."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from logiclens.cli.outputs import FORMAT, VERSION
from tests.cli.running import STAYS, copied, run

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to" / "use_the_command.md"


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    copied(STAYS, tmp_path)
    return json.loads(run("explain", "stays.csv", "--target", "risk", "--json", "-").stdout)


def test_all_entries_are_there_and_documented(found):
    assert (found["format"], found["version"]) == (FORMAT, VERSION)
    assert list(found) == [
        *("format", "version", "task", "target", "data", "rules", "decision", "front"),
        *("overall", "cross_validation", "settings", "versions"),
    ]
    page = HOW_TO.read_text(encoding="utf-8")
    keys = {*found, *found["data"], *found["rules"][0], *found["overall"], *found["settings"]}
    keys |= {*found["decision"], *found["decision"]["steps"][0], *found["front"][0]}
    keys |= {*found["decision"]["default"]}
    assert [key for key in sorted(keys) if f"`{key}`" not in page] == []


def test_data_and_what_was_left_out(found):
    data = found["data"]

    assert (data["name"], data["n_rows"], data["n_used"]) == ("stays.csv", 500, 500)
    assert data["columns"] == ["age", "ward", "pressure", "smoker"]
    assert data["dropped"][2] == {"name": "country", "why": "constant"}
    assert len(data["sha256"]) == 64


def test_the_front_has_every_length(found):
    (shown,) = [length for length in found["front"] if length["shown"]]

    assert shown["literals"] == found["decision"]["literals"]
    assert shown["low"] < shown["accuracy"] < shown["high"]
    assert [length["literals"] for length in found["front"]] == sorted(
        length["literals"] for length in found["front"]
    )


def test_rules_have_figures_with_intervals(found):
    high = found["rules"][0]

    assert high["label"] == "high"
    assert high["literals"] == 4
    assert high["precision"]["low"] <= high["precision"]["value"] <= high["precision"]["high"]
    assert '"age" > 58' in high["sql"]


def test_steps_have_the_figures_of_the_rows_that_they_decide(found):
    (step,), default = found["decision"]["steps"], found["decision"]["default"]

    assert step["text"] == "age > 58 and ward = ICU, or pressure > 153 and smoker = yes"
    assert (step["label"], default["label"]) == ("high", "low")
    for each in (step, default):
        precision = each["precision"]
        assert precision["low"] < precision["value"] == each["n_right"] / each["n_rows"] < precision["high"]
    assert step["n_rows"] + default["n_rows"] == found["overall"]["n"]
    assert step["n_right"] + default["n_right"] == round(
        found["overall"]["rules_accuracy"] * found["overall"]["n"]
    )


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("iff", r"Predicts low when .*\. Rightly says of \d+\.\d% of the rows scored whether they are low\."),
        ("if", r"Nothing is known that every low row has\."),
        ("only_if", r"Rows where .* are low\. Right on \d+\.\d% of the rows of which it is true\."),
    ],
)
def test_a_sentence_says_how_often_it_holds(tmp_path: Path, kind: str, sentence: str):
    copied(STAYS, tmp_path)
    arguments = ["--target", "risk", "--rule", kind, "--max-rows", "200"]
    text = run("explain", tmp_path / "stays.csv", *arguments, "--json", "-").stdout
    written = json.loads(text)["rules"][1]["sentence"]

    assert re.fullmatch(sentence, written)


def test_what_is_not_defined_is_null(tmp_path: Path):
    """A rule that is never true has no precision."""
    copied(STAYS, tmp_path)
    arguments = ["--target", "risk", "--rule", "only_if", "--max-rows", "200"]
    text = run("explain", tmp_path / "stays.csv", *arguments, "--json", "-").stdout

    assert json.loads(text)["rules"][0]["precision"] == {"value": None, "low": 0.0, "high": 1.0}


def test_settings_are_enough_to_do_it_again(found):
    assert found["settings"] == {
        "network": "mu",
        "rule": "iff",
        "seed": 0,
        "max_literals": None,
        "literals": None,
        "distillation": None,
        "device": "cpu",
        "goal": None,
        "positive": None,
        "above": None,
        "cut": None,
        "bins": None,
        "use": [],
        "ignore": [],
        "holdout": 0.3,
        "split_column": None,
        "test_value": None,
        "group": None,
        "max_rows": None,
        "folds": None,
        "compare": True,
        "stability": 10,
    }
