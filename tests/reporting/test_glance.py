"""Sentences and short lists of the page: macros of its templates, called with facts."""

from __future__ import annotations

import copy
import json
import math
import re
from typing import Any

import pytest

from logiclens.errors import percent
from logiclens.explain import Explanation, ExplanationSet, Rule, Step
from logiclens.logic import Var
from logiclens.reporting import report
from logiclens.reporting._page import environment
from tests.reporting import pages

a, b = Var("a"), Var("b")
WORDS: Any = environment().get_template("words.html").module


def answer(facts: dict[str, Any]) -> str:
    return str(WORDS.answer(facts))


def figures(facts: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """Values and notes of the figures, by name."""
    figure = r'<dt>(.*?)</dt><dd>(.*?)</dd>(?:<dd class="note">(.*?)</dd>)?</div>'
    return {name: (value, note) for name, value, note in re.findall(figure, WORDS.figures(facts))}


def findings(facts: dict[str, Any]) -> list[tuple[bool, str]]:
    """Whether all is well, and what is said, of each finding."""
    listed = re.split(r'<li class="(good|bad)">', WORDS.findings(facts))[1:]
    return [
        (good == "good", text.strip().removesuffix("</li>"))
        for good, text in zip(listed[::2], listed[1::2], strict=True)
    ]


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
        "n_truth": 1200,
        "rules_accuracy": 0.9333,
        "network_accuracy": 0.975,
        "baseline": 0.863,
        "joint_fidelity": 0.96,
        "faithful_to": "the network",
        "n_uncovered": 1,
        "literals": 3.667,
    }

    assert answer(facts) == (
        "A list of 3 steps with 18 literals. It is right on <strong>93.3%</strong> (91.2–100.0%) of 1,200 "
        "rows held out; the network on 97.5%; always predicting the most common class, on 86.3%. "
        "The rules are better than that guess (p &lt; 0.001). "
        "The list agrees with the network on <strong>96.0%</strong>. "
        f"The default, <bdi>{facts['policy']['default']['label']}</bdi>, decides 1 row, "
        "100.0% of them rightly."
    )


def test_the_answer_leaves_out_what_is_not_known(facts: dict[str, Any]):
    facts["overall"] |= dict.fromkeys(
        ["n", "rules_accuracy", "network_accuracy", "joint_fidelity", "fidelity_plain", "n_uncovered"]
    )
    facts["policy"]["printed"] = False
    facts["overall"]["literals"] = 1.0
    facts["rules"] = facts["rules"][:1]

    assert answer(facts) == "One rule of 1 literal."


def test_the_answer_says_how_many_rows_the_default_decides(facts: dict[str, Any]):
    default = f"<bdi>{facts['policy']['default']['label']}</bdi>"
    for uncovered, said in (
        (0, "The default decides no row."),
        (1200, f"The default, {default}, decides 1,200 rows, 100.0% of them rightly."),
    ):
        facts["overall"] |= {"n_uncovered": uncovered}
        assert answer(facts).endswith(f" {said}")


def test_the_answer_of_one_rule_says_how_many_rows_it_is_about(facts: dict[str, Any]):
    facts["rules"] = facts["rules"][:1]
    facts["overall"] |= {"n": 40, "n_uncovered": 3}

    assert answer(facts).endswith(" It is true of 37 of 40 rows.")


def test_a_rate_is_all_or_nothing_only_where_it_is():
    rates = (0.0, 0.0001, 0.0005, 0.5, 0.9949, 0.9996, 1.0)

    assert [percent(rate) for rate in rates] == [
        "0.0%",
        "<0.1%",
        "0.1%",
        "50.0%",
        "99.5%",
        ">99.9%",
        "100.0%",
    ]
    assert percent(None) == percent(math.nan) == "-"
    assert percent(sum([0.1] * 10)) == "100.0%"


