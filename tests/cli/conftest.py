"""Each test has a folder of its own; each network is trained once, however often it is looked at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from logiclens.cli import learning

_TRAIN = learning.train
_FOUND: dict[Any, Any] = {}


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def _trained_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def train(rows: Any, settings: Any, progress: Any) -> Any:
        if rows.engine is not None:
            return _TRAIN(rows, settings, progress)
        key = rows.name, f"{rows.inputs.schema}", (*rows.labels.tolist(),), rows.held_out.tobytes(), settings
        if key not in _FOUND:
            _FOUND[key] = _TRAIN(rows, settings, progress)
        return _FOUND[key]

    monkeypatch.setattr(learning, "train", train)
