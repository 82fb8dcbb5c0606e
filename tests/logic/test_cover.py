from __future__ import annotations

import pickle
import time
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.errors import InputError, LimitError
from logiclens.logic import cover as cover_module
from logiclens.logic.arrays import pack
from logiclens.logic.cover import Cover
from logiclens.logic.formula import FALSE, TRUE, And, Not, Or, Var
from tests.strategies import HOSTILE_NAMES, PLAIN, all_rows

ROWS = pack(all_rows(len(PLAIN)))
a, b, c, d, e = (Var(name) for name in PLAIN)


def terms(names=PLAIN):
    return st.dictionaries(st.sampled_from(names), st.booleans(), max_size=len(names))


def covers(max_terms=8):
    return st.lists(terms(), max_size=max_terms).map(lambda found: Cover.from_literals(PLAIN, found))


def truth(cover):
    return cover.contains(ROWS)


def random_cover(n_concepts, n_terms, size, seed):
    rng = np.random.default_rng(seed)
    bits = np.zeros((2, n_terms, n_concepts), dtype=bool)
    for row in range(n_terms):
        for column in rng.choice(n_concepts, size, replace=False):
            bits[rng.integers(2), row, column] = True
    return Cover([f"c{j}" for j in range(n_concepts)], pack(bits[0]), pack(bits[1]))


@given(covers())
def test_contains_agrees_with_the_formula(cover):
    assert np.array_equal(truth(cover), cover.to_formula().evaluate(all_rows(5), PLAIN))
    assert np.array_equal(cover.covered_by_terms(ROWS).any(axis=1), truth(cover))


@given(covers())
def test_formula_and_back(cover):
    cover = cover.absorb()

    assert Cover.from_formula(cover.to_formula(), PLAIN) == cover


@given(covers())
def test_absorb_keeps_truth_and_leaves_no_term_inside_another(cover):
    small = cover.absorb()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cover_module, "_INDEX_FROM", 0)  # as it is done for many terms
        assert cover.absorb() == small

    assert np.array_equal(truth(small), truth(cover))
    columns = small.covered_by_terms(ROWS).T
    inside = [
        (i, j) for i, t in enumerate(columns) for j, u in enumerate(columns) if i != j and not (t & ~u).any()
    ]
    assert not inside


def test_absorb_keeps_the_order():
    cover = Cover.from_formula(Or(c & d, a & b, c, a & b & e, c & d))

    assert cover.absorb().to_formula() == Or(a & b, c)


@given(covers(), covers())
def test_union_and_intersection(left, right):
    assert np.array_equal(truth(left.union(right)), truth(left) | truth(right))
    both = left.intersect(right)
    assert np.array_equal(truth(both), truth(left) & truth(right))
    assert both.absorb() == both


@given(covers())
def test_complement(cover):
    other = cover.complement()

    assert np.array_equal(truth(other), ~truth(cover))
    assert other.absorb() == other


@given(covers(), st.sampled_from(PLAIN), st.booleans())
def test_cofactor_fixes_a_concept(cover, name, value):
    held = cover.cofactor(name, value)
    rows = all_rows(5)
    rows[:, PLAIN.index(name)] = value

    assert np.array_equal(held.contains(ROWS), cover.contains(pack(rows)))
    assert name not in held.to_formula().concepts


@given(covers(12))
def test_tautology(cover):
    assert cover.is_tautology() == truth(cover).all()


@given(covers(), terms())
def test_covers_term(cover, term):
    row = Cover.from_literals(PLAIN, [term])
    inside = truth(cover)[truth(row)].all()

    assert cover.covers_term(row.positive[0], row.negative[0]) == inside


def test_a_term_that_contradicts_itself_implies_everything():
    none = Cover.from_formula(FALSE, ["a"])

    assert none.covers_term(np.array([1], np.uint64), np.array([1], np.uint64))


@given(covers())
def test_simplify_is_equivalent_prime_and_irredundant(cover):
    small = cover.simplify()

    assert np.array_equal(truth(small), truth(cover))
    assert small.n_literals <= cover.n_literals
    assert small.simplify() == small
    for k in range(len(small)):
        others = Cover(PLAIN, np.delete(small.positive, k, 0), np.delete(small.negative, k, 0))
        assert not np.array_equal(truth(others), truth(small))


def test_simplify_joins_opposite_terms_and_drops_a_consensus():
    assert Cover.from_formula((a & b) | (~a & b)).simplify().to_formula() == b
    assert Cover.from_formula((a & b) | (~a & c) | (b & c)).simplify().to_formula() == (a & b) | (~a & c)


@given(covers(), st.permutations(range(70)))
def test_a_concept_may_lie_in_any_word(cover, order):
    """Seventy concepts take two words."""
    wide = cover.over([(*PLAIN, *(f"more {j}" for j in range(65)))[at] for at in order])

    assert wide.over(PLAIN) == cover
    assert wide.is_tautology() == cover.is_tautology()
    assert np.array_equal(truth(wide.complement().over(PLAIN)), ~truth(cover))


