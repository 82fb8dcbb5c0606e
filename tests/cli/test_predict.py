"""``logiclens predict``: all rows of a file, with what rules say about them."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from logiclens.cli.predict_command import _as_column
from logiclens.cli.saved_rules import rules_in
from logiclens.concepts import Vocabulary
from logiclens.explain import HeldOutScores
from logiclens.files import _reading
from logiclens.logic import FALSE, Var
from tests.cli.running import (
    STAYS,
    check_golden,
    copied,
    half_written,
    on_a_terminal,
    refused,
    run,
    wait_for,
)
from tests.cli.saved import PATIENTS, TABLE, WORDS, hostile, model_file, rules_of, saved
from tests.files.making import packed
from tests.strategies import HOSTILE_NAMES


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Path:
    """A folder with rules and a table; the work is done there."""
    saved(PATIENTS, tmp_path)
    Path("rows.csv").write_text(TABLE)
    return tmp_path


def rows_in(text: str | bytes, delimiter: str = ",") -> list[dict[str, str]]:
    text = text.decode() if isinstance(text, bytes) else text
    return [*csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)]


def test_what_is_printed():
    result = run("predict", "rules.json", "rows.csv")

    assert result.exit_code == 0
    check_golden("predict.txt", result.stdout)
    assert result.stderr == "5 rows; the default decides 1.\n"


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (TABLE.encode(), "rows.csv"),
        (packed(TABLE.encode()), "rows.csv"),
        (TABLE.encode(), "-"),
        (TABLE.replace(",", "\t").encode("utf-16"), "rows.txt"),
    ],
)
def test_the_same_rows_however_they_are_stored(content: bytes, name: str):
    expected = rows_in(run("predict", "rules.json", "rows.csv").stdout)
    if name != "-":
        Path(name).write_bytes(content)
    result = run("predict", "rules.json", name, "--out", "out.csv", input=content)

    assert result.exit_code == 0, result.output
    delimiter = "\t" if name == "rows.txt" else ","
    assert rows_in(Path("out.csv").read_text("utf-8-sig"), delimiter) == expected


def test_parquet_to_parquet():
    wards = pa.array(["ICU", "B", None]).dictionary_encode()
    table = pa.table({"age": [70, 40, None], "ward": wards, "tags": [[1], [], None]})
    pq.write_table(table, "rows.parquet")
    result = run("predict", "rules.json", "rows.parquet", "--out", "out.parquet")
    found = pq.read_table("out.parquet")

    assert result.exit_code == 0, result.output
    assert found.column("prediction").to_pylist() == ["ill", "well", "well"]
    assert found.select(["age", "ward", "tags"]).to_pydict() == table.to_pydict()
    assert run("predict", "rules.json", "rows.parquet").stdout.splitlines()[1].startswith("70,ICU,[1],ill,")


def test_columns_stay_as_they_are():
    """Leading zeros, blanks, gaps, quotes, a byte order mark and the delimiter are those of the file."""
    content = '\ufeffcode;age;ward;text\n007; 70 ;ICU;"a;b"\n010;?;;"says ""hi"""\n'
    Path("rows.csv").write_text(content, encoding="utf-8")
    run("predict", "rules.json", "rows.csv", "--out", "out.csv")
    text = Path("out.csv").read_text(encoding="utf-8")

    assert [";".join(line.split(";")[:-5]) for line in text.splitlines()] == content.splitlines()


def test_numbers_with_a_decimal_comma():
    saved(replace(PATIENTS, held_out=HeldOutScores((4, 3, 0, 9), (4, 2, 0, 8))), Path())
    Path("rows.csv").write_text("age;ward\n62,5;B\n61,5;B\n")
    written = rows_in(run("predict", "rules.json", "rows.csv").stdout, ";")

    assert [row["precision"] for row in written] == ["0,6667", "0,8889"]  # numbers as in the file
    assert [row["prediction"] for row in rows_in(run("predict", "rules.json", "rows.csv").stdout, ";")] == [
        "ill",
        "well",
    ]
    assert refused("predict", "rules.json", "rows.csv", "--decimal", ".", "--out", "out.csv") == (
        "Column 'age' must hold numbers; line 2 has '62,5'. If the comma "
        "is a decimal sign, say so with --decimal ','."
    )


