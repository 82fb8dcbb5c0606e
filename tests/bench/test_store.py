"""Results on disk: whole or not at all, found again by their key, and the same bytes for the same rows."""

from __future__ import annotations

import copy
import csv
import json
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from logiclens.bench.methods import CLUSTERERS, METHODS, Tree
from logiclens.bench.peers import PEERS
from logiclens.bench.store import (
    FinishedPiece,
    Key,
    Results,
    about,
    fingerprint,
    fold_checksum,
    key_of,
    read_rows,
    write_rows,
)
from tests.bench.toy_runs import FirstConcept, toy_fold
from tests.errors import error_of
from tests.strategies import HOSTILE_NAMES, names

KEY = Key("mimic2", "tree", 0, 0, (3,), False, "1.0", "abc")


def row(fold: int = 3, experiment: str = "mimic2", method: str = "tree", **others: Any) -> dict[str, Any]:
    place = {"experiment": experiment, "part": "", "method": method, "fold": fold, "fold_seed": 0}
    return place | {"status": "done", "fidelity": 0.1 + 0.2, "used": {"a & b": ["red"]}} | others


def unit(key: Key = KEY, **others: Any) -> FinishedPiece:
    return FinishedPiece(key, (row(key.folds[0], key.experiment, key.method, **others),), timed=True)


def test_what_is_stored_is_found_again(tmp_path: Path):
    results = Results(tmp_path / "new" / "folder")
    stored = replace(unit(), limit=7200.0, timed=False)
    results.store(stored)

    assert results.stored(KEY) == stored
    assert Results(tmp_path / "new" / "folder").rows() == list(stored.rows)
    assert repr(results) == f"Results({str(tmp_path / 'new' / 'folder')!r})"


@pytest.mark.parametrize(
    "changes",
    [
        {"version": "1.1"},
        {"checksum": "abd"},
        {"fold_seed": 1},
        {"seed": 1},
        {"folds": (4,)},
        {"method": "brl"},
    ],
)
def test_another_key_is_not_done(changes: dict[str, Any], tmp_path: Path):
    results = Results(tmp_path)
    results.store(unit())

    assert results.stored(replace(KEY, **changes)) is None


def test_other_settings_replace_what_was_there(tmp_path: Path):
    results = Results(tmp_path)
    results.store(unit())
    results.store(replace(unit(replace(KEY, checksum="new")), timed=False))
    all_folds = replace(KEY, together=True, folds=(0, 1))
    results.store(unit(all_folds))
    results.store(unit(replace(all_folds, folds=(0, 1, 2))))

    assert results.stored(KEY) is None
    assert len(results.rows()) == 2


@settings(max_examples=30)
@given(st.lists(st.tuples(names(), names(), st.integers(0, 3)), unique=True, max_size=8))
def test_every_piece_has_a_file_of_its_own(places: list[tuple[str, str, int]]):
    keys = [replace(KEY, experiment=one, method=two, folds=(fold,)) for one, two, fold in places]
    files = [key.file for key in keys]

    assert len(set(files)) == len(files)
    assert all(len(file) < 200 and file.isascii() and "/" not in file for file in files)


def test_a_quick_look_at_some_folds_does_not_replace_all(tmp_path: Path):
    """But for another release, of which nothing is there yet."""
    results = Results(tmp_path)
    every = replace(KEY, together=True, folds=(0, 1, 2))
    some = replace(every, folds=(0, 1), checksum="some")
    results.store(unit(every))
    results.store(unit(some))
    assert results.stored(every) == unit(every)
    assert results.stored(some) is None

    newer = replace(some, version="1.1")
    results.store(unit(newer))
    assert results.stored(newer) == unit(newer)


def test_hostile_names_are_names(tmp_path: Path):
    results = Results(tmp_path)
    for name in HOSTILE_NAMES:
        results.store(unit(replace(KEY, experiment=name, method=name), used={name: [name]}))

    assert sorted(each["experiment"] for each in results.rows()) == sorted(HOSTILE_NAMES)
    results.save_table()
    assert read_rows(tmp_path / "rows.jsonl") == results.rows()
    with open(tmp_path / "rows.csv", encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    assert [each["method"] for each in table] == sorted(HOSTILE_NAMES)
    assert all(json.loads(each["used"]) == {each["method"]: [each["method"]]} for each in table)


def test_what_is_not_a_number_is_missing(tmp_path: Path):
    results = Results(tmp_path)
    stored = unit(fidelity=np.nan, complexity=np.float64(1.5), n_test=np.int64(3))
    results.store(stored)
    (found,) = results.rows()

    assert (found["fidelity"], found["complexity"], found["n_test"]) == (None, 1.5, 3)
    assert stored.rows == (found,)


ANOTHER_FORMAT = json.dumps({"format": 2} | asdict(unit())).encode()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"format": 1}', b"\xff", ANOTHER_FORMAT])
def test_damaged_files_are_not_done(content: bytes, tmp_path: Path):
    results = Results(tmp_path)
    results.store(unit())
    path = tmp_path / "units" / KEY.file
    path.write_bytes(content)

    assert results.stored(KEY) is None
    assert error_of(results.rows) == f"{str(path)!r} is damaged. Remove it, and run its experiment again."


def test_drafts_of_killed_runs_are_not_looked_at(tmp_path: Path):
    results = Results(tmp_path)
    results.store(unit())
    (tmp_path / "units" / ".0123.tmp").write_bytes(b'{"format": 1, "ro')

    assert len(results.rows()) == 1


