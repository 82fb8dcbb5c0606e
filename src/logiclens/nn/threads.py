"""Threads for small work: one, since waiting for a second costs more than it brings.

Work that is one of several done side by side gets one as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import Lock

import torch
from threadpoolctl import threadpool_limits

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
