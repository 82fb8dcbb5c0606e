"""What a report refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

from logiclens.estimators import MuClassifier
from logiclens.explain import Explanation, ExplanationSet, Rule
from logiclens.logic import Var
from logiclens.reporting import Source
from logiclens.reporting._report import gather_facts
from tests.errors import error_of
from tests.reporting.conftest import Fitted

RULES = ExplanationSet([Explanation(Rule("bird", Var("wings")))], ["wings", "fins"])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"name": 3}, "name must be a string. Got 3."),
        ({"command": 3}, "command must be a string. Got 3."),
        ({"n_train": -1}, "n_train must be a whole number of at least 0. Got -1."),
        ({"dropped": ["a"]}, "dropped must be a mapping from columns to reasons. Got ['a'];"),
        ({"held_out": "yes"}, "held_out must be True, False or None. Got 'yes'."),
        ({"notes": "read as text"}, "notes must be a sequence of strings. Got 'read as text';"),
        ({"task": "guess"}, "task must be 'classify', 'black box' or 'cluster'. Got 'guess'."),
        (
            {"row_numbers": "12"},
            "row_numbers must be a whole number for each row. Got '12'; write [3, 7, 8].",
        ),
    ],
)
def test_a_source_that_makes_no_sense(settings: dict[str, Any], message: str):
    assert message in error_of(Source, **settings)


TWO_NUMBERS = {"y": ["bird"], "source": Source(row_numbers=[1, 2])}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"y": [1]}, "y is the truth about rows. Pass the rows as X, too."),
        ({"rows": "yes"}, "rows must be True or False. Got 'yes'."),
        ({"title": 3}, "title must be a string. Got 3."),
        ({"target": 3}, "target must be a string. Got 3."),
        ({"source": "a.csv"}, "source must be a Source. Got 'a.csv'; write Source('patients.csv')."),
        ({"rows": True}, "rows=True shows rows about which the rules are wrong. Pass X and y."),
        (
            {"X": [[1, 0]], "rows": True},
            "rows=True shows rows about which the rules are wrong. Pass X and y.",
        ),
        (
            {"X": [[1, 0]], "rows": True} | TWO_NUMBERS,
            "row_numbers must have a number for each of 1 row. Got 2;",
        ),
    ],
)
def test_what_makes_no_sense(settings: dict[str, Any], message: str):
    assert message in error_of(gather_facts, RULES, **settings)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda iris, _: gather_facts(iris.model, iris.X[:0], iris.y[:0]), "A score needs at least one row"),
        (
            lambda iris, _: gather_facts(iris.model, iris.X, iris.y[:3]),
            "y must have one value for each of the",
        ),
        (lambda _, made: gather_facts(made.model, made.X, np.zeros(150)), "Clusters have no truth to be"),
        (
            lambda *_: gather_facts(DecisionTreeClassifier()),
            "A report is about a fitted classifier, BlackBox",
        ),
    ],
)
def test_models_and_rows_that_do_not_fit(
    iris: Fitted, clusters: Fitted, call: Callable[..., Any], message: str
):
    assert message in error_of(call, iris, clusters)


def test_a_model_that_is_not_fitted():
    with pytest.raises(NotFittedError):
        gather_facts(MuClassifier())
