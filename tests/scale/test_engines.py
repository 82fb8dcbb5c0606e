"""NumPy, DuckDB and Spark agree: the same table, the same rules and the same scores from the same rows.

What is marked ``spark`` is run by ``make spark``, which installs what it needs.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias

import ibis
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from packaging.requirements import Requirement
from sklearn.exceptions import ConvergenceWarning

from logiclens import MuClassifier
from logiclens.concepts import ConceptEncoder
from logiclens.errors import InputError
from logiclens.explain import ExplanationSet
from logiclens.logic import TruthTable
from logiclens.metrics import explanation_accuracy, rule_scores
from logiclens.scale import fit, predict, read, score, truth_table
from logiclens.scale._engine import fetch
from tests.scale.tables import in_duckdb
from tests.strategies import HOSTILE_NAMES

KNOWN_TO_WORK = {
    "duckdb": {"ibis-framework": "12.0.0", "sqlglot": "30.17.0", "duckdb": "2.0.0", "pyarrow": "26.0.1"},
    "spark": {"ibis-framework": "12.0.0", "sqlglot": "30.17.0", "pyspark": "4.0.5", "pandas": "3.1.1"},
}
"""Versions that these tests were last seen to pass with."""
SOCKETS = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
"""PySpark leaves the closing of its sockets to the garbage collector."""
ENGINES = ["duckdb", pytest.param("spark", marks=[pytest.mark.spark, SOCKETS])]
MUST = os.environ.get("LOGICLENS_SPARK") == "1"
"""Whether Spark has to be there: then what is missing fails instead of being skipped."""

Put: TypeAlias = Callable[[pa.Table], Any]


# --- engines ---


@pytest.fixture(scope="session")
def duckdb_table() -> Put:
    """Puts rows into a DuckDB of its own."""
    return in_duckdb


@pytest.fixture(scope="session")
def spark_table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Put]:
    """Puts rows into a local Spark, through a Parquet file."""
    if not MUST:
        pytest.importorskip("pyspark", reason="needs Spark: pip install 'logiclens[spark]'")
    from pyspark.sql import SparkSession

    folder = tmp_path_factory.mktemp("spark")
    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.caseSensitive": "true",
        "spark.sql.variable.substitute": "false",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.ui.enabled": "false",
    }
    builder = SparkSession.builder.master("local[1]").appName("logiclens")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    connection, numbers = ibis.pyspark.connect(session), count()

    def put(rows: pa.Table) -> Any:
        file = folder / f"{next(numbers)}.parquet"
        pq.write_table(rows, file)
        return connection.read_parquet(str(file))

    yield put
    session.stop()


@pytest.fixture(params=ENGINES)
def put(request: pytest.FixtureRequest) -> Put:
    """Puts rows into an engine."""
    put: Put = request.getfixturevalue(f"{request.param}_table")
    return put


# --- rows ---

N = 240
WIDTHS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"]


def gaps(values: Any, at: int, kind: pa.DataType | None = None) -> pa.Array:
    """An array in which every seventh value is missing."""
    return pa.array([None if row % 7 == at else each for row, each in enumerate(values)], kind)


def concepts() -> pa.Table:
    """Concepts under hostile names: Booleans, zeros and ones of every width; and what is to be learned."""
    random = np.random.default_rng(0)
    values = random.random((N, len(HOSTILE_NAMES))) < 0.5
    kinds = [pa.bool_(), *(pa.type_for_alias(name) for name in WIDTHS), pa.decimal128(9, 2)]
    columns = {}
    for at, name in enumerate(HOSTILE_NAMES):
        kind = kinds[at % len(kinds)]
        cells = [Decimal(int(each)) for each in values[:, at]] if pa.types.is_decimal(kind) else values[:, at]
        if pa.types.is_boolean(kind) or pa.types.is_decimal(kind):
            columns[name] = pa.array(cells, kind)
        else:
            columns[name] = pa.array(np.asarray(cells, dtype=np.float64), pa.float64()).cast(kind)
    wrong = random.random(N) < 0.05
    columns["y"] = pa.array(((values[:, 0] & values[:, 3]) | ~values[:, 4]) ^ wrong)
    columns["w"] = pa.array(random.integers(0, 4, N), pa.int32())
    return pa.table(columns)


def raw() -> pa.Table:
    """A raw table of all types, with gaps, under hostile names."""
    random = np.random.default_rng(1)
    numbers = random.normal(50, 20, N).round(1)
    texts = ["red", "it's", 'say "hi"', "🐦", "", "back\\slash", "${x}"]
    text = random.choice(texts[:4], N)
    flags = random.random(N) < 0.4
    nan = np.where(random.random(N) < 0.1, np.nan, numbers * 3)
    categories = pa.array(random.choice(texts, N).tolist()).dictionary_encode()
    says = np.where((numbers > 55) & ((text == "🐦") | flags), 'say "yes"', "it's no")
    return pa.table(
        {
            "age > 62": gaps(numbers, 0),
            "back`tick": pa.array(nan),
            '"; DROP TABLE x': gaps(text.tolist(), 1),
            "größe": gaps(random.integers(-3, 9, N).tolist(), 2, pa.int16()),
            "a.b": gaps([Decimal(str(each)) for each in numbers], 3, pa.decimal128(12, 4)),
            "<script>": gaps(flags.tolist(), 4),
            "%s": pa.array(flags.astype(np.int8)),
            "${x}": categories,
            "float 32": gaps(numbers.tolist(), 5, pa.float32()),
            "y": pa.array(says.tolist()),
        }
    )


def without(rows: pa.Table, *names: str) -> pa.Table:
    return rows.drop_columns([name for name in names if name in rows.column_names])


def same_table(one: TruthTable, other: TruthTable) -> bool:
    """Array for array, in the same order."""
    pairs = zip((one.rows, one.yes, one.no), (other.rows, other.yes, other.no), strict=True)
    return one.names == other.names and all(np.array_equal(mine, its) for mine, its in pairs)


def learner(**settings: Any) -> MuClassifier:
    return MuClassifier(epochs=60, restarts=1, l1=0.01, device="cpu", random_state=0, **settings)


@pytest.fixture(scope="session")
def fitted() -> MuClassifier:
    """Fitted to the raw table in memory."""
    rows = raw()
    return learner().fit(without(rows, "y"), rows["y"].to_numpy(zero_copy_only=False))


# --- the same table ---


@pytest.mark.parametrize("weighted", [False, True])
def test_truth_table(put: Put, weighted: bool):
    rows = concepts()
    arrays = {name: np.asarray(rows[name].to_pylist(), dtype=float) for name in HOSTILE_NAMES[:8]}
    weights = np.asarray(rows["w"].to_pylist()) if weighted else None
    expected = TruthTable.from_data(arrays, np.asarray(rows["y"].to_pylist()), sample_weight=weights)
    found = truth_table(put(rows), "y", concepts=[*arrays], weights="w" if weighted else None)

    assert same_table(found, expected)


def test_truth_table_of_all_concepts(put: Put):
    """More than fit into one word: all twice, the second time in reverse order."""
    rows = without(concepts(), "w")
    for name in HOSTILE_NAMES[::-1]:
        rows = rows.append_column(f"{name} ", rows[name])
    arrays = {
        name: np.asarray(rows[name].to_pylist(), dtype=float) for name in without(rows, "y").column_names
    }
    expected = TruthTable.from_data(arrays, np.asarray(rows["y"].to_pylist()))

    assert same_table(truth_table(put(rows), "y"), expected)


def test_truth_table_of_a_raw_table(put: Put):
    rows = raw()
    words = ConceptEncoder().fit(without(rows, "y"), rows["y"].to_pylist()).vocabulary_
    encoded = {name: np.asarray(values, dtype=float) for name, values in words.encode(rows).items()}
    yes = np.asarray(rows["y"].to_pylist()) == 'say "yes"'
    table = put(rows)

    assert same_table(
        truth_table(table, table["y"] == 'say "yes"', vocabulary=words), TruthTable.from_data(encoded, yes)
    )


# --- the same rules ---


@pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")
@pytest.mark.parametrize("weights", [None, "w"])
def test_fit_on_concepts(put: Put, weights: str | None):
    rows = concepts()
    used = [*HOSTILE_NAMES[:10]]
    weight = None if weights is None else np.asarray(rows[weights].to_pylist(), dtype=float)
    here = learner().fit(rows.select(used), np.asarray(rows["y"].to_pylist()), weight)
    there = fit(learner(), put(rows), "y", columns=used, weights=weights)

    check_twins(there, here)


@pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")
def test_fit_on_a_raw_table(put: Put, fitted: MuClassifier):
    rows = raw()
    there = fit(learner(), put(rows), "y")

    check_twins(there, fitted)
    assert there.vocabulary_ == fitted.vocabulary_
    assert (there.predict(without(rows, "y")) == fitted.predict(without(rows, "y"))).all()


def check_twins(there: MuClassifier, here: MuClassifier) -> None:
    assert there.classes_.tolist() == here.classes_.tolist()
    assert there.concept_names_ == here.concept_names_
    assert there.feature_names_in_.tolist() == here.feature_names_in_.tolist()
    assert there.explain().formulas == here.explain().formulas


# --- the same refusals ---


@pytest.mark.parametrize(
    "column",
    [
        pa.array([date(2026, 1, 1 + row % 9) for row in range(N)]),
        pa.array([float("inf") if row == 5 else row / 2 for row in range(N)]),
        pa.array([None] * N, pa.float64()),
        pa.array([7] * N),
        pa.array([f"name {row}" for row in range(N)]),
    ],
    ids=["dates", "infinite", "empty", "constant", "identifier"],
)
def test_what_cannot_be_used_is_refused_in_the_same_words(put: Put, column: pa.Array):
    """But for the number of a row: an engine's have none."""
    rows = pa.table({"it's": column, "y": raw()["y"]})
    with pytest.raises(InputError) as here:
        learner().fit(without(rows, "y"), rows["y"].to_pylist())
    with pytest.raises(InputError) as there:
        fit(learner(), put(rows), "y")

    assert str(there.value) == str(here.value).replace(" in row 5 (counted from 0)", "")


