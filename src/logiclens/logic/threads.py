"""Linear algebra on one thread, for searches whose matrices are small."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from threadpoolctl import ThreadpoolController


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep linear algebra to one thread: the matrices are small, and waiting threads slow a busy machine.

    Examples
    --------
    >>> with one_thread():
    ...     pass
    """
    with _thread_pools().limit(limits=1, user_api="blas"):
        yield


@cache
def _thread_pools() -> ThreadpoolController:
    return ThreadpoolController()
