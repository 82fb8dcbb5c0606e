"""Columns, classes, rows and figures of a table in an engine are those of a table in memory."""

from __future__ import annotations

import warnings
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from logiclens import MuClassifier, PsiClassifier
from logiclens.cli import engine_rows
from logiclens.cli.engine_rows import EngineRows, select_engine_rows
from logiclens.cli.options import Engine, EngineName, Selection
from logiclens.cli.selection import MemoryRows, select_rows
from logiclens.concepts import ConceptEncoder
from logiclens.errors import InputError, LimitError, LogicLensError
from logiclens.evaluation._evaluate import Leak
from logiclens.files import TableFile
from logiclens.scale._engine_fit import fit
from logiclens.scale._training_rows import read_numbered_rows
from tests.cli.in_files import in_file

N = 200
DUCKDB = Engine(EngineName.DUCKDB)
RANDOM = np.random.default_rng(0)


def counted(columns: dict[str, Any], target: str = "y", **options: Any) -> EngineRows:
    """The same table in an engine."""
    return select_engine_rows(
        read_numbered_rows(in_file(columns)), "rows", DUCKDB, Selection(target, **options)
    )


def prepared(columns: dict[str, Any], target: str = "y", **options: Any) -> Any:
    """The same table in memory."""
    return select_rows(TableFile(pa.table(columns), "rows"), Selection(target, **options))


def answer(ask: Any, *arguments: Any, **options: Any) -> str:
    """What is said of a table that is refused."""
    with pytest.raises(LogicLensError) as caught:
        ask(*arguments, **options)
    return str(caught.value)


TABLE: dict[str, Any] = {
    "flag": RANDOM.random(N) < 0.5,
    "number": RANDOM.normal(size=N),
    "gaps": [None if at % 7 == 0 else at % 3 for at in range(N)],
    "ward": RANDOM.choice(["A", "B", "a "], N).tolist(),
    "when": [date(2020, 1, 1 + at % 28) for at in range(N)],
    "written": [f"{1 + at % 28:02}/03/2021" for at in range(N)],
    "note": [" ".join(f"word{at}{n}" for n in range(8)) for at in range(N)],
    "key": [None if at == 0 else f"K{at}" for at in range(N)],
    "row": list(range(N)),
    "constant": ["z"] * N,
    "nothing": pa.nulls(N, pa.float64()),
    "no type": pa.nulls(N),
    "price": [Decimal(at % 9) / 10 for at in range(N)],
    "parts": [[1, 2]] * N,
    "y": [None if at == 5 else "yes" if at % 3 else "no" if at % 2 else "No" for at in range(N)],
}


def test_columns_reasons_and_notes_are_those_of_rows_in_memory():
    options: dict[str, Any] = {"ignore": ["number,flag"], "holdout": 0.0}
    mine, theirs = counted(TABLE, **options), prepared(TABLE, **options)

    assert mine.columns == theirs.columns == ("gaps", "ward", "price")
    assert dict(mine.dropped) == dict(theirs.dropped)
    assert mine.notes == theirs.notes
    assert (mine.n_read, mine.n_used) == (theirs.n_read, theirs.n_used) == (N, N - 1)
    labels, sizes = np.unique(theirs.labels, return_counts=True)
    assert mine.class_sizes == {
        label: (n, 0) for label, n in zip(labels.tolist(), sizes.tolist(), strict=True)
    }


