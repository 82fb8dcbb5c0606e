"""The paper's aggregation: counted minterms, kept by validation, simplified without don't-cares."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.errors import InputError
from logiclens.explain.explanation import Scope
from logiclens.explain.paper import (
    FEW_LITERALS,
    NO_GAIN,
    TOP_K,
    example_terms,
    explain_class_as_in_paper,
    first_terms,
    most_frequent,
)
from logiclens.explain.rule import RuleKind
from logiclens.explain.scopes import NEVER, explain_class
from logiclens.logic import FALSE, TRUE, TruthTable, equivalent, parse_formula
from logiclens.metrics import macro_f1
from tests.strategies import all_rows, labelled_rows


def test_example_1_of_the_paper():
    concepts = [[0.2, 0.7], [0.6, 0.3], [0.1, 0.1], [0.9, 0.8]]

    found = explain_class_as_in_paper(concepts, [1, 1, 0, 0], 1, names=["c1", "c2"])

    assert equivalent(found.formula, parse_formula("(~c1 & c2) | (c1 & ~c2)"))
    assert (found.scope, found.kind, found.support) == (Scope.CLASS, RuleKind.IFF, 2.0)
    assert found.status == "2 example-level explanations, those of 2 rows of 2"


def test_frequent_explanations_stay_and_rare_ones_go():
    """As in Fig. 7: equal tuples give one explanation, and the most infrequent one is discarded."""
    X = np.repeat([[0, 1], [1, 0], [1, 1], [0, 0]], [5, 3, 1, 4], axis=0)
    answers = np.repeat([True, True, True, False], [5, 3, 1, 4])

    two = explain_class_as_in_paper(X, answers, "t", names=["c1", "c2"], top_k=2)
    three = explain_class_as_in_paper(X, answers, "t", names=["c1", "c2"], top_k=3)

    assert equivalent(two.formula, parse_formula("(~c1 & c2) | (c1 & ~c2)"))
    assert two.status == "2 example-level explanations, those of 8 rows of 9"
    assert equivalent(three.formula, parse_formula("c1 | c2"))


@given(labelled_rows(max_concepts=5))
def test_without_validation_the_formula_is_the_rows_with_a_yes(data):
    """Eq. (2) of all rows: true of the tuples with a yes, false of all others, seen or not."""
    X, y, _, names = data
    rows = all_rows(len(names))
    equal = (rows[:, None] == X).all(axis=2)

    all_of_them = explain_class_as_in_paper(X, y, "t", names=names, top_k=len(X))
    found = explain_class_as_in_paper(X, y, "t", names=names)

    assert np.array_equal(all_of_them.formula.evaluate(rows, names), equal[:, y].any(axis=1))
    first = y[equal.argmax(axis=1)] & equal.any(axis=1)  # of equal rows the first decides
    assert np.array_equal(found.formula.evaluate(rows, names), first)
    assert found.support == all_of_them.support == y.sum()


@given(labelled_rows(max_concepts=3, max_rows=15), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_terms_are_kept_as_in_the_plain_procedure(data, top_k, seed):
    """A term stays if the formula's macro-F1 on validation rows is greater with it than without."""
    X, y, _, names = data
    X_val = np.random.default_rng(seed).permutation(X)

    found = explain_class_as_in_paper(X, y, "t", names=names, validation=(X_val, y), top_k=top_k)

    best, said = 0.0, np.zeros(len(y), dtype=bool)
    terms, _ = most_frequent(example_terms(X[y]), top_k)
    for term in terms:
        more = said | ((term > 0) == X_val).all(axis=1)
        if macro_f1(y, more) > best:
            best, said = macro_f1(y, more), more
    assert np.array_equal(found.evaluate(X_val, names), said)
    assert found.scores.accuracy == pytest.approx((said == y).mean())
    assert found.scores.fidelity == pytest.approx((found.evaluate(X, names) == y).mean())


def test_relevance_prunes_each_example():
    """Concepts count from half of the largest relevance on, whatever its sign (Sec. 4.3)."""
    X = np.array([[1, 0, 1], [0, 1, 0], [0, 0, 0]])
    relevance = [[-4.0, 2.0, 1.9], [0.0, 1.0, 0.0], [1.0, 1.0, 1.0]]

    found = explain_class_as_in_paper(X, [1, 1, 0], "t", names=["a", "b", "c"], relevance=relevance)
    strict = explain_class_as_in_paper(X, [1, 1, 0], "t", names=["a", "b", "c"], relevance=relevance, tau=1)

    assert equivalent(found.formula, parse_formula("(a & ~b) | b"))
    assert equivalent(strict.formula, parse_formula("a | b"))


