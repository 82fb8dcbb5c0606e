"""Tables of concepts by level, and the classifiers between them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from logiclens.estimators import MuClassifier, PsiClassifier
from logiclens.logic import Var, equivalent
from logiclens.pipelines.cascade import (
    as_columns,
    fit_concepts,
    level_classifiers,
    read_levels,
    rename_targets,
)
from tests.errors import error_of
from tests.estimators.toys import booleans, frame, quick

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")

X, Y = booleans()


def test_tables_of_every_kind():
    names, values = zip(
        *read_levels([pd.DataFrame({"u": [0, 1], "v": [1, 0]}), {"w": [0.25, 1]}, np.eye(2)]), strict=True
    )

    assert names == (("u", "v"), ("w",), ("c4_0", "c4_1"))
    assert [table.tolist() for table in values] == [[[0, 1], [1, 0]], [[0.25], [1]], [[1, 0], [0, 1]]]
    assert read_levels(None) == []


def test_clones_of_one_classifier_or_one_for_each():
    one = MuClassifier(rule="only_if")
    chain = level_classifiers(one, 3, 0)
    several = level_classifiers([PsiClassifier(), MuClassifier()], 2, 0)

    assert [each.rule for each in chain] == ["iff", "iff", "only_if"]
    assert one not in chain
    assert [type(each).__name__ for each in several] == ["PsiClassifier", "MuClassifier"]
    assert [each.random_state for each in level_classifiers(None, 2, 7)] == [7, 7]


def test_only_the_first_level_is_encoded():
    chain = level_classifiers(MuClassifier(encoder="auto"), 2, 0)

    assert [each.encoder for each in chain] == ["auto", None]


def test_a_single_concept_has_its_complement_beside_it():
    model = fit_concepts(quick(), frame(X), Y[:, None].astype(float), None)
    rules = rename_targets(model.explain(), ["both"])

    assert list(rules) == ["both"]
    assert equivalent(rules["both"].formula, Var("a") & Var("b"))
    assert rules.predict(frame(X)).tolist() == Y[:, None].astype(int).tolist()


def test_what_the_next_level_reads_is_yes_or_no():
    columns = as_columns(["u", "v"], np.array([[0.5, 0.51], [1.0, 0.0]]))

    assert {name: column.tolist() for name, column in columns.items()} == {"u": [0, 1], "v": [1, 0]}


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ("ab", "levels must be a sequence of tables, one for each level"),
        ({"a": [0]}, "levels must be a sequence of tables, one for each level"),
        ([np.zeros((3, 0))], "Level 2 has no concepts."),
    ],
    ids=["text", "a table", "no columns"],
)
def test_levels_that_are_none(levels, message):
    assert message in error_of(read_levels, levels)


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        ([MuClassifier()], "estimator must be one classifier, or one for each of"),
        ("mu", "A cascade is made of classifiers of this package, such"),
        ([MuClassifier(rule="if"), MuClassifier()], "The rules of level 2 must be equivalences, or they"),
    ],
    ids=["too few", "text", "an implication below"],
)
def test_classifiers_that_do_not_fit(estimator, message):
    assert message in error_of(level_classifiers, estimator, 2, 0)
