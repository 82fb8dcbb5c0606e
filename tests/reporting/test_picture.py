from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.reporting._page import (
    Chip,
    Literal,
    chip,
    front_picture,
    lines_of,
    literals,
    marks,
)

AGE = {"name": "age", "kind": "number", "optional": True}


@pytest.mark.parametrize(
    ("test", "or_missing", "yes", "no"),
    [
        ({"kind": "above", "cut": 62.0}, False, "> 62", "≤ 62 or missing"),
        ({"kind": "above", "cut": 62.0}, True, "> 62 or missing", "≤ 62"),
        ({"kind": "at_most", "cut": 0.5}, False, "≤ 0.5", "> 0.5 or missing"),
        ({"kind": "between", "low": 1, "high": 2}, False, "> 1 and ≤ 2", "≤ 1 or > 2 or missing"),
        ({"kind": "one_of", "values": ["<b>"]}, False, "= <b>", "≠ <b> or missing"),
        ({"kind": "one_of", "values": ["a", 1]}, False, "∈ {a, 1}", "∉ {a, 1} or missing"),
        ({"kind": "flag"}, False, "yes", "no or missing"),
        ({"kind": "missing"}, True, "is missing", "is known"),
    ],
)
def test_chips_say_what_is_asked(test: dict[str, Any], or_missing: bool, yes: str, no: str):
    concept = {"column": 0, "test": test, "or_missing": or_missing, "returns": 0.9}
    true: dict[str, Any] = {"op": "var", "concept": 0}
    signs = [chip(concept, [AGE])]

    assert literals(true, signs, [concept]) == [Literal("age", yes, 0.9)]
    assert literals({"op": "not", "arg": true}, signs, [concept]) == [Literal("age", no, 0.9)]


def test_what_is_no_conjunction_of_conditions_is_put_into_words():
    concepts = [{"column": 0, "words": text, "words_not": f"not {text}", "returns": None} for text in "abc"]
    a, b, c = ({"op": "var", "concept": at} for at in range(3))
    nested = {
        "op": "or",
        "args": [a, {"op": "not", "arg": {"op": "and", "args": [b, {"op": "not", "arg": c}]}}],
    }
    signs = [Chip(text, "yes", "no") for text in "abc"]

    assert literals({"op": "true"}, [], []) == [Literal("in any case", "")]
    assert literals({"op": "false"}, [], []) == [Literal("never", "")]
    assert literals({"op": "and", "args": [c, nested]}, signs, concepts) == [
        Literal("(a or not (b and not c))", ""),
        Literal("c", "yes"),
    ]


@given(st.lists(st.floats(0, 1), max_size=6))
def test_names_of_other_models_do_not_lie_on_each_other(accuracies: list[float]):
    models = [{"name": f"m{at}", "accuracy": {"value": rate}} for at, rate in enumerate(accuracies)]
    picture = front_picture([length(0, 0.5, 0.5), length(1, 0.6, 0.6)], models)

    assert picture is not None
    assert sorted(level.rate for level in picture.others) == sorted(accuracies)
    places = [level.text_y for level in picture.others]
    assert all(low - high > 12.9 for high, low in pairwise(places))
    assert all(0 <= level.y <= picture.bottom for level in picture.others)


def test_a_term_says_nothing_of_missing_values_where_there_must_be_one():
    tests: list[dict[str, Any]] = [
        {"kind": "above", "cut": 62},
        {"kind": "above", "cut": 30},
        {"kind": "missing"},
    ]
    concepts = [
        {"column": 0, "test": test, "or_missing": test["kind"] == "missing", "returns": None}
        for test in tests
    ]
    signs = [chip(concept, [AGE]) for concept in concepts]
    old, grown, gap = ({"op": "var", "concept": at} for at in range(3))
    not_old, there = {"op": "not", "arg": old}, {"op": "not", "arg": gap}

    for parts, said in (
        ([not_old, there], ["≤ 62"]),
        ([there, old], ["> 62"]),
        ([grown, not_old], ["> 30", "≤ 62"]),
        ([there], ["is known"]),
        ([not_old], ["≤ 62 or missing"]),
    ):
        assert [one.asked for one in literals({"op": "and", "args": parts}, signs, concepts)] == said


def test_chips_leave_missing_values_out_where_there_are_none():
    concept = {"column": 0, "test": {"kind": "above", "cut": 62.0}, "or_missing": True}

    assert chip(concept, [AGE | {"optional": False}]) == Chip("age", "> 62", "≤ 62")


