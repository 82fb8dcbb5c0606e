from __future__ import annotations

import copy
import pickle
from collections import defaultdict

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from logiclens.errors import UnknownConceptError
from logiclens.logic import truth_table as module
from logiclens.logic.truth_table import TruthTable
from tests.errors import error_of
from tests.strategies import HOSTILE_NAMES, all_rows, labelled_rows

X = np.array([[0, 1], [1, 0], [1, 0], [1, 1]], dtype=bool)
Y = [1, 1, 0, 0]
AB = ["a", "b"]
TABLE = TruthTable.from_data(X, Y, AB)


def count(X, y, weight=None) -> dict[tuple[bool, ...], tuple[float, float]]:
    """The truth table by the definition: a dictionary from tuple to weight of yes and of no."""
    counts = defaultdict(lambda: [0.0, 0.0])
    for j, row in enumerate(X):
        counts[tuple(map(bool, row))][0 if y[j] else 1] += 1.0 if weight is None else weight[j]
    return {row: (yes, no) for row, (yes, no) in counts.items() if yes + no > 0}


def contents(table: TruthTable) -> dict[tuple[bool, ...], tuple[float, float]]:
    rows = map(tuple, table.to_array().tolist())
    pairs = zip(table.yes.tolist(), table.no.tolist(), strict=True)
    found = dict(zip(rows, pairs, strict=True))
    assert len(found) == len(table), "a tuple stands in the table twice"
    return found


