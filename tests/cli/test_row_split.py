"""Rows that are held out: by a column, from another file, and in groups."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from logiclens.cli.row_split import named_split, split
from logiclens.concepts import Table
from logiclens.errors import InputError
from tests.cli.running import SCORED, STAYS, refused, run

HEADER, *ROWS = csv.reader(STAYS.read_text(encoding="utf-8").splitlines())


def write(name: str, rows: Sequence[Sequence[object]], header: Sequence[str] = HEADER) -> None:
    with Path(name).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def results(*arguments: object) -> dict[str, dict[str, object]]:
    result = run("explain", *arguments, "--target", "risk", "--json", "-")
    assert result.exit_code == 0, result.output
    found: dict[str, dict[str, object]] = json.loads(result.stdout)
    return found


@pytest.mark.parametrize(
    ("values", "value", "held_out"),
    [
        (["train", "test", "train"], None, [1]),
        (["Training", "HELD_OUT", "held-out"], None, [1, 2]),
        ([0, 1, 0], None, [1]),
        ([0.0, 1.0, 0.0], None, [1]),
        ([True, False, False], None, [0]),
        (["no", "Yes", "no"], None, [1]),
        (["a", "b", "c"], "b", [1]),
        (["train", "dev", "test"], "dev", [1]),
        ([2019, 2020, 2020], "2020", [1, 2]),
    ],
)
def test_a_column_names_the_rows_that_are_held_out(values: list[object], value: str, held_out: list[int]):
    found, _ = named_split(Table({"part": values}).column("part"), value)

    assert np.flatnonzero(found).tolist() == held_out


@pytest.mark.parametrize(
    ("values", "value", "message"),
    [
        (
            ["train", "dev", "test"],
            None,
            "It is not plain which values of 'part' are held out: 'train', 'dev'",
        ),
        (["a", "b"], "c", "Column 'part' has no value 'c'. It has 'a', 'b'."),
        (["train", "train"], None, "None of the rows would be held out"),
        (["test", "test"], None, "All of the rows would be held out"),
    ],
)
def test_a_column_that_does_not_is_refused(values: list[str], value: str | None, message: str):
    with pytest.raises(InputError) as caught:
        named_split(Table({"part": values}).column("part"), value)
    assert str(caught.value).startswith(message)


def test_groups_stay_together_and_every_class_is_learned():
    random_numbers = np.random.default_rng(0)
    for seed in range(20):
        groups = random_numbers.integers(12, size=60)
        labels = np.where(groups < 2, "rare", random_numbers.choice(["a", "b"], 60))
        held_out = split(labels, 0.3, seed, groups)

        assert not set(groups[held_out]) & set(groups[~held_out])
        assert set(labels[~held_out]) == set(labels)
        assert 0 < held_out.mean() < 0.6


def test_rows_of_another_file_are_held_out():
    write("train.csv", ROWS[:350])
    write("test.csv", [[*row, "more"] for row in reversed(ROWS[350:])], [*HEADER, "comment"])
    found = results("train.csv", "--test", "test.csv", "--save", "rules.json")

    assert found["data"]["test"]["name"] == "test.csv"
    assert found["data"]["held_out"] == list(range(1, 151))
    assert (found["data"]["n_rows"], found["overall"]["n_train"], found["overall"]["n"]) == (350, 350, 150)
    assert "Held out: 150 rows of test.csv." in found["data"]["notes"]
    alone = run("predict", "rules.json", "test.csv", "--truth", "risk", "--out", "out.csv").output
    assert f"the rules are right on {found['overall']['rules_accuracy']:.1%}." in alone


@pytest.mark.parametrize("engine", [(), ("--engine", "duckdb")])
def test_rows_of_another_file_without_a_class_are_counted(engine: tuple[str, ...]):
    """They were left out without a word."""
    if engine:
        pytest.importorskip("ibis")
    at = HEADER.index("risk")
    write("train.csv", ROWS[:350])
    write(
        "test.csv",
        [[*row[:at], "" if n < 5 else row[at], *row[at + 1 :]] for n, row in enumerate(ROWS[350:])],
    )
    found = results("train.csv", "--test", "test.csv", *engine)

    assert found["overall"]["n"] == 145
    assert found["data"]["test"]["n_rows"] == 150
    assert "5 rows of test.csv without a value of 'risk' left out." in found["data"]["notes"]
    assert "Held out: 145 rows of test.csv." in found["data"]["notes"]


def test_a_column_splits_the_rows_and_is_no_feature():
    parts = ["test" if at % 5 == 0 else "train" for at in range(len(ROWS))]
    write("rows.csv", [[*row, part] for row, part in zip(ROWS, parts, strict=True)], [*HEADER, "part"])
    found = results("rows.csv", "--split-column", "part")

    assert found["data"]["held_out"] == list(range(1, 501, 5))
    assert "part" not in [*found["data"]["columns"], *(each["name"] for each in found["data"]["dropped"])]
    assert found["settings"]["split_column"] == "part"


def test_no_patient_is_on_both_sides():
    patients = [f"P{at % 90}" if at % 50 else "" for at in range(len(ROWS))]
    write("rows.csv", [[*row, who] for row, who in zip(ROWS, patients, strict=True)], [*HEADER, "patient"])
    found = results("rows.csv", "--group", "patient")

    held_out = {at - 1 for at in found["data"]["held_out"]}
    there = {patients[at] for at in held_out} - {""}
    assert not there & {who for at, who in enumerate(patients) if at not in held_out}
    assert 0.2 < len(held_out) / 500 < 0.4
    assert "patient" not in found["data"]["columns"]
    assert "10 rows without a value of 'patient': each is a group by itself." in found["data"]["notes"]


def test_copies_are_held_out_together_and_said_so():
    """Labels at random and six copies of each row were called 70.8 % right, of 57.6 % for a guess."""
    random.seed(3)
    drawn = [random.choice(["high", "low"]) for _ in range(100)]
    at = HEADER.index("risk")
    rows = [[*row[1:at], label] for row, label in zip(ROWS[:100], drawn, strict=True) for _ in range(6)]
    write("rows.csv", rows, HEADER[1 : at + 1])
    found = results("rows.csv")

    said = "500 rows equal an earlier one in all columns that are learned from, whatever their 'risk' is."
    assert any(note.startswith(said) for note in found["data"]["notes"])
    assert {number % 6 for number in found["data"]["held_out"][:6]} == set(range(6))
    assert not found["overall"]["better_than_guess"]["claimed"]

    parts = [[*row, "test" if at % 2 else "train"] for at, row in enumerate(rows)]
    write("own.csv", parts, [*HEADER[1 : at + 1], "part"])
    notes = results("own.csv", "--split-column", "part")["data"]["notes"]
    assert "300 of the rows held out equal some that are learned from, but for 'risk'." in notes


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda row: [*row[:2], "old", *row[3:]],
            "Column 'age' holds text in test.csv, and numbers in train.csv. Write it in the same way in both",
        ),
        (lambda row: [*row[:2], *row[3:]], "test.csv lacks 'age', which train.csv has."),
    ],
)
def test_a_file_with_other_columns_is_refused(change, message: str):
    write("train.csv", ROWS[:350])
    rows = [change(row) for row in ROWS[350:]]
    write("test.csv", rows, HEADER if len(rows[0]) == len(HEADER) else [*HEADER[:2], *HEADER[3:]])

    assert refused("explain", "train.csv", "-t", "risk", "--test", "test.csv").startswith(message)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--test stays.csv --holdout 0.2", "--test and --holdout hold rows out in different ways."),
        (
            "--test stays.csv --split-column ward",
            "--test and --split-column hold rows out in different ways.",
        ),
        ("--test-value x", "--test-value is a value of --split-column COLUMN."),
        ("--cut 1 --above 2", "--above and --cut make classes in different ways."),
        ("--cut 1;2", "--cut takes numbers with commas between them, such as 10,50. Got '1;2'."),
        ("--test stays.csv --engine duckdb --max-rows 9", "--max-rows reads rows into memory"),
        ("--group ward --engine duckdb", "--group needs rows in memory"),
        ("--split-column ward --engine duckdb", "--split-column needs rows in memory"),
    ],
)
def test_options_that_do_not_go_together_are_refused(words: str, message: str):
    result = run("explain", "stays.csv", "-t", "risk", *words.split())

    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"logiclens: {message}")


@pytest.mark.parametrize("engine", [(), ("--engine", "duckdb")])
@pytest.mark.parametrize(
    ("words", "labels"),
    [
        (("--bins", "3"), ["pressure <= 118", "118 < pressure <= 138", "pressure > 138"]),
        (("--cut", "150,120"), ["pressure <= 120", "120 < pressure <= 150", "pressure > 150"]),
    ],
)
def test_a_target_of_numbers_has_ordered_classes(words, labels, engine):
    result = run("explain", STAYS, "-t", "pressure", *words, *engine, "--json", "all.json")
    found = json.loads(Path("all.json").read_text(encoding="utf-8"))
    listed = [each["label"] for each in found["rules"]]

    assert result.exit_code == 0, result.output
    assert set(listed) == set(labels)
    if not engine:
        assert listed == labels
    assert "pressure = " not in result.output
    assert (found["data"]["held_out"] is None) == bool(engine)


@pytest.mark.parametrize("words", [("--test", "test.csv"), ("--split-column", "part"), ("--group", "ward")])
def test_answers_of_a_model_are_split_as_well(words: tuple[str, str]):
    header, *rows = csv.reader(SCORED.read_text(encoding="utf-8").splitlines())
    rows = [[*row, "test" if at % 4 == 0 else "train"] for at, row in enumerate(rows)]
    write("rows.csv", rows, [*header, "part"])
    write("test.csv", rows[:200], [*header, "part"])
    options = ["--predictions", "predicted", "--truth", "risk", "--json", "-"]
    found = json.loads(run("blackbox", "rows.csv", *options, *words).stdout)

    n = {"--test": 200, "--split-column": 125}.get(words[0], len(found["data"]["held_out"]))
    assert (found["overall"]["n"], found["overall"]["truth"]["n"]) == (n, n)
    assert words[0] == "--test" or words[1] not in found["data"]["columns"]
