"""Columns and tags of a model that is made of others."""

from __future__ import annotations

from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.utils import get_tags

from logiclens.estimators import MuClassifier
from logiclens.pipelines import BlackBoxExplainer, CascadeClassifier
from logiclens.pipelines._native_tables import shared_input


def test_what_both_can_take():
    own = get_tags(MuClassifier()).input_tags

    assert shared_input(None) == shared_input(MuClassifier(), len) == own
    assert not shared_input(None, LogisticRegression()).allow_nan
    assert shared_input(None, HistGradientBoostingClassifier()).allow_nan == own.allow_nan
    assert shared_input(None, MultinomialNB()).positive_only


def test_a_fitted_black_box_needs_no_truth():
    fitted = LogisticRegression().fit([[0], [1]], [0, 1])

    assert not get_tags(BlackBoxExplainer(fitted)).target_tags.required
    assert get_tags(BlackBoxExplainer(LogisticRegression())).target_tags.required
    assert get_tags(CascadeClassifier()).input_tags == shared_input(None)