def random_data(n_rows, n_columns, n_distinct, seed=0):
    """Rows drawn from a few, which may differ in the last columns only, and contradictory answers."""
    rng = np.random.default_rng(seed)
    pool = rng.random((n_distinct, n_columns)) < 0.5
    pool[: n_distinct // 2, :-3] = pool[0, :-3]
    return pool[rng.integers(0, n_distinct, n_rows)], rng.random(n_rows) < 0.5, rng.integers(0, 4, n_rows)


# --- counting ---


@given(labelled_rows())
def test_counts_are_those_of_the_definition(data):
    X, y, weight, names = data

    assert contents(TruthTable.from_data(X, y, names)) == count(X, y)
    assert contents(TruthTable.from_data(X, y, names, sample_weight=weight)) == count(X, y, weight)


@given(labelled_rows())
def test_names_and_totals(data):
    X, y, weight, names = data
    table = TruthTable.from_data(X, y, names, weight)

    assert table.names == tuple(names)
    assert table.total == weight.sum()
    assert table.yes.sum() == weight[y].sum()
    assert len(table) == table.n_rows == len(np.unique(X, axis=0))


def test_rows_with_both_answers_keep_both():
    table = TruthTable.from_data(X, Y, AB)

    assert contents(table) == {(False, True): (1, 0), (True, False): (1, 1), (True, True): (0, 1)}
    assert repr(table) == "TruthTable(2 concepts, 3 rows, weight 2 yes, 2 no)"


def test_repr_of_one():
    assert repr(TruthTable.from_data([[1]], [1])) == "TruthTable(1 concept, 1 row, weight 1 yes, 0 no)"


@pytest.mark.parametrize("n_columns", [1, 2, 63, 64, 65, 128, 200, 2048])
def test_any_number_of_columns(n_columns):
    X, y, weight = random_data(300, n_columns, 40)
    table = TruthTable.from_data(X, y, sample_weight=weight)

    assert table.rows.shape == (len(table), -(-n_columns // 64))
    assert contents(table) == count(X, y, weight)


@given(labelled_rows(max_concepts=3, max_rows=60), st.sampled_from([1, 2, 3, 8]))
def test_any_number_of_blocks(data, block):
    """Blocks that shrink when grouped and blocks that do not take different paths."""
    X, y, weight, names = data
    whole = TruthTable.from_data(X, y, names, weight)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK", block)
        pieces = TruthTable.from_data(X, y, names, weight)

    assert contents(pieces) == count(X, y, weight)
    assert pieces == whole


@pytest.mark.parametrize("n_distinct", [2, 200], ids=["blocks collapse", "blocks do not collapse"])
@pytest.mark.parametrize("n_columns", [8, 100])
def test_many_blocks(monkeypatch, n_columns, n_distinct):
    monkeypatch.setattr(module, "_BLOCK", 8)
    X, y, weight = random_data(500, n_columns, n_distinct)

    assert contents(TruthTable.from_data(X, y, sample_weight=weight)) == count(X, y, weight)


def few_hashes(n_values, spread):
    """A hash so bad that most rows collide, within a bucket or over several."""

    def hashes(words):
        return (words.sum(axis=1, dtype=np.uint64) % np.uint64(n_values)).astype(np.uint32) << np.uint32(
            spread
        )

    return hashes


@pytest.mark.parametrize(
    ("n_columns", "n_values", "spread", "block"),
    [
        (3, 1, 0, 8),
        (70, 1, 0, 1 << 17),
        (70, 2, 0, 8),
        (3, 3, 30, 1 << 17),
        (70, 3, 30, 8),
        (70, 16, 28, 1 << 17),
    ],
)
def test_collisions_of_the_hash_do_no_harm(monkeypatch, n_columns, n_values, spread, block):
    monkeypatch.setattr(module, "_hash", few_hashes(n_values, spread))
    monkeypatch.setattr(module, "_BLOCK", block)
    X, y, weight = random_data(300, n_columns, 60)
    table = TruthTable.from_data(X, y, sample_weight=weight)
    left, right = (TruthTable.from_data(X[part], y[part], sample_weight=weight[part]) for part in
                   (slice(0, 100), slice(100, None)))  # fmt: skip

    assert contents(table) == count(X, y, weight)
    assert left.merge(right) == table


def test_tables_too_large_to_read_are_in_an_order_of_their_own(monkeypatch):
    """Beyond _READABLE rows stand in the order of their hash: still one order for one content."""
    X, y, weight = random_data(400, 20, 150)
    order = np.random.default_rng(1).permutation(len(X))
    monkeypatch.setattr(module, "_READABLE", 0)
    for hashes in (module._hash, few_hashes(3, 30)):
        monkeypatch.setattr(module, "_hash", hashes)
        table = TruthTable.from_data(X, y, sample_weight=weight)
        halves = [
            TruthTable.from_data(X[s], y[s], sample_weight=weight[s]) for s in (order[:150], order[150:])
        ]

        assert contents(table) == count(X, y, weight)
        assert TruthTable.from_data(X[order], y[order], sample_weight=weight[order]) == table
        assert halves[0].merge(halves[1]) == halves[1].merge(halves[0]) == table


def test_hashes_are_spread():
    """One-hot rows, counting rows and rows that differ in the last word all get hashes of their own."""
    counting = np.arange(1 << 16, dtype=np.uint64)[:, None]
    shifted = np.uint64(1) << np.arange(64, dtype=np.uint64)[:, None]
    last = np.hstack([np.zeros((1 << 16, 3), dtype=np.uint64), counting])

    for words, most in ((counting, 4), (shifted, 1), (last, 4)):
        hashes = module._hash(words)
        assert len(np.unique(hashes)) >= len(words) - most
        assert len(words) < 1000 or np.bincount(module._bucket_of(hashes)).min() > len(words) / 20


# --- one order for one content ---


@given(labelled_rows(), st.randoms(use_true_random=False))
def test_permuting_rows_gives_an_equal_table(data, random):
    X, y, weight, names = data
    order = random.sample(range(len(X)), len(X))

    assert TruthTable.from_data(X[order], y[order], names, weight[order]) == TruthTable.from_data(
        X, y, names, weight
    )


def test_rows_are_in_counting_order():
    """The first concept is the lowest bit."""
    table = TruthTable.from_data(all_rows(4)[::-1], np.ones(16))

    assert np.array_equal(table.to_array(), all_rows(4))


@given(labelled_rows(), st.data())
def test_merged_pieces_are_the_table_of_the_whole(data, drawn):
    X, y, weight, names = data
    owner = np.array(drawn.draw(st.lists(st.integers(0, 3), min_size=len(X), max_size=len(X))))
    pieces = [
        TruthTable.from_data(X[owner == k], y[owner == k], names, weight[owner == k])
        for k in drawn.draw(st.permutations(range(4)))
        if (owner == k).any()
    ]
    merged = pieces[0]
    for piece in pieces[1:]:
        assert merged.merge(piece) == piece.merge(merged)
        merged = merged.merge(piece)

    assert merged == TruthTable.from_data(X, y, names, weight)


@given(labelled_rows(), st.data())
def test_merging_finds_the_columns_by_name(data, drawn):
    X, y, weight, names = data
    order = drawn.draw(st.permutations(range(len(names))))
    table = TruthTable.from_data(X, y, names, weight)
    other = TruthTable.from_data(X[:, order], y, [names[j] for j in order], weight)

    assert table.merge(other) == TruthTable.from_data(X, y, names, 2 * weight)


@given(labelled_rows())
def test_merging_leaves_both_tables_alone(data):
    X, y, weight, names = data
    table, other = (TruthTable.from_data(X, answers, names, weight) for answers in (y, ~y))
    before = contents(table), contents(other)
    merged = table.merge(other)

    assert (contents(table), contents(other)) == before
    assert np.array_equal(merged.yes, merged.no)


# --- columns ---


@given(labelled_rows(), st.data())
def test_select_is_counting_on_fewer_columns(data, drawn):
    X, y, weight, names = data
    kept = drawn.draw(st.lists(st.integers(0, len(names) - 1), min_size=1, unique=True))
    chosen = [names[j] for j in kept]
    expected = TruthTable.from_data(X[:, kept], y, chosen, weight)
    table = TruthTable.from_data(X, y, names, weight)

    assert table.select(chosen) == expected
    assert table.select(kept) == expected
    assert TruthTable.from_data(X, y, names, weight, columns=chosen) == expected
    assert TruthTable.from_data(X, y, names, weight, columns=kept) == expected


def test_no_columns_leave_one_row():
    """A network may find no concept relevant."""
    expected = TruthTable.from_data(X, Y, AB, columns=[])

    assert contents(expected) == {(): (2, 2)}
    assert TruthTable.from_data(X, Y, AB).select([]) == expected
    assert TruthTable.from_counts(X[:, :0], [1, 1, 0, 0], [0, 0, 1, 1]) == expected
    assert contents(expected.merge(expected)) == {(): (4, 4)}
    assert repr(expected) == "TruthTable(0 concepts, 1 row, weight 2 yes, 2 no)"


def test_columns_may_come_from_numpy():
    by_name = TruthTable.from_data(X, Y, AB, columns=np.array(["b"]))

    assert by_name == TruthTable.from_data(X, Y, AB, columns=np.flatnonzero([0, 1]))
    assert type(by_name.names[0]) is str


def test_columns_that_are_not_kept_are_not_looked_at():
    frame = pd.DataFrame({"a": [1, 0], "id": ["x", "y"], "age": [90, np.nan]})

    assert TruthTable.from_data(frame, [1, 0], columns=["a"]) == TruthTable.from_data(
        [[1], [0]], [1, 0], ["a"]
    )


@given(labelled_rows(), st.data())
def test_renaming_changes_names_only(data, drawn):
    X, y, weight, names = data
    others = drawn.draw(st.permutations(names))
    table = TruthTable.from_data(X, y, names, weight)

    assert table.rename(others) == TruthTable.from_data(X, y, others, weight)
    assert contents(table.rename(others)) == contents(table)
    assert table.rename(dict(zip(table.names, others, strict=True))) == table.rename(others)
    assert table.rename({}) == table


def test_hostile_names():
    X = np.random.default_rng(0).random((50, len(HOSTILE_NAMES))) < 0.5
    table = TruthTable.from_data(X, X[:, 0], HOSTILE_NAMES)

    assert table.names == HOSTILE_NAMES
    red, red_wing = table.select(["red"]), table.select(["red_wing"])
    assert contents(red) == count(X[:, :1], X[:, 0])
    assert contents(red_wing) == count(X[:, 1:2], X[:, 0])


# --- counts made elsewhere ---


@given(labelled_rows())
def test_from_counts_reads_what_a_table_holds(data):
    X, y, weight, names = data
    table = TruthTable.from_data(X, y, names, weight)

    assert TruthTable.from_counts(table.to_array(), table.yes, table.no, names) == table
    assert TruthTable.from_counts(X, weight * y, weight * ~y, names) == table


def test_from_counts_reads_a_frame_and_drops_empty_rows():
    frame = pl.DataFrame({"a": [1, 0, 1, 0], "b": [0, 0, 0, 1]})
    table = TruthTable.from_counts(frame, [1, 2, 3, 0], [0, 0, 4, 0])

    assert contents(table) == {(True, False): (4, 4), (False, False): (2, 0)}


@pytest.mark.parametrize("block", [2, 1 << 17])
def test_from_counts_and_select_in_many_blocks(monkeypatch, block):
    monkeypatch.setattr(module, "_BLOCK", block)
    X, y, weight = random_data(60, 5, 20)
    table = TruthTable.from_counts(X, weight * y, weight * ~y)

    assert contents(table) == count(X, y, weight)
    assert contents(table.select(["x1", "x0"])) == count(X[:, [1, 0]], y, weight)


# --- kinds of data ---


@pytest.mark.parametrize(
    "read",
    [
        lambda: X,
        lambda: X.astype(float),
        lambda: X.astype(np.uint8),
        lambda: np.asfortranarray(X),
        lambda: X.tolist(),
        lambda: dict(zip(AB, X.T, strict=True)),
        lambda: pd.DataFrame(X, columns=AB),
        lambda: pl.DataFrame(X, schema=AB),
        lambda: pl.LazyFrame(X, schema=AB),
        lambda: pa.table([pa.array(x) for x in X.T], names=AB),
    ],
    ids="bool float uint8 fortran lists mapping pandas polars lazy pyarrow".split(),
)
def test_kinds_of_data(read):
    data = read()
    names = AB if isinstance(data, np.ndarray | list) else None

    for answers in (Y, np.array(Y), pd.Series(Y), pl.Series(Y), np.array(Y, dtype=object)):
        assert TruthTable.from_data(data, answers, names) == TABLE


def test_a_value_counts_as_true_above_the_threshold():
    """Exactly the threshold is false, for concepts and for answers."""
    scores = np.array([[0.5], [np.nextafter(0.5, 1)], [0.2], [0.3]])
    table = TruthTable.from_data(scores, scores[:, 0])
    assert contents(table) == {(False,): (0, 3), (True,): (1, 0)}

    table = TruthTable.from_data(scores, scores[:, 0], threshold=0.2)
    assert contents(table) == {(False,): (0, 1), (True,): (3, 0)}


def test_rows_of_weight_zero_are_left_out():
    table = TruthTable.from_data(X, Y, AB, sample_weight=[0, 2, 0, 0.5])

    assert contents(table) == {(True, False): (2, 0), (True, True): (0, 0.5)}


# --- values ---


def test_equality():
    table = TruthTable.from_data(X, Y, AB)

    assert table == TruthTable.from_data(X, Y, AB)
    assert table != TruthTable.from_data(X, Y, ["a", "c"])
    assert table != TruthTable.from_data(X, [1, 1, 0, 1], AB)
    assert table != TruthTable.from_data(X[:3], Y[:3], AB)
    assert table != "table"
    with pytest.raises(TypeError, match="unhashable"):
        hash(table)


@pytest.mark.parametrize("duplicate", [lambda t: pickle.loads(pickle.dumps(t)), copy.copy, copy.deepcopy])
def test_copies_are_equal_and_read_only(duplicate):
    table = TruthTable.from_data(X, Y, AB)
    other = duplicate(table)

    assert other == table
    for array in (table.rows, table.yes, table.no, other.rows, other.yes, other.no):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_the_data_given_are_copied():
    weight, bits = np.array([1.0, 2.0]), np.array([[True], [False]])
    counts = TruthTable.from_counts(bits, weight, weight)
    table = TruthTable.from_data(bits, [1, 1], sample_weight=weight)
    weight[:], bits[:] = 9, True

    assert counts.total == 6
    assert table.total == 3


# --- bad input ---

LENGTH = "must have one value for each of the 4 rows."
FINITE = "must be finite and not negative."
POSITIONS = "columns takes names, or positions from 0 to 1."


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"concepts": np.zeros((0, 2)), "predictions": []}, "A truth table needs at least one row of data."),
        ({"concepts": [[1, 0], [np.nan, 1], [0, 0], [0, 0]]}, "Column 'x0' has 1 missing value (NaN)"),
        ({"predictions": [1, 0]}, f"predictions {LENGTH} Got shape (2,)."),
        ({"predictions": None}, f"predictions {LENGTH} Got shape ()."),
        ({"predictions": [0, 1, 2, 3]}, "predictions must say yes or no for one class"),
        ({"predictions": [1, 0, np.nan, 1]}, "The prediction array has 1 missing value (NaN)"),
        ({"predictions": scipy.sparse.csr_array(np.ones((4, 1)))}, "Sparse matrices are not read here."),
        ({"predictions": np.ma.array(Y, mask=[1, 0, 0, 0])}, "predictions has 1 missing value (masked)"),
        ({"sample_weight": 2.0}, f"sample_weight {LENGTH} Got shape ()."),
        ({"sample_weight": [1, 1, np.nan, 1]}, f"sample_weight {FINITE}"),
        ({"sample_weight": [1, 1, np.inf, 1]}, f"sample_weight {FINITE}"),
        ({"sample_weight": [1, 1, -1, 1]}, f"sample_weight {FINITE}"),
        ({"sample_weight": list("1234")}, "sample_weight must hold numbers."),
        ({"sample_weight": [0] * 4}, "A truth table needs some weight. All weights are 0."),
        ({"sample_weight": [1e308] * 4}, "sample_weight adds up to more than 1e+300."),
        ({"columns": "x0"}, "columns must be a sequence of names. Got 'x0'"),
        ({"columns": [0, 2]}, f"{POSITIONS} Got 2."),
        ({"columns": [-1]}, f"{POSITIONS} Got -1."),
        ({"columns": [False, True]}, f"{POSITIONS} Got False."),
        ({"columns": ["x0", 0]}, "columns names a concept twice."),
        ({"names": ["a", "a"]}, "Concept names must be distinct; repeated: 'a'."),
        ({"names": ["a"]}, "1 name was given for 2 columns."),
        ({"threshold": 1}, "The threshold must be a number in [0, 1). Got 1."),
    ],
)
def test_bad_data(arguments, message):
    assert message in error_of(TruthTable.from_data, **{"concepts": X, "predictions": Y} | arguments)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ((X, [1], [1]), f"yes {LENGTH} Got shape (1,)."),
        ((X, [1] * 4, [-1] * 4), f"no {FINITE}"),
        ((X, [0] * 4, [0] * 4), "A truth table needs some weight. All weights are 0."),
        ((np.zeros((0, 2)), [], []), "A truth table needs at least one row of data. Got none."),
        ((X, [1e308] * 4, [1e308] * 4), "yes adds up to more than 1e+300."),
    ],
)
def test_bad_counts(counts, message):
    assert message in error_of(TruthTable.from_counts, *counts)


