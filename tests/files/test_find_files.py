"""Which files a path stands for; engines and streams read these and no others."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from logiclens.errors import ForbiddenFileError, InputError
from logiclens.files._open import FoundFiles, find_files

FILES = (
    ".draft.tmp/a.parquet",
    "_temporary/0/a.parquet",
    "_delta.parquet",
    ".hidden.parquet",
    "a.parquet",
    "b.PQ",
    "c.csv",
    "_SUCCESS",
    "more/a.parquet",
    "more/_x/a.parquet",
    "written.parquet/part-0.parquet",
    "written.parquet/_metadata.parquet",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Below a folder that is hidden itself, which does not matter."""
    for name in FILES:
        path = tmp_path / "_data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return tmp_path / "_data"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("", ["a.parquet", "b.PQ", "more/a.parquet", "written.parquet/part-0.parquet"]),
        ("/*.parquet", ["a.parquet", "written.parquet/part-0.parquet"]),
        ("/**/*.parquet", ["a.parquet", "more/a.parquet", "written.parquet/part-0.parquet"]),
        ("/**", ["a.parquet", "b.PQ", "c.csv", "more/a.parquet", "written.parquet/part-0.parquet"]),
        ("/_*.parquet", ["_delta.parquet"]),
        ("/[_x]*.parquet", ["_delta.parquet"]),
        ("/.*.parquet", [".hidden.parquet"]),
        ("/*/_x/*", ["more/_x/a.parquet"]),
        ("/m?re", ["more/a.parquet"]),
        ("/_delta.parquet", ["_delta.parquet"]),
        ("/_temporary", ["_temporary/0/a.parquet"]),
        ("/c.csv", ["c.csv"]),
        ("/d*.csv", []),
        ("/d.csv", []),
    ],
)
def test_a_path_stands_for_files(folder: Path, path: str, expected: list[str]):
    found = find_files(f"{folder}{path}").paths

    assert [os.path.relpath(each, folder) for each in found] == expected


def test_a_path_may_start_here(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(folder)

    assert find_files("*.csv") == FoundFiles(("c.csv",), "")
    assert find_files("../_data/c.csv").paths == ("../_data/c.csv",)
    assert find_files("../_data/c.*").paths == ("../_data/c.csv",)
    assert find_files("*.csv").keys() == ()


def test_links_are_followed_but_not_for_ever(tmp_path: Path):
    (tmp_path / "data").mkdir()
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "a.parquet").touch()
    (tmp_path / "data" / "near").symlink_to(tmp_path / "far")
    (tmp_path / "far" / "up").symlink_to(tmp_path / "data")

    assert find_files(f"{tmp_path}/data").paths == (f"{tmp_path}/data/near/a.parquet",)


def test_keys_are_looked_for_below_the_root_alone(tmp_path: Path):
    for day in (1, 2):
        path = tmp_path / "run=7" / f"_day={day}" / "more" / "hour=3" / "a.parquet"
        path.parent.mkdir(parents=True)
        path.touch()

    for source in ("run=7", "run=7/*", "run=7/**/*.parquet"):
        found = find_files(f"{tmp_path}/{source}")
        assert len(found.paths) == 2
        assert found.root == f"{tmp_path}/run=7"
        assert found.keys() == ("_day", "hour")
    assert find_files(str(path)).keys() == ()


def test_files_of_several_depths_have_no_keys_in_common():
    found = FoundFiles(("data/a.parquet", "data/day=1/b.parquet"), "data")
    message = (
        "'data/a.parquet' lies in no folder key=value and 'data/day=1/b.parquet' in folders of 'day'. "
        "Put all files into folders of the same keys."
    )
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        found.keys()


def test_a_folder_that_may_not_be_read_is_not_left_out(folder: Path, monkeypatch: pytest.MonkeyPatch):
    original = os.scandir

    def guarded(path: str) -> object:
        if path.endswith("more"):
            raise PermissionError(13, "Permission denied")
        return original(path)

    monkeypatch.setattr(os, "scandir", guarded)
    message = f"'{folder}/more' may not be read. Ask its owner for the right to."
    with pytest.raises(ForbiddenFileError, match=f"^{re.escape(message)}$"):
        find_files(str(folder))
