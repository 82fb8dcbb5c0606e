"""A Dask cluster as the place where pieces of work are done, by the address of its scheduler.

joblib knows Dask as a backend; what is added here are clear words where there is no such cluster, or none any
more.
"""

from __future__ import annotations

import _thread
import asyncio
import importlib
import logging
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from typing import Any

from logiclens.errors import EngineError, InputError, MissingDependencyError, shown

_PATIENCE = 4.0  # seconds for a scheduler to answer, and for workers to turn up
_BACKEND = "dask"  # as joblib calls it
_AGAIN = "Look after it and start the same work again: what is finished is kept."
_LOOKS = 0.5  # seconds between two looks at whether it is still there


@contextmanager
def on_cluster(address: str) -> Iterator[None]:
    """Run everything given to joblib inside this context on the workers of a Dask scheduler.

    Parameters
    ----------
    address : str
        Of the scheduler, such as ``tcp://10.0.0.7:8786``.

    Raises
    ------
    InputError
        That is no address.
    EngineError
        No scheduler answers there, it has no workers, or it was lost while work was being done.
    MissingDependencyError
        Dask is not installed.
    """
    with _silence_logs(), closing(_client(address)) as client:
        from joblib import parallel_config  # type: ignore[import-untyped]

        watch = _Watch(client)
        try:
            with parallel_config(backend=_BACKEND), watch:
                yield
        except KeyboardInterrupt:
            if not watch.lost:
                raise
            raise EngineError(f"The Dask scheduler at {address!r} is gone. {_AGAIN}") from None
        except Exception as error:
            if type(error).__module__.partition(".")[0] != "distributed":
                raise
            raise EngineError(f"The Dask cluster at {address!r} failed: {_line(error)}. {_AGAIN}") from None


class _Watch:
    """Interrupts the main thread when the scheduler is lost; joblib would wait forever.

    In the background of a script interrupts are ignored, as they are for what is in front. This one is not.
    """

    def __init__(self, client: Any) -> None:
        self.client, self.lost, self._over = client, False, threading.Event()
        self._ignored = False

    def __enter__(self) -> None:
        self._over.clear()
        if threading.current_thread() is threading.main_thread():
            self._ignored = signal.getsignal(signal.SIGINT) == signal.SIG_IGN
            if self._ignored:
                signal.signal(signal.SIGINT, self._interrupt)
            threading.Thread(target=self._watch, daemon=True).start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._ignored:
            signal.signal(signal.SIGINT, signal.SIG_IGN)

    def _interrupt(self, *_: object) -> None:
        if self.lost:
            raise KeyboardInterrupt

    def _watch(self) -> None:
        while not self._over.wait(_LOOKS):
            if self.client.status in ("closing", "closed"):
                self.lost = True
                _thread.interrupt_main()
                return


@contextmanager
def _silence_logs() -> Iterator[None]:
    """Silence Dask's log lines; we raise an error of our own instead."""
    loggers = [
        logger
        for name, logger in logging.root.manager.loggerDict.items()
        if name.partition(".")[0] == "distributed" and isinstance(logger, logging.Logger)
    ]
    before = [logger.disabled for logger in loggers]
    try:
        for logger in loggers:
            logger.disabled = True
        yield
    finally:
        for logger, was in zip(loggers, before, strict=True):
            logger.disabled = was


def _client(address: str) -> Any:
    """A connection to a scheduler that has workers."""
    if not isinstance(address, str) or not address.strip():
        raise InputError(
            f"The address of a Dask scheduler must be a text such as 'tcp://host:8786'. Got {shown(address)}."
        )
    dask = _dask()
    # A client that finds no scheduler leaves threads and tracebacks behind; so one is looked for first.
    with ThreadPoolExecutor(1) as pool:  # where another loop runs already, as in a notebook
        problem = pool.submit(lambda: asyncio.run(_try_connection(dask, address))).result()
    if isinstance(problem, ValueError):
        raise InputError(
            f"{address!r} is no address of a Dask scheduler: {_line(problem)}. "
            "Write it like 'tcp://host:8786'."
        )
    if problem is not None:
        raise EngineError(
            f"No Dask scheduler answers at {address!r}. Correct it, or start a scheduler with: dask scheduler"
        )
    client = dask.Client(address, timeout=_PATIENCE, set_as_default=True)
    try:
        client.wait_for_workers(1, timeout=_PATIENCE)
    except (OSError, TimeoutError):
        client.close(timeout=_PATIENCE)
        raise EngineError(
            f"The Dask scheduler at {address!r} has no workers. Start some with: dask worker {address}"
        ) from None
    return client


def _dask() -> Any:
    """Import ``distributed``."""
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise MissingDependencyError(
            "A Dask cluster needs the package distributed, which is not installed. "
            "Run: pip install 'logiclens[dask]'"
        ) from None


async def _try_connection(dask: Any, address: str) -> Exception | None:
    """What goes wrong when a scheduler is called; nothing, if it answers."""
    try:
        async with asyncio.timeout(_PATIENCE):
            arguments = dask.Security().get_connection_args("client")
            comm = await dask.comm.connect(address, timeout=_PATIENCE, **arguments)
            await comm.close()
    except Exception as error:  # other servers answer in ways that are anything to Dask
        return error
    return None


def _line(error: BaseException) -> str:
    """The first line of a message, without its full stop."""
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".") if lines else type(error).__name__
