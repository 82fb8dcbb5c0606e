from __future__ import annotations

from dataclasses import astuple
from itertools import pairwise

from logiclens.reporting._about_rules import DETAILS, FULL


def test_each_step_lists_less_of_something_and_more_of_nothing():
    assert DETAILS[0] == FULL
    for more, less in pairwise(DETAILS):
        assert all(one >= other for one, other in zip(astuple(more), astuple(less), strict=True))
        assert more != less
