from __future__ import annotations

import json
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logiclens.concepts import Above, AtMost, Between, Flag, Missing, OneOf, Table, Vocabulary
from logiclens.concepts.concept import Condition, Relation
from logiclens.concepts.table import ValueType
from logiclens.errors import InputError, UnknownColumnError, UnknownConceptError
from logiclens.explain import Explanation, ExplanationSet, Rule
from logiclens.logic import FALSE, TRUE, And, Not, Var, equivalent, implies
from tests.concepts.strategies import Raw, raw_formulas, raw_tables
from tests.errors import error_of
from tests.strategies import HOSTILE_NAMES

AGE = Vocabulary(("age",), (Above("age", 30), Above("age", 62)))
OLD, GROWN = Var("age > 62"), Var("age > 30")
WORDS = Vocabulary(
    ("name", "age", "colour", "smoker"),
    (Above("age", 30), OneOf("colour", ("red",)), Flag("smoker"), Missing("colour")),
)
ROW = {"name": ["x", "y"], "age": [40, 20], "colour": ["red", None], "smoker": [True, False]}
TRUTHS = {"age > 30": [1, 0], "colour = red": [1, 0], "smoker": [1, 0], "colour is missing": [0, 1]}


def as_lists(columns) -> dict[str, list[int]]:
    return {name: values.astype(int).tolist() for name, values in columns.items()}


# Names


def test_names_are_distinct_even_where_a_column_is_called_like_a_concept():
    words = Vocabulary(("age > 62", "age"), (Flag("age > 62"), Above("age", 62), Above("age", 62, True)))

    assert words.names == ("age > 62", "age > 62 (2)", "age > 62 (3)")
    assert words["age > 62"] == Flag("age > 62")
    assert words["age > 62 (3)"] == Above("age", 62, True)
    rows = {"age > 62": [True, False], "age": [20, 80]}
    assert as_lists(words.encode(rows, ["age > 62", "age > 62 (2)"])) == {
        "age > 62": [1, 0],
        "age > 62 (2)": [0, 1],
    }
    assert (
        words.to_sql(Var("age > 62") & ~Var("age > 62 (2)"))
        == '"age > 62" IS TRUE AND ("age" > 62) IS NOT TRUE'
    )


def test_a_number_that_is_taken_is_passed_over():
    words = Vocabulary(("a", "a (2)"), (Flag("a"), Flag("a"), Flag("a (2)"), Flag("a")))

    assert words.names == ("a", "a (3)", "a (2)", "a (4)")


@given(raw_tables(most_concepts=4))
def test_every_concept_is_found_by_its_name(raw):
    words = raw.vocabulary

    assert len(set(words.names)) == len(words.concepts)
    assert tuple(words[name] for name in words.names) == words.concepts
    assert set(words.used_columns(words.names)) == {concept.column for concept in words.concepts}


# Reading


@pytest.mark.parametrize(
    "rows",
    [
        ROW,
        pd.DataFrame(ROW),
        pl.DataFrame(ROW),
        pa.table(ROW),
        pd.DataFrame(ROW)[["smoker", "colour", "name", "age"]],
        Table(ROW),
        [["x", 40, "red", True], ["y", 20, None, False]],
        np.array([["x", 40, "red", True], ["y", 20, None, False]], dtype=object),
    ],
    ids=["mapping", "pandas", "polars", "pyarrow", "other order", "table", "lists", "array"],
)
def test_rows_are_read_from_whatever_holds_them(rows):
    assert as_lists(WORDS.encode(rows)) == TRUTHS
    data = WORDS.read(rows)
    assert {name: data.column(name).astype(int).tolist() for name in WORDS.names} == TRUTHS


def test_only_the_columns_that_are_needed_are_looked_at():
    data = WORDS.read({"age": [40, 20], "smoker": ["neither", "nor"]}, ["age > 30"])

    assert data.column("age > 30").tolist() == [True, False]
    assert WORDS.encode({"age": [40]}, ["age > 30"])["age > 30"].tolist() == [True]
    assert WORDS.read(ROW, []).n_rows == 2


