"""Models without rules."""

from __future__ import annotations

import pytest

from logiclens.bench.peers import PEERS
from tests.bench.peers.rows import one_fold


@pytest.mark.parametrize("name", ["boosting", "mlp", "logistic"])
def test_a_ceiling_has_one_point_without_a_length(name: str):
    (outcome,) = PEERS[name].fit([one_fold(3)], 0)
    (point,) = outcome.points

    assert (point.literals, point.printed, point.validation) == (None, None, None)
    assert point.test > 0.75
