from __future__ import annotations

from dataclasses import FrozenInstanceError, fields

import pytest

from logiclens.reporting import facts, rule_facts


def test_everything_a_report_says_is_a_value():
    """Frozen, so that nobody changes what was reported."""
    with pytest.raises(FrozenInstanceError):
        rule_facts.Rate(0.5).value = 0.6  # type: ignore[misc]


def test_every_part_is_described():
    for module in (facts, rule_facts):
        for value in vars(module).values():
            if isinstance(value, type) and value.__module__ == module.__name__ and fields(value):
                assert value.__doc__, value
