"""What may be asked of a run, and what makes two runs one."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from logiclens.concepts import ConceptEncoder
from logiclens.errors import InputError, UnknownColumnError
from logiclens.estimators import MuClassifier
from logiclens.scale.streaming.settings import check_estimator, check_same, concepts_of, last_change, run_of
from logiclens.scale.streaming.source import ParquetSource
from tests.scale.streaming.making import NAMES, scores, write


def refused(message: str) -> Any:
    return pytest.raises(InputError, match=f"^{re.escape(message)}$")


def test_another_estimator():
    with refused(
        "fit_streaming fits MuClassifier, EntropyClassifier, PsiClassifier or ReluClassifier. "
        "Got LogisticRegression()."
    ):
        check_estimator(LogisticRegression())


def test_an_encoder():
    with refused(
        "fit_streaming reads scores in [0, 1] as they are. Use encoder=None, or logiclens.scale.fit, which "
        "makes concepts of raw columns."
    ):
        check_estimator(MuClassifier(encoder=ConceptEncoder()))


def test_settings_that_make_no_sense():
    with refused("epochs must be a whole number of at least 1. Got 0."):
        check_estimator(MuClassifier(epochs=0))


def test_concepts_are_all_columns_but_the_targets(folder: Path):
    source = ParquetSource.of(folder)

    assert concepts_of(None, ("y",), source) == NAMES
    assert concepts_of(["sweet", "red"], ("y",), source) == ("sweet", "red")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("red", "columns must be a list of names. Got 'red'."),
        (3, "columns must be a list of names. Got 3."),
        ([3], "columns must be a list of names. Got [3]."),
        (["red", "red"], "columns names 'red' twice, or the target. Name each concept once."),
        (["red", "y"], "columns names 'y' twice, or the target. Name each concept once."),
        ([], "There is no column besides the targets. Pass files that have concepts."),
    ],
)
def test_columns_that_are_no_concepts(folder: Path, columns: Any, message: str):
    with refused(message):
        concepts_of(columns, ("y",), ParquetSource.of(folder))


def test_a_column_that_is_not_there(folder: Path):
    with pytest.raises(UnknownColumnError, match=r"^The data lack the column 'rod'\. Did you mean 'red'\?"):
        concepts_of(["rod"], ("y",), ParquetSource.of(folder))


def test_a_run_is_told_by_settings_and_data(folder: Path, tmp_path: Path):
    source = ParquetSource.of(folder)
    run = run_of(MuClassifier(random_state=1), source, ("y",), NAMES)
    other = ParquetSource.of(write(tmp_path / "part-0.parquet", scores(400)))

    assert run_of(MuClassifier(random_state=np.int64(1), verbose=True), source, ("y",), NAMES) == run
    assert run_of(MuClassifier(random_state=2), source, ("y",), NAMES) != run
    assert run_of(MuClassifier(random_state=1, l1=0.1), source, ("y",), NAMES) != run
    assert run_of(MuClassifier(random_state=1), source, ("y",), NAMES[:2]) != run
    assert run_of(MuClassifier(random_state=1), other, ("y",), NAMES) != run


def test_copies_are_the_same_files_of_whatever_age(folder: Path, tmp_path: Path):
    shutil.copytree(folder, tmp_path / "copy")
    source, copy = ParquetSource.of(folder), ParquetSource.of(tmp_path / "copy")
    assert last_change(copy) == last_change(source)
    os.utime(tmp_path / "copy" / "part-1.parquet", (2_000_000_000, 2_000_000_000))
    copy = ParquetSource.of(tmp_path / "copy")

    assert run_of(MuClassifier(), copy, ("y",), NAMES) == run_of(MuClassifier(), source, ("y",), NAMES)
    assert last_change(copy) != last_change(source)
    assert last_change(copy).startswith("2033-05-18T03:33:20 UTC, ")


def test_processes_that_disagree():
    with refused(
        "The processes disagree on files: 2 files in one, 1 file in another. Give all of them the same files "
        "and settings."
    ):
        check_same([{"files": "2 files"}, {"files": "1 file"}])
