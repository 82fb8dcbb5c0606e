"""Decision lists of every length: their regret, their front, what they may read, known lists."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logiclens.logic._term_search import LONGEST
from logiclens.logic.decision_list import DecisionList, search_lists
from tests.strategies import all_rows


def soft_targets(seed: int, n_rows: int, n_concepts: int, n_targets: int) -> tuple[np.ndarray, np.ndarray]:
    """Random rows, and for each the weight of every target: multiples of 1 / 1024, as a fit has them."""
    random = np.random.default_rng(seed)
    bits = random.random((n_rows, n_concepts)) < random.uniform(0.2, 0.8)
    p = np.round(1024 * random.dirichlet(np.full(n_targets, 0.7), n_rows)) / 1024
    return bits, p * random.integers(0, 4, n_rows)[:, None]


PROBLEMS = st.builds(
    soft_targets, st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 6), st.integers(2, 4)
)


def hard(y: np.ndarray, n_targets: int = 2) -> np.ndarray:
    """Labels as targets of weight 1."""
    return np.eye(n_targets)[np.asarray(y, dtype=int)]


def search(bits: np.ndarray, targets: np.ndarray, max_literals: int = 12, **more) -> list[DecisionList]:
    (front,) = search_lists(bits, targets[None], max_literals=max_literals, **more)
    return front


def regret_of(found: DecisionList, bits: np.ndarray, targets: np.ndarray) -> float:
    decided = found.decide(bits)
    return float(targets.max(axis=1).sum() - targets[np.arange(len(bits)), decided].sum())


def decide_by_hand(found: DecisionList, row: np.ndarray) -> int:
    """The first step that has a term all of whose literals hold."""
    for target, terms in found.steps:
        for term in terms:
            if all(row[j] == (sign > 0) for j, sign in enumerate(term) if sign):
                return target
    return found.default


def same(one: list[DecisionList], other: list[DecisionList]) -> bool:
    return [written(each) for each in one] == [written(each) for each in other]


def written(found: DecisionList) -> tuple[object, ...]:
    steps = tuple((target, terms.tolist()) for target, terms in found.steps)
    return steps, found.default, found.literals, found.regret


# --- properties of the front ---


@given(PROBLEMS, st.integers(1, 12))
@settings(max_examples=40)
def test_every_list_is_what_it_says_of_itself(problem, most):
    bits, targets = problem
    front = search(bits, targets, most)

    for found in front:
        assert found.regret == pytest.approx(regret_of(found, bits, targets), abs=1e-6)
        assert found.literals == sum(int((terms != 0).sum()) for _, terms in found.steps) <= most
        assert found.decide(bits).tolist() == [decide_by_hand(found, row) for row in bits]
        assert all(len(terms) and (terms != 0).any(axis=1).all() for _, terms in found.steps)
        assert all((terms != 0).sum(axis=1).max() <= LONGEST for _, terms in found.steps)
        assert len({target for target, _ in found.steps}) == len(found.steps)


@given(PROBLEMS)
@settings(max_examples=40)
def test_longer_lists_lose_less_and_the_shortest_is_the_best_constant(problem):
    bits, targets = problem
    front = search(bits, targets)

    assert all(a.literals < b.literals and a.regret > b.regret for a, b in pairwise(front))
    assert front[0].steps == ()
    assert front[0].regret == pytest.approx(targets.max(axis=1).sum() - targets.sum(axis=0).max(), abs=1e-6)
    assert same(front, search(bits, targets))  # and the search repeats


@given(PROBLEMS, st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_only_what_is_allowed_is_read(problem, seed):
    bits, targets = problem
    allowed = np.random.default_rng(seed).random(bits.shape[1]) < 0.5
    front = search(bits, targets, allowed=allowed[None])

    assert all(not terms[:, ~allowed].any() for found in front for _, terms in found.steps)
    if not allowed.any():
        assert [found.literals for found in front] == [0]


@given(PROBLEMS, st.integers(2, 4), st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_a_part_among_others_is_what_it_is_alone(problem, n_parts, seed):
    bits, targets = problem
    random = np.random.default_rng(seed)
    parts = targets * random.integers(0, 2, (n_parts, len(bits), 1))
    allowed = random.random((n_parts, bits.shape[1])) < 0.8

    together = search_lists(bits, parts, max_literals=8, allowed=allowed)

    for part, may, found in zip(parts, allowed, together, strict=True):
        assert same(found, search(bits, part, 8, allowed=may[None]))


@given(PROBLEMS, st.integers(1, 3))
@settings(max_examples=20)
def test_the_unit_of_weights_does_not_matter(problem, power):
    bits, targets = problem
    plain, heavy = search(bits, targets), search(bits, targets * 4.0**power)

    assert [(w[0], w[1]) for w in map(written, plain)] == [(w[0], w[1]) for w in map(written, heavy)]


# --- how good ---


def best_term(bits: np.ndarray, targets: np.ndarray) -> float:
    """Least regret of a list of one term: every term, target and default is tried."""
    best = targets.max(axis=1).sum() - targets.sum(axis=0).max()
    for signs in product((-1, 0, 1), repeat=bits.shape[1]):
        fires = np.all([bits[:, j] == (s > 0) for j, s in enumerate(signs) if s], axis=0)
        fires = np.broadcast_to(fires, len(bits))
        won = targets[fires].sum(axis=0).max() + targets[~fires].sum(axis=0).max()
        best = min(best, targets.max(axis=1).sum() - won)
    return float(best)


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(1, 30))
@settings(max_examples=60)
def test_no_single_term_loses_less_than_the_longest_list(seed, n_concepts, n_rows):
    random = np.random.default_rng(seed)
    bits, y = random.random((n_rows, n_concepts)) < 0.5, random.integers(0, 2, n_rows)

    assert search(bits, hard(y), 40)[-1].regret <= best_term(bits, hard(y)) + 1e-6


@pytest.mark.parametrize("n_concepts", [2, 3])
def test_exclusive_or_is_found(n_concepts):
    """No single literal wins anything: terms on the way to it must be thought of."""
    bits = all_rows(n_concepts)
    y = bits.sum(axis=1) % 2
    found = search(bits, hard(y), 40)[-1]

    assert found.regret == 0
    assert (found.decide(bits) == y).all()
    assert found.literals == n_concepts * 2 ** (n_concepts - 1)


def test_a_known_list_of_several_classes_is_found():
    """``if a & b then 2, else if c then 1, else if ~d then 3, otherwise 0``; two more concepts do nothing."""
    bits = all_rows(6)
    a, b, c, d = bits.T[:4]
    y = np.select([a & b, c, ~d], [2, 1, 3], 0)
    front = search(bits, hard(y, 4), 20)

    assert front[-1].regret == 0
    assert (front[-1].decide(bits) == y).all()
    assert front[-1].literals <= 8  # four, where the steps are in this order
    assert not any(terms[:, 4:].any() for _, terms in front[-1].steps)


def test_both_polarities_of_two_targets_are_tried():
    """``a | b | c`` takes three literals for one target, and as many for the other, in one term."""
    bits = all_rows(3)
    y = bits.any(axis=1)

    for default in (0, 1):
        (front,) = search_lists(bits, hard(y)[None], max_literals=5, defaults=(default,))
        assert front[-1].default == default
        assert (front[-1].decide(bits) == y).all()
        assert front[-1].literals == 3


def test_soft_targets_weigh_against_each_other():
    """Rows of ``a`` are yes with a probability of 0.6: that is worth a literal, and nothing more is."""
    bits = np.repeat(all_rows(2), 10, axis=0)
    p = np.where(bits[:, 0], 0.6, 0.2)
    front = search(bits, np.column_stack([1 - p, p]))

    assert [found.literals for found in front] == [0, 1]
    assert front[-1].regret == pytest.approx(0)


# --- odd tables ---


def test_constant_rows_have_the_constant_list_alone():
    front = search(np.ones((6, 3), dtype=bool), hard([0, 1, 1, 0, 1, 1]))

    assert [(found.literals, found.default) for found in front] == [(0, 1)]


@pytest.mark.parametrize("n_targets", [1, 2, 3])
@pytest.mark.parametrize("n_concepts", [0, 2])
@pytest.mark.parametrize("n_rows", [0, 1])
def test_one_row_or_none(n_rows, n_concepts, n_targets):
    bits = np.ones((n_rows, n_concepts), dtype=bool)
    targets = np.tile(np.eye(n_targets)[-1], (n_rows, 1))
    (found,) = search(bits, targets)

    assert (found.steps, found.regret) == ((), 0.0)
    assert found.decide(bits).tolist() == [n_targets - 1] * n_rows
    (found,) = search(bits, 0 * targets)  # rows without weight say nothing
    assert (found.steps, found.regret) == ((), 0.0)


def test_rows_of_weight_zero_are_not_there():
    random = np.random.default_rng(0)
    bits, y = random.random((60, 5)) < 0.5, random.integers(0, 2, 60)
    there = random.random(60) < 0.5
    whole = search(bits, hard(y) * there[:, None])

    assert [found.regret for found in whole] == [
        found.regret for found in search(bits[there], hard(y[there]))
    ]


def test_a_part_may_use_the_twin_of_a_concept_that_another_part_uses():
    """Equal and opposite concepts stand for one another only where the same parts allow them."""
    random = np.random.default_rng(0)
    told = random.random(60) < 0.5
    bits = np.column_stack([told, ~told, told, random.random((60, 2)) < 0.5])
    allowed = np.eye(5, dtype=bool)[[0, 1, 2]]
    for (*_, best), may in zip(
        search_lists(bits, np.tile(hard(told), (3, 1, 1)), max_literals=4, allowed=allowed),
        allowed,
        strict=True,
    ):
        assert best.regret == 0.0
        assert not (best.steps[0][1] != 0)[:, ~may].any()


@pytest.mark.parametrize("miss", [2.0, 19.0, 199.0])
def test_an_exclusive_or_is_found_where_a_miss_is_dear(miss: float):
    bits = all_rows(2)
    yes = bits[:, 0] ^ bits[:, 1]
    fair = 100.0 * np.column_stack([~yes, yes])
    front = search(bits, fair * [1.0, miss], defaults=(0,), also=fair[None])

    assert front[-1].literals == 4
    assert front[-1].regret == 0.0


def test_tens_of_thousands_of_concepts():
    random = np.random.default_rng(0)
    bits = random.random((40, 17_000)) < 0.5
    *_, best = search(bits, hard(bits[:, 16_999]), max_literals=1)

    assert best.regret == 0.0
