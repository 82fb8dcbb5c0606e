"""Formulas without what the truth does not bear out: right at least as often, and never longer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.explain.trimming import trimmed
from logiclens.logic import FALSE, TRUE, And, Formula, Not, Or, TruthTable, Var, parse_formula
from tests.strategies import PLAIN, all_rows, labelled_rows

ROWS = all_rows(5)


@st.composite
def truths(draw) -> TruthTable:
    """Weight of yes and of no on some tuples of five concepts; both on some, none on some."""
    numbers = st.lists(st.integers(0, 4), min_size=len(ROWS), max_size=len(ROWS))
    yes, no = np.array(draw(numbers), float), np.array(draw(numbers), float)
    seen = (yes + no) > 0
    if not seen.any():
        yes[0], seen[0] = 1.0, True
    return TruthTable.from_counts(ROWS[seen], yes[seen], no[seen], PLAIN)


def dnfs() -> st.SearchStrategy[Formula]:
    names = st.lists(st.sampled_from(PLAIN), min_size=1, max_size=4, unique=True)
    terms = names.flatmap(
        lambda found: st.tuples(*(st.sampled_from([Var(name), Not(Var(name))]) for name in found))
    ).map(And.of)
    return st.lists(terms, min_size=1, max_size=4, unique=True).map(Or.of)


def right(formula: Formula, truth: TruthTable) -> float:
    fired = formula.evaluate(truth.to_array(), truth.names)
    return float(np.where(fired, truth.yes, truth.no).sum())


def parts(formula: Formula, kind: type) -> list[Formula]:
    return list(formula.args) if isinstance(formula, kind) else [formula]


def shorter_by_one(formula: Formula) -> list[Formula]:
    """The formula without each of its terms and each of its literals, unless nothing is left."""
    terms = [parts(term, And) for term in parts(formula, Or)]
    found = []
    for i, term in enumerate(terms):
        others = [And.of(other) for at, other in enumerate(terms) if at != i]
        if others:
            found.append(Or.of(others))
        if len(term) > 1:
            found += [Or.of([*others, And.of(term[:j] + term[j + 1 :])]) for j in range(len(term))]
    return found


@given(formula=dnfs(), truth=truths())
def test_right_at_least_as_often_and_never_longer(formula, truth):
    found = trimmed(formula, truth)

    assert right(found, truth) >= right(formula, truth)
    assert found.complexity <= formula.complexity
    assert set(found.concepts) <= set(formula.concepts)


@given(formula=dnfs(), truth=truths())
def test_nothing_is_left_that_could_go(formula, truth):
    """Each literal and each term of the result is worth its weight."""
    found = trimmed(formula, truth)

    assert all(right(less, truth) < right(found, truth) for less in shorter_by_one(found))


@given(formula=dnfs(), truth=truths())
def test_terms_only_lose(formula, truth):
    """Every term of the result is a part of one that was there."""
    before = [set(parts(term, And)) for term in parts(formula, Or)]

    for term in parts(trimmed(formula, truth), Or):
        assert any(set(parts(term, And)) <= old for old in before)


@given(labelled_rows(4, 20))
def test_the_unit_of_weights_does_not_matter(data):
    X, y, weight, names = data
    formula = Or.of([Var(names[0]) & ~Var(names[-1]), Var(names[-1])]) if len(names) > 1 else Var(names[0])
    one, other = (TruthTable.from_data(X, y, names, weight * unit) for unit in (1, 8))

    assert trimmed(formula, one) == trimmed(formula, other)


@pytest.mark.parametrize(
    ("text", "found"),
    [("(a & b) | (c & d)", "(a & b) | (c & d)"), ("(a & b) | (c & d) | (a & e)", "(a & b) | (c & d)")],
)
def test_what_the_truth_bears_out_stays(text, found):
    truth = parse_formula("(a & b) | (c & d)").evaluate(ROWS, PLAIN)
    table = TruthTable.from_data(ROWS, truth, names=PLAIN)

    assert trimmed(parse_formula(text), table) == parse_formula(found)


@pytest.mark.parametrize("formula", [TRUE, FALSE, Var("a"), ~Var("a")])
def test_there_is_nothing_to_leave_out_of_a_literal(formula):
    """Even where it is always wrong: a rule that says nothing is not for trimming to make."""
    wrong = ~formula.evaluate(ROWS, PLAIN)

    assert trimmed(formula, TruthTable.from_data(ROWS, wrong, names=PLAIN)) == formula
