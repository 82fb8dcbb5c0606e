from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.errors import InputError, UnknownConceptError
from logiclens.logic.relevance import relevance_of, tie_values
from tests.strategies import distinct_names

NAMES = ("a", "b", "c")


def relevance(order, n_rows=2):
    return relevance_of(order, NAMES, n_rows).tolist()


def test_no_order_makes_all_alike():
    assert relevance(None) == [[0, 0, 0]]


def test_names_from_the_most_relevant():
    assert relevance_of(["c", "a"], ("a", "b", "c", "d"), 2).tolist() == [[0.75, 0, 1, 0]]


@given(distinct_names(1, 6), st.data())
def test_the_order_of_names_is_the_order_of_relevance(names, data):
    listed = data.draw(st.permutations(names))
    found = relevance_of(listed, tuple(names), 1)

    assert found.shape == (1, len(names))
    assert [names[j] for j in np.argsort(-found[0])] == listed
    assert found.min() > 0
    assert found.max() == 1


@pytest.mark.parametrize("kind", [tuple, np.array, pd.Index, pd.Series, pl.Series, iter])
def test_names_may_come_in_any_list(kind):
    """Sorted feature names are most often a NumPy array."""
    assert relevance(kind(["b", "a", "c"])) == relevance(["b", "a", "c"])


def test_names_that_look_like_numbers_are_names():
    assert relevance_of(np.array(["10", "2"]), ("2", "10"), 1).tolist() == [[0.5, 1]]


def test_scores_are_scaled():
    assert relevance([1, 3, 2]) == [[0, 1, 0.5]]
    assert relevance([-1.0, -3.0, -2.0]) == [[1, 0, 0.5]]
    assert relevance([True, False, True]) == [[1, 0, 1]]


def test_the_largest_floats_can_be_scores():
    assert relevance([1.7e308, -1.7e308, 0]) == [[1, 0, 0.5]]


def test_equal_scores_make_all_alike():
    assert relevance([7, 7, 7]) == [[0, 0, 0]]


def test_each_row_is_scaled_by_itself():
    assert relevance([[1, 3, 2], [10, 0, 5]]) == [[0, 1, 0.5], [1, 0, 0.5]]
    assert relevance(pd.DataFrame([[1, 3, 2], [10, 0, 5]], columns=list("xyz"))) == [[0, 1, 0.5], [1, 0, 0.5]]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=3, max_size=3))
def test_scores_keep_their_order_whatever_their_size(scores):
    (found,) = relevance(scores)

    assert all(0 <= value <= 1 for value in found)
    for i in range(3):
        for j in range(3):
            assert scores[i] < scores[j] or found[i] >= found[j]


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ("ab", "order must be a sequence of names or scores, not one"),
        (["a", "b", "a"], "order names a concept twice."),
        (["a", 1, 2], "order must hold names only or numbers only."),
        (["1", 2, 3], "order must hold names only or numbers only."),
        (5, "order must hold names, or scores of shape"),
        ([], "order must hold names, or scores of shape"),
        ([1, 2], "order must hold names, or scores of shape"),
        (np.zeros((3, 3)), "order must hold names, or scores of shape"),
        ([1, np.nan, 2], "order must hold finite scores."),
        ([1, np.inf, 2], "order must hold finite scores."),
        ([1, None, 2], "order must hold finite scores."),
        ([1, 1j, 2], "order must hold numbers."),
        ({"a": 1, "b": 2, "c": 3}, "order must hold numbers."),
        ({"a", "b"}, "order must hold numbers."),
        ([["a", "b"], ["c", "d"]], "order must hold numbers."),
        ([10**400, 1, 2], "order has a value that is too large for a float."),
        ([[1, 2, 3], [1]], "order is not rectangular:"),
    ],
)
def test_bad_orders(order, message):
    with pytest.raises(InputError, match=message):
        relevance(order)


def test_an_unknown_name():
    with pytest.raises(UnknownConceptError, match="Unknown concept 'bb'"):
        relevance(np.array(["a", "bb"]))


def test_ties_go_to_relevance_then_to_fewer_negations_then_to_fewer_terms():
    terms = np.array([[1, 0], [-1, 0], [0, 1], [0, -1]], dtype=np.int8)
    values = tie_values(terms, np.array([1.0, 0.5]))

    assert np.argsort(values).tolist() == [0, 1, 2, 3]
    assert (values > 0).all(), "each further term costs something"
