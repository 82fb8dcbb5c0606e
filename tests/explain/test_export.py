"""Rules as logic, English, LaTeX, Markdown and Python source."""

from __future__ import annotations

import ast
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logiclens.concepts import Above, Missing, OneOf, Vocabulary
from logiclens.errors import InputError
from logiclens.evaluation import evaluate
from logiclens.explain import Explanation, ExplanationSet, Rule, Step
from logiclens.explain.resolution import list_sentence, list_text
from logiclens.logic import FALSE, TRUE, Formula, Var, parse_formula, to_sympy
from tests.concepts.strategies import raw_tables
from tests.explain.strategies import explanation_sets, label_lists, steps
from tests.strategies import HOSTILE_NAMES, all_rows, formulas, names

a, b = Var("a"), Var("b")


def rules_of(made: dict[Any, Formula], names=("a", "b"), **settings: Any) -> ExplanationSet:
    explanations = [Explanation(Rule(label, formula)) for label, formula in made.items()]
    return ExplanationSet(explanations, list(names), **settings)


def compiled(source: str, name: str = "predict"):
    scope: dict[str, Any] = {"__builtins__": {}}  # it needs nothing but Python's own words
    exec(source, scope)
    return scope[name]


def same(rules: ExplanationSet, predict, rows: list[dict[str, Any]], expected) -> None:
    for row, answer in zip(rows, expected.tolist(), strict=True):
        found = predict(row)
        if rules.multi_label:
            assert found == {label: bool(said) for label, said in zip(rules, answer, strict=True)}
            assert all(type(value) is bool for value in found.values())
        else:
            assert (type(found), found) == (type(answer), answer)


@settings(max_examples=100)
@given(explanation_sets())
def test_the_source_predicts_as_the_rules_do(rules):
    """Hostile names and labels of any type, conflicts and rows without a rule included."""
    X = all_rows(len(rules.concept_names))
    rows = [dict(zip(rules.concept_names, row, strict=True)) for row in X.tolist()]

    same(rules, compiled(rules.to_python()), rows, rules.predict(X))


@settings(max_examples=100)
@given(st.data())
def test_the_source_predicts_rows_of_a_raw_table(data):
    raw = data.draw(raw_tables())
    words = raw.vocabulary
    made = {label: data.draw(formulas(st.sampled_from(words.names), 4)) for label in ("missing(", "y")}
    rules = rules_of(made, words.names, vocabulary=words, multi_label=data.draw(st.booleans()))

    same(rules, compiled(rules.to_python()), raw.rows(), rules.predict(raw.table))


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=5))
def test_scores_are_compared_with_the_threshold(rows):
    rules = rules_of({"x": a & ~b, "y": b}, default="x")
    predict = compiled(rules.to_python("which", threshold=0.25), "which")

    found = [predict({"a": one, "b": other}) for one, other in rows]
    assert found == rules.predict(rows, threshold=0.25).tolist()


def test_the_source():
    words = Vocabulary(("age", "ward"), (Above("age", 62), OneOf("ward", ("ICU",)), Missing("ward")))
    made = {"old": Var("age > 62"), "frail": parse_formula('"age > 62" & ~"ward = ICU"'), "none": FALSE}
    order = [Step(label, made[label]) for label in ("frail", "old", "none")]
    rules = rules_of(made, words.names, vocabulary=words, default="none", steps=order)

    assert rules.to_python() == (
        "def predict(row):\n"
        "    nan = 1e999 - 1e999  # a missing value: no comparison is true of it\n"
        "    row = {\n"
        "        'age': nan if row['age'] is None else row['age'],\n"
        "        'ward': nan if row['ward'] is None else row['ward'],\n"
        "    }\n"
        "    if (\n"
        "        row['age'] > 62\n"
        "        and row['ward'] != 'ICU'\n"
        "    ):\n"
        "        return 'frail'\n"
        "    elif (\n"
        "        row['age'] > 62\n"
        "    ):\n"
        "        return 'old'\n"
        "    else:\n"
        "        return 'none'\n"
    )


