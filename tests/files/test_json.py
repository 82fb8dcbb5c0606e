"""Saved values: exact, refused when damaged, foreign or from the future, and never half-written."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from logiclens.errors import InputError
from logiclens.files._storage import (
    fields,
    formula_from_saved,
    formula_to_saved,
    items,
    read_saved,
    storable,
    write_saved,
)
from logiclens.logic import to_json
from tests.strategies import formulas


@given(formulas())
def test_a_formula_is_saved_as_elsewhere(formula):
    value = formula_to_saved(formula)

    assert value == json.loads(to_json(formula))["formula"]
    assert formula_from_saved(value) == formula


def test_what_is_written_is_read():
    text = write_saved("tea", 2, {"cups": 3, "name": "größe\n"})

    assert text.isascii()
    assert text.isprintable()
    assert read_saved(text, "tea", 2, ["name", "cups"]) == {"name": "größe\n", "cups": 3}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "tea is saved as JSON; this text is not: Expecting value: line 1 column 1 (char 0)."),
        ('{"format": "tea", "vers', "tea is saved as JSON; this text is not: Unterminated string"),
        ("[" * 100_000, "This text is nested too deep to have been saved here. Save it again."),
        ("[]", 'The text must be a JSON object with "format": "tea". Got a list.'),
        ("{}", 'The text must be a JSON object with "format": "tea". Got an object without it.'),
        ('{"format": "logiclens.formula", "version": 1}', 'The text must be a JSON object with "format":'),
        ('{"format": "tea", "version": 2, "pots": 1}', "The text has version 2 of tea;"),
        ('{"format": "tea", "version": 0, "cups": 1}', "The text has version 0 of tea;"),
        ('{"format": "tea", "version": true, "cups": 1}', "The text has no version of tea;"),
        ('{"format": "tea", "cups": 1}', "The text has no version of tea; this release reads version 1."),
        ('{"format": "tea", "version": 1}', "This text is damaged: tea lacks the entry 'cups'."),
        ('{"format": "tea", "version": 1, "cups": 1, "pots": 1}', "This text is damaged: tea has an"),
        ('{"format": "tea", "version": 1, "cups": 1, "cups": 2}', "This text is damaged: an entry is"),
        ('{"format": "tea", "version": 1, "cups": NaN}', "This text is damaged: it holds NaN, which is"),
    ],
)
def test_what_was_not_saved_here_is_refused(text, message):
    with pytest.raises(InputError) as caught:
        read_saved(text, "tea", 1, ["cups"])

    assert message in str(caught.value)


def test_only_text_is_read():
    with pytest.raises(InputError) as caught:
        read_saved(b"{}", "tea", 1, [])

    assert str(caught.value) == "tea is read from a string. Got bytes."


def test_fields_and_items():
    assert list(fields({"b": 1, "a": 2}, ["a", "b"], "it")) == ["a", "b"]
    assert items([1], "it") == [1]
    with pytest.raises(InputError, match=r"^it must be an object\. Got \[\]\.$"):
        fields([], ["a"], "it")
    with pytest.raises(InputError, match=r"^it must be a list\. Got 'ab'\.$"):
        items("ab", "it")


def test_a_text_that_json_would_change_is_refused():
    assert storable("größe\ud800") == "größe\ud800"
    with pytest.raises(InputError) as caught:
        storable("a\ud83d\udc26")

    assert "JSON cannot carry the text 'a\\ud83d\\udc26': it holds a split surrogate pair." in str(
        caught.value
    )
