"""Counterfactuals of rules: units of concepts that change together, and how changes are described."""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import pairwise, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logiclens.concepts import Above, AtMost, Between, Flag, Missing, OneOf, Vocabulary
from logiclens.errors import InputError, UnknownColumnError, UnknownConceptError
from logiclens.explain import (
    Change,
    Counterfactual,
    Explanation,
    PredictionCounterfactual,
    Rule,
    counterfactual,
)
from logiclens.logic import FALSE, TRUE, And, Formula, Not, Or, Var, parse_formula
from tests.concepts.strategies import raw_formulas
from tests.strategies import HOSTILE_NAMES, formulas

States = tuple[tuple[str, ...], list[tuple[bool, ...]]]
"""Concepts that change together, and the states they can be in."""

PATIENT = Vocabulary(
    ("age", "colour", "smoker"),
    (
        Above("age", 30),
        Above("age", 62),
        OneOf("colour", ("red",)),
        OneOf("colour", ("blue",)),
        Missing("colour"),
        Flag("smoker"),
    ),
)
ROW = {"age": [40], "colour": ["red"], "smoker": [False]}


def truth(formula: Formula, row: dict[str, bool]) -> bool:
    return bool(formula.evaluate({name: [value] for name, value in row.items()})[0])


Turned = Callable[[dict[str, np.ndarray]], np.ndarray]
"""From rows of concepts to whether each is on the other side."""


def fewest(turned: Turned, row: dict[str, bool], units: list[States]) -> tuple[int, int] | None:
    """Fewest units to change, then fewest concepts, of all rows that there are; None when none turns it."""
    names = [name for unit, _ in units for name in unit]
    rows = np.array([sum(states, ()) for states in product(*(states for _, states in units))], dtype=bool)
    rows = rows.reshape(len(rows), len(names))
    differs = (rows != np.array([row[name] for name in names], dtype=bool))[
        turned(dict(zip(names, rows.T, strict=True)))
    ]
    if not len(differs):
        return None
    places = np.cumsum([0, *(len(unit) for unit, _ in units)])
    changed = np.sum([differs[:, i:j].any(axis=1) for i, j in pairwise(places)], axis=0)
    return min(zip(changed.tolist(), differs.sum(axis=1).tolist(), strict=True))


def check_changes(
    found: Counterfactual | PredictionCounterfactual,
    turned: Turned,
    row: dict[str, bool],
    units: list[States],
) -> None:
    """The changes turn it, break no group, and no smaller ones do."""
    expected = fewest(turned, row, units)
    assert found.found == (expected is not None)
    assert str(found).isprintable()
    if found.changes is None:
        assert found.concepts == {}
        return
    after = row | found.concepts
    assert turned({name: np.array([value]) for name, value in after.items()})[0]
    assert all(row[name] != value for name, value in found.concepts.items())
    assert (len(found.changes), len(found.concepts)) == expected
    for names, states in units:
        assert tuple(after[name] for name in names) in states
    for change in found.changes:
        (touched,) = {names for names, _ in units if set(change.concepts) & set(names)}
        assert set(change.concepts) <= set(touched)


def check(found: Counterfactual, formula: Formula, row: dict[str, bool], units: list[States]) -> None:
    now = truth(formula, row)

    assert found.truth == now
    check_changes(found, lambda columns: formula.evaluate(columns) != now, row, units)


def vocabulary_units(words: Vocabulary, concepts: Collection[str]) -> list[States]:
    columns = words.used_columns(concepts)
    names = [name for name in words.names if words[name].column in columns]
    return [(group.names, [tuple(map(bool, s)) for s in group.states]) for group in words.groups(names)]


def random_formula(rng: np.random.Generator, names: tuple[str, ...]) -> Formula:
    """A formula of two levels, or its negation."""

    def literal() -> Formula:
        variable = Var(names[rng.integers(len(names))])
        return variable if rng.random() < 0.5 else ~variable

    terms = [And.of([literal() for _ in range(rng.integers(1, 4))]) for _ in range(rng.integers(1, 5))]
    formula = Or.of(terms)
    return formula if rng.random() < 0.7 else Not(formula)


