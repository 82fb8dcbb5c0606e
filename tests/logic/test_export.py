from __future__ import annotations

import ast
import json
import re
import sys
from itertools import product

import numpy as np
import pytest
import sympy
from hypothesis import example, given, settings
from hypothesis import strategies as st

from logiclens.errors import LimitError, MissingDependencyError
from logiclens.logic.export import (
    from_json,
    to_json,
    to_python,
    to_sentence,
    to_sympy,
    write_python,
    write_sentence,
)
from logiclens.logic.formula import FALSE, MAX_DEPTH, TRUE, And, Not, Or, Var
from logiclens.logic.syntax import format_formula
from tests.errors import error_of
from tests.logic.test_syntax import BIRD_SPLIT, any_names, deep, shared
from tests.strategies import HOSTILE_NAMES, all_rows, formulas, names

a, b, c = (Var(name) for name in "abc")
WIDE = Or(And(*map(Var, "abc" * 20)), *(And(a, Not(b), Var("c"), FALSE) for _ in range(1100)))
COLUMNS = st.lists(
    names().filter(lambda name: "\0" not in name), min_size=1, max_size=5, unique_by=lambda name: name.lower()
)


@st.composite
def tables(draw, values):
    """Draw ``(formula, names, rows)``: a formula and rows of its concepts, some of them None."""
    columns = draw(COLUMNS)
    formula = draw(formulas(st.sampled_from(columns)))
    row = st.tuples(*[st.none() | values for _ in columns])
    return formula, columns, draw(st.lists(row, min_size=1, max_size=12))


def expected(formula, columns, rows):
    """Truth by evaluate, unknown values counting as false."""
    filled = np.array([[0.0 if value is None else float(value) for value in row] for row in rows])
    return formula.evaluate(filled, columns).tolist()


def compiled(source, name="rule"):
    scope = {}
    exec(compile(source, "rule.py", "exec"), scope)
    return scope[name]


@given(table=tables(st.floats(0, 1) | st.booleans() | st.sampled_from([0.5, np.float32(0.7)])))
def test_python_source_is_evaluate(table):
    formula, columns, rows = table
    rows = [tuple(0 if value is None else value for value in row) for row in rows]
    rule = compiled(to_python(formula))

    results = [rule(dict(zip(columns, row, strict=True))) for row in rows]

    assert all(type(result) is bool for result in results)
    assert results == expected(formula, columns, rows)


@given(formulas(any_names))
@example(And(*map(Var, HOSTILE_NAMES)))
def test_python_source_shows_names_as_literals_only(formula):
    nodes = list(ast.walk(ast.parse(to_python(formula))))

    assert {node.id for node in nodes if isinstance(node, ast.Name)} <= {"row"}
    assert not any(isinstance(node, ast.Call | ast.Attribute) for node in nodes)
    strings = {node.value for node in nodes if isinstance(node, ast.Constant)} - {0.5, True, False}
    assert strings == set(formula.concepts)


def test_python_source_never_runs_a_name(tmp_path):
    target = tmp_path / "made"
    name = f"']; open({str(target)!r}, 'w'); row['"

    assert compiled(to_python(Var(name)))({name: 1.0}) is True
    assert not target.exists()


def test_python_source_of_wide_and_deep_formulas():
    assert compiled(to_python(WIDE))({"a": 1, "b": 1, "c": 1}) is True
    assert compiled(to_python(deep(80)))({"a": 0, "b": 1}) is False
    assert compiled(to_python(TRUE))({}) is True
    assert compiled(to_python(a, "bool"), "bool")({"a": 1}) is True


@pytest.mark.parametrize(
    ("formula", "source"),
    [
        (TRUE, "def rule(row):\n    return True\n"),
        (Not(TRUE), "def rule(row):\n    return False\n"),
        (
            Not(And(a, Not(b))),
            "def rule(row):\n    return True if (\n        row['a'] <= 0.3\n        or row['b'] > 0.3\n"
            "    ) else False\n",
        ),
    ],
)
def test_python_spelling(formula, source):
    assert to_python(formula, threshold=0.3) == source


@given(table=tables(st.floats(0, 1)), threshold=st.sampled_from([0.0, 0.25, 0.9]))
def test_python_source_takes_a_threshold(table, threshold):
    formula, columns, rows = table
    filled = np.array([[0.0 if value is None else value for value in row] for row in rows])
    rule = compiled(to_python(formula, threshold=threshold))

    results = [rule(dict(zip(columns, row, strict=True))) for row in filled.tolist()]

    assert results == formula.evaluate(filled, columns, threshold=threshold).tolist()


