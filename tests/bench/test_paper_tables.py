"""Tables in the paper's layout."""

from __future__ import annotations

from typing import Any

import pytest

from logiclens.bench.paper_tables import (
    UNSEEN,
    consistency_table,
    experiment_table,
    honest_tables,
    metric_table,
    paper_tables,
    time_ratio,
    time_table,
)
from logiclens.bench.scoreboard import Scoreboard
from logiclens.bench.table_layout import FORMATS, Cell, Table, written
from logiclens.errors import InputError
from tests.bench.made_up import column, made_up_rows, row


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return made_up_rows()


def cells(table: Table) -> dict[tuple[str, str], Cell]:
    """Cells by the name of their line and the head of their column."""
    return {
        (line[0].text, head): cell
        for line in table.lines
        for head, cell in zip(table.heads[1:], line[1:], strict=True)
    }


def bold(table: Table) -> set[tuple[str, str]]:
    return {place for place, cell in cells(table).items() if cell.best}


def test_a_line_for_each_experiment_and_one_for_the_papers_settings():
    board = Scoreboard(
        [
            *column("fidelity", [0.98, 1.0]),
            *column("fidelity", [0.88], method="mu-reference"),
            *column("fidelity", [1.0], method="tree"),
        ]
    )
    found = cells(metric_table(board, "fidelity"))

    assert list(found) == [
        ("MIMIC-II", "decision tree"),
        ("MIMIC-II", "mu"),
        ("MIMIC-II, reference", "decision tree"),
        ("MIMIC-II, reference", "mu"),
    ]
    assert str(found["MIMIC-II", "mu"]) == "99.00±1.00 [88.37±2.73]"
    assert str(found["MIMIC-II, reference", "mu"]) == "88.00 (1 of 2 folds) [88.37±2.73]"
    assert str(found["MIMIC-II, reference", "decision tree"]) == ""


def test_the_two_best_are_in_bold_and_all_that_print_alike():
    figures = {"tree": 0.7, "brl": 0.72, "psi": 0.71001, "mu": 0.71002, "relu": 0.6}
    board = Scoreboard([row(method=name, explanation_accuracy=value) for name, value in figures.items()])

    assert bold(metric_table(board, "explanation_accuracy")) == {
        ("MIMIC-II", "BRL"),
        ("MIMIC-II", "psi"),
        ("MIMIC-II", "mu"),
    }


def test_of_lengths_the_least_are_the_best():
    board = Scoreboard([row(method=name, complexity=at) for at, name in enumerate(("mu", "psi", "tree"), 1)])

    assert bold(metric_table(board, "complexity")) == {("MIMIC-II", "mu"), ("MIMIC-II", "psi")}


def test_of_fidelity_the_best_network_is():
    """Trees are their own explanations."""
    figures = {"tree": 1.0, "psi": 0.99, "mu": 0.98}
    board = Scoreboard([row(method=name, fidelity=value) for name, value in figures.items()])

    assert bold(metric_table(board, "fidelity")) == {("MIMIC-II", "psi")}


def test_models_without_rules_are_never_in_bold():
    with_rules = [row(method=name, model_accuracy=0.7, complexity=2.0) for name in ("mu", "tree")]
    board = Scoreboard([*with_rules, row(method="boosting", model_accuracy=0.9)])
    table = metric_table(board, "model_accuracy")

    assert bold(table) == {("MIMIC-II", "mu"), ("MIMIC-II", "decision tree")}
    assert table.note.endswith(
        "Logistic regression, perceptrons and boosting give no rules: their accuracy is never in bold."
    )


def test_what_was_not_finished_is_told_and_not_in_bold():
    late = {"status": "not finished in 9 s"}
    board = Scoreboard(
        [
            *column("complexity", [3.0, 3.0]),
            row(method="brl", fold=0, complexity=1.0),
            row(method="brl", fold=1, complexity=None, **late),
            row(method="ripper", fold=0, complexity=None, **late),
        ]
    )
    table = metric_table(board, "complexity")
    found = cells(table)

    assert found["MIMIC-II", "BRL"].text == "1.00 (1 of 2 folds)"
    assert found["MIMIC-II", "RIPPER"].text == "not finished in 9 s"
    assert bold(table) == {("MIMIC-II", "mu")}


def test_no_such_metric():
    with pytest.raises(InputError, match=r"There is no table of 'fidelty'\. Did you mean 'fidelity'\?"):
        metric_table(Scoreboard([row()]), "fidelty")