WORDS = Vocabulary(
    ("age", "colour", "smoker", "dose"),
    (
        *PATIENT.concepts,
        AtMost("dose", 1),
        Between("dose", 1, 2),
        Above("dose", 2, True),
        OneOf("dose", (2,)),
    ),
)
GROUPS = [("a", "b", "c"), ("d", "e"), ("f",)]
GROUPED = ("a", "b", "c", "d", "e", "g", "h")


def random_raw_row(rng: np.random.Generator) -> dict[str, list[Any]]:
    return {
        "age": [rng.integers(20, 80)],
        "colour": [rng.choice(np.array(["red", "blue", "green", None]))],
        "smoker": [rng.random() < 0.5],
        "dose": [rng.choice(np.array([0.5, 1, 1.5, 2, 3, None]))],
    }


def random_grouped_row(rng: np.random.Generator) -> tuple[dict[str, bool], dict[str, list[float]]]:
    """Truth of concepts in groups, and numbers that are read so."""
    row = {name: bool(rng.random() < 0.5) for name in ("g", "h")}
    for group in GROUPS:
        row |= dict(zip(group, map(bool, np.eye(len(group))[rng.integers(len(group))]), strict=True))
    return row, {name: [float(value) * 0.4 + 0.3] for name, value in row.items()}


def grouped_units(used: Collection[str]) -> list[States]:
    groups = [group for group in GROUPS if set(group) & set(used)]
    units = [(group, [tuple(map(bool, row)) for row in np.eye(len(group))]) for group in groups]
    return units + [((name,), [(False,), (True,)]) for name in ("g", "h") if name in used]


def encoded(words: Vocabulary, raw: dict[str, Any]) -> dict[str, bool]:
    return {name: bool(value[0]) for name, value in words.encode(raw).items()}


def test_on_a_thousand_random_rows_of_a_raw_table_nothing_smaller_would_do():
    rng = np.random.default_rng(0)
    for _ in range(50):
        formula = random_formula(rng, WORDS.names)
        rule = Rule("yes", formula, vocabulary=WORDS)
        for _ in range(20):
            raw = random_raw_row(rng)
            units = vocabulary_units(WORDS, formula.concepts)
            check(counterfactual(rule, raw), formula, encoded(WORDS, raw), units)


def test_on_a_thousand_random_rows_of_concepts_in_groups_nothing_smaller_would_do():
    rng = np.random.default_rng(1)
    for _ in range(50):
        formula = random_formula(rng, GROUPED)
        for _ in range(20):
            row, x = random_grouped_row(rng)
            found = counterfactual(Rule("yes", formula), x, groups=GROUPS)
            check(found, formula, row, grouped_units(formula.concepts))


@settings(max_examples=100)
@given(raw_formulas(max_leaves=5))
def test_whatever_the_columns_nothing_smaller_would_do(found):
    raw, formula = found
    words = raw.vocabulary
    x = {name: values[:1] for name, values in raw.table.items()}
    result = Explanation(Rule("yes", formula, vocabulary=words)).counterfactual(x)

    check(result, formula, encoded(words, x), vocabulary_units(words, formula.concepts))


@given(formulas(st.sampled_from(HOSTILE_NAMES), 5), st.data())
def test_a_concept_may_have_any_name(formula, data):
    row = {name: data.draw(st.booleans()) for name in formula.concepts} or {"a": True}
    units = [((name,), [(False,), (True,)]) for name in formula.concepts]
    found = counterfactual(Rule("yes", formula), {name: [value] for name, value in row.items()})

    check(found, formula, row, units)


BIRD = parse_formula("(wings & beak) | feathers")
BARE = {"wings": [1], "beak": [0], "feathers": [0]}
FULL = {"wings": [1], "beak": [1], "feathers": [0]}


