"""Rows without a label: how they are read, and what they may and may not change."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.datasets import load_digits

from logiclens import MuClassifier, cross_explain
from logiclens.errors import InputError
from logiclens.estimators.classifiers import ReferenceMuClassifier
from logiclens.estimators.inputs_and_targets import read_partial_targets
from logiclens.logic.arrays import FloatArray
from logiclens.nn.criteria import iff_loss, information_loss, loss_and_slope


def some_rows(n: int = 240, labeled: int = 60) -> tuple[FloatArray, Any]:
    """Concepts, and text labels of the first rows."""
    x = (np.random.default_rng(3).random((n, 5)) > 0.5).astype(float)
    y = np.where((x[:, 0] > 0) & (x[:, 1] > 0), "ill", "well").astype(object)
    y[labeled:] = None
    return x, y


def quick(**settings: Any) -> MuClassifier:
    return MuClassifier(random_state=0, encoder=None, l1=0.001, **settings)


@pytest.mark.parametrize(
    ("y", "unlabeled"),
    [
        (["a", None, "b"], None),
        (np.array(["a", float("nan"), "b"], dtype=object), None),
        (pd.Series(["a", pd.NA, "b"]), None),
        (pd.Series([1, None, 2]), None),
        (pd.Series([1, None, 2], dtype="Int64"), None),
        ([1, -1, 2], -1),
        (["a", "?", "b"], "?"),
        (np.array([[0.0, 1.0], [np.nan, np.nan], [1.0, 1.0]]), None),
    ],
)
def test_a_missing_label_is_a_row_without_one(y: Any, unlabeled: Any) -> None:
    targets = read_partial_targets(y, 3, unlabeled)
    assert targets.unlabeled is not None
    assert targets.unlabeled.tolist() == [False, True, False]
    assert targets.observed(np.array([1.0, 1.0, 2.0])).tolist() == [1.0, 0.0, 2.0]
    assert len(targets.labels) == 2


def test_whole_numbers_stay_whole_beside_gaps() -> None:
    assert read_partial_targets([1.0, np.nan, 2.0], 3).labels == (1, 2)


def test_minus_one_is_a_class_unless_it_is_said() -> None:
    assert read_partial_targets([1, -1, 2], 3).labels == (-1, 1, 2)


def test_data_without_any_label_are_refused() -> None:
    with pytest.raises(InputError, match="groups with LENClusterer"):
        quick().fit(np.eye(3), [None, None, None])


def test_rows_without_a_label_are_not_scored() -> None:
    x, y = some_rows()
    with pytest.raises(InputError, match=r"y has 180 missing values\. Score rows"):
        quick().fit(x, y).score(x, y)


def test_labels_that_all_weigh_nothing_are_refused() -> None:
    with pytest.raises(InputError, match="All rows with a label have weight 0"):
        quick().fit(np.eye(3), ["a", "b", None], sample_weight=[0, 0, 1])


def test_the_reference_settings_learn_from_labels_alone() -> None:
    with pytest.raises(InputError, match="labels alone"):
        ReferenceMuClassifier(encoder=None, l1=0.1, restarts=1).fit(np.eye(3), ["a", "b", None])


def test_an_unlabeled_row_of_weight_0_is_none() -> None:
    x, y = some_rows()
    weight = np.where(pd.isna(y), 0.0, 1.0)
    alone, both = quick().fit(x[:60], y[:60]), quick().fit(x, y, sample_weight=weight)
    assert alone.explain() == both.explain()
    assert np.allclose(alone.predict_proba(x), both.predict_proba(x))


def test_where_labels_were_does_not_matter() -> None:
    x, y = some_rows()
    order = np.random.default_rng(0).permutation(len(x))
    one, other = quick().fit(x, y), quick().fit(x[order], y[order])
    assert one.explain() == other.explain()
    assert np.allclose(one.predict_proba(x), other.predict_proba(x))


def test_what_stands_in_place_of_a_label_does_not_matter() -> None:
    x, y = some_rows()
    other = np.where(pd.isna(y), "?", y)
    assert quick().fit(x, y).front_.points == quick().fit(x, other, unlabeled="?").front_.points


def test_scores_are_about_labeled_rows() -> None:
    x, y = some_rows()
    front = quick().fit(x, y).front_
    assert front.seen is not None
    assert front.seen.n_rows == 60
    assert front.lead is not None
    assert front.lead.n_rows == 60


@pytest.mark.parametrize("rule", ["if", "only_if"])
def test_rules_of_implications_learn_from_them(rule: str) -> None:
    x, y = some_rows()
    assert set(quick(rule=rule).fit(x, y).explain()) == {"ill", "well"}


def test_several_outputs_may_have_unlabeled_rows() -> None:
    x, _ = some_rows()
    y = np.column_stack([x[:, 0], x[:, 1] * x[:, 2]])
    y[50:] = np.nan
    model = quick().fit(x, y)
    assert (model.predict(x)[:, 0] == x[:, 0]).all()


def test_groups_go_with_unlabeled_rows() -> None:
    x, y = some_rows()
    model = quick().fit(x, y, groups=np.arange(len(x)) // 4)
    assert (model.predict(x[:60]) == y[:60]).all()


def test_priors_hold_on_unlabeled_rows() -> None:
    x, y = some_rows(labeled=24)
    model = quick().fit(x, y, priors="x3 -> ~ill", prior_weight=3.0)
    (report,) = model.prior_reports_
    assert report.data < 1.0
    assert report.network > 0.95


def test_cross_validation_scores_labeled_rows() -> None:
    x, y = some_rows()
    scores = cross_explain(quick(), x, y, cv=3)
    assert scores["n_test"].sum() == 60
    said = cross_explain(quick(), x, np.where(pd.isna(y), "none", y), cv=3, unlabeled="none")
    assert scores.drop(columns="time").equals(said.drop(columns="time"))


def test_information_falls_with_certainty_and_not_with_one_class() -> None:
    sure = torch.tensor([[9.0, 9.0, -9.0, -9.0]])
    weight = torch.full((1, 4), 0.25)
    assert information_loss(sure, weight) < -0.9
    assert information_loss(sure.abs(), weight).abs() < 0.01
    assert information_loss(0 * sure, weight).abs() < 1e-6


@pytest.mark.parametrize("n_classes", [1, 2])
def test_the_slope_is_that_of_the_sum_of_both_terms(n_classes: int) -> None:
    logits = torch.randn(2, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    yes, unlabeled = torch.tensor([1.0, 0, 1, 0, 0, 0]).double(), torch.tensor([0, 0, 0, 1.0, 1, 2]).double()
    no = (1 - yes) * (unlabeled == 0)
    weights = [each.expand(2, -1).contiguous() for each in (yes, no, unlabeled)]

    def loss(values: torch.Tensor) -> torch.Tensor:
        return iff_loss(values, *weights[:2]) + information_loss(values, weights[2], n_classes)

    found, slope = loss_and_slope(iff_loss, logits, *weights, n_classes=n_classes)
    exact = logits.clone().requires_grad_()
    (wanted,) = torch.autograd.grad(loss(exact).sum(), exact)
    assert torch.allclose(found, loss(logits))
    assert torch.allclose(slope, wanted)


def test_networks_are_those_of_the_labeled_rows() -> None:
    x, y = some_rows()
    ages = 20 + 60 * x + np.random.default_rng(0).normal(size=x.shape)
    alone, both = (MuClassifier(random_state=0).fit(*data) for data in ((ages[:60], y[:60]), (ages, y)))
    assert alone.concept_names_ == both.concept_names_
    assert np.allclose(alone.predict_proba(ages), both.predict_proba(ages), atol=2e-4)  # trained in floats


@pytest.mark.filterwarnings("ignore:.*still getting better")
def test_unlabeled_rows_help_where_classes_are_groups() -> None:
    digits = load_digits()
    x = (digits.data > 7).astype(float)
    y = digits.target.astype(object)
    labeled, others, test = np.split(np.random.default_rng(0).permutation(len(x)), [50, 900])
    known = y.copy()
    known[others] = None
    learned = np.append(labeled, others)
    alone = MuClassifier(random_state=0).fit(x[labeled], y[labeled].astype(int))
    both = MuClassifier(random_state=0).fit(x[learned], known[learned])

    def right(model: Any) -> float:
        return float(np.mean(model.predict(x[test]) == digits.target[test]))

    assert right(both) > right(alone) + 0.03
    assert right(both.explain()) > right(alone.explain()) + 0.1


@pytest.mark.parametrize(("gap", "unlabeled"), [(np.nan, None), (-1.0, -1)])
@pytest.mark.parametrize("without", [0, 3])
def test_a_row_with_some_labels_and_not_others_is_named(gap: float, unlabeled: Any, without: int) -> None:
    y = np.ones((6, 2))
    y[:without], y[4, 0] = gap, gap

    with pytest.raises(InputError, match=r"Row 4 of y .counted from 0. has some labels and"):
        read_partial_targets(y, 6, unlabeled)
