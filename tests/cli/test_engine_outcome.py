"""Figures from an engine are those of the same rows in memory."""

from __future__ import annotations

import warnings
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from logiclens import MuClassifier, PsiClassifier
from logiclens.cli import engine_outcome, outcome
from logiclens.cli.counting import Counted, count_table
from logiclens.cli.engine_outcome import measure, scored_tuples, telling_columns
from logiclens.cli.engines import Drawn
from logiclens.cli.leaks import Telling
from logiclens.cli.preparing import Prepared, Wish, prepare
from logiclens.concepts import ConceptEncoder
from logiclens.errors import LimitError
from logiclens.scale._engine_fit import fit
from logiclens.scale._numbered_rows import read_numbered_rows
from tests.cli.in_files import in_file

RANDOM = np.random.default_rng(0)
N = 400
COLUMNS: dict[str, Any] = {
    "a": RANDOM.random(N) < 0.5,
    "b": RANDOM.random(N) < 0.5,
    "x": [None if at % 9 == 0 else float(each) for at, each in enumerate(RANDOM.normal(size=N))],
    "ward": RANDOM.choice(["A", "B", "C"], N).tolist(),
}


def both(labels: Any, model: Any, tmp_path: Path, holdout: float = 0.3) -> tuple[Any, Counted, Prepared]:
    """A fitted model, and the rows in an engine and in memory, the same ones held out."""
    columns = COLUMNS | {"y": labels}
    rows = read_numbered_rows(in_file(columns, str(tmp_path / "rows.parquet")))
    counted = count_table(rows, "rows", Wish("y", holdout=holdout))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit(model, counted.trained_on, counted.label, columns=counted.columns)
    prepared = prepare(Drawn(pa.table(columns), "rows", ()), Wish("y", holdout=0.0))
    held = counted.table.select(held=counted.held_out).to_pyarrow()["held"].to_numpy(zero_copy_only=False)
    return model, counted, replace(prepared, held_out=held if holdout else prepared.held_out)


@pytest.mark.parametrize("make", [MuClassifier, PsiClassifier])
@pytest.mark.parametrize("holdout", [0.0, 0.3])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_figures_are_those_of_rows_in_memory(make: Any, holdout: float, n_classes: int, tmp_path: Path):
    noise = RANDOM.random(N) < 0.1
    yes = (COLUMNS["a"] & COLUMNS["b"]) ^ noise
    labels = yes if n_classes == 2 else np.where(yes, "yes", np.where(COLUMNS["a"], "perhaps", "no"))
    model = make(random_state=0, device="cpu", encoder=ConceptEncoder())
    model, counted, prepared = both(labels, model, tmp_path, holdout)
    found = measure(model, counted, scored_tuples(model, counted))
    wanted = outcome.measure(model, prepared)

    assert [each.explanation for each in found.classes] == [each.explanation for each in wanted.classes]
    for mine, theirs in zip(found.classes, wanted.classes, strict=True):
        assert mine[:1] + mine[2:4] == theirs[:1] + theirs[2:4]
        assert mine.scores.precision == pytest.approx(theirs.scores.precision, nan_ok=True)
        assert mine.scores.recall_interval == pytest.approx(theirs.scores.recall_interval)
        assert mine.scores.coverage == pytest.approx(theirs.scores.coverage)
        assert mine[5:] == pytest.approx(theirs[5:])
    assert found.resolution == wanted.resolution
    mine, theirs = (astuple(replace(each, classes=(), resolution=0))[1:] for each in (found, wanted))
    assert mine == pytest.approx(theirs)


def test_of_rows_that_do_not_collapse_the_network_is_not_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    def collapse(*_: object) -> None:
        raise LimitError("too many")

    model = MuClassifier(random_state=0, device="cpu", encoder=ConceptEncoder())
    model, counted, _ = both(COLUMNS["a"], model, tmp_path)
    monkeypatch.setattr(engine_outcome, "collapse", collapse)
    tuples = scored_tuples(model, counted)
    found = measure(model, counted, tuples)

    assert tuples is None
    assert np.isnan(
        [found.network_accuracy, found.fidelity, *(each.fidelity for each in found.classes)]
    ).all()
    assert found.rules_accuracy == 1.0
    assert telling_columns(model.explain(), counted, tuples) == ()


def test_columns_that_give_the_answers_away(tmp_path: Path):
    model = MuClassifier(random_state=0, device="cpu", encoder=ConceptEncoder())
    model, counted, _ = both(COLUMNS["a"], model, tmp_path)
    tuples = scored_tuples(model, counted)

    assert telling_columns(model.explain(), counted, tuples) == (Telling("a", 1.0),)
    assert telling_columns(model.explain(), replace(counted, columns=("a",)), tuples) == ()


def test_columns_of_an_honest_rule_are_not_named(tmp_path: Path):
    model = MuClassifier(random_state=0, device="cpu", encoder=ConceptEncoder())
    model, counted, _ = both(COLUMNS["a"] & COLUMNS["b"], model, tmp_path)

    assert telling_columns(model.explain(), counted, scored_tuples(model, counted)) == ()
