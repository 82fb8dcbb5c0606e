"""One process or many: the rank of this one, and the exchange of values between them.

Under ``torchrun`` every process runs the same program. The first one alone explores, searches for
rules and writes files; all of them read their part of the rows and train. Where a process group is there
already it is used; otherwise one is made that stays until the program ends: once given up, it could not be
made again.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

import torch
import torch.distributed as dist

from logiclens.errors import LogicLensError
from logiclens.estimators.networks import resolve_device

_PATIENCE = timedelta(days=2)  # the first process explores while the others wait

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Processes:
    """The processes that work together.

    Attributes
    ----------
    rank : int
        Which one this is; the first, 0, does what is done once.
    size : int
    device : torch.device
        Where this one computes.
    group : object, optional
        The process group through which they exchange values; None for a single one.

    Examples
    --------
    >>> alone = Processes(0, 1, torch.device("cpu"))
    >>> alone.once(lambda: "rules"), alone.each(lambda: 3), alone.total(torch.ones(1)).tolist()
    ('rules', [3], [1.0])
    """

    rank: int
    size: int
    device: torch.device
    group: Any = None

    @property
    def is_first(self) -> bool:
        """Whether this process does what is done once."""
        return self.rank == 0

    def once(self, make: Callable[[], T]) -> T:
        """The value that the first process makes, in all of them; an error of ours is raised in all, too."""
        if self.group is None:
            return make()
        results: list[Any] = [None]
        if self.is_first:
            results = [_try(make)]
        dist.broadcast_object_list(results, src=0, group=self.group)
        made: T = _unwrap(results[0])
        return made

    def each(self, make: Callable[[], T]) -> list[T]:
        """The values that the processes make, in all of them, by rank; an error in one is raised in all."""
        if self.group is None:
            return [make()]
        results: list[Any] = [None] * self.size
        dist.all_gather_object(results, _try(make), group=self.group)
        return [_unwrap(each) for each in results]

    def total(self, values: torch.Tensor) -> torch.Tensor:
        """The sum over all processes, on the CPU and in double precision."""
        summed = values.detach().double().cpu()
        if self.group is not None:
            summed = summed.clone()
            dist.all_reduce(summed, group=self.group)
        return summed


@contextmanager
def process_group(device: str) -> Iterator[Processes]:
    """The processes of this run: those that ``torchrun`` started, or of a group that is there; else one.

    Parameters
    ----------
    device : str
        "auto", "cpu", "cuda", ... On CUDA each process of a machine takes a device of its own.
    """
    found = _own_device(resolve_device(device))
    there = dist.is_available() and dist.is_initialized()
    if not there and int(os.environ.get("WORLD_SIZE", "1")) <= 1:
        yield Processes(0, 1, found)
        return
    if not there:
        dist.init_process_group("gloo")
        atexit.register(_leave)
    if dist.get_world_size() == 1:
        yield Processes(0, 1, found)
        return
    group = dist.new_group(backend="gloo", timeout=_PATIENCE)
    try:
        yield Processes(dist.get_rank(), dist.get_world_size(), found, group)
    finally:
        dist.destroy_process_group(group)


def _leave() -> None:
    if dist.is_initialized():
        dist.destroy_process_group()


def _own_device(device: torch.device) -> torch.device:
    if device.type != "cuda" or device.index is not None:
        return device
    own = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")) % torch.cuda.device_count())
    torch.cuda.set_device(own)
    return own


@dataclass(frozen=True, eq=False)
class _Result:
    """A value that a process sends to the others, or why it could not make it."""

    value: Any = None
    error: LogicLensError | None = None


def _try(make: Callable[[], Any]) -> _Result:
    try:
        return _Result(make())
    except LogicLensError as error:
        return _Result(error=error)


def _unwrap(results: _Result) -> Any:
    if results.error is not None:
        raise results.error
    return results.value
