from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.concepts import Above, AtMost, Between, Concept, Flag, Missing, OneOf, Table, Vocabulary
from logiclens.concepts.concept import (
    Condition,
    Relation,
    every_combination,
    representative_values,
    value_text,
    without_implied,
)
from logiclens.errors import InputError
from logiclens.logic import FALSE, TRUE, And, Var, equivalent, to_dnf
from tests.concepts.strategies import raw_formulas, raw_tables
from tests.strategies import names

AGES = [30, 31, 62, 63, None, float("nan")]


def truth(concept: Concept, values: list[object]) -> list[bool]:
    return concept.truth(Table({concept.column: values}).column(concept.column)).tolist()


@pytest.mark.parametrize(
    ("concept", "name", "values", "expected"),
    [
        (Flag("smoker"), "smoker", [True, False, None], [1, 0, 0]),
        (Flag("smoker", if_missing=True), "smoker", [True, False, None], [1, 0, 1]),
        (Flag("smoker", numeric=True), "smoker", [1, 0, None], [1, 0, 0]),
        (Above("age", 62), "age > 62", AGES, [0, 0, 0, 1, 0, 0]),
        (Above("age", 62, True), "age > 62", AGES, [0, 0, 0, 1, 1, 1]),
        (AtMost("age", 30), "age <= 30", AGES, [1, 0, 0, 0, 0, 0]),
        (AtMost("age", 30.5, True), "age <= 30.5", AGES, [1, 0, 0, 0, 1, 1]),
        (Between("age", 30, 62), "30 < age <= 62", AGES, [0, 1, 1, 0, 0, 0]),
        (Between("age", 30, 62, True), "30 < age <= 62", AGES, [0, 1, 1, 0, 1, 1]),
        (OneOf("age", (30, 63.0)), "age in {30, 63}", AGES, [1, 0, 0, 1, 0, 0]),
        (OneOf("colour", ("red",)), "colour = red", ["red", "Red", None, ""], [1, 0, 0, 0]),
        (OneOf("colour", ("red", ""), True), "colour in {red, }", ["red", "Red", None, ""], [1, 0, 1, 1]),
        (Missing("age"), "age is missing", AGES, [0, 0, 0, 0, 1, 1]),
        (Above("a > b", -0.25), "a > b > -0.25", [-0.25, 0], [0, 1]),
    ],
)
def test_what_each_kind_is_called_and_says(concept, name, values, expected):
    assert concept.name == name
    assert truth(concept, values) == [bool(value) for value in expected]


@given(raw_tables(gaps_anywhere=True))
def test_a_literal_and_its_negation_are_true_on_complementary_rows(raw):
    """Of the values that are there by their relation, of the others by ``or_missing``."""
    for concept in raw.vocabulary.concepts:
        column = Table(raw.table).column(concept.column)
        condition = concept.condition()
        negated = condition.negated()

        assert negated.negated() == condition
        assert negated.relation.opposite is condition.relation
        assert negated.or_missing is not condition.or_missing
        assert truth(concept, raw.table[concept.column]) == [
            holds(condition, value) for value in column.values()
        ]
        assert [holds(negated, value) for value in column.values()] == [
            not holds(condition, value) for value in column.values()
        ]


def holds(condition: Condition, value: object) -> bool:
    """What a condition says of one value, spelled out."""
    if condition.relation is Relation.MISSING:
        return value is None
    if condition.relation is Relation.PRESENT:
        return value is not None
    if value is None:
        return condition.or_missing
    low, high = (*condition.values, None, None)[:2]
    return {
        Relation.HOLDS: lambda: value > 0.5,
        Relation.FAILS: lambda: value <= 0.5,
        Relation.ABOVE: lambda: value > low,
        Relation.AT_MOST: lambda: value <= low,
        Relation.BETWEEN: lambda: low < value <= high,
        Relation.OUTSIDE: lambda: value <= low or value > high,
        Relation.IS: lambda: value in condition.values,
        Relation.IS_NOT: lambda: value not in condition.values,
    }[condition.relation]()


