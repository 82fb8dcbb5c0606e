"""Rule sets in files: read back as they were, refused where they are damaged."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.concepts import Above, Vocabulary
from logiclens.errors import InputError
from logiclens.explain import Explanation, ExplanationSet, HeldOutScores, Rule, Step, load_rules
from logiclens.logic import Var
from tests.concepts.strategies import raw_formulas
from tests.explain.strategies import explanation_sets
from tests.strategies import HOSTILE_NAMES, all_rows

RULES = ExplanationSet(
    [Explanation(Rule("bird", Var("wings"))), Explanation(Rule("fish", Var("fins")))],
    ["wings", "fins"],
    default="bird",
)


@given(explanation_sets())
def test_json_round_trip_is_exact(rules):
    again = ExplanationSet.from_json(rules.to_json())

    assert again == rules
    assert again.explanations == rules.explanations  # fronts, scores and all
    assert [type(label) for label in again] == [type(label) for label in rules]
    assert type(again.default) is type(rules.default)
    assert again.to_json() == rules.to_json()
    assert rules.to_json().isascii()


def test_hostile_names_and_labels_survive_a_file(tmp_path: Path):
    rules = ExplanationSet([Explanation(Rule(name, Var(name))) for name in HOSTILE_NAMES], HOSTILE_NAMES)
    path = tmp_path / "rules.json"
    rules.save(path)
    again = load_rules(str(path))

    assert again == rules
    assert again.predict(np.eye(len(HOSTILE_NAMES))).tolist() == list(HOSTILE_NAMES)
    assert os.listdir(tmp_path) == ["rules.json"]


def test_the_format_is_what_it_was():
    assert json.loads(ExplanationSet([Explanation(Rule(True, ~Var("fur")))], ["fur"]).to_json()) == {
        "format": "logiclens.rules",
        "version": 4,
        "concept_names": ["fur"],
        "multi_label": False,
        "default": True,
        "steps": [{"label": True, "formula": {"not": "fur"}}],
        "explanations": [
            {
                "target": True,
                "kind": "iff",
                "formula": {"not": "fur"},
                "scope": "class",
                "status": "",
                "support": 0.0,
                "scores": None,
                "front": [],
            }
        ],
        "vocabulary": None,
        "held_out": None,
    }


@pytest.mark.parametrize(
    ("entry", "value", "word"),
    [
        ("format", "logiclens.formula", '"format": "logiclens.rules"'),
        ("version", 1, "has version 1"),
        ("version", 5, "has version 5"),
        ("concept_names", ["wings"], "'fins'"),
        ("concept_names", "wings", '"concept_names"'),
        ("concept_names", [1, 2, 3], "Got 1"),
        ("multi_label", "no", "multi_label"),
        ("default", None, '"default"'),
        ("default", "cat", "'cat'"),
        ("steps", 3, '"steps"'),
        ("steps", ["x"], "a step"),
        ("steps", [{"label": "cat", "formula": "wings"}], "'cat'"),
        ("explanations", [], "at least one explanation"),
        ("explanations", [3], "an explanation"),
        ("extra", 3, "'extra'"),
        ("held_out", [], '"held_out"'),
        ("held_out", {"n_rows": [1, 2], "n_right": [1, 2], "target": None}, "for each of 2 steps"),
        ("held_out", {"n_rows": [1, 2, 3], "n_right": [1, 3, 3], "target": None}, "no more right ones"),
        ("held_out", {"n_rows": [1, 2, 3], "n_right": [1, 2, "x"], "target": None}, "no more right ones"),
        ("held_out", {"n_rows": [1, 2, 3], "n_right": [1, 2, 3], "target": 3}, "target must be"),
        ("vocabulary", [], "A vocabulary"),
        ("vocabulary", {"columns": ["wings"], "named": True, "concepts": []}, "'wings'"),
    ],
)
def test_damaged_foreign_and_future_files_are_refused(entry, value, word, tmp_path: Path):
    text = json.dumps({**json.loads(RULES.to_json()), entry: value})
    path = tmp_path / "rules.json"
    path.write_text(text)
    with pytest.raises(InputError) as from_text:
        ExplanationSet.from_json(text)
    with pytest.raises(InputError) as from_file:
        load_rules(path)

    said = str(from_text.value)
    assert word in said
    assert said.startswith("This text is damaged: ") == (entry not in ("format", "version"))
    assert str(from_file.value) == f"{str(path)!r} does not hold rules that can be read. {said}"


@given(explanation_sets(), st.data())
def test_a_text_cut_short_is_refused(rules, data):
    text = rules.to_json()
    with pytest.raises(InputError, match=r"^logiclens\.rules is saved as JSON; this text is not: "):
        ExplanationSet.from_json(text[: data.draw(st.integers(0, len(text) - 1))])


def test_saving_fails_before_the_file_is_touched(tmp_path: Path):
    """A label that JSON would change is noticed first; the old rules stay."""
    path = tmp_path / "rules.json"
    RULES.save(path)
    before = path.read_text()
    with pytest.raises(InputError, match="JSON cannot carry the text"):
        ExplanationSet([Explanation(Rule("\ud83d\udc26", Var("fur")))], ["fur"]).save(path)

    assert path.read_text() == before


def test_scores_of_steps_are_saved():
    """Version 3 had none; rules are the same without."""
    scores = HeldOutScores((10, 5, 0), (9, 4.5, 0), "kind")
    rules = replace(RULES, held_out=scores)
    again = ExplanationSet.from_json(rules.to_json())
    entries = {key: value for key, value in json.loads(rules.to_json()).items() if key != "held_out"}
    old = ExplanationSet.from_json(json.dumps({**entries, "version": 3}))

    assert again.held_out == scores
    assert scores.precision == (0.9, 0.9, None)
    assert (old == again, old.held_out) == (True, None)


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
    ("value", "word"), [(3, "Got 3"), ([0.5], "3 labels. Got 1"), ([0.5, 2, 0], "Got 2")]
)
def test_damage_of_the_version_before_is_named(value, word):
    with pytest.raises(InputError, match=f"^This text is damaged: .*priority.*{word}"):
        ExplanationSet.from_json(json.dumps({**json.loads(OLD), "priority": value}))


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
        (b"\x80\x04\x95", "The file is not text in UTF-8"),
        (b"import os", "saved as JSON; this text is not"),
        (RULES_OF_A_TABLE["old"].to_json().encode(), "'logiclens.explanation'"),
    ],
)
def test_other_files_are_refused_by_name(content, reason, tmp_path: Path):
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        load_rules(path)

    assert str(caught.value).startswith(f"{str(path)!r} does not hold rules that can be read. ")
    assert reason in str(caught.value)


def test_folders_and_files_that_are_not_there(tmp_path: Path):
    with pytest.raises(InputError) as caught:
        load_rules(tmp_path)
    with pytest.raises(FileNotFoundError):
        load_rules(tmp_path / "nothing.json")

    assert str(caught.value) == f"{str(tmp_path)!r} is a folder. Name a file in it."


@given(raw_formulas())
def test_rules_with_a_vocabulary_survive_json(found):
    raw, formula = found
    rules = ExplanationSet(
        [Explanation(Rule("yes", formula)), Explanation(Rule("no", ~formula))],
        raw.vocabulary.names,
        vocabulary=raw.vocabulary,
    )
    again = ExplanationSet.from_json(rules.to_json())

    assert again == rules
    assert again.vocabulary.names == raw.vocabulary.names
    assert again.predict(raw.table).tolist() == rules.predict(raw.table).tolist()
    assert rules.fired(raw.table).sum(axis=1).tolist() == [1] * raw.n_rows
