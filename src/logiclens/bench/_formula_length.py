"""The length of the formulas that describe a method's decisions, over the conditions that the method uses.

Every method, whether a tree, a sum of trees or a vote of rules, decides by conditions such as ``age <=
62``. The values of these conditions on the training rows, with the method's decisions, are an empirical
truth table for each class; unseen tuples are don't-cares. The class's formula is the DNF that agrees with
this table. So all methods are measured in the same way, however they write their models.

Two searches compete, and the shorter formula counts:

- the quick minimization that our own rule sets use, if the other search finds at most
  :data:`MOST_LITERALS`;
- the paths of trees that reproduce the decisions, including the method's own tree if it is one. Needless
  literals are dropped from each path in several orders, and the cheapest terms that cover all tuples are
  kept. This is quick for tables of any size.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from logiclens.logic import TruthTable
from logiclens.logic._exact import greedy_cover
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray, Terms
from logiclens.logic.minimize import agreeing_formula

MOST_LITERALS = 300
"""Literals of a class from which on a formula is not looked at any more: it is longer than any limit."""
_ORDERS = 4
"""In how many orders each way loses its literals."""
_MANY = 1 << 21
"""Terms times tuples from which on one order has to do."""


def class_literals(
    asked: BoolArray, decided: IndexArray, n_classes: int, ways: Mapping[int, Terms] | None = None
) -> list[int]:
    """Literals of each class's formula.

    Parameters
    ----------
    asked : ndarray of bool, shape (n, n_conditions)
        Which conditions hold on which training row.
    decided : ndarray of int, shape (n,)
        The class that the method decides on, which the conditions alone must determine.
    n_classes : int
    ways : mapping of int to ndarray of int8, shape (n_ways, n_conditions), optional
        For each class the ways of a tree, 1 for a condition, -1 for its opposite, 0 for neither.

    Returns
    -------
    list of int
        0 for a class that is decided always or never.

    Examples
    --------
    >>> asked = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=bool)
    >>> class_literals(asked, np.array([0, 1, 1, 1]), 3)
    [2, 2, 0]
    """
    if not asked.shape[1]:
        return [0] * n_classes
    _, first = np.unique(np.packbits(asked, axis=1), axis=0, return_index=True)
    tuples, answers = asked[first], decided[first]
    sources = [_ways(tuples, answers, criterion) for criterion in ("gini", "entropy")]
    sources += [ways] if ways is not None else []
    found = []
    for at in range(n_classes):
        terms = [each[at] for each in sources if at in each]
        found.append(_literals(tuples, answers == at, terms))
    return found


def _literals(tuples: BoolArray, wanted: BoolArray, ways: Sequence[Terms]) -> int:
    if wanted.all() or not wanted.any():
        return 0
    found = int(np.count_nonzero(strip_terms(np.concatenate(ways), tuples[wanted], tuples[~wanted])))
    if found > MOST_LITERALS:
        return found
    shorter = agreeing_formula(TruthTable.from_data(tuples, wanted), found - 1)
    return found if shorter is None else min(found, shorter.literals)


def _ways(tuples: BoolArray, answers: IndexArray, criterion: str) -> Mapping[int, Terms]:
    """The paths of a tree that reproduces the predictions on all tuples."""
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(criterion=criterion, random_state=0).fit(tuples, answers)
    return tree_terms(tree, tree.tree_.feature, tuples.shape[1], held=True)


def tree_terms(
    tree: Any, condition: Mapping[int, int] | IndexArray, n_conditions: int, *, held: bool
) -> Mapping[int, Terms]:
    """The paths from the root of a tree to the leaves of each class, as terms.

    Parameters
    ----------
    tree : DecisionTreeClassifier
    condition : mapping or ndarray of int
        Which condition each inner node asks about.
    n_conditions : int
    held : bool
        Whether the right child has the rows on which the condition holds, or the left.
    """
    found: dict[int, list[Terms]] = {}
    for label, path in tree_paths(tree):
        term = np.zeros(n_conditions, dtype=np.int8)
        for node, right in path:
            term[condition[node]] = 1 if right == held else -1
        found.setdefault(label, []).append(term)
    return {label: np.stack(terms) for label, terms in found.items()}


def tree_paths(tree: Any) -> Iterator[tuple[int, Sequence[tuple[int, bool]]]]:
    """The paths from the root of a tree to its leaves, left to right.

    Parameters
    ----------
    tree : DecisionTreeClassifier

    Yields
    ------
    label : int
        The class of the leaf.
    path : sequence of (int, bool)
        The inner nodes on the way, and whether it goes right at each.
    """
    nodes = tree.tree_
    best = tree.classes_[nodes.value[:, 0, :].argmax(axis=1)]
    waiting: list[tuple[int, tuple[tuple[int, bool], ...]]] = [(0, ())]
    while waiting:
        node, path = waiting.pop()
        left, right = nodes.children_left[node], nodes.children_right[node]
        if left == right:
            yield int(best[node]), path
        else:
            waiting += [(right, (*path, (node, True))), (left, (*path, (node, False)))]


def strip_terms(terms: Terms, wanted: BoolArray, avoided: BoolArray) -> Terms:
    """Drop every literal and every term that a DNF does not need.

    Parameters
    ----------
    terms : ndarray of int8, shape (n_terms, n_concepts)
        1 for a concept, -1 for its negation, 0 for neither; together true on all wanted tuples and on no
        avoided one.
    wanted, avoided : ndarray of bool, shapes (n_wanted, n_concepts) and (n_avoided, n_concepts)

    Examples
    --------
    >>> terms = np.array([[1, 1], [1, -1]], dtype=np.int8)
    >>> strip_terms(terms, np.array([[True, True], [True, False]]), np.array([[False, True]])).tolist()
    [[1, 0]]
    """
    orders = _ORDERS if len(terms) * (len(wanted) + len(avoided)) < _MANY else 1
    random = np.random.default_rng(0)
    # The first order takes gains as they are, the others shake them.
    noise = [np.ones(terms.shape[1]), *(random.uniform(0.3, 1.0, (orders - 1, terms.shape[1])))]
    shorter = np.unique([_prime(term, wanted, avoided, each) for term in terms for each in noise], axis=0)
    covers = np.stack([_holds(term, wanted) for term in shorter], axis=1)
    costs: FloatArray = np.maximum(np.count_nonzero(shorter, axis=1), 1e-3)
    kept: Terms = shorter[greedy_cover(covers, costs)]
    return kept


def _prime(term: Terms, wanted: BoolArray, avoided: BoolArray, noise: FloatArray) -> Terms:
    """Drop needless literals from a term, each time the one whose loss covers most wanted tuples."""
    places = np.flatnonzero(term)
    positive = term[places] > 0
    lost, kept_out = wanted[:, places] != positive, avoided[:, places] != positive
    alive = np.ones(len(places), dtype=np.bool_)
    breaks, excludes = lost.sum(axis=1), kept_out.sum(axis=1)
    while True:
        needed = kept_out[excludes == 1].any(axis=0)
        loose = np.flatnonzero(alive & ~needed)
        if not len(loose):
            break
        gains = (1 + lost[breaks == 1][:, loose].sum(axis=0)) * noise[places[loose]]
        at = loose[int(gains.argmax())]
        alive[at] = False
        breaks, excludes = breaks - lost[:, at], excludes - kept_out[:, at]
        lost[:, at] = kept_out[:, at] = False
    found = np.zeros_like(term)
    found[places[alive]] = term[places[alive]]
    return found


def _holds(term: Terms, tuples: BoolArray) -> BoolArray:
    places = np.flatnonzero(term)
    held: BoolArray = (tuples[:, places] == (term[places] > 0)).all(axis=1)
    return held