def test_the_source_of_several_labels():
    assert rules_of({"x": a, "y": TRUE}, multi_label=True).to_python() == (
        "def predict(row):\n"
        "    return {\n"
        "        'x': True if (\n"
        "            row['a'] > 0.5\n"
        "        ) else False,\n"
        "        'y': True if True else False,\n"
        "    }\n"
    )


@pytest.mark.parametrize("name", ["1st", "pass"])
def test_a_function_needs_a_name(name):
    rules = rules_of({"x": a}, ["a", "b"])

    with pytest.raises(InputError, match=f"A function cannot be called '{name}'"):
        rules.to_python(name)


def test_a_list_without_steps():
    rules = rules_of({"x": a, "y": b}, default="y", steps=[])

    assert rules.to_python() == "def predict(row):\n    return 'y'\n"
    assert rules.to_sentence() == "It is always y."
    assert str(rules) == "always y"
    assert rules.to_latex() == ("\\begin{aligned}\n& \\text{always } \\mathit{y}\n\\end{aligned}")


@pytest.mark.parametrize("n_steps", [500, 3000])
def test_a_long_list_is_python(n_steps):
    """Each step is nested in the one before, to a parser."""
    names = [f"c{at}" for at in range(n_steps)]
    rules = rules_of({name: Var(name) for name in names}, names, default="c0")
    predict = compiled(rules.to_python())

    assert predict(dict.fromkeys(names, 0) | {names[-1]: 1}) == names[-1]
    assert predict(dict.fromkeys(names, 0)) == "c0"


def test_the_list_is_printed_in_logic():
    rules = rules_of({"x": a, "y": b}, default="x", steps=[Step("y", b & ~a), Step("x", a)])

    assert str(rules) == "if b(x) & ~a(x) then y\nelse if a(x) then x\notherwise x"
    assert str(rules["x"]) == "forall x: x(x) <-> a(x)"
    assert rules.literals == 3


@pytest.mark.parametrize("kind", ["if", "only_if", "cluster"])
def test_conditions_of_one_kind_are_printed_as_rules(kind):
    found = [Explanation(Rule(label, formula, kind)) for label, formula in (("x", a), ("y", b))]
    rules = ExplanationSet(found, ["a", "b"], default="x", steps=[Step("y", b), Step("x", a)])

    assert str(rules) == "\n".join(map(str, found))
    last = rules.to_sentence().splitlines()[-1]
    assert last.startswith("The first of these that is true decides: ")
    other = ExplanationSet(found, ["a", "b"], default="x", steps=[Step("y", b & ~a)])
    assert other.to_sentence().splitlines()[2:] == other.decision_sentence().splitlines()
    assert other.decision_sentence().startswith("If b and not a, then ")


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        (
            rules_of({0: a, 1: b}, steps=[Step(1, b), Step(0, a)], default=0),
            "If b, then class 1;\notherwise if a, then class 0;\notherwise class 0.",
        ),
        (
            rules_of({"x": a, "y": b}, steps=[Step("y", TRUE)], default="x"),
            "In any case y;\notherwise x.",
        ),
        (rules_of({"x": a}, default="x"), "If the rule is false, the prediction is x as well."),
        (
            rules_of({"x": a, "y": b}, multi_label=True),
            "Each label is predicted where its rule is true; a row may have several, or none.",
        ),
    ],
)
def test_who_decides(rules, sentence):
    assert rules.decision_sentence() == sentence
    assert rules.to_sentence().endswith(sentence)


def test_rules_of_several_labels_stand_one_a_line():
    rules = rules_of({"x": a, "y": b}, multi_label=True)

    assert rules.to_sentence().splitlines()[:2] == [f"{rules[label].to_sentence()}." for label in rules]


def test_sympy():
    rules = rules_of({"x": a & ~b, 'say "hi"': b}, default="x")

    assert rules.to_sympy() == {"x": to_sympy(a & ~b), 'say "hi"': to_sympy(b)}


def test_latex():
    assert rules_of({"x": a, "y": a & b}, default="x").to_latex() == (
        "\\begin{aligned}\n"
        "& \\text{if } \\mathit{a}(x) \\text{ then } \\mathit{x} \\\\\n"
        "& \\text{else if } \\mathit{a}(x) \\land \\mathit{b}(x) \\text{ then } \\mathit{y} \\\\\n"
        "& \\text{otherwise } \\mathit{x}\n"
        "\\end{aligned}"
    )


