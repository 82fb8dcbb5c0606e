"""Targets in columns: labels of any type, or outputs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from logiclens.errors import FileError, InputError
from logiclens.estimators.inputs_and_targets import Problem, read_targets
from logiclens.scale.streaming import targets as module
from logiclens.scale.streaming.source import ParquetSource
from logiclens.scale.streaming.targets import (
    TargetColumns,
    check_targets,
    count_targets,
    target_columns,
)
from tests.scale.streaming.making import write


def targets_in(path: Path, *names: str) -> tuple[TargetColumns, ParquetSource]:
    source = ParquetSource.of(path)
    return target_columns([count_targets(source, source.groups, names)], names, source.n_rows), source


@pytest.mark.parametrize(
    "values",
    [
        ["no", "yes", "no", "maybe"],
        [3, 1, 3, 2],
        [True, False, True, True],
        [1.0, 0.0, 2.0, 1.0],
        pa.array(["no", "yes", "no", "maybe"]).dictionary_encode(),
    ],
    ids=["text", "whole numbers", "Booleans", "floats", "categories"],
)
def test_labels_are_those_of_an_ordinary_fit(tmp_path: Path, values: Any):
    path = write(tmp_path / "a.parquet", {"y": pa.array(values)}, 3)
    targets, source = targets_in(path, "y")
    plain = values.to_pylist() if isinstance(values, pa.Array) else values
    expected = read_targets(np.array(plain, dtype=object if isinstance(plain[0], str) else None), 4)
    chunks = [chunk for group in source.groups for chunk in source.chunks(group, ["y"])]
    truth = np.concatenate([targets.read(chunk) for chunk in chunks])

    assert targets.labels == expected.labels
    assert list(map(type, targets.labels)) == list(map(type, expected.labels))
    assert targets.counts.tolist() == [plain.count(label) for label in targets.labels]
    np.testing.assert_array_equal(targets.outputs(truth, expected.problem).T, expected.outputs)
    assert targets.as_y(truth).tolist() == plain


def test_outputs_of_several_columns(tmp_path: Path):
    path = write(tmp_path / "a.parquet", {"a": [0.0, 1.0, 1.0], "b": [0.0, 0.0, 0.75]})
    targets, source = targets_in(path, "a", "b")
    (chunk,) = source.chunks(source.groups[0], ["a", "b"])
    truth = targets.read(chunk)

    assert targets.labels == ("a", "b")
    assert targets.counts.tolist() == [2.0, 0.75]
    np.testing.assert_array_equal(targets.outputs(truth, Problem.MULTI_LABEL), [[0, 1, 1], [0, 0, 0.75]])
    assert targets.strata(truth).tolist() == [2, 0, 1]  # none, a, the rarer of both
    assert read_targets(targets.as_y(truth), 3).labels == ("a", "b")


def test_zero_has_no_sign(tmp_path: Path):
    path = write(tmp_path / "a.parquet", {"y": [-0.0, 0.0, 1.0, -0.0, 0.0]}, 3)
    targets, source = targets_in(path, "y")
    chunks = [chunk for group in source.groups for chunk in source.chunks(group, ["y"])]

    assert list(map(str, targets.labels)) == ["0.0", "1.0"]
    assert targets.counts.tolist() == [4, 1]
    assert [targets.read(chunk).tolist() for chunk in chunks] == [[0, 0, 1], [0, 0]]


@pytest.mark.parametrize("floats", ["a", "b"])
def test_one_is_one_whatever_file_has_it_as_a_float(tmp_path: Path, floats: str):
    for name in ("a", "b"):
        write(tmp_path / f"{name}.parquet", {"y": [0.0, 1.0] if name == floats else [1, 2]})
    check_targets("y", ParquetSource.of(tmp_path))
    targets, _ = targets_in(tmp_path, "y")

    assert list(map(str, targets.labels)) == ["0.0", "1.0", "2.0"]
    assert targets.counts.tolist() == [1, 2, 1]


NUMBERS, TEXT, BOOLEANS = [0, 1], ["0", "1"], [True, False]


@pytest.mark.parametrize(
    ("first", "second", "kinds"),
    [
        (NUMBERS, TEXT, ("numbers", "text")),
        (TEXT, NUMBERS, ("text", "numbers")),
        (BOOLEANS, NUMBERS, ("Booleans", "numbers")),
        (pa.array(TEXT).dictionary_encode(), BOOLEANS, ("text", "Booleans")),
        (TEXT, pa.array([1, 2], pa.date32()), ("text", "the type date32[day]")),
    ],
)
def test_labels_of_several_types(tmp_path: Path, first: Any, second: Any, kinds: tuple[str, str]):
    paths = [write(tmp_path / f"{at}.parquet", {"y": y}) for at, y in enumerate((first, first, second))]
    with refused(
        InputError,
        f"Column 'y' holds {kinds[0]} in {str(paths[0])!r} and {kinds[1]} in {str(paths[2])!r}. "
        "Write the labels alike in all files.",
    ):
        check_targets("y", ParquetSource.of(tmp_path))


def refused(error: type[Exception], message: str) -> Any:
    return pytest.raises(error, match=f"^{re.escape(message)}$")


def test_one_label_is_not_enough(tmp_path: Path):
    with refused(
        InputError, "Column 'y' has one label only, 'no', in all 3 rows. Name a target with at least 2."
    ):
        targets_in(write(tmp_path / "a.parquet", {"y": ["no"] * 3}), "y")


def test_too_many_labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "MOST_LABELS", 4)
    with refused(InputError, "Column 'y' has more than 4 labels. Name a column of classes as target."):
        targets_in(write(tmp_path / "a.parquet", {"y": list(range(5))}), "y")


@pytest.mark.parametrize("values", [["no", None], [1.0, float("nan")]])
def test_a_missing_label(tmp_path: Path, values: list[Any]):
    path = write(tmp_path / "a.parquet", {"y": values})
    with refused(
        InputError,
        f"Column 'y' of {str(path)!r} has a missing value in row 1 (counted from 0). "
        "Impute or drop such rows first.",
    ):
        targets_in(path, "y")


def test_labels_that_are_fractions(tmp_path: Path):
    with pytest.raises(InputError, match=r"^Unknown label type: continuous\. y must hold the labels of cl"):
        targets_in(write(tmp_path / "a.parquet", {"y": [0.25, 0.5]}), "y")


def test_a_label_that_was_not_there_before(tmp_path: Path):
    path = write(tmp_path / "a.parquet", {"y": ["no", "yes"]})
    targets, _ = targets_in(path, "y")
    source = ParquetSource.of(write(tmp_path / "b.parquet", {"y": ["no", "new"]}))
    (chunk,) = source.chunks(source.groups[0], ["y"])

    with refused(
        FileError,
        f"{source.paths[0]!r} was changed while it was being read. Start again once it stays as it is.",
    ):
        targets.read(chunk)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (3, "target must be the name of a column, or several. Got 3."),
        ([], "target must be the name of a column, or several. Got []."),
        (["y", "y"], "target names a column twice. Got ['y', 'y']."),
    ],
)
def test_targets_that_are_no_columns(folder: Path, target: Any, message: str):
    with refused(InputError, message):
        check_targets(target, ParquetSource.of(folder))


def test_how_frequent_outputs_are_among_the_rows_that_are_left():
    labels = TargetColumns(("y",), ("a", "b", "c"), False, np.array([5.0, 3.0, 2.0]), 10)
    outputs = TargetColumns(("p", "q"), ("p", "q"), True, np.array([5.0, 1.5]), 10)

    assert labels.shares(np.array([0, 0]), Problem.SINGLE_LABEL).tolist() == [3 / 8, 3 / 8, 2 / 8]
    assert outputs.shares(np.array([[1.0, 1.0], [0.5, 0.0]]), Problem.MULTI_LABEL).tolist() == [3 / 8, 1 / 8]