ONLY = "Only tables over the same concepts can be merged;"


@pytest.mark.parametrize(
    ("call", "argument", "message"),
    [
        (TABLE.merge, None, "Only a truth table can be merged into another. Got None."),
        (TABLE.merge, TABLE.rename(["a", "c"]), f"{ONLY} 'b' is in one alone. Use select(names) on both"),
        (TABLE.merge, TABLE.select(["b"]), f"{ONLY} 'a' is in one alone. Use select(names) on both"),
        (TABLE.select, None, "columns must be a sequence of names. Got None; write ['a', 'b']."),
        (TABLE.select, ["a", "a"], "columns names a concept twice. Name each concept once."),
        (TABLE.rename, ["a"], "1 name was given for 2 columns. Give one name for each column."),
        (TABLE.rename, {"x": "y"}, "Unknown concept 'x'. The 2 known concepts are 'a', 'b'."),
        (TABLE.rename, {0: "y"}, "A concept name must be a string. Got 0; convert it with str()."),
        (TABLE.rename, "ab", "Concept names must be a sequence of strings. Got 'ab'; write ['a', 'b']."),
        (TABLE.rename, ["a", "a"], "Concept names must be distinct; repeated: 'a'. Rename the columns."),
    ],
)
def test_misuse_is_explained(call, argument, message):
    assert message in error_of(call, argument)


def test_arrays_of_other_shapes():
    words, weights = np.zeros((2, 2), dtype=np.uint64), np.zeros(2)

    assert "The arrays of a truth table do not fit together" in error_of(
        TruthTable, ("a",), words, weights, weights
    )


@pytest.mark.parametrize(
    "call",
    [lambda: TABLE.select(["aa"]), lambda: TruthTable.from_data(X, Y, AB, columns=["aa"])],
    ids=["select", "from_data"],
)
def test_an_unknown_column(call):
    with pytest.raises(UnknownConceptError, match="Unknown concept 'aa'"):
        call()
