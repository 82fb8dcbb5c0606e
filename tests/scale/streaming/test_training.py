"""A step on a stream is the step of the ordinary training; training goes on where it stopped."""

from __future__ import annotations

import copy
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from logiclens.estimators import EntropyClassifier, MuClassifier, PsiClassifier, ReluClassifier
from logiclens.estimators.balancing import COUNTED, EVEN
from logiclens.estimators.counting import Fold
from logiclens.estimators.fitting import train_folds
from logiclens.estimators.inputs import Inputs
from logiclens.estimators.targets import Problem
from logiclens.estimators.weighing import answers_of
from logiclens.nn.criteria import iff_loss
from logiclens.nn.descent import AutogradDescent
from logiclens.nn.plan import Plan
from logiclens.scale.streaming import training
from logiclens.scale.streaming.aims import Aim
from logiclens.scale.streaming.batches import Batch, Stream
from logiclens.scale.streaming.checkpoint import Checkpoint
from logiclens.scale.streaming.processes import Crew
from logiclens.scale.streaming.training import (
    Course,
    Weighing,
    clearly_worse,
    narrowed,
    read_columns,
    tune,
)
from tests.scale.streaming.test_batches import stream_of

CLASSIFIERS = [MuClassifier, EntropyClassifier, PsiClassifier, ReluClassifier]
ALONE = Crew(0, 1, torch.device("cpu"))
PLAN = Plan(iff_loss, learning_rate=0.05)
NONE = np.zeros(0, dtype=np.intp)


def population(classifier: Any, n_concepts: int = 5, n_outputs: int = 1) -> Any:
    """A pruned network for each output, trained a little."""
    return copy.deepcopy(_population(classifier, n_concepts, n_outputs))


@cache
def _population(classifier: Any, n_concepts: int, n_outputs: int) -> Any:
    random = np.random.default_rng(0)
    x = random.random((100, n_concepts))
    y = random.random((100, n_outputs))
    model = classifier(epochs=6, random_state=0, hidden=(4,))
    recipe = model.recipe(Inputs(x, tuple(map(str, range(n_concepts))), True, ()))
    return train_folds(recipe.population, recipe.plan, x, y, [Fold(np.ones(100), np.zeros(100))])[0].network


def weighing_of(stream: Stream) -> Weighing:
    return Weighing.of(stream.aim, Problem.BINARY, np.ones(2), NONE, COUNTED)


@pytest.mark.parametrize("balance", [COUNTED, EVEN])
@pytest.mark.parametrize("labels", [2, 3])
def test_rows_weigh_what_they_weigh_in_an_ordinary_fit(labels: int, balance: Any):
    read = np.random.default_rng(0).integers(0, labels, 50)
    problem = Problem.BINARY if labels == 2 else Problem.SINGLE_LABEL
    aim = Aim(("y",), tuple("abc"[:labels]), False, np.bincount(read) + 0.0, 50)
    held_out = read[40:]
    by_label = np.array([2.0, 1.0, 0.5])[:labels]

    weighing = Weighing.of(aim, problem, by_label, held_out, balance)

    outputs = aim.outputs(read[:40], problem).T
    fold = Fold(by_label[read[:40]], np.zeros(40))
    groups = [(0, output) for output in range(outputs.shape[1])]
    answers = answers_of(outputs, [fold], groups, torch.arange(40), 40)
    rows = answers.weighted(torch.zeros(40, 1), 1, balance)
    yes, no = weighing.answers(read[:40])
    np.testing.assert_allclose(yes, rows.yes.numpy(), rtol=1e-5)
    np.testing.assert_allclose(no, rows.no.numpy(), rtol=1e-5)


def test_soft_outputs_weigh_as_in_an_ordinary_fit():
    outputs = np.random.default_rng(0).random((60, 2)) ** 3
    aim = Aim(("a", "b"), ("a", "b"), True, outputs.sum(axis=0), 60)

    weighing = Weighing.of(aim, Problem.MULTI_LABEL, np.ones(2), outputs[50:].T, COUNTED)

    fold = Fold(np.ones(50), np.zeros(50))
    answers = answers_of(outputs[:50], [fold], [(0, 0), (0, 1)], torch.arange(50), 50)
    rows = answers.weighted(torch.zeros(50, 1), 1, COUNTED)
    yes, no = weighing.answers(outputs[:50].T)
    np.testing.assert_allclose(yes, rows.yes.numpy(), rtol=1e-5)
    np.testing.assert_allclose(no, rows.no.numpy(), rtol=1e-5)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_a_network_reads_its_own_columns_alone(classifier: Any):
    network = population(classifier, n_concepts=40)
    x = torch.rand(30, 40, generator=torch.Generator().manual_seed(0))
    columns = read_columns(network)

    small = narrowed(network, columns)

    assert torch.allclose(small(x[:, columns]), network(x), atol=1e-6)
    assert torch.allclose(small.penalty(), network.penalty())
    assert classifier is ReluClassifier or len(columns) < 40
    small.widen(torch.as_tensor(columns), 40)
    assert torch.allclose(small(x), network(x), atol=1e-6)
    assert torch.equal(small.kept(), network.kept())


