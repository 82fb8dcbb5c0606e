"""Figures on rows that were held out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from logiclens.cli import learning
from logiclens.cli.demo import DemoData, carried
from logiclens.cli.learning import Settings
from logiclens.cli.outcome import measure, outcome_of
from logiclens.cli.preparing import Wish, prepare
from logiclens.cli.progress import Progress


@pytest.fixture
def prepared():
    return prepare(carried(DemoData.IRIS), Wish("species"))


@pytest.fixture
def model(prepared):
    return learning.trained(prepared, Settings(), Progress(False))


def test_figures_are_those_of_the_rows_held_out(prepared, model):
    found = measure(model, prepared)
    rows, truth = prepared.rows(prepared.held_out)
    rules = model.explain()

    assert found.held_out
    assert (found.n_train, found.n) == (105, 45)
    assert found.network_accuracy == model.score(rows, truth)
    assert found.rules_accuracy == rules.score(rows, truth)
    assert found.guess_accuracy == pytest.approx(1 / 3)
    assert found.fidelity == (rules.predict(rows) == model.predict(rows)).mean()
    for at, (label, each) in enumerate(zip(rules, found.classes, strict=True)):
        fired = rules[label].evaluate(rows)
        assert (each.label, each.n_all, each.n) == (label, 50, 15)
        assert each.fidelity == (fired == model.decide(rows)[:, at]).mean()
        assert each.agreement == (fired == (truth == label)).mean()


def test_without_rows_held_out_all_are_scored(prepared, model):
    found = measure(model, replace(prepared, held_out=np.zeros_like(prepared.held_out)))

    assert not found.held_out
    assert (found.n_train, found.n) == (150, 150)


def test_a_rule_by_itself(prepared, model):
    rows, truth = prepared.rows(prepared.held_out)
    found = outcome_of(model.explain()["setosa"], rows, truth == "setosa")

    assert found.n == found.n_all == 15
    assert found.fidelity == found.agreement
