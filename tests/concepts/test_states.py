from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from logiclens.concepts import Above, Flag, Missing, OneOf, Vocabulary
from logiclens.concepts.states import as_term, every_combination, telling_values, without_implied
from logiclens.logic import FALSE, TRUE, And, Var, equivalent, to_dnf
from tests.concepts.strategies import raw_formulas, raw_tables

AGE = Vocabulary(("age",), (Above("age", 30), Above("age", 62)))
GROWN, OLD = Var("age > 30"), Var("age > 62")


@given(raw_tables())
def test_telling_values_tell_every_row_of_a_table(raw):
    """Whatever values a column has, one that was thought of gives the same truth."""
    words = raw.vocabulary
    for column in words.used_columns(words.names):
        names = [name for name in words.names if words[name].column == column]
        probe = {column: [None, *telling_values([words[name] for name in names])]}
        seen = np.column_stack(list(words.encode(raw.table, names).values()))
        thought_of = np.column_stack(list(words.encode(probe, names).values()))

        assert set(map(tuple, seen)) <= set(map(tuple, thought_of))


def test_a_text_unlike_all_others_is_thought_of():
    values = telling_values([OneOf("c", ("a", "b")), OneOf("c", ("a\0b\0",))])

    assert {"a", "b", "a\0b\0"} < set(values)


def test_combinations_are_those_of_all_groups():
    words = Vocabulary(("age", "s"), (*AGE.concepts, Flag("s"), Missing("s")))

    rows, names = every_combination(words.groups(words.names))

    assert names == words.names
    assert len(rows) == len({tuple(row) for row in rows}) == 3 * 3
    assert words.possible(rows, names).all()
    empty, none = every_combination([])
    assert (empty.shape, none) == ((1, 0), ())


@pytest.mark.parametrize(
    ("term", "short"),
    [
        (GROWN & OLD, OLD),
        (~GROWN & ~OLD, ~GROWN),
        (~GROWN & OLD, FALSE),
        (~OLD & GROWN, ~OLD & GROWN),
        (OLD, OLD),
        (TRUE, TRUE),
        (And(OLD, GROWN, Var("other")), OLD & Var("other")),
    ],
)
def test_what_follows_from_the_rest_of_a_term_is_left_out(term, short):
    found = without_implied(term, AGE.groups(AGE.names))

    assert equivalent(found, short)
    assert found.complexity == short.complexity


@given(raw_formulas(max_leaves=4))
def test_a_shorter_term_says_the_same(found):
    raw, formula = found
    words = raw.vocabulary
    dnf = to_dnf(formula)
    for term in dnf.args if type(dnf).__name__ == "Or" else (dnf,):
        short = without_implied(term, words.groups(words.names))

        assert short.complexity <= term.complexity
        assert equivalent(short, term, words.given(words.names) or None)


def test_a_state_as_a_term():
    assert as_term(("a", "b"), np.array([True, False])) == Var("a") & ~Var("b")
    assert as_term((), np.array([], dtype=bool)) == TRUE