def test_concepts_themselves_are_read_as_they_are():
    frame = pd.DataFrame({name: np.array(values, dtype=float) * 0.9 for name, values in TRUTHS.items()})

    data = WORDS.read(frame)

    assert {name: data.column(name).astype(int).tolist() for name in WORDS.names} == TRUTHS


def test_a_vocabulary_without_names_reads_by_place():
    words = Vocabulary(("x0", "x1"), (Above("x1", 3),), named=False)

    for rows in ([[9, 1], [0, 4]], pd.DataFrame({"b": [9, 0], "a": [1, 4]}), {"p": [9, 0], "x0": [1, 4]}):
        assert words.encode(rows)["x1 > 3"].tolist() == [False, True]


def test_only_lacking_columns_that_are_needed_are_named():
    with pytest.raises(UnknownColumnError) as info:
        WORDS.read({"name": ["x"], "hue": ["red"]})

    assert str(info.value) == (
        "The data lack 3 columns: 'age', 'colour', 'smoker'. They have 2 columns: 'name', 'hue'."
    )
    with pytest.raises(UnknownColumnError, match=r"^The data lack 2 columns: 'age', 'smoker'. Their only "):
        WORDS.encode({"name": ["x"]}, iter(["age > 30", "smoker"]))
    with pytest.raises(UnknownColumnError, match=r"^The data lack the column 'age'. Their only "):
        WORDS.encode({"name": ["x"]}, ["age > 30"])


def test_unknown_columns_and_wrong_widths_are_refused():
    with pytest.raises(UnknownColumnError) as unknown:
        WORDS.read({"Age": [1], "colour": ["red"], "smoker": [True]})
    with pytest.raises(InputError) as width:
        WORDS.read([[1, 2]])

    assert str(unknown.value) == (
        "The data lack the column 'age'. Did you mean 'Age'? They have 3 columns: 'Age', 'colour', 'smoker'."
    )
    assert str(width.value) == (
        "The table has 2 columns; 4 were there when the concepts were made. "
        "Pass the same columns in the same order, or a data frame with names."
    )


# What excludes what


def states_of(words: Vocabulary, column: str) -> set[tuple[int, ...]]:
    (group,) = (group for group in words.groups(words.names) if group.column == column)
    return {tuple(map(int, state)) for state in group.states}


@pytest.mark.parametrize(
    ("concepts", "states"),
    [
        ((Above("a", 30), Above("a", 62)), {(0, 0), (1, 0), (1, 1)}),
        ((AtMost("a", 30), Between("a", 30, 62), Above("a", 62)), {(1, 0, 0), (0, 1, 0), (0, 0, 1)}),
        ((AtMost("a", 30), Above("a", 30, True)), {(1, 0), (0, 1)}),
        ((Above("a", 30), Missing("a")), {(0, 0), (1, 0), (0, 1)}),
        ((Between("a", 0, 2), Between("a", 1, 3)), {(0, 0), (1, 0), (1, 1), (0, 1)}),
        ((OneOf("a", ("x",)), OneOf("a", ("y",))), {(0, 0), (1, 0), (0, 1)}),
        ((OneOf("a", (1,)), OneOf("a", (1, 2))), {(0, 0), (1, 1), (0, 1)}),
        ((OneOf("a", (2**53,)), OneOf("a", (2**53 + 1,))), {(0, 0), (1, 0), (0, 1)}),
        ((OneOf("a", (2,)), AtMost("a", 2), AtMost("a", 3)), {(1, 1, 1), (0, 1, 1), (0, 0, 1), (0, 0, 0)}),
        ((OneOf("a", (3,)), AtMost("a", 2), AtMost("a", 3)), {(1, 0, 1), (0, 0, 1), (0, 1, 1), (0, 0, 0)}),
        ((Above("a", 1e305), AtMost("a", -1e305)), {(0, 0), (1, 0), (0, 1)}),
        ((Above("a", 1e308), Above("a", 1.5e308)), {(0, 0), (1, 0), (1, 1)}),
        ((Flag("a"), Missing("a")), {(0, 0), (1, 0), (0, 1)}),
        ((Missing("a"),), {(0,), (1,)}),
    ],
)
def test_the_states_of_a_column_are_those_that_some_value_gives(concepts, states):
    assert states_of(Vocabulary(("a",), concepts), "a") == states


