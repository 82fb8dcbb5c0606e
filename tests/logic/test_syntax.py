from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from logiclens.errors import FormulaSyntaxError, InputError, LimitError
from logiclens.logic.formula import (
    FALSE,
    MAX_DEPTH,
    TRUE,
    And,
    Not,
    Notation,
    Or,
    Var,
    escape,
)
from logiclens.logic.syntax import MAX_LENGTH, format_formula, latex_name, parse_formula
from tests.strategies import HOSTILE_NAMES, formulas, names

a, b, c, d = (Var(name) for name in "abcd")
BIRD_SPLIT = "\ud83d\udc26"  # the two halves of a bird's code, which are not a bird

any_names = (
    names()
    | st.text(min_size=1, max_size=6)
    | st.text(st.characters(categories=["Cs", "Cf", "Cc"]), min_size=1)
)


def deep(levels):
    """Nest ``a | (b & (a | ...))`` that many levels deep."""
    formula = a
    for level in range(levels - 1):
        formula = And(b, formula) if level % 2 else Or(a, formula)
    return formula


def shared(levels, leaf):
    """Build a formula with few objects and 2 ** levels leaves."""
    for _ in range(levels):
        leaf = And(leaf, leaf)
    return leaf


@pytest.mark.parametrize("style", ["ascii", "unicode"])
@given(formula=formulas(any_names))
@example(formula=Var(BIRD_SPLIT))
@example(formula=Var("\ud83d"))
@example(formula=And(*map(Var, HOSTILE_NAMES)))
@example(formula=deep(MAX_DEPTH))
def test_what_is_written_is_read_back_exactly(style, formula):
    assert parse_formula(format_formula(formula, style)) == formula


@pytest.mark.parametrize("style", ["ascii", "unicode", "latex"])
@given(formula=formulas(any_names))
def test_text_is_one_printable_line(style, formula):
    text = format_formula(formula, style)

    assert text.isprintable()


@given(st.text(max_size=30) | st.text(st.sampled_from(' ()~!&|<->"\\\nabu0¬∧∨→↔⊤⊥é'), max_size=30))
def test_any_text_is_a_formula_or_refused_with_a_place(text):
    error, formula = None, None
    try:
        formula = parse_formula(text)
    except FormulaSyntaxError as caught:
        error = caught

    if error is None:
        assert parse_formula(format_formula(formula)) == formula
    else:
        assert 0 <= error.position <= len(text)
        assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("formula", "ascii_text", "unicode_text"),
    [
        (And(And(a, b), c), "(a & b) & c", "(a ∧ b) ∧ c"),
        (And(a, b, c), "a & b & c", "a ∧ b ∧ c"),
        (Or(And(a, Not(b)), c), "(a & ~b) | c", "(a ∧ ¬b) ∨ c"),
        (Not(Not(a)), "~~a", "¬¬a"),
        (Not(Or(a, TRUE)), "~(a | TRUE)", "¬(a ∨ ⊤)"),
        (Or(FALSE, Var("TRUE")), 'FALSE | "TRUE"', '⊥ ∨ "TRUE"'),
        (Var("not"), '"not"', '"not"'),
        (Not(Var("größe")), "~größe", "¬größe"),
        (Var("身長"), "身長", "身長"),
        (Var("größer als 1,5 m"), '"größer als 1,5 m"', '"größer als 1,5 m"'),
        (Var("🐦"), '"🐦"', '"🐦"'),
        (Var('say "hi"\n\\'), '"say \\"hi\\"\\n\\\\"', '"say \\"hi\\"\\n\\\\"'),
        (Var("\u200fx"), '"\\u200fx"', '"\\u200fx"'),
        (Var("1st"), '"1st"', '"1st"'),
    ],
)
def test_spelling(formula, ascii_text, unicode_text):
    assert format_formula(formula) == str(formula) == ascii_text
    assert format_formula(formula, "unicode") == unicode_text


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("a|b&~c", Or(a, And(b, Not(c)))),
        ("a ∧ b ∨ !c", Or(And(a, b), Not(c))),
        ("((a))", a),
        ("a->b", a >> b),
        ("a >> b -> c", a >> (b >> c)),
        ("a & b → c | d", And(a, b) >> Or(c, d)),
        ("a <-> b", a.iff(b)),
        ("a -> b ↔ c", (a >> b).iff(c)),
        ("a <-> (b <-> c)", a.iff(b.iff(c))),
        ("⊤ & ⊥", And(TRUE, FALSE)),
        ('"a"', a),
        ('"\\u0061\\U00000062"', Var("ab")),
        ("\n a\t", a),
    ],
)
def test_reading(text, formula):
    assert parse_formula(text) == formula