@given(covers(), st.permutations(HOSTILE_NAMES))
def test_renaming_commutes(cover, others):
    mapping = dict(zip(PLAIN, others, strict=False))

    assert cover.simplify().rename(mapping) == cover.rename(mapping).simplify()
    assert cover.rename(mapping).rename({new: old for old, new in mapping.items()}) == cover


def test_literals_come_in_column_order():
    cover = Cover.from_formula(a & ~b, ["b", "a"])

    assert cover.to_formula() == And(Not(b), a)


def test_constants():
    never, always = Cover.from_formula(FALSE, ["a"]), Cover.from_formula(TRUE, ["a"])

    assert (len(never), len(always), always.n_literals) == (0, 1, 0)
    assert (never.to_formula(), always.to_formula()) == (FALSE, TRUE)
    assert (never.complement(), always.complement()) == (always, never)
    assert always.is_tautology()
    assert not never.is_tautology()
    assert Cover.from_formula(Or(a, TRUE)).to_formula() == TRUE


def test_no_concepts_at_all():
    rows = pack(np.zeros((3, 0), dtype=bool))
    never, always = Cover.from_formula(FALSE), Cover.from_formula(Or(TRUE, TRUE))

    assert not never.contains(rows).any()
    assert always.contains(rows).all()
    assert always.absorb() == always.union(never) == always.intersect(always) == never.complement()
    assert never.intersect(always) == never == always.complement() == never.simplify()
    assert always.is_tautology()
    assert always.to_formula() == TRUE
    assert always.over(["a"]).names == ("a",)


def test_no_rows():
    cover = Cover.from_formula(a | b)
    rows = pack(np.zeros((0, 2), dtype=bool))

    assert cover.contains(rows).shape == (0,)
    assert cover.covered_by_terms(rows).shape == (0, 2)


def test_contradictory_terms_are_left_out():
    one = np.array([[1], [1]], dtype=np.uint64)

    assert len(Cover(["a"], one, np.array([[1], [0]], dtype=np.uint64))) == 1
    assert Cover.from_formula((a & ~a) | b).to_formula() == b
    assert Cover.from_formula(Or(And(a, FALSE), And(TRUE, b))).to_formula() == b


def test_a_cover_is_a_value():
    cover, same = Cover.from_formula(a | ~b), Cover.from_formula(Or(a, ~b))

    assert cover == same
    assert hash(cover) == hash(same)
    assert cover != cover.rename({"a": "z"})
    assert cover != "cover"
    assert pickle.loads(pickle.dumps(cover)) == cover
    assert repr(cover) == "<Cover: 2 terms, 2 literals, 2 concepts>"
    with pytest.raises(ValueError, match="read-only"):
        cover.positive[0, 0] = 1
    with pytest.raises(AttributeError, match="covers are immutable: cannot set 'names'"):
        cover.names = ("x",)


def test_the_arrays_given_are_copied():
    words = np.array([[1]], dtype=np.uint64)
    cover = Cover(["a"], words, np.zeros_like(words))
    words[0, 0] = 0

    assert cover.to_formula() == a


A = Cover.from_formula(a)
ONE, TWO = np.zeros((1, 1), np.uint64), np.zeros((2, 1), np.uint64)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Cover.from_formula(And(a, Or(b, c))), "disjunction of conjunctions"),
        (lambda: A.union(Cover.from_formula(b)), "the same concepts in the same order"),
        (lambda: Cover(["a"], np.zeros((1, 2), np.uint64), ONE), "must be a uint64 array of shape"),
        (lambda: A.contains(np.ones((2, 1), dtype=bool)), "must be a uint64 array of shape"),
        (lambda: Cover(["a"], np.array([[2]], np.uint64), ONE), "no bit set beyond them"),
        (lambda: Cover(["a"], ONE, TWO), "as many positive as negative rows"),
        (lambda: A.contains([[1], [1, 2]]), "not rectangular"),
        (lambda: Cover.from_literals(["a"], 3), "several mappings"),
        (lambda: Cover.from_literals(["a"], [{"a": 1}]), "map concepts to True or False"),
        (lambda: Cover.from_literals(["a"], [{3: True}]), "name must be a string"),
        (lambda: A.rename(["b"]), "New names must be a mapping"),
        (lambda: A.union(b), "A Cover is needed"),
        (lambda: A.intersect(A, limit=-1), "limit must be a whole number"),
        (lambda: A.complement(limit=1.5), "limit must be a whole number"),
        (lambda: A.cofactor("a", "no"), "value must be True or False"),
        (lambda: A.cofactor(["a"], True), "name must be a string"),
        (lambda: A.covers_term(TWO, np.zeros(1, np.uint64)), "Give one term"),
        (lambda: Cover.from_formula(a | b, ["a"]), "Unknown concept 'b'"),
        (lambda: Cover.from_formula(a | b).over(["a"]), "Unknown concept 'b'"),
        (lambda: A.cofactor("b", True), "Unknown concept 'b'"),
    ],
)
def test_misuse_is_explained(call, message):
    with pytest.raises(InputError, match=message):
        call()


