"""What rules need of a file, and what its rows are to them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from logiclens.cli.rows import needs
from logiclens.concepts import Above, Flag, Missing, OneOf, Vocabulary
from logiclens.concepts._text import as_type
from logiclens.errors import InputError, UnknownColumnError, UnknownColumnsError
from logiclens.files import ValueType
from logiclens.logic import Var, parse_formula
from tests.cli.saved import PATIENTS, WORDS, rules_of

CONCEPTS = rules_of({"bird": Var("wings") & ~Var("fins")}, ["wings", "fins", "beak"])


def test_columns_and_their_types():
    found = needs(PATIENTS, ["ward", "id", "age"])

    assert found.types == {"age": ValueType.NUMBER, "ward": ValueType.TEXT}
    assert found.columns == {"age": "age", "ward": "ward"}
    assert found.concepts == WORDS.names


def test_columns_of_no_rule_may_be_lacking():
    rules = rules_of({"old": Var("age > 62")}, WORDS.names, vocabulary=WORDS)

    assert needs(rules, ["age"]).types == {"age": ValueType.NUMBER}
    with pytest.raises(UnknownColumnError) as caught:
        needs(rules, ["age"], everything=True)
    assert str(caught.value) == (
        "The data lack the column 'ward'. Their only column is 'age'. The rules need it."
    )


def test_lacking_columns_are_named():
    with pytest.raises(UnknownColumnsError) as caught:
        needs(PATIENTS, ["Age", "Ward"])

    assert str(caught.value) == (
        "The data lack 2 columns: 'age', 'ward'. They have 2 columns: 'Age', 'Ward'. The rules need them."
    )
    with pytest.raises(UnknownColumnError) as one:
        needs(CONCEPTS, ["wings"])
    assert str(one.value) == (
        "The data lack the column 'fins'. Did you mean 'wings'? Their only column is 'wings'. The rules "
        "need it."
    )


def test_concepts_can_be_the_columns_themselves():
    assert needs(CONCEPTS, ["fins", "wings"]).types == {"wings": ValueType.FLAG, "fins": ValueType.FLAG}
    assert needs(PATIENTS, WORDS.names).vocabulary is None


def test_columns_that_had_no_names_are_found_by_their_place():
    words = Vocabulary(("x0", "x1"), (Above("x1", 2),), named=False)
    rules = rules_of({"yes": Var("x1 > 2")}, words.names, vocabulary=words)
    found = needs(rules, ["a", "b"])

    assert (found.columns, found.types) == ({"x1": "b"}, {"b": ValueType.NUMBER})
    assert found.read({"b": pa.chunked_array([[1, 3]])}, 2).column("x1 > 2").tolist() == [False, True]
    assert needs(rules, ["x1", "x0"]).columns == {"x1": "x1"}
    with pytest.raises(InputError) as caught:
        needs(rules, ["a"])
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
    found = needs(rules_of({"yes": formula}, words.names, vocabulary=words), ["x"])

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
    found = needs(rules_of({"yes": formula}, words.names, vocabulary=words), ["a", "b", "c", "d"])
    texts = {
        "a": ["2", "", "2", "?"],
        "b": ["x", "1", "", ""],
        "c": ["1", "", "", "1"],
        "d": ["2", "", "", "2"],
    }
    columns = {
        name: as_type(pa.chunked_array([texts[name]]), kind).column for name, kind in found.types.items()
    }
    gaps = found.gaps(columns, 4)

    assert gaps.columns == found.never_missing == ("a", "b")
    assert gaps.codes.tolist() == [0, 1, 3, 2]
    assert needs(CONCEPTS, ["fins", "wings"]).never_missing == ()
    assert found.gaps(
        {**columns, "a": pa.chunked_array([[1.0, float("nan"), 1.0, 1.0]])}, 4
    ).codes.tolist() == [
        0,
        1,
        3,
        3,
    ]
