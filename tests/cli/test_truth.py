"""How often predictions are right."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from logiclens.logic import Var
from tests.cli.running import refused, run
from tests.cli.saved import PATIENTS, TABLE, rules_of, saved


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rows.csv").write_text(TABLE)


@pytest.mark.parametrize(
    ("labels", "truth"),
    [
        (("yes", "no"), ["yes", "no", " yes", "other", ""]),
        ((1, 0), ["1", "0.0", "1.0", "x", "?"]),
        ((True, False), ["true", "False", "TRUE", "maybe", ""]),
    ],
)
def test_true_classes_as_files_write_them(labels: tuple, truth: list[str]):
    saved(rules_of(dict(zip(labels, (Var("a"), ~Var("a")), strict=True)), ["a"]), Path())
    rows = "".join(f"{a},{value}\n" for a, value in zip([1, 0, 0, 1, 1], truth, strict=True))
    Path("rows.csv").write_text(f"a,truth\n{rows}")
    result = run("predict", "rules.json", "rows.csv", "--truth", "truth")

    assert result.stderr == ("5 rows.\nOf 4 rows with a value of 'truth', the rules are right about 50.0%.\n")


def test_true_classes_with_a_type_of_their_own():
    saved(rules_of({1: Var("a"), 0: ~Var("a")}, ["a"]), Path())
    pq.write_table(pa.table({"a": [True, False, True], "truth": [1, 1, None]}), "rows.parquet")
    result = run("predict", "rules.json", "rows.parquet", "--truth", "truth", "--out", "out.parquet")

    assert result.stderr.endswith("Of 2 rows with a value of 'truth', the rules are right about 50.0%.\n")


def test_a_column_of_something_else():
    result = run("predict", saved(PATIENTS, Path()), "rows.csv", "--truth", "id")

    assert result.exit_code == 0
    assert result.stderr.endswith(
        "Column 'id' has no value that is a class of the rules: nothing is compared.\n"
    )


def test_what_cannot_be_compared_is_refused():
    assert refused("predict", saved(PATIENTS, Path()), "rows.csv", "--truth", "wards") == (
        "The data lack the column 'wards'. Did you mean 'ward'? They have 3 columns: 'id', 'age', 'ward'. It "
        "is named by --truth."
    )
    several = rules_of({"x": Var("age")}, ["age"], multi_label=True)
    assert refused("predict", saved(several, Path()), "rows.csv", "--truth", "id") == (
        "These rules give a row several labels, so no column has the truth. Omit --truth."
    )
