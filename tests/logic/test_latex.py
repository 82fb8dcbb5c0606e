from __future__ import annotations

import doctest
import re

import pytest
from hypothesis import given

from logiclens.logic import latex
from logiclens.logic.formula import FALSE, TRUE, And, Not, Or, Var
from logiclens.logic.latex import latex_name
from logiclens.logic.notation import escape
from logiclens.logic.syntax import format_formula
from tests.logic.test_syntax import any_names

a, b, c = (Var(name) for name in "abc")

SIGNS = {
    r"{\backslash}": "\\",
    r"{\sim}": "~",
    r"{}^{\wedge}": "^",
    r"{}^{\prime\prime}": '"',
    "{<}": "<",
    "{>}": ">",
    "{|}": "|",
    **{f"\\{char}": char for char in "{}$&#%_"},
}
PIECE = re.compile(
    "|".join(map(re.escape, SIGNS)) + r"|\\text\{([^\\{}$&#%_~^<>|" + '"' + r"]+)\}|(.)", re.DOTALL
)


def shown_by(text: str) -> str:
    """Read the text as LaTeX and MathJax do; fail on what is neither a known sign nor text in a box."""
    if whole := re.fullmatch(r"\\mathit\{((?:[a-zA-Z0-9]|\\_)+)\}", text):
        return whole[1].replace(r"\_", "_")
    name = ""
    for piece in PIECE.finditer(text):
        assert piece[2] is None, f"{piece[2]!r} stands bare in {text}"
        name += piece[1] or SIGNS[piece[0]]
    return name


@given(any_names)
def test_a_name_is_shown_and_does_nothing_else(name):
    visible = "".join(char if char.isprintable() else escape(char) for char in name)

    assert shown_by(latex_name(name)) == visible


@given(any_names)
def test_nothing_in_a_box_is_joined_by_latex(name):
    for box in re.findall(r"\\text\{([^}]*)\}", latex_name(name)):
        assert not re.search(r"--|''|``|,,|[!?]`|  ", box)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("red_wing", r"\mathit{red\_wing}"),
        ("age > 62", r"\text{age }{>}\text{ 62}"),
        ("share of 50 %", r"\text{share of 50 }\%"),
        ("<script>", r"{<}\text{script}{>}"),
        ("$x$ {0}", r"\$\text{x}\$\text{ }\{\text{0}\}"),
        ("a\\b\n", r"\text{a}{\backslash}\text{b}{\backslash}\text{n}"),
        ("~^&#|`'-\"", r"{\sim}{}^{\wedge}\&\#{|}\text{`'-}{}^{\prime\prime}"),
        ("a--b,,  ?`", r"\text{a-}\text{-b,}\text{, }\text{ ?}\text{`}"),
        ("größe", r"\text{größe}"),
    ],
)
def test_spelling_of_names(name, text):
    assert latex_name(name) == text


def test_connectives():
    formula = Or(And(a, Not(b)), Not(Or(c, FALSE)), TRUE)

    assert format_formula(formula, "latex") == (
        r"(\mathit{a} \land \lnot \mathit{b}) \lor \lnot (\mathit{c} \lor \bot) \lor \top"
    )


def test_examples_in_the_docstrings():
    assert doctest.testmod(latex).failed == 0