def test_figures_name_what_was_measured(facts: dict[str, Any]):
    facts["data"] |= {"n_rows": 1000, "n_train": 750, "n_held_out": 250}
    facts["overall"] |= {
        "baseline": 0.625,
        "rules_accuracy": 1.0,
        "black_box_accuracy": 0.5,
        "network_accuracy": None,
        "joint_fidelity": 0.98,
        "fidelity_plain": 0.994,
        "faithful_to": "the network",
    }
    shown = figures(facts)

    assert shown["Rows"] == ("1,000", "750\u00a0for\u00a0training, 250\u00a0held\u00a0out")
    assert shown["Classes"] == ("3", "")
    assert shown["Accuracy of the rules"] == ("100.0%", "most common class: 62.5%")
    assert shown["Accuracy of the black box"] == ("50.0%", "")
    assert "Accuracy of the network" not in shown
    assert shown["Fidelity to the network"] == ("98.0%", "of the rules together")
    facts["overall"]["joint_fidelity"] = None
    assert figures(facts)["Agreement with the network"] == ("99.4%", "a rule, on average")


def test_figures_say_how_many_columns_are_used(facts: dict[str, Any]):
    facts["data"] |= {"n_columns": 45, "dropped": [{"name": "a", "why": "b"}] * 5, "n_dropped_left_out": 2}
    assert figures(facts)["Columns used"] == ("38", "of 45, 6 in a rule")

    facts["data"] |= {"dropped": [], "n_dropped_left_out": 0}
    assert figures(facts)["Columns used"] == ("45", "6 in a rule")


def test_the_answer_says_when_rules_are_no_better_than_a_guess(facts: dict[str, Any]):
    said = (
        "<strong>That is no better than a guess</strong>: these columns may not decide <bdi>&lt;b&gt;</bdi>."
    )
    facts["target"] = "<b>"
    facts["overall"]["lead"] |= {"claimed": False, "p_value": 0.2}
    for rule in facts["rules"]:
        rule["scores"]["precision"]["low"] = 0.0
    for right, doubted in ((0.86, True), (0.87, True), (0.88, False)):
        facts["overall"] |= {"rules_accuracy": right, "baseline": 0.87}
        assert (said in answer(facts)) == doubted
        shown = "<strong>It is not shown that the rules are better than that guess</strong> (p = 0.20)."
        assert (shown in answer(facts)) != doubted
    facts["overall"]["baseline"] = None
    assert said not in answer(facts)


def test_the_answer_says_when_rules_know_more_than_a_guess_that_is_right_as_often(facts: dict[str, Any]):
    """Half of the rows where the rule holds are of a class that a tenth of all rows are of."""
    rates = {"precision": (0.5, 0.3, 0.7), "recall": (0.9, 0.7, 1.0), "coverage": (0.18, 0.1, 0.3)}
    for rule in facts["rules"]:
        rule["scores"]["precision"]["low"] = 0.0
    first = facts["rules"][0]
    first["label"] = "<i>"
    first["scores"] |= {
        rate: dict(zip(("value", "low", "high"), of, strict=True)) for rate, of in rates.items()
    }
    facts["overall"] |= {"rules_accuracy": 0.9, "baseline": 0.9}
    facts["overall"]["lead"]["claimed"] = False

    assert (
        "A guess is right as often or more, but knows less: <bdi>&lt;i&gt;</bdi> is 5 times as common "
        "where its rule holds." in answer(facts)
    )
    assert "no better than a guess" not in answer(facts)


def test_rules_of_a_black_box_are_tested_against_its_most_common_answer(facts: dict[str, Any]):
    """Two shares were compared, whatever chance does."""
    facts |= {"task": "black box", "target": "loan"}
    facts["overall"] |= {"rules_accuracy": None, "baseline": None, "joint_fidelity": 0.7}
    lead = {**facts["overall"]["lead"], "p_value": 0.2, "cross_fitted": False}
    better = "the rules give the answers of the black box more often than always the most common one would"
    for claimed, said in (
        (False, f"<strong>It is not shown that {better}</strong> (p = 0.20)."),
        (True, f"T{better[1:]} (p = 0.20)."),
    ):
        facts["overall"]["answer_lead"] = {**lead, "claimed": claimed}
        assert said in answer(facts)
    facts["policy"]["steps"] = []
    assert "most common one" not in answer(facts)


