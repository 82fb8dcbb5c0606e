"""Example rules."""

from __future__ import annotations

import pytest
from hypothesis import given

from logiclens.bench.rule_tables import good_rule, rules_table
from logiclens.bench.scoreboard import Scoreboard
from logiclens.bench.table_layout import written
from logiclens.logic import format_formula, parse_formula
from tests import strategies
from tests.bench.made_up import row


def ruled(accuracy: float, fold: int, text: str, **columns: object) -> dict:
    return row("vdem", fold=fold, explanation_accuracy=accuracy, example={"yes": text}, **columns)


def test_the_shortest_rule_of_the_good_folds():
    """Shorter ones are of folds below the mean, or longer by their literals and not by their text."""
    rows = [ruled(0.5, 0, "a"), ruled(0.9, 1, "a & b & c"), ruled(0.95, 2, "a_long_name & another_long_name")]
    label, formula = good_rule(Scoreboard(rows), "vdem", "mu")

    assert (label, format_formula(formula)) == ("yes", "a_long_name & another_long_name")


def test_the_class_of_the_paper_where_rows_keep_it():
    rows = [
        row(
            explanation_accuracy=0.9,
            used={"recovery": [], "death": []},
            example={"death": "a", "recovery": "b"},
        )
    ]
    assert good_rule(Scoreboard(rows), "mimic2", "mu")[0] == "death"

    others = [row("cub", explanation_accuracy=0.9, used={"x": [], "y": []}, example={"y": "a"})]
    assert good_rule(Scoreboard(others), "cub", "mu")[0] == "y"


def test_methods_without_rules_are_left_out():
    rows = [ruled(0.9, 0, "a"), row("vdem", "boosting", model_accuracy=0.9, example={})]

    assert [line[1].text for line in rules_table(Scoreboard(rows)).lines] == ["mu"]


def test_long_rules_are_counted():
    rows = [ruled(0.9, 0, " | ".join(f"c{at}" for at in range(21)))]
    (line,) = rules_table(Scoreboard(rows)).lines

    assert [cell.text for cell in line[2:]] == ["yes ↔ (too long)", "21"]


@given(strategies.formulas(max_leaves=5), strategies.names(), strategies.names())
def test_any_names_can_be_written(formula: object, label: str, experiment: str):
    """Rows keep rules as text; it is read back, whatever the names, and nothing in it acts."""
    text = format_formula(formula)
    rows = [row(experiment, explanation_accuracy=0.9, example={label: text})]
    table = rules_table(Scoreboard(rows), longest=1000)

    assert parse_formula(table.lines[0][2].text.split(" ↔ ", label.count(" ↔ ") + 1)[-1]) == formula
    assert "<script" not in written([table], "html")
    assert written([table], "markdown").count("\n") == 7
    assert written([table], "latex").count(r"\\" + "\n") == 2


@pytest.mark.parametrize("missing", ["example", "explanation_accuracy"])
def test_rows_without_rules_or_scores_give_none(missing: str):
    rows = [ruled(0.9, 0, "a") | {missing: None}]

    assert good_rule(Scoreboard(rows), "vdem", "mu") is None