def test_a_folder_of_results_is_a_folder(tmp_path: Path):
    (tmp_path / "file").write_text("")

    assert Results(tmp_path / "none").rows() == []
    assert not (tmp_path / "none").exists()
    assert "is a file. Name a folder for results." in error_of(Results, tmp_path / "file")
    assert "The folder of results must be a path. Got None" in error_of(Results, None)


def test_the_table_is_tidy_and_in_order(tmp_path: Path):
    results = Results(tmp_path)
    rows = [row(fold, extra=None if fold else 1.0) for fold in (10, 2, 0)]
    rows += [row(1, "cub", agreement_model_box=0.5), row(0, method="mu"), row(0, part="unseen")]
    results.save_table([row(0, fold_seed=1), *rows])
    with open(tmp_path / "rows.csv", encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))

    place = [(each["experiment"], each["method"], each["fold"], each["part"]) for each in table]
    assert place == [
        ("cub", "tree", "1", ""),
        ("mimic2", "mu", "0", ""),
        ("mimic2", "tree", "0", ""),
        ("mimic2", "tree", "0", "unseen"),
        ("mimic2", "tree", "2", ""),
        ("mimic2", "tree", "10", ""),
        ("mimic2", "tree", "0", ""),
    ]
    assert {each["fidelity"] for each in table} == {"0.30000000000000004"}
    assert [each["extra"] for each in table] == ["", "", "1.0", "", "", "", ""]
    assert json.loads((tmp_path / "about.json").read_text())["cores"] == about()["cores"]


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.jsonl.gz"])
def test_the_same_rows_give_the_same_bytes(name: str, tmp_path: Path):
    rows = [row(fold, example={"a\u2028b": "größe"}) for fold in range(3)]
    write_rows(tmp_path / name, rows)
    first = (tmp_path / name).read_bytes()
    write_rows(tmp_path / name, rows[::-1])

    assert (tmp_path / name).read_bytes() == first
    assert read_rows(tmp_path / name) == rows


@pytest.mark.parametrize(
    ("name", "content"), [("a.jsonl", b"{\n"), ("a.jsonl", b"3\n"), ("a.gz", b"{}"), ("a", b"\xff\n")]
)
def test_files_without_rows(name: str, content: bytes, tmp_path: Path):
    path = tmp_path / name
    path.write_bytes(content)

    assert error_of(read_rows, path) == f"{str(path)!r} does not hold rows of results. Make it again."


# --- keys


@dataclass
class Settings:
    depth: int = 5
    kinds: tuple[str, ...] = ("a",)
    weights: Any = field(default_factory=lambda: np.array([0.5, 1.0]))


class Plain:
    def __init__(self, depth: int) -> None:
        self.depth = depth


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Settings(), Settings(depth=6)),
        (Settings(), Settings(weights=np.array([0.5, 1.1]))),
        (Plain(1), Plain(2)),
        (DecisionTreeClassifier(), DecisionTreeClassifier(max_depth=3)),
        (partial(max, 1), partial(max, 2)),
        (max, min),
        ({"a": 1}, {"a": "1"}),
        ({1, 2}, {1, 3}),
        (None, False),
    ],
)
def test_other_settings_have_another_fingerprint(one: Any, other: Any):
    assert fingerprint(one) != fingerprint(other)
    assert fingerprint(copy.deepcopy(one)) == fingerprint(one)
    assert "0x" not in fingerprint(one)


def test_what_identifies_methods_stays():
    """Work that was done before a class moved is still found: identities and settings do not change."""
    methods = [*METHODS.values(), *CLUSTERERS.values(), *PEERS.values()]
    kept = (Path(__file__).parent / "fingerprints.txt").read_text(encoding="utf-8")

    assert [fingerprint(method) for method in methods] == kept.splitlines()


class MyTree(Tree):
    """A tree of one's own."""


def test_a_class_of_ones_own_is_not_taken_for_the_one_it_extends():
    assert fingerprint(MyTree()).startswith(f"{__name__}.MyTree(")


@pytest.mark.parametrize(
    "changes",
    [
        {"concept_names": ("red", "red_wing", "b")},
        {"class_names": ("no", "yes")},
        {"x_test": toy_fold().x_test + 1e-9},
        {"y_train": 1 - toy_fold().y_train},
        {"parts": {"some": np.ones(10, dtype=np.bool_)}},
        {"also": {"box": np.ones(10, dtype=np.intp)}},
        {"confidence": np.ones(len(toy_fold().y_train))},
    ],
)
def test_the_checksum_is_of_all_that_a_fold_holds(changes: dict[str, Any]):
    assert fold_checksum(toy_fold(**changes)) != fold_checksum(toy_fold())
    assert fold_checksum(toy_fold()) == fold_checksum(toy_fold())


def test_the_key_is_of_method_and_data():
    method = FirstConcept(together=True)
    key = key_of("toy", method, [0, 1], (3, 4), "data")

    assert (key.experiment, key.method, key.folds, key.together) == ("toy", "first", (0, 1), True)
    assert (key.fold_seed, key.seed) == (3, 4)
    assert key == key_of("toy", FirstConcept(together=True), [0, 1], (3, 4), "data")
    assert key != key_of("toy", replace(method, sleep=1.0), [0, 1], (3, 4), "data")
    assert key != key_of("toy", method, [0, 1], (3, 4), "other data")


def test_what_the_machine_is():
    found = about()

    assert set(found) == {
        *("logiclens", "python", "packages", "system", "processor", "cores", "memory_gib", "gpu", "date")
    }
    assert found["packages"]["numpy"] == np.__version__
    assert json.loads(json.dumps(found)) == found
