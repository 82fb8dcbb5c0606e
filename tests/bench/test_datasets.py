"""Loaders, on small files of the real layout and, where they are at hand, on the real ones; the recipe."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import KBinsDiscretizer, MinMaxScaler

from logiclens.bench import Dataset, load_cub, load_dsprites, load_mimic2, load_tabular, load_vdem
from logiclens.bench.datasets import (
    FLAGS,
    ITEMS,
    MEASURED,
    MID_LEVEL,
    encode_column,
    equal_width_bins,
    impute_mean,
    load_vdem_items,
    vdem_country_years,
)
from tests.errors import error_of
from tests.strategies import HOSTILE_NAMES

LOADERS: dict[str, Callable[[Path | None], Dataset]] = {
    "mimic2/full_cohort_data.csv.gz": load_mimic2,
    "vdem/vdem_core_post2000.csv.gz": load_vdem,
    "cub/cub_concepts.npz": load_cub,
    "dsprites/dsprites_c_train.csv.gz": load_dsprites,
    "tabular/zoo.csv.gz": lambda folder: load_tabular("zoo", folder),
}


def put(folder: Path, file: str, lines: Sequence[str], end: str = "\n") -> None:
    path = folder / file
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(gzip.compress((end.join(lines) + end).encode()))


def put_columns(folder: Path, file: str, columns: Mapping[str, Sequence[object]], end: str = "\n") -> None:
    rows = [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
    put(folder, file, [",".join(columns), *rows], end)


def column(dataset: Dataset, name: str) -> list[float]:
    return dataset.concepts[:, dataset.concept_names.index(name)].tolist()


# --- Dataset


def toy(**changes: object) -> Dataset:
    fields: dict[str, object] = {
        "name": "toy",
        "concepts": np.array([[0.9, 0.2], [0.1, 0.6]]),
        "concept_names": ("a", "a & b"),
        "labels": np.array(["yes", "no"]),
        "target_names": ("no", "yes"),
    }
    return Dataset(**(fields | changes))  # type: ignore[arg-type]


def test_a_dataset_is_a_value():
    own = np.array([[0.9, 0.2], [0.1, 0.6]])
    dataset = toy(concepts=own, groups=(("a", "a & b"),))

    assert repr(dataset) == "Dataset('toy': 2 rows, 2 concepts, 2 targets)"
    assert dataset.split_test is None
    with pytest.raises(ValueError, match="read-only"):
        dataset.concepts[0, 0] = 1.0
    own[0, 0] = 0.8  # the caller's array is as it was


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"concepts": np.array([0.5, 0.5])}, "Got shape (2,)"),
        ({"concept_names": ("a",)}, "1 name was given for 2 columns"),
        ({"concept_names": ("a", "a")}, "repeated: 'a'"),
        ({"labels": np.array(["yes"])}, "labels must have shape (2,). Got shape (1,)"),
        ({"labels": np.array(["yes", "maybe"])}, "labels must be among 'no', 'yes'. Got 'maybe'"),
        ({"labels": np.array([[1], [0]])}, "labels must have shape (2, 2). Got shape (2, 1)"),
        ({"labels": np.array([[1, 0], [0, 2]])}, "labels must be among 0, 1. Got 2"),
        ({"groups": (("a", "a & b"),), "concepts": np.array([[1.0, 0.0], [0.0, 0.5]])}, "in row 1"),
        ({"groups": (("a", "b"),)}, "Unknown concept 'b'"),
    ],
)
def test_a_dataset_is_consistent(changes: dict[str, object], text: str):
    assert text in error_of(toy, **changes)


# --- MIMIC-II


@pytest.fixture
def mimic2(tmp_path: Path) -> Path:
    """Five patients; only a few columns vary. Lines end with a carriage return alone, as in the real file."""
    columns: dict[str, Sequence[object]] = {name: [0, 1, 0, 1, 0] for name in (*FLAGS, *MEASURED)}
    columns["gender_num"] = [1, 1, "", 0, 1]
    columns["age"] = [20, 50, 80, "", 41]  # the mean is 47.75; edges are at 40 and 60
    columns["bmi"] = [0, 1, 2, 3, 3]  # 1 and 2 are edges
    columns["service_unit"] = ["MICU", "SICU", "FICU", "MICU", "SICU"]
    columns["hospital_los_day"] = [1, 2, 3, 4, 5]
    columns["mort_day_censored"] = [731, 3, 2, 90, 1]
    columns["day_icu_intime"] = ["Friday   "] * 5
    columns["day_28_flg"] = [0, 1, 0, 0, 0]
    columns["hosp_exp_flg"] = [0, 0, 1, 0, 0]
    columns["icu_exp_flg"] = [0, 0, 0, 0, 1]
    columns["censor_flg"] = [1, 1, 1, 0, 1]
    put_columns(tmp_path, "mimic2/full_cohort_data.csv.gz", columns, end="\r")
    return tmp_path


def test_mimic2_has_flags_then_bins(mimic2: Path):
    """Missing values are the mean, edges belong to the bin above, and every death counts."""
    dataset = load_mimic2(mimic2)
    bins = [f"{name}_{bin_}" for name in MEASURED for bin_ in ("LOW", "NORMAL", "HIGH")]

    assert dataset.concepts.shape == (5, 90)
    assert dataset.concept_names == (*FLAGS, *bins)
    assert dataset.groups == tuple(zip(bins[::3], bins[1::3], bins[2::3], strict=True))
    assert column(dataset, "gender_num") == [1, 1, 0.75, 0, 1]
    assert [column(dataset, f"age_{bin_}").index(1) for bin_ in ("LOW", "NORMAL", "HIGH")] == [0, 1, 2]
    assert column(dataset, "age_NORMAL") == [0, 1, 0, 1, 1]
    assert column(dataset, "bmi_LOW") == [1, 0, 0, 0, 0]
    assert column(dataset, "bmi_NORMAL") == [0, 1, 0, 0, 0]
    assert dataset.labels.tolist() == ["recovery", "death", "death", "death", "death"]
    assert dataset.target_names == ("recovery", "death")


def test_mimic2_needs_the_outcome(mimic2: Path):
    path = mimic2 / "mimic2" / "full_cohort_data.csv.gz"
    text = gzip.decompress(path.read_bytes()).decode().removesuffix("0,1,1\r") + "0,1,\r"
    path.write_bytes(gzip.compress(text.encode()))

    assert "The outcome of MIMIC-II has 1 missing value, the first in row 4" in error_of(load_mimic2, mimic2)


def test_mimic2_as_published_is_not_compressed(mimic2: Path):
    path = mimic2 / "mimic2" / "full_cohort_data.csv.gz"
    path.with_suffix("").write_bytes(gzip.decompress(path.read_bytes()))
    path.unlink()

    assert load_mimic2(mimic2).concepts.shape == (5, 90)


# --- V-Dem


def test_vdem_leaves_out_rows_with_gaps(tmp_path: Path):
    columns: dict[str, Sequence[object]] = {"country_name": ["Á", "B", "C", "D"]}
    columns |= {name: [0.1, 0.9, 0.9, 0.9] for name in MID_LEVEL}
    columns["v2x_suffr"] = [0.5, 0.501, "", 1]
    columns["v2x_polyarchy"] = [0.51, 0.5, 0.9, ""]
    put_columns(tmp_path, "vdem/vdem_core_post2000.csv.gz", columns)
    dataset = load_vdem(tmp_path)

    assert dataset.concept_names == tuple(MID_LEVEL)
    assert dataset.concepts.dtype == np.bool_
    assert dataset.concepts.tolist() == [[False] * 14, [True] * 14]
    assert dataset.labels.tolist() == ["electoral democracy", "non-electoral democracy"]
    assert dataset.target_names == ("non-electoral democracy", "electoral democracy")
    assert dataset.groups == ()


def test_vdem_with_gaps_everywhere(tmp_path: Path):
    columns: dict[str, Sequence[object]] = {name: [""] for name in (*MID_LEVEL, "v2x_polyarchy")}
    put_columns(tmp_path, "vdem/vdem_core_post2000.csv.gz", columns)

    assert "has no row without missing values" in error_of(load_vdem, tmp_path)


# --- CUB


def put_cub(folder: Path, **changes: object) -> None:
    put(folder, "cub/attributes.txt.gz", ["1 has_bill::dagger", "2 red", "3 red_wing"])
    put(folder, "cub/classes.txt.gz", ["1 001.Albatross", "2 002.Auklet"])
    arrays: dict[str, object] = {
        "concepts_resnet10": np.array([[0.25, 1.0], [0.75, 0.0], [0.5, 0.5]], dtype=np.float16),
        "labels": np.array([1, 0, 1]),
        "attr_index": np.array([0, 2]),
        "split_test": np.array([0, 2]),
    }
    np.savez(folder / "cub" / "cub_concepts.npz", **(arrays | changes))  # type: ignore[arg-type]


def test_cub_takes_its_names_by_index_from_zero(tmp_path: Path):
    put_cub(tmp_path)
    dataset = load_cub(tmp_path)

    assert dataset.concept_names == ("has_bill::dagger", "red_wing")
    assert dataset.concepts.dtype == np.float64
    assert dataset.concepts.tolist() == [[0.25, 1.0], [0.75, 0.0], [0.5, 0.5]]
    assert dataset.labels.tolist() == ["002.Auklet", "001.Albatross", "002.Auklet"]
    assert dataset.target_names == ("001.Albatross", "002.Auklet")
    assert dataset.split_test is not None
    assert dataset.split_test.tolist() == [0, 2]


@pytest.mark.parametrize(
    ("name", "values", "last"),
    [("labels", [1, 0, 2], 1), ("attr_index", [0, 3], 2), ("split_test", [-1], 2), ("labels", [0.0] * 3, 1)],
)
def test_cub_indices_lead_somewhere(tmp_path: Path, name: str, values: list[float], last: int):
    put_cub(tmp_path, **{name: np.array(values)})

    assert error_of(load_cub, tmp_path).startswith(
        f"The file 'cub/cub_concepts.npz' has values in {name!r} that are no whole numbers from 0 to {last}. "
    )


# --- dSprites


def put_dsprites(folder: Path, figures: Sequence[tuple[int, int]], width: int = 50) -> None:
    """One row for each pair of a shape and a scale, at the first orientation and place."""
    concepts, labels = [], []
    for shape, scale in figures:
        true = {0, 1 + shape, 4 + scale, 10, 18, 34}
        concepts.append([float(j in true) for j in range(width)])
        labels.append([float(j == 6 * shape + scale) for j in range(18)])
    for letter, rows in (("c", concepts), ("y", labels)):
        header = ["", *map(str, range(len(rows[0])))]
        lines = [",".join(map(str, (at, *row))) for at, row in enumerate(rows)]
        put(folder, f"dsprites/dsprites_{letter}_train.csv.gz", [",".join(header), *lines])


def test_dsprites_has_many_labels(tmp_path: Path):
    put_dsprites(tmp_path, [(0, 0), (2, 5), (1, 3)])
    dataset = load_dsprites(tmp_path)

    assert dataset.concepts.shape == (3, 50)
    assert dataset.concepts.dtype == np.bool_
    assert dataset.labels.shape == (3, 18)
    assert column(dataset, "shape = heart") == [False, True, False]
    assert column(dataset, "scale = 0.8") == [False, False, True]
    targets = [dataset.target_names[at] for at in dataset.labels.argmax(axis=1)]
    assert targets == ["square, scale 0.5", "heart, scale 1.0", "ellipse, scale 0.8"]
    assert [len(group) for group in dataset.groups] == [1, 3, 6, 8, 16, 16]
    assert sum(dataset.groups, ()) == dataset.concept_names


def test_dsprites_of_another_width(tmp_path: Path):
    put_dsprites(tmp_path, [(0, 0)], width=49)

    assert error_of(load_dsprites, tmp_path).startswith(
        "The file 'dsprites/dsprites_c_train.csv.gz' has 50 columns where an index and 50 more belong. "
    )


# --- small tables


def test_tabular_one_hot_and_bins(tmp_path: Path):
    columns: dict[str, Sequence[object]] = {
        "sex": ["male", "female", "?", *["male"] * 9],
        "legs": [4, 2, 4, *[0] * 9],
        "max": range(12),
        "target": ["yes", "no", "yes", *["no"] * 9],
    }
    put_columns(tmp_path, "tabular/zoo.csv.gz", columns)
    dataset = load_tabular("zoo", tmp_path)

    assert dataset.groups == (
        ("sex = female", "sex = male", "sex missing"),
        ("legs = 0", "legs = 2", "legs = 4"),
        ("max_LOW", "max_NORMAL", "max_HIGH"),
    )
    assert sum(dataset.groups, ()) == dataset.concept_names
    assert dataset.concepts.dtype == np.bool_
    assert column(dataset, "sex missing") == [False, False, True, *[False] * 9]
    assert column(dataset, "legs = 4") == [True, False, True, *[False] * 9]
    assert column(dataset, "max_LOW") == [True] * 4 + [False] * 8
    assert dataset.labels.tolist() == ["yes", "no", "yes", *["no"] * 9]
    assert dataset.target_names == ("no", "yes")


def test_tabular_needs_a_known_name_labels_and_columns(tmp_path: Path):
    load = LOADERS["tabular/zoo.csv.gz"]

    assert "Unknown table 'mushrooms'" in error_of(load_tabular, "mushrooms")
    put_columns(tmp_path, "tabular/zoo.csv.gz", {"a": [1, 2], "target": ["x", ""]})
    assert "Column 'target' has 1 missing value, the first in row 1" in error_of(load, tmp_path)
    put_columns(tmp_path, "tabular/zoo.csv.gz", {"target": ["x"]})
    assert "has no column but 'target'. It is part of Zoo" in error_of(load, tmp_path)


# --- without files


@pytest.mark.parametrize("file", LOADERS)
def test_without_a_folder_the_loader_says_what_it_needs(file: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("LOGICLENS_DATA", raising=False)

    assert error_of(LOADERS[file], None).startswith(
        f"No data folder is named, and {file!r} is needed. Pass data_dir= or set LOGICLENS_DATA; "
    )


def test_loaders_write_nothing(mimic2: Path):
    before = {path: path.stat().st_mtime_ns for path in mimic2.rglob("*")}
    load_mimic2(mimic2)

    assert {path: path.stat().st_mtime_ns for path in mimic2.rglob("*")} == before


# --- the real files


@pytest.fixture
def real() -> None:
    if not os.environ.get("LOGICLENS_DATA"):
        pytest.skip("LOGICLENS_DATA names no folder with the real files")


@pytest.mark.usefixtures("real")
@pytest.mark.parametrize(
    ("load", "shape", "n_targets"),
    [
        (load_mimic2, (1776, 90), 2),
        (load_vdem, (3260, 14), 2),
        (load_cub, (11788, 108), 200),
        (load_dsprites, (5530, 50), 18),
        (partial(load_tabular, "heart_disease_cleveland"), (303, 40), 2),
        (partial(load_tabular, "mushroom"), (8124, 117), 2),
        (partial(load_tabular, "tic_tac_toe"), (958, 27), 2),
        (partial(load_tabular, "titanic_2201"), (2201, 8), 2),
        (partial(load_tabular, "zoo"), (101, 36), 7),
    ],
)
def test_sizes_of_the_real_tables(load: Callable[[], Dataset], shape: tuple[int, int], n_targets: int):
    dataset = load()

    assert dataset.concepts.shape == shape
    assert len(set(dataset.target_names)) == n_targets


@pytest.mark.usefixtures("real")
def test_what_the_real_tables_hold():
    """The targets of dSprites are shape and scale, which confirms the names given to the columns."""
    mimic2, cub, dsprites = load_mimic2(), load_cub(), load_dsprites()
    shapes, scales = dsprites.concepts[:, 1:4], dsprites.concepts[:, 4:10]

    assert int((mimic2.labels == "death").sum()) == 497
    assert int(((mimic2.concepts > 0) & (mimic2.concepts < 1)).sum()) == 1  # a gender is unknown
    assert int((load_vdem().labels == "electoral democracy").sum()) == 1858
    assert cub.split_test is not None
    assert cub.split_test.shape == (2358,)
    assert np.array_equal((shapes[:, :, None] & scales[:, None, :]).reshape(-1, 18), dsprites.labels)


FILE = "vdem/vdem_core_post2000.csv.gz"


def columns() -> dict[str, Sequence[object]]:
    """Three rows, of which the last lacks an item."""
    found: dict[str, Sequence[object]] = {f"{item}_ord": [0, 3, 1] for item in ITEMS}
    found |= {name: [0.1, 0.9, 0.9] for name in (*MID_LEVEL, "v2x_polyarchy")}
    return found | {"v2mecrit_ord": [2, 0, ""], "v2x_suffr": [0.6, 0.9, 0.9]}


def test_both_levels_are_about_the_same_rows(tmp_path: Path):
    put_columns(tmp_path, FILE, columns())
    items, indices = load_vdem_items(tmp_path)

    assert items.concepts.shape == (2, 72)
    assert items.labels.tolist() == indices.concepts.astype(int).tolist()
    assert items.target_names == indices.concept_names == tuple(MID_LEVEL)
    assert indices.labels.tolist() == ["non-electoral democracy", "electoral democracy"]
    assert indices.concepts[0].tolist() == [name == "v2x_suffr" for name in MID_LEVEL]


def test_answers_are_concepts_of_which_one_is_true(tmp_path: Path):
    put_columns(tmp_path, FILE, columns())
    items, _ = load_vdem_items(tmp_path)
    group = next(group for group in items.groups if group[0].startswith("v2mecrit"))

    assert group == ("v2mecrit = 0", "v2mecrit = 2")
    assert items.concepts[:, items.concept_names.index("v2mecrit = 2")].tolist() == [True, False]
    assert len(items.groups) == 36


def test_rows_have_a_country_and_a_year(tmp_path: Path):
    """Those of the rows that are loaded, which leave out the last."""
    put_columns(
        tmp_path, FILE, columns() | {"country_name": ["Chad", "Chile", "China"], "year": [2001, 2002, 2003]}
    )

    assert vdem_country_years(tmp_path) == [("Chad", 2001), ("Chile", 2002)]


def test_gaps_everywhere(tmp_path: Path):
    put_columns(tmp_path, FILE, columns() | {"v2mecrit_ord": ["", "", ""]})

    assert "has no row without missing values" in error_of(load_vdem_items, tmp_path)


@pytest.mark.usefixtures("real")
def test_the_real_items():
    items, indices = load_vdem_items()

    assert items.concepts.shape == (2737, 164)
    assert indices.concepts.shape == (2737, 14)
    assert int(np.sum(indices.labels == "electoral democracy")) == 1595


def test_a_column_without_any_value_has_no_mean():
    assert "Column 'weight' has no value at all" in error_of(impute_mean, np.array([np.nan] * 2), "weight")


@pytest.mark.parametrize(
    ("values", "bins"),
    [
        ([0, 1, 2, 3], [0, 1, 2, 2]),  # an edge belongs to the bin above, the greatest to the last
        ([-3, -2.001, -2, -1.001, -1, 0], [0, 0, 1, 1, 2, 2]),
        ([5, 5, 5], [0, 0, 0]),
        ([0, 1], [0, 2]),
    ],
)
def test_bins(values: list[float], bins: list[int]):
    assert equal_width_bins(np.array(values, dtype=np.float64)).tolist() == bins


@given(st.lists(st.integers(-30, 300).map(lambda n: n / 10), min_size=2, max_size=40))
def test_bins_are_those_of_scikit_learn(values: list[float]):
    """Tenths fall on edges often; scaling and cutting must round as the reference implementation did."""
    if len(set(values)) == 1:  # scikit-learn makes a single bin, with a warning
        return
    column = np.array(values)[:, None]
    cut = KBinsDiscretizer(n_bins=3, encode="ordinal", strategy="uniform")
    expected = cut.fit_transform(MinMaxScaler().fit_transform(column))[:, 0]

    assert equal_width_bins(column[:, 0]).tolist() == expected.tolist()


def test_few_numbers_are_categories_and_come_in_order():
    names, truth = encode_column("legs", ["10", "2", "2.0", "?", "0.5", "-0.0"])

    assert names == ("legs = 0", "legs = 0.5", "legs = 2", "legs = 10", "legs missing")
    assert truth.argmax(axis=1).tolist() == [3, 2, 2, 4, 1, 0]


def test_many_numbers_are_binned():
    sizes = [len(encode_column("age", [str(value) for value in range(n)])[0]) for n in (10, 11)]

    assert sizes == [10, 3]


def test_missing_numbers_do_not_move_the_bins():
    names, truth = encode_column("age", [*map(str, range(13)), ""])

    assert names == ("age_LOW", "age_NORMAL", "age_HIGH", "age missing")
    assert truth.sum(axis=0).tolist() == [4, 4, 5, 1]
    assert truth[-1].tolist() == [False, False, False, True]


def test_one_word_makes_the_column_text():
    names, _ = encode_column("size", ["1", "1.0", "nan", "1_0", "missing"])

    assert names == ("size = 1", "size = 1.0", "size = 1_0", "size = missing", "size = nan")


def test_a_column_of_nothing():
    names, truth = encode_column("a", ["", "?"])

    assert names == ("a missing",)
    assert truth.tolist() == [[True], [True]]


@given(
    st.sampled_from(HOSTILE_NAMES),
    st.lists(st.sampled_from(["", "?", "1", "2.5", "x", *HOSTILE_NAMES]), min_size=1, max_size=30),
)
def test_exactly_one_concept_is_true(name: str, cells: list[str]):
    names, truth = encode_column(name, cells)

    assert truth.shape == (len(cells), len(names))
    assert len(set(names)) == len(names)
    assert (truth.sum(axis=1) == 1).all()
    assert truth.any(axis=0).all()


@given(st.lists(st.sampled_from(["", *map(str, range(-3, 20))]), min_size=1, max_size=60))
def test_exactly_one_concept_is_true_of_numbers(cells: list[str]):
    _, truth = encode_column("a", cells)

    assert (truth.sum(axis=1) == 1).all()
