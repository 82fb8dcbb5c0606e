from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from logiclens.reporting._facts import NO_RATE, Rate


def test_everything_a_report_says_is_a_value():
    """Frozen, so that nobody changes what was reported."""
    with pytest.raises(FrozenInstanceError):
        Rate(0.5).value = 0.6  # type: ignore[misc]


def test_of_nothing_there_is_no_share():
    assert Rate.of(0, 0) == NO_RATE
    assert Rate.of(0, 4).low == 0.0
    assert Rate.of(4, 4).high == 1.0