def test_names_that_are_taken_get_a_number():
    Path("rows.csv").write_text("age,ward,prediction,why,why_2\n70,ICU,x,y,z\n")
    result = run("predict", "rules.json", "rows.csv")

    assert (
        result.stdout.splitlines()[0]
        == "age,ward,prediction,why,why_2,prediction_2,rule,why_3,mark,precision"
    )
    assert result.stderr == (
        "The table has a column 'prediction' already: the answers are in 'prediction_2'.\n"
        "The table has a column 'why' already: the answers are in 'why_3'.\n"
        "1 row.\n"
    )


def test_the_network_can_be_asked_too(folder: Path):
    model = model_file(folder)
    result = run("predict", model, "rows.csv", "--network")
    rows = rows_in(result.stdout)

    assert result.exit_code == 0, result.output
    assert {row["network"] for row in rows} == {"ill", "well"}
    assert [row["prediction"] for row in rows] == [row["network"] for row in rows]
    assert refused("predict", "rules.json", "rows.csv", "--network") == (
        "'rules.json' holds rules alone. Leave out --network, or name the model's file."
    )


def test_many_batches_are_one_file(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(_reading, "_BLOCK", 2000)
    Path("rows.csv").write_text("age,ward\n" + "".join(f"{at % 100},ICU\n" for at in range(5000)))
    result = run("predict", "rules.json", "rows.csv", "--out", "out.csv")
    rows = rows_in(Path("out.csv").read_text())

    assert result.stderr == ("Wrote 5000 rows to out.csv.\nPredicted: ill 3450 (69.0%), well 1550 (31.0%).\n")
    assert [row["age"] for row in rows] == [str(at % 100) for at in range(5000)]
    assert [row["prediction"] for row in rows[:100]] == ["well"] * 31 + ["ill"] * 69


def test_names_are_data():
    names = tuple(dict.fromkeys(name for name in HOSTILE_NAMES if name.strip() == name and "\0" not in name))
    names = tuple(name for name in names if name.isprintable())
    saved(hostile(names), Path())
    with open("rows.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerow([1] + [0] * (len(names) - 1))
    result = run("predict", "rules.json", "rows.csv", "--delimiter", ",", "--out", "out.csv")

    assert result.exit_code == 0, result.output
    assert rows_in(Path("out.csv").read_text(encoding="utf-8"))[0]["prediction"] == names[0]


def test_concepts_can_be_the_columns():
    saved(rules_of({"bird": Var("wings"), "fish": Var("fins")}, ["wings", "fins"]), Path())
    Path("rows.csv").write_text("wings,fins\n1,0\ntrue,false\n0.2,0.9\n")

    assert [row["prediction"] for row in rows_in(run("predict", "rules.json", "rows.csv").stdout)] == [
        "bird",
        "bird",
        "fish",
    ]


def test_a_failure_leaves_the_old_file():
    Path("out.csv").write_text("old")
    Path("rows.csv").write_text("age,ward\n" + "1,B\n" * 10 + "1\n")
    refused("predict", "rules.json", "rows.csv", "--out", "out.csv")

    assert Path("out.csv").read_text() == "old"
    assert sorted(os.listdir()) == ["out.csv", "rows.csv", "rules.json"]


@pytest.mark.skipif(os.name == "nt", reason="no such pipes")
def test_a_reader_that_goes_away():
    """There is more to come on both sides when the first lines have been read."""
    Path("rows.csv").write_text("age,ward\n" + "1,B\n" * 1_500_000)
    done = subprocess.run(
        f"cat rows.csv | {sys.executable} -m logiclens predict rules.json - | head -n 1",
        shell=True,
        capture_output=True,
        text=True,
        timeout=600,
    )

    assert (done.stdout, done.stderr) == ("age,ward,prediction,rule,why,mark,precision\n", "")


@pytest.mark.skipif(os.name == "nt", reason="no such signal")
@pytest.mark.parametrize(
    ("number", "code", "n_lines"), [(signal.SIGINT, 130, 1), (signal.SIGTERM, 143, 0)], ids=["ctrl-c", "kill"]
)
def test_an_end_before_time_leaves_nothing_half_written(number: int, code: int, n_lines: int):
    command = [sys.executable, "-m", "logiclens", "predict", "rules.json", "-", "--out", "out.csv"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write("age,ward\n" + "1,B\n" * 100_000)
        process.stdin.flush()
        wait_for(half_written, process)
        process.send_signal(number)  # while it waits for more
        process.stdin.close()  # of a signal just before it begins to wait Python hears when the waiting ends
        assert process.wait(timeout=600) == code
        assert process.stderr.read().count("\n") == n_lines
    assert sorted(os.listdir()) == ["rows.csv", "rules.json"]


@pytest.mark.parametrize("words", [None, WORDS], ids=["concepts", "words"])
def test_rules_that_look_at_no_column(words: Vocabulary | None, folder: Path):
    """Such as those of classes that nothing tells apart."""
    rules = rules_of({"a": FALSE, "b": FALSE}, WORDS.names, default="b", vocabulary=words)
    result = run("predict", saved(rules, folder), "rows.csv")

    assert result.exit_code == 0, result.output
    assert [row["prediction"] for row in rows_in(result.stdout)] == ["b"] * 5
    assert result.stderr == "5 rows; the default decides 5.\n"


@pytest.mark.parametrize("n_rows", [1, 3_000_000], ids=["at once", "later"])
def test_rows_of_another_length_that_come_from_a_pipe(n_rows: int):
    """What is wrong with the table is no matter of the output."""
    done = subprocess.run(
        [sys.executable, "-m", "logiclens", "predict", "rules.json", "-"],
        input="age,ward\n" + "1,B\n" * n_rows + "1\n",
        capture_output=True,
        text=True,
        timeout=600,
    )

    assert done.returncode == 1
    assert done.stderr == (
        "logiclens: standard input has another number of values in a row; the header names 2 columns. "
        "Correct that row, or name the sign between columns with --delimiter.\n"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals")
def test_a_terminal_obeys_no_value():
    Path("rows.csv").write_text("age,ward\n70,\x1b[31mICU\n")
    code, shown = on_a_terminal("predict", "rules.json", "rows.csv")

    assert code == 0
    assert "\x1b" not in shown
    assert "70,\\u001b[31mICU,ill," in shown


def test_what_a_network_says_of_several_labels():
    found = _as_column(np.array([[1, 0], [1, 1], [0, 0], [1, 0]]), ["a", 2])

    assert found.to_pylist() == ["a", "a, 2", "", "a"]


GAPS = "age,ward,outcome\n70,ICU,ill\n,ICU,well\n20,,ill\n80,,gone\n50,B,\n,,well\n"


def test_values_that_are_missing_although_the_rules_know_of_no_gaps():
    Path("rows.csv").write_text(GAPS)
    result = run("predict", "rules.json", "rows.csv")

    assert [row["mark"] for row in rows_in(result.stdout)] == [
        "",
        "missing",
        "",
        "",
        "default",
        "missing",
    ]
    assert rows_in(result.stdout)[1]["why"] == (
        "The prediction is well because age is at most 30 or missing. No earlier step is true of it. Its "
        "'age' is missing, and the rules know nothing of that."
    )
    assert result.stderr == ("6 rows; the default decides 1; 2 lack a value that rules need.\n")


def test_a_file_comes_with_a_summary():
    Path("rows.csv").write_text(GAPS)
    result = run("predict", "rules.json", "rows.csv", "--out", "out.csv", "--truth", "outcome")

    assert result.stderr == (
        "Wrote 6 rows to out.csv; the default decides 1; 2 lack a value that rules "
        "need.\n"
        "Predicted: well 4 (66.7%), gone 1 (16.7%), ill 1 (16.7%).\n"
        "Of 5 rows with a value of 'outcome', the rules are right on 80.0%.\n"
        "\n"
        " class  precision  recall  rows\n"
        " ──────────────────────────────\n"
        " ill       100.0%   50.0%     2\n"
        " well       66.7%  100.0%     2\n"
        " gone      100.0%  100.0%     1\n"
        "\n"
    )


def test_a_step_comes_with_its_precision_on_rows_held_out():
    """Whether rows are read here or in an engine; a table that has such a column keeps it."""
    rules = replace(PATIENTS, held_out=HeldOutScores((4, 3, 0, 9), (4, 2, 0, 8), "outcome"))
    saved(rules, Path())
    table = pa.table({"age": [80, 70, 20, 50], "ward": [None, "ICU", "B", "B"], "Precision": [1, 2, 3, 4]})
    pq.write_table(table, "rows.parquet")
    found = []
    for where in ([], ["--engine", "duckdb"]):
        result = run("predict", "rules.json", "rows.parquet", "--out", "out.parquet", *where)
        assert result.exit_code == 0, result.output
        found.append(pq.read_table("out.parquet"))
    new = ["precision", "precision_2"]  # to an engine names are the same in any case

    assert [each["prediction"].to_pylist() for each in found] == [["gone", "ill", "well", "well"]] * 2
    for each, name in zip(found, new, strict=True):
        assert each.column_names[-1] == name
        assert each[name].to_pylist() == [1.0, 0.6667, None, 0.8889]
        assert each["Precision"].to_pylist() == [1, 2, 3, 4]


def test_a_fit_saves_how_often_its_steps_were_right(tmp_path: Path):
    """On the rows held out, which are those of --json."""
    copied(STAYS, tmp_path)
    for name in ("model.lens", "stays.json"):
        done = run("explain", "stays.csv", "--target", "risk", "--save", name, "--json", "all.json")
        assert done.exit_code == 0, done.output
    found = json.loads(Path("all.json").read_text())["overall"]
    model, rules = rules_in("model.lens"), rules_in("stays.json")

    assert model.held_out == rules.held_out
    assert rules.held_out.target == "risk"
    assert (rules.held_out.total, rules.held_out.accuracy) == (found["n"], found["rules_accuracy"])
    run("predict", "model.lens", "stays.csv", "--network", "--out", "out.csv")
    row = rows_in(Path("out.csv").read_text())[0]
    assert [*row][-2:] == ["network", "precision"]
    assert float(row["precision"]) == round(rules.held_out.precision[-1], 4)


def test_of_many_classes_the_most_common_are_counted():
    names = [f"c{at:02}" for at in range(12)]
    saved(rules_of({name: Var(name) for name in names}, names), Path())
    rows = [",".join(str(int(at == row)) for at in range(12)) for row in [*range(12), 3]]
    Path("rows.csv").write_text("\n".join([",".join(names), *rows, ""]))
    told = run("predict", "rules.json", "rows.csv", "--out", "out.csv").stderr.splitlines()[1]

    assert told.startswith("Predicted: c03 2 (15.4%), c00 1 (7.7%), ")
    assert told.endswith(", c09 1 (7.7%) and 2 more classes.")


def test_reasons_can_be_left_out():
    result = run("predict", "rules.json", "rows.csv", "--only-prediction")

    assert result.stdout.splitlines()[:2] == ["id,age,ward,prediction,mark,precision", "1,70,ICU,ill,,"]


def test_what_is_no_number_counts_as_missing():
    Path("words.csv").write_text("age,ward\n70,B\nold,B\n")
    result = run("predict", "rules.json", "words.csv")

    assert result.exit_code == 0
    assert [row["mark"] for row in rows_in(result.stdout)] == ["", "missing"]
    assert result.stderr == (
        "Column 'age': 1 of 2 values is no number ('old', line 3) and counts as missing. None was missing "
        "when the rules were made: correct these rows, or do not trust what is predicted of them.\n"
        "2 rows; 1 lacks a value that rules need.\n"
    )


def test_concepts_that_are_neither_yes_nor_no_are_refused():
    saved(rules_of({"bird": Var("wings"), "fish": ~Var("wings")}, ["wings"]), Path())
    Path("rows.csv").write_text("wings\n1\nperhaps\n")

    assert refused("predict", "rules.json", "rows.csv", "--out", "out.csv") == (
        "Column 'wings' must hold true or false, or 1 and 0; line 3 has "
        "'perhaps'. Correct it, or leave it empty if it is missing."
    )
