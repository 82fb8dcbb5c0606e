"""Threads for small work: one, since waiting for a second costs more than it brings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

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