def test_concepts_without_a_column_are_true_or_not():
    concept = {"column": 0, "test": {"kind": "above", "cut": 0.5}, "or_missing": False}

    assert chip(concept, [{"name": "wings", "kind": "score", "optional": False}]) == Chip(
        "wings", "yes", "no"
    )


rates = st.floats(0, 1)
fronts = st.lists(st.tuples(st.integers(0, 300), rates, rates, rates), min_size=2, max_size=20)


def length(
    literals: int, accuracy: float | None, fidelity: float | None, around: float = 0.0
) -> dict[str, Any]:
    low, high = (
        (None, None) if accuracy is None else (accuracy * (1 - around), 1 - (1 - accuracy) * (1 - around))
    )
    return {
        "literals": literals,
        "accuracy": {"value": accuracy, "low": low, "high": high},
        "fidelity": fidelity,
    }


@given(fronts)
def test_the_chart_holds_all_points_and_keeps_their_order(made: list[tuple[int, float, float, float]]):
    picture = front_picture([length(*each) for each in sorted(made)])

    assert picture is not None
    assert [line.name for line in picture.lines] == ["accuracy", "fidelity"]
    for line in picture.lines:
        assert [at for _, _, at, _ in line.points] == [*range(len(made))]
        assert all(picture.left <= x <= picture.right for x, _, _, _ in line.points)
        assert all(0 <= y <= picture.bottom for _, y, _, _ in line.points)
        highest = sorted(line.points, key=lambda point: -point[3])
        assert [y for _, y, _, _ in highest] == sorted(y for _, y, _, _ in highest)
    assert picture.band.count(",") == 2 * len(made)
    assert all(picture.left <= x <= picture.right for x, _ in picture.literal_marks)
    assert all(0 <= y <= picture.bottom for y, _ in picture.rate_marks)
    assert picture.rate_marks[-1][1] == "100%"
    assert 2 <= len(picture.rate_marks) <= 7


def test_there_is_no_chart_of_one_length_or_of_unknown_rates():
    assert front_picture([length(1, 0.5, 0.5)]) is None
    assert front_picture([length(0, None, None), length(1, None, None)]) is None


def test_a_rate_that_is_not_known_has_no_line():
    """Clusters have no truth to be compared with."""
    picture = front_picture([length(0, None, 0.5), length(1, None, 0.6)])

    assert picture is not None
    assert ([line.name for line in picture.lines], picture.band) == (["fidelity"], "")


@given(st.floats(1e-6, 1e12))
def test_marks_are_few_and_even(most: float):
    found = marks(most)

    assert 3 <= len(found) <= 6
    assert found[0] == 0
    assert found[-1] <= most * (1 + 1e-9)
    assert most < found[-1] + found[1] * (1 + 1e-6)


@pytest.mark.parametrize(
    ("kind", "logic", "lines"),
    [
        ("iff", "∀x: y(x) ↔ a(x)", ["∀x: y(x) ↔ a(x)"]),
        ("if", "∀x: y(x) → (a(x) ∨ b(x)) ∧ c(x)", ["∀x: y(x) → (a(x) ∨ b(x)) ∧ c(x)"]),
        ("if", "∀x: y(x) → a(x) ∨ b(x)", ["∀x: y(x) →", "a(x)", "∨ b(x)"]),
        ("only_if", "∀x: a(x) → y(x)", ["∀x: a(x) → y(x)"]),
        ("only_if", "∀x: (a(x) ∧ b(x)) → y(x)", ["∀x: (a(x) ∧ b(x)) → y(x)"]),
        ("only_if", "∀x: ((a ∨ b) ∨ c(x)) → y(x)", ["∀x:", "((a ∨ b)", "∨ c(x)) → y(x)"]),
        ("cluster", "∀x ∈ O_0: a(x) ∨ b(x)", ["∀x ∈ O_0: a(x)", "∨ b(x)"]),
    ],
)
def test_rules_are_split_at_their_terms(kind: str, logic: str, lines: list[str]):
    assert lines_of(logic, kind) == lines


@given(st.text("()∨↔→ :ab", max_size=40), st.sampled_from(["iff", "only_if"]))
def test_lines_hold_the_whole_text(text: str, kind: str):
    assert " ".join(lines_of(text, kind)).replace(" ", "") == text.replace(" ", "")