# --- the same answers, and the same scores ---


@pytest.mark.parametrize("marks", [False, True])
def test_predict(put: Put, marks: bool, fitted: MuClassifier):
    rows = raw().append_column("row", pa.array(range(N)))
    rules: ExplanationSet = fitted.explain()
    found = fetch(predict(rules, put(rows), marks=marks), "Predicting").sort_by("row")

    assert found["prediction"].to_pylist() == rules.predict(rows).tolist()
    assert found.column_names == [*rows.column_names, "prediction", *(["mark"] if marks else [])]
    if marks:
        default = rules.decided_by(rows) == len(rules.steps)
        assert ["default" in mark for mark in found["mark"].to_pylist()] == default.tolist()


def test_score(put: Put, fitted: MuClassifier):
    rows, rules = raw(), fitted.explain()
    y = rows["y"].to_numpy(zero_copy_only=False)
    found = score(rules, put(rows), "y")

    assert found.n_rows == N
    assert found.accuracy == pytest.approx(rules.score(rows, y), abs=1e-12)
    said = rules.predict(rows)
    confusion = [[np.sum((y == truth) & (said == label)) for label in rules.labels] for truth in rules.labels]
    assert found.confusion.tolist() == confusion
    paper = explanation_accuracy(rules, rows, y)
    assert found.explanation_accuracy == pytest.approx(paper.macro_f1, abs=1e-12)
    for label in rules.labels:
        expected = rule_scores(rules[label], rows, y == label)
        rates = found.by_label[label].rates
        for name in ("precision", "recall", "coverage"):
            assert getattr(rates, name) == pytest.approx(getattr(expected, name), abs=1e-12)


