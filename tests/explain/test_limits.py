"""Counterfactuals within limits: against every row there could be, and how limits are refused."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logiclens.concepts import Above, Flag, OneOf, Vocabulary
from logiclens.concepts.dates import DatePart
from logiclens.errors import InputError, UnknownColumnError, UnknownConceptError
from logiclens.explain import (
    Explanation,
    ExplanationSet,
    Limits,
    PredictionCounterfactual,
    Rule,
    counterfactual,
)
from logiclens.logic import FALSE, Formula, Var, parse_formula
from tests.explain.test_counterfactual import WORDS, random_formula, random_raw_row
from tests.explain.test_prediction_counterfactual import random_rules, turned

COLUMNS = ("age", "colour", "smoker", "dose")
GRID = {
    "age": list(range(15, 90)),
    "colour": ["red", "blue", "green", None],
    "smoker": [False, True],
    "dose": [*np.arange(0.25, 3.5, 0.25).tolist(), None],
}
ROWS = dict(zip(COLUMNS, map(list, zip(*product(*GRID.values()), strict=True)), strict=True))


@st.composite
def some_limits(draw) -> Limits:
    """Limits of a few columns, and prices."""
    ranges: dict[str, Any] = {}
    for name, ends in (("age", st.integers(20, 80)), ("dose", st.integers(1, 12).map(lambda n: n / 4))):
        if draw(st.booleans()):
            low, high = sorted(draw(st.lists(ends, min_size=2, max_size=2)))
            ranges[name] = draw(st.sampled_from([(low, high), (None, high), (low, None)]))
    if draw(st.booleans()):
        ranges["colour"] = draw(st.sets(st.sampled_from(["red", "blue", "green"]), min_size=1))
    if draw(st.integers(0, 3)) == 0:
        ranges["smoker"] = {draw(st.booleans())}
    ordered = st.lists(st.sampled_from(["age", "dose"]), unique=True)
    return Limits(
        draw(st.lists(st.sampled_from(COLUMNS), max_size=2, unique=True)),
        draw(ordered),
        draw(ordered) if draw(st.integers(0, 3)) == 0 else [],
        ranges,
        draw(st.dictionaries(st.sampled_from(COLUMNS), st.sampled_from([0.1, 0.2, 1, 2, 3.5]))),
    )


def obeys(limits: Limits, name: str, old: Any, new: Any) -> bool:
    """Whether a value may become another."""
    if old == new:
        return True
    ordered = old is not None and new is not None
    if name in limits.fixed or (name in limits.increasing and not (ordered and new > old)):
        return False
    if name in limits.decreasing and not (ordered and new < old):
        return False
    told = limits.ranges.get(name)
    if isinstance(told, frozenset):
        return new in told
    if told is None:
        return True
    low, high = told
    return new is not None and (low is None or low <= new) and (high is None or new <= high)


def changed_columns(row: dict[str, Any], limits: Limits) -> tuple[np.ndarray, np.ndarray]:
    """Which columns differ in each row of the grid, (n, 4), and whether the limits allow that, (n,)."""
    differs = np.column_stack([[new != row[name][0] for new in ROWS[name]] for name in COLUMNS])
    allowed = np.ones(len(differs), dtype=bool)
    for name in COLUMNS:
        may = {new: obeys(limits, name, row[name][0], new) for new in GRID[name]}
        allowed &= np.array([may[new] for new in ROWS[name]])
    return differs, allowed


def check(found: Any, turns: np.ndarray, row: dict[str, list[Any]], limits: Limits, n: int) -> None:
    """Each way is the cheapest of those that leave something alone that every earlier one changes."""
    differs, allowed = changed_columns(row, limits)
    prices = np.array([limits.costs.get(name, 1) for name in COLUMNS])
    costs = (differs * prices).sum(axis=1)
    left = turns & allowed
    assert found.found == left.any()
    assert bool(found.forbidden) == (turns.any() and not left.any())
    ways = [found, *found.alternatives] if found.found else []
    assert len(ways) <= n
    for way in ways:
        mine = [change.what for change in way.changes]
        assert limits.price([]) == 1
        assert sum(limits.price([name]) for name in mine) == pytest.approx(costs[left].min())
        assert all(obeys(limits, c.what, row[c.what][0], c.value) for c in way.changes)
        at = [COLUMNS.index(name) for name in mine]
        left &= ~differs[:, at].all(axis=1)
    assert len(ways) == n or not left.any()


def after(found: Any, row: dict[str, list[Any]]) -> dict[str, list[Any]]:
    return row | {change.what: [change.value] for change in found.changes}


@settings(max_examples=50)
@given(st.integers(0, 10**6), some_limits(), st.integers(1, 3))
def test_of_all_rows_there_could_be_none_is_cheaper_within_the_limits(seed, limits, n):
    rng = np.random.default_rng(seed)
    rules = random_rules(rng, WORDS.names, vocabulary=WORDS)
    row = {
        name: [value[0].item() if hasattr(value[0], "item") else value[0]]
        for name, value in random_raw_row(rng).items()
    }
    target = [None, *rules][rng.integers(len(rules) + 1)]
    found = rules.counterfactual(row, target, limits=limits, n=n)
    if found.changes == ():
        return
    answers = answers_of(rules, ROWS)
    turns = np.array([turned(rules, found.before, each, target) for each in answers])
    check(found, turns, row, limits, n)
    for way in (found, *found.alternatives) if found.found else ():
        assert answers_of(rules, after(way, row)) == [way.after]
    if found.beyond:
        (answer,) = answers_of(rules, after_beyond(found, row))
        assert turned(rules, found.before, answer, target)


def after_beyond(found: Any, row: dict[str, list[Any]]) -> dict[str, list[Any]]:
    return row | {change.what: [change.value] for change in found.beyond}


def answers_of(rules: ExplanationSet, rows: dict[str, list[Any]]) -> list[Any]:
    said = rules.predict(rows).tolist()
    if not rules.multi_label:
        return said
    return [tuple(label for label, yes in zip(rules, each, strict=True) if yes) for each in said]


@settings(max_examples=50)
@given(st.integers(0, 10**6), some_limits(), st.integers(1, 3))
def test_so_it_is_of_a_rule(seed, limits, n):
    rng = np.random.default_rng(seed)
    rule = Rule("yes", random_formula(rng, WORDS.names), vocabulary=WORDS)
    row = {
        name: [value[0].item() if hasattr(value[0], "item") else value[0]]
        for name, value in random_raw_row(rng).items()
    }
    found = counterfactual(rule, row, limits=limits, n=n)
    explanation = Explanation(rule)

    check(found, explanation.evaluate(ROWS) != found.truth, row, limits, n)
    for way in (found, *found.alternatives) if found.found else ():
        assert explanation.evaluate(after(way, row))[0] != found.truth


PARTS = ("day", "year", "month", "weekday", "days since")
DATED = Vocabulary(
    ("on", "ill"),
    (
        Above("on year", 2020),
        Above("on month", 6),
        OneOf("on weekday", ("Sunday",)),
        OneOf("on weekday", ("Monday", "Tuesday")),
        Above("on days since 2020-01-01", 400),
        Flag("ill"),
    ),
    dates=tuple(DatePart("on", part, "2020-01-01" if part == "days since" else "") for part in PARTS),
)
DAYS = [(date(2018, 12, 20) + timedelta(days=n)).isoformat() for n in range(1500)]


@settings(max_examples=25)
@given(
    st.integers(0, 10**6),
    st.sampled_from(DAYS[400:1100]),
    st.sampled_from(
        [
            Limits(),
            Limits(increasing=["on"]),
            Limits(decreasing=["on"]),
            Limits(ranges={"on": ("2020-12-01", "2021-03-10")}),
            Limits(fixed=["on year"]),
            Limits(ranges={"on weekday": {"Sunday", "Friday"}}, fixed=["ill"]),
            Limits(increasing=["on month"], ranges={"on days since 2020-01-01": (None, 500)}),
        ]
    ),
)
def test_parts_of_a_date_are_those_of_one_day(seed, day, limits):
    rng = np.random.default_rng(seed)
    rules = random_rules(rng, DATED.names, vocabulary=DATED)
    row = {"on": [day], "ill": [bool(rng.integers(2))]}
    found = rules.counterfactual(row, limits=limits)
    grid = {"on": DAYS * 2, "ill": [False] * len(DAYS) + [True] * len(DAYS)}
    turns = np.array([said != found.before for said in answers_of(rules, grid)])
    moved = np.array([each != day for each in grid["on"]])
    other = np.array([each != row["ill"][0] for each in grid["ill"]])
    may = np.array([date_obeys(limits, day, each) for each in DAYS] * 2)
    possible = turns & (may | ~moved) & ~(other & ("ill" in limits.fixed))

    assert found.found == possible.any()
    if found.found:
        assert len(found.changes) == (1 * moved + other)[possible].min()
        changed = after(found, row)
        assert answers_of(rules, changed) == [found.after]
        assert changed["on"][0] == day or date_obeys(limits, day, changed["on"][0])


def date_obeys(limits: Limits, old: str, new: str) -> bool:
    days = date.fromisoformat(old), date.fromisoformat(new)
    parts = {"on": days, "on year": [day.year for day in days], "on month": [day.month for day in days]}
    since = (days[1] - date(2020, 1, 1)).days
    for name, (before, now) in parts.items():
        if name in limits.fixed and before != now:
            return False
        if (name in limits.increasing and now < before) or (name in limits.decreasing and now > before):
            return False
    if "on" in limits.ranges and not limits.ranges["on"][0] <= new <= limits.ranges["on"][1]:
        return False
    if "on weekday" in limits.ranges and days[1].strftime("%A") not in limits.ranges["on weekday"]:
        return False
    return "on days since 2020-01-01" not in limits.ranges or since <= 500


def rules_of(**formulas: Formula) -> ExplanationSet:
    explanations = [Explanation(Rule(label, formula)) for label, formula in formulas.items()]
    return ExplanationSet(explanations, ["a", "b", "c"], default="no")


a, b, c = Var("a"), Var("b"), Var("c")


def test_concepts_by_themselves_and_in_groups():
    rules = rules_of(yes=a | (b & c), no=FALSE)
    row = [[0, 0, 0]]

    assert rules.counterfactual(row, limits=Limits(fixed=["a"])).concepts == {"b": True, "c": True}
    assert rules.counterfactual(row, limits=Limits(costs={"a": 3})).concepts == {"b": True, "c": True}
    assert rules.counterfactual(row, limits=Limits(costs={"a": 2})).concepts == {"a": True}
    both = rules.counterfactual(row, n=5)
    assert [way.concepts for way in (both, *both.alternatives)] == [{"a": True}, {"b": True, "c": True}]
    single = rules_of(yes=a, no=FALSE)
    kept = single.counterfactual([[0, 1, 0]], limits=Limits(decreasing=["a"]), groups=[["a", "b"]])
    assert kept.forbidden == ("a may only decrease",)
    assert kept.beyond[0].concepts == {"a": True, "b": False}


PEOPLE = Vocabulary(
    ("age", "sex"),
    (Above("age", 62), OneOf("sex", ("male",))),
    values=(("sex", ("female", "male")),),
)
SICK = ExplanationSet(
    [
        Explanation(Rule("ill", parse_formula('"age > 62" & ~"sex = male"'))),
        Explanation(Rule("well", FALSE)),
    ],
    PEOPLE.names,
    default="well",
    vocabulary=PEOPLE,
)


@pytest.mark.parametrize(
    ("row", "limits", "sentence"),
    [
        ((20, "female"), Limits(increasing=["age"]), "The prediction would be ill if age were above 62."),
        (
            (70, "female"),
            Limits(increasing=["age"], fixed=["sex"]),
            "No change within the limits would do: age may only increase. But for that: "
            "The prediction would be well if age were at most 62.",
        ),
        (
            (20, "male"),
            Limits(ranges={"age": (18, 60)}, fixed=["sex"]),
            "No change within the limits would do: age may only become 18 to 60; sex is fixed. But for that: "
            "The prediction would be ill if age were above 62 and sex were not male.",
        ),
        (
            (70, "male"),
            Limits(ranges={"sex": ["male"], "age": (None, 80)}),
            "No change within the limits would do: sex may only become male. But for that: "
            "The prediction would be ill if sex were not male.",
        ),
    ],
)
def test_the_reason_is_the_fewest_limits_that_forbid_it(row, limits, sentence):
    found = SICK.counterfactual({"age": [row[0]], "sex": [row[1]]}, limits=limits)

    assert str(found) == sentence
    assert found.found == (not found.forbidden)


def test_values_that_would_do_are_those_that_people_write():
    found = SICK.counterfactual({"age": [20], "sex": ["male"]}, "ill")

    assert [(change.what, change.value) for change in found.changes] == [("age", 63), ("sex", "female")]


def test_a_gap_neither_increases_nor_becomes_a_value_in_between():
    row = {"age": [None], "sex": ["female"]}

    assert SICK.counterfactual(row, limits=Limits(increasing=["age"])).forbidden == ("age may only increase",)
    assert SICK.counterfactual(row, limits=Limits(ranges={"age": (63, 70)})).changes[0].value == 63


@pytest.mark.parametrize(
    ("limits", "error", "said"),
    [
        ({"fixed": ["agee"]}, UnknownColumnError, "'agee'. Did you mean 'age'?"),
        ({"costs": {"sexx": 2}}, UnknownColumnError, "'sexx'. Did you mean 'sex'?"),
        ({"increasing": ["sex"]}, InputError, "The values of 'sex' have no order."),
        ({"ranges": {"sex": (1, 2)}}, InputError, "The values of 'sex' have no order."),
        ({"ranges": {"sex": {"femal"}}}, InputError, "'sex' had no value 'femal'. Did you mean 'female'?"),
        ({"ranges": {"age": {"old"}}}, InputError, "'age' holds numbers. It cannot become 'old'."),
        ({"ranges": {"age": (30, 20)}}, InputError, "must be (low, high) or a set of values. Got (30, 20)"),
        ({"ranges": {"age": ("a", None)}}, InputError, "must be (low, high) or a set of values."),
        ({"ranges": {"age": ("2020-01-31", None)}}, InputError, "'age' holds numbers. Got the range"),
        ({"ranges": {"age": 3}}, InputError, "must be (low, high) or a set of values. Got 3"),
        ({"ranges": ["age"]}, InputError, "ranges must be a mapping."),
        ({"costs": {"age": 0}}, InputError, "The cost of 'age' must be a positive number. Got 0."),
        ({"fixed": "age"}, InputError, "write ['age']"),
    ],
)
def test_nonsense_is_refused(limits, error, said):
    with pytest.raises(error) as info:
        SICK.counterfactual({"age": [20], "sex": ["male"]}, limits=Limits(**limits))
    assert said in str(info.value)


def test_other_things_are_refused():
    rules = rules_of(yes=a, no=FALSE)
    with pytest.raises(UnknownConceptError, match="'aa'"):
        rules.counterfactual([[1, 0, 0]], limits=Limits(fixed=["aa"]))
    with pytest.raises(InputError, match="limits must be Limits"):
        rules.counterfactual([[1, 0, 0]], limits={"fixed": ["a"]})
    with pytest.raises(InputError, match="n must be a whole number of at least 1"):
        rules.counterfactual([[1, 0, 0]], n=0)
    dated = ExplanationSet([Explanation(Rule("x", Var("on year > 2020"), vocabulary=DATED))], DATED.names)
    for told, said in (((1, 2), "holds dates"), ({"2021-01-01"}, "must be (first, last)")):
        with pytest.raises(InputError) as info:
            dated.counterfactual({"on": ["2020-01-01"]}, limits=Limits(ranges={"on": told}))
        assert said in str(info.value)


def test_a_way_is_a_counterfactual():
    found = SICK.counterfactual({"age": [70], "sex": ["female"]}, n=3)

    assert isinstance(found.alternatives[0], PredictionCounterfactual)
    assert str(found.alternatives[0]) in found._repr_html_()
