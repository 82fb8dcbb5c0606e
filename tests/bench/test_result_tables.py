"""Tables in the paper's layout, example rules, and tables of one's own."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.bench.reference_figures import Published
from logiclens.bench.result_tables import (
    MEASURES,
    UNSEEN,
    consistency_table,
    experiment_table,
    figure,
    good_rule,
    honest_tables,
    mean_ranks,
    metric_table,
    paper_tables,
    ranked_table,
    rules_table,
    time_ratio,
    time_table,
)
from logiclens.bench.scoreboard import Mean, Scoreboard
from logiclens.bench.table_layout import FORMATS, Cell, ResultTable, as_document
from logiclens.logic import format_formula, parse_formula
from tests import strategies
from tests.bench.made_up import column, made_up_rows, row
from tests.errors import error_of


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return made_up_rows()


def cells(table: ResultTable) -> dict[tuple[str, str], Cell]:
    """Cells by the name of their line and the head of their column."""
    return {
        (line[0].text, head): cell
        for line in table.lines
        for head, cell in zip(table.heads[1:], line[1:], strict=True)
    }


def bold(table: ResultTable) -> set[tuple[str, str]]:
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


def test_who_is_in_bold():
    """The least of lengths; of fidelity the best network; of accuracy, those with rules."""

    def best(column: str, **figures: float) -> set[str]:
        with_rules = {} if column != "model_accuracy" else {"complexity": 2.0}
        rows = [
            row(method=name, **{column: value}, **(with_rules if name != "boosting" else {}))
            for name, value in figures.items()
        ]
        return {head for _, head in bold(metric_table(Scoreboard(rows), column))}

    assert best("complexity", mu=1, psi=2, tree=3) == {"mu", "psi"}
    assert best("fidelity", tree=1.0, psi=0.99, mu=0.98) == {"psi"}
    assert best("model_accuracy", mu=0.7, tree=0.7, boosting=0.9) == {"mu", "decision tree"}


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

    titles = ("Complexity of explanations (literals)", "Fidelity of explanations (macro-F1, %)")
    assert table.heads == ("", *titles)
    lacking = experiment_table(Scoreboard([row(n_without_rule=3)]), "mimic2")
    assert lacking.heads[-1] == "Classes without a rule"
    assert [cell.text for cell in table.lines[0]] == ["decision tree", "9.00", "–"]


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
    assert all(title in as_document(tables, form).replace("\\%", "%") for title in titles)


def test_a_run_of_one_method_on_a_table_of_ones_own():
    tables = paper_tables([row("<b>.csv", model_accuracy=0.5, complexity=1.0)])

    assert "<b>" not in as_document(tables, "html").replace("<body>", "")
    assert [table.title for table in tables][-1] == "<b>.csv"
    assert [table.title for table in tables if bold(table)] == []  # the best of one is nothing


def ruled(accuracy: float, fold: int, text: str, **columns: object) -> dict:
    return row("vdem", fold=fold, explanation_accuracy=accuracy, formulas={"yes": text}, **columns)


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
            formulas={"death": "a", "recovery": "b"},
        )
    ]
    assert good_rule(Scoreboard(rows), "mimic2", "mu")[0] == "death"

    others = [row("cub", explanation_accuracy=0.9, used={"x": [], "y": []}, formulas={"y": "a"})]
    assert good_rule(Scoreboard(others), "cub", "mu")[0] == "y"


def test_long_rules_are_counted_and_methods_without_rules_left_out():
    rows = [ruled(0.9, 0, " | ".join(f"c{at}" for at in range(21)))]
    (line,) = rules_table(Scoreboard([*rows, row("vdem", "boosting", model_accuracy=0.9, formulas={})])).lines

    assert [cell.text for cell in line[1:]] == ["mu", "yes ↔ (too long)", "21"]


@given(strategies.formulas(max_leaves=5), strategies.names(), strategies.names())
def test_any_names_can_be_written(formula: object, label: str, experiment: str):
    """Rows keep rules as text; it is read back, whatever the names, and nothing in it acts."""
    text = format_formula(formula)
    rows = [row(experiment, explanation_accuracy=0.9, formulas={label: text})]
    table = rules_table(Scoreboard(rows), longest=1000)

    assert parse_formula(table.lines[0][2].text.split(" ↔ ", label.count(" ↔ ") + 1)[-1]) == formula
    assert "<script" not in as_document([table], "html")
    assert as_document([table], "markdown").count("\n") == 7
    assert as_document([table], "latex").count(r"\\" + "\n") == 2


def test_rows_without_rules_or_scores_give_none():
    for missing in ("formulas", "explanation_accuracy"):
        assert good_rule(Scoreboard([ruled(0.9, 0, "a") | {missing: None}]), "vdem", "mu") is None


@pytest.mark.parametrize(
    ("mean", "column", "text"),
    [
        (Mean(0.98765, 0.0123, 10, 10), "fidelity", "98.77±1.23"),
        (Mean(7.0, math.nan, 1, 1), "complexity", "7.00"),
        (Mean(0.0312345, 0.00123, 10, 10), "seconds", "0.0312±0.0012"),
        (Mean(4321.4, math.nan, 1, 1), "seconds", "4321"),
        (Mean(2.5, 0.0, 5, 5), "seconds", "2.5"),
        (Published(0.4049, math.nan), "fidelity", "40.49"),
    ],
)
def test_means_and_errors(mean: Mean, column: str, text: str):
    assert figure(mean, MEASURES[column]) == text


ROW = {"fold": 0, "fold_seed": 0, "status": "done"}


def scored(column: str, scores: dict[str, dict[str, float | None]]) -> Scoreboard:
    """A board of one fold; a score of None is of a method that was stopped."""
    rows = [
        ROW
        | {"experiment": table, "method": method, column: score}
        | ({} if score is not None else {"status": "not finished in 2 h"})
        for table, found in scores.items()
        for method, score in found.items()
    ]
    return Scoreboard(rows)


def texts(table: ResultTable) -> list[list[str]]:
    return [[cell.text for cell in line] for line in table.lines]


def bold_texts(table: ResultTable) -> list[str]:
    return [cell.text for line in table.lines for cell in line if cell.best]


def test_a_table_of_one_metric_ends_with_mean_ranks():
    scores = {"a.csv": {"mu": 0.91, "tree": 0.8}, "b.csv": {"mu": 0.5, "tree": 0.50001}}
    table = ranked_table(scored("explanation_accuracy", scores), "explanation_accuracy")

    assert texts(table) == [
        ["a.csv", "80.0", "91.0"],
        ["b.csv", "50.0", "50.0"],
        ["Mean rank", "1.75", "1.25"],
    ]
    assert [[cell.best for cell in line] for line in table.lines][:2] == [
        [False, False, True],
        [False, True, True],
    ]


def test_a_method_that_was_stopped_comes_last_and_says_so():
    scores = {"a.csv": {"mu": 0.2, "brl": None}, "b.csv": {"mu": 0.2, "brl": 0.9}}
    table = ranked_table(scored("model_accuracy", scores), "model_accuracy")

    assert texts(table) == [
        ["a.csv", "not finished in 2 h", "20.0"],
        ["b.csv", "90.0", "20.0"],
        ["Mean rank", "1.50", "1.50"],
    ]


def test_one_table_has_no_ranks_and_a_method_alone_is_not_the_best():
    alone = ranked_table(scored("complexity", {"a.csv": {"mu": 2.0}}), "complexity")
    beside = ranked_table(scored("complexity", {"a.csv": {"mu": 2.0, "brl": None}}), "complexity")

    assert (texts(alone), bold_texts(alone)) == ([["a.csv", "2.0"]], [])
    assert bold_texts(beside) == ["2.0"]


def test_who_is_in_bold_of_those_that_compete():
    """Trees are their own explanations; models without rules give none."""
    fidelity = scored("fidelity", {"a.csv": {"mu": 0.97, "psi": 0.9, "tree": 1.0}})
    rows = [
        ROW | {"experiment": "a.csv", "method": method, "model_accuracy": score} | rules
        for method, score, rules in (("mu", 0.9, {"complexity": 3.0}), ("logistic", 0.95, {}))
    ]

    assert bold_texts(ranked_table(fidelity, "fidelity")) == ["97.0"]
    assert bold_texts(ranked_table(Scoreboard(rows), "model_accuracy")) == ["90.0"]


def test_what_ranks_are_of_must_be_known():
    board = scored("complexity", {"a.csv": {"mu": 2.0}})

    assert "There is no table of 'complexit'. Did you mean 'complexity'?" in error_of(
        ranked_table, board, "complexit"
    )


def test_places_are_shared_and_a_missing_score_comes_last():
    scores = {"one": {"mu": 0.9, "tree": 0.5, "brl": 0.9}, "two": {"mu": 0.1, "tree": 0.3}}

    assert mean_ranks(scores) == {"mu": 1.75, "tree": 2.0, "brl": 2.25}


@given(st.lists(st.dictionaries(st.sampled_from("abcd"), st.floats(0, 1), min_size=1), min_size=1))
def test_places_add_up(rows: list[dict[str, float]]):
    """Whoever wins, the places of n methods are 1 to n."""
    ranks = mean_ranks({str(at): row for at, row in enumerate(rows)})
    n = len(ranks)

    assert sum(ranks.values()) == pytest.approx(n * (n + 1) / 2)
    assert all(1 <= rank <= n for rank in ranks.values())
