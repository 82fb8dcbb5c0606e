"""How long the formulas of a method's decisions are, on the conditions that the method itself asks about.

A method of any kind, whether its model is a tree, a sum of trees or a vote of rules, decides by conditions
such as ``age <= 62``. On the tuples of their values that occur among the training rows its decisions are an
empirical truth table for each class, all other tuples being don't-cares, and the DNF that agrees with that
table is the class's formula. So every method is measured in the same way, however it writes its model.

Of two searches the shorter formula counts:

- the quick minimization that our own rule sets write their formulas with, where the other search finds at
  most :data:`MOST_LITERALS`;
- the ways of trees that repeat the decisions, the method's own among them where it is a tree, each stripped
  of literals it can do without in several orders, and the cheapest of these terms that cover all tuples;
  quick for tables of any size.
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
    """The ways of a tree that repeats the answers on all tuples."""
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(criterion=criterion, random_state=0).fit(tuples, answers)
    return tree_terms(tree, tree.tree_.feature, tuples.shape[1], held=True)


def tree_terms(
    tree: Any, condition: Mapping[int, int] | IndexArray, n_conditions: int, *, held: bool
) -> Mapping[int, Terms]:
    """The ways from the root of a tree to the leaves of each class, as terms.

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
    """Terms of a DNF without the literals, and the terms, that it can do without.

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
    """A term without needless literals: again and again the one goes whose loss wins most wanted tuples."""
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
