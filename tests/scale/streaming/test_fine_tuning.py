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
from logiclens.estimators.folds import RowSplit
from logiclens.estimators.inputs_and_targets import Inputs, Problem, Targets
from logiclens.estimators.networks import Trained, train_networks
from logiclens.nn._descent import AutogradDescent, Examples
from logiclens.nn.criteria import SoftmaxLoss, iff_loss
from logiclens.scale import _fit_streaming
from logiclens.scale._checkpoint import Checkpoint
from logiclens.scale._fit_streaming import (
    Processes,
    StreamLoss,
    fine_tune,
    kept_columns,
    on_columns,
    restore_network,
    store_network,
)
from logiclens.scale._parquet_source import TargetColumns
from logiclens.scale._sampling import MiniBatch, MiniBatches
from tests.scale.streaming.test_sampling import stream_of

CLASSIFIERS = [MuClassifier, EntropyClassifier, PsiClassifier, ReluClassifier]
ALONE = Processes(0, 1, torch.device("cpu"))
NONE = np.zeros(0, dtype=np.intp)


def network_of(classifier: Any, n_concepts: int = 5) -> Any:
    """A pruned network, trained a little."""
    return copy.deepcopy(_trained(classifier, n_concepts).network).float()


@cache
def _trained(classifier: Any, n_concepts: int) -> Trained[Any]:
    random = np.random.default_rng(0)
    x = random.random((100, n_concepts))
    targets = Targets(("no", "yes"), Problem.BINARY, random.random((100, 1)).round())
    few = {"max_concepts": 4} if classifier.prunes_inputs else {}
    model = classifier(epochs=6, random_state=0, hidden=(4,), **few)
    recipe = model.recipe(Inputs(x, tuple(map(str, range(n_concepts))), True, ()), targets)
    fold = RowSplit(np.ones(100), np.zeros(100))
    return train_networks(recipe.population, recipe.plan, x, targets, [fold])[0]


def loss_of(stream: MiniBatches) -> StreamLoss:
    return StreamLoss.of(stream.targets, Problem.BINARY, NONE, iff_loss)


@pytest.mark.parametrize(
    "problem", [Problem.BINARY, Problem.SINGLE_LABEL, Problem.OUTPUT_BY_OUTPUT, Problem.MULTI_LABEL]
)
def test_a_constant_answer_has_loss_1_on_the_rows_that_are_trained_on(problem: Problem):
    random = np.random.default_rng(0)
    if problem is Problem.MULTI_LABEL:
        truth: Any = random.random((2, 60)) ** 3
        targets = TargetColumns(("a", "b"), ("a", "b"), True, truth.sum(axis=1), 60)
    else:
        labels = 2 if problem is Problem.BINARY else 3
        truth = random.integers(0, labels, 60)
        targets = TargetColumns(("y",), tuple("abc"[:labels]), False, np.bincount(truth) + 0.0, 60)
    left, held_out = truth[..., :45], truth[..., 45:]

    loss = StreamLoss.of(targets, problem, held_out, iff_loss)

    yes, no = (torch.as_tensor(part) for part in loss.yes_and_no(left))
    share = yes.sum(dim=1, keepdim=True) / (yes + no).sum(dim=1, keepdim=True)
    joint = problem is Problem.SINGLE_LABEL
    assert isinstance(loss.criterion, SoftmaxLoss) == joint
    logits = share.log() if joint else torch.logit(share)
    assert torch.allclose(loss.criterion(logits.expand_as(yes), yes, no), torch.ones(()).double())


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_a_network_reads_its_own_columns_alone(classifier: Any):
    network = network_of(classifier, n_concepts=40)
    x = torch.rand(30, 40, generator=torch.Generator().manual_seed(0))
    columns = kept_columns(network)

    small = on_columns(network, columns)

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
    monkeypatch.setattr(_fit_streaming, "_NUMBERS", numbers)  # rows all at once, and part by part
    monkeypatch.setattr(_fit_streaming, "_FEWEST", 100)
    stream = stream_of(folder, 1200)
    loss = loss_of(stream)
    network = network_of(classifier)
    twin = copy.deepcopy(network)
    (batch,) = stream.batches(0)

    curve = fine_tune(network, stream, loss, ALONE, rate=0.05)

    rows = torch.as_tensor(batch.x).T
    yes, no = (torch.as_tensor(part, dtype=torch.float32) for part in loss.yes_and_no(batch.truth))
    descent = AutogradDescent(twin)
    x = twin.gather(rows)
    examples = Examples(x, yes, no, None, x)
    losses = descent.step(examples, iff_loss, 0.05)
    assert curve.shape == (1, twin.members)
    np.testing.assert_allclose(curve[0], losses.numpy(), rtol=1e-5)
    for ours, theirs in zip(network.parameters(), twin.parameters(), strict=True):
        assert torch.allclose(ours, theirs, atol=1e-4)


