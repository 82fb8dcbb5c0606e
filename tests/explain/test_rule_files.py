"""Rule sets in files: read back as they were, refused where they are damaged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings

from logiclens.concepts import Above, Vocabulary
from logiclens.errors import InputError
from logiclens.explain import Explanation, ExplanationSet, Rule, Step, load_rules
from logiclens.logic import Var
from tests.explain.strategies import explanation_sets
from tests.strategies import all_rows

RULES = ExplanationSet([Explanation(Rule("bird", Var("wings")))], ["wings"])


@settings(max_examples=50)
@given(explanation_sets())
def test_rules_come_back_as_they_were(rules):
    text = rules.to_json()

    assert text.isascii()
    assert ExplanationSet.from_json(text) == rules


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
        ExplanationSet.from_json(text)
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
    rules = ExplanationSet.from_json(OLD)
    rows = all_rows(3)

    assert rules.steps == (Step("fish", Var("fins") & ~Var("fur")), Step("bird", Var("wings")))
    assert rules.formulas["cat"] == Var("fur")
    for row, answer in zip(rows, rules.predict(rows), strict=True):
        true = [at for at, fires in enumerate(rules.fired([row])[0]) if fires]
        first = max(true, key=lambda at: ([0.5, 0.9, 0.5][at], -at), default=2)
        assert answer == rules.labels[first]
    assert ExplanationSet.from_json(rules.to_json()) == rules


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
        ExplanationSet.from_json(text)
    assert str(info.value) == f"This text is damaged: {message} Save it again."


def test_several_labels_of_the_version_before():
    text = json.dumps({**json.loads(OLD), "multi_label": True, "default": None})

    assert ExplanationSet.from_json(text).steps == ()


WORDS = Vocabulary(("age",), (Above("age", 62),))
RULES_OF_A_TABLE = ExplanationSet([Explanation(Rule("old", Var("age > 62"), vocabulary=WORDS))], WORDS.names)


@given(explanation_sets())
def test_a_file_gives_the_same_rules_back(tmp_path_factory, rules):
    path = tmp_path_factory.mktemp("rules") / "rules.json"
    rules.save(path)

    assert load_rules(path) == rules
    assert load_rules(str(path)) == rules


def test_a_file_keeps_the_vocabulary(tmp_path: Path):
    path = tmp_path / "rules.json"
    RULES_OF_A_TABLE.save(path)
    again = load_rules(path)

    assert again.vocabulary == WORDS
    assert again.predict({"age": [70]}).tolist() == ["old"]
    assert str(again) == "forall x: old(x) <-> age(x) > 62"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\x80\x04\x95", "The file is not text in UTF-8, so it was not saved here."),
        (
            b"import os",
            "logiclens.rules is saved as JSON; this text is not: Expecting value: line 1 column 1 (char 0). "
            "Save it again.",
        ),
        (
            RULES_OF_A_TABLE["old"].to_json().encode(),
            'The text must be a JSON object with "format": "logiclens.rules". '
            "Got \"format\": 'logiclens.explanation'.",
        ),
        (
            RULES_OF_A_TABLE.to_json().replace('"version": 3', '"version": 1').encode(),
            "The text has version 1 of logiclens.rules; this release reads version 3. "
            "Update logiclens, or save it again.",
        ),
    ],
)
def test_other_files_are_refused_by_name(content, reason, tmp_path: Path):
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        load_rules(path)

    assert str(caught.value) == f"{str(path)!r} does not hold rules that can be read. {reason}"


def test_folders_and_files_that_are_not_there(tmp_path: Path):
    with pytest.raises(InputError) as caught:
        load_rules(tmp_path)
    with pytest.raises(FileNotFoundError):
        load_rules(tmp_path / "nothing.json")

    assert str(caught.value) == f"{str(tmp_path)!r} is a folder. Name a file in it."
