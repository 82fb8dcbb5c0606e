"""Training what a command asks for."""

from __future__ import annotations

import numpy as np
import pytest

import logiclens
from logiclens.cli import learning
from logiclens.cli.choices import Kind, Network
from logiclens.cli.demo import DemoData, carried
from logiclens.cli.learning import METRICS, Settings, classifier, cross_validated
from logiclens.cli.preparing import Wish, prepare
from logiclens.cli.progress import Progress


@pytest.mark.parametrize("network", Network)
def test_settings_arrive(network: Network):
    model = classifier(Settings(network, Kind.ONLY_IF, 7, 4, "cpu"), verbose=True)

    assert type(model).__name__ == f"{network.value.capitalize()}Classifier"
    assert (model.rule, model.random_state, model.max_literals, model.verbose) == ("only_if", 7, 4, True)
    assert isinstance(model.encoder, logiclens.ConceptEncoder)


def test_the_length_of_rules_is_free_unless_it_is_set():
    assert (classifier(Settings()).max_literals, classifier(Settings()).literals) == ("auto", "auto")
    model = classifier(Settings(literals=8, distillation=1.0))
    assert (model.max_literals, model.literals, model.distillation) == ("auto", 8, 1.0)


def test_the_front_goes_as_far_as_the_length_that_is_asked_for():
    assert classifier(Settings(literals=80)).max_literals == 80
    assert classifier(Settings(literals=8, max_literals=5)).max_literals == 8


def test_rows_held_out_are_not_trained_on():
    prepared = prepare(carried(DemoData.IRIS), Wish("species"))
    model = learning.trained(prepared, Settings(), Progress(False))
    rows, labels = prepared.rows(~prepared.held_out)

    assert len(labels) == 105
    assert model.vocabulary_ == logiclens.ConceptEncoder().fit(rows, labels).vocabulary_


def test_metrics_are_means_over_folds():
    prepared = prepare(carried(DemoData.IRIS), Wish("species"))
    found = cross_validated(prepared, Settings(), 2, Progress(False))
    scores = logiclens.cross_explain(classifier(Settings()), prepared.inputs, prepared.labels, cv=2)
    accuracies = np.asarray(scores["model_accuracy"])

    assert list(found) == list(METRICS)
    assert found["model_accuracy"].mean == pytest.approx(accuracies.mean())
    assert found["model_accuracy"].standard_error == pytest.approx(abs(np.diff(accuracies)[0]) / 2)
    assert np.isnan(found["time"].standard_error)
