"""``logiclens explain --engine``, as a person types it."""

from __future__ import annotations

import builtins
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

import logiclens
from logiclens.cli import engine_rows
from logiclens.errors import LimitError
from logiclens.metrics.agreement import wilson
from logiclens.scale._collapse import collapse
from tests.cli.in_files import in_file, in_files, stays
from tests.cli.running import PIPE, TERMINAL, check_golden, refused, run
from tests.strategies import HOSTILE_NAMES

DUCKDB = ["--engine", "duckdb"]


@pytest.fixture(autouse=True)
def _in_a_folder_with_stays(tmp_path: Path) -> None:
    in_files(stays(), tmp_path / "stays")


@pytest.mark.parametrize(("where", "env"), [("pipe", PIPE), ("terminal", TERMINAL)])
def test_what_is_printed(where: str, env: dict[str, str | None]):
    result = run("explain", "stays/*.parquet", "--target", "risk", *DUCKDB, "--save", "model.lens", env=env)

    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    check_golden(f"in_engine.{where}.txt", result.stdout)


def test_rules_and_figures_are_those_of_rows_in_memory():
    """Without rows held out, all rows are trained on and scored, wherever they are."""
    pq.write_table(stays(), "stays.parquet")
    options = ["--target", "risk", "--holdout", 0, "--no-compare", "--stability", 0, "--json"]
    run("explain", "stays.parquet", *options, "memory.json")
    run("explain", "stays/*.parquet", *options, "engine.json", *DUCKDB, "--memory", "1GB")
    memory, engine = (json.loads(Path(f"{name}.json").read_text()) for name in ("memory", "engine"))

    assert engine["rules"] == memory["rules"]
    assert engine["overall"] == memory["overall"]
    assert engine["data"]["dropped"] == memory["data"]["dropped"]
    assert engine["data"]["columns"] == memory["data"]["columns"]
    assert engine["data"]["notes"] == memory["data"]["notes"]
    assert engine["data"] | {"name": "", "sha256": ""} == memory["data"] | {"name": "", "sha256": ""}
    assert engine["settings"] == memory["settings"] | {"engine": "duckdb", "memory": "1GB"}
    assert (engine["data"]["name"], engine["data"]["sha256"]) == ("stays/*.parquet", None)


@pytest.mark.parametrize(
    "options",
    [
        ["--target", "pressure", "--above", "130", "--ignore", "risk", "--max-literals", "3"],
        ["--target", "risk", "--rule", "only_if", "--use", "age,ward"],
        ["--target", "risk", "--network", "psi", "--seed", "1"],
    ],
)
def test_options_mean_what_they_mean_in_memory(options: list[str]):
    pq.write_table(stays(), "stays.parquet")
    memory, engine = (
        run("explain", data, *options, "--holdout", 0, "--quiet", *where)
        for data, where in (("stays.parquet", []), ("stays", DUCKDB))
    )

    assert engine.exit_code == 0, engine.output
    assert engine.output == memory.output


def test_scores_are_about_rows_held_out():
    run("explain", "stays", "--target", "risk", *DUCKDB, "--json", "all.json", "--save", "model.lens")
    found = json.loads(Path("all.json").read_text())
    from logiclens.scale._training_rows import read_numbered_rows

    rows = read_numbered_rows("stays")
    held = rows.table.filter(rows.is_drawn(0.3)).to_pyarrow()
    model = logiclens.load("model.lens")
    labels = np.array(held["risk"].to_pylist())

    assert found["overall"]["n"] == held.num_rows
    assert found["overall"]["n_train"] == 500 - held.num_rows
    assert found["overall"]["rules_accuracy"] == pytest.approx(model.explain().score(held, labels))
    assert found["overall"]["network_accuracy"] == pytest.approx((model.predict(held) == labels).mean())
    high = labels == "high"
    (entry,) = [each for each in found["rules"] if each["label"] == "high"]
    fired = model.explain()["high"].evaluate(held)
    assert entry["recall"]["value"] == pytest.approx(fired[high].mean())
    assert entry["fidelity"] == pytest.approx((fired == model.decide(held)[:, 0]).mean())


