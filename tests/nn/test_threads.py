"""One thread for small work, and the number of threads as it was afterwards."""

from __future__ import annotations

import threading

import pytest
import torch
from threadpoolctl import threadpool_info

from logiclens.nn.threads import SMALL, one_thread_each, threads_for


@pytest.fixture
def two_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize(("size", "expected"), [(10, 1), (SMALL, 1), (SMALL + 1, 2)])
def test_small_work_gets_one_thread(size: int, expected: int):
    with threads_for(size):
        inside = torch.get_num_threads()

    assert inside == expected
    assert torch.get_num_threads() == 2


@pytest.mark.usefixtures("two_threads")
def test_the_number_of_threads_returns_after_an_error():
    with pytest.raises(RuntimeError, match="stop"), threads_for(1):
        raise RuntimeError("stop")

    assert torch.get_num_threads() == 2


@pytest.mark.usefixtures("two_threads")
def test_one_thread_for_whatever_is_computed():
    with one_thread_each():
        inside = {torch.get_num_threads(), *(library["num_threads"] for library in threadpool_info())}

    assert inside == {1}
    assert torch.get_num_threads() == 2


@pytest.mark.usefixtures("two_threads")
def test_the_last_to_leave_restores_the_number():
    """Another thread comes and goes; the number stays at one for those that are still within."""
    seen = []

    def visit() -> None:
        with one_thread_each():
            seen.append(torch.get_num_threads())

    with one_thread_each():
        visitor = threading.Thread(target=visit)
        visitor.start()
        visitor.join()
        seen.append(torch.get_num_threads())

    assert seen == [1, 1]
    assert torch.get_num_threads() == 2


def test_each_thread_has_its_own_number_back():
    """One comes first, the other leaves last."""
    came, left, after = threading.Event(), threading.Event(), {}

    def first() -> None:
        torch.set_num_threads(2)
        with one_thread_each():
            came.wait(30)
        after["first"] = torch.get_num_threads()
        left.set()

    def last() -> None:
        torch.set_num_threads(2)
        with one_thread_each():
            came.set()
            left.wait(30)
        after["last"] = torch.get_num_threads()

    threads = [threading.Thread(target=work) for work in (first, last)]
    threads[0].start()
    threads[1].start()
    for thread in threads:
        thread.join()

    assert after == {"first": 2, "last": 2}
