"""Rules: First-Order Logic and sentences, for all kinds, hostile names and constants."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.concepts import Above, Missing, OneOf, Vocabulary
from logiclens.errors import InputError, LimitError, UnknownConceptError
from logiclens.explain import Rule, RuleKind
from logiclens.logic import FALSE, TRUE, Or, Var, format_formula, parse_formula
from tests.strategies import HOSTILE_NAMES, formulas, names

PHI = parse_formula("(p & q_1) | ~r")
RIGHT = "(p(x) & q_1(x)) | ~r(x)"
LATEX = r"(\mathit{p}(x) \land \mathit{q\_1}(x)) \lor \lnot \mathit{r}(x)"


@pytest.mark.parametrize(
    ("kind", "ascii_text", "latex_text"),
    [
        ("if", f"forall x: y(x) -> {RIGHT}", rf"\forall x \colon \mathit{{y}}(x) \rightarrow {LATEX}"),
        (
            "only_if",
            f"forall x: ({RIGHT}) -> y(x)",
            rf"\forall x \colon ({LATEX}) \rightarrow \mathit{{y}}(x)",
        ),
        ("iff", f"forall x: y(x) <-> {RIGHT}", rf"\forall x \colon \mathit{{y}}(x) \leftrightarrow {LATEX}"),
        ("cluster", f"forall x in O_y: {RIGHT}", rf"\forall x \in O_{{\mathit{{y}}}} \colon {LATEX}"),
    ],
)
def test_every_kind_in_every_style(kind, ascii_text, latex_text):
    rule = Rule("y", PHI, kind)
    unicode_text = ascii_text
    for sign, other in (
        ("forall ", "∀"),
        (" in ", " ∈ "),
        ("<->", "↔"),
        ("->", "→"),
        *zip("&|~", "∧∨¬", strict=True),
    ):
        unicode_text = unicode_text.replace(sign, other)

    assert str(rule) == rule.format() == ascii_text
    assert rule.format("unicode") == unicode_text
    assert rule.format("latex") == latex_text


@pytest.mark.parametrize(
    ("formula", "kind", "text"),
    [
        (TRUE, "if", "forall x: y(x) -> TRUE"),
        (FALSE, "only_if", "forall x: FALSE -> y(x)"),
        (TRUE, "iff", "forall x: y(x) <-> TRUE"),
        (FALSE, "cluster", "forall x in O_y: FALSE"),
        (~Var("a"), "only_if", "forall x: ~a(x) -> y(x)"),
        (~(Var("a") | TRUE), "only_if", "forall x: ~(a(x) | TRUE) -> y(x)"),
    ],
)
def test_constants_and_short_formulas(formula, kind, text):
    assert str(Rule("y", formula, kind)) == text


def test_constants_in_other_styles():
    assert Rule("y", FALSE).format("unicode") == "∀x: y(x) ↔ ⊥"
    assert Rule("y", TRUE).format("latex") == r"\forall x \colon \mathit{y}(x) \leftrightarrow \top"


@pytest.mark.parametrize(
    ("target", "predicate", "cluster", "latex"),
    [
        (1, "1(x)", "O_1", "1(x)"),
        ("1", '"1"(x)', 'O_"1"', r"\text{1}(x)"),
        (1.0, "1.0(x)", "O_1.0", r"\text{1.0}(x)"),
        (True, "True(x)", "O_True", r"\text{True}(x)"),
        ("True", '"True"(x)', 'O_"True"', r"\mathit{True}(x)"),
        (-2, "-2(x)", "O_-2", "-2(x)"),
        (np.int64(3), "3(x)", "O_3", "3(x)"),
        ("", '""(x)', 'O_""', r"\varepsilon(x)"),
        ("a & b", '"a & b"(x)', 'O_"a & b"', r"\text{a }\&\text{ b}(x)"),
        ('"; DROP', r'"\"; DROP"(x)', r'O_"\"; DROP"', r"{}^{\prime\prime}\text{; DROP}(x)"),
        ("two\nlines", r'"two\nlines"(x)', r'O_"two\nlines"', r"\text{two}{\backslash}\text{nlines}(x)"),
    ],
)
def test_targets_of_every_type(target, predicate, cluster, latex):
    """A number and the text of that number stay apart."""
    assert str(Rule(target, Var("a"))) == f"forall x: {predicate} <-> a(x)"
    assert str(Rule(target, Var("a"), "cluster")) == f"forall x in {cluster}: a(x)"
    assert Rule(target, Var("a"), "only_if").format("latex").endswith(latex)


@pytest.mark.parametrize("style", ["ascii", "unicode"])
@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_hostile_names_are_quoted_as_formulas_quote_them(name, style):
    written = format_formula(Var(name), style)
    rule = Rule(name, Var(name), "if")

    assert rule.format(style).partition(": ")[2].replace("→", "->") == f"{written}(x) -> {written}(x)"


@given(names(), formulas(), st.sampled_from(RuleKind))
def test_a_rule_is_one_visible_line_whatever_the_names(target, formula, kind):
    rule = Rule(target, formula, kind)

    for text in (
        str(rule),
        rule.format("unicode"),
        rule.format("latex"),
        rule.format("plain"),
        rule.to_sentence(),
    ):
        assert text.isprintable()


@given(formulas(st.sampled_from(["a", "red", "x"])), st.sampled_from(["ascii", "unicode"]))
def test_without_its_predicates_the_right_side_is_the_formula(formula, style):
    """What is printed is the formula, with ``(x)`` behind each concept and nothing else."""
    text = Rule("y", formula, "if").format(style)
    right = text.split("y(x) ", 1)[1][2:].strip()

    assert parse_formula(right.replace("(x)", "")) == formula


@pytest.mark.parametrize(
    ("target", "kind", "sentence"),
    [
        ("y", "if", "Every y row has: {}"),
        ("y", "only_if", "Rows where {} are y"),
        ("y", "iff", "Predicts y when {}"),
        (2, "cluster", "Every row of cluster 2 has: {}"),
        (1, "if", "Every class 1 row has: {}"),
        ("class 1", "only_if", "Rows where {} are class 1"),
        ("<=50K", "iff", "Predicts <=50K when {}"),
        ("then y", "iff", "Predicts ‹then y› when {}"),
        ("", "iff", "Predicts ‹› when {}"),
    ],
)
def test_sentences(target, kind, sentence):
    rule = Rule(target, PHI, kind)

    assert rule.to_sentence() == rule.format("plain") == sentence.format("p and q_1, or not r")


@pytest.mark.parametrize(
    ("formula", "kind", "sentence"),
    [
        (TRUE, "if", "Nothing is known that every {x} row has"),
        (FALSE, "if", "No row is {x}"),
        (TRUE, "only_if", "Every row is {x}"),
        (FALSE, "only_if", "Nothing is known that makes a row {x}"),
        (TRUE, "iff", "Always predicts {x}"),
        (FALSE, "iff", "Never predicts {x}"),
        (TRUE, "cluster", "Nothing is known that every row of cluster {x} has"),
        (FALSE, "cluster", "Cluster {x} has no rows"),
    ],
)
@pytest.mark.parametrize("target", ["death", "{0}", "{target.__class__}"])
def test_sentences_about_constants(formula, kind, sentence, target):
    named = target if target == "death" else f"‹{target}›"

    assert Rule(target, formula, kind).to_sentence() == sentence.replace("{x}", named)


def test_a_rule_holds_plain_values():
    rule = Rule(np.str_("a"), Var("b"), "if")

    assert type(rule.target) is str
    assert rule.kind is RuleKind.IF
    assert (rule.concepts, rule.complexity) == (("b",), 1)


def test_rules_are_values():
    rule = Rule("a", Var("b"))

    assert rule == Rule("a", Var("b"), RuleKind.IFF)
    assert hash(rule) == hash(Rule("a", Var("b")))
    assert rule != Rule("a", Var("b"), "if")
    assert pickle.loads(pickle.dumps(rule)) == rule
    with pytest.raises(AttributeError):
        rule.target = "b"


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Rule("a", Var("b"), "only if"), "Unknown kind of rule 'only if'."),
        (lambda: Rule("a", Var("b"), None), "Unknown kind of rule None."),
        (lambda: Rule("a", "b"), "Rule takes formulas."),
        (lambda: Rule("a", Var("b")).format("html"), "Unknown style 'html'."),
        (lambda: Rule("a", Var("b")).format("latecs"), "Unknown style 'latecs'."),
    ],
)
def test_what_is_refused(build, message):
    with pytest.raises(InputError, match=message):
        build()


def test_a_rule_too_long_to_be_written_is_refused_not_printed():
    formula = Var("a")
    for _ in range(20):
        formula = Or(formula, formula)

    with pytest.raises(LimitError):
        str(Rule("y", formula))


WORDS = Vocabulary(
    ("age", "bill colour"), (Above("age", 62), OneOf("bill colour", ("red", "blue")), Missing("bill colour"))
)
OLD, RED = (Var(name) for name in WORDS.names[:2])


def test_with_a_vocabulary_rules_speak_of_columns():
    rule = Rule("ill", ~OLD | RED, "only_if", WORDS)

    assert str(rule) == 'forall x: (age(x) <= 62 | "bill colour"(x) in {red, blue}) -> ill(x)'
    assert rule.to_sentence() == (
        "Rows where age is at most 62 or (bill colour is either red or blue) are ill"
    )


def test_styles_of_rules_that_speak_of_columns():
    rule = Rule("ill", ~(~OLD & ~RED), vocabulary=WORDS)

    assert rule.format("unicode") == (
        '∀x: ill(x) ↔ ¬(age(x) ≤ 62 ∧ ("bill colour"(x) ∉ {red, blue} ∨ missing("bill colour"(x))))'
    )
    assert rule.format("latex").startswith(
        r"\forall x \colon \mathit{ill}(x) \leftrightarrow \lnot (\mathit{age}(x) \le 62 \land "
    )
    assert str(Rule("ill", ~~OLD, vocabulary=WORDS)) == "forall x: ill(x) <-> ~(age(x) <= 62)"
    assert str(Rule("ill", TRUE, vocabulary=WORDS)) == "forall x: ill(x) <-> TRUE"


def test_a_vocabulary_is_part_of_the_rule():
    rule = Rule("ill", OLD, vocabulary=WORDS)

    assert rule != Rule("ill", OLD)
    assert rule == pickle.loads(pickle.dumps(rule))
    assert "vocabulary" not in repr(rule)
    with pytest.raises(UnknownConceptError, match="Unknown concept 'age > 63'"):
        Rule("ill", Var("age > 63"), vocabulary=WORDS)
    with pytest.raises(InputError, match="vocabulary must be a Vocabulary or None"):
        Rule("ill", OLD, vocabulary="age")
