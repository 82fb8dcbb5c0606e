"""A folder of Parquet files that tests only read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scale.streaming.making import folder_of


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return folder_of(tmp_path_factory.mktemp("scores"))
