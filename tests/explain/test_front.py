from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.errors import InputError
from logiclens.explain import FrontPoint, Scores
from logiclens.explain.front import RATES, check_rate, check_text, check_weight
from logiclens.logic import FALSE, Status, Var


@given(st.lists(st.none() | st.floats(0, 1), min_size=5, max_size=5), st.integers(0, 10**9))
def test_scores_are_what_was_measured(rates, n_rows):
    scores = Scores("test", n_rows, *rates)

    assert [getattr(scores, name) for name in RATES] == rates
    assert scores == Scores("test", n_rows, **dict(zip(RATES, rates, strict=True)))
    assert hash(scores) == hash(Scores("test", n_rows, *rates))


def test_values_become_plain():
    """Scalars of NumPy and members of enumerations would not be saved as they are."""
    scores = Scores(Status.PROVED, np.int64(3), precision=np.float32(0.5))
    point = FrontPoint(Var("a"), np.int64(1), np.float32(2), 1)

    assert (type(scores.part), type(scores.n_rows), type(scores.precision)) == (str, int, float)
    assert (type(point.literals), type(point.errors), type(point.score)) == (int, float, float)
    assert point == FrontPoint(Var("a"), 1, 2.0, 1.0)
    assert FrontPoint(FALSE, 0, 0.0).score is None


@given(st.floats())
def test_rates_and_weights_are_told_from_other_numbers(value):
    for check, fits, message in (
        (check_rate, 0 <= value <= 1, f"it must be a number in [0, 1]. Got {value!r}."),
        (
            check_weight,
            0 <= value < float("inf"),
            f"it must be a finite number of at least 0. Got {value!r}.",
        ),
    ):
        if fits:
            assert check(value, "it") == value
            continue
        with pytest.raises(InputError) as caught:
            check(value, "it")
        assert str(caught.value) == message


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Scores(None, 3), "part must be a string. Got None."),
        (lambda: Scores("test", -1), "n_rows must be a whole number of at least 0. Got -1."),
        (lambda: Scores("test", 1, recall=1.5), "recall must be a number in [0, 1]. Got 1.5."),
        (lambda: Scores("test", 1, fidelity="1"), "fidelity must be a number in [0, 1]. Got '1'."),
        (lambda: FrontPoint(Var("a"), 1.5, 0.0), "literals must be a whole number of at least 0. Got 1.5."),
        (lambda: FrontPoint(Var("a"), 1, -1), "errors must be a finite number of at least 0. Got -1."),
        (lambda: FrontPoint(Var("a"), 1, 0, 2), "score must be a number in [0, 1]. Got 2."),
        (lambda: check_text(3, "status"), "status must be a string. Got 3."),
    ],
)
def test_nonsense_is_refused(build, message):
    with pytest.raises(InputError) as caught:
        build()

    assert str(caught.value) == message


def test_a_point_has_a_formula():
    with pytest.raises(InputError, match="FrontPoint takes formulas"):
        FrontPoint("a", 1, 0.0)