def test_an_example_to_which_nothing_is_relevant_keeps_its_literals():
    assert example_terms(np.array([[True, False]]), np.zeros((1, 2))).tolist() == [[1, -1]]


def test_a_or_not_a_is_true():
    assert explain_class_as_in_paper([[0], [1]], [1, 1], "t", names=["a"]).formula == TRUE


def test_no_rule_says_why():
    never = explain_class_as_in_paper([[0], [1]], [0, 0], "t", names=["a"])
    useless = explain_class_as_in_paper([[0], [1]], [0, 1], "t", names=["a"], validation=([[0], [1]], [1, 0]))

    assert (never.formula, never.status, never.scores) == (FALSE, NEVER, None)
    assert (useless.formula, useless.status) == (FALSE, NO_GAIN)
    assert useless.scores.accuracy == 0.5


def test_don_t_cares_are_what_makes_our_own_shorter():
    """Ten digits, one concept each: minterms here, five literals there, the same on the data."""
    X, even = np.eye(10), np.arange(10) % 2 == 0
    names = [f"d{j}" for j in range(10)]

    papers = explain_class_as_in_paper(X, even, "even", names=names)
    ours = explain_class(TruthTable.from_data(X, even, names), "even")

    assert np.array_equal(papers.evaluate(X, names), ours.evaluate(X, names))
    assert (papers.complexity, ours.complexity) == (50, 5)


def test_without_a_number_candidates_come_in_the_order_of_their_tuples():
    """Of equal worth on validation rows, the first tuple stays, however rare it is."""
    X = np.repeat([[1, 0], [0, 1]], [5, 1], axis=0)
    validation = ([[0, 1], [1, 0], [0, 0]], [1, 0, 0])

    found = explain_class_as_in_paper(X, np.ones(6), "t", names=["a", "b"], validation=validation)
    frequent = explain_class_as_in_paper(
        X, np.ones(6), "t", names=["a", "b"], validation=([[1, 1], [1, 0]], [1, 1]), top_k=1
    )

    assert equivalent(found.formula, parse_formula("~a & b"))
    assert found.status == "1 example-level explanation, those of 1 row of 6"
    assert equivalent(frequent.formula, parse_formula("a & ~b"))


def test_formulas_of_many_literals_stay_as_they_were_joined():
    """Two terms that differ in one literal become one, as long as there are few literals."""
    few = np.array([[1] * 9, [0] + [1] * 8])
    many = np.array([[1] * 19, [0] + [1] * 18])

    short = explain_class_as_in_paper(few, [1, 1], "t", names=[f"c{j}" for j in range(9)])
    long = explain_class_as_in_paper(many, [1, 1], "t", names=[f"c{j}" for j in range(19)])

    assert (short.complexity, long.complexity) == (8, 38)
    assert FEW_LITERALS == TOP_K == 20


def test_first_met_of_nothing():
    terms, frequency = first_terms(np.zeros((0, 3), dtype=np.int8), np.zeros(0, dtype=bool))
    assert (terms.shape, frequency.tolist()) == ((0, 3), [])
    terms, frequency = first_terms(np.zeros((4, 0), dtype=np.int8), np.array([True, False, True, False]))
    assert (terms.shape, frequency.tolist()) == ((1, 0), [2])


def test_most_frequent_of_nothing():
    terms, frequency = most_frequent(np.zeros((0, 3), dtype=np.int8), 5)
    assert (terms.shape, frequency.tolist()) == ((0, 3), [])
    terms, frequency = most_frequent(np.zeros((4, 0), dtype=np.int8), 5)
    assert (terms.shape, frequency.tolist()) == ((1, 0), [4])


@given(st.lists(st.lists(st.integers(-1, 1), min_size=2, max_size=2), min_size=1, max_size=30))
def test_most_frequent_counts(rows):
    terms = np.array(rows, dtype=np.int8)

    found, frequency = most_frequent(terms, len(rows))

    assert frequency.sum() == len(rows)
    assert (np.diff(frequency) <= 0).all()
    assert [rows.count(term) for term in found.tolist()] == frequency.tolist()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tau": 2}, "tau must be a number in"),
        ({"top_k": -1}, "top_k must be a whole number of at least 0."),
        ({"relevance": [[1.0, 2.0]]}, "relevance must have a score for each concept:"),
        ({"validation": 3}, "validation must be a pair of concepts and truth."),
        ({"names": ["a", "b"]}, "2 names were given for 1 column."),
    ],
)
def test_what_is_refused(settings, message):
    with pytest.raises(InputError, match=message):
        explain_class_as_in_paper([[0], [1]], [0, 1], "t", **{"names": ["a"], **settings})
