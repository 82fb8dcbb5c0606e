"""Concepts learned in an engine: those of the same rows in memory."""

from typing import Any

import ibis
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logiclens.concepts import ConceptEncoder
from logiclens.errors import InputError, UnknownColumnError
from logiclens.scale import _histograms
from logiclens.scale._expressions import concept_expression
from logiclens.scale._histograms import (
    FINENESS,
    bin_counts,
    histogram,
    summarize_columns,
)
from logiclens.scale._training_rows import check_rows, count_rows, numbers_of

RANDOM = np.random.default_rng(0)

CELLS = {
    "numbers": st.none() | st.sampled_from([-2.5, -0.0, 0.0, 0.5, 1.0, 2.0, 3.0, float("nan")]),
    "whole": st.none() | st.integers(-3, 40),
    "texts": st.none() | st.sampled_from(["a", "b", "c", "yes", "no", "1", "2020-01-01", ""]),
    "flags": st.none() | st.booleans(),
}
TYPES = {"numbers": pa.float64(), "whole": pa.int16(), "texts": pa.string(), "flags": pa.bool_()}


def learned_in_engine(encoder: ConceptEncoder, table: Any, target: Any = None, weights: Any = None) -> Any:
    """An encoder fitted on the counts of an engine."""
    rows = check_rows(table, target, weights=weights)
    totals, summaries = count_rows(rows), summarize_columns(rows)
    recipe = encoder.recipe(has_targets=bool(rows.targets))
    readings = [histogram(rows, totals, each).read(recipe, encoder) for each in summaries]
    return encoder.adopt(readings, rows.columns)


def learned(table: Any, encoder: ConceptEncoder, y: Any = None, weights: Any = None) -> Any:
    """An encoder fitted on arrow columns in memory, or what it refuses to do."""
    try:
        return encoder.fit(table, y, weights)
    except InputError as error:
        return str(error)


@settings(max_examples=15)
@given(
    st.lists(st.tuples(*CELLS.values(), st.sampled_from("xyz"), st.integers(0, 2)), min_size=2, max_size=40),
    st.sampled_from([{}, {"cuts": "quantile"}, {"missing": "impute"}, {"intervals": True, "max_cuts": 2}]),
)
def test_concepts_are_those_of_the_same_rows(lines: list[tuple[Any, ...]], options: dict[str, Any]):
    *columns, y, w = (list(column) for column in zip(*lines, strict=True))
    frame = pa.table(
        {name: pa.array(column, TYPES[name]) for name, column in zip(CELLS, columns, strict=True)}
    )
    table = ibis.memtable(frame.append_column("y", [y]).append_column("w", [pa.array(w, pa.float64())]))
    if sum(number > 0 for number in w) < 2:
        return
    used = np.array(w) > 0  # in memory, even the others say what the values of a column are
    codes = np.unique(y, return_inverse=True)[1]
    expected = learned(frame.filter(used), ConceptEncoder(**options), codes[used], np.array(w)[used])

    if isinstance(expected, str):
        with pytest.raises(InputError) as info:
            learned_in_engine(ConceptEncoder(**options), table, "y", weights="w")
        assert str(info.value) == expected
        return
    found = learned_in_engine(ConceptEncoder(**options), table, "y", weights="w")

    assert found.vocabulary_ == expected.vocabulary_
    assert found.dropped_ == expected.dropped_
    assert found.describe() == expected.describe()
    assert found.feature_names_in_.tolist() == list(CELLS)


def test_without_a_target():
    frame = pd.DataFrame({"age": RANDOM.integers(18, 90, 300), "ward": RANDOM.choice(list("ABC"), 300)})
    table = ibis.memtable(pa.Table.from_pandas(frame))

    found = learned_in_engine(ConceptEncoder(), table)

    assert found.vocabulary_ == ConceptEncoder().fit(frame).vocabulary_


@pytest.fixture
def few_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """So few values are many that a small table has more."""
    monkeypatch.setattr(_histograms, "MOST_VALUES", 200)
    monkeypatch.setattr(_histograms, "_SURELY_MORE", 400)


@pytest.mark.usefixtures("few_values")
@pytest.mark.parametrize("n_rows", [390, 20_000])
@pytest.mark.parametrize("cuts", ["supervised", "quantile", "uniform"])
def test_cuts_of_very_many_numbers_are_close_to_those_in_memory(n_rows: int, cuts: str):
    values = RANDOM.lognormal(0, 2, n_rows)
    y = (values > 2) ^ (RANDOM.random(n_rows) < 0.1)
    table = ibis.memtable(pa.table({"v": values, "y": y}))
    expected = ConceptEncoder(cuts=cuts, min_share=0.0).fit({"v": values}, y).vocabulary_

    found = learned_in_engine(ConceptEncoder(cuts=cuts, min_share=0.0), table, "y").vocabulary_

    cut, other = ([concept.cut for concept in words.concepts] for words in (found, expected))
    assert len(cut) == len(other)
    below, below_other = ((values[:, None] <= np.array(cuts)).mean(axis=0) for cuts in (cut, other))
    assert np.abs(below - below_other).max() < 0.02
    truth = concept_expression(table, found.concepts[0]).sum().to_pyarrow().as_py()
    assert truth == (values > cut[0]).sum()


