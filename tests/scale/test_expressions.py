from __future__ import annotations

import struct
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import ibis
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logiclens.concepts import Above, Flag, Kind, Missing, OneOf, Table, Vocabulary
from logiclens.errors import InputError, LimitError
from logiclens.logic import FALSE, TRUE, And, Not, Or, Var
from logiclens.scale import _expressions
from logiclens.scale._engine import engine_errors, fetch, read
from logiclens.scale._expressions import (
    as_number,
    concept_columns,
    concept_expression,
    float_literal,
    formula_expression,
    is_missing,
    is_unicode,
    kind_of,
    label_literal,
    raw_places,
    text_literal,
)
from tests.scale.tables import TYPES, answers, columns, conditions, gap_values, in_memory
from tests.strategies import HOSTILE_NAMES, all_rows, formulas, names

AGES = {"age": [70.0, 30.0, None, float("nan")], "sex": ["m", "f", None, "m"]}


@st.composite
def raw_tables(draw):
    """Columns of every type, and concepts about them."""
    n_rows = draw(st.integers(1, 6))
    names = draw(st.lists(st.sampled_from(HOSTILE_NAMES), min_size=3, max_size=6, unique_by=str.lower))
    table = pa.table({name: draw(columns(n_rows)) for name in names})
    concepts = [draw(conditions(name, table[name])) for name in names for _ in range(3)]
    concepts = [replace(each, gaps=draw(gap_values(table[each.column]))) for each in concepts]
    return table, concepts


@settings(max_examples=25, deadline=None)
@given(raw_tables())
def test_a_concept_says_what_it_says_in_memory(drawn):
    """All types, NULL, NaN, hostile names: truth is that of NumPy, and never NULL."""
    table, concepts = drawn
    read = Table(table)
    memory = in_memory(table)
    asked = memory.select(**{f"c{at}": concept_expression(memory, each) for at, each in enumerate(concepts)})
    found = fetch(asked, "Asking")

    for at, concept in enumerate(concepts):
        assert found[f"c{at}"].to_pylist() == concept.truth(read.column(concept.column)).tolist(), concept


@settings(max_examples=25, deadline=None)
@given(st.lists(formulas(st.sampled_from(HOSTILE_NAMES[:6])), min_size=3, max_size=6))
def test_a_formula_says_what_it_says_in_memory(several):
    names = HOSTILE_NAMES[:6]
    rows = all_rows(len(names))
    table = in_memory(dict(zip(names, rows.T, strict=True)))
    concepts = concept_columns(table, None, names)
    asked = table.select(**{f"f{at}": formula_expression(each, concepts) for at, each in enumerate(several)})
    found = fetch(asked, "Asking")

    for at, formula in enumerate(several):
        assert found[f"f{at}"].to_pylist() == formula.evaluate(rows, names).tolist()


def test_values_of_an_enum_are_texts():
    connection = ibis.duckdb.connect()
    connection.raw_sql("CREATE TABLE raw (color ENUM ('red', 'blue'))")
    connection.raw_sql("INSERT INTO raw VALUES ('red'), ('blue'), (NULL)")
    with engine_errors("Opening a table"):
        table = connection.table("raw")

    concept = OneOf("color", ("red", "green"), if_missing=True)
    assert answers(concept_expression(table, concept)) == [True, False, True]


def test_numbers_beyond_floats_are_compared_as_numpy_compares_them():
    """Cut points are floats; equality is exact."""
    table = in_memory({"n": [2**53, 2**53 + 1]})

    assert answers(concept_expression(table, Above("n", 2.0**53))) == [False, False]
    assert answers(concept_expression(table, OneOf("n", (2**53 + 1,)))) == [False, True]


def test_columns_without_any_value():
    table = in_memory({"a": pa.nulls(2)})
    concepts = [Flag("a"), Flag("a", if_missing=True), OneOf("a", ("x",)), Missing("a")]

    found = table.select(**{f"c{at}": concept_expression(table, each) for at, each in enumerate(concepts)})

    assert fetch(found, "Asking").to_pylist()[0] == {"c0": False, "c1": True, "c2": False, "c3": True}