@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize("numbers", [1 << 21, 1])
def test_a_step_is_one_of_the_ordinary_training(
    folder: Path, monkeypatch: pytest.MonkeyPatch, classifier: Any, numbers: int
):
    monkeypatch.setattr(training, "_NUMBERS", numbers)  # rows all at once, and part by part
    monkeypatch.setattr(training, "_FEWEST", 100)
    monkeypatch.setattr(training, "RATE", 1.0)
    stream = stream_of(folder, 1200)
    weighing = weighing_of(stream)
    network = population(classifier)
    twin = copy.deepcopy(network)
    (batch,) = stream.batches(0)

    curve = tune(network, stream, weighing, Course(PLAN, 1), ALONE)

    rows = torch.as_tensor(batch.x).T
    yes, no = (
        torch.as_tensor(part, dtype=torch.float32).repeat_interleave(twin.members, dim=0)
        for part in weighing.answers(batch.read)
    )
    descent = AutogradDescent(twin)
    examples = training_examples(twin, rows, yes, no)
    losses = descent.step(examples, iff_loss, PLAN.learning_rate, PLAN.epsilon)
    assert curve.shape == (1, twin.members)
    np.testing.assert_allclose(curve[0], losses.numpy(), rtol=1e-5)
    for ours, theirs in zip(network.parameters(), twin.parameters(), strict=True):
        assert torch.allclose(ours, theirs, atol=1e-4)


def training_examples(network: Any, rows: Any, yes: Any, no: Any) -> Any:
    from logiclens.nn.descent import Examples

    x = network.gather(rows)
    return Examples(x, yes, no, x)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_training_goes_down(folder: Path, classifier: Any):
    network = population(classifier)
    stream = stream_of(folder, 60)

    curve = tune(network, stream, weighing_of(stream), Course(PLAN, 6), ALONE)

    assert len(curve) == sum(stream.n_batches(epoch) for epoch in range(6))
    assert (curve[-10:].mean(axis=0) < curve[:5].mean(axis=0)).all()


@pytest.fixture(scope="module")
def undisturbed(folder: Path) -> tuple[Any, Any]:
    """A network whose training did not stop, and its losses."""
    stream, network = stream_of(folder, 60), population(MuClassifier)
    curve = tune(network, stream, weighing_of(stream), Course(PLAN, 2), ALONE)
    return network, curve


@pytest.mark.parametrize("at", [1, 7, 19, 20, 21, 40])
def test_a_training_that_stopped_goes_on(folder: Path, tmp_path: Path, undisturbed: Any, at: int):
    stream = stream_of(folder, 60)
    weighing = weighing_of(stream)
    whole, expected = undisturbed
    parts, again = population(MuClassifier), population(MuClassifier)
    total = sum(stream.n_batches(epoch) for epoch in range(2))

    class Stopped(Exception):
        pass

    def stop(share: float) -> None:
        if round(share * total) == at:
            raise Stopped

    def course(told: Any) -> Course:
        return Course(PLAN, 2, Checkpoint.at(tmp_path, {}), every=3, told=told)

    with pytest.raises(Stopped):
        tune(parts, stream, weighing, course(stop), ALONE)
    curve = tune(again, stream, weighing, course(lambda _: None), ALONE)

    np.testing.assert_array_equal(curve, expected)
    for ours, theirs in zip(again.parameters(), whole.parameters(), strict=True):
        assert torch.equal(ours, theirs)


def test_the_rate_falls_to_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch):
    rates: list[float] = []
    original = training._Descent.step
    monkeypatch.setattr(training._Descent, "step", lambda *args: rates.append(args[3]) or original(*args))
    stream = stream_of(folder, 400)

    tune(population(MuClassifier), stream, weighing_of(stream), Course(PLAN, 2), ALONE)

    assert rates == pytest.approx(0.1 * 0.05 * np.array([1, 5 / 6, 4 / 6, 3 / 6, 2 / 6, 1 / 6]))


def test_a_network_that_got_clearly_worse_is_told(folder: Path):
    stream = stream_of(folder, 1200)
    weighing = weighing_of(stream)
    network = population(MuClassifier)
    tune(network, stream_of(folder, 30), weighing, Course(PLAN, 5), ALONE)
    (batch,) = stream.batches(0)
    worse = copy.deepcopy(network)
    with torch.no_grad():
        worse.linears[-1].weight[0] *= -1

    found = clearly_worse(worse, network, batch, weighing, iff_loss)

    assert found.tolist() == [True] + [False] * (network.members - 1)
    assert not clearly_worse(network, worse, batch, weighing, iff_loss).any()


def test_a_process_without_rows_takes_part(folder: Path):
    stream = stream_of(folder)
    network = population(MuClassifier)
    descent = training._Descent(network, weighing_of(stream), PLAN, ALONE)

    losses = descent.step(Batch(np.zeros((5, 0), np.float32), NONE, 10), 1200, 0.01)

    assert torch.allclose(losses, network.penalty().double(), atol=0.05)