@settings(max_examples=100)
@given(raw_tables(most_concepts=4))
def test_groups_and_what_is_given_hold_on_every_row(raw):
    words = raw.vocabulary
    encoded = words.encode(raw.table)
    missing = {name: np.array([value is None for value in raw.table[name]]) for name in raw.table}

    for group in words.groups(words.names):
        rows = np.column_stack([encoded[name] for name in group.names])
        known = {tuple(state): given for state, given in zip(group.states, group.given, strict=True)}
        assert all(tuple(row) in known for row in rows)
        assert all(known[tuple(row)] for row in rows[~missing[group.column]])
    for formula in words.given(words.names):
        assert formula.evaluate(encoded).all()
    names = list(words.names)
    assert words.possible(np.column_stack([encoded[name] for name in names]), names).all()


@given(raw_tables(), st.data())
def test_possible_tuples_are_the_models_of_what_is_given(raw, data):
    names = data.draw(st.permutations(raw.vocabulary.names))[:4]
    tuples = (np.arange(2 ** len(names))[:, None] >> np.arange(len(names)) & 1).astype(bool)

    known = And.of(raw.vocabulary.given(names))

    expected = (
        known.evaluate(dict(zip(names, tuples.T, strict=True))) if known != TRUE else np.ones(len(tuples))
    )
    assert raw.vocabulary.possible(tuples, names).tolist() == expected.astype(bool).tolist()


def test_many_categories_are_no_matter():
    words = Vocabulary(("c",), tuple(OneOf("c", (f"v{j}",)) for j in range(70)))
    tuples = np.vstack(
        [np.zeros(70, bool), np.eye(70, dtype=bool)[69], np.eye(70, dtype=bool)[:2].any(axis=0)]
    )

    assert words.possible(tuples, words.names).tolist() == [True, True, False]


def test_nothing_is_given_where_all_can_be():
    words = Vocabulary(("a", "b"), (Flag("a"), Above("b", 1)))

    assert words.given(words.names) == ()
    assert words.given([]) == ()
    assert AGE.given(["age > 30"]) == ()
    assert implies(OLD, GROWN, AGE.given(AGE.names))


@settings(max_examples=60)
@given(raw_formulas(), st.data())
def test_conflicts_respect_the_vocabulary(found, data):
    """A witness is a row that can be, and no pair that some row of the table satisfies is missed."""
    raw, formula = found
    words = raw.vocabulary
    other = data.draw(st.sampled_from([Var(name) for name in words.names] + [~Var(words.names[0])]))
    rules = ExplanationSet(
        [Explanation(Rule("a", formula)), Explanation(Rule("b", other))], words.names, vocabulary=words
    )

    conflicts = rules.conflicts()

    assert rules.fired(raw.table).all(axis=1).any() <= bool(conflicts)
    for conflict in conflicts:
        witness = {name: [value] for name, value in conflict.witness.items()}
        assert And.of(words.given(conflict.witness)).evaluate(witness).all()
        assert (formula & other).evaluate(witness).all()


def test_ages_that_exclude_one_another_are_no_conflict():
    words = Vocabulary(("age",), (AtMost("age", 30), Above("age", 62), Above("age", 20)))
    old, young = Explanation(Rule("old", Var("age > 62"))), Explanation(Rule("young", Var("age <= 30")))

    assert ExplanationSet([old, young], words.names).conflicts()
    assert ExplanationSet([old, young], words.names, vocabulary=words).conflicts() == []
    adult = Explanation(Rule("adult", Var("age > 20")))
    (conflict,) = ExplanationSet([adult, young], words.names, vocabulary=words).conflicts()
    assert dict(conflict.witness) == {"age > 20": True, "age <= 30": True}