def test_the_answer_says_for_how_many_classes_there_is_no_rule(facts: dict[str, Any]):
    facts["policy"]["printed"] = False
    rule = facts["rules"][0]
    rule["scores"]["literals"] = 3
    silent = {**rule, "tree": {"op": "false"}, "scores": {**rule["scores"], "literals": 0}}
    always = {**silent, "tree": {"op": "true"}}
    for rules, said in (
        (
            [rule, rule] + [silent] * 38,
            "No rule was found for 38 of 40 classes; the others have 3 literals on average.",
        ),
        ([rule, silent], "No rule was found for 1 of 2 classes; the other has 3 literals."),
        ([always, silent], "No rule was found for 1 of 2 classes; the other is always true."),
        ([silent] * 2, "No rule was found for any of 2 classes."),
        ([silent], "No rule was found."),
    ):
        facts["rules"] = rules
        assert answer(facts).startswith(f"{said} ")
        assert figures(facts)["Literals"][1] == "a rule, on average; 0 where there is none"
    facts["kind"] = "cluster"
    assert answer({**facts, "rules": [rule, silent]}).startswith("No rule was found for 1 of 2 clusters;")


@pytest.mark.parametrize(
    ("kind", "against", "said"),
    [
        (
            "iff",
            "the truth",
            "when the network says a class; precision and recall say how often that is right.",
        ),
        (
            "if",
            "the network",
            "what holds whenever the network says a class, not when it is so; "
            "precision and recall compare with the answers of the network.",
        ),
        ("only_if", "", "what is enough for the network to say a class, not when it is so."),
    ],
)
def test_what_rules_state_is_what_a_network_says(facts: dict[str, Any], kind: str, against: str, said: str):
    facts["kind"] = kind
    facts["policy"]["printed"] = False
    facts["overall"] |= {"against": against, "faithful_to": "the network"}

    assert WORDS.meaning(facts) == f"The rules state {said}"
    assert WORDS.lead_in(facts) == ("The network says:" if kind == "iff" else "As the network sees it:")


def test_whose_answers_rules_state(facts: dict[str, Any]):
    assert WORDS.meaning(facts) == (
        "Each rule says when the list predicts its class, as far as the rows it was found on show; "
        "precision and recall say how often that is right."
    )
    facts["policy"]["printed"] = False
    assert WORDS.lead_in(facts) == "The model says:"  # rules alone
    facts["task"] = "black box"
    assert WORDS.lead_in(facts) == "The black box says:"
    facts |= {"task": "cluster", "kind": "cluster", "rules": facts["rules"][:1]}
    facts["overall"]["against"] = "the clusters"
    assert WORDS.lead_in(facts) == "As the clusters were made:"
    assert WORDS.meaning(facts) == (
        "The rule states what holds of the rows that were put into the cluster; "
        "precision and recall say how often that is so."
    )


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("best found within max_literals=10", "the best found of at most 10 literals"),
        ("proved minimal within max_literals=1", "proved minimal, of at most 1 literal"),
        ("best found", "best found"),
    ],
)
def test_a_status_does_not_speak_of_settings(status: str, said: str):
    assert WORDS.status_words(status) == said


NOTHING: dict[str, Any] = {"conflicts": [], "n_conflicts": 0, "uncovered": None, "covered": True}


