"""The one way in which results are printed; golden files hold the whole of it."""

from __future__ import annotations

import io
from types import SimpleNamespace

import numpy as np
from rich.console import Console

from logiclens.cli.learning import (
    MOST_LINES,
    metrics_table,
    print_decision,
    print_doubt,
    print_dropped,
    print_few,
    print_files,
    print_leaks,
    print_rules,
    score_table,
)
from logiclens.cli.selection import ClassScores, Dropped, MeanAndError
from logiclens.evaluation._evaluate import Leak
from logiclens.explain import Explanation, ExplanationSet, Rule, Step
from logiclens.logic import FALSE, Var, parse_formula
from logiclens.metrics import rule_scores


def printed(show, *arguments: object) -> str:
    console = Console(file=io.StringIO(), width=200, color_system=None)
    show(console, *arguments)
    return console.file.getvalue()


def doubted(*classes: ClassScores) -> str:
    return printed(print_doubt, SimpleNamespace(rows=SimpleNamespace(target="risk"), classes=classes))


def test_many_columns_are_not_all_listed():
    text = printed(print_dropped, [Dropped(f"c{at}", "constant") for at in range(MOST_LINES + 5)])

    assert text.startswith(f"Not used: {MOST_LINES + 5} columns.\n")
    assert text.count("constant") == MOST_LINES
    assert text.endswith("and 5 more.\n")
    assert printed(print_dropped, []) == ""


def test_rules_that_know_no_more_than_a_guess_are_doubted():
    some, none = of_class("yes", "a"), of_class("yes", "a")._replace(literals=0)
    implied = none._replace(explanation=Explanation(Rule("yes", FALSE, "only_if")))

    assert doubted(some) == "Note: these columns may not decide risk.\n"
    assert "--front lists rules of every length" in doubted(none)
    assert "--front" not in doubted(implied)


def test_rules_that_know_more_than_a_guess_that_is_right_as_often():
    """A tenth of 100 rows is of the class, and nine of the 18 for which the formula is true."""
    belongs = np.arange(100) < 10
    formula, fires = Var("a"), {"a": (np.arange(100) >= 1) & (np.arange(100) < 19)}
    scores = rule_scores(formula, fires, belongs)
    known = ClassScores(Explanation(Rule("yes", formula)), 10, 10, 1, scores, 1.0, 0.9)

    assert doubted(known) == (
        "Note: rules may know more than a guess that is right as often: yes is 5.0 times as common where its "
        "rule fires as among all rows.\n"
    )


def test_files_and_the_next_step():
    assert printed(print_files, [("a\n.html", "report")], "do more") == (
        "Wrote the report to a\\u000a.html\nNext: do more\n"
    )
    assert printed(print_files, [], "") == ""


def test_metrics_that_have_no_error_leave_it_blank():
    table = metrics_table(
        {"complexity": MeanAndError(3.5, 0.25), "consistency": MeanAndError(0.5, float("nan"))}
    )
    console = Console(file=io.StringIO(), width=80, color_system=None)
    console.print(table)
    lines = [line.split() for line in console.file.getvalue().splitlines()]

    assert ["literals", "of", "a", "rule", "3.50", "0.25"] in lines
    assert ["consistency", "of", "the", "concepts", "50.0%"] in lines


def test_columns_that_give_the_answers_away():
    found = [Leak("day of death", 0.998), Leak("b", 0.99), Leak("c", 0.985), Leak("d", 0.98)]
    text = printed(print_leaks, found, "Is it known only afterwards?")

    assert text.splitlines()[0] == (
        "Note: column 'day of death' alone gives 99.8% of the answers. Is it known only afterwards? Then "
        "leave it out: --ignore 'day of death'"
    )
    assert text.count("\n") == 3


def of_class(label: object, formula: str) -> ClassScores:
    explanation = Explanation(Rule(label, parse_formula(formula)))
    scores = rule_scores(explanation, {"a": [True, False]}, [True, False])
    return ClassScores(explanation, 100, 30, explanation.complexity, scores, 1.0, 1.0)


def test_figures_from_few_rows_are_doubted():
    sizes = {"x": (70, 30), 2: (9, 3)}

    def few(n: int, part: str, *labels: object) -> str:
        rows = SimpleNamespace(class_sizes=sizes)
        return printed(print_few, SimpleNamespace(n=n, part=part, rows=rows, rules=labels))

    assert few(30, "held out", "x") == ""
    assert few(29, "held out", "x", 2) == (
        "Note: figures from so few rows say little: 29 rows held out, fewer than 10 to learn 2 from.\n"
    )
    assert few(12, "trained on", "x") == ("Note: figures from so few rows say little: 12 rows trained on.\n")


def test_classes_without_a_rule_are_one_line_after_the_others():
    found = [("none", of_class(f"c{at}", "FALSE").explanation) for at in range(14)]
    text = printed(print_rules, [*found[:2], ("some", of_class("x", "a").explanation), *found[2:]])

    assert text == (
        "some\nforall x: x(x) <-> a(x)\n  x if and only if a (a necessary and sufficient condition).\n\n"
        "No rule for 14 classes: c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11 and 2 more.\n\n"
    )
    assert printed(print_rules, found[:1]) == "No rule for 1 class: c0.\n\n"


def test_of_many_classes_without_a_rule_no_figures_are_shown():
    without = [of_class(f"c{at}", "FALSE") for at in range(MOST_LINES + 1)]

    assert score_table([*without, of_class("x", "a")]).row_count == 1
    assert score_table([*without[1:], of_class("x", "a")]).row_count == MOST_LINES + 1


def test_the_list_that_decides_is_printed_step_by_step():
    found = [Explanation(Rule(label, parse_formula(f))) for label, f in (("x", "a"), ("y", "b"), ("z", "c"))]
    steps = [Step("y", parse_formula("b & ~a")), Step("x", Var("a"))]
    rules = ExplanationSet(found, ["a", "b", "c"], default="y", steps=steps)
    headings = [(f"risk = {each.target}", each) for each in found]

    assert printed(print_decision, rules, headings) == (
        "risk = y\nif b(x) & ~a(x) then y\n  If b and not a, then y;\n\n"
        "risk = x\nelse if a(x) then x\n  otherwise if a, then x;\n\n"
        "otherwise y\n\n"
        "Never predicted: z.\n\n"
    )
    several = ExplanationSet(found, ["a", "b", "c"], multi_label=True)
    assert printed(print_decision, several, headings) == printed(print_rules, headings)
