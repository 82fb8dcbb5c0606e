"""Raw inputs for the tests of the bottleneck: points of a plane, and small pictures of digits."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn

from logiclens.estimators import MuClassifier
from logiclens.pipelines import ConceptBottleneckClassifier

DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
PLACES = ("right", "up")


def digits() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Pictures (n, 1, 8, 8), parity, the ten digits as concepts, and rows to train on and to test on."""
    data = load_digits()
    pictures = (data.images[:, None] / 16).astype(np.float32)
    y = np.where(data.target % 2 == 0, "even", "odd")
    concepts = np.eye(10)[data.target]
    rows = np.arange(len(y))
    train, test = train_test_split(rows, test_size=0.25, random_state=0, stratify=data.target)
    return pictures, y, concepts, train, test


def small_cnn(seed: int = 0) -> nn.Sequential:
    """A network for pictures of 8 x 8 pixels, whose first weights repeat."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return nn.Sequential(
            nn.Conv2d(1, 24, 3, padding=1),
            nn.BatchNorm2d(24),
            nn.ReLU(),
            nn.Conv2d(24, 48, 3, stride=2, padding=1),
            nn.BatchNorm2d(48),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(768, 10),
        )


def plane(n: int = 160, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points of a plane (n, 2), whether they lie right and up, and the concepts *right* and *up*."""
    X = np.random.default_rng(seed).normal(size=(n, 2)).astype(np.float32)
    concepts = (X > 0).astype(float)
    return X, np.where(concepts.all(axis=1), "both", "not both"), concepts


def linear(seed: int = 0, n_out: int = 2) -> nn.Linear:
    """A linear concept model of points whose first weights repeat."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return nn.Linear(2, n_out)


def sharp() -> nn.Linear:
    """A concept model that knows *right* and *up* already."""
    model = nn.Linear(2, 2)
    with torch.no_grad():
        model.weight.copy_(20.0 * torch.eye(2))
        model.bias.zero_()
    return model


def quick(concept_model: Any = None, estimator: Any = None, **settings: Any) -> ConceptBottleneckClassifier:
    """A bottleneck for points that is fitted at once."""
    if estimator is None:
        estimator = MuClassifier(epochs=40, learning_rate=0.1, restarts=1, l1=0.002, random_state=0)
    chosen: dict[str, Any] = {"learning_rate": 0.2, "epochs": 15, "device": "cpu", "random_state": 0}
    return ConceptBottleneckClassifier(concept_model, estimator, **chosen | settings)
