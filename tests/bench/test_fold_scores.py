"""From outcomes to rows: the paper's metrics, and what is left open where there is nothing to say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score, roc_auc_score

from logiclens.bench.fold_scores import (
    COLUMNS,
    LONGEST,
    RATES,
    SECONDS,
    Row,
    score,
    unfinished_outcome,
)
from logiclens.bench.method import Outcome
from logiclens.logic import FALSE, TRUE, Formula, Or, Var
from logiclens.metrics import HeldOut
from tests.bench.toy_runs import CLASSES, CONCEPTS, FirstConcept, Toy, nothing, toy_fold
from tests.errors import error_of
from tests.strategies import HOSTILE_NAMES, formulas

RED = Var("red")


def only_row(fold: Any, outcome: Outcome) -> Row:
    (row,) = score(Toy(), FirstConcept(), fold, outcome)
    return row


def outcome(fold: Any, rules: dict[str, Formula] | None, answers: Any = None, **changes: Any) -> Outcome:
    chosen = fold.y_test if answers is None else np.asarray(answers, dtype=np.intp)
    said = chosen[:, None] == np.arange(len(fold.class_names))
    return replace(Outcome(chosen, said, rules, 2.0, 0.5), **changes)


def test_a_row_has_all_columns_in_order():
    row = only_row(toy_fold(2, seed=3), outcome(toy_fold(2, seed=3), {"no": ~RED, "<script>": RED}))

    assert list(row) == [
        *("experiment", "part", "method", "fold", "fold_seed", "seed", "n_train", "n_test", "n_concepts"),
        *("status", *RATES, "complexity", "list_literals", "n_without_rule", *SECONDS, "used", "formulas"),
    ]
    assert [*row.values()][:10] == ["toy", "", "first", 2, 0, 0, 20, 10, 3, "done"]
    assert row["used"] == {"no": ["red"], "<script>": ["red"]}
    assert row["formulas"] == {"no": "~red", "<script>": "red"}


@settings(max_examples=40, deadline=None)
@given(st.lists(formulas(st.sampled_from(CONCEPTS)), min_size=2, max_size=2), st.integers(0, 50))
def test_figures_are_those_of_scikit_learn(found: list[Formula], seed: int):
    """Macro-F1 of each class against the rest, mean over classes; the constants mean what they say."""
    fold = toy_fold(0, seed)
    answers = np.random.default_rng(seed).integers(0, 2, 10)
    said = np.random.default_rng(seed).random((10, 2)) > 0.5
    rules = dict(zip(CLASSES, found, strict=True))
    yes = np.random.default_rng(seed).random(10)
    probability = np.column_stack([1.0 - yes, yes])
    row = only_row(fold, outcome(fold, rules, answers, said=said, probability=probability))
    fired = np.stack([each.evaluate(fold.x_test, CONCEPTS) for each in found], axis=1)

    def expected(columns: Any) -> float:
        occurs = np.unique(fold.y_test)
        pairs = [(columns[:, at], fired[:, at]) for at in occurs]
        return float(np.mean([f1_score(true, say, average="macro", zero_division=0) for true, say in pairs]))

    assert row["explanation_accuracy"] == pytest.approx(expected(fold.y_test[:, None] == [0, 1]))
    assert row["fidelity"] == pytest.approx(expected(answers[:, None] == [0, 1]))
    assert row["fidelity_outputs"] == pytest.approx(expected(said))
    assert row["model_accuracy"] == pytest.approx((answers == fold.y_test).mean())
    assert row["model_brier"] == pytest.approx(np.square(yes - fold.y_test).mean())
    if len(np.unique(fold.y_test)) == 2:
        assert row["model_auc"] == pytest.approx(roc_auc_score(fold.y_test, yes))
    else:
        assert row["model_auc"] is None
    assert all(0 <= row[name] <= 1 for name in RATES if name != "model_auc")
    assert row["n_without_rule"] == sum(each == FALSE for each in found)


def test_plain_shares_and_seconds():
    x = np.array([[1.0], [1.0], [0.0], [0.0]])
    y = np.array([1, 0, 0, 0])
    fold = toy_fold(x_train=x, y_train=y, x_test=x, y_test=y, concept_names=("red",))
    row = only_row(fold, outcome(fold, {"no": TRUE, "<script>": RED}, [1, 1, 0, 0], list_literals=7.0))

    assert row["explanation_accuracy_plain"] == 0.75
    assert row["fidelity_plain"] == 0.75
    assert row["complexity"] == 0.5
    assert row["list_literals"] == 7.0
    assert (row["seconds_train"], row["seconds_extract"], row["seconds"]) == (2.0, 0.5, 2.5)


def test_rules_alone_decide_as_their_training_rows_say():
    """Where both rules fire the more precise one decides, where none does the most frequent class left."""
    x = np.array([[1.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    y = np.array([1, 1, 0, 1, 1, 0])
    fold = toy_fold(x_train=x, y_train=y, x_test=x, y_test=y, concept_names=("a", "b"))
    row = only_row(fold, outcome(fold, {"no": Var("a"), "<script>": Var("b")}))

    assert row["rules_accuracy"] == pytest.approx(5 / 6)


def test_models_without_rules_have_no_figures_of_rules():
    row = only_row(toy_fold(), outcome(toy_fold(), None))

    assert row["model_accuracy"] == 1.0
    assert {row[name] for name in RATES[1:]} == {None}
    assert (row["complexity"], row["n_without_rule"], row["used"], row["formulas"]) == (None, None, {}, {})


def test_classes_without_a_rule_are_counted_and_never_true():
    fold = toy_fold()
    missing, false = only_row(fold, outcome(fold, {"<script>": RED})), only_row(fold, nothing(fold))

    assert missing["n_without_rule"] == 1
    assert missing["used"] == {"no": [], "<script>": ["red"]}
    assert missing["formulas"] == {"no": "FALSE", "<script>": "red"}
    assert false["n_without_rule"] == 2
    assert false["complexity"] == 0


def test_an_unfinished_fit_has_its_status_and_no_figures():
    fold = toy_fold(parts={"last rows": np.arange(10) > 7})
    rows = score(Toy(), FirstConcept(), fold, unfinished_outcome(fold, "not finished in 2 h", 7200.0))

    assert [row["status"] for row in rows] == ["not finished in 2 h"] * 2
    assert {row[name] for row in rows for name in (*RATES, "complexity")} == {None}
    assert rows[0]["seconds"] == 7200.0


def test_parts_are_scored_on_the_classes_they_have():
    x = np.eye(3)[[0, 1, 2, 0, 1, 2]]
    y = np.array([0, 1, 2, 0, 1, 2])
    names = ("no", "<script>", "maybe")
    rules = {"no": RED, "<script>": Var("red_wing"), "maybe": FALSE}
    mask = np.array([True, True, False, True, False, False])
    fold = toy_fold(
        class_names=names,
        x_train=x,
        y_train=y,
        x_test=x,
        y_test=y,
        parts={"some": mask, "none": np.zeros(6, dtype=np.bool_)},
    )
    whole, some = score(Toy(), FirstConcept(), fold, outcome(fold, rules))

    assert (whole["part"], some["part"], some["n_test"]) == ("", "some", 3)
    assert whole["explanation_accuracy"] == pytest.approx((1 + 1 + 0.4) / 3)
    assert some["explanation_accuracy"] == some["fidelity"] == 1.0
    assert (some["used"], some["formulas"]) == ({}, {})
    assert list(whole["formulas"]) == ["no", "<script>", "maybe"]  # all of them
    assert some["complexity"] == whole["complexity"]


def test_agreement_with_a_black_box():
    fold = toy_fold(also={"black box": np.zeros(10, dtype=np.intp)})
    row = only_row(fold, outcome(fold, {"no": TRUE, "<script>": FALSE}, np.arange(10) % 2))

    assert row["agreement_model_black_box"] == 0.5
    assert row["agreement_rules_black_box"] == 1.0


def test_a_normal_form_that_is_too_large_has_no_length():
    names = tuple(f"c{at}" for at in range(60))
    pairs = [Or(Var(names[at]), Var(names[at + 1])) for at in range(0, 60, 2)]
    long = pairs[0]
    for pair in pairs[1:]:
        long = long & pair
    x = np.ones((4, 60))
    y = np.array([0, 1, 0, 1])
    fold = toy_fold(concept_names=names, x_train=x, y_train=y, x_test=x, y_test=y)
    row = only_row(fold, outcome(fold, {"no": FALSE, "<script>": long}))

    assert row["complexity"] is None
    assert row["explanation_accuracy_plain"] == 0.5


def test_hostile_names_are_names():
    n = len(HOSTILE_NAMES)
    x = np.eye(n)
    y = np.arange(n)
    fold = toy_fold(
        concept_names=HOSTILE_NAMES, class_names=HOSTILE_NAMES, x_train=x, y_train=y, x_test=x, y_test=y
    )
    row = only_row(fold, outcome(fold, {name: Var(name) for name in HOSTILE_NAMES}))

    assert row["explanation_accuracy"] == row["rules_accuracy"] == row["fidelity"] == 1.0
    assert row["used"] == {name: [name] for name in HOSTILE_NAMES}


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"answers": np.zeros(3, dtype=np.intp)}, "Got shapes (3,) and (10, 2)."),
        ({"rules": {"yes": RED}}, "Rules must be about the classes 'no', '<script>'. Got rules of 'yes'."),
        ({"rules": {"no": Var("red_wings")}}, "Unknown concept 'red_wings'"),
    ],
)
def test_an_outcome_fits_its_fold(changes: dict[str, Any], text: str):
    fold = toy_fold()

    assert text in error_of(only_row, fold, replace(nothing(fold), **changes))


# Metrics of one's own


def test_a_metric_is_a_column_of_each_part():
    fold = toy_fold(parts={"last rows": np.arange(10) > 7})
    found = outcome(fold, {"no": ~RED, "<script>": RED})
    scoring = {"rows": lambda held: len(held.x), "fidelity of mine": same_decision}
    rows = score(Toy(), FirstConcept(), fold, found, scoring=scoring)

    assert [row["rows"] for row in rows] == [10, 2]
    assert rows[0]["fidelity of mine"] == rows[0]["rules_accuracy"]
    bare = score(Toy(), FirstConcept(), fold, outcome(fold, None), scoring=scoring)
    assert {row["rows"] for row in bare} == {None}


def same_decision(held: HeldOut) -> float:
    assert held.rules["no"] == ~RED
    assert held.names == CONCEPTS
    return float((held.decided == held.predicted).all(axis=1).mean())


def test_formulas_too_long_to_read_are_not_kept():
    fold = toy_fold()
    long = Or(*[RED] * (LONGEST + 1))

    assert only_row(fold, outcome(fold, {"no": ~RED, "<script>": long}))["formulas"] == {"no": "~red"}


def test_the_names_of_columns_are_taken():
    fold = toy_fold()

    assert list(only_row(fold, outcome(fold, {"no": ~RED, "<script>": RED}))) == [*COLUMNS]
