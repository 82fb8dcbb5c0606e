from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.reporting.picture import (
    Chip,
    Literal,
    chip,
    front_picture,
    in_words,
    lines_of,
    literals,
    marks,
    shades,
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
    concept = {"column": 0, "test": test, "or_missing": or_missing}
    true: dict[str, Any] = {"op": "var", "concept": 0}
    signs = [chip(concept, [AGE])]

    assert literals(true, [], signs) == [Literal("age", yes)]
    assert literals({"op": "not", "arg": true}, [], signs) == [Literal("age", no)]


def test_a_term_says_nothing_of_missing_values_where_there_must_be_one():
    tests: list[dict[str, Any]] = [
        {"kind": "above", "cut": 62},
        {"kind": "above", "cut": 30},
        {"kind": "missing"},
    ]
    signs = [
        chip({"column": 0, "test": test, "or_missing": test["kind"] == "missing"}, [AGE]) for test in tests
    ]
    old, grown, gap = ({"op": "var", "concept": at} for at in range(3))
    not_old, there = {"op": "not", "arg": old}, {"op": "not", "arg": gap}

    for parts, said in (
        ([not_old, there], ["≤ 62"]),
        ([there, old], ["> 62"]),
        ([grown, not_old], ["> 30", "≤ 62"]),
        ([there], ["is known"]),
        ([not_old], ["≤ 62 or missing"]),
    ):
        assert [one.asked for one in literals({"op": "and", "args": parts}, [], signs)] == said


def test_chips_leave_missing_values_out_where_there_are_none():
    concept = {"column": 0, "test": {"kind": "above", "cut": 62.0}, "or_missing": True}

    assert chip(concept, [AGE | {"optional": False}]) == Chip("age", "> 62", "≤ 62")


def test_concepts_without_a_column_are_true_or_not():
    concept = {"column": 0, "test": {"kind": "above", "cut": 0.5}, "or_missing": False}

    assert chip(concept, [{"name": "wings", "kind": "score", "optional": False}]) == Chip(
        "wings", "yes", "no"
    )


CONCEPTS = [
    {"words": "age above 62", "words_not": "age at most 62"},
    {"words": "ill", "words_not": "not ill"},
]
CHIPS = [Chip("age", "> 62", "≤ 62"), Chip("ill", "yes", "no")]


def var(at: int) -> dict[str, Any]:
    return {"op": "var", "concept": at}


def test_literals_of_a_term_and_what_is_none_in_words():
    either = {"op": "or", "args": [var(0), {"op": "not", "arg": var(1)}]}
    term = {"op": "and", "args": [var(0), {"op": "not", "arg": var(1)}, either]}

    assert literals(term, CONCEPTS, CHIPS) == [
        Literal("age", "> 62"),
        Literal("ill", "no"),
        Literal("(age above 62 or not ill)", ""),
    ]
    assert literals(var(1), CONCEPTS, CHIPS) == [Literal("ill", "yes")]
    assert literals({"op": "true"}, CONCEPTS, CHIPS) == [Literal("always", "")]
    assert in_words({"op": "not", "arg": either}, CONCEPTS) == "not (age above 62 or not ill)"
    assert in_words({"op": "false"}, CONCEPTS) == "never"


fronts = st.lists(st.tuples(st.integers(0, 300), st.floats(0, 1e9)), min_size=2, max_size=20)


@given(fronts)
def test_the_chart_holds_all_points_and_keeps_their_order(pairs: list[tuple[int, float]]):
    front = [{"literals": n, "errors": e, "chosen": at == 0} for at, (n, e) in enumerate(sorted(pairs))]
    picture = front_picture(front)

    assert picture is not None
    places = [(point.x, point.y) for point in picture.points]
    assert all(picture.left <= x <= picture.right and 0 <= y <= picture.bottom for x, y in places)
    assert [x for x, _ in places] == sorted(x for x, _ in places)
    for one, other in zip(picture.points, picture.points[1:], strict=False):
        assert (one.y >= other.y) or (one.errors >= other.errors)  # more errors stand higher
    assert all(picture.left <= x <= picture.right for x, _ in picture.literal_marks)
    assert all(0 <= y <= picture.bottom for y, _ in picture.error_marks)


def test_there_is_no_chart_of_one_point_or_of_unknown_errors():
    point = {"literals": 1, "errors": 3.0, "chosen": True}

    assert front_picture([point]) is None
    assert front_picture([point, point | {"errors": None}]) is None


@given(st.floats(1e-6, 1e12))
def test_marks_are_few_and_even(most: float):
    found = marks(most)

    assert 3 <= len(found) <= 6
    assert found[0] == 0
    assert found[-1] <= most * (1 + 1e-9)
    assert most < found[-1] + found[1] * (1 + 1e-6)


def test_shades_are_shares_of_rows():
    assert shades([[1, 3], [0, 0]]) == [[0.25, 0.75], [0.0, 0.0]]


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


def test_the_line_of_a_front_leaves_out_rules_that_err_more_than_shorter_ones():
    front = [
        {"literals": n, "errors": errors, "chosen": n == 0}
        for n, errors in ((0, 8), (1, 9), (2, 4), (2, 6), (3, 4))
    ]
    picture = front_picture(front)

    assert picture is not None
    best = [picture.points[at] for at in (0, 2)]
    assert picture.line == f"M{best[0].x:g},{best[0].y:g} H{best[1].x:g} V{best[1].y:g}"
    assert len(picture.points) == len(front)
