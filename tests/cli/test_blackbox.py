"""``logiclens blackbox``, as a person types it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import logiclens
from logiclens.cli.blackbox_command import true_answers
from logiclens.cli.options import Selection
from logiclens.cli.selection import select_rows, split
from logiclens.files import TableFile, read_table
from tests.cli.running import PIPE, SCORED, TERMINAL, check_golden, copied, refused, report_facts, run


@pytest.fixture(autouse=True)
def _in_a_folder_with_predictions(tmp_path: Path) -> None:
    copied(SCORED, tmp_path)


@pytest.mark.parametrize(("where", "env"), [("pipe", PIPE), ("terminal", TERMINAL)])
def test_what_is_printed(where: str, env: dict[str, str | None]):
    arguments = ["scored_stays.csv", "--predictions", "predicted", "--truth", "risk", "--save", "model.lens"]
    result = run("blackbox", *arguments, env=env)

    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    check_golden(f"blackbox.{where}.txt", result.stdout)


def test_fidelity_is_to_the_predictions():
    """The truth is no input, and accuracies are those of predictions and rules."""
    arguments = ["scored_stays.csv", "--predictions", "predicted", "--truth", "risk"]
    assert run("blackbox", *arguments, "--json", "all.json", "--save", "rules.json").exit_code == 0
    found = json.loads(Path("all.json").read_text(encoding="utf-8"))
    rules = logiclens.load("rules.json")
    table = read_table("scored_stays.csv").table
    predicted, risk = (np.array(table[name].to_pylist()) for name in ("predicted", "risk"))
    held_out = split(predicted, 0.3, 0)
    said = rules.predict(table.take(np.flatnonzero(held_out)))

    assert found["task"] == "black box"
    assert "risk" not in found["data"]["columns"]
    assert found["overall"]["rules_accuracy"] == (said == predicted[held_out]).mean()
    assert found["overall"]["truth"] == {
        "truth": "risk",
        "n": held_out.sum(),
        "black_box": (predicted == risk)[held_out].mean(),
        "rules": (said == risk[held_out]).mean(),
    }
    high = rules["high"].evaluate(table.take(np.flatnonzero(held_out)))
    assert found["rules"][0]["fidelity"] == (high == (predicted[held_out] == "high")).mean()


def test_the_report_speaks_of_a_black_box():
    run("blackbox", "scored_stays.csv", "--predictions", "predicted", "--html", "r.html")
    facts = report_facts("r.html")

    assert (facts["task"], facts["overall"]["rules_accuracy"]) == ("black box", None)
    assert facts["question"] == "What does the model behind predicted do?"
    lead = facts["overall"]["answer_lead"]
    assert lead["claimed"]
    assert lead["cross_fitted"]
    assert lead["p_value"] < 0.001


def test_the_report_has_the_accuracies_that_are_printed():
    arguments = ["scored_stays.csv", "--predictions", "predicted", "--truth", "risk"]
    assert run("blackbox", *arguments, "--html", "r.html", "--json", "r.json").exit_code == 0
    truth = json.loads(Path("r.json").read_text(encoding="utf-8"))["overall"]["truth"]
    found = report_facts("r.html")["overall"]

    assert (found["rules_accuracy"], found["black_box_accuracy"]) == (truth["rules"], truth["black_box"])
    assert found["n_truth"] == truth["n"]
    assert found["baseline"] > 0.5


def numbers(truth: list[object]) -> str:
    """A file with probabilities, and what is true."""
    rng = np.random.default_rng(0)
    score = rng.random(100).round(4)
    lines = [
        f"{int(s > 0.5)},{int(n)},{s},{t}"
        for s, n, t in zip(score, rng.integers(0, 9, 100), truth * 50, strict=True)
    ]
    Path("scores.csv").write_text("\n".join(["a,b,score,truth", *lines, ""]), encoding="utf-8")
    return "scores.csv"


@pytest.mark.parametrize(
    "truth",
    [[0, 1], ["true", "false"], [0.0, ""], ["Yes", "No"], [1, 2], ["N", "Y"], ["bad", "good"], ["yes", ""]],
)
def test_truth_beside_probabilities_is_yes_or_no(truth: list[object]):
    arguments = ["--predictions", "score", "--above", "0.5", "--truth", "truth", "--json", "-"]
    found = json.loads(run("blackbox", numbers(truth), *arguments).stdout)

    assert {rule["label"] for rule in found["rules"]} == {"score > 0.5", "score <= 0.5"}
    assert 0.2 < found["overall"]["truth"]["black_box"] < 0.8


def test_truth_in_other_words_is_refused():
    Path("odd.csv").write_text(
        SCORED.read_text(encoding="utf-8").replace(",low\n", ",0\n").replace(",high\n", ",1\n"),
        encoding="utf-8",
    )

    assert refused("blackbox", "odd.csv", "--predictions", "predicted", "--truth", "risk") == (
        "Column 'risk' has no value that is also a prediction: 'high', 'low' against '0', '1'. "
        "Write both in the same way, or omit --truth."
    )


def test_truth_and_predictions_call_numbers_the_same():
    """Sums of floats have digits that no one wrote."""
    columns = {"said": [0.1 + 0.2, 1.5, 2.0], "true": [0.3, 1.5, 2.0], "x": [1, 2, 3]}
    selection = Selection("said", apart=("true",))
    rows = select_rows(TableFile(pa.table(columns), "t"), selection)

    assert true_answers(rows, selection)[0].tolist() == ["0.3", "1.5", "2"]


@pytest.mark.parametrize(
    ("said", "true", "above", "found", "note"),
    [
        (["Yes", "No"], [1, 0], None, ["Yes", "No"], ""),
        ([1, 0], ["true", "false"], None, ["1", "0"], ""),
        (["yes", "no"], ["yes", "maybe"], None, ["yes", "maybe"], ""),
        ([0.9, 0.2], ["No", "Yes"], 0.5, ["p <= 0.5", "p > 0.5"], ""),
        ([0.9, 0.2], [2, 1], 0.5, ["p > 0.5", "p <= 0.5"], ""),
        ([0.9, 0.2], ["ill", "well"], 0.5, ["p > 0.5", "p <= 0.5"], "'ill' of 't' counts as p > 0.5"),
    ],
)
def test_truth_with_two_values_is_yes_and_no(said, true, above, found, note):
    """Whoever wrote the one wrote the other in another way."""
    columns = {"p": said * 3, "t": [*(true * 2), true[0], None], "x": [1, 2, 3, 4, 5, 6]}
    selection = Selection("p", apart=("t",), above=above)
    answers, said_of_it = true_answers(select_rows(TableFile(pa.table(columns), "t"), selection), selection)

    assert answers.tolist() == [*found, *found, found[0], ""]
    assert said_of_it.startswith(note)
    assert bool(said_of_it) == bool(note)


def test_a_probability_beside_the_answer_is_told():
    """No cut point of the rules hits the limit of the model, so their figures do not show it."""
    rng = np.random.default_rng(1)
    p = rng.random(400).round(6)
    lines = [f"{a:.4f},{b},{'yes' if b > 0.7321 else 'no'}" for a, b in zip(rng.random(400), p, strict=True)]
    Path("p.csv").write_text("\n".join(["a,prob,pred", *lines, ""]), encoding="utf-8")
    result = run("blackbox", "p.csv", "--predictions", "pred")

    assert (
        "Note: column 'prob' alone gives 100.0% of the answers. Is it another answer of the model? "
        "Then leave it out: --ignore prob\n"
    ) in result.stdout


def test_probabilities_are_cut_in_the_middle_of_what_can_be():
    """Not in the middle of those that there are."""
    rows = "".join(f"{at},{at / 250:.3f}\n" for at in range(200))
    Path("p.csv").write_text(f"x,score\n{rows}")

    assert refused("blackbox", "p.csv", "--predictions", "score") == (
        "Column 'score' has 200 different numbers from 0 to 1, as probabilities are. Say from where on the "
        "answer is yes: --above 0.5 (37.0% of its values are)."
    )
    Path("p.csv").write_text("x,score\n" + "".join(f"{at},{at / 1000:.3f}\n" for at in range(200)))
    assert refused("blackbox", "p.csv", "--predictions", "score").endswith(
        "Ask what makes it large: --above 0.0995 (half of its values are)."
    )