def test_concepts_themselves_are_read_where_raw_columns_are_lacking():
    words = Vocabulary(("age", "sex"), (Above("age", 62),))
    table = in_memory({"age > 62": [True, False], "sex": ["m", "f"]})

    assert raw_places(table, words, words.names) is None
    assert answers(concept_columns(table, words, words.names)["age > 62"]) == [True, False]


def test_columns_without_names_are_found_by_place():
    words = Vocabulary(("x0", "x1"), (Above("x1", 62),), named=False)
    table = in_memory({"y": ["yes"], "sex": ["m"], "age": [70]})

    assert raw_places(table, words, words.names, ["sex", "age"]) == {"x1": "age"}
    with pytest.raises(InputError, match="The table has 3 columns;"):
        concept_columns(table, words, words.names)


@pytest.mark.parametrize(
    ("cells", "concept", "message"),
    [
        (["x"], Above("a", 1), "Column 'a' must hold numbers."),
        (["x"], Flag("a"), "Column 'a' must hold numbers."),
        (["x"], OneOf("a", (1,)), "Column 'a' holds text, of type string;"),
        ([1], OneOf("a", ("1",)), "Column 'a' holds numbers, of type int64;"),
        (pa.array([0], pa.date32()), OneOf("a", ("1",)), "Column 'a' holds dates or times, of type date;"),
    ],
    ids=["cut of text", "flag of text", "text and number", "number and text", "date"],
)
def test_what_cannot_be_compared(cells, concept, message):
    with pytest.raises(InputError, match=message):
        concept_expression(in_memory({"a": cells}), concept)


def test_thousands_of_terms_nest_little():
    """A chain of twelve hundred would be more than engines, and Python, take."""
    names = [f"c{at}" for at in range(40)]
    rng = np.random.default_rng(2)
    rows = rng.random((50, 40)) < 0.97
    picks = [rng.choice(40, 2, replace=False) for _ in range(1200)]
    signs = [rng.random(2) < 0.01 for _ in range(1200)]
    literals = [Var(name) for name in names]
    formula = Or.of(
        And.of(literals[at] if sign else Not(literals[at]) for at, sign in zip(pick, sign_of, strict=True))
        for pick, sign_of in zip(picks, signs, strict=True)
    )
    table = in_memory(dict(zip(names, rows.T, strict=True)))
    found = formula_expression(formula, concept_columns(table, None, names))
    expected = formula.evaluate(rows, names).tolist()

    assert {*expected} == {True, False}
    assert answers(found) == expected


def test_constants():
    table = in_memory({"a": [1, 2]})
    asked = table.select(yes=formula_expression(TRUE, {}), no=formula_expression(FALSE | FALSE, {}))

    assert fetch(asked, "Asking").to_pydict() == {"yes": [True, True], "no": [False, False]}


def test_a_formula_that_is_nested_too_deep():
    formula = Var("a")
    for _ in range(45):
        formula = Or(And(formula, Var("b")), Var("a"))
    table = in_memory({"a": [True], "b": [True]})
    with pytest.raises(LimitError, match="The formula is nested 90 levels deep in an engine,"):
        formula_expression(formula, concept_columns(table, None, ["a", "b"]))


