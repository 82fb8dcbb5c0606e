from __future__ import annotations

import copy
import pickle
from collections import defaultdict

import numpy as np
import polars as pl
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

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
    assert repr(TruthTable.from_data([[1]], [1])) == "TruthTable(1 concept, 1 row, weight 1 yes, 0 no)"


@pytest.mark.parametrize("n_columns", [1, 2, 63, 64, 65, 128, 200, 2048])
def test_any_number_of_columns(n_columns):
    X, y, weight = random_data(300, n_columns, 40)
    table = TruthTable.from_data(X, y, sample_weight=weight)

    assert table.rows.shape == (len(table), -(-n_columns // 64))
    assert contents(table) == count(X, y, weight)


@given(labelled_rows(max_concepts=3, max_rows=60), st.sampled_from([1, 2, 3, 8]))
def test_any_number_of_blocks(data, block):
    X, y, weight, names = data
    whole = TruthTable.from_data(X, y, names, weight)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK", block)
        pieces = TruthTable.from_data(X, y, names, weight)

    assert contents(pieces) == count(X, y, weight)
    assert pieces == whole


def few_hashes(n_values):
    """A hash so bad that most rows collide."""

    def hashes(words):
        return (words.sum(axis=1, dtype=np.uint64) % np.uint64(n_values)).astype(np.uint32)

    return hashes


@pytest.mark.parametrize("block", [8, 1 << 17])
@pytest.mark.parametrize(("n_columns", "n_values"), [(3, 1), (70, 1), (70, 3), (70, 1 << 32)])
def test_collisions_of_the_hash_do_no_harm(monkeypatch, n_columns, n_values, block):
    monkeypatch.setattr(module, "_hash", few_hashes(n_values))
    monkeypatch.setattr(module, "_BLOCK", block)
    X, y, weight = random_data(300, n_columns, 60)
    table = TruthTable.from_data(X, y, sample_weight=weight)
    left, right = (
        TruthTable.from_data(X[part], y[part], sample_weight=weight[part])
        for part in (slice(0, 100), slice(100, None))
    )

    assert contents(table) == count(X, y, weight)
    assert left.merge(right) == table


def test_tables_too_large_to_read_are_in_an_order_of_their_own(monkeypatch):
    """Beyond _READABLE rows stand in the order of their hash: still one order for one content."""
    X, y, weight = random_data(400, 20, 150)
    order = np.random.default_rng(1).permutation(len(X))
    monkeypatch.setattr(module, "_READABLE", 0)
    for hashes in (module._hash, few_hashes(3)):
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
        ({"concepts": np.zeros((0, 2)), "predictions": []}, "at least one row"),
        ({"concepts": [[1, 0], [np.nan, 1], [0, 0], [0, 0]]}, "Column 'x0' has 1 missing value"),
        ({"predictions": [1, 0]}, LENGTH),
        ({"predictions": [0, 1, 2, 3]}, "yes or no for one class"),
        ({"predictions": scipy.sparse.csr_array(np.ones((4, 1)))}, "Sparse matrices"),
        ({"predictions": np.ma.array(Y, mask=[1, 0, 0, 0])}, "1 missing value (masked)"),
        ({"sample_weight": 2.0}, LENGTH),
        ({"sample_weight": [1, 1, np.nan, 1]}, FINITE),
        ({"sample_weight": [1, 1, -1, 1]}, FINITE),
        ({"sample_weight": list("1234")}, "must hold numbers"),
        ({"sample_weight": [0] * 4}, "All weights are 0"),
        ({"sample_weight": [1e308] * 4}, "adds up to more than 1e+300"),
        ({"columns": "x0"}, "a sequence of names"),
        ({"columns": [0, 2]}, f"{POSITIONS} Got 2."),
        ({"columns": [-1]}, f"{POSITIONS} Got -1."),
        ({"columns": [False, True]}, f"{POSITIONS} Got False."),
        ({"columns": ["x0", 0]}, "names a concept twice"),
        ({"columns": ["aa"]}, "Unknown concept 'aa'"),
        ({"names": ["a", "a"]}, "must be distinct"),
        ({"names": ["a"]}, "1 name was given for 2 columns"),
        ({"threshold": 1}, "must be a number in [0, 1)"),
    ],
)
def test_bad_data(arguments, message):
    assert message in error_of(TruthTable.from_data, **{"concepts": X, "predictions": Y} | arguments)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ((X, [1], [1]), f"yes {LENGTH}"),
        ((X, [1] * 4, [-1] * 4), f"no {FINITE}"),
        ((X, [0] * 4, [0] * 4), "All weights are 0"),
        ((np.zeros((0, 2)), [], []), "at least one row"),
    ],
)
def test_bad_counts(counts, message):
    assert message in error_of(TruthTable.from_counts, *counts)


@pytest.mark.parametrize(
    ("call", "argument", "message"),
    [
        (TABLE.merge, None, "Only a truth table can be merged"),
        (TABLE.merge, TABLE.rename(["a", "c"]), "'b' is in one alone"),
        (TABLE.merge, TABLE.select(["b"]), "'a' is in one alone"),
        (TABLE.select, None, "a sequence of names"),
        (TABLE.select, ["a", "a"], "names a concept twice"),
        (TABLE.select, ["aa"], "Unknown concept 'aa'"),
        (TABLE.rename, ["a"], "1 name was given for 2 columns"),
        (TABLE.rename, {"x": "y"}, "Unknown concept 'x'"),
        (TABLE.rename, {0: "y"}, "must be a string"),
        (TABLE.rename, "ab", "a sequence of strings"),
        (TABLE.rename, ["a", "a"], "must be distinct"),
    ],
)
def test_misuse_is_explained(call, argument, message):
    assert message in error_of(call, argument)


def test_arrays_of_other_shapes():
    words, weights = np.zeros((2, 2), dtype=np.uint64), np.zeros(2)

    assert "do not fit together" in error_of(TruthTable, ("a",), words, weights, weights)