@pytest.fixture(scope="module")
def undisturbed(folder: Path) -> tuple[Any, Any]:
    """A network whose training did not stop, and its losses."""
    stream, network = stream_of(folder, 60), network_of(MuClassifier)
    return network, fine_tune(network, stream, loss_of(stream), ALONE, rate=0.005, epochs=2)


@pytest.mark.parametrize("at", [1, 7, 19, 20, 21, 40])
def test_a_training_that_stopped_goes_on(folder: Path, tmp_path: Path, undisturbed: Any, at: int):
    stream = stream_of(folder, 60)
    loss = loss_of(stream)
    whole, expected = undisturbed
    parts, again = network_of(MuClassifier), network_of(MuClassifier)
    total = sum(stream.n_batches(epoch) for epoch in range(2))

    class Stopped(Exception):
        pass

    def stop(share: float) -> None:
        if round(share * total) == at:
            raise Stopped

    settings: dict[str, Any] = {"rate": 0.005, "epochs": 2, "every": 3}
    settings["checkpoint"] = Checkpoint.at(tmp_path, {})
    with pytest.raises(Stopped):
        fine_tune(parts, stream, loss, ALONE, progress=stop, **settings)
    curve = fine_tune(again, stream, loss, ALONE, **settings)

    np.testing.assert_array_equal(curve, expected)
    for ours, theirs in zip(again.parameters(), whole.parameters(), strict=True):
        assert torch.equal(ours, theirs)


def test_the_rate_falls_to_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch):
    rates: list[float] = []
    original = _fit_streaming._BatchDescent.step
    monkeypatch.setattr(
        _fit_streaming._BatchDescent, "step", lambda *args: rates.append(args[3]) or original(*args)
    )
    stream = stream_of(folder, 400)

    fine_tune(network_of(MuClassifier), stream, loss_of(stream), ALONE, rate=0.005, epochs=2)

    assert rates == pytest.approx(0.005 * np.array([1, 5 / 6, 4 / 6, 3 / 6, 2 / 6, 1 / 6]))


def test_a_process_without_rows_takes_part(folder: Path):
    stream = stream_of(folder)
    network = network_of(MuClassifier)
    descent = _fit_streaming._BatchDescent(network, loss_of(stream), ALONE)

    losses = descent.step(MiniBatch(np.zeros((5, 0), np.float32), NONE, 10), 1200, 0.01)

    assert torch.allclose(losses, network.penalty().double(), atol=0.05)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_a_network_is_kept_to_the_bit(classifier: Any, tmp_path: Path):
    trained = _trained(classifier, 9)
    checkpoint = Checkpoint.at(tmp_path, {})
    checkpoint.write("network", store_network(trained))
    stored = checkpoint.read("network")
    assert stored is not None
    inputs = Inputs(np.zeros((0, 9)), tuple("abcdefghi"), True, ())
    targets = Targets(("no", "yes"), Problem.BINARY, np.zeros((0, 1)))
    population = classifier(random_state=0, hidden=(4,)).recipe(inputs, targets).population

    again = restore_network(stored, population)

    rows = torch.as_tensor(np.random.default_rng(0).random((50, 9)))
    assert torch.equal(again.network(rows), trained.network(rows))
    assert torch.equal(again.network.penalty(), trained.network.penalty())
    assert torch.equal(again.network.kept(), trained.network.kept())
    for name in ("loss_curve", "n_iter", "converged", "penalty"):
        np.testing.assert_array_equal(getattr(again, name), getattr(trained, name))
    assert vars(again.network).keys() == vars(trained.network).keys()
