"""Fidelity of rules and network to the answers of a black box."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import f1_score

from logiclens.errors import InputError
from logiclens.estimators.base import LENClassifier
from logiclens.pipelines.black_box import measure_fidelity
from tests.estimators.toys import booleans, frame, quick

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")

X, Y = booleans()
FRAME = frame(X)
LABELS = np.where(Y, "yes", "no")
ONES = np.ones(len(Y))


@pytest.fixture(scope="module")
def fitted() -> LENClassifier:
    """What says yes where a & b."""
    return quick().fit(FRAME, LABELS)


def test_scores_are_those_of_the_paper(fitted):
    """The macro-F1 of "is this class", one class against the rest, mean over the classes."""
    answers = LABELS.copy()
    answers[:20] = "no"
    found = measure_fidelity(fitted, FRAME, answers, ONES, "held out")
    expected = f1_score(answers == "yes", LABELS == "yes", average="macro")  # of both classes

    assert found.macro_f1 == pytest.approx(expected)
    assert found.plain == found.rules_agree == pytest.approx((answers == LABELS).mean())
    assert found.network == found.rules


def test_the_truth_adds_accuracies(fitted):
    truth = LABELS.copy()
    truth[:16] = np.where(truth[:16] == "yes", "no", "yes")
    found = measure_fidelity(fitted, FRAME, LABELS, ONES, "training", truth)

    assert found.black_box_accuracy == found.rules_accuracy == pytest.approx(1 - 16 / len(Y))
    assert str(found) == (
        f"fidelity to the black box, {len(Y)} rows (training)\n"
        "  rules    same label 1.000, plain 1.000, macro-F1 1.000\n"
        "  network  same label 1.000, plain 1.000, macro-F1 1.000\n"
        "accuracy: black box 0.800, rules 0.800"
    )


def test_weights_count(fitted):
    answers = LABELS.copy()
    answers[0] = "yes"  # the first row is all false
    weight = np.where(np.arange(len(Y)) == 0, 0.0, 1.0)

    assert measure_fidelity(fitted, FRAME, answers, weight, "held out").rules_agree == 1.0


def test_an_answer_that_was_never_learnt_is_agreed_with_by_nobody(fitted):
    answers = np.where(np.arange(len(Y)) < 8, "perhaps", LABELS)
    found = measure_fidelity(fitted, FRAME, answers, ONES, "held out")

    assert found.rules_agree == pytest.approx(1 - 8 / len(Y))
    assert 0 < found.macro_f1 < 1


def test_a_truth_of_other_labels_is_refused(fitted):
    with pytest.raises(InputError, match="y has labels such as False;"):
        measure_fidelity(fitted, FRAME, LABELS, ONES, "held out", Y)
