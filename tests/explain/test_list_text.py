"""Decision lists in logic and in plain English."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.concepts import Above, Missing, Vocabulary
from logiclens.errors import InputError
from logiclens.explain import Step
from logiclens.explain.list_text import aligned, list_sentence, list_text
from logiclens.logic import TRUE, Var, parse_formula
from tests.explain.strategies import label_lists, steps
from tests.strategies import formulas, names

WORDS = Vocabulary(("age", "ward"), (Above("age", 62), Missing("ward")))
STEPS = [Step("old", Var("age > 62")), Step("lost", Var("ward is missing") & ~Var("age > 62"))]


@pytest.mark.parametrize(
    ("style", "text"),
    [
        (
            "ascii",
            'if age(x) > 62 then old\nelse if missing(ward(x)) & age(x) <= 62 then lost\notherwise "it\'s"',
        ),
        (
            "unicode",
            'if age(x) > 62 then old\nelse if missing(ward(x)) ∧ age(x) ≤ 62 then lost\notherwise "it\'s"',
        ),
    ],
)
def test_the_words_are_those_of_the_vocabulary(style, text):
    assert list_text(STEPS, "it's", WORDS, style) == text


def test_latex():
    lines = list_text([Step(1, Var("a")), Step(2, ~Var("b"))], 3, style="latex").splitlines()

    assert lines == [
        r"\begin{aligned}",
        r"& \text{if } \mathit{a}(x) \text{ then } 1 \\",
        r"& \text{else if } \lnot \mathit{b}(x) \text{ then } 2 \\",
        r"& \text{otherwise } 3",
        r"\end{aligned}",
    ]
    assert aligned(["x"]) == "\\begin{aligned}\nx\n\\end{aligned}"


@given(st.data())
def test_there_is_a_line_for_each_step_and_one_for_the_default(data):
    labels = data.draw(label_lists())
    made = data.draw(steps(labels, formulas(names(), 4)))
    default = data.draw(st.sampled_from(labels))

    for style in ("ascii", "unicode"):
        lines = list_text(made, default, style=style).split("\n")
        assert len(lines) == len(made) + 1
        assert all(line.isprintable() for line in lines)
        assert lines[-1].startswith("otherwise " if made else "always ")


def test_sentences():
    said = [*STEPS, Step("any", TRUE)]

    assert list_sentence(said, "none", str, WORDS) == (
        "If age above 62, then old;\n"
        "otherwise if ward is missing and age at most 62, then lost;\n"
        "otherwise in any case any;\n"
        "otherwise none."
    )
    assert list_sentence([Step("x", parse_formula("(a & b) | c"))], "y", str).startswith(
        "If a and b, or c, then x;"
    )


def test_a_list_without_steps():
    assert (list_text([], "y"), list_sentence([], "y", str)) == ("always y", "It is always y.")


def test_an_unknown_style_is_refused():
    with pytest.raises(InputError, match="Unknown style 'latx'"):
        list_text([], "y", style="latx")
