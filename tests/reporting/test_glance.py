from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from logiclens.reporting import report
from logiclens.reporting.glance import answer, figures, findings, kind_note, provenance
from tests.reporting import pages


@pytest.fixture(scope="module")
def gathered() -> dict[str, Any]:
    rules = pages.rules()
    rows = pages.table(40, 0, rules.vocabulary)
    return json.loads(report(rules, rows, rules.predict(rows)).facts.to_json())


@pytest.fixture
def facts(gathered: dict[str, Any]) -> dict[str, Any]:
    return copy.deepcopy(gathered)


def test_the_answer_says_how_far_rules_can_be_relied_on(facts: dict[str, Any]):
    facts["overall"] |= {
        "n": 1200,
        "rules_accuracy": 0.9333,
        "network_accuracy": 0.975,
        "fidelity_plain": 0.96,
        "faithful_to": "the network",
        "n_uncovered": 1,
        "n_conflicts": 2,
        "complexity": 3.667,
    }

    assert answer(facts) == (
        "Three rules, one for each class, of 3.7 literals on average. On 1,200 rows held out they are right "
        "about <strong>93.3%</strong>; the network about 97.5%. On average a rule agrees with the network on "
        "<strong>96%</strong>. 1 row is claimed by no rule, 2 by several."
    )


def test_the_answer_leaves_out_what_is_not_known(facts: dict[str, Any]):
    facts["overall"] |= dict.fromkeys(
        ["n", "rules_accuracy", "network_accuracy", "fidelity_plain", "n_uncovered", "n_conflicts"]
    )
    facts["overall"]["complexity"] = 1.0
    facts["rules"] = facts["rules"][:1]

    assert answer(facts) == "One rule of 1 literal."


def test_the_answer_says_when_nothing_is_in_doubt(facts: dict[str, Any]):
    facts["overall"] |= {"n_uncovered": 0, "n_conflicts": 0}
    assert answer(facts).endswith("Each row is claimed by exactly one rule.")

    facts["overall"] |= {"n_uncovered": 0, "n_conflicts": 3}
    assert answer(facts).endswith("No rows are claimed by no rule, 3 by several.")


def test_figures_name_what_was_measured(facts: dict[str, Any]):
    facts["data"] |= {"n_rows": 1000, "n_train": 750, "n_held_out": 250}
    facts["overall"] |= {"rules_accuracy": 1.0, "black_box_accuracy": 0.5, "network_accuracy": None}
    shown = {figure.name: (figure.value, figure.note) for figure in figures(facts)}

    assert shown["Rows"] == ("1,000", "750 for training, 250 held out")
    assert shown["Classes"] == ("3", "")
    assert shown["Rules are right"] == ("100%", "accuracy")
    assert shown["Black box is right"] == ("50%", "accuracy")
    assert "Network is right" not in shown


def test_findings_of_rules_that_have_all_faults(facts: dict[str, Any]):
    facts["check"] = {
        "conflicts": [{"labels": ["<a>", "b"], "example": "x > 5"}],
        "n_conflicts": 1,
        "uncovered": {"text": "x < 5", "example": "x = 4"},
        "covered": False,
        "always": ["a", "b", "c", "d"],
        "never": ["<e>"],
    }
    found = findings(facts)

    assert [finding.text for finding in found] == [
        "1 pair of rules can both be true of a row.",
        "There can be rows that no rule covers.",
        "The rules of <bdi>a</bdi>, <bdi>b</bdi>, <bdi>c</bdi> and 1 more are always true.",
        "The rule of <bdi>&lt;e&gt;</bdi> is never true.",
    ]
    assert not any(finding.good for finding in found)
    assert found[0].examples == ("<bdi>&lt;a&gt;</bdi> and <bdi>b</bdi>, for example: x &gt; 5",)
    assert (found[1].examples, found[1].all) == (("for example: x = 4",), "x &lt; 5")


def test_findings_of_rules_without_a_fault(facts: dict[str, Any]):
    nothing: dict[str, Any] = {"conflicts": [], "n_conflicts": 0, "uncovered": None, "covered": True}
    facts["check"] = nothing | {"always": [], "never": []}
    found = findings(facts)

    assert [finding.text for finding in found] == [
        "No two rules can be true of the same row.",
        "Every row is covered by a rule.",
        "No rule is always true, and none is never true.",
    ]
    assert all(finding.good for finding in found)


def test_findings_say_what_was_too_much_work(facts: dict[str, Any]):
    facts["check"] |= {"conflicts": None, "n_conflicts": None, "uncovered": None, "covered": None}

    assert [finding.text for finding in findings(facts)[:2]] == [
        "Whether two rules can be true of the same row was too much work to find out.",
        "Whether every row is covered by a rule was too much work to find out.",
    ]


def test_labels_that_go_together_have_no_conflicts(facts: dict[str, Any]):
    facts["policy"]["multi_label"] = True
    facts["check"] |= {"uncovered": None, "covered": None}

    assert [finding.good for finding in findings(facts)] == [True]
    assert "claimed" not in answer(facts)


def test_the_kind_is_said_once_where_rules_go_both_ways(facts: dict[str, Any]):
    assert facts["rules"][0]["sentence"].endswith(kind_note(facts))
    assert kind_note(facts) == " (a necessary and sufficient condition)"
    assert kind_note(facts | {"kind": "if"}) == ""


def test_provenance_leaves_out_what_is_not_known(facts: dict[str, Any]):
    facts["provenance"] |= {"seed": 0, "command": None, "network": "", "packages": {"numpy": "2.0"}}
    listed = dict(provenance(facts))

    assert listed["Seed"] == "0"
    assert listed["Packages"] == "numpy 2.0"
    assert not {"Command", "Network"} & set(listed)
