"""Members side by side: every member once, in order, whatever the number of threads."""

from __future__ import annotations

import threading

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_info

from logiclens.nn import training as module
from logiclens.nn.population import SMALL, EpochCount, for_each, one_thread_each, threads_for
from logiclens.nn.training import parts_of, train
from tests.nn.populations import KINDS, make, plan, random_x, rows_of, some_rows


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


@given(st.integers(1, 9), st.integers(0, 400), st.integers(0, 400))
def test_every_member_is_in_one_part(members, in_cache, small):
    rows = some_rows(members)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_IN_CACHE", in_cache)
        patch.setattr(module, "_SMALL", small)
        found = parts_of(make("mu", members), rows)

    assert torch.cat(found).tolist() == list(range(members))
    assert all(len(part) for part in found)


QUARTER = (slice(2, None), slice(30))  # the members from the third on learn from ten rows alone
LATER = (slice(5, None), slice(30))
ONE_EACH = ([0, 1, 2, 3], [0, 1, 2, 3])


@pytest.mark.parametrize(
    ("members", "unseen", "limits", "sizes"),
    [
        (4, QUARTER, {}, [4]),  # small work stays together
        (4, QUARTER, {"_SMALL": 0}, [2, 2]),
        (4, QUARTER, {"_SMALL": 0, "_IN_CACHE": 0}, [1, 1, 1, 1]),
        (4, ONE_EACH, {"_SMALL": 0}, [4]),  # much the same rows
        (8, None, {"_SMALL": 0, "_IN_CACHE": 2560}, [8]),
        (8, None, {"_SMALL": 0, "_IN_CACHE": 1280}, [4, 4]),
        (8, None, {"_SMALL": 0, "_IN_CACHE": 320}, [2] * 4),
        (8, None, {"_SMALL": 0, "_IN_CACHE": 160}, [1] * 8),
        (
            5,
            None,
            {"_SMALL": 0, "_IN_CACHE": 640, "_FEWEST": 1},
            [3, 2],
        ),  # of one size where they could be one
        (9, None, {"_SMALL": 0, "_IN_CACHE": 640, "_FEWEST": 1}, [3, 2, 2, 2]),
        (9, LATER, {"_SMALL": 0, "_IN_CACHE": 640, "_FEWEST": 1}, [3, 2, 4]),
    ],
)
def test_parts_of_members(members, unseen, limits, sizes, monkeypatch):
    """Members learn from 40 rows with 4 neurons each."""
    for name, value in limits.items():
        monkeypatch.setattr(module, name, value)
    x = random_x()
    rows = rows_of(x, torch.zeros(members, len(x), dtype=torch.float64), share=1.1)
    if unseen is not None:
        rows.no[unseen] = 0.0

    assert [len(part) for part in parts_of(make("mu", members), rows)] == sizes


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize("kind", KINDS)
def test_parts_and_threads_do_not_change_what_is_trained(kind, monkeypatch):
    rows = some_rows()
    whole, history = train(make(kind), rows, plan())
    monkeypatch.setattr(module, "_IN_CACHE", 0)
    monkeypatch.setattr(module, "_SMALL", 0)
    told: list[int] = []

    parted, own = train(make(kind), rows, plan(), progress=told.append)

    assert torch.allclose(parted(rows.x), whole(rows.x), rtol=1e-6, atol=1e-8)
    assert torch.equal(own.n_iter, history.n_iter)
    assert torch.allclose(torch.stack(own.losses), torch.stack(history.losses), rtol=1e-6)
    assert torch.equal(own.converged, history.converged)
    assert told == sorted(told)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_trained_does_not_depend_on_the_number_of_threads(kind, monkeypatch):
    """To the last bit: the same members share a matrix product."""
    monkeypatch.setattr(module, "_SMALL", 0)
    monkeypatch.setattr(module, "_IN_CACHE", 640)
    rows = some_rows(7)
    before, found = torch.get_num_threads(), []
    try:
        for n_threads in (1, 2, 8):
            torch.set_num_threads(n_threads)
            network, _ = train(make(kind, 7), rows, plan())
            found.append([part.tolist() for part in parts_of(make(kind, 7), rows)])
            found.append(network(rows.x).tolist())
    finally:
        torch.set_num_threads(before)

    assert len(found[0]) > 1
    assert found[:2] == found[2:4] == found[4:]


@pytest.mark.usefixtures("two_threads")
def test_each_part_has_one_thread_of_torch():
    seen = []

    def work(part: torch.Tensor) -> int:
        seen.append((threading.current_thread() is threading.main_thread(), torch.get_num_threads()))
        return len(part)

    assert for_each([torch.arange(2), torch.arange(3)], work, 10) == [2, 3]
    assert seen == [(False, 1), (False, 1)]
    assert torch.get_num_threads() == 2


@pytest.mark.usefixtures("two_threads")
def test_what_goes_wrong_in_a_part_is_raised():
    def work(part: torch.Tensor) -> None:
        raise ValueError(f"part {len(part)}")

    with pytest.raises(ValueError, match="part 1"):
        for_each([torch.arange(1), torch.arange(2)], work, 10)
    assert torch.get_num_threads() == 2


def test_a_single_part_stays_on_the_thread_it_is_called_from():
    work = for_each([torch.arange(2)], lambda _: threading.current_thread(), 10)

    assert work == [threading.main_thread()]


def test_the_count_is_the_mean_number_of_epochs():
    found: list[int] = []
    count = EpochCount(found.append, 4)
    for n_members in (2, 2, 2, 2, 4):
        count.add(n_members)

    assert found == [0, 1, 1, 2, 3]
