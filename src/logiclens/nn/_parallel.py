"""Members side by side: in parts that stay in the cache, on as many threads as that is worth.

Members do not depend on each other, so it does not matter which of them are trained side by side. On a CPU a
step on few members, whose numbers stay in the cache, is quicker for each of them than one on many; and parts
on threads of their own never wait for each other, as the threads of one operation do. Small work gets one
thread, since waiting for a second costs more than it brings; so does work that is one of several done side by
side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from threading import Lock
from typing import TypeVar

import torch
from threadpoolctl import threadpool_limits
from torch import Tensor

T = TypeVar("T")

_MOST_THREADS = 8  # more would wait for Python's lock
SMALL = 1 << 20
"""Numbers in the largest tensor of a step up to which one thread is quicker, much so on a busy machine."""


@contextmanager
def threads_for(size: int) -> Iterator[None]:
    """Use one thread of torch's for tensors of at most :data:`SMALL` numbers; its own number afterwards."""
    before = torch.get_num_threads()
    if size > SMALL or before == 1:
        yield
        return
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Use one thread for whatever is computed; as many as before once nobody is within any more.

    Several threads may be within at a time. The number of torch belongs to each of them; that of other
    libraries is shared: the first to come sets it, the last to leave restores it.
    """
    _alone.enter()
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
        _alone.leave()


class _Alone:
    """Counts those within :func:`one_thread_each`."""

    def __init__(self) -> None:
        self._lock, self._within, self._undo = Lock(), 0, ExitStack()

    def enter(self) -> None:
        with self._lock:
            self._within += 1
            if self._within == 1:
                self._undo.enter_context(threadpool_limits(1))

    def leave(self) -> None:
        with self._lock:
            self._within -= 1
            if self._within == 0:
                self._undo.close()


_alone = _Alone()


def for_each(parts: Sequence[Tensor], work: Callable[[Tensor], T], size: int) -> list[T]:
    """What ``work`` makes of each part; several at a time where torch may use several threads.

    It must not change what another part reads. ``size`` is that of the largest tensor of one part.
    """
    n_threads = min(torch.get_num_threads(), len(parts), _MOST_THREADS)
    if n_threads == 1:
        with threads_for(size):
            return [work(part) for part in parts]
    with threads_for(0):  # each of ours is one of torch's
        pool = ThreadPoolExecutor(n_threads)
        try:
            return list(pool.map(work, parts))
        finally:
            pool.shutdown(cancel_futures=True)


class EpochCount:
    """Reports how many epochs all members have done on average, whichever part is ahead."""

    def __init__(self, report: Callable[[int], None], members: int, done: int = 0) -> None:
        self._report, self._members, self._done = report, members, done * members
        self._lock = Lock()

    def add(self, n_members: int) -> None:
        """So many members have done one more epoch."""
        with self._lock:
            self._done += n_members
            self._report(self._done // self._members)
