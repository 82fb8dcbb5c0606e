"""Each network of these tests is trained once, however often what is printed of it is looked at."""

from __future__ import annotations

from typing import Any

import pytest

from logiclens.cli import learning

_TRAIN = learning.trained
_FOUND: dict[Any, Any] = {}


@pytest.fixture(autouse=True)
def _trained_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def trained(prepared: Any, settings: Any, progress: Any) -> Any:
        rows = tuple(prepared.labels.tolist()), prepared.held_out.tobytes()
        key = prepared.name, f"{prepared.inputs.schema}", *rows, settings
        if key not in _FOUND:
            _FOUND[key] = _TRAIN(prepared, settings, progress)
        return _FOUND[key]

    monkeypatch.setattr(learning, "trained", trained)
