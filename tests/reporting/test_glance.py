from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from logiclens.explain import Rule, RuleKind
from logiclens.logic import Var
from logiclens.reporting import report
from logiclens.reporting.glance import answer, figures, findings, kind_note, percent, provenance
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
        "baseline": 0.863,
        "fidelity_plain": 0.96,
        "faithful_to": "the network",
        "n_uncovered": 1,
        "n_conflicts": 2,
        "complexity": 3.667,
    }

    assert answer(facts) == (
        "Three rules, one for each class, of 3.7 literals on average. On 1,200 rows held out they are right "
        "about <strong>93.3%</strong>; the network about 97.5%; always the most common class about 86.3%. "
        "On average a rule agrees with the network on <strong>96%</strong>. "
        "No rule is true of 1 row, more than one of 2."
    )


def test_the_answer_leaves_out_what_is_not_known(facts: dict[str, Any]):
    facts["overall"] |= dict.fromkeys(
        ["n", "rules_accuracy", "network_accuracy", "fidelity_plain", "n_uncovered", "n_conflicts"]
    )
    facts["overall"]["complexity"] = 1.0
    facts["rules"] = facts["rules"][:1]

    assert answer(facts) == "One rule of 1 literal."


def test_the_answer_says_when_nothing_is_in_doubt(facts: dict[str, Any]):
    for uncovered, conflicts, said in (
        (0, 0, "Exactly one rule is true of each row."),
        (0, 3, "More than one rule is true of 3 rows."),
        (1200, 0, "No rule is true of 1,200 rows."),
        (2, 1, "No rule is true of 2 rows, more than one of 1."),
    ):
        facts["overall"] |= {"n_uncovered": uncovered, "n_conflicts": conflicts}
        assert answer(facts).endswith(f" {said}")


def test_the_answer_of_one_rule_says_how_many_rows_it_is_about(facts: dict[str, Any]):
    facts["rules"] = facts["rules"][:1]
    facts["overall"] |= {"n": 40, "n_uncovered": 3, "n_conflicts": 0}

    assert answer(facts).endswith(" It is true of 37 of 40 rows.")


def test_a_rate_is_all_or_nothing_only_where_it_is():
    rates = (0.0, 0.0001, 0.0005, 0.5, 0.9949, 0.9996, 1.0)

    assert [percent(rate) for rate in rates] == ["0%", "<0.1%", "0.1%", "50%", "99.5%", ">99.9%", "100%"]


def test_figures_name_what_was_measured(facts: dict[str, Any]):
    facts["data"] |= {"n_rows": 1000, "n_train": 750, "n_held_out": 250}
    facts["overall"] |= {
        "baseline": 0.625,
        "rules_accuracy": 1.0,
        "black_box_accuracy": 0.5,
        "network_accuracy": None,
    }
    shown = {figure.name: (figure.value, figure.note) for figure in figures(facts)}

    assert shown["Rows"] == ("1,000", "750\u00a0for\u00a0training, 250\u00a0held\u00a0out")
    assert shown["Classes"] == ("3", "")
    assert shown["Rules are right"] == ("100%", "most common class: 62.5%")
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
        "There can be rows that no rule covers. They are taken for <bdi>unknown</bdi>.",
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

    facts["overall"] |= {"rules_accuracy": 0.5, "network_accuracy": 0.625, "baseline": None}

    assert [finding.good for finding in findings(facts)] == [True]
    assert answer(facts) == (
        "Three rules, one for each class, of 6 literals on average. On 40 rows held out they get every "
        "label right of <strong>50%</strong>; the network of 62.5%."
    )
    assert [one.note for one in figures(facts) if one.name == "Rules are right"] == [
        "about every label of a row"
    ]


@pytest.mark.parametrize(
    ("kind", "overlap_is_fine", "gap_is_fine"),
    [("iff", False, False), ("if", True, False), ("only_if", False, True), ("cluster", True, False)],
)
def test_what_is_a_fault_depends_on_the_kind_of_condition(
    facts: dict[str, Any], kind: str, overlap_is_fine: bool, gap_is_fine: bool
):
    facts["kind"] = kind
    facts["check"] |= {
        "conflicts": [{"labels": ["a", "b"], "example": "x > 5"}],
        "n_conflicts": 1,
        "uncovered": {"text": "x = 4", "example": "x = 4"},
        "covered": False,
    }
    overlap, gap = findings(facts)[:2]

    assert (overlap.good, gap.good) == (overlap_is_fine, gap_is_fine)
    assert ("which necessary conditions may" in overlap.text) == overlap_is_fine
    assert ("which sufficient conditions may leave" in gap.text) == gap_is_fine
    assert (gap.examples, gap.all) == (("x = 4",), None)


@pytest.mark.parametrize("kind", list(RuleKind))
def test_sentences_of_every_kind_end_with_what_is_said_once(kind: RuleKind):
    assert Rule("a", Var("x"), kind).to_sentence().endswith(kind_note({"kind": str(kind)}))


def test_provenance_leaves_out_what_is_not_known(facts: dict[str, Any]):
    facts["provenance"] |= {"seed": 0, "command": None, "network": "", "packages": {"numpy": "2.0"}}
    listed = dict(provenance(facts))

    assert listed["Seed"] == "0"
    assert listed["Packages"] == "numpy 2.0"
    assert not {"Command", "Network"} & set(listed)
