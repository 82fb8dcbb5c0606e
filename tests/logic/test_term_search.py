"""Terms that gain much: where they hold, what is found, what may not be used."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from logiclens.logic._term_search import LONGEST, NONE, Contexts, Literals, find_terms, sizes_of
from tests.strategies import all_rows


def contexts(gains: np.ndarray, literals: Literals, price: float = 0.0, **more) -> Contexts:
    """One context for each row of gains, all of one step, where no term stands yet."""
    settings = {
        "owners": np.zeros(len(gains), dtype=int),
        "terms": np.full((len(gains), LONGEST), NONE, dtype=np.int32),
        "price": price,
        "forbidden": np.zeros(2 * literals.n_concepts, dtype=bool),
    }
    return Contexts(gains, **settings | more)


def term(*literals: int) -> np.ndarray:
    return np.array([[*sorted(literals), *[NONE] * (LONGEST - len(literals))]], dtype=np.int32)


def best_win(bits: np.ndarray, gain: np.ndarray, price: float) -> float:
    """Of every term there is."""
    wins = [0.0]
    for signs in product((-1, 0, 1), repeat=bits.shape[1]):
        used = [(j, s) for j, s in enumerate(signs) if s]
        if used:
            holds = np.all([bits[:, j] == (s > 0) for j, s in used], axis=0)
            wins.append(float(gain[holds].sum()) - price * len(used))
    return max(wins)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 30))
def test_terms_hold_where_their_signs_say(seed, n_concepts, n_rows):
    random = np.random.default_rng(seed)
    bits = random.random((n_rows, n_concepts)) < 0.5
    literals = Literals(bits)
    found = find_terms(literals, [contexts(random.normal(size=(3, n_rows)), literals)])[0].get(
        0, literals.nothing()
    )
    signs = literals.signs(found)

    assert sizes_of(found).tolist() == (signs != 0).sum(axis=1).tolist()
    for covers, row in zip(literals.covers(found), signs, strict=True):
        assert covers.tolist() == [
            all(bit == (s > 0) for bit, s in zip(each, row, strict=True) if s) for each in bits
        ]
    assert (np.diff(found.astype(int), axis=1) >= 0).all()  # ascending
    assert len(np.unique(found, axis=0)) == len(found)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.sampled_from([0.0, 0.5, 2.0]))
@settings(max_examples=60)
def test_no_short_term_wins_more_than_what_is_found(seed, n_concepts, price):
    """Of one literal, whatever the concepts; of two concepts any term."""
    bits = all_rows(n_concepts)
    gain = np.random.default_rng(seed).normal(size=len(bits))
    literals = Literals(bits)
    found = find_terms(literals, [contexts(gain[None], literals, price)])[0].get(0, literals.nothing())
    wins = literals.covers(found) @ gain - price * sizes_of(found)
    best = max(best_win(bits[:, [j]], gain, price) for j in range(n_concepts))

    assert max([0.0, *wins]) >= (best_win(bits, gain, price) if n_concepts <= 2 else best) - 1e-6


def test_a_term_that_loses_on_the_way_is_found_from_a_row():
    """Three of six concepts together, each of which is worse than nothing alone."""
    bits = all_rows(6)
    gain = np.where(bits[:, :3].all(axis=1), 3.0, -1.0)
    literals = Literals(bits)
    found = find_terms(literals, [contexts(gain[None], literals)])[0][0]

    assert [1, 1, 1, 0, 0, 0] in literals.signs(found).tolist()


def test_neighbors_of_a_term_are_thought_of():
    """Six literals stand there, one of them wrong: no beam is so deep."""
    random = np.random.default_rng(0)
    bits = random.random((3000, 12)) < 0.8
    right = bits[:, :6].all(axis=1)
    literals = Literals(bits)
    standing = term(0, 1, 2, 3, 4, 12 + 7)
    found = find_terms(literals, [contexts(np.where(right, 1.0, -9.0)[None], literals, terms=standing)])[0][0]

    assert [1] * 6 + [0] * 6 in literals.signs(found).tolist()


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_forbidden_literals_are_not_used(seed):
    random = np.random.default_rng(seed)
    bits = random.random((40, 5)) < 0.5
    literals = Literals(bits)
    forbidden = random.random(2 * literals.n_concepts) < 0.5
    several = contexts(random.normal(size=(4, 40)), literals, forbidden=forbidden)

    for found in find_terms(literals, [several])[0].values():
        used = found[found != NONE]
        assert not forbidden[used].any()


def test_lists_side_by_side_are_what_each_is_alone():
    random = np.random.default_rng(1)
    bits = random.random((200, 8)) < 0.5
    literals = Literals(bits)
    several = [contexts(random.integers(-9, 9, (n, 200)).astype(float), literals) for n in (1, 3, 2)]

    for each, together in zip(several, find_terms(literals, several), strict=True):
        alone = find_terms(literals, [each])[0]
        assert together.keys() == alone.keys()
        assert all((together[k] == alone[k]).all() for k in alone)


def test_steps_have_terms_of_their_own():
    bits = all_rows(3)
    literals = Literals(bits)
    gains = np.array([np.where(bits[:, 0], 1.0, -1.0), np.where(bits[:, 1], 1.0, -1.0)])
    found = find_terms(literals, [contexts(gains, literals, 0.5, owners=np.array([4, 2]))])[0]

    assert sorted(found) == [2, 4]
    assert [1, 0, 0] in literals.signs(found[4]).tolist()
    assert [0, 1, 0] in literals.signs(found[2]).tolist()


def test_where_nothing_can_be_won_nothing_is_looked_for():
    literals = Literals(all_rows(3))

    assert find_terms(literals, []) == []
    assert find_terms(literals, [contexts(-np.ones((2, 8)), literals)]) == [{}]
    assert find_terms(literals, [contexts(np.ones((2, 8)), literals, price=100.0)]) == [{}]


def test_columns_that_say_the_same_are_one():
    """Constants are left out, and of a column, its copy and its opposite, the first stays."""
    a, b = all_rows(2).T
    bits = np.column_stack([np.ones(4, dtype=bool), a, a, ~a, b, ~b & False])

    assert Literals(bits).columns.tolist() == [1, 4]
    assert Literals(bits[:0]).columns.tolist() == []


def test_many_rows_are_sampled_and_terms_hold_on_all_of_them():
    random = np.random.default_rng(2)
    bits = random.random((9000, 6)) < 0.5
    literals = Literals(bits)
    gain = np.where(bits[:, 0] & bits[:, 3], 1.0, -1.0)
    found = find_terms(literals, [contexts(gain[None], literals)])[0][0]

    assert literals.dense.shape[0] < 9000
    assert literals.covers(found).shape[1] == 9000
    assert [1, 0, 0, 1, 0, 0] in literals.signs(found).tolist()
