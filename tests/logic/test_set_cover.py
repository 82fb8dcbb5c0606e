"""Weighted set cover, against trying every choice of columns."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import chain, combinations
from threading import Barrier, Thread

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.logic._set_cover import (
    QUICK,
    THOROUGH,
    Effort,
    greedy_cover,
    irredundant,
    minimum_cover,
    silent_output,
)


@st.composite
def problems(draw):
    """A matrix in which every row has a column, and whole costs."""
    n_rows, n_columns = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    ones = draw(st.lists(st.booleans(), min_size=n_rows * n_columns, max_size=n_rows * n_columns))
    matrix = np.array(ones, dtype=bool).reshape(n_rows, n_columns)
    matrix[~matrix.any(axis=1), draw(st.integers(0, n_columns - 1))] = True
    costs = np.array(draw(st.lists(st.integers(1, 4), min_size=n_columns, max_size=n_columns)), dtype=float)
    return matrix, costs


def cheapest(matrix, costs):
    columns = range(matrix.shape[1])
    choices = chain.from_iterable(combinations(columns, size) for size in range(len(columns) + 1))
    return min(costs[list(c)].sum() for c in choices if matrix[:, list(c)].any(axis=1).all())


@given(problems())
def test_minimum_is_the_cheapest_choice(problem):
    matrix, costs = problem
    choice = minimum_cover(matrix, costs, np.zeros(len(costs)), QUICK)

    assert choice.proved
    assert matrix[:, choice.columns].any(axis=1).all()
    assert costs[choice.columns].sum() == cheapest(matrix, costs)


@given(problems())
def test_greedy_covers_and_nothing_is_superfluous(problem):
    matrix, costs = problem
    chosen = greedy_cover(matrix, costs)

    assert matrix[:, chosen].any(axis=1).all()
    for at in range(len(chosen)):
        assert not matrix[:, np.delete(chosen, at)].any(axis=1).all()


def test_irredundant_gives_up_the_dearest_first():
    matrix = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]], dtype=bool)

    assert irredundant(matrix, np.array([1.0, 5.0, 2.0]), np.arange(3)).tolist() == [0, 2]


def test_ties_decide_between_equally_cheap_choices():
    """Rows form a cycle of six, so the odd and the even columns cost the same."""
    matrix = np.zeros((6, 6), dtype=bool)
    for row in range(6):
        matrix[row, [row, (row + 1) % 6]] = True
    costs = np.ones(6)

    for favored in (0, 1):
        ties = np.where(np.arange(6) % 2 == favored, 0.0, 1.0)
        assert (minimum_cover(matrix, costs, ties, QUICK).columns % 2 == favored).all()


def test_too_large_for_the_solver_is_said():
    random = np.random.default_rng(0)
    matrix = random.random((60, 80)) < 0.1
    matrix[np.arange(60), np.arange(60)] = True
    costs = random.integers(1, 5, 80).astype(float)
    limited = minimum_cover(matrix, costs, np.zeros(80), Effort(nodes=1, cover_size=0, program_size=0))
    proved = minimum_cover(matrix, costs, np.zeros(80), THOROUGH)

    assert not limited.proved
    assert matrix[:, limited.columns].any(axis=1).all()
    assert proved.proved
    assert costs[proved.columns].sum() <= costs[limited.columns].sum()


def test_a_row_without_a_column_is_refused():
    with pytest.raises(ValueError, match="a row has no column that covers it"):
        greedy_cover(np.array([[True], [False]]), np.ones(1))


def test_only_what_is_inside_is_lost(capfd: pytest.CaptureFixture[str]):
    sys.stdout.write("before\n")
    with silent_output():
        os.write(1, b"inside")
        os.write(2, b"warnings are seen")
    sys.stdout.write("after\n")

    seen = capfd.readouterr()
    assert seen.out == "before\nafter\n"
    assert seen.err == "warnings are seen"


def test_an_error_inside_brings_the_output_back(capfd: pytest.CaptureFixture[str]):
    with pytest.raises(ZeroDivisionError), silent_output():
        raise ZeroDivisionError
    os.write(1, b"back")

    assert capfd.readouterr().out == "back"


def test_threads_may_be_inside_together(capfd: pytest.CaptureFixture[str]):
    """The one that leaves first must not bring the output back for the other, nor the last one lose it."""
    meeting = Barrier(2)

    def solve(first: bool) -> None:
        with silent_output():
            meeting.wait()
            if not first:
                meeting.wait()
                os.write(1, b"inside")
        if first:
            meeting.wait()

    threads = [Thread(target=solve, args=(first,)) for first in (True, False)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    os.write(1, b"after")

    assert capfd.readouterr().out == "after"


def test_text_held_back_by_python_is_not_lost():
    code = (
        "from logiclens.logic._set_cover import silent_output\nprint('before')\n"
        "with silent_output(): pass\nprint('after')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)

    assert done.stdout == "before\nafter\n"


def test_a_process_without_output():
    code = (
        "import os\nos.close(1)\nfrom logiclens.logic._set_cover import silent_output\n"
        "with silent_output(): pass\nos.write(2, b'fine')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)

    assert done.stderr.startswith("fine")