@pytest.mark.parametrize(
    ("text", "reason", "place"),
    [
        ("  ", "The text is empty", "column 1: '▸  '"),
        ("a & & b", "Expected a concept, got '&'", "column 5: 'a & ▸& b'"),
        ("a |", "Expected a concept, got the end of the text", "column 4: 'a |▸'"),
        ("()", "Expected a concept, got ')'", "column 2: '(▸)'"),
        ("bill colour", "Expected an operator, got 'colour'", "column 6: 'bill ▸colour'"),
        ("a & (b | c", "never closed. Add a )", "column 5: 'a & ▸(b | c'"),
        ("a) & b", "closes nothing", "column 2: 'a▸) & b'"),
        ('a & "b', "This quote is never closed", "column 5: 'a & ▸\"b'"),
        ('""', "must not be empty", "column 1: '▸\"\"'"),
        ('"a\\q"', "Unknown escape '\\\\q'", "column 3: '\"a▸\\\\q\"'"),
        ('"\\UFFFFFFFF"', "Unknown escape '\\\\UFFFFFFFF'", "column 2: "),
        ("a and b", "'and' is reserved. Write &", "column 3: 'a ▸and b'"),
        ("True", "'True' is reserved. Write TRUE", "column 1: '▸True'"),
        ("age > 62", 'Put a name like that in double quotes: "age > 62"', "column 5: 'age ▸> 62'"),
        ("(a|age>=62)&b", 'double quotes: "age>=62"', "column 4: '(a|▸age>=62)&b'"),
        ("a & 62", 'double quotes: "62"', "column 5: 'a & ▸62'"),
        ("x" * 50 + ".", f"'{'x' * 40}...' is no operator and no plain name", "column 1: "),
        ("a && b", "'&&' is no operator here. Write &", "column 3: 'a ▸&& b'"),
        ("a||b", "'||' is no operator here. Write |", "column 2: 'a▸||b'"),
        ("a => b", "'=>' is no operator here. Write ->", "column 3: 'a ▸=> b'"),
        ("a<=>b", "'<=>' is no operator here. Write <->", "column 2: 'a▸<=>b'"),
        ("a ^ b", "Write ~(a <-> b) for one of the two", "column 3: 'a ▸^ b'"),
        ("a == b", "Write <-> between concepts", "column 3: 'a ▸== b'"),
        ("a &\n  & b", "Expected a concept, got '&'", "line 2, column 3: 'a &\\n  ▸& b'"),
        ("a <-> b <-> c", "Two <-> in a row", "column 9: 'a <-> b ▸<-> c'"),
    ],
)
def test_errors_point_at_the_column_and_tell_the_fix(text, reason, place):
    with pytest.raises(FormulaSyntaxError) as info:
        parse_formula(text)

    assert reason in info.value.reason
    assert f"({place}" in str(info.value)


@pytest.mark.parametrize(
    "text",
    ["(" * 100_000, "~" * 100_000 + "a", "~(" * 50_000 + "a" + ")" * 50_000, "(~~" * 150 + "a" + ")" * 150],
)
def test_bottomless_text_is_refused(text):
    with pytest.raises(LimitError, match="nested 200 levels deep at most"):
        parse_formula(text)


@pytest.mark.parametrize("sign", ["&", "|", "->"])
def test_long_chains_are_read_in_linear_time(sign):
    formula = parse_formula(f" {sign} ".join(["a"] * 30_000))

    assert formula.depth <= 3
    assert formula.literals == 30_000


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: parse_formula("a" * (MAX_LENGTH + 1)), LimitError, "1000000 characters at most"),
        (lambda: parse_formula(b"a"), InputError, "read from a string. Got bytes"),
        (lambda: format_formula(a, "html"), InputError, "The styles are 'ascii', 'unicode', 'latex'"),
        (lambda: format_formula(a, "Latex"), InputError, r"Did you mean 'latex'\?"),
        (lambda: format_formula("a"), InputError, r"write Var\('a'\)"),
        (lambda: format_formula(None), InputError, "Got None"),
        (lambda: format_formula(shared(150, a)), LimitError, "more than 200000 literals"),
        (lambda: format_formula(shared(150, Not(FALSE))), LimitError, "more than 200000 literals"),
    ],
)
def test_misuse_is_explained(call, error, message):
    with pytest.raises(error, match=message):
        call()


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


def test_escapes():
    assert escape('a"b\\\n\t\u202e\U000e0001“', '"“') == r"a\"b\\\n\t\u202e\U000e0001\u201c"
    assert escape("größe 🐦") == "größe 🐦"


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


def test_latex():
    formula = Or(And(a, Not(b)), Not(Or(c, FALSE)), TRUE)

    assert format_formula(formula, "latex") == (
        r"(\mathit{a} \land \lnot \mathit{b}) \lor \lnot (\mathit{c} \lor \bot) \lor \top"
    )
