"""What would change a prediction: exact, on rows of concepts and of raw tables."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logiclens.concepts import Above, Vocabulary
from logiclens.errors import InputError, LimitError, UnknownTargetError
from logiclens.explain import Change, Explanation, ExplanationSet, PredictionCounterfactual, Rule, Step
from logiclens.logic import FALSE, TRUE, Formula, Var
from tests.concepts.strategies import raw_tables
from tests.explain.strategies import explanation_sets
from tests.explain.test_counterfactual import (
    GROUPED,
    GROUPS,
    WORDS,
    States,
    check_changes,
    encoded,
    grouped_units,
    random_formula,
    random_grouped_row,
    random_raw_row,
    vocabulary_units,
)
from tests.strategies import formulas

a, b, c = Var("a"), Var("b"), Var("c")


def rules_of(formulas: dict[Any, Formula], names=("a", "b", "c"), **settings: Any) -> ExplanationSet:
    explanations = [Explanation(Rule(label, formula)) for label, formula in formulas.items()]
    return ExplanationSet(explanations, list(names), **settings)


def answers(rules: ExplanationSet, columns: dict[str, np.ndarray]) -> list[Any]:
    """The prediction for each row of concepts; in a multi-label set the labels that are predicted."""
    if not columns:
        columns = {rules.concept_names[0]: np.zeros(1, dtype=bool)}
    bare = ExplanationSet(
        [explanation.worded(None) for explanation in rules.values()],
        rules.concept_names,
        rules.multi_label,
        rules.default,
        None if rules.multi_label else rules.steps,
    )
    predicted = bare.predict(columns).tolist()
    if not rules.multi_label:
        return predicted
    return [tuple(label for label, said in zip(rules, row, strict=True) if said) for row in predicted]


def turned(rules: ExplanationSet, before: Any, after: Any, target: Any) -> bool:
    """Whether a prediction is what was asked for."""
    if target is None:
        return after != before
    return (target in after) != (target in before) if rules.multi_label else after == target


def check(
    found: PredictionCounterfactual,
    rules: ExplanationSet,
    row: dict[str, bool],
    units: list[States],
    target: Any,
) -> None:
    """The changes give that prediction, break no group, and no smaller ones do."""
    (before,) = answers(rules, {name: np.array([value]) for name, value in row.items()})
    assert found.before == before
    if target is not None and not rules.multi_label and target == before:
        assert (found.changes, found.after) == ((), before)
        return
    after = {name: np.array([value]) for name, value in (row | found.concepts).items()}
    assert found.after == (None if found.changes is None else answers(rules, after)[0])

    def turns(columns: dict[str, np.ndarray]) -> np.ndarray:
        return np.array([turned(rules, before, each, target) for each in answers(rules, columns)])

    check_changes(found, turns, row, units)


def random_rules(rng: np.random.Generator, names: tuple[str, ...], **settings: Any) -> ExplanationSet:
    """Two to four rules over the concepts, with conflicts and gaps as they come; some multi-label."""
    labels = ["w", "x", "y", "z"][: rng.integers(2, 5)]
    explanations = [Explanation(Rule(label, random_formula(rng, names))) for label in labels]
    if rng.random() < 0.2:
        return ExplanationSet(explanations, names, multi_label=True, **settings)
    order = rng.permutation(labels)[: rng.integers(1, len(labels) + 1)].tolist()
    steps = [Step(label, random_formula(rng, names)) for label in order]
    return ExplanationSet(explanations, names, default=str(rng.choice(labels)), steps=steps, **settings)


def test_on_random_rows_of_a_raw_table_nothing_smaller_would_do():
    rng = np.random.default_rng(0)
    for _ in range(60):
        rules = random_rules(rng, WORDS.names, vocabulary=WORDS)
        units = vocabulary_units(WORDS, rules.concepts)
        for target in (None, *rules):
            raw = random_raw_row(rng)
            check(rules.counterfactual(raw, target), rules, encoded(WORDS, raw), units, target)


def test_on_random_rows_of_concepts_in_groups_nothing_smaller_would_do():
    rng = np.random.default_rng(1)
    for _ in range(60):
        rules = random_rules(rng, GROUPED)
        for target in (None, *rules):
            row, x = random_grouped_row(rng)
            found = rules.counterfactual(x, target, groups=GROUPS)
            check(found, rules, row, grouped_units(rules.concepts), target)


def test_what_is_said_is_enough():
    """Whatever the columns that change, as long as they are as the sentence says, the prediction is that."""
    rng = np.random.default_rng(2)
    n_told = 0
    for _ in range(80):
        rules = random_rules(rng, WORDS.names, vocabulary=WORDS)
        raw = random_raw_row(rng)
        found = rules.counterfactual(raw)
        if rules.multi_label or not found.changes:
            continue
        changed = [change.what for change in found.changes]
        rows = [raw | {column: random_raw_row(rng)[column] for column in changed} for _ in range(200)]
        said = dict(zip(changed, (change.after for change in found.changes), strict=True))
        for row in rows:
            if all(holds(text, row[column][0]) for column, text in said.items()):
                n_told += 1
                assert rules.predict(row).tolist() == [found.after], (said, row)
    assert n_told > 500


def holds(text: str, value: Any) -> bool:
    """Whether a value is as a sentence says; of what is said of it all must hold."""
    return all(
        holds_part(part, value)
        for part in text.replace(" and at most ", " and x were at most ").split(" and ")
    )


def holds_part(text: str, value: Any) -> bool:
    said = text.strip("()").split(" were ", 1)[1].strip("()")
    if said in ("missing", "known"):
        return (value is None) == (said == "missing")
    if said.endswith(" or missing"):
        return value is None or holds_part(f"x were {said.removesuffix(' or missing')}", value)
    if value is None:
        return False
    if " or above " in said:
        low, high = said.removeprefix("at most ").split(" or above ")
        return value <= float(low) or value > float(high)
    for word, test in (("above ", lambda cut: value > cut), ("at most ", lambda cut: value <= cut)):
        if said.startswith(word):
            return test(float(said.removeprefix(word)))
    if said in ("true", "false"):
        return bool(value) == (said == "true")
    if said.startswith("neither "):
        return str(value) not in said.removeprefix("neither ").replace(" nor ", ", ").split(", ")
    if said.startswith("not "):
        return not same(said.removeprefix("not "), value)
    return same(said, value)


def same(text: str, value: Any) -> bool:
    return text == value if isinstance(value, str) else float(text) == value


@settings(max_examples=80)
@given(st.data())
def test_whatever_the_columns_nothing_smaller_would_do(data):
    raw = data.draw(raw_tables())
    words = raw.vocabulary
    concepts = st.sampled_from(words.names)
    made = {label: data.draw(formulas(concepts, 4)) for label in ("x", "y")}
    rules = rules_of(made, words.names, vocabulary=words, default=data.draw(st.sampled_from(["x", "y"])))
    x = {name: values[:1] for name, values in raw.table.items()}
    target = data.draw(st.sampled_from([None, "x", "y"]))

    units = vocabulary_units(words, rules.concepts)
    check(rules.counterfactual(x, target), rules, encoded(words, x), units, target)


@settings(max_examples=80)
@given(explanation_sets(), st.data())
def test_names_and_labels_may_be_anything(rules, data):
    row = {name: data.draw(st.booleans()) for name in rules.concept_names}
    units = [((name,), [(False,), (True,)]) for name in rules.concepts]
    target = data.draw(st.sampled_from([None, *rules]))

    found = rules.counterfactual({name: [value] for name, value in row.items()}, target)
    check(found, rules, row, units, target)


@pytest.mark.parametrize(
    ("row", "target", "sentence"),
    [
        ([1, 0, 0], None, "The prediction would be y if b were true."),
        ([1, 0, 0], "x", "The prediction is x already."),
        ([1, 0, 0], "y", "The prediction would be y if b were true."),
        ([1, 1, 0], "x", "The prediction would be x if b were false."),
        ([0, 0, 0], "x", "The prediction would be x if a were true."),
        ([0, 1, 0], "x", "The prediction would be x if a were true and b were false."),
    ],
)
def test_the_sentence(row, target, sentence):
    """The label y comes first where both are true, and is the default."""
    rules = rules_of({"y": b, "x": a}, default="y")

    assert str(rules.counterfactual([row], target)) == sentence


def test_labels_are_named_as_rules_name_them():
    numbers = rules_of({0: a, 1: ~a}, default=0)
    clusters = ExplanationSet(
        [Explanation(Rule(0, a, "cluster")), Explanation(Rule(1, ~a, "cluster"))], ["a"], default=0
    )

    assert str(numbers.counterfactual([[1, 0, 0]])) == "The prediction would be class 1 if a were false."
    assert str(clusters.counterfactual([[1]])) == "The prediction would be cluster 1 if a were false."


def test_the_default_is_reached_by_making_every_rule_false():
    rules = rules_of({"x": a, "y": b, "z": FALSE}, default="z")
    found = rules.counterfactual([[1, 1, 0]], "z")

    assert found.concepts == {"a": False, "b": False}
    assert (found.before, found.after, found.target) == ("x", "z", "z")


@pytest.mark.parametrize(
    ("made", "target", "sentence"),
    [
        ({"x": TRUE, "y": b}, None, "Nothing would change it: the rules predict x for every row."),
        ({"x": TRUE, "y": b}, "y", "No change would make it y: the rules never predict that."),
        ({"x": a | ~a, "y": b}, None, "Nothing would change it: the rules predict x for every row."),
        ({"x": FALSE, "y": FALSE}, None, "Nothing would change it: the rules predict x for every row."),
    ],
)
def test_nothing_would_do(made, target, sentence):
    found = rules_of(made, default="x").counterfactual([[1, 0, 0]], target)

    assert str(found) == found.to_sentence() == sentence
    assert not found.found
    assert (found.changes, found.after, found.concepts) == (None, None, {})


def test_rows_may_have_several_labels():
    rules = rules_of({"x": a, "y": a & b, "z": TRUE}, multi_label=True)

    found = rules.counterfactual([[1, 0, 0]], "y")
    assert (found.before, found.after, found.target) == (("x", "z"), ("x", "y", "z"), "y")
    assert str(found) == "y would be predicted if b were true."
    gone = rules.counterfactual([[1, 0, 0]], "x")
    assert str(gone) == "x would no longer be predicted if a were false."
    assert gone.after == ("z",)
    stays = "Nothing would change it: the rules predict the same labels for every row."
    assert str(rules.counterfactual([[1, 0, 0]], "z")) == stays


def test_a_change_may_not_wake_a_rule_that_comes_first():
    """Above 30 makes it x, but above 62 it would be y: both ends are told."""
    words = Vocabulary(("age",), (Above("age", 30), Above("age", 62)))
    rules = rules_of(
        {"y": Var("age > 62"), "x": Var("age > 30"), "z": FALSE},
        words.names,
        vocabulary=words,
        default="z",
    )
    found = rules.counterfactual({"age": [20]}, "x")

    assert str(found) == "The prediction would be x if age were above 30 and at most 62."
    assert found.changes == (
        Change("age", "age is at most 30", "age were above 30 and at most 62", {"age > 30": True}),
    )


def test_concepts_that_look_like_the_name_of_a_group():
    rules = rules_of({"x": a & Var("a / b"), "y": b}, ("a", "b", "a / b"), default="y")
    found = rules.counterfactual({"a": [0], "b": [1], "a / b": [0]}, "x", groups=[["a", "b"]])

    assert found.concepts == {"a": True, "b": False, "a / b": True}


def test_a_search_that_takes_too_long_is_given_up(monkeypatch):
    monkeypatch.setattr(sys.modules["logiclens.explain.counterfactual"], "MAX_STEPS", 2)
    rules = rules_of({"z": a | b | c, "y": FALSE, "x": a & b}, default="y")

    with pytest.raises(LimitError) as info:
        rules.counterfactual([[1, 1, 1]], "y")
    assert "No nearest change was found among the first 2 neighbors of the row." in str(info.value)


def test_many_rules_are_no_trouble():
    """A DNF of what all the others are not would have 2**40 terms."""
    names = [f"c{i}" for i in range(80)]
    made = {f"class {i}": Var(f"c{2 * i}") & Var(f"c{2 * i + 1}") for i in reversed(range(40))}
    rules = rules_of(made, names, default="class 0")
    row = {name: [int(name in ("c78", "c79"))] for name in names}

    assert rules.counterfactual(row).concepts in ({"c78": False}, {"c79": False})
    assert rules.counterfactual(row, "class 20").concepts.keys() > {"c40", "c41"}


@pytest.mark.parametrize(
    ("x", "target", "error", "word"),
    [
        ([[1, 0, 0]], "w", UnknownTargetError, "'w'"),
        ([[1, 0, 0], [0, 0, 0]], None, InputError, "about one row. Got 2 rows"),
        ([[1]], None, InputError, "1 column; these rules are about 3 concepts"),
    ],
)
def test_nonsense_is_refused(x, target, error, word):
    with pytest.raises(error) as info:
        rules_of({"x": a}).counterfactual(x, target)
    assert word in str(info.value)