def test_rows_without_a_class_and_rare_classes_are_told():
    rng = np.random.default_rng(0)
    flag, noise = rng.random(300) < 0.5, rng.random(300)
    kind = [None if at < 3 else "single" if at == 3 else "a" if yes else "b" for at, yes in enumerate(flag)]
    result = run(
        "explain", in_file({"flag": flag, "noise": noise, "kind": kind}), "--target", "kind", *DUCKDB
    )

    assert "rows.parquet: 300 rows, 2 columns used." in result.output
    assert "Note: 3 rows without a value of 'kind' left out.\n" in result.output
    assert "The class 'single' has a single row: it is learned, and not scored.\n" in result.output
    assert "Note: column 'flag' alone gives 100.0% of the answers." in result.output


def test_a_folder_of_files_with_hostile_names():
    rng = np.random.default_rng(0)
    columns = {name: rng.random(200) < 0.5 for name in HOSTILE_NAMES}
    first, second, *_ = HOSTILE_NAMES
    both = columns[first] & columns[second]
    columns["y"] = np.where(both, first, "no")
    folder = Path("it's [hostile]")
    in_files(pa.table(columns), folder, 3)
    options = ["--target", "y", *DUCKDB, "--save", "model.lens"]
    result = run("explain", folder, *options)

    assert result.exit_code == 0, result.output
    rules = logiclens.load("model.lens").explain()
    assert set(rules["no"].concepts) == {first, second}


def test_csv_files_are_read_and_leave_no_copy(tmp_path: Path):
    (tmp_path / "tmp").mkdir()
    Path("csv").mkdir()
    table = stays()
    for at in range(2):
        pc.write_csv(table.slice(at * 250, 250), f"csv/{at}.csv")
    arguments = ["explain", "csv/*.csv", "--target", "risk", *DUCKDB, "--quiet"]
    found = subprocess.run(
        [sys.executable, "-m", "logiclens", *arguments],
        capture_output=True,
        text=True,
        env=os.environ | {"TMPDIR": str(tmp_path / "tmp")},
    )

    assert [line.split()[0] for line in found.stdout.splitlines()] == ["if", "otherwise"], found.stderr
    assert list((tmp_path / "tmp").iterdir()) == []


def test_rows_drawn_by_the_engine_are_read_into_memory():
    """Then all goes that goes with rows in memory."""
    options = ["--max-rows", 200, "--html", "report.html", "--more", "--folds", 2]
    result = run("explain", "stays", "--target", "risk", *DUCKDB, *options)

    assert result.exit_code == 0, result.output
    assert "stays: 200 rows, 4 columns used." in result.output
    assert "Note: 200 of 500 rows taken, drawn at random by DuckDB.\n" in result.output
    assert "Cross-validation, 2 folds of 200 rows:" in result.output
    assert Path("report.html").exists()


def test_more_rows_than_there_are_is_all_of_them():
    result = run("explain", "stays", "--target", "risk", *DUCKDB, "--max-rows", 1000)

    assert "stays: 500 rows, 4 columns used." in result.output
    assert "drawn" not in result.output


def test_a_table_that_does_not_collapse_gets_advice_for_the_command(monkeypatch: pytest.MonkeyPatch):
    def fit(*_: object, **__: object) -> None:
        raise LimitError("The table does not collapse enough: its 9 rows have more.", "Use sample=100000.")

    monkeypatch.setattr("logiclens.scale._engine_fit.fit", fit)

    assert refused("explain", "stays", "--target", "risk", *DUCKDB) == (
        "The table does not collapse enough: its 9 rows have more. Use fewer columns (--use, --ignore), or "
        "draw rows to read into memory (--max-rows 100000)."
    )


def test_without_the_extra_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "ibis"]:
        monkeypatch.delitem(sys.modules, name)
    found = builtins.__import__

    def without_ibis(name: str, *more: object, **others: object) -> object:
        if name.partition(".")[0] == "ibis":
            raise ImportError(name)
        return found(name, *more, **others)

    monkeypatch.setattr(builtins, "__import__", without_ibis)
    monkeypatch.setitem(sys.modules, "ibis", None)

    assert refused("explain", "stays", "--target", "risk", *DUCKDB) == (
        "Tables in an engine need Ibis, which is not installed. Run: pip install 'logiclens[scale]'"
    )