def pairs(n):
    """``a0 & b0 | a1 & b1 | ...``: its complement has 2**n terms."""
    names = [f"{side}{k}" for k in range(n) for side in "ab"]
    return Cover.from_literals(names, [{f"a{k}": True, f"b{k}": True} for k in range(n)])


def test_a_complement_that_blows_up_is_refused():
    start = time.perf_counter()
    with pytest.raises(LimitError, match="The complement takes more than 100000 terms"):
        pairs(40).complement()
    assert time.perf_counter() - start < 10


def test_a_product_that_blows_up_is_refused():
    left, right = random_cover(100, 40, 5, seed=0), random_cover(100, 40, 5, seed=1)

    assert len(left.intersect(right)) > 1000
    for limit in (20, 1000):
        with pytest.raises(LimitError, match=f"conjunction takes more than {limit} terms"):
            left.intersect(right, limit=limit)


def test_thousands_of_concepts():
    cover = random_cover(5000, 300, 4, seed=3)
    rows = np.random.default_rng(0).random((2000, 5000)) < 0.5
    expected = cover.to_formula().evaluate(rows, cover.names)

    assert np.array_equal(cover.contains(pack(rows)), expected)
    assert not cover.is_tautology()
    assert cover.simplify() == cover
    assert 8900 < len(cover.intersect(random_cover(5000, 30, 4, seed=4))) <= 9000


def test_a_disjunction_of_thousands_of_literals_has_one_term_as_complement():
    names = [f"c{j}" for j in range(3000)]
    cover = Cover.from_literals(names, [{name: True} for name in names])
    other = cover.complement()

    assert (len(other), other.n_literals) == (1, 3000)
    assert other.complement() == cover
    assert cover.union(other).is_tautology()


def test_memory_is_bounded_by_blocks(monkeypatch):
    cover = random_cover(70, 50, 3, seed=0)
    rows = pack(np.random.default_rng(1).random((30, 70)) < 0.5)
    whole, product = cover.covered_by_terms(rows), cover.intersect(cover)
    monkeypatch.setattr(cover_module, "_BLOCK", 100)

    assert np.array_equal(cover.covered_by_terms(rows), whole)
    assert np.array_equal(cover.contains(rows), whole.any(axis=1))
    assert cover.intersect(cover) == product


def test_many_terms_are_absorbed():
    rng = np.random.default_rng(0)
    bits = rng.random((9000, 24)) < rng.choice([0.08, 0.3], size=(9000, 1))
    cover = Cover([f"c{j}" for j in range(24)], pack(bits), pack(np.zeros_like(bits)))
    small = cover.absorb()
    rows = pack(rng.random((500, 24)) < 0.2)

    assert 0 < len(small) < len(cover)
    assert np.array_equal(small.contains(rows), cover.contains(rows))
    assert not (small.positive[:, None] & ~small.positive[None] == 0).all(-1).sum() > len(small)


@pytest.mark.parametrize("seed", range(5))
def test_complement_by_many_splits(seed):
    """Enough terms of both signs for cases within cases, units and joins."""
    cover = random_cover(14, 40, 4, seed)
    other = cover.complement()
    rows = pack(all_rows(14))

    assert len(other) > 20
    assert np.array_equal(other.contains(rows), ~cover.contains(rows))
    assert other.absorb() == other


def test_splits_are_limited(monkeypatch):
    monkeypatch.setattr(cover_module, "MAX_SPLITS", 3)
    cover = random_cover(60, 900, 4, seed=0)
    for call in (cover.is_tautology, cover.complement):
        with pytest.raises(LimitError, match=r"more than 3 case splits \(MAX_SPLITS\)"):
            call()


@pytest.mark.parametrize("shape", [(20, 100, 6), (60, 60, 3)], ids=["many splits", "many terms to join"])
def test_a_hard_complement_is_refused_in_seconds(shape):
    cover = random_cover(*shape, seed=0)
    start = time.process_time()
    with pytest.raises(LimitError, match="case splits"):
        cover.complement()

    assert time.process_time() - start < 60  # a few seconds, on a machine that is not busy


def test_an_easy_tautology_over_many_concepts():
    names = [f"c{j}" for j in range(200)]
    chain = [{x: True, y: False} for x, y in pairwise(names)]
    ends = [{names[0]: False}, {names[-1]: True}]

    assert Cover.from_literals(names, chain + ends).is_tautology()
    assert not Cover.from_literals(names, chain + ends[:1]).is_tautology()
