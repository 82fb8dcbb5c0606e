"""Rules as JSON: read back as they were, refused where they are damaged."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings

from logiclens.errors import InputError
from logiclens.explain import Explanation, ExplanationSet, Rule
from logiclens.explain.rule_json import rules_from_json, rules_to_json
from logiclens.logic import Var
from tests.explain.strategies import explanation_sets

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
            3,
            "The text has version 3 of logiclens.rules; this release reads version 2. Update logiclens, ",
        ),
        ("default", None, 'This text is damaged: "default" must be a label. Got None. Save it again.'),
        ("priority", [], 'This text is damaged: "priority" must not be empty. Save it again.'),
        ("priority", 3, 'This text is damaged: "priority" must be a list. Got 3. Save it again.'),
    ],
)
def test_damage_is_named(entry, value, message):
    text = json.dumps({**json.loads(RULES.to_json()), entry: value})

    with pytest.raises(InputError) as info:
        rules_from_json(ExplanationSet, text)
    assert str(info.value).startswith(message)
