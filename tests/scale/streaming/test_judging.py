"""Rates of rules on all rows are those that an ordinary fit gives on the same rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from logiclens.estimators import EntropyClassifier, MuClassifier, PsiClassifier, ReluClassifier
from logiclens.logic import FALSE
from logiclens.scale.streaming.aims import aim_of, count_targets
from logiclens.scale.streaming.batches import divided
from logiclens.scale.streaming.judging import count_rules, judged
from logiclens.scale.streaming.source import ParquetSource
from tests.scale.streaming.making import NAMES, whole, write


def rates(model: Any, path: Path, *targets: str, size: int = 1, by_label: Any = None) -> Any:
    source = ParquetSource.of(path)
    aim = aim_of([count_targets(source, source.groups, targets)], targets, source.n_rows)
    by_label = np.ones(len(aim.labels)) if by_label is None else by_label
    sums = [
        count_rules(
            model.explanations_,
            model.network_,
            source,
            divided(source.groups, rank, size),
            aim,
            model.problem_,
            by_label,
        )
        for rank in range(size)
    ]
    return judged(model.explanations_, np.sum(sums, axis=0), source.n_rows, float(source.n_rows))


def assert_alike(ours: Any, theirs: Any) -> None:
    assert ours.default == theirs.default
    assert ours.steps == theirs.steps
    for label in theirs:
        assert ours[label].formula == theirs[label].formula
        assert ours[label].support == pytest.approx(theirs[label].support)
        a, b = vars(ours[label].scores), vars(theirs[label].scores)
        assert a.keys() == b.keys()
        for name, value in b.items():
            assert a[name] == (pytest.approx(value) if isinstance(value, float) else value)


@pytest.mark.parametrize("classifier", [MuClassifier, EntropyClassifier, PsiClassifier, ReluClassifier])
def test_rates_are_those_of_an_ordinary_fit(folder: Path, classifier: Any):
    table = whole(folder)
    x = {name: table[name].to_numpy() for name in NAMES}
    model = classifier(random_state=0, epochs=40, restarts=1, encoder=None).fit(x, table["y"].to_numpy())

    for size in (1, 2):
        assert_alike(rates(model, folder, "y", size=size), model.explanations_)


def test_rates_of_several_outputs(tmp_path: Path):
    random = np.random.default_rng(0)
    x = {name: random.random(600) for name in ("a", "b", "c")}
    y = np.column_stack([(x["a"] > 0.5) & (x["b"] > 0.5), x["c"] > 0.8]) * 1.0
    path = write(tmp_path / "a.parquet", {**x, "both": y[:, 0], "high": y[:, 1]}, 250)
    import pandas as pd

    model = MuClassifier(random_state=0, epochs=60, restarts=1, encoder=None)
    model.fit(pd.DataFrame(x), pd.DataFrame(y, columns=["both", "high"]))

    assert_alike(rates(model, path, "both", "high"), model.explanations_)


def test_a_rule_that_never_holds(folder: Path):
    table = whole(folder)
    x = {name: table[name].to_numpy() for name in NAMES}
    model = MuClassifier(random_state=0, epochs=10, restarts=1, encoder=None).fit(x, table["y"].to_numpy())
    from dataclasses import replace

    never = [replace(e, rule=replace(e.rule, formula=FALSE)) for e in model.explanations_.explanations]
    model.explanations_ = replace(model.explanations_, explanations=tuple(never))

    found = rates(model, folder, "y")

    assert found["no"].scores.precision is None
    assert found["no"].scores.coverage == 0.0
    assert found.default == "yes"  # the most frequent of the rows left, which are all