@pytest.mark.parametrize("formula", [a, Not(a), Not(And(a, a)), Not(Not(Not(a))), And(Not(a), TRUE)])
def test_python_source_is_never_true_because_of_a_missing_value(formula):
    rule = compiled(to_python(formula))

    assert rule({"a": float("nan")}) is False
    with pytest.raises(TypeError):
        rule({"a": None})
    with pytest.raises(KeyError):
        rule({})


@settings(max_examples=60)
@given(
    formula=formulas(st.sampled_from(["red", "a & b", "lambda", "\ud83d", "__import__('os')"]), max_leaves=8)
)
def test_sympy_is_evaluate(formula):
    columns = list(formula.concepts)
    rows = all_rows(len(columns))
    symbols = [sympy.Symbol(name) for name in columns]
    function = sympy.lambdify(symbols, to_sympy(formula), modules="math", dummify=True)

    assert [bool(function(*map(bool, row))) for row in rows] == formula.evaluate(rows, columns).tolist()


def test_sympy_missing_names_the_fix(monkeypatch):
    monkeypatch.setitem(sys.modules, "sympy", None)

    with pytest.raises(MissingDependencyError, match="pip install"):
        to_sympy(a)


@given(formulas(any_names.filter(lambda name: not re.search("[\ud800-\udbff][\udc00-\udfff]", name))))
@example(Var("\ud83d"))
@example(And(*map(Var, HOSTILE_NAMES)))
@example(deep(MAX_DEPTH))
def test_json_comes_back_exactly(formula):
    text = to_json(formula)

    assert text.isascii()
    assert text.isprintable()
    assert from_json(text) == formula


def test_json_spelling():
    formula = Or(And(a, Not(b)), FALSE)

    assert json.loads(to_json(formula)) == {
        "format": "logiclens.formula",
        "version": 1,
        "formula": {"or": [{"and": ["a", {"not": "b"}]}, False]},
    }


def saved(formula, version="1"):
    return f'{{"format": "logiclens.formula", "version": {version}, "formula": {formula}}}'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"{}", "read from a string. Got bytes"),
        ("", "this text is not: Expecting value"),
        ("1", 'has the entries "format"'),
        ('{"format": "other", "version": 1, "formula": "a"}', 'has the entries "format"'),
        (
            '{"format": "logiclens.formula", "version": 1, "formula": "a", "more": 1}',
            'has the entries "format"',
        ),
        ('{"format": "logiclens.formula", "format": "x"}', "repeats an entry: 'format'"),
        (saved('"a"', "2"), "saved in version 2"),
        (saved('"a"', "true"), "saved in version bool"),
        (saved('{"xor": ["a", "b"]}'), "Got an object with 'xor'"),
        (saved('{"and": ["a", "b"], "or": ["a", "b"]}'), "Got an object with 'and', 'or'"),
        (saved('{"and": ["a"]}'), "Got an object with 'and'"),
        (saved("null"), "Got NoneType"),
        (saved("[" * 300 + "]" * 300), "Got list"),
        (saved('""'), "must not be empty"),
        (saved('{"not": ' * 200 + '"a"' + "}" * 200), "nested 200 levels deep at most"),
        (saved("[" * 1_000_000), "nested 200 levels deep at most"),
        ("x" * 10_000_001, "10000000 characters at most"),
    ],
    ids=range(17),
)
def test_json_that_is_not_a_saved_formula_is_refused(text, message):
    assert message in error_of(from_json, text)


@pytest.mark.parametrize(
    ("formula", "sentence"),
    [
        (TRUE, "always"),
        (FALSE, "never"),
        (a, "a"),
        (Not(a), "not a"),
        (And(a, Not(b), c), "a and not b and c"),
        (Or(And(a, Not(b)), c), "a and not b, or c"),
        (And(Or(a, b), Not(c)), "a or b, and not c"),
        (Or(And(a, Or(b, c)), Not(And(a, b))), "a and (b or c), or not (a and b)"),
        (Not(Or(a, And(b, c))), "not (a or (b and c))"),
        (Var("bill colour"), "bill colour"),
        (And(Var("and"), Var("Never")), "‹and› and ‹Never›"),
        (Var("‹x›\n"), "‹\\u2039x\\u203a\\n›"),
    ],
)
def test_sentences(formula, sentence):
    assert to_sentence(formula) == sentence


