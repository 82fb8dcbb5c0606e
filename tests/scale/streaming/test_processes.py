"""One process is a group, too; two of them are started in test_fit_streaming.py."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import torch.distributed as dist

from logiclens.errors import InputError
from logiclens.scale._fit_streaming import process_group


def test_one_process_talks_to_no_one():
    with process_group("cpu") as processes:
        assert (processes.rank, processes.size, processes.is_first, processes.group) == (0, 1, True, None)
        assert processes.once(lambda: 1) == 1
        assert processes.each(lambda: 1) == [1]
        assert processes.total(torch.tensor([1.5])).tolist() == [1.5]


def test_a_group_that_is_there_is_used_and_stays(tmp_path: Path):
    dist.init_process_group("gloo", init_method=f"file://{tmp_path}/meeting", rank=0, world_size=1)
    try:
        with process_group("cpu") as processes:
            assert (processes.rank, processes.size) == (0, 1)
        assert dist.is_initialized()
    finally:
        dist.destroy_process_group()


def test_a_device_that_is_not_there():
    with (
        pytest.raises(InputError, match=r"^device must be 'auto', 'cpu' or a device that torch can use here"),
        process_group("abacus"),
    ):
        pass
