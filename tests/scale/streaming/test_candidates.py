"""Candidates come back from a checkpoint as they were, to the bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from logiclens.estimators import EntropyClassifier, MuClassifier, PsiClassifier, ReluClassifier
from logiclens.estimators.counting import Fold
from logiclens.estimators.fitting import train_folds
from logiclens.estimators.inputs import Inputs
from logiclens.scale.streaming.candidates import from_stored, to_stored
from logiclens.scale.streaming.checkpoint import Checkpoint


@pytest.mark.parametrize("saturated", [False, True])
@pytest.mark.parametrize("classifier", [MuClassifier, EntropyClassifier, PsiClassifier, ReluClassifier])
def test_candidates_are_kept(classifier: Any, saturated: bool, tmp_path: Path):
    x = np.random.default_rng(0).random((200, 9))
    if saturated:
        x = (x[0] > 0.5) + 0.02 * (0.5 - x)
    y = ((x[:, 0] > 0.5) ^ (x[:, 1] > 0.5))[:, None] * 1.0
    recipe = classifier(epochs=12, random_state=0).recipe(Inputs(x, tuple("abcdefghi"), True, ()))
    half = np.full(200, 0.5)
    trained = train_folds(recipe.population, recipe.plan, x, y, [Fold(half, half)])[0]
    checkpoint = Checkpoint.at(tmp_path, {})
    checkpoint.write("candidates", to_stored(trained))
    stored = checkpoint.read("candidates")
    assert stored is not None

    again = from_stored(stored, recipe.population, torch.device("cpu"))

    rows = torch.as_tensor(x, dtype=torch.float32)
    assert torch.equal(again.network(rows), trained.network(rows))
    assert torch.equal(again.network.penalty(), trained.network.penalty())
    assert torch.equal(again.network.kept(), trained.network.kept())
    for name in ("loss_curve", "n_iter", "converged", "penalty", "searched"):
        np.testing.assert_array_equal(getattr(again, name), getattr(trained, name))
    assert again.coarse == trained.coarse == saturated
    assert vars(again.network).keys() == vars(trained.network).keys()