@pytest.mark.parametrize(
    ("target", "kind", "x", "sentence"),
    [
        ("bird", "iff", BARE, "The rule of bird would hold if beak were true."),
        ("bird", "iff", FULL, "The rule of bird would no longer hold if beak were false."),
        ("bird", "cluster", BARE, "The rule of cluster bird would hold if beak were true."),
        (3, "cluster", FULL, "The rule of cluster 3 would no longer hold if beak were false."),
        (3, "iff", BARE, "The rule of class 3 would hold if beak were true."),
        ("", "iff", BARE, "The rule of ‹› would hold if beak were true."),
        ("a & b", "iff", BARE, "The rule of a & b would hold if beak were true."),
    ],
)
def test_the_sentence_of_each_kind_of_rule(target, kind, x, sentence):
    found = counterfactual(Rule(target, BIRD, kind), x)

    assert found.to_sentence() == str(found) == sentence


def test_values_that_are_denied_are_told_together():
    words = Vocabulary(("odor",), tuple(OneOf("odor", (value,)) for value in ("n", "l", "a")))
    rule = Rule("edible", parse_formula('"odor = n" | "odor = l" | "odor = a"'), vocabulary=words)

    assert str(counterfactual(rule, {"odor": ["n"]})) == (
        "The rule of edible would no longer hold if odor were neither n, l nor a."
    )


@pytest.mark.parametrize(
    ("formula", "sentence"),
    [
        ("~smoker", "The rule of ill would no longer hold if smoker were true."),
        ('"age > 62"', "The rule of ill would hold if age were above 62."),
        ('~"age > 62" & "age > 30"', "The rule of ill would no longer hold if age were above 62."),
        ('~"age > 30"', "The rule of ill would hold if age were at most 30."),
        ('"age > 62" & smoker', "The rule of ill would hold if age were above 62 and smoker were true."),
        ('"colour = blue"', "The rule of ill would hold if colour were blue."),
        ('"colour is missing"', "The rule of ill would hold if colour were missing."),
        ('~"colour = red"', "The rule of ill would hold if colour were not red."),
        ('~"colour is missing"', "The rule of ill would no longer hold if colour were missing."),
        (
            '~"colour = red" & ~"colour is missing"',
            "The rule of ill would hold if colour were not red.",
        ),
        ('"colour = red" & "colour = blue"', "Nothing would change it: the formula is always false."),
        ('"age > 30" | ~"age > 62"', "Nothing would change it: the formula is always true."),
    ],
)
def test_sentences_speak_of_columns(formula, sentence):
    rule = Rule("ill", parse_formula(formula), vocabulary=PATIENT)

    assert str(counterfactual(rule, ROW)) == sentence


def test_what_follows_is_not_said():
    """Whoever is above 62 is above 30; both are asked for, one is said."""
    rule = Rule("ill", Var("age > 30") & Var("age > 62"), vocabulary=PATIENT)
    (change,) = counterfactual(rule, {"age": [20]}).changes

    assert change == Change(
        "age",
        "age is at most 30 and age is at most 62",
        "age were above 62",
        {"age > 30": True, "age > 62": True},
    )


def test_a_value_is_preferred_to_none():
    """Where another value and a gap turn equally many concepts."""
    words = Vocabulary(("age",), (AtMost("age", 30), Above("age", 30), Missing("age")))
    (change,) = counterfactual(Rule("ill", ~Var("age <= 30"), vocabulary=words), {"age": [20]}).changes

    assert change.what == "age"
    assert change.before == "age is at most 30"
    assert change.concepts == {"age <= 30": False, "age > 30": True}


def test_a_group_changes_as_one():
    rule = Rule("stop", ~Var("green"))
    found = counterfactual(rule, {"green": [1], "red": [0], "amber": [0]}, groups=[["green", "red", "amber"]])

    assert found.changes == (
        Change("green / red / amber", "green", "green were false", {"green": False, "red": True}),
    )


def test_a_group_of_one_is_always_true():
    assert counterfactual(Rule("a", Var("a")), {"a": [1]}, groups=[["a"]]).changes is None


