"""``logiclens predict --engine``: the answers of rows in memory, in a file that is whole or not there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from logiclens.loading import load
from logiclens.scale import _engine
from tests.cli.in_files import in_file
from tests.cli.running import half_written, refused, run, wait_for
from tests.cli.saved import PATIENTS, hostile, model_file, rules_of, saved
from tests.strategies import HOSTILE_NAMES

DUCKDB = ["--engine", "duckdb"]
PEOPLE = {
    "id": [1, 2, 3, 4, 5, 6],
    "age": [70, 40, 20, 80, 50, None],
    "ward": ["ICU", "ICU", None, None, "B", "ICU"],
    "truth": ["ill", "well", "well", "gone", None, "other"],
}


def test_what_is_written_and_said(tmp_path: Path):
    rules = saved(PATIENTS, tmp_path)
    options = ["--out", "out.parquet", "--truth", "truth"]
    result = run("predict", rules, in_file(PEOPLE), *DUCKDB, *options)
    found = pq.read_table("out.parquet")

    assert result.exit_code == 0, result.output
    assert result.stdout == ""
    assert result.stderr == (
        "Wrote 6 rows to out.parquet; the default decides 1; "
        "1 lacks a value that rules need.\n"
        "Predicted: well 3 (50.0%), ill 2 (33.3%), gone 1 (16.7%).\n"
        "DuckDB wrote one Parquet file, with prediction, mark and precision, without rule and why.\n"
        "Of 5 rows with a value of 'truth', the rules are right on 60.0%.\n"
        "\n"
        " class  precision  recall  rows\n"
        " ──────────────────────────────\n"
        " ill        50.0%  100.0%     1\n"
        " well       50.0%   50.0%     2\n"
        " gone      100.0%  100.0%     1\n"
        "\n"
    )
    assert found.column_names == [*PEOPLE, "prediction", "mark", "precision"]
    assert found.select([*PEOPLE]).to_pydict() == PEOPLE


def test_answers_are_those_of_rows_in_memory(tmp_path: Path):
    rules, data = saved(PATIENTS, tmp_path), in_file(PEOPLE)
    run("predict", rules, data, "--only-prediction", "--out", "memory.parquet")
    run("predict", rules, data, *DUCKDB, "--memory", "1GB", "--out", "engine.parquet")
    memory, engine = (pq.read_table(f"{name}.parquet").to_pydict() for name in ("memory", "engine"))

    assert engine == memory


TYPES_OF_CSV = {
    "smoker": ["yes", "no", "no", "NA"],
    "income": ["$1,200", "$90", "n/a", "$41,000"],
    "size": ["2.5", "1e-3", "", "-3e2"],
    "account": ["12345678901234567890", "12345678901234567891", "20", "9007199254740993"],
    "stay": ["1,234,567", "900", "1,234,568", "?"],
    "code": ["0107", "20", "20", "0x1F"],
    "share": ["5%", "12.5%", "?", "7%"],
    "flag": ["true", "False", "", "TRUE"],
    "admitted": ["2025-01-01", "2025-01-02", "2024-01-01", "2023-01-01"],
}
DECIDE = [*TYPES_OF_CSV][:6]
"""Columns whose first value makes a class of its own, the first of them first."""


@pytest.mark.parametrize("learned", [[], DUCKDB])
def test_a_model_says_the_same_of_a_csv_in_memory_and_in_an_engine(learned: list[str]):
    """What a column of a CSV file is does not depend on who reads it, nor on who learned from it."""
    rows = np.random.default_rng(0).integers(0, 4, (600, len(TYPES_OF_CSV))).tolist()
    names = [*TYPES_OF_CSV]
    lines = [";".join((*names, "risk"))]
    for row in rows:
        risk = next((name for name in DECIDE if row[names.index(name)] == 0), "low")
        lines.append(";".join((*(TYPES_OF_CSV[name][at] for name, at in zip(names, row, strict=True)), risk)))
    Path("stays.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    Path("few.csv").write_text("\n".join([lines[0], *(line for line in lines if ";20;" in line)]) + "\n")

    made = run("explain", "stays.csv", "--target", "risk", *learned, "--save", "m.lens", "--quiet")
    assert made.exit_code == 0, made.output
    used = load("m.lens").explanations_.concepts
    assert all(any(concept.startswith(name) for concept in used) for name in DECIDE)
    for file in ("stays.csv", "few.csv"):  # in the second one all codes look like numbers
        options = [file, "--truth", "risk", "--only-prediction"]
        memory = run("predict", "m.lens", *options, "--out", "memory.parquet")
        engine = run("predict", "m.lens", *options[:-1], *DUCKDB, "--out", "engine.parquet")
        rates = [
            next(line for line in each.stderr.splitlines() if "right on" in line) for each in (memory, engine)
        ]
        found = [pq.read_table(f"{name}.parquet") for name in ("memory", "engine")]

        assert rates[0] == rates[1]
        assert found[0]["prediction"].to_pylist() == found[1]["prediction"].to_pylist()
        assert found[0]["mark"].to_pylist() == found[1]["mark"].to_pylist()


@pytest.mark.parametrize("where", [[], DUCKDB])
def test_a_column_of_another_type_is_refused(tmp_path: Path, where: list[str]):
    rules = saved(PATIENTS, tmp_path)
    Path("rows.csv").write_text("age,ward\nold,ICU\nyoung,B\n")

    assert refused("predict", rules, "rows.csv", *where, "--out", "out.parquet") == (
        "Column 'age' must hold numbers; line 2 has 'old'. Correct it, or leave it empty if it is missing."
    )
    assert not Path("out.parquet").exists()


def test_yes_and_no_are_booleans_to_rules_about_booleans(tmp_path: Path):
    """Engines used to read them as such."""
    from logiclens.concepts import Flag, Vocabulary
    from logiclens.logic import Var

    words = Vocabulary(("smoker",), (Flag("smoker"),))
    rules = saved(
        rules_of({"ill": Var("smoker"), "well": ~Var("smoker")}, ["smoker"], vocabulary=words), tmp_path
    )
    Path("rows.csv").write_text("smoker\nyes\nNo\n")
    run("predict", rules, "rows.csv", "--out", "memory.parquet")
    run("predict", rules, "rows.csv", *DUCKDB, "--out", "engine.parquet")

    for name in ("memory", "engine"):
        assert pq.read_table(f"{name}.parquet")["prediction"].to_pylist() == ["ill", "well"]


def test_the_rules_of_a_model_and_a_folder_of_files(tmp_path: Path):
    Path("data").mkdir()
    for at in range(3):
        in_file({"age": [20 + at, 70 + at], "ward": ["B", "ICU"]}, f"data/{at}.parquet")
    result = run("predict", model_file(tmp_path), "data", *DUCKDB, "--out", "out.parquet")

    assert result.exit_code == 0, result.output
    assert pq.read_table("out.parquet")["prediction"].to_pylist() == ["well", "ill"] * 3


def test_names_are_data(tmp_path: Path):
    rng = np.random.default_rng(0)
    columns = {name: rng.random(30) < 0.5 for name in HOSTILE_NAMES}
    folder = Path("it's; [a] folder")
    folder.mkdir()
    data = in_file(columns, str(folder / "rows.parquet"))
    out = folder / "o'ut \\ \".parquet"
    result = run("predict", saved(hostile(HOSTILE_NAMES), tmp_path), data, *DUCKDB, "--out", out)

    assert result.exit_code == 0, result.output
    assert pq.read_table(out)["prediction"].to_pylist() == hostile(HOSTILE_NAMES).predict(columns).tolist()


def test_columns_that_are_there_keep_their_names(tmp_path: Path):
    columns = {"Mark": ["x"] * 6, "prediction": [1] * 6, **PEOPLE}
    result = run("predict", saved(PATIENTS, tmp_path), in_file(columns), *DUCKDB, "--out", "out.parquet")
    found = pq.read_table("out.parquet")

    assert found.column_names == [*columns, "prediction_2", "mark_2", "precision"]
    assert found["Mark"].to_pylist() == ["x"] * 6
    assert result.stderr.startswith(
        "The table has a column 'prediction' already: the answers are in 'prediction_2'.\n"
        "The table has a column 'mark' already: the answers are in 'mark_2'.\n"
    )


def test_a_column_that_rules_need_cannot_be_called_mark(tmp_path: Path):
    from logiclens.logic import Var

    rules = saved(rules_of({"yes": Var("mark"), "no": ~Var("mark")}, ["mark"]), tmp_path)

    assert refused("predict", rules, in_file({"mark": [True]}), *DUCKDB, "--out", "out.parquet") == (
        "The table has a column 'mark' already, which the rules need. Rename it."
    )


def test_several_labels_are_columns(tmp_path: Path):
    from logiclens.logic import Var

    rules = saved(rules_of({"a": Var("x"), "b": Var("z")}, ["x", "z"], multi_label=True), tmp_path)
    data = in_file({"x": [True, False], "z": [True, False], "prediction_b": [1, 2]})
    result = run("predict", rules, data, *DUCKDB, "--out", "out.parquet")
    found = pq.read_table("out.parquet").to_pydict()

    assert result.exit_code == 0, result.output
    assert found["prediction_2_a"] == found["prediction_2_b"] == [True, False]
    assert found["mark"] == ["", "uncovered"]
    assert "Wrote 2 rows to out.parquet; no rule is true of 1.\n" in result.stderr
    assert refused("predict", rules, data, *DUCKDB, "--out", "o.parquet", "--truth", "x") == (
        "These rules give a row several labels, so no column has the truth. Omit --truth."
    )


def test_numbers_that_are_classes_by_their_texts(tmp_path: Path):
    from logiclens.logic import Var

    rules = saved(rules_of({"1.5": Var("x"), "2": ~Var("x")}, ["x"]), tmp_path)
    data = in_file(
        {"x": [True, False, True, True], "y": [1.5, 2.0, 2.0, None], "empty": pa.nulls(4, pa.string())}
    )
    found = run("predict", rules, data, *DUCKDB, "--out", "out.parquet", "--truth", "y")
    nothing = run("predict", rules, data, *DUCKDB, "--out", "out.parquet", "--truth", "empty")

    assert "Of 3 rows with a value of 'y', the rules are right on 66.7%.\n" in found.stderr
    assert (
        "Column 'empty' has no value that is a class of the rules: nothing is compared.\n" in nothing.stderr
    )


def test_an_engine_that_fails_in_the_middle_leaves_what_was_there(tmp_path: Path):
    """The first file is read, the second is damaged."""
    rules = saved(PATIENTS, tmp_path)
    Path("data").mkdir()
    for name in ("0", "1"):
        in_file({name: values * 3000 for name, values in PEOPLE.items()}, f"data/{name}.parquet")
    content = Path("data/1.parquet").read_bytes()
    Path("data/1.parquet").write_bytes(b"\0" * 5000 + content[5000:])
    Path("out.parquet").write_text("old")
    said = refused("predict", rules, "data", *DUCKDB, "--out", "out.parquet")

    assert said.startswith("Writing 'out.parquet' failed: ")
    assert Path("out.parquet").read_text() == "old"
    assert sorted(os.listdir()) == ["data", "out.parquet", "rules.json"]


def test_ctrl_c_while_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(_engine, "copy_to", stop)
    result = run("predict", saved(PATIENTS, tmp_path), in_file(PEOPLE), *DUCKDB, "--out", "out.parquet")

    assert result.exit_code == 130
    assert result.stderr == "logiclens: stopped; no file is half-written.\n"
    assert sorted(os.listdir()) == ["rows.parquet", "rules.json"]


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_real_signal_while_the_engine_writes(number: signal.Signals, tmp_path: Path):
    """Once it writes, seconds of writing are left: it reads the same file under twenty names."""
    rng = np.random.default_rng(0)
    rows = {"age": rng.integers(0, 99, 400_000), "ward": rng.choice(["ICU", "B"], 400_000)}
    rows |= {f"x{at}": rng.random(400_000) for at in range(8)}
    rules, data = saved(PATIENTS, tmp_path), in_file(rows)
    Path("new").mkdir()
    Path("data").mkdir()
    for at in range(20):
        os.link(data, f"data/{at}.parquet")
    command = [
        sys.executable,
        "-m",
        "logiclens",
        "predict",
        rules,
        "data",
        *DUCKDB,
        "--out",
        "new/out.parquet",
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        wait_for(lambda: half_written("new"), process)
        process.send_signal(number)
        _, said = process.communicate()

    assert process.returncode in (130, 128 + number), said
    assert os.listdir("new") == []
