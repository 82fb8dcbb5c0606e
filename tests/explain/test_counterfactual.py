"""Counterfactuals of rules: units of concepts that change together, and how changes are described."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logiclens.concepts import Above, AtMost, Between, Flag, Missing, OneOf, Vocabulary
from logiclens.errors import InputError, UnknownColumnError, UnknownConceptError
from logiclens.explain import Change, Counterfactual, Explanation, Rule, RuleKind, counterfactual
from logiclens.explain.counterfactual import ChangeUnit, change_of, read_row, term_values, units_of
from logiclens.explain.rule import target_in_sentence
from logiclens.logic import FALSE, TRUE, And, Formula, Not, Or, Var, parse_formula
from logiclens.logic.data import ConceptData
from tests.concepts.strategies import raw_formulas
from tests.strategies import HOSTILE_NAMES, formulas

AGE = ChangeUnit("age", ("young", "old"), np.array([[True, False], [False, False], [False, True]]))
WORDS = Vocabulary(
    ("age", "ward"),
    (Above("age", 30), Above("age", 62), OneOf("ward", ("a",)), OneOf("ward", ("b",)), Missing("ward")),
)


def test_states_that_fit():
    assert AGE.states_with({"old": False}).tolist() == [[True, False], [False, False]]
    assert len(AGE.states_with({})) == 3
    assert len(AGE.states_with({"young": True, "old": True})) == 0


def test_the_nearest_state():
    row = {"young": True, "old": False}

    assert AGE.nearest({"old": True}, row) == {"young": False, "old": True}
    assert AGE.nearest({"young": False}, row) == {"young": False}
    assert AGE.nearest({"young": True}, row) == {}
    assert AGE.nearest({"young": True, "old": True}, row) is None


def test_what_follows_is_left_out():
    assert AGE.without_implied({"young": False, "old": True}) == {"old": True}
    assert AGE.without_implied({"young": False, "old": False}) == {"young": False, "old": False}


def test_terms():
    assert term_values(FALSE) == []
    assert term_values(TRUE) == [{}]
    assert term_values(~Var("a")) == [{"a": False}]


def test_units_of_a_vocabulary_are_columns():
    units = units_of(["age > 62"], WORDS)
    row = read_row(units, lambda names: WORDS.read({"age": [40]}, names))

    assert [(unit.what, unit.names) for unit in units] == [("age", ("age > 30", "age > 62"))]
    assert row == {"age > 30": True, "age > 62": False}


def test_a_value_stands_before_a_gap():
    (unit,) = units_of(["ward = a"], WORDS)

    assert unit.states[-1].tolist() == [False, False, True]  # missing


def test_units_of_concepts_are_groups():
    units = units_of(["a", "d"], None, [("a", "b"), ("e", "f")])

    assert [unit.names for unit in units] == [("d",), ("a", "b")]
    assert units[1].states.tolist() == [[True, False], [False, True]]


@pytest.mark.parametrize(
    ("asked", "before", "after"),
    [
        ({"age > 30": True, "age > 62": False}, "age is at most 30", "age were above 30 and at most 62"),
        ({"age > 62": True}, "age is at most 62", "age were above 62"),
        ({"ward = a": False, "ward = b": False}, "ward is a", "ward were neither a nor b"),
        ({"ward is missing": True}, "ward is known", "ward were missing"),
    ],
)
def test_changes_are_told_in_the_words_of_columns(asked, before, after):
    units = units_of(WORDS.names, WORDS)
    row = read_row(units, lambda names: WORDS.read({"age": [20], "ward": ["a"]}, names))
    unit = next(unit for unit in units if set(asked) <= set(unit.names))
    turned = unit.nearest(asked, row)

    assert change_of(WORDS, unit, asked, turned, row) == Change(unit.what, before, after, turned)


def test_changes_of_concepts():
    (unit,) = units_of(["a & b"], None)

    assert change_of(None, unit, {"a & b": True}, {"a & b": True}, {"a & b": False}) == Change(
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
    assert target_in_sentence(rule) == name


def test_one_row_is_wanted():
    units = units_of(["a"], None)

    assert read_row(units, lambda _: ConceptData({"a": [1]})) == {"a": True}
    with pytest.raises(InputError) as info:
        read_row(units, lambda _: ConceptData({"a": [1, 0]}))
    assert str(info.value) == "A counterfactual is about one row. Got 2 rows."


def test_groups_are_checked():
    with pytest.raises(InputError) as info:
        units_of([], WORDS, [["a"]])
    assert str(info.value) == "groups= is for concepts without a vocabulary, which knows them. Leave it out."


ChangeUnit = tuple[tuple[str, ...], list[tuple[bool, ...]]]

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


def fewest(formula: Formula, row: dict[str, bool], units: list[ChangeUnit]) -> tuple[int, int] | None:
    """Fewest units to change, then fewest concepts, of all rows that there are; None when none turns it."""
    now = truth(formula, row)
    names = [name for unit, _ in units for name in unit]
    rows = np.array([sum(states, ()) for states in product(*(states for _, states in units))], dtype=bool)
    turned = rows[formula.evaluate(dict(zip(names, rows.T, strict=True))) != now]
    if not len(turned):
        return None
    differs = turned != np.array([row[name] for name in names])
    places = np.cumsum([0, *(len(unit) for unit, _ in units)])
    changed = sum(differs[:, a:b].any(axis=1).astype(int) for a, b in pairwise(places))
    return min(zip(changed.tolist(), differs.sum(axis=1).tolist(), strict=True))


def check(found: Counterfactual, formula: Formula, row: dict[str, bool], units: list[ChangeUnit]) -> None:
    """A change turns the formula, breaks no group, and no smaller one turns it."""
    expected = fewest(formula, row, units)
    assert found.truth == truth(formula, row)
    assert found.found == (expected is not None)
    if found.changes is None:
        assert found.concepts == {}
        return
    after = row | found.concepts
    assert truth(formula, after) != found.truth
    assert all(row[name] != value for name, value in found.concepts.items())
    assert (len(found.changes), len(found.concepts)) == expected
    for names, states in units:
        assert tuple(after[name] for name in names) in states
    for change in found.changes:
        (touched,) = {names for names, _ in units if set(change.concepts) & set(names)}
        assert set(change.concepts) <= set(touched)


def vocabulary_units(words: Vocabulary, formula: Formula) -> list[ChangeUnit]:
    columns = words.used_columns(formula.concepts)
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


def test_on_a_thousand_random_rows_of_a_raw_table_nothing_smaller_would_do():
    rng = np.random.default_rng(0)
    words = Vocabulary(
        ("age", "colour", "smoker", "dose"),
        (
            *PATIENT.concepts,
            AtMost("dose", 1),
            Between("dose", 1, 2),
            Above("dose", 2, True),
            OneOf("dose", (2,)),
        ),
    )
    for _ in range(50):
        formula = random_formula(rng, words.names)
        rule = Rule("yes", formula, vocabulary=words)
        units = vocabulary_units(words, formula)
        for _ in range(20):
            raw = {
                "age": [rng.integers(20, 80)],
                "colour": [rng.choice(np.array(["red", "blue", "green", None]))],
                "smoker": [rng.random() < 0.5],
                "dose": [rng.choice(np.array([0.5, 1, 1.5, 2, 3, None]))],
            }
            row = {name: bool(value[0]) for name, value in words.encode(raw).items()}
            check(counterfactual(rule, raw), formula, row, units)


def test_on_a_thousand_random_rows_of_concepts_in_groups_nothing_smaller_would_do():
    rng = np.random.default_rng(1)
    groups = [("a", "b", "c"), ("d", "e"), ("f",)]
    names = ("a", "b", "c", "d", "e", "g", "h")
    for _ in range(50):
        formula = random_formula(rng, names)
        used = [group for group in groups if set(group) & set(formula.concepts)]
        units = [(group, [tuple(map(bool, row)) for row in np.eye(len(group))]) for group in used]
        units += [((name,), [(False,), (True,)]) for name in ("g", "h") if name in formula.concepts]
        for _ in range(20):
            row = {name: bool(rng.random() < 0.5) for name in ("g", "h")}
            for group in groups:
                row |= dict(zip(group, map(bool, np.eye(len(group))[rng.integers(len(group))]), strict=True))
            x = {name: [float(value) * 0.4 + 0.3] for name, value in row.items()}
            check(counterfactual(Rule("yes", formula), x, groups=groups), formula, row, units)


@settings(max_examples=100)
@given(raw_formulas(max_leaves=5))
def test_whatever_the_columns_nothing_smaller_would_do(found):
    raw, formula = found
    words = raw.vocabulary
    x = {name: values[:1] for name, values in raw.table.items()}
    row = {name: bool(value[0]) for name, value in words.encode(x).items()}
    result = Explanation(Rule("yes", formula, vocabulary=words)).counterfactual(x)

    check(result, formula, row, vocabulary_units(words, formula))
    assert "\n" not in str(result)


@given(formulas(st.sampled_from(HOSTILE_NAMES), 5), st.data())
def test_a_concept_may_have_any_name(formula, data):
    row = {name: data.draw(st.booleans()) for name in formula.concepts} or {"a": True}
    units = [((name,), [(False,), (True,)]) for name in formula.concepts]
    found = counterfactual(Rule("yes", formula), {name: [value] for name, value in row.items()})

    check(found, formula, row, units)
    assert str(found).isprintable()


BIRD = parse_formula("(wings & beak) | feathers")
BARE = {"wings": [1], "beak": [0], "feathers": [0]}
FULL = {"wings": [1], "beak": [1], "feathers": [0]}


@pytest.mark.parametrize(
    ("target", "kind", "x", "sentence"),
    [
        ("bird", "iff", BARE, "The rule of bird would hold if beak were true."),
        ("bird", "iff", FULL, "The rule of bird would no longer hold if beak were false."),
        ("bird", "if", BARE, "The rule of bird would hold if beak were true."),
        ("bird", "if", FULL, "The rule of bird would no longer hold if beak were false."),
        ("bird", "only_if", BARE, "The rule of bird would hold if beak were true."),
        ("bird", "only_if", FULL, "The rule of bird would no longer hold if beak were false."),
        ("bird", "cluster", BARE, "The rule of cluster bird would hold if beak were true."),
        (3, "cluster", FULL, "The rule of cluster 3 would no longer hold if beak were false."),
        (3, "iff", BARE, "The rule of class 3 would hold if beak were true."),
        (True, "iff", BARE, "The rule of class True would hold if beak were true."),
        ("", "iff", BARE, "The rule of “” would hold if beak were true."),
        ("", "cluster", BARE, "The rule of cluster “” would hold if beak were true."),
        ("a & b", "iff", BARE, "The rule of “a & b” would hold if beak were true."),
        ("never", "iff", BARE, "The rule of “never” would hold if beak were true."),
    ],
)
def test_the_sentence_of_each_kind_of_rule(target, kind, x, sentence):
    found = counterfactual(Rule(target, BIRD, kind), x)

    assert found.to_sentence() == str(found) == sentence


def test_the_sentence_is_about_the_rule_whatever_its_kind():
    """What follows for the target is what the kind of the rule says; for clusters it is a cluster."""
    said = {str(counterfactual(Rule("bird", BIRD, kind), x)) for kind in RuleKind for x in (BARE, FULL)}

    assert len(said) == 4


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
@pytest.mark.parametrize("kind", list(RuleKind))
def test_nothing_changes_a_constant(formula, truth, kind):
    found = counterfactual(Rule("a", formula, kind), {"a": [1]})

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


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: counterfactual(BIRD, BARE), InputError, "A counterfactual is about a Rule."),
        (
            lambda: counterfactual(Rule("a", Var("a")), {"a": [1, 0]}),
            InputError,
            "A counterfactual is about one row. Got 2 rows.",
        ),
        (
            lambda: counterfactual(Rule("a", Var("a")), {"a": []}),
            InputError,
            "A counterfactual is about one row. Got 0 rows.",
        ),
        (
            lambda: counterfactual(Rule("ill", Var("smoker"), vocabulary=PATIENT), {"smoker": [True, False]}),
            InputError,
            "A counterfactual is about one row. Got 2 rows.",
        ),
        (
            lambda: counterfactual(Rule("a", Var("ab")), {"abc": [1]}),
            UnknownConceptError,
            "Unknown concept 'ab'. Did you mean 'abc'? The only known concept is 'abc'.",
        ),
        (
            lambda: counterfactual(Rule("ill", Var("smoker"), vocabulary=PATIENT), {"age": [3]}),
            UnknownColumnError,
            "The data lack the column 'smoker'. Their only column is 'age'.",
        ),
        (
            lambda: counterfactual(Rule("a", Var("a")), {"a": [1]}, groups=[["a", "b"]]),
            UnknownConceptError,
            "Unknown concept 'b'. The only known concept is 'a'.",
        ),
        (
            lambda: counterfactual(Rule("ill", Var("smoker"), vocabulary=PATIENT), ROW, groups=[["smoker"]]),
            InputError,
            "groups= is for concepts without a vocabulary, which knows them. Leave it out.",
        ),
        (
            lambda: counterfactual(Rule("a", Var("a")), {"a": [1]}, groups=[["a", "b"], ["b"]]),
            InputError,
            "Concept names must be distinct; repeated: 'b'. Rename the columns.",
        ),
        (
            lambda: counterfactual(Rule("a", Var("a")), {"a": [1]}, groups="ab"),
            InputError,
            "groups must be a sequence of groups. Got 'ab'; write [['a', 'b']].",
        ),
        (
            lambda: counterfactual(Rule("a", Var("a")), {"a": [1]}, groups=["ab"]),
            InputError,
            "Concept names must be a sequence of strings. Got 'ab'; write ['a', 'b'].",
        ),
        (
            lambda: counterfactual(Rule("a", Var("a")), [[1, 0]]),
            InputError,
            "1 name was given for 2 columns. Give one name for each column.",
        ),
    ],
)
def test_nonsense_is_refused(call, error, message):
    with pytest.raises(error) as info:
        call()

    assert message in str(info.value)
