from __future__ import annotations

import pytest
from hypothesis import given

from logiclens.errors import InputError, LimitError
from logiclens.logic.formula import TRUE, And, Not, Or, Var
from logiclens.logic.notation import Notation, check_writable, escape, is_plain
from tests.logic.test_syntax import any_names, deep, shared

a, b, c = (Var(name) for name in "abc")
WORDS = Notation(lambda name, yes: name if yes else f"no {name}", "all", "none", "not ", " and ", " or ")


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (TRUE, "all"),
        (Not(a), "no a"),
        (Not(Not(a)), "not no a"),
        (Or(And(a, Not(b)), c), "(a and no b) or c"),
        (Not(Or(a, b)), "not (a or b)"),
    ],
)
def test_one_notation(formula, text):
    assert WORDS.write(formula) == text


def test_phrases_stand_in_parentheses_after_a_negation():
    """``~age <= 62`` would be read as the negation of age."""
    phrases = Notation(
        lambda name, yes: f"{name} {'>' if yes else '<='} 1", "T", "F", "~", " & ", " | ", True
    )
    enclosed = Notation(lambda name, yes: f"({name} or {yes})", "T", "F", "~", " & ", " | ", True)

    assert phrases.write(Not(Not(a)) & Not(b)) == "~(a <= 1) & b <= 1"
    assert phrases.write(Not(Not(Not(a)))) == "~~(a <= 1)"
    assert phrases.write(Not(a | b)) == "~(a > 1 | b > 1)"
    assert enclosed.write(Not(Not(a))) == "~(a or False)"


@pytest.mark.parametrize(
    ("name", "plain"),
    [("red", True), ("größe", True), ("身長", True), ("Not", False), ("1st", False), ("a b", False)],
)
def test_plain_names(name, plain):
    assert is_plain(name) is plain


@given(any_names)
def test_what_is_escaped_is_one_printable_line(name):
    assert escape(name, '"').isprintable()


def test_escapes():
    assert escape('a"b\\\n\t\u202e\U000e0001“', '"“') == r"a\"b\\\n\t\u202e\U000e0001\u201c"
    assert escape("größe 🐦") == "größe 🐦"


def test_what_cannot_be_written():
    check_writable(deep(3), 3)
    with pytest.raises(LimitError, match="nested 4 levels deep; this form takes 3 at most"):
        check_writable(deep(4), 3)
    with pytest.raises(LimitError, match="more than 200000 literals"):
        check_writable(shared(30, a))
    with pytest.raises(InputError, match=r"^Only a formula can be written out. Got None.$"):
        check_writable(None)
