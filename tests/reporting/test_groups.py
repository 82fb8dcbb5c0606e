"""Rows by the values of a column: which columns, which groups, and what is counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from logiclens.errors import InputError
from logiclens.explain import Explanation, ExplanationSet, Rule
from logiclens.logic import Var
from logiclens.reporting._report import gather_facts

RULES = ExplanationSet([Explanation(Rule("x", Var("a"))), Explanation(Rule("y", ~Var("a")))], ["a"])
RANDOM = np.random.default_rng(0)
A = RANDOM.integers(2, size=100)
TRUTH = np.where(RANDOM.random(100) < 0.8, np.where(A, "x", "y"), "z")


def groups(**columns: Any) -> dict[str, list[str]]:
    """Names of the groups of each column."""
    facts = gather_facts(RULES, {"a": A, **columns}, TRUTH)
    return {
        each.column: [group.name for group in each.groups] for each in facts.grouped if each.column != "a"
    }


@pytest.mark.parametrize(
    ("values", "names"),
    [
        (np.arange(100) % 3, ["0", "1", "2"]),
        (np.where(np.arange(100) < 50, "<b>", "m"), ["<b>", "m"]),
        (np.arange(100) % 2 == 0, ["False", "True"]),
        (np.arange(100.0), ["≤ 25", "> 25 and ≤ 50", "> 50 and ≤ 74", "> 74"]),
        (np.where(np.arange(100) < 90, 0.0, np.arange(100)), ["≤ 0", "> 0"]),
        (np.where(np.arange(100) < 60, np.arange(100.0), np.nan), None),
        (np.array([f"id {at}" for at in range(100)]), []),
        (np.where(np.arange(100) < 95, "m", "f"), []),
        (np.where(np.arange(100) < 80, "m", None), ["m", "missing"]),
    ],
    ids=["codes", "text", "flag", "numbers", "mostly zero", "gaps", "identifier", "too few", "missing text"],
)
def test_columns_of_few_values_and_ranges_of_numbers_make_groups(values: Any, names: list[str] | None):
    found = groups(b=values).get("b", [])

    if names is None:
        assert found[-1] == "missing"
        assert len(found) == 5
    else:
        assert found == names


def test_groups_count_rows_labels_and_predictions():
    kind = np.where(np.arange(100) < 60, "f", "m")
    facts = gather_facts(RULES, {"a": A, "kind": kind}, TRUTH)
    (found,) = (each for each in facts.grouped if each.column == "kind")
    predicted = RULES.predict({"a": A})

    assert found.n_left_out == 0
    for group in found.groups:
        rows = kind == group.name
        assert (group.n, group.n_right) == (rows.sum(), (predicted == TRUTH)[rows].sum())
        for at, label in enumerate("xy"):
            of, said = rows & (TRUTH == label), rows & (predicted == label)
            assert (group.of[at], group.predicted[at], group.hits[at]) == (
                of.sum(),
                said.sum(),
                (of & said).sum(),
            )


def test_columns_that_no_rule_may_use_make_groups_and_come_first():
    sex = np.where(np.arange(100) < 60, "f", "m")
    facts = gather_facts(RULES, {"a": A}, TRUTH, groups={"sex": sex})

    assert [each.column for each in facts.grouped] == ["sex", "a"]
    assert [group.n for group in facts.grouped[0].groups] == [60, 40]
    assert [column.name for column in facts.data.columns] == ["a"]
    with pytest.raises(InputError, match="groups must have the 100 rows of X"):
        gather_facts(RULES, {"a": A}, TRUTH, groups={"sex": sex[:9]})


def test_groups_of_few_rows_are_not_shown():
    kind = np.where(np.arange(100) < 55, "f", np.where(np.arange(100) < 91, "m", "secret"))
    facts = gather_facts(RULES, {"a": A, "kind": kind}, TRUTH)
    (found,) = (each for each in facts.grouped if each.column == "kind")

    assert ([group.name for group in found.groups], found.n_left_out) == (["f", "m"], 9)
    assert "secret" not in facts.to_json()


def test_without_labels_to_compare_with_or_with_several_there_are_no_groups(several):
    assert gather_facts(RULES, {"a": A}).grouped == ()
    assert gather_facts(RULES).grouped == ()
    assert gather_facts(several.model, several.X, several.y).grouped == ()


def test_of_very_many_columns_some_are_not_listed():
    labels = [f"c{at}" for at in range(200)]
    rules = ExplanationSet([Explanation(Rule(label, Var("b0"))) for label in labels], ["b0"])
    rows = {f"b{at}": np.arange(100) % 2 for at in range(200)}
    facts = gather_facts(rules, rows, [labels[0]] * 100)

    assert 0 < len(facts.grouped) < 200
    assert len(facts.grouped) + facts.n_grouped_left_out == 200
