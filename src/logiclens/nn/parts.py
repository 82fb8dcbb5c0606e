"""Members in parts: as many at a time as keep what they compute in the cache, each part on a thread.

Members do not depend on each other, so it does not matter which of them are trained side by side. On a CPU a
step on few members, whose numbers stay in the cache, is quicker for each of them than one on many; and parts
on threads of their own never wait for each other, as the threads of one operation do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor

from logiclens.logic.arrays import BoolArray
from logiclens.nn.population import LogicNetwork
from logiclens.nn.rows import Rows
from logiclens.nn.threads import threads_for

_IN_CACHE = 1 << 19  # numbers in the largest tensor of a step that stay in the cache
_FEWEST = 4  # parts of what would fill the cache more than twice: there may be as many threads
_SMALL = 1 << 17  # numbers up to which a step costs about the same, however many there are
_ALIKE = 1.2  # rows computed for each one learned from, up to which members learn from much the same
_MOST_THREADS = 8  # more would wait for Python's lock

T = TypeVar("T")


def parts_of(network: LogicNetwork, rows: Rows) -> list[Tensor]:
    """Members to train side by side, as positions, one part after the other.

    Those of one part learn from much the same rows, so that few are computed in vain; where the work is small
    anyway, others join them. Parts that follow one another and could be one are of one size, so that threads
    are done at the same time. How many threads there are does not matter: which members share a matrix
    product decides about last bits. On an accelerator all members are one part.

    Parameters
    ----------
    network : LogicNetwork
    rows : Rows
        What its members learn from.
    """
    members = torch.arange(network.members, device=rows.yes.device)
    if rows.yes.device.type != "cpu":
        return [members]
    wide = network.activations(1) // network.members
    learned = ((rows.yes + rows.no) > 0).numpy()
    in_cache = min(_IN_CACHE, max(_IN_CACHE // 2, int(learned.sum()) * wide // _FEWEST))
    cuts, joint, n_learned = [0], learned[0], 0
    for member, own in enumerate(learned):
        both, n_own = joint | own, int(own.sum())
        computed = (member - cuts[-1] + 1) * int(both.sum())
        most = in_cache if computed <= _ALIKE * (n_learned + n_own) else _SMALL
        if computed * wide > most and member:
            cuts.append(member)
            both, n_learned = own, 0
        joint, n_learned = both, n_learned + n_own
    return [
        part for run, n_parts in _runs(cuts, learned) for part in torch.tensor_split(members[run], n_parts)
    ]


def _runs(cuts: Sequence[int], learned: BoolArray) -> Iterator[tuple[slice, int]]:
    """Members of parts that could be one, and how many parts these are: several are an even number.

    Parameters
    ----------
    cuts : sequence of int
        Where parts begin.
    learned : ndarray of bool, shape (members, n)
        Which rows each member learns from.
    """
    ends = [*cuts[1:], len(learned)]
    rows, counts = np.logical_or.reduceat(learned, cuts), np.add.reduceat(learned.sum(axis=1), cuts)
    start, joint, n_parts = 0, rows[0], 1
    for at in range(1, len(cuts) + 1):
        if at < len(cuts):
            both = joint | rows[at]
            computed = (ends[at] - cuts[start]) * int(both.sum())
            if computed <= _ALIKE * counts[start : at + 1].sum():
                joint, n_parts = both, n_parts + 1
                continue
            joint = rows[at]
        run = slice(cuts[start], ends[at - 1])
        yield run, min(n_parts + n_parts % 2 if n_parts > 1 else 1, run.stop - run.start)
        start, n_parts = at, 1


def for_each(parts: Sequence[Tensor], work: Callable[[Tensor], T], size: int) -> list[T]:
    """What ``work`` makes of each part; several at a time where torch may use several threads.

    Parameters
    ----------
    parts : sequence of Tensor
    work : callable
        Must not change what another part reads.
    size : int
        Numbers in the largest tensor of one part.
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


class Told:
    """Tells how many epochs all members have done on average, whichever part is ahead.

    Parameters
    ----------
    report : callable
        Told the number of epochs.
    members : int
        Number of all members.
    """

    def __init__(self, report: Callable[[int], None], members: int) -> None:
        self.report = report
        self.members = members
        self.done = 0
        self.lock = Lock()

    def epoch_of(self, n_members: int) -> None:
        """So many members have done one more epoch."""
        with self.lock:
            self.done += n_members
            self.report(self.done // self.members)
