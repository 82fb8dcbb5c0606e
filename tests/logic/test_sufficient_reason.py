from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from logiclens.errors import InputError
from logiclens.logic import Not, Or, Var, at_most_one, implies, ordered, sufficient_reason
from logiclens.logic.formula import FALSE, TRUE, And
from tests.strategies import PLAIN, all_rows, plain_formulas

ROWS = all_rows(5)
rows = st.lists(st.booleans(), min_size=5, max_size=5)


def by_force(formula, row, order, known):
    """The first of the shortest reasons, and what is in all of them."""
    place = [PLAIN.index(name) for name in order]
    contrary = ROWS[~formula.evaluate(ROWS, PLAIN) & And.of(known).evaluate(ROWS, PLAIN)]
    differs = (contrary != row)[:, place]

    def term(chosen):
        return And.of(Var(order[at]) if row[place[at]] else Not(Var(order[at])) for at in chosen)

    def is_enough(chosen):
        return differs[:, list(chosen)].any(axis=1).all()

    sets = (chosen for n in range(len(order) + 1) for chosen in combinations(range(len(order)), n))
    needed = [at for at in range(len(order)) if not is_enough([j for j in range(len(order)) if j != at])]
    return term(next(filter(is_enough, sets))), term(needed)


@given(plain_formulas(20), rows, st.lists(plain_formulas(6), max_size=2), st.randoms())
def test_reasons_are_the_first_of_the_shortest(formula, row, known, random):
    values = np.array(row)
    assume(And.of(known).evaluate(values[None], PLAIN)[0])
    formula = formula if formula.evaluate(values[None], PLAIN)[0] else Not(formula)
    order = list(formula.concepts)
    random.shuffle(order)

    reason = sufficient_reason(formula, dict(zip(PLAIN, row, strict=True)), known, order=order)

    assert (reason.term, reason.necessary) == by_force(formula, values, order, known)
    assert reason.shortest


@given(plain_formulas(20), rows, st.integers(1, 4))
def test_a_search_that_is_given_up_still_proves_what_it_says(formula, row, max_steps):
    values = dict(zip(PLAIN, row, strict=True))
    formula = formula if formula.evaluate([row], PLAIN)[0] else Not(formula)

    reason = sufficient_reason(formula, values, max_steps=max_steps)

    assert implies(reason.term, formula)
    parts = [Var(name) if values[name] else Not(Var(name)) for name in reason.term.concepts]
    assert all(not implies(And.of(p for p in parts if p != left), formula) for left in parts)
    if reason.shortest:
        assert reason == sufficient_reason(formula, values)
    assert implies(reason.term, reason.necessary)


def test_weaker_and_exclusive_concepts():
    ages = ordered(["age > 62", "age > 30"])
    old = {"age > 62": True, "age > 30": True}

    assert sufficient_reason(Var("age > 30") | Var("age > 62"), old, ages).term == Var("age > 30")
    assert sufficient_reason(Or(Var("a"), ~Var("b")), {"a": True, "b": False}).necessary == TRUE
    wards = at_most_one(["A", "B", "C"])
    neither = ~Var("B") & ~Var("C") & (Var("A") | Var("D"))
    in_a = {"A": True, "B": False, "C": False, "D": False}
    assert sufficient_reason(neither, in_a, wards).term == Var("A")


def test_many_concepts():
    names = [f"c{at:03}" for at in range(300)]
    row = dict.fromkeys(names, True)
    every = And.of(map(Var, names))
    reason = sufficient_reason(every, row)
    assert (reason.term, reason.necessary, reason.shortest) == (every, every, True)

    three = Or.of(And.of(map(Var, names[at : at + 3])) for at in range(0, 15, 3))
    reason = sufficient_reason(three, row)
    assert (reason.term, reason.necessary, reason.shortest) == (And.of(map(Var, names[:3])), TRUE, True)

    three = Or.of(And.of(map(Var, names[at : at + 3])) for at in range(0, 300, 3))
    reason = sufficient_reason(three, row, max_steps=100)
    assert (reason.term, reason.necessary, reason.shortest) == (And.of(map(Var, names[:3])), TRUE, False)


def test_constants():
    assert sufficient_reason(TRUE, {}).term == TRUE
    with pytest.raises(InputError, match="The formula is false of this row"):
        sufficient_reason(FALSE, {})


@pytest.mark.parametrize(
    ("arguments", "settings", "message"),
    [
        ((Var("a"), {"a": False}), {}, "Pass its negation"),
        ((Var("a"), {}), {}, "no value for the concept 'a'"),
        ((Var("a"), [True]), {}, "row must be a mapping"),
        (("a", {"a": True}), {}, "sufficient_reason takes formulas"),
        ((Var("a"), {"a": True}), {"given": ["b"]}, "given takes formulas"),
        ((Var("a"), {"a": True}), {"given": ~Var("a")}, "The row breaks what is given"),
        ((Var("a"), {"a": True}), {"order": ["a", "b"]}, "the concepts of the formula and no others"),
        ((Var("a"), {"a": True}), {"max_steps": -1}, "max_steps"),
    ],
)
def test_what_cannot_be_asked(arguments, settings, message):
    with pytest.raises(InputError, match=message):
        sufficient_reason(*arguments, **settings)