@settings(max_examples=100)
@given(raw_formulas())
def test_a_simplified_formula_says_the_same_of_every_row(found):
    raw, formula = found
    words = raw.vocabulary

    short = words.simplify(formula)

    assert short.literals <= formula.literals
    assert equivalent(short, formula, words.given(words.names) or None)


@pytest.mark.parametrize(
    ("formula", "short"),
    [
        (GROWN & OLD, OLD),
        (GROWN | OLD, GROWN),
        (~GROWN & OLD, FALSE),
        (GROWN | ~OLD, TRUE),
        (OLD, OLD),
        (TRUE, TRUE),
    ],
)
def test_what_follows_is_left_out(formula, short):
    assert AGE.simplify(formula) == short


def test_long_formulas_lose_what_follows_from_the_rest_of_their_terms():
    """More combinations than are looked at one by one."""
    columns = tuple(f"c{j}" for j in range(14))
    words = Vocabulary(columns, tuple(Above(c, cut) for c in columns for cut in (30, 62)))
    terms = [Var(f"{c} > 30") & Var(f"{c} > 62") for c in columns]

    short = words.simplify(terms[0] & terms[1] | And(*terms) | Var("c0 > 62") & ~Var("c0 > 30"))

    assert equivalent(short, Var("c0 > 62") & Var("c1 > 62"), words.given(words.names))
    assert short.literals <= 2 + 14


def test_a_contradiction_over_many_columns_is_false():
    """It has no terms to shorten; it was once taken for the empty term, which is always true."""
    columns = tuple(f"c{j}" for j in range(14))
    words = Vocabulary(columns, tuple(Above(c, 1) for c in columns))
    all_of_them = And(*(Var(name) for name in words.names))

    assert words.simplify(all_of_them & ~all_of_them) == FALSE


# Writing


def test_gaps_are_spoken_of_where_there_are_some_only():
    sure = Vocabulary(("age",), (Above("age", 62),))
    unsure = Vocabulary(("age",), (Above("age", 62), Missing("age")))

    assert sure.optional == frozenset()
    assert unsure.optional == {"age"}
    assert sure.condition("age > 62", False) == Condition("age", Relation.AT_MOST, (62.0,), False)
    assert unsure.condition("age > 62", False) == Condition("age", Relation.AT_MOST, (62.0,), True)
    assert sure.format(~OLD) == "age(x) <= 62"
    assert unsure.format(~OLD) == "(age(x) <= 62 | missing(age(x)))"
    assert sure.to_sql(~OLD) == unsure.to_sql(~OLD) == '("age" > 62) IS NOT TRUE'


@pytest.mark.parametrize(
    ("style", "text"),
    [
        ("ascii", "age(x) > 30 & (age(x) <= 62 | ~(age(x) <= 30))"),
        ("unicode", "age(x) > 30 ∧ (age(x) ≤ 62 ∨ ¬(age(x) ≤ 30))"),
        (
            "latex",
            r"\mathit{age}(x) > 30 \land (\mathit{age}(x) \le 62 \lor \lnot (\mathit{age}(x) \le 30))",
        ),
    ],
)
def test_formulas_speak_of_columns(style, text):
    formula = And(GROWN, ~OLD | Not(Not(GROWN)))

    assert AGE.format(formula, style) == text
    assert AGE.to_sentence(formula) == "age is above 30, and age is at most 62 or not (age is at most 30)"


def test_the_python_function_is_what_one_would_write():
    assert AGE.to_python(~OLD & GROWN, "adult") == (
        "def adult(row):\n"
        "    nan = 1e999 - 1e999  # a missing value: no comparison is true of it\n"
        "    row = {\n"
        "        'age': nan if row['age'] is None else row['age'],\n"
        "    }\n"
        "    return True if (\n"
        "        not row['age'] > 62\n"
        "        and row['age'] > 30\n"
        "    ) else False\n"
    )
    source = Vocabulary(("age",), (Above("age", 62, gaps=(-9, 999)),)).to_python(OLD)
    assert "'age': nan if row['age'] in (None, -9, 999) else row['age'],\n" in source


