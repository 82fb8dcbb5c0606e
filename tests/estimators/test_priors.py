"""Priors: honoured where data are few, reported where data speak against them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from logiclens.errors import InputError, UnknownConceptError
from logiclens.estimators import EntropyClassifier, MuClassifier, PsiClassifier, ReluClassifier
from logiclens.estimators.priors import PriorReport
from logiclens.logic import Var, equivalent, parse_formula

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")

TRUE_PRIORS = ["c2 -> death", "c0 & c1 -> death"]


def patients(n_rows: int, seed: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Six concepts; death where ``(c0 & c1) | c2``."""
    X = np.random.default_rng(seed).random((n_rows, 6)) < 0.5
    y = np.where((X[:, 0] & X[:, 1]) | X[:, 2], "death", "recovery")
    return {f"c{j}": X[:, j] for j in range(6)}, y


FEW, FEW_Y = patients(12, 0)
MANY, MANY_Y = patients(500, 99)


def mu(**settings) -> MuClassifier:
    return MuClassifier(random_state=0, **settings)


def test_true_priors_make_up_for_missing_data():
    """Twelve rows: the priors lift rules and network on rows that were never seen."""
    without = []
    for seed in range(3):
        X, y = patients(12, seed)
        plain, told = mu().fit(X, y), mu().fit(X, y, priors=TRUE_PRIORS)
        without.append(plain.explain().score(MANY, MANY_Y))
        assert told.score(MANY, MANY_Y) > plain.score(MANY, MANY_Y)
        assert told.explain().score(MANY, MANY_Y) == 1.0
        assert equivalent(told.explain()["death"].formula, parse_formula("(c0 & c1) | c2"))

    assert np.mean(without) < 0.95


@pytest.mark.parametrize("kind", [MuClassifier, PsiClassifier, ReluClassifier, EntropyClassifier])
def test_every_network_honours_them(kind):
    told = kind(random_state=0).fit(FEW, FEW_Y, priors=TRUE_PRIORS)

    assert told.explain().score(MANY, MANY_Y) >= 0.97
    for report in told.prior_reports_:
        assert not report.violated
        assert (report.network, report.rules, report.fresh) == (1.0, 1.0, 1.0)


def test_a_false_prior_is_reported():
    told = mu().fit(*patients(200, 1), priors="c3 -> death")
    X, y = patients(200, 1)
    (report,) = told.prior_reports_

    assert report.violated
    assert report.data == pytest.approx(1 - np.mean(X["c3"] & (y != "death")))
    assert report.prior == parse_formula("c3 -> death")
    assert str(report).startswith("~c3 | death: violated by the labels of ")


def test_a_weight_of_nothing_changes_nothing():
    plain, told = mu().fit(FEW, FEW_Y), mu().fit(FEW, FEW_Y, priors="c3 -> death", prior_weight=0)

    assert str(plain.explain()) == str(told.explain())
    assert (plain.predict_proba(MANY) == told.predict_proba(MANY)).all()


def test_scores_and_tables_are_those_of_the_data_alone():
    told = mu().fit(FEW, FEW_Y, priors=TRUE_PRIORS)
    rule = told.explain()["death"]

    assert rule.scores.n_rows == 12
    assert rule.support == (told.predict(FEW) == "death").sum()
    assert told.tables_["death"].total == 12


def test_without_priors_nothing_is_reported():
    assert mu().fit(FEW, FEW_Y).prior_reports_ == ()


def test_conditions_on_raw_columns():
    """A prior may name a cut point that the encoder never thought of."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(20, 90, 40), "ward": rng.choice(["A", "B"], 40)})
    y = np.where(frame["age"] > 60, "ill", "well")
    told = mu().fit(frame, y, priors=['"age > 75" -> ill', '"age <= 25" -> well', '"ward = C" -> ill'])

    assert [report.data for report in told.prior_reports_] == [1.0, 1.0, 1.0]
    assert told.prior_reports_[0].network == 1.0


def test_three_classes():
    """A prior that forbids a class leaves the others as frequent as they are."""
    rng = np.random.default_rng(0)
    X = {name: rng.random(30) < 0.5 for name in "abc"}
    y = np.where(X["a"], "one", np.where(X["b"], "two", "three"))
    told = mu().fit(X, y, priors=["a -> one", "~a -> ~one"])

    assert all(report.network == 1.0 for report in told.prior_reports_)


def test_several_targets_at_once():
    rng = np.random.default_rng(0)
    X = {name: rng.random(40) < 0.5 for name in "abc"}
    y = pd.DataFrame({"bird": X["a"], "flies": X["a"] & X["b"]})
    told = mu().fit(X, y, priors=["flies -> bird", "~a -> ~bird"])

    assert [report.data for report in told.prior_reports_] == [1.0, 1.0]
    assert [report.rules for report in told.prior_reports_] == [1.0, 1.0]


def test_a_prior_that_forbids_everything_is_a_penalty_on_nothing():
    told = mu().fit(FEW, FEW_Y, priors=["c0 & ~c0"])
    (report,) = told.prior_reports_

    assert report.data == report.network == 0.0


def test_what_a_report_says():
    held = PriorReport(Var("a") >> Var("b"), 1.0, 1.0, 0.5, 0.25)

    assert str(held) == (
        "~a | b: holds for all labels; holds for 100.0% by the network, 50.0% by the rules, 25.0% of fresh "
        "rows"
    )


@pytest.mark.parametrize(
    ("priors", "message"),
    [
        (3, "priors must be formulas, or their text. Got 3."),
        ([3], "A prior must be a formula, or its text. Got 3."),
        (
            "c9 -> death",
            "Unknown concept 'c9'. The 8 known concepts are 'c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'death', "
            "'recovery'. A prior names it.",
        ),
    ],
)
def test_what_is_refused(priors, message):
    with pytest.raises(InputError) as info:
        mu().fit(FEW, FEW_Y, priors=priors)

    assert str(info.value) == message


def test_a_name_for_two_things_is_refused():
    with pytest.raises(InputError) as info:
        mu().fit({**FEW, "death": FEW["c0"]}, FEW_Y, priors="c2 -> death")

    assert str(info.value) == "'death' is both a concept and a target. Rename the column."


def test_a_condition_on_no_number_is_unknown():
    frame = pd.DataFrame({"age": [20, 30, 70, 80], "ward": list("ABAB")})
    with pytest.raises(UnknownConceptError):
        mu().fit(frame, ["well", "well", "ill", "ill"], priors='"age > old" -> ill')


@pytest.mark.parametrize("weight", [-1, np.nan, "1", None])
def test_the_weight_is_a_number(weight):
    with pytest.raises(InputError, match=r"^prior_weight must be a number of at least 0\. Got "):
        mu().fit(FEW, FEW_Y, priors=TRUE_PRIORS, prior_weight=weight)
