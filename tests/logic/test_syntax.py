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
    check_writable,
    escape,
    is_plain,
)
from logiclens.logic.syntax import MAX_LENGTH, format_formula, latex_name, notation_named, parse_formula
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


@given(formula=formulas(st.sampled_from(["a", "b c", '"', "\n"])))
def test_operators_are_ascii(formula):
    assert format_formula(formula).isascii()


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
    ("text", "message"),
    [
        ("  ", "The text is empty. Write TRUE or FALSE for a constant (column 1: '▸  ')"),
        ("a & & b", "Expected a concept, got '&'. Put a concept, ~ or ( here (column 5: 'a & ▸& b')"),
        (
            "a |",
            "Expected a concept, got the end of the text. Put a concept, ~ or ( here (column 4: 'a |▸')",
        ),
        ("()", "Expected a concept, got ')'. Put a concept, ~ or ( here (column 2: '(▸)')"),
        (
            "bill colour",
            "Expected an operator, got 'colour'. Put & or | before it, or put a name that has blanks "
            "or signs in double quotes (column 6: 'bill ▸colour')",
        ),
        ("a & (b | c", "This parenthesis is never closed. Add a ) (column 5: 'a & ▸(b | c')"),
        ("a) & b", "This parenthesis closes nothing. Remove it, or open one before (column 2: 'a▸) & b')"),
        ('a & "b', "This quote is never closed. Add a \" after the name (column 5: 'a & ▸\"b')"),
        ('""', "A concept name must not be empty. Put it in the quotes (column 1: '▸\"\"')"),
        (
            '"a\\q"',
            "Unknown escape '\\\\q' in a quoted name. Write two backslashes for one "
            "(column 3: '\"a▸\\\\q\"')",
        ),
        (
            '"\\UFFFFFFFF"',
            "Unknown escape '\\\\UFFFFFFFF' in a quoted name. Write two backslashes for one "
            "(column 2: '\"▸\\\\UFFFFFFFF\"')",
        ),
        ("a and b", "'and' is reserved. Write &, or quote it if it is a concept (column 3: 'a ▸and b')"),
        ("True", "'True' is reserved. Write TRUE, or quote it if it is a concept (column 1: '▸True')"),
        (
            "age > 62",
            "'>' is no operator and no plain name. Put a name like that in double quotes: \"age > 62\" "
            "(column 5: 'age ▸> 62')",
        ),
        (
            "(a|age>=62)&b",
            "'age>=62' is no operator and no plain name. Put a name like that in double quotes: "
            "\"age>=62\" (column 4: '(a|▸age>=62)&b')",
        ),
        (
            "a & 62",
            "'62' is no operator and no plain name. Put a name like that in double quotes: \"62\" "
            "(column 5: 'a & ▸62')",
        ),
        (
            "x" * 50 + ".",
            f"'{'x' * 40}...' is no operator and no plain name. Put a name like that in double quotes "
            "(column 1: '▸xxxxxxxxxxxx...')",
        ),
        ("a && b", "'&&' is no operator here. Write & (column 3: 'a ▸&& b')"),
        ("a||b", "'||' is no operator here. Write | (column 2: 'a▸||b')"),
        (
            "a => b",
            "'=>' is no operator here. Write ->, or put a name that has it in double quotes "
            "(column 3: 'a ▸=> b')",
        ),
        (
            "a<=>b",
            "'<=>' is no operator here. Write <->, or put a name that has it in double quotes "
            "(column 2: 'a▸<=>b')",
        ),
        (
            "a ^ b",
            "'^' is no operator here. Write ~(a <-> b) for one of the two, or put a name that has it in "
            "double quotes (column 3: 'a ▸^ b')",
        ),
        (
            "a == b",
            "'==' is no operator here. Write <-> between concepts, or put a name that has it in double "
            "quotes (column 3: 'a ▸== b')",
        ),
        (
            "a &\n  & b",
            "Expected a concept, got '&'. Put a concept, ~ or ( here (line 2, column 3: 'a &\\n  ▸& b')",
        ),
        (
            "a <-> b <-> c",
            "Two <-> in a row. Say with parentheses what is meant (column 9: 'a <-> b ▸<-> c')",
        ),
    ],
)
def test_errors_point_at_the_column_and_tell_the_fix(text, message):
    with pytest.raises(FormulaSyntaxError, match=f"^{re.escape(message)}$"):
        parse_formula(text)


@pytest.mark.parametrize("text", ["(" * 100_000, "~" * 100_000 + "a", "~(" * 50_000 + "a" + ")" * 50_000])
def test_bottomless_text_is_refused(text):
    with pytest.raises(LimitError, match="nested 200 levels deep at most"):
        parse_formula(text)


def test_depth_counts_negations_and_parentheses_together():
    with pytest.raises(LimitError, match="nested 200 levels deep at most"):
        parse_formula("(~~" * 150 + "a" + ")" * 150)


@pytest.mark.parametrize("sign", ["&", "|", "->"])
def test_long_chains_are_read_in_linear_time(sign):
    formula = parse_formula(f" {sign} ".join(["a"] * 30_000))

    assert formula.depth <= 3
    assert formula.complexity == 30_000


def test_limits_and_wrong_arguments_are_named():
    with pytest.raises(
        LimitError, match=r"^A formula's text may have 1000000 characters at most. Got 1000001.$"
    ):
        parse_formula("a" * (MAX_LENGTH + 1))
    with pytest.raises(InputError, match=r"^A formula is read from a string. Got bytes.$"):
        parse_formula(b"a")
    with pytest.raises(
        InputError, match=r"^Unknown style 'html'. The styles are 'ascii', 'unicode', 'latex'.$"
    ):
        format_formula(a, "html")
    with pytest.raises(
        InputError,
        match=r"^Unknown style 'Latex'. Did you mean 'latex'\? The styles are 'ascii', 'unicode', 'latex'.$",
    ):
        format_formula(a, "Latex")
    with pytest.raises(InputError, match=r"^Only a formula can be written out. Got 'a'; write Var\('a'\).$"):
        format_formula("a")


@pytest.mark.parametrize("leaf", [a, TRUE, Not(FALSE)])
def test_formulas_that_share_parts_without_bound_are_refused(leaf):
    with pytest.raises(LimitError, match="more than 200000 literals and connectives when written out"):
        format_formula(shared(150, leaf))


@pytest.mark.parametrize("style", ["ascii", "unicode", "latex"])
def test_a_notation_writes_what_its_style_does(style):
    formula = Or(And(a, Not(b)), Not(And(c, d)), TRUE)

    assert notation_named(style).write(formula) == format_formula(formula, style)


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
