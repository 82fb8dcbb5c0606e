"""V-Dem in two levels, on a small file of the real one's layout; and on the real one where it is at hand."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from logiclens.bench.vdem import ITEMS, load_vdem_items
from logiclens.errors import InputError
from tests.bench.test_data import MID_LEVEL, put_columns

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


def test_gaps_everywhere(tmp_path: Path):
    put_columns(tmp_path, FILE, columns() | {"v2mecrit_ord": ["", "", ""]})
    with pytest.raises(InputError) as info:
        load_vdem_items(tmp_path)

    assert str(info.value) == (
        "The file 'vdem/vdem_core_post2000.csv.gz' has no row without missing values. It is part of V-Dem, "
        "country-years after 2000: make it from the country-year tables of https://v-dem.net/data/, or name "
        "another folder with data_dir= or LOGICLENS_DATA."
    )


def test_the_real_file():
    if not os.environ.get("LOGICLENS_DATA"):
        pytest.skip("LOGICLENS_DATA names no folder with the real files")
    items, indices = load_vdem_items()

    assert items.concepts.shape == (2737, 164)
    assert indices.concepts.shape == (2737, 14)
    assert int(np.sum(indices.labels == "electoral democracy")) == 1595