@pytest.mark.usefixtures("few_values")
def test_a_clear_border_is_found_among_very_many_numbers():
    values = RANDOM.lognormal(0, 3, 20_000)
    table = ibis.memtable(pa.table({"v": values, "y": values > 3}))

    found = learned_in_engine(ConceptEncoder(cuts="supervised"), table, "y")

    assert found.vocabulary_.names == ("v > 3",)


@pytest.mark.usefixtures("few_values")
def test_of_very_many_texts_the_most_common_are_looked_at():
    texts = [f"t{number}" for number in range(600)] + ["common"] * 300 + ["other"] * 100 + [None] * 50
    y = ["yes" if text == "common" else "no" for text in texts]
    table = ibis.memtable(pa.table({"text": texts, "y": y}))

    found = learned_in_engine(ConceptEncoder(), table, "y")

    assert found.vocabulary_.names == ("text = common", "text = other", "text is missing")


@pytest.mark.usefixtures("few_values")
def test_identifiers_and_row_numbers_among_very_many_values():
    number = RANDOM.permutation(1000)
    columns = {
        "number": number + 1,
        "name": [f"n{each}" for each in number],
        "patient_id": number * 3,
        "twice": number // 2,
        "a": number % 2 == 0,
    }
    table = ibis.memtable(pa.table(columns))

    found = learned_in_engine(ConceptEncoder(), table)

    assert found.dropped_ == {
        "number": "row numbers from 1",
        "name": "an identifier: 1000 values in 1000 rows",
        "patient_id": "an identifier: 1000 values in 1000 rows",
    }


def test_cut_points_of_other_columns_are_refused():
    table = ibis.memtable(pa.table({"age": [1, 2, 3]}))
    recipe = ConceptEncoder(cuts={"Age": [2]}).recipe(has_targets=False)

    with pytest.raises(UnknownColumnError, match="The data lack the column 'Age'"):
        recipe.of_columns(check_rows(table, None).columns)


MANY = 40_000
SHAPES = {
    "uniform": RANDOM.random(MANY),
    "normal": RANDOM.normal(1e9, 1.0, MANY),
    "heavy tail": RANDOM.lognormal(0, 5, MANY),
    "outliers": np.append(RANDOM.random(MANY), [-1e300, 1e300, 1.7e308, -1.7e308]),
    "ties": np.where(RANDOM.random(MANY) < 0.5, 3.0, RANDOM.normal(0, 1, MANY)),
    "small": RANDOM.random(MANY) * 1e-300,
    "whole": RANDOM.integers(-(10**6), 10**6, MANY).astype(float),
    "gaps": np.where(RANDOM.random(MANY) < 0.1, np.nan, RANDOM.random(MANY)),
}


def bins(values: np.ndarray, y: np.ndarray, by_targets: bool) -> Any:
    table = ibis.memtable(pa.table({"v": pa.array(values, from_pandas=True), "y": y}))
    rows = check_rows(table, "y")
    low, high = np.nanmin(values), np.nanmax(values)
    return bin_counts(rows, table["v"], float(low), float(high), by_targets=by_targets)


@pytest.mark.parametrize("shape", SHAPES)
def test_bins_hold_all_rows_and_few_each(shape: str):
    values = SHAPES[shape]
    y = RANDOM.random(len(values)) < 0.5

    found = bins(values, y, by_targets=False)

    ends = found.column("v").to_numpy()
    counts, gaps = numbers_of(found, "n"), np.isnan(ends)
    order = np.argsort(ends[~gaps])
    edges, held = ends[~gaps][order], counts[~gaps][order]
    assert counts[gaps].sum() == np.isnan(values).sum()
    assert np.isin(edges, values).all()
    assert edges[0] == np.nanmin(values)
    assert edges[-1] == np.nanmax(values)
    places = np.searchsorted(edges, values[~np.isnan(values)])
    assert (np.bincount(places, minlength=len(edges)) == held).all()
    low = np.full(len(edges), np.inf)
    np.minimum.at(low, places, values[~np.isnan(values)])
    assert (held[low < edges] <= len(values) / FINENESS).all()
    yes = np.bincount(places, y[~np.isnan(values)], minlength=len(edges))
    assert (numbers_of(found, "y0")[~gaps][order] == yes).all()


def test_a_border_between_classes_stays_where_it_is():
    values = RANDOM.random(MANY)

    found = bins(values, values > 0.3, by_targets=True)

    ends, above = found.column("v").to_numpy(), found.column("t0").to_numpy(zero_copy_only=False)
    assert ends[~above].max() == values[values <= 0.3].max()
    assert ends[above].min() > 0.3
    assert numbers_of(found, "n").sum() == MANY
