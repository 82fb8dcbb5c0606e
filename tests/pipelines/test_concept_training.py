"""The loop that trains concept models: what is kept, what repeats, what is refused."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from torch import Tensor, nn

from logiclens.errors import InputError
from logiclens.pipelines._concept_training import (
    ConceptPlan,
    concept_logits,
    concept_loss,
    mean_loss,
    read_raw,
    seeded,
    train_concepts,
)
from tests.pipelines.raw_toys import linear, plane

X, _, CONCEPTS = plane()
INPUTS, TARGETS = torch.from_numpy(X), torch.from_numpy(CONCEPTS).float()
ROWS, CHECK = torch.arange(0, 120), torch.arange(120, 160)
NOTHING = torch.arange(0)


def train(
    model: nn.Module,
    rows: Tensor = ROWS,
    check: Tensor = CHECK,
    loss: Any = None,
    fit: dict[str, Any] | None = None,
    **settings: Any,
) -> Any:
    plan = ConceptPlan(**{"epochs": 10, "learning_rate": 0.2, "batch_size": 32} | settings)
    loss = concept_loss(TARGETS) if loss is None else loss
    return train_concepts(model, INPUTS, loss, (rows, check), plan, seed=0, **fit or {})


def loss_on(model: nn.Module, rows: Tensor) -> float:
    return mean_loss(model, INPUTS, concept_loss(TARGETS), rows, ConceptPlan())


def test_the_weights_of_least_validation_loss_are_kept():
    """A learning rate far too high makes later epochs worse."""
    model = linear()
    history = train(model, learning_rate=30.0, epochs=6)

    assert history.best == history.check.argmin()
    assert loss_on(model, CHECK) == pytest.approx(history.check.min(), rel=1e-5)
    assert not model.training


def test_training_ends_when_patience_does():
    """What is good for the rows to learn from is bad for those held out."""

    def opposed(logits: Tensor, rows: Tensor) -> Tensor:
        return (logits**2).mean(dim=1) * torch.where(rows < len(ROWS), 1.0, -1.0)

    history = train(linear(), loss=opposed, epochs=50, learning_rate=0.1, batch_size=64, patience=3)

    assert len(history.train) < 50
    assert len(history.train) - 1 - history.best == 3


def test_without_rows_held_out_the_last_weights_stay():
    model = linear()
    history = train(model, check=NOTHING, epochs=4)

    assert history.best == 3
    assert np.isnan(history.check).all()
    assert loss_on(model, ROWS) < loss_on(linear(), ROWS)


def test_first_weights_stay_where_nothing_is_better():
    model = linear()
    train(model, epochs=40, patience=40)
    settled = copy.deepcopy(model.state_dict())
    history = train(model, epochs=2, learning_rate=50.0, fit={"keep_first": True})

    assert history.best == -1
    assert all(torch.equal(settled[name], value) for name, value in model.state_dict().items())


def test_inputs_are_changed_at_random_only_while_training():
    seen: list[int] = []

    def count_rows(batch: Tensor) -> Tensor:
        assert torch.is_grad_enabled()
        seen.append(len(batch))
        return batch

    train(linear(), augment=count_rows, epochs=2)

    assert sum(seen) == 2 * len(ROWS)


@pytest.mark.parametrize(
    ("n_rows", "batch_size", "sizes"), [(65, 64, {32, 33}), (64, 64, {64}), (3, 64, {3})]
)
def test_batches_are_of_about_equal_size(n_rows, batch_size, sizes):
    """A last batch of one row would stop batch normalization."""
    seen = set()

    def note(batch: Tensor) -> Tensor:
        seen.add(len(batch))
        return batch

    model = nn.Sequential(nn.BatchNorm1d(2), linear())
    train(model, torch.arange(n_rows), NOTHING, epochs=1, batch_size=batch_size, augment=note)

    assert seen == sizes


def test_weights_of_rows_count():
    weight = torch.zeros(len(X))
    weight[:80] = 2.0
    plan = ConceptPlan()
    half = mean_loss(linear(), INPUTS, concept_loss(TARGETS), torch.arange(80), plan)
    whole = mean_loss(linear(), INPUTS, concept_loss(TARGETS, weight), torch.arange(160), plan)

    assert whole == pytest.approx(half, rel=1e-5)


def test_frozen_parameters_stay():
    model = linear()
    model.bias.requires_grad_(False)
    before = model.bias.clone()
    train(model)

    assert torch.equal(before, model.bias)


def test_progress_is_told():
    told: list[float] = []
    train(linear(), check=NOTHING, epochs=4, fit={"progress": told.append})

    assert told == [0.25, 0.5, 0.75, 1.0]


def test_a_loss_that_is_not_finite_is_named():
    with pytest.raises(InputError, match="The loss of the concept model is no longer finite after"):
        train(linear(), loss=lambda logits, _: logits.sum(dim=1) * torch.inf)


def test_random_numbers_and_flags_are_put_back():
    flags = torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark
    state = torch.get_rng_state()
    with seeded(3, torch.device("cpu")):
        first = torch.rand(2)
        assert torch.backends.cudnn.deterministic
    with seeded(3, torch.device("cpu")):
        second = torch.rand(2)

    assert torch.equal(first, second)
    assert torch.equal(state, torch.get_rng_state())
    assert flags == (torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark)


# --- asking ---


@pytest.mark.parametrize(
    ("model", "text"),
    [
        (nn.Flatten(0), "Got shape (4,) for 2 rows."),
        (nn.Unflatten(1, (2, 1)), "Got shape (2, 2, 1) for 2 rows."),
    ],
)
def test_outputs_of_another_shape(model, text):
    with pytest.raises(InputError) as info:
        concept_logits(model, INPUTS[:2], 2)

    assert str(info.value) == (
        f"concept_model must map n rows to concept logits of shape (n, n_concepts). {text}"
    )


def test_outputs_that_are_not_finite():
    with pytest.raises(InputError, match="concept_model has outputs that are not finite"):
        concept_logits(nn.Threshold(10.0, torch.inf), INPUTS, 8)


def test_no_rows_to_ask_about():
    assert concept_logits(linear(), INPUTS[:0], 8).shape == (0, 2)


# --- reading ---


def test_bytes_stay_bytes_and_other_numbers_become_single_precision():
    assert read_raw(np.zeros((2, 3, 4, 4), dtype=np.uint8)).dtype == torch.uint8
    assert read_raw(np.zeros((2, 3), dtype=np.int64)).dtype == torch.float32
    assert read_raw(torch.zeros(2, 3, dtype=torch.float64)).dtype == torch.float32
    assert read_raw([[True, False]]).tolist() == [[1.0, 0.0]]
    assert read_raw(pd.DataFrame({"a": [1, 2], "b": [3.0, 4.0]})).tolist() == [[1.0, 3.0], [2.0, 4.0]]


def test_arrays_that_cannot_be_written_to_or_run_backwards():
    locked = np.eye(2)
    locked.flags.writeable = False

    assert read_raw(locked).tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert read_raw(np.arange(4, dtype=np.uint8).reshape(2, 2)[::-1]).tolist() == [[2, 3], [0, 1]]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (np.zeros(3), "X must hold one raw input a row, in shape"),
        ([[np.nan]], "X has values that are missing or not finite."),
        ([["a"]], "X must hold numbers."),
        ([[1], [1, 2]], "X is not rectangular:"),
    ],
)
def test_raw_inputs_that_cannot_be_read(data, text):
    with pytest.raises(InputError, match=text):
        read_raw(data)
