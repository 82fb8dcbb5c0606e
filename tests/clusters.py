"""A small Dask cluster on this machine, for tests of work that is shared out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest


@contextmanager
def small_cluster(n_workers: int = 2) -> Iterator[Any]:
    """Processes of one thread each, and a client; all gone afterwards."""
    distributed = pytest.importorskip("distributed", reason="needs Dask: pip install 'logiclens[dask]'")
    with (
        distributed.LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address=":0",
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client
