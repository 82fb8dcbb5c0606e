from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens import Explanation, Rule, Var
from logiclens.concepts import Above, Vocabulary
from logiclens.plots.texts import LONGEST, concept_label, in_words, lines_of, shorten, target_label
from tests.strategies import HOSTILE_NAMES, names


@given(st.text(max_size=80), st.integers(3, 60))
def test_a_short_text_stays_and_a_long_one_keeps_both_ends(text: str, longest: int):
    short = shorten(text, longest)

    assert len(short) == min(len(text), longest)
    if len(text) <= longest:
        assert short == text
    else:
        head, tail = short[: longest - longest // 2 - 1], short[-(longest // 2) :]
        assert text.startswith(head)
        assert text.endswith(tail)


@given(names())
def test_labels_of_concepts_are_one_short_line(name: str):
    label = concept_label(name)

    assert len(label) <= LONGEST
    assert label.isprintable()


def test_concepts_stand_in_the_words_of_the_vocabulary():
    words = Vocabulary(("age",), (Above("age", 62),))

    assert concept_label("age > 62", words) == "age above 62"
    assert in_words(~Var("age > 62"), words) == "age at most 62"
    assert concept_label("age > 62") == "“age > 62”"


@pytest.mark.parametrize(
    ("target", "kind", "expected"),
    [("death", "iff", "death"), (3, "iff", "class 3"), (0, "cluster", "cluster 0"), ("3", "iff", "“3”")],
)
def test_numbers_are_said_to_be_classes_or_clusters(target: object, kind: str, expected: str):
    assert target_label(Explanation(Rule(target, Var("a"), kind))) == expected


@given(st.lists(st.sampled_from(["age", "above", "62,", "n" * 30]), max_size=20), st.integers(12, 40))
def test_lines_are_few_and_short(words: list[str], width: int):
    lines = lines_of(" ".join(words), width, most=2).splitlines()

    assert len(lines) <= 2
    assert all(len(line) <= width for line in lines)


def test_the_longest_of_the_hostile_names_loses_its_middle():
    long = max(HOSTILE_NAMES, key=len)

    assert concept_label(long) == "n" * 19 + "…" + "n" * 20
