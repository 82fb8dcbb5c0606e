"""What columns are, where a person says it: --categorical, --numeric, --ordered, --missing."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

from logiclens.cli.column_types import SaidColumns, gaps_of, kinds_of, said_columns
from logiclens.cli.options import ColumnOptions
from logiclens.files import ValueType
from tests.cli.running import refused, run
from tests.strategies import HOSTILE_NAMES

N = 240
SAY = ["--categorical", "region", "--ordered", "size:low<mid<high", "--missing", "age=999"]


def shops() -> pa.Table:
    """Shops whose kind depends on a code, an order, and an age with a number for missing values."""
    rng = np.random.default_rng(0)
    region, age = rng.integers(1, 6, N), rng.integers(20, 60, N)
    size = rng.choice(["low", "mid", "high"], N)
    kind = np.where((region == 3) | ((age > 40) & (size != "low")), "a", "b")
    age[rng.random(N) < 0.2] = 999
    codes = [f"{number:05d}" for number in rng.integers(1000, 1020, N)]
    return pa.table({"region": region, "age": age, "size": size, "zip": codes, "kind": kind})


@pytest.fixture(autouse=True)
def _in_a_folder_with_shops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pc.write_csv(shops(), "shops.csv")
    pq.write_table(shops(), "shops.parquet")


@pytest.mark.parametrize("command", ["explain", "blackbox", "cluster"])
@pytest.mark.parametrize("file", ["shops.csv", "shops.parquet"])
def test_each_command_and_kind_of_file_takes_them(command: str, file: str):
    target = {"explain": ["--target", "kind"], "blackbox": ["--predictions", "kind"]}.get(command, [])
    result = run(command, file, *target, *SAY, "--json", "found.json", "--save", "model.json")
    concepts = {
        each["column"]: each for each in json.loads(Path("model.json").read_text())["vocabulary"]["concepts"]
    }

    assert result.exit_code == 0, result.output
    assert (
        f"Note: {(shops().column('age').to_numpy() == 999).sum()} values of 'age' count as missing"
        in result.stdout
    )
    assert "few whole numbers" not in result.stdout
    assert concepts["region"]["kind"] == concepts["size"]["kind"] == "one of"
    assert concepts["age"]["gaps"] == [999]
    settings = json.loads(Path("found.json").read_text())["settings"]
    assert (settings["categorical"], settings["missing"]) == (["region"], ["age=999"])


def test_new_rows_are_read_in_the_same_way_wherever_they_are():
    run("explain", "shops.csv", "--target", "kind", *SAY, "--save", "model.lens")
    lines = []
    for source, *more in (["shops.csv"], ["shops.parquet"], ["shops.parquet", "--engine", "duckdb"]):
        result = run("predict", "model.lens", source, *more, "--truth", "kind", "--out", "out.parquet")
        assert result.exit_code == 0, result.output
        lines.append([line for line in result.stderr.splitlines() if "rules are right" in line])
        predicted = pq.read_table("out.parquet")
        lines[-1].append(str(predicted.column("prediction").to_pylist()))

    assert lines[0] == lines[1] == lines[2]
    assert int(lines[0][0].split(" on ")[1].split(".")[0]) > 90


def test_an_engine_finds_the_rules_of_rows_in_memory():
    options = ["--target", "kind", *SAY, "--holdout", 0, "--no-compare", "--stability", 0, "--quiet"]
    memory = run("explain", "shops.parquet", *options)
    engine = run("explain", "shops.parquet", *options, "--engine", "duckdb")

    assert engine.exit_code == 0, engine.output
    assert engine.stdout == memory.stdout
    assert "region = 3" in engine.stdout


@pytest.mark.parametrize("engine", [[], ["--engine", "duckdb"]])
def test_notes_name_codes_and_numbers_that_may_mean_a_gap(engine: list[str]):
    result = run("explain", "shops.parquet", "--target", "kind", "--no-compare", "--stability", 0, *engine)
    n = (shops().column("age").to_numpy() == 999).sum()

    assert (
        f"Column 'age' has 999 in {n} of {N} rows, far from its other values. If it means that there is "
        "none, say --missing age=999." in result.stdout
    )
    assert (
        "Column 'region' holds few whole numbers, compared as numbers. If they are codes, say --categorical "
        "region." in result.stdout
    )
    assert "thousands" not in result.stdout  # codes with leading zeros are no numbers


def test_categories_keep_what_would_be_a_slip_among_numbers():
    codes = ["1", "2"] * 58 + ["X"] * 4
    pc.write_csv(pa.table({"code": codes, "y": ["a", "b"] * 58 + ["a"] * 4}), "codes.csv")
    result = run("explain", "codes.csv", "--target", "y", "--categorical", "code", "--save", "model.json")

    assert "count as missing" not in result.stdout
    assert '"values": ["X"]' in Path("model.json").read_text().replace("\n", "").replace("  ", "")


def test_texts_that_mean_a_gap_leave_a_column_of_numbers():
    pay = ["1000", "2000", "3000", " n.a."] * 15
    pc.write_csv(pa.table({"pay": pay, "y": ["a", "b", "b", "a"] * 15}), "pay.csv")
    result = run("explain", "pay.csv", "--target", "y", "--missing", "n.a.", "--save", "model.json")

    assert "Note: 15 values of 'pay' count as missing: 'n.a.'." in result.stdout
    assert "pay > " in result.stdout or "pay <= " in result.stdout


def test_a_value_that_occurs_nowhere_is_named():
    result = run("explain", "shops.csv", "--target", "kind", "--missing", "-7", "--no-compare")

    assert "Note: No value of any column is '-7': nothing there counts as missing by it." in result.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--categorical", "regin"],
            "The data lack the column 'regin'. Did you mean 'region'?",
        ),
        (["--missing", "agee=9"], "The data lack the column 'agee'. Did you mean 'age'?"),
        (["--ordered", "size"], "--ordered 'size' has no ':'. Write --ordered 'size:low<mid<high'."),
        (
            ["--ordered", "size:low<high"],
            "Column 'size' has the value 'mid', which its order 'low', 'high' lacks. Name every value, the "
            "lowest first.",
        ),
        (
            ["--ordered", "size:low"],
            "--ordered must name two values or more of 'size', each once, the lowest first. Got 'low'; write "
            "--ordered 'size:low<mid<high'.",
        ),
        (
            ["--categorical", "region", "--numeric", "region"],
            "--categorical, --numeric, --ordered and --date name 'region' twice. Name each column once.",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(options: list[str], message: str):
    for engine in ([], ["--engine", "duckdb"]):
        assert message in refused("explain", "shops.parquet", "--target", "kind", *options, *engine)


def test_names_and_values_may_have_any_sign():
    names = [*HOSTILE_NAMES, "a=b", "a:b", "a"]
    for name in names:
        said = said_columns(
            ColumnOptions(ordered=[f"{name}:<=50K<>50K<a<b"], missing=[f"{name}=x=1"]),
            names,
            lambda _: ["a<b", ">50K", "<=50K"],
        )
        assert said.types == {name: ("<=50K", ">50K", "a<b")}
        assert said.gaps == {name: ("x=1",)}


def test_what_was_said_is_in_the_words_of_the_encoder():
    said = ColumnOptions(["region", "code"], ["zip"], ["size: low<high"], ["-9", "zip=0.5", "zip=none"])
    names = ["region", "code", "zip", "size"]

    assert kinds_of(said, names) == {
        "region": ValueType.CATEGORY,
        "code": ValueType.CATEGORY,
        "size": ValueType.CATEGORY,
        "zip": ValueType.NUMBER,
    }
    assert gaps_of(said, names)["zip"] == ("-9", "0.5", "none")
    assert said_columns(said, names, lambda _: ()) == SaidColumns(
        {"region": "category", "code": "category", "zip": "number", "size": ("low", "high")},
        {**dict.fromkeys(["region", "code", "size"], ("-9", -9)), "zip": ("-9", "0.5", "none", -9, 0.5)},
    )


@pytest.mark.parametrize("engine", [[], ["--engine", "duckdb"]])
def test_numbers_that_are_codes_by_their_name_are_told(engine: list[str]):
    rng = np.random.default_rng(0)
    table = shops().drop_columns("zip").append_column("zip_code", pa.array(rng.integers(10_000, 99_000, N)))
    pq.write_table(table, "coded.parquet")
    result = run("explain", "coded.parquet", "--target", "kind", "--no-compare", "--stability", "0", *engine)
    note = "Column 'zip_code' holds whole numbers, compared as numbers. If they are codes, say"

    assert f"{note} --categorical zip_code." in result.stdout
    assert "Column 'region' holds few whole numbers" in result.stdout