def test_what_few_rows_do_not_show_all_rows_do(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(engine_rows, "FIRST_ROWS", 50)
    late = [0] * 100 + [1] * 100
    found = counted({"late": late, "key": [f"K{at}" for at in range(N)], "one": [1] * N, "y": TABLE["flag"]})

    assert found.columns == ("late",)
    assert dict(found.dropped) == {"key": f"an identifier: {N} values in {N} rows", "one": "constant"}


def test_an_infinite_value_is_a_reason():
    column = [*[1.0, 2.0] * 50, np.inf, -np.inf]
    found = counted(
        {"bad": column, "low": [-abs(each) for each in column], "good": [1, 2] * 51, "y": [0, 1] * 51}
    )

    assert found.columns == ("good",)
    advice = "Replace it by a number, or by NaN if it is missing"
    assert {each.why for each in found.dropped} == {f"has an infinite value (-inf). {advice}"}


@pytest.mark.parametrize(
    "values",
    [
        [True, False] * 50,
        [1, 2] * 50,
        [1.0, 0.0, None, 0.0] * 25,
        [1.5, 2.0] * 50,
        [Decimal("1.5"), Decimal("2")] * 50,
        ["a", "b"] * 50,
        pa.array(["a", "b"] * 50).dictionary_encode(),
        [float("nan"), 1.0, 2.0, 1.0] * 25,
    ],
    ids=lambda each: str(each)[:40],
)
def test_classes_are_those_of_rows_in_memory(values: Any):
    columns = {"x": [*range(50), *range(50)], "y": values}
    found = counted(columns, holdout=0.0)
    theirs = prepared(columns, holdout=0.0).labels
    mine = found.table.to_pyarrow()[found.label].to_pylist()

    assert mine == theirs.tolist()
    assert [type(label) for label in found.class_sizes] == [
        type(label) for label in sorted(set(theirs.tolist()))
    ]


def test_two_sides_of_a_limit():
    columns = {"x": [1, 2] * 50, "y": [None, *range(99)]}
    found = counted(columns, above=9.5, holdout=0.0)

    assert found.class_sizes == {"y <= 9.5": (10, 0), "y > 9.5": (89, 0)}
    assert found.notes == ("1 row without a value of 'y' left out.",)


@pytest.mark.parametrize(
    ("values", "options"),
    [
        ([1.0] * 100, {}),
        (pa.nulls(100, pa.float64()), {}),
        ([date(2020, 1, 1)] * 100, {}),
        ([[1]] * 100, {}),
        (list(range(100)), {}),
        ([f"t{at}" for at in range(100)], {}),
        (list(range(100)), {"above": 1000}),
        (list(range(100)), {"above": -1}),
        (["a", "b"] * 50, {"above": 1}),
        (pa.nulls(100, pa.float64()), {"above": 1}),
        ([1, 2] * 50, {"use": ["y"]}),
        ([1, 2] * 50, {"ignore": ["x"]}),
        ([1, 2] * 50, {"use": ["z"]}),
        ([1, 2] * 50, {"use": ["same"]}),
        ([1, 2] * 50, {"target": "zzz"}),
    ],
    ids=lambda each: str(each)[:40],
)
def test_what_is_refused_is_refused_in_the_same_words(values: Any, options: dict[str, Any]):
    columns = {"x": [1, 2, 3, 4] * 25, "same": [1] * 100, "y": values}

    assert answer(counted, columns, **options) == answer(prepared, columns, **options)


@pytest.mark.parametrize("n_rows", [0, 1])
def test_a_table_needs_rows(n_rows: int):
    columns = {"x": pa.array([1.0] * n_rows, pa.float64()), "y": pa.array(["a"] * n_rows, pa.string())}

    assert answer(counted, columns) == answer(prepared, columns)


def test_very_many_values_are_no_classes(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(engine_rows, "_MOST_VALUES", 40)
    columns = {"x": [1, 2] * 50, "n": list(range(100)), "t": [f"t{at}" for at in range(100)]}

    assert answer(counted, columns, "n") == (
        "Column 'n' has more than 40 different numbers, too many to be classes. "
        "Ask what makes it large: --above 49.5 (about half of its values are)."
    )
    assert answer(counted, columns, "t") == (
        "Column 't' has more than 40 different texts, too many to be classes. "
        "Name a column with fewer values as the target."
    )


def test_rows_are_held_out_of_each_class_that_has_enough():
    values = ["a"] * 150 + ["b"] * 150 + ["c"]
    found = counted({"x": RANDOM.normal(size=301), "y": values})
    held = found.scored.to_pyarrow()["y"].to_pylist()

    assert 60 < found.n_held < 120
    assert found.class_sizes["c"] == (1, 0)
    assert len(held) == found.n_held
    assert found.training_rows.count().to_pyarrow().as_py() == found.n_train == 301 - found.n_held
    assert {label: held.count(label) for label in "abc"} == {
        each: n for each, (_, n) in found.class_sizes.items()
    }
    assert found.notes == ("The class 'c' has a single row: it is learned, and not scored.",)


def test_a_class_of_which_all_rows_would_be_held_out_is_learned():
    """Whatever is drawn, there is a row of every class to learn from."""
    values = ["a"] * 100 + [f"c{at // 2}" for at in range(20)]
    for seed in range(5):
        found = counted({"x": RANDOM.normal(size=120), "y": values}, seed=seed, holdout=0.9)

        assert all(train for train, _ in found.class_sizes.values())
        assert any("not scored" in note for note in found.notes)
        assert found.training_rows.select("y").distinct().count().to_pyarrow().as_py() == 11


def test_too_few_rows_to_hold_any_out():
    found = counted({"x": [1, 2], "y": ["a", "b"]}, holdout=0.01)

    assert found.n_held == 0
    assert found.scored.count().to_pyarrow().as_py() == 2
    assert found.notes == ("Too few rows to hold any out: scores are those of the rows trained on.",)


def test_columns_that_differ_in_case_are_refused():
    import ibis

    rows = read_numbered_rows(in_file({"x": [1, 2], "y": ["a", "b"]}))
    from dataclasses import replace

    table = ibis.memtable(pa.table({"x": [1, 2], "X": [1, 2], "y": ["a", "b"]}))
    with pytest.raises(InputError, match="'x' and 'X' are one column in DuckDB"):
        select_engine_rows(
            replace(rows, table=table, columns=("x", "X", "y")), "rows", DUCKDB, Selection("y")
        )


RANDOM = np.random.default_rng(0)
N_ROWS = 400
COLUMNS: dict[str, Any] = {
    "a": RANDOM.random(N_ROWS) < 0.5,
    "b": RANDOM.random(N_ROWS) < 0.5,
    "x": [None if at % 9 == 0 else float(each) for at, each in enumerate(RANDOM.normal(size=N_ROWS))],
    "ward": RANDOM.choice(["A", "B", "C"], N_ROWS).tolist(),
}


def both(labels: Any, model: Any, tmp_path: Path, holdout: float = 0.3) -> tuple[Any, EngineRows, MemoryRows]:
    """A fitted model, and the rows in an engine and in memory, the same ones held out."""
    columns = COLUMNS | {"y": labels}
    rows = read_numbered_rows(in_file(columns, str(tmp_path / "rows.parquet")))
    counted = select_engine_rows(rows, "rows", DUCKDB, Selection("y", holdout=holdout))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit(model, counted.training_rows, counted.label, columns=counted.columns)
    prepared = select_rows(TableFile(pa.table(columns), "rows"), Selection("y", holdout=0.0))
    held = counted.table.select(held=counted.held_out).to_pyarrow()["held"].to_numpy(zero_copy_only=False)
    held_out = held if holdout else prepared.held_out
    return model, counted, replace(prepared, held_out=held_out, class_sizes=counted.class_sizes)


@pytest.mark.parametrize("make", [MuClassifier, PsiClassifier])
@pytest.mark.parametrize("holdout", [0.0, 0.3])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_figures_are_those_of_rows_in_memory(make: Any, holdout: float, n_classes: int, tmp_path: Path):
    noise = RANDOM.random(N_ROWS) < 0.1
    yes = (COLUMNS["a"] & COLUMNS["b"]) ^ noise
    labels = yes if n_classes == 2 else np.where(yes, "yes", np.where(COLUMNS["a"], "perhaps", "no"))
    model = make(random_state=0, device="cpu", encoder=ConceptEncoder())
    model, counted, prepared = both(labels, model, tmp_path, holdout)
    found, wanted = (rows.evaluate(model) for rows in (counted, prepared))

    assert [each.explanation for each in found.classes] == [each.explanation for each in wanted.classes]
    for mine, theirs in zip(found.classes, wanted.classes, strict=True):
        assert mine[1:4] == theirs[1:4]
        assert mine.rates.precision == pytest.approx(theirs.rates.precision, nan_ok=True)
        assert mine.rates.recall_interval == pytest.approx(theirs.rates.recall_interval)
        assert mine.rates.coverage == pytest.approx(theirs.rates.coverage)
        assert mine[5:] == pytest.approx(theirs[5:])
    assert found.truth.resolution == wanted.truth.resolution
    for figure in ("n", "network_accuracy", "guess_accuracy", "fidelity"):
        assert getattr(found, figure) == pytest.approx(getattr(wanted, figure))
    assert found.truth.accuracy == pytest.approx(wanted.truth.accuracy)


def test_of_rows_that_do_not_collapse_the_network_is_not_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    def collapse(*_: object) -> None:
        raise LimitError("too many")

    model = MuClassifier(random_state=0, device="cpu", encoder=ConceptEncoder())
    model, counted, _ = both(COLUMNS["a"], model, tmp_path)
    monkeypatch.setattr(engine_rows, "collapse", collapse)
    found = counted.evaluate(model)

    assert found.network is None
    assert np.isnan(
        [found.network_accuracy, found.fidelity, *(each.fidelity for each in found.classes)]
    ).all()
    assert found.truth.accuracy == 1.0
    assert found.leaks == ()


def test_columns_that_give_the_answers_away(tmp_path: Path):
    """Those of an honest rule are not named, and neither is one that is alone."""

    def leaks(labels: Any, **changes: Any) -> tuple[Leak, ...]:
        model = MuClassifier(random_state=0, device="cpu", encoder=ConceptEncoder())
        model, counted, _ = both(labels, model, tmp_path)
        return replace(counted, **changes).evaluate(model).leaks

    assert leaks(COLUMNS["a"]) == (Leak("a", 1.0),)
    assert leaks(COLUMNS["a"], columns=("a",)) == ()
    assert leaks(COLUMNS["a"] & COLUMNS["b"]) == ()
