"""Rules as JSON: read back as they were, refused where they are damaged."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings

from logiclens.errors import InputError
from logiclens.explain import Explanation, ExplanationSet, Rule, Step
from logiclens.explain.rule_json import rules_from_json, rules_to_json
from logiclens.logic import Var
from tests.explain.strategies import explanation_sets
from tests.strategies import all_rows

RULES = ExplanationSet([Explanation(Rule("bird", Var("wings")))], ["wings"])


@settings(max_examples=50)
@given(explanation_sets())
def test_rules_come_back_as_they_were(rules):
    text = rules_to_json(rules)

    assert text.isascii()
    assert text == rules.to_json()
    assert rules_from_json(ExplanationSet, text) == rules


@pytest.mark.parametrize(
    ("entry", "value", "message"),
    [
        (
            "version",
            4,
            "The text has version 4 of logiclens.rules; this release reads version 3. Update logiclens, ",
        ),
        ("default", None, 'This text is damaged: "default" must be a label. Got None. Save it again.'),
        ("steps", 3, 'This text is damaged: "steps" must be a list. Got 3. Save it again.'),
        ("steps", [3], "This text is damaged: a step must be an object. Got 3. Save it again."),
        (
            "steps",
            [{"label": "fish", "formula": "wings"}],
            "This text is damaged: Unknown target 'fish'. The only known target is 'bird'. Save it again.",
        ),
    ],
)
def test_damage_is_named(entry, value, message):
    text = json.dumps({**json.loads(RULES.to_json()), entry: value})

    with pytest.raises(InputError) as info:
        rules_from_json(ExplanationSet, text)
    assert str(info.value).startswith(message)


OLD = (
    '{"format": "logiclens.rules", "version": 2, "concept_names": ["wings", "fins", "fur"], '
    '"multi_label": false, "default": "cat", "priority": [0.5, 0.9, 0.5], "explanations": ['
    '{"target": "bird", "kind": "iff", "formula": "wings", "scope": "class", "status": "", "support": 0.0, '
    '"scores": null, "front": []}, '
    '{"target": "fish", "kind": "iff", "formula": {"and": ["fins", {"not": "fur"}]}, "scope": "class", '
    '"status": "", "support": 0.0, "scores": null, "front": []}, '
    '{"target": "cat", "kind": "iff", "formula": "fur", "scope": "class", "status": "", "support": 0.0, '
    '"scores": null, "front": []}], "vocabulary": null}'
)
"""A file of the version before: of rules that are true the highest priority decides, of equals the first."""


def test_a_file_of_the_version_before_decides_as_it_did():
    rules = rules_from_json(ExplanationSet, OLD)
    rows = all_rows(3)

    assert rules.steps == (Step("fish", Var("fins") & ~Var("fur")), Step("bird", Var("wings")))
    assert rules.formulas["cat"] == Var("fur")
    for row, answer in zip(rows, rules.predict(rows), strict=True):
        true = [at for at, fires in enumerate(rules.fired([row])[0]) if fires]
        first = max(true, key=lambda at: ([0.5, 0.9, 0.5][at], -at), default=2)
        assert answer == rules.labels[first]
    assert rules_from_json(ExplanationSet, rules_to_json(rules)) == rules


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (3, '"priority" must be a list. Got 3.'),
        ([0.5], "priority must have one number for each of the 3 labels. Got 1."),
        ([0.5, 2, 0], "priority must be a number in [0, 1]. Got 2."),
    ],
)
def test_damage_of_the_version_before_is_named(value, message):
    text = json.dumps({**json.loads(OLD), "priority": value})

    with pytest.raises(InputError) as info:
        rules_from_json(ExplanationSet, text)
    assert str(info.value) == f"This text is damaged: {message} Save it again."


def test_several_labels_of_the_version_before():
    text = json.dumps({**json.loads(OLD), "multi_label": True, "default": None})

    assert rules_from_json(ExplanationSet, text).steps == ()
