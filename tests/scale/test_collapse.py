"""Rows collapsed in an engine: packing, and truth tables like those of the same rows in memory."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logiclens import scale
from logiclens.concepts import ConceptEncoder
from logiclens.errors import InputError, LimitError, UnknownColumnError, UnknownConceptError
from logiclens.logic import TruthTable
from logiclens.scale._collapse import collapse, pack_bits, unpack_bits
from logiclens.scale._engine import fetch
from logiclens.scale._training_rows import check_rows
from tests.scale.tables import in_memory

RANDOM = np.random.default_rng(0)


def assert_equal(mine: TruthTable, other: TruthTable) -> None:
    assert mine.names == other.names
    assert np.array_equal(mine.rows, other.rows)
    assert np.array_equal(mine.yes, other.yes)
    assert np.array_equal(mine.no, other.no)


@pytest.mark.parametrize("width", [1, 7, 24, 25, 48, 49, 63, 64, 100])
def test_words_are_unpacked_again(width: int):
    truth = RANDOM.random((30, width)) < 0.5
    table = in_memory({f"c{at}": truth[:, at] for at in range(width)} | {"at": np.arange(30)})

    words = pack_bits([table[f"c{at}"] for at in range(width)])

    assert len(words) == -(-width // 48)
    found = fetch(table.select("at", **words).order_by("at"), "Packing")
    assert np.array_equal(unpack_bits(found, width), truth)


def test_a_large_truth_table_is_in_the_same_order():
    columns = {f"c{at}": RANDOM.random(100_000) < 0.5 for at in range(40)}
    answers = RANDOM.random(100_000) < 0.3

    found = scale.truth_table(in_memory(columns | {"y": answers}), "y")

    assert found.n_rows > 1 << 16
    assert_equal(found, TruthTable.from_data(columns, answers))


@settings(max_examples=30)
@given(
    st.lists(
        st.tuples(st.floats(0, 1), st.booleans(), st.integers(0, 1), st.floats(0, 1), st.integers(0, 3)),
        min_size=1,
        max_size=20,
    ),
    st.sampled_from([0.0, 0.25, 0.5]),
)
def test_scores_weights_and_thresholds(rows: list[tuple[Any, ...]], threshold: float):
    a, b, c, y, w = (list(column) for column in zip(*rows, strict=True))
    concepts = {"a": a, "b": b, "c": c}
    table = in_memory(concepts | {"y": y, "w": w})
    if not any(w):
        with pytest.raises(InputError, match=r"A truth table needs some weight\. All weights are 0\."):
            scale.truth_table(table, "y", weights="w")
        return

    found = scale.truth_table(table, "y", weights="w", threshold=threshold)

    assert_equal(found, TruthTable.from_data(concepts, y, sample_weight=w, threshold=threshold))


def test_concepts_can_be_named():
    columns = {name: RANDOM.random(50) < 0.5 for name in "abc"}
    table = in_memory(columns)

    found = scale.truth_table(table, table["a"] & table["b"], concepts=["c", "a"])
    rest = scale.truth_table(table, table["a"] & table["b"])

    answers = columns["a"] & columns["b"]
    assert_equal(found, TruthTable.from_data(columns, answers, columns=["c", "a"]))
    assert rest.names == ("c",)


TABLE = {
    "a": [True, None, False],
    "s": [0.2, 0.9, 1.5],
    "t": ["x", "y", "z"],
    "y": [1, 0, 1],
    "w": [1.0, -1, 2],
    "v": [1e300, 1.0, 1e300],
}


@pytest.mark.parametrize(
    ("answers", "options", "error", "message"),
    [
        ("y", {"concepts": ["a"]}, InputError,
         "Column 'a' has 1 missing value."),
        ("y", {"concepts": ["s"]}, InputError,
         "Column 's' has 1 value outside"),
        ("y", {"concepts": ["t"]}, InputError,
         "Column 't' has values of type string;"),
        ("y", {"concepts": ["b"]}, UnknownColumnError,
         "The data lack the column 'b'."),
        ("y", {"concepts": "a"}, InputError,
         "concepts must be a sequence of names."),
        ("z", {}, UnknownColumnError,
         "The data lack the column 'z'."),
        ("t", {}, InputError,
         "answers must say yes or no for one class:"),
        ("a", {"concepts": ["y"]}, InputError,
         "Column 'a' has 1 missing value."),
        ("s", {"concepts": ["y"]}, InputError,
         "Column 's' has 1 value outside"),
        ("y", {"concepts": ["y"], "weights": "w"}, InputError,
         "Column 'w' has 1 missing, infinite or negative weight."),
        ("y", {"weights": 3}, InputError, "weights must be the name of a column."),
        ("y", {"concepts": ["y"], "weights": "v"}, InputError,
         "Column 'v' adds up to more than 1e"),
        (3, {}, InputError,
         "answers must be the name of a column or an Ibis"),
        ("y", {"concepts": ["y"], "max_rows": 1}, LimitError,
         "The table does not collapse enough:"),
        ("y", {"vocabulary": 3}, InputError, "vocabulary must be a Vocabulary."),
    ],
)  # fmt: skip
def test_what_is_refused(answers: Any, options: dict[str, Any], error: type[Exception], message: str):
    with pytest.raises(error, match=message):
        scale.truth_table(in_memory(TABLE), answers, **options)


def test_unknown_concepts_are_refused():
    words = ConceptEncoder().fit({"age": [1, 2, 3, 4]}).vocabulary_
    table = in_memory({"age": [1, 2], "y": [True, False]})

    with pytest.raises(UnknownConceptError):
        scale.truth_table(table, "y", vocabulary=words, concepts=["age > 7"])


def test_scores_may_be_outside_by_rounding():
    found = scale.truth_table(in_memory({"a": [0.0, 1.0 + 1e-12], "y": [False, True]}), "y")

    assert found.n_rows == 2


def test_no_rows_are_refused():
    table = in_memory({"a": pa.array([], pa.bool_()), "y": pa.array([], pa.bool_())})

    with pytest.raises(InputError, match="A truth table needs at least one row of data"):
        scale.truth_table(table, "y")


def test_rows_are_counted_by_weight_where_asked_for():
    table = in_memory({"a": [True, True, True], "y": ["p", "p", "q"], "w": [0.5, 0.5, 2.0]})
    rows = check_rows(table, "y", weights="w")

    found = collapse(rows, [table["a"]], by_weight=True)

    lines = zip(found.found.column("t0").to_pylist(), found.counts, found.sums, strict=True)
    assert sorted(lines) == [("p", 2.0, 1.0), ("q", 1.0, 2.0)]
    assert found.bits.tolist() == [[True], [True]]
