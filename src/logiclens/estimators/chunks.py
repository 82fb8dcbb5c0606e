"""Chunks of a population, shared out among workers: threads, processes or other machines, as joblib has it.

A population of all folds is the quickest way to train on one processor. To the last bit, though, what becomes
of a network in it depends on the networks beside it: they share matrix products, and the order in which those
add up. Rounding is enough for another network now and then, where labels are noisy. So a chunk that is shared
out is always the networks of one fold (all its outputs, penalties and restarts), trained on one thread: what
comes out depends neither on the number of workers nor on where they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from logiclens.errors import InputError, shown

T = TypeVar("T")


def is_shared_out(n_jobs: int | None) -> bool:
    """Whether work goes to workers: their number is given, or joblib's ``parallel_config`` has one in force.

    Parameters
    ----------
    n_jobs : int or None
        Number of workers, negative to count from the last processor, -1.

    Raises
    ------
    InputError
        No number of workers.

    Examples
    --------
    >>> is_shared_out(None), is_shared_out(1), is_shared_out(-1)
    (False, True, True)
    """
    if n_jobs is None:
        from sklearn.utils.parallel import Parallel

        return bool(Parallel().n_jobs != 1)
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs == 0:
        raise InputError(f"n_jobs must be a whole number other than 0, or None. Got {shown(n_jobs)}.")
    return True


def share_out(
    work: Callable[..., T], shared: Sequence[Any], chunks: Iterable[Sequence[Any]], n_jobs: int | None
) -> list[T]:
    """What ``work`` makes of each chunk, in order, on the workers that joblib has.

    Parameters
    ----------
    work : callable
        A function of a module, so that other processes find it.
    shared : sequence
        What it is called with first, each time. It travels once where the workers allow for that.
    chunks : iterable of sequences
        What it is called with after that.
    n_jobs : int or None
        Number of workers, in the meaning of joblib.

    Examples
    --------
    >>> share_out(divmod, [17], [[5], [6]], n_jobs=1)
    [(3, 2), (2, 5)]
    """
    from sklearn.utils.parallel import Parallel, delayed

    from logiclens.nn.threads import one_thread_each

    # Processes map large arrays into their memory; torch wants such that it could write to: to copies.
    parallel = Parallel(n_jobs=n_jobs, mmap_mode="c")
    with one_thread_each():  # also that of the workers that are threads of this process
        return list(parallel(delayed(_on_one_thread)(work, *shared, *chunk) for chunk in chunks))


def _on_one_thread(work: Callable[..., T], *arguments: Any) -> T:
    from logiclens.nn.threads import one_thread_each

    with one_thread_each():
        return work(*arguments)
