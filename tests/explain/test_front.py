"""The front: rule sets of every length, by number of literals, as a table and in files."""

from __future__ import annotations

import json
from copy import deepcopy
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.errors import InputError
from logiclens.explain import ExplanationSet, Front, Point, RuleKind, Step
from logiclens.explain.front import ALWAYS_DECIDED, NEVER_DECIDED, Seen
from logiclens.explain.scopes import ALWAYS, NEVER, USELESS
from logiclens.logic import FALSE, TRUE, Var, equivalent
from logiclens.logic.arrays import pack
from tests.errors import error_of
from tests.strategies import HOSTILE_NAMES, PLAIN, all_rows, plain_formulas

a, b, c = map(Var, "abc")
NAMES = ("a", "b", "c")


def animals(chosen: int = 1, **more: Any) -> Front:
    """Three classes at lengths 0, 1 and 3."""
    points = (
        Point((), "cat", 0.5, 0.5, (0.4, 0.6)),
        Point((Step("bird", a),), "cat", 0.7, 0.75, (0.6, 0.8)),
        Point((Step("bird", a), Step("fish", b & ~c)), "cat", 0.9, 0.95, (0.8, 0.96)),
    )
    return Front(points, ("bird", "cat", "fish"), NAMES, chosen=chosen, **more)


def again(front: Front) -> Front:
    """Through the text of a file."""
    return Front.from_json(json.loads(json.dumps(front.to_json())), front.concept_names, front.vocabulary)


# --- points by length ---


def test_a_front_is_a_sequence_of_points():
    front = animals()

    assert len(front) == 3
    assert [point.literals for point in front] == [0, 1, 3]
    assert front[-1] is front.points[2]
    assert list(front) == list(front.points)


@pytest.mark.parametrize(("literals", "at"), [(0, 0), (1, 1), (2, 1), (3, 2), (np.int64(99), 2)])
def test_at_is_the_longest_of_at_most_so_many_literals(literals, at):
    assert animals().at(literals) == at
    assert str(animals().rules(literals)) == str(animals().rule_set(animals().points[at]))


def test_without_a_number_the_chosen_point_is_taken():
    assert animals().at() == animals().at("auto") == animals().at(None) == 1
    assert animals(chosen=2).rules() == animals().rules(3)


def test_where_no_point_is_so_short_the_first_is_taken():
    front = Front((Point((Step("y", a & b),), "n"),), ("n", "y"), NAMES)

    assert front.at(0) == 0


@pytest.mark.parametrize("literals", ["few", -1, 2.5, True, [3]])
def test_what_is_no_length_is_refused(literals):
    assert error_of(animals().at, literals).startswith("literals must be a whole number")


def test_a_point_that_stands_out_of_order_is_found():
    """A composed formula comes last, however short it is."""
    front = Front(
        (*animals().points, Point((Step("bird", a & b),), "cat")), animals().labels, NAMES, chosen=3
    )

    assert (front.at("auto"), front.at(2), front.at(5)) == (3, 3, 2)


# --- rule sets ---


@given(st.lists(plain_formulas(6), min_size=2, max_size=3))
def test_a_rule_set_decides_as_its_point(formulas):
    labels = ("p", "q", "r", "s")
    steps = tuple(map(Step, labels, formulas))
    rules = Front((Point(steps, "s"),), labels, PLAIN).rules()
    rows = all_rows(5)
    expected = np.full(len(rows), "s")
    for step in reversed(steps):
        expected[step.formula.evaluate(rows, PLAIN)] = step.label

    assert rules.predict(rows, PLAIN).tolist() == expected.tolist()
    for label in labels:
        assert (rules[label].evaluate(rows, PLAIN) == (expected == label)).all()


def test_each_class_has_the_rule_that_says_what_the_list_decides():
    rules = animals().rules(3)

    assert str(rules).splitlines() == ["if a(x) then bird", "else if b(x) & ~c(x) then fish", "otherwise cat"]
    assert rules["bird"].formula == a
    assert equivalent(rules["fish"].formula, b & ~c & ~a)
    assert rules.literals == 3
    assert rules.default == "cat"


def seen(truth: list[list[float]], answers: list[list[float]]) -> Seen:
    """Every tuple of a and b once."""
    return Seen(("a", "b"), pack(all_rows(2)), np.array(truth), np.array(answers), np.ones(4), 4)


def test_scores_are_those_of_the_rows_seen():
    """The network says yes where a holds, the truth is yes where both do."""
    says, is_ = all_rows(2)[:, 0].astype(float), all_rows(2).all(axis=1).astype(float)
    rows = seen(np.column_stack([1 - is_, is_]).tolist(), np.column_stack([1 - says, says]).tolist())
    rules = Front((Point((Step("y", a),), "n"),), ("n", "y"), ("a", "b"), seen=rows).rules()
    scores = rules["y"].scores

    assert (scores.part, scores.n_rows) == ("training", 4)
    assert (scores.precision, scores.recall, scores.accuracy, scores.fidelity) == (0.5, 1.0, 0.75, 1.0)
    assert rules["y"].support == 2.0
    assert rules["n"].formula == ~a


