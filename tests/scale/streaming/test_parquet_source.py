"""Parquet files as one table: what is where, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from logiclens.errors import FileError, InputError, MissingFileError, UnknownColumnError
from logiclens.estimators.inputs_and_targets import Problem, read_targets
from logiclens.scale import _parquet_source
from logiclens.scale._parquet_source import (
    ParquetSource,
    TargetColumns,
    check_targets,
    count_targets,
    target_columns,
)
from tests.scale.streaming.making import NAMES, scores, whole, write


def test_row_groups_have_positions(folder: Path):
    source = ParquetSource.of(folder)

    assert source.n_rows == 1200
    assert [group.n_rows for group in source.groups] == [150, 150, 100] * 3
    assert [group.start for group in source.groups[:4]] == [0, 150, 300, 400]
    assert [group.within for group in source.groups[:4]] == [0, 150, 300, 0]
    assert [each[2] for each in source.extent] == [400, 400, 400]


def test_the_extent_tells_other_values_in_as_many_bytes(tmp_path: Path):
    path = write(tmp_path / "a.parquet", {"red": [0.1, 0.9]})
    before = ParquetSource.of(path)
    write(path, {"red": [0.2, 0.8]})
    after = ParquetSource.of(path)
    write(path, {"red": [0.1, 0.9]})

    assert before.extent[0][1] == after.extent[0][1]
    assert before.extent != after.extent
    assert before.modified != after.modified
    assert before.extent == ParquetSource.of(path).extent


def test_all_rows_are_decoded_in_order(folder: Path):
    source = ParquetSource.of(folder)
    chunks = [chunk for group in source.groups for chunk in source.chunks(group, NAMES)]

    x = np.hstack([chunk.scores(NAMES, np.float32) for chunk in chunks])

    np.testing.assert_array_equal(x, np.stack([whole(folder)[name].to_numpy() for name in NAMES]))


def test_wide_rows_are_decoded_fewer_at_a_time(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(_parquet_source, "_FEWEST", 10)
    monkeypatch.setattr(_parquet_source, "CHUNK_VALUES", 100)
    source = ParquetSource.of(folder)

    assert {chunk.rows.num_rows for chunk in source.chunks(source.groups[0], NAMES)} == {20, 10}


def test_a_name_that_is_the_beginning_of_another_one(tmp_path: Path):
    path = write(tmp_path / "a.parquet", {"x": [0.1], "x.y": [0.2], "x.y.z": [0.3], "": [0.4]})
    source = ParquetSource.of(path)

    (chunk,) = source.chunks(source.groups[0], ["x", "x.y", ""])

    assert chunk.scores(["x", "x.y", ""])[:, 0].tolist() == [0.1, 0.2, 0.4]


@pytest.mark.parametrize(
    "column",
    [
        pa.array([True, False]),
        pa.array([1, 0], pa.uint8()),
        pa.array([1, 0], pa.int64()),
        pa.array([1.0, 0.0], pa.float16()),
        pa.array([1.0, 0.0], pa.float64()),
        pa.array(["1.00", "0.00"]).cast(pa.decimal128(4, 2)),
    ],
    ids=lambda column: str(column.type),
)
def test_any_numbers_are_scores(tmp_path: Path, column: Any):
    source = ParquetSource.of(write(tmp_path / "a.parquet", {"red": column}))

    (chunk,) = source.chunks(source.groups[0], ["red"])

    assert chunk.scores(["red"]).tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize("doubles", ["a", "b"])
def test_doubles_stay_exact_in_whatever_file(tmp_path: Path, doubles: str):
    for name in ("a", "b"):
        kind = pa.float64() if name == doubles else pa.float32()
        write(tmp_path / f"{name}.parquet", {"red": pa.array([0.5 + 1e-12], kind)})
    source = ParquetSource.of(tmp_path)

    assert source.dtype(["red"]) == np.float64
    assert source.types["red"].keys() == {pa.float64(), pa.float32()}


def test_types_of_files_without_rows_do_not_count(tmp_path: Path):
    write(tmp_path / "a.parquet", {"red": pa.array([], pa.null())})
    write(tmp_path / "b.parquet", {"red": pa.array([0.5], pa.float32())})

    assert ParquetSource.of(tmp_path).dtype(["red"]) == np.float32


def refused(error: type[Exception], message: str) -> Any:
    return pytest.raises(error, match=f"^{re.escape(message)}")


def test_columns_with_one_name(tmp_path: Path):
    table = pa.Table.from_arrays([pa.array([0.1]), pa.array([0.2])], names=["red", "red"])
    path = write(tmp_path / "a.parquet", table)
    with refused(InputError, f"{str(path)!r} has several columns called 'red'. Rename them."):
        ParquetSource.of(path)


def test_a_column_that_one_file_lacks(tmp_path: Path):
    write(tmp_path / "a.parquet", {"red": [0.1], "round": [0.2]})
    path = write(tmp_path / "b.parquet", {"read": [0.1], "round": [0.2]})
    with pytest.raises(UnknownColumnError, match=re.escape(f"That is the file {str(path)!r}.")):
        ParquetSource.of(tmp_path).check_columns(["red"])


REMEDY = "Leave it out with columns=, or use logiclens.scale.fit, which makes concepts of raw columns."


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ([0.5, None], "has a missing value in row 4 (counted from 0). Impute or drop such rows first."),
        (
            [0.5, float("nan")],
            "has a missing value in row 4 (counted from 0). Impute or drop such rows first.",
        ),
        ([62.0, 0.5], f"has the value 62, outside [0, 1], in row 3 (counted from 0). {REMEDY}"),
        ([0.5, float("-inf")], f"has the value -inf, outside [0, 1], in row 4 (counted from 0). {REMEDY}"),
        (
            ["red", "blue"],
            f"has the type string; scores are Booleans or numbers in [0, 1]. {REMEDY}",
        ),
    ],
)
def test_values_that_are_no_scores(tmp_path: Path, value: list[Any], reason: str):
    before = ["blue"] * 3 if isinstance(value[0], str) else [0.1] * 3
    path = write(tmp_path / "a.parquet", {"color": before + value}, 3)
    source = ParquetSource.of(path)

    with refused(InputError, f"Column 'color' of {str(path)!r} {reason}"):
        for group in source.groups:
            for chunk in source.chunks(group, ["color"]):
                chunk.scores(["color"])


def test_values_outside_by_rounding_are_moved_inside(tmp_path: Path):
    source = ParquetSource.of(write(tmp_path / "a.parquet", {"red": [1.0 + 1e-12, -1e-12]}))
    (chunk,) = source.chunks(source.groups[0], ["red"])

    assert chunk.scores(["red"]).tolist() == [[1.0, 0.0]]


def test_a_file_that_changes_meanwhile(tmp_path: Path):
    path = write(tmp_path / "a.parquet", scores(100))
    source = ParquetSource.of(path)
    write(path, scores(90))

    with refused(FileError, f"{str(path)!r} was changed while it was being read. Start again once it"):
        next(source.chunks(source.groups[0], ["red"]))


def test_a_file_that_vanishes_meanwhile(tmp_path: Path):
    path = write(tmp_path / "a.parquet", scores(100))
    source = ParquetSource.of(path)
    path.unlink()

    with refused(MissingFileError, f"There is no file {str(path)!r}. Check its name and folder."):
        next(source.chunks(source.groups[0], ["red"]))


def targets_in(path: Path | str, *names: str) -> tuple[TargetColumns, ParquetSource]:
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
    ("one", "other", "kinds"),
    [
        (NUMBERS, TEXT, ("numbers", "text")),
        (TEXT, NUMBERS, ("text", "numbers")),
        (BOOLEANS, NUMBERS, ("Booleans", "numbers")),
        (pa.array(TEXT).dictionary_encode(), BOOLEANS, ("text", "Booleans")),
        (TEXT, pa.array([1, 2], pa.date32()), ("text", "the type date32[day]")),
    ],
)
def test_labels_of_several_types(tmp_path: Path, one: Any, other: Any, kinds: tuple[str, str]):
    paths = [write(tmp_path / f"{at}.parquet", {"y": y}) for at, y in enumerate((one, one, other))]
    first, last = (f"{kind} in {str(path)!r}" for kind, path in zip(kinds, paths[::2], strict=True))
    with refused(InputError, f"Column 'y' holds {first} and {last}."):
        check_targets("y", ParquetSource.of(tmp_path))


def test_a_label_that_was_not_there_before(tmp_path: Path):
    path = write(tmp_path / "a.parquet", {"y": ["no", "yes"]})
    targets, _ = targets_in(path, "y")
    source = ParquetSource.of(write(tmp_path / "b.parquet", {"y": ["no", "new"]}))
    (chunk,) = source.chunks(source.groups[0], ["y"])

    with refused(FileError, f"{source.paths[0]!r} was changed while it was being read. Start again once"):
        targets.read(chunk)


NO_ROWS = {"red": pa.array([], pa.float32())}


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        (None, MissingFileError, "There are no Parquet files at {!r}. Name a file, a folder, or a"),
        ("red,y\n1,2\n", FileError, "{!r} is not a Parquet file, or a damaged one. Name Parquet files"),
        (NO_ROWS, InputError, "The Parquet files of {!r} hold no rows. Pass files that do."),
        ({"y": ["no"] * 3}, InputError, "Column 'y' has one label only, 'no', in all 3 rows. Name a target"),
        ({"y": ["no", None]}, InputError, "Column 'y' of {!r} has a missing value in row 1 (counted"),
        ({"y": [1.0, np.nan]}, InputError, "Column 'y' of {!r} has a missing value in row 1 (counted from 0"),
        ({"y": [0.25, 0.5]}, InputError, "Unknown label type: continuous. y must hold the labels of"),
        ({"y": range(5)}, InputError, "Column 'y' has more than 4 labels. Name a column of classes as"),
    ],
)  # fmt: skip
def test_files_and_labels_that_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: Any, error: type[Exception], message: str
):
    monkeypatch.setattr(_parquet_source, "MOST_LABELS", 4)
    path = tmp_path / "a.parquet"
    if isinstance(content, str):
        path.write_text(content)
    elif content is not None:
        write(path, content)

    with refused(error, message.format(str(path))):
        targets_in(str(path), "y")


def test_a_source_that_is_no_path():
    with refused(InputError, "source must be the path of a Parquet file, of a folder or a pattern. Got 3."):
        ParquetSource.of(3)
