"""Units of concepts that change together, and how changes are told."""

from __future__ import annotations

import numpy as np
import pytest

from logiclens.concepts import Above, Missing, OneOf, Vocabulary
from logiclens.errors import InputError
from logiclens.explain import Change, Rule
from logiclens.explain.changes import (
    Unit,
    check_groups,
    column_units,
    one_row,
    plain_units,
    target_named,
    terms_asked,
    told,
)
from logiclens.logic import FALSE, TRUE, Var
from logiclens.logic.data import ConceptData

AGE = Unit("age", ("young", "old"), np.array([[True, False], [False, False], [False, True]]))
WORDS = Vocabulary(
    ("age", "ward"),
    (Above("age", 30), Above("age", 62), OneOf("ward", ("a",)), OneOf("ward", ("b",)), Missing("ward")),
)


def test_states_that_fit():
    assert AGE.fitting({"old": False}).tolist() == [[True, False], [False, False]]
    assert len(AGE.fitting({})) == 3
    assert len(AGE.fitting({"young": True, "old": True})) == 0


def test_the_nearest_state():
    row = {"young": True, "old": False}

    assert AGE.nearest({"old": True}, row) == {"young": False, "old": True}
    assert AGE.nearest({"young": False}, row) == {"young": False}
    assert AGE.nearest({"young": True}, row) == {}
    assert AGE.nearest({"young": True, "old": True}, row) is None


def test_what_follows_is_left_out():
    assert AGE.telling({"young": False, "old": True}) == {"old": True}
    assert AGE.telling({"young": False, "old": False}) == {"young": False, "old": False}


def test_terms():
    assert terms_asked(FALSE) == []
    assert terms_asked(TRUE) == [{}]
    assert terms_asked(~Var("a")) == [{"a": False}]


def test_units_of_a_vocabulary_are_columns():
    units, row = column_units(WORDS, ["age > 62"], {"age": [40]})

    assert [(unit.what, unit.names) for unit in units] == [("age", ("age > 30", "age > 62"))]
    assert row == {"age > 30": True, "age > 62": False}


def test_a_value_stands_before_a_gap():
    (unit,), _ = column_units(WORDS, ["ward = a"], {"ward": ["a"]})

    assert unit.states[-1].tolist() == [False, False, True]  # missing


def test_units_of_concepts_are_groups():
    units = plain_units(["a", "d"], [("a", "b"), ("e", "f")])

    assert [unit.names for unit in units] == [("d",), ("a", "b")]
    assert units[1].states.tolist() == [[True, False], [False, True]]


@pytest.mark.parametrize(
    ("asked", "before", "after"),
    [
        ({"age > 30": True, "age > 62": False}, "age at most 30", "age were above 30 and at most 62"),
        ({"age > 62": True}, "age at most 62", "age were above 62"),
        ({"ward = a": False, "ward = b": False}, "ward is a", "ward were neither a nor b"),
        ({"ward is missing": True}, "ward is known", "ward were missing"),
    ],
)
def test_changes_are_told_in_the_words_of_columns(asked, before, after):
    units, row = column_units(WORDS, WORDS.names, {"age": [20], "ward": ["a"]})
    unit = next(unit for unit in units if set(asked) <= set(unit.names))
    turned = unit.nearest(asked, row)

    assert told(WORDS, unit, asked, turned, row) == Change(unit.what, before, after, turned)


def test_changes_of_concepts():
    (unit,) = plain_units(["a & b"], [])

    assert told(None, unit, {"a & b": True}, {"a & b": True}, {"a & b": False}) == Change(
        "a & b", "not “a & b”", "“a & b” were true", {"a & b": True}
    )


@pytest.mark.parametrize(
    ("rule", "name"),
    [
        (Rule("bird", TRUE), "bird"),
        (Rule("a bird", TRUE), "“a bird”"),
        (Rule(3, TRUE), "class 3"),
        (Rule(3, TRUE, "cluster"), "cluster 3"),
        (Rule("bird", TRUE, "cluster"), "cluster bird"),
    ],
)
def test_targets_in_sentences(rule, name):
    assert target_named(rule) == name


def test_one_row_is_wanted():
    assert one_row(ConceptData({"a": [1]}), ["a"]) == {"a": True}
    with pytest.raises(InputError) as info:
        one_row(ConceptData({"a": [1, 0]}), ["a"])
    assert str(info.value) == "A counterfactual is about one row. Got 2 rows."


def test_groups_are_checked():
    assert check_groups([["a", "b"]], None) == [("a", "b")]
    with pytest.raises(InputError) as info:
        check_groups([["a"]], WORDS)
    assert str(info.value) == "groups= is for concepts without a vocabulary, which knows them. Leave it out."
