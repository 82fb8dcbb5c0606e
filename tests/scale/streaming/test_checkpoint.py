"""Checkpoints: whole or not at all, and only for their own run."""

from __future__ import annotations

import os
import re
import socket
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from logiclens.errors import FileError, InputError
from logiclens.scale import _checkpoint
from logiclens.scale._checkpoint import Checkpoint, StoredPart

RUN = {"epochs": 2, "l1": "(0.008, 0.016)"}


def refused(error: type[Exception], message: str) -> Any:
    return pytest.raises(error, match=f"^{re.escape(message)}")


def test_what_was_written_is_read(tmp_path: Path):
    tensors = {
        "weight": np.array([[0.1, -2.0]], dtype=np.float32),
        "mask": np.array([True, False]),
        "none": np.zeros((0, 3)),
        "at": np.array(7),
    }
    Checkpoint.at(tmp_path / "new" / "folder", RUN).write("training", StoredPart({"seed": 2**63}, tensors))

    stored = Checkpoint.at(tmp_path / "new" / "folder", RUN).read("training")

    assert stored is not None
    assert stored.entries == {"seed": 2**63}
    assert stored.tensors.keys() == tensors.keys()
    for name, tensor in tensors.items():
        np.testing.assert_array_equal(stored.tensors[name], tensor)
        assert stored.tensors[name].dtype == tensor.dtype
    assert [path.name for path in (tmp_path / "new" / "folder").iterdir()] == ["training.safetensors"]


def test_a_checkpoint_of_another_run(tmp_path: Path):
    Checkpoint.at(tmp_path, RUN).write("training", StoredPart({}, {}))

    with refused(InputError, f"The checkpoint {str(tmp_path)!r} is of another run: epochs was 2 and is 3."):
        Checkpoint.at(tmp_path, RUN | {"epochs": 3}).read("training")


@pytest.mark.parametrize("damage", [0, 9, 200, -1, b"", b"red,y\n1,0\n", b"\x10\0\0\0\0\0\0\0{}"])
def test_a_damaged_checkpoint(tmp_path: Path, damage: int | bytes):
    """A byte that changed, or content that is no checkpoint."""
    Checkpoint.at(tmp_path, RUN).write("training", StoredPart({}, {"weight": np.ones(4)}))
    path = tmp_path / "training.safetensors"
    content = bytearray(path.read_bytes())
    if isinstance(damage, int):
        content[damage] ^= 1
    path.write_bytes(content if isinstance(damage, int) else damage)

    with refused(FileError, f"{str(path)!r} is no checkpoint, or a damaged one. Remove it."):
        Checkpoint.at(tmp_path, RUN).read("training")


def test_drafts_of_a_run_that_was_killed_go(tmp_path: Path):
    (tmp_path / ".0123456789abcdef.tmp").write_bytes(b"half")
    (tmp_path / "notes.tmp").write_bytes(b"someone's")

    Checkpoint.at(tmp_path, RUN).clear_drafts()

    assert [path.name for path in tmp_path.iterdir()] == ["notes.tmp"]


def test_one_process_at_a_time(tmp_path: Path):
    checkpoint = Checkpoint.at(tmp_path, RUN)
    with checkpoint.lock():
        holder = f"process {os.getpid()} on {socket.gethostname()!r}"
        with refused(FileError, f"The checkpoint {str(tmp_path)!r} is in use by {holder}"):
            with Checkpoint.at(tmp_path, RUN | {"epochs": 3}).lock():
                pass
        assert len(list(tmp_path.iterdir())) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_lock_ends_with_its_process(tmp_path: Path):
    """The file stays, and hinders no one."""
    (tmp_path / ".lock").write_text("process 1 on 'elsewhere', which was killed")

    with Checkpoint.at(tmp_path, RUN).lock():
        assert (tmp_path / ".lock").read_text() == f"process {os.getpid()} on {socket.gethostname()!r}"


def test_a_lock_that_is_given_up_while_it_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Its file is gone then: who has it locked has locked nothing."""
    original = _checkpoint.fcntl.flock

    def late(file: int, how: int) -> None:
        monkeypatch.undo()
        (tmp_path / ".lock").unlink()
        original(file, how)

    monkeypatch.setattr(_checkpoint.fcntl, "flock", late)
    with Checkpoint.at(tmp_path, RUN).lock(), pytest.raises(FileError, match="is in use by process"):
        with Checkpoint.at(tmp_path, RUN).lock():
            pass


def test_a_file_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def none(*_: Any) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(_checkpoint.fcntl, "flock", none)
    with Checkpoint.at(tmp_path, RUN).lock():
        pass


def test_a_folder_that_cannot_be_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def forbidden(*_: Any) -> None:
        raise PermissionError(13, "Permission denied")

    checkpoint = Checkpoint.at(tmp_path, RUN)
    monkeypatch.setattr(_checkpoint.os, "open", forbidden)
    with refused(FileError, f"Nothing can be written to the folder {str(tmp_path)!r}"), checkpoint.lock():
        pass