def test_findings_of_rules_that_have_all_faults(facts: dict[str, Any]):
    facts["check"] = {
        "conflicts": [{"labels": ["<a>", "b"], "example": "x > 5"}],
        "n_conflicts": 1,
        "uncovered": {"text": "x < 5", "example": "x = 4"},
        "covered": False,
        "always": ["a", "b", "c", "d"],
        "never": ["<e>"],
        "dead": None,
    }

    assert findings(facts) == [
        (
            False,
            "1 pair of rules can both be true of a row."
            "<ul><li><bdi>&lt;a&gt;</bdi> and <bdi>b</bdi>, for example: x &gt; 5</li></ul>\n",
        ),
        (
            False,
            "There can be rows that no rule covers. They are taken for <bdi>unknown</bdi>."
            '<details class="inner"><summary>All of them</summary><p dir="ltr">x &lt; 5</p></details>'
            "<ul><li>for example: x = 4</li></ul>\n",
        ),
        (False, "The rules of <bdi>a</bdi>, <bdi>b</bdi>, <bdi>c</bdi> and 1 more are always true."),
        (False, "The rule of <bdi>&lt;e&gt;</bdi> is never true."),
    ]


@pytest.mark.parametrize(
    ("check", "good", "texts"),
    [
        (NOTHING, True, ["No two rules can be true of the same row.", "Every row is covered by a rule."]),
        (
            dict.fromkeys(NOTHING),
            False,
            [
                "Whether two rules can be true of the same row was too much work to find out.",
                "Whether every row is covered by a rule was too much work to find out.",
            ],
        ),
    ],
)
def test_findings_of_rules_without_a_known_fault(facts, check, good: bool, texts: list[str]):
    facts["check"] = check | {"always": [], "never": [], "dead": None}

    assert findings(facts) == [
        *((good, text) for text in texts),
        (True, "No rule is always true, and none is never true."),
    ]


def test_labels_that_go_together_have_no_conflicts(facts: dict[str, Any]):
    facts["policy"] |= {"multi_label": True, "printed": False}
    facts["check"] |= {"uncovered": None, "covered": None}

    facts["overall"] |= {"rules_accuracy": 0.5, "network_accuracy": 0.625, "baseline": None, "lead": None}
    facts["compared"] = []

    assert [good for good, _ in findings(facts)] == [True]
    assert answer(facts) == (
        "Three rules, one for each class, of 6 literals on average. They are right on every label of "
        "<strong>50.0%</strong> of 40 rows held out; the network on 62.5%."
    )
    assert figures(facts)["Accuracy of the rules"][1] == "about every label of a row"


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
    (overlap_good, overlap), (gap_good, gap) = findings(facts)[:2]

    assert (overlap_good, gap_good) == (overlap_is_fine, gap_is_fine)
    assert ("which necessary conditions may" in overlap) == overlap_is_fine
    assert ("which sufficient conditions may leave" in gap) == gap_is_fine
    assert gap.endswith("<ul><li>x = 4</li></ul>\n")


def test_provenance_leaves_out_what_is_not_known(facts: dict[str, Any]):
    facts["provenance"] |= {"seed": 0, "command": None, "network": "", "packages": {"numpy": "2.0"}}
    listed = dict(re.findall(r"<dt>(.*?)</dt><dd><bdi>(.*?)</bdi>", WORDS.provenance(facts)))

    assert listed["Seed"] == "0"
    assert listed["Packages"] == "numpy 2.0"
    assert not {"Command", "Network"} & set(listed)


def test_literals_of_a_class_by_itself_and_of_its_step_are_told_apart():
    """The terminal's table has those of the step; the card had others by the same name."""
    found = [Explanation(Rule("x", a & ~b)), Explanation(Rule("y", b))]
    steps = [Step("y", b), Step("x", a)]
    page = report(ExplanationSet(found, ["a", "b"], default="y", steps=steps)).html
    text = " ".join(re.sub("<[^>]*>", "", page).split())

    assert "2 literals by itself" in text
    assert "By itself, the rule has 2 literals; its step in the list has 1." in text
