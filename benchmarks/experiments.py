"""The tables that training is timed on: real where ``LOGICLENS_DATA`` names a folder, otherwise generated."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np

from logiclens.bench import load_cub, load_mimic2

CUB_ROWS, CUB_CONCEPTS, CUB_CLASSES = 9430, 108, 200
_PROTOTYPES = 4  # of each class, so that Boolean rows repeat
_FLIPPED = 0.01  # of a class's attributes, in each of its prototypes
_SPREAD = 0.25  # standard deviation of float scores about their prototype


@dataclass(frozen=True, eq=False)
class Table:
    """Concepts of shape (n, n_concepts), labels of shape (n,), and what to call the two together."""

    name: str
    X: np.ndarray
    y: np.ndarray

    @property
    def size(self) -> str:
        """Rows and concepts, and how many rows are distinct."""
        n_rows, n_concepts = self.X.shape
        return f"{n_rows} x {n_concepts}, {distinct_rows(self.X)} distinct"


def distinct_rows(X: np.ndarray) -> int:
    """Number of different rows."""
    rows = np.ascontiguousarray(X, dtype=np.float32)
    return len(np.unique(rows.view(f"V{rows.itemsize * rows.shape[1]}")))


def has_real_data() -> bool:
    """Whether a folder with the paper's data is named."""
    return bool(os.environ.get("LOGICLENS_DATA"))


def mimic2_like() -> Table:
    """MIMIC-II, or 1776 rows of 12 flags and 26 one-hot triples with a planted rule and 15 % noise."""
    if has_real_data():
        data = load_mimic2()
        return Table("MIMIC-II", data.concepts, data.labels)
    random = np.random.default_rng(0)
    flags = random.random((1776, 12)) < random.uniform(0.05, 0.6, 12)
    bins = np.stack([random.choice(3, 1776, p=random.dirichlet([3.0, 4.0, 2.0])) for _ in range(26)], axis=1)
    X = np.hstack([flags, np.eye(3, dtype=bool)[bins].reshape(1776, 78)])
    died = (X[:, 0] & X[:, 14]) | (X[:, 17] & ~X[:, 3] & X[:, 21]) | (X[:, 26] & X[:, 5])
    died ^= random.random(1776) < 0.15
    return Table("generated, as MIMIC-II", X.astype(np.float64), np.where(died, "death", "recovery"))


def cub_like(boolean: bool) -> Table:
    """CUB's training pictures with the scores of a network, or Booleans; 200 classes.

    Generated, each class has a few prototypes that differ in few attributes, and each row is one of them;
    scores have noise on top.
    """
    if has_real_data():
        data = load_cub()
        seen = np.setdiff1d(np.arange(len(data.labels)), data.split_test)
        X, y = data.concepts[seen], data.labels[seen]
        return Table("CUB", (X > 0.5).astype(np.float64) if boolean else X, y)
    return many_classes(CUB_ROWS, CUB_CLASSES, boolean)


def many_classes(n_rows: int, n_classes: int, boolean: bool) -> Table:
    """Generated rows of many classes over 108 concepts, each row near a prototype of its class."""
    random = np.random.default_rng(0)
    attributes = random.random((n_classes, 1, CUB_CONCEPTS)) < 0.25
    flips = random.random((n_classes, _PROTOTYPES, CUB_CONCEPTS)) < _FLIPPED
    prototypes = attributes ^ flips
    y = np.arange(n_rows) % n_classes
    X = prototypes[y, random.integers(0, _PROTOTYPES, n_rows)].astype(np.float64)
    if not boolean:
        X = np.clip(X + random.normal(0.0, _SPREAD, X.shape), 0.0, 1.0)
    return Table("generated, as CUB", X, y)


def many_rows(n_rows: int, boolean: bool) -> Table:
    """Generated rows over 20 concepts, few of them true in a row, with a planted rule and 5 % noise."""
    random = np.random.default_rng(0)
    scores = random.random((n_rows, 20)) ** 6  # one in nine lies above one half, so that tuples repeat
    truth = scores > 0.5
    y = (truth[:, 0] & ~truth[:, 1]) | (truth[:, 2] & truth[:, 3]) | truth[:, 4]
    y ^= random.random(n_rows) < 0.05
    return Table("generated", truth.astype(np.float64) if boolean else scores, y.astype(np.int64))
