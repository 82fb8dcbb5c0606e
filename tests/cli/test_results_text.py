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
    print_mirror,
    print_rules,
    score_table,
)
from logiclens.cli.outputs import rule_words
from logiclens.cli.selection import ClassScores, Dropped, MeanAndError
from logiclens.evaluation import StepScores
from logiclens.evaluation._evaluate import Leak
from logiclens.explain import Explanation, ExplanationSet, Rule, Step
from logiclens.explain.resolution import step_words
from logiclens.logic import FALSE, Var, parse_formula
from logiclens.metrics import rule_scores
from logiclens.metrics.agreement import Total


def printed(show, *arguments: object, **settings: object) -> str:
    console = Console(file=io.StringIO(), width=200, color_system=None)
    show(console, *arguments, **settings)
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
    fit = SimpleNamespace(leaks=found, rules=SimpleNamespace(vocabulary=None))
    text = printed(print_leaks, fit, "Is it known only afterwards?")

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
        "Note: figures from so few rows say little: 29 rows held out, fewer than 10 training rows of 2.\n"
    )
    assert few(12, "trained on", "x") == ("Note: figures from so few rows say little: 12 rows trained on.\n")


def test_classes_without_a_rule_are_one_line_after_the_others():
    found = [(of_class(f"c{at}", "FALSE").explanation, "") for at in range(14)]
    some = (of_class("x", "a").explanation, "True of some.")

    assert printed(print_rules, [*found[:2], some, *found[2:]]) == (
        "Predicts x when a.\n  True of some.\n\n"
        "No rule for 14 classes: c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11 and 2 more.\n\n"
    )
    assert printed(print_rules, found[:1]) == "No rule for 1 class: c0.\n\n"
    assert printed(print_rules, [some], logic=True) == "forall x: x(x) <-> a(x)\n  True of some.\n\n"


def test_of_many_classes_without_a_rule_no_figures_are_shown():
    without = [of_class(f"c{at}", "FALSE") for at in range(MOST_LINES + 1)]

    assert score_table([*without, of_class("x", "a")]).row_count == 1
    assert score_table([*without[1:], of_class("x", "a")]).row_count == MOST_LINES + 1


FOUND = [
    Explanation(Rule(label, parse_formula(f)), status="equivalent to the list")
    for label, f in (("x", "a"), ("y", "b"), ("z", "c"))
]
LIST = ExplanationSet(
    FOUND,
    ["a", "b", "c"],
    default="y",
    steps=[Step("y", parse_formula("(b & ~a) | c")), Step("x", Var("a"))],
)


def test_the_list_that_decides_is_printed_step_by_step():
    scores = [
        StepScores.of_counts(label, Total.of_rows(n), n - 1)
        for label, n in zip("yxy", (4, 1, 2), strict=True)
    ]

    assert printed(print_decision, LIST, scores, logic=False) == (
        "1. if        b and not a\n"
        "   or        c\n"
        "   then      y   right on 3 of the 4 rows it decides (75.0%)\n"
        "2. else if   a\n"
        "   then      x   right on 0 of 1 row (0.0%)\n"
        "3. otherwise y   right on 1 of 2 rows (50.0%)\n\n"
        "Never predicted: z.\n\n"
    )
    assert printed(print_decision, LIST, scores, logic=True).startswith(
        "if (b(x) & ~a(x)) | c(x) then y\n  right on 3 of the 4 rows it decides (75.0%)\n"
    )
    assert printed(print_decision, LIST, (), logic=False).endswith(
        "3. otherwise y\n\nNever predicted: z.\n\n"
    )


def test_steps_that_decide_no_row_and_answers_of_a_model():
    nothing = StepScores.of_counts("x", Total.of_rows(0), 0)
    some = StepScores.of_counts("x", Total.of_rows(1200), 1100)

    assert step_words(nothing, last=False) == "decides none of these rows"
    assert (
        step_words(some, "the model's answer", last=True) == "the model's answer on 1100 of 1200 rows (91.7%)"
    )


def test_the_mirror_says_whether_it_is_the_list():
    assert printed(print_mirror, LIST, logic=False) == (
        "Each class by itself:\n"
        "Predicts x when a.\n  Equivalent to the list.\n\n"
        "Predicts y when b.\n  Equivalent to the list.\n\n"
        "Predicts z when c.\n  Equivalent to the list.\n\n"
    )


def test_rules_that_are_no_list_say_how_often_they_hold():
    found = of_class("x", "a")
    necessary, enough = (
        found._replace(explanation=Explanation(Rule("x", Var("a"), kind))) for kind in ("if", "only_if")
    )

    assert rule_words(necessary) == "True of 100.0% of the 30 rows of x."
    assert rule_words(enough) == "Right on 100.0% of the rows of which it is true."
