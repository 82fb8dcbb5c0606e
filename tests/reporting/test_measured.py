from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from logiclens.errors import InputError
from logiclens.explain import Explanation, ExplanationSet, Rule
from logiclens.logic import Var
from logiclens.logic.arrays import unpack
from logiclens.reporting import measured
from logiclens.reporting.measured import measure
from logiclens.reporting.subject import Subject, subject_of
from tests.explain.strategies import explanation_sets


def of(model, X, y=None):
    subject = subject_of(model)
    return measure(subject, X, y, subject.rules.formulas.values())


@given(explanation_sets(), st.integers(1, 130), st.integers(0, 2**32 - 1))
def test_rules_predict_as_they_do_elsewhere(rules: ExplanationSet, n_rows, seed):
    X = np.random.default_rng(seed).random((n_rows, len(rules.concept_names)))
    rows = measure(Subject(rules), X, None, rules.formulas.values())

    fired = np.column_stack([unpack(rows.fired(formula), n_rows) for formula in rules.formulas.values()])

    assert np.array_equal(fired, rules.fired(X))
    assert rows.fired(~rules.explanations[0].formula)[-1] >> np.uint64((n_rows - 1) % 64) <= 1
    if not rules.multi_label:
        assert [rules.labels[at] for at in rows.predicted()] == rules.predict(X).tolist()


def test_the_truth_is_what_rules_are_compared_with(iris):
    rows = of(iris.model, iris.X, iris.y)

    assert rows.n == 75
    assert (rows.wanted.by, rows.model.by, rows.black_box) == ("the truth", "the network", None)
    labels = iris.model.classes_
    assert np.array_equal(labels[rows.truth.codes], iris.y)
    assert np.array_equal(labels[rows.network.codes], iris.model.predict(iris.X))
    for at, label in enumerate(labels):
        assert np.array_equal(unpack(rows.truth.words[at], rows.n), iris.y == label)


def test_without_the_truth_rules_are_compared_with_what_they_explain(iris, clusters):
    assert of(iris.model, iris.X).wanted.by == "the network"
    assert of(clusters.model, clusters.X).wanted.by == "the clusters"
    assert of(iris.model.explain(), iris.X).wanted is None


def test_rules_of_a_black_box_are_compared_with_it(boxed):
    rows = of(boxed.model, boxed.X, boxed.y)

    assert (rows.wanted.by, rows.model.by, rows.truth.by) == ("the black box", "the black box", "the truth")
    assert np.array_equal(rows.black_box.codes == 1, boxed.model.ask(boxed.X))


def test_answers_of_a_black_box_that_cannot_be_asked_come_as_the_truth_would(iris):
    subject = subject_of(iris.model)
    asked = Subject(subject.rules, "black box", decide=subject.decide, predict=subject.predict)

    rows = measure(asked, iris.X, iris.y, subject.rules.formulas.values())

    assert (rows.wanted.by, rows.truth) == ("the black box", None)


@pytest.mark.parametrize(
    "held",
    [lambda X: X, pa.Table.from_pandas, lambda X: X.to_numpy(), lambda X: dict(X.items())],
    ids=["pandas", "pyarrow", "array", "mapping"],
)
def test_it_does_not_matter_what_rows_are_held_in(iris, held):
    rows, expected = of(iris.model, held(iris.X), iris.y), of(iris.model, iris.X, iris.y)

    assert rows.concepts.keys() == expected.concepts.keys()
    for name, words in rows.concepts.items():
        assert np.array_equal(words, expected.concepts[name])


def test_concepts_and_sparse_rows_are_read_too(iris):
    rules = iris.model.explain()
    concepts = pd.DataFrame(rules.vocabulary.encode(iris.X))
    plain = ExplanationSet([Explanation(Rule(1, Var("a")))], ["a", "b"])

    assert np.array_equal(of(rules, concepts).predicted(), of(rules, iris.X).predicted())
    assert of(plain, scipy.sparse.csr_matrix([[0.0, 1.0], [1.0, 0.0]])).n == 2


def test_a_network_is_asked_in_blocks(iris, monkeypatch):
    whole = of(iris.model, iris.X).network
    monkeypatch.setattr(measured, "_BLOCK", 7)

    parts = of(iris.model, iris.X).network

    assert np.array_equal(whole.codes, parts.codes)
    assert all(map(np.array_equal, whole.words, parts.words))


def test_a_network_that_says_yes_to_none_or_several_still_predicts_one():
    rules = ExplanationSet([Explanation(Rule(label, Var("a"))) for label in "xy"], ["a"])
    subject = Subject(
        rules,
        decide=lambda _: np.array([[True, True], [False, False], [True, False]]),
        predict=lambda _: np.array(["y", "x", "x"]),
    )

    assert measure(subject, [[0], [1], [1]], None, [Var("a")]).network.codes.tolist() == [1, 0, 0]


def test_labels_without_a_rule_are_kept_apart():
    rules = ExplanationSet([Explanation(Rule(label, Var("a"))) for label in "xy"], ["a"])

    truth = measure(Subject(rules), [[0], [1], [1]], ["y", "other", "other"], [Var("a")]).truth

    assert truth.codes.tolist() == [1, 2, 2]
    assert truth.others == ("other",)


def test_what_cannot_be_measured_is_refused(iris, clusters):
    for call, message in (
        (
            lambda: of(iris.model, iris.X[:0], iris.y[:0]),
            "A report needs at least one row to measure rules on. Pass rows, or leave X out.",
        ),
        (
            lambda: of(clusters.model, clusters.X, np.zeros(150)),
            "Clusters have no truth to be compared with. Leave y out.",
        ),
        (
            lambda: of(iris.model, iris.X, iris.y[:3]),
            "y must have one value for each of the 75 rows. Got shape (3,).",
        ),
    ):
        with pytest.raises(InputError) as caught:
            call()
        assert str(caught.value) == message
