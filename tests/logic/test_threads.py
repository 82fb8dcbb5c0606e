"""Linear algebra on one thread, and back to as many as before."""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_info

from logiclens.logic.threads import one_thread


def threads() -> list[int]:
    np.ones((2, 2)) @ np.ones((2, 2))  # loads the library
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def test_one_thread_inside_and_as_many_as_before_after():
    before = threads()

    with one_thread():
        inside = threads()
        with one_thread():
            assert set(threads()) == {1}
        assert threads() == inside

    assert set(inside) == {1}
    assert threads() == before


def test_an_error_gives_the_threads_back():
    before = threads()

    try:
        with one_thread():
            raise ValueError
    except ValueError:
        pass

    assert threads() == before