@pytest.fixture
def _spark() -> Iterator[None]:
    if os.environ.get("LOGICLENS_SPARK") != "1":
        pytest.importorskip("pyspark", reason="needs Spark: pip install 'logiclens[spark]'")
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[1]").appName("logiclens")
    for name, value in {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.variable.substitute": "false",
        "spark.ui.enabled": "false",
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield
    session.stop()


@pytest.mark.spark
@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
@pytest.mark.usefixtures("_spark")
def test_spark_prints_and_predicts_what_duckdb_does():
    """The same rows are held out of the same files; predictions go to a folder."""
    options = ["--target", "risk", "--save", "model.lens"]
    by_duckdb = run("explain", "stays", *options, *DUCKDB)
    by_spark = run("explain", "stays", *options, "--engine", "spark")

    assert by_spark.exit_code == 0, by_spark.output
    assert by_spark.output == by_duckdb.output.replace("DuckDB", "Spark").replace("duckdb", "spark")

    predict = ["predict", "model.lens", "stays", "--truth", "risk"]
    one, many = (run(*predict, "--engine", name, "--out", f"{name}.parquet") for name in ("duckdb", "spark"))
    assert many.stderr.replace("spark", "duckdb") == one.stderr.replace(
        "DuckDB wrote one Parquet file", "Spark wrote a folder of Parquet files"
    )
    file, folder = pq.read_table("duckdb.parquet"), pq.read_table("spark.parquet")
    assert folder.sort_by("stay_id").equals(file.sort_by("stay_id").cast(folder.schema))
    assert sorted(os.listdir()) == ["duckdb.parquet", "model.lens", "spark.parquet", "stays"]
    assert refused(*predict, "--engine", "spark", "--out", "spark.parquet") == (
        "'spark.parquet' is there already, and Spark writes a new folder of files. "
        "Name another one, or remove it."
    )


@pytest.mark.parametrize("times", [6, 40])
def test_copies_are_held_out_together(times: int):
    """Labels at random: in an engine, rules were rated by copies of the rows that they were learned from."""
    random = np.random.default_rng(0)
    table = {f"x{j}": random.normal(size=100).round(3) for j in range(5)}
    table["y"] = random.choice(["yes", "no"], 100)
    pq.write_table(
        pa.table({name: np.tile(column, times) for name, column in table.items()}), "copies.parquet"
    )
    run("explain", "copies.parquet", "--target", "y", *DUCKDB, "--no-compare", "--json", "found.json")
    found = json.loads(Path("found.json").read_text())

    note = f"{100 * (times - 1)} rows equal an earlier one in all columns that are learned from"
    assert any(each.startswith(note) for each in found["data"]["notes"])
    assert not found["overall"]["better_than_guess"]["claimed"]
    assert found["overall"]["better_than_guess"]["n"] <= 101
    assert found["overall"]["n"] % times == 0


@pytest.mark.parametrize("many", [False, True])
def test_intervals_know_how_many_copies_there_are(many: bool, monkeypatch: pytest.MonkeyPatch):
    """Rows alike in all concepts counted as copies of one, so that intervals were others than in memory."""

    def refuse(*arguments: Any, key: Any = None) -> Any:
        if key is not None:
            raise LimitError("There are too many.", "Use fewer.")
        return collapse(*arguments)

    if many:  # then rows alike in all concepts count as copies
        monkeypatch.setattr(engine_rows, "collapse", refuse)
    rng = np.random.default_rng(0)
    dose, age = rng.normal(size=300), rng.integers(20, 90, 300)
    y = np.where((age > 60) ^ (rng.random(300) < 0.2), "high", "low")
    table = {"dose": dose, "age": age, "y": y}
    pq.write_table(pa.table({name: np.tile(column, 6) for name, column in table.items()}), "copies.parquet")
    run("explain", "copies.parquet", "--target", "y", *DUCKDB, "--no-compare", "--json", "found.json")
    found = json.loads(Path("found.json").read_text())["overall"]
    rules = {each["name"]: each for each in found["comparison"]}["rules"]
    expected = wilson(rules["accuracy"], found["n"] / 6)

    if many:
        assert rules["low"] == pytest.approx(expected[0], abs=0.03)
    else:
        assert (rules["low"], rules["high"]) == pytest.approx(expected, abs=1e-6)