@given(formulas(any_names))
def test_sentences_are_one_printable_line(formula):
    assert to_sentence(formula).isprintable()


@given(st.lists(formulas(any_names), min_size=2, max_size=2, unique=True))
def test_different_formulas_have_different_sentences(pair):
    assert to_sentence(pair[0]) != to_sentence(pair[1])
    assert format_formula(pair[0], "plain") != format_formula(pair[1], "plain")


PARTS = (
    "a",
    "b",
    "and",
    "or",
    "Not",
    "a,",
    "(a",
    ")",
    "=",
    "‹a",
    "›",
    "always",
    "is",
    "(a)",
    "missing",
    "known",
)
FORGED = [*PARTS, *(" ".join(two) for two in product(PARTS, PARTS)), "a or  b", " a", "a ", "\u2039a\u203a"]


def test_no_name_forges_a_formula():
    """Names made of the parts of sentences: all formulas of two of them, and some of three."""
    variables = [Var(name) for name in dict.fromkeys(FORGED)]
    made = [*variables, *(Not(each) for each in variables)]
    made += [kind(*pair) for kind in (And, Or) for pair in product(variables[:120], variables[-120:])]
    made += [Or(And(*pair), a) for pair in product(variables[:40], variables[:40])]
    made += [And(a, Not(Or(*pair))) for pair in product(variables[:40], variables[:40])]

    for write in (to_sentence, lambda formula: format_formula(formula, "plain")):
        assert len({write(formula) for formula in made}) == len(made)


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        *(
            (name, name)
            for name in ("<=50K", "education-num", "0<=X<200", "Some college", "100 %", "R&D", "Age (years)")
        ),
        *((name, name) for name in ("female div/dep/mar", "Not-in-family", "it's", "1,000", "größe", "$x$")),
        *(
            (name, f"‹{name}›")
            for name in (
                "wife or child",
                "NOT",
                "a, b",
                "age > 62",
                "f(x)",
                "(a) b",
                "a (b) c",
                "a (b (c))",
                "a (b or c)",
                'x"',
            )
        ),
        *((name, f"‹{name}›") for name in ("missing", "age is missing", "a  b", " a", "if", "and/or", "{0}")),
        ("a\tb", r"‹a\tb›"),
        ("\u202eb", r"‹\u202eb›"),
        ("‹a›", r"‹\u2039a\u203a›"),
        (r"‹\u2039", r"‹\u2039\\u2039›"),
    ],
)
def test_names_stand_as_people_write_them(name, plain):
    assert format_formula(Var(name), "plain") == plain


def above(name, positive):
    return f"row[{name!r}] {'>' if positive else '<='} 3"


def test_python_literals_are_written_as_the_caller_says():
    rule = compiled(write_python(Not(Or(a, Not(b))), "rule", above))

    assert [rule({"a": x, "b": y}) for x in (3, 4) for y in (3, 4)] == [False, True, False, False]


def test_sentences_are_worded_as_the_caller_says():
    def words(name, positive):
        return f"{name} {'above' if positive else 'at most'} 3"

    assert write_sentence(Or(And(a, Not(b)), c), words) == "a above 3 and b at most 3, or c above 3"
    assert write_sentence(Not(Not(a)), words) == "not a at most 3"
    assert write_sentence(Not(Not(a)), words, phrases=True) == "not (a at most 3)"
    assert write_sentence(FALSE, words) == "never"


@pytest.mark.parametrize("name", ["lambda", "a b", "", "f(x): pass #", "__debug__", None])
def test_what_cannot_be_a_function(name):
    assert f"A function cannot be called {name!r}" in error_of(to_python, a, name)
    assert compiled(to_python(a, "größe"), "größe")({"a": 1}) is True


@pytest.mark.parametrize("write", [to_python, to_sympy, to_json, to_sentence])
def test_what_cannot_be_written(write):
    with pytest.raises(LimitError, match="more than 200000 literals"):
        write(shared(70, TRUE))
    assert "Got 'a'; write Var('a')" in error_of(write, "a")
    if write in (to_python, to_sympy):
        write(deep(80))
        with pytest.raises(LimitError, match="nested 81 levels deep; this form takes 80 at most"):
            write(deep(81))


def test_what_one_export_cannot_carry():
    assert "must be a number in [0, 1)" in error_of(to_python, a, threshold=2)
    assert "a split surrogate pair" in error_of(to_json, Var(BIRD_SPLIT))
    with pytest.raises(LimitError, match="10000000 is the limit"):
        to_json(And(a, Var("n" * 10_000_000)))