def test_the_deepest_formula_runs():
    formula = Var("a")
    for _ in range(_expressions._DEEPEST // 2):
        formula = Or(And(formula, Var("b")), Var("a"))
    table = in_memory({"a": [True, False], "b": [True, True]})

    assert answers(formula_expression(formula, concept_columns(table, None, ["a", "b"]))) == [True, False]


KINDS = {
    **dict.fromkeys(TYPES, Kind.NUMBER),
    pa.bool_(): Kind.BOOLEAN,
    pa.string(): Kind.TEXT,
    pa.dictionary(pa.int32(), pa.string()): Kind.TEXT,
    pa.null(): Kind.NUMBER,
    pa.date32(): Kind.DATE,
    pa.timestamp("us"): Kind.DATE,
    pa.time64("us"): Kind.DATE,
    pa.binary(): Kind.OTHER,
    pa.list_(pa.int64()): Kind.OTHER,
}


@pytest.mark.parametrize(("kind", "expected"), KINDS.items(), ids=str)
def test_the_kind_of_a_column_is_that_of_a_table_in_memory(kind, expected):
    assert (
        kind_of(ibis.table({"a": ibis.Schema.from_pyarrow(pa.schema({"a": kind}))["a"]}, name="t")["a"])
        is expected
    )


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 6).flatmap(lambda n: st.lists(columns(n), min_size=4, max_size=4)))
def test_missing_values_and_numbers_are_those_of_a_table_in_memory(several):
    table = pa.table({f"c{at}": each for at, each in enumerate(several)})
    read = Table(table)
    memory = in_memory(table)
    asked = {f"{name} missing": is_missing(memory[name]) for name in table.column_names}
    numeric = [name for name in table.column_names if kind_of(memory[name]) is not Kind.TEXT]
    asked |= {f"{name} number": as_number(memory[name]) for name in numeric}
    found = fetch(memory.select(**asked), "Asking")

    for name in table.column_names:
        assert found[f"{name} missing"].to_pylist() == read.column(name).missing.tolist()
    for name in numeric:
        numbers = read.column(name).numbers()
        ours = found[f"{name} number"].to_numpy().astype(float)
        assert np.array_equal(ours, numbers, equal_nan=True)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_a_float_arrives_to_the_last_bit(values):
    asked = in_memory({"x": [1]}).select(**{f"v{at}": float_literal(each) for at, each in enumerate(values)})
    (row,) = fetch(asked, "Asking").to_pylist()

    assert [struct.pack("d", each) for each in row.values()] == [struct.pack("d", each) for each in values]


@settings(max_examples=40, deadline=None)
@given(st.lists(names().filter(lambda name: "\0" not in name), min_size=1, max_size=20))
def test_a_text_arrives_as_it_is(values):
    texts = [*values, *HOSTILE_NAMES, "${x}", "a${b}${", "$", "$${", ""]
    asked = in_memory({"x": [1]}).select(**{f"v{at}": text_literal(each) for at, each in enumerate(texts)})
    (row,) = fetch(asked, "Asking").to_pylist()

    assert list(row.values()) == texts


def test_no_text_holds_what_spark_takes_for_a_variable():
    assert "${" not in ibis.to_sql(text_literal("a${b}${c}"))


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_a_text_that_no_engine_carries(text):
    with pytest.raises(InputError) as caught:
        text_literal(text)
    assert str(caught.value) == (
        f"{text!r} cannot be a text in an engine: it holds a NUL character or half a character. "
        "Replace the value."
    )
    assert is_unicode(text) == ("\0" in text)


@pytest.mark.parametrize(
    "label", ["death", True, False, 0, -3, 2**63 - 1, -(2**63), 0.1, -0.0, 1e300], ids=repr
)
def test_a_label_keeps_its_type(label):
    (found,) = answers(in_memory({"x": [1]}).select(y=label_literal(label))["y"])

    assert (type(found), found) == (type(label), label)


def test_a_label_beyond_64_bits():
    with pytest.raises(InputError, match="The label 9223372036854775808 cannot be a whole number"):
        label_literal(2**63)


def test_nan_in_a_parquet_file_is_missing(tmp_path: Path):
    """The file keeps no account of NaN, from which DuckDB takes it that there is none."""
    pq.write_table(pa.table({"a": [np.nan, 1.0, 2.0], "b": [np.nan, 1.0, None]}), tmp_path / "a.parquet")
    table = read(tmp_path / "a.parquet")

    for name, wanted in (("a", [True, False, False]), ("b", [True, False, True])):
        missing = is_missing(table[name])
        assert answers(missing) == wanted
        assert fetch(table.filter(missing).count(), "Counting").as_py() == sum(wanted)
        assert answers(concept_expression(table, Above(name, 0.0))) == [not each for each in wanted]


def test_a_decimal_of_many_digits_is_rounded_once():
    """DuckDB rounds some of them twice when it makes floats of them itself."""
    digits = "36418639326191803577485313029754955862"
    table = in_memory({"a": pa.array([Decimal(digits)], pa.decimal128(38, 0))})

    assert answers(as_number(table["a"])) == [float(digits)]