def test_groups_of_other_concepts_are_not_looked_at():
    found = counterfactual(Rule("a", Var("a")), {"a": [1]}, groups=[["b", "c"]])

    assert found.concepts == {"a": False}


@pytest.mark.parametrize(
    "x",
    [
        {"a": [1], "b": [0]},
        {"a": 1, "b": 0},
        pd.DataFrame({"b": [0.0], "a": [0.9]}),
        [[1, 0]],
        np.array([[0.51, 0.5]]),
    ],
)
def test_a_row_may_be_held_in_anything(x):
    """Values are true above one half; an array has the concepts in sorted order."""
    found = counterfactual(Rule("yes", Var("b") & Var("a")), x)

    assert (found.truth, found.concepts) == (False, {"b": True})


def test_an_array_has_the_members_of_groups_too():
    found = counterfactual(Rule("yes", Var("c")), [[0, 1, 0]], groups=[["c", "a", "b"]])

    assert found.concepts == {"c": True, "b": False}


def test_a_row_of_concepts_will_do_where_there_is_a_vocabulary():
    rule = Rule("ill", Var("age > 62"), vocabulary=PATIENT)

    assert counterfactual(rule, {"age > 62": [0], "age > 30": [1]}).concepts == {"age > 62": True}
    assert counterfactual(rule, {"age > 62": [0.2], "age > 30": [0.4]}).concepts == {
        "age > 30": True,
        "age > 62": True,
    }
    assert counterfactual(rule, [[40, "red", False]]).concepts == {"age > 62": True}


@pytest.mark.parametrize(
    ("formula", "truth"),
    [(TRUE, True), (FALSE, False), (Var("a") | ~Var("a"), True), (Var("a") & ~Var("a"), False)],
)
def test_nothing_changes_a_constant(formula, truth):
    found = counterfactual(Rule("a", formula), {"a": [1]})

    assert found == Counterfactual(found.rule, truth, None)
    assert not found.found
    assert found.concepts == {}
    assert str(found) == f"Nothing would change it: the formula is always {'true' if truth else 'false'}."


def test_an_explanation_answers_as_its_rule():
    explanation = Explanation(Rule("bird", BIRD))

    assert explanation.counterfactual(BARE) == counterfactual(explanation.rule, BARE)
    stop = Explanation(Rule("stop", ~Var("green")))
    found = stop.counterfactual({"green": [1], "red": [0]}, groups=[["green", "red"]])
    assert found.concepts == {"green": False, "red": True}


A = Rule("a", Var("a"))
SMOKER = Rule("ill", Var("smoker"), vocabulary=PATIENT)


@pytest.mark.parametrize(
    ("rule", "x", "groups", "error", "word"),
    [
        (BIRD, BARE, [], InputError, "about a Rule"),
        (A, {"a": [1, 0]}, [], InputError, "about one row. Got 2 rows"),
        (A, {"a": []}, [], InputError, "Got 0 rows"),
        (SMOKER, {"smoker": [True, False]}, [], InputError, "Got 2 rows"),
        (A, {"abc": [1]}, [], UnknownConceptError, "'a'"),
        (SMOKER, {"age": [3]}, [], UnknownColumnError, "'smoker'"),
        (A, {"a": [1]}, [["a", "b"]], UnknownConceptError, "'b'"),
        (SMOKER, ROW, [["smoker"]], InputError, "groups= is for concepts without a vocabulary"),
        (A, {"a": [1]}, [["a", "b"], ["b"]], InputError, "repeated: 'b'"),
        (A, {"a": [1]}, "ab", InputError, "write [['a', 'b']]"),
        (A, {"a": [1]}, ["ab"], InputError, "write ['a', 'b']"),
        (A, [[1, 0]], [], InputError, "1 name was given for 2 columns"),
    ],
)
def test_nonsense_is_refused(rule, x, groups, error, word):
    with pytest.raises(error) as info:
        counterfactual(rule, x, groups=groups)

    assert word in str(info.value)