def test_columns_that_a_database_takes_for_one_are_refused():
    words = Vocabulary(("age", "AGE"), (Above("age", 1), Above("AGE", 1)))

    message = "'age' and 'AGE' are one column in duckdb. Rename one of the concepts."

    assert error_of(words.to_sql, Var("age > 1") & Var("AGE > 1"), "duckdb") == message
    assert words.to_sql(Var("age > 1"), "sqlite") == "(`age` > 1) IS 1"


# Keeping


@given(raw_tables(most_concepts=4))
def test_json_gives_the_same_vocabulary_back(raw):
    words = raw.vocabulary
    text = json.dumps(words.to_saved(), allow_nan=False)

    again = Vocabulary.from_saved(json.loads(text))

    assert again == words
    assert again.names == words.names
    assert hash(again) == hash(words)
    assert json.dumps(again.to_saved()) == text
    assert pickle.loads(pickle.dumps(words)) == words


def test_the_format_is_what_it_was():
    words = Vocabulary(
        ("a", "b", "c"),
        (
            Flag("a", True),
            Above("b", 1),
            AtMost("b", 0.5, True),
            Between("b", 1, 2),
            OneOf("c", ("x", 3, 0.5)),
            Missing("c"),
        ),
        named=False,
    )

    assert words.to_saved() == {
        "columns": ["a", "b", "c"],
        "named": False,
        "concepts": [
            {"kind": "flag", "column": "a", "numeric": True, "if_missing": False},
            {"kind": "above", "column": "b", "cut": 1.0, "if_missing": False},
            {"kind": "at most", "column": "b", "cut": 0.5, "if_missing": True},
            {"kind": "between", "column": "b", "low": 1.0, "high": 2.0, "if_missing": False},
            {"kind": "one of", "column": "c", "values": ["x", 3, 0.5], "if_missing": False},
            {"kind": "missing", "column": "c"},
        ],
        "optional": ["b", "c"],
    }
    assert Vocabulary(("a", "b"), (), optional=("b",)).to_saved()["optional"] == ["b"]


def test_a_text_without_optional_columns_is_read():
    saved = Vocabulary(("a", "b"), (Above("a", 3), Missing("b"))).to_saved()
    del saved["optional"]

    assert Vocabulary.from_saved(saved).optional == {"b"}


SAVED = AGE.to_saved()
ABOVE = SAVED["concepts"][0]
ENTRIES = 'A vocabulary must have the entries "columns", "named" and "concepts". Got {}.'


@pytest.mark.parametrize(
    ("saved", "message"),
    [
        (None, ENTRIES.format("None")),
        ([], ENTRIES.format("[]")),
        ({**SAVED, "extra": 1}, ENTRIES.format("a value of type dict")),
        ({"columns": ["a"]}, ENTRIES.format("{'columns': ['a']}")),
        ({**SAVED, "columns": "age"}, "\"columns\" must be a list. Got 'age'."),
        ({**SAVED, "concepts": {}}, '"concepts" must be a list. Got {}.'),
        ({**SAVED, "optional": "age"}, "\"optional\" must be a list. Got 'age'."),
        ({**SAVED, "optional": ["sex"]}, "The data lack the column 'sex'. Their only column is 'age'."),
        ({**SAVED, "optional": [[]]}, "A concept name must be a string. Got []; convert it with str()."),
        ({**SAVED, "named": 1}, '"named" must be true or false. Got 1.'),
        ({**SAVED, "columns": [1]}, "A concept name must be a string. Got 1; convert it with str()."),
        ({**SAVED, "columns": ["sex"]}, "The data lack the column 'age'. Their only column is 'sex'."),
        ({**SAVED, "concepts": [3]}, "A concept must be an object with a known kind. Got 3."),
        ({**SAVED, "concepts": [{"kind": ["above"]}]}, "A concept must be an object with a known kind."),
        ({**SAVED, "concepts": [{"kind": "above"}]}, "A concept of the kind 'above' must have the entries"),
        ({**SAVED, "concepts": [{**ABOVE, "cut": None}]}, "cut must be a finite number. Got None."),
        ({**SAVED, "concepts": [{**ABOVE, "if_missing": 0}]}, "if_missing must be True or False. Got 0."),
        ({**SAVED, "concepts": [{**ABOVE, "column": 3}]}, "A concept name must be a string. Got 3;"),
    ],
)
def test_what_is_damaged_is_refused(saved, message):
    assert message in error_of(Vocabulary.from_saved, saved)


