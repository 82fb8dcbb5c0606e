"""Predictions of rules for the rows of a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.cli import predictions as module
from logiclens.cli.predictions import (
    DEFAULT,
    UNCOVERED,
    MissingCells,
    RowPredictions,
    needed_columns,
)
from logiclens.concepts import Above, Flag, Missing, OneOf, Vocabulary
from logiclens.concepts._text import as_type
from logiclens.errors import InputError, UnknownColumnError, UnknownColumnsError
from logiclens.explain import Explanation, ExplanationSet, Rule
from logiclens.files import ValueType
from logiclens.logic import FALSE, TRUE, Var, parse_formula
from logiclens.logic.data import ConceptData
from tests.cli.running import run
from tests.cli.saved import PATIENTS, TABLE, WORDS, rules_of, saved
from tests.strategies import formulas

CONCEPTS = rules_of({"bird": Var("wings") & ~Var("fins")}, ["wings", "fins", "beak"])


def test_columns_of_no_rule_may_be_lacking():
    rules = rules_of({"old": Var("age > 62")}, WORDS.names, vocabulary=WORDS)

    assert needed_columns(rules, ["age"]).types == {"age": ValueType.NUMBER}
    with pytest.raises(UnknownColumnError, match=r"'ward'.* The rules need it\."):
        needed_columns(rules, ["age"], everything=True)


def test_lacking_columns_are_named():
    with pytest.raises(UnknownColumnsError, match="'age', 'ward'"):
        needed_columns(PATIENTS, ["Age", "Ward"])
    with pytest.raises(UnknownColumnError, match="'fins'"):
        needed_columns(CONCEPTS, ["wings"])


def test_concepts_can_be_the_columns_themselves():
    assert needed_columns(CONCEPTS, ["fins", "wings"]).types == {
        "wings": ValueType.FLAG,
        "fins": ValueType.FLAG,
    }
    assert needed_columns(PATIENTS, WORDS.names).vocabulary is None


def test_columns_that_had_no_names_are_found_by_their_place():
    words = Vocabulary(("x0", "x1"), (Above("x1", 2),), named=False)
    rules = rules_of({"yes": Var("x1 > 2")}, words.names, vocabulary=words)
    found = needed_columns(rules, ["a", "b"])

    assert (found.columns, found.types) == ({"x1": "b"}, {"b": ValueType.NUMBER})
    assert found.read({"b": pa.chunked_array([[1, 3]])}, 2).column("x1 > 2").tolist() == [False, True]
    assert needed_columns(rules, ["x1", "x0"]).columns == {"x1": "x1"}
    with pytest.raises(InputError) as caught:
        needed_columns(rules, ["a"])
    assert str(caught.value) == (
        "The file has 1 column; 2 were there when the rules were made, and they had no names. Pass the same "
        "columns in the same order."
    )


@pytest.mark.parametrize(
    ("concepts", "texts"),
    [
        ([Above("x", 2), Missing("x")], ["1", "2.5", "?", " 3"]),
        ([OneOf("x", ("a",)), OneOf("x", ("1",)), Missing("x")], ["a", "1", "b", "", " a"]),
        ([OneOf("x", (1,)), OneOf("x", (2.5,))], ["1", "1.0", "2.5", "?"]),
        ([Flag("x"), Missing("x")], ["true", "0", "FALSE", "1", "?"]),
        ([OneOf("x", ("a",)), OneOf("x", (1,), if_missing=True)], ["a", "1", "b", ""]),
        ([Missing("x")], ["a", "1", "?"]),
    ],
)
def test_a_row_is_the_same_alone_and_among_others(concepts: list, texts: list[str]):
    words = Vocabulary(("x",), tuple(concepts))
    formula = parse_formula(" & ".join(f'"{name}"' for name in words.names))
    found = needed_columns(rules_of({"yes": formula}, words.names, vocabulary=words), ["x"])

    def truth(*values: str) -> np.ndarray:
        read = as_type(pa.chunked_array([values]), found.types["x"])
        assert read.odd is None
        column = read.column
        data = found.read({"x": column}, len(column))
        return np.column_stack([data.column(name) for name in words.names])

    together = truth(*texts)
    assert (together == np.vstack([truth(text) for text in texts])).all()
    for at, concept in enumerate(concepts):
        if isinstance(concept, Missing):
            assert together[:, at].tolist() == [text in ("", "?") for text in texts]


def test_gaps_that_the_rules_know_nothing_of():
    """The first column without a value is told, and whether there are others; known gaps are none."""
    words = Vocabulary(
        ("a", "b", "c", "d"),
        (Above("a", 1), OneOf("b", ("x", 1)), Flag("c"), Above("d", 1), Missing("d")),
        optional=["c"],
    )
    formula = parse_formula('"a > 1" & "b in {x, 1}" & c & "d > 1"')
    found = needed_columns(rules_of({"yes": formula}, words.names, vocabulary=words), ["a", "b", "c", "d"])
    texts = {
        "a": ["2", "", "2", "?"],
        "b": ["x", "1", "", ""],
        "c": ["1", "", "", "1"],
        "d": ["2", "", "", "2"],
    }
    columns = {
        name: as_type(pa.chunked_array([texts[name]]), kind).column for name, kind in found.types.items()
    }
    gaps = found.missing(columns, 4)

    assert gaps.columns == found.never_missing == ("a", "b")
    assert gaps.codes.tolist() == [0, 1, 3, 2]
    assert needed_columns(CONCEPTS, ["fins", "wings"]).never_missing == ()
    columns["a"] = pa.chunked_array([[1.0, float("nan"), 1.0, 1.0]])
    assert found.missing(columns, 4).codes.tolist() == [0, 1, 3, 3]


NAMES = ["a", "b", "c"]


def data(rows: np.ndarray) -> ConceptData:
    return ConceptData(np.asarray(rows, dtype=bool), NAMES)


EVERY = np.array(list(np.ndindex(2, 2, 2)), dtype=bool)


@given(st.lists(formulas(st.sampled_from(NAMES)), min_size=1, max_size=4), st.booleans(), st.booleans())
def test_answers_are_those_of_the_rules(found: list, multi_label: bool, few: bool):
    """However few codes of rows there may be."""
    made = {f"c{at}": formula for at, formula in enumerate(found)}
    rules = rules_of(made, NAMES, multi_label=multi_label)
    answers = RowPredictions(rules)
    with pytest.MonkeyPatch.context() as patch:
        if few:
            patch.setattr(module, "_MOST_CODES", 5)
        told, codes = answers.of(data(EVERY))
    predicted = rules.predict(EVERY)
    counts = rules.coverage_counts(EVERY)

    for row, code in enumerate(codes):
        if multi_label:
            labels = [label for label, yes in zip(rules, predicted[row], strict=True) if yes]
            assert told[code].prediction == ", ".join(labels)
        else:
            assert told[code].prediction == predicted[row]
        fired = rules.fired(EVERY[row : row + 1]).any()
        assert told[code].mark == ("" if fired else UNCOVERED if multi_label else DEFAULT)
    assert (answers.n_rows, answers.n_uncovered) == (8, counts.n_uncovered)


def told(rules: ExplanationSet, *row: int) -> tuple:
    found, codes = RowPredictions(rules).of(data(np.array([row])))
    assert found[codes[0]].precision is None  # nothing was held out
    return tuple(found[codes[0]])[:-1]


def test_the_first_term_that_is_true_is_the_reason():
    rules = rules_of({"x": parse_formula("(a & ~b) | c"), 'y"z': parse_formula("b")}, NAMES, default="x")

    assert told(rules, 1, 0, 1) == ("x", "a and not b, or c", "The prediction is x because a and not b.", "")
    assert told(rules, 0, 0, 1) == ("x", "a and not b, or c", "The prediction is x because c.", "")
    assert told(rules, 0, 1, 1) == (
        "x",
        "a and not b, or c",
        "The prediction is x because c.",
        "",
    )
    assert told(rules, 0, 1, 0) == (
        'y"z',
        "b",
        'The prediction is ‹y"z› because b. No earlier step is true of it.',
        "",
    )
    assert told(rules, 0, 0, 0) == ("x", "", "No step is true of it; the default is x.", DEFAULT)


def test_several_labels_have_several_reasons():
    rules = rules_of({"x": Var("a"), "y": Var("b")}, NAMES, multi_label=True)

    assert told(rules, 1, 1, 0) == (
        "x, y",
        "a; b",
        "The prediction is x because a. The prediction is y because b.",
        "",
    )
    assert told(rules, 0, 0, 0) == ("", "", "No rule is true of it.", UNCOVERED)


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("iff", "The prediction is class 3 because a."),
        ("only_if", "The prediction is class 3 because a."),
        ("if", "The prediction is class 3, all of which satisfy: a."),
        ("cluster", "The prediction is cluster 3, all of which satisfy: a."),
    ],
)
def test_the_kind_of_rule_is_heard(kind: str, why: str):
    rules = ExplanationSet([Explanation(Rule(3, Var("a"), kind))], NAMES)

    assert told(rules, 1, 0, 0)[:3] == (3, "a", why)


def test_rules_that_are_always_true_or_never():
    rules = rules_of({"x": FALSE, "y": TRUE}, NAMES)

    assert told(rules, 1, 0, 0) == ("y", "always", "The prediction is y, whatever the row.", "")


def test_a_gap_that_the_rules_know_nothing_of_is_told():
    rules = rules_of({"x": parse_formula("a"), "y": parse_formula("~a & b")}, NAMES, default="x")
    answers = RowPredictions(rules)
    rows = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 1, 0]])
    gaps = MissingCells(("a", "it's"), np.array([0, 1, 2, 3], dtype=np.int32))
    found, codes = answers.of(data(rows), gaps)

    assert [found[code].mark for code in codes] == ["", "missing", "default, missing", "missing"]
    assert [found[code].why for code in codes] == [
        "The prediction is x because a.",
        "The prediction is y because not a and b. No earlier step is true of it. Its 'a' is missing, and the "
        "rules know nothing of that.",
        "No step is true of it; the default is x. Its 'a' and other values are missing, and the rules know "
        "nothing of that.",
        'The prediction is y because not a and b. No earlier step is true of it. Its "it\'s" is missing, and '
        "the rules know nothing of that.",
    ]
    assert (answers.n_missing, answers.n_uncovered, answers.n_rows) == (3, 1, 4)
    assert answers.n_predicted == {"x": 2, "y": 2}
    answers.of(data(rows))
    assert (answers.n_missing, answers.n_rows) == (3, 8)


@pytest.fixture(autouse=True)
def _table() -> None:
    Path("rows.csv").write_text(TABLE)


@pytest.mark.parametrize(
    ("labels", "truth"),
    [
        (("yes", "no"), ["yes", "no", " yes", "other", ""]),
        ((1, 0), ["1", "0.0", "1.0", "x", "?"]),
        ((True, False), ["true", "False", "TRUE", "maybe", ""]),
    ],
)
def test_true_classes_as_files_write_them(labels: tuple, truth: list[str]):
    saved(rules_of(dict(zip(labels, (Var("a"), ~Var("a")), strict=True)), ["a"]), Path())
    rows = "".join(f"{a},{value}\n" for a, value in zip([1, 0, 0, 1, 1], truth, strict=True))
    Path("rows.csv").write_text(f"a,truth\n{rows}")
    result = run("predict", "rules.json", "rows.csv", "--truth", "truth")

    assert result.stderr.startswith(
        "5 rows.\nOf 4 rows with a value of 'truth', the rules are right on 50.0%.\n"
    )
    rates = [line.split() for line in result.stderr.splitlines()[5:7]]
    assert rates == [[f"{labels[0]}", "50.0%", "50.0%", "2"], [f"{labels[1]}", "50.0%", "100.0%", "1"]]


def test_true_classes_with_a_type_of_their_own():
    saved(rules_of({1: Var("a"), 0: ~Var("a")}, ["a"]), Path())
    pq.write_table(pa.table({"a": [True, False, True], "truth": [1, 1, None]}), "rows.parquet")
    result = run("predict", "rules.json", "rows.parquet", "--truth", "truth", "--out", "out.parquet")

    assert "Of 2 rows with a value of 'truth', the rules are right on 50.0%.\n" in result.stderr
