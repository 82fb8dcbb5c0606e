"""Lengths of decisions, whatever made them."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from logiclens.bench import _formula_length
from logiclens.bench._formula_length import class_literals, strip_terms, tree_terms

EVERY = np.array([*product([False, True], repeat=4)])


def test_decisions_are_counted_as_the_shortest_formulas():
    decided = (EVERY[:, 0] & EVERY[:, 1] | EVERY[:, 3]).astype(int)

    assert class_literals(EVERY, decided, 3) == [4, 3, 0]  # ~d & (~a | ~b), twice ~d


def test_nothing_is_asked_and_always_the_same_is_decided():
    assert class_literals(EVERY[:, :0], np.zeros(16, dtype=int), 2) == [0, 0]
    assert class_literals(EVERY, np.ones(16, dtype=int), 2) == [0, 0]


@pytest.mark.parametrize("most", [0, 300])
def test_both_searches_agree_with_the_decisions(monkeypatch: pytest.MonkeyPatch, most: int):
    """What is not minimized is at most a little longer."""
    monkeypatch.setattr(_formula_length, "MOST_LITERALS", most)
    random = np.random.default_rng(1)
    asked = random.random((300, 8)) < 0.5
    decided = np.where(asked[:, 0] & ~asked[:, 2], 1, np.where(asked[:, 5], 2, 0))

    assert class_literals(asked, decided, 3) == [4, 2, 4]


def test_stripped_terms_hold_where_they_did_and_nowhere_else():
    random = np.random.default_rng(0)
    wanted_here = random.random(16) < 0.5
    wanted, avoided = EVERY[wanted_here], EVERY[~wanted_here]
    terms = np.where(wanted, 1, -1).astype(np.int8)
    short = strip_terms(terms, wanted, avoided)

    def holds(rows: np.ndarray) -> np.ndarray:
        return ((short[:, None] == 0) | (short[:, None] == np.where(rows, 1, -1))).all(axis=2).any(axis=0)

    assert holds(wanted).all()
    assert not holds(avoided).any()
    assert np.count_nonzero(short) < np.count_nonzero(terms)


def test_ways_of_a_tree_are_its_leaves():
    decided = (EVERY[:, 0] & EVERY[:, 1]).astype(int)
    tree = DecisionTreeClassifier(random_state=0).fit(EVERY, decided)
    ways = tree_terms(tree, tree.tree_.feature, 4, held=True)

    assert ways[1].tolist() == [[1, 1, 0, 0]]
    assert sorted(np.count_nonzero(way) for way in ways[0]) == [1, 2]
