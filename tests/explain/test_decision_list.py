"""Decision lists: what they decide, what they say of each class, how many rows each step decides."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from logiclens.explain import Step, class_formulas
from logiclens.explain.explanation import EQUIVALENT
from logiclens.explain.resolution import condition_of, ranked_steps, resolve
from logiclens.logic import FALSE, TRUE, TruthTable, Var, at_most_one, equivalent, parse_formula
from tests.strategies import all_rows, formulas

NAMES = ("a", "b", "c", "d")
LABELS = ("x", "y", "z", "none")
a, b, c, d = map(Var, NAMES)
STEPS = [Step("x", a & b), Step("y", c | d), Step("z", a)]


@st.composite
def lists(draw):
    """Steps in any order, and a default."""
    order = draw(st.permutations(LABELS))[: draw(st.integers(0, 4))]
    return [Step(label, draw(formulas(st.sampled_from(NAMES), 5))) for label in order], draw(
        st.sampled_from(LABELS)
    )


def decision(steps, default, row) -> str:
    """One row, as the list is read."""
    for step in steps:
        if step.formula.evaluate([row], NAMES)[0]:
            return step.label
    return default


def seen(rows) -> TruthTable:
    return TruthTable.from_data(rows, np.ones(len(rows)), names=NAMES)


def test_a_step_has_a_plain_label():
    step = Step(np.int64(3), a & ~b)

    assert (type(step.label), step.label, step.literals) == (int, 3, 2)


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), max_size=6))
def test_the_first_that_is_true(rows):
    table = np.array(rows, dtype=bool).reshape(len(rows), 3)

    assert resolve(table).tolist() == [[*row, True].index(True) for row in rows]
    assert resolve(table[:, :0]).tolist() == [0] * len(rows)


@given(
    lists(), st.lists(st.sampled_from([0.2, 0.5]), min_size=4, max_size=4), st.tuples(*[st.booleans()] * 4)
)
def test_ranked_steps_decide_as_the_highest_rank_that_is_true(made, ranks, row):
    steps, default = made
    true = [at for at, step in enumerate(steps) if step.formula.evaluate([row], NAMES)[0]]
    expected = steps[max(true, key=lambda at: (ranks[at], -at))].label if true else default

    ranked = ranked_steps(ranks, steps, default)
    assert decision(ranked, default, row) == expected
    assert not ranked or ranked[-1].label != default


@given(lists())
def test_the_condition_of_a_class_is_true_where_the_list_decides_it(made):
    steps, default = made
    for label in LABELS:
        expected = [decision(steps, default, row) == label for row in all_rows(4)]
        assert condition_of(steps, default, label).evaluate(all_rows(4), NAMES).tolist() == expected


@given(lists(), st.sets(st.integers(0, 15), min_size=1))
def test_formulas_of_classes_agree_with_the_list_on_what_was_seen(made, which):
    steps, default = made
    rows = all_rows(4)[sorted(which)]
    found = class_formulas(steps, default, LABELS, seen(rows))

    assert tuple(found) == LABELS
    for label, (formula, status) in found.items():
        expected = [decision(steps, default, row) == label for row in rows]
        assert formula.evaluate(rows, NAMES).tolist() == expected
        assert status in (EQUIVALENT, "agrees with the list on all rows seen")
        if status == EQUIVALENT:
            assert equivalent(formula, condition_of(steps, default, label))


def test_what_is_known_of_the_concepts_counts():
    steps, rows = [Step("x", a), Step("y", b)], [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]]

    assert class_formulas(steps, "z", ["y"], seen(rows))["y"][1] == "agrees with the list on all rows seen"
    known = at_most_one(["a", "b"])
    assert class_formulas(steps, "z", ["y"], seen(rows), given=known)["y"] == (b, EQUIVALENT)


def test_two_classes_have_a_formula_and_its_opposite():
    formula = parse_formula("(a & ~b) | (c & d)")
    found = class_formulas([Step("yes", formula)], "no", ["no", "yes"], seen(all_rows(4)))

    assert found["yes"] == (formula, EQUIVALENT)
    assert found["no"][1] == EQUIVALENT
    assert equivalent(found["no"][0], ~formula)
    assert found["no"][0].literals == 8


def test_a_list_without_steps():
    assert class_formulas([], "y", ["x", "y"], seen(all_rows(4))) == {
        "x": (FALSE, EQUIVALENT),
        "y": (TRUE, EQUIVALENT),
    }


def test_a_long_opposite_stays_as_short_as_the_list_says_it():
    """The DNF of what no step says would have 2**40 terms, and the tuples are too many for a short one."""
    names = [f"x{j}" for j in range(80)]
    pairs = [Var(names[2 * j]) & Var(names[2 * j + 1]) for j in range(40)]
    rows = np.random.default_rng(0).random((3000, 80)) < 0.13
    table = TruthTable.from_data(rows, np.ones(3000), names=names)
    formula = pairs[0]
    for pair in pairs[1:]:
        formula = formula | pair
    found, status = class_formulas([Step("yes", formula)], "no", ["no"], table)["no"]

    assert found.literals <= 300
    assert np.array_equal(found.evaluate(rows, names), ~formula.evaluate(rows, names))
    assert status
