from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.logic import Var
from logiclens.logic.arrays import pack
from logiclens.metrics import macro_f1, rule_scores
from logiclens.reporting.rates import NO_RATE, cells_of, ones, rate


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=150))
def test_the_rates_are_those_of_the_metrics(rows):
    said, wanted = np.array(rows).T
    cells = cells_of(pack(said), pack(wanted), len(rows))
    expected = rule_scores(Var("said"), {"said": said}, wanted)

    assert cells.n == len(rows)
    assert cells.macro_f1 == pytest.approx(macro_f1(wanted, said))
    assert cells.plain == pytest.approx((said == wanted).mean())
    for name in ("precision", "recall", "coverage"):
        found, value = getattr(cells, name), getattr(expected, name)
        if np.isnan(value):
            assert found == NO_RATE
        else:
            low, high = getattr(expected, f"{name}_interval")
            assert found.value == pytest.approx(value)
            assert (found.low, found.high) == pytest.approx((low, high), abs=1e-4)
            assert 0 <= found.low <= found.high <= 1


def test_bits_are_counted():
    assert ones(pack(np.ones(130, dtype=bool))) == 130
    assert rate(0, 0) == NO_RATE