@given(names())
def test_a_name_is_data(name):
    assert Flag(name).name == name
    assert Above(name, 1).name == f"{name} > 1"
    assert OneOf(name, (name,)).name == f"{name} = {name}"


def test_values_become_plain():
    """What a concept holds can be compared, saved and written, wherever it came from."""
    concept = OneOf("c", [np.int64(3), np.float32(0.5), np.str_("x"), np.True_, True, 1])

    assert concept.values == (3, 0.5, "x", 1)
    assert [type(value) for value in concept.values] == [int, float, str, int]
    assert concept == OneOf("c", (3, 0.5, "x", 1))
    assert type(Above("c", np.float32(0.5)).cut) is float
    assert type(Above("c", 1, np.True_).if_missing) is bool
    assert Above("c", 1) == Above("c", 1.0)
    assert Above("c", 1) != AtMost("c", 1)
    assert len({Above("c", 1), Above("c", 1.0), Above("c", 2)}) == 2


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (62.0, "62"),
        (-0.0, "0"),
        (0.5, "0.5"),
        (1e15, "1000000000000000.0"),
        (1e300, "1e+300"),
        (10**20, "100000000000000000000"),
        ("62", "62"),
        ("", ""),
    ],
)
def test_values_are_written_as_people_write_them(value, text):
    assert value_text(value) == text


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**25), 10**25))
def test_no_two_numbers_are_written_alike(number):
    assert (
        float(value_text(number)) == number
        if isinstance(number, float)
        else int(value_text(number)) == number
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Flag(""), "A concept name must not be empty."),
        (lambda: Flag("a", numeric="yes"), "numeric must be True or False."),
        (lambda: Flag("a", if_missing=None), "if_missing must be True or False."),
        (lambda: Above("a", 1, if_missing=2), "if_missing must be True or False."),
        (lambda: Above("a", float("nan")), "cut must be a finite number."),
        (lambda: AtMost("a", "30"), "cut must be a finite number."),
        (lambda: AtMost("a", 10**400), "cut must be a finite number."),
        (lambda: Between("a", 0, float("inf")), "high must be a finite number."),
        (lambda: Between("a", None, 1), "low must be a finite number."),
        (lambda: Between("a", 2, 1), "low must be less than high."),
        (lambda: Between("a", 1, 1), "low must be less than high."),
        (lambda: OneOf("a", "red"), "values must be a sequence of values."),
        (lambda: OneOf("a", ()), "values must be a sequence of values."),
        (lambda: OneOf("a", (None,)), "A value must be text or a finite number."),
        (lambda: OneOf("a", (float("nan"),)), "A value must be text or a finite number."),
    ],
)
def test_nonsense_is_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()


AGE = Vocabulary(("age",), (Above("age", 30), Above("age", 62)))
GROWN, OLD = Var("age > 30"), Var("age > 62")


@given(raw_tables())
def test_telling_values_tell_every_row_of_a_table(raw):
    """Whatever values a column has, one that was thought of gives the same truth."""
    words = raw.vocabulary
    for column in words.used_columns(words.names):
        names = [name for name in words.names if words[name].column == column]
        probe = {column: [None, *representative_values([words[name] for name in names])]}
        seen = np.column_stack(list(words.encode(raw.table, names).values()))
        thought_of = np.column_stack(list(words.encode(probe, names).values()))

        assert set(map(tuple, seen)) <= set(map(tuple, thought_of))


def test_a_text_unlike_all_others_is_thought_of():
    values = representative_values([OneOf("c", ("a", "b")), OneOf("c", ("a\0b\0",))])

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
    assert found.literals == short.literals


@given(raw_formulas(max_leaves=4))
def test_a_shorter_term_says_the_same(found):
    raw, formula = found
    words = raw.vocabulary
    dnf = to_dnf(formula)
    for term in dnf.args if type(dnf).__name__ == "Or" else (dnf,):
        short = without_implied(term, words.groups(words.names))

        assert short.literals <= term.literals
        assert equivalent(short, term, words.given(words.names) or None)