def hostile_rules() -> ExplanationSet:
    """Every hostile name as a concept and as a label."""
    made = {name: Var(name) & ~Var(HOSTILE_NAMES[at - 1]) for at, name in enumerate(HOSTILE_NAMES)}
    return rules_of(made, HOSTILE_NAMES, default="red")


class Reader(HTMLParser):
    """The elements of a page, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_data(self, data):
        self.text += data


def test_markdown_shows_names_and_obeys_none():
    """As one of its readers renders it: a list, all names there to be read, and nothing twice."""
    markdown = pytest.importorskip("markdown", reason="it comes with the tools for the documentation")
    rules = hostile_rules()
    page = Reader(markdown.markdown(rules.to_markdown(), extensions=["fenced_code", "tables"]))

    assert page.tags == {"ol", "li", "strong"}
    assert not page.attributes
    assert page.text.strip().splitlines() == rules.format("plain").splitlines()
    several = ExplanationSet(rules.explanations, rules.concept_names, multi_label=True)
    page = Reader(markdown.markdown(several.to_markdown(), extensions=["fenced_code", "tables"]))
    for explanation in rules.values():
        assert f"{explanation.to_sentence()}." in page.text
        assert explanation.rule.format("unicode") in page.text


def test_steps_of_markdown_say_how_often_they_are_right():
    rules = ExplanationSet(
        [Explanation(Rule("a*b", Var("p") & Var("q"))), Explanation(Rule("y", Var("r")))],
        ["p", "q", "r"],
        default="y",
        steps=[Step("a*b", (Var("p") & Var("q")) | Var("r"))],
    )
    rows = {"p": [1, 1, 0, 0], "q": [1, 1, 0, 0], "r": [0, 0, 0, 0]}
    found = evaluate(rules, rows, ["a*b", "y", "y", "y"])

    assert rules.to_markdown(found.steps).splitlines()[:2] == [
        "1. if p and q, or r then **a&#42;b**: right on 1 of the 2 rows it decides (50.0%)",
        "2. otherwise **y**: right on 2 of 2 rows (100.0%)",
    ]
    with pytest.raises(InputError, match=r"one entry for each step and one for the default: 2\. Got 1\."):
        rules.to_markdown(found.steps[:1])


def test_every_text_is_printable_and_has_a_line_for_each_rule():
    rules = hostile_rules()
    assert len(rules.to_sentence().splitlines()) == len(rules) + 1
    assert len(rules.to_latex().splitlines()) == len(rules) + 3
    for text in (rules.to_python(), rules.to_markdown(), rules.to_sentence(), rules.to_latex()):
        assert text.replace("\n", "").isprintable()


def test_names_are_string_literals_in_the_source():
    tree = ast.parse(hostile_rules().to_python())
    read = {node.slice.value for node in ast.walk(tree) if isinstance(node, ast.Subscript)}
    said = {node.value.value for node in ast.walk(tree) if isinstance(node, ast.Return)}

    assert read == said == set(HOSTILE_NAMES)
    assert {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} == {"row"}


WORDS = Vocabulary(("age", "ward"), (Above("age", 62), Missing("ward")))
STEPS = [Step("old", Var("age > 62")), Step("lost", Var("ward is missing") & ~Var("age > 62"))]


def test_the_words_are_those_of_the_vocabulary():
    assert list_text(STEPS, "it's", WORDS, "unicode") == (
        'if age(x) > 62 then old\nelse if missing(ward(x)) ∧ age(x) ≤ 62 then lost\notherwise "it\'s"'
    )


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
        "If age is above 62, then old;\n"
        "otherwise if ward is missing and age is at most 62, then lost;\n"
        "otherwise in any case any;\n"
        "otherwise none."
    )
    assert list_sentence([Step("x", parse_formula("(a & b) | c"))], "y", str).startswith(
        "If a and b, or c, then x;"
    )


def test_an_unknown_style_is_refused():
    with pytest.raises(InputError, match="Unknown style 'latx'"):
        list_text([], "y", style="latx")
