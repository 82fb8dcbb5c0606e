"""Rules that are to reach a recall or a precision of one class."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import logiclens
from logiclens import MuClassifier, PsiClassifier
from logiclens.errors import InputError, UnknownTargetError
from logiclens.metrics.goal import Goal, GoalResult

RANDOM = np.random.default_rng(0)
X = {f"x{at}": RANDOM.normal(size=800) for at in range(4)}
LIKELY = ((X["x0"] > 0.5) & (X["x1"] > 0)) | (X["x2"] > 1.5)
Y = np.where(RANDOM.random(800) < np.where(LIKELY, 0.6, 0.07), "ill", "well")
TRAIN, TEST = ({name: values[rows] for name, values in X.items()} for rows in (slice(400), slice(400, None)))
QUICK = {"restarts": 3, "epochs": 40, "max_literals": 8, "random_state": 0}


def fitted(**settings: Any) -> MuClassifier:
    return MuClassifier(**QUICK | settings).fit(TRAIN, Y[:400])


@pytest.mark.parametrize(
    ("goal", "positive", "label"),
    [
        ("recall=0.6", None, "ill"),  # the rarer class
        ("recall=0.9", "ill", "ill"),
        ("recall=0.98", "well", "well"),
        ("precision=0.9", "well", "well"),
    ],
)
def test_rules_reach_a_goal_on_rows_left_out(goal: str, positive: str | None, label: str):
    model = fitted(goal=goal, positive=positive)
    result = model.front_.goal

    assert result is not None
    assert result.is_reached
    assert (result.goal.label, f"{result.goal.metric}={result.goal.least}") == (label, goal)
    predicted, true = model.explain().predict(TEST), Y[400:]
    out_of = true == label if result.goal.metric == "recall" else predicted == label
    assert (predicted == true)[out_of].mean() > result.goal.least - 0.12
    assert str(result).startswith(f"Of the rules that reach a {result.goal.metric} of ")


def test_rules_that_come_nearest_are_shown_and_said_so():
    result = fitted(goal="precision=0.99", positive="ill").front_.goal

    assert result is not None
    assert not result.is_reached
    assert str(result).startswith("No rules reach a precision of 99 % for ill; these come nearest: ")
    assert result.n >= 10


def test_nothing_is_trained_for_a_goal():
    plain, other = fitted(), fitted(goal="recall=0.9")

    np.testing.assert_array_equal(plain.predict_proba(TEST), other.predict_proba(TEST))
    assert plain.front_.goal is None
    assert other.front_.lead is None


def test_a_length_that_is_asked_for_stays():
    model = fitted(goal="recall=0.9", literals=2)

    assert model.explain().literals <= 2
    assert model.front_.chosen == model.front_.at(2)


def test_rules_of_other_rows_use_the_weight_that_was_chosen(tmp_path: Path):
    model = fitted(goal="recall=0.9")
    assert model.front_.goal is not None
    weighted = fitted(class_weight={"ill": model.front_.goal.weight})
    literals = model.explain().literals

    assert model.explain(TEST, Y[400:]).steps == weighted.explain(TEST, Y[400:], literals=literals).steps
    model.save(tmp_path / "model.lens")
    twin = logiclens.load(tmp_path / "model.lens")
    assert (twin.goal, twin.positive) == ("recall=0.9", None)
    assert str(twin.explain()) == str(model.explain())


def test_the_exact_formula_of_a_psi_network_is_not_what_reaches_a_goal():
    model = PsiClassifier(**QUICK, goal="recall=0.9").fit(TRAIN, Y[:400])

    assert model.front_.chosen < len(model.front_) - 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"goal": "recall"}, "goal must be such as 'recall=0.9' or 'precision=0.9'"),
        ({"goal": "recall=0"}, "goal must be such as"),
        ({"goal": "recall=90"}, "goal must be such as"),
        ({"goal": "accuracy=0.9"}, "goal must be such as"),
        ({"goal": 0.9}, "goal must be such as"),
        ({"positive": "ill"}, "positive is the class of a goal."),
        ({"goal": "recall=0.9", "class_weight": "balanced"}, "goal chooses a class weight itself."),
        ({"goal": "recall=0.9", "rule": "if"}, "goal is for rules of one label per row"),
    ],
)
def test_goals_that_make_no_sense_are_refused(settings: dict[str, Any], message: str):
    with pytest.raises(InputError) as caught:
        fitted(**settings)
    assert str(caught.value).startswith(message)


def test_goals_that_do_not_fit_the_rows_are_refused():
    with pytest.raises(UnknownTargetError):
        fitted(goal="recall=0.9", positive="sick")
    few = {name: values[:10] for name, values in X.items()}
    with pytest.raises(InputError, match="goal needs at least 20 rows"):
        MuClassifier(**QUICK, goal="recall=0.9").fit(few, [0, 1] * 5)
    with pytest.raises(InputError, match="goal is for rules of one label per row"):
        MuClassifier(**QUICK, goal="recall=0.9").fit(TRAIN, np.column_stack([Y == "ill", Y == "well"])[:400])
    with pytest.raises(InputError, match="no reference settings"):
        MuClassifier.reference(goal="recall=0.9").fit(TRAIN, Y[:400])


def test_a_share_of_few_rows_reaches_no_goal():
    assert not GoalResult(Goal("precision", 0.9, "ill"), 1.0, 3, 1.0).is_reached
    never = GoalResult(Goal("precision", 0.9, "ill"), 0.0, 0, 1.0)
    assert str(never) == "No rules reach a precision of 90 % for ill; these never predict it."