@pytest.mark.parametrize(
    "words", [Vocabulary(("\ud83d\ude00",), ()), Vocabulary(("a",), (OneOf("a", ("\ud83d\ude00",)),))]
)
def test_a_text_that_json_would_change_is_refused(words):
    assert error_of(words.to_saved) == (
        "JSON cannot carry this vocabulary: a text in it holds a split surrogate pair. Replace it."
    )


# Nonsense


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Vocabulary(("a",), 3), "A vocabulary is made of concepts such as Above. Got 3."),
        (
            lambda: Vocabulary(("a",), ("a > 1",)),
            "A vocabulary is made of concepts such as Above. Got 'a > 1'.",
        ),
        (lambda: Vocabulary(("a",), (), "yes"), "named must be True or False. Got 'yes'."),
        (lambda: Vocabulary(("a",), (), optional="a"), "optional must be a sequence of columns. Got 'a';"),
        (lambda: AGE.groups("age"), "names must be a sequence of concepts. Got 'age'; write ['age > 62']."),
        (lambda: AGE.used_columns(3), "names must be a sequence of concepts. Got 3; write ['age > 62']."),
        (lambda: AGE.format(3), "Only a formula can be written out. Got 3."),
        (lambda: AGE.format(OLD, "asci"), "Unknown style 'asci'. Did you mean 'ascii'?"),
        (lambda: AGE.to_sql("a"), "Only a formula can be written out. Got 'a'; write Var('a')."),
    ],
)
def test_nonsense_is_refused(call, message):
    assert message in error_of(call)


@pytest.mark.parametrize(
    "call",
    [
        lambda name: AGE[name],
        lambda name: AGE.format(Var(name)),
        lambda name: AGE.simplify(Var(name)),
        lambda name: AGE.encode({"age": [1]}, [name]),
    ],
)
def test_an_unknown_concept_is_named_with_the_nearest(call):
    with pytest.raises(UnknownConceptError) as info:
        call("age > 63")

    assert str(info.value) == (
        "Unknown concept 'age > 63'. Did you mean 'age > 62'? "
        "The 2 known concepts are 'age > 30', 'age > 62'."
    )


def test_a_vocabulary_takes_any_column():
    for name in HOSTILE_NAMES:
        words = Vocabulary((name,), (Above(name, 1), OneOf(name, (7,))))
        raw = Raw(words, {name: "number"}, {name: [0.0, 7.0]})

        assert [values.tolist() for values in words.encode(raw.table).values()] == [[False, True]] * 2
        assert Vocabulary.from_saved(words.to_saved()) == words


def test_columns_are_read_as_what_the_rules_compare_them_with():
    concepts = (
        Above("number", 1),
        OneOf("also a number", (1, 2)),
        OneOf("text", ("a",)),
        Missing("text"),
        OneOf("both", ("a", 1)),
        Flag("flag"),
        Missing("nothing known"),
    )
    columns = tuple(dict.fromkeys(concept.column for concept in concepts))
    words = Vocabulary(columns, concepts)

    assert words.types == {
        "number": ValueType.NUMBER,
        "also a number": ValueType.NUMBER,
        "text": ValueType.TEXT,
        "both": ValueType.MIXED,
        "flag": ValueType.FLAG,
    }
