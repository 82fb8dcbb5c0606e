"""Pieces of work on a Dask cluster: the same rows, and one clear line where there is no cluster."""

from __future__ import annotations

import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from joblib import parallel_config

from logiclens.bench import _run as module
from logiclens.bench._run import on_cluster, run
from logiclens.bench.fold_scores import Row
from logiclens.bench.store import Results
from logiclens.errors import EngineError, InputError, MissingDependencyError
from tests.bench.toy_runs import Failing, FirstConcept, Toy, without_seconds
from tests.clusters import small_cluster

EXPERIMENTS = (Toy(), Toy('"; DROP TABLE x', 2, seed=1))
METHODS = (
    FirstConcept(has_rules=False),  # the workers need not import networks
    FirstConcept("population", together=True, has_rules=False),
    FirstConcept("slow", slow=True, has_rules=False),
    Failing(has_rules=False),
)


def figures(rows: list[Row]) -> list[Row]:
    return [without_seconds(row) for row in rows]


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    """Rows of a run in this process, one piece after the other."""
    return figures(run(EXPERIMENTS, METHODS, results=Results(tmp_path_factory.mktemp("here"))))


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with small_cluster() as client:
        yield client


@pytest.mark.usefixtures("client")
def test_a_run_on_a_cluster_by_its_configuration(tmp_path: Path, expected: list[Row]):
    results = Results(tmp_path)
    with parallel_config(backend="dask"):
        rows = run(EXPERIMENTS, METHODS, results=results, n_jobs=None, timings=False)

    assert figures(rows) == expected
    assert len(results.rows()) == len([row for row in expected if row["status"] == "done"])


def test_a_run_on_a_cluster_by_its_address(
    client: Any, tmp_path: Path, expected: list[Row], monkeypatch: pytest.MonkeyPatch
):
    """With a time limit slow methods get processes of their own, which Dask's workers may not start."""
    monkeypatch.setattr(module, "_PATIENCE", 60.0)
    with on_cluster(client.scheduler_info()["address"]):
        rows = run(
            EXPERIMENTS, METHODS, results=Results(tmp_path), n_jobs=-1, timings=False, time_limit=300.0
        )

    assert figures(rows) == expected


def test_errors_of_the_work_itself_pass_through(client: Any):
    with pytest.raises(ValueError, match="mine"), on_cluster(client.scheduler_info()["address"]):
        raise ValueError("mine")


@pytest.fixture
def no_scheduler(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a server that knows nothing of Dask: it says something else, or nothing, or is gone."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            caller, _ = server.accept()
            caller.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            caller.close()

        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        if request.param == "another":
            threading.Thread(target=answer, daemon=True).start()
        elif request.param == "closed":
            server.close()
        yield address


@pytest.mark.parametrize("no_scheduler", ["another", "silent", "closed"], indirect=True)
def test_a_server_that_is_no_scheduler(no_scheduler: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "_PATIENCE", 0.3)

    assert refused(no_scheduler, EngineError) == (
        f"No Dask scheduler answers at {no_scheduler!r}. "
        "Correct it, or start a scheduler with: dask scheduler"
    )


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("", "The address of a Dask scheduler must be a text such as 'tcp://host:8786'. Got ''."),
        (None, "The address of a Dask scheduler must be a text such as 'tcp://host:8786'. Got None."),
        (
            "nonsense",
            "'nonsense' is no address of a Dask scheduler: missing port number in address 'nonsense'. "
            "Write it like 'tcp://host:8786'.",
        ),
    ],
)
def test_what_is_no_address(address: Any, message: str):
    assert refused(address, InputError) == message


def test_a_scheduler_without_workers(monkeypatch: pytest.MonkeyPatch):
    """The scheduler has all the time to answer; workers that never come are not waited for."""
    distributed = pytest.importorskip("distributed", reason="needs Dask: pip install 'logiclens[dask]'")
    wait = distributed.Client.wait_for_workers
    monkeypatch.setattr(module, "_PATIENCE", 60.0)
    monkeypatch.setattr(distributed.Client, "wait_for_workers", lambda client, n, **_: wait(client, n, 0.1))
    with small_cluster(n_workers=0) as alone:
        address = alone.scheduler_info()["address"]
        assert refused(address, EngineError) == (
            f"The Dask scheduler at {address!r} has no workers. Start some with: dask worker {address}"
        )


def test_dask_is_not_installed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "distributed", None)

    assert refused("tcp://127.0.0.1:8786", MissingDependencyError) == (
        "A Dask cluster needs the package distributed, which is not installed. "
        "Run: pip install 'logiclens[dask]'"
    )


class Gone:
    """A client whose scheduler goes away as soon as it is looked at."""

    def __init__(self, status: str = "closed") -> None:
        self.status = status

    def close(self) -> None:
        self.status = "closed"


@pytest.fixture(params=[signal.default_int_handler, signal.SIG_IGN], ids=["in front", "in the background"])
def _where(request: pytest.FixtureRequest) -> Iterator[None]:
    """Shells let what runs in the background of a script ignore interrupts."""
    before = signal.signal(signal.SIGINT, request.param)
    yield
    assert signal.signal(signal.SIGINT, before) == request.param


@pytest.mark.usefixtures("_where")
@pytest.mark.parametrize("waits", [True, False])
def test_a_scheduler_that_is_lost(waits: bool, monkeypatch: pytest.MonkeyPatch):
    """One clear line, whether Dask tells of it or joblib waits for an answer that never comes."""
    from joblib import register_parallel_backend
    from joblib._parallel_backends import SequentialBackend

    lost = type("FutureCancelledError", (Exception,), {"__module__": "distributed.client"})
    monkeypatch.setattr(module, "_LOOKS", 0.01)
    monkeypatch.setattr(module, "_client", lambda _: Gone("closed" if waits else "running"))
    monkeypatch.setattr(module, "_BACKEND", "toy cluster")
    register_parallel_backend("toy cluster", SequentialBackend)

    def work() -> None:
        with on_cluster("tcp://host:8786"):
            if not waits:
                raise lost("piece cancelled.\nMore of it.")
            for _ in range(60_000):  # as joblib waits
                time.sleep(0.01)

    with pytest.raises(EngineError) as info:
        work()
    reason = "is gone" if waits else "failed: piece cancelled"
    what = "scheduler" if waits else "cluster"
    assert str(info.value) == (
        f"The Dask {what} at 'tcp://host:8786' {reason}. Look after it and start the same work again: "
        "what is finished is kept."
    )


def refused(address: Any, kind: type[Exception]) -> str:
    with pytest.raises(kind) as info, on_cluster(address):
        pytest.fail("there is no cluster")
    return str(info.value)