# --- the same files ---


@pytest.fixture(params=ENGINES)
def reader(request: pytest.FixtureRequest) -> str:
    """An engine that reads files; Spark does in the session that is running."""
    request.getfixturevalue(f"{request.param}_table")
    return str(request.param)


def put_files(folder: Path, names: list[str]) -> None:
    """Write a Parquet file of one row under each name, with its own number."""
    for at, name in enumerate(names):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table({"a": [at]}), folder / name)


def rows_of(source: Path | str, engine: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = fetch(read(source, engine), "Reading").to_pylist()
    return sorted(rows, key=lambda row: row["a"])


def test_the_same_folder_has_the_same_rows(reader: str, tmp_path: Path):
    """Whatever lies below it, what programs hide, and what names are made of."""
    shown = ["b.parquet", "more/c.parquet", "more/and more/d,[1] {2} it's 100%#größe.parquet", "e.pq"]
    hidden = [".draft.tmp/f.parquet", "_temporary/0/g.parquet", "more/_h.parquet", ".i.parquet"]
    put_files(tmp_path / "a b", [*shown, *hidden])
    (tmp_path / "a b" / "notes.txt").touch()
    (tmp_path / "a b" / "_SUCCESS").touch()

    assert rows_of(tmp_path / "a b", reader) == [{"a": 0}, {"a": 1}, {"a": 2}, {"a": 3}]
    assert rows_of(f"{tmp_path}/a*/**/*.parquet", reader) == [{"a": 0}, {"a": 1}, {"a": 2}]
    assert rows_of(tmp_path / "a b" / shown[2], reader) == [{"a": 2}]


def test_folders_of_values_are_columns(reader: str, tmp_path: Path):
    put_files(tmp_path / "run=7", ["day=1/a.parquet", "day=2/a.parquet", "day=2/.b.parquet"])
    expected = [{"a": 0, "day": 1}, {"a": 1, "day": 2}]

    assert rows_of(tmp_path / "run=7", reader) == expected
    assert rows_of(f"{tmp_path}/run=7/*/*.parquet", reader) == expected
    assert rows_of(tmp_path / "run=7" / "day=1", reader) == [{"a": 0}]


@pytest.mark.spark
@SOCKETS
@pytest.mark.usefixtures("spark_table")
def test_a_file_that_spark_leaves_out(tmp_path: Path):
    put_files(tmp_path, ["_a.parquet"])
    with pytest.raises(InputError) as caught:
        read(tmp_path / "_a.parquet", "spark")
    assert str(caught.value) == (
        f"Spark does not read '{tmp_path}/_a.parquet', whose name begins with '_'. Rename the file."
    )


@pytest.mark.spark
@SOCKETS
@pytest.mark.usefixtures("spark_table")
def test_a_file_of_columns_that_spark_cannot_tell(tmp_path: Path):
    from pyspark.sql import SparkSession

    pq.write_table(pa.table({"a": [1], "A": [2]}), tmp_path / "a.parquet")
    settings = SparkSession.getActiveSession().conf
    settings.set("spark.sql.caseSensitive", "false")
    try:
        with pytest.raises(InputError) as caught:
            read(tmp_path, "spark")
    finally:
        settings.set("spark.sql.caseSensitive", "true")

    assert str(caught.value) == "'a' and 'A' are one column in Spark. Rename one of the columns."
    assert read(tmp_path, "spark").columns == ("a", "A")


@pytest.mark.spark
def test_spark_leaves_no_folder_behind(tmp_path: Path):
    """A session of our own, in a process of its own."""
    put_files(tmp_path, ["data/a.parquet"])
    code = (
        "from logiclens.scale import read; table = read('data', 'spark', memory='500MB'); "
        "session = table.get_backend()._session; print(table.count().to_pyarrow()); "
        "print(session.conf.get('spark.sql.warehouse.dir')); session.stop()"
    )
    environment = os.environ | {"SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    n_rows, warehouse = done.stdout.split()[-2:]

    assert n_rows == "1"
    assert not Path(warehouse.removeprefix("file:")).exists()
    assert os.listdir(tmp_path) == ["data"]


# --- versions ---


@pytest.mark.parametrize("engine", ENGINES)
def test_versions_known_to_work(engine: str, request: pytest.FixtureRequest):
    """One tiny query; where it fails, a newer release is the first to suspect."""
    here = {package: version(package) for package in KNOWN_TO_WORK[engine]}
    advice = f"{engine} works with {KNOWN_TO_WORK[engine]}. Installed are {here}."
    try:
        put: Put = request.getfixturevalue(f"{engine}_table")
        table = put(pa.table({"a": [True, True, False], "y": [1, 0, 0]}))
        found = fetch(table.group_by("a").agg(n=table["y"].sum()).order_by("a"), "Counting").to_pylist()
    except Exception as error:
        pytest.fail(f"{advice} Pin what is newer in the extras of pyproject.toml, or adapt. Got: {error!r}")

    assert found == [{"a": False, "n": 0}, {"a": True, "n": 1}], advice


@pytest.mark.parametrize("package", ["ibis-framework", "sqlglot", "pyspark"])
def test_releases_that_break_are_ruled_out(package: str):
    """Newer sqlglot breaks Ibis 12 on DuckDB, and Ibis 12 ends before Spark 4.1: each has an upper bound."""
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    extras = tomllib.loads(text)["project"]["optional-dependencies"]
    asked = {each.name: each.specifier for each in map(Requirement, [*extras["scale"], *extras["spark"]])}
    known = {
        each for versions in KNOWN_TO_WORK.values() for name, each in versions.items() if name == package
    }

    assert any(bound.operator == "<" for bound in asked[package])
    assert all(each in asked[package] for each in known)
