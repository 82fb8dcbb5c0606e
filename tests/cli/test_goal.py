"""What rules are chosen for: --goal and --positive."""

from __future__ import annotations

import json

import pytest

from tests.cli.running import STAYS, refused, run


@pytest.mark.parametrize(
    ("words", "goal", "line"),
    [
        ("--goal accuracy", None, ""),
        ("--goal balanced", None, "All classes count alike: the mean of their recalls is "),
        (
            "--goal recall=0.8",
            "high",
            "high is the rarest class. Of the rules that reach a recall of 80 % for high",
        ),
        ("--goal precision=0.9 --positive low", "low", "Of the rules that reach a precision of 90 % for low"),
        ("--goal recall=1 --positive high", "high", "No rules reach a recall of 100 % for high"),
    ],
)
def test_what_rules_are_chosen_for_is_said(words: str, goal: str | None, line: str):
    options = [*words.split(), "--stability", "0", "--no-compare", "--max-literals", "8"]
    printed = run("explain", STAYS, "-t", "risk", *options)
    found = json.loads(run("explain", STAYS, "-t", "risk", *options, "--json", "-").stdout)

    assert printed.exit_code == 0, printed.output
    assert any(each.startswith(line) for each in printed.output.splitlines())
    entry = found["overall"]["goal"]
    assert ("On the rows held out the" in printed.output) == (entry is not None)
    assert (entry and entry["label"]) == goal
    if entry is not None:
        assert entry["reached"] == (entry["least"] < 1)
        assert entry["reached"] == (entry["rate"] >= entry["least"])
        rate = next(each for each in found["rules"] if each["label"] == goal)[entry["metric"]]["value"]
        verdict = "the goal holds there, too." if rate >= entry["least"] else "the goal is missed there."
        said = f"On the rows held out the {entry['metric']} of {goal} is {rate:.1%} ("
        assert any(each.startswith(said) and each.endswith(verdict) for each in printed.output.splitlines())


def test_rules_of_all_classes_alike_find_more_of_the_rare_one():
    options = ["-t", "risk", "--stability", "0", "--no-compare", "--literals", "1", "--json", "-"]
    plain, alike = (
        json.loads(run("explain", STAYS, *options, *more).stdout) for more in ([], ["--goal", "balanced"])
    )

    def recall(found):
        return next(each["recall"]["value"] for each in found["rules"] if each["label"] == "high")

    assert recall(alike) > recall(plain)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "--goal recall",
            "--goal is accuracy, balanced, or such as recall=0.9 or precision=0.9. Got 'recall'.",
        ),
        ("--goal recall=2", "--goal is accuracy, balanced, or such as recall=0.9"),
        ("--positive high", "--positive is the class of a recall or precision. Add --goal recall=0.9"),
        ("--goal balanced --positive high", "--positive is the class of a recall or precision."),
    ],
)
def test_goals_that_make_no_sense_are_refused(words: str, message: str):
    result = run("explain", STAYS, "-t", "risk", *words.split())

    assert result.exit_code == 2
    assert result.stderr.startswith(f"logiclens: {message}")


def test_a_class_that_is_not_there_is_refused():
    line = refused("explain", STAYS, "-t", "risk", "--goal", "recall=0.9", "--positive", "hihg")

    assert line.startswith("Unknown class 'hihg'. Did you mean 'high'?")