def test_consistency_of_one_class_and_of_all():
    used = [{"recovery": ["a"], "death": names} for names in (["a", "b"], ["a", "c"])]
    rows = [row(fold=fold, used=each, n_concepts=9) for fold, each in enumerate(used)]
    rows += [row(method="tree", fold=fold, used=used[0], n_concepts=9) for fold in range(2)]
    plain, adjusted = (consistency_table(Scoreboard(rows), adjusted=each) for each in (False, True))

    assert str(cells(plain)["MIMIC-II, death", "mu"]) == "66.67 [71.43]"
    assert str(cells(plain)["MIMIC-II, mean over classes", "mu"]) == "83.33"
    assert cells(adjusted)["MIMIC-II, death", "decision tree"].text == "100.00"
    assert 0 < float(cells(adjusted)["MIMIC-II, death", "mu"].text) < 66.67


def test_the_paper_is_spoken_of_only_where_it_has_figures():
    used = {"death": ["a"]}
    notes = [
        consistency_table(
            Scoreboard([row(experiment=name, fold=fold, used=used) for fold in range(2)]), adjusted=False
        ).note
        for name in ("mimic2", "my table")
    ]

    assert notes == ["In brackets: the paper, which does not say of which class.", ""]


def test_chance_may_be_better_than_rules():
    rows = [row(fold=fold, used={"death": [name]}, n_concepts=4) for fold, name in enumerate("ab")]

    table = consistency_table(Scoreboard(rows), adjusted=True)
    assert cells(table)["MIMIC-II, death", "mu"].text == "−33.33"
    assert table.note == "100: the same concepts in every fold; 0: as many drawn at random, on average."


def test_time_and_its_ratios():
    rows = [
        *column("seconds", [1.0, 3.0]),
        *column("seconds", [0.1, 0.1], method="tree"),
        row(method="brl", fold=0, seconds=500.0),
        row(method="brl", fold=1, seconds=900.0, status="not finished in 900 s"),
    ]
    found = cells(time_table(Scoreboard(rows)))

    assert found["MIMIC-II", "mu"].text == "4"
    assert found["MIMIC-II", "BRL"].text == "≥1400"
    assert found["MIMIC-II", "BRL / mu"].text == "≥350"
    assert found["MIMIC-II", "mu / decision tree"].text == "20"


def test_ratios_are_of_folds_that_both_have():
    board = Scoreboard([*column("seconds", [1.0, 100.0]), row(method="brl", fold=0, seconds=50.0)])

    assert time_ratio(board, "mimic2", "brl", "mu") == 50.0
    assert time_ratio(board, "mimic2", "ripper", "mu") is None


def test_honest_variants_stand_below_their_experiment():
    rows = [row("mimic2", fidelity=0.9), row("mimic2-infold", fidelity=0.8), row("cub", fidelity=0.9)]
    rows += [row("cub", fidelity=0.4) | {"part": UNSEEN}]
    fidelity = cells(honest_tables(rows)[-1])

    assert [(line, cell.text) for (line, _), cell in fidelity.items()] == [
        ("MIMIC-II", "90.00"),
        ("MIMIC-II (in fold)", "80.00"),
        ("CUB", "90.00"),
        ("CUB, unseen pictures", "40.00"),
    ]
    assert fidelity["CUB, unseen pictures", "mu"].beside == ""  # the paper has no such figure
    assert honest_tables(rows[:1]) == []


def test_one_experiment_has_a_column_for_each_metric_with_figures():
    rows = [
        row(fidelity=0.9, complexity=2.0, n_without_rule=0),
        row(method="tree", complexity=9.0, n_without_rule=0),
    ]
    table = experiment_table(Scoreboard(rows), "mimic2")

    assert table.heads == (
        "",
        "Complexity of explanations (literals)",
        "Fidelity of explanations (macro-F1, %)",
    )
    assert [cell.text for cell in table.lines[0]] == ["decision tree", "9.00", "–"]


def test_classes_without_a_rule_are_told():
    rows = [row(complexity=2.0, n_without_rule=3)]

    assert experiment_table(Scoreboard(rows), "mimic2").heads[-1] == "Classes without a rule"


@pytest.mark.parametrize("form", FORMATS)
def test_a_whole_run_is_written(form: str, rows: list[dict[str, Any]]):
    tables = paper_tables(rows)
    titles = [table.title for table in tables]

    assert titles[:4] == [
        "Model accuracy (%)",
        "Explanation accuracy (macro-F1, %)",
        "Complexity of explanations (literals)",
        "Fidelity of explanations (macro-F1, %)",
    ]
    assert len(set(titles)) == len(titles) == 19
    assert all(title in written(tables, form).replace("\\%", "%") for title in titles)


def test_a_run_of_one_method_on_a_table_of_ones_own():
    tables = paper_tables([row("<b>.csv", model_accuracy=0.5, complexity=1.0)])

    assert "<b>" not in written(tables, "html").replace("<body>", "")
    assert [table.title for table in tables][-1] == "<b>.csv"
    assert [table.title for table in tables if bold(table)] == []  # the best of one is nothing
