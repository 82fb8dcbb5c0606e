from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from logiclens.concepts import Above, Vocabulary
from logiclens.errors import InputError
from logiclens.explain import Explanation, ExplanationSet, Rule, load_rules
from logiclens.logic import Var
from tests.explain.strategies import explanation_sets

WORDS = Vocabulary(("age",), (Above("age", 62),))
RULES = ExplanationSet([Explanation(Rule("old", Var("age > 62"), vocabulary=WORDS))], WORDS.names)


@given(explanation_sets())
def test_a_file_gives_the_same_rules_back(tmp_path_factory, rules):
    path = tmp_path_factory.mktemp("rules") / "rules.json"
    rules.save(path)

    assert load_rules(path) == rules
    assert load_rules(str(path)) == rules


def test_a_file_keeps_the_vocabulary(tmp_path: Path):
    path = tmp_path / "rules.json"
    RULES.save(path)
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
            RULES["old"].to_json().encode(),
            'The text must be a JSON object with "format": "logiclens.rules". '
            "Got \"format\": 'logiclens.explanation'.",
        ),
        (
            RULES.to_json().replace('"version": 3', '"version": 1').encode(),
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
