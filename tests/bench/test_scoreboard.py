"""Rows looked up by experiment and method."""

from __future__ import annotations

import math

import numpy as np
import pytest

from logiclens.bench.scoreboard import Scoreboard
from tests.bench.made_up import column, row
from tests.errors import error_of


def test_mean_and_standard_error():
    board = Scoreboard(column("fidelity", [0.9, 1.0, 0.8]))
    mean = board.mean("mimic2", "mu", "fidelity")

    assert mean.value == pytest.approx(0.9)
    assert mean.error == pytest.approx(np.std([0.9, 1.0, 0.8], ddof=1) / math.sqrt(3))
    assert (mean.n, mean.of) == (3, 3)
    assert math.isnan(Scoreboard(column("fidelity", [0.9])).mean("mimic2", "mu", "fidelity").error)


def test_the_first_folds_alone():
    board = Scoreboard(column("fidelity", [0.9, 1.0, 0.2]))

    assert board.mean("mimic2", "mu", "fidelity", first=2).value == pytest.approx(0.95)


def test_folds_that_were_not_finished_have_no_figures():
    rows = [row(fold=0, fidelity=0.9), row(fold=1, fidelity=None, status="not finished in 9 s")]
    board = Scoreboard(rows)

    assert board.mean("mimic2", "mu", "fidelity")[2:] == (1, 2)
    assert board.mean("mimic2", "mu", "complexity") is None
    assert board.statuses("mimic2", "mu") == ("not finished in 9 s",)


def test_methods_are_compared_on_the_folds_that_both_have():
    """On the fold that it did not finish, the other one would have looked worse."""
    easy_only = [row(method="brl", fold=0, fidelity=0.9), row(method="brl", fold=1, fidelity=None)]
    board = Scoreboard([*column("fidelity", [0.95, 0.5]), *easy_only])

    assert board.lead("mimic2", "fidelity", "brl", "mu") == pytest.approx(-0.05)
    assert board.lead("mimic2", "fidelity", "tree", "mu") is None


def test_experiments_and_methods_are_in_the_order_of_the_paper():
    names = [
        ("my table", "mine"),
        ("cub", "boosting"),
        ("mimic2", "mu"),
        ("mimic2", "tree"),
        ("mimic2", "mu-reference"),
    ]
    board = Scoreboard([row(*name) for name in names])

    assert board.experiments == ("mimic2", "cub", "my table")
    assert board.methods == ("tree", "mu", "mu-reference", "boosting", "mine")


def test_variants_stand_aside_where_the_experiment_is_there():
    both = [row("mimic2-infold"), row("mimic2")]

    assert Scoreboard(both).main_experiments == ("mimic2",)
    assert Scoreboard(both[:1]).main_experiments == ("mimic2-infold",)


def test_parts_and_fold_seeds_are_kept_apart():
    rows = [row(fidelity=0.9), row(fidelity=0.2, part="unseen"), row(fidelity=0.7) | {"fold_seed": 5}]

    assert Scoreboard(rows, fold_seed=0).values("mimic2", "mu", "fidelity") == {0: 0.9}
    assert Scoreboard(rows, fold_seed=5).values("mimic2", "mu", "fidelity") == {0: 0.7}
    assert Scoreboard(rows, "unseen").values("mimic2", "mu", "fidelity") == {0: 0.2}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([row(), row() | {"fold_seed": 5}], "The rows are of the fold seeds 0, 5. Say which: fold_seed=0."),
        ([], "There are no rows of the part '' and the fold seed None."),
        ([row(), row()], "There are two rows of 'mu' for fold 0 of 'mimic2'."),
    ],
    ids=["seeds", "none", "twice"],
)
def test_rows_that_are_no_run_are_refused(rows: list, message: str):
    assert message in error_of(Scoreboard, rows)


def test_consistency_is_of_the_first_five_folds():
    """The sixth, with other concepts, does not count."""
    used = [["a", "b"]] * 4 + [["a", "c"], ["x", "y"]]
    rows = [
        row(fold=fold, used={"death": names, "recovery": ["a"]}, n_concepts=10)
        for fold, names in enumerate(used)
    ]
    board = Scoreboard(rows)

    one, every = board.consistency("mimic2", "mu", "death"), board.consistency("mimic2", "mu")
    assert one.plain == pytest.approx((1.0 + 0.8 + 0.2) / 3)
    assert one.adjusted < 1
    assert every.plain == pytest.approx((one.plain + 1) / 2)


def test_consistency_needs_two_folds_and_the_number_of_concepts():
    rows = [row(fold=fold, used={"yes": ["a"]}) for fold in range(2)]

    assert Scoreboard(rows[:1]).consistency("mimic2", "mu") is None
    assert Scoreboard(rows).consistency("mimic2", "mu", "no") is None
    assert Scoreboard(rows).consistency("mimic2", "mu").plain == 1.0
    assert math.isnan(Scoreboard(rows).consistency("mimic2", "mu").adjusted)


def test_a_class_without_a_rule_in_any_fold_has_no_consistency():
    """That nothing returns every time is not to be counted in favor of a method."""
    used = [{"yes": ["a"], "no": []}, {"yes": ["b"], "no": []}, {"yes": [], "no": []}]
    board = Scoreboard([row(fold=fold, used=each, n_concepts=9) for fold, each in enumerate(used)])

    assert board.consistency("mimic2", "mu", "no") is None
    assert board.consistency("mimic2", "mu") == board.consistency("mimic2", "mu", "yes")
    assert board.consistency("mimic2", "mu").plain == pytest.approx(1 / 3)


def test_folds_with_concepts_of_their_own_are_no_error():
    rows = [row(fold=fold, used={"yes": [f"age > {fold}"]}, n_concepts=1) for fold in range(3)]

    assert Scoreboard(rows).consistency("mimic2", "mu").plain == pytest.approx(1 / 3)


def test_class_shown_is_that_of_the_paper_or_the_last():
    board = Scoreboard(
        [row(used={"recovery": [], "death": []}), row("my table", used={"no": [], "yes": []}), row("cub")]
    )

    assert board.class_shown("mimic2") == "death"
    assert board.class_shown("my table") == "yes"
    assert board.class_shown("cub") is None