def test_statuses_of_constant_rules_say_whose_they_are():
    """The network may say what rules of this length never do."""
    nobody, half = [[1.0, 0.0]] * 4, [[1.0, 0.0], [0.0, 1.0]] * 2
    constant = Front((Point((), "n"),), ("n", "y"), ("a", "b"))

    for rows, always, never in ((None, ALWAYS, NEVER), (nobody, ALWAYS, NEVER)):
        front = Front(*_fields(constant), seen=None if rows is None else seen(rows, rows))
        assert [front.rules()[label].status for label in ("n", "y")] == [always, never]
    front = Front(*_fields(constant), seen=seen(half, half))
    assert [front.rules()[label].status for label in ("n", "y")] == [ALWAYS_DECIDED, NEVER_DECIDED]
    assert [front.rules()[label].formula for label in ("n", "y")] == [TRUE, FALSE]


def _fields(front: Front) -> tuple[Any, ...]:
    return front.points, front.labels, front.concept_names


def test_several_labels_have_a_rule_each():
    point = Point((Step("p", a | b), Step("q", FALSE)), accuracy=0.8)
    rules = Front((point,), ("p", "q"), NAMES, multi_label=True).rules()

    assert rules.multi_label
    assert rules.formulas == {"p": a | b, "q": FALSE}
    assert rules.default is None
    assert rules.predict([[1, 0, 0]], NAMES).tolist() == [[1, 0]]


@pytest.mark.parametrize("kind", [RuleKind.IF, RuleKind.ONLY_IF])
def test_implications_are_rules_of_each_class(kind):
    """Also of a class whose step decides as the default does, and so is none."""
    point = Point((Step("y", a & b),), "n", formulas=(~a, a & b))
    rules = Front((point,), ("n", "y"), NAMES, kind).rules()

    assert rules.formulas == {"n": ~a, "y": a & b}
    assert all(rule.kind is kind for rule in rules.values())
    useless = Front((Point((), "n", formulas=(TRUE, FALSE)),), ("n", "y"), NAMES, kind).rules()
    assert {rule.status for rule in useless.values()} == {USELESS[kind]}


def test_a_rule_set_is_a_front_of_one_length():
    for rules in (
        animals().rules(3),
        Front((Point((Step("p", a), Step("q", b | c))),), ("p", "q"), NAMES, multi_label=True).rules(),
        Front((Point((Step("y", a),), "n", formulas=(~b, a)),), ("n", "y"), NAMES, RuleKind.IF).rules(),
    ):
        front = Front.of(rules)
        twin = front.rules()
        assert len(front) == 1
        assert (twin.formulas, twin.steps, twin.default) == (rules.formulas, rules.steps, rules.default)
        assert str(twin) == str(rules)
        assert [rule.kind for rule in twin.values()] == [rule.kind for rule in rules.values()]


# --- as a table ---


def test_records_have_the_literals_of_each_target():
    assert animals().records()[2] == {
        "literals": 3,
        "accuracy": 0.9,
        "low": 0.8,
        "high": 0.96,
        "fidelity": 0.95,
        "literals bird": 1,
        "literals cat": 0,
        "literals fish": 2,
    }


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_frame_has_a_row_for_each_length(backend):
    frame = animals().to_frame(backend)

    assert frame.shape == (3, 8)
    assert list(frame["literals"])[-1] in (3, frame["literals"][-1] if backend == "pyarrow" else 3)


def test_rates_that_are_not_known_are_left_out():
    front = Front((Point((Step("y", a),), "n"),), ("n", "y"), NAMES)

    assert front.records()[0]["accuracy"] is None
    assert str(front).splitlines()[1].split() == ["1", "<-", "shown"]


def test_text_and_html_mark_the_point_that_is_shown():
    text, page = str(animals()).splitlines(), animals()._repr_html_()

    assert len(text) == 4
    assert [line.endswith("<- shown") for line in text] == [False, False, True, False]
    assert "70.0%" in text[2]
    assert len(set(map(len, [text[0], text[1], text[3]]))) == 1  # columns below their headings
    assert "60.0% to 80.0%" in text[2]
    assert "<td>60.0% to 80.0%</td>" in page
    assert page.count("<tr>") == 4
    assert page.count(">shown<") == 1
    assert repr(animals()) == "<Front: 3 lengths up to 3 literals, 1 shown>"


# --- files ---

LABELS: Any = st.sampled_from(
    [
        ("n", "y"),
        (0, 1),
        (-3, 8),
        (False, True),
        (1.0, 2.5),
        *pairwise(HOSTILE_NAMES),
    ]
)


