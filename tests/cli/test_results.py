"""The one way in which results are printed; golden files hold the whole of it."""

from __future__ import annotations

import io

from rich.console import Console

from logiclens.cli.learning import MeanAndError
from logiclens.cli.outcome import Outcome
from logiclens.cli.preparing import Dropped
from logiclens.cli.results import (
    MOST_LINES,
    class_headings,
    metrics_table,
    part_words,
    print_doubt,
    print_dropped,
    print_files,
)


def printed(show, *arguments: object) -> str:
    console = Console(file=io.StringIO(), width=200, color_system=None)
    show(console, *arguments)
    return console.file.getvalue()


def outcome(**figures: object) -> Outcome:
    known = {
        "classes": (),
        "held_out": True,
        "n_train": 7,
        "n": 3,
        "network_accuracy": 1.0,
        "rules_accuracy": 0.9,
        "guess_accuracy": 0.5,
        "fidelity": 1.0,
        "n_uncovered": 0,
        "n_conflicts": 0,
    }
    return Outcome(**(known | figures))


def test_many_columns_are_not_all_listed():
    text = printed(print_dropped, [Dropped(f"c{at}", "constant") for at in range(MOST_LINES + 5)])

    assert text.startswith(f"Not used: {MOST_LINES + 5} columns.\n")
    assert text.count("constant") == MOST_LINES
    assert text.endswith("and 5 more.\n")
    assert printed(print_dropped, []) == ""


def test_rules_that_know_no_more_than_a_guess_are_doubted():
    assert printed(print_doubt, outcome(), "risk") == ""
    assert printed(print_doubt, outcome(rules_accuracy=0.5), "risk") == (
        "Note: that is no better than a guess: these columns may not decide risk.\n"
    )


def test_rows_trained_on_are_called_so():
    assert part_words(outcome()) == "On the 3 rows held out:"
    assert part_words(outcome(held_out=False, n=1)) == "On the 1 row trained on:"


def test_no_class_no_heading():
    assert list(class_headings(outcome(), "risk", 10)) == []


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
