"""Explanations on demand: of the classes, of a row, of a set of rows, of all data."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from logiclens.errors import UnknownTargetError
from logiclens.estimators.base import LENClassifier
from logiclens.explain import RuleKind, Scope
from logiclens.logic import TRUE, equivalent, parse_formula
from tests.errors import error_of
from tests.estimators.toys import CLASSIFIERS, NAMES, booleans, frame, quick

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")

X, Y = booleans()
FRAME = frame(X)


@pytest.fixture(scope="module", params=CLASSIFIERS)
def fitted(request: pytest.FixtureRequest) -> LENClassifier:
    """Each classifier on three classes, some of whose rows are wrong."""
    rng = np.random.default_rng(1)
    y = (X[:, 0] + X[:, 1]).astype(int)
    y[rng.choice(len(y), 6, replace=False)] = 0
    return quick(request.param, restarts=2).fit(FRAME, y)


@pytest.fixture(scope="module")
def both() -> LENClassifier:
    """``a & b``."""
    return quick().fit(FRAME, Y)


@pytest.fixture(scope="module")
def labels() -> LENClassifier:
    """Two labels, each of which may be true of a row."""
    return quick().fit(FRAME, pd.DataFrame({"p": Y, "q": X[:, 2] > 0.5}))


# --- classes ---


def test_explanations_of_the_fit_are_returned_as_they_are(fitted):
    assert fitted.explain() is fitted.explanations_
    assert list(fitted.explain()) == [0, 1, 2]
    assert all(rule.kind is RuleKind.IFF for rule in fitted.explain().values())
    assert all(rule.scope is Scope.CLASS for rule in fitted.explain().values())


@pytest.mark.parametrize("kind", ["mu", "relu", "entropy"])
def test_new_rows_give_new_explanations(kind):
    """Among rows that all have b, what is left to say is a; and after that the first answer stands."""
    clf = quick(kind).fit(FRAME, Y)
    first = clf.explain()
    some = FRAME[X[:, 1] > 0.5]

    assert str(clf.explain(some)[True].formula) == "a"
    assert str(clf.explain(some)[False].formula) == "~a"
    assert clf.explain() == first
    assert clf.explain(FRAME)[True].support == Y.sum()
    assert clf.explain(some[:7])[True].support == Y[X[:, 1] > 0.5][:7].sum()


def test_psi_says_the_same_about_any_rows(both):
    """Its formulas are the network; only support and scores come from the rows."""
    some = FRAME[X[:, 1] > 0.5]

    assert both.explain(some).formulas == both.explain().formulas


def test_the_truth_decides_the_length():
    """The network says ``a & b``; where the truth is ``a``, the shorter formula is no worse."""
    clf = quick("mu").fit(FRAME, Y)
    truth = X[:, 0] > 0.5

    assert str(clf.explain(FRAME)[True].formula) == "a & b"
    assert clf.explain(FRAME, truth)[True].complexity <= 2


def test_truth_as_a_table_is_matched_by_name(labels):
    y = pd.DataFrame({"q": X[:, 2] > 0.5, "p": Y})

    assert list(labels.explain(FRAME, y)) == ["p", "q"]
    assert list(labels.explain(FRAME, y.to_numpy()[:, ::-1])) == ["p", "q"]
    assert labels.explain(FRAME, y) == labels.explain(FRAME, y.to_numpy()[:, ::-1])


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (Y, "y must be a table with a column for each target:"),
        (np.column_stack([Y, Y, Y]), "y must be a table with a column for each target:"),
        (pd.DataFrame({"p": Y, "r": Y}), "y must be a table with a column for each target:"),
    ],
    ids=["vector", "too wide", "other names"],
)
def test_truth_about_other_targets_is_refused(labels, y, message):
    assert message in error_of(labels.explain, FRAME, y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.column_stack([Y, ~Y]), "The model has one label per row."),
        (["q"] * 80, "y has the label 'q', which is not among the classes."),
        (Y[:4], "y must have one value for each of the 80 rows of"),
    ],
    ids=["table", "other labels", "short"],
)
def test_unusable_truth_is_refused(both, y, message):
    assert message in error_of(both.explain, FRAME, y)


def test_no_rows_to_explain(both):
    assert "There are no rows to explain" in error_of(both.explain, X[:0])


# --- one row (Eq. 1) ---


def test_a_row_satisfies_its_explanation_and_no_contrary_row_does(fitted):
    """Sufficient on the data: whatever the training rows that satisfy it, the network says yes to them."""
    said = fitted.decide(FRAME)
    for at in range(16):
        row = FRAME.iloc[[at]]
        label = fitted.predict(row)[0]
        if not said[at, label]:  # psi: the largest output may be a no
            continue
        found = fitted.explain_sample(row)
        assert found.target == label
        assert found.scope is Scope.EXAMPLE
        assert found.kind is RuleKind.ONLY_IF
        assert found.evaluate(row).all()
        assert said[found.evaluate(FRAME), label].all()


def test_explanation_of_a_row_has_no_literal_too_many(both):
    row = FRAME[Y].iloc[[0]]

    assert str(both.explain_sample(row)) == "forall x: (a(x) & b(x)) -> True(x)"
    assert str(both.explain_sample(row, True)) == "forall x: (a(x) & b(x)) -> True(x)"
    assert both.explain_sample(FRAME[~Y].iloc[[0]]).complexity == 1


def test_explanation_of_a_row_with_several_labels(labels):
    at = int(np.flatnonzero(Y & (X[:, 2] > 0.5))[0])
    row = FRAME.iloc[[at]]

    assert str(labels.explain_sample(row, "q")) == "forall x: c(x) -> q(x)"
    assert "The network says yes to 2 targets about this row" in error_of(labels.explain_sample, row)
    only = FRAME[~Y & (X[:, 2] > 0.5)].iloc[[0]]
    assert labels.explain_sample(only).target == "q"
    neither = FRAME[~Y & (X[:, 2] <= 0.5)].iloc[[0]]
    assert "The network says yes to no target about this row:" in error_of(labels.explain_sample, neither)
    assert "The network says no to 'q' about this row" in error_of(labels.explain_sample, neither, "q")


def test_unusable_rows_are_refused(both):
    assert "explain_sample explains one row" in error_of(both.explain_sample, X)
    assert "The network says no to True about this row" in error_of(
        both.explain_sample, FRAME[~Y].iloc[[0]], True
    )


@pytest.mark.parametrize("ask", ["explain_sample", "explain_set"])
def test_unknown_target_is_named(both, ask):
    with pytest.raises(UnknownTargetError, match="Unknown class 'True'"):
        getattr(both, ask)(X[:1], "True")


# --- a set of rows (Eq. 2) ---


def test_rows_of_a_set_satisfy_its_explanation_and_no_contrary_row_does(fitted):
    said = fitted.decide(FRAME)
    for label in np.flatnonzero(said.any(axis=0)):
        some = FRAME[said[:, label]][:5]
        found = fitted.explain_set(some, label)
        assert found.scope is Scope.SET
        assert found.evaluate(some).all()
        assert said[found.evaluate(FRAME), label].all()


def test_rows_of_other_targets_are_left_out(both):
    assert both.explain_set(FRAME, True).formula == both.explain_set(FRAME[Y], True).formula


def test_set_without_the_target(both):
    assert "The network says no to True on all of the 60 rows" in error_of(both.explain_set, FRAME[~Y], True)


# --- all data (Eq. 3) ---


def test_global_explanation_holds_on_all_rows():
    """Rows of which one concept implies another: the clause says so; on all tuples there is none to say."""
    some = FRAME[(X[:, 0] < 0.5) | (X[:, 1] > 0.5)]
    clf = quick("mu").fit(some, (some["a"] > 0.5) | (some["b"] < 0.5))
    found = clf.explain_global()

    assert equivalent(found.formula, parse_formula("~a | b"))
    assert found.formula.evaluate(some).all()
    assert quick().fit(FRAME, Y).explain_global().formula == TRUE


def test_global_explanation_of_other_rows(both):
    some = FRAME[X[:, 0] > 0.5]

    assert str(both.explain_global(some)) == "forall x: a(x)"
    assert both.explain_global(some, max_concepts=1).formula.concepts in ((), ("a",))


# --- relevance ---


def test_relevant_concepts_stand_out(fitted):
    relevance = fitted.concept_relevance_

    assert relevance.shape == (3, len(NAMES))
    assert np.allclose(relevance.max(axis=1), 1.0)
    assert (relevance >= 0).all()


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_what_decides_is_most_relevant(kind):
    clf = quick(kind).fit(FRAME, X[:, 2] > 0.5)

    assert clf.concept_relevance_.argmax() == 2