@given(
    LABELS,
    st.lists(plain_formulas(8), min_size=1, max_size=3),
    st.sampled_from([*RuleKind]),
    st.booleans(),
    st.one_of(st.none(), st.floats(0, 1)),
)
def test_what_is_written_is_read(labels, formulas, kind, own, rate):
    interval = None if rate is None else (rate / 2, rate)
    points = tuple(
        Point((Step(labels[1], each),), labels[0], rate, rate, interval, "so", (~each, each) if own else ())
        for each in formulas
    )
    front = Front(points, labels, PLAIN, kind, chosen=len(points) - 1)
    twin = again(front)

    assert repr(twin.labels) == repr(labels)
    assert (twin.kind, twin.multi_label, twin.chosen) == (kind, False, front.chosen)
    for one, other in zip(front, twin, strict=True):
        assert same_steps(one.steps, other.steps)
        assert repr(one.default) == repr(other.default)
        assert one.formulas == other.formulas
        assert (one.accuracy, one.fidelity, one.interval) == (other.accuracy, other.fidelity, other.interval)
        assert one.status == other.status
    assert twin.to_json() == front.to_json()


def same_steps(one: tuple[Step, ...], other: tuple[Step, ...]) -> bool:
    """Steps are written as their terms: a disjunction in a disjunction is one."""
    rows = all_rows(5)

    def said(steps: tuple[Step, ...]) -> list[tuple[str, list[bool]]]:
        return [(repr(step.label), step.formula.evaluate(rows, PLAIN).tolist()) for step in steps]

    return said(one) == said(other)


def test_several_labels_are_read_again():
    front = Front((Point((Step("p", a | b), Step("q", ~c))),), ("p", "q"), NAMES, multi_label=True)

    assert again(front).points == front.points
    assert again(front).rules() == front.rules()


def test_terms_are_written_once():
    saved = animals().to_json()

    assert len(saved["terms"]) == 2  # a, and b & ~c


def test_rows_are_not_written():
    half = [[1.0, 0.0], [0.0, 1.0]] * 2
    front = Front((Point((), "n"),), ("n", "y"), ("a", "b"), seen=seen(half, half))

    assert "seen" not in json.dumps(front.to_json())
    assert again(front).seen is None


def damage(path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    saved = json.loads(json.dumps(animals().to_json()))
    inner: Any = saved
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return saved


STEP = ("points", 1, "steps", 0)


@pytest.mark.parametrize(
    ("path", "value", "word"),
    [
        (("chosen",), 3, '"chosen"'),
        (("chosen",), True, '"chosen"'),
        (("points",), [], '"chosen"'),
        (("points",), None, '"points"'),
        (("points", 1), 3, "a point"),
        (("more",), 3, "'more'"),
        (("labels",), ["bird", "bird"], "distinct"),
        (("labels",), "bird", '"labels"'),
        (("labels",), [["bird"], "cat", "fish"], "A label"),
        (("labels",), ["bird", "cat"], "'fish'"),
        (("multi_label",), 1, '"multi_label"'),
        (("kind",), "because", "'because'"),
        (("points", 0, "default"), None, "Unknown class None"),
        (("points", 0, "accuracy"), 1.5, "accuracy"),
        (("points", 0, "fidelity"), "all", "fidelity"),
        (("points", 0, "interval"), 0.5, '"interval"'),
        (("points", 0, "interval"), [0.5], "two numbers"),
        (("points", 0, "status"), 3, "status"),
        (("points", 2, "formulas"), ["a"], "a formula for each of the 3 labels"),
        (STEP, ["bird"], "A step"),
        (STEP, ["bird", [7]], "Places of terms"),
        (STEP, ["bird", [-1]], "Places of terms"),
        (STEP, ["dog", [0]], "'dog'"),
        (("points", 2, "steps", 1), ["bird", [0]], "two steps"),
    ],
)
def test_damaged_entries_are_refused(path, value, word):
    assert word in error_of(Front.from_json, damage(path, value), NAMES)


def test_formulas_over_other_concepts_are_refused():
    assert error_of(Front.from_json, animals().to_json(), ("a", "b")) == (
        "Unknown concept 'c'. The 2 known concepts are 'a', 'b'."
    )


@given(st.data())
def test_any_entry_that_is_something_else_is_refused_or_read(data):
    """In one line: no other exception, whatever stands there."""
    saved: Any = json.loads(json.dumps(deepcopy(animals().to_json())))
    inner, key = saved, data.draw(st.sampled_from(sorted(saved)))
    while isinstance(inner[key], dict | list) and inner[key] and data.draw(st.booleans()):
        inner = inner[key]
        key = data.draw(
            st.sampled_from(sorted(inner) if isinstance(inner, dict) else list(range(len(inner))))
        )
    inner[key] = data.draw(
        st.sampled_from([None, True, -1, 10**30, 0.5, "", "a", [], [1], [[]], {}, {"var": "a"}, ["a", [0]]])
    )
    rules, said = None, ""
    try:
        rules = Front.from_json(saved, NAMES).rules()
    except InputError as error:
        said = str(error)

    assert isinstance(rules, ExplanationSet) or (said and said.isprintable())
