from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.errors import LimitError
from logiclens.logic import cover as cubes
from logiclens.logic.arrays import pack, unpack
from logiclens.logic.cover import Cover
from tests.logic.test_cover import covers, random_cover, truth
from tests.strategies import PLAIN, all_rows


def rows_of(cover):
    return np.concatenate([cover.positive, cover.negative], axis=1)


def words_of(cover, columns):
    """Cubes of the cover over its own concepts and enough others for a second word."""
    return cubes.move_columns(rows_of(cover), np.arange(len(PLAIN)), np.array(columns), 70)


@pytest.mark.parametrize("n", [0, 1, 3, 6, 8])
def test_truth_columns(n):
    bits = unpack(cubes.truth_columns(n), 2**n)

    assert np.array_equal(bits.T, all_rows(n))


@given(covers(), st.permutations([0, 1, 63, 64, 69]))
def test_concepts_are_moved_there_and_back(cover, columns):
    wide = words_of(cover, columns)
    used = [columns[j] for j in cubes.used_columns(rows_of(cover))]

    assert np.array_equal(cubes.used_columns(wide), sorted(used))
    assert np.array_equal(cubes.sizes(wide), cover.literal_counts)
    back = cubes.move_columns(wide, np.array(columns), np.arange(len(PLAIN)), len(PLAIN))
    assert np.array_equal(back, rows_of(cover))


@given(covers(), st.permutations([0, 1, 63, 64, 69]))
def test_a_concept_may_lie_in_any_word(cover, columns):
    wide, narrow = words_of(cover, columns), rows_of(cover)

    assert cubes.is_tautology(wide) == cubes.is_tautology(narrow)
    negation = cubes.complement(cubes.absorb(wide), 100)
    back = cubes.move_columns(negation, np.array(columns), np.arange(len(PLAIN)), len(PLAIN))
    assert np.array_equal(truth(Cover(PLAIN, back[:, :1], back[:, 1:])), ~truth(cover))


def test_contradictory_and_negated():
    found = np.array([[1, 2], [1, 1], [0, 0]], dtype=np.uint64)  # a & ~b, a & ~a, TRUE

    assert cubes.contradictory(found).tolist() == [False, True, False]
    assert cubes.flip(found[0]).tolist() == [2, 1]


@given(covers(), covers())
def test_containment_through_the_index_is_that_by_pairs(inner, outer):
    by_pairs = cubes.implies_some(rows_of(inner), rows_of(outer))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cubes, "_INDEX_FROM", 0)

        assert np.array_equal(cubes.implies_some(rows_of(inner), rows_of(outer)), by_pairs)


def test_many_terms_are_absorbed_through_the_index():
    rng = np.random.default_rng(0)
    bits = rng.random((9000, 24)) < rng.choice([0.08, 0.3], size=(9000, 1))
    cover = Cover([f"c{j}" for j in range(24)], pack(bits), pack(np.zeros_like(bits)))
    small = cover.absorb()
    rows = pack(rng.random((500, 24)) < 0.2)

    assert 0 < len(small) < len(cover)
    assert np.array_equal(small.contains(rows), cover.contains(rows))
    assert not (small.positive[:, None] & ~small.positive[None] == 0).all(-1).sum() > len(small)


@given(covers(12))
def test_tautology_by_splitting(cover):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cubes, "_TABLE_CONCEPTS", 0)

        assert cover.is_tautology() == truth(cover).all()


@pytest.mark.parametrize("seed", range(5))
def test_complement_by_many_splits(seed):
    """Enough terms of both signs for cases within cases, units and joins."""
    cover = random_cover(14, 40, 4, seed)
    other = cover.complement()
    rows = pack(all_rows(14))

    assert len(other) > 20
    assert np.array_equal(other.contains(rows), ~cover.contains(rows))
    assert other.absorb() == other


def test_memory_is_bounded_by_blocks(monkeypatch):
    cover = random_cover(70, 50, 3, seed=0)
    rows = pack(np.random.default_rng(1).random((30, 70)) < 0.5)
    whole = cover.covered_by_terms(rows)
    product = cover.intersect(cover)
    monkeypatch.setattr(cubes, "_BLOCK", 100)

    assert [len(block) for block in cubes.holds(rows_of(cover), rows)] == [2] * 15
    assert np.array_equal(cover.covered_by_terms(rows), whole)
    assert cover.intersect(cover) == product


def test_splits_are_limited(monkeypatch):
    monkeypatch.setattr(cubes, "MAX_SPLITS", 3)
    cover = random_cover(60, 900, 4, seed=0)
    for call in (cover.is_tautology, cover.complement):
        with pytest.raises(LimitError) as info:
            call()
        assert str(info.value) == (
            "This cover needs more than 3 case splits (MAX_SPLITS). "
            "Use fewer concepts or simplify the parts first."
        )


def test_terms_joined_count_as_splits(monkeypatch):
    cover = random_cover(14, 40, 4, seed=0)
    cover.complement()
    monkeypatch.setattr(cubes, "_JOINED_PER_SPLIT", 0.001)

    with pytest.raises(LimitError, match="case splits"):
        cover.complement()


@pytest.mark.parametrize("shape", [(20, 100, 6), (60, 60, 3)], ids=["many splits", "many terms to join"])
def test_a_hard_complement_is_refused_in_seconds(shape):
    cover = random_cover(*shape, seed=0)
    start = time.process_time()
    with pytest.raises(LimitError, match="case splits"):
        cover.complement()

    assert time.process_time() - start < 60  # a few seconds, on a machine that is not busy


@given(covers(), covers())
def test_product_is_conjunction(left, right):
    found = cubes.product(rows_of(left), rows_of(right), 100)

    assert np.array_equal(truth(Cover(PLAIN, found[:, :1], found[:, 1:])), truth(left) & truth(right))
    assert np.array_equal(found, cubes.absorb(found))
