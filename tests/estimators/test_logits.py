"""Logits of networks on rows: the same in blocks as at once."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.exceptions import ConvergenceWarning

from logiclens.estimators.networks import predict_logits
from tests.estimators.toys import booleans, quick

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")

X, Y = booleans()
THREE = (X[:, 0] + X[:, 1]).astype(int)


def test_asking_in_blocks_is_asking_at_once(monkeypatch):
    clf = quick("mu").fit(X, THREE)
    whole = predict_logits(clf.network_, X)
    for name, value in (("_BLOCK", 7), ("_SMALL_BLOCK", 3), ("_ON_CPU", 0)):  # blocks of seven, then of three
        monkeypatch.setattr(f"logiclens.estimators.networks.{name}", value)

        assert np.allclose(predict_logits(clf.network_, X), whole, rtol=1e-12)
    assert predict_logits(clf.network_, X[:0]).shape == (0, 3)
    assert whole.dtype == np.float64
    assert not torch.is_tensor(whole)
